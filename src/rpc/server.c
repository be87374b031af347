/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads that serve calls. Each has every n-th group of slots. It reads their requests, serves the new
 * ones, goes on with pending ones, and rests when there is nothing to do.
 *
 * The threads call no MPI. They call HIP only in users' functions, because a HIP call may wait for a kernel
 * that waits for its answer.
 */
#include "rpc/rpc.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/scale.h"
#include "base/thread.h"
#include "job/job.h"
#include "net/net.h"

#define SPIN_NS      20000  /* after the last work: spin, */
#define YIELD_NS     200000 /* then yield, */
#define NAP_MIN_NS   20000  /* then sleep, longer each time, */
#define NAP_MAX_NS   250000 /* because a GPU cannot wake a thread; */
/* where clients wake the server it sleeps this long, so that it notices the end */
#define SLEEP_NS     10000000
#define CLOCK_LOOKS  64       /* polls in vain per look at the clock, while it spins */
#define FULL_SCAN    1000     /* passes by bells between two passes that read all requests, */
#define FULL_SCAN_NS 10000000 /* and the time between these where passes are rare */
#define BELLS_LINE   16       /* bells in a cache line */
#define HOT_LOOKS    8        /* looks at the slots that called last, per pass over all slots */

struct gshmemi_rpc_served gshmemi_rpc_kernels = {.name = "a kernel"};
struct gshmemi_rpc_served gshmemi_rpc_threads = {.name = "a CPU thread"};
struct gshmemi_rpc_counts gshmemi_rpc_counts;

struct server {
	pthread_t thread;
	unsigned rank;
	unsigned npasses;      /* passes since all requests were read, */
	uint64_t full_scan_ns; /* and when that was, where passes are rare */
	unsigned nlooks;
	unsigned nempty;     /* looks since there was something to do */
	bool is_resting;     /* nothing has arrived for so long that it gives the core away between looks */
	bool bell_was_early; /* a bell was rung but no request was there: perhaps it comes later */
	uint32_t hot[2]; /* the slot that called last, of kernels and of threads; or GSHMEMI_RPC_NO_SLOT */
	struct gshmemi_rpc_task *pending;
	uint64_t worked_ns; /* when there last was something to do */
	unsigned nap_ns;
};

static struct server *servers;
static unsigned nservers; /* that are running */
static bool spins;        /* there are enough cores */
static bool is_woken;     /* all clients wake servers that sleep */
static atomic_bool is_stopping;
static uint32_t nasleep; /* servers that sleep; in process memory, because only CPU threads read it */
static uint32_t nwakes;  /* the futex on which they sleep */
static atomic_uint npending_asleep; /* of these, the ones with pending calls */

/* ---- looking for work ---- */

/*
 * Returns the slots of a group whose request differs from the one last taken: bit i is slot i of the group.
 */
static uint64_t find_posted(const struct gshmemi_rpc_channel *c, uint32_t first)
{
	uint64_t found = 0, differ;
	unsigned i;

	for (i = 0; i < GSHMEMI_RPC_GROUP; i += 2) {
		differ = gshmemi_arch_load(&c->request[first + i], 8) ^
			gshmemi_arch_load(&c->server[first + i], 8);
		if (differ)
			found |= (uint64_t)((differ & 0xffffffffU) != 0) << i |
				(uint64_t)(differ >> 32 != 0) << (i + 1);
	}
	return found;
}

static void serve_slot(struct server *s, struct gshmemi_rpc_served *served, uint32_t slot)
{
	struct gshmemi_rpc_task *task = gshmemi_rpc_serve_slot(served, slot);

	if (task) {
		task->next = s->pending;
		s->pending = task;
	}
}

static bool serve_group(struct server *s, struct gshmemi_rpc_served *served, uint32_t group)
{
	const uint32_t first = group * GSHMEMI_RPC_GROUP;
	const uint64_t found = find_posted(&served->channel, first);
	uint64_t rest;

	if (!found)
		return false;
	for (rest = found; rest; rest &= rest - 1) /* the headers arrive while the first calls are served */
		__builtin_prefetch(&served->channel.header[first + (uint32_t)__builtin_ctzll(rest)]);
	for (rest = found; rest; rest &= rest - 1)
		serve_slot(s, served, first + (uint32_t)__builtin_ctzll(rest));
	s->hot[served == &gshmemi_rpc_threads] = first + 63 - (uint32_t)__builtin_clzll(found);
	return true;
}

/*
 * The slot that called last is often the next to call. Its header is read together with its request, so that
 * both cache lines arrive at the same time: one after the other they make a call a third slower.
 */
static bool serve_hot(struct server *s, struct gshmemi_rpc_served *served)
{
	const struct gshmemi_rpc_channel *c = &served->channel;
	const uint32_t slot = s->hot[served == &gshmemi_rpc_threads];

	if (slot >= c->nslots)
		return false;
	(void)gshmemi_arch_load(&c->header[slot].lanes, 8);
	if (!gshmemi_rpc_is_posted(c, slot))
		return false;
	serve_slot(s, served, slot);
	return true;
}

static bool serve_group_and_bell(struct server *s, struct gshmemi_rpc_served *served, uint32_t group)
{
	const bool rings = served->channel.bell && gshmemi_rpc_take_bell(&served->channel, group);

	if (serve_group(s, served, group))
		return true;
	s->bell_was_early |= rings;
	return false;
}

/*
 * Whether any bell in a cache line is rung. Reads them in pairs: one by one, 16384 slots made each call 1.7
 * times as long.
 */
static bool is_any_rung(const uint32_t *bells)
{
	uint64_t rung = 0;
	unsigned i;

	for (i = 0; i < BELLS_LINE; i += 2)
		rung |= gshmemi_arch_load(&bells[i], 8);
	return rung != 0;
}

static bool serve_rung(struct server *s, struct gshmemi_rpc_served *served)
{
	const uint32_t *bell = served->channel.bell, ngroups = served->channel.nslots / GSHMEMI_RPC_GROUP;
	bool has_work = false;
	uint32_t first, group;

	for (first = 0; first < ngroups; first += BELLS_LINE) {
		if (!is_any_rung(&bell[first]))
			continue;
		for (group = first; group < first + BELLS_LINE && group < ngroups; group++)
			if (gshmemi_arch_load(&bell[group], 4) && group % nservers == s->rank)
				has_work |= serve_group_and_bell(s, served, group);
	}
	return has_work;
}

static bool serve_channel(struct server *s, struct gshmemi_rpc_served *served, bool all)
{
	const uint32_t ngroups = served->channel.nslots / GSHMEMI_RPC_GROUP;
	bool has_work = false;
	uint32_t group;

	if (served->channel.bell && !all)
		return serve_rung(s, served);
	for (group = s->rank; group < ngroups; group += nservers)
		has_work |= serve_group_and_bell(s, served, group);
	return has_work;
}

static bool go_on(struct server *s)
{
	struct gshmemi_rpc_task **link = &s->pending, *task;
	bool has_ended = false;

	while ((task = *link)) {
		*link = task->next; /* gshmemi_rpc_go_on may free task */
		if (gshmemi_rpc_go_on(task)) {
			has_ended = true;
		} else {
			task->next = *link;
			*link = task;
			link = &task->next;
		}
	}
	return has_ended;
}

static bool serve_slots(struct server *s, bool all)
{
	bool has_work;

	if (++s->npasses >= FULL_SCAN)
		all = true;
	if (all)
		s->npasses = 0;
	has_work = serve_channel(s, &gshmemi_rpc_kernels, all);
	has_work |= serve_channel(s, &gshmemi_rpc_threads, all);
	if (s->pending)
		has_work |= go_on(s);
	return has_work;
}

/*
 * A quick look at the last slots while there is much to do, and every HOT_LOOKS looks a pass over all slots.
 */
static bool look(struct server *s)
{
	bool has_work = serve_hot(s, &gshmemi_rpc_kernels);

	has_work |= serve_hot(s, &gshmemi_rpc_threads);
	if (spins && ++s->nlooks % HOT_LOOKS)
		return has_work;
	return has_work | serve_slots(s, false);
}

/* ---- resting ---- */

static void sleep_on(uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec limit = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

static void has_worked(struct server *s)
{
	s->nempty = 0;
	s->nap_ns = 0;
	s->is_resting = false;
}

/*
 * Sleeps unless work has arrived. A client that posts reads nasleep after writing its request; this thread
 * does the reverse.
 */
static void nap_until(struct server *s, uint64_t now_ns)
{
	const bool all = s->bell_was_early || now_ns - s->full_scan_ns >= FULL_SCAN_NS;
	uint64_t ns = SLEEP_NS;
	uint32_t nwakes_before;
	unsigned has_pending;

	if (!is_woken || s->pending) {
		s->nap_ns = s->nap_ns < NAP_MIN_NS   ? NAP_MIN_NS
			: 2 * s->nap_ns > NAP_MAX_NS ? NAP_MAX_NS
						     : 2 * s->nap_ns;
		ns = s->nap_ns;
	}
	if (all) {
		s->full_scan_ns = now_ns;
		s->bell_was_early = false;
	}
	nwakes_before = __atomic_load_n(&nwakes, __ATOMIC_ACQUIRE);
	has_pending = s->pending != NULL;
	atomic_fetch_add(&npending_asleep, has_pending);
	__atomic_fetch_add(&nasleep, 1, __ATOMIC_SEQ_CST);
	/* see gshmemi_rpc_wake_server */
	if (ns == SLEEP_NS)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	if (serve_slots(s, all))
		has_worked(s);
	else if (!atomic_load(&is_stopping))
		sleep_on(&nwakes, nwakes_before, ns);
	__atomic_fetch_sub(&nasleep, 1, __ATOMIC_SEQ_CST);
	atomic_fetch_sub(&npending_asleep, has_pending);
}

static void rest_thread(struct server *s)
{
	const uint64_t now_ns = gshmemi_arch_clock_ns();
	const uint64_t idle_ns = s->nempty > CLOCK_LOOKS ? now_ns - s->worked_ns : 0;

	if (!idle_ns)
		s->worked_ns = now_ns;
	if (spins && (idle_ns < SPIN_NS || gshmemi_env.RPC_POLL == GSHMEMI_POLL_SPIN))
		return;
	s->is_resting = true;
	s->nlooks = HOT_LOOKS - 1; /* so that the next look is at all slots */
	if (idle_ns < YIELD_NS || gshmemi_env.RPC_POLL == GSHMEMI_POLL_YIELD)
		gshmemi_thread_yield();
	else
		nap_until(s, now_ns);
}

void gshmemi_rpc_wake(void)
{
	__atomic_fetch_add(&nwakes, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &nwakes, FUTEX_WAKE_PRIVATE, 0x7fffffff, NULL, NULL, 0);
}

/* Called when the net has made progress: pending calls may be over. */
static void wake_pending(void)
{
	if (atomic_load(&npending_asleep))
		gshmemi_rpc_wake();
}

void gshmemi_host_rpc_wake(uint32_t *asleep)
{
	if (asleep == &nasleep)
		gshmemi_rpc_wake();
}

/* ---- the threads ---- */

static void *run_thread(void *arg)
{
	struct server *s = arg;

	gshmemi_set_serving(true);
	GSHMEMI_RACE_SERVING();
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	s->worked_ns = s->full_scan_ns = gshmemi_arch_clock_ns();
	for (;;) {
		if (look(s)) {
			has_worked(s);
			continue;
		}
		if (++s->nempty % CLOCK_LOOKS && spins && !s->is_resting) {
			gshmemi_arch_relax();
			continue;
		}
		if (atomic_load_explicit(&is_stopping, memory_order_acquire) && !s->pending &&
			!serve_slots(s, true))
			break;
		rest_thread(s);
	}
	return NULL;
}

/*
 * Whether this process may use more cores than the servers and net threads of this machine's PEs keep busy.
 */
static bool has_cores(unsigned nservers_each)
{
	const unsigned nthreads = nservers_each + gshmemi_net_is_running();
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set))
		return false;
	return CPU_COUNT(&set) > gshmemi_job->npeers * (int)nthreads;
}

static int start_thread(struct server *s, unsigned rank)
{
	int rc;

	memset(s, 0, sizeof *s);
	s->rank = rank;
	s->hot[0] = s->hot[1] = GSHMEMI_RPC_NO_SLOT;
	rc = gshmemi_thread_start(&s->thread, run_thread, s, "rpc: a server thread");
	return rc;
}

int gshmemi_rpc_start(void)
{
	const unsigned wanted = (unsigned)gshmemi_env.RPC_THREADS;
	unsigned nstarted;
	int rc = 0;

	servers = calloc(wanted, sizeof *servers);
	if (!servers) {
		gshmemi_error("rpc: a server: out of memory");
		return -ENOMEM;
	}
	spins = gshmemi_env.RPC_POLL != GSHMEMI_POLL_YIELD && has_cores(wanted);
	atomic_store(&is_stopping, false);
	gshmemi_net_on_progress = wake_pending;
	gshmemi_rpc_carry_begin();
	nservers = wanted;
	for (nstarted = 0; nstarted < wanted && !rc; nstarted++)
		rc = start_thread(&servers[nstarted], nstarted);
	if (rc) {
		nservers = nstarted - 1; /* the threads to be joined */
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

static void warn_of_few_slots(unsigned nwaves)
{
	const unsigned nslots = (unsigned)gshmemi_env.RPC_SLOTS;

	if (nslots && nslots < nwaves && gshmemi_job->my_pe == 0)
		gshmemi_warn("GSHMEM_RPC_SLOTS=%u, but %u waves can be resident: waves that call at the same "
			     "time may starve one another",
			nslots, nwaves);
}

static int open_served(struct gshmemi_rpc_served *served, const struct gshmemi_rpc_shape *shape)
{
	int rc;

	served->stream_state = calloc(shape->nslots, sizeof *served->stream_state);
	if (!served->stream_state) {
		gshmemi_error("rpc: a server: out of memory");
		return -ENOMEM;
	}
	atomic_store(&served->completed[0], 0);
	atomic_store(&served->completed[1], 0);
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

/* The shapes of the kernels' and the CPU threads' channels, except their flags. */
static int find_shapes(
	struct gshmemi_rpc_shape *kernels, struct gshmemi_rpc_shape *threads, unsigned *nwaves_p)
{
	unsigned nslots, width;
	int rc;

	rc = gshmemi_rpc_resident(nwaves_p, &width);
	if (rc)
		return rc;
	nslots = gshmemi_env.RPC_SLOTS ? (unsigned)gshmemi_env.RPC_SLOTS : *nwaves_p;
	*kernels = (struct gshmemi_rpc_shape){0};
	kernels->nslots = (nslots + GSHMEMI_RPC_GROUP - 1) / GSHMEMI_RPC_GROUP * GSHMEMI_RPC_GROUP;
	kernels->nlanes = width;
	kernels->first_seq = gshmemi_env.FIRST_SEQ;
	*threads = *kernels;
	threads->nslots = GSHMEMI_RPC_GROUP;
	threads->nlanes = 1;
	threads->is_host_client = true;
	return 0;
}

int gshmemi_rpc_scale(struct gshmemi_scale *scale)
{
	struct gshmemi_rpc_shape shapes[2];
	size_t pinned[2], device[2];
	unsigned nwaves, i;
	int rc;

	rc = find_shapes(&shapes[0], &shapes[1], &nwaves);
	if (rc)
		return rc;
	for (i = 0; i < 2; i++)
		gshmemi_rpc_channel_size(&shapes[i], &pinned[i], &device[i]);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_DEVICE, "calls_from_kernels", device[0] + device[1]);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_PINNED, "calls_from_kernels",
		pinned[0] + pinned[1] + gshmemi_rpc_arena_nbytes());
	return 0;
}

int gshmemi_rpc_open_channels(void)
{
	struct gshmemi_rpc_shape kernels, threads;
	unsigned nwaves;
	int rc;

	rc = find_shapes(&kernels, &threads, &nwaves);
	if (rc)
		return rc;
	warn_of_few_slots(nwaves);
	is_woken = GSHMEMI_ARCH_KERNELS_WAKE && gshmemi_env.RPC_POLL != GSHMEMI_POLL_NAP &&
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
	kernels.flags = is_woken ? GSHMEMI_RPC_WAKES : 0;
	rc = open_served(&gshmemi_rpc_kernels, &kernels);
	threads.flags = gshmemi_env.RPC_POLL != GSHMEMI_POLL_NAP ? GSHMEMI_RPC_WAKES : 0;
	if (!rc)
		rc = open_served(&gshmemi_rpc_threads, &threads);
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
