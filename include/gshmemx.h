/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx: what gshmem has beyond OpenSHMEM. Included by gshmem.h.
 *
 * Calls with _wave and _wg move data or wait together. The contract of all of them:
 *
 *   _wave  the lanes of one wave that reach the call together make it together; any subset, converged
 *   _wg    every thread of the work-group makes it; it is a __syncthreads() on both sides
 *   Arguments are equal in all threads of the group.
 *   A collective, which barriers are, is made by one group of a PE for all of the PE: of a grid, by one work-group.
 *   Bad input: checked, except of fence and quiet. That threads are missing or pass something else is seen on AMD GPUs within
 *          each wave that makes the call; that two groups are in a collective of one team, when the second one comes.
 *   Data that any thread of the group wrote before is sent; after, every thread may reuse source or read dest.
 *   Order is as for the call without suffix, for the group: a later gshmemx_fence or gshmemx_quiet of the same group
 *   covers it. One thread's gshmem_quiet does not cover what the others moved.
 *   Callable from kernels; from the host they are the call without suffix.
 */
#ifndef GSHMEMX_H
#define GSHMEMX_H

#ifndef GSHMEM_H
#error "include <gshmem.h>, which includes <gshmemx.h>"
#endif

#if GSHMEMI_KERNELS
#include <hip/hip_fp16.h>
typedef __half gshmemx_half_t;
#if __has_include(<hip/hip_bf16.h>)
#include <hip/hip_bf16.h>
typedef __hip_bfloat16 gshmemx_bfloat16_t;
#else /* ROCm before 5.6 */
#include <hip/hip_bfloat16.h>
typedef hip_bfloat16 gshmemx_bfloat16_t;
#endif
#else
/* The bits of an IEEE binary16 and of a bfloat16. */
typedef struct gshmemx_half { uint16_t bits; } gshmemx_half_t;
typedef struct gshmemx_bfloat16 { uint16_t bits; } gshmemx_bfloat16_t;
#endif

#include <gshmem/state/rpc_channel.h>

GSHMEMI_BEGIN_C

/* ---- setup ---------------------------------------------------------------------------------------------------- */

/* Names a job that starts without MPI. Opaque: gshmemx_get_uniqueid fills it, and it may be sent by any means. */
typedef struct gshmemx_uniqueid {
	char bytes[128];
} gshmemx_uniqueid_t;

/* Attributes of init; start from GSHMEMX_INIT_ATTR_DEFAULT. */
struct gshmemx_init_attributes {
	size_t size;         /* sizeof (struct gshmemx_init_attributes), so that fields can be added */
	const void *mpi_comm;/* MPI_Comm *, whose processes become the PEs; NULL: MPI_COMM_WORLD */
	int thread_level;    /* GSHMEM_THREAD_* */
	int device;          /* HIP device of this PE; -1: GSHMEM_DEVICE, else the current one, else by local rank */
	size_t heap_nbytes;  /* size of the symmetric heap; 0: GSHMEM_HEAP_SIZE */
	const gshmemx_uniqueid_t *uniqueid; /* of the job, which starts without MPI; NULL: MPI starts it */
	int rank;            /* with uniqueid: this process's number, 0 .. nranks-1, which becomes its PE number, */
	int nranks;          /* and how many processes there are */
};
#define GSHMEMX_INIT_ATTR_DEFAULT \
	{sizeof(struct gshmemx_init_attributes), NULL, GSHMEM_THREAD_SINGLE, -1, 0, NULL, 0, 0}

/*
 * gshmemx_init_attr - gshmem_init over a communicator or by a unique id, on a device, with a heap of a size.
 *
 * Callable  host, collective over the communicator, or over the nranks processes that have the unique id.
 * Returns   0; or a negative errno, the same on every PE, after one message on the PE that failed. -EINVAL at once for
 *           attributes that are NULL, of another size, or name no thread level, or both a communicator and a
 *           unique id. With a unique id each process prints a message of its own until all have found each
 *           other: -EINVAL for an id that is damaged, and where ranks or counts do not fit; -ETIMEDOUT when a
 *           process has not come within GSHMEM_INIT_TIMEOUT; -ECONNREFUSED when nobody expects it any more;
 *           -ECONNRESET when one has died; -ENOTSUP for PEs on several nodes, which take MPI.
 */
GSHMEM_HOST_API int gshmemx_init_attr(const struct gshmemx_init_attributes *attr);

/*
 * gshmemx_get_uniqueid - make the id of a job that starts without MPI.
 *
 * id  filled in; to be sent to all processes of the job, by any means
 *
 * One process calls this, which must then take part in the job, with any rank: it listens for the others, at a port
 * that the id names (GSHMEM_UID_ADDRESS), and serves them in its init. An id is for one init; another job takes
 * another id, and a second call before init makes the first id void. The id holds a secret, without which a
 * connection is refused: give it to the job's processes alone. docs/launch.md has an example.
 *
 * Callable  host, at any time, by one thread.
 * Returns   0; or a negative errno after a message: id is NULL, no address to listen at.
 */
GSHMEM_HOST_API int gshmemx_get_uniqueid(gshmemx_uniqueid_t *id);

/*
 * gshmemx_set_attr_uniqueid_args - have gshmemx_init_attr start the job by a unique id.
 *
 * rank    of this process, 0 .. nranks-1, each once
 * nranks  processes of the job, on all of them the same
 * id      from gshmemx_get_uniqueid, of whichever process; must stay until init returns
 * attr    what is changed: its uniqueid, rank and nranks
 *
 * Callable  host, at any time.
 * Returns   0; or -EINVAL after a message: a NULL, or a rank that is not below nranks.
 */
GSHMEM_HOST_API int gshmemx_set_attr_uniqueid_args(int rank, int nranks, const gshmemx_uniqueid_t *id,
						   struct gshmemx_init_attributes *attr);

/*
 * gshmemx_module_init - make the kernels of a module ready that was loaded by hipModuleLoad or hipModuleLoadData.
 *
 * module    a hipModule_t whose code includes gshmem.h, compiled at run time (hiprtc, nvrtc) or with -DGSHMEM_MODULE;
 *           or is linked with the bitcode, libgshmem_device_<gfx>.bc (docs/triton.md).
 *           NULL: units of shared objects that were dlopened since (the next gshmem_malloc, gshmem_barrier_all or
 *           gshmem_my_pe on the host does the same)
 *
 * To be called after init, once for each load, before the first kernel of the module. gshmem_finalize takes the module
 * back to where a kernel that uses the library stops with a message; after another init call it again. The module must
 * stay loaded until gshmem_finalize, which writes to it.
 *
 * Callable  host, while no kernel of the module is running.
 * Returns   0; or a negative errno after a message: no device state in the module, other headers, another
 *           GSHMEM_MAX_PES, or GSHMEM_DIRECT_ONLY where something needs more.
 */
GSHMEM_HOST_API int gshmemx_module_init(void *module);

/* ---- launch --------------------------------------------------------------------------------------------------- */

/*
 * gshmemx_collective_launch - launch a kernel whose threads wait for other work-groups or other PEs.
 *
 * A work-group that waits keeps its place on the GPU. What it waits for must have one too, so all work-groups of such
 * a kernel must be resident at once: this call asks how many can be, launches cooperatively, and refuses a grid that is
 * larger. PEs that share a device share its room: each gets an equal part. docs/launch.md says more.
 *
 * func           the kernel
 * grid, block    work-groups, and threads of each: x, y, z. They may differ between PEs
 * args           the addresses of the kernel's arguments, in order
 * shared_nbytes  dynamic shared memory of a work-group
 * stream         hipStream_t
 *
 * In a HIP unit there is also a form that takes the kernel by its name, and grid and block as dim3; on the cpu platform
 * it is the only one, for a kernel's types are known to C++ alone.
 *
 * Callable  host, collective over all PEs.
 * Returns   0 when the kernel is queued. On every PE a negative errno, with nothing launched anywhere, when it does not
 *           fit on some PE (-E2BIG) or its device cannot do this, after one message that says how many work-groups fit.
 *           On one PE alone when the launch itself fails.
 */
GSHMEM_HOST_API int gshmemx_collective_launch(const void *func, const unsigned grid[3], const unsigned block[3],
					      void **args, size_t shared_nbytes, void *stream);

/*
 * gshmemx_collective_launch_limit - how many work-groups of a kernel gshmemx_collective_launch takes on this PE.
 *
 * Callable  host.
 * Returns   0, with *ngroups set; or a negative errno after a message.
 */
GSHMEM_HOST_API int gshmemx_collective_launch_limit(const void *func, const unsigned block[3], size_t shared_nbytes,
						    unsigned *ngroups);

/* ---- calling the CPU from a kernel -------------------------------------------------------------------------------- */

/*
 * A kernel calls functions of its own process on the CPU. The lanes of a wave that reach a call together, any subset of
 * them, make it together and cross the bus once; lanes with different operations make one call after the other. Each
 * lane passes its own words and gets its own answer. A call never waits for another wave. CPU threads may call, too.
 * docs/rpc.md explains how, what may deadlock nevertheless, and what it costs.
 *
 * Errors, as negative errnos of the call: -ENOSYS no such operation (with a message that names it); -EMSGSIZE a stream to
 * a function that takes words, or words to one that takes a stream (likewise); -ECANCELED there is no server any more;
 * and what the function itself returns. A call before gshmem_init stops the kernel with a message.
 */

/* Returned by a function that the server calls. Negative errnos end the call with an error. */
enum {
	GSHMEMX_RPC_DONE,    /* the answer is there */
	GSHMEMX_RPC_PENDING, /* not yet: call again, soon, with the same call */
	GSHMEMX_RPC_MORE     /* streams: this step is over, and another one wanted */
};

/* One call, in the hands of the function; valid until it returns, or with PENDING until it returns something else. */
typedef struct gshmemx_rpc_request {
	uint32_t op;
	unsigned lane;       /* of the wave; of a call by a wave the lowest */
	unsigned nlanes;     /* lanes of a wave on the device: 32 or 64; 1: a CPU thread calls */
	uint64_t lanes;      /* mask of those that call together; GSHMEMX_RPC_WAVE: of this call, else for information */
	const uint64_t *in;  /* this lane's words: 6, or 8 of call_line; GSHMEMX_RPC_WAVE: lane i's from in[8 * i] on */
	uint64_t *out;       /* where its answer goes, likewise; out[0] is that of gshmemx_rpc_call. With WAVE out == in */
	void *state;         /* the function's own: NULL when a call or stream begins; not freed by the library */

	/* GSHMEMX_RPC_STREAM: one step */
	void *data;          /* this step's input; and where its reply goes, */
	size_t room_nbytes;  /* of so many bytes at most, */
	size_t reply_nbytes; /* how many of which the function has written: it sets this, 0 before */
	size_t nbytes;       /* of input in this step */
	size_t offset;       /* of it in the whole input */
	size_t total_nbytes; /* of the whole input */
} gshmemx_rpc_call_t;

typedef int (*gshmemx_rpc_function_t)(void *user, gshmemx_rpc_call_t *call);

/* Flags of gshmemx_rpc_register. */
#define GSHMEMX_RPC_WAVE     1U /* called once for a wave, with all its words */
#define GSHMEMX_RPC_BLOCKING 2U /* may block: called by a thread of its own, GSHMEM_RPC_WORKERS of them */
#define GSHMEMX_RPC_STREAM   4U /* called by gshmemx_rpc_stream, once for each step */

/*
 * gshmemx_rpc_register - make a function callable from kernels of this PE.
 *
 * op        where the operation's number goes, which kernels pass: equal on all PEs that register in the same order
 * function  int function(void *user, gshmemx_rpc_call_t *call); in messages by this name
 * user      passed on
 * flags     GSHMEMX_RPC_*, or 0: called for each lane, by the thread that serves all calls, which it must not hold up
 *
 * The function may call gshmem's host API for puts, gets and atomics, but nothing collective, and no gshmemx_rpc_call. A C++
 * exception ends the call with -EFAULT and a message. Function and user stay until gshmem_finalize.
 *
 * Callable  host, while no kernel of this process that uses the library is running.
 * Returns   0; or a negative errno after a message: bad flags, or too many functions.
 */
GSHMEM_HOST_API int gshmemi_rpc_register(uint32_t *op, gshmemx_rpc_function_t function, void *user, unsigned flags,
					 const char *name);
#define gshmemx_rpc_register(op, function, user, flags) gshmemi_rpc_register(op, function, user, flags, #function)

/*
 * gshmemx_rpc_call       - call with six words, and wait for the answer, one word.
 * gshmemx_rpc_call_line  - call with eight words, and wait for as many.
 *
 * op    from gshmemx_rpc_register
 * in    words of this lane; may be anywhere
 * out   for the answer; NULL: not wanted (gshmemx_rpc_call alone). Written on success only.
 *
 * Callable  host; kernel, any thread, any lanes of a wave.
 * Returns   0 when the function has returned GSHMEMX_RPC_DONE; else a negative errno.
 * Order     what this thread wrote before is visible to the function; what the function wrote to this thread after.
 */
GSHMEM_API int gshmemx_rpc_call(uint32_t op, const uint64_t in[6], uint64_t *out);
GSHMEM_API int gshmemx_rpc_call_line(uint32_t op, const uint64_t in[8], uint64_t out[8]);

/* Names a posted call: for the lanes that posted together it is the same. */
typedef struct gshmemx_rpc_ticket {
	uint32_t slot;
	uint32_t seq;
} gshmemx_rpc_ticket_t;

/*
 * gshmemx_rpc_post, _post_line  - call, and wait for nothing; the answer is dropped.
 * gshmemx_rpc_test  - whether the call is over: 1, or 0.
 * gshmemx_rpc_wait  - wait until it is.
 *
 * gshmem_quiet and gshmem_fence wait for all that this thread has posted, gshmem_quiet on the host for all that kernels
 * whose end it has seen have posted. A unit that is compiled with GSHMEM_DIRECT_ONLY waits for each call at once.
 *
 * Callable  as gshmemx_rpc_call. A ticket is for kernels of this device, or for the host, as is the thread that posted.
 * Returns   post: when in may be reused. wait: 0, or the error of the whole call while its slot holds no later one.
 *           A ticket can be asked about until its slot has seen 2^29 further calls.
 * Order     posts are served in any order. What was written before a post is visible to the function; after wait, or
 *           a test that gave 1, what the function wrote is visible here.
 */
GSHMEM_API gshmemx_rpc_ticket_t gshmemx_rpc_post(uint32_t op, const uint64_t in[6]);
GSHMEM_API gshmemx_rpc_ticket_t gshmemx_rpc_post_line(uint32_t op, const uint64_t in[8]);
GSHMEM_API int gshmemx_rpc_test(gshmemx_rpc_ticket_t ticket);
GSHMEM_API int gshmemx_rpc_wait(gshmemx_rpc_ticket_t ticket);

/*
 * gshmemx_rpc_stream       - send bytes of any number to the function, and receive as many; each lane its own.
 * gshmemx_rpc_stream_wave  - the same by the lanes that call together, with equal arguments, which share the work.
 *
 * op          of a function with GSHMEMX_RPC_STREAM
 * in          in_nbytes bytes; 0 is allowed
 * out         room for out_nbytes of reply; 0 is allowed
 * got_nbytes  NULL, or where the length of the reply goes
 *
 * The function is called for each step, of as many bytes as a slot's page (64 for each lane of a wave) or, from 16 KiB on,
 * a block of the arena (64 KiB) holds. GSHMEMX_RPC_MORE asks for the next one, empty when the input has ended;
 * GSHMEMX_RPC_DONE ends the stream, whatever input is left.
 *
 * Callable  host; kernel, any thread; _wave: converged lanes of a wave.
 * Returns   0 when the reply is in out; -ENOSPC when it is longer than out_nbytes; else as gshmemx_rpc_call.
 */
GSHMEM_API int gshmemx_rpc_stream(uint32_t op, const void *in, size_t in_nbytes, void *out, size_t out_nbytes,
				  size_t *got_nbytes);
GSHMEM_API int gshmemx_rpc_stream_wave(uint32_t op, const void *in, size_t in_nbytes, void *out, size_t out_nbytes,
				       size_t *got_nbytes);

/*
 * gshmemx_abort - end the job with a status, after a message that names PE, block and thread.
 *
 * Callable  host; kernel, any thread. Does not return.
 */
GSHMEM_API void gshmemx_abort(int status);

/*
 * gshmemx_printf - print to this process's stdout, as C's printf does.
 *
 * In HIP units a template, of gshmem/rpc/rpc_print.h; in others a function like C's. The text is out, in one write, before the
 * call returns, hence before the kernel ends or traps. Lanes print one after the other, in any order.
 *
 * format    all of C's conversions with flags, width, precision and * for either, but for %n; lengths hh h l ll j z t, and
 *           L where kernels have long double. Strings of any length, in any memory that the caller can read. Of an
 *           integer of 64 bits all is printed whatever the length says, but for hh and h. Half and bfloat16 arguments
 *           are to be converted.
 *
 * Callable  host, at any time; kernel, any thread.
 * Returns   the number of bytes printed; or a negative errno: -EINVAL when something in the text is not as asked for,
 *           and stands there as (missing), (not an integer), (not floating-point), (not a pointer), (not a string),
 *           (not a wide string) or (%n is refused), while what is no conversion of C is printed as it is; -EILSEQ when
 *           the locale has no such wide character, (bad character); -EOVERFLOW beyond what an int counts; those of
 *           write and of gshmemx_rpc_call. In C units %n prints nothing, and wrong arguments are undefined.
 * Order     none with what the host prints, but that stdio's buffer goes first. A stdout that is full holds up all calls.
 */
#if !GSHMEMI_KERNELS
__attribute__((format(printf, 1, 2))) GSHMEM_HOST_API int gshmemx_printf(const char *format, ...);
#endif

/*
 * gshmemx_assert - end the job, with status 134, unless the condition holds; a message names PE, block and thread.
 *
 * A macro, which NDEBUG turns into nothing, like C's assert.
 *
 * Callable  host, at any time; kernel, any thread.
 */
#ifdef NDEBUG
#define gshmemx_assert(...) ((void)0)
#else
#define gshmemx_assert(...) ((__VA_ARGS__) ? (void)0 : gshmemi_assert_failed(#__VA_ARGS__, __FILE__, __LINE__))
#endif
GSHMEM_API void gshmemi_assert_failed(const char *text, const char *file, int line);

/*
 * gshmemx_trace - write a mark with a value into the timeline, GSHMEM_TRACE, and into this PE's list of marks, GSHMEM_TRACE.PE; without
 *                 GSHMEM_TRACE nothing.
 * gshmemx_trace_name - the name of a mark in traces.
 *
 * Callable  host; trace also kernel, any thread. trace returns at once; quiet and finalize complete it.
 */
GSHMEM_API void gshmemx_trace(uint32_t mark, uint64_t value);
GSHMEM_HOST_API int gshmemx_trace_name(uint32_t mark, const char *name);

/* ---- channels of one's own: hostrpc's interface ---- */

/* What both sides of a slot see: a line for each lane of the client's wave. */
typedef struct gshmemx_rpc_page {
	struct {
		uint64_t element[8];
	} cacheline[64]; /* as many as the channel has lanes */
} gshmemx_rpc_page_t;

/* For both sides; to kernels it is passed by value. Its fields are the library's. */
typedef struct gshmemi_rpc_channel gshmemx_rpc_channel_t;

/* Flags of gshmemx_rpc_channel_create. */
#define GSHMEMX_RPC_CLEAR         1U /* handle calls clear when the client has used the answer */
#define GSHMEMX_RPC_HOST_CLIENT   2U /* CPU threads call; else kernels of this PE's device */
#define GSHMEMX_RPC_DEVICE_SERVER 4U /* kernels serve; else CPU threads */

/*
 * gshmemx_rpc_channel_create  - a channel that the library does not serve.
 * gshmemx_rpc_channel_stop    - end all its waits: invoke returns false.
 * gshmemx_rpc_channel_destroy - free it, when nobody uses it.
 *
 * nslots    at least as many as waves (or threads) may be in a call at a time, or they may starve one another; 0: as
 *           many waves as fit the device. Rounded up to a multiple of 64.
 * nlanes    of a page: 1, 32 or 64; 0: the device's
 * channel   out
 *
 * In HIP units, on the client's side, by any lanes of a wave or a CPU thread:
 *
 *	bool gshmemx_rpc_invoke(&channel, fill, use)  get a slot, fill(page), post, wait, use(page)
 *	bool gshmemx_rpc_invoke(&channel, fill)       the same without waiting
 *
 * and on the server's, by any number of waves or threads:
 *
 *	bool gshmemx_rpc_handle(&channel, operate, clear)  operate(page) for a call, or clear(page) after its use
 *	bool gshmemx_rpc_handle(&channel, operate)
 *
 * invoke returns false when the channel was stopped before the answer came, handle when there was nothing to do; without
 * waiting, invoke may still find a free slot then. fill, use, operate and clear are called by each lane with a
 * gshmemx_rpc_page_t *; fill and use must not call invoke. Without GSHMEMX_RPC_CLEAR clear is never called.
 *
 * Callable  host, after gshmem_init, before gshmem_finalize.
 * Returns   0, or a negative errno after a message.
 */
GSHMEM_HOST_API int gshmemx_rpc_channel_create(unsigned nslots, unsigned nlanes, unsigned flags,
					       gshmemx_rpc_channel_t *channel);
GSHMEM_HOST_API void gshmemx_rpc_channel_stop(const gshmemx_rpc_channel_t *channel);
GSHMEM_HOST_API void gshmemx_rpc_channel_destroy(gshmemx_rpc_channel_t *channel);

/* ---- teams ---------------------------------------------------------------------------------------------------- */

#define GSHMEMX_TEAM_NODE ((gshmem_team_t)3) /* the PEs of this node */

/* ---- memory --------------------------------------------------------------------------------------------------- */

/* The symmetric heap of this PE; all PEs have the same. All in bytes but nallocations. */
struct gshmemx_heap_usage {
	size_t total;
	size_t used;          /* by allocations, with their rounding */
	size_t requested;     /* what was asked for */
	size_t free;
	size_t largest_free;  /* the largest gshmem_malloc that would succeed */
	size_t nallocations;
};

/* gshmemx_heap_stats - fill *usage. Callable host. Returns 0 or a negative errno. */
GSHMEM_HOST_API int gshmemx_heap_stats(struct gshmemx_heap_usage *usage);

/*
 * gshmemx_peer_bases - where the symmetric heap of each PE is in this process, for kernels that access peers by
 * loads and stores of their own.
 *
 * bases  receives gshmem_n_pes() addresses; any memory of the host or of a GPU that HIP can copy to
 *
 * All heaps are laid out alike: an object whose address is x on this PE is bases[pe] + (x - bases[my_pe]) on PE pe,
 * counted in bytes. bases[pe] is NULL where the heap of pe is not mapped here. The addresses are valid until
 * gshmem_finalize. As with gshmem_ptr, such accesses are not the library's: see there.
 *
 * Callable  host.
 * Returns   0 when the addresses are in bases; or a negative errno after a message: -EINVAL for NULL, before init or
 *           after finalize; -EIO when HIP cannot copy to bases.
 */
GSHMEM_HOST_API int gshmemx_peer_bases(void **bases);

/* ---- 16-bit floating point: as the gshmem_ calls of the same name ----------------------------------------------- */

#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmemx_##NAME##_put(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_p(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API TYPE gshmemx_##NAME##_g(const TYPE *source, int pe);
GSHMEMX_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/* ---- put, get and put_signal by a wave or work-group ------------------------------------------------------------ */

#define GSHMEMI_DECLARE_SCOPE(NAME, TYPE, SCOPE) \
	GSHMEM_API void gshmemx_##NAME##_put_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_nbi_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get_nbi_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_iput_##SCOPE(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
						      size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_iget_##SCOPE(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
						      size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_ibput_##SCOPE(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
						       size_t bsize, size_t nblocks, int pe); \
	GSHMEM_API void gshmemx_##NAME##_ibget_##SCOPE(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
						       size_t bsize, size_t nblocks, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_signal_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, \
							    uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_signal_nbi_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, \
								uint64_t *sig_addr, uint64_t signal, int sig_op, \
								int pe);
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
	GSHMEM_API void gshmemx_put##SIZE##_nbi_##SCOPE(void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_get##SIZE##_nbi_##SCOPE(void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_put##SIZE##_signal_##SCOPE(void *dest, const void *source, size_t nelems, \
							   uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmemx_put##SIZE##_signal_nbi_##SCOPE(void *dest, const void *source, size_t nelems, \
							       uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
#define GSHMEMI_DECLARE_STRIDES(SIZE, SCOPE) \
	GSHMEM_API void gshmemx_iput##SIZE##_##SCOPE(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
						     size_t nelems, int pe); \
	GSHMEM_API void gshmemx_iget##SIZE##_##SCOPE(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
						     size_t nelems, int pe); \
	GSHMEM_API void gshmemx_ibput##SIZE##_##SCOPE(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
						      size_t bsize, size_t nblocks, int pe); \
	GSHMEM_API void gshmemx_ibget##SIZE##_##SCOPE(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
						      size_t bsize, size_t nblocks, int pe);
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

/* ---- with a context: gshmemx_ctx_TYPENAME_put_wave and so on, as gshmem_ctx_TYPENAME_put ---------------------------- */

#define GSHMEMI_V(PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API void PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe);
#define GSHMEMI_R(TYPE, PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API TYPE PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe);
GSHMEMI_CTX_EXTENSIONS
#undef GSHMEMI_V
#undef GSHMEMI_R

/* ---- barrier, wait and order by a wave or work-group ------------------------------------------------------------ */

/*
 * gshmemx_barrier_all_SCOPE  completes the operations of every thread of the group, then waits for all PEs
 * gshmemx_sync_all_SCOPE     waits for all PEs
 * gshmemx_team_sync_SCOPE    waits for the PEs of a team; returns as gshmem_team_sync
 * gshmemx_fence_SCOPE        what any thread of the group did before arrives before what any does after
 * gshmemx_quiet_SCOPE        what any thread of the group did before has arrived
 */
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

/* gshmemx_TYPENAME_wait_until_SCOPE: one lane polls for the group; after, every thread sees what was ordered before. */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmemx_##NAME##_wait_until_wave(TYPE *ivar, int cmp, TYPE cmp_value); \
	GSHMEM_API void gshmemx_##NAME##_wait_until_wg(TYPE *ivar, int cmp, TYPE cmp_value);
GSHMEM_WAIT_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_API uint64_t gshmemx_signal_wait_until_wave(uint64_t *sig_addr, int cmp, uint64_t cmp_value);
GSHMEM_API uint64_t gshmemx_signal_wait_until_wg(uint64_t *sig_addr, int cmp, uint64_t cmp_value);

/* ---- collectives ---------------------------------------------------------------------------------------------- */

/*
 * Declared with the others in gshmem.h, by the same rules:
 *
 * int gshmemx_TYPENAME_alltoallv(gshmem_team_t team, TYPE *dest, const size_t *dest_nelems, const size_t *dest_displs,
 *				  const TYPE *source, const size_t *source_nelems, const size_t *source_displs)
 *	source_nelems[j] elements from source + source_displs[j] to dest + dest_displs[i] of PE j, which has them in
 *	dest_nelems[i]; arrays of one number for each PE, in elements
 * int gshmemx_TYPENAME_OP_reduce_scatter(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nreduce)
 *	dest[k] = source[i * nreduce + k] of PE 0 OP ..., for PE i; source has npes * nreduce elements
 *
 * alltoallv's arrays are the caller's own, in memory that it can read; dest and source are symmetric.
 *
 * TYPENAME half and bfloat16: the collectives of gshmem.h with this prefix, as in gshmemx_half_sum_reduce, but for and, or,
 * xor. Each single sum or product, in the order of the PEs, is rounded to the 16 bits, to nearest with ties to even; a NaN
 * that is computed is 0x7e00, of bfloat16 0x7fc0. So the bits are the same on all PEs and platforms, by all scopes and for
 * all lengths, unless a unit is compiled to flush small floats to 0 (-ffast-math, -ftz=true), which bfloat16 shows.
 *
 * The scopes: all threads of the group call with the same arguments, and share the work.
 */
#if !GSHMEMI_KERNELS
#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) GSHMEM_API int gshmemx_##NAME PARAMETERS;
GSHMEMI_COLL_SHORT_CALLS
#undef GSHMEMI_F
#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) \
	GSHMEM_API int gshmemx_##NAME##_wave PARAMETERS; \
	GSHMEM_API int gshmemx_##NAME##_wg PARAMETERS;
GSHMEMI_COLL_CALLS
GSHMEMI_COLL_SHORT_CALLS
GSHMEMI_COLL_LONG_DOUBLE_CALLS
#undef GSHMEMI_F
#endif

/* ---- calls on a stream ------------------------------------------------------------------------------------------- */

/*
 * Each starts when the stream's earlier work is done, and the stream's later work starts when it is: when put and signals have
 * arrived, when what is waited for has come, when a barrier or collective is over. The call itself returns at once. PEs
 * call the collectives of a team in the same order, whatever their streams; two of one team may not run at a time, those of
 * two teams may. Waits and collectives occupy a work-group of the device; a stream that waits for another PE's work, which
 * waits for this device to become free, waits for ever.
 *
 * stream  a hipStream_t; NULL: the default stream
 * the rest as in the call without _on_stream. Arrays of alltoallv must be readable by kernels until the call is done
 *
 * gshmemx_quiet_on_stream        completes what kernels, and calls, of the stream have done before
 * gshmemx_barrier_all_on_stream  the same, then waits for all PEs
 * gshmemx_signal_op_on_stream    sets, or adds to, a signal on pe
 *
 * Reductions of long double have no such form: a GPU cannot compute them.
 *
 * A stream that captures (hipStreamBeginCapture) takes each of these calls into its graph. Each launch of the graph then makes the
 * call anew, with the arguments that it was captured with, and counts as a call of its PE in the order of the stream: the PEs launch
 * graphs with collectives, and make such calls directly, in the same order. What the arguments name must stay until the last launch
 * is done.
 *
 * Callable  host.
 * Returns   0, or a negative errno after a message; -EINVAL, without one, for GSHMEM_TEAM_INVALID; -ENOTSUP for a quiet or
 *           barrier_all that is captured where HIP has no hipLaunchHostFunc (ROCm 5.2): the capture goes on without the call.
 */
#define GSHMEMI_DECLARE_MOVES(NAME, TYPE, MEM) \
	GSHMEM_HOST_API int gshmemx_##NAME##put##MEM##_on_stream(TYPE *dest, const TYPE *source, size_t nelems, int pe, \
								 void *stream); \
	GSHMEM_HOST_API int gshmemx_##NAME##get##MEM##_on_stream(TYPE *dest, const TYPE *source, size_t nelems, int pe, \
								 void *stream); \
	GSHMEM_HOST_API int gshmemx_##NAME##put##MEM##_signal_on_stream(TYPE *dest, const TYPE *source, size_t nelems, \
									uint64_t *sig_addr, uint64_t signal, int sig_op, \
									int pe, void *stream);
#define GSHMEMI_DECLARE(NAME, TYPE) GSHMEMI_DECLARE_MOVES(NAME##_, TYPE, )
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
GSHMEMX_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEMI_DECLARE_MOVES(, void, mem)
#undef GSHMEMI_DECLARE_MOVES
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_HOST_API int gshmemx_##NAME##_wait_until_on_stream(TYPE *ivar, int cmp, TYPE cmp_value, void *stream);
GSHMEM_WAIT_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_HOST_API int gshmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t cmp_value, void *stream);
GSHMEM_HOST_API int gshmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, void *stream);
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
