/* SPDX-License-Identifier: BSD-3-Clause */
/* run: */
/* links: inner */
/*
 * No sequence of calls makes the heap's allocator differ from its model, break its invariants, or touch
 * memory that it should not. As a test it runs a few thousand pseudo-random inputs. As a libFuzzer target it
 * searches for inputs by coverage:
 *
 * 	clang -g -O1 -std=c11 -fsanitize=fuzzer,address,undefined -DGSHMEM_FUZZ -Isrc -Iinclude -Itests \
 * 		tests/allocator_fuzz.c src/heap/allocator.c -o build/allocator_fuzz
 * 	build/allocator_fuzz -max_len=4096 -max_total_time=180
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

struct input {
	const uint8_t *at, *end;
};

static unsigned byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* Makes two bytes into a number of any magnitude below 2^bits: seven bits and a shift. */
static uint64_t number(struct input *in, unsigned bits)
{
	uint64_t mantissa = byte(in) & 127;

	return mantissa << byte(in) % bits >> 6;
}

/* A live allocation, mostly; else any offset. */
static uint64_t offset_from(struct input *in, const struct model *m)
{
	unsigned pick = byte(in);

	if (m->nlive && pick < 240)
		return m->live[pick % m->nlive].start;
	return m->nlive && pick < 250 ? m->live[pick % m->nlive].start + number(in, 20) : number(in, 45);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
	struct input in = {data, data + nbytes};
	struct model m;
	uint64_t offset;

	/* small heaps more often, because they fill up; at most 8 TiB */
	model_create(&m, (128ull << byte(&in) % 37) + number(&in, 14));
	while (in.at < in.end) {
		unsigned op = byte(&in);

		if (op < 110)
			model_alloc(&m, number(&in, 44), 1ull << (op < 80 ? op % 8 : op % 40), &offset);
		else if (op < 112)
			model_alloc(&m, number(&in, 44), number(&in, 20), &offset);
		else if (op < 190)
			model_free(&m, offset_from(&in, &m));
		else if (op < 240) {
			offset = offset_from(&in, &m);
			model_resize(&m, offset, number(&in, 44));
		} else
			model_find(&m, offset_from(&in, &m));
		model_check(&m);
	}
	model_free_all(&m, nbytes);
	model_destroy(&m);
	return 0;
}

#ifndef GSHMEM_FUZZ
int main(void)
{
	uint8_t data[2048];
	uint32_t state = 1;

	for (unsigned i = 0; i < 4000; i++) {
		size_t nbytes = i % sizeof(data);

		if (t_left_out((int)i))
			continue;
		for (size_t j = 0; j < nbytes; j++)
			data[j] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
		if (nbytes)
			data[0] = (uint8_t)(i % 37);
		LLVMFuzzerTestOneInput(data, nbytes);
	}
	return 0;
}
#endif
