/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_TRACE: what calls, waits and threads of the library did, and when. Events go into rings in
 * host-pinned memory: one for each of the first work-groups, which others share, and some for the threads of
 * the host. A ring keeps the latest events. An event is written when it begins and again when it ends, so
 * that one which never ends is there as well. src/trace/ writes the file.
 *
 * Kernels record on the cpu platform alone: the end of a call needs what began it, which on a GPU would take
 * registers of every kernel with a put, traced or not.
 */
#ifndef GSHMEM_TRACE_H
#define GSHMEM_TRACE_H

#include <gshmem/state/fault.h>

#if GSHMEMI_ARCH_HAS_DELIVERY || defined(GSHMEMI_LIBRARY)
#define GSHMEMI_TRACES 1
#else
#define GSHMEMI_TRACES 0
#endif

/* The kinds of events, and their names in the file: these, and enum gshmemi_count_kind for operations. */
#define GSHMEMI_TRACE_KINDS(X) \
	X(WAIT, "wait") \
	X(CALL, "call")     /* of the host */ \
	X(SENT, "sent")     /* a message of the net thread */ \
	X(CAME, "came")     /* likewise */ \
	X(SERVED, "served") /* a function that the CPU carries out for a kernel */ \
	X(MARK, "mark")     /* gshmemx_trace */
enum gshmemi_trace_kind {
	GSHMEMI_TRACE_FIRST = 15,
#define GSHMEMI_KIND(NAME, TEXT) GSHMEMI_TRACE_##NAME,
	GSHMEMI_TRACE_KINDS(GSHMEMI_KIND)
#undef GSHMEMI_KIND
	GSHMEMI_TRACE_NKINDS
};
#define GSHMEMI_TRACE_CARRIED 0x100U /* in what: an operation that a carrier performs */
#define GSHMEMI_TRACE_ON_HOST 0x200U

struct gshmemi_trace_event {
	uint64_t begin_ns;  /* gshmemi_arch_clock_ns */
	uint64_t end_ns;    /* 0: it goes on */
	uint32_t seq;       /* in its ring, from 1; 0: it is being written */
	uint32_t end_seq;   /* seq, if end_ns is this event's, not that of one which was here before */
	int32_t pe;         /* asked, or waited for; -1: none */
	uint32_t what;      /* from bit 0 its kind, and GSHMEMI_TRACE_* */
	uint64_t nbytes;
	uint64_t address;   /* of a wait, its word */
	uint64_t value;     /* of a wait, what is expected; of a mark, its value */
	uint64_t block;     /* work-group in the grid; on the host, the thread by its first event */
	uint32_t thread;    /* in the work-group or wave */
	int32_t cmp;        /* of a wait, GSHMEM_CMP_* */
	char call[56];
};

#define GSHMEMI_TRACE_HOST_RINGS 8U
#define GSHMEMI_TRACE_RINGS      (GSHMEMI_TRACE_HOST_RINGS + 64U)

/* The rings follow it: GSHMEMI_TRACE_RINGS of nslots events each. C++ has no array of unknown size as a member. */
struct gshmemi_trace {
	uint64_t nslots;                          /* of a ring, a power of two */
	uint64_t nevents[GSHMEMI_TRACE_RINGS][8]; /* [0]: so far; a line for each */
};

/* Where a ring keeps its event number n, from 0. */
GSHMEMI_FN struct gshmemi_trace_event *gshmemi_trace_slot(struct gshmemi_trace *trace, uint64_t ring, uint64_t n)
{
	return (struct gshmemi_trace_event *)(trace + 1) + ring * trace->nslots + (n & (trace->nslots - 1));
}

/* An event that goes on; event NULL: none. */
struct gshmemi_trace_open {
	struct gshmemi_trace_event *event;
	uint32_t seq;
};

#ifdef GSHMEMI_LIBRARY
uint64_t gshmemi_trace_thread(void); /* the calling one's number */
#endif

/* The caller knows that GSHMEM_TRACE is set. */
GSHMEMI_FN struct gshmemi_trace_open gshmemi_trace_begin(uint32_t what, int pe, uint64_t nbytes,
							 const void *address, int cmp, uint64_t value,
							 const char *call, uint64_t caller)
{
#if GSHMEMI_TRACES
	struct gshmemi_trace *const trace = gshmemi_state.trace;
#ifdef GSHMEMI_LIBRARY
	const uint64_t block = gshmemi_trace_thread();
	const unsigned ring = (unsigned)(block % GSHMEMI_TRACE_HOST_RINGS);

	(void)caller;
	what |= GSHMEMI_TRACE_ON_HOST;
#else
	const uint64_t block = gshmemi_arch_caller_block(caller);
	const unsigned ring = GSHMEMI_TRACE_HOST_RINGS +
			      (unsigned)(block % (GSHMEMI_TRACE_RINGS - GSHMEMI_TRACE_HOST_RINGS));
#endif
	const uint64_t n = gshmemi_arch_amo64(GSHMEMI_AMO_ADD, trace->nevents[ring], 1, 0);
	struct gshmemi_trace_event *const e = gshmemi_trace_slot(trace, ring, n);
	const struct gshmemi_trace_open open = {e, (uint32_t)n + 1};
	unsigned i;

	__atomic_store_n(&e->seq, 0, __ATOMIC_RELAXED);
	e->end_ns = 0;
	e->pe = pe;
	e->what = what;
	e->nbytes = nbytes;
	e->address = (uint64_t)(uintptr_t)address;
	e->value = value;
	e->block = block;
	e->thread = gshmemi_arch_thread_name();
	e->cmp = cmp;
	for (i = 0; i < sizeof e->call - 1 && call[i]; i++)
		e->call[i] = call[i];
	e->call[i] = 0;
	e->begin_ns = gshmemi_arch_clock_ns();
	/* release: pairs with the acquire in src/trace/timeline.c */
	__atomic_store_n(&e->seq, open.seq, __ATOMIC_RELEASE);
	return open;
#else
	const struct gshmemi_trace_open none = {NULL, 0};

	(void)what, (void)pe, (void)nbytes, (void)address, (void)cmp, (void)value, (void)call, (void)caller;
	return none;
#endif
}

GSHMEMI_FN void gshmemi_trace_end(struct gshmemi_trace_open open)
{
#if GSHMEMI_TRACES
	if (!open.event)
		return;
	open.event->end_ns = gshmemi_arch_clock_ns();
	__atomic_store_n(&open.event->end_seq, open.seq, __ATOMIC_RELEASE);
#else
	(void)open;
#endif
}

/* A wait that has looked in vain, if it is to be recorded. */
GSHMEMI_FN struct gshmemi_trace_open gshmemi_trace_wait(const void *ivar, int cmp, uint64_t value, int pe,
							const char *call)
{
	const struct gshmemi_trace_open none = {NULL, 0};

	if (!GSHMEMI_TRACES || !gshmemi_is_slow(GSHMEMI_SLOW_TRACE))
		return none;
	return gshmemi_trace_begin(GSHMEMI_TRACE_WAIT, pe, 0, ivar, cmp, value, call, gshmemi_arch_caller());
}

#endif /* GSHMEM_TRACE_H */
