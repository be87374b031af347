/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bootstrap: how the PEs find each other and agree, in init and at the end of finalize. In between they use
 * the library's own barrier (team/meet.c), unless some of them cannot map each other's memory.
 */
#include "bootstrap/way.h"

#include <string.h>

#include "base/scale.h"
#include "mpi/mpi.h"

/* of the current job, or of the last one */
static const struct gshmemi_bootstrap *way = &gshmemi_bootstrap_mpi;
static struct gshmemi_traffic traffic;
static int rank = -1;
static int npes;
static int nlocal; /* PEs of this machine */

/* Of a job; -1, 0: of none. */
static void set_place(int my_rank, int nranks)
{
	rank = my_rank;
	npes = nranks;
	gshmemi_log_set_pe(my_rank);
}

static int open_alone(void)
{
	int rc;

	gshmemi_info("init: MPI cannot be loaded, and no launcher has started this process: a job of one PE");
	rc = gshmemi_bootstrap_tcp_open_alone();
	if (rc)
		return rc;
	way = &gshmemi_bootstrap_tcp;
	set_place(0, 1);
	return 0;
}

/*
 * Where there is an MPI it is asked even if there is no sign of a launcher, because it may know launchers
 * that this library does not.
 */
int gshmemi_bootstrap_open(const void *comm)
{
	int my_rank, nranks, rc;

	memset(&traffic, 0, sizeof traffic);
	if (!comm && !gshmemi_launcher_may_be_there() && !gshmemi_mpi_is_there())
		return open_alone();
	way = &gshmemi_bootstrap_mpi;
	rc = gshmemi_bootstrap_mpi_open(comm, &my_rank, &nranks);
	if (!rc)
		set_place(my_rank, nranks);
	return rc;
}

int gshmemi_bootstrap_open_by_id(const gshmemx_uniqueid_t *id, int my_rank, int nranks)
{
	int rc;

	memset(&traffic, 0, sizeof traffic);
	rc = gshmemi_bootstrap_tcp_open(id, my_rank, nranks);
	if (rc)
		return rc;
	way = &gshmemi_bootstrap_tcp;
	set_place(my_rank, nranks);
	return 0;
}

bool gshmemi_bootstrap_has_mpi(void)
{
	return way == &gshmemi_bootstrap_mpi;
}

void gshmemi_bootstrap_close(void)
{
	way->close();
	set_place(-1, 0);
}

void gshmemi_bootstrap_abort(int status)
{
	way->abort(status);
}

bool gshmemi_bootstrap_is_finalized(void)
{
	return way->is_finalized();
}

int gshmemi_bootstrap_check_level(int thread_level)
{
	return way->check_level(thread_level);
}

int gshmemi_bootstrap_check_carrying(int from_pe, int to_pe)
{
	return way->check_carrying(from_pe, to_pe);
}

int gshmemi_bootstrap_rank(void)
{
	return rank;
}

int gshmemi_bootstrap_npes(void)
{
	return npes;
}

/* ---- exchanges ---- */

const struct gshmemi_traffic *gshmemi_bootstrap_traffic(void)
{
	return &traffic;
}

void gshmemi_bootstrap_split(int lowest, int npeers)
{
	nlocal = npeers;
	way->split(lowest, npeers);
	if (npeers < npes)
		gshmemi_traffic_add(&traffic, false, GSHMEMI_SPLIT_NBYTES(npes));
}

void gshmemi_bootstrap_barrier(void)
{
	way->barrier();
}

void gshmemi_bootstrap_allgather(const void *mine, void *all, size_t nbytes)
{
	way->allgather(mine, all, nbytes);
	gshmemi_traffic_add(&traffic, false, (size_t)npes * nbytes);
}

void gshmemi_bootstrap_allgather_node(const void *mine, void *all, size_t nbytes)
{
	way->allgather_machine(mine, all, nbytes);
	gshmemi_traffic_add(&traffic, true, (size_t)nlocal * nbytes);
}

void gshmemi_bootstrap_allgather_leaders(
	bool is_leader, int nleaders, const void *mine, void *all, size_t nbytes)
{
	way->allgather_leaders(is_leader, nleaders, mine, all, nbytes);
	if (nleaders > 1)
		gshmemi_traffic_add(&traffic, false, GSHMEMI_SPLIT_NBYTES(npes));
	gshmemi_traffic_add(&traffic, true, (size_t)nleaders * nbytes);
}

void gshmemi_bootstrap_move(void *data, size_t nbytes, int from, int to)
{
	way->move(data, nbytes, from, to);
}

void gshmemi_bootstrap_broadcast(void *data, size_t nbytes, int root)
{
	way->broadcast(data, nbytes, root);
	gshmemi_traffic_add(&traffic, false, nbytes);
}

void gshmemi_bootstrap_min(int64_t *words, int nwords)
{
	way->min(words, nwords);
	gshmemi_traffic_add(&traffic, false, (size_t)nwords * sizeof *words);
}

void gshmemi_bootstrap_and(uint64_t *words, int nwords)
{
	way->all_bits(words, nwords);
}

int gshmemi_bootstrap_agree(int rc, bool *all)
{
	int64_t words[2] = {INT64_MAX, all ? *all : 0};

	if (rc)
		words[0] = (int64_t)rank << 32 | (uint32_t)-rc;
	gshmemi_bootstrap_min(words, 2);
	if (all)
		*all = words[1] != 0;
	if (words[0] == INT64_MAX)
		return 0;
	gshmemi_log_release((int)(words[0] >> 32) == rank);
	return -(int)(uint32_t)words[0];
}
