/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's one-sided calls between two processes of a node, rank 0 to rank 1, and memcpy between the same
 * processes. A bench starts it under mpirun:
 *     mpi_rma FILE SOCKET
 * FILE is raw.h's. Questions and answers go over the abstract socket whose name is SOCKET followed by the
 * rank. MPI runs as fast as it can: MPI_Init asks for no threads, each rank has the core of its number, all
 * windows but RMA_UNLOCKED are locked once with MPI_MODE_NOCHECK, and rank 1 calls MPI while rank 0 works.
 * MPICH 4.0.2 performs a put inside the target's calls, whatever the window; if the target makes none, a put
 * and flush takes 130 us instead of 0.5. A batch that takes longer than BATCH_SECONDS ends the process,
 * because MPI may be waiting for a rank that is gone.
 *
 * These were tried on MPICH 4.0.2 and are no faster: UCX_TLS of shared memory with and without cma,
 * MPIR_CVAR_NOLOCAL, and MPI_Accumulate with MPI_REPLACE for the flag.
 */
#include "launched.h"
#include "mpi_rma.h"

#include <mpi.h>

#define STRIDE        64                              /* bytes between the words of 16 or 64 puts */
#define FLAG          RMA_MAX_NBYTES                  /* offset of a window's flag, before 8 bytes of data */
#define NBYTES        (RMA_MAX_NBYTES + (size_t)4096) /* of a window */
#define BATCH_SECONDS 60

static struct window {
	MPI_Win win;
	char *memory; /* of this rank */
	int is_ours;  /* the memory is malloc's */
} windows[RMA_NWINDOWS];
static char *local; /* what is put, or got */

/* ---- setup ---- */

static MPI_Info promises(void)
{
	static const char *const keys[][2] = {{"accumulate_ordering", "none"},
		{"accumulate_ops", "same_op_no_op"}, {"same_size", "true"}, {"same_disp_unit", "true"},
		{"alloc_shm", "true"}};
	MPI_Info info;

	MPI_Info_create(&info);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		MPI_Info_set(info, keys[i][0], keys[i][1]);
	return info;
}

static int is_plain(int kind)
{
	return kind == RMA_ALLOCATE || kind == RMA_CREATE || kind == RMA_UNLOCKED;
}

static void open_window(int kind, MPI_Info info)
{
	struct window *w = &windows[kind];

	switch (kind) {
	case RMA_ALLOCATE:
	case RMA_ALLOCATE_INFO:
	case RMA_UNLOCKED:
		MPI_Win_allocate(NBYTES, 1, info, MPI_COMM_WORLD, &w->memory, &w->win);
		break;
	case RMA_SHARED_INFO:
		MPI_Win_allocate_shared(NBYTES, 1, info, MPI_COMM_WORLD, &w->memory, &w->win);
		break;
	default:
		w->is_ours = 1;
		w->memory = aligned_alloc(4096, NBYTES);
		MPI_Win_create(w->memory, NBYTES, 1, info, MPI_COMM_WORLD, &w->win);
		break;
	}
	memset(w->memory + FLAG, 0, NBYTES - FLAG);
	if (kind != RMA_UNLOCKED)
		MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win);
}

static void close_window(int kind)
{
	struct window *w = &windows[kind];

	if (kind != RMA_UNLOCKED)
		MPI_Win_unlock_all(w->win);
	MPI_Win_free(&w->win);
	if (w->is_ours)
		free(w->memory);
}

/* ---- rank 0 works ---- */

static void put_flush(MPI_Win win, int nputs)
{
	for (int i = 0; i < nputs; i++)
		MPI_Put(local + i * STRIDE, (int)nbytes, MPI_BYTE, 1, i * STRIDE, (int)nbytes, MPI_BYTE, win);
	MPI_Win_flush(1, win);
}

static void get_flush(MPI_Win win)
{
	MPI_Get(local, (int)nbytes, MPI_BYTE, 1, 0, (int)nbytes, MPI_BYTE, win);
	MPI_Win_flush(1, win);
}

static void fetch_add_flush(MPI_Win win)
{
	const int64_t one = 1;
	int64_t old;

	MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 1, 0, MPI_SUM, win);
	MPI_Win_flush(1, win);
}

static void lock_put_unlock(MPI_Win win)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
	MPI_Put(local, (int)nbytes, MPI_BYTE, 1, 0, (int)nbytes, MPI_BYTE, win);
	MPI_Win_unlock(1, win);
}

static void accumulate_flush(MPI_Win win, MPI_Datatype type, MPI_Op op)
{
	const int nelems = (int)(nbytes / (type == MPI_INT ? 4 : 8));

	MPI_Accumulate(local, nelems, type, 1, 0, nelems, type, op, win);
	MPI_Win_flush(1, win);
}

static void copy(int is_to, int is_sweep)
{
	static size_t at;
	char *there, *here;

	at = is_sweep && at + 2 * nbytes <= RMA_MAX_NBYTES ? at + nbytes : 0;
	there = peers + at, here = mine + SEGMENT / 2 + at;
	memcpy(is_to ? there : here, is_to ? here : there, nbytes);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void work(int op, MPI_Win win)
{
	switch (op) {
	case RMA_PUT:
	case RMA_PUT16:
	case RMA_PUT64:
		put_flush(win, op == RMA_PUT ? 1 : op == RMA_PUT16 ? 16 : 64);
		break;
	case RMA_FETCH_ADD:
		fetch_add_flush(win);
		break;
	case RMA_GET:
		get_flush(win);
		break;
	case RMA_LOCK_PUT:
		lock_put_unlock(win);
		break;
	case RMA_ADD_DOUBLES:
		accumulate_flush(win, MPI_DOUBLE, MPI_SUM);
		break;
	case RMA_ADD_LONGS:
		accumulate_flush(win, MPI_LONG, MPI_SUM);
		break;
	case RMA_ADD_INTS:
		accumulate_flush(win, MPI_INT, MPI_SUM);
		break;
	case RMA_XOR_INTS:
		accumulate_flush(win, MPI_INT, MPI_BXOR);
		break;
	case RMA_MULTIPLY_DOUBLES:
		accumulate_flush(win, MPI_DOUBLE, MPI_PROD);
		break;
	default:
		copy(op == RMA_COPY_TO || op == RMA_SWEEP_TO, op == RMA_SWEEP_TO || op == RMA_SWEEP_FROM);
		break;
	}
}

/* ---- rank 1 ---- */

static void progress(void)
{
	int flag;

	MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Wait until rank 0 has done one more batch. */
static void stand_by(const unsigned long *ndone_p)
{
	static unsigned long ndone;

	for (ndone++; __atomic_load_n(ndone_p, __ATOMIC_ACQUIRE) < ndone;)
		progress();
}

/* ---- both work ---- */

static void send_flag(MPI_Win win, uint64_t i)
{
	uint64_t *out = (uint64_t *)(void *)(local + FLAG);

	out[0] = i, out[1] = i;
	MPI_Put(&out[1], 8, MPI_BYTE, 1 - rank, FLAG + 8, 8, MPI_BYTE, win);
	MPI_Win_flush(1 - rank, win);
	MPI_Put(out, 8, MPI_BYTE, 1 - rank, FLAG, 8, MPI_BYTE, win);
	MPI_Win_flush(1 - rank, win);
}

static void await_flag(const struct window *w, uint64_t i)
{
	const uint64_t *in = (const uint64_t *)(void *)(w->memory + FLAG);

	while (__atomic_load_n(in, __ATOMIC_ACQUIRE) != i)
		progress();
	MPI_Win_sync(w->win);
	if (in[1] != i) {
		fprintf(stderr, "mpi_rma: the flag has overtaken the data\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

static void bounce(const struct window *w)
{
	static uint64_t i; /* keeps its value from batch to batch and from window to window */

	for (const uint64_t end = i + reps; i < end;) {
		i++;
		if (rank == 0)
			send_flag(w->win, i);
		await_flag(w, i);
		if (rank != 0)
			send_flag(w->win, i);
	}
}

/* ---- questions ---- */

static void answer_questions(void)
{
	unsigned long *ndone_p = (unsigned long *)(void *)shared + 16; /* batches of rank 0 alone */

	while (raw_ask()) {
		const int op = variant / RMA_NWINDOWS;
		const struct window *w = &windows[variant % RMA_NWINDOWS];

		alarm(BATCH_SECONDS);
		if (op == RMA_BOUNCE) {
			bounce(w);
		} else if (rank == 0) {
			for (unsigned long i = 0; i < reps; i++)
				work(op, w->win);
			__atomic_fetch_add(ndone_p, 1, __ATOMIC_RELEASE);
		} else {
			stand_by(ndone_p);
		}
		alarm(0);
		raw_answer();
	}
}

int main(int argc, char **argv)
{
	MPI_Info info;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
	if (argc != 3 || nprocs != 2) {
		fprintf(stderr, "usage: mpirun -n 2 mpi_rma FILE SOCKET\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	launched_bind();
	launched_open(argv[0], argv[1]);
	info = promises();
	for (int kind = 0; kind < RMA_NWINDOWS; kind++)
		open_window(kind, is_plain(kind) ? MPI_INFO_NULL : info);
	local = aligned_alloc(4096, NBYTES);
	memset(local, 1, NBYTES);
	if (rank == 0) /* touch the pages of the sweep */
		memset(peers, 1, RMA_MAX_NBYTES), memset(mine + SEGMENT / 2, 1, RMA_MAX_NBYTES);
	if (launched_connect(argv[2]))
		MPI_Abort(MPI_COMM_WORLD, 1);
	answer_questions();
	for (int kind = 0; kind < RMA_NWINDOWS; kind++)
		close_window(kind);
	free(local);
	MPI_Info_free(&info);
	MPI_Finalize();
	return 0;
}
