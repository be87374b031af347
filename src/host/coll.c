/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on the host: the exported functions. Where the CPU can reach the heap they run the bodies that
 * kernels use. Where it cannot, the library launches one work-group that makes the call (device/coll.hip).
 */
#include "base/base.h"

#define GSHMEMI_BODIES
#include <gshmem/coll/coll_calls.h>
#include <stdlib.h>
#include <string.h>

#include "device/coll.h"
#include "device/devmem.h"
#include "team/team.h"
#include "trace/trace.h"
#include "win/pool.h"

#if GSHMEMI_ARCH_HOST_DIRECT

static int call_body(struct gshmemi_coll_args *args, const char *call)
{
	switch (args->what) {
	case GSHMEMI_BROADCAST:
		return gshmemi_broadcast(GSHMEMI_THREAD, args, call);
	case GSHMEMI_COLLECT:
		return gshmemi_collect(GSHMEMI_THREAD, args, call);
	case GSHMEMI_FCOLLECT:
		return gshmemi_fcollect(GSHMEMI_THREAD, args, call);
	case GSHMEMI_ALLTOALL:
		return gshmemi_alltoall(GSHMEMI_THREAD, args, call);
	case GSHMEMI_ALLTOALLS:
		return gshmemi_alltoalls(GSHMEMI_THREAD, args, call);
	case GSHMEMI_ALLTOALLV:
		return gshmemi_alltoallv(GSHMEMI_THREAD, args, call);
	default:
		return gshmemi_reduce(GSHMEMI_THREAD, args, call);
	}
}

#else /* the CPU cannot reach the heap */

/*
 * Kernels may not be able to read the caller's four arrays, so they get copies in pinned memory, [4][npes].
 * It comes from the pool, which keeps it: to free pinned memory HIP waits for all running kernels, and one
 * may wait for what this thread does next.
 */
static void call_with_arrays(struct gshmemi_coll_args args, int npes, const char *call)
{
	const size_t n = (size_t)npes, nbytes = n * sizeof(size_t);
	size_t *copy;
	void *ptr;

	if (gshmemi_pool_alloc(GSHMEMI_POOL_PINNED, 4 * nbytes, "arguments of a collective", &ptr))
		gshmemi_end(1);
	copy = ptr;
	memcpy(copy, args.dest_nelems, nbytes);
	memcpy(copy + n, args.dest_displs, nbytes);
	memcpy(copy + 2 * n, args.source_nelems, nbytes);
	memcpy(copy + 3 * n, args.source_displs, nbytes);
	args.dest_nelems = copy;
	args.dest_displs = copy + n;
	args.source_nelems = copy + 2 * n;
	args.source_displs = copy + 3 * n;
	gshmemi_devmem_run(gshmemi_coll_launch, &args, call);
	gshmemi_pool_free(GSHMEMI_POOL_PINNED, copy);
}

/*
 * dest may be the same memory as source: dest is written only after the second sync, when all PEs have
 * read their source.
 */
static void fold_long_doubles(
	const struct gshmemi_coll_args *args, const struct gshmemi_team_view *team, const char *call)
{
	const bool is_scatter = args->what == GSHMEMI_REDUCE_SCATTER,
		   is_exclusive = args->what == GSHMEMI_EXSCAN;
	const int end =
		is_exclusive || args->what == GSHMEMI_INSCAN ? team->my_pe + !is_exclusive : team->npes;
	const size_t nbytes = args->nelems * args->elem_nbytes,
		     at = is_scatter ? nbytes * (size_t)team->my_pe : 0;
	const char *source = (const char *)args->source + at;
	void *acc = calloc(nbytes ? nbytes : 1, 1), *x = malloc(nbytes ? nbytes : 1);
	int pe;

	if (!acc || !x) { /* the other PEs are already waiting in the collective, and cannot be told */
		gshmemi_error("%s: %zu bytes of host memory: out of memory", call, 2 * nbytes);
		gshmemi_end(1);
	}
	gshmemi_host_fence(0, call);
	gshmemi_sync_host_team(team, NULL, call);
	for (pe = 0; pe < end; pe++) {
		gshmemi_host_get(GSHMEMI_REGION_HEAP, pe ? x : acc, source,
			gshmemi_make_extent(nbytes, 16, 0), gshmemi_team_to_world(team, pe), call);
		if (pe)
			gshmemi_fold(args->fold, acc, x, nbytes);
	}
	gshmemi_sync_host_team(team, NULL, call);
	if (gshmemi_devmem_copy(args->dest, acc, nbytes, call))
		gshmemi_end(1);
	free(acc);
	free(x);
}

/* GPUs cannot compute with long double, so the CPU reduces it. */
static int call_body(struct gshmemi_coll_args *args, const char *call)
{
	const struct gshmemi_team_view *team = gshmemi_team_find(args->team, call);

	if (args->what >= GSHMEMI_REDUCE && (args->fold & 0xff) == GSHMEMI_KIND_LONG_DOUBLE)
		fold_long_doubles(args, team, call);
	else if (args->what == GSHMEMI_ALLTOALLV)
		call_with_arrays(*args, team->npes, call);
	else
		gshmemi_devmem_run(gshmemi_coll_launch, args, call);
	return 0;
}

#endif

int gshmemi_host_coll(struct gshmemi_coll_args *args, const char *call)
{
	uint64_t open;
	int rc;

	GSHMEMI_ENTER_COLLECTIVE(call);
	if (args->team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	(void)gshmemi_team_find(args->team, call);
	open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);
	rc = call_body(args, call);
	gshmemi_trace_end(open);
	return rc;
}
