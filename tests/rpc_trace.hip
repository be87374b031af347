/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,3 */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_RPC_THREADS=3 GSHMEM_CPU_WAVE=32 */
/*
 * With GSHMEM_TRACE every mark of kernels and the host is once in this PE's file after gshmem_finalize, with
 * its name, value, block and thread; without it a mark does nothing.
 */
#include <string.h>
#include <unistd.h>

#include <gshmem.h>

#include "helpers.h"

#define NBLOCKS  4
#define NTHREADS 96
#define NTIMES   5

enum { STEP = 3, NAMELESS = 70000, HOST = 9, WHOLE = 10 };

/* Each thread has its own values. Two thirds of the lanes make a mark without a name, and one mark less. */
__global__ static void mark(uint64_t first)
{
	const uint64_t mine = first + (blockIdx.x * NTHREADS + threadIdx.x) * NTIMES;
	uint64_t k;

	for (k = 0; k < NTIMES; k++)
		gshmemx_trace(STEP, mine + k);
	if (threadIdx.x % 3)
		gshmemx_trace(NAMELESS, mine);
}

static const char *path_of(const char *prefix, int pe)
{
	static char path[T_PATH_BYTES + 16];

	snprintf(path, sizeof path, "%s.%d", prefix, pe);
	return path;
}

#define NVALUES (NBLOCKS * NTHREADS * NTIMES)

/* Whether the mark of this name and value comes from the right place of its kernel. Counts values. */
static void check_line(const char *line, int pe, unsigned char *seen, unsigned *nnameless, unsigned *nhost)
{
	unsigned long long ns, block, value;
	char name[64];
	long thread;
	int line_pe;

	t_check(sscanf(line, "%llu\t%d\t%llu\t%ld\t%63[^\t]\t%llu", &ns, &line_pe, &block, &thread, name,
			&value) == 6 &&
			ns,
		"no mark: %s", line);
	t_equal(line_pe, pe, "pe");
	if (strcmp(name, "on the host") == 0 || strcmp(name, "the whole") == 0) {
		++*nhost;
		t_equal(thread, -1, "thread of a mark of the host");
		return;
	}
	t_check(value >= 1000 && value - 1000 < NVALUES, "value %llu", value);
	t_equal((long)block, (long)((value - 1000) / NTIMES / NTHREADS), "block");
#ifdef __HIP_PLATFORM_CPU__ /* otherwise it is the lane of a wave */
	t_equal(thread, (long)((value - 1000) / NTIMES % NTHREADS), "thread");
#endif
	if (strcmp(name, "70000") == 0)
		++*nnameless;
	else if (strcmp(name, "a step") == 0)
		t_check(!seen[value - 1000]++, "value %llu twice", value);
	else
		t_fail("a mark of name %s", name);
}

static void check_file(const char *path, int pe)
{
	static unsigned char seen[NVALUES];
	unsigned nlines = 0, nnameless = 0, nhost = 0;
	FILE *file = fopen(path, "r");
	char line[256];

	t_check(file && fgets(line, sizeof line, file), "%s is not there", path);
	t_check(strncmp(line, "# clock_ns\tpe\tblock\t", 20) == 0, "head of the file: %s", line);
	for (; fgets(line, sizeof line, file); nlines++)
		check_line(line, pe, seen, &nnameless, &nhost);
	fclose(file);
	unlink(path);
	t_equal(nnameless, NBLOCKS * NTHREADS * 2 / 3, "marks without a name");
	t_equal(nhost, 11, "marks of the host");
	t_equal(nlines, NVALUES + NBLOCKS * NTHREADS * 2 / 3 + 11, "marks");
}

int main(void)
{
	char prefix[T_PATH_BYTES];
	int pe, i;

	t_temp_file(prefix); /* each PE its own */
	unsetenv("GSHMEM_TRACE");
	gshmem_init();
	pe = gshmem_my_pe();
	gshmemx_trace(STEP, 1);
	hipLaunchKernelGGL(mark, dim3(1), dim3(1), 0, 0, 1000);
	t_hip(hipDeviceSynchronize());
	gshmem_finalize();
	t_check(access(path_of(prefix, pe), F_OK), "a trace that nobody asked for");

	setenv("GSHMEM_TRACE", prefix, 1);
	gshmem_init();
	t_equal(gshmemx_trace_name(STEP, "first name"), 0, "trace_name");
	t_equal(gshmemx_trace_name(STEP, "a step"), 0, "trace_name");
	t_equal(gshmemx_trace_name(HOST, "on the host"), 0, "trace_name");
	t_equal(gshmemx_trace_name(WHOLE, "the whole"), 0, "trace_name");
	gshmemx_trace(WHOLE, 0);
	hipLaunchKernelGGL(mark, dim3(NBLOCKS), dim3(NTHREADS), 0, 0, 1000);
	for (i = 0; i < 10; i++)
		gshmemx_trace(HOST, (uint64_t)i);
	gshmem_finalize(); /* waits for the kernel */
	check_file(path_of(prefix, pe), pe);
	unlink(prefix);
	return 0;
}
