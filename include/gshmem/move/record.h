/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_TRACE: operations, and calls of groups, as events. On the host and on the cpu platform the
 * slow path records an operation, where GSHMEM_STATS counts it. Kernels of GPUs record it around the
 * direct path (GSHMEMI_TRACES_DIRECT).
 */
#ifndef GSHMEM_RECORD_H
#define GSHMEM_RECORD_H

#include <gshmem/move/count.h>
#include <gshmem/state/trace.h>

/* gshmemi_way_of reads tables that are far from a GPU: ask it only if a carrier may be in use. */
GSHMEMI_FN int gshmemi_record_is_carried(unsigned region, int pe, int is_amo)
{
	const uint32_t why = GSHMEMI_WHY_PEERS | GSHMEMI_WHY_CARRY | GSHMEMI_WHY_NET;

	if (GSHMEMI_TRACES_DIRECT &&
		(!gshmemi_is_slow(why) || (unsigned)gshmemi_pe_in_world(pe) >= (unsigned)gshmemi_state.npes))
		return 0;
	return gshmemi_way_of(region, pe, is_amo) == GSHMEMI_COUNT_CARRIED;
}

/* Takes what gshmemi_count_one takes. The caller knows that GSHMEM_TRACE is set and nbytes is not 0. */
GSHMEMI_FN uint64_t gshmemi_record_one(
	int what, unsigned region, int op, uint64_t cond, uint64_t nbytes, int pe, const char *call)
{
	uint32_t kind = (uint32_t)gshmemi_kind_of(what, region, op, cond, pe);

	if (gshmemi_record_is_carried(region, pe, gshmemi_is_update(what)))
		kind |= GSHMEMI_TRACE_CARRIED;
	return gshmemi_trace_begin_at(
		gshmemi_trace_what(kind, gshmemi_pe_in_world(pe)), nbytes, 0, 0, call, gshmemi_arch_caller());
}

/*
 * One thread records for its group. On NVIDIA the lanes of its wave may stay parted behind that, and each
 * part would then do what the wave does once. So parts returns the lanes that are together before, and joins
 * brings them together again.
 */
GSHMEMI_FN uint64_t gshmemi_record_parts(int scope)
{
	return GSHMEMI_TRACES_DIRECT && scope != GSHMEMI_THREAD ? gshmemi_arch_wave_enter(0) : 0;
}

GSHMEMI_FN void gshmemi_record_joins(int scope, uint64_t lanes)
{
	if (GSHMEMI_TRACES_DIRECT && scope != GSHMEMI_THREAD)
		gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
}

/* Whether this thread records for its group. Lanes of a wave with different keys make different calls. */
GSHMEMI_FN int gshmemi_record_leads(int scope, uint64_t key)
{
	if (scope == GSHMEMI_WAVE)
		return gshmemi_arch_group_rank(GSHMEMI_WAVE, gshmemi_arch_wave_enter(key)) == 0;
	return scope == GSHMEMI_THREAD || gshmemi_arch_thread_rank() == 0;
}

/*
 * Begin an operation of a GPU's kernel, and return the event for gshmemi_record_end. Takes what
 * gshmemi_count_one takes. Compiles to nothing in units that do not record.
 */
GSHMEMI_FN uint64_t gshmemi_record(int scope, int what, unsigned region, int op, uint64_t cond,
	uint64_t nbytes, int pe, const char *call)
{
	uint64_t lanes, number = 0;

	if (!GSHMEMI_TRACES_DIRECT || GSHMEMI_ON_HOST() || !gshmemi_is_traced())
		return 0;
	lanes = gshmemi_record_parts(scope);
	if (nbytes && gshmemi_record_leads(scope, 0))
		number = gshmemi_record_one(what, region, op, cond, nbytes, pe, call);
	gshmemi_record_joins(scope, lanes);
	return number;
}

/* The same for a put or get, and for an atomic. */
GSHMEMI_FN uint64_t gshmemi_record_move(
	int scope, int what, struct gshmemi_where where, uint64_t nbytes, int pe, const char *call)
{
	return gshmemi_record(scope, what, where.region, 0, 0, nbytes, pe, call);
}

GSHMEMI_FN uint64_t gshmemi_record_amo(
	struct gshmemi_where where, struct gshmemi_update u, int pe, const char *call)
{
	return gshmemi_record(GSHMEMI_THREAD, GSHMEMI_AMO, where.region, u.op, u.cond, u.nbytes, pe, call);
}

GSHMEMI_FN void gshmemi_record_end(int scope, uint64_t number)
{
	uint64_t lanes;

	if (!GSHMEMI_TRACES_DIRECT || GSHMEMI_ON_HOST() || !gshmemi_is_traced())
		return;
	lanes = gshmemi_record_parts(scope);
	gshmemi_trace_end(number);
	gshmemi_record_joins(scope, lanes);
}

/* Begin a barrier, quiet or collective of any kernel. The library's functions record those of the host. */
GSHMEMI_FN uint64_t gshmemi_record_call(int scope, uint64_t key, const char *call)
{
	uint64_t lanes, number = 0;

	if (GSHMEMI_HOST_UNIT || GSHMEMI_ON_HOST() || !gshmemi_is_traced())
		return 0;
	lanes = gshmemi_record_parts(scope);
	if (gshmemi_record_leads(scope, key))
		number = gshmemi_trace_begin_at(
			gshmemi_trace_what(GSHMEMI_TRACE_CALL, -1), 0, 0, 0, call, gshmemi_arch_caller());
	gshmemi_record_joins(scope, lanes);
	return number;
}

GSHMEMI_FN void gshmemi_record_call_end(int scope, uint64_t number)
{
	if (GSHMEMI_TRACES_DIRECT)
		gshmemi_record_end(scope, number);
	else
		gshmemi_trace_end(number);
}

#endif /* GSHMEM_RECORD_H */
