/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The system, agents, ISAs and memory pools, and their properties: the CPU, and GPUs that are peers of each
 * other over XGMI. Properties are those of an MI250X, except compute units and memory. A pool's handle is its
 * agent's with the kind in the lowest bits.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hsa.h"

enum { FIRST_BUS = 0x10, CHIP_ID = 0x740c, KIND_BITS = 4 };

#define PUT(type, what) (*(type *)value = (type)(what), HSA_STATUS_SUCCESS)
#define COPY(...)       (memcpy(value, __VA_ARGS__, sizeof(__VA_ARGS__)), HSA_STATUS_SUCCESS)

static hsa_status_t refuse(const char *call, int what)
{
	message("%s: property 0x%x is not simulated", call, (unsigned)what);
	return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- the system ---- */

uint64_t timestamp(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void start_thread(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg) || pthread_detach(thread))
		die("no more threads");
}

/* HSA's header declares these two without prototypes. */
hsa_status_t hsa_init(void);
hsa_status_t hsa_shut_down(void);

hsa_status_t hsa_init(void)
{
	if (config()->gpu == GFX90A)
		return HSA_STATUS_SUCCESS;
	message("AMDSIM_GPU=%s: AMD's HIP 5.2 does not know it, use gfx90a", gpu_name(config()->gpu));
	return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_shut_down(void)
{
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_status_string(hsa_status_t status, const char **text_p)
{
	static _Thread_local char text[64];

	snprintf(text, sizeof(text), "%s 0x%x",
		(unsigned)status == HSA_STATUS_ERROR_EXCEPTION ? "HSA_STATUS_ERROR_EXCEPTION" : "HSA status",
		(unsigned)status);
	*text_p = text;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_get_info(hsa_system_info_t what, void *value)
{
	switch ((int)what) {
	case HSA_SYSTEM_INFO_VERSION_MAJOR:
	case HSA_SYSTEM_INFO_VERSION_MINOR:
		return PUT(uint16_t, 1);
	case HSA_SYSTEM_INFO_TIMESTAMP:
		return PUT(uint64_t, timestamp());
	case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
		return PUT(uint64_t, 1000000000);
	case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
	case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
		return PUT(bool, false);
	default:
		return refuse("hsa_system_get_info", (int)what);
	}
}

/* Extensions are images, and a way to look at loaded code. */
hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t major, uint16_t minor, bool *value)
{
	(void)extension, (void)major, (void)minor;
	return PUT(bool, false);
}

hsa_status_t hsa_agent_extension_supported(
	uint16_t extension, hsa_agent_t agent, uint16_t major, uint16_t minor, bool *value)
{
	(void)extension, (void)agent, (void)major, (void)minor;
	return PUT(bool, false);
}

hsa_status_t hsa_system_get_major_extension_table(
	uint16_t extension, uint16_t major, size_t nbytes, void *table)
{
	(void)extension, (void)major, (void)nbytes, (void)table;
	return HSA_STATUS_ERROR;
}

/* ---- agents ---- */

hsa_status_t hsa_iterate_agents(hsa_status_t (*call)(hsa_agent_t, void *), void *data)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;

	for (int device = -1; device < config()->ndevices && !status; device++)
		status = call(device_agent(device), data);
	return status;
}

static hsa_status_t put_uuid(char *value, int device)
{
	sprintf(value, "GPU-%08x%08x", (unsigned)CHIP_ID, (unsigned)device);
	return HSA_STATUS_SUCCESS;
}

/* What all agents have. */
static hsa_status_t put_common(int device, int what, void *value)
{
	switch (what) {
	case HSA_AGENT_INFO_NAME:
		strcpy(value, device < 0 ? "CPU" : gpu_name(config()->gpu));
		return HSA_STATUS_SUCCESS;
	case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
		strcpy(value, device < 0 ? "CPU" : "AMD Instinct MI250X");
		return HSA_STATUS_SUCCESS;
	case HSA_AGENT_INFO_DEVICE:
		return PUT(hsa_device_type_t, device < 0 ? HSA_DEVICE_TYPE_CPU : HSA_DEVICE_TYPE_GPU);
	case HSA_AGENT_INFO_PROFILE:
		return PUT(hsa_profile_t, HSA_PROFILE_BASE);
	case HSA_AGENT_INFO_EXTENSIONS:
		return memset(value, 0, 128), HSA_STATUS_SUCCESS;
	case HSA_AGENT_INFO_VERSION_MAJOR:
	case HSA_AGENT_INFO_VERSION_MINOR:
		return PUT(uint16_t, 1);
	case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
		return PUT(uint32_t, device + 1);
	case HSA_AMD_AGENT_INFO_DOMAIN:
		return PUT(uint32_t, 0);
	default:
		return refuse("hsa_agent_get_info", what);
	}
}

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t what, void *value)
{
	const int device = agent_device(agent);

	switch (device < 0 ? -1 : (int)what) {
	case HSA_AGENT_INFO_WAVEFRONT_SIZE:
		return PUT(uint32_t, 64);
	case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
		return PUT(uint32_t, BLOCK_THREADS);
	case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
		return COPY((uint16_t[]){1024, 1024, 1024});
	case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
		return PUT(uint32_t, 131072);
	case HSA_AGENT_INFO_CACHE_SIZE:
		return COPY((uint32_t[]){16 << 10, 8 << 20, 0, 0});
	case HSA_AMD_AGENT_INFO_CHIP_ID:
		return PUT(uint32_t, CHIP_ID);
	case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
		return PUT(uint32_t, 64);
	case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
	case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
		return PUT(uint32_t, config()->ncus);
	case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
		return PUT(uint32_t, 1700); /* MHz */
	case HSA_AMD_AGENT_INFO_BDFID:
		return PUT(uint32_t, (FIRST_BUS + device) << 8);
	case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
		return PUT(uint32_t, 4096);
	case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
		return PUT(uint32_t, 1600);
	case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
		return PUT(uint32_t, 32);
	case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
		return PUT(uint32_t, 4);
	case HSA_AMD_AGENT_INFO_HDP_FLUSH:
		return COPY((hsa_amd_hdp_flush_t[1]){{NULL, NULL}});
	case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
		return PUT(bool, true);
	case HSA_AMD_AGENT_INFO_UUID:
		return put_uuid(value, device);
	case HSA_AMD_AGENT_INFO_ASIC_REVISION:
		return PUT(uint32_t, 1);
	case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
		return PUT(bool, false);
	default:
		return put_common(device, (int)what, value);
	}
}

/* An agent has one ISA, with its handle. */
hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent, hsa_status_t (*call)(hsa_isa_t, void *), void *data)
{
	return call((hsa_isa_t){agent.handle}, data);
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t what, void *value)
{
	static const char name[] = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";

	(void)isa;
	switch (what) {
	case HSA_ISA_INFO_NAME_LENGTH:
		return PUT(uint32_t, sizeof(name) - 1);
	case HSA_ISA_INFO_NAME:
		return COPY(name);
	default:
		return refuse("hsa_isa_get_info_alt", (int)what);
	}
}

hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t type)
{
	(void)agent, (void)type;
	return HSA_STATUS_SUCCESS;
}

/* ---- pools ---- */

enum pool_kind pool_kind(hsa_amd_memory_pool_t pool)
{
	return (enum pool_kind)(pool.handle & ((1U << KIND_BITS) - 1));
}

int pool_device(hsa_amd_memory_pool_t pool)
{
	return agent_device((hsa_agent_t){pool.handle >> KIND_BITS});
}

hsa_status_t hsa_amd_agent_iterate_memory_pools(
	hsa_agent_t agent, hsa_status_t (*call)(hsa_amd_memory_pool_t, void *), void *data)
{
	const bool is_gpu = agent_device(agent) >= 0;
	hsa_status_t status = HSA_STATUS_SUCCESS;

	for (unsigned kind = is_gpu ? POOL_COARSE : 0; kind < (is_gpu ? NPOOLS : POOL_COARSE) && !status;
		kind++)
		status = call((hsa_amd_memory_pool_t){agent.handle << KIND_BITS | kind}, data);
	return status;
}

hsa_status_t hsa_amd_memory_pool_get_info(
	hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t what, void *value)
{
	enum {
		FINE = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED,
		COARSE = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED,
		KERNARG = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT
	};
	static const uint32_t flags[NPOOLS] = {FINE, FINE | KERNARG, COARSE, COARSE, FINE, 0};
	const enum pool_kind kind = pool_kind(pool);

	switch (what) {
	case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
		return PUT(
			hsa_amd_segment_t, kind == POOL_LDS ? HSA_AMD_SEGMENT_GROUP : HSA_AMD_SEGMENT_GLOBAL);
	case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
		return PUT(uint32_t, flags[kind]);
	case HSA_AMD_MEMORY_POOL_INFO_SIZE:
		return PUT(size_t, kind == POOL_LDS ? LDS_BYTES : config()->memory_bytes);
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
		return PUT(bool, kind != POOL_LDS);
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
		return PUT(size_t, PAGE);
	case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
		return PUT(bool, kind <= POOL_HOST_COARSE);
	default:
		return refuse("hsa_amd_memory_pool_get_info", (int)what);
	}
}

static hsa_amd_memory_pool_link_info_t link_between(hsa_agent_t agent, int device)
{
	const bool is_host = agent_device(agent) < 0 || device < 0, is_xgmi = !is_host && config()->has_xgmi;

	return (hsa_amd_memory_pool_link_info_t){.atomic_support_32bit = is_host || is_xgmi,
		.atomic_support_64bit = is_host || is_xgmi,
		.coherent_support = true,
		.link_type = is_xgmi ? HSA_AMD_LINK_INFO_TYPE_XGMI : HSA_AMD_LINK_INFO_TYPE_PCIE,
		.numa_distance = is_host ? 20 : 15};
}

/* The CPU does not access device memory: HIP copies, or runs a kernel. */
hsa_status_t hsa_amd_agent_memory_pool_get_info(
	hsa_agent_t agent, hsa_amd_memory_pool_t pool, hsa_amd_agent_memory_pool_info_t what, void *value)
{
	const int device = pool_device(pool);
	const bool is_own = agent_device(agent) == device;

	switch (what) {
	case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
		return PUT(hsa_amd_memory_pool_access_t,
			is_own                            ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
				: agent_device(agent) < 0 ? HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED
							  : HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
	case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
		return PUT(uint32_t, !is_own);
	case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
		if (!is_own)
			*(hsa_amd_memory_pool_link_info_t *)value = link_between(agent, device);
		return HSA_STATUS_SUCCESS;
	default:
		return refuse("hsa_amd_agent_memory_pool_get_info", (int)what);
	}
}
