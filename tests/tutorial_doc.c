/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/*
 * The code in docs/tutorial.md matches the programs: each block of a step is in its program, or in a header
 * beside it, line by line. And each program has a step. The code in docs/windows.md is in examples/windows.
 */
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "helpers.h"

/* The text of a file; the caller frees it. */
static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(1 << 16);
	size_t nbytes;

	t_check(file && text, "%s cannot be read", path);
	nbytes = fread(text, 1, (1 << 16) - 1, file);
	t_check(nbytes && feof(file), "%s is empty, or too long for this test", path);
	text[nbytes] = 0;
	fclose(file);
	return text;
}

static bool file_has(const char *path, const char *block)
{
	char *text = read_file(path);
	const bool has = strstr(text, block) != NULL;

	free(text);
	return has;
}

/* A block of a step; program is examples/tutorial/N_NAME.hip. */
static void check_block(const char *program, const char *block)
{
	t_check(file_has(program, block) || file_has("examples/tutorial/plate.h", block) ||
			file_has("examples/tutorial/grid.h", block),
		"docs/tutorial.md: %s has no such lines:\n%s", program, block);
}

/* The blocks of the step that begins at text and ends at end. Returns how many. */
static int check_step(const char *program, char *text, const char *end)
{
	char *last;
	int nblocks = 0;

	while ((text = strstr(text, "\n```c\n")) && text < end) {
		text += strlen("\n```c\n");
		last = strstr(text, "\n```\n");
		t_check(last, "docs/tutorial.md: a block without an end");
		last[1] = 0;
		check_block(program, text);
		text = last + 2;
		nblocks++;
	}
	return nblocks;
}

/* Each block of the page is in the program that the page names last before it, and each program is shown. */
static void check_windows(void)
{
	char *page = read_file("docs/windows.md"), *at = page, *next, *end, path[64];
	glob_t programs;
	size_t i;

	t_check(glob("examples/windows/*.c", 0, NULL, &programs) == 0, "no programs");
	for (i = 0; i < programs.gl_pathc; i++) {
		snprintf(path, sizeof path, "(../%s)", programs.gl_pathv[i]);
		at = strstr(page, path);
		t_check(at, "docs/windows.md does not name %s", programs.gl_pathv[i]);
		at = at ? strstr(at, "\n```c\n") : NULL;
		next = at ? strstr(at, "examples/windows/") : NULL;
		t_check(at && (!next || at < next), "docs/windows.md does not show %s", programs.gl_pathv[i]);
		at += strlen("\n```c\n");
		end = strstr(at, "\n```\n");
		t_check(end, "docs/windows.md: a block without an end");
		end[1] = 0;
		t_check(file_has(programs.gl_pathv[i], at), "docs/windows.md: %s has no such lines:\n%s",
			programs.gl_pathv[i], at);
		end[1] = '`';
	}
	globfree(&programs);
	free(page);
}

int main(void)
{
	char *page = read_file("docs/tutorial.md"), *at = page, *end, heading[32];
	glob_t programs;
	size_t i;

	t_check(glob("examples/tutorial/[0-9]_*.hip", 0, NULL, &programs) == 0, "no programs");
	for (i = 0; i < programs.gl_pathc; i++) {
		snprintf(heading, sizeof heading, "\n## %zu. ", i + 1);
		at = strstr(at, heading);
		t_check(at, "docs/tutorial.md has no step %zu, for %s", i + 1, programs.gl_pathv[i]);
		t_check(strrchr(programs.gl_pathv[i], '/')[1] == (char)('1' + i), "%s is step %zu?",
			programs.gl_pathv[i], i + 1);
		end = strstr(at + 1, "\n## ");
		t_check(end, "docs/tutorial.md ends with a step");
		t_check(check_step(programs.gl_pathv[i], at, end) > 0, "step %zu shows no code", i + 1);
		at = end;
	}
	globfree(&programs);
	free(page);
	check_windows();
	return 0;
}
