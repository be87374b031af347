/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/*
 * The folders of src/ and of include/gshmem/ are layers: a file includes files of its own folder and of those below. No file
 * outside of include/gshmem/arch/ names a platform.
 */
#include <glob.h>
#include <string.h>

#include "helpers.h"

static const char *const library[] = {"base", "ipc", "heap", "device", "end", "rpc", "team", "host", "shmem", NULL};
static const char *const headers[] = {"arch", "api", "state", "move", "wait", "rpc", "order", "coll", "compat", NULL};

static int nincludes; /* seen that name a layer */

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

static void check_line(const char *line, const char *const *layers, const char *prefix, int layer, const char *path)
{
	const char *included = strstr(line, prefix);

	if (included) {
		included += strlen(prefix);
		nincludes++;
		t_check(find_layer(layers, included, path) <= layer, "%s: includes a file of a layer above: %s", path, included);
	}
	if (strncmp(strstr(path, "gshmem/") ? strstr(path, "gshmem/") + 7 : "", "arch/", 5))
		t_check(!strstr(line, "__HIP_PLATFORM_"), "%s: names a platform: %s", path, line);
}

/* root/FOLDER/FILE: a line that includes a layer's file holds prefix, then its folder. */
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
	check_files("src", library, "#include \"");
	t_check(nincludes > 50, "src: %d includes seen", nincludes);
	nincludes = 0;
	check_files("include/gshmem", headers, "#include <gshmem/");
	t_check(nincludes > 30, "include/gshmem: %d includes seen", nincludes);
	return 0;
}
