/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/* links: inner */
/*
 * If hosts of a job of many PEs disagree, all get the same error and the message names the right PE, even
 * one beyond the 128 bits that a barrier carries. The test compiles the library's source, with processes as
 * PEs and a barrier of pthreads.
 */
#define gshmemi_job  tested_job /* the library that this links to has these */
#define gshmemi_heap tested_heap
#include "../src/team/meet.c"

#include <stdarg.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers.h"

enum { NPES = 300 };

static struct gshmemi_job tested;
const struct gshmemi_job *gshmemi_job = &tested;
struct gshmemi_heap gshmemi_heap;
static struct gshmemi_sync meeting;

/* What the processes share. */
static struct shared {
	pthread_barrier_t barrier;
	uint64_t words[NPES][GSHMEMI_SYNC_WORDS];
	int nprinted;
	int printer;
	char message[200];
} * shared;

/* ---- what meet.c uses of the library ---- */

void gshmemi_sync_host_team(const struct gshmemi_team_view *team, uint64_t *words, const char *call)
{
	int pe, i;

	(void)call;
	memcpy(shared->words[team->my_pe], words, sizeof shared->words[0]);
	pthread_barrier_wait(&shared->barrier);
	for (pe = 0; pe < team->npes; pe++)
		for (i = 0; i < GSHMEMI_SYNC_WORDS; i++)
			words[i] &= shared->words[pe][i];
	pthread_barrier_wait(&shared->barrier);
}

void gshmemi_bootstrap_and(uint64_t *words, int nwords)
{
	(void)words;
	(void)nwords;
	t_fail("MPI is not asked");
}

void gshmemi_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(shared->message, sizeof shared->message, format, args);
	va_end(args);
	shared->nprinted++;
	shared->printer = tested.my_pe;
}

void gshmemi_log_release(bool print)
{
	if (print)
		gshmemi_error("held");
}

bool gshmemi_log_suspend(void)
{
	return false;
}

void gshmemi_log_resume(bool was_holding)
{
	(void)was_holding;
}

/* ---- cases ---- */

static void describe(const struct gshmemi_request *first, const struct gshmemi_request *other, int pe)
{
	gshmemi_error("%d bytes on PE 0 but %d on PE %d", (int)first->nbytes, (int)other->nbytes, pe);
}

/* The PEs from `from` on differ from PE 0. */
static void check_from(int from)
{
	struct gshmemi_request request = {GSHMEMI_MEET_MALLOC, 100, 0, 0};
	const bool is_other = tested.my_pe >= from;
	char expected[200];

	t_equal(gshmemi_meet(&request, describe), 0, "the same");
	t_equal(shared->nprinted, 0, "messages");
	pthread_barrier_wait(&shared->barrier);

	request.nbytes += is_other ? (uint64_t)tested.my_pe : 0;
	t_equal(gshmemi_meet(&request, describe), -EINVAL, "other sizes");
	snprintf(expected, sizeof expected, "100 bytes on PE 0 but %d on PE %d", 100 + from, from);
	t_check(shared->nprinted == 1 && shared->printer == 0 && strcmp(shared->message, expected) == 0,
		"from %d: expected \"%s\", got %d messages, \"%s\"", from, expected, shared->nprinted,
		shared->message);
	pthread_barrier_wait(&shared->barrier);
	shared->nprinted = 0;
	pthread_barrier_wait(&shared->barrier);

	request = (struct gshmemi_request){is_other ? GSHMEMI_MEET_FREE : GSHMEMI_MEET_MALLOC, 100, 0, 0};
	t_equal(gshmemi_meet(&request, describe), -EINVAL, "other calls");
	snprintf(expected, sizeof expected, "PE 0 called gshmem_malloc but PE %d called gshmem_free", from);
	t_check(shared->nprinted == 1 && shared->printer == 0 && strcmp(shared->message, expected) == 0,
		"from %d: expected \"%s\", got %d messages, \"%s\"", from, expected, shared->nprinted,
		shared->message);
	pthread_barrier_wait(&shared->barrier);
	shared->nprinted = 0;
	pthread_barrier_wait(&shared->barrier);

	request = (struct gshmemi_request){GSHMEMI_MEET_MALLOC, 100, 0, is_other ? -tested.my_pe : 0};
	t_equal(gshmemi_meet(&request, describe), -from, "the error of the lowest PE with one");
	t_check(shared->nprinted == 1 && shared->printer == from, "%d messages, PE %d printed, expected %d",
		shared->nprinted, shared->printer, from);
	pthread_barrier_wait(&shared->barrier);
	shared->nprinted = 0;
	pthread_barrier_wait(&shared->barrier);
}

static void be_pe(int pe)
{
	static const int froms[] = {1, 63, 64, 127, 128, 255, 256, NPES - 1};
	unsigned i;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* if one fails, the others would wait for it */
	tested.my_pe = pe;
	gshmemi_meet_open(true);
	for (i = 0; i < sizeof froms / sizeof *froms; i++)
		check_from(froms[i]);
	_exit(0);
}

int main(void)
{
	pthread_barrierattr_t attr;
	int pe, status;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	t_check(shared != MAP_FAILED, "mmap");
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->barrier, &attr, NPES);
	gshmemi_heap.meeting = &meeting;
	tested.npes = NPES;
	for (pe = 0; pe < NPES; pe++) {
		switch (fork()) {
		case 0:
			be_pe(pe);
			break;
		case -1:
			t_fail("fork");
		}
	}
	for (pe = 0; pe < NPES; pe++) {
		wait(&status);
		if (status)
			return 1; /* it has said why */
	}
	return 0;
}
