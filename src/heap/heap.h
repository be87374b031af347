/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The symmetric heap of this PE: the memory, the allocator that divides it, and the sync region beside it.
 *
 * There is one per process, between init and finalize. host/memory.c makes the calls that change it; it holds
 * its lock and has compared the arguments of all PEs. Kernels know the heap from the device state.
 */
#ifndef GSHMEMI_HEAP_HEAP_H
#define GSHMEMI_HEAP_HEAP_H

#include "base/base.h"
#include "heap/allocator.h"

/* What the first member of a team says to the others, and their answers: team/members.c. */
struct gshmemi_proposal {
	uint64_t word;
	uint64_t votes;
};
#define GSHMEMI_NPROPOSALS 16 /* teams that a PE is the first member of, and makes at the same time */

struct gshmemi_heap {
	char *base;
	uint64_t nbytes;
	/* the alignment of base on all PEs: an offset aligned to more gives no aligned address */
	size_t align;
	enum gshmemi_heap_kind kind; /* never AUTO */
	struct gshmemi_allocator *allocator;
	uint64_t *allocation_end; /* see struct gshmemi_state; device memory, NULL unless GSHMEM_CHECK */
	/* fine-grained memory, sync_nbytes of it: [nplaces], then what follows below */
	struct gshmemi_sync *sync;
	uint64_t sync_nbytes;
	struct gshmemi_sync *meeting; /* after the teams': where hosts meet, see team/meet.c */
	uint32_t *mail_lock; /* then: see struct gshmemi_state; used if this PE is its device's lowest */
	char *stages;        /* then: the pool, in pieces of GSHMEMI_STAGE_NBYTES */
	char *scratch;       /* then: GSHMEMI_SCRATCH_NPLACES pieces; NULL if all PEs are on one node */
	char *controls;      /* then: struct gshmemi_win_control, in pieces of GSHMEMI_WIN_PIECE_NBYTES */
	unsigned nwindows;   /* number of those pieces */
	struct gshmemi_proposal *proposals; /* then: see team/members.c; in the region of the controls */
	unsigned nplaces;                   /* places for teams, each with a struct gshmemi_sync */
	unsigned npredefined;               /* pieces of the predefined teams, the first in the pool */
};
extern struct gshmemi_heap gshmemi_heap;

/* The predefined teams have the first places, one each, whatever their size. */
enum {
	GSHMEMI_TEAM_WORLD,
	GSHMEMI_TEAM_SHARED,
	GSHMEMI_TEAM_NODE,
	GSHMEMI_TEAM_SAME_MYPE_NODE,
	GSHMEMI_NPREDEFINED
};

/*
 * How many pieces of the pool a team of npes PEs needs. A team that is created takes as many consecutive
 * places, each of which has one piece, and uses the struct gshmemi_sync of the first. So one bit per place is
 * enough to know what is free.
 */
static inline unsigned gshmemi_heap_pieces(int npes)
{
	return ((unsigned)npes + GSHMEMI_STAGE_NPES - 1) / GSHMEMI_STAGE_NPES;
}

/* Returns the kind that AUTO stands for on this platform, or kind itself. */
enum gshmemi_heap_kind gshmemi_heap_resolve(enum gshmemi_heap_kind kind);

/*
 * Allocates memory of the current device in which a running kernel sees what other devices write:
 * fine-grained, or uncached where the device has no fine-grained memory.
 */
hipError_t gshmemi_heap_malloc_fine(void **base_p, size_t nbytes);

/* Bytes that this node can still allocate, according to the kernel and the control group. */
uint64_t gshmemi_heap_node_nbytes(void);

/*
 * Allocates on the current device. nlocal PEs of this machine do the same; node_nbytes is what was available
 * before any of them began. The memory is not touched unless prealloc asks for it.
 */
int gshmemi_heap_create(uint64_t nbytes, enum gshmemi_heap_kind kind, bool prealloc, bool check, int nlocal,
	uint64_t node_nbytes);

/* Bytes from gshmemi_heap.controls on, with the proposals. */
size_t gshmemi_heap_controls_nbytes(void);

/* For a job of npes PEs on nnodes nodes, at most npeers of which share a machine. */
void gshmemi_heap_count_places(int npes, int npeers, int nnodes, unsigned *nplaces_p, unsigned *npieces_p);

struct gshmemi_scale;
void gshmemi_heap_scale(struct gshmemi_scale *scale);

/*
 * Collective, after create, which returned rc. If a PE was refused the kind requested, all PEs take the
 * weakest kind that any got, and one PE warns. Returns rc, or an error of this PE alone, after which
 * nothing stays allocated.
 */
int gshmemi_heap_agree(int rc, enum gshmemi_heap_kind wanted, bool prealloc);
void gshmemi_heap_destroy(void);

/* Allocate and free by address. The errors are the allocator's; they print nothing. */
int gshmemi_heap_alloc(uint64_t nbytes, uint64_t align, void **ptr_p);
int gshmemi_heap_free(void *ptr);
int gshmemi_heap_resize(void *ptr, uint64_t nbytes);

/* Whether an address is in the heap; its offset there. */
bool gshmemi_heap_contains(const void *address);
uint64_t gshmemi_heap_offset(const void *address);

/* Whether an address is symmetric: in the heap, or in a symmetric variable of the program. */
bool gshmemi_is_symmetric(const void *address);

/* Prints one message per allocation that was not freed, up to a few. */
void gshmemi_heap_report_leaks(void);

#endif /* GSHMEMI_HEAP_HEAP_H */
