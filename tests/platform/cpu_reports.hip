/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * Errors that would hang or corrupt silently end the program with a message that names the lane and the line.
 */
/* env: GSHMEM_CPU_WAVE=64 GSHMEM_CPU_STUCK=1 | GSHMEM_CPU_WAVE=32 GSHMEM_CPU_STUCK=1 */
#include <gshmem/arch/arch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../helpers.h"

enum { LINE_OF_MASKED = __LINE__ + 5 }; /* of its vote */

__global__ void masked(int *)
{
	if (threadIdx.x < 3)
		__ballot_sync(0x1f, 1);
	else
		__syncthreads();
}

__device__ __attribute__((noinline)) int deep(int n, volatile char *up)
{
	volatile char frame[512];

	frame[0] = up ? up[0] + 1 : 0;
	return n ? deep(n - 1, frame) + frame[0] : frame[0];
}

__global__ void overflow(int *out)
{
	if (threadIdx.x == 5)
		out[0] = deep(100000, NULL);
	__syncthreads();
}

__global__ void trap(int *)
{
	if (threadIdx.x == 6)
		__trap();
}

__global__ void null(int *out)
{
	if (threadIdx.x == 7)
		*(volatile int *)out = 1;
}

__global__ void foreign_mask(int *)
{
	__ballot_sync(2, 1);
}

/* With GSHMEM_CPU_WHOLE_WAVES. Lanes that have ended do not count. */
__global__ void part_of_wave(int *)
{
	if (threadIdx.x >= 4)
		(void)gshmemi_arch_wave_enter(0);
	__syncthreads();
}

__global__ void rest_of_wave(int *)
{
	if (threadIdx.x < 4)
		return;
	(void)gshmemi_arch_wave_enter(0);
	if (threadIdx.x < 8)
		(void)gshmemi_arch_wave_peers(0); /* which calls of single lanes make */
}

/* Returns whether this thread has had a core for so long. */
static bool has_run(double seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec > seconds;
}

#if GSHMEMI_ARCH_HAS_ELECT
/* A lane that stands still for 1.5 s is named, with the place of those that wait for it. */
__global__ void slow(int *)
{
	uint64_t elected = gshmemi_arch_group_elect(GSHMEMI_WG, 0);

	while (elected && !has_run(1.5))
		;
	if (elected)
		gshmemi_arch_group_release(GSHMEMI_WG, elected);
}
#endif

/* One that polls is named, too. */
__global__ void waits(int *)
{
	long long begin = wall_clock64();
	unsigned polls = 0;

	while (wall_clock64() - begin < 3000000000ll)
		hipcpu_pause(&polls);
}

/* One that copies is not, however long that takes, nor is one whose thread has no core. */
static const size_t nbytes = HIPCPU_LONG_COPY + 1;
static char *pair; /* 2 * nbytes */

__global__ void copies(int *)
{
	while (!threadIdx.x && !has_run(1.5))
#if GSHMEMI_ARCH_HAS_COPY
		gshmemi_arch_copy(pair + nbytes, pair, nbytes);
#else /* the library does not use the platform's */
		hipcpu_copy_long(pair + nbytes, pair, nbytes);
#endif
}

/* Makes all pages of pair, and of a sanitizer's shadow of it, which may take as long as the limit. */
static void make_pair()
{
	pair = (char *)malloc(2 * nbytes);
	t_check(pair, "no memory");
	memset(pair, 1, nbytes);
	memcpy(pair + nbytes, pair, nbytes);
}

__global__ void sleeps(int *)
{
	if (!threadIdx.x)
		usleep(1500000);
}

static void run(void (*kernel)(int *), bool dies, const char *const *words)
{
	char text[8192];
	size_t used = 0;
	int out[2], status;
	ssize_t n;
	pid_t pid;

	t_check(!pipe(out), "pipe");
	pid = fork(); /* the parent makes no call of HIP */
	if (!pid) {
		const struct rlimit no_core = {0, 0};
		int *p;

		setrlimit(RLIMIT_CORE, &no_core);
		dup2(out[1], 2);
		close(out[1]);
		alarm(30);
		t_hip(hipMalloc(&p, 4096));
		if (kernel == null)
			p = (int *)8;
		if (kernel == copies)
			make_pair();
		hipLaunchKernelGGL(kernel, 1, 16, 0, 0, p);
		t_hip(hipDeviceSynchronize());
		_exit(0);
	}
	close(out[1]);
	while ((n = read(out[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = 0;
	close(out[0]);
	waitpid(pid, &status, 0);
	t_check(!(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM), "hung; said: %s", text);
	t_check((status != 0) == dies, "status 0x%x; said: %s", status, text);
	t_check(*words || !*text, "said: %s", text);
	for (; *words; words++)
		t_check(strstr(text, *words), "no \"%s\" in: %s", *words, text);
}

int main()
{
	char line[32];

	snprintf(line, sizeof(line), "cpu_reports.hip:%d", LINE_OF_MASKED);
	const char *deadlock[] = {
		"deadlock", "lanes 0-2: ballot", line, "mask 0x1f", "lanes 3-15: __syncthreads", NULL};
	const char *stack[] = {"lane 5", "stack overflow", "GSHMEM_CPU_STACK", NULL};
	const char *trapped[] = {"lane 6", "__trap", NULL};
	const char *fault[] = {"lane 7", "illegal access", "0x8", NULL};
	const char *foreign[] = {"without the calling lane", NULL};
	const char *part[] = {"a _wave call", "only part of the wave", NULL};
	const char *polling[] = {"nothing has moved for 1 s", NULL}, *nothing[] = {NULL};

	run(masked, true, deadlock);
	run(overflow, true, stack);
	run(trap, true, trapped);
	run(null, true, fault);
	run(foreign_mask, true, foreign);
	run(part_of_wave, false, nothing);
	setenv("GSHMEM_CPU_WHOLE_WAVES", "1", 1);
	run(part_of_wave, true, part);
	run(rest_of_wave, false, nothing);
	unsetenv("GSHMEM_CPU_WHOLE_WAVES");
#if GSHMEMI_ARCH_HAS_ELECT
	const char *stuck[] = {"nothing has moved for 1 s", "arch/cpu.h:", NULL};

	run(slow, false, stuck);
#endif
	run(waits, false, polling);
	run(copies, false, nothing);
	run(sleeps, false, nothing);
	return 0;
}
