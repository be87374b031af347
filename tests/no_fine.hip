/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_HEAP_SIZE=1m AMDSIM_FINE=0 */
/* timeout: 60 */
/*
 * Where devices have no fine-grained memory, kernels that wait for each other, and their barriers, still see
 * what the other PE wrote: the heap is uncached. The simulator has such devices.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#ifdef __HIP_PLATFORM_AMD__
static void check_kind(const void *memory)
{
	hipPointerAttribute_t attributes;
	int device, has_fine = 0;

	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&has_fine, hipDeviceAttributeFineGrainSupport, device));
	t_hip(hipPointerGetAttributes(&attributes, memory));
	if (!has_fine)
		t_equal(attributes.allocationFlags, 3 /* uncached */, "the flags of the heap's memory");
}
#else
static void check_kind(const void *) {}
#endif

enum { NELEMS = 40, NROUNDS = 20 };

struct memory {
	long data[NELEMS], source[NELEMS];
	uint64_t signal, nwrong;
};

__global__ void exchange_kernel(struct memory *m, int other)
{
	for (long round = 1; round <= NROUNDS; round++) {
		for (int i = threadIdx.x; i < NELEMS; i += blockDim.x)
			m->source[i] = round * NELEMS + i;
		gshmemx_long_put_signal_wg(
			m->data, m->source, NELEMS, &m->signal, (uint64_t)round, GSHMEM_SIGNAL_SET, other);
		gshmemx_signal_wait_until_wg(&m->signal, GSHMEM_CMP_GE, (uint64_t)round);
		for (int i = threadIdx.x; i < NELEMS; i += blockDim.x)
			if (m->data[i] != round * NELEMS + i)
				m->nwrong++;
		gshmemx_barrier_all_wg();
	}
}

int main(void)
{
	struct memory *m;
	uint64_t nwrong;

	gshmem_init();
	m = (struct memory *)gshmem_calloc(1, sizeof *m);
	check_kind(m);
	t_launch(exchange_kernel, 1, 64, m, 1 - gshmem_my_pe());
	t_from_device(&nwrong, &m->nwrong, sizeof nwrong);
	t_equal(nwrong, 0, "elements that the other PE did not put");
	gshmem_free(m);
	gshmem_finalize();
	return 0;
}
