#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# The manual pages: each public name has one, man formats all of them without a warning, and whatis and apropos
# find them. gshmem(7) has each row of docs/env.md, and the pages of the commands each of their options. B names
# the build. The pages and their index are made in a folder of this test.

cd "$(dirname "$0")/../.." || exit
: "${B:=build/cpu}"
for tool in mandb lexgrog groff; do
	command -v $tool >/dev/null || { echo "needs man-db, for $tool"; exit 77; }
done
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
man=$work/man
status=0

fail() {
	echo "tests/manual/pages: $*"
	status=1
}

tools/man/pages calls "$man" && tools/man/pages write "$man" 1.2.3 || exit 1

# ---- names ----

B=$B tests/manual/names.sh >"$work/names"
[ "$(wc -l <"$work/names")" -gt 6000 ] || fail "only $(wc -l <"$work/names") public names"
while read -r name; do
	[ -s "$man/man3/$name.3" ] || fail "$name has no page"
done <"$work/names" | sed 8q >"$work/missing"
[ ! -s "$work/missing" ] || { cat "$work/missing"; status=1; }
for pair in gshmem_long_put:gshmem_TYPENAME_put gshmem_put:gshmem_TYPENAME_put gshmem_ctx_int_put8:- \
	gshmemx_int_broadcast_wg:gshmem_TYPENAME_broadcast gshmemx_float_put_nbi_wave:gshmemx_TYPENAME_put_SCOPE \
	gshmem_ctx_long_p:gshmem_ctx_TYPENAME_put gshmemx_win_double_put_wg:gshmemx_win_fence \
	gshmem_sum_reduce:gshmem_TYPENAME_broadcast gshmem_free:gshmem_malloc GSHMEM_CMP_LE:GSHMEM_CMP_EQ; do
	page=$(readlink -f "$man/man3/${pair%:*}.3")
	[ "${page##*/}" = "${pair#*:}.3" ] || [ "${pair#*:}" = - ] || fail "the page of ${pair%:*} is ${page##*/}"
done
[ ! -e "$man/man3/gshmem_ctx_int_put8.3" ] || fail "a call that does not exist has a page"

# ---- man, whatis and apropos ----

find "$man" -name '*.[137]' -type f | sort >"$work/files"
[ "$(wc -l <"$work/files")" -gt 100 ] || fail "only $(wc -l <"$work/files") pages"
xargs groff -man -Tutf8 -ww -z <"$work/files" >"$work/log" 2>&1
[ ! -s "$work/log" ] || fail "man warns: $(head -n 5 "$work/log")"
xargs lexgrog <"$work/files" >"$work/log" 2>&1 || fail "lexgrog: $(grep -v '"$' "$work/log" | head -n 5)"
! grep -E ' - *"$' "$work/log" || fail "these names have no text"
# As wide as a terminal is: text is filled, and code is broken.
for page in 3/gshmem_TYPENAME_put.3 3/gshmem_TYPENAME_broadcast.3 3/gshmemx_win_fence.3 3/gshmemx_team_create.3 \
	1/gshmemcc.1 1/gshmem-info.1 7/gshmem.7; do
	MANWIDTH=80 man -l "$man/man$page" 2>/dev/null | awk 'length > 80' >"$work/log"
	[ ! -s "$work/log" ] || fail "$page is wider than 80 columns: $(head -n 1 "$work/log")"
done

printf 'MANDATORY_MANPATH %s\nMANDB_MAP %s %s\n' "$man" "$man" "$work/index" >"$work/conf"
mkdir "$work/index"
mandb -C "$work/conf" -q -c "$man" >"$work/log" 2>&1 || fail "mandb: $(cat "$work/log")"
[ ! -s "$work/log" ] || fail "mandb says: $(head -n 5 "$work/log")"
# says TEXT COMMAND WORD: what whatis or apropos prints has this line.
says() {
	"$2" -C "$work/conf" -M "$man" "$3" >"$work/log" 2>&1
	grep -qE "$1" "$work/log" || fail "$2 $3 does not say: $1: $(head -n 3 "$work/log")"
}
says '^gshmem_long_put \(3\) *- copy from source here to dest on pe' whatis gshmem_long_put
says '^gshmem_quiet \(3\) .*have arrived' whatis gshmem_quiet
says '^gshmemx_win_flush \(3\)' whatis gshmemx_win_flush
says '^GSHMEM_TEAM_WORLD \(3\)' whatis GSHMEM_TEAM_WORLD
says '^oshc\+\+ \(1\) .*OpenSHMEM' whatis oshc++
says '^gshmem_TYPENAME_put_signal \(3\) .*then update a signal' apropos 'update a signal'
says '^gshmem_set_lock \(3\)' apropos 'lock is free'
says '^gshmem \(7\)' apropos 'OpenSHMEM between GPUs'
page=$(man -C "$work/conf" -M "$man" -w gshmem_long_put)
[ "$page" = "$man/man3/gshmem_TYPENAME_put.3" ] || fail "man gshmem_long_put shows: $page"
MANWIDTH=80 man -C "$work/conf" -M "$man" gshmem_long_put 2>/dev/null | grep -q 'gshmem 1\.2\.3' ||
	fail "the page does not name the version"

# ---- variables and options ----

MANWIDTH=2000 man -l "$man/man7/gshmem.7" 2>/dev/null | sed 's/  */ /g' >"$work/text"
awk -F ' *[|] *' '/^\| `GSHMEM_/ { gsub(/`/, ""); print $2 "|" $5 " (value: " $3 "; default: " $4 ")" }' \
	docs/env.md >"$work/rows"
[ "$(wc -l <"$work/rows")" -gt 30 ] || fail "docs/env.md has only $(wc -l <"$work/rows") rows"
while IFS='|' read -r name text; do
	grep -q "^ $name\b" "$work/text" || fail "gshmem(7) lacks $name"
	grep -qF -e "$text" "$work/text" || fail "gshmem(7) does not say of $name: $text"
done <"$work/rows"
# options COMMAND TOOL: those that its --help names are in its page.
options() {
	"$2" --help 2>&1 | grep -oE -e '--[a-z][a-z-]+' | sort -u >"$work/options"
	[ -s "$work/options" ] || fail "$2 --help names no options"
	while read -r option; do
		grep -q -e "\`$option\b" "docs/man/$1.md" || fail "docs/man/$1.md lacks $option"
	done <"$work/options"
}
options gshmemcc "$B/bin/gshmemcc"
options gshmem-info "$B/bin/gshmem-info"
exit $status
