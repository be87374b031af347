#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What is wrong with a compiler that CC= or HIPCC= names is said of that compiler, and of nothing else.

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	cat "$work/log"
	echo "tests/install/setup: $*"
	exit 1
}

# refused TEXT VARIABLE...: tools/setup fails with this text, and does not speak of MPI, which is here.
refused() {
	text=$1
	shift
	env PLATFORM=cpu CC=gcc HIPCC=g++ "$@" "$top/tools/setup" -n build >"$work/log" 2>&1 &&
		fail "$*: is taken"
	grep -q -e "$text" "$work/log" || fail "$*: does not say: $text"
	! grep -q MPI "$work/log" || fail "$*: speaks of MPI"
}

env PLATFORM=cpu CC=gcc HIPCC=g++ "$top/tools/setup" -n build >"$work/log" 2>&1 || fail "something is missing"
refused '^  clang-77 g++  *C compiler' CC=clang-77
refused '^  gcc-77 libc6-dev  *C compiler' CC=/usr/bin/gcc-77
refused '^  clang-77 g++  *C++ compiler' HIPCC="ccache clang++-77"
refused 'CC=nosuch: there is no such command' CC=nosuch
refused 'HIPCC=nosuch: there is no such command' HIPCC=nosuch
refused 'CC=false cannot compile' CC=false

# A clang that is too old.
printf '#!/bin/sh\nexec g++ -D__clang__=1 -D__clang_major__=14 "$@"\n' >"$work/clang++"
chmod +x "$work/clang++"
refused 'older than clang 15' HIPCC="$work/clang++"
echo '#include <hip/hip_runtime.h>' >"$work/kernel.cc"
"$work/clang++" -std=c++17 -I"$top/platform/cpu" -c "$work/kernel.cc" -o "$work/kernel.o" 2>"$work/log" &&
	fail "kernels compile with clang 14"
grep -q 'error: .*need clang 15' "$work/log" || fail "the compiler does not say that clang 14 is too old"

# A clang for AMD GPUs without the program that puts code for GPUs into objects.
if GPU_ARCHS=gfx90a "$top/platform/amd/toolchain" >"$work/log" && clang=$(command -v clang++-19); then
	folder=$(dirname "$(readlink -f "$clang")")
	mkdir "$work/llvm"
	printf '#!/bin/sh\nexec %s "$@"\n' "$clang" >"$work/llvm/clang++"
	chmod +x "$work/llvm/clang++"
	ln -s "$folder/llvm-as" "$folder/lld" "$work/llvm"
	HIPCC=$work/llvm/clang++ GPU_ARCHS=gfx90a "$top/platform/amd/toolchain" -w >"$work/log" &&
		fail "a clang without clang-offload-bundler is taken"
	grep -q clang-offload-bundler "$work/log" || fail "the bundler is not named"
	ln -s "$folder/clang-offload-bundler" "$work/llvm"
	HIPCC=$work/llvm/clang++ GPU_ARCHS=gfx90a "$top/platform/amd/toolchain" -w >"$work/log" ||
		fail "a clang with clang-offload-bundler is refused"
fi
