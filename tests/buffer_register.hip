/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CARRY=all */
/* carry: no, it says which PEs are carried */
/* net: no, likewise */
/*
 * Registered buffers: which are refused, and that kernels put from them and get into them. A request names a
 * registered local end by its address, so a long put and a long get are two requests, whoever reaches what.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

enum { NBYTES = 20000, NPLACES = 64 };

struct shared {
	char data[NBYTES];
	uint64_t nrequests;
};

__global__ static void move_kernel(struct shared *s, const char *source, char *dest, int me, int other)
{
	const struct gshmemi_rpc_posts *const posts = gshmemi_state.rpc.posts;
	const uint64_t before = posts ? gshmemi_arch_load(&posts->carried, 8) : 0;

	gshmem_putmem(s->data, source, NBYTES, other);
	gshmem_quiet();
	gshmem_getmem(dest, s->data, NBYTES, other);
	gshmem_uint64_p(&s->nrequests, (posts ? gshmemi_arch_load(&posts->carried, 8) : 0) - before, me);
	gshmem_quiet();
}

/* A kernel moves NBYTES from one buffer over the other PE to another one. Returns its requests. */
static uint64_t move(struct shared *s, char *source, char *dest, unsigned seed)
{
	char *bytes = (char *)t_alloc(NBYTES);
	const int me = gshmem_my_pe();

	for (size_t i = 0; i < NBYTES; i++)
		bytes[i] = (char)t_byte(seed, i);
	t_to_device(source, bytes, NBYTES);
	t_launch(move_kernel, 1, 1, s, source, dest, me, 1 - me);
	t_from_device(bytes, dest, NBYTES);
	for (size_t i = 0; i < NBYTES; i++)
		t_equal((unsigned char)bytes[i], t_byte(seed, i),
			"a byte that went to the other PE and back");
	free(bytes);
	gshmem_barrier_all();
	return t_read_u64(&s->nrequests);
}

static void bad_input(struct shared *s, char *buffer)
{
	char *more[NPLACES];
	int n = 0;

	t_equal(gshmemx_buffer_register(NULL, 8), -EINVAL, "NULL");
	t_equal(gshmemx_buffer_register(buffer, 0), -EINVAL, "no bytes");
	t_equal(gshmemx_buffer_register(buffer, SIZE_MAX), -EINVAL, "bytes beyond the end of memory");
	t_equal(gshmemx_buffer_register(s, sizeof *s), -EINVAL, "memory of the heap");
	t_equal(gshmemx_buffer_unregister(buffer), -EINVAL, "memory that was not registered");
	t_equal(gshmemx_buffer_register(buffer, NBYTES), 0, "memory of the device");
	t_equal(gshmemx_buffer_register(buffer + NBYTES - 1, 8), -EEXIST, "a last byte twice");
	t_equal(gshmemx_buffer_register(buffer, NBYTES), -EEXIST, "the same twice");
	t_equal(gshmemx_buffer_unregister(buffer + 1), -EINVAL, "not the beginning");
	for (n = 0; n < NPLACES - 1; n++) {
		more[n] = buffer + NBYTES + n;
		t_equal(gshmemx_buffer_register(more[n], 1), 0, "one of 64");
	}
	t_equal(gshmemx_buffer_register(buffer + 2 * NBYTES, 1), -ENOMEM, "a 65th");
	t_equal(gshmemx_buffer_unregister(more[7]), 0, "one of 64");
	t_equal(gshmemx_buffer_register(buffer + 2 * NBYTES, 1), 0, "another in its place");
	gshmemx_buffer_unregister_all();
	t_equal(gshmemx_buffer_unregister(buffer), -EINVAL, "memory that is no longer registered");
}

int main(void)
{
	const char *carry = getenv("GSHMEM_CARRY");
	struct shared *s;
	char *source, *dest;
	uint64_t nrequests;

	t_equal(gshmemx_buffer_register(&carry, sizeof carry), -EINVAL, "before init");
	gshmem_init();
	s = (struct shared *)gshmem_calloc(1, sizeof *s);
	source = (char *)t_hipmalloc(3 * NBYTES);
	dest = (char *)t_hipmalloc(NBYTES);
	bad_input(s, source);
	nrequests = move(s, source, dest, 1);
	if (carry && !GSHMEMI_ARCH_HOST_DIRECT)
		t_check(nrequests > 2, "%d requests: is this memory registered?", (int)nrequests);
	t_equal(gshmemx_buffer_register(source, NBYTES), 0, "the source");
	t_equal(gshmemx_buffer_register(dest, NBYTES), 0, "the dest");
	t_equal(move(s, source, dest, 2), carry ? 2 : 0, "requests of a put and a get");
	t_equal(gshmemx_buffer_unregister(source), 0, "the source");
	gshmem_finalize();
	t_equal(gshmemx_buffer_unregister(dest), -EINVAL, "after finalize");
	t_hip(hipFree(source));
	t_hip(hipFree(dest));
	return 0;
}
