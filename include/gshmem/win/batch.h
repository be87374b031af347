/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many elements of an accumulate at a time, for targets that an operation reaches by a message. A thread asks
 * for all old values, or for all compare and swaps, and then waits once. Updates that need no answer go
 * element by element: nobody waits for them.
 */
#ifndef GSHMEM_WIN_BATCH_H
#define GSHMEM_WIN_BATCH_H

#include <gshmem/win/element.h>

/* Adjacent elements. Those of 1 and 2 bytes share words; the first and last word may hold neighbours, too. */
struct gshmemi_win_batch {
	int op;
	int kind;
	unsigned nbytes;  /* of an element */
	unsigned wordlen; /* bytes of a word: 4 or 8 */
	unsigned inside;  /* bytes of the first word in front of the first element */
	size_t nelems;
	const char *source;
	char *result;     /* NULL: the old values are not wanted */
};

/* How many elements a thread takes at a time. there: where this PE's atomics reach the window, or NULL. */
GSHMEMI_FN size_t gshmemi_win_batch_nelems(const char *there, int op, int kind, unsigned nbytes, int fetches)
{
	if (nbytes > 8)
		return GSHMEMI_WIN_WIDE_BATCH;
	if (GSHMEMI_WIN_BATCH == 1 || there || (nbytes >= 4 && !fetches && gshmemi_win_native(op, kind) >= 0))
		return 1;
	return nbytes < 4 ? (GSHMEMI_WIN_BATCH - 1) * 4 / nbytes : GSHMEMI_WIN_BATCH;
}

/* For each element in word i, whose value is bits: fold the source into it, or store its old value. */
GSHMEMI_FN void gshmemi_win_batch_word(const struct gshmemi_win_batch *batch, size_t i, char *bits,
				       int is_result)
{
	size_t at = i ? i * batch->wordlen : batch->inside, k;
	struct gshmemi_word elem[4]; /* as large as any that fold knows */

	for (; at < (i + 1) * batch->wordlen; at += batch->nbytes) {
		k = at - batch->inside;
		if (k >= batch->nelems * batch->nbytes)
			break;
		if (is_result) {
			__builtin_memcpy(batch->result + k, bits + at % batch->wordlen, batch->nbytes);
			continue;
		}
		__builtin_memcpy(elem, bits + at % batch->wordlen, batch->nbytes);
		gshmemi_win_fold(batch->op, batch->kind, batch->nbytes, elem, batch->source + k);
		__builtin_memcpy(bits + at % batch->wordlen, elem, batch->nbytes);
	}
}

/*
 * Update at most GSHMEMI_WIN_BATCH words. The values read at first may be stale, and from different moments;
 * a word is swapped only if it still has the value that was folded. Words that somebody has changed are tried
 * again together.
 */
GSHMEMI_COLD void gshmemi_win_swap_batch(const struct gshmemi_win_place *at, ptrdiff_t offset,
					const struct gshmemi_win_batch *batch, const char *call)
{
	const size_t nwords =
		(batch->inside + batch->nelems * batch->nbytes + batch->wordlen - 1) / batch->wordlen;
	const int native = batch->nbytes < 4 ? -1 : gshmemi_win_native(batch->op, batch->kind);
	char *const there = at->address + offset - batch->inside;
	uint64_t word[GSHMEMI_WIN_BATCH], found[GSHMEMI_WIN_BATCH], value;
	uint8_t is_open[GSHMEMI_WIN_BATCH];
	size_t nopen = nwords, i;

	/* Not the neighbours in the first and last word: they may lie outside the window's allocation. */
	if (native < 0) {
		__builtin_memset(found, 0, nwords * batch->wordlen);
		gshmemi_get(at->where, GSHMEMI_THREAD, (char *)found + batch->inside, at->address + offset,
			gshmemi_make_extent(batch->nelems * batch->nbytes, batch->nbytes, 0), at->world_pe,
			call);
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
				value = gshmemi_value_load(batch->source + i * batch->wordlen,
							   batch->wordlen);
			found[i] = 0;
			gshmemi_amo_nbi(at->where, &found[i], there + i * batch->wordlen,
					gshmemi_make_update(native < 0 ? GSHMEMI_AMO_CAS : native, value,
							    word[i], batch->wordlen, 1),
					at->world_pe, call);
		}
		gshmemi_quiet(GSHMEMI_THREAD, 0, &at->world_pe, 1, call);
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
				     char *there, ptrdiff_t offset, int op, int kind, unsigned nbytes,
				     const char *source, char *result, size_t nelems, size_t most,
				     const char *call)
{
	struct gshmemi_win_batch batch;

	if (nbytes > 8) {
		gshmemi_win_wide(w, at, offset, op, kind, source, NULL, result, nelems, call);
	} else if (most == 1) {
		gshmemi_win_element(w, at, there, offset, op, kind, nbytes, source, NULL, result, call);
	} else {
		batch.op = op;
		batch.kind = kind;
		batch.nbytes = nbytes;
		batch.wordlen = nbytes < 4 ? 4 : nbytes;
		batch.inside = (unsigned)((uintptr_t)at->address + (uintptr_t)offset) & (batch.wordlen - 1);
		batch.nelems = nelems;
		batch.source = source;
		batch.result = result;
		gshmemi_win_swap_batch(at, offset, &batch, call);
	}
}

#endif /* GSHMEM_WIN_BATCH_H */
