/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of the PEs of net_sim.h, and the operations on it. Each writing operation has its own bytes,
 * whose expected value is known: each byte must be written once, with the right value, and not before its
 * context's puts before an earlier fence.
 *
 * Stores reach memory at the engine's next fence, the last one first.
 */
#ifndef NET_WATCH_H
#define NET_WATCH_H

#include "net_sim.h"

enum sim_region { SIM_WRITTEN = 3, SIM_READ = 5, SIM_SHARED = 6, SIM_SINK = 7 };

enum sim_kind {
	SIM_PUT, /* small */
	SIM_BULK,
	SIM_SIGNAL,   /* after the last put or bulk of its context to its target */
	SIM_AMO,      /* of many kinds in turn; on its own word */
	SIM_FETCH,    /* the same, with the old value */
	SIM_ELEMENTS, /* an accumulate, by one of some operators */
	SIM_FETCH_ELEMENTS,
	SIM_FLAG,
	SIM_GET, /* what never changes */
	SIM_GET_BULK,
	SIM_GET_BACK, /* the last put or bulk of its context to its target */
	SIM_ADD,      /* to a word of all PEs */
	SIM_FETCH_ADD,
	SIM_LOCK,
	SIM_UNLOCK /* the simple way, for a contended lock */
};

struct sim_op {
	uint8_t kind;
	int8_t target;
	uint8_t context;
	bool is_open;
	uint16_t epoch; /* fences of the context before it */
	uint16_t after; /* for a signal or get: number + 1 of the operation before it; 0: none */
	uint32_t nbytes;
	uint32_t nleft; /* bytes to write */
	uint64_t offset;
	uint64_t bulk; /* number */
	char *memory;  /* the user's source or dest */
	struct gshmemi_open open;
};

#define SIM_GUARD      8 /* guard bytes on both sides of a dest */
#define SIM_MAX_STORES 1024

static struct sim_watch {
	char written[SIM_PES][SIM_PES * SIM_AREA] __attribute__((aligned(8)));
	/* number + 1 of the operation; the PE follows from the area */
	uint16_t writer[SIM_PES][SIM_PES * SIM_AREA / 8];
	uint64_t shared[SIM_PES][SIM_WORDS]; /* the first is a lock */
	uint64_t added[SIM_PES][SIM_WORDS];  /* what it must be at the end */
	uint64_t fetched[SIM_PES];           /* the sum of what was fetched from word 2 */
	uint32_t used[SIM_PES][SIM_PES];     /* bytes of the area of [asker] at [target] */
	struct sim_op ops[SIM_PES][SIM_OPS];
	uint16_t nops[SIM_PES];
	uint16_t nopen[SIM_PES];
	uint16_t last[SIM_PES][SIM_PES][SIM_CONTEXTS]; /* number + 1 of the last put or bulk */
	uint16_t epoch[SIM_PES][SIM_CONTEXTS];
	uint16_t low[SIM_PES][SIM_PES][SIM_CONTEXTS]; /* epochs before it have been written */
	uint32_t nleft[SIM_PES][SIM_PES][SIM_CONTEXTS][SIM_EPOCHS];
	uint32_t ntickets; /* of the lock */
	int8_t holder;     /* PE + 1 that has the lock; 0: nobody */
} watch;
static char sim_readable[SIM_PES][SIM_READ_NBYTES] __attribute__((aligned(8)));

static char sim_sink[1024]; /* puts there are not checked */

static struct {
	char *dest;
	unsigned nbytes;
	char bytes[8];
} sim_stores[SIM_MAX_STORES];
static unsigned sim_nstores;

/* The expected byte at an offset of written memory; never 0. */
static char sim_pattern(int pe, uint64_t offset)
{
	uint64_t z = (offset / 8 + 1) * 0x9e3779b97f4a7c15ULL + (uint64_t)pe * 0xbf58476d1ce4e5b9ULL;

	z = (z ^ z >> 29) * 0x94d049bb133111ebULL;
	return (char)((z >> offset % 8 * 7) % 255 + 1);
}

static void sim_fill(char *memory, int pe, uint64_t offset, size_t nbytes)
{
	size_t i;

	for (i = 0; i < nbytes; i++)
		memory[i] = sim_pattern(pe, offset + i);
}

static uint64_t sim_word(int pe, uint64_t offset, unsigned nbytes)
{
	uint64_t word = 0;

	sim_fill((char *)&word, pe, offset, nbytes);
	return word;
}

static void sim_begin(void)
{
	int pe;

	memset(&watch, 0, sizeof watch);
	sim_nstores = 0;
	sim_violation[0] = 0;
	memset(sim_nfilled, 0, sizeof sim_nfilled);
	for (pe = 0; pe < SIM_PES; pe++)
		sim_fill(sim_readable[pe], pe + SIM_PES, 0, SIM_READ_NBYTES);
}

/* ---- memory, as the engine sees it ---- */

static char *sim_find(void *user, int pe, unsigned region, uint64_t offset, uint64_t nbytes)
{
	const int owner = ((struct sim_end *)user)->pe;

	if (region == SIM_WRITTEN && offset + nbytes <= sizeof watch.written[0])
		return watch.written[owner] + offset;
	if (region == SIM_READ && offset + nbytes <= SIM_READ_NBYTES)
		return sim_readable[owner] + offset;
	if (region == SIM_SHARED && offset + nbytes <= sizeof watch.shared[0])
		return (char *)watch.shared[owner] + offset;
	if (region == SIM_SINK && offset + nbytes <= sizeof sim_sink)
		return sim_sink + offset;
	t_fail("PE %d asks PE %d for %llu bytes at %llu of region %u", pe, owner, (unsigned long long)nbytes,
		(unsigned long long)offset, region);
}

static bool sim_is_written(const char *memory)
{
	return memory >= &watch.written[0][0] && memory < &watch.written[0][0] + sizeof watch.written;
}

/* Check that everything of earlier epochs has been written. */
static void sim_check_order(int asker, int owner, const struct sim_op *op, unsigned number)
{
	uint16_t *low = &watch.low[asker][owner][op->context];

	while (*low < op->epoch && !watch.nleft[asker][owner][op->context][*low])
		++*low;
	sim_check(*low >= op->epoch, "PE %d sees operation %u of PE %d before what was before a fence", owner,
		number, asker);
	sim_check(!op->after || !watch.ops[asker][op->after - 1].nleft,
		"PE %d sees signal %u of PE %d before its data", owner, number, asker);
}

/* Called when a byte of written memory changes. */
static void sim_write(char *at, char byte)
{
	const size_t place = (size_t)(at - &watch.written[0][0]), offset = place % sizeof watch.written[0];
	const int owner = (int)(place / sizeof watch.written[0]), asker = (int)(offset / SIM_AREA);
	const unsigned number = watch.writer[owner][offset / 8];
	struct sim_op *op = watch.ops[asker] + (number ? number - 1 : 0);

	if (!number || offset < op->offset || offset >= op->offset + op->nbytes) {
		sim_violate("PE %d: %zu is written, which nobody asked for", owner, offset);
		return;
	}
	sim_check(!*at, "PE %d: operation %u of PE %d is performed twice", owner, number - 1, asker);
	sim_check(byte == sim_pattern(owner, offset), "PE %d: operation %u of PE %d writes %d, not %d", owner,
		number - 1, asker, byte, sim_pattern(owner, offset));
	sim_check_order(asker, owner, op, number - 1);
	*at = byte;
	op->nleft--;
	watch.nleft[asker][owner][op->context][op->epoch]--;
}

static void sim_fill_bulk(char *dest, const char *source, size_t nbytes)
{
	size_t i;

	if (!sim_is_written(dest)) /* of a get */
		memcpy(dest, source, nbytes);
	else
		for (i = 0; i < nbytes; i++)
			sim_write(dest + i, source[i]);
}

static void sim_fence(void)
{
	unsigned i;

	while (sim_nstores) {
		sim_nstores--;
		for (i = 0; i < sim_stores[sim_nstores].nbytes; i++)
			sim_write(sim_stores[sim_nstores].dest + i, sim_stores[sim_nstores].bytes[i]);
	}
}

/* A put to a word of all PEs, which counts such puts. */
static void sim_count(uint64_t *word, uint64_t value)
{
	sim_check(value == *word + 1, "put number %llu comes after number %llu", (unsigned long long)value,
		(unsigned long long)*word);
	*word = value;
}

static void sim_store(void *dest, uint64_t word, unsigned nbytes)
{
	if (!sim_is_written(dest)) {
		sim_count(dest, word);
		return;
	}
	if (sim_nstores == SIM_MAX_STORES)
		sim_fence();
	sim_stores[sim_nstores].dest = dest;
	sim_stores[sim_nstores].nbytes = nbytes;
	memcpy(sim_stores[sim_nstores++].bytes, &word, nbytes);
}

static void sim_copy(int way, char *dest, const char *source, uint64_t nbytes)
{
	if (way == GSHMEMI_FROM_PEER) {
		memcpy(dest, source, nbytes);
		return;
	}
	for (; nbytes; nbytes--, dest++, source++)
		sim_store(dest, (unsigned char)*source, 1);
}

static uint64_t sim_amo(int op, void *dest, uint64_t value, uint64_t cond, uint64_t nbytes)
{
	uint64_t word = 0, old;
	unsigned i;

	sim_check(!sim_nstores, "an atomic overtakes stores");
	if (!sim_is_written(dest))
		return gshmemi_amo_peer(op, dest, value, cond, nbytes);
	memcpy(&word, dest, nbytes);
	old = gshmemi_amo_peer(op, &word, value, cond, nbytes);
	for (i = 0; i < nbytes && op != GSHMEMI_AMO_FETCH; i++)
		sim_write((char *)dest + i, (char)(word >> 8 * i));
	return old;
}

static void sim_raise(uint64_t *flag, uint64_t value)
{
	(void)sim_amo(GSHMEMI_AMO_SET, flag, *flag > value ? *flag : value, 0, 8);
}

/* ---- asking ---- */

static bool sim_writes(int kind)
{
	return kind <= SIM_FLAG;
}

/* A number that selects among several ways of an operation, the same for the same operation. */
static unsigned sim_way(const struct sim_op *op)
{
	return (unsigned)(op->offset / 8 * 5 + op->context);
}

static bool sim_call_amo(
	struct gshmemi_engine *e, const struct gshmemi_target *to, struct sim_op *op, int owner)
{
	static const int ops[] = {GSHMEMI_AMO_ADD, GSHMEMI_AMO_OR, GSHMEMI_AMO_XOR, GSHMEMI_AMO_SWAP,
		GSHMEMI_AMO_CAS, GSHMEMI_AMO_SET};
	const int what = ops[sim_way(op) % 6];
	const uint64_t value = sim_word(owner, op->offset, op->nbytes);

	if (op->kind == SIM_AMO)
		return gshmemi_engine_amo(e, to, what, value, 0, op->nbytes, NULL, NULL);
	memset(op->memory + SIM_GUARD, 0x77, op->nbytes);
	return gshmemi_engine_amo(e, to, what, value, 0, op->nbytes, op->memory + SIM_GUARD, &op->open);
}

/* Elements of 4 or 8 bytes, which are all 0. */
static bool sim_call_elements(
	struct gshmemi_engine *e, const struct gshmemi_target *to, struct sim_op *op, int owner)
{
	static const int ops[] = {GSHMEMX_SUM, GSHMEMX_MAX, GSHMEMX_OR, GSHMEMX_REPLACE, GSHMEMX_XOR};
	const unsigned nbytes = op->nbytes % 8 || sim_way(op) % 2 ? 4 : 8;
	struct gshmemi_win_update u = gshmemi_win_make_update(
		ops[sim_way(op) % 5], nbytes == 4 ? GSHMEMI_KIND_U32 : GSHMEMI_KIND_U64, nbytes);
	char *data = sim_alloc(op->nbytes + nbytes);
	bool is_asked;

	sim_fill(data, owner, op->offset, op->nbytes);
	if (op->nbytes == nbytes && sim_way(op) % 3)
		u.op = GSHMEMI_ACCUMULATE_SWAP; /* compares with 0 */
	if (op->kind == SIM_ELEMENTS) {
		is_asked = gshmemi_engine_accumulate(e, to, u, 0, data, op->nbytes, NULL, NULL);
	} else {
		memset(op->memory + SIM_GUARD, 0x77, op->nbytes);
		is_asked = gshmemi_engine_accumulate(
			e, to, u, 0, data, op->nbytes, op->memory + SIM_GUARD, &op->open);
	}
	sim_free(data);
	return is_asked;
}

static bool sim_call(int pe, struct sim_op *op)
{
	struct gshmemi_engine *e = sim_engine(pe);
	struct gshmemi_target to = {op->target, op->context, SIM_WRITTEN, op->offset};
	char *const dest = op->memory ? op->memory + SIM_GUARD : NULL;
	bool is_asked;

	switch (op->kind) {
	case SIM_PUT:
		return gshmemi_engine_put(e, &to, op->memory, op->nbytes);
	case SIM_BULK:
		return gshmemi_engine_put_bulk(e, &to, op->memory, op->nbytes, &op->open, &op->bulk);
	case SIM_SIGNAL:
		return gshmemi_engine_signal(e, &to, sim_way(op) % 2 ? GSHMEMI_AMO_ADD : GSHMEMI_AMO_SET,
			sim_word(op->target, op->offset, 8),
			op->after ? watch.ops[pe][op->after - 1].bulk : 0);
	case SIM_AMO:
	case SIM_FETCH:
		return sim_call_amo(e, &to, op, op->target);
	case SIM_ELEMENTS:
	case SIM_FETCH_ELEMENTS:
		return sim_call_elements(e, &to, op, op->target);
	case SIM_FLAG:
		return gshmemi_engine_flag(e, &to, sim_word(op->target, op->offset, 8));
	case SIM_GET_BACK:
		if (op->nbytes > e->config.small_nbytes)
			return gshmemi_engine_get_bulk(e, &to, dest, op->nbytes, &op->open);
		return gshmemi_engine_get(e, &to, dest, op->nbytes, &op->open);
	case SIM_GET:
		to.region = SIM_READ;
		return gshmemi_engine_get(e, &to, dest, op->nbytes, &op->open);
	case SIM_GET_BULK:
		to.region = SIM_READ;
		return gshmemi_engine_get_bulk(e, &to, dest, op->nbytes, &op->open);
	default:
		to.region = SIM_SHARED;
		/* tickets are given here, so that the operation is only one record */
		if (op->kind == SIM_LOCK) {
			is_asked = gshmemi_engine_lock(e, &to, GSHMEMI_TURN_LOCK, watch.ntickets, &op->open);
			watch.ntickets += is_asked;
			return is_asked;
		}
		return gshmemi_engine_amo(
			e, &to, GSHMEMI_AMO_ADD, 1, 0, 8, NULL, op->kind == SIM_FETCH_ADD ? &op->open : NULL);
	}
}

/* Whether an operation brings old values, which are 0. */
static bool sim_fetches(int kind)
{
	return kind == SIM_FETCH || kind == SIM_FETCH_ELEMENTS;
}

static bool sim_is_get(int kind)
{
	return kind == SIM_GET || kind == SIM_GET_BULK || kind == SIM_GET_BACK || sim_fetches(kind);
}

static void sim_set_memory(struct sim_op *op)
{
	if (op->kind == SIM_PUT || op->kind == SIM_BULK) {
		op->memory = sim_alloc(op->nbytes ? op->nbytes : 1);
		sim_fill(op->memory, op->target, op->offset, op->nbytes);
	} else if (sim_is_get(op->kind)) {
		op->memory = sim_alloc(op->nbytes + 2 * SIM_GUARD);
		memset(op->memory, 0x5a, op->nbytes + 2 * SIM_GUARD);
	}
}

static void sim_enter(int pe, struct sim_op *op)
{
	const unsigned number = (unsigned)(op - watch.ops[pe]) + 1;
	uint64_t slot;

	if (sim_writes(op->kind)) {
		watch.used[pe][op->target] =
			(uint32_t)((op->offset + op->nbytes + 7) / 8 * 8 - (uint64_t)pe * SIM_AREA);
		op->nleft = op->nbytes;
		watch.nleft[pe][op->target][op->context][op->epoch] += op->nbytes;
		for (slot = op->offset / 8; slot * 8 < op->offset + op->nbytes; slot++)
			watch.writer[op->target][slot] = (uint16_t)number;
	}
	if (op->kind == SIM_PUT || op->kind == SIM_BULK)
		watch.last[pe][op->target][op->context] = (uint16_t)number;
	if (op->kind == SIM_ADD || op->kind == SIM_FETCH_ADD)
		watch.added[op->target][op->offset / 8]++;
	if (op->kind == SIM_UNLOCK)
		watch.holder = 0;
	op->is_open = op->open.nopen > 0;
	watch.nopen[pe] += op->is_open;
	watch.nops[pe]++;
	if (op->kind == SIM_PUT) {
		sim_free(op->memory);
		op->memory = NULL;
	}
}

/*
 * PE asks for an operation. skew: how many bytes the written place is off a multiple of 8; offset: of what is
 * read, or shared. Returns false if there is no room, in the engine or here.
 */
static bool sim_ask(
	int pe, int target, int context, int kind, uint32_t nbytes, unsigned skew, uint64_t offset)
{
	struct sim_op *op = &watch.ops[pe][watch.nops[pe]];
	const struct sim_op *last;

	if (watch.nops[pe] == SIM_OPS ||
		(sim_writes(kind) && watch.used[pe][target] + (nbytes + 15) / 8 * 8 > SIM_AREA))
		return false;
	memset(op, 0, sizeof *op);
	op->kind = (uint8_t)kind;
	op->target = (int8_t)target;
	op->context = (uint8_t)context;
	op->epoch = watch.epoch[pe][context];
	op->nbytes = nbytes;
	op->offset = sim_writes(kind) ? (uint64_t)pe * SIM_AREA + watch.used[pe][target] + skew : offset;
	if (kind == SIM_SIGNAL)
		op->after = watch.last[pe][target][context];
	if (kind == SIM_GET_BACK) {
		last = watch.ops[pe] + watch.last[pe][target][context];
		if (last-- == watch.ops[pe] || (last->kind == SIM_BULK && last->epoch == op->epoch))
			return false; /* only a fence orders a bulk and a get */
		op->offset = last->offset;
		op->nbytes = last->nbytes;
	}
	sim_set_memory(op);
	if (sim_call(pe, op)) {
		sim_enter(pe, op);
		return true;
	}
	sim_check(!op->open.nopen, "PE %d: an operation that was refused is open", pe);
	if (op->memory)
		sim_free(op->memory);
	memset(op, 0, sizeof *op);
	return false;
}

static void sim_order(int pe, int context)
{
	gshmemi_engine_fence(sim_engine(pe), context);
	watch.epoch[pe][context]++;
}

/* ---- what has come ---- */

static void sim_check_dest(int pe, const struct sim_op *op)
{
	const char *const dest = op->memory + SIM_GUARD;
	const bool is_back = op->kind == SIM_GET_BACK;
	uint32_t i;

	for (i = 0; i < SIM_GUARD; i++)
		sim_check(op->memory[i] == 0x5a && dest[op->nbytes + i] == 0x5a,
			"PE %d: a get of %u bytes, kind %d, writes beside its dest", pe, op->nbytes,
			op->kind);
	for (i = 0; i < op->nbytes; i++)
		sim_check(dest[i] ==
				(sim_fetches(op->kind) ? 0
						       : sim_pattern(op->target + (is_back ? 0 : SIM_PES),
								 op->offset + i)),
			"PE %d: byte %u of %u that it got of PE %d is wrong, kind %d", pe, i, op->nbytes,
			op->target, op->kind);
}

static void sim_closed(int pe, struct sim_op *op)
{
	op->is_open = false;
	watch.nopen[pe]--;
	if (sim_is_get(op->kind))
		sim_check_dest(pe, op);
	if (op->kind == SIM_FETCH_ADD)
		watch.fetched[op->target] += op->open.value;
	if (op->kind == SIM_LOCK) {
		sim_check(!watch.holder, "PE %d gets the lock that PE %d has", pe, watch.holder - 1);
		watch.holder = (int8_t)(pe + 1);
	}
	if (op->memory) {
		if (op->kind == SIM_BULK)
			memset(op->memory, 0x33, op->nbytes);
		sim_free(op->memory);
	}
	op->memory = NULL;
}

/* After a pass of PE: handle its operations that are no longer open. */
static void sim_look(int pe)
{
	unsigned i;

	sim_fence();
	for (i = 0; i < watch.nops[pe] && watch.nopen[pe]; i++)
		if (watch.ops[pe][i].is_open && !watch.ops[pe][i].open.nopen)
			sim_closed(pe, &watch.ops[pe][i]);
}

/* Whether a mark of a context, or of all flags, covers an operation. */
static bool sim_is_marked(const struct sim_op *op, int context)
{
	if (context == GSHMEMI_ENGINE_FLAGS || op->kind == SIM_FLAG)
		return context == GSHMEMI_ENGINE_FLAGS && op->kind == SIM_FLAG;
	return op->context == context && op->kind != SIM_LOCK;
}

/* A mark has completed that was made when PE had asked for nops operations; targets: bits. */
static void sim_check_quiet(int pe, int context, unsigned targets, unsigned nops)
{
	const struct sim_op *op;

	for (op = watch.ops[pe]; op < watch.ops[pe] + nops; op++)
		if (sim_is_marked(op, context) && targets >> op->target & 1)
			sim_check(!op->nleft && !op->open.nopen,
				"PE %d: a quiet is over, and operation %d, kind %d, is not", pe,
				(int)(op - watch.ops[pe]), op->kind);
}

/* Check that everything has been performed. */
static void sim_check_end(void)
{
	int pe, k;
	unsigned i;

	for (pe = 0; pe < sim.npes; pe++) {
		for (i = 0; i < watch.nops[pe]; i++)
			sim_check(!watch.ops[pe][i].nleft && !watch.ops[pe][i].is_open,
				"PE %d: operation %u, kind %d, was not performed", pe, i,
				watch.ops[pe][i].kind);
		for (k = 1; k < SIM_WORDS; k++)
			sim_check(watch.shared[pe][k] == watch.added[pe][k],
				"PE %d: word %d is %llu, not %llu", pe, k,
				(unsigned long long)watch.shared[pe][k],
				(unsigned long long)watch.added[pe][k]);
		k = 2;
		sim_check(watch.fetched[pe] == watch.added[pe][k] * (watch.added[pe][k] - 1) / 2,
			"PE %d: values were fetched twice", pe);
		sim_check_idle(pe);
	}
}

#endif /* NET_WATCH_H */
