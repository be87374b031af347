/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,4 */
/* env: GSHMEM_CHECK=0 | GSHMEM_CHECK=1 */
/*
 * The heap's calls return symmetric, aligned and, where promised, zeroed memory, keep
 * contents, and free everything.
 */
#include <gshmem.h>
#include <string.h>

#include "oracle.h"

static int me, npes;
static long *offsets; /* symmetric: one word per PE */

/* Every PE has the same offset for ptr. */
static void check_symmetric(const void *ptr, const char *what)
{
	long offset = (long)((const char *)ptr - (const char *)offsets);
	int pe;

	gshmem_long_p(&offsets[me], offset, (me + 1) % npes);
	gshmem_barrier_all();
	pe = (me + npes - 1) % npes;
	t_equal((long)t_read_u64(&offsets[pe]), offset, what);
	gshmem_barrier_all();
}

static void check_peer_write(char *ptr, size_t nbytes, const char *what)
{
	static char got[5000];
	size_t i;

	for (i = 0; i < nbytes; i++)
		gshmem_char_p(ptr + i, (char)(i * 7 + (size_t)me), (me + 1) % npes);
	gshmem_barrier_all();
	t_from_device(got, ptr, nbytes);
	for (i = 0; i < nbytes; i++)
		t_check(got[i] == (char)(i * 7 + (size_t)((me + npes - 1) % npes)), "%s: byte %zu", what, i);
	gshmem_barrier_all();
}

static void malloc_and_free(void)
{
	char *a = gshmem_malloc(1), *b = gshmem_malloc(1000), *c = gshmem_malloc_with_hints(64, 3);

	t_check(a && b && c && a != b && b != c, "malloc gives memory");
	t_check((size_t)a % 128 == 0 && (size_t)b % 128 == 0, "default alignment");
	check_symmetric(b, "malloc");
	check_symmetric(c, "malloc_with_hints");
	check_peer_write(b, 1000, "malloc");
	gshmem_free(a);
	gshmem_free(c);
	gshmem_free(b);
	gshmem_free(NULL);
	t_check(!gshmem_malloc(0), "malloc of 0 bytes");
}

static void calloc_zeroes(void)
{
	char *dirty = gshmem_malloc(4096), *clean, got[4096];
	int i;

	t_memset(dirty, 0xff, 4096);
	gshmem_free(dirty);
	clean = gshmem_calloc(64, 64);
	t_check(clean == dirty, "the same place is used again");
	t_from_device(got, clean, sizeof got);
	for (i = 0; i < 4096; i++)
		t_check(got[i] == 0, "calloc: byte %d", i);
	gshmem_barrier_all();
	check_peer_write(clean, 4096, "calloc");
	gshmem_free(clean);
	t_check(!gshmem_calloc(0, 8), "calloc of 0 elements");
}

static void align_aligns(void)
{
	size_t alignment;
	char *ptr, *other = gshmem_malloc(1);

	for (alignment = 1; alignment <= 65536; alignment *= 2) {
		ptr = gshmem_align(alignment, 100);
		t_check(ptr && (size_t)ptr % alignment == 0, "alignment %zu: %p", alignment, (void *)ptr);
		check_symmetric(ptr, "align");
		gshmem_free(ptr);
	}
	gshmem_free(other);
	t_check(!gshmem_align(64, 0), "align of 0 bytes");
}

static void realloc_keeps(void)
{
	char *a = gshmem_realloc(NULL, 100), *b, *moved, bytes[100];
	int i;

	t_check(a, "realloc of NULL");
	for (i = 0; i < 100; i++)
		bytes[i] = (char)i;
	t_to_device(a, bytes, sizeof bytes);
	t_check(gshmem_realloc(a, 5000) == a, "realloc grows in place");
	gshmem_char_p(a + 4999, 1, (me + 1) % npes); /* GSHMEM_CHECK knows the allocation */
	gshmem_barrier_all();
	t_from_device(bytes, a + 4999, 1);
	t_equal(bytes[0], 1, "a put into what realloc added");
	t_check(gshmem_realloc(a, 100) == a, "realloc shrinks in place");
	b = gshmem_malloc(100);
	moved = gshmem_realloc(a, 5000);
	t_check(moved && moved != a, "realloc moves");
	t_from_device(bytes, moved, sizeof bytes);
	for (i = 0; i < 100; i++)
		t_check(bytes[i] == (char)i, "realloc: byte %d", i);
	check_symmetric(moved, "realloc");
	check_peer_write(moved, 5000, "realloc");
	t_check(!gshmem_realloc(moved, 0), "realloc to 0 frees");
	gshmem_free(b);
}

static void stats_count(void)
{
	struct gshmemx_heap_usage before, after;
	void *ptr;

	t_equal(gshmemx_heap_stats(&before), 0, "heap_stats");
	ptr = gshmem_malloc(1000);
	gshmemx_heap_stats(&after);
	t_equal(after.nallocations, before.nallocations + 1, "nallocations");
	t_equal(after.requested - before.requested, 1000, "requested");
	t_equal(after.used - before.used, 1024, "used");
	t_equal(before.free - after.free, 1024, "free");
	t_equal(after.used + after.free, after.total, "used + free");
	gshmem_free(ptr);
	gshmemx_heap_stats(&after);
	t_check(memcmp(&before, &after, sizeof after) == 0, "all is given back");
	t_equal(after.total, 1 << 24, "total");
}

int main(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	struct gshmemx_heap_usage usage;

	attr.heap_nbytes = 1 << 24;
	t_equal(gshmemx_init_attr(&attr), 0, "init");
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	offsets = gshmem_calloc((size_t)npes, sizeof *offsets);
	malloc_and_free();
	calloc_zeroes();
	align_aligns();
	realloc_keeps();
	stats_count();
	gshmem_free(offsets);
	gshmemx_heap_stats(&usage);
	t_equal(usage.nallocations, 0, "allocations at the end");
	t_equal(usage.largest_free, usage.total, "one free block at the end");
	gshmem_finalize();
	return 0;
}
