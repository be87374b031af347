/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Posting to the mailbox of this PE's device: operations of PEs out of reach, on memory of this device's PEs,
 * which only the device may perform. The net thread posts. Waves of kernels perform
 * (include/gshmem/wait/mail.h), of any process of the device; if none does, attend.c launches a kernel. Where
 * the CPU can reach the heap there is no mailbox: the net thread performs the operations itself.
 *
 * Mails are performed in the order in which they were posted. What one mail did is visible before what a
 * later one does if the later one is_ordered, and before is_done returns true for it.
 */
#ifndef GSHMEMI_OWNER_MAIL_H
#define GSHMEMI_OWNER_MAIL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An operation on a PE that uses this device. */
struct gshmemi_mail {
	int32_t pe;        /* of the world */
	uint16_t region;
	uint8_t what;      /* GSHMEMI_PUT, GSHMEMI_AMO (also for a signal) or GSHMEMI_FLAG */
	uint8_t op;        /* of an atomic: GSHMEMI_AMO_*; a signal is ADD or SET, a load FETCH */
	bool is_ordered;   /* see above: set for a signal after its data, and for what follows a fence */
	bool fetches;      /* the old value is wanted: is_done must be called until it has returned it */
	uint32_t nbytes;   /* of an atomic's or flag's word, 4 or 8; of a put, up to GSHMEMI_MAIL_NBYTES */
	uint64_t offset;
	uint64_t value;
	uint64_t cond;
	const void *data;  /* of a put; copied */
};

/*
 * Set before init if anyone will post, equally on all PEs of the machine: init then opens a mailbox. Units
 * compiled with GSHMEM_DIRECT_ONLY are refused then.
 */
extern bool gshmemi_mailbox_is_wanted;

/* Neither function waits or calls HIP. Any thread may post; the ticket is valid in this process. */

/* Returns false if there is no room now, or if another process is posting: try again later. */
bool gshmemi_mailbox_post(const struct gshmemi_mail *mail, uint64_t *ticket_p);

/*
 * Whether the mail has been performed and everybody can see that. If mail.fetches, *old_p (unless NULL) is
 * then the old value, which can be taken only once.
 */
bool gshmemi_mailbox_is_done(uint64_t ticket, uint64_t *old_p);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_OWNER_MAIL_H */
