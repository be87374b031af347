/* SPDX-License-Identifier: BSD-3-Clause */
/* What a lane asks about itself, its block and its grid, and the barrier of a grid. */
#include "block.h"

unsigned hipcpu_thread_rank(void)
{
	return hipcpu_self ? lane_number(hipcpu_block, hipcpu_self) : 0;
}

unsigned hipcpu_thread_count(void)
{
	return hipcpu_self ? hipcpu_block->nlanes : 1;
}

unsigned hipcpu_wave_width(void)
{
	return hipcpu_config()->wave;
}

unsigned hipcpu_lane_id(void)
{
	return hipcpu_self ? lane_number(hipcpu_block, hipcpu_self) & (hipcpu_block->width - 1) : 0;
}

uint64_t hipcpu_block_id(void)
{
	return hipcpu_self ? hipcpu_block->id : 0;
}

uint64_t *hipcpu_block_words(void)
{
	return hipcpu_block->words;
}

uint64_t hipcpu_block_stops(void)
{
	return hipcpu_self ? atomic_load_explicit(&hipcpu_block->progress, memory_order_relaxed) : 0;
}

uint64_t hipcpu_lane_serial(void)
{
	struct block *b = hipcpu_block;

	if (!hipcpu_self)
		return 0;
	return (b->launch->serial + b->id + 1) * HIPCPU_MAX_THREADS + lane_number(b, hipcpu_self);
}

void *hipcpu_dynamic_shared(void)
{
	return hipcpu_block ? hipcpu_block->shared : NULL;
}

void hipcpu_grid_sync(void)
{
	struct launch *launch = hipcpu_block->launch;
	/* acquire and release: what any block wrote before is seen by all after */
	uint64_t arrived = atomic_fetch_add(&launch->grid_arrived, 1) + 1;
	uint64_t target = (arrived + launch->nblocks - 1) / launch->nblocks * launch->nblocks;
	unsigned polls = 0;

	while (atomic_load_explicit(&launch->grid_arrived, memory_order_acquire) < target)
		hipcpu_pause(&polls);
}
