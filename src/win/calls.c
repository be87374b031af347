/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations and epochs on the host: one copy of each body that kernels use, and the exported functions,
 * stamped from the same lists as those of kernels.
 */
#include "win/win.h"

#include <stdlib.h>

#include "device/devmem.h"
#include "op/op.h"

#if !GSHMEMI_ARCH_HOST_DIRECT
#define GSHMEMI_LOCK_PAUSE(polls_p) gshmemi_host_nap(polls_p)

/* The CPU cannot touch this PE's control block, so it copies. */
#define GSHMEMI_WIN_OWN(name, ...) own_##name(__VA_ARGS__)

static uint64_t own_load(const uint64_t *word, const char *call)
{
	uint64_t value;

	gshmemi_devmem_load(&value, word, sizeof value, call);
	return value;
}

static void own_await(const uint64_t *word, uint64_t value, int world_pe, const char *call);

static void own_release(const char *call)
{
	gshmemi_devmem_complete(call);
}
#endif

#define GSHMEMI_BODIES
#include <gshmem/win/calls.h>

#if !GSHMEMI_ARCH_HOST_DIRECT
static void own_await(const uint64_t *word, uint64_t value, int world_pe, const char *call)
{
	uint64_t found, started_ns = 0;
	unsigned polls = 0;

	while (found = own_load(word, call), found < value) {
		gshmemi_host_nap(&polls);
		started_ns = gshmemi_wait_long(
			0, started_ns, word, 8, found, GSHMEM_CMP_GE, value, world_pe, call);
	}
}
#endif

/* ---- elements that their owner updates ---- */

static void carry_elements(const struct gshmemi_elements *e, const void *source, void *old)
{
	struct gshmemi_operation o = gshmemi_describe(GSHMEMI_ACCUMULATE, e->region, e->symmetric, e->pe);

	o.op = (uint8_t)e->op;
	o.kind = (uint8_t)e->kind;
	o.elem_nbytes = (uint8_t)e->elem_nbytes;
	o.fetches = old != NULL;
	gshmemi_find_place(GSHMEMI_REGION_CONTROL, e->lock, &o.sig_region, &o.sig_offset);
	o.local = (void *)(uintptr_t)source;
	o.value = (uintptr_t)old;
	o.nbytes = e->nbytes;
	(void)gshmemi_net_carry(&o);
}

#if GSHMEMI_ARCH_HOST_DIRECT
static void carry_from_anywhere(const struct gshmemi_elements *e, const char *call)
{
	(void)call;
	carry_elements(e, e->source, e->old);
}
#else
/* The CPU may be unable to reach source and old. */
static void carry_from_anywhere(const struct gshmemi_elements *e, const char *call)
{
	char *const bounce = malloc(e->nbytes);

	if (!bounce) {
		gshmemi_error("%s: %zu bytes of host memory: out of memory", call, e->nbytes);
		gshmemi_end(1);
	}
	if (e->op != GSHMEMX_NO_OP)
		gshmemi_devmem_move(bounce, e->source, e->nbytes, false, call);
	carry_elements(e, bounce, e->old ? bounce : NULL);
	if (e->old)
		gshmemi_devmem_move(e->old, bounce, gshmemi_elements_nbytes(e), false, call);
	free(bounce);
}
#endif

void gshmemi_host_elements(const struct gshmemi_elements *e, const char *call)
{
	const uint64_t open = gshmemi_slow_begin(
		GSHMEMI_ACCUMULATE, e->region, e->op, 0, gshmemi_elements_nbytes(e), e->pe, call);

	carry_from_anywhere(e, call);
	gshmemi_trace_end(open);
}

/* ---- the bodies, each once ---- */

/* GSHMEMI_ENTER for calls that return an error. */
#define ENTER(call) \
	do { \
		const int entered = __builtin_expect(!gshmemi_enter_ok(), 0) ? gshmemi_enter_int(call) : 0; \
\
		if (__builtin_expect(entered, 0)) \
			return entered; \
	} while (0)

int gshmemi_host_win_put(gshmemx_win_t win, ptrdiff_t disp, const void *source, size_t nbytes, unsigned align,
	int pe, const char *call)
{
	ENTER(call);
	return gshmemi_win_move(
		GSHMEMI_THREAD, 0, gshmemi_win_make_access(win, disp, pe), source, nbytes, align, call);
}

int gshmemi_host_win_get(gshmemx_win_t win, void *dest, ptrdiff_t disp, size_t nbytes, unsigned align, int pe,
	const char *call)
{
	ENTER(call);
	return gshmemi_win_move(
		GSHMEMI_THREAD, 1, gshmemi_win_make_access(win, disp, pe), dest, nbytes, align, call);
}

static bool is_stride(ptrdiff_t stride, size_t bsize)
{
	return stride > 0 && (size_t)stride >= bsize;
}

/* Refuses strides that gshmem_iput and gshmem_ibput leave undefined. */
int gshmemi_host_win_stride(int is_get, struct gshmemi_win_access to, const void *local,
	struct gshmemi_blocks b, const char *call)
{
	const ptrdiff_t stride = is_get ? b.sst : b.dst, local_stride = is_get ? b.dst : b.sst;
	const struct gshmemi_win_fault fault = {GSHMEMI_FAULT_BAD_ARGUMENT, to.pe, 0, 0,
		(uint64_t)(is_stride(stride, b.bsize) ? local_stride : stride), 0};

	ENTER(call);
	if (!is_stride(stride, b.bsize) || !is_stride(local_stride, b.bsize))
		return gshmemi_win_fail(&fault, call);
	if (is_get)
		return gshmemi_win_stride(GSHMEMI_THREAD, 1, to, local, b, call);
	return gshmemi_win_stride(GSHMEMI_THREAD, 0, to, local, b, call);
}

int gshmemi_host_win_flush(int what, gshmemx_win_t win, int pe, const char *call)
{
	ENTER(call);
	if (__builtin_expect(what == GSHMEMI_WIN_DO_FLUSH, 1))
		return gshmemi_win_flush(GSHMEMI_THREAD, GSHMEMI_WIN_DO_FLUSH, win, pe, call);
	return gshmemi_win_flush(GSHMEMI_THREAD, what, win, pe, call);
}

int gshmemi_host_win_epoch(int what, const struct gshmemi_win_args *args, const char *call)
{
	ENTER(call);
	return gshmemi_win_call(GSHMEMI_THREAD, what, args, call);
}

int gshmemi_host_win_accumulate(struct gshmemi_win_access to, void *result, const void *source, size_t nelems,
	struct gshmemi_win_update u, const char *call)
{
	int rc = 0;

	ENTER(call);
	GSHMEMI_BY_SIZE(u.nbytes,
		rc = gshmemi_win_accumulate(GSHMEMI_THREAD, to, result, source, nelems,
			gshmemi_win_make_update(u.op, u.kind, size), call))
	return rc;
}

int gshmemi_host_win_stride_accumulate(struct gshmemi_win_access to, const void *source,
	struct gshmemi_blocks b, struct gshmemi_win_update u, const char *call)
{
	ENTER(call);
	return gshmemi_win_stride_accumulate(GSHMEMI_THREAD, to, source, b, u, call);
}

void gshmemi_host_win_fetch(struct gshmemi_win_access to, void *old, const void *value, const void *cond,
	struct gshmemi_win_update u, const char *call)
{
	GSHMEMI_ENTER(call);
	gshmemi_win_fetch(to, old, value, cond, u, call);
}

int gshmemi_host_win_move_notify(int is_get, struct gshmemi_win_access to, const void *local, size_t nbytes,
	unsigned align, int notification, const char *call)
{
	ENTER(call);
	return gshmemi_win_move_notify(GSHMEMI_THREAD, is_get, to, local, nbytes, align, notification, call);
}

int gshmemi_host_win_notification(
	int what, gshmemx_win_t win, int notification, uint64_t value, uint64_t *value_p, const char *call)
{
	ENTER(call);
	return gshmemi_win_notification(GSHMEMI_THREAD, what, win, notification, value, value_p, call);
}

int gshmemi_host_win_who(gshmemx_win_t win, int is_npes, const char *call)
{
	ENTER(call);
	return gshmemi_win_who(win, is_npes, call);
}
