/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/* env: GSHMEM_CARRY=all | GSHMEM_CARRY=1,3 | GSHMEM_CARRY=1-in-3 | GSHMEM_CPU_DEVICES=2 GSHMEM_CPU_LINKS=0-1:plain */
/* carry: no, it says which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 120 */
/*
 * No atomic is lost or performed twice when kernels and CPU threads of a word's owner, of PEs that map it and
 * of PEs whose atomics are carried update it all at once. The fetched values tell the order of all updates.
 */
#include <hip/hip_runtime.h>
#include "net_calls.h"

/* Each PE's lanes of a kernel and threads of the host. */
enum { NBLOCKS = 2, NLANES = 64, NTHREADS = 2, NMEMBERS = NBLOCKS * NLANES + NTHREADS };
enum { NADDS = 50, NFETCHES = 4, NSETS = 2, NSWAPS = 5, SWAPPERS = 5, NPES = 4 };

/* A word that is set is ID << ID_BIT; adds count below. */
#define ID_BIT 20

struct shared {
	uint64_t sum64, sum_of_fetches, fetched_inc, set, swapped, signal;
	uint32_t sum32, swapped32;
	/* What this PE's members have fetched from the word of each PE. */
	uint64_t incs[NPES][NMEMBERS][NFETCHES], adds[NPES][NMEMBERS][NFETCHES];
	uint64_t last[8]; /* where put_signal puts to */
};

static int me, npes;
static struct shared *shared;

/* ---- what each member does on each PE ---- */

static __host__ __device__ void add(struct shared *s, int member, int pe)
{
	for (int i = 0; i < NADDS; i++) {
		gshmem_uint64_atomic_add(&s->sum64, 1 + ((uint64_t)1 << 40), pe);
		gshmem_uint32_atomic_add(&s->sum32, (uint32_t)member + 1, pe);
	}
	for (int i = 0; i < NFETCHES; i++)
		(void)gshmem_uint64_atomic_fetch_add(&s->sum_of_fetches, (uint64_t)member + 1, pe);
}

static __host__ __device__ void fetch(struct shared *s, int member, int pe)
{
	for (int i = 0; i < NFETCHES; i++)
		s->incs[pe][member][i] = gshmem_uint64_atomic_fetch_inc(&s->fetched_inc, pe);
}

/* The id that a member sets, and no other member; 0 is the word's initial id. */
static __host__ __device__ uint64_t id_of(int from, int member, int i)
{
	return ((uint64_t)from * NMEMBERS + (uint64_t)member) * NSETS + (uint64_t)i + 1;
}

static __host__ __device__ void set(struct shared *s, int from, int member, int pe)
{
	for (int i = 0; i < NFETCHES; i++) {
		if (i < NSETS && member % 8 == 0)
			gshmem_uint64_atomic_set(&s->set, id_of(from, member, i) << ID_BIT, pe);
		s->adds[pe][member][i] = gshmem_uint64_atomic_fetch_inc(&s->set, pe);
	}
}

/* Sets signals, and adds to them afterwards. The last id that a member sets is odd: it was the second one. */
static __host__ __device__ void signal(struct shared *s, int from, int member, int pe)
{
	uint64_t data = id_of(from, member, 0);

	for (int i = 0; i < NSETS; i++) {
		gshmem_uint64_put_signal(&s->last[member % 8], &data, 1, &s->signal,
			id_of(from, member, i) << ID_BIT, GSHMEM_SIGNAL_SET, pe);
		gshmem_fence();
		gshmem_signal_add(&s->signal, 1, pe);
		gshmem_uint64_put_signal(
			&s->last[member % 8], &data, 1, &s->signal, 1, GSHMEM_SIGNAL_ADD, pe);
		gshmem_fence();
	}
}

static __host__ __device__ void swap(struct shared *s, int member, int pe)
{
	uint64_t found = 0, old;
	uint32_t found32 = 0, old32;

	for (int i = 0; member % (NMEMBERS / SWAPPERS) == 0 && i < NSWAPS; i++) {
		while ((old = gshmem_uint64_atomic_compare_swap(&s->swapped, found, found + 1, pe)) != found)
			found = old;
		while ((old32 = gshmem_uint32_atomic_compare_swap(&s->swapped32, found32, found32 - 1, pe)) !=
			found32)
			found32 = old32;
	}
}

static __host__ __device__ void take_part(struct shared *s, int from, int n, int member)
{
	for (int i = 0; i < n; i++) {
		const int pe = (from + member + i) % n;

		add(s, member, pe);
		fetch(s, member, pe);
		set(s, from, member, pe);
		signal(s, from, member, pe);
		swap(s, member, pe);
	}
	gshmem_quiet();
}

static __global__ void kernel(struct shared *s, int from, int n)
{
	take_part(s, from, n, (int)(blockIdx.x * NLANES + threadIdx.x));
}

static void *thread(void *member)
{
	take_part(shared, me, npes, (int)(intptr_t)member);
	return NULL;
}

/* ---- what the words must be then ---- */

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* What all members have fetched from my word, sorted. place: offset in struct shared of the array for me. */
static uint64_t *collect(size_t place)
{
	enum { NEACH = NMEMBERS * NFETCHES };
	uint64_t *all = (uint64_t *)t_alloc((size_t)npes * NEACH * sizeof *all);

	for (int pe = 0; pe < npes; pe++)
		gshmem_getmem(all + (size_t)pe * NEACH,
			(char *)shared + place + (size_t)me * NEACH * sizeof *all, NEACH * sizeof *all, pe);
	qsort(all, (size_t)npes * NEACH, sizeof *all, compare);
	return all;
}

static void check_sums(const struct shared *s)
{
	const uint64_t n = (uint64_t)npes, nmembers = NMEMBERS, nadds = n * nmembers * NADDS;

	t_equal(s->sum64, nadds + (nadds << 40), "PEs' adds on 64 bits");
	t_equal(s->sum32, (uint32_t)(n * NADDS * (nmembers * (nmembers + 1) / 2)), "PEs' adds on 32 bits");
	t_equal(s->sum_of_fetches, n * NFETCHES * (nmembers * (nmembers + 1) / 2), "adds that fetch");
	t_equal(s->swapped, n * NSWAPS * SWAPPERS, "compare_swap that has counted up, 64 bits");
	t_equal(s->swapped32, (uint32_t) - (n * NSWAPS * SWAPPERS),
		"compare_swap that has counted down, 32 bits");
}

/* Checks that each value was fetched once. */
static void check_permutation(const struct shared *s)
{
	const size_t n = (size_t)npes * NMEMBERS * NFETCHES;
	uint64_t *all = collect(offsetof(struct shared, incs));

	t_equal(s->fetched_inc, n, "fetch_inc");
	for (size_t i = 0; i < n; i++)
		t_equal(all[i], i, "what fetch_inc has fetched, in order");
	free(all);
}

/* After each set the adds must have found counts 0, 1, 2 ..., each once, and so after the last set. */
static void check_sets(const struct shared *s)
{
	const size_t n = (size_t)npes * NMEMBERS * NFETCHES;
	uint64_t *all = collect(offsetof(struct shared, adds)), expected = 0, last = 0;

	for (size_t i = 0; i < n; i++) {
		expected = i && all[i] >> ID_BIT == all[i - 1] >> ID_BIT ? all[i - 1] + 1
									 : all[i] >> ID_BIT << ID_BIT;
		t_check(all[i] == expected, "set among fetch_inc: fetched %#llx, but not %#llx",
			(unsigned long long)all[i], (unsigned long long)expected);
		if (all[i] >> ID_BIT == s->set >> ID_BIT)
			last = all[i] + 1;
	}
	if (!last) /* no one has added since */
		last = s->set >> ID_BIT << ID_BIT;
	t_equal(s->set, last, "the word that was set, and what was added since");
	free(all);
}

/* The final value must be the last one that its member set, followed by that member's two adds. */
static void check_signal(const struct shared *s)
{
	const uint64_t id = s->signal >> ID_BIT, nadds = s->signal & (((uint64_t)1 << ID_BIT) - 1);

	t_check(id && id <= (uint64_t)npes * NMEMBERS * NSETS, "a signal that nobody has set: %#llx",
		(unsigned long long)s->signal);
	t_equal((id - 1) % NSETS, NSETS - 1, "which of a member's signals came last");
	t_check(nadds >= 2 && nadds <= (uint64_t)npes * NMEMBERS * 2 * NSETS,
		"adds behind the last signal that was set: %llu", (unsigned long long)nadds);
}

int main(void)
{
	pthread_t threads[NTHREADS];

	t_net_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	t_check(npes <= NPES, "at most %d PEs", NPES);
	shared = (struct shared *)gshmem_calloc(1, sizeof *shared);
	hipLaunchKernelGGL(kernel, dim3(NBLOCKS), dim3(NLANES), 0, 0, shared, me, npes);
	for (intptr_t i = 0; i < NTHREADS; i++)
		t_net_start(&threads[i], thread, (void *)(NBLOCKS * NLANES + i));
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	check_sums(shared);
	check_permutation(shared);
	check_sets(shared);
	check_signal(shared);
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}
