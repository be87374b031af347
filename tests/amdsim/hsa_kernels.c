/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of hsa_calls.c, which is about the calls: C for the GPU, without a library. */
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"))) void
#define GLOBAL __attribute__((address_space(1)))

static unsigned thread(void)
{
	return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
		__builtin_amdgcn_workitem_id_x();
}

KERNEL store(unsigned GLOBAL *to, unsigned value)
{
	to[thread()] = value + thread();
}

KERNEL await(volatile unsigned GLOBAL *flag, unsigned value)
{
	while (*flag != value)
		__builtin_amdgcn_s_sleep(1);
}

KERNEL trap(unsigned GLOBAL *to, unsigned value)
{
	if (to)
		__builtin_trap();
	(void)value;
}
