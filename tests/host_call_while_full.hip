/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* env: GSHMEM_CPU_BLOCKS=8 | GSHMEM_CPU_BLOCKS=8 GSHMEM_CPU_DEVICES=2 */
/*
 * While a kernel fills the GPU and waits for a put of another PE's host, the host's waits, gets, barriers,
 * puts, malloc and free finish, although none of the library's kernels would find room. The kernel runs in
 * the null stream, for which the library must not wait.
 */
#include <gshmem.h>

#include "helpers.h"

enum { NELEMS = 5000, NTHREADS = 64 };

/* Each work-group reports that it runs, and stays until the data has come. */
__global__ void fill(uint64_t *narrived, uint64_t *flag, const uint64_t *data, uint64_t *nwrong)
{
	uint64_t i;

	if (threadIdx.x == 0) {
		gshmem_uint64_atomic_inc(narrived, gshmem_my_pe());
		gshmem_uint64_wait_until(flag, GSHMEM_CMP_EQ, 3);
		for (i = 0; i < NELEMS; i++)
			if (data[i] != i * i)
				gshmem_uint64_atomic_inc(nwrong, gshmem_my_pe());
	}
	__syncthreads();
}

int main()
{
	const unsigned block[3] = {NTHREADS, 1, 1};
	static uint64_t values[NELEMS];
	uint64_t *narrived, *flag, *data, *nwrong;
	unsigned ngroups, i;
	int me, next;

	gshmem_init();
	me = gshmem_my_pe();
	next = (me + 1) % gshmem_n_pes();
	narrived = (uint64_t *)gshmem_calloc(1, sizeof *narrived);
	flag = (uint64_t *)gshmem_calloc(1, sizeof *flag);
	nwrong = (uint64_t *)gshmem_calloc(1, sizeof *nwrong);
	data = (uint64_t *)gshmem_calloc(NELEMS, sizeof *data);
	for (i = 0; i < NELEMS; i++)
		values[i] = (uint64_t)i * i;

	t_equal(gshmemx_collective_launch_limit(reinterpret_cast<const void *>(fill), block, 0, &ngroups), 0,
		"limit");
	void *args[] = {&narrived, &flag, &data, &nwrong};
	t_equal(gshmemx_collective_launch(fill, dim3(ngroups), dim3(NTHREADS), args, 0, NULL), 0, "launch");

	gshmem_uint64_wait_until(narrived, GSHMEM_CMP_EQ, ngroups);
	gshmem_barrier_all(); /* now all GPUs are full */
	t_equal(gshmem_uint64_g(narrived, next), ngroups, "work-groups of the next PE");
	gshmem_free(gshmem_malloc(64));
	gshmem_init();
	gshmem_finalize();
	gshmem_uint64_put_nbi(data, values, 10, next);
	gshmem_uint64_put(data + 10, values + 10, NELEMS - 11, next);
	gshmem_quiet();
	gshmem_uint64_p(flag, 1, next);
	gshmem_uint64_put(data + NELEMS - 1, values + NELEMS - 1, 1, next);
	gshmem_fence();
	gshmem_uint64_p(flag, 3, next);
	gshmem_sync_all();

	t_hip(hipDeviceSynchronize());
	t_equal(gshmem_uint64_g(nwrong, me), 0, "wrong values");
	t_equal(gshmem_uint64_atomic_fetch(narrived, me), ngroups, "an atomic when there is room again");
	gshmem_finalize();
	return 0;
}
