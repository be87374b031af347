/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each PE last said of itself: one word per PE in memory that the processes of its machine share, and
 * that outlives it in them. Kernels never touch it. It is an object without a name, so that nothing is left
 * behind.
 */
#ifndef GSHMEMI_IPC_LIFE_H
#define GSHMEMI_IPC_LIFE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	GSHMEMI_LIFE_NONE,
	GSHMEMI_LIFE_RUNNING,
	GSHMEMI_LIFE_FINALIZED,
	GSHMEMI_LIFE_ENDING, /* it has said why the job ends; exit status << 8 */
	GSHMEMI_LIFE_ENDED   /* and has written out all that it had to say; likewise */
};

/* Make this PE's word; *fd_p is what peers open it by. */
int gshmemi_life_open(int *fd_p);
/* Open that of a PE on this machine. One that cannot be opened is a warning: its end will not be seen; but -EXDEV, another PID namespace, is silent. */
int gshmemi_life_open_peer(int pe, int fd);
void gshmemi_life_close(void);

void gshmemi_life_set(uint64_t life);

/*
 * True in one process of the machine at a time, until it ends: the one that is to say why the job ends,
 * where several may have seen it. True also where the PEs cannot see each other.
 */
bool gshmemi_life_may_speak(void);

/* GSHMEMI_LIFE_NONE where it is not known. */
uint64_t gshmemi_life_get(int pe);
bool gshmemi_life_is_known(int pe);

/* The PE is at one of the last two; *status_p is then its exit status. */
bool gshmemi_life_is_ending(int pe, int *status_p);

struct gshmemi_scale;
void gshmemi_life_scale(struct gshmemi_scale *scale);

#endif /* GSHMEMI_IPC_LIFE_H */
