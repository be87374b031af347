/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Half a round trip of put_signal: 8 bytes and a signal, bounced between two PEs, from kernels (a thread, a wave, a
 * work-group) and from the hosts. Raw: a flag and its payload bounced between two processes.
 */
#include "bench.h"

/* Data and signal as a program would lay them out: together. */
struct alignas(128) mail {
	uint64_t signal;
	long data;
};

template <int SCOPE> __host__ __device__ static inline void send(struct mail *box, const long *data, uint64_t n, int pe)
{
	if (SCOPE == BENCH_WG)
		gshmemx_long_put_signal_wg(&box->data, data, 1, &box->signal, n, GSHMEM_SIGNAL_SET, pe);
	else if (SCOPE == BENCH_WAVE)
		gshmemx_long_put_signal_wave(&box->data, data, 1, &box->signal, n, GSHMEM_SIGNAL_SET, pe);
	else
		gshmem_long_put_signal(&box->data, data, 1, &box->signal, n, GSHMEM_SIGNAL_SET, pe);
}

template <int SCOPE> __host__ __device__ static inline void receive(struct mail *box, uint64_t n)
{
	if (SCOPE == BENCH_WG)
		gshmemx_signal_wait_until_wg(&box->signal, GSHMEM_CMP_GE, n);
	else if (SCOPE == BENCH_WAVE)
		gshmemx_signal_wait_until_wave(&box->signal, GSHMEM_CMP_GE, n);
	else
		gshmem_signal_wait_until(&box->signal, GSHMEM_CMP_GE, n);
}

template <int SCOPE> __host__ __device__ static inline void bounce(struct mail *box, const long *data, uint64_t first, size_t reps)
{
	const int pe = gshmem_my_pe();

	for (uint64_t n = first; n < first + reps; n++) {
		if (pe == 0)
			send<SCOPE>(box, data, n, 1);
		receive<SCOPE>(box, n);
		if (pe != 0)
			send<SCOPE>(box, data, n, 0);
	}
}

template <int SCOPE> __global__ void bounce_kernel(struct mail *box, const long *data, uint64_t first, size_t reps, uint64_t *ticks)
{
	bounce<SCOPE>(box, data, first, 1); /* which is where the two meet */
	const uint64_t started = gshmemi_arch_clock_ns();
	bounce<SCOPE>(box, data, first + 1, reps);
	bench_stop(ticks, started);
}

static struct mail *box;
static long *outgoing;
static uint64_t next_n = 1;

template <int SCOPE> static void row(const std::vector<int> &raw)
{
	if (!bench_wants(bench_scope_names[SCOPE]))
		return;
	bench_measure({"put_signal_lat", bench_scope_names[SCOPE], 8, 2, raw, false, 0.5}, [&](size_t reps) {
		const uint64_t first = next_n;

		next_n += reps + 1;
		if (SCOPE == BENCH_HOST) {
			bounce<BENCH_HOST>(box, outgoing, first, 1);
			const double started = bench_start();
			bounce<BENCH_HOST>(box, outgoing, first + 1, reps);
			return bench_now_us() - started;
		}
		hipLaunchKernelGGL(HIP_KERNEL_NAME(bounce_kernel<SCOPE>), dim3(1), dim3(bench_nthreads(SCOPE)), 0, 0, box,
				   outgoing, first, reps, bench.ticks);
		return bench_kernel_us();
	});
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "put_signal_lat");
	bench_needs(2);
	box = (struct mail *)gshmem_calloc(1, sizeof *box);
	outgoing = (long *)gshmem_malloc(sizeof(long));
	const long mine = 1000 + bench.pe;
	t_hip(hipMemcpy(outgoing, &mine, sizeof mine, hipMemcpyHostToDevice));
	const std::vector<int> raw = bench_raw_start("pingpong") ? std::vector<int>{0, 1} : std::vector<int>{};
	row<BENCH_THREAD>(raw);
	row<BENCH_WAVE>(raw);
	row<BENCH_WG>(raw);
	row<BENCH_HOST>(raw);
	t_equal(bench_long(&box->data), 1000 + 1 - bench.pe, "put_signal_lat: data");
	t_equal(bench_long(&box->signal), next_n - 1, "put_signal_lat: signal");
	bench_finalize();
	return 0;
}
