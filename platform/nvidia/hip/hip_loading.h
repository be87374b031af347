/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads kernels before their first launch. CUDA by default loads a kernel when it is first launched, and may
 * wait for all kernels that run to do so (CUDA C++ Programming Guide, "Lazy Loading"). A part of
 * hip_runtime_api.h, which includes it behind HIPCUDA_DRIVER.
 */
#ifndef HIPCUDA_HIP_LOADING_H
#define HIPCUDA_HIP_LOADING_H

#include <stdbool.h>
#include <stdlib.h>

#if CUDART_VERSION >= 12040

static inline hipError_t hipcuda_module_of(CUmodule *module, CUfunction function)
{
	HIPCUDA_DRIVER_ALONE(cuFuncGetModule, 11000, module, function);
}

static inline hipError_t hipcuda_count_functions(unsigned *count, CUmodule module)
{
	HIPCUDA_DRIVER_ALONE(cuModuleGetFunctionCount, 12040, count, module);
}

static inline hipError_t hipcuda_list_functions(CUfunction *functions, unsigned count, CUmodule module)
{
	HIPCUDA_DRIVER_ALONE(cuModuleEnumerateFunctions, 12040, functions, count, module);
}

static inline hipError_t hipcuda_load_function(CUfunction function)
{
	HIPCUDA_DRIVER_ALONE(cuFuncLoad, 12040, function);
}

static inline hipError_t hipcuda_loading_mode(CUmoduleLoadingMode *mode)
{
	HIPCUDA_DRIVER_ALONE(cuModuleGetLoadingMode, 11070, mode);
}

/* Whether this process loads kernels when they are first launched; true also if that is not known. */
static inline bool hipcudaLoadsLate(void)
{
	CUmoduleLoadingMode mode;

	return hipcuda_loading_mode(&mode) != hipSuccess || mode == CU_MODULE_LAZY_LOADING;
}

/* Loads all kernels of a module into the current context. *nkernels_p says how many there are. */
static inline hipError_t hipcudaLoadModule(hipModule_t module, unsigned *nkernels_p)
{
	CUfunction *functions;
	unsigned count = 0, i;
	hipError_t error;

	error = hipcuda_count_functions(&count, module);
	if (error != hipSuccess)
		return error;
	functions = (CUfunction *)calloc(count ? count : 1, sizeof *functions);
	if (!functions)
		return hipErrorOutOfMemory;
	error = hipcuda_list_functions(functions, count, module);
	for (i = 0; i < count && error == hipSuccess; i++)
		error = hipcuda_load_function(functions[i]);
	free(functions);
	if (error == hipSuccess)
		*nkernels_p = count;
	return error;
}

/* The same for the unit of a kernel, which is named as for hipFuncGetAttributes. */
static inline hipError_t hipcudaLoadUnit(const void *kernel, unsigned *nkernels_p)
{
	cudaFunction_t function;
	CUmodule module;
	hipError_t error;

	error = cudaGetFuncBySymbol(&function, kernel);
	if (error == hipSuccess)
		error = hipcuda_module_of(&module, function);
	return error == hipSuccess ? hipcudaLoadModule(module, nkernels_p) : error;
}

#else

static inline bool hipcudaLoadsLate(void)
{
	return true;
}

static inline hipError_t hipcudaLoadModule(hipModule_t module, unsigned *nkernels_p)
{
	(void)module;
	(void)nkernels_p;
	return hipErrorNotSupported;
}

static inline hipError_t hipcudaLoadUnit(const void *kernel, unsigned *nkernels_p)
{
	(void)kernel;
	(void)nkernels_p;
	return hipErrorNotSupported;
}

#endif

#endif /* HIPCUDA_HIP_LOADING_H */
