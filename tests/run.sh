#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/run.sh - run test programs and count the outcomes, or run benches and keep their tables. `make check`
# and `make bench` call it.  By hand: tests/run.sh -n 2,4 build/cpu/tests/put
#
#   -n COUNTS  numbers of PEs, in place of those that a source names
#   -e ALTS    environment for every program, as in `env:` below, but its alternatives take turns from run to
#              run; runs that set the same variable themselves are left out
#   -1         each program once: with two or more PEs if possible, and the first alternative of its environment;
#              those with many jobs run a third of them (T_THIRD, which t_left_out of helpers.h reads), unless
#              FULL=1
#   -c FILE    write "passed failed skipped" to FILE, and the seconds of each run to FILE.runs
#   -s         no programs but files of -c: print their sum, and where the time went; a missing file counts as
#              one failure
#   -l         no programs: print the launcher, behind the variables that its jobs need
#   -k         no programs: print its kind: openmpi, or hydra
#   -b         benches: stdout is a table, printed and kept in build/.../bench/NAME.nN.tsv
#
# A source says in comments on separate lines, among its first 20, how it is run (`#` in shell):
#
#   /* run: -n 2,8 */             under mpirun, once for each count; without -n, or without this line: directly
#   /* env: A=1 B=2 | A=3 */      once for each alternative (words with no blank in them)
#                                  (GSHMEM_CPU_* is left out on other platforms)
#                                  each entry of both lists is run, in pairs; FULL=1 runs each with each.
#                                  TURN=n starts elsewhere: other pairs, and with -1 another run
#   /* args: 10 20 */             arguments
#   /* timeout: 300 */            seconds until it counts as hanging (60; a bench 600; 5 times that with SAN=)
#   /* mpirun: -some-flag */      more flags for the launcher
#
# Exit status of a program: 0 passed, 77 skipped, anything else failed. A skip that tests/skips does not list
# is a failure, too, and so is a program that leaves files in TMPDIR, a folder that each run has of its own.
#
# Runs go side by side, one and a half per core, because many of them only wait. Runs with more PEs than cores
# go one after the other, and so do all runs on GPUs (PLATFORM is not cpu): a heap takes a part of the GPU's
# memory, and PEs on one GPU take turns. For that a run gets SLOW times as many seconds (5 with GPUs, else 1).
#
# On pretended nodes (NODES, NNODES and PPN, of tests/nodes.sh) a program with several numbers of PEs runs
# with as many as the nodes have. With SIM the programs take libamdhip64.so or libhsa-runtime64.so from that
# folder: a simulated GPU, for which runs share the cores as without GPUs. There -1 takes no number of PEs
# above 8 if the source names a smaller one: sixteen PEs that wait for one by launching kernels take ten
# minutes on two cores. MPIRUN names the launcher, LIMIT the seconds of every run.
# V=1 also prints the runs that pass; TAIL=50 prints more lines of a log.
#
# On the cpu platform a run leaves a list of the kernels that it launches beside its log (NAME.launches), for
# tests/isa/fits.py.

export GSHMEM_CONFIG=/dev/null # not the settings of who runs the tests
set -uf # no globbing: words from the sources are split, not expanded
ulimit -c 0
counts='' alts='' once='' counts_file='' bench='' sum='' launcher=''
while getopts n:e:1c:slkb opt; do
	case $opt in
	n) counts=$OPTARG ;;
	e) alts=$OPTARG ;;
	1) once=1 ;;
	c) counts_file=$OPTARG ;;
	s) sum=1 ;;
	l) launcher=1 ;;
	k) launcher=kind ;;
	b) bench=1 ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# summary PASSED FAILED SKIPPED: print the last line, and return the exit status.
summary() {
	[ -z "$counts_file" ] || echo "$1 $2 $3" >"$counts_file"
	if [ "$3" -gt 0 ]; then
		echo "$1 passed, $2 failed, $3 skipped"
	else
		echo "$1 passed, $2 failed"
	fi
	[ "$2" -eq 0 ]
}

# where_time_went RUNS...: summarize lines of "outcome seconds, seconds of CPU, what".
where_time_went() {
	cat /dev/null "$@" | sort -k 2,2nr | awk '
		{ n++; all += $2; cpu += $3; line = sprintf("  %6.1f s, %5.1f of CPU ", $2, $3)
		  $1 = $2 = $3 = ""; if (n <= 5) slow[n] = line $0 }
		END { if (n > 1) { printf "%d runs took %d s one after the other, %d of CPU; the longest:\n", n, all, cpu
			for (i = 1; i <= n && i <= 5; i++) print slow[i] } }'
}

if [ -n "$sum" ]; then
	p=0 f=0 s=0 runs=()
	for file; do
		if read -r a b c 2>/dev/null <"$file"; then
			p=$((p + a)) f=$((f + b)) s=$((s + c))
			built=$(cat "$file.built" 2>/dev/null)
			took=$(cat "$file.took" 2>/dev/null)
			echo "${file##*/}: $a passed, $b failed, $c skipped${took:+; $took s${built:+, $built of them to build}}"
			[ ! -e "$file.runs" ] || runs+=("$file.runs")
		else
			echo "FAIL ${file##*/}: did not build or did not start"
			f=$((f + 1))
		fi
	done
	where_time_went "${runs[@]}"
	summary $p $f $s
	exit
fi

: "${MPIRUN:=$(command -v mpirun.mpich || command -v mpiexec.mpich || echo mpirun)}"
export MPIRUN
# Open MPI's mpirun, whose flags these are in all jobs, is to do as hydra does: start more processes than there
# are cores (--oversubscribe), let all of them use all cores (--bind-to none), not explain in ten lines that a
# process has failed (-q), then kill the others at once (it waits for a second), and start for root, too.
: "${OMPI_MCA_rmaps_base_oversubscribe:=1}" "${OMPI_MCA_hwloc_base_binding_policy:=none}"
: "${OMPI_MCA_orte_execute_quiet:=1}" "${OMPI_MCA_odls_base_sigkill_timeout:=0}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "${!OMPI_MCA_@}"
openmpi=''
case $($MPIRUN --version 2>&1 </dev/null) in *"Open MPI"* | *OpenRTE*) openmpi=1 ;; esac
if [ "$launcher" = kind ]; then
	[ -n "$openmpi" ] && echo openmpi || echo hydra
	exit
elif [ -n "$launcher" ]; then
	echo "${openmpi:+env $(set -o posix; set | grep ^OMPI_ | tr '\n' ' ')}$MPIRUN"
	exit
fi
: "${ASAN_OPTIONS:=detect_leaks=0}" # MPICH leaks, and the leak check needs ptrace
: "${UBSAN_OPTIONS:=print_stacktrace=1}"
export ASAN_OPTIONS UBSAN_OPTIONS
[ -z "${SAN-}" ] || export "GSHMEM_CPU_STACK=${GSHMEM_CPU_STACK:-256k}" # frames are several times as large
if [ ! -d /sys/class/net ]; then # MPI runs without, and complains in every log
	: "${HWLOC_HIDE_ERRORS:=2}" "${UCX_LOG_LEVEL:=fatal}"
	export HWLOC_HIDE_ERRORS UCX_LOG_LEVEL
fi
[ -z "${SIM-}" ] || export LD_LIBRARY_PATH="$SIM${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
wrap=''
case ${SAN-} in
thread | lanes) # UCX patches madvise, which a thread still calls when TSan has forgotten it
	export UCX_MEM_MMAP_HOOK_MODE=none ;;
esac
# The sanitizers of gcc 12 and clang 14 cannot start where addresses are randomised by more than 28 bits.
[ -z "${SAN-}" ] || ! setarch -R true 2>/dev/null || wrap="setarch -R"

# key NAME SOURCE: print the value of a `NAME:` line.
key() {
	sed -nE "1,20{s@^ *(/\*|\*|#|//) *$1: *(.*)@\2@;T;s@ *(\*/.*)?\$@@;p;q}" "$2"
}

# source_of PROGRAM: print the file from which it was built.
source_of() {
	local folder stem try
	case $1 in *.sh) echo "$1"; return ;; esac
	for folder in tests bench examples apps; do
		stem=$folder/${1##*/"$folder"/}
		for try in "$stem.hip" "$stem.c"; do
			[ -f "$try" ] && echo "$try" && return
		done
	done
	echo "run.sh: no source for $1" >&2
	return 1
}

# What mpirun prints about any program that fails.
noise='^(=|YOUR APPLICATION TERMINATED|This typically refers|Please see the FAQ|$)'

# run_one PROGRAM NPES ENV FLAGS TIMEOUT ARGS: one run; appends its outcome to $results. NPES 0: no launcher.
run_one() {
	local prog=$1 npes=$2 env=$3 flags=$4 limit=$5 args=$6
	local name where log tsv what launch='' pid rc why tail left temp=$work/$BASHPID start=$EPOCHREALTIME
	case $prog in
	*.sh) name=$prog where=${B:-build} ;;
	*/bench/*) name=${prog##*/bench/} where=${prog%/bench/*} ;;
	*/examples/*) name=${prog##*/examples/} where=${prog%/examples/*} ;;
	*/apps/*) name=${prog##*/apps/} where=${prog%/apps/*} ;;
	*) name=${prog##*/tests/} where=${prog%/tests/*} ;;
	esac
	what=$prog${env:+ ($env)}
	if [ "$npes" -ne 0 ]; then
		name=$name.n$npes what="$prog -n $npes${env:+ ($env)}" launch="$MPIRUN $flags -n $npes"
	fi
	log=$where/log/$name${env:+.$(echo "$env" | tr -c 'A-Za-z0-9=.\n' _)}.log
	tsv=$where/bench/$(basename "$prog").n$((npes ? npes : 1)).tsv
	mkdir -p "$(dirname "$log")" "$temp"
	if [ -z "$gpu" ]; then # what it launches, for tests/isa/fits.py
		GSHMEM_CPU_LAUNCHES=$(realpath "$(dirname "$log")")/$(basename "$log" .log).launches
		rm -f "$GSHMEM_CPU_LAUNCHES"
		export GSHMEM_CPU_LAUNCHES
	fi

	if [ -n "$openmpi" ]; then # of jobs that start and end at the same time, one removes the other's folder
		OMPI_MCA_orte_tmpdir_base=$(mktemp -d) && export OMPI_MCA_orte_tmpdir_base
	fi
	# Not quoted: lists of words.
	[ -z "${SIM:-}" ] || env="AMDSIM_JOB=$BASHPID $env"
	set -- timeout -k 5 "$limit" env TMPDIR="$temp" $env $launch $wrap "$prog" $args
	if [ -n "$bench" ]; then
		"$@" >"$tsv.new" 2>"$log" </dev/null &
	else
		"$@" >"$log" 2>&1 </dev/null &
	fi
	pid=$!
	trap 'kill $pid 2>/dev/null; [ -z "$openmpi" ] || rm -rf "$OMPI_MCA_orte_tmpdir_base"; exit 130' INT TERM
	wait $pid 2>/dev/null
	rc=$?
	[ -z "$openmpi" ] || rm -rf "$OMPI_MCA_orte_tmpdir_base"
	left=$(ls -A "$temp" | head -n 5 | paste -sd ' ')
	rm -rf "$temp"
	case $prog in *.sh) left='' ;; esac # they call compilers, which may leave files
	if [ $rc -eq 0 ] && [ -n "$left" ]; then
		done_one fail "$start" "$what" "FAIL $what: leaves in TMPDIR: $left"
		return
	fi
	if [ $rc -eq 77 ] && ! is_listed "$name" "$(tail -n 1 "$log")"; then
		done_one fail "$start" "$what" "FAIL $what: skipped, which tests/skips does not list: $(tail -n 1 "$log")"
		return
	fi
	case $rc in
	0)
		if [ -n "$bench" ]; then
			mv "$tsv.new" "$tsv"
			echo "# ---- $tsv"
			cat "$tsv"
		fi
		done_one pass "$start" "$what" ${V:+"pass $what"} ;;
	77)
		done_one skip "$start" "$what" "skip $what: $(tail -n 1 "$log")" ;;
	*)
		why="exit $rc"
		[ $rc -ne 124 ] || why="hangs, stopped after $limit s"
		tail=$(grep -vE "$noise" "$log" | tail -n "${TAIL:-15}" | cut -c 1-300 | sed 's/^/    /')
		done_one fail "$start" "$what" "FAIL $what: $why; log $log${tail:+
$tail}" ;;
	esac
}

# is_listed NAME MESSAGE: whether tests/skips has a line for this skip.
is_listed() {
	local pattern message
	while IFS='|' read -r pattern message _; do
		# shellcheck disable=SC2053 # patterns
		[[ $1 == $(echo $pattern) && $2 == *$(echo $message)* ]] && return
	done < <(grep -v '^#' "$skips")
	return 1
}

# done_one OUTCOME START WHAT [LINE]: a run has ended; prints the progress of all.
done_one() {
	local now=$EPOCHREALTIME ndone cpu mine=$work/$BASHPID.times
	local us=$(((${now%.*} - ${2%.*}) * 1000000 + 10#${now#*.} - 10#${2#*.}))
	times >"$mine" # not in a pipe, where it would tell of another shell
	cpu=$(awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$mine")
	printf '%s %d.%03d %s %s\n' "$1" $((us / 1000000)) $((us / 1000 % 1000)) "$cpu" "$3" >>"$results"
	[ -z "$bench" ] || return
	ndone=$(wc -l <"$results")
	if [ -n "${4-}" ]; then
		printf "$clear[%*d/%d] %s\n" ${#nall} "$ndone" "$nall" "$4"
	elif [ -n "$clear" ]; then
		printf "$clear[%*d/%d] %s" ${#nall} "$ndone" "$nall" "${3:0:70}"
	elif [ $((ndone % 10)) -eq 0 ] || [ "$ndone" -eq "$nall" ]; then
		printf '[%*d/%d]\n' ${#nall} "$ndone" "$nall"
	fi
}

skips=$(dirname "$0")/skips
clear='' # on a terminal the last line says how far all are
[ ! -t 1 ] || clear='\r\033[K'
work=$(mktemp -d) || exit 1
results=$work/results
: >"$results"
trap 'rm -rf "$work"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; wait; exit 130' INT TERM

gpu=''
case ${PLATFORM:-cpu} in cpu) : "${SLOW:=1}" ;; *) gpu=1 ; : "${SLOW:=5}" ;; esac

# without PREFIX ARRAY: leave out variables whose names begin so, and alternatives that are then equal.
without() {
	local -n alternatives=$2
	local alternative words kept=() seen='|'
	for alternative in "${alternatives[@]:-}"; do
		words=$(echo $alternative | tr ' ' '\n' | grep -v "^$1" | tr '\n' ' ')
		case $seen in *"|$words|"*) continue ;; esac
		seen="$seen$words|"
		kept+=("$words")
	done
	alternatives=("${kept[@]}")
}

# The list of runs: those that can go side by side on the cores, and those that get all cores.
small=() large=() turn=${TURN:=0}
[ -z "$once" ] || [ -n "${FULL-}" ] || export T_THIRD=$((TURN % 3))
cores=$(nproc)
IFS='|' read -ra extra <<<"$alts"
for prog; do
	if [ ! -x "$prog" ]; then
		echo "FAIL $prog: does not build"
		echo "fail 0 0 $prog" >>"$results"
		continue
	fi
	src=$(source_of "$prog") || { echo "fail 0 0 $prog" >>"$results"; continue; }
	run=$(key run "$src")
	npes=0
	case $run in *-n*) npes=${counts:-$(echo "$run" | sed 's/.*-n *\([0-9,]*\).*/\1/')} ;; esac
	limit=$(key timeout "$src")
	limit=${limit:-$([ -n "$bench" ] && echo 600 || echo 60)}
	[ -z "${SAN-}" ] || limit=$((limit * 5))
	limit=${LIMIT:-$((limit * SLOW))}
	IFS='|' read -ra own <<<"$(key env "$src")"
	[ -z "$gpu" ] || without GSHMEM_CPU_ own
	[ "${SAN-}" != races ] || without GSHMEM_CARRY= own # init refuses it
	if [ -n "${NODES-}" ] && [ "$npes" != 0 ]; then # one count: as many as the nodes have, if it knows several
		least=${npes%%,*} all=$((NNODES * PPN))
		case $npes in *,*) npes=$((all > least ? all : least)) ;; esac
	fi
	if [ -n "$once" ]; then
		case $npes in 1,*) npes=${npes#1,} ;; esac
		if [ -n "${SIM-}" ]; then
			few=$(echo "$npes" | tr , '\n' | awk '$1 <= 8' | paste -sd ,)
			npes=${few:-$npes}
		fi
		IFS=, read -ra each <<<"$npes"
		npes=${each[TURN % ${#each[@]}]} own=("${own[TURN % (${#own[@]} + !${#own[@]})]-}")
	fi
	IFS=, read -ra each <<<"$npes"
	own=("${own[@]:-}")
	across=${#own[@]} nruns=$((${#each[@]} * ${#own[@]}))
	if [ -z "${FULL-}$counts$bench" ]; then # by turns
		across=1 nruns=$((${#each[@]} > ${#own[@]} ? ${#each[@]} : ${#own[@]}))
	fi
	for ((i = 0; i < nruns; i++)); do
		n=${each[i / across % ${#each[@]}]} env=${own[(i + TURN) % ${#own[@]}]}
		if [ -n "$alts" ]; then
			more=${extra[turn % ${#extra[@]}]}
			variable=$(echo ${more%%=*}) # trims the blanks
			case " $env" in *" $variable="*) continue ;; esac
			env="$env $more"
			turn=$((turn + 1))
		fi
		words=("$prog" "$n" "$(echo $env)" "$(key mpirun "$src")" "$limit" "$(key args "$src")")
		if [ "$n" -le "$cores" ]; then
			small+=("${words[@]}")
		else
			large+=("${words[@]}")
		fi
	done
done

# pool SLOTS RUNS...: runs of six words each, up to SLOTS at once.
pool() {
	local slots=$1
	shift
	while [ $# -gt 0 ]; do
		while [ "$(jobs -pr | wc -l)" -ge "$slots" ]; do
			wait -n
		done
		run_one "$1" "$2" "$3" "$4" "$5" "$6" &
		shift 6
	done
	wait
}
slots=$((cores + (cores + 1) / 2))
[ -z "$bench$gpu" ] || [ -n "${SIM-}" ] || slots=1
nall=$(($(wc -l <"$results") + (${#small[@]} + ${#large[@]}) / 6))
pool "$slots" "${small[@]}"
pool 1 "${large[@]}"
[ -z "$clear" ] || printf "$clear"

[ -z "$counts_file" ] || cp "$results" "$counts_file.runs"
[ -n "$bench$counts_file" ] || where_time_went "$results"
summary "$(grep -c ^pass "$results")" "$(grep -c ^fail "$results")" "$(grep -c ^skip "$results")"
