/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* timeout: 300 */
/*
 * Runs the protocol of include/gshmem/rpc_slot.h and the lanes' part of rpc.h under every schedule. What is compiled
 * here are these headers, with their primitives replaced (rpc_explore_arch.h): each load, store, atomic and fence of a
 * word that both sides see is a step, and the search tries all orders of steps.
 *
 * Stores of a wave wait in a buffer, from which they reach memory in any order, but for those to one address; a release
 * fence waits until it is empty; atomics act on memory. A line of 64 bytes, header or a lane's part of a page, leaves
 * the buffer as one. Loads are in order. The server is a loop that takes, carries out and answers calls in any order.
 *
 *   safety  no request is torn, stale, or carried out twice, none changes while the server has it, no answer is wrong,
 *           no quiet is early
 *   solo    from each state, each wave that has not ended can end when nothing else moves but the server and the
 *           buffers: whatever the other waves are doing, they may stop for ever
 *   fair    from each state, all waves can end
 *
 * A switch from a wave that could go on is a preemption: one that has not ended, does not wait for its buffer, and has
 * not just found that what it polls for has not come. Where preemptions are bounded, the server's and the buffers'
 * steps are free; solo then means that the others stop at the state, after which the rest runs without bound.
 *
 * Arguments: -v prints a row for each configuration, -a adds the large ones, which need minutes and gigabytes; words
 * select rows by their names. The numbers of states depend a little on the compiler: dead values count.
 */
#define GSHMEM_ARCH_HEADER "rpc_explore_arch.h"
#define GSHMEMI_RPC_MUTANT(name) (explore_mutant == MUTANT_##name)
static enum {
	MUTANT_NONE,
	MUTANT_NO_FENCE,     /* the leader posts before its stores have arrived */
	MUTANT_NO_SYNC,      /* the leader posts before the other lanes have written */
	MUTANT_REUSE,        /* a posted call's slot is used again before it is answered */
	MUTANT_NO_PENDING,   /* a posted call's slot is not marked as the server's */
	MUTANT_LEAK,         /* a slot found to be the server's stays locked */
	MUTANT_UNLOCK_EARLY, /* the slot is unlocked before the answer */
	MUTANT_NO_SWEEP,     /* quiet does not look at the requests */
	MUTANT_NO_BARRIER,   /* a server that goes to sleep looks without waiting for the clients' stores */
	MUTANT_LOOK_FIRST    /* it looks before it says that it sleeps */
} explore_mutant;
#define gshmemi_host_rpc_wake explore_wake
#include <gshmem.h>

#include "rpc_explore_fiber.h"

/* ---- what is explored ---- */

#define MAX_WAVES   3
#define MAX_LANES   2
#define MAX_SLOTS   3
#define MAX_SERVERS 2
#define MAX_CALLS   3
#define NO_BOUND    255

enum call { NONE, SYNC_CALL, ASYNC_CALL, QUIET_CALL, TICKET_CALL };

/* Servers that are wrong, or do without something. */
enum {
	ANSWER_FIRST = 1,   /* answers before it has written the result */
	ONE_AT_A_TIME = 2,  /* takes nothing while it has a call */
	BELL_ALONE = 4,     /* reads requests only when the bell has rung */
	BELL_ORDERED = 8,   /* (client) the bell rings when the request has arrived */
	BELL_LATE = 16,     /* the bell goes down after the requests were read */
	BELL = 32,          /* there is a bell; requests are read any time, too */
	DEPENDS = 64,       /* wave 0's first call is done when wave 1's first has been */
	BUFFERED = 128,     /* the server's stores wait in a buffer, too */
	EVERY_WORD = 256,   /* each access to a page is a step */
	NAPS = 512          /* the server sleeps until a client wakes it */
};

struct config {
	const char *name;
	int is_large;
	unsigned nwaves, nslots, nlanes;
	enum call calls[MAX_WAVES][MAX_CALLS];
	int mutant;
	unsigned flags;
	unsigned nservers;
	unsigned npreemptions;
	uint32_t first_seq;
	const char *violation; /* that must be found; NULL: none may be */
	int solo, fair;        /* must hold */
};
static const struct config *cfg;

#define TORN    "the server read a torn or stale request"
#define TWICE   "a request was carried out twice"
#define CHANGED "a request changed while the server had it"
#define WRONG   "a client read a wrong answer"
#define EARLY   "quiet returned before a call posted before it was carried out"

/* ---- memory: words and lines, whose values are numbers ---- */

enum { CLIENT, SERVER, REQUEST, LOW, HIGH, NSLOT_WORDS };
enum {
	RING = MAX_SLOTS * NSLOT_WORDS,
	POSTED,    /* of the context */
	COMPLETED,
	COUNTED,   /* the server's count of completed calls */
	EXECUTED,  /* bit i: call i */
	ASLEEP,    /* servers that sleep */
	WAKES,     /* what they sleep on */
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
	struct gshmemi_rpc_context context;
	uint64_t counted, executed;
} memory __attribute__((aligned(64)));
static struct gshmemi_rpc_channel channel;

static void place_of(const void *address, unsigned *where_p, unsigned *offset_p)
{
	const char *a = (const char *)address;
	unsigned where = CONSTANT, offset = 0;
	size_t i;

#define IN(member) (a >= (const char *)&memory.member && a < (const char *)(&memory.member + 1))
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
	} else if (IN(context.posted)) {
		where = POSTED;
	} else if (IN(context.completed)) {
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

/* A line, or what is to be written to one: the bytes of mask. */
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

/* Stores that have not arrived; sorted by place, and of one place in their order. */
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
	uint8_t current;      /* the wave that a switch would preempt, NO_WAVE: none */
	uint8_t npreemptions; /* so far */
	uint8_t solo;         /* this wave alone moves from here on, NO_WAVE: all do */
};
#define NO_WAVE 15

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
	/* what the server alone reads need not be delayed */
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

/* ---- steps ---- */

/* No choice: words that nobody else accesses meanwhile; and pages by a leader or a server, as early as can be. */
static int is_quick_access(unsigned a, unsigned lane, const struct op *op)
{
	const unsigned where = op->where;

	if (where == CONSTANT || where == EXECUTED || where == COUNTED)
		return 1;
	if (where >= IS_LINE)
		return !(cfg->flags & EVERY_WORD) && lane == 0;
	if (is_server(a) && cfg->nservers == 1 && where < RING)
		return where % NSLOT_WORDS == SERVER || (op->kind == LOAD && where % NSLOT_WORDS >= LOW);
	return 0;
}

/* Whether an op goes on with no choice, and what it returns. after: the place that this lane's step accessed. */
static int is_quick(const struct state *s, unsigned a, unsigned lane, int after, uint64_t *result_p)
{
	const struct agent *agent = &s->agents[a];
	const struct op *op = op_at(agent->stand[lane]), *other;
	unsigned i;

	*result_p = 0;
	switch (op->kind) {
	case START:
	case PAUSE:
	case CLEAN:
	case FAIL:
		return 1;
	case FENCE:
		return agent->buffer.nstores == 0;
	case LOAD:
	case STORE:
	case AMO:
		return is_quick_access(a, lane, op) ||
		       (after >= IS_LINE && !(cfg->flags & EVERY_WORD) && op->where == (unsigned)after);
	case ENTER: /* with those that stand here, when the others wait elsewhere */
		for (i = 0; i < nlanes_of(a); i++) {
			other = op_at(agent->stand[i]);
			if (other->kind != ENTER && other->kind != SYNC && other->kind != BROADCAST)
				return 0;
			*result_p |= (uint64_t)(other->kind == ENTER) << i;
		}
		return 1;
	case SYNC:
	case BROADCAST:
		for (i = 0; i < nlanes_of(a); i++) {
			other = op_at(agent->stand[i]);
			if (op->cond >> i & 1 && (other->kind != op->kind || other->cond != op->cond))
				return 0;
		}
		*result_p = op_at(agent->stand[__builtin_ctzll(op->cond)])->value;
		return 1;
	default:
		return 0;
	}
}

/* Carry out an op; lanes that meet go on together. */
static void carry_out(struct state *s, unsigned a, unsigned lane, uint64_t result)
{
	struct agent *agent = &s->agents[a];
	const struct op op = *op_at(agent->stand[lane]); /* a copy: resume moves it */
	uint64_t together = 1ULL << lane;
	unsigned i;

	switch (op.kind) {
	case LOAD:
		result = load(s, a, &op);
		break;
	case STORE:
		store(s, a, &op);
		break;
	case AMO:
		result = amo(s, &op);
		break;
	case ENTER:
		together = result;
		break;
	case SYNC:
	case BROADCAST:
		together = op.cond;
		break;
	case FAIL:
		if (!violation)
			violation = (const char *)op.address;
		break;
	default:
		break;
	}
	for (i = 0; i < nlanes_of(a); i++) {
		if (together >> i & 1) {
			explore_lane = i;
			agent->stand[i] = resume(agent->stand[i], result);
		}
	}
}

/* All that needs no choice. True: the agent has found that what it polls for has not come. */
static int run_on(struct state *s, unsigned a, unsigned stepped, int after)
{
	struct agent *agent = &s->agents[a];
	int found = 1, paused = 0;
	uint64_t result;
	unsigned lane;

	while (found && !violation) {
		found = 0;
		for (lane = 0; lane < nlanes_of(a); lane++) {
			while (is_quick(s, a, lane, lane == stepped ? after : -1, &result) && !violation) {
				paused |= op_at(agent->stand[lane])->kind == PAUSE;
				carry_out(s, a, lane, result);
				found = 1;
			}
		}
	}
	return paused;
}

/* Whether a lane's op, which is not quick, could be the next step. */
static int is_enabled(const struct state *s, unsigned a, unsigned lane)
{
	const struct agent *agent = &s->agents[a];
	const struct op *op = op_at(agent->stand[lane]);

	switch (op->kind) {
	case LOAD:
	case STEP:
	case CHOOSE:
		return 1;
	case STORE:
		return !(cfg->flags & BELL_ORDERED && op->where == RING && agent->buffer.nstores &&
			 !is_server(a));
	case AMO:
		return find_store(&agent->buffer, op->where) < 0;
	case DRAINED:
		return s->agents[op->value].buffer.nstores == 0;
	default:
		return 0;
	}
}

static int is_done(const struct state *s, unsigned wave)
{
	unsigned lane;

	for (lane = 0; lane < cfg->nlanes; lane++)
		if (op_at(s->agents[wave].stand[lane])->kind != DONE)
			return 0;
	return 1;
}

static int can_go_on(const struct state *s, unsigned wave)
{
	unsigned lane;

	for (lane = 0; lane < cfg->nlanes; lane++)
		if (is_enabled(s, wave, lane))
			return 1;
	return 0;
}

/* One step of a lane, and all that follows with no choice. */
static void step(struct state *s, unsigned a, unsigned lane)
{
	const struct op *op = op_at(s->agents[a].stand[lane]);
	const int after = op->kind == LOAD || op->kind == STORE ? (int)op->where : -1;
	int paused;

	carry_out(s, a, lane, 0);
	paused = run_on(s, a, lane, after);
	if (!is_server(a) && cfg->npreemptions != NO_BOUND && s->solo == NO_WAVE)
		s->current = paused || is_done(s, a) ? NO_WAVE : (uint8_t)a;
}

/* ---- in fibers ---- */

unsigned explore_lane;

uint64_t explore_load(const void *address, unsigned nbytes)
{
	return ask(LOAD, address, nbytes, 0, 0, 0);
}

void explore_store(void *address, uint64_t value, unsigned nbytes)
{
	ask(STORE, address, nbytes, nbytes == 4 ? (uint32_t)value : value, 0, 0);
}

uint64_t explore_amo(int amo_op, void *address, uint64_t value, uint64_t cond, unsigned nbytes)
{
	return ask(AMO, address, nbytes, value, cond, amo_op);
}

void explore_fence(void)
{
	ask(FENCE, NULL, 0, 0, 0, 0);
}

/* Loops are finite: they do not count. */
void explore_pause(unsigned *polls_p)
{
	*polls_p = 1;
	ask(PAUSE, NULL, 0, 0, 0, 0);
}

uint64_t explore_enter(void)
{
	return ask(ENTER, NULL, 0, 0, 0, 0);
}

void explore_sync(uint64_t met)
{
	ask(SYNC, NULL, 0, 0, met, 0);
}

uint64_t explore_broadcast(uint64_t value, uint64_t met)
{
	return ask(BROADCAST, NULL, 0, value, met, 0);
}

static void require(int cond, const char *what)
{
	if (!cond)
		ask(FAIL, what, 0, 0, 0, 0);
}

/* Calls have numbers from 1; word i of a lane's request, and of its answer. */
#define USER_SYNC  GSHMEMI_RPC_USER
#define USER_ASYNC (GSHMEMI_RPC_USER + 1)
#define QUIET_ID   63

static unsigned id_of(unsigned wave, unsigned call)
{
	return wave * MAX_CALLS + call + 1;
}

static uint64_t request_word(unsigned id, unsigned lane, unsigned i)
{
	return id << 6 | lane << 3 | i;
}

static uint64_t answer_word(unsigned id, unsigned lane, unsigned i)
{
	return 1U << 12 | id << 6 | lane << 3 | i;
}

static int is_executed(unsigned id)
{
	return ask(LOAD, &memory.executed, 8, 0, 0, 0) >> id & 1;
}

/* ---- waves ---- */

static __attribute__((noinline)) void make_call(unsigned wave, unsigned call, unsigned lane)
{
	const enum call what = cfg->calls[wave][call];
	const unsigned id = id_of(wave, call), nwords = 6;
	struct gshmemi_rpc_result result;
	uint64_t in[8], out[8];
	unsigned i;

	if (what == QUIET_CALL) {
		gshmemi_rpc_complete_wave(&channel, 0, "explore");
		for (i = 0; i < call; i++)
			require(is_executed(id_of(wave, i)), EARLY);
		return;
	}
	for (i = 0; i < nwords; i++)
		in[i] = request_word(id, lane, i);
	if (what == SYNC_CALL) {
		result = gshmemi_rpc_words(&channel, USER_SYNC, 0, 6, in, out, 0, "explore");
		require(result.status == 0 && result.value == answer_word(id, lane, 0), WRONG);
		return;
	}
	result = gshmemi_rpc_words(&channel, USER_ASYNC, 1, 6, in, out, 0, "explore");
	if (what == TICKET_CALL) {
		i = (unsigned)gshmemi_rpc_finish(&channel, (uint32_t)result.value, (uint32_t)(result.value >> 32),
						 "explore");
		require(i == 0 && is_executed(id), EARLY);
	}
}

static void wave_main(void)
{
	const unsigned wave = fiber_now / MAX_LANES, lane = fiber_now % MAX_LANES;
	unsigned i;

	for (i = 0; i < MAX_CALLS && cfg->calls[wave][i]; i++) {
		ask(CLEAN, NULL, 0, 0, 0, 0);
		make_call(wave, i, lane);
	}
	ask(CLEAN, NULL, 0, 0, 0, 0);
}

/* ---- servers ---- */

/* A call that a server has taken. */
struct taken {
	uint32_t seq;
	uint8_t id; /* 0: none */
	uint8_t is_begun, nposts;
	uint8_t slots[MAX_SLOTS];
	uint32_t seqs[MAX_SLOTS];
};

/* The call that a slot's request is, or 0: it is none that was made. */
static __attribute__((noinline)) unsigned read_request(unsigned slot)
{
	const struct gshmemi_rpc_header *h = &channel.header[slot];
	const uint64_t called = gshmemi_arch_load(&h->lanes, 8);
	const uint32_t op = (uint32_t)gshmemi_arch_load(&h->op, 4), flags = (uint32_t)gshmemi_arch_load(&h->flags, 4);
	const int is_inline = cfg->nlanes == 1;
	unsigned id = 0, lane, i;
	uint64_t word;

	if (op == GSHMEMI_RPC_QUIET)
		return called == 1 && flags == GSHMEMI_RPC_INLINE ? QUIET_ID : 0;
	if ((op != USER_SYNC && op != USER_ASYNC) || called != all_lanes())
		return 0;
	if (flags != ((op == USER_ASYNC ? GSHMEMI_RPC_POSTED : 0) | (is_inline ? GSHMEMI_RPC_INLINE : 0)))
		return 0;
	for (lane = 0; lane < cfg->nlanes; lane++) {
		for (i = 0; i < 6; i++) {
			word = gshmemi_rpc_read_word(is_inline ? &h->arg[i] :
							 &gshmemi_rpc_page(&channel, slot)[lane * 8 + i]);
			if (!id)
				id = (unsigned)(word >> 6);
			if (word != request_word(id, lane, i))
				return 0;
		}
	}
	if (id == 0 || id > MAX_WAVES * MAX_CALLS)
		return 0;
	return (cfg->calls[(id - 1) / MAX_CALLS][(id - 1) % MAX_CALLS] == SYNC_CALL) == (op == USER_SYNC) ? id : 0;
}

static __attribute__((noinline)) void take(unsigned slot, struct taken *t)
{
	if (!gshmemi_rpc_take(&channel, slot, &t->seq)) {
		t->seq = 0;
		return;
	}
	t->id = (uint8_t)read_request(slot);
	require(t->id != 0, TORN);
	require(t->id == QUIET_ID || !is_executed(t->id), TWICE);
}

static void write_answer(unsigned slot, unsigned id)
{
	unsigned lane, i;

	if (cfg->nlanes > 1 && id != QUIET_ID)
		for (lane = 0; lane < cfg->nlanes; lane++)
			for (i = 0; i < 6; i++)
				gshmemi_rpc_write_word(&gshmemi_rpc_page(&channel, slot)[lane * 8 + i],
						       answer_word(id, lane, i));
}

/* As src/rpc/library.c: what is open when the quiet is first looked at; whether it has been answered. */
static int is_still_open(struct taken *t)
{
	unsigned slot;
	uint32_t seq;

	if (!t->is_begun && explore_mutant != MUTANT_NO_SWEEP) {
		for (slot = 0; slot < cfg->nslots; slot++) {
			if (gshmemi_rpc_is_open_post(&channel, slot, &seq)) {
				t->slots[t->nposts] = (uint8_t)slot;
				t->seqs[t->nposts++] = seq;
			}
		}
	}
	t->is_begun = 1;
	while (t->nposts && gshmemi_rpc_has_passed(&channel, t->slots[t->nposts - 1], t->seqs[t->nposts - 1])) {
		t->nposts--;
		t->slots[t->nposts] = 0;
		t->seqs[t->nposts] = 0;
	}
	return t->nposts != 0;
}

static __attribute__((noinline)) void go_on(unsigned slot, struct taken *t)
{
	const unsigned id = t->id;
	uint64_t value = answer_word(id, 0, 0);

	if (id == QUIET_ID) {
		if (is_still_open(t))
			return;
		value = ask(LOAD, &memory.counted, 8, 0, 0, 0);
	} else {
		if (cfg->flags & DEPENDS && id == id_of(0, 0) && !is_executed(id_of(1, 0)))
			return;
		require(read_request(slot) == id, CHANGED);
		require(!is_executed(id), TWICE);
		ask(AMO, &memory.executed, 8, 1ULL << id, 0, GSHMEMI_AMO_OR);
		if (cfg->calls[(id - 1) / MAX_CALLS][(id - 1) % MAX_CALLS] != SYNC_CALL)
			ask(AMO, &memory.counted, 8, 1, 0, GSHMEMI_AMO_ADD);
	}
	if (cfg->flags & ANSWER_FIRST) {
		gshmemi_rpc_give(&channel, slot, t->seq, GSHMEMI_RPC_OK, value);
		ask(STEP, NULL, 0, 0, 0, 0);
	}
	write_answer(slot, id);
	if (!(cfg->flags & ANSWER_FIRST))
		gshmemi_rpc_give(&channel, slot, t->seq, GSHMEMI_RPC_OK, value);
	memset(t, 0, sizeof *t);
}

static void take_all(struct taken *taken)
{
	unsigned slot;

	for (slot = 0; slot < cfg->nslots; slot++)
		if (!taken[slot].id)
			take(slot, &taken[slot]);
}

static __attribute__((noinline)) void by_bell(struct taken *taken)
{
	if (cfg->flags & BELL_LATE) {
		if (!gshmemi_arch_load(channel.bell, 4))
			return;
		take_all(taken);
		gshmemi_rpc_take_bell(&channel, 0);
	} else if (gshmemi_rpc_take_bell(&channel, 0)) {
		take_all(taken);
	}
}

/* As the client of the sleeping server's word does. */
void explore_wake(uint32_t *asleep)
{
	require(asleep == &memory.asleep, "another server is woken");
	ask(AMO, &memory.wakes, 4, 1, 0, GSHMEMI_AMO_ADD);
}

/*
 * As src/rpc/server.c: say so, have a fence in each client, look, and sleep until woken. The fences come one after the
 * other, each when its client's stores have arrived.
 */
static __attribute__((noinline)) void nap(struct taken *taken)
{
	const uint32_t before = (uint32_t)explore_load(&memory.wakes, 4);
	unsigned i;
	int has_any = 0;

	if (explore_mutant == MUTANT_LOOK_FIRST)
		take_all(taken);
	explore_amo(GSHMEMI_AMO_ADD, &memory.asleep, 1, 0, 4);
	for (i = 0; i < cfg->nwaves && explore_mutant != MUTANT_NO_BARRIER; i++)
		ask(DRAINED, NULL, 0, i, 0, 0);
	if (explore_mutant != MUTANT_LOOK_FIRST)
		take_all(taken);
	for (i = 0; i < cfg->nslots; i++)
		has_any |= taken[i].id;
	while (!has_any && (uint32_t)explore_load(&memory.wakes, 4) == before)
		;
	explore_amo(GSHMEMI_AMO_ADD, &memory.asleep, 0xffffffffU, 0, 4);
}

/* In any order: take a slot, bit i; go on with its call, bit MAX_SLOTS + i; look at the bell, or sleep, the last bits. */
static void server_main(void)
{
	struct taken taken[MAX_SLOTS];
	unsigned slot, may, has_any;

	memset(taken, 0, sizeof taken);
	for (;;) {
		may = has_any = 0;
		for (slot = 0; slot < cfg->nslots; slot++) {
			may |= 1U << (taken[slot].id ? MAX_SLOTS + slot : slot);
			has_any |= taken[slot].id;
		}
		if ((has_any && cfg->flags & ONE_AT_A_TIME) || cfg->flags & BELL_ALONE)
			may &= ~((1U << MAX_SLOTS) - 1);
		if (channel.bell)
			may |= 1U << 2 * MAX_SLOTS;
		if (cfg->flags & NAPS && !has_any)
			may |= 2U << 2 * MAX_SLOTS;
		slot = (unsigned)ask(CHOOSE, NULL, 0, may, 0, 0);
		if (slot < MAX_SLOTS)
			take(slot, &taken[slot]);
		else if (slot < 2 * MAX_SLOTS)
			go_on(slot - MAX_SLOTS, &taken[slot - MAX_SLOTS]);
		else if (slot == 2 * MAX_SLOTS)
			by_bell(taken);
		else
			nap(taken);
	}
}

#include "rpc_explore_search.h"

/* ---- the rows ---- */

#define S SYNC_CALL
#define A ASYNC_CALL
#define Q QUIET_CALL
#define T TICKET_CALL
static const struct config rows[] = {
	{"W1 N1 sync x3", 0, 1, 1, 2, {{S, S, S}}, 0, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W1 N1 sync x2, every word", 0, 1, 1, 2, {{S, S}}, 0, EVERY_WORD, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W1 N1 async,sync,quiet, server's stores buffered", 0, 1, 1, 2, {{A, S, Q}},
	 0, BUFFERED, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W1 N1 sync x3, one lane, numbers from 2^30 - 4", 0, 1, 1, 1, {{S, A, S}},
	 0, 0, 1, NO_BOUND, 0x3ffffffc, NULL, 1, 1},
	{"W2 N2 sync x2 each", 0, 2, 2, 2, {{S, S}, {S, S}}, 0, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W2 N2 async/sync mix", 0, 2, 2, 2, {{A, S}, {A, A}}, 0, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W2 N2 async,async,quiet | async,sync", 0, 2, 2, 2, {{A, A, Q}, {A, S}}, 0, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W2 N2 async,async,quiet | async,sync, one lane", 0, 2, 2, 1, {{A, A, Q}, {A, S}},
	 0, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W2 N2 ticket,quiet | async,quiet, from 2^30 - 1", 0, 2, 2, 1, {{T, Q}, {A, Q}},
	 0, 0, 1, NO_BOUND, 0x3fffffff, NULL, 1, 1},
	{"W2 N2 two servers, async,sync | async", 0, 2, 2, 1, {{A, S}, {A}}, 0, 0, 2, NO_BOUND, 0, NULL, 1, 1},
	{"W3 N3 async | sync | sync, 3 preemptions", 0, 3, 3, 1, {{A}, {S}, {S}}, 0, 0, 1, 3, 0, NULL, 1, 1},
	{"W3 N3 sync | async,sync | sync, 2 preemptions", 1, 3, 3, 1, {{S}, {A, S}, {S}}, 0, 0, 1, 2, 0, NULL, 1, 1},
	{"W3 N3 sync | async,sync | sync, 3 preemptions", 1, 3, 3, 1, {{S}, {A, S}, {S}}, 0, 0, 1, 3, 0, NULL, 1, 1},
	{"W3 N3 async,quiet | async | sync, 1 preemption", 0, 3, 3, 1, {{A, Q}, {A}, {S}}, 0, 0, 1, 1, 0, NULL, 1, 1},
	{"W3 N3 async,quiet | async | sync, 2 preemptions", 1, 3, 3, 1, {{A, Q}, {A}, {S}}, 0, 0, 1, 2, 0, NULL, 1, 1},
	{"W3 N3 sync | async,sync | sync, all", 1, 3, 3, 1, {{S}, {A, S}, {S}}, 0, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"control: W2 N1 (N < W)", 0, 2, 1, 2, {{S, S}, {S, S}}, 0, 0, 1, NO_BOUND, 0, NULL, 0, 1},
	{"control: W3 N2 (N < W), 3 preemptions", 0, 3, 2, 1, {{S}, {S}, {S}}, 0, 0, 1, 3, 0, NULL, 0, 1},
	{"mutant: no release fence before post", 0, 2, 2, 2, {{S, S}, {S}},
	 MUTANT_NO_FENCE, 0, 1, NO_BOUND, 0, TORN, 0, 0},
	{"mutant: leader posts without warp sync", 0, 2, 2, 2, {{S}, {S}},
	 MUTANT_NO_SYNC, 0, 1, NO_BOUND, 0, TORN, 0, 0},
	{"mutant: server answers before writing the result", 0, 2, 2, 2, {{S, S}, {S}},
	 0, ANSWER_FIRST, 1, NO_BOUND, 0, WRONG, 0, 0},
	{"mutant: async slot reused before its answer", 0, 2, 2, 2, {{A, A, A}, {S}},
	 MUTANT_REUSE, 0, 1, NO_BOUND, 0, TORN, 0, 0},
	{"mutant: async unlock without the pending bit", 0, 2, 2, 2, {{A, A, S}, {S}},
	 MUTANT_NO_PENDING, 0, 1, NO_BOUND, 0, TORN, 0, 0},
	{"mutant: pending slot collected, lock kept", 0, 2, 2, 2, {{A, A, S}, {S, S}},
	 MUTANT_LEAK, 0, 1, NO_BOUND, 0, NULL, 0, 0},
	{"mutant: unlock before the answer is seen", 0, 2, 2, 2, {{S, S}, {S, S}},
	 MUTANT_UNLOCK_EARLY, 0, 1, NO_BOUND, 0, TORN, 0, 0},
	{"mutant: quiet without a sweep of all requests", 0, 2, 2, 2, {{A, Q}, {S}},
	 MUTANT_NO_SWEEP, 0, 1, NO_BOUND, 0, EARLY, 0, 0},
	{"bell alone, ordered after the request", 0, 2, 2, 1, {{A, S}, {S}},
	 0, BELL_ALONE | BELL_ORDERED, 1, NO_BOUND, 0, NULL, 1, 1},
	{"bell alone, ordered, all stores buffered", 0, 2, 2, 1, {{A, S}, {S}},
	 0, BELL_ALONE | BELL_ORDERED | BUFFERED, 1, NO_BOUND, 0, NULL, 1, 1},
	{"mutant: bell alone, may overtake the request", 0, 2, 2, 1, {{A, S}, {S}},
	 0, BELL_ALONE, 1, NO_BOUND, 0, NULL, 0, 0},
	{"mutant: bell alone, goes down after the requests are read", 0, 2, 2, 1, {{A, S}, {S}},
	 0, BELL_ALONE | BELL_ORDERED | BELL_LATE, 1, NO_BOUND, 0, NULL, 0, 0},
	{"bell as a hint, unordered, and all requests read", 0, 2, 2, 1, {{A, S}, {S}},
	 0, BELL, 1, NO_BOUND, 0, NULL, 1, 1},
	{"server sleeps, woken without a fence in the client", 0, 2, 2, 1, {{A, S}, {S}},
	 0, NAPS, 1, NO_BOUND, 0, NULL, 1, 1},
	{"mutant: server sleeps, no membarrier", 0, 2, 2, 1, {{S}, {S}},
	 MUTANT_NO_BARRIER, NAPS, 1, NO_BOUND, 0, NULL, 0, 0},
	{"mutant: server looks before it says that it sleeps", 0, 2, 2, 1, {{S}, {S}},
	 MUTANT_LOOK_FIRST, NAPS, 1, NO_BOUND, 0, NULL, 0, 0},
	{"call that needs another wave's, any order", 0, 2, 2, 2, {{S}, {S}}, 0, DEPENDS, 1, NO_BOUND, 0, NULL, 0, 1},
	{"mutant: the same, one call at a time", 0, 2, 2, 2, {{S}, {S}},
	 0, DEPENDS | ONE_AT_A_TIME, 1, NO_BOUND, 0, NULL, 0, 0},
};
#undef S
#undef A
#undef Q
#undef T

int main(int argc, char **argv)
{
	int verbose = 0, large = 0, rc = 0, i, k, selects = 0;
	unsigned n;

#ifdef __SANITIZE_ADDRESS__
	t_skip("copies of stacks are not for AddressSanitizer");
#endif
	for (i = 1; i < argc; i++) {
		verbose |= !strcmp(argv[i], "-v");
		large |= !strcmp(argv[i], "-a");
		selects |= argv[i][0] != '-';
	}
	for (n = 0; n < sizeof rows / sizeof rows[0]; n++) {
		k = !selects;
		for (i = 1; i < argc; i++)
			k |= argv[i][0] != '-' && strstr(rows[n].name, argv[i]) != NULL;
		if (k && (!rows[n].is_large || large || selects))
			rc |= explore(&rows[n], verbose);
	}
	return rc;
}
