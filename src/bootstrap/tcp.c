/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges over the connections that join.c has made: see bootstrap/tcp.h. */
#include "bootstrap/tcp.h"

#include <gshmem/arch/arch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_NBYTES ((uint64_t)1 << 30) /* largest message: a larger size would be garbage */
#define LAST_NS     1000000000U         /* for the last message to a PE, which may be stopped */

struct gshmemi_tcp gshmemi_tcp;

/* ---- bytes ---- */

int gshmemi_tcp_poll(struct pollfd *fds, size_t nfds, uint64_t deadline_ns)
{
	uint64_t now_ns, left_ms;
	int timeout_ms = -1, found;

	do {
		if (deadline_ns) {
			now_ns = gshmemi_arch_clock_ns();
			left_ms = now_ns < deadline_ns ? (deadline_ns - now_ns) / 1000000 + 1 : 0;
			timeout_ms = left_ms > INT_MAX ? INT_MAX : (int)left_ms;
		}
		found = poll(fds, (nfds_t)nfds, timeout_ms);
	} while (found < 0 && errno == EINTR);
	return found < 0 ? -errno : found;
}

bool gshmemi_tcp_is_empty(ssize_t got)
{
	return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* Called after send or recv; moved is the result. Returns 0 to call it again, or why not. */
static int check_moved(int fd, ssize_t moved, short events, uint64_t deadline_ns)
{
	struct pollfd pollfd = {fd, events, 0};
	int found;

	if (moved > 0 || (moved < 0 && errno == EINTR))
		return 0;
	if (moved == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
		return -ECONNRESET;
	found = gshmemi_tcp_poll(&pollfd, 1, deadline_ns);
	return found ? (found < 0 ? found : 0) : -ETIMEDOUT;
}

int gshmemi_tcp_send(int fd, const void *data, size_t nbytes, uint64_t deadline_ns)
{
	const char *at = data;
	ssize_t moved;
	int rc = 0;

	for (; !rc && nbytes; rc = check_moved(fd, moved, POLLOUT, deadline_ns)) {
		moved = send(fd, at, nbytes, MSG_NOSIGNAL | MSG_DONTWAIT);
		at += moved > 0 ? moved : 0;
		nbytes -= moved > 0 ? (size_t)moved : 0;
	}
	return rc;
}

int gshmemi_tcp_receive(int fd, void *data, size_t nbytes, uint64_t deadline_ns)
{
	char *at = data;
	ssize_t moved;
	int rc = 0;

	for (; !rc && nbytes; rc = check_moved(fd, moved, POLLIN, deadline_ns)) {
		moved = recv(fd, at, nbytes, MSG_DONTWAIT);
		at += moved > 0 ? moved : 0;
		nbytes -= moved > 0 ? (size_t)moved : 0;
	}
	return rc;
}

/* ---- ends ---- */

int gshmemi_bootstrap_tcp_open_alone(void)
{
	gshmemi_tcp = (struct gshmemi_tcp){.npes = 1, .is_alone = true};
	gshmemi_tcp.members = calloc(1, sizeof *gshmemi_tcp.members);
	if (!gshmemi_tcp.members) {
		gshmemi_error("init: out of memory");
		return -ENOMEM;
	}
	gshmemi_tcp.members[0].fd = -1;
	return 0;
}

void gshmemi_tcp_close(void)
{
	int pe;

	for (pe = 0; gshmemi_tcp.members && pe < gshmemi_tcp.npes; pe++)
		if (gshmemi_tcp.members[pe].fd >= 0)
			close(gshmemi_tcp.members[pe].fd);
	free(gshmemi_tcp.members);
	gshmemi_tcp.members = NULL;
}

/*
 * Ends this process; the root tells the others why. If the PEs of a machine already know each other, one of
 * them prints for all (gshmemi_end_saying); before that each prints the text.
 */
_Noreturn static void end_job(const char *text)
{
	const struct gshmemi_tcp_frame frame = {GSHMEMI_TCP_FAILED, -ECONNRESET, 0, strlen(text) + 1};
	uint64_t deadline_ns;
	int pe, fd;

	for (pe = 0; gshmemi_tcp.rank == gshmemi_tcp.root && pe < gshmemi_tcp.npes; pe++) {
		fd = gshmemi_tcp.members[pe].fd;
		deadline_ns = gshmemi_arch_clock_ns() + LAST_NS;
		if (fd >= 0 && !gshmemi_tcp_send(fd, &frame, sizeof frame, deadline_ns))
			(void)gshmemi_tcp_send(fd, text, frame.nbytes, deadline_ns);
	}
	gshmemi_log_release(true); /* init holds messages back */
	gshmemi_end_saying(1, "%s", text);
}

_Noreturn static void lose(int pe)
{
	const struct gshmemi_tcp_member *member = &gshmemi_tcp.members[pe];
	char text[GSHMEMI_TCP_TEXT_NBYTES];

	snprintf(text, sizeof text,
		"PE %d (pid %u on %s) has ended while the others wait for it in init or finalize: the job "
		"ends",
		pe, member->pid, member->host);
	end_job(text);
}

/* Returns memory, or ends the job, because the other PEs are in the same exchange. */
static void *take_memory(size_t nbytes)
{
	void *ptr = malloc(nbytes ? nbytes : 1);

	if (!ptr)
		end_job("no memory for what the PEs tell each other in init: the job ends");
	return ptr;
}

/* ---- one exchange ---- */

/* Receives what a PE has sent so far; true if it is complete. */
static bool collect_some(struct gshmemi_tcp_member *member)
{
	const size_t head_nbytes = sizeof member->frame;
	ssize_t got;

	if (member->got_nbytes < head_nbytes)
		got = recv(member->fd, (char *)&member->frame + member->got_nbytes,
			head_nbytes - member->got_nbytes, MSG_DONTWAIT);
	else
		got = recv(member->fd, member->data + (member->got_nbytes - head_nbytes),
			head_nbytes + member->frame.nbytes - member->got_nbytes, MSG_DONTWAIT);
	if (gshmemi_tcp_is_empty(got))
		return false;
	if (got <= 0)
		lose((int)(member - gshmemi_tcp.members));
	member->got_nbytes += (size_t)got;
	if (member->got_nbytes == head_nbytes && !member->data) {
		if (member->frame.what != GSHMEMI_TCP_DATA || member->frame.nbytes > MOST_NBYTES)
			lose((int)(member - gshmemi_tcp.members));
		member->data = take_memory(member->frame.nbytes);
	}
	return member->data && member->got_nbytes == head_nbytes + member->frame.nbytes;
}

/* Receives the message of every other PE. */
static void collect_messages(void)
{
	struct pollfd *fds = take_memory((size_t)gshmemi_tcp.npes * sizeof *fds);
	int *pes = take_memory((size_t)gshmemi_tcp.npes * sizeof *pes);
	size_t nleft = 0, i;
	int pe;

	for (pe = 0; pe < gshmemi_tcp.npes; pe++) {
		if (gshmemi_tcp.members[pe].fd < 0)
			continue;
		fds[nleft] = (struct pollfd){gshmemi_tcp.members[pe].fd, POLLIN, 0};
		pes[nleft++] = pe;
	}
	while (nleft) {
		if (gshmemi_tcp_poll(fds, nleft, 0) < 0)
			end_job("poll fails, so PEs cannot exchange data in init or finalize: the job ends");
		for (i = nleft; i-- > 0;) {
			if (!fds[i].revents || !collect_some(&gshmemi_tcp.members[pes[i]]))
				continue;
			nleft--; /* the last one, which has been looked at, takes its place */
			fds[i] = fds[nleft];
			pes[i] = pes[nleft];
		}
	}
	free(pes);
	free(fds);
}

/* Joins what the PEs of a group have sent, in the order of PEs. */
static char *join_data(uint64_t group, uint64_t *nbytes_p)
{
	const struct gshmemi_tcp_member *member, *end = gshmemi_tcp.members + gshmemi_tcp.npes;
	uint64_t nbytes = 0;
	char *data, *at;

	for (member = gshmemi_tcp.members; member < end; member++)
		nbytes += member->frame.group == group ? member->frame.nbytes : 0;
	data = at = take_memory(nbytes);
	for (member = gshmemi_tcp.members; member < end; member++) {
		if (member->frame.group != group || !member->frame.nbytes)
			continue;
		memcpy(at, member->data, member->frame.nbytes);
		at += member->frame.nbytes;
	}
	*nbytes_p = nbytes;
	return data;
}

static void check_size(uint64_t nbytes, size_t expected)
{
	if (nbytes != expected)
		end_job("the PEs are not in the same step of init or finalize: the job ends");
}

/* Sends each PE its answer, which is the same for all PEs of a group. */
static void answer_all(void *all, size_t all_nbytes)
{
	struct gshmemi_tcp_frame frame = {GSHMEMI_TCP_DATA, 0, 0, 0};
	struct gshmemi_tcp_member *member;
	char *data = NULL;
	int pe;

	for (pe = 0; pe < gshmemi_tcp.npes; pe++) {
		member = &gshmemi_tcp.members[pe];
		if (!data || frame.group != member->frame.group) {
			free(data);
			frame.group = member->frame.group;
			data = join_data(frame.group, &frame.nbytes);
		}
		if (pe == gshmemi_tcp.rank) {
			check_size(frame.nbytes, all_nbytes);
			if (all_nbytes)
				memcpy(all, data, all_nbytes);
		} else if (gshmemi_tcp_send(member->fd, &frame, sizeof frame, 0) ||
			gshmemi_tcp_send(member->fd, data, frame.nbytes, 0)) {
			lose(pe);
		}
	}
	free(data);
}

static void serve_group(uint64_t group, const void *mine, size_t nbytes, void *all, size_t all_nbytes)
{
	struct gshmemi_tcp_member *member;
	int pe;

	for (pe = 0; pe < gshmemi_tcp.npes; pe++) {
		gshmemi_tcp.members[pe].got_nbytes = 0;
		gshmemi_tcp.members[pe].data = NULL;
	}
	member = &gshmemi_tcp.members[gshmemi_tcp.rank];
	member->frame = (struct gshmemi_tcp_frame){GSHMEMI_TCP_DATA, 0, group, nbytes};
	member->data = take_memory(nbytes);
	if (nbytes)
		memcpy(member->data, mine, nbytes);
	collect_messages();
	answer_all(all, all_nbytes);
	for (pe = 0; pe < gshmemi_tcp.npes; pe++)
		free(gshmemi_tcp.members[pe].data);
}

static void ask_root(uint64_t group, const void *mine, size_t nbytes, void *all, size_t all_nbytes)
{
	struct gshmemi_tcp_frame frame = {GSHMEMI_TCP_DATA, 0, group, nbytes};
	const int fd = gshmemi_tcp.members[gshmemi_tcp.root].fd;
	char text[GSHMEMI_TCP_TEXT_NBYTES] = "";

	/* Receives even if sending fails: a root that has ended the job has sent the reason. */
	if (!gshmemi_tcp_send(fd, &frame, sizeof frame, 0))
		(void)gshmemi_tcp_send(fd, mine, nbytes, 0);
	if (gshmemi_tcp_receive(fd, &frame, sizeof frame, 0))
		lose(gshmemi_tcp.root);
	if (frame.what == GSHMEMI_TCP_FAILED) {
		(void)gshmemi_tcp_receive(
			fd, text, frame.nbytes < sizeof text ? frame.nbytes : sizeof text - 1, 0);
		end_job(text);
	}
	check_size(frame.nbytes, all_nbytes);
	if (gshmemi_tcp_receive(fd, all, all_nbytes, 0))
		lose(gshmemi_tcp.root);
}

/*
 * Fills all with what the PEs that pass the same group pass as mine, in the order of PEs. Lengths may
 * differ between PEs.
 */
static void exchange(uint64_t group, const void *mine, size_t nbytes, void *all, size_t all_nbytes)
{
	if (gshmemi_tcp.rank == gshmemi_tcp.root)
		serve_group(group, mine, nbytes, all, all_nbytes);
	else
		ask_root(group, mine, nbytes, all, all_nbytes);
}

/* ---- the functions of bootstrap.h ---- */

/* There is no launcher to ask. The others notice this PE's end by its life word or its connection. */
static void abort_job(int status)
{
	(void)status;
}

static bool is_finalized(void)
{
	return false;
}

static int check_level(int thread_level)
{
	(void)thread_level;
	return 0;
}

static int check_carrying(int from_pe, int to_pe)
{
	char what[64] = "PEs ask of memory that they do not map"; /* by a window, or with GSHMEM_NET */

	if (gshmemi_tcp.is_alone) {
		gshmemi_error(
			"MPI has to carry the operations %s, but it cannot be loaded: install MPICH, or "
			"name its library in GSHMEM_MPI_LIBRARY",
			what);
		return -ENOTSUP;
	}
	if (from_pe != to_pe)
		snprintf(what, sizeof what, "of PE %d on PE %d, as between nodes", from_pe, to_pe);
	gshmemi_error("MPI has to carry the operations %s, but the job was started by a unique id, which is "
		      "for PEs that map each other's memory: start it with mpirun",
		what);
	return -ENOTSUP;
}

static uint64_t machine_group(void)
{
	return 1 + (uint64_t)gshmemi_tcp.lowest;
}

static void split_group(int lowest, int npeers)
{
	gshmemi_tcp.lowest = lowest;
	gshmemi_tcp.npeers = npeers;
}

static void barrier(void)
{
	exchange(0, NULL, 0, NULL, 0);
}

static void broadcast_bytes(void *data, size_t nbytes, int root)
{
	exchange(0, data, root == gshmemi_tcp.rank ? nbytes : 0, data, nbytes);
}

static void move_bytes(void *data, size_t nbytes, int from, int to)
{
	(void)to;
	broadcast_bytes(data, nbytes, from);
}

static void allgather(const void *mine, void *all, size_t nbytes)
{
	exchange(0, mine, nbytes, all, nbytes * (size_t)gshmemi_tcp.npes);
}

static void allgather_machine(const void *mine, void *all, size_t nbytes)
{
	exchange(machine_group(), mine, nbytes, all, nbytes * (size_t)gshmemi_tcp.npeers);
}

static void allgather_leaders(bool is_leader, int nleaders, const void *mine, void *all, size_t nbytes)
{
	exchange(0, mine, is_leader ? nbytes : 0, all, nbytes * (size_t)nleaders);
}

static void find_min(int64_t *words, int nwords)
{
	const size_t n = (size_t)nwords, nall = n * (size_t)gshmemi_tcp.npes;
	int64_t *all = take_memory(nall * sizeof *all);
	size_t i;

	allgather(words, all, n * sizeof *words);
	for (i = 0; i < nall; i++)
		words[i % n] = all[i] < words[i % n] ? all[i] : words[i % n];
	free(all);
}

static void find_all_bits(uint64_t *words, int nwords)
{
	const size_t n = (size_t)nwords, nall = n * (size_t)gshmemi_tcp.npes;
	uint64_t *all = take_memory(nall * sizeof *all);
	size_t i;

	allgather(words, all, n * sizeof *words);
	for (i = 0; i < nall; i++)
		words[i % n] &= all[i];
	free(all);
}

const struct gshmemi_bootstrap gshmemi_bootstrap_tcp = {
	.close = gshmemi_tcp_close,
	.abort = abort_job,
	.is_finalized = is_finalized,
	.check_level = check_level,
	.check_carrying = check_carrying,
	.split = split_group,
	.barrier = barrier,
	.move = move_bytes,
	.broadcast = broadcast_bytes,
	.allgather = allgather,
	.allgather_machine = allgather_machine,
	.allgather_leaders = allgather_leaders,
	.min = find_min,
	.all_bits = find_all_bits,
};
