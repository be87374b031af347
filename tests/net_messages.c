/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CARRY=all GSHMEM_HEAP_SIZE=4m */
/* platform: cpu */
/* delivery: no */
/* carry: no, it says who is carried */
/* net: no, likewise */
/* nodes: no, likewise */
/*
 * In how many messages small operations leave, while nothing comes back: the first put alone, those behind it with the
 * quiet; of signals two messages, the others wait; a signal takes puts along.
 */
#include "base/base.h"

#include "helpers.h"
#include "net/net.h"

#define NOPERATIONS 16

enum { PUT = 1, SIGNAL = 2, QUIET = 4 };

static uint64_t *words;

/* Without progress in between: this thread has the engine. */
static void ask(struct gshmemi_engine *e, int what, int i)
{
	const uint64_t offset = (uint64_t)((char *)&words[2 * i] - gshmemi_state.heap), value = 1;
	const struct gshmemi_target target = {1, 0, GSHMEMI_REGION_HEAP, offset};

	if (what & PUT)
		t_check(gshmemi_engine_put(e, &target, &value, sizeof value), "a put is refused");
	if (what & SIGNAL)
		t_check(gshmemi_engine_amo(e, &target, GSHMEMI_AMO_ADD, 1, 0, 8, NULL, NULL), "a signal is refused");
	gshmemi_engine_flush(e);
}

static void expect(const char *name, int each, int last, uint64_t nmessages)
{
	const struct gshmemi_engine_counts *counts = gshmemi_net_counts();
	struct gshmemi_mark *mark = NULL;
	struct gshmemi_engine *e;
	uint64_t before;
	int i;

	do { /* until nothing is on its way */
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
	gshmemi_engine_flush(e);
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

int main(void)
{
	gshmem_init();
	words = gshmem_calloc(2 * (NOPERATIONS + 1), sizeof *words);
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0) {
		expect("puts", PUT, 0, 1);
		expect("puts and a quiet", PUT, QUIET, 2);
		expect("puts and a signal", PUT, SIGNAL, 2);
		expect("signals", SIGNAL, 0, 2);
		expect("nothing and a quiet", 0, QUIET, 0);
	}
	gshmem_barrier_all();
	if (gshmem_my_pe() == 1) {
		t_equal(words[0], 2, "a put, and a signal behind it");
		t_equal(words[2 * NOPERATIONS], 1, "one signal");
	}
	gshmem_finalize();
	return 0;
}
