/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of memory that kernels may access, and the arena, for the entry points of HIP and of HSA. */
#ifndef AMDSIM_ARENA_H
#define AMDSIM_ARENA_H

#include <pthread.h>

#include "sim.h"

#define PAGE UINT64_C(4096)

/* Device memory of this process comes first, up to ORIGIN_CODE. */
enum origin {
	ORIGIN_MALLOC,
	ORIGIN_CODE,
	ORIGIN_OPENED,  /* memory of another process */
	ORIGIN_VIRTUAL, /* a mapping of HIP's virtual memory */
	ORIGIN_HOST,    /* allocated host memory */
	ORIGIN_MANAGED,
	ORIGIN_REGISTERED /* the program's own memory */
};

struct allocation {
	struct allocation *next;
	uint64_t base, nbytes;
	uint64_t id; /* of device memory, unique: the process and a count */
	enum origin origin;
	enum memory_kind kind;
	int device;
	unsigned flags;  /* HIP's */
	unsigned nusers; /* OPENED, REGISTERED: how often, where that is counted */
	bool is_closed;  /* VIRTUAL: kernels may not access it */
};

/* Names an allocation for another process. It has no padding: equal memory has equal bytes. */
struct arena_handle {
	uint32_t process, file; /* file: the number of the arena's descriptor there */
	uint32_t page, count;   /* page: the first, in the arena; count: the lower half of the id */
	uint64_t nbytes;
	uint16_t device, kind;
	uint32_t zero;
};

/* Recursive. It guards the list, and HIP's entry points guard all of their state with it. */
extern pthread_mutex_t arena_lock;

/* The functions below are called under the lock. */

/* Finds memory that overlaps a range; NULL: nothing there was allocated or registered. */
struct allocation *arena_find(uint64_t base, uint64_t nbytes);
/* Adds a copy of a to the list. */
struct allocation *arena_insert(struct allocation a);
/* Allocates memory as a says, except for its address. NULL: out of memory. */
struct allocation *arena_create(struct allocation a);
void arena_destroy(struct allocation *a);
/* How many bytes of a device are allocated. */
size_t arena_used(int device);
struct arena_handle arena_export(const struct allocation *a);
/*
 * Maps memory of another process; if it is mapped already, once more only with again. NULL, after a message:
 * it does not exist.
 */
struct allocation *arena_attach(const struct arena_handle *h, bool again);
/* True, after a message: this is a forked child, which cannot use the devices that its parent has used. */
bool arena_is_forked(void);

/*
 * For virtual memory. Reserves addresses (0: none are left), and maps a file's first bytes there, which
 * kernels may access once the mapping is open. A mapping is identified by its first address.
 */
uint64_t arena_reserve(uint64_t nbytes);
bool arena_map(uint64_t base, uint64_t nbytes, int fd, int device);
void arena_unmap(uint64_t base);
void arena_close(uint64_t base, bool is_closed);

#endif /* AMDSIM_ARENA_H */
