/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * putmem beside memcpy between two processes and beside another OpenSHMEM's shmem_putmem, all three in one
 * alternation. Rows put_lat and put_bw are against memcpy; put_lat_shmem and put_bw_shmem, of our same
 * batches, are against the other library. OSHRUN is its launcher. bench/results.sh runs this.
 */
#include "../carry.h"
#include "../move.h"
#include "oshmem.h"

static bench_run of_oshmem(int op, size_t nbytes)
{
	return [=](size_t reps) { return bench_raw_us(op, nbytes, reps, 1); };
}

template <int OP, int SCOPE> static void rows(const char *op, const char *op_shmem)
{
	const char *scope = bench_scope_names[SCOPE];
	const bool is_lat = OP & MOVE_LAT;

	if (!bench_wants(scope))
		return;
	for (size_t nbytes : bench_sizes())
		bench_measure_each({op, scope, nbytes, 1, {}, !is_lat, 0}, {op, op_shmem},
			move_run<OP, SCOPE>(nbytes, 1),
			{of_oshmem(is_lat ? OSHMEM_COPY_LAT : OSHMEM_COPY_BW, nbytes),
				of_oshmem(is_lat ? OSHMEM_PUT_LAT : OSHMEM_PUT_BW, nbytes)});
}

int main(int argc, char **argv)
{
	const char *oshrun = getenv("OSHRUN");

	bench_init(argc, argv, "results/put");
	bench_needs(2);
	move_alloc();
	carry_raw_start_by(oshrun ? oshrun : "oshrun", bench_path("oshmem"));
	rows<MOVE_LAT, BENCH_THREAD>("put_lat", "put_lat_shmem");
	rows<MOVE_LAT, BENCH_HOST>("put_lat", "put_lat_shmem");
	rows<0, BENCH_THREAD>("put_bw", "put_bw_shmem");
	rows<0, BENCH_HOST>("put_bw", "put_bw_shmem");
	bench_max(0);
	move_check<0>();
	bench_finalize();
	return 0;
}
