#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# One libgshmem serves every MPI: by its plug-ins, or by the members of libgshmem.a; whether gshmem starts MPI,
# or the program has, also from a library that was opened locally, before or after gshmem's; with two MPIs in
# the process, and without a plug-in. B names the build. An MPI without launcher here, or whose mpi.h was not
# there when B was built, is left out, and named.

set -u
: "${B:=build/cpu}" "${CC:=gcc}"
export GSHMEM_HEAP_SIZE=4m
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT || exit 1
so=$(realpath "$B/lib/libgshmem.so") || exit 1
fail() { echo "mpis.sh: $*" >&2; exit 1; }

# launcher KIND: its mpirun, behind the variables that its jobs need; nothing if there is none.
launcher() {
	local mpirun
	for mpirun in "mpirun.$1" mpirun; do
		command -v "$mpirun" >/dev/null || continue
		[ "$(MPIRUN=$mpirun tests/run.sh -k | sed s/hydra/mpich/)" = "$1" ] || continue
		MPIRUN=$mpirun tests/run.sh -l
		return
	done
}

# library KIND: its libmpi, as the loader names it.
library() {
	case $1 in mpich) set -- libmpich.so.12 libmpi.so.12 ;; openmpi) set -- libmpi.so.40 ;; esac
	for name; do
		"$work/opens" open "$name" 2>/dev/null && echo "$name" && return
	done
}

# job WHAT RUN ARGUMENTS...: two PEs find each other.
job() {
	local what=$1 run=$2
	shift 2
	timeout -k 5 60 $run -n 2 "$@" >"$work/out" 2>&1 || fail "$what: status $?: $(cat "$work/out")"
	[ "$(grep -c '^PE of 2$' "$work/out")" -eq 2 ] || fail "$what: $(cat "$work/out")"
	n=$((n + 1))
}

# refused WHAT TEXT RUN ARGUMENTS...: the job ends with a message.
refused() {
	local what=$1 text=$2 run=$3
	shift 3
	timeout -k 5 60 $run -n 2 "$@" >"$work/out" 2>&1 && fail "$what: status 0: $(cat "$work/out")"
	grep -q "$text" "$work/out" || fail "$what: no \"$text\": $(cat "$work/out")"
	n=$((n + 1))
}

n=0
$CC -std=c11 -D_GNU_SOURCE -Wall -o "$work/opens" tests/mpis/job.c -ldl || exit 1
$CC -std=c11 -D_GNU_SOURCE -DLINKED -o "$work/dynamic" tests/mpis/job.c "$so" -Wl,-rpath,"${so%/*}" -ldl || exit 1
# The archive holds C++ code of the runtime, and is linked as gshmemcc links it.
$CC -std=c11 -D_GNU_SOURCE -DLINKED -o "$work/static" tests/mpis/job.c "$B/lib/libgshmem.a" \
	-lpthread -ldl -lm -lstdc++ || exit 1
mkdir "$work/bare" && cp "$so" "$work/bare/libgshmem.so.0"

kinds=''
for kind in mpich openmpi; do
	run=$(launcher $kind) lib=$(library $kind)
	if [ -z "$run" ] || [ -z "$lib" ] || [ ! -e "$B/lib/gshmem/mpi-$kind.so" ]; then
		echo "$kind: left out: launcher '$run', library '$lib', $(ls "$B"/lib/gshmem/mpi-$kind.so 2>&1)"
		continue
	fi
	kinds="$kinds $kind"
	job "$kind, linked" "$run" "$work/dynamic" linked -
	job "$kind, libgshmem.a" "$run" "$work/static" linked -
	job "$kind, carried" "$run" env GSHMEM_CARRY=all "$work/dynamic" linked -
	job "$kind, opened first" "$run" "$work/opens" first "$so" "$lib"
	job "$kind, opened afterwards" "$run" "$work/opens" after "$so" "$lib"
	job "$kind, named" "$run" env GSHMEM_MPI_LIBRARY="$lib" "$work/dynamic" linked -
	refused "$kind, no plug-in" "gshmem/mpi-$kind.so" "$run" env GSHMEM_MPI_LIBRARY="$lib" \
		"$work/opens" after "$work/bare/libgshmem.so.0"
	refused "$kind in the process, no plug-in" "the MPI of this process is .* built without its mpi.h" "$run" \
		"$work/opens" first "$work/bare/libgshmem.so.0" "$lib"
done
for kind in $kinds; do
	mpicc=$(command -v mpicc.$kind || echo mpicc)
	"$B/bin/gshmemcc" --mpi="$mpicc" tests/mpis/calls.c -o "$work/calls" || fail "gshmemcc --mpi=$mpicc"
	job "$kind, calls of MPI" "$(launcher $kind)" env LD_LIBRARY_PATH="${so%/*}" "$work/calls"
done
"$B/bin/gshmemcc" --mpi=true tests/mpis/calls.c -o "$work/calls" 2>"$work/out" && fail "gshmemcc --mpi=true"
grep -q 'true: that is no compiler of an MPI' "$work/out" || fail "gshmemcc --mpi=true: $(cat "$work/out")"
[ -n "$kinds" ] || fail "no MPI"
if [ "$kinds" = " mpich openmpi" ]; then
	# Two are in the process: the program's, which runs, or the launcher's.
	for kind in mpich openmpi; do
		other=$([ $kind = mpich ] && echo openmpi || echo mpich)
		job "$kind beside $other" "$(launcher $kind)" "$work/opens" first "$so" "$(library $kind)" "$(library $other)"
		job "$kind beside $other, afterwards" "$(launcher $kind)" "$work/opens" after "$so" \
			"$(library $other)" "$(library $kind)"
		# the launcher's variables speak of the other one
		env GSHMEM_DEBUG=1 $([ $kind = mpich ] && echo OMPI_COMM_WORLD_SIZE=1) "$work/opens" first "$so" "$(library $kind)" "$(library $other)" >"$work/out" 2>&1 ||
			fail "$kind beside $other, alone: $(cat "$work/out")"
		grep -qi "init: MPI is ${kind/openmpi/Open MPI}, which was in the process" "$work/out" ||
			fail "$kind beside $other, alone: $(cat "$work/out")"
	done
	cp -r "$B/lib/gshmem" "$work/bare/" && rm "$work/bare/gshmem/mpi-openmpi.so"
	refused "Open MPI's launcher, MPICH's plug-in" "Open MPI's launcher has started.*libopenmpi-dev.*mpirun.mpich" \
		"$(launcher openmpi)" "$work/opens" after "$work/bare/libgshmem.so.0"
	refused "MPICH, and Open MPI's launcher" "for MPICH, the MPI of this process, it is alone" \
		"$(launcher openmpi)" env GSHMEM_MPI_LIBRARY="$(library mpich)" "$work/dynamic" linked -
fi
# Without a launcher: a job of one, whatever MPI is there; and without any.
for what in dynamic static; do
	"$work/$what" linked - | grep -q '^PE of 1$' || fail "$what, alone"
	GSHMEM_MPI_LIBRARY=/nonexistent "$work/$what" linked - | grep -q '^PE of 1$' || fail "$what, without MPI"
done
echo "$n jobs and 4 alone, with$kinds"
