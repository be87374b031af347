/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This PE's engine and the net thread.
 *
 * The thread calls no HIP: threads that wait for kernels may hold HIP's locks, and those kernels may wait for
 * the net thread. It polls, and yields its core, while there has recently been something to do. Then it naps,
 * longer each time, because an arriving MPI message cannot wake it. A thread that makes a request while the
 * net thread naps makes progress itself, or wakes it.
 */
#include "net/net.h"

#include <dirent.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scale.h"
#include "base/thread.h"
#include "bootstrap/bootstrap.h"
#include "device/state.h"
#include "ipc/region.h"
#include "job/job.h"
#include "net/mpi.h"
#include "owner/device.h"
#include "owner/mail.h"

#define YIELD_NS    1000000 /* after the last work: yield, */
#define NAP_SHARE   16 /* then nap for this part of the time without work, so that a nap adds little to it, */
#define NAP_MAX_NS  2000000  /* but no longer */
#define SILENCE_NS  20000000 /* between two checks for silent PEs */
#define CLOCK_LOOKS 16       /* polls in vain per look at the clock */
#define AWAY_MIN_NS 50000    /* a nap while waiting hosts make progress; it doubles as long as they do, */
#define AWAY_MAX_NS 1000000  /* up to this: each nap costs a host some 20 us of its core */
#define POLL_NS     100000   /* a waiting host is taken to poll at least this often */

/*
 * threads of a PE that want a core: a kernel's or the program's, the server's that a kernel calls,
 * and this one
 */
#define NTHREADS 3

/* the size of a landing */
#define FAR_CHUNK_NBYTES (GSHMEMI_ARCH_HOST_DIRECT ? 262144 : GSHMEMI_NET_CHUNK_NBYTES)
#define FAR_EAGER_NBYTES 16384 /* UCX over TCP sends longer messages only after a question */
#define ACK_PASSES       16    /* of a waiting host, some 20 us */

#define NBUFFERS    128
#define NITEMS      1024
#define CREDIT      2
#define MOST_CREDIT 32
#define NCREDITS    256

void (*gshmemi_net_on_progress)(void);
bool (*gshmemi_net_has_posts)(void);
bool (*gshmemi_net_may_touch)(unsigned region, uint64_t address, uint64_t nbytes);
void (*gshmemi_net_refused)(int pe, uint64_t head, uint64_t address, uint64_t nbytes);

static struct gshmemi_engine *engine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the engine */
static pthread_t holder;                                 /* the thread that holds the lock, */
static atomic_bool is_held;                              /* while is_held */
static _Thread_local bool is_holding; /* this thread's requests stay unsent: gshmemi_host_hold */
static pthread_t thread;
static atomic_bool is_stopping;
/* somebody has used the engine since nothing was open; written under the lock */
static atomic_bool may_be_open;
/* the thread that holds the lock checks whether may_be_open can become false */
static atomic_bool is_settling;
static atomic_uint nwaiting;    /* threads waiting for the lock */
static atomic_uint npolls;      /* polls of waiting hosts */
static uint32_t is_napping;     /* the futex on which the net thread sleeps */
static const char *last_excuse; /* the last excuse that was printed, for a silent PE */

/* ---- the engine's owner ---- */

static char *find_memory(void *user, int pe, unsigned region, uint64_t offset, uint64_t nbytes)
{
	const struct gshmemi_region *r = region < GSHMEMI_NREGIONS ? &gshmemi_state.regions[region] : NULL;

	(void)user;
	if (r && r->delta && offset <= r->nbytes && nbytes <= r->nbytes - offset)
		return r->base + offset;
	gshmemi_error("net: PE %d asks for %llu bytes at offset %#llx of region %u, which has %llu here: the "
		      "job ends",
		pe, (unsigned long long)nbytes, (unsigned long long)offset, region,
		r && r->delta ? (unsigned long long)r->nbytes : 0);
	gshmemi_end(1);
}

/* The address in a window; offsets have 48 bits, and those of a dynamic window begin behind its lowest. */
static uint64_t address_at(unsigned region, uint64_t offset)
{
	return ((uintptr_t)gshmemi_state.regions[region].base + offset) & GSHMEMI_OP_OFFSET;
}

/* Init may open the engine before there are windows. */
static bool may_touch(void *user, unsigned region, uint64_t offset, uint64_t nbytes)
{
	(void)user;
	return !gshmemi_net_may_touch || region >= GSHMEMI_NREGIONS || !gshmemi_state.regions[region].delta ||
		gshmemi_net_may_touch(region, address_at(region, offset), nbytes);
}

static void refused(void *user, int pe, const struct gshmemi_op_record *r)
{
	(void)user;
	gshmemi_net_refused(pe, r->head, address_at(gshmemi_op_region(r->head), r->place & GSHMEMI_OP_OFFSET),
		gshmemi_wire_place_nbytes(r->head));
}

/* Returns the state of a thread, as the letter of proc(5); 0: there is no such thread. */
static char state_of(int pid, const char *task)
{
	char path[64], line[512], *close, state = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", pid, task);
	file = gshmemi_file_read(path);
	if (!file)
		return 0;
	if (fgets(line, sizeof line, file) && (close = strrchr(line, ')')) && close[1])
		state = close[2];
	fclose(file);
	return state;
}

static bool has_running_thread(int pid)
{
	char path[32];
	struct dirent *entry;
	bool has_one = false;
	DIR *threads;

	snprintf(path, sizeof path, "/proc/%d/task", pid);
	threads = gshmemi_file_list(path);
	while (threads && !has_one && (entry = readdir(threads)))
		has_one = state_of(pid, entry->d_name) == 'R';
	if (threads)
		closedir(threads);
	return has_one;
}

/*
 * Why a PE of this machine is silent although it is not lost; NULL: it is lost, or on another machine. A
 * signal or a debugger may have stopped it. Or other threads have the cores: Linux may keep a ready thread,
 * which has the engine's lock or has sent half a message, waiting for many seconds.
 */
static const char *find_excuse(const struct gshmemi_peer *peer)
{
	char leader[16];

	if (!peer || !gshmemi_job_sees(peer))
		return NULL;
	snprintf(leader, sizeof leader, "%d", (int)peer->pid);
	switch (state_of((int)peer->pid, leader)) {
	case 'T':
	case 't':
		return "is stopped";
	default:
		return has_running_thread((int)peer->pid) ? "waits for a core, which other threads have"
							  : NULL;
	}
}

static bool silent(void *user, int pe, uint64_t ns, const struct gshmemi_engine_unanswered *what)
{
	const double limit_s = gshmemi_env.NET_DEADLINE;
	const struct gshmemi_peer *peer = gshmemi_job_find(pe);
	const char *excuse;

	(void)user;
	if (limit_s <= 0 || (double)ns * 1e-9 < limit_s)
		return false;
	excuse = find_excuse(peer);
	if (excuse) {
		if (excuse != last_excuse)
			gshmemi_warn("PE %d (pid %d on %s) %s: operations on it wait", pe, (int)peer->pid,
				gshmemi_job->host, excuse);
		last_excuse = excuse;
		return true;
	}
	gshmemi_end_saying(1,
		"PE %d on %s has not answered for %.0f s (GSHMEM_NET_DEADLINE), with operations on it open: "
		"%llu small ones%s, chunks of puts %llu, of gets %llu: the job ends",
		pe, gshmemi_job_host(pe), (double)ns * 1e-9, (unsigned long long)what->nsmall,
		what->has_flag ? " (including a barrier's or a collective's)" : "",
		(unsigned long long)what->nput_chunks, (unsigned long long)what->nget_chunks);
}

/*
 * Between machines, two chunks in flight delay a signal behind them. Within a machine they take a hundredth
 * of the time, and larger chunks mean fewer messages. And only silence shows that a process of another
 * machine has died.
 */
static bool is_far(void *user, int pe)
{
	(void)user;
	return !gshmemi_job_find(pe);
}

/* ---- entering ---- */

static void mark_holder(void)
{
	holder = pthread_self();
	atomic_store_explicit(&is_held, true, memory_order_release);
}

static void let_go(void)
{
	atomic_store_explicit(&is_held, false, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
}

struct gshmemi_engine *gshmemi_net_enter(void)
{
	atomic_fetch_add(&nwaiting, 1);
	pthread_mutex_lock(&lock);
	mark_holder();
	atomic_fetch_sub(&nwaiting, 1);
	if (!atomic_load_explicit(&may_be_open, memory_order_relaxed)) {
		gshmemi_state_set_asked(true);
		/* after the bit: a kernel that sees may_be_open takes the bit as set */
		atomic_store(&may_be_open, true);
	}
	return engine;
}

bool gshmemi_net_may_be_open(void)
{
	return atomic_load_explicit(&may_be_open, memory_order_acquire);
}

/*
 * A kernel first counts its request and then looks at is_settling and may_be_open. Here it is the other way
 * round. So either this function sees the request, or the kernel sees that it has to enter.
 */
void gshmemi_net_settle(void)
{
	if (!gshmemi_engine_is_idle(engine))
		return;
	atomic_store(&is_settling, true);
	atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in gshmemi_host_asked */
	if (!gshmemi_net_has_posts || !gshmemi_net_has_posts()) {
		atomic_store(&may_be_open, false);
		gshmemi_state_set_asked(false);
	}
	atomic_store(&is_settling, false);
}

void gshmemi_host_asked(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load(&is_settling) || !atomic_load(&may_be_open)) {
		gshmemi_net_enter();
		gshmemi_net_leave_unsent();
	}
}

void gshmemi_host_settle(void)
{
	if (!gshmemi_net_may_be_open() || pthread_mutex_trylock(&lock))
		return;
	mark_holder();
	gshmemi_net_settle();
	let_go();
}

void gshmemi_host_hold(int is_begin)
{
	is_holding = is_begin;
	if (!is_begin) {
		gshmemi_net_enter();
		gshmemi_net_leave();
	}
}

static void wake(void)
{
	if (__atomic_exchange_n(&is_napping, 0, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &is_napping, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void gshmemi_net_leave_unsent(void)
{
	let_go();
}

static bool naps(void)
{
	return __atomic_load_n(&is_napping, __ATOMIC_RELAXED);
}

/*
 * The net thread sends the puts that stay behind. It is not woken for them, because that takes longer than
 * sending them here. It is woken for what has been sent, even if it fell asleep meanwhile.
 */
static void leave_engine(bool may_leave_puts)
{
	if (is_holding) {
		gshmemi_net_leave_unsent();
		return;
	}
	gshmemi_engine_flush(engine, !may_leave_puts || naps());
	let_go();
	if (naps())
		wake();
}

void gshmemi_net_leave(void)
{
	leave_engine(false);
}

void gshmemi_net_leave_puts(void)
{
	leave_engine(true);
}

/*
 * Waits, so that the watcher can say which PE has died and end this process. It watches PEs of this machine;
 * if there are none, does not wait.
 */
static void wait_for_watcher(void)
{
	if (gshmemi_job->npeers > 1)
		gshmemi_thread_sleep(5);
	while (gshmemi_is_ending())
		pause();
}

/*
 * UCX aborts the process when it cannot read the memory of one that has died, before this process learns
 * of the death.
 */
static void hold_abort(int signum)
{
	if (atomic_load(&is_held) && pthread_equal(holder, pthread_self()))
		wait_for_watcher();
	signal(signum, SIG_DFL);
}

/* MPI failed, most often because a PE died. */
static _Noreturn void give_up(int error)
{
	static atomic_flag is_said = ATOMIC_FLAG_INIT; /* another thread may get the same error */

	wait_for_watcher();
	if (!atomic_flag_test_and_set(&is_said))
		gshmemi_error(
			"net: the link to the other PEs is broken (%s): the job ends", strerror(-error));
	gshmemi_end(1);
}

/* Called with the lock held. */
static int make_progress(void)
{
	const int n = gshmemi_engine_progress(engine);

	if (n >= 0)
		return n;
	let_go();
	give_up(n);
}

/* Makes progress unless another thread does. Returns the number of things done. */
static int try_progress(void)
{
	int n;

	if (pthread_mutex_trylock(&lock))
		return 0;
	mark_holder();
	n = engine ? make_progress() : 0;
	let_go();
	return n;
}

void gshmemi_net_progress(void)
{
	(void)try_progress();
}

void gshmemi_host_progress(void)
{
	atomic_fetch_add_explicit(&npolls, 1, memory_order_relaxed);
	if (try_progress() && gshmemi_net_on_progress)
		gshmemi_net_on_progress();
}

/* ---- the thread ---- */

struct rest {
	uint64_t worked_ns;   /* when there last was something to do */
	uint64_t listened_ns; /* when silence was last checked */
	unsigned nempty;      /* polls in vain */
};

static void nap_for(uint64_t ns)
{
	const struct timespec limit = {0, (long)ns};

	__atomic_store_n(&is_napping, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &is_napping, FUTEX_WAIT_PRIVATE, 1, &limit, NULL, 0);
	__atomic_store_n(&is_napping, 0, __ATOMIC_SEQ_CST);
}

static void listen(struct rest *rest, uint64_t now_ns)
{
	if (now_ns - rest->listened_ns < SILENCE_NS)
		return;
	rest->listened_ns = now_ns;
	gshmemi_engine_check_silence(gshmemi_net_enter(), now_ns);
	gshmemi_net_leave();
}

static void rest_thread(struct rest *rest, bool has_waiters)
{
	uint64_t now_ns, idle_ns;

	if (rest->nempty++ % CLOCK_LOOKS) {
		gshmemi_thread_yield();
		return;
	}
	now_ns = gshmemi_arch_clock_ns();
	listen(rest, now_ns);
	if (rest->nempty <= CLOCK_LOOKS || has_waiters)
		rest->worked_ns = now_ns;
	idle_ns = now_ns - rest->worked_ns;
	if (idle_ns < YIELD_NS) {
		gshmemi_thread_yield();
		return;
	}
	rest->nempty = 2 * CLOCK_LOOKS; /* so that the next poll in vain looks at the clock */
	nap_for(idle_ns / NAP_SHARE < NAP_MAX_NS ? idle_ns / NAP_SHARE : NAP_MAX_NS);
}

/* While hosts that wait make progress, the net thread keeps away. */
struct away {
	unsigned npolls; /* at the last look */
	uint64_t ns;     /* of the next nap */
};

/* Whether hosts have made progress since the last look. If so, this thread would only take their core. */
static bool is_needless(struct away *away)
{
	const unsigned n = atomic_load_explicit(&npolls, memory_order_relaxed), npolled = n - away->npolls;

	away->npolls = n;
	if (npolled * (uint64_t)POLL_NS < away->ns)
		away->ns = AWAY_MIN_NS;
	else if (away->ns < AWAY_MAX_NS)
		away->ns *= 2;
	return npolled != 0;
}

static void *run_thread(void *unused)
{
	struct away away = {.ns = AWAY_MIN_NS};
	struct rest r = {0};
	bool has_waiters;
	int n;

	(void)unused;
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	while (!atomic_load(&is_stopping)) {
		if (atomic_load(&nwaiting)) /* they will make progress */
			gshmemi_thread_yield();
		if (is_needless(&away)) {
			listen(&r, gshmemi_arch_clock_ns());
			nanosleep(&(struct timespec){0, (long)away.ns}, NULL);
			continue;
		}
		pthread_mutex_lock(&lock);
		mark_holder();
		n = make_progress();
		has_waiters = gshmemi_engine_has_waiters(engine);
		let_go();
		if (n) {
			r.nempty = 0;
			if (gshmemi_net_on_progress)
				gshmemi_net_on_progress();
		} else {
			rest_thread(&r, has_waiters);
		}
	}
	return NULL;
}

/* ---- start and end ---- */

/* Leaves the program's own handler in place. */
static void handle_abort(void (*from)(int), void (*to)(int))
{
	struct sigaction action;

	if (!sigaction(SIGABRT, NULL, &action) && !(action.sa_flags & SA_SIGINFO) &&
		action.sa_handler == from)
		signal(SIGABRT, to);
}

static struct gshmemi_engine_config config_of(struct gshmemi_link *link)
{
	struct gshmemi_engine_config config = {0};

	config.link = link;
	config.owner = (struct gshmemi_engine_owner){find_memory, silent, is_far, NULL, may_touch, refused};
	config.agent = gshmemi_net_agent();
	config.npes = gshmemi_job->npes;
	config.first_seq = gshmemi_env.FIRST_SEQ;
	config.nbuffers = NBUFFERS;
	config.nitems = NITEMS;
	config.credit = CREDIT;
	config.most_credit = MOST_CREDIT;
	config.ncredits = NCREDITS;
	config.small_nbytes = GSHMEMI_NET_SMALL_NBYTES;
	config.chunk_nbytes = GSHMEMI_NET_CHUNK_NBYTES;
	config.far_nbytes = FAR_CHUNK_NBYTES;
	config.eager_nbytes = FAR_EAGER_NBYTES;
	config.ack_passes = ACK_PASSES;
	return config;
}

static void stop_thread(void)
{
	atomic_store(&is_stopping, true);
	wake();
	pthread_join(thread, NULL);
}

static int start_thread(void)
{
	int rc;

	atomic_store(&is_stopping, false);
	rc = gshmemi_thread_start(&thread, run_thread, NULL, "net: the net thread");
	if (rc)
		return rc;
	/* by this thread, because the net thread may not run for long where hosts make progress */
	(void)pthread_setname_np(thread, "gshmem-net");
	if (gshmemi_env.NET_CPU < 0)
		return 0;
	rc = gshmemi_thread_pin(thread, gshmemi_env.NET_CPU, "GSHMEM_NET_CPU: the net thread cannot stay on");
	if (rc)
		stop_thread();
	return rc;
}

static int start_net(struct gshmemi_link *link)
{
	struct gshmemi_engine_config config = config_of(link);
	int rc;

	engine = gshmemi_engine_create(&config);
	if (!engine) {
		gshmemi_error("net: %zu bytes of messages: out of memory",
			gshmemi_engine_nbytes(&config, link->size(link)));
		link->end(link);
		return -ENOMEM;
	}
	last_excuse = NULL;
	atomic_store(&may_be_open, true);
	rc = gshmemi_net_agent_open();
	if (!rc) {
		rc = start_thread();
		if (rc)
			gshmemi_net_agent_close();
	}
	if (!rc) {
		handle_abort(SIG_DFL, hold_abort);
		GSHMEMI_ARCH_SHARE_CORES(NTHREADS);
		return 0;
	}
	gshmemi_engine_destroy(engine);
	engine = NULL;
	return rc;
}

static void stop(void)
{
	stop_thread();
	GSHMEMI_ARCH_SHARE_CORES(1);
	handle_abort(hold_abort, SIG_DFL);
	gshmemi_net_agent_close();
	gshmemi_engine_destroy(engine);
	engine = NULL;
}

int gshmemi_net_start(void)
{
	struct gshmemi_link *link = NULL;
	bool is_needless = !gshmemi_env.NET && !gshmemi_regions_need_net();
	int rc, local;

	rc = gshmemi_bootstrap_agree(0, &is_needless);
	if (!rc && is_needless && GSHMEMI_ARCH_HOST_DIRECT && gshmemi_bootstrap_has_mpi())
		gshmemi_link_mpi_prepare();
	if (rc || is_needless)
		return rc;
	gshmemi_mailbox_is_wanted = !GSHMEMI_ARCH_HOST_DIRECT;
	rc = gshmemi_bootstrap_agree(gshmemi_regions_check_net(), NULL);
	if (!rc)
		rc = gshmemi_link_mpi_open(&link);
	if (rc)
		return rc;
	local = start_net(link);
	rc = gshmemi_bootstrap_agree(local, NULL);
	if (rc && !local)
		stop();
	return rc;
}

/*
 * On a GPU, waves of kernels serve other PEs' requests, and they must know in init how to, so the net
 * cannot start later.
 */
int gshmemi_net_require(const char *call)
{
	static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER; /* only one thread starts it */
	const uint32_t why = GSHMEMI_WHY_PEERS | GSHMEMI_WHY_NET | GSHMEMI_WHY_MIXED;
	struct gshmemi_link *link = NULL;
	int rc;

	if (engine) /* it may run only because of GSHMEM_NET, and kernels not know of it */
		return gshmemi_state_add_why(why);
	if (!GSHMEMI_ARCH_HOST_DIRECT) {
		gshmemi_error("%s: some PE's memory cannot be mapped, and its owner can be reached only in a "
			      "job on several nodes, or with GSHMEM_NET=1",
			call);
		return -ENOTSUP;
	}
	pthread_mutex_lock(&starting);
	rc = engine ? 0 : gshmemi_bootstrap_check_carrying(gshmemi_job->my_pe, gshmemi_job->my_pe);
	if (!rc && !engine)
		rc = gshmemi_link_mpi_open_prepared(&link);
	if (link)
		rc = start_net(link);
	if (link && !rc) {
		gshmemi_state_set_asked(true); /* see start */
		rc = gshmemi_state_add_why(why);
		if (rc)
			stop();
	}
	pthread_mutex_unlock(&starting);
	return rc;
}

void gshmemi_net_scale(struct gshmemi_scale *scale)
{
	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES);
	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES); /* the mailbox's */
	if (scale->npes == scale->npeers)
		return;
	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES);
	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "engine",
		gshmemi_engine_nbytes(
			&(const struct gshmemi_engine_config){
				.npes = scale->npes, .nbuffers = NBUFFERS, .nitems = NITEMS},
			gshmemi_link_mpi_scale(scale)));
}

void gshmemi_net_stop(void)
{
	if (engine)
		stop();
	gshmemi_link_mpi_drop();
}

void gshmemi_net_drain(void)
{
	bool is_idle;

	do {
		gshmemi_thread_yield();
		is_idle = gshmemi_engine_is_idle(gshmemi_net_enter());
		(void)make_progress();
		gshmemi_net_leave();
	} while (!is_idle);
}

bool gshmemi_net_is_running(void)
{
	return engine != NULL;
}

void gshmemi_net_report(void)
{
	const struct gshmemi_engine_counts *c = gshmemi_net_counts();

	if (!c)
		return;
	fprintf(stderr,
		"gshmem: pe %d: net: asked for %llu puts (%llu merged), %llu gets, %llu atomics and signals, "
		"%llu in chunks: %llu messages; performed %llu puts, %llu gets, %llu atomics by the CPU and "
		"%llu by the device, %llu accumulates by its kernels; %llu responses, %llu acknowledgements, "
		"%llu waited in locks, %llu put off, %llu refused for room, %llu held at most; %llu chunks "
		"sent from device memory, %llu staged\n",
		gshmemi_job->my_pe, (unsigned long long)c->nputs, (unsigned long long)c->nmerged,
		(unsigned long long)c->ngets, (unsigned long long)c->natomics, (unsigned long long)c->nbulks,
		(unsigned long long)c->nmessages, (unsigned long long)c->nputs_performed,
		(unsigned long long)c->ngets_performed, (unsigned long long)c->natomics_performed,
		(unsigned long long)c->natomics_by_device, (unsigned long long)c->nupdates_by_kernel,
		(unsigned long long)c->nresponses, (unsigned long long)c->nacks_alone,
		(unsigned long long)c->nparked, (unsigned long long)c->nstalls,
		(unsigned long long)c->nrefused, (unsigned long long)c->most_kept,
		(unsigned long long)c->nsent_from_device, (unsigned long long)c->nstaged);
}

const struct gshmemi_engine_counts *gshmemi_net_counts(void)
{
	return engine ? gshmemi_engine_counts(engine) : NULL;
}
