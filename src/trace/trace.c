/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rings of GSHMEM_TRACE, and the file: PE 0 writes it, and the others send it their events as text, so
 * that all of it is written in one place. When the job ends otherwise there is nobody to send to, and each PE
 * writes a file of its own.
 */
#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MIN_SLOTS    16
#define MAX_THREADS  256                   /* of the host, whose names are kept */
#define CHUNK_NBYTES ((size_t)1 << 24)     /* of text, that PEs send at once */

static struct gshmemi_trace *rings;
static struct gshmemi_trace_clock clock_of_pe;
static atomic_bool is_written;
static atomic_ulong nthreads;
static char names[MAX_THREADS][16];
static _Thread_local uint64_t thread; /* and 1; 0: it has none yet */

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

/* The file must be there to be written at the end: better to know now. */
static int check_file(void)
{
	FILE *file;

	if (gshmemi_bootstrap_rank() != 0)
		return 0;
	file = fopen(gshmemi_env.TRACE, "we");
	if (!file) {
		gshmemi_error("GSHMEM_TRACE=%s: %s", gshmemi_env.TRACE, strerror(errno));
		return -errno;
	}
	fclose(file);
	return 0;
}

int gshmemi_trace_start(void)
{
	const uint64_t nevents =
		gshmemi_env.TRACE_SIZE / sizeof(struct gshmemi_trace_event) / GSHMEMI_TRACE_RINGS;
	uint64_t nslots = MIN_SLOTS;
	void *ptr;
	int rc;

	if (!gshmemi_env.TRACE)
		return 0;
	rc = check_file();
	if (rc)
		return rc;
	while (2 * nslots <= nevents)
		nslots *= 2;
	rc = gshmemi_host_allocate(
		sizeof *rings + GSHMEMI_TRACE_RINGS * nslots * sizeof(struct gshmemi_trace_event), "GSHMEM_TRACE",
		&ptr);
	if (rc)
		return rc;
	rings = ptr;
	rings->nslots = nslots;
	atomic_store(&is_written, false);
	return 0;
}

void gshmemi_trace_compare(void)
{
	if (gshmemi_env.TRACE)
		gshmemi_trace_compare_clocks(&clock_of_pe);
}

struct gshmemi_trace *gshmemi_trace_rings(void)
{
	return rings;
}

void gshmemi_trace_stop(void)
{
	gshmemi_host_free(rings);
	rings = NULL;
}

struct gshmemi_trace_open gshmemi_trace_call(uint32_t kind, int pe, uint64_t nbytes, const char *call)
{
	const struct gshmemi_trace_open none = {NULL, 0};

	return gshmemi_state.slow & GSHMEMI_SLOW_TRACE
		       ? gshmemi_trace_begin(kind, pe, nbytes, NULL, 0, 0, call, 0)
		       : none;
}

void gshmemi_trace_moment(uint32_t kind, int pe, uint64_t nbytes, uint64_t value, const char *call)
{
	if (gshmemi_state.slow & GSHMEMI_SLOW_TRACE)
		gshmemi_trace_end(gshmemi_trace_begin(kind, pe, nbytes, NULL, 0, value, call, 0));
}

void gshmemi_trace_mark(const char *name, uint64_t value, uint64_t ns, uint64_t block, int64_t in_block)
{
	struct gshmemi_trace_open open;

	if (!(gshmemi_state.slow & GSHMEMI_SLOW_TRACE))
		return;
	open = gshmemi_trace_begin(GSHMEMI_TRACE_MARK, -1, 0, NULL, 0, value, name, 0);
	open.event->begin_ns = ns;
	open.event->end_ns = ns;
	if (in_block >= 0) {
		open.event->what &= ~GSHMEMI_TRACE_ON_HOST;
		open.event->block = block;
		open.event->thread = (uint32_t)in_block;
	}
	__atomic_store_n(&open.event->end_seq, open.seq, __ATOMIC_RELEASE);
}

/* ---- the file ---- */

static void write_mine(FILE *file)
{
	gshmemi_timeline_write(file, rings, &clock_of_pe, gshmemi_arch_clock_ns());
}

/* What this PE has, as text, to be freed; NULL: no memory. */
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

/* A PE's text goes to PE 0, chunk by chunk, and into the file, if there is one. Called by all PEs. */
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

static void finish(FILE *file, const char *path)
{
	bool failed;

	gshmemi_timeline_end(file);
	failed = ferror(file);
	if (fclose(file) || failed)
		gshmemi_error("GSHMEM_TRACE: %s cannot be written: %s", path, strerror(errno));
}

/* The file, with the events of this PE, which is PE 0. */
static FILE *begin(void)
{
	FILE *file = fopen(gshmemi_env.TRACE, "we");

	if (file) {
		gshmemi_timeline_begin(file);
		write_mine(file);
	} else {
		gshmemi_error("GSHMEM_TRACE=%s: %s", gshmemi_env.TRACE, strerror(errno));
	}
	return file;
}

void gshmemi_trace_write(void)
{
	const int my_pe = gshmemi_bootstrap_rank();
	char *chunk, *text = NULL;
	FILE *file = NULL;
	size_t nbytes = 0;
	int pe;

	if (!rings || atomic_exchange(&is_written, true))
		return;
	chunk = malloc(CHUNK_NBYTES);
	if (!chunk) {
		gshmemi_error("GSHMEM_TRACE: no memory to put the events of the PEs together");
		gshmemi_end(1);
	}
	if (my_pe == 0) {
		file = begin();
	} else {
		text = print_mine(&nbytes);
		if (!text) {
			gshmemi_error("GSHMEM_TRACE: no memory for this PE's events, which the file does not have");
			nbytes = 0;
		}
	}
	for (pe = 1; pe < gshmemi_bootstrap_npes(); pe++)
		pass(pe, text, nbytes, chunk, file);
	if (file)
		finish(file, gshmemi_env.TRACE);
	free(text);
	free(chunk);
}

void gshmemi_trace_write_alone(void)
{
	char path[4096];
	FILE *file;

	if (!rings || atomic_exchange(&is_written, true))
		return;
	snprintf(path, sizeof path, "%s.%d.json", gshmemi_env.TRACE, gshmemi_state.my_pe);
	file = fopen(path, "we");
	if (!file) {
		gshmemi_error("GSHMEM_TRACE: %s: %s", path, strerror(errno));
		return;
	}
	gshmemi_timeline_begin(file);
	write_mine(file);
	finish(file, path);
}
