#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
#
# Kernels for NVIDIA GPUs, compiled and read back, as amd.sh does for AMD.
#
#   tests/isa/nvidia.sh --table    print the tables for docs/device-path.md, and check nothing
#
# ARCHS='sm_90' for some.

. "$(dirname "$0")/compile"
work=$builds/nvidia-kernels
rm -rf "$work"
mkdir -p "$work"
: >"$work/commands"
table=''
[ "${1-}" != --table ] || table=1
: "${ARCHS:=sm_80 sm_90}"

if ! platform/nvidia/toolchain >"$work/words" 2>/dev/null; then
	platform/nvidia/toolchain -w || true
	exit 77
fi
flags nvidia sm_90 >"$work/words"
nvcc=$(sed 's/ .*//' "$work/words")
PTXAS=$(dirname "$nvcc")/ptxas
export PTXAS

# kernel ARCH FILE OUT FLAG...: to a cubin.
kernel() {
	words=$(sed 's/-gencode  *[^ ]*//g;s/-forward-unknown-to-host-compiler//;s/-W[a-z]*//g' "$work/words")
	to=$3 source=$here/kernels/$2.hip cuda=$1
	shift 3
	mkdir -p "$(dirname "$to")"
	later "$words -O3 -arch=$cuda -cubin -o $to $* $source"
}

for arch in $ARCHS; do
	for file in calls user stream; do
		case $file in stream) bound=-maxrregcount=24 ;; *) bound='' ;; esac
		kernel "$arch" $file "$work/default/$file.$arch.cubin" -Iinclude $bound
		kernel "$arch" $file "$work/direct/$file.$arch.cubin" -Iinclude -DGSHMEM_DIRECT_ONLY
	done
	[ -z "$table" ] || continue
	kernel "$arch" publish "$work/direct/publish.$arch.cubin" -Iinclude -DGSHMEM_DIRECT_ONLY
done

# mutate NAME RULE SED...: arch/nvidia.h with something taken out, which RULE must see, in code for the last of ARCHS.
: >"$work/mutants"
mutate() {
	name=$1 rule=$2
	shift 2
	tree=$work/mutant/$name
	rm -rf "$tree"
	mkdir -p "$tree"
	cp -r include "$tree/include"
	sed -i "$@" "$tree/include/gshmem/arch/nvidia.h"
	if cmp -s include/gshmem/arch/nvidia.h "$tree/include/gshmem/arch/nvidia.h"; then
		echo "FAIL $0: mutation $name changes nothing"
		exit 1
	fi
	kernel "$arch" publish "$tree/publish.$arch.cubin" "-I$tree/include" -DGSHMEM_DIRECT_ONLY
	echo "$name $rule $tree/publish.$arch.cubin" >>"$work/mutants"
}
if [ -z "$table" ]; then
	mutate release flag '/gshmemi_arch_fence_release(void)/,/^}/{/fence.acq_rel.sys/d}'
	mutate release_gpu flag '/gshmemi_arch_fence_release(void)/,/^}/s/acq_rel.sys/acq_rel.gpu/'
	mutate acquire acquire '/gshmemi_arch_fence_acquire(void)/,/^}/{/fence.acq_rel.sys/d}'
	mutate poll poll '/uint64_t gshmemi_arch_load(/,/^}/s/ld.relaxed.sys.global/ld.relaxed.gpu.global/'
	mutate read_peer get '/gshmemi_arch_read_peer(/,/^}/s/ld.relaxed.sys.global/ld.global/'
fi
all

version=$("$nvcc" --version | sed -n 's/.*release.*, V\([0-9.]*\).*/nvcc \1/p')
found=$work/found.tsv
# shellcheck disable=SC2046
set -- "$found" $(for arch in $ARCHS; do
	ls "$work"/default/[cus]*."$arch".cubin "$work"/direct/[cus]*."$arch".cubin
done)
if [ -n "$table" ]; then
	$python $here/budget.py /dev/null "$@" >/dev/null
	$python $here/table.py nvidia "$version" "$found"
	exit
fi

failed=''
step() {
	"$@" || failed=1
}
# shellcheck disable=SC2086
step $python $here/nvidia.py --self-test $ARCHS
step $python $here/ordering_nvidia.py --mutants "$work/mutants"
step $python $here/ordering_nvidia.py "$work"/direct/publish.*.cubin "$work"/direct/calls.*.cubin
step $python $here/budget.py $here/budgets.tsv "$@"
step $python $here/table.py nvidia "$version" "$found" docs/device-path.md
[ -z "$failed" ]
