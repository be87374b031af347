/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* net: no */
/* delivery: no, its jobs have environments of their own */
/* platform: cpu */
/* timeout: 240 */
/*
 * GSHMEM_TRACE writes one JSON file with the calls, waits and marks of all PEs, of host threads and kernels;
 * its bytes per pair agree with GSHMEM_STATS. An overflowing ring reports how many events it lost. A job that
 * ends abnormally leaves one file per PE, in which the current wait is open. Pretended nodes share a clock,
 * and their measured offset is 0 within the reported error. A file that cannot be written is an error, and
 * leaves no part of itself.
 */
#include <gshmem.h>
#include <hip/hip_runtime.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "job.h"

enum { NPES = 2, NLANES = 64, NELEMS = 1000, NPUTS = 100, NTURNS = 10000 };

struct objects {
	long dest[NELEMS], source[NELEMS], words[NLANES], flag;
	uint64_t signal;
};

__global__ static void ask(struct objects *o, int pe, uint32_t pend_op)
{
	const uint64_t in[6] = {0};
	uint64_t out;

	gshmem_long_p(&o->words[threadIdx.x], 1, pe);
	gshmemx_long_put_signal_wg(o->dest, o->source, NELEMS, &o->signal, 1, GSHMEM_SIGNAL_SET, pe);
	if (threadIdx.x == 0)
		gshmem_signal_wait_until(&o->signal, GSHMEM_CMP_EQ, 1);
	gshmemx_trace(7, 42);
	if (threadIdx.x == 0)
		gshmemx_rpc_call(pend_op, in, &out);
	gshmemx_barrier_all_wg();
}

/* Pends more often than a ring has events. */
static int pend(void *nturns, gshmemx_rpc_call_t *call)
{
	(void)call;
	return ++*(int *)nturns < NTURNS ? GSHMEMX_RPC_PENDING : GSHMEMX_RPC_DONE;
}

static int pe_main(const char *what)
{
	const struct rlimit limit = {1000, 1000};
	uint32_t pend_op;
	struct objects *o;
	int me, next, nturns = 0;

	if (!strcmp(what, "unequal") && t_launched_rank() == 1)
		unsetenv("GSHMEM_TRACE");
	if (gshmem_init_thread(GSHMEM_THREAD_SINGLE, NULL))
		return 1;
	me = gshmem_my_pe();
	next = (me + 1) % NPES;
	o = (struct objects *)gshmem_calloc(1, sizeof *o);
	gshmemx_race_ok(o, sizeof *o); /* it puts twice to one place */
	t_equal(gshmemx_rpc_register(&pend_op, pend, &nturns, 0), 0, "register");
	gshmemx_trace_name(7, "a \"mark\"");
	for (int i = 0; i < NPUTS; i++)
		gshmem_long_put(o->dest, o->source, 10, next);
	gshmem_barrier_all();
	hipLaunchKernelGGL(ask, dim3(1), dim3(NLANES), 0, 0, o, next, pend_op);
	t_hip(hipDeviceSynchronize());
	if (!strcmp(what, "exit") && me == 0) {
		sleep(1); /* PE 1 is most likely in its wait by then; if not, the test tries again */
		gshmem_global_exit(3);
	}
	if (!strcmp(what, "exit"))
		gshmem_long_wait_until(&o->flag, GSHMEM_CMP_EQ, 77);
	if (!strcmp(what, "small") && me == 0) {
		signal(SIGXFSZ, SIG_IGN);
		t_equal(setrlimit(RLIMIT_FSIZE, &limit), 0, "setrlimit");
	}
	gshmem_finalize();
	return 0;
}

static char text[1 << 21];

static void read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n;

	t_check(file, "%s is not there", path);
	n = fread(text, 1, sizeof text - 1, file);
	text[n] = 0;
	fclose(file);
}

/* How many lines of the file contain all of these. */
static int count_lines(const char *a, const char *b, const char *c)
{
	const char *at = text, *end;
	int n = 0;

	for (; *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, "\n");
		n += memmem(at, (size_t)(end - at), a, strlen(a)) &&
			memmem(at, (size_t)(end - at), b, strlen(b)) &&
			memmem(at, (size_t)(end - at), c, strlen(c));
	}
	return n;
}

/* The output of a command, in which %s is the path. */
static void run(const char *command, const char *path, char *output, size_t nbytes)
{
	char line[1024];
	FILE *pipe;
	size_t n;

	snprintf(line, sizeof line, command, path);
	pipe = popen(line, "r");
	t_check(pipe, "popen");
	n = fread(output, 1, nbytes - 1, pipe);
	output[n] = 0;
	t_check(pclose(pipe) == 0, "%s fails:\n%s", line, output);
}

static char table[1 << 16];

static void check_json(const char *path)
{
	run("python3 -m json.tool %s 2>&1 >/dev/null", path, table, sizeof table);
	run("python3 tools/gshmem-trace %s 2>&1", path, table, sizeof table);
}

/* Each row of the job's counters must be a row of the tool's, without its prefix. */
static void compare_counters(const struct t_job *job)
{
	static const char front[] = "gshmem: stats: ";
	const char *at = job->output, *end;
	char row[128];
	int nrows = 0;

	for (; (at = strstr(at, front)); at = end) {
		at += strlen(front);
		end = at + strcspn(at, "\n");
		snprintf(row, sizeof row, "%.*s\n", (int)(end - at), at);
		if (strstr(row, "from") || strstr(row, "all"))
			continue;
		nrows++;
		t_check(strstr(table, row), "the timeline has not the row\n%sbut\n%s", row, table);
	}
	t_check(nrows > 4, "%d rows of counters:\n%s", nrows, job->output);
}

static struct t_job job;

static void run_job(const char *env, const char *path, const char *what, int status)
{
	char all[512];

	snprintf(all, sizeof all, "GSHMEM_TRACE=%s %s", path, env);
	t_job_run(&job, NPES, all, "", what, 40);
	t_check(status == 0 ? job.status == 0 : job.status != 0, "%s, %s: exit status %d:\n%s", what, all,
		job.status, job.output);
}

static void check_whole(const char *path, const char *env, const char *way)
{
	run_job(env, path, "pe", 0);
	check_json(path);
	read_file(path);
	compare_counters(&job);
	for (int pe = 0; pe < NPES; pe++) {
		char pid[32];

		snprintf(pid, sizeof pid, "\"pid\":%d,", pe);
		t_equal(count_lines("\"gshmem_long_put\"", pid, way), NPUTS, "puts of a host");
		t_equal(count_lines("\"gshmem_long_p\"", pid, "\"bytes\":8"), NLANES, "stores of lanes");
		t_equal(count_lines("gshmemx_long_put_signal_wg", pid, "\"cat\":\"put\""), 1,
			"the put of a work-group");
		t_equal(count_lines("gshmemx_long_put_signal_wg", pid, "\"cat\":\"signal\""), 1,
			"its signal");
		/* if the host reaches the heap by copies, its quiet is recorded inside this call */
		t_check(count_lines("\"gshmem_barrier_all\"", pid, "\"cat\":\"call\"") > 0,
			"no barrier of the host");
		t_equal(count_lines("\"pend\"", pid, "\"cat\":\"served\""), 2, "calls of a pending function");
		t_equal(count_lines("\"a \\u0022mark\\u0022\"", pid, "\"value\":42"), NLANES, "marks");
	}
	t_equal(count_lines("\"open\":true", "", ""), 0, "events that go on in a job that is over");
	t_equal(count_lines("\"lost\"", "", ""), 0, "lost events");
}

static void check_rest(const char *path)
{
	char alone[300];
	int tries;

	run_job("GSHMEM_TRACE_SIZE=1k", path, "pe", 0);
	check_json(path);
	t_check(strstr(table, "events were lost"), "nothing is lost of rings that are too small:\n%s", table);
	for (tries = 0; tries < 5; tries++) {
		run_job("", path, "exit", 3);
		for (int pe = 0; pe < NPES; pe++) {
			snprintf(alone, sizeof alone, "%s.%d.json", path, pe);
			check_json(alone);
			read_file(alone);
			unlink(alone);
		}
		if (count_lines("\"gshmem_long_wait_until\"", "\"for\":\"== 77\"", "\"open\":true") == 1)
			break;
	}
	t_check(tries < 5, "the wait of PE 1 is not open:\n%s", text);
	run_job("", path, "unequal", 1);
	t_job_failed(&job, "a trace of one PE", " on PE 0 but not set on PE 1: set it on all PEs", 1);
	run_job("", "/nowhere/trace", "pe", 1);
	t_job_failed(&job, "no such folder", "GSHMEM_TRACE=/nowhere/trace: ", 1);
}

/* What cannot hold a trace: a FIFO that nobody reads, and a link to another file. */
static void check_bad_files(const char *path)
{
	char special[300], target[300];
	struct stat st;

	snprintf(special, sizeof special, "%s.special", path);
	snprintf(target, sizeof target, "%s.target", path);
	t_equal(mkfifo(special, 0600), 0, "mkfifo");
	run_job("", special, "pe", 1);
	unlink(special);
	t_job_failed(&job, "a FIFO", ".special: it is a FIFO", 1);
	t_equal(symlink(target, special), 0, "symlink");
	run_job("", special, "pe", 1);
	unlink(special);
	t_job_failed(&job, "a link", ".special: it is a symbolic link", 1);
	t_check(stat(target, &st), "the trace has made the file that a link names");
}

/* A trace that does not fit leaves no part of itself. */
static void check_limit(const char *path)
{
	char expected[T_PATH_BYTES + 64];
	struct stat st;

	run_job("", path, "small", 1);
	snprintf(expected, sizeof expected, "GSHMEM_TRACE: %s cannot be written: File too large", path);
	t_job_failed(&job, "a limit of bytes", expected, 1);
	t_check(stat(path, &st), "a part of the trace is left");
}

/* The true offset is 0, so the measured one must lie within its error. */
static void check_clocks(const char *path)
{
	const char *at;
	long offset, error;

	run_job("GSHMEM_PES_PER_NODE=1 GSHMEM_STATS=1", path, "pe", 0);
	check_json(path);
	compare_counters(&job);
	read_file(path);
	t_check(count_lines("\"cat\":\"sent\"", "", "") > 0 && count_lines("\"cat\":\"came\"", "", "") > 0,
		"no messages");
	at = strstr(text, "\"name\":\"clock\",\"pid\":1,");
	at = at ? strstr(at, "\"offset_ns\":") : NULL;
	t_check(at && sscanf(at, "\"offset_ns\":%ld,\"error_ns\":%ld", &offset, &error) == 2 && error > 0,
		"no clock of PE 1");
	t_check(labs(offset) <= error, "the clock is off by %ld ns, and known to %ld", offset, error);
}

static char path[T_PATH_BYTES];

static void clean(void)
{
	static const char *const ends[] = {
		"", ".special", ".special.0", ".special.1", ".target", ".0", ".1", ".0.json", ".1.json"};
	char file[T_PATH_BYTES + 16];

	for (const char *end : ends) {
		snprintf(file, sizeof file, "%s%s", path, end);
		unlink(file);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1]);
	if (system("python3 -c 'import json'"))
		t_skip("no python3, which reads the timelines");
	t_temp_file(path);
	atexit(clean);
	check_whole(path, "GSHMEM_STATS=1", "\"direct\"");
	check_whole(path, "GSHMEM_STATS=1 GSHMEM_CARRY=all", "\"carried\"");
	check_clocks(path);
	check_rest(path);
	check_bad_files(path);
	check_limit(path);
	return 0;
}
