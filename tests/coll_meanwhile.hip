/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,4 */
/* env: GSHMEM_HEAP_SIZE=1m */
/* timeout: 60 */
/*
 * The host's alltoallv ends while a kernel runs that waits for what the host does next.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

enum { MAX_PES = 16 };

__global__ void wait_kernel(uint64_t *flag)
{
	gshmem_uint64_wait_until(flag, GSHMEM_CMP_EQ, 1);
}

int main(void)
{
	size_t nelems[MAX_PES], displs[MAX_PES];
	hipStream_t stream;
	uint64_t *flag;
	long *dest, *source, got[MAX_PES], own[MAX_PES];

	gshmem_init();
	t_check(gshmem_n_pes() <= MAX_PES, "the test is for at most %d PEs", MAX_PES);
	flag = (uint64_t *)gshmem_calloc(1, sizeof *flag);
	dest = (long *)gshmem_calloc(MAX_PES, sizeof *dest);
	source = (long *)gshmem_calloc(MAX_PES, sizeof *source);
	for (int pe = 0; pe < MAX_PES; pe++) {
		own[pe] = 100 * gshmem_my_pe() + pe;
		nelems[pe] = 1;
		displs[pe] = (size_t)pe;
	}
	t_to_device(source, own, sizeof own);
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	hipLaunchKernelGGL(wait_kernel, dim3(1), dim3(1), 0, stream, flag);
	t_equal(gshmemx_long_alltoallv(GSHMEM_TEAM_WORLD, dest, nelems, displs, source, nelems, displs), 0,
		"alltoallv");
	gshmem_uint64_p(flag, 1, gshmem_my_pe());
	gshmem_quiet();
	t_hip(hipStreamSynchronize(stream));
	t_from_device(got, dest, sizeof got);
	for (int pe = 0; pe < gshmem_n_pes(); pe++)
		t_equal(got[pe], 100 * pe + gshmem_my_pe(), "an element");
	t_hip(hipStreamDestroy(stream));
	gshmem_free(source);
	gshmem_free(dest);
	gshmem_free(flag);
	gshmem_finalize();
	return 0;
}
