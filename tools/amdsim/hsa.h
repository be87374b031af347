/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What HSA's entry points (hsa_*.c) share. They are what AMD's HIP 5.2 calls of libhsa-runtime64.so.1, so
 * that it runs over simulated devices.
 *
 *   hsa_agent.c    the system, agents, ISAs and memory pools, and their properties
 *   hsa_memory.c   allocation, locked host memory, handles for other processes
 *   hsa_copy.c     copy engines
 *   hsa_signal.c   signals, waits, handlers
 *   hsa_queue.c    queues, and what runs their packets
 *   hsa_code.c     code objects, executables, symbols
 *   hsa_refused.c  what HIP calls only for features that the simulator lacks
 *
 * A handle is an address of the simulator's, except that agents are numbered from 1: the CPU, then the GPUs.
 */
#ifndef AMDSIM_HSA_H
#define AMDSIM_HSA_H

#pragma GCC visibility push(default) /* of the entry points, which these declare */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>
#pragma GCC visibility pop
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

#include "arena.h"

#define LDS_BYTES     65536u /* per block, at most */
#define BLOCK_THREADS 1024u

enum { CPU_AGENT = 1 };

/* -1: the CPU. */
static inline int agent_device(hsa_agent_t agent)
{
	return (int)agent.handle - CPU_AGENT - 1;
}
static inline hsa_agent_t device_agent(int device)
{
	return (hsa_agent_t){(uint64_t)(device + CPU_AGENT + 1)};
}

/* hsa_agent.c */
enum pool_kind {
	POOL_HOST_FINE,
	POOL_HOST_KERNARG,
	POOL_HOST_COARSE,
	POOL_COARSE,
	POOL_FINE,
	POOL_LDS,
	NPOOLS
};
enum pool_kind pool_kind(hsa_amd_memory_pool_t pool);
int pool_device(hsa_amd_memory_pool_t pool);
/* Nanoseconds, as HSA's timestamps. */
uint64_t timestamp(void);
/* Starts a thread that is not joined; ends the process if there is none. */
void start_thread(void *(*run)(void *), void *arg);

/* hsa_memory.c: zeroed host memory that kernels may access, for the simulator's own structures. */
void *host_alloc(size_t nbytes);
void host_free(void *memory);

/* hsa_signal.c */
static inline amd_signal_t *signal_of(hsa_signal_t signal)
{
	return (amd_signal_t *)(uintptr_t)signal.handle;
}
bool signal_meets(hsa_signal_value_t value, hsa_signal_condition32_t condition, hsa_signal_value_t compare);
/* Waits until the value, masked, meets the condition. A signal without a handle meets all. */
void signal_await(hsa_signal_t signal, hsa_signal_value_t mask, hsa_signal_condition32_t condition,
	hsa_signal_value_t compare);
/* Waits until one of the signals that have a handle is 0. */
void signal_await_any(const hsa_signal_t *signals, unsigned n);
/* Notes when work began and ended, and counts the signal down; it may have no handle. */
void signal_complete(hsa_signal_t signal, uint64_t begin);

/* hsa_queue.c: the queue's doorbell has been rung. */
void queue_ring(amd_queue_t *queue);

/* hsa_code.c: the kernel whose descriptor is at this address; NULL: none, or it cannot be decoded. */
struct kernel *code_kernel(uint64_t object);

#endif /* AMDSIM_HSA_H */
