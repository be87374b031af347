/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,3 */
/* env: GSHMEM_HEAP_SIZE=1m */
/* timeout: 120 */
/*
 * Windows over MPI's windows: each sees what the other has put, over memory of HIP and of MPI, with all
 * processes and with some, in any order. A dynamic MPI window is refused, and registered memory that kernels
 * see elsewhere. A communicator's team has its processes.
 */
#include <errno.h>
#include <string.h>
#include <gshmem.h>
#include <gshmemx_mpi.h>
#include <hip/hip_runtime_api.h>

#include "finalize_mpi.h"
#include "helpers.h"

enum { NELEMS = 20, MOST_PES = 8 };

/* Whether the CPU, and so MPI, reaches memory of hipMalloc. */
static int reaches_devices(void)
{
#ifdef __HIP_PLATFORM_CPU__
	return !getenv("GSHMEM_CPU_HOST_ACCESS");
#else
	return 0;
#endif
}

/* Whether kernels see registered memory where the CPU does, as a window needs. */
static int is_in_place(void *memory)
{
	void *device;

	t_hip(hipHostGetDevicePointer(&device, memory, 0));
	return device == memory;
}

/* Each process of comm puts to the next one, first with gshmem, then with MPI; both check what came. */
static void use(MPI_Comm comm, MPI_Win mpi_win, long *base)
{
	long source[NELEMS], got[NELEMS];
	int me, npes, next, previous, i;
	gshmemx_win_t win;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &npes);
	next = (me + 1) % npes;
	previous = (me + npes - 1) % npes;
	for (i = 0; i < NELEMS; i++)
		source[i] = 100 * me + i;
	t_equal(gshmemx_win_from_mpi(mpi_win, &win), 0, "from_mpi");
	t_equal(gshmemx_win_disp_unit(win, next), sizeof(long), "disp_unit");
	t_equal(gshmemx_win_nbytes(win, next), 2 * NELEMS * sizeof(long), "nbytes");
	t_equal(gshmemx_win_fence(win, 0), 0, "fence");
	t_equal(gshmemx_win_long_put(win, 0, source, NELEMS, next), 0, "put");
	t_equal(gshmemx_win_fence(win, GSHMEMX_MODE_NOSUCCEED), 0, "fence");
	MPI_Win_fence(0, mpi_win);
	MPI_Get(got, NELEMS, MPI_LONG, me, 0, NELEMS, MPI_LONG, mpi_win);
	MPI_Put(source, NELEMS, MPI_LONG, next, NELEMS, NELEMS, MPI_LONG, mpi_win);
	MPI_Win_fence(0, mpi_win);
	for (i = 0; i < NELEMS; i++) {
		t_equal(got[i], 100 * previous + i, "what gshmem has put, by MPI");
		t_equal(base[NELEMS + i], 100 * previous + i, "what MPI has put");
	}
	t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, next, 0), 0, "lock");
	t_equal(gshmemx_win_long_get(win, got, NELEMS, NELEMS, next), 0, "get");
	t_equal(gshmemx_win_unlock(win, next), 0, "unlock");
	for (i = 0; i < NELEMS; i++)
		t_equal(got[i], 100 * me + i, "what MPI has put, by gshmem");
	t_equal(gshmemx_win_free(&win), 0, "free");
}

static void test_memory(MPI_Comm comm)
{
	const MPI_Aint nbytes = 2 * NELEMS * (MPI_Aint)sizeof(long);
	gshmemx_win_t none;
	long *memory;
	MPI_Win win;

	if (reaches_devices()) {
		t_hip(hipMalloc((void **)&memory, (size_t)nbytes));
		MPI_Win_create(memory, nbytes, sizeof(long), MPI_INFO_NULL, comm, &win);
		use(comm, win, memory);
		MPI_Win_free(&win);
		t_hip(hipFree(memory));
	}
	MPI_Win_allocate(nbytes, sizeof(long), MPI_INFO_NULL, comm, &memory, &win);
	if (!reaches_devices())
		t_hip(hipHostRegister(memory, (size_t)nbytes, hipHostRegisterDefault));
	if (reaches_devices() || is_in_place(memory))
		use(comm, win, memory);
	else
		t_equal(gshmemx_win_from_mpi(win, &none), -ENOTSUP, "from_mpi of memory that is elsewhere");
	if (!reaches_devices())
		t_hip(hipHostUnregister(memory));
	MPI_Win_free(&win);
}

/* The team of a communicator has its processes, in the order of their ranks. */
static void test_team(MPI_Comm comm, const int *pes)
{
	gshmem_team_t team, other;
	MPI_Comm copy;
	int rank, npes, i;
	long sum;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &npes);
	MPI_Comm_dup(comm, &copy);
	t_equal(gshmemx_team_from_mpi(comm, NULL, 0, &team), 0, "team_from_mpi");
	t_equal(gshmemx_team_from_mpi(copy, NULL, 0, &other), 0, "team_from_mpi of a copy");
	MPI_Comm_free(&copy);
	t_equal(gshmem_team_my_pe(team), rank, "number in the team");
	t_equal(gshmem_team_n_pes(team), npes, "size of the team");
	for (i = 0; i < npes; i++)
		t_equal(gshmem_team_translate_pe(team, i, GSHMEM_TEAM_WORLD), pes[i], "member");
	t_equal(gshmem_team_sync(other), 0, "the copy's barrier");
	t_equal(gshmem_team_sync(team), 0, "barrier");
	sum = 0;
	for (i = 0; i < npes; i++)
		sum += gshmem_team_translate_pe(other, i, team);
	t_equal(sum, npes * (npes - 1) / 2, "members of the copy");
	gshmem_team_destroy(team);
	gshmem_team_destroy(other);
	t_equal(gshmemx_team_from_mpi(MPI_COMM_NULL, NULL, 0, &team), -EINVAL, "team of MPI_COMM_NULL");
	t_check(team == GSHMEM_TEAM_INVALID, "no team of MPI_COMM_NULL");
}

/* Communicators in orders that are no stride, and one without all PEs. */
static void test_orders(void)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), leaves_out = npes > 2 && me == 1;
	int pes[MOST_PES] = {0}, i, n;
	MPI_Comm comm;

	t_check(npes <= MOST_PES, "at most %d PEs", MOST_PES);
	for (i = 0; i < npes; i++)
		pes[i] = (i + 1) % npes;
	MPI_Comm_split(MPI_COMM_WORLD, 0, (me + npes - 1) % npes, &comm);
	test_team(comm, pes);
	if (reaches_devices())
		test_memory(comm);
	MPI_Comm_free(&comm);
	MPI_Comm_split(MPI_COMM_WORLD, leaves_out ? MPI_UNDEFINED : 0, -me, &comm);
	if (leaves_out)
		return;
	for (i = npes - 1, n = 0; i >= 0; i--)
		if (npes <= 2 || i != 1)
			pes[n++] = i;
	test_team(comm, pes);
	if (reaches_devices())
		test_memory(comm);
	MPI_Comm_free(&comm);
}

int main(void)
{
	gshmemx_win_t none;
	MPI_Comm odd;
	MPI_Win win;
	int level;

	if (!reaches_devices()) /* as a GPU does, which needs more for memory of the host */
		setenv("GSHMEM_NET", "1", 1);
	/* Open MPI 4.1 makes no window by MPI_Win_create for one process without UCX */
	setenv("OMPI_MCA_osc", "ucx", 0);
	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	gshmem_init();
	test_memory(MPI_COMM_WORLD);
	MPI_Comm_split(MPI_COMM_WORLD, gshmem_my_pe() % 2, gshmem_my_pe(), &odd);
	if (reaches_devices()) /* where windows take all PEs of a device */
		test_memory(odd);
	test_orders();
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	t_equal(gshmemx_win_from_mpi(win, &none), -ENOTSUP, "from_mpi of a dynamic window");
	MPI_Win_free(&win);
	MPI_Comm_free(&odd);
	gshmem_finalize();
	t_finalize_mpi();
	return 0;
}
