/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/*
 * Each kernel of the library says by __launch_bounds__ how many threads it is launched with, and is launched
 * with that number. Without the bound, or with another, a compiler for GPUs may give the kernel more
 * registers than a multiprocessor has for such a block, and no launch works. Reads src/; tests/isa reads the
 * compiled kernels, where compilers for GPUs are.
 */
#include <ctype.h>
#include <glob.h>
#include <string.h>

#include "helpers.h"

struct kernel {
	char name[80], threads[80];
};

static struct kernel bounded[32], launched[32];
static int nbounded, nlaunched;
static char text[1 << 17];

/* Copies what precedes the first character of ends, without spaces; returns that character's place. */
static const char *copy_until(const char *at, const char *ends, char *word, size_t nbytes)
{
	size_t n = 0;

	for (; *at && !strchr(ends, *at); at++)
		if (!isspace((unsigned char)*at) && n + 1 < nbytes)
			word[n++] = *at;
	word[n] = 0;
	return at;
}

/* `__global__ __launch_bounds__(THREADS...) void NAME(` */
static void find_kernels(const char *path)
{
	static const char bounds[] = "__launch_bounds__(";
	struct kernel *k;
	const char *at, *end;

	for (at = text; (at = strstr(at, "__global__")); at = end) {
		k = &bounded[nbounded++];
		t_check(nbounded <= (int)(sizeof bounded / sizeof *bounded),
			"src/ has more kernels than expected");
		at += strlen("__global__");
		at += strspn(at, " \t\n");
		t_check(strncmp(at, bounds, sizeof bounds - 1) == 0,
			"%s: a kernel without __launch_bounds__: %.40s", path, at);
		end = copy_until(at + sizeof bounds - 1, ",)", k->threads, sizeof k->threads);
		end = strstr(end, "void ");
		t_check(end, "%s: %.40s: not followed by void", path, at);
		end = copy_until(end + strlen("void "), "(", k->name, sizeof k->name);
	}
}

/* `GSHMEMI_LAUNCH(NAME, THREADS,` is the only way in which the library launches. */
static void find_launches(const char *path)
{
	struct kernel *k;
	const char *at;

	if (!strstr(path, ".hip")) /* others have no kernels */
		return;
	t_check(!strstr(text, "hipLaunch") && !strstr(text, "<<<"), "%s: launches without GSHMEMI_LAUNCH",
		path);
	for (at = text; (at = strstr(at, "GSHMEMI_LAUNCH("));) {
		k = &launched[nlaunched++];
		t_check(nlaunched <= (int)(sizeof launched / sizeof *launched),
			"src/ has more launches than expected");
		at = copy_until(at + strlen("GSHMEMI_LAUNCH("), ",", k->name, sizeof k->name);
		at = copy_until(at + 1, ",", k->threads, sizeof k->threads);
	}
}

static void read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n;

	t_check(file, "%s cannot be read", path);
	n = fread(text, 1, sizeof text - 1, file);
	t_check(feof(file), "%s has more than %zu bytes", path, n);
	text[n] = 0;
	fclose(file);
	find_kernels(path);
	find_launches(path);
}

int main(void)
{
	glob_t found;
	size_t i;
	int b, l, nlaunches;

	t_equal(glob("src/*/*.[ch]*", 0, NULL, &found), 0, "run this in the root of the source: src/*/*");
	for (i = 0; i < found.gl_pathc; i++)
		read_file(found.gl_pathv[i]);
	globfree(&found);
	t_check(nbounded >= 5, "only %d kernels found in src/", nbounded);
	for (b = 0; b < nbounded; b++) {
		for (nlaunches = l = 0; l < nlaunched; l++) {
			if (strcmp(launched[l].name, bounded[b].name) != 0)
				continue;
			nlaunches++;
			t_check(strcmp(launched[l].threads, bounded[b].threads) == 0,
				"%s: __launch_bounds__ has %s threads, and a launch %s", bounded[b].name,
				bounded[b].threads, launched[l].threads);
		}
		t_check(nlaunches, "%s is never launched", bounded[b].name);
	}
	for (l = 0; l < nlaunched; l++) {
		for (b = 0; b < nbounded && strcmp(launched[l].name, bounded[b].name) != 0;)
			b++;
		t_check(b < nbounded, "%s is launched, and is no kernel of src/", launched[l].name);
	}
	return 0;
}
