/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* run: -n 1,2,3,8 */
/* env: GSHMEM_HEAP_SIZE=3m | GSHMEM_HEAP_SIZE=40m GSHMEM_CHECK=1 */
/* platform: cpu */
/*
 * The program's global and static variables are symmetric, except for const ones: with and without
 * initial values, small ones and those that fill pages. They keep their values from before main.
 * put, get, atomics, signals, waits and gshmem_ptr work on them, also after a finalize and another
 * init; a forked child has its own.
 */
#include <shmem.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../helpers.h"

#define N 300000
static long zeros[N], values[4] = {1, 2, 3, 4};
long common = 5;
static char bytes[3] = "ab", *const constant = bytes;
static uint64_t signal_word;
static double before_main;
static _Alignas(64) int counter = -7;

__attribute__((constructor)) static void set(void)
{
	before_main = 2.5;
}

static void check(int me, int npes)
{
	const int next = (me + 1) % npes, previous = (me + npes - 1) % npes;
	static long inner;
	long got[2], *peer;
	char byte;
	int i;

	t_check(before_main == 2.5 && constant == bytes, "what was set before main is %g", before_main);
	memset(zeros, 0, sizeof zeros);
	inner = me;
	counter = -7;
	signal_word = 0;
	bytes[1] = (char)me;
	shmem_barrier_all();

	for (i = 0; i < N; i += N / 10)
		shmem_long_p(&zeros[i], i + me, next);
	shmem_long_p(&zeros[N - 1], 77 + me, next);
	shmem_getmem(&byte, &bytes[1], 1, next);
	t_equal(byte, next, "byte");
	t_equal(shmem_long_g(&inner, next), next, "static of a function");
	shmem_long_get(got, &values[2], 2, next);
	t_check(got[0] == 3 && got[1] == 4, "values: %ld %ld", got[0], got[1]);
	for (i = 0; i < npes; i++)
		shmem_int_atomic_add(&counter, 3, i);
	shmem_put_signal(&common, &values[me % 4], 1, &signal_word, 9, SHMEM_SIGNAL_SET, next);
	shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 9);
	t_equal(common, values[previous % 4], "put_signal");
	shmem_barrier_all();
	t_equal(counter, 3 * npes - 7, "atomic_add");
	for (i = 0; i < N; i += N / 10)
		t_equal(zeros[i], i + previous, "p");
	t_equal(zeros[N - 1], 77 + previous, "p of the last");

	peer = shmem_ptr(&inner, next);
	t_check(peer && *peer == next, "shmem_ptr");
	t_check(shmem_addr_accessible(&inner, next) && shmem_addr_accessible(&zeros[N - 1], next) &&
			!shmem_addr_accessible(&byte, next),
		"addr_accessible");
	t_check(!shmem_ptr(&byte, next), "shmem_ptr of an automatic variable");
	shmem_barrier_all();
}

/* A child that writes to its variables does not change its parent's. */
static void check_fork(void)
{
	int status;
	pid_t pid;

	pid = fork();
	t_check(pid >= 0, "fork");
	if (!pid) {
		if (common != 123)
			_exit(1);
		common = 6;
		zeros[N / 2] = 6;
		_exit(common == 6 ? 0 : 2);
	}
	t_check(waitpid(pid, &status, 0) == pid && status == 0, "child: status %x", status);
	t_check(common == 123 && zeros[N / 2] != 6, "a child has written to its parent's variables");
}

int main(void)
{
	int round;

	for (round = 0; round < 3; round++) {
		shmem_init();
		check(shmem_my_pe(), shmem_n_pes());
		shmem_finalize();
	}
	common = 123;
	check_fork();
	return 0;
}
