#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/nodes.sh DIRECTORY - run the benches that are built in DIRECTORY between two nodes, and print their
# table of limits. `make bench-nodes` calls it.  The environment says where they run:
#
#   HOSTS   two nodes, a,b, which see the same build; without it tests/nodes.sh pretends two on this machine
#   PPN     2: also run the benches that need two PEs on each of HOSTS; pretended nodes always run them
#   MPIRUN  the launcher. For Open MPI's, whose RMA is then the other side, build the benches for it:
#           make bench-nodes B=build/cpu-openmpi MPICC=mpicc.openmpi MPIRUN=mpirun.openmpi
#
# The tables are kept in DIRECTORY/nodes. The exit status is 1 if a bench failed, whatever the figures are.

set -eu
dir=$1
if [ -z "${HOSTS-}" ]; then
	export HOSTS=node0,node1 PLACE=core # a pretended node has a core of its own
	exec tests/nodes.sh 2x2 -- "$0" "$dir" # which sets PPN
fi
launcher=$(tests/run.sh -l) kind=$(tests/run.sh -k) status=0
mkdir -p "$dir/nodes"
# Else Open MPI 4.1 makes no window by MPI_Win_create at MPI_THREAD_MULTIPLE.
: "${OMPI_MCA_osc:=ucx}" && export OMPI_MCA_osc

# on PPN: the launcher's flags for PPN PEs on each of two nodes.
on() {
	case $kind in
	openmpi) echo "--host ${HOSTS%,*}:$1,${HOSTS#*,}:$1" ;;
	*) echo "-hosts $HOSTS -ppn $1" ;;
	esac
}

# run PPN: net_rma with PPN PEs on each of two nodes. After a failure the other benches still run.
run() {
	npes=$((2 * $1))
	# A list of words.
	# shellcheck disable=SC2086
	$launcher $(on "$1") -n $npes "$dir/net_rma" -t 20000 -p "${PLACE:-free}" >"$dir/nodes/net_rma.n$npes.tsv" || {
		echo "nodes.sh: net_rma failed with $npes PEs" >&2
		status=1
	}
}

rm -f "$dir"/nodes/*.tsv
run 1
if [ "${PPN:-1}" = 2 ]; then
	run 2
	# A job on the first node alone and one on both, alternately.
	MPIRUN="$launcher $(on 2)" bench/compare.sh -t "B=${dir%/bench} N=2" "B=${dir%/bench} N=4" node_lat \
		>"$dir/nodes/node_lat.tsv" || status=1
fi
bench/ratios.sh "$dir/nodes" nodes
exit $status
