/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,4 */
/* env: GSHMEM_HEAP_SIZE=16m | GSHMEM_HEAP_SIZE=16m GSHMEM_CHECK=1 */
/* timeout: 400 */
/* sim: no, the simulator captures no graphs */
/*
 * Every call on a stream can be captured in a graph. 1000 launches of one graph give the same result as 1000
 * rounds of the same calls made directly, on another set of buffers, alternately before and after the launch.
 * So counters that calls share advance alike on every PE.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#include <gshmemx_win.h>

enum { N = 32, LONG = 4096, MAX_PES = 4 };

static int me, npes, next, nrounds; /* 1000, or fewer if each test runs once */

/* What the calls of one set move. Each call has its own dest. */
struct buffers {
	long source[LONG], put[N], get[N], put_signal[N], get_mem[N], put_mem[N], broadcast[N],
		broadcast_long[LONG];
	long collect[MAX_PES * N], fcollect[MAX_PES * N], alltoall[MAX_PES * N], alltoalls[MAX_PES * N],
		alltoallv[MAX_PES * N];
	long sum[N], max[N], scatter[N], inscan[N], exscan[N], win_get[N];
	uint64_t signal, added;
	long flag, one;
	uint64_t digest; /* digest of all of these, over all rounds */
};

struct windows {
	gshmemx_win_t fenced, locked;
	long *fenced_memory, *locked_memory;
};

/* The arrays of alltoallv. */
struct arrays {
	size_t nelems[MAX_PES], displs[MAX_PES];
};

/* Sources of the round. */
__global__ static void begin(struct buffers *b, int pe)
{
	for (size_t i = t_rank(); i < LONG; i += t_count())
		b->source[i] = (long)((unsigned long)b->source[i] * 3 + i + (unsigned long)pe);
	if (t_rank() == 0)
		b->one = 1;
}

/* Folds everything that has arrived into the digest, and resets the flags. */
__global__ static void end(struct buffers *b, const long *fenced, const long *locked)
{
	const unsigned char *bytes = (const unsigned char *)b;
	uint64_t digest = b->digest;

	if (t_rank())
		return;
	for (size_t i = 0; i < offsetof(struct buffers, digest); i += sizeof(long))
		digest = (digest ^ *(const uint64_t *)(const void *)(bytes + i)) * 0x100000001b3U;
	for (int i = 0; i < N; i++)
		digest = (digest ^ (uint64_t)fenced[i] ^ (uint64_t)locked[i] << 1) * 0x100000001b3U;
	b->digest = digest;
	b->signal = 0;
	b->flag = 0;
}

static void must(int rc, const char *what)
{
	t_check(rc == 0, "PE %d: %s: %d", me, what, rc);
}
#define MUST(CALL, ...) must(gshmemx_##CALL##_on_stream(__VA_ARGS__), #CALL)

/* One round. */
static void make_calls(struct buffers *b, const struct windows *w, const struct arrays *a, hipStream_t stream)
{
	gshmem_team_t team = GSHMEM_TEAM_WORLD;

	hipLaunchKernelGGL(begin, dim3(1), dim3(64), 0, stream, b, me);
	t_hip(hipGetLastError());
	MUST(barrier_all, stream);
	MUST(long_put, b->put, b->source, N, next, stream);
	MUST(putmem, b->put_mem, b->source + N, N * sizeof(long), next, stream);
	MUST(long_get, b->get, b->source + 1, N, next, stream);
	MUST(getmem, b->get_mem, b->source + 2, N * sizeof(long), next, stream);
	MUST(long_put_signal, b->put_signal, b->source + 3, N, &b->signal, 1, GSHMEM_SIGNAL_SET, next,
		stream);
	MUST(signal_op, &b->added, 5, GSHMEM_SIGNAL_ADD, next, stream);
	MUST(long_put, &b->flag, &b->one, 1, next, stream);
	MUST(quiet, stream);
	MUST(signal_wait_until, &b->signal, GSHMEM_CMP_EQ, 1, stream);
	MUST(long_wait_until, &b->flag, GSHMEM_CMP_NE, 0, stream);
	MUST(sync_all, stream);
	MUST(long_broadcast, team, b->broadcast, b->source, N, npes - 1, stream);
	MUST(long_broadcast, team, b->broadcast_long, b->source, LONG, 0, stream);
	MUST(long_collect, team, b->collect, b->source, (size_t)(N - me), stream);
	MUST(long_fcollect, team, b->fcollect, b->source, N, stream);
	MUST(long_alltoall, team, b->alltoall, b->source, N, stream);
	MUST(long_alltoalls, team, b->alltoalls, b->source, 1, 2, N / 2, stream);
	MUST(long_alltoallv, team, b->alltoallv, a->nelems, a->displs, b->source, a->nelems, a->displs,
		stream);
	MUST(long_sum_reduce, team, b->sum, b->source, N, stream);
	MUST(long_max_reduce, team, b->max, b->source, N, stream);
	MUST(long_sum_reduce_scatter, team, b->scatter, b->source, N, stream);
	MUST(long_sum_inscan, team, b->inscan, b->source, N, stream);
	MUST(long_sum_exscan, team, b->exscan, b->source, N, stream);
	must(gshmemx_win_fence_on_stream(w->fenced, GSHMEMX_MODE_NOPRECEDE, stream), "win_fence");
	must(gshmemx_win_long_put_on_stream(w->fenced, 0, b->source, N, next, stream), "win_put");
	must(gshmemx_win_fence_on_stream(w->fenced, GSHMEMX_MODE_NOSUCCEED, stream), "win_fence");
	must(gshmemx_win_putmem_on_stream(w->locked, 0, b->source + 1, N * sizeof(long), next, stream),
		"win_putmem");
	must(gshmemx_win_flush_on_stream(w->locked, next, stream), "win_flush");
	must(gshmemx_win_long_get_on_stream(w->locked, b->win_get, 0, N, next, stream), "win_get");
	MUST(team_sync, team, stream);
	hipLaunchKernelGGL(end, dim3(1), dim3(64), 0, stream, b, w->fenced_memory, w->locked_memory);
	t_hip(hipGetLastError());
	MUST(barrier_all, stream);
}

static void open_windows(struct windows *w)
{
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, N * sizeof(long), sizeof(long),
			(void **)&w->fenced_memory, &w->fenced),
		0, "allocate");
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, N * sizeof(long), sizeof(long),
			(void **)&w->locked_memory, &w->locked),
		0, "allocate");
	t_equal(gshmemx_win_lock_all(w->locked, 0), 0, "lock_all");
}

static void close_windows(struct windows *w)
{
	t_equal(gshmemx_win_unlock_all(w->locked), 0, "unlock_all");
	t_equal(gshmemx_win_free(&w->locked), 0, "free");
	t_equal(gshmemx_win_free(&w->fenced), 0, "free");
}

/* What the first source must be after all rounds, to see that a round does something. */
static long expected_source(void)
{
	long value = 0;

	for (int r = 0; r < nrounds; r++)
		value = (long)((unsigned long)value * 3 + (unsigned long)me);
	return value;
}

static void compare(const struct buffers *replayed, const struct buffers *direct)
{
	static struct buffers a, b;
	size_t at;

	t_hip(hipMemcpy(&a, replayed, sizeof a, hipMemcpyDefault));
	t_hip(hipMemcpy(&b, direct, sizeof b, hipMemcpyDefault));
	at = t_differ(&a, &b, sizeof a);
	t_check(at == sizeof a, "PE %d: replays and calls give different bytes at %zu of %zu", me, at,
		sizeof a);
	t_equal(a.source[0], expected_source(), "source after all rounds");
	t_equal(a.added, 5 * nrounds, "signals added");
}

int main(void)
{
	struct buffers *replayed, *direct;
	struct windows windows[2];
	struct arrays *arrays;
	hipGraphExec_t exec;
	hipGraph_t graph;
	hipStream_t stream;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	next = (me + 1) % npes;
	nrounds = getenv("T_THIRD") ? 200 : 1000;
	replayed = (struct buffers *)gshmem_calloc(1, sizeof *replayed);
	direct = (struct buffers *)gshmem_calloc(1, sizeof *direct);
	t_check(replayed && direct, "no memory");
	t_hip(hipHostMalloc((void **)&arrays, sizeof *arrays));
	for (int pe = 0; pe < npes; pe++) {
		arrays->nelems[pe] = (size_t)(N - (me + pe) % 3);
		arrays->displs[pe] = (size_t)(pe * N);
	}
	open_windows(&windows[0]);
	open_windows(&windows[1]);
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	t_hip(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	make_calls(replayed, &windows[0], arrays, stream);
	t_hip(hipStreamEndCapture(stream, &graph));
	t_hip(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	t_hip(hipGraphDestroy(graph));
	for (int r = 0; r < nrounds; r++) {
		if (r % 2)
			t_hip(hipGraphLaunch(exec, stream));
		make_calls(direct, &windows[1], arrays, stream);
		if (!(r % 2))
			t_hip(hipGraphLaunch(exec, stream));
		if (r % 50 == 49)
			t_hip(hipStreamSynchronize(stream));
	}
	t_hip(hipStreamSynchronize(stream));
	compare(replayed, direct);
	t_hip(hipGraphExecDestroy(exec));
	t_hip(hipStreamDestroy(stream));
	close_windows(&windows[1]);
	close_windows(&windows[0]);
	t_hip(hipHostFree(arrays));
	gshmem_free(direct);
	gshmem_free(replayed);
	gshmem_finalize();
	return 0;
}
