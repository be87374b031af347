/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 300 */
/* delivery: no, its jobs are to fail */
/*
 * GSHMEM_CHECK=1: each kind of call notices each kind of bad argument, on the host and in kernels, and the
 * message names the call. Each call is a job of one PE.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>

#include "job.h"

#define NALLOC 200 /* bytes of the allocation: the last granule is not full */

/* What a bad call may use: an allocation, a freed one, memory outside the heap, and a place to read into. */
struct memory {
	char *good, *freed, *outside, *local;
	gshmem_ctx_t ctx; /* of the world */
	/* Destroyed contexts: one whose place ctx has taken, and one that was destroyed with its team. */
	gshmem_ctx_t ctx_before, ctx_of_team;
};

#define LONG(p) ((long *)(void *)(p))
#define SIG(p)  ((uint64_t *)(void *)(p))

#define DESTROYED "does not name a context, or names a destroyed one"

/* X(call, text of the message, name of the call) */
#define BAD_CALLS(X) \
	X(gshmem_float_put((float *)m.good, (float *)m.local, 1, 1), \
		"pe 1 is out of range, there are 1 PEs", "gshmem_float_put") \
	X(gshmem_get64(m.local, m.good, 1, -1), "pe -1 is out of range", "gshmem_get64") \
	X(gshmem_putmem_nbi(m.good, m.local, 1, 1 << 30), "pe 1073741824 is out of range", \
		"gshmem_putmem_nbi") \
	X(gshmem_int_g((int *)m.good, 7), "pe 7 is out of range", "gshmem_int_g") \
	X(gshmem_int_iput((int *)m.good, (int *)m.local, 1, 1, 1, 2), "pe 2 is out of range", \
		"gshmem_int_iput") \
	X(gshmem_uint64_atomic_fetch_or(SIG(m.good), 1, 3), "pe 3 is out of range", \
		"gshmem_uint64_atomic_fetch_or") \
	X(gshmem_int_atomic_fetch_nbi((int *)m.local, (int *)m.good, 4), "pe 4 is out of range", \
		"gshmem_int_atomic_fetch_nbi") \
	X(gshmem_long_put_signal(LONG(m.good), LONG(m.local), 1, SIG(m.good) + 2, 1, GSHMEM_SIGNAL_SET, 5), \
		"pe 5 is out of range", "gshmem_long_put_signal") \
	X(gshmem_signal_add(SIG(m.good), 1, 6), "pe 6 is out of range", "gshmem_signal_add") \
	X(gshmem_set_lock(LONG(m.good + 4)), "is not aligned to 8", "gshmem_set_lock") \
	X(gshmem_test_lock(LONG(m.outside)), "are not in the symmetric heap", "gshmem_test_lock") \
	X(gshmem_clear_lock(LONG(m.good)), "(heap+0x0) is not set", "gshmem_clear_lock") \
	X(gshmem_pe_quiet(bad_pes, 2), "pe 9 is out of range", "gshmem_pe_quiet") \
	X(gshmem_put32(NULL, m.local, 1, 0), "an address is NULL", "gshmem_put32") \
	X(gshmem_getmem(NULL, m.good, 1, 0), "an address is NULL", "gshmem_getmem") \
	X(gshmem_double_p(NULL, 1.0, 0), "an address is NULL", "gshmem_double_p") \
	X(gshmem_iget16(m.local, NULL, 1, 1, 1, 0), "an address is NULL", "gshmem_iget16") \
	X(gshmem_long_atomic_inc(NULL, 0), "an address is NULL", "gshmem_long_atomic_inc") \
	X(gshmem_uint64_atomic_fetch_add_nbi(NULL, SIG(m.good), 1, 0), "an address is NULL", \
		"gshmem_uint64_atomic_fetch_add_nbi") \
	X(gshmem_putmem_signal(m.good, m.local, 1, NULL, 1, GSHMEM_SIGNAL_SET, 0), "an address is NULL", \
		"gshmem_putmem_signal") \
	X(gshmem_int_test(NULL, GSHMEM_CMP_EQ, 0), "an address is NULL", "gshmem_int_test") \
	X(gshmem_long_wait_until(NULL, GSHMEM_CMP_EQ, 0), "an address is NULL", "gshmem_long_wait_until") \
	X(gshmem_signal_wait_until(NULL, GSHMEM_CMP_EQ, 0), "an address is NULL", \
		"gshmem_signal_wait_until") \
	X(gshmem_short_put((short *)(m.good + 1), (short *)m.local, 1, 0), "is not aligned to 2", \
		"gshmem_short_put") \
	X(gshmem_longdouble_get((long double *)m.local, (long double *)(m.good + 8), 1, 0), \
		"is not aligned to 16", "gshmem_longdouble_get") \
	X(gshmem_int_atomic_swap((int *)(m.good + 2), 1, 0), "is not aligned to 4", \
		"gshmem_int_atomic_swap") \
	X(gshmem_signal_set(SIG(m.good + 4), 1, 0), "is not aligned to 8", "gshmem_signal_set") \
	X(gshmem_iput64(m.good + 4, m.local, 1, 1, 2, 0), "is not aligned to 8", "gshmem_iput64") \
	X(gshmem_int_wait_until((int *)(m.good + 1), GSHMEM_CMP_EQ, 0), "is not aligned to 4", \
		"gshmem_int_wait_until") \
	X(gshmem_put8(m.outside, m.local, 3, 0), "3 bytes at address 0x", "gshmem_put8") \
	X(gshmem_char_get_nbi(m.local, m.outside, 5, 0), "are not in the symmetric heap", \
		"gshmem_char_get_nbi") \
	X(gshmem_long_atomic_compare_swap(LONG(m.outside), 0, 1, 0), "are not in the symmetric heap", \
		"gshmem_long_atomic_compare_swap") \
	X(gshmem_long_test(LONG(m.outside), GSHMEM_CMP_EQ, 0), "are not in the symmetric heap", \
		"gshmem_long_test") \
	X(gshmem_putmem(m.good, m.local, (size_t)1 << 60, 0), "are not in the symmetric heap", \
		"gshmem_putmem") \
	X(gshmem_uchar_p((unsigned char *)m.freed, 1, 0), "not allocated", "gshmem_uchar_p") \
	X(gshmem_ulong_atomic_fetch_xor((unsigned long *)m.freed, 1, 0), "not allocated", \
		"gshmem_ulong_atomic_fetch_xor") \
	X(gshmem_uint64_wait_until(SIG(m.freed), GSHMEM_CMP_EQ, 0), "not allocated", \
		"gshmem_uint64_wait_until") \
	X(gshmem_putmem(m.good, m.local, NALLOC + 1, 0), "201 bytes at address 0x", "gshmem_putmem") \
	X(gshmem_getmem(m.local, m.good + NALLOC - 1, 2, 0), \
		"run beyond the allocation, which has 1 from there", "gshmem_getmem") \
	X(gshmem_int_put((int *)m.good, (int *)m.local, NALLOC / 4 + 1, 0), "204 bytes at address 0x", \
		"gshmem_int_put") \
	X(gshmem_char_p(m.good + NALLOC, 1, 0), "gshmem_char_p: ", "heap+0xc8") \
	X(gshmem_iput8(m.good, m.local, 100, 1, 3, 0), "201 bytes at address 0x", "gshmem_iput8") \
	X(gshmem_iget32(m.local, m.good, 1, 7, 9, 0), "228 bytes at address 0x", "gshmem_iget32") \
	X(gshmem_put16_signal(m.good, m.local, 1, SIG(m.good + NALLOC), 1, GSHMEM_SIGNAL_ADD, 0), \
		"not allocated", "gshmem_put16_signal") \
	X(gshmem_int_iput((int *)m.good, (int *)m.local, 0, 1, 2, 0), "0 is not a valid operator or stride", \
		"gshmem_int_iput") \
	X(gshmem_iget128(m.local, m.good, 1, -3, 2, 0), "-3 is not a valid operator or stride", \
		"gshmem_iget128") \
	X(gshmem_ibput8(m.good, m.local, 99, 3, 3, 3, 0), "201 bytes at address 0x", "gshmem_ibput8") \
	X(gshmem_int_ibget((int *)m.local, (int *)m.good, 2, 25, 1, 3, 0), "204 bytes at address 0x", \
		"gshmem_int_ibget") \
	X(gshmem_long_ibput(LONG(m.good), LONG(m.local), 3, 4, 4, 2, 0), \
		"3 is not a valid operator or stride", "gshmem_long_ibput") \
	X(gshmem_ibget16(m.local, m.good, -4, 4, 2, 2, 0), "-4 is not a valid operator or stride", \
		"gshmem_ibget16") \
	X(gshmem_short_ibput((short *)m.good, (short *)m.local, 1, 1, 1, 1, 8), "pe 8 is out of range", \
		"gshmem_short_ibput") \
	X(gshmem_putmem_signal_nbi(m.good, m.local, 1, SIG(m.good) + 2, 1, 17, 0), \
		"17 is not a valid operator or stride", "gshmem_putmem_signal_nbi") \
	X(gshmem_team_sync((gshmem_team_t)99), "handle 0x63 does not name a team", "gshmem_team_sync") \
	X(gshmem_team_my_pe((gshmem_team_t)70000), "handle 0x11170 does not name a team", \
		"gshmem_team_my_pe") \
	X(gshmem_team_translate_pe(GSHMEM_TEAM_WORLD, 0, (gshmem_team_t)0x10001), \
		"handle 0x10001 does not name a team", "gshmem_team_translate_pe") \
	X(gshmem_ctx_int_p(GSHMEM_CTX_INVALID, (int *)m.good, 1, 0), "handle 0x0 does not name a context", \
		"gshmem_ctx_int_p") \
	X(gshmem_ctx_fence((gshmem_ctx_t)55), "handle 0x37 does not name a context", "gshmem_ctx_fence") \
	X(gshmem_ctx_putmem(m.ctx_before, m.good, m.local, 1, 0), DESTROYED, "gshmem_ctx_putmem") \
	X(gshmem_ctx_long_atomic_inc(m.ctx_of_team, LONG(m.good), 0), DESTROYED, \
		"gshmem_ctx_long_atomic_inc") \
	X(gshmem_ctx_long_g(m.ctx_of_team, LONG(m.good), 0), DESTROYED, "gshmem_ctx_long_g") \
	X(gshmem_ctx_quiet(m.ctx_before), DESTROYED, "gshmem_ctx_quiet") \
	X(gshmem_ctx_fence(m.ctx_of_team), DESTROYED, "gshmem_ctx_fence") \
	X(gshmem_ctx_pe_quiet(m.ctx_before, bad_pes, 1), DESTROYED, "gshmem_ctx_pe_quiet") \
	X(gshmem_ctx_session_start(m.ctx_before, 0, NULL, 0), DESTROYED, "gshmem_ctx_session_start") \
	X(gshmem_ctx_putmem(m.ctx, m.good, m.local, 1, 1), "pe 1 is out of range, there are 1 PEs", \
		"gshmem_ctx_putmem") \
	X(gshmem_ctx_long_g(m.ctx, LONG(m.outside), 0), "are not in the symmetric heap", "gshmem_long_g") \
	X(gshmem_ctx_pe_quiet(m.ctx, bad_pes, 2), "pe 9 is out of range", "gshmem_ctx_pe_quiet") \
	X(gshmem_short_wait_until((short *)m.good, 0, 1), "0 is not a valid operator", \
		"gshmem_short_wait_until") \
	X(gshmem_size_test((size_t *)m.good, 7, 1), "7 is not a valid operator", "gshmem_size_test")

/* Only in kernels: the calls of waves and work-groups. */
#define BAD_GROUP_CALLS(X) \
	X(gshmemx_putmem_wave(m.good, m.local, NALLOC + 1, 0), "201 bytes at address 0x", \
		"gshmemx_putmem_wave") \
	X(gshmemx_long_get_wg(LONG(m.local), LONG(m.good), 1, 1), "pe 1 is out of range", \
		"gshmemx_long_get_wg") \
	X(gshmemx_half_put_nbi_wg((gshmemx_half_t *)(m.good + 1), (gshmemx_half_t *)m.local, 1, 0), \
		"is not aligned to 2", "gshmemx_half_put_nbi_wg") \
	X(gshmemx_int_iget_wave((int *)m.local, (int *)m.freed, 1, 1, 1, 0), "not allocated", \
		"gshmemx_int_iget_wave") \
	X(gshmemx_put8_signal_wg(m.good, m.local, 1, SIG(m.outside), 1, GSHMEM_SIGNAL_SET, 0), \
		"are not in the symmetric heap", "gshmemx_put8_signal_wg") \
	X(gshmemx_int_wait_until_wg((int *)m.good, -1, 0), "-1 is not a valid operator", \
		"gshmemx_int_wait_until_wg") \
	X(gshmemx_signal_wait_until_wave(SIG(m.outside), GSHMEM_CMP_EQ, 0), "are not in the symmetric heap", \
		"gshmemx_signal_wait_until_wave")

#define COUNT(...) +1
enum { NWORKERS = 4, NCALLS = 0 BAD_CALLS(COUNT), NGROUP_CALLS = 0 BAD_GROUP_CALLS(COUNT) };

#define MAKE(CALL, TEXT, NAME) \
	if (which == n++) \
		CALL;
static inline __host__ __device__ void make_call(int which, struct memory m)
{
	const int bad_pes[2] = {0, 9};
	int n = 0;

	BAD_CALLS(MAKE)
}

__global__ void in_kernel(int which, struct memory m)
{
	int n = NCALLS;

	if (which < NCALLS && threadIdx.x == 20) /* rank and lane */
		make_call(which, m);
	BAD_GROUP_CALLS(MAKE)
}

/* Right calls must not be reported: up to the last byte, no bytes at all, a PE's own number. */
__global__ void good_calls(struct memory m)
{
	const int pes[1] = {0};

	gshmem_putmem(m.good, m.local, NALLOC, 0);
	gshmem_getmem(m.local, m.good + NALLOC - 1, 1, 0);
	gshmem_putmem(m.good + NALLOC, m.local, 0, 0);
	gshmem_iput8(m.good + 1, m.local, 99, 1, 3, 0);
	gshmem_iget16(m.local, m.good, 1, 1, 0, 0);
	gshmem_ibput8(m.good + 1, m.local, 98, 3, 3, 3, 0);
	gshmem_ibget32(m.local, m.good + NALLOC, 4, 4, 0, 3, 0);
	gshmem_signal_set(SIG(m.good + NALLOC - 8), 3, 0);
	gshmem_quiet();
	gshmem_signal_wait_until(SIG(m.good + NALLOC - 8), GSHMEM_CMP_LE, 3);
	gshmem_pe_quiet(pes, 1);
	gshmem_pe_quiet(NULL, 0);
	(void)gshmem_team_translate_pe(GSHMEM_TEAM_WORLD, -1, GSHMEM_TEAM_SHARED);
	(void)gshmem_team_sync(GSHMEM_TEAM_INVALID);
	(void)gshmem_team_sync(GSHMEMX_TEAM_NODE);
	gshmem_ctx_putmem(m.ctx, m.good, m.local, NALLOC, 0);
	gshmem_ctx_pe_quiet(m.ctx, pes, 1);
	gshmem_ctx_quiet(m.ctx);
}

static int child(int which, int kernel)
{
	gshmem_team_t team;
	struct memory m;

	gshmem_init();
	m.good = (char *)gshmem_calloc(NALLOC, 1);
	m.freed = (char *)gshmem_malloc(1000);
	t_check(gshmem_malloc(1000), "out of memory"); /* after the hole */
	gshmem_free(m.freed);
	t_check(gshmem_ctx_create(0, &m.ctx_before) == 0, "ctx_create");
	gshmem_ctx_destroy(m.ctx_before);
	t_check(gshmem_ctx_create(0, &m.ctx) == 0 && m.ctx != m.ctx_before, "ctx_create");
	t_check(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team) == 0, "split");
	t_check(gshmem_team_create_ctx(team, 0, &m.ctx_of_team) == 0, "create_ctx");
	gshmem_team_destroy(team);
	t_hip(hipMalloc((void **)&m.outside, 4096));
	t_hip(hipMalloc((void **)&m.local, 4096));
	hipLaunchKernelGGL(good_calls, dim3(1), dim3(1), 0, 0, m);
	t_hip(hipDeviceSynchronize());
	fprintf(stderr, "good so far\n");
	if (kernel) {
		hipLaunchKernelGGL(in_kernel, dim3(2), dim3(64), 0, 0, which, m);
		t_hip(hipDeviceSynchronize());
	} else {
		make_call(which, m);
	}
	fprintf(stderr, "unnoticed\n");
	gshmem_finalize();
	return 0;
}

/* Run this program as a single process with GSHMEM_CHECK=1. */
static void run(struct t_job *job, int which, int kernel)
{
	char self[PATH_MAX] = "", command[PATH_MAX + 300];
	size_t got;
	FILE *pipe;
	int status;

	t_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc is not there");
	snprintf(command, sizeof command,
		"env " T_JOB_ALONE
		" GSHMEM_CHECK=1 GSHMEM_HEAP_SIZE=1m timeout -k 2 60 %s %d %d 2>&1 </dev/null",
		self, which, kernel);
	pipe = popen(command, "r");
	t_check(pipe, "popen");
	got = fread(job->output, 1, sizeof job->output - 1, pipe);
	job->output[got] = 0;
	status = pclose(pipe);
	job->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	t_check(job->status != 124, "call %d: hangs:\n%s", which, job->output);
}

#define TEXTS(CALL, TEXT, NAME) {TEXT, NAME},
static const char *const expected[NCALLS + NGROUP_CALLS][2] = {BAD_CALLS(TEXTS) BAD_GROUP_CALLS(TEXTS)};

/* Every NWORKERS-th call, from this one on. */
static int check_calls(int first)
{
	static struct t_job job;
	char what[100];

	for (int which = first; which < NCALLS + NGROUP_CALLS; which += NWORKERS)
		for (int kernel = which >= NCALLS; kernel < 2; kernel++) {
			if (t_left_out(which))
				continue;
			snprintf(what, sizeof what, "%s, %s", expected[which][1], kernel ? "kernel" : "host");
			run(&job, which, kernel);
			t_check(strstr(job.output, "good so far"), "%s: what came before should pass:\n%s",
				what, job.output);
			t_check(!strstr(job.output, "unnoticed"), "%s: unnoticed:\n%s", what, job.output);
			t_job_failed(&job, what, expected[which][0], 0);
			t_job_failed(&job, what, expected[which][1], 0);
			t_job_failed(&job, what,
				kernel ? "gshmem: pe 0: kernel, block " : "gshmem: pe 0: host: ", 1);
			if (kernel && which < NCALLS)
				t_job_failed(&job, what, ", " GSHMEMI_ARCH_THREAD_WORD " 20: ", 1);
		}
	return 0;
}

int main(int argc, char **argv)
{
	int status, failed = 0;

	if (argc > 1)
		return child(atoi(argv[1]), atoi(argv[2]));
	for (int i = 0; i < NWORKERS; i++)
		if (fork() == 0)
			_exit(check_calls(i));
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}
