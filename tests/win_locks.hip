/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 6,16 */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_DELIVERY=random:2 */
/* timeout: 120 */
/*
 * Exclusive locks of a window admit one PE at a time. Locks are granted in the order of requests, and shared
 * ones between two exclusive ones together. This still holds when their counters have wrapped around.
 */
#include <hip/hip_runtime.h>
#include <unistd.h>
#include "oracle.h"

#include <gshmemx_win.h>

enum { MAX_PES = 16, NTIMES = 70000, EXCLUSIVE = 100 };

/* Of PE 0. */
struct part {
	long nentered;         /* PEs that have held the lock, */
	long entered[MAX_PES]; /* in this order */
	long ninside;          /* PEs that hold it; one that holds it alone counts EXCLUSIVE */
};

#define AT(FIELD) (ptrdiff_t)(offsetof(struct part, FIELD) / 8)

/* How many locks of PE 0, this PE, have been requested. */
__global__ void count_kernel(gshmemx_win_t win, uint64_t *count)
{
	*count = gshmemi_arch_load(&gshmemi_win_of(win)->control->lock, 8) % (GSHMEMI_WIN_FIELD(1) / 2);
}

static uint64_t count_requests(gshmemx_win_t win)
{
	static uint64_t *count;

	if (!count)
		t_hip(hipHostMalloc((void **)&count, sizeof *count));
	t_launch(count_kernel, 1, 1, win, count);
	return *count;
}

/*
 * Called with the lock held: this PE is the next in the list. One that shares the lock stays for so long that a
 * PE which must not come in would.
 */
static void enter_list(gshmemx_win_t win, int me, bool is_exclusive)
{
	const long n = gshmemx_win_long_fetch_and_op(win, AT(nentered), 1, GSHMEMX_SUM, 0), self = me,
		   weight = is_exclusive ? EXCLUSIVE : 1,
		   ninside = gshmemx_win_long_fetch_and_op(win, AT(ninside), weight, GSHMEMX_SUM, 0);

	t_check(ninside < (is_exclusive ? 1 : EXCLUSIVE), "PE %d has %s lock, and others have it: %ld", me,
		is_exclusive ? "an exclusive" : "a shared", ninside);
	t_equal(gshmemx_win_long_put(win, AT(entered[0]) + n, &self, 1, 0), 0, "put");
	gshmemx_win_flush(win, 0);
	if (!is_exclusive)
		usleep(20000);
	(void)gshmemx_win_long_fetch_and_op(win, AT(ninside), -weight, GSHMEMX_SUM, 0);
}

static bool is_shared(int pe)
{
	return pe % 3 != 0;
}

/*
 * PE 0 holds the lock until all others are queued, one after the other. all_exclusive: all request
 * exclusive locks, else only some.
 */
static void test_order(gshmemx_win_t win, struct part *part, bool all_exclusive)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	const bool is_exclusive = all_exclusive || !is_shared(me);
	uint64_t *go = (uint64_t *)t_shmalloc(sizeof *go), first;
	struct part seen;

	t_write_u64(go, 0);
	if (!me)
		t_memset(part, 0, sizeof *part);
	gshmem_barrier_all();
	if (me == 0) {
		t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_EXCLUSIVE, 0, 0), 0, "lock");
		first = count_requests(win);
		for (int pe = 1; pe < npes; pe++) {
			gshmem_uint64_p(go, 1, pe);
			gshmem_quiet();
			while ((count_requests(win) - first) % (GSHMEMI_WIN_FIELD(1) / 2) < (uint64_t)pe)
				;
		}
		t_equal(gshmemx_win_unlock(win, 0), 0, "unlock");
	} else {
		gshmem_uint64_wait_until(go, GSHMEM_CMP_EQ, 1);
		t_equal(gshmemx_win_lock(
				win, is_exclusive ? GSHMEMX_LOCK_EXCLUSIVE : GSHMEMX_LOCK_SHARED, 0, 0),
			0, "lock");
		enter_list(win, me, is_exclusive);
		t_equal(gshmemx_win_unlock(win, 0), 0, "unlock");
	}
	gshmem_barrier_all();
	if (me == 0) {
		t_from_device(&seen, part, sizeof seen);
		t_equal(seen.nentered, npes - 1, "PEs that had the lock");
		for (int i = 0; i < npes - 1; i++) {
			if (all_exclusive || !is_shared(i + 1))
				t_equal(seen.entered[i], i + 1, "who had the lock next");
			else
				t_equal(seen.entered[i] / 3, (i + 1) / 3,
					"who had the lock next, of those that share it");
		}
	}
	gshmem_free(go);
}

/* All at once, many times. */
static void test_contended(gshmemx_win_t win, struct part *part)
{
	enum { NROUNDS = 20 };
	const long one = 1;
	long count;

	if (gshmem_my_pe() == 0)
		t_memset(part, 0, sizeof *part);
	gshmem_barrier_all();
	for (int i = 0; i < NROUNDS; i++) {
		t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_EXCLUSIVE, 0, 0), 0, "lock");
		t_equal(gshmemx_win_long_get(win, &count, AT(nentered), 1, 0), 0, "get");
		gshmemx_win_flush_local(win, 0);
		count += one;
		t_equal(gshmemx_win_long_put(win, AT(nentered), &count, 1, 0), 0, "put");
		t_equal(gshmemx_win_unlock(win, 0), 0, "unlock");
	}
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0)
		t_equal(t_read_u64(&part->nentered), NROUNDS * gshmem_n_pes(),
			"updates under an exclusive lock");
	gshmem_barrier_all();
}

/* More locks than the counters hold. */
static void test_overflow(gshmemx_win_t win)
{
	for (int i = 0; T_IS_CPU && !getenv("GSHMEM_CARRY") && gshmem_my_pe() == 0 && i < NTIMES; i++) {
		gshmemx_win_lock(win, i % 5 ? GSHMEMX_LOCK_EXCLUSIVE : GSHMEMX_LOCK_SHARED, 0, 0);
		gshmemx_win_unlock(win, 0);
	}
}

int main(void)
{
	struct part *part;
	gshmemx_win_t win;

	gshmem_init();
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof *part, 8, (void **)&part, &win), 0,
		"allocate");
	for (int i = 0; i < 2; i++) {
		test_order(win, part, true);
		test_order(win, part, false);
		test_contended(win, part);
		test_overflow(win);
	}
	t_equal(gshmemx_win_free(&win), 0, "free");
	gshmem_finalize();
	return 0;
}
