#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/uniqueid.sh NPES [CASE...] - jobs that start by a unique id: processes without mpirun, which get their
# rank, their count and the id by a file, as from a framework. There are cases that work, and cases that must
# fail on all processes, with a message on each, and in time. PROGRAM is tests/uniqueid as built; if not said,
# build/cpu's, which make builds.

set -u
n=${1:?usage: tests/uniqueid.sh NPES [CASE...]}
[ "$n" -ge 4 ] || { echo "uniqueid.sh: the cases take 4 processes"; exit 2; }
shift
if [ -z "${PROGRAM-}" ]; then
	PROGRAM=build/cpu/tests/uniqueid
	make PLATFORM=cpu "$PROGRAM" >&2 || exit
fi
[ -x "$PROGRAM" ] || {
	echo "uniqueid.sh: $PROGRAM is not there: build it by make, or leave PROGRAM out"
	exit 2
}
work=$(mktemp -d) || exit
pids=()
# shellcheck disable=SC2154
trap 'for p in "${pids[@]}"; do kill "$p" 2>/dev/null; done; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# Hide a launcher's variables if this runs in its job, and hide MPI: if the library needs it
# after all, it does not find it.
unset PMI_FD PMI_PORT PMI_RANK PMI_SIZE PMIX_NAMESPACE PMIX_RANK OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE
unset SLURM_STEP_NUM_TASKS PALS_RANKID FLUX_TASK_RANK MPI_LOCALNRANKS MPI_LOCALRANKID
export GSHMEM_MPI_LIBRARY=/nonexistent/libmpi.so
nfailed=0
skipped=

fail() {
	echo "tests/uniqueid.sh: $job: $*"
	for r in $(seq 0 $((count - 1))); do sed "s/^/  rank $r: /" "$work/$r" | head -n 8; done
	nfailed=$((nfailed + 1))
	return 1
}

# run CASE COUNT [VARIABLE=...]: run the processes; ${rc[@]} gets their statuses, $work/RANK their output.
run() {
	local r
	job=$1 count=$2
	shift 2
	rm -rf "${work:?}"/*
	pids=() rc=()
	for r in $(seq 0 $((count - 1))); do
		env "$@" timeout -k 1 100 "$PROGRAM" "$job" "$r" "$count" "$work/id" \
			>"$work/$r" 2>&1 </dev/null &
		pids+=($!)
	done
	for r in $(seq 0 $((count - 1))); do
		wait "${pids[$r]}" 2>/dev/null
		rc+=($?)
	done
	pids=()
}

# statuses RANKS STATUS: these must have ended with this status.
statuses() {
	local r
	for r in $1; do
		[ "${rc[$r]}" = "$2" ] || fail "rank $r: status ${rc[$r]}, expected $2" || return
	done
}

# says RANKS TEXT: each of them must have printed TEXT, a pattern of grep -E.
says() {
	local r
	for r in $1; do
		grep -qE "$2" "$work/$r" || fail "rank $r does not say: $2" || return
	done
}

# one_says TEXT: one of all must have printed it.
one_says() {
	[ "$(cat "$work"/[0-9]* | grep -cE "$1")" = 1 ] || fail "not said once: $1"
}

# silent: the library must have printed nothing.
silent() {
	! grep -q '^gshmem' "$work"/[0-9]* || fail "the library speaks"
}

all=$(seq -s ' ' 0 $((n - 1)))
but_1="0 $(seq -s ' ' 2 $((n - 1)))"
who='\(pid [0-9]+ on testhost\)'
but_0=$(seq -s ' ' 1 $((n - 1)))

case_works() { run works "$n"; statuses "$all" 0 && says "$all" 'is done' && silent; }
case_closed() { run closed "$n"; statuses "$all" 0 && says "$all" 'is done' && silent; }
case_one() { run works 1 GSHMEM_UID_ADDRESS=lo; statuses 0 0 && silent; }
case_again() {
	run again "$n" GSHMEM_UID_ADDRESS=127.0.0.1
	statuses "$all" 0 && says "$all" 'no longer listens at 127.0.0.1:[0-9]+: .*an id is for one job'
}
case_strangers() {
	run strangers "$n" GSHMEM_UID_ADDRESS=127.0.0.1
	statuses "$all" 0 && says "$all" 'is done' &&
		one_says '^gshmem: init: a connection from 127.0.0.1:[0-9]+ was refused: it does not know' &&
		one_says '^gshmem: init: a connection from .* ended before it said which rank it is'
}
# poll may not be given more places than there may be files.
case_few_files() {
	run few_files "$n" GSHMEM_INIT_TIMEOUT=60
	statuses "$all" 0 && says "$all" 'is done' && silent
}
# Strangers take all descriptors of the process that made the id.
case_crowd() {
	run crowd "$n" GSHMEM_UID_ADDRESS=127.0.0.1 GSHMEM_INIT_TIMEOUT=60
	statuses "$all" 0 && says "$all" 'is done' &&
		one_says '^gshmem: init: a connection from .* was closed to make room'
}
case_bad_input() {
	run bad_input 1
	statuses 0 0 && says 0 'there is no rank 1 in a job of 1' && says 0 'unique id is damaged' &&
		says 0 'GSHMEM_UID_ADDRESS=nowhere: neither a network interface' &&
		says 0 'both a communicator and a unique id'
}
# EINVAL is 22, ENOTSUP 95, ECONNRESET 104, ETIMEDOUT 110, ECONNREFUSED 111.
case_counts() {
	run counts "$n" GSHMEM_INIT_TIMEOUT=60
	statuses "$all" 22 &&
		says "$all" "rank 1 $who says that there are $((n + 1)) ranks, but rank $((n - 2)) says $n"
}
case_alike() {
	run alike "$n" GSHMEM_INIT_TIMEOUT=60
	statuses "$all" 22 &&
		says "$all" 'pid [0-9]+ on testhost and pid [0-9]+ on testhost both say that they are rank 3'
}
case_late() {
	local s=20 # time for all others to start on a slow machine
	[ -z "${SAN-}" ] || s=40 # sanitizers start slowly
	run late "$n" GSHMEM_INIT_TIMEOUT=$s
	statuses "$but_1" 110 &&
		says "$but_1" "init: rank 1 of $n has not come within $s s \(GSHMEM_INIT_TIMEOUT\)" &&
		{ [ "${rc[1]}" = 110 ] || statuses 1 111; } &&
		says 1 'has not come within|no longer listens at '
}
case_ends_waiting() { # on a slow machine it may have ended before it had arrived
	run ends_waiting "$n" GSHMEM_INIT_TIMEOUT=20
	statuses 1 137 && { [ "${rc[0]}" = 110 ] || statuses "$but_1" 104; } &&
		says "$but_1" "rank 1 $who has ended before all $n ranks had come|rank 1 of $n has not come"
}
case_dies_in_init() {
	run dies_in_init "$n"
	statuses 1 137 && statuses "$but_1" 1 &&
		says "$but_1" "^gshmem: pe [0-9]+: PE 1 $who has ended while the others wait"
}
case_maker_dies_in_init() {
	run maker_dies_in_init "$n"
	statuses 0 137 && statuses "$but_0" 1 &&
		says "$but_0" "^gshmem: pe [0-9]+: PE 0 $who has ended while the others wait"
}
case_dies() {
	run dies "$n"
	statuses 1 137 && statuses "$but_1" 1 &&
		one_says "PE 1 $who ended without gshmem_finalize: the job ends"
}
case_maker_dies() {
	run maker_dies "$n"
	statuses 0 137 && statuses "$but_0" 1 &&
		one_says "PE 0 $who ended without gshmem_finalize: the job ends"
}
case_global_exit() { run global_exit "$n"; statuses "$all" 7 && silent; }
case_leaves() { run leaves "$n"; statuses "$all" 1 && one_says 'the process exits without gshmem_finalize'; }
case_nodes() {
	run nodes "$n" GSHMEM_PES_PER_NODE=2
	statuses "$all" 95 && one_says 'but the job was started by a unique id.*: start it with mpirun'
}
# Over memory that only its owner reaches. If that is a GPU's, the message does not mention ids.
case_window() {
	run window "$n"
	statuses "$all" 0 && says "$all" 'is done' &&
		says "$all" 'that they do not map, but the job was started by a unique id|cannot be mapped'
}
# In a network namespace of their own, where not even the loopback is up: the cases above and below again.
case_down() {
	local enter
	for enter in 'unshare -n' 'unshare -rn'; do
		$enter true 2>/dev/null || continue
		PROGRAM=$PROGRAM $enter "$0" "$n" works one_id counts dies_in_init maker_dies nodes \
			down_again down_strangers down_wanted down_loopback || nfailed=$((nfailed + 1))
		return
	done
	skipped='needs a network namespace, which this user or kernel cannot make'
}
case_one_id() { run works 1; statuses 0 0 && silent; }
case_down_again() {
	run again "$n"
	statuses "$all" 0 &&
		says "$all" 'does not listen at the local socket @gshmem-[0-9a-f]{32}, .*an id is for one job'
}
case_down_strangers() {
	run strangers "$n"
	statuses "$all" 0 && says "$all" 'is done' &&
		one_says '^gshmem: init: a connection from a process of this machine was refused'
}
case_down_wanted() {
	run works 1 GSHMEM_UID_ADDRESS=lo
	statuses 0 1 && says 0 'GSHMEM_UID_ADDRESS=lo: this network interface is down'
	run works 1 GSHMEM_UID_ADDRESS=127.0.0.1
	statuses 0 1 && says 0 'GSHMEM_UID_ADDRESS=127.0.0.1: .* the network interface lo is down'
}
# Another interface is up, but connections within a machine go by the loopback.
case_down_loopback() {
	ip link add gshmem0 type veth peer name gshmem1 2>/dev/null || return 0 # no ip, or Linux without veth
	ip address add 10.9.8.7/24 dev gshmem0
	ip link set gshmem0 up
	ip link set gshmem1 up
	run works "$n"
	statuses "$all" 0 && says "$all" 'is done' && silent
	run works 1 GSHMEM_UID_ADDRESS=gshmem0
	statuses 0 1 && says 0 'GSHMEM_UID_ADDRESS=gshmem0: .* the network interface lo is down'
	ip link set gshmem0 down
	run works 1 GSHMEM_UID_ADDRESS=gshmem0
	statuses 0 1 && says 0 'GSHMEM_UID_ADDRESS=gshmem0: this network interface is down'
}
# Neither an id nor a launcher, or a launcher that says that there is one process.
case_alone() {
	run alone 1
	statuses 0 0 && silent
	run alone 1 PMI_SIZE=1 PMI_RANK=0 PMI_FD=9
	statuses 0 0 && silent
	run alone 1 GSHMEM_NET=1
	statuses 0 1 && says 0 'MPI has to carry the operations .*, but it cannot be loaded'
}
case_needs_mpi() {
	local launched
	for launched in PMI_SIZE=2 PMIX_RANK=0 PMI_PORT=localhost:1 SLURM_STEP_NUM_TASKS=2; do
		run needs_mpi 1 $launched
		statuses 0 1 &&
			says 0 'init: MPI cannot be loaded: /nonexistent/libmpi.so: .*gshmemx_get_uniqueid'
	done
}

# The library itself is not linked with MPI.
case_links() {
	job=links count=0
	lib=${PROGRAM%/tests/*}/lib/libgshmem.so
	! nm -D --undefined-only "$lib" | grep -q ' MPIX\?_' || fail "$lib calls MPI by name"
	! readelf -d "$lib" "$PROGRAM" | grep -q 'NEEDED.*libmpi' || fail "linked with MPI: $lib or $PROGRAM"
}

[ $# -gt 0 ] || set -- works closed one again strangers few_files crowd bad_input counts alike late ends_waiting dies_in_init \
	maker_dies_in_init dies maker_dies global_exit leaves nodes window down alone needs_mpi links
for name; do
	start=$SECONDS
	"case_$name"
	[ -z "${V-}" ] || echo "$name: $((SECONDS - start)) s"
done
[ $nfailed -eq 0 ] || exit 1
[ -z "$skipped" ] || { echo "uniqueid.sh: $skipped: all other cases passed"; exit 77; }
