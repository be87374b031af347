/* SPDX-License-Identifier: BSD-3-Clause */
/* What results/oshmem can be asked for, by results/put. PE 0 works, on PE 1's memory. */
#ifndef RESULTS_OSHMEM_H
#define RESULTS_OSHMEM_H

enum oshmem_op {
	OSHMEM_PUT_BW,  /* shmem_putmem again and again, shmem_quiet at the end */
	OSHMEM_COPY_BW, /* memcpy to memory of the other process, a fence at the end */
	OSHMEM_PUT_LAT, /* shmem_putmem and shmem_quiet */
	OSHMEM_COPY_LAT /* memcpy and a fence */
};

#define OSHMEM_MAX_NBYTES ((size_t)64 << 20)

#endif /* RESULTS_OSHMEM_H */
