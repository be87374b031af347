# SPDX-License-Identifier: BSD-3-Clause
# The simulator of AMD GPUs, with two faces. docs/amd-sim.md.
#   $(AMDSIM_LIB)   in place of the distribution's libamdhip64.so.5
#   $(AMDSIM_ROCM)  in place of its libhsa-runtime64.so.1, below the distribution's libamdhip64.so.5
AMDSIM      := build/amdsim
AMDSIM_LIB  := $(AMDSIM)/libamdhip64.so.5
AMDSIM_ROCM := $(AMDSIM)/rocm/libhsa-runtime64.so.1
# Which of the two tests run on.
SIM_LIB     ?= $(AMDSIM_LIB)
AMDSIM_OBJS := $(patsubst tools/amdsim/%.c,$(AMDSIM)/%.o,$(wildcard tools/amdsim/*.c))
LLVM_CONFIG ?= $(firstword $(shell command -v llvm-config-19 llvm-config))
# Vectors of 256 bits, where this machine has them.
AMDSIM_ARCH ?= $(if $(shell grep -wm1 avx2 /proc/cpuinfo),-march=x86-64-v3)

$(AMDSIM)/%.o: tools/amdsim/%.c tools/amdsim/amdsim.mk
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(CWARN) -D_GNU_SOURCE -D__HIP_PLATFORM_AMD__=1 -isystem $(shell $(LLVM_CONFIG) --includedir) \
		-MMD -MP -O3 $(AMDSIM_ARCH) -ffp-contract=off -g1 -fPIC -fvisibility=hidden -c -o $@ $<
$(AMDSIM_LIB): $(filter-out %/hsa_%,$(AMDSIM_OBJS)) tools/amdsim/hip.map
$(AMDSIM_ROCM): $(filter-out %/hip_%,$(AMDSIM_OBJS)) tools/amdsim/hsa.map
$(AMDSIM_LIB) $(AMDSIM_ROCM):
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(filter %.map,$^) -Wl,-z,nodelete -o $@ \
		$(filter %.o,$^) $$($(LLVM_CONFIG) --ldflags --libs) -lm -lpthread
-include $(AMDSIM_OBJS:.o=.d)
