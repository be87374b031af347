#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
#
# The library, every test, bench and example compile for AMD GPUs, and in none of their kernels does ordering.py find
# anything broken. For the first GPU all of it is built, with the host's side, and linked; for the others the kernels
# alone, with gshmem.h precompiled: those of tests for the second one, which differs most, and those of the library,
# benches and examples for all. Tests that say `/* isa: read */` in a comment at their head call everything there is, which
# takes the compilers minutes; they are read. Left out of ordering.py are tests/platform: they try HIP itself, with orders
# narrower than the system, and know nothing of the library. ARCHS='gfx942 gfx1100' for some GPUs.

. "$(dirname "$0")/compile"
work=$builds/amd-tree
GPU_ARCHS=gfx942 platform/amd/toolchain >/dev/null || {
	GPU_ARCHS=gfx942 platform/amd/toolchain -w || true
	exit 77
}
if [ -z "${ARCHS-}" ]; then
	ARCHS='gfx942 gfx1100 gfx90a gfx1030'
	! GPU_ARCHS=gfx950 platform/amd/toolchain >/dev/null || ARCHS="$ARCHS gfx950"
fi
first=${ARCHS%% *}
rm -rf "$work"
mkdir -p "$work"
: >"$work/commands"
echo '#include <gshmem.h>' >"$work/head.h"

failed='' build=$builds/tree-amd log=$builds/tree-amd.log
if ! $MAKE --no-print-directory -k -j"$(nproc)" PLATFORM=amd GPU_ARCHS="$first" B="$build" CFLAGS='-O2 -g1' SLOW=read \
	lib tests benches examples >"$log" 2>&1; then
	grep -E 'error|Error|undefined' "$log" | cut -c 1-300 | sort -u | tail -n 12
	echo "FAIL for $first: not everything builds; log $log"
	failed=1
fi

units=$($MAKE --no-print-directory -s PLATFORM=amd GPU_ARCHS="$first" B="$build" --eval='isa-units: ;
	@echo $(wildcard $(patsubst $(B)/%,%.hip,$(TESTS) $(BENCHES) $(EXAMPLES)) src/*/*.hip tests/modules/*.hip)' SLOW=read \
	isa-units)
rest=$(echo "$ARCHS" | sed 's/^[^ ]* *//')
for arch in $rest; do
	mkdir -p "$work/$arch"
	words="$(flags amd "$arch") -Iinclude -Isrc -Itests -O2 -g1 -fPIC -w --cuda-device-only"
	echo "$words" >"$work/$arch/flags"
	later "$words -fsyntax-only -Xclang -emit-pch -Xclang -o -Xclang $work/$arch/head.pch $work/head.h"
done
[ -z "$rest" ] || all
for arch in $rest; do
	for unit in $units; do
		case $unit in tests/*) [ "$arch" = "${rest%% *}" ] || continue ;; esac
		# What is defined in front of the header must come first.
		head="-Xclang -include-pch -Xclang $work/$arch/head.pch"
		! grep -q '^#define GSHMEM' "$unit" || head=''
		out=$work/$arch/$(echo "${unit%.hip}" | tr / -).$arch.co
		later "$(cat "$work/$arch/flags") $head --no-gpu-bundle-output -c -o $out $unit"
	done
done
[ -z "$rest" ] || all

mkdir -p "$work/$first"
# shellcheck disable=SC2046
$python $here/ordering.py --objects "$work/$first" \
	$(find "$build" -name '*.hip.o' ! -path '*/tests/platform/*' | sort) || failed=1
if [ -n "$rest" ]; then
	# shellcheck disable=SC2046
	$python $here/ordering.py $(find "$work" -name '*.co' ! -name 'tests-platform-*' ! -path "$work/$first/*" | sort) ||
		failed=1
fi
rm -rf "$work"
[ -z "$failed" ]
