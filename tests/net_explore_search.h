/* SPDX-License-Identifier: BSD-3-Clause */
/* The actions that are possible in the states of net_explore.c, and the search over all states. */
#ifndef NET_EXPLORE_SEARCH_H
#define NET_EXPLORE_SEARCH_H

#include "explore_graph.h"
#include "net_explore_state.h"

#define MAX_STATES 4000000U

/* ---- actions ---- */

#define MAX_EVENTS  32
#define NO_EVENT    255
#define MAX_ACTIONS 2048

struct action {
	uint8_t pe;
	bool asks;
	uint8_t events[2]; /* indices in sim_list of what comes in one pass */
};

static const uint8_t *chosen; /* the other events */
static unsigned nchosen;
static bool is_prelude; /* no choice: the first possible one comes */

static unsigned list_events(int pe, struct sim_event *events)
{
	unsigned n = sim_list(pe, events, MAX_EVENTS), i, k = 0;

	for (i = 0; i < n && cfg->flags & PROMPT; i++)
		if (!events[i].is_done)
			events[k++] = events[i];
	return cfg->flags & PROMPT ? k : n;
}

static struct sim_event sim_choose(int pe)
{
	struct sim_event events[MAX_EVENTS];
	unsigned n, i;

	n = sim_list(pe, events, MAX_EVENTS);
	if (is_prelude && n)
		return events[0];
	for (i = 0; i < n && cfg->flags & PROMPT; i++)
		if (events[i].is_done)
			return events[i];
	n = list_events(pe, events);
	while (nchosen) {
		nchosen--;
		if (*chosen++ < n)
			return events[chosen[-1]];
	}
	return (struct sim_event){NULL, false};
}

static unsigned list_actions(struct action *actions)
{
	struct sim_event events[MAX_EVENTS];
	unsigned n = 0, nevents, i, k;
	int pe;

	for (pe = 0; pe < sim.npes; pe++) {
		if (can_ask(pe))
			actions[n++] = (struct action){(uint8_t)pe, true, {NO_EVENT, NO_EVENT}};
		actions[n++] = (struct action){(uint8_t)pe, false, {NO_EVENT, NO_EVENT}};
		nevents = list_events(pe, events);
		for (i = 0; i < nevents; i++) {
			actions[n++] = (struct action){(uint8_t)pe, false, {(uint8_t)i, NO_EVENT}};
			for (k = 0; k + 1 < nevents && cfg->flags & PAIRS; k++)
				actions[n++] = (struct action){(uint8_t)pe, false, {(uint8_t)i, (uint8_t)k}};
		}
	}
	t_check(n <= MAX_ACTIONS, "%s: too many actions", cfg->name);
	return n;
}

static void act(const struct action *a)
{
	const int pe = a->pe;

	if (a->asks) {
		ask_next(pe);
	} else {
		chosen = a->events;
		nchosen = 2;
		sim_check(gshmemi_engine_progress(sim_engine(pe)) >= 0, "PE %d: the engine fails", pe);
	}
	end_waits(pe);
	sim_check_engine(pe);
	tidy(sim_engine(pe));
}

/* ---- the search: depth first; what has been found are hashes of states ---- */

struct frame {
	struct snapshot snapshot;
	uint32_t id;
	unsigned nactions, at;
	struct action actions[MAX_ACTIONS];
};

static struct frame **frames; /* the way from the first state to here */
static size_t nframes, max_frames, most_frames;
static struct entry {
	uint64_t hash;
	uint32_t id; /* + 1 */
} * table;
static size_t table_mask; /* entries - 1; at most half of them are used */
static uint32_t nfound, nends;
static uint8_t *is_end;
static struct graph graph;

static uint64_t hash_state(void)
{
	uint64_t hash = hash_bytes(1, &sim, sizeof sim);

	hash = hash_bytes(hash, &watch, sizeof watch);
	hash = hash_bytes(hash, &progress, sizeof progress);
	return hash_bytes(hash, arena.bytes, arena_end * GRAIN) | 1;
}

/* The index of a hash in the table, or where it would go. */
static size_t place_of(uint64_t hash)
{
	size_t i = hash >> 20 & table_mask;

	while (table[i].id && table[i].hash != hash)
		i = (i + 1) & table_mask;
	return i;
}

static void set_table(size_t n)
{
	const size_t nold = table ? table_mask + 1 : 0;
	void *const old_table = table;
	const struct entry *old = old_table;
	size_t i;

	table = calloc(n, sizeof *table);
	is_end = realloc(is_end, n);
	t_check(table && is_end, "no memory");
	table_mask = n - 1;
	for (i = 0; i < nold && nfound; i++)
		if (old[i].id)
			table[place_of(old[i].hash)] = old[i];
	free(old_table);
}

/* The number of the current state; is_new: it has not been seen before. */
static uint32_t look_up(bool *is_new)
{
	const uint64_t hash = hash_state();
	size_t i;

	if (2 * (size_t)nfound > table_mask)
		set_table(4 * (table_mask + 1));
	i = place_of(hash);
	*is_new = !table[i].id;
	if (!*is_new)
		return table[i].id - 1;
	sim_check(nfound < MAX_STATES, "too many states");
	table[i].hash = hash;
	table[i].id = ++nfound;
	is_end[nfound - 1] = 0;
	return nfound - 1;
}

static bool has_ended(void)
{
	int pe;

	for (pe = 0; pe < sim.npes; pe++)
		if (cfg->programs[pe][progress.at[pe]] || !gshmemi_engine_is_idle(sim_engine(pe)))
			return false;
	return !sim.entries;
}

static void enter_state(uint32_t id)
{
	struct frame *frame;

	frames = graph_grow(frames, nframes, &max_frames, sizeof *frames);
	if (nframes == most_frames) {
		frames[nframes] = malloc(sizeof **frames);
		t_check(frames[nframes], "no memory");
		most_frames++;
	}
	frame = frames[nframes++];
	save(&frame->snapshot);
	frame->id = id;
	frame->at = 0;
	frame->nactions = list_actions(frame->actions);
}

/* The end: everything in flight has arrived, and a pass changes nothing. */
static void note_end(uint32_t id, unsigned nchanges)
{
	is_end[id] = !nchanges && has_ended();
	nends += is_end[id];
	if (is_end[id])
		sim_check_end();
}

static void search(void)
{
	static unsigned nchanges[1 << 16]; /* for each frame: actions that lead to another state */
	struct frame *frame;
	bool is_new;
	uint32_t to;

	to = look_up(&is_new);
	nchanges[0] = 0;
	enter_state(to);
	while (nframes && !sim_violation[0]) {
		frame = frames[nframes - 1];
		if (frame->at == frame->nactions) {
			restore(&frame->snapshot);
			note_end(frame->id, nchanges[nframes - 1]);
			nframes--;
			continue;
		}
		restore(&frame->snapshot);
		act(&frame->actions[frame->at++]);
		to = look_up(&is_new);
		if (to == frame->id)
			continue;
		nchanges[nframes - 1]++;
		graph_add(&graph, frame->id, to, GRAPH_ANY);
		if (is_new && !sim_violation[0]) {
			t_check(nframes < 1 << 16, "%s: too deep", cfg->name);
			nchanges[nframes] = 0;
			enter_state(to);
		}
	}
}

/* How many states there are from which no end can be reached. */
static uint32_t count_stuck(void)
{
	struct graph_back back = graph_turn(&graph, nfound);
	const uint32_t nstuck = graph_count_stuck(&back, nfound, is_end, GRAPH_ANY);

	graph_free_back(&back);
	return nstuck;
}

/* ---- a row ---- */

static void set_first(void)
{
	const struct gshmemi_engine_config config = {
		.first_seq = cfg->first_seq,
		.nbuffers = cfg->nbuffers,
		.nitems = cfg->nitems,
		.credit = cfg->credit,
		.most_credit = cfg->most_credit,
		.ncredits = cfg->ncredits,
		.small_nbytes = SMALL,
		.chunk_nbytes = CHUNK,
		.ack_passes = cfg->flags & ACKS_LATER ? 2 : 0,
	};
	int npes = 0, pe, peer;

	while (npes < SIM_PES && cfg->programs[npes])
		npes++;
	memset(&arena, 0, sizeof arena);
	memset(&progress, 0, sizeof progress);
	arena_end = 0;
	sim_begin();
	sim_open(npes, MESSAGE, &config);
	sim.is_fifo = cfg->flags & FIFO;
	for (pe = 0; pe < npes; pe++) {
		/* connect now: otherwise the time of connecting would change where connections lie */
		for (peer = 0; peer < npes; peer++)
			if (peer != pe)
				(void)find_context(gshmemi_net_connection(sim_engine(pe), peer), 0);
		tidy(sim_engine(pe));
	}
}

/* Operations before a bar in a program run in only one order. */
static void run_to_bar(int pe)
{
	unsigned at;

	do {
		at = progress.at[pe];
		if (cfg->programs[pe][at] != '|' && can_ask(pe))
			ask_next(pe);
	} while (progress.at[pe] != at);
}

static void run_prelude(void)
{
	unsigned round;
	int pe;

	is_prelude = true;
	for (round = 0; round < 100; round++)
		for (pe = 0; pe < sim.npes; pe++) {
			if (strchr(cfg->programs[pe], '|'))
				run_to_bar(pe);
			act(&(struct action){(uint8_t)pe, false, {NO_EVENT, NO_EVENT}});
		}
	for (pe = 0; pe < sim.npes; pe++)
		if (strchr(cfg->programs[pe], '|'))
			t_check(cfg->programs[pe][progress.at[pe]++] == '|', "%s: PE %d is not at the bar",
				cfg->name, pe);
	is_prelude = false;
}

/* Returns 0 if everything is right. */
static int explore(const struct config *row, bool verbose)
{
	uint32_t nstuck;

	cfg = row;
	nfound = nends = 0;
	nframes = 0;
	graph_clear(&graph);
	set_table(1 << 16);
	set_first();
	run_prelude();
	search();
	if (!sim_violation[0] && (nstuck = count_stuck()))
		sim_violate("%s: %u states cannot end", STUCK, nstuck);
	if (verbose || sim_violation[0])
		fprintf(verbose ? stdout : stderr, "%-58s %8u states %9zu steps %6u ends | %s\n", row->name,
			nfound, graph.nsteps, nends, sim_violation[0] ? sim_violation : "ok");
	fflush(stdout);
	return sim_violation[0] != 0;
}

#endif /* NET_EXPLORE_SEARCH_H */
