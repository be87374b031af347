/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CHECK=1 */
/* races: no, it puts twice to one place */
/*
 * In each kind of epoch each call is allowed or not, and leads to the right epoch. A call that is not allowed
 * returns -EPERM and changes nothing. Bad arguments of all calls are errors, too.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <gshmem.h>
#include <gshmemx_win.h>
#include <hip/hip_runtime_api.h>

#include "helpers.h"

/*
 * Epochs, as letters: N none, F fence was called, E the same and an operation made, A between start and
 * complete, X between post and wait, B both, L the PE is locked, U the same without check, G all are
 * locked, H the same without check.
 */
static const char epochs[] = "NFEAXBLUGH";

/*
 * The epoch to which a call leads from each of them; '-': not allowed; '!': it would wait
 * for ever, so it is not made.
 */
static const struct {
	const char *call, *becomes;
} rules[] = {
	{"fence", "FFF-------"},
	{"fence noprecede", "FF--------"},
	{"fence nosucceed", "NNN-------"},
	{"fence both", "NN--------"},
	{"post", "XX-B------"},
	{"start", "AA--B-----"},
	{"complete", "---N-X----"},
	{"wait", "----N!----"},
	{"test", "----NB----"},
	{"lock", "LL--------"},
	{"lock nocheck", "UU--------"},
	{"unlock", "------NN--"},
	{"lock_all", "GG--------"},
	{"lock_all nocheck", "HH--------"},
	{"unlock_all", "--------NN"},
	{"flush", "-FEA-BLUGH"},
	{"flush_all", "-FEA-BLUGH"},
	{"flush_local", "-FEA-BLUGH"},
	{"flush_local_all", "-FEA-BLUGH"},
	{"sync", "NFEAXBLUGH"},
	{"put", "-EEA-BLUGH"},
	{"get", "-EEA-BLUGH"},
	{"iput", "-EEA-BLUGH"},
	{"iget", "-EEA-BLUGH"},
	{"ibput", "-EEA-BLUGH"},
	{"ibget", "-EEA-BLUGH"},
	{"putmem", "-EEA-BLUGH"},
	{"getmem", "-EEA-BLUGH"},
	{"accumulate", "-EEA-BLUGH"},
	{"get_accumulate", "-EEA-BLUGH"},
	{"rput", "-EEA-BLUGH"},
	{"rget", "-EEA-BLUGH"},
	{"raccumulate", "-EEA-BLUGH"},
	{"rget_accumulate", "-EEA-BLUGH"},
	{"put_notify", "-EEA-BLUGH"},
	{"get_notify", "-EEA-BLUGH"},
	{"fetch_and_op", "?EEA?BLUGH"}, /* '?': it would end the job: tests/win_faults.hip */
	{"compare_and_swap", "?EEA?BLUGH"},
	{"notify_wait", "NFEAXBLUGH"},
	{"notify_test", "NFEAXBLUGH"},
	{"notify_get", "NFEAXBLUGH"},
	{"notify_set", "NFEAXBLUGH"},
};

static const int self = 0;
static long *memory, value = 1, result;
static const long longs[6];
static int flag;       /* of test */
static int nunmatched; /* epochs of start without a matching post, for which NOCHECK does not look */

static int count(int change, int rc)
{
	nunmatched += rc ? 0 : change;
	return rc;
}

static int make(gshmemx_win_t win, const char *call)
{
	const int sum = GSHMEMX_SUM, nocheck = GSHMEMX_MODE_NOCHECK, noprecede = GSHMEMX_MODE_NOPRECEDE,
		  nosucceed = GSHMEMX_MODE_NOSUCCEED;
	gshmemx_win_request_t request;
	uint64_t word;

#define IS(NAME, EXPRESSION) \
	if (strcmp(call, NAME) == 0) \
	return EXPRESSION
	IS("fence", gshmemx_win_fence(win, 0));
	IS("fence noprecede", gshmemx_win_fence(win, noprecede));
	IS("fence nosucceed", gshmemx_win_fence(win, nosucceed));
	IS("fence both", gshmemx_win_fence(win, noprecede | nosucceed));
	IS("post", count(-1, gshmemx_win_post(win, 1, &self, nocheck)));
	IS("start", count(1, gshmemx_win_start(win, 1, &self, nocheck)));
	IS("complete", gshmemx_win_complete(win));
	IS("wait", gshmemx_win_wait(win));
	IS("test", gshmemx_win_test(win, &flag));
	IS("lock", gshmemx_win_lock(win, GSHMEMX_LOCK_EXCLUSIVE, 0, 0));
	IS("lock nocheck", gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, 0, nocheck));
	IS("unlock", gshmemx_win_unlock(win, 0));
	IS("lock_all", gshmemx_win_lock_all(win, 0));
	IS("lock_all nocheck", gshmemx_win_lock_all(win, nocheck));
	IS("unlock_all", gshmemx_win_unlock_all(win));
	IS("flush", gshmemx_win_flush(win, 0));
	IS("flush_all", gshmemx_win_flush_all(win));
	IS("flush_local", gshmemx_win_flush_local(win, 0));
	IS("flush_local_all", gshmemx_win_flush_local_all(win));
	IS("sync", gshmemx_win_sync(win));
	IS("put", gshmemx_win_long_put(win, 0, &value, 1, 0));
	IS("get", gshmemx_win_long_get(win, &result, 0, 1, 0));
	IS("iput", gshmemx_win_long_iput(win, 0, &value, 1, 1, 1, 0));
	IS("iget", gshmemx_win_long_iget(win, &result, 0, 1, 1, 1, 0));
	IS("ibput", gshmemx_win_long_ibput(win, 0, &value, 1, 1, 1, 1, 0));
	IS("ibget", gshmemx_win_long_ibget(win, &result, 0, 1, 1, 1, 1, 0));
	IS("putmem", gshmemx_win_putmem(win, 0, &value, 3, 0));
	IS("getmem", gshmemx_win_getmem(win, &result, 0, 3, 0));
	IS("accumulate", gshmemx_win_long_accumulate(win, 0, &value, 1, sum, 0));
	IS("get_accumulate", gshmemx_win_long_get_accumulate(win, &result, 0, &value, 1, sum, 0));
	IS("rput", gshmemx_win_long_rput(win, 0, &value, 1, 0, &request));
	IS("rget", gshmemx_win_long_rget(win, &result, 0, 1, 0, &request));
	IS("raccumulate", gshmemx_win_long_raccumulate(win, 0, &value, 1, sum, 0, &request));
	IS("rget_accumulate", gshmemx_win_long_rget_accumulate(win, &result, 0, &value, 1, sum, 0, &request));
	IS("put_notify", gshmemx_win_long_put_notify(win, 0, &value, 1, 5, 0));
	IS("get_notify", gshmemx_win_long_get_notify(win, &result, 0, 1, 5, 0));
	IS("fetch_and_op", (gshmemx_win_long_fetch_and_op(win, 0, 1, sum, 0), 0));
	IS("compare_and_swap", (gshmemx_win_long_compare_and_swap(win, 0, 0, 1, 0), 0));
	IS("notify_wait", gshmemx_win_notify_wait(win, 3, 0));
	IS("notify_test", gshmemx_win_notify_test(win, 3, 1, &word));
	IS("notify_get", gshmemx_win_notify_get(win, 3, &word));
	IS("notify_set", gshmemx_win_notify_set(win, 3, 0));
#undef IS
	t_fail("%s: no call of the test", call);
}

static void must(gshmemx_win_t win, const char *call)
{
	t_equal(make(win, call), 0, call);
}

/* From none. */
static void open_epoch(gshmemx_win_t win, char epoch)
{
	switch (epoch) {
	case 'F':
		must(win, "fence");
		break;
	case 'E':
		must(win, "fence");
		must(win, "put");
		break;
	case 'A':
		must(win, "start");
		break;
	case 'B':
		must(win, "start");
		must(win, "post");
		break;
	case 'X':
		must(win, "post");
		must(win, "start");
		must(win, "complete");
		break;
	case 'L':
		must(win, "lock");
		break;
	case 'U':
		must(win, "lock nocheck");
		break;
	case 'G':
		must(win, "lock_all");
		break;
	case 'H':
		must(win, "lock_all nocheck");
		break;
	default:
		break;
	}
}

/*
 * A call that ends one kind of epoch ends no other, which shows the kind. has_completed: for
 * X, whether its wait returns.
 */
static void close_epoch(gshmemx_win_t win, char epoch, int has_completed)
{
	switch (epoch) {
	case 'F':
		must(win, "fence noprecede");
		must(win, "fence nosucceed");
		break;
	case 'E':
		t_equal(make(win, "fence noprecede"), -EPERM, "fence with NOPRECEDE behind an operation");
		must(win, "fence nosucceed");
		break;
	case 'A':
		t_equal(make(win, "wait"), -EPERM, "wait without post");
		must(win, "complete");
		break;
	case 'B':
		must(win, "complete");
		must(win, "wait");
		break;
	case 'X':
		t_equal(make(win, "complete"), -EPERM, "complete without start");
		if (!has_completed) {
			must(win, "start");
			must(win, "complete");
		}
		must(win, "wait");
		break;
	case 'L':
	case 'U':
		must(win, "unlock");
		break;
	case 'G':
	case 'H':
		must(win, "unlock_all");
		break;
	default:
		break;
	}
	while (nunmatched) {
		must(win, "post");
		must(win, "wait");
	}
	t_equal(make(win, "complete"), -EPERM, "complete in no epoch");
	t_equal(make(win, "unlock"), -EPERM, "unlock in no epoch");
	t_equal(make(win, "put"), -EPERM, "put in no epoch");
}

/* Free is refused unless no epoch is open, or only one of a fence without operations. */
static void test_free(gshmemx_win_t win, char epoch)
{
	gshmemx_win_t handle = win;

	if (epoch == 'N' || epoch == 'F')
		return;
	t_equal(gshmemx_win_free(&handle), -EBUSY, "free with an epoch open");
	t_equal(handle, win, "the handle");
}

static void test_rules(gshmemx_win_t win)
{
	unsigned i, k;
	char epoch, next;
	int rc;

	for (i = 0; i < sizeof rules / sizeof *rules; i++) {
		for (k = 0; k < strlen(epochs); k++) {
			epoch = epochs[k];
			next = rules[i].becomes[k];
			if (next == '!' || next == '?')
				continue;
			open_epoch(win, epoch);
			do {
				flag = 1;
				rc = make(win, rules[i].call);
			} while (!rc && !flag && epoch == 'X'); /* what test waits for comes late */
			if (rc != (next == '-' ? -EPERM : 0))
				t_fail("%s in epoch %c: expected %s", rules[i].call, epoch,
					next == '-' ? "-EPERM" : "0");
			if (next == '-')
				next = epoch;
			test_free(win, next);
			close_epoch(win, next, epoch == 'X' || strcmp(rules[i].call, "complete") == 0);
		}
	}
}

/* Bad arguments, whatever the epoch. */
static void test_arguments(gshmemx_win_t win)
{
	const int twice[] = {0, 0}, other = 1;
	gshmemx_win_request_t request;

	t_equal(gshmemx_win_lock(win, 0, 0, 0), -EINVAL, "lock of no type");
	t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, 1, 0), -EINVAL, "lock of a PE beyond");
	t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, -1, 0), -EINVAL, "lock of PE -1");
	t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, 0, 32), -EINVAL,
		"lock with an assertion that is none");
	t_equal(gshmemx_win_lock_all(win, 4096), -EINVAL, "lock_all with one");
	t_equal(gshmemx_win_fence(win, INT_MIN), -EINVAL, "fence with one");
	t_equal(gshmemx_win_fence_on_stream(win, -1, NULL), -EINVAL, "fence_on_stream with one");
	t_equal(gshmemx_win_post(win, 1, &self, 64), -EINVAL, "post with one");
	t_equal(gshmemx_win_start(win, 1, &self, 128), -EINVAL, "start with one");
	t_equal(gshmemx_win_post(win, 2, twice, 0), -EINVAL, "post to a PE twice");
	t_equal(gshmemx_win_start(win, 1, &other, 0), -EINVAL, "start on a PE beyond");
	t_equal(gshmemx_win_post(win, -1, twice, 0), -EINVAL, "post to -1 PEs");
	t_equal(gshmemx_win_fence(win + 1, 0), -EINVAL, "fence of no window");
	t_equal(gshmemx_win_fence(0, 0), -EINVAL, "fence of 0");
	t_equal(gshmemx_win_fence(-3, 0), -EINVAL, "fence of -3");
	must(win, "lock_all");
	t_equal(gshmemx_win_long_put(win, 0, &value, 1, 1), -EINVAL, "put to a PE beyond");
	t_equal(gshmemx_win_long_put(win, 0, &value, 1, -1), -EINVAL, "put to PE -1");
	t_equal(gshmemx_win_long_put(win, 8, &value, 1, 0), -ERANGE, "put beyond");
	t_equal(gshmemx_win_long_put(win, 7, &value, 2, 0), -ERANGE, "put of too much");
	t_equal(gshmemx_win_long_put(win, 0, &value, SIZE_MAX / 8, 0), -ERANGE, "put of far too much");
	t_equal(gshmemx_win_long_put(win, 0, &value, SIZE_MAX / 8 + 2, 0), -ERANGE,
		"put of so much that its bytes are few again");
	t_equal(gshmemx_win_long_iput(win, 0, &value, PTRDIFF_MAX / 2, 1, 5, 0), -ERANGE,
		"iput at a stride that is far too large");
	t_equal(gshmemx_win_long_accumulate(win, 0, &value, SIZE_MAX / 8 + 2, GSHMEMX_SUM, 0), -ERANGE,
		"accumulate of as much");
	t_equal(gshmemx_win_long_put(win, -1, &value, 1, 0), -ERANGE, "put in front");
	t_equal(gshmemx_win_long_put(win, PTRDIFF_MAX, &value, 1, 0), -ERANGE, "put far beyond");
	t_equal(gshmemx_win_long_put(win, 8, &value, 0, 0), 0, "put of nothing at the end");
	t_equal(gshmemx_win_long_put(win, 7, &value, 1, 0), 0, "put at the end");
	t_equal(gshmemx_win_long_get(win, &result, 8, 1, 0), -ERANGE, "get beyond");
	t_equal(gshmemx_win_long_iput(win, 0, &value, 8, 1, 2, 0), -ERANGE, "iput beyond");
	t_equal(gshmemx_win_long_iput(win, 0, &value, 0, 1, 2, 0), -EINVAL, "iput at a stride of 0");
	t_equal(gshmemx_win_long_iget(win, &result, 0, 1, -1, 2, 0), -EINVAL, "iget at a stride of -1");
	t_equal(gshmemx_win_long_ibput(win, 0, longs, 5, 3, 3, 2, 0), 0, "ibput of 2 blocks to the end");
	t_equal(gshmemx_win_long_ibput(win, 0, memory, 6, 3, 3, 2, 0), -ERANGE, "ibput beyond");
	t_equal(gshmemx_win_long_ibput(win, 0, memory, 2, 3, 3, 2, 0), -EINVAL,
		"ibput of blocks that overlap");
	t_equal(gshmemx_win_long_ibget(win, memory, 0, 3, 2, 3, 2, 0), -EINVAL,
		"ibget of blocks that overlap");
	t_equal(gshmemx_win_long_ibput(win, 9, memory, 3, 3, 3, 0, 0), -ERANGE, "ibput of nothing beyond");
	t_equal(gshmemx_win_long_ibput(win, 8, memory, 3, 3, 0, 2, 0), 0, "ibput of empty blocks");
	t_equal(gshmemx_win_long_accumulate(win, 0, &value, 1, 99, 0), -EINVAL, "accumulate by no operator");
	t_equal(gshmemx_win_double_accumulate(win, 0, (const double *)memory, 1, GSHMEMX_AND, 0), -EINVAL,
		"AND of doubles");
	t_equal(gshmemx_win_long_accumulate(win, 8, &value, 1, GSHMEMX_SUM, 0), -ERANGE, "accumulate beyond");
	t_equal(gshmemx_win_long_put_notify(win, 0, &value, 1, GSHMEMX_WIN_NOTIFICATIONS, 0), -EINVAL,
		"a notification beyond");
	t_equal(gshmemx_win_notify_set(win, -1, 0), -EINVAL, "notification -1");
	t_equal(gshmemx_win_long_rput(win, 8, &value, 1, 0, &request), -ERANGE, "rput beyond");
	t_equal(gshmemx_win_request_wait(&request), 0, "wait for what was refused");
	must(win, "unlock_all");
}

/* Operations on a PE that does not exist are allowed in every epoch, and do nothing. */
static void test_pe_null(gshmemx_win_t win)
{
	const int nobody = GSHMEMX_PE_NULL;
	gshmemx_win_request_t request;
	long old = 7;

	t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_EXCLUSIVE, nobody, 0), 0, "lock of PE_NULL");
	t_equal(gshmemx_win_long_put(win, 100, &value, 1, nobody), 0, "put to PE_NULL");
	t_equal(gshmemx_win_long_get(win, &old, 100, 1, nobody), 0, "get from PE_NULL");
	t_equal(gshmemx_win_long_iput(win, 0, &value, 0, 1, 2, nobody), -EINVAL,
		"iput at a stride of 0 to PE_NULL");
	t_equal(gshmemx_win_long_iput(win, 0, &value, 1, 1, 2, nobody), 0, "iput to PE_NULL");
	t_equal(gshmemx_win_long_accumulate(win, 100, &value, 1, 99, nobody), 0, "accumulate to PE_NULL");
	t_equal(gshmemx_win_long_get_accumulate(win, &old, 0, &value, 1, GSHMEMX_SUM, nobody), 0,
		"get_accumulate of PE_NULL");
	t_equal(gshmemx_win_long_put_notify(win, 0, &value, 1, 99, nobody), 0, "put_notify to PE_NULL");
	t_equal(gshmemx_win_long_rput(win, 100, &value, 1, nobody, &request), 0, "rput to PE_NULL");
	t_equal(gshmemx_win_request_wait(&request), 0, "its request");
	t_equal(old, 7, "a dest");
	t_equal(gshmemx_win_long_fetch_and_op(win, 0, 1, GSHMEMX_SUM, nobody), 0, "fetch_and_op of PE_NULL");
	t_equal(gshmemx_win_long_compare_and_swap(win, 0, 0, 1, nobody), 0, "compare_and_swap of PE_NULL");
	t_equal(gshmemx_win_flush(win, nobody), 0, "flush of PE_NULL");
	t_equal(gshmemx_win_flush_on_stream(win, nobody, NULL), 0, "flush_on_stream of PE_NULL");
	t_equal(gshmemx_win_putmem_on_stream(win, 0, &value, 8, nobody, NULL), 0,
		"putmem_on_stream to PE_NULL");
	t_equal(gshmemx_win_unlock(win, nobody), 0, "unlock of PE_NULL");
}

/* Requests: each is waited for once, those that need no waiting first. */
static void test_requests(gshmemx_win_t win)
{
	gshmemx_win_request_t requests[3];
	int is_seen[3] = {0}, is_over = 0;
	size_t i, index;

	t_equal(gshmemx_win_request_wait_any(0, requests, &index), 0, "wait_any of nothing");
	t_equal(index, SIZE_MAX, "what wait_any of nothing names");
	must(win, "lock_all");
	for (i = 0; i < 3; i++)
		t_equal(gshmemx_win_long_rput(win, (ptrdiff_t)i, &value, 1, 0, &requests[i]), 0, "rput");
	for (i = 0; i < 3; i++) {
		t_equal(gshmemx_win_request_wait_any(3, requests, &index), 0, "wait_any");
		t_check(index < 3 && !is_seen[index], "wait_any names request %zu", index);
		is_seen[index] = 1;
	}
	t_equal(gshmemx_win_request_wait_any(3, requests, &index), 0, "wait_any of requests that are over");
	t_equal(index, SIZE_MAX, "what it names then");
	t_equal(gshmemx_win_long_rput(win, 0, &value, 1, 0, &requests[1]), 0, "rput again");
	t_equal(gshmemx_win_request_test_all(3, requests, &is_over), 0, "test_all");
	t_equal(is_over, 1, "what test_all says");
	must(win, "unlock_all");
}

/* An unaligned place in a window of bytes; a window without locks; a freed window. */
static void test_windows(void)
{
	gshmemx_win_t win, freed;

	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 64, 1, &win), 0, "create");
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	t_equal(gshmemx_win_long_put(win, 3, &value, 1, 0), -EINVAL, "put to a place that is not aligned");
	t_equal(gshmemx_win_putmem(win, 3, &value, 8, 0), 0, "putmem there");
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	freed = win;
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_equal(gshmemx_win_lock_all(freed, 0), -EINVAL, "lock_all of what was freed");
	t_equal(gshmemx_win_create_with_hints(GSHMEM_TEAM_WORLD, memory, 64, 1, GSHMEMX_WIN_NO_LOCKS, &win),
		0, "create without locks");
	t_check(win != freed, "the handle of what was freed is another window's");
	t_equal(gshmemx_win_lock_all(freed, 0), -EINVAL,
		"lock_all of what was freed, with another window in its place");
	t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, 0, 0), -EPERM, "lock of a window without locks");
	t_equal(gshmemx_win_lock_all(win, 0), -EPERM, "lock_all of a window without locks");
	t_equal(gshmemx_win_fence(win, 0), 0, "its fence");
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_equal(gshmemx_win_create_with_hints(GSHMEM_TEAM_WORLD, memory, 64, 1, 1L << 40, &win), -EINVAL,
		"hints that are none");
	t_equal(gshmemx_win_create(GSHMEM_TEAM_INVALID, memory, 64, 1, &win), -EINVAL, "create over no team");
}

int main(void)
{
	gshmemx_win_t win = 0;

	t_equal(gshmemx_win_fence(1, 0), -EINVAL, "fence before init");
	t_equal(gshmemx_win_long_put(1, 0, &value, 1, 0), -EINVAL, "put before init");
	gshmem_init();
	t_hip(hipMalloc((void **)&memory, 64));
	t_equal(gshmemx_win_long_put(1, 0, &value, 1, 0), -EINVAL, "put without a window");
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 64, 8, &win), 0, "create");
	test_rules(win);
	test_arguments(win);
	test_pe_null(win);
	test_requests(win);
	test_windows();
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipFree(memory));
	gshmem_finalize();
	return 0;
}
