/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 300 */
/* delivery: no, its jobs are to fail */
/* isa: read */
/*
 * GSHMEM_CHECK=1: a call by a group notices if its threads pass different arguments, if only some threads of
 * a work-group make the call, and if two work-groups are in a collective of one team at the same time. The
 * message names the call and what differs. Collectives one after the other, by any work-groups, and those of
 * different teams at once pass.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>

#include "job.h"

#define NALLOC 256 /* bytes of an allocation */
#define W      GSHMEM_TEAM_WORLD

struct memory {
	char *a, *b;
	uint64_t *sig;          /* [4] */
	gshmem_team_t teams[4]; /* of all PEs */
	long *turn;
};

/* Whether the message has both values. On NVIDIA GPUs the lanes of a wave vote, and the lowest reports. */
#ifdef __HIP_PLATFORM_NVIDIA__
#define HAS_VALUES 0
#else
#define HAS_VALUES 1
#endif

#define INT(p)  ((int *)(void *)(p))
#define LONG(p) ((long *)(void *)(p))

/* Every other of the 128 threads (odd) passes something else. X(what differs, name, arguments) */
#define UNEQUAL_CALLS(X) \
	X("dest", long_put_wg, (LONG(m.a) + odd, LONG(m.b), 16, 0)) \
	X("source", putmem_wg, (m.a, m.b + odd, 16, 0)) \
	X("nelems (in bytes)", int_put_nbi_wg, (INT(m.a), INT(m.b), odd ? 32 : 64, 0)) \
	X("pe", long_put_wg, (LONG(m.a), LONG(m.b), 16, odd)) \
	X("dest", getmem_wg, (m.a + odd, m.b, 16, 0)) \
	X("source", long_get_wg, (LONG(m.a), LONG(m.b) + odd, 16, 0)) \
	X("nelems (in bytes)", get32_nbi_wg, (m.a, m.b, 4U + (unsigned)odd, 0)) \
	X("nelems (in bytes)", put8_signal_wg, \
		(m.a, m.b, 1U + (unsigned)odd, m.sig, 1, GSHMEM_SIGNAL_SET, 0)) \
	X("sig_addr", putmem_signal_wg, (m.a, m.b, 16, m.sig + odd, 1, GSHMEM_SIGNAL_SET, 0)) \
	X("signal", long_put_signal_wg, \
		(LONG(m.a), LONG(m.b), 1, m.sig, 1U + (unsigned)odd, GSHMEM_SIGNAL_ADD, 0)) \
	X("sig_op", long_put_signal_nbi_wg, \
		(LONG(m.a), LONG(m.b), 1, m.sig, 1, odd ? GSHMEM_SIGNAL_SET : GSHMEM_SIGNAL_ADD, 0)) \
	X("dst", int_iput_wg, (INT(m.a), INT(m.b), 1 + odd, 1, 8, 0)) \
	X("sst", iget64_wg, (m.a, m.b, 1, 1 + odd, 8, 0)) \
	X("number of elements or blocks", int_iget_wg, (INT(m.a), INT(m.b), 1, 1, 8U + (unsigned)odd, 0)) \
	X("bsize", long_ibput_wg, (LONG(m.a), LONG(m.b), 4, 4, 1U + (unsigned)odd, 2, 0)) \
	X("source", int_ibget_wg, (INT(m.a), INT(m.b) + odd, 4, 4, 2, 2, 0)) \
	X("ivar", int_wait_until_wg, (INT(m.a) + odd, GSHMEM_CMP_EQ, 0)) \
	X("cmp", long_wait_until_wg, (LONG(m.a), odd ? GSHMEM_CMP_GE : GSHMEM_CMP_EQ, 0)) \
	X("cmp_value", signal_wait_until_wg, (m.sig, GSHMEM_CMP_LE, (uint64_t)odd)) \
	X("team", team_sync_wg, (m.teams[odd])) \
	X("team", int_fcollect_wg, (m.teams[odd], INT(m.a), INT(m.b), 1)) \
	X("nelems", int_sum_reduce_wg, (W, INT(m.a), INT(m.b), 2U + (unsigned)odd)) \
	X("dest", broadcastmem_wg, (W, m.a + odd, m.b, 8, 0)) \
	X("root", int_broadcast_wg, (W, INT(m.a), INT(m.b), 2, odd)) \
	X("nelems (in bytes)", putmem_wave, (m.a, m.b, 16U + (unsigned)odd, 0)) \
	X("nelems (in bytes)", long_get_nbi_wave, (LONG(m.a), LONG(m.b), 2U + (unsigned)odd, 0)) \
	X("signal", long_put_signal_wave, \
		(LONG(m.a), LONG(m.b), 1, m.sig, 1U + (unsigned)odd, GSHMEM_SIGNAL_ADD, 0)) \
	X("cmp_value", int_wait_until_wave, (INT(m.a), GSHMEM_CMP_LE, odd))

/* Right if the whole work-group makes them. X(name, arguments) */
#define WG_CALLS(X) \
	X(long_put_wg, (LONG(m.a), LONG(m.b), 16, 0)) \
	X(putmem_nbi_wg, (m.a, m.b, 16, 0)) \
	X(getmem_wg, (m.a, m.b, 16, 0)) \
	X(int_put_signal_wg, (INT(m.a), INT(m.b), 4, m.sig, 1, GSHMEM_SIGNAL_ADD, 0)) \
	X(long_iput_wg, (LONG(m.a), LONG(m.b), 1, 1, 4, 0)) \
	X(int_ibget_wg, (INT(m.a), INT(m.b), 4, 4, 2, 2, 0)) \
	X(int_wait_until_wg, (INT(m.a), GSHMEM_CMP_EQ, 0))

/*
 * A PE may make one at a time. X(prefix, name, arguments): by all threads of two
 * work-groups, or by the first of each
 */
#define TEAM_CALLS(X) \
	X(gshmemx, barrier_all_wg, ()) \
	X(gshmemx, sync_all_wave, ()) \
	X(gshmem, barrier_all, ()) \
	X(gshmemx, team_sync_wg, (m.teams[1])) \
	X(gshmemx, int_sum_reduce_wg, (W, INT(m.a), INT(m.b), 2)) \
	X(gshmemx, int_broadcast_wg, (W, INT(m.a), INT(m.b), 2, 0)) \
	X(gshmem, int_alltoall, (m.teams[2], INT(m.a), INT(m.b), 2))

#define COUNT(...) +1
enum { BARRIER_BY_THREAD = 2 }; /* of these */
enum {
	NUNEQUAL = 0 UNEQUAL_CALLS(COUNT),
	NWG = 0 WG_CALLS(COUNT),
	NTEAM = 0 TEAM_CALLS(COUNT),
	NTHREADS = 128,
	NWORKERS = 4
};

#define MAKE_UNEQUAL(WHAT, NAME, ARGS) \
	if (which == n++) \
		(void)gshmemx_##NAME ARGS;
__global__ static void unequal(int which, struct memory m)
{
	const int odd = threadIdx.x & 1;
	int n = 0;

	UNEQUAL_CALLS(MAKE_UNEQUAL)
}

#define MAKE_WG(NAME, ARGS) \
	if (which == n++) \
		(void)gshmemx_##NAME ARGS;
__global__ static void by_a_part(int which, struct memory m)
{
	int n = 0;

	if (threadIdx.x & 1) {
		WG_CALLS(MAKE_WG)
	}
}

#define IS_BY_GROUP(PREFIX) (sizeof(#PREFIX) == sizeof("gshmemx"))
#define MAKE_TEAM(PREFIX, NAME, ARGS) \
	if (which == n++ && (IS_BY_GROUP(PREFIX) || by_all || threadIdx.x == 0)) \
		(void)PREFIX##_##NAME ARGS;
__global__ static void by_two(int which, bool by_all, struct memory m)
{
	int n = 0;

	TEAM_CALLS(MAKE_TEAM)
}

/* ---- what is right ---- */

/* The work-groups make the world's collectives in turn, and those of their own team at any time. */
__global__ static void by_turns(struct memory m, int nrounds, bool may_part)
{
	const unsigned width = (unsigned)warpSize, nfirst = may_part ? 16 : width,
		       nleft_out = may_part ? 32 : width;
	const gshmem_team_t own = m.teams[blockIdx.x];
	const long ngroups = gridDim.x;
	char *const a = m.a + 64 * blockIdx.x, *const b = m.b + 64 * blockIdx.x;

	for (long i = 0; i < nrounds; i++) {
		gshmemx_team_sync_wg(own);
		gshmemx_int_sum_reduce_wg(own, INT(a), INT(b), 2);
		gshmemx_long_wait_until_wg(m.turn, GSHMEM_CMP_EQ, i * ngroups + blockIdx.x);
		gshmemx_barrier_all_wg();
		gshmemx_int_fcollect_wg(W, INT(a), INT(b), 1);
		gshmemx_int_max_reduce_wg(W, INT(a), INT(b), 0);
		gshmemx_int_max_reduce_wg(W, INT(a), INT(b), 12);
		if (threadIdx.x < nfirst)
			gshmemx_sync_all_wave();
		if (threadIdx.x == 5)
			gshmem_barrier_all();
		__syncthreads();
		gshmemx_int_put_wg(INT(a), INT(b), 4, 0);
		if (threadIdx.x >= nleft_out) /* a wave's call covers the lanes that make it */
			gshmemx_int_put_wave(INT(a), INT(b), 4, 0);
		gshmemx_quiet_wg();
		if (threadIdx.x == 0)
			gshmem_long_atomic_inc(m.turn, gshmem_my_pe());
	}
}

static void make_good(struct memory m)
{
	hipStream_t streams[2];

	for (int i = 0; i < 2; i++)
		t_hip(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
	for (int i = 0; i < 4; i++) {
		gshmem_barrier_all();
		gshmem_long_p(m.turn, 0, gshmem_my_pe());
		gshmem_quiet();
		hipLaunchKernelGGL(
			by_turns, dim3(4), dim3(NTHREADS), 0, streams[i % 2], m, 10, t_wave_may_part() != 0);
		t_hip(hipStreamSynchronize(streams[i % 2]));
		gshmem_team_sync(m.teams[1]);
		gshmem_int_sum_reduce(W, INT(m.a), INT(m.b), 2);
	}
}

/* ---- the jobs ---- */

static int pe_main(const char *kind, const char *call)
{
	const int which = atoi(call);
	struct memory m;

	gshmem_init();
	m.a = (char *)gshmem_calloc(NALLOC, 1);
	m.b = (char *)gshmem_calloc(NALLOC, 1);
	m.sig = (uint64_t *)gshmem_calloc(4, sizeof *m.sig);
	m.turn = (long *)gshmem_calloc(1, sizeof *m.turn);
	gshmemx_race_ok(m.a, NALLOC); /* threads put to one place on purpose */
	gshmemx_race_ok(m.b, NALLOC);
	for (int i = 0; i < 4; i++)
		t_check(!gshmem_team_split_strided(W, 0, 1, gshmem_n_pes(), NULL, 0, &m.teams[i]), "split");
	gshmem_barrier_all();
	if (strcmp(kind, "good") == 0) {
		make_good(m);
	} else if (strcmp(kind, "unequal") == 0) {
		hipLaunchKernelGGL(unequal, dim3(1), dim3(NTHREADS), 0, 0, which, m);
		t_hip(hipDeviceSynchronize());
	} else if (strcmp(kind, "part") == 0) {
		hipLaunchKernelGGL(by_a_part, dim3(1), dim3(NTHREADS), 0, 0, which, m);
		t_hip(hipDeviceSynchronize());
	} else if (gshmem_my_pe() == 1) {
		/* never comes, so the first caller on PE 0 is still waiting when the second one comes */
		gshmem_long_wait_until(m.turn, GSHMEM_CMP_NE, 0);
	} else {
		const bool is_grid = strcmp(kind, "grid") == 0;

		hipLaunchKernelGGL(
			by_two, dim3(is_grid ? 2 : 1), dim3(16), 0, 0, which, strcmp(kind, "all") == 0, m);
		if (strcmp(kind, "beside") == 0)
			gshmem_barrier_all();
		t_hip(hipDeviceSynchronize());
	}
	fprintf(stderr, "unnoticed\n");
	gshmem_finalize();
	return 0;
}

#define UNEQUAL_TEXTS(WHAT, NAME, ARGS) {WHAT, #NAME},
#define TEXT(NAME, ARGS)                #NAME,
#define TEAM_TEXT(PREFIX, NAME, ARGS)   #PREFIX "_" #NAME,
static const char *const unequal_calls[NUNEQUAL][2] = {UNEQUAL_CALLS(UNEQUAL_TEXTS)};
static const char *const wg_calls[NWG] = {WG_CALLS(TEXT)};
static const char *const team_calls[NTEAM] = {TEAM_CALLS(TEAM_TEXT)};

/* Run this program as a single process; the caller checks its output. */
static void run(struct t_job *job, const char *env, const char *kind, int which)
{
	char self[PATH_MAX] = "", command[PATH_MAX + 300];
	size_t got;
	FILE *pipe;
	int status;

	t_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc is not there");
	snprintf(command, sizeof command,
		"env " T_JOB_ALONE
		" GSHMEM_CHECK=1 GSHMEM_HEAP_SIZE=1m %s timeout -k 2 60 %s %s %d 2>&1 </dev/null",
		env, self, kind, which);
	pipe = popen(command, "r");
	t_check(pipe, "popen");
	got = fread(job->output, 1, sizeof job->output - 1, pipe);
	job->output[got] = 0;
	status = pclose(pipe);
	job->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	t_check(job->status != 124, "%s %d: hangs:\n%s", kind, which, job->output);
	t_check(!strstr(job->output, "unnoticed"), "%s %d, %s: unnoticed:\n%s", kind, which, env,
		job->output);
	t_job_failed(job, kind, "gshmem: pe 0: kernel, block 0, ", 1);
}

/* Every other thread differs from the first, and one of these reports it. */
static void check_unequal(struct t_job *job, const char *env, int which)
{
	const char *const what = unequal_calls[which][0], *const name = unequal_calls[which][1];
	char expected[200];
	const char *thread;

	run(job, env, "unequal", which);
	snprintf(expected, sizeof expected, ": gshmemx_%s: all threads of the group must pass the same %s%s",
		name, what, HAS_VALUES ? ": this one passes " : "");
	t_job_failed(job, name, expected, 1);
	if (!HAS_VALUES)
		return;
	thread = strstr(job->output, "block 0, " GSHMEMI_ARCH_THREAD_WORD " ");
	t_check(thread && atoi(thread + strlen("block 0, " GSHMEMI_ARCH_THREAD_WORD " ")) % 2 == 1,
		"%s: an odd thread should be named:\n%s", name, job->output);
}

static void check_part(struct t_job *job, const char *env, int which)
{
	char expected[200];

	run(job, env, "part", which);
	snprintf(expected, sizeof expected, ": gshmemx_%s: made by ", wg_calls[which]);
	t_job_failed(job, wg_calls[which], expected, 1);
	if (!strcmp(GSHMEMI_ARCH_NAME, "cpu"))
		t_job_failed(job, wg_calls[which],
			"made by 64 of the 128 " GSHMEMI_ARCH_COUNT_WORD ": the whole work-group must", 1);
}

/*
 * Every NWORKERS-th call, from this one on; on the cpu platform also with delayed
 * delivery and with waves of 32.
 */
static int check_calls(int first)
{
	static const char *const envs[] = {"", "GSHMEM_CPU_DELIVERY=random GSHMEM_CPU_WAVE=32"};
	const int nenvs = strcmp(GSHMEMI_ARCH_NAME, "cpu") ? 1 : 2;
	static struct t_job job;

	for (int i = first; i < nenvs * (NUNEQUAL + NWG); i += NWORKERS) {
		const int which = i % (NUNEQUAL + NWG);
		const char *const env = envs[i / (NUNEQUAL + NWG)];

		if (t_left_out(i))
			continue;
		if (which < NUNEQUAL)
			check_unequal(&job, env, which);
		else
			check_part(&job, env, which - NUNEQUAL);
	}
	return 0;
}

/* A job of two PEs, the second of which waits for the end. */
static void check_concurrent(const char *kind, int which)
{
	static struct t_job job;
	char args[100];

	snprintf(args, sizeof args, "%s %d", kind, which);
	t_job_run(&job, 2, "GSHMEM_CHECK=1 GSHMEM_HEAP_SIZE=1m", t_job_keep(), args, 60);
	t_check(!strstr(job.output, "unnoticed"), "%s: unnoticed:\n%s", args, job.output);
	t_job_failed(&job, args, team_calls[which], 1);
	t_job_failed(&job, args, "is in a collective call of the same team at the same time", 1);
	if (strcmp(kind, "all") == 0)
		t_job_failed(&job, args, "work-group 0, this one, is in", 1);
	else if (strcmp(kind, "grid") == 0)
		t_check(t_job_count(&job, "kernel, block 0, ") ? t_job_count(&job, ": work-group 1 is in")
							       : t_job_count(&job, ": work-group 0 is in"),
			"%s: the message should name the other work-group:\n%s", args, job.output);
}

static void check_good(const char *env)
{
	static struct t_job job;

	t_job_run(&job, 2, env, "", "good 0", 120);
	t_check(!job.status && t_job_count(&job, "unnoticed") == 2, "%s: what is right should pass:\n%s", env,
		job.output);
}

int main(int argc, char **argv)
{
	int status, failed = 0;

	if (argc > 2)
		return pe_main(argv[1], argv[2]);
	for (int i = 0; i < NWORKERS; i++)
		if (fork() == 0)
			_exit(check_calls(i));
	while (wait(&status) > 0)
		failed |= status != 0;
	if (failed)
		return 1;
	for (int which = 0; which < NTEAM; which++)
		check_concurrent("grid", which);
	check_concurrent("all", BARRIER_BY_THREAD);
	if (GSHMEMI_ARCH_HOST_DIRECT)
		check_concurrent("beside", BARRIER_BY_THREAD);
	check_good("GSHMEM_CHECK=1 GSHMEM_HEAP_SIZE=1m");
	if (!strcmp(GSHMEMI_ARCH_NAME, "cpu"))
		check_good(
			"GSHMEM_CHECK=1 GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_WAVE=32 GSHMEM_CPU_DELIVERY=random");
	return 0;
}
