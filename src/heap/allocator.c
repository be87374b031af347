/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two-level segregated fit (TLSF) over granules, with all metadata outside the heap.
 *
 * The heap is cut into blocks without gaps; a block is an allocation or free. Three structures hold them:
 *
 *  - A record per block in one array. Blocks are named by their number in it, because the array moves when it
 *    grows. Number 0 is no block.
 *  - The index says where blocks start: one bit per granule, and above it one bit per word of the level
 *    below, and so on. It answers "the last block that starts at or before this granule", which makes free,
 *    find, and the neighbours of a block the same constant-time question; there are no neighbour links. It is
 *    a lazy mapping of 1/1024 of the heap.
 *  - A hash table leads from a block's start to its record. A number per granule instead is simpler, but
 *    costs a page of CPU memory wherever a block ever started: 2.4 GiB after 10^6 calls on a heap of 256 GiB
 *    with 200000 allocations.
 *  - The free lists: 32 classes per power of two, each a list with the last freed block first, and a bitmap
 *    of the classes that are not empty. Below 32 granules every size has its own class.
 */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS, MAP_NORESERVE */

#include "heap/allocator.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#define GRANULE        GSHMEMI_ALLOCATOR_GRANULE
#define COLUMN_BITS    5 /* log2 of the classes per power of two */
/* 2^58 granules: a request of 2^64 bytes plus the padding for the largest alignment */
#define NROWS          55
#define NCLASSES       (NROWS << COLUMN_BITS)
#define MAX_LEVELS     10 /* 6 bits each: 2^60 granules */
#define FIRST_CAPACITY 64 /* records allocated at first */

struct block {
	uint64_t start; /* granule */
	uint64_t ngranules;
	uint64_t nbytes; /* as asked for; 0 if the block is free */
	uint32_t next;   /* free block: the list of its class; spare record: the list of spares */
	uint32_t prev;   /* free block: the list of its class */
	uint32_t chain;  /* the next block in its bucket */
};

struct gshmemi_allocator {
	uint64_t ngranules;
	uint64_t ntaken;      /* granules that allocations take */
	uint64_t used_nbytes; /* sum of block.nbytes */
	uint64_t nallocations;
	unsigned most_probes; /* the longest search so far, for stats */

	struct block *blocks; /* [capacity] */
	uint32_t *buckets;    /* [capacity]: the first block of each */
	uint64_t capacity;    /* a power of two */
	uint64_t nblocks;     /* records in use */
	/* the highest number given out so far: the most blocks there ever were at a time */
	uint32_t last_block;
	uint32_t spare; /* list of records that were given back */

	uint64_t *level[MAX_LEVELS]; /* level[0]: bit g is set where a block starts at granule g */
	unsigned nlevels;
	uint64_t *index; /* the mapping that level points into */
	uint64_t index_nbytes;

	uint64_t rows; /* bit r: columns[r] is not 0 */
	/* bit c of row r: class 32 r + c is not empty; the last row never has one */
	uint32_t columns[NROWS + 1];
	uint32_t heads[NCLASSES];
};

static unsigned high_bit(uint64_t word)
{
	return 63 - (unsigned)__builtin_clzll(word);
}

static unsigned low_bit(uint64_t word)
{
	return (unsigned)__builtin_ctzll(word);
}

static uint64_t to_granules(uint64_t nbytes)
{
	return nbytes / GRANULE + (nbytes % GRANULE != 0);
}

/* ---- index ---- */

/* Level l has one bit per 64^l granules. One word more than needed, so that a search may start at the end. */
static uint64_t level_nwords(uint64_t ngranules, unsigned level)
{
	return (ngranules >> 6 >> (6 * level)) + 1;
}

static int index_create(struct gshmemi_allocator *a)
{
	uint64_t nwords = 0;

	for (a->nlevels = 0; a->ngranules >> (6 * a->nlevels); a->nlevels++)
		nwords += level_nwords(a->ngranules, a->nlevels);

	/*
	 * calloc could fail for sizes beyond the machine's memory, although a sparse heap touches only
	 * a few pages.
	 */
	a->index_nbytes = nwords * sizeof(*a->index);
	a->index = mmap(NULL, a->index_nbytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (a->index == MAP_FAILED)
		return -ENOMEM;

	a->level[0] = a->index;
	for (unsigned l = 1; l < a->nlevels; l++)
		a->level[l] = a->level[l - 1] + level_nwords(a->ngranules, l - 1);
	return 0;
}

/* Fibonacci hashing: the high bits of the product. */
static uint32_t *bucket_of(const struct gshmemi_allocator *a, uint64_t start)
{
	return &a->buckets[start * 0x9e3779b97f4a7c15ull >> (__builtin_clzll(a->capacity) + 1)];
}

/* The block that starts at start. */
static uint32_t block_at(const struct gshmemi_allocator *a, uint64_t start)
{
	uint32_t block = *bucket_of(a, start);

	while (block && a->blocks[block].start != start)
		block = a->blocks[block].chain;
	return block;
}

static void chain_add(struct gshmemi_allocator *a, uint32_t block)
{
	uint32_t *bucket = bucket_of(a, a->blocks[block].start);

	a->blocks[block].chain = *bucket;
	*bucket = block;
}

static void index_add(struct gshmemi_allocator *a, uint32_t block)
{
	uint64_t g = a->blocks[block].start;

	chain_add(a, block);
	for (unsigned l = 0; l < a->nlevels; l++, g >>= 6) {
		uint64_t *word = &a->level[l][g >> 6], before = *word;

		*word |= 1ull << (g & 63);
		if (before)
			break; /* the word was not empty, so the levels above already have the bit */
	}
}

static void index_remove(struct gshmemi_allocator *a, uint32_t block)
{
	uint64_t g = a->blocks[block].start;
	uint32_t *link = bucket_of(a, g);

	while (*link != block)
		link = &a->blocks[*link].chain;
	*link = a->blocks[block].chain;
	for (unsigned l = 0; l < a->nlevels; l++, g >>= 6) {
		uint64_t *word = &a->level[l][g >> 6];

		*word &= ~(1ull << (g & 63));
		if (*word)
			break;
	}
}

/* The block that granule lies in. There is one: a block starts at 0. */
static uint32_t block_of(const struct gshmemi_allocator *a, uint64_t granule)
{
	uint64_t end = granule + 1, word; /* search for the last bit below end */
	unsigned l = 0;

	while (!(word = a->level[l][end >> 6] & ((1ull << (end & 63)) - 1))) {
		end >>= 6;
		l++;
	}
	for (end = (end & ~63ull) | high_bit(word); l; l--)
		end = end << 6 | high_bit(a->level[l - 1][end]);
	return block_at(a, end);
}

static uint32_t block_before(const struct gshmemi_allocator *a, uint32_t block)
{
	return a->blocks[block].start ? block_of(a, a->blocks[block].start - 1) : 0;
}

static uint32_t block_after(const struct gshmemi_allocator *a, uint32_t block)
{
	uint64_t end = a->blocks[block].start + a->blocks[block].ngranules;

	return end < a->ngranules ? block_at(a, end) : 0;
}

/* ---- free lists ---- */

/*
 * Classes grow with size and leave none out: class_of(n - 1) + 1 is the first in which every block
 * has n granules.
 */
static unsigned class_of(uint64_t ngranules)
{
	unsigned log2 = high_bit(ngranules | 1);
	unsigned shift = log2 > COLUMN_BITS ? log2 - COLUMN_BITS : 0;

	return (shift << COLUMN_BITS) + (unsigned)(ngranules >> shift);
}

/* The first class from class up that is not empty; 0, which is always empty, if there is none. */
static unsigned next_class(const struct gshmemi_allocator *a, unsigned class)
{
	unsigned row = class >> COLUMN_BITS;
	uint32_t columns = a->columns[row] & (UINT32_MAX << (class & 31));

	if (!columns) {
		uint64_t rows = a->rows & (UINT64_MAX << row << 1);

		if (!rows)
			return 0;
		row = low_bit(rows);
		columns = a->columns[row];
	}
	return row << COLUMN_BITS | low_bit(columns);
}

static void list_add(struct gshmemi_allocator *a, uint32_t block)
{
	unsigned class = class_of(a->blocks[block].ngranules);
	uint32_t head = a->heads[class];

	a->blocks[block].next = head;
	a->blocks[block].prev = 0;
	if (head)
		a->blocks[head].prev = block;
	a->heads[class] = block;
	a->columns[class >> COLUMN_BITS] |= 1u << (class & 31);
	a->rows |= 1ull << (class >> COLUMN_BITS);
}

static void list_remove(struct gshmemi_allocator *a, uint32_t block)
{
	unsigned class = class_of(a->blocks[block].ngranules), row = class >> COLUMN_BITS;
	uint32_t next = a->blocks[block].next, prev = a->blocks[block].prev;

	if (next)
		a->blocks[next].prev = prev;
	if (prev) {
		a->blocks[prev].next = next;
		return;
	}
	a->heads[class] = next;
	if (!next) {
		a->columns[row] &= ~(1u << (class & 31));
		if (!a->columns[row])
			a->rows &= ~(1ull << row);
	}
}

/* ---- blocks ---- */

static bool is_free(const struct gshmemi_allocator *a, uint32_t block)
{
	return !a->blocks[block].nbytes;
}

/* Makes sure that the next n splits find a record. A failure changes nothing. */
static int reserve_blocks(struct gshmemi_allocator *a, unsigned n)
{
	uint64_t old_capacity = a->capacity, capacity = 2 * old_capacity;
	uint32_t *buckets, *old_buckets = a->buckets;
	struct block *blocks;

	if (a->nblocks + n < a->capacity) /* not <=: number 0 is no block */
		return 0;
	if (capacity > UINT32_MAX)
		return -ENOMEM;
	blocks = realloc(a->blocks, capacity * sizeof(*blocks));
	if (!blocks)
		return -ENOMEM;
	a->blocks = blocks;
	buckets = calloc(capacity, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	a->buckets = buckets;
	a->capacity = capacity;
	for (uint64_t i = 0; i < old_capacity; i++)
		for (uint32_t block = old_buckets[i], next; block; block = next) {
			next = a->blocks[block].chain;
			chain_add(a, block);
		}
	free(old_buckets);
	return 0;
}

static uint32_t add_block(struct gshmemi_allocator *a, uint64_t start, uint64_t ngranules)
{
	uint32_t block = a->spare;

	if (block)
		a->spare = a->blocks[block].next;
	else
		block = ++a->last_block;
	a->nblocks++;
	a->blocks[block] = (struct block){.start = start, .ngranules = ngranules};
	index_add(a, block);
	return block;
}

/* Cut a block that is in no list after ngranules. Returns the second part, free and in no list. */
static uint32_t split_block(struct gshmemi_allocator *a, uint32_t block, uint64_t ngranules)
{
	struct block *first = &a->blocks[block]; /* add_block does not move the array */
	uint32_t second = add_block(a, first->start + ngranules, first->ngranules - ngranules);

	first->ngranules = ngranules;
	return second;
}

/* Give the granules of the block after block, which is in no list, to block. */
static void join(struct gshmemi_allocator *a, uint32_t block, uint32_t after)
{
	a->blocks[block].ngranules += a->blocks[after].ngranules;
	index_remove(a, after);
	a->blocks[after].next = a->spare;
	a->spare = after;
	a->nblocks--;
}

/* Put a free block into its list, joined with free neighbours. */
static void release(struct gshmemi_allocator *a, uint32_t block)
{
	uint32_t before = block_before(a, block), after = block_after(a, block);

	if (after && is_free(a, after)) {
		list_remove(a, after);
		join(a, block, after);
	}
	if (before && is_free(a, before)) {
		list_remove(a, before);
		join(a, before, block);
		block = before;
	}
	list_add(a, block);
}

/* Granules from the start of the block to a multiple of align granules. */
static uint64_t padding(const struct gshmemi_allocator *a, uint32_t block, uint64_t align)
{
	return -a->blocks[block].start & (align - 1);
}

/*
 * A free block that has ngranules from a multiple of align on, or 0.
 *
 * Plain TLSF looks only where every block fits, whatever its alignment. Then freeing 1000 granules and asking
 * for 1000 again takes another block, and the whole heap can be had only if its size is the bottom of a
 * class. So the blocks that may fit are tried first, smallest class first, but only so many of them.
 */
static uint32_t find_fit(struct gshmemi_allocator *a, uint64_t ngranules, uint64_t align)
{
	unsigned nprobes = 0, class;
	uint32_t block = 0;

	for (class = next_class(a, class_of(ngranules)); class; class = next_class(a, class + 1))
		for (block = a->heads[class]; block; block = a->blocks[block].next) {
			if (nprobes == GSHMEMI_ALLOCATOR_PROBES)
				return a->heads[next_class(a, class_of(ngranules + align - 2) + 1)];
			if (++nprobes > a->most_probes)
				a->most_probes = nprobes;
			if (padding(a, block, align) + ngranules <= a->blocks[block].ngranules)
				return block;
		}
	return 0;
}

static void account(struct gshmemi_allocator *a, uint32_t block, uint64_t nbytes)
{
	struct block *b = &a->blocks[block];

	a->used_nbytes += nbytes - b->nbytes;
	a->ntaken += to_granules(nbytes) - to_granules(b->nbytes);
	a->nallocations += (nbytes != 0) - (uint64_t)(b->nbytes != 0);
	b->nbytes = nbytes;
}

/* ---- the calls ---- */

int gshmemi_allocator_create(uint64_t nbytes, struct gshmemi_allocator **allocator_p)
{
	struct gshmemi_allocator *a;
	int rc = -ENOMEM;

	if (nbytes < GRANULE)
		return -EINVAL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->ngranules = nbytes / GRANULE;
	a->capacity = FIRST_CAPACITY;
	a->blocks = malloc(a->capacity * sizeof(*a->blocks));
	a->buckets = calloc(a->capacity, sizeof(*a->buckets));
	if (!a->blocks || !a->buckets)
		goto err_free;
	rc = index_create(a);
	if (rc)
		goto err_free;
	list_add(a, add_block(a, 0, a->ngranules));
	*allocator_p = a;
	return 0;

err_free:
	free(a->buckets);
	free(a->blocks);
	free(a);
	return rc;
}

void gshmemi_allocator_destroy(struct gshmemi_allocator *a)
{
	if (!a)
		return;
	munmap(a->index, a->index_nbytes);
	free(a->buckets);
	free(a->blocks);
	free(a);
}

int gshmemi_allocator_alloc(struct gshmemi_allocator *a, uint64_t nbytes, uint64_t align, uint64_t *offset_p)
{
	uint64_t ngranules = to_granules(nbytes), skip;
	uint32_t block, front = 0, rest = 0;
	int rc;

	if (!nbytes || !align || align & (align - 1))
		return -EINVAL;
	rc = reserve_blocks(a, 2);
	if (rc)
		return rc;
	align = to_granules(align);
	block = find_fit(a, ngranules, align);
	if (!block)
		return -ENOMEM;

	list_remove(a, block);
	skip = padding(a, block, align);
	if (skip) {
		front = block;
		block = split_block(a, front, skip);
	}
	if (a->blocks[block].ngranules > ngranules)
		rest = split_block(a, block, ngranules);
	account(a, block, nbytes); /* before release: it joins what is free */
	if (front)
		release(a, front);
	if (rest)
		release(a, rest);
	*offset_p = a->blocks[block].start * GRANULE;
	return 0;
}

/* Finds the allocation that starts at offset. The errors are those of free and resize. */
static int find_start(const struct gshmemi_allocator *a, uint64_t offset, uint32_t *block_p)
{
	uint32_t block;

	if (offset / GRANULE >= a->ngranules)
		return -EINVAL;
	block = block_of(a, offset / GRANULE);
	if (is_free(a, block))
		return -ENOENT;
	if (a->blocks[block].start * GRANULE != offset)
		return -EINVAL;
	*block_p = block;
	return 0;
}

int gshmemi_allocator_free(struct gshmemi_allocator *a, uint64_t offset)
{
	uint32_t block;
	int rc = find_start(a, offset, &block);

	if (rc)
		return rc;
	account(a, block, 0);
	release(a, block);
	return 0;
}

int gshmemi_allocator_resize(struct gshmemi_allocator *a, uint64_t offset, uint64_t nbytes)
{
	uint64_t ngranules = to_granules(nbytes);
	uint32_t block, after;
	int rc = find_start(a, offset, &block);

	if (!rc)
		rc = nbytes ? reserve_blocks(a, 1) : -EINVAL;
	if (rc)
		return rc;
	if (ngranules > a->blocks[block].ngranules) {
		after = block_after(a, block);
		if (!after || !is_free(a, after) ||
			a->blocks[after].ngranules < ngranules - a->blocks[block].ngranules)
			return -ENOSPC;
		list_remove(a, after);
		join(a, block, after);
	}
	account(a, block, nbytes);
	if (a->blocks[block].ngranules > ngranules)
		release(a, split_block(a, block, ngranules));
	return 0;
}

/* The result of find and next for a block: -ENOENT unless it is an allocation. */
static int describe_block(
	const struct gshmemi_allocator *a, uint32_t block, uint64_t *start_p, uint64_t *nbytes_p)
{
	if (!block || is_free(a, block))
		return -ENOENT;
	*start_p = a->blocks[block].start * GRANULE;
	*nbytes_p = a->blocks[block].nbytes;
	return 0;
}

int gshmemi_allocator_find(
	const struct gshmemi_allocator *a, uint64_t offset, uint64_t *start_p, uint64_t *nbytes_p)
{
	if (offset / GRANULE >= a->ngranules)
		return -EINVAL;
	return describe_block(a, block_of(a, offset / GRANULE), start_p, nbytes_p);
}

int gshmemi_allocator_next(
	const struct gshmemi_allocator *a, uint64_t from, uint64_t *start_p, uint64_t *nbytes_p)
{
	uint64_t granule = to_granules(from);
	uint32_t block;

	if (granule >= a->ngranules)
		return -ENOENT;
	block = block_of(a, granule);
	if (a->blocks[block].start < granule)
		block = block_after(a, block);
	/* the one after it is an allocation, because free neighbours are joined */
	if (block && is_free(a, block))
		block = block_after(a, block);
	return describe_block(a, block, start_p, nbytes_p);
}

/* The only call that walks a list, the one of the largest class. */
void gshmemi_allocator_stats(const struct gshmemi_allocator *a, struct gshmemi_allocator_stats *stats_p)
{
	uint64_t largest = 0;

	if (a->rows) {
		unsigned row = high_bit(a->rows);

		for (uint32_t b = a->heads[row << COLUMN_BITS | high_bit(a->columns[row])]; b;
			b = a->blocks[b].next)
			if (a->blocks[b].ngranules > largest)
				largest = a->blocks[b].ngranules;
	}
	*stats_p = (struct gshmemi_allocator_stats){
		.total_nbytes = a->ngranules * GRANULE,
		.used_nbytes = a->used_nbytes,
		.taken_nbytes = a->ntaken * GRANULE,
		.free_nbytes = (a->ngranules - a->ntaken) * GRANULE,
		.largest_free_nbytes = largest * GRANULE,
		.nallocations = a->nallocations,
		.most_probes = a->most_probes,
	};
}

/* ---- self-check ---- */

/* Bits of level 0 below a word of the index; 0 if a bit above leads to an empty word. */
static uint64_t count_starts(const struct gshmemi_allocator *a, unsigned level, uint64_t at)
{
	uint64_t count = 0, below;

	for (uint64_t word = a->level[level][at]; word; word &= word - 1) {
		below = level ? count_starts(a, level - 1, at << 6 | low_bit(word)) : 1;
		if (!below)
			return 0;
		count += below;
	}
	return count;
}

const char *gshmemi_allocator_check(const struct gshmemi_allocator *a)
{
	uint64_t nblocks = 0, nfree = 0, nallocations = 0, ntaken = 0, used_nbytes = 0, nlisted = 0,
		 nspare = 0;
	uint64_t end = 0;
	bool was_free = false;

	if (!(a->level[0][0] & 1))
		return "no block starts at 0";
	for (uint32_t b = block_at(a, 0); b; b = block_after(a, b)) {
		const struct block *block = &a->blocks[b];

		if (++nblocks > a->nblocks)
			return "more blocks than records in use";
		if (block->start != end || !block->ngranules || block->ngranules > a->ngranules - end)
			return "blocks leave a gap or overlap";
		end += block->ngranules;
		if (block_of(a, block->start) != b || block_of(a, end - 1) != b)
			return "the index does not lead to a block";
		if (is_free(a, b)) {
			if (was_free)
				return "two free blocks side by side";
			nfree++;
		} else {
			if (to_granules(block->nbytes) != block->ngranules)
				return "an allocation has more or less room than it asked for";
			nallocations++;
			ntaken += block->ngranules;
			used_nbytes += block->nbytes;
		}
		was_free = is_free(a, b);
	}
	if (end != a->ngranules || nblocks != a->nblocks || count_starts(a, a->nlevels - 1, 0) != nblocks)
		return "blocks, records and index have different counts";
	if (nallocations != a->nallocations || ntaken != a->ntaken || used_nbytes != a->used_nbytes)
		return "the sums for the statistics are wrong";

	for (unsigned class = 0; class < NCLASSES; class ++) {
		unsigned row = class >> COLUMN_BITS;
		uint32_t prev = 0;

		if ((a->heads[class] != 0) != (a->columns[row] >> (class & 31) & 1) ||
			(a->columns[row] != 0) != (a->rows >> row & 1))
			return "a bitmap does not match its list";
		for (uint32_t b = a->heads[class]; b; prev = b, b = a->blocks[b].next) {
			if (++nlisted > nfree || !is_free(a, b) || class_of(a->blocks[b].ngranules) != class)
				return "a list holds a block of another class or one in use";
			if (a->blocks[b].prev != prev || block_of(a, a->blocks[b].start) != b)
				return "a list is broken";
		}
	}
	if (nlisted != nfree)
		return "a free block is in no list";
	for (uint32_t b = a->spare; b && nspare <= a->last_block; b = a->blocks[b].next)
		nspare++;
	if (nblocks + nspare != a->last_block)
		return "a record is lost";
	return NULL;
}
