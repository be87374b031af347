/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of the host: what the files of this folder share with each other and with the layers above. */
#ifndef GSHMEMI_OP_OP_H
#define GSHMEMI_OP_OP_H

#include "base/base.h"

/* query.c: the versions and the platform, for people, and for `strings libgshmem.so`. */
extern const char gshmemi_version_text[];

/*
 * stats.c: the counters of GSHMEM_STATS, from init to finalize. gshmemi_stats_table returns the kernels'
 * table, NULL without GSHMEM_STATS. gshmemi_stats_report is collective and called when all PEs have completed
 * their operations; PE 0 prints.
 */
struct gshmemi_count;
int gshmemi_stats_open(void);
struct gshmemi_count *gshmemi_stats_table(void);
void gshmemi_stats_report(void);
void gshmemi_stats_close(void);

/* lock.c: the pause of a host thread between two polls of device memory. *polls_p counts them. */
void gshmemi_host_nap(unsigned *polls_p);

#if !GSHMEMI_ARCH_HOST_DIRECT
/* wait.c: reads a word of the device by a copy. */
uint64_t gshmemi_host_load(const void *address, unsigned nbytes, const char *call);
/* Sleeps between two such polls, a little longer each time. *sleep_ns_p starts at 0. */
void gshmemi_host_back_off(long *sleep_ns_p);
#endif

/*
 * order.c: makes the stream wait until this PE's open operations are complete. 0, or a negative errno
 * after a message.
 */
int gshmemi_stream_quiet(void *stream, const char *call);

/* order.c: whether a graph captures the stream's work. 0, or a negative errno; call names the caller. */
int gshmemi_stream_is_captured(hipStream_t stream, const char *call, bool *is_captured_p);

#endif /* GSHMEMI_OP_OP_H */
