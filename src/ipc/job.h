/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job: who the PEs are, where they run, and whether they want the same. Learned in init by one exchange, constant
 * until finalize.
 */
#ifndef GSHMEMI_IPC_JOB_H
#define GSHMEMI_IPC_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct gshmemi_peer {
	pid_t pid;           /* as the peer itself sees it */
	bool is_local;       /* runs on this node; true for this PE */
	bool is_mapped;      /* its heap is in this process; false until gshmemi_map_open */
	bool is_dumpable;    /* lets other processes open its memory */
	uint32_t uid;
	uint64_t pid_space;  /* inode of its PID namespace: pid means something here only if it is ours */
	char host[64];
};

struct gshmemi_job {
	int my_pe;
	int npes;
	int nlocal;          /* PEs on this node, this one included */
	int local_rank;      /* of this PE among them */
	int nsharers;        /* of them, those with this PE's device; 1 until gshmemi_map_open */
	struct gshmemi_peer *peers; /* npes */
};

/* What all PEs must have in common. */
struct gshmemi_config {
	uint64_t heap_nbytes;
	uint64_t heap_kind;
	uint64_t check;
	uint64_t is_delayed;
	uint64_t nteams;
};

/* NULL outside of init and finalize. */
extern const struct gshmemi_job *gshmemi_job;

/*
 * Exchange who we are, and compare config over the PEs. rc is this PE's error so far. Collective, and agreed: 0, or
 * the same error on every PE.
 */
int gshmemi_job_open(int rc, const struct gshmemi_config *config);
void gshmemi_job_close(void);
void gshmemi_job_set_mapped(int pe);
void gshmemi_job_set_sharers(int npes);

/* A pidfd of a PE of this node, or a negative errno: -ESRCH if it is gone, -EXDEV if its pid means nothing here. */
int gshmemi_job_open_pidfd(int pe);

/* Why this process may not open what a process of this node has, as far as one can tell from outside. */
void gshmemi_job_explain(int pe, char *why, size_t nbytes);

#endif /* GSHMEMI_IPC_JOB_H */
