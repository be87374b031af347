#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/manual/names.sh - print every public name: the functions that the library exports, those that a unit with
# kernels has, and the types and constants of the public headers. B names the build. The tests of this folder
# look each name up in the manual.

cd "$(dirname "$0")/../.." || exit
: "${B:=build/cpu}"
headers='include/gshmem.h include/gshmemx.h include/gshmemx_win.h include/gshmemx_mpi.h'
# shellcheck disable=SC2086 # a list of words
{
	nm -D --defined-only --without-symbol-versions "$B/lib/libgshmem.so" | awk '$3 ~ /^gshmem/ { print $3 }'
	printf '#include <%s>\n' gshmem.h gshmemx_win.h | "$B/bin/gshmemcc" -x hip -E - |
		grep -oE '\bgshmemx?_[A-Za-z0-9_]+ ?\(' | tr -d ' ('
	sed -n 's/^#define \(GSHMEMX\{0,1\}_[A-Z0-9_]*[A-Z0-9]\)\( .*\|$\)/\1/p' $headers |
		grep -vxE 'GSHMEMX?(_WIN|_MPI)?_H'
	sed -nE 's/^(typedef .*[ *]|\} )(gshmemx?_[a-z0-9_]+);.*/\2/p; s/^struct (gshmemx_[a-z_]+) \{$/\1/p' $headers
	awk '/^enum/ { on = 1 } on { sub(/\/\*.*/, ""); print } /}/ { on = 0 }' $headers |
		grep -oE '\bGSHMEMX?_[A-Z0-9_]+'
} | grep -xE '(gshmem|GSHMEM)x?X?_[A-Za-z0-9_]+' | LC_ALL=C sort -u
