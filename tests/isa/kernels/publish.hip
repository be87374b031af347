/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that publish data and programs that wait for it, with every call that may order the two.
 * ordering.py recognises the flag by the name isa_flag; with one wait, fence or cache bit of arch/ removed it
 * must find one of the programs broken.
 */
#include <gshmem.h>
#include "flag.h"

#define KERNEL extern "C" __global__ void

KERNEL p_fence_flag(int *dest, int value, uint64_t *flag, int pe)
{
	gshmem_int_p(dest + threadIdx.x, value, pe);
	gshmem_fence();
	isa_flag(flag, pe);
}

KERNEL put_quiet_flag(char *dest, const char *source, size_t nbytes, uint64_t *flag, int pe)
{
	gshmem_putmem(dest, source, nbytes, pe);
	gshmem_quiet();
	isa_flag(flag, pe);
}

/* Each wave's own stores: its release, its wait, the barrier; then one thread's flag. */
KERNEL put_fence_wg_flag(char *dest, const char *source, size_t nbytes, uint64_t *flag, int pe)
{
	gshmemx_putmem_wg(dest, source, nbytes, pe);
	gshmemx_fence_wg();
	if (threadIdx.x == 0)
		isa_flag(flag, pe);
}

KERNEL p_quiet_wg_flag(int *dest, int value, uint64_t *flag, int pe)
{
	gshmem_int_p(dest + threadIdx.x, value, pe);
	gshmemx_quiet_wg();
	if (threadIdx.x == 0)
		isa_flag(flag, pe);
}

KERNEL put_fence_wave_flag(char *dest, const char *source, size_t nbytes, uint64_t *flag, int pe)
{
	gshmemx_putmem_wave(dest, source, nbytes, pe);
	gshmemx_fence_wave();
	isa_flag(flag, pe);
}

KERNEL add_fence_flag(int *dest, int value, uint64_t *flag, int pe)
{
	gshmem_int_atomic_add(dest + threadIdx.x, value, pe);
	gshmem_fence();
	isa_flag(flag, pe);
}

/* A release with no earlier store of this wave, as after a barrier: compilers drop its wait. */
KERNEL barrier_fence_flag(int *dest, int value, uint64_t *flag, int pe)
{
	gshmem_int_p(dest + threadIdx.x, value, pe);
	gshmem_fence();
	__syncthreads();
	if (threadIdx.x == 0) {
		gshmem_fence();
		isa_flag(flag, pe);
	}
}

KERNEL put_signals(char *dest, const char *source, size_t nbytes, uint64_t *signal, uint64_t value, int pe)
{
	gshmem_putmem_signal(dest, source, nbytes, signal, value, GSHMEM_SIGNAL_SET, pe);
	gshmemx_putmem_signal_wave(dest, source, nbytes, signal + 1, value, GSHMEM_SIGNAL_ADD, pe);
	gshmemx_putmem_signal_wg(dest, source, nbytes, signal + 2, value, GSHMEM_SIGNAL_SET, pe);
}

/* ---- the other side ---- */

KERNEL wait_read(int *dest, const int *data, uint64_t *signal)
{
	gshmem_signal_wait_until(signal, GSHMEM_CMP_EQ, 1);
	dest[threadIdx.x] = data[threadIdx.x];
}

KERNEL wait_wave_read(int *dest, const int *data, uint64_t *signal)
{
	gshmemx_signal_wait_until_wave(signal, GSHMEM_CMP_GE, 1);
	dest[threadIdx.x] = data[threadIdx.x];
}

KERNEL wait_wg_read(int *dest, const int *data, uint64_t *signal)
{
	gshmemx_signal_wait_until_wg(signal, GSHMEM_CMP_GE, 1);
	dest[threadIdx.x] = data[threadIdx.x];
}

KERNEL wait_types(int *dest, const int *data, short *a, long *b)
{
	gshmem_short_wait_until(a, GSHMEM_CMP_LT, 3);
	gshmem_long_wait_until(b, GSHMEM_CMP_NE, 0);
	dest[threadIdx.x] = data[threadIdx.x];
}

KERNEL test_read(int *dest, const int *data, uint64_t *signal)
{
	while (!gshmem_uint64_test(signal, GSHMEM_CMP_EQ, 1))
		;
	dest[threadIdx.x] = data[threadIdx.x];
}

KERNEL barrier_read(int *dest, const int *data)
{
	gshmemx_barrier_all_wg();
	dest[threadIdx.x] = data[threadIdx.x];
}

/* The next holder of a lock must find what the previous one left. */
KERNEL put_clear_lock(char *dest, const char *source, size_t nbytes, long *lock, int pe)
{
	gshmem_putmem(dest, source, nbytes, pe);
	gshmem_clear_lock(lock);
}

KERNEL set_lock_read(int *dest, const int *data, long *lock)
{
	gshmem_set_lock(lock);
	dest[threadIdx.x] = data[threadIdx.x];
}

/*
 * Polls of a peer's memory: every turn must read it anew. The polled value orders nothing,
 * so no data is read afterwards.
 */
KERNEL g_poll(int *dest, int value, const int *word, int pe)
{
	while (gshmem_int_g(word, pe) == 0)
		;
	dest[threadIdx.x] = value;
}

KERNEL fetch_poll(int *dest, int value, const int *word, int pe)
{
	while (gshmem_int_atomic_fetch(word, pe) == 0)
		;
	dest[threadIdx.x] = value;
}

KERNEL get_again(char *dest, const char *source, size_t nbytes, int nturns, int pe)
{
	for (int i = 0; i < nturns; i++) {
		gshmemx_getmem_wg(dest, source, nbytes, pe);
		dest[nbytes + i * blockDim.x + threadIdx.x] = dest[threadIdx.x];
	}
}
