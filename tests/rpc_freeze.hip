/* SPDX-License-Identifier: BSD-3-Clause */
/* tier: all */
/* platform: cpu */
/* tsan: yes */
/* delivery: no */
/* env: GSHMEM_CPU_STUCK=0 GSHMEM_FIRST_SEQ=1073741820 */
/* timeout: 600 */
/*
 * Waves that stop for ever do not starve others. All waves of a kernel but one are stopped in the middle of a
 * call, at each place where the headers touch memory, order it or meet other lanes; the last wave then makes
 * 10000 calls. The waves are threads, the server is the library's, and there are as many slots as waves. With
 * one slot fewer the last wave must hang whenever all slots are locked, and must not if one is free.
 *
 * At the end all waves go on, and the counts of both sides must agree. The same test must fail if a wave that
 * has a slot makes another call: a child tries that. tests/mutants.sh breaks the headers.
 */
#define GSHMEM_ARCH_HEADER "rpc_freeze_arch.h"
#include <gshmem.h>

#include <atomic>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "helpers.h"

#ifdef __SANITIZE_THREAD__
#define SCALE 10 /* so many times fewer calls, */
#define EVERY 4  /* and of the points that all waves stop at only every so many */
#else
#define SCALE 1
#define EVERY 1
#endif

enum { MAX_WAVES = 16, FEW_WAVES = 4, MAX_LANES = 2, MAX_PLACES = 1024, TRIES = 300, STREAM_WORDS = 2500 };
enum kind { SCALAR, POST, QUIET, STREAM, NKINDS };
static const char *const kind_names[] = {"a call", "a posted call", "quiet", "a stream"};

/* Where a wave is stopped. */
struct point {
	unsigned kind, place, lane;
};

/* What happens once; the kernel reads it. */
struct round {
	struct gshmemi_rpc_channel channel;
	uint32_t op, stream_op;
	unsigned nwaves, nlanes;
	int is_survey;   /* no wave is stopped; the test records which wave passes which place */
	unsigned ncalls; /* of the last wave */
	struct point points[MAX_WAVES];
};
static struct round now;

struct place {
	std::atomic<const char *> file;
	std::atomic<int> line;
	std::atomic<unsigned> npassed[NKINDS][MAX_LANES], nstopped[NKINDS][MAX_LANES];
};
static struct place places[MAX_PLACES];

/* what a lane is doing; NKINDS: nothing where it could be stopped */
static unsigned kind_of[MAX_WAVES][MAX_LANES];
static int has_stopped[MAX_WAVES];
static std::atomic<uint32_t> nstopped;      /* waves that do not move, or could not be stopped */
static std::atomic<uint32_t> is_released;   /* they go on */
static std::atomic<unsigned> ndone;         /* calls of the last wave */
static std::atomic<uint64_t> nmade, nwrong; /* by lane: calls with words; wrong answers */
static std::atomic<uint64_t> nexecuted;
static std::atomic<unsigned> nturns; /* for which functions are pending */
static std::atomic<bool> must_hang;
static unsigned npolls; /* of the last wave, when it must hang */
static std::atomic<bool> has_hung;
/* how long nothing may move; virtual machines may pause that long */
static uint64_t limit_ns = 240000000000;

static uint64_t clock_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static void nap(long ns)
{
	const struct timespec time = {0, ns};

	nanosleep(&time, NULL);
}

/* There is no way to end the kernel. */
#define die(...) \
	do { \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
		fprintf(stderr, __VA_ARGS__); \
		fputc('\n', stderr); \
		_exit(1); \
	} while (0)

static void describe(char *text, size_t nbytes)
{
	size_t used = 0;
	unsigned w;

	text[0] = 0;
	for (w = 0; w + 1 < now.nwaves && used < nbytes; w++) {
		const struct point *p = &now.points[w];

		used += (size_t)snprintf(text + used, nbytes - used, "%swave %u %s in %s, lane %u, at %s:%d",
			w ? "; " : "", w, has_stopped[w] ? "stopped" : "ran", kind_names[p->kind], p->lane,
			places[p->place].file.load(), places[p->place].line.load());
	}
}

/* ---- in lanes ---- */

static void release(void)
{
	is_released.store(1);
	syscall(SYS_futex, &is_released, FUTEX_WAKE_PRIVATE, 0x7fffffff, NULL, NULL, 0);
}

static void stop(unsigned wave)
{
	has_stopped[wave] = 1;
	nstopped++;
	while (!is_released.load())
		syscall(SYS_futex, &is_released, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

void freeze_pass(unsigned place, const char *file, int line)
{
	unsigned wave, lane, kind;
	struct point *p;

	if (!hipcpu_self)
		return;
	wave = blockIdx.x;
	lane = threadIdx.x;
	kind = kind_of[wave][lane];
	if (kind == NKINDS)
		return;
	p = &now.points[wave];
	if (now.is_survey) {
		t_check(place < MAX_PLACES, "more places than expected");
		places[place].npassed[kind][lane]++;
		places[place].file = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
		places[place].line = line;
	} else if (wave + 1 < now.nwaves && !has_stopped[wave] && place == p->place && lane == p->lane &&
		kind == p->kind) {
		places[place].nstopped[kind][lane]++;
		stop(wave);
	}
}

void freeze_poll(unsigned place, const char *file, int line)
{
	static uint64_t since_ns;

	freeze_pass(place, file, line);
	if (!hipcpu_self || !must_hang || blockIdx.x + 1 != now.nwaves || has_hung)
		return;
	if (++npolls == 1)
		since_ns = clock_ns();
	if (npolls < 1024 || clock_ns() - since_ns < 5000000)
		return;
	has_hung = ndone == 0;
	release();
}

static void check_answer(uint64_t got, uint64_t expected)
{
	if (got != expected)
		nwrong++;
}

static bool holds_slots; /* a wave that has a slot makes another call */

/* One call of a kind by the lanes that are here. Returns how often the function must have been called. */
static unsigned call(enum kind kind, unsigned wave, uint64_t number, uint32_t home)
{
	const struct gshmemi_rpc_channel *c = &now.channel;
	const uint64_t in[6] = {number, threadIdx.x, wave, 0, 0, 0};
	static uint64_t words[MAX_WAVES][2][STREAM_WORDS];
	const struct gshmemi_rpc_ends ends = {
		words[wave][0], sizeof words[wave][0], words[wave][1], sizeof words[wave][1]};
	struct gshmemi_rpc_result result;
	struct gshmemi_rpc_port port = {};

	switch (kind) {
	case SCALAR:
		if (holds_slots)
			(void)gshmemi_rpc_enter(c, gshmemi_arch_wave_peers(1), home, &port);
		result = gshmemi_rpc_words(c, now.op, 0, 6, in, NULL, home, "freeze");
		check_answer(result.value, number * 3 + threadIdx.x);
		check_answer((uint64_t)(int64_t)result.status, 0);
		if (holds_slots)
			gshmemi_rpc_leave(c, &port, 0);
		return 1;
	case POST:
		result = gshmemi_rpc_words(c, now.op, 1, 6, in, NULL, home, "freeze");
		check_answer((uint64_t)(int64_t)result.status, 0);
		if (number % 4 == 0)
			check_answer((uint64_t)(int64_t)gshmemi_rpc_finish(c, (uint32_t)result.value,
					     (uint32_t)(result.value >> 32), "freeze"),
				0);
		return 1;
	case QUIET:
		gshmemi_rpc_complete_wave(c, home, "freeze");
		return 0;
	default:
		words[wave][0][0] = number;
		words[wave][0][STREAM_WORDS - 1] = number + 1;
		result = gshmemi_rpc_stream(c, GSHMEMI_WAVE, now.stream_op, ends, home, "freeze");
		check_answer(result.value, sizeof words[wave][1]);
		check_answer(words[wave][1][0], ~number);
		check_answer(words[wave][1][STREAM_WORDS - 1], ~(number + 1));
		return 0;
	}
}

/* Lanes that had to wait diverge: reconverge them, and make them agree. */
static bool goes_on(unsigned wave)
{
	bool value;

	__syncthreads();
	value = !has_stopped[wave];
	__syncthreads();
	return value;
}

/* A post that nothing stops, so that the server owns slots; and a call. */
static unsigned call_after_post(enum kind kind, unsigned wave, uint64_t i)
{
	unsigned n;

	kind_of[wave][threadIdx.x] = NKINDS;
	n = call(POST, wave, 4 * i + 1, 0);
	kind_of[wave][threadIdx.x] = kind;
	return n + call(kind, wave, i, 0);
}

/* All waves but the last make calls of one kind until they are stopped, and finish that call at the end. */
static __attribute__((noinline)) void run_to_point(unsigned wave)
{
	const enum kind kind = (enum kind)now.points[wave].kind;
	uint64_t i, n = 0;

	for (i = 0; i < TRIES && goes_on(wave); i++)
		n += call_after_post(kind, wave, i);
	kind_of[wave][threadIdx.x] = NKINDS;
	nmade += n;
}

static __attribute__((noinline)) void run_last(unsigned wave)
{
	uint32_t slot, nlocked = 0;
	uint64_t i, n = 0;

	while (nstopped + 1 < now.nwaves)
		nap(20000);
	if (threadIdx.x == 0) {
		for (slot = 0; slot < now.channel.nslots; slot++)
			nlocked += __atomic_load_n(&now.channel.client[slot], __ATOMIC_ACQUIRE) >> 31;
		must_hang = nlocked == now.channel.nslots;
		nturns = 0;
	}
	for (i = 0; i < now.ncalls; i++) {
		n += call(i % 8 == 0 ? SCALAR : i % 8 == 7 ? QUIET : POST, wave, i, 0);
		if (threadIdx.x == 0)
			ndone++;
	}
	nmade += n;
	release();
}

static __attribute__((noinline)) void survey(unsigned wave)
{
	uint64_t i, n = 0;

	for (i = 0; i < NKINDS * TRIES && goes_on(wave); i++)
		n += call_after_post((enum kind)(i / TRIES), wave, i);
	nmade += n;
}

__global__ void crowd(void)
{
	const unsigned wave = blockIdx.x;

	if (now.is_survey)
		survey(wave);
	else if (wave + 1 < now.nwaves)
		run_to_point(wave);
	else
		run_last(wave);
	kind_of[wave][threadIdx.x] = NKINDS;
	gshmemi_rpc_complete_wave(&now.channel, 0, "freeze");
	if (threadIdx.x == 0 && !has_stopped[wave])
		nstopped++;
}

/* ---- the functions ---- */

static int triple(void *context, gshmemx_rpc_call_t *c)
{
	const uintptr_t turn = (uintptr_t)c->state + 1;

	(void)context;
	c->state = (void *)turn;
	if (turn <= nturns + (c->in[0] % 8 == 3))
		return GSHMEMX_RPC_PENDING;
	nexecuted++;
	c->out[0] = c->in[0] * 3 + c->in[1];
	return GSHMEMX_RPC_DONE;
}

static int invert(void *context, gshmemx_rpc_call_t *c)
{
	uint64_t *words = (uint64_t *)c->data;
	size_t i;

	(void)context;
	for (i = 0; i < c->nbytes / 8; i++)
		words[i] = ~words[i];
	c->reply_nbytes = c->nbytes;
	return c->offset + c->nbytes < c->total_nbytes ? GSHMEMX_RPC_MORE : GSHMEMX_RPC_DONE;
}

/* ---- rounds ---- */

/* The channel of this PE's kernels. */
__global__ static void get_channel(struct gshmemi_rpc_channel *channel)
{
	*channel = gshmemi_state.rpc;
}

static void run_round(unsigned nwaves, unsigned nlanes, unsigned nslots, unsigned ncalls)
{
	const uint64_t executed = nexecuted;
	uint64_t seen = 0, moved, since_ns = clock_ns();
	char text[2000];
	unsigned w;

	now.nwaves = nwaves;
	now.nlanes = nlanes;
	hipLaunchKernelGGL(get_channel, dim3(1), dim3(1), 0, 0, &now.channel);
	t_hip(hipDeviceSynchronize());
	now.channel.nslots = nslots;
	now.ncalls = ncalls;
	for (w = 0; w < nwaves; w++) {
		kind_of[w][0] = kind_of[w][1] = NKINDS;
		has_stopped[w] = 0;
	}
	nstopped = 0;
	is_released = 0;
	ndone = 0;
	nmade = 0;
	nturns = 20;
	must_hang = false;
	npolls = 0;
	has_hung = false;
	hipLaunchKernelGGL(crowd, dim3(nwaves), dim3(nlanes), 0, 0);
	while (hipStreamQuery(0) == hipErrorNotReady) {
		nap(20000);
		moved = nexecuted + ndone + nstopped + is_released;
		if (moved != seen)
			since_ns = clock_ns();
		seen = moved;
		if (clock_ns() - since_ns > limit_ns) {
			describe(text, sizeof text);
			die("%u slots, %u lanes: nothing moves: the last wave has ended %u of %u calls, the others were %s: %s",
				nslots, nlanes, ndone.load(), ncalls, is_released ? "let go on" : "stopped",
				text);
		}
	}
	t_hip(hipDeviceSynchronize());
	describe(text, sizeof text);
	if (nwrong)
		die("%u slots, %u lanes: %llu answers are wrong: %s", nslots, nlanes,
			(unsigned long long)nwrong, text);
	if (nexecuted - executed != nmade)
		die("%u slots, %u lanes: %llu calls were made, %llu carried out: %s", nslots, nlanes,
			(unsigned long long)nmade, (unsigned long long)(nexecuted - executed), text);
	if (must_hang != has_hung)
		die("%u slots, %u lanes: all are locked, and yet the last wave found one: %s", nslots, nlanes,
			text);
}

static std::vector<point> find_points(unsigned nlanes)
{
	std::vector<point> points;
	unsigned kind, place, lane;

	for (place = 0; place < MAX_PLACES; place++)
		memset((void *)&places[place], 0, sizeof places[place]);
	now.is_survey = 1;
	run_round(FEW_WAVES, nlanes, FEW_WAVES, 0);
	now.is_survey = 0;
	for (kind = 0; kind < NKINDS; kind++)
		for (place = 0; place < MAX_PLACES; place++)
			for (lane = 0; lane < nlanes; lane++)
				if (places[place].npassed[kind][lane])
					points.push_back({kind, place, lane});
	return points;
}

/* The distance of the waves' points in the list; 0: all waves stop at the same one. */
static void set_points(const std::vector<point> &points, size_t first, size_t apart)
{
	unsigned w;

	for (w = 0; w < MAX_WAVES; w++)
		now.points[w] = points[(first + w * apart) % points.size()];
}

static void freeze(unsigned nlanes, int verbose)
{
	const std::vector<point> points = find_points(nlanes);
	const size_t nrounds = (points.size() + MAX_WAVES - 2) / (MAX_WAVES - 1);
	unsigned nhung = 0, ntogether = 0, nmissed = 0;
	size_t i;

	for (i = 0; i < nrounds; i++) {
		set_points(points, i, nrounds);
		run_round(MAX_WAVES, nlanes, MAX_WAVES, 10000 / SCALE);
	}
	for (i = 0; i < points.size(); i += EVERY) {
		set_points(points, i, 0);
		run_round(FEW_WAVES, nlanes, FEW_WAVES, 100);
		ntogether += has_stopped[0] && has_stopped[1] && has_stopped[2];
	}
	for (i = 0; i < points.size(); i += EVERY) {
		set_points(points, i, 1 + i * 7919 % (points.size() - 1));
		run_round(FEW_WAVES, nlanes, FEW_WAVES, 50);
	}
	for (i = 0; i < points.size(); i += EVERY) {
		set_points(points, i, 0);
		run_round(FEW_WAVES, nlanes, FEW_WAVES - 1, 20);
		nhung += has_hung;
	}
	for (const point &p : points) {
		const struct place *at = &places[p.place];

		nmissed += !at->nstopped[p.kind][p.lane];
		if (verbose)
			printf("%-14s lane %u %-10s:%4d passed %6u stopped %u\n", kind_names[p.kind], p.lane,
				at->file.load(), at->line.load(), at->npassed[p.kind][p.lane].load(),
				at->nstopped[p.kind][p.lane].load());
		t_check(EVERY > 1 || at->nstopped[p.kind][p.lane] ||
				at->npassed[p.kind][p.lane] < FEW_WAVES * TRIES,
			"no wave could be stopped in %s, lane %u, at %s:%d", kind_names[p.kind], p.lane,
			at->file.load(), at->line.load());
	}
	if (verbose)
		printf("%u lanes: %zu points, %u of them never stopped at; all waves but one at the same: %u; a slot too few: "
		       "hangs at %u\n",
			nlanes, points.size(), nmissed, ntogether, nhung);
	t_check(nmissed * 10 < points.size(), "no wave could be stopped at %u of %zu points", nmissed,
		points.size());
	t_check(nhung * EVERY >= points.size() / 3, "a slot too few: the last wave hung at %u of %zu points",
		nhung, points.size());
}

static void run_all(int verbose)
{
	t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL), 0, "init");
	t_equal(gshmemx_rpc_register(&now.op, triple, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&now.stream_op, invert, NULL, GSHMEMX_RPC_STREAM), 0, "register");
	freeze(1, verbose);
	freeze(MAX_LANES, verbose);
	gshmem_finalize();
}

/* Starts a child whose waves hold a slot while they make another call. */
static pid_t start_holding(void)
{
	const pid_t pid = fork();

	t_check(pid >= 0, "fork failed");
	if (pid)
		return pid;
	t_check(freopen("/dev/null", "w", stderr) != NULL, "/dev/null");
	limit_ns = 1000000000;
	holds_slots = true;
	run_all(0);
	_exit(0);
}

/* -v: print the points. */
int main(int argc, char **)
{
	int status;
	pid_t pid;

	if (SCALE == 1) {
		pid = start_holding();
		t_check(waitpid(pid, &status, 0) == pid, "waitpid failed");
		t_check(WIFEXITED(status) && WEXITSTATUS(status) == 1,
			"waves that hold slots are not noticed: status %#x", status);
	}
	run_all(argc > 1);
	return 0;
}
