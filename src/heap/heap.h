/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The symmetric heap of this PE: the memory, the allocator that divides it, and the sync region beside it.
 *
 * One per process, between init and finalize. Calls that change it are made by host/memory.c, which holds its lock
 * and has compared the arguments over the PEs. Kernels learn of it by the device state.
 */
#ifndef GSHMEMI_HEAP_HEAP_H
#define GSHMEMI_HEAP_HEAP_H

#include "heap/allocator.h"
#include "base/base.h"

struct gshmemi_heap {
	char *base;
	uint64_t nbytes;
	size_t align;               /* of base, on all PEs: what an offset's alignment is good for */
	enum gshmemi_heap_kind kind; /* never AUTO */
	struct gshmemi_allocator *allocator;
	uint64_t *allocation_end;   /* struct gshmemi_state; NULL unless GSHMEM_CHECK */
	struct gshmemi_sync *sync;  /* fine-grained memory of its own, sync_nbytes */
	uint64_t sync_nbytes;
	struct gshmemi_sync *meeting; /* behind those of the teams: where hosts meet, see team/meet.c */
	uint32_t *mail_lock;        /* behind that: struct gshmemi_state, if this PE is its device's lowest */
	char *stages;               /* behind that: the pool, in pieces of GSHMEMI_STAGE_NBYTES */
	char *scratch;              /* behind these: GSHMEMI_SCRATCH_NPLACES pieces; NULL: all PEs are on one node */
	char *controls;             /* behind that: struct gshmemi_win_control, from pieces of GSHMEMI_WIN_PIECE_NBYTES */
	unsigned nwindows;          /* of these pieces */
	unsigned nplaces;           /* of teams: struct gshmemi_sync that there are */
	unsigned npredefined;       /* pieces of the predefined teams, which are the first ones of the pool */
};
extern struct gshmemi_heap gshmemi_heap;

/* Predefined teams: they have the first places, one each, whatever their size. */
enum { GSHMEMI_TEAM_WORLD, GSHMEMI_TEAM_SHARED, GSHMEMI_TEAM_NODE, GSHMEMI_NPREDEFINED };

/*
 * Pieces of the pool that a team of npes PEs needs. One that is made takes as many places, each of which has
 * one piece; it uses the first one's struct gshmemi_sync. So a list of what is free has one bit for each
 * place.
 */
static inline unsigned gshmemi_heap_pieces(int npes)
{
	return ((unsigned)npes + GSHMEMI_STAGE_NPES - 1) / GSHMEMI_STAGE_NPES;
}

/* The kind that AUTO stands for on this platform, or kind itself. */
enum gshmemi_heap_kind gshmemi_heap_resolve(enum gshmemi_heap_kind kind);

/* Bytes that this node can still give away, by the kernel's and the control group's account. */
uint64_t gshmemi_heap_node_nbytes(void);

/*
 * Allocate on the current device. nlocal PEs of this machine do the same; node_nbytes is what was available
 * before any of them began. The memory is not touched, unless prealloc asks for it.
 */
int gshmemi_heap_create(uint64_t nbytes, enum gshmemi_heap_kind kind, bool prealloc, bool check, int nlocal,
			uint64_t node_nbytes);

/* For a job of npes PEs, of which at most so many share a machine. */
void gshmemi_heap_count_places(int npes, int npeers, unsigned *nplaces_p, unsigned *npieces_p);

struct gshmemi_scale;
void gshmemi_heap_scale(struct gshmemi_scale *scale);

/*
 * Collective, after create, which gave rc: where a PE was refused the kind that was wanted, all take the weakest that
 * any got. One PE says so. Returns rc, or an error of this PE alone after which nothing is left.
 */
int gshmemi_heap_agree(int rc, enum gshmemi_heap_kind wanted, bool prealloc);
void gshmemi_heap_destroy(void);

/* Allocate and free by address; errors as the allocator's, without a message. */
int gshmemi_heap_alloc(uint64_t nbytes, uint64_t align, void **ptr_p);
int gshmemi_heap_free(void *ptr);
int gshmemi_heap_resize(void *ptr, uint64_t nbytes);

/* Whether an address lies in the heap; its offset. */
bool gshmemi_heap_contains(const void *address);
uint64_t gshmemi_heap_offset(const void *address);

/* Whether an address is symmetric: in the heap, or of a variable of the program that is. */
bool gshmemi_is_symmetric(const void *address);

/* A message for each allocation that is left, up to a few. */
void gshmemi_heap_report_leaks(void);

#endif /* GSHMEMI_HEAP_HEAP_H */
