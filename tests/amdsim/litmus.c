/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * litmus CODE_OBJECT LAUNCHES KERNEL...: run kernels of litmus.hip on each kind of memory that their scope
 * may use, and print how often each saw a forbidden outcome: "KERNEL MEMORY FORBIDDEN". Exit status 1 if any
 * did, 2 if something else went wrong.
 */
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 128, INTS = 2 * 64 * INSTANCES + 4096, OUT = 4 * INSTANCES * 4 };
enum memory { COARSE, FINE, HOST, REMOTE, NMEMORIES };

static const char *const memory_names[] = {"coarse", "fine", "host", "remote"};

static void check(hipError_t e, const char *what)
{
	if (e == hipSuccess)
		return;
	fprintf(stderr, "litmus: %s: %s\n", what, hipGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

static int *allocate(enum memory memory, size_t nbytes)
{
	void *p = NULL;

	CHECK(hipSetDevice(memory == REMOTE));
	if (memory == FINE)
		CHECK(hipExtMallocWithFlags(&p, nbytes, hipDeviceMallocFinegrained));
	else if (memory == HOST)
		CHECK(hipHostMalloc(&p, nbytes, 0));
	else
		CHECK(hipMalloc(&p, nbytes));
	return p;
}

/* The values of all roles' a and b that are forbidden together. */
static int is_forbidden(const char *test, int (*r)[INSTANCES][4], int i)
{
	if (!strncmp(test, "sb", 2))
		return r[0][i][0] == 0 && r[1][i][0] == 0;
	if (!strncmp(test, "iriw", 4))
		return r[2][i][0] == 1 && r[2][i][1] == 0 && r[3][i][0] == 1 && r[3][i][1] == 0;
	return r[1][i][0] == 1 && r[1][i][1] == 0;
}

static int run(const char *test, hipFunction_t kernels[2], enum memory memory, int nlaunches)
{
	int *v = allocate(memory, INTS * sizeof(int)), *counts = allocate(HOST, INSTANCES * sizeof(int));
	int *out = allocate(HOST, OUT * sizeof(int)), group = strstr(test, "_group") != NULL, nforbidden = 0;
	int ndevices = strstr(test, "_system") ? 2 : 1, nroles = strncmp(test, "iriw", 4) ? 2 : 4, lanes;
	hipStream_t streams[2];

	CHECK(hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0));
	for (int d = 0; d < ndevices; d++) {
		CHECK(hipSetDevice(d));
		CHECK(hipStreamCreateWithFlags(&streams[d], hipStreamNonBlocking));
	}
	for (int k = 0; k < nlaunches; k++) {
		CHECK(hipMemset(v, 0, INTS * sizeof(int)));
		CHECK(hipDeviceSynchronize());
		memset(counts, 0, INSTANCES * sizeof(int));
		for (int d = 0; d < ndevices; d++) {
			void *args[] = {&v, &counts, &out, &d, &ndevices, &nroles};

			CHECK(hipSetDevice(d));
			CHECK(hipModuleLaunchKernel(kernels[d], group ? 1 : (unsigned)(nroles / ndevices), 1,
				1, group ? (unsigned)(nroles * lanes) : 1, 1, 1, 0, streams[d], args, NULL));
		}
		for (int d = 0; d < ndevices; d++)
			CHECK(hipStreamSynchronize(streams[d]));
		for (int i = 0; i < INSTANCES; i++)
			nforbidden += is_forbidden(test, (int(*)[INSTANCES][4])out, i);
	}
	printf("%s %s %d\n", test, memory_names[memory], nforbidden);
	CHECK(memory == HOST ? hipHostFree(v) : hipFree(v));
	CHECK(hipHostFree(counts));
	CHECK(hipHostFree(out));
	return nforbidden != 0;
}

/*
 * Memory is device 0's; in REMOTE it is device 1's, where role 1 of system's tests runs. On gfx90a only
 * fine-grained and host memory is coherent between devices while kernels run (AMDGPUUsage, "Memory
 * Model GFX90A": MTYPE RW, NC).
 */
static int is_tested(const char *test, enum memory memory, int is_gfx90a)
{
	if (!strstr(test, "_system"))
		return memory == COARSE;
	return !is_gfx90a || memory == FINE || memory == HOST || !strncmp(test, "mp_system", 9);
}

int main(int argc, char **argv)
{
	const char *gpu = getenv("AMDSIM_GPU");
	hipModule_t modules[2];
	int status = 0;

	if (argc < 4)
		return 2;
	for (int d = 0; d < 2; d++) {
		CHECK(hipSetDevice(d));
		CHECK(hipModuleLoad(&modules[d], argv[1]));
		CHECK(hipDeviceEnablePeerAccess(1 - d, 0));
	}
	for (int k = 3; k < argc; k++) {
		hipFunction_t kernels[2];

		for (int d = 0; d < 2; d++)
			CHECK(hipModuleGetFunction(&kernels[d], modules[d], argv[k]));
		for (int m = COARSE; m < NMEMORIES; m++)
			if (is_tested(argv[k], m, gpu && !strcmp(gpu, "gfx90a")))
				status |= run(argv[k], kernels, m, atoi(argv[2]));
	}
	return status;
}
