/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,5,8 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CHECK=1 GSHMEM_CPU_WAVE=32 */
/* timeout: 240 */
/*
 * A lock keeps out other PEs, other CPU threads and kernels, and the next holder sees what the
 * previous one wrote. Requests are granted in order; test_lock acquires only a free lock; a lock
 * that nobody holds is 0 again.
 */
#include <hip/hip_runtime.h>
#include <pthread.h>
#include "oracle.h"

enum { NLOCKS = 3, NWORDS = 5, NBLOCKS = 3, NTHREADS = 2, NROUNDS = 4, NPARTS = NBLOCKS + NTHREADS };

struct shared {
	long lock[NLOCKS];
	uint64_t words[NLOCKS][NWORDS]; /* protected by the lock, on PE lock % npes: all the same */
	long queue, ticket;
	int order[64], nserved;
};

static struct shared *s;
static int me, npes;

/* Returns how often a participant found that words were not all the same. */
static __host__ __device__ int take_part(struct shared *shared, int n)
{
	int wrong = 0;

	for (int round = 0; round < NROUNDS * NLOCKS; round++) {
		const int which = round % NLOCKS, pe = which % n;
		uint64_t words[NWORDS];

		while (round % 2 && gshmem_test_lock(&shared->lock[which]))
			;
		if (round % 2 == 0)
			gshmem_set_lock(&shared->lock[which]);
		gshmem_uint64_get(words, shared->words[which], NWORDS, pe);
		for (int i = 1; i < NWORDS; i++)
			wrong += words[i] != words[0];
		(void)gshmem_long_test(&shared->lock[which], GSHMEM_CMP_LT, 0); /* others run */
		for (int i = 0; i < NWORDS; i++)
			words[i]++;
		gshmem_uint64_put(&shared->words[which][1], &words[1], NWORDS - 1, pe);
		gshmem_uint64_p(&shared->words[which][0], words[0], pe);
		gshmem_clear_lock(&shared->lock[which]);
	}
	return wrong;
}

static __global__ void kernel(struct shared *shared, int n, int *wrong)
{
	if (threadIdx.x == 37)
		wrong[blockIdx.x] = take_part(shared, n);
}

static void *thread(void *wrong)
{
	*(int *)wrong = take_part(s, npes);
	return NULL;
}

static void check_exclusion(void)
{
	int wrong[NPARTS], *in_kernel = (int *)t_hipmalloc(NBLOCKS * sizeof *in_kernel);
	pthread_t threads[NTHREADS];
	struct shared mine;

	hipLaunchKernelGGL(kernel, dim3(NBLOCKS), dim3(64), 0, 0, s, npes, in_kernel);
	for (int i = 0; i < NTHREADS; i++)
		t_equal(pthread_create(&threads[i], NULL, thread, &wrong[NBLOCKS + i]), 0, "pthread_create");
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	t_hip(hipDeviceSynchronize());
	t_from_device(wrong, in_kernel, NBLOCKS * sizeof *in_kernel);
	for (int i = 0; i < NPARTS; i++)
		t_check(!wrong[i], "PE %d: %s: words under a lock differ, %d times", me,
			i < NBLOCKS ? "kernel" : "host", wrong[i]);
	gshmem_barrier_all();
	t_from_device(&mine, s, sizeof mine);
	for (int which = 0; which < NLOCKS; which++) {
		t_equal(mine.lock[which], 0, "a lock that nobody has");
		for (int i = 0; i < NWORDS; i++)
			t_equal(mine.words[which][i],
				me == which % npes ? (uint64_t)npes * NPARTS * NROUNDS : 0,
				"a word that was counted up under a lock");
	}
}

static __global__ void set_and_clear(struct shared *shared, int who, int *first)
{
	if (threadIdx.x == 5) {
		gshmem_set_lock(&shared->queue);
		*first = gshmem_int_g(&shared->nserved, 0);
		gshmem_int_p(&shared->order[*first], who, 0);
		gshmem_int_p(&shared->nserved, *first + 1, 0);
		gshmem_clear_lock(&shared->queue);
	}
}

/*
 * How many have asked for the lock since it was free: half of the word at its home.
 * The word is 0 on the other PEs.
 */
static long asked(void)
{
	unsigned long word = 0;

	for (int pe = 0; pe < npes; pe++)
		word |= (unsigned long)gshmem_long_atomic_fetch(&s->queue, pe);
	return (long)(word >> 32);
}

/* PE 0 holds the lock; PE i asks once i others have asked. Every other PE asks from a kernel. */
static void check_queue(void)
{
	struct shared mine;
	int *first = (int *)t_hipmalloc(sizeof *first), n;

	if (me == 0)
		gshmem_set_lock(&s->queue);
	gshmem_barrier_all();
	while (asked() != (me == 0 ? npes : me))
		;
	t_equal(gshmem_test_lock(&s->queue), 1, "test_lock while another one has it");
	if (me == 0) {
		t_equal(gshmem_int_g(&s->nserved, 0), 0, "those that had the lock while another one had it");
		gshmem_clear_lock(&s->queue);
	} else if (me % 2) {
		t_launch(set_and_clear, 1, 64, s, me, first);
	} else {
		gshmem_set_lock(&s->queue);
		n = gshmem_int_g(&s->nserved, 0);
		gshmem_int_p(&s->order[n], me, 0);
		gshmem_int_p(&s->nserved, n + 1, 0);
		gshmem_clear_lock(&s->queue);
	}
	gshmem_barrier_all();
	t_from_device(&mine, s, sizeof mine);
	for (int i = 1; me == 0 && i < npes; i++)
		t_check(mine.order[i - 1] == i, "the %d. to ask was PE %d, the %d. to be served PE %d", i, i,
			i, mine.order[i - 1]);
	t_equal(asked(), 0, "a lock that nobody has");
	gshmem_barrier_all();
}

static __global__ void test_in_kernel(long *lock, int clear, int *result)
{
	*result = gshmem_test_lock(lock);
	if (clear)
		gshmem_clear_lock(lock);
}

/* Each PE in turn sets the lock, and the next one finds it set. */
static void check_test(void)
{
	int *result = (int *)t_hipmalloc(sizeof *result), tested;

	for (int pe = 0; pe < npes; pe++) {
		if (me == pe)
			t_equal(gshmem_test_lock(&s->ticket), 0, "test_lock of a free lock");
		gshmem_barrier_all();
		if (me == (pe + 1) % npes) {
			t_launch(test_in_kernel, 1, 1, &s->ticket, 0, result);
			t_from_device(&tested, result, sizeof tested);
			t_equal(tested, 1, "test_lock in a kernel while another one has it");
			t_equal(gshmem_test_lock(&s->ticket), 1, "test_lock while another one has it");
		}
		gshmem_barrier_all();
		if (me == pe) {
			gshmem_clear_lock(&s->ticket);
			t_launch(test_in_kernel, 1, 1, &s->ticket, 1, result);
			t_from_device(&tested, result, sizeof tested);
			t_equal(tested, 0, "test_lock in a kernel of a free lock");
		}
		gshmem_barrier_all();
	}
}

int main()
{
	int provided;

	t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, &provided), 0, "gshmem_init_thread");
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	s = (struct shared *)gshmem_calloc(1, sizeof *s);
	check_test();
	check_queue();
	check_exclusion();
	gshmem_finalize();
	return 0;
}
