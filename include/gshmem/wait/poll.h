/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polling. Every wait of the library, in kernels and on the host, is gshmemi_wait, or calls gshmemi_wait_long
 * now and then: back-off, the watchdog and the end of the job are here and nowhere else.
 */
#ifndef GSHMEM_POLL_H
#define GSHMEM_POLL_H

#include <gshmem/state/trace.h>
#include <gshmem/wait/mail.h>

/* Whether (found cmp value). Both are zero-extended bits of a type of nbytes. */
GSHMEMI_FN int gshmemi_compare(uint64_t found, int cmp, uint64_t value, unsigned nbytes, int is_signed)
{
	const unsigned shift = 64 - 8 * nbytes;
	int64_t a, b;

	if (cmp == GSHMEM_CMP_EQ)
		return found == value;
	if (cmp == GSHMEM_CMP_NE)
		return found != value;
	/*
	 * Move the sign to bit 63, and flip it for unsigned types, so that one signed comparison serves all.
	 */
	a = (int64_t)((found << shift) ^ (is_signed ? 0 : 1ULL << 63));
	b = (int64_t)((value << shift) ^ (is_signed ? 0 : 1ULL << 63));
	switch (cmp) {
	case GSHMEM_CMP_GT:
		return a > b;
	case GSHMEM_CMP_GE:
		return a >= b;
	case GSHMEM_CMP_LT:
		return a < b;
	default:
		return a <= b;
	}
}

/*
 * Polls between two calls of gshmemi_wait_long, and between two looks at the clock and at whether the job
 * goes on. Powers of two. A mail may have to wait for the former, some 50 us if all waves of a GPU poll.
 */
#define GSHMEMI_WAIT_POLLS  (GSHMEMI_SERVES_MAIL ? 64 : 1024)
#define GSHMEMI_CLOCK_POLLS 1024

/*
 * The attention word that this code reads. The CPU has one of the process's own: kernels may have that of the
 * device's mailbox, which lies elsewhere for them, because it is registered memory.
 */
#ifdef GSHMEMI_LIBRARY
extern struct gshmemi_attention *gshmemi_host_attention; /* src/device/state.c */
#define GSHMEMI_ATTENTION gshmemi_host_attention
#else
#define GSHMEMI_ATTENTION gshmemi_state.attention
#endif

/*
 * Looks after a wait that did not end soon: ends it with the job, and reports it once when it is too long,
 * and whenever the watcher asks which waits there are (src/end/waits.c). The first call passes 0 as
 * started_ns, each later one what the last returned: when the wait started, in even ns, made odd by the first
 * report. UINT64_MAX: the caller reports its wait itself.
 */
GSHMEMI_FN uint64_t gshmemi_wait_longer(uint64_t started_ns, const void *ivar, unsigned nbytes,
	uint64_t found, int cmp, uint64_t value, int pe, const char *call, uint64_t caller)
{
	const uint64_t limit_ns = gshmemi_state.watchdog_ns;
	uint64_t waited_ns;
	int is_late;

	if (gshmemi_arch_load(&GSHMEMI_ATTENTION->posted, 4) & GSHMEMI_ATTENTION_END)
		gshmemi_fault_raise(GSHMEMI_FAULT_POISONED, pe, ivar, nbytes, found, value, call, caller);
	if (started_ns == UINT64_MAX)
		return started_ns;
	if (!started_ns)
		started_ns = gshmemi_arch_clock_ns() & ~1ULL;
	waited_ns = gshmemi_arch_clock_ns() - started_ns;
	is_late = !(started_ns & 1) && limit_ns && waited_ns >= limit_ns;
	if (!is_late && !gshmemi_arch_load(&gshmemi_state.fault->wants_waits, 4))
		return started_ns;
	gshmemi_fault_slow_wait(is_late ? GSHMEMI_FAULT_WATCHDOG : GSHMEMI_FAULT_WAITING, pe, ivar, nbytes,
		found, cmp, value, waited_ns, call, caller);
	return is_late ? started_ns | 1 : started_ns;
}

GSHMEMI_COLD uint64_t gshmemi_wait_long_at(uint64_t started_ns, const void *ivar, unsigned nbytes,
	uint64_t found, int cmp, uint64_t value, int pe, const char *call, uint64_t caller)
{
	return gshmemi_wait_longer(started_ns, ivar, nbytes, found, cmp, value, pe, call, caller);
}

/*
 * The same for a wait that did not end after so many polls; a wait that calls this at each poll passes 0.
 * On the CPU the library does it for HIP units, too, because it has the attention word and the limit at
 * hand. A kernel also serves the mailbox: last, and not inside wait_long_at, whose arguments would take
 * registers of it.
 */
GSHMEMI_FN uint64_t gshmemi_wait_long(unsigned polls, uint64_t started_ns, const void *ivar, unsigned nbytes,
	uint64_t found, int cmp, uint64_t value, int pe, const char *call)
{
#ifndef GSHMEMI_LIBRARY
	if (GSHMEMI_ON_HOST())
		return gshmemi_host_wait_long(started_ns, ivar, nbytes, found, cmp, value, pe, call);
#endif
	if ((polls & (GSHMEMI_CLOCK_POLLS - 1)) == 0)
		started_ns = gshmemi_wait_long_at(
			started_ns, ivar, nbytes, found, cmp, value, pe, call, gshmemi_arch_caller());
	gshmemi_attend();
	return started_ns;
}

#if GSHMEMI_HOST_UNIT
void gshmemi_host_progress(void); /* src/net/net.c */
#endif

/*
 * Pause between two polls of a wait for pe (-1: for no PE in particular). A PE whose memory is mapped answers
 * within a few polls, on a core of its own. A waiting host also takes what comes over the net, instead of
 * waiting for another thread to do so; but a look at the net takes as long as many polls.
 */
GSHMEMI_FN void gshmemi_wait_pause(unsigned *polls_p, int pe)
{
	const int is_near = GSHMEMI_ARCH_SHARED_MEMORY && gshmemi_is_slow(GSHMEMI_WHY_NET) && pe >= 0 &&
		!(gshmemi_state.peers[pe] & GSHMEMI_PEER_CARRIED);

	if (is_near)
		GSHMEMI_ARCH_PAUSE_NEAR(polls_p);
	else
		gshmemi_arch_pause(polls_p);
#if GSHMEMI_HOST_UNIT
	if (*polls_p % (is_near ? 64 : 8) == 0 && gshmemi_is_slow(GSHMEMI_WHY_NET))
		gshmemi_host_progress();
#endif
}

/*
 * Wait until the word at ivar satisfies the comparison; returns its bits. nbytes is a constant. pe is the
 * PE that should change the word, for the report, or -1. The acquire pairs with the release before the
 * update (gshmemi_put_signal, gshmemi_fence).
 */
GSHMEMI_FN uint64_t gshmemi_wait(
	const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, int pe, const char *call)
{
	uint64_t found, started_ns = 0, open = 0;
	unsigned polls = 0;

	while (found = gshmemi_arch_load(ivar, nbytes),
		!gshmemi_compare(found, cmp, value, nbytes, is_signed)) {
		if (GSHMEMI_TRACES && !polls)
			open = gshmemi_trace_wait(ivar, cmp, value, pe, call);
		gshmemi_wait_pause(&polls, pe);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
			started_ns = gshmemi_wait_long(
				polls, started_ns, ivar, nbytes, found, cmp, value, pe, call);
	}
	gshmemi_trace_end(open);
	if (cmp == GSHMEM_CMP_GE)
		GSHMEMI_RACE_WAITED(ivar, nbytes, is_signed, value);
	gshmemi_arch_fence_acquire();
	return found;
}

#endif /* GSHMEM_POLL_H */
