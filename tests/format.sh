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
sources() {
	if ! git ls-files -z 2>/dev/null; then
		find . -path ./build -prune -o -type f -print0
	fi | grep -zE '\.(c|h|hip|cpp|hpp|cu)$'
}
if [ "${1-}" = --fix ]; then
	sources | xargs -0 -P"$(nproc)" -n20 "$tool" -i
	exit
fi
ragged=$(sources | xargs -0 -P"$(nproc)" -n20 "$tool" --dry-run 2>&1 | sed -n 's/: warning: code should be.*//p' | sort -u)
[ -z "$ragged" ] && exit
echo "$ragged" | head -n 20 >&2
echo "format: $(echo "$ragged" | wc -l) places; make format mends them" >&2
exit 1
