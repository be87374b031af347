/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent of a device (agent.h): mails for its kernels; and copies and kernels of its own, which a thread
 * starts because the net thread must not call HIP. Landings are host-pinned memory, in two pools: one for
 * other PEs' operations, one for this PE's. A request that holds a landing and waits for another PE must not
 * block that PE's requests.
 */
#include "owner/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <gshmem/move/carry.h>

#include "base/thread.h"
#include "device/devmem.h"
#include "engine/engine.h"
#include "job/job.h"
#include "mpi/mpi.h"
#include "owner/mail.h"
#include "owner/update.h"

#if !GSHMEMI_ARCH_HOST_DIRECT

#define NSMALL 32 /* landings for a record, in each pool, */
#define NLARGE 8  /* and for a chunk */
#define NPOOLS 2

struct pool {
	struct gshmemi_landing *small, *large; /* lists of free ones; guarded by the engine's lock */
};

static struct pool pools[NPOOLS];
static struct gshmemi_landing *landings;
static void *memory;

/* ---- landings ---- */

static struct gshmemi_landing *take_landing(struct pool *pool, size_t nbytes)
{
	struct gshmemi_landing **free = nbytes <= GSHMEMI_NET_SMALL_NBYTES ? &pool->small : &pool->large;
	struct gshmemi_landing *landing = *free;

	if (landing) {
		*free = landing->next;
		landing->is_copying = false;
	}
	return landing;
}

static void give(struct pool *pool, struct gshmemi_landing *landing)
{
	struct gshmemi_landing **free =
		landing->room <= GSHMEMI_NET_SMALL_NBYTES ? &pool->small : &pool->large;

	landing->next = *free;
	*free = landing;
}

static size_t landings_nbytes(void)
{
	return (size_t)NPOOLS * (NSMALL * GSHMEMI_NET_SMALL_NBYTES + NLARGE * GSHMEMI_NET_CHUNK_NBYTES);
}

static int open_landings(void)
{
	unsigned p, i;
	char *at;
	int rc;

	landings = calloc(NPOOLS * (NSMALL + NLARGE), sizeof *landings);
	if (!landings) {
		gshmemi_error("net: %d landings: out of memory", NPOOLS * (NSMALL + NLARGE));
		return -ENOMEM;
	}
	rc = gshmemi_hip_advise(hipHostMalloc(&memory, landings_nbytes(),
					hipHostMallocMapped | hipHostMallocPortable | hipHostMallocCoherent),
		"run fewer PEs on this machine, or let them pin more memory (ulimit -l, the limit of a "
		"container; calls from kernels pin memory too: GSHMEM_RPC_SLOTS)",
		"init: PE %d on %s: hipHostMalloc of %zu bytes for landings, through which MPI carries what "
		"other PEs and it ask of each other's device memory",
		gshmemi_job->my_pe, gshmemi_job->host, landings_nbytes());
	if (rc) {
		memory = NULL;
		return rc;
	}
	at = memory;
	for (p = 0; p < NPOOLS; p++) {
		for (i = 0; i < NSMALL + NLARGE; i++) {
			struct gshmemi_landing *landing = &landings[p * (NSMALL + NLARGE) + i];

			landing->memory = at;
			landing->room = i < NSMALL ? GSHMEMI_NET_SMALL_NBYTES : GSHMEMI_NET_CHUNK_NBYTES;
			at += landing->room;
			give(&pools[p], landing);
		}
	}
	return 0;
}

static void close_landings(void)
{
	memset(pools, 0, sizeof pools);
	gshmemi_host_free(memory);
	free(landings);
	memory = NULL;
	landings = NULL;
}

/* ---- copies, and kernels ---- */

static pthread_t thread;
static bool is_running;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct gshmemi_landing *first, **last = &first; /* the copies requested */
static struct gshmemi_update_list updates = {NULL, &updates.first};
static bool is_stopping;
static hipStream_t stream;
static hipEvent_t event;

static void begin_copy(
	void *user, struct gshmemi_landing *landing, void *dest, const void *source, size_t nbytes)
{
	(void)user;
	landing->dest = dest;
	landing->source = source;
	landing->nbytes = nbytes;
	landing->next = NULL;
	landing->is_copying = true;
	atomic_store(&landing->is_over, false);
	pthread_mutex_lock(&lock);
	*last = landing;
	last = &landing->next;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
}

static struct gshmemi_kernel_update *begin_update(void *user, const struct gshmemi_op_record *r)
{
	struct gshmemi_kernel_update *update = gshmemi_update_begin(r);

	(void)user;
	if (update) {
		pthread_mutex_lock(&lock);
		gshmemi_update_push(&updates, update);
		pthread_cond_signal(&work);
		pthread_mutex_unlock(&lock);
	}
	return update;
}

static enum gshmemi_update_state look_at_update(void *user, struct gshmemi_kernel_update *update, char *old)
{
	(void)user;
	return gshmemi_update_look(update, old);
}

static void await_event(void)
{
	hipError_t error;

	while (!gshmemi_devmem_is_reached(event, &error))
		gshmemi_thread_yield();
	gshmemi_devmem_must(error, "net", "hipEventQuery");
}

/* Starts all copies of a list, then waits once for all of them. */
static void copy_all(struct gshmemi_landing *list)
{
	struct gshmemi_landing *landing, *next;

	for (landing = list; landing; landing = landing->next)
		gshmemi_devmem_must(hipMemcpyAsync(landing->dest, landing->source, landing->nbytes,
					    hipMemcpyDefault, stream),
			"net", "hipMemcpyAsync");
	gshmemi_devmem_must(hipEventRecord(event, stream), "net", "hipEventRecord");
	await_event();
	for (landing = list; landing; landing = next) {
		next = landing->next; /* it may belong to another as soon as it is over */
		atomic_store_explicit(&landing->is_over, true, memory_order_release);
	}
}

static void *run_thread(void *unused)
{
	struct gshmemi_kernel_update *update;
	struct gshmemi_landing *list;

	(void)unused;
	(void)gshmemi_devmem_enter();
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!first && !updates.first && !is_stopping)
			pthread_cond_wait(&work, &lock);
		if (!first && !updates.first)
			break;
		list = first;
		first = NULL;
		last = &first;
		update = updates.first;
		updates = (struct gshmemi_update_list){NULL, &updates.first};
		pthread_mutex_unlock(&lock);
		gshmemi_update_launch_all(update);
		if (list)
			copy_all(list);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int start_thread(void)
{
	int rc;

	is_stopping = false;
	rc = gshmemi_thread_start(
		&thread, run_thread, NULL, "net: the thread that copies and launches kernels");
	is_running = !rc;
	return rc;
}

static void stop_thread(void)
{
	if (!is_running)
		return;
	pthread_mutex_lock(&lock);
	is_stopping = true;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	is_running = false;
}

/* ---- the agent ---- */

static bool post(void *user, const struct gshmemi_op_record *r, uint64_t *ticket_p)
{
	const bool is_put = gshmemi_op_what(r->head) == GSHMEMI_PUT;
	struct gshmemi_op_record mail = {
		/* ordered, because the asker may have called fence before it */
		.head = (uint32_t)r->head | GSHMEMI_OP_ORDERED |
			(uint64_t)(uint32_t)gshmemi_job->my_pe << GSHMEMI_OP_WHO_SHIFT,
		.place = r->place,
	};

	(void)user;
	if (is_put)
		mail.place |= (uint64_t)gshmemi_op_who(r->head) << GSHMEMI_OP_NBYTES_SHIFT;
	else
		mail.u.amo.value = r->u.amo.value;
	mail.u.amo.cond = gshmemi_wire_cond(r);
	return gshmemi_mailbox_post(&mail, is_put ? gshmemi_wire_data(r) : NULL, ticket_p);
}

static bool is_done(void *user, uint64_t ticket, uint64_t *old_p)
{
	(void)user;
	return gshmemi_mailbox_is_done(ticket, old_p);
}

static struct gshmemi_landing *take_for_others(void *user, size_t nbytes)
{
	(void)user;
	return take_landing(&pools[0], nbytes);
}

static void give_for_others(void *user, struct gshmemi_landing *landing)
{
	(void)user;
	give(&pools[0], landing);
}

static struct gshmemi_agent agent = {post, is_done, take_for_others, give_for_others, begin_copy,
	begin_update, look_at_update, NULL, false};

const struct gshmemi_agent *gshmemi_net_agent(void)
{
	return &agent;
}

bool gshmemi_net_sends_device(void)
{
	return agent.sends_device;
}

/* Asks MPI what it can do. Trying it would not do: an MPI that cannot ends the process. */
static bool find_sends_device(void)
{
	if (gshmemi_env.MPI_GPU != GSHMEMI_MPI_GPU_AUTO)
		return gshmemi_env.MPI_GPU == GSHMEMI_MPI_GPU_YES;
	return gshmemi_mpi_takes_device();
}

struct gshmemi_landing *gshmemi_landing_take(size_t nbytes)
{
	return take_landing(&pools[1], nbytes);
}

void gshmemi_landing_give(struct gshmemi_landing *landing)
{
	give(&pools[1], landing);
}

void gshmemi_landing_copy(struct gshmemi_landing *landing, void *dest, const void *source, size_t nbytes)
{
	begin_copy(NULL, landing, dest, source, nbytes);
}

int gshmemi_net_agent_open(void)
{
	int rc;

	agent.sends_device = find_sends_device();
	gshmemi_info("net: bulk data in the device's memory is %s",
		agent.sends_device ? "sent by MPI from there" : "copied to landings first");
	rc = open_landings();
	if (!rc)
		rc = gshmemi_devmem_open_stream(&stream, false, "init");
	if (!rc)
		rc = gshmemi_hip(hipEventCreateWithFlags(&event, hipEventDisableTiming),
			"init: hipEventCreateWithFlags");
	if (!rc)
		rc = gshmemi_update_open();
	if (!rc)
		rc = start_thread();
	if (rc)
		gshmemi_net_agent_close();
	return rc;
}

void gshmemi_net_agent_close(void)
{
	stop_thread();
	gshmemi_update_close();
	gshmemi_devmem_close_stream(&stream, &event);
	close_landings();
}

#else

const struct gshmemi_agent *gshmemi_net_agent(void)
{
	return NULL;
}

bool gshmemi_net_sends_device(void)
{
	return true; /* from any memory */
}

int gshmemi_net_agent_open(void)
{
	return 0;
}

void gshmemi_net_agent_close(void) {}

#endif
