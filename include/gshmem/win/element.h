/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One element of an accumulate, atomic with respect to other accumulates on the same window. An update for
 * which GPUs have an atomic uses it. Other updates compare and swap the word that holds the element, until no
 * one else has changed it in between. Elements of 16 bytes have no atomic: they are updated under a lock word
 * in the target's control block.
 */
#ifndef GSHMEM_WIN_ELEMENT_H
#define GSHMEM_WIN_ELEMENT_H

#include <gshmem/win/epoch.h>
#include <gshmem/win/operator.h>

/* An atomic on a word of the window; returns the old bits. */
GSHMEMI_WIN_LONG uint64_t gshmemi_win_amo(
	const struct gshmemi_win_place *at, ptrdiff_t offset, struct gshmemi_update u)
{
	if (at->there)
		return gshmemi_amo_peer(u.op, at->there + offset, u.value, u.cond, u.nbytes);
	return gshmemi_amo(at->where, at->address + offset, u, at->world_pe, at->call);
}

/*
 * An update by compare and swap: u, or, unless cond is NULL, compare and swap of the element. Returns the
 * element's old bits.
 */
GSHMEMI_WIN_LONG uint64_t gshmemi_win_swap(const struct gshmemi_win_place *at, ptrdiff_t offset,
	struct gshmemi_win_update u, const void *value, const void *cond)
{
	const unsigned nbytes = u.nbytes, word_nbytes = nbytes < 4 ? 4 : nbytes;
	const unsigned inside = nbytes < 4 ? (unsigned)((uintptr_t)at->address + (uintptr_t)offset) & 3 : 0;
	uint64_t found, word, old = 0;
	struct gshmemi_word bits; /* as large as any that fold knows */

	offset -= (ptrdiff_t)inside;
	GSHMEMI_RACE_ELEMENT(inside, nbytes, 1);
	found = gshmemi_win_amo(at, offset, gshmemi_make_update(GSHMEMI_AMO_FETCH, 0, 0, word_nbytes, 1));
	for (;;) {
		old = found >> 8 * inside;
		if (nbytes < 8)
			old &= (1ULL << 8 * nbytes) - 1;
		__builtin_memcpy(&bits, &old, sizeof old);
		if (!cond)
			gshmemi_win_fold(u, &bits, value);
		else if (gshmemi_value_load(cond, nbytes) != old)
			return old;
		else
			__builtin_memcpy(&bits, value, nbytes);
		__builtin_memcpy(&word, &bits, sizeof word);
		if (nbytes < 4)
			word = (found & ~(((1ULL << 8 * nbytes) - 1) << 8 * inside)) | word << 8 * inside;
		GSHMEMI_RACE_ELEMENT(inside, nbytes, u.op == GSHMEMX_NO_OP);
		word = gshmemi_win_amo(
			at, offset, gshmemi_make_update(GSHMEMI_AMO_CAS, word, found, word_nbytes, 1));
		if (word == found)
			return old;
		found = word;
	}
}

/*
 * How many words the library takes at a time, where each operation may be a call of HIP; and how many
 * elements of 16 bytes a CPU thread updates in one turn with the lock. In a kernel the words would be on its
 * stack.
 */
#ifdef GSHMEMI_LIBRARY
#define GSHMEMI_WIN_BATCH 128
#else
#define GSHMEMI_WIN_BATCH 1
#endif
#if GSHMEMI_ARCH_HOST_DIRECT || defined(GSHMEMI_LIBRARY)
#define GSHMEMI_WIN_WIDE_BATCH 32
#else
#define GSHMEMI_WIN_WIDE_BATCH 1
#endif

/*
 * Update elements of 16 bytes, at most GSHMEMI_WIN_WIDE_BATCH, or one with cond. A lane that takes the
 * lock releases it in the same iteration of the loop, so lanes of its wave that wait for the lock cannot
 * keep it from running.
 */
GSHMEMI_COLD void gshmemi_win_wide(const struct gshmemi_win *w, const struct gshmemi_win_place *at,
	ptrdiff_t offset, struct gshmemi_win_update u, const void *source, const void *cond, void *result,
	size_t nelems)
{
	struct gshmemi_word word[GSHMEMI_WIN_WIDE_BATCH], updated[GSHMEMI_WIN_WIDE_BATCH];
	const struct gshmemi_where words = gshmemi_win_words();
	uint64_t *const mutex = &w->control->wide;
	const struct gshmemi_extent extent = {nelems * 16, 8, 0};
	char *const there = at->address + offset;
	uint64_t started_ns = 0;
	unsigned polls = 0;
	int is_done = 0;
	size_t i;

	while (!is_done) {
		if (gshmemi_amo(words, mutex, gshmemi_make_update(GSHMEMI_AMO_CAS, 1, 0, 8, 1), at->world_pe,
			    at->call) == 0) {
			gshmemi_arch_fence_acquire(); /* pairs with the quiet below, of the last holder */
			GSHMEMI_RACE_ELEMENT(0, extent.nbytes, 1);
			gshmemi_get(at->where, GSHMEMI_THREAD, word, there, extent, at->world_pe, at->call);
			for (i = 0; i < nelems; i++) {
				updated[i] = word[i];
				if (!cond)
					gshmemi_win_fold_wide(u, &updated[i], (const char *)source + i * 16);
				else if (gshmemi_win_is_same(u.kind, cond, &word[i]))
					__builtin_memcpy(&updated[i], source, 16);
			}
			GSHMEMI_RACE_ELEMENT(0, extent.nbytes, u.op == GSHMEMX_NO_OP);
			gshmemi_put(
				at->where, GSHMEMI_THREAD, there, updated, extent, at->world_pe, at->call);
			gshmemi_quiet(GSHMEMI_THREAD, 0, &at->world_pe, 1, at->call);
			(void)gshmemi_amo(words, mutex, gshmemi_make_update(GSHMEMI_AMO_SET, 0, 0, 8, 0),
				at->world_pe, at->call);
			is_done = 1;
		} else {
			GSHMEMI_LOCK_PAUSE(&polls);
			if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
				started_ns = gshmemi_wait_long(polls, started_ns, mutex, 8, 1, GSHMEM_CMP_EQ,
					0, at->world_pe, at->call);
		}
	}
	if (result)
		__builtin_memcpy(result, word, nelems * 16);
}

/* Update one element. old NULL: the old value is not wanted. */
GSHMEMI_WIN_LONG void gshmemi_win_element(const struct gshmemi_win *w, const struct gshmemi_win_place *at,
	ptrdiff_t offset, struct gshmemi_win_update u, const void *value, const void *cond, void *old)
{
	const unsigned nbytes = u.nbytes;
	const int native = nbytes == 4 || nbytes == 8 ? gshmemi_win_native(u.op, u.kind) : -1;
	struct gshmemi_update amo = {0, 0, GSHMEMI_AMO_FETCH, nbytes, 1};
	uint64_t bits;

	if (nbytes > 8) {
		gshmemi_win_wide(w, at, offset, u, value, cond, old, 1);
		return;
	}
	if (cond ? nbytes < 4 : native < 0) {
		bits = gshmemi_win_swap(at, offset, u, value, cond);
	} else if (!cond && native == GSHMEMI_AMO_FETCH) {
		GSHMEMI_RACE_ELEMENT(0, nbytes, 1);
		bits = gshmemi_win_amo(at, offset, amo);
	} else {
		amo.value = gshmemi_value_load(value, nbytes);
		amo.cond = cond ? gshmemi_value_load(cond, nbytes) : 0;
		amo.op = cond                                ? GSHMEMI_AMO_CAS
			: native == GSHMEMI_AMO_SWAP && !old ? GSHMEMI_AMO_SET
							     : native;
		amo.fetches = cond || old;
		GSHMEMI_RACE_ELEMENT(0, nbytes, 0);
		bits = gshmemi_win_amo(at, offset, amo);
	}
	if (old)
		gshmemi_value_store(old, bits, nbytes);
}

/* The same, once in the library, as gshmemi_win_fold_apart. */
GSHMEMI_WIN_SINGLE void gshmemi_win_element_apart(const struct gshmemi_win *w,
	const struct gshmemi_win_place *at, ptrdiff_t offset, struct gshmemi_win_update u, const void *value,
	const void *cond, void *old)
{
	gshmemi_win_element(w, at, offset, u, value, cond, old);
}

#endif /* GSHMEM_WIN_ELEMENT_H */
