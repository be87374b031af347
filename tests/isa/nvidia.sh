#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2700
#
# Compiles kernels for NVIDIA GPUs and reads the code back, as amd.sh does for AMD. The library's kernels, for
# both kinds of GPU, must fit on a multiprocessor with the blocks that the library launches (fits.py).
#
#   tests/isa/nvidia.sh --table    print the tables for both documents, and check nothing
#   tests/isa/nvidia.sh --mutants  check only that each mutant changes its header (tests/mutants_apply.sh)
#
# FULL=1 covers two kinds of GPU. ARCHS=sm_90 selects some.

. "$(dirname "$0")/compile"
work=$builds/nvidia-kernels
rm -rf "$work"
mkdir -p "$work"
: >"$work/commands"
table='' only_mutants=''
[ "${1-}" != --table ] || table=1
[ "${1-}" != --mutants ] || only_mutants=1
full=${FULL-}$table
: "${ARCHS:=${full:+sm_80 }sm_90}"

if ! platform/nvidia/toolchain >"$work/words" 2>/dev/null; then
	platform/nvidia/toolchain -w || true
	exit 77
fi
flags nvidia sm_90 >"$work/words"
nvcc=$(sed 's/ .*//' "$work/words")
PTXAS=$(dirname "$nvcc")/ptxas
export PTXAS

# kernel ARCH FILE OUT FLAG...: compile to a cubin; FILE is one of kernels/, or a path.
kernel() {
	words=$(sed 's/-gencode  *[^ ]*//g;s/-forward-unknown-to-host-compiler//;s/-W[a-z]*//g' "$work/words")
	to=$3 source=$here/kernels/$2.hip cuda=$1
	case $2 in */*) source=$2 ;; esac
	shift 3
	mkdir -p "$(dirname "$to")"
	later "$words -O3 -arch=$cuda -cubin -o $to $* $source"
}

for arch in $ARCHS; do
	for file in calls user stream; do
		case $file in stream) bound=-maxrregcount=32 ;; *) bound='' ;; esac
		kernel "$arch" $file "$work/default/$file.$arch.cubin" -Iinclude $bound
		kernel "$arch" $file "$work/direct/$file.$arch.cubin" -Iinclude -DGSHMEM_DIRECT_ONLY
	done
	kernel "$arch" rpc "$work/default/rpc.$arch.cubin" -Iinclude
	kernel "$arch" wide "$work/default/wide.$arch.cubin" -Iinclude
	kernel "$arch" calls "$work/traced/calls.$arch.cubin" -Iinclude -DGSHMEM_TRACE_KERNELS
	[ -z "$table" ] || continue
	kernel "$arch" publish "$work/direct/publish.$arch.cubin" -Iinclude -DGSHMEM_DIRECT_ONLY
done

if [ -z "$table" ]; then
	for file in src/*/*.hip; do
		kernel sm_80 "$file" "$work/library/${file%.hip}.sm_80.cubin" -Iinclude -Isrc
		kernel sm_90 "$file" "$work/library/${file%.hip}.sm_90.cubin" -Iinclude -Isrc
	done
fi

# mutate NAME RULE FILE SED...: compile for the last of ARCHS with something removed from a header, or added.
# RULE must notice it, or the limit of METRIC if RULE is cost:METRIC.
: >"$work/mutants"
: >"$work/costly"
mutate() {
	name=$1 rule=$2 header=include/gshmem/$3
	shift 3
	tree=$work/mutant/$name
	rm -rf "$tree"
	mkdir -p "$tree"
	cp -r include "$tree/include"
	sed -i "$@" "$tree/$header"
	if cmp -s "$header" "$tree/$header"; then
		echo "FAIL $0: mutation $name changes nothing"
		exit 1
	fi
	case $name in rpc_*) of=rpc bare='' ;; *) of=publish bare=-DGSHMEM_DIRECT_ONLY ;; esac
	kernel "$arch" $of "$tree/$of.$arch.cubin" "-I$tree/include" $bare
	case $rule in
	cost:*) echo "$name ${rule#cost:} $tree/$of.$arch.cubin" >>"$work/costly" ;;
	*) echo "$name $rule $tree/$of.$arch.cubin" >>"$work/mutants" ;;
	esac
}
if [ -z "$table" ]; then
	post='/^GSHMEMI_FN void gshmemi_rpc_post(/,/^}/'
	await='/^GSHMEMI_FN int gshmemi_rpc_await(/,/^}/'
	mutate release flag arch/nvidia.h '/gshmemi_arch_fence_release(void)/,/^}/{/fence.acq_rel.sys/d}'
	mutate release_gpu flag arch/nvidia.h '/gshmemi_arch_fence_release(void)/,/^}/s/acq_rel.sys/acq_rel.gpu/'
	mutate acquire acquire arch/nvidia.h '/gshmemi_arch_fence_acquire(void)/,/^}/{/fence.acq_rel.sys/d}'
	mutate poll poll arch/nvidia.h '/uint64_t gshmemi_arch_load(/,/^}/s/ld.relaxed.sys.global/ld.relaxed.gpu.global/'
	mutate rpc_release flag rpc/rpc_slot.h "$post{/NO_FENCE/d;/fence_release/d}"
	mutate rpc_loop loop rpc/rpc_slot.h "$await"'s/high = .*;/& gshmemi_arch_fence_acquire();/'
	mutate rpc_poll poll rpc/rpc_slot.h \
		"$await"'s/gshmemi_arch_load(&answer->\([a-z]*\), 8)/answer->\1; __asm__ volatile("" ::: "memory")/'
	mutate rpc_acquire acquire rpc/rpc.h '/ gshmemi_rpc_receive(/,/^}/{/fence_acquire/d}'
	mutate rpc_twice cost:releases rpc/rpc_slot.h \
		'/^GSHMEMI_FN void gshmemi_rpc_write_header(/,/^}/s/gshmemi_arch_store(&header->l/gshmemi_arch_fence_release(); &/'
	mutate rpc_swap cost:atomics rpc/rpc_slot.h \
		"$post"'s/gshmemi_arch_store(\(&c->request\[slot\], seq\), 4)/(void)gshmemi_arch_amo32(GSHMEMI_AMO_SWAP, \1, 0)/'
	mutate read_peer get arch/nvidia.h '/gshmemi_arch_read_peer(/,/^}/s/ld.relaxed.sys.global/ld.global/'
fi
[ -z "$only_mutants" ] || exit 0
all

version=$("$nvcc" --version | sed -n 's/.*release.*, V\([0-9.]*\).*/nvcc \1/p')
found=$work/found.tsv
# shellcheck disable=SC2046
set -- "$found" $(for arch in $ARCHS; do
	ls "$work"/default/[crusw]*."$arch".cubin "$work"/direct/[cus]*."$arch".cubin "$work"/traced/calls."$arch".cubin
done)
if [ -n "$table" ]; then
	$python $here/budget.py /dev/null "$@" >/dev/null
	$python $here/table.py nvidia "$version" "$found"
	$python $here/table.py --traced nvidia "$version" "$found"
	exit
fi

failed=''
step() {
	"$@" || failed=1
}
# shellcheck disable=SC2086
step $python $here/nvidia.py --self-test $ARCHS
step $python $here/fits.py "$builds/.." "$work"/library/src/*/*.cubin
step $python $here/ordering_nvidia.py --mutants "$work/mutants"
step $python $here/ordering_nvidia.py "$work"/default/rpc.*.cubin "$work"/direct/publish.*.cubin \
	"$work"/direct/calls.*.cubin
step $python $here/budget.py $here/budgets.tsv "$@"
step $python $here/budget.py --mutants $here/budgets.tsv "$work/costly"
step $python $here/table.py nvidia "$version" "$found" docs/device-path.md
step $python $here/table.py --traced nvidia "$version" "$found" docs/tracing.md
[ -z "$failed" ]
