#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hip_calls.sh [rocm] - builds and runs tests/amdsim/hip_calls.c on the simulator in $SIM, for the GPUs of
# AMDSIM_GPUS. rocm: compares the simulator's answers to HIP's calls with those of AMD's own HIP over the
# simulator (hip_answers.c); the differences must be those that hip_differences lists.
# timeout: 120
set -eu
cd "$(dirname "$0")/../.."
gpus=${AMDSIM_GPUS:-gfx942} sim=${SIM:-build/amdsim} what=${1:-hip_calls}
mkdir -p build/amdsim/tests
dir=$(mktemp -d build/amdsim/tests/hip_calls.XXXXXX)
trap 'rm -rf "$dir"' EXIT

build() {
	${CC:-cc} -std=c11 -O1 -D_GNU_SOURCE -D__HIP_PLATFORM_AMD__=1 -o "$dir/$1" "tests/amdsim/$1.c" \
		-L"$sim" -l:libamdhip64.so.5 -lpthread
}

# ask FOLDER FILE: the answers of the runtime that is found by way of FOLDER. gfx90a is what HIP 5.2 knows.
ask() {
	AMDSIM_GPU=gfx90a AMDSIM_DEVICES=2 LD_LIBRARY_PATH="$1:${LD_LIBRARY_PATH:-}" \
		"$dir/hip_answers" "$dir/kernels" >"$dir/$2" 2>"$dir/$2.err"
}

case $what in
hip_calls)
	build hip_calls
	for gpu in $gpus; do
		AMDSIM_GPU=$gpu LD_LIBRARY_PATH="$sim:${LD_LIBRARY_PATH:-}" "$dir/hip_calls"
	done
	echo "hip_calls: passed on $gpus" ;;
rocm)
	clang=$(command -v clang-19 || command -v clang)
	$clang --target=amdgcn-amd-amdhsa -mcpu=gfx90a -mcode-object-version=4 -nogpulib -O2 \
		-o "$dir/kernels" tests/amdsim/hsa_kernels.c
	build hip_answers
	ask "$sim" ours
	ask "$sim/rocm" theirs
	[ "$(wc -l <"$dir/ours")" -eq "$(wc -l <"$dir/theirs")" ] || {
		diff "$dir/theirs" "$dir/ours"
		echo "hip_calls: one of the two runtimes has other lines"
		exit 1
	}
	paste -d '\n' "$dir/theirs" "$dir/ours" | awk 'NR % 2 { theirs = $0; next }
		theirs != $0 { print theirs " | " $0 }' | sort >"$dir/found"
	sed '/^#/d; s/ | [^|]*$//' tests/amdsim/hip_differences | sort >"$dir/known"
	diff "$dir/known" "$dir/found" || {
		echo "hip_calls: hip_differences lists what < marks, which is not found; > is not listed"
		exit 1
	}
	echo "hip_calls: $(wc -l <"$dir/ours") answers, $(wc -l <"$dir/found") known differences" ;;
*)
	echo "usage: hip_calls.sh [rocm]" >&2
	exit 2 ;;
esac
