#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
#
# The library, the examples and, by TURN, a third of tests and benches (FULL=1: all) compile for
# NVIDIA GPUs with their host side, every polling load in them has system scope, and each kernel can be
# launched with the largest block that make check has seen it launched with (fits.py). tests/platform
# is treated as in amd_tree.sh; tests that say `isa: read` are left out. FULL=1 covers two kinds of
# GPU. ARCHS=sm_90 selects some.

. "$(dirname "$0")/compile"
platform/nvidia/toolchain >/dev/null || {
	platform/nvidia/toolchain -w || true
	exit 77
}
failed='' build=$builds/tree-nvidia log=$builds/tree-nvidia.log
# Only uncompressed code can be read back.
NVCC_APPEND_FLAGS="${NVCC_APPEND_FLAGS-} --no-compress"
export NVCC_APPEND_FLAGS
mkdir -p "$build"
if ! build_tree "$build" "$log" PLATFORM=nvidia GPU_ARCHS="${ARCHS:-${FULL:+sm_80 }sm_90}" CFLAGS=-O2; then
	grep -E 'error|Error|undefined' "$log" | cut -c 1-300 | sort -u | tail -n 12
	echo "FAIL: not everything builds; log $log"
	failed=1
fi
# shellcheck disable=SC2046
$python $here/ordering_nvidia.py --objects \
	$(find "$build" -name '*.hip.o' ! -path '*/tests/platform/*' | sort) || failed=1
# shellcheck disable=SC2046
$python $here/fits.py "$builds/.." $(find "$build" -name '*.hip.o' -o -name '*.module' | sort) || failed=1
[ -z "$failed" ]
