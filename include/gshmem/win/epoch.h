/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The epochs of a window. One thread of a call changes the PE's epoch and writes to the other PEs' control
 * blocks. At the end of an epoch, every thread of the call first completes the operations that it has open.
 *
 *   fence            a barrier of the window's PEs, over the window's own struct gshmemi_sync
 *   post, start      an exposing PE counts its posts in a flag on each accessing PE; start waits until the
 *                    flag has reached the number of epochs
 *   complete, wait   the same in the other direction
 *   lock             tickets, in one word of the target:
 *
 *     bits  0-14  requests made
 *          16-30  locks given back
 *          32-46  exclusive requests
 *          48-62  exclusive locks given back
 *
 *   A request for a shared lock adds 1 to the first field, for an exclusive lock also 1 to the third. The old
 *   values of these fields are the request's ticket, and the number of exclusive requests before it.
 *
 *   An exclusive lock is granted when all locks that were requested before it have been given back; a shared
 *   one when all exclusive locks before it have. So requests are served in order, and adjacent shared ones
 *   together. Fields count modulo 2^15. The bit above each field takes its carry, which the PE whose addition
 *   made it removes again, long before the next carry.
 */
#ifndef GSHMEM_WIN_EPOCH_H
#define GSHMEM_WIN_EPOCH_H

#include <gshmem/order/lock.h>
#include <gshmem/win/win.h>

/* The region in which words of control blocks are updated by atomics. */
GSHMEMI_FN struct gshmemi_where gshmemi_win_words(void)
{
	return gshmemi_in_region(GSHMEMI_REGION_CONTROL);
}

/*
 * How the one thread waits for a flag in this PE's control block, reads one, and releases. Where the CPU
 * cannot touch the control block, src/win/calls.c has other functions.
 */
#ifndef GSHMEMI_WIN_OWN
#define GSHMEMI_WIN_OWN(name, ...) gshmemi_win_##name(__VA_ARGS__)

GSHMEMI_FN void gshmemi_win_await(const uint64_t *word, uint64_t value, int world_pe, const char *call)
{
	(void)gshmemi_wait(word, 8, 0, GSHMEM_CMP_GE, value, world_pe, call);
}

GSHMEMI_FN uint64_t gshmemi_win_load(const uint64_t *word, const char *call)
{
	(void)call;
	return gshmemi_arch_load(word, 8);
}

/*
 * All that the one thread has written, also to this PE's memory, is visible before the flags that
 * it writes next.
 */
GSHMEMI_FN void gshmemi_win_release(const char *call)
{
	(void)call;
	gshmemi_complete(GSHMEMI_CTX_LIBRARY);
}
#endif

/* Called after a test that found nothing: the caller will test again. */
GSHMEMI_FN void gshmemi_win_looked(void)
{
	unsigned polls = GSHMEMI_WAIT_POLLS - 1; /* as in gshmemi_test */

	if (GSHMEMI_ON_HOST()) {
#ifdef GSHMEMI_LIBRARY
		gshmemi_host_looked();
#endif
		return;
	}
	gshmemi_attend();
	gshmemi_wait_pause(&polls, -1);
}

/*
 * Out of line like GSHMEMI_COLD, but not cold: a function that always calls a cold one counts as cold itself.
 */
#if GSHMEMI_KERNELS
#define GSHMEMI_WIN_APART static __host__ __device__ __attribute__((noinline, unused))
#else
#define GSHMEMI_WIN_APART static __attribute__((noinline, unused))
#endif

/* ---- locks ---- */

#define GSHMEMI_WIN_FIELD(i)    (1ULL << (i) * (GSHMEMI_TURN_NBITS + 1))
#define GSHMEMI_WIN_TICKET      GSHMEMI_WIN_FIELD(0)
#define GSHMEMI_WIN_GIVEN       GSHMEMI_WIN_FIELD(1)
#define GSHMEMI_WIN_REQUESTED_X GSHMEMI_WIN_FIELD(2)
#define GSHMEMI_WIN_GIVEN_X     GSHMEMI_WIN_FIELD(3)
#define GSHMEMI_WIN_MOST_PES    ((1 << GSHMEMI_TURN_NBITS) - 1) /* PEs that may wait for a lock */

/* Bits of struct gshmemi_win_target.lock. */
#define GSHMEMI_WIN_LOCKED    1U
#define GSHMEMI_WIN_EXCLUSIVE 2U
#define GSHMEMI_WIN_UNCHECKED 4U

/*
 * Add 1 to the fields that increments names, and remove the carry of one that overflows. Returns
 * the old word.
 */
GSHMEMI_FN uint64_t gshmemi_win_count(
	const struct gshmemi_win *w, uint64_t increments, int pe, const char *call)
{
	const uint64_t most = (1ULL << GSHMEMI_TURN_NBITS) - 1;
	const int world_pe = w->parts[pe].world_pe;
	const uint64_t found = gshmemi_amo(gshmemi_win_words(), &w->control->lock,
		gshmemi_make_update(GSHMEMI_AMO_ADD, increments, 0, 8, 1), world_pe, call);
	uint64_t carries = 0;
	unsigned i;

	for (i = 0; i < 4; i++)
		if (increments & GSHMEMI_WIN_FIELD(i) && (found / GSHMEMI_WIN_FIELD(i) & most) == most)
			carries += GSHMEMI_WIN_FIELD(i) << GSHMEMI_TURN_NBITS;
	if (carries)
		(void)gshmemi_amo(gshmemi_win_words(), &w->control->lock,
			gshmemi_make_update(GSHMEMI_AMO_ADD, 0 - carries, 0, 8, 0), world_pe, call);
	return found;
}

GSHMEMI_FN void gshmemi_win_lock_one(const struct gshmemi_win *w, int is_exclusive, int pe, const char *call)
{
	const uint32_t most = (1U << GSHMEMI_TURN_NBITS) - 1;
	const uint64_t found = gshmemi_win_count(
		w, GSHMEMI_WIN_TICKET | (is_exclusive ? GSHMEMI_WIN_REQUESTED_X : 0), pe, call);
	const uint32_t turn = (uint32_t)(is_exclusive ? found : found / GSHMEMI_WIN_REQUESTED_X) & most;

	gshmemi_turn_await(gshmemi_win_words(), &w->control->lock,
		is_exclusive ? GSHMEMI_TURN_EXCLUSIVE : GSHMEMI_TURN_SHARED, turn, found,
		w->parts[pe].world_pe, call);
}

GSHMEMI_FN void gshmemi_win_unlock_one(const struct gshmemi_win *w, uint32_t lock, int pe, const char *call)
{
	if (!(lock & GSHMEMI_WIN_UNCHECKED))
		(void)gshmemi_win_count(w,
			GSHMEMI_WIN_GIVEN | (lock & GSHMEMI_WIN_EXCLUSIVE ? GSHMEMI_WIN_GIVEN_X : 0), pe,
			call);
}

/* Update the PE's epoch after a target was locked (change 1) or unlocked (-1). */
GSHMEMI_FN void gshmemi_win_set_locked(struct gshmemi_win_epoch *e, int change, int is_unchecked)
{
	e->nlocked += (uint32_t)change;
	e->nlocked_unchecked += (uint32_t)(is_unchecked ? change : 0);
	if (!e->nlocked)
		e->state = GSHMEMI_WIN_NONE;
	else
		e->state = e->nlocked == e->nlocked_unchecked ? GSHMEMI_WIN_LOCK_NO_CHECK : GSHMEMI_WIN_LOCK;
}

/* ---- what is allowed when ---- */

/* All assertions. Each call takes each of them, as in MPI, and ignores those that mean nothing to it. */
#define GSHMEMI_WIN_MODES \
	(GSHMEMX_MODE_NOCHECK | GSHMEMX_MODE_NOSTORE | GSHMEMX_MODE_NOPUT | GSHMEMX_MODE_NOPRECEDE | \
		GSHMEMX_MODE_NOSUCCEED)

/* Whether a group names PEs of the window, and none twice. */
GSHMEMI_FN int gshmemi_win_is_group(
	const struct gshmemi_win *w, int npes, const int *pes, struct gshmemi_win_fault *fault)
{
	int i, k, pe;

	for (i = 0; i < npes && !fault->kind; i++) {
		pe = pes[i];
		if (pe < 0 || pe >= w->npes) {
			fault->kind = GSHMEMI_FAULT_BAD_PE;
			fault->found = (uint64_t)w->npes;
			fault->pe = pe;
		}
		for (k = 0; k < i && !fault->kind; k++)
			if (pes[k] == pe)
				fault->kind = GSHMEMI_FAULT_BAD_ARGUMENT, fault->found = (uint64_t)pe;
	}
	if (npes < 0)
		fault->kind = GSHMEMI_FAULT_BAD_ARGUMENT, fault->found = (uint64_t)npes;
	return !fault->kind;
}

/* Whether the PE's epoch allows the call. */
GSHMEMI_FN int gshmemi_win_allows(const struct gshmemi_win *w, int what, int pe, int assertion)
{
	const struct gshmemi_win_epoch *e = w->epoch;
	const int is_idle = e->state == GSHMEMI_WIN_NONE || e->state == GSHMEMI_WIN_FENCE;
	const int has_locks = e->state == GSHMEMI_WIN_LOCK || e->state == GSHMEMI_WIN_LOCK_NO_CHECK;

	switch (what) {
	case GSHMEMI_WIN_DO_FENCE:
		return is_idle ||
			(e->state == GSHMEMI_WIN_FENCE_EPOCH && !(assertion & GSHMEMX_MODE_NOPRECEDE));
	case GSHMEMI_WIN_DO_POST:
		return is_idle || (e->state == GSHMEMI_WIN_PSCW && !e->is_exposing);
	case GSHMEMI_WIN_DO_START:
		return is_idle || (e->state == GSHMEMI_WIN_PSCW && !e->is_accessing);
	case GSHMEMI_WIN_DO_COMPLETE:
		return e->state == GSHMEMI_WIN_PSCW && e->is_accessing;
	case GSHMEMI_WIN_DO_WAIT:
	case GSHMEMI_WIN_DO_TEST:
		return e->state == GSHMEMI_WIN_PSCW && e->is_exposing;
	case GSHMEMI_WIN_DO_LOCK:
		return !(w->flags & GSHMEMI_WIN_NO_LOCKS) && (is_idle || (has_locks && !e->target[pe].lock));
	case GSHMEMI_WIN_DO_UNLOCK:
		return has_locks && e->target[pe].lock;
	case GSHMEMI_WIN_DO_LOCK_ALL:
		return !(w->flags & GSHMEMI_WIN_NO_LOCKS) && is_idle;
	case GSHMEMI_WIN_DO_UNLOCK_ALL:
		return e->state == GSHMEMI_WIN_LOCK_ALL || e->state == GSHMEMI_WIN_LOCK_ALL_NO_CHECK;
	case GSHMEMI_WIN_DO_FLUSH:
	case GSHMEMI_WIN_DO_FLUSH_LOCAL:
		return gshmemi_win_may_access(w, pe);
	case GSHMEMI_WIN_DO_FLUSH_ALL:
	case GSHMEMI_WIN_DO_FLUSH_LOCAL_ALL:
		return e->state != GSHMEMI_WIN_NONE && (e->state != GSHMEMI_WIN_PSCW || e->is_accessing);
	default:
		return 1;
	}
}

GSHMEMI_FN int gshmemi_win_names_pe(int what)
{
	return what == GSHMEMI_WIN_DO_LOCK || what == GSHMEMI_WIN_DO_UNLOCK || what == GSHMEMI_WIN_DO_FLUSH ||
		what == GSHMEMI_WIN_DO_FLUSH_LOCAL;
}

/* Whether a call waits for what other PEs write to the window. */
GSHMEMI_FN int gshmemi_win_is_exposed_by(int what)
{
	return what == GSHMEMI_WIN_DO_FENCE || what == GSHMEMI_WIN_DO_WAIT || what == GSHMEMI_WIN_DO_TEST;
}

/* Out of line, like gshmemi_win_do: kernels call these rarely, and would pay for every inlined copy. */
GSHMEMI_WIN_APART void gshmemi_win_judge_epoch(const struct gshmemi_win *w, int what,
	const struct gshmemi_win_args *args, struct gshmemi_win_fault *fault)
{
	const int pe = gshmemi_win_names_pe(what) ? (args->pe == -1 ? -2 : args->pe) : -1;

	if (gshmemi_win_is_bad(w, args->win, pe, fault))
		return;
	if (what == GSHMEMI_WIN_DO_LOCK && args->type != GSHMEMX_LOCK_SHARED &&
		args->type != GSHMEMX_LOCK_EXCLUSIVE) {
		fault->kind = GSHMEMI_FAULT_BAD_ARGUMENT;
		fault->found = (uint64_t)args->type;
	} else if (args->assertion & ~GSHMEMI_WIN_MODES) {
		fault->kind = GSHMEMI_FAULT_BAD_ARGUMENT;
		fault->found = (uint64_t)args->assertion;
	} else if (!gshmemi_win_allows(w, what, pe, args->assertion)) {
		fault->kind = GSHMEMI_FAULT_WRONG_EPOCH;
		fault->pe = pe;
		fault->found = w->epoch->state;
	} else if (!GSHMEMI_IS_LIBRARY && w->flags & GSHMEMI_WIN_SEPARATE &&
		gshmemi_win_is_exposed_by(what)) {
		fault->kind = GSHMEMI_FAULT_SEPARATE_WINDOW;
	} else if (what == GSHMEMI_WIN_DO_POST || what == GSHMEMI_WIN_DO_START) {
		(void)gshmemi_win_is_group(w, args->npes, args->pes, fault);
	}
}

/* ---- by one thread ---- */

#ifdef GSHMEMI_LIBRARY
void gshmemi_win_host_meet(
	const struct gshmemi_win *w, int is_released, const char *call); /* src/win/window.c */
#endif

/*
 * A barrier of the window's PEs. is_released: the caller's threads have completed their writes,
 * as quiet does.
 */
GSHMEMI_FN void gshmemi_win_meet(const struct gshmemi_win *w, int is_released, const char *call)
{
#ifdef GSHMEMI_LIBRARY
	gshmemi_win_host_meet(w, is_released, call);
#else
	const struct gshmemi_team_view view = gshmemi_team_view_of(gshmemi_win_sync(w->control));

	gshmemi_team_claim(&view, call);
	gshmemi_disseminate(&view, NULL, is_released, call);
	gshmemi_team_release(&view);
#endif
}

GSHMEMI_FN void gshmemi_win_post(
	const struct gshmemi_win *w, const struct gshmemi_win_args *args, const char *call)
{
	struct gshmemi_win_epoch *e = w->epoch;
	struct gshmemi_win_target *t;
	int i;

	GSHMEMI_WIN_OWN(release, call);
	for (i = 0; i < args->npes; i++) {
		t = &e->target[args->pes[i]];
		t->is_exposed = 1;
		t->nexposed++;
		if (!(args->assertion & GSHMEMX_MODE_NOCHECK))
			gshmemi_sync_tell(&w->control->flag[w->my_pe], ++t->nposted,
				w->parts[args->pes[i]].world_pe, call);
	}
	e->is_exposing = 1;
	e->state = GSHMEMI_WIN_PSCW;
}

GSHMEMI_FN void gshmemi_win_start(
	const struct gshmemi_win *w, const struct gshmemi_win_args *args, const char *call)
{
	struct gshmemi_win_epoch *e = w->epoch;
	struct gshmemi_win_target *t;
	int i;

	for (i = 0; i < args->npes; i++) {
		t = &e->target[args->pes[i]];
		t->is_accessed = 1;
		if (!(args->assertion & GSHMEMX_MODE_NOCHECK))
			GSHMEMI_WIN_OWN(await, &w->control->flag[args->pes[i]], ++t->nstarted,
				w->parts[args->pes[i]].world_pe, call);
	}
	e->is_accessing = 1;
	e->state = GSHMEMI_WIN_PSCW;
}

GSHMEMI_FN void gshmemi_win_end_pscw(struct gshmemi_win_epoch *e)
{
	if (!e->is_accessing && !e->is_exposing)
		e->state = GSHMEMI_WIN_NONE;
}

GSHMEMI_FN void gshmemi_win_complete(const struct gshmemi_win *w, const char *call)
{
	struct gshmemi_win_target *t = w->epoch->target;
	int pe;

	GSHMEMI_WIN_OWN(release, call);
	for (pe = 0; pe < w->npes; pe++, t++) {
		if (!t->is_accessed)
			continue;
		t->is_accessed = 0;
		gshmemi_sync_tell(
			&w->control->flag[w->npes + w->my_pe], ++t->ncompleted, w->parts[pe].world_pe, call);
	}
	w->epoch->is_accessing = 0;
	gshmemi_win_end_pscw(w->epoch);
}

/* is_test: only look. Returns 0 if some PE has not completed. */
GSHMEMI_FN int gshmemi_win_wait(const struct gshmemi_win *w, int is_test, const char *call)
{
	const uint64_t *flag = &w->control->flag[w->npes];
	struct gshmemi_win_target *t = w->epoch->target;
	int pe;

	for (pe = 0; pe < w->npes; pe++) {
		if (!t[pe].is_exposed)
			continue;
		if (!is_test)
			GSHMEMI_WIN_OWN(await, &flag[pe], t[pe].nexposed, w->parts[pe].world_pe, call);
		else if (GSHMEMI_WIN_OWN(load, &flag[pe], call) < t[pe].nexposed)
			return 0;
	}
	for (pe = 0; pe < w->npes; pe++)
		t[pe].is_exposed = 0;
	w->epoch->is_exposing = 0;
	gshmemi_win_end_pscw(w->epoch);
	return 1;
}

/* All that one thread does for its PE. Operations that the call completes are complete already. */
GSHMEMI_WIN_APART void gshmemi_win_do(
	const struct gshmemi_win *w, int what, const struct gshmemi_win_args *args, const char *call)
{
	const int is_unchecked = (args->assertion & GSHMEMX_MODE_NOCHECK) != 0;
	struct gshmemi_win_epoch *e = w->epoch;
	struct gshmemi_win_target *t = e->target;
	int pe;

	switch (what) {
	case GSHMEMI_WIN_DO_FENCE:
		if (!(args->assertion & GSHMEMX_MODE_NOPRECEDE) ||
			!(args->assertion & GSHMEMX_MODE_NOSUCCEED))
			gshmemi_win_meet(w, !(args->assertion & GSHMEMX_MODE_NOPRECEDE), call);
		e->state = args->assertion & GSHMEMX_MODE_NOSUCCEED ? GSHMEMI_WIN_NONE : GSHMEMI_WIN_FENCE;
		break;
	case GSHMEMI_WIN_DO_POST:
		gshmemi_win_post(w, args, call);
		break;
	case GSHMEMI_WIN_DO_START:
		gshmemi_win_start(w, args, call);
		break;
	case GSHMEMI_WIN_DO_COMPLETE:
		gshmemi_win_complete(w, call);
		break;
	case GSHMEMI_WIN_DO_WAIT:
		(void)gshmemi_win_wait(w, 0, call);
		break;
	case GSHMEMI_WIN_DO_TEST:
		(void)gshmemi_win_wait(w, 1, call);
		break;
	case GSHMEMI_WIN_DO_LOCK:
		if (!is_unchecked)
			gshmemi_win_lock_one(w, args->type == GSHMEMX_LOCK_EXCLUSIVE, args->pe, call);
		t[args->pe].lock = GSHMEMI_WIN_LOCKED |
			(args->type == GSHMEMX_LOCK_EXCLUSIVE ? GSHMEMI_WIN_EXCLUSIVE : 0) |
			(is_unchecked ? GSHMEMI_WIN_UNCHECKED : 0);
		gshmemi_win_set_locked(e, 1, is_unchecked);
		break;
	case GSHMEMI_WIN_DO_UNLOCK:
		gshmemi_win_unlock_one(w, t[args->pe].lock, args->pe, call);
		gshmemi_win_set_locked(e, -1, (t[args->pe].lock & GSHMEMI_WIN_UNCHECKED) != 0);
		t[args->pe].lock = 0;
		break;
	case GSHMEMI_WIN_DO_LOCK_ALL:
		for (pe = 0; pe < w->npes && !is_unchecked; pe++)
			gshmemi_win_lock_one(w, 0, pe, call);
		e->state = is_unchecked ? GSHMEMI_WIN_LOCK_ALL_NO_CHECK : GSHMEMI_WIN_LOCK_ALL;
		break;
	case GSHMEMI_WIN_DO_UNLOCK_ALL:
		if (e->state == GSHMEMI_WIN_LOCK_ALL)
			for (pe = 0; pe < w->npes; pe++)
				gshmemi_win_unlock_one(w, 0, pe, call);
		e->state = GSHMEMI_WIN_NONE;
		break;
	default:
		break;
	}
}

/* ---- by a scope ---- */

/* Complete each thread's operations, as far as the call promises, before the one thread does its work. */
GSHMEMI_FN void gshmemi_win_quiet(int scope, const struct gshmemi_win *w, int what,
	const struct gshmemi_win_args *args, const char *call)
{
	int world_pe;

	switch (what) {
	case GSHMEMI_WIN_DO_FENCE:
		if (args->assertion & GSHMEMX_MODE_NOPRECEDE)
			break;
		gshmemi_quiet(scope, 0, NULL, 0, call);
		break;
	case GSHMEMI_WIN_DO_COMPLETE:
	case GSHMEMI_WIN_DO_UNLOCK_ALL:
		gshmemi_quiet(scope, 0, NULL, 0, call);
		break;
	case GSHMEMI_WIN_DO_UNLOCK:
		world_pe = w->parts[args->pe].world_pe;
		gshmemi_quiet(scope, 0, &world_pe, 1, call);
		break;
	default:
		break;
	}
}

GSHMEMI_FN int gshmemi_win_call(int scope, int what, const struct gshmemi_win_args *args, const char *call)
{
	struct gshmemi_win_fault fault = {0, -1, 0, 0, 0, 0};
	const struct gshmemi_win *w;
	struct gshmemi_group group;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_epoch(what, args, call);
	if (args->pe == GSHMEMX_PE_NULL)
		return 0;
	w = gshmemi_win_of(args->win);
	gshmemi_win_judge_epoch(w, what, args, &fault);
	if (fault.kind)
		return gshmemi_win_fail(&fault, call);
	gshmemi_win_quiet(scope, w, what, args, call);
	if (scope == GSHMEMI_THREAD) {
		gshmemi_win_do(w, what, args, call);
	} else {
		/* When it returns, all threads have read the epoch, which may change then. */
		if (gshmemi_group_begin(&group, scope, GSHMEMI_KEY(w, (uintptr_t)args->pe))) {
			if (group.rank == 0)
				gshmemi_win_do(w, what, args, call);
			gshmemi_group_end(&group);
		}
	}
	if (what == GSHMEMI_WIN_DO_TEST) { /* each thread sees whether the one thread has closed the epoch */
		*args->flag_p = !gshmemi_arch_load(&w->epoch->is_exposing, 4);
		if (!*args->flag_p)
			gshmemi_win_looked();
	}
	gshmemi_arch_fence_acquire();
	return 0;
}

/* ---- calls that complete operations, and change no epoch ---- */

GSHMEMI_FN int gshmemi_win_is_flush(int what)
{
	return what >= GSHMEMI_WIN_DO_FLUSH;
}

GSHMEMI_COLD int gshmemi_win_check_flush_at(
	const struct gshmemi_win *w, int what, gshmemx_win_t win, int pe, const char *call)
{
	struct gshmemi_win_fault fault = {0, -1, 0, 0, 0, 0};
	const struct gshmemi_win_args args = {win, 0, pe, 0, NULL, 0, NULL};

	gshmemi_win_judge_epoch(w, what, &args, &fault);
	return fault.kind ? gshmemi_win_fail(&fault, call) : 0;
}

/*
 * Takes no struct gshmemi_win_args: the compiler would write one to memory on each flush, because it is
 * passed to an out-of-line call.
 */
GSHMEMI_FN int gshmemi_win_flush(int scope, int what, gshmemx_win_t win, int pe, const char *call)
{
	const int needs_pe = gshmemi_win_names_pe(what);
	const struct gshmemi_win *w;
	int world_pe, rc = 0;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_flush(what, win, pe, call);
	if (pe == GSHMEMX_PE_NULL)
		return 0;
	w = gshmemi_win_of(win);
	if (GSHMEMI_IS_LIBRARY
			? win <= 0 || w->handle != win || (needs_pe && (unsigned)pe >= (unsigned)w->npes) ||
				!gshmemi_win_allows(w, what, pe, 0)
			: gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		rc = gshmemi_win_check_flush_at(w, what, win, pe, call);
	if (rc)
		return rc;
	if (what == GSHMEMI_WIN_DO_SYNC) {
		gshmemi_arch_fence_system();
		gshmemi_arch_fence_acquire();
	} else if (what == GSHMEMI_WIN_DO_FLUSH && gshmemi_may_wait(scope)) {
		world_pe = w->parts[pe].world_pe;
		gshmemi_quiet(scope, 0, &world_pe, 1, call);
	} else if (what == GSHMEMI_WIN_DO_FLUSH || what == GSHMEMI_WIN_DO_FLUSH_ALL || GSHMEMI_ON_HOST() ||
		gshmemi_is_slow(GSHMEMI_WHY_ORDER | GSHMEMI_WHY_CARRIES)) {
		/* A local flush, too: all threads must agree on it, whatever each has open now. */
		gshmemi_quiet(scope, 0, NULL, 0, call);
	}
	return 0;
}

GSHMEMI_FN int gshmemi_win_epoch_call(int scope, int what, struct gshmemi_win_args args, const char *call)
{
	if (gshmemi_win_is_flush(what))
		return gshmemi_win_flush(scope, what, args.win, args.pe, call);
	return gshmemi_win_call(scope, what, &args, call);
}

#endif /* GSHMEM_WIN_EPOCH_H */
