/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "ipc/job.h"

#include <fcntl.h>
#include <gshmem/state/pe.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What each PE tells all others. */
struct hello {
	int32_t rc;          /* its error so far */
	int32_t max_pes;     /* GSHMEM_MAX_PES of its library */
	int32_t pid;
	uint32_t uid;
	uint64_t node;       /* equal on PEs of one node */
	uint64_t pid_space;
	int32_t is_dumpable;
	int32_t abi;
	struct gshmemi_config config;
	char host[64];
};

static struct gshmemi_job job;
const struct gshmemi_job *gshmemi_job;

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3U; /* FNV-1a */
	return hash;
}

/* The host name tells containers apart, the boot id machines of one name. */
static uint64_t node_of(const char *host)
{
	uint64_t hash = hash_text(0xcbf29ce484222325U, host);
	char boot_id[64] = "";
	FILE *file;

	file = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (file) {
		if (!fgets(boot_id, sizeof boot_id, file))
			boot_id[0] = 0;
		fclose(file);
	}
	return hash_text(hash, boot_id);
}

static void fill_hello(struct hello *hello, int rc, const struct gshmemi_config *config)
{
	struct stat st;

	memset(hello, 0, sizeof *hello);
	gethostname(hello->host, sizeof hello->host - 1);
	hello->rc = rc;
	hello->max_pes = GSHMEM_MAX_PES;
	hello->abi = GSHMEMI_ABI;
	hello->pid = getpid();
	hello->uid = geteuid();
	hello->node = node_of(hello->host);
	hello->pid_space = stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
	hello->is_dumpable = prctl(PR_GET_DUMPABLE) == 1;
	hello->config = *config;
}

/* The lowest PE with an error decides, and prints. */
static int first_error(const struct hello *all, int npes)
{
	int pe;

	for (pe = 0; pe < npes; pe++) {
		if (all[pe].rc) {
			gshmemi_log_release(pe == gshmemi_bootstrap_rank());
			return all[pe].rc;
		}
	}
	return 0;
}

/* Compares the PEs with PE 0; all PEs come to the same result. */
static int compare_configs(const struct hello *all, int npes)
{
	const struct gshmemi_config *first = &all[0].config, *other;
	int pe;

	for (pe = 1; pe < npes; pe++) {
		other = &all[pe].config;
		if (all[pe].abi != all[0].abi || all[pe].max_pes != all[0].max_pes) {
			gshmemi_error("init: PE 0 and PE %d run different builds of libgshmem (ABI %d and %d, "
				      "GSHMEM_MAX_PES %d and %d)",
				      pe, all[0].abi, all[pe].abi, all[0].max_pes, all[pe].max_pes);
			return -EINVAL;
		}
		if (other->heap_nbytes != first->heap_nbytes)
			gshmemi_error("init: the heap has %" PRIu64 " bytes on PE 0 but %" PRIu64 " on PE %d: give all "
				      "PEs the same GSHMEM_HEAP_SIZE",
				      first->heap_nbytes, other->heap_nbytes, pe);
		else if (other->heap_kind != first->heap_kind)
			gshmemi_error("init: GSHMEM_HEAP_KIND is %s on PE 0 but %s on PE %d",
				      gshmemi_heap_kind_name((enum gshmemi_heap_kind)first->heap_kind),
				      gshmemi_heap_kind_name((enum gshmemi_heap_kind)other->heap_kind), pe);
		else if (other->check != first->check)
			gshmemi_error("init: GSHMEM_CHECK is %d on PE 0 but %d on PE %d", (int)first->check,
				      (int)other->check, pe);
		else if (other->nteams != first->nteams)
			gshmemi_error("init: GSHMEM_TEAMS is %" PRIu64 " on PE 0 but %" PRIu64 " on PE %d", first->nteams,
				      other->nteams, pe);
		else if (other->is_delayed != first->is_delayed)
			gshmemi_error("init: GSHMEM_CPU_DELIVERY is set on PE %d only", other->is_delayed ? pe : 0);
		else
			continue;
		return -EINVAL;
	}
	return 0;
}

static int check(const struct hello *all, int npes)
{
	int rc;

	rc = first_error(all, npes);
	if (rc)
		return rc;
	rc = compare_configs(all, npes);
	if (!rc && npes > GSHMEMI_NPES_LIMIT) {
		gshmemi_error("init: %d PEs are more than gshmem can number, which are %d", npes, GSHMEMI_NPES_LIMIT);
		rc = -E2BIG;
	}
	if (rc)
		gshmemi_log_release(gshmemi_bootstrap_rank() == 0);
	return rc;
}

static void fill_job(const struct hello *all)
{
	struct gshmemi_peer *peer;
	int pe;

	job.nlocal = 0;
	job.nsharers = 1;
	for (pe = 0; pe < job.npes; pe++) {
		peer = &job.peers[pe];
		peer->pid = all[pe].pid;
		peer->uid = all[pe].uid;
		peer->pid_space = all[pe].pid_space;
		peer->is_dumpable = all[pe].is_dumpable != 0;
		peer->is_local = all[pe].node == all[job.my_pe].node;
		memcpy(peer->host, all[pe].host, sizeof peer->host);
		if (pe == job.my_pe)
			job.local_rank = job.nlocal;
		job.nlocal += peer->is_local;
	}
}

int gshmemi_job_open(int rc, const struct gshmemi_config *config)
{
	struct hello mine, *all;

	job.my_pe = gshmemi_bootstrap_rank();
	job.npes = gshmemi_bootstrap_npes();
	job.peers = calloc((size_t)job.npes, sizeof *job.peers);
	all = calloc((size_t)job.npes, sizeof *all);
	if (!all || !job.peers)
		gshmemi_end(1); /* the other PEs are in the exchange and cannot be told */
	fill_hello(&mine, rc, config);
	gshmemi_bootstrap_allgather(&mine, all, sizeof mine);
	rc = check(all, job.npes);
	if (rc)
		goto err_free;
	fill_job(all);
	free(all);
	gshmemi_job = &job;
	return 0;

err_free:
	free(all);
	free(job.peers);
	job.peers = NULL;
	return rc;
}

void gshmemi_job_close(void)
{
	gshmemi_job = NULL;
	free(job.peers);
	job.peers = NULL;
}

void gshmemi_job_set_mapped(int pe)
{
	job.peers[pe].is_mapped = true;
}

void gshmemi_job_set_sharers(int npes)
{
	job.nsharers = npes;
}

int gshmemi_job_open_pidfd(int pe)
{
	const struct gshmemi_peer *peer = &gshmemi_job->peers[pe];
	int fd;

	if (peer->pid_space != gshmemi_job->peers[gshmemi_job->my_pe].pid_space)
		return -EXDEV;
	fd = (int)syscall(SYS_pidfd_open, peer->pid, 0);
	return fd < 0 ? -errno : fd;
}

void gshmemi_job_explain(int pe, char *why, size_t nbytes)
{
	const struct gshmemi_peer *peer = &job.peers[pe], *mine = &job.peers[job.my_pe];

	if (peer->pid_space != mine->pid_space)
		snprintf(why, nbytes, "it is in another PID namespace than this PE: run both in one container");
	else if (peer->uid != mine->uid)
		snprintf(why, nbytes, "it runs as uid %u, this PE as uid %u", peer->uid, mine->uid);
	else if (!peer->is_dumpable)
		snprintf(why, nbytes, "it is not dumpable (prctl PR_SET_DUMPABLE, a setuid program)");
	else
		snprintf(why, nbytes, "same uid %u and PID namespace, dumpable", peer->uid);
}
