#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
#
# Builds the project of this folder with its Makefile against an installed gshmem, with gshmemcc and with only
# pkg-config, and runs it. B names the build that is installed; MAKE and MPIRUN name the commands.

set -eu
: "${MAKE:=make}" "${MPIRUN:=mpirun}" "${B:=build/cpu}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quiet COMMAND...: prints the command's output only if it fails.
quiet() {
	"$@" >"$work/log" 2>&1 || {
		cat "$work/log"
		echo "tests/outside: failed: $*"
		exit 1
	}
}

# shellcheck disable=SC2086 # LOCK is words: what keeps other tests from a make in this tree
quiet ${LOCK-} "$MAKE" --no-print-directory -C "$here/../.." B="$B" PREFIX="$work/usr" install
# Variables of a calling make must not reach the project.
unset MAKEFLAGS MFLAGS MAKELEVEL CC HIPCC CFLAGS CPPFLAGS LINK LIBS
cp -r "$here" "$work/project"
quiet env PATH="$work/usr/bin:$PATH" "$MAKE" -C "$work/project" OUT=wrapper
quiet env PKG_CONFIG_PATH="$work/usr/lib/pkgconfig" "$MAKE" -C "$work/project" OUT=plain WITH=pkg-config
cd /
for program in wrapper/ring wrapper/hello plain/ring; do
	quiet "$MPIRUN" -n 3 "$work/project/$program"
done
