/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* carry: no */
/* net: no */
/* nodes: no */
/* timeout: 240 */
/*
 * A limit of the process that stops init is named in one message, with what to do: threads (ulimit -u),
 * address space (ulimit -v), the size of a file (ulimit -f). A PE alone needs no /proc. Most cases are jobs
 * of one PE in a child, started by a unique id, because MPI fails for the same reasons in words of its own.
 */
#include <gshmem.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "job.h"

#define MIB        ((size_t)1 << 20)
#define HEAP_BYTES (64 * MIB)
#define OTHER_UID  54321 /* nobody's, so that no other process counts */

#ifdef __SANITIZE_ADDRESS__ /* which reserves terabytes */
#define CAN_LIMIT_SPACE 0
#else
#define CAN_LIMIT_SPACE 1
#endif
#ifdef GSHMEMI_HOST_COPIES /* a build in which every PE must be mapped */
#define MAY_UNMAP 0
#else
#define MAY_UNMAP 1
#endif

static size_t heap_nbytes = HEAP_BYTES;
static char output[1 << 14]; /* of the last child */

static void limit(int resource, size_t most)
{
	const struct rlimit both = {most, most};

	t_equal(setrlimit(resource, &both), 0, "setrlimit");
}

/* A process of root's may have any number of threads. */
static void limit_threads(size_t nthreads)
{
	t_check(setgid(OTHER_UID) == 0 && setuid(OTHER_UID) == 0, "setuid");
	prctl(PR_SET_DUMPABLE, 1);
	limit(RLIMIT_NPROC, nthreads);
}

static size_t mapped_nbytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t npages = 0;

	t_check(file && fscanf(file, "%zu", &npages) == 1, "/proc/self/statm");
	fclose(file);
	return npages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limit_space(size_t more)
{
	limit(RLIMIT_AS, mapped_nbytes() + more);
}

static void limit_file(size_t nbytes)
{
	limit(RLIMIT_FSIZE, nbytes);
}

static void hide_proc(size_t unused)
{
	(void)unused;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("none", "/proc", "tmpfs", 0, NULL))
		_exit(77); /* only root may */
}

/* Returns what the program would exit with. */
static int use(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	gshmemx_uniqueid_t id;
	long *word, got;

	attr.heap_nbytes = heap_nbytes;
	if (gshmemx_get_uniqueid(&id) || gshmemx_set_attr_uniqueid_args(0, 1, &id, &attr) ||
		gshmemx_init_attr(&attr))
		return 1;
	word = gshmem_calloc(1, sizeof *word);
	t_check(word, "gshmem_calloc");
	gshmem_long_p(word, 7, 0);
	gshmem_long_get(&got, word, 1, 0);
	t_equal(got, 7, "a put");
	gshmem_finalize();
	return 0;
}

/* Runs a PE in a child with a limit. Returns its exit status, and reads what it printed. */
static int run(void (*restrict_to)(size_t), size_t most)
{
	size_t length = 0;
	int ends[2], status;
	ssize_t got;
	pid_t pid;

	t_equal(pipe(ends), 0, "pipe");
	pid = fork();
	t_check(pid >= 0, "fork");
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		alarm(60);
		restrict_to(most);
		_exit(use());
	}
	close(ends[1]);
	while ((got = read(ends[0], output + length, sizeof output - 1 - length)) > 0)
		length += (size_t)got;
	output[length] = 0;
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The child must have failed with one message of gshmem's, which has both texts. */
static void expect_message(
	const char *what, size_t most, int status, const char *limit_text, const char *remedy)
{
	const char *first = strstr(output, "gshmem: ");

	t_equal(status, 1, what);
	t_check(first && !strstr(first + 1, "gshmem: "), "%s %zu: not one message:\n%s", what, most, output);
	t_check(strstr(output, limit_text) && strstr(output, remedy), "%s %zu: no \"%s\" or \"%s\" in:\n%s",
		what, most, limit_text, remedy, output);
}

/* One thread more each time, until all that init starts fit. */
static void too_few_threads(void)
{
	size_t n = 1;
	int status;

	while ((status = run(limit_threads, n))) {
		expect_message("ulimit -u", n, status,
			"cannot start another thread: its user has a limit of ", "(ulimit -u)");
		t_check(++n < 100, "init needs more than 100 threads");
	}
	t_check(n > 2, "init starts no threads");
}

static void too_little_space(void)
{
	static const size_t more[] = {8, 40, 70, 90, 110, 130, 150, 170, 190};
	const unsigned nlimits = sizeof more / sizeof *more;
	unsigned i;
	int status;

	for (i = 0; i < nlimits; i++) {
		status = run(limit_space, more[i] * MIB);
		if (!status)
			break;
		expect_message("ulimit -v", more[i], status, "bytes at most (ulimit -v)",
			"raise the limit (ulimit -v unlimited), or lower GSHMEM_HEAP_SIZE");
	}
	t_check(i >= 2 && i < nlimits, "init fails at %u of %u limits on its addresses", i, nlimits);
}

static void too_small_files(void)
{
	expect_message("ulimit -f", MIB, run(limit_file, MIB),
		"heap: ", "raise the limit (ulimit -f unlimited), or lower GSHMEM_HEAP_SIZE");
	expect_message("ulimit -f", HEAP_BYTES - 1, run(limit_file, HEAP_BYTES - 1),
		"a file of this process may have 67108863 bytes at most (ulimit -f)", "heap: ");
	t_equal(run(limit_file, HEAP_BYTES), 0, "a limit of files that the heap keeps");
}

/* The heap and the sync region take a little more than 1 GiB, which few machines lack. */
static void no_proc(void)
{
	int status;

	heap_nbytes = 1024 * MIB;
	status = run(hide_proc, 0);
	t_check(status == 0 || status == 77, "without /proc: status %d:\n%s", status, output);
}

/* A PE with room for its own heap, but not for another one. */
static int pe_main(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int level;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	attr.heap_nbytes = 400 * MIB;
	limit_space(600 * MIB);
	t_equal(gshmemx_init_attr(&attr), 0, "init");
	gshmem_finalize();
	MPI_Finalize();
	return 0;
}

static void no_space_for_peers(void)
{
	static struct t_job job;

	t_job_run(&job, 2, "", "", "pe", 20);
	t_job_ended(&job, "a job that is in order");
	t_equal(t_job_count(
			&job, ": this process may map no more (ulimit -v), in 5 attempts: operations of PE "),
		2, job.output);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return pe_main();
	if (geteuid() == 0)
		too_few_threads();
	if (CAN_LIMIT_SPACE)
		too_little_space();
	if (CAN_LIMIT_SPACE && MAY_UNMAP)
		no_space_for_peers();
	too_small_files();
	no_proc();
	return 0;
}
