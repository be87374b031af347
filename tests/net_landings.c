/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its jobs say which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 120 */
/*
 * If pinned memory runs out on PE 0, on PE 1 or on both in a job with carried PEs, all PEs get the same
 * error, one message names the PE and what is missing, nothing leaks, and the next init works. For landings,
 * which are needed only if the CPU cannot reach the heap, the message says what to do.
 */
#include <gshmem.h>
#include <hip/hip_runtime_api.h>
#include <mpi.h>
#include <stdbool.h>

#include "job.h"
#include "pinned.h"

#ifdef GSHMEMI_HOST_COPIES
enum { NEEDS_LANDINGS = 1 };
#else
enum { NEEDS_LANDINGS = 0 };
#endif
#define NBYTES 200000

/* Bulk to the other PE and back. */
static void exchange(void)
{
	const int me = gshmem_my_pe(), other = 1 - me;
	char *bulk = gshmem_malloc(NBYTES), *own = malloc(NBYTES);

	t_check(!gshmem_ptr(bulk, other), "PE %d is mapped", other);
	memset(own, 1 + me, NBYTES);
	gshmem_putmem(bulk, own, NBYTES, other);
	gshmem_barrier_all();
	memset(own, 0, NBYTES);
	gshmem_getmem(own, bulk, NBYTES, other);
	for (int i = 0; i < NBYTES; i++)
		t_equal(own[i], 1 + me, "what was put and got again");
	gshmem_barrier_all();
	free(own);
	gshmem_free(bulk);
}

static int pe_main(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int rc, level;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	rc = gshmemx_init_attr(&attr);
	printf("rc %d\n", rc);
	fflush(stdout);
	if (rc) {
		t_equal(npinned, 0, "blocks of pinned memory after a failed init");
		t_equal(gshmemx_init_attr(&attr), 0, "the second init");
	}
	exchange();
	gshmem_finalize();
	t_equal(npinned, 0, "blocks of pinned memory at the end");
	MPI_Finalize();
	return 0;
}

/*
 * Call k of hipHostMalloc fails on PE where (-1: on both). Returns false if init makes no such call.
 * *nlandings_p counts messages about landings.
 */
static bool fail(int k, int where, int *nlandings_p)
{
	static struct t_job job;
	char env[128], text[128], at[16] = "";
	const int speaker = where < 0 ? 0 : where;

	if (where >= 0)
		snprintf(at, sizeof at, "@%d", where);
	snprintf(env, sizeof env, "GSHMEM_CARRY=all GSHMEM_CPU_FAIL=hipHostMalloc:%d%s", k, at);
	t_job_run(&job, 2, env, "", "pe", 20);
	t_check(job.status == 0, "%s: exit status %d:\n%s", env, job.status, job.output);
	if (t_job_count(&job, "rc 0\n") == 2)
		return false;
	t_check(t_job_count(&job, "rc -12\n") == 2, "%s: not the same error on both PEs:\n%s", env,
		job.output);
	t_check(t_job_count(&job, "gshmem: pe ") == 1, "%s: expected one message:\n%s", env, job.output);
	snprintf(text, sizeof text, "gshmem: pe %d: ", speaker);
	t_check(strstr(job.output, text), "%s: expected \"%s\":\n%s", env, text, job.output);
	snprintf(text, sizeof text, "init: PE %d on ", speaker);
	if (strstr(job.output, "for landings")) {
		t_check(strstr(job.output, text) && strstr(job.output, "hipHostMalloc of ") &&
				strstr(job.output, "out of memory") &&
				strstr(job.output,
					"run fewer PEs on this machine, or let them pin more memory (ulimit -l"),
			"%s: who, what, what to do:\n%s", env, job.output);
		++*nlandings_p;
	}
	return true;
}

int main(int argc, char **argv)
{
	int where, k, nlandings;

	(void)argv;
	if (argc > 1)
		return pe_main();
	for (where = -1; where < 2; where++) {
		if (t_left_out(where + 1))
			continue;
		nlandings = 0;
		for (k = 1; k < 64 && fail(k, where, &nlandings); k++)
			;
		t_check(k > 5 && k < 64, "init makes %d calls of hipHostMalloc", k - 1);
		t_equal(nlandings, NEEDS_LANDINGS, "calls for landings");
	}
	return 0;
}
