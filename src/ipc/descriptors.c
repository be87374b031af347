/* SPDX-License-Identifier: BSD-3-Clause */
#include "ipc/descriptors.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"
#include "base/file.h"

#define BACKLOG 4096

/* Room for the descriptors of a batch in a message. */
union control {
	struct cmsghdr aligned;
	char bytes[CMSG_SPACE(GSHMEMI_DESCRIPTORS * sizeof(int))];
};

static int report_step(int fd, const char *call, const char *step)
{
	const int rc = -errno;

	if (!gshmemi_report_file_limit(call))
		gshmemi_error("%s: %s of the socket for file descriptors: %s", call, step, strerror(-rc));
	if (fd >= 0)
		close(fd);
	return rc;
}

int gshmemi_descriptors_listen(const char *call, struct gshmemi_descriptors_name *name_p)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t nbytes = sizeof name;
	const int fd = gshmemi_file_keep(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));

	if (fd < 0)
		return report_step(fd, call, "socket");
	/* Without a name the system chooses a free one. */
	if (bind(fd, (const struct sockaddr *)&name, sizeof name.sun_family) || listen(fd, BACKLOG) ||
		getsockname(fd, (struct sockaddr *)&name, &nbytes))
		return report_step(fd, call, "bind");
	name_p->nbytes = (uint32_t)(nbytes - offsetof(struct sockaddr_un, sun_path));
	if (name_p->nbytes > sizeof name_p->name) {
		errno = ENAMETOOLONG;
		return report_step(fd, call, "bind");
	}
	memcpy(name_p->name, name.sun_path, name_p->nbytes);
	return fd;
}

/* Whether the process at the other end is this user's. */
static bool is_own(int fd)
{
	struct ucred cred;
	socklen_t nbytes = sizeof cred;

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &nbytes) && cred.uid == geteuid();
}

int gshmemi_descriptors_accept(int listener)
{
	const int fd = gshmemi_file_keep(accept4(listener, NULL, NULL, SOCK_CLOEXEC));

	if (fd < 0) {
		usleep(1000); /* no free descriptors: who connects waits, and one may become free */
		return -1;
	}
	if (is_own(fd))
		return fd;
	close(fd);
	return -1;
}

int gshmemi_descriptors_connect(const struct gshmemi_descriptors_name *name)
{
	const socklen_t nbytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + name->nbytes);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = gshmemi_file_keep(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	int rc;

	if (fd < 0)
		return -1;
	memcpy(address.sun_path, name->name, name->nbytes);
	while (rc = connect(fd, (const struct sockaddr *)&address, nbytes), rc && errno == EINTR)
		;
	if (!rc && is_own(fd))
		return fd;
	rc = rc ? errno : EPERM;
	close(fd);
	errno = rc;
	return -1;
}

size_t gshmemi_descriptors_receive(int owner, struct gshmemi_descriptors *batch, int *fds)
{
	struct iovec part = {batch, sizeof *batch};
	union control control;
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	const struct cmsghdr *header;
	bool is_whole = true;
	ssize_t got;
	size_t n, i;

	if (send(owner, "", 1, MSG_NOSIGNAL) != 1)
		return 0;
	while (got = recvmsg(owner, &message, MSG_CMSG_CLOEXEC), got < 0 && errno == EINTR)
		;
	header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (!header) {
		errno = got < 0 ? errno : ECONNRESET;
		return 0;
	}
	n = (header->cmsg_len - CMSG_LEN(0)) / sizeof *fds;
	memcpy(fds, CMSG_DATA(header), n * sizeof *fds);
	for (i = 0; i < n; i++) {
		fds[i] = gshmemi_file_keep(fds[i]);
		is_whole = is_whole && fds[i] >= 0;
	}
	if (got == (ssize_t)sizeof *batch && n == batch->n && !(message.msg_flags & MSG_CTRUNC) && is_whole)
		return n;
	while (n)
		if (fds[--n] >= 0)
			close(fds[n]);
	errno = EMFILE; /* only some of them fitted */
	return 0;
}

bool gshmemi_descriptors_asked(int receiver)
{
	char byte;

	return recv(receiver, &byte, 1, 0) == 1;
}

bool gshmemi_descriptors_send(int receiver, const struct gshmemi_descriptors *batch, const int *fds)
{
	struct iovec part = {(void *)(uintptr_t)batch, sizeof *batch};
	const size_t nbytes = batch->n * sizeof *fds;
	union control control;
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(nbytes)};
	struct cmsghdr *header;

	memset(&control, 0, sizeof control);
	header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(nbytes);
	memcpy(CMSG_DATA(header), fds, nbytes);
	return sendmsg(receiver, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *batch;
}
