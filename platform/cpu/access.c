/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_CPU_HOST_ACCESS=0: only blocks can touch device memory, and the runtime for its own copies. A host
 * thread that does gets a fault, as with a GPU whose memory the CPU cannot reach.
 *
 * Where the machine has memory protection keys, device memory carries one. Linux denies it to every thread
 * (and signal handler) that has not asked for it. Elsewhere, and with GSHMEM_CPU_HOST_ACCESS=mprotect, device
 * memory is PROT_NONE while no thread of the process has it open. That misses what a host thread touches
 * while a kernel runs. Copies go through a second mapping: mprotect walks all pages of the memory, and
 * opening it for each copy made tests of host calls ten times slower.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime.h"

#ifndef SEGV_PKUERR
#define SEGV_PKUERR 4
#endif

struct region {
	char *base;
	size_t nbytes;
	char *alias;    /* a mapping of the same memory, always open, for copies */
	bool is_placed; /* the alias lies where its owner has reserved addresses for it */
};

/* The state of mprotect; all of it is guarded by lock, which is taken after any other lock. */
struct guard {
	pthread_mutex_t lock;
	unsigned nopen;         /* threads that have the regions open */
	struct region *regions; /* guarded, in no order */
	size_t nregions, capacity;
};

static int key = -1; /* of device memory; -1: it has none */
/*
 * NULL: mprotect is not used. Allocated by calloc, because a forked child may share its parent's variables
 * until all of its fork handlers have run (share.c).
 */
static struct guard *guard;
static __thread bool has_opened; /* this thread is counted in guard->nopen */

/* ---- mprotect ---- */

static void protect_regions(int protection)
{
	for (size_t i = 0; i < guard->nregions; i++) {
		const struct region *r = &guard->regions[i];

		if (mprotect(r->base, r->nbytes, protection)) {
			hipcpu_message("GSHMEM_CPU_HOST_ACCESS: mprotect of %zu bytes at %p: %s", r->nbytes,
				(void *)r->base, strerror(errno));
			abort();
		}
	}
}

static void count_in(void)
{
	pthread_mutex_lock(&guard->lock);
	if (guard->nopen++ == 0)
		protect_regions(PROT_READ | PROT_WRITE);
	pthread_mutex_unlock(&guard->lock);
	has_opened = true;
}

static void count_out(void)
{
	has_opened = false;
	pthread_mutex_lock(&guard->lock);
	if (--guard->nopen == 0)
		protect_regions(PROT_NONE);
	pthread_mutex_unlock(&guard->lock);
}

/* Leaves the addresses reserved if they are the owner's. */
static void unmap_alias(char *alias, size_t nbytes, bool is_placed)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;

	if (is_placed)
		mmap(alias, nbytes, PROT_NONE, flags, -1, 0);
	else
		munmap(alias, nbytes);
}

static bool add_region(char *base, size_t nbytes, int fd, char *place)
{
	char *alias;

	if (guard->nregions == guard->capacity) {
		size_t more = guard->capacity ? 2 * guard->capacity : 64;
		struct region *grown = realloc(guard->regions, more * sizeof(*grown));

		if (!grown)
			return false;
		guard->regions = grown;
		guard->capacity = more;
	}
	alias = mmap(place, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | (place ? MAP_FIXED : 0), fd, 0);
	if (alias == MAP_FAILED)
		return false;
	if (!guard->nopen && mprotect(base, nbytes, PROT_NONE)) {
		unmap_alias(alias, nbytes, place);
		return false;
	}
	guard->regions[guard->nregions++] = (struct region){base, nbytes, alias, place};
	return true;
}

/* Returns the address that a copy uses for address: in the alias of its region, or the address itself. */
static char *alias_of(const char *address)
{
	char *found = (char *)(uintptr_t)address;

	pthread_mutex_lock(&guard->lock);
	for (size_t i = 0; i < guard->nregions; i++) {
		const struct region *r = &guard->regions[i];
		uintptr_t offset = (uintptr_t)address - (uintptr_t)r->base;

		if (offset < r->nbytes)
			found = r->alias + offset;
	}
	pthread_mutex_unlock(&guard->lock);
	return found;
}

static void before_fork(void)
{
	pthread_mutex_lock(&guard->lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&guard->lock);
}

/* In the child only the forking thread exists. */
static void in_child(void)
{
	if (guard->nopen && !has_opened)
		protect_regions(PROT_NONE);
	guard->nopen = has_opened;
	pthread_mutex_unlock(&guard->lock);
}

static bool use_mprotect(void)
{
	guard = calloc(1, sizeof(*guard));
	if (!guard || pthread_mutex_init(&guard->lock, NULL) ||
		pthread_atfork(before_fork, in_parent, in_child)) {
		hipcpu_message("GSHMEM_CPU_HOST_ACCESS: out of memory");
		return false;
	}
	return true;
}

/* ---- both ways ---- */

bool hipcpu_access_init(bool may_use_keys)
{
	if (may_use_keys)
		key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
	if (key < 0 && !use_mprotect())
		return false;
	hipcpu_faults_init();
	return true;
}

bool hipcpu_access_has_aliases(void)
{
	return guard;
}

bool hipcpu_access_guard(void *base, size_t nbytes, int fd)
{
	return hipcpu_access_guard_at(base, nbytes, fd, NULL);
}

bool hipcpu_access_guard_at(void *base, size_t nbytes, int fd, void *place)
{
	bool done;

	if (key >= 0)
		return !pkey_mprotect(base, nbytes, PROT_READ | PROT_WRITE, key);
	if (!guard)
		return true;
	pthread_mutex_lock(&guard->lock);
	done = add_region(base, nbytes, fd, place);
	pthread_mutex_unlock(&guard->lock);
	return done;
}

void hipcpu_access_forget(void *base)
{
	size_t i = 0;

	if (!guard)
		return;
	pthread_mutex_lock(&guard->lock);
	while (i < guard->nregions && guard->regions[i].base != (char *)base)
		i++;
	if (i < guard->nregions) {
		unmap_alias(guard->regions[i].alias, guard->regions[i].nbytes, guard->regions[i].is_placed);
		guard->regions[i] = guard->regions[--guard->nregions];
	}
	pthread_mutex_unlock(&guard->lock);
}

bool hipcpu_access_open(void)
{
	bool was_open;

	if (HIPCPU_LIKELY(key < 0 && !guard))
		return true;
	if (guard) {
		was_open = has_opened;
		if (!was_open)
			count_in();
		return was_open;
	}
	was_open = !pkey_get(key);
	if (!was_open)
		pkey_set(key, 0);
	return was_open;
}

bool hipcpu_access_open_copy(char **dest, const char **source)
{
	if (!guard)
		return hipcpu_access_open();
	*dest = alias_of(*dest);
	*source = alias_of(*source);
	return has_opened;
}

bool hipcpu_access_close(void)
{
	bool was_open;

	if (HIPCPU_LIKELY(key < 0 && !guard))
		return true;
	if (guard) {
		was_open = has_opened;
		if (was_open)
			count_out();
		return was_open;
	}
	was_open = !pkey_get(key);
	if (was_open)
		pkey_set(key, PKEY_DISABLE_ACCESS);
	return was_open;
}

void hipcpu_access_restore(bool was_open)
{
	if (HIPCPU_LIKELY(key < 0 && !guard))
		return;
	if (was_open)
		hipcpu_access_open();
	else
		hipcpu_access_close();
}

bool hipcpu_access_refused(const siginfo_t *info)
{
	if (info->si_signo != SIGSEGV)
		return false;
	if (key >= 0)
		return info->si_code == SEGV_PKUERR && (int)info->si_pkey == key;
	/* This thread cannot hold the lock: it faulted outside this file. */
	return guard && info->si_code == SEGV_ACCERR && alias_of(info->si_addr) != info->si_addr;
}
