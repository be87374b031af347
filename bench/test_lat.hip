/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,3 */
/*
 * Hosts that poll: each PE sends a message to the next one of a ring and loops around gshmem_long_test until
 * the previous PE's message has come. Raw: wait_until in place of the loop; with more PEs, also two PEs,
 * which shows the cost of sharing a core.
 */
#include "bench.h"

static long *word; /* messages from the previous PE */
static long nsent; /* messages to the next PE, in all batches so far; equal on all PEs */

/* Each of the first npes PEs sends reps messages. All PEs call. */
template <bool TESTS> static double ring(size_t reps, int npes)
{
	const int next = (bench.pe + 1) % npes;
	const double started = bench_start();

	for (size_t i = 0; i < reps; i++) {
		nsent++;
		if (bench.pe >= npes)
			continue;
		gshmem_long_p(word, nsent, next);
		if (!TESTS)
			gshmem_long_wait_until(word, GSHMEM_CMP_GE, nsent);
		while (TESTS && !gshmem_long_test(word, GSHMEM_CMP_GE, nsent))
			;
	}
	return bench_now_us() - started;
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "test_lat");
	word = (long *)gshmem_calloc(1, sizeof(long));
	const bench_run tests = [](size_t reps) { return ring<true>(reps, bench.npes); };
	const bench_run waits = [](size_t reps) { return ring<false>(reps, bench.npes); };
	const bench_run by_two = [](size_t reps) { return ring<true>(reps, 2); };

	if (bench_wants("host")) {
		bench_measure_against({"test_lat", "host", 0, bench.npes, {}, false, 0}, tests, {waits});
		if (bench.npes > 2)
			bench_measure_against(
				{"test_more_lat", "host", 0, bench.npes, {}, false, 0}, tests, {by_two});
	}
	gshmem_barrier_all();
	const long last = bench_long(word), sent = (long)bench_max(bench.pe == 0 ? (double)nsent : 0);
	t_check(nsent == sent && last <= nsent && last > 0,
		"test_lat: the last message: expected up to %ld, got %ld", nsent, last);
	bench_finalize();
	return 0;
}
