/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibers whose state is a number. A fiber runs from one primitive to the next. Its position (saved
 * registers and the live bytes of its stack) is looked up in a table. So a fiber is an automaton that is
 * discovered step by step: what it does next depends on the number and on its primitive's result, and
 * each such step runs only once.
 */
#ifndef RPC_EXPLORE_FIBER_H
#define RPC_EXPLORE_FIBER_H

#include <stdint.h>
#include <string.h>
#include <unordered_map>
#include <vector>

#include "helpers.h"

enum kind {
	START, /* has not run yet */
	LOAD,
	STORE,
	AMO,
	FENCE,
	ENTER,
	SYNC,
	BROADCAST,
	PAUSE,
	CLEAN,   /* nothing of the previous call is left on the stack */
	STEP,    /* a step that does nothing */
	DRAINED, /* waits until the stores of wave `value` have arrived */
	CHOOSE,  /* value: bits of the possible results */
	FAIL,    /* address: the message */
	DONE
};

/* A primitive that waits to be performed. */
struct op {
	enum kind kind;
	int amo;
	unsigned nbytes;
	const void *address;
	unsigned where, offset; /* of the address, as the search's place_of says */
	uint64_t value;         /* of SYNC and BROADCAST the value; cond: the lanes */
	uint64_t cond;
};

#define MAX_FIBERS  8
#define STACK_BYTES 16384
/* below the live bytes; zeroed before a fiber runs, so that unwritten bytes read as zero */
#define CLEAN_BYTES 6144

static uint64_t hash_bytes(const void *bytes, size_t nbytes)
{
	uint64_t hash = nbytes, word;

	for (; nbytes; nbytes -= nbytes < 8 ? nbytes : 8) {
		word = 0;
		memcpy(&word, bytes, nbytes < 8 ? nbytes : 8);
		bytes = (const char *)bytes + 8;
		hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Numbers for things of equal bytes. */
struct numbers {
	struct item {
		size_t offset, nbytes;
	};
	std::vector<item> items;
	std::vector<uint32_t> table; /* by hash: number + 1 */
	std::vector<char> bytes;

	uint32_t *find(const void *thing, size_t nbytes)
	{
		const size_t mask = table.size() - 1;
		size_t i;

		for (i = hash_bytes(thing, nbytes) & mask; table[i]; i = (i + 1) & mask) {
			const item &known = items[table[i] - 1];

			if (known.nbytes == nbytes && !memcmp(&bytes[known.offset], thing, nbytes))
				break;
		}
		return &table[i];
	}

	uint32_t of(const void *thing, size_t nbytes)
	{
		uint32_t *at;
		size_t i;

		if (items.size() * 2 >= table.size()) {
			table.assign(table.empty() ? 1024 : 2 * table.size(), 0);
			for (i = 0; i < items.size(); i++)
				*find(&bytes[items[i].offset], items[i].nbytes) = (uint32_t)i + 1;
		}
		at = find(thing, nbytes);
		if (!*at) {
			items.push_back({bytes.size(), nbytes});
			bytes.insert(bytes.end(), (const char *)thing, (const char *)thing + nbytes);
			bytes.resize((bytes.size() + 15) & ~(size_t)15);
			*at = (uint32_t)items.size();
		}
		return *at - 1;
	}

	/* Valid until the next of(). */
	const char *at(uint32_t i) const { return &bytes[items[i].offset]; }

	void clear()
	{
		items.clear();
		table.clear();
		bytes.clear();
	}
};

/* The position of a fiber; the stack's live bytes follow. */
struct stand {
	struct op op;
	uint32_t fiber;
	uint32_t nbytes;
};

static char stacks[MAX_FIBERS][STACK_BYTES] __attribute__((aligned(64)));
static void (*fiber_main[MAX_FIBERS])(void);
static void *fiber_sp, *search_sp; /* registers of the side that does not run */
static unsigned fiber_now;
static struct op op_now;
static uint64_t result_now;
static numbers stands;

struct turn {
	uint64_t result;
	uint64_t number;

	bool operator==(const turn &other) const { return result == other.result && number == other.number; }
};
struct turn_hash {
	size_t operator()(const turn &t) const { return hash_bytes(&t, sizeof t); }
};
static std::unordered_map<turn, uint32_t, turn_hash> turns; /* the number that follows */

/* Save the callee's registers and the stack, and go on with the other one. */
extern "C" void explore_switch(void **sp_p, void *sp);
asm(".text\n"
    ".globl explore_switch\n"
    ".type explore_switch, @function\n"
    "explore_switch:\n"
    "	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
    "	movq %rsp, (%rdi)\n"
    "	movq %rsi, %rsp\n"
    "	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n"
    "	ret\n"
    ".size explore_switch, . - explore_switch\n");

/* In a fiber: let the search perform the primitive. */
static __attribute__((noinline)) uint64_t ask(
	enum kind kind, const void *address, unsigned nbytes, uint64_t value, uint64_t cond, int amo)
{
	memset(&op_now, 0, sizeof op_now);
	op_now.kind = kind;
	op_now.amo = amo;
	op_now.nbytes = nbytes;
	op_now.address = address;
	op_now.value = value;
	op_now.cond = cond;
	explore_switch(&fiber_sp, search_sp);
	return result_now;
}

static void fiber_start(void)
{
	fiber_main[fiber_now]();
	for (;;)
		ask(DONE, NULL, 0, 0, 0, 0);
}

/* The search's form of an address: a place in memory, and an offset in it. */
static void place_of(const void *address, unsigned *where_p, unsigned *offset_p);

static uint32_t stand_number(void)
{
	char *top = stacks[fiber_now] + STACK_BYTES, *sp = (char *)fiber_sp;
	static char bytes[sizeof(struct stand) + STACK_BYTES];
	struct stand *s = (struct stand *)(void *)bytes;

	t_check(sp > stacks[fiber_now] + CLEAN_BYTES && sp < top, "a fiber's stack is too small");
	memset(s, 0, sizeof *s);
	s->op = op_now;
	if (op_now.kind == LOAD || op_now.kind == STORE || op_now.kind == AMO)
		place_of(op_now.address, &s->op.where, &s->op.offset);
	s->fiber = fiber_now;
	s->nbytes = (uint32_t)(top - sp);
	memcpy(s + 1, sp, s->nbytes);
	return stands.of(bytes, sizeof *s + s->nbytes);
}

/* A fiber that has not run. */
static uint32_t fiber_new(unsigned fiber, void (*body)(void))
{
	void **top = (void **)(void *)(stacks[fiber] + STACK_BYTES - 64);

	memset(stacks[fiber], 0, STACK_BYTES);
	fiber_main[fiber] = body;
	fiber_now = fiber;
	*--top = NULL; /* at a function's entry the stack is 8 bytes off 16 */
	*--top = (void *)fiber_start;
	fiber_sp = top - 6;
	memset(&op_now, 0, sizeof op_now);
	op_now.kind = START;
	return stand_number();
}

/* The position of every fiber that has ended, or will do no more. */
static uint32_t fiber_stopped(void)
{
	fiber_now = 0;
	fiber_sp = stacks[0] + STACK_BYTES - 64;
	memset(&op_now, 0, sizeof op_now);
	op_now.kind = DONE;
	return stand_number();
}

static const struct op *op_at(uint32_t number)
{
	return &((const struct stand *)(const void *)stands.at(number))->op;
}

/* Resume the fiber at this position with this result, up to its next primitive. */
static uint32_t resume(uint32_t number, uint64_t result)
{
	const turn key = {result, number};
	const struct stand *s;
	char *sp;

	auto known = turns.find(key);
	if (known != turns.end())
		return known->second;
	s = (const struct stand *)(const void *)stands.at(number); /* until stand_number */
	fiber_now = s->fiber;
	sp = stacks[fiber_now] + STACK_BYTES - s->nbytes;
	memset(sp - CLEAN_BYTES, 0, CLEAN_BYTES);
	memcpy(sp, s + 1, s->nbytes);
	result_now = result;
	explore_switch(&search_sp, sp);
	return turns[key] = stand_number();
}

#endif /* RPC_EXPLORE_FIBER_H */
