/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* rocm: no, HIP 5.2 has no virtual memory */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_DELIVERY=random:1 */
/* nodes: no, MPI makes sockets whenever it first reaches a PE; tests/closed_sockets.c */
/* timeout: 120 */
/*
 * A program may start with stdin, stdout and stderr closed. No file of the library takes their numbers, so
 * what the program prints does not get into symmetric memory. Nor does one that HIP's runtime opens in init:
 * CUDA's does, and this test's.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <gshmem.h>
#include <gshmemx_win.h>
#include <mpi.h>
#include <unistd.h>

#include "oracle.h"
#include "virtual.h"

enum { NWORDS = 4096, NLINES = 2000 };

static int kept; /* stderr, for the test's own message */

/* The library's other threads open files, too: one may have a number until the library has moved it. */
static void must_be_closed(const char *when)
{
	char path[32], name[128];
	int fd, ntries;
	ssize_t nbytes;

	for (fd = 0; fd < 3; fd++) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		for (ntries = 0; ntries < 100; ntries++) {
			nbytes = readlink(path, name, sizeof name - 1);
			if (nbytes < 0)
				break;
			usleep(1000);
		}
		if (ntries < 100)
			continue;
		name[nbytes] = 0;
		dup2(kept, STDERR_FILENO);
		t_fail("%s: descriptor %d is %s", when, fd, name);
	}
}

#ifndef __HIP_PLATFORM_NVIDIA__ /* whose HIP calls are CUDA's */
hipError_t hipGetDeviceCount(int *count_p)
{
	static int file = -1;
	hipError_t (*next)(int *);

	if (file < 0)
		file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	*(void **)&next = dlsym(RTLD_NEXT, "hipGetDeviceCount");
	return next(count_p);
}
#endif

/* Of hipMemCreate, so that the PEs pass each other descriptors of it. */
static void use_window(void)
{
	struct t_virtual v = t_virtual_make(3, hipMemHandleTypePosixFileDescriptor);
	const int next = (gshmem_my_pe() + 1) % gshmem_n_pes();
	gshmemx_win_t win;
	long value = 5;

	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, v.base, v.nbytes, 8, &win), 0, "create");
	must_be_closed("a window");
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	t_equal(gshmemx_win_long_put(win, 0, &value, 1, next), 0, "put");
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_virtual_free(&v);
}

int main(void)
{
	static long expected[NWORDS], got[NWORDS];
	long *words;
	int i, level;

	/* MPI's files are not the library's: it opens them here, before the numbers are free. */
	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	for (i = 0; i < 3; i++)
		close(i);
	gshmem_init();
	must_be_closed("init");
	words = gshmem_malloc(sizeof got);
	for (i = 0; i < NWORDS; i++)
		expected[i] = i;
	gshmem_long_put(words, expected, NWORDS, (gshmem_my_pe() + 1) % gshmem_n_pes());
	gshmem_barrier_all();
	for (i = 0; i < NLINES; i++)
		fprintf(stderr, "a message of the program on a closed stderr\n");
	t_from_device(got, words, sizeof got);
	for (i = 0; i < NWORDS; i++)
		if (got[i] != expected[i]) {
			dup2(kept, STDERR_FILENO);
			t_fail("word %d: expected %ld, got %lx", i, expected[i], got[i]);
		}
	use_window();
	must_be_closed("the job");
	gshmem_free(words);
	gshmem_finalize();
	must_be_closed("finalize");
	MPI_Finalize();
	return 0;
}
