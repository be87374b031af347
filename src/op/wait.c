/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits and tests of the host. Where the CPU cannot touch the heap, it polls by copies. */
#include "op/op.h"

#define GSHMEMI_BODIES
#include <gshmem/wait/wait.h>
#include <gshmem/wait/wait_many.h>
#include <time.h>

#include "base/thread.h"
#include "device/devmem.h"
#include "trace/trace.h"

/*
 * A user's RPC channel may outlive the job's state. Then only its server or gshmemx_rpc_channel_stop
 * ends the wait.
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

#else /* the CPU cannot touch the heap */

#define SLEEP_MAX_NS 50000

void gshmemi_host_back_off(long *sleep_ns_p)
{
	struct timespec nap = {0, *sleep_ns_p};

	if (*sleep_ns_p)
		nanosleep(&nap, NULL);
	*sleep_ns_p = *sleep_ns_p ? 2 * *sleep_ns_p : 500;
	if (*sleep_ns_p > SLEEP_MAX_NS)
		*sleep_ns_p = SLEEP_MAX_NS;
}

uint64_t gshmemi_host_load(const void *address, unsigned nbytes, const char *call)
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

	if (gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		gshmemi_slow_wait(ivar, nbytes, nbytes, cmp, call);
	while (found = gshmemi_host_load(ivar, nbytes, call),
		!gshmemi_compare(found, cmp, value, nbytes, is_signed)) {
		if (!sleep_ns)
			open = gshmemi_trace_wait(ivar, cmp, value, -1, call);
		started_ns = gshmemi_wait_long(0, started_ns, ivar, nbytes, found, cmp, value, -1, call);
		gshmemi_host_back_off(&sleep_ns);
	}
	gshmemi_trace_end(open);
	return found;
}

int gshmemi_host_test(
	const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call)
{
	if (gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		gshmemi_slow_wait(ivar, nbytes, nbytes, cmp, call);
	if (gshmemi_compare(gshmemi_host_load(ivar, nbytes, call), cmp, value, nbytes, is_signed))
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
		gshmemi_host_back_off(&sleep_ns);
	}
	if (!found.nheld)
		gshmemi_host_looked();
	return gshmemi_many_result(&found, which);
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
