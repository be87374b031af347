/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds MPI, or loads it, when it is first needed, and the shim that speaks its ABI. A program that is linked
 * with MPI already has one and must not get a second: an MPI in the process comes before any file, also if it
 * was loaded for a part of the process alone, as Python loads modules.
 */
#include "base/base.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi.h"

const struct gshmemi_mpi *gshmemi_mpi;

static enum gshmemi_mpi_kind loaded; /* whose table gshmemi_mpi is */
static bool is_ours;                 /* this library has loaded MPI */

static const struct mpi {
	const char *name;     /* for people */
	const char *shim;     /* for files */
	const char *package;  /* Debian's, whose headers the shim is compiled with */
	const char *files[2]; /* Debian's name for MPICH, and the name of every MPI with MPICH's ABI */
} mpis[GSHMEMI_MPI_NKINDS] = {
	[GSHMEMI_MPI_MPICH] = {"MPICH", "mpich", "libmpich-dev", {"libmpich.so.12", "libmpi.so.12"}},
	[GSHMEMI_MPI_OPENMPI] = {"Open MPI", "openmpi", "libopenmpi-dev", {"libmpi.so.40"}},
	[GSHMEMI_MPI_STANDARD] = {"MPI's standard ABI", "abi", "an MPI with mpicc_abi", {"libmpi_abi.so.0"}},
};

/* What find_mpi has found. */
struct found {
	enum gshmemi_mpi_kind kind;
	gshmemi_mpi_shim_t *shim;
	bool is_in_process; /* it was there already */
	char why[768];      /* it found none, or no shim */
};

void *gshmemi_mpi_find(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/*
 * The MPI whose launcher has started this process, as its variables say; or GSHMEMI_MPI_NONE. *is_sure: no
 * other MPI understands that launcher, and it has started several processes.
 */
static enum gshmemi_mpi_kind find_launcher(bool *is_sure)
{
	const char *size = getenv("OMPI_COMM_WORLD_SIZE");

	*is_sure = size && strcmp(size, "1") != 0;
	if (size)
		return GSHMEMI_MPI_OPENMPI;
	if (getenv("PMI_FD") || getenv("PMI_PORT") || getenv("PMI_RANK"))
		return GSHMEMI_MPI_MPICH;
	return getenv("PMIX_RANK") ? GSHMEMI_MPI_OPENMPI : GSHMEMI_MPI_NONE;
}

/* ---- the MPI of this process ---- */

/*
 * The functions of tools in front of MPI are found first, as in a program that links it; those whose names
 * begin with P are MPI's own.
 */
static bool is_global(void)
{
	return gshmemi_mpi_find("PMPI_Init_thread");
}

struct paths {
	char path[8][1024];
	unsigned n;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_openmpi(void *library)
{
	return dlsym(library, "ompi_mpi_comm_world");
}

/* For dl_iterate_phdr: notes the libraries that may be an MPI. Loading one here would wait for a lock. */
static int note_library(struct dl_phdr_info *object, size_t nbytes, void *paths_p)
{
	struct paths *paths = paths_p;

	(void)nbytes;
	if (strncmp(base_name(object->dlpi_name), "libmpi", 6) == 0 &&
		paths->n < sizeof paths->path / sizeof *paths->path)
		snprintf(paths->path[paths->n++], sizeof *paths->path, "%s", object->dlpi_name);
	return 0;
}

/* How likely this library is the program's MPI: 0: it is none; else more, if it is the launcher's or runs. */
static int rate_library(const char *path, enum gshmemi_mpi_kind launcher)
{
	void *const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	int (*initialized)(int *flag);
	int flag = 0, rate = 0;

	if (!library)
		return 0;
	*(void **)&initialized = dlsym(library, "PMPI_Initialized");
	if (initialized) {
		initialized(&flag);
		rate = 1 + (is_openmpi(library) == (launcher == GSHMEMI_MPI_OPENMPI)) + 2 * (flag != 0);
	}
	dlclose(library);
	return rate;
}

/* Makes an MPI that was loaded locally visible to everybody. */
static bool make_global(enum gshmemi_mpi_kind launcher)
{
	struct paths paths = {.n = 0};
	const char *best = NULL;
	int rate, best_rate = 0;
	unsigned i;

	dl_iterate_phdr(note_library, &paths);
	for (i = 0; i < paths.n; i++) {
		rate = rate_library(paths.path[i], launcher);
		if (rate > best_rate) {
			best = paths.path[i];
			best_rate = rate;
		}
	}
	return best && dlopen(best, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) && is_global();
}

/* Whose ABI the functions have that gshmemi_mpi_find finds. */
static enum gshmemi_mpi_kind find_kind(void)
{
	void *const function = gshmemi_mpi_find("PMPI_Init_thread");
	void *library;
	Dl_info info;
	bool is_ompi;

	if (!dladdr(function, &info) || !info.dli_fname)
		return GSHMEMI_MPI_MPICH;
	if (strncmp(base_name(info.dli_fname), "libmpi_abi", 10) == 0)
		return GSHMEMI_MPI_STANDARD;
	library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD); /* NULL: MPI is in the program itself */
	is_ompi = is_openmpi(library ? library : RTLD_DEFAULT);
	if (library)
		dlclose(library);
	return is_ompi ? GSHMEMI_MPI_OPENMPI : GSHMEMI_MPI_MPICH;
}

/* ---- an MPI from a file ---- */

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

/* Adds to why, which lists what has been tried. */
static void add_reason(struct found *found, const char *reason)
{
	const size_t length = strlen(found->why);

	snprintf(found->why + length, sizeof found->why - length, "%s%s", length ? "; " : "", reason);
}

static bool open_file(const char *file, struct found *found)
{
	if (dlopen(file, RTLD_NOW | RTLD_GLOBAL))
		return is_ours = true;
	add_reason(found, dlerror());
	return false;
}

static bool find_shim(struct found *found)
{
	char why[512];

	found->shim = gshmemi_mpi_find_shim(mpis[found->kind].shim, why, sizeof why);
	if (!found->shim)
		add_reason(found, why);
	return found->shim;
}

/* Tries the files of one MPI. Its shim comes first: an MPI without one would be loaded for nothing. */
static bool open_kind(enum gshmemi_mpi_kind kind, struct found *found)
{
	unsigned i;

	found->kind = kind;
	if (!find_shim(found))
		return false;
	for (i = 0; i < 2 && mpis[kind].files[i]; i++)
		if (open_file(mpis[kind].files[i], found))
			return true;
	found->shim = NULL;
	return false;
}

/* Loads the MPI that GSHMEM_MPI_LIBRARY names, or that of the launcher, or the first that is there. */
static bool open_any(enum gshmemi_mpi_kind launcher, bool is_sure, struct found *found)
{
	int kind;

	if (is_static()) {
		add_reason(found, "the program is linked with -static");
		return false;
	}
	if (gshmemi_env.MPI_LIBRARY) {
		if (!open_file(gshmemi_env.MPI_LIBRARY, found))
			return false;
		found->kind = find_kind();
		return find_shim(found);
	}
	if (launcher && open_kind(launcher, found))
		return true;
	for (kind = GSHMEMI_MPI_MPICH; !is_sure && kind < GSHMEMI_MPI_NKINDS; kind++)
		if (kind != (int)launcher && open_kind((enum gshmemi_mpi_kind)kind, found))
			return true;
	found->kind = is_sure ? launcher : GSHMEMI_MPI_NONE;
	return false;
}

static bool find_mpi(struct found *found)
{
	bool is_sure;
	const enum gshmemi_mpi_kind launcher = find_launcher(&is_sure);

	memset(found, 0, sizeof *found);
	found->is_in_process = is_global() || (!is_static() && make_global(launcher));
	if (!found->is_in_process)
		return open_any(launcher, is_sure, found);
	found->kind = find_kind();
	return find_shim(found);
}

bool gshmemi_mpi_is_there(void)
{
	struct found found;

	return find_mpi(&found) || found.is_in_process;
}

/* ---- load ---- */

static int report_none(const char *what, const struct found *found)
{
	const struct mpi *mpi = &mpis[found->kind];

	if (is_static()) {
		gshmemi_error("%s: this program is linked with -static, and MPI, which would bring another C "
			      "library, cannot be loaded: link it without, or start by gshmemx_get_uniqueid",
			what);
		return -ENOTSUP;
	}
	if (found->is_in_process) {
		gshmemi_error(
			"%s: the MPI of this process is %s, and gshmem was built without its mpi.h: %s: "
			"install %s and build gshmem again, or build and start the program with another "
			"MPI (on Debian and Ubuntu mpicc.mpich and mpirun.mpich are MPICH's)",
			what, mpi->name, found->why, mpi->package);
		return -ENOTSUP;
	}
	if (found->kind) {
		gshmemi_error(
			"%s: %s's launcher has started this process, but gshmem cannot use that MPI: %s: "
			"install %s and build gshmem again, or start the program with the launcher of another "
			"MPI (mpirun.mpich on Debian and Ubuntu)",
			what, mpi->name, found->why, mpi->package);
		return -ENOTSUP;
	}
	gshmemi_error("%s: MPI cannot be loaded: %s: install MPICH or Open MPI, name its library in "
		      "GSHMEM_MPI_LIBRARY, or start without MPI, by gshmemx_get_uniqueid",
		what, found->why);
	return -ENOENT;
}

int gshmemi_mpi_load(const char *what)
{
	const struct gshmemi_mpi *table;
	const char *missing = NULL;
	struct found found;

	if (gshmemi_mpi)
		return 0;
	if (!find_mpi(&found))
		return report_none(what, &found);
	table = found.shim(gshmemi_mpi_find, &missing);
	if (!table) {
		gshmemi_error("%s: %s is missing in the MPI of this process: MPI 3 is needed", what, missing);
		return -ENOTSUP;
	}
	if (table->table != GSHMEMI_MPI_TABLE) {
		gshmemi_error("%s: gshmem/mpi-%s.so is of another release than this libgshmem: install both "
			      "from one build",
			what, mpis[found.kind].shim);
		return -ENOTSUP;
	}
	loaded = found.kind;
	gshmemi_mpi = table;
	gshmemi_info("%s: MPI is %s, which %s", what, table->name,
		is_ours ? "gshmem has loaded" : "was in the process");
	return 0;
}

int gshmemi_mpi_check_abi(const char *what, int abi, size_t nbytes)
{
	const bool is_known = abi > GSHMEMI_MPI_NONE && abi < GSHMEMI_MPI_NKINDS;

	if (abi == (int)loaded && nbytes == gshmemi_mpi->handle_nbytes)
		return 0;
	gshmemi_error("%s: this call was compiled with the mpi.h of %s, but the MPI of this process is %s: "
		      "compile and start the program with one MPI",
		what, is_known ? mpis[abi].name : "an MPI that gshmem does not know", mpis[loaded].name);
	return -EINVAL;
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
