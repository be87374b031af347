#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/mutants.sh [-l] [-j N] [NAME...] - break the library on purpose, one line at a time, and check that a test
# notices.
#
# A mutant is a copy of the tree in which sed has changed one file. The named test must fail in the copy, and
# must pass in the tree itself. If it passes in the copy, it cannot fail, and the exit status is 1. -l lists
# the mutants, and fails if one changes nothing; NAME selects some. -j N breaks N copies at a time, which takes
# N times the memory, and which tests that wait for seconds may not bear: look at those once more alone. Mutants of the code that compilers make of
# kernels are in tests/isa/amd.sh and nvidia.sh.
#
# PLATFORM=amd breaks order and coherence in kernels for AMD GPUs of the kind ARCH (gfx942). It runs each test
# on the simulator with late memory, with one seed after another until one fails. In the tree itself the test
# must pass with all seeds.

set -uf
cd "$(dirname "$0")/.." || exit
: "${PLATFORM:=cpu}" "${ARCH:=gfx942}"
LIMIT=200 # seconds that a run may take, also under load; limit_of has a mutant's
FULL=1    # tests leave out no cases
list='' chosen=() build=() seeds=0 simulator='' nshares=1
parts='src platform shmem lib include bin flags tools-found' # of $B: what a mutant need not rebuild
while [ $# -gt 0 ]; do # mutants.sh PLATFORM=amd, as make has it
	case $1 in
	-l) list=1 ;;
	-j) nshares=$2 && shift ;;
	PLATFORM=* | ARCH=*) declare "$1" ;;
	*) chosen+=("$1") ;;
	esac
	shift
done
export PLATFORM LIMIT FULL
unset MAKEFLAGS MFLAGS MAKELEVEL B T N
case $PLATFORM in
cpu) B=build/cpu parts+=' head.h head.h.gch head.d' ;;
amd)
	B=build/amd-$ARCH seeds='1 2 3 4 5 6 7 8' simulator=build/amdsim/libamdhip64.so.5
	# Precompiling a changed header does not pay, and the device libraries are found already.
	build=(PLATFORM=amd GPU_ARCHS="$ARCH" B="$B" PLAT_HEADS='')
	for devlib in $(set +f; echo "$PWD"/build/amd/devlib-*); do
		[ ! -d "$devlib" ] || build+=(DEVLIB="$devlib")
	done
	parts+=" bitcode.$ARCH.d"
	export SIM=$PWD/build/amdsim AMDSIM_GPU=$ARCH AMDSIM_LATE
	LIMIT=100 ;; # a lost signal means an endless wait
*) echo "mutants.sh: PLATFORM=$PLATFORM: expected cpu or amd" >&2; exit 2 ;;
esac
jobs=-j$(nproc)
work=$(mktemp -d) || exit
mkdir "$work/passed" "$work/taken"
trap 'rm -rf "$work"' EXIT
nnoticed=0 survivors=()

# runs TEST RUN...: run the test built in the current tree; it must pass with all seeds. nodes_*: on 2 nodes
# of one PE. *.sh: a script in tests/, with the whole build; for the simulator it runs once, and builds what
# it needs.
runs() {
	local test=$1 nodes=() program
	shift
	program=$(made "$test")
	case $test in *.sh) program=tests/$test ;; esac
	if [[ $test == *.sh && $PLATFORM == amd ]]; then
		AMDSIM_LATE=1 LIMIT=600 MAKE="make ${build[*]}" B=$B AMDSIM_GPUS=$ARCH tests/run.sh -1 "$program"
		return
	fi
	[[ $test != nodes_* ]] || nodes=(tests/nodes.sh 2x1 --)
	for AMDSIM_LATE in $seeds; do
		"${nodes[@]}" tests/run.sh -1 "$@" "$program" || return
	done
}

# made TEST: the make target of a test.
made() {
	case $1 in *.sh) echo lib ;; *) echo "$B/tests/$1" ;; esac
}

# Another process may break a mutant by the same test: what is known of a way to run it is in a file.
known() {
	local key=$B.$*
	echo "$work/passed/${key//[^a-zA-Z0-9_.=-]/_}"
}

# passes TEST RUN...: whether the test passes in the tree as it is; run once per way to run it.
passes() {
	local test=$1 known start=$SECONDS status
	known=$(known "$@")
	shift
	(
		flock 9
		[ ! -e "$known" ] || exit 0
		flock "$work/make" make --no-print-directory $jobs "${build[@]}" "$(made "$test")" tools &&
			start=$SECONDS && runs "$test" "$@"
		echo "$? $((SECONDS - start))" >"$known"
	) 9>"$known.lock" >"$known.log" 2>&1
	read -r status _ <"$known"
	return "$status"
}

# limit_of TEST RUN...: the seconds that a mutant's run may take: 8 times what the test took, 40 at least.
limit_of() {
	local limit
	read -r _ limit <"$(known "$@")"
	limit=$((8 * limit))
	[ "$limit" -ge 40 ] || limit=40
	[ "$limit" -le "$LIMIT" ] || limit=$LIMIT
	echo "$limit"
}

# check_parts NAME FILE SED: each command of the sed script changes something, too.
check_parts() {
	local part
	while IFS= read -r part; do
		sed "$part" /dev/null 2>/dev/null || continue # half of a block in braces
		if sed "$part" "$2" | cmp -s - "$2"; then
			echo "FAIL $1: changes nothing in $2: $part"
			survivors+=("$1")
		fi
	done < <(echo "$3" | sed -E 's,/;(/[ ^]|s/),/\n\1,g')
}

# mutant KIND NAME TEST FILE SED [RUN...]: KIND says what is rebuilt:
#   source   FILE is a source of the library, not a header
#   kernel   FILE is a header that affects the test's kernels, or a source that the test includes; the library
#            is not rebuilt
#   header   FILE is a header, and the library must be rebuilt, too
#   text     nothing: the test reads FILE
# RUN are arguments of tests/run.sh before the program, such as -n 2.
mutant() {
	local kind=$1 name=$2 test=$3 file=$4 script=$5 tree=$work/$2 keep=() run=1
	shift 5
	if [ -n "$list" ]; then
		printf '%-22s %-14s %s\n' "$name" "$test" "$file"
	elif [ ${#chosen[@]} -gt 0 ] && [[ " ${chosen[*]} " != *" $name "* ]]; then
		return
	fi
	[ -n "$list" ] || mkdir "$work/taken/$name" 2>/dev/null || return # another process has it
	if sed "$script" "$file" | cmp -s - "$file"; then
		echo "FAIL $name: changes nothing in $file"
		survivors+=("$name")
		return
	fi
	if [ -n "$list" ]; then
		check_parts "$name" "$file" "$script"
		return
	fi
	if ! passes "$test" "$@"; then
		echo "FAIL $name: $test fails before anything is broken"
		survivors+=("$name")
		return
	fi
	mkdir -p "$tree/$B"
	cp -a Makefile include src platform tools tests docs python apps "$tree"
	for part in $parts; do
		[ ! -e "$B/$part" ] || cp -a "$B/$part" "$tree/$B"
	done
	set +f
	for part in "$B/tests/$test".*; do # what make compiles anew only if the file is a part of it
		[ ! -f "$part" ] || cp -a --parents "$part" "$tree"
	done
	set -f
	sed -i "$script" "$tree/$file"
	[ "$kind" != kernel ] || keep=(-o "$B/lib/libgshmem.so" -o "$B/lib/libgshmem.so.0"
		-o "$(realpath --relative-to=. "$B/lib/libgshmem.so")")
	if ! (cd "$tree" && make --no-print-directory $jobs "${build[@]}" "${keep[@]}" "$(made "$test")" tools >log 2>&1); then
		echo "FAIL $name: does not build"
		grep -E 'error|Error' "$tree/log" | head -n 5
		survivors+=("$name")
		rm -rf "$tree"
		return
	fi
	# A test may notice by chance; which ones do is said, because they should not.
	while [ $run -le 3 ] &&
		(cd "$tree" && LIMIT=$(limit_of "$test" "$@") && runs "$test" "$@") >"$tree/log" 2>&1; do
		run=$((run + 1))
	done
	if [ $run -gt 3 ]; then
		echo "FAIL $name: $test does not notice, in 3 runs"
		survivors+=("$name")
	else
		[ $run -eq 1 ] || test+=" in run $run"
		echo "noticed $name, by $test: $(grep -m 1 -E '^ +(tests/|PE |host: )' "$tree/log" | cut -c 5-100)"
		nnoticed=$((nnoticed + 1))
	fi
	rm -rf "$tree"
}

# engine_mutant NAME FILE SED: the random programs notice it, and so does the search.
engine_mutant() {
	mutant kernel "engine_$1" net_engine "$2" "$3"
	mutant kernel "explore_$1" net_explore "$2" "$3"
}

if [ -z "$list" ]; then
	make --no-print-directory $jobs "${build[@]}" lib tools $simulator $B/tests/ptr >"$work/log" 2>&1 || { # ptr: for the precompiled header
		cat "$work/log"
		exit 1
	}
fi

# The race detector: a repaired case is reported, or a racy one is not. gshmemcc names the library's folder, so
# that a mutant must make its own.
race_mutants() {
	local B=build/cpu-races build=(SAN=races B=build/cpu-races) parts=${parts/ bin/} race=platform/cpu/race
	mutant source race_fence races.sh $race/order.c 's/lane->open\[i\].fenced = s->now;/;/'
	mutant source race_quiet races.sh $race/order.c '/^static void quiet(/,/^}/s/lane->open\[i\].first = 0;/;/'
	mutant source race_reused races.sh $race/strand.c 's/s->is_free = true;/;/'
	mutant source race_meet races.sh $race/meet.c '/^void hipcpu_race_meet(/,/^}/s/s->met = s->now;/;/'
	mutant source race_learn races.sh $race/word.c '/^void race_word_learn(/,/^}/s/race_learn_snapshot(s, .*/;/'
	mutant source race_learnt races.sh $race/strand.c '/^void race_set_clock(/,/^}/s/memset(.*/;/'
	mutant source race_reads races.sh $race/shadow.c '/^static enum verdict judge(/,/^}/s/return YES;/return race_writes(kind) ? YES : NO;/'
	mutant source race_types races.sh $race/source.c '/^bool race_kinds_differ(/,/^}/s/second == [FI][A-Z]*/0/g'
	mutant source race_join races.sh $race/thread.c '/^static void joined(/,/^}/s/hipcpu_race_acquire_mark(.*/;/'
	mutant source race_barrier races.sh $race/openmp.c '/^static void leave(/,/^}/s/hipcpu_race_acquire_mark(mark);/(void)mark;/'
	mutant source race_store races.sh $race/hooks.c '/^static void end_store(/,/^}/s/race_leave(a->s);/race_note(a->s, a->w, 2, \&a->at); race_leave(a->s);/'
	mutant source race_call races.sh src/rpc/call.c '/^static void answer_call(/,/^}/s/GSHMEMI_RACE_RELEASE(.*/;/'
	mutant header race_served races.sh include/gshmem/rpc/rpc_slot.h 's/GSHMEMI_RACE_RELEASE(answer);/;/'
	mutant source race_element races.sh $race/carry.c 's/at.offset += element->first;/;/'
	mutant source race_steps races.sh $race/strand.c 's/if (++s->now == UINT32_MAX)/if (!++s->now \&\& 0)/'
	mutant source race_ring races.sh $race/share.c '/^void race_who(/,/^}/s/is_forgotten = .*/is_forgotten = false;/'

	# a fused program whose mistake seldom shows in its results
	mutant kernel cg_parts apps_cg apps/cg/cg.h \
		's/(steps->nsums & 1) \* (size_t)c.ngroups/0 * (size_t)c.ngroups/' -n 3
}

cpu_mutants() {
	# barriers, and what compares threads
	mutant source team_sync team_threads src/team/query.c \
		'/^int gshmemi_host_team_sync(/,/^}/{/gshmemi_sync_host_team/d}' -n 2
	mutant source sync_all_host barrier_reuse src/team/sync.c \
		's/gshmemi_sync_all(GSHMEMI_THREAD, quiet, call);/(void)quiet, (void)call;/'
	mutant kernel barrier_kernel barrier_reuse include/gshmem/order/sync.h \
		'/ gshmemi_sync_await(/,/^}/s/GSHMEM_CMP_GE, epoch/GSHMEM_CMP_GE, 0/'
	mutant kernel barrier_waves compat_nvshmem include/gshmem/order/sync.h \
		'/ gshmemi_sync_waves(/,/^}/s/ + 1 < nwaves)/ + 1 > nwaves)/' -n 2
	mutant kernel check_args check_groups include/gshmem/move/check.h \
		'/ gshmemi_check_args_at(/,/^}/s/first\[0\] != a/0/'
	mutant kernel check_group check_groups include/gshmem/move/check.h \
		'/ gshmemi_check_group_at(/,/^}/s/count != due/0/'
	mutant source check_map check src/heap/heap.c '/^static void mark(/,/^}/s/sizeof end/0/'
	mutant kernel check_claim check_groups include/gshmem/order/sync.h \
		'/ gshmemi_team_claim_at(/,/^}/s/if (found)/if (0)/'

	# the runtime of the cpu platform
	mutant source cpu_looks platform/cpu_crowd platform/cpu/lane.c '/ are_looks_long(/,/^}/s/is_core_wanted(spin_polls)/0/'

	# around the library: a kernel's flags in CMake; Python's meetings and freed arrays
	mutant text cmake_options outside/cmake.sh tools/gshmem-config.cmake \
		's/PROPERTY COMPILE_OPTIONS ${options}/PROPERTY COMPILE_OPTIONS -D__HIPCC__=1/'
	mutant text cmake_all_units outside/cmake.sh tools/gshmem-config.cmake \
		's/list(FILTER sources INCLUDE REGEX .*/#/'
	mutant text py_gives_up python.sh python/gshmem/_meeting.py 's/self._tell(_GAVE_UP)/pass/'
	mutant text py_other_call python.sh python/gshmem/_meeting.py \
		's/word % len(_CALLS) != _CALLS.index(call)/False/'
	mutant text py_freed python.sh python/gshmem/_memory.py 's/array.__class__ = FreedArray/pass/'
	mutant text py_freed_view python.sh python/gshmem/_memory.py \
		'/def __array_finalize__/,/_adopt/s/_adopt(self, allocation)/pass/'
	mutant text py_size python.sh python/gshmem/_rma.py 's/if dst_nbytes != src_nbytes:/if False:/'
	mutant text py_window python.sh python/gshmem/_rma.py 's/disp = address - found.address/disp = 0/'

	# order, with delayed delivery
	local leave='s/was_open = lock_memory();/& if (1) { unlock_memory(was_open); return; }/'
	local fence="/^void gshmemi_delivery_order(/,/^}/$leave" quiet="/^void gshmemi_delivery_complete(/,/^}/$leave"
	local signal='s/if (signal) {/if (0) {/'
	mutant source delivery_fence order_fence platform/cpu/delivery.c "$fence"
	mutant source delivery_fence_amo order_amo platform/cpu/delivery.c "$fence"
	mutant source delivery_quiet order_quiet platform/cpu/delivery.c "$quiet"
	mutant source delivery_quiet_nbi order_nbi platform/cpu/delivery.c "$quiet"
	mutant source delivery_pe_quiet order_pe_quiet platform/cpu/delivery.c "$quiet" -n 3
	mutant source delivery_signal order_put_signal platform/cpu/delivery.c "$signal"
	mutant kernel rules_fence delivery_rules platform/cpu/delivery.c "$fence"
	mutant kernel rules_quiet delivery_rules platform/cpu/delivery.c "$quiet"
	mutant kernel rules_signal delivery_rules platform/cpu/delivery.c "$signal"
	mutant kernel rules_catch_up delivery_rules platform/cpu/delivery.c \
		'/^static void catch_up(/,/^}/s/find_queue(.*)/NULL/'
	mutant kernel rules_overtake delivery_rules platform/cpu/delivery.c \
		'/^static bool shall_overtake(/,/^}/s/random_below(2) &&/0 \&\&/'

	mutant header coll_order coll_late include/gshmem/coll/coll_phase.h '/ gshmemi_coll_order(/,/^}/s/gshmemi_order(.*);/;/' \
		-n 3 -e GSHMEM_CPU_DELIVERY=random:1
	mutant header coll_sources coll include/gshmem/coll/coll_phase.h '/ gshmemi_coll_end(/,/^}/s/gshmemi_release_sources(.*);/;/' \
		-n 3 -e GSHMEM_CPU_DELIVERY=random:1
	mutant header complete_early coll_late include/gshmem/move/carry.h \
		'/ gshmemi_complete(/,/^}/s/gshmemi_carry_complete(.*/(void)context;/' -e GSHMEM_CPU_DELIVERY=random:1
	mutant kernel pe_direct pe_marks include/gshmem/state/peer.h \
		'/ gshmemi_pe_for(/,/^}/s/is_direct && /0 \&\& is_direct \&\& /'
	mutant kernel pe_mark pe_marks include/gshmem/state/pe.h 's/(1 << 28)/(1 << 30)/'
	mutant kernel order_nothing order_fence include/gshmem/move/carry.h \
		'/ gshmemi_order(/,/^}/s/gshmemi_carry_order_at(.*/;/'
	mutant header flag_lowers delivery_rules include/gshmem/move/carry.h \
		'/ gshmemi_apply_flag(/,/^}/s/found < value/found != value/'

	# fused programs: a step sends what a slower PE still reads of the one before; a wait or a fence is missing
	mutant kernel allreduce_signals apps_allreduce apps/allreduce/allreduce.h \
		's/came = a.came + ((n & 1)/came = a.came + ((n \& 0)/' -n 3 -e GSHMEM_CPU_DELIVERY=random:1
	mutant kernel attention_halves apps_attention apps/attention/attention.h \
		's/return signals + (block & 1) \* /return signals + 0 * /' -n 2
	mutant kernel attention_freed apps_attention apps/attention/attention.h \
		'/ attention_pass_wg(/,/^}/s/((block - 1) \/ 2)/0/' -n 3
	mutant kernel attention_read apps_attention apps/attention/attention.h 's/nparts \* (n + 1)/0/' -n 2
	mutant kernel attention_quiet apps_attention apps/attention/attention.h 's/gshmemx_quiet_wg();/__syncthreads();/' \
		-n 3 -e GSHMEM_CPU_DELIVERY=random:1
	mutant kernel moe_buffers apps_moe apps/moe/moe_dispatch.h 's/m.counts + (call.number & 1)/m.counts + 0/' -n 3
	mutant kernel moe_rows apps_moe apps/moe/moe.h \
		's/m->many = m->few + few/m->many = m->few + 0/; s/m->places = m->many + many/m->places = m->many + (few + many)/' -n 3
	mutant kernel moe_meet apps_moe apps/moe/moe.h 's/gshmemx_fence_wg();/__syncthreads();/' \
		-n 3 -e GSHMEM_CPU_DELIVERY=random:1
	mutant kernel cg_edges apps_cg apps/cg/cg.h '/edges_came\[side\], /s/steps->nsums/0/' -n 3
	mutant kernel cg_shares apps_cg apps/cg/cg.h 's/(steps->nsums & 1) \* (size_t)c.npes/0 * (size_t)c.npes/' \
		-n 3 -e GSHMEM_CPU_DELIVERY=random:1
	mutant kernel bfs_fence apps_bfs apps/bfs/bfs.h 's/gshmemx_fence_wg();/__syncthreads();/' \
		-n 3 -e GSHMEM_CPU_DELIVERY=random:1
	mutant kernel bfs_empty_level apps_bfs apps/bfs/bfs.h 's/bfs_level_wg(b, w, -1);/;/' -n 3

	# carriers
	mutant kernel carry_offset put_get_copy include/gshmem/move/slow.h \
		'/ gshmemi_find_place(/,/^}/s/\*offset_p = /&8 + /' -e GSHMEM_CARRY=direct
	mutant kernel carry_signal signal_put include/gshmem/move/carry.h \
		'/ gshmemi_apply(/,/^}/s/(void)gshmemi_amo_peer(o->op, sig_base.*/;/' -e GSHMEM_CARRY=direct

	# which PE or GPU updates a word
	mutant kernel signal_direct atomics_pairs include/gshmem/move/signal.h \
		'/ gshmemi_put_signal(/,/^}/s/where.amo_delta/s.op == GSHMEM_SIGNAL_ADD ? & : where.delta/'
	mutant header signal_slow atomics_pairs include/gshmem/move/carry.h \
		'/ gshmemi_carry_at(/,/^}/s/o->sig_region, o->pe, 1)/o->sig_region, o->pe, 0)/'
	mutant source atomics_none atomics_pairs src/ipc/region.c \
		'/^static void set_delta(/,/^}/s/gshmemi_job->peers\[peer\].has_atomics/0/'
	mutant source atomics_all atomics_pairs src/ipc/map.c \
		'/^static int open_peers(/,/^}/s/if (access.has_atomics)//'
	mutant source atomics_own atomics_pairs src/job/job.c 's/job.peers\[job.rank\].has_atomics = true;//'
	mutant source atomics_device atomics_pairs src/ipc/map.c \
		'/^static int find_access(/,/^}/s/(struct access){true, peer == device}/(struct access){true, false}/'

	# regions
	mutant kernel cache_in_use region_openings src/ipc/opening.c \
		'/^static bool trim(/,/^}/s/if (!(\*link)->nusers) {/{/'
	mutant kernel cache_address region_openings src/ipc/opening.c \
		'/^static hipError_t find_opening(/,/^}/s/(\*link)->id == memory->id/1/'
	mutant kernel cache_order region_openings src/ipc/opening.c \
		's/	move_to_front(&peers\[peer\], link);//'
	mutant source region_attempts regions_bad src/ipc/region.c \
		'/^static hipError_t try_often(/,/^}/s/i < GSHMEMI_REGION_ATTEMPTS/i < 4/'
	mutant source region_device regions_bad src/ipc/region.c \
		'/ enter_device(void)/,/^}/s/return gshmemi_devmem_enter();/return (struct gshmemi_devmem_caller){0};/;/^static void leave_device(/,/^}/s/gshmemi_devmem_leave(previous);/(void)previous;/'
	mutant source region_error regions_bad src/ipc/opening.c 's/(void)hipGetLastError();/;/'
	mutant source region_direct_only regions_bad src/device/state.c \
		'/^int gshmemi_state_add_why(/,/^}/s/rc = check_units();/rc = 0;/'
	mutant source win_cards regions_bad src/win/create.c \
		'/^static int make(/,/^}/s/rc = agree(team, local, &needs_none, r->call);/rc = local;/'
	mutant source win_generation win_misuse src/win/window.c \
		's/(window->generation + 1) % GSHMEMI_WIN_GENERATIONS/0/'
	mutant source bases_heap peer_bases src/op/query.c \
		's/return gshmemi_host_ptr(my_heap, pe);/return (char *)(uintptr_t)my_heap + 0 * pe;/' -n 3
	mutant source bases_parts peer_bases src/win/window.c \
		'/^void \*gshmemi_window_memory(/,/^}/s/window->parts\[pe\]/window->parts[0]/' -n 3
	mutant source bases_count peer_bases src/device/devmem.c \
		's/gshmemi_devmem_copy(bases, table, (size_t)n/gshmemi_devmem_copy(bases, table, (size_t)(n - 1)/' -n 3
	mutant source virtual_begin win_virtual src/ipc/virtual.c \
		's/memory_p->offset = .*/memory_p->offset = 0;/' -n 2
	mutant source virtual_close win_virtual src/ipc/opening.c \
		's/if (opening->mapping \&\& !opening->nusers)/if (0)/' -n 2
	mutant source virtual_refused win_virtual src/ipc/virtual.c \
		'/^static int find_pieces(/,/^}/s/return -ENOTSUP;/fd = 0;/' -n 2
	mutant source win_take win_create src/win/window.c \
		'/^bool gshmemi_window_take(/,/^}/s/is_mine = is_free(place, npieces);/is_mine = true;/' -n 3
	mutant source win_streamed stats src/win/stream.c \
		'/^static ptrdiff_t find_delta(/,/^}/s/gshmemi_env_sees_operations()/(gshmemi_env_sees_calls() \&\& !gshmemi_env.CHECK)/'
	mutant source win_busy win_create src/win/window.c \
		'/^static int agree_on_free(/,/^}/s/rc \&\& pe < w->npes/rc \&\& pe < 1/' -n 3
	mutant source win_gone win_create src/win/window.c \
		'/^static bool is_gone(/,/^}/s/if (!window->id)/if (window)/' -n 3
	mutant source win_inside win_calls src/win/create.c \
		'/^static void fill_parts(/,/^}/s/begin + cards\[i\].inside/begin/' -n 3
	mutant source win_plain win_create src/win/create.c \
		'/^static bool needs_net(/,/^}/s/return true;/return false;/' -n 3
	mutant header win_range win_misuse include/gshmem/win/win.h \
		's/(disp < 0 || nbytes > part->nbytes ||$/(/'
	mutant header win_fence_epoch win_misuse include/gshmem/win/win.h \
		's/w->epoch->state = GSHMEMI_WIN_FENCE_EPOCH;/;/'
	mutant header win_fence win_epochs include/gshmem/win/epoch.h \
		'/^GSHMEMI_WIN_APART void gshmemi_win_do(/,/^}/s/gshmemi_win_meet(w, .*/;/' -n 4
	mutant header win_wait win_epochs include/gshmem/win/epoch.h \
		'/^GSHMEMI_FN int gshmemi_win_wait(/,/^}/s/GSHMEMI_WIN_OWN(await, .*/;/' -n 4
	mutant header win_start win_epochs include/gshmem/win/epoch.h \
		'/^GSHMEMI_FN void gshmemi_win_start(/,/^}/{s/GSHMEMI_WIN_OWN(await, .*/t->nstarted++;/;/^[	 ]*++t->nstarted/d;/^[	 ]*w->parts\[/d}' -n 4
	mutant header win_exclusive win_locks include/gshmem/win/epoch.h \
		's/is_exclusive ? GSHMEMI_TURN_EXCLUSIVE : GSHMEMI_TURN_SHARED, turn/GSHMEMI_TURN_SHARED, (uint32_t)(found \/ GSHMEMI_WIN_REQUESTED_X) \& most/' -n 6
	mutant header win_carry win_locks include/gshmem/win/epoch.h \
		'/ gshmemi_win_count(/,/^}/s/if (carries)/if (0)/' -n 6
	mutant header win_unlock_quiet win_epochs include/gshmem/win/epoch.h \
		'/^	case GSHMEMI_WIN_DO_UNLOCK:$/,/break;/s/gshmemi_quiet(scope, 0, &world_pe.*/;/' -e GSHMEM_CPU_DELIVERY=random:2 -n 4
	mutant header win_half win_types include/gshmem/win/element.h \
		's/word = (found \& ~(((1ULL << 8 \* nbytes) - 1) << 8 \* inside)) | word << 8 \* inside;/word <<= 8 * inside;/' -n 3
	mutant header win_wide win_many include/gshmem/win/element.h \
		's/\(at->call)\) == 0)/\1 < 2)/' -n 3
	mutant header win_notify win_calls include/gshmem/win/notify.h \
		's/gshmemi_fence(scope, 0, call);.*/;/' -e GSHMEM_CPU_DELIVERY=random:2 -n 3

	# the mailbox of a device: operations for its GPU
	mutant kernel mail_lock mailbox_explore include/gshmem/wait/mail.h \
		'/ gshmemi_mail_serve(/,/^}/s/if (taken & 1)/if (0)/'
	mutant kernel mail_done mailbox_explore include/gshmem/wait/mail.h \
		'/ gshmemi_mail_serve(/,/^}/{/fence_release();/{N;/attention.done/s/gshmemi_arch_fence_release();/;/}}'
	mutant kernel mail_unlock mailbox_explore include/gshmem/wait/mail.h \
		'/ gshmemi_mail_serve(/,/^}/{/attention.done, taken/{n;s/gshmemi_arch_fence_release();/;/}}'
	mutant kernel mail_look mailbox_explore include/gshmem/wait/mail.h \
		'/ gshmemi_mail_serve(/,/^}/s/} while (.*/} while (0);/'

	# carried operations: how kernels and hosts hand them over, and when they are complete
	mutant source net_host_quiet net_order src/net/carry.c \
		'/^void gshmemi_net_complete(/,/^}/s/while (mark) {/while (0) {/'
	mutant source net_quiet net_order src/rpc/carry.c \
		'/^int gshmemi_rpc_carry_complete(/,/^}/s/if (q->mark)$/if (0)/'
	mutant source net_idle net_order src/rpc/carry.c \
		'/^int gshmemi_rpc_carry_complete(/,/^}/s/is_idle = .*/is_idle = true;/'
	mutant source net_signal net_order src/net/carry.c \
		'/^static bool hand_over(/,/^}/s/o->value, c->bulk)/o->value, 0)/'
	mutant source net_context net_order src/net/carry.c \
		'/^static struct gshmemi_target target_of(/,/^}/s/gshmemi_pe_context(o->pe)/0/'
	mutant source net_fence net_order src/engine/ask.c \
		'/^void gshmemi_engine_fence(/,/^}/s/context->fenced = context->nbulks/;/'
	mutant source net_merged net_order src/engine/ask.c '/^static bool grow(/,/^}/s/memcpy(.*/;/'
	mutant kernel net_order_asked net_order include/gshmem/rpc/net.h \
		'/ gshmemi_net_order(/,/^}/s/gshmemi_net_ask(.*/(void)context;/'
	mutant kernel net_fetched net_order include/gshmem/rpc/net.h \
		'/ gshmemi_net_amo_nbi(/,/^}/s/GSHMEMI_OP_TO_MEMORY/0/'
	mutant kernel net_held net_signals include/gshmem/rpc/net.h \
		'/ gshmemi_net_signal_at(/,/^}/s/r->u.signal.value = signal;/r->u.signal.value = 0;/'
	mutant kernel net_asked net_asked include/gshmem/rpc/net.h 's/^\tgshmemi_net_asked();/\t;/'
	mutant source net_asked_late net_quiet src/net/net.c \
		's/^\t\tgshmemi_state_set_asked(true);/\t\tatomic_store(\&may_be_open, true);\n\t\tusleep(200);\n&/'
	mutant source net_asked_init net_asked src/host/init.c 's/state.why |= GSHMEMI_WHY_ASKED;/;/'
	mutant source net_again net_asked src/rpc/carry.c \
		'/^void gshmemi_rpc_carry_begin(/,/^}/s/atomic_store(&nhanded_over, 0);/;/'
	mutant source net_awaited net_messages src/engine/ask.c 's/c->urgency = IS_AWAITED;/;/'
	mutant source net_taken_along net_messages src/net/carry.c \
		's/gshmemi_net_leave_puts();/gshmemi_net_leave();/'
	mutant source net_amo net_sums src/engine/perform.c \
		'/^static bool amo(/,/^}/s/\(old = \)\(gshmemi_amo_peer(.*\)/\1gshmemi_arch_load(word, nbytes); if (gshmemi_op_op(r->head) == GSHMEMI_AMO_ADD) { sched_yield(); gshmemi_arch_store(word, old + r->u.amo.value, nbytes); } else \1\2/;s/#include <stdlib.h>/&\n#include <sched.h>/'
	mutant header wire_cond net_sums src/engine/wire.h '/ gshmemi_wire_cond(/,/^}/s/return .*/return (void)has_cond, 0;/'
	mutant header net_wrap net_engine src/engine/connection.h \
		'/ gshmemi_net_is_below(/,/^}/s/return .*/return seq < limit;/'
	mutant source net_lanes net_sums src/rpc/carry.c \
		'/^static struct request \*begin_request(/,/^}/s/r->left |= /r->left = /'
	mutant source net_parked net_locks src/engine/perform.c \
		'/^bool gshmemi_net_park(/,/^}/s/e->waiters = waiter;/free(waiter);/'
	mutant source net_far nodes_death src/net/net.c \
		'/^static bool is_far(/,/^}/s/return .*/return (void)pe, false;/'
	mutant source net_alone nodes_death src/net/net.c \
		'/^static void wait_for_watcher(/,/^}/s/sleep(5);/sleep(5); else gshmemi_thread_sleep(10);/'
	mutant source net_stopped net_stop src/net/net.c \
		"/^static const char .find_excuse(/,/^}/s/case 'T'/case 'X'/"
	mutant source net_starved net_stop src/net/net.c \
		"/^static bool has_running_thread(/,/^}/s/== 'R'/== 'X'/"

	# the protocols, which the explorers run under every schedule
	mutant kernel rpc_fence rpc_explore include/gshmem/rpc/rpc_slot.h \
		'/ gshmemi_rpc_post(/,/^}/s/gshmemi_arch_fence_release();/;/'
	mutant kernel rpc_sync rpc_explore include/gshmem/rpc/rpc.h \
		'/ gshmemi_rpc_send(/,/^}/s/gshmemi_arch_group_sync(.*/;/'
	mutant kernel rpc_reuse rpc_explore include/gshmem/rpc/rpc_slot.h \
		'/ gshmemi_rpc_lock(/,/^}/s/gshmemi_rpc_is_answered(c, slot, old)/1/'
	mutant kernel rpc_pending rpc_explore include/gshmem/rpc/rpc_slot.h \
		'/ gshmemi_rpc_close(/,/^}/s/pending ?/(void)pending, 0 ?/'
	local leak='/ gshmemi_rpc_lock(/,/^}/s/gshmemi_arch_store(.*old, 4);/;/'
	local early='/ gshmemi_rpc_receive(/,/^}/s/if (port->is_leader)/if (port->is_leader) gshmemi_rpc_close(c, port->slot, port->seq, 0);\n&/'
	mutant kernel rpc_leak rpc_explore include/gshmem/rpc/rpc_slot.h "$leak"
	mutant kernel rpc_early rpc_explore include/gshmem/rpc/rpc.h "$early"
	mutant kernel freeze_leak rpc_freeze include/gshmem/rpc/rpc_slot.h "$leak"
	mutant kernel freeze_early rpc_freeze include/gshmem/rpc/rpc.h "$early"
	engine_mutant ack_early src/engine/engine.c \
		'/^static void acknowledge(/,/^}/s/c->nperformed_here/& + (c->kept ? c->kept->nleft : 0)/'
	engine_mutant answer_credit src/engine/engine.c \
		'/^static void send_responses(/,/^}/s/c->answers.first/& \&\& gshmemi_net_is_below(c->next_seq, c->limit)/'
	engine_mutant no_seq src/engine/perform.c 's/if (head->seq != c->expected || c->kept)/if (0)/'
	engine_mutant no_wait src/engine/ask.c '/^static bool wait_for(/,/^}/s/c->nbulks_landed >= bulk/1/'
	engine_mutant credit_leak src/engine/perform.c '/e->ncredits += c->ngranted;/d'
	engine_mutant fence_merge src/engine/ask.c 's/c->open->last_put = 0; /; /'
	engine_mutant land_any src/engine/perform.c 's/<< (sending->chunk - c->nlanded_here - 1)/<< 0/'
	engine_mutant retire_early src/engine/ask.c 's/ && !item->nchunks) {/) {/'
	engine_mutant ack_never src/engine/engine.c '/!--c->ack_passes/{n;s/true/false/}'
	engine_mutant ack_lost src/engine/engine.c 's/^\t\tsend_ack(e, c);/&\n\tc->must_ack = false;/'
	engine_mutant puts_stay src/engine/engine.c 's/>= c->lone_puts_end;/>= c->lone_puts_end \&\& !c->lone_puts_end;/'
	engine_mutant context_stolen src/engine/ask.c 's/if (is_over(c, context))$/if (1)/'
	mutant kernel elements_last net_engine src/engine/accumulate.c \
		's/i < s->nbytes; i += NBYTES/i + 8 < s->nbytes; i += NBYTES/'
	mutant header pair_tie win_pairs include/gshmem/win/operator.h 's/b.index < a.index/b.index > a.index/' -n 3
	mutant header stride_source win_calls include/gshmem/win/accumulate.h 's/(ptrdiff_t)i \* b.sst/(ptrdiff_t)i * b.dst/' -n 3
	mutant source refusal win_faults src/engine/perform.c 's/memcpy(data, r, GSHMEMI_WIRE_REFUSED_NBYTES)/(void)0/'
	mutant source elements_lost win_many src/engine/accumulate.c 's/swap_again(s, &b, i, got);/;/' \
		-n 3 -e GSHMEM_CARRY=0,2
	mutant source elements_carry win_order src/engine/accumulate.c \
		'/^static void update_words(/,/^}/s/word_nbytes > s->u.nbytes/0/' -e GSHMEM_CARRY=all
	mutant source elements_lock win_many src/engine/accumulate.c 's/if (lock && gshmemi_amo_peer(/if (0 \&\& (/' \
		-n 3 -e GSHMEM_CARRY=0,2
	mutant header elements_each net_messages include/gshmem/win/accumulate.h \
		's/return (GSHMEMI_ASKS || GSHMEMI_IS_LIBRARY) &&/return 0 \&\&/'
	mutant source order_elements win_order platform/cpu/delivery.c 's/^\tif (is_update(&r->o))$/\tif (0)/' \
		-e GSHMEM_CPU_DELIVERY=random:1
	mutant kernel order_posts win_order include/gshmem/rpc/net.h \
		's/GSHMEMI_OP_INLINE | GSHMEMI_OP_WAITS);/GSHMEMI_OP_INLINE | (e->old ? GSHMEMI_OP_WAITS : 0));/' \
		-e GSHMEM_CARRY=all
	# chance hardly ever delays a message for long enough
	mutant kernel return_race net_explore src/engine/engine.c 's/head->nperformed >= c->returned/1/'

	# host calls
	mutant header fetch_inc host_threads include/gshmem/arch/c11.h \
		'/define GSHMEMI_ARCH_AMO(/,/^GSHMEMI/s/return __atomic_fetch_add(address, value[^;]*;/return *address += value, *address - value;/' -n 2
	mutant source context_destroyed team_bad_input src/team/context.c \
		'/^static void destroy(/,/^}/s/c->handle = 0;//'
	mutant source exit_status global_exit src/end/end.c 's/gshmemi_bootstrap_abort(end_status);/;/'
	mutant source no_connections init_finalize src/bootstrap/mpi.c \
		'/ && count_connections() > /s/count_connections() > nconnections/false/'
	mutant source own_connections init_finalize src/bootstrap/mpi.c \
		'/ && count_connections() > /s/nconnections/0/'
	mutant source kept_file closed_files src/job/job.c 's/gshmemi_file_keep((int)syscall/(0 ? 0 : (int)syscall/' -n 2
	mutant source main_left main_leaves src/bootstrap/leaving.c 's/keeps_main = true;/;/' -n 2
	mutant source trace_pending trace src/rpc/call.c 's/task->has_begun = true;/;/'
	mutant source no_finalize exit_without_finalize src/job/life.c \
		's/flock(fd, LOCK_EX . LOCK_NB) == 0/1/'
	mutant source launcher init_launcher src/bootstrap/launcher.c \
		's/"OMPI_COMM_WORLD_SIZE"/"OMPI_COMM_WORLD_NONE"/'
	mutant source mpi_local mpis.sh src/mpi/mpi.c 's/RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD/RTLD_NOW | RTLD_NOLOAD/'
	mutant source mpi_abi mpis.sh src/mpi/mpi.c 's/if (abi == (int)loaded /if (1 || abi == (int)loaded /'
	if command -v mpirun.openmpi >/dev/null; then # they need two MPIs
		mutant source mpi_runs mpis.sh src/mpi/mpi.c 's/ + 2 \* (flag != 0)//'
		mutant source mpi_sure mpis.sh src/mpi/mpi.c 's/is_sure = size .*;/is_sure = false;/'
	fi
	mutant source win_guard win_faults src/net/net.c \
		's/is_far, NULL, may_touch,/is_far, NULL, gshmemi_net_may_touch ? may_touch : NULL,/'
	mutant source uid_secret uniqueid src/bootstrap/join.c \
		's/memcmp(guest->hello.secret, door.id->secret, sizeof guest->hello.secret)/0/'
	mutant source uid_alike uniqueid src/bootstrap/join.c 's/if (member \&\& member->pid)/if (0)/'
	mutant source uid_tell uniqueid src/bootstrap/tcp.c \
		'/^_Noreturn static void end_job(/,/^}/s/gshmemi_tcp.rank == gshmemi_tcp.root/0/'
	mutant source uid_own uniqueid src/bootstrap/uniqueid.c \
		'/^int gshmemi_uniqueid_take_listener(/,/^}/s/		listener.pid = 0;/		;/'
	mutant source level_first init_levels src/bootstrap/mpi.c \
		'/^static int check_level(/,/^}/s/if (level >= thread_level)/if (1)/'
	mutant source malloc_in_sight watchdog_memory src/team/meet.c 's/if (place.sync)$/if (0)/'
	mutant source pool_row teams_large src/team/split.c \
		'/ find_row(/,/^}/s/nplaces && length < n; i++/nplaces \&\& length + 1 < n; i++/'
	mutant source list_order teams_any src/team/split.c 's/set_member(parent, i, pes\[i\], shape)/set_member(parent, i, i, shape)/' -n 3
	mutant source members_vote teams_any src/team/members.c 's/vote = m->rc || take(m, place_of(word)) ? FOR/vote = m->rc || take(m, place_of(word)) || 1 ? FOR/' -n 4
	mutant source members_unable team_bad_input src/team/members.c 's/m->rc ? UNABLE : vote/vote/'
	mutant source members_many team_bad_input src/team/members.c 's/npes > gshmemi_state.npes || //'
	mutant source members_clear teams_any src/team/members.c \
		'/ follow(/,/^}/s/(void)await_change(.*/;/' -n 3
	mutant source members_tag team_threads src/team/members.c 's/(pes, npes) ^ tag/(pes, npes)/' -n 4
	mutant kernel context_stride teams_large include/gshmem/order/context.h \
		'/ gshmemi_ctx_pe(/,/^}/s/>> 47/>> 48/'
	mutant kernel job_peers init_max_pes src/job/job.c \
		'/ find_machine(/,/^}/s/all\[pe\] != mine/all[pe] > mine/'
	mutant source scale_item init_memory src/team/context.c '/GSHMEMI_SCALE_PINNED/d'
	mutant text layer_above layers src/job/job.c 's,^#include "job/job.h",&\n#include "heap/heap.h",'
	mutant source layer_called layers src/base/log.c \
		's/const int pe = .*/extern int gshmemi_bootstrap_rank(void); const int pe = gshmemi_bootstrap_rank();/'
	mutant text platform_name layers src/heap/heap.c \
		's/return GSHMEMI_ARCH_COARSE_COHERENT/return strcmp(GSHMEMI_ARCH_NAME, "amd")/'
	mutant text arch_unlisted layers src/rpc/server.c 's/gshmemi_arch_relax();/__builtin_ia32_pause();/'
	mutant text env_row env_doc docs/env.md 's/| teams that can exist at a time/| teams at a time/'

	# what a job is doing
	mutant source stats_host stats src/op/stats.c \
		's/count.nbytes = gshmemi_host_counts\[i\].nbytes + /count.nbytes = /'
	mutant kernel stats_each stats include/gshmem/move/slow.h \
		's/flags |= GSHMEMI_OP_CHECK;/;/'
	mutant source trace_lost trace src/trace/timeline.c 's/nlost += write_ring/(void)write_ring/'
	mutant source trace_clock trace src/trace/clock.c 's/best->offset_ns = /&1000000000 + /'
	mutant source waits_again who_waits src/end/waits.c 's/^		nnamed = 0;//'

	# the cpu platform
	mutant source capture_invalid platform/cpu_graph platform/cpu/capture.c \
		's/^	if (capture->is_invalid)$/	if (0)/'
	mutant source graph_quiet graph_stream src/op/order.c \
		's/if (!is_captured)/if (1)/' -n 1
	mutant source diverge_join platform/cpu_diverge platform/cpu/wave.c \
		's/^\(\t*\)join(b, w, group);$/\1(void)join;/'
	mutant source diverge_elected wave_stays platform/cpu/wave.c 's/^\t\tjoin(b, (unsigned).*/\t\t;/'
	mutant kernel some_waits wave_some include/gshmem/arch/cpu.h \
		's/#define gshmemi_arch_wave_some gshmemi_arch_wave_here/#define gshmemi_arch_wave_some gshmemi_arch_wave_peers/'
	mutant kernel wave_joins wave_stays include/gshmem/order/sync.h \
		'/ gshmemi_wave_joins(/,/^}/s/if (scope == GSHMEMI_WAVE \&\& lanes)/if (scope < 0)/'
	mutant source access_forget platform/cpu_host_access platform/cpu/access.c \
		'/^static void count_out(/,/^}/s/PROT_NONE/PROT_READ/'

	race_mutants

	# who serves the mailbox if the CPU cannot reach the heap: built as for the leg copies
	B=build/cpu-copies build=(B=build/cpu-copies CFLAGS='-O1 -g1' CPPFLAGS=' -DGSHMEMI_HOST_COPIES -DGSHMEMI_GENERIC_COPY=2 -DGSHMEM_MAX_PES=8')
	mutant kernel mail_waits mailbox include/gshmem/wait/poll.h 's/^	gshmemi_attend();//' -n 1
	mutant kernel mail_tests mailbox include/gshmem/wait/wait.h 's/gshmemi_attend();/;/' -n 1
	mutant source mail_kernel mailbox src/owner/attend.c 's/^		launch();/		;/' -n 1
	# accumulates by kernels, if there is room
	mutant source update_grace net_full src/owner/update.c 's/ - update->queued_ns < GRACE_NS)/ != 0)/'
	mutant source update_left net_full src/owner/update.hip 's/!gshmemi_arch_load(&page->is_left, 4) &&/1 \&\&/'
	mutant source update_lock win_many src/owner/update.hip 's/AMO_SET, (char \*)lock, 0, 0, 8/AMO_SET, (char *)lock, 1, 0, 8/' \
		-e 'GSHMEM_CPU_HOST_ACCESS=0 GSHMEM_CARRY=all'
	mutant source update_old win_many src/owner/update.hip 's/page->old + i : NULL/page->old : NULL/' \
		-e 'GSHMEM_CPU_HOST_ACCESS=0 GSHMEM_CARRY=all'

	# data that the library cannot reach
	mutant kernel net_pieces net_signals include/gshmem/rpc/net.h \
		'/ gshmemi_net_lines_at(/,/^}/s/offset += nbytes;/;/' -e GSHMEM_CPU_HOST_ACCESS=0
	mutant kernel net_registered buffer_register include/gshmem/move/carry.h \
		's/ || gshmemi_is_registered_at(local);/;/' -e 'GSHMEM_CPU_HOST_ACCESS=0 GSHMEM_CARRY=all'
	# without protection keys a kernel that runs opens the memory to the CPU, too
	if [ -z "$list" ] && ! grep -qw pku /proc/cpuinfo; then
		echo "left out net_registered_device: this machine has no memory protection keys"
	else
		mutant source net_registered_device buffer_register src/net/carry.c \
			's/		gshmemi_buffers_are_device(local);/		false;/' \
			-e 'GSHMEM_CPU_HOST_ACCESS=0 GSHMEM_CARRY=all'
	fi
	mutant source net_page net_signals src/rpc/carry.c \
		'/^static struct gshmemi_op_record \*line_of(/,/^}/s/GSHMEMI_RPC_PAGE/0/' -e GSHMEM_CPU_HOST_ACCESS=0

	# the window of the direct tables, in which only 7 entries are PEs: built as for the leg window
	B=build/cpu-window build=(B=build/cpu-window CFLAGS='-O1 -g1' CPPFLAGS=' -DGSHMEM_MAX_PES=8')
	mutant kernel window_entry window include/gshmem/state/peer.h \
		's/gshmemi_tables()->bias;/gshmemi_tables()->bias + 8;/'
	mutant kernel window_end window include/gshmem/state/peer.h \
		'/ gshmemi_peer_entry(/,/^}/s/last = (GSHMEM_MAX_PES - 1)/last = (GSHMEM_MAX_PES + 1)/'
	mutant source window_first window src/ipc/region.c \
		'/^static int find_first(/,/^}/s/: peer->pe;/: peer->pe + 1;/'
	mutant source window_last window src/ipc/region.c \
		'/^static int fill_tables(/,/^}/s/>= GSHMEM_MAX_PES - 1/>= GSHMEM_MAX_PES/'

	# the host's calls if it cannot touch device memory: built as for the leg copies
	B=build/cpu-copies
	build=(B="$B" CFLAGS='-O1 -g1' CPPFLAGS=' -DGSHMEMI_HOST_COPIES -DGSHMEMI_GENERIC_COPY=2 -DGSHMEM_MAX_PES=8')
	mutant source signal_copied atomics_pairs src/op/copies.c \
		's/(void)gshmemi_devmem_amo(o->op, sig_there.*/if (o->op == GSHMEMI_AMO_ADD) & else gshmemi_devmem_store(sig_there, \&o->value, 8, call);/' \
		-e GSHMEM_CPU_HOST_ACCESS=0
	mutant header win_batch win_many include/gshmem/win/batch.h \
		's/is_open\[i\] = native < 0 \&\& .*/is_open[i] = 0;/' -e GSHMEM_CPU_HOST_ACCESS=0 -n 3
	mutant header win_batch_inside win_many include/gshmem/win/batch.h \
		's/at->address + offset - batch->inside;/at->address + offset;/' -e GSHMEM_CPU_HOST_ACCESS=0 -n 3
	mutant source nodes_row barrier_nodes src/team/nodes.c \
		's/nodes->row\[2\] = nodes->row\[1\] + .*/nodes->row[2] = 0;/' -n 8
	mutant source same_mype team_same_mype src/team/team.c \
		'/ find_same_mype(/,/^}/s/mine += .*/;/' -n 7
	mutant header nodes_first barrier_nodes_flags include/gshmem/order/sync.h \
		's/return part != 1 || !nodes->my_local;/return 1;/' -n 6
	mutant header nodes_partner coll_nodes include/gshmem/coll/coll_nodes.h \
		's/nodes->my_local % (/0 % (/' -n 5
	mutant header nodes_forward coll_nodes include/gshmem/coll/coll_nodes.h \
		's/gshmemi_coll_put(c, dest + begin, dest + begin, n, align, locals\[i\])/;/' -n 5
	mutant header scratch_sets reduce_nodes include/gshmem/coll/reduce.h \
		's/(c->phase & (GSHMEMI_REDUCE_SETS - 1))/(c->phase \& 1)/' -n 4
	mutant header scratch_once reduce_nodes include/gshmem/coll/reduce.h \
		's/(epoch & (GSHMEMI_REDUCE_ONCE_SETS - 1))/0/' -n 4
}

# Fences, waits and cache bits of include/gshmem/arch/amd.h, then the calls of them. Tests notice a missing
# wait in fence_release only if the compiler drops its own, which tests/isa/amd.sh checks.
amd_mutants() {
	local amd=include/gshmem/arch/amd.h
	mutant kernel release_fence order_fence $amd \
		'/ gshmemi_arch_fence_release(/,/^}/s/__builtin_amdgcn_fence.*/;/' -n 2
	mutant kernel release_wait order_scopes $amd \
		'/ gshmemi_arch_fence_release(/,/^}/s/__asm__ volatile(GSHMEMI_ARCH_WAIT.*/;/' -n 2
	mutant kernel acquire_fence order_acquire $amd \
		'/ gshmemi_arch_fence_acquire(/,/^}/s/__builtin_amdgcn_fence.*/;/' -n 2
	mutant kernel read_peer order_acquire $amd \
		'/ gshmemi_arch_fence_read_peer(/,/^}/s/gshmemi_arch_fence_acquire();/;/' -n 2
	mutant kernel fence_system order_quiet $amd \
		'/ gshmemi_arch_fence_system(/,/^}/s/gshmemi_arch_fence_release();/;/' -n 2
	mutant kernel load_scope get_polling $amd \
		'/ gshmemi_arch_load(/,/^}/s/SCOPE_SYSTEM/SCOPE_WORKGROUP/' -n 2
	mutant kernel store_scope order_acquire $amd \
		'/ gshmemi_arch_store(/,/^}/s/SCOPE_SYSTEM/SCOPE_WORKGROUP/' -n 2
	mutant kernel amo_scope amo_contended $amd \
		'/define GSHMEMI_ARCH_AMO(/,/^}/s/SCOPE_SYSTEM/SCOPE_WORKGROUP/' -n 2
	mutant kernel group_sync order_fence $amd '/ gshmemi_arch_group_sync(/,/^}/s/__syncthreads();/;/' -n 2
	mutant kernel wait_acquire order_acquire include/gshmem/wait/poll.h \
		'/ gshmemi_wait(/,/^}/s/gshmemi_arch_fence_acquire();//' -n 2
	mutant kernel test_acquire order_acquire include/gshmem/wait/wait.h \
		'/ gshmemi_test(/,/^}/s/gshmemi_arch_fence_acquire();//' -n 2
	mutant kernel wait_any_acquire order_acquire include/gshmem/wait/wait_many.h \
		'/ gshmemi_wait_many(/,/^}/s/gshmemi_arch_fence_acquire();//' -n 2
	mutant kernel test_any_acquire order_acquire include/gshmem/wait/wait_many.h \
		'/ gshmemi_test_many(/,/^}/s/gshmemi_arch_fence_acquire();//' -n 2
	mutant kernel lock_set_acquire order_acquire include/gshmem/order/lock.h \
		'/ gshmemi_turn_await(/,/^}/s/gshmemi_arch_fence_acquire();//' -n 2
	mutant kernel lock_test_acquire order_acquire include/gshmem/order/lock.h \
		'/ gshmemi_lock_test(/,/^}/s/gshmemi_arch_fence_acquire();//' -n 2
	mutant kernel lock_clear_quiet order_acquire include/gshmem/order/lock.h \
		'/ gshmemi_lock_clear(/,/^}/s/gshmemi_quiet(.*/;/' -n 2
	mutant kernel put_signal_release order_put_signal include/gshmem/move/copy.h \
		'/ gshmemi_copy_signal(/,/^}/s/gshmemi_arch_fence_release();//' -n 2
	mutant kernel fence_release order_fence include/gshmem/move/carry.h \
		'/ gshmemi_order(/,/^}/s/gshmemi_arch_fence_release();//' -n 2
	mutant kernel barrier_release order_acquire include/gshmem/order/sync.h \
		'/gshmemi_arch_fence_release()/s/gshmemi_arch_fence_release();/;/; s/GSHMEMI_SYNC_OWN(complete, call);/;/; /gshmemi_arch_fence_system()/s/gshmemi_arch_fence_system();/;/' -n 2
	mutant kernel mail_ordered mailbox include/gshmem/wait/mail.h \
		'/ gshmemi_mail_perform(/,/^}/s/gshmemi_arch_fence_release();/;/' -n 1
	mutant source trace_gpu_clock trace_kernels src/trace/timeline.c \
		's/ns += (uint64_t)gshmemi_trace_offset(&t->kernels, ns);/;/' -n 2
	mutant kernel rpc_post_release rpc_acquire include/gshmem/rpc/rpc_slot.h \
		'/ gshmemi_rpc_post(/,/^}/s/gshmemi_arch_fence_release();/;/'
	mutant kernel rpc_call_acquire rpc_acquire include/gshmem/rpc/rpc.h \
		's/gshmemi_arch_fence_acquire();//'

	# fused programs
	mutant kernel attention_fence apps_attention apps/attention/attention.h 's/gshmemx_fence_wg();/__syncthreads();/' -n 2
	mutant kernel cg_fence apps_cg apps/cg/cg.h 's/gshmemx_fence_wg();/__syncthreads();/' -n 2

	# the bitcode
	mutant text bitcode_missing bitcode.sh platform/bitcode.hip '/^DEFINE(gshmem_test_lock, 1)/d'
	mutant text bitcode_types bitcode.sh platform/bitcode.hip \
		'/struct plain<T \*, false>/,/};/s/using type = uint64_t/using type = uint32_t/'
	mutant text bitcode_complex bitcode.sh platform/bitcode.hip \
		's/fetch_and_op(win, disp, \*(const TYPE \*)value/fetch_and_op(win, disp, *(const TYPE *)old/'
	mutant text bitcode_calls bitcode.sh platform/bitcode.hip \
		's/^\(#define EXPORT *__device__ __attribute__((\)always_inline,/\1noinline,/'
}

if [ "$nshares" -eq 1 ]; then
	${PLATFORM}_mutants
else
	{
		for ((i = 0; i < nshares; i++)); do
			${PLATFORM}_mutants &
		done
		wait
	} | tee "$work/said"
	nnoticed=$(grep -c '^noticed' "$work/said")
	IFS=$'\n' read -rd '' -a survivors < <(sed -n 's/^FAIL \([^:]*\):.*/\1/p' "$work/said" | sort -u)
fi

[ -z "$list" ] || exit $((${#survivors[@]} > 0))
[ ${#survivors[@]} -eq 0 ] || echo "not noticed: ${survivors[*]}"
echo "$nnoticed passed, ${#survivors[@]} failed"
[ ${#survivors[@]} -eq 0 ]
