/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:2 | GSHMEM_CPU_DELIVERY=random */
/* delivery: no */
/* links: inner */
/*
 * The queue of delayed delivery, alone in one process: what each rule promises holds, and what no rule
 * promises is seen to break. tests/mutants.sh takes the code of the rules out.
 */
#include <stdint.h>

#define hipcpu_lane_serial test_caller
#include "../platform/cpu/delivery.c"
#include "helpers.h"

/* Who hands the operation over: 0 is the host. */
static uint64_t caller;

uint64_t hipcpu_lane_serial(void)
{
	return caller;
}

/* ---- operations as the slow path hands them over: places there are addresses of this process ---- */

static void late_put(void *dest, const void *from, size_t nbytes, int pe, int nbi)
{
	struct gshmemi_operation o = {.what = GSHMEMI_PUT,
		.local = (void *)(uintptr_t)from,
		.nbytes = nbytes,
		.nblocks = 1,
		.pe = pe};

	o.is_nbi = (uint8_t)nbi;
	gshmemi_delivery_carry(&o, dest, NULL);
}

static void late_get(void *dest, void *from, size_t nbytes, int pe)
{
	struct gshmemi_operation o = {
		.what = GSHMEMI_GET, .is_nbi = 1, .local = dest, .nbytes = nbytes, .nblocks = 1, .pe = pe};

	gshmemi_delivery_carry(&o, from, NULL);
}

static uint64_t late_amo(
	void *fetch, int fetches, int op, void *dest, uint64_t value, unsigned nbytes, int pe)
{
	struct gshmemi_operation o = {
		.what = GSHMEMI_AMO, .local = fetch, .nbytes = nbytes, .value = value, .pe = pe};

	o.op = (uint8_t)op;
	o.fetches = (uint8_t)fetches;
	return gshmemi_delivery_carry(&o, dest, NULL);
}

static void late_put_signal(
	void *dest, const void *from, size_t nbytes, uint64_t *sig, uint64_t signal, int op, int pe, int nbi)
{
	struct gshmemi_operation o = {.what = GSHMEMI_PUT_SIGNAL,
		.local = (void *)(uintptr_t)from,
		.nbytes = nbytes,
		.nblocks = 1,
		.value = signal,
		.pe = pe};

	o.op = (uint8_t)op;
	o.is_nbi = (uint8_t)nbi;
	gshmemi_delivery_carry(&o, dest, (char *)sig);
}

static void late_flag(uint64_t *dest, uint64_t value, int pe)
{
	struct gshmemi_operation o = {.what = GSHMEMI_FLAG, .nbytes = 8, .value = value, .pe = pe};

	gshmemi_delivery_carry(&o, (char *)dest, NULL);
}

#define NWORDS 64
static uint64_t data[NWORDS], source[NWORDS], flag;

static uint64_t see(const uint64_t *word)
{
	return gshmemi_arch_load(word, 8);
}

/* How many words of data are not value yet. */
static int nmissing(uint64_t value)
{
	int i, n = 0;

	gshmemi_arch_fence_acquire();
	for (i = 0; i < NWORDS; i++)
		n += data[i] != value;
	return n;
}

static void fill_source(uint64_t value)
{
	int i;

	for (i = 0; i < NWORDS; i++)
		source[i] = value;
}

static void put_data(int pe, uint64_t value, int nbi)
{
	fill_source(value);
	late_put(data, source, sizeof data, pe, nbi);
}

static void put_flag(int pe, uint64_t value)
{
	late_put(&flag, &value, sizeof value, pe, 0);
}

static void wait_for_flag(uint64_t value)
{
	while (see(&flag) != value)
		sched_yield();
}

/* Complete everything, even if quiet is broken. */
static void settle(void)
{
	gshmemi_delivery_stop();
}

/* ---- rules: each returns whether round breaks what its name says ---- */

static bool fence_orders(uint64_t round)
{
	put_data(1, round, 0);
	gshmemi_delivery_order(0);
	put_flag(1, round);
	wait_for_flag(round);
	return nmissing(round) != 0;
}

static bool fence_orders_nbi(uint64_t round)
{
	put_data(1, round, 1);
	gshmemi_delivery_order(0);
	late_amo(NULL, 0, GSHMEMI_AMO_SET, &flag, round, 8, 1);
	wait_for_flag(round);
	return nmissing(round) != 0;
}

static bool fence_orders_atomics(uint64_t round)
{
	static uint32_t count;
	uint32_t before = count;

	late_amo(NULL, 0, GSHMEMI_AMO_ADD, &count, 2, 4, 1);
	gshmemi_delivery_order(0);
	late_amo(NULL, 0, GSHMEMI_AMO_SET, &flag, round, 8, 1);
	wait_for_flag(round);
	return __atomic_load_n(&count, __ATOMIC_ACQUIRE) != before + 2;
}

static bool host_fence_orders_lanes(uint64_t round)
{
	caller = 7;
	put_data(1, round, 0);
	caller = 0;
	gshmemi_delivery_order(0);
	put_flag(1, round);
	wait_for_flag(round);
	return nmissing(round) != 0;
}

static bool quiet_completes(uint64_t round)
{
	caller = round % 3;
	put_data(1, round, round & 1);
	gshmemi_delivery_complete(0, NULL, 0);
	caller = 0;
	return nmissing(round) != 0;
}

static bool host_quiet_completes_lanes(uint64_t round)
{
	caller = 5;
	put_data(1, round, 0);
	caller = 0;
	gshmemi_delivery_complete(0, NULL, 0);
	return nmissing(round) != 0;
}

static bool pe_quiet_completes(uint64_t round)
{
	const int target_pes[2] = {3, 1};

	caller = round % 2;
	put_data(1, round, 0);
	gshmemi_delivery_complete(0, target_pes, 2);
	caller = 0;
	return nmissing(round) != 0;
}

static bool quiet_fills_nbi(uint64_t round)
{
	static uint64_t old, got, word; /* static: a wrong queue writes them late */

	word = round;
	source[0] = round + 2;
	late_amo(&old, 0, GSHMEMI_AMO_ADD, &word, 1, 8, 1);
	late_get(&got, source, sizeof got, 1);
	gshmemi_delivery_complete(0, NULL, 0);
	return see(&old) != round || see(&got) != round + 2 || see(&word) != round + 1;
}

static bool signal_follows_data(uint64_t round)
{
	if (round % 2)
		fill_source(round);
	late_put_signal(data, source, round % 2 ? sizeof data : 0, &flag, round, GSHMEMI_AMO_SET, 1, 0);
	wait_for_flag(round);
	return round % 2 && nmissing(round) != 0;
}

static bool signal_add_follows_data(uint64_t round)
{
	static uint64_t word;
	const uint64_t after = see(&word) + 3;

	fill_source(round);
	late_put_signal(data, source, sizeof data, &word, 3, GSHMEMI_AMO_ADD, 1, 1);
	while (see(&word) != after)
		sched_yield();
	return nmissing(round) != 0;
}

static bool catch_up_keeps_the_fence(uint64_t round)
{
	put_data(1, round, 0);
	gshmemi_delivery_order(0);
	put_flag(1, round);
	late_amo(NULL, 1, GSHMEMI_AMO_FETCH, &flag, 0, 8, 1);
	return nmissing(round) != 0;
}

/* Flags of one word may arrive in any order, also after a newer one that came another way. */
static bool flags_only_raise(uint64_t round)
{
	static uint64_t word;
	int i;

	for (i = 0; i < 8; i++)
		late_flag(&word, 16 * round + (uint64_t)i, 1);
	gshmemi_delivery_order(0);
	while (see(&word) < 16 * round + 7)
		sched_yield();
	gshmemi_apply_flag(&word, 16 * round + 9);
	late_flag(&word, 16 * round + 8, 1);
	gshmemi_delivery_complete(0, NULL, 0);
	return see(&word) != 16 * round + 9;
}

static bool blocking_put_copies_its_source(uint64_t round)
{
	put_data(1, round, 0);
	fill_source(0);
	gshmemi_delivery_complete(0, NULL, 0);
	return nmissing(round) != 0;
}

static bool words_arrive_whole(uint64_t round)
{
	const uint64_t value = round % 2 ? UINT64_MAX : 0;
	static uint64_t word;
	uint64_t seen;

	late_put(&word, &value, sizeof value, 1, 0);
	do {
		seen = see(&word);
		if (seen != 0 && seen != UINT64_MAX)
			return true;
		sched_yield();
	} while (seen != value);
	return false;
}

/* ---- what no rule promises ---- */

static bool puts_are_ordered(uint64_t round)
{
	put_data(1, round, 0);
	put_flag(1, round);
	wait_for_flag(round);
	return nmissing(round) != 0;
}

static bool pieces_are_ordered(uint64_t round)
{
	put_data(1, round, 0);
	while (see(&data[NWORDS - 1]) != round)
		sched_yield();
	return nmissing(round) != 0;
}

static bool puts_are_at_once(uint64_t round)
{
	put_data(1, round, 0);
	return nmissing(round) != 0;
}

static bool nbi_reads_its_source_at_once(uint64_t round)
{
	put_data(1, round, 1);
	fill_source(0);
	gshmemi_delivery_complete(0, NULL, 0);
	return nmissing(round) != 0;
}

static bool fence_orders_two_pes(uint64_t round)
{
	put_data(1, round, 0);
	gshmemi_delivery_order(0);
	put_flag(2, round);
	wait_for_flag(round);
	return nmissing(round) != 0;
}

static bool fence_orders_two_lanes(uint64_t round)
{
	caller = 1;
	put_data(1, round, 0);
	caller = 2;
	gshmemi_delivery_order(0);
	put_flag(1, round);
	caller = 0;
	wait_for_flag(round);
	return nmissing(round) != 0;
}

static bool quiet_of_a_lane_completes_another(uint64_t round)
{
	caller = 1;
	put_data(1, round, 0);
	caller = 2;
	gshmemi_delivery_complete(0, NULL, 0);
	caller = 0;
	return nmissing(round) != 0;
}

static bool pe_quiet_completes_other_pes(uint64_t round)
{
	const int target_pes[1] = {1};

	put_data(2, round, 0);
	gshmemi_delivery_complete(0, target_pes, 1);
	return nmissing(round) != 0;
}

static bool signal_covers_earlier_puts(uint64_t round)
{
	put_data(1, round, 0);
	late_put_signal(NULL, NULL, 0, &flag, round, GSHMEMI_AMO_SET, 1, 0);
	wait_for_flag(round);
	return nmissing(round) != 0;
}

static bool fence_orders_get_nbi(uint64_t round)
{
	static uint64_t got;

	source[0] = round;
	late_get(&got, source, sizeof got, 1);
	gshmemi_delivery_order(0);
	put_flag(1, round);
	wait_for_flag(round);
	return see(&got) != round;
}

/* PE 1 in context 5: with the mark of include/gshmem/state/pe.h. */
#define IN_CONTEXT (1 | 5 << GSHMEMI_PE_CONTEXT_SHIFT | GSHMEMI_PE_MARK)

static bool fence_orders_a_context(uint64_t round)
{
	put_data(IN_CONTEXT, round, 0);
	gshmemi_delivery_order(5);
	put_flag(IN_CONTEXT, round);
	wait_for_flag(round);
	return nmissing(round) != 0;
}

static bool quiet_completes_a_context(uint64_t round)
{
	const int target_pes[1] = {1};

	put_data(IN_CONTEXT, round, 0);
	gshmemi_delivery_complete(5, round % 2 ? target_pes : NULL, 1);
	return nmissing(round) != 0;
}

static bool fence_orders_another_context(uint64_t round)
{
	put_data(round % 2 ? IN_CONTEXT : 1, round, 0);
	gshmemi_delivery_order(round % 2 ? 0 : 5);
	put_flag(round % 2 ? IN_CONTEXT : 1, round);
	wait_for_flag(round);
	return nmissing(round) != 0;
}

static bool quiet_completes_another_context(uint64_t round)
{
	put_data(round % 2 ? IN_CONTEXT : 1, round, 0);
	gshmemi_delivery_complete(round % 2 ? 0 : 5, NULL, 0);
	return nmissing(round) != 0;
}

static const struct rule {
	const char *name;
	bool (*breaks)(uint64_t round);
	bool is_promised;
} rules[] = {
#define PROMISED(NAME) \
	{ \
#NAME, NAME, true \
	}
#define NOT_PROMISED(NAME) \
	{ \
#NAME, NAME, false \
	}
	PROMISED(fence_orders),
	PROMISED(fence_orders_nbi),
	PROMISED(fence_orders_atomics),
	PROMISED(host_fence_orders_lanes),
	PROMISED(quiet_completes),
	PROMISED(host_quiet_completes_lanes),
	PROMISED(pe_quiet_completes),
	PROMISED(quiet_fills_nbi),
	PROMISED(signal_follows_data),
	PROMISED(signal_add_follows_data),
	PROMISED(catch_up_keeps_the_fence),
	PROMISED(blocking_put_copies_its_source),
	PROMISED(words_arrive_whole),
	PROMISED(flags_only_raise),
	NOT_PROMISED(puts_are_ordered),
	NOT_PROMISED(pieces_are_ordered),
	NOT_PROMISED(puts_are_at_once),
	NOT_PROMISED(nbi_reads_its_source_at_once),
	NOT_PROMISED(fence_orders_two_pes),
	NOT_PROMISED(fence_orders_two_lanes),
	NOT_PROMISED(quiet_of_a_lane_completes_another),
	NOT_PROMISED(pe_quiet_completes_other_pes),
	NOT_PROMISED(signal_covers_earlier_puts),
	NOT_PROMISED(fence_orders_get_nbi),
	PROMISED(fence_orders_a_context),
	PROMISED(quiet_completes_a_context),
	NOT_PROMISED(fence_orders_another_context),
	NOT_PROMISED(quiet_completes_another_context),
#undef PROMISED
#undef NOT_PROMISED
};

static bool breaks_within(const struct rule *rule, int nrounds)
{
	static uint64_t round;

	while (nrounds-- > 0) {
		bool broken = rule->breaks(++round);

		settle();
		if (broken)
			return true;
	}
	return false;
}

static void check_rules(void)
{
	const struct rule *rule;

	for (rule = rules; rule < rules + sizeof rules / sizeof *rules; rule++) {
		if (rule->is_promised)
			t_check(!breaks_within(rule, 100), "%s: broken", rule->name);
		else
			t_check(breaks_within(rule, 1000), "%s: held for 1000 rounds, without a promise",
				rule->name);
	}
}

/* ---- the rest ---- */

/* In how many of 64 programs that send one message a word without a fence is there before its data. */
static int count_overtaken(void)
{
	static uint64_t round = 1000000;
	int i, n = 0;

	for (i = 0; i < 64; i++) {
		put_data(1, ++round, 0);
		put_flag(1, round);
		n += see(&flag) == round && nmissing(round);
		settle();
	}
	return n;
}

/* Chance alone shows a missing fence to fewer than ten of them. */
static void check_overtaking(void)
{
	const int n = count_overtaken();

	t_check(n >= 10, "a word overtook its data in %d of 64 programs", n);
}

/* Many callers with several epochs each: everything arrives without a further call. */
static void check_arrival(void)
{
	enum { NCALLERS = 3000, NEPOCHS = 4 };
	static uint64_t counts[NCALLERS];
	int i, k;

	for (k = 0; k < NEPOCHS; k++)
		for (i = 0; i < NCALLERS; i++) {
			caller = (uint64_t)i;
			late_amo(NULL, 0, GSHMEMI_AMO_ADD, &counts[i], 1, 8, i % 4);
			gshmemi_delivery_order(0);
		}
	caller = 0;
	for (i = 0; i < NCALLERS; i++)
		while (see(&counts[i]) != NEPOCHS)
			sched_yield();
}

/* A large put arrives whole, and the waiting bytes stay bounded. */
static void check_bound(void)
{
	const size_t nbytes = (size_t)160 << 20;
	char *from = malloc(nbytes + 16), *to = calloc(1, nbytes + 16);
	size_t i;

	t_check(from && to, "malloc");
	for (i = 0; i < nbytes; i++)
		from[i] = (char)(i * 31 >> 3);
	late_put_signal(to + 3, from, nbytes, &flag, 1, GSHMEMI_AMO_SET, 1, 0);
	t_check(queued_bytes <= MAX_QUEUED_BYTES, "%zu bytes are queued", queued_bytes);
	gshmemi_delivery_complete(0, NULL, 0);
	t_check(!memcmp(to + 3, from, nbytes), "160 MiB differ");
	t_check(!to[0] && !to[2] && !to[nbytes + 3], "written beyond the ends");
	free(from);
	free(to);
}

/* When nothing is left there are no queues and no bytes: nothing leaks. */
static void check_empty(void)
{
	int i;

	settle();
	t_equal(nqueues, 0, "queues");
	t_equal(queued_bytes, 0, "bytes");
	for (i = 0; i < NBUCKETS; i++)
		t_check(!buckets[i], "bucket %d is not empty", i);
}

int main(void)
{
	check_rules();
	check_overtaking();
	check_arrival();
	check_bound();
	check_empty();
	return 0;
}
