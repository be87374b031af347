# SPDX-License-Identifier: BSD-3-Clause
# AMD GPUs: hipcc of ROCm, or a distribution's HIP packages with a clang or hipcc; platform/amd/toolchain
# chooses.
AMD_FIND      := ROCM_PATH='$(ROCM_PATH)' HIPCC='$(HIPCC)' GPU_ARCHS='$(GPU_ARCHS)' platform/amd/toolchain
AMD           := $(shell $(AMD_FIND))
AMD_KIND      := $(word 1,$(AMD))
AMD_ROOT      := $(word 2,$(AMD))
PLAT_FOUND     = $(shell $(AMD_FIND) -w)
# Without a GPU tests run on the simulator, compiled for one kind of GPU: the first in GPU_ARCHS, else gfx942.
ifeq ($(wildcard /dev/kfd)$(AMD_KIND),distro)
include tools/amdsim/amdsim.mk
ifndef SIM_ARCH
SIM_ARCH      := $(or $(firstword $(GPU_ARCHS)),gfx942)
endif
export SIM_ARCH
SIM_MAKE       = B=$(BASE)-$(SIM_ARCH) GPU_ARCHS=$(SIM_ARCH)
endif
CC            := $(if $(filter default,$(origin CC)),gcc,$(CC))
# Empty where there is none: setup then asks for what it has installed, not for a compiler that nobody named.
HIPCC         := $(or $(HIPCC),$(word 3,$(AMD)))
GPU_ARCHS     := $(or $(strip $(GPU_ARCHS)),$(wordlist 5,99,$(AMD)))
# Sub-makes need not look for the GPUs again; hipcc need not look for CUDA.
export GPU_ARCHS
export HIP_PLATFORM := amd

# The distribution's device libraries lack GPUs that its newer clang knows.
ifeq ($(AMD_KIND)$(findstring clang,$(HIPCC)),distroclang)
DEVLIB        := $(CURDIR)/build/amd/devlib-$(notdir $(HIPCC))
AMD_PATHS     := --rocm-path=$(AMD_ROOT) --rocm-device-lib-path=$(DEVLIB)
# clang 20 dropped a macro that HIP 5 headers need.
AMD_WAVE       = -Xarch_$(1) -D__AMDGCN_WAVEFRONT_SIZE=$(if $(filter gfx1%,$(1)),32,64)
AMD_PATHS     += $(if $(filter %-20 %-21 %-22 %-23,$(HIPCC)),-Wno-unused-command-line-argument \
	-Xarch_host -D__AMDGCN_WAVEFRONT_SIZE=64 $(foreach a,$(GPU_ARCHS),$(call AMD_WAVE,$(a))))
PLAT_DEPS     := $(DEVLIB)/made
$(DEVLIB)/made: platform/amd/devlib
	@platform/amd/devlib $(HIPCC) $(word 4,$(AMD)) $(DEVLIB)
else ifneq ($(findstring clang,$(HIPCC)),)
AMD_PATHS     := --rocm-path=$(AMD_ROOT)
endif

# HIP 5 takes code objects of version 4 at most, and a newer clang would write another. HIP 6 and newer have
# compilers that write version 5.
ifndef CODE_OBJECT
CODE_OBJECT   := $(if $(filter 5,$(shell sed -n 's/^.define HIP_VERSION_MAJOR *//p' \
	$(AMD_ROOT)/include/hip/hip_version.h 2>/dev/null)),4,5)
endif
HIPFLAGS      ?= -x hip -std=c++17 $(strip $(AMD_PATHS)) $(GPU_ARCHS:%=--offload-arch=%) \
	-mcode-object-version=$(CODE_OBJECT)
PLAT_MODULE   := --cuda-device-only
# From a folder of precompiled headers clang takes the one for the target that it compiles for.
PLAT_HEADS     = $(patsubst %,head.h.gch/%,host $(GPU_ARCHS))
PLAT_HEAD      = -Xclang -include-pch -Xclang $(B)/head.h.gch
# -c is for hipcc, which would link; clang calls it unused.
PLAT_PRECOMPILE = $(if $(filter host,$(@F)),$(1) --cuda-host-only,\
	$(filter-out --offload-arch=%,$(1)) --cuda-device-only --offload-arch=$(@F)) \
	-c -fsyntax-only -Wno-unused-command-line-argument -Xclang -emit-pch -Xclang -o -Xclang $@
PLAT_CPPFLAGS := -D__HIP_PLATFORM_AMD__=1 -D_GNU_SOURCE
PLAT_LDLIBS   := -lamdhip64 -lpthread -ldl
ifeq ($(AMD_KIND),rocm)
PLAT_CPPFLAGS := -isystem $(AMD_ROOT)/include $(PLAT_CPPFLAGS)
PLAT_LDLIBS   := -L$(AMD_ROOT)/lib -Wl,-rpath,$(AMD_ROOT)/lib $(PLAT_LDLIBS)
endif
# The device API as bitcode, for one kind of GPU each: from bitcode.hip, for a kernel's compiler to optimize.
# It has no version of code objects, so that it links with programs of any.
PLAT_BITCODE_CXX = $(HIPCC)
PLAT_BITCODE  := $(GPU_ARCHS)
PLAT_BITCODE_FINISH = platform/portable-bitcode $(HIPCC) amdgcn-amd-amdhsa 'amd[a-z]*_code_object_version'
PLAT_BITCODE_FLAGS = $(filter-out --offload-arch=% -mcode-object-version=%,$(HIPFLAGS)) --offload-arch=$(1) \
	-mcode-object-version=5 --cuda-device-only --no-gpu-bundle-output \
	-emit-llvm -c -O3 -Xclang -disable-llvm-passes -fuse-cuid=none -DGSHMEMI_BITCODE -DGSHMEM_MODULE
