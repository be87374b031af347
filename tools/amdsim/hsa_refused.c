/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What HIP is linked with, and calls only for images, graphics, shared virtual memory, and variables that a
 * code object leaves undefined. The simulator has none of these: each call says so, and fails.
 */
#include "hsa.h"

/* HIP's calls pass arguments that these do not look at. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define REFUSED(name, parameters) \
	hsa_status_t name parameters \
	{ \
		message(#name " is not simulated"); \
		return HSA_STATUS_ERROR; \
	}

REFUSED(hsa_amd_image_create,
	(hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor,
		const hsa_amd_image_descriptor_t *layout, const void *data, hsa_access_permission_t access,
		hsa_ext_image_t *to))
REFUSED(hsa_amd_interop_map_buffer,
	(uint32_t n, hsa_agent_t *agents, int handle, uint32_t flags, size_t *nbytes, void **to,
		size_t *metadata_bytes, const void **metadata))
REFUSED(hsa_amd_interop_unmap_buffer, (void *memory))
REFUSED(hsa_amd_svm_attributes_get, (void *at, size_t nbytes, hsa_amd_svm_attribute_pair_t *list, size_t n))
REFUSED(hsa_amd_svm_attributes_set, (void *at, size_t nbytes, hsa_amd_svm_attribute_pair_t *list, size_t n))
REFUSED(hsa_amd_svm_prefetch_async,
	(void *at, size_t nbytes, hsa_agent_t agent, uint32_t n, const hsa_signal_t *waits,
		hsa_signal_t done))
REFUSED(hsa_executable_agent_global_variable_define,
	(hsa_executable_t executable, hsa_agent_t agent, const char *name, void *memory))
REFUSED(hsa_ext_image_create,
	(hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor, const void *data,
		hsa_access_permission_t access, hsa_ext_image_t *to))
REFUSED(hsa_ext_image_create_with_layout,
	(hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor, const void *data,
		hsa_access_permission_t access, hsa_ext_image_data_layout_t layout, size_t row_pitch,
		size_t slice_pitch, hsa_ext_image_t *to))
REFUSED(hsa_ext_image_data_get_info,
	(hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor, hsa_access_permission_t access,
		hsa_ext_image_data_info_t *to))
REFUSED(hsa_ext_image_destroy, (hsa_agent_t agent, hsa_ext_image_t image))
REFUSED(hsa_ext_image_export,
	(hsa_agent_t agent, hsa_ext_image_t image, void *to, size_t row_pitch, size_t slice_pitch,
		const hsa_ext_image_region_t *region))
REFUSED(hsa_ext_image_import,
	(hsa_agent_t agent, const void *from, size_t row_pitch, size_t slice_pitch, hsa_ext_image_t image,
		const hsa_ext_image_region_t *region))
REFUSED(hsa_ext_sampler_create,
	(hsa_agent_t agent, const hsa_ext_sampler_descriptor_t *descriptor, hsa_ext_sampler_t *to))
REFUSED(hsa_ext_sampler_destroy, (hsa_agent_t agent, hsa_ext_sampler_t sampler))
