/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_TRACE: what calls, waits and threads of the library did, and when. Events go into rings in
 * host-pinned memory. Each of the first work-groups has a ring, which later work-groups share, and so do some
 * threads of the host. A ring keeps its latest events. An event is written when it begins and completed when
 * it ends, so that one that never ends is recorded as well. src/trace/ writes the file.
 *
 * Kernels of the cpu platform always record. Those of a GPU record if their unit is compiled with
 * GSHMEM_TRACE_KERNELS: to complete an event, a call must keep its number, which takes registers of every
 * kernel with a put, traced or not.
 */
#ifndef GSHMEM_TRACE_H
#define GSHMEM_TRACE_H

#include <gshmem/state/fault.h>

/*
 * GSHMEMI_TRACES: this unit records. GSHMEMI_TRACES_DIRECT: its kernels record around the direct path,
 * because on a GPU's slow path one thread moves what a group puts, and every bar would be too long.
 * Elsewhere the slow path records (move/slow.h).
 */
#if GSHMEMI_ARCH_HAS_DELIVERY || defined(GSHMEMI_LIBRARY) || defined(GSHMEM_TRACE_KERNELS)
#define GSHMEMI_TRACES 1
#else
#define GSHMEMI_TRACES 0
#endif
#if GSHMEMI_TRACES && !GSHMEMI_ARCH_HAS_DELIVERY && !defined(GSHMEMI_LIBRARY)
#define GSHMEMI_TRACES_DIRECT 1
#else
#define GSHMEMI_TRACES_DIRECT 0
#endif

/* The kinds of events, and their names in the file: these, and enum gshmemi_count_kind for operations. */
#define GSHMEMI_TRACE_KINDS(X) \
	X(WAIT, "wait") \
	X(CALL, "call")     /* a barrier, a quiet, a collective; of the host others, too */ \
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

/* Words of 8 bytes. They arrive in any order: no thread waits until its event is written. */
struct gshmemi_trace_event {
	uint64_t begin_ns; /* gshmemi_arch_clock_ns: in a kernel the GPU's clock */
	uint64_t end_ns;
	uint64_t number;     /* bits 56 - 63 its ring, 0 - 55 its place among the ring's events, from 1 */
	uint64_t end_number; /* equal to number if end_ns belongs to this event, not to an earlier one */
	uint64_t what;       /* bits 0 - 31 kind and GSHMEMI_TRACE_*, 32 - 63 the PE named; -1: none */
	uint64_t nbytes;     /* of a wait: the address of its word */
	uint64_t value;      /* of a wait what it expects, of a mark its value */
	uint64_t block;      /* work-group in the grid; on the host, the number of the thread */
	uint64_t where;      /* bits 0 - 31 the thread, or lane; 32 - 63 GSHMEM_CMP_* of a wait */
	uint64_t sum;        /* XOR of all others but end_ns and end_number: right once they have arrived */
	uint64_t call[6];    /* the name, cut off or filled up with 0 */
};

#define GSHMEMI_TRACE_HOST_RINGS 8U
#define GSHMEMI_TRACE_RINGS      (GSHMEMI_TRACE_HOST_RINGS + 64U)

/* The library has one; kernels have another in device memory, because GPUs have no atomics on the CPU's. */
struct gshmemi_trace {
	struct gshmemi_trace_event *events; /* [GSHMEMI_TRACE_RINGS][nslots], host-pinned */
	uint64_t nslots;                    /* of a ring, a power of two */
	uint64_t pad[6];
	uint64_t nevents[GSHMEMI_TRACE_RINGS][8]; /* [0]: so far; a line for each ring */
};

#ifdef GSHMEMI_LIBRARY
extern struct gshmemi_trace *gshmemi_host_trace;
#define GSHMEMI_TRACE_INTO gshmemi_host_trace
uint64_t gshmemi_trace_thread(void); /* the calling one's number */
#else
#define GSHMEMI_TRACE_INTO gshmemi_state.trace
#endif

GSHMEMI_FN struct gshmemi_trace_event *gshmemi_trace_slot(const struct gshmemi_trace *trace, uint64_t number)
{
	return &trace->events[(number >> 56) * trace->nslots + ((number - 1) & (trace->nslots - 1))];
}

/* Take the number of a ring's next event. */
GSHMEMI_FN uint64_t gshmemi_trace_take(struct gshmemi_trace *trace, uint64_t ring)
{
	return ring << 56 | (gshmemi_arch_amo64(GSHMEMI_AMO_ADD, trace->nevents[ring], 1, 0) + 1);
}

GSHMEMI_FN uint64_t gshmemi_trace_word(uint64_t *word, uint64_t value)
{
	gshmemi_arch_store(word, value, 8);
	return value;
}

GSHMEMI_FN uint64_t gshmemi_trace_what(uint32_t what, int pe)
{
	return what | (uint64_t)(uint32_t)pe << 32;
}

/* The fields of an event that say where it happened. */
struct gshmemi_trace_who {
	uint64_t block, where;
};

/* Write an event into its slot; the arguments are its fields. */
GSHMEMI_FN void gshmemi_trace_fill(struct gshmemi_trace_event *e, uint64_t number, uint64_t what,
	uint64_t nbytes, uint64_t value, struct gshmemi_trace_who who, uint64_t begin_ns, const char *call)
{
	uint64_t sum, word;
	unsigned i, k;

	sum = gshmemi_trace_word(&e->number, number);
	sum ^= gshmemi_trace_word(&e->what, what);
	sum ^= gshmemi_trace_word(&e->nbytes, nbytes);
	sum ^= gshmemi_trace_word(&e->value, value);
	sum ^= gshmemi_trace_word(&e->block, who.block);
	sum ^= gshmemi_trace_word(&e->where, who.where);
	for (i = 0; i < sizeof e->call / 8; i++) {
		word = 0;
		for (k = 0; k < 8 && *call; k++)
			word |= (uint64_t)(unsigned char)*call++ << 8 * k;
		sum ^= gshmemi_trace_word(&e->call[i], word);
	}
	sum ^= gshmemi_trace_word(&e->begin_ns, begin_ns);
	gshmemi_arch_store(&e->sum, sum, 8);
}

/*
 * Begin an event, whose fields the arguments are. Returns its number, for gshmemi_trace_end. The caller knows
 * that GSHMEM_TRACE is set.
 */
GSHMEMI_COLD uint64_t gshmemi_trace_begin_at(
	uint64_t what, uint64_t nbytes, uint64_t value, int cmp, const char *call, uint64_t caller)
{
	struct gshmemi_trace *const trace = GSHMEMI_TRACE_INTO;
	struct gshmemi_trace_who who = {0, gshmemi_arch_thread_name() | (uint64_t)(unsigned)cmp << 32};
	uint64_t ring, number;

#ifdef GSHMEMI_LIBRARY
	(void)caller;
	who.block = gshmemi_trace_thread();
	ring = who.block % GSHMEMI_TRACE_HOST_RINGS;
	what |= GSHMEMI_TRACE_ON_HOST;
#else
	call = (const char *)(uintptr_t)gshmemi_arch_uniform((uint64_t)(uintptr_t)call);
	who.block = gshmemi_arch_caller_block(caller);
	ring = GSHMEMI_TRACE_HOST_RINGS + who.block % (GSHMEMI_TRACE_RINGS - GSHMEMI_TRACE_HOST_RINGS);
#endif
	number = gshmemi_trace_take(trace, ring);
	gshmemi_trace_fill(gshmemi_trace_slot(trace, number), number, what, nbytes, value, who,
		gshmemi_arch_clock_ns(), call);
	return number;
}

GSHMEMI_COLD void gshmemi_trace_end_at(uint64_t number)
{
	struct gshmemi_trace_event *const e = gshmemi_trace_slot(GSHMEMI_TRACE_INTO, number);

	gshmemi_arch_store(&e->end_ns, gshmemi_arch_clock_ns(), 8);
	gshmemi_arch_store(&e->end_number, number, 8);
}

/* number 0: there is no event to end. */
GSHMEMI_FN void gshmemi_trace_end(uint64_t number)
{
	if (GSHMEMI_TRACES && number)
		gshmemi_trace_end_at(number);
}

/* Whether this unit records, and GSHMEM_TRACE is set. */
GSHMEMI_FN int gshmemi_is_traced(void)
{
	return GSHMEMI_TRACES && gshmemi_is_slow(GSHMEMI_WHY_TRACE);
}

/* Begin a wait that has not found its value at the first look. */
GSHMEMI_FN uint64_t gshmemi_trace_wait(const void *ivar, int cmp, uint64_t value, int pe, const char *call)
{
	if (!gshmemi_is_traced())
		return 0;
	return gshmemi_trace_begin_at(gshmemi_trace_what(GSHMEMI_TRACE_WAIT, pe), (uint64_t)(uintptr_t)ivar,
		value, cmp, call, gshmemi_arch_caller());
}

#endif /* GSHMEM_TRACE_H */
