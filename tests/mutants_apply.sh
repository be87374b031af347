#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Each mutant of tests/mutants.sh changes its file as it is now: a line that was written anew would leave its
# mutant without effect until somebody runs them.

cd "$(dirname "$0")/.." || exit
status=0
for platform in cpu amd; do
	tests/mutants.sh -l PLATFORM=$platform | grep FAIL
	[ "${PIPESTATUS[0]}" -eq 0 ] || status=1
done
exit $status
