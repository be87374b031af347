#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/nodes.sh DIRECTORY - run the benches that are built in DIRECTORY between two nodes, and print their
# table of limits. `make bench-nodes` calls it.  The environment says where they run:
#
#   HOSTS   two nodes, a,b, which see the same build; without it tests/nodes.sh pretends two on this machine
#   PPN     2: also run the benches that need two PEs on each of HOSTS; pretended nodes always run them
#   MPIRUN  the launcher
#
# The tables are kept in DIRECTORY/nodes. The exit status is 1 if a bench failed, whatever the figures are.

set -eu
dir=$1
if [ -z "${HOSTS-}" ]; then
	export HOSTS=node0,node1 PLACE=core # a pretended node has a core of its own
	exec tests/nodes.sh 2x2 -- "$0" "$dir" # which sets PPN
fi
launcher="$(tests/run.sh -l) -hosts $HOSTS" status=0
mkdir -p "$dir/nodes"

# run PPN: net_rma with PPN PEs on each of two nodes. After a failure the other benches still run.
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
	# A job on the first node alone and one on both, alternately.
	MPIRUN="$launcher -ppn 2" bench/compare.sh -t "B=${dir%/bench} N=2" "B=${dir%/bench} N=4" node_lat \
		>"$dir/nodes/node_lat.tsv" || status=1
fi
bench/ratios.sh "$dir/nodes" nodes
exit $status
