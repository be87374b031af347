/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bootstrap over MPI.
 *
 * This file calls MPI from the thread that called the library, so that a job on one node runs at any thread
 * level of MPI. Only MPI_Abort may come from another thread. net/mpi.c calls MPI from several threads and
 * needs MPI_THREAD_MULTIPLE, which the library therefore asks for when it starts MPI.
 *
 * Errors of MPI return, and are handled after the call: MPICH 4.0.2 calls an error handler with its lock
 * held, and the watcher's MPI_Abort would wait for that lock.
 *
 * MPI cannot be started twice. If the library started it, the library finalizes it when the process exits,
 * not in gshmem_finalize, so that gshmem_init may be called again.
 */
#include "bootstrap/way.h"

#include <dirent.h>
#include <fcntl.h>
#include <gshmem/arch/arch.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread.h"
#include "bootstrap/leaving.h"
#include "mpi/mpi.h"

#define SETTLE_NS  100000000 /* of progress before MPI_Finalize, */
#define FINALIZE_S 3         /* and how long that may take */
#define LATE_S     3         /* by how much a process that gets no core may be behind the others */

static gshmemi_mpi_comm_t comm;
static gshmemi_mpi_comm_t node_comm; /* of the PEs on this machine, ordered by rank; may be comm */
static int rank;                     /* in comm */
static int npes;
static int level;         /* of MPI, a GSHMEM_THREAD_* */
static atomic_int nworld; /* size of MPI_COMM_WORLD; 0: MPI is not known to be running */
/* the process that started MPI; 0: not this library; a forked child must not finalize it */
static pid_t owner_pid;
static int standard[GSHMEMI_FILE_NSTANDARD]; /* what keeps the numbers 0 to 2, if they were free, from MPI */
static int nconnections;                     /* of this process, before MPI connects processes */
static bool has_network;                     /* MPI uses the network in this process, or may */
static bool is_first;                        /* this process is rank 0 of MPI_COMM_WORLD */
static atomic_bool is_out;                   /* MPI_Finalize has returned */
static int exit_status;                      /* what the program exits with, as far as is known */

static const char *level_name(int thread_level)
{
	static const char *const names[] = {"SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"};

	return names[thread_level];
}

/* An MPI that was never loaded is not finalized. */
static bool is_finalized(void)
{
	return gshmemi_mpi && gshmemi_mpi->finalized();
}

static void stay(int signum)
{
	(void)signum;
	for (;;)
		pause();
}

/*
 * Tells Hydra, in MPI's place and in the words of PMI 1, that this process needs it no more. Otherwise Hydra
 * takes the end of the process for a crash, and kills the others before it has their statuses.
 */
static void leave_launcher(void)
{
	static const char words[] = "cmd=finalize\n";
	const char *fd = getenv("PMI_FD");
	struct pollfd answer = {fd ? atoi(fd) : -1, POLLIN, 0};

	if (fd && write(answer.fd, words, sizeof words - 1) == (ssize_t)sizeof words - 1)
		poll(&answer, 1, 1000);
}

static void finish_request(int rc, gshmemi_mpi_request_t *request);

/*
 * Ends a process whose MPI_Finalize hangs. By then all PEs are in MPI_Finalize or hang, since one that does
 * not return keeps the others. First stops the main thread everywhere: once one PE had left, the one that
 * hung would get as far as the launcher, which would have to tell the PE that is gone, and ends the job with
 * an error instead.
 */
static void *watch_finalize(void *main_thread)
{
	gshmemi_thread_sleep(FINALIZE_S);
	if (atomic_load(&is_out))
		return NULL;
	signal(SIGRTMAX, stay);
	pthread_kill(*(pthread_t *)main_thread, SIGRTMAX);
	gshmemi_thread_sleep(LATE_S);
	if (is_first)
		gshmemi_warn("MPI_Finalize has not returned for %d s, as happens with MPICH over UCX's TCP: "
			     "the processes end without it; all of the job's work is done",
			FINALIZE_S);
	fflush(NULL);
	leave_launcher();
	_exit(exit_status);
}

/* TCP connections of this process, and UDP sockets that have a peer. */
static int count_connections(void)
{
	DIR *list = gshmemi_file_list("/proc/self/fd");
	struct sockaddr_storage peer;
	struct dirent *entry;
	socklen_t nbytes;
	int n = 0;

	while (list && (entry = readdir(list))) {
		nbytes = sizeof peer;
		if (!getpeername(atoi(entry->d_name), (struct sockaddr *)&peer, &nbytes))
			n += peer.ss_family == AF_INET || peer.ss_family == AF_INET6;
	}
	if (list)
		closedir(list);
	return n;
}

/* Whether MPI uses the network in any process. Waits for all, perhaps long, if one's program ends late. */
static bool any_has_network(void)
{
	int64_t none = !has_network;
	gshmemi_mpi_request_t request;

	finish_request(gshmemi_mpi->imin(&none, 1, gshmemi_mpi->world, &request), &request);
	return !none;
}

/*
 * MPI_Finalize of MPICH 4.0.2 over UCX's TCP sometimes hangs: one process waits for an answer from
 * another one, which no longer makes progress. It hangs less often if all processes are here and have had
 * time to answer.
 */
static void settle(void)
{
	static pthread_t caller;
	uint64_t begun_ns;
	pthread_t thread;

	caller = pthread_self();
	is_first = gshmemi_mpi->comm_rank(gshmemi_mpi->world) == 0;
	if (!gshmemi_thread_start(&thread, watch_finalize, &caller, "the thread that watches MPI_Finalize"))
		pthread_detach(thread);
	begun_ns = gshmemi_arch_clock_ns();
	while (gshmemi_arch_clock_ns() - begun_ns < SETTLE_NS)
		gshmemi_mpi->progress();
}

/*
 * Does nothing if the process leaves in the middle of the job: MPI_Finalize would wait for the other PEs, and
 * they for this one.
 */
void gshmemi_bootstrap_finalize(void)
{
	if (owner_pid != getpid() || comm || gshmemi_is_ending() || is_finalized())
		return;
	if (gshmemi_mpi->finalize_hangs && any_has_network())
		settle();
	gshmemi_mpi->finalize();
	atomic_store(&is_out, true);
}

#ifdef __GLIBC__ /* other C libraries do not tell an exit handler the status */
static void finalize_at_exit(int status, void *unused)
{
	(void)unused;
	exit_status = status & 0xff;
	gshmemi_bootstrap_finalize();
}
#endif

static void start_mpi(void)
{
	gshmemi_leaving_note_threads();
	nconnections = count_connections();
	gshmemi_file_occupy(standard); /* MPI keeps files open */
	gshmemi_mpi->init(&level);
	/* One to the launcher. Others are those of PEs that are ahead, and reach this one for the first time. */
	if (gshmemi_mpi->init_connects && count_connections() > nconnections)
		nconnections++;
	gshmemi_leaving_watch();
	owner_pid = getpid();
#ifdef __GLIBC__
	on_exit(finalize_at_exit, NULL);
#else
	atexit(gshmemi_bootstrap_finalize);
#endif
}

/* Finds the communicator to copy. Fails if the caller cannot take part in anything collective. */
static int find_base(const void *user_comm, gshmemi_mpi_comm_t *base_p)
{
	int rc = gshmemi_mpi_load("init");
	bool initialized;

	if (rc)
		return rc;
	if (is_finalized()) {
		gshmemi_error("init: MPI has been finalized and cannot be started again");
		return -EINVAL;
	}
	initialized = gshmemi_mpi->initialized();
	if (!initialized && user_comm) {
		gshmemi_error("init: a communicator was given, but MPI was not initialized");
		return -EINVAL;
	}
	if (!initialized)
		start_mpi();
	*base_p = user_comm ? gshmemi_mpi->read_comm(user_comm) : gshmemi_mpi->world;
	if (!*base_p) {
		gshmemi_error("init: the communicator is MPI_COMM_NULL: this process is not part of the job");
		return -EINVAL;
	}
	return 0;
}

/*
 * Ends the job if a call of MPI has failed, as happens when a PE has died. The watcher will say which PE, but
 * may need MISSING_NS for that; of the two calls of gshmemi_end one then waits for the other.
 */
static void check_code(int code)
{
	char text[512];

	if (!code)
		return;
	gshmemi_thread_sleep(4);
	gshmemi_log_release(true); /* init holds messages back */
	gshmemi_mpi->error_string(code, text, sizeof text);
	gshmemi_error("MPI failed, which may mean that a PE died: %s", text);
	gshmemi_end(1);
}

/* Whether MPI has only this process, although the caller did not ask for that with MPI_COMM_SELF. */
static bool is_alone_unasked(gshmemi_mpi_comm_t base, int nprocesses)
{
	return nprocesses == 1 && !gshmemi_mpi->comm_is_self(base);
}

int gshmemi_bootstrap_mpi_open(const void *user_comm, int *rank_p, int *npes_p)
{
	gshmemi_mpi_comm_t base;
	int rc, size;

	rc = find_base(user_comm, &base);
	if (rc)
		return rc;
	size = gshmemi_mpi->comm_size(gshmemi_mpi->world);
	atomic_store(&nworld, size);
	rc = is_alone_unasked(base, size) ? gshmemi_launcher_check(gshmemi_mpi->name) : 0;
	if (rc)
		return rc;
	gshmemi_mpi->query_thread(&level);
	check_code(gshmemi_mpi->comm_copy(base, &comm));
	/* MPI connects processes when they first exchange something, as they just have. */
	has_network |= owner_pid == getpid() && count_connections() > nconnections;
	rank = gshmemi_mpi->comm_rank(comm);
	npes = gshmemi_mpi->comm_size(comm);
	*rank_p = rank;
	*npes_p = npes;
	return 0;
}

/* The remedy for a program that calls MPI_Init and cannot be changed. */
#define UNCHANGED ", or, if the program calls MPI_Init and cannot be changed, set %s"

static int check_level(int thread_level)
{
	if (level >= thread_level)
		return 0;
	gshmemi_error("init: GSHMEM_THREAD_%s was asked for, but MPI runs with MPI_THREAD_%s: start MPI by "
		      "MPI_Init_thread with MPI_THREAD_%s" UNCHANGED ", or ask for less",
		level_name(thread_level), level_name(level), level_name(thread_level), gshmemi_mpi->multiple);
	return -EINVAL;
}

static int check_carrying(int from_pe, int to_pe)
{
	if (level >= GSHMEM_THREAD_MULTIPLE)
		return 0;
	gshmemi_error("init: MPI has to carry operations of PE %d on PE %d, which takes a thread of its own, "
		      "but MPI runs with MPI_THREAD_%s: start MPI by MPI_Init_thread with "
		      "MPI_THREAD_MULTIPLE" UNCHANGED,
		from_pe, to_pe, level_name(level), gshmemi_mpi->multiple);
	return -EINVAL;
}

void gshmemi_bootstrap_copy_comm(gshmemi_mpi_comm_t *copy)
{
	check_code(gshmemi_mpi->comm_copy(comm, copy));
}

void gshmemi_bootstrap_find_pes(gshmemi_mpi_group_t group, int n, int *pes)
{
	int *numbers = calloc((size_t)n + 1, sizeof *numbers), i;

	if (!numbers)
		gshmemi_end(1); /* the others are in the same call, and cannot be told */
	for (i = 0; i < n; i++)
		numbers[i] = i;
	check_code(gshmemi_mpi->group_find_ranks(group, n, numbers, comm, pes));
	free(numbers);
}

static void close_comms(void)
{
	if (node_comm && node_comm != comm && !is_finalized())
		gshmemi_mpi->comm_free(&node_comm);
	if (comm && !is_finalized())
		gshmemi_mpi->comm_free(&comm);
	comm = node_comm = 0;
}

/*
 * MPI_Abort is called at any thread level: MPICH 4.0.2 takes its lock only at MPI_THREAD_MULTIPLE, where a
 * thread that waits in MPI releases it now and then. MPI_Abort then only writes to the launcher; on a
 * communicator other than MPI_COMM_WORLD it would send messages. Its own output would puzzle users, who have
 * not called it, so stderr goes to /dev/null.
 */
static void abort_job(int status)
{
	int null;

	if (atomic_load(&nworld) <= 1 || is_finalized())
		return;
	null = gshmemi_file_open("/dev/null", O_WRONLY);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	gshmemi_mpi->abort(status & 0xff);
}

/* ---- exchanges ---- */

/*
 * Tests until the call that was begun has ended. MPICH's blocking calls spin, and retake its only lock as
 * soon as they release it: the net thread, which must answer other PEs meanwhile, waited seconds for it.
 */
static void finish_request(int rc, gshmemi_mpi_request_t *request)
{
	const struct timespec nap = {0, 50000};
	unsigned ntests = 0;
	bool is_done = false;

	check_code(rc);
	while (check_code(gshmemi_mpi->test(request, &is_done)), !is_done) {
		if (++ntests < 50)
			sched_yield();
		else
			nanosleep(&nap, NULL);
	}
}

/*
 * On one machine the group is comm: MPI_Comm_split takes several exchanges, more than all others of init.
 * Over a network MPI makes sockets whenever it first reaches a process, so the numbers 0 to 2 stay occupied.
 */
static void split_group(int lowest, int npeers)
{
	node_comm = comm;
	has_network |= npeers < npes;
	if (has_network)
		gshmemi_leaving_keep_main();
	else if (owner_pid == getpid())
		gshmemi_file_vacate(standard);
	if (npeers == npes)
		return;
	check_code(gshmemi_mpi->comm_split(comm, lowest, rank, &node_comm));
}

static void barrier(void)
{
	gshmemi_mpi_request_t request;

	finish_request(gshmemi_mpi->ibarrier(comm, &request), &request);
}

static void allgather(const void *mine, void *all, size_t nbytes)
{
	gshmemi_mpi_request_t request;

	finish_request(gshmemi_mpi->iallgather(mine, all, nbytes, comm, &request), &request);
}

static void allgather_machine(const void *mine, void *all, size_t nbytes)
{
	gshmemi_mpi_request_t request;

	finish_request(gshmemi_mpi->iallgather(mine, all, nbytes, node_comm, &request), &request);
}

static void allgather_leaders(bool is_leader, int nleaders, const void *mine, void *all, size_t nbytes)
{
	gshmemi_mpi_comm_t leaders = 0;
	gshmemi_mpi_request_t request;

	if (nleaders > 1)
		check_code(gshmemi_mpi->comm_split(comm, is_leader ? 0 : -1, rank, &leaders));
	else if (is_leader)
		memcpy(all, mine, nbytes);
	if (leaders) {
		finish_request(gshmemi_mpi->iallgather(mine, all, nbytes, leaders, &request), &request);
		gshmemi_mpi->comm_free(&leaders);
	}
	finish_request(gshmemi_mpi->ibcast(all, (size_t)nleaders * nbytes, 0, node_comm, &request), &request);
}

static void move_bytes(void *data, size_t nbytes, int from, int to)
{
	gshmemi_mpi_request_t request;

	if (rank == from)
		finish_request(gshmemi_mpi->isend(data, nbytes, to, 0, comm, &request), &request);
	else if (rank == to)
		finish_request(gshmemi_mpi->irecv(data, nbytes, from, 0, comm, &request), &request);
}

static void broadcast_bytes(void *data, size_t nbytes, int root)
{
	gshmemi_mpi_request_t request;

	finish_request(gshmemi_mpi->ibcast(data, nbytes, root, comm, &request), &request);
}

static void find_min(int64_t *words, int nwords)
{
	gshmemi_mpi_request_t request;

	finish_request(gshmemi_mpi->imin(words, nwords, comm, &request), &request);
}

static void find_all_bits(uint64_t *words, int nwords)
{
	gshmemi_mpi_request_t request;

	finish_request(gshmemi_mpi->iand(words, nwords, comm, &request), &request);
}

const struct gshmemi_bootstrap gshmemi_bootstrap_mpi = {
	.close = close_comms,
	.abort = abort_job,
	.is_finalized = is_finalized,
	.check_level = check_level,
	.check_carrying = check_carrying,
	.split = split_group,
	.barrier = barrier,
	.move = move_bytes,
	.broadcast = broadcast_bytes,
	.allgather = allgather,
	.allgather_machine = allgather_machine,
	.allgather_leaders = allgather_leaders,
	.min = find_min,
	.all_bits = find_all_bits,
};
