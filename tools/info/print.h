/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem-info: how gshmem-info.c and measure.c print a report, as text or as JSON. A report is a list of keys
 * and values, in groups that nest.
 */
#ifndef GSHMEM_INFO_PRINT_H
#define GSHMEM_INFO_PRINT_H

#include <stdbool.h>
#include <stdint.h>

extern bool info_json; /* set before anything is printed */

/* What comes before the first key and after the last one. */
void open_report(void);
void close_report(void);

/* A group of keys, or a list if is_list. key NULL: the group is an element of a list. */
void open_group(const char *key, bool is_list);
void close_group(bool is_list);

void put_text(const char *key, const char *text);
void put_number(const char *key, uint64_t value);
void put_figure(const char *key, double value);

/* A row of a matrix: short words, blanks between them. */
void put_row(const char *key, const char *const *words, int nwords);

#endif /* GSHMEM_INFO_PRINT_H */
