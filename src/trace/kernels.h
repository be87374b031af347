/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel that tells the GPU's time, as the C side calls it: src/trace/clock.hip. */
#ifndef GSHMEMI_TRACE_KERNELS_H
#define GSHMEMI_TRACE_KERNELS_H

#include <stdint.h>
#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Between the host and the kernel, host-pinned. */
struct gshmemi_clock_mail {
	uint32_t question; /* 1 and up, by the host */
	uint32_t pad;
	uint64_t answer_ns; /* by the kernel: its time when it saw the question */
	uint64_t step_ns;   /* by the kernel, once: by how much its clock advances at a time */
};

/* Queue a kernel of one thread, which answers the questions 1 to nquestions and ends. */
hipError_t gshmemi_clock_launch(struct gshmemi_clock_mail *mail, uint32_t nquestions, hipStream_t stream);

/* Loads it: a first launch may wait for all kernels that run. */
hipError_t gshmemi_clock_load(void);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_TRACE_KERNELS_H */
