/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups, and the copies that they make together. One body serves a thread, a wave and a work-group.
 */
#ifndef GSHMEM_COPY_H
#define GSHMEM_COPY_H

#include <gshmem/peer.h>

/* The threads that make a call together, as one of them sees it. */
struct gshmemi_group {
	int scope;     /* GSHMEMI_THREAD, _WAVE, _WG */
	unsigned rank; /* 0 .. size-1 */
	unsigned size;
	uint64_t mask; /* lanes of the wave; for GSHMEMI_WAVE alone */
};

GSHMEMI_FN void gshmemi_group_sync(const struct gshmemi_group *group)
{
	if (group->scope != GSHMEMI_THREAD)
		gshmemi_arch_group_sync(group->scope, group->mask);
}

/*
 * The group as this thread sees it. key stands for the arguments of the call: lanes of a wave with different ones make
 * different calls. Does not wait for a work-group.
 */
#define GSHMEMI_KEY(dest, source) ((uint64_t)(uintptr_t)(dest) + (uint64_t)(uintptr_t)(source))

GSHMEMI_FN struct gshmemi_group gshmemi_group_here(int scope, uint64_t key)
{
	struct gshmemi_group group;

	group.scope = scope;
	group.mask = scope == GSHMEMI_WAVE ? gshmemi_arch_wave_enter(key) : 1;
	group.rank = gshmemi_arch_group_rank(scope, group.mask);
	group.size = gshmemi_arch_group_size(scope, group.mask);
	return group;
}

/* The same when all of it has arrived: what its threads wrote before is visible to all of them. */
GSHMEMI_FN struct gshmemi_group gshmemi_group_enter(int scope, uint64_t key)
{
	struct gshmemi_group group = gshmemi_group_here(scope, key);

	if (scope == GSHMEMI_WG)
		gshmemi_arch_group_sync(scope, group.mask);
	return group;
}

/* ---- the lanes' copy: what a GPU executes ---- */

/* One 16-byte access where both ends are aligned to 16. */
struct __attribute__((aligned(16))) gshmemi_word {
	uint64_t half[2];
};

/* Read and write unit bytes, a constant power of two up to 16, at addresses aligned to it. */
GSHMEMI_FN struct gshmemi_word gshmemi_unit_load(const char *source, unsigned unit)
{
	struct gshmemi_word word;

	switch (unit) {
	case 16:
		return *(const struct gshmemi_word *)(const void *)source;
	case 8:
		__builtin_memcpy(word.half, __builtin_assume_aligned(source, 8), 8);
		break;
	case 4:
		__builtin_memcpy(word.half, __builtin_assume_aligned(source, 4), 4);
		break;
	default:
		__builtin_memcpy(word.half, source, 1);
		break;
	}
	return word;
}

GSHMEMI_FN void gshmemi_unit_store(char *dest, struct gshmemi_word word, unsigned unit)
{
	switch (unit) {
	case 16:
		*(struct gshmemi_word *)(void *)dest = word;
		break;
	case 8:
		__builtin_memcpy(__builtin_assume_aligned(dest, 8), word.half, 8);
		break;
	case 4:
		__builtin_memcpy(__builtin_assume_aligned(dest, 4), word.half, 4);
		break;
	default:
		__builtin_memcpy(dest, word.half, 1);
		break;
	}
}

/*
 * Thread rank of size copies its share of nunits units, interleaved with the others', so that neighbours touch
 * neighbouring addresses. Four loads are in flight before the first store.
 */
GSHMEMI_FN void gshmemi_copy_units(char *dest, const char *source, size_t nunits, unsigned unit, unsigned rank,
				   unsigned size)
{
	const size_t step = (size_t)size * unit;
	size_t i = rank;

	dest += (size_t)rank * unit;
	source += (size_t)rank * unit;
	for (; i + 3 * (size_t)size < nunits; i += 4 * (size_t)size) {
		struct gshmemi_word a = gshmemi_unit_load(source, unit);
		struct gshmemi_word b = gshmemi_unit_load(source + step, unit);
		struct gshmemi_word c = gshmemi_unit_load(source + 2 * step, unit);
		struct gshmemi_word d = gshmemi_unit_load(source + 3 * step, unit);

		gshmemi_unit_store(dest, a, unit);
		gshmemi_unit_store(dest + step, b, unit);
		gshmemi_unit_store(dest + 2 * step, c, unit);
		gshmemi_unit_store(dest + 3 * step, d, unit);
		source += 4 * step;
		dest += 4 * step;
	}
	for (; i < nunits; i += size) {
		gshmemi_unit_store(dest, gshmemi_unit_load(source, unit), unit);
		source += step;
		dest += step;
	}
}

/* Bytes up to the first aligned unit, whole units, and the bytes that are left. */
GSHMEMI_FN void gshmemi_copy_aligned(char *dest, const char *source, size_t nbytes, unsigned unit, unsigned rank,
				     unsigned size)
{
	size_t head = (size_t)(-(uintptr_t)dest & (unit - 1)), body;

	if (head > nbytes)
		head = nbytes;
	body = (nbytes - head) & ~(size_t)(unit - 1);
	gshmemi_copy_units(dest, source, head, 1, rank, size);
	gshmemi_copy_units(dest + head, source + head, body / unit, unit, rank, size);
	gshmemi_copy_units(dest + head + body, source + head + body, nbytes - head - body, 1, rank, size);
}

/* Any alignment, any length: the widest unit that both ends can be aligned to. */
GSHMEMI_FN void gshmemi_copy_lanes(char *dest, const char *source, size_t nbytes, unsigned rank, unsigned size)
{
	const uintptr_t skew = (uintptr_t)dest ^ (uintptr_t)source;

	if ((skew & 15) == 0)
		gshmemi_copy_aligned(dest, source, nbytes, 16, rank, size);
	else if ((skew & 7) == 0)
		gshmemi_copy_aligned(dest, source, nbytes, 8, rank, size);
	else if ((skew & 3) == 0)
		gshmemi_copy_aligned(dest, source, nbytes, 4, rank, size);
	else
		gshmemi_copy_units(dest, source, nbytes, 1, rank, size);
}

/* ---- copies by a scope ---- */

/* Copy nbytes by all threads of the scope, which meet before and after. */
GSHMEMI_FN void gshmemi_copy(int scope, void *dest, const void *source, size_t nbytes)
{
#ifdef GSHMEMI_ARCH_HAS_GROUP_COPY
	if (scope == GSHMEMI_THREAD)
		gshmemi_arch_copy(dest, source, nbytes);
	else
		gshmemi_arch_group_copy(scope, dest, source, nbytes);
#else
	struct gshmemi_group group = gshmemi_group_enter(scope, GSHMEMI_KEY(dest, source));

	gshmemi_copy_lanes((char *)dest, (const char *)source, nbytes, group.rank, group.size);
	gshmemi_group_sync(&group);
#endif
}

/* Copy nelems elements, elem_nbytes a constant, between strides counted in elements. */
GSHMEMI_FN void gshmemi_copy_stride(int scope, void *dest, ptrdiff_t dst, const void *source, ptrdiff_t sst,
				    size_t nelems, unsigned elem_nbytes)
{
	struct gshmemi_group group = gshmemi_group_enter(scope, GSHMEMI_KEY(dest, source));
	const char *from = (const char *)source + (size_t)group.rank * (size_t)sst * elem_nbytes;
	char *to = (char *)dest + (size_t)group.rank * (size_t)dst * elem_nbytes;
	size_t i;

	for (i = group.rank; i < nelems; i += group.size) {
		__builtin_memcpy(to, from, elem_nbytes);
		from += (size_t)sst * group.size * elem_nbytes;
		to += (size_t)dst * group.size * elem_nbytes;
	}
	gshmemi_group_sync(&group);
}

/* ---- values as bits ---- */

/* The bits of a value of up to 8 bytes, zero-extended; and back. */
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
 * Update a signal after what the scope has copied: every thread makes its part visible, all meet, one updates. The
 * release pairs with the acquire at the end of gshmemi_wait.
 */
GSHMEMI_FN void gshmemi_signal(int scope, uint64_t *peer_sig, uint64_t signal, int sig_op)
{
	struct gshmemi_group group;

	gshmemi_arch_fence_release();
#ifdef GSHMEMI_ARCH_HAS_GROUP_COPY
	group = gshmemi_group_here(scope, GSHMEMI_KEY(peer_sig, NULL)); /* one thread copied for all, and they have met */
#else
	group = gshmemi_group_enter(scope, GSHMEMI_KEY(peer_sig, NULL));
#endif
	if (group.rank != 0)
		return;
	if (sig_op == GSHMEM_SIGNAL_ADD)
		(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, peer_sig, signal, 0);
	else
		gshmemi_arch_store(peer_sig, signal, 8);
}

#endif /* GSHMEM_COPY_H */
