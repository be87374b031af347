/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Launch an empty kernel and wait for it: one wave, and 8 work-groups of 256 threads. First all
 * threads of the PE are pinned to its core, then none is (free). Raw: hand work to a sleeping
 * thread and back, pinned likewise.
 */
#include "bench.h"

__global__ static void empty_kernel(long *count)
{
	if (count)
		*count += 1;
}

static void rows(const char *op, const char *op_many)
{
	const std::vector<int> raw = bench_raw_start("handoff") ? std::vector<int>{0, 1} : std::vector<int>{};

	for (int nblocks : {1, 8})
		bench_measure({nblocks == 1 ? op : op_many, "host", 0, 1, raw, false, 0}, [&](size_t reps) {
			const double started = bench_start();
			for (size_t i = 0; i < reps; i++) {
				hipLaunchKernelGGL(empty_kernel, dim3(nblocks), dim3(nblocks == 1 ? 64 : 256),
					0, 0, NULL);
				t_hip(hipDeviceSynchronize());
			}
			return bench_now_us() - started;
		});
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "launch_lat");
	long *count = (long *)gshmem_calloc(1, sizeof(long));

	rows("launch_lat", "launch_8x256_lat");
	bench_pin(-1);
	rows("launch_free_lat", "launch_8x256_free_lat");
	for (int i = 0; i < 10; i++)
		hipLaunchKernelGGL(empty_kernel, dim3(1), dim3(1), 0, 0, count);
	t_hip(hipDeviceSynchronize());
	t_equal(bench_long(count), 10, "launch_lat: kernels that ran");
	bench_finalize();
	return 0;
}
