/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_TRACE: the rings of include/gshmem/state/trace.h, the clocks of PEs, and the file. Nothing here does
 * anything without it.
 */
#ifndef GSHMEMI_TRACE_TRACE_H
#define GSHMEMI_TRACE_TRACE_H

#include "base/base.h"

#include <gshmem/state/trace.h>
#include <stdio.h>

/* ---- trace.c ---- */

/* The rings; and, by compare, how far this PE's clock is from PE 0's. stop is for the end of finalize. */
int gshmemi_trace_start(void);
void gshmemi_trace_compare(void); /* collective, when all PEs have started */
struct gshmemi_trace *gshmemi_trace_rings(void);
void gshmemi_trace_stop(void);

/* Put the events of all PEs into one file, by PE 0: collective, when no PE records any more. */
void gshmemi_trace_write(void);

/* This PE's alone, into a file with its number behind the name: the job ends. The second time nothing. */
void gshmemi_trace_write_alone(void);

/* What host code records: a span of the calling thread, or a moment. */
struct gshmemi_trace_open gshmemi_trace_call(uint32_t kind, int pe, uint64_t nbytes, const char *call);
/* A mark of gshmemx_trace at this time; thread -1: of the host, the calling one. */
void gshmemi_trace_mark(const char *name, uint64_t value, uint64_t ns, uint64_t block, int64_t thread);
void gshmemi_trace_moment(uint32_t kind, int pe, uint64_t nbytes, uint64_t value, const char *call);

/* ---- clock.c ---- */

struct gshmemi_trace_clock {
	int64_t offset_ns; /* to be added to this PE's clock to have PE 0's */
	int64_t error_ns;  /* it may be wrong by so much; 0: it is the same clock */
};
void gshmemi_trace_compare_clocks(struct gshmemi_trace_clock *clock);

/* ---- timeline.c ---- */

/* The name of a thread that has recorded; "" if it is not known. */
const char *gshmemi_trace_thread_name(uint64_t thread);

/* Events of this PE as elements of a JSON array, a comma behind each. now_ns ends what goes on. */
void gshmemi_timeline_write(FILE *file, struct gshmemi_trace *trace,
			    const struct gshmemi_trace_clock *clock, uint64_t now_ns);
void gshmemi_timeline_begin(FILE *file);
void gshmemi_timeline_end(FILE *file);

#endif /* GSHMEMI_TRACE_TRACE_H */
