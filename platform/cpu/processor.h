/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the runtime needs from the processor, for x86-64 and aarch64: all inline assembly of this platform,
 * and what depends on it. Other processors have no PROCESSOR_SWITCH, and fiber.h switches by ucontext.
 */
#ifndef HIPCPU_PROCESSOR_H
#define HIPCPU_PROCESSOR_H

#include <stddef.h>
#include <stdint.h>

/*
 * processor_relax         between two looks of a loop that spins: power, and the core, go to others
 * processor_place         a return address as it lies in a frame, without what signs it PROCESSOR_SWITCH 1
 * there are the next two processor_switch        push what a callee keeps, store the stack pointer to *save,
 * and go on where the stack next ends.
 *                         Everything else counts as overwritten. The rounding modes are not saved: no kernel changes them
 * processor_make_stack    what processor_switch takes for such a stack: it goes on in entry, which has no
 * caller
 */
#if defined(__x86_64__)

#define PROCESSOR_SWITCH 1

static inline void processor_relax(void)
{
	__builtin_ia32_pause();
}

static inline uintptr_t processor_place(uintptr_t address)
{
	return address;
}

#ifdef __AVX512F__
#define PROCESSOR_CLOBBERS \
	, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", \
		"xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define PROCESSOR_CLOBBERS
#endif

/* The 128 bytes below the stack pointer may be in use (red zone). rbp and rbx cannot be clobbers. */
static inline __attribute__((always_inline)) void processor_switch(void **save, void *next)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushq %%rbp\n\t"
			 "pushq %%rbx\n\t"
			 "leaq 1f(%%rip), %%rax\n\t"
			 "pushq %%rax\n\t"
			 "movq %%rsp, (%0)\n\t"
			 "movq %1, %%rsp\n\t"
			 "popq %%rax\n\t"
			 "jmpq *%%rax\n"
			 "1:\n\t"
			 "popq %%rbx\n\t"
			 "popq %%rbp\n\t"
			 "leaq 128(%%rsp), %%rsp"
			 : "+D"(save), "+S"(next)
			 :
			 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
			 "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
			 "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
			 "xmm15" PROCESSOR_CLOBBERS);
}

/* entry finds 0 as its return address. */
static inline void *processor_make_stack(uintptr_t top, void (*entry)(void))
{
	void **sp = (void **)top - 2;

	sp[0] = (void *)(uintptr_t)entry;
	sp[1] = NULL;
	return sp;
}

#elif defined(__aarch64__)

#define PROCESSOR_SWITCH 1

/* isb rather than yield, which is a nop on most cores. */
static inline void processor_relax(void)
{
	__asm__ volatile("isb" ::: "memory");
}

/*
 * Under -mbranch-protection=pac-ret, which some distributions compile with, a return address in a frame is
 * signed with the stack pointer, which differs from fiber to fiber. xpaclri removes the signature from x30,
 * and is a nop if there is none.
 */
static inline uintptr_t processor_place(uintptr_t address)
{
	register uintptr_t place __asm__("x30") = address;

	__asm__("hint #7" : "+r"(place));
	return place;
}

#ifdef __ARM_FEATURE_SVE
#define PROCESSOR_CLOBBERS \
	, "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", \
		"p15", "ffr"
#else
#define PROCESSOR_CLOBBERS
#endif

/*
 * x29 and x19, which compilers use to point into the frame, cannot be clobbers. The stack pointer stays a
 * multiple of 16, and nothing below it is in use. Branches by x16 may go to a function, and to hint #36 (bti
 * j), where branch targets are checked.
 */
static inline __attribute__((always_inline)) void processor_switch(void **save, void *next)
{
	register void **save_p __asm__("x0") = save;
	register void *next_sp __asm__("x1") = next;

	__asm__ volatile("adr x16, 1f\n\t"
			 "stp x29, x16, [sp, #-32]!\n\t"
			 "str x19, [sp, #16]\n\t"
			 "mov x16, sp\n\t"
			 "str x16, [x0]\n\t"
			 "mov sp, x1\n\t"
			 "ldr x19, [sp, #16]\n\t"
			 "ldp x29, x16, [sp], #32\n\t"
			 "mov x30, xzr\n\t"
			 "br x16\n"
			 "1:\n\t"
			 "hint #36"
			 : "+r"(save_p), "+r"(next_sp)
			 :
			 : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
			 "x15", "x16", "x17", "x18", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27",
			 "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",
			 "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
			 "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "memory",
			 "cc" PROCESSOR_CLOBBERS);
}

/* entry's frame ends the chain: its caller's frame is 0. */
static inline void *processor_make_stack(uintptr_t top, void (*entry)(void))
{
	void **sp = (void **)top - 4;

	sp[0] = NULL;
	sp[1] = (void *)(uintptr_t)entry;
	sp[2] = sp[3] = NULL;
	return sp;
}

#else

#define PROCESSOR_SWITCH 0

static inline void processor_relax(void) {}

static inline uintptr_t processor_place(uintptr_t address)
{
	return address;
}

#endif

#endif /* HIPCPU_PROCESSOR_H */
