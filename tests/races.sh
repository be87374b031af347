#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
#
# gshmemcc --races names races: each case of tests/races/cases.hip, and of threads.c beside it, is reported
# once, with its two lines, when it races, and not at all when it does not; the job's status says so.
# GSHMEM_RACES has a line of JSON for each.
#
#   tests/races.sh [CASE...]

set -eu
cd "$(dirname "$0")/.."
: "${B:=build/cpu-races}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=''
fail() {
	echo "    tests/races.sh: $*"
	failed=1
}

names() {
	sed -n 's,.*/\* first: \([a-z_]*\) \*/.*,\1,p' "$@"
}

# check SOURCE NAME: a case.
check() {
	program=$work/${1##*/} name=$2 status=0
	GSHMEM_RACES=$work/$name.json $mpirun -n 3 "$program" "$name" racy >"$work/out" 2>&1 || status=$?
	lines=$(grep -nE "/\* (first|second): $name \*/" "$1" | cut -d : -f 1 | sort -n | xargs)
	found=$(sed -n "s/^  [a-z]* *by .*${1##*/}:\([0-9]*\)$/\1/p" "$work/out" | sort -n | xargs)
	[ "$status" = 1 ] || fail "$name races, and ends with status $status"
	[ "$lines" = "$found" ] || fail "$name: lines $lines race, but $found were named: $(cat "$work/out")"
	[ "$(wc -l <"$work/$name.json")" = 1 ] && python3 -m json.tool "$work/$name.json" >/dev/null ||
		fail "$name: GSHMEM_RACES has $(cat "$work/$name.json")"
	$mpirun -n 3 "$program" "$name" >"$work/out" 2>&1 || fail "$name, repaired: $(cat "$work/out")"
}

mpirun=$(tests/run.sh -l)
ndone=0
for source in tests/races/cases.hip tests/races/threads.c; do
	"$B/bin/gshmemcc" -g -O1 -pthread -fopenmp "$source" -o "$work/${source##*/}"
	for name in $(names "$source"); do
		case " ${*:-$name} " in *" $name "*) check "$source" "$name" && ndone=$((ndone + 1)) ;; esac
	done
done
[ $ndone -gt 0 ] || fail "no cases"
[ -z "$failed" ]
