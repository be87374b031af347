/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floods: all lanes of two PEs and their hosts ask the other PE for operations of all kinds and sizes, in
 * both directions at once. No operation is lost or performed twice, and few messages are buffered, however
 * many operations there are: NOPERATIONS in the job, in NMESSAGES or more from each PE.
 */
#ifndef T_NET_FLOOD_H
#define T_NET_FLOOD_H

#include <hip/hip_runtime.h>
#include "job.h"
#include "net_calls.h"

/* messages that a PE grants to all others together, besides the 2 that each always has: src/net/net.c */
#define NCREDITS 256

enum { NBLOCKS = 4, NLANES = 64, NTHREADS = 2, NMEMBERS = NBLOCKS * NLANES + NTHREADS };
enum { NSLOTS = 16, SLOT_NBYTES = 64, LONG_NBYTES = 4096, BULK_NBYTES = 1 << 20 };

/* The words that one member of the other PE writes; and its own local ends. */
struct place {
	char slots[NSLOTS][SLOT_NBYTES];
	char longs[4][LONG_NBYTES];
	uint64_t nadds, fetched;
	char source[NSLOTS][SLOT_NBYTES], long_source[4][LONG_NBYTES], got[SLOT_NBYTES];
};

struct shared {
	uint64_t nadds, nfetched;    /* of all members of the other PE */
	uint64_t sum_fetched, wrong; /* of this PE's members */
	struct place places[NMEMBERS];
	/* of the threads, and of lane 0 */
	char bulk[NTHREADS + 1][BULK_NBYTES], bulk_source[NTHREADS + 1][BULK_NBYTES];
};

static uint64_t operations_each(void)
{
	return NOPERATIONS / 2 / NMEMBERS;
}

/* ---- what a member does ---- */

__host__ __device__ static void fill(char *bytes, size_t nbytes, unsigned seed)
{
	for (size_t i = 0; i < nbytes; i++)
		bytes[i] = (char)t_byte(seed, i);
}

__host__ __device__ static size_t differ(const char *bytes, size_t nbytes, unsigned seed)
{
	size_t i = 0;

	while (i < nbytes && (unsigned char)bytes[i] == t_byte(seed, i))
		i++;
	return nbytes - i;
}

/* Bytes of operation i: 8, or up to 64 in steps of one. */
__host__ __device__ static size_t nbytes_of(int member, uint64_t i)
{
	return i % 3 ? 8 : 1 + (i * 7 + (unsigned)member) % SLOT_NBYTES;
}

__host__ __device__ static unsigned seed_of(int from, int member, uint64_t i)
{
	return (unsigned)(from * NMEMBERS + member) * 1000003U + (unsigned)i;
}

/* A put that a later put to the same place must not overtake: there is a fence before each turn. */
__host__ __device__ static void put(struct place *p, int from, int member, uint64_t i, int pe)
{
	const unsigned slot = i % NSLOTS;
	const size_t nbytes = nbytes_of(member, i);
	char stack[SLOT_NBYTES];
	uint64_t word;

	if (!slot)
		gshmem_quiet(); /* source may be reused, and puts are ordered like the turns */
	if (nbytes == 8) {
		fill((char *)&word, 8, seed_of(from, member, i));
		gshmem_uint64_p((uint64_t *)(void *)p->slots[slot], word, pe);
	} else if (slot % 2) {
		fill(stack, nbytes, seed_of(from, member, i));
		gshmem_putmem(p->slots[slot], stack, nbytes, pe);
	} else {
		fill(p->source[slot], nbytes, seed_of(from, member, i));
		gshmem_putmem_nbi(p->slots[slot], p->source[slot], nbytes, pe);
	}
}

__host__ __device__ static void put_long(struct place *p, int from, int member, uint64_t i, int pe)
{
	char *source = p->long_source[i % 4];

	if (i % 4 == 0)
		gshmem_quiet();
	fill(source, LONG_NBYTES, seed_of(from, member, i));
	gshmem_putmem_nbi(p->longs[i % 4], source, LONG_NBYTES, pe);
}

/* A get returns what was put last. */
__host__ __device__ static uint64_t get(struct place *p, int from, int member, uint64_t i, int pe)
{
	const unsigned slot = i % NSLOTS;

	gshmem_quiet();
	gshmem_getmem(p->got, p->slots[slot], nbytes_of(member, i), pe);
	return differ(p->got, nbytes_of(member, i), seed_of(from, member, i)) != 0;
}

__host__ __device__ static void move_bulk(struct shared *s, int which, int from, uint64_t i, int pe)
{
	const size_t nbytes = 5000 + (i * 37813) % (BULK_NBYTES - 5000);

	fill(s->bulk_source[which], nbytes, seed_of(from, which, i));
	gshmem_putmem(s->bulk[which], s->bulk_source[which], nbytes, pe);
	gshmem_quiet();
	fill(s->bulk_source[which], 64, 0);
	gshmem_getmem(s->bulk_source[which], s->bulk[which], nbytes, pe);
	if (differ(s->bulk_source[which], nbytes, seed_of(from, which, i)))
		(void)gshmem_uint64_atomic_fetch_inc(&s->wrong, from);
}

/* The longs: one operation in 32, and always enough to fill messages. */
#define IS_LONG(i) ((i) % 32 == 17)

__host__ __device__ static void take_part(struct shared *s, int from, int member, uint64_t n)
{
	struct place *p = &s->places[member];
	const int pe = 1 - from;
	uint64_t wrong = 0, sum = 0, nlongs = 0;

	for (uint64_t i = 0; i < n; i++) {
		put(p, from, member, i, pe);
		if (IS_LONG(i))
			put_long(p, from, member, nlongs++, pe);
		if (i % 4 == 1)
			gshmem_uint64_atomic_inc(&s->nadds, pe);
		if (i % 4 == 2)
			gshmem_uint64_atomic_add(&p->nadds, i, pe);
		if (i % 64 == 5)
			sum += gshmem_uint64_atomic_fetch_inc(&s->nfetched, pe);
		if (i % 64 == 7)
			wrong += get(p, from, member, i, pe);
		if (i % 1024 == 9 && (member == 0 || member >= NBLOCKS * NLANES))
			move_bulk(s, member ? member - NBLOCKS * NLANES + 1 : 0, from, i, pe);
	}
	gshmem_uint64_atomic_add(&s->sum_fetched, sum, from);
	gshmem_uint64_atomic_add(&s->wrong, wrong, from);
	gshmem_quiet();
}

__global__ static void flood_kernel(struct shared *s, int from, uint64_t n)
{
	take_part(s, from, (int)(blockIdx.x * NLANES + threadIdx.x), n);
}

static struct shared *shared;

static void *flood_thread(void *member)
{
	take_part(shared, gshmem_my_pe(), (int)(intptr_t)member, operations_each());
	return NULL;
}

/* ---- what has come ---- */

static uint64_t count(uint64_t n, uint64_t every, uint64_t from)
{
	return n > from ? (n - from - 1) / every + 1 : 0;
}

static void check_place(const struct place *p, int from, int member, uint64_t n)
{
	const uint64_t nlongs = count(n, 32, 17);
	uint64_t nadds = 0, i;

	for (i = n > NSLOTS ? n - NSLOTS : 0; i < n; i++)
		t_check(!differ(p->slots[i % NSLOTS], nbytes_of(member, i), seed_of(from, member, i)),
			"put %llu of member %d of PE %d: %zu bytes did not come", (unsigned long long)i,
			member, from, nbytes_of(member, i));
	for (i = nlongs > 4 ? nlongs - 4 : 0; i < nlongs; i++)
		t_check(!differ(p->longs[i % 4], LONG_NBYTES, seed_of(from, member, i)),
			"long put %llu of member %d of PE %d", (unsigned long long)i, member, from);
	for (i = 2; i < n; i += 4)
		nadds += i;
	t_equal(p->nadds, nadds, "adds of one member");
}

static int flood_pe(void)
{
	const uint64_t n = operations_each();
	pthread_t threads[NTHREADS];
	uint64_t nfetched, other_sum;
	int me, other;

	t_net_init();
	me = gshmem_my_pe();
	other = 1 - me;
	shared = (struct shared *)gshmem_calloc(1, sizeof *shared);
	t_check(shared, "no memory");
	hipLaunchKernelGGL(flood_kernel, dim3(NBLOCKS), dim3(NLANES), 0, 0, shared, me, n);
	for (intptr_t i = 0; i < NTHREADS; i++)
		t_net_start(&threads[i], flood_thread, (void *)(NBLOCKS * NLANES + i));
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	for (int member = 0; member < NMEMBERS; member++)
		check_place(&shared->places[member], other, member, n);
	nfetched = count(n, 64, 5) * NMEMBERS;
	other_sum = gshmem_uint64_g(&shared->sum_fetched, other);
	t_equal(shared->nadds, count(n, 4, 1) * NMEMBERS, "adds of all members");
	t_equal(shared->nfetched, nfetched, "adds that fetch");
	t_equal(other_sum, nfetched * (nfetched - 1) / 2, "the sum of what was fetched");
	t_equal(shared->wrong, 0, "gets that brought something else than was put");
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}

/* ---- the job ---- */

/* The number before text in a PE's line of counts. */
static unsigned long long number_before(const char *line, const char *text)
{
	const char *end = strstr(line, text);

	t_check(end, "no \"%s\" in: %s", text, line);
	while (end > line && isdigit((unsigned char)end[-1]))
		end--;
	return strtoull(end, NULL, 10);
}

static void check_counts(const char *output, int pe, bool is_verbose)
{
	char start[32];
	const char *line;
	unsigned long long nmessages, nheld;

	snprintf(start, sizeof start, "pe %d: net: ", pe);
	line = strstr(output, start);
	t_check(line, "no counts of PE %d:\n%s", pe, output);
	nmessages = number_before(line, " messages;");
	nheld = number_before(line, " held at most");
	if (is_verbose)
		printf("PE %d: %llu messages, of which %llu were kept at a time, at most\n", pe, nmessages,
			nheld);
	t_check(nmessages >= NMESSAGES, "PE %d: %llu messages, which uses up no credit %d times: %s", pe,
		nmessages, NMESSAGES, line);
	t_check(nheld <= NCREDITS + 2, "PE %d kept %llu messages at a time", pe, nheld);
}

static inline int flood(int argc, char **argv)
{
	static struct t_job job;
	const bool is_verbose = argc > 1 && strcmp(argv[1], "-v") == 0;

	if (argc > 1 && !is_verbose)
		return flood_pe();
	t_job_run(&job, 2, "GSHMEM_CARRY=all GSHMEM_STATS=1 GSHMEM_FIRST_SEQ=4294967000", "", "pe", LIMIT_S);
	t_check(job.status == 0, "exit status %d:\n%s", job.status, job.output);
	for (int pe = 0; pe < 2; pe++)
		check_counts(job.output, pe, is_verbose);
	return 0;
}

#endif /* T_NET_FLOOD_H */
