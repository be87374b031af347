/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 3 */
/* carry: no */
/* delivery: no */
/* env: GSHMEM_CARRY=1 GSHMEM_HEAP_SIZE=1m */
/* races: no, operations are carried */
/*
 * A PE and a context in one int. The direct path has no entry for such an int, whichever node the
 * caller is on. So a kernel's operation in a context names a PE that is direct without it, also beside
 * PEs over the net.
 */
#include <gshmem.h>

#include "oracle.h"

/* first: the PE with entry 0 of the direct tables */
static void check_int(int pe, int context, int first)
{
	const int marked = gshmemi_pe_with_context(pe, context);
	const unsigned entry = ((unsigned)marked << 3) - 8U * (unsigned)first;

	if (gshmemi_pe_context(marked) != context || gshmemi_pe_in_world(marked) != pe)
		t_fail("PE %d in context %d: is PE %d in context %d", pe, context,
			gshmemi_pe_in_world(marked), gshmemi_pe_context(marked));
	if (entry < (GSHMEM_MAX_PES - 1) * 8)
		t_fail("PE %d in context %d: has entry %u where the first PE is %d", pe, context, entry,
			first);
}

static void check_ints(void)
{
	static const int pes[] = {0, 1, GSHMEM_MAX_PES - 1, GSHMEM_MAX_PES, 32768, GSHMEMI_NPES_LIMIT - 1};
	const int npes = sizeof pes / sizeof *pes;

	for (int context = 1; context < GSHMEMI_PE_CONTEXTS; context++)
		for (int i = 0; i < npes * npes; i++)
			check_int(pes[i % npes], context, pes[i / npes]);
	t_equal(gshmemi_pe_context(GSHMEMI_NPES_LIMIT), 0, "the context of a number that is too large");
}

/* What each PE is in a context and in a collective's operations: its number; carries it a context. */
__global__ void look(gshmem_ctx_t ctx, int npes, int *named, int *entries)
{
	for (int pe = 0; pe < npes; pe++) {
		named[pe] = gshmemi_ctx_pe(ctx, pe, "test");
		entries[pe] = (int)gshmemi_peer_entry(named[pe]);
	}
}

int main(void)
{
	const int last = (GSHMEM_MAX_PES - 1) * 8;
	int *named, *entries, npes, is_direct;
	gshmem_ctx_t ctx;

	check_ints();
	gshmem_init();
	npes = gshmem_n_pes();
	t_hip(hipHostMalloc((void **)&named, (size_t)npes * sizeof *named, hipHostMallocDefault));
	t_hip(hipHostMalloc((void **)&entries, (size_t)npes * sizeof *entries, hipHostMallocDefault));
	t_equal(gshmem_ctx_create(0, &ctx), 0, "gshmem_ctx_create");
	t_launch(look, 1, 1, ctx, npes, named, entries);
	for (int pe = 0; pe < npes; pe++) {
		t_equal(gshmemi_pe_in_world(named[pe]), pe, "the PE");
		is_direct = pe != 1 || gshmem_my_pe() == 1;
		t_equal(gshmemi_pe_context(named[pe]) == 0, is_direct, "whether it carries no context");
		t_equal(entries[pe], is_direct ? pe * 8 : last, "its entry");
	}
	gshmem_ctx_destroy(ctx);
	t_hip(hipHostFree(named));
	t_hip(hipHostFree(entries));
	gshmem_finalize();
	return 0;
}
