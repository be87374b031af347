/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIGUSR1: prints who waits for what. The handler only wakes the watcher, which sets a word that every wait
 * of the library reads now and then. Each wait then reports itself through the fault record, which holds one
 * report at a time. The watcher asks long enough to hear all of them, and prints each wait once.
 */
#include "end/end.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>

#include "mpi/mpi.h"

#define ASK_NS    2000000000U /* even on a loaded machine, waits read the word at least this often */
#define MAX_NAMED 64          /* how many different waits are printed */

static struct sigaction previous; /* the handler that the process had before */
static bool is_ours;              /* our handler is installed */
static bool is_taken;             /* the program had a handler before MPI started and put its own in front */
static atomic_bool is_wanted;     /* the signal has arrived */

/* Used only by the watcher: */
static struct gshmemi_fault named[MAX_NAMED];
static unsigned nnamed;
static bool is_more;      /* there are more waits than fit */
static uint64_t until_ns; /* 0: the waits are not being asked */

/*
 * Also calls MPICH's handler: the launcher sends this signal when a process has died, or when it gets
 * the signal itself.
 */
static void handle(int signum, siginfo_t *info, void *context)
{
	const int error = errno;

	if (previous.sa_flags & SA_SIGINFO)
		previous.sa_sigaction(signum, info, context);
	else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
		previous.sa_handler(signum);
	atomic_store(&is_wanted, true);
	gshmemi_watcher_wake();
	errno = error;
}

/* Whether nobody but MPI handles the signal. */
static bool is_free(const struct sigaction *action)
{
	void *const start = gshmemi_mpi_find("PMPI_Init"); /* NULL: MPI is not loaded */
	Dl_info handler, mpi;

	if (!(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL)
		return true;
	return start && dladdr((void *)(uintptr_t)action->sa_handler, &handler) && dladdr(start, &mpi) &&
		handler.dli_fbase == mpi.dli_fbase;
}

void gshmemi_waits_look(void)
{
	struct sigaction action;

	is_taken = !sigaction(SIGUSR1, NULL, &action) && !is_free(&action);
}

void gshmemi_waits_open(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_sigaction = handle;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	until_ns = 0;
	atomic_store(&is_wanted, false);
	if (sigaction(SIGUSR1, NULL, &previous))
		return;
	if (!is_taken && is_free(&previous)) {
		is_ours = !sigaction(SIGUSR1, &action, NULL);
		return;
	}
	if (gshmemi_env.STATS)
		gshmemi_warn("init: the program handles SIGUSR1, which would print who waits for what: it "
			     "keeps its handler");
	else
		gshmemi_info("init: the program handles SIGUSR1: it keeps its handler");
}

/* If the program has installed a handler since, leaves that in place. */
void gshmemi_waits_close(void)
{
	struct sigaction action;

	if (is_ours && !sigaction(SIGUSR1, NULL, &action) && action.sa_flags & SA_SIGINFO &&
		action.sa_sigaction == handle)
		(void)sigaction(SIGUSR1, &previous, NULL);
	is_ours = false;
}

static void set_wants_waits(uint32_t wants_waits)
{
	__atomic_store_n(&gshmemi_state.fault->wants_waits, wants_waits, __ATOMIC_RELAXED);
}

bool gshmemi_waits_ask(void)
{
	const uint64_t now_ns = gshmemi_arch_clock_ns();

	if (atomic_exchange(&is_wanted, false)) {
		nnamed = 0;
		is_more = false;
		until_ns = now_ns + ASK_NS;
		set_wants_waits(1);
	} else if (until_ns && now_ns >= until_ns) {
		until_ns = 0;
		set_wants_waits(0);
		gshmemi_error("SIGUSR1: waits of this PE: %u%s", nnamed, is_more ? ", and more" : "");
	}
	return until_ns != 0;
}

static bool is_same(const struct gshmemi_fault *a, const struct gshmemi_fault *b)
{
	return a->on_host == b->on_host && a->block == b->block && a->thread == b->thread &&
		a->address == b->address && a->pe == b->pe && !strncmp(a->call, b->call, sizeof a->call);
}

void gshmemi_waits_hear(const struct gshmemi_fault *wait)
{
	unsigned i;

	if (!until_ns) /* the report is late */
		return;
	for (i = 0; i < nnamed; i++)
		if (is_same(&named[i], wait))
			return;
	if (nnamed == MAX_NAMED) {
		is_more = true;
		return;
	}
	named[nnamed++] = *wait;
	gshmemi_fault_print(wait);
}
