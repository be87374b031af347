/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into programs that call gshmem_init, it lets them start without MPI: by a unique id that rank 0
 * writes to a file. tools/report/launch preloads it, and sets NOMPI_RANK, _RANKS and _DIR, the folder
 * of the file.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gshmem.h>

/* Commands that start the program, such as timeout, load this, too, and have none of these. */
#pragma weak gshmem_query_initialized
#pragma weak gshmem_query_thread
#pragma weak gshmemx_get_uniqueid
#pragma weak gshmemx_set_attr_uniqueid_args

typedef int init_function(const struct gshmemx_init_attributes *);

static int real_init(const struct gshmemx_init_attributes *attr)
{
	static init_function *next;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "gshmemx_init_attr");
	return next ? next(attr) : 1;
}

/* Written under another name first, so that no rank reads a part. */
static int write_id(const gshmemx_uniqueid_t *id, const char *path)
{
	char part[600];
	FILE *file;

	snprintf(part, sizeof part, "%s.part", path);
	file = fopen(part, "w");
	if (!file || fwrite(id, sizeof *id, 1, file) != 1 || fclose(file) || rename(part, path)) {
		fprintf(stderr, "nompi: cannot write %s\n", path);
		return 1;
	}
	return 0;
}

static int read_id(gshmemx_uniqueid_t *id, const char *path)
{
	FILE *file = NULL;
	size_t n = 0;
	int tries;

	for (tries = 0; tries < 6000 && !file; tries++) {
		file = fopen(path, "r");
		if (!file)
			usleep(10000);
	}
	if (file) {
		n = fread(id, sizeof *id, 1, file);
		fclose(file);
	}
	if (n != 1)
		fprintf(stderr, "nompi: rank 0 has not written %s\n", path);
	return n != 1;
}

int gshmemx_init_attr(const struct gshmemx_init_attributes *asked)
{
	static int ninits; /* an id serves one init */
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	const char *rank = getenv("NOMPI_RANK"), *nranks = getenv("NOMPI_RANKS"), *dir = getenv("NOMPI_DIR");
	gshmemx_uniqueid_t id;
	int initialized = 0, rc;
	char path[512];

	gshmem_query_initialized(&initialized);
	if (!rank || !nranks || !dir || initialized || !asked || asked->size < sizeof attr ||
		asked->mpi_comm || asked->uniqueid)
		return real_init(asked);
	snprintf(path, sizeof path, "%s/id%d", dir, ninits++);
	if (atoi(rank) == 0)
		rc = gshmemx_get_uniqueid(&id) || write_id(&id, path);
	else
		rc = read_id(&id, path);
	attr = *asked;
	if (rc || gshmemx_set_attr_uniqueid_args(atoi(rank), atoi(nranks), &id, &attr))
		return 1;
	return real_init(&attr);
}

int gshmem_init_thread(int requested, int *provided)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int rc;

	attr.thread_level = requested;
	rc = gshmemx_init_attr(&attr);
	if (!rc && provided)
		gshmem_query_thread(provided);
	return rc;
}

void gshmem_init(void)
{
	if (gshmem_init_thread(GSHMEM_THREAD_SINGLE, NULL))
		exit(1);
}
