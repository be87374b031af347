#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
#
# A platform whose header lacks an entry of the list in arch.h, or has a function with a different
# signature, does not compile in C or C++, and the compiler's message has the name. The list
# itself compiles without a warning.

. "$(dirname "$0")/compile"
work=$builds/arch-list
rm -rf "$work"
mkdir -p "$work"
list=include/gshmem/arch/arch.h
nfailed=0

# compiles FLAG...: whether a unit compiles with $work/platform.h, which is the cpu
# platform's header with lines appended.
compiles() {
	echo '#include <gshmem/arch/arch.h>' |
		gcc "$@" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -Iinclude -Iplatform/cpu -I"$work" \
			-D__HIP_PLATFORM_CPU__=1 -D_GNU_SOURCE -DGSHMEM_ARCH_HEADER='"platform.h"' - >"$work/log" 2>&1
}

# refused MESSAGE LINE...: with these lines the unit must not compile, and the
# compiler must print this message.
refused() {
	message=$1
	shift
	{
		echo '#include <gshmem/arch/cpu.h>'
		printf '%s\n' "$@"
	} >"$work/platform.h"
	for language in '-x c++ -std=c++17 -D__HIPCC__=1' '-x c -std=c11 -DGSHMEMI_LIBRARY'; do
		# shellcheck disable=SC2086 # a list of words
		if compiles $language || ! grep -q "error.*$message" "$work/log"; then
			echo "$*: compiled with $language: expected an error: $message; got:"
			head -n 3 "$work/log"
			nfailed=$((nfailed + 1))
		fi
	done
}

# The conditions before `#error "... the platform lacks ..."`, one per line, however $list wraps them: what a
# platform must define and, of lines that begin with a capability, what it must define if it has that.
conditions=$(sed -e ':more' -e '/\\$/{N;s/\\\n//;b more' -e '}' $list |
	awk '/^#if/ { condition = $0 } /^#error.* the platform lacks / { print condition }')
macros=$(echo "$conditions" | grep -v '^#if GSHMEMI_ARCH_' | grep -o 'GSHMEMI_ARCH_[A-Z0-9_]*' |
	sed 's/GSHMEMI_ARCH_//' | sort)
# The tables explain all that is required. At least two spaces or a line's end follow a name.
explained=$(sed -n '/ what a platform gives /,/define GSHMEMI_ARCH_GIVES/p' $list |
	sed -nE 's/^ \* ([A-Z0-9_]{4,})(\([^)]*\))?(  .*)?$/\1/p' | sort)
[ "$macros" = "$explained" ] || {
	echo "$list checks for other macros than its tables explain: $macros, not $explained"
	exit 1
}
for name in $macros; do
	refused "lacks .*\<\(GSHMEMI_ARCH\)\?_$name\>" "#undef GSHMEMI_ARCH_$name"
done
nconditional=0
for line in $(echo "$conditions" | grep '^#if GSHMEMI_ARCH_' | tr -d ' \t'); do
	capability=${line#\#if} capability=${capability%%&&*}
	for name in $(echo "$line" | grep -o 'definedGSHMEMI_ARCH_[A-Z0-9_]*' | sed 's/definedGSHMEMI_ARCH_//'); do
		refused "lacks .*\<\(GSHMEMI_ARCH\)\?_$name\>" "#undef $capability" "#define $capability 1" \
			"#undef GSHMEMI_ARCH_$name"
		nconditional=$((nconditional + 1))
	done
done

# The cpu platform has neither of two capabilities; if it claims them, their functions are missing.
functions=$(sed -n 's/^GSHMEMI_ARCH_GIVES([^,]*, \([a-z0-9_]*\), (.*/\1/p' $list | grep -vE '^(wave_agrees|f16_.*)$')
refused gshmemi_arch_f16_to_float '#undef GSHMEMI_ARCH_HAS_F16' '#define GSHMEMI_ARCH_HAS_F16 1'
refused gshmemi_arch_wave_agrees '#undef GSHMEMI_ARCH_COMPARES_APART' '#define GSHMEMI_ARCH_COMPARES_APART 0'
for name in $functions; do
	refused "lacking_$name" "#define gshmemi_arch_$name lacking_$name"
	refused "gives gshmemi_arch_$name another signature" 'extern char other(char);' "#define gshmemi_arch_$name other"
done

# shellcheck disable=SC2086 # two lists of words
set -- $macros $functions
[ $# -gt 60 ] && [ $nconditional -ge 8 ] || {
	echo "$0: only $# names found in $list, and $nconditional that go with a capability"
	exit 1
}
echo '#include <gshmem/arch/cpu.h>' >"$work/platform.h"
if ! compiles -x c++ -std=c++17 -D__HIPCC__=1 || ! compiles -x c -std=c11 -DGSHMEMI_LIBRARY; then
	cat "$work/log"
	exit 1
fi
echo "$(($# + nconditional)) names, $nfailed that a platform may lack"
[ $nfailed -eq 0 ] && rm -rf "$work"
