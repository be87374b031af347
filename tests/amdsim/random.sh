#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Random kernels compute the same bits on the host and on the simulator in $SIM: for each GPU of
# AMDSIM_GPUS, three of SEEDS.
# timeout: 180
set -eu
cd "$(dirname "$0")/../.."
gpus=${AMDSIM_GPUS:-gfx942} seeds=${SEEDS:-1 2 3} sim=${SIM:-build/amdsim}
devlib=build/amd/devlib-clang++-19
mkdir -p build/amdsim/tests
dir=$(mktemp -d build/amdsim/tests/random.XXXXXX)
trap 'rm -rf "$dir"' EXIT
[ ! -d "$devlib" ] || devlib=--rocm-device-lib-path=$devlib
paths=${AMD_PATHS:---rocm-path=/usr $devlib}
flags="-Itests/amdsim -ffp-contract=off -fwrapv -w"
${CC:-cc} -std=c11 -O1 -o "$dir/random" tests/amdsim/random.c
nfailed=0
for seed in $seeds; do
	"$dir/random" "$seed" >"$dir/kernel.cc"
	for gpu in $gpus; do
		case $gpu in gfx9*) lanes=64 ;; *) lanes=32 ;; esac
		clang++-19 $flags -O1 -DRANDOM_LANES=$lanes -o "$dir/host" "$dir/kernel.cc"
		clang++-19 -x hip $paths --offload-arch="$gpu" $flags -O$((seed % 2 + 1)) -D__HIP_PLATFORM_AMD__=1 -o "$dir/gpu" \
			"$dir/kernel.cc" -L"$sim" -l:libamdhip64.so.5
		"$dir/host" >"$dir/expected"
		AMDSIM_GPU=$gpu LD_LIBRARY_PATH="$sim:${LD_LIBRARY_PATH:-}" "$dir/gpu" >"$dir/is" || true
		cmp -s "$dir/expected" "$dir/is" && continue
		nfailed=$((nfailed + 1))
		echo "random: seed $seed on $gpu -O$((seed % 2 + 1)) differs from the host:"
		diff "$dir/expected" "$dir/is" | head -n 4
	done
done
echo "random: seeds $seeds on $gpus: $nfailed failed"
[ "$nfailed" = 0 ]
