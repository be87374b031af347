/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* Closes fd and leaves errno alone. */
static void close_quietly(int fd)
{
	const int err = errno;

	close(fd);
	errno = err;
}

int gshmemi_file_keep(int fd)
{
	int moved;

	if (fd < 0 || fd >= GSHMEMI_FILE_NSTANDARD)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, GSHMEMI_FILE_NSTANDARD);
	close_quietly(fd);
	return moved;
}

int gshmemi_file_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0 && errno == EACCES) /* vm.memfd_noexec=2; Linux before 6.3 does not know the flag */
		fd = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
	return gshmemi_file_keep(fd);
}

int gshmemi_file_open(const char *path, int flags)
{
	return gshmemi_file_keep(open(path, flags | O_CLOEXEC, 0666));
}

static FILE *open_stream(int fd, const char *mode)
{
	FILE *file = fd < 0 ? NULL : fdopen(fd, mode);

	if (fd >= 0 && !file)
		close_quietly(fd);
	return file;
}

FILE *gshmemi_file_read(const char *path)
{
	return open_stream(gshmemi_file_open(path, O_RDONLY), "r");
}

/* Empties the file that fd is, or says why it is none. A device is as good as a file. */
static const char *empty(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return strerror(errno);
	if (S_ISCHR(st.st_mode))
		return fcntl(fd, F_SETFL, 0) ? strerror(errno) : NULL;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return "it is neither a file nor a device";
	}
	return ftruncate(fd, 0) ? strerror(errno) : NULL;
}

FILE *gshmemi_file_write(const char *what, const char *path)
{
	const int fd = gshmemi_file_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	FILE *file = NULL;
	const char *why;
	int err;

	if (fd >= 0)
		why = empty(fd);
	else if (errno == ELOOP)
		why = "it is a symbolic link, which somebody else may have made: name its target";
	else if (errno == ENXIO)
		why = "it is a FIFO or a socket, not a file";
	else
		why = strerror(errno);
	err = errno;
	if (!why) {
		file = open_stream(fd, "w");
		err = errno;
		why = strerror(errno);
	} else if (fd >= 0) {
		close(fd);
	}
	if (!file)
		gshmemi_error("%s%s: %s", what, path, why);
	errno = err;
	return file;
}

int gshmemi_file_close(FILE *file, const char *what, const char *path)
{
	struct stat st;
	int err = 0;

	if (fflush(file) || ferror(file))
		err = errno ? errno : EIO;
	if (fstat(fileno(file), &st))
		st.st_mode = 0;
	if (fclose(file) && !err)
		err = errno;
	if (!err)
		return 0;
	gshmemi_error("%s%s cannot be written: %s", what, path, strerror(err));
	if (S_ISREG(st.st_mode))
		unlink(path);
	return -err;
}

DIR *gshmemi_file_list(const char *path)
{
	const int fd = gshmemi_file_open(path, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close_quietly(fd);
	return dir;
}

bool gshmemi_file_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

void gshmemi_file_occupy(int fds[GSHMEMI_FILE_NSTANDARD])
{
	int i, fd = 0;

	for (i = 0; i < GSHMEMI_FILE_NSTANDARD; i++) {
		fd = fd < 0 ? fd : open("/dev/null", O_RDWR | O_CLOEXEC); /* the lowest free number */
		if (fd >= GSHMEMI_FILE_NSTANDARD) {
			close_quietly(fd);
			fd = -1; /* all are in use */
		}
		fds[i] = fd;
	}
}

void gshmemi_file_vacate(int fds[GSHMEMI_FILE_NSTANDARD])
{
	int i;

	for (i = 0; i < GSHMEMI_FILE_NSTANDARD; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}
