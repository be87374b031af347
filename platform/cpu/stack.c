/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stacks of fibers. Each thread keeps those it made until it ends or idles (worker.c). Below each stack is
 * a guard page. A lane that runs into it gets a message, from a handler with a signal stack of its own. The
 * handler also reports when the host touches device memory that access.c has closed.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "block.h"

#define SIGNAL_STACK_BYTES ((size_t)64 << 10)

static struct sigaction old_action[2]; /* of SIGSEGV and SIGBUS, from before */

static struct fiber *fiber_new(struct block *b)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nbytes = hipcpu_config()->stack_bytes;
	struct fiber *f = calloc(1, sizeof(*f));
	char *area = mmap(NULL, nbytes + page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!f || area == MAP_FAILED || mprotect(area, page, PROT_NONE)) {
		hipcpu_message("the stack of a lane (this thread has %u stacks of %zu bytes): %s "
			       "(GSHMEM_CPU_STACK, GSHMEM_CPU_BLOCKS, vm.max_map_count)",
			b->nfibers, nbytes, strerror(errno));
		abort();
	}
	f->stack = area + page;
	f->stack_bytes = nbytes;
	/* Colouring: with the same offset in each page, all lanes' frames would share a few cache sets. */
	fiber_make(f, hipcpu_fiber_main, b->nfibers % 16 * 192);
	b->nfibers++;
	return f;
}

struct fiber *hipcpu_fiber_get(struct block *b)
{
	struct fiber *f = b->free_fibers;

	if (!f)
		return fiber_new(b);
	b->free_fibers = f->next;
	return f;
}

void hipcpu_fiber_put(struct block *b, struct fiber *f)
{
	f->next = b->free_fibers;
	b->free_fibers = f;
}

void hipcpu_fibers_reserve(struct block *b, unsigned n)
{
	while (b->nfibers < n)
		hipcpu_fiber_put(b, fiber_new(b));
}

void hipcpu_fibers_free(struct block *b)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fiber *f;

	while ((f = b->free_fibers) != NULL) {
		b->free_fibers = f->next;
		fiber_unmake(f);
		munmap(f->stack - page, f->stack_bytes + page);
		free(f);
	}
	b->nfibers = 0;
}

/* ---- overflow ---- */

static void on_fault(int signal, siginfo_t *info, void *context)
{
	static const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct sigaction *old = &old_action[signal == SIGBUS];
	struct block *b = hipcpu_block;

	if (hipcpu_access_refused(info)) {
		hipcpu_message(
			"device memory touched by the host at %p: a GPU would fault; copy with hipMemcpy "
			"(GSHMEM_CPU_HOST_ACCESS)",
			info->si_addr);
		sigaction(signal, &by_default, NULL);
		/* not by repeating the access, which could pass: a kernel may have opened the memory */
		raise(signal);
		return;
	}
	if (hipcpu_self && b && b->fiber && b->fiber->stack) {
		uintptr_t below = (uintptr_t)b->fiber->stack - (uintptr_t)info->si_addr;

		if (below - 1 < (uintptr_t)sysconf(_SC_PAGESIZE)) {
			hipcpu_message("block (%u,%u,%u) lane %u of %s: stack overflow: more than %zu bytes "
				       "(GSHMEM_CPU_STACK)",
				blockIdx.x, blockIdx.y, blockIdx.z, lane_number(b, hipcpu_self),
				b->launch->params.name, b->fiber->stack_bytes);
			abort();
		}
		hipcpu_message("block (%u,%u,%u) lane %u of %s: illegal access to address %p", blockIdx.x,
			blockIdx.y, blockIdx.z, lane_number(b, hipcpu_self), b->launch->params.name,
			info->si_addr);
	}
	/* not ours: do what would have happened without this handler */
	if (old->sa_flags & SA_SIGINFO)
		old->sa_sigaction(signal, info, context);
	else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
		old->sa_handler(signal);
	else
		sigaction(signal, old, NULL); /* the access is repeated and gets the default action */
}

static void install_handlers(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_fault;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, &old_action[0]);
	sigaction(SIGBUS, &action, &old_action[1]);
}

void hipcpu_faults_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install_handlers);
}

void hipcpu_stacks_init(struct block *b)
{
	pthread_attr_t attr;
	stack_t signals = {.ss_size = SIGNAL_STACK_BYTES};
	void *stack = NULL;
	size_t nbytes = 0;

	if (!pthread_getattr_np(pthread_self(), &attr)) {
		pthread_attr_getstack(&attr, &stack, &nbytes);
		pthread_attr_destroy(&attr);
	}
	fiber_of_thread(&b->thread, stack, nbytes);
	signals.ss_sp =
		mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (signals.ss_sp != MAP_FAILED)
		sigaltstack(&signals, NULL);
	hipcpu_faults_init();
}

void hipcpu_stacks_end(void)
{
	static const stack_t none = {.ss_flags = SS_DISABLE};
	stack_t signals;

	if (!sigaltstack(NULL, &signals) && !(signals.ss_flags & SS_DISABLE) && !sigaltstack(&none, NULL))
		munmap(signals.ss_sp, SIGNAL_STACK_BYTES);
}
