/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel of one work-group that performs an accumulate of another PE (struct gshmemi_update_page). It waits
 * for nobody, so that it ends once it has begun.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx_win.h>

#include "device/launch.h"
#include "owner/kernels.h"

#if !GSHMEMI_ARCH_HOST_DIRECT

/* How often to try for the lock of elements of 16 bytes; then the engine waits for it, by mails. */
#define LOCK_TRIES 1000

static __device__ char *place_of(uint64_t head, uint64_t place)
{
	char *base = gshmemi_mail_find(head);

	return base ? base + (place & GSHMEMI_OP_OFFSET) : NULL;
}

static __device__ uint64_t *lock_of(const struct gshmemi_update_page *page)
{
	return (uint64_t *)(void *)place_of(
		gshmemi_op_head(GSHMEMI_AMO, 0, 8, 0, GSHMEMI_REGION_CONTROL, (uint64_t)gshmem_my_pe()),
		page->lock);
}

static __device__ bool take_lock(uint64_t *lock)
{
	unsigned i, polls = 0;

	for (i = 0; i < LOCK_TRIES; i++) {
		if (gshmemi_amo_peer(GSHMEMI_AMO_CAS, (char *)lock, 1, 0, 8) == 0)
			return true;
		gshmemi_arch_pause(&polls);
	}
	return false;
}

/* The first thread: whether this kernel performs the update. */
static __device__ bool begin_update(struct gshmemi_update_page *page, uint64_t *lock)
{
	gshmemi_arch_store(&page->has_begun, 1, 4);
	gshmemi_arch_fence_system();
	return !gshmemi_arch_load(&page->is_left, 4) && (!lock || take_lock(lock));
}

/* Out of line: all operators on all kinds are long. */
GSHMEMI_COLD void fold_element(struct gshmemi_win_update u, void *acc, const void *x)
{
	gshmemi_win_fold(u, acc, x);
}

/* Under the lock, so nobody else changes the two words. */
static __device__ struct gshmemi_word update_wide(
	struct gshmemi_win_update u, char *there, const char *element)
{
	struct gshmemi_word old, updated;

	old.half[0] = gshmemi_arch_load(there, 8);
	old.half[1] = gshmemi_arch_load(there + 8, 8);
	updated = old;
	fold_element(u, &updated, element);
	gshmemi_arch_store(there, updated.half[0], 8);
	gshmemi_arch_store(there + 8, updated.half[1], 8);
	return old;
}

/* By compare and swap of the word that holds the element. */
static __device__ uint64_t update_by_swap(struct gshmemi_win_update u, char *there, const char *element)
{
	const unsigned word_nbytes = u.nbytes < 4 ? 4 : u.nbytes;
	const unsigned inside = (unsigned)((uintptr_t)there & (word_nbytes - 1));
	uint64_t found = gshmemi_arch_load(there - inside, word_nbytes), got, updated;
	char bits[sizeof found];

	for (;; found = got) {
		gshmemi_value_store(bits, found, sizeof bits);
		fold_element(u, bits + inside, element);
		updated = gshmemi_value_load(bits, word_nbytes);
		got = gshmemi_amo_peer(GSHMEMI_AMO_CAS, there - inside, updated, found, word_nbytes);
		if (got == found)
			return found >> 8 * inside;
	}
}

static __device__ void update_element(
	struct gshmemi_win_update u, char *there, const char *element, char *old)
{
	const int native = u.nbytes < 4 ? -1 : gshmemi_win_native(u.op, u.kind);
	struct gshmemi_word word = {{0, 0}};

	if (u.nbytes > 8)
		word = update_wide(u, there, element);
	else if (native < 0)
		word.half[0] = update_by_swap(u, there, element);
	else
		word.half[0] = gshmemi_amo_peer(native, there,
			native == GSHMEMI_AMO_FETCH ? 0 : gshmemi_value_load(element, u.nbytes), 0, u.nbytes);
	if (old)
		__builtin_memcpy(old, &word, u.nbytes);
}

/*
 * The acquire pairs with the host's writes of the page, and with the release of the lock's last holder. The
 * first release orders the elements after what the stream has brought before; the second one orders the end,
 * and the unlock, after them.
 */
__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1) void gshmemi_update_kernel(
	struct gshmemi_update_page *page)
{
	const unsigned rank = gshmemi_arch_group_rank(GSHMEMI_WG, 0), size = gshmemi_arch_thread_count();
	const unsigned nbytes = gshmemi_op_word_nbytes(page->head);
	const struct gshmemi_win_update u = gshmemi_win_make_update(
		gshmemi_op_op(page->head), (int)(page->place >> GSHMEMI_OP_NBYTES_SHIFT), nbytes);
	const bool fetches = (page->head & GSHMEMI_OP_FETCHES) != 0;
	char *const there = place_of(page->head, page->place);
	uint64_t *const lock = nbytes > 8 ? lock_of(page) : NULL;
	const size_t all = page->nbytes;
	size_t i;

	if (rank == 0)
		gshmemi_arch_store(&page->goes_on, begin_update(page, lock), 4);
	gshmemi_arch_fence_release();
	gshmemi_arch_group_sync(GSHMEMI_WG, 0);
	gshmemi_arch_fence_acquire();
	if (gshmemi_arch_load(&page->goes_on, 4)) {
		gshmemi_arch_fence_release();
		for (i = (size_t)rank * nbytes; i < all; i += (size_t)size * nbytes)
			update_element(u, there + i, page->elements + i, fetches ? page->old + i : NULL);
		gshmemi_arch_fence_release();
		gshmemi_arch_group_sync(GSHMEMI_WG, 0);
		if (rank == 0) {
			if (lock)
				(void)gshmemi_amo_peer(GSHMEMI_AMO_SET, (char *)lock, 0, 0, 8);
			gshmemi_arch_fence_release();
			gshmemi_arch_store(&page->end, GSHMEMI_UPDATE_PERFORMED, 4);
		}
	} else if (rank == 0) {
		gshmemi_arch_store(&page->end, GSHMEMI_UPDATE_SKIPPED, 4);
	}
}

hipError_t gshmemi_update_launch(struct gshmemi_update_page *page, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_update_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, page);
}

hipError_t gshmemi_update_load(void)
{
	return gshmemi_load_kernel(reinterpret_cast<const void *>(gshmemi_update_kernel));
}

#else

hipError_t gshmemi_update_load(void)
{
	return hipSuccess;
}

#endif
