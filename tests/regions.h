/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of regions by number, below the calls on windows: a window of bytes of all PEs, and its region.
 */
#ifndef T_REGIONS_H
#define T_REGIONS_H

#include <gshmemx_win.h>

static inline unsigned t_region_of(gshmemx_win_t win)
{
	return GSHMEMI_NFIXED + ((unsigned)win & ((1U << GSHMEMI_WIN_PLACE_BITS) - 1)) - 1;
}

#endif /* T_REGIONS_H */
