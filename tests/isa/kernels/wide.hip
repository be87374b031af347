/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates of the kinds of 16 bytes. They share gshmemi_win_wide, which must not have the operators of the
 * other kinds: ptxas took minutes for those.
 */
#include <gshmemx_win.h>

#define ACCUMULATE(NAME, T) \
	extern "C" __global__ void wide_##NAME( \
		gshmemx_win_t win, const T *source, size_t nelems, int op, int pe) \
	{ \
		gshmemx_win_##NAME##_accumulate(win, 0, source, nelems, op, pe); \
	}
ACCUMULATE(double_int, gshmemx_double_int_t)
ACCUMULATE(long_int, gshmemx_long_int_t)
ACCUMULATE(complexd, gshmemx_complexd_t)
