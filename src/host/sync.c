/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits, order and barriers on the host: the exported functions, as in rma.c, and the functions behind them.
 */
#include "host/host.h"

#if !GSHMEMI_ARCH_HOST_DIRECT
/* The steps that gshmemi_disseminate makes by copies here; defined below. */
struct gshmemi_team_view;
#define GSHMEMI_SYNC_OWN(name) own_##name
static void own_complete(const char *call);
static uint64_t own_load(const uint64_t *word, const char *call);
static void own_store(uint64_t *word, uint64_t value, const char *call);
static const struct gshmemi_team_nodes *own_nodes(const struct gshmemi_sync *sync, const char *call);
static void own_await(const struct gshmemi_team_view *team, const uint64_t *flags, uint64_t epoch,
	int distance, const char *call);
static void own_combine(uint64_t *words, const uint64_t (*row)[GSHMEMI_SYNC_WORDS], int n, const char *call);
#endif

#include <gshmem/order/sync.h>
#include <gshmem/wait/wait_many.h>
#include <time.h>

#include "base/devmem.h"
#include "base/thread.h"
#include "team/team.h"
#include "trace/trace.h"

/*
 * A user's RPC channel may outlive the job's state. Then only its server or gshmemx_rpc_channel_stop ends the
 * wait.
 */
uint64_t gshmemi_host_wait_long(uint64_t started_ns, const void *ivar, unsigned nbytes, uint64_t found,
	int cmp, uint64_t value, int pe, const char *call)
{
	if (!gshmemi_host_attention)
		return started_ns;
	return gshmemi_wait_long(0, started_ns, ivar, nbytes, found, cmp, value, pe, call);
}

#if GSHMEMI_ARCH_HOST_DIRECT

/* With nbytes a constant in each branch, the polling loop is as short as a kernel's. */
uint64_t gshmemi_host_wait(
	const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call)
{
	switch (nbytes) {
	case 2:
		return gshmemi_wait_until(GSHMEMI_THREAD, ivar, 2, is_signed, cmp, value, call);
	case 4:
		return gshmemi_wait_until(GSHMEMI_THREAD, ivar, 4, is_signed, cmp, value, call);
	default:
		return gshmemi_wait_until(GSHMEMI_THREAD, ivar, 8, is_signed, cmp, value, call);
	}
}

int gshmemi_host_test(
	const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call)
{
	return gshmemi_test(ivar, nbytes, is_signed, cmp, value, call);
}

size_t gshmemi_host_wait_many(const struct gshmemi_wait_set *set, int which, int waits, const char *call)
{
	return waits ? gshmemi_wait_many(set, which, call) : gshmemi_test_many(set, which, call);
}

void gshmemi_host_fence(int context, const char *call)
{
	gshmemi_fence(GSHMEMI_THREAD, context, call);
}

void gshmemi_host_quiet(int context, const int *target_pes, size_t npes, const char *call)
{
	const uint64_t open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);

	gshmemi_quiet(GSHMEMI_THREAD, context, target_pes, npes, call);
	gshmemi_trace_end(open);
}

void gshmemi_host_sync_all(int quiet, const char *call)
{
	const uint64_t open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);

	gshmemi_sync_all(GSHMEMI_THREAD, quiet, call);
	gshmemi_trace_end(open);
}

void gshmemi_host_sync_write(int which, uint64_t *word, uint64_t value, int pe, const char *call)
{
	gshmemi_sync_write(which, word, value, pe, call);
}

void gshmemi_sync_host_team(const struct gshmemi_team_view *team, uint64_t *words, const char *call)
{
	gshmemi_team_claim(team, call);
	gshmemi_disseminate(team, words, 0, call);
	gshmemi_team_release(team);
}

#else /* the CPU cannot touch the heap: it polls by copies, and writes the flags of barriers by copies too */

/* ---- waiting ---- */

#define SLEEP_MAX_NS 50000

/* Sleeps between two polls, each of which is a copy, a little longer each time. *sleep_ns_p starts at 0. */
static void back_off(long *sleep_ns_p)
{
	struct timespec nap = {0, *sleep_ns_p};

	if (*sleep_ns_p)
		nanosleep(&nap, NULL);
	*sleep_ns_p = *sleep_ns_p ? 2 * *sleep_ns_p : 500;
	if (*sleep_ns_p > SLEEP_MAX_NS)
		*sleep_ns_p = SLEEP_MAX_NS;
}

static uint64_t load(const void *address, unsigned nbytes, const char *call)
{
	uint64_t bits = 0; /* hosts of GPUs are little-endian */

	gshmemi_devmem_load(&bits, address, nbytes, call);
	return bits;
}

uint64_t gshmemi_host_wait(
	const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call)
{
	uint64_t found, started_ns = 0, open = 0;
	long sleep_ns = 0;

	if (gshmemi_is_slow(GSHMEMI_SLOW_UNSET | GSHMEMI_SLOW_CHECK))
		gshmemi_slow_wait(ivar, nbytes, nbytes, cmp, call);
	while (found = load(ivar, nbytes, call), !gshmemi_compare(found, cmp, value, nbytes, is_signed)) {
		if (!sleep_ns)
			open = gshmemi_trace_wait(ivar, cmp, value, -1, call);
		started_ns = gshmemi_wait_long(0, started_ns, ivar, nbytes, found, cmp, value, -1, call);
		back_off(&sleep_ns);
	}
	gshmemi_trace_end(open);
	return found;
}

int gshmemi_host_test(
	const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call)
{
	if (gshmemi_is_slow(GSHMEMI_SLOW_UNSET | GSHMEMI_SLOW_CHECK))
		gshmemi_slow_wait(ivar, nbytes, nbytes, cmp, call);
	if (gshmemi_compare(load(ivar, nbytes, call), cmp, value, nbytes, is_signed))
		return 1;
	gshmemi_host_looked();
	return 0;
}

/*
 * Makes one pass over a set as gshmemi_many_pass does, on copies. Each load copies one row, as many objects
 * as fit. first is where the pass starts; it starts with the row that first lies in.
 */
static struct gshmemi_many_found pass(
	const struct gshmemi_wait_set *set, int which, size_t first, const char *call)
{
	const size_t nrow = GSHMEMI_DEVMEM_LOAD / set->nbytes, nrows = (set->nelems + nrow - 1) / nrow;
	struct gshmemi_many_found found = {0, 0, SIZE_MAX, 0}, in_row;
	struct gshmemi_wait_set part = *set;
	char row[GSHMEMI_DEVMEM_LOAD];
	size_t n, at, i;

	for (n = 0; n < nrows && !(which == GSHMEMI_MANY_ANY && found.nheld); n++) {
		at = (first / nrow + n) % nrows * nrow;
		part.nelems = set->nelems - at < nrow ? set->nelems - at : nrow;
		part.ivars = row;
		part.status = set->status ? set->status + at : NULL;
		part.values = set->values + (set->is_vector ? at * set->nbytes : 0);
		part.indices = set->indices ? set->indices + found.nheld : NULL;
		gshmemi_devmem_load(
			row, set->ivars + at * set->nbytes, (unsigned)(part.nelems * set->nbytes), call);
		in_row = gshmemi_many_pass(
			&part, which, which == GSHMEMI_MANY_ANY ? first % nrow % part.nelems : 0);
		for (i = 0; which == GSHMEMI_MANY_SOME && i < in_row.nheld; i++)
			part.indices[i] += at;
		found.nset += in_row.nset;
		found.nheld += in_row.nheld;
		if (in_row.nheld)
			found.index = at + in_row.index;
		if (in_row.nset)
			found.value = in_row.value;
	}
	return found;
}

static bool is_over(const struct gshmemi_many_found *found, int which)
{
	if (which == GSHMEMI_MANY_ALL)
		return found->nheld == found->nset;
	return found->nheld || !found->nset;
}

/* ALL waits for one object after the other, as in kernels. */
static size_t wait_all(const struct gshmemi_wait_set *set, const char *call)
{
	size_t i;

	for (i = 0; i < set->nelems; i++)
		if (!set->status || !set->status[i])
			gshmemi_host_wait(set->ivars + i * set->nbytes, set->nbytes, set->is_signed, set->cmp,
					  gshmemi_many_value(set, i), call);
	return 1;
}

size_t gshmemi_host_wait_many(const struct gshmemi_wait_set *set, int which, int waits, const char *call)
{
	const size_t first = gshmemi_many_first(set, which);
	struct gshmemi_many_found found;
	uint64_t started_ns = 0;
	long sleep_ns = 0;

	gshmemi_many_check(set, call);
	if (which == GSHMEMI_MANY_ALL && waits)
		return wait_all(set, call);
	while (found = pass(set, which, first, call), waits && !is_over(&found, which)) {
		started_ns = gshmemi_wait_long(0, started_ns, set->ivars, set->nbytes, found.value, set->cmp,
					       gshmemi_many_value(set, 0), -1, call);
		back_off(&sleep_ns);
	}
	if (!found.nheld)
		gshmemi_host_looked();
	return gshmemi_many_result(&found, which);
}

/* ---- order ---- */

/*
 * A stream's order holds only within that stream. A peer that polls sees an earlier store first only if it
 * has arrived.
 */
void gshmemi_host_fence(int context, const char *call)
{
	gshmemi_slow_unset_at(call, gshmemi_arch_caller());
	if (gshmemi_is_slow(GSHMEMI_SLOW_NET))
		gshmemi_rpc_host_hand_over();
	gshmemi_carry_complete(context, NULL, 0);
	gshmemi_rpc_host_complete(call);
	gshmemi_devmem_complete(call);
}

void gshmemi_host_quiet(int context, const int *target_pes, size_t npes, const char *call)
{
	uint64_t open;

	gshmemi_slow_unset_at(call, gshmemi_arch_caller());
	if (target_pes && gshmemi_is_slow(GSHMEMI_SLOW_CHECK))
		gshmemi_slow_pes_at(target_pes, npes, call, gshmemi_arch_caller());
	open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);
	if (gshmemi_is_slow(GSHMEMI_SLOW_NET))
		gshmemi_rpc_host_hand_over();
	gshmemi_carry_complete(context, target_pes, npes);
	gshmemi_rpc_host_complete(call);
	gshmemi_devmem_complete(call);
	gshmemi_arch_fence_system();
	gshmemi_trace_end(open);
}

/* ---- barriers ---- */

static void own_complete(const char *call)
{
	gshmemi_carry_complete(GSHMEMI_CTX_LIBRARY, NULL, 0);
	gshmemi_devmem_complete(call);
}

static uint64_t own_load(const uint64_t *word, const char *call)
{
	return load(word, sizeof *word, call);
}

static void own_store(uint64_t *word, uint64_t value, const char *call)
{
	gshmemi_devmem_store(word, &value, sizeof value, call);
}

static const struct gshmemi_team_nodes *own_nodes(const struct gshmemi_sync *sync, const char *call)
{
	(void)call;
	return gshmemi_team_find_nodes(sync);
}

/*
 * Returns a PE at this distance whose flag has not arrived, or -1 if all have. One copy fetches the flags of
 * a round.
 */
static int find_missing(const struct gshmemi_team_view *team, const uint64_t *flags, uint64_t epoch,
	int distance, const uint64_t **flag_p, uint64_t *found_p, const char *call)
{
	uint64_t row[GSHMEMI_SYNC_RADIX];
	int i;

	_Static_assert(sizeof row <= GSHMEMI_DEVMEM_LOAD, "one load");
	gshmemi_devmem_load(row, flags, sizeof row, call);
	for (i = 1; i < GSHMEMI_SYNC_RADIX && i * distance < team->npes; i++) {
		if (row[i] < epoch) {
			*flag_p = &flags[i];
			*found_p = row[i];
			return gshmemi_team_to_world(
				team, (team->my_pe + team->npes - i * distance) % team->npes);
		}
	}
	return -1;
}

static void own_await(const struct gshmemi_team_view *team, const uint64_t *flags, uint64_t epoch,
	int distance, const char *call)
{
	uint64_t found, started_ns = 0, open = 0;
	const uint64_t *flag;
	long sleep_ns = 0;
	int pe;

	while ((pe = find_missing(team, flags, epoch, distance, &flag, &found, call)) >= 0) {
		if (!sleep_ns)
			open = gshmemi_trace_wait(flag, GSHMEM_CMP_GE, epoch, pe, call);
		started_ns = gshmemi_wait_long(0, started_ns, flag, 8, found, GSHMEM_CMP_GE, epoch, pe, call);
		back_off(&sleep_ns);
	}
	gshmemi_trace_end(open);
}

static void own_combine(uint64_t *words, const uint64_t (*row)[GSHMEMI_SYNC_WORDS], int n, const char *call)
{
	uint64_t others[GSHMEMI_SYNC_RADIX][GSHMEMI_SYNC_WORDS];
	int i, k;

	_Static_assert(sizeof others <= GSHMEMI_DEVMEM_LOAD, "one load");
	gshmemi_devmem_load(others, row, sizeof others, call);
	for (i = 1; i < n; i++)
		for (k = 0; k < GSHMEMI_SYNC_WORDS; k++)
			words[k] &= others[i][k];
}

void gshmemi_sync_host_team(const struct gshmemi_team_view *team, uint64_t *words, const char *call)
{
	gshmemi_disseminate(team, words, 1, call); /* the callers have completed their operations */
	gshmemi_devmem_complete(call); /* because a kernel's next barrier reads the epoch */
}

void gshmemi_host_sync_all(int quiet, const char *call)
{
	const struct gshmemi_team_view world = gshmemi_team_world();
	uint64_t open;

	GSHMEMI_ENTER_COLLECTIVE(call);
	open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);
	if (quiet)
		gshmemi_host_quiet(0, NULL, 0, call);
	else
		gshmemi_host_fence(0, call);
	gshmemi_sync_host_team(&world, NULL, call);
	gshmemi_trace_end(open);
}

#endif /* GSHMEMI_ARCH_HOST_DIRECT */

/* ---- polling by the caller ---- */

void gshmemi_host_looked(void)
{
#if GSHMEMI_ARCH_HOST_DIRECT
	unsigned polls = GSHMEMI_WAIT_POLLS - 1; /* as in gshmemi_test */

	gshmemi_wait_pause(&polls, -1);
#else
	gshmemi_thread_yield(); /* no pause is needed beside the copy that polled */
#endif
}

/* How many polls of one signal in a row may find the same value before further ones count as fruitless. */
#define SIGNAL_LOOKS 16

uint64_t gshmemi_host_signal_fetch(const uint64_t *sig_addr)
{
	static __thread const uint64_t *last_addr;
	static __thread uint64_t last;
	static __thread unsigned nlooks;
	uint64_t signal;

	gshmemi_host_g(GSHMEMI_REGION_HEAP, &signal, sig_addr, sizeof signal, gshmemi_host_my_pe(),
		"gshmem_signal_fetch");
	if (sig_addr != last_addr || signal != last) {
		last_addr = sig_addr;
		last = signal;
		nlooks = 0;
	} else if (++nlooks > SIGNAL_LOOKS) {
		gshmemi_host_looked();
	}
	return signal;
}
