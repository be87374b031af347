#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs that were linked with the last release find all of its names, each with its version. tests/abi has
# the list of that release. The test prints the names that are new; they must not have the version of an older
# one. What the code of headers calls (GSHMEM_UNITS) may go when GSHMEMI_ABI is another one, because the
# library then refuses the programs that call it. B names the build. docs/versions.md says what is promised.

cd "$(dirname "$0")/.." || exit
: "${B:=build/cpu}"
status=0
complain() {
	echo "abi: $*" >&2
	status=1
}

# spelled_out LIST: LIBRARY NAME VERSION of each name of the list.
spelled_out() {
	awk '
		function add(name) {
			print library, name, version
			if (is_double)
				print library, "p" name, version
		}
		$1 == "library" { library = $2; version = $3; is_double = $4 == "p"; next }
		/^of/ { words = ($1 == "of+" ? words " " : "") substr($0, length($1) + 2); next }
		/^\t/ {
			n = split(words, word, " ")
			for (i = 1; i <= NF; i++) {
				if ($i !~ /%/)
					add($i)
				for (k = 1; k <= n && $i ~ /%/; k++) {
					name = $i
					sub(/%/, word[k], name)
					add(name)
				}
			}
		}' "$1" | LC_ALL=C sort
}

# exported LIBRARY: the same of a library of the build.
exported() {
	nm -D --defined-only "$B/lib/$1" |
		awk -v library="$1" '$2 != "A" { split($3, word, /@+/); print library, word[1], word[2] }'
}

work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
list=$(printf '%s\n' tests/abi/[0-9]* | sort -V | tail -n 1)
spelled_out "$list" >"$work/old"
[ "$(wc -l <"$work/old")" -gt 1000 ] || complain "$list: cannot be read"
for library in libgshmem.so libgshmem_shmem.so; do
	exported "$library"
done | grep -v ' GSHMEM_PRIVATE$' | LC_ALL=C sort >"$work/now"
[ -s "$work/now" ] || complain "$B/lib: no names"
grep -q ' HIP_CPU$' "$work/now" || sed -i '/ HIP_CPU$/d' "$work/old" # another platform
if ! grep -qx "#define GSHMEMI_ABI  *$(sed -n 's/^abi //p' "$list")" include/gshmem/state/state.h; then
	sed -i '/ GSHMEM_UNITS$/d' "$work/old"
fi

LC_ALL=C comm -23 "$work/old" "$work/now" >"$work/gone"
LC_ALL=C comm -13 "$work/old" "$work/now" >"$work/new"
while read -r library name version; do
	complain "$library no longer has $name of $version, which programs of ${list##*/} may need"
done <"$work/gone"
while read -r library name version; do
	echo "new since ${list##*/}: $library: $name, $version"
	[[ $version != GSHMEM_[0-9]* ]] || ! grep -q "^$library [^ ]* $version$" "$work/old" ||
		complain "$name is new: list it in src/exports.map, under a version that ${list##*/} has not"
done <"$work/new"
exit $status
