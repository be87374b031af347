/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the inline functions of a HIP unit call on the CPU: one exported function for each operation, not for
 * each type. They are defined in src/; a kernel never calls them. call is the name of the API function, for
 * messages; region an enum gshmemi_region_number.
 */
#ifndef GSHMEM_HOST_H
#define GSHMEM_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <gshmem/state/state.h>

/* Bytes that a put or get moves. */
struct gshmemi_extent {
	size_t nbytes;
	unsigned align; /* of the symmetric address, as the type asks */
	int is_nbi;     /* whether the local end may be read or written after the return */
};

/* Blocks of elements that a call moves. Strides are from start to start, in elements. */
struct gshmemi_blocks {
	ptrdiff_t dst, sst;    /* at dest, at source */
	size_t bsize, nblocks; /* elements of a block, blocks */
	unsigned elem_nbytes;
};

/* What an atomic does to a word: see gshmemi_arch_amo64 for value and cond. */
struct gshmemi_update {
	uint64_t value, cond;
	int op; /* GSHMEMI_AMO_* */
	unsigned nbytes;
	int fetches; /* whether the caller uses the old bits */
};

/* What a put with signal does to the signal. */
struct gshmemi_signal {
	uint64_t *addr;
	uint64_t value;
	int op; /* GSHMEM_SIGNAL_* */
};

GSHMEMI_FN struct gshmemi_extent gshmemi_make_extent(size_t nbytes, unsigned align, int is_nbi)
{
	const struct gshmemi_extent extent = {nbytes, align, is_nbi};

	return extent;
}

/* Elements at strides. */
GSHMEMI_FN struct gshmemi_blocks gshmemi_make_blocks(
	ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, unsigned elem_nbytes)
{
	const struct gshmemi_blocks b = {dst, sst, bsize, nblocks, elem_nbytes};

	return b;
}

GSHMEMI_FN struct gshmemi_update gshmemi_make_update(
	int op, uint64_t value, uint64_t cond, unsigned nbytes, int fetches)
{
	const struct gshmemi_update u = {value, cond, op, nbytes, fetches};

	return u;
}

GSHMEMI_FN struct gshmemi_signal gshmemi_make_signal(uint64_t *addr, uint64_t value, int op)
{
	const struct gshmemi_signal s = {addr, value, op};

	return s;
}

GSHMEMI_BEGIN_C

GSHMEMI_HOST_CALL(int, gshmemi_host_my_pe, (void));
GSHMEMI_HOST_CALL(int, gshmemi_host_n_pes, (void));
GSHMEMI_HOST_CALL(void *, gshmemi_host_ptr, (const void *dest, int pe));
GSHMEMI_HOST_CALL(void, gshmemi_host_put,
	(unsigned region, void *dest, const void *source, struct gshmemi_extent extent, int pe,
		const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_get,
	(unsigned region, void *dest, const void *source, struct gshmemi_extent extent, int pe,
		const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_p,
	(unsigned region, void *dest, const void *value, unsigned nbytes, int pe, const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_g,
	(unsigned region, void *value, const void *source, unsigned nbytes, int pe, const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_blocks,
	(int what, unsigned region, void *dest, const void *source, struct gshmemi_blocks b, int pe,
		const char *call));
GSHMEMI_HOST_CALL(uint64_t, gshmemi_host_amo,
	(unsigned region, void *dest, struct gshmemi_update u, int pe, const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_amo_nbi,
	(unsigned region, void *fetch, void *dest, struct gshmemi_update u, int pe, const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_put_signal,
	(unsigned region, void *dest, const void *source, struct gshmemi_extent extent,
		struct gshmemi_signal s, int pe, const char *call));
/* See gshmemi_sync_write. */
GSHMEMI_HOST_CALL(
	void, gshmemi_host_sync_write, (int what, uint64_t *word, uint64_t value, int pe, const char *call));
GSHMEMI_HOST_CALL(uint64_t, gshmemi_host_signal_fetch, (const uint64_t *sig_addr));
GSHMEMI_HOST_CALL(uint64_t, gshmemi_host_wait,
	(const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_test,
	(const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call));
/*
 * gshmemi_wait_long for waits that a HIP unit's own code makes on the CPU: calls over a channel
 * of the program's.
 */
GSHMEMI_HOST_CALL(uint64_t, gshmemi_host_wait_long,
	(uint64_t started_ns, const void *ivar, unsigned nbytes, uint64_t found, int cmp, uint64_t value,
		int pe, const char *call));
/* which: enum gshmemi_many; waits: 0 for a test. */
struct gshmemi_wait_set;
GSHMEMI_HOST_CALL(size_t, gshmemi_host_wait_many,
	(const struct gshmemi_wait_set *set, int which, int waits, const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_fence, (int context, const char *call));
GSHMEMI_HOST_CALL(
	void, gshmemi_host_quiet, (int context, const int *target_pes, size_t npes, const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_ctx_pe, (gshmem_ctx_t ctx, int pe, const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_ctx_order,
	(gshmem_ctx_t ctx, int is_quiet, const int *target_pes, size_t npes, const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_ctx_session,
	(gshmem_ctx_t ctx, long options, const gshmem_ctx_session_config_t *config, long config_mask,
		const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_sync_all, (int quiet, const char *call));
/* How many PEs the team has, or the caller's number in it. */
GSHMEMI_HOST_CALL(int, gshmemi_host_team_number, (gshmem_team_t team, int wants_my_pe));
GSHMEMI_HOST_CALL(
	int, gshmemi_host_team_translate_pe, (gshmem_team_t src_team, int src_pe, gshmem_team_t dest_team));
GSHMEMI_HOST_CALL(void *, gshmemi_host_team_ptr, (gshmem_team_t team, const void *dest, int pe));
GSHMEMI_HOST_CALL(int, gshmemi_host_team_sync, (gshmem_team_t team, const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_lock, (int what, long *lock)); /* enum gshmemi_lock_call */
/* Collectives with data. */
struct gshmemi_coll_args;
GSHMEMI_HOST_CALL(int, gshmemi_host_coll, (struct gshmemi_coll_args * args, const char *call));

/*
 * Calls of CPU threads, over a channel of their own. Posted if ticket_p is not NULL. nwords: 6, or 8,
 * also of out.
 */
struct gshmemx_rpc_ticket;
GSHMEMI_HOST_CALL(int, gshmemi_host_rpc_words,
	(uint32_t op, const uint64_t *in, unsigned nwords, uint64_t *out, struct gshmemx_rpc_ticket *ticket_p,
		const char *call));
/* waits 0: whether the call is over; 1: its status, when it is. */
GSHMEMI_HOST_CALL(int, gshmemi_host_rpc_wait, (uint32_t slot, uint32_t seq, int waits));
GSHMEMI_HOST_CALL(int, gshmemi_host_rpc_stream,
	(uint32_t op, const void *in, size_t in_nbytes, void *out, size_t out_nbytes, size_t *got_nbytes,
		const char *call));
GSHMEMI_HOST_CALL(void, gshmemi_host_rpc_abort, (int status));
GSHMEMI_HOST_CALL(void, gshmemi_host_rpc_trace, (uint32_t mark, uint64_t value));
struct gshmemi_print_arg;
GSHMEMI_HOST_CALL(int, gshmemi_host_rpc_print,
	(const char *format, const struct gshmemi_print_arg *args, unsigned nargs));
GSHMEMI_HOST_CALL(void, gshmemi_host_rpc_assert, (const char *text, const char *file, int line));
/* Wake a server that sleeps. asleep is that of its channel. */
GSHMEMI_HOST_CALL(void, gshmemi_host_rpc_wake, (uint32_t * asleep));

#ifdef GSHMEMI_LIBRARY
/* A host thread polled a word in vain and will poll again: lets other threads run now and then. */
void gshmemi_host_looked(void);
#endif

/*
 * What the CPU gets if it reads the state of a unit that is in a GPU's memory: a message and the
 * end. See unit.h.
 */
GSHMEMI_HOST_CALL(const struct gshmemi_state *, gshmemi_host_no_state, (void));

/*
 * Where GSHMEMI_WHY_ASKED is in use. asked: a kernel has posted a request to an owner, and the bit is set
 * before this returns. settle: the calling thread knows of nothing that is open, so the bit may be cleared.
 */
GSHMEMI_HOST_CALL(void, gshmemi_host_asked, (void));
GSHMEMI_HOST_CALL(void, gshmemi_host_settle, (void));

/* The registry of state copies: see unit.h. */
GSHMEM_HOST_API void gshmemi_state_register(struct gshmemi_state_copy *copy);
GSHMEM_HOST_API void gshmemi_state_unregister(struct gshmemi_state_copy *copy);

GSHMEMI_END_C

#endif /* GSHMEM_HOST_H */
