/* SPDX-License-Identifier: BSD-3-Clause */
/* A process appends a kernel to GSHMEM_CPU_LAUNCHES when it first launches it, and when the block grows. */
#include <hip/hip_runtime.h>
#include <string.h>
#include <unistd.h>

#include "../helpers.h"

static __global__ void first(int *) {}
template <int N> static __global__ void second(int *) {}

static void launch(int nthreads, size_t shared_bytes)
{
	hipLaunchKernelGGL(first, dim3(3), dim3(nthreads / 2, 2), shared_bytes, 0, (int *)NULL);
}

int main(void)
{
	char path[T_PATH_BYTES], program[4096] = "";
	char expected[5 * 4200], got[5 * 4200] = "";
	FILE *file;

	t_temp_file(path);
	file = fopen(path, "r+");
	t_check(file && fputs("kept\n", file) >= 0 && fflush(file) == 0, "%s cannot be written", path);
	setenv("GSHMEM_CPU_LAUNCHES", path, 1);
	launch(128, 0);
	launch(128, 0);
	launch(64, 0);
	launch(128, 512);
	launch(256, 0);
	hipLaunchKernelGGL(HIP_KERNEL_NAME(second<1>), dim3(1), dim3(1), 0, 0, (int *)NULL);
	t_hip(hipDeviceSynchronize());
	unlink(path);
	t_check(readlink("/proc/self/exe", program, sizeof program - 1) > 0, "/proc/self/exe has no name");
	snprintf(expected, sizeof expected,
		"kept\n%s\tfirst\t128\t0\n%s\tfirst\t128\t512\n%s\tfirst\t256\t0\n"
		"%s\tHIP_KERNEL_NAME(second<1>)\t1\t0\n",
		program, program, program, program);
	t_check(fseek(file, 0, SEEK_SET) == 0, "%s cannot be read", path);
	(void)!fread(got, 1, sizeof got - 1, file);
	fclose(file);
	t_check(strcmp(got, expected) == 0, "expected:\n%sgot:\n%s", expected, got);
	return 0;
}
