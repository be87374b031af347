/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* tier: all */
/* env: GSHMEM_CHECK=0 | GSHMEM_CHECK=1 */
/* isa: read */
/*
 * Type-generic names work in C++: every name with every type, in a kernel and on the
 * host, without and with a context.
 */
#include <hip/hip_runtime.h>
#include "generic.h"

template <int GROUP>
static __global__ void kernel(void *memory, uint64_t *sig, gshmem_ctx_t alone, int *wrong)
{
	*wrong = generic_group(GROUP, 1, memory, sig, alone);
}

template <int GROUP> static void check(void *memory, uint64_t *sig, gshmem_ctx_t alone, int *in_kernel)
{
	int wrong;

	t_launch(kernel<GROUP>, 1, 1, memory, sig, alone, in_kernel);
	t_from_device(&wrong, in_kernel, sizeof wrong);
	t_check(!wrong, "PE %d: generic names in a kernel: function %d, type %s", gshmem_my_pe(), wrong,
		generic_name(wrong));
	wrong = generic_group(GROUP, 0, memory, sig, alone);
	t_check(!wrong, "PE %d: generic names on the host: function %d, type %s", gshmem_my_pe(), wrong,
		generic_name(wrong));
	if constexpr (GROUP + 1 < NGROUPS)
		check<GROUP + 1>(memory, sig, alone, in_kernel);
}

int main()
{
	gshmem_init();
	void *memory = t_shmalloc(16 * 16);
	uint64_t *sig = (uint64_t *)t_shmalloc(8);

	check<0>(memory, sig, generic_context(), (int *)t_hipmalloc(sizeof(int)));
	gshmem_finalize();
	return 0;
}
