# SPDX-License-Identifier: BSD-3-Clause
# gshmem.  `make help` lists the targets; config.mk (not committed) overrides the variables.
-include config.mk

PLATFORM ?=#             amd, nvidia or cpu: what to build for; by default what tools/platform finds
T        ?=#             names or patterns of tests or benches: T=put, T='amo* platform/ipc'; bench T=put_bw
N        ?=#             numbers of PEs, instead of those in the source: make check T=put N=4, or N=2,8
FULL     ?=#             1: check-all runs every environment with every number of PEs, and every kind of GPU
TURN     ?=#             a number: chooses the combinations that check-all runs; .ci/run takes the commit's
LATE     ?=#             on amd without a GPU: a seed for late stores and stale caches in the simulator
SAN      ?=#             on cpu: address (ASan, UBSan), thread (TSan), lanes (TSan for lanes of a block), races
PREFIX   ?= /usr/local#  where install puts files, below DESTDIR=
LIBDIR   ?= $(PREFIX)/lib
DOCDIR   ?= $(PREFIX)/share/doc/gshmem
CFLAGS   ?= $(if $(SAN),-O1 -g1,-O2 -g)
OSHCC    ?= oshcc

ifeq ($(strip $(PLATFORM)),)
FOUND    := $(shell tools/platform)
override PLATFORM := $(firstword $(FOUND))
endif
export PLATFORM FULL TURN
PLATFORMS := $(patsubst platform/%/platform.mk,%,$(wildcard platform/*/platform.mk))
$(if $(filter $(PLATFORM),$(PLATFORMS)),,$(error PLATFORM=$(PLATFORM): expected one of $(PLATFORMS)))
$(if $(SAN),$(if $(filter cpu,$(PLATFORM)),,$(error SAN= is for PLATFORM=cpu)))
# platform.mk sets
#   CC, HIPCC, HIPFLAGS, PLAT_CPPFLAGS, PLAT_LDLIBS; GPU_ARCHS on GPUs
#   HIPLD         what links programs, if HIPCC does not
#   HIPREAD       HIPCC's flags to check a source without compiling it; empty if it cannot
#   PLAT_HEADS    precompiled headers, below $(B), if it has any: PLAT_PRECOMPILE,COMMAND is the command that
#                 makes them, PLAT_HEAD the flags that use them
#   PLAT_BITCODE  GPUs to make bitcode for, by PLAT_BITCODE_CXX with the flags PLAT_BITCODE_FLAGS,GPU; the
#                 command PLAT_BITCODE_FINISH, if there is one, then changes the file
include platform/$(PLATFORM)/platform.mk
HIPLD    ?= $(HIPCC)
HIPREAD  ?= -fsyntax-only
NM       ?= nm

# version.h alone holds the version. Programs need libgshmem.so.0, a link to libgshmem.so.0.2.0.
VERSION_H := include/gshmem/api/version.h
VERSION  := $(shell sed -n 's/^.define GSHMEMX_VERSION_[MP][A-Z]* \([0-9]*\)$$/\1/p' $(VERSION_H))
VERSION  := $(subst $() ,.,$(strip $(VERSION)))
SONAME   := libgshmem.so.0
REALNAME := libgshmem.so.$(VERSION)
BASE     := build/$(PLATFORM)
B        ?= $(BASE)$(SAN:%=-%)$(if $(filter cpu,$(PLATFORM)),$(if $(findstring clang,$(CC)),-clang))

# The MPI whose mpi.h programs that call MPI are compiled with: MPICH, else what mpicc is. On Debian mpicc may
# be Open MPI although there is MPICH, too.
ifndef MPI_LIBS
MPICC      ?= $(firstword $(shell command -v mpicc.mpich || command -v mpicc))
MPI_SHOW   := $(if $(MPICC),$(shell $(MPICC) -show 2>/dev/null))
# Not the C++ interface, which MPI 3 has removed: with Open MPI's headers programs would need its library.
MPI_CFLAGS ?= $(filter -I% -D%,$(MPI_SHOW)) -DOMPI_SKIP_MPICXX
MPI_LIBS   := $(filter -L% -l%,$(MPI_SHOW))
endif
# The shims of src/mpi/shim.c: for each MPI of which there is an mpi.h. SHIM_mpich and so on: its flags.
# tools/mpi-flags prints a line with the name and the flags of each.
SHIM_LINES := $(shell CC='$(CC)' MPI_CFLAGS='$(MPI_CFLAGS)' tools/mpi-flags | tr ' ' '|')
SHIMS      := $(foreach l,$(SHIM_LINES),$(firstword $(subst |, ,$(l))))
$(foreach l,$(SHIM_LINES),$(eval SHIM_$(firstword $(subst |, ,$(l))) := \
	$(wordlist 2,99,$(subst |, ,$(l)))))

SAN_address := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer \
	$(if $(findstring clang,$(CC)),,-Wno-maybe-uninitialized)
# gcc warns that TSan does not model fences; next to each fence of ours there is an atomic with the same
# order.
SAN_thread  := -fsanitize=thread $(if $(findstring clang,$(CC)),,-Wno-tsan)
SAN_lanes   := $(SAN_thread) -DHIPCPU_TSAN_LANES
SAN_races   := $(SAN_thread) -DHIPCPU_RACES -g1
SANFLAGS    := $(if $(SAN),$(or $(SAN_$(strip $(SAN))),$(error SAN=$(SAN): expected address, thread, lanes or races)))

CWARN    := -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
HIPWARN  := -Wall -Wextra -Wshadow
# SHMEM_CPP finds shmem.h for what includes that, before MPI_CFLAGS does: Open MPI has a shmem.h beside mpi.h.
CPP       = $(SHMEM_CPP) -Iinclude -Isrc -Itests $(PLAT_CPPFLAGS) $(DEFINES) $(MPI_CFLAGS) $(CPPFLAGS) -MMD -MP
# With SAN=lanes only kernels are compiled with TSan: it must not see the runtime, which switches the lanes.
CSANFLAGS = $(if $(filter lanes,$(SAN)),-DHIPCPU_TSAN_LANES,$(if $(filter \
	races,$(SAN)),-DHIPCPU_RACES -fno-omit-frame-pointer,$(SANFLAGS)))
# With SAN=races functions of platform/cpu/race/ take the place of these.
ifeq ($(SAN),races)
WRAPPED  := $(shell sed -nE 's/^WRAP_[A-Z_]*.([A-Za-z0-9_]+).*/\1/p; s/^WRAP.[^,]*, ([A-Za-z0-9_]+).*/\1/p' \
	platform/cpu/race/*.c)
endif
# A program that calls OpenMP by wrapped names alone needs its library, too.
PROGSAN   = $(if $(filter \
	races,$(SAN)),-Wl$(comma)--no-as-needed $(addprefix -Wl$(comma)--wrap=,$(WRAPPED)),$(SANFLAGS))
LSANFLAGS = $(PROGSAN)
CCMD      = $(CC) $(CWARN) $(CPP) -fPIC $(CFLAGS) $(CSANFLAGS)
HIPCMD    = $(HIPCC) $(HIPFLAGS) $(HIPWARN) $(CPP) -fPIC $(CFLAGS) $(SANFLAGS)
LINK      = $(HIPLD) $(LSANFLAGS) $(LDFLAGS)
# The library loads MPI when it needs it (src/mpi/mpi.c); programs are linked with MPI only if they call it.
comma    := ,
NEEDED   := -Wl,--push-state,--as-needed
LIBS      = $(PLAT_LDLIBS) $(if $(MPI_LIBS),$(NEEDED) $(MPI_LIBS) -Wl$(comma)--pop-state)

SO       := $(B)/lib/libgshmem.so
LIB_OBJS := $(patsubst %,$(B)/%.o,$(sort $(filter-out src/shmem/% src/mpi/shim.c src/mpi/builtin.c \
	$(if $(filter races,$(SAN)),platform/cpu/delivery.c),\
	$(wildcard src/*/*.c src/*/*.hip platform/$(PLATFORM)/*.c $(if $(filter races,$(SAN)),platform/cpu/race/*.c)))))
MAPS     := src/exports.map $(wildcard platform/$(PLATFORM)/exports.map) \
	$(if $(filter races,$(SAN)),platform/cpu/race/exports.map)
# The same library, but all names that C files of it share are exported, too: for tests marked
# `/* links: inner */`.
INNER_SO := $(B)/lib/inner/$(SONAME)
# The shims: files for libgshmem.so; libgshmem.a and the library of such tests have them as members.
PLUGINS  := $(SHIMS:%=$(B)/lib/gshmem/mpi-%.so)
BUILTIN_OBJS := $(filter-out $(B)/src/mpi/plugin.c.o,$(LIB_OBJS)) $(B)/src/mpi/builtin.c.o \
	$(SHIMS:%=$(B)/src/mpi/shim-%.o)
# OpenSHMEM's names: a library, and headers that are generated.
SHMEM_SONAME := libgshmem_shmem.so.0
SHMEM_REALNAME := libgshmem_shmem.so.$(VERSION)
SHMEM_SO     := $(B)/lib/libgshmem_shmem.so
SHMEM_OBJS   := $(patsubst %,$(B)/%.o,$(sort $(wildcard src/shmem/*.c))) $(B)/shmem/names.o
SHMEM_HEADERS := $(B)/include/shmem.h $(B)/include/pshmem.h
# For programs that use this build with find_package.
CMAKE_FILES := $(patsubst tools/%,$(B)/lib/cmake/gshmem/%,$(wildcard tools/*.cmake))
LIB      := $(SO) $(PLUGINS) $(B)/lib/libgshmem.a $(SHMEM_SO) $(B)/lib/libgshmem_shmem.a $(SHMEM_HEADERS) $(CMAKE_FILES)
BITCODE  := $(PLAT_BITCODE:%=$(B)/lib/libgshmem_device_%.bc)
progs     = $(sort $(patsubst %,$(B)/%,$(basename $(wildcard $(foreach p,$(2),$(1)/$(p).c $(1)/$(p).hip)))))
# having,KEY,FILES: those of the files, without extensions, that have KEY in a comment at their head, such as
# `/* tsan: yes */`; marked,KEY: such tests.
having    = $(basename $(shell grep -lsE '^ */?\* *$(1)' $(2)))
marked    = $(patsubst tests/%,%,$(call having,$(1),\
	tests/*.c tests/*.hip tests/platform/*.c tests/platform/*.hip tests/shmem/*.c))
# Tests that need several nodes, tests/nodes_*, run only below tests/nodes.sh, which sets NODES.
# Tests for one platform only: tests/platform/cpu_*, and those marked `/* platform: cpu */`.
elsewhere := $(foreach p,$(filter-out $(PLATFORM),$(PLATFORMS)),\
	$(B)/tests/platform/$(p)_% $(patsubst %,$(B)/tests/%,$(call marked,platform: $(p)\b)))
tests_of  = $(filter-out $(elsewhere),$(call progs,tests,$(1)))
TESTS    := $(filter-out $(if $(NODES),,$(B)/tests/nodes_%),$(call tests_of,$(or $(T),* platform/* shmem/*)))
INNER_TESTS := $(patsubst %,$(B)/tests/%,$(call marked,links: inner))
MODULES  := $(if $(filter %/module,$(TESTS)),$(patsubst %.hip,$(B)/%.module,$(wildcard tests/modules/*.hip)))
BENCHES  := $(call progs,bench,$(or $(T),*))
RAW      := $(call progs,bench,raw/*)
# Within pretended nodes not those marked `/* nodes: no */`.
EXAMPLES := $(filter-out $(if $(filter-out all,$(NODES)),$(patsubst %,$(B)/%,\
	$(call having,nodes: no,examples/*.c examples/*.hip examples/*/*.c examples/*/*.hip apps/*/*.hip))),\
	$(call progs,examples,* tutorial/* windows/*) $(call progs,apps,*/*))
# make results measures only on cpu.
ALL_BENCHES := $(call progs,bench,* raw/*) $(if $(filter cpu,$(PLATFORM)),$(B)/bench/results/put)
# What a leg does besides its tests: run the examples and others (RUN=), build the benches (ALSO=benches), or
# let the compiler check sources that the leg does not build: all but the benches (ALSO=read), or the benches
# and examples (ALSO=read-benches). The Python package's test, which loads the library as it is built: with
# T=python, or RUN=python.
PYTHON_TEST := $(if $(filter python,$(RUN) $(T)),$(if $(SAN)$(filter-out cpu,$(PLATFORM)),,tests/python.sh))
# The test of bench/osu.sh, and the benches that it runs.
OSU_TEST := $(if $(filter osu,$(RUN) $(T)),$(if $(SAN),,tests/osu.sh))
# Tests in scripts.
SCRIPT_TESTS := $(foreach s,plot ci_turns mpis benches_rows exports format hip_doc mutants_apply tree version abi \
	settings manual/pages manual/web,\
	$(if $(filter $(s) scripts,$(RUN) $(T)),tests/$(s).sh))
# Over AMD's own HIP alone.
HSA_TESTS := $(patsubst %,tests/amdsim/%.sh,hsa_calls refused hip_answers links)
RUN_TOO  := $(PYTHON_TEST) $(OSU_TEST) $(SCRIPT_TESTS) $(if $(filter examples,$(RUN)),$(filter-out \
		$(if $(filter races,$(SAN)),$(patsubst %,$(B)/%,$(call having,races: no,examples/tutorial/*.hip))),\
		$(EXAMPLES))) \
	$(if $(filter sim,$(RUN)),$(filter-out %/rate.sh %/litmus.sh $(HSA_TESTS),\
		$(wildcard tests/amdsim/*.sh))) $(if $(filter hsa,$(RUN)),$(HSA_TESTS)) \
	$(if $(filter litmus,$(RUN)),tests/amdsim/litmus.sh) $(if $(filter bitcode,$(RUN)),tests/bitcode.sh) \
	$(if $(filter races,$(RUN)),tests/races.sh)
BENCHED  := $(if $(filter benches,$(ALSO)),$(ALL_BENCHES),\
	$(if $(OSU_TEST),$(shell B=$(B) bench/osu.sh -l)))
UNREAD   := $(filter-out $(TESTS) $(RUN_TOO) $(BENCHED),\
	$(if $(filter read,$(ALSO)),$(call tests_of,* platform/*) $(EXAMPLES)) \
	$(if $(filter read-benches,$(ALSO)),$(ALL_BENCHES) $(B)/bench/results/oshmem $(EXAMPLES)))
READ     := $(patsubst %,$(B)/%.read,$(wildcard $(UNREAD:$(B)/%=%.c) $(if $(HIPREAD),$(UNREAD:$(B)/%=%.hip))))
INFO_OBJS := $(patsubst %,$(B)/%.o,$(wildcard tools/info/*.c))
TOOLS    := $(B)/bin/gshmemcc $(B)/bin/gshmem-info
# What tools/gpu-report runs beside the tests and benches.
REPORT   := $(B)/report/limits $(B)/report/beside $(B)/report/nompi.so
DEPS      = $(LIB_OBJS) $(BUILTIN_OBJS) $(filter %.c.o,$(SHMEM_OBJS)) $(patsubst %,%.c.o,$(TESTS) $(BENCHES) $(RAW) $(EXAMPLES)) \
	$(patsubst %,%.hip.o,$(TESTS) $(BENCHES) $(EXAMPLES) $(B)/bench/results/put) \
	$(MODULES:%.module=%.hip.o) $(READ:=.o) $(BENCHED:=.c.o) $(BENCHED:=.hip.o) \
	$(INFO_OBJS) $(B)/tools/report/limits.hip.o $(B)/tools/report/beside.hip.o

ifndef V
Q = @printf '  %-6s %s\n' $(1) $@;
endif
# Sub-makes use all cores, unless make was called with -j.
SUB = --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

# These say at their end what they have done.
ifndef V
.SILENT: install install-races uninstall
endif

.DEFAULT_GOAL := lib
.PHONY: lib tests benches examples tools report races all try check check-all coverage bench bench-osu bench-nodes \
	results setup install install-races uninstall docs-html dist format format-check clean help run-tests build-tests run-benches FORCE
.SECONDARY:
.DELETE_ON_ERROR:

lib:      $(LIB) $(BITCODE)#        the library (default)
tests:    $(TESTS) $(MODULES)#      build the tests, or those of T=
benches:  $(if $(T),$(BENCHES) $(RAW),$(ALL_BENCHES))#  build the benches and their raw baselines
examples: $(EXAMPLES)#              build the examples
tools:    $(TOOLS)#                 gshmemcc and gshmem-info, in build/.../bin
races:    #                          build what gshmemcc --races needs (docs/races.md)
	+@$(RACES_MAKE) lib tools
report:   $(REPORT)#                the machine's limits and a start without MPI, for tools/gpu-report
all:      setup#                    build everything: library, tools, tests, benches, examples
	@$(MAKE) $(SUB) T= NODES=all lib tools tests benches examples report
try:      setup-try#                build the library and examples/02_ring, and run it on 4 PEs
	@$(MAKE) $(SUB) $(B)/examples/02_ring
	$(shell tests/run.sh -l) -n 4 $(B)/examples/02_ring
check:    setup#                    install what is missing, build, run each test once, in minutes; T=put N=4
	@$(MAKE) $(SUB) check-legs LEGS='$(CHECK_LEGS)'
check-all: setup-all#               all legs of check; about three hours; before a release
	@$(MAKE) $(SUB) check-legs LEGS='$(LEGS)'
coverage: setup-coverage#           how many of the lines that check-all covers check covers; half an hour
	@tests/coverage.sh
bench:    setup-bench#              install what is missing, build, run the benches, draw plots; T=put_bw N=2
	@$(MAKE) $(SUB) run-benches
bench-osu: setup-try#               figures in the layout of OSU's benchmarks; T=osu_oshm_put SCOPES=host N=4
	@$(MAKE) $(SUB) $(SO) $$(B=$(B) bench/osu.sh -l $(T))
	@B=$(B) bench/osu.sh $(N:%=-n %) $(SCOPES:%=-s %) $(T)
bench-nodes: setup-nodes#          benches between two nodes: namespaces, or HOSTS=a,b PPN=2
	@$(MAKE) $(SUB) $(B)/bench/net_rma $(B)/bench/node_lat && \
		HOSTS='$(HOSTS)' PPN='$(PPN)' bench/nodes.sh $(B)/bench
results:  setup-results#            measure put beside Open MPI's OpenSHMEM, and write a page to docs/results
	$(if $(filter cpu,$(PLATFORM)),,$(error make results is for PLATFORM=cpu; on GPUs: tools/gpu-report))
	@$(MAKE) $(SUB) $(SO) $(B)/bench/results/put $(B)/bench/results/oshmem
	@B=$(B) bench/results.sh
setup:    setup-check#              install what building and testing need, with apt
install:#                           into $(DESTDIR)$(PREFIX)
docs-html: setup-docs#              the manual as web pages: build/html/index.html
	@$(MAKE) $(SUB) $(HTML)/index.html && echo file://$(CURDIR)/$(HTML)/index.html
uninstall:#                         remove what install put there
dist:#                              pack HEAD's files into build/gshmem-VERSION.tar.gz, reproducibly
	@mkdir -p build
	@git -c tar.umask=0022 archive --format=tar --prefix=gshmem-$(VERSION)/ HEAD >build/dist.tar || \
		{ rm -f build/dist.tar; echo "make dist: needs git, and a commit" >&2; exit 1; }
	@gzip -9nc build/dist.tar >build/gshmem-$(VERSION).tar.gz && rm build/dist.tar
	@n=$$(git status --porcelain | wc -l); [ $$n -eq 0 ] || \
		echo "make dist: $$n files are new or differ from HEAD: the archive has HEAD's files"
	@echo build/gshmem-$(VERSION).tar.gz
format:#                            lay out all sources as .clang-format says
	tests/format.sh --fix
format-check:#                      say which are not
	tests/format.sh
clean:#                             remove build/
	rm -rf build
help:#                              this list
	@echo "targets:"; sed -n 's/^\([a-z-]*\):.*#  */  \1\t/p' Makefile | expand -t 16
	@echo "  check-LEG     one leg of check: $(ALL_LEGS)"
	@echo "variables:"; sed -n 's/^\([A-Z]*\) *?=\(.*\)#  */  \1\t\2\t/p' Makefile | expand -t 16,28
	@echo "  V=1           print full commands"
	@echo "  B=build/x     build there"
	@echo "  GPU_ARCHS     what to compile for, on amd 'gfx90a gfx942', on nvidia 'sm_80 sm_90'"
	@echo "  others        CC HIPCC CFLAGS CPPFLAGS LDFLAGS PREFIX LIBDIR DESTDIR DOCDIR ROCM_PATH CUDA_HOME"
	@echo "platform: $(PLATFORM)$(if $(FOUND), ($(wordlist 2,99,$(FOUND))))"
	@echo "compilers: $(CC); $(or $(PLAT_FOUND),$(HIPCC))"

# ---- tests ----

include tests/legs.mk

# A program that does not build counts as one failure; the others still run.
run-tests:
	$(if $(TESTS)$(PYTHON_TEST)$(OSU_TEST)$(SCRIPT_TESTS),,\
		$(error no test matches T=$(T); tests that need nodes: tests/nodes.sh 2x1 T=$(T)))
	@$(if $(AMDSIM_LIB),echo "no /dev/kfd: running on the simulator (tools/amdsim) as $(GPU_ARCHS)" \
		"$(LATE:%=with late memory of seed %)")
	@mkdir -p $(BASE)/check $(dir $(COUNTS)); start=$$(date +%s); \
		$(MAKE) $(SUB) $(SIM_LIB) $(LIB) $(TOOLS) || exit; $(MAKE) $(SUB) -k build-tests; \
		$(if $(COUNTS),echo $$(($$(date +%s) - start)) >$(COUNTS).built)
	@$(if $(PYTHON_TEST)$(OSU_TEST)$(SCRIPT_TESTS),B=$(B)) \
		$(if $(AMDSIM_LIB),SIM=$(CURDIR)/$(patsubst %/,%,$(dir $(SIM_LIB))) \
			AMDSIM_GPU=$(GPU_ARCHS) AMDSIM_GPUS=$(GPU_ARCHS)) \
		$(if $(AMDSIM_LIB),AMDSIM_LATE=$(LATE)) \
		tests/run.sh $(if $(COUNTS),-c $(COUNTS)) $(if $(N),-n $(N)) $(RUNFLAGS) $(TESTS) $(RUN_TOO) \
		$$(for p in $(BENCHED) $(READ); do [ -e $$p ] || echo $$p; done)
build-tests: $(TESTS) $(MODULES) $(RUN_TOO) $(BENCHED) $(READ)
run-benches: $(BENCHES) $(RAW) $(TOOLS)
	$(if $(BENCHES),,$(error no bench matches T=$(T)))
	@tests/run.sh -b $(if $(N),-n $(N)) $(if $(T),$(BENCHES),$(filter-out %/net_rma %/node_lat,$(BENCHES)))
	@status=0; bench/plot.sh $(B)/bench || status=1; bench/ratios.sh $(B)/bench && exit $$status

setup-try setup-check setup-all setup-coverage setup-bench setup-results setup-nodes setup-docs: \
	setup-%:
	@CC='$(CC)' HIPCC='$(HIPCC)' OSHCC='$(OSHCC)' LEGS='$(if $(filter all,$*),$(LEGS))' tools/setup $*

# ---- building ----

# up,PROGRAM: the path from its folder back to $(B), so that run paths stay right when the tree is moved.
# LINKED: the library that a program is linked with.
up    = $(subst $() ,,$(patsubst %,../,$(subst /, ,$(patsubst $(B)/%,%,$(dir $(1))))))
RPATH = -Wl,-rpath,'$$ORIGIN/$(call up,$@)$(patsubst $(B)/%/,%,$(dir $(LINKED)))'
LINKED = $(SO)

# Objects depend on the commands that make them: with other flags they are made again.
$(B)/flags: FORCE
	$(shell mkdir -p $(@D))$(file >$@.new,$(CCMD) $(HIPCMD) $(LINK) $(LIBS))
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
# Says what is missing, before a compiler complains.
$(B)/tools-found:
	@CC='$(CC)' HIPCC='$(HIPCC)' LEGS= tools/setup -n build
	@mkdir -p $(@D) && touch $@

$(B)/%.c.o: %.c $(B)/flags | $(B)/tools-found
	@mkdir -p $(@D) && rm -f $(B)/$*
	$(call Q,CC)$(CCMD) -c -o $@ $<
$(B)/%.hip.o: %.hip $(B)/flags | $(B)/tools-found $(PLAT_DEPS)
	@mkdir -p $(@D) && rm -f $(B)/$*
	$(call Q,HIPCC)$(HIPCMD) -c -o $@ $<
# A compiler's warnings and errors for a source, without generating code. The .d file is not that of the .o:
# a source may be read by one target and compiled by another.
$(B)/%.c.read: %.c $(B)/flags | $(B)/tools-found
	@mkdir -p $(@D) && rm -f $@
	$(call Q,READ)$(CCMD) -MF $@.d -MT $@ -fsyntax-only $< && touch $@
$(B)/bench/results/oshmem.c.read: private SHMEM_CPP = $(call shmem_flags,include,$(B)/include)
$(B)/bench/results/oshmem.c.read: $(SHMEM_HEADERS)
$(B)/%.hip.read: %.hip $(B)/flags | $(B)/tools-found $(PLAT_DEPS)
	@mkdir -p $(@D) && rm -f $@
	$(call Q,READ)$(HIPCMD) -MF $@.d -MT $@ $(HIPREAD) $< && touch $@
# gshmem.h, precompiled for the programs that begin with it, which saves seconds each. On GPUs once for the
# host and once for each kind of GPU.
HEADED   := $(foreach u,$(shell grep -Ls '^\#define GSHMEM' tests/*.hip bench/*.hip bench/results/*.hip \
	examples/*.hip examples/tutorial/[2-9]_*.hip),$(B)/$(u).o $(B)/$(u).read)
HEADS    := $(PLAT_HEADS:%=$(B)/%)
ifneq ($(HEADS),)
$(HEADED): private HIPCMD += $(PLAT_HEAD)
$(HEADED): $(HEADS)
$(HEADS): private CFLAGS := $(patsubst -g,-g1,$(CFLAGS))
$(B)/head.h: | $(B)/tools-found
	@echo '#include <gshmem.h>' >$@
$(HEADS): include/gshmem.h $(B)/head.h $(B)/flags | $(PLAT_DEPS)
	@mkdir -p $(@D)
	$(call Q,HIPCC)$(call PLAT_PRECOMPILE,$(HIPCMD) -MF $(B)/head.d -MT '$(HEADS)') $(B)/head.h
-include $(B)/head.d
endif
# Programs, and those sources of the library that macros fill with functions, have line numbers only: full
# debug information takes a third of the compilers' time.
$(B)/tests/%.o $(B)/bench/%.o $(B)/examples/%.o $(B)/apps/%.o: private CFLAGS := $(patsubst -g,-g1,$(CFLAGS))
$(patsubst %,$(B)/src/%.c.o,host/coll team/context op/rma host/stream team/sync) \
	$(B)/src/device/coll.hip.o: private CFLAGS := $(patsubst -g,-g1,$(CFLAGS))
# Tests of every type of every call: -O2 would take minutes.
$(B)/tests/%_types.hip.o: private CFLAGS := $(patsubst -O2,-O1,$(patsubst -g,-g1,$(CFLAGS)))
# The host's collectives read and write the caller's memory.
$(if $(filter races,$(SAN)),$(eval $(B)/src/host/coll.c.o: private CSANFLAGS += -fsanitize=thread -Wno-tsan))
# The race detector's own code, which most of a watched program's time is spent in.
$(B)/platform/cpu/race/%.o: private CFLAGS := $(patsubst -O1,-O2,$(CFLAGS))
# What init says of a library that the runtime refuses.
$(B)/src/host/device.c.o: private DEFINES := \
	$(if $(GPU_ARCHS),-DGSHMEMI_GPU_ARCHS='"$(strip $(GPU_ARCHS))"') \
	$(CODE_OBJECT:%=-DGSHMEMI_CODE_OBJECT=%)
# nodelete: the library must not be unloaded, because it has threads, and exit calls it.
$(B)/lib/$(REALNAME): $(LIB_OBJS)
$(INNER_SO): $(BUILTIN_OBJS)
$(B)/lib/$(REALNAME) $(INNER_SO):
	@mkdir -p $(@D)
	$(call Q,LINK)$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,-z,nodelete $(MAPS:%=-Wl,--version-script,%) -o $@ \
		$(filter %.o,$^) $(PLAT_LDLIBS)
# What holds the library's objects must not have its own memcpy taken for the program's.
$(B)/lib/% $(B)/bin/%: private LSANFLAGS := $(if $(filter races,$(SAN)),,$(SANFLAGS))
$(B)/lib/$(REALNAME): $(MAPS)
$(INNER_SO): private MAPS :=
# Links to the file of this version, in place of a file or link of another one.
$(B)/lib/$(SONAME): $(B)/lib/$(REALNAME)
	@ln -sf $(REALNAME) $@
$(SO): $(B)/lib/$(SONAME) | $(PLUGINS)
	@ln -sf $(SONAME) $@
$(B)/src/mpi/shim-%.o: src/mpi/shim.c $(B)/flags | $(B)/tools-found
	@mkdir -p $(@D)
	$(call Q,CC)$(subst $(MPI_CFLAGS),,$(CCMD)) $(SHIM_$*) -DGSHMEMI_MPI_SHIM=gshmemi_mpi_shim_$* -c -o $@ $<
$(B)/src/mpi/builtin.c.o: private DEFINES := '-DGSHMEMI_MPI_BUILTIN(X)=$(foreach s,$(SHIMS),X($(s)))'
$(B)/lib/gshmem/mpi-%.so: $(B)/src/mpi/shim-%.o
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(CSANFLAGS) $(LDFLAGS) -shared -o $@ $<
$(B)/lib/libgshmem.a: $(BUILTIN_OBJS)
	@mkdir -p $(@D) && rm -f $@
	$(call Q,AR)$(AR) rcs $@ $^

# The device API for compilers that link bitcode into their kernels: docs/triton.md.
$(B)/lib/libgshmem_device_%.bc: platform/bitcode.hip platform/$(PLATFORM)/platform.mk $(B)/flags \
	| $(B)/tools-found $(PLAT_DEPS)
	@mkdir -p $(@D)
	$(call Q,BC)$(PLAT_BITCODE_CXX) $(call PLAT_BITCODE_FLAGS,$*) $(HIPWARN) $(CPP) -MF $(B)/bitcode.$*.d -MT $@ -o $@ $<
	$(if $(PLAT_BITCODE_FINISH),@$(PLAT_BITCODE_FINISH) $@)

$(B)/include/shmem.h: tools/shmem-header $(wildcard include/*.h include/gshmem/*/*.h)
	@mkdir -p $(@D)
	$(call Q,GEN)awk -f tools/shmem-header include/gshmem.h >$@
$(B)/include/pshmem.h: $(SHMEM_OBJS)
	@mkdir -p $(@D)
	$(call Q,GEN)$(NM) -g --defined-only $^ | awk -v header=1 -f tools/shmem-names >$@
$(B)/shmem/names.S: tools/shmem-names $(LIB_OBJS)
	@mkdir -p $(@D)
	$(call Q,GEN)$(NM) -g --defined-only $(LIB_OBJS) | awk -f tools/shmem-names >$@
$(B)/shmem/names.o: $(B)/shmem/names.S
	$(call Q,AS)$(CC) -fPIC -c -o $@ $<
$(filter %.c.o,$(SHMEM_OBJS)) $(B)/tests/shmem/%: SHMEM_CPP = $(call shmem_flags,include,$(B)/include)
$(filter %.c.o,$(SHMEM_OBJS)): $(B)/include/shmem.h
$(B)/tests/shmem/%.c.o: tests/shmem/%.c $(B)/flags $(SHMEM_HEADERS)
	@mkdir -p $(@D) && rm -f $(B)/tests/shmem/$*
	$(call Q,CC)$(CCMD) -c -o $@ $<
$(B)/tests/shmem/%: $(B)/tests/shmem/%.c.o $(SHMEM_SO)
	$(call Q,LINK)$(LINK) -o $@ $< $(SHMEM_SO) $(SO) $(RPATH) $(LIBS)
$(B)/lib/$(SHMEM_REALNAME): $(SHMEM_OBJS) $(SO) src/shmem/exports.map
	$(call Q,LINK)$(LINK) -shared -Wl,-soname,$(SHMEM_SONAME) -Wl,--version-script,src/shmem/exports.map -o $@ \
		$(SHMEM_OBJS) $(SO) -Wl,-rpath,'$$ORIGIN' $(LIBS)
$(B)/lib/$(SHMEM_SONAME): $(B)/lib/$(SHMEM_REALNAME)
	@ln -sf $(SHMEM_REALNAME) $@
$(SHMEM_SO): $(B)/lib/$(SHMEM_SONAME)
	@ln -sf $(SHMEM_SONAME) $@
# As one member: no program names its constructor, so the linker would leave out a member that has only that.
$(B)/lib/libgshmem_shmem.a: $(SHMEM_OBJS)
	@mkdir -p $(@D) && rm -f $@
	$(call Q,AR)$(LD) -r -o $(B)/shmem/all.o $^ && $(AR) rcs $@ $(B)/shmem/all.o

$(INNER_TESTS): private LINKED := $(INNER_SO)
$(INNER_TESTS): $(INNER_SO)
$(B)/%: $(B)/%.c.o $(SO)
	$(call Q,LINK)$(LINK) -o $@ $< $(LINKED) $(RPATH) $(LIBS)
$(B)/%: $(B)/%.hip.o $(SO)
	$(call Q,LINK)$(LINK) -o $@ $< $(LINKED) $(RPATH) $(LIBS)
# Modules that tests load at run time: GPU code only, if PLAT_MODULE has flags for it; else a shared object.
ifdef PLAT_MODULE
$(B)/%.module: %.hip $(B)/flags | $(B)/tools-found $(PLAT_DEPS)
	@mkdir -p $(@D)
	$(call Q,HIPCC)$(HIPCMD) -MF $(B)/$*.hip.d -DGSHMEM_MODULE $(PLAT_MODULE) -o $@ $<
else
$(B)/%.module: $(B)/%.hip.o $(SO)
	$(call Q,LINK)$(LINK) -shared -o $@ $< $(SO) $(RPATH) $(LIBS)
endif
# Another OpenSHMEM, by its own compiler.
$(B)/bench/results/oshmem: bench/results/oshmem.c $(wildcard bench/results/*.h bench/raw/*.h) $(B)/flags
	@mkdir -p $(@D)
	$(call Q,OSHCC)$(OSHCC) $(CWARN) -D_GNU_SOURCE $(CFLAGS) -o $@ $<
# Raw baselines use neither the library nor its flags.
$(B)/bench/raw/%: bench/raw/%.c $(wildcard bench/raw/*.h) $(B)/flags | $(B)/tools-found
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(CWARN) -D_GNU_SOURCE $(MPI_CFLAGS) -MMD -MP -MF $@.c.d $(CFLAGS) -o $@ $< \
		-Wl,--as-needed -lpthread $(MPI_LIBS)
# It shows what the library exports to nobody.
$(B)/bin/gshmem-info: $(INFO_OBJS) $(B)/lib/libgshmem.a
	@mkdir -p $(@D)
	$(call Q,LINK)$(LINK) -o $@ $^ $(LIBS)
# These use no call of gshmem; but on the cpu platform HIP is in the library.
$(B)/report/limits $(B)/report/beside: $(B)/report/%: $(B)/tools/report/%.hip.o $(if $(filter cpu,$(PLATFORM)),$(SO))
	@mkdir -p $(@D)
	$(call Q,LINK)$(LINK) -o $@ $^ $(RPATH) $(PLAT_LDLIBS)
# Links no library: the program that loads it has gshmem's calls, or does not make them.
$(B)/report/nompi.so: tools/report/nompi.c include/gshmem.h $(B)/flags
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(CWARN) -Iinclude $(PLAT_CPPFLAGS) -fPIC $(CFLAGS) -shared -o $@ $< -ldl

# ---- gshmemcc, gshmem.pc and install ----

# The flags of users' programs. $(1): the folder of the headers; $(2): of the platform's.
user_flags = -I$(1) \
	$(patsubst -Iplatform/$(PLATFORM),-I$(2),$(filter-out -D_GNU_SOURCE,$(PLAT_CPPFLAGS))) $(MPI_CFLAGS)
# The flags that find shmem.h and others in $(1), and generated headers in $(2).
shmem_flags = -I$(1)/gshmem/compat $(if $(2),-I$(2))
# The C++ compiler for sources without kernels: clang++ if CC is clang.
USER_CXX  ?= $(if $(filter clang%,$(notdir $(CC))),$(patsubst clang%,clang++%,$(notdir $(CC))),$(CXX))
# fill,INCLUDE,PLATFORM INCLUDE,LIB,DEVICE LIBRARY,SHMEM INCLUDE,RACES: fills in a template. RACES: the gshmemcc
# for programs that are watched for races.
fill       = sed -e 's|@CC@|$(CC)|;s|@CXX@|$(USER_CXX)|;s|@SHMEMFLAGS@|$(strip $(call shmem_flags,$(1),$(5)))|' \
	-e 's|@HIPCC@|$(HIPCC)|;s|@HIPLD@|$(HIPLD)|;s|@LIBDIR@|$(3)|' \
	-e 's|@HIPFLAGS@|$(if $(DEVLIB),$(subst $(DEVLIB),$(4),$(HIPFLAGS)),$(HIPFLAGS))|' \
	-e 's|@HIPFLAGS_CLANG@|$(call HIPFLAGS_of,clang)|;s|@HIPFLAGS_GCC@|$(call HIPFLAGS_of,gcc)|' \
	-e 's|@CPPFLAGS@|$(strip $(call user_flags,$(1),$(2)))|;s|@LIBS@|$(strip $(LIBS))|;s|@SAN@|$(SANFLAGS)|' \
	-e 's|@LDSAN@|$(PROGSAN)|;s|@RACES@|$(if $(filter races,$(SAN)),,$(6))|' \
	-e 's|@PREFIX@|$(PREFIX)|;s|@VERSION@|$(VERSION)|;s|@PLATFORM@|$(PLATFORM)|;s|@GPU_ARCHS@|$(strip $(GPU_ARCHS))|' \
	-e 's|@SONAME@|$(SONAME)|g;s|@SHMEM_SONAME@|$(SHMEM_SONAME)|g' \
	-e 's|@MPIFLAGS@|$(strip $(MPI_CFLAGS))|;s|@MPILIBS@|$(strip $(MPI_LIBS))|'
fill_here  = $(call fill,$(CURDIR)/include,$(CURDIR)/platform/$(PLATFORM),$(abspath $(B)/lib),$(DEVLIB),$(abspath \
	$(B)/include),$(abspath $(RACES_B)/bin/gshmemcc))
INCDIR    := $(PREFIX)/include
MANDIR    := $(PREFIX)/share/man
PLATDIR   := $(INCDIR)/gshmem/platform/$(PLATFORM)
RACES_B   := build/cpu-races
# Not by the compiler that has been chosen for another platform.
RACES_MAKE = $(MAKE) $(SUB) PLATFORM=cpu SAN=races B=$(RACES_B) $(if $(filter-out cpu,$(PLATFORM)),HIPCC=g++)
RACESDIR   = $(LIBDIR)/gshmem/races
HEADERS    = $(shell cd include && find . -name '*.h' -o -name '*.hpp')
HIPHEADERS = $(shell cd platform/$(PLATFORM) && find hip -name '*.h' 2>/dev/null)

$(B)/bin/gshmemcc: tools/gshmemcc $(B)/flags
	@mkdir -p $(@D)
	$(call Q,GEN)$(call fill_here) $< >$@ && chmod +x $@
	@ln -sf gshmemcc $(@D)/oshcc && ln -sf gshmemcc $(@D)/oshc++

$(B)/lib/cmake/gshmem/%: tools/% $(B)/flags $(VERSION_H)
	@mkdir -p $(@D)
	$(call Q,GEN)$(call fill_here) $< >$@

include tools/man/man.mk

# All files are first put together below $(S); tools/install checks the paths, and copies them from there.
S          = $(B)/install
quoted     = '$(subst ','\'',$(1))'
paths      = $(call quoted,$(LIBDIR)) $(call quoted,$(DESTDIR))
ifneq ($(filter install uninstall,$(MAKECMDGOALS)),)
wrong     := $(shell tools/install $(if $(filter install,$(MAKECMDGOALS)),-w,-n) $(call quoted,$(PREFIX)) $(paths))
$(if $(wrong),$(error $(wrong)))
endif

install: lib tools $(MAN)/made $(PLAT_DEPS)
	@rm -rf $(S)
	install -d $(S)$(PREFIX)/bin $(S)$(LIBDIR)/pkgconfig
	install -m 755 $(B)/lib/$(REALNAME) $(S)$(LIBDIR)
	ln -s $(REALNAME) $(S)$(LIBDIR)/$(SONAME)
	ln -s $(SONAME) $(S)$(LIBDIR)/libgshmem.so
	install -m 644 $(B)/lib/libgshmem.a $(S)$(LIBDIR)/libgshmem.a
	$(if $(PLUGINS),install -d $(S)$(LIBDIR)/gshmem && install -m 755 $(PLUGINS) $(S)$(LIBDIR)/gshmem/)
	install -m 755 $(B)/lib/$(SHMEM_REALNAME) $(S)$(LIBDIR)
	ln -s $(SHMEM_REALNAME) $(S)$(LIBDIR)/$(SHMEM_SONAME)
	ln -s $(SHMEM_SONAME) $(S)$(LIBDIR)/libgshmem_shmem.so
	install -m 644 $(B)/lib/libgshmem_shmem.a $(S)$(LIBDIR)/libgshmem_shmem.a
	$(if $(BITCODE),install -m 644 $(BITCODE) $(S)$(LIBDIR)/)
	@for h in $(HEADERS); do install -D -m 644 include/$$h $(S)$(INCDIR)/$$h || exit 1; done
	install -m 644 $(SHMEM_HEADERS) $(S)$(INCDIR)/gshmem/compat
	@for h in $(HIPHEADERS); do install -D -m 644 platform/$(PLATFORM)/$$h $(S)$(PLATDIR)/$$h || exit 1; done
	$(if $(DEVLIB),install -d $(S)$(LIBDIR)/gshmem/devlib && cp -P $(DEVLIB)/*.bc $(S)$(LIBDIR)/gshmem/devlib/)
	$(call fill,$(INCDIR),$(PLATDIR),$(LIBDIR),$(LIBDIR)/gshmem/devlib,,$(RACESDIR)/gshmemcc) \
		tools/gshmemcc >$(S)$(PREFIX)/bin/gshmemcc
	chmod 755 $(S)$(PREFIX)/bin/gshmemcc
	ln -s gshmemcc $(S)$(PREFIX)/bin/oshcc
	ln -s gshmemcc $(S)$(PREFIX)/bin/oshc++
	$(call fill,$(INCDIR),$(PLATDIR),$(LIBDIR),$(LIBDIR)/gshmem/devlib) tools/gshmem.pc >$(S)$(LIBDIR)/pkgconfig/gshmem.pc
	@install -d $(S)$(LIBDIR)/cmake/gshmem
	@$(foreach f,$(notdir $(CMAKE_FILES)),$(call fill,$(INCDIR),$(PLATDIR),$(LIBDIR),$(LIBDIR)/gshmem/devlib,,$(RACESDIR)/gshmemcc) \
		tools/$(f) >$(S)$(LIBDIR)/cmake/gshmem/$(f) &&) :
	$(if $(wildcard $(RACES_B)/lib/$(SONAME)),+@$(RACES_MAKE) S=$(abspath $(S)) install-races)
	[ ! -f $(B)/bin/gshmem-info ] || install -m 755 $(B)/bin/gshmem-info $(S)$(PREFIX)/bin/gshmem-info
	install -m 755 tools/gshmem-trace $(S)$(PREFIX)/bin/gshmem-trace
	install -d $(S)$(MANDIR) && cp -R $(MAN)/man1 $(MAN)/man3 $(MAN)/man7 $(S)$(MANDIR)
	$(call install_docs,$(S)$(DOCDIR))
	@chmod -R u=rwX,go=rX $(S)
	tools/install $(S) $(paths)
	@rm -rf $(S)
# The library for gshmemcc --races, for make install of any platform.
install-races: lib
	install -d $(S)$(RACESDIR)/cmake
	install -m 755 $(B)/lib/$(REALNAME) $(B)/lib/$(SHMEM_REALNAME) $(S)$(RACESDIR)
	ln -sf $(REALNAME) $(S)$(RACESDIR)/$(SONAME)
	ln -sf $(SHMEM_REALNAME) $(S)$(RACESDIR)/$(SHMEM_SONAME)
	ln -sf $(SONAME) $(S)$(RACESDIR)/libgshmem.so
	$(if $(PLUGINS),install -d $(S)$(RACESDIR)/gshmem && install -m 755 $(PLUGINS) $(S)$(RACESDIR)/gshmem/)
	ln -sf $(SHMEM_SONAME) $(S)$(RACESDIR)/libgshmem_shmem.so
	@for h in $(HIPHEADERS); do install -D -m 644 platform/cpu/$$h $(S)$(PLATDIR)/$$h || exit 1; done
	$(call fill,$(INCDIR),$(PLATDIR),$(RACESDIR)) tools/gshmemcc >$(S)$(RACESDIR)/gshmemcc
	chmod 755 $(S)$(RACESDIR)/gshmemcc
	$(call fill,$(INCDIR),$(PLATDIR),$(RACESDIR)) tools/gshmem-config.cmake >$(S)$(RACESDIR)/cmake/gshmem-config.cmake
uninstall:
	tools/install -u $(paths)

# Compilers write the .d files; without this rule make searches half a minute for ways to make them.
$(B)/%.d: ;
-include $(DEPS:.o=.d) $(PLAT_BITCODE:%=$(B)/bitcode.%.d)
