/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meetings of all PEs' hosts in collective calls between init and finalize: memory calls, launches,
 * nested init, and finalize. They use the barrier of teams (gshmemi_sync_host_team), so that the watchdog
 * reports a long wait and poison ends it. MPI's waits have neither, and are slow where PEs share cores.
 *
 * The barrier has a struct gshmemi_sync that belongs to no team. It cannot be the world team's,
 * because a kernel of the program may be in gshmemx_barrier_all_wg while its host allocates memory or
 * launches another kernel.
 *
 * If some PEs cannot map each other's memory, there is no barrier of all PEs, and MPI combines the words.
 */
#include "team/team.h"

#include <gshmem/order/team.h>
#include <pthread.h>

#include "bootstrap/bootstrap.h"
#include "heap/heap.h"
#include "job/job.h"
#include "trace/trace.h"

#define WORD_NBITS  64
#define ROUND_NBITS (GSHMEMI_SYNC_WORDS * WORD_NBITS)

static const char *const call_names[] = {
	[GSHMEMI_MEET_MALLOC] = "gshmem_malloc",
	[GSHMEMI_MEET_CALLOC] = "gshmem_calloc",
	[GSHMEMI_MEET_ALIGN] = "gshmem_align",
	[GSHMEMI_MEET_REALLOC] = "gshmem_realloc",
	[GSHMEMI_MEET_MALLOC_WITH_HINTS] = "gshmem_malloc_with_hints",
	[GSHMEMI_MEET_FREE] = "gshmem_free",
	[GSHMEMI_MEET_LAUNCH] = "gshmemx_collective_launch",
	[GSHMEMI_MEET_INIT] = "gshmem_init",
	[GSHMEMI_MEET_FINALIZE] = "gshmem_finalize",
};

static struct gshmemi_team_view place; /* all PEs; if sync is NULL, MPI combines the words */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a PE takes part in one meeting at a time */

void gshmemi_meet_open(bool all_reach_all)
{
	place.sync = all_reach_all ? gshmemi_heap.meeting : NULL;
	place.my_pe = gshmemi_job->my_pe;
	place.npes = gshmemi_job->npes;
	place.start = 0;
	place.stride = 1;
}

const char *gshmemi_meet_name(enum gshmemi_meet_call call)
{
	return call_names[call];
}

/* ---- words ---- */

/*
 * Replaces words by the bitwise AND of all PEs' words. The caller holds errors back, but a report of the
 * watchdog, or a failure of the barrier itself, must be printed at once.
 */
static void combine(uint64_t *words, const char *call)
{
	const bool was_holding = gshmemi_log_suspend();

	if (place.sync)
		gshmemi_sync_host_team(&place, words, call);
	else
		gshmemi_bootstrap_and(words, GSHMEMI_SYNC_WORDS);
	gshmemi_log_resume(was_holding);
}

/* Returns, on all PEs, the lowest PE that passes true; -1 if none does. */
static int find_first(bool is_it, const char *call)
{
	uint64_t words[GSHMEMI_SYNC_WORDS];
	int from, i;

	for (from = 0; from < place.npes; from += ROUND_NBITS) {
		for (i = 0; i < GSHMEMI_SYNC_WORDS; i++)
			words[i] = ~0ULL;
		if (is_it && place.my_pe / ROUND_NBITS == from / ROUND_NBITS)
			words[place.my_pe % ROUND_NBITS / WORD_NBITS] &= ~(1ULL << place.my_pe % WORD_NBITS);
		combine(words, call);
		for (i = 0; i < GSHMEMI_SYNC_WORDS; i++)
			if (~words[i])
				return from + i * WORD_NBITS + __builtin_ctzll(~words[i]);
	}
	return -1;
}

/* Copies the request of pe to *request on all PEs. */
static void copy_from(int pe, struct gshmemi_request *request, const char *call)
{
	uint64_t words[4] = {request->call, request->nbytes, request->extra, (uint64_t)request->rc};
	int i;

	_Static_assert(GSHMEMI_SYNC_WORDS == 2, "pairs");
	for (i = 0; place.my_pe != pe && i < 4; i++)
		words[i] = ~0ULL; /* all ones do not change the AND */
	combine(words, call);
	combine(words + 2, call);
	request->call = (enum gshmemi_meet_call)words[0];
	request->nbytes = words[1];
	request->extra = words[2];
	request->rc = (int)(int64_t)words[3];
}

/* ---- comparing ---- */

static bool differ(const struct gshmemi_request *a, const struct gshmemi_request *b)
{
	return a->call != b->call || a->nbytes != b->nbytes || a->extra != b->extra;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
	return hash ^ hash >> 32;
}

/* Finds the lowest PE whose request differs from PE 0's. PE 0 prints. */
static void report_difference(
	const struct gshmemi_request *mine, gshmemi_meet_describe *describe, const char *call)
{
	struct gshmemi_request first = *mine, other = *mine;
	int pe;

	copy_from(0, &first, call);
	pe = find_first(differ(&first, mine), call);
	copy_from(pe, &other, call);
	gshmemi_log_release(false);
	if (place.my_pe != 0)
		return;
	if (first.call != other.call)
		gshmemi_error("PE 0 called %s but PE %d called %s", call_names[first.call], pe,
			call_names[other.call]);
	else
		describe(&first, &other, pe);
}

/* Called if some PE has an error or requests differ: finds out which. One PE prints before any PE goes on. */
static int explain(const struct gshmemi_request *mine, gshmemi_meet_describe *describe, const char *call)
{
	struct gshmemi_request wrong = *mine;
	uint64_t words[GSHMEMI_SYNC_WORDS] = {0};
	int pe;

	pe = find_first(mine->rc != 0, call);
	if (pe >= 0) {
		copy_from(pe, &wrong, call);
		gshmemi_log_release(pe == place.my_pe);
	} else {
		report_difference(mine, describe, call);
		wrong.rc = -EINVAL;
	}
	combine(words, call);
	return wrong.rc;
}

/*
 * Each PE passes a hash and its complement. After the AND they are still complements only if all hashes were
 * equal. A PE with an error passes 0 and 0, which never are.
 */
int gshmemi_meet(const struct gshmemi_request *mine, gshmemi_meet_describe *describe)
{
	const uint64_t hash = mix(mix(mix(0, mine->call), mine->nbytes), mine->extra);
	uint64_t words[GSHMEMI_SYNC_WORDS] = {0, 0};
	const char *call = call_names[mine->call];
	const uint64_t open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);
	int rc = 0;

	if (!mine->rc) {
		words[0] = hash;
		words[1] = ~hash;
	}
	pthread_mutex_lock(&lock);
	combine(words, call);
	if (words[0] != ~words[1])
		rc = explain(mine, describe, call);
	pthread_mutex_unlock(&lock);
	gshmemi_trace_end(open);
	gshmemi_log_release(false);
	return rc;
}
