/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes: no, its jobs are of one machine */
/* platform: cpu */
/* timeout: 120 */
/*
 * MPI may use the network within one machine, too: because it was told to, or because it cannot share memory
 * between containers. A job whose MPI_Finalize then never returns still ends, with the program's status.
 */
#include <arpa/inet.h>
#include <gshmem.h>

#include "finalize.h"
#include "job.h"
#include "sockets.h"

#define NPES 3

static int nprobes;

/* In place of MPI's. The library calls it at the end, and only if MPI uses the network. */
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	if (!nprobes++)
		printf("MPI has a network\n");
	return PMPI_Iprobe(source, tag, comm, flag, status);
}

/* Makes this process a client of itself, whose connection the library must not take for MPI's. */
static void connect_to_myself(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t nbytes = sizeof address;

	t_check(!bind(listener, (struct sockaddr *)&address, nbytes) && !listen(listener, 1) &&
			!getsockname(listener, (struct sockaddr *)&address, &nbytes) &&
			!connect(client, (struct sockaddr *)&address, nbytes),
		"this process cannot connect to itself");
}

/* hanging: none, one (PE 1), all, or own (none, and the program has connections of its own). */
static int pe_main(const char *hanging, int status)
{
	const bool is_own = !strcmp(hanging, "own");
	int me;

	if (is_own)
		connect_to_myself();
	gshmem_init();
	if (is_own)
		connect_to_myself();
	me = gshmem_my_pe();
	gshmem_barrier_all();
	gshmem_finalize();
	hangs = !strcmp(hanging, "all") || (!strcmp(hanging, "one") && me == 1);
	return me == 1 ? status : 0;
}

static void expect(const char *env, const char *args, int status, bool is_late)
{
	static struct t_job job;
	const bool has_network = strstr(env, "UCX_TLS") || getenv("T_WRAP");

	t_job_run(&job, NPES, env, "", args, 15);
	t_check(job.status == status, "%s %s: exit status %d, not %d:\n%s", env, args, job.status, status,
		job.output);
	/* hydra 4.0.2 may lose lines of a PE that ends without MPI_Finalize */
	t_check((t_job_count(&job, "MPI has a network\n") > 0) == has_network,
		"%s %s: MPI has %s network:\n%s", env, args, has_network ? "no" : "a", job.output);
	t_check(strstr(job.output, "MPI_Finalize has not returned for 3 s") || !is_late,
		"%s %s: nothing was said of MPI_Finalize:\n%s", env, args, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1], atoi(argv[2]));
#ifdef OPEN_MPI
	t_skip("the MPI_Finalize of Open MPI needs no help");
#endif
	expect("", "none 7", 7, false);
	t_need_sockets();
	expect("", "own 0", 0, false);
	expect(T_MPI_SOCKETS, "none 0", 0, false);
	expect(T_MPI_SOCKETS, "one 7", 7, true);
	expect(T_MPI_SOCKETS, "all 0", 0, true);
	if (getuid() == 0) {
		setenv("T_WRAP", "unshare -i", 1);
		expect("", "all 0", 0, true);
	}
	return 0;
}
