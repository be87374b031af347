#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1800
#
# Each bench runs once for a moment: one size, one batch. All rows of its table are there, which
# tests/benches.rows lists (bench, number of PEs, op, scope, pes), its data is right, and plot.sh draws it.
#
#   tests/benches.sh [BENCH...]
#   tests/benches.sh -u           write the rows that are there to tests/benches.rows
#   tests/benches.sh -l           list the runs, such as put_lat.n2, and run nothing
#
# B names the build, MPIRUN the launcher. net_rma and node_lat are for nodes: make bench-nodes.

cd "$(dirname "$0")/.." || exit
: "${B:=build/cpu}" "${MPIRUN:=$(tests/run.sh -l)}"
export MPIRUN
update='' list=''
[ "${1-}" != -u ] || { update=1; shift; }
[ "${1-}" != -l ] || { list=1; shift; }
[ -z "$update$list" ] || [ $# -eq 0 ] || { echo "usage: tests/benches.sh [BENCH...] | -u | -l"; exit 2; }
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
nfailed=0

fail() {
	echo "tests/benches.sh: $*"
	nfailed=$((nfailed + 1))
}

# key NAME SOURCE: the value of a line such as /* run: -n 2 */
key() {
	sed -n "1,20s@^/\* $1: *\(.*\) \*/@\1@p" "$2"
}

# npes_of BENCH: the numbers of PEs that it runs with; 0 means without a launcher.
npes_of() {
	local counts
	counts=$(key run "bench/$1.hip" | sed 's/.*-n *//')
	echo "${counts:-0}" | tr , ' '
}

# name_of BENCH NPES
name_of() {
	echo "$1.n$(($2 ? $2 : 1))"
}

# measure BENCH NPES
measure() {
	local launch='' name given nbytes=1024 tsv
	name=$(name_of "$1" "$2")
	tsv=$work/$name.tsv
	[ "$2" -eq 0 ] || launch="$MPIRUN -n $2"
	case $1 in # these begin elsewhere, or leave sizes out
	rpc_stream_bw) nbytes=4096 ;;
	win_accumulate) nbytes=8 ;;
	esac
	given=$(key args "bench/$1.hip")
	# Lists of words; the last of two equal options counts.
	# shellcheck disable=SC2086
	timeout -k 5 300 $launch "$B/bench/$1" $given -b $nbytes:$nbytes -a 1 -t 50 \
		>"$tsv" 2>"$work/log" </dev/null || {
		fail "$name: exit $? or no end within 300 s: $(tail -n 5 "$work/log")"
		return
	}
	if grep -q FAIL "$tsv" "$work/log"; then
		fail "$name: $(grep -h FAIL "$tsv" "$work/log")"
	fi
	awk -F '\t' -v name="$name" '
		/^#/ || $1 == "op" { next }
		NF != 12 || $7 + 0 <= 0 && $7 != 0 { print "a row without figures: " $0; exit 1 }
		{ print name, $1, $2, $4 }' "$tsv" | sort -u >"$work/rows"
	if [ "${PIPESTATUS[0]}" -ne 0 ]; then
		fail "$name: $(grep 'without figures' "$work/rows")"
		return
	fi
	[ -s "$work/rows" ] || fail "$name: no rows"
	if [ -n "$update" ]; then
		cat "$work/rows" >>"$work/all"
	elif ! diff <(grep "^$name " tests/benches.rows | LC_ALL=C sort) <(LC_ALL=C sort "$work/rows") \
		>"$work/diff"; then
		fail "$name: rows that are missing (<), or not in tests/benches.rows (>):"
		grep '^[<>]' "$work/diff"
	fi
}

some=$#
# shellcheck disable=SC2046 # words
[ $some -gt 0 ] ||
	set -- $(cd bench && ls ./*.hip | sed 's,^./,,;s,\.hip$,,' | grep -vx -e net_rma -e node_lat)
if [ -n "$list" ]; then
	for bench; do
		for npes in $(npes_of "$bench"); do
			name_of "$bench" "$npes"
		done
	done
	exit
fi
for bench; do
	[ -x "$B/bench/$bench" ] || { fail "$bench: does not build"; continue; }
	for npes in $(npes_of "$bench"); do
		measure "$bench" "$npes"
	done
done
if [ -n "$update" ]; then
	[ $nfailed -eq 0 ] || exit 1
	{
		echo "# SPDX-License-Identifier: BSD-3-Clause"
		echo "# The rows of the benches on the cpu platform: tests/benches.sh -u writes them."
		LC_ALL=C sort "$work/all"
	} >tests/benches.rows
	exit
fi
if [ $some -eq 0 ]; then
	for name in $(grep -v '^#' tests/benches.rows | cut -d ' ' -f 1 | uniq); do
		[ -e "$work/$name.tsv" ] || fail "$name: is in tests/benches.rows, and does not run"
	done
	tests/plot.sh "$work" || nfailed=$((nfailed + 1))
fi
[ $nfailed -eq 0 ]
