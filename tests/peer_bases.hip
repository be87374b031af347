/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* net: no */
/* delivery: no, it does not delay a kernel's own stores */
/* run: -n 1,3,8 */
/* env: GSHMEM_HEAP_SIZE=8m GSHMEM_CARRY=1 | GSHMEM_HEAP_SIZE=8m GSHMEM_CHECK=1 GSHMEM_NET=1 */
/* races: no, it needs the direct path */
/*
 * gshmemx_peer_bases and gshmemx_win_peer_bases write to host or device memory the addresses by which a
 * kernel's loads and stores reach peers, and NULL for unmapped PEs, such as PE 1 with GSHMEM_CARRY=1. A bad
 * argument is an error, and nothing is written.
 */
#include <errno.h>
#include <hip/hip_runtime.h>
#include "oracle.h"

#include <gshmemx_win.h>

enum { MAX_PES = 16, PLACE = 77 };

/* On each PE of the table: write mine[me], read mine[MAX_PES]. PE numbers are the table's. */
static __global__ void exchange(void *const *bases, int npes, int me, int *mine, int *seen)
{
	for (int pe = 0; pe < npes; pe++) {
		if (!bases[pe])
			continue;
		int *there = (int *)((char *)bases[pe] + ((char *)mine - (char *)bases[me]));

		there[me] = 100 + me;
		seen[pe] = there[MAX_PES];
	}
	gshmem_quiet();
}

/* Whether this PE must have no address for that PE. */
static int is_carried(int pe)
{
	return getenv("GSHMEM_CARRY") && pe == 1 && gshmem_my_pe() != 1;
}

/* The exchange by a table in which PE i is PE world(i) of the world; mine has 2 * MAX_PES ints on each. */
static void use(void **bases, int npes, int me, int (*world)(int), int *mine, const char *what)
{
	int *seen = (int *)t_hipmalloc(MAX_PES * sizeof *seen), number = 7000 + me;
	int here[MAX_PES], there[MAX_PES];

	t_memset(mine, 0, MAX_PES * sizeof *mine);
	t_to_device(mine + MAX_PES, &number, sizeof number);
	gshmem_barrier_all();
	t_launch(exchange, 1, 1, (void *const *)bases, npes, me, mine, seen);
	gshmem_barrier_all();
	t_from_device(here, mine, sizeof here);
	t_from_device(there, seen, sizeof there);
	for (int pe = 0; pe < npes; pe++) {
		const int reaches_me = !getenv("GSHMEM_CARRY") || gshmem_my_pe() != 1 || world(pe) == 1;

		t_check(here[pe] == (reaches_me ? 100 + pe : 0), "%s: PE %d: from PE %d: %d", what, me, pe,
			here[pe]);
		t_check(is_carried(world(pe)) || there[pe] == 7000 + pe, "%s: PE %d: on PE %d: %d", what, me,
			pe, there[pe]);
	}
	t_hip(hipFree(seen));
}

static int same(int pe)
{
	return pe;
}

static int reversed(int pe)
{
	return gshmem_n_pes() - 1 - pe;
}

static void heap(void)
{
	const int npes = gshmem_n_pes(), me = gshmem_my_pe();
	void *bases[MAX_PES], *copy[MAX_PES], **on_device = (void **)t_hipmalloc(sizeof bases);
	char *block = (char *)t_shmalloc((PLACE + 2 * MAX_PES) * sizeof(int));
	int *mine = (int *)(void *)block + PLACE;

	bases[npes] = copy;
	t_equal(gshmemx_peer_bases(bases), 0, "gshmemx_peer_bases");
	t_check(bases[npes] == copy, "gshmemx_peer_bases writes too much");
	for (int pe = 0; pe < npes; pe++) {
		void *there = gshmem_ptr(mine, pe);

		t_equal(bases[pe] == NULL, is_carried(pe), "whether a heap has no base");
		t_check((there == NULL) == is_carried(pe), "PE %d: gshmem_ptr for PE %d: %p", me, pe, there);
		t_check(!there || (char *)there - (char *)bases[pe] == (char *)mine - (char *)bases[me],
			"PE %d: base of PE %d: %p, but gshmem_ptr is %p", me, pe, bases[pe], there);
	}
	t_equal(gshmemx_peer_bases(on_device), 0, "gshmemx_peer_bases to the device");
	t_from_device(copy, on_device, npes * sizeof *copy);
	t_check(memcmp(copy, bases, npes * sizeof *copy) == 0, "PE %d: the device has other bases", me);
	t_equal(gshmemx_peer_bases(NULL), -EINVAL, "gshmemx_peer_bases(NULL)");
	use(on_device, npes, me, same, mine, "the heap");
	gshmem_free(block);
	t_hip(hipFree(on_device));
}

/* For a team that numbers the PEs in reverse. In a second window the team's last PE has no memory. */
static void window(void)
{
	const int npes = gshmem_n_pes(), me = npes - 1 - gshmem_my_pe();
	void *bases[MAX_PES], **on_device = (void **)t_hipmalloc(sizeof bases);
	void *base, *block = t_shmalloc(64);
	gshmemx_win_t win, dynamic, gone;
	gshmem_team_t team;

	gshmem_team_split_strided(GSHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &team);
	t_equal(gshmemx_win_allocate(team, 2 * MAX_PES * sizeof(int), 4, &base, &win), 0, "a window");
	bases[npes] = on_device;
	t_equal(gshmemx_win_peer_bases(win, bases), 0, "gshmemx_win_peer_bases");
	t_check(bases[npes] == on_device, "gshmemx_win_peer_bases writes too much");
	for (int pe = 0; pe < npes; pe++) {
		t_equal(bases[pe] == NULL, is_carried(reversed(pe)), "whether a window has no base");
		t_check(bases[pe] == gshmemx_win_ptr(win, pe), "PE %d: a window's base of PE %d: %p", me, pe,
			bases[pe]);
	}
	t_equal(gshmemx_win_peer_bases(win, on_device), 0, "gshmemx_win_peer_bases to the device");
	use(on_device, npes, me, reversed, (int *)base, "a window");
	t_equal(gshmemx_win_peer_bases(win, NULL), -EINVAL, "gshmemx_win_peer_bases(NULL)");
	gone = win;
	t_equal(gshmemx_win_free(&win), 0, "free");
	bases[0] = on_device;
	t_equal(gshmemx_win_peer_bases(gone, bases), -EINVAL, "gshmemx_win_peer_bases of what is no window");
	t_check(bases[0] == on_device, "an error changes bases");

	t_equal(gshmemx_win_create(team, me == npes - 1 ? NULL : block, me == npes - 1 ? 0 : 64, 1, &win), 0,
		"a window without memory on a PE");
	t_equal(gshmemx_win_create_dynamic(team, &dynamic), 0, "a dynamic window");
	t_equal(gshmemx_win_peer_bases(win, bases), 0, "gshmemx_win_peer_bases");
	t_check(!bases[npes - 1], "a base of no memory: %p", bases[npes - 1]);
	t_equal(gshmemx_win_peer_bases(dynamic, bases), 0, "gshmemx_win_peer_bases of a dynamic window");
	for (int pe = 0; pe < npes; pe++)
		t_check(!bases[pe], "a base in a dynamic window: %p", bases[pe]);
	gshmemx_win_free(&dynamic);
	gshmemx_win_free(&win);
	gshmem_team_destroy(team);
	gshmem_free(block);
	t_hip(hipFree(on_device));
}

int main()
{
	gshmem_init();
	heap();
	window();
	gshmem_finalize();
	return 0;
}
