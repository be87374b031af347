/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows, as kernels and hosts see them: memory of the program that a team's PEs open to each other
 * (gshmemx_win.h). A window has a place, the same on all its PEs. The place also numbers its region and its
 * control block, in which its PEs tell each other of epochs.
 */
#ifndef GSHMEM_WINDOW_H
#define GSHMEM_WINDOW_H

#include <gshmem/state/state.h>

/* A handle: the window's place, counted from 1, and above it how many windows had this place before. */
#define GSHMEMI_WIN_PLACE_BITS  12
#define GSHMEMI_WIN_GENERATIONS (1U << 19)

/* The kind of epoch that a PE has open on a window. The order is that of the names in src/end/fault.c. */
enum gshmemi_win_state {
	GSHMEMI_WIN_NONE,
	GSHMEMI_WIN_FENCE, /* fence was called, and no operation since */
	GSHMEMI_WIN_FENCE_EPOCH,
	GSHMEMI_WIN_PSCW,          /* between start and complete, or post and wait, or both */
	GSHMEMI_WIN_LOCK,          /* of some PEs: each has its own state */
	GSHMEMI_WIN_LOCK_NO_CHECK, /* likewise, and all of them with NOCHECK: nobody is kept out */
	GSHMEMI_WIN_LOCK_ALL,
	GSHMEMI_WIN_LOCK_ALL_NO_CHECK,
	GSHMEMI_WIN_NSTATES
};

/* Flags of struct gshmemi_win. */
#define GSHMEMI_WIN_SEPARATE 1U /* a GPU's memory that is coherent only at the ends of kernels */
#define GSHMEMI_WIN_NO_LOCKS 2U
#define GSHMEMI_WIN_DYNAMIC  4U /* displacements are addresses of the target */

/* One PE of a window. */
struct gshmemi_win_part {
	char *base; /* its memory as an address here, to which the distance to the PE is added */
	uint64_t nbytes;
	uint32_t disp_unit; /* bytes */
	int32_t world_pe;
	char *here; /* base in this process; NULL: operations do not go there directly */
};

/*
 * The PE's open epoch, and in it each PE of the window. Host-pinned memory, written by the one caller that
 * opens and closes epochs, on the host or in a kernel. Counters only grow.
 */
struct gshmemi_win_target {
	uint32_t lock;        /* GSHMEMI_WIN_LOCKED, and how it was locked: win/epoch.h; 0: not locked */
	uint16_t is_accessed; /* named by start; complete has not been called */
	uint16_t is_exposed;  /* named by post; wait has not been called */
	uint64_t nposted;     /* exposure epochs of this PE that were published there */
	uint64_t nstarted;    /* access epochs of this PE that waited for a post of it */
	uint64_t ncompleted;  /* access epochs of this PE on it */
	uint64_t nexposed;    /* exposure epochs of this PE to it */
};
struct gshmemi_win_epoch {
	uint32_t state;             /* enum gshmemi_win_state */
	uint32_t is_accessing;      /* PSCW: between start and complete */
	uint32_t is_exposing;       /* PSCW: between post and wait */
	uint32_t nlocked;           /* targets that are locked */
	uint32_t nlocked_unchecked; /* those of them that are locked with NOCHECK */
	uint32_t pad;
	struct gshmemi_win_target target[1]; /* [npes] */
};

/* A window. handle 0: this place is free. */
struct gshmemi_win {
	int32_t handle;
	int32_t npes;
	int32_t my_pe;          /* in its team */
	uint32_t flags;         /* GSHMEMI_WIN_* */
	const ptrdiff_t *delta; /* of its region: struct gshmemi_where */
	const ptrdiff_t *amo_delta;
	const struct gshmemi_win_part *parts; /* [npes] */
	struct gshmemi_win_control *control;  /* this PE's */
	struct gshmemi_win_epoch *epoch;
	uint64_t pad;
};

/*
 * A control block: what the PEs of a window write to each other, in the sync region, at the same place on all
 * of them. Flags have one writer each and only grow; atomics update the words of locks and notifications.
 */
#define GSHMEMI_WIN_NOTIFICATIONS 32
#define GSHMEMI_WIN_CARD_NBYTES   192
struct gshmemi_win_control {
	/* of fence and free: a struct gshmemi_sync without words */
	uint64_t sync[offsetof(struct gshmemi_sync, word) / 8];
	uint64_t wrong[2]; /* for free: [0] a PE's memory is gone; [1] a PE has an epoch open */
	uint64_t lock;     /* win/epoch.h */
	uint64_t wide;     /* 1: a PE holds the lock of elements wider than atomics */
	uint64_t notification[GSHMEMI_WIN_NOTIFICATIONS];
	uint64_t card[GSHMEMI_WIN_CARD_NBYTES / 8]; /* what create tells the others: src/win/create.c */
	uint64_t flag[1];                           /* [npes] posts of PE i, then [npes] its completes */
};

GSHMEMI_FN struct gshmemi_sync *gshmemi_win_sync(struct gshmemi_win_control *control)
{
	return (struct gshmemi_sync *)(void *)control->sync;
}

/*
 * A control block takes one or more of these pieces in a row: one for up to 10 PEs, one more for each further
 * 96.
 */
#define GSHMEMI_WIN_PIECE_NBYTES 1536

GSHMEMI_FN unsigned gshmemi_win_pieces(int npes)
{
	return (unsigned)((offsetof(struct gshmemi_win_control, flag) +
				  2 * sizeof(uint64_t) * (unsigned)npes + GSHMEMI_WIN_PIECE_NBYTES - 1) /
		GSHMEMI_WIN_PIECE_NBYTES);
}

#endif /* GSHMEM_WINDOW_H */
