/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls with a context: the PE number, of the context's team, becomes one of the world, and the call without
 * a context does the rest.
 *
 * A handle is a number in place of a pointer. If the team's PEs lie at one stride, the handle is direct: it
 * holds all that a call needs, so kernels read no table:
 *
 *   bits  0 - 14  which context, counted from 1
 *        15       the handle is direct; else look it up (struct gshmemi_context)
 *        16 - 31  the team's first PE, as a PE of the world
 *        32 - 46  how many contexts have had this number, with this one; 0 for the default context
 *        47 - 63  distance to the next PE, signed
 *
 * First PE and distance each end a 32-bit word, so that one shift extracts either.
 *
 * Nobody looks up a direct handle, so puts and gets still take it when its context has been destroyed. With
 * GSHMEM_CHECK=1, with delayed delivery and with PEs that are reached over the net no handle is direct: every
 * call looks its handle up.
 */
#ifndef GSHMEM_CONTEXT_H
#define GSHMEM_CONTEXT_H

#ifdef GSHMEMI_LIBRARY /* there the calls without a context are exported functions */
#include <gshmem/move/slow.h>
#else
#include <gshmem/move/signal.h>
#include <gshmem/order/sync.h>
#endif

#define GSHMEMI_CTX_SAYS_ALL (1ULL << 15)

/* The number of a handle's context; 0: the default one. */
GSHMEMI_FN uint64_t gshmemi_ctx_index(gshmem_ctx_t ctx)
{
	return ((uint64_t)(uintptr_t)ctx & (GSHMEMI_CTX_SAYS_ALL - 1)) - 1;
}

/* Makes a direct handle. */
GSHMEMI_FN uint64_t gshmemi_ctx_handle(uint64_t index, uint64_t ncreated, int start, int stride)
{
	return (index + 1) | GSHMEMI_CTX_SAYS_ALL | (uint64_t)start << 16 | (ncreated & 0x7fff) << 32 |
		(uint64_t)stride << 47;
}

/* Looks up the context of a handle; a bad handle is a fault. */
GSHMEMI_FN const struct gshmemi_context *gshmemi_ctx_find(gshmem_ctx_t ctx, const char *call, uint64_t caller)
{
	const uint64_t index = gshmemi_ctx_index(ctx);

	if (gshmemi_state.why & GSHMEMI_WHY_UNSET)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_INITIALIZED, -1, NULL, 0, 0, 0, call, caller);
	if (index >= gshmemi_state.ncontexts ||
		gshmemi_state.contexts[index].handle != (uint64_t)(uintptr_t)ctx)
		gshmemi_fault_raise(
			GSHMEMI_FAULT_BAD_CONTEXT, -1, NULL, 0, (uint64_t)(uintptr_t)ctx, 0, call, caller);
	return &gshmemi_state.contexts[index];
}

/*
 * Translates a PE of the context's team to one of the world; it carries the context if the slow
 * path needs that.
 */
GSHMEMI_COLD int gshmemi_ctx_pe_at(gshmem_ctx_t ctx, int pe, const char *call, uint64_t caller)
{
	const struct gshmemi_context *context = gshmemi_ctx_find(ctx, call, caller);
	const int is_in = pe >= 0 && pe < context->npes;
	int world_pe;

	if (!is_in && gshmemi_state.why & GSHMEMI_WHY_CHECK)
		gshmemi_fault_raise(
			GSHMEMI_FAULT_BAD_PE, pe, NULL, 0, (uint64_t)context->npes, 0, call, caller);
	if (!is_in)
		return pe;
	world_pe = context->members ? context->members[pe] : context->start + pe * context->stride;
	if (!(gshmemi_state.why &
		    (GSHMEMI_WHY_CHECK | GSHMEMI_WHY_DELIVERY | GSHMEMI_WHY_CARRY | GSHMEMI_WHY_NET)))
		return world_pe;
	return gshmemi_pe_for(world_pe, (int)gshmemi_ctx_index(ctx));
}

GSHMEMI_FN int gshmemi_ctx_pe(gshmem_ctx_t ctx, int pe, const char *call)
{
	const uint64_t handle = (uint64_t)(uintptr_t)ctx;

	if (__builtin_expect((handle & GSHMEMI_CTX_SAYS_ALL) != 0, 1))
		return (int)((uint32_t)handle >> 16) + pe * (int)((int64_t)handle >> 47);
#ifndef GSHMEMI_LIBRARY
	if (!GSHMEMI_ON_HOST())
		return gshmemi_ctx_pe_at(ctx, pe, call, gshmemi_arch_caller());
#endif
	return gshmemi_host_ctx_pe(ctx, pe, call);
}

/* ---- the API ---- */

#define GSHMEMI_V(PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API void PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		PREFIX##_##NAME(GSHMEMI_UNPACK ARGUMENTS, gshmemi_ctx_pe(ctx, pe, #PREFIX "_ctx_" #NAME)); \
	}
#define GSHMEMI_R(TYPE, PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API TYPE PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		return PREFIX##_##NAME( \
			GSHMEMI_UNPACK ARGUMENTS, gshmemi_ctx_pe(ctx, pe, #PREFIX "_ctx_" #NAME)); \
	}
GSHMEMI_CTX_CALLS
GSHMEMI_CTX_EXTENSIONS
#undef GSHMEMI_V
#undef GSHMEMI_R

GSHMEMI_LONG_DOUBLE_API void gshmem_ctx_longdouble_p(
	gshmem_ctx_t ctx, long double *dest, long double value, int pe)
{
	gshmem_longdouble_p(dest, value, gshmemi_ctx_pe(ctx, pe, "gshmem_ctx_longdouble_p"));
}

GSHMEMI_LONG_DOUBLE_API long double gshmem_ctx_longdouble_g(
	gshmem_ctx_t ctx, const long double *source, int pe)
{
	return gshmem_longdouble_g(source, gshmemi_ctx_pe(ctx, pe, "gshmem_ctx_longdouble_g"));
}

#if GSHMEMI_KERNELS

GSHMEMI_COLD void gshmemi_ctx_check_at(gshmem_ctx_t ctx, const char *call, uint64_t caller)
{
	(void)gshmemi_ctx_find(ctx, call, caller);
}

/* The context's number, for fence and quiet. The handle is not GSHMEM_CTX_INVALID. */
GSHMEMI_FN int gshmemi_ctx_number(gshmem_ctx_t ctx, const char *call)
{
	if (gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		gshmemi_ctx_check_at(ctx, call, gshmemi_arch_caller());
	return (int)gshmemi_ctx_index(ctx);
}

/* pe_quiet, one PE at a time: numbers of the context's team become numbers of the world. */
GSHMEMI_COLD void gshmemi_ctx_quiet_each(
	gshmem_ctx_t ctx, const int *target_pes, size_t npes, const char *call)
{
	size_t i;
	int pe;

	for (i = 0; i < npes; i++) {
		pe = gshmemi_pe_in_world(gshmemi_ctx_pe(ctx, target_pes[i], call));
		gshmemi_quiet(GSHMEMI_THREAD, gshmemi_ctx_number(ctx, call), &pe, 1, call);
	}
}

GSHMEM_API void gshmem_ctx_fence(gshmem_ctx_t ctx)
{
	if (GSHMEMI_ON_HOST())
		gshmemi_host_ctx_order(ctx, 0, NULL, 0, "gshmem_ctx_fence");
	else if (ctx != GSHMEM_CTX_INVALID)
		gshmemi_fence(
			GSHMEMI_THREAD, gshmemi_ctx_number(ctx, "gshmem_ctx_fence"), "gshmem_ctx_fence");
}

GSHMEM_API void gshmem_ctx_quiet(gshmem_ctx_t ctx)
{
	if (GSHMEMI_ON_HOST())
		gshmemi_host_ctx_order(ctx, 1, NULL, 0, "gshmem_ctx_quiet");
	else if (ctx != GSHMEM_CTX_INVALID)
		gshmemi_quiet(GSHMEMI_THREAD, gshmemi_ctx_number(ctx, "gshmem_ctx_quiet"), NULL, 0,
			"gshmem_ctx_quiet");
}

GSHMEM_API void gshmem_ctx_pe_quiet(gshmem_ctx_t ctx, const int *target_pes, size_t npes)
{
	if (ctx == GSHMEM_CTX_INVALID || !npes)
		return;
	if (GSHMEMI_ON_HOST())
		gshmemi_host_ctx_order(ctx, 1, target_pes, npes, "gshmem_ctx_pe_quiet");
	else if (gshmemi_is_slow(
			 GSHMEMI_WHY_LATE | GSHMEMI_WHY_ORDER | GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		gshmemi_ctx_quiet_each(ctx, target_pes, npes, "gshmem_ctx_pe_quiet");
	else
		gshmemi_quiet(GSHMEMI_THREAD, 0, NULL, 0, "gshmem_ctx_pe_quiet");
}

GSHMEM_API void gshmem_ctx_session_start(
	gshmem_ctx_t ctx, long options, const gshmem_ctx_session_config_t *config, long config_mask)
{
	if (GSHMEMI_ON_HOST())
		gshmemi_host_ctx_session(ctx, options, config, config_mask, "gshmem_ctx_session_start");
	else if (ctx != GSHMEM_CTX_INVALID)
		(void)gshmemi_ctx_number(ctx, "gshmem_ctx_session_start");
}

GSHMEM_API void gshmem_ctx_session_stop(gshmem_ctx_t ctx)
{
	if (GSHMEMI_ON_HOST())
		gshmemi_host_ctx_session(ctx, 0, NULL, 0, "gshmem_ctx_session_stop");
	else if (ctx != GSHMEM_CTX_INVALID)
		(void)gshmemi_ctx_number(ctx, "gshmem_ctx_session_stop");
}

#endif /* GSHMEMI_KERNELS */

#endif /* GSHMEM_CONTEXT_H */
