/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vector instructions for floats: f16, f32, f64, packed ones, conversions, and the steps of a
 * division. Denormals are kept, rounding is to nearest even; output modifiers are ignored, as by
 * hardware that keeps denormals.
 */
#include "alu.h"

#include <float.h>
#include <math.h>
#include <tgmath.h>

/* ---- bits of floats ---- */

double half_value(uint16_t bits)
{
	const bool special = (bits & 0x7c00) == 0x7c00; /* infinities and NaN */
	const double magnitude = double_of((uint64_t)(bits & 0x7fff) << 42) * 0x1p1008;
	const uint64_t r =
		special ? UINT64_C(0x7ff) << 52 | (uint64_t)(bits & 0x3ff) << 42 : double_bits(magnitude);

	return double_of(r | (uint64_t)(bits & 0x8000) << 48);
}
/* Rounds to nearest even, or toward zero. */
uint16_t half_bits(double x, bool to_zero)
{
	const uint64_t bits = double_bits(x), magnitude = bits & INT64_MAX;
	const uint64_t up = to_zero ? 0 : (UINT64_C(1) << 41) - 1 + (bits >> 42 & 1);
	uint64_t r;

	if (x != x)
		r = 0x7e00 | (bits >> 42 & 0x3ff);
	else if (fabs(x) >= 65536)
		r = isinf(x) || !to_zero ? 0x7c00 : 0x7bff;
	else if (fabs(x) < 0x1p-14)
		r = (uint64_t)(to_zero ? trunc(fabs(x) * 0x1p24) : rint(fabs(x) * 0x1p24));
	else
		r = ((magnitude + up) >> 42) - ((1023 - 15) << 10);
	return (uint16_t)(r | (bits >> 48 & 0x8000));
}
static bool any_nan_f32(const uint32_t *x)
{
	uint32_t found = 0;

	for (unsigned l = 0; l < LANES; l++)
		found |= (x[l] & 0x7fffffff) > 0x7f800000;
	return found;
}
/*
 * A NaN that an instruction makes is positive and quiet, and has no payload. A NaN in the sources is passed
 * on, quieted: that of the first source that has one, but a signaling one before a quiet one. Conversions,
 * whose sources are of other types, keep C's NaN. clamp turns NaN into 0.
 */
void settle_floats(const struct inst *i, const enum type *types, const struct source *s, struct result *r)
{
	const unsigned nbits = type_bits(types[0]), nfraction = nbits == 16 ? 10 : nbits == 32 ? 23 : 52;
	const unsigned top = nbits == 64;
	const uint64_t sign = UINT64_C(1) << (nbits - 1), quiet = UINT64_C(1) << (nfraction - 1);
	const uint64_t infinity = sign - 2 * quiet, one = (infinity >> 1) & ~(2 * quiet - 1);
	const bool arithmetic = types[1] == types[0] || types[2] == types[0] || types[3] == types[0];
	bool any = nbits != 32 || i->clamp || any_nan_f32(r->x[0]);

	for (unsigned n = 0; n < 3 && !any; n++)
		any = types[1 + n] == types[0] && any_nan_f32(s[n].x[0]);
	if (!any)
		return;

	for (unsigned l = 0; l < LANES; l++) {
		uint64_t x = top ? JOIN(r, l) : r->x[0][l], nan = arithmetic ? infinity | quiet : x;
		bool is_nan = (x & (sign - 1)) > infinity;

		for (unsigned n = 3; n--;) {
			const bool same = types[1 + n] == types[0];
			const uint64_t y = same ? (top ? JOIN(&s[n], l) : s[n].x[0][l]) & (2 * sign - 1) : 0;

			if ((y & (sign - 1)) > infinity) {
				is_nan |= !(y & quiet);
				nan = y | quiet;
			}
		}
		x = is_nan ? nan : x;
		if (i->clamp)
			x = is_nan || x & sign ? 0 : x > one ? one : x;
		r->x[0][l] = (uint32_t)x;
		if (top)
			r->x[1][l] = (uint32_t)(x >> 32);
	}
}

/* ---- values ---- */

#define DEFINE_MINMAX(type) \
	static inline type min_##type(type a, type b) \
	{ \
		return a < b ? a : b < a ? b : a != a ? b : b != b ? a : signbit(a) ? a : b; \
	} \
	static inline type max_##type(type a, type b) \
	{ \
		return a > b ? a : b > a ? b : a != a ? b : b != b ? a : signbit(a) ? b : a; \
	} \
	static inline type median_##type(type a, type b, type c) \
	{ \
		if (a != a || b != b || c != c) \
			return min_##type(min_##type(a, b), c); \
		return max_##type(min_##type(a, b), min_##type(max_##type(a, b), c)); \
	}
DEFINE_MINMAX(float)
DEFINE_MINMAX(double)
/* clang-format off */
#define MIN(a, b) _Generic(a, float: min_float, double: min_double)(a, b)
#define MAX(a, b) _Generic(a, float: max_float, double: max_double)(a, b)
#define MEDIAN(a, b, c) _Generic(a, float: median_float, double: median_double)(a, b, c)
/* clang-format on */

static int exponent_of(double x)
{
	int exponent = 0;

	if (isfinite(x))
		(void)frexp(x, &exponent);
	return exponent;
}
/* For angles in turns. */
static double sin_turns(double x)
{
	x -= rint(x);
	if (fabs(x) > 0.25)
		x = copysign(0.5, x) - x;
	return sin(x * 6.283185307179586);
}
static double cos_turns(double x)
{
	return sin_turns(0.25 - fabs(x - rint(x)));
}
/* Rounds toward zero, within limits; NaN becomes 0. */
static int64_t saturate(double x, double least, double most)
{
	return x != x ? 0 : (int64_t)(x < least ? least : x > most ? most : x);
}
static uint32_t saturate_u32(double x)
{
	return (uint32_t)saturate(x, 0, UINT32_MAX);
}
static int64_t saturate_i32(double x)
{
	return saturate(x, INT32_MIN, INT32_MAX);
}

/* ---- arithmetic ---- */

/* clang-format off */
/*
 * For f16, f32 and f64; functions of tgmath.h have a's type. x - floor(x) may round to 1, and is
 * kept below it.
 */
#define UNARY_ALL(X, type, below_one) \
	X(v_trunc_##type, , type, type, trunc(a)) X(v_floor_##type, , type, type, floor(a)) \
	X(v_ceil_##type, , type, type, ceil(a)) X(v_rndne_##type, , type, type, rint(a)) \
	X(v_fract_##type, , type, type, a - floor(a) > below_one ? below_one : a - floor(a)) \
	X(v_rcp_##type, , type, type, 1 / a) X(v_sqrt_##type, , type, type, sqrt(a)) \
	X(v_rsq_##type, , type, type, 1 / sqrt((double)a)) \
	X(v_frexp_mant_##type, , type, type, ldexp(a, -exponent_of(a)))
#define UNARY_16_32(X, type) \
	X(v_exp_##type, , type, type, exp2((double)a)) X(v_log_##type, , type, type, log2((double)a)) \
	X(v_sin_##type, , type, type, sin_turns(a)) X(v_cos_##type, , type, type, cos_turns(a))
#define BINARY_ALL(X, type) \
	X(v_add_##type, , type, a + b) X(v_mul_##type, , type, a * b) ORDER(X, type)
#define BINARY_16_32(X, type) \
	X(v_sub_##type, , type, a - b) X(v_subrev_##type, , type, b - a)
#define UNARY(X) \
	UNARY_ALL(X, f16, 0x1.ffcp-1) UNARY_ALL(X, f32, 0x1.fffffep-1f) UNARY_ALL(X, f64, 0x1.fffffffffffffp-1) \
	UNARY_16_32(X, f16) UNARY_16_32(X, f32)
#define BINARY(X) BINARY_ALL(X, f16) BINARY_ALL(X, f32) BINARY_ALL(X, f64) BINARY_16_32(X, f16) BINARY_16_32(X, f32)
#define TERNARY(X) \
	X(v_fma_f32, v_fmaak_f32, f32, fma(a, b, c)) X(v_fma_f64, , f64, fma(a, b, c)) \
	X(v_mad_f32, v_madak_f32, f32, a * b + c) ORDER_3(X, f32) ORDER_BOTH(X, f32)
#define TERNARY_16(X) \
	X(v_fma_f16, v_fmaak_f16, f16, fma(a, b, c)) ORDER_3(X, f16) ORDER_BOTH(X, f16)
#define CONVERSIONS(X) \
	X(v_cvt_f32_u32, , f32, u32, (float)a) X(v_cvt_f32_i32, , f32, i32, (float)a) X(v_cvt_f32_f16, , f32, f16, a) \
	X(v_cvt_f32_f64, , f32, f64, a) X(v_cvt_f32_ubyte0, , f32, u32, a & 255) \
	X(v_cvt_f32_ubyte1, , f32, u32, a >> 8 & 255) X(v_cvt_f32_ubyte2, , f32, u32, a >> 16 & 255) \
	X(v_cvt_f32_ubyte3, , f32, u32, a >> 24) X(v_cvt_f64_u32, , f64, u32, a) X(v_cvt_f64_i32, , f64, i32, a) \
	X(v_cvt_f64_f32, , f64, f32, a) X(v_cvt_f16_u16, , f16, u16, (double)a) \
	X(v_cvt_f16_i16, , f16, i16, (double)a) X(v_cvt_f16_f32, , f16, f32, a) \
	X(v_cvt_u32_f32, , u32, f32, saturate_u32(a)) X(v_cvt_u32_f64, , u32, f64, saturate_u32(a)) \
	X(v_cvt_i32_f32, , i32, f32, saturate_i32(a)) X(v_cvt_i32_f64, , i32, f64, saturate_i32(a)) \
	X(v_cvt_u16_f16, , u16, f16, saturate(a, 0, UINT16_MAX)) \
	X(v_cvt_i16_f16, , i16, f16, saturate(a, INT16_MIN, INT16_MAX)) \
	X(v_cvt_rpi_i32_f32, v_cvt_nearest_i32_f32, i32, f32, saturate_i32(floor((double)a + 0.5))) \
	X(v_cvt_flr_i32_f32, v_cvt_floor_i32_f32, i32, f32, saturate_i32(floor((double)a))) \
	X(v_frexp_exp_i32_f32, , i32, f32, exponent_of(a)) X(v_frexp_exp_i32_f64, , i32, f64, exponent_of(a)) \
	X(v_frexp_exp_i16_f16, , i16, f16, exponent_of(a))
#define MIXED(X) \
	X(v_ldexp_f32, , f32, f32, i32, none, ldexp(a, b)) \
	X(v_ldexp_f64, , f64, f64, i32, none, ldexp(a, b)) \
		X(v_ldexp_f16, , f16, f16, i16, none, ldexp(a, (int)b)) \
			X(v_cvt_pkrtz_f16_f32, v_cvt_pk_rtz_f16_f32, u32, f32, f32, none, \
				half_bits(a, true) | (uint32_t)half_bits(b, true) << 16)
/* clang-format on */

UNARY(DEFINE_UNARY)
BINARY(DEFINE_BINARY)
TERNARY(DEFINE_TERNARY)
TERNARY_16(DEFINE_TERNARY)
CONVERSIONS(DEFINE_UNARY)
MIXED(DEFINE)

/* clang-format off */
#define PACKED(X) \
	X(add_f16, 16) \
	X(mul_f16, 16) X(min_f16, 16) X(max_f16, 16) X(fma_f16, 16) X(add_f32, 32) X(mul_f32, 32) \
		X(fma_f32, 32)
/* clang-format on */
PACKED(DEFINE_PACKED_OF)

/* Sources are f16 where op_sel_hi says so, else f32; results are f32. */
static void fma_mix(struct wave *w, const struct inst *i, struct operand to)
{
	struct inst plain = *i;
	uint32_t rows[3][LANES];

	for (unsigned n = 0; n < 3; n++) {
		const bool is_half = i->op_sel_hi >> n & 1;
		struct source s;

		open_source(w, i, n, is_half ? TYPE_f16 : TYPE_f32, &s);
		for (unsigned l = 0; l < LANES; l++)
			rows[n][l] = is_half ? float_bits((float)lane_f16(&s, l)) : s.x[0][l];
		plain.op[1 + n] = (struct operand){.kind = OPERAND_ROWS, .nregs = 1, .rows = &rows[n]};
	}
	plain.op[0] = to;
	v_fma_f32(w, &plain);
}
static void v_fma_mix_f32(struct wave *w, const struct inst *i)
{
	fma_mix(w, i, i->op[0]);
}
static void fma_mix_half(struct wave *w, const struct inst *i, uint8_t op_sel)
{
	struct inst half = *i;
	struct result r = {.x = {r.own[0], r.own[1]}};

	fma_mix(w, i, (struct operand){.kind = OPERAND_ROWS, .nregs = 1, .rows = r.own});
	for (unsigned l = 0; l < LANES; l++)
		put_f16(&r, l, float_of(r.x[0][l]));
	half.op_sel = op_sel;
	half.clamp = false;
	close_result(w, &half, (const enum type[4]){TYPE_d16}, NULL, &r);
}
static void v_fma_mixlo_f16(struct wave *w, const struct inst *i)
{
	fma_mix_half(w, i, 0);
}
static void v_fma_mixhi_f16(struct wave *w, const struct inst *i)
{
	fma_mix_half(w, i, 8);
}

/* ---- division ---- */

/* For n / d: what v_div_scale scales by, and for which exponents (RDNA3 ISA, V_DIV_SCALE_F32 and _F64). */
struct format {
	int least; /* the least exponent of a normal number */
	int far;   /* from this exponent of n / d on, d is scaled */
	int scale;
	int tiny;    /* up to this exponent of n, n and d are scaled */
	int nothing; /* the exponent of n / d at which it underflows to 0 */
};
static const struct format format_f16 = {-14, 0, 0, 0, -1000}, format_f32 = {-126, 96, 64, 23 - 127, -150},
			   format_f64 = {-1022, 768, 128, 53 - 1023, -1075};

/* Exponents as the documents count them: denormals have the exponent of 0. */
static int field_exponent(const struct format *f, double x)
{
	return fabs(x) < ldexp(1.0, f->least) ? f->least - 1 : ilogb(x);
}
/* Is |n / d| below normal numbers? Neither is 0. */
static bool is_denormal_quotient(const struct format *f, double n, double d)
{
	int n_exponent, d_exponent;
	const double ratio = fabs(frexp(n, &n_exponent) / frexp(d, &d_exponent));
	const int exponent = n_exponent - d_exponent - f->least;

	return exponent < 0 ? exponent < -1 || ratio < 2 : exponent == 0 && ratio < 1;
}
/*
 * x is n or d. The documents scale d by 2^scale if both 1 / d and n / d are denormal, which would overflow;
 * v_div_fmas then needs the inverse.
 */
static double scale_operand(const struct format *f, double x, double d, double n, uint8_t *scaled_p)
{
	const double up = ldexp(1.0, f->scale), down = 1 / up;

	*scaled_p = false;
	if (n == 0 || d == 0)
		return (double)NAN;
	if (!isfinite(n) || !isfinite(d))
		return x;
	if (field_exponent(f, n) - field_exponent(f, d) >= f->far) {
		*scaled_p = true;
		return x == d ? x * up : x;
	}
	if (fabs(d) < ldexp(1.0, f->least))
		return x * up;
	*scaled_p = is_denormal_quotient(f, n, d);
	if (fabs(d) > ldexp(1.0, -f->least)) /* 1 / d is denormal */
		return *scaled_p && x != d ? x : x * down;
	if (*scaled_p)
		return x == n ? x * up : x;
	return field_exponent(f, n) <= f->tiny ? x * up : x;
}
/*
 * a * b + c; inexact results get an odd last bit, so that rounding them once more gives the same
 * as rounding once.
 */
static long double fma_to_odd(long double a, long double b, long double c)
{
	const long double product = a * b, product_error = fma(a, b, -product), sum = product + c,
			  c_part = sum - product;
	const long double error = (product - (sum - c_part)) + (c - c_part) + product_error;
	int exponent;

	if (!isfinite(sum) || error == 0 || fmod(ldexp(frexp(sum, &exponent), LDBL_MANT_DIG), 2.0L) != 0)
		return sum;
	return nextafter(sum, error > 0 ? (long double)INFINITY : -(long double)INFINITY);
}
/* c is near the quotient of the scaled operands: its size tells in which direction they were scaled. */
static long double scaled_fma(const struct format *f, double a, double b, double c)
{
	return ldexp(fma_to_odd(a, b, c), fabs(c) >= 2 ? f->scale : -f->scale);
}
static double fix_quotient(const struct format *f, double q, double d, double n)
{
	const double sign = signbit(d) != signbit(n) ? -1 : 1;

	if (n != n || d != d) /* the difference quiets the first one */
		return n != n ? n - d : d - n;
	if ((n == 0 && d == 0) || (isinf(n) && isinf(d)))
		return -(double)NAN;
	if (d == 0 || isinf(n))
		return sign * (double)INFINITY;
	if (n == 0 || isinf(d) || ilogb(n) - ilogb(d) < f->nothing)
		return sign * 0;
	return q != q ? sign * (double)INFINITY : copysign(q, sign); /* NaN: an overflow on the way */
}
/* clang-format off */
#define SCALES(X) \
	X(v_div_scale_f32, , d32, f32, f32, f32, scale_operand(&format_f32, a, b, c, &r.bit[l])) \
	X(v_div_scale_f64, , d64, f64, f64, f64, scale_operand(&format_f64, a, b, c, &r.bit[l]))
/* clang-format on */
#define SCALED_BY_VCC (wave_mask(w, VCC) >> l & 1)
/* clang-format off */
#define DIVISIONS(X) \
	X(v_div_fmas_f32, , f32, f32, f32, f32, SCALED_BY_VCC ? (float)scaled_fma(&format_f32, a, b, c) : fma(a, b, c)) \
	X(v_div_fmas_f64, , f64, f64, f64, f64, SCALED_BY_VCC ? (double)scaled_fma(&format_f64, a, b, c) : fma(a, b, c)) \
	X(v_div_fixup_f32, , d32, f32, f32, f32, fix_quotient(&format_f32, a, b, c)) \
	X(v_div_fixup_f64, , d64, f64, f64, f64, fix_quotient(&format_f64, a, b, c))
#define DIVISIONS_16(X) \
	X(v_div_fixup_f16, , d16, f16, f16, f16, fix_quotient(&format_f16, a, b, c))
/* clang-format on */
SCALES(DEFINE)
DIVISIONS(DEFINE)
DIVISIONS_16(DEFINE)

#define ROW_PACKED(name, nbits)       ROW(v_pk_##name, , )
#define ROW_READS_DST(name, run, arg) {#name, run, 1, arg, OP_READS_DST},

/* clang-format off */
const struct opcode float_opcodes[] = {UNARY(ROW) BINARY(ROW) TERNARY(ROW) TERNARY_16(ROW_KEEPS_HIGH)
		CONVERSIONS(ROW) MIXED(ROW) PACKED(ROW_PACKED) ROW(v_fma_mix_f32, , ) SCALES(ROW_CARRY)
			DIVISIONS(ROW) DIVISIONS_16(ROW_KEEPS_HIGH)
	/* a constant must be counted as a source, in order */
	ROW_OF(v_fmamk_f32, , v_fma_f32, 1, 0, 0) ROW_OF(v_madmk_f32, , v_mad_f32, 1, 0, 0) ROW_OF(
		v_fmamk_f16, , v_fma_f16, 1, ARG_KEEPS_HIGH, 0) ROW_OF(v_rcp_iflag_f32, , v_rcp_f32, 1, 0, 0)
		ROW_READS_DST(v_fmac_f16, v_fma_f16, ARG_KEEPS_HIGH) ROW_READS_DST(v_fmac_f32, v_fma_f32, 0)
			ROW_READS_DST(v_mac_f32, v_mad_f32, 0) ROW_READS_DST(v_fmac_f64, v_fma_f64, 0)
				ROW_READS_DST(v_pk_fmac_f16, v_pk_fma_f16, 0) ROW_READS_DST(v_fma_mixlo_f16,
					v_fma_mixlo_f16, ARG_KEEPS_HIGH) ROW_READS_DST(v_fma_mixhi_f16,
					v_fma_mixhi_f16, ARG_KEEPS_HIGH){NULL, NULL, 0, 0, 0}};
/* clang-format on */
