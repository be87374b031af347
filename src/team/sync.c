/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers of the host, and the exported functions of waits, fence, quiet and barriers, stamped as in
 * op/rma.c. Where the CPU cannot touch the heap, it writes the flags of barriers by copies.
 */
#include "team/team.h"

#if !GSHMEMI_ARCH_HOST_DIRECT
/* The steps that gshmemi_disseminate makes by copies here; defined below. */
struct gshmemi_team_view;
#define GSHMEMI_SYNC_OWN(name, ...) own_##name(__VA_ARGS__)
static void own_complete(const char *call);
static uint64_t own_load(const uint64_t *word, const char *call);
static void own_store(uint64_t *word, uint64_t value, const char *call);
static const struct gshmemi_team_nodes *own_nodes(const struct gshmemi_sync *sync, const char *call);
static void own_await(const struct gshmemi_team_view *team, const uint64_t *flags, uint64_t epoch,
	int distance, const char *call);
static void own_combine(uint64_t *words, const uint64_t (*row)[GSHMEMI_SYNC_WORDS], int n, const char *call);
#endif

#include <gshmem/order/sync.h>

#include "device/devmem.h"
#include "op/op.h"
#include "trace/trace.h"

#if GSHMEMI_ARCH_HOST_DIRECT

void gshmemi_host_sync_all(int quiet, const char *call)
{
	const uint64_t open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);

	gshmemi_sync_all(GSHMEMI_THREAD, quiet, call);
	gshmemi_trace_end(open);
}

void gshmemi_host_sync_write(int what, uint64_t *word, uint64_t value, int pe, const char *call)
{
	gshmemi_sync_write(what, word, value, pe, call);
}

void gshmemi_sync_host_team(const struct gshmemi_team_view *team, uint64_t *words, const char *call)
{
	gshmemi_team_claim(team, call);
	gshmemi_disseminate(team, words, 0, call);
	gshmemi_team_release(team);
}

#else /* the CPU cannot touch the heap */

static void own_complete(const char *call)
{
	gshmemi_carry_complete(GSHMEMI_CTX_LIBRARY, NULL, 0);
	gshmemi_devmem_complete(call);
}

static uint64_t own_load(const uint64_t *word, const char *call)
{
	return gshmemi_host_load(word, sizeof *word, call);
}

static void own_store(uint64_t *word, uint64_t value, const char *call)
{
	gshmemi_devmem_store(word, &value, sizeof value, call);
}

static const struct gshmemi_team_nodes *own_nodes(const struct gshmemi_sync *sync, const char *call)
{
	(void)call;
	return gshmemi_team_find_nodes(sync);
}

/*
 * Returns a PE at this distance whose flag has not arrived, or -1 if all have. One copy fetches the flags
 * of a round.
 */
static int find_missing(const struct gshmemi_team_view *team, const uint64_t *flags, uint64_t epoch,
	int distance, const uint64_t **flag_p, uint64_t *found_p, const char *call)
{
	uint64_t row[GSHMEMI_SYNC_RADIX];
	int i;

	_Static_assert(sizeof row <= GSHMEMI_DEVMEM_LOAD, "one load");
	gshmemi_devmem_load(row, flags, sizeof row, call);
	for (i = 1; i < GSHMEMI_SYNC_RADIX && i * distance < team->npes; i++) {
		if (row[i] < epoch) {
			*flag_p = &flags[i];
			*found_p = row[i];
			return gshmemi_team_to_world(
				team, (team->my_pe + team->npes - i * distance) % team->npes);
		}
	}
	return -1;
}

static void own_await(const struct gshmemi_team_view *team, const uint64_t *flags, uint64_t epoch,
	int distance, const char *call)
{
	uint64_t found, started_ns = 0, open = 0;
	const uint64_t *flag;
	long sleep_ns = 0;
	int pe;

	while ((pe = find_missing(team, flags, epoch, distance, &flag, &found, call)) >= 0) {
		if (!sleep_ns)
			open = gshmemi_trace_wait(flag, GSHMEM_CMP_GE, epoch, pe, call);
		started_ns = gshmemi_wait_long(0, started_ns, flag, 8, found, GSHMEM_CMP_GE, epoch, pe, call);
		gshmemi_host_back_off(&sleep_ns);
	}
	gshmemi_trace_end(open);
}

static void own_combine(uint64_t *words, const uint64_t (*row)[GSHMEMI_SYNC_WORDS], int n, const char *call)
{
	uint64_t others[GSHMEMI_SYNC_RADIX][GSHMEMI_SYNC_WORDS];
	int i, k;

	_Static_assert(sizeof others <= GSHMEMI_DEVMEM_LOAD, "one load");
	gshmemi_devmem_load(others, row, sizeof others, call);
	for (i = 1; i < n; i++)
		for (k = 0; k < GSHMEMI_SYNC_WORDS; k++)
			words[k] &= others[i][k];
}

void gshmemi_sync_host_team(const struct gshmemi_team_view *team, uint64_t *words, const char *call)
{
	gshmemi_disseminate(team, words, 1, call); /* the callers have completed their operations */
	gshmemi_devmem_complete(call);             /* because a kernel's next barrier reads the epoch */
}

void gshmemi_host_sync_all(int quiet, const char *call)
{
	const struct gshmemi_team_view world = gshmemi_team_world();
	uint64_t open;

	GSHMEMI_ENTER_COLLECTIVE(call);
	open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);
	if (quiet)
		gshmemi_host_quiet(0, NULL, 0, call);
	else
		gshmemi_host_fence(0, call);
	gshmemi_sync_host_team(&world, NULL, call);
	gshmemi_trace_end(open);
}

#endif /* GSHMEMI_ARCH_HOST_DIRECT */
