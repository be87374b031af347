/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events as text: the JSON that Chrome's tracing and Perfetto read. A PE is a process there, a thread of the
 * host or a work-group a thread. Every event is complete, begin and duration in one: what goes on when the
 * file is written ends there, and says so.
 */
#include "trace/trace.h"

#include <gshmem/move/count.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/job.h"

#define FIRST_BLOCK 1000000 /* tids of work-groups; those below are threads of the host */

static const char *const kinds[] = {
#define KIND(NAME, TEXT) [GSHMEMI_COUNT_##NAME] = TEXT,
	GSHMEMI_COUNT_KINDS(KIND)
#undef KIND
#define KIND(NAME, TEXT) [GSHMEMI_TRACE_##NAME] = TEXT,
	GSHMEMI_TRACE_KINDS(KIND)
#undef KIND
};
#define NKINDS (sizeof kinds / sizeof *kinds)

static void write_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\')
			fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
		else
			fputc(*text, file);
	}
	fputc('"', file);
}

/* In microseconds, as the format has them, to the nanosecond. */
static void write_time(FILE *file, const char *name, uint64_t ns)
{
	fprintf(file, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

static uint64_t tid_of(const struct gshmemi_trace_event *e)
{
	return e->what & GSHMEMI_TRACE_ON_HOST ? e->block : FIRST_BLOCK + e->block;
}

static void write_args(FILE *file, const struct gshmemi_trace_event *e, unsigned kind, bool goes_on)
{
	fprintf(file, ",\"args\":{\"pe\":%d", (int)e->pe);
	if (kind < GSHMEMI_COUNT_NKINDS)
		fprintf(file, ",\"bytes\":%" PRIu64 ",\"way\":\"%s\"", e->nbytes,
			e->what & GSHMEMI_TRACE_CARRIED ? "carried" : "direct");
	else if (kind == GSHMEMI_TRACE_SENT || kind == GSHMEMI_TRACE_CAME)
		fprintf(file, ",\"bytes\":%" PRIu64, e->nbytes);
	else if (kind == GSHMEMI_TRACE_WAIT)
		fprintf(file, ",\"address\":\"0x%" PRIx64 "\",\"for\":\"%s %" PRIu64 "\"", e->address,
			gshmemi_cmp_name(e->cmp), e->value);
	else if (kind == GSHMEMI_TRACE_MARK)
		fprintf(file, ",\"value\":%" PRIu64, e->value);
	if (!(e->what & GSHMEMI_TRACE_ON_HOST))
		fprintf(file, ",\"thread\":%" PRIu32, e->thread);
	if (goes_on)
		fprintf(file, ",\"open\":true");
	fprintf(file, "}},\n");
}

/* True: the event in the slot is the one of this number, and has been copied whole. */
static bool read_event(const struct gshmemi_trace_event *slot, uint32_t seq, struct gshmemi_trace_event *e)
{
	if (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) != seq)
		return false;
	*e = *slot;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	e->call[sizeof e->call - 1] = 0;
	return __atomic_load_n(&slot->seq, __ATOMIC_RELAXED) == seq && (e->what & 0xff) < NKINDS &&
	       kinds[e->what & 0xff];
}

static void write_event(FILE *file, const struct gshmemi_trace_event *e, int64_t offset_ns, uint64_t now_ns)
{
	const unsigned kind = e->what & 0xff;
	const bool goes_on = e->end_seq != e->seq || e->end_ns < e->begin_ns;
	const uint64_t end_ns = goes_on ? (now_ns > e->begin_ns ? now_ns : e->begin_ns) : e->end_ns;

	fprintf(file, "{\"ph\":\"X\",\"name\":");
	write_string(file, e->call);
	fprintf(file, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%" PRIu64, kinds[kind], gshmemi_job->my_pe,
		tid_of(e));
	write_time(file, "ts", e->begin_ns + (uint64_t)offset_ns);
	write_time(file, "dur", end_ns - e->begin_ns);
	write_args(file, e, kind, goes_on);
}

/* A ring's events, the oldest first. Returns how many it has lost. */
static uint64_t write_ring(FILE *file, struct gshmemi_trace *trace, unsigned ring, int64_t offset_ns,
			   uint64_t now_ns)
{
	const uint64_t nevents = __atomic_load_n(&trace->nevents[ring][0], __ATOMIC_RELAXED),
		       nslots = trace->nslots;
	const uint64_t first = nevents > nslots ? nevents - nslots : 0;
	struct gshmemi_trace_event e;
	uint64_t i, nlost = first;

	for (i = first; i < nevents; i++) {
		if (read_event(gshmemi_trace_slot(trace, ring, i), (uint32_t)i + 1, &e))
			write_event(file, &e, offset_ns, now_ns);
		else
			nlost++;
	}
	return nlost;
}

static void write_name(FILE *file, const char *what, uint64_t tid, const char *name)
{
	fprintf(file,
		"{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%" PRIu64 ",\"args\":{\"name\":", what,
		gshmemi_job->my_pe, tid);
	write_string(file, name);
	fprintf(file, "}},\n");
}

static void write_names(FILE *file)
{
	char name[300];
	uint64_t i;

	snprintf(name, sizeof name, "PE %d on %s", gshmemi_job->my_pe, gshmemi_job_host(gshmemi_job->my_pe));
	write_name(file, "process_name", 0, name);
	for (i = 0; *gshmemi_trace_thread_name(i); i++) {
		snprintf(name, sizeof name, "host: %s", gshmemi_trace_thread_name(i));
		write_name(file, "thread_name", i, name);
	}
}

void gshmemi_timeline_write(FILE *file, struct gshmemi_trace *trace,
			    const struct gshmemi_trace_clock *clock, uint64_t now_ns)
{
	uint64_t nlost = 0;
	unsigned ring;

	write_names(file);
	for (ring = 0; ring < GSHMEMI_TRACE_RINGS; ring++)
		nlost += write_ring(file, trace, ring, clock->offset_ns, now_ns);
	fprintf(file, "{\"ph\":\"i\",\"s\":\"p\",\"name\":\"clock\",\"pid\":%d,\"tid\":0",
		gshmemi_job->my_pe);
	write_time(file, "ts", now_ns + (uint64_t)clock->offset_ns);
	fprintf(file, ",\"args\":{\"offset_ns\":%" PRId64 ",\"error_ns\":%" PRId64 "}},\n", clock->offset_ns,
		clock->error_ns);
	if (!nlost)
		return;
	fprintf(file, "{\"ph\":\"i\",\"s\":\"p\",\"name\":\"lost\",\"pid\":%d,\"tid\":0", gshmemi_job->my_pe);
	write_time(file, "ts", now_ns + (uint64_t)clock->offset_ns);
	fprintf(file, ",\"args\":{\"events\":%" PRIu64 "}},\n", nlost);
}

/* The kinds of operations, in the order of the table, are for gshmem-trace. */
void gshmemi_timeline_begin(FILE *file)
{
	unsigned kind;

	fprintf(file, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"operations\":[");
	for (kind = 0; kind < GSHMEMI_COUNT_NKINDS; kind++)
		fprintf(file, "%s\"%s\"", kind ? "," : "", kinds[kind]);
	fprintf(file, "]},\"traceEvents\":[\n");
}

/* The last element has no comma behind it. */
void gshmemi_timeline_end(FILE *file)
{
	fprintf(file,
		"{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":0,\"args\":{\"sort_index\":0}}]}\n");
}
