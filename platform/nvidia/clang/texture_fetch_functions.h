/* SPDX-License-Identifier: BSD-3-Clause */
/* Empty: clang includes it, and CUDA 13 no longer has it. With an older CUDA its own is found first. */
