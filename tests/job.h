/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs that fail on purpose. A test runs itself under mpirun with an argument that names the case, and checks
 * what the job printed, how it ended, how long it took, and what it left behind.
 */
#ifndef T_JOB_H
#define T_JOB_H

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helpers.h"

struct t_job {
	int status; /* exit status of mpirun; 128 + signal */
	char output[1 << 16];
};

static inline double t_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline int t_count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* Open files and threads of this process, to check that none is left behind. */
static inline int t_count_fds(void)
{
	return t_count_entries("/proc/self/fd");
}

static inline int t_count_threads(void)
{
	return t_count_entries("/proc/self/task");
}

/* Other processes that run this program. */
static inline int t_count_running(void)
{
	char self[PATH_MAX] = "", exe[PATH_MAX], path[64];
	struct dirent *entry;
	int count = 0;
	ssize_t n;
	DIR *dir = opendir("/proc");

	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || !dir)
		t_fail("/proc is not there");
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || atoi(entry->d_name) == (int)getpid())
			continue;
		snprintf(path, sizeof path, "/proc/%.20s/exe", entry->d_name);
		n = readlink(path, exe, sizeof exe - 1);
		if (n > 0) {
			exe[n] = 0;
			count += strcmp(exe, self) == 0;
		}
	}
	closedir(dir);
	return count;
}

/* Read a file from its start to its end, or until text, of nbytes, is full. Returns how many bytes. */
static inline size_t t_read_all(FILE *file, char *text, size_t nbytes)
{
	size_t length = 0, got;

	while (length < nbytes && (got = fread(text + length, 1, nbytes - length, file)) > 0)
		length += got;
	return length;
}

static inline const char *t_job_launcher(void)
{
	const char *mpirun = getenv("MPIRUN");

	return mpirun ? mpirun : "mpirun";
}

/* Whether the launcher is Open MPI's, which may call itself OpenRTE; otherwise it is hydra. */
static inline int t_job_has_openmpi(void)
{
	static int answer = -1; /* not asked yet */
	char command[PATH_MAX], line[256];
	FILE *pipe;

	if (answer >= 0)
		return answer;
	snprintf(command, sizeof command, "%s --version 2>&1 </dev/null", t_job_launcher());
	pipe = popen(command, "r");
	t_check(pipe, "popen");
	if (!fgets(line, sizeof line, pipe))
		t_fail("%s: no output", command);
	pclose(pipe);
	answer = strstr(line, "Open MPI") || strstr(line, "OpenRTE");
	return answer;
}

/*
 * Flags for t_job_run: the launcher lets the other processes live when one fails or dies. Open MPI's then
 * returns 0 unless a process has called MPI_Abort, so t_job_run notes how the processes ended.
 */
static inline const char *t_job_keep(void)
{
	return t_job_has_openmpi() ? "--mca orte_abort_on_non_zero_status 0" : "-disable-auto-cleanup";
}

/*
 * For env in front of a process without a launcher that begins and ends while others do. Each then has a
 * folder of its own for Open MPI, which removes the common one when a process ends, also while another
 * process makes its own in it. $$ is the shell that popen starts.
 */
#define T_JOB_ALONE "OMPI_MCA_orte_tmpdir_base=${OMPI_MCA_orte_tmpdir_base:-/tmp}/$$"

/* The first number in a file; 0: there is no such file. */
static inline int t_job_noted(const char *path)
{
	FILE *file = fopen(path, "r");
	int status = 0;

	if (file && fscanf(file, "%d", &status) != 1)
		status = 0;
	if (file)
		fclose(file);
	return status;
}

/*
 * Run this program as a job: env is "A=1 B=2" or "", flags are for mpirun, args go to the program. The
 * job must end within limit_s seconds on an idle machine (a busy one gets three times that), and none of
 * its processes may survive it. The PEs print into a file, because hydra 4.0.2 may lose what a PE prints
 * last; the launcher's own lines come behind theirs.
 */
static inline void t_job_run(
	struct t_job *job, int npes, const char *env, const char *flags, const char *args, int limit_s)
{
	char self[PATH_MAX] = "", command[2 * PATH_MAX];
	const char *wrap = getenv("T_WRAP"); /* a command in front of each process */
	const size_t most = sizeof job->output - 1;
	char launcher[sizeof job->output], path[T_PATH_BYTES], noted[sizeof path + 8];
	FILE *pipe, *printed;
	size_t length, got;
	int status, tries;

	t_temp_file(path);
	printed = fopen(path, "r");
	snprintf(noted, sizeof noted, "%s.status", path);
	t_check(printed, "%s cannot be read", path);
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		t_fail("/proc is not there");
	limit_s *= 3;
	if (!*flags && t_job_has_openmpi()) /* hydra lets them live if one only fails */
		flags = t_job_keep();
	snprintf(command, sizeof command,
		"env %s timeout -k 10 %d %s %s -n %d "
		"sh -c '%s \"$@\" >>%s 2>&1 || { s=$?; echo $s >>%s; exit $s; }' sh %s %s %s 2>&1 </dev/null",
		env, limit_s, t_job_launcher(), flags, npes, strstr(flags, "orte") ? "" : "exec", path, noted,
		wrap ? wrap : "", self, args);
	pipe = popen(command, "r");
	t_check(pipe, "popen");
	got = t_read_all(pipe, launcher, most);
	status = pclose(pipe);
	length = t_read_all(printed, job->output, most);
	fclose(printed);
	unlink(path);
	got = got < most - length ? got : most - length;
	memcpy(job->output + length, launcher, got);
	job->output[length + got] = 0;
	job->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (job->status == 0)
		job->status = t_job_noted(noted);
	unlink(noted);
	t_check(job->status != 124, "%s %s: hangs, ended after %d s:\n%s", env, args, limit_s, job->output);
	/* 30 s: a loaded machine ends them late */
	for (tries = 0; tries < 1500 && t_count_running(); tries++)
		usleep(20000);
	t_check(!t_count_running(), "%s %s: processes are left behind:\n%s", env, args, job->output);
}

/*
 * Run this PE in a child and return its exit status. A launcher that sees a PE die kills the others, whatever
 * its options. It sees this process instead, which outlives a dying PE until the other PEs have ended.
 */
static inline int t_job_shield(
	int (*pe_main)(const char *what, const char *how), const char *what, const char *how, int dies)
{
	int status, tries;
	pid_t pid = fork();

	if (pid == 0) {
		status = pe_main(what, how);
		fflush(NULL);
		_exit(status);
	}
	signal(SIGUSR1, SIG_IGN); /* the launcher's notice of a death */
	waitpid(pid, &status, 0);
	if (!dies) {
		status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		printf("PE %d ended with %d\n", t_launched_rank(), status); /* hydra 4.0.2 may lose it */
		return status;
	}
	for (tries = 0; tries < 200 && t_count_running() > 1; tries++) /* 1: the test itself */
		usleep(50000);
	if (t_count_running() > 1)
		printf("the other PEs hang\n");
	return 1;
}

/* The job has ended with status 0. what: the job, for the message. */
static inline void t_job_ended(const struct t_job *job, const char *what)
{
	t_check(job->status == 0, "%s: the job ends with status %d:\n%s", what, job->status, job->output);
}

/* How often text occurs in the job's output. */
static inline int t_job_count(const struct t_job *job, const char *text)
{
	const char *at = job->output;
	int count = 0;

	for (; (at = strstr(at, text)); at += strlen(text))
		count++;
	return count;
}

/* The job must have printed this text. */
static inline void t_job_said(const struct t_job *job, const char *text)
{
	t_check(strstr(job->output, text), "expected \"%s\" in:\n%s", text, job->output);
}

/*
 * Run gshmem-info, which must succeed. before goes in front of it, such as variables and a launcher; after
 * has its arguments. The test skips if gshmem-info is not built.
 */
static inline void t_job_info(struct t_job *job, const char *before, const char *after)
{
	char self[PATH_MAX] = "", tool[PATH_MAX], command[3 * PATH_MAX];
	FILE *pipe;
	size_t n;

	t_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc is not there");
	*strrchr(self, '/') = 0;
	snprintf(tool, sizeof tool, "%.4000s/../bin/gshmem-info", self);
	if (access(tool, X_OK))
		t_skip("%s is not built", tool);
	snprintf(command, sizeof command, "%s %s %s 2>&1", before, tool, after);
	pipe = popen(command, "r");
	t_check(pipe, "popen");
	n = fread(job->output, 1, sizeof job->output - 1, pipe);
	job->output[n] = 0;
	job->status = pclose(pipe);
	t_check(job->status == 0, "%s fails:\n%s", command, job->output);
}

/* The job must have failed and printed this text exactly count times; 0: at least once. */
static inline void t_job_failed(const struct t_job *job, const char *what, const char *text, int count)
{
	int found = t_job_count(job, text);

	t_check(job->status, "%s: the job should fail:\n%s", what, job->output);
	t_check(count ? found == count : found > 0, "%s: \"%s\" %d times, expected %d (0: some):\n%s", what,
		text, found, count, job->output);
}

#endif /* T_JOB_H */
