/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that the library launches: on a stream, and for the host where the CPU cannot reach the heap. A HIP unit like a
 * user's, with its own copy of the device state.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>

#include "device/coll.h"

__global__ void gshmemi_coll_kernel(struct gshmemi_coll_args args)
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
	case GSHMEMI_REDUCE_SCATTER:
		gshmemi_reduce(GSHMEMI_WG, &args, "gshmemx_reduce_scatter");
		break;
	case GSHMEMI_REDUCE:
		gshmemi_reduce(GSHMEMI_WG, &args, "gshmem_reduce");
		break;
	default:
		gshmemi_reduce(GSHMEMI_WG, &args, "gshmem_sum_scan");
		break;
	}
}

/* hipLaunchKernelGGL leaves its error behind, perhaps beside one of the program's own, which stays. */
hipError_t gshmemi_coll_launch(const struct gshmemi_coll_args *args, hipStream_t stream)
{
	const hipError_t earlier = hipPeekAtLastError();
	hipError_t error;

	hipLaunchKernelGGL(gshmemi_coll_kernel, dim3(1), dim3(GSHMEMI_ARCH_OWN_THREADS), 0, stream, *args);
	error = hipPeekAtLastError();
	return error == earlier ? hipSuccess : error;
}
