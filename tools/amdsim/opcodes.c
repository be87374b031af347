/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mnemonics to lines of the instruction tables. Encodings are not distinguished; parts of names that GFX11 changed, and
 * names of variants that compute the same, become those of the tables.
 */
#include "sim.h"

#include <search.h>
#include <string.h>

/* The first that fits is replaced. */
static const char *const renamed[][2] = {
	{"v_dual_", "v_"}, {"_not1_", "n2_"}, {"_not0_", "n1_"}, {"s_ctz_i32_", "s_ff1_i32_"},
	{"s_clz_i32_u32", "s_flbit_i32_b32"}, {"s_clz_i32_u64", "s_flbit_i32_b64"}, {"s_cls_i32", "s_flbit_i32"},
	{"v_ctz_i32_b32", "v_ffbl_b32"}, {"v_clz_i32_u32", "v_ffbh_u32"}, {"v_cls_i32", "v_ffbh_i32"},
	{"add_co_ci_", "addc_co_"}, {"sub_co_ci_", "subb_co_"}, {"subrev_co_ci_", "subbrev_co_"}, {"_nc_", "_"},
	{"_nearest_", "_rpi_"}, {"_floor_i32_", "_flr_i32_"}, {"_pk_rtz_", "_pkrtz_"}, {"_dx9_zero_", "_legacy_"},
	{"v_dot2acc_", "v_dot2c_"}, {"_t_f", "_tru_f"}, {"v_mul_lo_i32", "v_mul_lo_u32"}, {"_iflag_", "_"},
	{"v_exp_legacy_", "v_exp_"}, {"v_log_legacy_", "v_log_"}, {"v_fmamk_", "v_fma_"}, {"v_fmaak_", "v_fma_"},
	{"v_madmk_", "v_mad_"}, {"v_madak_", "v_mad_"},
};
static const struct opcode *const tables[] = {
	scalar_opcodes, vector_opcodes, float_opcodes, compare_opcodes, lane_opcodes, memory_opcodes
};

static void *names; /* a tree of the tables' lines */

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct opcode *)a)->name, ((const struct opcode *)b)->name);
}

static void sort_names(void)
{
	for (size_t t = 0; t < COUNT(tables); t++)
		for (const struct opcode *o = tables[t]; o->name; o++)
			tsearch(o, &names, compare);
}

size_t opcode_length(const char *mnemonic)
{
	static const char *const suffixes[] = {"_dpp", "_sdwa", "_e32", "_e64"}; /* "_e64_dpp" has two */
	size_t length = strcspn(mnemonic, " ");

	for (size_t k = 0; k < COUNT(suffixes); k++) {
		size_t n = strlen(suffixes[k]);

		if (length > n && !memcmp(mnemonic + length - n, suffixes[k], n))
			length -= n;
	}
	return length;
}

const struct opcode *opcode_find(const char *mnemonic)
{
	size_t length = opcode_length(mnemonic);
	char name[64] = "", rest[64], *at;
	const struct opcode **found;

	if (!names)
		sort_names();
	if (length > sizeof(name) / 2)
		return NULL;
	memcpy(name, mnemonic, length);
	found = tfind(&(struct opcode){.name = name}, &names, compare);
	for (size_t k = 0; k < COUNT(renamed) && !found; k++) {
		at = strstr(name, renamed[k][0]);
		if (!at)
			continue;
		strcpy(rest, at + strlen(renamed[k][0]));
		strcpy(stpcpy(at, renamed[k][1]), rest);
		found = tfind(&(struct opcode){.name = name}, &names, compare);
	}
	return found ? *found : NULL;
}
