#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# The device API as bitcode, libgshmem_device_<gpu>.bc, is complete and works, without a GPU:
#
#   it defines every call that the headers declare for kernels, with plain types, and needs no other library
#   kernels in LLVM IR, linked with it as compilers do, cost as much as the same kernels in HIP, in code
#   objects of version 4 and of version 5; for NVIDIA GPUs, not much more than by nvcc, and they keep the
#   order that tests/isa/ordering_nvidia.py checks
#   they run on two PEs, on the simulator of AMD GPUs where there is no GPU; on NVIDIA GPUs only on a GPU
#
# `make check-amd` runs it, and `make check-isa` for NVIDIA GPUs. By hand: tests/bitcode.sh, once `make setup
# PLATFORM=amd` has installed the compilers; tests/bitcode.sh nvidia, with CUDA, clang-19 and llvm-19. It builds
# what it needs: the library for AMD GPUs in $B, and without a GPU the simulator in $SIM; for NVIDIA GPUs
# without a GPU the bitcode alone. AMDSIM_GPUS or GPU_ARCHS names the kind of GPU.

set -eu
cd "$(dirname "$0")/.."
vendor=${1:-${PLATFORM:-amd}}
[ "$vendor" = nvidia ] || vendor=amd
case $vendor in
amd) gpu=${AMDSIM_GPUS:-${GPU_ARCHS:-gfx942}} gpu=${gpu%% *} linker=ld.lld build=build/amd-$gpu ;;
nvidia) gpu=${GPU_ARCHS:-sm_90} gpu=${gpu%% *} linker='' build=build/nvidia ;;
esac
: "${B:=$build}"
: "${MAKE:=make}" "${SIM:=$PWD/build/amdsim}"
unset MAKEFLAGS MFLAGS MAKELEVEL PLATFORM T N FULL
lib=$B/lib/libgshmem_device_$gpu.bc
python=/usr/bin/python3
[ -x $python ] || python=python3
export PYTHONDONTWRITEBYTECODE=1
if ! found=$(GPU_ARCHS="$gpu" "platform/$vendor/toolchain" -w); then
	case $vendor in amd) found="$found (\`make setup PLATFORM=amd\` installs it)" ;; esac
	echo "$found"
	exit 77
fi
if [ "$vendor" = nvidia ] && ! found=$(platform/nvidia/toolchain -n "$gpu"); then
	echo "needs clang for NVIDIA's bitcode: install $found"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=''
fail() {
	echo "bitcode: $*"
	failed=1
}

# The tools of the compiler that makes the bitcode: older ones cannot read it.
compile=$($MAKE --no-print-directory -s PLATFORM="$vendor" GPU_ARCHS="$gpu" \
	--eval='compile: ; @echo $(PLAT_BITCODE_CXX) $(HIPCC) $(HIPFLAGS) $(PLAT_CPPFLAGS)' compile)
compiler=${compile%% *}
compile=${compile#* }
case $compiler in
*clang*-[0-9]*) version=-${compiler##*-} ;;
*) version='' PATH=$PATH:${ROCM_PATH:-/opt/rocm}/llvm/bin ;;
esac
for tool in llvm-link llvm-dis llvm-nm opt llc $linker; do
	if ! command -v "$tool$version" >/dev/null; then
		echo "$tool$version is not here: it belongs to $compiler"
		exit 77
	fi
done
make_it() {
	$MAKE --no-print-directory PLATFORM="$vendor" GPU_ARCHS="$gpu" B="$B" "$@" >"$dir/log" 2>&1 || {
		cat "$dir/log"
		exit 1
	}
}
runs=1
if [ "$vendor" = nvidia ]; then
	nvidia-smi -L >/dev/null 2>&1 || runs=''
elif ! [ -e /dev/kfd ] && ! [ -e "$SIM/libamdhip64.so.5" ]; then
	make_it build/amdsim/libamdhip64.so.5
fi
make_it "$lib" ${runs:+"$B/tests/bitcode/run"}

# ---- what is in it ----

# As a HIP unit reads the headers, GSHMEM_API stands before each call that kernels may make. GPUs have no long
# double.
cp -r include "$dir/include"
sed -i 's/^#define GSHMEM_API  *GSHMEMI_FN$/#define GSHMEM_API GSHMEMI_FN for_kernels/
	s/^#define GSHMEMI_LONG_DOUBLE_API  *GSHMEM_API$/#define GSHMEMI_LONG_DOUBLE_API extern/
	' "$dir/include/gshmem/arch/arch.h"
printf '#include <gshmem.h>\n#include <gshmemx_win.h>\n' >"$dir/all.c"
${CXX:-c++} -x c++ -std=c++17 -E -P -D__HIPCC__=1 -D__HIP_PLATFORM_CPU__=1 -I"$dir/include" -Iplatform/cpu \
	"$dir/all.c" | tr '\n;' ' \n' | grep -o 'for_kernels [^(]*(' |
	sed 's/ *($//; s/.*[ *]//' | grep '^gshmemx\{0,1\}_' | grep -v 'longdouble_\(max\|min\|sum\|prod\)_' |
	sort -u >"$dir/declared"
"llvm-dis$version" -o - "$lib" | sed -n '/^define .*@gshmemx\{0,1\}_/p' >"$dir/definitions"
sed 's/.*@\(gshmemx\{0,1\}_[a-z0-9_]*\)(.*/\1/' "$dir/definitions" | sort >"$dir/defined"
ndeclared=$(wc -l <"$dir/declared")
[ "$ndeclared" -gt 5000 ] || fail "only $ndeclared calls are found in the headers"

# none_in LIST WHAT: fail and name some entries unless the list is empty.
none_in() {
	[ ! -s "$1" ] || fail "$lib: $2: $(wc -l <"$1"): $(awk 'NR < 6 { print $NF }' "$1" | tr '\n' ' ')"
}
comm -23 "$dir/declared" "$dir/defined" >"$dir/missing"
none_in "$dir/missing" "calls that it does not define"
comm -13 "$dir/declared" "$dir/defined" >"$dir/unknown"
none_in "$dir/unknown" "functions that no header declares for kernels"
# CUDA declares threadIdx and the like as weak, and nothing reads them.
"llvm-nm$version" --undefined-only "$lib" | grep -vE '^ *w (blockDim|blockIdx|gridDim|threadIdx)$' >"$dir/undefined" || true
none_in "$dir/undefined" "symbols that it needs"
"llvm-nm$version" "$lib" | grep -q ' D gshmemi_state$' || fail "$lib has no device state"

# A program may treat denormals in another way than the compiler of the bitcode: Triton does.
if [ $vendor = nvidia ]; then
	for ftz in 0 1; do
		printf 'target triple = "nvptx64-nvidia-cuda"\n!llvm.module.flags = !{!0}\n!0 = !{i32 4, !"%s", i32 %s}\n' \
			nvvm-reflect-ftz $ftz >"$dir/program.ll"
		"llvm-link$version" "$dir/program.ll" "$lib" -o "$dir/program.bc" 2>"$dir/message" ||
			fail "$lib does not link with nvvm-reflect-ftz $ftz: $(head -n 1 "$dir/message")"
	done
fi

# ---- kernels ----

# translate NAME: the kernels of tests/bitcode/NAME.ll for this vendor, and for AMD GPUs version $objects of
# code objects, as clang says it in a program's bitcode.
translate() {
	case $vendor in
	amd)
		cat "tests/bitcode/$1.ll"
		printf '@__oclc_ABI_version = weak_odr hidden addrspace(4) constant i32 %s00\n' "$objects"
		echo '!llvm.module.flags = !{!0}'
		printf '!0 = !{i32 1, !"amdhsa_code_object_version", i32 %s00}\n' \
			"$objects" ;;
	nvidia)
		sed 's/^target triple.*/target triple = "nvptx64-nvidia-cuda"/;s/amdgpu_kernel/ptx_kernel/
			s/llvm\.amdgcn\.workitem\.id\.x/llvm.nvvm.read.ptx.sreg.tid.x/
			s/"amdgpu-[^"]*"="[^"]*"//;s/"uniform-work-group-size"="true"//' "tests/bitcode/$1.ll" ;;
	esac
}

# link NAME: make tests/bitcode/NAME.ll a code object. As compilers do, it links only what is needed, and
# makes all functions but the kernels internal.
link() {
	source=$dir/$1.ll
	translate "$1" >"$source"
	keep=$(sed -n 's/^define [a-z]*_kernel void @\([a-z_]*\)(.*/\1/p' "$source" | tr '\n' ,)gshmemi_state
	"llvm-link$version" --only-needed "$source" "$lib" -o "$dir/$1.linked.bc"
	"opt$version" -mcpu="$gpu" -passes='internalize,default<O3>' "-internalize-public-api-list=$keep" \
		"$dir/$1.linked.bc" -o "$dir/$1.bc"
	case $vendor in
	amd)
		"llc$version" -O3 -mcpu="$gpu" -filetype=obj "$dir/$1.bc" -o "$dir/$1.o"
		"ld.lld$version" -shared "$dir/$1.o" -o "$dir/$1.co" ;;
	nvidia)
		"llc$version" -O3 -mcpu="$gpu" "$dir/$1.bc" -o "$dir/$1.ptx"
		"$ptxas" -arch="$gpu" -O3 "$dir/$1.ptx" -o "$dir/$1.cubin" ;;
	esac
}
case $vendor in
amd)
	suffix=co
	of_platform=$($MAKE --no-print-directory -s PLATFORM=amd GPU_ARCHS="$gpu" \
		--eval='v: ; @echo $(CODE_OBJECT)' v) ;;
nvidia)
	suffix=cubin ptxas=$(dirname "${compile%% *}")/ptxas of_platform='' ;;
esac
# The platform's version last: it is what runs.
for objects in $([ $vendor = nvidia ] && echo none || echo $((9 - of_platform)) "$of_platform"); do
	case $vendor in
	amd)
		$compile -mcode-object-version="$objects" -O3 --cuda-device-only --no-gpu-bundle-output \
			-DGSHMEM_MODULE -Iinclude -c -o "$dir/hip.co" tests/isa/kernels/calls.hip ;;
	nvidia)
		# shellcheck disable=SC2001
		$(echo "$compile" | sed 's/-gencode  *[^ ]*//g') -O3 -arch="$gpu" -cubin -DGSHMEM_MODULE \
			-Iinclude -o "$dir/hip.cubin" tests/isa/kernels/calls.hip ;;
	esac
	link calls
	link run
	$python tests/bitcode/check.py "$dir/definitions" tests/bitcode/calls.ll tests/bitcode/run.ll \
		"$dir/calls.$suffix" "$dir/hip.$suffix" || failed=1
done
if [ "$vendor" = nvidia ]; then
	$python tests/isa/ordering_nvidia.py "$dir/calls.cubin" || failed=1
	$python tests/isa/ordering_nvidia.py --polls "$dir/run.cubin" || failed=1
fi

[ "$vendor" = nvidia ] ||
	export AMDSIM_GPU="$gpu" AMDSIM_JOB=$$ LD_LIBRARY_PATH="$SIM${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
for check in ${runs:+0 1}; do
	GSHMEM_CHECK=$check $(tests/run.sh -l) -n 2 "$B/tests/bitcode/run" "$dir/run.$suffix" >"$dir/log" 2>&1 || {
		cat "$dir/log"
		fail "GSHMEM_CHECK=$check: tests/bitcode/run fails on two PEs"
	}
done
[ -z "$failed" ] || exit 1
[ -n "$runs" ] || not=", not run: there is no NVIDIA GPU"
echo "bitcode: passed for $gpu: $(wc -l <"$dir/defined") calls${not-}"
