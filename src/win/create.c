/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creating windows. The PEs of the team agree on a place that all of them have free. Each then describes
 * its memory on a card in the window's control block, meets the others in a barrier, reads their cards and
 * maps what can be mapped. MPI takes no part. A PE writes its error on its card, so that all PEs return
 * the same one.
 */
#include "win/win.h"

#define GSHMEMI_BODIES
#include <gshmem/win/epoch.h>
#include <stdlib.h>
#include <string.h>

#include "base/scale.h"
#include "device/devmem.h"
#include "end/end.h"
#include "heap/heap.h"
#include "ipc/region.h"
#include "ipc/virtual.h"
#include "job/job.h"
#include "net/net.h"
#include "rpc/rpc.h"
#include "team/team.h"
#include "win/pool.h"

#define HINTS (GSHMEMX_WIN_NO_LOCKS | GSHMEMX_WIN_SAME_DISP_UNIT)
#define ALIGN 16 /* of the region's begin; the window may begin behind it */

/* Begin of the region of a PE without memory, and of all PEs of a dynamic window. It must not be NULL. */
#define NO_MEMORY ((char *)(uintptr_t)ALIGN)

enum kind { CREATE, ALLOCATE, DYNAMIC };

/* The arguments of a PE's call. */
struct request {
	enum kind kind;
	void *base;
	size_t nbytes;
	size_t disp_unit;
	long hints;
	void **base_p;
	gshmemx_win_t *win_p;
	const char *call;
	struct gshmemi_offer *offer; /* of virtual memory, until peers have it mapped; else NULL */
};

/* What a PE publishes to the others. */
struct card {
	struct gshmemi_memory memory; /* from the region's begin on; nbytes 0: nothing that can be mapped */
	uint64_t nbytes;
	uint64_t disp_unit;
	int64_t hints;
	uint32_t kind;
	uint32_t inside; /* bytes of the region in front of the window */
	int64_t rc;      /* the PE's error, a negative errno, after a message */
};

/* The lowest place that is free on all PEs of the team, the same on all of them; -1 if there is none. */
static int agree_on_place(const struct gshmemi_team_view *team, unsigned npieces, const char *call)
{
	uint64_t words[GSHMEMI_SYNC_WORDS];
	unsigned from, i;

	for (from = 0; from < gshmemi_heap.nwindows; from += 64 * GSHMEMI_SYNC_WORDS) {
		for (i = 0; i < GSHMEMI_SYNC_WORDS; i++)
			words[i] = gshmemi_window_find_free(from + 64 * i, npieces);
		gshmemi_sync_host_team(team, words, call);
		for (i = 0; i < GSHMEMI_SYNC_WORDS; i++)
			if (words[i])
				return (int)(from + 64 * i) + __builtin_ctzll(words[i]);
	}
	if (team->my_pe == 0)
		gshmemi_error("%s: no place for another window is free on all PEs of the team "
			      "(GSHMEM_WINDOWS is %u)",
			call, gshmemi_heap.nwindows);
	return -1;
}

/*
 * Returns the AND of all PEs' outcomes, where success has all bits set: 0 if all have succeeded, the errno of
 * the one PE that has failed, or, if several have, some value that is the same on all PEs. *word, unless
 * NULL, is ANDed too.
 */
static int agree(const struct gshmemi_team_view *team, int rc, uint64_t *word, const char *call)
{
	uint64_t words[GSHMEMI_SYNC_WORDS] = {rc ? (uint64_t)(int64_t)rc : ~0ULL, word ? *word : ~0ULL};

	gshmemi_sync_host_team(team, words, call);
	if (word)
		*word = words[1];
	return words[0] == ~0ULL ? 0 : (int)(int64_t)words[0];
}

/* ---- this PE's memory ---- */

static bool is_managed(void *base)
{
	int value = 0;

	return gshmemi_devmem_is_known(hipPointerGetAttribute(
		       &value, HIP_POINTER_ATTRIBUTE_IS_MANAGED, (hipDeviceptr_t)(uintptr_t)base)) &&
		value;
}

/*
 * Whether kernels see the host's memory where the CPU does. Registered memory may have another address for
 * them; a window has only one.
 */
static bool is_elsewhere(void *base)
{
	void *device;

	return gshmemi_devmem_is_known(hipHostGetDevicePointer(&device, base, 0)) && device != base;
}

static bool is_device(void *base)
{
	hipDeviceptr_t start;
	size_t nbytes;

	return gshmemi_devmem_is_known(
		hipMemGetAddressRange(&start, &nbytes, (hipDeviceptr_t)(uintptr_t)base));
}

/* Memory of another process, mapped here. Where the CPU reaches it, this PE performs what others ask. */
static int describe_foreign(const struct request *r)
{
	if (GSHMEMI_ARCH_HOST_DIRECT)
		return 0;
	gshmemi_error(
		"%s: %p is memory of another process, which shares it by itself: make the window over it "
		"there",
		r->call, r->base);
	return -ENOTSUP;
}

/* Describe memory that peers can map; it must be as large as the program says. */
static int export(const struct request *r, struct card *card)
{
	char *const begin = (char *)((uintptr_t)r->base & ~(uintptr_t)(ALIGN - 1));
	bool is_foreign = false;
	const int rc = gshmemi_memory_export(begin, r->call, "window", &card->memory, &is_foreign);

	if (is_foreign)
		return describe_foreign(r);
	if (rc || card->memory.nbytes - card->memory.offset - card->inside >= r->nbytes)
		return rc;
	gshmemi_error("%s: %p: the allocation ends after %llu of %llu bytes", r->call, r->base,
		(unsigned long long)(card->memory.nbytes - card->memory.offset - card->inside),
		(unsigned long long)r->nbytes);
	return -EINVAL;
}

/* The same for virtual memory, of which peers map all pieces that the window touches. */
static int offer(struct request *r, struct card *card)
{
	const char *const begin = (char *)((uintptr_t)r->base & ~(uintptr_t)(ALIGN - 1));

	return gshmemi_virtual_offer(begin, r->nbytes + card->inside, r->call, &r->offer, &card->memory);
}

/* Describe memory of any kind. */
static int describe_memory(struct request *r, struct card *card)
{
	const bool pinned = gshmemi_devmem_is_pinned(r->base);
	int rc = 0;

	if (is_managed(r->base)) {
		gshmemi_error(
			"%s: %p is managed memory, which other processes cannot map: use memory of hipMalloc",
			r->call, r->base);
		rc = -ENOTSUP;
	} else if (pinned && is_elsewhere(r->base)) {
		gshmemi_error("%s: %p is registered memory, which kernels of this device see at another "
			      "address: use memory of hipHostMalloc or hipMalloc",
			r->call, r->base);
		rc = -ENOTSUP;
	} else if (!pinned && is_device(r->base)) {
		rc = gshmemi_virtual_contains(r->base) ? offer(r, card) : export(r, card);
	} else if (!pinned && !GSHMEMI_ARCH_HOST_DIRECT) {
		gshmemi_error(
			"%s: %p is no memory of HIP: use hipMalloc, or hipHostRegister it", r->call, r->base);
		rc = -EINVAL;
	}
	return rc;
}

/*
 * Kernels of any process of a device serve the mail of all its processes, and find memory by the number of
 * its region. A process that is not in the team would take another region for the window's, or none.
 */
static int check_sharers(const struct gshmemi_team_view *team, const char *call)
{
	int i;

	for (i = 0; gshmemi_state.mailbox && i < gshmemi_job->npeers; i++) {
		if (!gshmemi_job->peers[i].is_sharer ||
			gshmemi_team_from_world(team, gshmemi_job->peers[i].pe) >= 0)
			continue;
		gshmemi_error("%s: PE %d has the device of PE %d, and is not in the team: in a job whose PEs "
			      "are not all mapped a window takes all PEs of a device, or none",
			call, gshmemi_job->peers[i].pe, gshmemi_job->my_pe);
		return -ENOTSUP;
	}
	return 0;
}

static int check_arguments(const struct request *r)
{
	if (!r->disp_unit || r->disp_unit > UINT32_MAX)
		gshmemi_error("%s: disp_unit is %zu", r->call, r->disp_unit);
	else if (r->hints & ~HINTS)
		gshmemi_error("%s: hints %#lx: unknown bits", r->call, r->hints);
	else if (r->kind == CREATE && r->nbytes && !r->base)
		gshmemi_error("%s: base is NULL, and nbytes is %zu", r->call, r->nbytes);
	else
		return 0;
	return -EINVAL;
}

/* Fill the card. Sets r->base to the memory that ALLOCATE allocates. */
static int fill_card(struct request *r, const struct gshmemi_team_view *team, struct card *card)
{
	struct gshmemi_devmem_caller previous;
	int rc;

	memset(card, 0, sizeof *card);
	card->kind = r->kind;
	card->hints = r->hints;
	card->nbytes = r->nbytes;
	card->disp_unit = r->disp_unit;
	rc = check_arguments(r);
	rc = rc ? rc : check_sharers(team, r->call);
	if (!rc && r->kind == ALLOCATE && r->nbytes)
		rc = gshmemi_pool_alloc(GSHMEMI_POOL_FINE, r->nbytes, "memory of a window", &r->base);
	card->inside = r->nbytes ? (uint32_t)((uintptr_t)r->base % ALIGN) : 0;
	previous = gshmemi_devmem_enter();
	if (!rc && r->nbytes && r->kind != DYNAMIC)
		rc = describe_memory(r, card);
	gshmemi_devmem_leave(previous);
	card->rc = rc;
	return rc;
}

/* Whether a running kernel sees what others put there. */
static bool is_unified(const struct request *r)
{
	if (GSHMEMI_ARCH_COARSE_COHERENT || !r->nbytes || r->kind == ALLOCATE)
		return true;
	if (r->kind == DYNAMIC) /* who knows what will be attached */
		return false;
	if (gshmemi_devmem_is_pinned(r->base))
		return true;
	return gshmemi_heap_contains(r->base) ? gshmemi_heap.kind != GSHMEMI_HEAP_COARSE
					      : gshmemi_pool_contains(GSHMEMI_POOL_FINE, r->base);
}

/* ---- the others' cards ---- */

/* Returns the cards of all PEs of the team, [npes]; the caller frees them. */
static struct card *read_cards(const struct gshmemi_team_view *team, struct gshmemi_win_control *control,
	const struct card *mine, const char *call)
{
	struct card *cards = calloc((size_t)team->npes, sizeof *cards);
	int i;

	if (!cards)
		gshmemi_end(1); /* the other PEs are in the exchange and cannot be told */
	for (i = 0; i < team->npes; i++)
		if (i != team->my_pe)
			gshmemi_host_get(GSHMEMI_REGION_SYNC, &cards[i], control->card,
				gshmemi_make_extent(sizeof cards[i], 8, 1),
				gshmemi_pe_with_context(gshmemi_team_to_world(team, i), GSHMEMI_CTX_LIBRARY),
				call);
	gshmemi_host_quiet(GSHMEMI_CTX_LIBRARY, NULL, 0, call);
	cards[team->my_pe] = *mine;
	return cards;
}

/* What another PE passed differently from PE 0, although it must be the same. */
enum difference { NO_DIFFERENCE, OTHER_KIND, OTHER_HINTS, OTHER_UNIT };

static enum difference find_difference(const struct card *first, const struct card *card)
{
	if (card->kind != first->kind)
		return OTHER_KIND;
	if (card->hints != first->hints)
		return OTHER_HINTS;
	if (first->hints & GSHMEMX_WIN_SAME_DISP_UNIT && card->disp_unit != first->disp_unit)
		return OTHER_UNIT;
	return NO_DIFFERENCE;
}

static void report_difference(enum difference difference, const struct card *first, const struct card *card,
	int pe, const char *call)
{
	static const char *const kinds[] = {
		"gshmemx_win_create", "gshmemx_win_allocate", "gshmemx_win_create_dynamic"};

	if (difference == OTHER_KIND)
		gshmemi_error("PE 0 called %s but PE %d %s", kinds[first->kind], pe, kinds[card->kind]);
	else if (difference == OTHER_HINTS)
		gshmemi_error("%s: PE 0 passed hints %#lx but PE %d %#lx", call, (long)first->hints, pe,
			(long)card->hints);
	else
		gshmemi_error("%s: GSHMEMX_WIN_SAME_DISP_UNIT: PE 0 passed disp_unit %llu but PE %d %llu",
			call, (unsigned long long)first->disp_unit, pe, (unsigned long long)card->disp_unit);
}

/* The error that all PEs return. PE 0 prints how its arguments and another PE's differ. */
static int compare_cards(const struct card *cards, const struct gshmemi_team_view *team, const char *call)
{
	enum difference difference;
	int i;

	for (i = 0; i < team->npes; i++)
		if (cards[i].rc)
			return (int)cards[i].rc;
	for (i = 1; i < team->npes; i++) {
		difference = find_difference(cards, &cards[i]);
		if (difference == NO_DIFFERENCE)
			continue;
		if (team->my_pe == 0)
			report_difference(difference, cards, &cards[i], i, call);
		return -EINVAL;
	}
	return 0;
}

/* ---- the window ---- */

static size_t epoch_nbytes(int npes)
{
	return offsetof(struct gshmemi_win_epoch, target) + (size_t)npes * sizeof(struct gshmemi_win_target);
}

static int allocate_tables(struct gshmemi_window *window, const struct gshmemi_team_view *team)
{
	struct gshmemi_win *w = gshmemi_window_entry(window);
	const size_t npes = (size_t)team->npes;
	void *ptr = NULL;
	int rc;

	window->parts = calloc(npes, sizeof *window->parts);
	if (!window->parts) {
		gshmemi_error("a window of %zu PEs: no memory", npes);
		return -ENOMEM;
	}
	rc = gshmemi_pool_alloc(GSHMEMI_POOL_DEVICE, npes * sizeof *window->parts, "parts of a window", &ptr);
	window->device_parts = ptr;
	if (!rc) {
		rc = gshmemi_pool_alloc(
			GSHMEMI_POOL_PINNED, epoch_nbytes(team->npes), "epochs of a window", &ptr);
		w->epoch = rc ? NULL : ptr;
	}
	if (!rc && team->members) {
		rc = gshmemi_pool_alloc(
			GSHMEMI_POOL_PINNED, npes * sizeof(int32_t), "members of a window", &ptr);
		window->members = rc ? NULL : ptr;
	}
	if (rc)
		return rc;
	memset(w->epoch, 0, epoch_nbytes(team->npes));
	if (team->members)
		memcpy(window->members, team->members, npes * sizeof(int32_t));
	return 0;
}

/* Prepare this PE's side of the window's barrier. */
static int fill_sync(struct gshmemi_window *window, const struct gshmemi_team_view *team,
	struct gshmemi_win_control *control, const char *call)
{
	struct gshmemi_sync image = {0};

	window->view = *team;
	window->view.sync = gshmemi_win_sync(control);
	window->view.members = window->members;
	image.members = window->members;
	image.my_pe = team->my_pe;
	image.npes = team->npes;
	image.start = team->start;
	image.stride = team->stride;
	return gshmemi_devmem_copy(control->sync, &image, offsetof(struct gshmemi_sync, flag), call);
}

/* begin is NULL for a dynamic window, whose displacements are addresses. */
static void fill_parts(struct gshmemi_window *window, const struct card *cards, char *begin)
{
	int i;

	for (i = 0; i < window->view.npes; i++)
		window->parts[i] = (struct gshmemi_win_part){begin + cards[i].inside, cards[i].nbytes,
			(uint32_t)cards[i].disp_unit, gshmemi_team_to_world(&window->view, i), NULL};
}

/* Write the window to where kernels find it. They may not use it yet. */
static int publish(struct gshmemi_window *window, const struct gshmemi_win *w, const char *call)
{
	int rc = gshmemi_devmem_copy(
		window->device_parts, window->parts, (size_t)w->npes * sizeof *window->parts, call);

	if (!rc) {
		struct gshmemi_win image = *w;

		image.parts = window->device_parts;
		rc = gshmemi_window_show(window, &image, call);
	}
	return rc;
}

static void tell_peers(unsigned region, const struct gshmemi_window *window, const struct card *cards)
{
	int i, peer;

	for (i = 0; i < window->view.npes; i++)
		for (peer = 0; peer < gshmemi_job->npeers; peer++)
			if (gshmemi_job->peers[peer].pe == window->parts[i].world_pe)
				gshmemi_region_tell(region, peer, &cards[i].memory);
}

/* Whether operations on some PE must go over the net. */
static bool needs_net(unsigned region, const struct gshmemi_window *window)
{
	int i;

	for (i = 0; i < window->view.npes; i++)
		if (window->parts[i].nbytes &&
			gshmemi_region_delta(region, window->parts[i].world_pe) == GSHMEMI_SENTINEL)
			return true;
	return false;
}

/*
 * Fill in where parts are in this process, once the region is open. Checks, late delivery, counters
 * and the trace must see every call, so with them no part has an address, as no PE has a distance in
 * the direct tables.
 */
static void fill_here(const struct gshmemi_window *window)
{
	const bool is_slow = gshmemi_env_sees_calls();
	struct gshmemi_win_part *part = window->parts;
	int i;

	for (i = 0; i < window->view.npes; i++, part++)
		part->here = is_slow || gshmemi_state.peers[part->world_pe] & GSHMEMI_PEER_CARRIED
			? NULL
			: gshmemi_window_memory(window, i);
}

/*
 * An element of less than 4 bytes is updated together with the rest of its word, which may end
 * behind the window.
 */
static uint64_t whole_words(uint64_t nbytes)
{
	return (nbytes + 3) & ~(uint64_t)3;
}

/* Set up all that this PE needs to operate. *needs_net_p: some PE is not mapped. */
static int set_up(struct gshmemi_window *window, const struct request *r,
	const struct gshmemi_team_view *team, const struct card *cards, bool *needs_net_p)
{
	const unsigned region = GSHMEMI_NFIXED + gshmemi_window_place(window);
	struct gshmemi_win_control *control = gshmemi_window_control(gshmemi_window_place(window));
	char *const begin =
		r->kind != DYNAMIC && r->nbytes ? (char *)r->base - cards[team->my_pe].inside : NO_MEMORY;
	struct gshmemi_win *w = gshmemi_window_entry(window);
	int rc;

	rc = allocate_tables(window, team);
	rc = rc ? rc : fill_sync(window, team, control, r->call);
	if (rc)
		return rc;
	fill_parts(window, cards, r->kind == DYNAMIC ? NULL : begin);
	rc = gshmemi_region_add(
		region, begin, whole_words(r->nbytes ? r->nbytes + cards[team->my_pe].inside : 0), "window");
	if (rc)
		return rc;
	tell_peers(region, window, cards);
	rc = gshmemi_region_open(region);
	if (rc) {
		gshmemi_region_remove(region);
		return rc;
	}
	*needs_net_p = needs_net(region, window);
	window->base = r->base;
	window->id = cards[team->my_pe].memory.id;
	w->handle =
		(int32_t)(window->generation << GSHMEMI_WIN_PLACE_BITS | (gshmemi_window_place(window) + 1));
	w->npes = team->npes;
	w->my_pe = team->my_pe;
	w->flags = (is_unified(r) ? 0 : GSHMEMI_WIN_SEPARATE) |
		(r->hints & GSHMEMX_WIN_NO_LOCKS ? GSHMEMI_WIN_NO_LOCKS : 0) |
		(team->npes > GSHMEMI_WIN_MOST_PES ? GSHMEMI_WIN_NO_LOCKS : 0) |
		(r->kind == DYNAMIC ? GSHMEMI_WIN_DYNAMIC : 0);
	fill_here(window);
	gshmemi_region_tables(region, &w->delta, &w->amo_delta);
	w->parts = window->parts;
	w->control = control;
	rc = publish(window, w, r->call);
	if (rc)
		gshmemi_region_remove(region);
	return rc;
}

/*
 * Make the window in the place that all PEs have taken. The barriers in here are the team's, because the
 * window's own exists on all PEs only after the first of them.
 */
static int make(struct gshmemi_window *window, struct request *r, const struct card *mine,
	const struct gshmemi_team_view *team)
{
	struct card *cards =
		read_cards(team, gshmemi_window_control(gshmemi_window_place(window)), mine, r->call);
	uint64_t needs_none;
	bool needs_net = false;
	int rc = compare_cards(cards, team, r->call), local;

	if (rc) { /* nobody takes the place again before all PEs have read the cards there */
		gshmemi_sync_host_team(team, NULL, r->call);
		free(cards);
		return rc;
	}
	local = set_up(window, r, team, cards, &needs_net);
	free(cards);
	needs_none = needs_net ? 0 : ~0ULL;
	rc = agree(team, local, &needs_none, r->call);
	if (!rc && !needs_none)
		rc = agree(team, gshmemi_net_require(r->call), NULL, r->call);
	if (rc && !local)
		gshmemi_window_take_down(window, r->call);
	if (rc)
		gshmemi_window_free_tables(window);
	return rc;
}

/* Clear this PE's control block, and put its card there. */
static int show_card(unsigned place, unsigned npieces, const struct card *card, const char *call)
{
	struct gshmemi_win_control *control = gshmemi_window_control(place);
	const int rc = gshmemi_devmem_fill(control, 0, npieces * (size_t)GSHMEMI_WIN_PIECE_NBYTES, call);

	return rc ? rc : gshmemi_devmem_copy(control->card, card, sizeof *card, call);
}

/*
 * Take a place that is free on all PEs, and put this PE's card there. Returns 0, or the same error
 * on all PEs.
 */
static int find_place(const struct request *r, const struct card *card, const struct gshmemi_team_view *team,
	struct gshmemi_window **window_p)
{
	const unsigned npieces = gshmemi_win_pieces(team->npes);
	uint64_t is_everyones;
	int place, rc;
	bool is_mine;

	for (;;) {
		place = agree_on_place(team, npieces, r->call);
		if (place < 0)
			return -ENOSPC;
		is_mine = gshmemi_window_take((unsigned)place, npieces);
		is_everyones = is_mine ? ~0ULL : 0;
		rc = agree(team, is_mine ? show_card((unsigned)place, npieces, card, r->call) : 0,
			&is_everyones, r->call);
		if (is_everyones && !rc) {
			*window_p = gshmemi_window_at((unsigned)place);
			return 0;
		}
		if (is_mine)
			gshmemi_window_leave(gshmemi_window_at((unsigned)place));
		if (rc)
			return rc;
	} /* another thread of some PE has taken it meanwhile: try again */
}

static int create(gshmem_team_t handle, struct request *r)
{
	const struct gshmemi_team_view *team;
	struct gshmemi_window *window = NULL;
	struct card card;
	int rc;

	_Static_assert(sizeof card <= GSHMEMI_WIN_CARD_NBYTES, "it fits");
	rc = gshmemi_enter_collective_int(r->call);
	if (rc)
		return rc;
	if (handle == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	team = gshmemi_team_find(handle, r->call);
	gshmemi_host_fence(0, r->call);
	(void)fill_card(r, team, &card);
	rc = find_place(r, &card, team, &window);
	if (!rc)
		rc = make(window, r, &card, team);
	gshmemi_virtual_withdraw(r->offer);
	if (rc && r->kind == ALLOCATE)
		gshmemi_pool_free(GSHMEMI_POOL_FINE, r->base);
	if (rc) {
		if (window)
			gshmemi_window_leave(window);
		return rc;
	}
	window->allocated = r->kind == ALLOCATE ? r->base : NULL;
	window->team = handle;
	if (r->kind == ALLOCATE)
		*r->base_p = r->base;
	*r->win_p = gshmemi_window_entry(window)->handle;
	return 0;
}

int gshmemx_win_create_with_hints(
	gshmem_team_t team, void *base, size_t nbytes, size_t disp_unit, long hints, gshmemx_win_t *win_p)
{
	struct request r = {
		CREATE, base, nbytes, disp_unit, hints, NULL, win_p, "gshmemx_win_create_with_hints", NULL};

	return create(team, &r);
}

int gshmemx_win_create(gshmem_team_t team, void *base, size_t nbytes, size_t disp_unit, gshmemx_win_t *win_p)
{
	struct request r = {CREATE, base, nbytes, disp_unit, 0, NULL, win_p, "gshmemx_win_create", NULL};

	return create(team, &r);
}

int gshmemx_win_allocate_with_hints(
	gshmem_team_t team, size_t nbytes, size_t disp_unit, long hints, void **base_p, gshmemx_win_t *win_p)
{
	struct request r = {ALLOCATE, NULL, nbytes, disp_unit, hints, base_p, win_p,
		"gshmemx_win_allocate_with_hints", NULL};

	return create(team, &r);
}

int gshmemx_win_allocate(
	gshmem_team_t team, size_t nbytes, size_t disp_unit, void **base_p, gshmemx_win_t *win_p)
{
	struct request r = {
		ALLOCATE, NULL, nbytes, disp_unit, 0, base_p, win_p, "gshmemx_win_allocate", NULL};

	return create(team, &r);
}

int gshmemx_win_create_dynamic_with_hints(gshmem_team_t team, long hints, gshmemx_win_t *win_p)
{
	struct request r = {DYNAMIC, NULL, PTRDIFF_MAX, 1, hints, NULL, win_p,
		"gshmemx_win_create_dynamic_with_hints", NULL};

	return create(team, &r);
}

int gshmemx_win_create_dynamic(gshmem_team_t team, gshmemx_win_t *win_p)
{
	struct request r = {
		DYNAMIC, NULL, PTRDIFF_MAX, 1, 0, NULL, win_p, "gshmemx_win_create_dynamic", NULL};

	return create(team, &r);
}
