/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/*
 * Without a usable device all PEs get the same error, and one message has the step, the error and what to do.
 * Otherwise init chooses the right device.
 */
/* timeout: 120 */
#include <gshmem.h>
#include <hip/hip_runtime_api.h>

#include "job.h"

/* In place of HIP's: the runtime's version is T_RUNTIME, if that is set. */
hipError_t hipRuntimeGetVersion(int *version)
{
	const char *word = getenv("T_RUNTIME");

	*version = word ? atoi(word) : HIP_VERSION;
	return hipSuccess;
}

/* Prints "rc N", or "device N" with the chosen device. choice: what the program does before init. */
static int pe_main(const char *choice)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	void *memory = NULL;
	int rc, device;

	if (strcmp(choice, "ask") == 0)
		t_hip(hipGetDevice(&device));
	if (strcmp(choice, "use") == 0)
		t_hip(hipMalloc(&memory, 1));
	if (strcmp(choice, "set") == 0)
		t_hip(hipSetDevice(2));
	rc = gshmemx_init_attr(&attr);
	if (rc) {
		printf("rc %d\n", rc);
		return 1;
	}
	t_hip(hipGetDevice(&device));
	printf("PE %d: device %d\n", gshmem_my_pe(), device);
	fflush(stdout);
	gshmem_finalize();
	return 0;
}

static void expect_error(const char *env, const char *rc, const char *error, const char *remedy)
{
	static struct t_job job;

	t_job_run(&job, 2, env, "", "init", 20);
	t_job_failed(&job, env, "gshmem: pe ", 1);
	t_job_failed(&job, env, error, 1);
	t_job_failed(&job, env, remedy, 1);
	t_job_failed(&job, env, rc, 2);
}

static void expect_devices(const char *choice, int of_0, int of_1)
{
	static struct t_job job;
	char text[64];

	t_job_run(&job, 2, "GSHMEM_CPU_DEVICES=4", "", choice, 20);
	t_job_ended(&job, choice);
	snprintf(text, sizeof text, "PE 0: device %d\n", of_0);
	t_equal(t_job_count(&job, text), 1, choice);
	snprintf(text, sizeof text, "PE 1: device %d\n", of_1);
	t_equal(t_job_count(&job, text), 1, choice);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1]);
	expect_error("GSHMEM_CPU_FAIL=hipGetDeviceCount:1:hipErrorNoDevice", "rc -19\n",
		"(hipErrorNoDevice): ", "is the driver loaded");
	expect_error("GSHMEM_CPU_FAIL=hipGetDeviceCount:1:hipErrorInsufficientDriver@1", "rc -19\n",
		"(hipErrorInsufficientDriver): ", "older than the runtime");
	expect_error("GSHMEM_CPU_FAIL=hipFuncGetAttributes:1:hipErrorNoBinaryForGpu", "rc -5\n",
		"hipFuncGetAttributes: libgshmem was built for cpu, device 0 is ", "GPU_ARCHS=");
	expect_error("T_RUNTIME=50199999", "rc -95\n", "the GPU's runtime has version 5.1; gshmem needs 5.2",
		"or newer");
	expect_error("GSHMEM_CPU_FAIL=hipIpcGetMemHandle:1:hipErrorNotSupported@0", "rc -95\n",
		"pe 0: init: hipIpcGetMemHandle of the heap: ", "can processes share memory");
	expect_devices("init", 0, 1);
	expect_devices("ask", 0, 1);
	expect_devices("use", 0, 0);
	expect_devices("set", 2, 2);
	return 0;
}
