/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search over the states of rpc_explore.hip: which states can be reached, and from which
 * of them an end can be reached.
 */
#ifndef RPC_EXPLORE_SEARCH_H
#define RPC_EXPLORE_SEARCH_H

#define MAX_STATES 40000000U

/* Parts of states have numbers, a state is the list of its parts' numbers. */
#define MAX_PARTS (MAX_AGENTS + MAX_SLOTS + 2)
struct slot_part {
	uint16_t word[NSLOT_WORDS];
	uint16_t line[NLINES_SLOT];
};
static numbers agent_parts, slot_parts, rest_parts;
static unsigned nparts;

static unsigned nagents(void)
{
	return cfg->nwaves + cfg->nservers;
}

/* The parts of old have their numbers already; NULL: there is no old. */
static void pack(const struct state *s, uint32_t *parts, const struct state *old, const uint32_t *old_parts)
{
	struct slot_part slot;
	unsigned i, n = 0;

	for (i = 0; i < nagents(); i++, n++) {
		if (old && !memcmp(&s->agents[i], &old->agents[i], sizeof s->agents[i]))
			parts[n] = old_parts[n];
		else
			parts[n] = agent_parts.of(&s->agents[i], sizeof s->agents[i]);
	}
	for (i = 0; i < cfg->nslots; i++) {
		if (old &&
			!memcmp(&s->word[i * NSLOT_WORDS], &old->word[i * NSLOT_WORDS], sizeof slot.word) &&
			!memcmp(&s->line[i * NLINES_SLOT], &old->line[i * NLINES_SLOT], sizeof slot.line)) {
			parts[n] = old_parts[n];
			n++;
			continue;
		}
		memcpy(slot.word, &s->word[i * NSLOT_WORDS], sizeof slot.word);
		memcpy(slot.line, &s->line[i * NLINES_SLOT], sizeof slot.line);
		parts[n++] = slot_parts.of(&slot, sizeof slot);
	}
	parts[n++] = rest_parts.of(&s->word[RING], (NWORDS - RING) * sizeof s->word[0]);
	parts[n++] = s->current | (uint32_t)s->npreemptions << 8 | (uint32_t)s->solo << 16;
	nparts = n;
}

static void unpack(const uint32_t *parts, struct state *s)
{
	struct slot_part slot;
	unsigned i, n = 0;

	memset(s, 0, sizeof *s);
	for (i = 0; i < nagents(); i++)
		memcpy(&s->agents[i], agent_parts.at(parts[n++]), sizeof s->agents[i]);
	for (i = 0; i < cfg->nslots; i++) {
		memcpy(&slot, slot_parts.at(parts[n++]), sizeof slot);
		memcpy(&s->word[i * NSLOT_WORDS], slot.word, sizeof slot.word);
		memcpy(&s->line[i * NLINES_SLOT], slot.line, sizeof slot.line);
	}
	memcpy(&s->word[RING], rest_parts.at(parts[n++]), (NWORDS - RING) * sizeof s->word[0]);
	s->current = (uint8_t)parts[n];
	s->npreemptions = (uint8_t)(parts[n] >> 8);
	s->solo = (uint8_t)(parts[n] >> 16);
}

/* States by number, in the order in which they were found. */
static std::vector<uint32_t> found; /* parts of each */
static std::vector<uint32_t> table; /* by hash: number + 1 */
static uint32_t nfound;

static struct graph graph; /* its agents are waves */

static uint32_t hash_of(const uint32_t *parts)
{
	uint64_t hash = 0;
	unsigned i;

	for (i = 0; i < nparts; i++)
		hash = (hash ^ parts[i]) * 0x9e3779b97f4a7c15U, hash ^= hash >> 29;
	return (uint32_t)hash;
}

static void grow(void)
{
	uint32_t i, at, mask;

	table.assign(table.empty() ? 1 << 16 : table.size() * 2, 0);
	mask = (uint32_t)table.size() - 1;
	for (i = 0; i < nfound; i++) {
		for (at = hash_of(&found[(size_t)i * nparts]) & mask; table[at]; at = (at + 1) & mask)
			;
		table[at] = i + 1;
	}
}

static uint32_t look_up(const struct state *s, uint32_t from, const struct state *old)
{
	uint32_t parts[MAX_PARTS], at, mask;

	pack(s, parts, old, old ? &found[(size_t)from * nparts] : NULL);
	if (nfound * 2 >= table.size())
		grow();
	mask = (uint32_t)table.size() - 1;
	for (at = hash_of(parts) & mask; table[at]; at = (at + 1) & mask)
		if (!memcmp(&found[(size_t)(table[at] - 1) * nparts], parts, nparts * sizeof parts[0]))
			return table[at] - 1;
	found.insert(found.end(), parts, parts + nparts);
	table[at] = nfound + 1;
	return nfound++;
}

static uint32_t stopped; /* positions of waves that do not go on */

static void reach(uint32_t from, const struct state *old, const struct state *s, unsigned mover)
{
	uint32_t to;

	if (violation)
		return;
	to = look_up(s, from, old);
	if (to != from)
		graph_add(&graph, from, to, mover);
}

/* ---- the steps from a state ---- */

static void arrivals(uint32_t from, const struct state *s)
{
	struct state next;
	struct buffer *b;
	unsigned a, i;

	for (a = 0; a < nagents(); a++) {
		for (i = 0; i < s->agents[a].buffer.nstores; i++) {
			if (i && s->agents[a].buffer.where[i] == s->agents[a].buffer.where[i - 1])
				continue; /* an older store to this place goes first */
			next = *s;
			b = &next.agents[a].buffer;
			arrive(&next, b->where[i], b->value[i]);
			b->nstores--;
			memmove(&b->where[i], &b->where[i + 1], (b->nstores - i) * sizeof b->where[0]);
			memmove(&b->value[i], &b->value[i + 1], (b->nstores - i) * sizeof b->value[0]);
			b->where[b->nstores] = 0;
			b->value[b->nstores] = 0;
			if (b->nstores == 0)
				run_on(&next, a, 0, -1);
			reach(from, s, &next, NO_WAVE);
		}
	}
}

/* A choice and the first step after it are one step. */
static void server_steps(uint32_t from, const struct state *s, unsigned a)
{
	const struct op op = *op_at(s->agents[a].stand[0]);
	struct state next;
	unsigned i;

	if (op.kind != CHOOSE) {
		if (is_enabled(s, a, 0)) {
			next = *s;
			step(&next, a, 0);
			reach(from, s, &next, NO_WAVE);
		}
		return;
	}
	for (i = 0; op.value >> i; i++) {
		if (!(op.value >> i & 1))
			continue;
		next = *s;
		carry_out(&next, a, 0, i);
		run_on(&next, a, 0, -1);
		if (op_at(next.agents[a].stand[0])->kind != CHOOSE && is_enabled(&next, a, 0))
			step(&next, a, 0);
		reach(from, s, &next, NO_WAVE);
	}
}

static void wave_steps(uint32_t from, const struct state *s, unsigned wave)
{
	struct state next;
	unsigned lane;

	if (s->solo != NO_WAVE && s->solo != wave)
		return;
	for (lane = 0; lane < cfg->nlanes; lane++) {
		if (!is_enabled(s, wave, lane))
			continue;
		next = *s;
		if (s->current != NO_WAVE && s->current != wave && can_go_on(s, s->current))
			next.npreemptions++;
		if (cfg->npreemptions != NO_BOUND && next.npreemptions > cfg->npreemptions)
			continue;
		step(&next, wave, lane);
		reach(from, s, &next, wave);
	}
}

static void expand(uint32_t from)
{
	struct state s, next;
	unsigned i, k;

	unpack(&found[(size_t)from * nparts], &s);
	if (s.solo != NO_WAVE && is_done(&s, s.solo))
		return;
	for (i = 0; i < cfg->nwaves; i++)
		wave_steps(from, &s, i);
	for (i = cfg->nwaves; i < nagents(); i++)
		server_steps(from, &s, i);
	arrivals(from, &s);
	if (cfg->npreemptions == NO_BOUND || s.solo != NO_WAVE)
		return;
	for (i = 0; i < cfg->nwaves; i++) {
		if (is_done(&s, i))
			continue;
		next = s;
		next.solo = (uint8_t)i;
		for (k = 0; k < cfg->nwaves * MAX_LANES; k++)
			if (k / MAX_LANES != i && k % MAX_LANES < cfg->nlanes)
				next.agents[k / MAX_LANES].stand[k % MAX_LANES] = stopped;
		next.current = NO_WAVE;
		next.npreemptions = 0;
		reach(from, &s, &next, NO_WAVE);
	}
}

/* ---- ends ---- */

struct outcome {
	char solo[64], fair[64];
};

static void find_ends(struct outcome *o)
{
	struct graph_back back = graph_turn(&graph, nfound);
	std::vector<uint8_t> reaches(nfound);
	const int bounded = cfg->npreemptions != NO_BOUND;
	uint32_t i, n;
	unsigned w, k;
	struct state s;

	snprintf(o->solo, sizeof o->solo, "ok");
	snprintf(o->fair, sizeof o->fair, bounded ? "-" : "ok");
	for (w = 0; w < cfg->nwaves; w++) {
		for (i = 0; i < nfound; i++) {
			unpack(&found[(size_t)i * nparts], &s);
			reaches[i] = (bounded && s.solo != w) || is_done(&s, w);
		}
		n = graph_count_stuck(&back, nfound, reaches.data(), w);
		if (n && o->solo[0] == 'o')
			snprintf(o->solo, sizeof o->solo, "STUCK(w%u: %u states)", w, n);
	}
	if (!bounded) {
		for (i = 0; i < nfound; i++) {
			unpack(&found[(size_t)i * nparts], &s);
			for (k = w = 0; w < cfg->nwaves; w++)
				k += (unsigned)is_done(&s, w);
			reaches[i] = k == cfg->nwaves;
		}
		n = graph_count_stuck(&back, nfound, reaches.data(), NO_WAVE);
		if (n)
			snprintf(o->fair, sizeof o->fair, "STUCK(%u states)", n);
	}
	graph_free_back(&back);
}

/* ---- a row ---- */

static void set_channel(void)
{
	memset(&channel, 0, sizeof channel);
	channel.client = memory.client;
	channel.server = memory.server;
	channel.request = memory.request;
	channel.header = memory.header;
	channel.answer = memory.answer;
	channel.page = &memory.page[0][0][0];
	channel.bell = cfg->flags & (BELL | BELL_ALONE) ? &memory.bell : NULL;
	channel.poison = &memory.poison;
	channel.posts = &memory.posts;
	channel.nslots = cfg->nslots;
	channel.lane_shift = cfg->nlanes - 1;
	channel.asleep = &memory.asleep;
	channel.flags =
		(cfg->nservers > 1 ? GSHMEMI_RPC_SHARED : 0) | (cfg->flags & NAPS ? GSHMEMI_RPC_WAKES : 0);
}

static void set_first(struct state *s)
{
	struct line zero;
	unsigned i, lane;

	memset(s, 0, sizeof *s);
	memset(&zero, 0, sizeof zero);
	zero.mask = ~0ULL;
	for (i = 0; i < NWORDS; i++)
		s->word[i] = number_of(i < RING ? cfg->first_seq : 0);
	for (i = 0; i < NLINES; i++)
		s->line[i] = (uint16_t)lines.of(&zero, sizeof zero);
	s->current = NO_WAVE;
	s->solo = NO_WAVE;
	for (i = 0; i < nagents(); i++)
		for (lane = 0; lane < nlanes_of(i); lane++)
			s->agents[i].stand[lane] = fiber_new(
				is_server(i) ? MAX_WAVES * MAX_LANES + i - cfg->nwaves : i * MAX_LANES + lane,
				is_server(i) ? server_main : wave_main);
	stopped = fiber_stopped();
	for (i = 0; i < nagents(); i++)
		run_on(s, i, 0, -1);
}

static void forget(void)
{
	numbers *const all[] = {&stands, &values, &lines, &agent_parts, &slot_parts, &rest_parts};

	for (numbers *n : all)
		n->clear();
	turns.clear();
	found.clear();
	table.clear();
	graph_clear(&graph);
	nfound = 0;
}

/* Returns 0 if everything is as expected. */
static int explore(const struct config *row, int verbose)
{
	struct outcome o = {"-", "-"};
	struct state s;
	int expected;
	uint32_t i;

	cfg = row;
	violation = NULL;
	forget();
	set_channel();
	set_first(&s);
	look_up(&s, 0, NULL);
	for (i = 0; i < nfound && !violation; i++) {
		expand(i);
		t_check(nfound < MAX_STATES, "%s: too many states", cfg->name);
	}
	if (violation) {
		expected = row->violation && !strcmp(violation, row->violation);
	} else {
		find_ends(&o);
		expected = !row->violation && (o.solo[0] == 'o') == row->solo &&
			(o.fair[0] == '-' || (o.fair[0] == 'o') == row->fair);
	}
	if (verbose || !expected)
		fprintf(verbose ? stdout : stderr,
			"%-58s %8u states | safety: %-62s | solo: %-27s | fair: %-22s | %s\n", row->name,
			nfound, violation ? violation : "ok", o.solo, o.fair,
			expected ? "as expected" : "NOT AS EXPECTED");
	fflush(stdout);
	return !expected;
}

#endif /* RPC_EXPLORE_SEARCH_H */
