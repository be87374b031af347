/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/*
 * docs/api.md matches the library: each form that its tables promise is a function, each that they deny is
 * not, and each function is in a row. The library has the functions that the host calls; those of waves and
 * work-groups are in what the compiler reads of its headers in a HIP unit. Only the compiler can tell what
 * one thread of a kernel may call.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <gshmem.h>

#include "helpers.h"

enum { CPU, THREAD, WAVE, WG, STREAM, CTX, NFORMS };
static const char *const suffixes[NFORMS] = {"", "", "_wave", "_wg", "_on_stream", ""};

#define MOST_CALLS 512

struct call {
	char name[64]; /* as the table has it */
	bool has[NFORMS];
};
static struct call calls[MOST_CALLS];
static int ncalls;

/* What the words in capitals stand for; the first that gives a function of the library is used. */
static const char *const types[] = {"int", "uint", "double", "long", NULL};
static const char *const bitwise[] = {"uint", "uint32", NULL};
static const char *const sizes[] = {"32", NULL};
static const char *const shorts[] = {"half", NULL};
static const struct {
	const char *word;
	const char *const *values;
} words[] = {{"UTYPENAME", bitwise}, {"TYPENAME", types}, {"SIZE", sizes}, {"SHORT", shorts}};

static void replace(const char *name, const char *word, const char *value, char *out)
{
	const char *at = strstr(name, word);

	sprintf(out, "%.*s%s%s", (int)(at - name), name, value, at + strlen(word));
}

static char *hip_unit; /* the headers in a HIP unit, preprocessed */

/* Returns what a command prints; free it. */
static char *read_output(const char *command)
{
	FILE *pipe = popen(command, "r");
	char *text = NULL;
	size_t size = 0;

	t_check(pipe && getdelim(&text, &size, 0, pipe) > 0, "%s", command);
	t_equal(pclose(pipe), 0, command);
	return text;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A preprocessor may leave a blank there. */
static bool has_parameters(const char *end)
{
	return *end == '(' || (*end == ' ' && end[1] == '(');
}

static bool is_in_hip_unit(const char *name)
{
	const size_t length = strlen(name);
	const char *at;

	for (at = hip_unit; (at = strstr(at, name)); at += length)
		if (!is_word(at[-1]) && has_parameters(at + length))
			return true;
	return false;
}

static bool is_function(const char *name, int form)
{
	return form == WAVE || form == WG ? is_in_hip_unit(name) : dlsym(RTLD_DEFAULT, name) != NULL;
}

/* The function for this form of a call; name has no words in capitals. */
static void form_name(const char *name, int form, char *out)
{
	const char *rest = strchr(name, '_') + 1;
	const bool is_extension = name[6] == 'x';

	if (form == CTX)
		sprintf(out, "%s_ctx_%s", is_extension ? "gshmemx" : "gshmem", rest);
	else
		sprintf(out, "%s_%s%s", is_extension || form >= WAVE ? "gshmemx" : "gshmem", rest,
			suffixes[form]);
}

static void check_call(const struct call *call)
{
	char name[96], function[128];
	bool found;
	int form, i, k;

	for (form = 0; form < NFORMS; form++) {
		if (form == THREAD)
			continue;
		found = false;
		for (i = 0; i < (int)(sizeof words / sizeof *words) && !strstr(call->name, words[i].word);
			i++)
			;
		if (i == (int)(sizeof words / sizeof *words)) {
			form_name(call->name, form, function);
			found = is_function(function, form);
		}
		for (k = 0; i < (int)(sizeof words / sizeof *words) && !found && words[i].values[k]; k++) {
			replace(call->name, words[i].word, words[i].values[k], name);
			form_name(name, form, function);
			found = is_function(function, form);
		}
		t_check(found == call->has[form], "docs/api.md: %s: the library has %s %s", call->name,
			found ? "a" : "no", function);
	}
}

static void read_row(char *row)
{
	const int first = ncalls;
	char *cells = strstr(row, "` |"), *at = row;
	int form;

	t_check(cells, "docs/api.md: a row without cells: %s", row);
	cells += 3;
	while ((at = strchr(at, '`')) && at < cells) {
		char *end = strchr(at + 1, '`');

		t_check(ncalls < MOST_CALLS, "docs/api.md has more than %d calls", MOST_CALLS);
		snprintf(calls[ncalls++].name, sizeof calls->name, "%.*s", (int)(end - at - 1), at + 1);
		at = end + 1;
	}
	for (form = 0; form < NFORMS; form++) {
		const bool has = strncmp(cells + strspn(cells, " |"), "yes", 3) == 0;

		t_check(has || cells[strspn(cells, " |")] == '-', "docs/api.md: an empty cell: %s", row);
		for (int i = first; i < ncalls; i++)
			calls[i].has[form] = has;
		cells = strchr(cells + strspn(cells, " |"), '|');
	}
}

/* Whether a row's name, with its words in capitals, stands for a function's. */
static bool matches(const char *name, const char *function)
{
	for (; *name && *function; name++, function++) {
		if (isupper((unsigned char)*name)) {
			while (isupper((unsigned char)*name))
				name++;
			while (isalnum((unsigned char)*function))
				function++;
			name--;
			function--;
		} else if (*name != *function) {
			return false;
		}
	}
	return !*name && !*function;
}

/* A function is in a row under its own name, or as a form of another function. */
static bool is_listed(const char *function)
{
	char base[160], bare[128];
	size_t length;
	int i, k;

	for (i = 0; i < ncalls; i++)
		if (matches(calls[i].name, function))
			return true;
	snprintf(base, sizeof base, "%s", function);
	for (k = WAVE; k <= STREAM; k++) {
		length = strlen(base) - strlen(suffixes[k]);
		if (strlen(base) > strlen(suffixes[k]) && strcmp(base + length, suffixes[k]) == 0)
			base[length] = 0;
	}
	length = strcspn(base, "_") + 1;
	snprintf(bare, sizeof bare, "%s", base + length + (strncmp(base + length, "ctx_", 4) == 0 ? 4 : 0));
	for (k = 0; k < 2; k++) {
		snprintf(base, sizeof base, "%s_%s", k ? "gshmemx" : "gshmem", bare);
		for (i = 0; i < ncalls; i++)
			if (matches(calls[i].name, base))
				return true;
	}
	/* The forms for 16-bit floating point, which the text names and no row has. */
	return strncmp(bare, "half_", 5) == 0 || strncmp(bare, "bfloat16_", 9) == 0;
}

/* Each call of a wave or work-group that HIP units have is in a row. Returns how many there are. */
static int check_groups(void)
{
	const char *at, *end;
	char name[128];
	int n = 0;

	for (at = hip_unit; (at = strstr(at, "gshmemx_")); at = end) {
		for (end = at; is_word(*end); end++)
			;
		snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
		if (is_word(at[-1]) || !has_parameters(end) ||
			(strncmp(end - 5, "_wave", 5) && strncmp(end - 3, "_wg", 3)))
			continue;
		t_check(is_listed(name), "docs/api.md has no row for %s", name);
		n++;
	}
	return n;
}

int main(void)
{
	FILE *file = fopen("docs/api.md", "r"), *symbols;
	char line[4096], command[1200];
	int nfunctions = 0, i;
	Dl_info info;

	gshmem_pcontrol(0); /* otherwise the library would not be linked */
	t_check(dladdr((void *)dlsym(RTLD_DEFAULT, "gshmem_init"), &info), "where the library is");
	snprintf(command, sizeof command,
		"printf '#include <%%s>\\n' gshmem.h gshmemx_win.h | '%.*s/../bin/gshmemcc' -x hip -E -",
		(int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname);
	hip_unit = read_output(command);
	t_check(file, "docs/api.md cannot be read");
	while (fgets(line, sizeof line, file))
		if (strncmp(line, "| `", 3) == 0)
			read_row(line);
	fclose(file);
	t_check(ncalls > 100, "docs/api.md has %d calls", ncalls);
	for (i = 0; i < ncalls; i++)
		if (strcmp(calls[i].name, "gshmemx_collective_launch")) /* a template in HIP units, too */
			check_call(&calls[i]);

	snprintf(command, sizeof command, "nm -D --defined-only --without-symbol-versions '%s'",
		info.dli_fname);
	symbols = popen(command, "r");
	t_check(symbols, "nm");
	while (fgets(line, sizeof line, symbols)) {
		char *name = strrchr(line, ' ') + 1;

		name[strcspn(name, "\n")] = 0;
		if (strncmp(name, "gshmem_", 7) && strncmp(name, "gshmemx_", 8))
			continue;
		nfunctions++;
		t_check(is_listed(name), "docs/api.md has no row for %s", name);
	}
	pclose(symbols);
	t_check(nfunctions > 1000, "the library has %d functions", nfunctions);
	t_check(check_groups() > 1000, "HIP units have too few calls of waves and work-groups");
	free(hip_unit);
	return 0;
}
