/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all C files of the library share: the log, the environment, entry and end. Each C file includes
 * this header first, or a header that does. The folders of src/ are layers, and each includes only those
 * below it: tests/layers.c has their order.
 *
 * Functions return 0 or a negative errno. The function that first knows of an error reports it with
 * gshmemi_error, and its callers only pass it on. Only src/end/end.c ends the process before the program
 * does; a thread of bootstrap/mpi.c ends one that has left main and hangs in MPI_Finalize.
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

/*
 * The library's own copy of the device state, which host calls read. The symbol gshmemi_state itself belongs
 * to the modules.
 */
extern struct gshmemi_state gshmemi_state __asm__("gshmemi_library_state");

/* ---- entry of an API function ---- */

/*
 * The first statement of the API's host functions. It ends the job if the call is made outside init and
 * finalize, and uploads the state to HIP units loaded since the last call. The functions whose bodies kernels
 * share (put, get, p, g, atomics, signals, waits, fence, quiet) do without it: the sentinels in the state
 * catch calls outside init and finalize, and the next other call uploads.
 */
#define GSHMEMI_ENTER(call) \
	do { \
		if (__builtin_expect(!gshmemi_enter_ok(), 0)) \
			gshmemi_enter(call); \
	} while (0)

/* 0 if host calls need not call gshmemi_enter; changed by host/init.c and device/state.c. */
extern atomic_uint gshmemi_enter_why;
enum { GSHMEMI_ENTER_NOT_INITIALIZED = 1, GSHMEMI_ENTER_UPLOAD = 2 };

static inline bool gshmemi_enter_ok(void)
{
	return atomic_load_explicit(&gshmemi_enter_why, memory_order_relaxed) == 0;
}

/* device/enter.c */
void gshmemi_enter(const char *call);

/* The same for functions that return an int: returns 0, or -EINVAL after a message. */
int gshmemi_enter_int(const char *call);

/*
 * The same for collective calls, which are not allowed in a function that serves a kernel's call: the PEs
 * would wait for a server that waits for them. The first ends the job on an error, the second returns a
 * negative errno after a message.
 */
void gshmemi_enter_collective(const char *call);
#define GSHMEMI_ENTER_COLLECTIVE(call) gshmemi_enter_collective(call)
int gshmemi_enter_collective_int(const char *call);

/* Whether this thread is serving a kernel's call: then it must not wait for another call or for other PEs. */
bool gshmemi_is_serving(void);
void gshmemi_set_serving(bool is_serving);

/*
 * Init calls the first when it has succeeded, the last finalize the second when it is done. Then: whether
 * this process is between the two; whether it is behind the second.
 */
void gshmemi_enter_open(void);
void gshmemi_enter_close(void);
bool gshmemi_enter_is_open(void);
bool gshmemi_enter_is_over(void);

/* ---- log.c: one line on stderr per call, in one write, prefixed "gshmem: pe 3: " ---- */

__attribute__((format(printf, 1, 2))) void gshmemi_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void gshmemi_warn(const char *format, ...);
__attribute__((format(printf, 1, 2))) void gshmemi_info(const char *format, ...); /* GSHMEM_DEBUG=1 */

/* The PE of the prefix; -1: none, because this process has not joined a job. */
void gshmemi_log_set_pe(int pe);

/*
 * Collective calls hold errors back: every PE may fail, but only one should print. Between hold and release
 * the first error of this thread is kept; release prints it if told to. Another thread may print it
 * earlier, with gshmemi_log_print_held.
 */
void gshmemi_log_hold(void);
void gshmemi_log_print_held(void);
void gshmemi_log_release(bool print);

/* A GSHMEM_CMP_* as messages write it. */
const char *gshmemi_cmp_name(int cmp);

/* Between the two, errors of this thread are printed at once. resume takes what suspend returned. */
bool gshmemi_log_suspend(void);
void gshmemi_log_resume(bool was_holding);

/*
 * Returns the errno for a HIP error, 0 for hipSuccess. Prints what was asked (printf arguments), the error's
 * text, and the remedy, if there is one.
 * 	rc = gshmemi_hip(hipMalloc(&p, nbytes), "hipMalloc of %zu bytes", nbytes);
 */
#define gshmemi_hip(error, ...) gshmemi_hip_advise(error, NULL, __VA_ARGS__)
__attribute__((format(printf, 3, 4))) int gshmemi_hip_advise(
	hipError_t error, const char *remedy, const char *format, ...);

/*
 * Whether this process has reached its limit of open files, which causes many kinds of errors. Prints a
 * message if it has.
 */
bool gshmemi_report_file_limit(const char *what);

/*
 * Whether a limit of this process explains why what failed with rc, a negative errno: open files, address
 * space, threads, the size of a file. If so, prints a message and returns a negative errno; else 0. nbytes of
 * memory were asked for; 0: few.
 */
int gshmemi_report_limit(const char *what, int rc, size_t nbytes);

/* Whether a limit of this process (ulimit -v) leaves no room to map nbytes more. */
bool gshmemi_lacks_space(size_t nbytes);

/* For cleanup: prints a failure only with GSHMEM_DEBUG=1. */
void gshmemi_hip_ignore(hipError_t error, const char *what);

/* ---- env.c ---- */

enum gshmemi_heap_kind { GSHMEMI_HEAP_AUTO, GSHMEMI_HEAP_COARSE, GSHMEMI_HEAP_FINE, GSHMEMI_HEAP_UNCACHED };

/* How the threads that serve kernels' calls wait: GSHMEM_RPC_POLL. */
enum gshmemi_rpc_poll {
	GSHMEMI_POLL_ADAPTIVE,
	GSHMEMI_POLL_SPIN,
	GSHMEMI_POLL_YIELD,
	GSHMEMI_POLL_NAP /* as adaptive, but without wake-ups: a GPU cannot wake a thread */
};

/* Whether MPI may send from device memory: GSHMEM_MPI_GPU. */
enum gshmemi_mpi_gpu {
	GSHMEMI_MPI_GPU_AUTO, /* yes, if MPI says it can */
	GSHMEMI_MPI_GPU_NO,
	GSHMEMI_MPI_GPU_YES
};

/* GSHMEM_PES_PER_NODE; npes is 0 if it is not set. */
struct gshmemi_nodes {
	int npes;
	bool is_cyclic;
};

/* One field per entry of env_list.h. */
struct gshmemi_env {
#define GSHMEMI_ENV_TYPE_size                  uint64_t /* bytes */
#define GSHMEMI_ENV_TYPE_kind                  enum gshmemi_heap_kind
#define GSHMEMI_ENV_TYPE_flag                  bool
#define GSHMEMI_ENV_TYPE_number                int
#define GSHMEMI_ENV_TYPE_seconds               double
#define GSHMEMI_ENV_TYPE_text                  const char * /* as set in the environment; NULL: not set */
#define GSHMEMI_ENV_TYPE_poll                  enum gshmemi_rpc_poll
#define GSHMEMI_ENV_TYPE_seq                   uint32_t
#define GSHMEMI_ENV_TYPE_mpi_gpu               enum gshmemi_mpi_gpu
#define GSHMEMI_ENV_TYPE_delivery              const char * /* likewise */
#define GSHMEMI_ENV_TYPE_carry                 const char * /* likewise; see gshmemi_env_carries */
#define GSHMEMI_ENV_TYPE_nodes                 struct gshmemi_nodes
#define X(NAME, KIND, DEFAULT, CATEGORY, HELP) GSHMEMI_ENV_TYPE_##KIND NAME;
#include "base/env_list.h"
#undef X
};
extern struct gshmemi_env gshmemi_env;

/* Reads all variables. Returns a negative errno after a message about one that does not parse. */
int gshmemi_env_read(void);

/*
 * Returns the text of the variable of another library that sets the heap's size where GSHMEM_HEAP_SIZE is not
 * in the environment; NULL: none does. *name_p becomes its name.
 */
const char *gshmemi_env_find_foreign_size(const char **name_p);

/* How operations of PE from on PE to go, by GSHMEM_CARRY. */
enum gshmemi_carrier { GSHMEMI_CARRIER_NONE, GSHMEMI_CARRIER_DIRECT, GSHMEMI_CARRIER_NET };
enum gshmemi_carrier gshmemi_env_carrier(int from, int to);
bool gshmemi_env_carries_direct(void);

/*
 * Whether every operation must take the slow path, where it is observed or checked. The kernels' tables then
 * hold only sentinels.
 */
bool gshmemi_env_sees_calls(void);
/* the same without GSHMEM_CHECK: operations that the host has checked must be seen too */
bool gshmemi_env_sees_operations(void);

/* ---- settings.c ---- */

/* Warns about GSHMEM_ variables that do not exist. Only the first call does. */
void gshmemi_env_warn_unknown(void);

/* What a variable of env_list.h is set to. Texts stay where they are until the process ends. */
struct gshmemi_setting {
	const char *text;  /* NULL: neither the environment nor the settings file sets it */
	const char *label; /* its name, in a message: behind FILE:LINE if the settings file sets it */
	const char *file;  /* the settings file, if that sets it; else NULL */
	unsigned line;
};

/* name: in full, a literal. The environment comes before the file. May be called at any time. */
struct gshmemi_setting gshmemi_setting_find(const char *name);

/*
 * Reads the settings file, unless it has been read. Returns 0, also if there is none, or a negative errno
 * after a message; then gshmemi_setting_find finds nothing in it. *path_p, if not NULL, becomes the file's
 * path, or NULL if there is none.
 */
int gshmemi_settings_read(const char **path_p);

/* ---- env.c ---- */

/* Parses a size such as "64m": decimal digits and at most one of k, m, g, t, of either case. */
int gshmemi_env_parse_size(const char *text, uint64_t *nbytes_p);
/* strtod with a point for the fraction, whatever locale the program has set. */
double gshmemi_env_parse_double(const char *text, char **end_p);
const char *gshmemi_heap_kind_name(enum gshmemi_heap_kind kind);

/* Whether the program is one of OpenSHMEM, which has libgshmem_shmem. Set by host/shmem.c before main. */
extern bool gshmemi_is_shmem;

/*
 * Returns the text of SHMEM_NAME, or else of SMA_NAME, which OpenSHMEM 1.4 deprecated; NULL: neither is set,
 * or it is empty. *full_name_p becomes the variable's name, until the next call.
 */
const char *gshmemi_env_find_shmem(const char *name, const char **full_name_p);

/* ---- devmem.c; the rest of it is in device/devmem.h ---- */

/* Allocates host memory that kernels read and write, filled with zeros. what names it in messages. */
int gshmemi_host_allocate(size_t nbytes, const char *what, void **ptr_p);
void gshmemi_host_free(void *ptr); /* NULL is allowed */

/* ---- end.c: how a process ends other than by gshmem_finalize; the rest is in end/end.h ---- */

/*
 * Ends this process with a status and tells the peers to end too. Flushes stdio. May be called by any thread.
 */
_Noreturn void gshmemi_end(int status);

/*
 * The same, with a line that says why. Several PEs of the node may know the reason; one prints its line, the
 * others end silently with the same status.
 */
__attribute__((format(printf, 2, 3))) _Noreturn void gshmemi_end_saying(int status, const char *format, ...);

/* Whether a thread of this process is ending it. */
bool gshmemi_is_ending(void);

/* Something that the user asked for has failed: a process that would exit with status 0 exits with 1. */
void gshmemi_end_spoil(void);

/* What the four do. end/end.c registers its functions when the library is loaded. */
struct gshmemi_ender {
	void (*end)(int status);
	void (*end_saying)(int status, const char *text);
	bool (*is_ending)(void);
	void (*spoil)(void);
};
void gshmemi_end_register(const struct gshmemi_ender *how);

#endif /* GSHMEMI_BASE_BASE_H */
