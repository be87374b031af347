/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* Every form of launch runs each lane once, with its indices and with converted arguments. */
/* env: GSHMEM_CPU_WAVE=64 GSHMEM_CPU_HOST_ACCESS=0 | GSHMEM_CPU_WAVE=32 GSHMEM_CPU_BLOCKS=1 */
#include <hip/hip_runtime.h>

#include "../helpers.h"

struct pair {
	char tag;
	double value;
};

__device__ int counter;
__constant__ int table[4] = {1, 2, 3, 4};

__global__ void indices(unsigned *out)
{
	unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	dim3 size = blockDim;

	atomicAdd(&out[block * size.x * size.y * size.z + thread],
		1 + threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z);
}

/* The call passes int, int, double, NULL and a struct. */
__global__ void convert(long a, float b, int c, int *none, struct pair p, int *out)
{
	out[0] = a == -7 && b == 3.0f && c == 2 && !none && p.tag == 'x' && p.value == 0.5;
	out[1] = table[3];
	counter = 11;
}

template <int N, typename T> __global__ void fill(T *out, T value)
{
	for (int i = threadIdx.x; i < N; i += blockDim.x)
		out[i] = value;
}

__global__ void overloaded(int *out)
{
	out[threadIdx.x] = 21;
}

__global__ void overloaded(int *out, double value)
{
	out[threadIdx.x] = (int)(2 * value);
}

template <typename T> __global__ void deduce(T *out, int value)
{
	out[threadIdx.x] = (T)(value + (int)sizeof(T));
}

__global__ void change(int *out, int value)
{
	out[threadIdx.x] = value;
	value = 0; /* of this lane only */
}

#ifdef __HIP_PLATFORM_CPU__
/* The object itself, a copy of one, and a value. */
__global__ void multiply(unsigned &sum, const unsigned &addend, unsigned n)
{
	sum += addend * n;
}

static void check_references()
{
	unsigned *p, *addend, n = 3, got;
	void *args[] = {&p, &addend, &n};

	t_hip(hipMalloc((void **)&p, sizeof *p));
	t_hip(hipMalloc((void **)&addend, sizeof *addend));
	t_hip(hipMemset(p, 0, sizeof *p));
	got = 5;
	t_hip(hipMemcpy(addend, &got, sizeof got, hipMemcpyHostToDevice));
	hipLaunchKernelGGL(multiply, dim3(1), dim3(1), 0, 0, *p, 2u, n);
	t_hip(hipLaunchKernel(multiply, dim3(1), dim3(1), args, 0, 0));
	t_hip(hipMemcpy(&got, p, sizeof got, hipMemcpyDeviceToHost));
	t_equal(got, 2 * 3 + 5 * 3, "parameters that are references");
	t_hip(hipFree(addend));
	t_hip(hipFree(p));
}
#endif

int main()
{
	dim3 grid(3, 2, 2), block(5, 3, 2);
	unsigned *counts;
	int *out, value = 9, host = 5;
	void *address;
	size_t nbytes;
	struct pair p = {'x', 0.5};

	t_hip(hipMallocManaged(&counts, 12 * 30 * sizeof(*counts)));
	t_hip(hipMallocManaged(&out, 1000 * sizeof(*out)));
	t_hip(hipMemset(counts, 0, 12 * 30 * sizeof(*counts)));
	hipLaunchKernelGGL(indices, grid, block, 0, 0, counts);
	t_hip(hipGetLastError());
	t_hip(hipDeviceSynchronize());
	for (unsigned i = 0; i < 12 * 30; i++)
		t_equal(counts[i], 1 + i % 5 + 100 * (i / 5 % 3) + 10000 * (i % 30 / 15), "index");

	hipLaunchKernelGGL(convert, 1, 1, 0, 0, -7, 3, 2.75, NULL, p, out);
	t_hip(hipDeviceSynchronize());
	t_check(out[0], "arguments were not converted");
	t_equal(out[1], 4, "constant");
	t_hip(hipMemcpyFromSymbol(&host, HIP_SYMBOL(counter), sizeof(host)));
	t_equal(host, 11, "symbol read");
	host = 17;
	t_hip(hipMemcpyToSymbol(HIP_SYMBOL(counter), &host, sizeof(host)));
	t_hip(hipGetSymbolAddress(&address, HIP_SYMBOL(counter)));
	t_hip(hipGetSymbolSize(&nbytes, HIP_SYMBOL(counter)));
	t_equal(nbytes, sizeof(int), "symbol size");
	t_hip(hipMemcpy(&host, address, sizeof(host), hipMemcpyDeviceToHost));
	t_equal(host, 17, "symbol written");

	hipLaunchKernelGGL(HIP_KERNEL_NAME(fill<1000, int>), 1, 64, 0, 0, out, 'a');
	t_hip(hipDeviceSynchronize());
	t_equal(out[999], 'a', "template kernel");
	hipLaunchKernelGGL((fill<1000, int>), 1, 33, 0, 0, out, 3.9);
	t_hip(hipDeviceSynchronize());
	t_equal(out[999], 3, "template kernel in parentheses");

	hipLaunchKernelGGL(deduce, 1, 2, 0, 0, out, 7);
	t_hip(hipDeviceSynchronize());
	t_equal(out[1], 11, "template kernel whose arguments are deduced");
	hipLaunchKernelGGL(overloaded, 1, 2, 0, 0, out);
	t_hip(hipDeviceSynchronize());
	t_equal(out[1], 21, "overloaded kernel");
	hipLaunchKernelGGL(overloaded, 1, 2, 0, 0, out, 2.5);
	t_hip(hipDeviceSynchronize());
	t_equal(out[1], 5, "the other overloaded kernel");

	void *args[] = {&out, &value};
#ifdef __HIP_PLATFORM_AMD__ /* there a kernel's types do not matter */
	t_hip(hipLaunchKernel((const void *)change, dim3(1), dim3(100), args, 0, 0));
#else
	t_hip(hipLaunchKernel(change, dim3(1), dim3(100), args, 0, 0));
#endif
	value = 10; /* arguments were copied */
	t_hip(hipDeviceSynchronize());
	for (int i = 0; i < 100; i++)
		t_equal(out[i], 9, "hipLaunchKernel");
	t_hip(hipLaunchCooperativeKernel(change, dim3(1), dim3(100), args, 0, 0));
	t_hip(hipDeviceSynchronize());
	t_equal(out[99], 10, "hipLaunchCooperativeKernel");

	hipLaunchKernelGGL(change, 1, 1025, 0, 0, out, 1);
	t_check(hipGetLastError() != hipSuccess, "1025 threads in a block were accepted");
	t_equal(hipGetLastError(), hipSuccess, "last error is reset");
	hipLaunchKernelGGL(change, 0, 1, 0, 0, out, 1);
	const hipError_t error = hipPeekAtLastError();
	t_check(error == hipErrorInvalidConfiguration || error == hipErrorInvalidValue, /* of CUDA 13 */
		"an empty grid was accepted: %d", (int)error);
	t_equal(hipGetLastError(), error, "empty grid");
#ifdef __HIP_PLATFORM_CPU__
	check_references();
#endif
	return 0;
}
