/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * A module can be loaded by path, its variables and kernels are found by name, and
 * a kernel's arguments arrive.
 */
#include <hip/hip_runtime.h>
#include <string.h>
#include <unistd.h>

#include "../helpers.h"

enum { NELEMS = 1000 };

/* ../modules/plain.module, beside this program's folder. */
static const char *module_path()
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	char *slash = n > 0 ? strrchr(path, '/') : NULL;

	t_check(slash, "/proc/self/exe");
	strcpy(slash, "/../modules/plain.module");
	return path;
}

static void launch(hipFunction_t kernel, int *values, hipStream_t stream)
{
	unsigned nelems = NELEMS;
	double factor = 1.5;
	char small = 3;
	void *args[] = {&values, &small, &factor, &nelems};

	t_hip(hipModuleLaunchKernel(kernel, (NELEMS + 63) / 64, 1, 1, 64, 1, 1, 0, stream, args, NULL));
	nelems = 0; /* arguments are copied at the call */
	values = NULL;
}

int main()
{
	static int values[NELEMS];
	hipFunction_t kernel;
	hipStream_t stream;
	hipDeviceptr_t global;
	hipModule_t module;
	long long total = 5;
	int *memory, three = 3;
	size_t nbytes;

	t_hip(hipSetDevice(0));
	t_equal(hipModuleLoad(&module, "/nowhere/plain.module"), hipErrorFileNotFound,
		"a path that leads nowhere");
	t_hip(hipModuleLoad(&module, module_path()));
	t_equal(hipModuleGetFunction(&kernel, module, "plain_nothing"), hipErrorNotFound,
		"a kernel that is not there");
	t_equal(hipModuleGetGlobal(&global, &nbytes, module, "plain_nothing"), hipErrorNotFound,
		"a variable that is not there");

	t_hip(hipModuleGetGlobal(&global, &nbytes, module, "plain_total"));
	t_equal(nbytes, sizeof(total), "size of plain_total");
	t_hip(hipMemcpy((void *)global, &total, sizeof(total), hipMemcpyHostToDevice));
	t_hip(hipModuleGetFunction(&kernel, module, "plain_scale"));
	t_hip(hipStreamCreate(&stream));
	for (int i = 0; i < NELEMS; i++)
		values[i] = 2 * i;
	t_hip(hipMalloc((void **)&memory, sizeof(values)));
	t_hip(hipMemcpy(memory, values, sizeof(values), hipMemcpyHostToDevice));
	launch(kernel, memory, stream);
	t_hip(hipStreamSynchronize(stream));
	t_hip(hipMemcpy(values, memory, sizeof(values), hipMemcpyDeviceToHost));
	for (int i = 0; i < NELEMS; i++)
		t_equal(values[i], 3 * i * 2 + 3, "a value");
	t_hip(hipMemcpy(&total, (void *)global, sizeof(total), hipMemcpyDeviceToHost));
	t_equal(total, 5 + NELEMS, "plain_total");

	/* HIP 5.2 returns success, and stores no address, without a place for the size */
	t_hip(hipModuleGetGlobal(&global, &nbytes, module, "plain_factor"));
	t_hip(hipMemcpy((void *)global, &three, sizeof(three), hipMemcpyHostToDevice));
	launch(kernel, memory, stream);
	t_hip(hipStreamSynchronize(stream));
	t_hip(hipMemcpy(values, memory, sizeof(values), hipMemcpyDeviceToHost));
	for (int i = 0; i < NELEMS; i++)
		t_equal(values[i], (int)((3 * i * 2 + 3) * 1.5) * 3 + 3,
			"a value after plain_factor was set");
	t_hip(hipFree(memory));
	t_hip(hipStreamDestroy(stream));
	t_hip(hipModuleUnload(module));
#ifdef __HIP_PLATFORM_AMD__
	t_equal(hipModuleUnload(module), hipErrorNotFound, "a module that is gone");
#endif
	return 0;
}
