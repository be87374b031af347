#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
#
# Kernels of each family of calls (kernels/groups.hip) compile at -O0, -Og, -O1 and -O3 with -g, and the
# examples at -O0, for each platform whose compiler is here. Users debug at -O0 -g, gshmemcc adds no -O of its
# own, and other tests compile at -O2.

. "$(dirname "$0")/compile"
work=$builds/opt-levels
rm -rf "$work"
mkdir -p "$work"
: >"$work/commands"
skipped=''
groups=$here/kernels/groups.hip

# compile NAME FLAG... FILE: compile with the platform's flags in $words.
compile() {
	name=$1
	shift
	later "$words -Iinclude $* -c -o $work/$name.o || { echo '$name: this does not compile: $*'; exit 1; }"
}

# at_O0 NAME FLAG...: compile the examples.
at_O0() {
	platform=$1
	shift
	for file in examples/*.hip examples/tutorial/*.hip; do
		compile "$platform-$(basename "$file" .hip)" -O0 -g "$@" "$file"
	done
}

# Each GPU has its own constraints on registers, but the compiler breaks them only at -O0.
if flags amd gfx942 >"$work/amd" 2>/dev/null; then
	device='-Werror --cuda-device-only --no-gpu-bundle-output'
	for arch in gfx90a gfx1100 gfx942; do
		words=$(sed "s/gfx942/$arch/g" "$work/amd")
		compile $arch-O0 -O0 -g "$device" $groups
	done
	for level in Og O1 O3; do
		compile gfx942-$level -$level -g "$device" $groups
	done
	at_O0 gfx942 "$device"
else
	skipped="$skipped amd"
fi

# -O affects the CPU's code, which is the same for all calls; -G is the -O0 of the GPU's code.
if flags nvidia sm_90 >"$work/nvidia" 2>/dev/null; then
	for arch in 80 90; do
		words=$(sed "s/90/$arch/g" "$work/nvidia")
		compile sm_$arch-G -O0 -g -G $groups
	done
	compile sm_90-O3 -O3 -g $groups
	for level in -O0 '-Xcompiler -Og' -O1; do
		compile "sm_90-${level##*-}" "$level" -g examples/02_ring.hip
	done
	at_O0 sm_90 -G
else
	skipped="$skipped nvidia"
fi

for compiler in g++ "$(basename "$(command -v clang++-19 || command -v clang++-15 || echo clang++)")"; do
	if ! command -v "$compiler" >/dev/null || { # kernels need clang 15
		[ "$compiler" != g++ ] && [ "$($compiler -dumpversion | cut -d. -f1)" -lt 15 ]
	}; then
		skipped="$skipped cpu:$compiler"
		continue
	fi
	words=$(flags cpu none "$compiler")
	for level in O0 Og O1 O3; do
		compile "$compiler-$level" -$level -g -Werror $groups
	done
	[ "$compiler" != g++ ] || at_O0 "$compiler" -Werror
done

[ -z "$skipped" ] || echo "not tried, as the compiler is not here:$skipped"
[ -s "$work/commands" ] || exit 77
all
rm -rf "$work"
