/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_STATS: the counters of move/count.h, which kernels and host calls update on the slow path, and the
 * report that finalize prints.
 *
 * There are two tables, because the CPU may be unable to reach a GPU's memory, and a GPU has no atomics on
 * the CPU's. Finalize adds them up. PE 0 prints the rows one PE at a time: each PE that has rows broadcasts
 * them in turn, so that no PE needs room for those of all.
 */
#include "op/op.h"

#include <gshmem/move/count.h>
#include <stdio.h>
#include <stdlib.h>

#include "bootstrap/bootstrap.h"
#include "device/devmem.h"

/* A nonzero counter, as PEs exchange it. */
struct row {
	int32_t pe; /* the target */
	uint16_t kind;
	uint16_t way;
	struct gshmemi_count count;
};

#define KIND(NAME, TEXT) [GSHMEMI_COUNT_##NAME] = TEXT,
static const char *const kinds[] = {GSHMEMI_COUNT_KINDS(KIND)};
static const char *const ways[GSHMEMI_COUNT_NWAYS] = {"direct", "carried"};

struct gshmemi_count *gshmemi_host_counts;  /* of host calls */
static struct gshmemi_count *device_counts; /* of kernels */

static size_t ncounts(void)
{
	return (size_t)gshmemi_bootstrap_npes() * GSHMEMI_COUNT_NKINDS * GSHMEMI_COUNT_NWAYS;
}

int gshmemi_stats_open(void)
{
	const size_t nbytes = ncounts() * sizeof *gshmemi_host_counts;
	void *ptr;
	int rc;

	if (!gshmemi_env.STATS)
		return 0;
	gshmemi_host_counts = calloc(1, nbytes);
	if (!gshmemi_host_counts) {
		gshmemi_error("init: %zu bytes of counters: out of memory (GSHMEM_STATS)", nbytes);
		return -ENOMEM;
	}
	rc = gshmemi_hip(
		hipMalloc(&ptr, nbytes), "init: hipMalloc of %zu bytes of counters (GSHMEM_STATS)", nbytes);
	if (!rc) {
		device_counts = ptr;
		rc = gshmemi_devmem_fill(device_counts, 0, nbytes, "init: the counters of GSHMEM_STATS");
	}
	if (rc)
		gshmemi_stats_close();
	return rc;
}

struct gshmemi_count *gshmemi_stats_table(void)
{
	return device_counts;
}

void gshmemi_stats_close(void)
{
	if (device_counts)
		gshmemi_hip_ignore(hipFree(device_counts), "hipFree");
	device_counts = NULL;
	free(gshmemi_host_counts);
	gshmemi_host_counts = NULL;
}

/*
 * Returns this PE's rows, both tables together; the caller frees them. An error ends the job: the other PEs
 * are in an exchange and cannot be told.
 */
static struct row *collect_rows(size_t *nrows_p)
{
	const size_t n = ncounts();
	struct gshmemi_count *kernels = malloc(n * sizeof *kernels), count;
	struct row *rows = malloc(n * sizeof *rows);
	size_t i, nrows = 0;

	if (!kernels || !rows) {
		gshmemi_error("gshmem_finalize: the counters of GSHMEM_STATS: out of memory");
		gshmemi_end(1);
	}
	if (gshmemi_devmem_copy(kernels, device_counts, n * sizeof *kernels,
		    "gshmem_finalize: the counters of GSHMEM_STATS"))
		gshmemi_end(1);
	for (i = 0; i < n; i++) {
		count.nops = gshmemi_host_counts[i].nops + kernels[i].nops;
		count.nbytes = gshmemi_host_counts[i].nbytes + kernels[i].nbytes;
		if (count.nops)
			rows[nrows++] =
				(struct row){(int32_t)(i / (GSHMEMI_COUNT_NKINDS * GSHMEMI_COUNT_NWAYS)),
					(uint16_t)(i / GSHMEMI_COUNT_NWAYS % GSHMEMI_COUNT_NKINDS),
					(uint16_t)(i % GSHMEMI_COUNT_NWAYS), count};
	}
	free(kernels);
	*nrows_p = nrows;
	return rows;
}

static void print_count(
	const char *from, const char *to, unsigned kind, unsigned way, const struct gshmemi_count *count)
{
	fprintf(stderr, "gshmem: stats: %6s %6s  %-10s  %-7s %12llu %16llu\n", from, to, kinds[kind],
		ways[way], (unsigned long long)count->nops, (unsigned long long)count->nbytes);
}

/* Prints the rows and adds them to the sums, [kind][way]. */
static void print_rows(
	int pe, const struct row *rows, size_t nrows, struct gshmemi_count (*sums)[GSHMEMI_COUNT_NWAYS])
{
	char from[16], to[16];
	size_t i;

	snprintf(from, sizeof from, "%d", pe);
	for (i = 0; i < nrows; i++) {
		snprintf(to, sizeof to, "%d", (int)rows[i].pe);
		print_count(from, to, rows[i].kind, rows[i].way, &rows[i].count);
		sums[rows[i].kind][rows[i].way].nops += rows[i].count.nops;
		sums[rows[i].kind][rows[i].way].nbytes += rows[i].count.nbytes;
	}
}

static void print_sums(struct gshmemi_count (*sums)[GSHMEMI_COUNT_NWAYS])
{
	unsigned kind, way;

	for (kind = 0; kind < GSHMEMI_COUNT_NKINDS; kind++)
		for (way = 0; way < GSHMEMI_COUNT_NWAYS; way++)
			if (sums[kind][way].nops)
				print_count("all", "all", kind, way, &sums[kind][way]);
}

void gshmemi_stats_report(void)
{
	struct gshmemi_count sums[GSHMEMI_COUNT_NKINDS][GSHMEMI_COUNT_NWAYS] = {{{0, 0}}};
	const int my_pe = gshmemi_bootstrap_rank();
	struct row *mine, *theirs, *rows;
	uint64_t nrows;
	size_t nmine;
	int pe;

	if (!gshmemi_env.STATS)
		return;
	mine = collect_rows(&nmine);
	theirs = malloc(ncounts() * sizeof *theirs);
	if (!theirs) {
		gshmemi_error("gshmem_finalize: the counters of GSHMEM_STATS: out of memory");
		gshmemi_end(1);
	}
	if (my_pe == 0)
		fprintf(stderr, "gshmem: stats: %6s %6s  %-10s  %-7s %12s %16s\n", "from", "to", "kind",
			"way", "operations", "bytes");
	for (pe = 0; pe < gshmemi_bootstrap_npes(); pe++) {
		nrows = nmine;
		gshmemi_bootstrap_broadcast(&nrows, sizeof nrows, pe);
		rows = pe == my_pe ? mine : theirs;
		if (nrows)
			gshmemi_bootstrap_broadcast(rows, nrows * sizeof *rows, pe);
		if (my_pe == 0)
			print_rows(pe, rows, nrows, sums);
	}
	if (my_pe == 0)
		print_sums(sums);
	free(mine);
	free(theirs);
}
