/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* env: GSHMEM_CHECK=0 | GSHMEM_CHECK=1 */
/* Type-generic names in C++: every name with every type, in a kernel and on the host. */
#include <hip/hip_runtime.h>
#include "generic.h"

static __global__ void kernel(void *memory, uint64_t *sig, int *wrong)
{
	*wrong = generic_all(memory, sig);
}

int main()
{
	int wrong, *in_kernel;

	gshmem_init();
	void *memory = t_shmalloc(16 * 16);
	uint64_t *sig = (uint64_t *)t_shmalloc(8);
	in_kernel = (int *)t_hipmalloc(sizeof *in_kernel);
	t_launch(kernel, 1, 1, memory, sig, in_kernel);
	t_from_device(&wrong, in_kernel, sizeof wrong);
	t_check(!wrong, "PE %d: generic names in a kernel: function %d, type %s", gshmem_my_pe(), wrong, generic_name(wrong));
	wrong = generic_all(memory, sig);
	t_check(!wrong, "PE %d: generic names on the host: function %d, type %s", gshmem_my_pe(), wrong,
		generic_name(wrong));
	gshmem_finalize();
	return 0;
}
