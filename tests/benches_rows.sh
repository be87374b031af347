#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Each run of tests/benches.sh has rows in tests/benches.rows, so that a new bench is missed before leg benches
# has its turn.

cd "$(dirname "$0")/.." || exit
diff <(tests/benches.sh -l | LC_ALL=C sort) \
	<(grep -v '^#' tests/benches.rows | cut -d ' ' -f 1 | LC_ALL=C sort -u) || {
	echo "$0: runs without rows (<), or rows without a run (>): run tests/benches.sh -u"
	exit 1
}
