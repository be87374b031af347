/* SPDX-License-Identifier: BSD-3-Clause */
/* Channels of the program's own, in kernels: the bare protocol, with the interface of hostrpc. */
#ifndef GSHMEM_RPC_USER_H
#define GSHMEM_RPC_USER_H

#include <gshmem/rpc/rpc.h>

#ifdef __cplusplus
GSHMEMI_BEGIN_CXX

/*
 * Every lane that takes part calls fill, use, operate and clear with the page. Lanes of a wave with different
 * channels make one call after the other.
 */
template <typename Fill>
GSHMEMI_FN bool gshmemi_rpc_begin(const gshmemx_rpc_channel_t *c, struct gshmemi_rpc_port *port, Fill &fill,
	uint32_t flags, uint32_t nsteps)
{
	const uint64_t lanes = gshmemi_arch_wave_peers((uint64_t)(uintptr_t)c->client);

	if (!gshmemi_rpc_enter_to(c, lanes, (flags & GSHMEMI_RPC_POSTED) != 0,
		    gshmemi_rpc_home(c, gshmemi_arch_caller()), port))
		return false;
	if (c->flags & GSHMEMI_RPC_CLEAR) /* fill sees what the server's clear wrote */
		gshmemi_arch_fence_acquire();
	fill(reinterpret_cast<gshmemx_rpc_page_t *>(gshmemi_rpc_page(c, port->slot)));
	gshmemi_rpc_send(c, port, 0, flags, nsteps);
	return true;
}

template <typename Fill, typename Use>
GSHMEMI_FN bool gshmemx_rpc_invoke(const gshmemx_rpc_channel_t *c, Fill fill, Use use)
{
	struct gshmemi_rpc_port port;

	if (!gshmemi_rpc_begin(c, &port, fill, 0, 1) ||
		gshmemi_rpc_receive(c, &port, "gshmemx_rpc_invoke").status < 0)
		return false;
	use(reinterpret_cast<gshmemx_rpc_page_t *>(gshmemi_rpc_page(c, port.slot)));
	if (c->flags & GSHMEMI_RPC_CLEAR)
		gshmemi_rpc_send(c, &port, 0, GSHMEMI_RPC_POSTED, 1); /* says that the answer has been used */
	else
		/* use may have written: that comes before the fill of the slot's next call */
		gshmemi_arch_fence_release();
	gshmemi_rpc_leave(c, &port, c->flags & GSHMEMI_RPC_CLEAR);
	return true;
}

template <typename Fill> GSHMEMI_FN bool gshmemx_rpc_invoke(const gshmemx_rpc_channel_t *c, Fill fill)
{
	struct gshmemi_rpc_port port;

	if (!gshmemi_rpc_begin(c, &port, fill, GSHMEMI_RPC_POSTED, c->flags & GSHMEMI_RPC_CLEAR ? 2 : 1))
		return false;
	gshmemi_rpc_leave(c, &port, 1);
	return true;
}

/*
 * Take a slot with a new request; returns GSHMEMI_RPC_NO_SLOT if there is none. *seq_p and *nsteps_p receive
 * its number and steps. The search starts after the last slot that was found, so a client that calls again at
 * once comes after those that wait.
 */
GSHMEMI_FN uint32_t gshmemi_rpc_take_any(
	const gshmemx_rpc_channel_t *c, uint64_t lanes, uint32_t *seq_p, uint32_t *nsteps_p)
{
	uint32_t *next = &c->server[c->nslots], slot, seq = 0, i;
	uint64_t found = GSHMEMI_RPC_NO_SLOT, nsteps = 0;

	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0) {
		slot = (uint32_t)gshmemi_arch_load(next, 4);
		for (i = 0; i < c->nslots && !nsteps; i++) {
			if (gshmemi_rpc_is_posted(c, slot) && (nsteps = gshmemi_rpc_take(c, slot, &seq)) != 0)
				found = slot;
			slot = slot + 1 < c->nslots ? slot + 1 : 0;
		}
		if (nsteps)
			gshmemi_arch_store(next, slot, 4);
		found |= (uint64_t)seq << 32;
	}
	found = gshmemi_arch_broadcast(found, lanes);
	*nsteps_p = (uint32_t)gshmemi_arch_broadcast(nsteps, lanes);
	*seq_p = (uint32_t)(found >> 32);
	return (uint32_t)found;
}

template <typename Operate, typename Clear>
GSHMEMI_FN bool gshmemx_rpc_handle(const gshmemx_rpc_channel_t *c, Operate operate, Clear clear)
{
	const uint64_t lanes = gshmemi_arch_wave_peers((uint64_t)(uintptr_t)c->server);
	uint32_t seq, nsteps, slot = gshmemi_rpc_take_any(c, lanes, &seq, &nsteps);
	gshmemx_rpc_page_t *page;

	if (!nsteps)
		return false;
	page = reinterpret_cast<gshmemx_rpc_page_t *>(gshmemi_rpc_page(c, slot));
	gshmemi_arch_fence_acquire();
	if (nsteps == 2 || !(c->flags & GSHMEMI_RPC_CLEAR) || seq & 1)
		operate(page);
	if (nsteps == 2 || (c->flags & GSHMEMI_RPC_CLEAR && !(seq & 1)))
		clear(page);
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		gshmemi_rpc_give(c, slot, seq, GSHMEMI_RPC_OK, 0);
	return true;
}

template <typename Operate>
GSHMEMI_FN bool gshmemx_rpc_handle(const gshmemx_rpc_channel_t *c, Operate operate)
{
	return gshmemx_rpc_handle(c, operate, [](gshmemx_rpc_page_t *) {});
}

GSHMEMI_END_CXX
#endif

#endif /* GSHMEM_RPC_USER_H */
