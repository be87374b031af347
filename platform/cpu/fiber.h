/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibers: a stack and where it stopped. The switch is inlined and has neither call nor return, which keeps
 * the processor's return-address predictor right: it is 2 to 3 times faster than a called one. -DHIPCPU_BOOST
 * uses Boost.Context's switch, and processors that processor.h does not know use ucontext's.
 *
 * The sanitizers and Valgrind are told about each stack and each switch.
 */
#ifndef HIPCPU_FIBER_H
#define HIPCPU_FIBER_H

#include "processor.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HIPCPU_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define HIPCPU_TSAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HIPCPU_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) || defined(HIPCPU_TSAN_LANES)
#define HIPCPU_TSAN 1
#endif

#ifdef HIPCPU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HIPCPU_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define HIPCPU_VALGRIND 1
#endif
#endif

#if !defined(HIPCPU_BOOST) && !PROCESSOR_SWITCH
#define HIPCPU_UCONTEXT 1
#include <ucontext.h>
#endif

struct fiber {
	void *sp;    /* where it stopped; with Boost its context */
	char *stack; /* lowest usable byte; the guard page is below. NULL: a thread's own stack */
	size_t stack_bytes;
	const void *base;   /* the frame that calls kernels */
	struct fiber *next; /* in the thread's list of free ones */
#ifdef HIPCPU_ASAN
	void *fake_stack;
#endif
#ifdef HIPCPU_TSAN
	void *tsan;
#endif
	unsigned valgrind; /* always: a build may have begun before Valgrind's header was installed */
#ifdef HIPCPU_UCONTEXT
	ucontext_t context;
#endif
};

/*
 * -DHIPCPU_TSAN_LANES: a switch does not synchronise, so that TSan sees races between lanes. What does
 * synchronise is marked by these macros. The runtime itself is then compiled without -fsanitize=thread.
 */
#ifdef HIPCPU_TSAN_LANES
#define FIBER_TSAN_FLAGS       1
#define FIBER_RELEASE(address) __tsan_release((void *)(address))
#define FIBER_ACQUIRE(address) __tsan_acquire((void *)(address))
#else
#define FIBER_TSAN_FLAGS       0
#define FIBER_RELEASE(address) ((void)(address))
#define FIBER_ACQUIRE(address) ((void)(address))
#endif

#ifdef HIPCPU_BOOST
struct fiber_transfer {
	void *context;
	void *data;
};
extern struct fiber_transfer jump_fcontext(void *to, void *data);
extern void *make_fcontext(void *top, size_t nbytes, void (*entry)(struct fiber_transfer));
#endif

/* The first statement of a new fiber, and the last one of each switch. */
static inline void fiber_arrived(struct fiber *self)
{
	(void)self;
#ifdef HIPCPU_ASAN
	__sanitizer_finish_switch_fiber(self->fake_stack, NULL, NULL);
#endif
}

/* Stops in from, which is running, and goes on in to. Returns when somebody switches back to from. */
static inline __attribute__((always_inline)) void fiber_switch(struct fiber *from, struct fiber *to)
{
#ifdef HIPCPU_ASAN
	__sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
#ifdef HIPCPU_TSAN
	__tsan_switch_to_fiber(to->tsan, FIBER_TSAN_FLAGS);
#endif
#if defined(HIPCPU_BOOST)
	struct fiber_transfer came = jump_fcontext(to->sp, from);
	((struct fiber *)came.data)->sp = came.context;
#elif defined(HIPCPU_UCONTEXT)
	swapcontext(&from->context, &to->context);
#else
	processor_switch(&from->sp, to->sp);
#endif
	fiber_arrived(from);
}

#ifdef HIPCPU_BOOST
extern void hipcpu_fiber_main(void);
static void fiber_boost_entry(struct fiber_transfer came)
{
	((struct fiber *)came.data)->sp = came.context;
	hipcpu_fiber_main();
}
#endif

/*
 * Makes a fiber on its stack that starts in entry, which never returns. Leaves out colour bytes at the top.
 */
static inline void fiber_make(struct fiber *f, void (*entry)(void), size_t colour)
{
	uintptr_t top = ((uintptr_t)f->stack + f->stack_bytes - colour) & ~(uintptr_t)63;
#ifdef HIPCPU_TSAN
	f->tsan = __tsan_create_fiber(0);
#endif
#ifdef HIPCPU_VALGRIND
	f->valgrind = VALGRIND_STACK_REGISTER(f->stack, f->stack + f->stack_bytes);
#endif
#if defined(HIPCPU_BOOST)
	(void)entry;
	f->sp = make_fcontext((void *)top, top - (uintptr_t)f->stack, fiber_boost_entry);
#elif defined(HIPCPU_UCONTEXT)
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = f->stack;
	f->context.uc_stack.ss_size = top - (uintptr_t)f->stack;
	f->context.uc_link = NULL;
	makecontext(&f->context, entry, 0);
#else
	f->sp = processor_make_stack(top, entry);
#endif
}

/* Undoes fiber_make, for a fiber that has stopped for good; its stack may then go. */
static inline void fiber_unmake(struct fiber *f)
{
#ifdef HIPCPU_ASAN
	ASAN_UNPOISON_MEMORY_REGION(f->stack, f->stack_bytes);
#endif
#ifdef HIPCPU_TSAN
	__tsan_destroy_fiber(f->tsan);
#endif
#ifdef HIPCPU_VALGRIND
	VALGRIND_STACK_DEREGISTER(f->valgrind);
#endif
	f->sp = NULL;
}

/* Describes the running thread's own stack, to which fibers return. */
static inline void fiber_of_thread(struct fiber *f, char *stack, size_t stack_bytes)
{
	f->stack = stack;
	f->stack_bytes = stack_bytes;
#ifdef HIPCPU_TSAN
	f->tsan = __tsan_get_current_fiber();
#endif
}

#endif /* HIPCPU_FIBER_H */
