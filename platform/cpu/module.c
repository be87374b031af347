/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Modules: a shared object takes the place of a code object. Variables and kernels are found by name;
 * HIPCPU_MODULE_KERNEL has left beside each kernel how to pass its arguments.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hip/hipcpu.h"
#include "runtime.h"

#define MODULE_MAGIC UINT32_C(0x4d435048)

struct ihipModule_t {
	uint32_t magic;
	void *object; /* from dlopen */
	int device;   /* the current device when it was loaded */
};

static bool is_module(const struct ihipModule_t *module)
{
	return module && module->magic == MODULE_MAGIC;
}

static hipError_t load(hipModule_t *module_p, const char *path)
{
	struct ihipModule_t *module;
	char *whole; /* dlopen would search for a name without a slash elsewhere */

	if (!module_p || !path)
		return hipErrorInvalidValue;
	if (!hipcpu_device(hipcpu_current_device()))
		return hipErrorNoDevice;
	whole = realpath(path, NULL);
	if (!whole)
		return hipErrorFileNotFound;
	module = malloc(sizeof(*module));
	if (!module) {
		free(whole);
		return hipErrorOutOfMemory;
	}
	*module = (struct ihipModule_t){.magic = MODULE_MAGIC, .device = hipcpu_current_device()};
	module->object = dlopen(whole, RTLD_NOW | RTLD_LOCAL);
	free(whole);
	if (!module->object) {
		hipcpu_message("hipModuleLoad: %s", dlerror());
		free(module);
		return hipErrorInvalidImage;
	}
	*module_p = module;
	return hipSuccess;
}

hipError_t hipModuleLoad(hipModule_t *module, const char *path)
{
	HIPCPU_ENTER(hipModuleLoad);
	HIPCPU_LEAVE(load(module, path));
}

hipError_t hipModuleUnload(hipModule_t module)
{
	HIPCPU_ENTER(hipModuleUnload);
	if (!is_module(module))
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	hipcpu_device_drain(module->device); /* no kernel of the module may still be running */
	module->magic = 0;
	dlclose(module->object);
	free(module);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *ptr, size_t *nbytes, hipModule_t module, const char *name)
{
	void *address, *symbol = NULL;
	Dl_info info;

	HIPCPU_ENTER(hipModuleGetGlobal);
	if (!is_module(module))
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	if (!name)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	address = dlsym(module->object, name);
	if (!address || !dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) || !symbol)
		HIPCPU_LEAVE(hipErrorNotFound);
	if (ptr)
		*ptr = address;
	if (nbytes)
		*nbytes = (size_t)((const ElfW(Sym) *)symbol)->st_size;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name)
{
	char record[256];
	void *found;

	HIPCPU_ENTER(hipModuleGetFunction);
	if (!is_module(module))
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	if (!function || !name)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if ((size_t)snprintf(record, sizeof(record), "hipcpu_kernel_%s", name) >= sizeof(record))
		HIPCPU_LEAVE(hipErrorNotFound);
	found = dlsym(module->object, record);
	if (!found) {
		if (dlsym(module->object, name))
			hipcpu_message(
				"hipModuleGetFunction: %s: the kernel's parameter types are needed: write "
				"HIPCPU_MODULE_KERNEL(%s) after it",
				name, name);
		HIPCPU_LEAVE(hipErrorNotFound);
	}
	*function = found;
	HIPCPU_LEAVE(hipSuccess);
}

static hipError_t launch(hipFunction_t function, dim3 grid, dim3 block, unsigned shared_bytes,
	hipStream_t stream, void **args, void **extra, bool cooperative)
{
	struct hipcpu_launch_params params = {.grid = grid,
		.block = block,
		.shared_bytes = shared_bytes,
		.stream = stream,
		.cooperative = cooperative};

	if (!function)
		return hipErrorInvalidHandle;
	if (extra) /* a packed buffer, whose layout is not known here */
		return hipErrorNotSupported;
	function->bind(args, &params);
	return hipcpu_launch_bound(&params);
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, hipStream_t stream,
	void **args, void **extra)
{
	const dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};

	HIPCPU_ENTER(hipModuleLaunchKernel);
	HIPCPU_LEAVE(launch(function, grid, block, shared_bytes, stream, args, extra, false));
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
	unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
	hipStream_t stream, void **args)
{
	const dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};

	HIPCPU_ENTER(hipModuleLaunchCooperativeKernel);
	HIPCPU_LEAVE(launch(function, grid, block, shared_bytes, stream, args, NULL, true));
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
	int *nblocks, hipFunction_t function, int block_size, size_t shared_bytes)
{
	HIPCPU_ENTER(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor);
	if (!function)
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	HIPCPU_LEAVE(hipcpu_occupancy(nblocks, block_size, shared_bytes));
}
