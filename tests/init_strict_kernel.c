/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* run: -n 2 */
/*
 * The library runs on a kernel without newer system calls, and on one that forbids
 * executable memfds (vm.memfd_noexec=2).
 */
#include <errno.h>
#include <gshmem.h>

#include "deny.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int main(void)
{
	long *word;
	int me, npes;

	if (!t_deny(SYS_memfd_create, EACCES, MFD_NOEXEC_SEAL) || !t_deny(SYS_pidfd_open, ENOSYS, 0) ||
		!t_deny(SYS_membarrier, ENOSYS, 0) || !t_deny(SYS_pkey_alloc, EINVAL, 0))
		t_skip("this kernel does not filter system calls (seccomp)");
	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	word = gshmem_calloc(1, sizeof *word);
	gshmem_long_p(word, me + 1, (me + 1) % npes);
	gshmem_barrier_all();
	t_equal(gshmem_long_g(word, me), (me + npes - 1) % npes + 1, "what the PE before put");
	gshmem_finalize();
	return 0;
}
