/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vector instructions for integers and bits; and how all vector instructions read sources and store results.
 */
#include "alu.h"

/* ---- sources and results ---- */

/*
 * A source that the text leaves out is the destination (v_fmac and the like), or VCC for
 * a mask (v_dual_cndmask).
 */
static const struct operand *source_operand(const struct inst *i, unsigned n, enum type type)
{
	static const struct operand vcc = {.kind = OPERAND_SGPR, .reg = VCC, .nregs = 2};
	const bool implied = i->opcode->arg & ARG_CMPX && i->nops == 2; /* GFX11's text does not name EXEC */
	const unsigned k = n + (implied ? 0 : i->opcode->ndsts);

	return k < i->nops ? &i->op[k] : type == TYPE_mask ? &vcc : &i->op[0];
}
/* The value of an operand that is the same for all lanes. */
static inline void fill_source(struct source *s, uint64_t x, bool is_64)
{
	for (unsigned l = 0; l < LANES; l++)
		s->own[0][l] = (uint32_t)x;
	for (unsigned l = 0; l < LANES && is_64; l++)
		s->own[1][l] = (uint32_t)(x >> 32);
	s->x[0] = s->own[0];
	s->x[1] = s->own[1];
}
void open_source(const struct wave *w, const struct inst *i, unsigned n, enum type type, struct source *s)
{
	const struct operand *o = source_operand(i, n, type);
	const unsigned nbits = type_bits(type), shift = nbits == 16 && i->op_sel >> n & 1 ? 16 : 0,
		       top = nbits == 64;
	const uint32_t sign = nbits == 16 ? 0x8000 : 0x80000000;
	const uint32_t keep = o->abs ? ~sign : UINT32_MAX, flip = o->neg ? sign : 0;
	uint32_t(*rows)[LANES] = rows_of(w, o);

	if (type == TYPE_mask) {
		const uint64_t mask = get64(w, o);

		for (unsigned l = 0; l < LANES; l++)
			s->own[0][l] = (uint32_t)(mask >> (l & 32)) >> (l & 31) & 1;
		s->x[0] = s->own[0];
		return;
	}
	if (rows) {
		s->x[0] = rows[0];
		s->x[1] = rows[top];
	} else {
		fill_source(s, top ? get64(w, o) : get32(w, o), top);
	}
	if (!shift && !o->neg && !o->abs)
		return;
	for (unsigned l = 0; l < LANES; l++)
		s->own[top][l] = (s->x[top][l] >> shift & keep) ^ flip;
	s->x[top] = s->own[top];
}
/* The same, with a fast way for operands without modifiers. */
static inline void open_plain(
	const struct wave *w, const struct inst *i, unsigned n, enum type type, struct source *s)
{
	const struct operand *o = source_operand(i, n, type);
	const unsigned nbits = type_bits(type);

	if (o->neg || o->abs || type == TYPE_mask || (nbits == 16 && i->op_sel) || o->kind == OPERAND_ROWS) {
		open_source(w, i, n, type, s);
	} else if (o->kind == OPERAND_VGPR) {
		s->x[0] = w->v[o->reg];
		s->x[1] = s->x[0] + LANES;
	} else {
		fill_source(s, nbits == 64 ? get64(w, o) : get32(w, o), nbits == 64);
	}
}
void open_sources(const struct wave *w, const struct inst *i, const enum type *types, struct source *s)
{
	for (unsigned n = 0; n < 3 && types[1 + n]; n++)
		open_plain(w, i, n, types[1 + n], &s[n]);
}
void store_row(const struct wave *w, const struct operand *o, unsigned k, const uint32_t *x)
{
	const uint64_t exec = wave_exec(w);
	uint32_t *to = rows_of(w, o)[k];

	if (all_lanes(w))
		EACH_LANE to[l] = x[l];
	else
		for (unsigned l = 0; l < LANES; l++)
			to[l] = exec >> l & 1 ? x[l] : to[l];
}
/* v_cmpx writes EXEC: on GFX9 also the mask that is its destination, on GFX11 only EXEC. */
static void store_mask(struct wave *w, const struct inst *i, const struct operand *o, const struct result *r)
{
	const bool writes_exec = i->opcode->arg & ARG_CMPX;
	uint64_t mask = 0, bytes;

	/* the lowest bits of all bytes end up in the product's highest byte */
	for (unsigned l = 0; l < LANES; l += 8) {
		memcpy(&bytes, &r->bit[l], sizeof(bytes));
		mask |= bytes * 0x0102040810204080 >> 56 << l;
	}
	mask &= wave_exec(w);
	if (!writes_exec || (w->module->gpu != GFX1100 && i->nops > 2))
		set_mask(w, o, mask);
	if (writes_exec)
		wave_set_mask(w, EXEC, mask);
}
static void clamp_exact(enum type type, struct result *r)
{
	const bool is_signed = type == TYPE_i16 || type == TYPE_s32;
	const int64_t span = type_bits(type) == 16 ? UINT16_MAX : UINT32_MAX,
		      least = is_signed ? -(span / 2) - 1 : 0;

	for (unsigned l = 0; l < LANES; l++) {
		const int64_t x = (int64_t)(r->x[0][l] | (uint64_t)r->x[1][l] << 32);

		r->x[0][l] = (uint32_t)(x < least ? least : x > least + span ? least + span : x);
	}
}
/*
 * Writes the half that op_sel names. GFX11 keeps the other half. GFX9 clears it, unless it is the low half,
 * or the instruction is new in GFX9 (LLVM, GCNSubtarget::zeroesHigh16BitsOfDest).
 */
static void place_half(const struct wave *w, const struct inst *i, struct result *r)
{
	const bool high = i->op_sel & 8,
		   keeps = high || w->module->gpu == GFX1100 || i->opcode->arg & ARG_KEEPS_HIGH;
	const uint32_t mask = !keeps ? 0 : high ? 0xffff : 0xffff0000, *old = *rows_of(w, &i->op[0]);

	for (unsigned l = 0; l < LANES; l++)
		r->x[0][l] = (old[l] & mask) | (r->x[0][l] & 0xffff) << (high ? 16 : 0);
}
void close_result(struct wave *w, const struct inst *i, const enum type *types, const struct source *s,
	struct result *r)
{
	const enum type to = types[0];
	const unsigned nbits = type_bits(to);

	if (to == TYPE_mask || i->opcode->ndsts == 2)
		store_mask(w, i, &i->op[to != TYPE_mask], r);
	if (to == TYPE_mask)
		return;
	if (to == TYPE_f16 || to == TYPE_d16 || to == TYPE_f32 || to == TYPE_d32 || to >= TYPE_f64)
		settle_floats(i, types, s, r);
	else if (i->clamp && (nbits == 16 || to == TYPE_x32 || to == TYPE_s32))
		clamp_exact(to, r);
	if (nbits == 16)
		place_half(w, i, r);
	if (r->x[0] == r->own[0])
		store_row(w, &i->op[0], 0, r->x[0]);
	if (nbits == 64 && r->x[1] == r->own[1])
		store_row(w, &i->op[0], 1, r->x[1]);
}
/*
 * Two halves of a register, or registers of a pair; op_sel and neg_lo are for the low one, op_sel_hi and
 * neg_hi for the other.
 */
void run_packed(struct wave *w, const struct inst *i, void (*plain)(struct wave *, const struct inst *),
	unsigned nbits)
{
	const uint8_t selects[] = {i->op_sel, i->op_sel_hi}, negs[] = {i->neg_lo, i->neg_hi};
	uint32_t rows[2][LANES];

	for (unsigned h = 0; h < 2; h++) {
		struct inst half = *i;

		memcpy(rows[h], rows_of(w, &i->op[0])[0], sizeof(rows[h]));
		half.op[0] = (struct operand){.kind = OPERAND_ROWS, .nregs = 1, .rows = &rows[h]};
		half.op_sel = nbits == 16 ? selects[h] & 7 : 0;
		for (unsigned s = 0; s < 3; s++) {
			half.op[1 + s].neg = negs[h] >> s & 1;
			half.op[1 + s].reg += nbits == 32 && selects[h] >> s & 1;
			half.op[1 + s].nregs = 1;
		}
		plain(w, &half);
	}
	for (unsigned l = 0; l < LANES && nbits == 16; l++)
		rows[0][l] = (rows[0][l] & 0xffff) | rows[1][l] << 16;
	for (unsigned h = 0; h < nbits / 16; h++)
		store_row(w, &i->op[0], h, rows[h]);
}

/* ---- values ---- */

#define SHIFTED_LEFT(x, n)    ((x) << ((n)&31))
#define MIN(a, b)             ((a) < (b) ? (a) : (b))
#define MAX(a, b)             ((a) > (b) ? (a) : (b))
#define MEDIAN(a, b, c)       MAX(MIN(a, b), MIN(MAX(a, b), c))
#define LIMIT(x, least, most) MEDIAN(x, least, most)
#define LOW_24(x)             ((x)&0xffffff)
#define SIGNED_24(x)          ((int64_t)((int32_t)((uint32_t)(x) << 8) >> 8))

static inline uint32_t count_bits(uint32_t x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
/* Bits of the mask below the lane, but only from lane first on. */
static inline uint32_t count_below(uint32_t mask, unsigned l, unsigned first)
{
	const unsigned n = l < first ? 0 : l - first;

	return count_bits(mask & (n > 31 ? UINT32_MAX : (UINT32_C(1) << n) - 1));
}
static inline uint32_t reverse_bits(uint32_t x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(x);
}
static inline uint32_t leading_zeros(uint32_t x)
{
	return x ? (uint32_t)__builtin_clz(x) : UINT32_MAX;
}
static inline uint32_t field(uint32_t x, uint32_t at, uint32_t nbits)
{
	return x >> (at & 31) & ((UINT32_C(1) << (nbits & 31)) - 1);
}
static inline int32_t signed_field(int32_t x, uint32_t at, uint32_t nbits)
{
	const uint32_t above = 32 - (nbits & 31);

	return nbits & 31 ? (int32_t)((uint32_t)(x >> (at & 31)) << above) >> above : 0;
}
/* Bytes of x by selector: 0 to 7 a byte, 8 to 11 the sign of a half, 12 zero, larger ones 255. */
static inline uint32_t permute_bytes(uint64_t x, uint32_t selectors)
{
	uint32_t r = 0;

	for (unsigned k = 0; k < 32; k += 8) {
		const unsigned s = selectors >> k & 0xff;
		const bool ones = s > 12 || (s > 7 && s < 12 && x >> (16 * (s & 3) + 15) & 1);

		r |= (s < 8 ? (uint32_t)(x >> 8 * s) & 0xff : ones ? 0xffu : 0) << k;
	}
	return r;
}
/* ---- the instructions: name, GFX11's name, types, value ---- */

/* clang-format off */
#define UNARY(X) \
	X(v_accvgpr_read_b32, , u32, u32, a) X(v_accvgpr_write_b32, , u32, u32, a) X(v_accvgpr_mov_b32, , u32, u32, a) \
	X(v_mov_b64, , u64, u64, a) X(v_not_b32, , u32, u32, ~a) X(v_bfrev_b32, , u32, u32, reverse_bits(a)) \
	X(v_ffbl_b32, v_ctz_i32_b32, u32, u32, a ? (uint32_t)__builtin_ctz(a) : UINT32_MAX) \
	X(v_ffbh_u32, v_clz_i32_u32, u32, u32, leading_zeros(a)) \
	X(v_ffbh_i32, v_cls_i32, u32, i32, leading_zeros((uint32_t)(a < 0 ? ~a : a))) X(v_cvt_i32_i16, , i32, i16, a) \
	X(v_cvt_u32_u16, , i32, u16, a)
#define BINARY(X) \
	X(v_and_b32, , u32, a &b) \
	X(v_or_b32, , u32, a | b) X(v_xor_b32, , u32, a ^ b) X(v_xnor_b32, , u32, ~(a ^ b)) X( \
		v_lshlrev_b32, , u32, b << (a & 31)) X(v_lshrrev_b32, , u32, b >> (a & 31)) X(v_ashrrev_i32, \
		, i32, b >> (a & 31)) ORDER(X, u32) ORDER(X, i32) X(v_add_u32, v_add_nc_u32, x32, \
		a + b) X(v_sub_u32, v_sub_nc_u32, x32, a - b) X(v_subrev_u32, v_subrev_nc_u32, x32, \
		b - a) X(v_add_i32, v_add_nc_i32, s32, a + b) X(v_sub_i32, v_sub_nc_i32, s32, \
		a - b) X(v_mul_lo_u32, , u32, a *b) X(v_mul_hi_u32, , u32, \
		(uint32_t)((uint64_t)a * b >> 32)) X(v_mul_hi_i32, , i32, \
		(int64_t)a *b >> 32) X(v_mul_u32_u24, , u32, LOW_24(a) * LOW_24(b)) X(v_mul_hi_u32_u24, , \
		u32, (uint32_t)((uint64_t)LOW_24(a) * LOW_24(b) >> 32)) X(v_mul_i32_i24, , i32, \
		SIGNED_24(a) * SIGNED_24(b)) X(v_mul_hi_i32_i24, , i32, SIGNED_24(a) * SIGNED_24(b) >> 32) \
		X(v_bfm_b32, , u32, SHIFTED_LEFT(SHIFTED_LEFT(1u, a) - 1, b)) X(v_bcnt_u32_b32, , u32, \
			count_bits(a) + b) X(v_mbcnt_lo_u32_b32, , u32, count_below(a, l, 0) + b) \
			X(v_mbcnt_hi_u32_b32, , u32, count_below(a, l, 32) + b) \
				X(v_cvt_pk_u16_u32, , u32, MIN(a, 0xffff) | MIN(b, 0xffff) << 16) \
					X(v_cvt_pk_i16_i32, , i32, \
						(LIMIT(a, -32768, 32767) & 0xffff) | \
							(int64_t)LIMIT(b, -32768, 32767) * 65536)
#define TERNARY(X) \
	X(v_bfi_b32, , u32, (a & b) | (~a & c)) \
	X(v_alignbit_b32, , u32, (uint32_t)(((uint64_t)a << 32 | b) >> (c & 31))) \
	X(v_alignbyte_b32, , u32, (uint32_t)(((uint64_t)a << 32 | b) >> 8 * (c & 3))) \
	X(v_perm_b32, , u32, permute_bytes((uint64_t)a << 32 | b, c)) X(v_bfe_u32, , u32, field(a, b, c)) \
	X(v_bfe_i32, , i32, signed_field(a, (uint32_t)b, (uint32_t)c)) X(v_add3_u32, , u32, a + b + c) \
	X(v_lshl_add_u32, , u32, SHIFTED_LEFT(a, b) + c) X(v_add_lshl_u32, , u32, SHIFTED_LEFT(a + b, c)) \
	X(v_xad_u32, , u32, (a ^ b) + c) X(v_lshl_or_b32, , u32, SHIFTED_LEFT(a, b) | c) \
	X(v_and_or_b32, , u32, (a & b) | c) X(v_or3_b32, , u32, a | b | c) X(v_xor3_b32, , u32, a ^ b ^ c) \
	ORDER_3(X, u32) ORDER_3(X, i32) ORDER_BOTH(X, u32) ORDER_BOTH(X, i32) \
	X(v_mad_u32_u24, , x32, LOW_24(a) * LOW_24(b) + c) X(v_mad_i32_i24, , s32, SIGNED_24(a) * SIGNED_24(b) + c) \
	X(v_sad_u32, , x32, (a > b ? a - b : b - a) + c)
#define MIXED(X) \
	X(v_lshlrev_b64, , u64, u32, u64, none, b << (a & 63)) X(v_lshrrev_b64, , u64, u32, u64, none, b >> (a & 63)) \
	X(v_ashrrev_i64, , i64, u32, i64, none, b >> (a & 63)) \
	X(v_cndmask_b32, , u32, u32, u32, mask, c ? b : a) \
	X(v_cndmask_b16, , u16, u16, u16, mask, c ? b : a) \
	X(v_pk_mov_b32, , u64, u64, u64, none, (uint32_t)(a >> (i->op_sel & 1) * 32) | b >> (i->op_sel >> 1 & 1) * 32 << 32) \
	X(v_pack_b32_f16, , i32, u16, u16, none, a | b << 16) X(v_mad_u32_u16, , x32, u16, u16, x32, a * b + c) \
	X(v_mad_i32_i16, , s32, i16, i16, s32, a * b + c)
#define CARRIES(X) \
	X(v_add_co_u32, , c32, x32, x32, none, a + b) X(v_sub_co_u32, , c32, x32, x32, none, a - b) \
	X(v_subrev_co_u32, , c32, x32, x32, none, b - a) \
	X(v_addc_co_u32, v_add_co_ci_u32, c32, x32, x32, mask, a + b + c) \
	X(v_subb_co_u32, v_sub_co_ci_u32, c32, x32, x32, mask, a - b - c) \
	X(v_subbrev_co_u32, v_subrev_co_ci_u32, c32, x32, x32, mask, b - a - c) \
	X(v_mad_u64_u32, , c64, u32, u32, u64, (wide)((uint64_t)a * b) + c) \
	X(v_mad_i64_i32, , c64, i32, i32, i64, (wide)a * b + c)
/* Those of the first list are v_pk_ instructions, too. */
#define PACKED_16(X) \
	X(add_u16, v_add_nc_u16, u16, a + b) X(sub_u16, v_sub_nc_u16, u16, a - b) X(mul_lo_u16, , u16, a * b) \
	X(min_u16, , u16, MIN(a, b)) X(max_u16, , u16, MAX(a, b)) X(add_i16, v_add_nc_i16, i16, a + b) \
	X(sub_i16, v_sub_nc_i16, i16, a - b) X(min_i16, , i16, MIN(a, b)) X(max_i16, , i16, MAX(a, b)) \
	X(lshlrev_b16, , u16, b << (a & 15) & 0xffff) X(lshrrev_b16, , u16, b >> (a & 15)) \
	X(ashrrev_i16, , i16, b >> (a & 15))
#define PACKED_TERNARY_16(X) \
	X(mad_u16, , u16, a * b + c) X(mad_i16, , i16, a * b + c)
#define UNARY_16(X) \
	X(v_not_b16, , u16, u16, a ^ 0xffff)
#define BINARY_16(X) \
	X(v_subrev_u16, , u16, b - a) \
	X(v_and_b16, , u16, a &b) X(v_or_b16, , u16, a | b) X(v_xor_b16, , u16, a ^ b)
#define TERNARY_16(X) ORDER_3(X, u16) ORDER_3(X, i16)
/* clang-format on */

#define DEFINE_PACKED(name, also, type, value) \
	DEFINE_BINARY(v_##name, , type, value) \
	DEFINE_PACKED_OF(name, 16)
#define DEFINE_PACKED_TERNARY(name, also, type, value) \
	DEFINE_TERNARY(v_##name, , type, value) \
	DEFINE_PACKED_OF(name, 16)
UNARY(DEFINE_UNARY)
BINARY(DEFINE_BINARY)
TERNARY(DEFINE_TERNARY)
MIXED(DEFINE)
PACKED_16(DEFINE_PACKED)
PACKED_TERNARY_16(DEFINE_PACKED_TERNARY)
UNARY_16(DEFINE_UNARY)
BINARY_16(DEFINE_BINARY)
TERNARY_16(DEFINE_TERNARY)
CARRIES(DEFINE)

DEFINE(lshl_add_lanes, , u64, u64, u32, u64, (a << (b & 7)) + c)

/* Addresses: moved by words, with one shift for all lanes. */
static void v_lshl_add_u64(struct wave *w, const struct inst *i)
{
	static const enum type types[] = {TYPE_u64, TYPE_u64, TYPE_u32, TYPE_u64};
	const unsigned n = get32(w, &i->op[2]) & 7;
	struct source s[3];
	struct result r;

	if (rows_of(w, &i->op[2])) {
		lshl_add_lanes(w, i);
		return;
	}
	open_plain(w, i, 0, TYPE_u64, &s[0]);
	open_plain(w, i, 2, TYPE_u64, &s[2]);
	open_result(w, i, TYPE_u64, &r);
	EACH_LANE
	{
		const uint32_t a = s[0].x[0][l], c = s[2].x[0][l], low = (a << n) + c;
		const uint32_t high = (s[0].x[1][l] << n) + (a >> 1 >> (31 - n)) + s[2].x[1][l] + (low < c);

		r.x[0][l] = low;
		r.x[1][l] = high;
	}
	close_result(w, i, types, s, &r);
}

#define ROW_PACKED(name, also, ...)   ROW_OF(v_##name, also, v_##name, 1, 0, 0) ROW(v_pk_##name, , )
#define ROW_PACKED_TERNARY(name, ...) ROW_KEEPS_HIGH(v_##name, , ) ROW(v_pk_##name, , )

/* clang-format off */
const struct opcode vector_opcodes[] = {UNARY(ROW) BINARY(ROW) TERNARY(ROW) MIXED(ROW) PACKED_16(ROW_PACKED)
		PACKED_TERNARY_16(ROW_PACKED_TERNARY) UNARY_16(ROW) BINARY_16(ROW) TERNARY_16(ROW_KEEPS_HIGH)
			CARRIES(ROW_CARRY) ROW(v_lshl_add_u64, , ) ROW_OF(v_mad_legacy_u16, , v_mad_u16, 1, 0,
				0) ROW_OF(v_mad_legacy_i16, , v_mad_i16, 1, 0, 0){NULL, NULL, 0, 0, 0}};
/* clang-format on */
