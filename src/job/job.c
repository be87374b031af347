/* SPDX-License-Identifier: BSD-3-Clause */
/* The job and the PEs of this machine: see job/job.h. */
#include "base/file.h"
#include "base/scale.h"
#include "bootstrap/bootstrap.h"
#include "job/job.h"

#include <fcntl.h>
#include <gshmem/state/pe.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* What must be equal on all PEs. It has only words and no padding, because it is compared as bytes. */
struct terms {
	uint64_t abi;
	uint64_t max_pes;   /* GSHMEM_MAX_PES of the library */
	char processor[16]; /* as uname reports it */
	struct gshmemi_config config;
};

static struct gshmemi_job job;
const struct gshmemi_job *gshmemi_job;

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3U; /* FNV-1a */
	return hash;
}

/* The host name distinguishes containers, the boot id machines of the same name. */
static uint64_t machine_of(const char *host)
{
	uint64_t hash = hash_text(0xcbf29ce484222325U, host);
	char boot_id[64] = "";
	FILE *file;

	file = gshmemi_file_read("/proc/sys/kernel/random/boot_id");
	if (file) {
		if (!fgets(boot_id, sizeof boot_id, file))
			boot_id[0] = 0;
		fclose(file);
	}
	return hash_text(hash, boot_id);
}

/* ---- what all PEs must have in common ---- */

/* Variables of which terms have less than messages need, as they are set. */
struct texts {
	char trace[128];
	char delivery[32];
	char nodes[32];
};

static struct texts read_texts(void)
{
	const struct gshmemi_nodes nodes = gshmemi_env.PES_PER_NODE;
	struct texts texts = {"not set", "not set", "not set"};

	if (gshmemi_env.TRACE)
		snprintf(texts.trace, sizeof texts.trace, "%s", gshmemi_env.TRACE);
	if (gshmemi_env.CPU_DELIVERY)
		snprintf(texts.delivery, sizeof texts.delivery, "%s", gshmemi_env.CPU_DELIVERY);
	if (nodes.npes)
		snprintf(texts.nodes, sizeof texts.nodes, "%d%s", nodes.npes,
			nodes.is_cyclic ? ":cyclic" : "");
	return texts;
}

/* Prints how the terms of PE 0, where texts are its own, and of another PE differ. Only PE 0's line shows. */
static void report_terms(
	const struct terms *first, const struct terms *other, const struct texts *other_texts, int pe)
{
	const struct gshmemi_config *a = &first->config, *b = &other->config;
	const struct texts texts = read_texts();

	if (other->abi != first->abi || other->max_pes != first->max_pes)
		gshmemi_error("init: PE 0 and PE %d run different builds of libgshmem (ABI %" PRIu64
			      " and %" PRIu64 ", "
			      "GSHMEM_MAX_PES %" PRIu64 " and %" PRIu64 ")",
			pe, first->abi, other->abi, first->max_pes, other->max_pes);
	else if (memcmp(other->processor, first->processor, sizeof first->processor))
		gshmemi_error(
			"init: PE 0 runs on %s but PE %d on %s: all processors of a job must be of one kind",
			first->processor, pe, other->processor);
	else if (b->heap_nbytes != a->heap_nbytes)
		gshmemi_error("init: the heap has %" PRIu64 " bytes on PE 0 but %" PRIu64
			      " on PE %d: give all PEs the same GSHMEM_HEAP_SIZE",
			a->heap_nbytes, b->heap_nbytes, pe);
	else if (b->heap_kind != a->heap_kind)
		gshmemi_error("init: GSHMEM_HEAP_KIND is %s on PE 0 but %s on PE %d",
			gshmemi_heap_kind_name((enum gshmemi_heap_kind)a->heap_kind),
			gshmemi_heap_kind_name((enum gshmemi_heap_kind)b->heap_kind), pe);
	else if (b->check != a->check)
		gshmemi_error(
			"init: GSHMEM_CHECK is %d on PE 0 but %d on PE %d", (int)a->check, (int)b->check, pe);
	else if (b->nteams != a->nteams)
		gshmemi_error("init: GSHMEM_TEAMS is %" PRIu64 " on PE 0 but %" PRIu64 " on PE %d", a->nteams,
			b->nteams, pe);
	else if (b->nwindows != a->nwindows)
		gshmemi_error("init: GSHMEM_WINDOWS is %" PRIu64 " on PE 0 but %" PRIu64 " on PE %d",
			a->nwindows, b->nwindows, pe);
	else if (b->counts != a->counts)
		gshmemi_error("init: GSHMEM_STATS is %d on PE 0 but %d on PE %d", (int)a->counts,
			(int)b->counts, pe);
	else if (b->traces != a->traces)
		gshmemi_error(
			"init: GSHMEM_TRACE is %s on PE 0 but %s on PE %d: set it on all PEs or on none",
			texts.trace, other_texts->trace, pe);
	else if (b->is_delayed != a->is_delayed)
		gshmemi_error("init: GSHMEM_CPU_DELIVERY is %s on PE 0 but %s on PE %d: set it on all PEs or "
			      "on none",
			texts.delivery, other_texts->delivery, pe);
	else
		gshmemi_error("init: GSHMEM_PES_PER_NODE is %s on PE 0 but %s on PE %d", texts.nodes,
			other_texts->nodes, pe);
}

/* Compares each PE with PE 0. All PEs come to the same result, and PE 0 prints. */
static int compare_terms(const struct gshmemi_config *config)
{
	struct terms mine = {GSHMEMI_ABI, GSHMEM_MAX_PES, "", *config}, first, other;
	struct texts texts = read_texts();
	struct utsname name;
	int64_t pe;

	if (!uname(&name))
		memcpy(mine.processor, name.machine, strnlen(name.machine, sizeof mine.processor - 1));
	first = other = mine;
	gshmemi_bootstrap_broadcast(&first, sizeof first, 0);
	pe = memcmp(&first, &mine, sizeof mine) ? job.my_pe : INT64_MAX;
	gshmemi_bootstrap_min(&pe, 1);
	if (pe == INT64_MAX)
		return 0;
	gshmemi_bootstrap_broadcast(&other, sizeof other, (int)pe);
	if (other.abi == first.abi) /* another build may not know of the texts */
		gshmemi_bootstrap_broadcast(&texts, sizeof texts, (int)pe);
	report_terms(&first, &other, &texts, (int)pe);
	return -EINVAL;
}

/* rc is this PE's error so far. */
static int check_config(int rc, const struct gshmemi_config *config)
{
	rc = gshmemi_bootstrap_agree(rc, NULL);
	if (rc)
		return rc;
	rc = compare_terms(config);
	if (!rc && job.npes > GSHMEMI_NPES_LIMIT) {
		gshmemi_error("init: %d PEs are too many: a job can have %d", job.npes, GSHMEMI_NPES_LIMIT);
		rc = -E2BIG;
	}
	if (rc)
		gshmemi_log_release(job.my_pe == 0);
	return rc;
}

/* ---- who is here ---- */

static size_t machines_nbytes(int npes)
{
	return (size_t)npes * sizeof(uint64_t);
}

static size_t peers_nbytes(int npeers)
{
	return (size_t)npeers * sizeof *job.peers;
}

/*
 * Allocates memory that this PE cannot do without: the others are in an exchange and cannot be told
 * of an error.
 */
static void *take_memory(size_t nbytes)
{
	void *ptr = calloc(1, nbytes);

	if (!ptr)
		gshmemi_end(1);
	return ptr;
}

/* The number of the node on which GSHMEM_PES_PER_NODE pretends that a PE is. */
static int pretended_node(int pe)
{
	const struct gshmemi_nodes nodes = gshmemi_env.PES_PER_NODE;

	if (!nodes.npes)
		return 0;
	return nodes.is_cyclic ? pe % ((job.npes + nodes.npes - 1) / nodes.npes) : pe / nodes.npes;
}

/* A node, while the nodes are numbered: an entry of an open-addressed hash table. */
struct place {
	uint64_t machine;
	int pretended;
	int number; /* plus 1; 0: the entry is empty */
};

static size_t nplaces(int npes)
{
	size_t n = 2;

	while (n < 2 * (size_t)npes)
		n *= 2;
	return n;
}

/* Numbers the nodes, by the machine of each PE. Returns whether this PE is the lowest of its node. */
static bool number_nodes(const uint64_t *machines)
{
	const size_t n = nplaces(job.npes);
	struct place *places = take_memory(n * sizeof *places), *place;
	bool is_lowest = false;
	int pe, pretended;
	uint64_t hash;

	job.nodes = take_memory((size_t)job.npes * sizeof *job.nodes);
	job.nnodes = 0;
	for (pe = 0; pe < job.npes; pe++) {
		pretended = pretended_node(pe);
		/* Knuth's multiplier: 2^64 over the golden ratio */
		hash = (machines[pe] ^ (uint64_t)pretended) * 0x9e3779b97f4a7c15U;
		for (hash >>= 32;; hash++) {
			place = &places[hash % n];
			if (!place->number)
				break;
			if (place->machine == machines[pe] && place->pretended == pretended)
				break;
		}
		if (!place->number) {
			*place = (struct place){machines[pe], pretended, ++job.nnodes};
			is_lowest |= pe == job.my_pe;
		}
		job.nodes[pe] = (uint16_t)(place->number - 1);
	}
	free(places);
	return is_lowest;
}

/* Finds which PE is on which node. The PEs on this machine become a group of their own. */
static void find_machine(void)
{
	uint64_t mine = machine_of(job.host), *all = take_memory(machines_nbytes(job.npes));
	bool is_lowest;
	int64_t fewest;
	int pe, lowest = -1;

	gshmemi_bootstrap_allgather(&mine, all, sizeof mine);
	job.npeers = 0;
	for (pe = 0; pe < job.npes; pe++) {
		if (all[pe] != mine)
			continue;
		if (lowest < 0)
			lowest = pe;
		if (pe == job.my_pe)
			job.rank = job.npeers;
		job.npeers++;
	}
	is_lowest = number_nodes(all);
	free(all);
	gshmemi_bootstrap_split(lowest, job.npeers);
	job.hosts = take_memory((size_t)job.nnodes * sizeof *job.hosts);
	gshmemi_bootstrap_allgather_leaders(is_lowest, job.nnodes, job.host, job.hosts, sizeof *job.hosts);
	fewest = -job.npeers;
	gshmemi_bootstrap_min(&fewest, 1);
	job.most = (int)-fewest;
}

bool gshmemi_job_sees(const struct gshmemi_peer *peer)
{
	return peer->pid_space == job.peers[job.rank].pid_space;
}

static void meet_peers(void)
{
	struct gshmemi_peer mine = {.pe = job.my_pe, .pid = getpid(), .uid = geteuid()};
	struct stat st;
	int i;

	mine.pid_space = stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
	mine.is_dumpable = prctl(PR_GET_DUMPABLE) == 1;
	job.peers = take_memory(peers_nbytes(job.npeers));
	gshmemi_bootstrap_allgather_node(&mine, job.peers, sizeof mine);
	job.peers[job.rank].has_atomics = true;
	job.nlocal = 0;
	for (i = 0; i < job.npeers; i++) {
		job.peers[i].is_local = pretended_node(job.peers[i].pe) == pretended_node(job.my_pe);
		job.nlocal += job.peers[i].is_local;
	}
}

int gshmemi_job_open(int rc, const struct gshmemi_config *config)
{
	job.my_pe = gshmemi_bootstrap_rank();
	job.npes = gshmemi_bootstrap_npes();
	job.nsharers = 0;
	gethostname(job.host, sizeof job.host - 1);
	rc = check_config(rc, config);
	if (rc)
		return rc;
	find_machine();
	meet_peers();
	gshmemi_job = &job;
	return 0;
}

void gshmemi_job_close(void)
{
	gshmemi_job = NULL;
	free(job.peers);
	free(job.nodes);
	free(job.hosts);
	job.peers = NULL;
	job.nodes = NULL;
	job.hosts = NULL;
}

void gshmemi_job_scale(struct gshmemi_scale *scale)
{
	const size_t nnodes = (size_t)(scale->npes + scale->npeers - 1) / (size_t)scale->npeers;

	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES);
	gshmemi_traffic_add(&scale->traffic, false, sizeof(struct terms));
	gshmemi_traffic_add(&scale->traffic, false, sizeof(int64_t));
	gshmemi_traffic_add(&scale->traffic, false, machines_nbytes(scale->npes));
	if (nnodes > 1)
		gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_SPLIT_NBYTES(scale->npes));
	gshmemi_traffic_add(&scale->traffic, false, sizeof(int64_t));
	if (nnodes > 1)
		gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_SPLIT_NBYTES(scale->npes));
	gshmemi_traffic_add(&scale->traffic, true, nnodes * sizeof *job.hosts);
	gshmemi_traffic_add(&scale->traffic, true, peers_nbytes(scale->npeers));
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "peers", peers_nbytes(scale->npeers));
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "nodes",
		(size_t)scale->npes * sizeof *job.nodes + nnodes * sizeof *job.hosts);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_INIT, "machines",
		machines_nbytes(scale->npes) + nplaces(scale->npes) * sizeof(struct place));
}

void gshmemi_job_set_mapped(int peer)
{
	job.peers[peer].is_mapped = true;
}

void gshmemi_job_set_unopened(int peer)
{
	job.peers[peer].is_unopened = true;
}

void gshmemi_job_set_atomics(int peer)
{
	job.peers[peer].has_atomics = true;
}

void gshmemi_job_set_sharer(int peer)
{
	job.peers[peer].is_sharer = true;
	job.nsharers++;
}

/* ---- peers ---- */

static int compare_pe(const void *pe, const void *peer)
{
	return *(const int *)pe - ((const struct gshmemi_peer *)peer)->pe;
}

const char *gshmemi_job_host(int pe)
{
	return job.hosts[job.nodes[pe]];
}

const struct gshmemi_peer *gshmemi_job_find(int pe)
{
	return job.peers ? bsearch(&pe, job.peers, (size_t)job.npeers, sizeof *job.peers, compare_pe) : NULL;
}

int gshmemi_job_open_file(int pe, int peer_fd, int flags)
{
	const struct gshmemi_peer *peer = gshmemi_job_find(pe);
	char path[48];
	int fd;

	if (!gshmemi_job_sees(peer))
		return -EXDEV;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)peer->pid, peer_fd);
	fd = gshmemi_file_open(path, flags);
	return fd < 0 ? -errno : fd;
}

int gshmemi_job_open_pidfd(int pe)
{
	const struct gshmemi_peer *peer = gshmemi_job_find(pe);
	int fd;

	if (!gshmemi_job_sees(peer))
		return -EXDEV;
	fd = gshmemi_file_keep((int)syscall(SYS_pidfd_open, peer->pid, 0));
	return fd < 0 ? -errno : fd;
}

void gshmemi_job_explain(int pe, char *why, size_t nbytes)
{
	const struct gshmemi_peer *peer = gshmemi_job_find(pe), *mine = &job.peers[job.rank];

	if (access("/proc/self", F_OK))
		snprintf(why, nbytes, "/proc, by which PEs open each other's files, is not mounted");
	else if (!gshmemi_job_sees(peer))
		snprintf(why, nbytes,
			"it is in another PID namespace than this PE: run both in one container");
	else if (peer->uid != mine->uid)
		snprintf(why, nbytes, "it runs as uid %u, this PE as uid %u", peer->uid, mine->uid);
	else if (!peer->is_dumpable)
		snprintf(why, nbytes, "it is not dumpable (prctl PR_SET_DUMPABLE, a setuid program)");
	else
		snprintf(why, nbytes, "same uid %u and PID namespace, dumpable", peer->uid);
}
