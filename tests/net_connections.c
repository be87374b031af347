/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 16 */
/* env: GSHMEM_PES_PER_NODE=2 GSHMEM_HEAP_SIZE=16m | GSHMEM_PES_PER_NODE=2:cyclic GSHMEM_HEAP_SIZE=16m */
/* platform: cpu */
/* delivery: no */
/* carry: no, it says which PEs are carried */
/* net: no, likewise */
/* nodes: no, it pretends its own */
/* timeout: 180 */
/* links: inner */
/*
 * With 16 PEs on 8 pretended nodes init exchanges handles only inside a node and connects nobody. A
 * ring then makes one connection per neighbour on another node, and no other. All data is exact,
 * whether stored directly or carried.
 */
#include "base/base.h"

#include <gshmem/move/carry.h>
#include <stdbool.h>

#include "bootstrap/bootstrap.h"
#include "engine/connection.h"
#include "heap/heap.h"
#include "helpers.h"
#include "ipc/opening.h"
#include "job/job.h"
#include "net/net.h"

#define NPES         16
#define PES_PER_NODE 2
#define NBULK        20000 /* longs: more than one message holds */

static int me;

static bool is_connected(int pe)
{
	const bool is = gshmemi_net_enter()->connections[pe] != NULL;

	gshmemi_net_leave();
	return is;
}

static int count_connections(void)
{
	int pe, n = 0;

	for (pe = 0; pe < NPES; pe++)
		n += is_connected(pe);
	return n;
}

static bool is_remote(int pe)
{
	return gshmemi_job->nodes[pe] != gshmemi_job->nodes[me];
}

struct objects {
	long small, back, bulk[NBULK], from[NPES];
	uint64_t signal, ready;
};

/* Send to the next PE and answer the previous one; no collective call. */
static void ring(struct objects *o, long *bulk, int round)
{
	const int next = (me + 1) % NPES, previous = (me + NPES - 1) % NPES;

	for (long i = 0; i < NBULK; i++)
		bulk[i] = 1000 * i + 100 * round + me;
	gshmem_long_p(&o->small, 100 * round + me, next);
	gshmem_fence();
	gshmem_long_put_signal(o->bulk, bulk, NBULK, &o->signal, 1, GSHMEM_SIGNAL_ADD, next);
	gshmem_signal_wait_until(&o->signal, GSHMEM_CMP_EQ, (uint64_t)round + 1);
	t_equal(o->small, 100 * round + previous, "a small put");
	for (long i = 0; i < NBULK; i++)
		t_equal(o->bulk[i], 1000 * i + 100 * round + previous, "bulk with a signal");
	t_equal(gshmem_long_atomic_fetch_add(&o->back, me, previous), round * me, "a fetching atomic");
	gshmem_uint64_atomic_inc(&o->ready, previous);
	gshmem_uint64_wait_until(&o->ready, GSHMEM_CMP_EQ, (uint64_t)round + 1);
	t_equal(gshmem_long_g(&o->small, next), 100 * round + me, "a get");
}

int main(void)
{
	struct objects *o;
	long *bulk = malloc(sizeof o->bulk);
	int next, previous, pe;

	if (!GSHMEMI_ARCH_HOST_DIRECT)
		t_skip("the CPU does not reach the heap");
	gshmem_init();
	me = gshmem_my_pe();
	next = (me + 1) % NPES;
	previous = (me + NPES - 1) % NPES;
	t_equal(gshmem_n_pes(), NPES, "PEs");
	t_equal(gshmemi_job->nnodes, NPES / PES_PER_NODE, "nodes");
	t_equal(gshmemi_openings_count().nopened, 2 * (PES_PER_NODE - 1), "handles opened in init");
	t_equal(count_connections(), 0, "connections after init");
	gshmemi_bootstrap_barrier();             /* over MPI: the others have counted their connections */
	o = (struct objects *)gshmemi_heap.base; /* zeros; gshmem_malloc would meet the other PEs */
	for (int round = 0; round < 3; round++)
		ring(o, bulk, round);
	t_equal(count_connections(), is_remote(next) + is_remote(previous), "connections after a ring");
	gshmemi_bootstrap_barrier();
	for (pe = 0; pe < NPES; pe++)
		gshmem_long_p(&o->from[me], me + 1, pe);
	gshmem_barrier_all();
	for (pe = 0; pe < NPES; pe++) {
		t_equal(o->from[pe], pe + 1, "a put from each PE");
		t_equal(is_connected(pe), is_remote(pe),
			"all have sent to all: connections to other nodes, and to no other PE");
	}
	gshmem_finalize();
	free(bulk);
	return 0;
}
