/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* run: -n 1,2,3,8 */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CHECK=1 */
/* delivery: no, it does not delay stores through gshmem_ptr */
/*
 * gshmem_ptr returns addresses for loads and stores, the same on the host and in kernels, and NULL
 * for addresses that are not symmetric and for PEs that do not exist. pe_accessible and
 * addr_accessible agree with it.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#define NELEMS 100

static __global__ void store_and_load(int *dest, const int *source, int *nwrong, void **pointers)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes, i = threadIdx.x;
	int *to = (int *)gshmem_ptr(dest, next);
	const int *from = (const int *)gshmem_ptr(source, next);

	to[i] = me * 1000 + i;
	if (from[i] != next * 7000 + i)
		atomicAdd(nwrong, 1);
	if (i == 0)
		for (int pe = -1; pe <= npes; pe++)
			pointers[pe + 1] = gshmem_ptr(dest + 5, pe);
	gshmem_quiet();
}

/* Addresses that are not symmetric. */
static __global__ void no_pointers(int *local, char *behind, int npes, int *nwrong)
{
	int variable = 0;

	if (gshmem_ptr(NULL, 0) || gshmem_ptr(local, 0) || gshmem_ptr(behind, 0) ||
		gshmem_ptr(&variable, npes - 1) || gshmem_ptr((void *)~(uintptr_t)0, 0))
		atomicAdd(nwrong, 1);
}

int main()
{
	int data[NELEMS], nwrong, *wrong, *local, variable = 0;

	gshmem_init();
	int me = gshmem_my_pe(), npes = gshmem_n_pes(), previous = (me + npes - 1) % npes;
	int *dest = (int *)t_shmalloc(sizeof data), *source = (int *)t_shmalloc(sizeof data);
	void *pointers[32], **device_pointers = (void **)t_hipmalloc(sizeof pointers);
	char *whole = NULL, *behind;

	wrong = (int *)t_hipmalloc(sizeof *wrong);
	local = (int *)t_hipmalloc(sizeof *local);
	t_memset(wrong, 0, sizeof *wrong);
	for (int i = 0; i < NELEMS; i++)
		data[i] = me * 7000 + i;
	t_to_device(source, data, sizeof data);
	t_check(gshmem_ptr(dest, me) == dest, "PE %d: gshmem_ptr of itself: expected %p, got %p", me,
		(void *)dest, gshmem_ptr(dest, me));
	gshmem_barrier_all();
	t_launch(store_and_load, 1, NELEMS, dest, source, wrong, device_pointers);
	gshmem_barrier_all();
	t_from_device(&nwrong, wrong, sizeof nwrong);
	t_check(nwrong == 0, "PE %d: %d loads through gshmem_ptr were wrong", me, nwrong);
	t_from_device(data, dest, sizeof data);
	for (int i = 0; i < NELEMS; i++)
		t_check(data[i] == previous * 1000 + i,
			"PE %d: store through gshmem_ptr: expected %d, got %d", me, previous * 1000 + i,
			data[i]);
	t_from_device(pointers, device_pointers, (npes + 2) * sizeof *pointers);
	for (int pe = -1; pe <= npes; pe++) {
		void *p = gshmem_ptr(dest + 5, pe);
		int there = pe >= 0 && pe < npes;

		t_check(p == pointers[pe + 1], "PE %d: gshmem_ptr for PE %d: %p on the host, %p in a kernel",
			me, pe, p, pointers[pe + 1]);
		t_check(!p == !there, "PE %d: gshmem_ptr for PE %d of %d: %p", me, pe, npes, p);
		t_equal(gshmem_pe_accessible(pe), there, "pe_accessible");
		t_equal(gshmem_addr_accessible(dest + 5, pe), there, "addr_accessible of the heap");
		t_equal(gshmem_addr_accessible(local, pe), 0, "addr_accessible of hipMalloc's memory");
		t_equal(gshmem_addr_accessible(&variable, pe), 0, "addr_accessible of the stack");
		t_equal(gshmem_addr_accessible(NULL, pe), 0, "addr_accessible of NULL");
		for (int other = -1; p && other < pe; other++)
			t_check(p != pointers[other + 1], "PE %d: PEs %d and %d are at the same address", me,
				other, pe);
	}
	t_equal(gshmem_pe_accessible(1 << 20), 0, "pe_accessible of 2^20");
	t_check(!gshmem_ptr(NULL, me) && !gshmem_ptr(local, me) && !gshmem_ptr(&variable, me),
		"gshmem_ptr of an address that is not symmetric");

	/* The heap's first and last byte, and the bytes just outside. */
	whole = (char *)gshmem_ptr(dest, me); /* the first allocation */
	struct gshmemx_heap_usage usage;
	t_equal(gshmemx_heap_stats(&usage), 0, "heap_stats");
	behind = whole + usage.total;
	t_check(gshmem_ptr(behind - 1, me) && !gshmem_ptr(behind, me) && !gshmem_ptr(whole - 1, me),
		"gshmem_ptr at the ends of the heap: %p %p %p", gshmem_ptr(behind - 1, me),
		gshmem_ptr(behind, me), gshmem_ptr(whole - 1, me));
	t_launch(no_pointers, 1, 1, local, behind, npes, wrong);
	t_from_device(&nwrong, wrong, sizeof nwrong);
	t_equal(nwrong, 0, "gshmem_ptr in a kernel of an address that is not symmetric");
	gshmem_finalize();
	return 0;
}
