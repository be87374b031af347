/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults: how a kernel reports what is wrong. It fills the fault record, which the watcher thread prints, and
 * stops. On the host the library prints at once. src/end/fault.c has the texts.
 */
#ifndef GSHMEM_FAULT_H
#define GSHMEM_FAULT_H

#include <gshmem/state/peer.h>

/* Why a kernel ends if nobody has filled its unit's copy of the state. */
#define GSHMEMI_FAULT_OUTSIDE \
	"a kernel used gshmem before gshmem_init, after gshmem_finalize, or from a module loaded since " \
	"(call gshmemx_module_init)"

/* How long a thread that stops waits for its record to be printed. */
#define GSHMEMI_FAULT_PATIENCE_NS 2000000000U

#ifdef GSHMEMI_LIBRARY
void gshmemi_fault_host(const struct gshmemi_fault *fault);
#endif

/*
 * In all of these, caller is what gshmemi_arch_caller() gave where the API was called; functions that stay
 * out of line pass it on. caller and call are equal in all lanes that come here together.
 */

/* Fill f, which is all zeros. The stores keep their order, so that one register after the other is needed. */
GSHMEMI_FN void gshmemi_fault_fill(struct gshmemi_fault *f, int kind, int pe, const void *address,
	uint64_t nbytes, uint64_t found, uint64_t expected, const char *call, uint64_t caller)
{
	unsigned i;

	call = (const char *)(uintptr_t)gshmemi_arch_uniform((uint64_t)(uintptr_t)call);
	gshmemi_arch_store(&f->kind, (uint32_t)kind, 4);
	gshmemi_arch_store(&f->pe, (uint32_t)pe, 4);
	gshmemi_arch_store(&f->thread, gshmemi_arch_thread_name(), 4);
	gshmemi_arch_store(&f->block, gshmemi_arch_caller_block(caller), 8);
	gshmemi_arch_store(&f->address, (uint64_t)(uintptr_t)address, 8);
	gshmemi_arch_store(&f->nbytes, nbytes, 8);
	gshmemi_arch_store(&f->found, found, 8);
	gshmemi_arch_store(&f->expected, expected, 8);
	for (i = 0; i < sizeof f->call - 1 && call[i]; i++)
		gshmemi_arch_store(&f->call[i], (unsigned char)call[i], 1);
	gshmemi_arch_store(&f->call[i], 0, 1);
}

/* Wait, for a bounded time, until the watcher has set the record's state. */
GSHMEMI_FN void gshmemi_fault_await(const struct gshmemi_fault *f, uint32_t state)
{
	uint64_t end = gshmemi_arch_clock_ns() + GSHMEMI_FAULT_PATIENCE_NS;
	unsigned polls = 0;

	while (gshmemi_arch_load(&f->state, 4) != state && gshmemi_arch_clock_ns() < end)
		gshmemi_arch_pause(&polls);
}

/*
 * Report a fault and end the job; does not return. The first fault of a PE is printed; later ones, and faults
 * while the job is ending, wait for the end. This is inlined into functions that stay out of line, so that
 * they call nothing and need no stack.
 */
GSHMEMI_FN void gshmemi_fault_raise(int kind, int pe, const void *address, uint64_t nbytes, uint64_t found,
	uint64_t expected, const char *call, uint64_t caller)
{
#ifdef GSHMEMI_LIBRARY
	struct gshmemi_fault fault = {0};

	gshmemi_fault_fill(&fault, kind, pe, address, nbytes, found, expected, call, caller);
	fault.on_host = !GSHMEMI_ARCH_IN_KERNEL;
	gshmemi_fault_host(&fault);
#else
	struct gshmemi_fault *f = gshmemi_state.fault;

	if (!f)
		gshmemi_arch_trap(GSHMEMI_FAULT_OUTSIDE);
	if (kind != GSHMEMI_FAULT_POISONED && gshmemi_arch_amo32(GSHMEMI_AMO_CAS, &f->state, 1, 0) == 0) {
		gshmemi_fault_fill(f, kind, pe, address, nbytes, found, expected, call, caller);
		gshmemi_arch_fence_release(); /* pairs with the watcher's acquire of state */
		gshmemi_arch_store(&f->state, 2, 4);
	}
	gshmemi_fault_await(f, 3);
	gshmemi_arch_trap("gshmem stopped this kernel; see the message above");
#endif
}

/* The head of the state, which one load reads. */
struct gshmemi_place {
	int32_t my_pe;
	int32_t npes;
};

/*
 * For queries in kernels, which meet no sentinel: ends the kernel if nobody has filled its unit's copy.
 * One test serves all queries of a kernel. It takes two instructions and leads to a trap; a call would
 * cost the kernel registers.
 */
GSHMEMI_FN struct gshmemi_place gshmemi_my_place(void)
{
	struct gshmemi_place place;
	/* else compilers load only the word they need, and the second one after the first one's test */
	uint64_t both;

	__builtin_memcpy(&both, &gshmemi_state, sizeof both);
	place.my_pe = (int32_t)both;
	place.npes = (int32_t)(both >> 32);
#ifndef GSHMEM_DIRECT_ONLY
	if (__builtin_expect(place.my_pe < 0, 0))
		gshmemi_arch_trap(GSHMEMI_FAULT_OUTSIDE);
#endif
	return place;
}

/*
 * Report a wait that takes long, or, with kind GSHMEMI_FAULT_WAITING, one that the watcher asked for. Returns
 * at once, and drops the report while another one is being printed.
 */
GSHMEMI_FN void gshmemi_fault_slow_wait(int kind, int pe, const void *address, unsigned nbytes,
	uint64_t found, int cmp, uint64_t expected, uint64_t waited_ns, const char *call, uint64_t caller)
{
	struct gshmemi_fault *f = gshmemi_state.fault;

	if (gshmemi_arch_amo32(GSHMEMI_AMO_CAS, &f->state, 1, 0) != 0)
		return;
	gshmemi_fault_fill(f, kind, pe, address, nbytes, found, expected, call, caller);
	gshmemi_arch_store(&f->cmp, (uint32_t)cmp, 4);
	gshmemi_arch_store(&f->waited_ns, waited_ns, 8);
	gshmemi_arch_store(&f->on_host, !GSHMEMI_ARCH_IN_KERNEL, 8);
	gshmemi_arch_fence_release(); /* pairs with the watcher's acquire of state */
	gshmemi_arch_store(&f->state, 2, 4);
}

#endif /* GSHMEM_FAULT_H */
