/* SPDX-License-Identifier: BSD-3-Clause */
/* GSHMEM_TRACE: operations as events. The slow path records them, where GSHMEM_STATS counts them. */
#ifndef GSHMEM_RECORD_H
#define GSHMEM_RECORD_H

#include <gshmem/move/count.h>
#include <gshmem/state/trace.h>

/* Takes what gshmemi_count_one takes. The caller knows that GSHMEM_TRACE is set and nbytes is not 0. */
GSHMEMI_FN uint64_t gshmemi_record_one(int what, unsigned region, int op, uint64_t cond, uint64_t nbytes,
				       int pe, const char *call)
{
	uint32_t kind = (uint32_t)gshmemi_kind_of(what, region, op, cond, pe);

	if (gshmemi_way_of(region, pe, what == GSHMEMI_AMO) == GSHMEMI_COUNT_CARRIED)
		kind |= GSHMEMI_TRACE_CARRIED;
	return gshmemi_trace_begin_at(gshmemi_trace_what(kind, gshmemi_pe_in_world(pe)), nbytes, 0, 0, call,
				      gshmemi_arch_caller());
}

#endif /* GSHMEM_RECORD_H */
