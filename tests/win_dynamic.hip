/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,3 */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CHECK=1 | GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_DELIVERY=random:1 */
/* platform: cpu */
/* timeout: 120 */
/*
 * Each PE can attach a hundred pieces of memory of several kinds to a dynamic window without the others;
 * other PEs put, get and add to them by address, on the host and in kernels. Overlapping pieces, and memory
 * that is not attached, are refused.
 */
#include <errno.h>
#include <hip/hip_runtime.h>
#include "oracle.h"

#include <gshmemx_win.h>

enum { NPIECES = 100, NELEMS = 12 };

/* What the PEs tell each other. */
struct addresses {
	uint64_t piece[NPIECES];
};

/* Each piece gets NELEMS values, followed by a sum. */
__global__ void put_kernel(gshmemx_win_t win, const struct addresses *theirs, const long *source, int pe)
{
	for (int i = 0; i < NPIECES; i++) {
		gshmemx_win_long_put_wg(win, (ptrdiff_t)theirs->piece[i], source, NELEMS, pe);
		if (t_rank() == 0)
			(void)gshmemx_win_long_fetch_and_op(
				win, (ptrdiff_t)theirs->piece[i] + NELEMS * 8, i, GSHMEMX_SUM, pe);
	}
	gshmemx_win_flush_wg(win, pe);
}

/* Memory of hipMalloc, the host, the heap and the program's variables. */
static char *allocate(int i)
{
	static char variables[NPIECES][256];
	char *memory = NULL;

	switch (i % 4) {
	case 0:
		t_hip(hipMalloc((void **)&memory, 256));
		return memory;
	case 1:
		t_hip(hipHostMalloc((void **)&memory, 256));
		return memory;
	case 2:
		return (char *)t_alloc(256);
	default:
		return variables[i];
	}
}

static void release(int i, char *memory)
{
	if (i % 4 == 0)
		t_hip(hipFree(memory));
	else if (i % 4 == 1)
		t_hip(hipHostFree(memory));
	else if (i % 4 == 2)
		free(memory);
}

static void test_bad_input(gshmemx_win_t win, char *piece)
{
	gshmemx_win_t other;
	long value[2] = {1, 2};

	t_equal(gshmemx_win_attach(win, piece, 8), -EINVAL, "attach twice");
	t_equal(gshmemx_win_attach(win, piece + 100, 1), -EINVAL, "attach of a part");
	t_equal(gshmemx_win_attach(win, piece - 8, 16), -EINVAL, "attach of what overlaps");
	t_equal(gshmemx_win_attach(win, NULL, 16), -EINVAL, "attach of NULL");
	t_equal(gshmemx_win_attach(win, piece + 4, 0), 0, "attach of nothing, inside of what is attached");
	t_equal(gshmemx_win_attach(win, NULL, 0), 0, "attach of nothing at NULL");
	t_equal(gshmemx_win_detach(win, piece + 4), 0, "detach of nothing");
	t_equal(gshmemx_win_detach(win, NULL), 0, "detach of nothing at NULL");
	t_equal(gshmemx_win_detach(win, piece + 4), -ENOENT, "detach of nothing, again");
	t_equal(gshmemx_win_detach(win, piece + 8), -ENOENT, "detach from the middle");
	t_equal(gshmemx_win_long_put(win, (ptrdiff_t)(uintptr_t)piece + 256, value, 1, gshmem_my_pe()),
		-ERANGE, "put behind what is attached");
	t_equal(gshmemx_win_long_put(win, (ptrdiff_t)(uintptr_t)piece + 248, value, 2, gshmem_my_pe()),
		-ERANGE, "put of too much");
	t_equal(gshmemx_win_nbytes(win, 0), 0, "nbytes");
	t_check(!gshmemx_win_ptr(win, 0), "a dynamic window has an address");
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, NULL, 0, 1, &other), 0, "create");
	t_equal(gshmemx_win_attach(other, piece, 8), -EINVAL, "attach to another window");
	t_equal(gshmemx_win_free(&other), 0, "free");
}

int main(void)
{
	static struct addresses mine;
	static char *pieces[NPIECES];
	struct addresses *all, *theirs;
	static long seen[NELEMS + 1];
	long *source, got;
	gshmemx_win_t win;
	int me, npes, next, previous;

	if (!GSHMEMI_ARCH_HOST_DIRECT)
		setenv("GSHMEM_NET", "1", 1);
	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	next = (me + 1) % npes;
	previous = (me + npes - 1) % npes;
	t_equal(gshmemx_win_create_dynamic(GSHMEM_TEAM_WORLD, &win), 0, "create_dynamic");
	for (int i = 0; i < NPIECES; i++) {
		pieces[i] = allocate(i);
		mine.piece[i] = (uintptr_t)pieces[i];
		t_equal(gshmemx_win_attach(win, pieces[i], 256), 0, "attach");
	}
	all = (struct addresses *)t_shmalloc(sizeof *all);
	t_hip(hipHostMalloc((void **)&theirs, sizeof *theirs));
	t_hip(hipHostMalloc((void **)&source, NELEMS * sizeof *source));
	gshmem_putmem(all, &mine, sizeof mine, previous);
	gshmem_barrier_all();
	t_from_device(theirs, all, sizeof *theirs);
	for (int round = 1; round <= 2; round++) {
		for (int i = 0; i < NPIECES; i++)
			t_memset(pieces[i], 0, 256);
		for (int i = 0; i < NELEMS; i++)
			source[i] = 1000 * me + i + round;
		gshmem_barrier_all();
		t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_EXCLUSIVE, next, 0), 0, "lock");
		if (round == 1) {
			t_launch(put_kernel, 1, 32, win, (const struct addresses *)theirs,
				(const long *)source, next);
		} else {
			for (int i = 0; i < NPIECES; i++) {
				t_equal(gshmemx_win_long_put(
						win, (ptrdiff_t)theirs->piece[i], source, NELEMS, next),
					0, "put");
				got = i;
				t_equal(gshmemx_win_long_accumulate(win,
						(ptrdiff_t)theirs->piece[i] + NELEMS * 8, &got, 1,
						GSHMEMX_SUM, next),
					0, "accumulate");
			}
			t_equal(gshmemx_win_flush(win, next), 0, "flush");
			t_equal(gshmemx_win_long_get(win, &got, (ptrdiff_t)theirs->piece[7] + 8, 1, next), 0,
				"get");
			t_equal(gshmemx_win_flush_local(win, next), 0, "flush_local");
			t_equal(got, source[1], "get");
		}
		t_equal(gshmemx_win_unlock(win, next), 0, "unlock");
		gshmem_barrier_all();
		for (int i = 0; i < NPIECES; i++) {
			t_hip(hipMemcpy(seen, pieces[i], sizeof seen, hipMemcpyDefault));
			for (int k = 0; k < NELEMS; k++)
				t_equal(seen[k], 1000 * previous + k + round, "put");
			t_equal(seen[NELEMS], i, "the sum");
		}
		gshmem_barrier_all();
	}
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	test_bad_input(win, pieces[5]);
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	for (int i = 0; i < NPIECES; i++) {
		t_equal(gshmemx_win_detach(win, pieces[i]), 0, "detach");
		release(i, pieces[i]);
	}
	t_equal(gshmemx_win_detach(win, pieces[0]), -ENOENT, "detach twice");
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipHostFree(source));
	t_hip(hipHostFree(theirs));
	gshmem_finalize();
	return 0;
}
