/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * amdsim: an AMD GPU on the CPU. It is a shared library in place of libamdhip64.so: HIP's calls, and an
 * interpreter of the machine code that they start. With HSA's calls instead, it is a library in place of
 * libhsa-runtime64.so, below AMD's libamdhip64.so. It knows nothing of the programs that it runs. What
 * its files share:
 *
 *   code.c     code objects: segments, relocations, symbols, kernels and their metadata
 *   decode.c   machine code into struct inst, by LLVM's disassembler; opcodes.c finds a mnemonic's handler
 *   scalar.c   scalar instructions, branches          vector.c   vector instructions
 *   lanes.c    DPP, SDWA, what crosses lanes          memory.c   memory instructions, waits and cache control
 *   caches.c   what memory shows: levels of caches      late.c     when operations happen, counters and waits
 *   wave.c     waves and blocks of a dispatch, residency, whose turn it is, registers that a load has not filled
 *   arena.c    memory that was allocated, registered or opened
 *   hip_*.c    HIP's entry points: devices, memory, streams and events, modules and launches
 *   hsa_*.c    HSA's entry points, for AMD's own HIP: see hsa.h
 *
 * Functions return 0 or a negative errno unless they say otherwise.
 */
#ifndef AMDSIM_SIM_H
#define AMDSIM_SIM_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define LANES 64 /* of registers; a wave of 32 uses the first half */
enum { MAX_DEVICES = 64, MAX_CUS = 256 };

enum gpu { GFX90A, GFX942, GFX1100 };

struct block;
struct dispatch;
struct module;
struct wave;

/* ---- instructions ---- */

/* Scalar registers by their numbers on GFX9, on all GPUs. */
enum { FLAT_SCRATCH = 102, VCC = 106, TTMP = 108, M0 = 124, EXEC = 126, NSGPRS = 128 };
/* Vector registers: v0 to v255, and AGPRs a0 to a255 behind them. */
enum { AGPRS = 256, NVGPRS = 512 };
/* Places in wave->pending: scalar registers, vector registers, and eight that stay 0. */
enum { NO_PENDING = NSGPRS + NVGPRS, NPENDING = NO_PENDING + 8 };

enum operand_kind {
	OPERAND_NONE, /* off, null, or missing */
	OPERAND_SGPR,
	OPERAND_VGPR,
	OPERAND_IMM, /* also shared_base and private_base: their apertures */
	OPERAND_SCC,
	OPERAND_VCCZ,
	OPERAND_EXECZ,
	OPERAND_ROWS /* instead of vector registers: what DPP or SDWA made of them */
};

struct operand {
	enum operand_kind kind;
	unsigned reg, nregs; /* the first register, and how many of 32 bits */
	bool neg, abs, sext; /* -x and |x| of floating point; sext: of SDWA */
	unsigned pending;    /* the first register's place in wave->pending, or NO_PENDING */
	/* the constant for 32 and 16 bits: a float, for f16 a half, or an integer */
	uint32_t imm32;
	/* for 64 bits: an integer is sign-extended, a literal only for i64; for f64 the bits of a double */
	uint64_t imm64;
	uint32_t (*rows)[LANES];
};

enum { SDWA_BYTE_0, SDWA_BYTE_1, SDWA_BYTE_2, SDWA_BYTE_3, SDWA_WORD_0, SDWA_WORD_1, SDWA_DWORD };
enum { SDWA_PAD, SDWA_SEXT, SDWA_PRESERVE };
enum dpp_kind {
	DPP_NONE,
	DPP_QUAD_PERM,
	DPP_ROW_SHL,
	DPP_ROW_SHR,
	DPP_ROW_ROR,
	DPP_WAVE_SHL,
	DPP_WAVE_ROL,
	DPP_WAVE_SHR,
	DPP_WAVE_ROR,
	DPP_ROW_MIRROR,
	DPP_ROW_HALF_MIRROR,
	DPP_ROW_BCAST,
	DPP_ROW_SHARE,
	DPP_ROW_XMASK,
	DPP_ROW_NEWBCAST,
	DPP_8
};

/*
 * An instruction as LLVM's disassembler writes it, with its operands in that order, destinations first,
 * and its modifiers.
 */
struct inst {
	void (*run)(struct wave *w, const struct inst *i); /* NULL: not decoded */
	const struct opcode *opcode;                       /* NULL: the simulator does not know it */
	unsigned nops, nbytes;                             /* bytes of code */
	uint8_t ndsts; /* how many operands, from the first on, it writes */
	/* bit k: the registers of operand k must have no outstanding load; v_dual_*: of either half */
	uint8_t awaited;
	struct operand op[6];
	uint64_t offset; /* in the code object's addresses */
	int32_t target;  /* of a direct branch or call: index in module->insts; -1: not direct, or outside */
	int32_t imm_offset;        /* "offset" */
	uint8_t offset0, offset1;  /* of ds_*2 */
	bool sc0, sc1, glc, clamp; /* gfx942 has the first two, others glc */
	/* bit k: for source k; bit 3 of op_sel of a VOP3: for the destination */
	uint8_t op_sel, op_sel_hi, neg_lo, neg_hi;
	bool is_sdwa, bound_ctrl, fi;
	uint8_t src_sel[2], dst_sel, dst_unused;
	uint8_t dpp, dpp_arg; /* enum dpp_kind; the number of row_shl and the like */
	uint8_t quad_perm[4], dpp8[8], row_mask, bank_mask;
	int16_t vmcnt, lgkmcnt, vscnt; /* of waits; -1: does not wait for it */
	struct inst *base;             /* DPP, SDWA: the instruction without it; v_dual_*: the two halves */
	const char *text;              /* the disassembler's text */
};

/* One line of an instruction table. */
struct opcode {
	const char *name; /* mnemonic without _e32, _e64, _dpp, _sdwa */
	void (*run)(struct wave *w, const struct inst *i);
	uint8_t ndsts; /* how many of its operands it writes, without OP_RETURNS */
	uint8_t arg;   /* for the handler: bytes per lane, an operation ... */
	uint8_t flags; /* enum opcode_flags */
};
enum opcode_flags {
	OP_LOAD = 1,      /* its destinations are filled late, and are poisoned until a wait */
	OP_READS_DST = 2, /* v_fmac, s_cmov, loads of halves ...: a destination is a source too */
	OP_BRANCH = 4,    /* may set w->pc */
	/* an atomic: with sc0 (gfx942) or glc (others) it writes its first operand, else none */
	OP_RETURNS = 8
};

/* The tables. Each ends with a line without a name. */
extern const struct opcode scalar_opcodes[], vector_opcodes[], float_opcodes[], compare_opcodes[],
	lane_opcodes[];
extern const struct opcode memory_opcodes[];
/* Finds a mnemonic as the disassembler writes it; NULL: unknown. */
const struct opcode *opcode_find(const char *mnemonic);
/* Returns the length of a mnemonic without the suffix that names an encoding. */
size_t opcode_length(const char *mnemonic);

/*
 * lanes.c: run instructions with DPP or SDWA, through i->base, and v_dual_*, whose halves both read
 * before either writes.
 */
void run_dpp(struct wave *w, const struct inst *i);
void run_sdwa(struct wave *w, const struct inst *i);
void run_dual(struct wave *w, const struct inst *i);

/* ---- code objects ---- */

enum argument_kind { /* in the order of code.c's names */
	ARG_BY_VALUE,
	ARG_POINTER, /* passed by the user */
	ARG_BLOCK_COUNT_X,
	ARG_BLOCK_COUNT_Y,
	ARG_BLOCK_COUNT_Z,
	ARG_GROUP_SIZE_X,
	ARG_GROUP_SIZE_Y,
	ARG_GROUP_SIZE_Z,
	ARG_GRID_DIMS,
	ARG_DYNAMIC_LDS_BYTES,
	ARG_SHARED_BASE,
	ARG_PRIVATE_BASE,
	ARG_MULTIGRID_SYNC,
	ARG_HIDDEN /* any other: filled with 0 */
};
struct argument {
	unsigned offset, nbytes;
	enum argument_kind kind;
};

struct kernel {
	const char *name, *symbol; /* symbol: of its descriptor */
	struct module *module;
	uint64_t entry, end; /* of its code, in the code object's addresses */
	uint64_t object;     /* its descriptor's address for kernels, which names it in a packet */
	bool decoded;
	unsigned nvgprs, wave_lanes, max_block_threads, nargs; /* nvgprs includes AGPRs */
	struct argument *args;
	union {
		char descriptor[64];
		struct {
			uint32_t lds_bytes, scratch_bytes, kernarg_bytes, reserved1; /* scratch: per lane */
			int64_t code_distance;                                       /* from the descriptor */
			uint32_t reserved2[5], rsrc3, rsrc1, rsrc2;
			uint16_t properties; /* KERNEL_CODE_PROPERTIES: which user SGPRs there are */
			/* user SGPRs: how many dwords of arguments, and from bit 7 on the first one */
			uint16_t preload;
		};
	};
};

struct module {
	enum gpu gpu;
	uint64_t base; /* address of its segments, for kernels */
	char *host;    /* the same, for the simulator */
	size_t nbytes;
	uint64_t text, text_bytes;     /* in the code object's addresses */
	struct inst *insts;            /* [(address - text) / 4] */
	const struct inst *seen[4096]; /* for decode.c: by encoding */
	struct kernel *kernels;
	const Elf64_Sym *symbols;
	const char *names; /* of symbols */
	size_t nkernels, nsymbols;
	struct chunk *chunks; /* of module_alloc */
};

/*
 * Loads a code object, an ELF file or an offload bundle that has one for the GPU, into a device's memory.
 * -ENOEXEC: none for this GPU, -EINVAL: not a code object, or malformed, -ENOMEM.
 */
int module_load(const void *image, int device, struct module **module_p);
void module_unload(struct module *m);
/* NULL: there is none. */
struct kernel *module_kernel(struct module *m, const char *name);
const Elf64_Sym *module_symbol(const struct module *m, const char *name);
/* Returns zeroed memory that lives as long as the module. */
void *module_alloc(struct module *m, size_t nbytes);
/*
 * Called before a launch: decodes all code that the kernel may run. False, after a message: it has an
 * instruction that the simulator lacks.
 */
bool kernel_decode(struct kernel *k);
const char *gpu_name(enum gpu gpu);
/* -1: unknown. Features after the name ("gfx942:sramecc+") are ignored. */
int gpu_by_name(const char *name);

/* ---- memory ---- */

/*
 * Device memory is in an arena at a fixed address, which the host cannot access; the simulator finds it
 * ARENA_ALIAS above the address that kernels use. Other memory (of the host, pinned or managed) has one
 * address, except LOCKED.
 */
#define ARENA_BASE       UINT64_C(0x200000000000)
#define ARENA_BYTES      UINT64_C(0x100000000000)
#define ARENA_ALIAS      UINT64_C(0x100000000000)
/*
 * HSA: kernels see host memory that was locked at another address. This bit, which no process uses, is set.
 */
#define LOCKED           (UINT64_C(1) << 47)
/* Flat addresses of a block's LDS and a lane's scratch. */
#define APERTURE_LDS     UINT64_C(0x0001000000000000)
#define APERTURE_PRIVATE UINT64_C(0x0002000000000000)

static inline uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}
static inline void *memory_host(uint64_t address)
{
	address &= ~LOCKED;
	return (void *)(uintptr_t)(address - ARENA_BASE < ARENA_BYTES ? address + ARENA_ALIAS : address);
}

enum memory_kind { MEMORY_NONE, MEMORY_COARSE, MEMORY_FINE, MEMORY_UNCACHED, MEMORY_HOST };

struct range {
	uint64_t base, nbytes;
	enum memory_kind kind;
	int device; /* whose memory it is; -1: the host's */
};

/* arena.c: finds the memory that address is in; false: it was neither allocated nor registered. */
bool memory_find(uint64_t address, struct range *range_p);
/* Allocates device memory for code. Its address for kernels; 0: out of memory. */
uint64_t memory_alloc_code(int device, size_t nbytes);
void memory_free_code(uint64_t address);

/*
 * For caches.c and late.c: the caches that an access bypasses, or that are invalidated: the one next to
 * the CU (gfx9's L1, gfx1100's L0), gfx1100's L1, the scalar one, L2, and L2 as far as other L2s of its
 * agent are concerned.
 */
enum { CACHE_NEAR = 1, CACHE_FAR = 2, CACHE_SCALAR = 4, CACHE_L2 = 8, CACHE_L2_AGENT = 16 };
enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_WRITEBACK };
enum atomic_op {
	ATOMIC_ADD,
	ATOMIC_SUB,
	ATOMIC_AND,
	ATOMIC_OR,
	ATOMIC_XOR,
	ATOMIC_SWAP,
	ATOMIC_CMPSWAP,
	ATOMIC_SMIN,
	ATOMIC_UMIN,
	ATOMIC_SMAX,
	ATOMIC_UMAX,
	ATOMIC_FADD
};

/* A vector memory instruction's work, lane by lane. */
struct access {
	enum access_kind kind;
	enum atomic_op op;
	unsigned nbytes;         /* per lane: 1 to 16 */
	unsigned past;           /* CACHE_*: loads do not hit them, stores and atomics do not stay in L2 */
	uint64_t lanes;          /* that take part */
	uint64_t address[LANES]; /* as kernels see them */
	/* to be stored, or loaded; for atomics the operand, then what to compare with */
	uint32_t data[4][LANES];
};
/* One lane's word, of 4 or 8 bytes. */
static inline uint64_t access_word(const struct access *a, unsigned row, unsigned lane)
{
	return a->data[row][lane] | (a->nbytes == 8 ? (uint64_t)a->data[row + 1][lane] << 32 : 0);
}
/*
 * Stores the result of a load or of an atomic that returns. It is called once, at the latest by the wait that
 * covers the instruction.
 */
typedef void access_done(struct wave *w, const struct inst *i, const struct access *a);

/*
 * Notes that an instruction is outstanding: what counts it, and whether it fills its first operand,
 * which is poisoned until waits for all of these counters have covered it. Called before caches_access
 * of the same instruction.
 */
enum { COUNT_VM = 1, COUNT_LGKM = 2, COUNT_VS = 4, COUNT_UNORDERED = 8, COUNT_FILLS = 16 };
void caches_count(struct wave *w, const struct inst *i, unsigned counters);
/*
 * Finds the memory that address is in, through a small cache of the block; NULL: none. Valid until
 * the next call.
 */
const struct range *caches_range(struct wave *w, uint64_t address);
/*
 * Issues an access. It may be done later, with a copy of *a, at the latest in the caches_wait that covers it.
 * done: NULL if there is no result.
 */
void caches_access(struct wave *w, const struct inst *i, struct access *a, access_done *done);
void caches_scalar_load(struct wave *w, uint64_t address, unsigned ndwords, uint32_t *to);
void caches_invalidate(struct wave *w, unsigned caches);
/*
 * Waits until no more than these numbers are outstanding; -1: any number. False: not yet, and the
 * wave tries again.
 */
bool caches_wait(struct wave *w, int vmcnt, int lgkmcnt, int vscnt);
/* One of this wave's outstanding operations may be done now. */
void caches_chance(struct wave *w);
void caches_wave_begin(struct wave *w);
/* Does all of the wave's outstanding operations. */
void caches_wave_end(struct wave *w);
void caches_block_begin(struct block *b);
void caches_block_end(struct block *b);
/* What a packet of a queue does to a device's L2s; numbers as in its header. */
enum scope { SCOPE_NONE, SCOPE_AGENT, SCOPE_SYSTEM };
void caches_acquire(int device, enum scope scope);
void caches_release(int device, enum scope scope);
/* Acquire and release as the dispatch asks for, before and after a kernel. */
void caches_dispatch_begin(struct dispatch *d);
void caches_dispatch_end(struct dispatch *d);
/* Does one atomic operation on host memory, and returns the value before. nbytes: 4 or 8. */
uint64_t atomic_apply(void *at, unsigned nbytes, enum atomic_op op, uint64_t operand, uint64_t compare);

/* ---- waves ---- */

enum wave_state { WAVE_RUNS, WAVE_AT_BARRIER, WAVE_AT_GWS, WAVE_DONE };

struct wave {
	uint32_t s[NSGPRS];
	uint32_t (*v)[LANES]; /* AGPR k is v[AGPRS + k] */
	bool scc;
	unsigned nlanes;       /* 32 or 64 */
	const struct inst *pc; /* the next one */
	struct module *module;
	struct block *block;
	enum wave_state state;
	bool yields;               /* its turn ends */
	bool moves;                /* and it is not waiting for other waves */
	uint8_t gpr_idx;           /* s_set_gpr_idx_on: M0 indexes v_mov_b32's 1: source, 8: destination */
	uint8_t pending[NPENDING]; /* loads that have not filled each register yet */
	unsigned npending;         /* the sum of these */
	char *scratch;             /* [lane][scratch_bytes] */
	unsigned scratch_bytes, number; /* number: in its block */
	struct cached *cached;          /* of caches.c */
	unsigned starves;               /* turns that it still has to miss, because of config()->schedule */
};

/* What blocks use of a compute unit: of each of its four SIMDs, then of the whole. */
enum { USED_WAVES, USED_VGPRS = 4, USED_LDS = 8, USED_BARRIERS, NRESOURCES };

struct block {
	struct dispatch *dispatch;
	uint32_t id[3], size[3]; /* size: in threads */
	struct wave *waves;
	unsigned nwaves, ndone, nbarrier;
	char *lds;
	unsigned lds_bytes;
	int cu;                      /* the compute unit that it is on */
	uint32_t usage[NRESOURCES];  /* of the compute unit */
	struct cached_block *cached; /* of caches.c */
	struct block *next;
};

struct dispatch {
	struct kernel *kernel;
	int device;
	uint32_t grid[3], group[3]; /* grid: in blocks; group: threads of a block */
	uint32_t threads[3];        /* of the grid: its last blocks may be smaller than the others */
	unsigned nthreads;          /* of a block */
	unsigned dynamic_lds_bytes;
	unsigned scratch_bytes; /* per lane; 0: what the kernel needs */
	bool cooperative;
	/* for L2, before and after the kernel; CUs' caches are always empty before */
	enum scope acquire, release;
	/* hsa_kernel_dispatch_packet, all arguments, and amd_queue_t or 0; addresses for the kernel */
	uint64_t packet, kernarg, queue;
	uint64_t number; /* counts the process's dispatches */
	int how;         /* how it ended: DISPATCH_* */
};
enum { DISPATCH_DONE, DISPATCH_TRAPPED, DISPATCH_FAULTED };

/*
 * wave.c: runs a grid on the calling thread, after kernel_decode; DISPATCH_*. args: what the user passes to
 * the kernel; NULL: there is a packet with arguments, and the grid's threads are set.
 */
int dispatch_run(struct dispatch *d, const void *args);
/*
 * How many blocks of nthreads fit on a compute unit, by registers, LDS and waves, as HIP counts them: LDS by
 * the byte, although the hardware gives it in granules.
 */
unsigned dispatch_occupancy(const struct kernel *k, unsigned nthreads, unsigned dynamic_lds_bytes);
/*
 * Ends the dispatch with a trap, or with an access to memory that does not exist, after a message
 * with the place.
 */
void wave_fault(struct wave *w, const struct inst *i, int how, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The same, then aborts: for what hardware would not survive. */
#define wave_die(w, i, ...) (wave_fault(w, i, DISPATCH_FAULTED, __VA_ARGS__), abort())
/* n 1: one more load has not yet filled an operand's registers; -1: one has filled them. */
void wave_mark(struct wave *w, const struct operand *o, int n);
#define wave_pend(w, o)   wave_mark(w, o, 1)
#define wave_filled(w, o) wave_mark(w, o, -1)
/* Continues at an address in the module. */
void wave_jump(struct wave *w, const struct inst *i, uint64_t address);

static inline unsigned lowest(uint64_t lanes)
{
	return (unsigned)__builtin_ctzll(lanes);
}
static inline uint64_t wave_get64(const struct wave *w, unsigned reg)
{
	return w->s[reg] | (uint64_t)w->s[reg + 1] << 32;
}
static inline void wave_set64(struct wave *w, unsigned reg, uint64_t value)
{
	w->s[reg] = (uint32_t)value;
	w->s[reg + 1] = (uint32_t)(value >> 32);
}
/* EXEC, VCC and other masks; in waves of 32 lanes they are one register. */
static inline uint64_t wave_mask(const struct wave *w, unsigned reg)
{
	return w->nlanes == 32 ? w->s[reg] : wave_get64(w, reg);
}
static inline void wave_set_mask(struct wave *w, unsigned reg, uint64_t value)
{
	w->s[reg] = (uint32_t)value;
	if (w->nlanes == 64)
		w->s[reg + 1] = (uint32_t)(value >> 32);
}
static inline uint64_t wave_exec(const struct wave *w)
{
	return wave_mask(w, EXEC);
}

/* ---- settings, from the environment, read once: config.c ---- */

struct config {
	enum gpu gpu; /* AMDSIM_GPU=gfx942 */
	int ndevices; /* AMDSIM_DEVICES=8 */
	/* AMDSIM_CUS=8: compute units of a device, which all processes of a job share */
	int ncus;
	uint64_t job;  /* AMDSIM_JOB=0: a number; jobs with different numbers have separate machines */
	uint64_t late; /* AMDSIM_LATE=SEED: late stores, stale lines; 0: memory in program order */
	/* AMDSIM_SCHEDULE=SEED: turns of random length, waves that miss turns; 0: in order */
	uint64_t schedule;
	bool has_xgmi;       /* AMDSIM_XGMI=1: devices are linked by XGMI; 0: by PCIe, which has no atomics */
	bool has_fine;       /* AMDSIM_FINE=1: a device has fine-grained memory, as with XGMI */
	size_t memory_bytes; /* AMDSIM_MEMORY=16g: per device */
	bool trace;          /* AMDSIM_TRACE=1: writes each instruction to stderr */
};
const struct config *config(void);
/* Writes "amdsim: ..." and a newline to stderr, at once. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, then aborts. */
#define die(...) (message(__VA_ARGS__), abort())
/*
 * Gives the file the number 3 or more, even if the program has closed stdin, stdout or stderr: its output
 * must not get into device memory. Returns the new number, or -1 if fd is that, too.
 */
int keep_file(int fd);
/* Zeroed; ends the process when out of memory. */
void *zalloc(size_t nbytes);
/* xorshift64*: advances *state, which must not be 0, and returns it. */
uint64_t random_next(uint64_t *state);

#endif /* AMDSIM_SIM_H */
