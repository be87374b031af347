/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each PE last said about itself: one word per PE, in memory that the processes of its machine share.
 * The other processes keep it when the PE has died. Kernels never touch it. The memory object has no name, so
 * that nothing is left behind.
 */
#ifndef GSHMEMI_JOB_LIFE_H
#define GSHMEMI_JOB_LIFE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	GSHMEMI_LIFE_NONE,
	GSHMEMI_LIFE_RUNNING,
	GSHMEMI_LIFE_FINALIZED,
	GSHMEMI_LIFE_ENDING, /* it has printed why the job ends; exit status << 8 */
	GSHMEMI_LIFE_ENDED   /* and has written all its output; likewise */
};

/* Creates this PE's word; peers open it by *fd_p. */
int gshmemi_life_open(int *fd_p);
/*
 * Opens the word of a PE on this machine. If that fails, warns that its death will not be noticed; with
 * -EXDEV (it is in another PID namespace) it does not warn.
 */
int gshmemi_life_open_peer(int pe, int fd);
void gshmemi_life_close(void);

void gshmemi_life_set(uint64_t life);

/*
 * True for one process of the machine at a time, until that ends: where several know why the job ends, this
 * one prints it. Also true where the PEs cannot see each other.
 */
bool gshmemi_life_may_speak(void);

/* Returns GSHMEMI_LIFE_NONE if the word is not known. */
uint64_t gshmemi_life_get(int pe);
bool gshmemi_life_is_known(int pe);

/* Whether the PE is in one of the last two states; then *status_p is its exit status. */
bool gshmemi_life_is_ending(int pe, int *status_p);

struct gshmemi_scale;
void gshmemi_life_scale(struct gshmemi_scale *scale);

#endif /* GSHMEMI_JOB_LIFE_H */
