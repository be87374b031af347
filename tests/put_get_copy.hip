/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_WAVE=64 */
/* timeout: 400 */
/* races: no, it takes minutes */
/*
 * putmem and getmem move exactly the given bytes: alignments 0..16 of both ends x lengths 0..300 and around
 * powers of two up to 1 MiB, by a thread, a wave, part of a wave (NVIDIA GPUs would wait for the rest of it),
 * work-groups of many shapes, and the host; blocking and _nbi. Every copy has its own slot in an arena, and
 * the whole arena is compared, with its gaps.
 */
#include <hip/hip_runtime.h>
#include <vector>
#include "oracle.h"

struct copy_case {
	uint64_t dest, source; /* offsets in the arena and in the source */
	uint64_t nbytes;
};

/* Cases over one arena, and what the arena looks like before and after. */
struct case_set {
	const char *name;
	std::vector<copy_case> cases;
	size_t arena_nbytes;
	std::vector<unsigned char> before, after;
	copy_case *device_cases;
};

static const size_t gap = 16;
static const size_t source_nbytes = (1 << 20) + (1 << 16);
static const unsigned canary_seed = 77, source_seed = 1;

enum { PART_OF_WAVE = T_NSCOPES };

static __device__ void copy(
	int scope, bool put, bool nbi, void *dest, const void *source, size_t nbytes, int pe)
{
	switch (scope * 4 + put * 2 + nbi) {
	case T_THREAD * 4 + 2:
		gshmem_putmem(dest, source, nbytes, pe);
		break;
	case T_THREAD * 4 + 3:
		gshmem_putmem_nbi(dest, source, nbytes, pe);
		break;
	case T_THREAD * 4:
		gshmem_getmem(dest, source, nbytes, pe);
		break;
	case T_THREAD * 4 + 1:
		gshmem_getmem_nbi(dest, source, nbytes, pe);
		break;
	case T_WAVE * 4 + 2:
		gshmemx_putmem_wave(dest, source, nbytes, pe);
		break;
	case T_WAVE * 4 + 3:
		gshmemx_putmem_nbi_wave(dest, source, nbytes, pe);
		break;
	case T_WAVE * 4:
		gshmemx_getmem_wave(dest, source, nbytes, pe);
		break;
	case T_WAVE * 4 + 1:
		gshmemx_getmem_nbi_wave(dest, source, nbytes, pe);
		break;
	case T_WG * 4 + 2:
		gshmemx_putmem_wg(dest, source, nbytes, pe);
		break;
	case T_WG * 4 + 3:
		gshmemx_putmem_nbi_wg(dest, source, nbytes, pe);
		break;
	case T_WG * 4:
		gshmemx_getmem_wg(dest, source, nbytes, pe);
		break;
	case T_WG * 4 + 1:
		gshmemx_getmem_nbi_wg(dest, source, nbytes, pe);
		break;
	}
}

/* The threads, waves or work-groups of the grid take the cases in turn. */
static __global__ void __launch_bounds__(1024) copy_all(int scope, bool put, bool nbi, const copy_case *cases,
	size_t ncases, char *arena, const char *source, int pe)
{
	const unsigned width = warpSize, nwaves = (t_count() + width - 1) / width;
	size_t first, step;

	if (scope == T_THREAD) {
		first = blockIdx.x * (size_t)t_count() + t_rank();
		step = gridDim.x * (size_t)t_count();
	} else if (scope == T_WG) {
		first = blockIdx.x;
		step = gridDim.x;
	} else {
		first = blockIdx.x * (size_t)nwaves + t_rank() / width;
		step = gridDim.x * (size_t)nwaves;
	}
	/* Only every third lane calls. */
	if (scope != PART_OF_WAVE || t_rank() % 3 == 1)
		for (size_t i = first; i < ncases; i += step)
			copy(scope == PART_OF_WAVE ? T_WAVE : scope, put, nbi, arena + cases[i].dest,
				source + cases[i].source, cases[i].nbytes, pe);
	gshmemx_quiet_wg();
}

static void add_case(case_set *set, unsigned dest_align, unsigned source_align, size_t nbytes)
{
	size_t start = set->arena_nbytes, spread = set->cases.size() * 48 % 4096;
	copy_case c = {start + gap + dest_align, spread + source_align, nbytes};

	set->cases.push_back(c);
	set->arena_nbytes = (start + gap + dest_align + nbytes + gap + 31) & ~(size_t)15;
}

static void finish_set(case_set *set, int peer)
{
	std::vector<unsigned char> source(source_nbytes);

	t_fill(source.data(), source_nbytes, source_seed + peer);
	set->before.resize(set->arena_nbytes);
	t_fill(set->before.data(), set->arena_nbytes, canary_seed);
	set->after = set->before;
	for (const copy_case &c : set->cases)
		memcpy(set->after.data() + c.dest, source.data() + c.source, c.nbytes);
	set->device_cases = (copy_case *)t_hipmalloc(set->cases.size() * sizeof(copy_case));
	t_to_device(set->device_cases, set->cases.data(), set->cases.size() * sizeof(copy_case));
}

static char *heap_arena, *local_arena, *heap_source, *local_source;

static void host_copies(const case_set &set, bool put, bool nbi, char *arena, const char *source, int pe)
{
	for (const copy_case &c : set.cases)
		if (put)
			(nbi ? gshmem_putmem_nbi : gshmem_putmem)(
				arena + c.dest, source + c.source, c.nbytes, pe);
		else
			(nbi ? gshmem_getmem_nbi : gshmem_getmem)(
				arena + c.dest, source + c.source, c.nbytes, pe);
	gshmem_quiet();
}

/* A put goes from local memory to the peer's arena, a get from the peer's source to a local arena. */
static void run_set(const case_set &set, int scope, dim3 block, bool put, bool nbi, int pe)
{
	static std::vector<unsigned char> got;
	char *arena = put ? heap_arena : local_arena;
	const char *source = put ? local_source : heap_source;
	size_t at;

	t_to_device(arena, set.before.data(), set.arena_nbytes);
	gshmem_barrier_all();
	if (scope == T_HOST)
		host_copies(set, put, nbi, arena, source, pe);
	else
		t_launch(copy_all, 3, block, scope, put, nbi, set.device_cases, set.cases.size(), arena,
			source, pe);
	gshmem_barrier_all();

	got.resize(set.arena_nbytes);
	t_from_device(got.data(), arena, set.arena_nbytes);
	at = t_differ(got.data(), set.after.data(), set.arena_nbytes);
	if (at == set.arena_nbytes)
		return;
	for (size_t i = 0; i < set.cases.size(); i++) {
		const copy_case &c = set.cases[i];
		size_t end = i + 1 < set.cases.size() ? set.cases[i + 1].dest - gap : set.arena_nbytes;

		if (at < end)
			t_fail("PE %d: %smem%s by %s of %ux%ux%u, %zu bytes, alignments %u and %u: byte %ld: expected "
			       "%02x, got %02x",
				gshmem_my_pe(), put ? "put" : "get", nbi ? "_nbi" : "",
				scope == PART_OF_WAVE ? "part of a wave" : t_scope_names[scope], block.x,
				block.y, block.z, (size_t)c.nbytes, (unsigned)(c.dest % 32),
				(unsigned)(c.source % 32), (long)at - (long)c.dest, set.after[at], got[at]);
	}
}

int main()
{
	static const unsigned some_aligns[] = {0, 1, 3, 4, 8, 15, 16};
	static const unsigned big_aligns[][2] = {{0, 0}, {1, 1}, {0, 8}, {4, 12}, {3, 7}, {16, 5}};
	case_set all = {"all", {}, 0, {}, {}, nullptr}, some = all, few = all, big = all;
	size_t largest = 0;
	int me, peer;

	gshmem_init();
	me = gshmem_my_pe();
	peer = 1 - me;

	/* Late delivery copies as the host does, whatever the alignment, so some of the cases are enough. */
	for (unsigned d = 0, step = getenv("GSHMEM_CPU_DELIVERY") ? 5 : 1; d <= 16; d += step)
		for (unsigned s = 0; s <= 16; s += step)
			for (size_t n = 0; n <= 300; n++)
				add_case(&all, d, s, n);
	for (unsigned d : some_aligns)
		for (unsigned s : some_aligns)
			for (size_t n = 0; n <= 300; n += n < 70 ? 1 : 7)
				add_case(&some, d, s, n);
	for (unsigned d = 0; d <= 16; d += 5)
		for (unsigned s = 0; s <= 16; s += 5)
			for (size_t n : {0, 1, 15, 16, 17, 63, 999, 1000, 1001, 3999, 4001, 15999, 16000,
				     16033, 65536})
				add_case(&few, d, s, n);
	for (auto &a : big_aligns)
		for (size_t n = 512; n <= 1 << 20; n *= 2)
			for (int more = -1; more <= 1; more++)
				add_case(&big, a[0], a[1], n + more);
	for (case_set *set : {&all, &some, &few, &big}) {
		finish_set(set, peer);
		largest = set->arena_nbytes > largest ? set->arena_nbytes : largest;
	}
	heap_arena = (char *)t_shmalloc(largest);
	heap_source = (char *)t_shmalloc(source_nbytes);
	local_arena = (char *)t_hipmalloc(largest);
	local_source = (char *)t_hipmalloc(source_nbytes);
	std::vector<unsigned char> source(source_nbytes);
	t_fill(source.data(), source_nbytes, source_seed + me);
	t_to_device(heap_source, source.data(), source_nbytes);
	t_to_device(local_source, source.data(), source_nbytes);
	gshmem_barrier_all();

	for (int form = 0; form < 4; form++) {
		bool put = form & 1, nbi = form & 2;

		run_set(all, T_HOST, dim3(1), put, nbi, peer);
		run_set(big, T_HOST, dim3(1), put, nbi, peer);
		run_set(all, T_THREAD, dim3(64), put, nbi, peer);
		run_set(big, T_THREAD, dim3(32), put, nbi, peer);
		run_set(all, T_WAVE, dim3(96), put, nbi, peer);
		run_set(big, T_WAVE, dim3(33), put, nbi, peer);
		if (t_wave_may_part())
			run_set(some, PART_OF_WAVE, dim3(64), put, nbi, peer);
		run_set(big, T_WG, dim3(256), put, nbi, peer);
		run_set(few, T_WG, dim3(1000), put, nbi, peer);
		run_set(few, T_WG, dim3(1024), put, nbi, peer);
		for (dim3 block :
			{dim3(1), dim3(31), dim3(33), dim3(96), dim3(16, 6), dim3(8, 4, 3), dim3(1, 1, 40)}) {
			run_set(some, T_WG, block, put, nbi, peer);
			run_set(few, T_WG, block, put, nbi, peer);
		}
	}
	/* To and from the PE itself. */
	finish_set(&some, me);
	for (int form = 0; form < 4; form++)
		for (int scope = T_THREAD; scope <= T_HOST; scope++)
			run_set(some, scope, dim3(96), form & 1, form & 2, me);
	gshmem_finalize();
	return 0;
}
