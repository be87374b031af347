/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job: how many PEs it has, whether they want the same, which node each is on, and who the PEs on this machine are. Learned in
 * init, constant until finalize. Of PEs on other machines a PE knows nothing but their numbers and hosts.
 */
#ifndef GSHMEMI_IPC_JOB_H
#define GSHMEMI_IPC_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct gshmemi_scale;

#define GSHMEMI_HOST_NBYTES 64 /* of a host name and its end */

/* A PE on this machine. */
struct gshmemi_peer {
	int pe;
	pid_t pid;           /* as the peer itself sees it */
	uint32_t uid;
	bool is_dumpable : 1; /* lets other processes open its memory */
	bool is_local : 1;    /* on this PE's node: false only where GSHMEM_PES_PER_NODE pretends others */
	bool is_unopened : 1; /* its IPC handles did not open here, so that it is not mapped; false until gshmemi_map_open */
	bool is_mapped : 1;   /* its heap is in this process; false until gshmemi_map_open */
	bool has_atomics : 1; /* this PE's device has native atomics on that PE's; but for this PE itself false until gshmemi_map_open */
	bool is_sharer : 1;   /* its device is this PE's, as of this PE itself; likewise */
	uint64_t pid_space;  /* inode of its PID namespace: pid means something here only if it is ours */
};

struct gshmemi_job {
	int my_pe;
	int npes;
	int npeers;          /* PEs on this machine, this one included */
	int most;            /* PEs of the machine that has most of them */
	int nlocal;          /* of the peers, those on this node */
	int rank;            /* of this PE among its peers */
	int nsharers;        /* of the peers, those with this PE's device; 0 until gshmemi_map_open */
	struct gshmemi_peer *peers; /* [npeers], by PE */
	int nnodes;          /* with those that GSHMEM_PES_PER_NODE pretends */
	uint32_t *nodes;     /* [npes]: the node of each PE; they are numbered by their lowest PEs */
	char (*hosts)[GSHMEMI_HOST_NBYTES]; /* [nnodes] */
	char host[GSHMEMI_HOST_NBYTES]; /* of this PE */
};

/* What all PEs must have in common. */
struct gshmemi_config {
	uint64_t heap_nbytes;
	uint64_t heap_kind;
	uint64_t check;
	uint64_t is_delayed;
	uint64_t nteams;
	uint64_t nwindows;
	uint64_t nodes;      /* GSHMEM_PES_PER_NODE in a word */
	uint64_t counts;     /* GSHMEM_STATS: finalize puts the counters of all PEs together */
	uint64_t traces;     /* GSHMEM_TRACE: likewise their events */
};

/* NULL outside of init and finalize. */
extern const struct gshmemi_job *gshmemi_job;

/*
 * Exchange who we are, and compare config over the PEs. rc is this PE's error so far. Collective, and agreed: 0, or
 * the same error on every PE.
 */
int gshmemi_job_open(int rc, const struct gshmemi_config *config);
void gshmemi_job_close(void);
void gshmemi_job_set_mapped(int peer); /* an index of peers */
void gshmemi_job_set_unopened(int peer);
void gshmemi_job_set_atomics(int peer);
void gshmemi_job_set_sharer(int peer);
void gshmemi_job_scale(struct gshmemi_scale *scale);

/* The name of a PE's host. */
const char *gshmemi_job_host(int pe);

/* A PE on this machine; NULL: it is on another one. */
const struct gshmemi_peer *gshmemi_job_find(int pe);

/*
 * Whether the pid of a PE of this machine means that PE here. Containers number their processes alike: pid 7 of
 * another one is some process here, too, or this one.
 */
bool gshmemi_job_sees(const struct gshmemi_peer *peer);

/*
 * Opens a file that a PE of this machine has open as peer_fd, by flags of open. A negative errno: -EXDEV if the PE's pid means
 * nothing here, or another process.
 */
int gshmemi_job_open_file(int pe, int peer_fd, int flags);

/*
 * A pidfd of a PE of this machine, or a negative errno: -ESRCH if it is gone, -EXDEV if its pid means nothing
 * here.
 */
int gshmemi_job_open_pidfd(int pe);

/* Why this process may not open what a process of this machine has, as far as one can tell from outside. */
void gshmemi_job_explain(int pe, char *why, size_t nbytes);

#endif /* GSHMEMI_IPC_JOB_H */
