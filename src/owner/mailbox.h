/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mailbox of this PE's device (owner/mail.h): its memory, mailbox.c; and the thread that makes sure it
 * is served, attend.c.
 */
#ifndef GSHMEMI_OWNER_MAILBOX_H
#define GSHMEMI_OWNER_MAILBOX_H

#include "base/base.h"

#include <gshmem/move/carry.h>

#include "owner/mail.h"

/* ---- for init and finalize ---- */

/*
 * Collective over the PEs of this machine, when the sync regions are mapped. May fail on one PE alone. Does
 * nothing if it is not wanted.
 */
int gshmemi_mailbox_open(void);
void gshmemi_mailbox_close(void); /* when no process posts or serves any more */
void gshmemi_mailbox_describe(struct gshmemi_state *state);

/*
 * Starts the thread of attend.c, when kernels can be launched. Stops it when nothing is posted any more; it
 * serves what is open first.
 */
int gshmemi_mailbox_start(void);
void gshmemi_mailbox_stop(void);

/* The job is ending: makes waits of kernels on this device end. */
void gshmemi_mailbox_poison(void);

/* ---- between mailbox.c and attend.c ---- */

/*
 * How many mails have been performed, by the count in the box, and how many are open. Returns false
 * if none is.
 */
bool gshmemi_mailbox_look(uint32_t *done_p, unsigned *nopen_p);
/* Describes the first open mail, for messages. Returns false if it is for another PE. */
bool gshmemi_mailbox_name_next(char *text, size_t nbytes);

int gshmemi_attend_start(void);
void gshmemi_attend_stop(void);
void gshmemi_attend_wake(void); /* mail has been posted */

#endif /* GSHMEMI_OWNER_MAILBOX_H */
