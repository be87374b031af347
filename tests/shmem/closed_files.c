/* SPDX-License-Identifier: BSD-3-Clause */
/* sim: no, it is about files */
/*
 * A program that starts with stderr closed and without a launcher: what it prints there does not get into its
 * global variables, which the library keeps in a file to share them.
 */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NBYTES = 1 << 16, NLINES = 4000 };

static char text[NBYTES] = "not in .bss";

int main(void)
{
	char name[64];
	int i, nchanged = 0, is_open;

	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	memset(text, 0x55, sizeof text);
	shmem_init();
	for (i = 0; i < NLINES; i++)
		fprintf(stderr, "a message of the program on a closed stderr\n");
	for (i = 0; i < NBYTES; i++)
		nchanged += text[i] != 0x55;
	is_open = readlink("/proc/self/fd/2", name, sizeof name) >= 0;
	shmem_finalize();
	return nchanged || is_open;
}
