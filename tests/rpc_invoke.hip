/* SPDX-License-Identifier: BSD-3-Clause */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_WAVE=32 GSHMEM_FIRST_SEQ=1073741820 | GSHMEM_CPU_DIVERGE=random:6 */
/* timeout: 240 */
/*
 * Channels of the program, hostrpc's interface: kernels call CPU threads, CPU threads call kernels,
 * kernels call kernels. With far more calls than slots exactly one of several servers takes each
 * call, once. clear sees what use has left, once per call and before the page is filled again.
 * Stopping a channel ends all waits.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <gshmem.h>

#include "helpers.h"

#define FILLED   0xf111edU
#define ANSWERED 0xa45e4edU
#define USED     0x05edU

enum { NSLOTS = 64 };

/* One side's counts, in memory that both the CPU and kernels reach. */
struct books {
	uint64_t ncalls, sum, ncleared, nwrong;
	uint64_t nused;    /* those of the cleared whose calls waited */
	uint64_t wrong[7]; /* the first wrong answer: lane, who, when, and words 0, 1, 3 and 7 of its line */
	uint32_t is_over;  /* servers: end */
};

__host__ __device__ static void add(uint64_t *to, uint64_t value)
{
	(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, to, value, 0);
}

__host__ __device__ static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* ---- the client: each lane has a line of the page; word 7 says whose turn it is ---- */

struct fill {
	unsigned lane;
	uint64_t who, when;
	bool is_clear; /* the page comes back in its initial state */
	struct books *books;

	__host__ __device__ void operator()(gshmemx_rpc_page_t *page) const
	{
		uint64_t *line = page->cacheline[lane].element;
		int i;

		for (i = 0; is_clear && i < 8; i++)
			if (line[i])
				add(&books->nwrong, 1);
		line[0] = who;
		line[1] = when;
		line[2] = mix(who * 100003 + when);
		line[7] = FILLED;
	}
};

struct use {
	unsigned lane;
	uint64_t who, when;
	struct books *books;

	__host__ __device__ void tell(const uint64_t *line) const
	{
		const uint64_t found[7] = {lane, who, when, line[0], line[1], line[3], line[7]};

		if (gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &books->nwrong, 1, 0) == 0)
			memcpy(books->wrong, found, sizeof found);
	}

	__host__ __device__ void operator()(gshmemx_rpc_page_t *page) const
	{
		uint64_t *line = page->cacheline[lane].element;

		if (line[0] != who || line[1] != when || line[7] != ANSWERED ||
			line[3] != ~mix(who * 100003 + when))
			tell(line);
		line[7] = USED;
	}
};

__host__ __device__ static void make_calls(const gshmemx_rpc_channel_t *c, unsigned lane, uint64_t who,
	bool is_diverged, unsigned ncalls, struct books *books)
{
	const bool is_clear = c->flags & GSHMEMX_RPC_CLEAR;
	uint64_t random;
	unsigned k;
	bool ok;

	for (k = 0; k < ncalls; k++) {
		random = mix(is_diverged ? who * 131 + k : k);
		if (random % 8 == 0)
			continue;
		add(&books->ncalls, 1);
		add(&books->sum, mix(who * 100003 + k));
		if (random % 2) {
			add(&books->nused, 1);
			ok = gshmemx_rpc_invoke(
				c, fill{lane, who, k, is_clear, books}, use{lane, who, k, books});
		} else {
			ok = gshmemx_rpc_invoke(c, fill{lane, who, k, is_clear, books});
		}
		if (!ok)
			add(&books->nwrong, 1);
	}
}

/* ---- the server: one thread for all lines, or lane i for line i ---- */

struct operate {
	unsigned first, last;
	struct books *books;

	__host__ __device__ void operator()(gshmemx_rpc_page_t *page) const
	{
		uint64_t *line;
		unsigned i;

		for (i = first; i <= last; i++) {
			line = page->cacheline[i].element;
			if (line[7] != FILLED)
				continue;
			if (line[2] != mix(line[0] * 100003 + line[1]))
				add(&books->nwrong, 1);
			add(&books->ncalls, 1);
			add(&books->sum, line[2]);
			line[3] = ~line[2];
			line[7] = ANSWERED;
		}
	}
};

struct clear {
	unsigned first, last;
	struct books *books;

	__host__ __device__ void operator()(gshmemx_rpc_page_t *page) const
	{
		uint64_t *line;
		unsigned i, k;

		for (i = first; i <= last; i++) {
			line = page->cacheline[i].element;
			if (line[7] == USED || line[7] == ANSWERED) {
				add(&books->ncleared, 1);
				add(&books->nused, line[7] == USED);
			} else if (line[7]) {
				add(&books->nwrong, 1);
			}
			for (k = 0; k < 8; k++)
				line[k] = 0;
		}
	}
};

__global__ static void client_kernel(gshmemx_rpc_channel_t c, unsigned ncalls, struct books *books)
{
	make_calls(&c, threadIdx.x % warpSize, blockIdx.x * blockDim.x + threadIdx.x, blockIdx.x % 2, ncalls,
		books);
}

/* Blocks of one lane, or of a wave, which stays together. */
__global__ static void server_kernel(gshmemx_rpc_channel_t c, struct books *books)
{
	const unsigned first = blockDim.x == 1 ? 0 : threadIdx.x;
	const unsigned last = blockDim.x == 1 ? (1U << c.lane_shift) - 1 : threadIdx.x;
	__shared__ int is_over;

	for (;;) {
		if (threadIdx.x == 0)
			is_over = gshmemi_arch_amo32(GSHMEMI_AMO_ADD, &books->is_over, 0, 0) != 0;
		__syncthreads();
		if (is_over)
			break;
		if (!gshmemx_rpc_handle(&c, operate{first, last, books}, clear{first, last, books}))
			(void)atomicAdd(&books->is_over, 0U); /* a poll: on the CPU other threads run */
		__syncthreads();
	}
}

struct thread_arg {
	const gshmemx_rpc_channel_t *c;
	struct books *books;
	unsigned who, ncalls, nlanes;
};

static void *client_thread(void *argument)
{
	struct thread_arg *arg = (struct thread_arg *)argument;

	make_calls(arg->c, 0, arg->who, true, arg->ncalls, arg->books);
	return NULL;
}

static void *server_thread(void *argument)
{
	struct thread_arg *arg = (struct thread_arg *)argument;
	const unsigned last = arg->nlanes - 1;
	bool has_work;

	do {
		has_work =
			gshmemx_rpc_handle(arg->c, operate{0, last, arg->books}, clear{0, last, arg->books});
		if (!has_work)
			sched_yield();
	} while (has_work || !__atomic_load_n(&arg->books->is_over, __ATOMIC_ACQUIRE));
	return NULL;
}

/* ---- cases ---- */

static struct books *books; /* [0] the clients', [1] the servers' */
static int nlanes;

struct shape {
	const char *name;
	unsigned flags;
	unsigned nservers, server_lanes; /* blocks or threads; kernels: lanes of a block, 0: a wave's */
	unsigned nclients, client_lanes, ncalls;
};

/* Posted calls may still be open after the clients have ended. */
static void wait_for_all(const struct shape *s)
{
	const uint64_t *word = s->flags & GSHMEMX_RPC_CLEAR ? &books[1].ncleared : &books[1].ncalls;
	int i;

	for (i = 0; i < 100000 && __atomic_load_n(word, __ATOMIC_ACQUIRE) < books[0].ncalls; i++) {
		struct timespec time = {0, 100000};

		nanosleep(&time, NULL);
	}
}

static void run(const struct shape *s)
{
	struct thread_arg server = {NULL, &books[1], 0, 0, (unsigned)nlanes}, clients[16];
	pthread_t threads[16], servers[16];
	hipStream_t client_stream, server_stream;
	const bool is_device_server = s->flags & GSHMEMX_RPC_DEVICE_SERVER;
	const bool is_host_client = s->flags & GSHMEMX_RPC_HOST_CLIENT;
	const unsigned server_lanes = s->server_lanes ? s->server_lanes : (unsigned)nlanes;
	gshmemx_rpc_channel_t c;
	unsigned i;

	memset(books, 0, 2 * sizeof *books);
	t_equal(gshmemx_rpc_channel_create(NSLOTS, (unsigned)nlanes, s->flags, &c), 0, s->name);
	memset((void *)c.page, 0, NSLOTS * sizeof(uint64_t) * 8 * (size_t)nlanes);
	server.c = &c;
	t_hip(hipStreamCreateWithFlags(&client_stream, hipStreamNonBlocking));
	t_hip(hipStreamCreateWithFlags(&server_stream, hipStreamNonBlocking));
	if (is_device_server)
		hipLaunchKernelGGL(
			server_kernel, dim3(s->nservers), dim3(server_lanes), 0, server_stream, c, &books[1]);
	for (i = 0; !is_device_server && i < s->nservers; i++)
		t_equal(pthread_create(&servers[i], NULL, server_thread, &server), 0, "pthread_create");
	if (!is_host_client)
		hipLaunchKernelGGL(client_kernel, dim3(s->nclients), dim3(s->client_lanes), 0, client_stream,
			c, s->ncalls, books);
	for (i = 0; is_host_client && i < s->nclients; i++) {
		clients[i] = (struct thread_arg){&c, books, i, s->ncalls, 1};
		t_equal(pthread_create(&threads[i], NULL, client_thread, &clients[i]), 0, "pthread_create");
	}
	for (i = 0; is_host_client && i < s->nclients; i++)
		pthread_join(threads[i], NULL);
	t_hip(hipStreamSynchronize(client_stream));
	wait_for_all(s);
	__atomic_store_n(&books[1].is_over, 1, __ATOMIC_RELEASE);
	for (i = 0; !is_device_server && i < s->nservers; i++)
		pthread_join(servers[i], NULL);
	t_hip(hipStreamSynchronize(server_stream));
	gshmemx_rpc_channel_destroy(&c);
	t_hip(hipStreamDestroy(client_stream));
	t_hip(hipStreamDestroy(server_stream));

	t_check(books[0].nwrong == 0,
		"%s: %llu pages or answers were wrong; an answer: lane %llu of %llu, call %llu: %llx %llx %llx %llx",
		s->name, (unsigned long long)books[0].nwrong, (unsigned long long)books[0].wrong[0],
		(unsigned long long)books[0].wrong[1], (unsigned long long)books[0].wrong[2],
		(unsigned long long)books[0].wrong[3], (unsigned long long)books[0].wrong[4],
		(unsigned long long)books[0].wrong[5], (unsigned long long)books[0].wrong[6]);
	t_check(books[1].nwrong == 0, "%s: %llu lines came wrong", s->name,
		(unsigned long long)books[1].nwrong);
	t_check(books[0].ncalls > 20 * NSLOTS, "%s: only %llu calls", s->name,
		(unsigned long long)books[0].ncalls);
	t_equal(books[1].ncalls, books[0].ncalls, s->name);
	t_check(books[1].sum == books[0].sum, "%s: sums differ", s->name);
	t_equal(books[1].ncleared, s->flags & GSHMEMX_RPC_CLEAR ? books[0].ncalls : 0, "cleared lines");
	t_equal(books[1].nused, s->flags & GSHMEMX_RPC_CLEAR ? books[0].nused : 0, "cleared after use");
}

/* ---- stop ---- */

__global__ static void stopped_kernel(gshmemx_rpc_channel_t c, struct books *count)
{
	const unsigned lane = threadIdx.x % warpSize;

	if (!gshmemx_rpc_invoke(&c, fill{lane, 0, 0, false, count}, use{lane, 0, 0, count}))
		add(&count->ncalls, 1);
}

static void *stopped_thread(void *argument)
{
	const gshmemx_rpc_channel_t *c = (const gshmemx_rpc_channel_t *)argument;
	int i;

	for (i = 0; i < NSLOTS; i++) /* no server answers: these hold all slots */
		if (!gshmemx_rpc_invoke(c, fill{0, 0, 0, false, books}))
			return NULL;
	if (!gshmemx_rpc_invoke(c, fill{0, 0, 0, false, books}))
		add(&books->ncalls, 1);
	return NULL;
}

static void stop(void)
{
	const struct timespec time = {0, 20000000};
	gshmemx_rpc_channel_t c;
	pthread_t thread;

	memset(books, 0, sizeof *books);
	t_equal(gshmemx_rpc_channel_create(NSLOTS, 0, 0, &c), 0, "create");
	hipLaunchKernelGGL(stopped_kernel, dim3(4), dim3(64), 0, 0, c, books);
	nanosleep(&time, NULL);
	t_equal(__atomic_load_n(&books->ncalls, __ATOMIC_ACQUIRE), 0, "calls that ended before stop");
	gshmemx_rpc_channel_stop(&c);
	t_hip(hipStreamSynchronize(0));
	t_equal(books->ncalls, 256, "calls of a kernel that stop has ended");
	gshmemx_rpc_channel_destroy(&c);

	memset(books, 0, sizeof *books);
	t_equal(gshmemx_rpc_channel_create(1, 1, GSHMEMX_RPC_HOST_CLIENT | GSHMEMX_RPC_CLEAR, &c), 0,
		"create");
	t_equal(pthread_create(&thread, NULL, stopped_thread, &c), 0, "pthread_create");
	nanosleep(&time, NULL);
	t_equal(__atomic_load_n(&books->ncalls, __ATOMIC_ACQUIRE), 0,
		"waits for a slot that ended before stop");
	gshmemx_rpc_channel_stop(&c);
	pthread_join(thread, NULL);
	t_equal(books->ncalls, 1, "waits for a slot that stop has ended");
	gshmemx_rpc_channel_destroy(&c);
}

/* ---- servers that find the same call at the same time: one of them has it ---- */

enum { NRIVALS = 2, NPOSTS = 200000, NTOGETHER = 16 };

struct rival {
	pthread_t thread;
	const gshmemx_rpc_channel_t *c;
	uint64_t sum;
};

static void *rival_thread(void *argument)
{
	struct rival *rival = (struct rival *)argument;
	uint64_t got = 0;
	auto operate = [&got](gshmemx_rpc_page_t *page) { got = page->cacheline[0].element[0]; };
	unsigned k;

	for (k = 0; k < NPOSTS; k++) {
		(void)gshmemx_rpc_invoke(
			rival->c, [k](gshmemx_rpc_page_t *page) { page->cacheline[0].element[0] = mix(k); });
		while (k % NTOGETHER == 0 && gshmemx_rpc_handle(rival->c, operate))
			rival->sum += got;
	}
	while (gshmemx_rpc_handle(rival->c, operate))
		rival->sum += got;
	return NULL;
}

static void compete(void)
{
	struct rival rivals[NRIVALS];
	uint64_t sent = 0, got = 0;
	gshmemx_rpc_channel_t c;
	unsigned i;

	t_equal(gshmemx_rpc_channel_create(NSLOTS, 1, GSHMEMX_RPC_HOST_CLIENT, &c), 0, "create");
	for (i = 0; i < NRIVALS; i++) {
		rivals[i].c = &c;
		rivals[i].sum = 0;
		t_equal(pthread_create(&rivals[i].thread, NULL, rival_thread, &rivals[i]), 0,
			"pthread_create");
	}
	for (i = 0; i < NRIVALS; i++) {
		pthread_join(rivals[i].thread, NULL);
		got += rivals[i].sum;
	}
	for (i = 0; i < NPOSTS; i++)
		sent += NRIVALS * mix(i);
	t_check(got == sent, "calls that two servers find are not handled once");
	gshmemx_rpc_channel_destroy(&c);
}

/* ---- fairness: clients that call again at once do not keep another one from being handled ---- */

enum { NBUSY = 3, NROUNDS = 30 };

struct busy {
	pthread_t thread;
	const gshmemx_rpc_channel_t *c;
	int nanswered;
};

static void *busy_thread(void *argument)
{
	struct busy *busy = (struct busy *)argument;

	while (gshmemx_rpc_invoke(
		busy->c, [](gshmemx_rpc_page_t *) {}, [](gshmemx_rpc_page_t *) {}))
		__atomic_fetch_add(&busy->nanswered, 1, __ATOMIC_RELAXED);
	return NULL;
}

static int count_open(const gshmemx_rpc_channel_t *c)
{
	int count = 0;
	uint32_t i;

	for (i = 0; i < c->nslots; i++)
		count += gshmemi_rpc_is_posted(c, i);
	return count;
}

static void be_fair(void)
{
	struct busy busy[NBUSY];
	gshmemx_rpc_channel_t c;
	int i;

	t_equal(gshmemx_rpc_channel_create(NSLOTS, 1, GSHMEMX_RPC_HOST_CLIENT, &c), 0, "create");
	for (i = 0; i < NBUSY; i++) {
		busy[i].c = &c;
		busy[i].nanswered = 0;
		t_equal(pthread_create(&busy[i].thread, NULL, busy_thread, &busy[i]), 0, "pthread_create");
	}
	for (i = 0; i < NBUSY * NROUNDS; i++) {
		while (count_open(&c) < NBUSY) /* each of them calls again as soon as one is handled */
			sched_yield();
		t_check(gshmemx_rpc_handle(&c, [](gshmemx_rpc_page_t *) {}), "nothing to handle");
	}
	while (count_open(&c) < NBUSY)
		sched_yield();
	gshmemx_rpc_channel_stop(&c);
	for (i = 0; i < NBUSY; i++) {
		pthread_join(busy[i].thread, NULL);
		t_equal(busy[i].nanswered, NROUNDS, "calls of one of three that always call");
	}
	gshmemx_rpc_channel_destroy(&c);
}

/* ---- a slow server: a client polls long enough to check for the job's end and the watchdog ---- */

static void *patient_thread(void *argument)
{
	auto nothing = [](gshmemx_rpc_page_t *) {};

	if (!gshmemx_rpc_invoke((const gshmemx_rpc_channel_t *)argument, nothing, nothing))
		add(&books->nwrong, 1);
	return NULL;
}

static void be_patient(void)
{
	const struct timespec time = {0, 300000000};
	gshmemx_rpc_channel_t c;
	pthread_t thread;

	memset(books, 0, sizeof *books);
	t_equal(gshmemx_rpc_channel_create(NSLOTS, 1, GSHMEMX_RPC_HOST_CLIENT, &c), 0, "create");
	t_equal(pthread_create(&thread, NULL, patient_thread, &c), 0, "pthread_create");
	while (!count_open(&c))
		sched_yield();
	nanosleep(&time, NULL); /* thousands of polls */
	t_check(gshmemx_rpc_handle(&c, [](gshmemx_rpc_page_t *) {}), "nothing to handle");
	pthread_join(thread, NULL);
	t_equal(books->nwrong, 0, "calls of a thread whose server is slow");
	gshmemx_rpc_channel_destroy(&c);
}

int main(void)
{
	static const struct shape shapes[] = {
		{"kernel to thread", 0, 1, 0, 6, 128, 40},
		{"kernel to threads", 0, 4, 0, 6, 128, 40},
		{"kernel to thread, clear", GSHMEMX_RPC_CLEAR, 1, 0, 6, 128, 40},
		{"kernel to threads, clear", GSHMEMX_RPC_CLEAR, 4, 0, 6, 128, 40},
		{"threads to kernel", GSHMEMX_RPC_HOST_CLIENT | GSHMEMX_RPC_DEVICE_SERVER, 1, 1, 4, 0, 800},
		{"threads to kernels, clear",
			GSHMEMX_RPC_HOST_CLIENT | GSHMEMX_RPC_DEVICE_SERVER | GSHMEMX_RPC_CLEAR, 3, 1, 6, 0,
			800},
		{"threads to threads, clear", GSHMEMX_RPC_HOST_CLIENT | GSHMEMX_RPC_CLEAR, 2, 0, 4, 0, 2000},
		{"kernel to kernel", GSHMEMX_RPC_DEVICE_SERVER, 1, 1, 6, 128, 20},
		{"kernel to kernels, clear", GSHMEMX_RPC_DEVICE_SERVER | GSHMEMX_RPC_CLEAR, 3, 1, 6, 128, 20},
		{"kernel to waves", GSHMEMX_RPC_DEVICE_SERVER, 2, 0, 6, 128, 20},
		{"kernel to waves, clear", GSHMEMX_RPC_DEVICE_SERVER | GSHMEMX_RPC_CLEAR, 2, 0, 6, 128, 20},
	};
	int device;
	unsigned i;

	t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL), 0, "init");
	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&nlanes, hipDeviceAttributeWarpSize, device));
	t_hip(hipHostMalloc((void **)&books, 2 * sizeof *books, 0));
	for (i = 0; i < sizeof shapes / sizeof *shapes; i++)
		run(&shapes[i]);
	stop();
	compete();
	be_fair();
	be_patient();
	t_hip(hipHostFree(books));
	gshmem_finalize();
	return 0;
}
