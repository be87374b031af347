/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_TRACE: the rings of include/gshmem/state/trace.h, clocks, and the file. Without the variable these
 * functions do nothing.
 */
#ifndef GSHMEMI_TRACE_TRACE_H
#define GSHMEMI_TRACE_TRACE_H

#include "base/base.h"

#include <gshmem/state/trace.h>
#include <stdio.h>

/* ---- trace.c ---- */

/*
 * start allocates the rings and compares the GPU's clock with the host's. compare, which is collective and
 * comes when all PEs have started, compares the clocks of PEs. stop is for the end of finalize.
 */
int gshmemi_trace_start(void);
void gshmemi_trace_compare(void);
struct gshmemi_trace *gshmemi_trace_of_kernels(void); /* for the state; NULL without GSHMEM_TRACE */
void gshmemi_trace_stop(void);

/* PE 0 writes the events of all PEs into one file. Collective, when no PE records any more. */
void gshmemi_trace_write(void);

/* When the job ends otherwise, this PE writes its events into a file of its own. A second call does nothing. */
void gshmemi_trace_write_alone(void);

/* Host code records a span of the calling thread, which gshmemi_trace_end ends, or a moment. */
uint64_t gshmemi_trace_call(uint32_t kind, int pe, uint64_t nbytes, const char *call);
/* Host code records a span of the calling thread that began at begin_ns of its clock, and ends now. */
void gshmemi_trace_span(uint32_t kind, const char *call, uint64_t begin_ns);
/* A mark of gshmemx_trace at ns of the caller's clock. thread -1: the calling thread of the host made it. */
void gshmemi_trace_mark(const char *name, uint64_t value, uint64_t ns, uint64_t block, int64_t thread);
void gshmemi_trace_moment(uint32_t kind, int pe, uint64_t nbytes, const char *call);

/* ---- clock.c ---- */

/* Another clock, when it showed at_ns, beside the own one. */
struct gshmemi_trace_sample {
	uint64_t at_ns;
	int64_t offset_ns; /* to add to its time for the own clock's */
	int64_t error_ns;  /* bound of the offset's error */
};

/* Another clock as of the first and last sample; with 0 samples it is the own one. */
struct gshmemi_trace_clock {
	struct gshmemi_trace_sample first, last;
	int nsamples;
};

void gshmemi_trace_add_sample(struct gshmemi_trace_clock *clock, const struct gshmemi_trace_sample *sample);
/* The offset when the other clock shows ns; the larger error; by how many ns a second the offset grows. */
int64_t gshmemi_trace_offset(const struct gshmemi_trace_clock *clock, uint64_t ns);
int64_t gshmemi_trace_error(const struct gshmemi_trace_clock *clock);
int64_t gshmemi_trace_drift(const struct gshmemi_trace_clock *clock);

/* Take a sample: of this PE's clock beside PE 0's, which is collective; of its kernels' beside this PE's. */
void gshmemi_trace_compare_pes(struct gshmemi_trace_clock *clock);
int gshmemi_trace_compare_kernels(struct gshmemi_trace_clock *clock);

/* ---- timeline.c ---- */

/* The name of a thread that has recorded; "": not known. */
const char *gshmemi_trace_thread_name(uint64_t thread);

/* What the file has of this PE. Events that go on end at now_ns, of the host's clock. */
struct gshmemi_timeline {
	const struct gshmemi_trace *trace;
	struct gshmemi_trace_clock pe;      /* this PE's clock beside PE 0's */
	struct gshmemi_trace_clock kernels; /* that of this PE's kernels beside this PE's */
	uint64_t now_ns;
};
/* The elements of a JSON array, with a comma behind each; and what comes before and after. */
void gshmemi_timeline_write(FILE *file, const struct gshmemi_timeline *timeline);
void gshmemi_timeline_begin(FILE *file);
void gshmemi_timeline_end(FILE *file);

#endif /* GSHMEMI_TRACE_TRACE_H */
