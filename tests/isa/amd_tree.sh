#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
#
# The library and every test, bench and example compile for AMD GPUs; ordering.py finds nothing broken in
# their kernels, no host code reads the device state, and each kernel can be launched with the largest block
# that make check has seen it launched with (fits.py). For the first GPU the library, the examples and, by
# TURN, a third of tests and benches (FULL=1: all) are built with their host side, and linked. The other
# kernels are compiled alone, with gshmem.h precompiled: those of tests for the first GPU and for the second,
# which differs most; those of library, benches and examples for all GPUs (four or five with FULL=1). Tests
# that say `/* isa: read */` at their head call everything there is, which takes compilers minutes;
# those are never built, only compiled alone and read. ordering.py leaves out tests/platform, which tests HIP
# itself with orders narrower than the system. ARCHS='gfx942 gfx1100' selects GPUs.

. "$(dirname "$0")/compile"
work=$builds/amd-tree
GPU_ARCHS=gfx942 platform/amd/toolchain >/dev/null || {
	GPU_ARCHS=gfx942 platform/amd/toolchain -w || true
	exit 77
}
if [ -z "${ARCHS-}" ]; then
	ARCHS='gfx942 gfx1100'
	[ -z "${FULL-}" ] || ARCHS="$ARCHS gfx90a gfx1030"
	[ -z "${FULL-}" ] || ! GPU_ARCHS=gfx950 platform/amd/toolchain >/dev/null || ARCHS="$ARCHS gfx950"
fi
first=${ARCHS%% *}
rm -rf "$work"
mkdir -p "$work"
: >"$work/commands"
echo '#include <gshmem.h>' >"$work/head.h"

failed='' build=$builds/tree-amd log=$builds/tree-amd.log
if ! build_tree "$build" "$log" PLATFORM=amd GPU_ARCHS="$first" CFLAGS='-O2 -g1'; then
	grep -E 'error|Error|undefined' "$log" | cut -c 1-300 | sort -u | tail -n 12
	echo "FAIL for $first: not everything builds; log $log"
	failed=1
fi

# The CPU must not read a unit's copy of the device state, which is in the GPU's memory (unit.h).
readers=$(find "$build" -name '*.hip.o' -exec nm -A {} + 2>/dev/null | sed -n 's/: *U gshmemi_host_no_state$//p')
[ -z "$readers" ] || {
	echo "FAIL host code reads the device state: $readers"
	failed=1
}

rest=$(echo "$ARCHS" | sed 's/^[^ ]* *//')
for arch in $ARCHS; do
	mkdir -p "$work/$arch"
	words="$(flags amd "$arch") -Iinclude -Isrc -Itests -O2 -g1 -fPIC -w --cuda-device-only"
	echo "$words" >"$work/$arch/flags"
	later "$words -fsyntax-only -Xclang -emit-pch -Xclang -o -Xclang $work/$arch/head.pch $work/head.h"
done
all
# device FILE FLAG...: compile for $arch with the precompiled header, unless the file
# defines something before it.
device() {
	file=$1
	shift
	head="-Xclang -include-pch -Xclang $work/$arch/head.pch"
	! grep -q '^#define GSHMEM' "$file" || head=''
	later "$(cat "$work/$arch/flags") $head $* $file"
}
object() {
	device "$1" --no-gpu-bundle-output -c -o "$work/$arch/$(echo "${1%.hip}" | tr / -).$arch.co"
}
# among NAME LIST: whether NAME is a line of LIST.
among() {
	echo "$2" | grep -qxF "$1"
}
whole=$(whole_tests) tests=$(built_tests) benches=$(built_benches)
for arch in $ARCHS; do
	for file in bench/*.hip; do
		[ "$arch" = "$first" ] && among "$(basename "$file" .hip)" "$benches" || object "$file"
	done
	if [ "$arch" != "$first" ]; then
		for file in src/*/*.hip examples/*.hip examples/tutorial/*.hip tests/modules/*.hip; do
			object "$file"
		done
	fi
	case $arch in
	"$first" | "${rest%% *}") ;;
	*) continue ;;
	esac
	for file in $(grep -L '^/\* platform: cpu' tests/*.hip tests/platform/[!c]*.hip); do
		name=${file#tests/} name=${name%.hip}
		if ! among "$name" "$whole"; then
			[ "$arch" = "$first" ] || device "$file" -fsyntax-only
		elif [ "$arch" != "$first" ] || ! among "$name" "$tests"; then
			object "$file"
		fi
	done
done
all

mkdir -p "$work/whole"
# shellcheck disable=SC2046
$python $here/ordering.py --objects "$work/whole" \
	$(find "$build" -name '*.hip.o' ! -path '*/tests/platform/*' | sort) || failed=1
# shellcheck disable=SC2046
set -- $(find "$work" -name '*.co' ! -name 'tests-platform-*' ! -path "$work/whole/*" | sort)
[ $# -eq 0 ] || $python $here/ordering.py "$@" || failed=1
# shellcheck disable=SC2046
$python $here/fits.py "$builds/.." \
	$(find "$build" "$work" '(' -name '*.hip.o' -o -name '*.co' ! -path "$work/whole/*" ')' | sort) || failed=1
rm -rf "$work"
[ -z "$failed" ]
