/* SPDX-License-Identifier: BSD-3-Clause */
/* The shims of libgshmem.so: files in the folder gshmem/ beside it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "mpi/mpi.h"

/* The folder of this library, as the loader knows it. */
static int find_folder(char *folder, size_t nbytes)
{
	Dl_info library;
	const char *end;

	if (!dladdr(&gshmemi_mpi, &library) || !library.dli_fname)
		return -1;
	end = strrchr(library.dli_fname, '/');
	return snprintf(folder, nbytes, "%.*s", end ? (int)(end - library.dli_fname) : 1,
		end ? library.dli_fname : ".");
}

gshmemi_mpi_shim_t *gshmemi_mpi_find_shim(const char *name, char *why, size_t nbytes)
{
	char folder[4096], file[4200], symbol[64];
	gshmemi_mpi_shim_t *shim = NULL;
	void *plugin;

	if (find_folder(folder, sizeof folder) < 0) {
		snprintf(why, nbytes, "the loader does not know where this library is");
		return NULL;
	}
	snprintf(file, sizeof file, "%s/gshmem/mpi-%s.so", folder, name);
	snprintf(symbol, sizeof symbol, "gshmemi_mpi_shim_%s", name);
	plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (plugin)
		*(void **)&shim = dlsym(plugin, symbol);
	if (!shim)
		snprintf(why, nbytes, "%s", dlerror());
	return shim;
}
