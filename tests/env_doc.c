/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/*
 * docs/env.md has one row for each variable of env_list.h, under the heading of its category, and no other
 * row. A row has exactly the list's text.
 */
#include <ctype.h>
#include <string.h>

#include "helpers.h"

static char page[1 << 16];

/* What the column "value" says of a kind. */
static const char *value_of(const char *kind)
{
	static const char *const values[][2] = {
		{"size", "size"},
		{"kind", "word"},
		{"poll", "word"},
		{"mpi_gpu", "word"},
		{"seq", "number"},
		{"flag", "0 or 1"},
		{"number", "number"},
		{"seconds", "seconds"},
		{"text", "text"},
		{"delivery", "text"},
		{"carry", "text"},
		{"nodes", "text"},
	};
	unsigned i;

	for (i = 0; i < sizeof values / sizeof *values; i++)
		if (strcmp(kind, values[i][0]) == 0)
			return values[i][1];
	t_fail("no value for the kind %s", kind);
}

/* The line at a place in the page. */
static void copy_line(const char *at, char *line, size_t nbytes)
{
	size_t length = strcspn(at, "\n");

	t_check(length < nbytes, "docs/env.md: a line of %zu bytes", length);
	memcpy(line, at, length);
	line[length] = 0;
}

/* The last heading in front of a place. */
static void find_heading(const char *place, char *heading, size_t nbytes)
{
	const char *at, *last = NULL;

	for (at = page; (at = strstr(at, "\n## ")) && at < place; at++)
		last = at;
	t_check(last, "docs/env.md: a row without a heading");
	copy_line(last + 4, heading, nbytes);
}

static void check_row(
	const char *name, const char *kind, const char *fallback, const char *category, const char *help)
{
	char start[128], cell[128], expected[1024], row[1024], heading[128];
	const char *at;

	snprintf(start, sizeof start, "\n| `GSHMEM_%s` |", name);
	at = strstr(page, start);
	t_check(at, "docs/env.md has no row for GSHMEM_%s", name);
	copy_line(at + 1, row, sizeof row);
	snprintf(cell, sizeof cell, *fallback ? "`%s`" : "not set", fallback);
	snprintf(expected, sizeof expected, "| `GSHMEM_%s` | %s | %s | %s |", name, value_of(kind), cell,
		help);
	t_check(strcmp(row, expected) == 0, "docs/env.md: GSHMEM_%s: expected, then found:\n%s\n%s", name,
		expected, row);
	find_heading(at, heading, sizeof heading);
	heading[0] = (char)tolower((unsigned char)heading[0]);
	t_check(strcmp(heading, category) == 0, "docs/env.md: GSHMEM_%s is under \"%s\", not \"%s\"", name,
		heading, category);
}

int main(void)
{
	FILE *file = fopen("docs/env.md", "r");
	int nrows = 0, nvariables = 0;
	const char *at;

	t_check(file && fread(page, 1, sizeof page - 1, file), "docs/env.md cannot be read");
	fclose(file);
#define X(NAME, KIND, DEFAULT, CATEGORY, HELP) \
	check_row(#NAME, #KIND, DEFAULT, CATEGORY, HELP); \
	nvariables++;
#include "base/env_list.h"
#undef X
	for (at = page; (at = strstr(at, "\n| `")); at++)
		nrows++;
	t_equal(nrows, nvariables, "rows of docs/env.md");
	return 0;
}
