#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
#
# The library, every test, bench and example compile for AMD GPUs, with the host's side of them; and in none of their
# kernels does ordering.py find anything broken. Left out of that are tests/platform: they try HIP itself, with orders
# narrower than the system, and know nothing of the library. ARCHS='gfx942 gfx1100' for some GPUs.

. "$(dirname "$0")/compile"
GPU_ARCHS=gfx942 platform/amd/toolchain >/dev/null || {
	GPU_ARCHS=gfx942 platform/amd/toolchain -w
	exit 77
}
failed=''

# tree NAME ARCHS: build it all, then read the kernels.
tree() {
	build=$builds/tree-$1 log=$builds/tree-$1.log
	mkdir -p "$build/kernels"
	if ! $MAKE --no-print-directory -k -j"$(nproc)" PLATFORM=amd GPU_ARCHS="$2" B="$build" \
		CFLAGS='-O2 -g1' lib tests benches examples >"$log" 2>&1; then
		grep -E 'error|Error|undefined' "$log" | cut -c 1-300 | sort -u | tail -n 12
		echo "FAIL for $2: not everything builds; log $log"
		failed=1
	fi
	rm -f "$build"/kernels/*
	# shellcheck disable=SC2046
	$python $here/ordering.py --objects "$build/kernels" \
		$(find "$build" -name '*.hip.o' ! -path '*/tests/platform/*' | sort) || failed=1
	rm -f "$build"/kernels/*
}

tree amd "${ARCHS:-gfx90a gfx942 gfx1030 gfx1100}"
[ -n "${ARCHS-}" ] || ! GPU_ARCHS=gfx950 platform/amd/toolchain >/dev/null || tree amd-gfx950 gfx950
[ -z "$failed" ]
