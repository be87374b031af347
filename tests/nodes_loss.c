/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 120 */
/*
 * If each node loses one of 20 incoming packets, the job still ends with 0 and the right data. The test makes
 * its own nodes, because other tests need theirs.
 */
#include <gshmem.h>
#include <stdbool.h>

#include "nodes.h"

#define BULK_NBYTES (1 << 20)

static int pe_main(void)
{
	unsigned char *bulk, *got;
	long *words, value;
	int me, npes, to, from, i;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	to = (me + 1) % npes;
	from = (me + npes - 1) % npes;
	words = gshmem_calloc(2, sizeof *words);
	bulk = gshmem_calloc(2, BULK_NBYTES);
	t_check(words && bulk, "no memory");
	got = bulk + BULK_NBYTES;
	for (i = 0; i < 100; i++) {
		gshmem_long_p(words, i + 1, to);
		gshmem_long_atomic_inc(words + 1, to);
		gshmem_quiet();
		gshmem_long_get(&value, words, 1, to);
		t_equal(value, i + 1, "a word that was put");
	}
	for (i = 0; i < BULK_NBYTES; i++)
		got[i] = (unsigned char)(i * 7 + me);
	gshmem_putmem(bulk, got, BULK_NBYTES, to);
	gshmem_barrier_all();
	t_equal(words[1], 100, "a word that was counted up");
	for (i = 0; i < BULK_NBYTES; i++)
		t_equal(bulk[i], (unsigned char)(i * 7 + from), "a byte that was put");
	gshmem_getmem(got, bulk, BULK_NBYTES, to);
	for (i = 0; i < BULK_NBYTES; i++)
		t_equal(got[i], (unsigned char)(i * 7 + me), "a byte that was got");
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}

/* Make each node lose packets; returns false if this machine cannot. */
static bool lose(void)
{
	char command[512];
	int i;

	for (i = 0; i < t_nodes_number("NNODES"); i++) {
		snprintf(command, sizeof command,
			"tests/nodes.sh exec node%d nft 'add table ip loss; "
			"add chain ip loss in { type filter hook input priority 0; }; "
			"add rule ip loss in iif eth0 numgen random mod 20 == 0 counter drop' 2>&1",
			i);
		if (system(command))
			return false;
	}
	return true;
}

/* How many packets a node has lost. */
static long count_lost(int node)
{
	char command[128], line[256], *at;
	long count = -1;
	FILE *pipe;

	snprintf(command, sizeof command, "tests/nodes.sh exec node%d nft list table ip loss", node);
	pipe = popen(command, "r");
	t_check(pipe, "popen");
	while (fgets(line, sizeof line, pipe))
		if ((at = strstr(line, "counter packets ")))
			count = atol(at + strlen("counter packets "));
	pclose(pipe);
	return count;
}

int main(int argc, char **argv)
{
	static struct t_job job;
	int i;

	if (argc < 2)
		t_nodes_move();
	if (strcmp(argv[1], "here"))
		return pe_main();
	if (!lose())
		t_skip("nft does not make the nodes lose packets");
	t_job_run(&job, t_nodes_npes(), "GSHMEM_HEAP_SIZE=8m GSHMEM_NET_DEADLINE=20", "", "pe", 30);
	t_check(job.status == 0, "exit status %d:\n%s", job.status, job.output);
	for (i = 0; i < t_nodes_number("NNODES"); i++)
		t_check(count_lost(i) > 0, "node%d has lost no packet", i);
	if (getenv("T_VERBOSE"))
		for (i = 0; i < t_nodes_number("NNODES"); i++)
			printf("node%d lost %ld\n", i, count_lost(i));
	return 0;
}
