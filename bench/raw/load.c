/* SPDX-License-Identifier: BSD-3-Clause */
/* 8-byte loads from the next process, each address from the previous value: 0 a pointer, 1 an index. */
#include "raw.h"

int main(int argc, char **argv)
{
	(void)argc, raw_open(argv);
	while (raw_ask()) {
		volatile uint64_t *word = (volatile uint64_t *)peers;
		unsigned long i;

		if (variant == 0) {
			word[0] = (uintptr_t)word;
			for (i = 0; i < reps; i++)
				word = (volatile uint64_t *)(uintptr_t)*word;
		} else {
			uint64_t at = word[0] = 0;
			for (i = 0; i < reps; i++)
				at = word[at];
			word += at;
		}
		if (word != (volatile uint64_t *)peers)
			return 1;
		raw_answer();
	}
}
