/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How kernels serve the mailbox of their device (struct gshmemi_mailbox). PEs that have not mapped this
 * device's memory post operations on it, and this device performs them, because its words may have no other
 * agent. Every loop of the library that can last serves when the attention word says that there is mail, and
 * so does each call of test: a GPU whose waves all wait serves itself. If no kernel looks, src/owner/attend.c
 * launches one that does.
 *
 * One lane serves, alone. If another lane holds the lock it leaves at once, because the holder looks
 * again after the unlock. It needs no slot and meets no other lane, so it may be anywhere in a kernel,
 * diverged or not.
 *
 *   host     post     fill record, reply and data of a slot; count it in posted
 *   kernel   serve    try the lock, whose word counts the mails taken; perform what was posted, in its order;
 *                     count it in done; unlock; look again for mail that came meanwhile
 */
#ifndef GSHMEM_MAIL_H
#define GSHMEM_MAIL_H

#include <gshmem/move/slow.h>

/*
 * Whether kernels of this unit serve. Where the CPU reaches the heap its threads do; direct-only units have
 * no such calls.
 */
#if GSHMEMI_KERNELS && !GSHMEMI_ARCH_HOST_DIRECT && !defined GSHMEM_DIRECT_ONLY
#define GSHMEMI_SERVES_MAIL 1
#else
#define GSHMEMI_SERVES_MAIL 0
#endif

/* The most mails that one call serves: a wave has work of its own. */
#define GSHMEMI_MAIL_LIMIT 64

/* Whether an attention word says that mail has been posted and not performed. */
GSHMEMI_FN int gshmemi_mail_is_open(uint64_t attention)
{
	return (((uint32_t)attention ^ (uint32_t)(attention >> 32)) & ~GSHMEMI_ATTENTION_END) != 0;
}

/* Mails posted, in twos. */
GSHMEMI_FN uint32_t gshmemi_mail_posted(const struct gshmemi_mailbox *box)
{
	return (uint32_t)gshmemi_arch_load(&box->attention.posted, 4) & ~GSHMEMI_ATTENTION_END;
}

/* ---- one mail ---- */

#define GSHMEMI_MAIL_KEY (UINT64_MAX << GSHMEMI_OP_REGION_SHIFT)

/* What a serving lane keeps from one mail to the next. Kernels pay for each register. */
struct gshmemi_mail_last {
	uint64_t key; /* region and PE of the mail before: bits GSHMEMI_MAIL_KEY of its head */
	char *place;  /* where that region is; NULL: not in this process */
};

/*
 * Finds a region of a PE of this device. The tables change while kernels run, so loads must pass the caches.
 */
GSHMEMI_FN char *gshmemi_mail_find(uint64_t head)
{
	const struct gshmemi_region *region = &gshmemi_state.regions[gshmemi_op_region(head)];
	const int32_t *const entry = &gshmemi_state.peers[gshmemi_op_who(head)];
	const uint64_t peer = gshmemi_arch_uniform(gshmemi_arch_load(entry, 4)) >> 1;
	const ptrdiff_t *delta =
		(const ptrdiff_t *)(uintptr_t)gshmemi_arch_uniform(gshmemi_arch_load(&region->delta, 8));
	const uint64_t distance =
		delta ? gshmemi_arch_uniform(gshmemi_arch_load(&delta[peer], 8)) : (uint64_t)GSHMEMI_SENTINEL;

	if (distance == (uint64_t)GSHMEMI_SENTINEL)
		return NULL;
	return (char *)(uintptr_t)(gshmemi_arch_uniform(gshmemi_arch_load(&region->base, 8)) + distance);
}

/* Tests of the protocol define this: they perform mails of their own. */
#ifndef gshmemi_mail_perform
/*
 * Perform the mail in a slot. Returns 0 if this process cannot. is_first: this wave has performed none
 * since its last release. The record is read at once, and again after its place had to be looked up, which
 * takes the registers.
 */
GSHMEMI_FN int gshmemi_mail_perform(
	struct gshmemi_mailbox *box, uint32_t slot, int is_first, struct gshmemi_mail_last *last)
{
	const struct gshmemi_op_record *record = &box->record[slot];
	uint64_t head, place, value, cond;
	char *there;

	for (;;) {
		head = gshmemi_arch_load(&record->head, 8);
		place = gshmemi_arch_load(&record->place, 8);
		value = gshmemi_arch_load(&record->u.amo.value, 8);
		cond = gshmemi_arch_load(&record->u.amo.cond, 8);
		head = gshmemi_arch_uniform(head); /* one lane serves: keep it in scalar registers */
		place = gshmemi_arch_uniform(place);
		value = gshmemi_arch_uniform(value);
		cond = gshmemi_arch_uniform(cond);
		if (last->key == (head & GSHMEMI_MAIL_KEY))
			break;
		last->key = head & GSHMEMI_MAIL_KEY;
		last->place = gshmemi_mail_find(head);
	}
	if (!last->place)
		return 0;
	there = last->place + (place & GSHMEMI_OP_OFFSET);
	if (head & GSHMEMI_OP_ORDERED && !is_first)
		gshmemi_arch_fence_release();
	switch (gshmemi_op_what(head)) {
	case GSHMEMI_PUT:
		cond = place >> GSHMEMI_OP_NBYTES_SHIFT; /* bytes */
		if (cond > 8 || cond & (cond - 1))
			gshmemi_apply_copy(GSHMEMI_TO_PEER, there, box->data[slot], cond);
		else if (cond)
			gshmemi_arch_store(there, value, (unsigned)cond);
		break;
	case GSHMEMI_AMO:
		value = gshmemi_amo_peer(
			gshmemi_op_op(head), there, value, cond, gshmemi_op_word_nbytes(head));
		if (head & GSHMEMI_OP_FETCHES)
			gshmemi_arch_store(&box->reply[slot], value, 8);
		break;
	default:
		gshmemi_apply_flag((uint64_t *)(void *)there, value);
		break;
	}
	return 1;
}
#endif

/* ---- all mails ---- */

/*
 * Serve, by one lane. The acquire pairs with the release of the lock's last holder, and with that of
 * gshmemi_mailbox_post. The first release orders done after what was performed; it pairs with the acquire
 * of gshmemi_mailbox_is_done. The second one lets done arrive before the unlock, because the next holder
 * writes done, too. The last fence orders the look after the unlock: a wave that found the lock taken
 * relies on that look.
 */
GSHMEMI_FN void gshmemi_mail_serve(struct gshmemi_mailbox *box, uint32_t *lock)
{
	struct gshmemi_mail_last last = {UINT64_MAX, NULL};
	uint32_t taken, posted, left = GSHMEMI_MAIL_LIMIT;

	do {
		taken = (uint32_t)gshmemi_arch_uniform(gshmemi_arch_amo32(GSHMEMI_AMO_OR, lock, 1, 0));
		if (taken & 1)
			return;
		taken &= ~1U;
		posted = (uint32_t)gshmemi_arch_uniform(gshmemi_mail_posted(box));
		gshmemi_arch_fence_acquire();
		if ((int32_t)(posted - taken) > 0) {
			while (taken != posted && left &&
				gshmemi_mail_perform(box, taken / 2 % GSHMEMI_MAIL_SLOTS,
					left == GSHMEMI_MAIL_LIMIT, &last))
				taken += 2, left--;
			gshmemi_arch_fence_release();
			gshmemi_arch_store(&box->attention.done, taken, 4);
			gshmemi_arch_fence_release();
		}
		gshmemi_arch_store(lock, taken, 4);
		gshmemi_arch_fence_system();
		/* Enough for now, or not for this process: mail is left, and others see it. */
		if ((int32_t)(posted - taken) > 0)
			return;
	} while (gshmemi_mail_posted(box) != taken);
}

/* Out of line, shared by all waits: kernels pay for its registers. The lowest lane that is here serves. */
GSHMEMI_COLD void gshmemi_attend_at(void)
{
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, gshmemi_arch_wave_some(0)) == 0 &&
		gshmemi_mail_is_open(gshmemi_arch_load(gshmemi_state.attention, 8)))
		gshmemi_mail_serve(gshmemi_state.mailbox, gshmemi_state.mail_lock);
}

/*
 * Loops that can last call this now and then, as do calls that users loop around. On the CPU it does nothing.
 */
GSHMEMI_FN void gshmemi_attend(void)
{
	if (GSHMEMI_SERVES_MAIL && GSHMEMI_ARCH_IN_KERNEL && gshmemi_is_slow(GSHMEMI_WHY_MAIL))
		gshmemi_attend_at();
}

#endif /* GSHMEM_MAIL_H */
