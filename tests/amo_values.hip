/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,4,8 */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CHECK=1 */
/*
 * Each atomic of each type returns and leaves behind what a bitwise model says, with wrap-around, signs, NaN
 * payloads and -0.0. Kernels and hosts of every PE work on objects of the next PE.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

enum {
	FETCH,
	SET,
	SWAP,
	FETCH_NBI,
	SWAP_NBI,
	COMPARE_SWAP,
	FETCH_INC,
	INC,
	FETCH_ADD,
	ADD,
	COMPARE_SWAP_NBI,
	FETCH_INC_NBI,
	FETCH_ADD_NBI,
	FETCH_AND,
	AND,
	FETCH_OR,
	OR,
	FETCH_XOR,
	XOR,
	FETCH_AND_NBI,
	FETCH_OR_NBI,
	FETCH_XOR_NBI,
	NOPS
};
static const char *const op_names[] = {"fetch", "set", "swap", "fetch_nbi", "swap_nbi", "compare_swap",
	"fetch_inc", "inc", "fetch_add", "add", "compare_swap_nbi", "fetch_inc_nbi", "fetch_add_nbi",
	"fetch_and", "and", "fetch_or", "or", "fetch_xor", "xor", "fetch_and_nbi", "fetch_or_nbi",
	"fetch_xor_nbi"};

/* As float and as double these hold NaNs, an infinity, denormals and zeros of both signs. */
#define NOPERANDS ((size_t)11)
T_HD uint64_t operand(size_t i)
{
	const uint64_t operands[] = {0, 1, 0x7FFFFFFF7FFFFFFF, 0x8000000080000000, 0xFFFFFFFFFFFFFFFF,
		0x7FF8DEAD7FC0BEEF, 0xFFF000000000F00D, 0x3FF000003F800000, 0x00000000FFFFFFFF,
		0xFFFFFFFF00000000, 0x8000000000000000};

	return operands[i];
}
#define NCASES (NOPERANDS * NOPERANDS)

template <class T> T_HD T from_bits(uint64_t bits)
{
	T v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

template <class T> T_HD uint64_t to_bits(T v)
{
	uint64_t bits = 0;

	memcpy(&bits, &v, sizeof v);
	return bits;
}

/* Case i: object, value, cond. Every second compare_swap succeeds. */
T_HD uint64_t object_bits(size_t i)
{
	return operand(i / NOPERANDS);
}
T_HD uint64_t value_bits(size_t i)
{
	return operand(i % NOPERANDS);
}
T_HD uint64_t cond_bits(size_t i)
{
	return i % 2 ? object_bits(i) : operand(i * 7 % NOPERANDS);
}

#define RETURNING(NAME, OP, CASE, ...) \
	case CASE: \
		*fetch = gshmem_##NAME##_atomic_##OP(dest, ##__VA_ARGS__, pe); \
		break;
#define SILENT(NAME, OP, CASE, ...) \
	case CASE: \
		gshmem_##NAME##_atomic_##OP(dest, ##__VA_ARGS__, pe); \
		break;
#define NBI(NAME, OP, CASE, ...) \
	case CASE: \
		gshmem_##NAME##_atomic_##OP##_nbi(fetch, dest, ##__VA_ARGS__, pe); \
		break;
#define OF_TYPE(GROUP, NAME, TYPE, FIRST, LAST, ...) \
	struct GROUP##_##NAME { \
		typedef TYPE type; \
		enum { first = FIRST, last = LAST }; \
		static const char *name() { return #NAME; } \
		static __host__ __device__ __attribute__((noinline)) void call( \
			int op, type *fetch, type *dest, type value, type cond, int pe) \
		{ \
			switch (op) { \
				__VA_ARGS__ \
			} \
			(void)value; \
			(void)cond; \
		} \
	};
/* clang-format off */
#define EXTENDED(NAME, TYPE) \
	OF_TYPE(extended, NAME, TYPE, FETCH, SWAP_NBI, \
		RETURNING(NAME, fetch, FETCH) SILENT(NAME, set, SET, value) RETURNING(NAME, swap, SWAP, value) \
		NBI(NAME, fetch, FETCH_NBI) NBI(NAME, swap, SWAP_NBI, value))
#define STANDARD(NAME, TYPE) \
	OF_TYPE(standard, NAME, TYPE, COMPARE_SWAP, FETCH_ADD_NBI, \
		RETURNING(NAME, compare_swap, COMPARE_SWAP, cond, value) RETURNING(NAME, fetch_inc, FETCH_INC) \
		SILENT(NAME, inc, INC) RETURNING(NAME, fetch_add, FETCH_ADD, value) SILENT(NAME, add, ADD, value) \
		NBI(NAME, compare_swap, COMPARE_SWAP_NBI, cond, value) NBI(NAME, fetch_inc, FETCH_INC_NBI) \
		NBI(NAME, fetch_add, FETCH_ADD_NBI, value))
#define BITWISE(NAME, TYPE) \
	OF_TYPE(bitwise, NAME, TYPE, FETCH_AND, FETCH_XOR_NBI, \
		RETURNING(NAME, fetch_and, FETCH_AND, value) SILENT(NAME, and, AND, value) \
		RETURNING(NAME, fetch_or, FETCH_OR, value) SILENT(NAME, or, OR, value) \
		RETURNING(NAME, fetch_xor, FETCH_XOR, value) SILENT(NAME, xor, XOR, value) \
		NBI(NAME, fetch_and, FETCH_AND_NBI, value) NBI(NAME, fetch_or, FETCH_OR_NBI, value) \
		NBI(NAME, fetch_xor, FETCH_XOR_NBI, value))
/* clang-format on */
/* "and", "or" and "xor" are keywords of C++; pasting the names first keeps them from being read as such. */
GSHMEM_EXTENDED_AMO_TYPES(EXTENDED)
GSHMEM_AMO_TYPES(STANDARD)
GSHMEM_BITWISE_AMO_TYPES(BITWISE)

/* The bits that op leaves in an object of these bits. */
static uint64_t model(int op, uint64_t old, uint64_t value, uint64_t cond)
{
	switch (op) {
	case FETCH:
	case FETCH_NBI:
		return old;
	case SET:
	case SWAP:
	case SWAP_NBI:
		return value;
	case COMPARE_SWAP:
	case COMPARE_SWAP_NBI:
		return old == cond ? value : old;
	case FETCH_INC:
	case INC:
	case FETCH_INC_NBI:
		return old + 1;
	case FETCH_ADD:
	case ADD:
	case FETCH_ADD_NBI:
		return old + value;
	case FETCH_AND:
	case AND:
	case FETCH_AND_NBI:
		return old & value;
	case FETCH_OR:
	case OR:
	case FETCH_OR_NBI:
		return old | value;
	default:
		return old ^ value;
	}
}

static bool returns(int op)
{
	return op != SET && op != INC && op != ADD && op != AND && op != OR && op != XOR;
}

template <class F> static __global__ void run(typename F::type *dest, typename F::type *out, int pe)
{
	typedef typename F::type T;
	const int op = F::first + blockIdx.x;
	const size_t i = threadIdx.x, at = blockIdx.x * NCASES + i;

	F::call(op, out + at, dest + at, from_bits<T>(value_bits(i)), from_bits<T>(cond_bits(i)), pe);
	gshmem_quiet();
}

static char *dest_memory, *out_memory;

template <class F> static void check()
{
	typedef typename F::type T;
	enum { nops = F::last - F::first + 1 };
	T *dest = (T *)dest_memory, *out = (T *)out_memory;
	static T objects[nops * NCASES], old[nops * NCASES];
	const uint64_t mask = sizeof(T) == 8 ? ~(uint64_t)0 : 0xFFFFFFFF;
	const T unused = from_bits<T>(0x5A5A5A5A5A5A5A5A);
	int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes;

	for (int host = 0; host < 2; host++) {
		for (size_t at = 0; at < nops * NCASES; at++) {
			objects[at] = from_bits<T>(object_bits(at % NCASES));
			old[at] = unused;
		}
		t_to_device(dest, objects, sizeof objects);
		t_to_device(out, old, sizeof old);
		gshmem_barrier_all();
		if (host) {
			for (size_t at = 0; at < nops * NCASES; at++)
				F::call(F::first + at / NCASES, old + at, dest + at,
					from_bits<T>(value_bits(at % NCASES)),
					from_bits<T>(cond_bits(at % NCASES)), next);
			gshmem_quiet();
		} else {
			t_launch(run<F>, nops, NCASES, dest, out, next);
			t_from_device(old, out, sizeof old);
		}
		gshmem_barrier_all();
		t_from_device(objects, dest, sizeof objects);
		for (size_t at = 0; at < nops * NCASES; at++) {
			int op = F::first + at / NCASES;
			size_t i = at % NCASES;
			uint64_t before = object_bits(i) & mask, value = value_bits(i) & mask,
				 cond = cond_bits(i) & mask;
			uint64_t after = model(op, before, value, cond) & mask, got = to_bits(objects[at]);

			t_check(got == after,
				"PE %d: %s_atomic_%s, %s: object %lx, value %lx, cond %lx: expected %lx, got %lx",
				me, F::name(), op_names[op], host ? "host" : "kernel", before, value, cond,
				after, got);
			got = to_bits(old[at]);
			before = returns(op) ? before : to_bits(unused);
			t_check(got == before,
				"PE %d: %s_atomic_%s, %s: value %lx, cond %lx: old value: expected %lx, got %lx",
				me, F::name(), op_names[op], host ? "host" : "kernel", value, cond, before,
				got);
		}
	}
}

int main()
{
	gshmem_init();
	dest_memory = (char *)t_shmalloc(9 * NCASES * 8);
	out_memory = (char *)t_shmalloc(9 * NCASES * 8);
#define CHECK_EXTENDED(NAME, TYPE) check<extended_##NAME>();
#define CHECK_STANDARD(NAME, TYPE) check<standard_##NAME>();
#define CHECK_BITWISE(NAME, TYPE)  check<bitwise_##NAME>();
	GSHMEM_EXTENDED_AMO_TYPES(CHECK_EXTENDED)
	GSHMEM_AMO_TYPES(CHECK_STANDARD)
	GSHMEM_BITWISE_AMO_TYPES(CHECK_BITWISE)
	gshmem_finalize();
	return 0;
}
