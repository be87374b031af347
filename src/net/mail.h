/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Posting to the mailbox of this PE's device: what PEs out of reach ask of the memory of the PEs on it, and only the device may
 * perform. The net thread posts; waves of kernels perform (include/gshmem/wait/mail.h), of whichever process of the device, or a
 * kernel that attend.c launches when none has. Where the CPU reaches the heap there is none: the net thread performs by itself.
 *
 * Mails are performed in the order in which they were posted. What one did is seen before what a later one does if the later one is
 * is_ordered, and before is_done is true of it.
 */
#ifndef GSHMEMI_NET_MAIL_H
#define GSHMEMI_NET_MAIL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One operation, on a PE that uses this device. */
struct gshmemi_mail {
	int32_t pe;        /* of the world */
	uint16_t region;
	uint8_t what;      /* GSHMEMI_PUT, GSHMEMI_AMO, also of a signal, or GSHMEMI_FLAG */
	uint8_t op;        /* GSHMEMI_AMO_*, of an atomic: a signal is ADD or SET, a load FETCH */
	bool is_ordered;   /* as above: a signal after its data, and what follows a fence */
	bool fetches;      /* the old value is wanted: is_done must be asked until it has given it */
	uint32_t nbytes;   /* of the word of an atomic or flag, 4 or 8; of a put, up to GSHMEMI_MAIL_NBYTES */
	uint64_t offset;
	uint64_t value;
	uint64_t cond;
	const void *data;  /* of a put: is copied */
};

/*
 * Set before init by who will post, the same on all PEs of the machine: init opens a mailbox. A unit that was compiled with
 * GSHMEM_DIRECT_ONLY is refused then.
 */
extern bool gshmemi_mailbox_is_wanted;

/* Neither waits, or calls HIP. Any thread may post; the ticket is for this process. */

/* False: there is no room now, or another process is posting: try again later. */
bool gshmemi_mailbox_post(const struct gshmemi_mail *mail, uint64_t *ticket_p);

/* Whether it has been performed, and is seen by all. *old_p, unless NULL, is then the old value, if mail.fetches: for one time. */
bool gshmemi_mailbox_is_done(uint64_t ticket, uint64_t *old_p);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_NET_MAIL_H */
