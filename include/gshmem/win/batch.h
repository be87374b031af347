/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many elements of the host's accumulates at a time, where each operation may be a call of HIP: it asks for
 * all old values, or for all compare and swaps, and then waits once. Updates that need no answer go element
 * by element: nobody waits for them.
 */
#ifndef GSHMEM_WIN_BATCH_H
#define GSHMEM_WIN_BATCH_H

#include <gshmem/win/element.h>

/* Adjacent elements. Those of 1 and 2 bytes share words; the first and last word may hold neighbours, too. */
struct gshmemi_win_batch {
	struct gshmemi_win_update u;
	unsigned wordlen; /* bytes of a word: 4 or 8 */
	unsigned inside;  /* bytes of the first word in front of the first element */
	size_t nelems;
	const char *source;
	char *result; /* NULL: the old values are not wanted */
};

/* How many elements a thread takes at a time. */
GSHMEMI_FN size_t gshmemi_win_batch_nelems(
	const struct gshmemi_win_place *at, struct gshmemi_win_update u, int fetches)
{
	if (u.nbytes > 8)
		return GSHMEMI_WIN_WIDE_BATCH;
	if (GSHMEMI_WIN_BATCH == 1 || at->there ||
		(u.nbytes >= 4 && !fetches && gshmemi_win_native(u.op, u.kind) >= 0))
		return 1;
	return u.nbytes < 4 ? (GSHMEMI_WIN_BATCH - 1) * 4 / u.nbytes : GSHMEMI_WIN_BATCH;
}

/* For each element in word i, whose value is bits: fold the source into it, or store its old value. */
GSHMEMI_FN void gshmemi_win_batch_word(
	const struct gshmemi_win_batch *batch, size_t i, char *bits, int is_result)
{
	size_t at = i ? i * batch->wordlen : batch->inside, k;
	struct gshmemi_word elem[4]; /* as large as any that fold knows */

	for (; at < (i + 1) * batch->wordlen; at += batch->u.nbytes) {
		k = at - batch->inside;
		if (k >= batch->nelems * batch->u.nbytes)
			break;
		if (is_result) {
			__builtin_memcpy(batch->result + k, bits + at % batch->wordlen, batch->u.nbytes);
			continue;
		}
		__builtin_memcpy(elem, bits + at % batch->wordlen, batch->u.nbytes);
		gshmemi_win_fold_apart(batch->u, elem, batch->source + k);
		__builtin_memcpy(bits + at % batch->wordlen, elem, batch->u.nbytes);
	}
}

/* Tell the race detector which bytes of word i the next operation concerns. */
GSHMEMI_FN void gshmemi_win_batch_watch(const struct gshmemi_win_batch *batch, size_t i)
{
	const size_t begin = i ? 0 : batch->inside,
		     left = batch->inside + batch->nelems * batch->u.nbytes - i * batch->wordlen;

	GSHMEMI_RACE_ELEMENT((unsigned)begin,
		(unsigned)((left < batch->wordlen ? left : batch->wordlen) - begin),
		batch->u.op == GSHMEMX_NO_OP);
	(void)begin, (void)left;
}

/*
 * Update at most GSHMEMI_WIN_BATCH words. The values read at first may be stale, and from different moments;
 * a word is swapped only if it still has the value that was folded. Words that somebody has changed are
 * tried again together.
 */
GSHMEMI_COLD void gshmemi_win_swap_batch(
	const struct gshmemi_win_place *at, ptrdiff_t offset, const struct gshmemi_win_batch *batch)
{
	const size_t nwords =
		(batch->inside + batch->nelems * batch->u.nbytes + batch->wordlen - 1) / batch->wordlen;
	const int native = batch->u.nbytes < 4 ? -1 : gshmemi_win_native(batch->u.op, batch->u.kind);
	char *const there = at->address + offset - batch->inside;
	uint64_t word[GSHMEMI_WIN_BATCH], found[GSHMEMI_WIN_BATCH], value;
	uint8_t is_open[GSHMEMI_WIN_BATCH];
	size_t nopen = nwords, i;

	/* Not the neighbours in the first and last word: they may lie outside the window's allocation. */
	if (native < 0) {
		__builtin_memset(found, 0, nwords * batch->wordlen);
		GSHMEMI_RACE_ELEMENT(0, (unsigned)(batch->nelems * batch->u.nbytes), 1);
		gshmemi_get(at->where, GSHMEMI_THREAD, (char *)found + batch->inside, at->address + offset,
			gshmemi_make_extent(batch->nelems * batch->u.nbytes, batch->u.nbytes, 0),
			at->world_pe, at->call);
	}
	for (i = 0; i < nwords; i++) {
		is_open[i] = 1;
		word[i] = native < 0 ? gshmemi_value_load((char *)found + i * batch->wordlen, batch->wordlen)
				     : 0;
	}
	while (nopen) {
		for (i = 0; i < nwords; i++) {
			if (!is_open[i])
				continue;
			value = word[i]; /* of a fetch: 0, which it ignores */
			if (native < 0)
				gshmemi_win_batch_word(batch, i, (char *)&value, 0);
			else if (native != GSHMEMI_AMO_FETCH)
				value = gshmemi_value_load(
					batch->source + i * batch->wordlen, batch->wordlen);
			found[i] = 0;
			gshmemi_win_batch_watch(batch, i);
			gshmemi_amo_nbi(at->where, &found[i], there + i * batch->wordlen,
				gshmemi_make_update(native < 0 ? GSHMEMI_AMO_CAS : native, value, word[i],
					batch->wordlen, 1),
				at->world_pe, at->call);
		}
		gshmemi_quiet(GSHMEMI_THREAD, 0, &at->world_pe, 1, at->call);
		for (i = 0; i < nwords; i++) {
			if (!is_open[i])
				continue;
			is_open[i] = native < 0 && found[i] != word[i];
			word[i] = found[i];
			if (is_open[i])
				continue;
			nopen--;
			if (batch->result)
				gshmemi_win_batch_word(batch, i, (char *)&word[i], 1);
		}
	}
}

/* Update nelems elements. most is the result of gshmemi_win_batch_nelems, and nelems is no more. */
GSHMEMI_FN void gshmemi_win_elements(const struct gshmemi_win *w, const struct gshmemi_win_place *at,
	ptrdiff_t offset, struct gshmemi_win_update u, const char *source, char *result, size_t nelems,
	size_t most)
{
	struct gshmemi_win_batch batch;

	if (u.nbytes > 8) {
		gshmemi_win_wide(w, at, offset, u, source, NULL, result, nelems);
	} else if (most == 1) {
		gshmemi_win_element(w, at, offset, u, source, NULL, result);
	} else {
		batch.u = u;
		batch.wordlen = u.nbytes < 4 ? 4 : u.nbytes;
		batch.inside = (unsigned)((uintptr_t)at->address + (uintptr_t)offset) & (batch.wordlen - 1);
		batch.nelems = nelems;
		batch.source = source;
		batch.result = result;
		gshmemi_win_swap_batch(at, offset, &batch);
	}
}

#endif /* GSHMEM_WIN_BATCH_H */
