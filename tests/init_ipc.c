/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* Memory of a peer that cannot be opened: another user, not dumpable, another PID namespace; no peer access. */
#include <gshmem.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <stdbool.h>
#include <sys/prctl.h>

#include "job.h"

/*
 * MPI shares memory, too, and must not be the one that fails. Over sockets it may hang in MPI_Finalize (MPICH 4.0.2,
 * UCX 1.13), so that is for jobs that do not come to it.
 */
#define MPI_NO_PROC "UCX_POSIX_USE_PROC_LINK=n"
#define MPI_SOCKETS "UCX_TLS=tcp,self"

/* As root, become somebody else: root can open everything. */
static void become(unsigned uid)
{
	if (getuid() == 0 && (setgid(uid) || setuid(uid)))
		t_fail("setuid");
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static int pe_main(const char *name)
{
	int rank = atoi(getenv("PMI_RANK")), level;
	long *word;

	if (strcmp(name, "plain")) { /* MPI cannot start or connect between different users */
		MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level); /* which PEs out of reach need */
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (strcmp(name, "uid") == 0)
		become(rank == 1 ? 65533 : 65534);
	if (strcmp(name, "dumpable") == 0) {
		become(65534);
		if (rank == 0)
			prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	}
	gshmem_init();
	word = gshmem_calloc(1, sizeof *word);
	if (strcmp(name, "no_peer") == 0) { /* three PEs on devices 0, 1, 2; 0 and 1 do not map each other */
		t_equal(gshmem_pe_accessible(0) + 2 * gshmem_pe_accessible(1) + 4 * gshmem_pe_accessible(2), 7, "who is accessible");
		t_check(!gshmem_ptr(word, rank == 0) == (rank < 2), "ptr");
	}
	gshmem_finalize();
	if (strcmp(name, "plain"))
		MPI_Finalize();
	return 0;
}

static void expect(const char *name, const char *text)
{
	static struct t_job job;

	t_job_run(&job, 2, MPI_SOCKETS, "", name, 20);
	t_job_failed(&job, name, "init: hipIpcOpenMemHandle of the ", 1);
	t_job_failed(&job, name, text, 1);
}

/* Each PE in a container of its own, as far as processes go. */
static void other_pid_space(void)
{
	static struct t_job job;

	if (system("unshare -p -f true 2>/dev/null"))
		return;
	t_job_run(&job, 2, MPI_NO_PROC, "", "plain", 20);
	t_equal(job.status, 0, "without namespaces");
	setenv("T_WRAP", "unshare -p -f", 1);
	t_job_run(&job, 2, MPI_NO_PROC, "", "plain", 20);
	unsetenv("T_WRAP");
	t_job_failed(&job, "unshare", "it is in another PID namespace than this PE: run both in one container", 1);
}

/* An interface with an IPv4 address that is up: a container may have none, and its loopback down. */
static bool has_network(void)
{
	struct ifaddrs *all, *at;
	bool found = false;

	if (getifaddrs(&all))
		return false;
	for (at = all; at && !found; at = at->ifa_next)
		found = at->ifa_addr && at->ifa_addr->sa_family == AF_INET && at->ifa_flags & IFF_UP;
	freeifaddrs(all);
	return found;
}

int main(int argc, char **argv)
{
	static struct t_job job;

	if (argc > 1)
		return pe_main(argv[1]);
	t_job_run(&job, 3, "GSHMEM_CPU_DEVICES=3 GSHMEM_CPU_NO_PEER=0-1", "", "no_peer", 20);
	t_equal(job.status, 0, "status of a job with PEs out of reach");
	t_equal(t_job_count(&job, "pe 0: init: no peer access between the device of PE 0 and that of PE 1"), 1, "warning");
	t_equal(t_job_count(&job, "pe 1: init: no peer access between the device of PE 1 and that of PE 0"), 1, "warning");
	other_pid_space();
	if (access("/sys/class/net", F_OK))
		t_skip("the rest needs MPI over sockets, which needs /sys: mount -t sysfs sysfs /sys");
	if (!has_network())
		t_skip("the rest needs MPI over sockets, which needs a network interface: ip link set lo up");
	if (getuid() == 0)
		expect("uid", "it runs as uid ");
	expect("dumpable", "it is not dumpable (prctl PR_SET_DUMPABLE");
	return 0;
}
