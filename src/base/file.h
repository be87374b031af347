/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files and sockets that the library opens. A program may start with descriptors 0 to 2 closed, and Linux
 * gives each new file the lowest free number. If that were a file of the library, the program's next printf
 * would write into it, for instance into symmetric memory. So each descriptor that the library makes passes
 * through gshmemi_file_keep or one of the other functions here; tests/layers.c looks for calls that do not.
 */
#ifndef GSHMEMI_BASE_FILE_H
#define GSHMEMI_BASE_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Returns fd if it is above 2; else moves it to a free number above 2, with close-on-exec set, and returns
 * that. -1 and errno: there is none, or fd was -1.
 */
int gshmemi_file_keep(int fd);

/* Creates an empty memfd; -1 and errno on failure. */
int gshmemi_file_memory(const char *name);

/* Like open with O_CLOEXEC. */
int gshmemi_file_open(const char *path, int flags);

/* Like fopen, to read. */
FILE *gshmemi_file_read(const char *path);

/*
 * Like fopen, to write a file or to a device. Does not follow a symbolic link in the place of the file,
 * because somebody else may have put it there, and does not wait for the reader of a FIFO. On failure
 * prints what, path and the reason, and returns NULL and errno.
 */
FILE *gshmemi_file_write(const char *what, const char *path);

/*
 * Closes what gshmemi_file_write has opened. If not all could be written, prints what, path and the reason,
 * removes the part that was, and returns a negative errno.
 */
int gshmemi_file_close(FILE *file, const char *what, const char *path);

/* Like opendir. */
DIR *gshmemi_file_list(const char *path);

/* Raises this process's limit of open files as far as it may; false: it is there already. */
bool gshmemi_file_raise_limit(void);

/*
 * While another library opens files. Occupies those of the numbers 0 to 2 that are free, and frees them
 * again, once; fds has a place for each.
 */
#define GSHMEMI_FILE_NSTANDARD 3
void gshmemi_file_occupy(int fds[GSHMEMI_FILE_NSTANDARD]);
void gshmemi_file_vacate(int fds[GSHMEMI_FILE_NSTANDARD]);

#endif /* GSHMEMI_BASE_FILE_H */
