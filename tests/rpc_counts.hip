/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,3,8 */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_WAVE=32 GSHMEM_RPC_THREADS=2 | GSHMEM_CPU_DIVERGE=random:11 GSHMEM_RPC_THREADS=4 | GSHMEM_RPC_SLOTS=64 GSHMEM_CPU_WAVE=32 | GSHMEM_RPC_SLOTS=1024 | GSHMEM_RPC_SLOTS=5000 GSHMEM_RPC_THREADS=3 | GSHMEM_RPC_POLL=nap | GSHMEM_RPC_POLL=yield GSHMEM_RPC_THREADS=3 */
/* timeout: 300 */
/*
 * With far more calls than slots (synchronous, posted and refused; by waves and by diverged lanes;
 * by kernels and CPU threads at once) both sides count exactly the same calls, and every word
 * arrives; after a second init, too.
 */
#include "rpc_counts.h"

int main(void)
{
	int round, npes;

	for (round = 0; round < 2; round++) {
		t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL), 0, "init");
		npes = gshmem_n_pes();
		count_calls(
			npes == 1 ? 24 : 6, npes == 8 ? 128 : 256, npes == 1 ? 8 : 3, npes == 8 ? 10 : 20);
		gshmem_finalize();
	}
	return 0;
}
