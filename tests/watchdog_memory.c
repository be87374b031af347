/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 120 */
/* delivery: no, its job has an environment of its own */
/*
 * GSHMEM_WATCHDOG names the call, and the PE that keeps the others waiting in it: memory calls, a nested
 * init, finalize. One PE is late: it makes each call only after all others have reported it missing.
 */
#include <gshmem.h>
#include <fcntl.h>

#include "job.h"

enum { LATE = 2, NPES = 3, LIMIT_S = 20 };

/* In this order; gshmem_finalize is the inner one, then the last one. */
static const char *const calls[] = {"gshmem_malloc", "gshmem_calloc", "gshmem_align",
	"gshmem_malloc_with_hints", "gshmem_realloc", "gshmem_free", "gshmem_init", "gshmem_finalize",
	"gshmem_finalize"};
enum { NCALLS = sizeof calls / sizeof *calls };

static void make_call(int which)
{
	static void *ptr;

	switch (which) {
	case 0:
		ptr = gshmem_malloc(100);
		break;
	case 1:
		t_check(gshmem_calloc(10, 10), "calloc");
		break;
	case 2:
		t_check(gshmem_align(64, 100), "align");
		break;
	case 3:
		t_check(gshmem_malloc_with_hints(100, 0), "malloc_with_hints");
		break;
	case 4:
		ptr = gshmem_realloc(ptr, 1000);
		break;
	case 5:
		gshmem_free(ptr);
		break;
	case 6:
		gshmem_init();
		break;
	default:
		gshmem_finalize();
		break;
	}
}

/* How many lines there are in which a PE reports that it waits for the late PE in this call. */
static int count_reports(const char *text, const char *call, int pe)
{
	char start[80];
	const char *end;
	int count = 0;

	snprintf(start, sizeof start, "gshmem: pe %d: host: %s: has waited ", pe, call);
	for (; (text = strstr(text, start)); text = end) {
		end = text + strcspn(text, "\n");
		count += memmem(text, (size_t)(end - text), "; PE 2 on ", 10) != NULL;
	}
	return count;
}

static void read_reports(const char *path, char *text, size_t nbytes)
{
	FILE *file = fopen(path, "r");

	t_check(file, "%s cannot be read", path);
	text[fread(text, 1, nbytes - 1, file)] = 0;
	fclose(file);
}

/* Wait until all others have reported this call. */
static void come_late(const char *path, int which)
{
	const double end = t_seconds() + LIMIT_S;
	static char text[1 << 16];
	int pe, i, expected = 0;

	for (i = 0; i <= which; i++)
		expected += strcmp(calls[i], calls[which]) == 0;
	for (pe = 0; pe < LATE; usleep(10000)) {
		read_reports(path, text, sizeof text);
		pe += count_reports(text, calls[which], pe) >= expected;
		t_check(t_seconds() < end || pe == LATE, "PE %d has not reported that PE %d is late for %s",
			pe, LATE, calls[which]);
	}
}

static int pe_main(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND), which;

	t_check(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0, "%s cannot be opened", path);
	gshmem_init();
	for (which = 0; which < NCALLS; which++) {
		gshmem_barrier_all(); /* so that only the late PE is missing */
		if (gshmem_my_pe() == LATE)
			come_late(path, which);
		make_call(which);
	}
	return 0;
}

int main(int argc, char **argv)
{
	char path[T_PATH_BYTES], env[] = "GSHMEM_WATCHDOG=0.5 GSHMEM_HEAP_SIZE=1m";
	static char text[1 << 16];
	static struct t_job job;

	if (argc > 1)
		return pe_main(argv[1]);
	t_temp_file(path);
	t_job_run(&job, NPES, env, "", path, 100);
	read_reports(path, text, sizeof text);
	unlink(path);
	t_check(job.status == 0, "exit status %d:\n%s%s", job.status, text, job.output);
	return 0;
}
