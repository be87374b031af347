/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each memory instruction of the simulator does the same as a second definition, which works on bytes: loads
 * and stores of all formats, atomics, LDS, permutes and scalar loads, with memory in program order. An
 * instruction is assembled with each kind of address that it may have. It runs with random addresses, data
 * and EXEC, and all registers and all memory are compared.
 *
 *   memory GPU FOLDER [-f]     adds to FOLDER/GPU.untested: names of opcodes that did not run.
 *                              -f: flip a bit of what each opcode loads or stores: its runs must notice
 */
#include "snippets.h"

#include "../../tools/amdsim/hip.h"

/*
 * v0, v1: address, v2: offset, v4 to v7: data, v8 to v11: result; s16, s17: base, s20 to
 * s24: buffer, s32 to s47: result.
 */
enum {
	NROWS = 12,
	ADDRESS = 0,
	OFFSET = 2,
	DATA = 4,
	RESULT = 8,
	BASE = 16,
	BUFFER = 20,
	SOFFSET = 24,
	SCALARS = 32
};
enum { AREA = 8192, SCRATCH = 256, MAX_SNIPPETS = 1500, NTRIALS = 12 };

enum area { GLOBAL, LDS, PRIVATE };
enum kind { LOAD, STORE, ATOMIC, PAIR, PERMUTE, SCALAR };
enum part { WHOLE, LOW, HIGH }; /* of the register: the other half stays */

struct snippet {
	char text[160], op[24]; /* op: of an atomic "umin", of a permute its name */
	enum kind kind;
	/* of the address: v: v0, v1; o: v2; s: scalar; b, B: buffer of scratch, of global; f: flat */
	char form;
	unsigned nbytes, unit; /* of a lane, or dwords; of a pair, what its offsets count */
	int offset, offset1;
	bool is_signed, returns, loads; /* loads: a pair that does */
	enum part part;
	enum area area;
	const struct opcode *opcode;
};
struct memory {
	uint8_t global[AREA], lds[AREA], scratch[LANES][SCRATCH];
};
struct state {
	uint32_t v[NROWS][LANES], s[NSGPRS];
	struct memory memory;
};

static struct {
	enum gpu gpu;
	unsigned nlanes, nsnippets, nruns;
	struct snippet snippets[MAX_SNIPPETS];
	struct module *module;
	uint64_t device; /* where global memory lies */
	struct block block;
	struct wave wave;
	char scratch[LANES * SCRATCH];
} t;

static bool is_gfx11(void)
{
	return t.gpu == GFX1100;
}

/* ---- instructions as text ---- */

static const char *registers(char file, unsigned reg, unsigned n)
{
	static char text[8][16];
	static unsigned k;
	char *to = text[k++ % 8];

	snprintf(to, 16, n == 1 ? "%c%u" : "%c[%u:%u]", file, reg, reg + n - 1);
	return to;
}
/* Text of an instruction with operands in the order of its segment; result and data may be NULL. */
static void add(struct snippet n, const char *name, const char *result, const char *data)
{
	const char *address =
		n.form == 'v' || n.form == 'f' ? registers('v', ADDRESS, 2) : registers('v', OFFSET, 1);
	const char *base = n.form == 'v' ? ", off" : n.form == 'f' || *name == 'd' ? "" : ", s[16:17]";
	const char *returns = t.gpu == GFX942 ? " sc0" : " glc";

	if (*name == 's' && name[1] == 'c') { /* scratch: of a lane, or of all */
		address = n.form == 's' ? "off" : address;
		base = n.form == 's' ? ", s24" : ", off";
	}
	append(&n, "%s ", name);
	if ((n.form | 32) == 'b')
		append(&n, "%s, v2, s[20:23], s24 offen", result ? result : data);
	else if (result)
		append(&n, "%s, %s%s%s%s", result, address, data ? ", " : "", data ? data : "", base);
	else
		append(&n, "%s, %s%s", address, data, base);
	if (n.kind == PAIR)
		append(&n, " offset0:%d offset1:%d", n.offset, n.offset1);
	else if (n.offset)
		append(&n, " offset:%d", n.offset);
	append(&n, "%s", n.kind == ATOMIC && n.returns && *name != 'd' ? returns : "");
	n.opcode = opcode_find(name);
	if (!n.opcode)
		die("%s is in no table", name);
	t.snippets[t.nsnippets++] = n;
}

/* ---- the list ---- */

static const struct format {
	/* gfx9's and gfx11's; lds: what is behind ds_read_ and ds_load_ */
	const char *load[2], *store[2], *lds;
	unsigned nbytes;
	bool is_signed;
	enum part part;
} formats[] = {
	{{"ubyte", "u8"}, {"byte", "b8"}, "u8", 1, false, WHOLE},
	{{"sbyte", "i8"}, {NULL}, "i8", 1, true, WHOLE},
	{{"ushort", "u16"}, {"short", "b16"}, "u16", 2, false, WHOLE},
	{{"sshort", "i16"}, {NULL}, "i16", 2, true, WHOLE},
	{{"dword", "b32"}, {"dword", "b32"}, "b32", 4, false, WHOLE},
	{{"dwordx2", "b64"}, {"dwordx2", "b64"}, "b64", 8, false, WHOLE},
	{{"dwordx3", "b96"}, {"dwordx3", "b96"}, "b96", 12, false, WHOLE},
	{{"dwordx4", "b128"}, {"dwordx4", "b128"}, "b128", 16, false, WHOLE},
	{{"ubyte_d16", "d16_u8"}, {NULL}, "u8_d16", 1, false, LOW},
	{{"sbyte_d16", "d16_i8"}, {NULL}, NULL, 1, true, LOW},
	{{"short_d16", "d16_b16"}, {NULL}, "u16_d16", 2, false, LOW},
	{{"ubyte_d16_hi", "d16_hi_u8"}, {"byte_d16_hi", "d16_hi_b8"}, "u8_d16_hi", 1, false, HIGH},
	{{"sbyte_d16_hi", "d16_hi_i8"}, {NULL}, NULL, 1, true, HIGH},
	{{"short_d16_hi", "d16_hi_b16"}, {"short_d16_hi", "d16_hi_b16"}, "u16_d16_hi", 2, false, HIGH},
};
static const char *const atomics[][2] = {
	/* gfx9's operation; the same of gfx11 and LDS, with a type */
	{"add", "add_u"},
	{"sub", "sub_u"},
	{"and", "and_b"},
	{"or", "or_b"},
	{"xor", "xor_b"},
	{"swap", "swap_b"},
	{"cmpswap", "cmpswap_b"},
	{"smin", "min_i"},
	{"umin", "min_u"},
	{"smax", "max_i"},
	{"umax", "max_u"},
	{"fadd", "add_f"},
};

static void add_moves(const char *segment, const char *forms)
{
	char name[64];

	for (const char *form = forms; *form; form++)
		for (const struct format *f = formats; f < formats + COUNT(formats); f++) {
			const unsigned nregs = (f->nbytes + 3) / 4;
			const bool lds = *segment == 'd';
			const char *stored = lds ? f->lds : f->store[is_gfx11()];
			struct snippet n = {.kind = LOAD,
				.form = *form,
				.nbytes = f->nbytes,
				.is_signed = f->is_signed,
				.part = f->part,
				.area = lds                                            ? LDS
					: *form == 'b' || !strcmp(segment, "scratch_") ? PRIVATE
										       : GLOBAL};

			n.offset = (int)choose(100) * (*form == 'v' && choose(2) ? -1 : 1);
			snprintf(name, sizeof(name), "%s%s%s", segment,
				is_gfx11()    ? "load_"
					: lds ? "read_"
					      : "load_",
				lds ? f->lds : f->load[is_gfx11()]);
			if (!lds || f->lds)
				add(n, name, registers('v', RESULT, nregs), NULL);
			n.kind = STORE;
			snprintf(name, sizeof(name), "%s%s%s", segment,
				is_gfx11() || !lds ? "store_" : "write_", stored ? stored : "");
			if (lds && stored && *stored == 'u') /* LDS stores bits */
				*strrchr(name, 'u') = 'b';
			if (stored && !f->is_signed && (!lds || f->part != LOW))
				add(n, name, NULL, registers('v', DATA, nregs));
		}
}
/* LDS has different names, and no swap without a result; only CDNA has float64. */
static void add_atomics(const char *segment, const char *forms)
{
	const bool lds = *segment == 'd';

	for (unsigned k = 0; k < COUNT(atomics) * 4 * strlen(forms); k++) {
		const char *op = atomics[k / 4 % COUNT(atomics)][0],
			   *typed = atomics[k / 4 % COUNT(atomics)][1];
		const bool swap = !strcmp(op, "swap"), compares = !strcmp(op, "cmpswap"),
			   is_float = !strcmp(op, "fadd");
		struct snippet n = {.kind = ATOMIC,
			.form = forms[k / 4 / COUNT(atomics)],
			.nbytes = k & 1 ? 8 : 4,
			.returns = k >> 1 & 1,
			.area = lds ? LDS : GLOBAL,
			.offset = 8 * (int)choose(10)};
		const unsigned nregs = n.nbytes / 4;
		char name[64], data[40];

		if (is_float && (k & 1 ? is_gfx11() : t.gpu == GFX90A && *segment == 'f'))
			continue;
		snprintf(n.op, sizeof(n.op), "%s", op);
		snprintf(data, sizeof(data), "%s", registers('v', DATA, compares ? 2 * nregs : nregs));
		if (lds && compares)
			snprintf(data, sizeof(data), "%s, %s", registers('v', DATA, nregs),
				registers('v', DATA + 2, nregs));
		if (lds && swap && !n.returns)
			continue;
		if (lds && (swap || compares))
			typed = swap         ? (is_gfx11() ? "storexchg_b" : "wrxchg_b")
				: is_gfx11() ? "cmpstore_b"
					     : "cmpst_b";
		if (lds)
			snprintf(name, sizeof(name), "ds_%.*s%s_%c%u", (int)strcspn(typed, "_"), typed,
				n.returns ? "_rtn" : "", typed[strlen(typed) - 1], 8 * n.nbytes);
		else if (is_gfx11() || is_float)
			snprintf(name, sizeof(name), "%satomic_%s%u", segment, typed, 8 * n.nbytes);
		else
			snprintf(name, sizeof(name), "%satomic_%s%s", segment, op, k & 1 ? "_x2" : "");
		add(n, name, n.returns ? registers('v', RESULT, nregs) : NULL, data);
	}
}
static void add_others(void)
{
	static const char *const sizes[][2] = {{"dword", "b32"}, {"dwordx2", "b64"}, {"dwordx4", "b128"},
		{"dwordx8", "b256"}, {"dwordx16", "b512"}};
	char name[64];

	for (unsigned k = 0; k < 8; k++) { /* pairs */
		const unsigned nbytes = k & 1 ? 8 : 4, stride = k & 2;
		struct snippet n = {.kind = PAIR,
			.form = 'o',
			.nbytes = nbytes,
			.unit = nbytes * (stride ? 64 : 1),
			.area = LDS,
			.loads = k & 4,
			.offset = (int)choose(stride ? 3 : 99),
			.offset1 = (int)choose(stride ? 3 : 99)};
		char data[40];

		snprintf(name, sizeof(name), is_gfx11() ? "ds_%s_2addr%s_b%u" : "ds_%s2%s_b%u",
			is_gfx11()        ? (n.loads ? "load" : "store")
				: n.loads ? "read"
					  : "write",
			stride ? (is_gfx11() ? "_stride64" : "st64") : "", 8 * nbytes);
		snprintf(data, sizeof(data), "%s, %s", registers('v', DATA, nbytes / 4),
			registers('v', DATA + 2, nbytes / 4));
		add(n, name, n.loads ? registers('v', RESULT, nbytes / 2) : NULL, n.loads ? NULL : data);
	}
	for (unsigned k = 0; k < 12; k++) { /* permutes: a swizzle's offset is its pattern */
		static const char *const names[] = {"ds_permute_b32", "ds_bpermute_b32", "ds_swizzle_b32"};
		struct snippet n = {.kind = PERMUTE, .form = 'o', .nbytes = 4};

		strcpy(n.op, names[k % 3] + 3);
		n.offset = *n.op == 's' ? (int)(k & 1 ? 0x8000 | choose(256) : choose(0x8000))
					: 4 * (int)choose(8);
		add(n, names[k % 3], "v8", *n.op == 's' ? NULL : "v4");
	}
	for (unsigned k = 0; k < 2 * COUNT(sizes); k++) {
		struct snippet n = {.kind = SCALAR,
			.form = k % 2 ? 'b' : 's',
			.nbytes = 4u << k / 2,
			.offset = 4 * (int)choose(200)};

		snprintf(name, sizeof(name), k % 2 ? "s_buffer_load_%s" : "s_load_%s",
			sizes[k / 2][is_gfx11()]);
		append(&n, "%s %s, %s, 0x%x", name, registers('s', SCALARS, n.nbytes / 4),
			k % 2 ? "s[20:23]" : "s[16:17]", (unsigned)n.offset);
		n.opcode = opcode_find(name);
		t.snippets[t.nsnippets++] = n;
	}
}

/* ---- what should be ---- */

static uint8_t *byte_at(struct memory *m, enum area area, unsigned lane, unsigned offset)
{
	return area == GLOBAL ? &m->global[offset]
		: area == LDS ? &m->lds[offset]
			      : &m->scratch[lane][offset];
}
static uint64_t word_of(const struct state *s, unsigned reg, unsigned lane, unsigned nbytes)
{
	return s->v[reg][lane] | (nbytes == 8 ? (uint64_t)s->v[reg + 1][lane] << 32 : 0);
}
static uint64_t operate(const char *op, unsigned nbytes, uint64_t is, uint64_t by, uint64_t compare)
{
	const unsigned above = 64 - 8 * nbytes;
	const int64_t a = (int64_t)(is << above) >> above, b = (int64_t)(by << above) >> above;
	float x, y;
	double p, q;

	memcpy(&x, &is, 4), memcpy(&y, &by, 4), memcpy(&p, &is, 8), memcpy(&q, &by, 8);
	x += y, p += q;
	if (!strcmp(op, "fadd"))
		memcpy(&is, nbytes == 4 ? (void *)&x : (void *)&p, nbytes);
	return !strcmp(op, "add")        ? is + by
		: !strcmp(op, "sub")     ? is - by
		: !strcmp(op, "and")     ? is & by
		: !strcmp(op, "or")      ? is | by
		: !strcmp(op, "xor")     ? is ^ by
		: !strcmp(op, "swap")    ? by
		: !strcmp(op, "cmpswap") ? (is == compare ? by : is)
		: !strcmp(op, "smin")    ? (uint64_t)(a < b ? a : b)
		: !strcmp(op, "smax")    ? (uint64_t)(a > b ? a : b)
		: !strcmp(op, "umin")    ? (is < by ? is : by)
		: !strcmp(op, "umax")    ? (is > by ? is : by)
					 : is;
}
/*
 * cmpswap's data: the new value, then the compared one. gfx9's ds_cmpst swaps them; gfx11
 * has them two registers apart.
 */
static void expect_atomic(
	const struct snippet *n, const struct state *old, struct state *to, unsigned l, uint8_t *at)
{
	const unsigned nregs = n->nbytes / 4,
		       second = n->area == LDS && strncmp(n->text, "flat", 4) ? 2 : nregs;
	const bool compares = !strcmp(n->op, "cmpswap"),
		   swapped = compares && !strncmp(n->text, "ds_cmpst_", 9);
	uint64_t is = 0, by = word_of(old, DATA + (swapped ? second : 0), l, n->nbytes), compare, becomes;

	compare = compares ? word_of(old, DATA + (swapped ? 0 : second), l, n->nbytes) : 0;
	memcpy(&is, at, n->nbytes);
	becomes = operate(n->op, n->nbytes, is, by, compare);
	memcpy(at, &becomes, n->nbytes);
	for (unsigned k = 0; n->returns && k < nregs; k++)
		to->v[RESULT + k][l] = (uint32_t)(is >> 32 * k);
}
static void expect_load(const struct snippet *n, struct state *to, unsigned l, const uint8_t *at)
{
	uint32_t *d = &to->v[RESULT][l], is = 0;

	for (unsigned k = 0; k < n->nbytes && n->nbytes >= 4; k++)
		memcpy((uint8_t *)&to->v[RESULT + k / 4][l] + k % 4, at + k, 1);
	if (n->nbytes >= 4)
		return;
	memcpy(&is, at, n->nbytes);
	if (n->is_signed && is >> (8 * n->nbytes - 1))
		is |= UINT32_MAX << 8 * n->nbytes;
	*d = n->part == WHOLE    ? is
		: n->part == LOW ? (*d & 0xffff0000) | (is & 0xffff)
				 : (*d & 0xffff) | is << 16;
}
static void expect_store(const struct snippet *n, const struct state *old, unsigned l, uint8_t *at)
{
	for (unsigned k = 0; k < n->nbytes; k++)
		at[k] = (uint8_t)(old->v[DATA + k / 4][l] >> (8 * (k % 4) + (n->part == HIGH ? 16 : 0)));
}
/*
 * CDNA3's ISA document, 12.13: an inactive lane reads as 0, and the highest of
 * several lanes that write one wins.
 */
static void expect_permute(const struct snippet *n, const struct state *old, struct state *to, uint64_t exec)
{
	uint32_t got[LANES] = {0};

	for (unsigned l = 0; l < t.nlanes; l++) {
		unsigned from = (old->v[OFFSET][l] + (unsigned)n->offset) / 4 % t.nlanes, x = l % 32,
			 p = (unsigned)n->offset;

		if (*n->op == 's')
			from = p & 0x8000 ? l / 4 * 4 + (p >> l % 4 * 2) % 4
					  : l / 32 * 32 + (((x & p % 32) | p / 32 % 32) ^ p / 1024 % 32);
		if (*n->op == 'p' && exec >> l & 1)
			got[from] = old->v[DATA][l];
		if (*n->op != 'p' && exec >> from & 1)
			got[l] = old->v[*n->op == 's' ? OFFSET : DATA][from];
	}
	for (unsigned l = 0; l < t.nlanes; l++)
		if (exec >> l & 1)
			to->v[RESULT][l] = got[l];
}
static void expect(const struct snippet *n, const struct state *old, struct state *to, enum area area,
	const unsigned *offset)
{
	const uint64_t exec = old->s[EXEC] | (uint64_t)old->s[EXEC + 1] << 32;

	*to = *old;
	if (n->kind == SCALAR)
		memcpy(&to->s[SCALARS], &to->memory.global[offset[0] + (unsigned)n->offset], n->nbytes);
	if (n->kind == PERMUTE)
		expect_permute(n, old, to, exec);
	for (unsigned k = 0; k < 2 && n->kind == PAIR; k++)
		for (unsigned l = 0; l < t.nlanes; l++) {
			uint8_t *at =
				&to->memory.lds[offset[l] + (unsigned)(k ? n->offset1 : n->offset) * n->unit];

			for (unsigned b = 0; exec >> l & 1 && b < n->nbytes; b += 4)
				memcpy(n->loads ? (void *)&to->v[RESULT + (k * n->nbytes + b) / 4][l]
						: at + b,
					n->loads ? (const void *)(at + b) : &old->v[DATA + 2 * k + b / 4][l],
					4);
		}
	for (unsigned l = 0; l < t.nlanes && n->kind <= ATOMIC; l++) {
		uint8_t *at = byte_at(&to->memory, area, l, offset[l]);

		if (!(exec >> l & 1))
			continue;
		if (n->kind == LOAD)
			expect_load(n, to, l, at);
		else if (n->kind == STORE)
			expect_store(n, old, l, at);
		else
			expect_atomic(n, old, to, l, at);
	}
}

/* ---- runs ---- */

/*
 * Where lanes access memory: side by side, each in its own slot, or anywhere if their order does not matter.
 */
static void choose_offsets(const struct snippet *n, enum area area, unsigned *offset)
{
	const unsigned how = choose(3),
		       align = n->kind == ATOMIC ? n->nbytes
		: n->kind >= PAIR || how == 0    ? 4
						 : 1;
	const bool anywhere = n->kind == LOAD || n->kind == ATOMIC || (n->kind == PAIR && n->loads);
	const unsigned first = choose(SCRATCH - 16) / align * align;

	for (unsigned l = 0; l < LANES; l++) {
		offset[l] = 128 + first +
			l *
				(how && n->kind == STORE          ? 64
						: n->kind == PAIR ? 16
								  : n->nbytes);
		if (area == PRIVATE)
			offset[l] = n->form == 's' ? first : choose(SCRATCH - 16) / align * align;
		else if (anywhere && how)
			offset[l] = 128 + choose(how == 1 ? 4000 : 40) / align * align;
	}
}
static void set_addresses(const struct snippet *n, struct state *s, enum area area, const unsigned *offset)
{
	const uint64_t base = n->form == 'v' || area == GLOBAL ? t.device
		: area == LDS                                  ? APERTURE_LDS
							       : APERTURE_PRIVATE;
	const unsigned soffset = (n->form | 32) == 'b' ? choose(16) : 0,
		       imm = n->kind == PAIR ? 0 : (unsigned)n->offset;

	for (unsigned l = 0; l < LANES && n->kind != PERMUTE; l++) {
		const uint64_t address = base + offset[l] - (uint64_t)(int64_t)(int)imm;

		s->v[ADDRESS][l] = (uint32_t)address;
		s->v[ADDRESS + 1][l] = (uint32_t)(address >> 32);
		s->v[OFFSET][l] = offset[l] - imm - soffset;
	}
	s->s[SOFFSET] = n->form == 's' ? offset[0] - imm : n->form == 'b' ? 64 * soffset : soffset;
	for (unsigned k = 0; k < 2; k++) {
		s->s[BASE + k] = (uint32_t)((t.device + (n->kind == SCALAR ? offset[0] : 0)) >> 32 * k);
		s->s[BUFFER + k] = (uint32_t)((n->form == 'b' && n->kind != SCALAR ? APERTURE_PRIVATE
										   : t.device +
								      (n->kind == SCALAR ? offset[0] : 0)) >>
			32 * k);
	}
}
static void move_memory(struct memory *m, bool in)
{
	void *const places[] = {memory_host(t.device), t.block.lds, t.scratch};
	void *const parts[] = {m->global, m->lds, m->scratch};
	const size_t nbytes[] = {AREA, AREA, sizeof(m->scratch)};

	for (unsigned k = 0; k < 3; k++)
		memcpy(in ? places[k] : parts[k], in ? parts[k] : places[k], nbytes[k]);
}
static void random_state(struct state *s)
{
	uint32_t *words = (uint32_t *)s;

	for (size_t k = 0; k < sizeof(*s) / 4; k++)
		words[k] = (uint32_t)(random_next(&rng) >> 16);
	if (choose(2))
		s->s[EXEC] = s->s[EXEC + 1] = UINT32_MAX;
	if (t.nlanes == 32)
		s->s[EXEC + 1] = 0;
}
/* Flips a bit of what the opcode wrote, in the first active lane. */
static void flip_result(const struct snippet *n, struct state *is, enum area area, const unsigned *offset)
{
	const uint64_t exec = is->s[EXEC] | (uint64_t)is->s[EXEC + 1] << 32;
	const unsigned l = exec ? lowest(exec) : 0;

	if (n->kind == SCALAR)
		is->s[SCALARS + n->nbytes / 4 - 1] ^= 4;
	else if (exec && (n->kind == LOAD || n->kind == PERMUTE || n->loads || n->returns))
		is->v[RESULT][l] ^= 4;
	else if (exec)
		*byte_at(&is->memory, area, l,
			offset[l] + (n->kind == PAIR ? (unsigned)n->offset * n->unit : 0)) ^= 4;
}
static bool matches(const struct snippet *n, const struct state *is, const struct state *should, bool says)
{
	const uint32_t *a = (const uint32_t *)is, *b = (const uint32_t *)should;

	for (size_t k = 0; k < sizeof(*is) / 4; k++) {
		const bool row = k < NROWS * LANES;

		if (a[k] == b[k] || (row && k % LANES >= t.nlanes))
			continue;
		if (says)
			fprintf(stderr, "%s on %s: %s %zu, lane %zu is %#x, should be %#x\n", n->text,
				gpu_name(t.gpu),
				row                                  ? "v"
					: k < NROWS * LANES + NSGPRS ? "s"
								     : "memory",
				row ? k / LANES : k - NROWS * LANES, k % LANES, a[k], b[k]);
		return false;
	}
	return true;
}
/* For cmpswap memory has one of the two values in some lanes. */
static void make_equal(const struct snippet *n, struct state *s, enum area area, const unsigned *offset)
{
	const unsigned second = n->area == LDS ? 2 : n->nbytes / 4;

	for (unsigned l = 0; l < t.nlanes && !strcmp(n->op, "cmpswap"); l++) {
		const uint64_t word = word_of(s, DATA + (choose(2) ? second : 0), l, n->nbytes);

		memcpy(byte_at(&s->memory, area, l, offset[l]), &word, n->nbytes);
	}
}
static bool run_snippet(unsigned k, bool flips, bool says)
{
	static struct state old, is, should;
	const struct snippet *n = &t.snippets[k];
	const enum area area = n->form == 'f' ? (enum area)choose(3) : n->area;
	struct wave *w = &t.wave;
	unsigned offset[LANES];

	random_state(&old);
	choose_offsets(n, area, offset);
	set_addresses(n, &old, area, offset);
	make_equal(n, &old, area, offset);
	expect(n, &old, &should, area, offset);
	move_memory(&old.memory, true);
	memcpy(w->s, old.s, sizeof(old.s));
	memcpy(w->v, old.v, sizeof(old.v));
	w->state = WAVE_RUNS;
	for (w->pc = snippet_at(t.module, k);
		w->state == WAVE_RUNS && t.block.dispatch->how == DISPATCH_DONE;) {
		const struct inst *i = w->pc;

		w->pc = i + i->nbytes / 4;
		i->run(w, i);
	}
	memcpy(is.s, w->s, sizeof(is.s));
	memcpy(is.v, w->v, sizeof(is.v));
	move_memory(&is.memory, false);
	if (flips)
		flip_result(n, &is, area, offset);
	t.nruns++;
	return matches(n, &is, &should, says) && t.block.dispatch->how == DISPATCH_DONE;
}

/* ---- the program ---- */

/* Left to other tests: instructions that only order memory, and the barrier of a grid. */
static const char exempt[] =
	" s_waitcnt s_waitcnt_vmcnt s_waitcnt_lgkmcnt s_waitcnt_vscnt buffer_wbl2 buffer_inv buffer_wbinvl1 "
	" buffer_wbinvl1_vol buffer_invl2 buffer_gl0_inv buffer_gl1_inv s_dcache_inv s_dcache_inv_vol ds_gws_init ds_gws_barrier "
	" ds_wrxchg_b32 ds_wrxchg_b64 ds_storexchg_b32 ds_storexchg_b64 "; /* no GPU has them */

static void load_snippets(const char *folder)
{
	char path[256], command[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/memory.%s.s", folder, gpu_name(t.gpu));
	f = fopen(path, "w");
	if (!f || fprintf(f, ".text\n.globl snippets\n.p2align 8\nsnippets:\n") < 0)
		exit(2);
	for (unsigned k = 0; k < t.nsnippets; k++)
		fprintf(f, "%s\ns_waitcnt 0\ns_endpgm\n.p2align 7\n", t.snippets[k].text);
	fclose(f);
	snprintf(command, sizeof(command), "clang-19 --target=amdgcn-amd-amdhsa -mcpu=%s -o %s/memory.co %s",
		gpu_name(t.gpu), folder, path);
	snprintf(path, sizeof(path), "%s/memory.co", folder);
	if (system(command))
		exit(2);
	t.module = load_assembled(path, t.nlanes, t.nsnippets);
}
/* How many runs of snippets with an opcode, or of all snippets, fail. */
static unsigned run_opcode(const struct opcode *flips)
{
	unsigned nfailed = 0;

	for (unsigned k = 0; k < t.nsnippets; k++)
		for (unsigned trial = 0; trial < NTRIALS && (!flips || t.snippets[k].opcode == flips);
			trial++)
			nfailed += !run_snippet(k, flips != NULL, !flips && nfailed < 20);
	return nfailed;
}

int main(int argc, char **argv)
{
	static uint32_t rows[NVGPRS][LANES];
	static char lds[AREA];
	static struct kernel kernel = {.name = "memory"};
	static struct dispatch dispatch = {.kernel = &kernel};
	unsigned nfailed, nopcodes = 0;
	char name[256];
	FILE *f;
	void *p;

	if (argc < 3 || gpu_by_name(argv[1]) < 0)
		return 2;
	setenv("AMDSIM_GPU", argv[1], 1);
	unsetenv("AMDSIM_LATE");
	t.gpu = (enum gpu)gpu_by_name(argv[1]);
	t.nlanes = is_gfx11() ? 32 : 64;
	if (hipMalloc(&p, AREA))
		return 2;
	t.device = (uint64_t)(uintptr_t)p;
	add_moves("global_", "vo");
	add_moves("flat_", "f");
	add_moves("scratch_", "os");
	add_moves("buffer_", "bB");
	add_moves("ds_", "o");
	add_atomics("global_", "vo");
	add_atomics("flat_", "f");
	add_atomics("ds_", "o");
	add_others();
	load_snippets(argv[2]);
	t.block = (struct block){.dispatch = &dispatch, .lds = lds, .lds_bytes = AREA};
	t.wave = (struct wave){.v = rows,
		.nlanes = t.nlanes,
		.module = t.module,
		.block = &t.block,
		.scratch = t.scratch,
		.scratch_bytes = SCRATCH};
	caches_block_begin(&t.block);
	caches_wave_begin(&t.wave);
	nfailed = run_opcode(NULL);
	snprintf(name, sizeof(name), "%s/%s.untested", argv[2], argv[1]);
	f = fopen(name, "a");
	for (const struct opcode *o = memory_opcodes; f && o->name; o++) {
		bool ran = false;

		for (unsigned k = 0; k < t.nsnippets && !ran; k++)
			ran = t.snippets[k].opcode == o;
		nopcodes += ran;
		snprintf(name, sizeof(name), " %s ", o->name);
		if (!ran && !strstr(exempt, name))
			fprintf(f, "%s\n", o->name);
		if (ran && argc > 3 && !run_opcode(o))
			nfailed += fprintf(stderr, "memory: %s: %s: no run notices a flipped bit\n", argv[1],
					   o->name) > 0;
	}
	if (!f || fclose(f))
		return 2;
	printf("memory%s: %s: %u runs of %u opcodes, %u failed\n", argc > 3 ? ", flipped" : "", argv[1],
		t.nruns, nopcodes, nfailed);
	return nfailed != 0;
}
