/* SPDX-License-Identifier: BSD-3-Clause */
/* What caches.c and late.c share: the memory of a block. */
#ifndef AMDSIM_CACHES_H
#define AMDSIM_CACHES_H

#include "sim.h"

enum { MAX_LATE = 64, NRANGES = 4 };

/*
 * The memory of a block. It outlives the block: with late memory the next block on the CU finds its stale
 * lines, and its stores may still be outstanding.
 */
struct cached_block {
	struct range ranges[NRANGES]; /* those found last */
	unsigned next_range;
	int device;
	unsigned l2; /* which L2 of the device its CU uses */
	bool used;
	uint64_t rng;
	struct late *late[MAX_LATE]; /* oldest first */
	unsigned nlate;
	struct caches *caches; /* NULL: memory is in program order */
	struct cached_block *next;
};

static inline unsigned draw(struct cached_block *b, unsigned n)
{
	return (unsigned)(random_next(&b->rng) >> 33) % n;
}

/* Returns the caches of a compute unit, and which L2 it uses. */
void caches_open(struct cached_block *b, int cu);
/* rsrc1's WGP_MODE: a block's waves run on both CUs of a WGP. */
unsigned caches_cu(const struct wave *w);
/* Does the operation now. a->past: of caches_levels. */
void caches_happen(struct cached_block *b, unsigned cu, struct access *a);
/* CACHE_L2_AGENT: lines that other L2s of the agent may have changed, if there are any. */
unsigned caches_levels(unsigned past);
/* Evicts some line. */
void caches_lose_line(struct cached_block *b);
/* For the L2s of a device: a kernel begins, or has ended. */
void caches_invalidate_l2s(int device);
void caches_write_back_l2s(int device);

#endif /* AMDSIM_CACHES_H */
