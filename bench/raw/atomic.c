/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics on a word of the last process: 0, 1 fetch and add, dependent or not; 2, 3 add, by two instructions.
 */
#include "raw.h"

int main(int argc, char **argv)
{
	(void)argc, raw_open(argv);
	while (raw_ask()) {
		uint64_t *word = (uint64_t *)(shared + 4096 + (nprocs - 1) * SEGMENT), last = 0;
		unsigned long i;

		if (variant == 0)
			for (i = 0; i < reps; i++)
				last = __atomic_fetch_add(word, (last >> 63) + 1, __ATOMIC_RELAXED);
		else if (variant == 1)
			for (i = 0; i < reps; i++)
				last |= __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
		else if (variant == 2)
			for (i = 0; i < reps; i++)
				__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
		else
			for (i = 0; i < reps; i++)
				INCREMENT(word);
		*(volatile uint64_t *)mine = last;
		raw_answer();
	}
}
