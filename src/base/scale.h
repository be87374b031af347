/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What init takes on one PE, for a job of any size: memory, exchanges, handles. Each module that allocates or
 * exchanges adds its own part, computed by the functions that size the allocation itself. gshmem-info --scale
 * prints the sum without a job.
 */
#ifndef GSHMEMI_BASE_SCALE_H
#define GSHMEMI_BASE_SCALE_H

#include "base/base.h"

/* Exchanges between all PEs [0] and between the PEs of a machine [1], and the bytes that each PE receives. */
struct gshmemi_traffic {
	uint64_t nexchanges[2];
	uint64_t nbytes[2];
};
void gshmemi_traffic_add(struct gshmemi_traffic *traffic, bool within_machine, size_t nbytes);
/* MPI gathers a colour and a key from each PE */
#define GSHMEMI_SPLIT_NBYTES(npes) ((size_t)(npes)*2 * sizeof(int))
#define GSHMEMI_AGREE_NBYTES       (2 * sizeof(int64_t))

enum gshmemi_scale_kind {
	GSHMEMI_SCALE_DEVICE,
	GSHMEMI_SCALE_PINNED,
	GSHMEMI_SCALE_CONSTANT, /* in each HIP unit */
	GSHMEMI_SCALE_HOST,
	GSHMEMI_SCALE_INIT, /* host memory, only during init */
	GSHMEMI_SCALE_NKINDS
};

struct gshmemi_scale {
	int npes;
	int npeers; /* PEs on this machine, of npes */
	struct gshmemi_traffic traffic;
	uint64_t nhandles; /* of other PEs' memory, opened by this PE */
	unsigned nitems;
	struct {
		enum gshmemi_scale_kind kind;
		const char *name;
		uint64_t nbytes;
	} items[32];
};

/* Nodes, with the PEs spread evenly over them. */
static inline int gshmemi_scale_nnodes(const struct gshmemi_scale *scale)
{
	return (scale->npes + scale->npeers - 1) / scale->npeers;
}

void gshmemi_scale_add(
	struct gshmemi_scale *scale, enum gshmemi_scale_kind kind, const char *name, uint64_t nbytes);

/* host/scale.c: fills *scale, for the environment of this process. */
int gshmemi_scale_fill(int npes, int npeers, struct gshmemi_scale *scale);

#endif /* GSHMEMI_BASE_SCALE_H */
