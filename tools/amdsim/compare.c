/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector compares: v_cmp and v_cmpx of all types. The mask has zeros for inactive lanes. */
#include "alu.h"

/* Returns the class of a number, as its bit in v_cmp_class's second source. */
static unsigned class_of(uint64_t bits, unsigned nbits, unsigned nfraction)
{
	const uint64_t sign = UINT64_C(1) << (nbits - 1), magnitude = bits & (sign - 1);
	const uint64_t infinity = sign - (UINT64_C(1) << nfraction);
	const bool negative = bits & sign;

	if (magnitude > infinity)
		return magnitude >> (nfraction - 1) & 1; /* signaling 0, quiet 1 */
	if (magnitude == infinity)
		return negative ? 2 : 9;
	if (magnitude >> nfraction)
		return negative ? 3 : 8;
	return magnitude ? (negative ? 4 : 7) : negative ? 5 : 6;
}

/* clang-format off */
#define ORDERED(X, type) \
	X(f_##type, type, type, false) X(lt_##type, type, type, a < b) X(eq_##type, type, type, a == b) \
	X(le_##type, type, type, a <= b) X(gt_##type, type, type, a > b) X(ge_##type, type, type, a >= b) \
	X(t_##type, type, type, true)
#define INTEGERS(X, type) \
	ORDERED(X, type) X(ne_##type, type, type, a != b)
/* lg and o are false for NaN; those with n, and u, are true. t is called tru on GFX11. */
#define FLOATS(X, type) \
	ORDERED(X, type) X(lg_##type, type, type, a < b || a > b) X(o_##type, type, type, a == a && b == b) \
	X(u_##type, type, type, a != a || b != b) X(nge_##type, type, type, !(a >= b)) \
	X(nlg_##type, type, type, !(a < b || a > b)) X(ngt_##type, type, type, !(a > b)) \
	X(nle_##type, type, type, !(a <= b)) X(neq_##type, type, type, a != b) X(nlt_##type, type, type, !(a < b)) \
	X(tru_##type, type, type, true)
#define COMPARES(X) \
	INTEGERS(X, u16) \
	INTEGERS(X, i16) INTEGERS(X, u32) INTEGERS(X, i32) INTEGERS(X, u64) INTEGERS(X, i64) FLOATS(X, f16) \
		FLOATS(X, f32) FLOATS(X, f64) X(class_f16, u16, u32, b >> class_of((uint64_t)a, 16, 10) & 1) \
			X(class_f32, u32, u32, b >> class_of(a, 32, 23) & 1) \
				X(class_f64, u64, u32, b >> class_of(a, 64, 52) & 1)
/* clang-format on */

#define DEFINE_COMPARE(name, ta, tb, value) DEFINE(v_cmp_##name, , mask, ta, tb, none, value)
COMPARES(DEFINE_COMPARE)

/* clang-format off */
#define ROW_COMPARE(name, ...) \
	{ "v_cmp_" #name, v_cmp_##name, 1, 0, 0 }, \
	{ "v_cmpx_" #name, v_cmp_##name, 1, ARG_CMPX, 0 },

const struct opcode compare_opcodes[] = {
	COMPARES(ROW_COMPARE)
	{ NULL, NULL, 0, 0, 0 }
};
/* clang-format on */
