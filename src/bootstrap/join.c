/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the processes of a job that starts by a unique id find each other. The process that made the id is the
 * root: it accepts connections until all ranks have come. Every other process connects, says who it is, and
 * waits for the root's answer. Only the root judges: when something is wrong, it sends its message to every
 * process that has connected, or connects within LINGER_NS, so that all of them return the same error.
 *
 * A process proves with one secret of the id that it belongs to the job, and the root proves it with another
 * one. Both cross the network unencrypted: they keep out strangers and processes of other jobs, but not
 * somebody who can read the network.
 */
#include "bootstrap/tcp.h"

#include <gshmem/arch/arch.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

#define NGUESTS   64           /* connections whose hello is not complete */
#define GUEST_NS  10000000000U /* after this long such a connection is closed */
#define YOUNG_NS  1000000000U  /* a connection this young is not closed to make room: it may be a rank's */
#define LINGER_NS 1000000000U  /* after a failure: processes that connect this late still get the message */
/* other processes wait this much longer than the root, whose message says more */
#define GRACE_NS  2000000000U
#define NNAMED    8 /* how many ranks a message names */

/* The first messages of the two sides. */
struct hello {
	char magic[8];
	uint8_t secret[GSHMEMI_SECRET_NBYTES];
	int32_t rank, nranks;
	uint32_t pid;
	char host[36];
};
struct welcome {
	char magic[8];
	uint8_t secret[GSHMEMI_SECRET_NBYTES];
	struct gshmemi_tcp_frame frame; /* DATA: followed by the root's rank, an int32_t */
};

/* A connection whose hello has not arrived completely. */
struct guest {
	int fd; /* -1: none */
	uint64_t since_ns;
	size_t got_nbytes;
	struct hello hello;
};

/* Why a guest goes. */
enum departure { STRANGER, ENDED, SILENT, CROWDED };

/* The state of the root while it waits for the ranks. */
static struct {
	const struct gshmemi_uniqueid *id;
	int fd; /* the listening socket */
	uint64_t deadline_ns;
	uint64_t full_until_ns; /* nobody is accepted before */
	int nmissing;           /* ranks that have not come */
	int nanswered;          /* processes that got the error and are not members */
	int rc;                 /* the first error */
	char text[GSHMEMI_TCP_TEXT_NBYTES];
	unsigned warned; /* a bit for each enum departure that the root has warned of */
	struct guest guests[NGUESTS];
} door;

static uint64_t find_deadline(uint64_t grace_ns)
{
	const double limit_s = gshmemi_env.INIT_TIMEOUT;

	return limit_s > 0 ? gshmemi_arch_clock_ns() + (uint64_t)(limit_s * 1e9) + grace_ns : 0;
}

static void prepare(int fd)
{
	const int one = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/* ---- the root ---- */

static int answer_guests(int fd)
{
	struct welcome welcome = {.frame = {GSHMEMI_TCP_DATA, 0, 0, sizeof(int32_t)}};
	const uint64_t deadline_ns = gshmemi_arch_clock_ns() + LINGER_NS; /* the process may be stopped */
	const int32_t rank = gshmemi_tcp.rank;
	int rc;

	memcpy(welcome.magic, door.id->magic, sizeof welcome.magic);
	memcpy(welcome.secret, door.id->answered, sizeof welcome.secret);
	if (door.rc)
		welcome.frame =
			(struct gshmemi_tcp_frame){GSHMEMI_TCP_FAILED, door.rc, 0, strlen(door.text) + 1};
	rc = gshmemi_tcp_send(fd, &welcome, sizeof welcome, deadline_ns);
	if (!rc)
		rc = gshmemi_tcp_send(
			fd, door.rc ? door.text : (const char *)&rank, welcome.frame.nbytes, deadline_ns);
	return rc;
}

/* Makes init fail: prints why, and sends it to every process that has come. Only the first reason counts. */
__attribute__((format(printf, 2, 3))) static void fail(int rc, const char *format, ...)
{
	const uint64_t last_ns = gshmemi_arch_clock_ns() + LINGER_NS;
	va_list args;
	int pe;

	if (door.rc)
		return;
	va_start(args, format);
	vsnprintf(door.text, sizeof door.text, format, args);
	va_end(args);
	door.rc = rc;
	door.deadline_ns = last_ns;
	gshmemi_error("%s", door.text);
	for (pe = 0; pe < gshmemi_tcp.npes; pe++)
		if (gshmemi_tcp.members[pe].fd >= 0)
			(void)answer_guests(gshmemi_tcp.members[pe].fd);
}

/* Lists the ranks that have not come, as in "ranks 2, 3". */
static void name_missing(char *text, size_t nbytes)
{
	size_t at = (size_t)snprintf(text, nbytes, door.nmissing == 1 ? "rank" : "ranks");
	int pe, nnamed = 0;

	for (pe = 0; pe < gshmemi_tcp.npes && nnamed < NNAMED; pe++)
		if (!gshmemi_tcp.members[pe].pid)
			at += (size_t)snprintf(text + at, nbytes - at, "%s %d", nnamed++ ? "," : "", pe);
	if (door.nmissing > nnamed)
		snprintf(text + at, nbytes - at, " and %d more", door.nmissing - nnamed);
}

/* Closes a guest's connection, and warns the first time that one goes for this reason. */
static void refuse(struct guest *guest, enum departure why)
{
	static const char *const texts[] = {
		[STRANGER] = "was refused: it does not know the secret of this job's unique id",
		[ENDED] =
			"ended before it said which rank it is: if it was a rank, init waits for it in vain",
		[SILENT] = "was closed: it has not said for 10 s which rank it is",
		[CROWDED] = "was closed to make room: it has not said which rank it is",
	};
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
	socklen_t length = sizeof address;
	char text[96];

	if (!(door.warned & 1U << why)) {
		getpeername(guest->fd, (struct sockaddr *)&address, &length);
		gshmemi_uniqueid_print_address(&address, text, sizeof text);
		gshmemi_warn("init: a connection from %s %s", text, texts[why]);
		door.warned |= 1U << why;
	}
	close(guest->fd);
	guest->fd = -1;
}

/* Makes a process of the job a member, unless init has failed or fails because of it. */
static void admit(struct guest *guest)
{
	struct hello *hello = &guest->hello;
	struct gshmemi_tcp_member *member = NULL;
	const int fd = guest->fd;

	guest->fd = -1;
	hello->host[sizeof hello->host - 1] = 0;
	if (hello->nranks != gshmemi_tcp.npes)
		fail(-EINVAL,
			"init: rank %d (pid %u on %s) says that there are %d ranks, but rank %d says %d: nranks "
			"must be the same in all processes",
			hello->rank, hello->pid, hello->host, hello->nranks, gshmemi_tcp.rank,
			gshmemi_tcp.npes);
	else if (hello->rank < 0 || hello->rank >= gshmemi_tcp.npes)
		fail(-EINVAL, "init: pid %u on %s says that it is rank %d: there are ranks 0 to %d",
			hello->pid, hello->host, hello->rank, gshmemi_tcp.npes - 1);
	else
		member = &gshmemi_tcp.members[hello->rank];
	if (member && member->pid)
		fail(-EINVAL, "init: pid %u on %s and pid %u on %s both say that they are rank %d",
			member->pid, member->host, hello->pid, hello->host, hello->rank);
	if (door.rc) {
		door.nanswered++;
		(void)answer_guests(fd);
		close(fd);
		return;
	}
	member->fd = fd;
	member->pid = hello->pid;
	memcpy(member->host, hello->host, sizeof member->host);
	door.nmissing--;
}

/* Called when the guest has sent something or has closed its connection. */
static void hear_guest(struct guest *guest)
{
	const ssize_t got = recv(guest->fd, (char *)&guest->hello + guest->got_nbytes,
		sizeof guest->hello - guest->got_nbytes, MSG_DONTWAIT);

	if (gshmemi_tcp_is_empty(got))
		return;
	if (got <= 0) {
		refuse(guest, ENDED);
		return;
	}
	guest->got_nbytes += (size_t)got;
	if (guest->got_nbytes < sizeof guest->hello)
		return;
	if (memcmp(guest->hello.magic, door.id->magic, sizeof guest->hello.magic) ||
		memcmp(guest->hello.secret, door.id->secret, sizeof guest->hello.secret))
		refuse(guest, STRANGER);
	else
		admit(guest);
}

/* Returns the guest that has been silent for longest, or NULL. */
static struct guest *find_oldest(void)
{
	struct guest *oldest = NULL, *guest;

	for (guest = door.guests; guest < door.guests + NGUESTS; guest++)
		if (guest->fd >= 0 && (!oldest || guest->since_ns < oldest->since_ns))
			oldest = guest;
	return oldest;
}

/*
 * Strangers that say nothing must not keep ranks out: when places or descriptors run out, the oldest guest
 * goes. False: there is none, or it is young; then the others wait in the socket's queue until it is not.
 */
static bool make_room(void)
{
	struct guest *oldest = find_oldest();

	if (!oldest)
		return false;
	door.full_until_ns = oldest->since_ns + YOUNG_NS;
	if (gshmemi_arch_clock_ns() < door.full_until_ns)
		return false;
	refuse(oldest, CROWDED);
	return true;
}

/* Returns a free place, or NULL. */
static struct guest *find_place(void)
{
	struct guest *guest;

	for (guest = door.guests; guest < door.guests + NGUESTS; guest++)
		if (guest->fd < 0)
			return guest;
	return NULL;
}

/* Returns -1 if nobody is accepted. */
static int accept_guest(void)
{
	int fd, rc;

	for (;;) {
		fd = gshmemi_file_keep(accept4(door.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
		if (fd >= 0 || (errno != EMFILE && errno != ENFILE))
			return fd;
		if (errno == EMFILE && gshmemi_file_raise_limit())
			continue;
		rc = -errno;
		if (!find_oldest())
			fail(rc, "init: rank %d cannot accept more connections: %s (ulimit -n)",
				gshmemi_tcp.rank, strerror(-rc));
		if (!make_room())
			return -1;
	}
}

/* Accepts a connection, if there is room for it. */
static void receive_guest(void)
{
	int fd;

	if (!find_place() && !make_room())
		return;
	fd = accept_guest();
	if (fd < 0)
		return;
	prepare(fd);
	*find_place() = (struct guest){.fd = fd, .since_ns = gshmemi_arch_clock_ns()};
}

static void check_member(int pe)
{
	struct gshmemi_tcp_member *member = &gshmemi_tcp.members[pe];
	char byte;

	if (gshmemi_tcp_is_empty(recv(member->fd, &byte, 1, MSG_DONTWAIT)))
		return;
	close(member->fd); /* readable means closed: a member sends nothing before it is welcomed */
	member->fd = -1;
	fail(-ECONNRESET, "init: rank %d (pid %u on %s) has ended before all %d ranks had come", pe,
		member->pid, member->host, gshmemi_tcp.npes);
}

static void check_time(void)
{
	const uint64_t now_ns = gshmemi_arch_clock_ns();
	char missing[160];
	int i;

	for (i = 0; i < NGUESTS; i++)
		if (door.guests[i].fd >= 0 && now_ns - door.guests[i].since_ns > GUEST_NS)
			refuse(&door.guests[i], SILENT);
	if (door.rc || !door.deadline_ns || now_ns < door.deadline_ns)
		return;
	name_missing(missing, sizeof missing);
	fail(-ETIMEDOUT, "init: %s of %d %s not come within %g s (GSHMEM_INIT_TIMEOUT)", missing,
		gshmemi_tcp.npes, door.nmissing == 1 ? "has" : "have", gshmemi_env.INIT_TIMEOUT);
}

/* fds: the listening socket, then the guests and members that are there. Returns how many there are. */
static size_t list_door(struct pollfd *fds)
{
	size_t nfds = 0;
	int i;

	fds[nfds++] = (struct pollfd){gshmemi_arch_clock_ns() < door.full_until_ns ? -1 : door.fd, POLLIN, 0};
	for (i = 0; i < NGUESTS; i++)
		if (door.guests[i].fd >= 0)
			fds[nfds++] = (struct pollfd){door.guests[i].fd, POLLIN, 0};
	for (i = 0; i < gshmemi_tcp.npes; i++)
		if (gshmemi_tcp.members[i].fd >= 0)
			fds[nfds++] = (struct pollfd){gshmemi_tcp.members[i].fd, POLLIN, 0};
	return nfds;
}

static void wait_at_door(struct pollfd *fds)
{
	const uint64_t tick_ns = gshmemi_arch_clock_ns() + (find_oldest() ? YOUNG_NS / 4 : GUEST_NS);
	const size_t nfds = list_door(fds);
	size_t at = 1;
	int i, found;

	found = gshmemi_tcp_poll(
		fds, nfds, door.deadline_ns && door.deadline_ns < tick_ns ? door.deadline_ns : tick_ns);
	if (found < 0) {
		fail(found, "init: rank %d cannot wait for the others: poll of %zu connections: %s",
			gshmemi_tcp.rank, nfds, strerror(-found));
		return;
	}
	for (i = 0; i < NGUESTS; i++)
		if (door.guests[i].fd >= 0 && fds[at++].revents)
			hear_guest(&door.guests[i]);
	/* A member that was a guest until now has the descriptor of a place further in front. */
	for (i = 0; i < gshmemi_tcp.npes; i++)
		if (at < nfds && gshmemi_tcp.members[i].fd == fds[at].fd && fds[at++].revents)
			check_member(i);
	if (fds[0].revents)
		receive_guest();
	check_time();
}

/* After a failure waits for more ranks, so that they get the message. */
static bool is_over(void)
{
	if (door.nmissing - door.nanswered <= 0)
		return true;
	return door.rc && gshmemi_arch_clock_ns() >= door.deadline_ns;
}

static int join_as_root(int fd, const struct gshmemi_uniqueid *id)
{
	struct pollfd *fds = calloc(1 + NGUESTS + (size_t)gshmemi_tcp.npes, sizeof *fds);
	struct gshmemi_tcp_member *own = &gshmemi_tcp.members[gshmemi_tcp.rank];
	int i, pe;

	if (!fds) {
		gshmemi_error("init: %d ranks: out of memory", gshmemi_tcp.npes);
		return -ENOMEM;
	}
	memset(&door, 0, sizeof door);
	door.id = id;
	door.fd = fd;
	door.deadline_ns = find_deadline(0);
	door.nmissing = gshmemi_tcp.npes - 1;
	for (i = 0; i < NGUESTS; i++)
		door.guests[i].fd = -1;
	gshmemi_tcp.root = gshmemi_tcp.rank;
	own->pid = (uint32_t)getpid();
	memcpy(own->host, id->host, sizeof own->host);
	while (!is_over())
		wait_at_door(fds);
	free(fds);
	for (i = 0; i < NGUESTS; i++)
		if (door.guests[i].fd >= 0)
			close(door.guests[i].fd);
	for (pe = 0; !door.rc && pe < gshmemi_tcp.npes; pe++)
		/* if a rank has died, the first exchange notices */
		if (gshmemi_tcp.members[pe].fd >= 0)
			(void)answer_guests(gshmemi_tcp.members[pe].fd);
	return door.rc;
}

/* ---- the others ---- */

/* Waits until fd is connected; returns 0, or why it is not. */
static int finish_connect(int fd, uint64_t deadline_ns)
{
	struct pollfd pollfd = {fd, POLLOUT, 0};
	socklen_t length = sizeof(int);
	int error = 0, found;

	found = gshmemi_tcp_poll(&pollfd, 1, deadline_ns);
	if (found <= 0)
		return found ? found : -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length))
		error = errno;
	return -error;
}

/*
 * Returns 0, -EINPROGRESS if finish_connect has to wait, or another error. The queue of a local socket may be
 * full, and poll does not say when it is not.
 */
static int start_connect(
	int fd, const struct sockaddr_storage *address, socklen_t length, uint64_t deadline_ns)
{
	const struct timespec nap = {0, 1000000};

	while (connect(fd, (const struct sockaddr *)address, length)) {
		if (errno != EAGAIN || address->ss_family != AF_UNIX)
			return -errno;
		if (deadline_ns && gshmemi_arch_clock_ns() >= deadline_ns)
			return -ETIMEDOUT;
		nanosleep(&nap, NULL);
	}
	return 0;
}

static int connect_root(const struct gshmemi_uniqueid *id, uint64_t deadline_ns, int *fd_p)
{
	struct sockaddr_storage address;
	const socklen_t length = gshmemi_uniqueid_address(id, &address);
	char text[96];
	int fd, rc;

	gshmemi_uniqueid_print_address(&address, text, sizeof text);
	fd = gshmemi_file_keep(socket(id->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	rc = fd < 0 ? -errno : start_connect(fd, &address, length, deadline_ns);
	if (rc == -EINPROGRESS)
		rc = finish_connect(fd, deadline_ns);
	if (!rc) {
		prepare(fd);
		*fd_p = fd;
		return 0;
	}
	if (rc == -ECONNREFUSED && id->family == AF_UNIX)
		gshmemi_error(
			"init: pid %u on %s, which made the unique id, does not listen at the local socket "
			"%s, or no longer: it has ended, has given up waiting, all ranks have come, or it "
			"runs on another machine or in another container; an id is for one job",
			id->pid, id->host, text);
	else if (rc == -ECONNREFUSED)
		gshmemi_error("init: pid %u on %s, which made the unique id, no longer listens at %s: "
			      "it has ended, has given up waiting, or all ranks have come; an id is for "
			      "one job",
			id->pid, id->host, text);
	else
		gshmemi_error("init: cannot connect to %s, where pid %u on %s listens, which made the "
			      "unique id: %s (GSHMEM_UID_ADDRESS chooses another address)",
			text, id->pid, id->host, strerror(-rc));
	if (fd >= 0)
		close(fd);
	return rc;
}

static int say_hello(int fd, const struct gshmemi_uniqueid *id, uint64_t deadline_ns)
{
	struct hello hello = {
		.rank = gshmemi_tcp.rank, .nranks = gshmemi_tcp.npes, .pid = (uint32_t)getpid()};

	memcpy(hello.magic, id->magic, sizeof hello.magic);
	memcpy(hello.secret, id->secret, sizeof hello.secret);
	gethostname(hello.host, sizeof hello.host - 1);
	return gshmemi_tcp_send(fd, &hello, sizeof hello, deadline_ns);
}

/* Receives the root's answer. -EBADMSG: it is not from the root. */
static int hear_welcome(
	int fd, const struct gshmemi_uniqueid *id, uint64_t deadline_ns, struct welcome *welcome, char *text)
{
	int32_t root;
	int rc;

	rc = gshmemi_tcp_receive(fd, welcome, sizeof *welcome, deadline_ns);
	if (rc)
		return rc;
	if (memcmp(welcome->magic, id->magic, sizeof welcome->magic) ||
		memcmp(welcome->secret, id->answered, sizeof welcome->secret))
		return -EBADMSG;
	if (welcome->frame.what == GSHMEMI_TCP_FAILED)
		return welcome->frame.nbytes > GSHMEMI_TCP_TEXT_NBYTES || welcome->frame.rc >= 0
			? -EBADMSG
			: gshmemi_tcp_receive(fd, text, welcome->frame.nbytes, deadline_ns);
	rc = gshmemi_tcp_receive(fd, &root, sizeof root, deadline_ns);
	if (!rc && (root < 0 || root >= gshmemi_tcp.npes || root == gshmemi_tcp.rank))
		rc = -EBADMSG;
	gshmemi_tcp.root = rc ? 0 : root;
	return rc;
}

static int report_join(int rc, const struct gshmemi_uniqueid *id)
{
	if (rc == -ETIMEDOUT)
		gshmemi_error("init: pid %u on %s, which made the unique id, has not answered within %g "
			      "s (GSHMEM_INIT_TIMEOUT): it must be one of the ranks, and call init too",
			id->pid, id->host, gshmemi_env.INIT_TIMEOUT);
	else if (rc == -EBADMSG)
		gshmemi_error("init: another process listens at the address of pid %u on %s, which made "
			      "the unique id: it does not know the job's secret. An id is for one job",
			id->pid, id->host);
	else
		gshmemi_error("init: pid %u on %s, which made the unique id, has ended or given up "
			      "before all ranks had come",
			id->pid, id->host);
	return rc;
}

static int join_as_guest(const struct gshmemi_uniqueid *id)
{
	const uint64_t deadline_ns = find_deadline(GRACE_NS);
	char text[GSHMEMI_TCP_TEXT_NBYTES] = "";
	struct welcome welcome;
	int fd, rc;

	rc = connect_root(id, deadline_ns, &fd);
	if (rc)
		return rc;
	rc = say_hello(fd, id, deadline_ns);
	if (rc != -ETIMEDOUT) /* a root that gave up may have sent the reason */
		rc = hear_welcome(fd, id, deadline_ns, &welcome, text);
	if (rc) {
		close(fd);
		return report_join(rc, id);
	}
	if (welcome.frame.what == GSHMEMI_TCP_FAILED) {
		text[sizeof text - 1] = 0;
		gshmemi_error("%s", text);
		close(fd);
		return welcome.frame.rc;
	}
	gshmemi_tcp.members[gshmemi_tcp.root].fd = fd;
	gshmemi_tcp.members[gshmemi_tcp.root].pid = id->pid;
	memcpy(gshmemi_tcp.members[gshmemi_tcp.root].host, id->host, sizeof id->host);
	return 0;
}

int gshmemi_bootstrap_tcp_open(const gshmemx_uniqueid_t *user_id, int rank, int npes)
{
	struct gshmemi_uniqueid id;
	int listen_fd, pe, rc;

	rc = gshmemi_uniqueid_read(user_id, &id);
	if (rc)
		return rc;
	listen_fd = gshmemi_uniqueid_take_listener(&id);
	gshmemi_tcp = (struct gshmemi_tcp){.rank = rank, .npes = npes};
	gshmemi_tcp.members = calloc((size_t)gshmemi_tcp.npes, sizeof *gshmemi_tcp.members);
	if (!gshmemi_tcp.members) {
		gshmemi_error("init: %d ranks: out of memory", gshmemi_tcp.npes);
		rc = -ENOMEM;
	}
	for (pe = 0; !rc && pe < gshmemi_tcp.npes; pe++)
		gshmemi_tcp.members[pe].fd = -1;
	if (!rc)
		rc = listen_fd >= 0 ? join_as_root(listen_fd, &id) : join_as_guest(&id);
	if (listen_fd >= 0)
		close(listen_fd);
	if (rc)
		gshmemi_tcp_close();
	return rc;
}
