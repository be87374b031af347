/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device state: the one table that a kernel reads to reach its peers.
 *
 * Each HIP unit has its own copy in constant memory, so that no device code is ever linked across units. A
 * copy starts with sentinels; a constructor tells the library where it is; init fills it. With a copy that
 * nobody filled a kernel ends at its first query, or at its first call that names a PE or waits. The cpu
 * platform prints why. A GPU traps, and HIP reports that in its own words (docs/launch.md): an unfilled copy
 * has no fault record to write to.
 *
 * src/device/state.c owns the contents; kernels only read them.
 */
#ifndef GSHMEM_STATE_H
#define GSHMEM_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <gshmem/arch/arch.h>
#include <gshmem/state/op_record.h>
#include <gshmem/state/rpc_channel.h>

/*
 * Entries of each table of the direct path: a power of two. Each entry takes 3 x 8 bytes of 64 KiB
 * of constant memory.
 */
#ifndef GSHMEM_MAX_PES
#define GSHMEM_MAX_PES 512
#endif

/* Goes up by 1 when the layout below or its meaning changes, or a library function that our headers call. */
#define GSHMEMI_ABI             24
#define GSHMEMI_ABI_DIRECT_ONLY 0x80000000U

/*
 * A table entry that is no distance. The parts of a region are aligned alike, so every real distance is even.
 * The value is an inline constant in all instruction sets concerned.
 */
#define GSHMEMI_SENTINEL ((ptrdiff_t)1)

/* Reasons to take the slow path: bits of gshmemi_state.why. */
#define GSHMEMI_WHY_UNSET    1U  /* nobody filled this copy */
#define GSHMEMI_WHY_CHECK    2U  /* GSHMEM_CHECK: arguments are checked */
#define GSHMEMI_WHY_DELIVERY 4U  /* GSHMEM_CPU_DELIVERY: puts arrive late */
#define GSHMEMI_WHY_PEERS    8U  /* some PEs have no entry in a table; the others stay direct */
#define GSHMEMI_WHY_POSTS    16U /* kernels may have posted calls, which quiet completes */
#define GSHMEMI_WHY_CARRY    32U /* GSHMEM_CARRY: a carrier performs operations on some PEs */
#define GSHMEMI_WHY_NET      64U /* some PEs themselves perform operations on their memory, over the net */
/*
 * A PE performs some operations on its memory, and this PE others directly: to order the two is
 * to complete them.
 */
#define GSHMEMI_WHY_MIXED    128U
#define GSHMEMI_WHY_MAIL     256U /* there is a mailbox, which kernels serve */
#define GSHMEMI_WHY_NODES    512U /* PEs are on several nodes: barriers and collectives go by nodes */
/*
 * A request to an owner may be open. The only bit that changes while kernels run, and only where the CPU can
 * write to the units' states; elsewhere GSHMEMI_WHY_NET stands for it (GSHMEMI_WHY_OPEN).
 */
#define GSHMEMI_WHY_ASKED    1024U
#define GSHMEMI_WHY_STATS    2048U /* GSHMEM_STATS: operations are counted */
#define GSHMEMI_WHY_TRACE    4096U /* GSHMEM_TRACE: calls and waits are recorded */

/*
 * What the direct path reads: the distance from this PE's memory to that of each PE. Entry i is for PE first
 * + i (gshmemi_peer_entry). GSHMEMI_SENTINEL sends the call to the slow path; the last entry always holds it,
 * and serves all PEs outside of the table.
 */
struct gshmemi_direct {
	uint32_t bias; /* -8 * first; first is the PE of the world with entry 0 */
	uint32_t pad;
	ptrdiff_t delta[GSHMEM_MAX_PES];      /* the heap */
	ptrdiff_t sync_delta[GSHMEM_MAX_PES]; /* struct gshmemi_sync */
	ptrdiff_t amo_delta[GSHMEM_MAX_PES];  /* the heap, for atomics */
};

/*
 * Each PE has one part of a region. Operations name a place in a region by number and offset, alike
 * on all PEs.
 */
enum gshmemi_region_number {
	GSHMEMI_REGION_HEAP,
	GSHMEMI_REGION_SYNC,    /* sync blocks, the stages behind them, and control blocks of windows */
	GSHMEMI_REGION_CONTROL, /* the windows' control blocks again, with the distances for atomics */
	GSHMEMI_REGION_GLOBALS, /* variables of a program of OpenSHMEM, at the heap's distances */
	GSHMEMI_NFIXED,         /* from here on windows, by their places */
	GSHMEMI_NREGIONS = 1024
};

/*
 * A region as the slow path and the host see it. Entry i of a table is the distance to the region of peer i
 * (gshmemi_state.peers), or GSHMEMI_SENTINEL: it is not mapped, or, for atomics, has no native ones.
 */
struct gshmemi_region {
	char *base; /* of this PE's part; with 0 bytes no memory: offsets count from it */
	uint64_t nbytes;
	const ptrdiff_t *delta;     /* [npeers]; NULL: the region never existed */
	const ptrdiff_t *amo_delta; /* likewise, for atomics */
};

/*
 * What the direct path reads of the other regions, in device memory; the entries are those
 * of struct gshmemi_direct.
 */
struct gshmemi_table {
	ptrdiff_t delta[GSHMEM_MAX_PES];
	ptrdiff_t amo_delta[GSHMEM_MAX_PES];
};

/*
 * Entry of gshmemi_state.peers: twice the PE's index among the PEs of this machine; -1: it is
 * on another machine.
 */
#define GSHMEMI_PEER_CARRIED 1 /* added: a carrier performs operations on this PE, mapped or not */

/*
 * A sync block: fine-grained memory that the library polls. Each PE has one for each team; the world's is the
 * first. Each word has one writer at a time.
 *
 * Barriers are k-ary dissemination (Hensgen, Finkel, Manber 1988, with k partners a round): in round r a PE
 * tells the next k-1 PEs of the team, at distances i * k^r, that it has arrived, and waits for the k-1 PEs
 * before it. Counters only grow while the team exists, so nothing is ever reset. A barrier may carry words
 * beside its flags. They are double-buffered by epoch parity, because a PE may be in the next barrier while
 * another still reads the words of this one. In a team on several nodes the PEs of each node meet first, then
 * the first PEs of all nodes, then the PEs of each node again.
 */
#define GSHMEMI_SYNC_RADIX  16
/* 4 for 16^4 PEs (GSHMEMI_NPES_LIMIT), and by nodes 2 more among up to 16 PEs of a node */
#define GSHMEMI_SYNC_ROUNDS 6
#define GSHMEMI_SYNC_WORDS  2
struct gshmemi_sync {
	uint64_t epoch;         /* barriers that this PE has entered; written by this PE */
	uint64_t handle;        /* of the team, as an integer; 0: no team. The host writes from here on */
	const int32_t *members; /* [npes]: PEs of the world; NULL: member i is start + i * stride */
	int32_t my_pe;          /* in the team */
	int32_t npes;
	int32_t start;
	int32_t stride;
	uint64_t phase; /* of the last collective: coll_phase.h. This PE writes it and ll_epoch */
	uint64_t ll_epoch;
	uint64_t claim;    /* GSHMEM_CHECK: caller in a collective: 1 + work-group; UINT64_MAX: host; 0 */
	uint64_t *stage;   /* this PE's part of the team's stage: flags, then packets */
	uint32_t nflags;   /* words of the stage in front of the packets */
	uint32_t npackets; /* from one PE at each parity */
	const struct gshmemi_team_nodes *nodes; /* NULL: the team's PEs are on one node */
	char *scratch;        /* this PE's: parts of reductions are put here; NULL: got instead */
	uint64_t nwaves_came; /* of the waves that make a call together; this PE writes it and nwave_calls */
	uint64_t nwave_calls; /* such calls that have ended */
	uint64_t pad[2];
	/* [r][i]: epoch of the PE i * k^r before this one */
	uint64_t flag[GSHMEMI_SYNC_ROUNDS][GSHMEMI_SYNC_RADIX];
	/* [epoch & 1][r][i]: its words */
	uint64_t word[2][GSHMEMI_SYNC_ROUNDS][GSHMEMI_SYNC_RADIX][GSHMEMI_SYNC_WORDS];
};

/*
 * The nodes of a team whose PEs are on several: host-pinned memory, written by the host. Nodes are numbered
 * in the order of their first PEs in the team.
 */
struct gshmemi_team_nodes {
	int32_t nnodes; /* that have PEs of the team */
	int32_t my_node;
	int32_t nlocal;   /* PEs of the team on this node */
	int32_t my_local; /* number of this PE among them; 0: it is the node's first */
	int32_t row[3];   /* row of flags in which each part of a barrier begins; -1: no room for them */
	int32_t pad;
	const int32_t *locals;  /* [nlocal]: PEs of the world on this node */
	const int32_t *leaders; /* [nnodes]: the first PE of each node, as a PE of the world */
	const int32_t *begin;   /* [nnodes + 1]: node i has order[begin[i]] to order[begin[i + 1] - 1] */
	const int32_t *order;   /* [npes]: PEs of the team, by nodes */
};

/*
 * Scratch of reductions, behind the stages. Only the teams at the first places have it: one piece each,
 * whatever their size. Its first bytes are for messages that go to everybody whole.
 */
#define GSHMEMI_SCRATCH_NBYTES      ((size_t)1 << 20)
#define GSHMEMI_SCRATCH_ONCE_NBYTES ((size_t)128 << 10)
#define GSHMEMI_SCRATCH_NPLACES     16

/*
 * The stage of a team, also at sync_delta: what its collectives poll, and where small messages pass through.
 *
 *   uint64_t flag[nflags]                [i]: the last phase that PE i of the team has published here
 *                                        (coll_phase.h)
 *   uint64_t packet[2][npes][npackets]   [parity][i]: from PE i, 4 bytes of data and the epoch's tag above
 *                                        them
 *
 * Stages are pieces of one pool behind the sync blocks. A team takes a piece for each GSHMEMI_STAGE_NPES PEs
 * or fewer: it has a flag for each of them, and room for packets with at least 16 bytes from each.
 */
#define GSHMEMI_STAGE_LINE     128
#define GSHMEMI_STAGE_NPES     256
#define GSHMEMI_STAGE_NPACKETS 2048
#define GSHMEMI_STAGE_NBYTES   ((GSHMEMI_STAGE_NPES + GSHMEMI_STAGE_NPACKETS) * 8)

/*
 * A context, for calls whose handle alone does not tell the PE (order/context.h). Host-pinned, written
 * by the host.
 */
struct gshmemi_context {
	uint64_t handle;        /* as an integer; 0: no context is here */
	const int32_t *members; /* of its team, as in struct gshmemi_sync */
	int32_t npes;
	int32_t start;
	int32_t stride;
	int32_t pad;
};

/* The variables of a program of OpenSHMEM; nbytes 0: they are not symmetric. */
struct gshmemi_globals {
	char *base;
	uint64_t nbytes;
};

/* What went wrong in a kernel. The order is that of the texts in src/end/fault.c. */
enum gshmemi_fault_kind {
	GSHMEMI_FAULT_NONE,
	GSHMEMI_FAULT_NOT_INITIALIZED,   /* this copy of the state was never filled */
	GSHMEMI_FAULT_BAD_PE,            /* pe: the number; found: the number of PEs */
	GSHMEMI_FAULT_NULL,              /* address */
	GSHMEMI_FAULT_MISALIGNED,        /* address; expected: the alignment */
	GSHMEMI_FAULT_OUTSIDE_HEAP,      /* address, nbytes */
	GSHMEMI_FAULT_NOT_ALLOCATED,     /* address, nbytes: in the heap, but in no allocation */
	GSHMEMI_FAULT_BEYOND_ALLOCATION, /* address, nbytes; expected: bytes to the allocation's end */
	GSHMEMI_FAULT_UNREACHABLE,       /* pe: its memory is not mapped here */
	GSHMEMI_FAULT_NO_ATOMICS,        /* pe: it is not mapped, or mapped without native atomics */
	GSHMEMI_FAULT_BAD_ARGUMENT,      /* found: the value of a bad operator or stride */
	GSHMEMI_FAULT_BAD_TEAM,          /* found: the handle, as an integer */
	GSHMEMI_FAULT_BAD_CONTEXT,       /* likewise */
	GSHMEMI_FAULT_OVERLAP,           /* address, nbytes: dest of a collective that overlaps its source */
	GSHMEMI_FAULT_UNEQUAL,           /* PEs called different collectives, or with different arguments */
	GSHMEMI_FAULT_MISSING_THREADS,   /* found: GSHMEMI_ARCH_COUNT_WORD in the call; expected: all */
	GSHMEMI_FAULT_UNEQUAL_THREADS, /* nbytes: enum gshmemi_argument; found: mine; expected: the first's */
	GSHMEMI_FAULT_UNEQUAL_WAVE,    /* found: enum gshmemi_argument that differs within the wave */
	GSHMEMI_FAULT_CONCURRENT,      /* found: claim of struct gshmemi_sync: the other caller */
	GSHMEMI_FAULT_NOT_LOCKED,      /* address: of a lock that is free; found: its word */
	GSHMEMI_FAULT_BAD_WINDOW,      /* found: the handle */
	GSHMEMI_FAULT_OUTSIDE_WINDOW,  /* address: displacement in bytes, nbytes; expected: bytes on pe */
	GSHMEMI_FAULT_WRONG_EPOCH,     /* found: enum gshmemi_win_state; pe: the target, or -1 */
	GSHMEMI_FAULT_SEPARATE_WINDOW, /* a wait in a kernel on a window of the separate model */
	GSHMEMI_FAULT_WAITING,         /* as GSHMEMI_FAULT_WATCHDOG, from a wait that was asked */
	GSHMEMI_FAULT_WATCHDOG, /* a warning: address, found, expected, nbytes, cmp; pe: whose, or -1 */
	GSHMEMI_FAULT_POISONED  /* the job is ending; the watcher has said why */
};

/*
 * Arguments that all threads of a group must pass alike, in sets of four, in the order of the
 * names in src/end/fault.c.
 */
enum gshmemi_argument {
	GSHMEMI_ARGS_MOVE = 0,   /* dest, source, nelems in bytes, pe */
	GSHMEMI_ARGS_SIGNAL = 4, /* sig_addr, dest with pe (already compared), signal, sig_op */
	GSHMEMI_ARGS_STRIDE = 8, /* dst, sst, bsize, nblocks */
	GSHMEMI_ARGS_COLL = 12,  /* dest, source, nelems, root */
	GSHMEMI_ARGS_TEAM = 16,  /* team */
	GSHMEMI_ARGS_WAIT = 20   /* ivar, none, cmp, cmp_value */
};

/*
 * The fault record: host-pinned memory, one per PE. A thread claims it (state 0 -> 1), fills it and publishes
 * it (2); the watcher prints it and ends the job, or, for a warning, frees it again (0).
 */
struct gshmemi_fault {
	uint32_t state;   /* by the thread 1 claimed, 2 complete; by the watcher 3 printed, 0 free */
	uint32_t kind;    /* enum gshmemi_fault_kind */
	int32_t pe;       /* the PE of the call's argument, or the one waited for; -1: none */
	uint32_t thread;  /* GSHMEMI_ARCH_THREAD_WORD: rank in the work-group, or lane of the wave */
	uint64_t block;   /* work-group in the grid */
	uint64_t on_host; /* the CPU made the call; a fault that stops a kernel leaves it alone */
	uint64_t address;
	uint64_t nbytes;
	uint64_t found;
	uint64_t expected;
	int32_t cmp;          /* GSHMEM_CMP_*, for a wait */
	uint32_t wants_waits; /* by the watcher. Not 0: waits report themselves until it has heard all */
	uint64_t waited_ns;
	char call[64]; /* name of the call */
};

/*
 * The attention word, host-pinned: one load tells a waiting kernel that the job is ending, or that there is
 * mail. The CPU writes the lower half, kernels the upper half. Each counts mails in twos; they are equal
 * while no mail is open.
 */
#define GSHMEMI_ATTENTION_END 1U /* of the lower half: the job is ending, stop waiting */
struct gshmemi_attention {
	uint32_t posted; /* mails since init, and GSHMEMI_ATTENTION_END */
	uint32_t done;   /* mails performed; written by the holder of the mailbox's lock */
};

/*
 * The mailbox: requests, of PEs that have not mapped this device's memory, for operations on it. The
 * processes of the device share the mailbox and post to it; kernels on the device perform the requests, one
 * wave at a time (wait/mail.h). Host-pinned memory; mail i is in slot i % GSHMEMI_MAIL_SLOTS.
 */
#ifndef GSHMEMI_MAIL_SLOTS /* a test has fewer */
#define GSHMEMI_MAIL_SLOTS 128U
#endif
/* most bytes of a put; those of a put of 1, 2, 4 or 8 bytes are in the record */
#define GSHMEMI_MAIL_NBYTES 4096U

struct gshmemi_mailbox {
	struct gshmemi_attention attention;
	uint64_t pad[15];
	uint64_t reply[GSHMEMI_MAIL_SLOTS];                  /* written by kernels, as done is */
	struct gshmemi_op_record record[GSHMEMI_MAIL_SLOTS]; /* by the host, before it counts in posted */
	char data[GSHMEMI_MAIL_SLOTS][GSHMEMI_MAIL_NBYTES];  /* likewise */
};

/* Local memory that the program has registered. A place without bytes is empty; those in use are below n. */
#define GSHMEMI_MAX_BUFFERS 64
struct gshmemi_buffers {
	uint64_t n;
	struct gshmemi_buffer {
		uint64_t base, nbytes;
	} buffer[GSHMEMI_MAX_BUFFERS];
};

struct gshmemi_state {
	int32_t my_pe; /* -1 before init. One load reads this and npes: gshmemi_my_place */
	int32_t npes;  /* 0 before init */
	uint32_t why;  /* GSHMEMI_WHY_*; 0: every call goes the direct way */
	uint32_t abi;  /* GSHMEMI_ABI, and GSHMEMI_ABI_DIRECT_ONLY: of a module */
	char *heap;    /* this PE's symmetric heap */
	uint64_t heap_nbytes;
	struct gshmemi_sync *sync; /* [nteams] this PE's, one for each place of a team */
	uint64_t nteams;
	const struct gshmemi_context *contexts;
	uint64_t ncontexts;
	struct gshmemi_fault *fault; /* host-pinned */
	const struct gshmemi_attention *attention;
	struct gshmemi_mailbox *mailbox;      /* NULL: none; else it holds attention */
	uint32_t *mail_lock;                  /* device memory: mails taken, in twos, plus 1 while held */
	void *sink;                           /* host-pinned, 8 bytes that nobody reads: gshmemi_slow_p */
	const struct gshmemi_region *regions; /* [GSHMEMI_NREGIONS], host-pinned */
	const int32_t *peers;                 /* [npes], host-pinned: GSHMEMI_PEER_CARRIED */
	const struct gshmemi_table *const *tables; /* [GSHMEMI_NREGIONS], device memory; NULL: no region */
	const struct gshmemi_win *windows;         /* [place], device memory: state/window.h */
	const uint64_t *allocation_end; /* device memory, GSHMEM_CHECK: end of a granule's allocation, or 0 */
	const struct gshmemi_buffers *buffers; /* host-pinned */
	struct gshmemi_count *counts;          /* GSHMEM_STATS: of kernels, device memory: move/count.h */
	struct gshmemi_trace *trace;           /* GSHMEM_TRACE: of kernels, device memory: state/trace.h */
	uint64_t watchdog_ns;                  /* a wait that lasts longer is reported; 0: never */
	struct gshmemi_rpc_channel rpc;        /* to the CPU; nslots 0: none */
	struct gshmemi_direct direct;
};

/* Bytes of heap for each entry of allocation_end; also the least alignment of an allocation. */
#define GSHMEMI_GRANULE 128

/* What a HIP unit tells the library about its copy of the state. Static storage of the unit. */
struct gshmemi_state_copy {
	uint32_t abi;     /* GSHMEMI_ABI */
	uint32_t max_pes; /* GSHMEM_MAX_PES */
	uint64_t state_nbytes;
	/*
	 * Finds the copy on the current device; returns a hipError_t. The unit asks its own runtime: a
	 * runtime that is linked into the program (nvcc's default) is not the library's, and only it knows
	 * the unit's symbols. Constructors must not call this: they run before the runtime knows the symbols.
	 */
	int (*locate)(void **address_p);
	const char *platform;            /* GSHMEMI_ARCH_NAME */
	const char *file;                /* the unit's name, for messages */
	int32_t direct_only;             /* built with GSHMEM_DIRECT_ONLY */
	int32_t uploaded;                /* owned by the library */
	struct gshmemi_state_copy *next; /* owned by the library */
	void *state;                     /* owned by the library: where the copy is, while uploaded is set */
	/* With GSHMEMI_ARCH_LOADS_LAZILY: loads all kernels of the unit now; *nkernels_p says how many. */
	int (*load)(unsigned *nkernels_p);
};

#endif /* GSHMEM_STATE_H */
