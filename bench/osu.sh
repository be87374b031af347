#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/osu.sh [-l] [-s SCOPES] [-n NPES] [-b MIN:MAX] [-a COUNT] [-t US] [TEST...] - run benches of this
# folder and print what they measure in the layout of the OSU micro-benchmarks. `make bench-osu` calls it.
#
# A TEST has the name of the OSU program whose layout it takes: osu_oshm_put, osu_oshm_get, osu_oshm_put_mr,
# osu_oshm_atomics, osu_oshm_barrier, osu_oshm_broadcast, osu_oshm_fcollect, osu_oshm_reduce, osu_alltoall.
# Without a TEST all of them run.
#
#   -s SCOPES   who makes the calls: host,thread,wg unless said; a test prints those that its bench measures
#   -n NPES     the number of PEs of barrier and collectives: 2 unless said
#   -b MIN:MAX  bytes: 1:1048576 unless said
#   -a, -t      alternations, and the length of a batch, as for the benches
#   -l          run nothing: print the programs that the tests need
#
# B is the build, build/cpu unless said. The benches' own tables stay in TABLES, $B/bench/osu unless said.
# README.md says what differs from OSU.

cd "$(dirname "$0")/.." || exit 1
: "${B:=build/cpu}" "${TABLES:=$B/bench/osu}"
list='' scopes=host,thread,wg npes=2 bytes=1:1048576 arguments=()
while getopts ls:n:b:a:t: opt; do
	case $opt in
	l) list=1 ;;
	s) scopes=$OPTARG ;;
	n) npes=$OPTARG ;;
	b) bytes=$OPTARG ;;
	a | t) arguments+=("-$opt" "$OPTARG") ;;
	*) sed -n '4,19s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# Test, bench, the raw program that it starts on the cpu platform, op, columns, and OSU's title.
tests='osu_oshm_put       put_lat     copy    put_lat     latency Put Test
osu_oshm_get       get_lat     copy    get_lat     latency Get Test
osu_oshm_put_mr    put_mr      copy    put_mr      rate    Put Message Rate Test
osu_oshm_atomics   amo_ops     -       -           atomics Atomic Operation Rate Test
osu_oshm_barrier   barrier_lat barrier barrier_lat barrier Barrier Latency Test
osu_oshm_broadcast coll_lat    -       broadcast   average Broadcast Latency Test
osu_oshm_fcollect  coll_lat    -       fcollect    average FCollect Latency Test
osu_oshm_reduce    coll_lat    -       sum_reduce  average Reduce Latency Test
osu_alltoall       coll_lat    -       alltoall    average All-to-All Personalized Exchange Latency Test'

# shellcheck disable=SC2046 # words
[ $# -gt 0 ] || set -- $(echo "$tests" | cut -d ' ' -f 1)
wanted=''
for test; do
	line=$(echo "$tests" | grep "^$test ") || {
		echo "osu.sh: no test $test; there are:" >&2
		echo "$tests" | cut -d ' ' -f 1 >&2
		exit 2
	}
	wanted+=$line$'\n'
done
if [ -n "$list" ]; then
	echo -n "$wanted" | awk -v b="$B/bench/" '{ print b $2; if ($3 != "-") print b "raw/" $3 }' | sort -u
	exit
fi

version=$(sed -n 's/^VERSION *:= *//p' Makefile)
mpirun=$(tests/run.sh -l)
mkdir -p "$TABLES" && rm -f "$TABLES"/*.tsv || exit 1

# measure BENCH: its table, once.
measure() {
	local with=(-s "$scopes" -b "$bytes") n=2
	[ ! -e "$TABLES/$1.tsv" ] || return 0
	case $1 in
	barrier_lat | coll_lat) n=$npes ;;
	*) with+=(-d one) ;;
	esac
	# The launcher may come with arguments.
	if ! $mpirun -n "$n" "$B/bench/$1" "${with[@]}" "${arguments[@]}" \
		>"$TABLES/$1.new" 2>"$TABLES/$1.log" </dev/null; then
		echo "osu.sh: $1 failed:" >&2
		cat "$TABLES/$1.log" >&2
		return 1
	fi
	mv "$TABLES/$1.new" "$TABLES/$1.tsv"
}

# section SCOPE TEST BENCH RAW OP COLUMNS TITLE: the rows of the bench at this scope, in OSU's layout.
section() {
	local scope=$1 test=$2 bench=$3 op=$5 columns=$6
	shift 6
	awk -F '\t' -v scope="$scope" -v op="$op" -v columns="$columns" -v title="$* vgshmem-$version" \
		-v own="gshmem's own measurement, bench/$bench, calls by: $scope" \
		-v like="laid out like $test, which did not run" '
	function heading()
	{
		if (nrows++) return
		printf "\n# OSU OpenSHMEM %s\n# %s; %s\n%s\n", title, own, like, machine
		if (columns == "atomics")
			printf "%-20s%20s%20s\n", "# Operation", "Million ops/s", "Latency (us)"
		if (columns == "barrier") print "# Avg Latency(us)"
		if (columns == "latency") printf "%-10s%20s\n", "# Size", "Latency (us)"
		if (columns == "average") printf "%-10s%20s\n", "# Size", "Avg Latency(us)"
		if (columns == "rate") printf "%-10s%20s\n", "# Size", "Messages/s"
	}
	/^#/ { if (!machine) machine = $0; next }
	$1 == "op" || $2 != scope || (op != "-" && $1 != op) { next }
	{ heading() }
	columns == "atomics" {
		sub("_fetch_add", "_fadd", $1)
		sub("_fetch_inc", "_finc", $1)
		sub("_compare_swap", "_cswap", $1)
		printf "%-20s%20.2f%20.5f\n", "shmem_" $1, 1 / $7, $7
		next
	}
	columns == "barrier" { printf "%17.5f\n", $7; next }
	columns == "rate" { printf "%-10d%20.2f\n", $3, 1e6 / $7; next }
	{ printf "%-10d%20.5f\n", $3, $7 }' "$TABLES/$bench.tsv"
}

status=0
while read -r line; do
	# shellcheck disable=SC2086 # words
	set -- $line
	measure "$2" || { status=1; continue; }
	for scope in ${scopes//,/ }; do
		section "$scope" "$@"
	done
done < <(echo -n "$wanted")
exit $status
