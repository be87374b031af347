/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The allocator beside a model of it: an array of the live allocations, sorted by offset. Each call goes to
 * both and every answer is compared. The model computes its answers in the simplest way that is right. The
 * allocator alone chooses offsets; everything else follows from them. allocator_random.c and
 * allocator_fuzz.c choose the calls.
 */
#ifndef T_ALLOCATOR_MODEL_H
#define T_ALLOCATOR_MODEL_H

#include "heap/allocator.h"
#include "helpers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#define MODEL_GRANULE GSHMEMI_ALLOCATOR_GRANULE

struct model_allocation {
	uint64_t start;
	uint64_t nbytes; /* as asked for */
};

struct model {
	struct gshmemi_allocator *allocator;
	uint64_t total; /* bytes, whole granules */
	struct model_allocation *live;
	size_t nlive, capacity;
};

static inline uint64_t model_round(uint64_t nbytes)
{
	return (nbytes + MODEL_GRANULE - 1) / MODEL_GRANULE * MODEL_GRANULE;
}

static inline void model_create(struct model *m, uint64_t nbytes)
{
	*m = (struct model){.total = nbytes / MODEL_GRANULE * MODEL_GRANULE};
	t_equal(gshmemi_allocator_create(nbytes, &m->allocator), 0, "create");
}

static inline void model_destroy(struct model *m)
{
	gshmemi_allocator_destroy(m->allocator);
	free(m->live);
}

/* How many allocations start at or before offset. */
static inline size_t model_rank(const struct model *m, uint64_t offset)
{
	size_t low = 0, high = m->nlive;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->live[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Hole i lies before allocation i; the last hole ends the heap. */
static inline uint64_t model_hole_start(const struct model *m, size_t i)
{
	return i ? m->live[i - 1].start + model_round(m->live[i - 1].nbytes) : 0;
}

static inline uint64_t model_hole_end(const struct model *m, size_t i)
{
	return i < m->nlive ? m->live[i].start : m->total;
}

/*
 * Check that -ENOMEM is allowed by what allocator.h promises; the model does not know
 * the allocator's size classes.
 */
static inline void model_check_refusal(const struct model *m, uint64_t nbytes, uint64_t align)
{
	uint64_t need = model_round(nbytes) / MODEL_GRANULE + model_round(align) / MODEL_GRANULE - 1;
	uint64_t nearly = model_round(nbytes) - model_round(nbytes) / 32;
	size_t nnearly = 0;
	int fits = 0;

	for (size_t i = 0; i <= m->nlive; i++) {
		uint64_t start = model_hole_start(m, i), end = model_hole_end(m, i);
		uint64_t aligned = start + (-start & (align - 1));

		nnearly += end - start >= nearly;
		if (aligned >= start && aligned <= end && end - aligned >= nbytes)
			fits = 1;
		t_check((end - start) / MODEL_GRANULE < need + need / 32,
			"alloc %" PRIu64 " align %" PRIu64 ": refused beside a hole of %" PRIu64, nbytes,
			align, end - start);
	}
	if (nnearly <= GSHMEMI_ALLOCATOR_PROBES || (align <= MODEL_GRANULE && nbytes <= 32 * MODEL_GRANULE))
		t_check(!fits, "alloc %" PRIu64 " align %" PRIu64 ": refused but a hole fits, %zu holes",
			nbytes, align, nnearly);
}

/* Returns what the allocator returned; the offset is written on success. */
static inline int model_alloc(struct model *m, uint64_t nbytes, uint64_t align, uint64_t *offset_p)
{
	uint64_t offset = UINT64_MAX;
	int rc = gshmemi_allocator_alloc(m->allocator, nbytes, align, &offset);
	size_t i;

	if (!nbytes || !align || align & (align - 1)) {
		t_equal(rc, -EINVAL, "alloc of 0 bytes or with a bad alignment");
		return rc;
	}
	if (rc) {
		t_equal(rc, -ENOMEM, "alloc");
		t_equal(offset, UINT64_MAX, "offset after an alloc that failed");
		if (nbytes <= m->total)
			model_check_refusal(m, nbytes, align);
		return rc;
	}
	t_check(!(offset & (align - 1)) && offset % MODEL_GRANULE == 0,
		"alloc align %" PRIu64 ": offset %" PRIu64, align, offset);
	i = model_rank(m, offset);
	t_check(offset >= model_hole_start(m, i) && offset <= model_hole_end(m, i) &&
			nbytes <= model_hole_end(m, i) - offset,
		"alloc %" PRIu64 ": offset %" PRIu64 " is not free", nbytes, offset);
	if (m->nlive == m->capacity) {
		m->capacity = 2 * m->capacity + 64;
		m->live = realloc(m->live, m->capacity * sizeof(*m->live));
		t_check(m->live, "no memory for the model");
	}
	memmove(&m->live[i + 1], &m->live[i], (m->nlive - i) * sizeof(*m->live));
	m->live[i] = (struct model_allocation){offset, nbytes};
	m->nlive++;
	*offset_p = offset;
	return 0;
}

/* What free and resize must return for offset; 0: it is allocation *i_p. */
static inline int model_lookup(const struct model *m, uint64_t offset, size_t *i_p)
{
	size_t rank = model_rank(m, offset);

	if (offset >= m->total)
		return -EINVAL;
	if (!rank || offset >= model_hole_start(m, rank))
		return -ENOENT;
	*i_p = rank - 1;
	return offset == m->live[rank - 1].start ? 0 : -EINVAL;
}

/* Takes any offset. */
static inline int model_free(struct model *m, uint64_t offset)
{
	size_t i;
	int rc = model_lookup(m, offset, &i);

	t_equal(gshmemi_allocator_free(m->allocator, offset), rc, "free");
	if (!rc) {
		m->nlive--;
		memmove(&m->live[i], &m->live[i + 1], (m->nlive - i) * sizeof(*m->live));
	}
	return rc;
}

static inline int model_resize(struct model *m, uint64_t offset, uint64_t nbytes)
{
	size_t i;
	int rc = model_lookup(m, offset, &i);

	if (!rc && !nbytes)
		rc = -EINVAL;
	if (!rc && nbytes > model_hole_end(m, i + 1) - offset)
		rc = -ENOSPC;
	t_equal(gshmemi_allocator_resize(m->allocator, offset, nbytes), rc, "resize");
	if (!rc)
		m->live[i].nbytes = nbytes;
	return rc;
}

static inline void model_find(const struct model *m, uint64_t offset)
{
	uint64_t start = 0, nbytes = 0;
	size_t i = 0;
	int rc = model_lookup(m, offset, &i);

	if (rc == -EINVAL && offset < m->total)
		rc = 0; /* an offset inside an allocation counts */
	t_equal(gshmemi_allocator_find(m->allocator, offset, &start, &nbytes), rc, "find");
	if (!rc) {
		t_equal(start, m->live[i].start, "find: start");
		t_equal(nbytes, m->live[i].nbytes, "find: nbytes");
	}

	i = model_rank(m, offset);
	if (i && m->live[i - 1].start == offset)
		i--;
	rc = gshmemi_allocator_next(m->allocator, offset, &start, &nbytes);
	t_equal(rc, i < m->nlive ? 0 : -ENOENT, "next");
	if (!rc) {
		t_equal(start, m->live[i].start, "next: start");
		t_equal(nbytes, m->live[i].nbytes, "next: nbytes");
	}
}

/* The allocator's own invariants, the statistics, and a walk over all allocations. */
static inline void model_check(const struct model *m)
{
	struct gshmemi_allocator_stats stats;
	uint64_t used = 0, taken = 0, largest = 0, from = 0, start, nbytes;
	const char *wrong = gshmemi_allocator_check(m->allocator);

	t_check(!wrong, "%s", wrong);
	for (size_t i = 0; i <= m->nlive; i++) {
		uint64_t hole = model_hole_end(m, i) - model_hole_start(m, i);

		if (hole > largest)
			largest = hole;
		if (i == m->nlive)
			break;
		used += m->live[i].nbytes;
		taken += model_round(m->live[i].nbytes);
		t_equal(gshmemi_allocator_next(m->allocator, from, &start, &nbytes), 0, "next allocation");
		t_equal(start, m->live[i].start, "next allocation: start");
		t_equal(nbytes, m->live[i].nbytes, "next allocation: nbytes");
		from = start + 1;
	}
	t_equal(gshmemi_allocator_next(m->allocator, from, &start, &nbytes), -ENOENT, "next at the end");
	gshmemi_allocator_stats(m->allocator, &stats);
	t_equal(stats.total_nbytes, m->total, "stats: total");
	t_equal(stats.used_nbytes, used, "stats: used");
	t_equal(stats.taken_nbytes, taken, "stats: taken");
	t_equal(stats.free_nbytes, m->total - taken, "stats: free");
	t_equal(stats.largest_free_nbytes, largest, "stats: largest free");
	t_equal(stats.nallocations, m->nlive, "stats: allocations");
	t_check(stats.most_probes <= GSHMEMI_ALLOCATOR_PROBES, "an alloc looked at %u blocks",
		stats.most_probes);
}

/* Free everything, in an order that depends on step; afterwards the heap must be one block. */
static inline void model_free_all(struct model *m, size_t step)
{
	for (size_t i = 0; m->nlive; i = (i + step) % m->nlive) {
		t_equal(model_free(m, m->live[i].start), 0, "free of all");
		if (!m->nlive)
			break;
	}
	model_check(m);
}

#endif /* T_ALLOCATOR_MODEL_H */
