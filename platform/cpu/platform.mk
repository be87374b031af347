# SPDX-License-Identifier: BSD-3-Clause
# HIP on a CPU: the compilers of the machine, our own HIP headers, and the runtime in platform/cpu/*.c.
CC            := $(if $(filter default,$(origin CC)),gcc,$(CC))
HIPCC         ?= g++
# Lanes are told apart by their call chains, and meet in the order of the code: the source's, with no call copied.
HIPORDER      := $(if $(findstring clang,$(HIPCC)),-mllvm -disable-block-placement -Xclang -fconvergent-functions,\
	-fno-reorder-blocks -fno-reorder-blocks-and-partition -fno-thread-jumps -fno-extern-tls-init -fno-semantic-interposition)
HIPFLAGS      ?= -x c++ -std=c++17 -D__HIPCC__=1 -fPIC -fno-omit-frame-pointer -fno-optimize-sibling-calls $(strip $(HIPORDER))
PLAT_CPPFLAGS := -Iplatform/cpu -D__HIP_PLATFORM_CPU__=1 -D_GNU_SOURCE
PLAT_LDLIBS   := -lpthread -ldl
