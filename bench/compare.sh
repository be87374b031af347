#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/compare.sh [-t] [-r ROUNDS] [-l LIMIT] SIDE SIDE ['BENCH ARGUMENTS'...] - run the same benches
# alternately on two sides, and print how much longer each row takes on the second. A side is a list of
# variables: those of the library, B (where its benches are) and N (its number of PEs):
#
#   bench/compare.sh GSHMEM_NET=0 GSHMEM_NET=1     what an idle net thread costs direct operations
#   bench/compare.sh B=../before/build/cpu B=build/cpu p_quiet_lat 'put_bw -s thread -b 64:1024'
#
# Each round (5 of them) runs each bench once on each side. A round's ratio is that of its two medians; a
# row's ratio is the median over the rounds. Rows above LIMIT (1.05) say OVER. On a busy machine some do by
# chance; comparing two equal sides shows how many. The last line is the median of all rows. The exit status
# is 0 whatever the figures are.
#
#   -t   print the columns of a bench's table instead, for ratios.sh: the second side is ours, the first raw
#
# MPIRUN is the launcher, with arguments if need be.

rounds=5 limit=1.05 table=0
while getopts tr:l: opt; do
	case $opt in
	t) table=1 ;;
	r) rounds=$OPTARG ;;
	l) limit=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { sed -n '4,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
sides=("$1" "$2")
shift 2
# Each operation and scope, a few sizes.
[ $# -gt 0 ] || set -- p_quiet_lat p_rate g_lat amo_lat amo_rate \
	'put_signal_lat -s thread,host' 'barrier_lat -s thread,host' \
	'put_lat -s thread,wave,host -b 8:1024 -d one' 'get_lat -s thread,wave,host -b 8:1024 -d one' \
	'put_bw -s thread,host -b 64:1048576 -d one' 'get_bw -s thread,host -b 64:1048576 -d one' \
	'coll_lat -s host -b 8:4096' 'rpc_lat -s thread,host' launch_lat

mpirun=$(tests/run.sh -l)
figures=$(mktemp) || exit 1
trap 'rm -f "$figures"' EXIT

# run SIDE ROUND BENCH ARGUMENTS...: adds lines of "side round op scope bytes pes us".
run() {
	local side=$1 round=$2 bench=$3 npes
	shift 3
	npes=$(sed -n 's@^/\* run: -n \([0-9]*\).*@\1@p' "bench/$bench.hip")
	# Not quoted: lists of words.
	# shellcheck disable=SC2086,SC2163
	(export B=build/cpu ${sides[side]}; exec $mpirun -n "${N:-${npes:-2}}" "$B/bench/$bench" "$@") </dev/null |
		awk -F '\t' -v side="$side" -v round="$round" \
			'!/^#/ && $1 != "op" { print side, round, $1, $2, $3, $4, $7 }' >>"$figures"
	[ "${PIPESTATUS[0]}" -eq 0 ] || echo "compare.sh: $bench failed: ${sides[side]}" >&2
}

for ((round = 0; round < rounds; round++)); do
	for bench; do
		# shellcheck disable=SC2086
		for ((i = 0; i < 2; i++)); do
			run $(((round + i) % 2)) $round $bench
		done
	done
done

awk -v limit="$limit" -v table="$table" -v first="${sides[0]}" -v second="${sides[1]}" '
function median(v, n,    i, j, t)
{
	for (i = 1; i <= n; i++)
		for (j = i + 1; j <= n; j++)
			if (v[j] < v[i]) { t = v[i]; v[i] = v[j]; v[j] = t }
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
{
	row = $3 " " $4 " " $5 " " $6
	if (!(row in known)) { known[row]; rows[++nrows] = row }
	us[$1, $2, row] = $7
	if ($2 >= nrounds) nrounds = $2 + 1
}
END {
	printf "# us: %s; %s\n", first, second
	if (table)
		print "op\tscope\tbytes\tpes\treps\tmin_us\tmedian_us\tmax_us\tGB_s\traw_us\traw_GB_s\tratio"
	else
		printf "%-22s %-7s %9s %3s %12s %12s %7s\n", "op", "scope", "bytes", "pes", "first, us", "second, us", "ratio"
	for (r = 1; r <= nrows; r++) {
		n = 0
		for (round = 0; round < nrounds; round++)
			if ((0, round, rows[r]) in us && (1, round, rows[r]) in us && us[0, round, rows[r]] > 0) {
				a[++n] = us[0, round, rows[r]]; b[n] = us[1, round, rows[r]]; q[n] = b[n] / a[n]
			}
		if (!n) continue
		split(rows[r], word, " ")
		ratio = median(q, n)
		all[++nall] = ratio
		nover += ratio > limit
		if (table) {
			middle = median(b, n)
			printf "%s\t%s\t%s\t%s\t%d\t%.5g\t%.5g\t%.5g\t-\t%.5g\t-\t%.3f\n", word[1], word[2], word[3], word[4], n,
				b[1], middle, b[n], median(a, n), ratio
			continue
		}
		printf "%-22s %-7s %9s %3s %12.5g %12.5g %7.3f  %s\n", word[1], word[2], word[3], word[4],
			median(a, n), median(b, n), ratio, (ratio > limit ? "OVER" : "within")
	}
	if (!nall || table) exit
	m = median(all, nall)
	printf "%d rows, %d of them above %s; median of all %.3f  %s\n", nall, nover, limit, m,
		(m > limit ? "OVER" : "within")
}' "$figures"
