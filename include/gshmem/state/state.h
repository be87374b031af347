/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device state: the one table that a kernel reads to reach its peers.
 *
 * Each HIP unit has a copy of its own in constant memory, so that no device code is ever linked across units. A copy
 * starts as sentinels; a constructor tells the library where it is; the library fills it in init. A kernel that runs with a
 * copy that nobody filled ends at its first query, or at the sentinel of its first call that names a PE or waits. The cpu
 * platform says why. A GPU has nowhere to write the reason, because a copy that nobody filled knows of no fault record: it
 * traps, and HIP reports that in its own words (docs/launch.md).
 *
 * The owner of the contents is src/device/state.c; kernels only read.
 */
#ifndef GSHMEM_STATE_H
#define GSHMEM_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <gshmem/arch/arch.h>
#include <gshmem/state/rpc_channel.h>

/* Entries of the tables that the direct path reads: a power of two, 3 x 8 bytes each of the 64 KiB of constant memory. */
#ifndef GSHMEM_MAX_PES
#define GSHMEM_MAX_PES 512
#endif

/* Counts up when the layout below, or its meaning, changes. */
#define GSHMEMI_ABI 15
#define GSHMEMI_ABI_DIRECT_ONLY 0x80000000U

/*
 * A table entry that is no distance. The parts of a region are aligned alike, so that every real distance is even. An inline constant
 * of all instruction sets in question.
 */
#define GSHMEMI_SENTINEL ((ptrdiff_t)1)

/* The reasons for the slow path: bits of gshmemi_state.slow. */
#define GSHMEMI_SLOW_UNSET    1U  /* nobody filled this copy */
#define GSHMEMI_SLOW_CHECK    2U  /* GSHMEM_CHECK: arguments are checked */
#define GSHMEMI_SLOW_DELIVERY 4U  /* GSHMEM_CPU_DELIVERY: puts arrive late */
#define GSHMEMI_SLOW_PEERS    8U  /* some peers have no entry in a table; the others stay direct */
#define GSHMEMI_SLOW_POSTS    16U /* there is something that kernels may post, for quiet to complete */
#define GSHMEMI_SLOW_CARRY    32U /* GSHMEM_CARRY: operations to some PEs are performed by a carrier */
#define GSHMEMI_SLOW_NET      64U /* operations to some PEs are performed by their owners */
#define GSHMEMI_SLOW_MIXED    128U /* and others to the same PEs are not: an order between both is a completion */
#define GSHMEMI_SLOW_MAIL     256U /* there is a mailbox, which kernels serve */
#define GSHMEMI_SLOW_NODES    512U /* PEs are on several nodes: barriers and collectives go by nodes */
/*
 * Of what owners are asked for, something may be open. The one bit that changes while kernels run, and where the
 * CPU reaches the units' states alone; elsewhere GSHMEMI_SLOW_NET stands for it (GSHMEMI_SLOW_OPEN).
 */
#define GSHMEMI_SLOW_ASKED    1024U
#define GSHMEMI_SLOW_STATS    2048U /* GSHMEM_STATS: operations are counted */
#define GSHMEMI_SLOW_TRACE    4096U /* GSHMEM_TRACE: calls and waits are recorded */

/*
 * What the direct path reads: how far the memory of a PE lies from this PE's. Entry i is that of PE first + i
 * (gshmemi_peer_entry); GSHMEMI_SENTINEL sends the call to the slow path. The last entry always does, and serves all PEs outside.
 */
struct gshmemi_direct {
	uint32_t bias;                        /* minus 8 times first, the PE of the world that has entry 0: gshmemi_peer_entry */
	uint32_t pad;
	ptrdiff_t delta[GSHMEM_MAX_PES];      /* the heap */
	ptrdiff_t sync_delta[GSHMEM_MAX_PES]; /* struct gshmemi_sync */
	ptrdiff_t amo_delta[GSHMEM_MAX_PES];  /* the heap, for atomics */
};

/* Memory that each PE has one of. An operation names it by its number and an offset, which mean the same to all PEs. */
enum gshmemi_region_number {
	GSHMEMI_REGION_HEAP,
	GSHMEMI_REGION_SYNC,    /* struct gshmemi_sync, the stages behind them, and struct gshmemi_win_control */
	GSHMEMI_REGION_CONTROL, /* the last of these once more: their words are updated by atomics, where the PE's device has them */
	GSHMEMI_REGION_GLOBALS, /* of a program of OpenSHMEM; as far from this PE's as the heap */
	GSHMEMI_NFIXED,         /* from here on those of windows, by their places */
	GSHMEMI_NREGIONS = 1024
};

/*
 * A region as the slow path and the host see it. Entry i of a table is the distance to that of peer i, gshmemi_state.peers;
 * GSHMEMI_SENTINEL where it is not mapped, and for atomics where mapped memory has no native ones.
 */
struct gshmemi_region {
	char *base;                 /* of this PE's; with 0 bytes what places are counted from, and no memory */
	uint64_t nbytes;
	const ptrdiff_t *delta;     /* [npeers]; NULL: there has been no such region */
	const ptrdiff_t *amo_delta; /* likewise, for atomics */
};

/* What the direct path reads of the other regions: as struct gshmemi_direct has it, in device memory. */
struct gshmemi_table {
	ptrdiff_t delta[GSHMEM_MAX_PES];
	ptrdiff_t amo_delta[GSHMEM_MAX_PES];
};

/* Entry of gshmemi_state.peers: the PE's index among the PEs of this machine, twice; -1: it is on another one. */
#define GSHMEMI_PEER_CARRIED 1 /* added: a carrier performs what is asked of it, although it may be mapped */

/*
 * Memory that the library itself polls, fine-grained: on each PE one for each team, of which the world is the first. Each
 * word has one writer at a time. Barriers are k-ary dissemination: in round r a PE tells the next k-1 PEs of the team,
 * at distances i * k^r, that it has arrived, and waits for the k-1 before it. Counters only grow while the team is there,
 * so nothing is ever reset. Words may travel with the flags; two sets of them take turns, because a PE may be in the
 * next barrier while another still reads what came with this one. Where a team has PEs on several nodes, those of a node do so among
 * themselves, then the first ones of all nodes, then those of a node again.
 */
#define GSHMEMI_SYNC_RADIX  16
#define GSHMEMI_SYNC_ROUNDS 6 /* 16^4 PEs, GSHMEMI_NPES_LIMIT; and by nodes two among up to 16 PEs of each */
#define GSHMEMI_SYNC_WORDS  2
struct gshmemi_sync {
	uint64_t epoch;      /* barriers that this PE has entered; written by this PE */
	uint64_t handle;     /* of the team: an integer; 0: there is none. This and what follows, by the host */
	const int32_t *members; /* [npes]: PEs of the world; NULL: member i is start + i * stride */
	int32_t my_pe;       /* in the team */
	int32_t npes;
	int32_t start;
	int32_t stride;
	uint64_t phase;      /* of the team's last collective; written by this PE, as is the next; see coll_phase.h */
	uint64_t ll_epoch;
	uint64_t claim;      /* GSHMEM_CHECK: who is in a collective of this PE, 1 + its work-group, UINT64_MAX the host; 0: nobody */
	uint64_t *stage;     /* this PE's: the team's flags, and packets behind them */
	uint32_t nflags;     /* words of it in front of the packets */
	uint32_t npackets;   /* from one PE at each parity */
	const struct gshmemi_team_nodes *nodes; /* NULL: the team's PEs are on one node */
	char *scratch;       /* this PE's: where others put their parts of a reduction; NULL: it goes by gets */
	uint64_t pad[4];
	uint64_t flag[GSHMEMI_SYNC_ROUNDS][GSHMEMI_SYNC_RADIX]; /* [r][i]: epoch of the PE at distance i * k^r before */
	uint64_t word[2][GSHMEMI_SYNC_ROUNDS][GSHMEMI_SYNC_RADIX][GSHMEMI_SYNC_WORDS]; /* [epoch & 1][r][i]: of that PE */
};

/*
 * Where the PEs of a team are that has some on several nodes: host-pinned memory, written by the host. Nodes are numbered by their
 * first PEs in the team.
 */
struct gshmemi_team_nodes {
	int32_t nnodes;         /* that have PEs of the team */
	int32_t my_node;
	int32_t nlocal;         /* PEs of the team on this one's node, */
	int32_t my_local;       /* and which of them this one is; 0: it is the node's first */
	int32_t row[3];         /* of struct gshmemi_sync, in which each part of a barrier begins; -1: all of them do not fit into it */
	int32_t pad;
	const int32_t *locals;  /* [nlocal]: PEs of the world on this node */
	const int32_t *leaders; /* [nnodes]: PEs of the world, the first ones of their nodes */
	const int32_t *begin;   /* [nnodes + 1]: those of node i are order[begin[i]] to order[begin[i + 1] - 1] */
	const int32_t *order;   /* [npes]: PEs of the team, by nodes */
};

/*
 * Scratch is for the teams at the first places alone: one piece each, whatever their size, behind the stages. The first bytes
 * of it are for messages that go to everybody whole.
 */
#define GSHMEMI_SCRATCH_NBYTES      ((size_t)1 << 20)
#define GSHMEMI_SCRATCH_ONCE_NBYTES ((size_t)128 << 10)
#define GSHMEMI_SCRATCH_NPLACES     16

/*
 * The stage of a team, also at sync_delta: what its collectives poll and what small messages pass through.
 *
 *   uint64_t flag[nflags]                [i]: the last phase that PE i of the team has told this one (coll_phase.h)
 *   uint64_t packet[2][npes][npackets]   [parity][i]: from PE i, 4 bytes of data and the epoch's tag above them
 *
 * Stages are pieces of one pool, behind the structs above: for each GSHMEMI_STAGE_NPES PEs of a team, or
 * fewer, as many flags, and packets for at least a word of 16 bytes from each.
 */
#define GSHMEMI_STAGE_LINE     128
#define GSHMEMI_STAGE_NPES     256
#define GSHMEMI_STAGE_NPACKETS 2048
#define GSHMEMI_STAGE_NBYTES   ((GSHMEMI_STAGE_NPES + GSHMEMI_STAGE_NPACKETS) * 8)

/*
 * A context, for calls whose handle does not say all (order/context.h): host-pinned memory, written by the host.
 */
struct gshmemi_context {
	uint64_t handle;        /* an integer; 0: there is none */
	const int32_t *members; /* of its team, as in struct gshmemi_sync */
	int32_t npes;
	int32_t start;
	int32_t stride;
	int32_t pad;
};

/* The variables of a program of OpenSHMEM, where they are symmetric: nbytes 0, where not. */
struct gshmemi_globals {
	char *base;
	uint64_t nbytes;
};

/* What went wrong in a kernel. The order is that of the texts in src/end/fault.c. */
enum gshmemi_fault_kind {
	GSHMEMI_FAULT_NONE,
	GSHMEMI_FAULT_NOT_INITIALIZED,   /* this copy of the state was never filled */
	GSHMEMI_FAULT_BAD_PE,            /* pe: the number; found: PEs there are */
	GSHMEMI_FAULT_NULL,              /* address */
	GSHMEMI_FAULT_MISALIGNED,        /* address; expected: the alignment */
	GSHMEMI_FAULT_OUTSIDE_HEAP,      /* address, nbytes */
	GSHMEMI_FAULT_NOT_ALLOCATED,     /* address, nbytes: in the heap, but in no allocation */
	GSHMEMI_FAULT_BEYOND_ALLOCATION, /* address, nbytes; expected: bytes that are left from address on */
	GSHMEMI_FAULT_UNREACHABLE,       /* pe: its memory is not mapped here */
	GSHMEMI_FAULT_NO_ATOMICS,        /* pe: if it is mapped, then without native atomics */
	GSHMEMI_FAULT_BAD_ARGUMENT,      /* found: the value of an operator or stride that is none */
	GSHMEMI_FAULT_BAD_TEAM,          /* found: the handle, as an integer */
	GSHMEMI_FAULT_BAD_CONTEXT,       /* likewise */
	GSHMEMI_FAULT_OVERLAP,           /* address, nbytes: dest of a collective that overlaps its source */
	GSHMEMI_FAULT_UNEQUAL,           /* PEs called different collectives, or with different arguments; pe: this one's */
	GSHMEMI_FAULT_MISSING_THREADS,   /* found: GSHMEMI_ARCH_COUNT_WORD that made the work-group's call; expected: all */
	GSHMEMI_FAULT_UNEQUAL_THREADS,   /* nbytes: enum gshmemi_argument; found: this thread's; expected: the first's */
	GSHMEMI_FAULT_UNEQUAL_WAVE,      /* found: enum gshmemi_argument that the threads of a wave pass differently */
	GSHMEMI_FAULT_CONCURRENT,        /* found: struct gshmemi_sync's claim, of another caller */
	GSHMEMI_FAULT_NOT_LOCKED,        /* address: of a lock that nobody has set; found: its word */
	GSHMEMI_FAULT_BAD_WINDOW,        /* found: the handle */
	GSHMEMI_FAULT_OUTSIDE_WINDOW,    /* address: the displacement in bytes, nbytes; expected: bytes of the window on pe */
	GSHMEMI_FAULT_WRONG_EPOCH,       /* found: enum gshmemi_win_state; pe: the target, or -1 */
	GSHMEMI_FAULT_SEPARATE_WINDOW,   /* a wait in a kernel for a window whose memory is coherent at the ends of kernels alone */
	GSHMEMI_FAULT_WAITING,           /* as GSHMEMI_FAULT_WATCHDOG, by a wait that was asked: asked, below */
	GSHMEMI_FAULT_WATCHDOG,          /* a warning: address, found, expected, nbytes, cmp, pe waited for or -1 */
	GSHMEMI_FAULT_POISONED           /* the job is ending; the watcher has said why */
};

/* Arguments that all threads of a group must pass alike, by sets of four. The order is that of the names in src/end/fault.c. */
enum gshmemi_argument {
	GSHMEMI_ARGS_MOVE = 0,    /* dest, source, nelems in bytes, pe */
	GSHMEMI_ARGS_SIGNAL = 4,  /* sig_addr, dest with pe, which are known to be alike, signal, sig_op */
	GSHMEMI_ARGS_STRIDE = 8,  /* dst, sst, bsize, nblocks */
	GSHMEMI_ARGS_COLL = 12,   /* dest, source, nelems, root */
	GSHMEMI_ARGS_TEAM = 16,   /* team */
	GSHMEMI_ARGS_WAIT = 20    /* ivar, none, cmp, cmp_value */
};

/*
 * The fault record: host-pinned memory, one per PE. A thread claims it (state 0 -> 1), fills it and publishes it
 * (2); the watcher prints it and ends the job, or, for a warning, frees it again (0).
 */
struct gshmemi_fault {
	uint32_t state;    /* 0 free, 1 claimed, 2 complete, 3 printed: by the thread, 0 and 3 by the watcher */
	uint32_t kind;     /* enum gshmemi_fault_kind */
	int32_t pe;        /* the PE of the call's argument, or the one waited for; -1: none */
	uint32_t thread;   /* GSHMEMI_ARCH_THREAD_WORD: rank in the work-group, or lane of the wave */
	uint64_t block;    /* work-group in the grid */
	uint64_t on_host;  /* the call was the CPU's; what stops a kernel leaves it alone */
	uint64_t address;
	uint64_t nbytes;
	uint64_t found;
	uint64_t expected;
	int32_t cmp;       /* GSHMEM_CMP_*, for a wait */
	uint32_t asked;    /* not 0: waits report themselves, again and again, until the watcher has heard all; by the watcher */
	uint64_t waited_ns;
	char call[64];     /* name of the call */
};

/*
 * The attention word, host-pinned: one load tells a waiting kernel that the job is ending, and that there is mail. Its lower half
 * is the CPU's, its upper half the kernels', each counts mails by twos, and they are equal while none is open.
 */
#define GSHMEMI_ATTENTION_END 1U /* of the lower half: the job is ending, stop waiting */
struct gshmemi_attention {
	uint32_t posted; /* mails since init; and GSHMEMI_ATTENTION_END */
	uint32_t done;   /* mails that have been performed: by whoever holds the lock of the mailbox */
};

/*
 * The mailbox: operations on memory of this device that PEs ask for to which it is not mapped. Processes of the device share it
 * and post, kernels on the device take and perform, one wave at a time (wait/mail.h). Host-pinned memory; mail i is in slot
 * i % GSHMEMI_MAIL_SLOTS.
 */
#ifndef GSHMEMI_MAIL_SLOTS /* a test has fewer */
#define GSHMEMI_MAIL_SLOTS 128U
#endif
#define GSHMEMI_MAIL_NBYTES 4096U /* of a put, at most */

/* From bit 0 enum gshmemi_what, 4 GSHMEMI_AMO_*, 8 flags, 32 region, 48 PE of the world, whose memory it is. */
#define GSHMEMI_MAIL_ORDERED 0x100U /* it is seen after what was posted before it */
#define GSHMEMI_MAIL_FETCHES 0x200U /* the old value goes to reply[] */
#define GSHMEMI_MAIL_WIDE    0x400U /* the word of an atomic has 8 bytes, not 4 */

struct gshmemi_mail_record {
	uint64_t head;
	uint64_t offset; /* in the region */
	uint64_t value;  /* of a put of 1, 2, 4 or 8 bytes its data; of others they are in data[] */
	uint64_t cond;   /* of a put its bytes */
};

struct gshmemi_mailbox {
	struct gshmemi_attention attention;
	uint64_t pad[15];
	uint64_t reply[GSHMEMI_MAIL_SLOTS];                   /* by kernels, as done */
	struct gshmemi_mail_record record[GSHMEMI_MAIL_SLOTS]; /* by the host, before posted counts it */
	char data[GSHMEMI_MAIL_SLOTS][GSHMEMI_MAIL_NBYTES];    /* likewise */
};

struct gshmemi_state {
	int32_t my_pe;          /* -1 before init. These two are read as one; see gshmemi_my_place */
	int32_t npes;           /* 0 before init */
	uint32_t slow;          /* GSHMEMI_SLOW_*; 0: every call goes the direct way */
	uint32_t abi;           /* GSHMEMI_ABI, and GSHMEMI_ABI_DIRECT_ONLY: what a module was compiled with */
	char *heap;             /* this PE's symmetric heap */
	uint64_t heap_nbytes;
	struct gshmemi_sync *sync;         /* this PE's, one for each place of teams */
	uint64_t nteams;                   /* of these */
	const struct gshmemi_context *contexts;
	uint64_t ncontexts;
	struct gshmemi_fault *fault;       /* host-pinned */
	const struct gshmemi_attention *attention;
	struct gshmemi_mailbox *mailbox;   /* NULL: none. Else attention is its own */
	uint32_t *mail_lock;               /* device memory: mails taken, by twos, and 1 while a wave has the mailbox */
	void *sink;                        /* host-pinned, 8 bytes that nobody reads: gshmemi_slow_at */
	const struct gshmemi_region *regions; /* [GSHMEMI_NREGIONS], host-pinned */
	const int32_t *peers;              /* [npes], host-pinned: GSHMEMI_PEER_CARRIED */
	const struct gshmemi_table *const *tables; /* [GSHMEMI_NREGIONS], device memory, as what it points to; NULL: none */
	const struct gshmemi_win *windows; /* by their places, device memory: state/window.h */
	const uint64_t *allocation_end;    /* GSHMEM_CHECK: per granule, the heap offset at which its allocation ends; 0 free */
	struct gshmemi_count *counts;      /* GSHMEM_STATS: of kernels, device memory: move/count.h */
	struct gshmemi_trace *trace;       /* GSHMEM_TRACE: host-pinned, state/trace.h */
	uint64_t watchdog_ns;   /* a wait that lasts longer is reported; 0: never */
	struct gshmemi_rpc_channel rpc;    /* to the CPU; nslots 0: none */
	struct gshmemi_direct direct;
};

/* Bytes of heap that one entry of allocation_end stands for: also the default alignment of an allocation. */
#define GSHMEMI_GRANULE 128

/* What a HIP unit tells the library about its copy of the state. Static storage of that unit. */
struct gshmemi_state_copy {
	uint32_t abi;           /* GSHMEMI_ABI */
	uint32_t max_pes;       /* GSHMEM_MAX_PES */
	uint64_t state_nbytes;
	/*
	 * Where the copy is on the current device; a hipError_t. The unit asks its own runtime: one that is linked into the
	 * program (nvcc's default) is another than the library's, and knows the unit's symbols alone. Not to be called from
	 * constructors, which run before the runtime knows them.
	 */
	int (*locate)(void **address_p);
	const char *platform;   /* GSHMEMI_ARCH_NAME */
	const char *file;       /* the unit's name, for messages */
	int32_t direct_only;    /* built with GSHMEM_DIRECT_ONLY */
	int32_t uploaded;       /* owned by the library */
	struct gshmemi_state_copy *next; /* owned by the library, and so is */
	void *state;            /* where the copy is, while uploaded is set */
};

#endif /* GSHMEM_STATE_H */
