/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For a raw baseline that a bench starts under a launcher, as NAME FILE SOCKET. FILE is raw.h's; questions
 * come and answers go over the abstract socket SOCKET followed by the rank. Each rank is bound to the core
 * of its number.
 */
#ifndef RAW_LAUNCHED_H
#define RAW_LAUNCHED_H

#include "raw.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static void launched_bind(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)rank % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof set, &set);
}

/* Map FILE. rank and nprocs are set. */
static void launched_open(char *program, char *file)
{
	char numbers[2][16];

	snprintf(numbers[0], sizeof numbers[0], "%d", rank);
	snprintf(numbers[1], sizeof numbers[1], "%d", nprocs);
	raw_open((char *[]){program, numbers[0], numbers[1], file});
}

/* stdin and stdout become the bench's; nonzero, with a message, if that fails. */
static int launched_connect(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s%d", name, rank);
	const size_t size = offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length;

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, (socklen_t)size) || dup2(fd, 0) < 0 ||
		dup2(fd, 1) < 0) {
		perror("raw: the bench's socket");
		return -1;
	}
	return 0;
}

#endif /* RAW_LAUNCHED_H */
