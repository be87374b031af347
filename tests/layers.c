/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/*
 * The folders of src/ and of include/gshmem/ are layers: a file includes only files of its own folder and of
 * lower ones, and an object of src/ refers only to names of such files. Outside include/gshmem/arch/ no file
 * names a platform, a processor or a compiler's functions for one, or compares the platform's name; and of
 * arch/ it uses only what the list in arch.h has. What makes a descriptor in src/ and platform/ is called
 * through a function that keeps numbers 0 to 2 free.
 */
#include <ctype.h>
#include <glob.h>
#include <search.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "helpers.h"

static const char *const library[] = {"base", "mpi", "device", "bootstrap", "job", "ipc", "heap", "trace",
	"end", "engine", "owner", "net", "rpc", "op", "team", "win", "host", "shmem", NULL};
static const char *const headers[] = {
	"arch", "api", "state", "move", "wait", "rpc", "order", "coll", "win", "compat", NULL};

static const char *const platforms[] = {"__HIP_PLATFORM_", "__CUDA_ARCH__", "__CUDACC__", "__NVCC__", "__gfx",
	"__AMDGCN", "__builtin_amdgcn", "__x86_64__", "__aarch64__", "__builtin_ia32", "hipcpu_", NULL};

/*
 * Calls that make a descriptor, those of which a line keeps the result away from numbers 0 to 2, and those
 * that are not made at all, because src/base/file.h and platform/cpu/memory.c have functions in their place.
 */
static const char *const keepable[] = {"open", "openat", "memfd_create", "socket", "accept4", "eventfd",
	"epoll_create1", "timerfd_create", "signalfd", "inotify_init1", "SYS_pidfd_open", "SYS_pidfd_getfd",
	NULL};
static const char *const replaced[] = {"fopen", "opendir", "accept", "dup", "pipe", "pipe2", "socketpair",
	"tmpfile", "mkstemp", "popen", "epoll_create", "inotify_init", "shm_open", NULL};

static int nkept; /* calls seen that make descriptors */

static int nincludes;      /* seen that name a layer */
static int nlisted;        /* names of the list seen in use */
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

/* Finds a name that stands alone, and is called or, as the number of a system call, passed. */
static const char *find_call(const char *line, const char *name)
{
	const size_t length = strlen(name);
	const char *at = line;

	for (; (at = strstr(at, name)); at += length)
		if ((at == line || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
			(at[length] == '(' || (at[length] == ',' && name[0] == 'S')))
			return at;
	return NULL;
}

/* A call, and not a line of a comment. memfd_create's two results are kept where its function returns. */
static void check_descriptors(const char *line, const char *path)
{
	int i;

	line += strspn(line, " \t");
	if (*line == '*' || strncmp(line, "/*", 2) == 0)
		return;
	for (i = 0; replaced[i]; i++)
		t_check(!find_call(line, replaced[i]), "%s: base/file.h has this call: %s", path, line);
	for (i = 0; keepable[i]; i++) {
		if (!find_call(line, keepable[i]))
			continue;
		nkept++;
		t_check(strstr(line, "keep") || strstr(line, "/dev/null") ||
				strcmp(keepable[i], "memfd_create") == 0,
			"%s: a descriptor that may become 0, 1 or 2: %s", path, line);
		t_check(strcmp(keepable[i], "memfd_create") || strstr(path, "base/file.c") ||
				strstr(path, "cpu/memory.c"),
			"%s: calls memfd_create: %s", path, line);
	}
}

/*
 * root/FOLDER/FILE: a line that includes a layer's file contains prefix, then its folder. Without layers only
 * what makes descriptors is checked.
 */
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
		layer = layers ? find_layer(layers, found.gl_pathv[i] + strlen(root) + 1, root) : 0;
		file = fopen(found.gl_pathv[i], "r");
		t_check(file, "%s cannot be read: run this in the root of the source", found.gl_pathv[i]);
		while (fgets(line, sizeof line, file)) {
			if (layers)
				check_line(line, layers, prefix, layer, found.gl_pathv[i]);
			check_descriptors(line, found.gl_pathv[i]);
		}
		fclose(file);
	}
	globfree(&found);
}

/* ---- names of objects ---- */

static int ndefined, nused; /* seen */

/* A line of nm -A -P, such as "build/cpu/src/base/log.c.o: gshmemi_error T 120 20". */
struct symbol {
	char object[128], name[256], type; /* object: base/log.c.o */
	int layer;
};

/* False for a line of an object whose source is gone, and of another build's leftovers. */
static bool parse_symbol(const char *line, struct symbol *symbol)
{
	const char *folder = strstr(line, "/src/");
	char source[160];

	t_check(folder &&
			sscanf(folder + 5, "%127[^:]: %255s %c", symbol->object, symbol->name,
				&symbol->type) == 3,
		"nm says: %s", line);
	snprintf(source, sizeof source, "src/%.*s", (int)strlen(symbol->object) - 2, symbol->object);
	symbol->layer = access(source, R_OK) ? -1 : find_layer(library, symbol->object, source);
	return symbol->layer >= 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static void define(const struct symbol *symbol, void **names)
{
	struct symbol *copy;

	if (!strchr("TDBRVWC", symbol->type))
		return;
	copy = malloc(sizeof *copy);
	t_check(copy, "malloc");
	*copy = *symbol;
	t_check(tsearch(copy, names, compare), "tsearch");
	ndefined++;
}

/* A HIP unit of the library is compiled as a program's is, and calls what a program may call. */
static void use(const struct symbol *symbol, void **names)
{
	const struct symbol *const *found;

	if (symbol->type != 'U' || strstr(symbol->object, ".hip.o") ||
		!(found = tfind(symbol, names, compare)))
		return;
	nused++;
	t_check((*found)->layer <= symbol->layer, "%s: refers to %s of %s, a layer above", symbol->object,
		symbol->name, (*found)->object);
}

static void read_symbols(const char *build, void (*take)(const struct symbol *, void **), void **names)
{
	char command[512], line[512];
	struct symbol symbol;
	FILE *pipe;

	snprintf(command, sizeof command, "nm -A -P %s/src/*/*.o", build);
	pipe = popen(command, "r");
	t_check(pipe, "%s", command);
	while (fgets(line, sizeof line, pipe))
		if (parse_symbol(line, &symbol))
			take(&symbol, names);
	t_equal(pclose(pipe), 0, command);
}

static void check_names(const char *program)
{
	char build[256];
	void *names = NULL;

	snprintf(build, sizeof build, "%.*s/..", (int)(strrchr(program, '/') - program), program);
	read_symbols(build, define, &names);
	read_symbols(build, use, &names);
	tdestroy(names, free);
	t_check(ndefined > 2000 && nused > 500, "%d names defined, %d used", ndefined, nused);
}

int main(int argc, char **argv)
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
	check_files("platform", NULL, NULL);
	t_check(nkept > 12, "%d calls seen that make a descriptor", nkept);
	t_check(argc > 0 && strchr(argv[0], '/'), "start this as build/.../tests/layers");
	check_names(argv[0]);
	t_check(nlisted > 100, "%d names of the list seen", nlisted);
	return 0;
}
