/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier of all processes: in 0, 1 each process sets a flag at every other; 2, 3 use a counter and a
 * release word. Even variants pause between polls. All yield as raw.h says.
 */
#include "raw.h"

#define FLAG(of, from) ((uint64_t *)(shared + 4096 + (of)*SEGMENT) + 16 * (1 + (from)))

int main(int argc, char **argv)
{
	uint64_t epoch = 0, *arrived, *release;

	(void)argc, raw_open(argv);
	arrived = FLAG(0, nprocs), release = FLAG(0, nprocs + 1);
	while (raw_ask()) {
		for (unsigned long i = 0; i < reps; i++) {
			epoch++;
			if (variant < 2) {
				for (int to = 0; to < nprocs; to++)
					__atomic_store_n(FLAG(to, rank), epoch, __ATOMIC_RELEASE);
				for (int from = 0; from < nprocs; from++)
					while (__atomic_load_n(FLAG(rank, from), __ATOMIC_ACQUIRE) < epoch)
						relax(variant == 0);
			} else if (__atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL) % (unsigned)nprocs == 0) {
				__atomic_store_n(release, epoch, __ATOMIC_RELEASE);
			} else {
				while (__atomic_load_n(release, __ATOMIC_ACQUIRE) < epoch)
					relax(variant == 2);
			}
		}
		raw_answer();
	}
}
