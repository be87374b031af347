/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups, and the copies that they make together. One body serves a thread, a wave and a work-group.
 */
#ifndef GSHMEM_COPY_H
#define GSHMEM_COPY_H

#include <gshmem/state/peer.h>

/* The threads that make a call together, as one of them sees it. */
struct gshmemi_group {
	int scope;     /* GSHMEMI_THREAD, _WAVE, _WG */
	unsigned rank; /* 0 .. size-1 */
	unsigned size;
	uint64_t mask; /* GSHMEMI_WAVE: lanes of the group. Of a thread that works for all: for its end */
};

GSHMEMI_FN void gshmemi_group_sync(const struct gshmemi_group *group)
{
	if (group->scope != GSHMEMI_THREAD)
		gshmemi_arch_group_sync(group->scope, group->mask);
}

/*
 * Returns the group as this thread sees it; does not wait for a work-group. key stands for the call's
 * arguments: lanes of a wave with different keys make different calls.
 */
#define GSHMEMI_KEY(dest, source) /* a plain sum collides */ \
	((uint64_t)(uintptr_t)(dest)*0x9e3779b97f4a7c15U ^ (uint64_t)(uintptr_t)(source))

GSHMEMI_FN struct gshmemi_group gshmemi_group_here(int scope, uint64_t key)
{
	struct gshmemi_group group;

	group.scope = scope;
	group.mask = scope == GSHMEMI_WAVE ? gshmemi_arch_wave_enter(key) : 1;
	group.rank = gshmemi_arch_group_rank(scope, group.mask);
	group.size = gshmemi_arch_group_size(scope, group.mask);
	return group;
}

/* The same, when the whole group has arrived: what its threads wrote before is visible to all of them. */
GSHMEMI_FN struct gshmemi_group gshmemi_group_enter(int scope, uint64_t key)
{
	struct gshmemi_group group = gshmemi_group_here(scope, key);

	if (scope == GSHMEMI_WG)
		gshmemi_arch_group_sync(scope, group.mask);
	return group;
}

/* ---- the work of a group ---- */

/* Whether one thread does the work of its group: on platforms where threads take turns. */
#if GSHMEMI_ARCH_HAS_ELECT
#define GSHMEMI_ELECTS(scope) ((scope) != GSHMEMI_THREAD)
#else
#define GSHMEMI_ELECTS(scope) 0
#endif

/*
 * Wait for the whole group, then share out the work. A thread that gets 1 does its share, by rank and size,
 * and calls gshmemi_group_end. If one thread does the work of all, it is a group of one; the others get 0
 * when it ends, and call nothing.
 */
GSHMEMI_FN int gshmemi_group_begin(struct gshmemi_group *group, int scope, uint64_t key)
{
#if GSHMEMI_ARCH_HAS_ELECT
	group->scope = scope;
	group->rank = 0;
	group->size = 1;
	group->mask = gshmemi_arch_group_elect(scope, key);
	return group->mask != 0;
#else
	*group = gshmemi_group_enter(scope, key);
	return 1;
#endif
}

/*
 * The same for work that needs nothing of the other threads: only a thread that works for all waits for them.
 */
GSHMEMI_FN int gshmemi_group_begin_early(struct gshmemi_group *group, int scope, uint64_t key)
{
#if GSHMEMI_ARCH_HAS_ELECT
	return gshmemi_group_begin(group, scope, key);
#else
	*group = gshmemi_group_here(scope, key);
	return 1;
#endif
}

/* Ends the work of the group: what one thread does afterwards comes after the work of all. */
GSHMEMI_FN void gshmemi_group_end(const struct gshmemi_group *group)
{
#if GSHMEMI_ARCH_HAS_ELECT
	gshmemi_arch_group_release(group->scope, group->mask);
#else
	gshmemi_group_sync(group);
#endif
}

/* ---- the lanes' copy: what a GPU executes ---- */

/* Which end of a copy is a peer's: the destination or the source. */
enum gshmemi_way { GSHMEMI_TO_PEER, GSHMEMI_FROM_PEER };

/*
 * Read a word of word_nbytes, a constant, from the source; write it. The end that is not a peer's
 * is global memory.
 */
GSHMEMI_FN struct gshmemi_word gshmemi_word_read(int way, const char *source, unsigned word_nbytes)
{
	return way == GSHMEMI_FROM_PEER ? gshmemi_arch_read_peer(source, word_nbytes)
					: gshmemi_arch_read_global(source, word_nbytes);
}

GSHMEMI_FN void gshmemi_word_write(int way, char *dest, struct gshmemi_word word, unsigned word_nbytes)
{
	if (way == GSHMEMI_FROM_PEER)
		gshmemi_arch_write_global(dest, word, word_nbytes);
	else
		gshmemi_arch_write_peer(dest, word, word_nbytes);
}

/* The same in memory that may be LDS or a stack, aligned to word_nbytes. */
GSHMEMI_FN struct gshmemi_word gshmemi_local_read(const char *source, unsigned word_nbytes)
{
	struct gshmemi_word word = {{0, 0}};

	if (word_nbytes == 16)
		__builtin_memcpy(word.half, __builtin_assume_aligned(source, 16), 16);
	else if (word_nbytes == 8)
		__builtin_memcpy(word.half, __builtin_assume_aligned(source, 8), 8);
	else if (word_nbytes == 4)
		__builtin_memcpy(word.half, __builtin_assume_aligned(source, 4), 4);
	else if (word_nbytes == 2)
		__builtin_memcpy(word.half, __builtin_assume_aligned(source, 2), 2);
	else
		__builtin_memcpy(word.half, source, 1);
	return word;
}

GSHMEMI_FN void gshmemi_local_write(char *dest, struct gshmemi_word word, unsigned word_nbytes)
{
	if (word_nbytes == 16)
		__builtin_memcpy(__builtin_assume_aligned(dest, 16), word.half, 16);
	else if (word_nbytes == 8)
		__builtin_memcpy(__builtin_assume_aligned(dest, 8), word.half, 8);
	else if (word_nbytes == 4)
		__builtin_memcpy(__builtin_assume_aligned(dest, 4), word.half, 4);
	else if (word_nbytes == 2)
		__builtin_memcpy(__builtin_assume_aligned(dest, 2), word.half, 2);
	else
		__builtin_memcpy(dest, word.half, 1);
}

/* Copy one element, both ends aligned to align; the end that is not a peer's may be LDS or a stack. */
GSHMEMI_FN void gshmemi_copy_element(
	int way, char *dest, const char *source, unsigned elem_nbytes, unsigned align)
{
	const unsigned word_nbytes = elem_nbytes < align ? elem_nbytes : align < 8 ? align : 8;
	unsigned i;

	for (i = 0; i < elem_nbytes; i += word_nbytes) {
		if (way == GSHMEMI_FROM_PEER)
			gshmemi_local_write(
				dest + i, gshmemi_arch_read_peer(source + i, word_nbytes), word_nbytes);
		else
			gshmemi_arch_write_peer(
				dest + i, gshmemi_local_read(source + i, word_nbytes), word_nbytes);
	}
}

/* Copy the words of the last iteration, up to four for each thread: all loads, then all stores. */
GSHMEMI_FN void gshmemi_copy_turn(int way, char *dest, const char *source, unsigned nbytes,
	unsigned word_nbytes, unsigned first, unsigned stride)
{
	const unsigned second = first + stride, third = second + stride, fourth = third + stride;
	struct gshmemi_word a, b, c, d;

	if (first >= nbytes)
		return;
	a = gshmemi_word_read(way, source + first, word_nbytes);
	if (second < nbytes)
		b = gshmemi_word_read(way, source + second, word_nbytes);
	if (third < nbytes)
		c = gshmemi_word_read(way, source + third, word_nbytes);
	if (fourth < nbytes)
		d = gshmemi_word_read(way, source + fourth, word_nbytes);
	gshmemi_word_write(way, dest + first, a, word_nbytes);
	if (second < nbytes)
		gshmemi_word_write(way, dest + second, b, word_nbytes);
	if (third < nbytes)
		gshmemi_word_write(way, dest + third, c, word_nbytes);
	if (fourth < nbytes)
		gshmemi_word_write(way, dest + fourth, d, word_nbytes);
}

/* left >= 0. It is equal for the whole group, so one scalar comparison decides. */
GSHMEMI_FN int gshmemi_copy_goes_on(int64_t left, const struct gshmemi_group *group)
{
	if (group->scope == GSHMEMI_THREAD)
		return left >= 0;
	return GSHMEMI_ARCH_UNIFORM_HIGH(left) >= 0;
}

/*
 * This thread's part of a copy of nbytes, a multiple of word_nbytes, by the whole group: neighbouring threads
 * touch neighbouring words. Each thread has four loads in flight: it stores a word when it has issued the
 * next three loads.
 */
GSHMEMI_FN void gshmemi_copy_words(int way, char *dest, const char *source, size_t nbytes,
	unsigned word_nbytes, const struct gshmemi_group *group)
{
	const unsigned stride = group->size * word_nbytes, turn = 4 * stride;
	unsigned first = group->rank * word_nbytes, second = first + stride, third = second + stride,
		 fourth = third + stride;
	int64_t left = (int64_t)nbytes - turn;
	struct gshmemi_word a, b, c, d;

	if (left >= 0) {
		a = gshmemi_word_read(way, source + first, word_nbytes);
		/* loads return in order: the first store waits for one load, not for four */
		GSHMEMI_ARCH_KEEP_ORDER();
		b = gshmemi_word_read(way, source + second, word_nbytes);
		GSHMEMI_ARCH_KEEP_ORDER();
		c = gshmemi_word_read(way, source + third, word_nbytes);
		GSHMEMI_ARCH_KEEP_ORDER();
		d = gshmemi_word_read(way, source + fourth, word_nbytes);
		source += turn;
		left -= turn;
		if (gshmemi_copy_goes_on(left, group))
			do {
				if (group->scope != GSHMEMI_THREAD)
					GSHMEMI_ARCH_KEEP_APART(source, dest, first, second, third, fourth);
				gshmemi_word_write(way, dest + first, a, word_nbytes);
				a = gshmemi_word_read(way, source + first, word_nbytes);
				gshmemi_word_write(way, dest + second, b, word_nbytes);
				b = gshmemi_word_read(way, source + second, word_nbytes);
				gshmemi_word_write(way, dest + third, c, word_nbytes);
				c = gshmemi_word_read(way, source + third, word_nbytes);
				gshmemi_word_write(way, dest + fourth, d, word_nbytes);
				d = gshmemi_word_read(way, source + fourth, word_nbytes);
				dest += turn;
				source += turn;
				left -= turn;
			} while (gshmemi_copy_goes_on(left, group));
		gshmemi_word_write(way, dest + first, a, word_nbytes);
		gshmemi_word_write(way, dest + second, b, word_nbytes);
		gshmemi_word_write(way, dest + third, c, word_nbytes);
		gshmemi_word_write(way, dest + fourth, d, word_nbytes);
		dest += turn;
	}
	gshmemi_copy_turn(way, dest, source, (unsigned)left + turn, word_nbytes, first, stride);
}

/*
 * One thread copies fewer than 16 bytes, a multiple of align, in pieces of 8, 4, 2 and 1 bytes that add
 * up to nbytes.
 */
GSHMEMI_FN void gshmemi_copy_rest(int way, char *dest, const char *source, unsigned nbytes, unsigned align)
{
	unsigned piece;

	for (piece = 8; piece >= align; piece /= 2) {
		if (!(nbytes & piece))
			continue;
		gshmemi_word_write(way, dest, gshmemi_word_read(way, source, piece), piece);
		dest += piece;
		source += piece;
	}
}

/*
 * The same in ascending order, for bytes in front of a multiple of 16: both ends are then aligned
 * for each piece.
 */
GSHMEMI_FN void gshmemi_copy_head(int way, char *dest, const char *source, unsigned nbytes, unsigned align)
{
	unsigned piece;

	for (piece = align; piece <= 8; piece *= 2) {
		if (!(nbytes & piece))
			continue;
		gshmemi_word_write(way, dest, gshmemi_word_read(way, source, piece), piece);
		dest += piece;
		source += piece;
	}
}

/*
 * Copy between global memory. align, a constant, is the alignment that the caller's type promises
 * for both ends.
 */
GSHMEMI_FN void gshmemi_copy_global(int way, char *dest, const char *source, size_t nbytes, unsigned align,
	const struct gshmemi_group *group)
{
#if GSHMEMI_ARCH_UNALIGNED
	const size_t body = nbytes & ~(size_t)15;

	gshmemi_copy_words(way, dest, source, body, 16, group);
	if (align < 16 && group->rank == 0)
		gshmemi_copy_rest(way, dest + body, source + body, (unsigned)nbytes & 15, align);
#else
	const uintptr_t skew = (uintptr_t)dest ^ (uintptr_t)source;
	unsigned head;
	size_t body;

	if (align >= 16 || ((skew & 15) == 0 && nbytes >= 16)) {
		head = align >= 16 ? 0 : (unsigned)-(uintptr_t)dest & 15;
		body = (nbytes - head) & ~(size_t)15;
		if (align < 16 && group->rank == 0)
			gshmemi_copy_head(way, dest, source, head, align);
		gshmemi_copy_words(way, dest + head, source + head, body, 16, group);
		if (align < 16 && group->rank == 0)
			gshmemi_copy_rest(way, dest + head + body, source + head + body,
				(unsigned)(nbytes - head) & 15, align);
	} else if (align >= 8) {
		gshmemi_copy_words(way, dest, source, nbytes, 8, group);
	} else if (align >= 4 || (((uintptr_t)dest | skew) & 3) == 0) {
		body = nbytes & ~(size_t)3;
		gshmemi_copy_words(way, dest, source, body, 4, group);
		if (align < 4 && group->rank == 0)
			gshmemi_copy_rest(way, dest + body, source + body, (unsigned)nbytes & 3, align);
	} else {
		gshmemi_copy_words(way, dest, source, nbytes, align < 4 ? align : 1, group);
	}
#endif
}

/*
 * Copy where the end that is not a peer's is LDS or a stack: 16 bytes at a time if both ends are aligned,
 * as tiles are.
 */
GSHMEMI_FN void gshmemi_copy_local(int way, char *dest, const char *source, size_t nbytes, unsigned align,
	const struct gshmemi_group *group)
{
	const int is_aligned = (((uintptr_t)dest | (uintptr_t)source) & 15) == 0;
	const size_t body = is_aligned ? nbytes & ~(size_t)15 : 0;
	size_t at;

	for (at = (size_t)group->rank * 16; at < body; at += (size_t)group->size * 16) {
		if (way == GSHMEMI_FROM_PEER)
			gshmemi_local_write(dest + at, gshmemi_arch_read_peer(source + at, 16), 16);
		else
			gshmemi_arch_write_peer(dest + at, gshmemi_local_read(source + at, 16), 16);
	}
	for (at = body + (size_t)group->rank * align; at < nbytes; at += (size_t)group->size * align)
		gshmemi_copy_element(way, dest + at, source + at, align, align);
}

/* Ask whether the address is global before making it uniform, which hides its origin from the compiler. */
GSHMEMI_FN void gshmemi_copy_lanes(int way, char *dest, const char *source, size_t nbytes, unsigned align,
	const struct gshmemi_group *group)
{
	const int is_global = gshmemi_arch_is_global(way == GSHMEMI_TO_PEER ? source : (const char *)dest);

	if (way == GSHMEMI_FROM_PEER)
		gshmemi_arch_fence_read_peer();
	if (!is_global) {
		gshmemi_copy_local(way, dest, source, nbytes, align, group);
		return;
	}
	if (group->scope != GSHMEMI_THREAD) {
		dest = (char *)(uintptr_t)gshmemi_arch_uniform((uint64_t)(uintptr_t)dest);
		source = (const char *)(uintptr_t)gshmemi_arch_uniform((uint64_t)(uintptr_t)source);
		nbytes = (size_t)gshmemi_arch_uniform((uint64_t)nbytes);
	}
	gshmemi_copy_global(way, dest, source, nbytes, align, group);
}

/* This thread's share of a copy by its group. */
GSHMEMI_FN void gshmemi_copy_share(int way, void *dest, const void *source, size_t nbytes, unsigned align,
	const struct gshmemi_group *group)
{
#if GSHMEMI_ARCH_HAS_COPY
	(void)way;
	(void)align;
	(void)group; /* one thread */
	gshmemi_arch_copy(dest, source, nbytes);
#else
	gshmemi_copy_lanes(way, (char *)dest, (const char *)source, nbytes, align, group);
#endif
}

/* ---- copies by a scope ---- */

/*
 * All threads of the scope copy nbytes together, and meet before and after. scope, way and align are
 * constants; align divides nbytes and both addresses.
 */
GSHMEMI_FN void gshmemi_copy(
	int scope, int way, void *dest, const void *source, size_t nbytes, unsigned align)
{
	struct gshmemi_group group;

	if (!gshmemi_group_begin(&group, scope, GSHMEMI_KEY(dest, source)))
		return;
	gshmemi_copy_share(way, dest, source, nbytes, align, &group);
	gshmemi_group_end(&group);
}

/* Copy blocks of one element. */
GSHMEMI_FN void gshmemi_copy_elements(
	int scope, int way, void *dest, const void *source, struct gshmemi_blocks b)
{
	const unsigned word_nbytes = b.elem_nbytes < 8 ? b.elem_nbytes : 8;
	struct gshmemi_group group;
	const char *from;
	int is_aligned;
	size_t i;
	char *to;

	if (!gshmemi_group_begin(&group, scope, GSHMEMI_KEY(dest, source)))
		return;
	/* Objects of a sized call may be aligned to less than their size. */
	is_aligned = (((uintptr_t)dest | (uintptr_t)source) & (word_nbytes - 1)) == 0;
	from = (const char *)source + (size_t)group.rank * (size_t)b.sst * b.elem_nbytes;
	to = (char *)dest + (size_t)group.rank * (size_t)b.dst * b.elem_nbytes;
	if (way == GSHMEMI_FROM_PEER)
		gshmemi_arch_fence_read_peer();
	for (i = group.rank; i < b.nblocks; i += group.size) {
		if (is_aligned)
			gshmemi_copy_element(way, to, from, b.elem_nbytes, word_nbytes);
		else
			gshmemi_copy_element(way, to, from, b.elem_nbytes, 1);
		from += (size_t)b.sst * group.size * b.elem_nbytes;
		to += (size_t)b.dst * group.size * b.elem_nbytes;
	}
	gshmemi_group_end(&group);
}

/*
 * Copy blocks; b.elem_nbytes is a constant. The threads form rows, as many as they suffice for; the threads
 * of a row copy a block together. A GPU's code has the loop of single elements only where the block's size
 * is a constant.
 */
GSHMEMI_FN void gshmemi_copy_blocks(
	int scope, int way, void *dest, const void *source, struct gshmemi_blocks b)
{
	const unsigned word_nbytes = b.elem_nbytes < 8 ? b.elem_nbytes : 8;
	unsigned width = 1, nrows;
	struct gshmemi_group group;
	const char *from;
	int is_aligned;
	size_t i, k;
	char *to;

	if ((GSHMEMI_ARCH_HAS_COPY || GSHMEMI_MAY_BE_CONSTANT(b.bsize)) && b.bsize == 1) {
		gshmemi_copy_elements(scope, way, dest, source, b);
		return;
	}
	if (!gshmemi_group_begin(&group, scope, GSHMEMI_KEY(dest, source)))
		return;
	is_aligned = (((uintptr_t)dest | (uintptr_t)source) & (word_nbytes - 1)) == 0;
	while (width < b.bsize && 2 * width <= group.size)
		width *= 2;
	nrows = group.size / width;
	if (way == GSHMEMI_FROM_PEER)
		gshmemi_arch_fence_read_peer();
	for (i = group.rank / width; i < b.nblocks && group.rank < nrows * width; i += nrows) {
		from = (const char *)source + i * (size_t)b.sst * b.elem_nbytes;
		to = (char *)dest + i * (size_t)b.dst * b.elem_nbytes;
#if GSHMEMI_ARCH_HAS_COPY
		if (group.size == 1) {
			gshmemi_arch_copy(to, from, b.bsize * b.elem_nbytes);
			continue;
		}
#endif
		for (k = group.rank % width; k < b.bsize; k += width)
			if (is_aligned)
				gshmemi_copy_element(way, to + k * b.elem_nbytes, from + k * b.elem_nbytes,
					b.elem_nbytes, word_nbytes);
			else
				gshmemi_copy_element(way, to + k * b.elem_nbytes, from + k * b.elem_nbytes,
					b.elem_nbytes, 1);
	}
	gshmemi_group_end(&group);
}

/* ---- values as bits ---- */

/* Convert a value of up to 8 bytes to bits, zero-extended, and back. */
GSHMEMI_FN uint64_t gshmemi_value_load(const void *value, unsigned nbytes)
{
	uint64_t bits = 0;

	__builtin_memcpy(&bits, value, nbytes);
	return bits;
}

GSHMEMI_FN void gshmemi_value_store(void *value, uint64_t bits, unsigned nbytes)
{
	__builtin_memcpy(value, &bits, nbytes);
}

/* ---- signals ---- */

/*
 * Copy to a peer, then update a signal there. Every thread releases its part, all meet, and one thread
 * updates the signal. The release pairs with the acquire at the end of gshmemi_wait.
 */
GSHMEMI_FN void gshmemi_copy_signal(int scope, void *peer_dest, const void *source, size_t nbytes,
	unsigned align, uint64_t *peer_sig, uint64_t signal, int sig_op)
{
	struct gshmemi_group group;

	if (!gshmemi_group_begin(&group, scope, GSHMEMI_KEY(peer_dest, source)))
		return;
	gshmemi_copy_share(GSHMEMI_TO_PEER, peer_dest, source, nbytes, align, &group);
	gshmemi_arch_fence_release();
	gshmemi_group_end(&group);
	if (group.rank != 0)
		return;
	if (sig_op == GSHMEM_SIGNAL_ADD)
		(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, peer_sig, signal, 0);
	else
		(void)gshmemi_arch_amo64(GSHMEMI_AMO_SET, peer_sig, signal, 0);
}

#endif /* GSHMEM_COPY_H */
