/* SPDX-License-Identifier: BSD-3-Clause */
/* gshmem-info --measure: what gshmem-info.c calls of measure.c. */
#ifndef GSHMEM_INFO_MEASURE_H
#define GSHMEM_INFO_MEASURE_H

/* Collective: the PEs take turns. Returns this PE's figures, which the caller frees. */
double *measure_all(void);

/* Collective: print the figures of all PEs; mine is what measure_all returned here. */
void report_figures(const double *mine, int npes);

#endif /* GSHMEM_INFO_MEASURE_H */
