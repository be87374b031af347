/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads that serve calls. Each has every n-th group of slots, reads their requests, carries out what is new, goes on
 * with what is pending, and rests when there is nothing to do.
 *
 * The threads call neither MPI nor, but for what functions of users do, HIP: a HIP call may wait for a kernel that waits
 * for its answer.
 */
#include "rpc/rpc.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ipc/job.h"

#define SPIN_NS        20000   /* after the last work: spin, */
#define YIELD_NS       200000  /* then yield, */
#define NAP_MIN_NS     20000   /* then sleep, longer each time, */
#define NAP_MAX_NS     250000  /* because a GPU cannot wake a thread; */
#define SLEEP_NS       10000000 /* where clients wake the server, this long: for the end */
#define FULL_SCAN      1000    /* passes by bells between two that read all requests */

struct gshmemi_rpc_served gshmemi_rpc_kernels = {.name = "a kernel"};
struct gshmemi_rpc_served gshmemi_rpc_threads = {.name = "a CPU thread"};
struct gshmemi_rpc_counts gshmemi_rpc_counts;

struct server {
	pthread_t thread;
	unsigned rank;
	unsigned npasses;              /* since all requests were read */
	struct gshmemi_rpc_op *pending;
	uint64_t worked_ns;            /* when there was something to do last */
	unsigned nap_ns;
};

static struct server *servers;
static unsigned nservers;      /* that run */
static bool spins;             /* there are cores enough */
static bool is_woken;          /* clients, all of them, wake a server that sleeps */
static atomic_bool is_stopping;
static uint32_t nasleep;       /* servers that sleep; in process memory: only CPU threads read it */
static uint32_t nwakes;        /* what they sleep on */
static _Thread_local bool is_serving;

bool gshmemi_rpc_is_serving(void)
{
	return is_serving;
}

void gshmemi_rpc_set_serving(bool value)
{
	is_serving = value;
}

/* ---- looking for work ---- */

/* Slots of a group whose request differs from what was taken: bit i is slot i of it. */
static uint64_t find_posted(const struct gshmemi_rpc_channel *c, uint32_t first)
{
	uint64_t found = 0, differ;
	unsigned i;

	for (i = 0; i < GSHMEMI_RPC_GROUP; i += 2) {
		differ = gshmemi_arch_load(&c->request[first + i], 8) ^ gshmemi_arch_load(&c->server[first + i], 8);
		if (differ)
			found |= (uint64_t)((differ & 0xffffffffU) != 0) << i | (uint64_t)(differ >> 32 != 0) << (i + 1);
	}
	return found;
}

static bool serve_group(struct server *s, struct gshmemi_rpc_served *served, uint32_t group)
{
	const uint32_t first = group * GSHMEMI_RPC_GROUP;
	uint64_t found = find_posted(&served->channel, first);
	const bool has_work = found != 0;
	struct gshmemi_rpc_op *op;

	for (; found; found &= found - 1) {
		op = gshmemi_rpc_serve_slot(served, first + (uint32_t)__builtin_ctzll(found));
		if (op) {
			op->next = s->pending;
			s->pending = op;
		}
	}
	return has_work;
}

static bool serve_channel(struct server *s, struct gshmemi_rpc_served *served, bool all)
{
	const struct gshmemi_rpc_channel *c = &served->channel;
	const uint32_t ngroups = c->nslots / GSHMEMI_RPC_GROUP;
	bool has_work = false;
	uint32_t group;

	for (group = s->rank; group < ngroups; group += nservers) {
		if (c->bell && !gshmemi_rpc_take_bell(c, group) && !all)
			continue;
		has_work |= serve_group(s, served, group);
	}
	return has_work;
}

static bool go_on(struct server *s)
{
	struct gshmemi_rpc_op **link = &s->pending, *op;
	bool has_ended = false;

	while ((op = *link)) {
		*link = op->next; /* it may be freed */
		if (gshmemi_rpc_go_on(op)) {
			has_ended = true;
		} else {
			op->next = *link;
			*link = op;
			link = &op->next;
		}
	}
	return has_ended;
}

static bool serve(struct server *s, bool all)
{
	bool has_work;

	if (++s->npasses >= FULL_SCAN || all) {
		s->npasses = 0;
		all = true;
	}
	has_work = serve_channel(s, &gshmemi_rpc_kernels, all);
	has_work |= serve_channel(s, &gshmemi_rpc_threads, all);
	if (s->pending)
		has_work |= go_on(s);
	return has_work;
}

/* ---- resting ---- */

static void sleep_on(uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec limit = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

/* Sleep, unless work has come: a client that posts reads nasleep after its request, this thread the other way round. */
static void nap(struct server *s)
{
	uint64_t ns = SLEEP_NS;
	uint32_t nwakes_before;

	if (!is_woken || s->pending) {
		s->nap_ns = s->nap_ns < NAP_MIN_NS ? NAP_MIN_NS : 2 * s->nap_ns > NAP_MAX_NS ? NAP_MAX_NS : 2 * s->nap_ns;
		ns = s->nap_ns;
	}
	nwakes_before = __atomic_load_n(&nwakes, __ATOMIC_ACQUIRE);
	__atomic_fetch_add(&nasleep, 1, __ATOMIC_SEQ_CST);
	gshmemi_arch_fence_system(); /* pairs with that of gshmemi_rpc_wake_server */
	if (serve(s, true))
		s->worked_ns = gshmemi_arch_clock_ns();
	else if (!atomic_load(&is_stopping))
		sleep_on(&nwakes, nwakes_before, ns);
	__atomic_fetch_sub(&nasleep, 1, __ATOMIC_SEQ_CST);
}

static void rest(struct server *s)
{
	const uint64_t idle_ns = gshmemi_arch_clock_ns() - s->worked_ns;

	if (spins && (idle_ns < SPIN_NS || gshmemi_env.RPC_POLL == GSHMEMI_POLL_SPIN))
		__builtin_ia32_pause();
	else if (idle_ns < YIELD_NS || gshmemi_env.RPC_POLL == GSHMEMI_POLL_YIELD)
		sched_yield();
	else
		nap(s);
}

void gshmemi_rpc_wake(void)
{
	__atomic_fetch_add(&nwakes, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &nwakes, FUTEX_WAKE_PRIVATE, 0x7fffffff, NULL, NULL, 0);
}

void gshmemi_host_rpc_wake(uint32_t *asleep)
{
	if (asleep == &nasleep)
		gshmemi_rpc_wake();
}

/* ---- the threads ---- */

#define CLOCK_PASSES 64 /* empty passes between two looks at the clock */

static void *run(void *arg)
{
	struct server *s = arg;
	unsigned nempty = 0;

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	s->worked_ns = gshmemi_arch_clock_ns();
	for (;;) {
		if (serve(s, false)) {
			nempty = 0;
			s->nap_ns = 0;
			continue;
		}
		if (nempty == 0)
			s->worked_ns = gshmemi_arch_clock_ns();
		if (atomic_load_explicit(&is_stopping, memory_order_acquire) && !s->pending && !serve(s, true))
			break;
		if (++nempty % CLOCK_PASSES && spins && nempty < CLOCK_PASSES)
			__builtin_ia32_pause();
		else
			rest(s);
	}
	return NULL;
}

/* Cores that this process may use, and that its node's PEs would keep busy. */
static bool has_cores(unsigned nthreads)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set))
		return false;
	return CPU_COUNT(&set) > gshmemi_job->nlocal * (int)nthreads;
}

static int start_thread(struct server *s, unsigned rank)
{
	sigset_t all, old;
	int rc;

	memset(s, 0, sizeof *s);
	s->rank = rank;
	sigfillset(&all); /* signals are the user's, and for the user's threads */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = -pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		gshmemi_error("rpc: a server thread cannot start: %s", strerror(-rc));
	return rc;
}

int gshmemi_rpc_start(void)
{
	const unsigned wanted = (unsigned)gshmemi_env.RPC_THREADS;
	unsigned nstarted;
	int rc = 0;

	servers = calloc(wanted, sizeof *servers);
	if (!servers) {
		gshmemi_error("rpc: no memory");
		return -ENOMEM;
	}
	spins = gshmemi_env.RPC_POLL != GSHMEMI_POLL_YIELD && has_cores(wanted);
	atomic_store(&is_stopping, false);
	nservers = wanted;
	for (nstarted = 0; nstarted < wanted && !rc; nstarted++)
		rc = start_thread(&servers[nstarted], nstarted);
	if (rc) {
		nservers = nstarted - 1; /* to be joined */
		gshmemi_rpc_stop();
	}
	return rc;
}

static void poison(const struct gshmemi_rpc_channel *c)
{
	if (c->poison)
		__atomic_store_n((uint32_t *)(uintptr_t)c->poison, 1, __ATOMIC_RELEASE);
}

void gshmemi_rpc_stop(void)
{
	unsigned i;

	atomic_store(&is_stopping, true);
	gshmemi_rpc_wake();
	for (i = 0; i < nservers; i++)
		pthread_join(servers[i].thread, NULL);
	nservers = 0;
	free(servers);
	servers = NULL;
	gshmemi_rpc_workers_stop();
	poison(&gshmemi_rpc_kernels.channel);
	poison(&gshmemi_rpc_threads.channel);
}

/* ---- the library's channels ---- */

static int check_env(unsigned nwaves)
{
	const int nslots = gshmemi_env.RPC_SLOTS;

	if (nslots > 1 << 20 || nslots == -1)
		gshmemi_error("GSHMEM_RPC_SLOTS=%d: must be a number from 0 to %d, 0 for one a wave", nslots, 1 << 20);
	else if (gshmemi_env.RPC_THREADS < 1 || gshmemi_env.RPC_THREADS > 64)
		gshmemi_error("GSHMEM_RPC_THREADS=%d: must be a number from 1 to 64", gshmemi_env.RPC_THREADS);
	else if (gshmemi_env.RPC_WORKERS < 1 || gshmemi_env.RPC_WORKERS > 1024)
		gshmemi_error("GSHMEM_RPC_WORKERS=%d: must be a number from 1 to 1024", gshmemi_env.RPC_WORKERS);
	else {
		if (nslots && (unsigned)nslots < nwaves)
			gshmemi_warn("GSHMEM_RPC_SLOTS=%d, but %u waves can be resident: waves that call at the same time may "
				     "starve one another", nslots, nwaves);
		return 0;
	}
	return -EINVAL;
}

static int open_served(struct gshmemi_rpc_served *served, const struct gshmemi_rpc_shape *shape)
{
	int rc;

	served->stream_state = calloc(shape->nslots, sizeof *served->stream_state);
	if (!served->stream_state) {
		gshmemi_error("rpc: no memory");
		return -ENOMEM;
	}
	atomic_store(&served->completed, 0);
	rc = gshmemi_rpc_channel_open(shape, &served->channel, &served->nbytes);
	if (rc)
		return rc;
	served->channel.asleep = &nasleep;
	served->channel.trace = gshmemi_env.TRACE != NULL;
	return 0;
}

static void close_served(struct gshmemi_rpc_served *served)
{
	gshmemi_rpc_channel_close(&served->channel);
	free(served->stream_state);
	served->stream_state = NULL;
}

int gshmemi_rpc_open_channels(void)
{
	struct gshmemi_rpc_shape shape = {0};
	unsigned nwaves, width;
	int rc;

	rc = gshmemi_rpc_resident(&nwaves, &width);
	if (!rc)
		rc = check_env(nwaves);
	if (rc)
		return rc;
	is_woken = GSHMEMI_ARCH_KERNELS_WAKE && gshmemi_env.RPC_POLL != GSHMEMI_POLL_NAP;
	shape.nslots = gshmemi_env.RPC_SLOTS ? (unsigned)gshmemi_env.RPC_SLOTS : nwaves;
	shape.nslots = (shape.nslots + GSHMEMI_RPC_GROUP - 1) / GSHMEMI_RPC_GROUP * GSHMEMI_RPC_GROUP;
	shape.nlanes = width;
	shape.flags = is_woken ? GSHMEMI_RPC_WAKES : 0;
	shape.first_seq = (uint32_t)gshmemi_env.RPC_SEQ;
	rc = open_served(&gshmemi_rpc_kernels, &shape);
	shape.nslots = GSHMEMI_RPC_GROUP;
	shape.nlanes = 1;
	shape.flags = gshmemi_env.RPC_POLL == GSHMEMI_POLL_NAP ? 0 : GSHMEMI_RPC_WAKES;
	shape.is_host_client = true;
	if (!rc)
		rc = open_served(&gshmemi_rpc_threads, &shape);
	if (!rc)
		rc = gshmemi_rpc_library_open();

	if (rc)
		gshmemi_rpc_close_channels();
	return rc;
}

void gshmemi_rpc_close_channels(void)
{
	gshmemi_rpc_library_close();
	close_served(&gshmemi_rpc_kernels);
	close_served(&gshmemi_rpc_threads);
	gshmemi_rpc_forget_functions();

}
