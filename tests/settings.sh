#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# The settings file: which file is read, its lines, what comes before what, errors in it, and what gshmem-info
# says of it. docs/env.md promises this. B names the build; MPIRUN the launcher.

cd "$(dirname "$0")/.." || exit
: "${MPIRUN:=mpirun}" "${B:=build/cpu}"
info=$PWD/$B/bin/gshmem-info status=0
[[ $B != /* ]] || info=$B/bin/gshmem-info
if [ ! -x "$info" ]; then
	echo "$info is not built"
	exit 77
fi
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
unset "${!GSHMEM_@}" NVSHMEM_SYMMETRIC_SIZE ROCSHMEM_HEAP_SIZE SHMEM_SYMMETRIC_SIZE SMA_SYMMETRIC_SIZE
export HOME=$work
file=$work/.gshmem.conf

complain() {
	echo "settings: $*" >&2
	sed 's/^/    /' "$work/log" >&2
	status=1
}

# says NAME VALUE FROM [VARIABLE...]: with these variables, gshmem-info has this value of NAME, from there.
says() {
	env "${@:4}" "$info" --json >"$work/log" 2>&1 || complain "gshmem-info fails, with ${*:4}"
	grep -A 3 "^ *\"name\": \"$1\",$" "$work/log" | tr -d '\n' | sed 's/  */ /g' |
		grep -qF "\"value\": \"$2\", \"set\": \"$([ "$3" = default ] && echo no || echo yes)\", \"from\": \"$3\"" ||
		complain "expected $1=$2 from $3, with ${*:4}"
}

# refused TEXT LINE: with this line, its number and the text are the only message, and the job does not start.
refused() {
	printf '# a comment\n%s\n' "$2" >"$work/bad.conf"
	if GSHMEM_CONFIG=$work/bad.conf $MPIRUN -n 2 "$info" >"$work/log" 2>&1; then
		complain "the job starts with the line $2"
	fi
	[ "$(grep -cF "gshmem: pe 0: $work/bad.conf:2: $1" "$work/log")" = 1 ] || complain "expected one $1"
}

# 1. Lines, and where values come from.
says GSHMEM_HEAP_SIZE 1g default
"$info" >"$work/log" && grep -q '^settings_file          none$' "$work/log" ||
	complain "a file that is not there is named"
cat >"$file" <<END
# a comment, and an empty line

GSHMEM_HEAP_SIZE = 64m   # of each PE
GSHMEM_TEAMS=100
	WATCHDOG =7.5
CPU_WAVE=32$(printf '\r')
GSHMEM_TRACE=$work/a b#c
END
printf 'CPU_DEVICES = 3' >>"$file" # the last line need not end
says GSHMEM_HEAP_SIZE 64m "$file:3"
says GSHMEM_TEAMS 100 "$file:4"
says GSHMEM_WATCHDOG 7.5 "$file:5"
says GSHMEM_CPU_WAVE 32 "$file:6"
says GSHMEM_TRACE "$work/a b#c" "$file:7"
says GSHMEM_CPU_DEVICES 3 "$file:8"
says GSHMEM_CHECK 0 default
"$info" >"$work/log" || complain "gshmem-info fails"
for line in "settings_file          $file" "* GSHMEM_HEAP_SIZE       64m      $file:3  bytes of " \
	"  GSHMEM_CHECK           0        default       1: " "  bytes                  67108864"; do
	grep -qF -- "$line" "$work/log" || complain "gshmem-info does not print $line"
done
# they hold: 3 devices of waves of 32; the file of the timeline
[ "$(grep -c '^    wave  *32$' "$work/log")" = 4 ] || complain "the cpu platform does not read the file"
[ -s "$work/a b#c" ] || complain "GSHMEM_TRACE of the file writes nothing"
# who reaches whom is printed before the sizes
[ "$(grep -nE '^(devices|pes|heap|internal_memory|environment)$' "$work/log" | cut -d: -f2 | tr '\n' ' ')" = \
	"devices pes heap internal_memory environment " ] || complain "the parts of gshmem-info have another order"

# 2. The environment comes before the file, by any name; empty is not set.
says GSHMEM_HEAP_SIZE 32m environment GSHMEM_HEAP_SIZE=32m NVSHMEM_SYMMETRIC_SIZE=2m
says GSHMEM_HEAP_SIZE 2.5m NVSHMEM_SYMMETRIC_SIZE NVSHMEM_SYMMETRIC_SIZE=2.5m
says GSHMEM_HEAP_SIZE 64m "$file:3" GSHMEM_HEAP_SIZE= NVSHMEM_SYMMETRIC_SIZE=
says GSHMEM_CPU_WAVE 64 environment GSHMEM_CPU_WAVE=64

# 3. GSHMEM_CONFIG in place of the home folder's file.
echo 'TEAMS = 50' >"$work/named"
says GSHMEM_TEAMS 50 "$work/named:1" GSHMEM_CONFIG="$work/named"
says GSHMEM_HEAP_SIZE 1g default GSHMEM_CONFIG="$work/named"
says GSHMEM_HEAP_SIZE 1g default GSHMEM_CONFIG=/dev/null
says GSHMEM_HEAP_SIZE 64m "$file:3" GSHMEM_CONFIG=
says GSHMEM_HEAP_SIZE 1g default HOME=/nonexistent
says GSHMEM_HEAP_SIZE 1g default -u HOME
for path in "$work/missing:No such file" "$work:Is a directory" "/dev/zero:the line is not text"; do
	! GSHMEM_CONFIG=${path%%:*} "$info" >"$work/log" 2>&1 ||
		complain "gshmem-info runs with GSHMEM_CONFIG=${path%%:*}"
	grep -q "gshmem: pe 0: .*${path%%:*}.*: ${path#*:}" "$work/log" || complain "no message about ${path%%:*}"
done

# 4. Bad lines.
refused 'GSHMEM_HEAP_SIZE=lots: not a size' 'HEAP_SIZE = lots'
refused 'GSHMEM_TEAMS=1: must be a number from 8 to 65535' 'GSHMEM_TEAMS=1'
refused 'there is no environment variable GSHMEM_HEAPSIZE; did you mean GSHMEM_HEAP_SIZE?' 'HEAPSIZE=1g'
refused 'there is no environment variable GSHMEM_LEAKS any more: GSHMEM_CHECK=1 lists' 'GSHMEM_LEAKS=1'
refused 'expected NAME = value, as in GSHMEM_HEAP_SIZE = 64m, got GSHMEM_CHECK 1' 'GSHMEM_CHECK 1'
refused 'expected NAME = value, as in GSHMEM_HEAP_SIZE = 64m, got = 1' '= 1'
refused 'heap_size is not the name of a variable, such as GSHMEM_HEAP_SIZE' 'heap_size=1g'
refused 'export GSHMEM_CHECK is not the name of a variable' 'export GSHMEM_CHECK=1'
refused 'GSHMEM_CHECK has no value' 'GSHMEM_CHECK = # on'
refused 'the value of GSHMEM_TRACE begins with a quote' 'GSHMEM_TRACE="x"'
refused 'GSHMEM_CONFIG is read from the environment alone' 'GSHMEM_CONFIG=/dev/null'
refused 'GSHMEM_HIPCC is read from the environment alone' 'GSHMEM_HIPCC=g++'
refused "there is no environment variable $(printf '%070d' 0)" "$(printf '%070d' 0)=1"
refused 'the line has more than 4094 characters' "GSHMEM_TRACE=$(printf '%05000d' 0)"
printf 'TEAMS=20\nGSHMEM_TEAMS=20\n' >"$work/bad.conf"
! GSHMEM_CONFIG=$work/bad.conf "$info" >"$work/log" 2>&1 || complain "two lines for one variable are accepted"
grep -qF "$work/bad.conf:2: line 1 sets GSHMEM_TEAMS already" "$work/log" ||
	complain "no message about two lines"
echo 'CPU_WAVE=48' >"$work/bad.conf"
! GSHMEM_CONFIG=$work/bad.conf "$info" >"$work/log" 2>&1 || complain "a wave of 48 is accepted"
grep -qF "$work/bad.conf:1: GSHMEM_CPU_WAVE=48: expected 32 or 64" "$work/log" ||
	complain "no message about a wave of 48"

# 5. Each PE reads its own file, and what must be equal is compared.
mkdir "$work/0" "$work/1"
echo 'HEAP_SIZE=64m' >"$work/0/.gshmem.conf"
echo 'HEAP_SIZE=32m' >"$work/1/.gshmem.conf"
# shellcheck disable=SC2016 # of the inner shell
! $MPIRUN -n 2 sh -c 'HOME=$0/${PMI_RANK-$OMPI_COMM_WORLD_RANK} exec "$@"' "$work" "$info" >"$work/log" 2>&1 ||
	complain "heaps of two sizes are accepted"
grep -q 'the heap has 67108864 bytes on PE 0 but 33554432 on PE 1' "$work/log" ||
	complain "no message about two sizes"

# 6. Programs without init, and OpenSHMEM's.
cat >"$work/hip.c" <<'END'
#include <gshmem.h>
#include <hip/hip_runtime_api.h>
#include <stdio.h>
int main(void)
{
	hipDeviceProp_t prop;
	return hipGetDeviceProperties(&prop, 0) != hipSuccess || printf("wave %d\n", prop.warpSize) < 0;
}
END
cat >"$work/shmem.c" <<'END'
#include <shmem.h>
#include <stdio.h>
int main(void)
{
	shmem_init();
	puts(shmem_malloc(48 << 20) ? "large" : "small");
	shmem_finalize();
}
END
"$B/bin/gshmemcc" "$work/hip.c" -o "$work/hip" >"$work/log" 2>&1 || complain "hip.c does not build"
"$B/bin/gshmemcc" --shmem "$work/shmem.c" -o "$work/shmem" >"$work/log" 2>&1 ||
	complain "shmem.c does not build"
"$work/hip" >"$work/log" 2>&1 && grep -q 'wave 32' "$work/log" ||
	complain "a HIP program does not have the file's wave"
echo 'nothing' >"$work/bad.conf"
! GSHMEM_CONFIG=$work/bad.conf "$work/hip" >"$work/log" 2>&1 || complain "a HIP program runs with a bad file"
grep -q 'bad.conf:1: expected NAME' "$work/log" || complain "a HIP program says nothing of a bad file"
for case in 'large' 'small SHMEM_SYMMETRIC_SIZE=8m' 'small SMA_SYMMETRIC_SIZE=8m' \
	'large SHMEM_SYMMETRIC_SIZE=8m GSHMEM_HEAP_SIZE=64m'; do
	read -r -a words <<<"$case"
	env "${words[@]:1}" "$work/shmem" >"$work/log" 2>&1 && grep -qx "${words[0]}" "$work/log" ||
		complain "an OpenSHMEM program: expected a heap that is $case"
done

# 7. Every variable of docs/env.md can be in the file, and nothing reads one around it.
"$info" --json | sed -n 's/^ *"name": "\(GSHMEM_[A-Z_]*\)",$/\1/p' | grep -vx GSHMEM_CONFIG >"$work/names"
[ "$(wc -l <"$work/names")" -gt 30 ] || complain "gshmem-info lists few variables"
while read -r name; do
	default=$(sed -n "s/^| \`$name\` | [^|]* | \`\([^\`]*\)\` .*/\1/p" docs/env.md)
	case $name in
	*_MPI_LIBRARY | *_TRACE | *_RACES | *_LAUNCHES) default=$work/${name#GSHMEM_} ;;
	*_UID_ADDRESS) default=lo ;;
	*_CARRY) default=2 ;;
	*_PES_PER_NODE) default=1 ;;
	*_DELIVERY | *_DIVERGE) default=random:1 ;;
	*_MEMORY) default=8g ;;
	*_SPIN) default=16 ;;
	*_LINKS) default=0-1:plain ;;
	*_FAIL) default=hipMemcpy:1000000 ;;
	esac
	echo "$name = $default"
done <"$work/names" >"$file"
"$info" --json >"$work/log" 2>&1 || complain "a file of all variables is refused"
[ "$(grep -c "^ *\"from\": \"$file:[0-9]*\",$" "$work/log")" = "$(wc -l <"$work/names")" ] ||
	complain "the file does not cover all: $(grep -B 3 '"from": "default"' "$work/log")"
! grep -rn 'getenv("GSHMEM_' src platform | grep -v -e '_CONFIG"' -e '_HEAP_SIZE"' >"$work/log" ||
	complain "these read the environment around src/base/settings.c"
exit $status
