#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# The host's side of no call reads the device state of its unit. In a unit for GPUs that state is in GPU
# memory, so host code that would read it calls gshmemi_host_no_state, which ends the job. Here a compiler for
# AMD GPUs makes host code of every public function of the headers, in a copy in which none may be left out.

. "$(dirname "$0")/compile"
work=$builds/host-state
compiler=$(flags amd gfx942) || {
	echo "needs a compiler for AMD GPUs: make all PLATFORM=amd installs one"
	exit 77
}
rm -rf "$work"
mkdir -p "$work"
cp -r include "$work"
arch=$work/include/gshmem/arch/arch.h
sed -i 's/^#define GSHMEM_API  *GSHMEMI_FN$/& __attribute__((used))/' "$arch"
cat >"$work/unit.hip" <<'EOF'
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx_win.h>
EOF
# The copy's headers come first.
set -- $compiler
first=$1
shift
"$first" -I"$work/include" "$@" --offload-host-only -O1 -c -o "$work/unit.o" "$work/unit.hip" || exit
nfunctions=$(nm "$work/unit.o" | grep -c ' t .*gshmemx\?_')
echo "$nfunctions public functions"
if [ "$nfunctions" -lt 5000 ]; then
	echo "expected 5000 and more: has $arch another definition of GSHMEM_API?"
	exit 1
fi
if nm -u "$work/unit.o" | grep -q gshmemi_host_no_state; then
	echo "host code reads the unit's device state, in:"
	objdump -dr --no-show-raw-insn "$work/unit.o" |
		awk '/>:$/ { name = $2 } /gshmemi_host_no_state/ { print "    " name }' | sort -u | c++filt
	exit 1
fi
