/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each HIP unit carries: its copy of the device state, and a constructor that tells the library where
 * the copy is.
 *
 * The constructor runs before the unit's kernels and symbols are registered with HIP, so it only passes
 * addresses on. The library fills the copy in gshmem_init, or, if the unit is dlopened later, at the next
 * host call other than a put, a get or a wait.
 *
 * A module that hipModuleLoad loads has no constructors: gshmemx_module_init finds its copy by name, so the
 * copy has external linkage. Run-time compilers announce that they compile a module; other compilers need
 * -DGSHMEM_MODULE.
 */
#ifndef GSHMEM_UNIT_H
#define GSHMEM_UNIT_H

#include <gshmem/state/host.h>

/* GSHMEM_MAX_PES sentinels; an initialiser that C and C++ both accept. */
#define GSHMEMI_8(x)   x, x, x, x, x, x, x, x
#define GSHMEMI_64(x)  GSHMEMI_8(GSHMEMI_8(x))
#define GSHMEMI_512(x) GSHMEMI_8(GSHMEMI_64(x))
#if GSHMEM_MAX_PES == 8
#define GSHMEMI_SENTINELS \
	{ \
		GSHMEMI_8(GSHMEMI_SENTINEL) \
	}
#elif GSHMEM_MAX_PES == 64
#define GSHMEMI_SENTINELS \
	{ \
		GSHMEMI_64(GSHMEMI_SENTINEL) \
	}
#elif GSHMEM_MAX_PES == 512
#define GSHMEMI_SENTINELS \
	{ \
		GSHMEMI_512(GSHMEMI_SENTINEL) \
	}
#elif GSHMEM_MAX_PES == 2048
#define GSHMEMI_SENTINELS \
	{ \
		GSHMEMI_512(GSHMEMI_SENTINEL), GSHMEMI_512(GSHMEMI_SENTINEL), GSHMEMI_512(GSHMEMI_SENTINEL), \
			GSHMEMI_512(GSHMEMI_SENTINEL) \
	}
#else
#error "gshmem: GSHMEM_MAX_PES must be 8, 64, 512 or 2048 (3 x 8 bytes each of 64 KiB of constant memory)"
#endif

#if defined(GSHMEM_MODULE) || defined(__HIPCC_RTC__) || defined(__CUDACC_RTC__)
#define GSHMEMI_MODULE 1
#else
#define GSHMEMI_MODULE 0
#endif

#ifdef GSHMEM_DIRECT_ONLY
#define GSHMEMI_STATE_ABI (GSHMEMI_ABI | GSHMEMI_ABI_DIRECT_ONLY)
#else
#define GSHMEMI_STATE_ABI GSHMEMI_ABI
#endif

/* A state that nobody has filled. */
#define GSHMEMI_STATE_INIT \
	{ \
		-1, 0, GSHMEMI_WHY_UNSET, GSHMEMI_STATE_ABI, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, \
			NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, \
			{NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0}, \
		{ \
			0, 0, GSHMEMI_SENTINELS, GSHMEMI_SENTINELS, GSHMEMI_SENTINELS \
		} \
	}

#if GSHMEMI_KERNELS && GSHMEMI_MODULE
extern "C" {
__constant__ __attribute__((used)) struct gshmemi_state gshmemi_state = GSHMEMI_STATE_INIT;
}
#elif GSHMEMI_KERNELS
GSHMEMI_ARCH_STATE(struct gshmemi_state, gshmemi_state) = GSHMEMI_STATE_INIT;

static inline int gshmemi_unit_locate(void **address_p)
{
	return (int)hipGetSymbolAddress(address_p, (const void *)&gshmemi_state);
}

#if GSHMEMI_ARCH_LOADS_LAZILY
/* Nobody launches it: by its address the runtime finds the unit's other kernels. */
static __global__ void gshmemi_unit_kernel(void) {}

static inline int gshmemi_unit_load(unsigned *nkernels_p)
{
	return (int)GSHMEMI_ARCH_LOAD_UNIT(&gshmemi_unit_kernel, nkernels_p);
}
#define GSHMEMI_UNIT_LOAD gshmemi_unit_load
#else
#define GSHMEMI_UNIT_LOAD NULL
#endif

static struct gshmemi_state_copy gshmemi_state_copy = {
	GSHMEMI_ABI,
	GSHMEM_MAX_PES,
	sizeof(struct gshmemi_state),
	gshmemi_unit_locate,
	GSHMEMI_ARCH_NAME,
	__BASE_FILE__,
#ifdef GSHMEM_DIRECT_ONLY
	1,
#else
	0,
#endif
	0,
	NULL,
	NULL,
	GSHMEMI_UNIT_LOAD,
};

__attribute__((constructor)) static void gshmemi_unit_register(void)
{
	gshmemi_state_register(&gshmemi_state_copy);
}

__attribute__((destructor)) static void gshmemi_unit_unregister(void)
{
	gshmemi_state_unregister(&gshmemi_state_copy);
}
#endif

/*
 * From here on gshmemi_state is for kernels. If the copy is in a GPU's memory, compilers give the CPU a
 * stand-in of the same name, full of zeros. Host code that reads it calls gshmemi_host_no_state instead,
 * which says so.
 */
#if GSHMEMI_KERNELS && !GSHMEMI_MODULE && !GSHMEMI_ARCH_HOST_DIRECT && !GSHMEMI_DEVICE_PASS
#define gshmemi_state (*(GSHMEMI_ARCH_IN_KERNEL ? &gshmemi_state : gshmemi_host_no_state()))
#endif

#endif /* GSHMEM_UNIT_H */
