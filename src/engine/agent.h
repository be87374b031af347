/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the engine has operations performed where the CPU cannot reach the memory: by the device (mail.h) and
 * by its copy engines. None of these functions waits or calls HIP; the engine calls again.
 */
#ifndef GSHMEMI_ENGINE_AGENT_H
#define GSHMEMI_ENGINE_AGENT_H

#include "engine/wire.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A buffer that the CPU and copy engines can reach, between the link and a region, and the copy from
 * or to it.
 */
struct gshmemi_landing {
	struct gshmemi_landing *next; /* the agent's */
	char *memory;
	size_t room;
	void *dest;
	const void *source;
	size_t nbytes;
	bool is_copying;      /* a copy was requested and its caller has not continued yet */
	_Atomic bool is_over; /* the copy has finished */
};

/* An accumulate that a kernel is to perform. It is the agent's. */
struct gshmemi_kernel_update;

enum gshmemi_update_state {
	GSHMEMI_UPDATE_OPEN,
	GSHMEMI_UPDATE_DONE, /* everybody can see it */
	GSHMEMI_UPDATE_LEFT, /* the kernel has not begun in time, and will do nothing */
};

struct gshmemi_agent {
	/*
	 * Requests a put, an atomic or a flag on this PE's memory, to be performed after those requested
	 * before. Returns false if there is no room. If it FETCHES, is_done must be called until it has
	 * returned the old value.
	 */
	bool (*post)(void *user, const struct gshmemi_op_record *r, uint64_t *ticket_p);
	/*
	 * Whether it has been performed and everybody can see that; *old_p, unless NULL, is then
	 * the value fetched.
	 */
	bool (*is_done)(void *user, uint64_t ticket, uint64_t *old_p);
	/* Takes a buffer for nbytes; NULL: none is free now. */
	struct gshmemi_landing *(*take)(void *user, size_t nbytes);
	void (*give)(void *user, struct gshmemi_landing *landing);
	/* Starts a copy between the buffer and device memory; is_over becomes true. */
	void (*copy)(
		void *user, struct gshmemi_landing *landing, void *dest, const void *source, size_t nbytes);
	/*
	 * Queues a kernel that performs an accumulate, whatever mails do meanwhile; the record is copied.
	 * NULL: none can be queued now, or none knows its elements.
	 */
	struct gshmemi_kernel_update *(*update)(void *user, const struct gshmemi_op_record *r);
	/*
	 * How it stands. Once that is not OPEN, the update is the agent's again; and if it is DONE, the old
	 * elements are in old, unless that is NULL.
	 */
	enum gshmemi_update_state (*look)(void *user, struct gshmemi_kernel_update *update, char *old);
	void *user;
	/*
	 * the link can send from device memory, so data that leaves needs no landing; data that
	 * arrives always does
	 */
	bool sends_device;
};

#endif /* GSHMEMI_ENGINE_AGENT_H */
