/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a team whose members alone ask for it: other PEs take no part, and the members have no barrier yet.
 * They agree on a place by a proposal, two words in the memory of the first member. A member finds it by its
 * key, a hash of the members and the caller's tag.
 *
 *   first member: takes a free place and proposes it     the others: try to take it too, and vote
 *   first member: when all have voted, says that it is   the others: keep it, or leave it and try the next
 *                 taken, or proposes the next
 *
 * The first member says something new only when all others have answered, so none of them misses a word. When
 * all have seen the last word it clears the proposal, and the others wait for that: a call that follows
 * cannot find the proposal of the one before.
 */
#include "team/team.h"

#include <gshmem/order/team.h>
#include <gshmem/wait/poll.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "heap/heap.h"
#include "op/op.h"

/* A word of a proposal: the key, the place, and what the first member says of it. */
enum saying { NOTHING, PROPOSED, TAKEN, FULL, FAILED };
#define PLACE_SHIFT 4
#define KEY_SHIFT   20

/* How the others answer: units of the sum of their votes. */
#define FOR     1ULL
#define AGAINST (1ULL << 20)
#define UNABLE  (1ULL << 40) /* this PE has an error */
#define NVOTES  (AGAINST - 1)

/* A call as its functions share it. */
struct making {
	const struct gshmemi_team_shape *shape;
	uint64_t key;
	struct gshmemi_proposal *proposal; /* here, and at the same distance on the first member */
	int first;                         /* that member, a PE of the world */
	int place;                         /* that this PE holds; -1: none */
	int rc;                            /* an error of this PE */
	const char *call;
};

static bool is_leading[GSHMEMI_NPROPOSALS]; /* the proposal is in use */
static unsigned nleading;                   /* how many are */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_free = PTHREAD_COND_INITIALIZER;

/* ---- words of the first member ---- */

/* Updates a word on the first member; returns the old one. */
static uint64_t update(const struct making *m, uint64_t *word, int op, uint64_t value)
{
	return gshmemi_host_amo(
		GSHMEMI_REGION_CONTROL, word, gshmemi_make_update(op, value, 0, 8, 1), m->first, m->call);
}

static uint64_t load(const struct making *m, uint64_t *word)
{
	return update(m, word, GSHMEMI_AMO_FETCH, 0);
}

#if GSHMEMI_ARCH_HOST_DIRECT
#define PAUSE(polls_p) gshmemi_wait_pause(polls_p, -1)
#else
#define PAUSE(polls_p) gshmemi_host_nap(polls_p)
#endif

struct patience {
	uint64_t started_ns;
	unsigned polls;
};

static void pause_poll(
	struct patience *p, const struct making *m, const uint64_t *word, uint64_t found, int pe)
{
	PAUSE(&p->polls);
	if ((p->polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
		p->started_ns = gshmemi_wait_long(
			p->polls, p->started_ns, word, 8, found, GSHMEM_CMP_NE, found, pe, m->call);
}

/* Waits until another PE (-1: several may) changes a word that was `old`; returns what it is then. */
static uint64_t await_change(const struct making *m, uint64_t *word, uint64_t old, int pe)
{
	struct patience patience = {0, 0};
	uint64_t found;

	while (found = load(m, word), found == old)
		pause_poll(&patience, m, word, found, pe);
	return found;
}

static enum saying saying_of(uint64_t word)
{
	return (enum saying)(word & ((1U << PLACE_SHIFT) - 1));
}

static int place_of(uint64_t word)
{
	return (int)(word >> PLACE_SHIFT & ((1U << (KEY_SHIFT - PLACE_SHIFT)) - 1));
}

/* ---- a place ---- */

/* Takes and fills a place. Returns whether it was free; m->rc becomes an error. */
static bool take(struct making *m, int place)
{
	if (!gshmemi_team_take_place(place, m->shape->npes))
		return false;
	m->place = place;
	m->rc = gshmemi_team_fill_place(place, m->shape);
	return true;
}

static void leave(struct making *m)
{
	if (m->place >= 0)
		gshmemi_team_leave_place(m->place);
	m->place = -1;
}

/* ---- the first member ---- */

static void take_proposal(struct making *m)
{
	unsigned i;

	pthread_mutex_lock(&lock);
	while (nleading == GSHMEMI_NPROPOSALS)
		pthread_cond_wait(&is_free, &lock);
	nleading++;
	for (i = 0; is_leading[i]; i++)
		;
	is_leading[i] = true;
	pthread_mutex_unlock(&lock);
	m->proposal = &gshmemi_heap.proposals[i];
}

static void give_back(const struct making *m)
{
	pthread_mutex_lock(&lock);
	is_leading[m->proposal - gshmemi_heap.proposals] = false;
	nleading--;
	pthread_cond_signal(&is_free);
	pthread_mutex_unlock(&lock);
}

/* Says something to all others; returns the sum of their answers. */
static uint64_t ask_all(const struct making *m, enum saying saying, int place)
{
	const uint64_t word = m->key << KEY_SHIFT | (uint64_t)place << PLACE_SHIFT | saying;
	const uint64_t nothers = (uint64_t)m->shape->npes - 1;
	uint64_t votes = 0;

	(void)update(m, &m->proposal->votes, GSHMEMI_AMO_SWAP, 0);
	(void)update(m, &m->proposal->word, GSHMEMI_AMO_SWAP, word);
	while ((votes & NVOTES) + (votes / AGAINST & NVOTES) + (votes / UNABLE) < nothers)
		votes = await_change(m, &m->proposal->votes, votes, -1);
	return votes;
}

/* Returns TAKEN, with the place, or why there is none. */
static enum saying find_place(struct making *m)
{
	uint64_t votes;
	int place = 0;

	for (;;) {
		place = gshmemi_team_find_place(place + 1, m->shape->npes);
		if (place < 0)
			return FULL;
		if (!take(m, place))
			continue; /* another thread was first */
		if (m->rc)
			return FAILED;
		votes = ask_all(m, PROPOSED, place);
		if (votes < AGAINST)
			return TAKEN;
		leave(m);
		if (votes >= UNABLE)
			return FAILED;
	}
}

static enum saying lead(struct making *m)
{
	enum saying outcome;

	take_proposal(m);
	outcome = m->rc ? FAILED : find_place(m);
	(void)ask_all(m, outcome, 0);
	(void)update(m, &m->proposal->word, GSHMEMI_AMO_SWAP, 0);
	give_back(m);
	if (outcome == FULL)
		gshmemi_team_report_full(m->shape->npes, m->call);
	return outcome;
}

/* ---- the others ---- */

/* Looks for the proposal with the key, among copies. Returns its word; 0: there is none yet. */
static uint64_t find_word(struct making *m)
{
	struct gshmemi_proposal copies[GSHMEMI_NPROPOSALS];
	uint64_t word;
	int i;

	gshmemi_host_get(GSHMEMI_REGION_SYNC, copies, gshmemi_heap.proposals,
		gshmemi_make_extent(sizeof copies, 8, 1),
		gshmemi_pe_with_context(m->first, GSHMEMI_CTX_LIBRARY), m->call);
	gshmemi_host_quiet(GSHMEMI_CTX_LIBRARY, NULL, 0, m->call);
	for (i = 0; i < GSHMEMI_NPROPOSALS; i++) {
		if (copies[i].word >> KEY_SHIFT != m->key)
			continue;
		m->proposal = &gshmemi_heap.proposals[i];
		word = load(m, &m->proposal->word); /* a get may copy words in parts */
		if (word >> KEY_SHIFT == m->key)
			return word;
	}
	return 0;
}

static uint64_t await_proposal(struct making *m)
{
	struct patience patience = {0, 0};
	uint64_t word;

	while (word = find_word(m), !word)
		pause_poll(&patience, m, &gshmemi_heap.proposals->word, 0, m->first);
	return word;
}

static enum saying follow(struct making *m)
{
	uint64_t word = await_proposal(m), vote;

	while (saying_of(word) == PROPOSED) {
		leave(m);
		vote = m->rc || take(m, place_of(word)) ? FOR : AGAINST;
		(void)update(m, &m->proposal->votes, GSHMEMI_AMO_ADD, m->rc ? UNABLE : vote);
		word = await_change(m, &m->proposal->word, word, m->first);
	}
	if (saying_of(word) != TAKEN)
		leave(m);
	(void)update(m, &m->proposal->votes, GSHMEMI_AMO_ADD, FOR);
	(void)await_change(m, &m->proposal->word, word, m->first);
	return saying_of(word);
}

/* ---- the calls ---- */

/* A hash as wide as a word of a proposal has room for; never 0. */
static uint64_t make_key(const int *pes, int npes, uint64_t tag)
{
	uint64_t hash = gshmemi_team_hash(pes, npes) ^ tag;

	hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15U;
	return hash >> KEY_SHIFT | 1;
}

int gshmemi_team_make_by_members(const int *pes, int npes, const gshmem_team_config_t *config, uint64_t tag,
	int local, const char *call, gshmem_team_t *new_team)
{
	const struct gshmemi_team_view *world = gshmemi_team_find(GSHMEM_TEAM_WORLD, call);
	struct gshmemi_team_shape shape = {.config = *config};
	struct making m = {&shape, make_key(pes, npes, tag), NULL, pes[0], -1, local, call};
	enum saying outcome;

	if (gshmemi_team_make_shape(world, pes, npes, &shape))
		gshmemi_end(1); /* the other members look for this one and cannot be told */
	outcome = shape.my_pe == 0 ? lead(&m) : follow(&m);
	gshmemi_arch_fence_acquire(); /* as after a barrier: all have come, with what they did before */
	free(shape.pes);
	if (outcome == TAKEN) {
		*new_team = gshmemi_team_at(m.place);
		return 0;
	}
	leave(&m);
	return m.rc ? m.rc : outcome == FULL ? -ENOSPC : -ECANCELED;
}

static bool is_member(const int *pes, int npes)
{
	int i;

	for (i = 0; i < npes && pes[i] != gshmemi_state.my_pe; i++)
		;
	return i < npes;
}

/*
 * Whether this PE prints what is wrong with a list: the lowest PE in it does, and one that is not in it. A
 * list with more PEs than there are is not read.
 */
static bool is_teller(const int *pes, int npes)
{
	int lowest = INT_MAX, i;

	if (!pes || npes > gshmemi_state.npes || !is_member(pes, npes))
		return true;
	for (i = 0; i < npes; i++)
		if (pes[i] >= 0 && pes[i] < lowest)
			lowest = pes[i];
	return lowest == gshmemi_state.my_pe;
}

int gshmemx_team_create_by_members(const int *pes, int npes, int tag, const gshmem_team_config_t *config,
	long config_mask, gshmem_team_t *new_team)
{
	static const char call[] = "gshmemx_team_create_by_members";
	gshmem_team_config_t own = {0};
	int rc;

	GSHMEMI_ENTER_COLLECTIVE(call);
	*new_team = GSHMEM_TEAM_INVALID;
	rc = gshmemi_team_check_pes(pes, npes, gshmemi_state.npes, is_teller(pes, npes), call);
	if (rc) /* on all members alike */
		return rc;
	if (!is_member(pes, npes)) {
		gshmemi_error("%s: PE %d is not in pes", call, gshmemi_state.my_pe);
		return -EINVAL;
	}
	rc = gshmemi_team_read_config(config, config_mask, &own, call);
	return gshmemi_team_make_by_members(pes, npes, &own, (uint32_t)tag, rc, call, new_team);
}
