/* SPDX-License-Identifier: BSD-3-Clause */
/* The log: lines on stderr. Each line is one write, so that the lines of several PEs do not mix. */
#include "base/base.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LINE_NBYTES 2048

/* How many files the library and the cpu platform keep open; counted. */
#define NFILES          8
#define NFILES_PER_PEER 1
#define GENEROUS_NFILES 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool holding;
static char held[LINE_NBYTES]; /* the first error of the thread that holds, without the prefix */

static void print_line(const char *text)
{
	int pe = gshmemi_bootstrap_rank(), length;
	char line[LINE_NBYTES + 64];
	ssize_t written;

	if (pe < 0)
		length = snprintf(line, sizeof line, "gshmem: %s\n", text);
	else
		length = snprintf(line, sizeof line, "gshmem: pe %d: %s\n", pe, text);
	written = write(STDERR_FILENO, line, (size_t)length);
	(void)written;
}

void gshmemi_error(const char *format, ...)
{
	char text[LINE_NBYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	pthread_mutex_lock(&lock);
	if (!holding)
		print_line(text);
	else if (!held[0])
		memcpy(held, text, sizeof held);
	pthread_mutex_unlock(&lock);
}

void gshmemi_warn(const char *format, ...)
{
	char text[LINE_NBYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	print_line(text);
}

void gshmemi_info(const char *format, ...)
{
	char text[LINE_NBYTES];
	va_list args;

	if (!gshmemi_env.DEBUG)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	print_line(text);
}

void gshmemi_log_hold(void)
{
	pthread_mutex_lock(&lock);
	holding = true;
	held[0] = 0;
	pthread_mutex_unlock(&lock);
}

void gshmemi_log_print_held(void)
{
	pthread_mutex_lock(&lock);
	if (held[0])
		print_line(held);
	held[0] = 0;
	pthread_mutex_unlock(&lock);
}

void gshmemi_log_release(bool print)
{
	if (!holding)
		return;
	if (print)
		gshmemi_log_print_held();
	holding = false;
}

bool gshmemi_log_suspend(void)
{
	const bool was_holding = holding;

	holding = false;
	return was_holding;
}

void gshmemi_log_resume(bool was_holding)
{
	holding = was_holding;
}

static int errno_of_hip(hipError_t error)
{
	switch (error) {
	case hipSuccess:
		return 0;
	case hipErrorOutOfMemory:
		return -ENOMEM;
	case hipErrorInvalidValue:
		return -EINVAL;
	case hipErrorNoDevice:
	case hipErrorInvalidDevice:
	case hipErrorInsufficientDriver:
		return -ENODEV;
	case hipErrorNotSupported:
		return -ENOTSUP;
	default:
		return -EIO;
	}
}

/* Returns the limit of open files if this process has reached it, else 0. */
static unsigned long long find_file_limit(void)
{
	struct rlimit limit;
	int fd;

	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EMFILE && !getrlimit(RLIMIT_NOFILE, &limit) ? limit.rlim_cur : 0;
}

bool gshmemi_report_file_limit(const char *what)
{
	const unsigned long long limit = find_file_limit();

	if (limit)
		gshmemi_error("%s: this process has reached its limit of %llu open files: raise it (ulimit "
			      "-n %d); a PE needs %d, and %d more for each other PE of its node, besides the "
			      "files of MPI and the program",
			what, limit, GENEROUS_NFILES, NFILES, NFILES_PER_PEER);
	return limit != 0;
}

int gshmemi_hip_advise(hipError_t error, const char *remedy, const char *format, ...)
{
	char what[512];
	va_list args;

	if (error == hipSuccess)
		return 0;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	if (gshmemi_report_file_limit(what))
		return -EMFILE;
	gshmemi_error("%s: %s (%s)%s%s", what, hipGetErrorString(error), hipGetErrorName(error),
		remedy ? ": " : "", remedy ? remedy : "");
	return errno_of_hip(error);
}

void gshmemi_hip_ignore(hipError_t error, const char *what)
{
	if (error != hipSuccess)
		gshmemi_info("%s: %s", what, hipGetErrorString(error));
}

const char *gshmemi_cmp_name(int cmp)
{
	switch (cmp) {
	case GSHMEM_CMP_EQ:
		return "==";
	case GSHMEM_CMP_NE:
		return "!=";
	case GSHMEM_CMP_GT:
		return ">";
	case GSHMEM_CMP_GE:
		return ">=";
	case GSHMEM_CMP_LT:
		return "<";
	case GSHMEM_CMP_LE:
		return "<=";
	default:
		return "?";
	}
}
