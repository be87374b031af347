#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Everything that tells a version tells that of version.h: the names of the libraries' files, a text in them,
# gshmem-info, the files for CMake, the headers of OpenSHMEM's programs, the Python package, and the newest
# entry of CHANGELOG.md. B names the build.

cd "$(dirname "$0")/.." || exit
: "${B:=build/cpu}"
status=0
complain() {
	echo "version: $*" >&2
	status=1
}
number() {
	sed -n "s/^#define GSHMEMX_VERSION_$1 //p" include/gshmem/api/version.h
}

version=$(number MAJOR).$(number MINOR).$(number PATCH)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || complain "version.h has '$version'"
for library in libgshmem libgshmem_shmem; do
	soname=$(objdump -p "$B/lib/$library.so" | awk '$1 == "SONAME" { print $2 }')
	[ "$soname" = "$library.so.0" ] || complain "$library.so has the soname $soname"
	[ "$(readlink "$B/lib/$soname")" = "$library.so.$version" ] ||
		complain "$soname is no link to $library.so.$version"
	[ "$(readlink "$B/lib/$library.so")" = "$soname" ] || complain "$library.so is no link to $soname"
done
grep -aq "gshmem $version, OpenSHMEM 1.6, platform " "$B/lib/libgshmem.so" ||
	complain "libgshmem.so does not hold its version as a text"

if [ -x "$B/bin/gshmem-info" ]; then
	said=$("$B/bin/gshmem-info" --version) || complain "gshmem-info --version: exit $?"
	[[ $said == "gshmem $version, OpenSHMEM 1.6, platform "* ]] || complain "gshmem-info --version: $said"
	said=$("$B/bin/gshmem-info" --help 2>&1 >/dev/null) || complain "gshmem-info --help: exit $?"
	[ -z "$said" ] || complain "gshmem-info --help prints to stderr"
	"$B/bin/gshmem-info" --help | grep -q -e --version || complain "gshmem-info --help does not name --version"
	said=$("$B/bin/gshmem-info" --no-such-option 2>&1 >/dev/null)
	{ [ $? -eq 2 ] && [[ $said == *"no option --no-such-option"*usage:* ]]; } ||
		complain "gshmem-info takes an option that it has not, or does not name it: $said"
	said=$("$B/bin/gshmem-info" --json --scale 2>&1 >/dev/null)
	{ [ $? -eq 2 ] && [[ $said == *"--scale needs a number"* ]]; } || complain "gshmem-info --scale says: $said"
fi

grep -q "PACKAGE_VERSION \"$version\"" "$B/lib/cmake/gshmem/gshmem-config-version.cmake" ||
	complain "gshmem-config-version.cmake has another version"
name=$(printf '#include <shmem.h>\nSHMEM_VENDOR_STRING\n' |
	${CC:-cc} -E -P -I"$B/include" -Iinclude/gshmem/compat -x c - | tail -n 1 | tr -d '" ')
[ "$name" = "gshmem$version" ] || complain "shmem.h: SHMEM_VENDOR_STRING is $name"
grep -qx "VERSION = \"$version\"" python/gshmem/_library.py ||
	complain "python/gshmem/_library.py has another version"
[ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)" = "$version" ] ||
	complain "CHANGELOG.md does not begin with $version"
exit $status
