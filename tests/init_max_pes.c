/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/* links: inner */
/*
 * In a job of the largest size a PE stores only what concerns its own node, whichever PEs that
 * has. One PE more is an error on all. The test compiles the library's source, because nobody
 * can start so many processes.
 */
#define gshmemi_job tested_job /* the library that this links to has one of its own */
#include "../src/job/job.c"

#include "helpers.h"
#include <stdarg.h>

static int npes, my_pe;
static int nnodes; /* PE p is on node p / 8, or on p % nnodes if nnodes is not 0 */
static int lowest;
static bool leads;
static char message[512];
static bool printed;

static int node(int pe)
{
	return nnodes ? pe % nnodes : pe / 8;
}

/* Includes pretended nodes. */
static int nnodes_all(void)
{
	const struct gshmemi_nodes pretended = gshmemi_env.PES_PER_NODE;

	return pretended.npes ? (npes + pretended.npes - 1) / pretended.npes
		: nnodes      ? nnodes
			      : (npes + 7) / 8;
}

/*
 * ---- what job.c uses of the library: every PE says the same as this one, but for its number and its node
 * ----
 */

int gshmemi_bootstrap_rank(void)
{
	return my_pe;
}

int gshmemi_bootstrap_npes(void)
{
	return npes;
}

int gshmemi_bootstrap_agree(int rc, bool *all)
{
	(void)all;
	return rc;
}

void gshmemi_bootstrap_broadcast(void *data, size_t nbytes, int root)
{
	(void)data;
	(void)nbytes;
	(void)root;
}

void gshmemi_bootstrap_min(int64_t *words, int nwords)
{
	(void)words;
	(void)nwords;
}

void gshmemi_bootstrap_allgather(const void *mine, void *all, size_t nbytes)
{
	int pe;

	t_equal(nbytes, sizeof(uint64_t), "bytes that each PE tells all others");
	for (pe = 0; pe < npes; pe++)
		((uint64_t *)all)[pe] = *(const uint64_t *)mine + (uint64_t)(node(pe) - node(my_pe));
}

void gshmemi_bootstrap_split(int pe, int npeers)
{
	(void)npeers;
	lowest = pe;
}

void gshmemi_bootstrap_allgather_leaders(
	bool is_leader, int nleaders, const void *mine, void *all, size_t nbytes)
{
	int i;

	t_equal(nleaders, nnodes_all(), "nodes that tell their hosts");
	leads = is_leader;
	for (i = 0; i < nleaders; i++) {
		memcpy((char *)all + (size_t)i * nbytes, mine, nbytes);
		snprintf((char *)all + (size_t)i * nbytes, nbytes, "host%d", i);
	}
}

void gshmemi_bootstrap_allgather_node(const void *mine, void *all, size_t nbytes)
{
	struct gshmemi_peer *peers = all;
	int pe;

	t_equal(nbytes, sizeof *peers, "bytes that each PE tells its peers");
	for (pe = 0; pe < npes; pe++) {
		if (node(pe) != node(my_pe))
			continue;
		*peers = *(const struct gshmemi_peer *)mine;
		peers++->pe = pe;
	}
}

void gshmemi_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
}

void gshmemi_log_release(bool print)
{
	printed = print;
}

void gshmemi_end(int status)
{
	_exit(status);
}

/* ---- the test ---- */

/* The job as PE pe sees it. This node has the npeers PEs first, first + stride and so on. */
static void check_job(int pe, int first, int stride, int npeers, int nlocal)
{
	struct gshmemi_config config = {.heap_nbytes = 1 << 20};
	const struct gshmemi_peer *peer;
	char host[16];
	int i;

	my_pe = pe;
	t_equal(gshmemi_job_open(0, &config), 0, "as many PEs as there can be");
	t_equal(tested_job->npes, npes, "PEs");
	t_equal(tested_job->npeers, npeers, "peers");
	t_equal(tested_job->nlocal, nlocal, "peers on the node");
	t_equal(tested_job->most, npeers, "peers of any PE");
	t_equal(tested_job->peers[tested_job->rank].pe, pe, "this PE among its peers");
	t_equal(lowest, first, "the lowest of them");
	for (i = 0; i < npes; i++) {
		peer = gshmemi_job_find(i);
		t_equal(peer != NULL,
			i >= first && (i - first) % stride == 0 && (i - first) / stride < npeers,
			"who is a peer");
		t_check(!peer || peer->pe == i, "PE %d is found as %d", i, peer->pe);
		snprintf(host, sizeof host, "host%d", node(i));
		t_check(strcmp(gshmemi_job_host(i), host) == 0, "PE %d is on %s, not on %s", i, host,
			gshmemi_job_host(i));
	}
	t_equal(leads, pe == first, "who tells the node's host");
	gshmemi_job_close();
}

/* GSHMEM_PES_PER_NODE, with all PEs on one machine. */
static void check_pretended(int npes_of_node, bool is_cyclic, int pe, const char *local)
{
	struct gshmemi_config config = {.heap_nbytes = 1 << 20};
	int i;

	gshmemi_env.PES_PER_NODE = (struct gshmemi_nodes){npes_of_node, is_cyclic};
	my_pe = pe;
	t_equal(gshmemi_job_open(0, &config), 0, "open");
	t_equal(tested_job->npeers, npes, "peers");
	for (i = 0; i < npes; i++)
		t_equal(tested_job->peers[i].is_local, local[i] == '1', "who is on the pretended node");
	for (i = 0; i < npes; i++)
		t_equal(tested_job->nodes[i] == tested_job->nodes[pe], local[i] == '1',
			"whose node has the same number");
	gshmemi_job_close();
	gshmemi_env.PES_PER_NODE.npes = 0;
}

int main(void)
{
	struct gshmemi_config config = {.heap_nbytes = 1 << 20};

	npes = GSHMEMI_NPES_LIMIT;
	check_job(0, 0, 1, 8, 8);
	check_job(npes - 1, npes - 8, 1, 8, 8);
	nnodes = npes / 8;
	check_job(nnodes + 3, 3, nnodes, 8, 8);
	npes++;
	for (my_pe = 0; my_pe < 2; my_pe++) {
		t_equal(gshmemi_job_open(0, &config), -E2BIG, "one PE more");
		t_check(strstr(message, "65537 PEs are too many: a job can have 65536"), "message: %s",
			message);
		t_equal(printed, my_pe == 0, "PE 0 alone prints");
	}
	npes = 7;
	nnodes = 1;
	check_pretended(3, false, 4, "0001110");
	check_pretended(3, false, 6, "0000001");
	check_pretended(3, true, 4, "0100100"); /* three nodes */
	check_pretended(4, true, 4, "1010101");
	return 0;
}
