/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What loads see. Without config()->late, memory as it is. With it, there are levels of caches, as in LLVM's
 * memory model: next to a CU (near: L1 of gfx9, L0 of gfx1100), gfx1100's L1 (far), the scalar cache, and
 * gfx9's L2. Each keeps what it has read until it is invalidated; L2 keeps stores until they are written
 * back. struct access says which levels an instruction bypasses. LLVM has no write-back of gfx1100's L2, so
 * that L2 counts as memory. late.c decides when operations are done. "GFX942" and the like in comments are
 * sections of AMDGPUUsage: "Memory Model GFX942".
 */
#include "caches.h"

#include <pthread.h>
#include <string.h>

enum { LINE = 128, NLINES = 128, MAX_L2S = 2 };

__extension__ typedef unsigned __int128 line_bits; /* one for each byte of a line */

struct line {
	uint64_t tag;    /* its address; 0: empty */
	line_bits dirty; /* bytes that memory does not have; L2 only */
	bool valid;      /* its other bytes are a copy of memory */
	_Alignas(8) char data[LINE];
};

/* One level. What it does not have is read from behind; NULL: from memory. */
struct cache {
	unsigned level; /* CACHE_* */
	struct cache *behind;
	struct line line[NLINES];
};

struct caches {
	struct cache near[2], far, scalar; /* near: of a WGP's two CUs */
};

static pthread_mutex_t l2_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cache l2s[MAX_DEVICES][MAX_L2S];

/*
 * GFX942: an agent has one L2 or several, depending on how the device is partitioned. With odd seeds
 * it has two.
 */
static bool has_two_l2s(void)
{
	return config()->gpu == GFX942 && config()->late % 2;
}

/* An L2 may keep lines until it is told to write them back. With every third seed it keeps them. */
static bool lines_leave_l2(void)
{
	return config()->late % 3 != 0;
}

/* ---- memory: aligned words are moved as a whole ---- */

/* Written so that compilers move 8, 4 or 2 bytes at once. */
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
	case ATOMIC_ADD:
		return old + x;
	case ATOMIC_SUB:
		return old - x;
	case ATOMIC_AND:
		return old & x;
	case ATOMIC_OR:
		return old | x;
	case ATOMIC_XOR:
		return old ^ x;
	case ATOMIC_SWAP:
		return x;
	case ATOMIC_CMPSWAP:
		return old == compare ? x : old;
	case ATOMIC_SMIN:
		return a < b ? old : x;
	case ATOMIC_UMIN:
		return old < x ? old : x;
	case ATOMIC_SMAX:
		return a > b ? old : x;
	case ATOMIC_UMAX:
		return old > x ? old : x;
	default:
		return nbytes == 8 ? (union number){.d = u.d + v.d}.bits
				   : (union number){.f = u.f + v.f}.bits;
	}
}

#define APPLY(type, at) \
	do { \
		type old = __atomic_load_n((type *)(at), __ATOMIC_SEQ_CST), new; \
		do \
			new = (type)combine(old, sizeof(type), op, (type)operand, (type)compare); \
		while (!__atomic_compare_exchange_n( \
			(type *)(at), &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
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

/* NULL: not in this cache. */
static struct line *lookup(struct cache *cache, uint64_t address)
{
	struct line *line = slot(cache, address);

	return line->tag == address / LINE * LINE ? line : NULL;
}

/* Writes a line back; words that were stored as a whole are written as a whole. */
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

/*
 * Returns the line for an address, which may be neither valid nor dirty; a line that was in its place
 * is written back.
 */
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
 * How an L2 treats memory. RW: it keeps stores until they are written back; its lines are never stale,
 * because other writers' probes invalidate them. NC: it keeps stores, and its lines may be stale. UNCACHED:
 * neither (MTYPE UC; also CC, which writes through). GFX90A: coarse-grained memory is RW if local, NC if
 * remote; fine-grained memory is CC if local, UC if remote; host memory is UC. GFX942: RW if local to the L2,
 * else NC, fine-grained or not; host memory is UC over PCIe, and NC where GPU and CPU share memory: it is NC
 * here, which shows more errors.
 */
enum mtype { RW, NC, UNCACHED };

static enum mtype find_mtype(struct cached_block *b, uint64_t address)
{
	const struct range *r = find_range(b, address);
	enum gpu gpu = config()->gpu;
	bool local = r && r->device == b->device;

	if (!r || r->kind == MEMORY_UNCACHED || gpu == GFX1100 || (gpu == GFX90A && r->kind != MEMORY_COARSE))
		return UNCACHED;
	/* Device memory is local to one of its L2s, by pages. */
	return local && (!has_two_l2s() || (address >> 12) % MAX_L2S == b->l2) ? RW : NC;
}

static struct cache *l2_of(const struct cached_block *b)
{
	return &l2s[b->device][b->l2];
}

unsigned caches_levels(unsigned past)
{
	return past & CACHE_L2_AGENT && has_two_l2s() ? past | CACHE_L2 : past;
}

/* ---- any level; one in past is used only where it has newer stores than memory ---- */

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

/* Stores nbytes of one line into all levels. L2 may keep them from memory. */
static void write_line(struct cached_block *b, struct cache *cache, uint64_t address, unsigned nbytes,
	unsigned past, char *from)
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

/*
 * GFX942: atomics bypass the caches of a CU. An L2 does atomics in its own line, also of memory that is not
 * local to it.
 */
static uint64_t apply(struct cached_block *b, unsigned cu, const struct access *a, uint64_t address,
	uint64_t operand, uint64_t compare)
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

/* A lane's data, to or from its registers. */
static inline void move_row(struct access *a, unsigned lane, char *data, bool store)
{
	uint32_t word = 0;

	for (unsigned k = 0; k * 4 < a->nbytes; k++) {
		if (store) {
			memcpy(data + k * 4, &a->data[k][lane], 4);
		} else {
			memcpy(&word, data + k * 4, 4);
			a->data[k][lane] = a->nbytes == 1 ? (uint8_t)word
				: a->nbytes == 2          ? (uint16_t)word
							  : word;
		}
	}
}

/*
 * Lanes with consecutive addresses move data together; so do lanes that load from one address, so that they
 * get one value: compilers treat such a load as uniform.
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

/*
 * GFX942: buffer_wbl2 sc1 writes back what other L2s of the agent may need; with sc0, too, it
 * writes back all.
 */
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

void caches_happen(struct cached_block *b, unsigned cu, struct access *a)
{
	if (!b->caches) {
		happen(b, cu, a);
		return;
	}
	pthread_mutex_lock(&l2_lock);
	happen(b, cu, a);
	pthread_mutex_unlock(&l2_lock);
}

/*
 * AMDGPUUsage, before each table of code sequences: scalar loads are only for memory that does not change
 * while the kernel runs. Their cache is emptied only by the kernel's start and s_dcache_inv; vector
 * stores bypass it.
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

/* L2's lines of local memory are not stale: see enum mtype. Dirty lines stay dirty. */
void caches_invalidate(struct wave *w, unsigned past)
{
	struct cached_block *b = w->block->cached;

	if (!b->caches)
		return;
	pthread_mutex_lock(&l2_lock);
	invalidate_levels(b, caches_cu(w), caches_levels(past));
	pthread_mutex_unlock(&l2_lock);
}

void caches_lose_line(struct cached_block *b)
{
	unsigned at = draw(b, NLINES);
	struct line *line = &l2_of(b)->line[at];

	pthread_mutex_lock(&l2_lock);
	b->caches->near[draw(b, 2)].line[at].valid = false;
	if (lines_leave_l2()) {
		clean(line);
		line->valid = false;
	}
	pthread_mutex_unlock(&l2_lock);
}

/* ---- begin and end ---- */

unsigned caches_cu(const struct wave *w)
{
	return config()->gpu == GFX1100 && w->block->dispatch->kernel->rsrc1 >> 29 & 1 ? w->number % 2 : 0;
}

void caches_open(struct cached_block *b, int cu)
{
	struct caches *c = config()->late ? zalloc(sizeof(*c)) : NULL;

	b->caches = c;
	b->l2 = has_two_l2s() ? (unsigned)cu % MAX_L2S : 0;
	l2_of(b)->level = CACHE_L2;
	for (unsigned k = 0; c && k < 2; k++) {
		c->near[k].level = CACHE_NEAR;
		c->near[k].behind = config()->gpu == GFX1100 ? &c->far : l2_of(b);
		c->far.level = CACHE_FAR;
		c->scalar.level = CACHE_SCALAR;
		c->far.behind = c->scalar.behind = l2_of(b);
	}
}

void caches_invalidate_l2s(int device)
{
	pthread_mutex_lock(&l2_lock);
	for (unsigned k = 0; k < MAX_L2S; k++)
		invalidate(&l2s[device][k]);
	pthread_mutex_unlock(&l2_lock);
}

void caches_write_back_l2s(int device)
{
	pthread_mutex_lock(&l2_lock);
	for (unsigned k = 0; k < MAX_L2S * NLINES; k++)
		clean(&l2s[device][k / NLINES].line[k % NLINES]);
	pthread_mutex_unlock(&l2_lock);
}
