/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that was allocated, registered or opened. A process's device memory is one sparse file. Kernels use
 * it in the arena, which is PROT_NONE so that accesses by the host fault; the simulator sees it ARENA_ALIAS
 * above. Another process maps the file through its descriptor in /proc.
 */
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE  (UINT64_C(2) << 20) /* large allocations are aligned to it, as with ROCm */
#define LINE        UINT64_C(64)
/* fresh device memory of up to this size has a pattern; larger is zero, and sparse */
#define SMALL_BYTES 65536
#define PATTERN     0xa5

pthread_mutex_t arena_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct allocation *allocations;
static pid_t owner;                     /* of the arena; 0: there is no arena yet */
static int file;                        /* the arena's memory */
static uint64_t free_from = ARENA_BASE; /* in the arena */
static struct sigaction fault_before;

bool arena_is_forked(void)
{
	static pid_t user;

	user = user ? user : getpid();
	if (user != getpid())
		message("a forked child cannot use the devices that its parent used: fork before that");
	return user != getpid();
}

/* ---- the list ---- */

struct allocation *arena_find(uint64_t base, uint64_t nbytes)
{
	struct allocation *a = allocations;

	while (a && (a->base - base >= nbytes && base - a->base >= a->nbytes))
		a = a->next;
	return a;
}

struct allocation *arena_insert(struct allocation a)
{
	struct allocation *new = zalloc(sizeof(*new));

	a.next = allocations;
	*new = a;
	return allocations = new;
}

/* Is next a mapping, of *nbytes_p, that an access of a kernel may cross into from a, or the other way? */
static bool is_continued(const struct allocation *a, const struct allocation *next, uint64_t *nbytes_p)
{
	if (a->origin != ORIGIN_VIRTUAL || !next || next->origin != ORIGIN_VIRTUAL || next->is_closed ||
		next->device != a->device)
		return false;
	*nbytes_p = next->nbytes;
	return true;
}

/*
 * Hardware reads whole lines, and compilers may widen a load within one: a line counts as there if any byte
 * of it is.
 */
bool memory_find(uint64_t address, struct range *range_p)
{
	const struct allocation *a;
	uint64_t nbytes;

	pthread_mutex_lock(&arena_lock);
	a = arena_find(address, 1);
	a = a ? a : arena_find(address / LINE * LINE, LINE);
	if (a && a->is_closed)
		a = NULL;
	if (a) {
		range_p->base = a->base / LINE * LINE;
		range_p->nbytes = round_up(a->base + a->nbytes, LINE) - range_p->base;
		while (is_continued(a, arena_find(range_p->base + range_p->nbytes, 1), &nbytes))
			range_p->nbytes += nbytes;
		while (is_continued(a, arena_find(range_p->base - 1, 1), &nbytes)) {
			range_p->base -= nbytes;
			range_p->nbytes += nbytes;
		}
		range_p->kind = a->kind;
		range_p->device = a->kind == MEMORY_HOST ? -1 : a->device;
	}
	pthread_mutex_unlock(&arena_lock);
	return a;
}

size_t arena_used(int device)
{
	size_t nbytes = 0;

	for (const struct allocation *a = allocations; a; a = a->next)
		nbytes += a->origin <= ORIGIN_CODE && a->device == device ? round_up(a->nbytes, PAGE) : 0;
	return nbytes;
}

/* ---- device memory ---- */

/* Repeats the access with the handler that was set before this one. */
static void explain_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if ((uintptr_t)info->si_addr - ARENA_BASE < ARENA_BYTES)
		message("device memory touched by the host at %p: a GPU would fault; use hipMemcpy",
			info->si_addr);
	sigaction(number, &fault_before, NULL);
	if (info->si_code <= 0)
		raise(number);
}

/*
 * Maps a part of a file at address, for the simulator. Attributes are those of the whole arena, so that the
 * system joins the mappings when an allocation is gone.
 */
static bool map(uint64_t address, uint64_t nbytes, int fd, uint64_t offset)
{
	void *at = mmap(memory_host(address), nbytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, (off_t)offset);

	return at != MAP_FAILED && !madvise(at, nbytes, MADV_DONTDUMP);
}

static bool make_arena(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	struct sigaction explain = {.sa_sigaction = explain_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	void *base = (void *)(uintptr_t)ARENA_BASE;

	if (owner || arena_is_forked())
		return !arena_is_forked();
	file = keep_file(memfd_create("amdsim", MFD_CLOEXEC));
	if (file < 0 || ftruncate(file, (off_t)ARENA_BYTES) ||
		mmap(base, ARENA_ALIAS + ARENA_BYTES, PROT_NONE, flags, -1, 0) != base ||
		!map(ARENA_BASE, ARENA_BYTES, file, 0)) {
		message("no address space for device memory: %s (ulimit -v?)", strerror(errno));
		return false;
	}
	sigaction(SIGSEGV, &explain, &fault_before);
	owner = getpid();
	return true;
}

/*
 * Returns an address, or 0. Addresses are not used again, so that stale pointers are noticed. The page after
 * an allocation is unused; the allocation's id is there while it lives.
 */
static uint64_t take_address(uint64_t nbytes)
{
	uint64_t at = round_up(free_from, nbytes < LARGE_PAGE ? PAGE : LARGE_PAGE);

	if (!make_arena() || nbytes > ARENA_BASE + ARENA_BYTES - PAGE - at)
		return 0;
	free_from = at + nbytes + PAGE;
	return at;
}

struct allocation *arena_create(struct allocation a)
{
	static uint64_t count;
	uint64_t nbytes = round_up(a.nbytes, PAGE);
	void *host;

	if (a.nbytes > ARENA_BYTES ||
		(a.origin <= ORIGIN_CODE && nbytes + arena_used(a.device) > config()->memory_bytes))
		return NULL;
	if (a.origin > ORIGIN_CODE) {
		host = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		a.base = host == MAP_FAILED ? 0 : (uintptr_t)host;
		return a.base ? arena_insert(a) : NULL;
	}
	a.base = take_address(nbytes);
	if (!a.base)
		return NULL;
	a.id = (uint64_t)owner << 32 | ++count;
	memcpy(memory_host(a.base + nbytes), &a.id, sizeof(a.id));
	memset(memory_host(a.base), PATTERN, nbytes <= SMALL_BYTES ? nbytes : 0);
	return arena_insert(a);
}

void arena_destroy(struct allocation *a)
{
	uint64_t nbytes = round_up(a->nbytes, PAGE), offset = a->base - ARENA_BASE;
	struct allocation **at = &allocations;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	if (a->origin <= ORIGIN_CODE)
		fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			(off_t)(nbytes + PAGE));
	else if (a->origin == ORIGIN_OPENED || a->origin == ORIGIN_VIRTUAL)
		map(a->base, nbytes, file, offset);
	else if (a->origin != ORIGIN_REGISTERED)
		munmap((void *)(uintptr_t)a->base, nbytes);
	free(a);
}

uint64_t memory_alloc_code(int device, size_t nbytes)
{
	const struct allocation *a;

	pthread_mutex_lock(&arena_lock);
	a = arena_create((struct allocation){
		.nbytes = nbytes, .origin = ORIGIN_CODE, .kind = MEMORY_COARSE, .device = device});
	pthread_mutex_unlock(&arena_lock);
	return a ? a->base : 0;
}

void memory_free_code(uint64_t address)
{
	pthread_mutex_lock(&arena_lock);
	arena_destroy(arena_find(address, 1));
	pthread_mutex_unlock(&arena_lock);
}

/* ---- memory of other processes ---- */

struct arena_handle arena_export(const struct allocation *a)
{
	return (struct arena_handle){.process = (uint32_t)owner,
		.file = (uint32_t)file,
		.count = (uint32_t)a->id,
		.nbytes = a->nbytes,
		.page = (uint32_t)((a->base - ARENA_BASE) / PAGE),
		.device = (uint16_t)a->device,
		.kind = (uint16_t)a->kind};
}

/* The id behind the allocation shows whether the memory still exists. */
static struct allocation *attach(const struct arena_handle *h, int fd, bool again)
{
	uint64_t nbytes = round_up(h->nbytes, PAGE), offset = h->page * PAGE, id = 0, base;
	struct allocation *a = allocations;

	if (pread(fd, &id, sizeof(id), (off_t)(offset + nbytes)) < 0 || !id ||
		id != ((uint64_t)h->process << 32 | h->count))
		return NULL;
	while (!again && a && a->id != id)
		a = a->next;
	if (!again && a)
		return a;
	base = take_address(nbytes);
	if (!base || !map(base, nbytes, fd, offset))
		return NULL;
	return arena_insert((struct allocation){.base = base,
		.nbytes = h->nbytes,
		.id = id,
		.origin = ORIGIN_OPENED,
		.kind = h->kind,
		.device = h->device});
}

struct allocation *arena_attach(const struct arena_handle *h, bool again)
{
	struct allocation *a;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", h->process, h->file);
	fd = open(path, O_RDWR | O_CLOEXEC);
	a = attach(h, fd, again);
	close(fd);
	if (!a)
		message("process %u does not have the memory of this handle", h->process);
	return a;
}

/* ---- virtual memory ---- */

uint64_t arena_reserve(uint64_t nbytes)
{
	return take_address(nbytes);
}

bool arena_map(uint64_t base, uint64_t nbytes, int fd, int device)
{
	static uint32_t count;

	if (arena_find(base, nbytes) || !map(base, nbytes, fd, 0))
		return false;
	arena_insert((struct allocation){.base = base,
		.nbytes = nbytes,
		.origin = ORIGIN_VIRTUAL,
		.id = (uint64_t)owner << 32 | 1U << 31 | ++count,
		.kind = MEMORY_COARSE,
		.device = device,
		.is_closed = true});
	return true;
}

void arena_unmap(uint64_t base)
{
	arena_destroy(arena_find(base, 1));
}

void arena_close(uint64_t base, bool is_closed)
{
	arena_find(base, 1)->is_closed = is_closed;
}
