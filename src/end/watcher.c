/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watcher: one thread per PE, from the start of init to the end of finalize.
 *
 * While init waits for other PEs, it guards init: it watches the processes that the launcher started on this
 * node, and the clock. Then it watches the PEs of this machine, by pidfds and by their life words
 * (job/life.h), and this PE's fault record, in host memory. It calls neither MPI nor HIP, which may no longer
 * work when it is needed: a kernel that traps takes the device's context with it.
 */
#include "end/end.h"

#include <ctype.h>
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread.h"
#include "job/job.h"
#include "job/life.h"

#define INIT_TICK_MS 500
#define RUN_TICK_MS  10
#define ASK_TICK_MS  1           /* each wait that reports itself takes one tick */
#define MISSING_NS   2000000000U /* how long processes must be missing before init gives up */

enum phase { WATCH_INIT, WATCH_JOB, STOP };

/* In place of an index of a pidfd: */
#define NOT_WATCHED -1
/* Linux before 5.3, or out of descriptors: checks at each tick whether the process exists */
#define BY_PID      -2

/*
 * fds[0] is wake_fd, the others are pidfds: fds[at[i]] that of PE pes[i]. poll refuses more places than a
 * process may have open files, so PEs without a pidfd have none here.
 */
struct watch {
	struct pollfd *fds;
	int *pes, *at;
	int npes, nfds;
};

static pthread_t thread;
static bool is_launched;
static int wake_fd = -1;
static atomic_int phase;

/* Waits for wake_fd or the tick. */
static enum phase next_phase(struct pollfd *fds, int nfds, int tick_ms)
{
	uint64_t count;
	ssize_t got;

	if (poll(fds, (nfds_t)nfds, tick_ms) > 0 && fds[0].revents) {
		got = read(wake_fd, &count, sizeof count);
		(void)got;
	}
	return (enum phase)atomic_load(&phase);
}

void gshmemi_watcher_wake(void)
{
	const uint64_t one = 1;
	ssize_t put = write(wake_fd, &one, sizeof one);

	(void)put;
}

static void set_phase(enum phase next)
{
	atomic_store(&phase, next);
	gshmemi_watcher_wake();
}

/* ---- init ---- */

/* The processes that the launcher started on this node. */
struct launch {
	pid_t proxy;         /* their parent; 0: not known */
	int nstarted;        /* as the launcher says */
	int nlive;           /* running at the last count */
	uint64_t missing_ns; /* since when nlive has been less than nstarted without growing; 0: not */
};

/* Reads the name, state and parent of a process. */
static int read_process(pid_t pid, char *name, size_t name_nbytes, char *state_p, pid_t *parent_p)
{
	char path[32], line[512], *open, *close;
	FILE *file;
	int parent, got = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	file = gshmemi_file_read(path);
	if (!file)
		return -errno;
	if (fgets(line, sizeof line, file)) {
		open = strchr(line, '(');
		close = strrchr(line, ')'); /* the name itself may contain parentheses */
		if (open && close && sscanf(close + 1, " %c %d", state_p, &parent) == 2) {
			*close = 0;
			snprintf(name, name_nbytes, "%s", open + 1);
			*parent_p = parent;
			got = 1;
		}
	}
	fclose(file);
	return got ? 0 : -ESRCH;
}

/*
 * The launchers that say how many processes they have started on this node, and what the processes that start
 * them are called, as far as the system keeps names: 15 bytes.
 */
static const struct launcher {
	const char *variable;
	const char *names[8];
} launchers[] = {
	{"MPI_LOCALNRANKS", {"hydra_pmi_proxy"}},
	/* Open MPI's: on its own node the first process of all starts them */
	{"OMPI_COMM_WORLD_LOCAL_SIZE",
		{"mpirun", "mpiexec", "orterun", "mpirun.openmpi", "mpiexec.openmpi", "orted", "prterun",
			"prted"}},
};

static bool has_name(const struct launcher *launcher, const char *name)
{
	const size_t nnames = sizeof launcher->names / sizeof *launcher->names;
	size_t i;

	for (i = 0; i < nnames && launcher->names[i]; i++)
		if (strcmp(name, launcher->names[i]) == 0)
			return true;
	return false;
}

/* Finds the ancestor that is the launcher on this node. */
static pid_t find_proxy(const struct launcher *launcher)
{
	pid_t pid = getppid(), parent;
	char name[32], state;

	while (pid > 1 && !read_process(pid, name, sizeof name, &state, &parent)) {
		if (has_name(launcher, name))
			return pid;
		pid = parent;
	}
	return 0;
}

static void find_launch(struct launch *launch)
{
	const char *nranks;
	size_t i;

	memset(launch, 0, sizeof *launch);
	for (i = 0; is_launched && !launch->proxy && i < sizeof launchers / sizeof *launchers; i++) {
		nranks = getenv(launchers[i].variable);
		if (!nranks)
			continue;
		launch->nstarted = atoi(nranks);
		launch->proxy = find_proxy(&launchers[i]);
	}
}

/* Counts the children of a process that are still running; -1 if that is impossible. */
static int count_children(pid_t pid)
{
	struct dirent *entry;
	char name[32], state;
	int nlive = 0;
	pid_t parent;
	DIR *dir;

	dir = gshmemi_file_list("/proc");
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (!read_process(atoi(entry->d_name), name, sizeof name, &state, &parent) && parent == pid &&
			state != 'Z' && state != 'X')
			nlive++;
	}
	closedir(dir);
	return nlive;
}

/* A process that has never been there is being started; one that stays away has died. */
static bool has_lost_process(struct launch *launch, uint64_t now_ns)
{
	int nlive;

	if (!launch->proxy)
		return false;
	nlive = count_children(launch->proxy);
	if (nlive < 0 || nlive >= launch->nstarted || nlive > launch->nlive || !launch->missing_ns)
		launch->missing_ns = nlive < launch->nstarted ? now_ns : 0;
	launch->nlive = nlive;
	return launch->missing_ns && now_ns - launch->missing_ns >= MISSING_NS;
}

/* If init cannot complete, says what this PE knows and ends it. */
static void guard_init(struct launch *launch, uint64_t started_ns)
{
	uint64_t now_ns = gshmemi_arch_clock_ns();
	double limit_s = gshmemi_env.INIT_TIMEOUT;

	if (has_lost_process(launch, now_ns)) {
		gshmemi_log_print_held();
		gshmemi_error(
			"init: of this job's %d processes on this node %d are left: one died before it had "
			"joined: the job ends",
			launch->nstarted, launch->nlive);
		gshmemi_end(1);
	}
	if (limit_s > 0 && (double)(now_ns - started_ns) * 1e-9 > limit_s) {
		gshmemi_log_print_held();
		gshmemi_error("init: other PEs have not joined for %g s (GSHMEM_INIT_TIMEOUT): every process "
			      "of the %s must call gshmem_init",
			limit_s, is_launched ? "communicator" : "job");
		gshmemi_end(1);
	}
}

static void watch_init(void)
{
	struct pollfd wake = {wake_fd, POLLIN, 0};
	uint64_t started_ns = gshmemi_arch_clock_ns();
	struct launch launch;
	bool known = false;

	while (next_phase(&wake, 1, INIT_TICK_MS) == WATCH_INIT) {
		if (!known)
			find_launch(&launch);
		known = true;
		guard_init(&launch, started_ns);
	}
}

/* ---- the job ---- */

/* If a peer has printed why the job ends, ends likewise, silently. */
static void follow(int pe)
{
	int status;

	if (gshmemi_life_is_ending(pe, &status))
		gshmemi_end(status);
}

static void follow_any(void)
{
	int i;

	for (i = 0; i < gshmemi_job->npeers; i++)
		follow(gshmemi_job->peers[i].pe);
}

/* Called when a peer has ended. */
static void mourn(int pe)
{
	follow(pe);
	gshmemi_end_saying(1, "PE %d (pid %d on %s) ended without gshmem_finalize: the job ends", pe,
		(int)gshmemi_job_find(pe)->pid, gshmemi_job->host);
}

static void check_fault(void)
{
	struct gshmemi_fault *fault = gshmemi_state.fault;
	struct gshmemi_fault copy;

	/* acquire: pairs with the release before the state in gshmemi_fault_raise */
	if (__atomic_load_n(&fault->state, __ATOMIC_ACQUIRE) != 2)
		return;
	copy = *fault;
	if (copy.kind == GSHMEMI_FAULT_WAITING)
		gshmemi_waits_hear(&copy);
	else
		gshmemi_fault_print(&copy);
	if (copy.kind == GSHMEMI_FAULT_WATCHDOG || copy.kind == GSHMEMI_FAULT_WAITING) {
		fault->on_host = 0;
		__atomic_store_n(&fault->state, 0, __ATOMIC_RELEASE);
		return;
	}
	/* before storing 3, for which the kernel waits: it then stops and may take the process with it */
	gshmemi_end_begin(1);
	__atomic_store_n(&fault->state, 3, __ATOMIC_RELEASE);
	gshmemi_end(1);
}

static bool has_ended(const struct watch *watch, int i)
{
	if (watch->at[i] == BY_PID)
		return kill(gshmemi_job_find(watch->pes[i])->pid, 0) && errno == ESRCH;
	return watch->at[i] != NOT_WATCHED && watch->fds[watch->at[i]].revents & POLLIN;
}

/* poll skips the place, which keeps the indices of the others as they are. */
static void stop_watching(struct watch *watch, int i)
{
	if (watch->at[i] > 0) {
		close(watch->fds[watch->at[i]].fd);
		watch->fds[watch->at[i]].fd = -1;
	}
	watch->at[i] = NOT_WATCHED;
}

static void check_peers(struct watch *watch)
{
	int i;

	for (i = 0; i < watch->npes; i++) {
		if (!has_ended(watch, i))
			continue;
		if (gshmemi_life_get(watch->pes[i]) != GSHMEMI_LIFE_FINALIZED)
			mourn(watch->pes[i]);
		stop_watching(watch, i);
	}
}

/* Returns the pidfd of a PE, or what stands for one. If the PE is already gone, mourns it. */
static int open_pidfd(int pe)
{
	int fd;

	if (!gshmemi_life_is_known(pe))
		return NOT_WATCHED;
	fd = gshmemi_job_open_pidfd(pe);
	if (fd >= 0)
		return fd;
	if (fd != -ESRCH && fd != -EXDEV) {
		gshmemi_info("watcher: PE %d is watched by its pid: pidfd_open: %s", pe, strerror(-fd));
		return BY_PID;
	}
	if (fd == -ESRCH && gshmemi_life_get(pe) != GSHMEMI_LIFE_FINALIZED)
		mourn(pe);
	return NOT_WATCHED;
}

static int open_watch(struct watch *watch)
{
	const size_t npeers = (size_t)gshmemi_job->npeers;
	int i, pe, fd;

	watch->npes = watch->nfds = 0;
	watch->fds = calloc(npeers, sizeof *watch->fds);
	watch->pes = calloc(npeers, sizeof *watch->pes);
	watch->at = calloc(npeers, sizeof *watch->at);
	if (!watch->fds || !watch->pes || !watch->at)
		return -ENOMEM;
	watch->fds[watch->nfds++] = (struct pollfd){wake_fd, POLLIN, 0};
	for (i = 0; i < gshmemi_job->npeers; i++) {
		pe = gshmemi_job->peers[i].pe;
		if (pe == gshmemi_job->my_pe)
			continue;
		fd = open_pidfd(pe);
		watch->pes[watch->npes] = pe;
		watch->at[watch->npes++] = fd < 0 ? fd : watch->nfds;
		if (fd >= 0)
			watch->fds[watch->nfds++] = (struct pollfd){fd, POLLIN, 0};
	}
	return 0;
}

static void close_watch(struct watch *watch)
{
	int i;

	for (i = 0; i < watch->npes; i++)
		stop_watching(watch, i);
	free(watch->fds);
	free(watch->pes);
	free(watch->at);
}

static void watch_job(void)
{
	int tick_ms = RUN_TICK_MS;
	struct watch watch;

	if (open_watch(&watch))
		gshmemi_warn("watcher: out of memory: the death of peers will not be noticed");
	while (next_phase(watch.fds, watch.nfds, tick_ms) == WATCH_JOB) {
		check_fault();
		follow_any();
		check_peers(&watch);
		/* after checking peers, because SIGUSR1 is also sent for a death */
		tick_ms = gshmemi_waits_ask() ? ASK_TICK_MS : RUN_TICK_MS;
	}
	check_fault();
	close_watch(&watch);
}

/* ---- the thread ---- */

static void *run_thread(void *unused)
{
	(void)unused;
	if (atomic_load(&phase) == WATCH_INIT)
		watch_init();
	if (atomic_load(&phase) == WATCH_JOB)
		watch_job();
	return NULL;
}

int gshmemi_watcher_start(bool by_launcher)
{
	int rc;

	gshmemi_waits_look();
	wake_fd = gshmemi_file_keep(eventfd(0, EFD_CLOEXEC));
	if (wake_fd < 0) {
		rc = -errno;
		gshmemi_error("init: eventfd: %s", strerror(errno));
		return rc;
	}
	is_launched = by_launcher;
	atomic_store(&phase, WATCH_INIT);
	rc = gshmemi_thread_start(&thread, run_thread, NULL, "init: the watcher thread");
	if (rc) {
		close(wake_fd);
		wake_fd = -1;
	}
	return rc;
}

void gshmemi_watcher_watch(void)
{
	gshmemi_waits_open();
	set_phase(WATCH_JOB);
}

void gshmemi_watcher_stop(void)
{
	if (wake_fd < 0)
		return;
	gshmemi_waits_close();
	set_phase(STOP);
	pthread_join(thread, NULL);
	close(wake_fd);
	wake_fd = -1;
}
