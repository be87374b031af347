# SPDX-License-Identifier: BSD-3-Clause
#
# The legs of check, which the Makefile includes. For leg X: T_X, its tests; MAKE_X, how they are built;
# RUN_X, flags of tests/run.sh. make check-X runs it.

LEGS_cpu := basic delivery carry net mixed nodes-2x1 nodes-2x2 nodes-3x1 closed clang apart window \
	asan tsan lanes races install isa trees amd amd-gpus rocm openmpi packages benches readme
LEGS_amd := $(if $(AMDSIM_LIB),sim install isa)
ALL_LEGS := $(or $(LEGS_$(PLATFORM)),basic install isa)
LEGS     ?= $(ALL_LEGS)
# With T= or SAN=, for everyday work: only those tests, but all of their runs.
CHECK_LEGS = $(if $(T)$(SAN),basic,\
	$(if $(AMDSIM_LIB),sim,quick $(if $(filter cpu,$(PLATFORM)),waves copies nodes-few)))

# No leg starts that may end after UNTIL (seconds since 1970). A leg that is left out is named, and is not a
# failure. .ci/turns keeps the times of the legs, if LEG_TIMES names its file.
check-legs:
	@mkdir -p $(BASE)/check && rm -f $(foreach leg,$(LEGS),$(BASE)/check/$(leg) $(BASE)/check/$(leg).*)
	@ran=''; for leg in $(LEGS); do \
		start=$$(date +%s); \
		if [ -n "$$UNTIL" ] && ! why=$$(.ci/turns fits $$leg $$start "$$UNTIL"); then \
			echo "== check-$$leg: left out, the time is up$${why:+: $$why}"; continue; \
		fi; \
		echo "== check-$$leg"; $(MAKE) $(SUB) check-$$leg; ran="$$ran $(BASE)/check/$$leg"; \
		end=$$(date +%s); echo $$((end - start)) >$(BASE)/check/$$leg.took; \
		[ -z "$$LEG_TIMES" ] || .ci/turns record $$leg $$end $$((end - start)); \
	done; \
	tests/run.sh -s -c $(BASE)/check/all $$ran

names     = $(notdir $(basename $(wildcard tests/*.c tests/*.hip)))
job_heads = job.h $(notdir $(shell grep -ls '"job.h"' tests/*.h))
starts_jobs = $(notdir $(basename $(shell grep -ls $(job_heads:%=-e '"%"') tests/*.c tests/*.hip)))
clang     = $(notdir $(firstword $(foreach c,clang-19 clang-18 clang-17 clang-16 clang-15 clang,\
	$(shell command -v $(c)))))
# Tests in one process: those marked `/* tsan: yes */`, and those of the platform, except platform/barrier,
# which has more lanes than TSan can have fibers.
TSAN_TESTS = $(call marked,tsan: yes) \
	$(filter-out platform/barrier,$(patsubst tests/%,%,$(basename \
	$(wildcard tests/platform/*.c tests/platform/*.hip))))

# What a change must pass before a commit: each test once, and the examples. Tests marked `/* tier: all */`
# are left out: those of every type of every call, which take minutes to compile, and those that run long.
T_quick      = $(filter-out $(call marked,tier: all),$(names)) $(patsubst tests/%,%,$(basename \
	$(wildcard tests/platform/*.c tests/platform/*.hip tests/shmem/*.c)))
RUN_quick    = -1
MAKE_quick   = RUN='examples python osu scripts' ALSO='$(ALSO_quick)'
ALSO_quick  ?= read-benches
# As on a GPU: the host cannot touch device memory, the host API copies, and the copy loop is that of AMD
# GPUs, which accepts any alignment, and an end in LDS. A few tests that use all of this; the leg apart runs
# the others.
T_copies     = mailbox net_full window regions put_get_local_memory atomics_pairs coll coll_stream signal_put \
	heap_calls locks rpc_call teams init_ipc net_gpu net_landings win_types
RUN_copies   = -1 -e GSHMEM_CPU_HOST_ACCESS=0
MAKE_copies  = B=$(B)-copies CFLAGS='-O1 -g1' CPPFLAGS='$(CPPFLAGS) $(APART) -DGSHMEM_MAX_PES=8'
APART        = -DGSHMEMI_HOST_COPIES -DGSHMEMI_GENERIC_COPY=2
# On NVIDIA GPUs a _wave call waits for all lanes of the wave, so no test lets part of a wave make one. Not
# those that take minutes to compile, and those that play with the protocol of calls to the CPU.
T_waves      = $(filter-out coll_types% rpc_explore rpc_freeze,\
	$(notdir $(basename $(shell grep -l '_wave\b' tests/*.hip))))
RUN_waves    = -1 -e GSHMEM_CPU_WHOLE_WAVES=1
# The direct tables have entries for only 7 PEs: in jobs of 8 and more some PEs are not direct.
T_window     = window coll teams teams_any contexts locks signal_put amo_values put_get_copy
MAKE_window  = B=$(B)-window CFLAGS='-O1 -g1' CPPFLAGS='$(CPPFLAGS) -DGSHMEM_MAX_PES=8'
# All tests and the examples, built as users build them; the benches must build.
T_basic      = $(if $(filter thread lanes,$(SAN)),$(TSAN_TESTS),* platform/* shmem/*)
MAKE_basic   = $(if $(T),,RUN='examples python osu scripts $(PLAT_BITCODE:%=bitcode)' ALSO=benches)
# Late and reordered delivery, with seeds in turn. Not tests marked `/* delivery: no */`, or that send
# nothing.
T_delivery   = $(filter-out $(call marked,delivery: no) allocator% init%,$(names)) shmem/*
RUN_delivery = -e 'GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:2 | GSHMEM_CPU_DELIVERY=random:3'
# Carriers do what could be direct. Not tests marked `/* carry: no */`: they count operations, or ask for a
# peer's address.
T_carry      = $(filter-out $(call marked,carry: no) allocator% init% info env_doc api_doc names layers \
	platform/%,$(T_quick))
RUN_carry    = -1 -e GSHMEM_CARRY=direct
# No PE is mapped by another one (net), or some are not, in one direction (mixed): operations on these are
# performed by their owners. Not tests marked `/* net: no */`: they ask which PEs are mapped, or need late
# delivery.
T_net        = $(filter-out $(call marked,net: no),$(T_carry))
RUN_net      = -1 -e GSHMEM_CARRY=all
T_mixed      = $(T_net)
RUN_mixed    = -1 -e 'GSHMEM_CARRY=1-in-3 | GSHMEM_CARRY=0,2'
# Like the leg copies, with no PE mapped: kernels serve the mailbox, and large operations use landings.
T_closed     = barrier_all host_meetings locks signal_put coll buffer_register net_gpu net_signals order_quiet \
	order_put_signal win_many win_order win_types
RUN_closed   = -1 -e 'GSHMEM_CPU_HOST_ACCESS=0 GSHMEM_CARRY=all'
MAKE_closed  = $(MAKE_copies)
# Within the nodes that tests/nodes.sh makes: the examples, the tests that need nodes, and those that run
# under mpirun, except those that ask which PEs are mapped.
T_nodes      = $(filter-out $(call marked,net: no) $(call marked,carry: no) $(call marked,nodes: no) \
	allocator%,$(filter $(call marked,run: -n),$(T_quick))) nodes_*
RUN_nodes    = -1
MAKE_nodes   = $(if $(T),,RUN=examples)
# One program for each group of calls.
T_few        = amo_values barrier_all coll contexts locks order_fence put_get_copy rpc_stream signal_put \
	teams wait_until nodes_finalize nodes_info nodes_same_name
# Tests that exercise the compiler are run, each once (-1), as with the sanitizers; clang only checks the
# other tests and the examples. With the copy loop of NVIDIA GPUs, instead of memcpy, and with the collectives
# of GPUs.
T_clang      = put* get* amo* signal* coll coll_late platform/* shmem/*
RUN_clang    = -1
MAKE_clang   = CFLAGS=-O2 CC=$(clang) HIPCC=$(clang:clang%=clang++%) \
	CPPFLAGS='$(CPPFLAGS) -DGSHMEMI_GENERIC_COPY=1' ALSO=read
# Like copies, but most tests, with ASan and UBSan. Not tests of OpenSHMEM, which touch device memory. One
# type stands for all; what starts jobs (2 s each) or never sees device memory is in the leg asan.
T_apart      = $(filter-out $(if $(FULL),,%_types %_types_reduce rpc_explore rpc_freeze put_get_beyond_2g \
	$(starts_jobs)),$(names)) platform/* shmem/names
RUN_apart    = -1 -e GSHMEM_CPU_HOST_ACCESS=0
MAKE_apart   = SAN=address B=$(B)-apart RUN=examples CPPFLAGS='$(CPPFLAGS) $(APART)'
# ASan and UBSan as users build it: the host can touch device memory.
T_asan       = $(filter-out $(if $(FULL),,%_types %_types_reduce generic),$(names)) platform/* shmem/*
RUN_asan     = -1
MAKE_asan    = SAN=address
T_tsan       = $(TSAN_TESTS)
RUN_tsan     = -1
MAKE_tsan    = SAN=thread
# Races between the lanes of a block.
T_lanes      = platform/cpu_lane_race platform/wave_order
RUN_lanes    = -1
MAKE_lanes   = SAN=lanes

# Programs that are watched for races between PEs (docs/races.md): what they do is ordered, and the detector says
# nothing. Not tests marked `/* races: no */`, with the reason, of the net, and what starts jobs.
T_races      = $(filter-out $(call marked,races: no) net% nodes_% barrier_nodes% peers_% virtual% \
	heap_kinds %_types %_explore $(starts_jobs),$(filter-out $(call marked,tier: all),$(names))) shmem/*
RUN_races    = -1
MAKE_races   = SAN=races RUN='examples races'

# Under Open MPI's mpirun, with the same libgshmem.so. same: the quick tests, the programs that run under MPICH;
# own: those that include mpi.h, compiled for Open MPI; net: with no PE mapped, a test for each group of calls,
# and windows; nodes: on two pretended nodes, by its launcher. Not nodes_failure and nodes_loss: mpirun waits for
# its part on the other side of the network that they cut.
CALL_MPI      = compat_rocshmem $(notdir $(basename $(shell grep -lsE \
	'[<"](mpi|gshmemx_mpi|finalize|finalize_mpi)\.h[>"]' tests/*.c tests/*.hip)))
T_openmpi     = $(or $(T),$(filter-out nodes_%,$(T_quick)))
T_ompi_same   = $(filter-out $(CALL_MPI),$(T_openmpi))
T_ompi_own    = $(filter $(CALL_MPI),$(T_openmpi))
T_ompi_net    = $(or $(T),$(filter-out nodes_% $(CALL_MPI) $(call marked,net: no) $(call marked,carry: no),$(T_few) \
	$(filter win_% net_%,$(T_quick))))
T_ompi_nodes  = $(or $(T),$(filter-out $(CALL_MPI),$(T_few) nodes_info nodes_death))
OPENMPI       = MPIRUN=$(shell command -v mpirun.openmpi || echo mpirun)
OPENMPI_OWN   = B=$(B)-openmpi MPICC=$(shell command -v mpicc.openmpi || echo mpicc)

# On the simulator of AMD GPUs: tests that take seconds there, each once (others are marked /* sim: no */,
# with the reason), and the simulator's own tests. sims, for other kinds of GPUs: operations, order, barriers,
# collectives, RPC.
T_simulated  = $(filter-out $(call marked,sim: no),$(T_quick))
T_sim        = $(filter-out $(T_gfx942),$(T_simulated))
RUN_sim      = -1
MAKE_sim     = RUN='examples sim bitcode'
T_sims       = $(filter put% amo% signal% order% barrier% coll% wait% test_% rpc_% p_g%,$(T_simulated))
RUN_sims     = -1
MAKE_sims    = RUN='sim litmus'
SIM_GPUS     = gfx942 gfx90a gfx1100
# The same tests as sim, over AMD's own HIP of Debian, which knows gfx90a. Not those marked `/* rocm: no */`,
# with the reason.
T_hsa        = $(filter-out $(call marked,rocm: no),$(T_sim))
RUN_hsa      = -1
MAKE_hsa     = SIM_LIB=$(AMDSIM_ROCM) RUN=hsa
T_gfx942     = barrier_reuse check_calls check_groups coll_late put_get_copy
SIM_SEED     = $(shell expr $(or $(TURN),0) % 8 + 1)

# The user's T= replaces the tests of any leg.
$(sort $(filter-out check-install check-isa check-trees check-benches check-readme check-amd% check-rocm check-openmpi \
	check-packages \
	check-nodes%,$(ALL_LEGS:%=check-%)) \
	check-nodes check-basic check-quick check-waves check-copies check-sim check-sims check-hsa): check-%:
	@$(MAKE) $(SUB) $(MAKE_$*) $(SIM_MAKE) T='$(or $(T),$(T_$*))' run-tests \
		COUNTS=$(or $(COUNTS),$(BASE)/check/$*) RUNFLAGS="$(RUN_$*)"
# The code for AMD GPUs on the simulator, with late memory. check-amd: gfx942, except the tests that take
# longest; check-amd-gpus: these, and a part of the tests for other GPUs.
check-amd:
	@PLATFORM=amd tools/setup check
	@$(MAKE) $(SUB) PLATFORM=amd SIM_ARCH=gfx942 LATE=$(or $(LATE),$(SIM_SEED)) check-sim \
		COUNTS=$(BASE)/check/amd
check-amd-gpus:
	@PLATFORM=amd tools/setup check && mkdir -p $(BASE)/check
	@$(foreach gpu,$(SIM_GPUS),$(MAKE) $(SUB) PLATFORM=amd SIM_ARCH=$(gpu) LATE=$(or $(LATE),$(SIM_SEED)) \
		T='$(or $(T),$(T_$(gpu)))' check-sims COUNTS=$(BASE)/check/amd-$(gpu);) \
		tests/run.sh -s -c $(BASE)/check/amd-gpus $(SIM_GPUS:%=$(BASE)/check/amd-%)
# The code for gfx90a over AMD's HIP, whose devices are the simulator's. LATE=7: with late memory.
check-rocm:
	@PLATFORM=amd LEGS=rocm tools/setup check && mkdir -p $(BASE)/check
	@$(MAKE) $(SUB) PLATFORM=amd SIM_ARCH=gfx90a build/amdsim/libamdhip64.so.5 check-hsa \
		COUNTS=$(BASE)/check/rocm
check-openmpi:
	@LEGS=openmpi tools/setup all && mkdir -p $(BASE)/check && rm -f $(BASE)/check/openmpi-*
	$(if $(T_ompi_same),@-$(MAKE) $(SUB) $(OPENMPI) RUN=$(if $(T),,examples) T='$(T_ompi_same)' \
		run-tests COUNTS=$(BASE)/check/openmpi-same RUNFLAGS=-1)
	$(if $(T_ompi_own),@-$(MAKE) $(SUB) $(OPENMPI) $(OPENMPI_OWN) T='$(T_ompi_own)' \
		run-tests COUNTS=$(BASE)/check/openmpi-own RUNFLAGS=-1)
	$(if $(T_ompi_net),@-$(MAKE) $(SUB) $(OPENMPI) T='$(T_ompi_net)' \
		run-tests COUNTS=$(BASE)/check/openmpi-net RUNFLAGS='-1 -e GSHMEM_CARRY=all')
	$(if $(T_ompi_nodes),@-$(OPENMPI) tests/nodes.sh 2x1 -- $(MAKE) $(SUB) T='$(T_ompi_nodes)' \
		run-tests COUNTS=$(BASE)/check/openmpi-nodes RUNFLAGS=-1)
	@tests/run.sh -s -c $(BASE)/check/openmpi $(patsubst %,$(BASE)/check/openmpi-%,\
		$(foreach part,same own net nodes,$(if $(T_ompi_$(part)),$(part))))
# The installed tree, used by programs outside of this one. LOCK: only one make at a time writes below $(B).
check-install:
	@$(MAKE) $(SUB) lib tools && mkdir -p $(BASE)/check
	@B=$(B) LOCK='flock $(abspath $(B)/lib)' tests/run.sh -c $(BASE)/check/install \
		tests/install/run.sh tests/install/docs.sh tests/install/setup.sh tests/install/dist.sh tests/install/visit.sh \
		tests/outside/make.sh tests/outside/cmake.sh
# The commands of README.md and docs/tutorial.md, in an empty Debian.
check-readme:
	@mkdir -p $(BASE)/check
	@B=$(B) tests/run.sh -c $(BASE)/check/readme tests/readme.sh
# Debian's packages, built and tried in Debians of their own.
check-packages:
	@mkdir -p $(BASE)/check
	@B=$(B) tests/run.sh -c $(BASE)/check/packages tests/packages.sh
# Each bench runs once, for a moment.
check-benches:
	@mkdir -p $(BASE)/check; $(MAKE) $(SUB) -k T= lib tools benches; \
		B=$(B) tests/run.sh -c $(BASE)/check/benches tests/benches.sh
# On several nodes. few: some tests on 2 nodes with 1 PE each, before each commit. Others: all tests that can,
# on 2 nodes with 1 PE each, 2 nodes with 2, and 3 nodes with 1.
check-nodes-few check-nodes-2x1 check-nodes-2x2 check-nodes-3x1: check-nodes-%:
	@mkdir -p $(BASE)/check
	@tests/nodes.sh $(patsubst few,2x1,$*) -- $(MAKE) $(SUB) check-nodes COUNTS=$(BASE)/check/nodes-$* \
		T='$(or $(T),$(if $(filter few,$*),$(T_few)))'
# What compilers for GPUs make of the code; needs no GPU. isa checks the code of some kernels; trees compiles
# all.
check-isa check-trees: check-%:
	@mkdir -p $(BASE)/check
	@B=$(B) tests/run.sh -c $(BASE)/check/$* $(SCRIPTS_$*)
SCRIPTS_isa   = $(filter-out %_tree.sh,$(wildcard tests/isa/*.sh)) tests/install/gpu.sh
SCRIPTS_trees = $(wildcard tests/isa/*_tree.sh)
