/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_CPU_LAUNCHES: a list of the kernels that programs launch, and of their largest blocks, from which
 * tests/isa/fits.py knows what each kernel's registers must suffice for.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "block.h"

#define MAX_KNOWN 64

/* What the file has. Names are literals of the programs: the same kernel from two places is listed twice. */
static struct known {
	const char *name;
	unsigned nthreads;
	size_t shared_bytes;
} known[MAX_KNOWN];
static unsigned nknown;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns whether the launch is not in the file, or larger than what is there; it then counts as written. */
static bool is_news(const char *name, unsigned nthreads, size_t shared_bytes)
{
	struct known *k = known;

	while (k < known + nknown && k->name != name)
		k++;
	if (k < known + nknown && nthreads <= k->nthreads && shared_bytes <= k->shared_bytes)
		return false;
	if (k == known + MAX_KNOWN)
		return true;
	if (k == known + nknown) {
		nknown++;
		*k = (struct known){.name = name};
	}
	if (k->nthreads < nthreads)
		k->nthreads = nthreads;
	if (k->shared_bytes < shared_bytes)
		k->shared_bytes = shared_bytes;
	return true;
}

void hipcpu_launch_record(const struct hipcpu_launch_params *p)
{
	static char line[PATH_MAX + 512], program[PATH_MAX]; /* stacks may be small */
	static bool has_failed;
	const char *path = hipcpu_config()->launches;
	const unsigned nthreads = p->block.x * p->block.y * p->block.z;
	ssize_t length;
	int fd, n;

	if (!path)
		return;
	pthread_mutex_lock(&lock);
	if (is_news(p->name, nthreads, p->shared_bytes)) {
		length = readlink("/proc/self/exe", program, sizeof(program) - 1);
		program[length > 0 ? length : 0] = 0;
		n = snprintf(
			line, sizeof(line), "%s\t%s\t%u\t%zu\n", program, p->name, nthreads, p->shared_bytes);
		fd = hipcpu_keep_file(open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
		/* in one write, because the PEs of a job append to the same file */
		if ((fd < 0 || write(fd, line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1) < 0) &&
			!has_failed) {
			hipcpu_message(
				"GSHMEM_CPU_LAUNCHES=%s: this cannot be written: %s", path, strerror(errno));
			has_failed = true;
		}
		if (fd >= 0)
			close(fd);
	}
	pthread_mutex_unlock(&lock);
}
