/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/*
 * If any HIP call of init fails once, on PE 0, on PE 1 or on both, all PEs get the same error and nothing
 * leaks. Only hipIpcOpenMemHandle may fail four times in a row; after a fifth failure MPI carries the
 * operations between the two PEs.
 */
/* timeout: 300 */
#include <gshmem.h>
#include <hip/hip_runtime_api.h>
#include <mpi.h>

#include "job.h"
#include "pinned.h"

static int count_maps(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512];
	int count = 0;

	while (fgets(line, sizeof line, file))
		count += strstr(line, "memfd:") != NULL;
	fclose(file);
	return count;
}

#define BULK_NBYTES 100000

/*
 * Each PE puts to the other one, gets from it, and adds there. Prints "maps" if the
 * other one's memory is mapped.
 */
static void exchange(void)
{
	const int me = gshmem_my_pe(), other = 1 - me;
	long *words = gshmem_calloc(4, sizeof *words);
	char *bulk = gshmem_calloc(1, BULK_NBYTES), *own = malloc(BULK_NBYTES);

	printf("PE %d %s\n", me, gshmem_ptr(words, other) ? "maps" : "does not map");
	gshmem_long_p(&words[2], 30 + me, me); /* only by calls: the CPU may not reach it */
	memset(own, 1 + me, BULK_NBYTES);
	gshmem_barrier_all();
	gshmem_long_p(&words[0], 7 + me, other);
	gshmem_putmem(bulk, own, BULK_NBYTES, other);
	gshmem_long_atomic_add(&words[1], 5, other);
	t_equal(gshmem_long_g(&words[2], other), 30 + other, "a get");
	gshmem_barrier_all();
	t_equal(gshmem_long_g(&words[0], me), 7 + other, "a put");
	t_equal(gshmem_long_atomic_fetch_add(&words[1], 5, other), 5, "an atomic");
	gshmem_getmem(own, bulk, BULK_NBYTES, me);
	for (int i = 0; i < BULK_NBYTES; i++)
		t_equal(own[i], 1 + other, "bulk");
	free(own);
	gshmem_free(bulk);
	gshmem_free(words);
}

/*
 * The failing init, then one that must succeed with what the first one released. Prints "rc N". what:
 * "pe", or MPI's thread level.
 */
static int pe_main(const char *what)
{
	int level = strcmp(what, "multiple") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE;

	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int rc, fds, maps;
	long *word;

	MPI_Init_thread(NULL, NULL, level, &level);
	fds = t_count_fds();
	maps = count_maps();
	rc = gshmemx_init_attr(&attr);
	printf("rc %d\n", rc);
	fflush(stdout);
	if (rc) {
		t_equal(count_maps(), maps, "mappings of device memory after a failed init");
		t_equal(npinned, 0, "blocks of pinned memory after a failed init");
		t_check(t_count_fds() <= fds + 2, "descriptors: %d before, %d after a failed init", fds,
			t_count_fds());
		rc = gshmemx_init_attr(&attr);
		t_equal(rc, 0, "the second init");
		word = gshmem_malloc(sizeof *word);
		gshmem_long_p(word, 7, gshmem_my_pe());
		gshmem_quiet();
		t_equal(gshmem_long_g(word, gshmem_my_pe()), 7, "a put after the second init");
	}
	if (strcmp(what, "pe")) /* otherwise one of its calls might be the one that fails */
		exchange();
	t_check(npinned >= 5, "init has %d blocks of pinned memory, expected 5 or more", npinned);
	gshmem_finalize();
	t_equal(npinned, 0, "blocks of pinned memory at the end");
	t_equal(count_maps(), maps, "mappings of device memory at the end");
	MPI_Finalize();
	return 0;
}

/* Checks that all PEs print the same return code, and returns it. */
static int common_rc(const struct t_job *job, int npes)
{
	const char *at = strstr(job->output, "rc ");
	char text[32];

	t_check(at, "no result:\n%s", job->output);
	snprintf(text, sizeof text, "rc %d\n", atoi(at + 3));
	t_equal(t_job_count(job, text), npes, "PEs with the same result");
	return atoi(at + 3);
}

/* Fail call k for every k, until init makes no such call. Returns how many calls there are. */
static int each_call(const char *call, const char *where)
{
	static struct t_job job;
	char env[96];
	int k;

	for (k = 1; k < 64; k++) {
		snprintf(env, sizeof env, "GSHMEM_CPU_FAIL=%s:%d%s", call, k, where);
		t_job_run(&job, 2, env, "", "pe", 20);
		t_job_ended(&job, env);
		if (common_rc(&job, 2) == 0)
			break;
		t_check(t_job_count(&job, "gshmem: pe ") == 1, "%s: expected one message:\n%s", env,
			job.output);
		t_check(t_job_count(&job, call) >= 1, "%s: the message does not name the call:\n%s", env,
			job.output);
	}
	t_check(k < 64, "%s fails for every k", call);
	return k - 1;
}

/*
 * hipIpcOpenMemHandle fails n times in a row, from call k on, on PE where (-1: on
 * both). Failed calls do not count.
 */
static const char *fails(char *env, size_t nbytes, int k, int n, int where)
{
	size_t length = (size_t)snprintf(env, nbytes, "GSHMEM_CPU_FAIL=");
	char at[16] = "";
	int i;

	if (where >= 0)
		snprintf(at, sizeof at, "@%d", where);
	for (i = 0; i < n; i++)
		length += (size_t)snprintf(
			env + length, nbytes - length, "%shipIpcOpenMemHandle:%d%s", i ? "," : "", k, at);
	return env;
}

/*
 * Failures from call k on, which opens the sync region or the heap. Four failures go unnoticed. After five,
 * all PEs get the same error if MPI's thread level rules out a net thread; otherwise they work.
 */
static void open_handles(int k, const char *region, int where)
{
	static struct t_job job;
	const int nfailing = where < 0 ? 2 : 1;
	char env[512], warning[128];
	int pe;

	t_job_run(&job, 2, fails(env, sizeof env, k, 4, where), "", "single", 20);
	t_job_ended(&job, env);
	t_equal(common_rc(&job, 2), 0, "init when handles open at the fifth attempt");
	t_check(!strstr(job.output, "gshmem: "), "%s: expected no message:\n%s", env, job.output);
	t_equal(t_job_count(&job, " maps\n"), 2, "PEs that map the other one");

	t_job_run(&job, 2, fails(env, sizeof env, k, 5, where), "", "single", 20);
	t_check(job.status == 0, "%s: status %d:\n%s", env, job.status, job.output);
	t_check(common_rc(&job, 2) != 0, "%s: init works without a thread of MPI's", env);
	t_equal(t_job_count(&job,
			"MPI runs with MPI_THREAD_SINGLE: start MPI by MPI_Init_thread with MPI_THREAD_MULTIPLE"),
		1, env);
	t_equal(t_job_count(&job, ": operations of PE "), nfailing, env);
	t_equal(t_job_count(&job, "gshmem: pe "), nfailing + 1, env);

	t_job_run(&job, 2, fails(env, sizeof env, k, 5, where), "", "multiple", 20);
	t_check(job.status == 0, "%s: status %d:\n%s", env, job.status, job.output);
	t_equal(common_rc(&job, 2), 0, "init when handles do not open");
	t_equal(t_job_count(&job, "gshmem: pe "), nfailing, env);
	for (pe = 0; pe < 2; pe++) {
		snprintf(warning, sizeof warning, "pe %d: init: hipIpcOpenMemHandle of the %s of PE %d, pid ",
			pe, region, 1 - pe);
		t_equal(t_job_count(&job, warning), where < 0 || where == pe, warning);
		snprintf(warning, sizeof warning,
			", in 5 attempts: operations of PE %d on PE %d go over MPI\n", pe, 1 - pe);
		t_equal(t_job_count(&job, warning), where < 0 || where == pe, warning);
		snprintf(warning, sizeof warning, "PE %d does not map\n", pe);
		t_equal(t_job_count(&job, warning), where < 0 || where == pe, warning);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int at_least; /* calls that init must make on 2 PEs */
	} calls[] = {
		{"hipGetDeviceCount", 1},
		{"hipGetDevice", 1},
		{"hipSetDevice", 1},
		{"hipHostMalloc", 3},
		{"hipMalloc", 1},
		{"hipExtMallocWithFlags", 1},
		{"hipMemsetAsync", 1},
		{"hipMemGetAddressRange", 2},
		{"hipIpcGetMemHandle", 2},
		{"hipDeviceGetUuid", 1},
		{"hipStreamCreateWithPriority", 2},
		{"hipEventCreateWithFlags", 2},
		{"hipDeviceGetPCIBusId", 1},
		{"hipFuncGetAttributes", 1},
		{"hipDevicePrimaryCtxGetState", 1},
		{"hipRuntimeGetVersion", 1},
	};
	static const char *const where[] = {"@0", "@1", ""};
	unsigned i, w;
	int n;

	if (argc > 1)
		return pe_main(argv[1]);
	for (w = 0; w < 3; w++) {
		open_handles(1, "sync region", (int)w - 1);
		open_handles(2, "heap", (int)w - 1);
	}
	for (i = 0; i < sizeof calls / sizeof *calls; i++) {
		for (w = 0; w < 3; w++) {
			if (t_left_out((int)(i + w)))
				continue;
			n = each_call(calls[i].name, where[w]);
			t_check(n >= calls[i].at_least, "%s: init makes %d calls, expected %d", calls[i].name,
				n, calls[i].at_least);
		}
	}
	return 0;
}
