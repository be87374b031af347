#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs tests/amdsim/hip_calls.c on the simulator in $SIM, for the GPUs of AMDSIM_GPUS.
# timeout: 120
set -eu
cd "$(dirname "$0")/../.."
gpus=${AMDSIM_GPUS:-gfx942} sim=${SIM:-build/amdsim}
mkdir -p build/amdsim/tests
dir=$(mktemp -d build/amdsim/tests/hip_calls.XXXXXX)
trap 'rm -rf "$dir"' EXIT
${CC:-cc} -std=c11 -O1 -D_GNU_SOURCE -D__HIP_PLATFORM_AMD__=1 -o "$dir/hip_calls" tests/amdsim/hip_calls.c \
	-L"$sim" -l:libamdhip64.so.5 -lpthread
for gpu in $gpus; do
	AMDSIM_GPU=$gpu LD_LIBRARY_PATH="$sim:${LD_LIBRARY_PATH:-}" "$dir/hip_calls"
done
echo "hip_calls: passed on $gpus"
