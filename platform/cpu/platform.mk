# SPDX-License-Identifier: BSD-3-Clause
# HIP on a CPU: the compilers of the machine, our own HIP headers, and the runtime in platform/cpu/*.c.
CC            := $(if $(filter default,$(origin CC)),gcc,$(CC))
HIPCC         ?= g++
HIPFLAGS      ?= -x c++ -std=c++17 -D__HIPCC__=1 -fPIC -fno-extern-tls-init -fno-semantic-interposition
PLAT_CPPFLAGS := -Iplatform/cpu -D__HIP_PLATFORM_CPU__=1 -D_GNU_SOURCE
PLAT_LDLIBS   := -lpthread
