/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows on the host: what the files of this folder share, and what init and finalize call. */
#ifndef GSHMEMI_WIN_WIN_H
#define GSHMEMI_WIN_WIN_H

#include "base/base.h"

#include <gshmemx_win.h>
#include <gshmem/order/team.h>

/* ---- for init and finalize ---- */

/*
 * Make the list of windows, empty; close frees the windows that are left, on which no PE operates any more.
 */
int gshmemi_windows_open(void);
void gshmemi_windows_close(void);
void gshmemi_windows_describe(struct gshmemi_state *state);
struct gshmemi_scale;
void gshmemi_windows_scale(struct gshmemi_scale *scale);

/* ---- window.c: the list of windows ---- */

/* What only the host needs of a window. */
struct gshmemi_window {
	bool is_taken;                 /* its place */
	unsigned npieces;              /* places that it takes, its own and those behind it */
	uint32_t generation;           /* windows that had this place before */
	struct gshmemi_team_view view; /* its PEs, over its own struct gshmemi_sync */
	void *members;                 /* of the pool of pinned memory; NULL: the PEs lie at one stride */
	void *base;                    /* this PE's memory, as the user gave it */
	gshmem_team_t team;            /* that it was made over, or GSHMEM_TEAM_INVALID */
	uint64_t id;                   /* HIP's, of the allocation around base; 0: it has none */
	void *allocated;               /* by gshmemx_win_allocate */
	struct gshmemi_attachment *attachments; /* of a dynamic window, sorted by address */
	struct gshmemi_win_part *parts;         /* of pinned or pageable memory: the host's copy */
	struct gshmemi_win_part *device_parts;  /* of the pool of device memory: the kernels' */
};

/* Returns the window of a handle, or NULL after a message. */
struct gshmemi_window *gshmemi_window_find(gshmemx_win_t win, const char *call);
/* Its entry of gshmemi_windows. */
struct gshmemi_win *gshmemi_window_entry(const struct gshmemi_window *window);

/* A place, its number, and this PE's control block there. */
struct gshmemi_window *gshmemi_window_at(unsigned place);
unsigned gshmemi_window_place(const struct gshmemi_window *window);
struct gshmemi_win_control *gshmemi_window_control(unsigned place);

/*
 * take takes a place and those behind it, npieces in all; false if one of them is taken already. leave gives
 * them back; the next window there has another handle. find_free says, by a bit each, which of 64 places from
 * one on can be taken.
 */
bool gshmemi_window_take(unsigned place, unsigned npieces);
void gshmemi_window_leave(struct gshmemi_window *window);
uint64_t gshmemi_window_find_free(unsigned from, unsigned npieces);

/* Returns where a PE's memory is in this process; NULL if it is not mapped. */
void *gshmemi_window_memory(const struct gshmemi_window *window, int pe);

/*
 * take_down hides a window from kernels and closes its region: nothing reaches it any more. free_tables frees
 * its tables, which may be NULL.
 */
void gshmemi_window_take_down(struct gshmemi_window *window, const char *call);
void gshmemi_window_free_tables(struct gshmemi_window *window);

/* Write what kernels find at a window's place; NULL: no window. */
int gshmemi_window_show(
	const struct gshmemi_window *window, const struct gshmemi_win *image, const char *call);

/* ---- attach.c: the memory of dynamic windows ---- */

/*
 * Whether nbytes from an address on are attached to the dynamic window of this region; true for
 * all other regions.
 */
bool gshmemi_window_is_attached(unsigned region, uint64_t address, uint64_t nbytes);

/*
 * A call of the host is about to work on nbytes of a PE of the window; it is remembered, so that a refusal,
 * which comes later, can name the call. And the refusal: pe is of the world, and head is that of the record.
 */
void gshmemi_window_remember(
	const struct gshmemi_win *w, int pe, uint64_t address, uint64_t nbytes, const char *call);
_Noreturn void gshmemi_window_refused(int pe, uint64_t head, uint64_t address, uint64_t nbytes);
void gshmemi_window_detach_all(struct gshmemi_window *window);

#endif /* GSHMEMI_WIN_WIN_H */
