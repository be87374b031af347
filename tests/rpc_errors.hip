/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 300 */
/* delivery: no, its jobs are to fail */
/*
 * Every error of calls to the CPU has a name and a number, in the caller and on stderr: no such operation,
 * the wrong kind of function, functions that misbehave, calls outside init and finalize, collective calls by
 * functions, a channel that stops, a PE that dies, posts that do not end, bad variables.
 */
#include <errno.h>
#include <signal.h>
#include <stdexcept>

#include <gshmem.h>

#include "job.h"

#define NPES 2

/* Fail this PE, with a line that the driver prints. */
#define expect(got, expected) t_equal(got, expected, #got)

/* ---- functions ---- */

static int add(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	call->out[0] = call->in[0] + 1;
	return GSHMEMX_RPC_DONE;
}

static int swallow(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	return call->offset + call->nbytes < call->total_nbytes ? GSHMEMX_RPC_MORE : GSHMEMX_RPC_DONE;
}

static int returns_77(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	return 77;
}

static int returns_more(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	return GSHMEMX_RPC_MORE;
}

static int throws_error(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	throw std::runtime_error("a flat tyre");
}

static int throws_int(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	throw 5;
}

static int replies_too_much(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	call->reply_nbytes = call->room_nbytes + 1;
	return GSHMEMX_RPC_DONE;
}

/* Returns the result of the call that it makes. */
static int calls(void *context, gshmemx_rpc_call_t *call)
{
	const uint64_t in[6] = {0, 0, 0, 0, 0, 0};

	call->out[0] = (uint64_t)(int64_t)gshmemx_rpc_call(*(const uint32_t *)context, in, NULL);
	return GSHMEMX_RPC_DONE;
}

static int never_ends(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	return GSHMEMX_RPC_PENDING;
}

static double blocked_until; /* when blocks_long, which runs beside it, ended; 0: not yet */

static int blocks_long(void *context, gshmemx_rpc_call_t *call)
{
	double now;

	(void)context;
	(void)call;
	usleep(1500000);
	now = t_seconds();
	__atomic_store(&blocked_until, &now, __ATOMIC_RELEASE);
	return GSHMEMX_RPC_DONE;
}

/*
 * Ends 2.5 s after blocks_long, whenever that was: so the wait for both is long enough for them to be named.
 */
static int ends_late(void *context, gshmemx_rpc_call_t *call)
{
	double since;

	(void)context;
	(void)call;
	__atomic_load(&blocked_until, &since, __ATOMIC_ACQUIRE);
	return !since || t_seconds() - since < 2.5 ? GSHMEMX_RPC_PENDING : GSHMEMX_RPC_DONE;
}

/* ---- callers ---- */

struct outcome {
	long answer;
	int status;
};

__global__ static void call_words(uint32_t op, struct outcome *outcome)
{
	const uint64_t in[6] = {41, 0, 0, 0, 0, 0};
	uint64_t out = 0;

	outcome->status = gshmemx_rpc_call(op, in, &out);
	outcome->answer = (long)out;
}

__global__ static void call_stream(uint32_t op, size_t nbytes, struct outcome *outcome)
{
	char in[100] = "", out[100];

	outcome->status = gshmemx_rpc_stream(op, in, nbytes, out, sizeof out, NULL);
}

static struct outcome *outcome;

static int kernel_words(uint32_t op)
{
	outcome->answer = 0;
	hipLaunchKernelGGL(call_words, dim3(1), dim3(1), 0, 0, op, outcome);
	t_hip(hipDeviceSynchronize());
	return outcome->status;
}

static int host_words(uint32_t op)
{
	const uint64_t in[6] = {41, 0, 0, 0, 0, 0};
	uint64_t out = 0;
	int rc = gshmemx_rpc_call(op, in, &out);

	outcome->answer = (long)out;
	return rc;
}

static int kernel_stream(uint32_t op, size_t nbytes)
{
	hipLaunchKernelGGL(call_stream, dim3(1), dim3(1), 0, 0, op, nbytes, outcome);
	t_hip(hipDeviceSynchronize());
	return outcome->status;
}

static void allocate_outcome(void)
{
	t_hip(hipHostMalloc((void **)&outcome, sizeof *outcome, 0));
}

/* ---- calls that are refused ---- */

static int refused(void)
{
	uint32_t words, stream, odd, more, error, integer, much, loop, any;
	gshmemx_rpc_channel_t channel;
	int i;

	gshmem_init();
	allocate_outcome();
	expect(gshmemx_rpc_register(&words, add, NULL, 0), 0);
	expect(gshmemx_rpc_register(&stream, swallow, NULL, GSHMEMX_RPC_STREAM), 0);
	expect(gshmemx_rpc_register(&odd, returns_77, NULL, 0), 0);
	expect(gshmemx_rpc_register(&more, returns_more, NULL, GSHMEMX_RPC_WAVE), 0);
	expect(gshmemx_rpc_register(&error, throws_error, NULL, 0), 0);
	expect(gshmemx_rpc_register(&integer, throws_int, NULL, GSHMEMX_RPC_BLOCKING), 0);
	expect(gshmemx_rpc_register(&much, replies_too_much, NULL, GSHMEMX_RPC_STREAM), 0);
	expect(gshmemx_rpc_register(&loop, calls, &words, 0), 0);

	expect(kernel_words(words + 99), -ENOSYS);
	expect(host_words(words + 99), -ENOSYS);
	expect(kernel_words(0), -ENOSYS);
	expect(kernel_stream(words, 100), -EMSGSIZE);
	expect(kernel_words(stream), -EMSGSIZE);
	expect(kernel_stream(stream, 100), 0);
	expect(kernel_stream(much, 1), -ENOSPC);
	expect(kernel_words(odd), -EPROTO);
	expect(host_words(more), -EPROTO);
	expect(kernel_words(error), -EFAULT);
	expect(host_words(integer), -EFAULT);
	expect(kernel_words(loop), 0);
	expect(outcome->answer, -EDEADLK);
	for (i = 0; i < 40; i++)
		expect(kernel_words(words + 98), -ENOSYS);
	expect(kernel_words(words), 0);
	expect(outcome->answer, 42);

	expect(gshmemx_rpc_register(&any, NULL, NULL, 0), -EINVAL);
	expect(gshmemx_rpc_register(&any, add, NULL, 8), -EINVAL);
	expect(gshmemx_rpc_register(&any, add, NULL, GSHMEMX_RPC_STREAM | GSHMEMX_RPC_WAVE), -EINVAL);
	for (i = 8; i < 1024; i++)
		expect(gshmemx_rpc_register(&any, add, NULL, 0), 0);
	expect(kernel_words(any), 0);
	any = 1;
	expect(gshmemx_rpc_register(&any, add, NULL, 0), -ENOSPC);
	expect(any, 1);
	expect(gshmemx_rpc_channel_create(64, 5, 0, &channel), -EINVAL);
	expect(gshmemx_rpc_channel_create(64, 0, 64, &channel), -EINVAL);
	expect(gshmemx_trace_name(70000, "far"), -EINVAL);
	expect(gshmemx_trace_name(7, "a\tb"), -EINVAL);
	t_hip(hipHostFree(outcome));
	gshmem_finalize();
	printf("PE came through\n");
	return 0;
}

/* ---- outside of init and finalize ---- */

static int outside(void)
{
	uint32_t op = 1;

	outcome = (struct outcome *)calloc(1, sizeof *outcome);
	expect(host_words(1), -EINVAL);
	expect(gshmemx_rpc_register(&op, add, NULL, 0), -EINVAL);
	gshmem_init();
	expect(gshmemx_rpc_register(&op, add, NULL, 0), 0);
	gshmem_finalize();
	expect(host_words(op), -EINVAL);
	gshmem_init();
	expect(host_words(op), -ENOSYS); /* functions are forgotten */
	gshmem_finalize();
	free(outcome);
	printf("PE came through\n");
	return 0;
}

__global__ static void print_line(void)
{
	gshmemx_printf("a line\n");
}

static int kernel_outside(const char *when)
{
	if (strcmp(when, "kernel_after") == 0) {
		gshmem_init();
		gshmem_finalize();
	}
	if (strcmp(when, "kernel_print") == 0) {
		hipLaunchKernelGGL(print_line, dim3(1), dim3(1), 0, 0);
	} else {
		allocate_outcome();
		hipLaunchKernelGGL(call_words, dim3(1), dim3(1), 0, 0, GSHMEMI_RPC_USER, outcome);
	}
	if (hipDeviceSynchronize() == hipSuccess)
		printf("PE came through\n");
	return 55;
}

/* ---- collective calls by functions ---- */

__global__ static void nothing(void) {}

static int call_collective(void *context, gshmemx_rpc_call_t *call)
{
	const char *what = (const char *)context;

	(void)call;
	if (strcmp(what, "gshmem_barrier_all") == 0)
		gshmem_barrier_all();
	else if (strcmp(what, "gshmem_sync_all") == 0)
		gshmem_sync_all();
	else if (strcmp(what, "gshmem_malloc") == 0)
		gshmem_malloc(8);
	else if (strcmp(what, "gshmem_free") == 0)
		gshmem_free(NULL);
	else if (strcmp(what, "gshmem_finalize") == 0)
		gshmem_finalize();
	else if (strcmp(what, "gshmem_init_thread") == 0)
		return gshmem_init_thread(GSHMEM_THREAD_SINGLE, NULL);
	else
		return gshmemx_collective_launch(nothing, dim3(1), dim3(1), NULL, 0, 0);
	return GSHMEMX_RPC_DONE;
}

static int collective(const char *what, unsigned flags)
{
	uint32_t op;

	gshmem_init();
	allocate_outcome();
	expect(gshmemx_rpc_register(&op, call_collective, (void *)(uintptr_t)what, flags), 0);
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0)
		expect(kernel_words(op), -EDEADLK);
	t_hip(hipHostFree(outcome));
	gshmem_finalize();
	printf("PE came through\n");
	return 0;
}

/* ---- a channel that stops, a PE that dies ---- */

__global__ static void invoke(gshmemx_rpc_channel_t channel, int *begun, int *ended)
{
	bool is_good;

	*begun = 1;
	is_good = gshmemx_rpc_invoke(
		&channel, [](gshmemx_rpc_page_t *page) { page->cacheline[0].element[0] = 1; },
		[](gshmemx_rpc_page_t *) {});
	ended[threadIdx.x] = is_good ? 2 : 1;
}

static int stop_channel(void)
{
	gshmemx_rpc_channel_t channel;
	int *words, i;

	gshmem_init();
	t_hip(hipHostMalloc((void **)&words, 65 * sizeof *words, 0));
	memset(words, 0, 65 * sizeof *words);
	expect(gshmemx_rpc_channel_create(64, 0, 0, &channel), 0);
	hipLaunchKernelGGL(invoke, dim3(1), dim3(64), 0, 0, channel, words + 64, words);
	while (!__atomic_load_n(&words[64], __ATOMIC_ACQUIRE))
		usleep(100);
	usleep(100000);
	for (i = 0; i < 64; i++)
		expect(__atomic_load_n(&words[i], __ATOMIC_ACQUIRE), 0);
	gshmemx_rpc_channel_stop(&channel);
	t_hip(hipDeviceSynchronize());
	for (i = 0; i < 64; i++)
		expect(words[i], 1);
	gshmemx_rpc_channel_destroy(&channel);
	t_hip(hipHostFree(words));
	gshmem_finalize();
	printf("PE came through\n");
	return 0;
}

/* PE 1 dies while the other PEs wait for a function that never ends. */
static int wait_or_die(const char *what, const char *how)
{
	uint32_t op;

	(void)what;
	(void)how;
	gshmem_init();
	allocate_outcome();
	expect(gshmemx_rpc_register(&op, never_ends, NULL, 0), 0);
	gshmem_barrier_all();
	if (gshmem_my_pe() == 1) {
		usleep(200000);
		raise(SIGKILL);
	}
	(void)kernel_words(op);
	printf("PE came through\n");
	return 55;
}

static int die(void)
{
	return t_job_shield(wait_or_die, "", "", t_launched_rank() == 1);
}

/* ---- posts that do not end ---- */

__global__ static void post_words(uint32_t op)
{
	const uint64_t in[6] = {0, 0, 0, 0, 0, 0};

	(void)gshmemx_rpc_post(op, in);
}

/* The host first waits for the blocking function, then for the pending ones; finalize waits for nothing. */
static int post_late(int with_quiet)
{
	const uint64_t in[6] = {0, 0, 0, 0, 0, 0};
	uint32_t late, block;

	gshmem_init();
	expect(gshmemx_rpc_register(&late, ends_late, NULL, 0), 0);
	expect(gshmemx_rpc_register(&block, blocks_long, NULL, GSHMEMX_RPC_BLOCKING), 0);
	hipLaunchKernelGGL(post_words, dim3(3), dim3(1), 0, 0, late);
	t_hip(hipDeviceSynchronize());
	(void)gshmemx_rpc_post(block, in);
	if (with_quiet)
		gshmem_quiet();
	gshmem_finalize();
	printf("PE came through\n");
	return 0;
}

static int finalize_late(void)
{
	return post_late(0);
}

static int quiet_late(void)
{
	return post_late(1);
}

/* ---- variables ---- */

/* Calls work with any valid number of slots; init fails with bad ones. */
static int start(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	const char *odd = getenv("T_ODD");
	uint32_t op;
	int rc;

	if (odd && t_launched_rank() == 1)
		setenv("GSHMEM_RPC_SLOTS", odd, 1);
	rc = gshmemx_init_attr(&attr);
	printf("rc %d.\n", rc);
	if (rc)
		return 1;
	allocate_outcome();
	expect(gshmemx_rpc_register(&op, add, NULL, 0), 0);
	expect(kernel_words(op), 0);
	gshmem_finalize();
	return 0;
}

static int pe_main(const char *name)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {{"refused", refused}, {"outside", outside}, {"stop", stop_channel}, {"die", die},
		{"start", start}, {"finalize", finalize_late}, {"quiet", quiet_late}};
	unsigned i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		if (strcmp(name, cases[i].name) == 0)
			return cases[i].run();
	if (strncmp(name, "kernel_", 7) == 0)
		return kernel_outside(name);
	if (strncmp(name, "worker:", 7) == 0)
		return collective(name + 7, GSHMEMX_RPC_BLOCKING);
	return collective(name, 0);
}

/* ---- the driver ---- */

static struct t_job job;

static void expect_text(const char *name, const char *text, int count)
{
	t_check(t_job_count(&job, text) == count, "%s: \"%s\" %d times, expected %d:\n%s", name, text,
		t_job_count(&job, text), count, job.output);
}

static void test_refused(void)
{
	t_job_run(&job, 1, "", "", "refused", 30);
	t_check(job.status == 0, "refused: status %d:\n%s", job.status, job.output);
	expect_text("refused", "PE came through", 1);
	expect_text("refused", "a kernel: operation 0x75000063: no function is registered", 1);
	expect_text("refused", "a CPU thread: operation 0x75000063: no function is registered", 1);
	expect_text("refused", "a kernel: operation 0: no function is registered", 1);
	expect_text("refused",
		"a kernel: add (operation 0x75000000) takes words, and was sent a stream of 100 bytes", 1);
	expect_text(
		"refused", "a kernel: swallow (operation 0x75000001) takes a stream, and was sent words", 1);
	expect_text("refused", "the call is refused", 16); /* of 45 */
	expect_text("refused", "returns_77 returned 77, which", 1);
	expect_text("refused", "returns_more returned 2, which", 1);
	expect_text("refused", "throws_error threw: a flat tyre\n", 1);
	expect_text("refused", "throws_int threw: an exception of another type", 1);
	expect_text("refused", "gshmemx_rpc_call called from a function that serves a call", 1);
	expect_text("refused", "gshmemx_rpc_register: the function is NULL\n", 1);
	expect_text("refused", "gshmemx_rpc_register: add: 0x8 is not a combination", 1);
	expect_text("refused", "gshmemx_rpc_register: add: a stream has no words per lane", 1);
	expect_text("refused", "there are already 1024 functions", 1);
	expect_text("refused", "gshmemx_rpc_channel_create: 5 lanes", 1);
	expect_text("refused", "gshmemx_rpc_channel_create: flags 0x40", 1);
	expect_text("refused", "gshmemx_trace_name: mark", 2);
}

static void test_outside(void)
{
	static const char *const kernels[] = {"kernel_before", "kernel_after", "kernel_print"};
	const bool says_why = !strcmp(GSHMEMI_ARCH_NAME, "cpu"); /* GPUs trap */
	unsigned i;

	t_job_run(&job, 1, "", "", "outside", 30);
	t_check(job.status == 0, "outside: status %d:\n%s", job.status, job.output);
	expect_text("outside", "gshmemx_rpc_call called before gshmem_init", 1);
	expect_text("outside", "gshmemx_rpc_register called before gshmem_init", 1);
	expect_text("outside", "gshmemx_rpc_call called after gshmem_finalize", 1);
	for (i = 0; i < 3; i++) {
		t_job_run(&job, 1, "", "", kernels[i], 30);
		t_check(job.status, "%s: the job should fail:\n%s", kernels[i], job.output);
		if (says_why)
			expect_text(kernels[i],
				"a kernel used gshmem before gshmem_init, after gshmem_finalize", 1);
		expect_text(kernels[i], "PE came through", 0);
	}
}

static void test_collective(void)
{
	static const char *const whats[] = {"gshmem_barrier_all", "gshmem_sync_all", "gshmem_malloc",
		"gshmem_free", "gshmem_finalize", "worker:gshmem_barrier_all"};
	static const char *const returning[] = {"gshmemx_init_attr", "gshmemx_collective_launch"};
	char text[128];
	unsigned i;

	for (i = 0; i < sizeof whats / sizeof *whats; i++) {
		snprintf(text, sizeof text, "gshmem: pe 0: %s called from a function that serves a call",
			strchr(whats[i], ':') ? strchr(whats[i], ':') + 1 : whats[i]);
		t_job_run(&job, NPES, "", t_job_keep(), whats[i], 20);
		t_job_failed(&job, whats[i], text, 1);
		expect_text(whats[i], "gshmem: ", 1);
		expect_text(whats[i], "PE came through", 0);
	}
	for (i = 0; i < sizeof returning / sizeof *returning; i++) {
		snprintf(text, sizeof text, "gshmem: pe 0: %s called from a function", returning[i]);
		t_job_run(&job, NPES, "", "", i ? "launch" : "gshmem_init_thread", 20);
		expect_text(returning[i], text, 1);
		expect_text(returning[i], "PE came through", NPES);
	}
}

static void test_late(const char *what, const char *watchdog, int count)
{
	static int ncases;
	char text[128];

	if (t_left_out(ncases++))
		return;
	t_job_run(&job, 1, watchdog, "", what, 30);
	t_check(job.status == 0, "%s: status %d:\n%s", what, job.status, job.output);
	expect_text(what, "PE came through", 1);
	expect_text(what, "gshmem: ", 2 * count);
	snprintf(text, sizeof text, "gshmem_%s has waited ", what);
	expect_text(what, text, 2 * count);
	expect_text(what, "s for blocks_long (operation 0x75000001), posted by a CPU thread, and for 0 more",
		count);
	expect_text(
		what, "s for ends_late (operation 0x75000000), posted by a kernel, and for 2 more", count);
}

static void test_variables(void)
{
	static const char *const bad[][2] = {
		{"GSHMEM_RPC_SLOTS=1048577", "GSHMEM_RPC_SLOTS=1048577: must be"},
		{"GSHMEM_RPC_SLOTS=many", "GSHMEM_RPC_SLOTS"},
		{"GSHMEM_RPC_SLOTS=-1", "GSHMEM_RPC_SLOTS"},
		{"GSHMEM_RPC_SLOTS=-64", "GSHMEM_RPC_SLOTS"},
		{"GSHMEM_RPC_THREADS=0", "GSHMEM_RPC_THREADS=0: must be"},
		{"GSHMEM_RPC_THREADS=65", "GSHMEM_RPC_THREADS=65: must be"},
		{"GSHMEM_RPC_WORKERS=0", "GSHMEM_RPC_WORKERS=0: must be"},
		{"GSHMEM_RPC_WORKERS=1025", "GSHMEM_RPC_WORKERS=1025: must be"},
		{"GSHMEM_RPC_POLL=never", "GSHMEM_RPC_POLL"},
		{"GSHMEM_TRACE=/nowhere/trace", "GSHMEM_TRACE=/nowhere/trace"},
		{"T_ODD=1048577", "GSHMEM_RPC_SLOTS=1048577: must be"},
	};
	unsigned i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		t_job_run(&job, NPES, bad[i][0], t_job_keep(), "start", 20);
		t_job_failed(&job, bad[i][0], bad[i][1], 1);
		expect_text(bad[i][0], "rc -", NPES);
		expect_text(bad[i][0], "gshmem: ", 1);
	}
	t_job_run(&job, NPES, "GSHMEM_RPC_SLOTS=64", "", "start", 20);
	expect_text("GSHMEM_RPC_SLOTS=64", "rc 0.", NPES);
	expect_text("GSHMEM_RPC_SLOTS=64", "gshmem: pe 0: GSHMEM_RPC_SLOTS=64, but ", 1);
	expect_text("GSHMEM_RPC_SLOTS=64", "waves can be resident", 1);
	t_job_run(&job, NPES, "GSHMEM_RPC_SLOTS=65536", "", "start", 20);
	expect_text("GSHMEM_RPC_SLOTS=65536", "rc 0.", NPES);
	expect_text("GSHMEM_RPC_SLOTS=65536", "gshmem: ", 0);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1]);
	test_refused();
	test_outside();
	test_collective();
	t_job_run(&job, 1, "", "", "stop", 30);
	expect_text("stop", "PE came through", 1);
	t_job_run(&job, NPES, "", t_job_keep(), "die", 20);
	t_job_failed(&job, "die", "PE 1 (pid ", 1);
	expect_text("die", "PE came through", 0);
	test_late("finalize", "GSHMEM_WATCHDOG=0.3", 1);
	test_late("quiet", "GSHMEM_WATCHDOG=0.3", 1);
	test_late("finalize", "GSHMEM_WATCHDOG=0", 0);
	test_variables();
	return 0;
}
