/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What instructions.c and memory.c share: random numbers, text, and a module of
 * snippets, each SNIPPET_BYTES of code.
 */
#ifndef T_SNIPPETS_H
#define T_SNIPPETS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/amdsim/sim.h"

enum { SNIPPET_BYTES = 128 };

static uint64_t rng = 88172645463325252;

static inline unsigned choose(unsigned n)
{
	return (unsigned)(random_next(&rng) >> 20) % n;
}

#define append(snippet, ...) append_text((snippet)->text, sizeof((snippet)->text), __VA_ARGS__)
__attribute__((format(printf, 3, 4))) static inline void append_text(
	char *text, size_t nbytes, const char *format, ...)
{
	const size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, nbytes - length, format, args);
	va_end(args);
}

/* The first instruction of snippet k. Snippets begin at the symbol "snippets". */
static inline const struct inst *snippet_at(const struct module *m, unsigned k)
{
	return &m->insts[(module_symbol(m, "snippets")->st_value + k * SNIPPET_BYTES - m->text) / 4];
}

/* Load the assembled code and decode its snippets; exits if that fails. */
static inline struct module *load_assembled(const char *path, unsigned nlanes, unsigned nsnippets)
{
	static char image[1 << 24];
	struct kernel kernel = {.name = "snippets", .wave_lanes = nlanes};
	FILE *f = fopen(path, "r");

	if (!f || !fread(image, 1, sizeof(image), f) || module_load(image, 0, &kernel.module))
		exit(2);
	fclose(f);
	kernel.entry = module_symbol(kernel.module, "snippets")->st_value;
	kernel.end = kernel.entry + nsnippets * SNIPPET_BYTES;
	if (!kernel_decode(&kernel))
		exit(2);
	return kernel.module;
}

#endif /* T_SNIPPETS_H */
