#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
#
# make dist packs the same bytes wherever and however it runs, and the package builds and installs without
# git. It packs HEAD, so uncommitted changes are not tested. MAKE names the command.

set -eu
: "${MAKE:=make}"
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL B PREFIX LIBDIR DESTDIR CFLAGS
umask 022

if ! commit=$(git -C "$top" log -1 --format=%ct 2>/dev/null) || [ ! -e "$top/.git" ]; then
	echo "needs git and a checkout"
	exit 77
fi

fail() {
	echo "tests/install: $*"
	exit 1
}

# quiet COMMAND...: prints the command's output only if it fails.
quiet() {
	"$@" >"$work/log" 2>&1 || {
		cat "$work/log"
		fail "failed: $*"
	}
}

# Two clones, with different folders, time zones, locales and umasks.
for clone in one another; do
	quiet git clone -q "file://$top" "$work/$clone"
done
(cd "$work/one" && quiet env PLATFORM=cpu TZ=UTC LC_ALL=C "$MAKE" dist)
touch "$work/another/new"
(umask 077 && cd "$work/another" && quiet env PLATFORM=cpu TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$MAKE" dist)
grep -q 'the archive has HEAD' "$work/log" || fail "make dist says nothing of a file that is not in HEAD"
archive=$(cd "$work/one/build" && echo gshmem-*.tar.gz)
cmp "$work/one/build/$archive" "$work/another/build/$archive" || fail "two archives of one commit differ"

time=$(od -An -tx1 -j4 -N4 "$work/one/build/$archive" | tr -d ' ')
[ "$time" = 00000000 ] || fail "the archive holds the time at which it was packed"

tar -tzf "$work/one/build/$archive" >"$work/names"
LC_ALL=C sort -c "$work/names" || fail "the names are not sorted"
name=${archive%.tar.gz}
! grep -v "^$name/" "$work/names" || fail "these are not below $name/"
TZ=UTC tar -tvzf "$work/one/build/$archive" --numeric-owner --full-time >"$work/list"
awk -v time="$(date -u -d "@$commit" '+%Y-%m-%d %H:%M:%S')" \
	'$2 != "0/0" || $4 " " $5 != time || $1 !~ /^(d|-)rw.r-.r-.$/' "$work/list" >"$work/odd"
[ ! -s "$work/odd" ] || fail "owner, time or mode are not the commit's: $(head -n 3 "$work/odd")"

# Without git: a git that reports when it is called. Unoptimized, since nothing runs.
mkdir "$work/bin"
printf '#!/bin/sh\necho "git $*" >>%s/called\nexit 1\n' "$work" >"$work/bin/git"
chmod +x "$work/bin/git"
cd "$work"
tar -xzf "one/build/$archive"
cd "$name"
PATH=$work/bin:$PATH
quiet env PLATFORM=cpu "$MAKE" -j2 CFLAGS=-O0 lib tools
quiet env PLATFORM=cpu "$MAKE" CFLAGS=-O0 PREFIX="$work/usr" install
[ ! -e "$work/called" ] || fail "make calls git: $(cat "$work/called")"
if env PLATFORM=cpu "$MAKE" dist >"$work/log" 2>&1 || ! grep -q 'make dist: needs git' "$work/log"; then
	fail "make dist without git does not say that it needs it"
fi
cat >hello.c <<'END2'
#include <gshmem.h>
int main(void)
{
	return GSHMEM_MAJOR_VERSION != 1;
}
END2
quiet "$work/usr/bin/gshmemcc" hello.c -o hello
quiet ./hello
