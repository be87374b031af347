/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File descriptors from one process to another of the same user, in batches that the receiver asks for one by
 * one: the system limits descriptors that are on their way as it limits open files.
 *
 * They travel as SCM_RIGHTS through a Unix socket. To take them out of the other process (pidfd_getfd) needs
 * the right to trace it, which containers do not grant. The socket has an abstract name that the system
 * chooses, so that nothing is left of it; processes find it if they share a network namespace.
 */
#ifndef GSHMEMI_IPC_DESCRIPTORS_H
#define GSHMEMI_IPC_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSHMEMI_DESCRIPTORS 16 /* of a batch, at most */

/* The name of a socket. */
struct gshmemi_descriptors_name {
	uint32_t nbytes;
	char name[32]; /* the first byte is 0 */
};

/* What comes with descriptors: bytes of the memory behind each. */
struct gshmemi_descriptors {
	uint64_t n;
	uint64_t nbytes[GSHMEMI_DESCRIPTORS];
};

/* A socket that others may connect to; or a negative errno after a message that begins with call. */
int gshmemi_descriptors_listen(const char *call, struct gshmemi_descriptors_name *name_p);
/* Somebody who has connected, once there is one; -1: nobody, or another user's process. */
int gshmemi_descriptors_accept(int listener);
/* A socket to the owner of a name; -1 and errno. */
int gshmemi_descriptors_connect(const struct gshmemi_descriptors_name *name);

/* The receiver's: ask for a batch, and get its descriptors; 0 and errno: there is none. */
size_t gshmemi_descriptors_receive(int owner, struct gshmemi_descriptors *batch, int *fds);
/* The owner's, when the socket has something to read: whether it is asked for a batch; and send one. */
bool gshmemi_descriptors_asked(int receiver);
bool gshmemi_descriptors_send(int receiver, const struct gshmemi_descriptors *batch, const int *fds);

#endif /* GSHMEMI_IPC_DESCRIPTORS_H */
