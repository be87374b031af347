/* SPDX-License-Identifier: BSD-3-Clause */
/* gshmem-info --measure: measures the host's calls from each PE to each other one, one pair at a time. */
#include "measure.h"

#include "base/base.h"

#include <gshmem/move/carry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bootstrap/bootstrap.h"
#include "job/job.h"
#include "mpi/mpi.h"
#include "net/net.h"
#include "print.h"

#define NBATCHES    9
#define BULK_NBYTES ((size_t)1 << 20)

/* The memory that one pair is measured with. */
struct pair {
	char *heap;   /* symmetric, BULK_NBYTES */
	char *direct; /* gshmem_ptr of heap on the peer; NULL if there is none */
	char *local;  /* private, BULK_NBYTES */
	int pe;
};

/* ours repeats an operation with the library, raw the same one without it; raw may be NULL. */
struct metric {
	const char *name;
	const char *unit;
	void (*ours)(const struct pair *pair, long nreps);
	void (*raw)(const struct pair *pair, long nreps);
	long nreps;
	size_t nbytes; /* 0: a latency */
};

static void put_ours(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++) {
		gshmem_long_p((long *)(void *)pair->heap, i, pair->pe);
		gshmem_quiet();
	}
}

/* Each load's address depends on the value loaded before; the memory holds zeros. */
static void get_ours(const struct pair *pair, long nreps)
{
	long at = 0;

	for (long i = 0; i < nreps; i++)
		at = gshmem_long_g((long *)(void *)pair->heap + at, pair->pe);
}

static void add_ours(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		gshmem_long_atomic_fetch_add((long *)(void *)pair->heap, 0, pair->pe);
}

static void bulk_put_ours(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		gshmem_putmem(pair->heap, pair->local, BULK_NBYTES, pair->pe);
}

static void bulk_get_ours(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		gshmem_getmem(pair->local, pair->heap, BULK_NBYTES, pair->pe);
}

/*
 * Without the library: loads and stores where the CPU reaches the memory; elsewhere the runtime's copies,
 * which take longer, so that CALLS makes fewer.
 */
#if GSHMEMI_ARCH_HOST_DIRECT
#define CALLS(n) (n)

static void put_raw(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++) {
		*(volatile long *)(void *)pair->direct = i;
		atomic_thread_fence(memory_order_seq_cst);
	}
}

static void get_raw(const struct pair *pair, long nreps)
{
	long at = 0;

	for (long i = 0; i < nreps; i++)
		at = ((volatile long *)(void *)pair->direct)[at];
}

static void add_raw(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		(void)__atomic_fetch_add((volatile long *)(void *)pair->direct, 0, __ATOMIC_RELAXED);
}

static void bulk_put_raw(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		memcpy(pair->direct, pair->local, BULK_NBYTES);
}

static void bulk_get_raw(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		memcpy(pair->local, pair->direct, BULK_NBYTES);
}
#else
#define CALLS(n) ((n) / 100 + 1)

static void copy_raw(void *dest, const void *source, size_t nbytes, long nreps)
{
	static hipStream_t stream;

	if (!stream && hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) != hipSuccess)
		gshmemi_end(1);
	for (long i = 0; i < nreps; i++)
		if (hipMemcpyAsync(dest, source, nbytes, hipMemcpyDefault, stream) != hipSuccess ||
			hipStreamSynchronize(stream) != hipSuccess)
			gshmemi_end(1);
}

static void put_raw(const struct pair *pair, long nreps)
{
	copy_raw(pair->direct, pair->local, sizeof(long), nreps);
}

static void get_raw(const struct pair *pair, long nreps)
{
	copy_raw(pair->local, pair->direct, sizeof(long), nreps);
}

#define add_raw NULL /* a CPU has no atomics on this memory */

static void bulk_put_raw(const struct pair *pair, long nreps)
{
	copy_raw(pair->direct, pair->local, BULK_NBYTES, nreps);
}

static void bulk_get_raw(const struct pair *pair, long nreps)
{
	copy_raw(pair->local, pair->direct, BULK_NBYTES, nreps);
}
#endif

/* g_8 needs zeros, which put_1mib writes; p_quiet_8 leaves other numbers, and so comes last. */
static const struct metric metrics[] = {
	{"put_1mib", "GB_s", bulk_put_ours, bulk_put_raw, 20, BULK_NBYTES},
	{"get_1mib", "GB_s", bulk_get_ours, bulk_get_raw, 20, BULK_NBYTES},
	{"g_8", "us", get_ours, get_raw, CALLS(100000), 0},
	{"fetch_add_8", "us", add_ours, add_raw, CALLS(50000), 0},
	{"p_quiet_8", "us", put_ours, put_raw, CALLS(50000), 0},
};
#define NMETRICS (int)(sizeof metrics / sizeof *metrics)

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double time_batch(const struct metric *metric, bool is_raw, const struct pair *pair)
{
	const long nreps = pair->direct ? metric->nreps : metric->nreps / 20000 + 1; /* slow over MPI */
	uint64_t start_ns = gshmemi_arch_clock_ns();

	(is_raw ? metric->raw : metric->ours)(pair, nreps);
	return (double)(gshmemi_arch_clock_ns() - start_ns) * 1e-3 / (double)nreps;
}

/* Medians over batches, ours and raw in turn: microseconds, or gigabytes per second. */
static void measure(const struct metric *metric, const struct pair *pair, double figures[2])
{
	double times[2][NBATCHES];
	const int nsides = metric->raw && pair->direct ? 2 : 1, nbatches = pair->direct ? NBATCHES : 3;
	int batch, raw;

	for (batch = 0; batch < nbatches; batch++)
		for (raw = 0; raw < nsides; raw++)
			times[raw][batch] = time_batch(metric, raw, pair);
	for (raw = 0; raw < nsides; raw++) {
		qsort(times[raw], (size_t)nbatches, sizeof **times, compare_times);
		figures[raw] = times[raw][nbatches / 2];
		if (metric->nbytes)
			figures[raw] = (double)metric->nbytes * 1e-3 / figures[raw];
	}
}

/* Can puts, or atomics, reach this PE at all? */
static bool has_way(int pe, bool is_amo)
{
	return gshmemi_is_mapped(GSHMEMI_REGION_HEAP, pe, is_amo) || gshmemi_net_is_running();
}

/* From this PE to all others: figures[pe][metric][is raw]; what cannot be measured stays 0. */
static void measure_from_here(char *heap, double *figures)
{
	struct pair pair = {.heap = heap, .local = calloc(1, BULK_NBYTES)};
	int metric;

	if (!pair.local)
		gshmemi_end(1);
	for (pair.pe = 0; pair.pe < gshmem_n_pes(); pair.pe++) {
		pair.direct = gshmem_ptr(heap, pair.pe);
		if (pair.pe == gshmem_my_pe() || !has_way(pair.pe, false))
			continue;
		for (metric = 0; metric < NMETRICS; metric++)
			if (metrics[metric].ours != add_ours || has_way(pair.pe, true))
				measure(&metrics[metric], &pair, figures + (pair.pe * NMETRICS + metric) * 2);
	}
	free(pair.local);
}

/* A barrier that sleeps, so that it takes no core from the PE that measures. */
static void meet_asleep(void)
{
	gshmemi_mpi_request_t request;
	bool done = false;

	gshmemi_mpi->ibarrier(gshmemi_mpi->world, &request);
	while (gshmemi_mpi->test(&request, &done), !done)
		usleep(1000);
}

double *measure_all(void)
{
	int npes = gshmem_n_pes(), pe;
	double *mine = calloc((size_t)npes * NMETRICS * 2, sizeof *mine);
	char *heap = gshmem_calloc(1, BULK_NBYTES);

	if (!mine || !heap)
		gshmemi_end(1);
	for (pe = 0; pe < npes; pe++) {
		if (pe == gshmem_my_pe())
			measure_from_here(heap, mine);
		if (npes > 1) /* a job of one PE may be without MPI */
			meet_asleep();
	}
	gshmem_free(heap);
	return mine;
}

static void report_pair(int from, int to, const double *figures)
{
	char name[64];
	int i;

	if (!figures[0])
		return;
	snprintf(name, sizeof name, "PE %d to PE %d", from, to);
	open_group(info_json ? NULL : name, false);
	if (info_json) {
		put_number("from", (uint64_t)from);
		put_number("to", (uint64_t)to);
	}
	for (i = 0; i < NMETRICS; i++) {
		if (!figures[2 * i])
			continue;
		snprintf(name, sizeof name, "%s_%s", metrics[i].name, metrics[i].unit);
		put_figure(name, figures[2 * i]);
		if (!figures[2 * i + 1])
			continue;
		snprintf(name, sizeof name, "%s_raw", metrics[i].name);
		put_figure(name, figures[2 * i + 1]);
		snprintf(name, sizeof name, "%s_ratio", metrics[i].name);
		put_figure(name, figures[2 * i] / figures[2 * i + 1]);
	}
	close_group(false);
}

void report_figures(const double *mine, int npes)
{
	const size_t nbytes = (size_t)npes * NMETRICS * 2 * sizeof *mine;
	double *figures = malloc(nbytes);
	int from, to;

	if (!figures)
		gshmemi_end(1);
	open_group("measured", true);
	for (from = 0; from < npes; from++) {
		memcpy(figures, mine, nbytes);
		gshmemi_bootstrap_broadcast(figures, nbytes, from);
		for (to = 0; to < npes; to++)
			report_pair(from, to, figures + (size_t)to * NMETRICS * 2);
	}
	close_group(true);
	free(figures);
}
