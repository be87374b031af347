/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* links: inner */
/*
 * The cache of openings matches a model, in one process: peers allocate, free, and get an address again;
 * regions take and return openings at random. No allocation is opened twice at a time, none with a user is
 * closed, a handle never stands for an allocation that it named before, and of unused openings the cache keeps
 * the GSHMEM_IPC_CACHE most recently used. Memory at an address that was used before has the same handle, or,
 * as with CUDA, a new one that cannot be opened as long as the old one is open.
 */
#include "../src/ipc/opening.c"
#include "helpers.h"

enum { NPEERS = 3, NPLACES = 8, NMEMORIES = 4096, NUSERS = 64, BOUND = 3 };

/* An allocation of a peer. Its handle is its place, like an address. */
struct memory {
	int peer, place;
	bool is_open;
	int nusers;
	long last; /* take or return */
	struct gshmemi_opening *opening;
};

static struct memory memories[NMEMORIES]; /* by id, from 1 on */
static bool is_cuda;                      /* handles are new each time */
static int nmemories, current[NPEERS][NPLACES];
static int taken[NUSERS];
static int nopens, nfinds, taking; /* id that take is asked for */
static bool is_ending;
static long now;

static struct memory *memory_at(void *base)
{
	return &memories[(uintptr_t)base >> 12];
}

hipError_t hipIpcOpenMemHandle(void **ptr, hipIpcMemHandle_t handle, unsigned flags)
{
	int i;

	(void)flags;
	t_equal(((unsigned char *)&handle)[0], memories[taking].place, "the handle");
	for (i = 1; i <= nmemories && is_cuda; i++)
		if (memories[i].is_open && memories[i].peer == memories[taking].peer &&
			memories[i].place == memories[taking].place)
			return hipErrorAlreadyMapped;
	t_check(!memories[taking].is_open, "memory %d is opened while it is open", taking);
	memories[taking].is_open = true;
	*ptr = (void *)((uintptr_t)taking << 12);
	nopens++;
	return hipSuccess;
}

hipError_t hipIpcCloseMemHandle(void *ptr)
{
	struct memory *m = memory_at(ptr);
	int i;

	t_check(m->is_open, "memory is closed twice");
	t_equal(m->nusers, 0, "users of memory that is closed");
	/* an opening of freed memory is closed when its handle comes again, however recent it is */
	t_check(!taking ||
			((is_cuda || memories[taking].place == m->place) && memories[taking].peer == m->peer),
		"a take closes memory of another handle");
	for (i = 1; i <= nmemories && !taking && !is_ending; i++)
		t_check(!memories[i].is_open || memories[i].nusers || memories[i].peer != m->peer ||
				memories[i].last >= m->last,
			"memory %d has not been used for longer than what is closed", i);
	m->is_open = false;
	return hipSuccess;
}

static void allocate(int peer, int place)
{
	t_check(++nmemories < NMEMORIES, "too many allocations");
	memories[nmemories] = (struct memory){.peer = peer, .place = place};
	current[peer][place] = nmemories;
}

static void take(int *user)
{
	const int peer = rand() % NPEERS, place = rand() % NPLACES, id = current[peer][place];
	struct gshmemi_memory memory = {.id = (uint64_t)id, .nbytes = 1};
	struct memory *m = &memories[id];
	bool was_open = m->is_open, is_blocked = false;
	struct gshmemi_opening *opening;
	hipError_t error;
	int i;

	((unsigned char *)&memory.handle)[0] = (unsigned char)place;
	if (is_cuda)
		memcpy((char *)&memory.handle + 1, &id, sizeof id);
	for (i = 1; i <= nmemories; i++)
		is_blocked |= i != id && memories[i].peer == peer && memories[i].place == place &&
			memories[i].nusers;
	taking = id;
	error = gshmemi_opening_take(peer, &memory, NULL, &opening);
	taking = 0;
	if (is_blocked) {
		t_equal(error, is_cuda ? hipErrorAlreadyMapped : hipErrorInvalidContext,
			"a handle whose old memory is in use");
		return;
	}
	t_equal(error, hipSuccess, "take");
	t_check(memory_at(opening->base) == m, "take gives memory %d for %d",
		(int)(memory_at(opening->base) - memories), id);
	nfinds += was_open;
	m->opening = opening;
	m->nusers++;
	m->last = ++now;
	*user = id;
}

static void give(int *user)
{
	struct memory *m = &memories[*user];
	int i, nidle = 0;

	m->nusers--;
	m->last = ++now;
	gshmemi_opening_give(m->peer, m->opening);
	*user = 0;
	for (i = 1; i <= nmemories; i++)
		nidle += memories[i].is_open && !memories[i].nusers && memories[i].peer == m->peer;
	t_check(nidle <= BOUND, "%d allocations of peer %d are open without a user", nidle, m->peer);
}

static void run(void)
{
	int i, nopen = 0;

	nmemories = nopens = nfinds = 0;
	is_ending = false;
	memset(memories, 0, sizeof memories);
	t_equal(gshmemi_openings_create(NPEERS), 0, "create");
	for (i = 0; i < NPEERS * NPLACES; i++)
		allocate(i % NPEERS, i / NPEERS);
	for (i = 0; i < 100000; i++) {
		int *user = &taken[rand() % (i / 1000 % 2 ? NUSERS : 4)];

		if (*user)
			give(user);
		else
			take(user);
		if (i % 50 == 0)
			/* the previous allocation is freed, in use or not */
			allocate(rand() % NPEERS, rand() % NPLACES);
	}
	t_equal(gshmemi_openings_count().nopened, nopens, "opened");
	t_equal(gshmemi_openings_count().nfound, nfinds, "found");
	t_check(nfinds > 10000 && nopens > 1000, "%d found, %d opened: too few to tell", nfinds, nopens);
	for (i = 0; i < NUSERS; i++)
		if (taken[i])
			give(&taken[i]);
	is_ending = true;
	gshmemi_openings_destroy();
	for (i = 1; i <= nmemories; i++)
		nopen += memories[i].is_open;
	t_equal(nopen, 0, "open in the end");
}

int main(void)
{
	srand(1);
	gshmemi_env.IPC_CACHE = BOUND;
	run();
	is_cuda = true;
	run();
	return 0;
}
