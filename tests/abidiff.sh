#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
#
# The functions and structures of the public headers are those of the last release: abidiff, of Debian's
# abigail-tools, compares the debug information of two libraries. Run by hand before a release; it builds the
# old library, in a few minutes. Functions whose names begin with gshmemi_ may change (GSHMEMI_ABI), and new
# functions may join. tests/abi.sh compares the names alone, and needs no build.
#
#   tests/abidiff.sh [COMMIT]   the commit to compare with: by default that of the newest list in tests/abi.
#                               B names the build; OLD a folder with the old libraries, if there is one

cd "$(dirname "$0")/.." || exit
: "${B:=build/cpu}"
if ! command -v abidiff >/dev/null; then
	echo "needs abidiff, of Debian's package abigail-tools"
	exit 77
fi
list=$(printf '%s\n' tests/abi/[0-9]* | sort -V | tail -n 1)
commit=${1:-$(sed -n 's/^commit //p' "$list")}
if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
	echo "needs git, and the commit $commit"
	exit 77
fi
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
git archive "$commit" | tar -x -C "$work" || exit
old=${OLD:-$work/build/cpu/lib}
if [ -z "${OLD-}" ]; then
	make -C "$work" --no-print-directory PLATFORM=cpu -j"$(nproc)" lib >"$work/log" 2>&1 || {
		tail -n 20 "$work/log"
		echo "abidiff: commit $commit does not build"
		exit 1
	}
fi

# Structures of other headers are GSHMEMI_ABI's, or the library's own. abidiff takes one folder for each side.
mkdir "$work/headers-old" "$work/headers-new"
for header in gshmem.h gshmemx.h gshmemx_win.h gshmemx_mpi.h gshmem/api/types.h; do
	cp "$work/include/$header" "$work/headers-old"
	cp "include/$header" "$work/headers-new"
done
flags=(--no-added-syms --drop-private-types --no-show-locs --suppressions "$work/internal"
	--headers-dir1 "$work/headers-old" --headers-dir2 "$work/headers-new")
printf '[suppress_%s]\n\tsymbol_name_regexp = ^gshmemi_\n' function variable >"$work/internal"

status=0
for library in libgshmem.so libgshmem_shmem.so; do
	for path in "$old/$library" "$B/lib/$library"; do
		readelf -S "$path" | grep -q debug_info || {
			echo "abidiff: $path has no debug information: build it with -g"
			exit 1
		}
	done
	abidiff "${flags[@]}" "$(realpath "$old/$library")" "$(realpath "$B/lib/$library")" || {
		echo "abidiff: $library differs from that of $commit (abidiff: $?)"
		status=1
	}
done
exit $status
