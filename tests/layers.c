/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/*
 * The folders of src/ and of include/gshmem/ are layers: a file includes only files of its own folder and of
 * lower ones. Outside include/gshmem/arch/ no file names a platform, a processor or a compiler's functions
 * for one, or compares the platform's name; and of arch/ it uses only what the list in arch.h has.
 */
#include <ctype.h>
#include <glob.h>
#include <stdbool.h>
#include <string.h>

#include "helpers.h"

static const char *const library[] = {"base", "bootstrap", "ipc", "heap", "device", "trace", "end", "net",
	"rpc", "team", "win", "host", "shmem", NULL};
static const char *const headers[] = {
	"arch", "api", "state", "move", "wait", "rpc", "order", "coll", "win", "compat", NULL};

static const char *const platforms[] = {"__HIP_PLATFORM_", "__CUDA_ARCH__", "__NVCC__", "__gfx",
					"__AMDGCN", "__builtin_amdgcn", "__x86_64__", "__aarch64__",
					"__builtin_ia32", "hipcpu_", NULL};

static int nincludes; /* seen that name a layer */
static int nlisted;   /* names of the list seen in use */
static char list[1 << 16]; /* arch.h */

/* The place of a path's first folder among the layers. */
static int find_layer(const char *const *layers, const char *path, const char *seen_in)
{
	const size_t length = strcspn(path, "/");
	int i;

	for (i = 0; layers[i]; i++)
		if (strlen(layers[i]) == length && strncmp(layers[i], path, length) == 0)
			return i;
	t_fail("%s: the folder of %s is not in the list of layers", seen_in, path);
}

/*
 * Each name in the line that begins with prefix must be in arch.h, between before and after,
 * without its first skip letters.
 */
static void check_listed(const char *line, const char *prefix, size_t skip, const char *before,
	const char *after, const char *path)
{
	const char *end, *at;
	char entry[160];
	int length;

	for (; (line = strstr(line, prefix)); nlisted++, line = end) {
		for (end = line + strlen(prefix); isalnum((unsigned char)*end) || *end == '_';)
			end++;
		length = snprintf(entry, sizeof entry, "%s%.*s%s", before, (int)((size_t)(end - line) - skip),
			line + skip, after);
		for (at = list; (at = strstr(at, entry)) && !*after &&
			(isalnum((unsigned char)at[length]) || at[length] == '_');)
			at++;
		t_check(at, "%s: uses %.*s, which is not in the list of arch.h", path, (int)(end - line),
			line);
	}
}

/*
 * Two compilations' platform names may be compared, as src/device/state.c does;
 * the name and a literal may not.
 */
static void check_platform(const char *line, const char *path)
{
	const bool compares = strstr(line, "cmp(") || strstr(line, "strstr(") || strstr(line, "NAME[");
	int i;

	for (i = 0; platforms[i]; i++)
		t_check(!strstr(line, platforms[i]), "%s: names a platform: %s", path, line);
	t_check(!strstr(line, "GSHMEMI_ARCH_NAME") || !compares ||
			strstr(line, "strcmp(copy->platform, GSHMEMI_ARCH_NAME)"),
		"%s: compares the platform's name: ask a capability: %s", path, line);
	check_listed(line, "gshmemi_arch_", strlen("gshmemi_arch_"), ", ", ", (", path);
	check_listed(line, "GSHMEMI_ARCH_", 0, "", "", path);
}

static void check_line(
	const char *line, const char *const *layers, const char *prefix, int layer, const char *path)
{
	const char *included = strstr(line, prefix);

	if (included) {
		included += strlen(prefix);
		nincludes++;
		t_check(find_layer(layers, included, path) <= layer,
			"%s: includes a file of a layer above: %s", path, included);
	}
	if (strncmp(strstr(path, "gshmem/") ? strstr(path, "gshmem/") + 7 : "", "arch/", 5))
		check_platform(line, path);
}

/* root/FOLDER/FILE: a line that includes a layer's file contains prefix, then its folder. */
static void check_files(const char *root, const char *const *layers, const char *prefix)
{
	char pattern[64], line[1024];
	glob_t found;
	FILE *file;
	size_t i;
	int layer;

	snprintf(pattern, sizeof pattern, "%s/*/*.[ch]*", root);
	t_equal(glob(pattern, 0, NULL, &found), 0, pattern);
	for (i = 0; i < found.gl_pathc; i++) {
		layer = find_layer(layers, found.gl_pathv[i] + strlen(root) + 1, root);
		file = fopen(found.gl_pathv[i], "r");
		t_check(file, "%s cannot be read: run this in the root of the source", found.gl_pathv[i]);
		while (fgets(line, sizeof line, file))
			check_line(line, layers, prefix, layer, found.gl_pathv[i]);
		fclose(file);
	}
	globfree(&found);
}

int main(void)
{
	FILE *file = fopen("include/gshmem/arch/arch.h", "r");

	t_check(file && fread(list, 1, sizeof list - 1, file) > 1000,
		"arch.h cannot be read: run this in the root of the source");
	fclose(file);
	check_files("src", library, "#include \"");
	t_check(nincludes > 50, "src: %d includes seen", nincludes);
	nincludes = 0;
	check_files("include/gshmem", headers, "#include <gshmem/");
	t_check(nincludes > 30, "include/gshmem: %d includes seen", nincludes);
	t_check(nlisted > 100, "%d names of the list seen", nlisted);
	return 0;
}
