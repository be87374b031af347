/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The link over MPI.
 *
 * The tag tells requests, responses and bulk apart. Receives for messages from any PE are posted ahead, in
 * one ring per kind. MPI matches them in the order in which they were posted, so only the oldest of a ring is
 * tested: an idle poll takes 0.1 us, where MPI_Testsome of all takes 1 us for 32 receives. Transfers in
 * flight are tested a few at a time, in turns.
 */
#include "net/mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scale.h"
#include "bootstrap/bootstrap.h"
#include "job/job.h"
#include "mpi/mpi.h"
#include "trace/trace.h"

#define MESSAGE_NBYTES ((size_t)8192)
#define NPOSTED        32 /* in each ring */
#define NTESTED        4  /* transfers tested in one poll; each adds 30 ns */
#define BULK_TAG       2  /* + the transfer's; a message's tag is its kind */
#define LAST_BULK_TAG  (BULK_TAG + (1 << 15) - 1)

enum { NKINDS = GSHMEMI_LINK_RESPONSE + 1 };

/* The posted receives of one kind of messages. Receive i fills buffers[i]. */
struct ring {
	gshmemi_mpi_request_t requests[NPOSTED];
	unsigned oldest;
	bool has_come; /* the oldest has completed: came says from whom, and how much */
	bool is_lent;  /* the engine may read the buffer of the oldest until it polls again */
	struct gshmemi_mpi_done came;
	char (*buffers)[MESSAGE_NBYTES];
};

struct mpi_link {
	struct gshmemi_link link; /* first: link pointers are cast */
	gshmemi_mpi_comm_t comm;
	bool has_failed;
	struct ring rings[NKINDS];
	/* Transfers in flight, in no order. The next poll tests those from next_tested on. */
	struct gshmemi_transfer **transfers;
	gshmemi_mpi_request_t *requests;
	int ntransfers, capacity, next_tested;
	/* Transfers that have completed, and that poll has not given back yet. */
	struct gshmemi_transfer *done, **done_end;
};

/* ---- errors ---- */

/*
 * Returns 0, or -EIO after a message. pe is the PE that the call sends to or receives from; -1: any. If a PE
 * of this machine has died, the watcher names it.
 */
static int check_with(struct mpi_link *link, int code, const char *call, int pe)
{
	char text[512], who[GSHMEMI_HOST_NBYTES + 32] = "a PE";

	if (!code)
		return 0;
	link->has_failed = true;
	gshmemi_mpi->error_string(code, text, sizeof text);
	if (pe >= 0 && gshmemi_job)
		snprintf(who, sizeof who, "PE %d on %s", pe, gshmemi_job_host(pe));
	gshmemi_error("net: %s failed, which may mean that %s has died: %s", call, who, text);
	return -EIO;
}

static int check_code(struct mpi_link *link, int code, const char *call)
{
	return check_with(link, code, call, -1);
}

/* ---- messages that arrive ---- */

static int post(struct mpi_link *link, int kind, unsigned i)
{
	struct ring *ring = &link->rings[kind];

	return check_code(link,
		gshmemi_mpi->irecv(
			ring->buffers[i], MESSAGE_NBYTES, -1, kind, link->comm, &ring->requests[i]),
		"MPI_Irecv");
}

/* Takes back the buffer that the engine has read. Its receive is now the youngest of the ring. */
static int repost(struct mpi_link *link, int kind)
{
	struct ring *ring = &link->rings[kind];
	const unsigned i = ring->oldest;

	if (!ring->is_lent)
		return 0;
	ring->is_lent = false;
	ring->oldest = (i + 1) % NPOSTED;
	return post(link, kind, i);
}

static void give_message(struct mpi_link *link, int kind, struct gshmemi_link_event *event)
{
	struct ring *ring = &link->rings[kind];

	event->what = GSHMEMI_LINK_CAME;
	event->pe = ring->came.pe;
	event->kind = kind;
	event->data = ring->buffers[ring->oldest];
	event->nbytes = ring->came.nbytes;
	gshmemi_trace_moment(GSHMEMI_TRACE_CAME, event->pe, event->nbytes, "message");
	ring->has_come = false;
	ring->is_lent = true;
}

/* ---- transfers ---- */

static int grow(struct mpi_link *link)
{
	const int capacity = link->capacity ? 2 * link->capacity : 64;
	struct gshmemi_transfer **transfers;
	gshmemi_mpi_request_t *requests;

	transfers = realloc(link->transfers, (size_t)capacity * sizeof *transfers);
	if (transfers)
		link->transfers = transfers;
	requests = realloc(link->requests, (size_t)capacity * sizeof *requests);
	if (requests)
		link->requests = requests;
	if (!transfers || !requests) {
		link->has_failed = true;
		gshmemi_error("net: %d messages in flight: out of memory", capacity);
		return -ENOMEM;
	}
	link->capacity = capacity;
	return 0;
}

static int start_transfer(struct gshmemi_link *base, struct gshmemi_transfer *transfer)
{
	struct mpi_link *link = (struct mpi_link *)base;
	const int tag = transfer->kind == GSHMEMI_LINK_BULK ? BULK_TAG + (int)transfer->tag : transfer->kind;
	gshmemi_mpi_request_t *request;
	int rc;

	if (link->has_failed)
		return -EIO;
	if (link->ntransfers == link->capacity) {
		rc = grow(link);
		if (rc)
			return rc;
	}
	request = &link->requests[link->ntransfers];
	if (!transfer->is_arrival)
		gshmemi_trace_moment(GSHMEMI_TRACE_SENT, transfer->pe, transfer->nbytes,
			transfer->kind == GSHMEMI_LINK_BULK ? "chunk" : "message");
	if (transfer->is_arrival)
		rc = check_with(link,
			gshmemi_mpi->irecv(
				transfer->memory, transfer->nbytes, transfer->pe, tag, link->comm, request),
			"MPI_Irecv", transfer->pe);
	else
		rc = check_with(link,
			gshmemi_mpi->isend(
				transfer->memory, transfer->nbytes, transfer->pe, tag, link->comm, request),
			"MPI_Isend", transfer->pe);
	if (rc)
		return rc;
	link->transfers[link->ntransfers++] = transfer;
	return 0;
}

/* Moves transfer i to those that are done. */
static void finish_transfer(struct mpi_link *link, int i)
{
	struct gshmemi_transfer *transfer = link->transfers[i];
	const int last = --link->ntransfers;

	link->transfers[i] = link->transfers[last];
	link->requests[i] = link->requests[last];
	transfer->next = NULL;
	*link->done_end = transfer;
	link->done_end = &transfer->next;
}

static void give_transfer(struct mpi_link *link, struct gshmemi_link_event *event)
{
	struct gshmemi_transfer *transfer = link->done;

	link->done = transfer->next;
	if (!link->done)
		link->done_end = &link->done;
	event->what = GSHMEMI_LINK_DONE;
	event->transfer = transfer;
	if (transfer->is_arrival)
		gshmemi_trace_moment(GSHMEMI_TRACE_CAME, transfer->pe, transfer->nbytes, "chunk");
}

/* ---- poll ---- */

/* Tests the oldest receive of each ring, and the transfers whose turn it is. */
static int test(struct mpi_link *link)
{
	gshmemi_mpi_request_t requests[NKINDS + NTESTED];
	struct gshmemi_mpi_done done[NKINDS + NTESTED];
	const int first = link->next_tested < link->ntransfers ? link->next_tested : 0,
		  left = link->ntransfers - first;
	const int ntested = left < NTESTED ? left : NTESTED;
	bool is_done[NTESTED] = {false};
	int i, code, ndone;

	for (i = 0; i < NKINDS; i++)
		requests[i] = link->rings[i].requests[link->rings[i].oldest];
	for (i = 0; i < ntested; i++)
		requests[NKINDS + i] = link->requests[first + i];
	code = gshmemi_mpi->test_some(NKINDS + ntested, requests, &ndone, done);
	if (code)
		return check_code(link, code, "MPI_Testsome");
	for (i = 0; i < ndone; i++) {
		if (done[i].index >= NKINDS) {
			is_done[done[i].index - NKINDS] = true;
			continue;
		}
		link->rings[done[i].index].has_come = true;
		link->rings[done[i].index].came = done[i];
	}
	link->next_tested = first + ntested;
	/* from the end, because finish fills the gap with the last transfer */
	for (i = ntested - 1; i >= 0; i--) {
		if (!is_done[i])
			continue;
		finish_transfer(link, first + i);
		link->next_tested--;
	}
	return 0;
}

/* Gives what the last test found. Responses and transfers come first, because the engine waits for them. */
static bool give(struct mpi_link *link, struct gshmemi_link_event *event)
{
	if (link->rings[GSHMEMI_LINK_RESPONSE].has_come)
		give_message(link, GSHMEMI_LINK_RESPONSE, event);
	else if (link->done)
		give_transfer(link, event);
	else if (link->rings[GSHMEMI_LINK_REQUEST].has_come)
		give_message(link, GSHMEMI_LINK_REQUEST, event);
	else
		return false;
	return true;
}

static int poll(struct gshmemi_link *base, struct gshmemi_link_event *event)
{
	struct mpi_link *link = (struct mpi_link *)base;
	int kind, rc;

	event->what = GSHMEMI_LINK_NOTHING;
	if (link->has_failed)
		return -EIO;
	for (kind = 0; kind < NKINDS; kind++) {
		rc = repost(link, kind);
		if (rc)
			return rc;
	}
	if (give(link, event))
		return 0;
	rc = test(link);
	if (!rc)
		give(link, event);
	return rc;
}

static size_t size(const struct gshmemi_link *base)
{
	(void)base;
	return MESSAGE_NBYTES;
}

/* ---- the program's MPI_Finalize ---- */

/*
 * If a thread of MPICH 4.0.2 is inside another call at that moment, it leaves a lock behind over which
 * MPI_Finalize then stumbles, so the link cannot be ended in order here.
 */
static void refuse_finalize(void)
{
	gshmemi_end_saying(1,
		"MPI_Finalize called before gshmem_finalize, while MPI carries operations between PEs: call "
		"gshmem_finalize first");
}

/* ---- open and end ---- */

/*
 * Does not cancel receives, for which MPICH sends a message and waits for an answer. Messages to this PE
 * itself complete them.
 */
static void complete_receives(struct mpi_link *link)
{
	gshmemi_mpi_request_t sends[NPOSTED];
	int i, kind, code;

	for (kind = 0; kind < NKINDS; kind++) {
		if (repost(link, kind))
			return;
		for (i = 0; i < NPOSTED; i++) {
			code = gshmemi_mpi->isend(
				NULL, 0, gshmemi_bootstrap_rank(), kind, link->comm, &sends[i]);
			if (check_code(link, code, "MPI_Isend"))
				return;
		}
		if (check_code(
			    link, gshmemi_mpi->wait_all(NPOSTED, link->rings[kind].requests), "MPI_Waitall"))
			return;
		if (check_code(link, gshmemi_mpi->wait_all(NPOSTED, sends), "MPI_Waitall"))
			return;
	}
}

static void free_link(struct mpi_link *link)
{
	int kind;

	for (kind = 0; kind < NKINDS; kind++)
		free(link->rings[kind].buffers);
	free(link->transfers);
	free(link->requests);
	free(link);
}

/* After a failure MPI may still write to the link's memory, so that is not freed. */
static void end(struct gshmemi_link *base)
{
	struct mpi_link *link = (struct mpi_link *)base;

	gshmemi_mpi->unwatch_finalize();
	if (!link->has_failed)
		complete_receives(link);
	if (link->has_failed)
		return;
	gshmemi_mpi->comm_free(&link->comm);
	free_link(link);
}

static struct mpi_link *allocate_link(void)
{
	struct mpi_link *link = calloc(1, sizeof *link);
	int kind;

	if (!link)
		return NULL;
	for (kind = 0; kind < NKINDS; kind++)
		link->rings[kind].buffers = calloc(NPOSTED, MESSAGE_NBYTES);
	if (!link->rings[GSHMEMI_LINK_REQUEST].buffers || !link->rings[GSHMEMI_LINK_RESPONSE].buffers) {
		free_link(link);
		return NULL;
	}
	link->link = (struct gshmemi_link){start_transfer, poll, size, end};
	link->done_end = &link->done;
	return link;
}

static int check_tags(gshmemi_mpi_comm_t comm)
{
	const int last = gshmemi_mpi->comm_last_tag(comm);

	if (last >= LAST_BULK_TAG)
		return 0;
	gshmemi_error("net: MPI allows tags up to %d, but gshmem needs up to %d", last, LAST_BULK_TAG);
	return -ENOTSUP;
}

static int post_all(struct mpi_link *link)
{
	unsigned i;
	int kind, rc;

	for (kind = 0; kind < NKINDS; kind++) {
		for (i = 0; i < NPOSTED; i++) {
			rc = post(link, kind, i);
			if (rc)
				return rc;
		}
	}
	return 0;
}

/* The communicator of a link that may be opened later. */
static gshmemi_mpi_comm_t prepared;

void gshmemi_link_mpi_prepare(void)
{
	gshmemi_bootstrap_copy_comm(&prepared);
}

void gshmemi_link_mpi_drop(void)
{
	if (prepared && !gshmemi_bootstrap_is_finalized())
		gshmemi_mpi->comm_free(&prepared);
	prepared = 0;
}

int gshmemi_link_mpi_open_prepared(struct gshmemi_link **link_p)
{
	struct mpi_link *link = allocate_link();
	int rc;

	if (!link) {
		gshmemi_error("net: %zu bytes of messages: out of memory", NKINDS * NPOSTED * MESSAGE_NBYTES);
		return -ENOMEM;
	}
	rc = check_tags(prepared);
	if (rc) {
		free_link(link);
		return rc;
	}
	link->comm = prepared;
	prepared = 0;
	gshmemi_mpi->watch_finalize(refuse_finalize);
	rc = post_all(link);
	if (rc)
		end(&link->link);
	else
		*link_p = &link->link;
	return rc;
}

int gshmemi_link_mpi_open(struct gshmemi_link **link_p)
{
	struct gshmemi_link *link = NULL;
	int rc, local;

	gshmemi_link_mpi_prepare();
	local = gshmemi_link_mpi_open_prepared(&link);
	rc = gshmemi_bootstrap_agree(local, NULL);
	if (rc && link)
		link->end(link);
	gshmemi_link_mpi_drop();
	if (!rc)
		*link_p = link;
	return rc;
}

size_t gshmemi_link_mpi_scale(struct gshmemi_scale *scale)
{
	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "receives",
		sizeof(struct mpi_link) + NKINDS * NPOSTED * MESSAGE_NBYTES);
	return MESSAGE_NBYTES;
}
