#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 240
#
# Runs bench/osu.sh for the shortest of times, and reads its output as tools read OSU's: a title, the names of
# the columns, and rows of figures above 0. B names the build.

cd "$(dirname "$0")/.." || exit
: "${B:=build/cpu}"
work=$(mktemp -d) || exit
export B TABLES=$work
trap 'rm -rf "$work"' EXIT

fail() {
	cat "$work/out"
	echo "tests/osu.sh: $*"
	exit 1
}

# expect TEST SCOPES ROWS COLUMNS TITLE: the sections of one test, one for each scope.
expect() {
	local test=$1 scopes=$2 rows=$3 columns=$4
	shift 4
	for scope in $scopes; do
		awk -v title="# OSU OpenSHMEM $* v" -v by="calls by: $scope; laid out like $test," \
			-v columns="$columns" '
			/^# OSU / { is_title = index($0, title) == 1; ours = 0; next }
			/^# gshmem/ { ours = is_title && index($0, by); nfound += ours > 0; next }
			!ours { next }
			/^#/ { gsub(/ +/, " "); named += $0 == columns; next }
			NF {
				nrows++
				for (i = 1 + ($1 ~ /^shmem_/); i <= NF; i++)
					wrong += $i !~ /^[0-9]+(\.[0-9]+)?$/ || $i <= 0
			}
			END { print nfound + 0, named + 0, nrows + 0, wrong + 0 }' "$work/out" >"$work/found"
		read -r sections named n wrong <"$work/found"
		[ "$sections $named $n $wrong" = "1 1 $rows 0" ] ||
			fail "$test, scope $scope: expected one section with $columns and $rows rows; found \
$sections, with these columns $named, $n rows, $wrong figures that are no number above 0"
	done
}

bench/osu.sh -b 4:16 -a 1 -t 20 >"$work/out" || fail "exit $?"
expect osu_oshm_put "host thread wg" 3 "# Size Latency (us)" "Put Test"
expect osu_oshm_get "host thread wg" 3 "# Size Latency (us)" "Get Test"
expect osu_oshm_put_mr "host thread wg" 3 "# Size Messages/s" "Put Message Rate Test"
expect osu_oshm_atomics "host thread" 12 "# Operation Million ops/s Latency (us)" "Atomic Operation Rate Test"
expect osu_oshm_barrier "host thread wg" 1 "# Avg Latency(us)" "Barrier Latency Test"
expect osu_oshm_broadcast "host wg" 3 "# Size Avg Latency(us)" "Broadcast Latency Test"
expect osu_oshm_fcollect "host wg" 3 "# Size Avg Latency(us)" "FCollect Latency Test"
expect osu_oshm_reduce "host wg" 3 "# Size Avg Latency(us)" "Reduce Latency Test"
expect osu_alltoall "host wg" 3 "# Size Avg Latency(us)" "All-to-All Personalized Exchange Latency Test"

# The names of the atomics, and rates: a message's, and an atomic's beside its latency.
for type in int longlong; do
	for op in fadd finc add inc cswap swap; do
		grep -q "^shmem_${type}_$op " "$work/out" || fail "no row shmem_${type}_$op"
	done
done
us=$(awk -F '\t' '$1 == "put_mr" && $2 == "host" && $3 == 4 { print $7 }' "$work/put_mr.tsv")
awk -v us="$us" '
	/^# OSU/ { rate = /Message Rate/ }
	/^# gshmem/ { host = /calls by: host/ }
	rate && host && $1 == 4 { nrates += ($2 * us / 1e6 - 1) ^ 2 < 1e-4 }
	/^shmem_/ { wrong += ($2 * $3 - 1) ^ 2 > 1e-2 }
	END { exit nrates != 1 || wrong }' "$work/out" || fail "rates that do not fit the time of one, $us us"

bench/osu.sh -s host -a 1 -t 20 osu_oshm_barrier >"$work/out" || fail "one test: exit $?"
[ "$(grep -c '^# OSU' "$work/out")" -eq 1 ] || fail "one test by one scope: not one section"
if bench/osu.sh osu_oshm_nothing >"$work/out" 2>&1; then
	fail "ran a test that does not exist"
fi
