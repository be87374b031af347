/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * The stacks of a stream's lanes go when the stream is destroyed, and when it has no work for a while; the
 * next kernel gets new ones. Lanes that each look once at the same word, or update it in vain, need none.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>
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

enum { NLOOKS = 6 };

__global__ static void look(int how, float *f, int *i)
{
	switch (how) {
	case 0:
		atomicAdd(f, 0.0f);
		break;
	case 1:
		atomicAdd(i, 0);
		break;
	case 2:
		atomicMax(i, -1);
		break;
	case 3:
		atomicOr(i, 0);
		break;
	case 4:
		atomicCAS(i, 1, 0);
		break;
	default:
		(void)__hip_atomic_load(i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
		break;
	}
}

/* How many guard pages there are: one below each stack. Other mappings may belong to a sanitizer. */
static int count_guards(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char line[512], access[8];
	int n = 0;

	t_check(maps, "/proc/self/maps cannot be read");
	while (fgets(line, sizeof line, maps))
		n += sscanf(line, "%lx-%lx %7s", &from, &to, access) == 3 && !strcmp(access, "---p") &&
			to - from == (unsigned long)sysconf(_SC_PAGESIZE);
	fclose(maps);
	return n;
}

/* Returns when there are fewer stacks than one stream's lanes need; without that the test hangs. */
static void await_few(int before)
{
	while (count_guards() >= before + NLANES)
		usleep(10000);
}

int main()
{
	hipStream_t streams[NSTREAMS];
	int *sum, before;
	float *word;

	t_hip(hipMallocManaged(&sum, sizeof *sum));
	*sum = 0;
	t_hip(hipMallocManaged(&word, sizeof *word));
	*word = 0;
	before = count_guards();
	for (int how = 0; how < NLOOKS; how++) {
		hipLaunchKernelGGL(look, 4, NLANES, 0, 0, how, word, sum);
		t_hip(hipDeviceSynchronize());
		t_check(count_guards() < before + NLANES / 2, "%d stacks for lanes that do not wait, %d",
			count_guards() - before, how);
	}
	t_hip(hipFree(word));
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
