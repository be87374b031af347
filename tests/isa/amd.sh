#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2700
#
# Compiles kernels for AMD GPUs and reads the code back. ordering.py must find what is broken, in code made
# for that and in the library with one fence, wait or cache bit removed, and must find nothing broken in the
# library as it is. No call may cost more than budgets.tsv allows, docs/device-path.md and docs/tracing.md
# must have the costs measured here, kernels and the host must agree about the clock, and the library's
# kernels must fit on a CU with the work-groups that the library launches (fits.py). The code objects have
# version 5; the costs must hold with version 4, too.
#
#   tests/isa/amd.sh --table    print the tables for both documents, and check nothing
#   tests/isa/amd.sh --mutants  check only that each mutant changes its header (tests/mutants_apply.sh)
#
# Covers two kinds of GPU, and each mutant on one of them; with FULL=1 all kinds.
# ARCHS='gfx942 gfx1100' selects some.

. "$(dirname "$0")/compile"
work=$builds/amd-kernels
rm -rf "$work"
mkdir -p "$work"
: >"$work/commands"
table='' only_mutants=''
[ "${1-}" != --table ] || table=1
[ "${1-}" != --mutants ] || only_mutants=1

if ! flags amd gfx942 >"$work/words" 2>/dev/null; then
	GPU_ARCHS=gfx942 platform/amd/toolchain -w || true
	exit 77
fi

# The last one needs a compiler that other machines may lack.
if [ -z "${ARCHS-}" ] && [ -z "${FULL-}$table" ]; then
	ARCHS='gfx942 gfx1100'
elif [ -z "${ARCHS-}" ]; then
	ARCHS='gfx90a gfx942 gfx1030 gfx1100'
	! GPU_ARCHS=gfx950 platform/amd/toolchain >/dev/null || ARCHS="$ARCHS gfx950"
fi

# kernel ARCH FILE OUT FLAG...: compile to a code object, or to assembly; FILE is one of kernels/, or a path.
kernel() {
	words=$(cat "$work/flags.$1") source=$here/kernels/$2.hip to=$3
	case $2 in */*) source=$2 ;; esac
	shift 3
	mkdir -p "$(dirname "$to")"
	case $to in *.s) kind=-S ;; *) kind=-c ;; esac
	later "$words -O2 -g1 --cuda-device-only --no-gpu-bundle-output $kind -o $to $* $source"
}

for arch in $ARCHS; do
	case "$arch $(cat "$work/words")" in
	gfx950* | *-Xarch*) flags amd "$arch" >"$work/flags.$arch" ;;
	*) sed "s/gfx942/$arch/g" "$work/words" >"$work/flags.$arch" ;;
	esac
	for file in calls user stream; do
		kernel "$arch" $file "$work/default/$file.$arch.co" -Iinclude
		kernel "$arch" $file "$work/direct/$file.$arch.co" -Iinclude -DGSHMEM_DIRECT_ONLY
	done
	kernel "$arch" rpc "$work/default/rpc.$arch.co" -Iinclude
	kernel "$arch" wide "$work/default/wide.$arch.co" -Iinclude
	kernel "$arch" calls "$work/traced/calls.$arch.co" -Iinclude -DGSHMEM_TRACE_KERNELS
	[ -z "$table" ] || continue
	kernel "$arch" publish "$work/default/publish.$arch.co" -Iinclude
	kernel "$arch" publish "$work/direct/publish.$arch.co" -Iinclude -DGSHMEM_DIRECT_ONLY
	for suffix in co s; do
		kernel "$arch" broken "$work/broken/broken.$arch.$suffix"
	done
	kernel "$arch" calls "$work/default/calls.$arch.s" -Iinclude
	for file in src/*/*.hip; do
		kernel "$arch" "$file" "$work/library/${file%.hip}.$arch.co" -Iinclude -Isrc
	done
done

# Code objects of version 4, which HIP 5 needs, for a GPU that it knows.
if [ -z "$table" ]; then
	objects=4
	flags amd gfx90a >"$work/flags.v4"
	objects=''
	for file in calls user stream; do
		kernel v4 $file "$work/v4/default/$file.gfx90a.co" -Iinclude
		kernel v4 $file "$work/v4/direct/$file.gfx90a.co" -Iinclude -DGSHMEM_DIRECT_ONLY
	done
	kernel v4 rpc "$work/v4/default/rpc.gfx90a.co" -Iinclude
	kernel v4 wide "$work/v4/default/wide.gfx90a.co" -Iinclude
fi

# If there is a hipcc, of the distribution or of ROCm, that compiler, too: clang 15 on Debian, whose linker
# takes version 4.
if [ -z "$table" ] && command -v hipcc >/dev/null; then
	objects=4
	for arch in gfx90a gfx1030; do
		flags amd $arch hipcc >"$work/flags.hipcc-$arch"
		kernel hipcc-$arch publish "$work/hipcc/publish.$arch.co" -Iinclude
	done
	objects=''
fi

# 25 MHz on gfx90a, which is always tried, 100 MHz elsewhere. That it compiles is the test.
if [ -z "$table" ]; then
	[ -e "$work/flags.gfx90a" ] || flags amd gfx90a >"$work/flags.gfx90a"
	kernel gfx90a clock "$work/clock/gfx90a.co" -Iinclude -DGFX=gfx90a -DTICK_NS=40
	for arch in $ARCHS; do
		[ "$arch" = gfx90a ] || kernel "$arch" clock "$work/clock/$arch.co" -Iinclude "-DGFX=$arch" -DTICK_NS=10
	done
fi

# mutate NAME RULE ARCHS FILE SED...: compile with a copy of the headers in which something is removed or
# added. RULE must notice it, or the limit of METRIC if RULE is cost:METRIC.
: >"$work/mutants"
: >"$work/costly"
mutate() {
	name=$1 rule=$2 archs=$3 header=include/gshmem/$4
	shift 4
	tree=$work/mutant/$name
	rm -rf "$tree"
	mkdir -p "$tree"
	cp -r include "$tree/include"
	sed -i "$@" "$tree/$header"
	if cmp -s "$header" "$tree/$header"; then
		echo "FAIL $0: mutation $name changes nothing in $header"
		exit 1
	fi
	for arch in $archs; do
		case " $ARCHS " in *" $arch "*) ;; *) continue ;; esac
		case $rule in assembly) suffix=s ;; *) suffix=co ;; esac
		case $name in rpc_*) of=rpc ;; *) of=publish ;; esac
		kernel "$arch" $of "$tree/$of.$arch.$suffix" "-I$tree/include"
		case $rule in
		cost:*) echo "$name ${rule#cost:} $tree/$of.$arch.$suffix" >>"$work/costly" ;;
		*) echo "$name $rule $tree/$of.$arch.$suffix" >>"$work/mutants" ;;
		esac
		[ -n "${FULL-}" ] || break
	done
}

if [ -z "$table" ]; then
	release='/^GSHMEMI_ARCH_FN void gshmemi_arch_fence_release/,/^}/'
	acquire='/^GSHMEMI_ARCH_FN void gshmemi_arch_fence_acquire/,/^}/'
	post='/^GSHMEMI_FN void gshmemi_rpc_post(/,/^}/'
	await='/^GSHMEMI_FN int gshmemi_rpc_await(/,/^}/'
	swap='s/gshmemi_arch_store(\(&c->request\[slot\], seq\), 4)/(void)gshmemi_arch_amo32(GSHMEMI_AMO_SWAP, \1, 0)/'
	two='gfx942 gfx1100'
	# The wait that compilers up to 22 drop, which is why the library has it in assembly.
	mutate wait write-back 'gfx90a gfx942' arch/amd.h "$release{/GSHMEMI_ARCH_WAIT/d}"
	mutate release flag "gfx90a $two" arch/amd.h "$release{/GSHMEMI_ARCH_WAIT/d;/__ATOMIC_RELEASE/d}"
	mutate write_back flag 'gfx90a gfx942' arch/amd.h "$release{/__ATOMIC_RELEASE/d}"
	mutate acquire acquire "gfx90a $two" arch/amd.h "$acquire{/__ATOMIC_ACQUIRE/d}"
	mutate acquire_agent acquire gfx942 arch/amd.h "$acquire{s/, \"\"/, \"agent\"/}"
	mutate poll poll "gfx90a $two gfx1030" arch/amd.h \
		'/gshmemi_arch_load(/,/^}/s/__HIP_MEMORY_SCOPE_SYSTEM/__HIP_MEMORY_SCOPE_WAVEFRONT/'
	mutate read_peer get gfx942 arch/amd.h '/gshmemi_arch_fence_read_peer(void)/,/^}/{/fence_acquire();/d}'
	mutate signal flag gfx942 move/copy.h '/^GSHMEMI_FN void gshmemi_copy_signal(/,/^}/{/fence_release();/d}'
	mutate fence flag gfx942 move/carry.h '/^GSHMEMI_FN void gshmemi_order(/,/^}/{/fence_release();/d}'
	mutate quiet flag gfx942 order/sync.h '/^GSHMEMI_FN void gshmemi_quiet(/,/^}/{/fence_system();/d}'
	mutate wait_wg acquire gfx1100 wait/wait.h '/^GSHMEMI_FN uint64_t gshmemi_wait_until(/,/^}/{/fence_acquire();/d}'
	mutate barrier_wg acquire gfx942 order/sync.h '/^GSHMEMI_FN void gshmemi_sync_team(/,/^}/s/gshmemi_arch_fence_acquire();/;/'
	mutate lock_clear flag gfx942 order/lock.h '/^GSHMEMI_FN void gshmemi_lock_clear(/,/^}/{/gshmemi_quiet(/d}'
	mutate lock_set acquire "$two" order/lock.h '/^GSHMEMI_FN void gshmemi_turn_await(/,/^}/{/fence_acquire();/d}'
	mutate rpc_release flag "gfx90a $two gfx1030" rpc/rpc_slot.h \
		"$post{/NO_FENCE/d;/fence_release/d}"
	mutate rpc_loop loop "$two" rpc/rpc_slot.h "$await"'s/high = .*;/& gshmemi_arch_fence_acquire();/'
	mutate rpc_poll poll "$two gfx1030" rpc/rpc_slot.h \
		"$await"'s/gshmemi_arch_load(&answer->\([a-z]*\), 8)/answer->\1; __asm__ volatile("" ::: "memory")/'
	mutate rpc_twice cost:releases "$two gfx1030" rpc/rpc_slot.h \
		'/^GSHMEMI_FN void gshmemi_rpc_write_header(/,/^}/s/gshmemi_arch_store(&header->l/gshmemi_arch_fence_release(); &/'
	mutate rpc_swap cost:on_host "$two" rpc/rpc_slot.h "$post$swap"
	mutate mail_release flag "$two" wait/mail.h \
		'/ gshmemi_mail_serve(/,/^}/{/fence_release();$/{N;/attention.done/s/^.*\n//}}'
	mutate rpc_acquire acquire "gfx90a $two" rpc/rpc.h '/ gshmemi_rpc_receive(/,/^}/{/fence_acquire/d}'
	mutate store assembly gfx942 arch/amd.h \
		'/gshmemi_arch_store(/,/^}/{/__hip_atomic_store((GSHMEMI_ARCH_GLOBAL uint32_t/,/SYSTEM);/c\
		__asm__ volatile("global_store_dword %0, %1, off" : : "v"(address), "v"((uint32_t)value) : "memory");
}'
fi
[ -z "$only_mutants" ] || exit 0
all

version=$(sed 's/ .*//' "$work/flags.gfx942" 2>/dev/null || sed 's/ .*//' "$work/words")
version=$($version --version | sed -n 's/.*clang version \([0-9.]*\).*/clang \1/p' | head -n 1)
found=$work/found.tsv
# shellcheck disable=SC2046
set -- "$found" $(for arch in $ARCHS; do
	ls "$work"/default/[crusw]*."$arch".co "$work"/direct/[cus]*."$arch".co "$work"/traced/calls."$arch".co
done)
if [ -n "$table" ]; then
	$python $here/budget.py /dev/null "$@" >/dev/null
	$python $here/table.py amd "$version" "$found"
	$python $here/table.py --traced amd "$version" "$found"
	exit
fi

failed=''
step() {
	"$@" || failed=1
}
step $python $here/ordering.py --self-test "$work"/broken/broken.*.co "$work"/broken/broken.*.s
step $python $here/ordering.py --mutants "$work/mutants"
# shellcheck disable=SC2046
step $python $here/ordering.py $(
	ls "$work"/v4/*/*.co "$work"/default/*.co "$work"/direct/*.co "$work"/traced/*.co "$work"/hipcc/*.co \
		"$work"/default/*.s 2>/dev/null
)
step $python $here/fits.py "$builds/.." "$work"/library/src/*/*.co
step $python $here/budget.py $here/budgets.tsv "$@"
step $python $here/budget.py $here/budgets.tsv "$work/found4.tsv" "$work"/v4/*/*.co
step $python $here/budget.py --mutants $here/budgets.tsv "$work/costly"
step $python $here/table.py amd "$version" "$found" docs/device-path.md
step $python $here/table.py --traced amd "$version" "$found" docs/tracing.md
[ -z "$failed" ]
