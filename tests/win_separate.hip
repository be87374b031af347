/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: amd */
/* timeout: 200 */
/*
 * On AMD's GPUs a running kernel may not see changes of hipMalloc's memory. So on a window over such memory
 * fence, wait, test and waits for notifications in a kernel end the job and name what to use; the host's
 * calls, and operations of kernels, work.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"
#include "job.h"

#include <gshmemx_win.h>

enum call { FENCE, WAIT, TEST, NOTIFY_WAIT, NOTIFY_TEST, NONE, NCALLS };
static const char *const names[NCALLS] = {"gshmemx_win_fence", "gshmemx_win_wait_wave", "gshmemx_win_test",
	"gshmemx_win_notify_wait", "gshmemx_win_notify_test_wg", "none"};

__global__ void call_kernel(gshmemx_win_t win, int which, long *value)
{
	const int self = 0;
	uint64_t word;
	int flag;

	switch (which) {
	case FENCE:
		gshmemx_win_fence(win, 0);
		break;
	case WAIT:
		gshmemx_win_post(win, 1, &self, GSHMEMX_MODE_NOCHECK);
		gshmemx_win_wait_wave(win);
		break;
	case TEST:
		gshmemx_win_post(win, 1, &self, GSHMEMX_MODE_NOCHECK);
		gshmemx_win_test(win, &flag);
		break;
	case NOTIFY_WAIT:
		gshmemx_win_notify_wait(win, 0, 1);
		break;
	case NOTIFY_TEST:
		gshmemx_win_notify_test_wg(win, 0, 1, &word);
		break;
	default:
		gshmemx_win_lock(win, GSHMEMX_LOCK_EXCLUSIVE, 0, 0);
		gshmemx_win_long_put(win, 0, value, 1, 0);
		gshmemx_win_unlock(win, 0);
	}
}

static int pe_main(int which)
{
	long *memory, *value, seen;
	gshmemx_win_t win;

	gshmem_init();
	memory = (long *)t_hipmalloc(64);
	t_hip(hipHostMalloc((void **)&value, sizeof *value));
	*value = 7;
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 64, 8, &win), 0, "create");
	t_launch(call_kernel, 1, 1, win, which, value);
	t_equal(gshmemx_win_fence(win, 0), 0, "the host's fence");
	t_from_device(&seen, memory, sizeof seen);
	t_equal(seen, 7, "put");
	t_equal(gshmemx_win_free(&win), 0, "free");
	gshmem_finalize();
	return 0;
}

int main(int argc, char **argv)
{
	static struct t_job job;
	char args[16];

	if (argc > 1)
		return pe_main(atoi(argv[1]));
	for (int which = 0; which < NCALLS; which++) {
		snprintf(args, sizeof args, "%d", which);
		t_job_run(&job, 1, "GSHMEM_HEAP_SIZE=1m", "", args, 30);
		if (which == NONE) {
			t_check(job.status == 0, "operations of a kernel:\n%s", job.output);
			continue;
		}
		t_job_failed(&job, args, names[which], 1);
		t_job_said(&job, "or use memory from gshmemx_win_allocate");
	}
	return 0;
}
