/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns machine code into struct inst by the text of LLVM's disassembler, at a kernel's first launch: the
 * kernel's own code, and all functions of the module if it calls any. Code repeats itself, so recent
 * encodings are copied instead of disassembled. An instruction whose text is not understood has no opcode; a
 * kernel that may reach one is not started.
 */
#include "sim.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* ---- constants ---- */

/* Are the sources of a type: the one at the mnemonic's end ("f16" in v_cvt_f32_f16_e32)? */
static bool has_sources(const char *name, const char *type)
{
	return starts(name + opcode_length(name) - strlen(type), type);
}

/* Constants that are printed as floats are powers of 2 and 1/(2 pi): normal numbers in all formats. */
static bool parse_float(const char *name, const char *text, struct operand *o)
{
	bool half = has_sources(name, "16") && !strstr(name, "mix");
	const locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	const locale_t program = uselocale(c); /* which may write fractions with a comma */
	char *end;
	double x = strtod(text, &end);
	float single;

	uselocale(program);
	if (c)
		freelocale(c);
	if (starts(text + (*text == '-'), "0.15915494")) /* the text has only some of its digits */
		x = *text == '-' ? -0.15915494309189532 : 0.15915494309189532;
	single = (float)x;
	memcpy(&o->imm64, &x, sizeof(x));
	memcpy(&o->imm32, &single, sizeof(single));
	if (half)
		o->imm32 = (o->imm32 >> 16 & 0x8000) |
			((o->imm32 & 0x7fffffff) + 0x1000 - ((127 - 15) << 23)) >> 13;
	return !*end;
}

/*
 * A literal, printed in hexadecimal, is zero-extended to 64 bits; for i64 it is sign-extended, for f64 it is
 * the high half.
 */
static bool parse_constant(const char *name, const char *text, struct operand *o)
{
	bool hex = starts(text, "0x");
	char *end;
	long long x = strtoll(text, &end, 0);

	o->kind = OPERAND_IMM;
	o->nregs = 1;
	if (!hex && strchr(text, '.'))
		return parse_float(name, text, o);
	o->imm32 = (uint32_t)x;
	o->imm64 = (uint64_t)x;
	if (hex && has_sources(name, "i64"))
		o->imm64 = (uint64_t)(int64_t)(int32_t)x;
	if (hex && has_sources(name, "f64"))
		o->imm64 = (uint64_t)x << 32;
	return !*end && end != text;
}

/* ---- operands ---- */

static bool parse_special(const char *text, struct operand *o)
{
	static const struct {
		const char *name;
		enum operand_kind kind;
		unsigned reg, nregs;
		uint64_t value;
	} names[] = {
		{"off", OPERAND_NONE, 0, 0, 0},
		{"null", OPERAND_NONE, 0, 0, 0},
		{"m0", OPERAND_SGPR, M0, 1, 0},
		{"vcc", OPERAND_SGPR, VCC, 2, 0},
		{"vcc_lo", OPERAND_SGPR, VCC, 1, 0},
		{"vcc_hi", OPERAND_SGPR, VCC + 1, 1, 0},
		{"exec", OPERAND_SGPR, EXEC, 2, 0},
		{"exec_lo", OPERAND_SGPR, EXEC, 1, 0},
		{"exec_hi", OPERAND_SGPR, EXEC + 1, 1, 0},
		{"scc", OPERAND_SCC, 0, 1, 0},
		{"flat_scratch", OPERAND_SGPR, FLAT_SCRATCH, 2, 0},
		{"vccz", OPERAND_VCCZ, 0, 1, 0},
		{"flat_scratch_lo", OPERAND_SGPR, FLAT_SCRATCH, 1, 0},
		{"execz", OPERAND_EXECZ, 0, 1, 0},
		{"flat_scratch_hi", OPERAND_SGPR, FLAT_SCRATCH + 1, 1, 0},
		{"shared_base", OPERAND_IMM, 0, 2, APERTURE_LDS},
		{"private_base", OPERAND_IMM, 0, 2, APERTURE_PRIVATE},
	};

	text += starts(text, "src_") ? 4 : 0;
	for (size_t k = 0; k < COUNT(names); k++)
		if (!strcmp(text, names[k].name)) {
			o->kind = names[k].kind;
			o->reg = names[k].reg;
			o->nregs = names[k].nregs;
			o->imm64 = names[k].value;
			return true;
		}
	return false;
}

/* v7, v[2:3], s.., a.., ttmp.. */
static bool parse_register(const char *text, struct operand *o)
{
	char file = *(text += starts(text, "ttmp") ? 3 : 0);
	unsigned first, last, limit = file == 's' ? 106 : file == 'p' ? 16 : 256;
	int length = 0;

	if (!file || !strchr("vsap", file))
		return false;
	if (sscanf(text + 1, "[%u:%u]%n", &first, &last, &length) != 2) {
		if (sscanf(text + 1, "%u%n", &first, &length) != 1)
			return false;
		last = first;
	}
	o->kind = file == 's' || file == 'p' ? OPERAND_SGPR : OPERAND_VGPR;
	o->reg = first + (file == 'a' ? AGPRS : file == 'p' ? TTMP : 0);
	o->nregs = last - first + 1;
	return length && !text[1 + length] && first <= last && last < limit;
}

/* Removes "before ... )" or "| ... |". */
static bool unwrap(char **text_p, const char *before)
{
	size_t length = strlen(*text_p);

	if (!starts(*text_p, before))
		return false;
	(*text_p)[length - 1] = 0;
	*text_p += strlen(before);
	return true;
}

/* hwreg(), sendmsg() and gpr_idx() become constants: the low 16 bits of the code, which hold their fields. */
static bool parse_operand(const char *name, char *text, uint32_t code, struct operand *o)
{
	if (starts(text, "hwreg(") || starts(text, "sendmsg(") || starts(text, "gpr_idx(")) {
		*o = (struct operand){
			.kind = OPERAND_IMM, .nregs = 1, .imm32 = code & 0xffff, .imm64 = code & 0xffff};
		return true;
	}
	*o = (struct operand){.sext = unwrap(&text, "sext("), .neg = unwrap(&text, "neg(")};
	if (*text == '-' && (text[1] < '0' || text[1] > '9')) {
		o->neg = true;
		text++;
	}
	o->abs = unwrap(&text, "|") || unwrap(&text, "abs(");
	return parse_special(text, o) || parse_register(text, o) || parse_constant(name, text, o);
}

/* ---- modifiers ---- */

/* The kind of a modifier's value. Most are bytes of struct inst, at "at"; for DPP "at" is its kind. */
enum how { IGNORED, FLAG, NUMBER, BITS, WORD, OFFSET, DPP };
#define AT(name, how) \
	{ \
#name, how, offsetof(struct inst, name) \
	}
static const struct modifier {
	const char *name;
	enum how how;
	size_t at;
} modifiers[] = {
	AT(sc0, FLAG),
	AT(sc1, FLAG),
	AT(glc, FLAG),
	AT(clamp, FLAG),
	AT(fi, FLAG),
	AT(bound_ctrl, FLAG),
	AT(row_mask, NUMBER),
	AT(bank_mask, NUMBER),
	AT(offset0, NUMBER),
	AT(offset1, NUMBER),
	AT(op_sel, BITS),
	AT(op_sel_hi, BITS),
	AT(neg_lo, BITS),
	AT(neg_hi, BITS),
	AT(dst_sel, WORD),
	AT(dst_unused, WORD),
	{"src0_sel", WORD, offsetof(struct inst, src_sel[0])},
	{"src1_sel", WORD, offsetof(struct inst, src_sel[1])},
	{"offset", OFFSET, 0},
	{"mul", IGNORED, 0},
	{"div", IGNORED, 0},
	{"nt", IGNORED, 0},
	{"slc", IGNORED, 0},
	{"dlc", IGNORED, 0},
	{"gds", IGNORED, 0},
	{"offen", IGNORED, 0},
	{"quad_perm", DPP, DPP_QUAD_PERM},
	{"row_shl", DPP, DPP_ROW_SHL},
	{"row_shr", DPP, DPP_ROW_SHR},
	{"row_ror", DPP, DPP_ROW_ROR},
	{"wave_shl", DPP, DPP_WAVE_SHL},
	{"wave_rol", DPP, DPP_WAVE_ROL},
	{"wave_shr", DPP, DPP_WAVE_SHR},
	{"wave_ror", DPP, DPP_WAVE_ROR},
	{"row_mirror", DPP, DPP_ROW_MIRROR},
	{"row_half_mirror", DPP, DPP_ROW_HALF_MIRROR},
	{"row_bcast", DPP, DPP_ROW_BCAST},
	{"row_share", DPP, DPP_ROW_SHARE},
	{"row_xmask", DPP, DPP_ROW_XMASK},
	{"row_newbcast", DPP, DPP_ROW_NEWBCAST},
	{"dpp8", DPP, DPP_8},
};
static const char *const words[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD",
	"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

/* Reads the numbers of "[1,0,1]", and returns how many. */
static unsigned parse_list(const char *text, uint8_t list[8])
{
	unsigned n = 0;

	for (; *text && n < 8; text++)
		if (*text >= '0' && *text <= '9')
			list[n++] = (uint8_t)(*text - '0');
	return n;
}

/* False: unknown. "offset:swizzle(...)" has no number: its instruction reads the code itself. */
static bool parse_modifier(struct inst *i, const char *text)
{
	size_t length = strcspn(text, ":"), k = 0, word = 0;
	const char *value = text + length + (text[length] != 0);
	uint8_t list[8] = {0}, *to;
	unsigned n = parse_list(value, list);

	while (k < COUNT(modifiers) &&
		(strncmp(text, modifiers[k].name, length) || modifiers[k].name[length]))
		k++;
	if (k == COUNT(modifiers))
		return false;
	to = (uint8_t *)i + modifiers[k].at;
	switch (modifiers[k].how) {
	case IGNORED:
		break;
	case FLAG:
		*to = 1;
		break;
	case NUMBER:
		*to = (uint8_t)strtoul(value, NULL, 0);
		break;
	case BITS:
		/* if op_sel has one bit more than there are sources, the last is the destination's: bit 3 */
		*to = 0;
		for (k = 0; k < n; k++)
			*to |= (uint8_t)(list[k] << (to == &i->op_sel && k + 1 == n && n == i->nops ? 3 : k));
		break;
	case WORD:
		while (word < COUNT(words) && strcmp(value, words[word]))
			word++;
		*to = (uint8_t)(word > SDWA_DWORD ? word - SDWA_DWORD - 1 : word);
		return word < COUNT(words);
	case OFFSET:
		i->imm_offset = (int32_t)strtol(value, NULL, 0);
		break;
	case DPP:
		i->dpp = (uint8_t)modifiers[k].at;
		i->dpp_arg = (uint8_t)strtoul(value, NULL, 0);
		if (i->dpp == DPP_8)
			i->row_mask = i->bank_mask = 15;
		memcpy(i->dpp8, list, sizeof(i->dpp8));
		memcpy(i->quad_perm, list, sizeof(i->quad_perm));
	}
	return true;
}

/* ---- an instruction ---- */

/* Cuts the next token off *text_p, at a blank or comma outside of brackets; *end_p: which one. */
static char *next_token(char **text_p, char *end_p)
{
	char *from = *text_p + strspn(*text_p, " "), *at = from;
	int depth = 0;

	for (; *at && (depth || (*at != ',' && *at != ' ')); at++)
		depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
	*end_p = *at;
	*text_p = at + (*at != 0);
	*at = 0;
	return from;
}

/* The text after the mnemonic: operands are at its beginning and after commas, and modifiers follow them. */
static bool parse_rest(struct inst *i, const char *name, char *text, uint32_t code)
{
	char before = ',', end;

	for (; *text; before = end) {
		char *token = next_token(&text, &end);
		struct operand o;

		if (!*token)
			continue;
		if (before == ',' && i->nops < COUNT(i->op) && parse_operand(name, token, code, &o))
			i->op[i->nops++] = o;
		else if (!parse_modifier(i, token))
			return false;
	}
	return true;
}

/* The maximum of a counter means no wait. gfx9: vmcnt 15:14 and 3:0, lgkmcnt 11:8; gfx11: 15:10, 9:4. */
static void parse_wait(struct inst *i, enum gpu gpu, uint32_t code)
{
	unsigned vm = gpu == GFX1100 ? code >> 10 & 63 : (code & 15) | (code >> 10 & 48);
	unsigned lgkm = gpu == GFX1100 ? code >> 4 & 63 : code >> 8 & 15;

	i->vmcnt = vm == 63 ? -1 : (int16_t)vm;
	i->lgkmcnt = lgkm == (gpu == GFX1100 ? 63 : 15) ? -1 : (int16_t)lgkm;
}

/*
 * A vector load may have the destination of an earlier one: vector memory returns in order ("S_WAITCNT" in
 * the ISA documents), and LLVM does not wait between them.
 */
static void find_awaited(struct inst *i, enum gpu gpu)
{
	unsigned flags = i->opcode->flags;
	bool overtakes = flags & OP_LOAD && !(flags & OP_READS_DST);

	i->ndsts = (uint8_t)(i->opcode->ndsts + (flags & OP_RETURNS && (gpu == GFX942 ? i->sc0 : i->glc)));
	for (unsigned k = 0; k < i->nops; k++) {
		struct operand *o = &i->op[k];

		o->pending = o->kind == OPERAND_VGPR ? NSGPRS + o->reg
			: o->kind == OPERAND_SGPR    ? o->reg
						     : NO_PENDING;
		if (o->pending != NO_PENDING && !(k < i->ndsts && overtakes && o->kind == OPERAND_VGPR))
			i->awaited |= (uint8_t)(1 << k);
	}
}

/* Finds i's opcode and operands. text is a copy that may be cut up. */
static void parse_text(struct module *m, struct inst *i, char *text, uint32_t code)
{
	char *rest = text + strcspn(text, " ");

	i->target = -1;
	i->vmcnt = i->lgkmcnt = i->vscnt = -1;
	i->src_sel[0] = i->src_sel[1] = i->dst_sel = SDWA_DWORD;
	i->op_sel_hi = starts(text, "v_pk_") || starts(text, "v_dot") ? 7 : 0;
	if (*rest)
		*rest++ = 0;
	if (!strcmp(text, "s_waitcnt"))
		parse_wait(i, m->gpu, code);
	else if (strcmp(text, "s_delay_alu") && strcmp(text, "s_waitcnt_depctr") &&
		!parse_rest(i, text, rest, code))
		return;
	i->opcode = opcode_find(text);
	if (!i->opcode)
		return;
	i->run = i->opcode->run;
	find_awaited(i, m->gpu);
	if (!i->dpp && !strstr(text, "_sdwa"))
		return;
	i->base = memcpy(module_alloc(m, sizeof(*i)), i, sizeof(*i));
	i->base->dpp = DPP_NONE;
	i->base->src_sel[0] = i->base->src_sel[1] = i->base->dst_sel = SDWA_DWORD;
	i->is_sdwa = !i->dpp;
	i->run = i->dpp ? run_dpp : run_sdwa;
}

/* "v_dual_mov_b32 v0, v2 :: v_dual_add_f32 v1, v3, v4": two instructions. */
static void parse_dual(struct module *m, struct inst *i, char *first, char *second)
{
	i->base = module_alloc(m, 2 * sizeof(*i));
	i->base[0] = i->base[1] = *i;
	parse_text(m, &i->base[0], first, 0);
	parse_text(m, &i->base[1], second, 0);
	i->opcode = i->base[1].opcode ? i->base[0].opcode : NULL;
	i->run = i->opcode ? run_dual : NULL;
	i->awaited = i->base[0].awaited | i->base[1].awaited;
}

/* ---- a kernel ---- */

/* gfx11's code for one wave size means something else with the other. */
static LLVMDisasmContextRef open_llvm(const struct kernel *k)
{
	static const char *const sizes[] = {
		"+wavefrontsize64,-wavefrontsize32", "+wavefrontsize32,-wavefrontsize64"};
	static LLVMDisasmContextRef opened[2];
	bool wave32 = k->wave_lanes == 32;
	enum gpu gpu = k->module->gpu;

	if (opened[wave32])
		return opened[wave32];
	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUDisassembler();
	opened[wave32] = LLVMCreateDisasmCPUFeatures(
		"amdgcn-amd-amdhsa", gpu_name(gpu), gpu == GFX1100 ? sizes[wave32] : "", NULL, 0, NULL, NULL);
	if (!opened[wave32])
		die("LLVM has no disassembler for %s", gpu_name(gpu));
	return opened[wave32];
}

static void disassemble(struct module *m, LLVMDisasmContextRef llvm, struct inst *i, char *code, size_t left)
{
	char text[512], *from = text, *second;
	size_t n = LLVMDisasmInstruction(llvm, (uint8_t *)code, left, 0, text, sizeof(text));
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	i->nbytes = n && n % 4 == 0 ? (unsigned)n : 4;
	if (!n || n % 4)
		snprintf(text, sizeof(text), ".long 0x%08x", word);
	text[strcspn(text, ";")] = 0; /* a comment */
	for (char *c = text; *c; c++)
		*c = *c == '\t' ? ' ' : *c;
	from += strspn(text, " ");
	i->text = memcpy(module_alloc(m, strlen(from) + 1), from, strlen(from));
	second = strstr(from, " :: ");
	if (!second) {
		parse_text(m, i, from, word);
		return;
	}
	*second = 0;
	parse_dual(m, i, from, second + 4);
}

static struct inst *decode_one(struct module *m, LLVMDisasmContextRef llvm, uint64_t offset)
{
	struct inst *i = &m->insts[(offset - m->text) / 4];
	char *code = m->host + offset;
	const struct inst **seen;
	uint32_t word;
	uint64_t to, left = m->text + m->text_bytes - offset;

	if (i->run)
		return i;
	memcpy(&word, code, sizeof(word));
	seen = &m->seen[word * 0x9e3779b1 >> 20];
	if (*seen && (*seen)->nbytes <= left && !memcmp(m->host + (*seen)->offset, code, (*seen)->nbytes))
		*i = **seen;
	else
		disassemble(m, llvm, i, code, left);
	*seen = i;
	i->offset = offset;
	if (starts(i->text, "s_branch") || starts(i->text, "s_cbranch_") || starts(i->text, "s_call_b64")) {
		to = offset + 4 + (uint64_t)((int16_t)word * 4) - m->text; /* from the end of the branch */
		i->target = to < m->text_bytes ? (int32_t)(to / 4) : -1;
	}
	return i;
}

/*
 * Finds an instruction in a range that the simulator does not know; NULL: none. *calls_p: are
 * there any calls?
 */
static const struct inst *decode_function(struct kernel *k, uint64_t from, uint64_t end, bool *calls_p)
{
	LLVMDisasmContextRef llvm = open_llvm(k);

	while (from < end) {
		const struct inst *i = decode_one(k->module, llvm, from);

		if (!i->opcode)
			return i;
		*calls_p |= starts(i->text, "s_swappc_") || starts(i->text, "s_setpc_") ||
			starts(i->text, "s_call_");
		from += i->nbytes;
	}
	return NULL;
}

/* The caller holds the lock of HIP's state. */
bool kernel_decode(struct kernel *k)
{
	struct module *m = k->module;
	const struct inst *missing = NULL;
	bool calls = false;

	if (!k->decoded)
		missing = decode_function(k, k->entry, k->end, &calls);
	for (const Elf64_Sym *s = m->symbols; s < m->symbols + m->nsymbols && calls && !missing; s++)
		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && !module_kernel(m, m->names + s->st_name) &&
			s->st_value >= m->text && s->st_value + s->st_size <= m->text + m->text_bytes)
			missing = decode_function(k, s->st_value, s->st_value + s->st_size, &calls);
	k->decoded = !missing;
	if (missing)
		message("kernel %s is not run: the simulator does not know %s, at 0x%llx", k->name,
			missing->text, (unsigned long long)missing->offset);
	return !missing;
}
