/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * A call of six words and its answer, with 64 slots: from a kernel of one thread, from a wave whose
 * lanes all call (each lane's call counts), and from the host. Raw: a flag that bounces between two
 * threads. Then posted calls against synchronous ones, with 64 slots and (rpc_post_waves) with one slot
 * per resident wave; and calls with 16384 slots against calls with 64. Every other number of slots
 * takes its own init and finalize.
 */
#include "rpc.h"

static void rows()
{
	const std::vector<int> raw = bench_raw_start("flags") ? std::vector<int>{0, 1} : std::vector<int>{};

	for (int scope : {BENCH_THREAD, BENCH_WAVE, BENCH_HOST}) {
		const int nthreads = scope == BENCH_HOST ? 0 : bench_nthreads(scope);
		const double per_op = 1.0 / std::max(1, nthreads);
		const bench_run calls = [=](size_t reps) { return rpc_calls_us(nthreads, reps, 0); };
		const bench_run posts = [=](size_t reps) { return rpc_calls_us(nthreads, reps, 1); };

		if (!bench_wants(bench_scope_names[scope]))
			continue;
		if (scope == BENCH_WAVE)
			bench_measure_against({"rpc_call_lat", "wave", 0, 1, {}, false, per_op}, calls, {});
		else
			bench_measure(
				{"rpc_call_lat", bench_scope_names[scope], 0, 1, raw, false, per_op}, calls);
		bench_measure_against(
			{"rpc_post_rate", bench_scope_names[scope], 0, 1, {}, true, per_op}, posts, {calls});
	}
	bench_raw_stop();
}

/*
 * Start the library with nslots slots; 0: one per wave. A wave may have none here, so init's
 * warning about that is discarded.
 */
static void start(const char *nslots)
{
	const int stderr_fd = dup(2), null_fd = open("/dev/null", O_WRONLY);

	setenv("GSHMEM_RPC_SLOTS", nslots, 1);
	bench_pin(-1); /* init counts the cores */
	dup2(null_fd, 2);
	gshmem_init();
	dup2(stderr_fd, 2);
	close(stderr_fd);
	close(null_fd);
	bench_pin(0);
	rpc_setup();
}

/*
 * The best of several batches between an init with nslots slots and finalize, whose
 * own interruptions do not count.
 */
static double slots_us(const char *nslots, size_t reps)
{
	const long before = bench_npreempted();
	double us = 1e30;

	start(nslots);
	rpc_calls_us(1, 1000, 0);
	for (int i = 0; i < 5; i++)
		us = std::min(us, rpc_calls_us(1, reps, 0));
	gshmem_finalize();
	bench.raw_npreempted -= bench_npreempted() - before;
	return us;
}

int main(int argc, char **argv)
{
	int provided;

	/* MPI outlives each init and finalize of the library */
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	setenv("GSHMEM_RPC_SLOTS", "64", 1);
	bench_init(argc, argv, "rpc_lat");
	bench_needs(1);
	rpc_setup();
	rows();
	gshmem_finalize();
	if (bench_wants("thread")) {
		start("0");
		bench_measure_against({"rpc_post_waves", "thread", 0, 1, {}, true, 0},
			[](size_t reps) { return rpc_calls_us(1, reps, 1); },
			{[](size_t reps) { return rpc_calls_us(1, reps, 0); }});
		gshmem_finalize();
		bench_measure_against({"rpc_slots_lat", "thread", 0, 1, {}, false, 0},
			[](size_t reps) { return slots_us("16384", reps); },
			{[](size_t reps) { return slots_us("64", reps); }});
	}
	MPI_Finalize();
	return 0;
}
