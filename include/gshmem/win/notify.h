/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notified put and get: an operation, followed by an addition to one of the target's counters of this window.
 * The counters lie in the target's control block, which is memory that its running kernels see change.
 */
#ifndef GSHMEM_WIN_NOTIFY_H
#define GSHMEM_WIN_NOTIFY_H

#include <gshmem/win/epoch.h>

enum gshmemi_win_notify {
	GSHMEMI_WIN_NOTIFY_WAIT,
	GSHMEMI_WIN_NOTIFY_TEST,
	GSHMEMI_WIN_NOTIFY_GET,
	GSHMEMI_WIN_NOTIFY_SET
};

GSHMEMI_FN int gshmemi_win_check_notification(int notification, const char *call)
{
	if ((GSHMEMI_IS_LIBRARY || gshmemi_is_slow(GSHMEMI_WHY_CHECK)) &&
		(notification < 0 || notification >= GSHMEMI_WIN_NOTIFICATIONS))
		return gshmemi_win_bad_argument(notification, call);
	return 0;
}

/* The counter changes after a get has its bytes, and after a put's bytes are visible at the target. */
GSHMEMI_FN int gshmemi_win_move_notify(int scope, int is_get, struct gshmemi_win_access to, const void *local,
	size_t nbytes, unsigned align, int notification, const char *call)
{
	const struct gshmemi_win *w;
	struct gshmemi_win_place at;
	struct gshmemi_group group;
	int rc;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_move_notify(is_get, to, local, nbytes, align, notification, call);
	if (to.pe == GSHMEMX_PE_NULL)
		return 0;
	w = gshmemi_win_of(to.win);
	rc = gshmemi_win_check_notification(notification, call);
	rc = rc ? rc : gshmemi_win_check(w, to, nbytes, align, call);
	if (rc)
		return rc;
	at = gshmemi_win_locate(w, to, call);
	if (nbytes) /* else the notification alone: a PE without memory is not mapped */
		gshmemi_win_move_at(scope, is_get, at, local, gshmemi_make_extent(nbytes, align, 0));
	gshmemi_fence(scope, 0, call); /* pairs with the acquire of the target's notify_wait */
	if (gshmemi_group_begin(&group, scope, GSHMEMI_KEY(w, local))) {
		if (group.rank == 0)
			(void)gshmemi_amo(gshmemi_win_words(), &w->control->notification[notification],
				gshmemi_make_update(GSHMEMI_AMO_ADD, 1, 0, 8, 0), at.world_pe, call);
		gshmemi_group_end(&group);
	}
	return 0;
}

/* Calls on the PE's own counters. A kernel may wait only for a window whose memory it sees change. */
GSHMEMI_FN int gshmemi_win_notification(int scope, int what, gshmemx_win_t win, int notification,
	uint64_t value, uint64_t *value_p, const char *call)
{
	struct gshmemi_win_fault fault = {0, -1, 0, 0, 0, 0};
	const struct gshmemi_win *w;
	struct gshmemi_group group;
	uint64_t *word;
	int rc;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_notification(what, win, notification, value, value_p, call);
	w = gshmemi_win_of(win);
	rc = gshmemi_win_check_notification(notification, call);
	if (rc)
		return rc;
	if ((GSHMEMI_IS_LIBRARY || gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK)) &&
		gshmemi_win_is_bad(w, win, -1, &fault))
		return gshmemi_win_fail(&fault, call);
	if (!GSHMEMI_IS_LIBRARY && what <= GSHMEMI_WIN_NOTIFY_TEST && w->flags & GSHMEMI_WIN_SEPARATE) {
		fault.kind = GSHMEMI_FAULT_SEPARATE_WINDOW;
		return gshmemi_win_fail(&fault, call);
	}
	word = &w->control->notification[notification];
	switch (what) {
	case GSHMEMI_WIN_NOTIFY_WAIT:
		if (gshmemi_group_begin_early(
			    &group, scope, GSHMEMI_KEY(word, NULL))) { /* the others wait at the end */
			if (group.rank == 0)
				GSHMEMI_WIN_OWN(await, word, value, -1, call);
			gshmemi_group_end(&group);
		}
		break;
	case GSHMEMI_WIN_NOTIFY_SET: /* others may add to it meanwhile */
		if (gshmemi_group_begin(&group, scope, GSHMEMI_KEY(word, NULL))) {
			if (group.rank == 0)
				(void)gshmemi_amo(gshmemi_win_words(), word,
					gshmemi_make_update(GSHMEMI_AMO_SWAP, value, 0, 8, 1),
					w->parts[w->my_pe].world_pe, call);
			gshmemi_group_end(&group);
		}
		break;
	default:
		*value_p = GSHMEMI_WIN_OWN(load, word, call);
		if (what == GSHMEMI_WIN_NOTIFY_TEST)
			*value_p = *value_p >= value;
		if (what == GSHMEMI_WIN_NOTIFY_TEST && !*value_p)
			gshmemi_win_looked();
	}
	gshmemi_arch_fence_acquire();
	return 0;
}

#endif /* GSHMEM_WIN_NOTIFY_H */
