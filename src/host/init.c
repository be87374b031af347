/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Init and finalize.
 *
 * Every step of init may fail on one PE alone. That PE carries its error to the next exchange, where all PEs
 * learn of it and turn back together, so no PE leaves the sequence of collective calls. Messages are held
 * until then, and the lowest PE with an error prints its own.
 */
#include "host/host.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scale.h"
#include "base/thread.h"
#include "bootstrap/bootstrap.h"
#include "device/devmem.h"
#include "device/state.h"
#include "end/end.h"
#include "heap/buffers.h"
#include "heap/heap.h"
#include "ipc/map.h"
#include "ipc/region.h"
#include "job/job.h"
#include "job/life.h"
#include "job/races.h"
#include "net/net.h"
#include "op/op.h"
#include "owner/mailbox.h"
#include "rpc/rpc.h"
#include "team/team.h"
#include "trace/trace.h"
#include "win/win.h"

static unsigned depth;   /* gshmem_init calls not yet matched by a finalize */
static int thread_level; /* GSHMEM_THREAD_*, the level in force */
static struct gshmemi_fault *fault;

/* ---- init ---- */

/* The arguments of init, completed from the environment. */
struct request {
	int thread_level;
	int device;
	uint64_t heap_nbytes;
};

static int check_attr(const struct gshmemx_init_attributes *attr)
{
	if (attr->uniqueid && attr->mpi_comm)
		gshmemi_error("gshmemx_init_attr: the attributes have both a communicator and a unique id");
	else if (attr->uniqueid && (attr->rank < 0 || attr->rank >= attr->nranks))
		gshmemi_error(
			"gshmemx_init_attr: there is no rank %d in a job of %d", attr->rank, attr->nranks);
	else if (attr->thread_level < GSHMEM_THREAD_SINGLE || attr->thread_level > GSHMEM_THREAD_MULTIPLE)
		gshmemi_error("init: %d is not a thread level", attr->thread_level);
	else
		return 0;
	return -EINVAL;
}

/*
 * Fills *attr_p, which holds the defaults, from the caller's attributes. A program compiled before there were
 * unique ids passes a shorter struct.
 */
static int read_attr(const struct gshmemx_init_attributes *attr, struct gshmemx_init_attributes *attr_p)
{
	const size_t least_nbytes = offsetof(struct gshmemx_init_attributes, uniqueid);

	if (!attr) {
		gshmemi_error(
			"gshmemx_init_attr: the attributes are NULL: start from GSHMEMX_INIT_ATTR_DEFAULT");
		return -EINVAL;
	}
	if (attr->size != sizeof *attr && attr->size != least_nbytes) {
		gshmemi_error(
			"gshmemx_init_attr: size is %zu, expected %zu: start from GSHMEMX_INIT_ATTR_DEFAULT",
			attr->size, sizeof *attr);
		return -EINVAL;
	}
	memcpy(attr_p, attr, attr->size);
	return check_attr(attr_p);
}

static void free_tables(void)
{
	gshmemi_buffers_close();
	gshmemi_host_free(gshmemi_host_attention);
	gshmemi_host_free(fault);
	gshmemi_host_attention = NULL;
	fault = NULL;
}

/* Ends every wait of this process. */
static void poison(void)
{
	if (gshmemi_host_attention)
		__atomic_fetch_or(&gshmemi_host_attention->posted, GSHMEMI_ATTENTION_END, __ATOMIC_RELEASE);
	gshmemi_mailbox_poison();
}

/* Allocates the host memory that kernels read and write. */
static int allocate_tables(void)
{
	void *ptr;
	int rc;

	rc = gshmemi_host_allocate(sizeof *fault, "fault record", &ptr);
	if (rc)
		return rc;
	fault = ptr;
	rc = gshmemi_host_allocate(2 * sizeof *gshmemi_host_attention, "attention word", &ptr);
	if (!rc) {
		gshmemi_host_attention = ptr;
		rc = gshmemi_buffers_open();
	}
	if (rc)
		free_tables();
	gshmemi_end_set_poison(poison);
	return rc;
}

static int allocate_memory(const struct request *request, uint64_t node_nbytes, struct gshmemi_mine *mine)
{
	int rc;

	rc = gshmemi_device_choose(request->device, &mine->device);
	if (rc)
		return rc;
	rc = gshmemi_life_open(&mine->life_fd);
	if (rc)
		return rc;
	rc = allocate_tables();
	if (rc)
		goto err_close_life;
	rc = gshmemi_devmem_open();
	if (rc)
		goto err_free_tables;
	rc = gshmemi_heap_create(request->heap_nbytes, gshmemi_env.HEAP_KIND, gshmemi_env.HEAP_PREALLOC,
		gshmemi_env.CHECK, gshmemi_job->npeers, node_nbytes);
	if (rc)
		goto err_close_devmem;
	rc = gshmemi_rpc_open_channels();
	if (rc)
		goto err_destroy_heap;
	return 0;

err_destroy_heap:
	gshmemi_heap_destroy();
err_close_devmem:
	gshmemi_devmem_close();
err_free_tables:
	free_tables();
err_close_life:
	gshmemi_life_close();
	return rc;
}

static void release(void)
{
	gshmemi_rpc_close_channels();
	gshmemi_heap_destroy();
	gshmemi_devmem_close();
	free_tables();
	gshmemi_life_close();
}

/* Agrees on rc, the result of allocate. If it failed on any PE, nothing stays allocated here. */
static int agree_heap(int rc)
{
	int agreed = gshmemi_heap_agree(rc, gshmemi_env.HEAP_KIND, gshmemi_env.HEAP_PREALLOC);

	if (agreed && !rc)
		release();
	return agreed;
}

/* Whether GSHMEM_CARRY names a PE of the job. */
static bool carries_any(int npes)
{
	int pe;

	for (pe = 0; pe < npes; pe++)
		if (gshmemi_env_carrier(pe ? 0 : 1, pe) != GSHMEMI_CARRIER_NONE)
			return true;
	return false;
}

/*
 * Sets the state that kernels and host calls read. The struct is static because its 12 KiB are much
 * for a stack.
 */
static int set_state(void)
{
	static struct gshmemi_state state;
	int nfound;

	state = (const struct gshmemi_state)GSHMEMI_STATE_INIT;
	state.my_pe = gshmemi_job->my_pe;
	state.npes = gshmemi_job->npes;
	state.why = (gshmemi_env.CHECK ? GSHMEMI_WHY_CHECK : 0) |
		(gshmemi_env.CPU_DELIVERY ? GSHMEMI_WHY_DELIVERY : 0) |
		(gshmemi_env.TRACE ? GSHMEMI_WHY_POSTS | GSHMEMI_WHY_TRACE : 0) |
		(gshmemi_env.STATS ? GSHMEMI_WHY_STATS : 0);
	state.heap = gshmemi_heap.base;
	state.heap_nbytes = gshmemi_heap.nbytes;
	state.sync = gshmemi_heap.sync;
	state.nteams = gshmemi_heap.nplaces;
	gshmemi_windows_describe(&state);
	state.contexts = gshmemi_contexts_table();
	state.ncontexts = (uint64_t)gshmemi_env.CONTEXTS;
	state.fault = fault;
	state.attention = gshmemi_host_attention;
	state.sink = gshmemi_host_attention + 1;
	gshmemi_mailbox_describe(&state);
	state.buffers = gshmemi_buffers_table();
	state.counts = gshmemi_stats_table();
	state.trace = gshmemi_trace_of_kernels();
	state.allocation_end = gshmemi_heap.allocation_end;
	state.watchdog_ns = (uint64_t)(gshmemi_env.WATCHDOG * 1e9);
	state.rpc = gshmemi_rpc_kernels.channel;
	nfound = gshmemi_regions_describe(gshmemi_net_is_running(), &state);
	if (gshmemi_net_is_running())
		state.why |= GSHMEMI_WHY_ASKED; /* as gshmemi_net_may_be_open says */
	if (nfound < gshmemi_job->nlocal && state.my_pe == 0)
		gshmemi_warn("init: %d of the %d PEs of this node are direct: in a job of %d PEs those of a "
			     "node must be consecutive and at most %d (mpirun -ppn; GSHMEM_MAX_PES); calls "
			     "to the others take the slow path",
			nfound, gshmemi_job->nlocal, gshmemi_job->npes, GSHMEM_MAX_PES - 1);
	if (gshmemi_env.CARRY && state.my_pe == 0 && state.npes > 1 && !carries_any(state.npes))
		gshmemi_warn(
			"init: GSHMEM_CARRY=%s names no PE of this job, which has PEs 0 to %d: nothing is "
			"carried",
			gshmemi_env.CARRY, state.npes - 1);
	return gshmemi_state_set(&state);
}

void gshmemi_init_scale(struct gshmemi_scale *scale)
{
	gshmemi_scale_add(scale, GSHMEMI_SCALE_PINNED, "fault_record",
		sizeof *fault + 2 * sizeof *gshmemi_host_attention + sizeof(struct gshmemi_buffers));
	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES); /* go_live */
}

/* From here on peers can write to this PE, and are watched. Returns the result that all PEs agreed on. */
static int go_live(void)
{
	int local, rc;

	local = gshmemi_teams_open();
	if (!local)
		local = gshmemi_contexts_open();
	if (!local)
		local = gshmemi_windows_open();
	if (!local)
		local = gshmemi_stats_open();
	if (!local)
		local = gshmemi_trace_start();
	if (!local)
		local = set_state();
	if (!local)
		local = gshmemi_mailbox_start();
	if (!local)
		local = gshmemi_rpc_start();
	if (!local)
		gshmemi_life_set(GSHMEMI_LIFE_RUNNING);
	rc = gshmemi_bootstrap_agree(local, NULL);
	if (rc) {
		if (!local)
			gshmemi_rpc_stop();
		gshmemi_mailbox_stop();
		gshmemi_state_reset();
		gshmemi_trace_stop();
		gshmemi_stats_close();
		gshmemi_windows_close();
		gshmemi_contexts_close();
		gshmemi_teams_close();
		return rc;
	}
	gshmemi_trace_compare();
	atomic_fetch_and(&gshmemi_enter_why, ~(unsigned)GSHMEMI_ENTER_NOT_INITIALIZED);
	gshmemi_watcher_watch();
	return 0;
}

/* Meets the other PEs, allocates and maps. rc is an earlier error of this PE, to be shared with them. */
static int join(int rc, const struct request *request)
{
	uint64_t node_nbytes = gshmemi_heap_node_nbytes();
	struct gshmemi_config config = {request->heap_nbytes, gshmemi_env.HEAP_KIND, gshmemi_env.CHECK,
		gshmemi_env.CPU_DELIVERY != NULL, (uint64_t)gshmemi_env.TEAMS, (uint64_t)gshmemi_env.WINDOWS,
		(uint64_t)gshmemi_env.PES_PER_NODE.npes << 1 | gshmemi_env.PES_PER_NODE.is_cyclic,
		gshmemi_env.STATS, gshmemi_env.TRACE != NULL};
	struct gshmemi_mine mine = {-1, -1, {NULL}, {0}};
	int local, standard[GSHMEMI_FILE_NSTANDARD];

	rc = gshmemi_job_open(rc, &config);
	if (rc)
		return rc;
	gshmemi_info("init: %s", gshmemi_version_text);
	if (gshmemi_job->my_pe == 0)
		gshmemi_env_warn_unknown();
	gshmemi_thread_share_cores((unsigned)gshmemi_job->npeers);
	if (!gshmemi_bootstrap_has_mpi()) /* no launcher has said how many PEs share the cores */
		GSHMEMI_ARCH_SHARE_CORES((unsigned)gshmemi_job->npeers);
	gshmemi_file_occupy(standard); /* HIP's runtime keeps files open */
	local = allocate_memory(request, node_nbytes, &mine);
	local = agree_heap(local);
	local = local ? local : gshmemi_races_open();
	mine.bases[GSHMEMI_REGION_HEAP] = gshmemi_heap.base;
	mine.bases[GSHMEMI_REGION_SYNC] = gshmemi_heap.sync;
	mine.bases[GSHMEMI_REGION_CONTROL] = gshmemi_heap.controls;
	mine.nbytes[GSHMEMI_REGION_HEAP] = gshmemi_heap.nbytes;
	mine.nbytes[GSHMEMI_REGION_SYNC] = gshmemi_heap.sync_nbytes;
	mine.nbytes[GSHMEMI_REGION_CONTROL] = gshmemi_heap_controls_nbytes();
	rc = gshmemi_map_open(local, &mine, &gshmemi_heap.align);
	gshmemi_file_vacate(standard);
	if (rc && local)
		goto err_close_job;
	if (rc)
		goto err_release;
	rc = gshmemi_net_start();
	if (rc)
		goto err_unmap;
	rc = gshmemi_bootstrap_agree(gshmemi_mailbox_open(), NULL);
	if (rc)
		goto err_stop_net;
	rc = go_live();
	if (rc)
		goto err_stop_net;
	gshmemi_info("init: %d PEs, %d on this node, device %d, heap %p, %llu bytes, %s", gshmemi_job->npes,
		gshmemi_job->nlocal, mine.device, (void *)gshmemi_heap.base,
		(unsigned long long)gshmemi_heap.nbytes, gshmemi_heap_kind_name(gshmemi_heap.kind));
	gshmemi_info("init: calls from kernels: %u slots of %u lanes, %zu bytes of pinned memory",
		gshmemi_rpc_kernels.channel.nslots, gshmemi_rpc_nlanes(&gshmemi_rpc_kernels.channel),
		gshmemi_rpc_kernels.nbytes + gshmemi_rpc_threads.nbytes + gshmemi_rpc_arena_nbytes());
	return 0;

err_stop_net:
	gshmemi_bootstrap_barrier(); /* after this no peer sends any more */
	gshmemi_net_stop();
err_unmap:
	gshmemi_mailbox_close();
	gshmemi_regions_close();
	gshmemi_bootstrap_barrier(); /* after this no peer has this memory mapped */
err_release:
	release();
err_close_job:
	gshmemi_job_close();
	return rc;
}

/*
 * MPI may wait for a process that has died, so with MPI the watcher runs first; without MPI the bootstrap
 * keeps the deadline itself.
 */
static int open_bootstrap(const struct gshmemx_init_attributes *attr, int *watched_p)
{
	int rc;

	if (!attr->uniqueid) {
		*watched_p = gshmemi_watcher_start(true);
		return gshmemi_bootstrap_open(attr->mpi_comm);
	}
	rc = gshmemi_bootstrap_open_by_id(attr->uniqueid, attr->rank, attr->nranks);
	if (!rc)
		*watched_p = gshmemi_watcher_start(false);
	return rc;
}

static int start_job(const struct gshmemx_init_attributes *attr)
{
	struct request request = {attr->thread_level, attr->device, attr->heap_nbytes};
	int rc, local, watched;

	gshmemi_log_hold();
	local = gshmemi_env_read();
	if (request.device < 0)
		request.device = gshmemi_env.DEVICE;
	if (!request.heap_nbytes)
		request.heap_nbytes = gshmemi_env.HEAP_SIZE;
	rc = open_bootstrap(attr, &watched);
	if (rc) {
		gshmemi_log_release(true);
		goto err_stop;
	}
	local = local ? local : watched;
	local = local ? local : gshmemi_bootstrap_check_level(request.thread_level);
	rc = join(local, &request);
	if (rc)
		goto err_close;
	gshmemi_log_release(false);
	return 0;

err_close:
	gshmemi_log_release(false);
	/* the PE that prints must have done so before any PE exits, because the launcher then ends the job */
	gshmemi_bootstrap_barrier();
	gshmemi_bootstrap_close();
err_stop:
	gshmemi_watcher_stop();
	return rc;
}

int gshmemx_init_attr(const struct gshmemx_init_attributes *user_attr)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int rc;

	rc = read_attr(user_attr, &attr);
	if (rc)
		return rc;
	if (depth) {
		rc = gshmemi_enter_collective_int("gshmemx_init_attr");
		if (rc)
			return rc;
		rc = gshmemi_meet(&(const struct gshmemi_request){.call = GSHMEMI_MEET_INIT}, NULL);
		depth += !rc;
		return rc;
	}
	rc = start_job(&attr);
	if (rc)
		return rc;
	thread_level = attr.thread_level;
	depth = 1;
	gshmemi_enter_open();
	gshmemi_shmem_initialized();
	gshmemi_end_expect_finalize();
	return 0;
}

int gshmem_init_thread(int requested, int *provided)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int rc;

	attr.thread_level = requested;
	rc = gshmemx_init_attr(&attr);
	if (!rc && provided)
		*provided = thread_level;
	return rc;
}

void gshmem_init(void)
{
	if (gshmem_init_thread(GSHMEM_THREAD_SINGLE, NULL))
		gshmemi_exit(1);
}

void gshmem_query_thread(int *provided)
{
	*provided = thread_level;
}

void gshmem_query_initialized(int *flag)
{
	*flag = depth > 0;
}

/* ---- finalize ---- */

/* Posted calls are completed first, so that messages name the call that waits. */
static void quiet(void)
{
	gshmemi_rpc_host_complete("gshmem_finalize");
	gshmem_quiet();
}

/* Finalizing MPI is up to the user, but it must happen after finalizing the library. */
static void require_mpi(void)
{
	if (gshmemi_bootstrap_is_finalized()) {
		gshmemi_error("gshmem_finalize: MPI has already been finalized: call MPI_Finalize last");
		gshmemi_end(1);
	}
}

/* The barrier of finalize. Ends the job if another PE makes a different call. */
static void meet(void)
{
	if (gshmemi_meet(&(const struct gshmemi_request){.call = GSHMEMI_MEET_FINALIZE}, NULL))
		gshmemi_end(1);
}

/* Drain the net: peers that are still leaving the barrier may still send requests. */
static void stop_net(void)
{
	if (gshmemi_net_is_running())
		gshmemi_net_drain();
	gshmemi_bootstrap_barrier(); /* on all PEs: some may have started the net for a window */
	if (gshmemi_env.STATS && gshmemi_net_is_running())
		gshmemi_net_report();
	gshmemi_net_stop();
}

/*
 * The first barrier completes the job's communication. This PE then announces that it leaves, so that peers
 * still on their way out of the barrier do not take its exit for a death. After the second barrier no PE has
 * this PE's memory mapped.
 */
static void stop(void)
{
	if (gshmemi_env.CHECK && gshmemi_state.my_pe == 0)
		gshmemi_heap_report_leaks();
	gshmemi_hip_ignore(hipDeviceSynchronize(), "hipDeviceSynchronize");
	quiet(); /* includes kernels that have just ended */
	gshmemi_host_quiet(GSHMEMI_CTX_LIBRARY, NULL, 0, "gshmem_finalize");
	gshmemi_rpc_stop();
	meet();
#if GSHMEMI_ARCH_HAS_DELIVERY
	gshmemi_delivery_stop(); /* delivers the barrier's flags too, before peers unmap */
#endif
	stop_net();
	gshmemi_mailbox_stop();
	gshmemi_stats_report();
	gshmemi_trace_write();
	gshmemi_life_set(GSHMEMI_LIFE_FINALIZED);
	gshmemi_watcher_stop();
	atomic_fetch_or(&gshmemi_enter_why, GSHMEMI_ENTER_NOT_INITIALIZED);
	gshmemi_state_reset();
	gshmemi_trace_stop();
	gshmemi_stats_close();
	gshmemi_launch_close();
	gshmemi_contexts_close();
	gshmemi_teams_close();
	gshmemi_mailbox_close();
	gshmemi_regions_close();
	gshmemi_bootstrap_barrier();
	gshmemi_windows_close();
	release();
	gshmemi_job_close();
	gshmemi_bootstrap_close();
}

void gshmem_finalize(void)
{
	if (gshmemi_is_shmem && gshmemi_enter_is_over()) /* OpenSHMEM programs may finalize again */
		return;
	GSHMEMI_ENTER_COLLECTIVE("gshmem_finalize");
	require_mpi();
	quiet();
	if (depth > 1)
		meet();
	else
		stop();
	depth--;
	if (!depth)
		gshmemi_enter_close();
}
