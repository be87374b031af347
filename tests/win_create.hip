/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,3,4 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CPU_DELIVERY=random:3 */
/* timeout: 120 */
/*
 * Windows can be made over each kind of memory, over teams that overlap and come and go, and by several
 * threads at a time. Arguments that differ between PEs and invalid memory are errors on all PEs.
 */
#include <errno.h>
#include <hip/hip_runtime.h>
#include <pthread.h>
#include <thread>
#include "oracle.h"

#include <gshmemx_win.h>

enum { NELEMS = 40 };

/* Each PE puts to the next PE of the window, from the host and from a kernel, and adds to all. */
__global__ void put_kernel(gshmemx_win_t win, const long *source, int pe)
{
	gshmemx_win_long_put_wg(win, NELEMS, source, NELEMS, pe);
	gshmemx_win_flush_wg(win, pe);
}

static void use_window(gshmemx_win_t win, long *base, int me, int npes, bool has_kernel)
{
	const int next = (me + 1) % npes, previous = (me + npes - 1) % npes;
	static thread_local long seen[2 * NELEMS + 1];
	const long one = 1;
	long *source;

	t_hip(hipHostMalloc((void **)&source, NELEMS * sizeof *source));
	for (int i = 0; i < NELEMS; i++)
		source[i] = 1000 * me + i;
	t_equal(gshmemx_win_fence(win, 0), 0, "fence");
	t_equal(gshmemx_win_long_put(win, 0, source, NELEMS, next), 0, "put");
	if (has_kernel)
		t_launch(put_kernel, 1, 32, win, (const long *)source, next);
	else
		t_equal(gshmemx_win_long_put(win, NELEMS, source, NELEMS, next), 0, "put");
	for (int pe = 0; pe < npes; pe++)
		t_equal(gshmemx_win_long_accumulate(win, 2 * NELEMS, &one, 1, GSHMEMX_SUM, pe), 0,
			"accumulate");
	t_equal(gshmemx_win_fence(win, GSHMEMX_MODE_NOSUCCEED), 0, "fence");
	t_hip(hipMemcpy(seen, base, sizeof seen, hipMemcpyDefault));
	for (int i = 0; i < 2 * NELEMS; i++)
		t_equal(seen[i], 1000 * previous + i % NELEMS, "put");
	t_equal(seen[2 * NELEMS], npes, "accumulate");
	t_hip(hipHostFree(source));
}

/* Memory of each kind, and the call that frees it. */
enum memory { DEVICE, INSIDE, PINNED, REGISTERED, HEAP, ALLOCATED, PLAIN, NMEMORIES };
static const char *const memory_names[] = {
	"hipMalloc", "inside an allocation", "pinned", "registered", "the heap", "win_allocate", "malloc"};

static void test_memory(int kind)
{
	const size_t nbytes = (2 * NELEMS + 1) * sizeof(long);
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	char *memory = NULL, *base;
	gshmemx_win_t win;
	int rc;

	if (kind == PINNED)
		t_hip(hipHostMalloc((void **)&memory, nbytes));
	else if (kind == HEAP)
		memory = (char *)t_shmalloc(nbytes);
	else if (kind == PLAIN || kind == REGISTERED)
		memory = (char *)t_alloc(nbytes + 1000);
	else if (kind != ALLOCATED)
		t_hip(hipMalloc((void **)&memory, nbytes + 1000));
	base = memory + (kind == INSIDE ? 8 * (me + 3) : 0);
	if (kind == REGISTERED)
		t_hip(hipHostRegister(memory, nbytes, hipHostRegisterDefault));
	if (kind == ALLOCATED)
		rc = gshmemx_win_allocate(GSHMEM_TEAM_WORLD, nbytes, 8, (void **)&base, &win);
	else
		rc = gshmemx_win_create(GSHMEM_TEAM_WORLD, base, nbytes, 8, &win);
	t_equal(rc, 0, memory_names[kind]);
	t_memset(base, 0, nbytes);
	gshmem_barrier_all();
	use_window(win, (long *)base, me, npes, true);
	for (int pe = 0; pe < npes; pe++)
		t_check(kind == PINNED || kind == REGISTERED || kind == PLAIN || getenv("GSHMEM_CARRY") ||
				getenv("GSHMEM_PES_PER_NODE") || getenv("NODES") || gshmemx_win_ptr(win, pe),
			"%s: ptr of PE %d is NULL", memory_names[kind], pe);
	t_equal(gshmemx_win_free(&win), 0, memory_names[kind]);
	if (kind == REGISTERED)
		t_hip(hipHostUnregister(memory));
	if (kind == PINNED)
		t_hip(hipHostFree(memory));
	else if (kind == HEAP)
		gshmem_free(memory);
	else if (kind == PLAIN || kind == REGISTERED)
		free(memory);
	else if (memory)
		t_hip(hipFree(memory));
}

/* Whether it holds on all PEs. */
static bool is_on_all(bool holds)
{
	uint64_t *nwithout = (uint64_t *)gshmem_calloc(1, sizeof *nwithout);
	bool is_all;

	t_check(nwithout, "gshmem_calloc");
	gshmem_uint64_atomic_add(nwithout, !holds, 0);
	gshmem_barrier_all();
	is_all = !gshmem_uint64_g(nwithout, 0);
	gshmem_free(nwithout);
	return is_all;
}

/* A window whose parts are each in the memory of the next PE; a GPU's memory must be shared by its owner. */
static void test_foreign(void)
{
	const size_t nbytes = (2 * NELEMS + 1) * sizeof(long);
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	long *base, *mapped;
	gshmemx_win_t all, win;
	int rc;

	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, nbytes, 8, (void **)&base, &all), 0, "allocate");
	mapped = (long *)gshmemx_win_ptr(all, (me + 1) % npes);
	if (!is_on_all(mapped != NULL))
		mapped = base;
	rc = gshmemx_win_create(GSHMEM_TEAM_WORLD, mapped, nbytes, 8, &win);
	if (GSHMEMI_ARCH_HOST_DIRECT || mapped == base) {
		t_equal(rc, 0, "a window over memory of another PE");
		t_memset(mapped, 0, nbytes);
		gshmem_barrier_all();
		use_window(win, mapped, me, npes, true);
		t_equal(gshmemx_win_free(&win), 0, "free");
	} else {
		/* -EINVAL if that PE uses another device */
		t_check(rc == -ENOTSUP || rc == -EINVAL, "a window over memory of another process's GPU: %d",
			rc);
	}
	t_equal(gshmemx_win_free(&all), 0, "free");
}

/* Windows of overlapping teams at the same time; a team may be destroyed before its window. */
static void test_teams(void)
{
	const int npes = gshmem_n_pes(), me = gshmem_my_pe();
	gshmem_team_t low, high, mine[2];
	gshmemx_win_t wins[2], world;
	long *bases[2], *base;
	int n = 0;

	if (npes < 3)
		return;
	gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, npes - 1, NULL, 0, &low);
	gshmem_team_split_strided(GSHMEM_TEAM_WORLD, npes - 1, -1, npes - 1, NULL, 0, &high);
	if (low != GSHMEM_TEAM_INVALID)
		mine[n++] = low;
	if (high != GSHMEM_TEAM_INVALID)
		mine[n++] = high;
	for (int i = 0; i < n; i++) {
		t_equal(gshmemx_win_allocate(
				mine[i], (2 * NELEMS + 1 + (size_t)me) * 8, 8, (void **)&bases[i], &wins[i]),
			0, "a team's window");
		t_memset(bases[i], 0, (2 * NELEMS + 1) * 8);
		gshmem_team_sync(mine[i]);
	}
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, (2 * NELEMS + 1) * 8, 8, (void **)&base, &world), 0,
		"the world's window");
	t_memset(base, 0, (2 * NELEMS + 1) * 8);
	gshmem_barrier_all();
	for (int i = 0; i < n; i++)
		use_window(wins[i], bases[i], gshmem_team_my_pe(mine[i]), gshmem_team_n_pes(mine[i]), true);
	use_window(world, base, me, npes, true);
	for (int i = 0; i < n; i++) {
		t_check(gshmemx_win_team(wins[i]) == mine[i], "the team of window %d", i);
		gshmem_team_destroy(mine[i]);
		t_check(gshmemx_win_team(wins[i]) == GSHMEM_TEAM_INVALID, "a window's team that is gone");
	}
	for (int i = 0; i < n; i++) {
		t_equal(gshmemx_win_lock_all(wins[i], 0), 0, "lock_all when the team is gone");
		t_equal(gshmemx_win_unlock_all(wins[i]), 0, "unlock_all when the team is gone");
		t_equal(gshmemx_win_free(&wins[i]), 0, "free when the team is gone");
	}
	t_equal(gshmemx_win_free(&world), 0, "free");
}

/*
 * Two threads of each PE make windows over their own teams at the same time. They meet before, so that both
 * find the same place free.
 */
static pthread_barrier_t both;

static void make_many(gshmem_team_t team)
{
	enum { NTIMES = 100 };
	gshmemx_win_t win;
	long *base;

	for (int i = 0; i < NTIMES; i++) {
		pthread_barrier_wait(&both);
		t_equal(gshmemx_win_allocate(team, (2 * NELEMS + 1) * 8, 8, (void **)&base, &win), 0,
			"a thread's window");
		t_memset(base, 0, (2 * NELEMS + 1) * 8);
		gshmem_team_sync(team);
		use_window(win, base, gshmem_team_my_pe(team), gshmem_team_n_pes(team), false);
		t_equal(gshmemx_win_free(&win), 0, "free");
	}
}

static void test_threads(void)
{
	gshmem_team_t teams[2];

	for (int i = 0; i < 2; i++)
		gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, gshmem_n_pes(), NULL, 0, &teams[i]);
	pthread_barrier_init(&both, NULL, 2);
	std::thread other(make_many, teams[0]);
	make_many(teams[1]);
	other.join();
	pthread_barrier_destroy(&both);
	for (int i = 0; i < 2; i++)
		gshmem_team_destroy(teams[i]);
}

/* Only PE 0 is wrong, or passes something else than the others. */
static void test_bad_input(void)
{
	const bool is_odd = gshmem_my_pe() == 0, is_alone = gshmem_n_pes() == 1;
	long *memory, *managed;
	gshmemx_win_t win;
	void *base;

	t_hip(hipMalloc((void **)&memory, 4096));
	t_hip(hipMallocManaged((void **)&managed, 4096, hipMemAttachGlobal));
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, is_odd ? managed : memory, 4096, 1, &win), -ENOTSUP,
		"create over managed memory");
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, is_odd ? 8192 : 4096, 1, &win), -EINVAL,
		"create beyond the allocation");
	t_equal(gshmemx_win_create_with_hints(
			GSHMEM_TEAM_WORLD, memory, 64, is_odd ? 8 : 1, GSHMEMX_WIN_SAME_DISP_UNIT, &win),
		is_alone ? 0 : -EINVAL, "create with the same unit");
	if (is_alone)
		t_equal(gshmemx_win_free(&win), 0, "free");
	t_equal(gshmemx_win_create_with_hints(
			GSHMEM_TEAM_WORLD, memory, 64, 1, is_odd ? GSHMEMX_WIN_NO_LOCKS : 0, &win),
		is_alone ? 0 : -EINVAL, "create with different hints");
	if (is_alone)
		t_equal(gshmemx_win_free(&win), 0, "free");
	if (!is_alone && is_odd)
		t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 64, 1, &win), -EINVAL,
			"create where others allocate");
	else if (!is_alone)
		t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, 64, 1, &base, &win), -EINVAL,
			"allocate where PE 0 creates");
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, NULL, 0, 1, &win), 0, "create over nothing");
	t_equal(gshmemx_win_fence(win, 0), 0, "fence");
	t_equal(gshmemx_win_putmem(win, 0, memory, 1, 0), -ERANGE, "put to nothing");
	t_equal(gshmemx_win_putmem(win, 0, memory, 0, 0), 0, "put of nothing");
	t_equal(gshmemx_win_fence(win, GSHMEMX_MODE_NOSUCCEED), 0, "fence");
	if (is_odd)
		t_equal(gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, 0, 0), 0, "lock");
	t_equal(gshmemx_win_free(&win), -EBUSY, "free while PE 0 has a lock");
	if (is_odd)
		t_equal(gshmemx_win_unlock(win, 0), 0, "unlock");
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 4096, 1, &win), 0, "create");
	t_hip(hipFree(managed));
	if (is_odd)
		t_hip(hipFree(memory));
	t_equal(gshmemx_win_free(&win), -EFAULT, "free when the memory of PE 0 is gone");
	t_equal(win, GSHMEMX_WIN_NULL, "the handle");
	if (!is_odd)
		t_hip(hipFree(memory));
}

int main(void)
{
	gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL);
	for (int kind = 0; kind < NMEMORIES; kind++)
		if (GSHMEMI_ARCH_HOST_DIRECT || (kind != PINNED && kind != REGISTERED && kind != PLAIN))
			test_memory(kind);
	test_foreign();
	test_teams();
	test_threads();
	test_bad_input();
	gshmem_finalize();
	return 0;
}
