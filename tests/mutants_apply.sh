#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 180
#
# Each mutant of tests/mutants.sh and of tests/isa changes its file as it is now: a line that was written anew
# would leave its mutant without effect until somebody runs them.

cd "$(dirname "$0")/.." || exit
status=0
for platform in cpu amd; do
	tests/mutants.sh -l PLATFORM=$platform | grep FAIL
	[ "${PIPESTATUS[0]}" -eq 0 ] || status=1
done
for platform in amd nvidia; do
	tests/isa/$platform.sh --mutants | grep FAIL
	case ${PIPESTATUS[0]} in
	0 | 77) ;; # 77: no compiler for these GPUs
	*) status=1 ;;
	esac
done
exit $status
