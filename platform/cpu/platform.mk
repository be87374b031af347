# SPDX-License-Identifier: BSD-3-Clause
# HIP on a CPU: the compilers of the machine, our own HIP headers, and the runtime in platform/cpu/*.c.
CC            := $(if $(filter default,$(origin CC)),gcc,$(CC))
HIPCC         ?= g++
# Lanes are told apart by their call chains, and meet in the order of the code: that of the source, with no
# call duplicated. Each compiler has its own options for this. gshmemcc records both, because GSHMEM_HIPCC may
# name another compiler than this one.
HIPKIND        = $(if $(findstring clang,$(HIPCC)),clang,gcc)
HIPORDER_clang := -mllvm -disable-block-placement -Xclang -fconvergent-functions
HIPORDER_gcc   := -fno-reorder-blocks -fno-reorder-blocks-and-partition -fno-thread-jumps \
	-fno-extern-tls-init -fno-semantic-interposition
HIPFLAGS_of    = -x c++ -std=c++17 -D__HIPCC__=1 -fPIC -fno-omit-frame-pointer \
	-fno-optimize-sibling-calls $(HIPORDER_$(1))
HIPFLAGS      ?= $(call HIPFLAGS_of,$(HIPKIND))
PLAT_CPPFLAGS := -Iplatform/cpu -D__HIP_PLATFORM_CPU__=1 -D_GNU_SOURCE
PLAT_LDLIBS   := -lpthread -ldl
# With this name gcc finds it for head.h; so does clang.
PLAT_HEADS    := head.h.gch
PLAT_HEAD      = -include $(B)/head.h
PLAT_PRECOMPILE = $(subst -x c++,-x c++-header,$(1)) -o $@
