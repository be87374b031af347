/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Delayed delivery: what is not a hook of include/gshmem/arch/cpu.h.
 */
#ifndef GSHMEMI_DELIVERY_H
#define GSHMEMI_DELIVERY_H

/*
 * Deliver all that is left and end the thread; the next operation starts another. For finalize, before peers are
 * unmapped. May be called when nothing was ever delayed.
 */
void gshmemi_delivery_stop(void);

#endif /* GSHMEMI_DELIVERY_H */
