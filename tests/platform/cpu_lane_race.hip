/* SPDX-License-Identifier: BSD-3-Clause */
/* run: */
/*
 * SAN=lanes finds a missing __syncthreads, in shared and in global memory, and reports nothing if it is
 * there. In other builds both kernels just run.
 */
#include <hip/hip_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers.h"

#if defined(__SANITIZE_THREAD__) && defined(HIPCPU_TSAN_LANES)
#define FOUND 66 /* TSan's exit status */
#else
#define FOUND 0
#endif

__global__ void reverse(int *out, bool is_shared, bool is_right)
{
	__shared__ int shared[64];
	int *between = is_shared ? shared : out + 64, lane = (int)threadIdx.x;

	__syncthreads();
	between[lane] = lane;
	if (is_right)
		__syncthreads();
	out[lane] = between[63 - lane];
	__syncthreads();
}

static int run(bool is_shared, bool is_right)
{
	int status, *out;
	pid_t pid = fork();

	if (pid == 0) {
		freopen("/dev/null", "w", stderr);
		t_hip(hipMalloc((void **)&out, 128 * sizeof *out));
		hipLaunchKernelGGL(reverse, dim3(1), dim3(64), 0, 0, out, is_shared, is_right);
		t_hip(hipDeviceSynchronize());
		exit(0);
	}
	t_check(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the child did not exit");
	return WEXITSTATUS(status);
}

int main(void)
{
	for (int is_shared = 0; is_shared < 2; is_shared++) {
		t_equal(run(is_shared, true), 0, is_shared ? "right, shared" : "right, global");
		t_equal(run(is_shared, false), FOUND, is_shared ? "missing, shared" : "missing, global");
	}
	return 0;
}
