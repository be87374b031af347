/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pages of accumulates that kernels perform, and the stream of these kernels. Where the GPU has no room
 * for one, the engine leaves it after a short time and sends mails; and as long as a kernel that was left has
 * not ended, no other is queued behind it.
 */
#include "owner/update.h"

#include <string.h>

#include <gshmem/move/carry.h>
#include <gshmem/win/operator.h>

#include "device/devmem.h"
#include "job/job.h"
#include "owner/kernels.h"

#if !GSHMEMI_ARCH_HOST_DIRECT

#define NUPDATES 4
/* The time that a kernel has to begin: a launch takes some 10 us, and longer behind other work. */
#define GRACE_NS 500000U

struct gshmemi_kernel_update {
	struct gshmemi_kernel_update *next;
	struct gshmemi_update_page *page;
	uint64_t queued_ns;
	bool is_left; /* its kernel has not ended */
};

static struct gshmemi_kernel_update updates[NUPDATES], *free_updates;
static struct gshmemi_update_page *pages;
static hipStream_t stream;

static void give_update(struct gshmemi_kernel_update *update)
{
	update->is_left = false;
	update->next = free_updates;
	free_updates = update;
}

static uint32_t load_word(const uint32_t *word)
{
	return (uint32_t)gshmemi_arch_load(word, 4);
}

/* Takes back updates that were left, once their kernels have ended; returns whether one has not. */
static bool reap_left(void)
{
	bool is_any = false;
	unsigned i;

	for (i = 0; i < NUPDATES; i++) {
		if (updates[i].is_left && load_word(&updates[i].page->end))
			give_update(&updates[i]);
		is_any |= updates[i].is_left;
	}
	return is_any;
}

struct gshmemi_kernel_update *gshmemi_update_begin(const struct gshmemi_op_record *r)
{
	const uint64_t nbytes = gshmemi_wire_place_nbytes(r->head);
	const int kind = (int)(r->place >> GSHMEMI_OP_NBYTES_SHIFT), op = gshmemi_op_op(r->head);
	struct gshmemi_kernel_update *update;
	struct gshmemi_update_page *page;

	/* kernels have no long double, and one element to compare and swap is a mail */
	if (kind == GSHMEMI_KIND_LONG_DOUBLE || op == GSHMEMI_ACCUMULATE_SWAP ||
		nbytes > GSHMEMI_UPDATE_NBYTES || reap_left() || !free_updates)
		return NULL;
	update = free_updates;
	free_updates = update->next;
	update->next = NULL;
	update->queued_ns = gshmemi_arch_clock_ns();
	page = update->page;
	page->head = (uint32_t)r->head | (uint64_t)(uint32_t)gshmemi_job->my_pe << GSHMEMI_OP_WHO_SHIFT;
	page->place = r->place;
	page->lock = r->u.elements.lock;
	page->nbytes = nbytes;
	page->is_left = page->has_begun = page->goes_on = page->end = 0;
	if (op != GSHMEMX_NO_OP)
		memcpy(page->elements, gshmemi_wire_data(r), nbytes);
	return update;
}

enum gshmemi_update_state gshmemi_update_look(struct gshmemi_kernel_update *update, char *old)
{
	struct gshmemi_update_page *page = update->page;
	const uint32_t end = load_word(&page->end);

	if (end) {
		gshmemi_arch_fence_acquire();
		if (end == GSHMEMI_UPDATE_PERFORMED && old)
			memcpy(old, page->old, page->nbytes);
		give_update(update);
		return end == GSHMEMI_UPDATE_PERFORMED ? GSHMEMI_UPDATE_DONE : GSHMEMI_UPDATE_LEFT;
	}
	if (load_word(&page->has_begun) || gshmemi_arch_clock_ns() - update->queued_ns < GRACE_NS)
		return GSHMEMI_UPDATE_OPEN;
	gshmemi_arch_store(&page->is_left, 1, 4);
	gshmemi_arch_fence_system();
	if (load_word(&page->has_begun))
		return GSHMEMI_UPDATE_OPEN; /* its kernel says soon which of the two was first */
	update->is_left = true;
	return GSHMEMI_UPDATE_LEFT;
}

/* ---- the thread of device.c ---- */

void gshmemi_update_push(struct gshmemi_update_list *list, struct gshmemi_kernel_update *update)
{
	*list->last = update;
	list->last = &update->next;
}

/* A page may be free again as soon as its kernel is launched, and its update in another list. */
void gshmemi_update_launch_all(struct gshmemi_kernel_update *first)
{
	struct gshmemi_kernel_update *next;

	for (; first; first = next) {
		next = first->next;
		gshmemi_devmem_must(gshmemi_update_launch(first->page, stream), "net", "hipLaunchKernel");
	}
}

/* ---- open, close ---- */

int gshmemi_update_open(void)
{
	void *memory;
	unsigned i;
	int rc;

	rc = gshmemi_host_allocate(NUPDATES * sizeof *pages, "accumulates of other PEs", &memory);
	if (rc)
		return rc;
	pages = memory;
	free_updates = NULL;
	for (i = 0; i < NUPDATES; i++) {
		updates[i].page = &pages[i];
		give_update(&updates[i]);
	}
	return gshmemi_devmem_open_stream(&stream, false, "init");
}

void gshmemi_update_close(void)
{
	hipEvent_t none = NULL;

	if (stream)
		gshmemi_hip_ignore(hipStreamSynchronize(stream), "hipStreamSynchronize");
	gshmemi_devmem_close_stream(&stream, &none);
	gshmemi_host_free(pages);
	pages = NULL;
	free_updates = NULL;
}

#endif
