/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: their creation and destruction, and the exported calls with a context, stamped as for kernels. */
#include "team/team.h"

#include <gshmem/order/context.h>
#include <gshmem/order/team.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/scale.h"
#include "bootstrap/bootstrap.h"

#define OPTIONS (GSHMEM_CTX_SERIALIZED | GSHMEM_CTX_PRIVATE | GSHMEM_CTX_NOSTORE)

/* What the host keeps of a context and kernels do not need. */
struct entry {
	gshmem_team_t team;
	uint64_t ncreated; /* contexts that have been at this place, including this one */
};
static struct entry *entries;            /* [GSHMEM_CONTEXTS] */
static struct gshmemi_context *contexts; /* [GSHMEM_CONTEXTS]: kernels read them */
static int next; /* the place to try first, so that the number freed last is reused last */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all three */

const struct gshmemi_context *gshmemi_contexts_table(void)
{
	return contexts;
}

static uint64_t make_handle(const struct gshmemi_context *c)
{
	const bool is_slow = gshmemi_state.why &
		(GSHMEMI_WHY_CHECK | GSHMEMI_WHY_DELIVERY | GSHMEMI_WHY_CARRY | GSHMEMI_WHY_NET);
	const uint64_t index = (uint64_t)(c - contexts);
	const uint64_t handle = gshmemi_ctx_handle(index, entries[index].ncreated, c->start, c->stride);

	return c->members || is_slow ? handle & ~GSHMEMI_CTX_SAYS_ALL : handle;
}

static void fill_context(struct gshmemi_context *c, const struct gshmemi_team_view *team)
{
	c->members = team->members;
	c->npes = team->npes;
	c->start = team->start;
	c->stride = team->stride;
}

static size_t entries_nbytes(void)
{
	return (size_t)gshmemi_env.CONTEXTS * sizeof *entries;
}

static size_t contexts_nbytes(void)
{
	return (size_t)gshmemi_env.CONTEXTS * sizeof *contexts;
}

void gshmemi_contexts_scale(struct gshmemi_scale *scale)
{
	gshmemi_scale_add(scale, GSHMEMI_SCALE_PINNED, "contexts", contexts_nbytes());
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "contexts", entries_nbytes());
}

int gshmemi_contexts_open(void)
{
	const int n = gshmemi_env.CONTEXTS;
	void *table;
	int rc;

	entries = calloc(1, entries_nbytes());
	if (!entries) {
		gshmemi_error("init: %d contexts: out of memory (GSHMEM_CONTEXTS)", n);
		return -ENOMEM;
	}
	rc = gshmemi_host_allocate(contexts_nbytes(), "contexts", &table);
	if (rc)
		return rc;
	contexts = table;
	next = 1;
	entries[0].team = GSHMEM_TEAM_WORLD;
	contexts[0].npes = gshmemi_bootstrap_npes();
	contexts[0].stride = 1;
	contexts[0].handle = (uintptr_t)GSHMEM_CTX_DEFAULT;
	return 0;
}

void gshmemi_contexts_close(void)
{
	gshmemi_host_free(contexts);
	free(entries);
	contexts = NULL;
	entries = NULL;
}

/* ---- handles ---- */

int gshmemi_host_ctx_pe(gshmem_ctx_t ctx, int pe, const char *call)
{
	GSHMEMI_ENTER(call);
	return gshmemi_ctx_pe_at(ctx, pe, call, gshmemi_arch_caller());
}

/* Returns the place of a handle; a bad handle ends the job. */
static struct gshmemi_context *find_context(gshmem_ctx_t ctx, const char *call)
{
	GSHMEMI_ENTER(call);
	return &contexts[gshmemi_ctx_find(ctx, call, gshmemi_arch_caller()) - contexts];
}

void gshmemi_host_ctx_order(
	gshmem_ctx_t ctx, int is_quiet, const int *target_pes, size_t npes, const char *call)
{
	int context, pe;
	size_t i;

	if (ctx == GSHMEM_CTX_INVALID)
		return;
	context = (int)(find_context(ctx, call) - contexts);
	if (!is_quiet)
		gshmemi_host_fence(context, call);
	else if (!target_pes)
		gshmemi_host_quiet(context, NULL, 0, call);
	for (i = 0; target_pes && i < npes; i++) {
		pe = gshmemi_pe_in_world(gshmemi_ctx_pe(ctx, target_pes[i], call));
		gshmemi_host_quiet(context, &pe, 1, call);
	}
}

void gshmemi_host_ctx_session(gshmem_ctx_t ctx, long options, const gshmem_ctx_session_config_t *config,
	long config_mask, const char *call)
{
	(void)options; /* only hints: an operation is one store or load, so there is nothing to batch */
	(void)config;
	(void)config_mask;
	if (ctx != GSHMEM_CTX_INVALID)
		(void)find_context(ctx, call);
}

/* ---- creation and destruction ---- */

static int create(gshmem_team_t team, long options, gshmem_ctx_t *ctx, const char *call)
{
	const struct gshmemi_team_view *view;
	struct gshmemi_context *c = NULL;
	int i, place;

	*ctx = GSHMEM_CTX_INVALID;
	GSHMEMI_ENTER(call);
	if (team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	view = gshmemi_team_find(team, call);
	if (options & ~OPTIONS) {
		gshmemi_error("%s: options %#lx contain unknown bits", call, options);
		return -EINVAL;
	}
	pthread_mutex_lock(&lock);
	for (i = 0; !c && i < gshmemi_env.CONTEXTS; i++) {
		place = (next + i) % gshmemi_env.CONTEXTS;
		if (!contexts[place].handle)
			c = &contexts[place];
	}
	if (c) {
		next = (int)(c - contexts) + 1;
		entries[c - contexts].team = team;
		entries[c - contexts].ncreated++;
		fill_context(c, view);
		c->handle = make_handle(c);
		*ctx = (gshmem_ctx_t)(uintptr_t)c->handle;
	}
	pthread_mutex_unlock(&lock);
	if (!c)
		gshmemi_error("%s: all %d contexts are in use (GSHMEM_CONTEXTS)", call, gshmemi_env.CONTEXTS);
	return c ? 0 : -ENOSPC;
}

int gshmem_ctx_create(long options, gshmem_ctx_t *ctx)
{
	return create(GSHMEM_TEAM_WORLD, options, ctx, "gshmem_ctx_create");
}

int gshmem_team_create_ctx(gshmem_team_t team, long options, gshmem_ctx_t *ctx)
{
	return create(team, options, ctx, "gshmem_team_create_ctx");
}

static void destroy(struct gshmemi_context *c, const char *call)
{
	gshmemi_host_quiet((int)(c - contexts), NULL, 0, call);
	pthread_mutex_lock(&lock);
	c->handle = 0;
	pthread_mutex_unlock(&lock);
}

void gshmem_ctx_destroy(gshmem_ctx_t ctx)
{
	struct gshmemi_context *c;

	if (ctx == GSHMEM_CTX_INVALID)
		return;
	c = find_context(ctx, "gshmem_ctx_destroy");
	if (c == contexts) {
		gshmemi_error("gshmem_ctx_destroy: GSHMEM_CTX_DEFAULT cannot be destroyed");
		gshmemi_end(1);
	}
	destroy(c, "gshmem_ctx_destroy");
}

void gshmemi_contexts_destroy(gshmem_team_t team)
{
	bool is_its;
	int i;

	for (i = 1; i < gshmemi_env.CONTEXTS; i++) {
		pthread_mutex_lock(&lock);
		is_its = contexts[i].handle && entries[i].team == team;
		pthread_mutex_unlock(&lock);
		if (is_its)
			destroy(&contexts[i], "gshmem_team_destroy");
	}
}

int gshmem_ctx_get_team(gshmem_ctx_t ctx, gshmem_team_t *team)
{
	*team = GSHMEM_TEAM_INVALID;
	if (ctx == GSHMEM_CTX_INVALID)
		return -EINVAL;
	*team = entries[find_context(ctx, "gshmem_ctx_get_team") - contexts].team;
	return 0;
}

/* ---- the other exported calls ---- */

void gshmem_ctx_fence(gshmem_ctx_t ctx)
{
	gshmemi_host_ctx_order(ctx, 0, NULL, 0, "gshmem_ctx_fence");
}

void gshmem_ctx_quiet(gshmem_ctx_t ctx)
{
	gshmemi_host_ctx_order(ctx, 1, NULL, 0, "gshmem_ctx_quiet");
}

void gshmem_ctx_pe_quiet(gshmem_ctx_t ctx, const int *target_pes, size_t npes)
{
	if (npes)
		gshmemi_host_ctx_order(ctx, 1, target_pes, npes, "gshmem_ctx_pe_quiet");
}

void gshmem_ctx_session_start(
	gshmem_ctx_t ctx, long options, const gshmem_ctx_session_config_t *config, long config_mask)
{
	gshmemi_host_ctx_session(ctx, options, config, config_mask, "gshmem_ctx_session_start");
}

void gshmem_ctx_session_stop(gshmem_ctx_t ctx)
{
	gshmemi_host_ctx_session(ctx, 0, NULL, 0, "gshmem_ctx_session_stop");
}
