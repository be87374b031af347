/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The primitives with which tests/rpc_freeze.hip compiles the protocol's headers: those of the cpu platform,
 * each preceded by a place where a wave can be stopped.
 */
#ifndef RPC_FREEZE_ARCH_H
#define RPC_FREEZE_ARCH_H

#include <gshmem/arch/cpu.h>

/* A lane passes a place: its number, and its position in the source. */
void freeze_pass(unsigned place, const char *file, int line);
/* The same, in a loop that waits. */
void freeze_poll(unsigned place, const char *file, int line);

#define FREEZE_PASS() freeze_pass(__COUNTER__, __FILE__, __LINE__)

#define gshmemi_arch_load(address, nbytes)         (FREEZE_PASS(), gshmemi_arch_load(address, nbytes))
#define gshmemi_arch_store(address, value, nbytes) (FREEZE_PASS(), gshmemi_arch_store(address, value, nbytes))
#define gshmemi_arch_amo32(op, address, value, cond) \
	(FREEZE_PASS(), gshmemi_arch_amo32(op, address, value, cond))
#define gshmemi_arch_amo64(op, address, value, cond) \
	(FREEZE_PASS(), gshmemi_arch_amo64(op, address, value, cond))
#define gshmemi_arch_fence_release()         (FREEZE_PASS(), gshmemi_arch_fence_release())
#define gshmemi_arch_fence_acquire()         (FREEZE_PASS(), gshmemi_arch_fence_acquire())
#define gshmemi_arch_fence_reads()           (FREEZE_PASS(), gshmemi_arch_fence_reads())
#define gshmemi_arch_wave_peers(key)         (FREEZE_PASS(), gshmemi_arch_wave_peers(key))
#define gshmemi_arch_wave_here(key)          (FREEZE_PASS(), gshmemi_arch_wave_here(key))
#define gshmemi_arch_group_sync(scope, mask) (FREEZE_PASS(), gshmemi_arch_group_sync(scope, mask))
#define gshmemi_arch_broadcast(value, lanes) \
	(FREEZE_PASS(), gshmemi_arch_wave_read(value, lanes, gshmemi_arch_lowest_lane(lanes)))
#define gshmemi_arch_pause(polls_p) \
	(freeze_poll(__COUNTER__, __FILE__, __LINE__), gshmemi_arch_pause(polls_p))

/* Words of a page. */
#define gshmemi_rpc_read_word(address)         (FREEZE_PASS(), *(address))
#define gshmemi_rpc_write_word(address, value) (FREEZE_PASS(), (void)(*(address) = (value)))

#endif /* RPC_FREEZE_ARCH_H */
