/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that programs call in place of others, by the linker's --wrap: the Makefile reads the names off the
 * lines that begin with WRAP(type, NAME or WRAP_SOMETHING(NAME. In this library the others are what they are.
 */
#ifndef HIPCPU_RACE_WRAP_H
#define HIPCPU_RACE_WRAP_H

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* linkers know them */

#define WRAP(TYPE, NAME, PARAMETERS) __attribute__((visibility("default"))) TYPE __wrap_##NAME PARAMETERS

#endif /* HIPCPU_RACE_WRAP_H */
