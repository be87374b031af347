/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions between lanes: reads and writes of one lane, permutes, registers indexed by M0. And wrappers
 * around other vector instructions: DPP and SDWA, which replace sources (and SDWA's destination) by rows of
 * their own, and GFX11's pairs (v_dual_).
 */
#include "alu.h"

static unsigned lane_number(const struct wave *w, const struct operand *o)
{
	return get32(w, o) & (w->nlanes - 1);
}
/* Copies a lane of the first source to a scalar register. */
static void read_lane(struct wave *w, const struct inst *i, unsigned l)
{
	struct source s;

	open_source(w, i, 0, TYPE_u32, &s);
	set32(w, &i->op[0], s.x[0][l]);
}
static unsigned first_lane(const struct wave *w)
{
	return wave_exec(w) ? lowest(wave_exec(w)) : 0;
}
/*
 * Each lane gets a lane of a row of 16, of its own row or another one, as four bits of the selectors say.
 * op_sel: 1, inactive lanes may be read; 2, what cannot be read is 0, instead of left as it was. v_permlane64
 * has no selectors.
 */
static void permute_rows(struct wave *w, const struct inst *i, unsigned other_row)
{
	const uint64_t given = get32(w, &i->op[2]) | (uint64_t)get32(w, &i->op[3]) << 32;
	const uint64_t selectors = i->nops > 2 ? given : UINT64_C(0xfedcba9876543210);
	const uint32_t *old = rows_of(w, &i->op[0])[0];
	struct source s;
	uint32_t r[LANES];

	open_source(w, i, 0, TYPE_u32, &s);
	for (unsigned l = 0; l < LANES; l++) {
		const unsigned name = selectors >> 4 * (l & 15) & 15;
		const unsigned from = (((l & 48) ^ other_row) | name) & (w->nlanes - 1);
		const bool valid = i->nops == 2 || i->op_sel & 1 || wave_exec(w) >> from & 1;

		r[l] = valid ? s.x[0][from] : i->op_sel & 2 ? 0 : old[l];
	}
	store_row(w, &i->op[0], 0, r);
}
static void swap_registers(struct wave *w, const struct inst *i)
{
	uint32_t a[LANES], b[LANES];

	memcpy(a, rows_of(w, &i->op[0])[0], sizeof(a));
	memcpy(b, rows_of(w, &i->op[1])[0], sizeof(b));
	store_row(w, &i->op[0], 0, b);
	store_row(w, &i->op[1], 0, a);
}
/* to and from are added to the register numbers of the destination and the source. */
static void move(struct wave *w, const struct inst *i, uint32_t to, uint32_t from)
{
	struct inst moved;
	struct source s;

	if (to || from) {
		moved = *i;
		moved.op[0].reg += to;
		moved.op[1].reg += from;
		i = &moved;
	}
	open_source(w, i, 0, TYPE_u32, &s);
	store_row(w, &i->op[0], 0, s.x[0]);
}

/* Number of destinations, enum opcode_flags, and the function. */
#define STATEMENTS(X) \
	X(v_mov_b32, 1, 0, \
		move(w, i, w->gpr_idx & 8 ? w->s[M0] & 0xff : 0, w->gpr_idx & 1 ? w->s[M0] & 0xff : 0)) \
	X(v_readlane_b32, 1, 0, read_lane(w, i, lane_number(w, &i->op[2]))) \
	X(v_readfirstlane_b32, 1, 0, read_lane(w, i, first_lane(w))) \
	X(v_writelane_b32, 1, OP_READS_DST, \
		rows_of(w, &i->op[0])[0][lane_number(w, &i->op[2])] = get32(w, &i->op[1])) \
	X(v_permlane16_b32, 1, OP_READS_DST, permute_rows(w, i, 0)) \
	X(v_permlanex16_b32, 1, OP_READS_DST, permute_rows(w, i, 16)) \
	X(v_permlane64_b32, 1, 0, permute_rows(w, i, 32)) \
	X(v_swap_b32, 2, OP_READS_DST, swap_registers(w, i)) \
	X(v_movrels_b32, 1, 0, move(w, i, 0, w->s[M0])) \
	X(v_movreld_b32, 1, 0, move(w, i, w->s[M0], 0))
#define DEFINE_STATEMENT(name, ndsts, flags, statement) \
	static void name(struct wave *w, const struct inst *i) \
	{ \
		statement; \
	}
STATEMENTS(DEFINE_STATEMENT)

/* ---- DPP ---- */

/* The lane that lane l reads; -1: none. */
static int find_source(const struct wave *w, const struct inst *i, int l)
{
	const int n = i->dpp_arg, row = l & ~15, at = l & 15, last = (int)w->nlanes - 1;

	switch (i->dpp) {
	case DPP_QUAD_PERM:
		return (l & ~3) | i->quad_perm[l & 3];
	case DPP_ROW_SHL:
		return at + n > 15 ? -1 : l + n;
	case DPP_ROW_SHR:
		return at < n ? -1 : l - n;
	case DPP_ROW_ROR:
		return row | ((at - n) & 15);
	case DPP_WAVE_SHL:
		return l == last ? -1 : l + 1;
	case DPP_WAVE_ROL:
		return (l + 1) & last;
	case DPP_WAVE_SHR:
		return l - 1;
	case DPP_WAVE_ROR:
		return (l - 1) & last;
	case DPP_ROW_MIRROR:
		return row | (15 - at);
	case DPP_ROW_HALF_MIRROR:
		return (l & ~7) | (7 - (l & 7));
	case DPP_ROW_BCAST:
		return n == 31 ? (l < 32 ? -1 : 31) : row - 1; /* lane 15 of the row before */
	case DPP_ROW_SHARE:
		return row | n;
	case DPP_ROW_NEWBCAST:
		return row | n;
	case DPP_ROW_XMASK:
		return l ^ n;
	case DPP_8:
		return (l & ~7) | i->dpp8[l & 7];
	default:
		return l;
	}
}
/*
 * A lane whose source is missing or inactive is not written; or it reads 0, with bound_ctrl, and always with
 * DPP8. The row and bank masks say which lanes are written at all.
 */
void run_dpp(struct wave *w, const struct inst *i)
{
	struct inst plain = *i->base;
	const unsigned first = plain.opcode->arg & ARG_CMPX && plain.nops == 2 ? 0 : plain.opcode->ndsts;
	struct operand *o = &plain.op[first];
	const uint64_t exec = wave_exec(w);
	uint32_t rows[2][LANES] = {0}, (*from)[LANES] = rows_of(w, o);
	uint64_t written = 0;

	for (unsigned l = 0; l < w->nlanes; l++) {
		const int s = find_source(w, i, (int)l);
		const bool valid = s >= 0 && (i->fi || exec >> s & 1);

		if (i->dpp == DPP_8 || (i->row_mask >> l / 16 & 1 && i->bank_mask >> l / 4 % 4 & 1))
			written |= (uint64_t)(valid || i->bound_ctrl || i->dpp == DPP_8) << l;
		for (unsigned k = 0; valid && k < o->nregs; k++)
			rows[k][l] = from[k][s];
	}
	o->kind = OPERAND_ROWS;
	o->rows = rows;
	wave_set_mask(w, EXEC, exec & written);
	plain.run(w, &plain);
	if (!(plain.opcode->arg & ARG_CMPX))
		wave_set_mask(w, EXEC, exec);
}

/* ---- SDWA ---- */

static unsigned select_shift(unsigned sel)
{
	return sel < SDWA_WORD_0 ? 8 * sel : sel == SDWA_WORD_1 ? 16 : 0;
}
static unsigned select_bits(unsigned sel)
{
	return sel < SDWA_WORD_0 ? 8 : sel < SDWA_DWORD ? 16 : 32;
}
static uint32_t select_part(uint32_t x, unsigned sel, bool sext)
{
	const unsigned above = 32 - select_bits(sel);

	x = x >> select_shift(sel) << above;
	return sext ? (uint32_t)((int32_t)x >> above) : x >> above;
}
static uint32_t merge_part(const struct inst *i, uint32_t old, uint32_t x)
{
	const unsigned shift = select_shift(i->dst_sel), nbits = select_bits(i->dst_sel);
	const uint32_t part = (UINT32_MAX >> (32 - nbits)) << shift;

	if (i->dst_unused == SDWA_PRESERVE)
		return (old & ~part) | (x << shift & part);
	if (i->dst_unused == SDWA_SEXT)
		return (uint32_t)((int32_t)(x << (32 - nbits)) >> (32 - nbits)) << shift;
	return x << shift & part;
}
void run_sdwa(struct wave *w, const struct inst *i)
{
	struct inst plain = *i->base, bits = {.opcode = i->opcode, .nops = i->nops};
	const bool has_row = i->op[0].kind == OPERAND_VGPR;
	uint32_t rows[3][LANES], r[LANES];

	for (unsigned n = 0; n < 2 && plain.opcode->ndsts + n < i->nops; n++) {
		struct operand *o = &plain.op[plain.opcode->ndsts + n];
		struct source s;

		bits.op[plain.opcode->ndsts + n] = *o;
		bits.op[plain.opcode->ndsts + n].neg = bits.op[plain.opcode->ndsts + n].abs = false;
		open_source(w, &bits, n, TYPE_u32, &s);
		for (unsigned l = 0; l < LANES; l++)
			rows[n][l] = select_part(s.x[0][l], i->src_sel[n], o->sext);
		o->kind = OPERAND_ROWS;
		o->rows = &rows[n];
	}
	if (has_row) {
		memcpy(rows[2], rows_of(w, &i->op[0])[0], sizeof(rows[2]));
		plain.op[0].kind = OPERAND_ROWS;
		plain.op[0].rows = &rows[2];
	}
	plain.run(w, &plain);
	for (unsigned l = 0; has_row && l < LANES; l++)
		r[l] = merge_part(i, rows_of(w, &i->op[0])[0][l], rows[2][l]);
	if (has_row)
		store_row(w, &i->op[0], 0, r);
}

/* ---- pairs ---- */

/* The two destinations differ. The second half must not see the first one's result. */
void run_dual(struct wave *w, const struct inst *i)
{
	const struct inst *x = &i->base[0], *y = &i->base[1];
	uint32_t *d = rows_of(w, &x->op[0])[0], before[LANES], after[LANES];

	memcpy(before, d, sizeof(before));
	x->run(w, x);
	memcpy(after, d, sizeof(after));
	memcpy(d, before, sizeof(before));
	y->run(w, y);
	memcpy(d, after, sizeof(after));
}

#define ROW_STATEMENT(name, ndsts, flags, ...) {#name, name, ndsts, 0, flags},

const struct opcode lane_opcodes[] = {STATEMENTS(ROW_STATEMENT){NULL, NULL, 0, 0, 0}};
