/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 3,5,8 */
/* env: GSHMEM_HEAP_SIZE=64m GSHMEM_PES_PER_NODE=2 GSHMEM_NET_DEADLINE=60 | GSHMEM_HEAP_SIZE=64m GSHMEM_PES_PER_NODE=3:cyclic GSHMEM_NET_DEADLINE=60 GSHMEM_CPU_WAVE=32 | GSHMEM_HEAP_SIZE=64m GSHMEM_PES_PER_NODE=3 GSHMEM_NET_DEADLINE=60 GSHMEM_CHECK=1 */
/* timeout: 240 */
/* carry: no, PEs of several nodes are carried as it is */
/* nodes: no, likewise */
/* platform: cpu */
/* races: no, it pretends several nodes */
/* coll.hip over several nodes: some nodes have one PE, and PEs of a node may lie anywhere in the team. */
#include "coll.hip"
