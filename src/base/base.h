/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all C files of the library share: the log, the environment, MPI, entry and end. Each of them includes this file first,
 * or a header that does. The folders of src/ are layers, and include only those below: tests/layers.c has their order.
 *
 * Functions return 0 or a negative errno; the one that first knows of an error reports it by gshmemi_error, its
 * callers only pass it on. Nothing but src/end/end.c ends the process.
 */
#ifndef GSHMEMI_BASE_BASE_H
#define GSHMEMI_BASE_BASE_H

#define GSHMEMI_LIBRARY 1

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hip/hip_runtime_api.h>
#include <gshmem.h>
#include <gshmem/state/unit.h>

/* The library's own copy of the device state: what host calls read. The symbol gshmemi_state is that of modules. */
extern struct gshmemi_state gshmemi_state __asm__("gshmemi_library_state");

/* ---- entry of an API function ---- */

/*
 * First in the host functions of the API but those whose bodies kernels share (put, get, p, g, atomics, signals, waits,
 * fence, quiet): an error outside of init and finalize, which those find by the sentinels of the state, and the upload to
 * units that were loaded since the last call, which those leave to the next one. Ends the job on an error.
 */
#define GSHMEMI_ENTER(call) \
	do { \
		if (__builtin_expect(!gshmemi_enter_ok(), 0)) \
			gshmemi_enter(call); \
	} while (0)

/* 0 unless host calls may go straight on; changed by init.c and state.c. */
extern atomic_uint gshmemi_enter_why;
enum { GSHMEMI_ENTER_NOT_INITIALIZED = 1, GSHMEMI_ENTER_UPLOAD = 2 };

static inline bool gshmemi_enter_ok(void)
{
	return atomic_load_explicit(&gshmemi_enter_why, memory_order_relaxed) == 0;
}

void gshmemi_enter(const char *call);

/* The same for functions that return an int: 0, or -EINVAL after a message. */
int gshmemi_enter_int(const char *call);

/*
 * The same for collective calls, which a function that carries out a kernel's call must not make: PEs would wait for a
 * server that waits for them. The first ends the job on an error, the second returns a negative errno after a message.
 */
void gshmemi_enter_collective(const char *call);
#define GSHMEMI_ENTER_COLLECTIVE(call) gshmemi_enter_collective(call)
int gshmemi_enter_collective_int(const char *call);

/* ---- log.c: one line per call on stderr, written at once, "gshmem: pe 3: " in front ---- */

__attribute__((format(printf, 1, 2))) void gshmemi_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void gshmemi_warn(const char *format, ...);
__attribute__((format(printf, 1, 2))) void gshmemi_info(const char *format, ...); /* GSHMEM_DEBUG=1 */

/*
 * Collective calls hold errors back: every PE may fail, one shall speak. Between hold and release the first error of
 * this thread is kept; release prints it if told to. A second thread may print it before.
 */
void gshmemi_log_hold(void);
void gshmemi_log_print_held(void);
void gshmemi_log_release(bool print);

/* How messages write a GSHMEM_CMP_*. */
const char *gshmemi_cmp_name(int cmp);

/* In between, errors of this thread are printed at once; resume takes what suspend gave. */
bool gshmemi_log_suspend(void);
void gshmemi_log_resume(bool was_holding);

/*
 * The errno for a HIP error, after a message: what was asked (printf arguments), the error's text, and what
 * to do about it, where there is a remedy. 0 for hipSuccess.
 *	rc = gshmemi_hip(hipMalloc(&p, nbytes), "hipMalloc of %zu bytes", nbytes);
 */
#define gshmemi_hip(error, ...) gshmemi_hip_advise(error, NULL, __VA_ARGS__)
__attribute__((format(printf, 3, 4))) int
gshmemi_hip_advise(hipError_t error, const char *remedy, const char *format, ...);

/* Whether this process has reached its limit of open files, which looks like many other things. Says so if it has. */
bool gshmemi_report_file_limit(const char *what);

/* For cleanup: a failure is only worth a line with GSHMEM_DEBUG=1. */
void gshmemi_hip_ignore(hipError_t error, const char *what);

/* ---- env.c ---- */

enum gshmemi_heap_kind {
	GSHMEMI_HEAP_AUTO,
	GSHMEMI_HEAP_COARSE,
	GSHMEMI_HEAP_FINE,
	GSHMEMI_HEAP_UNCACHED
};

/* How the server of calls from kernels waits: GSHMEM_RPC_POLL. */
enum gshmemi_rpc_poll {
	GSHMEMI_POLL_ADAPTIVE,
	GSHMEMI_POLL_SPIN,
	GSHMEMI_POLL_YIELD,
	GSHMEMI_POLL_NAP /* as adaptive, but nobody wakes it: as with a GPU */
};

/* Whether MPI is given memory of the device to send from: GSHMEM_MPI_GPU. */
enum gshmemi_mpi_gpu {
	GSHMEMI_MPI_GPU_AUTO, /* if it says that it takes it */
	GSHMEMI_MPI_GPU_NO,
	GSHMEMI_MPI_GPU_YES
};

/* GSHMEM_PES_PER_NODE: npes 0: nothing is pretended. */
struct gshmemi_nodes {
	int npes;
	bool is_cyclic;
};

/* One field per entry of env_list.h. */
struct gshmemi_env {
#define GSHMEMI_ENV_TYPE_size    uint64_t /* bytes */
#define GSHMEMI_ENV_TYPE_kind    enum gshmemi_heap_kind
#define GSHMEMI_ENV_TYPE_flag    bool
#define GSHMEMI_ENV_TYPE_number  int
#define GSHMEMI_ENV_TYPE_seconds double
#define GSHMEMI_ENV_TYPE_text    const char * /* as the environment has it, NULL: not set */
#define GSHMEMI_ENV_TYPE_poll    enum gshmemi_rpc_poll
#define GSHMEMI_ENV_TYPE_seq     uint32_t
#define GSHMEMI_ENV_TYPE_mpi_gpu enum gshmemi_mpi_gpu
#define GSHMEMI_ENV_TYPE_delivery const char * /* likewise */
#define GSHMEMI_ENV_TYPE_carry   const char * /* likewise; see gshmemi_env_carries */
#define GSHMEMI_ENV_TYPE_nodes   struct gshmemi_nodes
#define X(NAME, KIND, DEFAULT, CATEGORY, HELP) GSHMEMI_ENV_TYPE_##KIND NAME;
#include "base/env_list.h"
#undef X
};
extern struct gshmemi_env gshmemi_env;

/* Read all variables. -EINVAL after a message on one that does not parse. */
int gshmemi_env_read(void);

/* How GSHMEM_CARRY wants operations of a PE on another one to go. */
enum gshmemi_carrier { GSHMEMI_CARRIER_NONE, GSHMEMI_CARRIER_DIRECT, GSHMEMI_CARRIER_NET };
enum gshmemi_carrier gshmemi_env_carrier(int from, int to);
bool gshmemi_env_carries_direct(void);

/* Whether every operation takes the slow path, for something there to see it: the tables of kernels hold sentinels. */
bool gshmemi_env_sees_calls(void);
bool gshmemi_env_sees_operations(void); /* not for checks alone: also where the host has checked the call */

/* Warn of GSHMEM_ variables that do not exist; once. */
void gshmemi_env_warn_unknown(void);

/* Bytes from "64m": decimal digits and at most one of k, m, g, t. */
int gshmemi_env_parse_size(const char *text, uint64_t *nbytes_p);
const char *gshmemi_heap_kind_name(enum gshmemi_heap_kind kind);

/* ---- shmem.c: programs of OpenSHMEM ---- */

/* libgshmem_shmem is part of the program; from is an address in it. Called before main. */
GSHMEM_HOST_API void gshmemi_shmem_begin(const void *from);
extern bool gshmemi_is_shmem;

/* The two are for all programs, and nothing in others. OpenSHMEM's variables, after gshmemi_env; the end of an init. */
int gshmemi_shmem_read_env(void);
void gshmemi_shmem_initialized(void);

/* ---- bootstrap/: the PEs find each other, over MPI or TCP. Called by the thread that called the library ---- */

/*
 * Start MPI at MPI_THREAD_MULTIPLE unless it runs, copy the communicator at comm (an MPI_Comm *; NULL: MPI_COMM_WORLD).
 * Fails only where this process cannot take part in anything collective.
 */
int gshmemi_bootstrap_open(const void *comm);
void gshmemi_bootstrap_close(void);

/* The same without MPI, by the id of the job. Waits until all ranks have come, but no longer than GSHMEM_INIT_TIMEOUT. */
int gshmemi_bootstrap_open_by_id(const gshmemx_uniqueid_t *id, int rank, int nranks);

/* MPI has started the job; else it may not be called. */
bool gshmemi_bootstrap_has_mpi(void);

/* When the process exits: finalize MPI, if the library started it and is finalized. Nothing the second time. */
void gshmemi_bootstrap_finalize(void);

/* -EINVAL after a message when MPI's thread level is below GSHMEM_THREAD_*. */
int gshmemi_bootstrap_check_level(int thread_level);

/* -EINVAL after a message that names both PEs when MPI's thread level is below MPI_THREAD_MULTIPLE, -ENOTSUP where MPI
 * has not started the job: MPI cannot carry. */
int gshmemi_bootstrap_check_carrying(int from_pe, int to_pe);

/* For net/mpi.c, collective: *comm_p (an MPI_Comm *) becomes a copy of the communicator. Errors on it return. */
void gshmemi_bootstrap_copy_comm(void *comm_p);

/*
 * For a group of MPI's processes, an MPI_Group *: the PEs that they are, [npes], -1 for one that is none; and, collective over them, a
 * communicator of theirs, an MPI_Comm *.
 */
void gshmemi_bootstrap_find_pes(const void *group, int npes, int *pes);
void gshmemi_bootstrap_create_comm(const void *group, void *comm_p);

/*
 * End all processes that MPI knows, with a status, which the launcher returns. Callable from any thread, also while
 * another one is inside of MPI. Returns where there are no others, or where MPI does not run (any more), or has not started
 * the job.
 */
void gshmemi_bootstrap_abort(int status);

/* The user has finalized MPI: the functions below must not be called. */
bool gshmemi_bootstrap_is_finalized(void);

/*
 * data of PE from becomes that of PE to. Called by these two with MPI, and otherwise by all PEs, each of which
 * has memory of that many bytes.
 */
void gshmemi_bootstrap_move(void *data, size_t nbytes, int from, int to);

int gshmemi_bootstrap_rank(void); /* -1 when not open */
int gshmemi_bootstrap_npes(void);
void gshmemi_bootstrap_barrier(void);
void gshmemi_bootstrap_allgather(const void *mine, void *all, size_t nbytes);
void gshmemi_bootstrap_broadcast(void *data, size_t nbytes, int root);

/*
 * Find together with the other PEs of this machine, npeers in all, the lowest of which is lowest, for the next one: in the
 * order of the PEs.
 */
void gshmemi_bootstrap_split(int lowest, int npeers);

/* MPI uses the network, though all PEs are on one machine: some are in containers. All PEs of the machine say so. */
void gshmemi_bootstrap_expect_network(void);
void gshmemi_bootstrap_allgather_node(const void *mine, void *all, size_t nbytes);
/* What some PEs, in their order, tell all others: nbytes each. There is at least one on each machine, and its lowest PE is one. */
void gshmemi_bootstrap_allgather_leaders(bool is_leader, int nleaders, const void *mine, void *all, size_t nbytes);

/* What was exchanged since open: base/scale.h. */
const struct gshmemi_traffic *gshmemi_bootstrap_traffic(void);

/* The lowest value of each word over all PEs; the bitwise AND. */
void gshmemi_bootstrap_min(int64_t *words, int nwords);
void gshmemi_bootstrap_and(uint64_t *words, int nwords);

/*
 * Agree on errors: 0 if rc is 0 on every PE; else, on every PE, that of the lowest PE that has one, which prints what
 * its log holds back. *all, unless NULL, becomes false where it is false on any PE.
 */
int gshmemi_bootstrap_agree(int rc, bool *all);

/* ---- devmem.c; the rest of it is in base/devmem.h ---- */

/* Host memory that kernels read and write, filled with zeros. what names it in messages. */
int gshmemi_host_allocate(size_t nbytes, const char *what, void **ptr_p);
void gshmemi_host_free(void *ptr); /* NULL is allowed */

/* ---- end/end.c: the ends of a process other than gshmem_finalize ---- */

/* End this process with a status and tell the peers to do so too. Flushes stdio; callable from any thread. */
_Noreturn void gshmemi_end(int status);

/* Its first half: no other thread can end the process any more, nor can abort, but for one by this thread. */
void gshmemi_end_begin(int status);

/*
 * The same with a line that says why. Several PEs of the node may see the reason: one of them prints its line, the others
 * take its status in silence.
 */
__attribute__((format(printf, 2, 3))) _Noreturn void gshmemi_end_saying(int status, const char *format, ...);

/* The same by exit: the program's exit handlers run. */
_Noreturn void gshmemi_exit(int status);

/* A thread of this process is ending it. */
bool gshmemi_is_ending(void);

/* After init: from now on an exit of this process without gshmem_finalize is an error. */
void gshmemi_end_expect_finalize(void);

/* host/stream.c: what this PE has open is complete when the stream goes on. A negative errno after a message. */
int gshmemi_stream_quiet(void *stream, const char *call);

/* host/lock.c: between two looks of a thread of the host that are kernels. */
void gshmemi_host_nap(unsigned *polls_p);

/* host/sync.c: a thread of the host has looked at a word in vain, and will look again. Lets others run now and then. */
void gshmemi_host_looked(void);

#endif /* GSHMEMI_BASE_BASE_H */
