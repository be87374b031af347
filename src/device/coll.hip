/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that the library launches: on a stream, and for the host where the CPU cannot reach the heap.
 * It is a HIP unit like a user's, with its own copy of the device state.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>

#include "device/coll.h"
#include "device/launch.h"

__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1) void gshmemi_coll_kernel(
	struct gshmemi_coll_args args)
{
	switch (args.what) {
	case GSHMEMI_BROADCAST:
		gshmemi_broadcast(GSHMEMI_WG, &args, "gshmem_broadcast");
		break;
	case GSHMEMI_COLLECT:
		gshmemi_collect(GSHMEMI_WG, &args, "gshmem_collect");
		break;
	case GSHMEMI_FCOLLECT:
		gshmemi_fcollect(GSHMEMI_WG, &args, "gshmem_fcollect");
		break;
	case GSHMEMI_ALLTOALL:
		gshmemi_alltoall(GSHMEMI_WG, &args, "gshmem_alltoall");
		break;
	case GSHMEMI_ALLTOALLS:
		gshmemi_alltoalls(GSHMEMI_WG, &args, "gshmem_alltoalls");
		break;
	case GSHMEMI_ALLTOALLV:
		gshmemi_alltoallv(GSHMEMI_WG, &args, "gshmemx_alltoallv");
		break;
	default: /* one call for all reductions and scans, because its code is long */
		gshmemi_reduce(GSHMEMI_WG, &args,
			args.what == GSHMEMI_REDUCE                   ? "gshmem_reduce"
				: args.what == GSHMEMI_REDUCE_SCATTER ? "gshmemx_reduce_scatter"
								      : "gshmem_sum_scan");
		break;
	}
}

hipError_t gshmemi_coll_launch(const struct gshmemi_coll_args *args, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_coll_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, *args);
}

hipError_t gshmemi_coll_load(void)
{
	return gshmemi_load_kernel(reinterpret_cast<const void *>(gshmemi_coll_kernel));
}
