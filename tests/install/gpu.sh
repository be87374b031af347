#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2700
#
# Builds the library and the examples for AMD and NVIDIA GPUs with the compilers of this machine, and installs
# them. Then it builds programs outside the tree as a user would, without a device link: several units with
# kernels, a module that is dlopened, a C program. Without a GPU they must start and say so. B names a build;
# this test's builds are beside it, in isa/.

set -eu
: "${MAKE:=make}" "${B:=build/cpu}"
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
builds=$(dirname "$B")/isa
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL PLATFORM GPU_ARCHS HIPCC CC CFLAGS CPPFLAGS HIPFLAGS PREFIX LIBDIR DESTDIR

fail() {
	echo "tests/install: $*"
	exit 1
}

# run WHAT COMMAND...: prints nothing unless the command fails.
run() {
	what=$1
	shift
	"$@" >"$work/log" 2>&1 || {
		cat "$work/log"
		fail "$what failed: $*"
	}
}

cat >"$work/load.c" <<'END'
/* Loads and unloads a module, as a program does before it knows whether there is a GPU. */
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *module = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	if (module && dlsym(module, "ring_mark") && !dlclose(module))
		return 0;
	fprintf(stderr, "%s\n", dlerror());
	return 1;
}
END

# check NAME WORDS...: the library for one toolchain; the words are make's.
check() {
	name=$1
	shift
	build=$builds/$name prefix=$work/$name/usr
	mkdir -p "$work/$name"
	run "$name: make" "$MAKE" --no-print-directory -C "$top" -j2 B="$build" "$@" lib tools examples
	run "$name: make install" "$MAKE" --no-print-directory -C "$top" B="$build" PREFIX="$prefix" "$@" install
	cp "$here"/*.hip "$here"/*.c "$here"/*.h "$work/$name"
	cd "$work/$name"
	cc="$prefix/bin/gshmemcc"
	run "$name: gshmemcc, in one go" "$cc" -Wall -Wextra -O1 main.hip shift.hip -o ring1 -ldl
	run "$name: gshmemcc -shared" "$cc" -shared -O1 module.hip -o module.so
	run "$name: gshmemcc of C" "$cc" -Wall -Wextra -Wpedantic -Werror host.c -o host1
	run "$name: C compiler" gcc "$work/load.c" -o load -ldl
}

# plain NAME COMMAND...: the compiler without gshmemcc; uses $mpi and $prefix.
plain() {
	name=$1
	shift
	run "$name: compile" "$@" -O1 -c main.hip -o main4.o
	run "$name: compile" "$@" -O1 -c shift.hip -o shift4.o
}

# readme COMPILER: the README's program, by its commands for a compiler without gshmemcc.
readme() {
	awk '/^```/ { if (code++) exit; next } code' "$top/README.md" >ring.hip
	sed -n "/^    export PKG_CONFIG_PATH=/p;/^    $1 /p" "$top/README.md" >lines
	[ "$(wc -l <lines)" -gt 1 ] || fail "README.md has no lines for $1"
	PREFIX=$prefix run "$name: README's lines" sh -ex lines
}

# separate: gshmemcc with separate compilation; without -O, as in the README and as users debug.
separate() {
	run "$name: gshmemcc -c" "$cc" -c -g main.hip
	run "$name: gshmemcc -c" "$cc" -c -O1 -o shift.o shift.hip
	run "$name: gshmemcc of objects" "$cc" main.o shift.o -ldl -o ring2
}

# bitcode ARCH [COMPILER]: the device API is installed as bitcode, and a kernel that
# is not HIP compiles with it. For NVIDIA GPUs to PTX.
bitcode() {
	lib=$prefix/lib/libgshmem_device_$1.bc
	[ -s "$lib" ] || fail "$name: $lib is not there"
	[ -n "${2-}" ] || return 0
	case $1 in
	sm_*) triple=nvptx64-nvidia-cuda kernel=ptx_kernel as="-S -march=$1" ;;
	*) triple=amdgcn-amd-amdhsa kernel=amdgpu_kernel as="-nogpulib -mcpu=$1" ;;
	esac
	cat >kernel.ll <<-END
		target triple = "$triple"
		declare i32 @gshmem_int_p(i64, i32, i32)
		define $kernel void @store(i64 %dest, i32 %value, i32 %pe) {
		  %none = call i32 @gshmem_int_p(i64 %dest, i32 %value, i32 %pe)
		  ret void
		}
	END
	# shellcheck disable=SC2086
	run "$name: LLVM IR with the bitcode" "$2" -x ir -O2 "--target=$triple" $as \
		-Xclang -mlink-builtin-bitcode -Xclang "$lib" kernel.ll -o kernel.co
	grep -q gshmemi_state kernel.co || fail "$name: a kernel that is linked with the bitcode has no device state"
}

# starts PROGRAM...: each finds its libraries, and without a GPU says so; nothing else goes wrong.
starts() {
	for program; do
		ldd "$program" >"$work/log"
		! grep 'not found' "$work/log" || fail "$name: $program: libraries are missing"
	done
	run "$name: dlopen" ./load ./module.so
	[ -z "$gpu" ] || return 0
	for program; do
		case $program in *.so) continue ;; esac
		if GSHMEM_HEAP_SIZE=1m ./"$program" ./module.so >"$work/log" 2>&1; then
			fail "$name: $program succeeds without a GPU"
		fi
		grep -q "no GPU for platform" "$work/log" || {
			cat "$work/log"
			fail "$name: $program does not say that there is no GPU"
		}
	done
}

# by_cmake OPTION...: build the project of tests/outside, if CMake is new enough.
by_cmake() {
	version=$(cmake --version 2>/dev/null | sed -n '1s/^cmake version //p')
	printf '3.21\n%s\n' "$version" | sort -CV || return 0
	run "$name: cmake" cmake -S "$top/tests/outside" -B cmake -DCMAKE_PREFIX_PATH="$prefix" "$@"
	run "$name: cmake --build" cmake --build cmake -j2
	starts cmake/ring cmake/hello
}

mpi=$(mpicc.mpich -show 2>/dev/null || mpicc -show)
mpi_flags=$(echo "$mpi" | tr ' ' '\n' | grep '^-I' | tr '\n' ' ')
mpi_libs=$(echo "$mpi" | tr ' ' '\n' | grep '^-[Ll]' | tr '\n' ' ')
gpu=$(cd "$top" && tools/platform)
case $gpu in cpu*) gpu='' ;; esac
skipped='' done=0

# A machine with nothing for AMD GPUs: setup must hear of no compiler. Else it installs one and looks for another.
ROCM_PATH=/nonexistent "$MAKE" -n -C "$top" PLATFORM=amd setup-check >"$work/log" 2>&1 || true
grep -q "HIPCC='' .*tools/setup check" "$work/log" || {
	cat "$work/log"
	fail "make setup PLATFORM=amd asks for a compiler that nobody named"
}

# The compiler for a GPU does not compile what gshmemcc --races needs. make install builds that anew if it is
# old.
"$MAKE" -n -C "$top" PLATFORM=amd HIPCC=hipcc RACES_B="$work/races" races >"$work/log" 2>&1 || true
grep -q 'g++ .*/src/device/coll.hip' "$work/log" && ! grep -q 'hipcc .*/src/device/coll.hip' "$work/log" || {
	tail -n 5 "$work/log"
	fail "make races PLATFORM=amd HIPCC=hipcc does not compile with g++"
}

# hipcc alone: hipcc -I$PREFIX/include kernel.hip -L$PREFIX/lib -lgshmem
if command -v hipcc >/dev/null && (cd "$top" && HIPCC=hipcc GPU_ARCHS=gfx90a platform/amd/toolchain >/dev/null); then
	check hipcc PLATFORM=amd HIPCC=hipcc GPU_ARCHS=gfx90a
	# shellcheck disable=SC2086
	plain hipcc hipcc --offload-arch=gfx90a "-I$prefix/include" $mpi_flags
	# shellcheck disable=SC2086
	run "hipcc: one command" hipcc --offload-arch=gfx90a "-I$prefix/include" -fPIC -shared module.hip -o module4.so \
		"-L$prefix/lib" -lgshmem $mpi_libs
	# shellcheck disable=SC2086
	run "hipcc: link" hipcc main4.o shift4.o -o ring4 "-L$prefix/lib" "-Wl,-rpath,$prefix/lib" -lgshmem -ldl $mpi_libs
	export HIPCC_COMPILE_FLAGS_APPEND=--offload-arch=gfx90a
	bitcode gfx90a
	readme hipcc
	unset HIPCC_COMPILE_FLAGS_APPEND
	starts ring1 ring4 host1 module.so ring
	done=$((done + 1))
else
	skipped="$skipped hipcc"
fi

# clang with the distribution's HIP or with ROCm's, as platform/amd/toolchain chooses.
if (cd "$top" && GPU_ARCHS=gfx942 platform/amd/toolchain >/dev/null); then
	check amd PLATFORM=amd GPU_ARCHS=gfx942
	separate
	# shellcheck disable=SC2046
	set -- $(cd "$top" && GPU_ARCHS=gfx942 platform/amd/toolchain)
	bitcode gfx942 "$3"
	grep -q -a 'gfx942' ring1 || fail "amd: ring1 holds no code for gfx942"
	starts ring1 ring2 host1 module.so
	# shellcheck disable=SC2046 # The distribution's HIP has no CMake package; ROCm's has.
	set -- $(cd "$top" && GPU_ARCHS=gfx942 platform/amd/toolchain)
	case $1 in distro) by_cmake -DCMAKE_CXX_COMPILER="$3" ;; *) by_cmake ;; esac
	done=$((done + 1))
else
	skipped="$skipped clang"
fi

# nvcc: the headers with HIP's names are given, and all share one CUDA runtime.
if nvidia=$(cd "$top" && platform/nvidia/toolchain 2>/dev/null); then
	# shellcheck disable=SC2086
	set -- $nvidia
	nvcc=$3 cudalib=$4
	check nvidia PLATFORM=nvidia GPU_ARCHS=sm_90
	# shellcheck disable=SC2086
	plain nvidia "$nvcc" -x cu -arch=sm_90 "-I$prefix/include" "-I$prefix/include/gshmem/platform/nvidia" $mpi_flags
	# shellcheck disable=SC2086
	run "nvidia: link" "$nvcc" -cudart shared main4.o shift4.o -o ring4 "-L$prefix/lib" -Xlinker "-rpath=$prefix/lib" \
		-Xlinker "-rpath=$cudalib" -lgshmem -ldl $mpi_libs
	(PATH=$(dirname "$nvcc"):$PATH && export PATH && readme nvcc)
	# -G is only for kernels: the C compiler and the linker do not have it. -Og is only for
	# those: nvcc does not have it.
	run "nvidia: gshmemcc -G" "$cc" -G -Og -g main.hip shift.hip -o ring5 -ldl
	run "nvidia: gshmemcc -G of C" "$cc" -G -Og -g host.c -o host5
	clang=$(cd "$top" && platform/nvidia/toolchain -c sm_90) && bitcode sm_90 "$clang"
	starts ring1 ring4 ring5 host1 host5 module.so
	by_cmake
	done=$((done + 1))
else
	skipped="$skipped nvcc"
fi

[ -z "$skipped" ] || echo "not tried, as the compiler is not here:$skipped"
[ $done -gt 0 ] || exit 77
