/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* delivery: no */
/* platform: cpu */
/* timeout: 120 */
/*
 * If a peer's part of a window does not open, a fifth attempt may succeed. Otherwise operations on the peer
 * go over MPI, after a warning, and a unit without the slow path is refused. A failing step of one PE is an
 * error on both, and the next window works.
 */
#include <dlfcn.h>

#include "host/host.h"
#include "job.h"
#include "regions.h"

/* The definitions of a HIP unit that was compiled with GSHMEM_DIRECT_ONLY. */
static struct gshmemi_state unit_state = GSHMEMI_STATE_INIT;

static int locate(void **address_p)
{
	*address_p = &unit_state;
	return hipSuccess;
}

static struct gshmemi_state_copy unit = {
	.abi = GSHMEMI_ABI,
	.max_pes = GSHMEM_MAX_PES,
	.state_nbytes = sizeof unit_state,
	.locate = locate,
	.platform = GSHMEMI_ARCH_NAME,
	.file = "direct_only.hip",
	.direct_only = 1,
};

/* The library's HIP copies come here first. The copy with this number fails; 0: none. */
static int fails_at;

hipError_t hipMemcpyAsync(
	void *dest, const void *source, size_t nbytes, hipMemcpyKind kind, hipStream_t stream)
{
	hipError_t (*next)(void *, const void *, size_t, hipMemcpyKind, hipStream_t);

	*(void **)&next = dlsym(RTLD_NEXT, "hipMemcpyAsync");
	return fails_at && !--fails_at ? hipErrorUnknown : next(dest, source, nbytes, kind, stream);
}

/* Each copy of create fails on PE 0 once: that is an error on both PEs, and the next create works. */
static int each_step(int me, void *memory)
{
	int i, rc = -1, nfailed;
	gshmemx_win_t win;

	for (nfailed = 0; rc; nfailed++) {
		fails_at = me ? 0 : nfailed + 1;
		rc = gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 16, 1, &win);
		fails_at = 0;
		for (i = 0; i < 2; i++) {
			if (i || rc)
				t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 16, 1, &win), 0,
					"create after an error");
			t_equal(t_region_of(win), GSHMEMI_NFIXED, "the first region");
			t_equal(gshmemx_win_free(&win), 0, "free");
		}
	}
	t_check(nfailed > 2, "create fails %d times, expected 2 or more", nfailed - 1);
	gshmem_finalize();
	return 0;
}

static int pe_main(const char *name)
{
	long *memory, word = 7;
	gshmemx_win_t win;
	int me, rc;

	if (strcmp(name, "unit") == 0)
		gshmemi_state_register(&unit);
	gshmem_init();
	me = gshmem_my_pe();
	if (strcmp(name, "foreign") == 0)
		t_hip(hipSetDevice(0));
	t_hip(hipMalloc((void **)&memory, 2 * sizeof *memory));
	if (strcmp(name, "steps") == 0)
		return each_step(me, memory);
	t_hip(hipSetDevice(0)); /* the PE's own, except in the case "device" */
	rc = gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 2 * sizeof *memory, sizeof *memory, &win);
	t_equal(hipGetLastError(), hipSuccess, "the program's last error");
	t_equal(rc, strcmp(name, "unit") && strcmp(name, "foreign") ? 0 : -EINVAL, "create");
	if (rc) {
		gshmem_finalize();
		return 0;
	}
	if (strcmp(name, "fifth"))
		t_check(gshmemx_win_ptr(win, 1 - me), "the other PE's window is mapped");
	t_equal(gshmemx_win_fence(win, 0), 0, "fence");
	t_equal(gshmemx_win_long_put(win, 1, &word, 1, 1 - me), 0, "put");
	t_equal(gshmemx_win_fence(win, GSHMEMX_MODE_NOSUCCEED), 0, "fence");
	t_hip(hipMemcpy(&word, memory + 1, sizeof word, hipMemcpyDefault));
	t_equal(word, 7, "a put");
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipFree(memory));
	gshmem_finalize();
	return 0;
}

/*
 * What fails on PE 0, after it has opened the heap and the sync region of PE 1: only successful calls count.
 */
#define FAILS   "hipIpcOpenMemHandle:3@0,"
#define FAILS_4 FAILS FAILS FAILS FAILS
#define FAILS_5 FAILS_4 FAILS

int main(int argc, char **argv)
{
	static struct t_job job;

	if (argc > 1)
		return pe_main(argv[1]);
	t_job_run(&job, 2, "GSHMEM_CPU_FAIL=" FAILS_4, "", "fourth", 20);
	t_job_ended(&job, "a job whose fifth attempt succeeds");
	t_equal(t_job_count(&job, "gshmem: "), 0, "lines of a job whose fifth attempt succeeds");
	t_job_run(&job, 2, "GSHMEM_CPU_FAIL=" FAILS_5, "", "fifth", 20);
	t_job_ended(&job, "a job whose attempts all fail");
	t_equal(t_job_count(&job, "hipIpcOpenMemHandle of the window of PE 1: "), 1,
		"warnings of a job whose attempts all fail");
	t_job_run(&job, 2, "GSHMEM_CPU_FAIL=" FAILS_5, "", "unit", 20);
	t_job_ended(&job, "a job with a unit without the slow path");
	t_equal(t_job_count(&job, "direct_only.hip was compiled with GSHMEM_DIRECT_ONLY"), 2,
		"lines that name the unit");
	t_job_run(
		&job, 2, "GSHMEM_CPU_DEVICES=2 GSHMEM_DEVICE=1 GSHMEM_CPU_LINKS=0-1:none", "", "device", 20);
	t_job_ended(&job, "a job whose program has another device current");
	t_job_run(&job, 2, "GSHMEM_CPU_DEVICES=2 GSHMEM_DEVICE=1", "", "foreign", 20);
	t_job_ended(&job, "a job with memory of another device");
	t_job_said(&job, "the window is memory of device 0, but this PE uses device 1");
	t_job_run(&job, 2, "", "", "steps", 20);
	t_job_ended(&job, "a job in which each step of create fails");
	return 0;
}
