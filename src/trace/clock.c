/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks of PEs on other nodes, beside PE 0's. It asks each of them for the time, some times, and takes the
 * answer that came soonest: the time that it names lies between the question and the answer, so that half of
 * that interval bounds the error.
 */
#include "trace/trace.h"

#include "ipc/job.h"

#define NQUESTIONS 20

/* PE 0's side, for one PE. */
static struct gshmemi_trace_clock ask(int pe)
{
	struct gshmemi_trace_clock best = {0, INT64_MAX};
	uint64_t before_ns, theirs_ns = 0, after_ns;
	int i;

	for (i = 0; i < NQUESTIONS; i++) {
		before_ns = gshmemi_arch_clock_ns();
		gshmemi_bootstrap_move(&theirs_ns, sizeof theirs_ns, 0, pe);
		gshmemi_bootstrap_move(&theirs_ns, sizeof theirs_ns, pe, 0);
		after_ns = gshmemi_arch_clock_ns();
		if ((int64_t)(after_ns - before_ns + 1) / 2 >= best.error_ns)
			continue;
		best.error_ns = (int64_t)(after_ns - before_ns + 1) / 2;
		best.offset_ns = (int64_t)(before_ns + (after_ns - before_ns) / 2 - theirs_ns);
	}
	return best;
}

static void answer(void)
{
	uint64_t ns;
	int i;

	for (i = 0; i < NQUESTIONS; i++) {
		gshmemi_bootstrap_move(&ns, sizeof ns, 0, gshmemi_job->my_pe);
		ns = gshmemi_arch_clock_ns();
		gshmemi_bootstrap_move(&ns, sizeof ns, gshmemi_job->my_pe, 0);
	}
}

/*
 * CLOCK_MONOTONIC is one clock for all processes of a node; that of pretended nodes is compared, too, though it
 * is one. PEs on several nodes have MPI.
 */
static bool has_same_clock(int pe)
{
	const struct gshmemi_peer *peer = gshmemi_job_find(pe);

	return peer && peer->is_local;
}

void gshmemi_trace_compare_clocks(struct gshmemi_trace_clock *clock)
{
	struct gshmemi_trace_clock theirs;
	int pe;

	*clock = (struct gshmemi_trace_clock){0, 0};
	if (gshmemi_job->my_pe) {
		if (has_same_clock(0))
			return;
		answer();
		gshmemi_bootstrap_move(clock, sizeof *clock, 0, gshmemi_job->my_pe);
		return;
	}
	for (pe = 1; pe < gshmemi_job->npes; pe++) {
		if (has_same_clock(pe))
			continue;
		theirs = ask(pe);
		gshmemi_bootstrap_move(&theirs, sizeof theirs, 0, pe);
	}
}
