/* SPDX-License-Identifier: BSD-3-Clause */
/* tsan: yes */
/* env: GSHMEM_RPC_THREADS=3 | GSHMEM_RPC_SLOTS=1024 GSHMEM_RPC_THREADS=2 GSHMEM_RPC_POLL=nap */
/* As rpc_counts, in one process: the sanitizer finds no race between its threads. */
#include "rpc_counts.h"

int main(void)
{
	int round;

	for (round = 0; round < 2; round++) {
		t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL), 0, "init");
		count_calls(4, 64, 4, T_TSAN ? 20 : 60);
		gshmem_finalize();
	}
	return 0;
}
