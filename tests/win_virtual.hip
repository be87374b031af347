/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,4 */
/* rocm: no, HIP 5.2 has no virtual memory */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_CPU_DELIVERY=random:3 | GSHMEM_CPU_FAIL=hipMemImportFromShareableHandle:2@0,hipMemImportFromShareableHandle:30@1 */
/* timeout: 120 */
/*
 * Windows work over memory of hipMemCreate: in one piece and in several, from inside one piece to inside
 * another, beside PEs with memory of hipMalloc, and by several threads at a time. Free leaves nothing behind.
 * Operations on memory that a PE cannot map go over MPI. Memory without a descriptor to share, or beyond the
 * mapping, is an error on all PEs.
 */
#include <dirent.h>
#include <errno.h>
#include <hip/hip_runtime.h>
#include <thread>
#include "oracle.h"
#include "virtual.h"

#include <gshmemx_win.h>

enum { NELEMS = 3000, NTHREADS = 64 };

/*
 * Puts elements from 0 on to the next PE, adds 1 to the last element of all, and gets back what the PE has.
 */
__global__ void use_kernel(gshmemx_win_t win, const long *source, long *back, int next, int npes)
{
	const long one = 1;

	gshmemx_win_long_put_wg(win, 0, source, NELEMS, next);
	gshmemx_win_flush_wg(win, next);
	gshmemx_win_long_get_wg(win, back, 0, NELEMS, next);
	if (threadIdx.x == 0)
		for (int pe = 0; pe < npes; pe++)
			gshmemx_win_long_accumulate(win, NELEMS, &one, 1, GSHMEMX_SUM, pe);
	gshmemx_win_flush_all_wg(win);
}

static void use_window(gshmemx_win_t win, const long *base, bool has_kernel)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes,
		  previous = (me + npes - 1) % npes;
	static thread_local long seen[NELEMS + 1];
	const long one = 1;
	long *source, *back;

	t_hip(hipHostMalloc((void **)&source, NELEMS * sizeof *source));
	t_hip(hipHostMalloc((void **)&back, NELEMS * sizeof *back));
	for (int i = 0; i < NELEMS; i++)
		source[i] = 10000 * me + i;
	t_equal(gshmemx_win_fence(win, 0), 0, "fence");
	if (has_kernel) {
		t_launch(use_kernel, 1, NTHREADS, win, (const long *)source, back, next, npes);
	} else {
		t_equal(gshmemx_win_long_put(win, 0, source, NELEMS, next), 0, "put");
		t_equal(gshmemx_win_flush(win, next), 0, "flush");
		t_equal(gshmemx_win_long_get(win, back, 0, NELEMS, next), 0, "get");
		for (int pe = 0; pe < npes; pe++)
			t_equal(gshmemx_win_long_accumulate(win, NELEMS, &one, 1, GSHMEMX_SUM, pe), 0,
				"accumulate");
	}
	t_equal(gshmemx_win_fence(win, GSHMEMX_MODE_NOSUCCEED), 0, "fence");
	t_hip(hipMemcpy(seen, base, sizeof seen, hipMemcpyDefault));
	for (int i = 0; i < NELEMS; i++) {
		t_equal(seen[i], 10000 * previous + i, "put");
		t_equal(back[i], 10000 * me + i, "get");
	}
	t_equal(seen[NELEMS], npes, "accumulate");
	t_hip(hipHostFree(back));
	t_hip(hipHostFree(source));
}

static bool is_carried(void)
{
	return getenv("GSHMEM_CARRY") || getenv("GSHMEM_CPU_FAIL") || getenv("GSHMEM_PES_PER_NODE") ||
		getenv("NODES");
}

/* The window begins within a piece, at another place on each PE, and ends within the last one. */
static void test_pieces(gshmem_team_t team, size_t npieces, bool is_plain, bool has_kernel)
{
	struct t_virtual v = t_virtual_make(npieces, hipMemHandleTypePosixFileDescriptor);
	const int me = gshmem_my_pe();
	const size_t begin = (npieces > 1 ? v.piece_nbytes[0] : 40000) - 8 * (100 + (size_t)me);
	const size_t nbytes = v.nbytes - begin - 24;
	char *base = v.base + begin;
	gshmemx_win_t win;

	if (is_plain)
		t_hip(hipMalloc((void **)&base, nbytes));
	t_memset(base, 0, (NELEMS + 1) * 8);
	t_equal(gshmemx_win_create(team, base, nbytes, 8, &win), 0, "create");
	use_window(win, (const long *)base, has_kernel);
	for (int pe = 0; pe < gshmem_n_pes(); pe++)
		t_check(is_carried() || gshmemx_win_ptr(win, pe), "ptr of PE %d is NULL", pe);
	t_equal(gshmemx_win_free(&win), 0, "free");
	if (is_plain)
		t_hip(hipFree(base));
	t_virtual_free(&v);
}

/* Open files of this process. */
static int count_files(void)
{
	DIR *files = opendir("/proc/self/fd");
	int n = 0;

	t_check(files, "/proc/self/fd");
	while (readdir(files))
		n++;
	closedir(files);
	return n;
}

/* Those of memory that can be shared: threads come and go with others. */
static int count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	t_check(maps, "/proc/self/maps");
	while (fgets(line, sizeof line, maps))
		n += strstr(line, "/memfd:") || strstr(line, "/dev/");
	fclose(maps);
	return n;
}

static void test_many(gshmem_team_t team)
{
	for (int i = 0; i < 20; i++)
		test_pieces(team, 1 + (size_t)i % 4, false, false);
}

static void test_threads(void)
{
	gshmem_team_t teams[2];

	for (int i = 0; i < 2; i++)
		gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, gshmem_n_pes(), NULL, 0, &teams[i]);
	std::thread other(test_many, teams[0]);
	test_many(teams[1]);
	other.join();
	for (int i = 0; i < 2; i++)
		gshmem_team_destroy(teams[i]);
}

/* Only PE 0 is wrong. */
static void test_refused(void)
{
	const bool is_odd = gshmem_my_pe() == 0;
	struct t_virtual v = t_virtual_make(2, hipMemHandleTypePosixFileDescriptor),
			 closed = t_virtual_make(2, hipMemHandleTypeNone);
	gshmemx_win_t win;

	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, is_odd ? closed.base + 64 : v.base, 4096, 1, &win),
		-ENOTSUP, "create over memory without a descriptor");
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, v.base, is_odd ? v.nbytes + 1 : v.nbytes, 1, &win),
		-EINVAL, "create beyond what is mapped");
	t_virtual_free(&closed);
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, v.base, v.nbytes, 1, &win), 0, "create");
	if (is_odd)
		t_virtual_free(&v);
	t_equal(gshmemx_win_free(&win), -EFAULT, "free when the memory of PE 0 is gone");
	if (!is_odd)
		t_virtual_free(&v);
}

int main(void)
{
	int nfiles, nmappings;

	t_virtual_needed();
	if (getenv("GSHMEM_CPU_FAIL") && !GSHMEMI_ARCH_HOST_DIRECT)
		setenv("GSHMEM_NET", "1", 1); /* it cannot start when a window turns out to be unmapped */
	gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL);
	for (int i = 0; i < 2; i++) {
		test_pieces(GSHMEM_TEAM_WORLD, 1, false, i);
		test_pieces(GSHMEM_TEAM_WORLD, 3, false, i);
		test_pieces(GSHMEM_TEAM_WORLD, T_MOST_PIECES, false, i);
		test_pieces(GSHMEM_TEAM_WORLD, 3, gshmem_my_pe() == 1, i);
	}
	nfiles = count_files();
	nmappings = count_mappings();
	test_many(GSHMEM_TEAM_WORLD);
	t_equal(count_files(), nfiles, "files after windows have come and gone");
	t_check(count_mappings() < nmappings + 20, "%d mappings after windows have come and gone, %d before",
		count_mappings(), nmappings);
	test_threads();
	test_refused();
	gshmem_finalize();
	return 0;
}
