/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the instruction tables share. Each line of a list has an instruction's name, GFX11's name if that
 * differs, the types of its result and sources, and its value in a lane, from the sources a, b and c. DEFINE
 * makes a handler of a line, ROW makes lines of struct opcode. A handler computes all lanes, and at the end
 * stores those that EXEC has.
 */
#ifndef AMDSIM_ALU_H
#define AMDSIM_ALU_H

#include "sim.h"

#include <string.h>

/* Values of opcode->arg in these files. */
enum {
	ARG_KEEPS_HIGH = 1, /* writes 16 bits and keeps the others, also on GFX9 */
	ARG_CMPX = 2        /* v_cmpx: writes EXEC */
};

/* ---- scalar operands ---- */

static inline uint32_t get32(const struct wave *w, const struct operand *o)
{
	if (o->kind == OPERAND_SGPR)
		return w->s[o->reg];
	if (o->kind == OPERAND_IMM)
		return o->imm32;
	if (o->kind == OPERAND_SCC)
		return w->scc;
	return o->kind == OPERAND_VCCZ ? !wave_mask(w, VCC) : o->kind == OPERAND_EXECZ ? !wave_exec(w) : 0;
}
static inline uint64_t get64(const struct wave *w, const struct operand *o)
{
	if (o->kind == OPERAND_SGPR && o->nregs > 1)
		return wave_get64(w, o->reg);
	return o->kind == OPERAND_IMM ? o->imm64 : get32(w, o);
}
static inline void set32(struct wave *w, const struct operand *o, uint32_t x)
{
	if (o->kind == OPERAND_SGPR)
		w->s[o->reg] = x;
}
static inline void set64(struct wave *w, const struct operand *o, uint64_t x)
{
	if (o->kind == OPERAND_SGPR)
		wave_set64(w, o->reg, x);
}
static inline uint64_t get_mask(const struct wave *w, const struct operand *o)
{
	return w->nlanes == 32 ? get32(w, o) : get64(w, o);
}
static inline void set_mask(struct wave *w, const struct operand *o, uint64_t x)
{
	if (o->kind == OPERAND_SGPR)
		wave_set_mask(w, o->reg, x);
}

/* ---- vector operands ---- */

/*
 * Results of u16, i16, x32 and s32 are exact; with clamp they are limited to the type's range; x32 is
 * unsigned, s32 signed. c32 and c64 put the next bit into the second destination. d16, d32 and d64 are floats
 * that keep the NaN they have. mask: one bit.
 */
enum type {
	TYPE_none,
	TYPE_mask,
	TYPE_u16,
	TYPE_i16,
	TYPE_f16,
	TYPE_d16,
	TYPE_u32,
	TYPE_i32,
	TYPE_x32,
	TYPE_s32,
	TYPE_c32,
	TYPE_f32,
	TYPE_d32,
	TYPE_u64,
	TYPE_i64,
	TYPE_c64,
	TYPE_f64,
	TYPE_d64
};
__extension__ typedef __int128 wide;

static inline unsigned type_bits(enum type type)
{
	return type <= TYPE_d16 ? 16 : type <= TYPE_d32 ? 32 : 64;
}

/* Two registers of a source, for all lanes: the registers themselves, or changed copies. */
struct source {
	const uint32_t *x[2];
	uint32_t own[2][LANES];
};
struct result {
	uint32_t *x[2]; /* the destination's registers, if all lanes are stored unchanged; else own */
	uint32_t own[2][LANES];
	uint8_t bit[LANES];
};

/* The registers of a vector operand, or NULL. */
static inline uint32_t (*rows_of(const struct wave *w, const struct operand *o))[LANES]
{
	return o->kind == OPERAND_VGPR ? w->v + o->reg : o->kind == OPERAND_ROWS ? o->rows : NULL;
}
static inline bool all_lanes(const struct wave *w)
{
	return wave_exec(w) == (w->nlanes == 32 ? UINT32_MAX : UINT64_MAX);
}
/* A lane's result is put only after its sources have been read: they may be the same registers. */
static inline void open_result(const struct wave *w, const struct inst *i, enum type to, struct result *r)
{
	const bool whole = (to >= TYPE_u32 && to <= TYPE_c32) || (to >= TYPE_u64 && to <= TYPE_c64);
	uint32_t(*rows)[LANES] = whole && !i->clamp && all_lanes(w) ? rows_of(w, &i->op[0]) : NULL;

	r->x[0] = rows ? rows[0] : r->own[0];
	r->x[1] = rows && type_bits(to) == 64 ? rows[1] : r->own[1];
}
/* vector.c: returns source n, with op_sel, neg and abs applied. types: of the result and of three sources. */
void open_source(const struct wave *w, const struct inst *i, unsigned n, enum type type, struct source *s);
void open_sources(const struct wave *w, const struct inst *i, const enum type *types, struct source *s);
/* Applies clamp, NaN, and the rest of a register for 16 bits; then stores the result. */
void close_result(struct wave *w, const struct inst *i, const enum type *types, const struct source *s,
	struct result *r);
void store_row(const struct wave *w, const struct operand *o, unsigned k, const uint32_t *x);
/* v_pk_: runs plain for both halves, of nbits each. */
void run_packed(struct wave *w, const struct inst *i, void (*plain)(struct wave *, const struct inst *),
	unsigned nbits);
/* vector_float.c: NaN and clamp of floats. */
void settle_floats(const struct inst *i, const enum type *types, const struct source *s, struct result *r);

static inline float float_of(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}
static inline uint32_t float_bits(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}
static inline double double_of(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}
static inline uint64_t double_bits(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}
/* f16 is computed as double, and rounded once. */
double half_value(uint16_t bits);
uint16_t half_bits(double x, bool to_zero);

static inline void put_u64(struct result *r, unsigned l, uint64_t x)
{
	r->x[0][l] = (uint32_t)x;
	r->x[1][l] = (uint32_t)(x >> 32);
}
#define JOIN(s, l) ((s)->x[0][l] | (uint64_t)(s)->x[1][l] << 32)

/* clang-format off */
/* Types of sources: C's type, and a lane's value. */
#define SOURCE_TYPES(X) \
	X(none, uint32_t, l) X(mask, uint32_t, s->x[0][l]) X(u16, int64_t, (uint16_t)s->x[0][l]) \
	X(i16, int64_t, (int16_t)s->x[0][l]) X(f16, double, half_value((uint16_t)s->x[0][l])) \
	X(u32, uint32_t, s->x[0][l]) X(i32, int32_t, (int32_t)s->x[0][l]) X(x32, int64_t, s->x[0][l]) \
	X(s32, int64_t, (int32_t)s->x[0][l]) X(f32, float, float_of(s->x[0][l])) X(u64, uint64_t, JOIN(s, l)) \
	X(i64, int64_t, (int64_t)JOIN(s, l)) X(f64, double, double_of(JOIN(s, l)))
/* Types of results: C's type, and how a value is put. */
#define RESULT_TYPES(X) \
	X(mask, bool, r->bit[l] = x) X(u32, uint32_t, r->x[0][l] = x) X(i32, int64_t, r->x[0][l] = (uint32_t)x) \
	X(u16, int64_t, put_u64(r, l, (uint64_t)x)) X(i16, int64_t, put_u64(r, l, (uint64_t)x)) \
	X(x32, int64_t, put_u64(r, l, (uint64_t)x)) X(s32, int64_t, put_u64(r, l, (uint64_t)x)) \
	X(i64, int64_t, put_u64(r, l, (uint64_t)x)) \
	X(c32, int64_t, put_u64(r, l, (uint64_t)x), r->bit[l] = x >> 32 & 1) \
	X(c64, wide, put_u64(r, l, (uint64_t)x), r->bit[l] = (uint64_t)(x >> 64) & 1) \
	X(f16, double, r->x[0][l] = half_bits(x, false)) X(f32, double, r->x[0][l] = float_bits((float)x)) \
	X(f64, double, put_u64(r, l, double_bits(x)))
/* clang-format on */
#define DEFINE_SOURCE(name, ctype, value) \
	typedef ctype type_##name; \
	static inline type_##name lane_##name(const struct source *s, unsigned l) \
	{ \
		return (void)s, (void)l, value; \
	}
#define DEFINE_RESULT(name, ctype, ...) \
	static inline void put_##name(struct result *r, unsigned l, ctype x) \
	{ \
		__VA_ARGS__; \
	}
SOURCE_TYPES(DEFINE_SOURCE)
RESULT_TYPES(DEFINE_RESULT)
#define put_d16 put_f16
#define put_d32 put_f32
#define put_d64 put_f64

/* Lanes do not depend on each other, so that compilers may vectorize such loops. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* some loops are not vectorized */
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (unsigned l = 0; l < LANES; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned l = 0; l < LANES; l++)
#endif

#define DEFINE(name, also, to, ta, tb, tc, value) \
	static void name(struct wave *w, const struct inst *i) \
	{ \
		static const enum type types[] = {TYPE_##to, TYPE_##ta, TYPE_##tb, TYPE_##tc}; \
		struct source s[3]; \
		struct result r; \
		open_sources(w, i, types, s); \
		open_result(w, i, types[0], &r); \
		EACH_LANE \
		{ \
			const type_##ta a = lane_##ta(&s[0], l); \
			const type_##tb b = lane_##tb(&s[1], l); \
			const type_##tc c = lane_##tc(&s[2], l); \
			(void)a, (void)b, (void)c; \
			put_##to(&r, l, value); \
		} \
		close_result(w, i, types, s, &r); \
	}
#define DEFINE_UNARY(name, also, to, from, value) DEFINE(name, also, to, from, none, none, value)
#define DEFINE_BINARY(name, also, type, value)    DEFINE(name, also, type, type, type, none, value)
#define DEFINE_TERNARY(name, also, type, value)   DEFINE(name, also, type, type, type, type, value)

#define DEFINE_PACKED_OF(name, nbits) \
	static void v_pk_##name(struct wave *w, const struct inst *i) \
	{ \
		run_packed(w, i, v_##name, nbits); \
	}

/* With no suffix it makes another row, which no mnemonic finds: "" or "_b32". */
#define ROW_OF(name, also, run, ndsts, arg, flags) \
	{#name, run, ndsts, arg, flags}, {#also, run, ndsts, arg, flags},
#define ROW(name, also, ...)            ROW_OF(name, also, name, 1, 0, 0)
#define ROW_KEEPS_HIGH(name, also, ...) ROW_OF(name, also, name, 1, ARG_KEEPS_HIGH, 0)
#define ROW_CARRY(name, also, ...)      ROW_OF(name, also, name, 2, 0, 0)

/* clang-format off */
/* Families of instructions. */
#define ORDER(X, type) \
	X(v_min_##type, , type, MIN(a, b)) X(v_max_##type, , type, MAX(a, b))
#define ORDER_3(X, type) \
	X(v_min3_##type, , type, MIN(MIN(a, b), c)) X(v_max3_##type, , type, MAX(MAX(a, b), c)) \
	X(v_med3_##type, , type, MEDIAN(a, b, c))
#define ORDER_BOTH(X, type) \
	X(v_minmax_##type, , type, MAX(MIN(a, b), c)) X(v_maxmin_##type, , type, MIN(MAX(a, b), c))
/* clang-format on */

#endif /* AMDSIM_ALU_H */
