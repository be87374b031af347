/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* Every HIP call of init fails once, on PE 0, on PE 1 and on both: all PEs get the same error, nothing leaks. */
/* timeout: 300 */
#include <dlfcn.h>

#include <gshmem.h>
#include <hip/hip_runtime_api.h>
#include <mpi.h>

#include "job.h"

/* Blocks of pinned memory: the library's calls come here first. */
static int npinned;

hipError_t hipHostMalloc(void **ptr, size_t nbytes, unsigned flags)
{
	hipError_t (*next)(void **, size_t, unsigned);
	hipError_t error;

	*(void **)&next = dlsym(RTLD_NEXT, "hipHostMalloc");
	error = next(ptr, nbytes, flags);
	npinned += error == hipSuccess;
	return error;
}

hipError_t hipHostFree(void *ptr)
{
	hipError_t (*next)(void *);

	*(void **)&next = dlsym(RTLD_NEXT, "hipHostFree");
	npinned -= ptr != NULL;
	return next(ptr);
}

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

/* The failing init, then one that must work and use what the first gave back. Prints "rc N". */
static int pe_main(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int rc, fds, maps;
	long *word;

	MPI_Init(NULL, NULL);
	fds = t_count_fds();
	maps = count_maps();
	rc = gshmemx_init_attr(&attr);
	printf("rc %d\n", rc);
	fflush(stdout);
	if (rc) {
		t_equal(count_maps(), maps, "mappings of device memory after a failed init");
		t_equal(npinned, 0, "blocks of pinned memory after a failed init");
		t_check(t_count_fds() <= fds + 2, "descriptors: %d before, %d after a failed init", fds, t_count_fds());
		rc = gshmemx_init_attr(&attr);
		t_equal(rc, 0, "the second init");
		word = gshmem_malloc(sizeof *word);
		gshmem_long_p(word, 7, gshmem_my_pe());
		gshmem_quiet();
		t_equal(gshmem_long_g(word, gshmem_my_pe()), 7, "a put after the second init");
	}
	t_check(npinned >= 5, "init has %d blocks of pinned memory, expected 5 or more", npinned);
	gshmem_finalize();
	t_equal(npinned, 0, "blocks of pinned memory at the end");
	t_equal(count_maps(), maps, "mappings of device memory at the end");
	MPI_Finalize();
	return 0;
}

/* All PEs print the same; returns it. */
static int common_rc(const struct t_job *job, int npes)
{
	const char *at = strstr(job->output, "rc ");
	char text[32];

	t_check(at, "no result:\n%s", job->output);
	snprintf(text, sizeof text, "rc %d\n", atoi(at + 3));
	t_equal(t_job_count(job, text), npes, "PEs with the same result");
	return atoi(at + 3);
}

/* Every k until init does not make the call any more. Returns how many there are. */
static int each_call(const char *call, const char *where)
{
	static struct t_job job;
	char env[96];
	int k;

	for (k = 1; k < 64; k++) {
		snprintf(env, sizeof env, "GSHMEM_CPU_FAIL=%s:%d%s", call, k, where);
		t_job_run(&job, 2, env, "", "pe", 20);
		t_equal(job.status, 0, env);
		if (common_rc(&job, 2) == 0)
			break;
		t_check(t_job_count(&job, "gshmem: pe ") == 1, "%s: expected one message:\n%s", env, job.output);
		t_check(t_job_count(&job, call) >= 1, "%s: the message does not name the call:\n%s", env, job.output);
	}
	t_check(k < 64, "%s fails for every k", call);
	return k - 1;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int at_least; /* calls that init makes on 2 PEs */
	} calls[] = {
		{"hipGetDeviceCount", 1}, {"hipGetDevice", 1},          {"hipSetDevice", 1},
		{"hipHostMalloc", 3},     {"hipMalloc", 1},             {"hipExtMallocWithFlags", 1},
		{"hipMemsetAsync", 1},    {"hipMemGetAddressRange", 2}, {"hipIpcGetMemHandle", 2},
		{"hipDeviceGetUuid", 1},  {"hipIpcOpenMemHandle", 2},  {"hipStreamCreateWithPriority", 2},
		{"hipEventCreateWithFlags", 2}, {"hipDeviceGetPCIBusId", 1}, {"hipFuncGetAttributes", 1},
		{"hipDevicePrimaryCtxGetState", 1},
	};
	static const char *const where[] = {"@0", "@1", ""};
	unsigned i, w;
	int n;

	(void)argv;
	if (argc > 1)
		return pe_main();
	for (i = 0; i < sizeof calls / sizeof *calls; i++) {
		for (w = 0; w < 3; w++) {
			if (t_left_out((int)(i + w)))
				continue;
			n = each_call(calls[i].name, where[w]);
			t_check(n >= calls[i].at_least, "%s: init makes %d calls, expected %d", calls[i].name, n,
				calls[i].at_least);
		}
	}
	return 0;
}
