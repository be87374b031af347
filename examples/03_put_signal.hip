/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * A pipeline: PE 0 makes blocks of data. Each PE adds one to every value of a block and passes it on, and the
 * last PE checks it. There is no barrier: a block brings its own signal, and a signal back says that its slot
 * is free again.
 *
 *     gshmemcc -o pipeline 03_put_signal.hip && mpirun -n 4 ./pipeline
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <stdio.h>

#define NBLOCKS 50
#define NELEMS  512
#define NSLOTS  4 /* the most blocks on their way between two PEs */

struct mailbox {
	long slot[NSLOTS][NELEMS]; /* written by the previous PE */
	long work[NELEMS];         /* this PE's own */
	uint64_t filled[NSLOTS];   /* the number of the block in that slot, from 1 */
	uint64_t freed;            /* how many blocks the next PE has taken out of its slots */
	long nwrong;
};

__global__ static void pipeline(struct mailbox *box)
{
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes();

	for (uint64_t block = 0; block < NBLOCKS; block++) {
		const int slot = block % NSLOTS;

		if (pe > 0)
			gshmemx_signal_wait_until_wg(&box->filled[slot], GSHMEM_CMP_EQ, block + 1);
		for (int i = threadIdx.x; i < NELEMS; i += blockDim.x)
			box->work[i] = pe > 0 ? box->slot[slot][i] + 1 : (long)block * NELEMS + i;

		/*
		 * All threads have read their parts of the slot before one of them frees it. Nothing orders
		 * one signal after another, so each slot has a signal of its own, and freed is added to:
		 * sums do not depend on the order.
		 */
		__syncthreads();
		if (pe > 0 && threadIdx.x == 0)
			gshmem_signal_add(&box->freed, 1, pe - 1);
		if (pe + 1 < npes) {
			if (block >= NSLOTS)
				gshmemx_signal_wait_until_wg(&box->freed, GSHMEM_CMP_GE, block + 1 - NSLOTS);
			gshmemx_long_put_signal_wg(box->slot[slot], box->work, NELEMS, &box->filled[slot],
				block + 1, GSHMEM_SIGNAL_SET, pe + 1);
		} else {
			for (int i = threadIdx.x; i < NELEMS; i += blockDim.x)
				if (box->work[i] != (long)block * NELEMS + i + pe)
					atomicAdd((unsigned long long *)&box->nwrong, 1ULL);
		}
	}
}

int main()
{
	gshmem_init();
	const int pe = gshmem_my_pe();
	struct mailbox *box = (struct mailbox *)gshmem_calloc(1, sizeof *box);
	long nwrong;

	hipLaunchKernelGGL(pipeline, dim3(1), dim3(128), 0, 0, box);
	if (hipMemcpy(&nwrong, &box->nwrong, sizeof nwrong, hipMemcpyDeviceToHost) != hipSuccess)
		return 1;
	if (pe == gshmem_n_pes() - 1)
		printf("PE %d: %d blocks came through, %ld values are wrong\n", pe, NBLOCKS, nwrong);
	gshmem_finalize();
	return nwrong != 0;
}
