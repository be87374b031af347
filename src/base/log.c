/* SPDX-License-Identifier: BSD-3-Clause */
/* The log: lines on stderr. Each line is one write, so that the lines of several PEs do not mix. */
#include "base/base.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"

#define LINE_NBYTES 2048

/* How many files the library and the cpu platform keep open; counted. */
#define NFILES          8
#define NFILES_PER_PEER 1
#define GENEROUS_NFILES 1024

/* Whoever has no more room than this in its address space has reached the limit; the sync region fits. */
#define ROOM_NBYTES ((size_t)128 << 20)
#define NTHREADS    10 /* of a PE, with MPI's, without those that run blocks; counted */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool holding;
static char held[LINE_NBYTES]; /* the first error of the thread that holds, without the prefix */

static atomic_int own_pe = -1;

void gshmemi_log_set_pe(int pe)
{
	atomic_store(&own_pe, pe);
}

static void print_line(const char *text)
{
	const int pe = atomic_load(&own_pe);
	char line[LINE_NBYTES + 64];
	ssize_t written;
	int length;

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

	fd = gshmemi_file_open("/dev/null", O_RDONLY);
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

/* Returns a limit of this process; RLIM_INFINITY if there is none. */
static rlim_t limit_of(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

bool gshmemi_lacks_space(size_t nbytes)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *map;

	if (limit_of(RLIMIT_AS) == RLIM_INFINITY)
		return false;
	map = mmap(NULL, nbytes + ROOM_NBYTES, PROT_NONE, flags, -1, 0);
	if (map != MAP_FAILED)
		munmap(map, nbytes + ROOM_NBYTES);
	return map == MAP_FAILED;
}

static void *do_nothing(void *unused)
{
	return unused;
}

static bool can_start_thread(void)
{
	pthread_t thread;

	return !pthread_create(&thread, NULL, do_nothing, NULL) && !pthread_join(thread, NULL);
}

/* Linux does not say whether it was the user's limit or that of a control group. */
static void report_threads(const char *what)
{
	const rlim_t limit = limit_of(RLIMIT_NPROC);
	char of_user[64] = "no limit";

	if (limit != RLIM_INFINITY)
		snprintf(of_user, sizeof of_user, "a limit of %llu", (unsigned long long)limit);
	gshmemi_error(
		"%s: this process cannot start another thread: its user has %s for processes and threads "
		"(ulimit -u), and its container or service may have one of its own (pids.max): raise it; "
		"a PE starts some %d threads, and on the cpu platform one more for each resident block "
		"(GSHMEM_CPU_BLOCKS)",
		what, of_user, NTHREADS);
}

int gshmemi_report_limit(const char *what, int rc, size_t nbytes)
{
	const rlim_t file = limit_of(RLIMIT_FSIZE);
	/* also where a HIP error says no more than that the system failed */
	const bool is_system = rc == -EAGAIN || rc == -EIO;

	if (gshmemi_report_file_limit(what))
		return -EMFILE;
	if (is_system && file != RLIM_INFINITY && nbytes > file) {
		gshmemi_error(
			"%s: a file of this process may have %llu bytes at most (ulimit -f), and memory "
			"that PEs share is a file: raise the limit (ulimit -f unlimited), or lower "
			"GSHMEM_HEAP_SIZE",
			what, (unsigned long long)file);
		return -EFBIG;
	}
	if ((is_system || rc == -ENOMEM) && gshmemi_lacks_space(nbytes)) {
		gshmemi_error(
			"%s: this process may map %llu bytes at most (ulimit -v), and has no room left: "
			"raise the limit (ulimit -v unlimited), or lower GSHMEM_HEAP_SIZE: a PE maps the "
			"heaps of all PEs of its node",
			what, (unsigned long long)limit_of(RLIMIT_AS));
		return -ENOMEM;
	}
	if (is_system && !can_start_thread()) {
		report_threads(what);
		return -EAGAIN;
	}
	return 0;
}

int gshmemi_hip_advise(hipError_t error, const char *remedy, const char *format, ...)
{
	char what[512];
	va_list args;
	int rc;

	if (error == hipSuccess)
		return 0;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	rc = gshmemi_report_limit(what, errno_of_hip(error), 0);
	if (rc)
		return rc;
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
