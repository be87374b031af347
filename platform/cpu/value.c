/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams that write a word, or wait for the value of one, which a host, a kernel or another PE writes. */
#include <stdlib.h>
#include <time.h>

#include "runtime.h"

#define SPINS  1000
#define NAP_NS 50000

struct value_op {
	struct hipcpu_item item;
	void *word;
	unsigned nbytes;
	uint64_t value, mask;
	unsigned flags; /* of a wait */
};

/* Where the thread reaches the word, until it restores its access. */
static void *open_word(const struct value_op *op, bool *was_open)
{
	char *word = op->word;
	const char *same = word;

	*was_open = hipcpu_access_open_copy(&word, &same);
	return word;
}

static void write_value(struct hipcpu_item *item)
{
	const struct value_op *op = (struct value_op *)item;
	bool was_open;

	hipcpu_atomic_store(open_word(op, &was_open), op->value, op->nbytes);
	hipcpu_access_restore(was_open);
}

static uint64_t load(const struct value_op *op)
{
	bool was_open;
	const uint64_t value = hipcpu_atomic_load(open_word(op, &was_open), op->nbytes);

	hipcpu_access_restore(was_open);
	return value;
}

static bool is_reached(const struct value_op *op)
{
	const uint64_t found = load(op) & op->mask, value = op->value & op->mask;

	switch (op->flags) {
	case hipStreamWaitValueGte:
		return found >= value;
	case hipStreamWaitValueEq:
		return found == value;
	case hipStreamWaitValueAnd:
		return (found & value) != 0;
	default:
		return (~(found | value) & op->mask) != 0;
	}
}

static void wait_value(struct hipcpu_item *item)
{
	const struct value_op *op = (struct value_op *)item;
	const struct timespec nap = {0, NAP_NS};
	unsigned n = 0;

	while (!is_reached(op)) {
		if (++n < SPINS)
			hipcpu_relax();
		else
			nanosleep(&nap, NULL);
	}
}

static hipError_t submit(hipStream_t stream, const struct value_op *op)
{
	struct ihipStream_t *s = hipcpu_stream(stream);
	struct value_op *mine;

	if (!s)
		return hipErrorInvalidHandle;
	if (!op->word || (uintptr_t)op->word % op->nbytes || op->flags > hipStreamWaitValueNor)
		return hipErrorInvalidValue;
	mine = malloc(sizeof *mine);
	if (!mine)
		return hipErrorOutOfMemory;
	*mine = *op;
	mine->item.nbytes = sizeof *mine;
	return hipcpu_stream_submit(s, &mine->item);
}

#define WRITE_VALUE(NBITS) \
	hipError_t hipStreamWriteValue##NBITS( \
		hipStream_t stream, void *word, uint##NBITS##_t value, unsigned flags) \
	{ \
		HIPCPU_ENTER(hipStreamWriteValue##NBITS); \
		(void)flags; \
		HIPCPU_LEAVE(submit(stream, \
			&(struct value_op){ \
				{.run = write_value}, word, NBITS / 8, value, UINT##NBITS##_MAX, 0})); \
	}
#define WAIT_VALUE(NBITS) \
	hipError_t hipStreamWaitValue##NBITS( \
		hipStream_t stream, void *word, uint##NBITS##_t value, unsigned flags, uint##NBITS##_t mask) \
	{ \
		HIPCPU_ENTER(hipStreamWaitValue##NBITS); \
		HIPCPU_LEAVE(submit(stream, \
			&(struct value_op){{.run = wait_value}, word, NBITS / 8, value, mask, flags})); \
	}
WRITE_VALUE(32)
WRITE_VALUE(64)
WAIT_VALUE(32)
WAIT_VALUE(64)
