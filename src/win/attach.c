/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic windows: memory that a PE attaches by itself, and that its peers name by address. Peers have no
 * handle of it, so the PE performs their operations, and checks here that the memory is attached.
 */
#include "win/win.h"

#define GSHMEMI_BODIES
#include <gshmem/win/win.h>
#include <pthread.h>
#include <stdlib.h>

struct gshmemi_attachment {
	struct gshmemi_attachment *next;
	uint64_t begin;
	uint64_t end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all lists, which the net thread reads */

/* The first attachment that ends behind an address. The list is sorted, and attachments do not overlap. */
static struct gshmemi_attachment **find_attachment(struct gshmemi_window *window, uint64_t address)
{
	struct gshmemi_attachment **link = &window->attachments;

	while (*link && (*link)->end <= address)
		link = &(*link)->next;
	return link;
}

/* The first attachment that begins at an address or behind it. One of 0 bytes comes before another there. */
static struct gshmemi_attachment **find_start(struct gshmemi_window *window, uint64_t address)
{
	struct gshmemi_attachment **link = &window->attachments;

	while (*link && (*link)->begin < address)
		link = &(*link)->next;
	return link;
}

/*
 * Adjacent attachments count as one. An element of less than 4 bytes is updated together with the rest of its
 * word, which may lie outside of them.
 */
bool gshmemi_window_is_attached(unsigned region, uint64_t address, uint64_t nbytes)
{
	const struct gshmemi_attachment *at;
	const uint64_t end = address + nbytes;
	struct gshmemi_window *window;

	if (region < GSHMEMI_NFIXED ||
		!(gshmemi_windows[region - GSHMEMI_NFIXED].flags & GSHMEMI_WIN_DYNAMIC))
		return true;
	window = gshmemi_window_at(region - GSHMEMI_NFIXED);
	pthread_mutex_lock(&lock);
	for (at = window->attachments; at && address < end && (at->begin & ~(uint64_t)3) <= address;
		at = at->next)
		if (address < at->end)
			address = (at->end + 3) & ~(uint64_t)3;
	pthread_mutex_unlock(&lock);
	return end >= nbytes && address >= end;
}

/* ---- operations on what nobody has attached ---- */

/* The last calls of the host on dynamic windows. */
#define NCALLS 64
struct remembered {
	const struct gshmemi_win *w;
	int pe;
	uint64_t address, nbytes;
	const char *call;
};
static struct remembered calls[NCALLS]; /* guarded by the lock */
static unsigned ncalls;

void gshmemi_window_remember(
	const struct gshmemi_win *w, int pe, uint64_t address, uint64_t nbytes, const char *call)
{
	pthread_mutex_lock(&lock);
	calls[ncalls++ % NCALLS] = (struct remembered){w, pe, address, nbytes, call};
	pthread_mutex_unlock(&lock);
}

/* The last call that is remembered of this address; if there is none, as of a kernel's, what it does. */
static const char *name_call(const struct gshmemi_win *w, int pe, uint64_t head, uint64_t address)
{
	static const char *const whats[16] = {[GSHMEMI_PUT] = "a put",
		[GSHMEMI_CHUNK] = "a put",
		[GSHMEMI_GET] = "a get",
		[GSHMEMI_GET_CHUNK] = "a get"};
	const char *what = whats[gshmemi_op_what(head)], *call = NULL;
	const struct remembered *r;
	unsigned i;

	pthread_mutex_lock(&lock);
	for (i = 1; i <= NCALLS && !call; i++) {
		r = &calls[(ncalls - i) % NCALLS];
		if (r->w == w && r->pe == pe && address - r->address < r->nbytes)
			call = r->call;
	}
	pthread_mutex_unlock(&lock);
	return call ? call : what ? what : "an accumulate";
}

_Noreturn void gshmemi_window_refused(int world_pe, uint64_t head, uint64_t address, uint64_t nbytes)
{
	const struct gshmemi_win *w = &gshmemi_windows[gshmemi_op_region(head) - GSHMEMI_NFIXED];
	int pe;

	for (pe = 0; pe < w->npes && w->parts[pe].world_pe != world_pe; pe++)
		;
	gshmemi_error("%s: nothing is attached at %#llx, %llu bytes, on PE %d of the dynamic window %#x",
		name_call(w, pe, head, address), (unsigned long long)address, (unsigned long long)nbytes, pe,
		(unsigned)w->handle);
	gshmemi_end(1);
}

/* ---- attaching ---- */

/* Returns the window if it is dynamic, or NULL after a message. */
static struct gshmemi_window *find_dynamic(gshmemx_win_t win, const char *call)
{
	struct gshmemi_window *window;

	if (gshmemi_enter_int(call))
		return NULL;
	window = gshmemi_window_find(win, call);
	if (!window || gshmemi_win_of(win)->flags & GSHMEMI_WIN_DYNAMIC)
		return window;
	gshmemi_error("%s: the window is not of gshmemx_win_create_dynamic", call);
	return NULL;
}

int gshmemx_win_attach(gshmemx_win_t win, void *base, size_t nbytes)
{
	static const char call[] = "gshmemx_win_attach";
	struct gshmemi_window *window = find_dynamic(win, call);
	const uint64_t begin = (uintptr_t)base, end = begin + nbytes;
	struct gshmemi_attachment **link, *mine;

	if (!window)
		return -EINVAL;
	if ((!base && nbytes) || end < begin) {
		gshmemi_error("%s: %zu bytes at %p are no memory", call, nbytes, base);
		return -EINVAL;
	}
	mine = malloc(sizeof *mine);
	if (!mine)
		return -ENOMEM;
	pthread_mutex_lock(&lock);
	link = nbytes ? find_attachment(window, begin) : find_start(window, begin);
	if (*link && (*link)->begin < end) {
		pthread_mutex_unlock(&lock);
		free(mine);
		gshmemi_error("%s: %zu bytes at %p overlap what is attached", call, nbytes, base);
		return -EINVAL;
	}
	*mine = (struct gshmemi_attachment){*link, begin, end};
	*link = mine;
	pthread_mutex_unlock(&lock);
	return 0;
}

int gshmemx_win_detach(gshmemx_win_t win, const void *base)
{
	static const char call[] = "gshmemx_win_detach";
	struct gshmemi_window *window = find_dynamic(win, call);
	struct gshmemi_attachment **link, *found;

	if (!window)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	link = find_start(window, (uintptr_t)base);
	found = *link && (*link)->begin == (uintptr_t)base ? *link : NULL;
	if (found)
		*link = found->next;
	pthread_mutex_unlock(&lock);
	free(found);
	if (found)
		return 0;
	gshmemi_error("%s: nothing is attached at %p", call, base);
	return -ENOENT;
}

void gshmemi_window_detach_all(struct gshmemi_window *window)
{
	struct gshmemi_attachment *at;

	pthread_mutex_lock(&lock);
	while ((at = window->attachments)) {
		window->attachments = at->next;
		free(at);
	}
	pthread_mutex_unlock(&lock);
}
