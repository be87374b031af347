/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/*
 * Type-generic names work in C11: every name with every type, with const sources; selecting a
 * wrong type does not compile.
 */
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#ifdef __clang__
#pragma GCC diagnostic error "-Wincompatible-pointer-types-discards-qualifiers"
#else
#pragma GCC diagnostic error "-Wdiscarded-qualifiers"
#endif
#include "generic.h"

int main(void)
{
	gshmem_ctx_t alone;
	void *memory;
	uint64_t *sig;
	int group, wrong;

	gshmem_init();
	alone = generic_context();
	memory = t_shmalloc(16 * 16);
	sig = (uint64_t *)t_shmalloc(8);
	for (group = 0; group < NGROUPS; group++) {
		wrong = generic_group(group, 0, memory, sig, alone);
		t_check(!wrong, "PE %d: generic names in C: function %d, type %s", gshmem_my_pe(), wrong,
			generic_name(wrong));
	}
	gshmem_finalize();
	return 0;
}
