/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A flag and its payload bounce between two processes, each polling its own memory: 0 with, 1 without pause.
 */
#include "raw.h"

int main(int argc, char **argv)
{
	uint64_t i = 0, end;

	(void)argc, raw_open(argv);
	while (raw_ask()) {
		uint64_t *in = (uint64_t *)mine, *out = (uint64_t *)peers;

		for (end = i + reps; i < end;) {
			i++;
			if (rank == 0)
				out[1] = i, __atomic_store_n(out, i, __ATOMIC_RELEASE);
			while (__atomic_load_n(in, __ATOMIC_ACQUIRE) < i)
				relax(variant == 0);
			if (rank != 0)
				out[1] = i, __atomic_store_n(out, i, __ATOMIC_RELEASE);
		}
		raw_answer();
	}
}
