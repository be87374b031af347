/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The settings, read once from the environment; messages; random numbers. A variable with a wrong value ends
 * the process, because a test that ran with other settings than it asked for would prove nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim.h"

static struct config settings;

void message(const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dprintf(STDERR_FILENO, "amdsim: %s\n", text);
}

int keep_file(int fd)
{
	int moved;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return moved;
}

void *zalloc(size_t nbytes)
{
	void *p = calloc(1, nbytes);

	if (!p)
		die("out of host memory");
	return p;
}

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled"). */
uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

/* Reads a number from min to max, with an optional suffix k, m, g or t. */
static uint64_t read_number(const char *variable, uint64_t missing, uint64_t min, uint64_t max)
{
	static const char suffixes[] = "kmgt";
	const char *text = getenv(variable), *suffix;
	unsigned shift;
	char *end;
	uint64_t x;

	if (!text || !*text)
		return missing;
	errno = 0;
	x = strtoull(text, &end, 0);
	suffix = *end ? strchr(suffixes, *end | 32) : NULL;
	shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
	end += suffix != NULL;
	if (errno || *end || *text < '0' || *text > '9' || x > max >> shift || x << shift < min) {
		message("%s=%s is not a number from %llu to %llu", variable, text, (unsigned long long)min,
			(unsigned long long)max);
		exit(1);
	}
	return x << shift;
}

static void read_settings(void)
{
	const char *name = getenv("AMDSIM_GPU");
	int gpu = name && *name ? gpu_by_name(name) : GFX942;

	if (gpu < 0) {
		message("AMDSIM_GPU=%s is not gfx90a, gfx942 or gfx1100", name);
		exit(1);
	}
	settings = (struct config){
		.gpu = (enum gpu)gpu,
		.ndevices = (int)read_number("AMDSIM_DEVICES", 8, 0, MAX_DEVICES),
		.ncus = (int)read_number("AMDSIM_CUS", 8, 1, MAX_CUS),
		.job = read_number("AMDSIM_JOB", 0, 0, UINT64_MAX),
		.late = read_number("AMDSIM_LATE", 0, 0, UINT64_MAX),
		.schedule = read_number("AMDSIM_SCHEDULE", 0, 0, UINT64_MAX),
		.has_fine = read_number("AMDSIM_FINE", 1, 0, 1) != 0,
		.has_xgmi = read_number("AMDSIM_XGMI", 1, 0, 1) != 0,
		.memory_bytes =
			(size_t)read_number("AMDSIM_MEMORY", UINT64_C(16) << 30, 1 << 20, ARENA_BYTES / 64),
		.trace = read_number("AMDSIM_TRACE", 0, 0, 1) != 0,
	};
}

const struct config *config(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_settings);
	return &settings;
}
