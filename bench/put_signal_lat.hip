/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Half a round trip of put_signal: 8 bytes and a signal bounce between two PEs, from kernels (a thread, a
 * wave, a work-group) and from the hosts. Raw: a flag and its payload bounce between two processes.
 */
#include "bounce.h"

template <int SCOPE> static void row(const std::vector<int> &raw)
{
	if (bench_wants(bench_scope_names[SCOPE]))
		bench_measure({"put_signal_lat", bench_scope_names[SCOPE], 8, 2, raw, false, 0.5},
			bounce_us<SCOPE>);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "put_signal_lat");
	bench_needs(2);
	bounce_setup();
	const std::vector<int> raw =
		bench_raw_start("pingpong") ? std::vector<int>{0, 1} : std::vector<int>{};
	row<BENCH_THREAD>(raw);
	row<BENCH_WAVE>(raw);
	row<BENCH_WG>(raw);
	row<BENCH_HOST>(raw);
	bounce_check();
	bench_finalize();
	return 0;
}
