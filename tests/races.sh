#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
#
# gshmemcc --races names races: each case of tests/races/cases.hip is reported once, with its two lines, when it
# races, and not at all when it does not; the job's status says so. GSHMEM_RACES has a line of JSON for each.
#
#   tests/races.sh [CASE...]

set -eu
cd "$(dirname "$0")/.."
: "${B:=build/cpu-races}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=tests/races/cases.hip
failed=''
fail() {
	echo "    tests/races.sh: $*"
	failed=1
}

"$B/bin/gshmemcc" -g -O1 "$source" -o "$work/cases"
mpirun=$(tests/run.sh -l)
[ $# -gt 0 ] || set -- $(sed -n 's,.*/\* first: \([a-z_]*\) \*/.*,\1,p' "$source")
[ $# -gt 0 ] || fail "no cases"
for name; do
	status=0
	GSHMEM_RACES=$work/$name.json $mpirun -n 3 "$work/cases" "$name" racy >"$work/out" 2>&1 || status=$?
	lines=$(grep -nE "/\* (first|second): $name \*/" "$source" | cut -d : -f 1 | sort -n | xargs)
	found=$(sed -n 's/^  [a-z]* *by .*cases.hip:\([0-9]*\)$/\1/p' "$work/out" | sort -n | xargs)
	[ "$status" -ne 0 ] || fail "$name races, and ends with status 0"
	[ "$lines" = "$found" ] || fail "$name: lines $lines race, but $found were named: $(cat "$work/out")"
	[ "$(wc -l <"$work/$name.json")" = 1 ] && python3 -m json.tool "$work/$name.json" >/dev/null ||
		fail "$name: GSHMEM_RACES has $(cat "$work/$name.json")"
	$mpirun -n 3 "$work/cases" "$name" >"$work/out" 2>&1 || fail "$name, repaired: $(cat "$work/out")"
done
[ -z "$failed" ]
