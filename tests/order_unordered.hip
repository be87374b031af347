/* SPDX-License-Identifier: BSD-3-Clause */
/* net: no */
/* platform: cpu */
/* run: -n 2 */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:2 | GSHMEM_CPU_DELIVERY=random */
/* delivery: no */
/* races: no, it needs late delivery */
/*
 * Delayed delivery shows a missing fence: if nothing separates a put from a flag, some flag arrives before
 * the data, at every scope, from kernels and from hosts.
 */
#include "order.h"

int main(void)
{
	int mode, scope, tries, status = 0;
	long *total, nerrors; /* over all PEs, in PE 0's */

	gshmem_init();
	total = (long *)gshmem_calloc(1, sizeof *total);
	for (mode = KERNELS; mode <= (GSHMEMI_ARCH_HOST_DIRECT ? HOSTS : KERNELS); mode++)
		for (scope = THREAD; scope <= WG; scope++) {
			for (tries = 200, nerrors = 0; tries > 0 && !nerrors; tries--) {
				gshmem_long_atomic_add(total, order_run(PUT_P, mode, scope, 5).nerrors, 0);
				gshmem_barrier_all();
				nerrors = gshmem_long_g(total, 0);
				gshmem_barrier_all();
				if (gshmem_my_pe() == 0)
					gshmem_long_p(total, 0, 0);
				gshmem_barrier_all();
			}
			if (nerrors)
				continue;
			fprintf(stderr, "%s by %s of %s: always in order\n", order_names[PUT_P],
				order_scope_names[scope], order_mode_names[mode]);
			status = 1;
		}
	gshmem_finalize();
	return status;
}
