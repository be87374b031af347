/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The race detector of the cpu platform: which accesses of all PEs to symmetric memory, in kernels and on
 * hosts, nothing orders. docs/races.md says what it sees.
 *
 *   clock.c    what is known about the past of others, and the exceptions to it
 *   strand.c   the threads of a PE, and what they and the lanes of their blocks know
 *   order.c    their operations, fences and quiets, and what they tell
 *   meet.c     what orders threads, blocks and lanes of a PE
 *   thread.c   what orders the program's threads: pthread and C11
 *   openmp.c   the same of OpenMP
 *   shadow.c   the last accesses of each 8 bytes
 *   local.c    accesses to memory that is not symmetric
 *   word.c     words by which one tells another: flags, signals, atomics
 *   carry.c    the operations of the API, as a carrier
 *   hooks.c    what compilers call with -fsanitize=thread
 *   source.c   places in the program
 *   report.c   the messages
 *   share.c    the memory that the PEs share
 *
 * Each access has the number of its strand and the strand's time. A strand's time goes on when something of
 * the strand may become known elsewhere. An access that a caller has made is over. An operation on another PE
 * is pending until something completes it. So a clock has two times for each strand: all accesses up to the
 * first one have happened, and all operations up to the second one are complete. What holds for some lanes, or
 * for one PE, is an exception to them. C. Flanagan, S. Freund, "FastTrack: efficient and precise dynamic race
 * detection", PLDI 2009, has the rules of the shadow.
 */
#ifndef HIPCPU_RACE_RACE_H
#define HIPCPU_RACE_RACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hip/hipcpu.h"

/* ---- what gshmem and HIP call: include/gshmem/arch/cpu.h and runtime.h have the others ---- */

int gshmemi_detector_make(int *pid_p, int *file_p);
int gshmemi_detector_open(int me, int npes, int pid, int file, void (*fail)(void));
void gshmemi_detector_close(void);
void gshmemi_detector_part(int pe, unsigned region, const void *base, uint64_t nbytes, int has_cells);
void gshmemi_detector_remove(unsigned region);
void gshmemi_detector_ok(const void *address, uint64_t nbytes);
uint64_t hipcpu_race_load(const void *address, unsigned nbytes);
void hipcpu_race_acquire(void);
void hipcpu_race_waited(const void *word, unsigned nbytes, int is_signed, uint64_t least);
void hipcpu_race_allocated(const void *address, uint64_t nbytes);
void hipcpu_race_serving(void);
void hipcpu_race_element(unsigned first, unsigned nbytes, int reads);

#define RACE_NSTRANDS    96 /* of each PE */
#define RACE_NEXCEPTIONS 96
#define RACE_ANY         255
#define RACE_SERVING     UINT32_MAX /* in place of a thread's number: one that serves kernels' calls */

/* Multiplies by 2^64 over the golden ratio: the upper bits are spread. D. Knuth, vol. 3, 6.4. */
static inline uint64_t race_hash(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

/* For an array that grows: one with room for another element. */
void *race_grow(void *array, size_t nelems, size_t *capacity_p, size_t elem_nbytes);

/* Where an address is in symmetric memory. */
struct race_place {
	int pe;
	unsigned region;
	uint64_t offset;
};

static inline uint64_t race_place_key(const struct race_place *at)
{
	return (uint64_t)at->region << 48 | (uint64_t)at->pe << 40 | at->offset;
}

/* ---- clock.c ---- */

/* The accesses of some lanes of a strand between two of its times. */
struct race_exception {
	uint32_t from, upto;
	uint64_t lanes; /* of 64 lanes, */
	uint16_t strand;
	uint8_t group;       /* these: lane / 64; RACE_ANY: all lanes */
	uint8_t pending;     /* 0: accesses have happened; 1: operations are complete */
	uint8_t context, pe; /* of these operations; RACE_ANY: of all */
};

struct race_clock {
	uint32_t nexceptions;
	struct race_exception exceptions[RACE_NEXCEPTIONS];
	uint32_t time[]; /* [2][all strands] */
};

/* What an access was. */
struct race_access {
	uint32_t time;
	uint16_t strand, lane;
	bool is_pending, is_get;
	uint8_t context, pe; /* of an operation: its context, the PE that it is on */
};

size_t race_clock_nbytes(void);
struct race_clock *race_clock_new(void);
void race_clock_copy(struct race_clock *to, const struct race_clock *from);
/* to learns all that from knows. */
void race_clock_join(struct race_clock *to, const struct race_clock *from);
/*
 * Whether the clock would learn nothing from the other one. It may be false all the same, where two
 * exceptions together say what a third one does.
 */
bool race_clock_includes(const struct race_clock *clock, const struct race_clock *other);
/* If there is no room, the exception becomes the rule, which hides races and reports no false one. */
void race_clock_except(struct race_clock *clock, const struct race_exception *e);
/* Whether the clock's owner knows that an access has happened, or that an operation is complete. */
bool race_clock_knows(const struct race_clock *clock, const struct race_access *a);

/* ---- strand.c ---- */

#define RACE_NOPEN  12
#define RACE_NNOTES 16

/* Operations of a lane in one context on one PE, as long as any of the lane are open. */
struct race_open {
	uint32_t first, last; /* times of those that no quiet has completed; first 0: none is open */
	uint32_t fenced;      /* those up to here were before the last fence */
	uint32_t signalled;   /* from here on each has raised a signal of its own */
	uint8_t context, pe;
};

/* A clock that some lanes share. */
struct race_known {
	unsigned nrefs;
	struct race_clock *clock;
};

/* A value that was read from a word, and of which no acquire has followed. */
struct race_note {
	struct race_word *word;
	uint64_t value;
	struct race_place at;
};

struct race_lane {
	struct race_known *known; /* NULL: what the block knows */
	unsigned nopen, nnotes;
	uint32_t quieted; /* the time of the last quiet after which nothing was open */
	struct race_open open[RACE_NOPEN];
	struct race_note notes[RACE_NNOTES];
};

struct race_strand;

/* The time at which strands begin. A test begins near the end. */
extern uint32_t hipcpu_race_first_step;
/* The caller's; NULL while nothing is watched, or for a thread too many. */
struct race_strand *race_self(void);
/*
 * The same for a caller that changes what the strand knows, or reads more of it than its time; leave takes what
 * enter returned.
 */
struct race_strand *race_enter(void);
void race_leave(struct race_strand *s);
/* The job has ended. */
void race_strands_forget(void);
bool race_is_host(const struct race_strand *s);
unsigned race_lane_of(const struct race_strand *s);
/* An access of the caller, now. */
struct race_access race_now(const struct race_strand *s);
/*
 * Whether the caller knows that it has happened or is complete. pe: on which an operation of the caller in a
 * context follows that a fence orders; -1: none.
 */
bool race_knows(struct race_strand *s, const struct race_access *a, int pe, unsigned context);
void race_learn(struct race_strand *s, const struct race_clock *clock);
/* The same of a word's snapshot of that number. */
void race_learn_snapshot(struct race_strand *s, const struct race_word *word, uint32_t snapshot);
void race_note(struct race_strand *s, struct race_word *word, uint64_t value, const struct race_place *at);
void race_unnote(struct race_strand *s, const struct race_word *word);

/* ---- order.c ---- */

/* The caller has begun an operation on a PE. is_signal: by put_signal. */
void race_opened(struct race_strand *s, unsigned context, unsigned pe, bool is_signal);
void race_fence(unsigned context);
void race_quiet(unsigned context, const int *pes, size_t npes);
/*
 * Writes to clock what the caller tells by a word on a PE: what it knows, and, of its own operations, those
 * that are complete or ordered before the word. The caller's time goes on. is_signal: of the put_signal that
 * race_opened has just entered.
 */
void race_tell(struct race_strand *s, struct race_clock *clock, unsigned context, int pe, bool is_signal);

/* ---- threads of the program ---- */

/*
 * Set before the program makes the first thread that has a strand of its own. Those that it makes by calls that
 * are not wrapped (std::thread) share one with the main thread.
 */
extern _Atomic bool race_has_threads;
/* The caller has been made by the program, and has done nothing yet. */
void race_thread_begin(void);
/* The caller ends: what it has done is told. */
void race_thread_end(void);
/* The caller has joined that thread, and knows what it did. */
void race_thread_joined(pthread_t thread);
/* A mark (runtime.h) for atomics of the threads on memory that is not symmetric; NULL: they order nobody. */
const void *race_thread_mark(const void *address);
/* What orders the threads from now on cannot be seen: they all are one strand. */
void race_threads_merge(void);

/* A block or a host thread, for reports. */
struct race_who {
	int pe;
	unsigned lane, thread; /* thread: of the host; 0: the main one; or RACE_SERVING */
	uint64_t block;
	const char *kernel; /* NULL: the host, */
	bool is_forgotten;  /* or a block that is not remembered */
};
void race_who(const struct race_access *a, struct race_who *who);

/* ---- word.c ---- */

/* The word at an address of a PE's region; create: even if nobody has told anything by it. */
struct race_word *race_word_find(const struct race_place *at, bool create);
/* A lock that is held for a moment; 0: it is free. */
void race_lock(_Atomic uint8_t *lock);
void race_unlock(_Atomic uint8_t *lock);
void race_word_lock(struct race_word *w);
void race_word_unlock(struct race_word *w);
/* Adds what the caller tells; value is what the word holds now. With the lock held. */
void race_word_tell(
	struct race_word *w, struct race_strand *s, uint64_t value, unsigned context, int pe, bool is_signal);
/* Learns what was told up to the time when the word had this value. */
void race_word_learn(struct race_word *w, struct race_strand *s, uint64_t value, const struct race_place *at);
/* The same, up to the first time that is remembered when the word had at least this value. */
void race_word_learn_least(struct race_word *w, struct race_strand *s, uint64_t least, unsigned nbytes,
	bool is_signed, const struct race_place *at);

/* ---- shadow.c ---- */

enum race_kind {
	RACE_READ,
	RACE_LOOK, /* by an atomic that only reads, */
	RACE_PEEK, /* or by an accumulate of a window that does */
	RACE_WRITE,
	RACE_VALUE, /* of up to 8 bytes, which may tell something */
	RACE_ATOMIC,
	RACE_ELEMENT /* an accumulate's */
};

bool race_find(const void *address, struct race_place *place);
void race_parts_forget(void);
/* Whether accesses there are watched, or only words. */
bool race_has_cells(const struct race_place *at);
/* Checks an access to nbytes of a PE's part against those before it, and remembers it. */
void race_touch(struct race_strand *s, const struct race_place *at, uint64_t nbytes, enum race_kind kind,
	const struct race_access *a, uint32_t source);
/* Somebody has seen what was written to a word: that is complete. */
void race_settle(const struct race_place *word);
static inline bool race_writes(enum race_kind kind)
{
	return kind > RACE_PEEK;
}

/* ---- local.c ---- */

/* race_touch for memory that is not symmetric. is_end: by an operation, of which it is the local end. */
void race_touch_private(struct race_strand *s, const void *address, uint64_t nbytes, enum race_kind kind,
	const struct race_access *a, uint32_t source, bool is_end);
/* Whether such an access matters. */
bool race_is_local_end(const void *address);

/* ---- source.c, report.c ---- */

/* The place in the program that has called the library from here. */
uint32_t race_source(const void *frame, const void *caller);
/* Whether the calls in these places are atomics, one of integers and the other of floating-point numbers. */
bool race_kinds_differ(uint32_t a, uint32_t b);
struct race_pair {
	struct race_access a, b;
	enum race_kind a_kind, b_kind;
	uint32_t a_source, b_source;
	struct race_place at; /* pe -1: at private */
	const void *private;
	unsigned nbytes;
};
void race_report(struct race_strand *s, const struct race_pair *pair);
/* Watches for the end of the process, too: if there were races, it calls the function. */
void race_report_open(void (*fail)(void));
/* The job has ended: its races count at the end of the process. */
void race_report_close(void);

/* ---- share.c ---- */

struct race_shared;
extern struct race_shared *race_shared; /* NULL: nothing is watched; a job's stays mapped when it has ended */
extern int race_me, race_npes;
/* Memory that all PEs share, which is zero at first. */
void *race_shared_part(unsigned region, int pe, uint64_t nbytes);
/* Unmaps it; what this PE's own part holds is cleared, because the region's number will be used again. */
void race_shared_drop(unsigned region, int pe, void *memory, uint64_t nbytes);

#endif /* HIPCPU_RACE_RACE_H */
