/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events as text: the JSON that Chrome's tracing and Perfetto read. A PE is a process there, and a host
 * thread or a work-group is a thread. Each event is complete: it has its begin and its duration. One that
 * goes on when the file is written ends there, and says so.
 */
#include "trace/trace.h"

#include <gshmem/move/count.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"

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

static unsigned kind_of(const struct gshmemi_trace_event *e)
{
	return e->what & 0xff;
}

static uint64_t tid_of(const struct gshmemi_trace_event *e)
{
	return e->what & GSHMEMI_TRACE_ON_HOST ? e->block : FIRST_BLOCK + e->block;
}

static void write_args(FILE *file, const struct gshmemi_trace_event *e, bool goes_on)
{
	const unsigned kind = kind_of(e);

	fprintf(file, ",\"args\":{\"pe\":%d", (int)(int32_t)(e->what >> 32));
	if (kind < GSHMEMI_COUNT_NKINDS)
		fprintf(file, ",\"bytes\":%" PRIu64 ",\"way\":\"%s\"", e->nbytes,
			e->what & GSHMEMI_TRACE_CARRIED ? "carried" : "direct");
	else if (kind == GSHMEMI_TRACE_SENT || kind == GSHMEMI_TRACE_CAME)
		fprintf(file, ",\"bytes\":%" PRIu64, e->nbytes);
	else if (kind == GSHMEMI_TRACE_WAIT)
		fprintf(file, ",\"address\":\"0x%" PRIx64 "\",\"for\":\"%s %" PRIu64 "\"", e->nbytes,
			gshmemi_cmp_name((int)(e->where >> 32)), e->value);
	else if (kind == GSHMEMI_TRACE_MARK)
		fprintf(file, ",\"value\":%" PRIu64, e->value);
	if (!(e->what & GSHMEMI_TRACE_ON_HOST))
		fprintf(file, ",\"thread\":%" PRIu32, (uint32_t)e->where);
	if (goes_on)
		fprintf(file, ",\"open\":true");
	fprintf(file, "}},\n");
}

/* Copies the event in a slot. False: it has another number, or has not arrived as a whole. */
static bool read_event(const struct gshmemi_trace_event *slot, uint64_t number, struct gshmemi_trace_event *e)
{
	uint64_t sum;
	unsigned i;

	*e = *slot;
	sum = e->begin_ns ^ e->number ^ e->what ^ e->nbytes ^ e->value ^ e->block ^ e->where ^ e->sum;
	for (i = 0; i < sizeof e->call / sizeof *e->call; i++)
		sum ^= e->call[i];
	return !sum && e->number == number && kind_of(e) < NKINDS && kinds[kind_of(e)];
}

/* A time of an event, by PE 0's clock. */
static uint64_t time_of(const struct gshmemi_timeline *t, const struct gshmemi_trace_event *e, uint64_t ns)
{
	if (!(e->what & GSHMEMI_TRACE_ON_HOST))
		ns += (uint64_t)gshmemi_trace_offset(&t->kernels, ns);
	return ns + (uint64_t)gshmemi_trace_offset(&t->pe, ns);
}

static uint64_t time_now(const struct gshmemi_timeline *t)
{
	return t->now_ns + (uint64_t)gshmemi_trace_offset(&t->pe, t->now_ns);
}

static void write_event(FILE *file, const struct gshmemi_timeline *t, const struct gshmemi_trace_event *e)
{
	const bool goes_on = e->end_number != e->number || e->end_ns < e->begin_ns;
	const uint64_t begin_ns = time_of(t, e, e->begin_ns);
	const uint64_t end_ns = goes_on ? time_now(t) : time_of(t, e, e->end_ns);
	char call[sizeof e->call + 1] = {0};

	memcpy(call, e->call, sizeof e->call);
	fprintf(file, "{\"ph\":\"X\",\"name\":");
	write_string(file, call);
	fprintf(file, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%" PRIu64, kinds[kind_of(e)], gshmemi_job->my_pe,
		tid_of(e));
	write_time(file, "ts", begin_ns);
	write_time(file, "dur", end_ns > begin_ns ? end_ns - begin_ns : 0);
	write_args(file, e, goes_on);
}

/* How many events a ring has had. The count of kernels is out of reach once one of them has failed. */
static uint64_t count_events(const struct gshmemi_trace_event *ring, uint64_t nslots, unsigned number_of_ring)
{
	uint64_t i, place, nevents = 0;

	for (i = 0; i < nslots; i++) {
		place = ring[i].number & ((1ULL << 56) - 1);
		if (ring[i].number >> 56 == number_of_ring && place > nevents)
			nevents = place;
	}
	return nevents;
}

/* Writes a ring's events, the oldest first. Returns how many are lost. */
static uint64_t write_ring(FILE *file, const struct gshmemi_timeline *t, unsigned ring)
{
	const uint64_t nslots = t->trace->nslots;
	const struct gshmemi_trace_event *events = t->trace->events + ring * nslots;
	const uint64_t nevents = count_events(events, nslots, ring);
	const uint64_t first = nevents > nslots ? nevents - nslots : 0;
	struct gshmemi_trace_event e;
	uint64_t i, nlost = first;

	for (i = first; i < nevents; i++) {
		if (read_event(&events[i & (nslots - 1)], (uint64_t)ring << 56 | (i + 1), &e))
			write_event(file, t, &e);
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

/* A moment of this PE, at the end; the caller writes its arguments. */
static void write_moment(FILE *file, const struct gshmemi_timeline *t, const char *name)
{
	fprintf(file, "{\"ph\":\"i\",\"s\":\"p\",\"name\":\"%s\",\"pid\":%d,\"tid\":0", name,
		gshmemi_job->my_pe);
	write_time(file, "ts", time_now(t));
}

static void write_clock(FILE *file, const struct gshmemi_timeline *t, const char *name,
	const struct gshmemi_trace_clock *clock)
{
	write_moment(file, t, name);
	fprintf(file, ",\"args\":{\"offset_ns\":%" PRId64 ",\"error_ns\":%" PRId64, clock->first.offset_ns,
		gshmemi_trace_error(clock));
	fprintf(file, ",\"drift_ns_per_s\":%" PRId64 "}},\n", gshmemi_trace_drift(clock));
}

void gshmemi_timeline_write(FILE *file, const struct gshmemi_timeline *t)
{
	uint64_t nlost = 0;
	unsigned ring;

	write_names(file);
	for (ring = 0; ring < GSHMEMI_TRACE_RINGS; ring++)
		nlost += write_ring(file, t, ring);
	write_clock(file, t, "clock", &t->pe);
	if (t->kernels.nsamples)
		write_clock(file, t, "clock of kernels", &t->kernels);
	if (!nlost)
		return;
	write_moment(file, t, "lost");
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
