/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rings of GSHMEM_TRACE, and the file. PE 0 writes it; the others send it their events as text. When the
 * job ends otherwise, nobody receives them, and each PE writes a file of its own.
 */
#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bootstrap/bootstrap.h"
#include "device/devmem.h"

#define MIN_SLOTS    16
#define MAX_THREADS  256               /* of the host, whose names are kept */
#define CHUNK_NBYTES ((size_t)1 << 24) /* of text, that PEs send at once */

struct gshmemi_trace *gshmemi_host_trace;      /* of the host's threads */
static struct gshmemi_trace *trace_of_kernels; /* in device memory */
static struct gshmemi_timeline timeline;       /* the clocks */
static atomic_bool is_written;
static atomic_ulong nthreads;
static char names[MAX_THREADS][16];
static _Thread_local uint64_t thread; /* its number plus 1; 0: none yet */

uint64_t gshmemi_trace_thread(void)
{
	if (thread)
		return thread - 1;
	thread = atomic_fetch_add(&nthreads, 1) + 1;
	if (thread <= MAX_THREADS && pthread_getname_np(pthread_self(), names[thread - 1], sizeof names[0]))
		names[thread - 1][0] = 0;
	return thread - 1;
}

const char *gshmemi_trace_thread_name(uint64_t number)
{
	return number < MAX_THREADS ? names[number] : "";
}

/* Opens the trace file at init, so that a bad path fails now. */
static int check_file(void)
{
	FILE *file;

	if (gshmemi_bootstrap_rank() != 0)
		return 0;
	file = gshmemi_file_write("GSHMEM_TRACE=", gshmemi_env.TRACE);
	return file ? gshmemi_file_close(file, "GSHMEM_TRACE=", gshmemi_env.TRACE) : -errno;
}

/* Slots of a ring. */
static uint64_t find_nslots(void)
{
	const uint64_t nevents =
		gshmemi_env.TRACE_SIZE / sizeof(struct gshmemi_trace_event) / GSHMEMI_TRACE_RINGS;
	uint64_t nslots = MIN_SLOTS;

	while (2 * nslots <= nevents)
		nslots *= 2;
	return nslots;
}

static int allocate_events(struct gshmemi_trace *trace)
{
	void *ptr;
	int rc;

	trace->nslots = find_nslots();
	rc = gshmemi_host_allocate(
		GSHMEMI_TRACE_RINGS * trace->nslots * sizeof *trace->events, "GSHMEM_TRACE", &ptr);
	if (!rc)
		trace->events = ptr;
	return rc;
}

/* Kernels write into the same events. */
static int allocate_for_kernels(const struct gshmemi_trace *trace)
{
	void *ptr;
	int rc;

	rc = gshmemi_hip(hipMalloc(&ptr, sizeof *trace), "init: hipMalloc of %zu bytes for GSHMEM_TRACE",
		sizeof *trace);
	if (rc)
		return rc;
	trace_of_kernels = ptr;
	return gshmemi_devmem_copy(trace_of_kernels, trace, sizeof *trace, "init: GSHMEM_TRACE");
}

int gshmemi_trace_start(void)
{
	int rc;

	if (!gshmemi_env.TRACE)
		return 0;
	rc = check_file();
	if (rc)
		return rc;
	gshmemi_host_trace = calloc(1, sizeof *gshmemi_host_trace);
	if (!gshmemi_host_trace) {
		gshmemi_error("init: no memory for GSHMEM_TRACE");
		return -ENOMEM;
	}
	memset(&timeline, 0, sizeof timeline);
	rc = allocate_events(gshmemi_host_trace);
	if (!rc)
		rc = allocate_for_kernels(gshmemi_host_trace);
	if (!rc)
		rc = gshmemi_trace_compare_kernels(&timeline.kernels);
	if (rc)
		gshmemi_trace_stop();
	atomic_store(&is_written, false);
	return rc;
}

void gshmemi_trace_compare(void)
{
	if (gshmemi_env.TRACE)
		gshmemi_trace_compare_pes(&timeline.pe);
}

struct gshmemi_trace *gshmemi_trace_of_kernels(void)
{
	return trace_of_kernels;
}

void gshmemi_trace_stop(void)
{
	if (trace_of_kernels)
		gshmemi_hip_ignore(hipFree(trace_of_kernels), "hipFree");
	trace_of_kernels = NULL;
	if (gshmemi_host_trace)
		gshmemi_host_free(gshmemi_host_trace->events);
	free(gshmemi_host_trace);
	gshmemi_host_trace = NULL;
}

uint64_t gshmemi_trace_call(uint32_t kind, int pe, uint64_t nbytes, const char *call)
{
	if (!(gshmemi_state.why & GSHMEMI_WHY_TRACE))
		return 0;
	return gshmemi_trace_begin_at(gshmemi_trace_what(kind, pe), nbytes, 0, 0, call, 0);
}

void gshmemi_trace_moment(uint32_t kind, int pe, uint64_t nbytes, const char *call)
{
	gshmemi_trace_end(gshmemi_trace_call(kind, pe, nbytes, call));
}

/* Writes a whole event of the host; its name is in call. */
static void record(uint32_t kind, uint64_t value, struct gshmemi_trace_who who, uint64_t begin_ns,
	uint64_t end_ns, const char *call)
{
	const uint64_t ring = gshmemi_trace_thread() % GSHMEMI_TRACE_HOST_RINGS;
	const uint64_t number = gshmemi_trace_take(gshmemi_host_trace, ring);
	struct gshmemi_trace_event *e = gshmemi_trace_slot(gshmemi_host_trace, number);

	gshmemi_trace_fill(e, number, gshmemi_trace_what(kind, -1), 0, value, who, begin_ns, call);
	gshmemi_arch_store(&e->end_ns, end_ns, 8);
	gshmemi_arch_store(&e->end_number, number, 8);
}

void gshmemi_trace_span(uint32_t kind, const char *call, uint64_t begin_ns)
{
	const struct gshmemi_trace_who me = {gshmemi_trace_thread(), gshmemi_arch_thread_name()};

	if (gshmemi_state.why & GSHMEMI_WHY_TRACE)
		record(kind | GSHMEMI_TRACE_ON_HOST, 0, me, begin_ns, gshmemi_arch_clock_ns(), call);
}

void gshmemi_trace_mark(const char *name, uint64_t value, uint64_t ns, uint64_t block, int64_t in_block)
{
	const bool is_on_host = in_block < 0;
	const struct gshmemi_trace_who who = {
		is_on_host ? gshmemi_trace_thread() : block, is_on_host ? 0 : (uint64_t)in_block};

	if (!(gshmemi_state.why & GSHMEMI_WHY_TRACE))
		return;
	record(GSHMEMI_TRACE_MARK | (is_on_host ? GSHMEMI_TRACE_ON_HOST : 0), value, who, ns, ns, name);
}

/* ---- the file ---- */

static void write_mine(FILE *file)
{
	timeline.trace = gshmemi_host_trace;
	timeline.now_ns = gshmemi_arch_clock_ns();
	gshmemi_timeline_write(file, &timeline);
}

/* This PE's part of the file, to be freed; NULL: no memory. */
static char *print_mine(size_t *nbytes_p)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, nbytes_p);

	if (!file)
		return NULL;
	write_mine(file);
	if (fclose(file)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Collective. Sends a PE's text to PE 0, chunk by chunk, which writes it into the file, if it has one. */
static void pass(int pe, const char *text, uint64_t nbytes, char *chunk, FILE *file)
{
	uint64_t at, n;

	gshmemi_bootstrap_broadcast(&nbytes, sizeof nbytes, pe);
	for (at = 0; at < nbytes; at += n) {
		n = nbytes - at < CHUNK_NBYTES ? nbytes - at : CHUNK_NBYTES;
		if (pe == gshmemi_bootstrap_rank())
			memcpy(chunk, text + at, n);
		gshmemi_bootstrap_move(chunk, n, pe, 0);
		if (file)
			fwrite(chunk, 1, n, file);
	}
}

/* All work of the job is done, so it goes on without the file, and its status says that something failed. */
static void finish_file(FILE *file, const char *path)
{
	gshmemi_timeline_end(file);
	if (gshmemi_file_close(file, "GSHMEM_TRACE: ", path))
		gshmemi_end_spoil();
}

/* Opens the file and writes the events of this PE, which is PE 0. */
static FILE *begin_file(void)
{
	FILE *file = gshmemi_file_write("GSHMEM_TRACE=", gshmemi_env.TRACE);

	if (!file) {
		gshmemi_end_spoil();
		return NULL;
	}
	gshmemi_timeline_begin(file);
	write_mine(file);
	return file;
}

void gshmemi_trace_write(void)
{
	const int my_pe = gshmemi_bootstrap_rank();
	char *chunk, *text = NULL;
	FILE *file = NULL;
	size_t nbytes = 0;
	int pe;

	if (!gshmemi_host_trace || atomic_exchange(&is_written, true))
		return;
	(void)gshmemi_trace_compare_kernels(&timeline.kernels); /* if it fails, the first sample serves */
	gshmemi_trace_compare_pes(&timeline.pe);
	chunk = malloc(CHUNK_NBYTES);
	if (!chunk) {
		gshmemi_error("GSHMEM_TRACE: no memory to put the events of the PEs together");
		gshmemi_end(1);
	}
	if (my_pe == 0) {
		file = begin_file();
	} else {
		text = print_mine(&nbytes);
		if (!text) {
			gshmemi_error(
				"GSHMEM_TRACE: no memory for this PE's events, which the file does not have");
			nbytes = 0;
		}
	}
	for (pe = 1; pe < gshmemi_bootstrap_npes(); pe++)
		pass(pe, text, nbytes, chunk, file);
	if (file)
		finish_file(file, gshmemi_env.TRACE);
	free(text);
	free(chunk);
}

void gshmemi_trace_write_alone(void)
{
	char path[4096];
	FILE *file;

	if (!gshmemi_host_trace || atomic_exchange(&is_written, true))
		return;
	snprintf(path, sizeof path, "%s.%d.json", gshmemi_env.TRACE, gshmemi_state.my_pe);
	file = gshmemi_file_write("GSHMEM_TRACE: ", path);
	if (!file)
		return;
	gshmemi_timeline_begin(file);
	write_mine(file);
	finish_file(file, path);
}
