/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job for tests/mpis.sh, without gshmem's headers:  job HOW LIBGSHMEM [LIBMPI...]
 *
 *   linked  gshmem is linked, and starts MPI itself
 *   first   opens the MPIs locally, as Python does, starts MPI with the first, and then opens gshmem
 *   after   opens gshmem, and then the MPI, which gshmem starts
 *   open    only opens LIBGSHMEM
 *
 * Each PE prints how many there are.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LINKED
int gshmem_init_thread(int requested, int *provided);
int gshmem_n_pes(void);
void gshmem_barrier_all(void);
void gshmem_finalize(void);
#endif

static void *open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return library;
}

static void *find(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return function;
}

int main(int argc, char **argv)
{
	int (*init)(int, int *) = NULL, (*n_pes)(void) = NULL, (*start)(int *, char ***) = NULL;
	void (*barrier)(void) = NULL, (*finalize)(void) = NULL;
	int (*end)(void) = NULL;
	void *gshmem, *mpi = NULL;
	int i;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "open"))
		return !open_library(argv[2]);
	if (!strcmp(argv[1], "linked")) {
#ifdef LINKED
		init = gshmem_init_thread;
		n_pes = gshmem_n_pes;
		barrier = gshmem_barrier_all;
		finalize = gshmem_finalize;
#endif
	} else {
		if (!strcmp(argv[1], "after"))
			open_library(argv[2]);
		for (i = argc - 1; i > 2; i--)
			mpi = open_library(argv[i]);
		if (mpi && !strcmp(argv[1], "first")) {
			*(void **)&start = find(mpi, "MPI_Init");
			*(void **)&end = find(mpi, "MPI_Finalize");
			start(NULL, NULL);
		}
		gshmem = open_library(argv[2]);
		*(void **)&init = find(gshmem, "gshmem_init_thread");
		*(void **)&n_pes = find(gshmem, "gshmem_n_pes");
		*(void **)&barrier = find(gshmem, "gshmem_barrier_all");
		*(void **)&finalize = find(gshmem, "gshmem_finalize");
	}
	if (!init || init(0, NULL))
		return 1;
	printf("PE of %d\n", n_pes());
	barrier();
	finalize();
	if (end)
		end();
	return 0;
}
