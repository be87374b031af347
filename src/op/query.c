/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries: this PE and its job, the version, and which PEs this one can reach. */
#include "base/base.h"

#include <gshmem/state/peer.h>
#include <string.h>

#include "device/devmem.h"
#include "heap/heap.h"
#include "ipc/globals.h"
#include "ipc/region.h"
#include "job/job.h"
#include "net/net.h"
#include "op/op.h"

int gshmemi_host_my_pe(void)
{
	GSHMEMI_ENTER("gshmem_my_pe");
	return gshmemi_state.my_pe;
}

int gshmemi_host_n_pes(void)
{
	GSHMEMI_ENTER("gshmem_n_pes");
	return gshmemi_state.npes;
}

int gshmem_my_pe(void)
{
	return gshmemi_host_my_pe();
}

int gshmem_n_pes(void)
{
	return gshmemi_host_n_pes();
}

static bool is_mapped(int pe)
{
	return gshmemi_region_delta(GSHMEMI_REGION_HEAP, pe) != GSHMEMI_SENTINEL;
}

static bool is_accessible(int pe)
{
	return pe >= 0 && pe < gshmemi_state.npes && (gshmemi_net_is_running() || is_mapped(pe));
}

int gshmem_pe_accessible(int pe)
{
	GSHMEMI_ENTER("gshmem_pe_accessible");
	return is_accessible(pe);
}

int gshmem_addr_accessible(const void *addr, int pe)
{
	GSHMEMI_ENTER("gshmem_addr_accessible");
	return is_accessible(pe) && gshmemi_is_symmetric(addr);
}

void *gshmemi_host_ptr(const void *dest, int pe)
{
	GSHMEMI_ENTER("gshmem_ptr");
	if (!gshmemi_is_symmetric(dest))
		return NULL;
	if (pe == gshmemi_state.my_pe)
		return (void *)(uintptr_t)dest;
	if (!is_accessible(pe) || !is_mapped(pe) || gshmemi_state.peers[pe] & GSHMEMI_PEER_CARRIED)
		return NULL;
	return (char *)(uintptr_t)dest + gshmemi_region_delta(GSHMEMI_REGION_HEAP, pe);
}

void *gshmem_ptr(const void *dest, int pe)
{
	return gshmemi_host_ptr(dest, pe);
}

static void *heap_of(const void *my_heap, int pe)
{
	return gshmemi_host_ptr(my_heap, pe);
}

int gshmemx_peer_bases(void **bases)
{
	const int rc = gshmemi_enter_int("gshmemx_peer_bases");

	if (rc)
		return rc;
	return gshmemi_devmem_table(
		bases, gshmemi_state.npes, heap_of, gshmemi_heap.base, "gshmemx_peer_bases");
}

void gshmem_info_get_version(int *major, int *minor)
{
	*major = GSHMEM_MAJOR_VERSION;
	*minor = GSHMEM_MINOR_VERSION;
}

int gshmemx_version(void)
{
	return GSHMEMX_VERSION;
}

_Static_assert(GSHMEM_MAJOR_VERSION == 1 && GSHMEM_MINOR_VERSION == 6, "as in the text");
const char gshmemi_version_text[] = GSHMEM_VENDOR_STRING ", OpenSHMEM 1.6, platform " GSHMEMI_ARCH_NAME;

void gshmem_info_get_name(char *name)
{
	_Static_assert(sizeof GSHMEM_VENDOR_STRING <= GSHMEM_MAX_NAME_LEN, "the name fits");
	memcpy(name, GSHMEM_VENDOR_STRING, sizeof GSHMEM_VENDOR_STRING);
}

void gshmem_pcontrol(int level, ...)
{
	(void)level;
}
