/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* net: no */
/* delivery: no, its jobs have environments of their own */
/* timeout: 180 */
/* races: no, it needs the direct path */
/*
 * GSHMEM_STATS counts each operation and its bytes once, whoever makes it (a host thread, a lane, a wave, a
 * work-group, or a stream on a window), by target PE, by kind and by who performs it, with checks and
 * without. Without it nothing is printed. A job whose PEs have different values does not start.
 */
#include <gshmem.h>
#include <hip/hip_runtime.h>
#include <string.h>

#include "job.h"

#include <gshmemx_win.h>

enum { NPES = 3, NLANES = 64, NBLOCKS = 2, NELEMS = 1024, NSTREAMED = 6 };

struct objects {
	char bytes[512];
	long words[NBLOCKS * NLANES], sum;
	uint64_t signal;
	long source[NELEMS], dest[NPES * NELEMS];
};

__global__ static void ask(struct objects *objects, int pe, long *got)
{
	const int lane = (int)threadIdx.x, i = (int)blockIdx.x * NLANES + lane;

	gshmem_long_p(&objects->words[i], i, pe);
	gshmemx_putmem_wg(objects->bytes, objects->bytes + 256, 256, pe);
	if (lane < (int)warpSize) /* as many waves on each platform */
		gshmemx_getmem_wave(objects->bytes + 256, objects->bytes, 16, pe);
	gshmem_long_atomic_inc(&objects->sum, pe);
	if (lane == 0)
		got[blockIdx.x] = gshmem_long_g(&objects->words[i], pe);
	gshmem_quiet();
}

/* Puts and gets of 8 bytes on a stream; the runtime copies them if nothing needs to count them. */
static void use_window(int pe)
{
	gshmemx_win_t win;
	hipStream_t stream;
	void *base;
	long *local;

	t_hip(hipMalloc((void **)&local, sizeof *local));
	t_hip(hipStreamCreate(&stream));
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof *local, sizeof *local, &base, &win), 0,
		"allocate");
	t_equal(gshmemx_win_fence_on_stream(win, GSHMEMX_MODE_NOPRECEDE, stream), 0, "fence");
	for (int i = 0; i < NSTREAMED; i++) {
		t_equal(gshmemx_win_long_put_on_stream(win, 0, local, 1, pe, stream), 0, "put");
		t_equal(gshmemx_win_long_get_on_stream(win, local, 0, 1, pe, stream), 0, "get");
	}
	t_equal(gshmemx_win_fence_on_stream(win, GSHMEMX_MODE_NOSUCCEED, stream), 0, "fence");
	t_hip(hipStreamSynchronize(stream));
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipStreamDestroy(stream));
	t_hip(hipFree(local));
}

static int pe_main(const char *what)
{
	struct objects *objects;
	char bytes[512] = {0};
	long *got;
	int me, next;

	if (!strcmp(what, "unequal"))
		setenv("GSHMEM_STATS", t_launched_rank() == 1 ? "0" : "1", 1);
	if (gshmem_init_thread(GSHMEM_THREAD_SINGLE, NULL))
		return 1;
	me = gshmem_my_pe();
	next = (me + 1) % NPES;
	objects = (struct objects *)gshmem_calloc(1, sizeof *objects);
	t_check(objects, "no memory");
	t_hip(hipMalloc((void **)&got, NBLOCKS * sizeof *got));
	for (int i = 0; i < 5; i++)
		gshmem_putmem(objects->bytes, bytes, 100, next);
	gshmem_putmem(objects->bytes, bytes, 0, next); /* is nothing */
	gshmem_long_iput(objects->words, objects->source, 2, 1, 10, next);
	for (int i = 0; i < 2; i++)
		gshmem_getmem(bytes, objects->bytes, 64, next);
	for (int i = 0; i < 3; i++)
		gshmem_long_atomic_add(&objects->sum, 1, next);
	(void)gshmem_long_atomic_compare_swap(&objects->sum, 1, 2, next);
	gshmem_signal_add(&objects->signal, 1, next);
	gshmem_signal_set(&objects->signal, 1, next);
	gshmem_putmem_signal(objects->bytes, bytes, 40, &objects->signal, 1, GSHMEM_SIGNAL_ADD, next);
	hipLaunchKernelGGL(ask, dim3(NBLOCKS), dim3(NLANES), 0, 0, objects, next, got);
	t_hip(hipDeviceSynchronize());
	use_window(next);
	gshmem_long_fcollect(GSHMEM_TEAM_WORLD, objects->dest, objects->source, NELEMS);
	gshmem_finalize();
	return 0;
}

/* One PE's operations on another, [direct, carried]. */
struct cell {
	unsigned long nops[2], nbytes[2];
};

static struct cell find(const struct t_job *job, const char *from, const char *to, const char *kind)
{
	struct cell cell = {{0, 0}, {0, 0}};
	const char *line = job->output;
	char a[16], b[16], c[16], d[16];
	unsigned long nops, nbytes;

	for (; (line = strstr(line, "gshmem: stats: ")); line++) {
		if (sscanf(line, "gshmem: stats: %15s %15s %15s %15s %lu %lu", a, b, c, d, &nops, &nbytes) !=
			6)
			continue;
		if (strcmp(a, from) || strcmp(b, to) || strcmp(c, kind))
			continue;
		t_check(!cell.nops[!strcmp(d, "carried")], "two rows from %s to %s, %s, %s:\n%s", from, to,
			kind, d, job->output);
		cell.nops[!strcmp(d, "carried")] = nops;
		cell.nbytes[!strcmp(d, "carried")] = nbytes;
	}
	return cell;
}

static void expect(const struct t_job *job, int from, int to, const char *kind, int is_carried,
	unsigned long nops, unsigned long nbytes)
{
	char a[16], b[16];
	struct cell cell;

	snprintf(a, sizeof a, "%d", from);
	snprintf(b, sizeof b, "%d", to);
	cell = find(job, a, b, kind);
	t_check(cell.nops[is_carried] == nops && cell.nbytes[is_carried] == nbytes && !cell.nops[!is_carried],
		"from %d to %d, %s, carried %d: expected %lu operations, %lu bytes in all:\n%s", from, to,
		kind, is_carried, nops, nbytes, job->output);
}

/* carried: the PE on which no operation is direct; -1: none; NPES: every PE but itself. */
static void check_job(const char *env, int carried)
{
	static struct t_job job;
	unsigned long nputs = 0;

	t_job_run(&job, NPES, env, "", "pe", 40);
	t_job_ended(&job, env);
	for (int me = 0; me < NPES; me++) {
		const int next = (me + 1) % NPES, is_carried = carried == NPES || carried == next;

		expect(&job, me, next, "put", is_carried, 5 + 1 + 1 + NBLOCKS * NLANES + NBLOCKS + NSTREAMED,
			500 + 80 + 40 + NBLOCKS * NLANES * 8 + NBLOCKS * 256 + NSTREAMED * 8);
		expect(&job, me, next, "get", is_carried, 2 + NBLOCKS + NBLOCKS + NSTREAMED,
			128 + NBLOCKS * 16 + NBLOCKS * 8 + NSTREAMED * 8);
		expect(&job, me, next, "amo", is_carried, 4 + NBLOCKS * NLANES, (4 + NBLOCKS * NLANES) * 8);
		expect(&job, me, next, "signal", is_carried, 3, 24);
		expect(&job, me, (me + 2) % NPES, "put", 0, 0, 0);
		for (int pe = 0; pe < NPES; pe++)
			expect(&job, me, pe, "collective", pe != me && (carried == NPES || carried == pe), 1,
				NELEMS * 8);
		nputs += 7 + NBLOCKS * NLANES + NBLOCKS + NSTREAMED;
	}
	t_check(find(&job, "all", "all", "put").nops[0] + find(&job, "all", "all", "put").nops[1] == nputs,
		"the sums are not:\n%s", job.output);
}

int main(int argc, char **argv)
{
	static struct t_job job;

	if (argc > 1)
		return pe_main(argv[1]);
	check_job("GSHMEM_STATS=1", -1);
	check_job("GSHMEM_STATS=1 GSHMEM_CHECK=1", -1);
	check_job("GSHMEM_STATS=1 GSHMEM_CARRY=all", NPES);
	check_job("GSHMEM_STATS=1 GSHMEM_CARRY=1", 1);
	t_job_run(&job, NPES, "GSHMEM_STATS=0", "", "pe", 40);
	t_check(!job.status && !job.output[0], "without GSHMEM_STATS: exit status %d:\n%s", job.status,
		job.output);
	t_job_run(&job, NPES, "", "", "unequal", 40);
	t_job_failed(&job, "PEs with and without", "init: GSHMEM_STATS is 1 on PE 0 but 0 on PE 1", 1);
	return 0;
}
