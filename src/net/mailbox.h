/* SPDX-License-Identifier: BSD-3-Clause */
/* The mailbox of this PE's device (net/mail.h): its memory, mailbox.c; and the thread that sees to it that it is served, attend.c. */
#ifndef GSHMEMI_NET_MAILBOX_H
#define GSHMEMI_NET_MAILBOX_H

#include "base/base.h"

#include <gshmem/move/carry.h>

#include "net/mail.h"

/* ---- for init and finalize ---- */

/* Collective over the PEs of this machine, when the sync regions are mapped. Fails on one PE alone. Nothing where it is not wanted. */
int gshmemi_mailbox_open(void);
void gshmemi_mailbox_close(void); /* no process posts or serves any more */
void gshmemi_mailbox_describe(struct gshmemi_state *state);

/* When kernels can be launched: the thread of attend.c. Stop when nothing is posted any more; what is open is served first. */
int gshmemi_mailbox_start(void);
void gshmemi_mailbox_stop(void);

/* The job is ending: waits of kernels on this device end. */
void gshmemi_mailbox_poison(void);

/* ---- between mailbox.c and attend.c ---- */

/* Mails performed, as they are counted, and how many are open. False: none is. */
bool gshmemi_mailbox_look(uint32_t *done_p, unsigned *nopen_p);
/* The first of those, for messages. False: it is another PE's. */
bool gshmemi_mailbox_name_next(char *text, size_t nbytes);

int gshmemi_attend_start(void);
void gshmemi_attend_stop(void);
void gshmemi_attend_wake(void); /* mail has been posted */

#endif /* GSHMEMI_NET_MAILBOX_H */
