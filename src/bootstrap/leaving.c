/* SPDX-License-Identifier: BSD-3-Clause */
#include "bootstrap/leaving.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/file.h"
#include "base/thread.h"

#define NTHREADS 64

/*
 * Threads of the cpu platform stay, too, and have this name. Those of a GPU's HIP count as the program's:
 * they keep a process also without this library.
 */
#define THREAD_NAME "libgshmem\n"

struct threads {
	pid_t ids[NTHREADS];
	int n;
};
static struct threads before, of_mpi; /* before MPI_Init, and those that it, or meanwhile the program, made */
static bool keeps_main;
static pid_t owner_pid; /* a forked child has copies of these, but no MPI */

/* Lists the process's threads; returns how many there are, at most NTHREADS. */
static int list_threads(pid_t *ids)
{
	DIR *dir = gshmemi_file_list("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	while (dir && n < NTHREADS && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			ids[n++] = (pid_t)atoi(entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

static bool is_among(pid_t id, const struct threads *threads)
{
	int i;

	for (i = 0; i < threads->n; i++)
		if (threads->ids[i] == id)
			return true;
	return false;
}

static bool has_name(pid_t id)
{
	char path[48], name[32] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)id);
	file = gshmemi_file_read(path);
	if (!file)
		return errno == ENOENT; /* it has ended */
	if (!fgets(name, sizeof name, file))
		name[0] = 0;
	fclose(file);
	return strcmp(name, THREAD_NAME) == 0;
}

/* Waits until the main thread, which is leaving, MPI's threads and this one are alone. */
static void *exit_as_last(void *unused)
{
	const struct timespec nap = {0, 20000000};
	const pid_t own = (pid_t)syscall(SYS_gettid);
	pid_t ids[NTHREADS];
	int n, nothers, i;

	(void)unused;
	do {
		nanosleep(&nap, NULL);
		n = list_threads(ids);
		for (nothers = !n, i = 0; i < n; i++)
			nothers += ids[i] != own && ids[i] != getpid() && !is_among(ids[i], &of_mpi) &&
				!has_name(ids[i]);
	} while (nothers);
	exit(0);
}

static void leave_main(void *unused)
{
	pthread_t thread;

	(void)unused;
	if (owner_pid != getpid())
		return;
	if (keeps_main)
		exit_as_last(NULL);
	if (!gshmemi_thread_start(&thread, exit_as_last, NULL, "the thread that ends the process"))
		pthread_detach(thread);
}

void gshmemi_leaving_note_threads(void)
{
	before.n = list_threads(before.ids);
}

void gshmemi_leaving_keep_main(void)
{
	keeps_main = true;
}

/* pthread_exit calls leave_main, if this is the main thread. Returning from main does not. */
void gshmemi_leaving_watch(void)
{
	static pthread_key_t key;
	struct threads after;
	int i;

	after.n = list_threads(after.ids);
	for (i = 0; i < after.n && after.n < NTHREADS; i++)
		if (!is_among(after.ids[i], &before))
			of_mpi.ids[of_mpi.n++] = after.ids[i];
	owner_pid = getpid();
	if (owner_pid == (pid_t)syscall(SYS_gettid) && !pthread_key_create(&key, leave_main))
		pthread_setspecific(key, &key);
}
