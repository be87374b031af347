/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* Type-generic names in C11: every name with every type, sources const; a selection of another type does not compile. */
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#ifdef __clang__
#pragma GCC diagnostic error "-Wincompatible-pointer-types-discards-qualifiers"
#else
#pragma GCC diagnostic error "-Wdiscarded-qualifiers"
#endif
#include "generic.h"

int main(void)
{
	void *memory;
	int wrong;

	gshmem_init();
	memory = t_shmalloc(16 * 16);
	wrong = generic_all(memory, (uint64_t *)t_shmalloc(8));
	t_check(!wrong, "PE %d: generic names in C: function %d, type %s", gshmem_my_pe(), wrong, generic_name(wrong));
	gshmem_finalize();
	return 0;
}
