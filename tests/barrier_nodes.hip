/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 3,8,17 */
/* env: GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=2 | GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=3:cyclic GSHMEM_CPU_WAVE=32 | GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=1 GSHMEM_CHECK=1 | GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=16 */
/* carry: no, PEs of several nodes are carried as it is */
/* nodes: no, likewise */
/* platform: cpu */
/* The same over several nodes: some of one PE, some of more than one round. */
#include "barrier_all.hip"
