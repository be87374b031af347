/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CARRY=all GSHMEM_HEAP_SIZE=4m GSHMEM_CPU_BLOCKS=2 */
/* platform: cpu */
/* carry: no, it says who is carried */
/* net: no, likewise */
/* nodes: no, it needs memory that both PEs map */
/*
 * What quiet completes has arrived, whatever other threads do meanwhile. Two blocks and the host put and
 * complete, so that GSHMEMI_WHY_ASKED is set and cleared all the time. After each quiet they announce it in
 * memory that PE 1 maps, too, and PE 1 checks that it is true.
 */
#include <hip/hip_runtime.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <mpi.h>
#include "oracle.h"

enum { NPUTS = 4000, NBLOCKS = 2, NPUTTERS = NBLOCKS + 1 };

struct told {
	long npassed[NPUTTERS]; /* puts that a quiet has completed */
	long pad[8];
};

static __host__ __device__ void put(long *dest, long *npassed)
{
	for (long i = 1; i <= NPUTS; i++) {
		gshmem_long_p(dest, i, 1);
		gshmem_quiet();
		gshmemi_arch_store(npassed, (uint64_t)i, 8);
	}
}

static __global__ void kernel(long *dest, struct told *told)
{
	put(dest + blockIdx.x, &told->npassed[blockIdx.x]);
}

/* Memory of both PEs, which are on one machine. */
static struct told *map_told(int me)
{
	char name[64] = "";
	void *at;
	int fd;

	if (me == 0) {
		snprintf(name, sizeof name, "/dev/shm/gshmem-net_quiet-%d", (int)getpid());
		fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
		t_check(fd >= 0 && ftruncate(fd, sizeof(struct told)) == 0, "%s", name);
		close(fd);
	}
	MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
	fd = open(name, O_RDWR);
	t_check(fd >= 0, "%s", name);
	at = mmap(NULL, sizeof(struct told), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	t_check(at != MAP_FAILED, "mmap");
	close(fd);
	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 0)
		unlink(name);
	return (struct told *)at;
}

/* On PE 1: check that no more was announced than has arrived. */
static void watch(const long *dest, const struct told *told)
{
	long passed, there, nleft;
	unsigned polls = 0;

	do {
		nleft = 0;
		for (int who = 0; who < NPUTTERS; who++) {
			passed = (long)gshmemi_arch_load(&told->npassed[who], 8);
			gshmemi_arch_fence_acquire();
			there = (long)gshmemi_arch_load(&dest[who], 8);
			t_check(there >= passed, "quiet of %s returned after put %ld, but only %ld are there",
				who < NBLOCKS ? "a kernel" : "the host", passed, there);
			nleft += NPUTS - passed;
		}
		gshmemi_arch_pause(&polls);
	} while (nleft);
}

int main(void)
{
	struct told *told;
	long *dest;

	if (!GSHMEMI_ARCH_HOST_DIRECT)
		t_skip("the CPU does not reach the heap");
	gshmem_init();
	dest = (long *)gshmem_calloc(NPUTTERS, sizeof *dest);
	told = map_told(gshmem_my_pe());
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0) {
		hipLaunchKernelGGL(kernel, dim3(NBLOCKS), dim3(1), 0, 0, dest, told);
		t_hip(hipGetLastError());
		put(dest + NBLOCKS, &told->npassed[NBLOCKS]);
		t_hip(hipDeviceSynchronize());
	} else {
		watch(dest, told);
	}
	gshmem_barrier_all();
	t_check(munmap(told, sizeof *told) == 0, "munmap");
	gshmem_finalize();
	return 0;
}
