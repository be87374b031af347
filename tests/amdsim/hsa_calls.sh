#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs tests/amdsim/hsa_calls.c on the simulator's libhsa-runtime64.so.1, in program order and with
# late memory.
# timeout: 120
set -eu
cd "$(dirname "$0")/../.."
sim=${SIM:-build/amdsim/rocm}
mkdir -p build/amdsim/tests
dir=$(mktemp -d build/amdsim/tests/hsa_calls.XXXXXX)
trap 'rm -rf "$dir"' EXIT
clang=$(command -v clang-19 || command -v clang)
$clang --target=amdgcn-amd-amdhsa -mcpu=gfx90a -mcode-object-version=4 -nogpulib -O2 -o "$dir/kernels" \
	tests/amdsim/hsa_kernels.c
${CC:-cc} -std=c11 -O1 -D_GNU_SOURCE -o "$dir/hsa_calls" tests/amdsim/hsa_calls.c -L"$sim" \
	-l:libhsa-runtime64.so.1 -lpthread
for seed in 0 3; do
	AMDSIM_LATE=$seed AMDSIM_GPU=gfx90a LD_LIBRARY_PATH="$sim:${LD_LIBRARY_PATH:-}" \
		"$dir/hsa_calls" "$dir/kernels"
done
echo "hsa_calls: passed"
