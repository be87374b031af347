#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# The web pages of the manual: tests/manual/web.py checks that they are well-formed, that no link is dead, and that
# the search finds each public name. A link to nothing in a page of Markdown is an error of tools/man/html. Where
# Chromium is installed, the search answers in it, from a file and without a network. B names the build.

cd "$(dirname "$0")/../.." || exit
: "${B:=build/cpu}"
for tool in cmark-gfm python3; do
	command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }
done
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT

fail() {
	echo "tests/manual/web: $*"
	exit 1
}

B=$B tests/manual/names.sh >"$work/names"
grep -oE '`GSHMEM_[A-Z_]+` \|' docs/env.md | tr -d '`| ' >>"$work/names"
tools/man/pages calls "$work" || fail "tools/man/pages fails"
tools/man/html "$work/html" "$work/calls" 1.2.3 >"$work/log" 2>&1 || fail "tools/man/html: $(tail -n 5 "$work/log")"
[ ! -s "$work/log" ] || fail "tools/man/html prints: $(head -n 3 "$work/log")"
python3 tests/manual/web.py "$work/html" "$work/names" || fail "the pages above are not right"
tools/man/html "$work/again" "$work/calls" 1.2.3 && diff -r "$work/html" "$work/again" >"$work/log" ||
	fail "two runs differ: $(head -n 3 "$work/log")"

# A page with dead links.
mkdir "$work/tree"
tar --exclude=./build --exclude=./.git -cf - . | tar -C "$work/tree" -xf - || fail "cannot copy the tree"
echo 'See [nothing](nothing.md) and [there](tutorial.md#nowhere).' >>"$work/tree/docs/env.md"
if (cd "$work/tree" && tools/man/html "$work/dead" "$work/calls" 1.2.3) >"$work/log" 2>&1; then
	fail "tools/man/html accepts a link to a page that does not exist"
fi
grep -q 'docs/env.md: docs/nothing.md: there is no such file' "$work/log" || fail "tools/man/html says: $(cat "$work/log")"
[ ! -e "$work/dead" ] || fail "tools/man/html leaves half a manual"
sed -i 's/\[nothing\](nothing.md) and //' "$work/tree/docs/env.md"
(cd "$work/tree" && tools/man/html "$work/dead" "$work/calls" 1.2.3) >"$work/log" 2>&1 || fail "$(cat "$work/log")"
python3 tests/manual/web.py "$work/dead" "$work/names" >"$work/log" && fail "tests/manual/web.py accepts a dead anchor"
grep -q 'docs/env.html: dead link: tutorial.html#nowhere' "$work/log" || fail "tests/manual/web.py says: $(cat "$work/log")"

browser=$(command -v chromium) || exit 0
# hit QUERY NAME: the first hit of a search.
hit() {
	HOME=$work timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom \
		"file://$work/html/search.html?q=$1" 2>/dev/null | grep -o '<li><a href="[^"]*"><b>[^<]*</b>' >"$work/hits"
	grep -o '<li><a href="[^"]*"><b>[^<]*' "$work/hits" | sed -n '/href="\(calls\|docs\)/{s/.*"><b>//p;q}' >"$work/first"
	[ "$(cat "$work/first")" = "$2" ] || fail "the search for $1 finds first: $(cat "$work/first")"
}
hit gshmem_long_put gshmem_long_put
hit long+put+signal gshmem_long_put_signal
hit heap_size GSHMEM_HEAP_SIZE
# Calls come before the chapters that have their word.
hit put gshmem_put
hit barrier gshmem_barrier_all
