/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory instructions: global, flat, scratch, buffer (gfx90a's scratch), LDS, scalar loads, waits and cache
 * control. They compute and check addresses, and move data to and from registers. LDS and scratch are
 * accessed here, at once; caches.c accesses global memory. Operands are in the disassembler's order. Sources:
 * AMD's ISA documents of CDNA2, CDNA3 and RDNA3, and LLVM's AMDGPUUsage.
 */
#include "sim.h"

#include <string.h>

/*
 * opcode.arg of loads and stores: a format in bits 0 to 3, and above them a segment. Of atomics:
 * operation, segment, WIDE.
 */
enum format { U8, I8, U16, I16, B32, B64, B96, B128, LOW_U8, LOW_I8, LOW_16, HIGH_U8, HIGH_I8, HIGH_16 };
enum segment { GLOBAL, FLAT, LDS, SCRATCH, BUFFER };
enum { WIDE = 128 }; /* an atomic of 64 bits; in pairs: offsets count in 64 elements */

static const uint8_t format_bytes[] = {1, 1, 2, 2, 4, 8, 12, 16, 1, 1, 2, 1, 1, 2};

static bool is_gfx11(const struct wave *w)
{
	return w->module->gpu == GFX1100;
}

/* ---- registers ---- */

static void copy_rows(struct wave *w, unsigned reg, const struct access *a, unsigned nrows)
{
	uint64_t all = w->nlanes == 64 ? UINT64_MAX : UINT32_MAX;

	for (unsigned k = 0; k < nrows; k++)
		if (a->lanes == all)
			memcpy(w->v[reg + k], a->data[k], w->nlanes * sizeof(a->data[k][0]));
		else
			for (uint64_t m = a->lanes; m; m &= m - 1)
				w->v[reg + k][lowest(m)] = a->data[k][lowest(m)];
}

static void take_rows(const struct wave *w, unsigned reg, struct access *a, unsigned row, unsigned nrows)
{
	memcpy(a->data[row], w->v[reg], nrows * sizeof(a->data[0]));
}

static uint32_t convert(enum format format, uint32_t x, uint32_t old)
{
	switch (format) {
	case I8:
		return (uint32_t)(int8_t)x;
	case I16:
		return (uint32_t)(int16_t)x;
	case LOW_U8:
	case LOW_16:
		return (old & 0xffff0000) | x;
	case LOW_I8:
		return (old & 0xffff0000) | (uint16_t)(int8_t)x;
	case HIGH_U8:
	case HIGH_16:
		return (old & 0xffff) | x << 16;
	case HIGH_I8:
		return (old & 0xffff) | (uint32_t)(int8_t)x << 16;
	default:
		return x;
	}
}

static void fill_loaded(struct wave *w, const struct inst *i, const struct access *a)
{
	enum format format = i->opcode->arg & 15;
	uint32_t *to = w->v[i->op[0].reg];

	if (format >= B32 && format <= B128)
		copy_rows(w, i->op[0].reg, a, format_bytes[format] / 4);
	else
		for (uint64_t m = a->lanes; m; m &= m - 1)
			to[lowest(m)] = convert(format, a->data[0][lowest(m)], to[lowest(m)]);
}

static void fill_old(struct wave *w, const struct inst *i, const struct access *a)
{
	copy_rows(w, i->op[0].reg, a, a->nbytes / 4);
}

/* ---- addresses ---- */

static uint64_t scalar_value(const struct wave *w, const struct operand *o)
{
	if (o->kind == OPERAND_SGPR)
		return o->nregs > 1 ? wave_get64(w, o->reg) : w->s[o->reg];
	return o->kind == OPERAND_IMM ? o->imm64 : 0;
}

/*
 * Scratch through a buffer descriptor (gfx90a): its base is APERTURE_PRIVATE; soffset counts for the whole
 * wave, 64 times a lane's bytes, because the words of lanes are side by side in hardware. Other descriptors
 * are used as plain base addresses.
 */
static uint64_t buffer_base(const struct wave *w, const struct operand *descriptor)
{
	uint64_t base = wave_get64(w, descriptor->reg), offset = scalar_value(w, descriptor + 1);

	if (base >> 32 == APERTURE_PRIVATE >> 32)
		return base + offset / 64;
	return (base & ((UINT64_C(1) << 48) - 1)) + offset;
}

/*
 * Flat addresses. scalar: a scalar base, or a buffer's descriptor, after the vector operand or the data. LDS
 * and scratch addresses have 32 bits: compilers rely on a negative address plus its offset wrapping around.
 */
static void find_addresses(const struct wave *w, const struct inst *i, enum segment segment,
	const struct operand *vector, const struct operand *scalar, struct access *a)
{
	static const uint32_t zeros[LANES];
	bool is_vector = vector->kind == OPERAND_VGPR, local;
	const uint32_t *low = is_vector ? w->v[vector->reg] : zeros;
	const uint32_t *high = is_vector && vector->nregs > 1 ? w->v[vector->reg + 1] : zeros;
	uint64_t base = (uint64_t)(int64_t)i->imm_offset,
		 aperture = segment == LDS ? APERTURE_LDS : APERTURE_PRIVATE;

	if (segment == BUFFER)
		base += buffer_base(w, scalar);
	else if (segment == GLOBAL || segment == SCRATCH)
		base += scalar_value(w, scalar);
	local = segment == LDS || segment == SCRATCH ||
		(segment == BUFFER && base >> 32 == APERTURE_PRIVATE >> 32);
	for (unsigned l = 0; l < w->nlanes; l++)
		a->address[l] = base + (low[l] | (uint64_t)high[l] << 32);
	for (unsigned l = 0; local && l < w->nlanes; l++)
		a->address[l] = aperture | (uint32_t)a->address[l];
}

static bool is_lds(uint64_t address)
{
	return address >> 32 == APERTURE_LDS >> 32;
}

/* How many bytes there are from address on. */
static uint64_t bytes_at(struct wave *w, uint64_t address)
{
	unsigned nbytes = is_lds(address) ? w->block->lds_bytes : w->scratch_bytes;
	const struct range *r;

	if (is_lds(address) || address >> 32 == APERTURE_PRIVATE >> 32)
		return (uint32_t)address < nbytes ? nbytes - (uint32_t)address : 0;
	r = caches_range(w, address);
	return r ? r->base + r->nbytes - address : 0;
}

/*
 * False, after a message: there is no memory at a lane's address, or an atomic is not aligned. *local_p:
 * LDS or scratch.
 */
static bool check_lanes(struct wave *w, const struct inst *i, const struct access *a, uint64_t *local_p)
{
	unsigned align = a->kind == ACCESS_ATOMIC ? a->nbytes : 1;
	uint64_t from = 0, nbytes = 0; /* a range of global memory: an access that starts in it lies in it */

	*local_p = 0;
	for (uint64_t m = a->lanes; m; m &= m - 1) {
		uint64_t address = a->address[lowest(m)], there;
		bool aligned = !(address & (align - 1));

		if (address - from < nbytes && aligned)
			continue;
		there = bytes_at(w, address);
		if (there < a->nbytes || !aligned) {
			const char *why = there < a->nbytes ? "nothing is" : "an atomic is not aligned";

			wave_fault(w, i, DISPATCH_FAULTED, "lane %u: %s at address 0x%llx", lowest(m), why,
				(unsigned long long)address);
			return false;
		}
		if (address >= APERTURE_LDS) {
			*local_p |= m & -m;
		} else {
			from = address;
			nbytes = there - a->nbytes + 1;
		}
	}
	return true;
}

/* ---- vector memory and LDS ---- */

static void access_local(struct wave *w, struct access *a)
{
	unsigned nrows = (a->nbytes + 3) / 4, compare = a->op == ATOMIC_CMPSWAP ? nrows : 0;

	for (uint64_t m = a->lanes; m; m &= m - 1) {
		unsigned l = lowest(m);
		char *base =
			is_lds(a->address[l]) ? w->block->lds : w->scratch + (size_t)l * w->scratch_bytes;
		char *at = base + (uint32_t)a->address[l];
		uint32_t row[4] = {0};
		uint64_t old;

		for (unsigned k = 0; k < nrows && a->kind != ACCESS_LOAD; k++)
			row[k] = a->data[k][l];
		if (a->kind == ACCESS_ATOMIC) {
			old = atomic_apply(
				at, a->nbytes, a->op, access_word(a, 0, l), access_word(a, compare, l));
			memcpy(row, &old, sizeof(old));
		} else {
			memcpy(a->kind == ACCESS_STORE ? at : (char *)row,
				a->kind == ACCESS_STORE ? (char *)row : at, a->nbytes);
		}
		for (unsigned k = 0; k < nrows; k++)
			a->data[k][l] = row[k];
	}
}

/*
 * gfx9 counts everything in vmcnt; gfx11 counts what returns nothing in vscnt. Flat instructions
 * also count in lgkmcnt. On gfx9 they are out of order with others (AMDGPUUsage, "Memory Model
 * GFX942": if they access LDS), so that only a wait for 0 covers them; on gfx11 LLVM counts them
 * in order (GCNSubtarget::hasFlatLgkmVMemCountInOrder).
 */
static void count(struct wave *w, const struct inst *i, enum segment segment, bool fills)
{
	unsigned counters = segment == LDS ? COUNT_LGKM : is_gfx11(w) && !fills ? COUNT_VS : COUNT_VM;

	if (segment == FLAT)
		counters |= COUNT_LGKM | (is_gfx11(w) ? 0 : COUNT_UNORDERED);
	caches_count(w, i, counters | (fills ? COUNT_FILLS : 0));
}

/*
 * The caches that an instruction bypasses, by GPU and by its cache bits (sc0 or glc is 1, sc1 is 2). GFX942:
 * sc0 means the group, whose waves share an L1, sc1 the agent, both the system; buffer_inv and buffer_wbl2
 * have the same bits; for atomics sc0 means that they return. GFX90A, GFX10-GFX11: loads with glc bypass the
 * caches of a CU, and gfx1100's L1; atomics always do.
 */
static unsigned find_past(const struct wave *w, const struct inst *i, enum access_kind kind)
{
	static const uint8_t gfx942[] = {0, 0, CACHE_NEAR | CACHE_L2_AGENT, CACHE_NEAR | CACHE_L2};
	unsigned atomic = kind == ACCESS_ATOMIC;

	if (w->module->gpu == GFX942)
		return gfx942[atomic ? 2 + i->sc1 : i->sc0 + 2 * i->sc1];
	return atomic || i->glc ? CACHE_NEAR | CACHE_FAR : 0;
}

/* Does everything except reading and filling registers; done fills them, and may be NULL. */
static void access_lanes(
	struct wave *w, const struct inst *i, enum segment segment, struct access *a, access_done *done)
{
	uint64_t local, lanes = wave_exec(w);

	a->lanes = lanes;
	a->past = find_past(w, i, a->kind);
	if (!check_lanes(w, i, a, &local))
		return;
	if (local && segment == GLOBAL) {
		wave_fault(w, i, DISPATCH_FAULTED, "a global instruction has an address of LDS or scratch");
		return;
	}
	count(w, i, segment, done != NULL);
	a->lanes = local;
	if (local)
		access_local(w, a);
	if (local && done)
		done(w, i, a);
	a->lanes = lanes & ~local;
	if (a->lanes)
		caches_access(w, i, a, done);
}

typedef uint32_t four __attribute__((vector_size(16)));
typedef uint32_t eight __attribute__((vector_size(32)));
#define ZIP(a, b, n) __builtin_shufflevector(a, b, n, n + 8, n + 1, n + 9, n + 4, n + 12, n + 5, n + 13)

/* Transposes 4 by 4 words in each half of four vectors. */
static inline void transpose(eight *x)
{
	eight a = ZIP(x[0], x[2], 0), b = ZIP(x[0], x[2], 2), c = ZIP(x[1], x[3], 0), d = ZIP(x[1], x[3], 2);

	x[0] = ZIP(a, c, 0);
	x[1] = ZIP(a, c, 2);
	x[2] = ZIP(b, d, 0);
	x[3] = ZIP(b, d, 2);
}

/* 16 bytes of a lane, and of the fourth lane after it. */
static inline eight load_halves(const char *at)
{
	four low, high;

	memcpy(&low, at, sizeof(low));
	memcpy(&high, at + 64, sizeof(high));
	return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

static inline void store_halves(char *at, eight x)
{
	four low = __builtin_shufflevector(x, x, 0, 1, 2, 3),
	     high = __builtin_shufflevector(x, x, 4, 5, 6, 7);

	memcpy(at, &low, sizeof(low));
	memcpy(at + 64, &high, sizeof(high));
}

static void load_quads(uint32_t (*rows)[LANES], const char *at, unsigned nlanes)
{
	for (unsigned l = 0; l < nlanes; l += 8, at += 128) {
		eight x[] = {
			load_halves(at), load_halves(at + 16), load_halves(at + 32), load_halves(at + 48)};

		transpose(x);
		memcpy(&rows[0][l], &x[0], sizeof(x[0]));
		memcpy(&rows[1][l], &x[1], sizeof(x[0]));
		memcpy(&rows[2][l], &x[2], sizeof(x[0]));
		memcpy(&rows[3][l], &x[3], sizeof(x[0]));
	}
}

static void store_quads(uint32_t (*rows)[LANES], char *at, unsigned nlanes)
{
	for (unsigned l = 0; l < nlanes; l += 8, at += 128) {
		eight x[4];

		memcpy(&x[0], &rows[0][l], sizeof(x[0]));
		memcpy(&x[1], &rows[1][l], sizeof(x[0]));
		memcpy(&x[2], &rows[2][l], sizeof(x[0]));
		memcpy(&x[3], &rows[3][l], sizeof(x[0]));
		transpose(x);
		store_halves(at, x[0]);
		store_halves(at + 16, x[1]);
		store_halves(at + 32, x[2]);
		store_halves(at + 48, x[3]);
	}
}

/* Words of lanes that are side by side, nrows per lane. */
static void move_rows(uint32_t (*rows)[LANES], char *at, unsigned nrows, unsigned nlanes, bool store)
{
	if (nrows == 1)
		memcpy(store ? at : (char *)rows, store ? (char *)rows : at, nlanes * 4);
	else if (nrows == 4 && store)
		store_quads(rows, at, nlanes);
	else if (nrows == 4)
		load_quads(rows, at, nlanes);
	else
		for (unsigned n = 0; n < nlanes * nrows; n++) {
			char *row = (char *)&rows[n % nrows][n / nrows];

			memcpy(store ? at + n * 4 : row, store ? row : at + n * 4, 4);
		}
}

/*
 * A fast way for most copies: whole waves, side by side, aligned, in program order. False: this is not
 * such a copy.
 */
static bool move_whole(struct wave *w, const struct inst *i, enum segment segment,
	const struct operand *vector, uint32_t (*rows)[LANES], unsigned nbytes, bool store)
{
	const uint32_t *low = w->v[vector->reg], *high = vector->nregs > 1 ? w->v[vector->reg + 1] : NULL;
	uint64_t address = (uint64_t)(int64_t)i->imm_offset + low[0] + (high ? (uint64_t)high[0] << 32 : 0);
	unsigned span = w->nlanes * nbytes;
	const struct range *r;
	uint32_t differ = 0;

	if (segment > FLAT || config()->late || ~wave_exec(w) << (LANES - w->nlanes) ||
		low[0] > UINT32_MAX - span)
		return false;
	for (unsigned l = 0; l < w->nlanes; l++)
		differ |= low[l] - low[0] - l * nbytes;
	for (unsigned l = 0; high && l < w->nlanes; l++)
		differ |= high[l] - high[0];
	address += segment == GLOBAL ? scalar_value(w, &i->op[2]) : 0;
	r = differ || address & 3 ? NULL : caches_range(w, address);
	if (!r || r->base + r->nbytes - address < span)
		return false;
	count(w, i, segment, !store);
	move_rows(rows, memory_host(address), nbytes / 4, w->nlanes, store);
	return true;
}

/* Operands of a load: data, address; of a store: address, data, but for buffers data come first. */
static void run_move(struct wave *w, const struct inst *i)
{
	enum segment segment = i->opcode->arg >> 4;
	enum format format = i->opcode->arg & 15;
	bool load = i->opcode->ndsts, data_first = load || segment == BUFFER;
	const struct operand *vector = &i->op[data_first], *data = &i->op[!data_first];
	struct access a;

	a.kind = load ? ACCESS_LOAD : ACCESS_STORE;
	a.op = ATOMIC_ADD;
	a.nbytes = format_bytes[format];
	if (format >= B32 && format <= B128 && vector->kind == OPERAND_VGPR &&
		move_whole(w, i, segment, vector, w->v + data->reg, a.nbytes, !load))
		return;
	find_addresses(w, i, segment, vector, &i->op[2], &a);
	if (!load)
		take_rows(w, data->reg, &a, 0, (a.nbytes + 3) / 4);
	for (unsigned l = 0; !load && format >= HIGH_U8 && l < w->nlanes; l++)
		a.data[0][l] >>= 16;
	access_lanes(w, i, segment, &a, load ? fill_loaded : NULL);
}

/*
 * Operands: the old value if it returns that, address, data. cmpswap's second data word is what
 * it compares with.
 */
static void run_atomic(struct wave *w, const struct inst *i)
{
	enum segment segment = i->opcode->arg >> 5 & 3;
	unsigned first = i->ndsts, nrows;
	const struct operand *data = &i->op[first + 1];
	struct access a;

	a.kind = ACCESS_ATOMIC;
	a.op = i->opcode->arg & 31;
	a.nbytes = i->opcode->arg & WIDE ? 8 : 4;
	nrows = a.nbytes / 4;
	find_addresses(w, i, segment, &i->op[first], &i->op[first + 2], &a);
	if (a.op == ATOMIC_CMPSWAP && segment == LDS) {
		/* gfx9's ds_cmpst has first what it compares with, gfx11's ds_cmpstore what it stores. */
		take_rows(w, data[!is_gfx11(w)].reg, &a, 0, nrows);
		take_rows(w, data[is_gfx11(w)].reg, &a, nrows, nrows);
	} else {
		take_rows(w, data->reg, &a, 0, a.op == ATOMIC_CMPSWAP ? 2 * nrows : nrows);
	}
	access_lanes(w, i, segment, &a, first ? fill_old : NULL);
}

/* ds_read2 and the like. arg: bytes of each. */
static void run_pair(struct wave *w, const struct inst *i)
{
	unsigned nbytes = i->opcode->arg & 15, load = i->opcode->ndsts;
	unsigned unit = nbytes * (i->opcode->arg & WIDE ? 64 : 1);
	struct access a[2];
	uint64_t local;

	for (unsigned k = 0; k < 2; k++) {
		find_addresses(w, i, LDS, &i->op[load], NULL, &a[k]);
		for (unsigned l = 0; l < w->nlanes; l++)
			a[k].address[l] += (k ? i->offset1 : i->offset0) * unit;
		a[k].kind = load ? ACCESS_LOAD : ACCESS_STORE;
		a[k].op = ATOMIC_ADD;
		a[k].nbytes = nbytes;
		a[k].lanes = wave_exec(w);
		if (!check_lanes(w, i, &a[k], &local))
			return;
		if (!load)
			take_rows(w, i->op[1 + k].reg, &a[k], 0, nbytes / 4);
		access_local(w, &a[k]);
	}
	for (unsigned k = 0; load && k < 2; k++)
		copy_rows(w, i->op[0].reg + k * nbytes / 4, &a[k], nbytes / 4);
	count(w, i, LDS, load);
}

/*
 * The lane that ds_swizzle_b32 gives lane l; the offset's modes are in CDNA3's
 * ISA document, "DS_SWIZZLE_B32".
 */
static unsigned swizzled_lane(unsigned offset, unsigned l)
{
	unsigned group = l & ~31u, x = l % 32, middle = offset >> 5 & 31, keep = offset & 31;

	if (offset >> 14 == 3) /* rotate, by up to 31 to either side */
		return group | (x & keep) | ((x + (offset & 1024 ? 32 - middle : middle)) & 31 & ~keep);
	if (offset >> 15)
		return (l & ~3u) | (offset >> l % 4 * 2 & 3);
	return group | ((((x & keep) | middle) ^ (offset >> 10)) & 31);
}

enum { SWIZZLE, PERMUTE, BPERMUTE };

/* Inactive lanes give 0. The text has a swizzle's offset in words; it is the low 16 bits of the code. */
static void run_permute(struct wave *w, const struct inst *i)
{
	unsigned how = i->opcode->arg;
	const uint32_t *data = w->v[i->op[how == SWIZZLE ? 1 : 2].reg], *address = w->v[i->op[1].reg];
	uint64_t exec = wave_exec(w);
	uint32_t new[LANES] = {0};
	uint16_t pattern = 0;

	memcpy(&pattern, w->module->host + i->offset, sizeof pattern);
	for (uint64_t m = exec; m; m &= m - 1) {
		unsigned l = lowest(m), other = swizzled_lane(pattern, l);

		if (how != SWIZZLE)
			other = (address[l] + (unsigned)i->imm_offset) / 4 % w->nlanes;
		if (how == PERMUTE)
			new[other] = data[l];
		else if (exec >> other & 1)
			new[l] = data[other];
	}
	for (uint64_t m = exec; m; m &= m - 1)
		w->v[i->op[0].reg][lowest(m)] = new[lowest(m)];
	count(w, i, LDS, true);
}

/*
 * One wave of each block of a grid arrives. wave.c knows how many there are, so that ds_gws_init (arg 0) has
 * nothing to do.
 */
static void run_gws(struct wave *w, const struct inst *i)
{
	count(w, i, LDS, false);
	if (!i->opcode->arg)
		return;
	w->state = WAVE_AT_GWS;
	w->yields = true;
}

/* ---- scalar loads, waits, cache control ---- */

/* Operands: destination, base or descriptor, offset. arg: dwords. */
static void run_scalar_load(struct wave *w, const struct inst *i)
{
	uint64_t mask = i->op[1].nregs == 4 ? (UINT64_C(1) << 48) - 1 : UINT64_MAX;
	uint64_t address = (wave_get64(w, i->op[1].reg) & mask) + scalar_value(w, &i->op[2]);

	address = (address + (uint64_t)(int64_t)i->imm_offset) & ~UINT64_C(3);
	if (address >= APERTURE_LDS || bytes_at(w, address) < i->opcode->arg * 4u) {
		wave_fault(
			w, i, DISPATCH_FAULTED, "nothing is at address 0x%llx", (unsigned long long)address);
		return;
	}
	caches_count(w, i, COUNT_LGKM | COUNT_UNORDERED | COUNT_FILLS);
	caches_scalar_load(w, address, i->opcode->arg, &w->s[i->op[0].reg]);
}

/* arg: the counter that s_waitcnt_vscnt null, 0x0 and the like wait for; 0: s_waitcnt. */
static void run_wait(struct wave *w, const struct inst *i)
{
	const int limits[] = {i->vmcnt, i->lgkmcnt, i->vscnt}; /* in the order of COUNT_VM and so on */
	unsigned which = i->opcode->arg;
	int n[3];

	for (unsigned k = 0; k < 3; k++)
		n[k] = !which ? limits[k] : which >> k & 1 ? (int)i->op[1].imm32 : -1;
	if (caches_wait(w, n[0], n[1], n[2]))
		return;
	w->pc = i;
	w->yields = w->moves = true;
}

/* gfx90a's has no bits: it is at system scope. It is out of order with others: LLVM waits for vmcnt(0). */
static void run_writeback(struct wave *w, const struct inst *i)
{
	struct access a = {.kind = ACCESS_WRITEBACK, .past = CACHE_L2};

	if (w->module->gpu == GFX942)
		a.past = find_past(w, i, ACCESS_WRITEBACK);
	caches_count(w, i, COUNT_VM | COUNT_UNORDERED);
	caches_access(w, i, &a, NULL);
}

/* arg: the caches; 0: buffer_inv, whose bits name them. */
static void run_invalidate(struct wave *w, const struct inst *i)
{
	caches_invalidate(w, i->opcode->arg ? i->opcode->arg : find_past(w, i, ACCESS_LOAD));
}

/* ---- the table: gfx9's name, then gfx11's ---- */

/*
 * When loads of halves are done they keep the other half of the register as it then is: LLVM lets them follow
 * an earlier load of the same register without a wait, because loads return in order.
 */
#define MOVE(ndsts, flags, format, s, name9, name11) \
	{name9, run_move, ndsts, (format) | (s) << 4, flags}, \
	{ \
		name11, run_move, ndsts, (format) | (s) << 4, flags \
	}
#define LOAD(p, name9, name11, format, s)  MOVE(1, OP_LOAD, format, s, p name9, p name11)
#define STORE(p, name9, name11, format, s) MOVE(0, 0, format, s, p name9, p name11)
#define LOADS_AND_STORES(p, s) \
	LOAD(p, "load_ubyte", "load_u8", U8, s), LOAD(p, "load_sbyte", "load_i8", I8, s), \
		LOAD(p, "load_ushort", "load_u16", U16, s), LOAD(p, "load_sshort", "load_i16", I16, s), \
		LOAD(p, "load_dword", "load_b32", B32, s), LOAD(p, "load_dwordx2", "load_b64", B64, s), \
		LOAD(p, "load_dwordx3", "load_b96", B96, s), LOAD(p, "load_dwordx4", "load_b128", B128, s), \
		LOAD(p, "load_ubyte_d16", "load_d16_u8", LOW_U8, s), \
		LOAD(p, "load_sbyte_d16", "load_d16_i8", LOW_I8, s), \
		LOAD(p, "load_short_d16", "load_d16_b16", LOW_16, s), \
		LOAD(p, "load_ubyte_d16_hi", "load_d16_hi_u8", HIGH_U8, s), \
		LOAD(p, "load_sbyte_d16_hi", "load_d16_hi_i8", HIGH_I8, s), \
		LOAD(p, "load_short_d16_hi", "load_d16_hi_b16", HIGH_16, s), \
		STORE(p, "store_byte", "store_b8", U8, s), STORE(p, "store_short", "store_b16", U16, s), \
		STORE(p, "store_dword", "store_b32", B32, s), \
		STORE(p, "store_dwordx2", "store_b64", B64, s), \
		STORE(p, "store_dwordx3", "store_b96", B96, s), \
		STORE(p, "store_dwordx4", "store_b128", B128, s), \
		STORE(p, "store_byte_d16_hi", "store_d16_hi_b8", HIGH_U8, s), \
		STORE(p, "store_short_d16_hi", "store_d16_hi_b16", HIGH_16, s)

/* Bits say whether atomics return; for LDS, the name does. */
#define GLOBAL_ATOMIC(name, op, s) \
	{ \
		name, run_atomic, 0, (op) | (s) << 5, OP_LOAD | OP_RETURNS \
	}
#define LDS_ATOMIC(name, suffix, op) \
	{name suffix, run_atomic, 0, (op) | LDS << 5, 0}, \
	{ \
		name "_rtn" suffix, run_atomic, 1, (op) | LDS << 5, OP_LOAD \
	}
#define LDS_ATOMICS(name, type, op) LDS_ATOMIC(name, type "32", op), LDS_ATOMIC(name, type "64", (op) | WIDE)
#define ATOMICS(p, name9, name11, type, op, s) \
	GLOBAL_ATOMIC(p name9, op, s), GLOBAL_ATOMIC(p name9 "_x2", (op) | WIDE, s), \
		GLOBAL_ATOMIC(p name11 type "32", op, s), GLOBAL_ATOMIC(p name11 type "64", (op) | WIDE, s)
#define ALL_ATOMICS(p, s) \
	ATOMICS(p, "add", "add", "_u", ATOMIC_ADD, s), ATOMICS(p, "sub", "sub", "_u", ATOMIC_SUB, s), \
		ATOMICS(p, "and", "and", "_b", ATOMIC_AND, s), ATOMICS(p, "or", "or", "_b", ATOMIC_OR, s), \
		ATOMICS(p, "xor", "xor", "_b", ATOMIC_XOR, s), \
		ATOMICS(p, "swap", "swap", "_b", ATOMIC_SWAP, s), \
		ATOMICS(p, "cmpswap", "cmpswap", "_b", ATOMIC_CMPSWAP, s), \
		ATOMICS(p, "smin", "min", "_i", ATOMIC_SMIN, s), \
		ATOMICS(p, "umin", "min", "_u", ATOMIC_UMIN, s), \
		ATOMICS(p, "smax", "max", "_i", ATOMIC_SMAX, s), \
		ATOMICS(p, "umax", "max", "_u", ATOMIC_UMAX, s), GLOBAL_ATOMIC(p "add_f32", ATOMIC_FADD, s), \
		GLOBAL_ATOMIC(p "add_f64", ATOMIC_FADD | WIDE, s)

#define PAIR(name9, name11, suffix, is_load, arg, flags) \
	{name9 suffix, run_pair, is_load, arg, flags}, \
	{ \
		name11 suffix, run_pair, is_load, arg, flags \
	}
#define PAIRS(name9, name11, is_load, flags) \
	PAIR(name9, name11, "_b32", is_load, 4, flags), PAIR(name9, name11, "_b64", is_load, 8, flags), \
		PAIR(name9 "st64", name11 "_stride64", "_b32", is_load, 4 | WIDE, flags), \
		PAIR(name9 "st64", name11 "_stride64", "_b64", is_load, 8 | WIDE, flags)
#define SCALAR_LOAD(p, name9, name11, ndwords) \
	{p name9, run_scalar_load, 1, ndwords, OP_LOAD}, \
	{ \
		p name11, run_scalar_load, 1, ndwords, OP_LOAD \
	}
#define SCALAR_LOADS(p) \
	SCALAR_LOAD(p, "dword", "b32", 1), SCALAR_LOAD(p, "dwordx2", "b64", 2), \
		SCALAR_LOAD(p, "dwordx4", "b128", 4), SCALAR_LOAD(p, "dwordx8", "b256", 8), \
		SCALAR_LOAD(p, "dwordx16", "b512", 16)

const struct opcode memory_opcodes[] = {LOADS_AND_STORES("global_", GLOBAL), LOADS_AND_STORES("flat_", FLAT),
	LOADS_AND_STORES("scratch_", SCRATCH), LOADS_AND_STORES("buffer_", BUFFER),
	ALL_ATOMICS("global_atomic_", GLOBAL), ALL_ATOMICS("flat_atomic_", FLAT),
	LOAD("ds_", "read_u8", "load_u8", U8, LDS), LOAD("ds_", "read_i8", "load_i8", I8, LDS),
	LOAD("ds_", "read_u16", "load_u16", U16, LDS), LOAD("ds_", "read_i16", "load_i16", I16, LDS),
	LOAD("ds_", "read_b32", "load_b32", B32, LDS), LOAD("ds_", "read_b64", "load_b64", B64, LDS),
	LOAD("ds_", "read_b96", "load_b96", B96, LDS), LOAD("ds_", "read_b128", "load_b128", B128, LDS),
	LOAD("ds_", "read_u8_d16", "load_u8_d16", LOW_U8, LDS),
	LOAD("ds_", "read_u16_d16", "load_u16_d16", LOW_16, LDS),
	LOAD("ds_", "read_u8_d16_hi", "load_u8_d16_hi", HIGH_U8, LDS),
	LOAD("ds_", "read_u16_d16_hi", "load_u16_d16_hi", HIGH_16, LDS),
	STORE("ds_", "write_b8", "store_b8", U8, LDS), STORE("ds_", "write_b16", "store_b16", U16, LDS),
	STORE("ds_", "write_b32", "store_b32", B32, LDS), STORE("ds_", "write_b64", "store_b64", B64, LDS),
	STORE("ds_", "write_b96", "store_b96", B96, LDS), STORE("ds_", "write_b128", "store_b128", B128, LDS),
	STORE("ds_", "write_b8_d16_hi", "store_b8_d16_hi", HIGH_U8, LDS),
	STORE("ds_", "write_b16_d16_hi", "store_b16_d16_hi", HIGH_16, LDS),
	PAIRS("ds_read2", "ds_load_2addr", 1, OP_LOAD), PAIRS("ds_write2", "ds_store_2addr", 0, 0),
	LDS_ATOMICS("ds_add", "_u", ATOMIC_ADD), LDS_ATOMICS("ds_sub", "_u", ATOMIC_SUB),
	LDS_ATOMICS("ds_and", "_b", ATOMIC_AND), LDS_ATOMICS("ds_or", "_b", ATOMIC_OR),
	LDS_ATOMICS("ds_xor", "_b", ATOMIC_XOR), LDS_ATOMICS("ds_min", "_i", ATOMIC_SMIN),
	LDS_ATOMICS("ds_min", "_u", ATOMIC_UMIN), LDS_ATOMICS("ds_max", "_i", ATOMIC_SMAX),
	LDS_ATOMICS("ds_max", "_u", ATOMIC_UMAX), LDS_ATOMICS("ds_add", "_f", ATOMIC_FADD),
	LDS_ATOMICS("ds_cmpst", "_b", ATOMIC_CMPSWAP), LDS_ATOMICS("ds_cmpstore", "_b", ATOMIC_CMPSWAP),
	LDS_ATOMICS("ds_wrxchg", "_b", ATOMIC_SWAP), LDS_ATOMICS("ds_storexchg", "_b", ATOMIC_SWAP),
	{"ds_swizzle_b32", run_permute, 1, SWIZZLE, OP_LOAD},
	{"ds_permute_b32", run_permute, 1, PERMUTE, OP_LOAD},
	{"ds_bpermute_b32", run_permute, 1, BPERMUTE, OP_LOAD}, {"ds_gws_init", run_gws, 0, 0, 0},
	{"ds_gws_barrier", run_gws, 0, 1, 0},

	SCALAR_LOADS("s_load_"), SCALAR_LOADS("s_buffer_load_"), {"s_waitcnt", run_wait, 0, 0, 0},
	{"s_waitcnt_vmcnt", run_wait, 0, COUNT_VM, 0}, {"s_waitcnt_lgkmcnt", run_wait, 0, COUNT_LGKM, 0},
	{"s_waitcnt_vscnt", run_wait, 0, COUNT_VS, 0}, {"buffer_wbl2", run_writeback, 0, 0, 0},
	{"buffer_inv", run_invalidate, 0, 0, 0}, {"buffer_wbinvl1", run_invalidate, 0, CACHE_NEAR, 0},
	{"buffer_wbinvl1_vol", run_invalidate, 0, CACHE_NEAR, 0},
	{"buffer_invl2", run_invalidate, 0, CACHE_L2, 0},
	{"buffer_gl0_inv", run_invalidate, 0, CACHE_NEAR, 0},
	{"buffer_gl1_inv", run_invalidate, 0, CACHE_FAR, 0},
	{"s_dcache_inv", run_invalidate, 0, CACHE_SCALAR, 0},
	{"s_dcache_inv_vol", run_invalidate, 0, CACHE_SCALAR, 0}, {NULL, NULL, 0, 0, 0}};
