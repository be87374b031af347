/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw TCP between PEs 0 and 1. PE 0 sends messages over one connection; PE 1 answers each with a byte
 * once all of it is in memory, just as a put and quiet ends when the owner has the bytes. Both sides
 * block in the kernel. MPI only tells PE 0 the host name and port of PE 1. The connection uses
 * TCP_NODELAY and the kernel's default buffers.
 */
#ifndef BENCH_TCP_H
#define BENCH_TCP_H

#include "bench.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static int tcp_fd = -1;

struct tcp_address {
	char host[256], port[8];
};

/* PE 1: listen at a free port. */
static inline int tcp_listen(struct tcp_address *address)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in any = {};
	socklen_t nbytes = sizeof any;

	any.sin_family = AF_INET;
	t_check(fd >= 0 && !bind(fd, (struct sockaddr *)&any, sizeof any) && !listen(fd, 1) &&
			!getsockname(fd, (struct sockaddr *)&any, &nbytes) &&
			!gethostname(address->host, sizeof address->host - 1),
		"%s: a socket for raw TCP: %m", bench.name);
	snprintf(address->port, sizeof address->port, "%u", (unsigned)ntohs(any.sin_port));
	return fd;
}

/* PE 0: the connection, or -1. */
static inline int tcp_connect(const struct tcp_address *address)
{
	struct addrinfo hints = {}, *found = NULL;
	const char *failure;
	int fd = -1;

	hints.ai_family = AF_INET;
	hints.ai_socktype = SOCK_STREAM;
	const int error = getaddrinfo(address->host, address->port, &hints, &found);
	failure = gai_strerror(error);
	if (!error) {
		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(fd, found->ai_addr, found->ai_addrlen)) {
			failure = strerror(errno);
			close(fd);
			fd = -1;
		}
		freeaddrinfo(found);
	}
	if (fd < 0)
		fprintf(stderr, "%s: no TCP connection to %s, so its rows are left out: %s\n", bench.name,
			address->host, failure);
	return fd;
}

/* Connects PEs 0 and 1. Returns on both whether that succeeded. */
static inline bool tcp_open()
{
	struct tcp_address address = {};
	int listening = -1, connected = 0, one = 1;

	if (bench.pe == 1)
		listening = tcp_listen(&address);
	MPI_Bcast(&address, sizeof address, MPI_BYTE, 1, MPI_COMM_WORLD);
	if (bench.pe == 0)
		connected = (tcp_fd = tcp_connect(&address)) >= 0;
	MPI_Bcast(&connected, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (bench.pe == 1 && connected)
		tcp_fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	if (bench.pe == 1)
		close(listening);
	if (connected)
		t_check(tcp_fd >= 0 && !setsockopt(tcp_fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one),
			"%s: accept: %m", bench.name);
	return connected;
}

static inline void tcp_send(const char *from, size_t nbytes)
{
	for (ssize_t n; nbytes; from += n, nbytes -= n) {
		n = send(tcp_fd, from, nbytes, MSG_NOSIGNAL);
		t_check(n > 0, "%s: TCP send: %m", bench.name);
	}
}

static inline void tcp_receive(char *to, size_t nbytes)
{
	for (ssize_t n; nbytes; to += n, nbytes -= n) {
		n = recv(tcp_fd, to, nbytes, 0);
		t_check(n > 0, "%s: TCP recv: %m", bench.name);
	}
}

/* A batch of messages from PE 0's source to PE 1's dest, each answered by a byte. */
static inline bench_run tcp_puts(char *dest, const char *source, size_t nbytes)
{
	return [=](size_t reps) {
		char byte = 0;

		if (bench.pe == 1) {
			tcp_send(&byte, 1); /* PE 0's clock starts when PE 1 has arrived */
			for (size_t i = 0; i < reps; i++) {
				tcp_receive(dest, nbytes);
				tcp_send(&byte, 1);
			}
			return 0.0;
		}
		tcp_receive(&byte, 1);
		const double started = bench_start();
		for (size_t i = 0; i < reps; i++) {
			tcp_send(source, nbytes);
			tcp_receive(&byte, 1);
		}
		return bench_now_us() - started;
	};
}

static inline void tcp_close()
{
	if (tcp_fd >= 0)
		close(tcp_fd);
}

#endif /* BENCH_TCP_H */
