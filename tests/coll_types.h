/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What coll_types*.hip share. A family is the calls of one type. Each call is made at LENGTHS lengths, back
 * to back on the world. PE i makes all its calls at scope (round + i) % 4. All bytes of all dests are
 * compared with a model, and all sources with what they were.
 *
 * A family has: type; name(); ncalls; call_name(which); what(which), the kind of lengths; fill(bytes, n,
 * pe), which fills a source; in_kernels; call(scope, which, call, team), for the host and, if
 * in_kernels, for kernels; model(which, call, dest); and trim(bytes, nbytes), which clears the bytes of
 * elements that are not part of a value.
 */
#ifndef T_COLL_TYPES_H
#define T_COLL_TYPES_H

#include <hip/hip_runtime.h>
#include "oracle.h"

#define MAX_PES   3
#define NLENGTHS  5
#define MAX_SLOTS (10 * NLENGTHS)
#ifndef SLOT
#define SLOT 32768 /* bytes of a call's dest, and of its source */
#endif
#define BEFORE 1000 /* what dests hold before */

/* How much of a slot a call uses. */
enum { ROOT, EACH, STRIDED };

struct call {
	char *dest, *source;
	size_t dest_at, source_at; /* the same, from the beginning of all slots */
	size_t n, elem;            /* elements, and bytes of one */
	int root;
	ptrdiff_t dst, sst;
	size_t counts[4][MAX_PES]; /* of alltoallv: dest_nelems, dest_displs, source_nelems, source_displs */
};

/*
 * Up to 16 bytes, some packets, and more than goes by packets or by the root alone;
 * most do not end at 16 bytes.
 */
static size_t length(int what, int k, size_t elem)
{
	switch (k) {
	case 0:
	case 1:
		return (size_t)k;
	case 2:
		return 5;
	case 3:
		return 80 / elem + 3;
	default:
		return what == ROOT ? 16384 / elem + 7 : what == STRIDED ? 160 / elem + 9 : 3072 / elem + 5;
	}
}

/* How much PE i sends to PE j in alltoallv, and contributes to collect. */
static size_t sparse(size_t n, int i, int j)
{
	return (n + (size_t)(3 * i + 5 * j)) % (n + 2);
}

static char *dests, *sources;                /* in the heap */
static char *expected, *got, *from[MAX_PES]; /* on the CPU; from[i]: sources of PE i */
static struct call *calls;
static int *nwrong;
static int me, npes;

template <class T>
static __global__ void make_calls(int scope, const struct call *all, int nslots, int *nerrors)
{
	const unsigned nwaves = (t_count() + warpSize - 1) / warpSize;

	for (int slot = 0; slot < nslots; slot++) {
		if (scope == T_WG || (scope == T_WAVE && t_rank() / warpSize == slot % nwaves) ||
			(scope == T_THREAD && t_rank() == slot % nwaves * warpSize + 5))
			if (T::call(scope, slot / NLENGTHS, &all[slot], GSHMEM_TEAM_WORLD))
				(void)atomicAdd(nerrors, 1);
		__syncthreads();
	}
}

template <class T> static void draw_calls()
{
	const size_t elem = sizeof(typename T::type);

	for (int slot = 0; slot < T::ncalls * NLENGTHS; slot++) {
		struct call *c = &calls[slot];
		size_t dest_at = 1, source_at = 2;

		memset(c, 0, sizeof *c);
		c->elem = elem;
		c->n = length(T::what(slot / NLENGTHS), slot % NLENGTHS, elem);
		c->dest_at = (size_t)slot * SLOT + elem * (size_t)(slot % 3);
		c->source_at = (size_t)slot * SLOT + elem * (size_t)(slot / 3 % 3);
		c->dest = dests + c->dest_at;
		c->source = sources + c->source_at;
		c->root = slot % npes;
		c->dst = 1 + slot % 3;
		c->sst = 1 + slot / 2 % 2;
		for (int pe = 0; pe < npes; pe++) { /* blocks are apart */
			c->counts[0][pe] = sparse(c->n, pe, me);
			c->counts[1][pe] = dest_at;
			c->counts[2][pe] = sparse(c->n, me, pe);
			c->counts[3][pe] = source_at;
			dest_at += c->counts[0][pe] + 1;
			source_at += c->counts[2][pe] + 2;
		}
	}
}

template <class T> static void check_round(int round)
{
	const int nslots = T::ncalls * NLENGTHS;
	const int scope = (round + me) % T_NSCOPES;
	const size_t nbytes = (size_t)nslots * SLOT;
	size_t at;

	t_fill(got, nbytes, BEFORE);
	t_to_device(dests, got, nbytes);
	t_to_device(sources, from[me], nbytes);
	*nwrong = 0;
	gshmem_barrier_all();
	if (scope == T_HOST || !T::in_kernels)
		for (int slot = 0; slot < nslots; slot++)
			*nwrong += T::call(slot % 3, slot / NLENGTHS, &calls[slot], GSHMEM_TEAM_WORLD) != 0;
	else if constexpr (T::in_kernels)
		t_launch(make_calls<T>, 1, 150, scope, calls, nslots, nwrong);
	t_check(*nwrong == 0, "PE %d: type %s: %d calls by %s returned an error", me, T::name(), *nwrong,
		t_scope_names[scope]);

	t_from_device(got, dests, nbytes);
	for (int slot = 0; slot < nslots; slot++)
		T::trim(slot / NLENGTHS, got + calls[slot].dest_at, calls[slot].n * calls[slot].elem);
	at = t_differ(got, expected, nbytes);
	if (at != nbytes) {
		const int slot = (int)(at / SLOT);

		t_fail("PE %d: %s by %s, type %s, %zu elements: byte %td of dest: expected %02x, got %02x",
			me, T::call_name(slot / NLENGTHS), t_scope_names[scope], T::name(), calls[slot].n,
			(ptrdiff_t)at - (ptrdiff_t)calls[slot].dest_at, (unsigned char)expected[at],
			(unsigned char)got[at]);
	}
	t_from_device(got, sources, nbytes);
	at = t_differ(got, from[me], nbytes);
	t_check(at == nbytes, "PE %d: %s by %s, type %s: a source was written", me,
		T::call_name((int)(at / SLOT) / NLENGTHS), t_scope_names[scope], T::name());
	gshmem_barrier_all();
}

template <class T> static void check_family()
{
	const size_t elem = sizeof(typename T::type), nbytes = (size_t)T::ncalls * NLENGTHS * SLOT;

	static_assert(T::ncalls * NLENGTHS <= MAX_SLOTS, "room for the calls");
	draw_calls<T>();
	for (int pe = 0; pe < npes; pe++)
		T::fill(from[pe], nbytes / elem, pe);
	t_fill(expected, nbytes, BEFORE);
	for (int slot = 0; slot < T::ncalls * NLENGTHS; slot++) {
		T::model(slot / NLENGTHS, &calls[slot], expected + calls[slot].dest_at);
		T::trim(slot / NLENGTHS, expected + calls[slot].dest_at, calls[slot].n * elem);
	}
	for (int round = 0; round < T_NSCOPES; round++)
		check_round<T>(round);
}

static void start()
{
	void *ptr;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	dests = (char *)t_shmalloc((size_t)MAX_SLOTS * SLOT);
	sources = (char *)t_shmalloc((size_t)MAX_SLOTS * SLOT);
	expected = (char *)t_alloc((size_t)MAX_SLOTS * SLOT);
	got = (char *)t_alloc((size_t)MAX_SLOTS * SLOT);
	for (int pe = 0; pe < npes; pe++)
		from[pe] = (char *)t_alloc((size_t)MAX_SLOTS * SLOT);
	t_hip(hipHostMalloc(&ptr, MAX_SLOTS * sizeof *calls, hipHostMallocMapped));
	calls = (struct call *)ptr;
	t_hip(hipHostMalloc(&ptr, sizeof *nwrong, hipHostMallocMapped));
	nwrong = (int *)ptr;
}

static void stop()
{
	t_hip(hipHostFree(nwrong));
	t_hip(hipHostFree(calls));
	gshmem_finalize();
	for (int pe = 0; pe < npes; pe++)
		free(from[pe]);
	free(got);
	free(expected);
}

#endif /* T_COLL_TYPES_H */
