/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that makes sure the mailbox is served. When mail has been open for some microseconds and no kernel
 * has taken it, the thread launches a kernel of one wave, again and again until there is no mail. This thread
 * may call HIP and the net thread may not: a call of HIP may wait for kernels, and kernels may wait for the
 * net thread. Each process of a device has such a thread, and a post wakes that of its own process.
 */
#include "owner/mailbox.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "device/devmem.h"
#include "job/job.h"
#include "owner/kernels.h"

#define GRACE_NS 20000U /* the time that waiting waves have before a kernel is launched */
/* mail that has been open for longer may stay open for long: nap between polls */
#define YIELD_NS 1000000U
#define NAP_NS   50000
/*
 * how often a thread that is not woken polls: another process may have posted mail that only this
 * one can serve
 */
#define TICK_NS  100000000
#define STUCK_NS 10000000000U /* a GPU that has not served its mail for so long is reported */

static pthread_t thread;
static hipStream_t stream;
static hipEvent_t event; /* the end of the last kernel */
static int device;       /* for messages */
static _Atomic bool is_stopping;
static uint32_t nwakes; /* a futex: counts wakes */
static uint32_t is_asleep;

/* How long the next mail has been waiting, as far as this thread knows. */
struct vigil {
	uint32_t done;
	uint64_t since_ns; /* when done last moved; 0: no mail was open */
	bool is_launched;  /* and has not ended */
	bool is_reported;
};

/* ---- kernels ---- */

static void must(hipError_t error, const char *action)
{
	gshmemi_devmem_must(error, "mailbox", action);
}

static void launch(void)
{
	must(gshmemi_attend_launch(stream), "hipLaunchKernel");
	must(hipEventRecord(event, stream), "hipEventRecord");
}

static bool has_ended(void)
{
	hipError_t error;

	if (!gshmemi_devmem_is_reached(event, &error))
		return false;
	must(error, "hipEventQuery");
	return true;
}

/* ---- looking ---- */

static void report_vigil(struct vigil *v, unsigned nopen, uint64_t now_ns)
{
	char next[96];

	v->is_reported = true;
	if (gshmemi_mailbox_name_next(next, sizeof next))
		gshmemi_warn("device %d has not performed the operations of other nodes for %.0f s: %u wait, "
			     "the first %s: its kernels leave no room for another kernel, and do not wait or "
			     "test with gshmem's calls (docs/launch.md)",
			device, (double)(now_ns - v->since_ns) * 1e-9, nopen, next);
}

/* Returns true if there is mail, or if the last kernel is still running. */
static bool look(struct vigil *v)
{
	uint64_t now_ns;
	unsigned nopen;
	uint32_t done;

	if (v->is_launched)
		v->is_launched = !has_ended();
	if (!gshmemi_mailbox_look(&done, &nopen)) {
		v->since_ns = 0;
		return v->is_launched;
	}
	now_ns = gshmemi_arch_clock_ns();
	if (!v->since_ns || done != v->done) {
		v->done = done;
		v->since_ns = now_ns;
	}
	if (!v->is_launched && now_ns - v->since_ns >= GRACE_NS) {
		launch();
		v->is_launched = true;
	}
	if (!v->is_reported && now_ns - v->since_ns >= STUCK_NS)
		report_vigil(v, nopen, now_ns);
	return true;
}

/* ---- sleeping ---- */

/*
 * The look and the fence pair with those in gshmemi_attend_wake: if a post finds nobody asleep, the look here
 * finds the post.
 */
static void sleep_until_woken(void)
{
	const struct timespec tick = {.tv_nsec = TICK_NS};
	const uint32_t seen = __atomic_load_n(&nwakes, __ATOMIC_ACQUIRE);
	unsigned nopen;
	uint32_t done;

	__atomic_store_n(&is_asleep, 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!gshmemi_mailbox_look(&done, &nopen) && !atomic_load(&is_stopping))
		syscall(SYS_futex, &nwakes, FUTEX_WAIT_PRIVATE, seen, &tick, NULL, 0);
	__atomic_store_n(&is_asleep, 0, __ATOMIC_RELAXED);
}

static void wake(void)
{
	__atomic_fetch_add(&nwakes, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &nwakes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void gshmemi_attend_wake(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&is_asleep, __ATOMIC_RELAXED))
		wake();
}

/* ---- the thread ---- */

static void rest_thread(const struct vigil *v)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};

	if (v->since_ns && gshmemi_arch_clock_ns() - v->since_ns < YIELD_NS)
		gshmemi_thread_yield();
	else
		nanosleep(&nap, NULL);
}

static void *run_thread(void *unused)
{
	struct vigil v = {0, 0, false, false};

	(void)unused;
	(void)gshmemi_devmem_enter();
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	for (;;) {
		if (look(&v))
			rest_thread(&v);
		else if (atomic_load(&is_stopping))
			break;
		else
			sleep_until_woken();
	}
	return NULL;
}

/* Also launches a first kernel: on some GPUs, loading a kernel waits for kernels that are running. */
static int open_stream(void)
{
	int rc;

	rc = gshmemi_hip(hipGetDevice(&device), "init: hipGetDevice");
	if (!rc)
		rc = gshmemi_devmem_open_stream(&stream, false, "init");
	if (!rc)
		rc = gshmemi_hip(hipEventCreateWithFlags(&event, hipEventDisableTiming),
			"init: hipEventCreateWithFlags");
	if (!rc)
		rc = gshmemi_hip(
			gshmemi_attend_launch(stream), "init: launch of the kernel that serves the mailbox");
	if (!rc)
		rc = gshmemi_hip(hipStreamSynchronize(stream), "init: hipStreamSynchronize");
	return rc;
}

int gshmemi_attend_start(void)
{
	int rc;

	rc = open_stream();
	if (rc) {
		gshmemi_devmem_close_stream(&stream, &event);
		return rc;
	}
	atomic_store(&is_stopping, false);
	rc = gshmemi_thread_start(&thread, run_thread, NULL, "mailbox: its thread");
	if (rc)
		gshmemi_devmem_close_stream(&stream, &event);
	return rc;
}

void gshmemi_attend_stop(void)
{
	if (!stream)
		return;
	atomic_store(&is_stopping, true);
	wake();
	pthread_join(thread, NULL);
	gshmemi_devmem_close_stream(&stream, &event);
}
