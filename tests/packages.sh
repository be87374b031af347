#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3600
#
# Debian's packages: the commands of docs/debian.md build them in a Debian 12, and lintian finds no error; then
# debian/tests pass in a second one that has nothing but the packages and what these bring, no source tree and no
# build. After apt-get purge no file of gshmem is left there.

set -u
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/tests/debian_root.sh"

fail() {
	echo "tests/packages.sh: $*"
	exit 1
}

# quiet WHAT COMMAND...: prints the end of the command's output only if it fails.
quiet() {
	local what=$1
	shift
	"$@" >"$work/log" 2>&1 || {
		tail -n 60 "$work/log"
		fail "$what fails"
	}
}

version=$(sed -n 's/^.define GSHMEMX_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' "$here/include/gshmem/api/version.h" |
	paste -sd .)
packaged=$(sed -n '1s/^gshmem (\(.*\)-[^-]*) .*/\1/p' "$here/debian/changelog")
[ "$version" = "$packaged" ] || fail "debian/changelog has version $packaged, version.h $version"

debian_root_needs
work=$(mktemp -d) || exit
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM
clean=$work/clean build=$work/build
quiet debootstrap debian_root_make "$clean" --include=ca-certificates
echo 'APT::Get::Assume-Yes "true";' >"$clean/etc/apt/apt.conf.d/90yes"
quiet apt-get debian_root_run "$clean" 'apt-get update && useradd -m user'
cp -a "$clean" "$build"

mkdir "$build/home/user/gshmem"
tar -C "$here" --exclude=./build --exclude=./.git --exclude=./config.mk -cf - . |
	tar -C "$build/home/user/gshmem" --no-same-owner -xf -
# commands WHO: the commands of docs/debian.md under "Building": root's call apt-get.
commands() {
	sed -n '/^## Building/,/^## Using/s/^    //p' "$here/docs/debian.md" |
		if [ "$1" = root ]; then grep apt-get; else grep -v apt-get; fi
}
commands root >"$build/home/user/as-root"
commands user >"$build/home/user/as-user"
grep -q build-dep "$build/home/user/as-root" || fail "docs/debian.md lacks the command apt-get build-dep"
grep -q lintian "$build/home/user/as-user" || fail "docs/debian.md lacks the command lintian"
quiet "docs/debian.md: $(commands root)" debian_root_run "$build" \
	'chown -R user: /home/user && cd /home/user/gshmem && bash -ex ../as-root'
quiet "docs/debian.md: $(commands user)" debian_root_run "$build" \
	'cd /home/user/gshmem && runuser -u user -- bash -ex ../as-user'
! grep '^[EW]: ' "$work/log" || echo "lintian has no errors, but the warnings above"

mkdir -p "$clean/home/user/gshmem" "$clean/root/packages"
cp "$build"/home/user/*.deb "$clean/root/packages"
rm "$clean"/root/packages/*-dbgsym_*
rm -rf --one-file-system "$build"
# What debian/tests reads of the sources.
tar -C "$here" -cf - README.md debian/tests tests/outside tests/python python/examples |
	tar -C "$clean/home/user/gshmem" --no-same-owner -xf -
tests=$(sed -n 's/^Tests: //p' "$here/debian/tests/control")
depends=$(sed -n 's/^Depends: //p' "$here/debian/tests/control" | tr -s ', ' '\n' | grep -v gshmem | tr '\n' ' ')
packages=$(sed -n 's/^Package: //p' "$here/debian/control" | tr '\n' ' ')
quiet "apt-get install" debian_root_run "$clean" \
	"chown -R user: /home/user && apt-get install --no-install-recommends ./packages/*.deb $depends"
for test in $tests; do
	quiet "debian/tests/$test" debian_root_run "$clean" \
		"cd /home/user/gshmem && runuser -u user -- env HOME=/home/user debian/tests/$test"
done
quiet "apt-get purge" debian_root_run "$clean" "apt-get purge $packages"
left=$(cd "$clean" && find . -xdev -name '*gshmem*' ! -path './home/*' ! -path './root/*' ! -path './tmp/*')
[ -z "$left" ] || fail "apt-get purge leaves $left"
