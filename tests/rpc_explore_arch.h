/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The primitives with which tests/rpc_explore.hip compiles the protocol's headers: those of the cpu platform,
 * except for all that touch memory, order it, wait or meet other lanes. These return when the search has
 * chosen them as the next step.
 */
#ifndef RPC_EXPLORE_ARCH_H
#define RPC_EXPLORE_ARCH_H

#include <gshmem/arch/cpu.h>

uint64_t explore_load(const void *address, unsigned nbytes);
void explore_store(void *address, uint64_t value, unsigned nbytes);
uint64_t explore_amo(int op, void *address, uint64_t value, uint64_t cond, unsigned nbytes);
void explore_fence(void);
void explore_pause(unsigned *polls_p);
uint64_t explore_enter(void);
void explore_sync(uint64_t lanes);
uint64_t explore_broadcast(uint64_t value, uint64_t lanes);
extern unsigned explore_lane; /* of the fiber that runs */

#define gshmemi_arch_load(address, nbytes)           explore_load(address, nbytes)
#define gshmemi_arch_store(address, value, nbytes)   explore_store(address, value, nbytes)
#define gshmemi_arch_amo32(op, address, value, cond) ((uint32_t)explore_amo(op, address, value, cond, 4))
#define gshmemi_arch_amo64(op, address, value, cond) explore_amo(op, address, value, cond, 8)
#define gshmemi_arch_fence_release()                 explore_fence()
#define gshmemi_arch_fence_system()                  explore_fence()
#define gshmemi_arch_fence_acquire()                 ((void)0) /* loads are in order */
#define gshmemi_arch_fence_reads()                   ((void)0)
#define gshmemi_arch_pause(polls_p)                  explore_pause(polls_p)
#define gshmemi_arch_clock_ns()                      1
#define gshmemi_arch_wave_peers(key)                 ((void)(key), explore_enter())
#define gshmemi_arch_wave_here(key)                  ((void)(key), explore_enter())
#define gshmemi_arch_lane()                          explore_lane
#define gshmemi_arch_group_rank(scope, mask) \
	((unsigned)__builtin_popcountll((mask) & ((1ULL << explore_lane) - 1)))
#define gshmemi_arch_group_sync(scope, mask) explore_sync(mask)
#define gshmemi_arch_broadcast(value, lanes) explore_broadcast(value, lanes)

/* Words of a page. */
#define gshmemi_rpc_read_word(address)         explore_load(address, 8)
#define gshmemi_rpc_write_word(address, value) explore_store(address, value, 8)

#endif /* RPC_EXPLORE_ARCH_H */
