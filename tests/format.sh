#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/format.sh [--fix] - every source in C, C++ and HIP is laid out as .clang-format says. --fix lays it
# out. Versions of clang-format break lines at different places, so it must be 14, or what CLANG_FORMAT names.

cd "$(dirname "$0")/.." || exit
for tool in ${CLANG_FORMAT:-clang-format-14 clang-format}; do
	version=$("$tool" --version 2>/dev/null) && [[ -n $CLANG_FORMAT || $version == *' 14.'* ]] && break
	tool=''
done
if [ -z "$tool" ]; then
	echo "format: needs clang-format 14 (the package clang-format-14)" >&2
	exit 77
fi
# A file that is removed, but not committed yet, is still listed.
mapfile -d '' -t files < <({ git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
	grep -zE '\.(c|h|hip|cpp|hpp|cu)$' | while IFS= read -r -d '' file; do
	[ ! -f "$file" ] || printf '%s\0' "$file"
done)
[ ${#files[@]} -gt 500 ] || { echo "format: only ${#files[@]} sources are found" >&2; exit 1; }
mode=(--dry-run --Werror)
[ "${1-}" != --fix ] || mode=(-i)
# clang-format parts the signs of a launch in a macro, where it does not know it for one.
if parted=$(grep -nE '< < <|> > >' "${files[@]}"); then
	printf 'format: the signs of a launch are parted:\n%s\n' "$parted" >&2
	exit 1
fi
message=$(printf '%s\0' "${files[@]}" | xargs -0 -P"$(nproc)" -n20 "$tool" "${mode[@]}" 2>&1) && exit
echo "$message" | grep -E 'error:|rror' | head -n 20 >&2
echo "format: make format lays out what is not" >&2
exit 1
