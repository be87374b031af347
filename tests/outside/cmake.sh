#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
#
# Builds the project of this folder with CMake, against the build in the tree and against an installed gshmem,
# and runs it. Checks that kernels get gshmemcc's flags and other sources do not, and that wrong calls are
# refused. B names the build; MAKE and MPIRUN name the commands.

set -eu
: "${MAKE:=make}" "${MPIRUN:=mpirun}" "${B:=build/cpu}"
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version=$(cmake --version 2>/dev/null | sed -n '1s/^cmake version //p')
if ! printf '3.21\n%s\n' "$version" | sort -CV; then
	echo "needs CMake 3.21 or newer, and there is ${version:-none}"
	exit 77
fi

fail() {
	echo "tests/outside: $*"
	exit 1
}

# quiet COMMAND...: prints the command's output only if it fails.
quiet() {
	"$@" >"$work/log" 2>&1 || {
		cat "$work/log"
		fail "failed: $*"
	}
}

# build FOLDER OPTION...: build the project in $source, and run it.
build() {
	folder=$work/$1
	shift
	quiet cmake -S "$source" -B "$folder" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
	quiet cmake --build "$folder" -j2
	quiet "$MPIRUN" -n 3 "$folder/ring"
	quiet "$MPIRUN" -n 2 "$folder/hello"
}

# refused TEXT OPTION... <CMakeLists.txt: CMake must fail with this text.
refused() {
	text=$1
	shift
	mkdir -p "$work/refused"
	cat - >"$work/refused/CMakeLists.txt"
	echo 'int main(void) { return 0; }' >"$work/refused/a.c"
	! cmake -S "$work/refused" -B "$work/refused/b" "$@" >"$work/log" 2>&1 || fail "CMake does not refuse: $text"
	tr -s ' \n' ' ' <"$work/log" | grep -q "$text" || {
		cat "$work/log"
		fail "CMake does not say: $text"
	}
	rm -rf "$work/refused"
}

# shellcheck disable=SC2086 # LOCK is words: what keeps other tests from a make in this tree
quiet ${LOCK-} "$MAKE" --no-print-directory -C "$top" B="$B" PREFIX="$work/usr" install
unset MAKEFLAGS MFLAGS MAKELEVEL CC CXX HIPCC CFLAGS CXXFLAGS CPPFLAGS CMAKE_PREFIX_PATH

# In the tree, by the README's command, which finds make's default build.
source=$here
cd "$top"
platform=$(tools/platform)
case $B in
"build/${platform%% *}") build tree ;;
*) build tree -DCMAKE_PREFIX_PATH="$(cd "$B" && pwd)" ;;
esac

# Installed, from a copy of this folder outside the tree.
cp -r "$here" "$work/project"
source=$work/project
cd "$work"
build installed -DCMAKE_PREFIX_PATH="$work/usr"
! grep -q "$top" installed/compile_commands.json ||
	fail "a build against the installed tree needs the source tree"
for compiler in clang-19 clang; do
	command -v $compiler >/dev/null && [ "${PLATFORM:-cpu}" = cpu ] || continue
	[ "$($compiler -dumpversion | cut -d. -f1)" -ge 15 ] || continue # too old for kernels
	build clang -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_C_COMPILER=$compiler -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_CXX_COMPILER="$(echo $compiler | sed 's/clang/clang++/')"
	grep -q 'fconvergent-functions.*shift' clang/compile_commands.json ||
		fail "clang does not get clang's flags"
	break
done

# The same, watched for races between PEs.
if [ -e usr/lib/gshmem/races/gshmemcc ]; then
	build races -DCMAKE_PREFIX_PATH="$work/usr" -DGSHMEM_RACES=ON
	ldd races/ring | grep -q 'gshmem/races/libgshmem' || fail "GSHMEM_RACES does not bring its library"
fi

# README's program and CMakeLists.txt, literally.
mkdir readme
awk '/^```/ { if (code++) exit; next } code' "$top/README.md" >readme/ring.hip
sed -n '/^With CMake/,/^and/s/^    //p' "$top/README.md" >readme/CMakeLists.txt
grep -q find_package readme/CMakeLists.txt || fail "README.md has no CMakeLists.txt"
quiet cmake -S readme -B readme/build -DCMAKE_PREFIX_PATH="$work/usr"
quiet cmake --build readme/build
quiet "$MPIRUN" -n 2 readme/build/ring
# A project that names no version of CMake has the oldest policies.
sed /cmake_minimum_required/d readme/CMakeLists.txt >"$work/lines"
mv "$work/lines" readme/CMakeLists.txt
quiet cmake -S readme -B readme/old -Wno-dev -DCMAKE_PREFIX_PATH="$work/usr"

# Kernels have gshmemcc's flags, except for the standard, which CMake sets; no other unit has them.
flags=$(PKG_CONFIG_PATH=$work/usr/lib/pkgconfig pkg-config --variable=hipflags gshmem)
if [ "${PLATFORM:-cpu}" = cpu ]; then
	grep '"command".*shift.hip' installed/compile_commands.json >kernel
	for flag in $flags; do
		case $flag in -std=*) continue ;; esac
		grep -q -e " $flag " kernel || fail "a kernel is compiled without $flag: $(cat kernel)"
	done
	! grep '"command".*main.c' installed/compile_commands.json | grep __HIPCC__ ||
		fail "a C unit has the flags of kernels"
fi

refused 'version' -DCMAKE_PREFIX_PATH="$work/usr" <<'END2'
cmake_minimum_required(VERSION 3.21)
project(x C CXX)
find_package(gshmem 99 REQUIRED)
END2
refused 'version' -DCMAKE_PREFIX_PATH="$work/usr" <<'END2'
cmake_minimum_required(VERSION 3.21)
project(x C CXX)
find_package(gshmem 0.0.1 REQUIRED)
END2
rm -rf usr/lib/gshmem/races
refused 'make races, in gshmem' -DCMAKE_PREFIX_PATH="$work/usr" -DGSHMEM_RACES=ON <<'END2'
cmake_minimum_required(VERSION 3.21)
project(x C CXX)
find_package(gshmem REQUIRED)
END2
refused 'gshmem_kernels(a): the target has no .hip or .cu file' -DCMAKE_PREFIX_PATH="$work/usr" <<'END2'
cmake_minimum_required(VERSION 3.21)
project(x C CXX)
find_package(gshmem 0.2.0 EXACT REQUIRED)
add_executable(a a.c)
gshmem_kernels(a)
END2
