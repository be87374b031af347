/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of windows: which places are taken, which window a handle names, questions about a window,
 * and its end.
 */
#include "win/win.h"

#define GSHMEMI_BODIES
#include <gshmem/win/epoch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/scale.h"
#include "device/devmem.h"
#include "end/end.h"
#include "heap/heap.h"
#include "ipc/region.h"
#include "net/net.h"
#include "team/team.h"
#include "win/pool.h"

struct gshmemi_win *gshmemi_windows;
static struct gshmemi_win *device_windows; /* [GSHMEMI_NREGIONS], as gshmemi_windows: for any handle */
static struct gshmemi_window *windows;     /* [gshmemi_heap.nwindows] */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list of places */

/* ---- places ---- */

unsigned gshmemi_window_place(const struct gshmemi_window *window)
{
	return (unsigned)(window - windows);
}

struct gshmemi_win *gshmemi_window_entry(const struct gshmemi_window *window)
{
	return &gshmemi_windows[gshmemi_window_place(window)];
}

struct gshmemi_win_control *gshmemi_window_control(unsigned place)
{
	return (struct gshmemi_win_control *)(void *)(gshmemi_heap.controls +
		(size_t)place * GSHMEMI_WIN_PIECE_NBYTES);
}

/* Under the lock. */
static bool is_free(unsigned place, unsigned npieces)
{
	unsigned i;

	for (i = 0; i < npieces && place + i < gshmemi_heap.nwindows && !windows[place + i].is_taken; i++)
		;
	return i == npieces;
}

bool gshmemi_window_take(unsigned place, unsigned npieces)
{
	bool is_mine;
	unsigned i;

	pthread_mutex_lock(&lock);
	is_mine = is_free(place, npieces);
	for (i = 0; is_mine && i < npieces; i++)
		windows[place + i].is_taken = true;
	windows[place].npieces = is_mine ? npieces : windows[place].npieces;
	pthread_mutex_unlock(&lock);
	return is_mine;
}

void gshmemi_window_leave(struct gshmemi_window *window)
{
	unsigned i;

	pthread_mutex_lock(&lock);
	window->generation = (window->generation + 1) % GSHMEMI_WIN_GENERATIONS;
	for (i = 0; i < window->npieces; i++)
		window[i].is_taken = false;
	pthread_mutex_unlock(&lock);
}

uint64_t gshmemi_window_find_free(unsigned from, unsigned npieces)
{
	uint64_t bits = 0;
	unsigned i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < 64; i++)
		bits |= (uint64_t)is_free(from + i, npieces) << i;
	pthread_mutex_unlock(&lock);
	return bits;
}

int gshmemi_window_show(
	const struct gshmemi_window *window, const struct gshmemi_win *image, const char *call)
{
	static const struct gshmemi_win none;

	return gshmemi_devmem_copy(
		&device_windows[gshmemi_window_place(window)], image ? image : &none, sizeof none, call);
}

/* ---- questions ---- */

int gshmemi_win_fail(const struct gshmemi_win_fault *fault, const char *call)
{
	struct gshmemi_fault f = {.kind = (uint32_t)fault->kind,
		.pe = fault->pe,
		.on_host = 1,
		.address = fault->address,
		.nbytes = fault->nbytes,
		.found = fault->found,
		.expected = fault->expected};

	memcpy(f.call, call, strnlen(call, sizeof f.call - 1));
	gshmemi_fault_print(&f);
	switch (fault->kind) {
	case GSHMEMI_FAULT_WRONG_EPOCH:
		return -EPERM;
	case GSHMEMI_FAULT_OUTSIDE_WINDOW:
		return -ERANGE;
	default:
		return -EINVAL;
	}
}

struct gshmemi_window *gshmemi_window_find(gshmemx_win_t win, const char *call)
{
	const unsigned place = ((unsigned)win & ((1U << GSHMEMI_WIN_PLACE_BITS) - 1)) - 1;
	const struct gshmemi_win_fault fault = {GSHMEMI_FAULT_BAD_WINDOW, -1, 0, 0, (uint32_t)win, 0};

	if (win > 0 && place < gshmemi_heap.nwindows && gshmemi_windows[place].handle == win)
		return &windows[place];
	(void)gshmemi_win_fail(&fault, call);
	return NULL;
}

/* The part of a PE, for a call that has no way to return an error: a misuse ends the job. */
static const struct gshmemi_win_part *find_part(gshmemx_win_t win, int pe, const char *call)
{
	struct gshmemi_window *window;
	struct gshmemi_win_fault fault = {GSHMEMI_FAULT_BAD_PE, pe, 0, 0, 0, 0};

	gshmemi_enter(call);
	window = gshmemi_window_find(win, call);
	if (window && pe >= 0 && pe < window->view.npes)
		return &window->parts[pe];
	if (window) {
		fault.found = (uint64_t)window->view.npes;
		(void)gshmemi_win_fail(&fault, call);
	}
	gshmemi_end(1);
}

void *gshmemi_window_memory(const struct gshmemi_window *window, int pe)
{
	const struct gshmemi_win_part *part = &window->parts[pe];
	const struct gshmemi_win *w = gshmemi_window_entry(window);
	ptrdiff_t delta;

	if (w->flags & GSHMEMI_WIN_DYNAMIC || !part->nbytes)
		return NULL;
	if (pe == w->my_pe)
		return part->base;
	if (gshmemi_state.peers[part->world_pe] & GSHMEMI_PEER_CARRIED)
		return NULL;
	delta = gshmemi_region_delta(gshmemi_win_where(w).region, part->world_pe);
	return delta == GSHMEMI_SENTINEL ? NULL : part->base + delta;
}

static void *memory_of(const void *window, int pe)
{
	return gshmemi_window_memory(window, pe);
}

void *gshmemx_win_ptr(gshmemx_win_t win, int pe)
{
	(void)find_part(win, pe, "gshmemx_win_ptr");
	return gshmemi_window_memory(gshmemi_window_find(win, "gshmemx_win_ptr"), pe);
}

int gshmemx_win_peer_bases(gshmemx_win_t win, void **bases)
{
	const struct gshmemi_window *window;
	const int rc = gshmemi_enter_int("gshmemx_win_peer_bases");

	if (rc)
		return rc;
	window = gshmemi_window_find(win, "gshmemx_win_peer_bases");
	if (!window)
		return -EINVAL;
	return gshmemi_devmem_table(bases, window->view.npes, memory_of, window, "gshmemx_win_peer_bases");
}

size_t gshmemx_win_nbytes(gshmemx_win_t win, int pe)
{
	const struct gshmemi_win_part *part = find_part(win, pe, "gshmemx_win_nbytes");

	return gshmemi_win_of(win)->flags & GSHMEMI_WIN_DYNAMIC ? 0 : part->nbytes;
}

/* Returns NULL after a message. */
static const struct gshmemi_window *enter_window(gshmemx_win_t win, const char *call)
{
	return gshmemi_enter_int(call) ? NULL : gshmemi_window_find(win, call);
}

gshmem_team_t gshmemx_win_team(gshmemx_win_t win)
{
	const struct gshmemi_window *window = enter_window(win, "gshmemx_win_team");

	return window && gshmemi_team_exists(window->team) ? window->team : GSHMEM_TEAM_INVALID;
}

int gshmemx_win_model(gshmemx_win_t win)
{
	if (!enter_window(win, "gshmemx_win_model"))
		return -EINVAL;
	return gshmemi_win_of(win)->flags & GSHMEMI_WIN_SEPARATE ? GSHMEMX_WIN_SEPARATE : GSHMEMX_WIN_UNIFIED;
}

size_t gshmemx_win_disp_unit(gshmemx_win_t win, int pe)
{
	return find_part(win, pe, "gshmemx_win_disp_unit")->disp_unit;
}

struct gshmemi_window *gshmemi_window_at(unsigned place)
{
	return &windows[place];
}

void gshmemi_win_host_meet(const struct gshmemi_win *w, int is_released, const char *call)
{
	const struct gshmemi_team_view *view = &windows[w - gshmemi_windows].view;

	if (!GSHMEMI_ARCH_HOST_DIRECT || !is_released) {
		gshmemi_sync_host_team(view, NULL, call);
		return;
	}
	gshmemi_team_claim(view, call);
	gshmemi_disseminate(view, NULL, 1, call);
	gshmemi_team_release(view);
}

/* ---- the end of a window ---- */

void gshmemi_window_free_tables(struct gshmemi_window *window)
{
	gshmemi_pool_free(GSHMEMI_POOL_DEVICE, window->device_parts);
	gshmemi_pool_free(GSHMEMI_POOL_PINNED, window->members);
	gshmemi_pool_free(GSHMEMI_POOL_PINNED, gshmemi_window_entry(window)->epoch);
	free(window->parts);
	window->device_parts = NULL;
	window->parts = NULL;
	window->members = NULL;
	gshmemi_window_entry(window)->epoch = NULL;
}

void gshmemi_window_take_down(struct gshmemi_window *window, const char *call)
{
	struct gshmemi_win *w = gshmemi_window_entry(window);

	(void)gshmemi_window_show(window, NULL, call);
	gshmemi_region_remove(GSHMEMI_NFIXED + gshmemi_window_place(window));
	w->handle = 0;
}

/*
 * Complete what carriers and kernels of this process have open in any window, and late flags, which would
 * count in the next window at this place.
 */
static void complete(const char *call)
{
	gshmem_quiet();
	gshmemi_host_quiet(GSHMEMI_CTX_LIBRARY, NULL, 0, call);
#if GSHMEMI_ARCH_HAS_DELIVERY
	gshmemi_delivery_flush(); /* of all contexts */
#endif
	if (gshmemi_net_is_running())
		gshmemi_net_complete(GSHMEMI_ENGINE_FLAGS, NULL, 0);
}

/* Whether the memory that the window was made of is gone. */
static bool is_gone(const struct gshmemi_window *window)
{
	uint64_t id = 0;

	if (!window->id)
		return false;
	return !gshmemi_devmem_is_known(hipPointerGetAttribute(
		       &id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, (hipDeviceptr_t)(uintptr_t)window->base)) ||
		id != window->id;
}

/* Whether a window may be freed: 0, or a negative errno after a message. */
static int find_wrong(const struct gshmemi_window *window, const char *call)
{
	const struct gshmemi_win *w = gshmemi_window_entry(window);
	const struct gshmemi_win_fault fault = {GSHMEMI_FAULT_WRONG_EPOCH, -1, 0, 0, w->epoch->state, 0};

	if (w->epoch->state != GSHMEMI_WIN_NONE && w->epoch->state != GSHMEMI_WIN_FENCE) {
		(void)gshmemi_win_fail(&fault, call);
		return -EBUSY;
	}
	if (is_gone(window)) {
		gshmemi_error("%s: the memory at %p was freed under its window", call, window->base);
		return -EFAULT;
	}
	return 0;
}

/* All PEs of the window get the same result: -EBUSY if one has that, else -EFAULT if one has that, else 0. */
static int agree_on_free(struct gshmemi_window *window, int rc, const char *call)
{
	const struct gshmemi_win *w = gshmemi_window_entry(window);
	uint64_t word = 0;
	int pe;

	for (pe = 0; rc && pe < w->npes; pe++)
		gshmemi_sync_write(
			GSHMEMI_PUT_VALUE, &w->control->wrong[-rc == EBUSY], 1, w->parts[pe].world_pe, call);
	if (rc) /* a barrier completes these writes, but that of a single PE does nothing */
		gshmemi_host_quiet(GSHMEMI_CTX_LIBRARY, NULL, 0, call);
	gshmemi_sync_host_team(&window->view, NULL, call);
	(void)gshmemi_devmem_copy(&word, &w->control->wrong[1], sizeof word, call);
	rc = word ? -EBUSY : 0;
	(void)gshmemi_devmem_copy(&word, &w->control->wrong[0], sizeof word, call);
	rc = !rc && word ? -EFAULT : rc;
	if (!rc)
		return 0;
	(void)gshmemi_devmem_fill(w->control->wrong, 0, sizeof w->control->wrong, call);
	gshmemi_sync_host_team(&window->view, NULL, call); /* no PE may write for the next free before */
	return rc;
}

int gshmemx_win_free(gshmemx_win_t *win_p)
{
	static const char call[] = "gshmemx_win_free";
	struct gshmemi_window *window;
	int rc;

	rc = gshmemi_enter_collective_int(call);
	if (rc)
		return rc;
	window = gshmemi_window_find(*win_p, call);
	if (!window)
		return -EINVAL;
	complete(call);
	rc = agree_on_free(window, find_wrong(window, call), call);
	if (rc == -EBUSY)
		return rc;
	gshmemi_window_take_down(window, call);
	gshmemi_window_free_tables(window);
	gshmemi_window_detach_all(window);
	gshmemi_pool_free(GSHMEMI_POOL_FINE, window->allocated);
	window->allocated = NULL;
	gshmemi_window_leave(window);
	*win_p = GSHMEMX_WIN_NULL;
	return rc;
}

/* ---- init and finalize ---- */

static size_t list_nbytes(void)
{
	return GSHMEMI_NREGIONS * sizeof *device_windows;
}

int gshmemi_windows_open(void)
{
	void *ptr = NULL;
	int rc;

	windows = calloc(gshmemi_heap.nwindows, sizeof *windows);
	gshmemi_windows = calloc(GSHMEMI_NREGIONS, sizeof *gshmemi_windows);
	gshmemi_net_may_touch = gshmemi_window_is_attached;
	gshmemi_net_refused = gshmemi_window_refused;
	if (!windows || !gshmemi_windows) {
		gshmemi_error("init: no memory for %u windows (GSHMEM_WINDOWS)", gshmemi_heap.nwindows);
		gshmemi_windows_close();
		return -ENOMEM;
	}
	rc = gshmemi_hip(hipMalloc(&ptr, list_nbytes()),
		"init: hipMalloc of %zu bytes for the list of windows", list_nbytes());
	device_windows = ptr;
	if (!rc)
		rc = gshmemi_devmem_fill(ptr, 0, list_nbytes(), "init: the list of windows");
	if (rc)
		gshmemi_windows_close();
	return rc;
}

/* Does not close the regions: gshmemi_regions_close does. */
void gshmemi_windows_close(void)
{
	unsigned i;

	for (i = 0; windows && gshmemi_windows && i < gshmemi_heap.nwindows; i++) {
		free(windows[i].parts);
		gshmemi_window_detach_all(&windows[i]);
	}
	gshmemi_pools_close();
	if (device_windows)
		gshmemi_hip_ignore(hipFree(device_windows), "hipFree");
	free(windows);
	free(gshmemi_windows);
	device_windows = NULL;
	windows = NULL;
	gshmemi_windows = NULL;
}

void gshmemi_windows_describe(struct gshmemi_state *state)
{
	state->windows = device_windows;
}

void gshmemi_windows_scale(struct gshmemi_scale *scale)
{
	gshmemi_scale_add(scale, GSHMEMI_SCALE_DEVICE, "list_of_windows", list_nbytes());
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "places_of_windows",
		list_nbytes() + (size_t)gshmemi_env.WINDOWS * sizeof *windows);
}
