/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * The stacks of a stream's lanes go when the stream is destroyed, and when it has no work for a while; the
 * next kernel gets new ones.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <unistd.h>

#include "../helpers.h"

enum { NLANES = 256, NSTREAMS = 8 };

__global__ static void meet(int *sum)
{
	__syncthreads();
	if (atomicAdd(sum, 1) % NLANES == 0)
		__syncthreads_count(1);
	else
		__syncthreads_count(0);
}

static int count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int n = 0, c;

	t_check(maps, "/proc/self/maps cannot be read");
	while ((c = getc(maps)) != EOF)
		n += c == '\n';
	fclose(maps);
	return n;
}

/* Returns when there are fewer mappings than one stream's lanes need; without that the test hangs. */
static void await_few(int before)
{
	while (count_mappings() >= before + NLANES)
		usleep(10000);
}

int main()
{
	hipStream_t streams[NSTREAMS];
	int *sum, before;

	t_hip(hipMallocManaged(&sum, sizeof *sum));
	*sum = 0;
	before = count_mappings();
	for (int i = 0; i < NSTREAMS; i++) {
		t_hip(hipStreamCreate(&streams[i]));
		hipLaunchKernelGGL(meet, 1, NLANES, 0, streams[i], sum);
		t_hip(hipStreamSynchronize(streams[i]));
		t_hip(hipStreamDestroy(streams[i]));
	}
	await_few(before);
	for (int i = 0; i < NSTREAMS; i++)
		t_hip(hipStreamCreate(&streams[i]));
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < NSTREAMS; i++) {
			hipLaunchKernelGGL(meet, 1, NLANES, 0, streams[i], sum);
			t_hip(hipStreamSynchronize(streams[i]));
		}
		await_few(before);
	}
	t_equal(*sum, 3 * NSTREAMS * NLANES, "lanes that have met");
	for (int i = 0; i < NSTREAMS; i++)
		t_hip(hipStreamDestroy(streams[i]));
	t_hip(hipFree(sum));
	return 0;
}
