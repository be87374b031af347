/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts of another OpenSHMEM library, PE 0 to PE 1 of a node, and memcpy between the same processes. That
 * library's compiler compiles it, and results/put starts it under that library's launcher (raw/launched.h).
 * PE 1 sleeps. A batch that takes longer than BATCH_SECONDS ends the process.
 */
#include "../raw/launched.h"
#include "oshmem.h"

#include <shmem.h>

#define BATCH_SECONDS 60

static void fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void work(char *dest, const char *source)
{
	for (unsigned long i = 0; i < reps; i++) {
		switch (variant) {
		case OSHMEM_PUT_LAT:
			shmem_putmem(dest, source, nbytes, 1);
			shmem_quiet();
			break;
		case OSHMEM_PUT_BW:
			shmem_putmem(dest, source, nbytes, 1);
			break;
		case OSHMEM_COPY_LAT:
			memcpy(peers, mine + SEGMENT / 2, nbytes);
			fence();
			break;
		default:
			memcpy(peers, mine + SEGMENT / 2, nbytes);
			break;
		}
		__asm__ volatile("" ::: "memory");
	}
	if (variant == OSHMEM_PUT_BW)
		shmem_quiet();
	fence();
}

int main(int argc, char **argv)
{
	char *dest, *source;

	shmem_init();
	rank = shmem_my_pe();
	nprocs = shmem_n_pes();
	dest = shmem_malloc(OSHMEM_MAX_NBYTES);
	source = shmem_malloc(OSHMEM_MAX_NBYTES);
	if (argc != 3 || nprocs != 2 || !dest || !source) {
		fprintf(stderr, "oshmem: expected FILE SOCKET, 2 PEs, and a heap of 128 MiB\n");
		shmem_global_exit(2);
	}
	launched_bind();
	launched_open(argv[0], argv[1]);
	memset(dest, 0, OSHMEM_MAX_NBYTES);
	memset(source, 1, OSHMEM_MAX_NBYTES);
	if (rank == 0) {
		memset(peers, 0, OSHMEM_MAX_NBYTES);
		memset(mine + SEGMENT / 2, 1, OSHMEM_MAX_NBYTES);
	}
	shmem_barrier_all();
	if (launched_connect(argv[2]))
		shmem_global_exit(1);
	while (raw_ask()) {
		alarm(BATCH_SECONDS);
		work(dest, source);
		alarm(0);
		raw_answer();
	}
	shmem_barrier_all();
	shmem_finalize();
	return 0;
}
