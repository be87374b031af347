/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CARRY=all | GSHMEM_CARRY=all GSHMEM_RPC_SLOTS=64 */
/* carry: no, it says which PEs are carried */
/* net: no, likewise */
/* timeout: 120 */
/*
 * Puts with signals of all lanes at once, over the net: each lane has another size, kind of source and
 * target. So in a wave some lanes send their data in one request with the signal, some cannot, and some reach
 * the PE. Lanes outnumber the slots. Whoever sees a signal sees its data, and a blocking call has read
 * its source. A lane alone, whose data on a stack or in LDS takes one page of a slot or several, comes after.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

enum { LANES = 64, NBLOCKS = 6, MOST = 256, NROUNDS = 6, NPAGES = 9000 };
enum { HEAP, STACK, LDS, NKINDS };

struct shared {
	uint64_t signals[NBLOCKS][LANES], nwrong;
	char data[NBLOCKS][LANES][MOST], source[NBLOCKS][LANES][MOST], pages[NPAGES];
};

T_HD size_t size_of(unsigned lane, unsigned round)
{
	const size_t sizes[] = {0, 8, 31, 32, 33, 48, 49, 200, MOST};

	return sizes[(lane + round) % (sizeof sizes / sizeof *sizes)];
}

/* In odd rounds all lanes have data in one kind of memory; then no lane keeps the others from one request. */
T_HD int kind_of(unsigned lane, unsigned round)
{
	return (int)(round & 1 ? round / 2 : lane / 3) % NKINDS;
}

T_HD unsigned seed_of(unsigned block, unsigned lane, unsigned round)
{
	return (round * NBLOCKS + block) * LANES + lane;
}

__global__ static void signal_kernel(struct shared *s, unsigned round, int me, int other)
{
	__shared__ char lds[LANES][MOST];
	const unsigned lane = threadIdx.x, block = blockIdx.x, seed = seed_of(block, lane, round);
	const size_t nbytes = size_of(lane, round);
	const int kind = kind_of(lane, round), is_nbi = (lane + round) % 4 == 1, to = lane % 5 ? other : me;
	char stack[MOST];
	char *source = kind == HEAP ? s->source[block][lane] : kind == STACK ? stack : lds[lane];

	for (size_t i = 0; i < nbytes; i++)
		source[i] = (char)t_byte(seed, i);
	if (is_nbi)
		gshmem_putmem_signal_nbi(s->data[block][lane], source, nbytes, &s->signals[block][lane], 1,
			GSHMEM_SIGNAL_ADD, to);
	else
		gshmem_putmem_signal(s->data[block][lane], source, nbytes, &s->signals[block][lane],
			round + 1, GSHMEM_SIGNAL_SET, to);
	for (size_t i = 0; i < nbytes && !is_nbi; i++)
		source[i] = (char)~t_byte(seed, i);
	gshmem_signal_wait_until(&s->signals[block][lane], GSHMEM_CMP_EQ, round + 1);
	for (size_t i = 0; i < nbytes; i++)
		if ((unsigned char)s->data[block][lane][i] != t_byte(seed, i)) {
			(void)gshmem_uint64_atomic_fetch_inc(&s->nwrong, me);
			break;
		}
	gshmem_quiet();
}

__global__ static void alone_kernel(struct shared *s, size_t nbytes, unsigned seed, int me, int other)
{
	__shared__ char lds[NPAGES];
	char stack[NPAGES];

	if (threadIdx.x != LANES / 2 - 1)
		return;
	for (size_t i = 0; i < nbytes; i++)
		stack[i] = (char)t_byte(seed, i);
	gshmem_putmem(s->pages, stack, nbytes, other);
	gshmem_quiet();
	gshmem_getmem(lds, s->pages, nbytes, other);
	for (size_t i = 0; i < nbytes; i++)
		if ((unsigned char)lds[i] != t_byte(seed, i)) {
			(void)gshmem_uint64_atomic_fetch_inc(&s->nwrong, me);
			break;
		}
}

int main(void)
{
	static const size_t sizes[] = {48, 49, 2031, 2032, 2033, NPAGES};
	struct shared *s;
	int me;

	gshmem_init();
	me = gshmem_my_pe();
	s = (struct shared *)gshmem_calloc(1, sizeof *s);
	for (unsigned round = 0; round < NROUNDS; round++) {
		t_launch(signal_kernel, NBLOCKS, LANES, s, round, me, 1 - me);
		gshmem_barrier_all();
		t_equal(t_read_u64(&s->nwrong), 0, "lanes whose data was not there when its signal was");
	}
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		t_launch(alone_kernel, 1, LANES, s, sizes[i], 7 * i + (unsigned)me, me, 1 - me);
		t_equal(t_read_u64(&s->nwrong), 0, "bytes of a lane alone");
	}
	gshmem_finalize();
	return 0;
}
