/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3 */
/* tier: all */
/* env: GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=64 GSHMEM_CHECK=1 */
/* timeout: 120 */
/* platform: cpu */
/* isa: read */
/*
 * Every reduction, reduce_scatter and scan is right for every type, by a thread, a wave, a work-group and
 * the host; see coll_types.h. Floating-point values are chosen so that the order of sums shows. With GPUs
 * only the host reduces long double. 16-bit values have arbitrary bits, with NaNs, infinities and
 * subnormals, or are close enough to each other that sums and products end in ties. GPU compilers take many
 * minutes for all of these in one unit.
 */
#include <math.h>
#define SLOT 12288
#include "coll_types.h"

enum { AND, OR, XOR, MAX, MIN, SUM, PROD };
enum { REDUCE, SCATTER, INSCAN, EXSCAN };

/* ---- the model ---- */

/* Integers: those of up to 64 bits are right modulo 2^64. */
template <class T> static T combine(int op, T a, T b)
{
	const uint64_t x = (uint64_t)a, y = (uint64_t)b;

	return op == AND                 ? (T)(x & y)
		: op == OR               ? (T)(x | y)
		: op == XOR              ? (T)(x ^ y)
		: op == SUM              ? (T)(x + y)
		: op == PROD             ? (T)(x * y)
		: (op == MAX) == (a > b) ? a
					 : b;
}

template <class T> static T combine_real(int op, T a, T b)
{
	return op == SUM ? a + b : op == PROD ? a * b : (op == MAX) == (a > b) ? a : b;
}

static float combine(int op, float a, float b)
{
	return combine_real(op, a, b);
}

static double combine(int op, double a, double b)
{
	return combine_real(op, a, b);
}

static long double combine(int op, long double a, long double b)
{
	return combine_real(op, a, b);
}

template <class T> static T combine_complex(int op, T a, T b)
{
	if (op == SUM)
		return {a.real + b.real, a.imag + b.imag};
	return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}

static gshmemx_complexf_t combine(int op, gshmemx_complexf_t a, gshmemx_complexf_t b)
{
	return combine_complex(op, a, b);
}

static gshmemx_complexd_t combine(int op, gshmemx_complexd_t a, gshmemx_complexd_t b)
{
	return combine_complex(op, a, b);
}

/*
 * 16-bit floating point, with DIGITS after the point and an exponent of at least LEAST: to a
 * number, and from a number to the nearest. A double holds the sum or product of two exactly, or
 * rounds where that cannot matter.
 */
template <int DIGITS, int LEAST> struct shorts {
	static const int infinity = ((1 << (15 - DIGITS)) - 1) << DIGITS;

	static double value(int bits)
	{
		const int exponent = (bits & 0x7fff) >> DIGITS, digits = bits & ((1 << DIGITS) - 1);
		const double size = (bits & 0x7fff) > infinity ? (double)NAN
			: (bits & 0x7fff) == infinity
			? (double)INFINITY
			: ldexp(digits + (exponent ? 1 << DIGITS : 0),
				  LEAST - DIGITS + (exponent ? exponent - 1 : 0));

		return bits & 0x8000 ? -size : size;
	}

	static int round(double number)
	{
		const int sign = signbit(number) ? 0x8000 : 0;
		int exponent;
		double digits;

		if (isnan(number))
			return infinity | 1 << (DIGITS - 1);
		number = fabs(number);
		exponent = number < ldexp(1, LEAST) ? LEAST : isinf(number) ? -LEAST + 2 : ilogb(number);
		/* may reach the next power of 2, which carries */
		digits = nearbyint(ldexp(number, DIGITS - exponent));
		return sign |
			(isinf(number) || exponent > -LEAST + 1
					? infinity
					: (exponent - LEAST) * (1 << DIGITS) + (int)digits);
	}

	static int combine(int op, int a, int b)
	{
		const double x = value(a), y = value(b);

		return op == SUM     ? round(x + y)
			: op == PROD ? round(x * y)
			: op == MAX  ? y > x ? b : a
			: y < x      ? b
				     : a;
	}
};
typedef shorts<10, -14> half_bits;
typedef shorts<7, -126> bfloat16_bits;

template <class BITS, class T> static T combine_short(int op, T a, T b)
{
	uint16_t x, y;
	T c;

	static_assert(sizeof a == 2, "16 bits");
	memcpy(&x, (const void *)&a, 2);
	memcpy(&y, (const void *)&b, 2);
	x = (uint16_t)BITS::combine(op, x, y);
	memcpy((void *)&c, &x, 2);
	return c;
}

static gshmemx_half_t combine(int op, gshmemx_half_t a, gshmemx_half_t b)
{
	return combine_short<half_bits>(op, a, b);
}

static gshmemx_bfloat16_t combine(int op, gshmemx_bfloat16_t a, gshmemx_bfloat16_t b)
{
	return combine_short<bfloat16_bits>(op, a, b);
}

template <class T> static void model_fold(int op, int kind, const struct call *c, char *dest)
{
	const int end = kind == INSCAN ? me + 1 : kind == EXSCAN ? me : npes;
	T acc, x;

	for (size_t i = 0; i < c->n; i++) {
		memset((void *)&acc, 0, sizeof acc);
		for (int pe = 0; pe < end; pe++) {
			memcpy((void *)&x,
				from[pe] + c->source_at +
					(i + (kind == SCATTER ? (size_t)me * c->n : 0)) * sizeof x,
				sizeof x);
			acc = pe ? combine(op, acc, x) : x;
		}
		memcpy(dest + i * sizeof acc, (const void *)&acc, sizeof acc);
	}
}

/* Element i of a source. */
template <class T> static void make_value(T *value, int pe, size_t i)
{
	for (size_t k = 0; k < sizeof *value; k++)
		((unsigned char *)value)[k] = t_byte((unsigned)pe, i * sizeof *value + k);
}

static int number(int pe, size_t i, int below)
{
	return (t_byte((unsigned)pe, i) << 8 | t_byte((unsigned)pe + 50, i)) % below;
}

static void make_value(float *value, int pe, size_t i)
{
	*value = (float)(number(pe, i, 20001) - 10000) * 0.37f;
}

static void make_value(double *value, int pe, size_t i)
{
	*value = (number(pe, i, 20001) - 10000) * 0.37;
}

static void make_value(long double *value, int pe, size_t i)
{
	*value = (number(pe, i, 20001) - 10000) * 0.37L;
}

/* Small integers: a GPU may fuse multiply and add, which rounds differently. */
static void make_value(gshmemx_complexf_t *value, int pe, size_t i)
{
	value->real = (float)number(pe, i, 9) - 4;
	value->imag = (float)number(pe + 1, i, 9) - 4;
}

static void make_value(gshmemx_complexd_t *value, int pe, size_t i)
{
	value->real = number(pe, i, 9) - 4;
	value->imag = number(pe + 1, i, 9) - 4;
}

/*
 * Half of them have arbitrary bits; the others are near 1, where sums and products of a few
 * digits end in ties and cancel.
 */
static int short_bits(int pe, size_t i, int one, int ndigits)
{
	const int bits = number(pe, i, 65536);

	return i & 1 ? bits : one + (bits & ((2 << ndigits) - 1)) + (bits & 0x8000);
}

static void make_value(gshmemx_half_t *value, int pe, size_t i)
{
	const uint16_t bits = (uint16_t)short_bits(pe, i, 0x3c00, 10);

	memcpy((void *)value, &bits, 2);
}

static void make_value(gshmemx_bfloat16_t *value, int pe, size_t i)
{
	const uint16_t bits = (uint16_t)short_bits(pe, i, 0x3f80, 7);

	memcpy((void *)value, &bits, 2);
}

/* ---- the families ---- */

/*
 * FIRST: the operation of calls 0 and 1, reduce and reduce_scatter. Those of the next operation
 * follow, then perhaps the scans.
 */
#define OF_TYPE(PREFIX, NAME, TYPE, FIRST, NOPS, NSCANS, KERNELS, ...) \
	struct PREFIX##_##NAME { \
		typedef TYPE type; \
		static const int ncalls = 2 * NOPS + NSCANS, in_kernels = KERNELS; \
		static const char *name() { return #NAME; } \
		static const char *call_name(int which) \
		{ \
			return call_names[which < 2 * NOPS ? 2 * FIRST + which : which - 2 * NOPS + 14]; \
		} \
		static int what(int which) \
		{ \
			(void)which; \
			return EACH; \
		} \
		static void fill(char *bytes, size_t n, int pe) \
		{ \
			for (size_t i = 0; i < n; i++) \
				make_value((type *)(void *)bytes + i, pe, i); \
		} \
		static void trim(int which, char *bytes, size_t nbytes) \
		{ \
			(void)which; \
			trim_padding((type *)(void *)bytes, nbytes / sizeof(type)); \
		} \
		static void model(int which, const struct call *c, char *dest) \
		{ \
			model_fold<type>(which < 2 * NOPS ? FIRST + which / 2 : SUM, \
				which < 2 * NOPS ? which % 2 : INSCAN + which - 2 * NOPS, c, dest); \
		} \
		static KERNELS_##KERNELS __attribute__((noinline)) int call( \
			int scope, int which, const struct call *c, gshmem_team_t team) \
		{ \
			type *d = (type *)(void *)c->dest; \
			const type *s = (const type *)(const void *)c->source; \
\
			switch (scope * 16 + which) { \
				__VA_ARGS__ \
			} \
			return -1; \
		} \
	};
#define KERNELS_1 __host__ __device__
#if T_HAS_LONG_DOUBLE
#define KERNELS_T_HAS_LONG_DOUBLE __host__ __device__
#else
#define KERNELS_T_HAS_LONG_DOUBLE __host__
#endif

static const char *const call_names[] = {"and_reduce", "and_reduce_scatter", "or_reduce", "or_reduce_scatter",
	"xor_reduce", "xor_reduce_scatter", "max_reduce", "max_reduce_scatter", "min_reduce",
	"min_reduce_scatter", "sum_reduce", "sum_reduce_scatter", "prod_reduce", "prod_reduce_scatter",
	"sum_inscan", "sum_exscan"};

/* x87's 10 bytes take 16 in memory. */
template <class T> static void trim_padding(T *values, size_t n)
{
	(void)values;
	(void)n;
}

static void trim_padding(long double *values, size_t n)
{
#ifdef __x86_64__
	for (size_t i = 0; i < n; i++)
		memset((char *)(values + i) + 10, 0, 6);
#else
	(void)values;
	(void)n;
#endif
}

#define CALL(SCOPE, WHICH, PREFIX, NAME) \
	case SCOPE * 16 + WHICH: \
		return PREFIX##_##NAME(team, d, s, c->n);
/* clang-format off */
#define OP(SCOPE, WHICH, PREFIX, NAME, S) \
	CALL(SCOPE, WHICH, PREFIX, NAME##_reduce##S) CALL(SCOPE, WHICH + 1, gshmemx, NAME##_reduce_scatter##S)
#define BITS(SCOPE, PREFIX, NAME, S) \
	OP(SCOPE, 0, PREFIX, NAME##_and, S) OP(SCOPE, 2, PREFIX, NAME##_or, S) OP(SCOPE, 4, PREFIX, NAME##_xor, S)
#define ARITHMETIC(SCOPE, AT, PREFIX, NAME, S) \
	OP(SCOPE, AT, PREFIX, NAME##_sum, S) OP(SCOPE, AT + 2, PREFIX, NAME##_prod, S) \
	CALL(SCOPE, AT + 4, PREFIX, NAME##_sum_inscan##S) CALL(SCOPE, AT + 5, PREFIX, NAME##_sum_exscan##S)
#define ORDERED(SCOPE, PREFIX, NAME, S) \
	OP(SCOPE, 0, PREFIX, NAME##_max, S) OP(SCOPE, 2, PREFIX, NAME##_min, S) ARITHMETIC(SCOPE, 4, PREFIX, NAME, S)

#define OF_BITS(NAME, TYPE, KIND) \
	OF_TYPE(bits, NAME, TYPE, AND, 3, 0, 1, \
		BITS(T_THREAD, gshmem, NAME, ) BITS(T_WAVE, gshmemx, NAME, _wave) BITS(T_WG, gshmemx, NAME, _wg))
#define OF_SHORT(NAME, TYPE, KIND) \
	OF_TYPE(ordered, NAME, TYPE, MAX, 4, 2, 1, \
		ORDERED(T_THREAD, gshmemx, NAME, ) ORDERED(T_WAVE, gshmemx, NAME, _wave) ORDERED(T_WG, gshmemx, NAME, _wg))
#define OF_ORDERED(NAME, TYPE, KIND) \
	OF_TYPE(ordered, NAME, TYPE, MAX, 4, 2, 1, \
		ORDERED(T_THREAD, gshmem, NAME, ) ORDERED(T_WAVE, gshmemx, NAME, _wave) ORDERED(T_WG, gshmemx, NAME, _wg))
#define OF_LONG_DOUBLE(NAME, TYPE, KIND) \
	OF_TYPE(ordered, NAME, TYPE, MAX, 4, 2, T_HAS_LONG_DOUBLE, \
		ORDERED(T_THREAD, gshmem, NAME, ) ORDERED(T_WAVE, gshmemx, NAME, _wave) ORDERED(T_WG, gshmemx, NAME, _wg))
#define OF_COMPLEX(NAME, TYPE, KIND) \
	OF_TYPE(complex, NAME, TYPE, SUM, 2, 2, 1, \
		ARITHMETIC(T_THREAD, 0, gshmem, NAME, ) ARITHMETIC(T_WAVE, 0, gshmemx, NAME, _wave) \
		ARITHMETIC(T_WG, 0, gshmemx, NAME, _wg))
/* clang-format on */

GSHMEM_BITWISE_REDUCE_TYPES(OF_BITS)
GSHMEM_ORDERED_REDUCE_TYPES(OF_ORDERED)
GSHMEM_LONG_DOUBLE_REDUCE_TYPES(OF_LONG_DOUBLE)
GSHMEM_COMPLEX_REDUCE_TYPES(OF_COMPLEX)
GSHMEMX_REDUCE_TYPES(OF_SHORT)

int main()
{
	start();
#define CHECK_BITS(NAME, TYPE, KIND)    check_family<bits_##NAME>();
#define CHECK_ORDERED(NAME, TYPE, KIND) check_family<ordered_##NAME>();
#define CHECK_COMPLEX(NAME, TYPE, KIND) check_family<complex_##NAME>();
	GSHMEM_BITWISE_REDUCE_TYPES(CHECK_BITS)
	GSHMEM_ORDERED_REDUCE_TYPES(CHECK_ORDERED)
	GSHMEM_LONG_DOUBLE_REDUCE_TYPES(CHECK_ORDERED)
	GSHMEM_COMPLEX_REDUCE_TYPES(CHECK_COMPLEX)
	GSHMEMX_REDUCE_TYPES(CHECK_ORDERED)
	stop();
	return 0;
}
