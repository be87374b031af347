#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
#
# Installs into an empty folder, and builds and runs programs from there as a user would: with gshmemcc, and
# with only a compiler and gshmem.pc. B names the build; MAKE and MPIRUN name the commands; LOCK is a command
# that keeps other tests from running make in this tree.

set -eu
: "${MPIRUN:=mpirun}" "${B:=build/cpu}"
MAKE="${LOCK-} ${MAKE:-make}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "tests/install: $*"
	exit 1
}

# target TARGET WORD...: make install or uninstall.
target() {
	$MAKE --no-print-directory -C "$here/../.." B="$B" "$@" >"$work/log" 2>&1 || {
		cat "$work/log"
		fail "make $* failed"
	}
}

# refused TEXT TARGET WORD...: make must fail with this text, and change nothing below $work/any.
refused() {
	text=$1
	shift
	find "$work/any" | sort >"$work/before"
	$MAKE --no-print-directory -C "$here/../.." B="$B" "$@" >"$work/log" 2>&1 && fail "make $*: succeeded"
	grep -q "$text" "$work/log" || {
		cat "$work/log"
		fail "make $* does not say: $text"
	}
	find "$work/any" | sort | cmp -s "$work/before" - || fail "make $* changes files"
}

# Paths that would end up elsewhere. With DESTDIR a wrong install does no harm.
mkdir -p "$work/any/my/include/gshmem"
for target in install uninstall; do
	refused 'PREFIX is empty' $target PREFIX= DESTDIR="$work/any"
	refused 'holds a blank' $target PREFIX="$work/any/my libs"
	refused 'holds a blank' $target PREFIX=/opt DESTDIR="$work/any/my libs"
	refused 'holds a blank' $target PREFIX="$work/any" LIBDIR="$work/any/my libs"
	refused 'is relative' $target PREFIX=any DESTDIR="$work/"
done
refused 'gshmem is not installed' uninstall PREFIX="$work/any"

# Places that may not be written are refused before anything is built: for root, too, in /proc. Nothing is left
# in those that may.
touch "$work/any/file"
refused 'nothing was installed: /proc may not be written by .*PREFIX=\$HOME/opt/gshmem' install PREFIX=/proc/gshmem
refused "nothing was installed: /proc may not be written" install PREFIX="$work/any" LIBDIR=/proc/gshmem/lib
refused "$work/any/file is no folder" install PREFIX="$work/any/file/x"
refused "$work/any/file is no folder" install PREFIX=/x DESTDIR="$work/any/file"
ln -s nowhere "$work/any/share"
refused "$work/any/share is no folder" install PREFIX="$work/any"
rm "$work/any/share"

# Files of others are not replaced: another OpenSHMEM's oshcc may share the prefix.
mkdir -p "$work/any/bin"
echo other >"$work/any/bin/oshcc"
refused "$work/any/bin/oshcc is there, and is not gshmem's" install PREFIX="$work/any"
[ "$(cat "$work/any/bin/oshcc")" = other ] || fail "make install replaces oshcc"

# With DESTDIR, as a packager does; then in place, for the rest of this test.
target install PREFIX=/opt/x DESTDIR="$work/stage"
[ -f "$work/stage/opt/x/include/gshmem.h" ] || fail "DESTDIR is not honoured"
grep -rl "$work/stage" "$work/stage/opt" && fail "these files know DESTDIR"
target uninstall PREFIX=/opt/x DESTDIR="$work/stage"
[ -z "$(ls -A "$work/stage")" ] || fail "make uninstall DESTDIR= left $(find "$work/stage")"
prefix=$work/usr
mkdir -p "$prefix/bin" "$prefix/include"
touch "$prefix/bin/other" "$prefix/include/other.h"
find "$prefix" | sort >"$work/other"
target install PREFIX="$prefix"
for f in include/gshmem.h include/gshmemx.h lib/libgshmem.so lib/libgshmem.so.0 lib/libgshmem.a \
	lib/pkgconfig/gshmem.pc bin/gshmemcc bin/gshmem-info bin/gshmem-trace bin/oshcc bin/oshc++ lib/libgshmem_shmem.so \
	lib/libgshmem_shmem.so.0 lib/libgshmem_shmem.a include/gshmem/compat/rocshmem/rocshmem.hpp include/gshmem/compat/nvshmem.h \
	include/gshmem/compat/shmem.h include/gshmem/compat/pshmem.h \
	lib/cmake/gshmem/gshmem-config.cmake lib/cmake/gshmem/gshmem-config-version.cmake \
	share/man/man3/gshmem_TYPENAME_put.3 share/man/man3/gshmem_init.3; do
	[ -e "$prefix/$f" ] || fail "$f is not installed"
done
ls "$prefix"/lib/gshmem/mpi-*.so >"$work/plugins" || fail "no plug-in for an MPI is installed"
grep -q 'int gshmem_TYPENAME_broadcast(' "$prefix/share/man/man3/gshmem_TYPENAME_broadcast.3" || fail "a page without its call"
# The tree must not be needed: neither the library nor the wrapper nor the files for build systems may name
# it. The patterns take care that a tree in /gshmem is not found in every path that ends in include/gshmem.
grep -lE "(^|[ =:\"']|-I|-L)$(pwd)([/ :\"']|\$)" "$prefix/bin/gshmemcc" "$prefix/lib/pkgconfig/gshmem.pc" \
	"$prefix"/lib/cmake/gshmem/* &&
	fail "these files know the source tree"

cp "$here"/*.hip "$here"/*.c "$here"/*.cpp "$here"/*.h "$work"
cd "$work"
PATH=$prefix/bin:$PATH

# 1. gshmemcc: in one go; by separate compilation; a module; C.
gshmemcc -Wall -Wextra -O1 main.hip shift.hip -o ring1 -ldl
gshmemcc -shared -O1 module.hip -o module.so
gshmemcc -c -O1 main.hip
gshmemcc -c -O1 -o shift.o shift.hip
gshmemcc main.o shift.o -ldl -o ring2
gshmemcc -Wall -Wextra -Wpedantic -Werror host.c -o host1
gshmemcc --show ring.hip -o ring | grep -q -e -lgshmem || fail "gshmemcc --show prints no command"
[ ! -e ring ] || fail "gshmemcc --show ran it"
gshmemcc --trace-kernels --show -c ring.hip | grep -q -e -DGSHMEM_TRACE_KERNELS ||
	fail "gshmemcc --trace-kernels defines nothing"
gshmemcc --shmem -Wall -Wextra -Wpedantic -Werror shmem.c -o shmem1
oshc++ -std=c++11 -Wall -Wextra -Wpedantic -Werror shmem.cpp -o shmem2

# All forms in which the compilers take a source: by other suffixes, by -x, from standard input, and from a
# file with arguments.
mkdir forms
cp shmem.c forms/shmem.src
cp shmem.cpp forms/shmem.c++
cp shmem.cpp forms/cxx.src
cp ring.h shift.hip forms
mv forms/shift.hip forms/kernel.src
printf '%s\n' '-x c -DNAME="a b"' "'forms/shmem.src' -x" none >forms/arguments
echo '@forms/arguments -Wall' >forms/more
oshcc -x c - -o shmem4 <shmem.c
oshcc @forms/more -o shmem5
oshc++ -xc++ forms/cxx.src -o shmem6
oshc++ -c forms/shmem.c++ -o shmem7.o
oshc++ shmem7.o -o shmem7
oshcc -E -dM -x c - <shmem.c | grep -q 'define SHMEM_VENDOR_STRING' || fail "oshcc -E - does not read shmem.h"
oshcc -E shmem.c -o forms/shmem.i && oshcc -c forms/shmem.i -o /dev/null
echo '#include <shmem.h>' | oshcc -E - | grep -q shmem_my_pe || fail "oshcc -E - without -x prints no functions"
oshcc -fsyntax-only --param max-inline-insns-auto=20 -idirafter forms "$prefix/include/gshmem/compat/shmemx.h"
echo 'this is no C' | oshcc -x c -c - -o /dev/null 2>/dev/null && fail "oshcc -x c - compiles what is not C"
gshmemcc -O1 main.hip -x hip forms/kernel.src -x none -o ring4 -ldl
for program in shmem4 shmem5 shmem6 shmem7 "ring4 ./module.so"; do
	$MPIRUN -n 2 ./$program || fail "mpirun -n 2 ./$program: exit $?"
done

# What make try prints is the command that it runs: a user repeats it.
target try
grep '^[^ ]*mpi[^ ]* -n 4 .*/examples/02_ring$' "$work/log" >lines || { cat log; fail "make try prints no command"; }
(cd "$here/../.." && eval "$(cat "$work/lines")") >log || fail "make try: $(cat lines) fails"

# Literally as in the README: its program by its commands; without options, and so without optimization.
awk '/^```/ { if (code++) exit; next } code' "$here/../../README.md" >ring.hip
sed -n 's,^    $PREFIX/bin/,,p;s,^    \(mpirun\) ,$MPIRUN ,p' "$here/../../README.md" >lines
[ "$(wc -l <lines)" = 2 ] || fail "README.md: expected one gshmemcc and one mpirun, got $(cat lines)"
(eval "$(cat lines)") >log || fail "README.md: $(cat lines) fails"
sort log | tr '\n' ' ' | grep -q '^PE 0 got 3 PE 1 got 0 PE 2 got 1 PE 3 got 2 $' || fail "README.md: got $(cat log)"

# Any compiler for kernels, with more warnings than the library's own build has. C++ programs may include the
# headers inside of extern "C".
cat >warnings.hip <<'END'
extern "C" {
#include <gshmem.h>
#include <gshmemx_win.h>
#include <gshmem/compat/nvshmem.h>
}
__global__ void kernel(long *dest, const long *source, uint64_t *out, uint32_t op, short *ivar)
{
	gshmem_put(dest, source, 1, 0);
	gshmemx_long_get_wg(dest, source, 2, 0);
	gshmem_long_sum_reduce(GSHMEM_TEAM_WORLD, dest, source, 3);
	gshmem_short_wait_until(ivar, GSHMEM_CMP_EQ, 1);
	gshmemx_rpc_call(op, out, out);
	gshmemx_printf("%d %s %f %p\n", 1, "2", 3.0f, static_cast<void *>(dest));
	gshmem_ctx_long_put(GSHMEM_CTX_DEFAULT, dest, source, 1, 0);
}
static void launch(long *p)
{
	hipLaunchKernelGGL(kernel, dim3(1), 64, 0, nullptr, p, p, nullptr, 0, nullptr);
}
static void (*launches)(long *) __attribute__((used)) = launch;
END
printf '#include <%s>\n' gshmem.h gshmemx_win.h >warnings.c
printf '%s\n' 'extern "C" {' "$(cat warnings.c)" '}' >warnings.cpp
printf '%s\n' 'extern "C" {' '#include <gshmemx_mpi.h>' '}' >mpi.cpp # mpi.h has warnings of its own
strict='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wredundant-decls -Werror'
flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags gshmem)
for compiler in gcc:g++ clang:clang++ clang-19:clang++-19; do
	command -v "${compiler#*:}" >/dev/null || continue
	"${compiler%:*}" -std=c11 $strict $flags -c warnings.c
	case $compiler in gcc:*) casts='-Wold-style-cast -Wuseless-cast' ;; *) casts=-Wold-style-cast ;; esac
	"${compiler#*:}" -std=c++11 $strict $casts $flags -c warnings.cpp
	"${compiler#*:}" -std=c++11 $flags -c mpi.cpp
	[ "${PLATFORM:-cpu}" = cpu ] || continue
	case $compiler in clang*) # kernels need clang 15
		[ "$(${compiler%:*} -dumpversion | cut -d. -f1)" -ge 15 ] || continue ;;
	esac
	GSHMEM_HIPCC=${compiler#*:}
	export GSHMEM_HIPCC
	gshmemcc $strict $casts -c warnings.hip
	gshmemcc -Wall -Wextra -Werror -O1 main.hip shift.hip -o "ring-${compiler#*:}" -ldl
	$MPIRUN -n 2 "./ring-${compiler#*:}" ./module.so || fail "$GSHMEM_HIPCC: ring: exit $?"
	gshmemcc -std=c++14 -c warnings.hip 2>log && fail "$GSHMEM_HIPCC: C++14 will do"
	if [ "$(grep -c 'error: ' log)" -gt 2 ] || ! grep -q 'error: .*need C++17 or newer' log; then
		cat log
		fail "$GSHMEM_HIPCC: C++14 does not end with the one error and its fatal error"
	fi
done
unset GSHMEM_HIPCC

# 2. gshmem.pc, with no wrapper.
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
cflags=$(pkg-config --cflags gshmem)
libs="$(pkg-config --libs gshmem) -Wl,-rpath,$(pkg-config --variable=libdir gshmem)"
hipcc="$(pkg-config --variable=hipcc gshmem) $(pkg-config --variable=hipflags gshmem)"
hipld=$(pkg-config --variable=hipld gshmem)
$hipcc $cflags -O1 -c main.hip -o main3.o
$hipcc $cflags -O1 -c shift.hip -o shift3.o
$hipcc $cflags -O1 -fPIC -c module.hip -o module3.o
$hipld main3.o shift3.o -o ring3 $libs -ldl
$hipld -shared module3.o -o module3.so $libs
cc=$(command -v gcc || command -v clang)
$cc -std=c11 -Wall -Wextra -Wpedantic -Werror $cflags host.c -o host2 $libs
if [ "${PLATFORM:-cpu}" = cpu ]; then
	rm ring
	sed -n '/^    g++ /p' "$here/../../README.md" >lines
	PREFIX=$prefix sh -e lines || fail "README.md: $(cat lines) fails"
	[ "$($MPIRUN -n 2 ./ring | sort | tr '\n' ' ')" = 'PE 0 got 1 PE 1 got 0 ' ] || fail "README.md: $(cat lines): wrong"
fi
# Statically: the program must not need libgshmem.so.
$cc -std=c11 $cflags -c host.c
$hipld host.o "$prefix/lib/libgshmem.a" $(pkg-config --libs --static gshmem | tr ' ' '\n' | grep -v -x -e -lgshmem) -o host3

$cc $cflags -I"$prefix/include/gshmem/compat" -c shmem.c
$hipld shmem.o "$prefix/lib/libgshmem_shmem.a" "$prefix/lib/libgshmem.a" \
	$(pkg-config --libs --static gshmem | tr ' ' '\n' | grep -v -x -e -lgshmem) -o shmem3

# With -static there is no MPI, so such a program starts by a unique id or alone, and init under mpirun refuses
# it.
cat >static.c <<'END'
#include <gshmem.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	gshmemx_uniqueid_t id;
	int rank = 0, status = 0, other;
	long *dest;

	(void)argv;
	if (argc == 1) {
		if (gshmemx_get_uniqueid(&id))
			return 2;
		rank = fork() == 0;
		gshmemx_set_attr_uniqueid_args(rank, 2, &id, &attr);
	}
	if (gshmemx_init_attr(&attr))
		return 3;
	dest = gshmem_calloc(1, sizeof *dest);
	other = gshmem_n_pes() - 1 - rank;
	gshmem_long_p(dest, 5 + rank, other);
	gshmem_barrier_all();
	status = gshmem_long_g(dest, rank) != 5 + other;
	gshmem_finalize();
	if (argc == 1 && !rank)
		status += wait(&rank) < 0 || rank;
	return status;
}
END
kinds='-static -static-pie'
[ "${PLATFORM:-cpu}" = cpu ] || kinds=''
for kind in $kinds; do
	gshmemcc $kind static.c -o static 2>log || fail "gshmemcc $kind: exit $?: $(cat log)"
	./static || fail "$kind: a job by unique id: exit $?"
	./static alone || fail "$kind: a job of one PE: exit $?"
	$MPIRUN -n 2 ./static mpi 2>log && fail "$kind: a job by MPI succeeds"
	grep -q 'linked with -static' log || { cat log; fail "$kind: a job by MPI does not say why it fails"; }
done

for program in "./ring1 ./module.so" "./ring2 ./module.so" "./ring3 ./module3.so" ./host1 ./host2 ./host3 ./shmem1 ./shmem2 ./shmem3; do
	$MPIRUN -n 2 $program || fail "mpirun -n 2 $program: exit $?"
done

# 3. Global variables of OpenSHMEM programs: messages name those that are not symmetric.
cat >variable.c <<'END'
#include <shmem.h>
extern int elsewhere;
int here = 1;
int main(int argc, char **argv)
{
	(void)argv;
	shmem_init();
	shmem_int_p(argc > 1 ? &elsewhere : &here, 2, shmem_n_pes() - 1);
	shmem_finalize();
	return 0;
}
END
echo 'int elsewhere;' >elsewhere.c
oshcc -shared elsewhere.c -o libelsewhere.so
oshcc -fPIC variable.c -L. -lelsewhere -Wl,-rpath,"$PWD" -o variable1
oshcc -fPIC -DOTHER -O2 variable.c -L. -lelsewhere -Wl,-rpath,"$PWD" -o variable2
# expect TEXT, PROGRAMS: they must fail with this text.
expect() {
	$MPIRUN $2 >log 2>&1 && fail "mpirun $2: succeeded"
	grep -q "$1" log || { cat log; fail "mpirun $2: does not say: $1"; }
}
export GSHMEM_CHECK=1
expect "a variable of the shared library .*libelsewhere.so" "-n 2 ./variable1 x"
if [ "${PLATFORM:-cpu}" = cpu ]; then
	$MPIRUN -n 2 ./variable1 || fail "mpirun -n 2 ./variable1: exit $?"
	expect "PE 1 runs a different program than PE 0" "-n 1 ./variable1 : -n 1 ./variable2"
	expect "gshmem_int_p: .*a variable of the program" "-n 1 ./variable1 : -n 1 ./variable2"
else
	expect "with a GPU only memory of the symmetric heap" "-n 2 ./variable1"
fi

# Installing again replaces our files, also one that was a file and is a link now, as libgshmem.so.0 since
# 0.2.0. Files that somebody else has put in their place since then stay, as do all others.
so=$prefix/lib/libgshmem.so.0
cp --remove-destination "$(realpath "$so")" "$so"
sed -i "s,^l $so .*,f $so," "$prefix/lib/gshmem/installed"
target install PREFIX="$prefix"
[ -L "$so" ] && ! grep 'was replaced' "$work/log" || fail "$so of an older version is not replaced by a link"
rm "$prefix/bin/oshc++"
echo other >"$prefix/bin/oshc++"
echo "$prefix/bin/oshc++" | sort - "$work/other" >"$work/expected"
target uninstall PREFIX="$prefix"
find "$prefix" | sort | diff "$work/expected" - || fail "make uninstall leaves (>) or takes (<) these"
[ "$(cat "$prefix/bin/oshc++")" = other ] || fail "make uninstall replaces oshc++"
