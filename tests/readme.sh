#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2400
#
# The commands in the code blocks of README.md and docs/tutorial.md, as they stand and in their order, in a
# Debian 12 of its own that has only what README asks for. tests/readme.except lists the exceptions.
#
# A code block is indented by four blanks, or fenced as sh, bash or console. In a block with lines that begin
# with "$ " only these are commands; the others are what the commands print, in any order. A line "..." stands
# for any lines.

set -u
here=$(cd "$(dirname "$0")/.." && pwd)
pages='README.md docs/tutorial.md'

# commands PAGE: "N:COMMAND" for each command, and ">OUTPUT" for each line that it should print.
commands() {
	awk '
	function flush(    i)
	{
		for (i = 1; i <= n; i++)
			if (!prompted) print at[i] ":" block[i]
			else if (block[i] ~ /^\$ /) print at[i] ":" substr(block[i], 3)
			else print ">" block[i]
		n = prompted = 0
	}
	function add(line)
	{
		if (line ~ /^\$ /) prompted = 1
		if (line != "") { block[++n] = line; at[n] = FNR }
	}
	/^```/ { flush(); fenced = !fenced; shell = /^```(sh|bash|console)/; next }
	fenced { if (shell) add($0); next }
	/^    / { add(substr($0, 5)); next }
	/./ { flush() }
	END { flush() }' "$1"
}

# kind_of COMMAND: how tests/readme.except wants it, and note that its line fits.
kind_of() {
	local begin kind i=0
	while IFS='|' read -r begin kind _; do
		i=$((i + 1))
		begin=${begin%"${begin##*[! ]}"}
		case $1 in "$begin"*)
			touch "$scratch/used.$i"
			echo $kind
			return ;;
		esac
	done < <(grep -v '^#' tests/readme.except)
}

fail() {
	[ ! -s "$scratch/out" ] || tail -n 30 "$scratch/out"
	echo "tests/readme.sh: $*"
	exit 1
}

# A variable that no program looks at would change nothing.
check_variables() {
	local word
	for word in $1; do
		case $word in
		GSHMEM_*=*) grep -q "\`${word%%=*}\`" "$tree/docs/env.md" || fail "$where: docs/env.md lacks ${word%%=*}" ;;
		PREFIX=* | PATH=*) ;;
		*=*) fail "$where: a variable that this test does not know: $word" ;;
		*) return ;;
		esac
	done
}

# compare: the output beside what the page shows, if it shows any.
compare() {
	local line
	[ -s "$scratch/shown" ] || return 0
	if grep -qx '\.\.\.' "$scratch/shown"; then
		while read -r line; do
			[ "$line" = ... ] || grep -qxF -e "$line" "$scratch/out" || fail "$where: does not print: $line"
		done <"$scratch/shown"
	elif ! diff <(sort "$scratch/shown") <(sort "$scratch/out"); then
		fail "$where: prints other lines (>) than the page shows (<)"
	fi
}

# run COMMAND: in this shell, where later commands find what it changed.
run() {
	local kind rc
	kind=$(cd "$tree" && kind_of "$1")
	[ "$kind" != "not run" ] || return 0
	echo "$where: $1"
	check_variables "$1"
	# shellcheck disable=SC2294 # the command is a line of shell
	case $kind in
	after\ *) (cd "$tree" && eval "${kind#after }" && eval "$1") >"$scratch/out" 2>&1 </dev/null ;;
	*) eval "$1" >"$scratch/out" 2>&1 </dev/null ;;
	esac
	rc=$?
	if [ "$kind" = fails ]; then
		[ $rc -ne 0 ] || fail "$where: $1: succeeds"
	else
		[ $rc -eq 0 ] || fail "$where: $1: exit $rc"
	fi
	case $kind in '' | after*) compare ;; esac
}

# In the new root: run the commands of all pages.
inside() {
	local command next line n page
	tree=$PWD scratch=$(mktemp -d)
	awk '/^```/ { if (code++) exit; next } code' README.md >ring.hip # README's program
	for page in $pages; do
		cd "$tree" || exit
		commands "$page" >"$scratch/commands"
		[ "$(grep -c '^[0-9]' "$scratch/commands")" -ge 10 ] || fail "$page: finds no commands"
		command=''
		while read -r line <&3 || [ -n "$command" ]; do
			case $line in
			'>'*) echo "${line#>}" >>"$scratch/shown"; continue ;;
			esac
			next=$line line=''
			if [ -n "$command" ]; then
				n=${command%%:*} where=$page:$n
				: >"$scratch/out"
				run "${command#*:}"
			fi
			: >"$scratch/shown"
			command=$next
		done 3<"$scratch/commands"
	done
	: >"$scratch/out"
	n=$(grep -vc '^#' "$tree/tests/readme.except")
	for ((line = 1; line <= n; line++)); do
		[ -e "$scratch/used.$line" ] ||
			fail "tests/readme.except: fits no command:" \
				"$(grep -v '^#' "$tree/tests/readme.except" | sed -n "${line}p")"
	done
}
if [ "${1-}" = inside ]; then
	inside
	exit
fi

# shellcheck source=tests/debian_root.sh
. "$here/tests/debian_root.sh"
debian_root_needs
work=$(mktemp -d) || exit
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM
# git and make are what README asks for. It does not name pkg-config and cmake, which some of its lines call.
debian_root_make "$work/root" --include=git,make,ca-certificates,pkg-config,cmake ||
	{ echo "tests/readme.sh: debootstrap fails"; exit 1; }
mkdir "$work/root/root/gshmem"
tar -C "$here" --exclude=./build --exclude=./.git -cf - . |
	tar -C "$work/root/root/gshmem" --no-same-owner -xf -
debian_root_run "$work/root" 'cd gshmem && exec bash tests/readme.sh inside' >"$work/log" 2>&1
rc=$?
[ $rc -eq 0 ] || tail -n 60 "$work/log"
if [ $rc -eq 0 ] && ! grep -q '^docs/tutorial.md:' "$work/log"; then
	echo "tests/readme.sh: runs no command of the tutorial"
	exit 1
fi
exit $rc
