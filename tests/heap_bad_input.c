/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bad input to the heap's calls gives the same result on all PEs and one message; nothing is
 * lost, and the heap still works.
 */
/* carry: no */
/* timeout: 120 */
#include <gshmem.h>

#include "job.h"

static int me;

/* Each case makes its call; all PEs must get NULL where it returns a pointer. */
static void make_call(const char *name, char *a, char *b)
{
	void *got = NULL;

	if (strcmp(name, "sizes") == 0)
		got = gshmem_malloc(me == 1 ? 2048 : 1024);
	else if (strcmp(name, "zero") == 0)
		got = gshmem_malloc(me == 1 ? 0 : 1024);
	else if (strcmp(name, "calls") == 0 && me == 1)
		gshmem_free(a);
	else if (strcmp(name, "calls") == 0)
		got = gshmem_malloc(64);
	else if (strcmp(name, "alignments") == 0)
		got = gshmem_align(me == 1 ? 512 : 256, 64);
	else if (strcmp(name, "hints") == 0)
		got = gshmem_malloc_with_hints(64, me);
	else if (strcmp(name, "align3") == 0)
		got = gshmem_align(3, 64);
	else if (strcmp(name, "align0") == 0)
		got = gshmem_align(0, 64);
	else if (strcmp(name, "alignhuge") == 0)
		got = gshmem_align((size_t)1 << 40, 64);
	else if (strcmp(name, "align_one") == 0)
		got = gshmem_align(me == 1 ? 24 : 64, 64);
	else if (strcmp(name, "full") == 0)
		got = gshmem_malloc(8 << 20);
	else if (strcmp(name, "overflow") == 0)
		got = gshmem_calloc((size_t)1 << 40, (size_t)1 << 40);
	else if (strcmp(name, "grow") == 0)
		got = gshmem_realloc(a, 8 << 20);
	else if (strcmp(name, "foreign") == 0)
		gshmem_free(me == 1 ? gshmem_ptr(a, 0) : a);
	else if (strcmp(name, "stack") == 0)
		gshmem_free(&me);
	else if (strcmp(name, "inside") == 0)
		gshmem_free(a + 64);
	else if (strcmp(name, "inside_one") == 0)
		gshmem_free(me == 1 ? a + 256 : a);
	else if (strcmp(name, "others") == 0)
		gshmem_free(me == 1 ? a : b);
	else if (strcmp(name, "null_one") == 0)
		gshmem_free(me == 1 ? NULL : a);
	else if (strcmp(name, "realloc_bad") == 0)
		got = gshmem_realloc(a + 8, 100);
	else if (strcmp(name, "realloc_sizes") == 0)
		got = gshmem_realloc(a, me == 1 ? 100 : 200);
	else if (strcmp(name, "inits") == 0 && me == 1)
		t_equal(gshmem_init_thread(GSHMEM_THREAD_SINGLE, NULL), -22, "init");
	else if (strcmp(name, "inits") == 0)
		got = gshmem_malloc(64);
	else if (strcmp(name, "end") == 0 && me == 1)
		gshmem_finalize();
	else if (strcmp(name, "end") == 0)
		got = gshmem_malloc(64);
	else
		t_fail("no case %s", name);
	t_check(!got, "the call should return NULL");
}

static int pe_main(const char *name)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	struct gshmemx_heap_usage before, after;
	char *a, *b;

	attr.heap_nbytes = 4 << 20;
	t_equal(gshmemx_init_attr(&attr), 0, "init");
	me = gshmem_my_pe();
	a = gshmem_malloc(1000);
	b = gshmem_malloc(1000);
	if (strcmp(name, "twice") == 0) {
		gshmem_free(b);
		gshmemx_heap_stats(&before);
		gshmem_free(b);
		gshmemx_heap_stats(&after);
		b = gshmem_malloc(1000);
	} else {
		gshmemx_heap_stats(&before);
		make_call(name, a, b);
		gshmemx_heap_stats(&after);
	}
	t_check(memcmp(&before, &after, sizeof after) == 0, "the heap has changed");
	gshmem_free(a);
	gshmem_free(b);
	gshmemx_heap_stats(&after);
	t_equal(after.nallocations, 0, "allocations at the end");
	gshmem_finalize();
	return 0;
}

static void expect(const char *name, const char *text)
{
	static struct t_job job;
	static int ncases;

	if (t_left_out(ncases++))
		return;
	t_job_run(&job, 2, "", "", name, 20);
	t_job_ended(&job, name);
	t_check(t_job_count(&job, text) == 1 && t_job_count(&job, "gshmem: ") == 1,
		"%s: expected \"%s\" alone:\n%s", name, text, job.output);
}

/* One PE never calls: the job ends with only this message. */
static void expect_end(const char *name, const char *text)
{
	static struct t_job job;

	t_job_run(&job, 2, "", "", name, 20);
	t_job_failed(&job, name, text, 1);
	t_check(t_job_count(&job, "gshmem: ") == 1, "%s: expected \"%s\" alone:\n%s", name, text, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1]);
	expect("sizes", "pe 0: gshmem_malloc: 1024 bytes on PE 0 but 2048 on PE 1");
	expect("zero", "pe 0: gshmem_malloc: 1024 bytes on PE 0 but 0 on PE 1");
	expect("calls", "pe 0: PE 0 called gshmem_malloc but PE 1 called gshmem_free");
	expect("alignments", "pe 0: gshmem_align: alignment 256 on PE 0 but 512 on PE 1");
	expect("hints", "pe 0: gshmem_malloc_with_hints: hints 0x0 on PE 0 but 0x1 on PE 1");
	expect("align3", "pe 0: gshmem_align: alignment 3 is not a power of two");
	expect("align0", "pe 0: gshmem_align: alignment 0 is not a power of two");
	expect("alignhuge", "pe 0: gshmem_align: alignment 1099511627776: the heap itself is aligned to ");
	expect("align_one", "pe 1: gshmem_align: alignment 24 is not a power of two");
	expect("full",
		"pe 0: gshmem_malloc: 8388608 bytes at a multiple of 1: out of memory: of the 4194304 bytes of "
		"the heap 4192256 are free, the largest block has 4192256 (GSHMEM_HEAP_SIZE)");
	expect("overflow", "pe 0: gshmem_calloc: 1099511627776 times 1099511627776 bytes");
	expect("grow", "pe 0: gshmem_realloc: 8388608 bytes at a multiple of 1: out of memory");
	expect("twice", "is not allocated: was it freed before?");
	expect("foreign", "is in the heap of PE 0: pass this PE's own address");
	expect("stack", "is not in the symmetric heap, ");
	expect("inside", "is 64 bytes inside an allocation of 1000 bytes: pass its start");
	expect("inside_one", "pe 1: gshmem_free: ");
	expect("others", "pe 0: gshmem_free: heap+0x400 on PE 0 but heap+0x0 on PE 1");
	expect("null_one", "pe 0: gshmem_free: NULL on PE 1 only");
	expect("realloc_bad", "pe 0: gshmem_realloc: ");
	expect("realloc_sizes", "pe 0: gshmem_realloc: 200 bytes on PE 0 but 100 on PE 1");
	expect("inits", "pe 0: PE 0 called gshmem_malloc but PE 1 called gshmem_init");
	expect_end("end", "pe 0: PE 0 called gshmem_malloc but PE 1 called gshmem_finalize");
	return 0;
}
