#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# .ci/turns chooses the legs of a turn. Every leg comes round, with and without a memory of earlier turns. At
# most two are long, and only one if that is on the simulator of AMD GPUs. No leg starts that may end too
# late. A missing or broken file of times does no harm.

cd "$(dirname "$0")/.." || exit
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
export LEG_TIMES=$work/cache/legs
now=1800000000

fail() {
	echo "tests/ci_turns.sh: $*"
	exit 1
}

long='basic delivery apart asan isa trees amd amd-gpus rocm openmpi packages'
all=$(sed -n '/^LEGS_cpu *:=/,/[^\\]$/p' tests/legs.mk | sed 's/.*:=//' | tr -d '\\' | tr -s ' \t\n' ' ')
[ "$(echo "$all" | wc -w)" -ge 20 ] || fail "no legs in tests/legs.mk: $all"

# turn SEED: choose the legs of a turn into $chosen, and check what holds for every turn.
turn() {
	local leg nlong=0 sim=0
	chosen=$(.ci/turns choose "$1" $now) || fail "choose $1: exit $?"
	[ -n "${chosen// /}" ] || fail "choose $1: no leg"
	for leg in $chosen; do
		case " $all " in *" $leg "*) ;; *) fail "choose $1: tests/legs.mk has no leg $leg" ;; esac
		case " $long " in *" $leg "*) nlong=$((nlong + 1)) ;; esac
		case $leg in amd* | rocm) sim=1 ;; esac
	done
	[ "$nlong" -le $((2 - sim)) ] || fail "choose $1: too many long legs: $chosen"
	[ "$(echo "$chosen" | tr -s ' ' '\n' | sort | uniq -d)" = '' ] || fail "choose $1: a leg twice: $chosen"
}

# come_round HOW: all legs are in $seen.
come_round() {
	local leg
	for leg in $all; do
		case " $seen " in *" $leg "*) ;; *) fail "$1: $leg has had no turn" ;; esac
	done
}

# Nothing is known: commits by their hashes, of which many come in between two turns.
seen=''
for ((i = 0; i < 60; i++)); do
	turn "$(echo "commit $((i * 7))" | sha1sum | cut -c 1-40)"
	seen+=" $chosen"
done
come_round "by 60 hashes"
first=$(.ci/turns choose abc $now)
[ "$first" = "$(.ci/turns choose abc $now)" ] || fail "one commit has two turns"
[ ! -e "$work/cache" ] || fail "choose writes"

# What ran is known: all legs, some 200 minutes, come round in 12 turns of 20 minutes, with one hash and so one
# order among the unknown.
seen=''
for ((i = 0; i < 12; i++)); do
	turn same
	seen+=" $chosen"
	for leg in $chosen; do
		.ci/turns record "$leg" $now 100 || fail "record $leg: exit $?"
		now=$((now + 100))
	done
done
come_round "by 12 turns of a machine that remembers"
[ "$(wc -l <"$LEG_TIMES")" -eq "$(echo "$all" | wc -w)" ] || fail "not a line for each leg: $(cat "$LEG_TIMES")"
.ci/turns show $now >"$work/shown"
[ "$(grep -c 'UTC, took 100 s$' "$work/shown")" -eq "$(echo "$all" | wc -w)" ] ||
	fail "show: $(cat "$work/shown")"

# Three times the last time must be left.
.ci/turns record basic $now 1000
.ci/turns fits basic $now $((now + 3000)) || fail "basic, which took 1000 s, does not start with 3000 left"
.ci/turns fits basic $now $((now + 2999)) >"$work/why" &&
	fail "basic, which took 1000 s, starts with 2999 s left"
grep -q '1000 s' "$work/why" || fail "fits does not say why not: $(cat "$work/why")"
.ci/turns fits quick $now $((now + 1)) || fail "quick, which takes no turns, does not start"
.ci/turns fits quick $now $now && fail "quick starts when the time is up"
# One slow run does not keep a leg out for ever.
.ci/turns fits basic $((now + 604800)) $((now + 604800 + 2999)) || fail "a time of last week counts"
# On a machine that has just been set up, every leg fits beside make check.
for leg in $all; do
	LEG_TIMES=$work/none .ci/turns fits "$leg" $now $((now + 80 * 60 - 600)) || fail "$leg never starts"
done

# Files that help nobody: empty, garbage, half a file, times that have yet to come, a folder, none.
expected=$(LEG_TIMES=$work/none .ci/turns choose abc $now)
: >"$work/empty"
head -c 4000 /dev/urandom >"$work/garbage"
printf 'basic\nasan x 3\namd -1 2\ntsan 5\n\nlanes 1 2 3 4\nnet 99999999999999999999 1\n-\nisa 7 7' \
	>"$work/half"
sed "s/ [0-9]* / $((now + 1000)) /" "$LEG_TIMES" >"$work/future"
mkdir "$work/folder"
for file in empty garbage future folder none none/none; do
	got=$(LEG_TIMES=$work/$file .ci/turns choose abc $now 2>"$work/err") || fail "$file: exit $?"
	[ "$got" = "$expected" ] || fail "$file: chose $got, expected $expected"
	[ ! -s "$work/err" ] || fail "$file: $(cat "$work/err")"
done
LEG_TIMES=$work/half turn abc
for file in empty garbage half future; do
	LEG_TIMES=$work/$file .ci/turns record net $now 77 || fail "$file: record: exit $?"
	LEG_TIMES=$work/$file .ci/turns show $now | grep -q '^  net: .* 77 s' || fail "$file: record is not shown"
done
for file in folder /dev/null/x/y /proc/nothing/legs; do
	case $file in /*) ;; *) file=$work/$file ;; esac
	LEG_TIMES=$file .ci/turns record net $now 77 2>"$work/err" || fail "$file: record: exit $?"
	[ ! -s "$work/err" ] || fail "$file: $(cat "$work/err")"
done
[ -z "$(ls -A "$work/folder")" ] || fail "record leaves files in a folder"
[ "$(ls "$work/cache")" = legs ] || fail "record leaves files: $(ls "$work/cache")"
