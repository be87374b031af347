/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual memory for tests: adjacent mappings of hipMemCreate, as frameworks' allocators grow their segments.
 */
#ifndef T_VIRTUAL_H
#define T_VIRTUAL_H

#include <hip/hip_runtime_api.h>
#include <string.h>
#include "helpers.h"

enum { T_MOST_PIECES = 20 };

struct t_virtual {
	char *base;
	size_t nbytes;
	size_t npieces;
	size_t piece_nbytes[T_MOST_PIECES];
};

static inline hipMemAllocationProp t_virtual_prop(hipMemAllocationHandleType type)
{
	hipMemAllocationProp prop;
	int device;

	t_hip(hipGetDevice(&device));
	memset(&prop, 0, sizeof prop);
	prop.type = hipMemAllocationTypePinned;
	prop.location.type = hipMemLocationTypeDevice;
	prop.location.id = device;
	prop.requestedHandleType = type;
	return prop;
}

static inline size_t t_virtual_granule(void)
{
	const hipMemAllocationProp prop = t_virtual_prop(hipMemHandleTypePosixFileDescriptor);
	size_t granule = 0;

	t_hip(hipMemGetAllocationGranularity(&granule, &prop, hipMemAllocationGranularityMinimum));
	return granule;
}

/* ROCm before 6.1 has the calls, and no virtual memory. */
static inline void t_virtual_needed(void)
{
	const hipMemAllocationProp prop = t_virtual_prop(hipMemHandleTypePosixFileDescriptor);
	size_t granule = 0;

	(void)hipMemGetAllocationGranularity(&granule, &prop, hipMemAllocationGranularityMinimum);
	if (!granule)
		t_skip("this HIP has no virtual memory");
}

/* npieces mappings, every other one of two granules; their handles are released at once. */
static inline struct t_virtual t_virtual_make(size_t npieces, hipMemAllocationHandleType type)
{
	const hipMemAllocationProp prop = t_virtual_prop(type);
	const size_t granule = t_virtual_granule();
	hipMemGenericAllocationHandle_t handle;
	struct t_virtual v;
	hipMemAccessDesc desc;
	size_t at = 0, i;
	void *base;

	memset(&v, 0, sizeof v);
	memset(&desc, 0, sizeof desc);
	v.npieces = npieces;
	for (i = 0; i < npieces; i++)
		v.nbytes += v.piece_nbytes[i] = granule * (1 + i % 2);
	t_hip(hipMemAddressReserve(&base, v.nbytes, 0, NULL, 0));
	v.base = (char *)base;
	for (i = 0; i < npieces; at += v.piece_nbytes[i++]) {
		t_hip(hipMemCreate(&handle, v.piece_nbytes[i], &prop, 0));
		t_hip(hipMemMap(v.base + at, v.piece_nbytes[i], 0, handle, 0));
		t_hip(hipMemRelease(handle));
	}
	desc.location = prop.location;
	desc.flags = hipMemAccessFlagsProtReadWrite;
	t_hip(hipMemSetAccess(v.base, v.nbytes, &desc, 1));
	return v;
}

static inline void t_virtual_free(struct t_virtual *v)
{
	size_t at = 0, i;

	for (i = 0; i < v->npieces; at += v->piece_nbytes[i++])
		t_hip(hipMemUnmap(v->base + at, v->piece_nbytes[i]));
	t_hip(hipMemAddressFree(v->base, v->nbytes));
	v->base = NULL;
}

#endif /* T_VIRTUAL_H */
