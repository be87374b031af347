/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When memory operations are done. Without config()->late, when they are issued. With it, a vector memory
 * operation (also a load or an atomic) is done at a random time between its issue and the wait that covers
 * it. Operations of one CU on one address are done in order of issue, others in any order. The counters, and
 * the poison of registers until waits free them, work in both modes. "GFX942" and the like in comments are
 * sections of AMDGPUUsage: "Memory Model GFX942".
 */
#include "caches.h"

#include <limits.h>
#include <string.h>

enum { MAX_OUTSTANDING = 64 };

/* An operation that is issued and not done yet. */
struct late {
	struct wave *wave; /* NULL: the wave has ended */
	const struct inst *inst;
	access_done *done;
	unsigned cu;        /* of the block */
	uint64_t low, high; /* its addresses are in [low, high) */
	struct access access;
};

struct cached {
	/* n: of outstanding; ordered: by counter, how many it counts in order */
	unsigned n, ordered[3];
	struct outstanding {
		const struct inst *inst;
		struct late *late;      /* NULL: it is done */
		unsigned counters;      /* those whose waits have not covered it yet */
	} outstanding[MAX_OUTSTANDING]; /* oldest first */
};

static _Thread_local struct cached_block *blocks; /* of the calling thread's dispatch */
/* the next one to do a late operation; NULL: the first */
static _Thread_local struct cached_block *turn;

/* ---- late operations ---- */

static bool lanes_overlap(const struct late *e, const struct late *f)
{
	const struct access *a = &e->access, *b = &f->access;

	if (e->low >= f->high || f->low >= e->high)
		return false;
	for (uint64_t m = a->lanes; m; m &= m - 1) {
		uint64_t x = a->address[lowest(m)];

		if (x >= f->high || x + a->nbytes <= f->low)
			continue;
		for (uint64_t n = b->lanes; n; n &= n - 1)
			if (x - b->address[lowest(n)] < b->nbytes || b->address[lowest(n)] - x < a->nbytes)
				return true;
	}
	return false;
}

/*
 * Must f, which is older, be done before e? A write-back covers all stores that the CU issued before, of any
 * wave: see caches_wait. Otherwise only operations on one address are in order, and not loads of two waves.
 */
static bool precedes(const struct late *f, const struct late *e)
{
	enum access_kind first = f->access.kind, then = e->access.kind;

	if (f->cu != e->cu || first == ACCESS_WRITEBACK)
		return false;
	if (first == ACCESS_LOAD && then == ACCESS_LOAD && f->wave != e->wave)
		return false;
	return then == ACCESS_WRITEBACK ? first != ACCESS_LOAD : lanes_overlap(f, e);
}

static void remove_late(struct cached_block *b, struct late *e)
{
	unsigned k = 0;

	while (b->late[k] != e)
		k++;
	memmove(b->late + k, b->late + k + 1, (--b->nlate - k) * sizeof(b->late[0]));
	for (k = 0; e->wave && k < e->wave->cached->n; k++)
		if (e->wave->cached->outstanding[k].late == e)
			e->wave->cached->outstanding[k].late = NULL;
	free(e);
}

static void run_late(struct cached_block *b, struct late *e)
{
	for (unsigned k = 0, n; b->late[k] != e;) {
		n = b->nlate;
		if (precedes(b->late[k], e))
			run_late(b, b->late[k]);
		k = k + 1 - (n - b->nlate);
	}
	caches_happen(b, e->cu, &e->access);
	if (e->done && e->wave)
		e->done(e->wave, e->inst, &e->access);
	remove_late(b, e);
}

/*
 * Does a late operation of some block, and evicts some line from its caches. Blocks take turns, so that what
 * a block leaves outstanding at its end is done soon, however many blocks there are: others may wait for it.
 */
void caches_chance(struct wave *w)
{
	struct cached_block *b = w->block->cached, *other = b;

	if (!b->caches)
		return;
	if (!draw(b, 8)) {
		other = turn ? turn : blocks;
		turn = other->next;
	}
	if (other->nlate && !draw(b, 2))
		run_late(other, other->late[draw(b, other->nlate)]);
	if (!draw(b, 8))
		caches_lose_line(b);
}

static void issue(struct wave *w, const struct inst *i, const struct access *a, access_done *done)
{
	unsigned nrows = a->kind == ACCESS_LOAD ? 0 : (a->nbytes + 3) / 4 * (a->op == ATOMIC_CMPSWAP ? 2 : 1);
	struct cached_block *b = w->block->cached;
	struct late *e = malloc(sizeof(*e));

	if (!e)
		die("out of host memory");
	if (b->nlate == MAX_LATE)
		run_late(b, b->late[0]);
	e->wave = w;
	e->inst = i;
	e->done = done;
	e->cu = caches_cu(w);
	e->low = UINT64_MAX;
	e->high = 0;
	memcpy(&e->access, a, offsetof(struct access, data) + nrows * sizeof(a->data[0]));
	e->access.past = caches_levels(a->past);
	for (uint64_t m = a->lanes; m; m &= m - 1) {
		uint64_t address = a->address[lowest(m)];

		e->low = address < e->low ? address : e->low;
		e->high = address + a->nbytes > e->high ? address + a->nbytes : e->high;
	}
	b->late[b->nlate++] = e;
	w->cached->outstanding[w->cached->n - 1].late = e;
	w->moves = !draw(b, 16); /* let others see the state before it */
	w->yields = w->yields || w->moves;
	caches_chance(w);
}

void caches_access(struct wave *w, const struct inst *i, struct access *a, access_done *done)
{
	struct cached_block *b = w->block->cached;

	if (b->caches) {
		issue(w, i, a, done);
		return;
	}
	caches_happen(b, 0, a);
	if (done)
		done(w, i, a);
}

/* ---- counters ---- */

/* Forgets operations that no counter counts any more. */
static void retire(struct wave *w)
{
	struct cached *c = w->cached;
	unsigned left = 0;

	for (unsigned k = 0; k < c->n; k++)
		if (c->outstanding[k].counters & (COUNT_VM | COUNT_LGKM | COUNT_VS))
			c->outstanding[left++] = c->outstanding[k];
		else if (c->outstanding[k].counters & COUNT_FILLS)
			wave_filled(w, &c->outstanding[k].inst->op[0]);
	c->n = left;
}

/*
 * GFX90A, GFX942: a release to the group does not wait for vmcnt, because the group's waves share an L1. If a
 * wave then releases to a larger scope what it has seen of the others, its vmcnt(0) covers all stores of the
 * block, as a write-back does.
 */
static void run_stores(struct cached_block *b)
{
	for (unsigned k = 0; k < b->nlate;)
		if (b->late[k]->access.kind == ACCESS_LOAD) {
			k++;
		} else {
			run_late(b, b->late[k]);
			k = 0;
		}
}

/*
 * Of operations done in order, the newest may remain; those that may be out of order (scalar loads, flat) are
 * only certain to be done at 0. What is covered is done newest first, unless chance did it before; by chance
 * the wave waits longer in between.
 */
bool caches_wait(struct wave *w, int vmcnt, int lgkmcnt, int vscnt)
{
	const int limits[] = {vmcnt, lgkmcnt, vscnt}; /* in the order of COUNT_VM and so on */
	struct cached_block *b = w->block->cached;
	struct cached *c = w->cached;
	bool covers = b->caches != NULL;

	if (vmcnt == 0 && config()->gpu != GFX1100)
		run_stores(b);
	for (unsigned n = 0; n < 3; n++) {
		bool all = limits[n] == 0;
		unsigned left = limits[n] < 0 ? UINT_MAX : (unsigned)limits[n];

		for (unsigned k = 0; k < c->n && (all || c->ordered[n] > left); k++) {
			struct outstanding *o = &c->outstanding[k];

			if (!(o->counters >> n & 1) || (o->counters & COUNT_UNORDERED && !all))
				continue;
			o->counters &= ~(1u << n);
			c->ordered[n] -= !(o->counters & COUNT_UNORDERED);
			covers = true;
		}
	}
	for (unsigned k = c->n; b->nlate && k--;) {
		struct outstanding *o = &c->outstanding[k];

		if (!o->late || o->counters & (COUNT_VM | COUNT_VS))
			continue;
		if (!draw(b, 8))
			return false;
		run_late(b, o->late);
	}
	if (covers)
		retire(w);
	return true;
}

/*
 * A load that fills the same register as an older one is done after it: loads return in order, so LLVM does
 * not wait in between.
 */
void caches_count(struct wave *w, const struct inst *i, unsigned counters)
{
	const struct operand *x = &i->op[0];
	struct cached *c = w->cached;

	while (c->n == MAX_OUTSTANDING)
		caches_wait(w, 0, 0, 0);
	for (unsigned k = 0; w->block->cached->nlate && counters & COUNT_FILLS && k < c->n; k++) {
		struct late *e = c->outstanding[k].late;
		const struct operand *y = e && e->done ? &e->inst->op[0] : NULL;

		if (y && x->kind == y->kind && x->reg < y->reg + y->nregs && y->reg < x->reg + x->nregs)
			run_late(w->block->cached, e);
	}
	if (counters & COUNT_FILLS)
		wave_pend(w, x);
	for (unsigned k = 0; k < 3; k++)
		c->ordered[k] += counters >> k & 1 && !(counters & COUNT_UNORDERED);
	c->outstanding[c->n++] = (struct outstanding){.inst = i, .counters = counters};
}

/* ---- begin and end ---- */

void caches_wave_begin(struct wave *w)
{
	w->cached = zalloc(sizeof(*w->cached));
}

/* A wave does not wait for its stores when it ends: they stay outstanding. */
void caches_wave_end(struct wave *w)
{
	struct cached_block *b = w->block->cached;

	for (unsigned k = b->nlate; k--;)
		if (b->late[k]->wave == w && b->late[k]->access.kind == ACCESS_LOAD)
			remove_late(b, b->late[k]);
		else if (b->late[k]->wave == w)
			b->late[k]->wave = NULL;
	free(w->cached);
	w->cached = NULL;
}

static struct cached_block *make_block(const struct block *block)
{
	struct cached_block *b = zalloc(sizeof(*b));

	b->device = block->dispatch->device;
	b->next = blocks;
	b->rng = (config()->late * 4099 + block->dispatch->number) * 4099 + block->id[0] + block->id[1] * 257;
	b->rng = b->rng * UINT64_C(0x9e3779b97f4a7c15) | 1;
	caches_open(b, block->cu);
	return blocks = b;
}

void caches_block_begin(struct block *block)
{
	struct cached_block *b = blocks;

	while (b && b->used)
		b = b->next;
	block->cached = b ? b : make_block(block);
	block->cached->used = true;
}

void caches_block_end(struct block *block)
{
	block->cached->used = false;
}

void caches_acquire(int device, enum scope scope)
{
	if (config()->late && scope == SCOPE_SYSTEM)
		caches_invalidate_l2s(device);
}

void caches_release(int device, enum scope scope)
{
	if (config()->late && scope == SCOPE_SYSTEM)
		caches_write_back_l2s(device);
}

void caches_dispatch_begin(struct dispatch *d)
{
	caches_acquire(d->device, d->acquire);
}

void caches_dispatch_end(struct dispatch *d)
{
	turn = NULL;
	while (blocks) {
		struct cached_block *b = blocks;

		while (b->nlate)
			run_late(b, b->late[0]);
		blocks = b->next;
		free(b->caches);
		free(b);
	}
	caches_release(d->device, d->release);
}
