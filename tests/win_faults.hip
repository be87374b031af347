/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/* carry: no */
/* platform: cpu */
/* timeout: 120 */
/*
 * Misuse of a window in a kernel, and on the host by calls that return a value, ends the job with a message
 * that says what is wrong: for calls of epochs always, for operations with GSHMEM_CHECK=1. So do operations
 * on what another PE has not attached, on the PE that makes them.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"
#include "job.h"

#include <gshmemx_win.h>

enum misuse {
	LOCK_TWICE,
	UNLOCK,
	COMPLETE,
	FENCE_IN_LOCK,
	BAD_TYPE,
	BAD_HANDLE,
	NO_EPOCH,
	BEYOND,
	BAD_PE,
	BAD_OP,
	FLUSH,
	NOTIFICATION,
	FETCH,
	QUERY,
	STRIDE,
	/* of what nobody has attached, with two PEs: */
	UNATTACHED_PUT,
	UNATTACHED_GET,
	UNATTACHED_BULK,
	UNATTACHED_ADD,
	UNATTACHED_BY_KERNEL,
	NMISUSES
};
static const struct {
	const char *env, *message;
} cases[NMISUSES] = {
	{"", "kernel, block 0, thread 0: gshmemx_win_lock: not allowed now, for PE 0 of the window: PEs are locked"},
	{"", "kernel, block 0, thread 0: gshmemx_win_unlock: not allowed now, for PE 0 of the window: no epoch is open"},
	{"", "gshmemx_win_complete_wg: not allowed now: no epoch is open"},
	{"", "gshmemx_win_fence: not allowed now: PEs are locked"},
	{"", "gshmemx_win_lock: 7 is not a valid operator"},
	{"GSHMEM_CHECK=1", "gshmemx_win_long_put: handle 0x123 does not name a window"},
	{"GSHMEM_CHECK=1", "gshmemx_win_long_put: not allowed now, for PE 0 of the window: no epoch is open"},
	{"GSHMEM_CHECK=1",
		"gshmemx_win_long_put: 16 bytes from byte 56 on are not in the window of PE 0, which has 64"},
	{"GSHMEM_CHECK=1", "gshmemx_win_long_put: pe 5 is out of range, there are 1 PEs"},
	{"GSHMEM_CHECK=1", "gshmemx_win_double_accumulate: 0 is not a valid operator"},
	{"GSHMEM_CHECK=1", "gshmemx_win_flush: not allowed now, for PE 0 of the window: no epoch is open"},
	{"GSHMEM_CHECK=1", "gshmemx_win_long_put_notify: 32 is not a valid operator"},
	{"", "host: gshmemx_win_long_fetch_and_op: not allowed now, for PE 0 of the window: no epoch is open"},
	{"", "host: gshmemx_win_nbytes: pe 1 is out of range, there are 1 PEs"},
	{"GSHMEM_CHECK=1", "gshmemx_win_long_iaccumulate: 0 is not a valid operator or stride"},
	{"", "pe 0: gshmemx_win_long_put: nothing is attached at 0x8, 8 bytes, on PE 1 of the dynamic window 0x1"},
	{"", "pe 0: gshmemx_win_char_get: nothing is attached at 0x7f, 3 bytes, on PE 1 of the dynamic window"},
	{"", "pe 0: gshmemx_win_putmem: nothing is attached at 0x1000, "},
	{"", "pe 0: gshmemx_win_double_accumulate: nothing is attached at 0x10, 8 bytes, on PE 1 of the dynamic"},
	{"", "pe 0: a put: nothing is attached at 0x18, 8 bytes, on PE 1 of the dynamic window"},
};

__global__ void misuse(gshmemx_win_t win, int which, long *memory)
{
	switch (which) {
	case LOCK_TWICE:
		gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, 0, 0);
		gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, 0, 0);
		break;
	case UNLOCK:
		gshmemx_win_unlock(win, 0);
		break;
	case COMPLETE:
		gshmemx_win_complete_wg(win);
		break;
	case FENCE_IN_LOCK:
		gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, 0, 0);
		gshmemx_win_fence(win, 0);
		break;
	case BAD_TYPE:
		gshmemx_win_lock(win, 7, 0, 0);
		break;
	case BAD_HANDLE:
		gshmemx_win_long_put(0x123, 0, memory, 1, 0);
		break;
	case NO_EPOCH:
		gshmemx_win_long_put(win, 0, memory, 1, 0);
		break;
	case BEYOND:
		gshmemx_win_lock_all(win, 0);
		gshmemx_win_long_put(win, 7, memory, 2, 0);
		break;
	case BAD_PE:
		gshmemx_win_lock_all(win, 0);
		gshmemx_win_long_put(win, 0, memory, 1, 5);
		break;
	case BAD_OP:
		gshmemx_win_lock_all(win, 0);
		gshmemx_win_double_accumulate(win, 0, (const double *)memory, 1, GSHMEMX_AND, 0);
		break;
	case FLUSH:
		gshmemx_win_flush(win, 0);
		break;
	case STRIDE:
		gshmemx_win_lock_all(win, 0);
		gshmemx_win_long_iaccumulate(win, 0, memory, 0, 1, 2, GSHMEMX_SUM, 0);
		break;
	case UNATTACHED_BY_KERNEL:
		gshmemx_win_long_put(win, 24, memory, 1, 1);
		gshmemx_win_flush(win, 1);
		break;
	case NOTIFICATION:
		gshmemx_win_lock_all(win, 0);
		gshmemx_win_long_put_notify(win, 0, memory, 1, GSHMEMX_WIN_NOTIFICATIONS, 0);
		break;
	}
}

/* PE 0 works on memory that PE 1 has not attached. */
static void use_unattached(int which, long *memory)
{
	static char bulk[1 << 20];
	gshmemx_win_t win;

	t_equal(gshmemx_win_create_dynamic(GSHMEM_TEAM_WORLD, &win), 0, "create_dynamic");
	t_equal(gshmemx_win_attach(win, memory, 64), 0, "attach");
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	if (gshmem_my_pe() == 1)
		which = NMISUSES;
	if (which == UNATTACHED_PUT)
		(void)gshmemx_win_long_put(win, 8, memory, 1, 1);
	else if (which == UNATTACHED_GET)
		(void)gshmemx_win_char_get(win, (char *)memory, 0x7f, 3, 1);
	else if (which == UNATTACHED_BULK)
		(void)gshmemx_win_putmem(win, 0x1000, bulk, sizeof bulk, 1);
	else if (which == UNATTACHED_ADD)
		(void)gshmemx_win_double_accumulate(win, 16, (double *)memory, 1, GSHMEMX_SUM, 1);
	else if (which == UNATTACHED_BY_KERNEL)
		t_launch(misuse, 1, 1, win, which, memory);
	(void)gshmemx_win_unlock_all(win);
	gshmem_barrier_all();
}

static int pe_main(int which)
{
	gshmemx_win_t win;
	long *memory;

	gshmem_init();
	memory = (long *)t_hipmalloc(64);
	if (which >= UNATTACHED_PUT)
		use_unattached(which, memory);
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 64, 8, &win), 0, "create");
	if (which == FETCH)
		(void)gshmemx_win_long_fetch_and_op(win, 0, 1, GSHMEMX_SUM, 0);
	else if (which == QUERY)
		(void)gshmemx_win_nbytes(win, 1);
	else
		t_launch(misuse, 1, 1, win, which, memory);
	gshmem_finalize();
	return 0;
}

int main(int argc, char **argv)
{
	static struct t_job job;
	char args[16], env[64];

	if (argc > 1)
		return pe_main(atoi(argv[1]));
	for (int which = 0; which < NMISUSES; which++) {
		snprintf(args, sizeof args, "%d", which);
		snprintf(env, sizeof env, "GSHMEM_HEAP_SIZE=1m %s", cases[which].env);
		t_job_run(&job, which < UNATTACHED_PUT ? 1 : 2, env, "", args, 10);
		t_job_failed(&job, args, cases[which].message, 1);
	}
	/* The net is there before the window. */
	snprintf(args, sizeof args, "%d", UNATTACHED_PUT);
	t_job_run(&job, 2, "GSHMEM_HEAP_SIZE=1m GSHMEM_CARRY=all", "", args, 10);
	t_job_failed(&job, args, cases[UNATTACHED_PUT].message, 1);
	return 0;
}
