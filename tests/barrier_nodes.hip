/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 3,8 */
/* env: GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=2 GSHMEM_NET_DEADLINE=60 | GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=3:cyclic GSHMEM_NET_DEADLINE=60 GSHMEM_CPU_WAVE=32 GSHMEM_CHECK=1 */
/* carry: no, PEs of several nodes are carried as it is */
/* nodes: no, likewise */
/* platform: cpu */
/* barrier_all.hip over several nodes, with one PE or several on each. */
#include "barrier_all.hip"
