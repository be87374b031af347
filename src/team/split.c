/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes teams out of a parent team. All PEs of the parent must agree on places that are free on all of them.
 * They do so by barriers of the parent that carry words. That needs no memory but the parent's own; with MPI
 * each team would need a communicator.
 */
#include "team/team.h"

#include <gshmem/order/team.h>
#include <stdlib.h>

#include "heap/heap.h"

#define CONFIG_MASK GSHMEM_TEAM_NUM_CONTEXTS

/* Replaces words by the bitwise AND of the words of all PEs of the team; n is even. */
static void combine(const struct gshmemi_team_view *team, uint64_t *words, unsigned n, const char *call)
{
	unsigned i;

	_Static_assert(GSHMEMI_SYNC_WORDS == 2, "pairs");
	for (i = 0; i < n; i += GSHMEMI_SYNC_WORDS)
		gshmemi_sync_host_team(team, words + i, call);
}

uint64_t gshmemi_team_hash(const int *words, int n)
{
	uint64_t hash = 0xcbf29ce484222325U;
	int i;

	for (i = 0; i < n; i++) /* FNV-1a over words */
		hash = (hash ^ (uint32_t)words[i]) * 0x100000001b3U;
	return hash;
}

/* Whether all PEs of the parent pass the same arguments. If not, the parent's PE 0 says so. */
static bool do_agree(const struct gshmemi_team_view *parent, const int *args, int nargs, const char *names,
	const char *call)
{
	const uint64_t hash = gshmemi_team_hash(args, nargs);
	uint64_t words[2] = {hash, ~hash};

	combine(parent, words, 2, call);
	if (words[0] == ~words[1])
		return true;
	if (parent->my_pe == 0)
		gshmemi_error("%s: %s: all PEs of the parent team must pass the same", call, names);
	return false;
}

/* Returns the first of n consecutive places whose bits are set, and clears the bits; -1 if there are none. */
static int find_row(uint64_t *is_set, unsigned n)
{
	unsigned i, length = 0;

	for (i = 0; i < gshmemi_heap.nplaces && length < n; i++)
		length = is_set[i / 64] >> i % 64 & 1 ? length + 1 : 0;
	if (length < n)
		return -1;
	for (; length; length--, i--)
		is_set[(i - 1) / 64] &= ~(1ULL << (i - 1) % 64);
	return (int)i;
}

/*
 * Finds places that are free on all PEs of the parent, for teams of these shapes; -1 if there are none. All
 * PEs get the same result.
 */
static void find_places(const struct gshmemi_team_view *parent, const struct gshmemi_team_shape *shapes,
	int *places, int n, const char *call)
{
	const unsigned nwords = (gshmemi_heap.nplaces + 127) / 128 * 2;
	uint64_t *words = calloc(nwords, sizeof *words);
	int k;

	if (!words)
		gshmemi_end(1); /* the other PEs are already in the exchange and cannot be told */
	gshmemi_team_free_places(words);
	combine(parent, words, nwords, call);
	for (k = 0; k < n; k++)
		places[k] = find_row(words, gshmemi_heap_pieces(shapes[k].most));
	free(words);
}

/*
 * Makes the teams of these n shapes. For each of the n, the teams of all PEs are disjoint, and all take the
 * same place: the first ones places[0], the second ones places[1]. local is an error of this PE alone.
 * Returns 0 on all PEs, or an error on all.
 */
static int make_teams(const struct gshmemi_team_view *parent, int local,
	const struct gshmemi_team_shape *shapes, int n, gshmem_team_t **handles, const char *call)
{
	uint64_t words[2];
	int places[2], i, rc;
	bool is_mine[2], is_lost;

	do {
		find_places(parent, shapes, places, n, call);
		for (i = 0; i < n; i++) {
			if (places[i] < 0) {
				if (parent->my_pe == 0)
					gshmemi_team_report_full(shapes[i].most, call);
				return -ENOSPC;
			}
		}
		for (i = 0, rc = local, is_lost = false; i < n; i++) {
			is_mine[i] =
				shapes[i].my_pe >= 0 && gshmemi_team_take_place(places[i], shapes[i].most);
			/* another thread has taken it: try again */
			is_lost |= shapes[i].my_pe >= 0 && !is_mine[i];
			if (is_mine[i] && !rc)
				rc = gshmemi_team_fill_place(places[i], &shapes[i]);
		}
		words[0] = is_lost ? 0 : ~0ULL;
		words[1] = rc ? 0 : ~0ULL;
		/* also makes sure that all places are filled before any PE uses one */
		combine(parent, words, 2, call);
		for (i = 0; i < n; i++) {
			if (is_mine[i] && !(words[0] & words[1]))
				gshmemi_team_leave_place(places[i]);
			else if (is_mine[i])
				*handles[i] = gshmemi_team_at(places[i]);
		}
	} while (!words[0]);
	return words[1] ? 0 : rc ? rc : -ECANCELED;
}

int gshmemi_team_read_config(
	const gshmem_team_config_t *config, long mask, gshmem_team_config_t *config_p, const char *call)
{
	if (mask & ~CONFIG_MASK)
		gshmemi_error("%s: configuration mask %#lx contains unknown bits", call, mask);
	else if (mask && !config)
		gshmemi_error("%s: configuration mask %#lx, but the configuration is NULL", call, mask);
	else if (mask && config->num_contexts < 0)
		gshmemi_error("%s: num_contexts is %d, and must not be negative", call, config->num_contexts);
	else {
		config_p->num_contexts = mask ? config->num_contexts : 0;
		return 0;
	}
	return -EINVAL;
}

/* Allocates the list of npes members, which the caller fills and frees. */
static int open_shape(int npes, struct gshmemi_team_shape *shape)
{
	shape->npes = npes;
	shape->my_pe = -1;
	shape->pes = calloc((size_t)npes, sizeof *shape->pes);
	if (!shape->pes) {
		gshmemi_error("a team of %d PEs: out of memory", npes);
		return -ENOMEM;
	}
	return 0;
}

static void set_member(
	const struct gshmemi_team_view *parent, int i, int pe, struct gshmemi_team_shape *shape)
{
	shape->pes[i] = gshmemi_team_to_world(parent, pe);
	if (pe == parent->my_pe)
		shape->my_pe = i;
}

/* Fills *shape with npes PEs of the parent: first, first + stride, and so on. */
static int make_shape(const struct gshmemi_team_view *parent, int first, int stride, int npes,
	struct gshmemi_team_shape *shape)
{
	const int rc = open_shape(npes, shape);
	int i;

	for (i = 0; !rc && i < npes; i++)
		set_member(parent, i, first + i * stride, shape);
	return rc;
}

int gshmemi_team_make_shape(
	const struct gshmemi_team_view *parent, const int *pes, int npes, struct gshmemi_team_shape *shape)
{
	const int rc = open_shape(npes, shape);
	int i;

	for (i = 0; !rc && i < npes; i++)
		set_member(parent, i, pes[i], shape);
	return rc;
}

int gshmemi_team_check_pes(const int *pes, int npes, int nparent, bool tells, const char *call)
{
	int *at, i = 0, pe, rc = 0; /* at[pe]: 1 + its index in pes */

	if (!pes || npes < 1 || npes > nparent) {
		if (tells && !pes)
			gshmemi_error("%s: pes is NULL", call);
		else if (tells)
			gshmemi_error("%s: npes is %d: expected 1 to %d", call, npes, nparent);
		return -EINVAL;
	}
	at = calloc((size_t)nparent, sizeof *at);
	if (!at)
		gshmemi_end(1); /* the other PEs are already in the exchange and cannot be told */
	for (i = 0; i < npes && !rc; i++) {
		pe = pes[i];
		rc = pe < 0 || pe >= nparent || at[pe] ? -EINVAL : 0;
		if (rc && tells && (pe < 0 || pe >= nparent))
			gshmemi_error("%s: pes[%d] is %d: expected 0 to %d", call, i, pe, nparent - 1);
		else if (rc && tells)
			gshmemi_error("%s: pes[%d] and pes[%d] are both %d", call, at[pe] - 1, i, pe);
		else if (!rc)
			at[pe] = i + 1;
	}
	free(at);
	return rc;
}

int gshmemx_team_create(gshmem_team_t parent_team, const int *pes, int npes,
	const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team)
{
	static const char call[] = "gshmemx_team_create";
	struct gshmemi_team_shape shape = {.most = npes};
	const struct gshmemi_team_view *parent;
	int counts[2], rc;

	GSHMEMI_ENTER_COLLECTIVE(call);
	*new_team = GSHMEM_TEAM_INVALID;
	if (parent_team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	parent = gshmemi_team_find(parent_team, call);
	counts[0] = npes;
	counts[1] = pes && npes > 0 && npes <= parent->npes;
	if (!do_agree(parent, counts, 2, "pes, npes", call) ||
		(counts[1] && !do_agree(parent, pes, npes, "pes, npes", call)))
		return -EINVAL;
	rc = gshmemi_team_check_pes(pes, npes, parent->npes, parent->my_pe == 0, call);
	if (rc)
		return rc;
	rc = gshmemi_team_read_config(config, config_mask, &shape.config, call);
	rc = rc ? rc : gshmemi_team_make_shape(parent, pes, npes, &shape);
	rc = make_teams(parent, rc, &shape, 1, &new_team, call);
	free(shape.pes);
	return rc;
}

static bool is_part(const struct gshmemi_team_view *parent, int start, int stride, int size)
{
	const int64_t last = start + (int64_t)stride * (size - 1);

	return size > 0 && (stride || size == 1) && start >= 0 && start < parent->npes && last >= 0 &&
		last < parent->npes;
}

int gshmem_team_split_strided(gshmem_team_t parent_team, int start, int stride, int size,
	const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team)
{
	static const char call[] = "gshmem_team_split_strided";
	const int args[3] = {start, stride, size};
	struct gshmemi_team_shape shape = {.most = size};
	const struct gshmemi_team_view *parent;
	int rc;

	GSHMEMI_ENTER_COLLECTIVE(call);
	*new_team = GSHMEM_TEAM_INVALID;
	if (parent_team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	parent = gshmemi_team_find(parent_team, call);
	if (!do_agree(parent, args, 3, "start, stride, size", call))
		return -EINVAL;
	if (!is_part(parent, start, stride, size)) {
		if (parent->my_pe == 0)
			gshmemi_error("%s: start %d, stride %d, size %d: not within a team of %d PEs", call,
				start, stride, size, parent->npes);
		return -EINVAL;
	}
	rc = gshmemi_team_read_config(config, config_mask, &shape.config, call);
	rc = rc ? rc : make_shape(parent, start, stride, size, &shape);
	rc = make_teams(parent, rc, &shape, 1, &new_team, call);
	free(shape.pes);
	return rc;
}

int gshmem_team_split_2d(gshmem_team_t parent_team, int xrange, const gshmem_team_config_t *xaxis_config,
	long xaxis_mask, gshmem_team_t *xaxis_team, const gshmem_team_config_t *yaxis_config, long yaxis_mask,
	gshmem_team_t *yaxis_team)
{
	static const char call[] = "gshmem_team_split_2d";
	gshmem_team_t *handles[2] = {xaxis_team, yaxis_team};
	struct gshmemi_team_shape shapes[2] = {{0}, {0}};
	const struct gshmemi_team_view *parent;
	int npes, x, y, rc;

	GSHMEMI_ENTER_COLLECTIVE(call);
	*xaxis_team = *yaxis_team = GSHMEM_TEAM_INVALID;
	if (parent_team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	parent = gshmemi_team_find(parent_team, call);
	if (!do_agree(parent, &xrange, 1, "xrange", call))
		return -EINVAL;
	if (xrange < 1) {
		if (parent->my_pe == 0)
			gshmemi_error("%s: xrange is %d, but must be at least 1", call, xrange);
		return -EINVAL;
	}
	npes = parent->npes;
	xrange = xrange < npes ? xrange : npes;
	shapes[0].most = xrange;
	shapes[1].most = (npes + xrange - 1) / xrange;
	x = parent->my_pe % xrange;
	y = parent->my_pe / xrange;
	rc = gshmemi_team_read_config(xaxis_config, xaxis_mask, &shapes[0].config, call);
	rc = rc ? rc : gshmemi_team_read_config(yaxis_config, yaxis_mask, &shapes[1].config, call);
	rc = rc ? rc
		: make_shape(parent, y * xrange, 1, npes - y * xrange < xrange ? npes - y * xrange : xrange,
			  &shapes[0]);
	rc = rc ? rc : make_shape(parent, x, xrange, (npes - x + xrange - 1) / xrange, &shapes[1]);
	rc = make_teams(parent, rc, shapes, 2, handles, call);
	if (rc)
		*xaxis_team = *yaxis_team = GSHMEM_TEAM_INVALID;
	free(shapes[0].pes);
	free(shapes[1].pes);
	return rc;
}
