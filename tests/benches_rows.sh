#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Each bench has rows in tests/benches.rows for each number of PEs that it runs with, so that a new bench
# is missed before leg benches has its turn. net_rma and node_lat are for nodes.

cd "$(dirname "$0")/.." || exit
for bench in bench/*.hip; do
	name=$(basename "$bench" .hip)
	case $name in net_rma | node_lat) continue ;; esac
	counts=$(sed -n '1,20s@^/\* run: *-n *\(.*\) \*/@\1@p' "$bench")
	for npes in $(echo "${counts:-1}" | tr , ' '); do
		echo "$name.n$npes"
	done
done | LC_ALL=C sort | diff - <(grep -v '^#' tests/benches.rows | cut -d ' ' -f 1 | LC_ALL=C sort -u) || {
	echo "$0: benches without rows (<), or rows without a bench (>): run tests/benches.sh -u"
	exit 1
}
