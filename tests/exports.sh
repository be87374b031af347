#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# libgshmem.so exports what its maps list and nothing else: each listed name is there, each name that is not of
# the API is in a header that programs include, and every name has a version. B names the build. The code that
# headers put into programs calls at most 60 names of the library.

cd "$(dirname "$0")/.." || exit
: "${B:=build/cpu}"
status=0
complain() {
	echo "exports: $*" >&2
	status=1
}

# names NODE MAP: the names, not patterns, that a map lists for a version.
names() {
	awk -v node="$1" '$2 == "{" { here = $1 == node } here && /^\t\t[a-zA-Z_0-9]+;$/ { print substr($1, 1, length($1) - 1) }' "$2"
}

# exported LIBRARY: NAME VERSION of each symbol.
exported() {
	nm -D --defined-only "$1" | awk '$2 != "A" { n = split($3, word, /@+/); print word[1], (n > 1 ? word[2] : "none") }'
}

# each NODE MAP LIBRARY HEADER...: the names of a version are exported, and the headers have them.
each() {
	local node=$1 map=$2 library=$3 name
	shift 3
	while read -r name; do
		grep -qx "$name $node" "$work/$library" || complain "$map lists $name, which $library does not export"
		[ $# -eq 0 ] || grep -qrw "$name" "$@" || complain "$map lists $name, which no header has"
	done < <(names "$node" "$map")
}

work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
for library in libgshmem.so libgshmem_shmem.so; do
	exported "$B/lib/$library" >"$work/$library" || exit
	[ -s "$work/$library" ] || complain "$B/lib/$library exports nothing"
	! grep ' none$' "$work/$library" >&2 || complain "$library: these have no version"
done
each GSHMEM_UNITS src/exports.map libgshmem.so include
each GSHMEM_PRIVATE src/exports.map libgshmem.so
each SHMEM_1.6 src/shmem/exports.map libgshmem_shmem.so
! grep -q ' HIP_CPU$' "$work/libgshmem.so" ||
	each HIP_CPU platform/cpu/exports.map libgshmem.so platform/cpu/hip include/gshmem/arch/cpu.h
nm -D --undefined-only "$B/lib/libgshmem_shmem.so" >"$work/used" || exit
for name in $(names GSHMEM_PRIVATE src/exports.map); do
	grep -qw "$name@GSHMEM_PRIVATE" "$work/used" ||
		complain "src/exports.map lists $name, which libgshmem_shmem.so does not use"
done
nunits=$(grep -c ' GSHMEM_UNITS$' "$work/libgshmem.so")
[ "$nunits" -le 60 ] || complain "$nunits names are for the code of headers, more than 60"
echo "$(wc -l <"$work/libgshmem.so") names, $nunits of them for units"
exit $status
