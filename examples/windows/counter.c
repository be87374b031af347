/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * PEs take pieces of work from a counter of PE 0 until none is left, and tell PE 0 who had the largest
 * result: fetch_and_op and MAXLOC, within one epoch of lock_all.
 */
#include <gshmem.h>
#include <gshmemx_win.h>
#include <stdio.h>

enum { NPIECES = 1000 };

/* The window of PE 0. */
struct shared {
	long next; /* piece of work */
	long ndone;
	gshmemx_float_int_t largest; /* and its PE */
};
enum { NEXT, NDONE, LARGEST }; /* displacements, in 8 bytes */

static float work_on(long piece)
{
	return (float)(piece * 7919 % NPIECES);
}

int main(void)
{
	gshmemx_float_int_t mine = {-1, 0}, largest = {-1, 0};
	const long one = 1, zeros[2] = {0, 0};
	long piece, ndone = 0;
	gshmemx_win_t win;
	int is_wrong = 0;
	void *memory;

	gshmem_init();
	mine.index = gshmem_my_pe();
	gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof(struct shared), sizeof(long), &memory, &win);
	gshmemx_win_lock_all(win, 0);
	gshmemx_win_long_put(win, NEXT, zeros, 2, gshmem_my_pe());
	gshmemx_win_putmem(win, LARGEST, &largest, sizeof largest, gshmem_my_pe());
	gshmemx_win_flush_all(win);
	gshmem_barrier_all();

	while ((piece = gshmemx_win_long_fetch_and_op(win, NEXT, 1, GSHMEMX_SUM, 0)) < NPIECES) {
		if (work_on(piece) > mine.value)
			mine.value = work_on(piece);
		gshmemx_win_long_accumulate(win, NDONE, &one, 1, GSHMEMX_SUM, 0);
	}
	gshmemx_win_float_int_accumulate(win, LARGEST, &mine, 1, GSHMEMX_MAXLOC, 0);
	gshmemx_win_unlock_all(win);
	gshmem_barrier_all();

	if (gshmem_my_pe() == 0) {
		gshmemx_win_lock(win, GSHMEMX_LOCK_EXCLUSIVE, 0, 0);
		gshmemx_win_long_get(win, &ndone, NDONE, 1, 0);
		gshmemx_win_getmem(win, &largest, LARGEST, sizeof largest, 0);
		gshmemx_win_unlock(win, 0);
		is_wrong = ndone != NPIECES || largest.value != NPIECES - 1;
		printf("%ld pieces done, the largest result is %g, by PE %d%s\n", ndone, largest.value,
			largest.index, is_wrong ? ": wrong" : "");
	}
	gshmemx_win_free(&win);
	gshmem_finalize();
	return is_wrong;
}
