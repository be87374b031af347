#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
#
# gshmemcc --races names races: each case of tests/races/cases.hip, and of threads.c beside it, is reported
# once, with its two lines, when it races, and not at all when it does not; the job's status says so.
# GSHMEM_RACES has a line of JSON for each. What cannot be watched any more ends the job.
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
	rm -f "$work/$name.json"
	GSHMEM_RACES=$work/$name.json $mpirun -n 3 "$program" "$name" racy >"$work/out" 2>&1 || status=$?
	lines=$(grep -nE "/\* (first|second): $name \*/" "$1" | cut -d : -f 1 | sort -n | xargs)
	found=$(sed -n "s/^  [a-z]* *by .*${1##*/}:\([0-9]*\)$/\1/p" "$work/out" | sort -n | xargs)
	[ "$status" = 1 ] || fail "$name races, and ends with status $status"
	[ "$lines" = "$found" ] || fail "$name: lines $lines race, but $found were named: $(cat "$work/out")"
	[ "$(wc -l <"$work/$name.json")" = 1 ] && python3 -m json.tool "$work/$name.json" >/dev/null ||
		fail "$name: GSHMEM_RACES has $(cat "$work/$name.json")"
	$mpirun -n 3 "$program" "$name" >"$work/out" 2>&1 || fail "$name, repaired: $(cat "$work/out")"
}

# Whether the case is one of those that are asked for.
wanted() {
	case " ${only:-$1} " in *" $1 "*) ndone=$((ndone + 1)) ;; *) return 1 ;; esac
}

mpirun=$(tests/run.sh -l)
only=$* ndone=0
for source in tests/races/cases.hip tests/races/threads.c; do
	"$B/bin/gshmemcc" -g -O1 -pthread -fopenmp "$source" -o "$work/${source##*/}"
	for name in $(names "$source"); do
		! wanted "$name" || check "$source" "$name"
	done
done

# A kernel that many have followed is remembered by its line alone.
if wanted old; then
	$mpirun -n 3 "$work/cases.hip" old racy >"$work/out" 2>&1 || true
	grep -q ', an earlier kernel, thread 0: gshmem_long_p ' "$work/out" || fail "old: $(cat "$work/out")"
fi

# The job ends when a thread has made as many steps as can be counted.
if wanted steps; then
	status=0
	timeout 60 $mpirun -n 3 "$work/cases.hip" steps >"$work/out" 2>&1 || status=$?
	[ "$status" -ne 0 ] && [ "$status" -ne 124 ] && grep -q '2^32 steps' "$work/out" ||
		fail "steps: status $status: $(cat "$work/out")"
fi

# A program is linked with OpenMP although all its calls of it are wrapped.
if wanted openmp; then
	cat >"$work/openmp.c" <<-END
		#include <shmem.h>
		static int n;
		int main(void)
		{
			shmem_init();
		#pragma omp parallel sections num_threads(2)
			{
		#pragma omp section
		#pragma omp critical
				n++;
		#pragma omp section
		#pragma omp critical
				n++;
			}
			shmem_finalize();
			return n != 2;
		}
	END
	"$B/bin/oshcc" -fopenmp "$work/openmp.c" -o "$work/openmp"
	$mpirun -n 2 "$work/openmp" >"$work/out" 2>&1 || fail "openmp: $(cat "$work/out")"
fi

# The same by clang, where it is installed, and without a warning.
if wanted clang && command -v clang++-19 >/dev/null; then
	GSHMEM_HIPCC=clang++-19 "$B/bin/gshmemcc" -g -O1 tests/races/cases.hip -o "$work/cases.hip" >"$work/out" 2>&1
	[ ! -s "$work/out" ] || fail "clang: $(cat "$work/out")"
	check tests/races/cases.hip no_fence
	check tests/races/cases.hip function
fi
[ $ndone -gt 0 ] || fail "no cases"
[ -z "$failed" ]
