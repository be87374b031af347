/* SPDX-License-Identifier: BSD-3-Clause */
/* What the PEs share: share.c lays it out. */
#ifndef HIPCPU_RACE_SHARED_H
#define HIPCPU_RACE_SHARED_H

#include "race/race.h"

#define RACE_NBLOCKS    1024 /* of each strand that are remembered */
#define RACE_NPAIRS     1024
#define RACE_NWORDS     16384 /* a power of two */
#define RACE_NTRIES     64    /* places in which a word may be */
#define RACE_NSNAPSHOTS 4
#define RACE_NLOCKS     65536 /* a power of two */
#define RACE_NAME       48
#define RACE_NSOURCES   65536 /* a power of two */
#define RACE_NFRAMES    6

/* What a strand ran from one of its times to another. */
struct race_run {
	uint32_t began, ended; /* ended 0: it still runs */
	uint64_t block;
	char kernel[RACE_NAME];
};

struct race_history {
	uint64_t nruns;
	uint32_t thread;                    /* of the program; 0: the main thread, or one that runs kernels */
	struct race_run runs[RACE_NBLOCKS]; /* a ring */
};

/*
 * A place in the program: where it, and who called it, will go on. An address is its offset in the object of
 * that number, which is above bit 48. All PEs run the same program, so they have the same objects.
 */
struct race_source {
	_Atomic uint32_t state; /* 0: free; 1: being written; 2: written */
	uint64_t frames[RACE_NFRAMES];
};

/* Two places that have raced. */
struct race_counted {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint64_t n;
};

/* A word by which one tells another. Snapshot i % RACE_NSNAPSHOTS is what was told until it had that value. */
struct race_word {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint8_t lock;
	_Atomic bool is_shared; /* also by other words, for which there was no room */
	uint32_t nsnapshots;    /* so far */
	uint64_t values[RACE_NSNAPSHOTS];
};

struct race_shared {
	_Atomic uint64_t nraces, npairs, nevicted;
	_Atomic uint8_t locks[RACE_NLOCKS]; /* of the shadow, by place */
	struct race_counted pairs[RACE_NPAIRS];
	struct race_source sources[RACE_NSOURCES];
	struct race_word words[RACE_NWORDS];
	struct race_history histories[]; /* of all strands */
};

struct race_history *race_history(unsigned strand);
void race_history_begin(unsigned strand, uint32_t time, const char *kernel, uint64_t block);
void race_history_end(unsigned strand, uint32_t time);
/* The clock of a word's snapshot. */
struct race_clock *race_snapshot(const struct race_word *w, unsigned i);

#endif /* HIPCPU_RACE_SHARED_H */
