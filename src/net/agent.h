/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who performs what the engine is asked for, where the CPU does not reach the memory: the device (mail.h), and its copy engines. None of
 * these functions waits, or calls HIP; the engine asks again.
 */
#ifndef GSHMEMI_NET_AGENT_H
#define GSHMEMI_NET_AGENT_H

#include "net/wire.h"

#include <stdbool.h>
#include <stddef.h>

/* Memory of the CPU and of copy engines, between the link and a region; and a copy from or to it. */
struct gshmemi_landing {
	struct gshmemi_landing *next; /* the agent's */
	char *memory;
	size_t room;
	void *dest;
	const void *source;
	size_t nbytes;
	bool is_copying;              /* a copy was asked for, and its caller has not gone on yet */
	_Atomic bool is_over;         /* the copy is */
};

struct gshmemi_agent {
	/*
	 * Perform a put, an atomic or a flag on this PE's memory, behind those before. False: no room. data: of a put. fetches: is_done
	 * must be asked until it has given the old value.
	 */
	bool (*post)(void *user, const struct gshmemi_net_record *r, uint64_t cond, const void *data, bool fetches, uint64_t *ticket_p);
	/* Whether it has been performed, and is seen by all; *old_p, unless NULL, is then what it fetched. */
	bool (*is_done)(void *user, uint64_t ticket, uint64_t *old_p);
	/* Room for nbytes; NULL: there is none now. */
	struct gshmemi_landing *(*take)(void *user, size_t nbytes);
	void (*give)(void *user, struct gshmemi_landing *landing);
	/* Begin a copy between it and memory of the device; is_over becomes true. */
	void (*copy)(void *user, struct gshmemi_landing *landing, void *dest, const void *source, size_t nbytes);
	void *user;
	bool sends_device; /* the link may send from memory of the device: what leaves needs no landing. What comes always does */
};

#endif /* GSHMEMI_NET_AGENT_H */
