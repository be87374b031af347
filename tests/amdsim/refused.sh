#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 120
#
# AMD's HIP 5.2 refuses code objects of version 5. A program that is compiled so gets the unit's name, and the
# flag to use, from init on all PEs. make check-rocm runs this: it needs the library for gfx90a, in
# build/amd-gfx90a.
set -eu
cd "$(dirname "$0")/../.."
sim=${SIM:-build/amdsim/rocm} lib=$PWD/build/amd-gfx90a/lib
mkdir -p build/amdsim/tests
dir=$(mktemp -d build/amdsim/tests/refused.XXXXXX)
trap 'rm -rf "$dir"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
command=$(${MAKE:-make} --no-print-directory -s PLATFORM=amd GPU_ARCHS=gfx90a \
	--eval='compile: ; @echo $(HIPCC) $(HIPFLAGS) $(PLAT_CPPFLAGS)' compile)
for version in 4 5; do
	$command -mcode-object-version=$version -Iinclude -O1 -c examples/02_ring.hip -o "$dir/$version.o"
	${command%% *} "$dir/$version.o" -o "$dir/$version" -L"$lib" -lgshmem -lamdhip64 "-Wl,-rpath,$lib"
done
run() {
	AMDSIM_GPU=gfx90a AMDSIM_JOB=$$ LD_LIBRARY_PATH="$sim:${LD_LIBRARY_PATH:-}" \
		timeout 60 $(tests/run.sh -l) -n 2 "$dir/$1" >"$dir/log" 2>&1
}
fail() {
	cat "$dir/log"
	echo "refused: $*"
	exit 1
}
run 4 || fail "code objects of version 4 are refused"
! run 5 || fail "code objects of version 5 run"
grep -q 'init: the device state of examples/02_ring.hip: .*-mcode-object-version=4' "$dir/log" ||
	fail "the unit and the flag are not named"
[ "$(grep -c 'gshmem: pe' "$dir/log")" -eq 1 ] || fail "not one message"
echo "refused: passed"
