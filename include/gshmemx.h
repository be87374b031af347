/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx: what gshmem has beyond OpenSHMEM. Included by gshmem.h, whose head explains the words and
 * the parts of a page. The contract of calls with _wave and _wg is in the chapter "calls by a wave
 * or a work-group".
 */
#ifndef GSHMEMX_H
#define GSHMEMX_H

#ifndef GSHMEM_H
#error "include <gshmem.h>, which includes <gshmemx.h>"
#endif

#if GSHMEMI_KERNELS
GSHMEMI_BEGIN_CXX
#include <hip/hip_fp16.h>
typedef __half gshmemx_half_t;
#if __has_include(<hip/hip_bf16.h>)
#include <hip/hip_bf16.h>
typedef __hip_bfloat16 gshmemx_bfloat16_t;
#else /* ROCm before 5.6 */
#include <hip/hip_bfloat16.h>
typedef hip_bfloat16 gshmemx_bfloat16_t;
#endif
GSHMEMI_END_CXX
#else
/* The bits of an IEEE binary16, and of a bfloat16. */
typedef struct gshmemx_half {
	uint16_t bits;
} gshmemx_half_t;
typedef struct gshmemx_bfloat16 {
	uint16_t bits;
} gshmemx_bfloat16_t;
#endif

#include <gshmem/state/rpc_channel.h>

GSHMEMI_BEGIN_C

/* ---- setup --------------------------------------------------------------------------------------------- */

/*
 * gshmemx_version - the version of the library that runs, which may be newer than the headers.
 *
 * GSHMEMX_VERSION is the same number of the headers: GSHMEMX_VERSION_OF(major, minor, patch), for #if, too.
 * GSHMEMX_VERSION_MAJOR, _MINOR and _PATCH are its parts, and GSHMEMX_VERSION_STRING is its text. A program
 * that was compiled for a newer library finds out by comparing the two:
 *
 *     if (gshmemx_version() < GSHMEMX_VERSION)
 *             puts("an older gshmem runs than this program was compiled for");
 *
 * docs/versions.md says which versions fit.
 *
 * Callable  host, at any time.
 * Returns   the number.
 */
GSHMEM_HOST_API int gshmemx_version(void);

/*
 * Names a job that starts without MPI. Opaque: gshmemx_get_uniqueid fills it; the program may send it
 * by any means.
 */
typedef struct gshmemx_uniqueid {
	char bytes[128];
} gshmemx_uniqueid_t;

/* Attributes of init; start from GSHMEMX_INIT_ATTR_DEFAULT. */
struct gshmemx_init_attributes {
	size_t size;          /* sizeof(struct gshmemx_init_attributes), so that fields can be added */
	const void *mpi_comm; /* MPI_Comm * whose processes become the PEs; NULL: MPI_COMM_WORLD */
	int thread_level;     /* GSHMEM_THREAD_* */
	int device;           /* HIP device; -1: GSHMEM_DEVICE, else the current one, else by local rank */
	size_t heap_nbytes;   /* bytes of the symmetric heap; 0: GSHMEM_HEAP_SIZE */
	const gshmemx_uniqueid_t *uniqueid; /* id of a job that starts without MPI; NULL: MPI starts it */
	int rank;                           /* with uniqueid: this process, 0 .. nranks-1: its PE number */
	int nranks;                         /* with uniqueid: number of processes */
};
#define GSHMEMX_INIT_ATTR_DEFAULT \
	{ \
		sizeof(struct gshmemx_init_attributes), NULL, GSHMEM_THREAD_SINGLE, -1, 0, NULL, 0, 0 \
	}

/*
 * gshmemx_init_attr - gshmem_init with attributes: communicator or unique id, device, size of the heap.
 *
 * attr  start from GSHMEMX_INIT_ATTR_DEFAULT
 *
 * Callable  host, collective over the communicator, or over the nranks processes that have the unique id; at
 *           any time.
 * Returns   0, or a negative errno, the same on every PE, after one message from the PE that failed.
 * Errors    -EINVAL at once: attr is NULL, has a size that is unknown, names a thread level or a rank that
 *           does not exist, or has both a communicator and a unique id. With a unique id, until all processes
 *           have found each other, each prints a message of its own: -EINVAL for a damaged id, and for ranks
 *           or counts that do not fit; -ETIMEDOUT when a process has not come within GSHMEM_INIT_TIMEOUT;
 *           -ECONNREFUSED when nobody waits for it any more; -ECONNRESET when one has died; -ENOTSUP for PEs
 *           on several nodes, which need MPI.
 */
GSHMEM_HOST_API int gshmemx_init_attr(const struct gshmemx_init_attributes *attr);

/*
 * gshmemx_get_uniqueid - make the id of a job that starts without MPI.
 *
 * id  filled in; the program sends it to all processes of the job, by any means
 *
 * One process calls this. It must take part in the job, with any rank: it listens for the others at an
 * address that the id names (GSHMEM_UID_ADDRESS), and serves them in its init. An id is good for one init;
 * another job needs another id, and a second call before init makes the first id void. The id holds a
 * secret, and a connection without it is refused: give the id to the job's processes alone. docs/launch.md
 * has an example.
 *
 * Callable  host, at any time, by one thread at a time.
 * Returns   0, or a negative errno after a message.
 * Errors    id is NULL; there is no address to listen at.
 */
GSHMEM_HOST_API int gshmemx_get_uniqueid(gshmemx_uniqueid_t *id);

/*
 * gshmemx_set_attr_uniqueid_args - set attributes so that gshmemx_init_attr starts the job by a unique id.
 *
 * rank    of this process, 0 .. nranks-1; each once
 * nranks  number of processes, the same on all of them
 * id      from gshmemx_get_uniqueid of any of them; must stay in place until init returns
 * attr    its uniqueid, rank and nranks are set
 *
 * Callable  host, at any time.
 * Returns   0; -EINVAL after a message for a NULL, or for a rank that is not below nranks.
 */
GSHMEM_HOST_API int gshmemx_set_attr_uniqueid_args(
	int rank, int nranks, const gshmemx_uniqueid_t *id, struct gshmemx_init_attributes *attr);

/*
 * gshmemx_module_init - make the kernels ready of a module that hipModuleLoad or hipModuleLoadData loaded.
 *
 * module    a hipModule_t whose code includes gshmem.h, compiled at run time (hiprtc, nvrtc) or with
 *           -DGSHMEM_MODULE, or is linked with the bitcode, libgshmem_device_<gpu>.bc (docs/triton.md). NULL:
 *           the units of shared objects that were dlopened since the last call. The next gshmem_malloc,
 *           gshmem_barrier_all or gshmem_my_pe on the host does the same
 *
 * Call it after init, once for each load, before the module's first kernel. The module must stay loaded until
 * gshmem_finalize, which writes to it: from then on a kernel of it that uses the library stops with a
 * message. After another init call this again.
 *
 * Callable  host, while no kernel of the module is running.
 * Returns   0, or a negative errno after a message.
 * Errors    the module has no device state, or was compiled with other headers or another GSHMEM_MAX_PES, or
 *           with GSHMEM_DIRECT_ONLY although something needs more.
 */
GSHMEM_HOST_API int gshmemx_module_init(void *module);

/* ---- launch -------------------------------------------------------------------------------------------- */

/*
 * gshmemx_collective_launch - launch a kernel whose threads wait for other work-groups or other PEs.
 *
 * A work-group that waits keeps its place on the GPU, and what it waits for needs a place too. So all
 * work-groups of such a kernel must be resident at once. This call asks how many can be, launches
 * cooperatively, and refuses a larger grid. PEs that share a device share its room equally.
 * docs/launch.md says more.
 *
 * func           the kernel
 * grid, block    number of work-groups, and of threads of each: x, y, z. They may differ between PEs
 * args           the addresses of the kernel's arguments, in order
 * shared_nbytes  dynamic shared memory of a work-group
 * stream         hipStream_t
 *
 * HIP units have another form, which takes the kernel by its name, and grid and block as dim3. On the cpu
 * platform it is the only one, because only C++ knows the types of a kernel's arguments.
 *
 * Callable  host, collective over all PEs.
 * Returns   0 when the kernel is queued.
 * Errors    on every PE, after one message, with nothing launched anywhere: -E2BIG when the grid does not fit
 *           on some PE (the message says how many work-groups fit); -EINVAL for an empty grid or work-group;
 *           -ENOTSUP when a device has no cooperative launch. A launch that HIP refuses fails on that PE
 *           alone.
 */
GSHMEM_HOST_API int gshmemx_collective_launch(const void *func, const unsigned grid[3],
	const unsigned block[3], void **args, size_t shared_nbytes, void *stream);

/*
 * gshmemx_collective_launch_limit - how many work-groups gshmemx_collective_launch takes on this PE.
 *
 * ngroups  receives the number; the other arguments as gshmemx_collective_launch
 *
 * Callable  host.
 * Returns   0, or a negative errno after a message: that of gshmemx_collective_launch.
 */
GSHMEM_HOST_API int gshmemx_collective_launch_limit(
	const void *func, const unsigned block[3], size_t shared_nbytes, unsigned *ngroups);

/* ---- calling the CPU from a kernel --------------------------------------------------------------------- */

/*
 * A kernel calls functions of its own process on the CPU. The lanes of a wave that reach a call together, any
 * subset of them, make it together and cross the bus once; lanes with different operations make one call
 * after the other. Each lane passes its own words and gets its own answer. A call never waits for another
 * wave. CPU threads may call, too. docs/rpc.md explains how it works, what can deadlock nevertheless, and
 * what it costs.
 *
 * Errors    negative errnos of the call. -ENOSYS: no such operation, and -EMSGSIZE: a stream to a function
 *           that takes words, or words to one that takes a stream, after a message that names the operation.
 *           -ECANCELED: the server has stopped. -EDEADLK, after a message: the caller is itself carrying out
 *           a call. -EFAULT: the function threw a C++ exception; -EPROTO: it returned something else than it
 *           may; a message says so. Any other: what the function returned. In a kernel, a call before
 *           gshmem_init stops it with a message.
 */

/* What a function may return to the server. A negative errno ends the call with that error. */
enum {
	GSHMEMX_RPC_DONE,    /* the answer is written */
	GSHMEMX_RPC_PENDING, /* not yet: the server calls again, soon, with the same call */
	GSHMEMX_RPC_MORE     /* streams: this step is over; the function wants another */
};

/*
 * One call, as the function sees it. Valid until the function returns, or, with PENDING, until it
 * returns something else.
 */
typedef struct gshmemx_rpc_request {
	uint32_t id;
	unsigned lane;      /* that calls; of a call by a wave the lowest one */
	unsigned nlanes;    /* of a wave on the device: 32 or 64; 1: a CPU thread calls */
	uint64_t lanes;     /* mask of those that call together; without WAVE for information */
	const uint64_t *in; /* this lane's words: 6, or 8 of call_line; with WAVE lane i's at in[8 * i] */
	uint64_t *out;      /* its answer, likewise; gshmemx_rpc_call's is out[0]. With WAVE out == in */
	void *state;        /* the function's own: NULL at first; the library does not free it */

	/* of one step of a stream: GSHMEMX_RPC_STREAM */
	void *data;          /* its input; the function writes its reply to the same place */
	size_t room_nbytes;  /* room for the reply */
	size_t reply_nbytes; /* of the reply: the function sets it; 0 before */
	size_t nbytes;       /* of the input of this step */
	size_t offset;       /* of this step's input in the whole input */
	size_t total_nbytes; /* of the whole input */
} gshmemx_rpc_call_t;

typedef int (*gshmemx_rpc_function_t)(void *user, gshmemx_rpc_call_t *call);

/* Flags of gshmemx_rpc_register. */
#define GSHMEMX_RPC_WAVE     1U /* called once for all lanes that call together, with all their words */
#define GSHMEMX_RPC_BLOCKING 2U /* may block: called by one of GSHMEM_RPC_WORKERS threads of its own */
#define GSHMEMX_RPC_STREAM   4U /* called by gshmemx_rpc_stream, once for each step */

/*
 * gshmemx_rpc_register - make a function callable from kernels of this PE.
 *
 * id        receives the number that kernels pass; equal on all PEs that register in the same order
 * function  int function(void *user, gshmemx_rpc_call_t *call); messages use its name
 * user      passed on to the function
 * flags     GSHMEMX_RPC_*; 0: called for each lane, by the thread that serves all calls, which it must not
 *           hold up
 *
 * The function may make host calls of the library for puts, gets and atomics, but no collective ones and no
 * gshmemx_rpc_call. It and user must stay until gshmem_finalize.
 *
 * Callable  host, while no kernel of this process that uses the library is running.
 * Returns   0, or a negative errno after a message.
 * Errors    -EINVAL: no function, or bad flags; -ENOSPC: too many functions.
 */
GSHMEM_HOST_API int gshmemi_rpc_register(
	uint32_t *id, gshmemx_rpc_function_t function, void *user, unsigned flags, const char *name);
#define gshmemx_rpc_register(id, function, user, flags) \
	gshmemi_rpc_register(id, function, user, flags, #function)

/*
 * gshmemx_rpc_call       - call with six words, and wait for the answer, one word.
 * gshmemx_rpc_call_line  - call with eight words, and wait for an answer of eight.
 *
 * id    from gshmemx_rpc_register
 * in    words of this lane, in any memory
 * out   receives the answer, if the call succeeds; gshmemx_rpc_call takes NULL
 *
 * Callable  host; kernel, any thread, any lanes of a wave.
 * Returns   0 when the function has returned GSHMEMX_RPC_DONE; else a negative errno.
 * Order     what this thread wrote before is visible to the function; what the function wrote is visible to
 *           this thread afterwards.
 */
GSHMEM_API int gshmemx_rpc_call(uint32_t id, const uint64_t in[6], uint64_t *out);
GSHMEM_API int gshmemx_rpc_call_line(uint32_t id, const uint64_t in[8], uint64_t out[8]);

/* Names a posted call. Lanes that posted together have the same. */
typedef struct gshmemx_rpc_ticket {
	uint32_t slot;
	uint32_t seq;
} gshmemx_rpc_ticket_t;

/*
 * gshmemx_rpc_post, gshmemx_rpc_post_line - call, but do not wait; the answer is dropped.
 * gshmemx_rpc_test                        - 1 if the call is over, else 0.
 * gshmemx_rpc_wait                        - wait until the call is over.
 *
 * id, in  as gshmemx_rpc_call and gshmemx_rpc_call_line
 * ticket  to be used where it was posted: in kernels of this device, or on the host. It is good until 2^29
 *         further calls have used its slot
 *
 * gshmem_quiet and gshmem_fence wait for all that this thread has posted; gshmem_quiet on the host also for
 * what kernels have posted whose end it has seen. A unit that is compiled with GSHMEM_DIRECT_ONLY waits for
 * each posted call at once.
 *
 * Callable  as gshmemx_rpc_call.
 * Returns   post: when in may be reused. wait: 0, or the error of the call, of all its lanes; 0 too when a
 *           later call has used the slot. test: at once.
 * Order     posted calls are served in any order. What was written before a post is visible to the function;
 *           what the function wrote is visible here after a wait, or after a test that gave 1.
 */
GSHMEM_API gshmemx_rpc_ticket_t gshmemx_rpc_post(uint32_t id, const uint64_t in[6]);
GSHMEM_API gshmemx_rpc_ticket_t gshmemx_rpc_post_line(uint32_t id, const uint64_t in[8]);
GSHMEM_API int gshmemx_rpc_test(gshmemx_rpc_ticket_t ticket);
GSHMEM_API int gshmemx_rpc_wait(gshmemx_rpc_ticket_t ticket);

/*
 * gshmemx_rpc_stream       - send any number of bytes to the function and receive a reply of bytes; each lane
 *                          its own.
 * gshmemx_rpc_stream_wave  - the same by lanes that call together, with equal arguments: they share the work.
 *
 * id          of a function with GSHMEMX_RPC_STREAM
 * in          in_nbytes bytes; 0 is allowed
 * out         room for a reply of out_nbytes; 0 is allowed
 * got_nbytes  receives the length of the reply; may be NULL
 *
 * The function is called once for each step. A step carries as many bytes as a slot's page holds (64 for each
 * lane of a wave) or, from 16 KiB on, as a block of the arena (64 KiB). GSHMEMX_RPC_MORE asks for the next
 * step, which is empty when the input has ended; GSHMEMX_RPC_DONE ends the stream, even if input is left.
 *
 * Callable  host; kernel, any thread; _wave: the lanes of a wave, as for all calls with that suffix.
 * Returns   0 when the reply is in out; -ENOSPC when it is longer than out_nbytes; else as gshmemx_rpc_call.
 * Order     as gshmemx_rpc_call.
 */
GSHMEM_API int gshmemx_rpc_stream(
	uint32_t id, const void *in, size_t in_nbytes, void *out, size_t out_nbytes, size_t *got_nbytes);
#if GSHMEMI_KERNELS
GSHMEM_API int gshmemx_rpc_stream_wave(
	uint32_t id, const void *in, size_t in_nbytes, void *out, size_t out_nbytes, size_t *got_nbytes);
#endif

/*
 * gshmemx_abort - end the job with a status, after a message that names PE, block and thread.
 *
 * Callable  host; kernel, any thread.
 * Returns   never.
 */
GSHMEM_API void gshmemx_abort(int status);

/*
 * gshmemx_printf - print to this process's stdout, as C's printf does.
 *
 * In HIP units a template (gshmem/rpc/rpc_print.h), in others a function like C's. Lanes print one after the
 * other, in any order.
 *
 * format    all conversions of C but %n, with flags, width and precision, and * for either; lengths hh h l ll
 *           j z t, and L where kernels have long double. Strings may be of any length, in any memory that the
 *           caller can read. A 64-bit integer is printed whole whatever its length says, except for hh and h.
 *           Convert half and bfloat16 arguments to float
 *
 * Callable  host, at any time; kernel, any thread.
 * Returns   the number of bytes printed, when the text has been written, in one write: before the kernel ends
 *           or traps. Or a negative errno.
 * Order     none with what the host prints, except that stdio's buffer is written first. A full stdout holds
 *           up all calls.
 * Errors    -EINVAL when an argument does not fit its conversion; the text then has (missing), (not an
 *           integer), (not floating-point), (not a pointer), (not a string), (not a wide string) or (%n is
 *           refused) in its place. What is no conversion of C is printed as it is. -EILSEQ when the locale
 *           has no such wide character, (bad character). -EOVERFLOW beyond what an int counts. Else those of
 *           write and of gshmemx_rpc_call. In C units %n prints nothing, and wrong arguments are undefined.
 */
#if !GSHMEMI_KERNELS
__attribute__((format(printf, 1, 2))) GSHMEM_HOST_API int gshmemx_printf(const char *format, ...);
#endif

/*
 * gshmemx_assert - unless the condition holds, end the job with status 134.
 *
 * The message names PE, block and thread. A macro. As with C's assert, NDEBUG turns it into nothing.
 *
 * Callable  host, at any time; kernel, any thread.
 */
#ifdef NDEBUG
#define gshmemx_assert(...) ((void)0)
#else
#define gshmemx_assert(...) \
	((__VA_ARGS__) ? (void)0 : gshmemi_assert_failed(#__VA_ARGS__, __FILE__, __LINE__))
#endif
GSHMEM_API void gshmemi_assert_failed(const char *text, const char *file, int line);

/*
 * gshmemx_trace      - write a mark with a value into the timeline and into this PE's list of marks.
 * gshmemx_trace_name - name a mark in traces.
 *
 * The timeline is the file of GSHMEM_TRACE, the list is GSHMEM_TRACE.PE. Without GSHMEM_TRACE
 * gshmemx_trace does nothing.
 *
 * mark  any number; marks with names are 0 .. 65535
 * name  without tabs and newlines
 *
 * Callable  host; trace also kernel, any thread.
 * Returns   trace: at once; gshmem_quiet and gshmem_finalize complete it. trace_name: 0, or a negative errno
 *           after a message.
 */
GSHMEM_API void gshmemx_trace(uint32_t mark, uint64_t value);
GSHMEM_HOST_API int gshmemx_trace_name(uint32_t mark, const char *name);

/* ---- channels of the program's own: the interface of hostrpc ------------------------------------------- */

/* A slot's page, which both sides see: a line for each lane of the client's wave. */
typedef struct gshmemx_rpc_page {
	struct {
		uint64_t element[8];
	} cacheline[64]; /* as many as the channel has lanes */
} gshmemx_rpc_page_t;

/* A channel, for both sides; kernels take it by value. Its fields are the library's. */
typedef struct gshmemi_rpc_channel gshmemx_rpc_channel_t;

/* Flags of gshmemx_rpc_channel_create. */
#define GSHMEMX_RPC_CLEAR         1U /* handle calls clear when the client has used the answer */
#define GSHMEMX_RPC_HOST_CLIENT   2U /* CPU threads call; else kernels of this PE's device do */
#define GSHMEMX_RPC_DEVICE_SERVER 4U /* kernels serve; else CPU threads do */

/*
 * gshmemx_rpc_channel_create  - make a channel that the program serves.
 * gshmemx_rpc_channel_stop    - end all waits of a channel: invoke returns false.
 * gshmemx_rpc_channel_destroy - free a channel that nobody uses.
 *
 * nslots    at least as many as waves (or threads) may be in a call at a time, or they may starve one
 *           another; 0: as many as waves fit on the device. Rounded up to a multiple of 64
 * nlanes    lanes of a page: 1, 32 or 64; 0: those of the device's waves
 * flags     GSHMEMX_RPC_CLEAR and so on
 * channel   receives the channel
 *
 * In HIP units any lanes of a wave, or a CPU thread, on the client's side call
 *
 *	bool gshmemx_rpc_invoke(&channel, fill, use)  take a slot, fill(page), post, wait, use(page)
 *	bool gshmemx_rpc_invoke(&channel, fill)       the same without waiting
 *
 * and any number of waves or threads on the server's side
 *
 *	bool gshmemx_rpc_handle(&channel, operate, clear)  operate(page), or clear(page)
 *	bool gshmemx_rpc_handle(&channel, operate)
 *
 * invoke returns false if the channel was stopped before the answer came; without waiting, it may still
 * find a free slot then. handle returns false if there was nothing to do. Each lane calls fill, use,
 * operate and clear with a gshmemx_rpc_page_t *; fill and use must not call invoke. Without
 * GSHMEMX_RPC_CLEAR clear is never called.
 *
 * Callable  host, after gshmem_init, before gshmem_finalize.
 * Returns   0, or a negative errno after a message.
 * Order     fill's writes are visible to operate, operate's to use, and with GSHMEMX_RPC_CLEAR clear's to the
 *           next fill.
 * Errors    -EINVAL for flags or a number of lanes that do not exist.
 */
GSHMEM_HOST_API int gshmemx_rpc_channel_create(
	unsigned nslots, unsigned nlanes, unsigned flags, gshmemx_rpc_channel_t *channel);
GSHMEM_HOST_API void gshmemx_rpc_channel_stop(const gshmemx_rpc_channel_t *channel);
GSHMEM_HOST_API void gshmemx_rpc_channel_destroy(gshmemx_rpc_channel_t *channel);

/* ---- teams --------------------------------------------------------------------------------------------- */

/*
 * Teams that exist from init to finalize, besides those of gshmem.h.
 *
 * GSHMEMX_TEAM_NODE            the PEs of this node
 * GSHMEMX_TEAM_SAME_MYPE_NODE  the PEs that have on their nodes the number that this one has on its own, one
 *                              of each node that has so many: what exchanges between nodes after the PEs of
 *                              each have met
 */
#define GSHMEMX_TEAM_NODE           GSHMEMI_HANDLE(gshmem_team_t, 3L)
#define GSHMEMX_TEAM_SAME_MYPE_NODE GSHMEMI_HANDLE(gshmem_team_t, 4L)

/*
 * gshmemx_team_create - make a team of any PEs of parent_team, in any order.
 *
 * pes, npes            [npes]: different PEs of parent_team; PE pes[i] becomes PE i. Equal on all PEs
 * config, config_mask  see gshmem_team_config_t; config may be NULL if config_mask is 0
 * new_team             receives the handle; GSHMEM_TEAM_INVALID on PEs outside the new team, and on errors
 *
 * Where PEs lie at one stride, the team is the one that gshmem_team_split_strided makes. Otherwise its calls
 * look each member up in a list.
 *
 * Callable  host, collective over parent_team.
 * Returns   0 on all its PEs when all have called, or a negative errno on all of them.
 * Errors    after a message: a PE that parent_team does not have, or a PE twice; lists that differ between
 *           PEs; and as gshmem_team_split_strided.
 */
GSHMEM_HOST_API int gshmemx_team_create(gshmem_team_t parent_team, const int *pes, int npes,
	const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team);

/*
 * gshmemx_team_create_by_members - the same, called by the members alone: other PEs need not know of it.
 *
 * pes, npes  [npes]: different PEs of the world, this one among them; equal on all of them
 * tag        any number, equal on all of them. Calls of the same members that several threads make at the
 *            same time need different ones; else the calls of a PE follow each other in the same order as
 *            those of the other members
 * config, config_mask, new_team  as with gshmemx_team_create
 *
 * Callable  host, collective over the members.
 * Returns   0 on all members when all have called, or a negative errno on all of them.
 * Errors    after a message: a PE that the job does not have, or a PE twice; a list without this PE; and as
 *           gshmem_team_split_strided. Members whose lists or tags differ wait for each other: the watchdog
 *           says for which PE.
 */
GSHMEM_HOST_API int gshmemx_team_create_by_members(const int *pes, int npes, int tag,
	const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team);

/*
 * The kinds of MPI, by the ABI of their mpi.h: MPICH's, which MVAPICH, Intel MPI and Cray MPICH share; Open
 * MPI's; the standard one of MPI 5. GSHMEMX_MPI_ABI of gshmemx_mpi.h is the one that a program is compiled with.
 */
#define GSHMEMX_MPI_MPICH    1
#define GSHMEMX_MPI_OPENMPI  2
#define GSHMEMX_MPI_STANDARD 3

/*
 * gshmemx_team_from_mpi_handle - gshmemx_team_from_mpi (gshmemx_mpi.h) for code that is compiled without mpi.h,
 * and for other languages.
 *
 * comm    the address of an MPI_Comm
 * nbytes  the size of an MPI_Comm
 * abi     GSHMEMX_MPI_ of the MPI that made it
 * config, config_mask, new_team  as with gshmemx_team_create
 *
 * Callable, Returns  as gshmemx_team_from_mpi.
 * Errors    those, and -EINVAL after a message if the MPI of the process is of another kind.
 */
GSHMEM_HOST_API int gshmemx_team_from_mpi_handle(const void *comm, size_t nbytes, int abi,
	const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team);

/* ---- memory -------------------------------------------------------------------------------------------- */

/* The use of this PE's symmetric heap, which is the same on all PEs. All in bytes but nallocations. */
struct gshmemx_heap_usage {
	size_t total;
	size_t used;      /* by allocations, rounded up as they are */
	size_t requested; /* what the program asked for */
	size_t free;
	size_t largest_free; /* the largest gshmem_malloc that would succeed */
	size_t nallocations;
};

/*
 * gshmemx_buffer_register - register local memory outside the symmetric heap, which kernels put from
 * and get into.
 *
 * addr    memory of the device or of the host, outside the heap
 * nbytes  its bytes
 *
 * A local end of a put or get may lie anywhere, registered or not. But the library does not know memory that
 * it has not allocated, so a kernel copies such data, by at most 2 KiB at a time, if the other PE is not
 * mapped. Registered memory is sent and received from where it is, at once, and a non-blocking operation
 * returns without waiting for it. At most 64 buffers are registered at a time; they may not overlap.
 *
 * gshmemx_buffer_unregister ends it for the buffer that begins at addr, _unregister_all for all buffers, and
 * so does gshmem_finalize. No operation may be open that uses the buffer. The memory stays the program's.
 *
 * Callable  host; not collective.
 * Returns   0, or a negative errno after a message. Kernels launched later know of it.
 * Errors    -EINVAL for no memory, memory in the heap, or an addr at which no buffer begins, and before init
 *           and after finalize; -EEXIST if a byte is registered; -ENOMEM for a 65th buffer.
 */
GSHMEM_HOST_API int gshmemx_buffer_register(void *addr, size_t nbytes);
GSHMEM_HOST_API int gshmemx_buffer_unregister(void *addr);
GSHMEM_HOST_API void gshmemx_buffer_unregister_all(void);

/*
 * gshmemx_race_ok - say that accesses to these nbytes of symmetric memory at addr race on purpose, such as
 * polls by get, so that a program made by gshmemcc --races does not report them. In other programs it does
 * nothing.
 *
 * Callable  host; not collective: each PE says so for what it would report itself, on whatever PE the memory
 *           is. Between init and finalize.
 * Returns   at once. It holds until gshmem_free of the memory, and orders nothing.
 */
GSHMEM_HOST_API void gshmemx_race_ok(const void *addr, size_t nbytes);

/* gshmemx_heap_stats - fill *usage. Callable host. Returns 0, or a negative errno after a message. */
GSHMEM_HOST_API int gshmemx_heap_stats(struct gshmemx_heap_usage *usage);

/*
 * gshmemx_peer_bases - where the symmetric heap of each PE is in this process: for kernels that load from and
 * store to peers by themselves.
 *
 * bases  receives gshmem_n_pes() addresses; any memory of the host or of a GPU that HIP can copy to
 *
 * All heaps are laid out alike: the object at x on this PE is at bases[pe] + (x - bases[my_pe]) on PE
 * pe, counted in bytes. bases[pe] is NULL where the heap of pe is not mapped here. The addresses are
 * valid until gshmem_finalize.
 *
 * Callable  host.
 * Returns   0 when the addresses are in bases, or a negative errno after a message.
 * Order     of loads and stores through the addresses: as with gshmem_ptr.
 * Errors    -EINVAL for NULL, before init and after finalize; -EIO when HIP cannot copy to bases.
 */
GSHMEM_HOST_API int gshmemx_peer_bases(void **bases);

/* ---- 16-bit floating point ----------------------------------------------------------------------------- */

/*
 * gshmemx_half_put and so on, gshmemx_bfloat16_put and so on - the gshmem_ calls of the same name for 16-bit
 * types. Callable, Returns, Order and Errors are theirs.
 */

#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmemx_##NAME##_put(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_p(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API TYPE gshmemx_##NAME##_g(const TYPE *source, int pe);
GSHMEMX_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/* ---- calls by a wave or a work-group ------------------------------------------------------------------- */

/*
 * The threads of a group make a call with the suffix _wave or _wg together:
 *
 *   _wave  the lanes of a wave. Portable code lets all lanes that have not ended make the call, and NVIDIA
 *          GPUs wait for all of them, as __syncwarp() does. AMD GPUs and the cpu platform take any subset
 *          that reaches the call together, converged
 *   _wg    all threads of the work-group. The call contains a __syncthreads() before and one after its work;
 *          fence, quiet and waits contain one
 *
 * All threads of the group pass equal arguments. A collective call, and a barrier is one, is made by one
 * group for its whole PE: of a grid by one work-group.
 *
 * Callable  kernel, all threads of the group. Only HIP units declare these calls; on the host use the call
 *           without suffix.
 * Returns   as the call without suffix. What any thread of the group wrote before the call is sent; after it
 *           every thread may reuse source, or read dest.
 * Order     as the call without suffix, for the group: a later gshmemx_fence or gshmemx_quiet of the same
 *           group covers it. One thread's gshmem_quiet does not cover what other threads moved.
 * Errors    checked, as for the call without suffix, except in fence and quiet. Also checked: missing threads
 *           and unequal arguments. GPUs notice unequal arguments only within each wave that makes the call,
 *           and AMD GPUs so for missing threads, too. When two groups of a PE are in a collective of one
 *           team, the second one is reported.
 */

/* gshmemx_TYPENAME_put_SCOPE and so on - put, get and put_signal by a group; SCOPE: wave, wg. */

#if GSHMEMI_KERNELS
#define GSHMEMI_DECLARE_SCOPE(NAME, TYPE, SCOPE) \
	GSHMEM_API void gshmemx_##NAME##_put_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_nbi_##SCOPE( \
		TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get_nbi_##SCOPE( \
		TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_iput_##SCOPE( \
		TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_iget_##SCOPE( \
		TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_ibput_##SCOPE(TYPE *dest, const TYPE *source, ptrdiff_t dst, \
		ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
	GSHMEM_API void gshmemx_##NAME##_ibget_##SCOPE(TYPE *dest, const TYPE *source, ptrdiff_t dst, \
		ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_signal_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_signal_nbi_##SCOPE(TYPE *dest, const TYPE *source, \
		size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEMI_DECLARE_SCOPE(NAME, TYPE, wave) \
	GSHMEMI_DECLARE_SCOPE(NAME, TYPE, wg)
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
GSHMEMX_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#undef GSHMEMI_DECLARE_SCOPE

#define GSHMEMI_DECLARE_SCOPE(SIZE, SCOPE) \
	GSHMEM_API void gshmemx_put##SIZE##_##SCOPE(void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_get##SIZE##_##SCOPE(void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_put##SIZE##_nbi_##SCOPE( \
		void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_get##SIZE##_nbi_##SCOPE( \
		void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_put##SIZE##_signal_##SCOPE(void *dest, const void *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmemx_put##SIZE##_signal_nbi_##SCOPE(void *dest, const void *source, \
		size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
#define GSHMEMI_DECLARE_STRIDES(SIZE, SCOPE) \
	GSHMEM_API void gshmemx_iput##SIZE##_##SCOPE( \
		void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_iget##SIZE##_##SCOPE( \
		void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_ibput##SIZE##_##SCOPE(void *dest, const void *source, ptrdiff_t dst, \
		ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
	GSHMEM_API void gshmemx_ibget##SIZE##_##SCOPE(void *dest, const void *source, ptrdiff_t dst, \
		ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEMI_DECLARE_SCOPE(SIZE, wave) \
	GSHMEMI_DECLARE_SCOPE(SIZE, wg) \
	GSHMEMI_DECLARE_STRIDES(SIZE, wave) \
	GSHMEMI_DECLARE_STRIDES(SIZE, wg)
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#undef GSHMEMI_DECLARE_STRIDES
GSHMEMI_DECLARE_SCOPE(mem, wave) /* nelems counts bytes */
GSHMEMI_DECLARE_SCOPE(mem, wg)
#undef GSHMEMI_DECLARE_SCOPE
#endif

/* gshmemx_ctx_TYPENAME_put_wave and so on - the same with a context, as gshmem_ctx_TYPENAME_put. */

#define GSHMEMI_V(PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API void PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe);
#define GSHMEMI_R(TYPE, PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API TYPE PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe);
GSHMEMI_CTX_EXTENSIONS
#undef GSHMEMI_V
#undef GSHMEMI_R

/*
 * gshmemx_barrier_all_SCOPE  completes the operations of every thread of the group, then waits for all PEs
 * gshmemx_sync_all_SCOPE     waits for all PEs
 * gshmemx_team_sync_SCOPE    waits for the PEs of a team; returns as gshmem_team_sync
 * gshmemx_fence_SCOPE        to each PE, what any thread of the group did before arrives before what any does
 *                            after
 * gshmemx_quiet_SCOPE        what any thread of the group did before has arrived
 */
#if GSHMEMI_KERNELS
GSHMEM_API void gshmemx_barrier_all_wave(void);
GSHMEM_API void gshmemx_barrier_all_wg(void);
GSHMEM_API void gshmemx_sync_all_wave(void);
GSHMEM_API void gshmemx_sync_all_wg(void);
GSHMEM_API int gshmemx_team_sync_wave(gshmem_team_t team);
GSHMEM_API int gshmemx_team_sync_wg(gshmem_team_t team);
GSHMEM_API void gshmemx_fence_wave(void);
GSHMEM_API void gshmemx_fence_wg(void);
GSHMEM_API void gshmemx_quiet_wave(void);
GSHMEM_API void gshmemx_quiet_wg(void);
#endif

/*
 * gshmemx_TYPENAME_wait_until_SCOPE, gshmemx_signal_wait_until_SCOPE - one thread polls for the group;
 * afterwards every thread sees what was ordered before the update.
 */
#if GSHMEMI_KERNELS
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmemx_##NAME##_wait_until_wave(TYPE *ivar, int cmp, TYPE cmp_value); \
	GSHMEM_API void gshmemx_##NAME##_wait_until_wg(TYPE *ivar, int cmp, TYPE cmp_value);
GSHMEM_WAIT_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_API uint64_t gshmemx_signal_wait_until_wave(uint64_t *sig_addr, int cmp, uint64_t cmp_value);
GSHMEM_API uint64_t gshmemx_signal_wait_until_wg(uint64_t *sig_addr, int cmp, uint64_t cmp_value);
#endif

/* ---- collectives --------------------------------------------------------------------------------------- */

/*
 * Two more collectives, declared in gshmem.h with the others, whose rules they follow.
 *
 * int gshmemx_TYPENAME_alltoallv(gshmem_team_t team, TYPE *dest, const size_t *dest_nelems,
 *				  const size_t *dest_displs, const TYPE *source, const size_t *source_nelems,
 *				  const size_t *source_displs)
 *	copies source_nelems[j] elements from source + source_displs[j] to PE j, if the caller is PE i: to
 *	dest + dest_displs[i] there, where dest_nelems[i] is the same number. Each array has an entry for each
 *	PE, in elements
 * int gshmemx_TYPENAME_OP_reduce_scatter(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nreduce)
 *	dest[k] = source[i * nreduce + k] of PE 0 OP that of PE 1 OP ..., on PE i; source has npes * nreduce
 *	elements
 *
 * The arrays of alltoallv are the caller's own, in memory that it can read; dest and source are symmetric.
 *
 * TYPENAME half and bfloat16 have the collectives of gshmem.h with this header's prefix, as in
 * gshmemx_half_sum_reduce, but not and, or, xor. Each single sum or product, in the order of the PEs, is
 * rounded to the 16 bits: to nearest, ties to even. A NaN that is computed is 0x7e00, for bfloat16 0x7fc0. So
 * the bits are the same on all PEs and platforms, by all scopes and for all lengths, unless a unit is
 * compiled to flush small floats to 0 (-ffast-math, -ftz=true), which bfloat16 shows.
 *
 * By a wave or a work-group (gshmemx_TYPENAME_broadcast_wave and so on) all threads of the group
 * share the work.
 */
#if !GSHMEMI_KERNELS
#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) GSHMEM_API int gshmemx_##NAME PARAMETERS;
GSHMEMI_COLL_SHORT_CALLS
#undef GSHMEMI_F
#endif

/* ---- calls on a stream --------------------------------------------------------------------------------- */

/*
 * A call on a stream starts when the stream's earlier work is done, and the stream's later work starts
 * when the call is over: when put and signal have arrived, when what was waited for has come, when a
 * barrier or collective is over. PEs make the collectives of a team in the same order, whatever their
 * streams. Two of one team may not run at a time; those of two teams may. A wait or a collective occupies
 * a work-group of the device. A stream that waits for work of another PE that waits for this device to
 * become free waits for ever.
 *
 * stream  a hipStream_t; NULL: the default stream
 * the rest  as in the call without _on_stream. Arrays of alltoallv must be readable by kernels until the call
 *           is over
 *
 * gshmemx_quiet_on_stream        complete what kernels, and calls, of the stream did before
 * gshmemx_barrier_all_on_stream  the same, then wait for all PEs
 * gshmemx_signal_op_on_stream    set a signal on pe, or add to it
 *
 * Reductions of long double have no such form, because a GPU cannot compute them.
 *
 * A stream that captures (hipStreamBeginCapture) takes each of these calls into its graph. Each launch of the
 * graph then makes the call anew, with the arguments with which it was captured, and counts as a call of its
 * PE in the order of the stream: PEs launch graphs with collectives, and make such calls directly, in the
 * same order. What the arguments name must stay until the last launch is done.
 *
 * Callable  host; collective where the call without _on_stream is.
 * Returns   0 at once, when the call is queued; or a negative errno.
 * Order     as the call without _on_stream, by the stream: what the stream did before is complete.
 * Errors    what HIP refuses, after a message; -EINVAL, without one, for GSHMEM_TEAM_INVALID; -ENOTSUP, after
 *           a message, for a quiet or barrier_all that is captured where HIP has no hipLaunchHostFunc (ROCm
 *           5.2): the capture goes on without the call. Bad input is checked when the stream gets there.
 */
#define GSHMEMI_DECLARE_MOVES(NAME, TYPE, MEM) \
	GSHMEM_HOST_API int gshmemx_##NAME##put##MEM##_on_stream( \
		TYPE *dest, const TYPE *source, size_t nelems, int pe, void *stream); \
	GSHMEM_HOST_API int gshmemx_##NAME##get##MEM##_on_stream( \
		TYPE *dest, const TYPE *source, size_t nelems, int pe, void *stream); \
	GSHMEM_HOST_API int gshmemx_##NAME##put##MEM##_signal_on_stream(TYPE *dest, const TYPE *source, \
		size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, void *stream);
#define GSHMEMI_DECLARE(NAME, TYPE) GSHMEMI_DECLARE_MOVES(NAME##_, TYPE, )
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
GSHMEMX_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEMI_DECLARE_MOVES(, void, mem)
#undef GSHMEMI_DECLARE_MOVES
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_HOST_API int gshmemx_##NAME##_wait_until_on_stream( \
		TYPE *ivar, int cmp, TYPE cmp_value, void *stream);
GSHMEM_WAIT_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_HOST_API int gshmemx_signal_wait_until_on_stream(
	uint64_t *sig_addr, int cmp, uint64_t cmp_value, void *stream);
GSHMEM_HOST_API int gshmemx_signal_op_on_stream(
	uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, void *stream);
GSHMEM_HOST_API int gshmemx_quiet_on_stream(void *stream);
GSHMEM_HOST_API int gshmemx_barrier_all_on_stream(void *stream);
GSHMEM_HOST_API int gshmemx_sync_all_on_stream(void *stream);
GSHMEM_HOST_API int gshmemx_team_sync_on_stream(gshmem_team_t team, void *stream);
#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) \
	GSHMEM_HOST_API int gshmemx_##NAME##_on_stream(GSHMEMI_UNPACK PARAMETERS, void *stream);
GSHMEMI_COLL_CALLS
GSHMEMI_COLL_SHORT_CALLS
#undef GSHMEMI_F

GSHMEMI_END_C

#include <gshmem/api/launch.h>

#endif /* GSHMEMX_H */
