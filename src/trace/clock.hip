/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that tells the GPU's time, as often as the host asks. It needs no device state. */
#include <gshmem/arch/arch.h>

#include "device/launch.h"
#include "trace/kernels.h"

/* Each answer is one word, and no two are equal, so the host needs no order between two words. */
__global__ __launch_bounds__(1) void gshmemi_clock_kernel(
	struct gshmemi_clock_mail *mail, uint32_t nquestions)
{
	uint64_t before_ns = gshmemi_arch_clock_ns(), after_ns;
	uint32_t question;
	unsigned polls;

	while ((after_ns = gshmemi_arch_clock_ns()) == before_ns)
		;
	gshmemi_arch_store(&mail->step_ns, after_ns - before_ns, 8);
	for (question = 1; question <= nquestions; question++) {
		polls = 0;
		while (gshmemi_arch_load(&mail->question, 4) != question)
			gshmemi_arch_pause(&polls);
		gshmemi_arch_store(&mail->answer_ns, gshmemi_arch_clock_ns(), 8);
	}
}

hipError_t gshmemi_clock_launch(struct gshmemi_clock_mail *mail, uint32_t nquestions, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_clock_kernel, 1, stream, mail, nquestions);
}

hipError_t gshmemi_clock_load(void)
{
	return gshmemi_load_kernel(reinterpret_cast<const void *>(gshmemi_clock_kernel));
}
