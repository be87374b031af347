# SPDX-License-Identifier: BSD-3-Clause
# NVIDIA GPUs: nvcc of CUDA 12 or newer for kernels, and HIP's names from platform/nvidia/hip;
# platform/nvidia/toolchain finds nvcc.
NVIDIA_FIND   := CUDA_HOME='$(CUDA_HOME)' HIPCC='$(HIPCC)' GPU_ARCHS='$(GPU_ARCHS)' platform/nvidia/toolchain
NVIDIA        := $(shell $(NVIDIA_FIND))
PLAT_FOUND     = $(shell $(NVIDIA_FIND) -w)
CUDA          := $(word 2,$(NVIDIA))
CC            := $(if $(filter default,$(origin CC)),gcc,$(CC))
HIPCC         := $(or $(HIPCC),$(word 3,$(NVIDIA)),nvcc)
GPU_ARCHS     := $(or $(strip $(GPU_ARCHS)),$(wordlist 5,99,$(NVIDIA)))
# Sub-makes need not look for the GPUs again.
export GPU_ARCHS

# g++ links, because nothing needs device linking and nvcc would split -Wl,-rpath,$ORIGIN.
HIPLD         ?= g++
# nvcc always compiles.
HIPREAD       :=
# Machine code for each kind of GPU, and PTX of the last for newer ones.
comma          := ,
NVIDIA_NUMBERS := $(patsubst sm_%,%,$(GPU_ARCHS))
# nvcc hands what it does not know (-Wall, -fPIC) to the host's compiler.
HIPFLAGS      ?= -x cu -std=c++17 -ccbin $(HIPLD) -forward-unknown-to-host-compiler \
	$(foreach n,$(NVIDIA_NUMBERS),-gencode arch=compute_$(n)$(comma)code=sm_$(n)) \
	$(foreach n,$(lastword $(NVIDIA_NUMBERS)),-gencode arch=compute_$(n)$(comma)code=compute_$(n))
PLAT_MODULE   := -fatbin
PLAT_CPPFLAGS := -Iplatform/nvidia -isystem $(CUDA)/include -D__HIP_PLATFORM_NVIDIA__=1 -D_GNU_SOURCE
PLAT_LDLIBS   := -L$(word 4,$(NVIDIA)) -Wl,-rpath,$(word 4,$(NVIDIA)) -lcudart -lpthread -ldl
# The device API as bitcode, where there is a clang for it: nvcc makes none. -nocudalib: it needs no libdevice.
# CUDA 13 dropped a header that clang's own headers include: platform/nvidia/clang has an empty one.
PLAT_BITCODE_CXX := $(shell platform/nvidia/toolchain -c $(GPU_ARCHS))
PLAT_BITCODE  := $(if $(PLAT_BITCODE_CXX),$(GPU_ARCHS))
PLAT_BITCODE_FINISH = platform/portable-bitcode $(PLAT_BITCODE_CXX) nvptx64-nvidia-cuda nvvm-reflect-ftz
PLAT_BITCODE_FLAGS = -x cuda -std=c++17 --cuda-path=$(CUDA) --cuda-device-only --cuda-gpu-arch=$(1) -nocudalib \
	-Wno-unknown-cuda-version -idirafter platform/nvidia/clang \
	-emit-llvm -c -O3 -Xclang -disable-llvm-passes -fuse-cuid=none -DGSHMEMI_BITCODE -DGSHMEM_MODULE
