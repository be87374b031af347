/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bootstrap over TCP, for jobs that start by a unique id. Every PE is connected with one, the root, which has
 * made the id. An exchange is a message of each PE to the root, and an answer to each. join.c makes the
 * connections, tcp.c uses them.
 */
#ifndef GSHMEMI_BOOTSTRAP_TCP_H
#define GSHMEMI_BOOTSTRAP_TCP_H

#include "bootstrap/bootstrap.h"
#include "bootstrap/uniqueid.h"

#include <poll.h>

/* Begins each message. The machines of a job are of one kind: numbers are in their order. */
struct gshmemi_tcp_frame {
	uint32_t what;
	int32_t rc;      /* of FAILED, a negative errno */
	uint64_t group;  /* of DATA: who gets it: the PEs that send the same number */
	uint64_t nbytes; /* that follow: data, or text */
};
enum {
	GSHMEMI_TCP_DATA = 1,
	GSHMEMI_TCP_FAILED, /* of the root: why init fails; later, why the job ends */
};

#define GSHMEMI_TCP_TEXT_NBYTES 1024 /* of FAILED, at most, with the 0 */

/* A PE, as the root knows it; of other PEs the root alone has a connection, the others only know the root. */
struct gshmemi_tcp_member {
	int fd;       /* -1: none */
	uint32_t pid; /* 0: has not come yet */
	char host[36];

	/* What the root gets of it in an exchange. */
	struct gshmemi_tcp_frame frame;
	size_t got_nbytes; /* of frame and data */
	char *data;
};

struct gshmemi_tcp {
	int rank, npes, root;
	int lowest, npeers;                 /* of this machine: its lowest PE, and how many there are */
	struct gshmemi_tcp_member *members; /* [npes] */
};
extern struct gshmemi_tcp gshmemi_tcp;

/*
 * Move all of nbytes, or say why not: -ETIMEDOUT when the clock has come to deadline_ns, 0: never;
 * -ECONNRESET when the other side has ended. Without a message.
 */
int gshmemi_tcp_send(int fd, const void *data, size_t nbytes, uint64_t deadline_ns);
int gshmemi_tcp_receive(int fd, void *data, size_t nbytes, uint64_t deadline_ns);

/* Of what recv has returned: nothing has come yet, and more may. */
bool gshmemi_tcp_is_empty(ssize_t got);

/*
 * Wait for one of fds: how many have something, 0 when the clock has come to deadline_ns. Signals are waited
 * out.
 */
int gshmemi_tcp_poll(struct pollfd *fds, size_t nfds, uint64_t deadline_ns);

/* Give up all connections. */
void gshmemi_tcp_close(void);

#endif /* GSHMEMI_BOOTSTRAP_TCP_H */
