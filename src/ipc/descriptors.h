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

/* What is sent with descriptors: the size of each one's memory. */
struct gshmemi_descriptors {
	uint64_t n;
	uint64_t nbytes[GSHMEMI_DESCRIPTORS];
};

/* Creates a socket that others may connect to; a negative errno after a message that begins with call. */
int gshmemi_descriptors_listen(const char *call, struct gshmemi_descriptors_name *name_p);
/* Waits for somebody to connect; -1: nobody did, or it was another user's process. */
int gshmemi_descriptors_accept(int listener);
/* Connects to the owner of a name; -1 and errno, EPERM if it is another user's process. */
int gshmemi_descriptors_connect(const struct gshmemi_descriptors_name *name);

/* For the receiver: asks for a batch, and receives its descriptors; 0 and errno: there is none. */
size_t gshmemi_descriptors_receive(int owner, struct gshmemi_descriptors *batch, int *fds);
/* For the owner, when the socket has something to read: is it asked for a batch? And sends one. */
bool gshmemi_descriptors_asked(int receiver);
bool gshmemi_descriptors_send(int receiver, const struct gshmemi_descriptors *batch, const int *fds);

#endif /* GSHMEMI_IPC_DESCRIPTORS_H */
