/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4,2 */
/* env: GSHMEM_CARRY=all GSHMEM_NET_DEADLINE=100 GSHMEM_HEAP_SIZE=4m GSHMEM_RPC_SLOTS=4 GSHMEM_CPU_BLOCKS=8 GSHMEM_CPU_DEVICES=2 AMDSIM_DEVICES=2 AMDSIM_CUS=2 */
/* carry: no, it says which PEs are carried */
/* net: no, likewise */
/* timeout: 200 */
/*
 * Carried operations make progress while work-groups fill the GPUs of all PEs, so that no kernel of the
 * library can start, and stay until others have reached their memory: in waits, in loops of tests, while
 * posts to each other take all slots, while each waits for what it has fetched, for signals, for locks and
 * for the old elements of accumulates. These begin as kernels of the owner, which then find no room.
 * With four PEs two processes share each GPU. Waiting work-groups must serve, or nothing goes on. On the cpu
 * platform 32 spinning threads share the cores with the net threads, which may then be silent for more than
 * 10 s, the default of GSHMEM_NET_DEADLINE.
 */
#include <hip/hip_runtime.h>
#include <gshmemx_win.h>
#include "oracle.h"

enum { NTHREADS = 64, NOPS = 2, NROUNDS = 20, NBYTES = 200, NELEMS = 64, NTIMES = 4 };

struct words {
	uint64_t narrived; /* work-groups of this PE */
	uint64_t go, sum, ticket, signal;
	uint64_t nwrong;
	uint64_t counted; /* under the lock */
	long lock[1];
	unsigned char bytes[NBYTES];
};

static int me, npes, next;
static unsigned nsharers; /* processes of each GPU */
static struct words *words;
static unsigned char *source; /* symmetric, NBYTES */

/* A window's memory. */
struct elements {
	double sums[NELEMS];
	int64_t bits[NELEMS];
	gshmemx_complexd_t pairs[NELEMS];
};

/* ---- kernels that fill the GPUs ---- */

static __device__ void arrive(struct words *w, int pe)
{
	if (threadIdx.x == 0)
		gshmem_uint64_atomic_inc(&w->narrived, pe);
}

static __device__ void check_bytes(struct words *w, unsigned seed, int pe)
{
	for (unsigned i = threadIdx.x; i < NBYTES; i += NTHREADS)
		if (w->bytes[i] != t_byte(seed, i))
			gshmem_uint64_atomic_inc(&w->nwrong, pe);
}

/* The CPU of another PE releases it. */
static __global__ void wait_kernel(struct words *w, int tests)
{
	const int pe = gshmem_my_pe();

	arrive(w, pe);
	if (tests)
		while (!gshmem_uint64_test(&w->go, GSHMEM_CMP_EQ, 1))
			;
	else
		gshmem_uint64_wait_until(&w->go, GSHMEM_CMP_EQ, 1);
	check_bytes(w, NROUNDS, pe);
}

/* Each lane posts, and stays until as many posts have come from the other side. */
static __global__ void post_kernel(struct words *w, int to, uint64_t expected)
{
	arrive(w, gshmem_my_pe());
	for (int i = 0; i < NOPS; i++)
		gshmem_uint64_atomic_add(&w->sum, threadIdx.x, to);
	gshmem_quiet();
	gshmem_uint64_wait_until(&w->sum, GSHMEM_CMP_EQ, expected);
}

/* Each lane waits for each answer. */
static __global__ void fetch_kernel(struct words *w, int to, uint64_t expected)
{
	uint64_t last = 0;

	for (int i = 0; i < NOPS; i++) {
		const uint64_t found = gshmem_uint64_atomic_fetch_inc(&w->ticket, to);

		if (found < last || found >= expected)
			gshmem_uint64_atomic_inc(&w->nwrong, gshmem_my_pe());
		last = found + 1;
	}
	while (!gshmem_uint64_test(&w->ticket, GSHMEM_CMP_EQ, expected))
		;
}

/* Each work-group sends data and a signal; all send the same bytes. */
static __global__ void signal_kernel(struct words *w, const unsigned char *from, int to, uint64_t expected)
{
	gshmemx_putmem_signal_wg(w->bytes, from, NBYTES, &w->signal, 1, GSHMEM_SIGNAL_ADD, to);
	gshmem_uint64_wait_until(&w->signal, GSHMEM_CMP_EQ, expected);
	check_bytes(w, NROUNDS, gshmem_my_pe());
}

/* One lock for all PEs, acquired by test_lock, then by set_lock. */
static __global__ void lock_kernel(struct words *w)
{
	if (threadIdx.x == 0) {
		while (gshmem_test_lock(w->lock))
			;
		gshmem_uint64_p(&w->counted, gshmem_uint64_g(&w->counted, 0) + 1, 0);
		gshmem_clear_lock(w->lock);
		gshmem_set_lock(w->lock);
		gshmem_uint64_p(&w->counted, gshmem_uint64_g(&w->counted, 0) + 1, 0);
		gshmem_clear_lock(w->lock);
	}
}

/* Each work-group adds 1 to each element, and gets the old ones, each of its threads some. */
static __global__ void accumulate_kernel(
	struct words *w, gshmemx_win_t win, const double *ones, double *old, int to, uint64_t expected)
{
	const int pe = gshmem_my_pe();

	arrive(w, pe);
	gshmem_uint64_wait_until(&w->narrived, GSHMEM_CMP_EQ, expected);
	old += blockIdx.x * NELEMS;
	gshmemx_win_double_get_accumulate_wg(win, old, 0, ones, NELEMS, GSHMEMX_SUM, to);
	gshmemx_win_flush_wg(win, to);
	for (unsigned i = threadIdx.x; i < NELEMS; i += NTHREADS)
		if (old[i] < NTIMES || old[i] >= NTIMES + (double)expected)
			gshmem_uint64_atomic_inc(&w->nwrong, pe);
	__syncthreads();
	if (threadIdx.x == 0)
		gshmem_uint64_atomic_inc(&w->sum, to);
	gshmem_uint64_wait_until(&w->sum, GSHMEM_CMP_EQ, expected);
}

/* ---- what the host does meanwhile, and what has come ---- */

static void clear(void)
{
	static const struct words zero = {};

	t_to_device(words, &zero, sizeof zero);
	gshmem_barrier_all();
}

/* How many work-groups of each PE fill the GPU together with those of the PEs that share it. */
static unsigned count_blocks(const void *kernel)
{
	int device, ncus, per_cu;

	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&ncus, hipDeviceAttributeMultiprocessorCount, device));
	t_hip(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_cu, kernel, NTHREADS, 0));
	return (unsigned)(ncus * per_cu) / nsharers;
}

static void finish(const char *what)
{
	t_hip(hipGetLastError());
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	t_equal(t_read_u64(&words->nwrong), 0, what);
}

/* Hosts reach each other's GPUs, which wait or test. */
static void check_waiting(int tests)
{
	const char *what = tests ? "GPUs full of kernels that test" : "GPUs full of kernels that wait";
	const unsigned nblocks = count_blocks((const void *)wait_kernel);
	unsigned char bytes[NBYTES];

	clear();
	hipLaunchKernelGGL(wait_kernel, dim3(nblocks), dim3(NTHREADS), 0, 0, words, tests);
	gshmem_uint64_wait_until(&words->narrived, GSHMEM_CMP_EQ, nblocks);
	gshmem_barrier_all();
	for (int i = 1; i <= NROUNDS; i++) {
		gshmem_uint64_atomic_add(&words->sum, 5, next);
		t_equal(gshmem_uint64_atomic_fetch_inc(&words->ticket, next), (uint64_t)i - 1, what);
		t_fill(bytes, NBYTES, (unsigned)i);
		gshmem_putmem_signal(
			words->bytes, bytes, NBYTES, &words->signal, (uint64_t)i, GSHMEM_SIGNAL_SET, next);
	}
	gshmem_quiet();
	t_equal(gshmem_uint64_atomic_fetch(&words->signal, next), NROUNDS, what);
	gshmem_barrier_all();
	gshmem_signal_set(&words->go, 1, next);
	finish(what);
	t_equal(t_read_u64(&words->sum), 5 * NROUNDS, what);
	t_equal(t_read_u64(&words->ticket), NROUNDS, what);
}

/* Kernels reach each other. */
static void check_each_other(void)
{
	uint64_t n;

	clear();
	n = count_blocks((const void *)post_kernel);
	hipLaunchKernelGGL(post_kernel, dim3((unsigned)n), dim3(NTHREADS), 0, 0, words, next,
		n * (NTHREADS * (NTHREADS - 1) / 2) * NOPS);
	finish("posts to each other");
	clear();
	n = count_blocks((const void *)fetch_kernel);
	hipLaunchKernelGGL(
		fetch_kernel, dim3((unsigned)n), dim3(NTHREADS), 0, 0, words, next, n * NTHREADS * NOPS);
	finish("atomics that fetch from each other");
	clear();
	n = count_blocks((const void *)signal_kernel);
	hipLaunchKernelGGL(signal_kernel, dim3((unsigned)n), dim3(NTHREADS), 0, 0, words, source, next, n);
	finish("signals to each other");
	clear();
	n = count_blocks((const void *)lock_kernel);
	hipLaunchKernelGGL(lock_kernel, dim3((unsigned)n), dim3(NTHREADS), 0, 0, words);
	finish("a lock of all");
	t_equal(gshmem_uint64_g(&words->counted, 0), 2 * n * (uint64_t)npes, "counted under the lock");
	gshmem_barrier_all();
}

/* The host's accumulates: by an atomic, by compare and swap, and under the window's lock. */
static void accumulate(gshmemx_win_t win, int round)
{
	static double ones[NELEMS], old_sums[NELEMS], pairs[NELEMS][2];
	static gshmemx_complexd_t old_pairs[NELEMS];
	static int64_t bits[NELEMS], old_bits[NELEMS];
	double part;
	int i;

	for (i = 0; i < NELEMS; i++) {
		ones[i] = pairs[i][0] = pairs[i][1] = 1;
		bits[i] = 1L << round;
	}
	gshmemx_win_double_get_accumulate(
		win, old_sums, offsetof(struct elements, sums), ones, NELEMS, GSHMEMX_SUM, next);
	gshmemx_win_int64_get_accumulate(
		win, old_bits, offsetof(struct elements, bits), bits, NELEMS, GSHMEMX_OR, next);
	gshmemx_win_complexd_get_accumulate(win, old_pairs, offsetof(struct elements, pairs),
		(const gshmemx_complexd_t *)(const void *)pairs, NELEMS, GSHMEMX_SUM, next);
	gshmemx_win_flush(win, next);
	for (i = 0; i < NELEMS; i++) {
		memcpy(&part, &old_pairs[i], sizeof part);
		t_check(old_sums[i] == round && part == round && old_bits[i] == (1L << round) - 1,
			"round %d, element %d: the old sum is %g, the complex one %g, the bits %#lx", round,
			i, old_sums[i], part, (long)old_bits[i]);
	}
}

/* Accumulates on GPUs that are full, from hosts and from kernels. */
static void check_accumulates(void)
{
	static const struct elements zero = {};
	const unsigned nblocks = count_blocks((const void *)accumulate_kernel);
	const unsigned nwaiting = count_blocks((const void *)wait_kernel);
	double *ones = (double *)t_shmalloc(NELEMS * sizeof *ones);
	double *old = (double *)t_shmalloc(nblocks * NELEMS * sizeof *old);
	struct elements found;
	gshmemx_win_t win;
	unsigned char bytes[NBYTES];
	double one[NELEMS];
	void *memory;
	int i;

	for (i = 0; i < NELEMS; i++)
		one[i] = 1;
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof(struct elements), 1, &memory, &win), 0,
		"win_allocate");
	t_to_device(memory, &zero, sizeof zero);
	t_to_device(ones, one, sizeof one);
	clear();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	hipLaunchKernelGGL(wait_kernel, dim3(nwaiting), dim3(NTHREADS), 0, 0, words, 0);
	gshmem_uint64_wait_until(&words->narrived, GSHMEM_CMP_EQ, nwaiting);
	gshmem_barrier_all();
	for (i = 0; i < NTIMES; i++)
		accumulate(win, i);
	t_fill(bytes, NBYTES, NROUNDS); /* what wait_kernel looks for */
	gshmem_putmem_signal(words->bytes, bytes, NBYTES, &words->go, 1, GSHMEM_SIGNAL_SET, next);
	finish("accumulates of hosts");
	clear();
	hipLaunchKernelGGL(accumulate_kernel, dim3(nblocks), dim3(NTHREADS), 0, 0, words, win, ones, old,
		next, (uint64_t)nblocks);
	finish("accumulates of kernels");
	t_from_device(&found, memory, sizeof found);
	for (i = 0; i < NELEMS; i++)
		t_check(found.sums[i] == NTIMES + (double)nblocks, "element %d is %g, expected %d", i,
			found.sums[i], NTIMES + (int)nblocks);
	gshmem_barrier_all();
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	t_equal(gshmemx_win_free(&win), 0, "win_free");
	gshmem_free(old);
	gshmem_free(ones);
}

int main(void)
{
	unsigned char bytes[NBYTES];
	int ndevices;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	next = (me + 1) % npes;
	t_hip(hipGetDeviceCount(&ndevices));
	/* on the CPU no PEs share one */
	nsharers = T_IS_CPU || npes <= ndevices ? 1 : (unsigned)((npes + ndevices - 1) / ndevices);
	words = (struct words *)t_shmalloc(sizeof *words);
	source = (unsigned char *)t_shmalloc(NBYTES);
	t_fill(bytes, NBYTES, NROUNDS);
	t_to_device(source, bytes, NBYTES);
	check_waiting(0);
	check_waiting(1);
	check_each_other();
	check_accumulates();
	gshmem_free(source);
	gshmem_free(words);
	gshmem_finalize();
	return 0;
}
