/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its jobs say which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 120 */
/*
 * GSHMEM_NET_CPU binds the net thread, and no other thread, to one core; a number that is not a core of the
 * machine is an error of init on all PEs.
 */
#include <gshmem.h>
#include <sched.h>
#include <stdbool.h>

#include "job.h"

/* The cores on which a thread may run, from its status. */
static void read_cores(const char *thread, char *cores, size_t nbytes)
{
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, "Cpus_allowed_list:", 18) == 0)
			snprintf(cores, nbytes, "%.*s", (int)strcspn(line + 19, "\n"), line + 19);
	if (file)
		fclose(file);
}

/* Whether thread is the net thread, which names itself when it runs. */
static bool is_net(const char *thread)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", thread);
	file = fopen(path, "r");
	if (file && !fgets(name, sizeof name, file))
		name[0] = 0;
	if (file)
		fclose(file);
	return strcmp(name, "gshmem-net\n") == 0;
}

/* Prints where the net thread and the others may run. */
static int pe_main(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	char cores[64] = "";
	struct dirent *entry;
	DIR *dir;
	int rc;

	rc = gshmemx_init_attr(&attr);
	printf("rc %d\n", rc);
	fflush(stdout);
	if (rc)
		return 0;
	gshmem_barrier_all();
	dir = opendir("/proc/self/task");
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		read_cores(entry->d_name, cores, sizeof cores);
		printf("PE %d: %s %s\n", gshmem_my_pe(), is_net(entry->d_name) ? "net" : "other", cores);
	}
	closedir(dir);
	gshmem_finalize();
	return 0;
}

/* The net thread of each PE may run only on core; other threads where they could without the variable. */
static void pinned(int core, const char *all)
{
	static struct t_job job;
	char env[96], text[96];

	snprintf(env, sizeof env, "GSHMEM_CARRY=all GSHMEM_NET_CPU=%d", core);
	t_job_run(&job, 2, env, "", "pe", 20);
	t_check(job.status == 0, "%s: exit status %d:\n%s", env, job.status, job.output);
	for (int pe = 0; pe < 2; pe++) {
		if (core < 0)
			snprintf(text, sizeof text, "PE %d: net %s\n", pe, all);
		else
			snprintf(text, sizeof text, "PE %d: net %d\n", pe, core);
		t_check(t_job_count(&job, text) == 1, "%s: expected \"%s\":\n%s", env, text, job.output);
		snprintf(text, sizeof text, "PE %d: other %s\n", pe, all);
		t_check(t_job_count(&job, text) > 1, "%s: expected \"%s\":\n%s", env, text, job.output);
	}
}

static void refused(const char *core, const char *text)
{
	static struct t_job job;
	char env[96];

	snprintf(env, sizeof env, "GSHMEM_CARRY=all GSHMEM_NET_CPU=%s", core);
	t_job_run(&job, 2, env, "", "pe", 20);
	t_check(t_job_count(&job, text) == 1, "%s: expected \"%s\" once:\n%s", env, text, job.output);
	t_check(t_job_count(&job, "rc -22\n") == 2, "%s: expected an error on all PEs:\n%s", env, job.output);
}

int main(int argc, char **argv)
{
	char all[64] = "", self[32];
	cpu_set_t cores;
	int core = CPU_SETSIZE - 1;

	(void)argv;
	if (argc > 1)
		return pe_main();
	snprintf(self, sizeof self, "%d", (int)getpid());
	read_cores(self, all, sizeof all);
	t_equal(sched_getaffinity(0, sizeof cores, &cores), 0, "sched_getaffinity");
	while (!CPU_ISSET(core, &cores))
		core--;
	pinned(-1, all);
	pinned(core, all);
	refused("2x", "GSHMEM_NET_CPU=2x: must be a number from -1 to");
	refused("-2", "GSHMEM_NET_CPU=-2: must be a number from -1 to");
	refused("1023",
		"GSHMEM_NET_CPU: the net thread cannot stay on core 1023: Invalid argument: this machine has cores 0 to ");
	refused("70000",
		"GSHMEM_NET_CPU: the net thread cannot stay on core 70000: Invalid argument: this machine has cores 0 to ");
	return 0;
}
