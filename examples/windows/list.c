/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 3 */
/* env: GSHMEM_NET=1 */
/*
 * A list whose nodes lie on all PEs, in memory that each PE attaches to a dynamic window when it needs it.
 * Each PE appends nodes by compare and swap at the end that it finds. GSHMEM_NET=1 is for GPUs: dynamic
 * windows are reached over the net.
 */
#include <gshmem.h>
#include <gshmemx_win.h>
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

enum { NNODES = 20 }; /* of each PE */

/* A node's PE and its address there. 8 bytes, because larger elements are not read as a whole. */
typedef uint64_t place_t;
#define NOWHERE        0
#define ADDRESS(place) ((ptrdiff_t)((place)&0xffffffffffff))
#define PE(place)      ((int)((place) >> 48))

struct node {
	place_t next;
	long value;
};

static place_t make_node(gshmemx_win_t win, long value, struct node **node_p)
{
	void *memory;

	if (hipHostMalloc(&memory, sizeof(struct node), 0) != hipSuccess)
		gshmem_global_exit(1);
	*node_p = memory;
	(*node_p)->next = NOWHERE;
	(*node_p)->value = value;
	gshmemx_win_attach(win, memory, sizeof(struct node));
	return (place_t)gshmem_my_pe() << 48 | (uintptr_t)memory;
}

/* Appends a node behind the last one, looking for it from `from` on; returns the new node. */
static place_t append(gshmemx_win_t win, place_t from, place_t node)
{
	place_t next;

	while ((next = gshmemx_win_uint64_compare_and_swap(win, ADDRESS(from), NOWHERE, node, PE(from))) !=
		NOWHERE)
		from = next;
	return node;
}

int main(void)
{
	long nnodes = 0, sum = 0, nall;
	struct node *nodes[NNODES + 1], node;
	place_t *head, at, last;
	gshmemx_win_t win;
	int i, me, npes, is_wrong;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	gshmemx_win_create_dynamic(GSHMEM_TEAM_WORLD, &win);
	head = gshmem_malloc(sizeof *head); /* the symmetric heap tells all PEs where the list begins */
	at = make_node(win, 0, &nodes[NNODES]);
	if (me == 0)
		for (i = 0; i < npes; i++)
			gshmem_uint64_p(head, at, i);
	gshmem_barrier_all();
	last = gshmem_uint64_g(head, me);

	gshmemx_win_lock_all(win, 0);
	for (i = 0; i < NNODES; i++)
		last = append(win, last, make_node(win, me + 1, &nodes[i]));
	gshmem_barrier_all();
	for (at = gshmem_uint64_g(head, me); at != NOWHERE; at = node.next) {
		gshmemx_win_getmem(win, &node, ADDRESS(at), sizeof node, PE(at));
		gshmemx_win_flush(win, PE(at));
		nnodes++;
		sum += node.value;
	}
	gshmemx_win_unlock_all(win);
	gshmem_barrier_all(); /* nobody reads the nodes any more */

	nall = (long)npes * NNODES;
	is_wrong = nnodes != nall + 1 || sum != nall * (npes + 1) / 2;
	printf("PE %d: the list has %ld nodes, which add up to %ld%s\n", me, nnodes, sum,
		is_wrong ? ": wrong" : "");
	for (i = 0; i <= NNODES; i++) {
		gshmemx_win_detach(win, nodes[i]);
		(void)hipHostFree(nodes[i]);
	}
	gshmem_free(head);
	gshmemx_win_free(&win);
	gshmem_finalize();
	return is_wrong;
}
