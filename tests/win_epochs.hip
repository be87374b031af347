/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,4 */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CHECK=1 | GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_DELIVERY=random:1 */
/* timeout: 120 */
/*
 * Programs with each kind of epoch, on the host and in kernels by a thread, a wave and a work-group: puts
 * have arrived after the epoch's end, locks keep others out, and shared locks do not keep each other out.
 */
#include "win_programs.h"

int main(void)
{
	int nwrong;

	gshmem_init();
	for (int program = 0; program < NPROGRAMS; program++) {
		for (int by = 0; by < T_NSCOPES; by++) {
			if (t_takes_turns() && by != T_HOST) /* a wait may last a time slice */
				continue;
			nwrong = run_one(by, program, false);
			t_check(!nwrong, "PE %d: %s by %s: %d values are wrong", gshmem_my_pe(),
				program_names[program], t_scope_names[by], nwrong);
		}
	}
	gshmem_finalize();
	return 0;
}
