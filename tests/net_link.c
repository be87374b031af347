/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,3 */
/* delivery: no */
/* timeout: 120 */
/* links: inner */
/*
 * Over the MPI link messages of all sizes and both kinds arrive as they were sent, and bulk arrives directly
 * in the memory named for it, even all at once and faster than the receiver takes them. Any thread may call,
 * one at a time. end leaves nothing behind.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/base.h"
#include "bootstrap/bootstrap.h"
#include "job.h"
#include "net/mpi.h"

enum { MAX_PES = 4, MESSAGE_NBYTES = 8192, NFLOOD = 100000, WINDOW = 64, NBULK = 4 };
#define BULK_NBYTES ((size_t)8 << 20)

struct op {
	struct gshmemi_transfer transfer; /* first: transfer pointers are cast */
	atomic_bool is_done;
};

static struct gshmemi_link *net;                         /* not link, which unistd.h has */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* around calls of the link */
static int me, npes;
static atomic_long ncame[2];   /* messages of each kind */
static uint32_t next[MAX_PES]; /* by PE: the number of its next flood message, if they arrive in order */
static long nunordered;
static bool is_flood;

static unsigned char pattern(int pe, int kind, uint32_t number, size_t i)
{
	return (unsigned char)((size_t)pe * 101 + (size_t)kind * 53 + number * 7 + i + i / 251);
}

static void fill(void *memory, int pe, int kind, uint32_t number, size_t nbytes)
{
	unsigned char *bytes = memory;
	size_t i;

	for (i = 0; i < nbytes; i++)
		bytes[i] = pattern(pe, kind, number, i);
}

static void expect(const void *memory, int pe, int kind, uint32_t number, size_t nbytes, const char *what)
{
	const unsigned char *bytes = memory;
	size_t i;

	for (i = 0; i < nbytes; i++)
		t_check(bytes[i] == pattern(pe, kind, number, i),
			"PE %d: %s %u of PE %d, kind %d, byte %zu of %zu: expected %d, "
			"got %d",
			me, what, number, pe, kind, i, nbytes, pattern(pe, kind, number, i), bytes[i]);
}

static void start(struct op *op, int kind, bool is_arrival, int pe, void *memory, size_t nbytes, uint32_t tag)
{
	op->is_done = false;
	op->transfer = (struct gshmemi_transfer){.memory = memory,
		.nbytes = nbytes,
		.tag = tag,
		.pe = pe,
		.kind = (uint8_t)kind,
		.is_arrival = is_arrival};
	pthread_mutex_lock(&lock);
	t_equal(net->start(net, &op->transfer), 0, "start");
	pthread_mutex_unlock(&lock);
}

/*
 * Flood messages begin with their number. Any other message has its PE's and kind's
 * contents, and its size is its number.
 */
static void take(const struct gshmemi_link_event *event)
{
	uint32_t number = (uint32_t)event->nbytes;

	t_check(event->kind == GSHMEMI_LINK_REQUEST || event->kind == GSHMEMI_LINK_RESPONSE,
		"a message of kind %d", event->kind);
	t_check(event->pe >= 0 && event->pe < npes, "a message of PE %d", event->pe);
	ncame[event->kind]++;
	if (!is_flood) {
		expect(event->data, event->pe, event->kind, number, event->nbytes, "message");
		return;
	}
	t_equal(event->nbytes, 64, "bytes of a message of a flood");
	memcpy(&number, event->data, sizeof number);
	expect((const char *)event->data + 4, event->pe, event->kind, number, 60, "message of a flood");
	nunordered += number != next[event->pe];
	next[event->pe] = number + 1;
}

/* Poll once; returns what happened. */
static int drive(void)
{
	struct gshmemi_link_event event;

	pthread_mutex_lock(&lock);
	t_equal(net->poll(net, &event), 0, "poll");
	if (event.what == GSHMEMI_LINK_CAME) {
		take(&event);
	} else if (event.what == GSHMEMI_LINK_DONE) {
		t_check(!((struct op *)event.transfer)->is_done, "a transfer is done twice");
		((struct op *)event.transfer)->is_done = true;
	}
	pthread_mutex_unlock(&lock);
	if (event.what == GSHMEMI_LINK_NOTHING)
		sched_yield();
	return event.what;
}

static void finish(const struct op *op)
{
	while (!op->is_done)
		drive();
}

static void await_messages(int kind, long count)
{
	while (ncame[kind] < count)
		drive();
}

/* Wait until all PEs are here; none counts messages of the next part yet. */
static void meet(bool next_is_flood)
{
	gshmemi_bootstrap_barrier();
	is_flood = next_is_flood;
	atomic_store(&ncame[GSHMEMI_LINK_REQUEST], 0);
	atomic_store(&ncame[GSHMEMI_LINK_RESPONSE], 0);
	gshmemi_bootstrap_barrier();
}

/* One message at a time, of each size, to this PE itself and to the next one. */
static void check_sizes(int kind)
{
	static const size_t sizes[] = {0, 1, 2, 7, 8, 63, 64, 1000, 4096, MESSAGE_NBYTES - 1, MESSAGE_NBYTES};
	static char memory[MESSAGE_NBYTES];
	struct op ops[2];
	unsigned i, n;

	meet(false);
	for (n = 1; n <= sizeof sizes / sizeof *sizes; n++) {
		fill(memory, me, kind, (uint32_t)sizes[n - 1], sizes[n - 1]);
		for (i = 0; i < 2; i++)
			start(&ops[i], kind, false, (me + (int)i) % npes, memory, sizes[n - 1], 0);
		for (i = 0; i < 2; i++)
			finish(&ops[i]);
		await_messages(kind, 2 * n);
	}
	t_equal(ncame[kind], 2 * sizeof sizes / sizeof *sizes, "messages");
}

/* Bulk to the next PE and from the previous one, several at a time; nothing after its end changes. */
static void check_bulk(size_t nbytes)
{
	static unsigned char out[NBULK][BULK_NBYTES], in[NBULK][BULK_NBYTES + 1];
	const int before = (me + npes - 1) % npes;
	struct op sends[NBULK], arrivals[NBULK];
	uint32_t i;

	meet(false);
	for (i = 0; i < NBULK; i++) {
		memset(in[i], 0xee, nbytes + 1);
		fill(out[i], me, GSHMEMI_LINK_BULK, i, nbytes);
		start(&arrivals[i], GSHMEMI_LINK_BULK, true, before, in[i], nbytes, (1U << 15) - 1 - i);
		start(&sends[NBULK - 1 - i], GSHMEMI_LINK_BULK, false, (me + 1) % npes, out[i], nbytes,
			(1U << 15) - 1 - i);
	}
	for (i = 0; i < NBULK; i++) {
		finish(&arrivals[i]);
		expect(in[i], before, GSHMEMI_LINK_BULK, i, nbytes, "bulk");
		t_equal(in[i][nbytes], 0xee, "the byte behind bulk");
	}
	for (i = 0; i < NBULK; i++)
		finish(&sends[i]);
}

/* All others send to PE 0, which spends some us on each message. */
static void check_flood(int kind)
{
	static char memories[WINDOW][64];
	static struct op ops[WINDOW];
	volatile int spin;
	uint32_t i;

	memset(next, 0, sizeof next);
	meet(true);
	for (i = 0; me && i < NFLOOD; i++) {
		if (i >= WINDOW)
			finish(&ops[i % WINDOW]);
		memcpy(memories[i % WINDOW], &i, sizeof i);
		fill(memories[i % WINDOW] + 4, me, kind, i, 60);
		start(&ops[i % WINDOW], kind, false, 0, memories[i % WINDOW], 64, 0);
	}
	for (i = 0; me && i < WINDOW; i++)
		finish(&ops[i]);
	while (!me && ncame[kind] < (npes - 1L) * NFLOOD)
		if (drive() == GSHMEMI_LINK_CAME)
			for (spin = 0; spin < 2000; spin++)
				;
	meet(false);
	if (getenv("T_VERBOSE") && !me)
		printf("%ld of %ld messages not in order\n", nunordered, (npes - 1L) * NFLOOD);
}

/* ---- everything at the same time, by two threads ---- */

static atomic_bool is_over;

static void *drive_along(void *unused)
{
	(void)unused;
	while (!atomic_load(&is_over))
		drive();
	return NULL;
}

/* Numbers that all PEs draw alike. */
static uint32_t draw(uint32_t *state)
{
	*state = *state * 1664525U + 1013904223U;
	return *state >> 8;
}

struct traffic {
	char out[WINDOW][MESSAGE_NBYTES];
	struct op ops[WINDOW];
	long nsent[MAX_PES][2]; /* to each PE, of each kind */
	unsigned char bulk_out[1 << 18], bulk_in[1 << 18];
	struct op send, arrival;
};

static void send_some(struct traffic *traffic, uint32_t *random)
{
	unsigned i, slot;
	size_t nbytes;
	int kind, to;

	for (i = 0; i < 20; i++) {
		slot = draw(random) % WINDOW, nbytes = draw(random) % (MESSAGE_NBYTES + 1);
		kind = (int)(draw(random) % 2), to = (int)(draw(random) % (unsigned)npes);
		finish(&traffic->ops[slot]);
		fill(traffic->out[slot], me, kind, (uint32_t)nbytes, nbytes);
		start(&traffic->ops[slot], kind, false, to, traffic->out[slot], nbytes, 0);
		traffic->nsent[to][kind]++;
	}
}

static void exchange_bulk(struct traffic *traffic, uint32_t number, size_t nbytes)
{
	const int before = (me + npes - 1) % npes;

	fill(traffic->bulk_out, me, GSHMEMI_LINK_BULK, number, nbytes);
	memset(traffic->bulk_in, 0, nbytes);
	start(&traffic->arrival, GSHMEMI_LINK_BULK, true, before, traffic->bulk_in, nbytes, number);
	start(&traffic->send, GSHMEMI_LINK_BULK, false, (me + 1) % npes, traffic->bulk_out, nbytes, number);
}

static void finish_bulk(struct traffic *traffic, uint32_t number, size_t nbytes)
{
	finish(&traffic->arrival);
	expect(traffic->bulk_in, (me + npes - 1) % npes, GSHMEMI_LINK_BULK, number, nbytes,
		"bulk among messages");
	finish(&traffic->send);
}

static void check_all_at_once(void)
{
	static struct traffic traffic;
	static long all[MAX_PES][MAX_PES][2];
	uint32_t i, random = (uint32_t)me, common = 1;
	pthread_t thread;
	size_t nbytes;
	int kind, pe;
	long expected;

	memset(&traffic, 0, sizeof traffic);
	for (i = 0; i < WINDOW; i++)
		traffic.ops[i].is_done = true;
	meet(false);
	is_over = false;
	t_equal(pthread_create(&thread, NULL, drive_along, NULL), 0, "pthread_create");
	for (i = 0; i < 200; i++) {
		nbytes = 1 + draw(&common) % sizeof traffic.bulk_in;
		exchange_bulk(&traffic, i, nbytes);
		send_some(&traffic, &random);
		finish_bulk(&traffic, i, nbytes);
	}
	for (i = 0; i < WINDOW; i++)
		finish(&traffic.ops[i]);
	gshmemi_bootstrap_allgather(traffic.nsent, all, sizeof traffic.nsent);
	for (kind = 0; kind < 2; kind++) {
		for (expected = 0, pe = 0; pe < npes; pe++)
			expected += all[pe][me][kind];
		await_messages(kind, expected);
		t_equal(ncame[kind], expected, "messages of all PEs");
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
}

/* ---- */

/* Use a link from open to end, in the calling thread. */
static void *live(void *unused)
{
	static const size_t sizes[] = {1, 7, 4096, 65536, 65537, 1 << 20, BULK_NBYTES};
	unsigned i;

	(void)unused;
	t_equal(gshmemi_link_mpi_open(&net), 0, "open");
	t_equal(net->size(net), MESSAGE_NBYTES, "size");
	check_sizes(GSHMEMI_LINK_REQUEST);
	check_sizes(GSHMEMI_LINK_RESPONSE);
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_bulk(sizes[i]);
	check_all_at_once();
	meet(false);
	net->end(net);
	return NULL;
}

static void flood(void)
{
	t_equal(gshmemi_link_mpi_open(&net), 0, "open");
	check_flood(GSHMEMI_LINK_REQUEST);
	check_flood(GSHMEMI_LINK_RESPONSE);
	net->end(net);
}

int main(void)
{
	int i, before;
	pthread_t thread;

	t_equal(gshmemi_bootstrap_open(NULL), 0, "bootstrap_open");
	me = gshmemi_bootstrap_rank();
	npes = gshmemi_bootstrap_npes();
	t_check(npes <= MAX_PES, "at most %d PEs", MAX_PES);
	t_equal(gshmemi_bootstrap_check_carrying(0, 1), 0, "check_carrying where the library started MPI");
	live(NULL);
	before = t_count_fds();
	for (i = 0; i < 20; i++) { /* end also frees communicators: MPICH has some 2000 */
		t_equal(gshmemi_link_mpi_open(&net), 0, "open");
		net->end(net);
	}
	t_equal(pthread_create(&thread, NULL, live, NULL), 0, "pthread_create");
	pthread_join(thread, NULL);
	t_equal(t_count_fds(), before, "open files after the end");
	flood();
	gshmemi_bootstrap_close();
	return 0;
}
