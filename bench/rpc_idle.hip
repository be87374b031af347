/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * A server that has been idle for a second: the CPU time that it takes during another second (us), and the
 * latency of the first call after that, from a kernel that is already running and from the host. First with
 * clients that wake the server, then with GSHMEM_RPC_POLL=nap, as for GPU clients, which cannot wake it.
 * There are as many slots as waves.
 */
#include "rpc.h"

static double cpu_us()
{
	struct timespec t;

	clock_gettime(rpc_cpu_clock, &t);
	return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

/* Waits for the host's go, then calls. */
__global__ static void call_late(uint32_t op, const uint64_t *go, uint64_t *ticks)
{
	unsigned polls = 0;

	while (!gshmemi_arch_load(go, 8))
		gshmemi_arch_pause(&polls);
	const uint64_t started = gshmemi_arch_clock_ns();
	rpc_calls(op, 1, 0);
	bench_stop(ticks, started);
}

static double wake_us(bool by_kernel)
{
	static uint64_t *go = NULL;

	if (!go)
		t_hip(hipHostMalloc((void **)&go, sizeof *go, 0));
	if (!by_kernel) {
		const double started = bench_now_us();
		rpc_calls(rpc_op.add, 1, 0);
		return bench_now_us() - started;
	}
	__atomic_store_n(go, 0, __ATOMIC_RELAXED);
	hipLaunchKernelGGL(call_late, dim3(1), dim3(1), 0, 0, rpc_op.add, go, bench.ticks);
	usleep(20000);
	__atomic_store_n(go, 1, __ATOMIC_RELEASE);
	return bench_kernel_us();
}

static void print_row(const char *op, const char *scope, const std::vector<double> &us)
{
	printf("%s\t%s\t0\t1\t1\t%.5g\t%.5g\t%.5g\t-\t-\t-\t-\n", op, scope,
		*std::min_element(us.begin(), us.end()), bench_median(us),
		*std::max_element(us.begin(), us.end()));
	fflush(stdout);
}

static void rows(const char *idle, const char *wake)
{
	std::vector<double> idles, wakes[2];

	rpc_setup();
	for (int i = 0; i < bench.nalternations; i++) {
		rpc_calls(rpc_op.add, 1000, 0);
		sleep(1);
		const double before = cpu_us(), started = bench_now_us();
		sleep(1);
		idles.push_back((cpu_us() - before) / (bench_now_us() - started) * 1e6);
		wakes[0].push_back(wake_us(false));
		usleep(100000);
		wakes[1].push_back(wake_us(true));
	}
	print_row(idle, "host", idles);
	print_row(wake, "host", wakes[0]);
	print_row(wake, "thread", wakes[1]);
}

int main(int argc, char **argv)
{
	int provided;

	/* MPI outlives each init and finalize of the library */
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	setenv("GSHMEM_RPC_POLL", "adaptive", 1);
	bench_init(argc, argv, "rpc_idle");
	bench_needs(1);
	rows("rpc_idle", "rpc_wake_lat");
	gshmem_finalize();
	setenv("GSHMEM_RPC_POLL", "nap", 1);
	bench_pin(-1); /* init counts the cores */
	gshmem_init();
	bench_pin(0);
	rows("rpc_idle_nap", "rpc_wake_nap_lat");
	gshmem_finalize();
	MPI_Finalize();
	return 0;
}
