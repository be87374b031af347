/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HIPCPU_RACE_SOURCE_H
#define HIPCPU_RACE_SOURCE_H

#include <stdint.h>

struct race_line {
	char place[192]; /* of the program */
	char call[128];  /* the function of gshmem that it calls there, or "" */
};

/* Finds the line of a place; if there is none, says so. */
void race_line(uint32_t source, struct race_line *line);
/* The program's file, and what its addresses are above those in the file. */
const char *race_program(uint64_t *base_p);
/* Finds the program and its libraries. */
void race_objects_find(void);

#endif /* HIPCPU_RACE_SOURCE_H */
