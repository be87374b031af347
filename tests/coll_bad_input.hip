/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 300 */
/* delivery: no, its jobs are to fail */
/* isa: read */
/* sim: no, its kernels take a compiler three minutes */
/*
 * GSHMEM_CHECK=1: collectives notice bad arguments, on all PEs or on one, and arguments that differ between
 * PEs. A message names the call, and both PEs of the job end. From the host, one thread of a kernel, and a
 * work-group. They also notice a work-group's call that only some of its threads make.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>

#include "job.h"

#define NALLOC 256 /* bytes of an allocation */
#define W      GSHMEM_TEAM_WORLD

struct memory {
	char *dest, *source, *outside;
	gshmem_team_t destroyed;
	size_t *counts; /* [8]: of 2 PEs 1 1, 0 2, 1 2, and 0 1000 */
};

#define I(p)    ((int *)(void *)(p))
#define L(p)    ((long *)(void *)(p))
#define U(p)    ((unsigned *)(void *)(p))
#define D(p)    ((double *)(void *)(p))
#define SECOND  (me == 1)
#define UNEQUAL "the PEs of the team have called different collectives, or with different arguments"

/* X(message, BY: gshmem's own or X: an extension, name, arguments) */
#define BAD_CALLS(X) \
	X("pe 2 is out of range, there are 2 PEs", BY, int_broadcast, (W, I(m.dest), I(m.source), 4, 2)) \
	X("pe -1 is out of range", BY, broadcastmem, (W, m.dest, m.source, 1, SECOND ? -1 : 1)) \
	X("handle 0x63 does not name a team", BY, int_sum_reduce, \
		((gshmem_team_t)99, I(m.dest), I(m.source), 4)) \
	X("or names a destroyed one", BY, int_fcollect, (m.destroyed, I(m.dest), I(m.source), 4)) \
	X("or names a destroyed one", BY, alltoallmem, (SECOND ? m.destroyed : W, m.dest, m.source, 4)) \
	X("are not in the symmetric heap", BY, int_broadcast, (W, I(m.outside), I(m.source), 4, 0)) \
	X("are not in the symmetric heap", BY, fcollectmem, (W, m.dest, SECOND ? m.outside : m.source, 1)) \
	X("are not in the symmetric heap", BY, int_collect, (W, I(m.outside), I(m.source), 1)) \
	X("are not in the symmetric heap", BY, long_max_reduce, (W, L(m.outside), L(m.source), 1)) \
	X("an address is NULL", BY, collectmem, (W, m.dest, NULL, 1)) \
	X("an address is NULL", BY, alltoallmem, (W, NULL, m.source, 1)) \
	X("is not aligned to 4 bytes", BY, int_alltoall, (W, I(m.dest + 2), I(m.source), 1)) \
	X("is not aligned to 8 bytes", BY, long_sum_inscan, (W, L(m.dest), L(m.source + 4), 1)) \
	X("257 bytes at address", BY, broadcastmem, (W, m.dest, m.source, NALLOC + 1, 0)) \
	X("run beyond the allocation", BY, int_fcollect, (W, I(m.dest), I(m.source), NALLOC / 8 + 1)) \
	X("run beyond the allocation", BY, int_collect, \
		(W, I(m.dest), I(m.source), SECOND ? NALLOC / 4 : 1)) \
	X("run beyond the allocation", BY, int_alltoall, (W, I(m.dest), I(m.source), NALLOC / 8 + 1)) \
	X("run beyond the allocation", BY, int_alltoalls, (W, I(m.dest), I(m.source), 3, 1, NALLOC / 16)) \
	X("run beyond the allocation", BY, int_alltoalls, (W, I(m.dest), I(m.source), 1, 3, NALLOC / 16)) \
	X("run beyond the allocation", BY, uint_xor_reduce, (W, U(m.dest), U(m.source) + 1, NALLOC / 4)) \
	X("run beyond the allocation", BY, double_sum_exscan, (W, D(m.dest), D(m.source), 33)) \
	X("run beyond the allocation", EXTRA, int_min_reduce_scatter, \
		(W, I(m.dest), I(m.source), NALLOC / 8 + 1)) \
	X("in the symmetric heap, but not allocated", EXTRA, int_alltoallv, \
		(W, I(m.dest), m.counts, m.counts + (SECOND ? 6 : 2), I(m.source), m.counts, m.counts + 2)) \
	X("bytes of dest at address", BY, int_broadcast, (W, I(m.dest) + 1, I(m.dest), 2, 0)) \
	X("overlap source", BY, alltoallmem, (W, m.dest, m.dest, 4)) \
	X("overlap source", BY, int_fcollect, (W, I(m.dest), I(m.dest) + 3, 2)) \
	X("overlap source", BY, int_collect, (W, I(m.dest), I(m.dest) + 3, 2)) \
	X("overlap source", BY, int_sum_reduce, (W, I(m.dest), I(m.dest) + 3, 4)) \
	X("overlap source", EXTRA, int_sum_reduce_scatter, (W, I(m.dest), I(m.dest), 4)) \
	X("0 is not a valid operator or stride", BY, int_alltoalls, (W, I(m.dest), I(m.source), 0, 1, 2)) \
	X("-3 is not a valid operator or stride", BY, alltoallsmem, (W, m.dest, m.source, 1, -3, 2)) \
	X(UNEQUAL, BY, int_broadcast, (W, I(m.dest) + SECOND, I(m.source), 2, 0)) \
	X(UNEQUAL, BY, int_broadcast, (W, I(m.dest), I(m.source) + SECOND, 2, 0)) \
	X(UNEQUAL, BY, int_broadcast, (W, I(m.dest), I(m.source), 2U + SECOND, 0)) \
	X(UNEQUAL, BY, int_broadcast, (W, I(m.dest), I(m.source), 2, SECOND)) \
	X(UNEQUAL, BY, fcollectmem, (W, m.dest, m.source, 100U + SECOND)) \
	X(UNEQUAL, BY, int_alltoalls, (W, I(m.dest), I(m.source), 1 + SECOND, 1, 2)) \
	X(UNEQUAL, BY, int_alltoalls, (W, I(m.dest), I(m.source), 1, 1 + SECOND, 2)) \
	X(UNEQUAL, BY, uint_or_reduce, (W, U(m.dest), U(m.source), 1U + SECOND)) \
	X(UNEQUAL, BY, double_sum_inscan, (W, D(m.dest), D(m.source), 1U + SECOND)) \
	X(UNEQUAL, EXTRA, int_alltoallv, \
		(W, I(m.dest), m.counts + (SECOND ? 4 : 0), m.counts + 2, I(m.source), m.counts, \
			m.counts + 2))

/* Calls that differ in type, operation or kind. X(name and arguments on PE 0, on PE 1) */
#define PAIRS(X) \
	X(BY, int_sum_reduce, (W, I(m.dest), I(m.source), 2), BY, int_max_reduce, \
		(W, I(m.dest), I(m.source), 2)) \
	X(BY, int_sum_reduce, (W, I(m.dest), I(m.source), 2), BY, uint_sum_reduce, \
		(W, U(m.dest), U(m.source), 2)) \
	X(BY, int_fcollect, (W, I(m.dest), I(m.source), 2), BY, long_fcollect, \
		(W, L(m.dest), L(m.source), 2)) \
	X(BY, int_fcollect, (W, I(m.dest), I(m.source), 2), BY, int_alltoall, \
		(W, I(m.dest), I(m.source), 2)) \
	X(BY, int_broadcast, (W, I(m.dest), I(m.source), 2, 0), BY, int_collect, \
		(W, I(m.dest), I(m.source), 2)) \
	X(BY, int_sum_inscan, (W, I(m.dest), I(m.source), 2), BY, int_sum_exscan, \
		(W, I(m.dest), I(m.source), 2))

/* Right if the whole work-group makes them. X(name, arguments) */
#define WG_CALLS(X) \
	X(barrier_all, ()) \
	X(sync_all, ()) \
	X(team_sync, (W)) \
	X(int_broadcast, (W, I(m.dest), I(m.source), 4, 0)) \
	X(int_alltoall, (W, I(m.dest), I(m.source), 4)) \
	X(int_sum_reduce, (W, I(m.dest), I(m.source), 4))

#define COUNT(...) +1
enum { NCALLS = 0 BAD_CALLS(COUNT), NPAIRS = 0 PAIRS(COUNT), NWG_CALLS = 0 WG_CALLS(COUNT) };

#define MAKE(TEXT, WHOSE, NAME, ARGS) \
	if (which == n++) \
		(void)CALL_##WHOSE(NAME, ARGS);
#define MAKE_PAIR(WHOSE_0, NAME_0, ARGS_0, WHOSE_1, NAME_1, ARGS_1) \
	if (which == n++) \
		(void)(SECOND ? CALL_##WHOSE_1(NAME_1, ARGS_1) : CALL_##WHOSE_0(NAME_0, ARGS_0));
#define CALL_BY(NAME, ARGS)    (is_wg ? gshmemx_##NAME##_wg ARGS : gshmem_##NAME ARGS)
#define CALL_EXTRA(NAME, ARGS) (is_wg ? gshmemx_##NAME##_wg ARGS : gshmemx_##NAME ARGS)
static __host__ __device__ __attribute__((noinline)) void make_call(
	int which, bool is_wg, struct memory m, int me)
{
	int n = 0;

	BAD_CALLS(MAKE)
	PAIRS(MAKE_PAIR)
}

__global__ static void in_kernel(int which, bool is_wg, struct memory m, int me)
{
	if (is_wg || threadIdx.x == 40)
		make_call(which, is_wg, m, me);
}

/*
 * Who does not make the call: every other lane, which has exited or waits elsewhere (GPUs may hang then), or
 * a wave (AMD GPUs cannot tell).
 */
static const char *const absences[] = {"lanes", "wave", "elsewhere"};
enum { LANES, WAVE, ELSEWHERE, NABSENCES };
#define MAKE_WG(NAME, ARGS) \
	if (which == n++) \
		(void)(gshmemx_##NAME##_wg ARGS);
__global__ static void by_a_part(int which, int absence, struct memory m)
{
	int n = 0;

	if (absence == WAVE ? threadIdx.x >= 64 : threadIdx.x % 2) {
		WG_CALLS(MAKE_WG)
	} else if (absence == ELSEWHERE) {
		__syncthreads();
	}
}

static const char *const scopes[] = {"host", "thread", "wg"};

static int pe_main(const char *call, const char *scope)
{
	const int which = atoi(call);
	gshmem_team_t team;
	struct memory m;
	void *ptr;
	int me;

	gshmem_init();
	me = gshmem_my_pe();
	m.dest = (char *)gshmem_calloc(NALLOC, 1);
	m.source = (char *)gshmem_calloc(NALLOC, 1);
	t_hip(hipMalloc((void **)&m.outside, 4096));
	t_hip(hipHostMalloc(&ptr, 8 * sizeof *m.counts, hipHostMallocMapped));
	m.counts = (size_t *)ptr;
	m.counts[0] = m.counts[1] = m.counts[4] = m.counts[3] = m.counts[2] = 1;
	m.counts[5] = 2;
	m.counts[6] = 0;
	m.counts[7] = 1000;
	t_check(gshmem_team_split_strided(W, 0, 1, 2, NULL, 0, &team) == 0, "split");
	t_check(gshmem_int_sum_reduce(team, I(m.dest), I(m.source), 4) == 0, "sum");
	t_check(gshmem_alltoallmem(W, m.dest, m.source, NALLOC / 2) == 0, "alltoall");
	gshmem_team_destroy(team);
	m.destroyed = team;
	if (strcmp(scope, "host") == 0) {
		make_call(which, false, m, me);
	} else if (strncmp(scope, "without-", 8) == 0) {
		const int absence = strstr(scope, "lanes") ? LANES : strstr(scope, "wave") ? WAVE : ELSEWHERE;

		hipLaunchKernelGGL(by_a_part, dim3(1), dim3(128), 0, 0, which, absence, m);
		t_hip(hipDeviceSynchronize());
	} else {
		hipLaunchKernelGGL(
			in_kernel, dim3(1), dim3(64), 0, 0, which, strcmp(scope, "wg") == 0, m, me);
		t_hip(hipDeviceSynchronize());
	}
	fprintf(stderr, "unnoticed\n");
	gshmem_finalize();
	return 0;
}

#define TEXTS(TEXT, WHOSE, NAME, ARGS)                               {TEXT, #NAME},
#define PAIR_TEXTS(WHOSE_0, NAME_0, ARGS_0, WHOSE_1, NAME_1, ARGS_1) {UNEQUAL, #NAME_0},
static const char *const expected[NCALLS + NPAIRS][2] = {BAD_CALLS(TEXTS) PAIRS(PAIR_TEXTS)};

#define WG_TEXT(NAME, ARGS) #NAME,
static const char *const wg_calls[] = {WG_CALLS(WG_TEXT)};

/*
 * The name of a collective without type and operation: a kernel of the library that makes
 * the host's call knows no more.
 */
static const char *kind_of(const char *name)
{
	static const char *const kinds[] = {
		"broadcast", "fcollect", "collect", "alltoallv", "alltoall", "reduce", "scan"};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strstr(name, kinds[i]))
			return kinds[i];
	return name;
}

/* The launcher sees processes that exit with 0, and so kills nobody. */
int main(int argc, char **argv)
{
	const int nabsences = !strcmp(GSHMEMI_ARCH_NAME, "cpu") ? NABSENCES
		: !strcmp(GSHMEMI_ARCH_NAME, "nvidia")          ? 2
								: 1;
	static struct t_job job;
	char args[100], what[150];
	int counted = 128;

	if (argc > 2)
		return t_job_shield(pe_main, argv[1], argv[2], 0) < 0;
	if (strstr(GSHMEMI_ARCH_COUNT_WORD, "wave"))
		t_hip(hipDeviceGetAttribute(&counted, hipDeviceAttributeWarpSize, 0));
	for (int which = 0; which < NCALLS + NPAIRS; which++)
		for (int scope = 0; scope < 3; scope++) {
			if (t_left_out(which + scope))
				continue;
			snprintf(args, sizeof args, "%d %s", which, scopes[scope]);
			snprintf(what, sizeof what, "call %d, %s, %s", which, expected[which][1],
				scopes[scope]);
			t_job_run(&job, 2, "GSHMEM_CHECK=1 GSHMEM_HEAP_SIZE=1m", t_job_keep(), args, 60);
			t_check(job.status == 1 && !strstr(job.output, "unnoticed"),
				"%s: both PEs should fail:\n%s", what, job.output);
			t_check(strstr(job.output, expected[which][0]), "%s: expected \"%s\":\n%s", what,
				expected[which][0], job.output);
			t_check(strstr(job.output,
					which < NCALLS && scope ? expected[which][1]
								: kind_of(expected[which][1])) ||
					which >= NCALLS,
				"%s: the message should name it:\n%s", what, job.output);
		}
	for (int which = 0; which < NWG_CALLS; which++)
		for (int absence = 0; absence < nabsences; absence++) {
			if (t_left_out(which + absence))
				continue;
			snprintf(args, sizeof args, "%d without-%s", which, absences[absence]);
			t_job_run(&job, 2, "GSHMEM_CHECK=1 GSHMEM_HEAP_SIZE=1m", t_job_keep(), args, 60);
			t_check(job.status == 1 && !strstr(job.output, "unnoticed"),
				"%s: both PEs should fail:\n%s", args, job.output);
			snprintf(what, sizeof what,
				"made by %d of the %d " GSHMEMI_ARCH_COUNT_WORD ": the whole work-group must",
				counted / 2, counted);
			t_check(strstr(job.output, wg_calls[which]) && strstr(job.output, what),
				"%s: expected %s_wg \"%s\":\n%s", args, wg_calls[which], what, job.output);
		}
	return 0;
}
