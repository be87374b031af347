/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The states of net_explore.c: memory, the link, the engines without irrelevant leftovers, and
 * the positions of the programs.
 */
#ifndef NET_EXPLORE_STATE_H
#define NET_EXPLORE_STATE_H

struct config {
	const char *name;
	int is_large;
	const char *programs[SIM_PES]; /* NULL: there is no such PE */
	unsigned credit, most_credit, ncredits, nbuffers, nitems;
	uint32_t first_seq;
	unsigned flags;
};
static const struct config *cfg;

enum {
	FIFO = 1,       /* messages of a PE arrive in order */
	PROMPT = 2,     /* a send is done at the next pass */
	PAIRS = 4,      /* two things may arrive in one pass */
	TINY = 8,       /* messages have room for one of the largest records */
	HALF = 16,      /* room for two without data, which is that of one largest answer */
	ACKS_LATER = 32 /* if there are only flags, they are acknowledged in the second pass */
};

#define SMALL   16U /* bytes of the largest record's data */
#define CHUNK   16U
#define RECORD  (24U + SMALL) /* of the largest record, an answer */
#define MESSAGE (32U + (cfg->flags & TINY ? RECORD : cfg->flags & HALF ? 48 : 2 * RECORD))
#define STUCK   "STUCK"

/* ---- memory of the engines and the link: the lowest free place, so that equal states have equal bytes ---- */

#define GRAIN   64U
#define NGRAINS 640U

static struct {
	uint16_t ngrains[NGRAINS]; /* of what begins there; 0: nothing does */
	char bytes[NGRAINS * GRAIN] __attribute__((aligned(64)));
} arena;
static unsigned arena_end; /* no grain from here on has been used in this row */

static void *sim_alloc(size_t nbytes)
{
	const unsigned n = (unsigned)((nbytes + GRAIN - 1) / GRAIN);
	unsigned at = 0, i;

	for (i = 0; i < NGRAINS && i - at < n; i++)
		if (arena.ngrains[i]) {
			at = i + arena.ngrains[i];
			i = at - 1;
		}
	t_check(at + n <= NGRAINS, "%s: the arena is full", cfg->name);
	arena.ngrains[at] = (uint16_t)n;
	if (at + n > arena_end)
		arena_end = at + n;
	return arena.bytes + at * GRAIN;
}

static void sim_free(void *p)
{
	const size_t at = p ? (size_t)((char *)p - arena.bytes) / GRAIN : 0;

	if (!p)
		return;
	memset(p, 0, arena.ngrains[at] * GRAIN);
	arena.ngrains[at] = 0;
}

/* ---- states ---- */

/* Where each PE is in its program. */
static struct progress {
	uint8_t at[SIM_PES], context[SIM_PES], target[SIM_PES];
	uint8_t marked[SIM_PES]; /* operations that it had asked for at its mark */
	struct gshmemi_mark *mark[SIM_PES];
} progress;

/* A state: engines, link, memory and programs. All pointers lead into these. */
struct snapshot {
	struct sim sim;
	struct sim_watch watch;
	struct progress progress;
	unsigned arena_end;
	uint16_t ngrains[NGRAINS];
	char bytes[NGRAINS * GRAIN];
};

static void save(struct snapshot *s)
{
	s->sim = sim;
	s->watch = watch;
	s->progress = progress;
	s->arena_end = arena_end;
	memcpy(s->ngrains, arena.ngrains, sizeof s->ngrains);
	memcpy(s->bytes, arena.bytes, arena_end * GRAIN);
}

static void restore(const struct snapshot *s)
{
	sim = s->sim;
	watch = s->watch;
	progress = s->progress;
	memcpy(arena.ngrains, s->ngrains, sizeof s->ngrains);
	memcpy(arena.bytes, s->bytes, s->arena_end * GRAIN);
	memset(arena.bytes + s->arena_end * GRAIN, 0, (arena_end - s->arena_end) * GRAIN);
	arena_end = s->arena_end;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t nbytes)
{
	const char *p = data;
	uint64_t word;

	for (; nbytes >= 8; nbytes -= 8, p += 8) {
		memcpy(&word, p, 8);
		if (!word) {
			hash++; /* most words */
			continue;
		}
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	for (; nbytes; nbytes--, p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3ULL;
	return hash;
}

/* ---- what makes no difference is made the same ---- */

static void tidy_sending(struct sending *s)
{
	if (s->is_busy)
		return;
	s->item = NULL;
	s->chunk = 0;
	s->transfer.memory = NULL;
	s->transfer.nbytes = 0;
	s->transfer.tag = 0;
}

static void tidy_pool(struct pool *pool)
{
	bool is_free[16] = {false};
	struct buffer *buffer, **at = &pool->free;
	unsigned i;

	for (buffer = pool->free; buffer; buffer = buffer->next)
		is_free[buffer - pool->all] = true;
	for (i = 0; i < pool->nbuffers; i++) {
		buffer = &pool->all[i];
		if (buffer->sending.is_busy)
			buffer->next = NULL;
		if (!is_free[i])
			continue;
		memset(&buffer->sending, 0, sizeof buffer->sending);
		buffer->last_put = 0;
		*at = buffer;
		at = &buffer->next;
	}
	*at = NULL;
}

static void tidy_items(struct gshmemi_engine *e)
{
	bool is_free[16] = {false};
	struct item *item, **at = &e->free_items;
	unsigned i;

	for (item = e->free_items; item; item = item->next)
		is_free[item - e->items] = true;
	for (i = 0; i < e->config.nitems; i++) {
		if (!is_free[i])
			continue;
		memset(&e->items[i], 0, sizeof e->items[i]);
		*at = &e->items[i];
		at = &e->items[i].next;
	}
	*at = NULL;
}

static void tidy(struct gshmemi_engine *e)
{
	struct connection *c;
	unsigned i;

	memset(&e->counts, 0, sizeof e->counts);
	e->now_ns = 0;
	tidy_pool(&e->requests);
	tidy_pool(&e->responses);
	tidy_items(e);
	for (c = e->first; c; c = c->next) {
		c->heard_ns = 0;
		for (i = 0; i < GSHMEMI_NET_NCHUNKS; i++) {
			tidy_sending(&c->put_chunks[i]);
			tidy_sending(&c->get_chunks[i]);
			tidy_sending(&c->taking[i]);
			tidy_sending(&c->giving[i]);
		}
		tidy_sending(&c->ack);
	}
}

/* ---- programs ---- */

static bool is_quiet(char what)
{
	return what == 'q' || what == 'Q';
}

static int quiet_context(int pe)
{
	return cfg->programs[pe][progress.at[pe]] == 'Q' ? GSHMEMI_ENGINE_FLAGS : progress.context[pe];
}

/* The program waits; once its condition holds, it goes on. */
static void end_waits(int pe)
{
	const char what = cfg->programs[pe][progress.at[pe]];

	sim_look(pe);
	if (is_quiet(what) && progress.mark[pe] &&
		gshmemi_engine_is_over(sim_engine(pe), progress.mark[pe])) {
		progress.mark[pe] = NULL;
		sim_check_quiet(pe, quiet_context(pe), ~0U, progress.marked[pe]);
		progress.marked[pe] = 0;
		progress.at[pe]++;
	} else if ((what == 'w' && !watch.nopen[pe]) || (what == 'l' && watch.holder == pe + 1)) {
		progress.at[pe]++;
	}
}

static bool is_waiting_for_lock(int pe)
{
	const struct sim_op *op = &watch.ops[pe][watch.nops[pe]] - 1;

	return watch.nops[pe] && op->kind == SIM_LOCK && op->is_open;
}

/* Whether the program can make its next operation now. */
static bool can_ask(int pe)
{
	const char what = cfg->programs[pe][progress.at[pe]];

	return what && what != 'w' && !(is_quiet(what) && progress.mark[pe]) &&
		!(what == 'l' && is_waiting_for_lock(pe));
}

static void ask_quiet(int pe)
{
	(void)gshmemi_engine_mark(sim_engine(pe), quiet_context(pe), NULL, 0, &progress.mark[pe]);
	progress.marked[pe] = (uint8_t)watch.nops[pe];
	if (!progress.mark[pe]) {
		sim_check_quiet(pe, quiet_context(pe), ~0U, progress.marked[pe]);
		progress.marked[pe] = 0;
		progress.at[pe]++;
	}
}

/*
 * Make the next operation of a program. If there is no room the program stays where it is, but
 * the engine may have changed.
 */
static void ask_next(int pe)
{
	static const struct {
		char letter;
		int kind;
		uint32_t nbytes;
		uint64_t offset;
	} ops[] = {
		{'p', SIM_PUT, 8, 0},
		{'o', SIM_PUT, 5, 0},
		{'P', SIM_BULK, 3 * CHUNK - 3, 0},
		{'B', SIM_BULK, CHUNK, 0},
		{'s', SIM_SIGNAL, 8, 0},
		{'g', SIM_GET, 8, 8},
		{'h', SIM_GET, SMALL, 8},
		{'G', SIM_GET_BULK, 2 * CHUNK - 1, 8},
		{'b', SIM_GET_BACK, 0, 0},
		{'a', SIM_ADD, 8, 8},
		{'A', SIM_FETCH_ADD, 8, 16},
		{'x', SIM_AMO, 8, 0},
		{'X', SIM_FETCH, 4, 0},
		{'F', SIM_FLAG, 8, 0},
		{'l', SIM_LOCK, 8, 0},
		{'u', SIM_UNLOCK, 8, 0},
	};
	struct gshmemi_engine *const e = sim_engine(pe);
	const char what = cfg->programs[pe][progress.at[pe]];
	/* one lock for all, at PE 0 */
	const int target = what == 'l' || what == 'u' ? 0 : (pe + 1 + progress.target[pe]) % sim.npes;
	const uint64_t nitems = e->nitems;
	unsigned i;

	for (i = 0; i < sizeof ops / sizeof ops[0]; i++)
		if (ops[i].letter == what) {
			if (!sim_ask(pe, target, progress.context[pe], ops[i].kind, ops[i].nbytes, 0,
				    ops[i].offset))
				/* otherwise item numbers would make each attempt a new state */
				e->nitems = nitems;
			else if (what != 'l')
				progress.at[pe]++;
			return;
		}
	if (is_quiet(what)) {
		ask_quiet(pe);
		return;
	}
	if (what == 'f')
		sim_order(pe, progress.context[pe]);
	else if (what == 'r')
		gshmemi_engine_check_silence(e, 1ULL << 60);
	else if (what == '+')
		progress.target[pe]++;
	else
		progress.context[pe] = (uint8_t)(what - '0');
	progress.at[pe]++;
}

#endif /* NET_EXPLORE_STATE_H */
