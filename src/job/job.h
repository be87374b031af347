/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job: how many PEs it has, whether their settings agree, which node each is on, and who the PEs on this
 * machine are. Init finds this out, and it stays constant until finalize. Of PEs on other machines a PE knows
 * only their numbers and hosts.
 */
#ifndef GSHMEMI_JOB_JOB_H
#define GSHMEMI_JOB_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct gshmemi_scale;

#define GSHMEMI_HOST_NBYTES 64 /* a host name and the 0 at its end */

/* A PE on this machine. */
struct gshmemi_peer {
	int pe;
	pid_t pid; /* as the peer itself sees it */
	uint32_t uid;
	bool is_dumpable : 1; /* lets other processes open its memory */
	bool is_local : 1;    /* on this PE's node: false only where GSHMEM_PES_PER_NODE pretends others */
	/* its IPC handles could not be opened here, so it is not mapped; false until gshmemi_map_open */
	bool is_unopened : 1;
	bool is_mapped : 1; /* this process has mapped its heap; false until gshmemi_map_open */
	/*
	 * this PE's device has native atomics on its device; until gshmemi_map_open true only for
	 * this PE itself
	 */
	bool has_atomics : 1;
	bool is_sharer : 1; /* it has the same device as this PE, which is a sharer too; likewise */
	/* inode of its PID namespace: its pid means something here only if this PE is in the same */
	uint64_t pid_space;
};

struct gshmemi_job {
	int my_pe;
	int npes;
	int npeers;                 /* PEs on this machine, including this one */
	int most;                   /* PEs on the machine that has the most */
	int nlocal;                 /* peers on this node */
	int rank;                   /* index of this PE among its peers */
	int nsharers;               /* peers with this PE's device; 0 until gshmemi_map_open */
	struct gshmemi_peer *peers; /* [npeers], in ascending order of pe */
	int nnodes;                 /* including those that GSHMEM_PES_PER_NODE pretends */
	/*
	 * [npes]: the node of each PE; nodes are numbered in the order of their lowest PEs. A job has at most
	 * 65536 PEs.
	 */
	uint16_t *nodes;
	char (*hosts)[GSHMEMI_HOST_NBYTES]; /* [nnodes] */
	char host[GSHMEMI_HOST_NBYTES];     /* this PE's host */
};

/* The settings that must be equal on all PEs. */
struct gshmemi_config {
	uint64_t heap_nbytes;
	uint64_t heap_kind;
	uint64_t check;
	uint64_t is_delayed;
	uint64_t nteams;
	uint64_t nwindows;
	uint64_t nodes;  /* GSHMEM_PES_PER_NODE as one word */
	uint64_t counts; /* GSHMEM_STATS: finalize adds up the counters of all PEs */
	uint64_t traces; /* GSHMEM_TRACE: and collects the events of all PEs */
};

/* NULL outside init and finalize. */
extern const struct gshmemi_job *gshmemi_job;

/*
 * Exchanges who the PEs are, and compares config over them. rc is this PE's error so far. Collective: returns
 * 0, or the same error on every PE.
 */
int gshmemi_job_open(int rc, const struct gshmemi_config *config);
void gshmemi_job_close(void);
void gshmemi_job_set_mapped(int peer); /* peer is an index of peers */
void gshmemi_job_set_unopened(int peer);
void gshmemi_job_set_atomics(int peer);
void gshmemi_job_set_sharer(int peer);
void gshmemi_job_scale(struct gshmemi_scale *scale);

/* The name of a PE's host. */
const char *gshmemi_job_host(int pe);

/* Finds a PE on this machine; NULL if it is on another one. */
const struct gshmemi_peer *gshmemi_job_find(int pe);

/*
 * Whether the pid of a PE of this machine refers to that PE here. Containers number their processes alike, so
 * pid 7 of another container is a different process here, or even this one.
 */
bool gshmemi_job_sees(const struct gshmemi_peer *peer);

/*
 * Opens a file that a PE of this machine has open as peer_fd; flags are those of open. Returns a negative
 * errno: -EXDEV if the PE's pid does not refer to it here.
 */
int gshmemi_job_open_file(int pe, int peer_fd, int flags);

/*
 * Returns a pidfd of a PE of this machine, or a negative errno: -ESRCH if it is gone, -EXDEV if its pid does
 * not refer to it here.
 */
int gshmemi_job_open_pidfd(int pe);

/*
 * Says why this process may not open what a process of this machine has, as far as that can be
 * seen from outside.
 */
void gshmemi_job_explain(int pe, char *why, size_t nbytes);

#endif /* GSHMEMI_JOB_JOB_H */
