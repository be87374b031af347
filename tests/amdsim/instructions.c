/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each scalar and vector instruction of the simulator gives the same bits as a second definition, which works
 * on one lane at a time with 128-bit integers and floats. An instruction is assembled with random operands
 * and modifiers; those that the assembler refuses are left out. It runs on registers with random numbers and
 * corner cases, and all registers are compared.
 *
 *   instructions GPU FOLDER [-f]     FOLDER/GPU.untested: names of opcodes that did not run.
 *                                    -f: flip a result bit of each opcode in turn: its tests must notice
 */
#include "snippets.h"

#include <inttypes.h>
#include <math.h>

__extension__ typedef __int128 wide;
__extension__ typedef __float128 quad;

/* Operands are v0 to v11 and s16 to s47; scripts use more. s[SCC] is SCC. */
enum { NROWS = 12, FIRST_SGPR = 16, NOPERANDS = 32, SCC = NSGPRS };
enum { MAX_SNIPPETS = 16000, NVARIANTS = 20, NTRIALS = 6 };

struct state {
	uint32_t v[NROWS][LANES], s[NSGPRS + 1];
};
struct text_operand {
	char kind; /* v, s, or constant: c, or mask: m; 0: none */
	unsigned reg;
	bool neg, abs, sext;
	uint64_t bits;
};
/* One instruction as assembled, or a script of some. */
struct snippet {
	char name[40], shape[12], text[640];
	const char *types;         /* of the sources, in shape */
	unsigned definition, line; /* lines of this file and of the assembly */
	struct text_operand dst, mask, src[3];
	unsigned nsrc, op_sel, op_sel_hi, neg_lo, neg_hi, sel[3], unused;
	unsigned dpp_kind, dpp_arg, row_mask, bank_mask, lanes[8];
	bool script, clamp, cmpx, packed, dpp, sdwa, op_sel_used, bound_ctrl, fi, refused;
};
/* What a definition gets: a lane's sources, as integers and as floats; d is the old destination. */
struct lane {
	wide a, b, c, d;
	quad p, q, r, y; /* y: a float's value */
	uint64_t exec, vcc;
	bool has_y, carry, scc; /* carry: out; scc: in and out */
	unsigned at;
	const struct snippet *n;
	const struct state *old;
	struct state *should;
};

static struct {
	enum gpu gpu;
	unsigned nlanes, nsnippets, nruns;
	struct snippet snippets[MAX_SNIPPETS];
	struct module *module;
} t;

/* ---- random operands ---- */

/* Corner cases of integers and floats of all sizes. */
static uint32_t random_word(void)
{
	static const uint32_t corners[] = {0, 1, 2, 3, 15, 16, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff,
		0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x7fffffff, 0x80000000, 0x80000001,
		0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x4f000000, 0x4f7fffff,
		0xcf000000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345,
		0xff812345, 0x00000123, 0x80400000, 0x00800000, 0x7ff00000, 0xfff00000, 0x7ff80000,
		0x7ff00001, 0x3ff00000, 0x000fffff, 0x7fefffff, 0x3c003c00, 0x7c007c00, 0xfc00fe00,
		0x7c017e00, 0x7bff0001, 0x04000400, 0x83ff03ff, 0xbc005140, 0x40490fdb, 0x41c80000,
		0xc2c80000, 0x402df854, 0x00010003, 0x00070005};
	const unsigned kind = choose(8);

	if (kind < 3)
		return corners[choose(COUNT(corners))];
	if (kind == 3) /* floats of moderate size */
		return (uint32_t)(random_next(&rng) & 0x80ffffff) | 0x3e000000 | choose(8) << 23;
	return kind == 4 ? choose(70) : (uint32_t)(random_next(&rng) >> 16);
}
static uint64_t random_mask(void)
{
	switch (choose(6)) {
	case 0:
		return 0;
	case 1:
		return UINT64_C(1) << choose(t.nlanes);
	case 2:
		return UINT64_MAX >> choose(64); /* a partial last wave's */
	case 3:
		return random_next(&rng);
	default:
		return UINT64_MAX;
	}
}
static void random_state(struct state *s)
{
	for (unsigned r = 0; r < NROWS; r++)
		for (unsigned l = 0; l < LANES; l++)
			s->v[r][l] = random_word();
	for (unsigned k = 0; k < NSGPRS; k++)
		s->s[k] = random_word();
	for (unsigned k = VCC; k <= EXEC; k += EXEC - VCC) {
		const uint64_t mask = random_mask();

		s->s[k] = (uint32_t)mask;
		s->s[k + 1] = t.nlanes == 64 ? (uint32_t)(mask >> 32) : 0;
	}
	s->s[M0] = choose(4);
	s->s[SCC] = choose(2);
}

/* ---- instructions as text ---- */

static bool is_wide(char type)
{
	return strchr("UIdQF", type) != NULL;
} /* two registers */
static bool is_float(char type)
{
	return strchr("efdlF", type) != NULL;
}
static bool is_half(char type)
{
	return strchr("hjetT", type) != NULL;
}
static unsigned type_bits(char type)
{
	return is_half(type) ? 16 : is_wide(type) && type != 'F' ? 64 : 32;
}

static void append_registers(struct snippet *n, char kind, unsigned reg, unsigned nregs)
{
	if (nregs == 1)
		append(n, "%c%u", kind, reg);
	else
		append(n, "%c[%u:%u]", kind, reg, reg + nregs - 1);
}
static unsigned random_register(char kind)
{
	return kind == 's' ? FIRST_SGPR + 2 * choose(NOPERANDS / 2) : 2 * choose(NROWS / 2);
}
static void append_mask(struct snippet *n, struct text_operand *o, bool vcc)
{
	*o = (struct text_operand){.kind = 'm', .reg = vcc ? VCC : random_register('s')};
	if (vcc)
		append(n, t.nlanes == 64 ? "vcc" : "vcc_lo");
	else
		append_registers(n, 's', o->reg, t.nlanes / 32);
}
static uint64_t encode(quad v, char type);
/* Inline constants of integers and floats, and literals. */
static void append_constant(struct snippet *n, struct text_operand *o, char type)
{
	static const double floats[] = {1, -4, 0.5, -2};
	const unsigned kind = strchr("tTl", type) ? 1 : choose(3), which = choose(4);
	const bool number = kind == 0 && is_float(type);

	o->kind = 'c';
	if (kind == 1 && (type_bits(type) == 32 || strchr("tT", type))) {
		o->bits = type_bits(type) == 16 ? random_word() & 0xffff : random_word();
		append(n, "0x%x", (unsigned)o->bits);
	} else if (number) {
		o->bits = encode(floats[which], type);
		append(n, "%.1f", floats[which]);
	} else {
		o->bits = (uint64_t)(int64_t)((int)choose(81) - 16);
		append(n, "%d", (int)o->bits);
	}
}
static void append_source(struct snippet *n, unsigned k)
{
	struct text_operand *o = &n->src[k];
	const char type = n->types[k];
	const unsigned kind = choose(8);
	const bool scalar = *n->name == 's', any = !n->packed && !n->dpp && !n->op_sel_used;
	const bool modified = is_float(type) && !n->packed && !strchr(n->shape, 'l');

	append(n, k ? ", " : "");
	if (type == 'm') {
		append_mask(n, o, n->dpp || n->sdwa || choose(2));
		return;
	}
	if (strchr("tTl", type) || (any && !n->sdwa && (kind == 0 || (scalar && kind < 3)))) {
		append_constant(n, o, type);
		return;
	}
	o->kind = scalar || (any && kind == 1) ? 's' : 'v';
	o->reg = random_register(o->kind);
	o->neg = modified && choose(4) == 0;
	o->abs = modified && choose(4) == 0;
	o->sext = n->sdwa && !is_float(type) && choose(2);
	append(n, "%s%s%s", o->neg ? "-" : "", o->abs ? "|" : "", o->sext ? "sext(" : "");
	append_registers(n, o->kind, o->reg, is_wide(type) ? 2 : 1);
	append(n, "%s%s", o->sext ? ")" : "", o->abs ? "|" : "");
}
static unsigned append_bits(struct snippet *n, const char *name, unsigned nbits)
{
	const unsigned bits = choose(1u << nbits);

	append(n, " %s:[", name);
	for (unsigned k = 0; k < nbits; k++)
		append(n, "%u%s", bits >> k & 1, k + 1 < nbits ? "," : "]");
	return bits;
}
static void append_dpp(struct snippet *n)
{
	static const char *const kinds[] = {"row_shl:%u", "row_shr:%u", "row_ror:%u", "wave_shl:1",
		"wave_rol:1", "wave_shr:1", "wave_ror:1", "row_mirror", "row_half_mirror", "row_bcast:15",
		"row_bcast:31", "row_share:%u", "row_newbcast:%u", "row_xmask:%u", "quad_perm:[%u,%u,%u,%u]",
		"dpp8:[%u,%u,%u,%u,%u,%u,%u,%u]"};
	unsigned *k = n->lanes;

	n->dpp_kind = choose(16);
	for (unsigned l = 0; l < 8; l++)
		n->lanes[l] = n->dpp_kind < 14 ? 1 + choose(15) : choose(n->dpp_kind == 14 ? 4 : 8);
	append(n, " ");
	append(n, kinds[n->dpp_kind], k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7]);
	n->row_mask = n->dpp_kind == 15 ? 15 : choose(16) | 5;
	n->bank_mask = n->dpp_kind == 15 ? 15 : choose(16) | 2;
	n->bound_ctrl = n->dpp_kind != 15 && choose(2);
	n->fi = t.nlanes == 32 && choose(2);
	if (n->dpp_kind != 15)
		append(n, " row_mask:%u bank_mask:%u", n->row_mask, n->bank_mask);
	append(n, "%s%s", n->bound_ctrl ? " bound_ctrl:1" : "", n->fi ? " fi:1" : "");
}
static void append_sdwa(struct snippet *n, bool has_dst)
{
	static const char *const parts[] = {
		"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
	static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

	for (unsigned k = 0; k < 3; k++)
		n->sel[k] = choose(7);
	if (has_dst)
		append(n, " dst_sel:%s dst_unused:%s", parts[n->sel[2]], unused[n->unused = choose(3)]);
	for (unsigned k = 0; k < n->nsrc && k < 2; k++)
		append(n, " src%u_sel:%s", k, parts[n->sel[k]]);
}
static void append_modifiers(struct snippet *n, unsigned variant)
{
	const char type = *n->shape;
	const bool mac = strstr(n->name, "fmac");

	if (*n->types == 'Q' || (n->packed && !mac)) {
		n->op_sel = append_bits(n, "op_sel", n->nsrc);
		n->op_sel_hi = n->packed ? append_bits(n, "op_sel_hi", n->nsrc) : 0;
		n->neg_lo = is_float(*n->types) ? append_bits(n, "neg_lo", n->nsrc) : 0;
		n->neg_hi = is_float(*n->types) ? append_bits(n, "neg_hi", n->nsrc) : 0;
	} else if (variant % 4 == 3 && !mac && (is_half(type) || is_half(*n->types))) {
		const unsigned bits = append_bits(n, "op_sel", n->nsrc + 1);

		n->op_sel = (bits & ((1u << n->nsrc) - 1)) | (bits >> n->nsrc ? 8 : 0);
	}
	n->clamp = variant % 4 != 2 && variant &&
		(is_float(type) || is_half(type) || strchr(n->shape, '<')) && choose(3) == 0;
	append(n, n->clamp ? " clamp" : "");
	if (variant % 4 == 0 && variant && !n->clamp && is_float(type) && choose(2))
		append(n, " mul:2"); /* ignored while denormals are kept */
	if (n->dpp)
		append_dpp(n);
	if (n->sdwa)
		append_sdwa(n, type != 'm');
}
/* The text of an instruction, variant 0 without modifiers. */
static void make_text(struct snippet *n, unsigned variant)
{
	const char type = *n->shape;
	const bool vector = *n->name == 'v';

	n->packed = !strncmp(n->name, "v_pk_", 5) && strcmp(n->name, "v_pk_mov_b32");
	n->dpp = vector && variant % 4 == 1 && !n->packed;
	n->sdwa = vector && variant % 4 == 2 && t.nlanes == 64 && !n->packed;
	n->op_sel_used = vector && variant % 4 == 3;
	append(n, "%s%s ", n->name, n->dpp ? "_dpp" : n->sdwa ? "_sdwa" : "");
	if (type == 'm' && !(n->cmpx && t.nlanes == 32)) {
		append_mask(n, &n->dst, choose(2));
	} else if (!strchr("=m", type)) {
		n->dst = (struct text_operand){.kind = *n->name, .reg = random_register(*n->name)};
		append_registers(n, n->dst.kind, n->dst.reg, is_wide(type) ? 2 : 1);
	}
	if (n->shape[1] == 'm') {
		append(n, ", ");
		append_mask(n, &n->mask, n->dpp || n->sdwa || choose(2));
	}
	append(n, n->nsrc && n->dst.kind ? ", " : "");
	for (unsigned k = 0; k < n->nsrc; k++)
		append_source(n, k);
	append_modifiers(n, variant);
}
/* Names of registers and masks that differ by the size of a wave. */
static void append_script(struct snippet *n, const char *text)
{
	static const struct {
		const char *word, *of[2];
	} words[] = {{"SAVE", {"s64", "s[64:65]"}}, {"KEEP", {"s50", "s[50:51]"}}, {"VCC", {"vcc_lo", "vcc"}},
		{"s_mov_mask", {"s_mov_b32", "s_mov_b64"}}, {"_nc_", {"_nc_", "_"}}, {"; ", {"\n", "\n"}}};
	enum { NWORDS = COUNT(words) };

	for (unsigned k = 0; *text; k = 0) {
		while (k < NWORDS && strncmp(text, words[k].word, strlen(words[k].word)))
			k++;
		append(n, k < NWORDS ? "%s" : "%.1s", k < NWORDS ? words[k].of[t.nlanes == 64] : text);
		text += k < NWORDS ? strlen(words[k].word) : 1;
	}
}
/* Replaces x, y and ? in a shape: see the definitions. */
static char type_of(const char *name, size_t length)
{
	static const char *const types[] = {"u32u", "b32u", "i32i", "u64U", "b64U", "i64I", "u16h", "b16h",
		"i16j", "f16e", "f32f", "f64d"};
	unsigned k = 0;

	while (k < 11 && strncmp(name + length - 3, types[k], 3))
		k++;
	return types[k][3];
}
static void set_shape(struct snippet *n, const char *shape)
{
	const size_t length = strlen(n->name), before = (size_t)(strrchr(n->name, '_') - n->name);

	if (!strcmp(shape, "?"))
		shape = *n->name == 'v'        ? "m=xx"
			: n->name[5] != 'k'    ? "=xx"
			: strchr(n->name, 'u') ? "=xT"
					       : "=xt";
	strcpy(n->shape, shape);
	for (char *c = n->shape; *c; c++)
		*c = *c == 'x' ? type_of(n->name, length) : *c == 'y' ? type_of(n->name, before) : *c;
	for (char *c = n->shape; *c && !strncmp(n->name, "v_pk_", 5); c++)
		*c = *c == 'f' ? 'F' : *c;
	n->types = strchr(n->shape, '=') + 1;
	n->nsrc = (unsigned)strspn(n->types, "uiUIhjefdlFQmtT");
}
/* names: words with alternatives in braces, "v_{min,max}_u32 v_not_b32". */
static void make_snippets(unsigned definition, const char *names, const char *shape, const char *script)
{
	const size_t length = strcspn(names, " "), before = strcspn(names, "{");
	char name[200];

	if (names[length])
		make_snippets(definition, names + length + 1, shape, script);
	if (before < length) {
		const char *each = names + before, *close = strchr(names, '}');
		const int nafter = (int)(names + length - close) - 1;

		for (; each < close; each += 1 + strcspn(each + 1, ",}")) {
			if (each[0] == '}')
				break;
			snprintf(name, sizeof(name), "%.*s%.*s%.*s", (int)before, names,
				(int)strcspn(each + 1, ",}"), each + 1, nafter, close + 1);
			make_snippets(definition, name, shape, script);
		}
		return;
	}
	for (unsigned variant = 0; variant < (script ? 4 : NVARIANTS); variant++) {
		struct snippet *n = &t.snippets[t.nsnippets++];

		*n = (struct snippet){
			.definition = definition, .script = script, .op_sel_hi = 7, .sel = {6, 6, 6}};
		snprintf(n->name, sizeof(n->name), "%.*s", (int)length, names);
		n->cmpx = !strncmp(n->name, "v_cmpx", 6);
		set_shape(n, shape);
		if (script) {
			n->dst.kind = *shape == 's' ? 's' : 'v';
			n->dst.reg = *shape == 's' ? FIRST_SGPR : 0;
			append_script(n, script);
		} else {
			make_text(n, variant);
		}
	}
}

/* ---- integers ---- */

#define ONES(n) (((wide)1 << (n)) - 1)
#define S32(v)  ((wide)(int32_t)(v))
#define S24(v)  bits_of(v, 0, 24, true)
#define U24(v)  bits_of(v, 0, 24, false)

static wide bits_of(wide v, unsigned at, wide n, bool sign)
{
	const wide y = v >> at & ONES(n);

	return sign && n && y >> (n - 1) & 1 ? y - ONES(n) - 1 : y;
}
static wide sort3(wide a, wide b, wide c, unsigned which)
{
	wide v[3] = {a, b, c};

	for (unsigned k = 0; k < 3; k++)
		if (v[k % 2] > v[k % 2 + 1]) {
			const wide y = v[k % 2];
			v[k % 2] = v[k % 2 + 1];
			v[k % 2 + 1] = y;
		}
	return v[which];
}
static wide low_of(wide a, wide b)
{
	return sort3(a, b, b, 0);
}
static wide high_of(wide a, wide b)
{
	return sort3(a, b, b, 2);
}
static wide ones(uint64_t v)
{
	return v ? 1 + ones(v & (v - 1)) : 0;
}
/* The first set bit, from the bottom or from the top of n bits; -1: none. */
static wide first_bit(wide v, unsigned n, bool top)
{
	for (unsigned k = 0; k < n; k++)
		if (v >> (top ? n - 1 - k : k) & 1)
			return k;
	return -1;
}
static wide mirror(wide v, unsigned n)
{
	wide y = 0;

	for (unsigned k = 0; k < n; k++)
		y = 2 * y + (v >> k & 1);
	return y;
}
static wide byte_of(wide v, unsigned s)
{
	s &= 255;
	return s > 12 ? 255 : s == 12 ? 0 : s > 7 ? (v >> (16 * (s - 8) + 15) & 1) * 255 : v >> 8 * s & 255;
}
static wide with(bool *to, bool is, wide v)
{
	*to = is;
	return v;
}
static wide exec_becomes(struct lane *x, wide v)
{
	const bool pair = strstr(x->n->name, "b64");

	x->should->s[EXEC] = (uint32_t)v;
	x->should->s[EXEC + 1] = (uint32_t)(pair ? v >> 32 : x->old->s[EXEC + 1]);
	return with(&x->scc, (v & ONES(pair ? 64 : 32)) != 0, (wide)x->exec);
}

/* ---- floats ---- */

static unsigned fraction_bits(char type)
{
	return type == 'e' ? 10 : type == 'd' ? 52 : 23;
}
static int least_exponent(char type)
{
	return type == 'e' ? -14 : type == 'd' ? -1022 : -126;
}
static uint64_t sign_bit(char type)
{
	return UINT64_C(1) << (type_bits(type) - 1);
}
static uint64_t quiet_bit(char type)
{
	return UINT64_C(1) << (fraction_bits(type) - 1);
}
static uint64_t infinity_bits(char type)
{
	return sign_bit(type) - 2 * quiet_bit(type);
}
static bool is_nan(uint64_t v, char type)
{
	return (v & ~sign_bit(type)) > infinity_bits(type);
}
static quad two_to(int n)
{
	return (quad)ldexpl(1, n);
}
static quad decode(uint64_t v, char type)
{
	const unsigned n = fraction_bits(type);
	const uint64_t exponent = (v & infinity_bits(type)) >> n, fraction = v & (2 * quiet_bit(type) - 1);
	const quad sign = v & sign_bit(type) ? -1 : 1;

	if ((v & infinity_bits(type)) == infinity_bits(type))
		return fraction ? (quad)NAN : sign * (quad)INFINITY;
	return sign * (quad)(fraction + (exponent ? UINT64_C(1) << n : 0)) *
		two_to(least_exponent(type) + (exponent ? (int)exponent - 1 : 0) - (int)n);
}
/* Rounds to the nearest number, and to the even one of two equally near. */
static uint64_t encode(quad v, char type)
{
	const bool negative = v < 0 || (v == 0 && 1 / v < 0);
	const uint64_t sign = negative ? sign_bit(type) : 0;
	int e = least_exponent(type);

	if (v != v)
		return infinity_bits(type) | quiet_bit(type);
	v = negative ? -v : v;
	if (v >= two_to(-e + 2))
		return sign | infinity_bits(type);
	if (v >= two_to(e + 1)) {
		e = ilogbl((long double)v);
		e += v < two_to(e) ? -1 : v >= two_to(e + 1) ? 1 : 0;
	}
	const quad units = v * two_to((int)fraction_bits(type) - e);
	uint64_t n = (uint64_t)units;

	n += units - (quad)n > 0.5 || (units - (quad)n == 0.5 && n % 2);
	n += (uint64_t)(e - least_exponent(type)) << fraction_bits(type);
	return sign | (n > infinity_bits(type) ? infinity_bits(type) : n);
}
static quad rounded(quad v)
{
	return decode(encode(v, 'f'), 'f');
}
static quad down(quad v)
{
	return (quad)floorl((long double)v);
}
static quad nearest(quad v)
{
	return (quad)rintl((long double)v);
}
static quad absolute(quad v)
{
	return v < 0 ? -v : v;
}
/* The part of a sum that a quad cannot hold still decides between two equally near results. */
static quad sum_of(quad a, quad b)
{
	const quad sum = a + b, lost = sum == a ? b : sum == b ? a : 0;

	return sum - sum == 0 && lost != 0 ? sum + (lost > 0 ? 1 : -1) * absolute(sum) * two_to(-100) : sum;
}
static quad root(quad v)
{
	const quad y = (quad)sqrtl((long double)v);

	return y > 0 && y < (quad)INFINITY ? (y + v / y) / 2 : y;
}
static quad lesser(quad a, quad b)
{
	return a != a ? b : b != b || a < b || (a == b && 1 / a < 1 / b) ? a : b;
}
static quad greater(quad a, quad b)
{
	return a != a ? b : b != b || a > b || (a == b && 1 / a > 1 / b) ? a : b;
}
static quad middle(quad a, quad b, quad c)
{
	if (a != a || b != b || c != c)
		return lesser(a, lesser(b, c));
	return greater(lesser(a, b), lesser(greater(a, b), c));
}
static int exponent_of(quad v)
{
	int e = 0;

	if (v - v == 0)
		(void)frexpl((long double)v, &e);
	return e;
}
/* Angles are in turns; multiples of a quarter are exact. */
static quad sine(quad v)
{
	v -= nearest(v);
	return absolute(v) == 0.5
		? 0
		: (quad)sinl((long double)(v * 2 * (quad)3.14159265358979323846264338327950288L));
}
static wide limit(quad v, quad least, quad most)
{
	return v != v ? 0 : (wide)(v < least ? least : v > most ? most : v);
}
static quad scaled(quad v, wide n)
{
	return v * two_to((int)sort3(n, -9000, 9000, 1));
}
static wide logic(const struct lane *x, wide p, wide q)
{
	static const struct {
		const char *name;
		unsigned table;
	} ops[] = {/* bit p + 2q of table */
		{"_andn2", 2}, {"_and_not1", 2}, {"_orn2", 11}, {"_or_not1", 11}, {"_and", 8}, {"_or", 14},
		{"_xor", 6}, {"_nand", 7}, {"_nor", 1}, {"_xnor", 9}};
	unsigned op = 0;
	wide y = 0;

	while (!strstr(x->n->name, ops[op].name))
		op++;
	for (unsigned k = 0; k < 64; k++)
		y |= (wide)(ops[op].table >> ((p >> k & 1) + 2 * (q >> k & 1)) & 1) << k;
	return y;
}
/* A name's index has the bits for which it is true: less 1, equal 2, greater 4, unordered 8. */
static wide compare(const struct lane *x)
{
	static const char *const names[] = {"_f_", "_lt_", "_eq_", "_le_", "_gt_", "_lg_", "_ge_", "_o_",
		"_u_", "_nge_", "_nlg_", "_ngt_", "_nle_", "_ne", "_nlt_", "_t"};
	const unsigned order = is_float(*x->n->types) ? x->p < x->q ? 0
			: x->p == x->q                              ? 1
			: x->p > x->q                               ? 2
								    : 3
		: x->a < x->b                         ? 0
		: x->a == x->b                        ? 1
						      : 2;
	unsigned place = 0;

	while (!strstr(x->n->name, names[place]))
		place++;
	return place >> order & 1;
}
static unsigned class_of(uint64_t v, char type)
{
	static const unsigned classes[2][4] = {{6, 7, 8, 9}, {5, 4, 3, 2}};
	const uint64_t exponent = v & infinity_bits(type), fraction = v & (2 * quiet_bit(type) - 1);

	if (exponent == infinity_bits(type) && fraction)
		return (v & quiet_bit(type)) != 0;
	return classes[!!(v & sign_bit(type))][exponent == infinity_bits(type) ? 3
			: exponent                                             ? 2
			: fraction                                             ? 1
									       : 0];
}
static wide toward_zero(quad v, wide in)
{
	const uint64_t half = encode(v, 'e');

	if (v != v)
		return 0x7e00 | (in >> 13 & 0x3ff) | (in >> 16 & 0x8000);
	return half - (v - v == 0 && absolute(decode(half, 'e')) > absolute(v));
}
static wide set_y(struct lane *x, quad v)
{
	x->y = v;
	x->has_y = true;
	return 0;
}
/* The bits of a result. A NaN among the sources wins; conversions keep its upper bits. */
static uint64_t float_result(const struct lane *x, char type, const uint64_t *in, const char *types)
{
	uint64_t one = encode(1, type), nan = 0, r = encode(x->y, type);
	bool signaling = false;

	if (strstr(x->n->name, "fract") && r == one)
		r--;
	for (unsigned s = (unsigned)strlen(types); s--;) {
		const char from = types[s];
		const int shift = (int)fraction_bits(type) - (int)fraction_bits(from);
		const uint64_t fraction = in[s] & (2 * quiet_bit(from) - 1);

		if (!is_float(from) || !is_nan(in[s], from))
			continue;
		signaling |= !(fraction & quiet_bit(from));
		nan = infinity_bits(type) | quiet_bit(type) | (in[s] & sign_bit(from) ? sign_bit(type) : 0);
		nan |= shift < 0 ? fraction >> -shift : fraction << shift;
	}
	if (is_nan(r, type) || signaling)
		r = nan ? nan : infinity_bits(type) | quiet_bit(type);
	if (x->n->clamp)
		r = is_nan(r, type) || r & sign_bit(type) ? 0 : r > one ? one : r;
	return r;
}

/* ---- of scripts ---- */

#define V(n)   (x->old->v[n][x->at])
#define V64(n) (V(n) | (uint64_t)V((n) + 1) << 32)
#define S(n)   (x->old->s[FIRST_SGPR + (n)])

static wide quotient(uint64_t n, uint64_t d, char type)
{
	const quad v = decode(n, type) / decode(d, type);
	const uint64_t quiet = quiet_bit(type);

	if (v == v)
		return encode(v, type);
	/* V_DIV_FIXUP: 0 / 0 and infinity / infinity are negative */
	return is_nan(n, type)    ? n | quiet
		: is_nan(d, type) ? d | quiet
				  : infinity_bits(type) | quiet | sign_bit(type);
}
/* For MODERATE: halves and floats from 1 to 2. */
static quad moderate(uint32_t half)
{
	return decode((half & 0x3ff) | 0x3c00, 'e');
}
static quad moderate_float(uint32_t v)
{
	return decode((v & 0x03ff03ff) | 0x3c003c00, 'f');
}
static wide mixed(const struct lane *x)
{
	const quad addend = decode(V(6), 'f');

	return addend != addend ? V(6) | 0x400000
				: encode(sum_of(-moderate(V(2) >> 16) * moderate(V(4)), addend), 'f');
}
static wide mixed_half(const struct lane *x)
{
	return encode(rounded(sum_of(moderate_float(V(2)) * moderate_float(V(4)), moderate(V(4)))), 'e');
}
static wide permuted(const struct lane *x, unsigned row, unsigned op_sel)
{
	const unsigned from = (row | (S(x->at % 16 < 8 ? 2 : 4) >> x->at % 8 * 4 & 15)) % t.nlanes;

	return x->exec >> from & 1 || op_sel & 1 ? x->old->v[2][from] : op_sel & 2 ? 0 : V(0);
}

/* ---- the definitions ---- */

/*
 * A line has names, shape and value. shape: result=sources, by types u i 32 bits, U I 64, h j 16 (i I j
 * signed), e f d floats, F a pair of floats, Q a pair, m a lane's bit, t T a constant of 16 bits, l a literal
 * float, = no result; x is the type that the name ends with, y the one before it, ? is =xx or m=xx of a
 * compare. Then: < may clamp, + keeps the other half on GFX9, too, ! SCC is whether the result is not 0, ~
 * results one unit off are right. SCRIPT has a text instead; of its shape s is s16, a also inactive lanes.
 * Without a lane, a line makes its snippets.
 */
#define SCRIPT(names, shape, value, text) \
	case __LINE__: \
		if (!x->n) \
			return make_snippets(__LINE__, names, shape, text), 0; \
		return (wide)(value);
#define T(names, shape, value) SCRIPT(names, shape, value, NULL)
#define F(names, shape, value) T(names, shape, set_y(x, value))
#define MASK                   (type_bits(*x->n->shape == '=' ? *x->n->types : *x->n->shape) - 1)
#define DIGIT(at)              (x->n->name[at] - '0') /* of the name */
#define CARRY(v)               with(&x->carry, (v) < 0 || (v) >> 32 != 0, v)
#define WIDE_CARRY(v)          with(&x->carry, (v) >> 64 & 1, v)
#define SCC_OF(is, v)          with(&x->scc, is, v)
#define EXACT(v)               with(&x->scc, (v) != S32(v), v)
#define TAKEN(taken)           (taken) ? S(0) : 7
#define BRANCH(name)           name " 1f; s_mov_b32 s16, 7; 1:"
#define DIVIDE_32 \
	"s_mov_mask KEEP, VCC; v_div_scale_f32 v20, SAVE, v4, v4, v2; v_rcp_f32 v21, v20; " \
	"v_fma_f32 v22, -v20, v21, 1.0; v_fma_f32 v21, v22, v21, v21; v_div_scale_f32 v22, VCC, v2, v4, v2; " \
	"v_mul_f32 v23, v22, v21; v_fma_f32 v24, -v20, v23, v22; v_fma_f32 v23, v24, v21, v23; " \
	"v_fma_f32 v20, -v20, v23, v22; v_div_fmas_f32 v20, v20, v21, v23; v_div_fixup_f32 v0, v20, v4, v2; " \
	"s_mov_mask VCC, KEEP"
#define DIVIDE_64 \
	"s_mov_mask KEEP, VCC; v_div_scale_f64 v[20:21], SAVE, v[4:5], v[4:5], v[2:3]; " \
	"v_rcp_f64 v[22:23], v[20:21]; " \
	"v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0; v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]; " \
	"v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0; v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]; " \
	"v_div_scale_f64 v[24:25], VCC, v[2:3], v[4:5], v[2:3]; v_mul_f64 v[26:27], v[24:25], v[22:23]; " \
	"v_fma_f64 v[20:21], -v[20:21], v[26:27], v[24:25]; v_div_fmas_f64 v[20:21], v[20:21], v[22:23], v[26:27]; " \
	"v_div_fixup_f64 v[0:1], v[20:21], v[4:5], v[2:3]; s_mov_mask VCC, KEEP"
#define MODERATE \
	"s_mov_b32 s64, 0x03ff03ff; s_mov_b32 s65, 0x3c003c00; v_and_b32 v20, s64, v2; " \
	"v_or_b32 v20, s65, v20; v_and_b32 v21, s64, v4; v_or_b32 v21, s65, v21; "
#define A      x->a
#define B      x->b
#define C      x->c
#define D      x->d
#define P      x->p
#define Q      x->q
#define R      x->r
#define ADDEND decode((uint64_t)D, *x->n->shape) /* the destination */

static wide define(struct lane *x, unsigned line)
{
	switch (line) {
		T("{s,v}_{and,or,xor,xnor}_b32 v_{and,or,xor}_b16 s_{and,or,xor,xnor}_b64", "x=xx!",
			logic(x, A, B))
		T("s_{andn2,and_not1,orn2,or_not1,nand,nor}_b{32,64}", "x=xx!", logic(x, A, B))
		T("s_{and,or,xor,xnor,andn2,and_not1,orn2,or_not1,nand,nor}_saveexec_b{32,64}", "x=x",
			exec_becomes(x, logic(x, A, x->exec)))
		T("{s,v}_not_b32 s_not_b64 v_not_b16", "x=x!", ONES(type_bits(*x->n->shape)) - A)
		T("s_cmp{,k}_{eq,lg,gt,ge,lt,le}_{i32,u32,u64} v_cmp{,x}_{f,lt,eq,le,gt,ne,ge,t}_{u,i}{16,32,64}",
			"?", compare(x))
		T("v_cmp{,x}_{f,lt,eq,le,gt,lg,ge,o,u,nge,nlg,ngt,nle,neq,nlt,tru,t}_f{16,32,64}", "?",
			compare(x))
		T("s_bitcmp0_b{32,64}", "=xu", !(A >> (B & MASK) & 1))
		T("s_bitcmp1_b{32,64}", "=xu", A >> (B & MASK) & 1)
		T("{s,v}_mov_b{32,64}", "x=x", A)
		T("s_movk_i32", "i=t", A)
		T("v_cvt_i32_i16 v_cvt_u32_u16", "y=x", A)
		T("s_cmov_b32", "u=u", x->scc ? A : D)
		T("s_cmovk_i32", "u=t", x->scc ? A : D)
		T("s_cselect_b{32,64}", "x=xx", x->scc ? A : B)
		T("v_cndmask_b32", "u=ffm", C ? B : A)
		T("v_cndmask_b16", "h=hhm", C ? B : A)
		T("s_brev_b{32,64} v_bfrev_b32", "x=x", mirror(A, type_bits(*x->n->shape)))
		T("s_bcnt1_i32_b{32,64}", "y=x!", ones((uint64_t)A))
		T("s_{ff1,ctz}_i32_b{32,64} v_ctz_i32_b32 v_ffbl_b32", "u=x", first_bit(A, 64, 0))
		T("s_flbit_i32_b{32,64} s_clz_i32_u{32,64} v_clz_i32_u32 v_ffbh_u32", "u=x",
			first_bit(A, type_bits(*x->n->types), 1))
		T("s_flbit_i32 s_cls_i32 v_ffbh_i32 v_cls_i32", "i=i", first_bit(A < 0 ? ~A : A, 32, 1))
		T("s_{flbit,cls}_i32_i64", "y=x", first_bit(A < 0 ? ~A : A, 64, 1))
		T("s_sext_i32_i8", "u=u", bits_of(A, 0, 8, 1))
		T("s_sext_i32_i16", "u=u", bits_of(A, 0, 16, 1))
		T("s_abs_i32", "i=i!", A < 0 ? -A : A)
		T("s_add_u32", "u=uu", SCC_OF((A + B) >> 32 != 0, A + B))
		T("s_addc_u32", "u=uu", SCC_OF((A + B + x->scc) >> 32 != 0, A + B + x->scc))
		T("s_sub_u32", "u=uu", SCC_OF(A - B < 0, A - B))
		T("s_subb_u32", "u=uu", SCC_OF(A - B - x->scc < 0, A - B - x->scc))
		T("s_add_i32", "i=ii", EXACT(A + B))
		T("s_sub_i32", "i=ii", EXACT(A - B))
		T("s_addk_i32", "i=t", EXACT(S32(D) + A))
		T("s_mulk_i32", "i=t", S32(D) * A)
		T("s_min_{i32,u32}", "x=xx", SCC_OF(A < B, low_of(A, B)))
		T("s_max_{i32,u32}", "x=xx", SCC_OF(A > B, high_of(A, B)))
		T("s_lshl_b{32,64}", "x=xu!", A << (B & MASK))
		T("s_lshr_b{32,64} s_ashr_i{32,64}", "x=xu!", A >> (B & MASK))
		T("{s,v}_bfm_b32 s_bfm_b64", "x=uu", ONES(A & MASK) << (B & MASK))
		T("s_bfe_u{32,64}", "x=xu!", bits_of(A, B & MASK, low_of(B >> 16 & 127, 64), 0))
		T("s_bfe_i{32,64}", "x=xu!", bits_of(A, B & MASK, low_of(B >> 16 & 127, 64), 1))
		T("s_bitset0_b32", "u=u", D & ~((wide)1 << (A & 31)))
		T("s_bitset1_b32", "u=u", D | (wide)1 << (A & 31))
		T("s_mul_i32 v_mul_lo_u32", "x=xx", A * B)
		T("{s,v}_mul_hi_{u32,i32}", "x=xx", A * B >> 32)
		T("s_lshl{1,2,3,4}_add_u32", "u=uu",
			SCC_OF(((A << DIGIT(6)) + B) >> 32 != 0, (A << DIGIT(6)) + B))
		T("s_pack_ll_b32_b16", "u=uu", A % 65536 + B % 65536 * 65536)
		T("s_pack_lh_b32_b16", "u=uu", A % 65536 + B / 65536 * 65536)
		T("s_pack_hh_b32_b16", "u=uu", A / 65536 + B / 65536 * 65536)
		T("v_bfi_b32", "u=uuu", (A & B) | (~A & C))
		T("v_and_or_b32", "u=uuu", (A & B) | C)
		T("v_or3_b32", "u=uuu", A | B | C)
		T("v_xor3_b32", "u=uuu", A ^ B ^ C)
		T("v_lshlrev_b{32,64}", "x=ux", B << (A & MASK))
		T("v_lshrrev_b{32,64} v_ashrrev_i{32,64}", "x=ux", B >> (A & MASK))
		T("v{,_pk}_lshlrev_b16", "h=hh", B << (A & 15) & ONES(16))
		T("v{,_pk}_lshrrev_b16 v{,_pk}_ashrrev_i16", "x=xx", B >> (A & 15))
		T("v_lshl_add_u64", "U=UuU", (A << (B & 7)) + C)
		T("v_lshl_add_u32", "u=uuu", (A << (B & 31)) + C)
		T("v_add_lshl_u32", "u=uuu", (A + B) << (C & 31))
		T("v_lshl_or_b32", "u=uuu", A << (B & 31) | C)
		T("v_xad_u32", "u=uuu", (A ^ B) + C)
		T("v_add3_u32", "u=uuu", A + B + C)
		T("v_min_{u,i}{16,32} v_pk_min_{u,i}16", "x=xx", low_of(A, B))
		T("v_max_{u,i}{16,32} v_pk_max_{u,i}16", "x=xx", high_of(A, B))
		T("v_min3_{u,i}{16,32}", "x=xxx+", sort3(A, B, C, 0))
		T("v_med3_{u,i}{16,32}", "x=xxx+", sort3(A, B, C, 1))
		T("v_max3_{u,i}{16,32}", "x=xxx+", sort3(A, B, C, 2))
		T("v_minmax_{u,i}32", "x=xxx", high_of(low_of(A, B), C))
		T("v_maxmin_{u,i}32", "x=xxx", low_of(high_of(A, B), C))
		T("v_mul_u32_u24", "u=uu", U24(A) * U24(B))
		T("v_mul_hi_u32_u24", "u=uu", U24(A) * U24(B) >> 32)
		T("v_mul_i32_i24", "i=uu", S24(A) * S24(B))
		T("v_mul_hi_i32_i24", "i=uu", S24(A) * S24(B) >> 32)
		T("v_bcnt_u32_b32", "u=uu", ones((uint64_t)A) + B)
		T("v_bfe_u32", "u=uuu", bits_of(A, B & 31, C & 31, 0))
		T("v_bfe_i32", "i=iii", bits_of(A, B & 31, C & 31, 1))
		T("v_alignbit_b32", "u=uuu", (A << 32 | B) >> (C & 31))
		T("v_alignbyte_b32", "u=uuu", (A << 32 | B) >> 8 * (C & 3))
		T("v_perm_b32", "u=uuu",
			byte_of(A << 32 | B, C) | byte_of(A << 32 | B, C >> 8) << 8 |
				byte_of(A << 32 | B, C >> 16) << 16 | byte_of(A << 32 | B, C >> 24) << 24)
		T("v_pack_b32_f16", "u=hh", A + 65536 * B)
		T("v_cvt_pk_u16_u32", "u=uu", low_of(A, 65535) + 65536 * low_of(B, 65535))
		T("v_cvt_pk_i16_i32", "u=ii",
			(sort3(A, -32768, 32767, 1) & 65535) + 65536 * sort3(B, -32768, 32767, 1))
		T("v_{add,add_nc}_{u,i}{32,16} v_pk_add_{u,i}16", "x=xx<", A + B)
		T("v_{sub,sub_nc}_{u,i}{32,16} v_pk_sub_{u,i}16", "x=xx<", A - B)
		T("v_{subrev,subrev_nc}_u{32,16}", "x=xx<", B - A)
		T("v{,_pk}_mul_lo_u16", "h=hh", A * B)
		T("v_mad_{u,i}16 v_mad_legacy_{u,i}16 v_pk_mad_{u,i}16", "x=xxx+", A * B + C)
		T("v_mad_u32_u24", "u=uuu<", U24(A) * U24(B) + C)
		T("v_mad_i32_i24", "i=uui<", S24(A) * S24(B) + C)
		T("v_mad_u32_u16", "u=hhu<", A * B + C)
		T("v_mad_i32_i16", "i=jji<", A * B + C)
		T("v_sad_u32", "u=uuu<", high_of(A, B) - low_of(A, B) + C)
		T("v_add_co_u32", "um=uu", CARRY(A + B))
		T("v_sub_co_u32", "um=uu", CARRY(A - B))
		T("v_subrev_co_u32", "um=uu", CARRY(B - A))
		T("v_addc_co_u32 v_add_co_ci_u32", "um=uum", CARRY(A + B + C))
		T("v_subb_co_u32 v_sub_co_ci_u32", "um=uum", CARRY(A - B - C))
		T("v_subbrev_co_u32 v_subrev_co_ci_u32", "um=uum", CARRY(B - A - C))
		T("v_mad_u64_u32", "Um=uuU", WIDE_CARRY(A * B + C))
		T("v_mad_i64_i32", "Im=iiI", WIDE_CARRY(A * B + C))
		T("v_pk_mov_b32", "U=QQ",
			bits_of(A, x->n->op_sel % 2 * 32, 32, false) | B >> x->n->op_sel / 2 * 32 << 32)
		T("v_mbcnt_lo_u32_b32", "u=uu", ones((uint64_t)(A & ONES(low_of(x->at, 32)))) + B)
		T("v_mbcnt_hi_u32_b32", "u=uu", ones((uint64_t)(A & ONES(high_of(x->at, 32) - 32))) + B)

		T("v_cmp{,x}_class_f{16,32,64}", "m=xu", B >> class_of((uint64_t)A, *x->n->types) & 1)
		F("v_add_f{16,32,64} v_pk_add_f{16,32}", "x=xx", P + Q)
		F("v_sub_f{16,32}", "x=xx", P - Q)
		F("v_subrev_f{16,32}", "x=xx", Q - P)
		F("v_mul_f{16,32,64} v_pk_mul_f{16,32}", "x=xx", P * Q)
		F("v_fma_f{16,32,64} v_pk_fma_f{16,32}", "x=xxx+", sum_of(P * Q, R))
		F("v_fmac_f{16,32,64} v_pk_fmac_f16", "x=xx+", sum_of(P * Q, ADDEND))
		F("v_fmamk_f32", "f=flf", sum_of(P * Q, R))
		F("v_fmaak_f32", "f=ffl", sum_of(P * Q, R))
		F("v_mad_f32", "f=fff", rounded(P * Q) + R)
		F("v_mac_f32", "f=ff", rounded(P * Q) + ADDEND)
		F("v_madmk_f32", "f=flf", rounded(P * Q) + R)
		F("v_madak_f32", "f=ffl", rounded(P * Q) + R)
		F("v_min_f{16,32,64} v_pk_min_f16", "x=xx", lesser(P, Q))
		F("v_max_f{16,32,64} v_pk_max_f16", "x=xx", greater(P, Q))
		F("v_min3_f{16,32}", "x=xxx+", lesser(lesser(P, Q), R))
		F("v_max3_f{16,32}", "x=xxx+", greater(greater(P, Q), R))
		F("v_med3_f{16,32}", "x=xxx+", middle(P, Q, R))
		F("v_minmax_f{16,32}", "x=xxx+", greater(lesser(P, Q), R))
		F("v_maxmin_f{16,32}", "x=xxx+", lesser(greater(P, Q), R))
		F("v_trunc_f{16,32,64}", "x=x", P < 0 ? -down(-P) : down(P))
		F("v_floor_f{16,32,64}", "x=x", down(P))
		F("v_ceil_f{16,32,64}", "x=x", -down(-P))
		F("v_rndne_f{16,32,64}", "x=x", nearest(P))
		F("v_fract_f{16,32,64}", "x=x", P - down(P))
		F("v_rcp_f{16,32,64} v_rcp_iflag_f32", "x=x", 1 / P)
		F("v_sqrt_f{16,32,64}", "x=x", root(P))
		F("v_rsq_f{16,32,64}", "x=x~", 1 / root(P))
		F("v_frexp_mant_f{16,32,64}", "x=x", scaled(P, -exponent_of(P)))
		F("v_exp_f{16,32}", "x=x~", (quad)exp2l((long double)P))
		F("v_log_f{16,32}", "x=x~", (quad)log2l((long double)P))
		F("v_sin_f{16,32}", "x=x~", sine(P))
		F("v_cos_f{16,32}", "x=x~", sine(absolute(P) - down(absolute(P)) + 0.25))
		F("v_ldexp_f{32,64}", "x=xi", scaled(P, B))
		F("v_ldexp_f16", "e=ej", scaled(P, B))
		F("v_cvt_f{32,64}_{u,i}32 v_cvt_f16_{u,i}16", "y=x", A)
		F("v_cvt_f32_f{16,64} v_cvt_f{16,64}_f32", "y=x", P)
		F("v_cvt_f32_ubyte{0,1,2,3}", "f=u", A >> 8 * DIGIT(15) & 255)
		T("v_cvt_u32_f{32,64}", "y=x", limit(P, 0, UINT32_MAX))
		T("v_cvt_i32_f{32,64}", "y=x", limit(P, INT32_MIN, INT32_MAX))
		T("v_cvt_u16_f16", "y=x", limit(P, 0, 65535))
		T("v_cvt_i16_f16", "y=x", limit(P, -32768, 32767))
		T("v_cvt_{rpi,nearest}_i32_f32", "y=x", limit(down(P + 0.5), INT32_MIN, INT32_MAX))
		T("v_cvt_{flr,floor}_i32_f32", "y=x", limit(down(P), INT32_MIN, INT32_MAX))
		T("v_frexp_exp_i32_f{32,64} v_frexp_exp_i16_f16", "y=x", exponent_of(P))
		T("v_cvt_{pkrtz,pk_rtz}_f16_f32", "u=ff", toward_zero(P, A) + 65536 * toward_zero(Q, B))

		SCRIPT("s_branch", "s=", S(0), BRANCH("s_branch"))
		SCRIPT("s_cbranch_scc0", "s=", TAKEN(!x->scc), BRANCH("s_cbranch_scc0"))
		SCRIPT("s_cbranch_scc1", "s=", TAKEN(x->scc), BRANCH("s_cbranch_scc1"))
		SCRIPT("s_cbranch_vccz", "s=", TAKEN(!x->vcc), BRANCH("s_cbranch_vccz"))
		SCRIPT("s_cbranch_vccnz", "s=", TAKEN(x->vcc), BRANCH("s_cbranch_vccnz"))
		SCRIPT("s_cbranch_execz", "s=", TAKEN(!x->exec), BRANCH("s_cbranch_execz"))
		SCRIPT("s_cbranch_execnz", "s=", TAKEN(x->exec), BRANCH("s_cbranch_execnz"))
		SCRIPT("s_getpc_b64", "s=", SCC_OF(false, 4),
			"s_getpc_b64 s[64:65]; s_getpc_b64 s[66:67]; "
			"s_sub_u32 s16, s66, s64")
		SCRIPT("s_swappc_b64", "s=", SCC_OF(false, 4),
			"s_getpc_b64 s[64:65]; s_add_u32 s64, s64, 16; "
			"s_addc_u32 s65, s65, 0; s_swappc_b64 s[66:67], s[64:65]; s_mov_b32 s17, 1; s_sub_u32 s16, s64, s66")
		SCRIPT("s_getreg_b32", "s=", 3, "s_getreg_b32 s16, hwreg(HW_REG_MODE, 4, 2)")
		SCRIPT("v_accvgpr_write_b32", "u=", V(2),
			"v_accvgpr_write_b32 a3, v2; v_accvgpr_read_b32 v0, a3")
		SCRIPT("v_accvgpr_mov_b32", "u=", V(2),
			"v_accvgpr_write_b32 a2, v2; v_accvgpr_mov_b32 a4, a2; "
			"v_accvgpr_read_b32 v0, a4")
		SCRIPT("v_readlane_b32", "s=", x->old->v[2][S(2) % t.nlanes], "v_readlane_b32 s16, v2, s18")
		SCRIPT("v_readfirstlane_b32", "s=", x->old->v[2][x->exec ? __builtin_ctzll(x->exec) : 0],
			"v_readfirstlane_b32 s16, v2")
		SCRIPT("v_writelane_b32", "a=", x->at == S(2) % t.nlanes ? S(1) : V(0),
			"s_mov_b32 s52, m0; s_mov_b32 m0, s18; v_writelane_b32 v0, s17, m0; s_mov_b32 m0, s52")
		SCRIPT("v_permlane16_b32", "u=", permuted(x, x->at & 48, 0),
			"v_permlane16_b32 v0, v2, s18, s20")
		SCRIPT("v_permlanex16_b32", "u=", permuted(x, (x->at & 48) ^ 16, 3),
			"v_permlanex16_b32 v0, v2, s18, s20 op_sel:[1,1]")
		SCRIPT("v_permlane64_b32", "u=", x->old->v[2][(x->at + 32) % t.nlanes],
			"v_permlane64_b32 v0, v2")
		SCRIPT("v_swap_b32", "u=", (wide)V(2) - V(0),
			"v_swap_b32 v0, v2; v_sub_nc_u32 v0, v0, v2; "
			"v_add_nc_u32 v2, v2, v0")
		SCRIPT("v_movrels_b32", "u=", V(2 + x->old->s[M0]), "v_movrels_b32 v0, v2")
		SCRIPT("v_movreld_b32", "u=", V(2), "v_movreld_b32 v20, v2; v_movrels_b32 v0, v20")
		SCRIPT("s_set_gpr_idx_on", "u=", V(2 + (S(3) & 1)),
			"s_mov_b32 s52, m0; s_cselect_b32 s53, 1, 0; "
			"s_and_b32 s64, s19, 1; s_set_gpr_idx_on s64, gpr_idx(SRC0); v_mov_b32 v0, v2; s_set_gpr_idx_off; "
			"s_mov_b32 m0, s52; s_cmp_lg_u32 s53, 0")
		SCRIPT("v_fma_mix_f32", "u=", mixed(x),
			MODERATE "v_fma_mix_f32 v0, -v20, v21, v6 op_sel:[1,0,0] op_sel_hi:[1,1,0]")
		SCRIPT("v_fma_mixlo_f16", "u=", (V(0) & 0xffff0000) | mixed_half(x),
			MODERATE "v_fma_mixlo_f16 v0, v20, v21, v21 op_sel_hi:[0,0,1]")
		SCRIPT("v_fma_mixhi_f16", "u=", (V(0) & 0xffff) | mixed_half(x) << 16,
			MODERATE "v_fma_mixhi_f16 v0, v20, v21, v21 op_sel_hi:[0,0,1]")
		SCRIPT("v_div_fixup_f16",
			"u=", (V(0) & 0xffff0000) | quotient(V(2) & 0xffff, V(4) & 0xffff, 'e'),
			"v_cvt_f32_f16 v20, v4; v_cvt_f32_f16 v21, v2; v_rcp_f32 v20, v20; v_mul_f32 v20, v21, v20; "
			"v_cvt_f16_f32 v20, v20; v_div_fixup_f16 v0, v20, v4, v2")
		SCRIPT("v_div_fixup_f32 v_div_scale_f32 v_div_fmas_f32", "u=", quotient(V(2), V(4), 'f'),
			DIVIDE_32)
		SCRIPT("v_div_fixup_f64 v_div_scale_f64 v_div_fmas_f64", "U=", quotient(V64(2), V64(4), 'd'),
			DIVIDE_64)
	default:
		return 0;
	}
}

/* ---- what an instruction should do ---- */

static int dpp_source(const struct snippet *n, int l)
{
	const int k = (int)n->lanes[0], row = l / 16 * 16, at = l % 16, last = (int)t.nlanes - 1;

	switch (n->dpp_kind) {
	case 0:
		return at + k < 16 ? row + at + k : -1;
	case 1:
		return at - k >= 0 ? row + at - k : -1;
	case 2:
		return row + (at + 16 - k) % 16;
	case 3:
		return l < last ? l + 1 : -1;
	case 4:
		return l < last ? l + 1 : 0;
	case 5:
		return l > 0 ? l - 1 : -1;
	case 6:
		return l > 0 ? l - 1 : last;
	case 7:
		return row + 15 - at;
	case 8:
		return l / 8 * 8 + 7 - l % 8;
	case 9:
		return row ? row - 1 : -1;
	case 10:
		return l > 31 ? 31 : -1;
	case 13:
		return row + (at ^ k);
	case 14:
		return l / 4 * 4 + (int)n->lanes[l % 4];
	case 15:
		return l / 8 * 8 + (int)n->lanes[l % 8];
	default:
		return row + k;
	}
}
static unsigned part_bits(unsigned sel)
{
	return sel < 4 ? 8 : sel < 6 ? 16 : 32;
}
static unsigned part_shift(unsigned sel)
{
	return sel < 4 ? 8 * sel : sel == 5 ? 16 : 0;
}
static uint64_t read_pair(const struct state *s, const struct text_operand *o, unsigned l)
{
	const uint64_t constant = o->bits;

	if (o->kind == 'v')
		return s->v[o->reg][l] | (uint64_t)s->v[o->reg + 1][l] << 32;
	return o->kind == 'c' ? constant : s->s[o->reg] | (uint64_t)s->s[o->reg + 1] << 32;
}
/* The bits of a source in a lane; lane -1: there is none; high: the other half of a packed source. */
static uint64_t read_source(const struct snippet *n, const struct state *s, unsigned k, int l, bool high)
{
	const struct text_operand *o = &n->src[k];
	const char type = n->types[k];
	const unsigned sel = (high ? n->op_sel_hi : n->op_sel) >> k & 1, nbits = type_bits(type);
	uint64_t x = l < 0 ? 0 : read_pair(s, o, (unsigned)l);

	if (type == 'm')
		return x >> l & 1;
	if (n->sdwa && k < 2)
		x = (uint32_t)bits_of(x, part_shift(n->sel[k]), part_bits(n->sel[k]), o->sext);
	x >>= type == 'F' ? 32 * sel : is_half(type) && o->kind != 'c' ? 16 * sel : 0;
	x &= UINT64_MAX >> (64 - nbits);
	if (o->abs)
		x &= ~sign_bit(type);
	return o->neg || (is_float(type) && (high ? n->neg_hi : n->neg_lo) >> k & 1) ? x ^ sign_bit(type) : x;
}
static void put_result(const struct snippet *n, struct state *should, unsigned l, bool high, wide v)
{
	const char type = *n->shape;
	const bool keeps = t.gpu == GFX1100 || (strchr(n->shape, '+') && !strstr(n->name, "legacy"));
	const bool is_signed = type == 'i' || type == 'j';
	uint32_t *d = n->dst.kind == 's' ? &should->s[n->dst.reg] : &should->v[n->dst.reg][l];
	const unsigned next = n->dst.kind == 's' ? 1 : LANES;
	const wide span = ONES(is_half(type) ? 16 : 32), least = is_signed ? -(span / 2) - 1 : 0;

	if (n->clamp && !is_float(type))
		v = sort3(v, least, least + span, 1);
	if (is_half(type) && (n->packed ? high : n->op_sel & 8))
		v = *d % 65536 + (uint32_t)v % 65536 * 65536;
	else if (is_half(type))
		v = (n->packed || keeps ? *d / 65536 * 65536 : 0) + (uint32_t)v % 65536;
	if (n->sdwa) {
		const unsigned nbits = part_bits(n->sel[2]), at = part_shift(n->sel[2]);

		v = bits_of(v, 0, nbits, n->unused == 1) << at;
		v = n->unused == 2 ? v | (*d & ~(ONES(nbits) << at)) : v;
	}
	d[type == 'F' && high ? next : 0] = (uint32_t)v;
	if (is_wide(type) && type != 'F')
		d[next] = (uint32_t)(v >> 32);
	if (strchr(n->shape, '!') && n->dst.kind == 's')
		should->s[SCC] = (v & ONES(type_bits(type))) != 0;
}
/* The value of a lane, or of a half of it. */
static void expect_lane(struct lane x, int from, bool high, uint64_t *mask)
{
	const struct snippet *n = x.n;
	const char type = *n->shape;
	uint64_t in[4] = {0};
	wide a[3] = {0}, v;
	quad f[3] = {0};
	char types[5] = "";

	for (unsigned k = 0; k < n->nsrc; k++) {
		types[k] = n->types[k];
		in[k] = read_source(n, x.old, k, k == 0 ? from : (int)x.at, high);
		a[k] = bits_of(in[k], 0, type_bits(types[k]), strchr("iIjt", types[k]));
		f[k] = is_float(types[k]) ? decode(in[k], types[k]) : 0;
	}
	x.a = a[0], x.b = a[1], x.c = a[2], x.p = f[0], x.q = f[1], x.r = f[2];
	if (n->dst.kind && n->dst.kind != 'm')
		x.d = bits_of(read_pair(x.old, &n->dst, x.at), is_half(type) && high ? 16 : 0,
			type_bits(type), false);
	if (strstr(n->name, "mac")) {
		in[2] = (uint64_t)x.d;
		types[2] = type;
	}
	v = define(&x, n->definition);
	if (x.has_y)
		v = float_result(&x, type, in, types);
	if (type == 'm')
		x.carry = v != 0;
	if (type == '=')
		x.scc = v != 0;
	x.should->s[SCC] = x.scc;
	if (!strchr("m=", type))
		put_result(n, x.should, x.at, high, v);
	*mask |= (uint64_t)x.carry << x.at;
}
static uint64_t pair_at(const struct state *s, unsigned reg)
{
	return s->s[reg] | (uint64_t)s->s[reg + 1] << 32;
}
static void put_mask(struct state *s, unsigned reg, uint64_t mask)
{
	s->s[reg] = (uint32_t)mask;
	if (t.nlanes == 64)
		s->s[reg + 1] = (uint32_t)(mask >> 32);
}
static void expect(const struct snippet *n, const struct state *old, struct state *should)
{
	struct lane x = {.n = n,
		.old = old,
		.should = should,
		.exec = pair_at(old, EXEC),
		.vcc = pair_at(old, VCC),
		.scc = old->s[SCC]};
	const bool scalar = *n->shape == '=' || n->dst.kind == 's';
	const struct text_operand *o = *n->shape == 'm' ? &n->dst : &n->mask;
	uint64_t mask = 0;

	*should = *old;
	for (x.at = 0; x.at < (scalar ? 1 : t.nlanes); x.at++) {
		const int from = n->dpp ? dpp_source(n, (int)x.at) : (int)x.at;
		const bool valid = from >= 0 && (!n->dpp || n->fi || x.exec >> from & 1);
		const bool masked = !(n->row_mask >> x.at / 16 & n->bank_mask >> x.at % 16 / 4 & 1);

		if (!scalar && *n->shape != 'a' && !(x.exec >> x.at & 1))
			continue;
		if (n->dpp && n->dpp_kind != 15 && (masked || !(valid || n->bound_ctrl)))
			continue;
		for (unsigned half = 0; half < (n->packed ? 2 : 1); half++)
			expect_lane(x, valid ? from : -1, half, &mask);
	}
	if (o->kind)
		put_mask(should, o->reg, mask);
	if (n->cmpx)
		put_mask(should, EXEC, mask);
}
static bool matches(const struct snippet *n, const struct state *old, const struct state *is, bool says)
{
	static struct state should;
	const uint32_t *a = is->v[0], *b = should.v[0], *before = old->v[0];
	const bool nearly = strchr(n->shape, '~'), nearly_half = nearly && is_half(*n->shape);

	expect(n, old, &should);
	for (unsigned k = 0; k < NROWS * LANES + NSGPRS + 1; k++) {
		const unsigned sgpr = k - NROWS * LANES, unit = a[k] - b[k];
		const bool near_high = nearly_half && unit % 65536 == 0 && unit + 65536 <= 131072;
		const bool near_low = nearly && unit + 1 <= 2, row = k < NROWS * LANES;
		const bool unused = row ? k % LANES >= t.nlanes : sgpr >= 48 && sgpr < VCC;

		if (a[k] == b[k] || unused || (row && (near_low || near_high)))
			continue;
		if (says) {
			fprintf(stderr, "%s on %s: %s%u lane %u is %#x, should be %#x (was %#x;", n->text,
				gpu_name(t.gpu), row ? "v" : "s", row ? k / LANES : sgpr, k % LANES, a[k],
				b[k], before[k]);
			for (unsigned s = 0; s < n->nsrc; s++)
				fprintf(stderr, " %#" PRIx64,
					read_source(n, old, s, (int)(k % LANES), false));
			fprintf(stderr, "; exec %#" PRIx64 " vcc %#" PRIx64 ")\n", pair_at(old, EXEC),
				pair_at(old, VCC));
		}
		return false;
	}
	return true;
}

/* ---- runs ---- */

static void write_assembly(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f || fprintf(f, ".text\n.globl snippets\n.p2align 8\nsnippets:\n") < 0)
		exit(2);
	for (unsigned k = 0, line = 5; k < t.nsnippets; k++) {
		struct snippet *n = &t.snippets[k];

		n->line = line;
		line += 3;
		n->text[0] = n->refused ? 0 : n->text[0];
		for (const char *c = n->text; *c; c++)
			line += *c == '\n';
		fprintf(f, "%s\ns_endpgm\n.p2align 7\n", n->text);
	}
	fclose(f);
}
/* Marks what the assembler refuses; returns how much that is. */
static unsigned mark_refused(const char *command)
{
	FILE *f = popen(command, "r");
	char line[1024];
	unsigned n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, ".s:");
		unsigned k = t.nsnippets;

		if (!at || !strstr(line, "error:"))
			continue;
		while (k && t.snippets[k - 1].line > (unsigned)atoi(at + 3))
			k--;
		if (!k--)
			exit(2);
		n += !t.snippets[k].refused;
		t.snippets[k].refused = true;
	}
	if (f && pclose(f) && !n) {
		fprintf(stderr, "instructions: %s\n", command);
		exit(2);
	}
	return n;
}
static void load_snippets(const char *folder)
{
	char path[256], command[1024];

	snprintf(path, sizeof(path), "%s/%s.s", folder, gpu_name(t.gpu));
	snprintf(command, sizeof(command),
		"clang-19 --target=amdgcn-amd-amdhsa -mcpu=%s -nogpulib -ferror-limit=0 -o %s/%s.co %s 2>&1",
		gpu_name(t.gpu), folder, gpu_name(t.gpu), path);
	do
		write_assembly(path);
	while (mark_refused(command));
	strcpy(path + strlen(path) - 1, "co");
	t.module = load_assembled(path, t.nlanes, t.nsnippets);
}

/* ---- the opcodes ---- */

/* Opcodes that no test here runs. */
static const char exempt[] =
	" s_endpgm s_setpc_b64 s_barrier s_trap v_fmamk_f16 v_fmaak_f16 " /* other tests; v_fma_f16 */
	" s_memtime s_memrealtime s_sendmsg_rtn_b32 s_sendmsg_rtn_b64 "   /* clocks */
	" s_set_gpr_idx_idx s_set_gpr_idx_off "                           /* M0 only */
	/* end the program or do nothing */
	" s_setreg_b32 s_setreg_imm32_b32 s_round_mode s_denorm_mode s_version "
	" s_andn2_saveexec_b32 s_orn2_saveexec_b32 " /* no GPU has them: GFX11 has different names */
	" s_nop v_nop s_code_end s_clause s_delay_alu s_waitcnt_depctr s_inst_prefetch s_set_inst_prefetch_distance "
	" s_setprio s_sethalt s_wakeup s_sleep s_sendmsg s_ttracedata s_ttracedata_imm ds_nop s_waitcnt_expcnt "
	" s_dcache_wb s_dcache_wb_vol s_icache_inv "; /* no result */
static const struct opcode *const tables[] = {
	scalar_opcodes, vector_opcodes, float_opcodes, compare_opcodes, lane_opcodes};
static struct tested {
	const struct opcode *opcode;
	bool ran, noticed;
} tested[1024];

static void list_opcodes(void)
{
	unsigned n = 0;

	for (unsigned k = 0; k < COUNT(tables); k++)
		for (const struct opcode *o = tables[k]; o->name; o++) {
			char name[64];

			snprintf(name, sizeof(name), " %s ", o->name);
			if (*o->name && *o->name != '_' && !strstr(exempt, name))
				tested[n++].opcode = o;
		}
}
static struct tested *find_tested(const struct opcode *o)
{
	struct tested *k = tested;

	while (k->opcode && k->opcode != o)
		k++;
	return k; /* the end: exempt */
}
/* Flip a bit of the first destination in the first active lane, SCC, or whether a branch is taken. */
static void flip_result(struct wave *w, const struct inst *i, uint64_t exec)
{
	const struct operand *o = &i->op[0];

	if (i->opcode->flags & OP_BRANCH)
		w->pc = i + i->nbytes / 4;
	else if (w->gpr_idx)
		w->gpr_idx ^= 1;
	else if (i->opcode->ndsts && o->kind == OPERAND_SGPR)
		w->s[o->reg] ^= 1;
	else if (!i->opcode->ndsts || o->kind != OPERAND_VGPR)
		w->scc ^= true;
	else if (exec)
		w->v[o->reg][lowest(exec)] ^= 4;
}
/* Run a snippet; flip: flip one bit during the run. */
static bool run_snippet(unsigned k, const struct opcode *flip, bool says)
{
	static uint32_t rows[NVGPRS][LANES];
	static struct block block;
	static struct state in, out;
	struct wave w = {.v = rows,
		.nlanes = t.nlanes,
		.module = t.module,
		.block = &block,
		.pc = snippet_at(t.module, k)};

	random_state(&in);
	memcpy(w.s, in.s, sizeof(w.s));
	memcpy(w.v, in.v, sizeof(in.v));
	w.scc = in.s[SCC];
	while (w.state == WAVE_RUNS) {
		const struct inst *i = w.pc;
		const uint64_t exec = wave_exec(&w);

		w.pc = i + i->nbytes / 4;
		i->run(&w, i);
		find_tested(i->opcode)->ran = true;
		if (i->opcode == flip) {
			flip_result(&w, i, exec);
			flip = NULL;
		}
	}
	memcpy(out.s, w.s, sizeof(w.s));
	memcpy(out.v, w.v, sizeof(out.v));
	out.s[SCC] = w.scc;
	t.nruns++;
	return matches(&t.snippets[k], &in, &out, says);
}
/* How many runs of snippets that use an opcode, or of all snippets, fail. flip: stop at the first. */
static unsigned run_opcode(const struct opcode *flip)
{
	unsigned nfailed = 0;

	for (unsigned k = 0; k < t.nsnippets; k++) {
		const struct snippet *n = &t.snippets[k];

		if (n->refused ||
			(flip && (n->script ? !strstr(n->text, flip->name) : strcmp(n->name, flip->name))))
			continue;
		for (unsigned trial = 0; trial < NTRIALS && !(flip && nfailed); trial++)
			nfailed += !run_snippet(k, flip, !flip && nfailed < 20);
	}
	return nfailed;
}
int main(int argc, char **argv)
{
	const bool flips = argc > 3 && !strcmp(argv[3], "-f");
	char path[256];
	unsigned nfailed, nopcodes = 0;
	FILE *f;

	if (argc < 3 || gpu_by_name(argv[1]) < 0)
		return 2;
	setenv("AMDSIM_GPU", argv[1], 1);
	t.gpu = (enum gpu)gpu_by_name(argv[1]);
	t.nlanes = t.gpu == GFX1100 ? 32 : 64;
	for (unsigned line = 1; line < 1000; line++)
		define(&(struct lane){0}, line);
	list_opcodes();
	load_snippets(argv[2]);
	nfailed = run_opcode(NULL);
	snprintf(path, sizeof(path), "%s/%s.untested", argv[2], argv[1]);
	f = fopen(path, "w");
	for (struct tested *k = tested; f && k->opcode; k++) {
		nopcodes += k->ran;
		if (!k->ran)
			fprintf(f, "%s\n", k->opcode->name);
		else if (flips && !run_opcode(k->opcode))
			nfailed += fprintf(stderr, "instructions: %s: %s: no test notices a flipped bit\n",
					   argv[1], k->opcode->name) > 0;
	}
	if (!f || fclose(f))
		return 2;
	printf("instructions%s: %s: %u runs of %u opcodes, %u failed\n", flips ? ", flipped" : "", argv[1],
		t.nruns, nopcodes, nfailed);
	return nfailed != 0;
}
