/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What memory shows when. Without config()->late, in program order. With it, by chance any order and staleness that
 * LLVM's memory model lets hardware have; "GFX942" and the like in comments are its sections of AMDGPUUsage, "Memory
 * Model GFX942":
 *  - a vector memory operation happens between its issue and the wait that covers it, loads and atomics, too: those of
 *    a CU and one address in order of issue, others in any order;
 *  - levels of caches: next to a CU (L1 of gfx9, L0 of gfx1100: near), gfx1100's L1 (far), scalar, and gfx9's L2. Each
 *    keeps what it has read until it is invalidated; L2 keeps stores until they are written back. struct access says
 *    which levels an instruction passes by. LLVM knows no write-back of gfx1100's L2, so that it counts as memory.
 * The counters, and the poison of registers that waits free, work in both modes.
 */
#include "sim.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, NLINES = 128, MAX_L2S = 2, MAX_OUTSTANDING = 64, MAX_LATE = 64, NRANGES = 4 };

__extension__ typedef unsigned __int128 line_bits; /* one for each byte of a line */

struct line {
	uint64_t tag;	 /* its address; 0: empty */
	line_bits dirty; /* bytes that memory does not have; L2 only */
	bool valid;	 /* its other bytes are a copy of memory */
	_Alignas(8) char data[LINE];
};

/* One level. What it does not have comes from behind it; behind is NULL: from memory. */
struct cache {
	unsigned level; /* CACHE_* */
	struct cache *behind;
	struct line line[NLINES];
};

/* An operation that was issued and has not happened. */
struct late {
	struct wave *wave; /* NULL: it has ended */
	const struct inst *inst;
	access_done *done;
	unsigned cu;	    /* of the block */
	uint64_t low, high; /* addresses lie in [low, high) */
	struct access access;
};

/*
 * What a block has. It outlives the block: with late memory the next one finds its stale lines, and stores on their
 * way.
 */
struct cached_block {
	struct range ranges[NRANGES]; /* found last */
	unsigned next_range;
	int device;
	unsigned l2; /* which of the device's its CU has */
	bool used;
	uint64_t rng;
	struct late *late[MAX_LATE]; /* oldest first */
	unsigned nlate;
	struct caches {
		struct cache near[2], far, scalar; /* near: of a WGP's two CUs */
	} *caches; /* NULL: memory is in program order */
	struct cached_block *next;
};

struct cached {
	unsigned n, ordered[3]; /* of each counter: those in order that it counts */
	struct outstanding {
		const struct inst *inst;
		struct late *late; /* NULL: it has happened */
		unsigned counters; /* whose waits have not covered it */
	} outstanding[MAX_OUTSTANDING]; /* oldest first */
};

static pthread_mutex_t l2_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cache l2s[MAX_DEVICES][MAX_L2S];
static _Thread_local struct cached_block *blocks; /* of the calling thread's dispatch */

static unsigned draw(struct cached_block *b, unsigned n)
{
	return (unsigned)(random_next(&b->rng) >> 33) % n;
}

/* GFX942: an agent has one L2, or several (which depends on how the device is partitioned). Odd seeds have two. */
static bool has_two_l2s(void)
{
	return config()->gpu == GFX942 && config()->late % 2;
}

/* An L2 need not give up what it keeps before it is told to. With every third seed it does not. */
static bool lines_leave_l2(void)
{
	return config()->late % 3 != 0;
}

/* ---- memory itself: aligned words whole ---- */

/* Compilers make one move of a copy of 8, 4 or 2 bytes. */
static void move_words(uint64_t address, unsigned nbytes, void *data, bool store)
{
	char *at = memory_host(address), *to = store ? at : data, *from = store ? data : at;

	for (unsigned n, k = 0; k < nbytes; k += n) {
		for (n = 8; n > nbytes - k || ((uintptr_t)at + k) & (n - 1);)
			n /= 2;
		if (n == 8)
			memcpy(to + k, from + k, 8);
		else if (n == 4)
			memcpy(to + k, from + k, 4);
		else if (n == 2)
			memcpy(to + k, from + k, 2);
		else
			to[k] = from[k];
	}
}

union number {
	uint64_t bits;
	float f;
	double d;
};

/* Numbers of 32 bits are zero-extended. */
static uint64_t combine(uint64_t old, unsigned nbytes, enum atomic_op op, uint64_t x, uint64_t compare)
{
	int64_t a = nbytes == 4 ? (int32_t)old : (int64_t)old, b = nbytes == 4 ? (int32_t)x : (int64_t)x;
	union number u = {old}, v = {x};

	switch (op) {
	case ATOMIC_ADD: return old + x;
	case ATOMIC_SUB: return old - x;
	case ATOMIC_AND: return old & x;
	case ATOMIC_OR: return old | x;
	case ATOMIC_XOR: return old ^ x;
	case ATOMIC_SWAP: return x;
	case ATOMIC_CMPSWAP: return old == compare ? x : old;
	case ATOMIC_SMIN: return a < b ? old : x;
	case ATOMIC_UMIN: return old < x ? old : x;
	case ATOMIC_SMAX: return a > b ? old : x;
	case ATOMIC_UMAX: return old > x ? old : x;
	default: return nbytes == 8 ? (union number){.d = u.d + v.d}.bits : (union number){.f = u.f + v.f}.bits;
	}
}

#define APPLY(type, at) \
	do { \
		type old = __atomic_load_n((type *)(at), __ATOMIC_SEQ_CST), new; \
		do \
			new = (type)combine(old, sizeof(type), op, (type)operand, (type)compare); \
		while (!__atomic_compare_exchange_n((type *)(at), &old, new, false, \
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
		return old; \
	} while (0)

uint64_t atomic_apply(void *at, unsigned nbytes, enum atomic_op op, uint64_t operand, uint64_t compare)
{
	if (nbytes == 8)
		APPLY(uint64_t, at);
	APPLY(uint32_t, at);
}

static const struct range *find_range(struct cached_block *b, uint64_t address)
{
	struct range found;

	for (unsigned k = 0; k < NRANGES; k++)
		if (address - b->ranges[k].base < b->ranges[k].nbytes)
			return &b->ranges[k];
	if (!memory_find(address, &found))
		return NULL;
	b->next_range = (b->next_range + 1) % NRANGES;
	b->ranges[b->next_range] = found;
	return &b->ranges[b->next_range];
}

const struct range *caches_range(struct wave *w, uint64_t address)
{
	return find_range(w->block->cached, address);
}

/* ---- lines ---- */

static struct line *slot(struct cache *cache, uint64_t address)
{
	return &cache->line[(address / LINE ^ address / LINE / NLINES) % NLINES];
}

/* NULL: the cache does not have it. */
static struct line *lookup(struct cache *cache, uint64_t address)
{
	struct line *line = slot(cache, address);

	return line->tag == address / LINE * LINE ? line : NULL;
}

/* Write back: words that were stored whole, whole. */
static void clean(struct line *line)
{
	for (unsigned k = 0, n; k < LINE && line->dirty; k += n) {
		bool dirty = line->dirty >> k & 1;

		for (n = 1; k + n < LINE && (line->dirty >> (k + n) & 1) == dirty;)
			n++;
		if (dirty)
			move_words(line->tag + k, n, line->data + k, true);
	}
	line->dirty = 0;
}

static void invalidate(struct cache *cache)
{
	for (unsigned k = 0; k < NLINES; k++)
		cache->line[k].valid = false;
}

/* The line, perhaps neither valid nor dirty; another that was in its place is written back. */
static struct line *install(struct cache *cache, uint64_t address)
{
	struct line *line = slot(cache, address);
	uint64_t tag = address / LINE * LINE;

	if (line->tag == tag)
		return line;
	clean(line);
	line->tag = tag;
	line->valid = false;
	return line;
}

/* ---- L2, under l2_lock ---- */

/*
 * How an L2 treats memory. RW: it keeps stores until they are written back; its lines never are stale, as probes of
 * other writers invalidate them. NC: it keeps stores, and stale lines. UNCACHED: neither (MTYPE UC; CC, which writes
 * through). GFX90A: local coarse RW, remote coarse NC, local fine CC, remote fine and the host's UC. GFX942: RW if
 * local to the L2, else NC, fine or not; the host's is UC over PCIe, and NC where GPU and CPU share memory: that shows
 * more.
 */
enum mtype { RW, NC, UNCACHED };

static enum mtype find_mtype(struct cached_block *b, uint64_t address)
{
	const struct range *r = find_range(b, address);
	enum gpu gpu = config()->gpu;
	bool local = r && r->device == b->device;

	if (!r || r->kind == MEMORY_UNCACHED || gpu == GFX1100 || (gpu == GFX90A && r->kind != MEMORY_COARSE))
		return UNCACHED;
	/* A device's memory is local to its L2s by pages. */
	return local && (!has_two_l2s() || (address >> 12) % MAX_L2S == b->l2) ? RW : NC;
}

static struct cache *l2_of(const struct cached_block *b)
{
	return &l2s[b->device][b->l2];
}

/* CACHE_L2_AGENT is what other L2s of the agent may have changed, if there are any. */
static unsigned find_levels(unsigned past)
{
	return past & CACHE_L2_AGENT && has_two_l2s() ? past | CACHE_L2 : past;
}

/* ---- any level; of those in past copies of memory are not used, while what they have stored is newer ---- */

static char *read_line(struct cached_block *b, struct cache *cache, uint64_t address, unsigned past)
{
	struct line *line = install(cache, address);
	char new[LINE];

	if (line->valid && !(past & cache->level) && (cache->behind || find_mtype(b, address) == NC))
		return line->data;
	if (cache->behind)
		memcpy(new, read_line(b, cache->behind, address, past), LINE);
	else
		move_words(line->tag, LINE, new, false);
	for (unsigned k = 0; line->dirty && k < LINE; k++)
		if (line->dirty >> k & 1)
			new[k] = line->data[k];
	memcpy(line->data, new, LINE);
	line->valid = true;
	return line->data;
}

/* nbytes of one line, into every level. L2 may keep them from memory. */
static void write_line(struct cached_block *b, struct cache *cache, uint64_t address, unsigned nbytes, unsigned past,
	char *from)
{
	bool keep = !cache->behind && !(past & cache->level) && find_mtype(b, address) != UNCACHED;
	struct line *line = keep ? install(cache, address) : lookup(cache, address);
	line_bits bytes = ~(line_bits)0 >> (LINE - nbytes) << address % LINE;

	if (line) {
		memcpy(line->data + address % LINE, from, nbytes);
		line->dirty = keep ? line->dirty | bytes : line->dirty & ~bytes;
	}
	if (cache->behind)
		write_line(b, cache->behind, address, nbytes, past, from);
	else if (!keep)
		move_words(address, nbytes, from, true);
}

static void drop_line(struct cache *cache, uint64_t address)
{
	struct line *line = lookup(cache, address);

	if (line) {
		clean(line);
		line->valid = false;
	}
	if (cache->behind)
		drop_line(cache->behind, address);
}

/* GFX942: atomics pass the caches of a CU. An L2 works on its own line of what is not local to it. */
static uint64_t apply(struct cached_block *b, unsigned cu, const struct access *a, uint64_t address, uint64_t operand,
	uint64_t compare)
{
	uint64_t old, word;
	char *line;

	if (!b->caches)
		return atomic_apply(memory_host(address), a->nbytes, a->op, operand, compare);
	if (a->past & CACHE_L2 || find_mtype(b, address) != NC) {
		drop_line(&b->caches->near[cu], address);
		return atomic_apply(memory_host(address), a->nbytes, a->op, operand, compare);
	}
	line = read_line(b, &b->caches->near[cu], address, a->past);
	old = atomic_apply(line + address % LINE, a->nbytes, a->op, operand, compare);
	memcpy(&word, line + address % LINE, a->nbytes);
	write_line(b, &b->caches->near[cu], address, a->nbytes, a->past, (char *)&word);
	return old;
}

static void move_bytes(struct cached_block *b, unsigned cu, unsigned past, uint64_t address, unsigned nbytes,
	char *data, bool store)
{
	if (!b->caches)
		move_words(address, nbytes, data, store);
	for (unsigned n; b->caches && nbytes; address += n, data += n, nbytes -= n) {
		n = LINE - (unsigned)(address % LINE);
		n = n < nbytes ? n : nbytes;
		if (store)
			write_line(b, &b->caches->near[cu], address, n, past, data);
		else
			memcpy(data, read_line(b, &b->caches->near[cu], address, past) + address % LINE, n);
	}
}

/* ---- lanes ---- */

/* A lane's data, from or to its registers. */
static inline void move_row(struct access *a, unsigned lane, char *data, bool store)
{
	uint32_t word = 0;

	for (unsigned k = 0; k * 4 < a->nbytes; k++) {
		if (store) {
			memcpy(data + k * 4, &a->data[k][lane], 4);
		} else {
			memcpy(&word, data + k * 4, 4);
			a->data[k][lane] = a->nbytes == 1 ? (uint8_t)word : a->nbytes == 2 ? (uint16_t)word : word;
		}
	}
}

/*
 * Lanes that follow each other in memory move together; as do those that load one address, and so get one value:
 * compilers take such a load for uniform.
 */
static void move_lanes(struct cached_block *b, unsigned cu, struct access *a, bool store)
{
	_Alignas(8) char data[LINE + 16];

	for (uint64_t m = a->lanes, run = 0; m; run = 0) {
		uint64_t start = a->address[lowest(m)], last = start;
		unsigned n = 0;

		do {
			last = a->address[lowest(m)];
			n = (unsigned)(last - start) + a->nbytes;
			if (store)
				move_row(a, lowest(m), data + (last - start), true);
			run |= m & -m;
			m &= m - 1;
		} while (m && n + a->nbytes <= LINE &&
			(a->address[lowest(m)] == start + n || (!store && a->address[lowest(m)] == last)));
		move_bytes(b, cu, a->past, start, n, data, store);
		for (; !store && run; run &= run - 1)
			move_row(a, lowest(run), data + (a->address[lowest(run)] - start), false);
	}
}

static void apply_lanes(struct cached_block *b, unsigned cu, struct access *a)
{
	unsigned nrows = a->nbytes / 4;

	for (uint64_t m = a->lanes; m; m &= m - 1) {
		unsigned l = lowest(m);
		uint64_t compare = a->op == ATOMIC_CMPSWAP ? access_word(a, nrows, l) : 0;
		uint64_t old = apply(b, cu, a, a->address[l], access_word(a, 0, l), compare);

		for (unsigned k = 0; k < nrows; k++)
			a->data[k][l] = (uint32_t)(old >> 32 * k);
	}
}

/* GFX942: buffer_wbl2 sc1 writes back what other L2s of the agent are to see, with sc0, too, all of it. */
static void happen(struct cached_block *b, unsigned cu, struct access *a)
{
	if (a->kind == ACCESS_ATOMIC)
		apply_lanes(b, cu, a);
	else if (a->kind != ACCESS_WRITEBACK)
		move_lanes(b, cu, a, a->kind == ACCESS_STORE);
	else if (a->past & CACHE_L2)
		for (unsigned k = 0; k < NLINES; k++)
			clean(&l2_of(b)->line[k]);
}

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
 * Must the older f happen before e? A write-back covers what the CU has stored before, of any wave: see caches_wait.
 * Else the order is that of one address; but loads of two waves have none.
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
	pthread_mutex_lock(&l2_lock);
	happen(b, e->cu, &e->access);
	pthread_mutex_unlock(&l2_lock);
	if (e->done && e->wave)
		e->done(e->wave, e->inst, &e->access);
	remove_late(b, e);
}

/*
 * A late operation of some block happens, as what others have left behind does some day; some line leaves its caches.
 */
void caches_chance(struct wave *w)
{
	struct cached_block *b = w->block->cached, *other = blocks;
	unsigned at;

	if (!b->caches)
		return;
	while (other->next && draw(b, 2))
		other = other->next;
	other = draw(b, 8) ? b : other;
	if (other->nlate && !draw(b, 2))
		run_late(other, other->late[draw(b, other->nlate)]);
	if (draw(b, 8))
		return;
	pthread_mutex_lock(&l2_lock);
	at = draw(b, NLINES);
	b->caches->near[draw(b, 2)].line[at].valid = false;
	if (lines_leave_l2()) {
		clean(&l2_of(b)->line[at]);
		l2_of(b)->line[at].valid = false;
	}
	pthread_mutex_unlock(&l2_lock);
}

/* rsrc1's WGP_MODE: a block's waves run on both CUs of a WGP. */
static unsigned cu_of(const struct wave *w)
{
	return config()->gpu == GFX1100 && w->block->dispatch->kernel->rsrc1 >> 29 & 1 ? w->number % 2 : 0;
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
	e->cu = cu_of(w);
	e->low = UINT64_MAX;
	e->high = 0;
	memcpy(&e->access, a, offsetof(struct access, data) + nrows * sizeof(a->data[0]));
	e->access.past = find_levels(a->past);
	for (uint64_t m = a->lanes; m; m &= m - 1) {
		uint64_t address = a->address[lowest(m)];

		e->low = address < e->low ? address : e->low;
		e->high = address + a->nbytes > e->high ? address + a->nbytes : e->high;
	}
	b->late[b->nlate++] = e;
	w->cached->outstanding[w->cached->n - 1].late = e;
	w->moves = !draw(b, 16); /* let others see what has not happened yet */
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
	happen(b, 0, a);
	if (done)
		done(w, i, a);
}

/*
 * AMDGPUUsage, before each table of code sequences: scalar loads are for what does not change while the kernel runs.
 * Only the kernel's start and s_dcache_inv empty their cache, and vector stores pass it by.
 */
void caches_scalar_load(struct wave *w, uint64_t address, unsigned ndwords, uint32_t *to)
{
	struct cached_block *b = w->block->cached;

	if (!b->caches) {
		move_words(address, ndwords * 4, to, false);
		return;
	}
	pthread_mutex_lock(&l2_lock);
	for (unsigned k = 0; k < ndwords; k++, address += 4)
		memcpy(to + k, read_line(b, &b->caches->scalar, address, 0) + address % LINE, 4);
	pthread_mutex_unlock(&l2_lock);
}

static void invalidate_levels(struct cached_block *b, unsigned cu, unsigned levels)
{
	struct cache *const all[] = {&b->caches->near[cu], &b->caches->far, &b->caches->scalar, l2_of(b)};

	for (unsigned k = 0; k < COUNT(all); k++)
		if (levels & all[k]->level)
			invalidate(all[k]);
}

/* L2's lines of local memory are not stale: see enum mtype. Those that are dirty stay so. */
void caches_invalidate(struct wave *w, unsigned past)
{
	struct cached_block *b = w->block->cached;

	if (!b->caches)
		return;
	pthread_mutex_lock(&l2_lock);
	invalidate_levels(b, cu_of(w), find_levels(past));
	pthread_mutex_unlock(&l2_lock);
}

/* ---- counters ---- */

/* What no counter counts any more is over. */
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
 * GFX90A, GFX942: a release to the group waits for no vmcnt, as its waves share an L1. For a wave that then releases to
 * more what it has seen of the others, vmcnt(0) takes in all of the block's stores, as does a write-back.
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
 * What is done in order leaves the newest; what may be out of order (scalar loads, flat) is surely done only at 0. What
 * is covered happens newest first, unless it has by chance; by chance the wave waits on in between.
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
 * A load that fills what an older one fills comes after it: loads return in order, so that LLVM does not wait in
 * between.
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

/* Nothing waits for stores at a wave's end: they are still on their way. */
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
	struct caches *c = config()->late ? zalloc(sizeof(*c)) : NULL;
	bool is_gfx1100 = config()->gpu == GFX1100;

	*b = (struct cached_block){.device = block->dispatch->device, .caches = c, .next = blocks};
	b->l2 = has_two_l2s() ? (unsigned)block->cu % MAX_L2S : 0;
	b->rng = (config()->late * 4099 + block->dispatch->number) * 4099 + block->id[0] + block->id[1] * 257;
	b->rng = b->rng * UINT64_C(0x9e3779b97f4a7c15) | 1;
	l2_of(b)->level = CACHE_L2;
	for (unsigned k = 0; c && k < 2; k++) {
		c->near[k].level = CACHE_NEAR;
		c->near[k].behind = is_gfx1100 ? &c->far : l2_of(b);
		c->far.level = CACHE_FAR;
		c->scalar.level = CACHE_SCALAR;
		c->far.behind = c->scalar.behind = l2_of(b);
	}
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

void caches_dispatch_begin(struct dispatch *d)
{
	pthread_mutex_lock(&l2_lock);
	for (unsigned k = 0; config()->late && k < MAX_L2S; k++)
		invalidate(&l2s[d->device][k]);
	pthread_mutex_unlock(&l2_lock);
}

void caches_dispatch_end(struct dispatch *d)
{
	struct access all = {.kind = ACCESS_WRITEBACK, .past = CACHE_L2};

	while (blocks) {
		struct cached_block *b = blocks;

		while (b->nlate)
			run_late(b, b->late[0]);
		blocks = b->next;
		free(b->caches);
		free(b);
	}
	pthread_mutex_lock(&l2_lock);
	for (unsigned k = 0; config()->late && k < MAX_L2S; k++)
		happen(&(struct cached_block){.device = d->device, .l2 = k}, 0, &all);
	pthread_mutex_unlock(&l2_lock);
}
