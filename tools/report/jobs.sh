# shellcheck shell=bash disable=SC2154 # tools/gpu-report reads this, and sets the variables
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs of tools/gpu-report: each has a limit, a log of its own and a row in rows.tsv.

# What a launcher prints about any program that fails.
noise='^(=|YOUR APPLICATION TERMINATED|This typically refers|Please see the FAQ| *$)'

left() {
	echo $((total - SECONDS))
}

# box_of PART: the seconds that it may take: of those left, its share beside the parts that follow it.
box_of() {
	local box
	box=$(awk -v part="$1" -v parts="$parts" -v left="$(left)" '
		BEGIN {
			n = split(parts, list)
			for (i = n; i && list[i] != part; i--)
				follows[list[i]]
		}
		$1 == part { share = $2 }
		$1 == part || $1 in follows { all += $2 }
		END { print int(left * share / all) }' <<<"$plan")
	[ "$box" -ge 5 ] || box=5
	[ "$box" -le "$(left)" ] || box=$(left)
	echo "$box"
}

# note TEXT...: a line in the part's section of the page.
note() {
	printf '* %s\n' "$*" >>"$state/$part.md"
}

# quote NLINES: adds stdin to the part's section as a block.
quote() {
	{
		echo '```'
		cut -c 1-160 | head -n "$1"
		echo '```'
	} >>"$state/$part.md"
}

# row WHAT NPES OUTCOME SECONDS LINE
row() {
	local line
	line=$(tr '\t\n|`' "   '" <<<"$5" | cut -c 1-200)
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$part" "$1" "$2" "$3" "$4" "$line" >>"$rows"
}

# last_line LOG: what a program said last.
last_line() {
	grep -avE "$noise" "$1" | tail -n 1 | sed 's/^ *//'
}

# run LIMIT LOG COMMAND...: runs it in a process group of its own, so that this script handles signals at once.
run() {
	local limit=$1 log=$2
	shift 2
	timeout -k 3 "$limit" "$@" >"$log" 2>&1 </dev/null &
	wait $! 2>/dev/null # bash would name a program that a signal ended
}

# job WHAT NPES LIMIT COMMAND...: a row by the exit status. The log is $logs/PART.WHAT.nNPES.txt.
job() {
	local what=$1 npes=$2 limit=$(($3 * slow)) log=$logs/$part.$1.n$2.txt start=$SECONDS
	local rc outcome=FAIL line='' cut=''
	shift 3
	[ "$limit" -lt "$(left)" ] || { limit=$(left) cut=1; }
	[ "$limit" -gt 1 ] || { row "$what" "$npes" 'no time' 0 ''; return 1; }
	run "$limit" "$log" "$@"
	rc=$?
	case $rc in
	0) outcome=pass ;;
	77) outcome=skip line=$(last_line "$log") ;;
	124 | 137)
		line="stopped after $limit s: $(last_line "$log")"
		[ -z "$cut" ] || outcome='no time' ;;
	*) line="exit $rc: $(last_line "$log")" ;;
	esac
	row "$what" "$npes" "$outcome" $((SECONDS - start)) "$line"
	case $rc in 0 | 77) ;; *) renew_mps ;; esac
	return $rc
}

# test_failure LOG: one line of what tests/run.sh printed of a test that failed.
test_failure() {
	local why last
	why=$(sed -n 's/^.*FAIL [^:]*: \(.*\); log .*$/\1/p' "$1" | head -n 1)
	[ -n "$why" ] || why=$(sed -n 's/^.*FAIL [^:]*: //p' "$1" | head -n 1)
	last=$(sed -n 's/^    //p' "$1" | grep -avE "$noise" | tail -n 1)
	echo "${why:-no outcome}${last:+: $last}"
}

# try TEST NPES LIMIT: one run of a test by tests/run.sh.
try() {
	local test=$1 npes=$2 limit=$(($3 * slow)) log start=$SECONDS outcome=FAIL line='' cut=''
	log=$logs/$part.$(tr / _ <<<"$test").n$npes.txt
	[ "$limit" -lt "$(left)" ] || { limit=$(left) cut=1; }
	[ "$limit" -gt 1 ] || { row "$test" "$npes" 'no time' 0 ''; return; }
	LIMIT=$limit TAIL=60 run $((limit + 10)) "$log" tests/run.sh -1 -n "$npes" "$top/tests/$test"
	case $(tail -n 1 "$log") in
	*" 0 failed, "*skipped) outcome=skip line=$(sed -n 's/^.*skip [^:]*: //p' "$log" | head -n 1) ;;
	*" 0 failed") outcome=pass ;;
	*)
		line=$(test_failure "$log")
		: >"$state/hurt"
		[ -z "$cut" ] || outcome='no time' ;;
	esac
	row "$test" "$npes" "$outcome" $((SECONDS - start)) "$line"
}

# counts_of TEST: the numbers of PEs in its source; none if it starts without a launcher.
counts_of() {
	cat "tests/$1".{hip,c} 2>/dev/null | sed -n '1,20s/^.*run: *-n *\([0-9,]*\).*/\1/p'
}

# many SECONDS NPES LIMIT TEST...: the tests that are there, $par at once, until the seconds are used up. A test
# that is for one number of PEs runs with that, unless NPES is above 2: then it has run before. A test that
# fails may have taken along those beside it; those that follow get a new MPS server.
many() {
	local end=$((SECONDS + $1)) asked=$2 limit=$3 test npes
	shift 3
	[ $end -le $((total - 3)) ] || end=$((total - 3))
	for test; do
		[ -x "$top/tests/$test" ] || continue
		[ -z "$tests" ] || grep -qxF -- "$test" <<<"$tests" || continue
		npes=$(counts_of "$test")
		case $npes in
		*,*) npes=$asked ;;
		'') npes=1 ;;
		esac
		[ "$asked" -le 2 ] || [ "$npes" -eq "$asked" ] || continue
		if [ $SECONDS -ge $end ]; then
			row "$test" "$npes" 'no time' 0 ''
			continue
		fi
		while [ "$(jobs -rp | wc -l)" -ge "$par" ]; do
			wait -n
		done
		renew_if_hurt
		try "$test" "$npes" "$limit" &
	done
	wait
	renew_if_hurt
}

renew_if_hurt() {
	[ -e "$state/hurt" ] || return 0
	wait
	rm "$state/hurt"
	renew_mps
}

# failed_lines: the rows of what failed in its first run.
failed_lines() {
	awk -F '\t' '$4 == "FAIL" && $1 != "retry" && $1 != "eager"' "$rows"
}

# ---- MPS ----

mps_dir='' mps_broken='' sharing=''

# share HOW: how two PEs share a GPU from now on: turns, mps (of this script), given (a daemon that was there),
# free (at the same time, without MPS), or own (each has its own).
share() {
	sharing=$1
	echo "$1" >"$state/sharing"
}

start_mps() {
	if [ "$PLATFORM" != nvidia ] || [ "$sharing" != turns ] || [ -n "$mps_broken" ]; then
		return 0
	fi
	[ -z "${CUDA_MPS_PIPE_DIRECTORY-}" ] || { share given; return 0; }
	command -v nvidia-cuda-mps-control >/dev/null || return 0
	mps_dir=$(mktemp -d)
	mkdir "$mps_dir/pipe" "$mps_dir/log"
	export CUDA_MPS_PIPE_DIRECTORY=$mps_dir/pipe CUDA_MPS_LOG_DIRECTORY=$mps_dir/log
	# Under MPS all processes share one pool of queues: so many each leave some for the other jobs.
	: "${CUDA_DEVICE_MAX_CONNECTIONS:=8}"
	export CUDA_DEVICE_MAX_CONNECTIONS
	share mps
	timeout 20 nvidia-cuda-mps-control -d >>"$logs/mps.txt" 2>&1 || stop_mps
}

# A client that is killed, or whose kernel fails, leaves MPS in a state in which it refuses new clients for
# seconds (cudaErrorDevicesUnavailable on an H200).
renew_mps() {
	[ -n "$mps_dir" ] || return 0
	stop_mps
	start_mps
}

stop_mps() {
	[ -n "$mps_dir" ] || return 0
	echo quit | timeout 10 nvidia-cuda-mps-control >>"$logs/mps.txt" 2>&1
	cat "$mps_dir"/log/* >>"$logs/mps.txt" 2>/dev/null
	unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
	rm -rf "$mps_dir"
	mps_dir=''
	share turns
}
