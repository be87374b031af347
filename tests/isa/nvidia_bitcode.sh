#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
#
# The device API as bitcode for NVIDIA GPUs: tests/bitcode.sh nvidia, with a build of its own beside B.

: "${B:=build/cpu}"
B=$(dirname "$B")/isa/nvidia-bitcode
export B
unset GPU_ARCHS HIPCC CC CFLAGS CPPFLAGS HIPFLAGS HIPLD
exec "$(dirname "$0")/../bitcode.sh" nvidia
