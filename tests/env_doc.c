/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/* docs/env.md has one row for each variable of env_list.h, with its default and its help, and no other row. */
#include <string.h>

#include "helpers.h"

static char page[1 << 16];

static void check_row(const char *name, const char *fallback, const char *help)
{
	char start[128], cell[128], row[1024];
	const char *at, *end;

	snprintf(start, sizeof start, "| `GSHMEM_%s` |", name);
	at = strstr(page, start);
	t_check(at, "docs/env.md has no row for GSHMEM_%s", name);
	end = strchr(at, '\n');
	t_check(end && (size_t)(end - at) < sizeof row, "the row of GSHMEM_%s", name);
	memcpy(row, at, (size_t)(end - at));
	row[end - at] = 0;
	snprintf(cell, sizeof cell, *fallback ? "| `%s` |" : "| not set |", fallback);
	t_check(strstr(row, cell), "docs/env.md: GSHMEM_%s: the default is not \"%s\"", name, fallback);
	t_check(strstr(row, help), "docs/env.md: GSHMEM_%s: the text is not \"%s\"", name, help);
}

int main(void)
{
	FILE *file = fopen("docs/env.md", "r");
	int nrows = 0, nvariables = 0;
	const char *at;

	t_check(file && fread(page, 1, sizeof page - 1, file), "docs/env.md cannot be read");
	fclose(file);
#define X(NAME, KIND, DEFAULT, CATEGORY, HELP) \
	check_row(#NAME, DEFAULT, HELP); \
	nvariables++;
#include "host/env_list.h"
#undef X
	for (at = page; (at = strstr(at, "\n| `GSHMEM_")); at++)
		nrows++;
	t_equal(nrows, nvariables, "rows of docs/env.md");
	return 0;
}
