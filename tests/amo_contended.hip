/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,4,8 */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 GSHMEM_CPU_DIVERGE=random:7 */
/*
 * No update is lost when hosts and kernels of all PEs update the same words on the last PE at once: sums,
 * tickets that are drawn once, compare_swap loops, and single bits that are set, cleared and flipped.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#define NBLOCKS  2
#define NTHREADS 70
#define NROUNDS  8
#define HOST     (NBLOCKS * NTHREADS) /* the host's number among a PE's participants */
#define NEACH    (HOST + 1)           /* participants of a PE */

struct words {
	int sum32;
	uint32_t usum32, count32, cas32, toggled[NEACH * 8 / 32 + 1];
	unsigned long long usum64;
	long sum64;
	uint64_t ticket, nbi_ticket, cas64, signal;
	int32_t set32[NEACH * 8 / 32 + 1];
	uint64_t cleared[NEACH * 8 / 64 + 1];
	double swapped;
};

/* What one of the NEACH participants of a PE does. */
static __host__ __device__ void take_part(
	struct words *w, uint32_t *owner, uint64_t *fetched, int who, int pe)
{
	const int me = gshmem_my_pe(), id = me * NEACH + who;

	for (int i = 0; i < NROUNDS; i++) {
		gshmem_int_atomic_add(&w->sum32, i % 2 ? -3 : 2, pe);
		gshmem_uint_atomic_add(&w->usum32, 0x40000001U, pe);
		gshmem_uint32_atomic_inc(&w->count32, pe);
		gshmem_long_atomic_add(&w->sum64, -(1L << 40) - 1, pe);
		gshmem_ulonglong_atomic_fetch_add(&w->usum64, 1ULL << 33, pe);
		gshmem_signal_add(&w->signal, 5, pe);

		uint64_t ticket = gshmem_uint64_atomic_fetch_inc(&w->ticket, pe);
		gshmem_uint32_atomic_inc(&owner[ticket], pe);
		gshmem_uint64_atomic_fetch_add_nbi(fetched, &w->nbi_ticket, 1, pe);

		uint32_t seen32 = gshmem_uint32_atomic_fetch(&w->cas32, pe), old32;
		while ((old32 = gshmem_uint32_atomic_compare_swap(&w->cas32, seen32, seen32 * 5 + 1, pe)) !=
			seen32)
			seen32 = old32;
		uint64_t seen64 = 0, old64;
		while ((old64 = gshmem_uint64_atomic_compare_swap(&w->cas64, seen64, seen64 + 3, pe)) !=
			seen64)
			seen64 = old64;

		/* NROUNDS is even: all end as they were */
		gshmem_uint32_atomic_xor(&w->toggled[id / 32], 1U << id % 32, pe);
		gshmem_quiet();
		gshmem_uint32_atomic_inc(&owner[NEACH * NROUNDS * gshmem_n_pes() + *fetched], pe);
	}
	gshmem_uint32_atomic_fetch_xor(&w->toggled[id / 32], id % 3 ? 1U << id % 32 : 0, pe);
	gshmem_int32_atomic_or(&w->set32[id / 32], (int32_t)(1U << id % 32), pe);
	gshmem_uint64_atomic_and(&w->cleared[id / 64], ~(1ULL << id % 64), pe);
	gshmem_double_atomic_swap(&w->swapped, id + 0.5, pe);
	gshmem_quiet();
}

static __global__ void kernel(struct words *w, uint32_t *owner, uint64_t *fetched, int pe)
{
	int who = blockIdx.x * NTHREADS + threadIdx.x;

	take_part(w, owner, fetched + who, who, pe);
}

/* The n-th value of x = 5 x + 1 from 0. */
static uint32_t chain(uint64_t n)
{
	uint32_t x = 0;

	while (n--)
		x = x * 5 + 1;
	return x;
}

#define SAME(got, expected, op) \
	t_check((got) == (expected), "%d PEs, %s: expected %llx, got %llx", npes, op, \
		(unsigned long long)(expected), (unsigned long long)(got))

int main()
{
	gshmem_init();
	int me = gshmem_my_pe(), npes = gshmem_n_pes(), last = npes - 1;
	uint64_t nids = (uint64_t)npes * NEACH, n = nids * NROUNDS;
	struct words *w = (struct words *)t_shmalloc(sizeof *w), words;
	uint32_t *owner = (uint32_t *)gshmem_calloc(2 * n, sizeof *owner),
		 *owners = (uint32_t *)t_alloc(8 * n);
	uint64_t *fetched = (uint64_t *)t_shmalloc(HOST * sizeof *fetched), mine = ~0ULL;

	memset(&words, 0, sizeof words);
	memset(words.cleared, 255, sizeof words.cleared);
	t_to_device(w, &words, sizeof words);
	t_memset(fetched, 255, HOST * sizeof *fetched);
	gshmem_barrier_all();
	hipLaunchKernelGGL(kernel, dim3(NBLOCKS), dim3(NTHREADS), 0, 0, w, owner, fetched, last);
	take_part(w, owner, &mine, HOST, last);
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();

	if (me == last) {
		t_from_device(&words, w, sizeof words);
		t_from_device(owners, owner, 2 * n * sizeof *owner);
		SAME(words.sum32, (int)(n / 2) * -1, "int add");
		SAME(words.usum32, (uint32_t)n * 0x40000001U, "uint add");
		SAME(words.count32, n, "uint32 inc");
		SAME(words.sum64, (long)n * (-(1L << 40) - 1), "long add");
		SAME(words.usum64, n << 33, "ulonglong fetch_add");
		SAME(words.signal, 5 * n, "signal_add");
		SAME(words.ticket, n, "uint64 fetch_inc");
		SAME(words.nbi_ticket, n, "uint64 fetch_add_nbi");
		SAME(words.cas32, chain(n), "uint32 compare_swap");
		SAME(words.cas64, 3 * n, "uint64 compare_swap");
		for (uint64_t i = 0; i < n; i++)
			SAME(owners[i], 1U, "tickets of uint64 fetch_inc given out");
		for (uint64_t i = n; i < 2 * n; i++)
			SAME(owners[i], 1U, "tickets of uint64 fetch_add_nbi given out");
		for (uint64_t id = 0; id < nids; id++) {
			SAME(words.toggled[id / 32] >> id % 32 & 1, (uint32_t)(id % 3 != 0),
				"a bit of uint32 xor");
			SAME((uint32_t)words.set32[id / 32] >> id % 32 & 1, 1U, "a bit of int32 or");
			SAME(words.cleared[id / 64] >> id % 64 & 1, 0U, "a bit of uint64 and");
		}
		double id = words.swapped - 0.5;
		t_check(id >= 0 && id < (double)nids && id == (double)(uint64_t)id, "double swap left %f",
			words.swapped);
	}
	gshmem_finalize();
	return 0;
}
