#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/coverage.sh - how many of the lines of src/ and include/ that all legs together cover does
# `make check` cover? `make coverage` calls it. It needs gcovr. Legs that only compile (isa,
# trees, install) run no lines.
#
# The legs are built with gcc, -O0 and --coverage in builds of their own, and run without sanitizers:
# basic, delivery, apart, clang's copy loop. A process that ends by _exit or abort writes its counts
# first. rpc_explore and rpc_freeze are left out: they run the same lines in every possible order, which
# takes unoptimized code hours.

set -u
cd "$(dirname "$0")/.." || exit
top=build/coverage
unset MAKEFLAGS MFLAGS MAKELEVEL
export GSHMEM_CPU_STACK=1m # unoptimized code has large frames
rm -rf $top
mkdir -p $top
cat >$top/exit.c <<'END'
#include <signal.h>
void __gcov_dump(void);
void __real__exit(int status);
void __real_abort(void);
void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}
void __wrap_abort(void)
{
	__gcov_dump();
	__real_abort();
}
END
gcc -fPIC -c -o $top/exit.o $top/exit.c || exit

names=$(for test in tests/*.c tests/*.hip; do
	test=${test##*/}
	case $test in
	rpc_explore.* | rpc_freeze.*) ;;
	*) echo "${test%.*}" ;;
	esac
done | tr '\n' ' ')

# leg BUILD LEG WORD...: run the tests of a leg, in a build.
leg() {
	local build=$top/$1 leg=$2
	shift 2
	echo "== $leg in $build"
	make --no-print-directory check-"$leg" B="$build" CFLAGS='-O0 -g1 --coverage' SLOW=5 "MAKE_$leg=" \
		names="$names" T_basic="$names platform/* shmem/*" \
		LDFLAGS="--coverage -Wl,--wrap=_exit -Wl,--wrap=abort $PWD/$top/exit.o" "$@"
}
# lines BUILD TABLE: what has run so far, as gcovr's JSON.
lines() {
	gcovr --root . --filter include/ --filter src/ --gcov-ignore-parse-errors --json "$top/$2.json" "$top/$1" >"$top/gcovr.log" 2>&1 ||
		{ cat $top/gcovr.log; exit 1; }
}

leg plain quick
lines plain check
apart='CPPFLAGS=-DGSHMEMI_HOST_COPIES -DGSHMEMI_GENERIC_COPY=2'
leg apart copies "$apart"
lines apart check-copies
leg plain basic
leg plain delivery
lines plain all
leg apart apart "$apart"
lines apart all-apart
leg clang clang 'CPPFLAGS=-DGSHMEMI_GENERIC_COPY=1'
lines clang all-clang

python3 - $top <<'END'
import json, sys

def covered(*names):
    lines = set()
    for name in names:
        with open(f"{sys.argv[1]}/{name}.json") as f:
            for file in json.load(f)["files"]:
                lines |= {(file["file"], l["line_number"]) for l in file["lines"] if l["count"] > 0}
    return lines

check = covered("check", "check-copies")
everything = covered("check", "check-copies", "all", "all-apart", "all-clang")
missing = {}
for file, line in sorted(everything - check):
    missing.setdefault(file, []).append(line)
for file, lines in sorted(missing.items(), key=lambda m: -len(m[1])):
    print(f"{len(lines):5} {file}: {' '.join(map(str, lines[:25]))}{' ...' if len(lines) > 25 else ''}")
print(f"make check covers {len(check)} of the {len(everything)} lines that all legs cover: {100 * len(check) / len(everything):.1f} %")
sys.exit(len(check) < 0.95 * len(everything))
END
