/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CARRY=all GSHMEM_HEAP_SIZE=4m */
/* platform: cpu */
/* delivery: no */
/* carry: no, it says who is carried */
/* net: no, likewise */
/* nodes: no, likewise */
/* links: inner */
/*
 * Small operations leave in few messages while no answer comes: the first put leaves alone, later ones with
 * the quiet; two messages of signals leave and the others wait; a signal takes puts along. Through the API a
 * put waits for later operations. An accumulate of many elements leaves in messages that are full.
 */
#include <unistd.h>

#include "base/base.h"

#include <gshmemx_win.h>

#include "helpers.h"
#include "net/net.h"

#define NOPERATIONS 16

enum { PUT = 1, SIGNAL = 2, QUIET = 4 };

static uint64_t *words;

/* No progress in between: this thread holds the engine. */
static void ask(struct gshmemi_engine *e, int what, int i)
{
	const uint64_t offset = (uint64_t)((char *)&words[2 * i] - gshmemi_state.heap), value = 1;
	const struct gshmemi_target target = {1, 0, GSHMEMI_REGION_HEAP, offset};

	if (what & PUT)
		t_check(gshmemi_engine_put(e, &target, &value, sizeof value), "a put is refused");
	if (what & SIGNAL)
		t_check(gshmemi_engine_amo(e, &target, GSHMEMI_AMO_ADD, 1, 0, 8, NULL, NULL),
			"a signal is refused");
	gshmemi_engine_flush(e, true);
}

static void expect(const char *name, int each, int last, uint64_t nmessages)
{
	const struct gshmemi_engine_counts *counts = gshmemi_net_counts();
	struct gshmemi_mark *mark = NULL;
	struct gshmemi_engine *e;
	uint64_t before;
	int i;

	do { /* until nothing is in flight */
		gshmem_quiet();
		gshmemi_net_progress();
		e = gshmemi_net_enter();
		if (gshmemi_engine_is_idle(e))
			break;
		gshmemi_net_leave();
	} while (true);
	before = counts->nmessages;
	for (i = 0; i < NOPERATIONS; i++)
		ask(e, each, i);
	ask(e, last, i);
	if (last & QUIET)
		t_equal(gshmemi_engine_mark(e, 0, NULL, 0, &mark), 0, "mark");
	gshmemi_engine_flush(e, true);
	t_equal(counts->nmessages - before, nmessages, name);
	gshmemi_net_leave();
	while (mark) {
		e = gshmemi_net_enter();
		if (gshmemi_engine_is_over(e, mark))
			mark = NULL;
		gshmemi_net_leave();
		gshmemi_net_progress();
	}
}

/*
 * Puts and a quiet through the API. The net thread may send the first of them separately, but not every time.
 */
static void check_calls(void)
{
	const struct gshmemi_engine_counts *counts = gshmemi_net_counts();
	uint64_t before, fewest = UINT64_MAX;
	int i, k;

	for (i = 0; i < 1000 && fewest > 1; i++) {
		before = counts->nmessages;
		for (k = 0; k < NOPERATIONS; k++)
			gshmem_uint64_p(&words[2 * k + 1], 1, 1);
		gshmem_quiet();
		if (counts->nmessages - before < fewest)
			fewest = counts->nmessages - before;
	}
	t_equal(fewest, 1, "messages of puts and a quiet");
}

/* PE 0's put arrives although PE 0 makes no later call; PE 1 answers. */
static void check_lone_put(void)
{
	const int me = gshmem_my_pe();
	long ms;

	if (me == 1)
		gshmem_uint64_wait_until(&words[1], GSHMEM_CMP_EQ, 2);
	gshmem_uint64_p(&words[1], 2, 1 - me);
	if (me == 1)
		gshmem_quiet();
	for (ms = 0; me == 0 && ms < 10000 && __atomic_load_n(&words[1], __ATOMIC_ACQUIRE) != 2; ms++)
		usleep(1000);
	t_check(ms < 10000, "a put that nothing comes behind stays behind");
}

/* Elements of all sizes, with operators that are an atomic and others; and their old values. */
static void check_accumulate(void)
{
	enum { NELEMS = 65536, NBYTES = NELEMS * sizeof(int) };
	const struct gshmemi_engine_counts *counts = gshmemi_net_counts();
	static int memory[NELEMS], source[NELEMS], old[NELEMS];
	gshmemx_win_t win;
	uint64_t before;

	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, sizeof memory, 1, &win), 0, "create");
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	if (gshmem_my_pe() == 0) {
		before = counts->nmessages;
		t_equal(gshmemx_win_int_accumulate(win, 0, source, NELEMS, GSHMEMX_SUM, 1), 0, "ints");
		t_equal(gshmemx_win_schar_accumulate(win, 0, (signed char *)source, NBYTES, GSHMEMX_PROD, 1),
			0, "bytes");
		t_equal(gshmemx_win_complexd_accumulate(
				win, 0, (double _Complex *)source, NBYTES / 16, GSHMEMX_SUM, 1),
			0, "pairs of doubles");
		t_equal(gshmemx_win_int_get_accumulate(win, old, 0, source, NELEMS, GSHMEMX_SUM, 1), 0,
			"ints with old values");
		t_equal(gshmemx_win_flush(win, 1), 0, "flush");
		t_check(counts->nmessages - before <= 4 * (NBYTES / 8000 + 2),
			"4 accumulates of %d bytes took %llu messages", NBYTES,
			(unsigned long long)(counts->nmessages - before));
	}
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	t_equal(gshmemx_win_free(&win), 0, "free");
}

int main(void)
{
	if (!GSHMEMI_ARCH_HOST_DIRECT)
		t_skip("the CPU does not reach the heap");
	gshmem_init();
	words = gshmem_calloc(2 * (NOPERATIONS + 1), sizeof *words);
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0) {
		expect("puts", PUT, 0, 1);
		expect("puts and a quiet", PUT, QUIET, 2);
		expect("puts and a signal", PUT, SIGNAL, 2);
		expect("signals", SIGNAL, 0, 2);
		expect("nothing and a quiet", 0, QUIET, 0);
		check_calls();
	}
	check_accumulate();
	gshmem_barrier_all();
	check_lone_put();
	gshmem_barrier_all();
	if (gshmem_my_pe() == 1) {
		t_equal(words[0], 2, "a put, and a signal behind it");
		t_equal(words[2 * NOPERATIONS], 1, "one signal");
	}
	gshmem_finalize();
	return 0;
}
