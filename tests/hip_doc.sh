#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The table of HIP's calls in docs/cpu-platform.md has all that the platform's headers declare, and says of no
# other that it is given.

cd "$(dirname "$0")/.." || exit
status=0
complain() {
	echo "hip_doc: $*" >&2
	status=1
}

work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
sed -n "/^## HIP's runtime API/,/^## Variables/p" docs/cpu-platform.md | awk -F '|' 'NF >= 5 { print $3 }' |
	grep -oE '`hip[A-Z][A-Za-z0-9_]*`' | tr -d '`' | sort -u >"$work/given"
cat platform/cpu/hip/*.h >"$work/headers"
grep -oE '^[[:space:]]*(template.*> *)?(static )?(inline )?(hipError_t |const char \*)hip[A-Z][A-Za-z0-9_]*\(' "$work/headers" |
	grep -oE 'hip[A-Z][A-Za-z0-9_]*\($' | tr -d '(' | sort -u >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 100 ] || complain "only $(wc -l <"$work/declared") declarations are seen"
for name in $(comm -13 "$work/given" "$work/declared"); do
	complain "docs/cpu-platform.md does not have $name"
done
for name in $(comm -23 "$work/given" "$work/declared"); do
	grep -qE "\\b$name\\(" "$work/headers" || complain "docs/cpu-platform.md gives $name, and no header does"
done
exit $status
