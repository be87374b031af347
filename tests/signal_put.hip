/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,8 */
/* env: GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=64 GSHMEM_CHECK=1 | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_DIVERGE=random:5 */
/*
 * Whoever sees the signal sees the data of its put: SET and ADD, blocking and _nbi, by a thread, a wave, a
 * work-group and the host, received by kernels of all scopes and by the host. Several PEs that ADD to one
 * signal lose nothing. signal_wait_until returns the value that ended the wait. (Lanes do not diverge here: a
 * diverged wave's ADD counts once per part.)
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#define NELEMS   300
#define NTHREADS 130
#define NROUNDS  6

/* What PE pe sends in a round. */
T_HD long element(int pe, int round, size_t i)
{
	return pe * 1000000L + round * 1000L + (long)i + 1;
}

static __host__ __device__ void send(int scope, bool nbi, long *dest, const long *source, uint64_t *sig,
	uint64_t signal, int sig_op, int pe)
{
	switch (scope * 2 + nbi) {
	case T_WAVE * 2:
		gshmemx_long_put_signal_wave(dest, source, NELEMS, sig, signal, sig_op, pe);
		break;
	case T_WAVE * 2 + 1:
		gshmemx_putmem_signal_nbi_wave(dest, source, NELEMS * sizeof(long), sig, signal, sig_op, pe);
		break;
	case T_WG * 2:
		gshmemx_put64_signal_wg(dest, source, NELEMS, sig, signal, sig_op, pe);
		break;
	case T_WG * 2 + 1:
		gshmemx_long_put_signal_nbi_wg(dest, source, NELEMS, sig, signal, sig_op, pe);
		break;
	case T_THREAD * 2:
	case T_HOST * 2:
		gshmem_long_put_signal(dest, source, NELEMS, sig, signal, sig_op, pe);
		break;
	default:
		gshmem_put64_signal_nbi(dest, source, NELEMS, sig, signal, sig_op, pe);
		break;
	}
}

/* Returns the value of the signal. */
static __host__ __device__ uint64_t receive(int scope, uint64_t *sig, uint64_t signal)
{
	switch (scope) {
	case T_WAVE:
		return gshmemx_signal_wait_until_wave(sig, GSHMEM_CMP_EQ, signal);
	case T_WG:
		return gshmemx_signal_wait_until_wg(sig, GSHMEM_CMP_GE, signal);
	default:
		return gshmem_signal_wait_until(sig, GSHMEM_CMP_GE, signal);
	}
}

/* Send to the next PE, wait for the previous one, and count what is wrong. */
static __global__ void exchange(int scope, bool nbi, int sig_op, long *dest, long *source, uint64_t *sig,
	int round, uint64_t signal, uint64_t total, unsigned *nwrong)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes,
		  previous = (me + npes - 1) % npes;
	const size_t first = scope == T_WG ? t_rank() : t_rank() % warpSize,
		     step = scope == T_WG ? NTHREADS : warpSize;

	if (scope == T_THREAD) {
		if (t_rank() != 3)
			return;
		for (size_t i = 0; i < NELEMS; i++)
			source[i] = element(me, round, i);
		send(scope, nbi, dest, source, sig, signal, sig_op, next);
		if (receive(scope, sig, total) != total)
			atomicAdd(nwrong, 1);
		for (size_t i = 0; i < NELEMS; i++)
			if (dest[i] != element(previous, round, i))
				atomicAdd(nwrong, 1);
	} else if (scope == T_WG || t_rank() < (unsigned)warpSize) {
		for (size_t i = first; i < NELEMS && first < step; i += step)
			source[i] = element(me, round, i);
		send(scope, nbi, dest, source, sig, signal, sig_op, next);
		if (receive(scope, sig, total) != total)
			atomicAdd(nwrong, 1);
		for (size_t i = first; i < NELEMS && first < step; i += step)
			if (dest[i] != element(previous, round, i))
				atomicAdd(nwrong, 1);
	}
}

static void exchange_on_host(bool nbi, int sig_op, long *dest, long *source, uint64_t *sig, int round,
	uint64_t signal, uint64_t total)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes,
		  previous = (me + npes - 1) % npes;
	long data[NELEMS];
	uint64_t got;

	for (size_t i = 0; i < NELEMS; i++)
		data[i] = element(me, round, i);
	t_to_device(source, data, sizeof data);
	send(T_HOST, nbi, dest, source, sig, signal, sig_op, next);
	got = receive(T_HOST, sig, total);
	t_check(got == total, "PE %d: signal_wait_until on the host: expected %lu, got %lu", me, total, got);
	got = gshmem_signal_fetch(sig);
	t_check(got == total, "PE %d: signal_fetch on the host: expected %lu, got %lu", me, total, got);
	t_from_device(data, dest, sizeof data);
	for (size_t i = 0; i < NELEMS; i++)
		t_check(data[i] == element(previous, round, i),
			"PE %d: put_signal%s on the host, element %zu: expected "
			"%ld, got %ld",
			me, nbi ? "_nbi" : "", i, element(previous, round, i), data[i]);
}

/* Every wave of every PE adds to one signal of the last PE after its own put. */
static __global__ void add_many(long *dest, const long *source, uint64_t *sig, int pe)
{
	const unsigned wave = t_rank() / warpSize, nwaves = (t_count() + warpSize - 1) / warpSize;
	long *mine = dest + (gshmem_my_pe() * nwaves + wave) * 16;

	for (int i = 0; i < NROUNDS; i++)
		gshmemx_long_put_signal_nbi_wave(
			mine, source, 16, sig, 1ULL << 20 | 1, GSHMEM_SIGNAL_ADD, pe);
	gshmem_long_put_signal(dest + gshmem_n_pes() * nwaves * 16 + gshmem_my_pe() * t_count() + t_rank(),
		source, 1, sig, 1, GSHMEM_SIGNAL_ADD, pe);
	gshmemx_quiet_wg();
}

/* signal_set and signal_add from threads to threads. */
static __global__ void ring(uint64_t *sig, uint64_t *seen)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();

	if (me == 0) {
		gshmem_signal_set(sig, 40, 1 % npes);
		*seen = gshmem_signal_wait_until(sig, GSHMEM_CMP_NE, 0);
	} else {
		*seen = gshmem_signal_wait_until(sig, GSHMEM_CMP_NE, 0);
		gshmem_signal_set(sig, *seen + 1, (me + 1) % npes);
	}
	gshmem_signal_add(sig + 1, 7, 0);
	gshmem_quiet();
}

int main()
{
	long *dest, *source;
	uint64_t *sig, totals[2] = {0, 0};
	unsigned *nwrong, wrong;
	int me, npes, round = 0;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	dest = (long *)gshmem_calloc(npes * 1000, sizeof(long));
	gshmemx_race_ok(dest, npes * 1000 * sizeof(long)); /* puts of one place have no order */
	source = (long *)gshmem_calloc(NELEMS, sizeof(long));
	sig = (uint64_t *)gshmem_calloc(4, sizeof *sig);
	nwrong = (unsigned *)t_hipmalloc(sizeof *nwrong);
	t_memset(nwrong, 0, sizeof *nwrong);

	for (int repeat = 0; repeat < NROUNDS; repeat++)
		for (int scope = T_THREAD; scope <= T_HOST; scope++)
			for (int form = 0; form < 4; form++) {
				int sig_op = form & 1 ? GSHMEM_SIGNAL_ADD : GSHMEM_SIGNAL_SET;
				bool nbi = form & 2;
				uint64_t signal, *total = &totals[form & 1];

				round++;
				signal = form & 1 ? (uint64_t)round : *total + 1;
				*total += form & 1 ? signal : 1;
				if (scope == T_HOST)
					exchange_on_host(nbi, sig_op, dest, source, sig + (form & 1), round,
						signal, *total);
				else
					t_launch(exchange, 1, NTHREADS, scope, nbi, sig_op, dest, source,
						sig + (form & 1), round, signal, *total, nwrong);
				t_from_device(&wrong, nwrong, sizeof wrong);
				t_check(wrong == 0,
					"PE %d: put_signal%s %s by %s: %u values are not what was sent", me,
					nbi ? "_nbi" : "", form & 1 ? "ADD" : "SET", t_scope_names[scope],
					wrong);
				gshmem_barrier_all();
			}

	/* Concurrent ADDs, from kernels and hosts. */
	hipLaunchKernelGGL(add_many, dim3(1), dim3(NTHREADS), 0, 0, dest, source, sig + 2, npes - 1);
	for (int i = 0; i < NROUNDS; i++)
		gshmem_signal_add(sig + 2, 1ULL << 40, npes - 1);
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	if (me == npes - 1) {
		hipDeviceProp_t prop;
		t_hip(hipGetDeviceProperties(&prop, 0));
		uint64_t nwaves = (NTHREADS + prop.warpSize - 1) / prop.warpSize,
			 got = gshmem_signal_fetch(sig + 2);
		/* The lower 20 bits count puts of threads, the next ones those of waves. */
		uint64_t of_hosts = got >> 40, of_waves = got >> 20 & 0xFFFFF, of_all = got & 0xFFFFF;

		t_check(of_hosts == (uint64_t)npes * NROUNDS,
			"signal_add from %d hosts: expected %d, got %lu", npes, npes * NROUNDS, of_hosts);
		t_check(of_all - of_waves == (uint64_t)npes * NTHREADS,
			"put_signal ADD from threads of %d PEs: expected %d, "
			"got %lu",
			npes, npes * NTHREADS, of_all - of_waves);
		t_check(of_waves == npes * nwaves * NROUNDS,
			"put_signal ADD from waves of %d PEs: expected %lu, got %lu", npes,
			npes * nwaves * NROUNDS, of_waves);
	}

	/* Set and add, one after another. */
	uint64_t *ring_sig = (uint64_t *)gshmem_calloc(3, sizeof *sig);
	t_launch(ring, 1, 1, ring_sig, ring_sig + 2);
	gshmem_barrier_all();
	uint64_t got = t_read_u64(ring_sig + 2), want = 40 + (me ? me - 1 : npes - 1);
	t_check(got == want, "PE %d: signal_set round the ring: expected %lu, got %lu", me, want, got);
	if (me == 0) {
		got = t_read_u64(ring_sig + 1);
		t_check(got == 7ULL * npes, "signal_add: expected %d, got %lu", 7 * npes, got);
	}
	gshmem_finalize();
	return 0;
}
