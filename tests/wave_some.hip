/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* run: -n 1 */
/* timeout: 40 */
/*
 * A lane that waits, and now and then looks who is here to serve the mailbox, does not keep others from doing
 * so, although its wait comes before theirs in the code. A GPU without independent threads would not get past
 * the first wait.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>

#include "oracle.h"

__global__ void wait_and_look(uint32_t *go, uint32_t *nlooks)
{
	unsigned polls = 0;

	if (threadIdx.x == 0) {
		while (!gshmemi_arch_load(go, 4)) {
			gshmemi_arch_pause(&polls);
			if (polls % 64 == 0)
				(void)gshmemi_arch_wave_some(0);
		}
	} else if (threadIdx.x == 1) {
		for (; polls < 640; gshmemi_arch_pause(&polls))
			if (polls % 64 == 0 && gshmemi_arch_wave_some(0) & 2)
				++*nlooks;
		gshmemi_arch_store(go, 1, 4);
	}
}

int main()
{
	uint32_t *words = (uint32_t *)t_hipmalloc(2 * sizeof *words), found[2];

	t_memset(words, 0, sizeof found);
	hipLaunchKernelGGL(wait_and_look, dim3(1), dim3(8), 0, 0, words, words + 1);
	t_hip(hipGetLastError());
	t_hip(hipDeviceSynchronize());
	t_from_device(found, words, sizeof found);
	t_equal(found[0], 1, "the word that ends the wait");
	t_equal(found[1], 10, "looks");
	return 0;
}
