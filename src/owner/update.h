/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates that kernels perform (struct gshmemi_update_page), as the agent of device.c needs them. begin
 * and look are called by whoever drives the engine, one at a time; launch by the thread of device.c.
 */
#ifndef GSHMEMI_OWNER_UPDATE_H
#define GSHMEMI_OWNER_UPDATE_H

#include "engine/agent.h"

int gshmemi_update_open(void);
void gshmemi_update_close(void); /* waits for the kernels */

/* As update and look of struct gshmemi_agent. What begin returns must be launched. */
struct gshmemi_kernel_update *gshmemi_update_begin(const struct gshmemi_op_record *r);
enum gshmemi_update_state gshmemi_update_look(struct gshmemi_kernel_update *update, char *old);

/* A list of updates that are to be launched, in order. */
struct gshmemi_update_list {
	struct gshmemi_kernel_update *first, **last;
};
void gshmemi_update_push(struct gshmemi_update_list *list, struct gshmemi_kernel_update *update);
void gshmemi_update_launch_all(struct gshmemi_kernel_update *first);

#endif /* GSHMEMI_OWNER_UPDATE_H */
