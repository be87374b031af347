/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads MPI when it is first needed. A program that is linked with MPI already has one and must not get a
 * second: an MPI in the process comes before any file.
 */
#include "base/base.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "mpi/direct.h"

struct gshmemi_mpi_functions gshmemi_mpi_functions;

/* Debian's name for MPICH, and the name of every MPI with MPICH's ABI. */
static const char *const files[] = {"libmpich.so.12", "libmpi.so.12"};

void *gshmemi_mpi_find(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/*
 * Loads the file globally, so that gshmemi_mpi_find finds its functions, and those of tools in front of MPI
 * first, as in a program that links it.
 */
static bool open_file(const char *file, char *why, size_t nbytes)
{
	if (dlopen(file, RTLD_NOW | RTLD_GLOBAL))
		return true;
	snprintf(why, nbytes, "%s", dlerror());
	return false;
}

/* For dl_iterate_phdr, which comes to the program first: whether it names a dynamic loader. */
static int has_loader(struct dl_phdr_info *program, size_t nbytes, void *unused)
{
	unsigned i;

	(void)nbytes;
	(void)unused;
	for (i = 0; i < program->dlpi_phnum; i++)
		if (program->dlpi_phdr[i].p_type == PT_INTERP)
			return 1;
	return -1;
}

/* MPI would bring another C library into such a program, and crash. */
static bool is_static(void)
{
	return dl_iterate_phdr(has_loader, NULL) < 0;
}

static bool open_any(char *why, size_t nbytes)
{
	const char *file = gshmemi_env.MPI_LIBRARY;
	size_t i;

	if (gshmemi_mpi_find("MPI_Init_thread"))
		return true;
	if (is_static()) {
		snprintf(why, nbytes, "the program is linked with -static");
		return false;
	}
	if (file)
		return open_file(file, why, nbytes);
	for (i = 0; i < sizeof files / sizeof *files; i++)
		if (open_file(files[i], why, nbytes))
			return true;
	return false;
}

bool gshmemi_mpi_is_there(void)
{
	char why[512];

	return open_any(why, sizeof why);
}

/*
 * MPICH's handles are numbers and Open MPI's are addresses, so code compiled for one cannot call the other.
 */
static int check_kind(const struct gshmemi_mpi_functions *mpi, const char *what)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int length;

	mpi->Get_library_version(version, &length);
	if (!strstr(version, "Open MPI"))
		return 0;
	gshmemi_error("%s: the MPI of this process is Open MPI, but gshmem is built for MPICH and MPIs with "
		      "its ABI",
		what);
	return -ENOTSUP;
}

int gshmemi_mpi_load(const char *what)
{
	struct gshmemi_mpi_functions mpi;
	char why[512] = "";
	int rc;

	if (gshmemi_mpi_functions.Init_thread)
		return 0;
	if (!gshmemi_mpi_find("MPI_Init_thread") && is_static()) {
		gshmemi_error("%s: this program is linked with -static, and MPI, which would bring another C "
			      "library, cannot be loaded: link it without, or start by gshmemx_get_uniqueid",
			what);
		return -ENOTSUP;
	}
	if (!open_any(why, sizeof why)) {
		gshmemi_error("%s: MPI cannot be loaded: %s: install MPICH, name its library in "
			      "GSHMEM_MPI_LIBRARY, or start without MPI, by gshmemx_get_uniqueid",
			what, why);
		return -ENOENT;
	}
#define X(NAME) \
	*(void **)&mpi.NAME = gshmemi_mpi_find("MPI_" #NAME); \
	if (!mpi.NAME) { \
		gshmemi_error( \
			"%s: MPI_" #NAME " is missing in the MPI of this process: MPI 3 is needed", what); \
		return -ENOTSUP; \
	}
	GSHMEMI_MPI_CALLS(X)
#undef X
	rc = check_kind(&mpi, what);
	if (!rc)
		gshmemi_mpi_functions = mpi;
	return rc;
}

/*
 * Which of these functions exist differs between MPIs and their versions: MPICH has cuda and hip, Open MPI
 * cuda and rocm.
 */
static bool says(const char *query)
{
	int (*function)(void);

	*(void **)&function = gshmemi_mpi_find(query);
	return function && function();
}

bool gshmemi_mpi_takes_device(void)
{
	if (GSHMEMI_ARCH_IS_CUDA)
		return says("MPIX_Query_cuda_support");
	return says("MPIX_Query_hip_support") || says("MPIX_Query_rocm_support");
}
