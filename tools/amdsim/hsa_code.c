/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code objects. HIP loads each into an executable of its own, so that an executable is a module here. The
 * symbol of a kernel is that of its descriptor.
 */
#include <errno.h>
#include <string.h>

#include "hsa.h"

struct executable {
	struct executable *next;
	struct module *module; /* NULL: not loaded */
	struct symbol *symbols;
};

struct symbol {
	struct symbol *next;
	const struct module *module;
	const Elf64_Sym *elf;
	bool is_kernel;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list, and while code is decoded */
static struct executable *executables;

static struct executable *executable_of(hsa_executable_t executable)
{
	return (struct executable *)(uintptr_t)executable.handle;
}

static struct kernel *find_kernel(const struct module *m, uint64_t object)
{
	for (size_t k = 0; m && k < m->nkernels; k++)
		if (m->kernels[k].object == object)
			return &m->kernels[k];
	return NULL;
}

struct kernel *code_kernel(uint64_t object)
{
	struct kernel *k = NULL;

	pthread_mutex_lock(&lock);
	for (const struct executable *e = executables; e && !k; e = e->next)
		k = find_kernel(e->module, object);
	if (k && !kernel_decode(k))
		k = NULL;
	pthread_mutex_unlock(&lock);
	return k;
}

/* ---- executables ---- */

hsa_status_t hsa_code_object_reader_create_from_memory(
	const void *image, size_t nbytes, hsa_code_object_reader_t *reader_p)
{
	if (!image || !nbytes || !reader_p)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	reader_p->handle = (uintptr_t)image;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader)
{
	return reader.handle ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
}

hsa_status_t hsa_executable_create_alt(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding,
	const char *options, hsa_executable_t *executable_p)
{
	struct executable *e = zalloc(sizeof(*e));

	(void)profile, (void)rounding, (void)options;
	pthread_mutex_lock(&lock);
	e->next = executables;
	executables = e;
	pthread_mutex_unlock(&lock);
	executable_p->handle = (uintptr_t)e;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
	hsa_code_object_reader_t reader, const char *options, hsa_loaded_code_object_t *loaded_p)
{
	struct executable *e = executable_of(executable);
	struct module *m;
	int rc;

	(void)options;
	if (e->module) {
		message("hsa_executable_load_agent_code_object: the simulator's executables have one code "
			"object");
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	}
	rc = module_load((const void *)(uintptr_t)reader.handle, agent_device(agent), &m);
	if (rc)
		return rc == -ENOMEM     ? HSA_STATUS_ERROR_OUT_OF_RESOURCES
			: rc == -ENOEXEC ? HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS
					 : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	pthread_mutex_lock(&lock);
	e->module = m;
	pthread_mutex_unlock(&lock);
	if (loaded_p)
		loaded_p->handle = executable.handle;
	return HSA_STATUS_SUCCESS;
}

/* Code is relocated when it is loaded. */
hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char *options)
{
	(void)options;
	return executable_of(executable)->module ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
}

hsa_status_t hsa_executable_destroy(hsa_executable_t executable)
{
	struct executable *e = executable_of(executable), **at = &executables;

	pthread_mutex_lock(&lock);
	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	pthread_mutex_unlock(&lock);
	for (struct symbol *s = e->symbols, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	if (e->module)
		module_unload(e->module);
	free(e);
	return HSA_STATUS_SUCCESS;
}

/* ---- symbols ---- */

static bool is_kernel(const struct module *m, const char *name)
{
	for (size_t k = 0; k < m->nkernels; k++)
		if (!strcmp(m->kernels[k].symbol, name))
			return true;
	return false;
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char *name,
	const hsa_agent_t *agent, hsa_executable_symbol_t *symbol_p)
{
	struct executable *e = executable_of(executable);
	const Elf64_Sym *elf = e->module ? module_symbol(e->module, name) : NULL;
	struct symbol *s;

	(void)agent;
	if (!elf)
		return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
	s = zalloc(sizeof(*s));
	pthread_mutex_lock(&lock);
	*s = (struct symbol){e->symbols, e->module, elf, is_kernel(e->module, name)};
	e->symbols = s;
	pthread_mutex_unlock(&lock);
	symbol_p->handle = (uintptr_t)s;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_symbol_get_info(
	hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t what, void *value)
{
	const struct symbol *s = (const struct symbol *)(uintptr_t)symbol.handle;

	switch (what) {
	case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
		*(hsa_symbol_kind_t *)value =
			s->is_kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
		*(uint32_t *)value = (uint32_t)s->elf->st_size;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
		*(uint64_t *)value = s->module->base + s->elf->st_value;
		return HSA_STATUS_SUCCESS;
	default:
		message("hsa_executable_symbol_get_info: property %d is not simulated", (int)what);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
}
