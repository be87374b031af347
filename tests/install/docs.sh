#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1800
#
# What make install brings beside the library: manual pages, documents, web pages, and examples that build
# where they are. It says what it has installed in a few lines, and with V=1 how. B names the build; MAKE and MPIRUN
# name the commands; LOCK is a command that keeps other tests from running make in this tree.

set -eu
: "${MPIRUN:=mpirun}" "${B:=build/cpu}"
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/usr
doc=$prefix/share/doc/gshmem
man=$prefix/share/man

fail() {
	[ ! -s "$work/log" ] || tail -n 30 "$work/log"
	echo "tests/install/docs: $*"
	exit 1
}

unset MAKEFLAGS MFLAGS # those of the make that runs the tests, whose jobserver is not here
# install WORD...: make install.
install() {
	${LOCK-} "${MAKE:-make}" --no-print-directory -C "$top" B="$B" PREFIX="$prefix" "$@" install >"$work/log" 2>&1 ||
		fail "make $* install fails"
}

# The first one may build; the second one prints nothing but what it has installed, each kind once.
install
install
grep -v '^  INST  *[^ ]*: [0-9]* files*$' "$work/log" | grep -v '^  without web pages' >"$work/odd" || true
[ ! -s "$work/odd" ] || fail "make install prints: $(cat "$work/odd")"
[ "$(wc -l <"$work/log")" -le 16 ] || fail "make install prints $(wc -l <"$work/log") lines"
grep -q "^  INST   $prefix/bin: " "$work/log" || fail "make install does not say what is in bin"
install V=1
grep -q '^install -d ' "$work/log" || fail "make install V=1 prints no commands"

for file in LICENSE README.md CONTRIBUTING.md docs/env.md docs/tutorial.md docs/man/gshmemcc.md \
	examples/Makefile examples/02_ring.hip examples/tutorial/plate.h apps/Makefile apps/cg/cg.h; do
	[ -f "$doc/$file" ] || fail "share/doc/gshmem/$file is not installed"
done
(cd "$doc" && find . -name '*.md' | while read -r page; do
	grep -oE '\]\([A-Za-z0-9_./-]+[)#]' "$page" | sed 's/^](//; s/[)#]$//' | sort -u | while read -r target; do
		[ -e "$(dirname "$page")/$target" ] || [ "$target" = DATE-GPU.md ] || echo "$page: $target"
	done
done) >"$work/dead"
[ ! -s "$work/dead" ] || fail "documents link to what is not installed: $(cat "$work/dead")"
for page in man1/gshmemcc.1 man1/oshcc.1 man1/oshc++.1 man1/gshmem-info.1 man1/gshmem-trace.1 man7/gshmem.7 \
	man3/gshmem_init.3 man3/gshmem_long_put.3 man3/gshmem.h.3; do
	[ -s "$man/$page" ] || fail "share/man/$page is not installed"
done
if command -v mandb >/dev/null && command -v man >/dev/null; then
	page=$(man -M "$man" -w gshmem_long_put) || fail "man does not find gshmem_long_put"
	[ "$page" = "$man/man3/gshmem_TYPENAME_put.3" ] || fail "man gshmem_long_put shows $page"
	# As gshmem(7) says: by PATH; and apropos after mandb.
	page=$(unset MANPATH; PATH=$prefix/bin:$PATH man -w gshmem_long_put 2>&1) || true
	[ "$page" = "$man/man3/gshmem_TYPENAME_put.3" ] || fail "with PREFIX/bin in PATH, man gshmem_long_put shows $page"
	mandb -q "$man" >"$work/log" 2>&1 || fail "mandb fails"
	apropos -M "$man" barrier >"$work/log" 2>&1 || true
	grep -q '^gshmem_barrier_all (3)' "$work/log" || fail "apropos barrier does not list gshmem_barrier_all"
fi
if "$top/tools/setup" -n docs >/dev/null 2>&1; then
	[ -f "$doc/html/index.html" ] && [ -f "$doc/html/calls/gshmem_init.html" ] || fail "the web pages are not installed"
fi

# As a user: a folder that may not be written, then another one, with no optimization to be quick.
touch "$work/file"
! make -C "$doc/examples" OUT="$work/file/x" >"$work/log" 2>&1 || fail "make OUT= below a file succeeds"
grep -q 'may not be written: name another folder' "$work/log" || fail "make OUT= below a file does not say why"
for folder in examples apps; do
	make -C "$doc/$folder" -k -j2 CFLAGS=-O0 OUT="$work/$folder" >"$work/log" 2>&1 ||
		fail "share/doc/gshmem/$folder: not all programs build"
done
[ "$(find "$doc/examples" "$doc/apps" -newer "$work/file" | wc -l)" = 0 ] || fail "make OUT= writes beside the sources"
for program in 01_hello 02_ring tutorial/1_mpi tutorial/5_put_signal windows/counter; do
	"$MPIRUN" -n 2 "$work/examples/$program" >"$work/log" 2>&1 || fail "examples/$program: exit $?"
done
rm "$work/examples/01_hello" "$work/examples/02_ring"
make -C "$doc/examples" OUT="$work/examples" "$work/examples/01_hello" >"$work/log" 2>&1 || fail "make 01_hello fails"
(cd "$doc/examples" && make CFLAGS=-O0 ./01_hello && ./01_hello && make clean && [ ! -e 01_hello ]) >"$work/log" 2>&1 ||
	fail "share/doc/gshmem/examples: make ./01_hello, make clean"
