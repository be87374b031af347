/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/*
 * A C unit without kernels compiles with the names of NVSHMEM, and its calls do what those of gshmem do. The
 * names of what waves and work-groups do are in HIP units alone.
 */
#include <gshmem/compat/nvshmem.h>

#include "helpers.h"

int main(void)
{
	uint64_t *signal;
	long *words, got = 0;
	int me, npes;

	nvshmem_init();
	me = nvshmem_my_pe();
	npes = nvshmem_n_pes();
	t_check(me == gshmem_my_pe() && npes == gshmem_n_pes(), "PE %d of %d", me, npes);
	words = nvshmem_calloc(2, sizeof *words);
	signal = nvshmem_calloc(1, sizeof *signal);
	t_check(words && signal, "no memory");
	nvshmem_long_p(&words[0], me + 100, (me + 1) % npes);
	nvshmem_fence();
	nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_ADD, (me + 1) % npes);
	nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);
	nvshmem_long_get(&got, &words[0], 1, me);
	t_equal(got, (me + npes - 1) % npes + 100, "what the last PE put");
	nvshmem_long_atomic_add(&words[1], 1, 0);
	nvshmem_barrier_all();
	t_equal(nvshmem_long_g(&words[1], 0), npes, "what all PEs added");
	nvshmem_barrier_all();
	nvshmem_free(words);
	nvshmem_finalize();
	return 0;
}
