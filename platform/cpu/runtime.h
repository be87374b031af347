/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the runtime share. Nothing here is for users.
 *
 *   env.c      the GSHMEM_CPU_* variables        stream.c   in-order queues and their dispatchers
 *   error.c    last error, k-th call failures    event.c    marks in a stream
 *   device.c   devices and their peers           launch.c   a grid: occupancy, submission
 *   memory.c   allocations                       worker.c   the threads that run blocks, the watchdog
 *   ipc.c      memory of other processes         lane.c     lanes of a block: fibers, barrier, pause
 *   copy.c     memcpy, memset, symbols           wave.c     convergence and cross-lane operations
 *   gate.c     sleeping and waking               stack.c    the stacks of the fibers; fiber.h: the switch
 *   processor.h  assembly, for x86-64 and aarch64
 *   access.c   device memory closed to the host  module.c   shared objects with kernels
 *   share.c    variables as shared memory        capture.c  streams that capture
 *   self.c     what a lane asks about itself     graph.c    captured work, launched again
 *   handle.c   memory without addresses          virtual.c  addresses, and mappings of that memory
 *   record.c   which kernels were launched
 */
#ifndef HIPCPU_RUNTIME_H
#define HIPCPU_RUNTIME_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "hip/hip_runtime_api.h"

#define HIPCPU_MAX_DEVICES 64
#define HIPCPU_MAX_THREADS 1024 /* lanes of a block */
#define HIPCPU_LIKELY(x)   __builtin_expect(!!(x), 1)
#define HIPCPU_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- env.c ---- */

struct hipcpu_config {
	int ndevices;
	unsigned wave;       /* lanes: 32 or 64 */
	unsigned nblocks;    /* resident blocks of a device */
	unsigned ncus;       /* compute units of a device; divides nblocks */
	unsigned nprocs;     /* of the job, on this machine */
	bool spin_is_set;    /* by GSHMEM_CPU_SPIN */
	unsigned spin_polls; /* polls before a waiting lane yields to the system */
	unsigned near_polls; /* the same where processes alone count, not their threads */
	unsigned stuck_s;    /* seconds without a switch before a block is named; 0: never */
	unsigned idle_spin;  /* how often a thread looks for work before it sleeps */
	unsigned ncores;     /* cores that this process may use */
	size_t stack_bytes;  /* of a lane */
	size_t memory_bytes; /* of a device */
	bool diverge;        /* splits mask-less groups at random */
	uint64_t diverge_seed;
	bool whole_waves;                        /* a _wave call by part of a wave ends the program */
	uint64_t no_peer[HIPCPU_MAX_DEVICES];    /* bit p of [d]: d cannot reach p's memory */
	uint64_t no_atomics[HIPCPU_MAX_DEVICES]; /* bit p of [d]: no native atomics from d on p */
	const char *launches;                    /* the file that launches are recorded in, or NULL */
	bool malformed; /* a variable was malformed: that was reported, and every call fails */
};

/* Parsed on the first call, once per process. */
const struct hipcpu_config *hipcpu_config(void);
/* The text of a variable, from the environment or the settings file (src/base/settings.c); NULL: not set. */
const char *hipcpu_setting(const char *name);
/* Polls before a waiting lane yields to the system, while so many threads of each process of the job run. */
unsigned hipcpu_spin_polls(unsigned nthreads);
/* Parses decimal digits and at most one of k, m, g, t; false if text is anything else or overflows. */
bool hipcpu_parse_size(const char *text, size_t *nbytes_p);
/* The rank of this process in its job (PMI_RANK, or OMPI_COMM_WORLD_RANK), or -1. */
int hipcpu_env_rank(void);

/* ---- error.c ---- */

/* Parses GSHMEM_CPU_FAIL; false if it is malformed. */
bool hipcpu_failures_parse(const char *text);
hipError_t hipcpu_api_enter(const char *name);
hipError_t hipcpu_api_leave(hipError_t err);

/* The first statement of each API function. */
#define HIPCPU_ENTER(name) \
	do { \
		hipError_t enter_ = hipcpu_api_enter(#name); \
		if (HIPCPU_UNLIKELY(enter_ != hipSuccess)) \
			return hipcpu_api_leave(enter_); \
	} while (0)
/* The same for one that no capture of a stream allows (capture.c). */
#define HIPCPU_ENTER_UNCAPTURED(name) \
	do { \
		hipError_t uncaptured_; \
\
		HIPCPU_ENTER(name); \
		uncaptured_ = hipcpu_capture_forbid(); \
		if (HIPCPU_UNLIKELY(uncaptured_ != hipSuccess)) \
			return hipcpu_api_leave(uncaptured_); \
	} while (0)
/* The last statement: stores a failure for hipGetLastError. */
#define HIPCPU_LEAVE(err) return hipcpu_api_leave(err)

/* Prints "hipcpu: ..." and a newline on stderr, in one write. */
void hipcpu_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- access.c: GSHMEM_CPU_HOST_ACCESS=0; otherwise everything is open and these do nothing ---- */

/*
 * From now on only threads that have opened guarded memory can touch it; without protection keys, any thread
 * while one has it open. Returns false, with a message, when out of memory.
 */
bool hipcpu_access_init(bool may_use_keys);
/* Guards a mapping of fd; false and errno on failure. */
bool hipcpu_access_guard(void *base, size_t nbytes, int fd);
/*
 * The same, with the alias for copies at place, unless that is NULL, in addresses that the caller
 * has reserved: a copy may cross memory that is mapped side by side, if its aliases are, too. Is
 * such a place wanted?
 */
bool hipcpu_access_guard_at(void *base, size_t nbytes, int fd, void *place);
bool hipcpu_access_has_aliases(void);
/* Called before a guarded mapping is unmapped; ignores others. */
void hipcpu_access_forget(void *base);
/*
 * Open or close guarded memory for the calling thread. They return the state
 * before, for hipcpu_access_restore.
 */
bool hipcpu_access_open(void);
bool hipcpu_access_close(void);
/* The same for a copy, which must then use *dest and *source as set by the call. */
bool hipcpu_access_open_copy(char **dest, const char **source);
void hipcpu_access_restore(bool was_open);
/* Whether a fault is a touch of guarded memory that is not open. */
bool hipcpu_access_refused(const siginfo_t *info);

/* ---- stack.c ---- */

/* Handles SIGSEGV and SIGBUS; once per process. */
void hipcpu_faults_init(void);

/* ---- gate.c: sleep until a counter moves ---- */

struct hipcpu_gate {
	_Atomic uint32_t value;
	_Atomic uint32_t nsleepers;
};

/* Returns when value may differ from seen: spins for a while, then sleeps. A negative timeout is none. */
void hipcpu_gate_wait(struct hipcpu_gate *gate, uint32_t seen, long timeout_us);
/* Moves the counter. release: what was written before is visible to whoever it wakes. */
void hipcpu_gate_open(struct hipcpu_gate *gate);
uint64_t hipcpu_now_ns(void);
void hipcpu_relax(void);

/* ---- device.c ---- */

struct hipcpu_stream;

struct hipcpu_device {
	pthread_mutex_t lock;         /* guards the list of streams */
	struct ihipStream_t *streams; /* all but the null stream, alive or draining */
	struct ihipStream_t *null;    /* the null stream */
	_Atomic size_t allocated;     /* bytes, by this process */
	_Atomic bool active;          /* this process has chosen it, allocated on it or queued work on it */
	struct hipcpu_pool *_Atomic pool; /* its block threads: worker.c; NULL before the first launch */
};

/* Returns the device of that number; NULL if there is none. */
struct hipcpu_device *hipcpu_device(int number);
int hipcpu_current_device(void);
/* Notes that this process uses the device. */
void hipcpu_device_use(int number);
void hipcpu_device_uuid(int device, char uuid[16]);
/* Returns the number of the device with this uuid, or -1. */
int hipcpu_device_by_uuid(const char uuid[16]);
/* Waits for all work of a device. */
void hipcpu_device_drain(int device);

/* ---- memory.c ---- */

enum hipcpu_memory {
	HIPCPU_MEMORY_DEVICE,
	HIPCPU_MEMORY_MANAGED,
	HIPCPU_MEMORY_HOST,
	HIPCPU_MEMORY_REGISTERED,
	HIPCPU_MEMORY_SHARED, /* share.c: host memory with a memfd behind it */
	HIPCPU_MEMORY_IPC,
	HIPCPU_MEMORY_VIRTUAL /* virtual.c: one mapping of hipMemMap */
};

struct hipcpu_allocation {
	char *base;
	size_t nbytes;       /* as requested */
	size_t mapped_bytes; /* of the mapping; 0 for registered memory */
	enum hipcpu_memory kind;
	int device;
	unsigned flags;
	int fd;    /* the memfd of device memory, else -1 */
	dev_t dev; /* and the identity of its file */
	ino_t ino;
	uint64_t id;                                   /* never given to another allocation of this process */
	unsigned nopens;                               /* of an IPC mapping: opens minus closes */
	struct ihipMemGenericAllocationHandle *memory; /* of virtual memory: what is mapped, */
	uint64_t readers, writers; /* and the devices that may read and write there, one bit each */
};

extern pthread_mutex_t hipcpu_memory_lock; /* guards the table; held by callers of the next four functions */
struct hipcpu_allocation *hipcpu_memory_find(const void *ptr);
struct hipcpu_allocation *hipcpu_memory_find_file(enum hipcpu_memory kind, dev_t dev, ino_t ino);
/* Copies *a into the table; false when out of memory. */
bool hipcpu_memory_insert(const struct hipcpu_allocation *a);
void hipcpu_memory_remove(struct hipcpu_allocation *a);
/* Maps nbytes of fd (-1: anonymous memory), 2 MiB aligned if that large; NULL and errno on failure. */
char *hipcpu_memory_map(int fd, size_t nbytes);
size_t hipcpu_round_to_pages(size_t nbytes);
/* Creates an empty memfd above 2; -1 and errno on failure. */
int hipcpu_memory_file(void);
/*
 * Returns fd, or moves it to a number above 2, and returns that: descriptors 0 to 2 are the program's, which
 * prints into them also when it was started with them closed. -1 and errno: fd was -1, or none is free.
 */
int hipcpu_keep_file(int fd);
/* Like fopen, to read. */
FILE *hipcpu_read_file(const char *path);
/* Creates a memfd of nbytes, and returns its identity in *st_p; -1 and errno on failure. */
int hipcpu_memory_create_file(size_t nbytes, struct stat *st_p);
/* ftruncate, but above the limit of a file's size (ulimit -f) an error instead of a signal. */
int hipcpu_memory_grow_file(int fd, size_t nbytes);

/* ---- handle.c: memory of hipMemCreate ---- */

#define HIPCPU_GRANULE ((size_t)2 << 20) /* of addresses, memory and mappings */

struct ihipMemGenericAllocationHandle {
	hipMemGenericAllocationHandle_t next; /* in the list of all valid handles */
	hipMemAllocationProp prop;
	size_t nbytes;
	int fd;
	unsigned nhandles; /* creates, imports and retains minus releases */
	unsigned nmaps;
	bool is_imported; /* another process counts its bytes */
};

static inline bool hipcpu_is_granules(size_t nbytes)
{
	return nbytes && nbytes % HIPCPU_GRANULE == 0;
}

/* The caller of these two holds hipcpu_memory_lock. */
bool hipcpu_handle_is_valid(hipMemGenericAllocationHandle_t handle);
/* Frees the memory when it has neither handles nor mappings any more. */
void hipcpu_handle_drop(hipMemGenericAllocationHandle_t memory);

/* ---- share.c; the functions that the library calls are in include/gshmem/arch/cpu.h ---- */

/* Returns where this thread's next mapping is to be placed, and forgets it; NULL: anywhere. */
void *hipcpu_place_take(void);

/* ---- launch.c ---- */

struct hipcpu_launch_params;
/* hipcpu_launch without HIPCPU_ENTER. */
hipError_t hipcpu_launch_bound(const struct hipcpu_launch_params *params);
/* Adds a launch to the file GSHMEM_CPU_LAUNCHES, if that is set. */
void hipcpu_launch_record(const struct hipcpu_launch_params *params);
hipError_t hipcpu_occupancy(int *nblocks, int block_size, size_t shared_bytes);

/* ---- graph.c ---- */

struct hipcpu_item;
struct ihipGraph_t *hipcpu_graph_new(void); /* NULL: out of memory */
void hipcpu_graph_unref(struct ihipGraph_t *graph);
void hipcpu_graph_add(struct ihipGraph_t *graph, struct hipcpu_item *item);

/* ---- capture.c ---- */

#define HIPCPU_CAPTURE_STREAMS 16 /* streams that a capture may have */

struct ihipStream_t;

/* What a capture has recorded in an event; must be zero before the first. */
struct hipcpu_captured {
	struct hipcpu_capture *capture; /* holds a reference; NULL: the event was not recorded in a capture */
	unsigned before[HIPCPU_CAPTURE_STREAMS];
};

bool hipcpu_captures(struct ihipStream_t *stream);
/*
 * Takes an item that is queued in a capturing stream. False: the caller must queue it, unless *err is an
 * error, which may have made other captures invalid.
 */
bool hipcpu_capture_take(struct ihipStream_t *stream, struct hipcpu_item *item, hipError_t *err);
/* Called before a call that waits for a stream: an error if the stream captures, or would have to. */
hipError_t hipcpu_capture_refuse(struct ihipStream_t *stream);
/*
 * Called before a call that is not allowed during a capture unless that is relaxed: one that allocates,
 * frees, or waits for the device.
 */
hipError_t hipcpu_capture_forbid(void);
/*
 * For events; the caller holds the event's lock. Return true if the stream captures; then captured is set
 * and, for wait, *err is the result.
 */
bool hipcpu_capture_record(struct ihipStream_t *stream, struct hipcpu_captured *captured);
bool hipcpu_capture_wait(
	struct ihipStream_t *stream, const struct hipcpu_captured *captured, hipError_t *err);
void hipcpu_capture_forget(struct hipcpu_captured *captured);

/* ---- stream.c ---- */

/* A piece of work in a stream; embed it at the start of a malloc'ed struct. */
struct hipcpu_item {
	struct hipcpu_item *next;
	void (*run)(struct hipcpu_item *item); /* on the stream's thread; does not free item */
	/* after run: releases what item owns; may be NULL, like the next two */
	void (*drop)(struct hipcpu_item *item);
	void (*done)(struct hipcpu_item *item); /* once the stream counts item as completed */
	/* called when it is queued, and each time a graph runs a copy of it */
	void (*renew)(struct hipcpu_item *item);
	size_t nbytes;           /* of the struct; 0: it cannot be captured */
	struct hipcpu_dep *deps; /* what must be done first */
};

struct ihipStream_t {
	uint32_t magic;
	int device;
	unsigned flags;
	int priority;
	struct ihipStream_t *next, **link; /* in the device's list */
	/* one for the handle, one for the dispatcher, one for each dependency on it */
	_Atomic unsigned nrefs;
	pthread_mutex_t lock;
	struct hipcpu_item *head, **tail; /* not yet started */
	uint64_t submitted;               /* items queued so far */
	_Atomic uint64_t completed;       /* items finished so far, in order */
	struct hipcpu_gate work;          /* moves when an item is queued or the stream is closed */
	struct hipcpu_gate done;          /* moves when one has finished */
	bool has_thread;
	bool closed;                    /* destroyed by the user, and draining */
	struct hipcpu_capture *capture; /* this and the following are for capture.c */
	unsigned capture_number;
	unsigned before[HIPCPU_CAPTURE_STREAMS];
};

struct ihipStream_t *hipcpu_stream_new(int device, unsigned flags, int priority);
/* Returns the stream of a handle (NULL: the current device's null stream); NULL if it is not a stream. */
struct ihipStream_t *hipcpu_stream(hipStream_t handle);
/* Queues item, which is freed after it has run. */
hipError_t hipcpu_stream_submit(struct ihipStream_t *stream, struct hipcpu_item *item);
/*
 * Waits until all that is queued now has run; for a null stream also in the streams that it is ordered with.
 */
void hipcpu_stream_drain(struct ihipStream_t *stream);
bool hipcpu_stream_idle(struct ihipStream_t *stream);
/*
 * Waits like hipcpu_gate_wait, for work of the calling thread. A thread that gets none for a while gives back
 * the stacks of its lanes.
 */
void hipcpu_worker_wait(struct hipcpu_gate *gate, uint32_t seen);
/* The calling thread runs no more kernels: frees what it kept for them. */
void hipcpu_worker_leave(void);
/* Starts a detached thread that takes no signals but those it causes itself; false on failure. */
bool hipcpu_thread_start(void *(*main)(void *), void *arg);

/* ---- race/: with SAN=races, what threads, blocks and lanes do that orders them ---- */

#ifdef HIPCPU_RACES
void hipcpu_race_runtime(void);
/* The calling thread reads memory, or writes to it. */
void hipcpu_race_touch(const void *address, size_t nbytes, bool writes);
/* Accesses of the runtime to a word of 4 or 8 bytes that others change: with acquire, with release. */
uint64_t hipcpu_atomic_load(const void *word, unsigned nbytes);
void hipcpu_atomic_store(void *word, uint64_t value, unsigned nbytes);
/* The memory has been allocated anew. */
void hipcpu_race_fresh(void *address, size_t nbytes);
/* A mark stands for something that one thread ends and others begin after. */
void hipcpu_race_release(const void *mark);
void hipcpu_race_acquire_mark(const void *mark);
void hipcpu_race_forget(const void *mark);
/* A block begins after begin, and releases end. */
void hipcpu_race_block_begin(const void *begin, const char *kernel, uint64_t id, unsigned nlanes);
void hipcpu_race_block_end(const void *end);
/* All lanes of the running block have come to a barrier. */
void hipcpu_race_meet(void);
/* Lanes of a wave have made a call together: those of group, counted from lane first on. */
void hipcpu_race_join(unsigned first, uint64_t group);
#else
static inline uint64_t hipcpu_atomic_load(const void *word, unsigned nbytes)
{
	return nbytes == 4 ? __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE)
			   : __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

static inline void hipcpu_atomic_store(void *word, uint64_t value, unsigned nbytes)
{
	if (nbytes == 4)
		__atomic_store_n((uint32_t *)word, (uint32_t)value, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint64_t *)word, value, __ATOMIC_RELEASE);
}
#define hipcpu_race_runtime()                              ((void)0)
#define hipcpu_race_touch(address, nbytes, writes)         ((void)0)
#define hipcpu_race_fresh(address, nbytes)                 ((void)0)
#define hipcpu_race_release(mark)                          ((void)(mark))
#define hipcpu_race_acquire_mark(mark)                     ((void)(mark))
#define hipcpu_race_forget(mark)                           ((void)(mark))
#define hipcpu_race_block_begin(begin, kernel, id, nlanes) ((void)0)
#define hipcpu_race_block_end(end)                         ((void)0)
#define hipcpu_race_meet()                                 ((void)0)
#define hipcpu_race_join(first, group)                     ((void)0)
#endif

#endif /* HIPCPU_RUNTIME_H */
