/* SPDX-License-Identifier: BSD-3-Clause */
/* The id of a job that starts without MPI: where its maker listens, and the secret of the job. */
#ifndef GSHMEMI_BOOTSTRAP_UNIQUEID_H
#define GSHMEMI_BOOTSTRAP_UNIQUEID_H

#include "bootstrap/bootstrap.h"

#include <sys/socket.h>

#define GSHMEMI_SECRET_NBYTES 16

/* What the bytes of a gshmemx_uniqueid_t are. */
struct gshmemi_uniqueid {
	char magic[8];
	uint8_t address[16];                     /* of IPv4 the first 4 */
	uint32_t scope;                          /* of an address of IPv6 that is one network's */
	uint16_t family;                         /* AF_INET or AF_INET6 */
	uint16_t port;                           /* in the machine's order */
	uint8_t asked[GSHMEMI_SECRET_NBYTES];    /* says who connects, */
	uint8_t answered[GSHMEMI_SECRET_NBYTES]; /* and the maker answers */
	uint32_t pid;                            /* of the maker, */
	char host[36];                           /* and its machine, for messages */
	uint64_t checksum;                       /* of all before it */
};

/* -EINVAL after a message, if these are no bytes that gshmemx_get_uniqueid has made. */
int gshmemi_uniqueid_read(const gshmemx_uniqueid_t *id, struct gshmemi_uniqueid *read_p);

/*
 * The socket at which this process listens for an id of its own; -1 if another one has made it, or the id has
 * been used. It is the caller's to close.
 */
int gshmemi_uniqueid_take_listener(const struct gshmemi_uniqueid *id);

/* Where its maker listens: the length of what *address becomes; and the same as text, as in 10.0.0.1:4711. */
socklen_t gshmemi_uniqueid_address(const struct gshmemi_uniqueid *id, struct sockaddr_storage *address);
void gshmemi_uniqueid_print_address(const struct sockaddr_storage *address, char *text, size_t nbytes);

#endif /* GSHMEMI_BOOTSTRAP_UNIQUEID_H */
