/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,3 */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 GSHMEM_CHECK=1 */
/*
 * A get in a loop sees new values: it never returns data that an earlier get left in a cache. A PE reads
 * words of the next PE until they change, by get, get_nbi, iget, g and an atomic, by a thread, a wave, a
 * work-group and the host. The words are written by their owner, or by a put of the reader itself.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"
#include "job.h"

enum { GET, GET_NBI, IGET, GETMEM, G, FETCH, NOPS };
static const char *const op_names[] = {"get", "get_nbi", "iget", "getmem", "g", "atomic_fetch"};

#define NTHREADS   128
#define NWORDS     67 /* more than one 16-byte unit for each lane, and a tail */
#define NROUNDS    12
#define PATIENCE_S 20

/* What is read, and beside it the question: the round of the reader. */
struct page {
	long words[NWORDS];
	long asked;
};

template <int SCOPE> static __host__ __device__ void read_words(int op, long *to, const long *words, int pe)
{
	if (op == GET && SCOPE == T_WAVE)
		gshmemx_long_get_wave(to, words, NWORDS, pe);
	else if (op == GET && SCOPE == T_WG)
		gshmemx_long_get_wg(to, words, NWORDS, pe);
	else if (op == GET)
		gshmem_long_get(to, words, NWORDS, pe);
	else if (op == GET_NBI && SCOPE == T_WAVE)
		gshmemx_long_get_nbi_wave(to, words, NWORDS, pe);
	else if (op == GET_NBI && SCOPE == T_WG)
		gshmemx_long_get_nbi_wg(to, words, NWORDS, pe);
	else if (op == GET_NBI)
		gshmem_long_get_nbi(to, words, NWORDS, pe);
	else if (op == IGET && SCOPE == T_WAVE)
		gshmemx_long_iget_wave(to, words, 1, 1, NWORDS, pe);
	else if (op == IGET && SCOPE == T_WG)
		gshmemx_long_iget_wg(to, words, 1, 1, NWORDS, pe);
	else if (op == IGET)
		gshmem_long_iget(to, words, 1, 1, NWORDS, pe);
	else if (op == GETMEM && SCOPE == T_WAVE)
		gshmemx_getmem_wave(to, words, NWORDS * sizeof(long), pe);
	else if (op == GETMEM && SCOPE == T_WG)
		gshmemx_getmem_wg(to, words, NWORDS * sizeof(long), pe);
	else if (op == GETMEM)
		gshmem_getmem(to, words, NWORDS * sizeof(long), pe);
}

template <int SCOPE> static __host__ __device__ void quiet()
{
	if (SCOPE == T_WAVE)
		gshmemx_quiet_wave();
	else if (SCOPE == T_WG)
		gshmemx_quiet_wg();
	else
		gshmem_quiet();
}

/*
 * Reads the words of a PE once; returns whether all of them belong to the round. leads: this thread
 * leads those that make the call.
 */
template <int SCOPE>
static __host__ __device__ bool look(
	int op, bool leads, long *to, const struct page *page, long round, int pe)
{
	bool all = true;

	if (op == G || op == FETCH) {
		for (int i = 0; i < NWORDS && all; i++)
			all = (op == G ? gshmem_long_g(&page->words[i], pe)
				       : gshmem_long_atomic_fetch(&page->words[i], pe)) == round;
		return all;
	}
	read_words<SCOPE>(op, to, page->words, pe);
	quiet<SCOPE>();
	if (leads)
		for (int i = 0; i < NWORDS && all; i++)
			all = ((volatile long *)to)[i] == round;
	return all;
}

/*
 * The reader. It looks before each question, so that old words may lie in a cache. The owner's kernel writes
 * odd rounds, a put of the reader itself even ones. *stuck is the round that never came.
 */
template <int SCOPE>
static __global__ void __launch_bounds__(NTHREADS)
	poll(int op, struct page *page, long *to, const long *values, int pe, long *stuck)
{
	__shared__ int done;
	const bool takes_part = SCOPE == T_WG || t_rank() < (SCOPE == T_WAVE ? (unsigned)warpSize : 1);
	const bool leads = t_rank() == 0;

	for (long round = 1; round <= NROUNDS; round++) {
		if (takes_part)
			look<SCOPE>(op, leads, to, page, round, pe);
		if (leads && round % 2)
			gshmem_long_p(&page->asked, round, pe);
		else if (leads)
			gshmem_long_put(page->words, values + round * NWORDS, NWORDS, pe);
		if (leads)
			gshmem_quiet();
		for (uint64_t start = gshmemi_arch_clock_ns();;) {
			bool all = takes_part && look<SCOPE>(op, leads, to, page, round, pe);

			if (leads)
				done = all                                                             ? 1
					: gshmemi_arch_clock_ns() - start > PATIENCE_S * 1000000000ULL ? 2
												       : 0;
			__syncthreads();
			int now = done;
			__syncthreads();
			if (leads && now == 2)
				*stuck = round;
			if (now == 2 && leads)
				gshmem_long_p(&page->asked, NROUNDS + 1, pe); /* let the owner go */
			if (now == 2)
				return;
			if (now)
				break;
		}
	}
	if (leads)
		gshmem_long_p(&page->asked, NROUNDS + 1, pe);
}

/* The owner writes its own words when asked. */
static __global__ void answer(struct page *page)
{
	const int me = gshmem_my_pe();

	for (long round = 0;;) {
		gshmem_long_wait_until(&page->asked, GSHMEM_CMP_GT, round);
		round = gshmem_long_g(&page->asked, me);
		if (round > NROUNDS)
			return;
		for (int i = 0; i < NWORDS; i++)
			gshmem_long_p(&page->words[i], round, me);
		gshmem_quiet();
	}
}

static void poll_on_host(int op, struct page *page, const long *values, int pe, long *stuck)
{
	long to[NWORDS];

	for (long round = 1; round <= NROUNDS && !*stuck; round++) {
		double start = t_seconds();

		look<T_HOST>(op, true, to, page, round, pe);
		if (round % 2)
			gshmem_long_p(&page->asked, round, pe);
		else
			gshmem_long_put(page->words, values + round * NWORDS, NWORDS, pe);
		gshmem_quiet();
		while (!look<T_HOST>(op, true, to, page, round, pe))
			if (t_seconds() - start > PATIENCE_S) {
				*stuck = round;
				break;
			}
	}
	gshmem_long_p(&page->asked, NROUNDS + 1, pe);
}

int main()
{
	long values[(NROUNDS + 1) * NWORDS], stuck, *device_stuck, *to, *device_values;
	struct page *page;
	hipStream_t stream;
	int me, pe;

	gshmem_init();
	me = gshmem_my_pe();
	pe = (me + 1) % gshmem_n_pes();
	page = (struct page *)t_shmalloc(sizeof *page);
	gshmemx_race_ok(page, sizeof *page); /* it polls with gets */
	to = (long *)t_hipmalloc(NWORDS * sizeof(long));
	device_values = (long *)t_hipmalloc(sizeof values);
	device_stuck = (long *)t_hipmalloc(sizeof *device_stuck);
	for (int i = 0; i < (NROUNDS + 1) * NWORDS; i++)
		values[i] = i / NWORDS;
	t_to_device(device_values, values, sizeof values);
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	for (int scope = T_THREAD; scope <= T_HOST; scope++)
		for (int op = 0; op < NOPS; op++) {
			if ((op == G || op == FETCH) && (scope == T_WAVE || scope == T_WG))
				continue;
			t_memset(page, 0, sizeof *page);
			t_memset(device_stuck, 0, sizeof *device_stuck);
			gshmem_barrier_all();
			hipLaunchKernelGGL(answer, dim3(1), dim3(1), 0, stream, page);
			stuck = 0;
			if (scope == T_HOST) {
				poll_on_host(op, page, values, pe, &stuck);
			} else {
				if (scope == T_THREAD)
					hipLaunchKernelGGL(poll<T_THREAD>, dim3(1), dim3(NTHREADS), 0, 0, op,
						page, to, device_values, pe, device_stuck);
				else if (scope == T_WAVE)
					hipLaunchKernelGGL(poll<T_WAVE>, dim3(1), dim3(NTHREADS), 0, 0, op,
						page, to, device_values, pe, device_stuck);
				else
					hipLaunchKernelGGL(poll<T_WG>, dim3(1), dim3(NTHREADS), 0, 0, op,
						page, to, device_values, pe, device_stuck);
				t_hip(hipGetLastError());
				t_hip(hipDeviceSynchronize());
				t_from_device(&stuck, device_stuck, sizeof stuck);
			}
			t_hip(hipDeviceSynchronize());
			t_check(!stuck, "PE %d: %s by %s never saw what was written in round %ld", me,
				op_names[op], t_scope_names[scope], stuck);
			gshmem_barrier_all();
		}
	t_hip(hipStreamDestroy(stream));
	gshmem_finalize();
	return 0;
}
