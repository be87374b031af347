/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/*
 * gshmemi_mail_serve (include/gshmem/wait/mail.h) is right under every schedule of waves that look at the
 * attention word and serve, beside a host that posts. Each load, store, atomic and fence is a step, and the
 * search tries all orders of steps. Stores wait in a buffer of their wave or host, from which they reach
 * memory in any order, except that those to one address stay in order. A fence waits until its buffer is
 * empty; atomics act on memory. Loads are in order.
 *
 *   safety  no mail is performed twice, out of order, or as another one; its reply is there when done counts it
 *   missed  when nothing moves any more, every mail has been performed, if a wave looked after the last had been posted
 *   fair    from each state the host can see all its mails done
 *
 * -v prints a row for each configuration; other arguments select rows by name.
 */
#define GSHMEM_ARCH_HEADER "rpc_explore_arch.h"
#define GSHMEMI_MAIL_SLOTS 2U
struct gshmemi_mailbox;
struct gshmemi_mail_last;
static int explore_perform(
	struct gshmemi_mailbox *box, unsigned slot, int is_first, struct gshmemi_mail_last *last);
#define gshmemi_mail_perform explore_perform
#include <gshmem.h>

#include "explore_graph.h"
#include "rpc_explore_fiber.h"

enum { HOST, MAX_AGENTS = 4, MAX_STORES = 6 };

struct config {
	const char *name;
	unsigned nwaves, nmails;
	/* looks of each wave; 0: until the host has seen all mails done, for which it waits */
	unsigned nlooks;
};
static const struct config *cfg;

#define WRONG  "a mail was performed twice, out of order, or as another one"
#define EARLY  "done counts a mail whose reply is not there"
#define MISSED "a mail was missed"

/* ---- memory: addresses alone are used, the values are in the states ---- */

enum place {
	ATTENTION,
	DONE_WORD,
	LOCK,
	PERFORMED,
	LOOKED,
	OVER,
	RECORD,
	REPLY = RECORD + 2,
	NWORDS = REPLY + 2
};
static struct gshmemi_mailbox box;
static uint32_t lock, performed, looked, over;

static void place_of(const void *address, unsigned *where_p, unsigned *offset_p)
{
	const void *const known[NWORDS] = {&box.attention.posted, &box.attention.done, &lock, &performed,
		&looked, &over, &box.record[0].head, &box.record[1].head, &box.reply[0], &box.reply[1]};
	unsigned i = 0;

	while (i < NWORDS && known[i] != address)
		i++;
	t_check(i < NWORDS, "an address that is not known");
	*where_p = i;
	*offset_p = 0;
}

struct store {
	uint32_t where, value;
};
struct agent {
	uint32_t stand, nstores;
	struct store stores[MAX_STORES]; /* sorted by place; those to one place stay in order */
};
struct state {
	uint32_t word[NWORDS];
	struct agent agents[MAX_AGENTS];
};
static const char *violation;

static unsigned nagents(void)
{
	return 1 + cfg->nwaves;
}

static void remove_store(struct agent *a, unsigned i)
{
	memmove(&a->stores[i], &a->stores[i + 1], (--a->nstores - i) * sizeof a->stores[0]);
	memset(&a->stores[a->nstores], 0, sizeof a->stores[0]);
}

static void add_store(struct agent *a, uint32_t where, uint32_t value)
{
	unsigned i = a->nstores++;

	t_check(i < MAX_STORES, "%s: a buffer is full", cfg->name);
	for (; i > 0 && a->stores[i - 1].where > where; i--)
		a->stores[i] = a->stores[i - 1];
	a->stores[i].where = where;
	a->stores[i].value = value;
}

static uint32_t load_word(const struct state *s, const struct agent *a, uint32_t where)
{
	uint32_t value = s->word[where], i;

	for (i = 0; i < a->nstores; i++)
		if (a->stores[i].where == where)
			value = a->stores[i].value;
	return value;
}

static int has_store(const struct agent *a, uint32_t where)
{
	uint32_t i;

	for (i = 0; i < a->nstores && a->stores[i].where != where; i++)
		;
	return i < a->nstores;
}

/* ---- in fibers ---- */

unsigned explore_lane;

uint64_t explore_load(const void *address, unsigned nbytes)
{
	return ask(LOAD, address, nbytes, 0, 0, 0);
}

void explore_store(void *address, uint64_t value, unsigned nbytes)
{
	ask(STORE, address, nbytes, value, 0, 0);
}

uint64_t explore_amo(int op, void *address, uint64_t value, uint64_t cond, unsigned nbytes)
{
	return ask(AMO, address, nbytes, value, cond, op);
}

void explore_fence(void)
{
	ask(FENCE, NULL, 0, 0, 0, 0);
}

void explore_pause(unsigned *polls_p)
{
	*polls_p = 1;
	ask(PAUSE, NULL, 0, 0, 0, 0);
}

uint64_t explore_enter(void)
{
	return 1;
}

void explore_sync(uint64_t lanes)
{
	(void)lanes;
}

uint64_t explore_broadcast(uint64_t value, uint64_t lanes)
{
	(void)lanes;
	return value;
}

static void require(int cond, const char *what)
{
	if (!cond)
		ask(FAIL, what, 0, 0, 0, 0);
}

/* Mail i holds and replies i + 1. */
static int explore_perform(
	struct gshmemi_mailbox *in, unsigned slot, int is_first, struct gshmemi_mail_last *last)
{
	const uint32_t mail = (uint32_t)gshmemi_arch_load(&in->record[slot].head, 8);

	(void)is_first;
	(void)last;
	require(gshmemi_arch_amo32(GSHMEMI_AMO_ADD, &performed, 1, 0) + 1 == mail, WRONG);
	gshmemi_arch_store(&in->reply[slot], mail, 8);
	return 1;
}

static void wave_main(void)
{
	uint64_t attention;
	unsigned i;

	for (i = 0; cfg->nlooks ? i < cfg->nlooks : !gshmemi_arch_load(&over, 4); i += cfg->nlooks != 0) {
		ask(CLEAN, NULL, 0, 0, 0, 0);
		attention = gshmemi_arch_load(&box.attention, 8);
		if ((uint32_t)attention == 2 * cfg->nmails)
			(void)gshmemi_arch_amo32(GSHMEMI_AMO_OR, &looked, 1, 0);
		if (gshmemi_mail_is_open(attention))
			gshmemi_mail_serve(&box, &lock);
		ask(CLEAN, NULL, 0, 0, 0, 0);
	}
}

/* Wait until done counts n mails; then the last one's reply must be there. */
static void await(unsigned nmails)
{
	const unsigned last = nmails - 1;
	uint32_t done;
	unsigned polls;

	while (done = (uint32_t)gshmemi_arch_load(&box.attention.done, 4), done < 2 * nmails)
		gshmemi_arch_pause(&polls);
	require(gshmemi_arch_load(&box.reply[last % GSHMEMI_MAIL_SLOTS], 8) == nmails, EARLY);
}

/* Does what gshmemi_mailbox_post does. */
static void host_main(void)
{
	unsigned i;

	for (i = 0; i < cfg->nmails; i++) {
		ask(CLEAN, NULL, 0, 0, 0, 0);
		if (i >= GSHMEMI_MAIL_SLOTS)
			await(i + 1 - GSHMEMI_MAIL_SLOTS);
		gshmemi_arch_store(&box.record[i % GSHMEMI_MAIL_SLOTS].head, i + 1, 8);
		gshmemi_arch_fence_release();
		(void)gshmemi_arch_amo32(GSHMEMI_AMO_ADD, &box.attention.posted, 2, 0);
	}
	ask(CLEAN, NULL, 0, 0, 0, 0);
	if (!cfg->nlooks)
		await(cfg->nmails);
	gshmemi_arch_store(&over, 1, 4);
	gshmemi_arch_fence_release();
}

/* ---- steps ---- */

static int is_quick(const struct agent *a, const struct op *op)
{
	return op->kind == START || op->kind == PAUSE || op->kind == CLEAN || op->kind == FAIL ||
		(op->kind == FENCE && !a->nstores);
}

static uint64_t carry_out(struct state *s, struct agent *a, const struct op *op)
{
	uint32_t old;

	switch (op->kind) {
	case LOAD:
		if (op->where == ATTENTION && op->nbytes == 8)
			return s->word[ATTENTION] | (uint64_t)s->word[DONE_WORD] << 32;
		return load_word(s, a, op->where);
	case STORE:
		add_store(a, op->where, (uint32_t)op->value);
		return 0;
	case AMO:
		old = s->word[op->where];
		s->word[op->where] =
			op->amo == GSHMEMI_AMO_ADD ? old + (uint32_t)op->value : old | (uint32_t)op->value;
		return old;
	case FAIL:
		violation = (const char *)op->address;
		return 0;
	default:
		return 0;
	}
}

/* One step, and all steps after it that leave no choice. */
static void step(struct state *s, unsigned agent, int is_begun)
{
	struct agent *a = &s->agents[agent];
	struct op op = *op_at(a->stand);

	while (!violation && (is_begun || is_quick(a, &op))) {
		is_begun = 0;
		a->stand = resume(a->stand, carry_out(s, a, &op));
		op = *op_at(a->stand);
	}
}

static int is_enabled(const struct agent *a)
{
	const struct op *op = op_at(a->stand);

	return op->kind == LOAD || op->kind == STORE || (op->kind == AMO && !has_store(a, op->where));
}

static int is_over(const struct agent *a)
{
	return op_at(a->stand)->kind == DONE;
}

/* ---- the search ---- */

static numbers states;
static struct graph graph;

static struct state state_at(uint32_t i)
{
	struct state s;

	memcpy(&s, states.at(i), sizeof s);
	return s;
}

static void reach(uint32_t from, const struct state *s)
{
	if (!violation)
		graph_add(&graph, from, states.of(s, sizeof *s), GRAPH_ANY);
}

static void expand(uint32_t from)
{
	const struct state s = state_at(from);
	struct state next;
	unsigned i, k, nmoves = 0;

	for (i = 0; i < nagents(); i++) {
		if (is_enabled(&s.agents[i])) {
			nmoves++;
			next = s;
			step(&next, i, 1);
			reach(from, &next);
		}
		for (k = 0; k < s.agents[i].nstores; k++) {
			const struct store *store = &s.agents[i].stores[k];

			if (k && store[-1].where == store->where)
				continue; /* an older store goes first */
			nmoves++;
			next = s;
			next.word[store->where] = store->value;
			remove_store(&next.agents[i], k);
			step(&next, i, 0);
			reach(from, &next);
		}
	}
	if (!nmoves && s.word[LOOKED] && s.word[PERFORMED] != cfg->nmails)
		violation = MISSED;
}

/* How many states there are from which the host cannot end. */
static unsigned count_stuck(void)
{
	const uint32_t n = (uint32_t)states.items.size();
	std::vector<uint8_t> reaches(n);
	struct graph_back back;
	unsigned nstuck;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct state s = state_at(i);

		reaches[i] = (uint8_t)is_over(&s.agents[HOST]);
	}
	back = graph_turn(&graph, n);
	nstuck = graph_count_stuck(&back, n, reaches.data(), GRAPH_ANY);
	graph_free_back(&back);
	return nstuck;
}

/* Returns 0 if everything is right. */
static int explore(const struct config *row, int verbose)
{
	unsigned i, nstuck = 0;
	struct state s;
	int is_right;

	cfg = row;
	violation = NULL;
	stands.clear();
	turns.clear();
	states.clear();
	graph_clear(&graph);
	memset(&s, 0, sizeof s);
	for (i = 0; i < nagents(); i++) {
		s.agents[i].stand = fiber_new(i, i == HOST ? host_main : wave_main);
		step(&s, i, 0);
	}
	(void)fiber_stopped; /* for the other test */
	states.of(&s, sizeof s);
	for (i = 0; i < states.items.size() && !violation; i++)
		expand(i);
	if (!violation)
		nstuck = count_stuck();
	is_right = !violation && !nstuck;
	if (verbose || !is_right)
		fprintf(verbose ? stdout : stderr, "%-48s %8zu states | %s | %u stuck | %s\n", row->name,
			states.items.size(), violation ? violation : "ok", nstuck,
			is_right ? "right" : "WRONG");
	return !is_right;
}

static const struct config rows[] = {
	{"one wave, 1 mail", 1, 1, 0},
	{"one wave, 3 mails", 1, 3, 0},
	{"two waves, 2 mails", 2, 2, 0},
	{"two waves, 3 mails, slots used again", 2, 3, 0},
	{"two waves look once, 2 mails", 2, 2, 1},
	{"two waves look twice, 2 mails", 2, 2, 2},
	{"three waves look once, 2 mails", 3, 2, 1},
};

int main(int argc, char **argv)
{
	int verbose = 0, rc = 0, i, k, selects = 0;
	unsigned n;

#ifdef __SANITIZE_ADDRESS__
	t_skip("copies of stacks are not for AddressSanitizer");
#endif
	for (i = 1; i < argc; i++) {
		verbose |= !strcmp(argv[i], "-v");
		selects |= argv[i][0] != '-';
	}
	for (n = 0; n < sizeof rows / sizeof rows[0]; n++) {
		k = !selects;
		for (i = 1; i < argc; i++)
			k |= argv[i][0] != '-' && strstr(rows[n].name, argv[i]) != NULL;
		if (k)
			rc |= explore(&rows[n], verbose);
	}
	return rc;
}
