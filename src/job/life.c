/* SPDX-License-Identifier: BSD-3-Clause */
/* The word in which each PE says whether it is alive: see job/life.h. */
#include "base/file.h"
#include "base/scale.h"
#include "job/job.h"
#include "job/life.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *mine;
static const uint64_t **peers; /* [npeers], one mapped page each; NULL: not known */
static int own_fd = -1;
/* file of the word of the node's first PE, if that is another process: the process that locks it may print */
static int floor_fd = -1;

static size_t page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int report_step(const char *step)
{
	int rc = -errno;

	if (!gshmemi_report_file_limit("init"))
		gshmemi_error("init: %s of the memory that shows peers this PE is alive: %s", step,
			strerror(errno));
	return rc;
}

int gshmemi_life_open(int *fd_p)
{
	void *map;
	int rc;

	peers = calloc((size_t)gshmemi_job->npeers, sizeof *peers);
	if (!peers) {
		gshmemi_error("init: table of %d PEs: out of memory", gshmemi_job->npeers);
		return -ENOMEM;
	}
	own_fd = gshmemi_file_memory("gshmem-life");
	if (own_fd < 0) {
		rc = report_step("memfd_create");
		goto err_close;
	}
	if (ftruncate(own_fd, (off_t)page())) {
		rc = report_step("ftruncate");
		goto err_close;
	}
	map = mmap(NULL, page(), PROT_READ | PROT_WRITE, MAP_SHARED, own_fd, 0);
	if (map == MAP_FAILED) {
		rc = report_step("mmap");
		goto err_close;
	}
	mine = map;
	*fd_p = own_fd;
	return 0;

err_close:
	gshmemi_life_close();
	return rc;
}

int gshmemi_life_open_peer(int pe, int peer_fd)
{
	const struct gshmemi_peer *peer = gshmemi_job_find(pe);
	void *map = MAP_FAILED;
	char why[128];
	int fd, rc;

	fd = gshmemi_job_open_file(pe, peer_fd, O_RDONLY);
	rc = fd < 0 ? fd : 0;
	if (fd >= 0) {
		map = mmap(NULL, page(), PROT_READ, MAP_SHARED, fd, 0);
		rc = map == MAP_FAILED ? -errno : 0;
		if (!rc && peer == gshmemi_job->peers)
			floor_fd = fd;
		else
			close(fd);
	}
	if (rc == -EXDEV) /* report_access prints one line for all of these PEs */
		return rc;
	if (rc) {
		gshmemi_job_explain(pe, why, sizeof why);
		gshmemi_warn("init: the death of PE %d, pid %d on %s, will not be noticed: %s (%s)", pe,
			(int)peer->pid, gshmemi_job->host, strerror(-rc), why);
		return rc;
	}
	peers[peer - gshmemi_job->peers] = map;
	return 0;
}

void gshmemi_life_close(void)
{
	int i;

	for (i = 0; peers && i < gshmemi_job->npeers; i++)
		if (peers[i])
			munmap((void *)(uintptr_t)peers[i], page());
	free(peers);
	peers = NULL;
	if (mine)
		munmap(mine, page());
	mine = NULL;
	if (floor_fd >= 0)
		close(floor_fd);
	floor_fd = -1;
	if (own_fd >= 0)
		close(own_fd);
	own_fd = -1;
}

bool gshmemi_life_may_speak(void)
{
	const int fd = gshmemi_job && gshmemi_job->rank == 0 ? own_fd : floor_fd;

	return fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0;
}

void gshmemi_life_set(uint64_t life)
{
	if (mine)
		__atomic_store_n(mine, life, __ATOMIC_RELEASE);
}

/* Returns the word of a PE, or NULL if it is not known. */
static const uint64_t *find_word(int pe)
{
	const struct gshmemi_peer *peer = peers ? gshmemi_job_find(pe) : NULL;

	return peer ? peers[peer - gshmemi_job->peers] : NULL;
}

bool gshmemi_life_is_known(int pe)
{
	return find_word(pe) != NULL;
}

uint64_t gshmemi_life_get(int pe)
{
	const uint64_t *word = find_word(pe);

	/*
	 * acquire: pairs with the release in gshmemi_life_set; a PE that ends has printed before it
	 * sets the word
	 */
	return word ? __atomic_load_n(word, __ATOMIC_ACQUIRE) : GSHMEMI_LIFE_NONE;
}

bool gshmemi_life_is_ending(int pe, int *status_p)
{
	const uint64_t life = gshmemi_life_get(pe);

	if ((life & 0xff) != GSHMEMI_LIFE_ENDING && (life & 0xff) != GSHMEMI_LIFE_ENDED)
		return false;
	*status_p = (int)(life >> 8);
	return true;
}

void gshmemi_life_scale(struct gshmemi_scale *scale)
{
	gshmemi_scale_add(
		scale, GSHMEMI_SCALE_HOST, "words_of_life", (size_t)scale->npeers * (sizeof *peers + page()));
}
