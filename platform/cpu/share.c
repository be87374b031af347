/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes memory that the process already has mappable by other processes: copies its pages into a memfd and
 * maps that in their place. Also chooses where a mapping goes.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime.h"
#include "hip/hipcpu.h"

static struct hipcpu_allocation shared; /* nbytes 0: none */

static bool is_zero(const char *page, size_t nbytes)
{
	const uint64_t *words = (const uint64_t *)(const void *)page;

	for (size_t i = 0; i < nbytes / sizeof(*words); i++)
		if (words[i])
			return false;
	return true;
}

/* Writes only nonzero pages, so that memory the program has never touched takes none. */
static int copy_pages(int fd, const char *start, size_t nbytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < nbytes; at += page)
		if (!is_zero(start + at, page) && pwrite(fd, start + at, page, (off_t)at) != (ssize_t)page)
			return errno ? errno : EIO;
	return 0;
}

/*
 * A forked child must not share its parent's variables, so it gets a private copy. This may only use what is
 * safe in a signal handler. It reads the file, not the memory, because between variables there may be memory
 * that a sanitizer forbids to read.
 */
static void make_private(void)
{
	char *copy =
		mmap(NULL, shared.mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char part[4096];

	if (copy == MAP_FAILED)
		return;
	for (size_t at = 0; at < shared.mapped_bytes; at += sizeof part)
		if (pread(shared.fd, part, sizeof part, (off_t)at) == sizeof part &&
			!is_zero(part, sizeof part))
			memcpy(copy + at, part, sizeof part);
	/* The system call, because UCX replaces mremap() by a function without a fifth argument. */
	syscall(SYS_mremap, copy, shared.mapped_bytes, shared.mapped_bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
		shared.base);
}

int hipcpu_share(void *start, size_t nbytes)
{
	struct hipcpu_allocation a = {
		.base = start, .nbytes = nbytes, .mapped_bytes = nbytes, .kind = HIPCPU_MEMORY_SHARED};
	struct stat st;
	int err;

	a.fd = hipcpu_memory_file();
	if (a.fd < 0)
		return errno;
	if (hipcpu_memory_grow_file(a.fd, nbytes) || fstat(a.fd, &st)) {
		err = errno;
		goto err_close;
	}
	a.dev = st.st_dev;
	a.ino = st.st_ino;
	pthread_mutex_lock(&hipcpu_memory_lock);
	err = hipcpu_memory_insert(&a) ? 0 : ENOMEM;
	pthread_mutex_unlock(&hipcpu_memory_lock);
	if (err)
		goto err_close;
	/*
	 * This comes last, with nothing in between: what is written to these pages after they were
	 * copied is lost.
	 */
	err = copy_pages(a.fd, start, nbytes);
	if (!err &&
		mmap(start, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, a.fd, 0) == MAP_FAILED)
		err = errno;
	if (err)
		goto err_remove;
	shared = a;
	pthread_atfork(NULL, NULL, make_private);
	return 0;

err_remove:
	pthread_mutex_lock(&hipcpu_memory_lock);
	hipcpu_memory_remove(hipcpu_memory_find(start));
	pthread_mutex_unlock(&hipcpu_memory_lock);
err_close:
	close(a.fd);
	return err;
}

/* ---- places ---- */

static __thread void *next_place;

void hipcpu_place_next(void *address)
{
	next_place = address;
}

void *hipcpu_place_take(void)
{
	void *place = next_place;

	next_place = NULL;
	return place;
}

int hipcpu_is_free(const void *address, size_t nbytes)
{
	void *there = mmap((void *)(uintptr_t)address, nbytes, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (there == MAP_FAILED)
		return 0;
	munmap(there, nbytes);
	return there == address; /* Linux before 4.17 ignores the flag and maps elsewhere */
}
