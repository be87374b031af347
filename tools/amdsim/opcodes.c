/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds a mnemonic's line in the instruction tables, which also have GFX11's names. Encodings are not
 * distinguished; halves of pairs, and variants that compute the same, use the line of the plain instruction.
 */
#include "sim.h"

#include <search.h>
#include <string.h>

/* The first one that fits is replaced. */
static const char *const renamed[][2] = {
	{"v_dual_", "v_"}, {"v_exp_legacy_", "v_exp_"}, {"v_log_legacy_", "v_log_"}};
static const struct opcode *const tables[] = {
	scalar_opcodes, vector_opcodes, float_opcodes, compare_opcodes, lane_opcodes, memory_opcodes};

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
