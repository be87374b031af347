/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What init takes on one PE, for a job of any size: memory, exchanges, handles. Each module that allocates
 * or exchanges adds its own, by the functions that size what it allocates; gshmem-info --scale prints the
 * sum without a job.
 */
#ifndef GSHMEMI_BASE_SCALE_H
#define GSHMEMI_BASE_SCALE_H

#include "base/base.h"

/* Exchanges of all PEs [0] and of those of a machine [1], and the bytes that each PE gets by them. */
struct gshmemi_traffic {
	uint64_t nexchanges[2];
	uint64_t nbytes[2];
};
void gshmemi_traffic_add(struct gshmemi_traffic *traffic, bool within_machine, size_t nbytes);
#define GSHMEMI_SPLIT_NBYTES(npes) ((size_t)(npes) * 2 * sizeof(int)) /* MPI gathers a colour and a key of each */
#define GSHMEMI_AGREE_NBYTES       (2 * sizeof(int64_t))

enum gshmemi_scale_kind {
	GSHMEMI_SCALE_DEVICE,
	GSHMEMI_SCALE_PINNED,
	GSHMEMI_SCALE_CONSTANT, /* in each HIP unit */
	GSHMEMI_SCALE_HOST,
	GSHMEMI_SCALE_INIT,     /* of the host, while init lasts */
	GSHMEMI_SCALE_NKINDS
};

struct gshmemi_scale {
	int npes;
	int npeers;        /* of them, PEs of one machine */
	struct gshmemi_traffic traffic;
	uint64_t nhandles; /* opened, of memory of other PEs */
	unsigned nitems;
	struct {
		enum gshmemi_scale_kind kind;
		const char *name;
		uint64_t nbytes;
	} items[32];
};
void gshmemi_scale_add(struct gshmemi_scale *scale, enum gshmemi_scale_kind kind, const char *name,
		       uint64_t nbytes);

/* host/scale.c: all of it, by the environment of this process. */
int gshmemi_scale_fill(int npes, int npeers, struct gshmemi_scale *scale);

#endif /* GSHMEMI_BASE_SCALE_H */
