#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1200
#
# On the cpu platform library, tools and a test compile and link for aarch64 without a warning. MPICH's
# headers are this machine's; there is no library for aarch64, so its symbols stay undefined.

. "$(dirname "$0")/compile"
target=aarch64-linux-gnu
tree=$builds/aarch64
program=$tree/tests/platform/wave

for tool in gcc g++ nm; do
	command -v $target-$tool >/dev/null || {
		echo "$target-$tool is not here"
		exit 77
	}
done
rm -rf "$tree"
mkdir -p "$tree"
$MAKE --no-print-directory -k -j"$(nproc)" PLATFORM=cpu B="$tree" CC=$target-gcc HIPCC=$target-g++ AR=$target-ar LD=$target-ld \
	NM=$target-nm CFLAGS='-O1 -g1 -Werror' MPI_LIBS= LDFLAGS=-Wl,--unresolved-symbols=ignore-all \
	lib tools "$program" >"$tree/log" 2>&1 || {
	grep -E 'error|warning|undefined' "$tree/log" || tail -n 20 "$tree/log"
	exit 1
}
for made in "$program" "$tree/lib/libgshmem.so" "$tree/lib/libgshmem_shmem.so" "$tree/bin/gshmem-info"; do
	$target-readelf -h "$made" | grep -q 'Machine: *AArch64' || {
		echo "$made is not for aarch64"
		exit 1
	}
done
# A symbol that is neither MPI's nor the system's would be undefined, too.
open=$($target-nm -D --undefined-only "$tree/lib/libgshmem.so" | awk '$2 !~ /@|^(MPIX?_|_ITM_|__gmon_start__)/ { print $2 }')
[ -z "$open" ] || {
	echo "libgshmem.so has symbols that nothing defines: $open"
	exit 1
}
rm -rf "$tree"
