/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bootstrap over TCP, for jobs that start by a unique id. Every PE has a connection to one PE, the root,
 * which made the id. In an exchange each PE sends the root a message and gets an answer. join.c makes the
 * connections, tcp.c uses them.
 */
#ifndef GSHMEMI_BOOTSTRAP_TCP_H
#define GSHMEMI_BOOTSTRAP_TCP_H

#include "bootstrap/uniqueid.h"
#include "bootstrap/way.h"

#include <poll.h>

/* The head of each message. The machines of a job are of one kind, so numbers are in their byte order. */
struct gshmemi_tcp_frame {
	uint32_t what;
	int32_t rc;      /* of FAILED, a negative errno */
	uint64_t group;  /* of DATA: the PEs that send the same number get each other's data */
	uint64_t nbytes; /* bytes that follow: data, or text */
};
enum {
	GSHMEMI_TCP_DATA = 1,
	GSHMEMI_TCP_FAILED, /* from the root: why init fails or, later, why the job ends */
};

#define GSHMEMI_TCP_TEXT_NBYTES 1024 /* largest text of FAILED, including the 0 */

/* A PE. Only the root has connections to all others; they know only the root. */
struct gshmemi_tcp_member {
	int fd;       /* -1: none */
	uint32_t pid; /* 0: it has not come yet */
	char host[36];

	/* What the root receives from it in an exchange. */
	struct gshmemi_tcp_frame frame;
	size_t got_nbytes; /* bytes of frame and data received */
	char *data;
};

struct gshmemi_tcp {
	int rank, npes, root;
	bool is_alone;                      /* without an id, because there is neither MPI nor a launcher */
	int lowest, npeers;                 /* on this machine: the lowest PE, and how many there are */
	struct gshmemi_tcp_member *members; /* [npes] */
};
extern struct gshmemi_tcp gshmemi_tcp;

/*
 * Move all nbytes. On failure return -ETIMEDOUT if the clock has reached deadline_ns (0: no deadline), or
 * -ECONNRESET if the other side has ended. No message.
 */
int gshmemi_tcp_send(int fd, const void *data, size_t nbytes, uint64_t deadline_ns);
int gshmemi_tcp_receive(int fd, void *data, size_t nbytes, uint64_t deadline_ns);

/* Whether a result of recv means that nothing has arrived yet but more may. */
bool gshmemi_tcp_is_empty(ssize_t got);

/*
 * Waits for one of fds. Returns how many are ready, 0 if the clock has reached deadline_ns, or a negative
 * errno. Goes on waiting after signals. fds may have no more places than this process may have open files, so
 * leave out those that are not open.
 */
int gshmemi_tcp_poll(struct pollfd *fds, size_t nfds, uint64_t deadline_ns);

/* Closes all connections. */
void gshmemi_tcp_close(void);

#endif /* GSHMEMI_BOOTSTRAP_TCP_H */
