/* SPDX-License-Identifier: BSD-3-Clause */
/* run: */
/* links: inner */
/*
 * The heap's allocator matches a simple model under random sequences of all its calls, gives the
 * same offsets for the same sequence, merges all free space, and never searches longer in a
 * larger or more fragmented heap.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator_model.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

static uint64_t rng_state;

/* splitmix64: the same numbers everywhere. */
static uint64_t rng(void)
{
	uint64_t z = rng_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t limit)
{
	return rng() % limit;
}

/* A number from 1 to max: every power of two is equally likely, with its ends and the values between. */
static uint64_t random_nbytes(uint64_t max)
{
	unsigned log2 = 0;
	uint64_t nbytes;

	while (log2 < 62 && 2ull << log2 <= max)
		log2++;
	nbytes = 1ull << below(log2 + 1);
	switch (below(4)) {
	case 0:
		break;
	case 1:
		nbytes += nbytes - 1;
		break;
	default:
		nbytes += below(nbytes);
	}
	return nbytes < max ? nbytes : max;
}

static uint64_t random_align(void)
{
	return below(3) ? 1ull << below(8) : 1ull << below(17);
}

static uint64_t random_live(const struct model *m)
{
	return m->live[below(m->nlive)].start;
}

/* One call of any kind. While there are more than crowd allocations, most calls free. */
static void random_call(struct model *m, size_t crowd, uint64_t max_nbytes)
{
	unsigned kind = (unsigned)below(100);
	uint64_t offset;

	if (!m->nlive && kind < 80)
		kind = 0;
	if (kind < (m->nlive < crowd ? 45u : 35u)) {
		model_alloc(m, random_nbytes(max_nbytes), random_align(), &offset);
	} else if (kind < 75) {
		model_free(m, random_live(m));
	} else if (kind < 90) {
		offset = m->nlive ? random_live(m) : 0;
		model_resize(m, offset, below(50) ? random_nbytes(max_nbytes) : 0);
	} else if (kind < 93) {
		model_free(m, below(2) ? below(m->total) : below(m->total) / MODEL_GRANULE * MODEL_GRANULE);
	} else if (kind < 95) {
		model_resize(m, below(2) ? below(m->total) : rng(), random_nbytes(max_nbytes));
	} else if (kind < 96) {
		model_free(m, m->total + below(3));
		model_alloc(m, below(2) ? m->total + 1 + below(m->total) : rng() | 1ull << 63, 128, &offset);
		model_alloc(m, 64, below(1000), &offset);
		model_alloc(m, 0, 128, &offset);
	} else {
		model_find(m, m->nlive ? random_live(m) + below(m->total / 64) : 0);
		model_find(m, below(m->total + 1));
	}
}

/*
 * Compare every call with the model, and the whole state after every check_every calls,
 * while the heap fills and empties.
 */
static void test_random(uint64_t seed, uint64_t nbytes, unsigned ncalls, size_t crowd, uint64_t max_nbytes,
	unsigned check_every)
{
	struct model m;

	rng_state = seed;
	model_create(&m, nbytes);
	for (unsigned i = 0; i < ncalls; i++) {
		random_call(&m, crowd, max_nbytes);
		if (i % check_every == 0)
			model_check(&m);
		if (i % (ncalls / 5) == ncalls / 5 - 1)
			model_free_all(&m, (size_t)below(1000));
	}
	model_free_all(&m, 1);
	model_destroy(&m);
}

/*
 * Several instances give the same results for one sequence: they lie at different
 * addresses, some in used memory.
 */
static void test_same_offsets(void)
{
	struct gshmemi_allocator *twin[7];
	const unsigned ntwins = sizeof(twin) / sizeof(twin[0]);
	struct model m;
	uint64_t a = 0, b, nbytes, align;
	unsigned i, j, kind;
	int rc;

	rng_state = 11;
	model_create(&m, 64 * MIB);
	for (i = 0; i < 1000; i++)
		random_call(&m, 500, 64 * KIB);
	model_destroy(&m);

	model_create(&m, 64 * MIB);
	for (j = 0; j < ntwins; j++)
		t_equal(gshmemi_allocator_create(64 * MIB, &twin[j]), 0, "create");
	for (i = 0; i < 100000; i++) {
		nbytes = random_nbytes(256 * KIB);
		align = random_align();
		kind = m.nlive ? (unsigned)below(3) : 0;
		if (kind)
			a = random_live(&m);
		rc = kind == 0      ? model_alloc(&m, nbytes, align, &a)
			: kind == 1 ? model_resize(&m, a, nbytes)
				    : model_free(&m, a);
		for (j = 0; j < ntwins; j++) {
			b = a;
			t_equal(kind == 0           ? gshmemi_allocator_alloc(twin[j], nbytes, align, &b)
					: kind == 1 ? gshmemi_allocator_resize(twin[j], a, nbytes)
						    : gshmemi_allocator_free(twin[j], a),
				rc, "a twin's return value");
			t_equal(b, a, "a twin's offset");
		}
	}
	for (j = 0; j < ntwins; j++)
		gshmemi_allocator_destroy(twin[j]);
	model_destroy(&m);
}

/* A heap of any size can be allocated as a whole, repeatedly, and in granules down to the last one. */
static void test_whole(uint64_t nbytes)
{
	struct model m;
	uint64_t offset = 1, i;

	model_create(&m, nbytes);
	for (i = 0; i < 3; i++) {
		t_equal(model_alloc(&m, m.total, 1, &offset), 0, "alloc of the whole heap");
		t_equal(model_alloc(&m, 1, 1, &offset), -ENOMEM, "alloc from a full heap");
		t_equal(model_free(&m, 0), 0, "free of the whole heap");
		t_equal(model_free(&m, 0), -ENOENT, "the same again");
	}
	t_equal(model_alloc(&m, 1, 1ull << 63, &offset), 0, "alloc with the largest alignment");
	t_equal(model_alloc(&m, 1, 1ull << 63, &offset), -ENOMEM, "alloc with the largest alignment");
	t_equal(model_free(&m, 0), 0, "free");
	if (m.total <= 4 * MIB) {
		for (i = 0; i < m.total / MODEL_GRANULE; i++)
			t_equal(model_alloc(&m, 1 + i % MODEL_GRANULE, 1, &offset), 0,
				"alloc of one granule");
		t_equal(model_alloc(&m, 1, 1, &offset), -ENOMEM, "alloc from a full heap");
		model_check(&m);
		model_free_all(&m, 7919);
	}
	model_destroy(&m);
}

/* A realloc that finds its neighbour free stays in place, and one that shrinks gives back what it can. */
static void test_resize(void)
{
	struct model m;
	uint64_t a = 0, b = 0, c = 0;

	model_create(&m, 1 * MIB);
	model_alloc(&m, 1000, 128, &a);
	model_alloc(&m, 1000, 128, &b);
	t_equal(model_resize(&m, a, 1024), 0, "resize within the last granule");
	t_equal(model_resize(&m, a, 1025), -ENOSPC, "resize into a neighbour");
	t_equal(model_resize(&m, b, 500 * KIB), 0, "resize of the last");
	t_equal(model_resize(&m, b, m.total - b), 0, "resize to the end");
	t_equal(model_resize(&m, b, m.total - b + 1), -ENOSPC, "resize beyond the end");
	t_equal(model_resize(&m, b, UINT64_MAX), -ENOSPC, "resize beyond all");
	t_equal(model_resize(&m, b, 0), -EINVAL, "resize to nothing");
	t_equal(model_resize(&m, b, 1), 0, "resize to one byte");
	model_check(&m);
	t_equal(model_alloc(&m, 64 * KIB, 128, &c), 0, "alloc of what was given back");
	t_equal(model_free(&m, a), 0, "free");
	t_equal(model_resize(&m, a, 1), -ENOENT, "resize after free");
	t_equal(model_resize(&m, b + 128, 1), -ENOENT + (c == b + 128 ? ENOENT : 0), "resize of free space");
	model_destroy(&m);
}

/*
 * With hundreds or thousands of holes that nearly fit, or fit but for their alignment, the search gives up
 * after its fixed number of probes, still finds what must fit, and refuses only what it may refuse.
 */
static void test_fragmented(uint64_t nbytes, uint64_t hole_nbytes, uint64_t ask_nbytes, uint64_t ask_align)
{
	struct gshmemi_allocator_stats stats;
	struct model m;
	uint64_t offset, must = 0;

	model_create(&m, nbytes);
	while (!model_alloc(&m, hole_nbytes, 1, &offset))
		;
	for (size_t i = m.nlive; i-- > 1; i--)
		model_free(&m, m.live[i].start);
	model_check(&m);
	model_alloc(&m, ask_nbytes, ask_align, &offset);

	/* in the middle of the heap, room that always fits */
	for (size_t i = m.nlive / 2; must < 2 * (ask_nbytes + ask_align); i--) {
		must += 2 * hole_nbytes;
		model_free(&m, m.live[i].start);
	}
	t_equal(model_alloc(&m, ask_nbytes, ask_align, &offset), 0, "alloc into the only large hole");
	gshmemi_allocator_stats(m.allocator, &stats);
	t_equal(stats.most_probes, GSHMEMI_ALLOCATOR_PROBES, "probes of a hard search");
	model_free_all(&m, 3);
	model_destroy(&m);
}

static void test_create(void)
{
	struct gshmemi_allocator *allocator = NULL;

	t_equal(gshmemi_allocator_create(0, &allocator), -EINVAL, "create of nothing");
	t_equal(gshmemi_allocator_create(127, &allocator), -EINVAL, "create of less than a granule");
	t_equal(gshmemi_allocator_create(UINT64_MAX, &allocator), -ENOMEM, "create of all offsets");
	t_check(!allocator, "create failed but wrote its output");
	gshmemi_allocator_destroy(NULL);
}

int main(void)
{
	test_create();
	for (uint64_t nbytes = 128; nbytes < 20 * KIB; nbytes += 128 + 1)
		test_whole(nbytes);
	test_whole(4 * MIB);
	test_whole(1 * GIB - 128);
	test_whole(1 * TIB + 640);
	test_resize();
	test_fragmented(64 * MIB, 1000 * 128, 1001 * 128, 128);
	test_fragmented(64 * MIB, 1000 * 128, 999 * 128, 1 * MIB);
	test_fragmented(8 * MIB, 256, 256, 64 * KIB);
	test_same_offsets();

	/* seed, heap, calls, allocations, largest, check every */
	test_random(1, 128, 5000, 4, 300, 1);
	test_random(2, 8 * KIB, 100000, 20, 4 * KIB, 1);
	test_random(3, 8 * KIB + 127, 100000, 64, 512, 1);
	test_random(4, 1 * MIB, 200000, 400, 32 * KIB, 20);
	test_random(5, 1 * GIB, 1000000, 2000, 4 * MIB, 2000);
	test_random(6, 1 * GIB, 300000, 20000, 16 * KIB, 20000);
	test_random(7, 3 * GIB + 12345, 200000, 100, 2 * GIB, 200);
	test_random(8, 16 * TIB, 100000, 1000, 1 * TIB, 200);
	return 0;
}
