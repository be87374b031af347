/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,8 */
/* tier: all */
/* env: GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=64 GSHMEM_CHECK=1 */
/* timeout: 120 */
/* isa: read */
/*
 * put, get, iput, iget, ibput, ibget, put_signal and their _nbi forms are right for every type and
 * size, by a thread, a wave, a work-group and the host, at three lengths and strides. Every PE puts
 * to the next one and gets from it. Each call has its own slot; all bytes of all slots, and all
 * signals, are compared with a model.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

enum { PUT, PUT_NBI, GET, GET_NBI, IPUT, IGET, IBPUT, IBGET, PUT_SIGNAL, PUT_SIGNAL_NBI, NOPS };
static const char *const op_names[] = {
	"put", "put_nbi", "get", "get_nbi", "iput", "iget", "ibput", "ibget", "put_signal", "put_signal_nbi"};

/* Elements, and the strides of iput and iget, of slot op * NLENGTHS + k. */
#define NLENGTHS   3
#define NSLOTS     (NOPS * NLENGTHS)
#define SLOT       640 /* elements of a slot */
#define ADD_BEFORE 5   /* what the signals hold before */

T_HD size_t length(int slot)
{
	return slot % NLENGTHS == 0 ? 1 : slot % NLENGTHS == 1 ? 29 : 203;
}

T_HD ptrdiff_t dest_stride(int slot)
{
	return slot % NLENGTHS == 1 ? 1 : 3;
}

T_HD ptrdiff_t source_stride(int slot)
{
	return slot % NLENGTHS == 2 ? 1 : 2;
}

/*
 * For ibput and ibget: elements of a block, and number of blocks. Block strides
 * are longer by the same factor.
 */
T_HD size_t block(int slot)
{
	return slot % NLENGTHS == 0 ? 1 : slot % NLENGTHS == 1 ? 5 : 70;
}

T_HD size_t nblocks(int slot)
{
	return slot % NLENGTHS == 0 ? 1 : slot % NLENGTHS == 1 ? 61 : 4;
}

T_HD ptrdiff_t block_stride(int slot, ptrdiff_t stride)
{
	return (ptrdiff_t)block(slot) + stride - 1;
}

T_HD int signal_op(int slot)
{
	return slot % 2 ? GSHMEM_SIGNAL_ADD : GSHMEM_SIGNAL_SET;
}

/* One scope's calls of one type. */
#define CALLS( \
	SCOPE, PUT_, PUT_NBI_, GET_, GET_NBI_, IPUT_, IGET_, IBPUT_, IBGET_, PUT_SIGNAL_, PUT_SIGNAL_NBI_) \
	case (SCOPE)*NOPS + PUT: \
		PUT_(d, s, n, pe); \
		break; \
	case (SCOPE)*NOPS + PUT_NBI: \
		PUT_NBI_(d, s, n, pe); \
		break; \
	case (SCOPE)*NOPS + GET: \
		GET_(d, s, n, pe); \
		break; \
	case (SCOPE)*NOPS + GET_NBI: \
		GET_NBI_(d, s, n, pe); \
		break; \
	case (SCOPE)*NOPS + IPUT: \
		IPUT_(d, s, dest_stride(slot), source_stride(slot), n, pe); \
		break; \
	case (SCOPE)*NOPS + IGET: \
		IGET_(d, s, dest_stride(slot), source_stride(slot), n, pe); \
		break; \
	case (SCOPE)*NOPS + IBPUT: \
		IBPUT_(d, s, block_stride(slot, dest_stride(slot)), block_stride(slot, source_stride(slot)), \
			block(slot), nblocks(slot), pe); \
		break; \
	case (SCOPE)*NOPS + IBGET: \
		IBGET_(d, s, block_stride(slot, dest_stride(slot)), block_stride(slot, source_stride(slot)), \
			block(slot), nblocks(slot), pe); \
		break; \
	case (SCOPE)*NOPS + PUT_SIGNAL: \
		PUT_SIGNAL_(d, s, n, sig, 1000 + slot, signal_op(slot), pe); \
		break; \
	case (SCOPE)*NOPS + PUT_SIGNAL_NBI: \
		PUT_SIGNAL_NBI_(d, s, n, sig, 1000 + slot, signal_op(slot), pe); \
		break;
#define TYPED(SCOPE, PREFIX, NAME, S) \
	CALLS(SCOPE, PREFIX##_##NAME##_put##S, PREFIX##_##NAME##_put_nbi##S, PREFIX##_##NAME##_get##S, \
		PREFIX##_##NAME##_get_nbi##S, PREFIX##_##NAME##_iput##S, PREFIX##_##NAME##_iget##S, \
		PREFIX##_##NAME##_ibput##S, PREFIX##_##NAME##_ibget##S, PREFIX##_##NAME##_put_signal##S, \
		PREFIX##_##NAME##_put_signal_nbi##S)
/* 16-bit types have the strided calls and put_signal only for waves and work-groups. */
#define SHORT_THREAD(NAME) \
	CALLS(T_THREAD, gshmemx_##NAME##_put, gshmemx_##NAME##_put_nbi, gshmemx_##NAME##_get, \
		gshmemx_##NAME##_get_nbi, gshmemx_##NAME##_iput_wave, gshmemx_##NAME##_iget_wave, \
		gshmemx_##NAME##_ibput_wave, gshmemx_##NAME##_ibget_wave, gshmemx_##NAME##_put_signal_wave, \
		gshmemx_##NAME##_put_signal_nbi_wave)
#define SIZED(SCOPE, PREFIX, SIZE, S) \
	CALLS(SCOPE, PREFIX##_put##SIZE##S, PREFIX##_put##SIZE##_nbi##S, PREFIX##_get##SIZE##S, \
		PREFIX##_get##SIZE##_nbi##S, PREFIX##_iput##SIZE##S, PREFIX##_iget##SIZE##S, \
		PREFIX##_ibput##SIZE##S, PREFIX##_ibget##SIZE##S, PREFIX##_put##SIZE##_signal##S, \
		PREFIX##_put##SIZE##_signal_nbi##S)
/* Bytes have no strided calls of their own. */
#define MEM(SCOPE, PREFIX, S) \
	CALLS(SCOPE, PREFIX##_putmem##S, PREFIX##_putmem_nbi##S, PREFIX##_getmem##S, PREFIX##_getmem_nbi##S, \
		PREFIX##_iput8##S, PREFIX##_iget8##S, PREFIX##_ibput8##S, PREFIX##_ibget8##S, \
		PREFIX##_putmem_signal##S, PREFIX##_putmem_signal_nbi##S)

#define OF_TYPE(NAME, TYPE, IS_SHORT, ...) \
	struct of_##NAME { \
		typedef TYPE type; \
		/* Whether the call of a thread is one of a wave. */ \
		static __device__ bool is_of_wave(int slot) { return IS_SHORT && slot / NLENGTHS >= IPUT; } \
		static const char *name() { return #NAME; } \
		static __host__ __device__ __attribute__((noinline)) void call( \
			int scope, int slot, type *d, const type *s, uint64_t *sig, int pe) \
		{ \
			size_t n = length(slot); \
\
			switch (scope * NOPS + slot / NLENGTHS) { \
				__VA_ARGS__ \
			} \
		} \
	};
/* clang-format off */
#define OF_RMA(NAME, TYPE) \
	OF_TYPE(NAME, TYPE, false, \
		TYPED(T_THREAD, gshmem, NAME, ) TYPED(T_WAVE, gshmemx, NAME, _wave) TYPED(T_WG, gshmemx, NAME, _wg))
#define OF_SHORT(NAME, TYPE) \
	OF_TYPE(NAME, TYPE, true, \
		SHORT_THREAD(NAME) TYPED(T_WAVE, gshmemx, NAME, _wave) TYPED(T_WG, gshmemx, NAME, _wg))
/* clang-format on */
struct sixteen_bytes {
	uint64_t half[2];
};
#define BYTES_1  uint8_t
#define BYTES_2  uint16_t
#define BYTES_4  uint32_t
#define BYTES_8  uint64_t
#define BYTES_16 sixteen_bytes
/* clang-format off */
#define OF_SIZE(SIZE, NBYTES) \
	OF_TYPE(SIZE, BYTES_##NBYTES, false, \
		SIZED(T_THREAD, gshmem, SIZE, ) SIZED(T_WAVE, gshmemx, SIZE, _wave) SIZED(T_WG, gshmemx, SIZE, _wg))
/* clang-format on */

GSHMEM_RMA_TYPES(OF_RMA)
GSHMEMX_RMA_TYPES(OF_SHORT)
GSHMEM_RMA_SIZES(OF_SIZE)
OF_TYPE(mem, uint8_t, false, MEM(T_THREAD, gshmem, ) MEM(T_WAVE, gshmemx, _wave) MEM(T_WG, gshmemx, _wg))

/* elem_nbytes: an element's size on the host. A GPU has no long double, so its sizeof differs. */
template <class T>
static __global__ void call_all(
	int scope, char *dest, const char *source, size_t elem_nbytes, uint64_t *sig, int pe)
{
	typedef typename T::type type;
	const unsigned nwaves = (t_count() + warpSize - 1) / warpSize;

	for (int slot = 0; slot < NSLOTS; slot++)
		if (scope == T_WG ||
			(t_rank() / warpSize == slot % nwaves &&
				(scope == T_WAVE || T::is_of_wave(slot) || t_rank() % warpSize == 5)))
			T::call(scope, slot, (type *)(dest + slot * SLOT * elem_nbytes),
				(const type *)(source + slot * SLOT * elem_nbytes), sig + slot, pe);
	gshmemx_quiet_wg();
}

static unsigned char *before, *of_previous, *of_next, *expected, *got; /* on the CPU */
static char *dest, *source;                                            /* in the heap */
static uint64_t *sig;

template <class T> static void check_scope(int scope, int pe)
{
	typedef typename T::type type;
	const size_t nbytes = NSLOTS * SLOT * sizeof(type);
	uint64_t sigs[NSLOTS];

	for (int slot = 0; slot < NSLOTS; slot++)
		sigs[slot] = ADD_BEFORE;
	t_to_device(dest, before, nbytes);
	t_to_device(sig, sigs, sizeof sigs);
	gshmem_barrier_all();
	if (scope == T_HOST) {
		for (int slot = 0; slot < NSLOTS; slot++)
			T::call(slot % 3, slot, (type *)dest + slot * SLOT,
				(const type *)source + slot * SLOT, sig + slot, pe);
		gshmem_quiet();
	} else {
		t_launch(call_all<T>, 1, 150, scope, dest, source, sizeof(type), sig, pe);
	}
	gshmem_barrier_all();

	t_from_device(got, dest, nbytes);
	size_t at = t_differ(got, expected, nbytes);
	if (at != nbytes) {
		size_t slot = at / sizeof(type) / SLOT, elem = at / sizeof(type) % SLOT;

		t_fail("PE %d: %s by %s, type %s, %zu elements: element %zu, byte %zu: expected %02x, got %02x",
			gshmem_my_pe(), op_names[slot / NLENGTHS], t_scope_names[scope], T::name(),
			length(slot), elem, at % sizeof(type), expected[at], got[at]);
	}
	t_from_device(sigs, sig, sizeof sigs);
	for (int slot = 0; slot < NSLOTS; slot++) {
		uint64_t want = slot / NLENGTHS < PUT_SIGNAL   ? ADD_BEFORE
			: signal_op(slot) == GSHMEM_SIGNAL_ADD ? ADD_BEFORE + 1000 + slot
							       : 1000 + slot;

		t_check(sigs[slot] == want, "PE %d: %s by %s, type %s: signal: expected %lu, got %lu",
			gshmem_my_pe(), op_names[slot / NLENGTHS], t_scope_names[scope], T::name(), want,
			sigs[slot]);
	}
}

template <class T> static void check_type(int pe)
{
	const size_t elem = sizeof(typename T::type);

	memcpy(expected, before, NSLOTS * SLOT * elem);
	for (int slot = 0; slot < NSLOTS; slot++) {
		unsigned char *to = expected + slot * SLOT * elem, *from;
		const int op = slot / NLENGTHS;
		const bool strided = op == IPUT || op == IGET, blocks = op == IBPUT || op == IBGET;
		const size_t bsize = blocks ? block(slot) : 1, n = blocks ? nblocks(slot) : length(slot);
		const size_t dst = blocks ? block_stride(slot, dest_stride(slot))
			: strided         ? dest_stride(slot)
					  : 1;
		const size_t sst = blocks ? block_stride(slot, source_stride(slot))
			: strided         ? source_stride(slot)
					  : 1;

		from = (op == GET || op == GET_NBI || op == IGET || op == IBGET ? of_next : of_previous) +
			slot * SLOT * elem;
		for (size_t i = 0; i < n; i++)
			memcpy(to + i * elem * dst, from + i * elem * sst, bsize * elem);
	}
	for (int scope = 0; scope < T_NSCOPES; scope++)
		check_scope<T>(scope, pe);
}

int main()
{
	const size_t nbytes = NSLOTS * SLOT * 16;
	int me, npes, next;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	next = (me + 1) % npes;
	before = (unsigned char *)t_alloc(nbytes);
	of_previous = (unsigned char *)t_alloc(nbytes);
	of_next = (unsigned char *)t_alloc(nbytes);
	expected = (unsigned char *)t_alloc(nbytes);
	got = (unsigned char *)t_alloc(nbytes);
	dest = (char *)t_shmalloc(nbytes);
	source = (char *)t_shmalloc(nbytes);
	sig = (uint64_t *)t_shmalloc(NSLOTS * sizeof *sig);
	t_fill(before, nbytes, 1000);
	t_fill(got, nbytes, me);
	t_to_device(source, got, nbytes);
	t_fill(of_previous, nbytes, (me + npes - 1) % npes);
	t_fill(of_next, nbytes, next);
	gshmem_barrier_all();

#define CHECK(NAME, TYPE) check_type<of_##NAME>(next);
	GSHMEM_RMA_TYPES(CHECK)
	GSHMEMX_RMA_TYPES(CHECK)
	GSHMEM_RMA_SIZES(CHECK)
	CHECK(mem, )
	gshmem_finalize();
	return 0;
}
