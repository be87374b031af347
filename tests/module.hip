/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* races: no, there are modules without the slow path */
/*
 * gshmemx_module_init lets a module's kernels reach peers, also after a second init, and
 * refuses modules that do not fit.
 */
/* delivery: no, one of the modules cannot have it */
/* timeout: 120 */
#include <gshmem.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

enum { NTHREADS = 64 };

/* modules/NAME.module, beside this program. */
static hipModule_t load(const char *name)
{
	char path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	hipModule_t module;
	char *slash;

	t_check(n > 0, "/proc/self/exe");
	path[n] = 0;
	slash = strrchr(path, '/');
	snprintf(slash, 48, "/modules/%s.module", name);
	t_hip(hipModuleLoad(&module, path));
	return module;
}

static void pass(hipModule_t module)
{
	long *words = (long *)gshmem_calloc(NTHREADS, sizeof *words);
	int *npes = (int *)gshmem_calloc(1, sizeof *npes);
	void *args[] = {&words, &npes};
	hipFunction_t kernel;

	t_hip(hipModuleGetFunction(&kernel, module, "ring_pass"));
	t_hip(hipModuleLaunchKernel(kernel, 1, 1, 1, NTHREADS, 1, 1, 0, NULL, args, NULL));
	t_hip(hipDeviceSynchronize());
	t_equal(gshmem_int_g(npes, gshmem_my_pe()), gshmem_n_pes(), "npes in the module");
	gshmem_barrier_all();
	gshmem_free(npes);
	gshmem_free(words);
}

/* Whether the module's copy of the state is filled. */
static int is_filled(hipModule_t module)
{
	hipDeviceptr_t state;
	size_t nbytes;
	int my_pe;

	t_hip(hipModuleGetGlobal(&state, &nbytes, module, "gshmemi_state"));
	t_hip(hipMemcpy(&my_pe, (void *)state, sizeof my_pe, hipMemcpyDefault));
	return my_pe >= 0;
}

/* Loads the module, and returns what gshmemx_module_init returns. */
static int pe_main(const char *name)
{
	hipModule_t module;
	int rc, round;

	gshmem_init();
	module = load(name);
	rc = gshmemx_module_init(module);
	printf("rc %d\n", rc);
	fflush(stdout);
	for (round = 0; !rc && strcmp(name, "ring") == 0 && round < 2; round++) {
		t_check(is_filled(module), "not filled, round %d", round);
		pass(module);
		t_equal(gshmemx_module_init(module), 0, "once more");
		pass(module);
		gshmem_finalize();
		t_check(!is_filled(module), "still filled after finalize, round %d", round);
		gshmem_init();
		t_check(!is_filled(module), "filled without being asked for, round %d", round);
		rc = gshmemx_module_init(module);
		t_equal(rc, 0, "after another init");
	}
	gshmem_finalize();
	t_hip(hipModuleUnload(module));
	return 0;
}

static void expect(const char *name, const char *env, const char *rc, const char *text)
{
	static struct t_job job;

	t_job_run(&job, 2, env, "", name, 30);
	t_check(job.status == 0 && t_job_count(&job, rc) == 2, "%s: expected %s from both:\n%s", name, rc,
		job.output);
	t_check(t_job_count(&job, "gshmemx_module_init: ") == (*text ? 2 : 0) && strstr(job.output, text),
		"%s: expected \"%s\":\n%s", name, text, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1]);
	expect("ring", "", "rc 0\n", "");
	expect("ring", "GSHMEM_CHECK=1", "rc 0\n", "");
	expect("direct_only", "", "rc 0\n", "");
	expect("direct_only", "GSHMEM_CHECK=1", "rc -22\n",
		"GSHMEM_DIRECT_ONLY, which cannot work with GSHMEM_CHECK");
	expect("other_max_pes", "", "rc -22\n", "the same headers and GSHMEM_MAX_PES");
	expect("other_abi", "", "rc -22\n", "with headers of ABI 77, the library is ABI ");
	expect("plain", "", "rc -5\n", "no device state");
	return 0;
}
