/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* run: -n 2 */
/* env: GSHMEM_HEAP_PREALLOC=0 | GSHMEM_HEAP_PREALLOC=1 */
/* Init touches no page of the heap; with GSHMEM_HEAP_PREALLOC=1 it allocates all of them. */
#include <gshmem.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "helpers.h"

#define HEAP_NBYTES ((size_t)64 << 20)

int main(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), npages = HEAP_NBYTES / page, i, nresident = 0;
	const char *prealloc = getenv("GSHMEM_HEAP_PREALLOC");
	unsigned char *resident = malloc(npages);
	void *heap;

	attr.heap_nbytes = HEAP_NBYTES;
	t_equal(gshmemx_init_attr(&attr), 0, "init");
	heap = gshmem_malloc(HEAP_NBYTES);
	t_check(heap, "malloc of the whole heap");
	t_check(mincore(heap, HEAP_NBYTES, resident) == 0, "mincore");
	for (i = 0; i < npages; i++)
		nresident += resident[i] & 1;
	t_equal(nresident, prealloc && strcmp(prealloc, "1") == 0 ? npages : 0, "resident pages");
	gshmem_free(heap);
	gshmem_finalize();
	free(resident);
	return 0;
}
