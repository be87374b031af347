/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no, its job has an environment of its own */
/* timeout: 180 */
/*
 * On each SIGUSR1 a PE reports who waits for what, in host calls and in kernels, and goes on. The program's
 * own handler stays, and the library says so once.
 */
#include <gshmem.h>
#include <hip/hip_runtime.h>
#include <signal.h>
#include <string.h>

#include "job.h"

enum { NPES = 3, ASKER = 2, NBLOCKS = 2, LIMIT_S = 60 };

struct objects {
	long word, kernels_word, pids[NPES];
};

__global__ static void wait_for(long *word)
{
	if (threadIdx.x == 0)
		gshmem_long_wait_until(word, GSHMEM_CMP_GE, 5);
}

static char text[1 << 16];

static void read_file(const char *path)
{
	FILE *file = fopen(path, "r");

	t_check(file, "%s cannot be read", path);
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
}

/*
 * Whether PE 0 has said the sum of its waits. A GPU that others use, or that is simulated, may answer one
 * signal in one work-group and the next in the other.
 */
static bool has_sum(void)
{
	return strstr(text, "gshmem: pe 0: SIGUSR1: waits of this PE: 3\n") ||
		(!GSHMEMI_ARCH_HOST_DIRECT && strstr(text, "gshmem: pe 0: SIGUSR1: waits of this PE: 2\n"));
}

/* Whether a line begins with start and contains both others. */
static bool has_line(const char *start, const char *first, const char *second)
{
	const char *at, *end;

	for (at = text; (at = strstr(at, start)); at = end) {
		end = at + strcspn(at, "\n");
		if (memmem(at, (size_t)(end - at), first, strlen(first)) &&
			memmem(at, (size_t)(end - at), second, strlen(second)))
			return true;
	}
	return false;
}

static bool has_all(void)
{
	return has_line("gshmem: pe 0: host: gshmem_long_wait_until: has waited ",
		       " s for a value == 7 at address 0x", "found 3 (SIGUSR1)") &&
		has_line("gshmem: pe 0: kernel, block 0, ", ": gshmem_long_wait_until: has waited ",
			"a value >= 5") &&
		has_line("gshmem: pe 0: kernel, block 1, ", ": gshmem_long_wait_until: has waited ",
			"found 0 (SIGUSR1)") &&
		has_line("gshmem: pe 1: host: gshmem_barrier_all: has waited ", "; PE 0 on ",
			" has not arrived (SIGUSR1)") &&
		has_sum() && strstr(text, "gshmem: pe 1: SIGUSR1: waits of this PE: 1\n");
}

/* Twice: a PE forgets what it reported the last time. */
static void ask(const struct objects *objects, const char *path)
{
	const double end = t_seconds() + 2 * LIMIT_S;

	for (int times = 0; times < 2; times++) {
		do {
			t_check(t_seconds() < end, "time %d: not all waits are said:\n%s", times, text);
			kill((pid_t)gshmem_long_g(&objects->pids[0], ASKER), SIGUSR1);
			kill((pid_t)gshmem_long_g(&objects->pids[1], ASKER), SIGUSR1);
			sleep(4);
			read_file(path);
		} while (!has_all());
		t_check(truncate(path, 0) == 0, "truncate");
	}
}

static int pe_main(const char *path)
{
	struct objects *objects;
	hipStream_t stream;
	long value = 3;
	int me;

	t_check(freopen(path, "a", stderr), "%s cannot be written", path);
	gshmem_init();
	me = gshmem_my_pe();
	objects = (struct objects *)gshmem_calloc(1, sizeof *objects);
	gshmem_long_p(&objects->pids[me], (long)getpid(), ASKER);
	gshmem_long_put(&objects->word, &value, 1, me);
	gshmem_barrier_all();
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	if (me == 0) {
		hipLaunchKernelGGL(wait_for, dim3(NBLOCKS), dim3(64), 0, stream, &objects->kernels_word);
		gshmem_long_wait_until(&objects->word, GSHMEM_CMP_EQ, 7);
		t_hip(hipStreamSynchronize(stream));
	} else if (me == ASKER) {
		ask(objects, path);
		gshmem_long_p(&objects->kernels_word, 5, 0);
		gshmem_long_p(&objects->word, 7, 0);
	}
	gshmem_barrier_all();
	t_hip(hipStreamDestroy(stream));
	gshmem_finalize();
	return 0;
}

static volatile sig_atomic_t nsignals;

static void count(int signum)
{
	(void)signum;
	nsignals++;
}

/* The program's handler, installed before init; MPI's handler calls it. */
static int handler_main(void)
{
	signal(SIGUSR1, count);
	gshmem_init();
	raise(SIGUSR1);
	t_equal(nsignals, 1, "signals that the program's handler got");
	gshmem_barrier_all();
	gshmem_finalize();
	raise(SIGUSR1);
	t_equal(nsignals, 2, "signals that the program's handler got after finalize");
	return 0;
}

int main(int argc, char **argv)
{
	static struct t_job job;
	char path[T_PATH_BYTES];

	if (argc > 1)
		return strcmp(argv[1], "handler") ? pe_main(argv[1]) : handler_main();
	t_temp_file(path);
	t_job_run(&job, NPES, "GSHMEM_WATCHDOG=0", "", path, 170);
	read_file(path);
	unlink(path);
	t_check(job.status == 0, "exit status %d:\n%s\n%s", job.status, job.output, text);
	t_job_run(&job, 2, "GSHMEM_STATS=1", "", "handler", 20);
	t_check(job.status == 0 && t_job_count(&job, "it keeps its handler") == 2 &&
			!t_job_count(&job, "waits of this PE"),
		"with a handler of the program's, exit status %d:\n%s", job.status, job.output);
	return 0;
}
