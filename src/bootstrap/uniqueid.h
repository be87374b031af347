/* SPDX-License-Identifier: BSD-3-Clause */
/* The id of a job that starts without MPI: where its maker listens, and the job's secret. */
#ifndef GSHMEMI_BOOTSTRAP_UNIQUEID_H
#define GSHMEMI_BOOTSTRAP_UNIQUEID_H

#include "bootstrap/way.h"

#include <sys/socket.h>

#define GSHMEMI_SECRET_NBYTES 16

/* The contents of a gshmemx_uniqueid_t. */
struct gshmemi_uniqueid {
	char magic[8];
	uint8_t address[16];                     /* of IPv4 only the first 4; of AF_UNIX a random name */
	uint32_t scope;                          /* of an IPv6 address that is valid on one network only */
	uint16_t family;                         /* AF_INET, AF_INET6 or AF_UNIX */
	uint16_t port;                           /* in host byte order */
	uint8_t secret[GSHMEMI_SECRET_NBYTES];   /* sent by the one who connects, */
	uint8_t answered[GSHMEMI_SECRET_NBYTES]; /* and by the maker in its answer */
	uint32_t pid;                            /* the maker's, */
	char host[36];                           /* and its host, for messages */
	uint64_t checksum;                       /* of everything before it */
};

/* Returns -EINVAL after a message if gshmemx_get_uniqueid has not made these bytes. */
int gshmemi_uniqueid_read(const gshmemx_uniqueid_t *id, struct gshmemi_uniqueid *read_p);

/*
 * Returns the socket at which this process listens, if it has made the id and not used it yet; else -1. The
 * caller closes it.
 */
int gshmemi_uniqueid_take_listener(const struct gshmemi_uniqueid *id);

/*
 * Sets *address to where the maker listens, and returns its length; prints an address as text, as in
 * 10.0.0.1:4711 or, of a local socket, @gshmem-0123456789abcdef0123456789abcdef.
 */
socklen_t gshmemi_uniqueid_address(const struct gshmemi_uniqueid *id, struct sockaddr_storage *address);
void gshmemi_uniqueid_print_address(const struct sockaddr_storage *address, char *text, size_t nbytes);

#endif /* GSHMEMI_BOOTSTRAP_UNIQUEID_H */
