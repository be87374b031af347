/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of gshmem. It stands here alone: the Makefile reads these three lines, and packages ask it. */
#ifndef GSHMEM_API_VERSION_H
#define GSHMEM_API_VERSION_H

#define GSHMEMX_VERSION_MAJOR 0
#define GSHMEMX_VERSION_MINOR 2
#define GSHMEMX_VERSION_PATCH 0

/* A version as one number that later versions exceed; for #if, too. docs/versions.md: what may change. */
#define GSHMEMX_VERSION_OF(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define GSHMEMX_VERSION \
	GSHMEMX_VERSION_OF(GSHMEMX_VERSION_MAJOR, GSHMEMX_VERSION_MINOR, GSHMEMX_VERSION_PATCH)

/* "0.2.0" */
#define GSHMEMX_VERSION_STRING \
	GSHMEMX_VERSION_TEXT(GSHMEMX_VERSION_MAJOR, GSHMEMX_VERSION_MINOR, GSHMEMX_VERSION_PATCH)
#define GSHMEMX_VERSION_TEXT(major, minor, patch)  GSHMEMX_VERSION_TEXT_(major, minor, patch)
#define GSHMEMX_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch

#endif /* GSHMEM_API_VERSION_H */
