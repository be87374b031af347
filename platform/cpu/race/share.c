/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that the PEs share: one file, in which each part of each region has a stretch for its shadow.
 * Only what is touched takes memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime.h"
#include "race/race.h"
#include "race/shared.h"

#define STRETCH_SHIFT 42 /* a part's shadow takes no more bytes of the file */

struct race_shared *race_shared;
int race_me, race_npes = 1;
static int file = -1;
static char *snapshots;

void *race_grow(void *array, size_t nelems, size_t *capacity_p, size_t elem_nbytes)
{
	if (nelems < *capacity_p)
		return array;
	*capacity_p = *capacity_p ? 2 * *capacity_p : 64;
	array = realloc(array, *capacity_p * elem_nbytes);
	if (!array)
		hipcpu_trap("the race detector: out of memory");
	return array;
}

static void *map(uint64_t offset, uint64_t nbytes)
{
	void *memory =
		mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, (off_t)offset);

	return memory == MAP_FAILED ? NULL : memory;
}

int gshmemi_detector_make(int *pid_p, int *file_p)
{
	file = hipcpu_memory_file();
	if (file < 0 || ftruncate(file, INT64_MAX & ~(off_t)4095))
		return -errno;
	*pid_p = (int)getpid();
	*file_p = file;
	return 0;
}

int gshmemi_detector_open(int me, int npes, int pid, int number, void (*fail)(void))
{
	const size_t nbytes =
		sizeof *race_shared + (size_t)npes * RACE_NSTRANDS * sizeof(struct race_history);
	struct race_shared *shared;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, number);
	if (file < 0)
		file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return -errno;
	race_me = me;
	race_npes = npes;
	shared = map(0, nbytes);
	snapshots =
		map(UINT64_C(1) << (STRETCH_SHIFT - 1), RACE_NWORDS * RACE_NSNAPSHOTS * race_clock_nbytes());
	if (!shared || !snapshots)
		return -ENOMEM;
	race_report_open(fail);
	race_shared = shared;
	return 0;
}

/* Another job of this process has a file of its own. Threads may be on their way out of this one's memory. */
void gshmemi_detector_close(void)
{
	race_report_close();
	race_shared = NULL;
	race_parts_forget();
	race_strands_forget();
	hipcpu_race_fresh(NULL, SIZE_MAX);
	close(file);
	file = -1;
}

static uint64_t stretch_of(unsigned region, int pe)
{
	return (1 + (uint64_t)region * (unsigned)race_npes + (unsigned)pe) << STRETCH_SHIFT;
}

void *race_shared_part(unsigned region, int pe, uint64_t nbytes)
{
	return map(stretch_of(region, pe), nbytes);
}

void race_shared_drop(unsigned region, int pe, void *memory, uint64_t nbytes)
{
	munmap(memory, nbytes);
	if (pe == race_me)
		(void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)stretch_of(region, pe), (off_t)nbytes);
}

struct race_clock *race_snapshot(const struct race_word *w, unsigned i)
{
	const size_t n = (size_t)(w - race_shared->words) * RACE_NSNAPSHOTS + i % RACE_NSNAPSHOTS;

	return (struct race_clock *)(void *)(snapshots + n * race_clock_nbytes());
}

/* ---- what strands have run ---- */

struct race_history *race_history(unsigned strand)
{
	return &race_shared->histories[strand];
}

void race_history_begin(unsigned strand, uint32_t time, const char *kernel, uint64_t block)
{
	struct race_history *h = race_history(strand);
	struct race_run *run = &h->runs[h->nruns % RACE_NBLOCKS];

	*run = (struct race_run){.began = time, .block = block};
	snprintf(run->kernel, sizeof run->kernel, "%s", kernel ? kernel : "?");
	h->nruns++;
}

void race_history_end(unsigned strand, uint32_t time)
{
	struct race_history *h = race_history(strand);

	h->runs[(h->nruns - 1) % RACE_NBLOCKS].ended = time;
}

void race_who(const struct race_access *a, struct race_who *who)
{
	const struct race_history *h = race_history(a->strand);
	const struct race_run *run;
	uint64_t i;

	*who = (struct race_who){.pe = a->strand / RACE_NSTRANDS, .lane = a->lane, .thread = h->thread};
	for (i = h->nruns; i-- > 0 && i + RACE_NBLOCKS >= h->nruns;) {
		run = &h->runs[i % RACE_NBLOCKS];
		if (run->ended && run->ended < a->time)
			return;
		if (run->began > a->time)
			continue;
		who->block = run->block;
		who->kernel = run->kernel;
		return;
	}
	who->is_forgotten = h->nruns > RACE_NBLOCKS;
}
