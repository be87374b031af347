/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between the memories of two processes: 0 to the next one's, 1 from it; 2 to it, each followed by a
 * fence; 3 from it, each after reading what the previous copy brought.
 */
#include "raw.h"

int main(int argc, char **argv)
{
	const size_t half = SEGMENT / 2;

	(void)argc, raw_open(argv);
	while (raw_ask()) {
		char *dest = (variant & 1) ? mine : peers, *source = ((variant & 1) ? peers : mine) + half;
		unsigned long i;

		for (i = 0; i < reps; i++) {
			memcpy(dest, source, nbytes);
			__asm__ volatile("" ::: "memory");
			if (variant == 2)
				__atomic_thread_fence(__ATOMIC_SEQ_CST);
			else if (variant == 3)
				source += *(volatile char *)dest; /* which is 0 */
		}
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		raw_answer();
	}
}
