/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* timeout: 120 */
/*
 * If a peer's memory cannot be opened (another user, not dumpable, another PID namespace, no peer access),
 * MPI carries the operations and a warning says why.
 */
#include <gshmem.h>
#include <linux/capability.h>
#include <mpi.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "job.h"
#include "sockets.h"

/*
 * MPI shares memory, too, and must not fail first, so these jobs use sockets. Over sockets
 * MPI_Finalize may hang (MPICH 4.0.2, UCX 1.13), so they end without it, as children of a process that
 * the launcher sees in their place.
 */
#define MPI_NO_PROC "UCX_POSIX_USE_PROC_LINK=n"
#define BULK_NBYTES 300000

/*
 * As root, become another user, because root can open everything. The process keeps the right to read files,
 * because init loads a library, and the tree may be in a folder that only root may enter, such as /root.
 */
static void become(unsigned uid)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[2] = {{0}};

	if (getuid() == 0) {
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
		t_check(setgid(uid) == 0 && setuid(uid) == 0, "setuid");
		caps[0].effective = caps[0].permitted = 1u << CAP_DAC_READ_SEARCH;
		t_check(syscall(SYS_capset, &header, caps) == 0, "capset");
	}
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

struct objects {
	long word, mine, sum;
	char bulk[BULK_NBYTES];
};

/* A put, a get, an atomic and bulk to the next PE; is_mapped: this process maps that PE's memory. */
static void exchange(bool is_mapped)
{
	struct objects *o = gshmem_calloc(1, sizeof *o);
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes,
		  previous = (me + npes - 1) % npes;
	char *bulk = malloc(BULK_NBYTES);

	t_check(!gshmem_ptr(o, next) == !is_mapped, "PE %d: gshmem_ptr of PE %d", me, next);
	gshmem_long_p(&o->mine, 100 + me, me); /* only by calls: the CPU may not reach it */
	memset(bulk, 1 + me, BULK_NBYTES);
	gshmem_barrier_all();
	gshmem_long_p(&o->word, 5 + me, next);
	gshmem_putmem(o->bulk, bulk, BULK_NBYTES, next);
	t_equal(gshmem_long_g(&o->mine, next), 100 + next, "a get");
	t_equal(gshmem_long_atomic_fetch_add(&o->sum, 7, next), 0, "a fetching atomic");
	gshmem_barrier_all();
	t_equal(gshmem_long_g(&o->word, me), 5 + previous, "a put");
	t_equal(gshmem_long_atomic_fetch(&o->sum, me), 7, "an atomic");
	gshmem_getmem(bulk, o->bulk, BULK_NBYTES, me);
	for (int i = 0; i < BULK_NBYTES; i++)
		t_equal(bulk[i], 1 + previous, "bulk");
	free(bulk);
	gshmem_free(o);
}

static int pe_main(const char *name, const char *shielded)
{
	int rank = t_launched_rank(), level;
	long *word;

	if (*shielded) { /* MPI cannot start or connect between different users */
		MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level); /* which unmapped PEs need */
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
	if (strcmp(name, "no_peer") == 0) { /* three PEs on devices 0, 1, 2; 0 and 1 do not map each other */
		word = gshmem_calloc(1, sizeof *word);
		t_equal(gshmem_pe_accessible(0) + 2 * gshmem_pe_accessible(1) + 4 * gshmem_pe_accessible(2),
			7, "who is accessible");
		t_check(!gshmem_ptr(word, rank == 0) == (rank < 2), "ptr");
	} else { /* a PE that is not dumpable can open one that is; in the ring, PE 2 cannot open PE 0 */
		exchange(strcmp(name, "plain") == 0 || (strcmp(name, "dumpable") == 0 && rank == 0) ||
			(strcmp(name, "ring") == 0 && rank < 2));
	}
	gshmem_finalize();
#ifdef OPEN_MPI
	if (*shielded)
		MPI_Finalize(); /* a process that leaves without it has its launcher kill the others */
#endif
	return 0;
}

/* Both PEs must have reached their end. */
static void expect_end(const struct t_job *job, const char *name)
{
	t_check(strstr(job->output, "PE 0 ended with 0") && strstr(job->output, "PE 1 ended with 0"),
		"%s:\n%s", name, job->output);
}

/* PE pe must have reported once that it could not open the other one, for this reason. */
static void expect_warning(const struct t_job *job, const char *name, int pe, const char *why)
{
	char start[96], end[96];
	const char *line;

	snprintf(start, sizeof start,
		"gshmem: pe %d: init: hipIpcOpenMemHandle of the sync region of PE %d, pid ", pe, 1 - pe);
	snprintf(end, sizeof end, ", in 5 attempts: operations of PE %d on PE %d go over MPI\n", pe, 1 - pe);
	line = strstr(job->output, start);
	t_check(line && strstr(line, why) && strstr(line, why) < strchr(line, '\n'),
		"%s: PE %d does not say why:\n%s", name, pe, job->output);
	t_equal(t_job_count(job, start), 1, "warnings of a PE");
	t_equal(t_job_count(job, end), 1, "that its operations go over MPI");
}

/*
 * A job over sockets. The launcher must not end a PE because another one ended first. nwarnings: how many PEs
 * cannot open the other one, from PE 1 down.
 */
static void expect(const char *name, const char *why, int nwarnings)
{
	static struct t_job job;
	char args[64];

	snprintf(args, sizeof args, "%s shielded", name);
	t_job_run(&job, 2, T_MPI_SOCKETS, t_job_keep(), args, 20);
	expect_end(&job, name);
	t_equal(t_job_count(&job, ": operations of PE "), nwarnings, name);
	for (int pe = 1; pe > 1 - nwarnings; pe--)
		expect_warning(&job, name, pe, why);
}

/*
 * Of three PEs on a device only PE 2 cannot open PE 0. If PEs of a device serve each other's mailboxes, PEs 0
 * and 1 do so, and PE 2 serves alone.
 */
static void ring(void)
{
	static struct t_job job;

#define FAILS "hipIpcOpenMemHandle:1@2"
	t_job_run(&job, 3, "GSHMEM_CPU_FAIL=" FAILS "," FAILS "," FAILS "," FAILS "," FAILS, "", "ring", 20);
#undef FAILS
	t_check(job.status == 0, "ring: exit status %d:\n%s", job.status, job.output);
	t_equal(t_job_count(&job, ": operations of PE "), 1, "warnings");
	t_equal(t_job_count(&job, "pe 2: init: hipIpcOpenMemHandle of the sync region of PE 0, pid "), 1,
		"its warning");
}

/* Each PE in its own PID namespace, as in containers. */
static void other_pid_space(void)
{
	static struct t_job job;

	if (system("unshare -p -f true 2>/dev/null"))
		return;
	t_job_run(&job, 2, MPI_NO_PROC, "", "plain", 20);
	t_check(job.status == 0, "without namespaces: exit status %d:\n%s", job.status, job.output);
	setenv("T_WRAP", "unshare -p -f", 1);
	t_job_run(&job, 2, T_MPI_SOCKETS, t_job_keep(), "apart shielded", 20);
	unsetenv("T_WRAP");
	expect_end(&job, "unshare");
	for (int pe = 0; pe < 2; pe++)
		expect_warning(&job, "unshare", pe,
			"it is in another PID namespace than this PE: run both in one container");
}

int main(int argc, char **argv)
{
	static struct t_job job;

	if (argc > 2)
		return t_job_shield(pe_main, argv[1], argv[2], 0);
	if (argc > 1)
		return pe_main(argv[1], "");
	t_job_run(&job, 3, "GSHMEM_CPU_DEVICES=3 GSHMEM_CPU_LINKS=0-1:none", "", "no_peer", 20);
	t_job_ended(&job, "a job with PEs out of reach");
	t_equal(t_job_count(&job, "pe 0: init: no peer access between the device of PE 0 and that of PE 1"),
		1, "warning");
	t_equal(t_job_count(&job, "pe 1: init: no peer access between the device of PE 1 and that of PE 0"),
		1, "warning");
	ring();
	t_need_sockets();
	other_pid_space();
	if (getuid() == 0)
		expect("uid", "it runs as uid ", 2);
	expect("dumpable", "it is not dumpable (prctl PR_SET_DUMPABLE", 1);
	return 0;
}
