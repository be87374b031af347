/* SPDX-License-Identifier: BSD-3-Clause */
/* What init and regions tell the race detector; in other builds nothing. */
#ifndef GSHMEMI_JOB_RACES_H
#define GSHMEMI_JOB_RACES_H

#include "base/base.h"

#if GSHMEMI_WATCHES_RACES
/* In init, on all PEs, before regions are added. Returns 0, or a negative errno after a message. */
int gshmemi_races_open(void);
/* In finalize, when no PE reaches another one's memory any more. */
void gshmemi_races_close(void);
/* A PE's part of a region is at base in this process. */
void gshmemi_races_part(unsigned region, int pe, const void *base, uint64_t nbytes);
void gshmemi_races_remove(unsigned region);
/* Those of these bytes are not reported. */
void gshmemi_races_are_ok(const void *addr, size_t nbytes);
#else
#define gshmemi_races_open()                         0
#define gshmemi_races_close()                        ((void)0)
#define gshmemi_races_part(region, pe, base, nbytes) ((void)0)
#define gshmemi_races_remove(region)                 ((void)0)
#define gshmemi_races_are_ok(addr, nbytes)           ((void)(addr), (void)(nbytes))
#endif

#endif /* GSHMEMI_JOB_RACES_H */
