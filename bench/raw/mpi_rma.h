/* SPDX-License-Identifier: BSD-3-Clause */
/* What a bench can ask raw/mpi_rma for: a variant is OP * RMA_NWINDOWS + WINDOW. */
#ifndef RAW_MPI_RMA_H
#define RAW_MPI_RMA_H

/*
 * Rank 0 works on the window of rank 1; in BOUNCE both work, and an operation is a
 * round trip. Copies use no window.
 */
enum rma_op {
	RMA_PUT,       /* MPI_Put and MPI_Win_flush */
	RMA_PUT16,     /* 16 MPI_Puts, 64 bytes apart, and one flush */
	RMA_PUT64,     /* 64 of them */
	RMA_FETCH_ADD, /* MPI_Fetch_and_op and flush */
	RMA_GET,       /* MPI_Get and flush */
	/* MPI_Put of 8 bytes, flush, MPI_Put of a flag, flush; the other rank polls its memory */
	RMA_BOUNCE,
	RMA_COPY_TO,   /* memcpy to memory of the other process, and a fence */
	RMA_COPY_FROM, /* memcpy from there */
	RMA_SWEEP_TO,  /* the same, each starting where the previous one ended */
	RMA_SWEEP_FROM,
	RMA_LOCK_PUT,         /* MPI_Win_lock, exclusive, MPI_Put and MPI_Win_unlock; on RMA_UNLOCKED alone */
	RMA_ADD_DOUBLES,      /* MPI_Accumulate of MPI_DOUBLE by MPI_SUM, and flush */
	RMA_ADD_LONGS,        /* the same of MPI_LONG */
	RMA_ADD_INTS,         /* and MPI_INT */
	RMA_MULTIPLY_DOUBLES, /* of MPI_DOUBLE by MPI_PROD */
	RMA_XOR_INTS          /* of MPI_INT by MPI_BXOR */
};

/*
 * Windows of MPI_Win_allocate, MPI_Win_create or MPI_Win_allocate_shared; _info: with the info
 * keys that promise most. MPI_Win_allocate makes RMA_UNLOCKED, too. Both ranks keep the other
 * windows locked all the time.
 */
enum rma_window {
	RMA_ALLOCATE,
	RMA_ALLOCATE_INFO,
	RMA_CREATE,
	RMA_CREATE_INFO,
	RMA_SHARED_INFO,
	RMA_UNLOCKED,
	RMA_NWINDOWS
};

#define RMA_MAX_NBYTES ((size_t)64 << 20)

#endif /* RAW_MPI_RMA_H */
