#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/nodes.sh DIRECTORY - run the benches between two nodes that are built in DIRECTORY, and print their table of limits.
# `make bench-nodes` calls it.  The environment says where they run:
#
#   HOSTS   two nodes, a,b, which see the same build; else tests/nodes.sh pretends them on this machine
#   PPN     2: also the benches that want two PEs on each of HOSTS; pretended nodes have room for them
#   MPIRUN  the launcher
#
# The tables are kept in DIRECTORY/nodes. The exit status is 1 if a bench failed; the figures do not count for it.

set -eu
dir=$1
if [ -z "${HOSTS-}" ]; then
	export HOSTS=node0,node1 PLACE=core # a pretended node has a core of its own
	exec tests/nodes.sh 2x2 -- "$0" "$dir" # which sets PPN
fi
launcher="$(tests/run.sh -l) -hosts $HOSTS" status=0
mkdir -p "$dir/nodes"

# run PPN: net_rma with PPN PEs on each of two nodes. A failure does not keep other benches from running.
run() {
	npes=$((2 * $1))
	# A list of words.
	# shellcheck disable=SC2086
	$launcher -ppn "$1" -n $npes "$dir/net_rma" -t 20000 -p "${PLACE:-free}" >"$dir/nodes/net_rma.n$npes.tsv" || {
		echo "nodes.sh: net_rma failed with $npes PEs" >&2
		status=1
	}
}

rm -f "$dir"/nodes/*.tsv
run 1
if [ "${PPN:-1}" = 2 ]; then
	run 2
	# A job of the first node alone and one of both, by turns.
	MPIRUN="$launcher -ppn 2" bench/compare.sh -t "B=${dir%/bench} N=2" "B=${dir%/bench} N=4" node_lat \
		>"$dir/nodes/node_lat.tsv" || status=1
fi
bench/ratios.sh "$dir/nodes" nodes
exit $status
