/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message passing in a ring, for the tests named order_*. In each round every PE sends data and then a flag
 * to the next one, waits for the flag of the previous one, checks the data, and acknowledges. Senders and
 * receivers are threads, waves and work-groups of kernels, and hosts; each pair has its own channel.
 */
#ifndef T_ORDER_H
#define T_ORDER_H

#include "order_calls.h"

/* How data and flag are sent. */
enum order_kind {
	PUT_P, /* wrong on purpose: nothing in between */
	PUT_FENCE_P,
	PUT_QUIET_P,
	PUT_PE_QUIET_P,
	P_FENCE_P,
	IPUT_FENCE_P,
	PUT_NBI_FENCE_SIGNAL_SET,
	PUT_NBI_QUIET_P,
	PUT_SIGNAL_SET,
	PUT_SIGNAL_ADD,
	PUT_SIGNAL_NBI,
	PUT_FENCE_PUT_SIGNAL,
	AMO_FENCE_INC,
	PUT_FENCE_AMO, /* an atomic that returns a value */
	PUT_FENCE_AMO_NBI,
	NKINDS
};
static const char *const order_names[NKINDS] = {
	"put, p",
	"put, fence, p",
	"put, quiet, p",
	"put, pe_quiet, p",
	"p, fence, p",
	"iput, fence, p",
	"put_nbi, fence, signal_set",
	"put_nbi, quiet, p",
	"put_signal set",
	"put_signal add",
	"put_signal_nbi",
	"put, fence, put_signal",
	"atomic_add, fence, atomic_inc",
	"put, fence, fetching atomic",
	"put, fence, fetching atomic nbi",
};

/* Who takes part: all kernels; all hosts; both, alternately. */
enum order_mode { KERNELS, HOSTS, MIXED, NMODES };
static const char *const order_mode_names[] = {"kernels", "hosts", "hosts and kernels"};

#define NWORDS 24

struct order_channel {
	uint64_t data[NWORDS];
	uint64_t source[2 * NWORDS]; /* a kernel's own */
	uint64_t flag;
	uint64_t ack;
};

struct order_result {
	unsigned nerrors;
	uint64_t round, word, got; /* of the first */
};

/* ---- one round ---- */

T_HD uint64_t order_value(int kind, uint64_t round, unsigned word)
{
	return kind == AMO_FENCE_INC ? round : round * 1000 + word;
}

/* Send data, then the flag; *old, of the leader, is filled by PUT_FENCE_AMO_NBI alone, by its next quiet. */
T_HD void order_send(int kind, const struct order_member *m, struct order_channel *c, uint64_t *source,
	uint64_t round, uint64_t *old, int pe)
{
	const int leads = m->rank == 0;
	const unsigned sst = kind == IPUT_FENCE_P ? 2 : 1;
	unsigned i;

	for (i = m->rank; i < NWORDS; i += m->size)
		source[i * sst] = order_value(kind, round, i);
	switch (kind) {
	case P_FENCE_P:
		for (i = m->rank; i < NWORDS; i += m->size)
			gshmem_uint64_p(&c->data[i], source[i], pe);
		break;
	case AMO_FENCE_INC:
		for (i = m->rank; i < NWORDS; i += m->size)
			gshmem_uint64_atomic_add(&c->data[i], 1, pe);
		break;
	case IPUT_FENCE_P:
		order_iput(m->scope, c->data, source, 2, NWORDS, pe);
		break;
	case PUT_NBI_FENCE_SIGNAL_SET:
	case PUT_NBI_QUIET_P:
		order_put_nbi(m->scope, c->data, source, NWORDS, pe);
		break;
	case PUT_SIGNAL_SET:
		order_put_signal(m->scope, c->data, source, NWORDS, &c->flag, round, GSHMEM_SIGNAL_SET, pe);
		return;
	case PUT_SIGNAL_ADD:
		order_put_signal(m->scope, c->data, source, NWORDS, &c->flag, 1, GSHMEM_SIGNAL_ADD, pe);
		return;
	case PUT_SIGNAL_NBI:
		order_put_signal_nbi(m->scope, c->data, source, NWORDS, &c->flag, 1, GSHMEM_SIGNAL_ADD, pe);
		return;
	case PUT_FENCE_PUT_SIGNAL:
		order_put(m->scope, c->data, source, NWORDS - 5, pe);
		order_fence(m->scope);
		order_put_signal(m->scope, c->data + NWORDS - 5, source + NWORDS - 5, 5, &c->flag, round,
			GSHMEM_SIGNAL_SET, pe);
		return;
	default:
		order_put(m->scope, c->data, source, NWORDS, pe);
	}

	if (kind == PUT_QUIET_P || kind == PUT_NBI_QUIET_P)
		order_quiet(m->scope);
	else if (kind == PUT_PE_QUIET_P)
		gshmem_pe_quiet(&pe, 1);
	else if (kind != PUT_P)
		order_fence(m->scope);
	/* pe_quiet has no form for groups, so only the thread that made the operation may go on. */
	if (!leads)
		return;
	switch (kind) {
	case PUT_NBI_FENCE_SIGNAL_SET:
		gshmem_signal_set(&c->flag, round, pe);
		break;
	case AMO_FENCE_INC:
		gshmem_uint64_atomic_inc(&c->flag, pe);
		break;
	case PUT_FENCE_AMO:
		if (round % 3 == 0)
			gshmem_uint64_atomic_fetch_inc(&c->flag, pe);
		else if (round % 3 == 1)
			gshmem_uint64_atomic_swap(&c->flag, round, pe);
		else
			gshmem_uint64_atomic_compare_swap(&c->flag, round - 1, round, pe);
		break;
	case PUT_FENCE_AMO_NBI:
		gshmem_uint64_atomic_fetch_inc_nbi(old, &c->flag, pe);
		break;
	default:
		gshmem_uint64_p(&c->flag, round, pe);
	}
}

/* Rounds on one channel. The data is read from got: the channel itself, or a host's copy of it. */
T_HD void order_exchange(int kind, const struct order_member *m, struct order_channel *c, uint64_t *source,
	uint64_t *copy, unsigned nrounds, int next, int previous, int me, struct order_result *first,
	unsigned *nerrors)
{
	const volatile uint64_t *got = copy ? copy : c->data;
	uint64_t old, round, value;
	unsigned i;

	for (round = 1; round <= nrounds; round++) {
		old = round - 1;
		order_send(kind, m, c, source, round, &old, next);
		order_wait(m->scope, (unsigned)round, &c->flag, round);
		if (copy)
			gshmem_uint64_get(copy, c->data, NWORDS, me);
		for (i = m->rank; i < NWORDS; i += m->size) {
			value = got[i];
			if (value == order_value(kind, round, i))
				continue;
			if ((*nerrors)++ == 0) {
				first->round = round;
				first->word = i;
				first->got = value;
			}
		}
		order_fence(m->scope); /* a group has read all of it */
		if (m->rank == 0)
			gshmem_uint64_p(&c->ack, round, previous);
		order_wait(m->scope, 2, &c->ack, round);
		if (kind == PUT_NBI_FENCE_SIGNAL_SET || kind == PUT_SIGNAL_NBI || kind == PUT_FENCE_AMO_NBI)
			order_quiet(m->scope); /* source may be reused, and old has arrived */
		if (old != round - 1 && (*nerrors)++ == 0)
			first->got = old;
	}
}

/* ---- by whom ---- */

static __global__ void order_kernel(int kind, int scope, struct order_channel *channels, unsigned nrounds,
	int next, int previous, struct order_result *result)
{
	const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	struct order_member m = {scope, 0, 1};
	unsigned channel = thread, nerrors = 0;
	struct order_result first = {};

	if (scope == WAVE) {
		m.rank = thread % warpSize;
		m.size = warpSize;
		channel = thread / warpSize;
	} else if (scope == WG) {
		m.rank = threadIdx.x;
		m.size = blockDim.x;
		channel = blockIdx.x;
	}
	order_exchange(kind, &m, &channels[channel], channels[channel].source, NULL, nrounds, next, previous,
		gshmem_my_pe(), &first, &nerrors);
	if (nerrors && atomicAdd(&result->nerrors, nerrors) == 0) {
		result->round = first.round;
		result->word = first.word;
		result->got = first.got;
	}
}

/* Blocks and threads; a channel for each thread, wave or block. */
static unsigned order_nblocks(int mode)
{
	return mode == KERNELS ? 2 : 1;
}

static unsigned order_nthreads(int mode, int scope)
{
	if (scope == THREAD)
		return mode == KERNELS ? 6 : 1;
	if (scope == WAVE)
		return (mode == KERNELS ? 2 : 1) * t_wave_width();
	return 96;
}

#define ORDER_MAX_CHANNELS 16

/* All PEs exchange in this way; returns what this PE found wrong. */
static struct order_result order_run(int kind, int mode, int scope, unsigned nrounds)
{
	static struct order_channel *channels, zero[ORDER_MAX_CHANNELS];
	static struct order_result *device_result;
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes,
		  previous = (me + npes - 1) % npes;
	struct order_result result = {};
	uint64_t source[2 * NWORDS] = {}, copy[NWORDS];
	struct order_member host = {scope, 0, 1};

	if (!channels) {
		channels = (struct order_channel *)gshmem_malloc(sizeof zero);
		t_check(channels, "gshmem_malloc");
		t_hip(hipMalloc((void **)&device_result, sizeof result));
	}
	t_hip(hipMemcpy(channels, zero, sizeof zero, hipMemcpyHostToDevice));
	t_hip(hipMemcpy(device_result, &result, sizeof result, hipMemcpyHostToDevice));
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	if (mode == HOSTS || (mode == MIXED && me % 2 == 0)) {
		order_exchange(kind, &host, channels, source, copy, nrounds, next, previous, me, &result,
			&result.nerrors);
	} else {
		hipLaunchKernelGGL(order_kernel, dim3(order_nblocks(mode)), dim3(order_nthreads(mode, scope)),
			0, 0, kind, scope, channels, nrounds, next, previous, device_result);
		t_hip(hipDeviceSynchronize());
		t_hip(hipMemcpy(&result, device_result, sizeof result, hipMemcpyDeviceToHost));
	}
	gshmem_barrier_all();
	return result;
}

/* Run a test of these kinds, which must hold in every mode and scope, and end the test. */
static inline int order_test(const int *kinds, int nkinds, unsigned nrounds)
{
	struct order_result result;
	int k, mode, scope, status = 0;

	gshmem_init();
	for (k = 0; k < nkinds; k++)
		for (mode = 0; mode < NMODES; mode++)
			for (scope = THREAD; scope <= (kinds[k] == PUT_PE_QUIET_P ? THREAD : WG); scope++) {
				result = order_run(kinds[k], mode, scope, nrounds);
				if (!result.nerrors)
					continue;
				fprintf(stderr,
					"PE %d: %s by %s of %s: %u words wrong; the first in round %llu, word %llu: %llu\n",
					gshmem_my_pe(), order_names[kinds[k]], order_scope_names[scope],
					order_mode_names[mode], result.nerrors,
					(unsigned long long)result.round, (unsigned long long)result.word,
					(unsigned long long)result.got);
				status = 1;
			}
	gshmem_finalize();
	return status;
}

#endif /* T_ORDER_H */
