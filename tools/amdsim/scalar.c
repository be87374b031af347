/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scalar instructions: arithmetic, compares, branches, EXEC's save and restore, hardware registers, clocks,
 * barriers and the end of a wave. Each line of a list is an instruction: its name, GFX11's name if that
 * differs, the bits of its result and of its sources, its value (from the sources a and b and the old
 * destination d), and the new SCC (from the result r).
 */
#include "alu.h"

#include <time.h>

/* ---- values ---- */

static uint64_t field(uint64_t x, unsigned at, unsigned nbits)
{
	return nbits == 0 ? 0 : x >> at & (nbits > 63 ? UINT64_MAX : (UINT64_C(1) << nbits) - 1);
}
/* The field of a signed number may go beyond its top: the sign continues there. */
static uint64_t signed_field(uint64_t x, unsigned at, unsigned nbits)
{
	const unsigned above = at + nbits > 63 ? 0 : 64 - at - nbits;

	return nbits == 0 ? 0 : (uint64_t)((int64_t)(x << above) >> (above + at));
}
static uint32_t trailing_zeros(uint64_t x)
{
	return x ? (uint32_t)__builtin_ctzll(x) : UINT32_MAX;
}
static uint32_t leading_zeros(uint64_t x, unsigned nbits)
{
	return x ? (uint32_t)__builtin_clzll(x) - (64 - nbits) : UINT32_MAX;
}
static uint64_t reverse_bits(uint64_t x)
{
	uint64_t r = 0;

	for (unsigned k = 0; k < 64; k++)
		r |= (x >> k & 1) << (63 - k);
	return r;
}

#define KEEP             w->scc
#define BITS             (8 * (unsigned)sizeof(a))
#define ONE              (a * 0 + 1) /* 1, of a's type */
#define SIGNED(x)        ((int32_t)(x))
#define OVERFLOWS(exact) ((exact) != SIGNED(exact))
#define EXACT(x)         ((int64_t)SIGNED(x))

/* clang-format off */
/* Instructions of 32 and of 64 bits: name without _b32 and _b64. */
#define LOGIC(X) \
	X(s_mov, , a, KEEP) X(s_not, , ~a, r != 0) X(s_brev, , reverse_bits(a) >> (64 - BITS), KEEP) \
	X(s_cselect, , w->scc ? a : b, KEEP) X(s_and, , a & b, r != 0) X(s_or, , a | b, r != 0) \
	X(s_xor, , a ^ b, r != 0) X(s_andn2, s_and_not1, a & ~b, r != 0) X(s_orn2, s_or_not1, a | ~b, r != 0) \
	X(s_nand, , ~(a & b), r != 0) X(s_nor, , ~(a | b), r != 0) X(s_xnor, , ~(a ^ b), r != 0) \
	X(s_lshl, , a << (b & (BITS - 1)), r != 0) X(s_lshr, , a >> (b & (BITS - 1)), r != 0) \
	X(s_bfm, , ((ONE << (a & (BITS - 1))) - 1) << (b & (BITS - 1)), KEEP)
/* From 32 and 64 bits to 32. */
#define COUNTS(X) \
	X(s_bcnt1_i32, , __builtin_popcountll(a), r != 0) X(s_ff1_i32, s_ctz_i32, trailing_zeros(a), KEEP)
#define VALUES(X) \
	X(s_flbit_i32_b32, s_clz_i32_u32, 32, 32, leading_zeros(a, 32), KEEP) \
	X(s_flbit_i32_b64, s_clz_i32_u64, 32, 64, leading_zeros(a, 64), KEEP) \
	X(s_flbit_i32, s_cls_i32, 32, 32, leading_zeros(SIGNED(a) < 0 ? ~a : a, 32), KEEP) \
	X(s_flbit_i32_i64, s_cls_i32_i64, 32, 64, leading_zeros((int64_t)a < 0 ? ~a : a, 64), KEEP) \
	X(s_sext_i32_i8, , 32, 32, (int8_t)a, KEEP) X(s_sext_i32_i16, , 32, 32, (int16_t)a, KEEP) \
	X(s_movk_i32, , 32, 32, (int16_t)a, KEEP) X(s_abs_i32, , 32, 32, SIGNED(a) < 0 ? -a : a, r != 0) \
	X(s_add_u32, , 32, 32, a + b, r < a) X(s_addc_u32, , 32, 32, a + b + w->scc, ((uint64_t)a + b + w->scc) >> 32) \
	X(s_sub_u32, , 32, 32, a - b, a < b) X(s_subb_u32, , 32, 32, a - b - w->scc, a < (uint64_t)b + w->scc) \
	X(s_add_i32, , 32, 32, a + b, OVERFLOWS(EXACT(a) + EXACT(b))) \
	X(s_sub_i32, , 32, 32, a - b, OVERFLOWS(EXACT(a) - EXACT(b))) \
	X(s_min_i32, , 32, 32, SIGNED(a) < SIGNED(b) ? a : b, SIGNED(a) < SIGNED(b)) \
	X(s_min_u32, , 32, 32, a < b ? a : b, a < b) \
	X(s_max_i32, , 32, 32, SIGNED(a) > SIGNED(b) ? a : b, SIGNED(a) > SIGNED(b)) \
	X(s_max_u32, , 32, 32, a > b ? a : b, a > b) X(s_ashr_i32, , 32, 32, SIGNED(a) >> (b & 31), r != 0) \
	X(s_ashr_i64, , 64, 64, (int64_t)a >> (b & 63), r != 0) \
	X(s_bfe_u32, , 32, 32, field(a, b & 31, b >> 16 & 127), r != 0) \
	X(s_bfe_i32, , 32, 32, signed_field((uint64_t)SIGNED(a), b & 31, b >> 16 & 127), r != 0) \
	X(s_bfe_u64, , 64, 64, field(a, b & 63, b >> 16 & 127), r != 0) \
	X(s_bfe_i64, , 64, 64, signed_field(a, b & 63, b >> 16 & 127), r != 0) X(s_mul_i32, , 32, 32, a * b, KEEP) \
	X(s_mul_hi_u32, , 32, 32, (uint64_t)a * b >> 32, KEEP) \
	X(s_mul_hi_i32, , 32, 32, EXACT(a) * SIGNED(b) >> 32, KEEP) \
	X(s_lshl1_add_u32, , 32, 32, (a << 1) + b, ((uint64_t)a << 1) + b > UINT32_MAX) \
	X(s_lshl2_add_u32, , 32, 32, (a << 2) + b, ((uint64_t)a << 2) + b > UINT32_MAX) \
	X(s_lshl3_add_u32, , 32, 32, (a << 3) + b, ((uint64_t)a << 3) + b > UINT32_MAX) \
	X(s_lshl4_add_u32, , 32, 32, (a << 4) + b, ((uint64_t)a << 4) + b > UINT32_MAX) \
	X(s_pack_ll_b32_b16, , 32, 32, (a & 0xffff) | b << 16, KEEP) \
	X(s_pack_lh_b32_b16, , 32, 32, (a & 0xffff) | (b & 0xffff0000), KEEP) \
	X(s_pack_hh_b32_b16, , 32, 32, a >> 16 | (b & 0xffff0000), KEEP)
/* The destination is a source, too. */
#define UPDATES(X) \
	X(s_cmov_b32, , 32, 32, w->scc ? a : d, KEEP) \
	X(s_cmovk_i32, , 32, 32, w->scc ? (uint32_t)(int16_t)a : d, KEEP) \
	X(s_addk_i32, , 32, 32, d + (uint32_t)(int16_t)a, OVERFLOWS(EXACT(d) + (int16_t)a)) \
	X(s_mulk_i32, , 32, 32, d *(uint32_t)(int16_t)a, KEEP) \
	X(s_bitset0_b32, , 32, 32, d & ~(ONE << (a & 31)), KEEP) \
	X(s_bitset1_b32, , 32, 32, d | ONE << (a & 31), KEEP)
/* clang-format on */

#define DEFINE_VALUE(name, also, to, from, value, becomes) \
	static void name(struct wave *w, const struct inst *i) \
	{ \
		const uint##from##_t a = get##from(w, &i->op[1]), \
				     b = i->nops > 2 ? get##from(w, &i->op[2]) : 0; \
		const uint##to##_t d = get##to(w, &i->op[0]), r = (uint##to##_t)(value); \
		(void)b, (void)d; \
		w->scc = becomes; \
		set##to(w, &i->op[0], r); \
	}
#define DEFINE_LOGIC(name, also, value, becomes) \
	DEFINE_VALUE(name##_b32, , 32, 32, value, becomes) \
	DEFINE_VALUE(name##_b64, , 64, 64, value, becomes)
#define DEFINE_COUNT(name, also, value, becomes) \
	DEFINE_VALUE(name##_b32, , 32, 32, value, becomes) \
	DEFINE_VALUE(name##_b64, , 32, 64, value, becomes)
LOGIC(DEFINE_LOGIC)
COUNTS(DEFINE_COUNT)
VALUES(DEFINE_VALUE)
UPDATES(DEFINE_VALUE)

/* clang-format off */
/*
 * The new SCC, from the operands a and b. s_cmpk's constant has 16 bits, extended as the type is
 * signed or not.
 */
#define COMPARES(X, name, is) \
	X(s_cmp_##name##_i32, 32, SIGNED(a) is SIGNED(b)) X(s_cmp_##name##_u32, 32, a is b) \
	X(s_cmpk_##name##_i32, 32, SIGNED(a) is (int16_t)b) X(s_cmpk_##name##_u32, 32, a is (uint16_t)b)
#define TESTS(X) \
	COMPARES(X, eq, ==) COMPARES(X, lg, !=) COMPARES(X, gt, >) COMPARES(X, ge, >=) COMPARES(X, lt, <) COMPARES(X, le, <=) \
	X(s_cmp_eq_u64, 64, a == b) X(s_cmp_lg_u64, 64, a != b) X(s_bitcmp0_b32, 32, !(a >> (b & 31) & 1)) \
	X(s_bitcmp1_b32, 32, a >> (b & 31) & 1) X(s_bitcmp0_b64, 64, !(a >> (b & 63) & 1)) \
	X(s_bitcmp1_b64, 64, a >> (b & 63) & 1)
/* clang-format on */
#define DEFINE_TEST(name, n, value) \
	static void name(struct wave *w, const struct inst *i) \
	{ \
		const uint##n##_t a = get##n(w, &i->op[0]), b = get##n(w, &i->op[1]); \
		w->scc = value; \
	}
TESTS(DEFINE_TEST)

/* clang-format off */
/* The new EXEC, from the old one, e, and the source a; the destination gets the old EXEC. */
#define EXECS(X) \
	X(s_and_saveexec, , a & e) X(s_or_saveexec, , a | e) X(s_xor_saveexec, , a ^ e) \
	X(s_andn2_saveexec, s_and_not1_saveexec, a & ~e) X(s_orn2_saveexec, s_or_not1_saveexec, a | ~e) \
	X(s_nand_saveexec, , ~(a & e)) X(s_nor_saveexec, , ~(a | e)) X(s_xnor_saveexec, , ~(a ^ e))
/* clang-format on */
#define DEFINE_EXEC(name, also, value) \
	DEFINE_EXEC_OF(name##_b32, 32, value) \
	DEFINE_EXEC_OF(name##_b64, 64, value)
#define DEFINE_EXEC_OF(name, n, value) \
	static void name(struct wave *w, const struct inst *i) \
	{ \
		const struct operand exec = {.kind = OPERAND_SGPR, .reg = EXEC, .nregs = n / 32}; \
		const uint##n##_t e = get##n(w, &exec), a = get##n(w, &i->op[1]), r = value; \
		set##n(w, &i->op[0], e); \
		set##n(w, &exec, r); \
		w->scc = r != 0; \
	}
EXECS(DEFINE_EXEC)

/* ---- branches ---- */

static void go_to_target(struct wave *w, const struct inst *i)
{
	if (i->target < 0)
		wave_die(w, i, "branches out of the code");
	w->pc = &w->module->insts[i->target];
}
static uint64_t return_address(const struct wave *w, const struct inst *i)
{
	return w->module->base + i->offset + i->nbytes;
}

/* clang-format off */
#define BRANCHES(X) \
	X(s_branch, true) \
	X(s_cbranch_scc0, !w->scc) X(s_cbranch_scc1, w->scc) X(s_cbranch_vccz, !wave_mask(w, VCC)) \
		X(s_cbranch_vccnz, wave_mask(w, VCC)) X(s_cbranch_execz, !wave_exec(w)) \
			X(s_cbranch_execnz, wave_exec(w))
/* clang-format on */
#define DEFINE_BRANCH(name, taken) \
	static void name(struct wave *w, const struct inst *i) \
	{ \
		if (taken) \
			go_to_target(w, i); \
	}
BRANCHES(DEFINE_BRANCH)

/* ---- hardware registers ---- */

enum {
	HW_MODE = 1,
	HW_ID = 4,
	HW_SH_MEM_BASES = 15,
	HW_SHADER_CYCLES = 29,
	/* MODE at a kernel's start: all denormals, DX10_CLAMP, IEEE; 0 is rounding to nearest even */
	MODE_START = 0x3f0,
	MODE_FLOAT = 0xff,
	MESSAGE_GET_REALTIME = 131
};

static uint32_t code_word(const struct wave *w, const struct inst *i)
{
	uint32_t x;

	memcpy(&x, w->module->host + i->offset, sizeof(x));
	return x;
}
/*
 * Ticks of 100 MHz, of 25 on gfx90a. As on a GPU, the clock is not the host's: it started earlier, and gains.
 */
static uint64_t read_clock(void)
{
	struct timespec t;
	const unsigned tick_ns = config()->gpu == GFX90A ? 40 : 10;
	uint64_t ticks;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ticks = ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec) / tick_ns;
	return ticks + ticks / 20000 + UINT64_C(1000000000000);
}
static uint32_t read_hardware(const struct wave *w, unsigned id)
{
	switch (id) {
	case HW_MODE:
		return MODE_START | (w->gpr_idx ? UINT32_C(1) << 27 : 0);
	case HW_ID:
		return (uint32_t)w->block->cu << 8;
	case HW_SH_MEM_BASES:
		return (uint32_t)(APERTURE_PRIVATE >> 48 | APERTURE_LDS >> 48 << 16);
	case HW_SHADER_CYCLES:
		return read_clock() & 0xfffff;
	default:
		return 0;
	}
}
/* hwreg(id, at, nbits) is in bits 5:0, 10:6 and 15:11 of the code, with nbits minus 1. */
static uint32_t field_mask(uint32_t code)
{
	return (uint32_t)((UINT64_C(2) << (code >> 11 & 31)) - 1);
}
static uint32_t read_field(const struct wave *w, const struct inst *i)
{
	const uint32_t code = code_word(w, i);

	return read_hardware(w, code & 63) >> (code >> 6 & 31) & field_mask(code);
}
/* Allows bits of MODE to be set to those of value only if that changes nothing. */
static void change_mode(struct wave *w, const struct inst *i, uint32_t bits, uint32_t value)
{
	if (((MODE_START ^ value) & bits & MODE_FLOAT) != 0)
		wave_die(w, i, "sets a rounding or denormal mode other than a kernel's at its start");
}
static void write_field(struct wave *w, const struct inst *i)
{
	const uint32_t code = code_word(w, i), at = code >> 6 & 31;

	if ((code & 63) == HW_MODE)
		change_mode(w, i, field_mask(code) << at, get32(w, &i->op[i->nops - 1]) << at);
}
/* The message's number is in bits 7:0 of the code. */
static uint64_t ask_message(const struct wave *w, const struct inst *i)
{
	return (code_word(w, i) & 0xff) == MESSAGE_GET_REALTIME ? read_clock() : 0;
}
/*
 * To which operands the index applies: bits 11:8 of s_set_gpr_idx_on, 3:0 of _mode. M0 holds the index in
 * 7:0, and these bits in 15:12.
 */
static void set_gpr_idx(struct wave *w, uint32_t index, uint32_t bits)
{
	w->gpr_idx = (uint8_t)bits;
	w->s[M0] = (w->s[M0] & ~UINT32_C(0xf0ff)) | (index & 0xff) | bits << 12;
}

/* ---- the wave ---- */

static void stop(struct wave *w, enum wave_state state)
{
	w->state = state;
	w->yields = true;
}
/* Trap 3 is for the debugger: without one it just returns (AMDGPUUsage, "Trap Handler ABI"). */
static void trap(struct wave *w, const struct inst *i, unsigned number)
{
	if (number == 3)
		return;
	w->yields = true;
	wave_fault(w, i, DISPATCH_TRAPPED, "trap %u", number);
}
static void jump_and_link(struct wave *w, const struct inst *i, uint64_t to)
{
	set64(w, &i->op[0], return_address(w, i));
	wave_jump(w, i, to);
}

/* clang-format off */
/* Number of destinations, enum opcode_flags, and the function. d and s are the first operands. */
#define STATEMENTS(X) \
	X(s_getpc_b64, 1, 0, set64(w, d, return_address(w, i))) \
	X(s_setpc_b64, 0, OP_BRANCH, wave_jump(w, i, get64(w, d))) \
	X(s_swappc_b64, 1, OP_BRANCH, jump_and_link(w, i, get64(w, s))) \
	X(s_getreg_b32, 1, 0, set32(w, d, read_field(w, i))) X(s_setreg_b32, 0, 0, write_field(w, i)) \
	X(s_setreg_imm32_b32, 0, 0, write_field(w, i)) X(s_round_mode, 0, 0, change_mode(w, i, 0xf, d->imm32)) \
	X(s_denorm_mode, 0, 0, change_mode(w, i, 0xf0, d->imm32 << 4)) \
	X(s_set_gpr_idx_on, 0, 0, set_gpr_idx(w, get32(w, d), code_word(w, i) >> 8 & 15)) \
	X(s_set_gpr_idx_idx, 0, 0, w->s[M0] = (w->s[M0] & ~UINT32_C(0xff)) | (get32(w, d) & 0xff)) \
	X(s_set_gpr_idx_off, 0, 0, w->gpr_idx = 0) X(s_memtime, 1, 0, set64(w, d, read_clock())) \
	X(s_memrealtime, 1, 0, set64(w, d, read_clock())) \
	X(s_sendmsg_rtn_b32, 1, 0, set32(w, d, (uint32_t)ask_message(w, i))) \
	X(s_sendmsg_rtn_b64, 1, 0, set64(w, d, ask_message(w, i))) X(s_sleep, 0, 0, w->yields = true) \
	X(s_barrier, 0, 0, w->block->nbarrier++, stop(w, WAVE_AT_BARRIER)) \
	X(s_trap, 0, 0, trap(w, i, d->imm32 & 0xff)) X(s_endpgm, 0, OP_BRANCH, stop(w, WAVE_DONE))
#define NOTHING(X) \
	X(s_nop) X(s_code_end) X(s_clause) X(s_delay_alu) X(s_waitcnt_depctr) X(s_inst_prefetch) X(s_setprio) X(s_sethalt) \
	X(s_set_inst_prefetch_distance) X(s_wakeup) X(s_sendmsg) X(s_ttracedata) X(s_ttracedata_imm) X(s_version) X(v_nop) \
	X(ds_nop) X(s_waitcnt_expcnt) X(s_dcache_wb) X(s_dcache_wb_vol) X(s_icache_inv)
/* clang-format on */
#define DEFINE_STATEMENT(name, ndsts, flags, ...) \
	static void name(struct wave *w, const struct inst *i) \
	{ \
		const struct operand *d = &i->op[0], *s = &i->op[1]; \
		(void)d, (void)s; \
		__VA_ARGS__; \
	}
STATEMENTS(DEFINE_STATEMENT)
static void do_nothing(struct wave *w, const struct inst *i)
{
	(void)w, (void)i;
}

#define ROW_LOGIC(name, also, ...)             ROW(name##_b32, also##_b32, ) ROW(name##_b64, also##_b64, )
#define ROW_UPDATE(name, ...)                  ROW_OF(name, , name, 1, 0, OP_READS_DST)
#define ROW_TEST(name, ...)                    ROW_OF(name, , name, 0, 0, 0)
#define ROW_BRANCH(name, ...)                  ROW_OF(name, , name, 0, 0, OP_BRANCH)
#define ROW_STATEMENT(name, ndsts, flags, ...) ROW_OF(name, , name, ndsts, 0, flags)
#define ROW_NOTHING(name)                      ROW_OF(name, , do_nothing, 0, 0, 0)

/* clang-format off */
const struct opcode scalar_opcodes[] = {
	LOGIC(ROW_LOGIC) COUNTS(ROW_LOGIC) VALUES(ROW) UPDATES(ROW_UPDATE) TESTS(ROW_TEST) EXECS(ROW_LOGIC)
		BRANCHES(ROW_BRANCH) STATEMENTS(ROW_STATEMENT) NOTHING(ROW_NOTHING){NULL, NULL, 0, 0, 0}};
/* clang-format on */
