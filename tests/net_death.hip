/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its jobs say which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 400 */
/*
 * If a PE dies while others ask it for carried operations, from kernels or from the host, the job
 * ends soon and names the PE once.
 */
#include <hip/hip_runtime.h>
#include "job.h"
#include "net_calls.h"

enum { NPES = 3, VICTIM = 1 };
#define BIG_NBYTES ((size_t)64 << 20)

struct shared {
	uint64_t nasked; /* on the victim: how often others have asked before it dies */
	uint64_t word, signal;
	long lock[8]; /* some have their home on the victim, some elsewhere */
	char small[64];
	char big[BIG_NBYTES];
};

enum kind { PUT, FETCH, GET, PUT_BIG, SIGNAL, BARRIER, LOCK, NKINDS };
static const char *const names[NKINDS] = {"put", "fetch", "get", "put-big", "signal", "barrier", "lock"};

/* Ask again and again. The call during which the victim dies does not return. */
static __host__ __device__ void ask(struct shared *s, int kind)
{
	for (uint64_t i = 0;; i++) {
		switch (kind) {
		case PUT:
			gshmem_putmem(s->small, s->small, sizeof s->small, VICTIM);
			break;
		case FETCH:
			(void)gshmem_uint64_atomic_fetch_inc(&s->word, VICTIM);
			break;
		case GET:
			gshmem_getmem(s->big, s->big, BIG_NBYTES, VICTIM);
			break;
		case PUT_BIG:
			gshmem_putmem(s->big, s->big, BIG_NBYTES, VICTIM);
			break;
		case SIGNAL:
			gshmem_putmem_signal(s->small, s->small, sizeof s->small, &s->signal, 1,
				GSHMEM_SIGNAL_ADD, VICTIM);
			break;
		case BARRIER:
			gshmem_uint64_atomic_inc(&s->nasked, VICTIM);
			gshmem_barrier_all();
			return;
		default: /* the victim holds them */
			gshmem_uint64_atomic_inc(&s->nasked, VICTIM);
			gshmem_quiet();
			gshmem_set_lock(&s->lock[gshmem_my_pe()]);
			return;
		}
		gshmem_quiet();
		gshmem_uint64_atomic_inc(&s->nasked, VICTIM);
	}
}

static __global__ void ask_kernel(struct shared *s, int kind)
{
	ask(s, kind);
}

/* A lock on each PE, which the victim holds. */
static void take_locks(struct shared *s)
{
	for (int i = 0; i < NPES; i++)
		gshmem_set_lock(&s->lock[i]);
	gshmem_quiet();
}

static int kind_of(const char *name)
{
	int kind = 0;

	while (strcmp(names[kind], name))
		kind++;
	return kind;
}

/* how: exit or kill, and host or kernel for who asks, as in kill-host. */
static int pe_main(const char *what, const char *how)
{
	const int kind = kind_of(what);
	struct shared *s;

	t_net_init();
	s = (struct shared *)gshmem_calloc(1, sizeof *s);
	if (kind == LOCK && gshmem_my_pe() == VICTIM)
		take_locks(s);
	gshmem_barrier_all();
	if (gshmem_my_pe() == VICTIM) {
		gshmem_uint64_wait_until(&s->nasked, GSHMEM_CMP_GE, NPES - 1);
		if (strncmp(how, "kill", 4) == 0)
			raise(SIGKILL);
		_exit(0);
	}
	if (strstr(how, "kernel"))
		t_launch(ask_kernel, 1, 1, s, kind);
	else
		ask(s, kind);
	printf("PE %d came through\n", gshmem_my_pe());
	return 1;
}

static void expect(int kind, const char *how, const char *flags)
{
	static struct t_job job;
	const bool is_shielded = *flags != 0;
	char args[64];

	snprintf(args, sizeof args, "%s %s %s", names[kind], how, is_shielded ? "shielded" : "");
	t_job_run(&job, NPES, "GSHMEM_CARRY=all GSHMEM_HEAP_SIZE=256m", flags, args, 10);
	t_check(!strstr(job.output, "came through"), "%s: a PE went on:\n%s", args, job.output);
	t_check(!strstr(job.output, "PEs hang"), "%s:\n%s", args, job.output);
	if (is_shielded)
		t_job_failed(&job, args, " ended without gshmem_finalize", 1);
	/*
	 * Otherwise the launcher may kill them before they say why, and hydra 4.0.2 may lose their
	 * status and return the victim's 0.
	 */
}

int main(int argc, char **argv)
{
	static const char *const hows[] = {"kill-host", "exit-kernel", "exit-host", "kill-kernel"};

	if (argc > 3)
		return t_job_shield(pe_main, argv[1], argv[2], t_launched_rank() == VICTIM);
	if (argc > 1)
		return pe_main(argv[1], argv[2]);
	for (int kind = 0; kind < NKINDS; kind++)
		for (int i = 0; i < 4; i++)
			if (!t_left_out(kind + i))
				expect(kind, hows[i], t_job_keep());
	expect(PUT, "kill-host", "");
	expect(FETCH, "exit-kernel", "");
	return 0;
}
