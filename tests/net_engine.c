/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* timeout: 120 */
/* links: inner */
/*
 * The engines of src/net, in one process over a simulated link (net_sim.h) that delivers in order, at random,
 * or newest first, pass these tests:
 *
 *   random programs  all operations, of several contexts, with fences, quiets and locks, in engines of all
 *                    sizes. Each byte is written once, with the right value, in the order of its context;
 *                    at the end all buffers, items and credits are back
 *   floods           a million operations from all sides with little credit: none is lost or performed
 *                    twice, and memory is bounded
 *
 * Arguments: -v prints what was done; a number sets the first seed.
 */

#define SIM_PES         4
#define SIM_OPS         400
#define SIM_AREA        16384U
#define SIM_CONTEXTS    5
#define SIM_EPOCHS      64
#define FIRST_NUMBER    4 /* of words that count puts */
#define SIM_WORDS       (FIRST_NUMBER + SIM_PES)
#define SIM_READ_NBYTES 8192
#include "net_watch.h"

static bool is_verbose;

/* ---- chance ---- */

static uint64_t rng_state;

/* splitmix64: the same numbers everywhere. */
static uint64_t rng(void)
{
	uint64_t z = rng_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static unsigned below(unsigned limit)
{
	return (unsigned)(rng() % limit);
}

static unsigned between(unsigned low, unsigned high)
{
	return low + below(high - low + 1);
}

/* ---- what happens next ---- */

enum { IN_ORDER, AT_RANDOM, NEWEST, NSCHEDULES };
static int schedule;
static unsigned nothing; /* of 16 polls, how many find nothing */
static unsigned silence; /* of 64 steps, how many check for silence; 0: none */
static unsigned lull;    /* remaining steps of the lull */
static unsigned lulls;   /* of 64 steps, how many begin a lull, in which nobody asks */

static struct sim_event sim_choose(int pe)
{
	static struct sim_event events[4096];
	unsigned n;

	if (below(16) < nothing)
		return (struct sim_event){NULL, false};
	n = sim_list(pe, events, sizeof events / sizeof events[0]);
	if (!n)
		return (struct sim_event){NULL, false};
	if (schedule == NEWEST && below(4))
		return events[n - 1];
	return events[below(n)];
}

/* ---- random programs ---- */

static enum { ALL, WORDS, LONG, PUTS } profile; /* which operations */

struct program {
	unsigned nleft;         /* operations to ask for */
	int context;            /* of the mark */
	unsigned targets, nops; /* likewise: what it covers */
	struct gshmemi_mark *mark;
	enum { NO_LOCK, WAITS, HAS_IT, UNLOCKS } lock;
};
static struct program programs[SIM_PES];
static struct gshmemi_engine_config config;

static uint32_t random_nbytes(uint32_t most)
{
	return below(8) ? 1 + below(below(2) ? most : most < 32 ? most : 32) : below(3) ? most : 0;
}

/* All locks are on PE 0. One operation before the lock, one while it is held, one after. */
static bool go_on_with_lock(int pe)
{
	struct program *p = &programs[pe];

	if (p->lock == WAITS && watch.holder == pe + 1)
		p->lock = HAS_IT;
	else if (p->lock == NO_LOCK && sim_ask(pe, 0, 0, SIM_LOCK, 8, 0, 0))
		p->lock = WAITS;
	else if (p->lock == HAS_IT && below(4) == 0 && sim_ask(pe, 0, 0, SIM_UNLOCK, 8, 0, 0))
		p->lock = NO_LOCK;
	else
		return false;
	return true;
}

static void mark(int pe)
{
	struct program *p = &programs[pe];
	int pes[SIM_PES], n = 0, k;

	p->context = (int)below(SIM_CONTEXTS);
	p->targets = below(2) ? ~0U : 1 + below((1U << sim.npes) - 1);
	p->nops = watch.nops[pe];
	for (k = 0; k < sim.npes; k++)
		if (p->targets >> k & 1)
			pes[n++] = k;
	t_equal(gshmemi_engine_mark(
			sim_engine(pe), p->context, p->targets == ~0U ? NULL : pes, (size_t)n, &p->mark),
		0, "mark");
	if (!p->mark)
		sim_check_quiet(pe, p->context, p->targets, p->nops);
}

static void ask_something(int pe)
{
	struct program *p = &programs[pe];
	const int target = (int)below(profile == PUTS ? 1 : (unsigned)sim.npes),
		  context = (int)below(profile == PUTS ? 1 : SIM_CONTEXTS);
	const uint32_t small = (uint32_t)config.small_nbytes,
		       nbytes = random_nbytes(small) & (below(2) ? ~7U : ~0U);
	const uint32_t nlong = random_nbytes((uint32_t)config.chunk_nbytes * between(1, 7));
	const uint32_t nelements =
		(1 + below((uint32_t)gshmemi_engine_elements_nbytes(sim_engine(pe)) / 4)) * 4;
	const unsigned what = profile == WORDS ? 16 + below(5)
		: profile == LONG              ? 10 + below(6)
		: profile == PUTS              ? (below(3) ? 0 : 32)
					       : below(43),
		       skew = below(4) ? 0 : below(8);
	bool is_asked;

	if (what < 10)
		is_asked =
			sim_ask(pe, target, context, SIM_PUT, nbytes, nbytes % 8 || below(8) ? 0 : skew, 0);
	else if (what < 13)
		is_asked = sim_ask(pe, target, context, SIM_BULK, nlong, skew, 0);
	else if (what < 16)
		is_asked = sim_ask(pe, target, context, SIM_SIGNAL, 8, 0, 0);
	else if (what < 18)
		is_asked = sim_ask(pe, target, context, SIM_AMO, below(2) ? 4 : 8, 0, 0);
	else if (what < 20)
		is_asked = sim_ask(pe, target, context, SIM_FETCH, below(2) ? 4 : 8, 0, 0);
	else if (what < 21)
		is_asked = sim_ask(pe, target, context, SIM_FLAG, 8, 0, 0);
	else if (what < 24)
		is_asked = sim_ask(pe, target, context, SIM_GET, nbytes, 0, below(SIM_READ_NBYTES - small));
	else if (what < 26)
		is_asked = sim_ask(pe, target, context, SIM_GET_BULK, nlong, 0, below(64));
	else if (what < 28)
		is_asked = sim_ask(pe, target, context, SIM_GET_BACK, 0, 0, 0);
	else if (what < 30)
		is_asked = sim_ask(pe, target, context, SIM_ADD, 8, 0, 8);
	else if (what < 32)
		is_asked = sim_ask(pe, target, context, SIM_FETCH_ADD, 8, 0, 16);
	else if (what < 35 && watch.epoch[pe][context] < SIM_EPOCHS - 1)
		sim_order(pe, context), is_asked = true;
	else if (what < 37)
		is_asked = go_on_with_lock(pe);
	else if (what < 38)
		is_asked = sim_ask(pe, target, context, SIM_ELEMENTS, nelements, 0, 0);
	else if (what < 40)
		is_asked = sim_ask(pe, target, context, SIM_FETCH_ELEMENTS, nelements, 0, 0);
	else if (what < 41 && !p->mark)
		mark(pe), is_asked = true;
	else
		gshmemi_engine_flush(sim_engine(pe), true), is_asked = true;
	p->nleft -= is_asked || !below(200);
}

static void look(int pe)
{
	struct program *p = &programs[pe];

	sim_look(pe);
	sim_check_engine(pe);
	if (p->mark && gshmemi_engine_is_over(sim_engine(pe), p->mark)) {
		p->mark = NULL;
		sim_check_quiet(pe, p->context, p->targets, p->nops);
	}
}

/* Whether PE has more to do. */
static bool step(int pe)
{
	struct program *p = &programs[pe];
	unsigned n;

	if (lull)
		lull--;
	else if (below(64) < lulls)
		lull = below(200);
	for (n = lull ? 0 : below(profile == WORDS || profile == PUTS ? 20 : 2) + 1; p->nleft && n; n--)
		ask_something(pe);
	if (!p->nleft && p->lock != NO_LOCK)
		(void)go_on_with_lock(pe);
	sim_check(gshmemi_engine_progress(sim_engine(pe)) >= 0, "PE %d: the engine fails", pe);
	look(pe);
	if (below(64) < silence) {
		sim_now_ns += below(2) ? 1000 : 200000000;
		gshmemi_engine_check_silence(sim_engine(pe), sim_now_ns);
	}
	return p->nleft || p->lock != NO_LOCK || p->mark || watch.nopen[pe] ||
		!gshmemi_engine_is_idle(sim_engine(pe));
}

/* Run until nothing is in flight and the credits have come back. */
static void run_out(void)
{
	unsigned i, round;
	int pe;

	nothing = 0;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 200; i++)
			for (pe = 0; pe < sim.npes; pe++) {
				sim_check(gshmemi_engine_progress(sim_engine(pe)) >= 0,
					"PE %d: the engine fails", pe);
				look(pe);
			}
		sim_now_ns += 1000000000;
		for (pe = 0; pe < sim.npes; pe++)
			gshmemi_engine_check_silence(sim_engine(pe), sim_now_ns);
	}
	for (pe = 0; pe < sim.npes; pe++)
		sim_check(sim_engine(pe)->ncredits == config.ncredits,
			"PE %d has %u credits of %u at the end", pe, sim_engine(pe)->ncredits,
			config.ncredits);
	sim_check(!sim.entries, "something is under way at the end");
}

static size_t random_config(void)
{
	memset(&config, 0, sizeof config);
	config.first_seq = below(2) ? 0U - between(1, 40) : below(1U << 31);
	config.nbuffers = between(1, 4);
	config.nitems = between(1, 8);
	config.credit = between(1, 3);
	config.most_credit = config.credit + below(5);
	config.ncredits = below(8);
	config.ack_passes = below(2) ? 0 : below(5);
	config.small_nbytes = 8U * between(1, below(2) ? 8 : 40);
	config.chunk_nbytes = between(1, below(2) ? 64 : 300);
	return 32 + 32 + 32 + config.small_nbytes + (below(2) ? 0 : 8U * below(100));
}

/* One random program on engines of a random size. */
static void run_random(uint64_t seed, unsigned nops)
{
	const unsigned most_steps = 400000;
	unsigned i, nbusy;
	size_t message_nbytes;
	int npes, pe;

	rng_state = seed * 1000003;
	sim_begin();
	npes = (int)between(below(8) ? 2 : 1, SIM_PES);
	message_nbytes = random_config();
	schedule = (int)below(NSCHEDULES);
	profile = below(2) ? ALL : WORDS + below(3);
	silence = below(3) ? below(16) : 0;
	lulls = below(4);
	lull = 0;
	sim_open(npes, message_nbytes, &config);
	sim.is_fifo = schedule == IN_ORDER;
	memset(programs, 0, sizeof programs);
	for (pe = 0; pe < npes; pe++)
		programs[pe].nleft = below(4) ? nops : 0;
	nbusy = (unsigned)npes;
	for (i = 0; nbusy && !sim_violation[0]; i++) {
		sim_check(i < most_steps, "the programs do not end");
		nothing = below(16);
		for (nbusy = 0, pe = 0; pe < npes; pe++)
			nbusy += below(4) ? step(pe) : 1;
	}
	if (!sim_violation[0])
		run_out();
	if (!sim_violation[0])
		sim_check_end();
	if (!sim_violation[0])
		sim_close();
}

static void test_random(uint64_t first, unsigned n)
{
	uint64_t seed;

	for (seed = first; seed < first + n; seed++) {
		run_random(seed, 120);
		t_check(!sim_violation[0], "seed %llu: %s", (unsigned long long)seed, sim_violation);
	}
}

/* ---- floods ---- */

#define FLOOD_NBYTES 200 /* of a bulk */

struct flood {
	unsigned nleft, nwaits;
	uint64_t nputs[SIM_PES];
	uint64_t fetched[SIM_PES], nfetches[SIM_PES];
	struct gshmemi_open opens[8];
	int targets[8];
	bool is_used[8];
};
static struct flood floods[SIM_PES];
static uint64_t flood_adds[SIM_PES];

/* Words 1 and 2 get sums. Each PE numbers its puts to every other PE; they go to a word for the sender. */
static bool flood_once(int pe, int target)
{
	struct flood *f = &floods[pe];
	struct gshmemi_engine *e = sim_engine(pe);
	struct gshmemi_target to = {
		target, (int)below(SIM_CONTEXTS), SIM_SHARED, 8U * (FIRST_NUMBER + (unsigned)pe)};
	static const char source[FLOOD_NBYTES];
	const uint64_t number = f->nputs[target] + 1;
	const unsigned what = below(64), k = below(8);
	uint64_t bulk;

	if (what < 40) {
		if (!gshmemi_engine_put(e, &to, &number, 8))
			return false;
		f->nputs[target]++;
		return true;
	}
	if (what < 56) {
		to.offset = 8;
		if (!gshmemi_engine_amo(e, &to, GSHMEMI_AMO_ADD, 1, 0, 8, NULL, NULL))
			return false;
		flood_adds[target]++;
		return true;
	}
	if (f->opens[k].nopen)
		return false;
	if (f->is_used[k])
		f->fetched[f->targets[k]] += f->opens[k].value;
	f->is_used[k] = false;
	if (what < 58) {
		to.region = SIM_SINK;
		to.offset = 0;
		return gshmemi_engine_put_bulk(e, &to, source, FLOOD_NBYTES, &f->opens[k], &bulk);
	}
	to.offset = 16;
	if (!gshmemi_engine_amo(e, &to, GSHMEMI_AMO_ADD, 1, 0, 8, NULL, &f->opens[k]))
		return false;
	f->is_used[k] = true;
	f->targets[k] = target;
	f->nfetches[target]++;
	return true;
}

static void check_flood(void)
{
	const unsigned most_kept = (unsigned)sim.npes * config.credit + config.ncredits;
	const struct gshmemi_engine_counts *counts;
	uint64_t nfetches, fetched;
	unsigned k;
	int pe, asker;

	for (pe = 0; pe < sim.npes; pe++) {
		counts = gshmemi_engine_counts(sim_engine(pe));
		for (nfetches = fetched = 0, asker = 0; asker < sim.npes; asker++) {
			sim_check(watch.shared[pe][FIRST_NUMBER + asker] == floods[asker].nputs[pe],
				"PE %d: puts of PE %d are lost", pe, asker);
			sim_check(asker == pe || sim_nfilled[pe][asker] >= 100,
				"PE %d used up its credit at PE %d %llu times", pe, asker,
				(unsigned long long)sim_nfilled[pe][asker]);
			for (k = 0; k < 8; k++)
				if (floods[asker].is_used[k] && floods[asker].targets[k] == pe)
					fetched += floods[asker].opens[k].value;
			nfetches += floods[asker].nfetches[pe];
			fetched += floods[asker].fetched[pe];
		}
		sim_check(watch.shared[pe][1] == flood_adds[pe], "PE %d: adds are lost", pe);
		sim_check(watch.shared[pe][2] == nfetches && fetched == nfetches * (nfetches - 1) / 2,
			"PE %d: fetches are lost", pe);
		sim_check(counts->most_kept <= most_kept, "PE %d held %llu messages, not %u at most", pe,
			(unsigned long long)counts->most_kept, most_kept);
		sim_check_idle(pe);
		if (is_verbose)
			printf("flood %d, PE %d: %llu messages with %llu records, %llu responses, %llu acknowledgements, %llu chunks, %llu merged,"
			       " %llu stalls, %llu refused, at most %llu of %u held, credit used up %llu times\n",
				schedule, pe, (unsigned long long)counts->nmessages,
				(unsigned long long)counts->nrecords, (unsigned long long)counts->nresponses,
				(unsigned long long)counts->nacks_alone, (unsigned long long)counts->nchunks,
				(unsigned long long)counts->nmerged, (unsigned long long)counts->nstalls,
				(unsigned long long)counts->nrefused, (unsigned long long)counts->most_kept,
				most_kept, (unsigned long long)sim_nfilled[pe][(pe + 1) % sim.npes]);
	}
}

static void run_flood(int how, unsigned nops)
{
	unsigned i, n, nbusy = 1;
	int pe;

	rng_state = (uint64_t)how + 1;
	sim_begin();
	memset(&config, 0, sizeof config);
	config = (struct gshmemi_engine_config){.first_seq = 0U - 100,
		.nbuffers = 4,
		.nitems = 6,
		.credit = 1 + (unsigned)how,
		.most_credit = 4,
		.ncredits = 3,
		.small_nbytes = 64,
		.chunk_nbytes = 64};
	schedule = how;
	nothing = 1;
	sim_open(SIM_PES, 200, &config);
	sim.is_fifo = how == IN_ORDER;
	memset(floods, 0, sizeof floods);
	memset(flood_adds, 0, sizeof flood_adds);
	for (pe = 0; pe < SIM_PES; pe++)
		floods[pe].nleft = nops / SIM_PES;
	for (i = 0; nbusy && !sim_violation[0]; i++) {
		sim_check(i < 10 * nops, "the flood does not end");
		pe = (int)below(SIM_PES);
		for (n = 0; n < 40 && floods[pe].nleft; n++)
			floods[pe].nleft -= flood_once(pe, (int)below(SIM_PES));
		sim_check(gshmemi_engine_progress(sim_engine(pe)) >= 0, "PE %d: the engine fails", pe);
		sim_fence();
		sim_check_engine(pe);
		for (nbusy = 0, pe = 0; pe < SIM_PES; pe++)
			nbusy += floods[pe].nleft || !gshmemi_engine_is_idle(sim_engine(pe));
	}
	if (!sim_violation[0])
		run_out();
	if (!sim_violation[0])
		check_flood();
	t_check(!sim_violation[0], "flood %d: %s", how, sim_violation);
	sim_close();
}

/* ---- silence ---- */

/*
 * A PE that gets its first request is not asked whether it is alive before it has been
 * silent for a tenth of a second.
 */
static void test_ping(void)
{
	static const unsigned after_ms[] = {1, 20, 90, 150};
	const struct gshmemi_target to = {1, 0, 0, 0};
	const uint64_t began_ns = 10000000000;
	uint64_t word = 7;
	unsigned i;

	sim_begin();
	memset(&config, 0, sizeof config);
	config = (struct gshmemi_engine_config){.nbuffers = 4,
		.nitems = 6,
		.credit = 1,
		.most_credit = 1,
		.small_nbytes = 64,
		.chunk_nbytes = 64};
	sim_open(2, 200, &config);
	sim_now_ns = began_ns;
	sim_fence();
	t_check(gshmemi_engine_put(sim_engine(0), &to, &word, sizeof word), "there is no room for a put");
	for (i = 0; i < sizeof after_ms / sizeof *after_ms; i++) {
		sim_now_ns = began_ns + after_ms[i] * 1000000ULL;
		gshmemi_engine_check_silence(sim_engine(0), sim_now_ns);
		gshmemi_engine_flush(sim_engine(0), true);
		t_equal((long)gshmemi_engine_counts(sim_engine(0))->nacks_alone, after_ms[i] > 100, "pings");
	}
	sim_close();
}

int main(int argc, char **argv)
{
	uint64_t seed = 1;
	int i;

	for (i = 1; i < argc; i++) {
		is_verbose |= !strcmp(argv[i], "-v");
		if (argv[i][0] != '-')
			seed = strtoull(argv[i], NULL, 0);
	}
	test_random(seed, 2000);
	for (i = 0; i < NSCHEDULES; i++)
		run_flood(i, 340000);
	test_ping();
	return 0;
}
