/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* delivery: no */
/* platform: cpu */
/* timeout: 120 */
/*
 * A peer's part of a region that does not open: the fifth attempt may succeed; else the peer is out of reach in that region, which a
 * call to it says, and a unit without the slow path is refused. A place outside of a region is an error with GSHMEM_CHECK.
 */
#include <dlfcn.h>

#include "host/host.h"
#include "job.h"

/* What a HIP unit that was compiled with GSHMEM_DIRECT_ONLY brings. */
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

/* HIP's copies of the library come here first. The one after so many fails; 0: none does. */
static int fails_at;

hipError_t hipMemcpyAsync(void *dest, const void *source, size_t nbytes, hipMemcpyKind kind, hipStream_t stream)
{
	hipError_t (*next)(void *, const void *, size_t, hipMemcpyKind, hipStream_t);

	*(void **)&next = dlsym(RTLD_NEXT, "hipMemcpyAsync");
	return fails_at && !--fails_at ? hipErrorUnknown : next(dest, source, nbytes, kind, stream);
}

/* Each copy of create fails on PE 0 once: an error on both, and the next one works. */
static int each_step(int me, void *memory)
{
	unsigned region;
	int i, rc = -1, nfailed;

	for (nfailed = 0; rc; nfailed++) {
		fails_at = me ? 0 : nfailed + 1;
		rc = gshmemi_region_create(memory, 16, &region);
		fails_at = 0;
		for (i = 0; i < 2; i++) {
			if (i || rc)
				t_equal(gshmemi_region_create(memory, 16, &region), 0, "create after an error");
			t_equal(region, GSHMEMI_NFIXED, "the first region");
			t_equal(gshmemi_region_destroy(region), 0, "destroy");
		}
	}
	t_check(nfailed > 2, "create fails %d times, expected 2 or more", nfailed - 1);
	gshmem_finalize();
	return 0;
}

static int pe_main(const char *name)
{
	long *memory, word = 7;
	unsigned region;
	int me, rc;

	if (strcmp(name, "unit") == 0)
		gshmemi_state_register(&unit);
	gshmem_init();
	me = gshmem_my_pe();
	t_hip(hipMalloc((void **)&memory, 2 * sizeof *memory));
	if (strcmp(name, "steps") == 0)
		return each_step(me, memory);
	t_equal(gshmemi_region_create(memory, 2 * sizeof *memory, &region), 0, "create");
	t_hip(hipSetDevice(0)); /* which is the PE's own but in the case "device" */
	rc = gshmemi_region_use(region);
	t_equal(hipGetLastError(), hipSuccess, "the program's last error");
	t_equal(rc, me == 0 && strcmp(name, "unit") == 0 ? -EINVAL : 0, "use");
	if (strcmp(name, "unit"))
		gshmemi_host_p(region, memory + 2 * (me == 0 && strcmp(name, "outside") == 0), &word, sizeof word, 1 - me, "the put");
	gshmem_barrier_all();
	t_hip(hipMemcpy(&word, memory, sizeof word, hipMemcpyDefault));
	if (strcmp(name, "unit"))
		t_equal(word, 7, "a put in the region");
	t_equal(gshmemi_region_destroy(region), 0, "destroy");
	t_hip(hipFree(memory));
	gshmem_finalize();
	return 0;
}

/* What fails on PE 0, after the heap and the sync region of PE 1: a failure counts the calls that those before it let pass. */
#define FAILS   "hipIpcOpenMemHandle:3@0,"
#define FAILS_4 FAILS FAILS FAILS FAILS
#define FAILS_5 FAILS_4 FAILS

int main(int argc, char **argv)
{
	static struct t_job job;

	if (argc > 1)
		return pe_main(argv[1]);
	t_job_run(&job, 2, "GSHMEM_CPU_FAIL=" FAILS_4, "", "fourth", 20);
	t_equal(job.status, 0, "a job whose fifth attempt succeeds");
	t_equal(t_job_count(&job, "gshmem: "), 0, "lines of a job whose fifth attempt succeeds");
	t_job_run(&job, 2, "GSHMEM_CPU_FAIL=" FAILS_5, "", "fifth", 20);
	t_job_failed(&job, "fifth", "hipIpcOpenMemHandle of the region of PE 1: ", 1);
	t_job_failed(&job, "fifth", "the put: the memory of PE 1 is not mapped here", 1);
	t_job_run(&job, 2, "GSHMEM_CPU_FAIL=" FAILS_5, "", "unit", 20);
	t_equal(job.status, 0, "a job with a unit without the slow path");
	t_equal(t_job_count(&job, "direct_only.hip was compiled with GSHMEM_DIRECT_ONLY"), 1, "lines that name the unit");
	t_job_run(&job, 2, "GSHMEM_CPU_DEVICES=2 GSHMEM_DEVICE=1 GSHMEM_CPU_NO_PEER=0-1", "", "device", 20);
	t_equal(job.status, 0, "a job whose program has another device current");
	t_job_run(&job, 2, "", "", "steps", 20);
	t_equal(job.status, 0, "a job in which each step of create fails");
	t_job_run(&job, 2, "GSHMEM_CHECK=1", "", "outside", 20);
	t_job_failed(&job, "outside", "the put: 8 bytes at ", 1);
	t_job_failed(&job, "outside", "are not in region 3", 1);
	return 0;
}
