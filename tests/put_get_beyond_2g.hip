/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* tier: all */
/* timeout: 120 */
/* delivery: no, it keeps a copy of what is on its way */
/* races: no, the shadow takes eight times as much */
/*
 * Copies longer than 2 GiB work, and objects more than 4 GiB into the heap. The host makes the long put, from
 * memory that was never written and so takes no pages; a work-group makes the long get.
 */
#include <sys/mman.h>
#include <hip/hip_runtime.h>
#include "oracle.h"

static const size_t nbytes = (2ULL << 30) + 4096 + 13;

static __global__ void get_long(char *dest, const char *source, int pe)
{
	gshmemx_getmem_wg(dest, source, nbytes, pe);
}

static __global__ void far(long *at, long value, int pe, long *read)
{
	gshmem_long_p(at, value, pe);
	gshmem_quiet();
	*read = gshmem_long_g(at, pe);
	gshmem_long_atomic_inc(at, pe);
	gshmem_quiet();
}

/* kB from /proc/meminfo, or more than enough. */
static size_t available_kb()
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	size_t kb = ~(size_t)0;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "MemAvailable: %zu", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

int main()
{
	/* Offsets around the ends, and around the limits of 31 and 32 bits. */
	static const size_t marks[] = {
		0, 1, 15, 16, (1ULL << 30) - 1, (2ULL << 30) - 1, 2ULL << 30, nbytes - 14, nbytes - 1};
	char *dest, *local, *source, byte;

	if (available_kb() < 13U << 20)
		t_skip("two heaps of 5 GiB need 13 GiB of available memory, there are %zu MiB",
			available_kb() >> 10);
	setenv("GSHMEM_HEAP_SIZE", "5g", 0);
	gshmem_init();
	int me = gshmem_my_pe();
	dest = (char *)t_shmalloc(nbytes + 1);
	local = (char *)t_shmalloc(nbytes + 1);
	long *at = (long *)t_shmalloc(2 * sizeof(long));
	t_check((char *)at - dest > 1L << 32, "the object lies only %td bytes into the heap",
		(char *)at - dest);

	source = (char *)mmap(
		NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	t_check(source != MAP_FAILED, "mmap of %zu bytes failed", nbytes);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		source[marks[i]] = (char)(i + 1);
	t_memset(dest + nbytes, 99, 1);
	t_memset(local + nbytes, 98, 1);
	gshmem_barrier_all();

	if (me == 0)
		gshmem_putmem(dest, source, nbytes, 1);
	t_launch(far, 1, 1, at, 100L + me, 1 - me, at + 1);
	gshmem_barrier_all();
	long longs[2];
	t_from_device(longs, at, sizeof longs);
	t_check(longs[0] == 101 + 1 - me && longs[1] == 100 + me,
		"PE %d: long p, g, inc beyond 4 GiB: expected %d and %d, got %ld and %ld", me, 101 + 1 - me,
		100 + me, longs[0], longs[1]);
	if (me == 0) {
		t_launch(get_long, 1, 256, local, dest, 1);
		dest = local;
	}
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		t_from_device(&byte, dest + marks[i], 1);
		t_check(byte == (char)(i + 1), "PE %d: %s of %zu bytes: byte %zu: expected %zu, got %d", me,
			me ? "putmem" : "getmem_wg", nbytes, marks[i], i + 1, byte);
	}
	t_from_device(&byte, dest + nbytes, 1);
	t_check(byte == (me ? 99 : 98), "PE %d: %zu bytes: the byte behind: expected %d, got %d", me, nbytes,
		me ? 99 : 98, byte);
	gshmem_finalize();
	return 0;
}
