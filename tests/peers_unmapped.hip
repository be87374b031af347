/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* net: no */
/* platform: cpu */
/* timeout: 240 */
/*
 * Peers without peer access, on other nodes, and without native atomics perform the operations that
 * others ask of them, and queries say what is mapped. Each job calls from the host and from a
 * kernel, in both directions at once.
 */
#include <gshmem.h>

#include "job.h"

#define NO_PEER    "GSHMEM_STATS=1 GSHMEM_CPU_DEVICES=2 GSHMEM_CPU_LINKS=0-1:none"
#define OTHER_NODE "GSHMEM_STATS=1 GSHMEM_PES_PER_NODE=1"
#define NO_ATOMICS "GSHMEM_STATS=1 GSHMEM_CPU_DEVICES=2 GSHMEM_CPU_LINKS=0-1:plain"
#define ONE_WAY    "GSHMEM_STATS=1 GSHMEM_CARRY=1"
#define NADDS      1000

__global__ static void add_kernel(long *sum, int pe)
{
	for (int i = 0; i < NADDS; i++)
		gshmem_long_atomic_add(sum, 1, pe);
	gshmem_quiet();
}

__global__ static void put_kernel(long *words, uint64_t *signal, int pe)
{
	long two[2] = {8, 9};

	gshmem_long_p(&words[0], 7, pe);
	gshmem_fence(); /* the signal orders no put but its own */
	gshmem_long_put_signal(&words[1], two, 2, signal, 5, GSHMEM_SIGNAL_SET, pe);
	gshmem_quiet();
}

/*
 * How many heaps are mapped in this process: device memory of the cpu platform is always files, one per heap.
 */
static int count_heaps(const void *mine)
{
	unsigned long from, to, inode, nbytes = 0, last = 0;
	char line[512];
	int n = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= (uintptr_t)mine &&
			(uintptr_t)mine < to)
			nbytes = to - from;
	rewind(maps);
	while (fgets(line, sizeof line, maps))
		if (strstr(line, "memfd:hipcpu") &&
			sscanf(line, "%lx-%lx %*s %*s %*s %lu", &from, &to, &inode) == 3 &&
			to - from == nbytes && inode != last) {
			last = inode;
			n++;
		}
	fclose(maps);
	return n;
}

struct objects {
	long words[3], host_words[2], sum, from_me;
	uint64_t signal;
};

/* One PE; PE 0 must map nheaps heaps. */
static int pe_main(int nheaps)
{
	struct objects *o;
	int me, other;

	gshmem_init();
	me = gshmem_my_pe();
	other = 1 - me;
	o = (struct objects *)gshmem_calloc(1, sizeof *o);
	t_equal(gshmem_pe_accessible(other), 1, "pe_accessible");
	t_equal(gshmem_addr_accessible(o, other), 1, "addr_accessible");
	if (!me) {
		t_equal(count_heaps(o), nheaps, "heaps that are mapped");
		t_check((gshmem_ptr(o, other) != NULL) == (nheaps == 2), "gshmem_ptr of the other PE");
	}
	t_check(gshmem_ptr(o, me) == o, "gshmem_ptr of oneself");
	t_check(!gshmem_malloc(1000 + (size_t)me), "malloc of different sizes");

	hipLaunchKernelGGL(put_kernel, dim3(1), dim3(1), 0, 0, o->words, &o->signal, other);
	t_hip(hipDeviceSynchronize());
	gshmem_signal_wait_until(&o->signal, GSHMEM_CMP_EQ, 5);
	t_check(o->words[0] == 7 && o->words[1] == 8 && o->words[2] == 9, "a kernel's puts: %ld %ld %ld",
		o->words[0], o->words[1], o->words[2]);
	o->from_me = 100 + me;
	gshmem_long_p(&o->host_words[0], 5 + me, other);
	gshmem_barrier_all();
	t_equal(o->host_words[0], 5 + other, "a host's put");
	t_equal(gshmem_long_g(&o->from_me, other), 100 + other, "a host's get");
	/* Both PEs add to the word of each, from kernels and hosts. */
	hipLaunchKernelGGL(add_kernel, dim3(1), dim3(1), 0, 0, &o->sum, other);
	hipLaunchKernelGGL(add_kernel, dim3(1), dim3(1), 0, 0, &o->sum, me);
	for (int i = 0; i < NADDS; i++)
		(void)gshmem_long_atomic_fetch_add(&o->sum, 1, i % 2);
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	t_equal(gshmem_long_atomic_fetch(&o->sum, me), 3 * NADDS, "the sum of all adds");
	gshmem_finalize();
	return 0;
}

/* text: what PE 0 must report to have performed. */
static void expect_success(const char *env, const char *args, const char *text)
{
	struct t_job job;

	t_job_run(&job, 2, env, "", args, 60);
	t_check(job.status == 0, "%s: exit status %d:\n%s", env, job.status, job.output);
	t_check(strstr(job.output, "pe 0: gshmem_malloc: 1000 bytes on PE 0 but 1001 on PE 1"),
		"%s: malloc:\n%s", env, job.output);
	t_check(strstr(job.output, text), "%s: expected \"%s\":\n%s", env, text, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(atoi(argv[1]));
	expect_success(NO_PEER, "1", "pe 1: net: asked for");
	expect_success(OTHER_NODE, "1", "pe 1: net: asked for");
	/*
	 * The put of the put_signal, whose signal is the first atomic. Atomics on a
	 * PE's own words need no request.
	 */
	expect_success(
		NO_ATOMICS, "2", "pe 1: net: asked for 1 puts (0 merged), 0 gets, 1501 atomics and signals");
	expect_success("GSHMEM_DEBUG=1 " NO_ATOMICS, "2",
		"pe 1: init: no native atomics from the device of PE 1 to that of PE 0\n");
	expect_success(ONE_WAY, "1", "pe 1: net: asked for 0 puts (0 merged), 0 gets");
	return 0;
}
