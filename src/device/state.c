/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device state: the library's own copy, the registry of the copies in HIP units, and their upload.
 *
 * Units register in constructors, possibly before main, from any thread that loads a module. A copy changes
 * only in init, in finalize and on entry of a host call, when no kernel of this process uses the library; the
 * exception is the word why (device/state.h).
 */
#include "device/state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/devmem.h"

struct gshmemi_state gshmemi_state = GSHMEMI_STATE_INIT;
struct gshmemi_attention *gshmemi_host_attention; /* init makes [2]: nobody reads the second, the sink */
atomic_uint gshmemi_enter_why = GSHMEMI_ENTER_NOT_INITIALIZED;

static const struct gshmemi_state unset = GSHMEMI_STATE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gshmemi_state_copy *copies;

/* A module that gshmemx_module_init has filled in. */
struct module {
	struct module *next;
	void *state;  /* its struct gshmemi_state, in device memory */
	uint32_t abi; /* of the headers it was compiled with */
};
static struct module *modules;
static void forget_modules(void);

void gshmemi_state_register(struct gshmemi_state_copy *copy)
{
	pthread_mutex_lock(&lock);
	copy->uploaded = 0;
	copy->next = copies;
	copies = copy;
	atomic_fetch_or(&gshmemi_enter_why, GSHMEMI_ENTER_UPLOAD);
	pthread_mutex_unlock(&lock);
}

void gshmemi_state_unregister(struct gshmemi_state_copy *copy)
{
	struct gshmemi_state_copy **link;

	pthread_mutex_lock(&lock);
	for (link = &copies; *link; link = &(*link)->next) {
		if (*link == copy) {
			*link = copy->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

const struct gshmemi_state *gshmemi_host_no_state(void)
{
	gshmemi_error(
		"host: the CPU reads a HIP unit's device state, which is in GPU memory: a bug in gshmem");
	gshmemi_end(1);
}

/*
 * Whether GSHMEM_DIRECT_ONLY units would miss something that the state asks for. Posted calls do not count:
 * such units wait for each call at once.
 */
static bool needs_slow_path(const struct gshmemi_state *state)
{
	return (state->why & ~(GSHMEMI_WHY_POSTS | GSHMEMI_WHY_ASKED)) != 0;
}

static int check_copy(const struct gshmemi_state_copy *copy, bool needs_slow)
{
	if (copy->abi != GSHMEMI_ABI)
		gshmemi_error(
			"init: %s was compiled with headers of ABI %u, the library is ABI %u: recompile it",
			copy->file, copy->abi, GSHMEMI_ABI);
	else if (copy->max_pes != GSHMEM_MAX_PES)
		gshmemi_error("init: %s was compiled with GSHMEM_MAX_PES %u, the library with %d: recompile "
			      "one of them",
			copy->file, copy->max_pes, GSHMEM_MAX_PES);
	else if (strcmp(copy->platform, GSHMEMI_ARCH_NAME))
		gshmemi_error("init: %s was compiled for platform %s, the library for %s", copy->file,
			copy->platform, GSHMEMI_ARCH_NAME);
	else if (copy->state_nbytes != sizeof unset)
		gshmemi_error(
			"init: %s was compiled with a device state of %llu bytes, the library with %zu: "
			"recompile it",
			copy->file, (unsigned long long)copy->state_nbytes, sizeof unset);
	else if (copy->direct_only && needs_slow)
		gshmemi_error(
			"init: %s was compiled with GSHMEM_DIRECT_ONLY, which cannot work with GSHMEM_CHECK, "
			"GSHMEM_STATS, GSHMEM_TRACE, GSHMEM_CPU_DELIVERY or a PE that is not mapped for "
			"puts, gets and atomics",
			copy->file);
	else
		return 0;
	return -EINVAL;
}

/* Checks a module's abi word, as check_copy does for a unit. */
static int check_abi(uint32_t abi, bool needs_slow)
{
	if ((abi & ~GSHMEMI_ABI_DIRECT_ONLY) != GSHMEMI_ABI)
		gshmemi_error("gshmemx_module_init: the module was compiled with headers of ABI %u, the "
			      "library is ABI %u: compile it again",
			abi & ~GSHMEMI_ABI_DIRECT_ONLY, GSHMEMI_ABI);
	else if (abi & GSHMEMI_ABI_DIRECT_ONLY && needs_slow)
		gshmemi_error("gshmemx_module_init: the module was compiled with GSHMEM_DIRECT_ONLY, which "
			      "cannot work with GSHMEM_CHECK, GSHMEM_STATS, GSHMEM_TRACE, "
			      "GSHMEM_CPU_DELIVERY or a PE that is not mapped for puts, gets and atomics");
	else
		return 0;
	return -EINVAL;
}

static int check_module(const struct module *module, size_t nbytes)
{
	if (nbytes == sizeof unset)
		return check_abi(module->abi, needs_slow_path(&gshmemi_state));
	gshmemi_error("gshmemx_module_init: the module was compiled with a device state of %zu bytes, the "
		      "library with %zu (GSHMEM_MAX_PES %d): compile it with the same headers and "
		      "GSHMEM_MAX_PES",
		nbytes, sizeof unset, GSHMEM_MAX_PES);
	return -EINVAL;
}

/* Does not use hipMemcpyToSymbol, which would use the null stream. */
static int upload(struct gshmemi_state_copy *copy, const struct gshmemi_state *state)
{
	char what[256];
	void *address;
	int rc;

	snprintf(what, sizeof what, "init: the device state of %s", copy->file);
	rc = gshmemi_devmem_locate(copy->locate, &address, what);
	if (!rc)
		rc = gshmemi_devmem_copy(address, state, sizeof *state, what);
	if (!rc)
		copy->state = address;
	return rc;
}

/*
 * Where the runtime loads a kernel at its first launch, it may wait for the kernels that run, and one of these
 * may wait for that launch. So the kernels of a unit or module are loaded before the program can launch them.
 * If that fails, kernels are loaded late, which may do no harm: a warning, once.
 */
static void report_load(hipError_t error, const char *file, unsigned nkernels)
{
	static bool has_warned;

	if (error == hipSuccess) {
		gshmemi_info("init: %u kernels of %s are loaded", nkernels, file);
		return;
	}
	(void)hipGetLastError();
	if (!has_warned)
		gshmemi_warn(
			"init: the kernels of %s cannot be loaded before they are launched (%s): a kernel "
			"that waits may then hang the first launch of another: set "
			"CUDA_MODULE_LOADING=EAGER",
			file, hipGetErrorString(error));
	has_warned = true;
}

static void load_unit(const struct gshmemi_state_copy *copy)
{
	unsigned nkernels = 0;
	struct gshmemi_devmem_caller previous;
	hipError_t error;

	if (!copy->load)
		return;
	previous = gshmemi_devmem_enter();
	error = (hipError_t)copy->load(&nkernels);
	gshmemi_devmem_leave(previous);
	report_load(error, copy->file, nkernels);
}

/* Called with the lock held. */
static int upload_new(void)
{
	struct gshmemi_state_copy *copy;
	int rc;

	for (copy = copies; copy; copy = copy->next) {
		if (copy->uploaded)
			continue;
		rc = check_copy(copy, needs_slow_path(&gshmemi_state));
		if (!rc)
			rc = upload(copy, &gshmemi_state);
		if (rc)
			return rc;
		load_unit(copy);
		copy->uploaded = 1;
	}
	atomic_fetch_and(&gshmemi_enter_why, ~(unsigned)GSHMEMI_ENTER_UPLOAD);
	return 0;
}

int gshmemi_state_upload(void)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = upload_new();
	pthread_mutex_unlock(&lock);
	return rc;
}

int gshmemi_state_set(const struct gshmemi_state *state)
{
	gshmemi_state = *state;
	return gshmemi_state_upload();
}

/* Writes only that word, into a copy that has been filled. */
static int write_slow(void *state)
{
	return gshmemi_devmem_copy((char *)state + offsetof(struct gshmemi_state, why), &gshmemi_state.why,
		sizeof gshmemi_state.why, "the device state's flags");
}

/* Called with the lock held. */
static int write_why_everywhere(void)
{
	struct gshmemi_state_copy *copy;
	struct module *module;
	int rc = 0;

	for (copy = copies; copy && !rc; copy = copy->next)
		if (copy->uploaded)
			rc = write_slow(copy->state);
	for (module = modules; module && !rc; module = module->next)
		rc = write_slow(module->state);
	return rc;
}

/* Checks that all units filled so far know the slow path. Called with the lock held. */
static int check_units(void)
{
	struct gshmemi_state_copy *copy;
	struct module *module;
	int rc = 0;

	for (copy = copies; copy && !rc; copy = copy->next)
		rc = copy->uploaded ? check_copy(copy, true) : 0;
	for (module = modules; module && !rc; module = module->next)
		rc = check_abi(module->abi, true);
	return rc;
}

int gshmemi_state_add_why(uint32_t why)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if ((gshmemi_state.why & why) != why) {
		if (why & ~GSHMEMI_WHY_POSTS)
			rc = check_units();
		if (!rc) {
			gshmemi_state.why |= why;
			rc = write_why_everywhere();
		}
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

#if GSHMEMI_ARCH_HOST_DIRECT

/* Kernels of this process may be reading the word. */
static void change_asked(struct gshmemi_state *state, bool is_asked)
{
	if (is_asked)
		__atomic_fetch_or(&state->why, GSHMEMI_WHY_ASKED, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&state->why, ~GSHMEMI_WHY_ASKED, __ATOMIC_SEQ_CST);
}

void gshmemi_state_set_asked(bool is_asked)
{
	struct gshmemi_state_copy *copy;
	struct module *module;

	pthread_mutex_lock(&lock);
	change_asked(&gshmemi_state, is_asked);
	for (copy = copies; copy; copy = copy->next)
		if (copy->uploaded)
			change_asked(copy->state, is_asked);
	for (module = modules; module; module = module->next)
		change_asked(module->state, is_asked);
	pthread_mutex_unlock(&lock);
}

#else

void gshmemi_state_set_asked(bool is_asked)
{
	(void)is_asked;
}

#endif

/* Like upload, but a failure cannot be reported to anyone. */
static void reset(const struct gshmemi_state_copy *copy)
{
	void *address;

	if (!gshmemi_devmem_locate(copy->locate, &address, NULL))
		gshmemi_devmem_copy(address, &unset, sizeof unset, NULL);
}

/*
 * A unit whose copy cannot be reset keeps distances to memory that is gone. The next init uploads it again.
 */
void gshmemi_state_reset(void)
{
	struct gshmemi_state_copy *copy;

	pthread_mutex_lock(&lock);
	for (copy = copies; copy; copy = copy->next) {
		if (copy->uploaded)
			reset(copy);
		copy->uploaded = 0;
	}
	forget_modules();
	gshmemi_state = unset;
	pthread_mutex_unlock(&lock);
}

/* ---- modules ---- */

/* Writes a state into a module, except the abi word that it was compiled with. Called with the lock held. */
static int fill_module(const struct module *module, const struct gshmemi_state *state, const char *what)
{
	static struct gshmemi_state filled;

	filled = *state;
	filled.abi = module->abi;
	return gshmemi_devmem_copy(module->state, &filled, sizeof filled, what);
}

static void forget_modules(void)
{
	struct module *module;

	while ((module = modules)) {
		modules = module->next;
		fill_module(module, &unset, NULL);
		free(module);
	}
}

/*
 * Finds the module's copy of the state. In modules compiled at run time it has its own name, in code objects
 * that of the static variable.
 */
static int find_state(hipModule_t module, void **state_p, size_t *nbytes_p)
{
	static const char *const names[] = {"gshmemi_state", "_ZL13gshmemi_state"};
	hipError_t error = hipErrorNotFound;
	hipDeviceptr_t state;
	unsigned i;

	for (i = 0; i < sizeof names / sizeof *names && error != hipSuccess; i++)
		error = hipModuleGetGlobal(&state, nbytes_p, module, names[i]);
	(void)hipGetLastError(); /* from a name that was not found */
	if (error != hipSuccess)
		return gshmemi_hip(error,
			"gshmemx_module_init: hipModuleGetGlobal: the module has no device state: compile it "
			"with gshmem.h, at run time with -DGSHMEM_MODULE, or link it with "
			"libgshmem_device_<gpu>.bc, and use a call of it in a kernel");
	*state_p = (void *)(uintptr_t)state;
	return 0;
}

static void load_module(hipModule_t handle)
{
#if GSHMEMI_ARCH_LOADS_LAZILY
	unsigned nkernels = 0;
	hipError_t error = GSHMEMI_ARCH_LOAD_MODULE(handle, &nkernels);

	report_load(error, "a module", nkernels);
#else
	(void)handle;
#endif
}

static struct module *find_module(const void *state)
{
	struct module *module;

	for (module = modules; module && module->state != state; module = module->next)
		;
	return module;
}

/*
 * Called with the lock held. A known module is filled again, because it may be a new one loaded at
 * the same address.
 */
static int add_module(hipModule_t handle)
{
	struct module found = {NULL, NULL, 0}, *module;
	size_t nbytes;
	int rc;

	rc = find_state(handle, &found.state, &nbytes);
	if (rc)
		return rc;
	if (nbytes >= offsetof(struct gshmemi_state, abi) + sizeof found.abi)
		rc = gshmemi_devmem_copy(&found.abi,
			(char *)found.state + offsetof(struct gshmemi_state, abi), sizeof found.abi,
			"gshmemx_module_init");
	if (!rc)
		rc = check_module(&found, nbytes);
	if (!rc)
		rc = fill_module(&found, &gshmemi_state, "gshmemx_module_init");
	if (rc)
		return rc;
	load_module(handle);
	module = find_module(found.state);
	if (!module) {
		module = malloc(sizeof *module);
		if (!module) {
			gshmemi_error("gshmemx_module_init: out of memory");
			return -ENOMEM;
		}
		found.next = modules;
		modules = module;
	} else {
		found.next = module->next;
	}
	*module = found;
	return 0;
}

int gshmemx_module_init(void *handle)
{
	int rc;

	rc = gshmemi_enter_int("gshmemx_module_init");
	if (rc || !handle)
		return rc; /* units loaded by dlopen have been filled on entry */
	pthread_mutex_lock(&lock);
	rc = add_module((hipModule_t)handle);
	pthread_mutex_unlock(&lock);
	return rc;
}
