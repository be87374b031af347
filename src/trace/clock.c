/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks that differ from PE 0's: those of other nodes, and those of GPUs. To compare another clock with its
 * own, a PE reads its own, asks for the other's time, and reads its own again when the answer is there. The
 * answer lies between the two readings, so half of their distance bounds the error. Of several answers the
 * one with the shortest distance counts.
 *
 * Clocks are compared in init and again in finalize. In between, an offset is taken to change evenly.
 */
#include "trace/trace.h"

#include "bootstrap/bootstrap.h"
#include "device/devmem.h"
#include "job/job.h"
#include "trace/kernels.h"

#define NQUESTIONS 20

static const struct gshmemi_trace_sample none = {0, 0, INT64_MAX};

static void keep_best(
	struct gshmemi_trace_sample *best, uint64_t before_ns, uint64_t theirs_ns, uint64_t after_ns)
{
	const int64_t error_ns = (int64_t)(after_ns - before_ns + 1) / 2;

	if (error_ns >= best->error_ns)
		return;
	best->at_ns = theirs_ns;
	best->error_ns = error_ns;
	best->offset_ns = (int64_t)(before_ns + (after_ns - before_ns) / 2 - theirs_ns);
}

void gshmemi_trace_add_sample(struct gshmemi_trace_clock *clock, const struct gshmemi_trace_sample *sample)
{
	if (!clock->nsamples++)
		clock->first = *sample;
	clock->last = *sample;
}

static double elapsed_ns(const struct gshmemi_trace_clock *clock)
{
	return (double)(int64_t)(clock->last.at_ns - clock->first.at_ns);
}

/* By how much the offset grows in a nanosecond. */
static double drift(const struct gshmemi_trace_clock *clock)
{
	const double growth_ns = (double)(clock->last.offset_ns - clock->first.offset_ns);

	return elapsed_ns(clock) > 0 ? growth_ns / elapsed_ns(clock) : 0;
}

int64_t gshmemi_trace_offset(const struct gshmemi_trace_clock *clock, uint64_t ns)
{
	return clock->first.offset_ns + (int64_t)(drift(clock) * (double)(int64_t)(ns - clock->first.at_ns));
}

int64_t gshmemi_trace_error(const struct gshmemi_trace_clock *clock)
{
	return clock->first.error_ns > clock->last.error_ns ? clock->first.error_ns : clock->last.error_ns;
}

int64_t gshmemi_trace_drift(const struct gshmemi_trace_clock *clock)
{
	return (int64_t)(drift(clock) * 1e9);
}

/* ---- PEs of other nodes ---- */

/* PE 0's side, for one PE. */
static struct gshmemi_trace_sample ask_clock(int pe)
{
	struct gshmemi_trace_sample best = none;
	uint64_t before_ns, theirs_ns = 0;
	int i;

	for (i = 0; i < NQUESTIONS; i++) {
		before_ns = gshmemi_arch_clock_ns();
		gshmemi_bootstrap_move(&theirs_ns, sizeof theirs_ns, 0, pe);
		gshmemi_bootstrap_move(&theirs_ns, sizeof theirs_ns, pe, 0);
		keep_best(&best, before_ns, theirs_ns, gshmemi_arch_clock_ns());
	}
	return best;
}

static void answer_pings(void)
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
 * All processes of a node share CLOCK_MONOTONIC. So do pretended nodes, whose clocks are compared all the
 * same. PEs on several nodes have MPI.
 */
static bool has_same_clock(int pe)
{
	const struct gshmemi_peer *peer = gshmemi_job_find(pe);

	return peer && peer->is_local;
}

void gshmemi_trace_compare_pes(struct gshmemi_trace_clock *clock)
{
	struct gshmemi_trace_sample sample;
	int pe;

	if (gshmemi_job->my_pe) {
		if (has_same_clock(0))
			return;
		answer_pings();
		gshmemi_bootstrap_move(&sample, sizeof sample, 0, gshmemi_job->my_pe);
		gshmemi_trace_add_sample(clock, &sample);
		return;
	}
	for (pe = 1; pe < gshmemi_job->npes; pe++) {
		if (has_same_clock(pe))
			continue;
		sample = ask_clock(pe);
		gshmemi_bootstrap_move(&sample, sizeof sample, 0, pe);
	}
}

/* ---- the GPU's clock ---- */

static void ask_kernel(struct gshmemi_clock_mail *mail, struct gshmemi_trace_sample *best)
{
	uint64_t before_ns, answer_ns, last_ns = 0;
	uint32_t question;
	unsigned polls;

	for (question = 1; question <= NQUESTIONS; question++) {
		polls = 0;
		before_ns = gshmemi_arch_clock_ns();
		gshmemi_arch_store(&mail->question, question, 4);
		while ((answer_ns = gshmemi_arch_load(&mail->answer_ns, 8)) == last_ns)
			gshmemi_arch_pause(&polls);
		keep_best(best, before_ns, answer_ns, gshmemi_arch_clock_ns());
		last_ns = answer_ns;
	}
}

static int run_kernel(struct gshmemi_clock_mail *mail, struct gshmemi_trace_sample *best)
{
	hipStream_t stream = NULL;
	int rc;

	rc = gshmemi_devmem_open_stream(&stream, false, "GSHMEM_TRACE");
	if (rc)
		return rc;
	rc = gshmemi_hip(gshmemi_clock_launch(mail, NQUESTIONS, stream),
		"GSHMEM_TRACE: launch of the kernel that tells the time");
	if (!rc) {
		ask_kernel(mail, best);
		rc = gshmemi_hip(hipStreamSynchronize(stream), "GSHMEM_TRACE: hipStreamSynchronize");
	}
	gshmemi_hip_ignore(hipStreamDestroy(stream), "hipStreamDestroy");
	best->error_ns += (int64_t)gshmemi_arch_load(&mail->step_ns, 8);
	return rc;
}

int gshmemi_trace_compare_kernels(struct gshmemi_trace_clock *clock)
{
	struct gshmemi_trace_sample best = none;
	struct gshmemi_devmem_caller previous;
	int rc;
	void *mail;

	if (!GSHMEMI_ARCH_CLOCK_APART)
		return 0;
	rc = gshmemi_host_allocate(sizeof(struct gshmemi_clock_mail), "GSHMEM_TRACE", &mail);
	if (rc)
		return rc;
	previous = gshmemi_devmem_enter();
	rc = run_kernel(mail, &best);
	gshmemi_devmem_leave(previous);
	gshmemi_host_free(mail);
	if (!rc)
		gshmemi_trace_add_sample(clock, &best);
	return rc;
}
