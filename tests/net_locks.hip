/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its jobs say which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 200 */
/* tier: all */
/*
 * Locks whose home is carried, for all or some PEs: kernels and hosts of all PEs, or hosts alone, ask for
 * them. Only one holds a lock at a time, and it sees what the previous holder wrote. A request for a carried
 * lock is parked at the lock's home.
 */
#include <hip/hip_runtime.h>
#include "job.h"
#include "net_calls.h"

enum { NPES = 4, NLOCKS = 6, NBLOCKS = 2, NTHREADS = 2, NROUNDS = 12 };

struct shared {
	long locks[NLOCKS];
	uint64_t counts[NLOCKS]; /* on PE lock % npes: incremented under the lock, by put and get */
};

static struct shared *shared;
static int npes;

static __host__ __device__ void take_part(struct shared *s, int n, int first)
{
	for (int i = 0; i < NROUNDS * NLOCKS; i++) {
		const int which = (first + i) % NLOCKS, pe = which % n;

		if (i % 5 == 4)
			while (gshmem_test_lock(&s->locks[which]))
				;
		else
			gshmem_set_lock(&s->locks[which]);
		gshmem_uint64_p(&s->counts[which], gshmem_uint64_g(&s->counts[which], pe) + 1, pe);
		gshmem_clear_lock(&s->locks[which]);
	}
}

static __global__ void kernel(struct shared *s, int n)
{
	if (threadIdx.x == 3)
		take_part(s, n, (int)blockIdx.x);
}

static void *thread(void *first)
{
	take_part(shared, npes, (int)(intptr_t)first);
	return NULL;
}

static int pe_main(bool has_kernel)
{
	const int nmembers = NTHREADS + (has_kernel ? NBLOCKS : 0);
	pthread_t threads[NTHREADS];
	int me;

	t_net_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	shared = (struct shared *)gshmem_calloc(1, sizeof *shared);
	if (has_kernel)
		hipLaunchKernelGGL(kernel, dim3(NBLOCKS), dim3(64), 0, 0, shared, npes);
	for (intptr_t i = 0; i < NTHREADS; i++)
		t_net_start(&threads[i], thread, (void *)(i + NBLOCKS));
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	for (int i = 0; i < NLOCKS; i++) {
		t_equal(shared->locks[i], 0, "a lock that nobody has");
		t_equal(shared->counts[i], me == i % npes ? npes * nmembers * NROUNDS : 0,
			"what was counted under a lock");
	}
	gshmem_finalize();
	return 0;
}

/* How many requests waited for locks, from the counts of all PEs. */
static unsigned long count_parked(const char *output)
{
	unsigned long sum = 0;
	const char *end = output;

	while ((end = strstr(end, " waited in locks"))) {
		const char *at = end++;

		while (isdigit((unsigned char)at[-1]))
			at--;
		sum += strtoul(at, NULL, 10);
	}
	return sum;
}

static void expect(const char *env, const char *what)
{
	static struct t_job job;

	t_job_run(&job, NPES, env, "", what, 60);
	t_check(job.status == 0, "%s: exit status %d:\n%s", env, job.status, job.output);
	t_check(count_parked(job.output), "%s: nobody was parked at a lock's home:\n%s", env, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(strcmp(argv[1], "hosts") != 0);
	expect("GSHMEM_STATS=1 GSHMEM_CARRY=all", "kernels");
	expect("GSHMEM_STATS=1 GSHMEM_CARRY=0,1", "kernels");
	expect("GSHMEM_STATS=1 GSHMEM_CARRY=1-in-3 GSHMEM_RPC_SLOTS=4", "kernels");
	expect("GSHMEM_STATS=1 GSHMEM_CARRY=all", "hosts");
	return 0;
}
