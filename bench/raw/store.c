/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 8-byte stores to the next process: 0, 1 complete each, by mfence or a locked
 * instruction; 2, 3 all at the end.
 */
#include "raw.h"

int main(int argc, char **argv)
{
	(void)argc, raw_open(argv);
	while (raw_ask()) {
		volatile uint64_t *word = (volatile uint64_t *)peers;
		unsigned long i;

		if (variant == 0)
			for (i = 0; i < reps; i++) {
				*word = i;
				FENCE();
			}
		else if (variant == 1)
			for (i = 0; i < reps; i++) {
				*word = i;
				LOCKED();
			}
		else if (variant == 2)
			for (i = 0; i < reps; i++)
				word[i & 511] = i;
		else
			for (i = 0; i + 4 <= reps; i += 4)
				word[i & 511] = i, word[(i + 1) & 511] = i, word[(i + 2) & 511] = i,
					 word[(i + 3) & 511] = i;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		raw_answer();
	}
}
