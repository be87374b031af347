/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One kernel per call, whose cost is counted. Each takes what the call needs as arguments,
 * so that it contains only the call and the addressing by threadIdx.x, which base() has,
 * too. budgets.tsv has the limits.
 */
#include <gshmem.h>

#define KERNEL extern "C" __global__ void

/* Subtracted from every count: one plain store. */
KERNEL base(int *dest, int value)
{
	dest[threadIdx.x] = value;
}

KERNEL int_p(int *dest, int value, int pe)
{
	gshmem_int_p(dest + threadIdx.x, value, pe);
}

KERNEL int_g(int *dest, const int *source, int pe)
{
	dest[threadIdx.x] = gshmem_int_g(source + threadIdx.x, pe);
}

/* In a region that was made after init: its table is reached through two pointers. */
KERNEL int_p_region(int *dest, int value, unsigned region, int pe)
{
	gshmemi_p(gshmemi_in_region(region), dest + threadIdx.x, &value, sizeof value, pe, "int_p_region");
}

/* ---- copies ---- */

KERNEL putmem(char *dest, const char *source, size_t nbytes, int pe)
{
	gshmem_putmem(dest, source, nbytes, pe);
}

KERNEL putmem_wave(char *dest, const char *source, size_t nbytes, int pe)
{
	gshmemx_putmem_wave(dest, source, nbytes, pe);
}

KERNEL putmem_wg(char *dest, const char *source, size_t nbytes, int pe)
{
	gshmemx_putmem_wg(dest, source, nbytes, pe);
}

KERNEL getmem(char *dest, const char *source, size_t nbytes, int pe)
{
	gshmem_getmem(dest, source, nbytes, pe);
}

KERNEL getmem_wave(char *dest, const char *source, size_t nbytes, int pe)
{
	gshmemx_getmem_wave(dest, source, nbytes, pe);
}

KERNEL getmem_wg(char *dest, const char *source, size_t nbytes, int pe)
{
	gshmemx_getmem_wg(dest, source, nbytes, pe);
}

/* ---- atomics ---- */

KERNEL fetch_add(int *dest, int *result, int value, int pe)
{
	result[threadIdx.x] = gshmem_int_atomic_fetch_add(dest + threadIdx.x, value, pe);
}

KERNEL add(int *dest, int value, int pe)
{
	gshmem_int_atomic_add(dest + threadIdx.x, value, pe);
}

KERNEL compare_swap(int *dest, int *result, int value, int cond, int pe)
{
	result[threadIdx.x] = gshmem_int_atomic_compare_swap(dest + threadIdx.x, cond, value, pe);
}

KERNEL set(int *dest, int value, int pe)
{
	gshmem_int_atomic_set(dest + threadIdx.x, value, pe);
}

/* ---- order: behind a store, which they wait for ---- */

KERNEL fence(int *dest, int value)
{
	dest[threadIdx.x] = value;
	gshmem_fence();
}

KERNEL quiet(int *dest, int value)
{
	dest[threadIdx.x] = value;
	gshmem_quiet();
}

KERNEL fence_wg(int *dest, int value)
{
	dest[threadIdx.x] = value;
	gshmemx_fence_wg();
}

KERNEL quiet_wg(int *dest, int value)
{
	dest[threadIdx.x] = value;
	gshmemx_quiet_wg();
}

/* ---- signals, waits, barriers ---- */

KERNEL putmem_signal(char *dest, const char *source, size_t nbytes, uint64_t *signal, uint64_t value, int pe)
{
	gshmem_putmem_signal(dest, source, nbytes, signal, value, GSHMEM_SIGNAL_SET, pe);
}

KERNEL putmem_signal_wave(
	char *dest, const char *source, size_t nbytes, uint64_t *signal, uint64_t value, int pe)
{
	gshmemx_putmem_signal_wave(dest, source, nbytes, signal, value, GSHMEM_SIGNAL_SET, pe);
}

KERNEL putmem_signal_wg(
	char *dest, const char *source, size_t nbytes, uint64_t *signal, uint64_t value, int pe)
{
	gshmemx_putmem_signal_wg(dest, source, nbytes, signal, value, GSHMEM_SIGNAL_SET, pe);
}

KERNEL wait_until(int *dest, int value, unsigned long long *ivar, unsigned long long until)
{
	gshmem_ulonglong_wait_until(ivar, GSHMEM_CMP_EQ, until);
	dest[threadIdx.x] = value;
}

KERNEL signal_wait_until(int *dest, int value, uint64_t *signal, uint64_t until)
{
	gshmem_signal_wait_until(signal, GSHMEM_CMP_EQ, until);
	dest[threadIdx.x] = value;
}

KERNEL barrier_all_wg(int *dest, int value)
{
	dest[threadIdx.x] = value;
	gshmemx_barrier_all_wg();
}
