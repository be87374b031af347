/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Posting to the mailbox of this PE's device: operations of PEs out of reach, on memory of this device's PEs,
 * which only the device may perform. The net thread posts. Waves of kernels perform
 * (include/gshmem/wait/mail.h), of any process of the device; if none does, attend.c launches a kernel. Where
 * the CPU can reach the heap there is no mailbox: the net thread performs the operations itself.
 *
 * Mails are performed in the order in which they were posted. What one mail did is visible before what a
 * later one does if the later one is ORDERED, and before is_done returns true for it.
 */
#ifndef GSHMEMI_OWNER_MAIL_H
#define GSHMEMI_OWNER_MAIL_H

#include <stdbool.h>
#include <stdint.h>

#include <gshmem/state/op_record.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Set before init if anyone will post, equally on all PEs of the machine: init then opens a mailbox. Units
 * compiled with GSHMEM_DIRECT_ONLY are refused then.
 */
extern bool gshmemi_mailbox_is_wanted;

/* Neither function waits or calls HIP. Any thread may post; the ticket is valid in this process. */

/*
 * Posts a PUT, an AMO (also for a signal) or a FLAG on memory of a PE that uses this device: the record
 * is a mail's. data: of a put, nbytes of its place; copied. If it FETCHES, is_done must be called until
 * it has returned the old value. Returns false if there is no room now, or if another process is posting:
 * try again later.
 */
bool gshmemi_mailbox_post(const struct gshmemi_op_record *mail, const void *data, uint64_t *ticket_p);

/*
 * Whether the mail has been performed and everybody can see that. If it FETCHES, *old_p (unless NULL) is then
 * the old value, which can be taken only once.
 */
bool gshmemi_mailbox_is_done(uint64_t ticket, uint64_t *old_p);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_OWNER_MAIL_H */
