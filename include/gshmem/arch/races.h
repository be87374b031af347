/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program that is watched for races (platform/cpu/race/) says besides its operations: which words it
 * reads that others change, when it acquires, what it has waited for, and what calls to the CPU order. Nothing
 * in other builds.
 */
#ifndef GSHMEM_ARCH_RACES_H
#define GSHMEM_ARCH_RACES_H

#ifdef HIPCPU_RACES
#define GSHMEMI_WATCHES_RACES 1
GSHMEMI_BEGIN_C
GSHMEM_HOST_API uint64_t hipcpu_race_load(const void *address, unsigned nbytes);
GSHMEM_HOST_API void hipcpu_race_acquire(void);
/* The word has at least this value, for which the caller has waited. */
GSHMEM_HOST_API void hipcpu_race_waited(const void *word, unsigned nbytes, int is_signed, uint64_t least);
/* The caller has allocated symmetric memory; 0 bytes: it has freed it. */
void hipcpu_race_allocated(const void *address, uint64_t nbytes);
/* Whoever acquires the mark later, which is any address, knows what the caller has done. */
GSHMEM_HOST_API void hipcpu_race_release(const void *mark);
GSHMEM_HOST_API void hipcpu_race_acquire_mark(const void *mark);
/* The calling thread serves kernels' calls. */
void hipcpu_race_serving(void);
/*
 * The caller's next operation is an accumulate's, and concerns these bytes of its words. reads: the element
 * keeps its value.
 */
GSHMEM_HOST_API void hipcpu_race_element(unsigned first, unsigned nbytes, int reads);
GSHMEMI_END_C
#define GSHMEMI_RACE_ACQUIRE()                              hipcpu_race_acquire()
#define GSHMEMI_RACE_WAITED(word, nbytes, is_signed, least) hipcpu_race_waited(word, nbytes, is_signed, least)
#define GSHMEMI_RACE_ALLOCATED(address, nbytes)             hipcpu_race_allocated(address, nbytes)
#define GSHMEMI_RACE_RELEASE(mark)                          hipcpu_race_release(mark)
#define GSHMEMI_RACE_ACQUIRE_MARK(mark)                     hipcpu_race_acquire_mark(mark)
#define GSHMEMI_RACE_SERVING()                              hipcpu_race_serving()
#define GSHMEMI_RACE_ELEMENT(first, nbytes, reads)          hipcpu_race_element(first, nbytes, reads)
#else
#define GSHMEMI_WATCHES_RACES                               0
#define GSHMEMI_RACE_ACQUIRE()                              ((void)0)
#define GSHMEMI_RACE_WAITED(word, nbytes, is_signed, least) ((void)0)
#define GSHMEMI_RACE_ALLOCATED(address, nbytes)             ((void)0)
#define GSHMEMI_RACE_RELEASE(mark)                          ((void)0)
#define GSHMEMI_RACE_ACQUIRE_MARK(mark)                     ((void)0)
#define GSHMEMI_RACE_SERVING()                              ((void)0)
#define GSHMEMI_RACE_ELEMENT(first, nbytes, reads)          ((void)0)
#endif

#endif /* GSHMEM_ARCH_RACES_H */
