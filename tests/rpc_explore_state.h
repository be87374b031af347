/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The states of rpc_explore.hip: memory and the buffered stores, and what a load, a
 * store and an atomic do to them.
 */
#ifndef RPC_EXPLORE_STATE_H
#define RPC_EXPLORE_STATE_H

/* ---- memory: words and lines, whose values are numbers ---- */

enum { CLIENT, SERVER, REQUEST, LOW, HIGH, NSLOT_WORDS };
enum {
	RING = MAX_SLOTS * NSLOT_WORDS,
	POSTED, /* struct gshmemi_rpc_posts */
	COMPLETED,
	COUNTED,  /* the server's count of completed calls */
	EXECUTED, /* bit i: call i */
	ASLEEP,   /* servers that sleep */
	WAKES,    /* what they sleep on */
	NWORDS,
	IS_LINE = 64, /* a place in memory: a word, or IS_LINE + a line */
	NLINES_SLOT = 1 + MAX_LANES,
	NLINES = MAX_SLOTS * NLINES_SLOT,
	CONSTANT = 255 /* poison, and what no fiber writes: 0 */
};

/* Addresses alone are used: the values are in the states. */
static struct {
	struct gshmemi_rpc_header header[MAX_SLOTS];
	uint64_t page[MAX_SLOTS][MAX_LANES][GSHMEMI_RPC_LINE];
	struct gshmemi_rpc_answer answer[MAX_SLOTS];
	uint32_t client[MAX_SLOTS], server[MAX_SLOTS], request[MAX_SLOTS];
	uint32_t bell, poison, asleep, wakes;
	struct gshmemi_rpc_posts posts;
	uint64_t counted, executed;
} memory __attribute__((aligned(64)));
static struct gshmemi_rpc_channel channel;

static void place_of(const void *address, unsigned *where_p, unsigned *offset_p)
{
	const char *a = (const char *)address;
	unsigned where = CONSTANT, offset = 0;
	size_t i;

#define IN(member)    (a >= (const char *)&memory.member && a < (const char *)(&memory.member + 1))
#define INDEX(member) ((size_t)(a - (const char *)&memory.member) / sizeof memory.member[0])
	if (IN(header)) {
		i = INDEX(header);
		where = (unsigned)(IS_LINE + i * NLINES_SLOT);
		offset = (unsigned)(a - (const char *)&memory.header[i]);
	} else if (IN(page)) {
		i = (size_t)(a - (const char *)&memory.page) / 64;
		if (cfg->nlanes == 1)
			where = (unsigned)(IS_LINE + i * NLINES_SLOT + 1);
		else
			where = (unsigned)(IS_LINE + i / MAX_LANES * NLINES_SLOT + 1 + i % MAX_LANES);
		offset = (unsigned)(a - (const char *)&memory.page) % 64;
	} else if (IN(answer)) {
		i = INDEX(answer);
		where = (unsigned)(i * NSLOT_WORDS + (a == (const char *)&memory.answer[i].low ? LOW : HIGH));
	} else if (IN(client)) {
		where = (unsigned)(INDEX(client) * NSLOT_WORDS + CLIENT);
	} else if (IN(server)) {
		where = (unsigned)(INDEX(server) * NSLOT_WORDS + SERVER);
	} else if (IN(request)) {
		where = (unsigned)(INDEX(request) * NSLOT_WORDS + REQUEST);
	} else if (IN(bell)) {
		where = RING;
	} else if (IN(posts.posted)) {
		where = POSTED;
	} else if (IN(posts.completed)) {
		where = COMPLETED;
	} else if (IN(counted)) {
		where = COUNTED;
	} else if (IN(executed)) {
		where = EXECUTED;
	} else if (IN(asleep)) {
		where = ASLEEP;
	} else if (IN(wakes)) {
		where = WAKES;
	}
#undef IN
#undef INDEX
	*where_p = where;
	*offset_p = offset;
}

/* A line, or what will be written to one: the bytes of mask. */
struct line {
	uint64_t mask;
	char bytes[64];
};
static numbers values, lines;

static uint64_t value_at(unsigned number)
{
	uint64_t value;

	memcpy(&value, values.at(number), sizeof value);
	return value;
}

static uint16_t number_of(uint64_t value)
{
	return (uint16_t)values.of(&value, sizeof value);
}

static uint16_t overlay(unsigned under, unsigned over)
{
	struct line a, b;
	unsigned i;

	memcpy(&a, lines.at(under), sizeof a);
	memcpy(&b, lines.at(over), sizeof b);
	for (i = 0; i < 64; i++)
		if (b.mask >> i & 1)
			a.bytes[i] = b.bytes[i];
	a.mask |= b.mask;
	return (uint16_t)lines.of(&a, sizeof a);
}

/* ---- states ---- */

#define MAX_AGENTS (MAX_WAVES + MAX_SERVERS)
#define MAX_STORES 10

/* Stores that have not arrived, sorted by place; those to one place stay in order. */
struct buffer {
	uint8_t nstores;
	uint8_t where[MAX_STORES];
	uint16_t value[MAX_STORES];
};

/* What moves: a wave or a server. */
struct agent {
	uint32_t stand[MAX_LANES];
	struct buffer buffer;
};

struct state {
	struct agent agents[MAX_AGENTS];
	uint16_t word[NWORDS];
	uint16_t line[NLINES];
	uint8_t current;      /* the wave that a switch would preempt; NO_WAVE: none */
	uint8_t npreemptions; /* so far */
	uint8_t solo;         /* only this wave moves from here on; NO_WAVE: all do */
};
#define NO_WAVE GRAPH_ANY

static const char *violation;

static unsigned nlanes_of(unsigned a)
{
	return a < cfg->nwaves ? cfg->nlanes : 1;
}

static int is_server(unsigned a)
{
	return a >= cfg->nwaves;
}

static uint64_t all_lanes(void)
{
	return (1ULL << cfg->nlanes) - 1;
}

static void push(struct buffer *b, unsigned where, unsigned value)
{
	unsigned i = b->nstores;

	t_check(i < MAX_STORES, "%s: a buffer is full", cfg->name);
	while (i > 0 && b->where[i - 1] > where) {
		b->where[i] = b->where[i - 1];
		b->value[i] = b->value[i - 1];
		i--;
	}
	b->where[i] = (uint8_t)where;
	b->value[i] = (uint16_t)value;
	b->nstores++;
}

/* The newest store to a place, or -1. */
static int find_store(const struct buffer *b, unsigned where)
{
	int i;

	for (i = b->nstores - 1; i >= 0; i--)
		if (b->where[i] == where)
			return i;
	return -1;
}

static void arrive(struct state *s, unsigned where, unsigned value)
{
	if (where >= IS_LINE)
		s->line[where - IS_LINE] = overlay(s->line[where - IS_LINE], value);
	else
		s->word[where] = (uint16_t)value;
}

static uint64_t load(const struct state *s, unsigned a, const struct op *op)
{
	const struct buffer *b = &s->agents[a].buffer;
	uint64_t value = 0;
	struct line line;
	unsigned number;
	int i;

	if (op->where == CONSTANT)
		return 0;
	i = find_store(b, op->where);
	if (op->where < IS_LINE)
		return value_at(i < 0 ? s->word[op->where] : b->value[i]);
	number = s->line[op->where - IS_LINE];
	if (i >= 0)
		number = overlay(number, b->value[i]);
	memcpy(&line, lines.at(number), sizeof line);
	memcpy(&value, line.bytes + op->offset, op->nbytes);
	return value;
}

static void store(struct state *s, unsigned a, const struct op *op)
{
	struct buffer *b = &s->agents[a].buffer;
	const int direct = is_server(a) && !(cfg->flags & BUFFERED);
	struct line line;
	unsigned value;
	int i;

	t_check(op->where != CONSTANT, "%s: a store to %p", cfg->name, op->address);
	if (op->where < IS_LINE) {
		value = number_of(op->value);
	} else {
		memset(&line, 0, sizeof line);
		line.mask = ((1ULL << op->nbytes) - 1) << op->offset;
		memcpy(line.bytes + op->offset, &op->value, op->nbytes);
		value = lines.of(&line, sizeof line);
		i = find_store(b, op->where);
		if (!direct && i >= 0) {
			b->value[i] = overlay(b->value[i], value);
			return;
		}
	}
	/* words that only the server reads need no delay */
	if (direct || (is_server(a) && op->where < RING && op->where % NSLOT_WORDS == SERVER))
		arrive(s, op->where, value);
	else
		push(b, op->where, value);
}

static uint64_t amo(struct state *s, const struct op *op)
{
	const uint64_t old = value_at(s->word[op->where]);
	uint64_t value = old;

	switch (op->amo) {
	case GSHMEMI_AMO_ADD:
		value = old + op->value;
		break;
	case GSHMEMI_AMO_OR:
		value = old | op->value;
		break;
	case GSHMEMI_AMO_CAS:
		if (old == op->cond)
			value = op->value;
		break;
	default:
		t_fail("%s: an unexpected atomic", cfg->name);
	}
	s->word[op->where] = number_of(op->nbytes == 4 ? (uint32_t)value : value);
	return old;
}

#endif /* RPC_EXPLORE_STATE_H */
