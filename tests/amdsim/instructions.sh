#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs tests/amdsim/instructions.c and memory.c for the GPUs of AMDSIM_GPUS,
# linked with the objects in $SIM.
# timeout: 120
# -f: flips a bit of each opcode's result, which its tests must notice. One of
# three GPUs must run each opcode.
set -eu
cd "$(dirname "$0")/../.."
gpus=${AMDSIM_GPUS:-gfx942} sim=${SIM:-build/amdsim}
llvm=$(command -v llvm-config-19 llvm-config | head -n 1)
mkdir -p build/amdsim/tests
dir=$(mktemp -d build/amdsim/tests/instructions.XXXXXX)
trap 'rm -rf "$dir"' EXIT
for program in instructions memory; do
	${CC:-cc} -std=c11 -O1 -g -D_GNU_SOURCE -D__HIP_PLATFORM_AMD__=1 -o "$dir/$program" tests/amdsim/$program.c "$sim"/*.o \
		$("$llvm" --ldflags --libs) -lm -lpthread
	for gpu in $gpus; do
		"$dir/$program" "$gpu" "$dir" "$@"
	done
done
case $gpus in
*gfx*gfx*gfx*) sort "$dir"/*.untested | uniq -c | awk '$1 == 3 { print $2 ": no test"; n++ } END { exit n != 0 }' ;;
esac
