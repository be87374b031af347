/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its jobs say which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 120 */
/*
 * Bulk from memory that the CPU cannot reach: with GSHMEM_MPI_GPU=1, or if MPI says that it accepts such
 * memory, MPI sends from there; otherwise the data is copied to landings first. MPI never receives there. If
 * the CPU reaches the memory nothing is copied, whatever the variable says.
 *
 * This program plays an MPI that accepts such memory: it copies what is sent from there with its own stream.
 * T_QUERY is its answer to MPICH's MPIX_Query_hip_support.
 */
#include <hip/hip_runtime.h>
#include <mpi.h>
#include <gshmem.h>

#include "job.h"

#define MIB          (1 << 20)
#define SIGNAL_BYTES 300000
#define CHUNKS(n)    (((n) + 131071) / 131072) /* GSHMEMI_NET_CHUNK_NBYTES through landings */

static int nsent, nreceived; /* from and to memory of the device */

static bool is_of_device(const void *memory)
{
	hipPointerAttribute_t attributes;
	const bool is_it = hipPointerGetAttributes(&attributes, memory) == hipSuccess &&
		attributes.type == hipMemoryTypeDevice;

	(void)hipGetLastError();
	return is_it && !GSHMEMI_ARCH_HOST_DIRECT;
}

extern "C" int MPIX_Query_hip_support(void)
{
	return getenv("T_QUERY") != NULL;
}

/* The copy is never freed: the transfer may need it. */
extern "C" int MPI_Isend(
	const void *memory, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request)
{
	static hipStream_t stream;
	void *copy = NULL;

	if (n && is_of_device(memory)) {
		copy = malloc((size_t)n);
		if (!stream)
			t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
		t_hip(hipMemcpyAsync(copy, memory, (size_t)n, hipMemcpyDefault, stream));
		t_hip(hipStreamSynchronize(stream));
		nsent++;
	}
	return PMPI_Isend(copy ? copy : memory, n, type, rank, tag, comm, request);
}

extern "C" int MPI_Irecv(
	void *memory, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request)
{
	nreceived += is_of_device(memory);
	return PMPI_Irecv(memory, n, type, rank, tag, comm, request);
}

struct shared {
	uint64_t signal, nwrong;
	char source[MIB], by_kernel[MIB], with_signal[SIGNAL_BYTES], got[MIB], by_host[MIB], blocks[4][6000];
};

__host__ __device__ static char byte(int pe, size_t i)
{
	return (char)(i * 7 + i / 256 + (size_t)pe * 31);
}

__global__ static void fill_kernel(struct shared *s, int me)
{
	for (size_t i = 0; i < MIB; i++)
		s->source[i] = byte(me, i);
}

__global__ static void exchange_kernel(struct shared *s, int other)
{
	gshmem_putmem(s->by_kernel, s->source, MIB, other);
	gshmem_putmem_signal(
		s->with_signal, s->source, SIGNAL_BYTES, &s->signal, 1, GSHMEM_SIGNAL_SET, other);
	gshmem_char_ibput(s->blocks[0], s->source, 6000, 10000, 6000, 4, other);
	/* what was put before it has arrived, too: no quiet */
	gshmem_signal_wait_until(&s->signal, GSHMEM_CMP_EQ, 1);
	for (size_t i = 0; i < SIGNAL_BYTES; i++)
		s->nwrong += s->with_signal[i] != byte(other, i);
	gshmem_getmem(s->got, s->source, MIB, other);
	gshmem_quiet();
}

static void check_bytes(const char *there, size_t nbytes, int pe, const char *what)
{
	char *here = (char *)malloc(nbytes);

	t_hip(hipMemcpy(here, there, nbytes, hipMemcpyDefault));
	for (size_t i = 0; i < nbytes; i++)
		t_equal(here[i], byte(pe, i), what);
	free(here);
}

static int pe_main(void)
{
	struct shared *s;
	int me, other;

	gshmem_init();
	me = gshmem_my_pe();
	other = 1 - me;
	s = (struct shared *)gshmem_calloc(1, sizeof *s);
	hipLaunchKernelGGL(fill_kernel, dim3(1), dim3(1), 0, 0, s, me);
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	hipLaunchKernelGGL(exchange_kernel, dim3(1), dim3(1), 0, 0, s, other);
	t_hip(hipDeviceSynchronize());
	gshmem_putmem_nbi(s->by_host, s->source, MIB, other);
	gshmem_barrier_all();
	check_bytes(s->by_kernel, MIB, other, "a kernel's put");
	check_bytes(s->by_host, MIB, other, "a host's put");
	check_bytes(s->got, MIB, other, "a get");
	for (int i = 0; i < 4; i++) {
		char block[6000];

		t_hip(hipMemcpy(block, s->blocks[i], sizeof block, hipMemcpyDefault));
		for (size_t k = 0; k < sizeof block; k++)
			t_equal(block[k], byte(other, (size_t)i * 10000 + k), "a block");
	}
	t_equal(gshmem_uint64_g(&s->nwrong, me), 0, "bytes that were not there when their signal was");
	gshmem_finalize();
	printf("PE %d: MPI has sent %d from the device, and received %d\n", me, nsent, nreceived);
	return 0;
}

/* is_sent: MPI sends from the memory. Counts are chunks per PE. */
static void expect(const char *env, bool is_sent)
{
	/*
	 * Chunks of a put, of one with a signal, of blocks, and of a get's owner; the host's separately,
	 * because it stages its own. Each put arrives in a landing.
	 */
	const int nputs = CHUNKS(MIB) + CHUNKS(SIGNAL_BYTES) + 4, nhost = CHUNKS(MIB), ngets = CHUNKS(MIB);
	const int nsending = GSHMEMI_ARCH_HOST_DIRECT ? 0 : is_sent ? nputs + nhost + ngets : 0;
	const int nstaged =
		GSHMEMI_ARCH_HOST_DIRECT ? 0 : nputs + nhost + ngets + (is_sent ? 0 : nputs + ngets);
	static struct t_job job;
	char text[128];

	t_job_run(&job, 2, env, "", "pe", 60);
	t_check(job.status == 0, "%s: exit status %d:\n%s", env, job.status, job.output);
	snprintf(text, sizeof text, "; %d chunks sent from device memory, %d staged\n", nsending, nstaged);
	t_check(t_job_count(&job, text) == 2, "%s: expected \"%s\":\n%s", env, text, job.output);
	snprintf(text, sizeof text, ": MPI has sent %d from the device, and received 0\n", nsending);
	t_check(t_job_count(&job, text) == 2, "%s: expected \"%s\":\n%s", env, text, job.output);
}

#define ALL "GSHMEM_CARRY=all GSHMEM_STATS=1 "

int main(int argc, char **argv)
{
	static struct t_job job;

	(void)argv;
	if (argc > 1)
		return pe_main();
	expect(ALL "GSHMEM_MPI_GPU=1", true);
	expect(ALL "GSHMEM_MPI_GPU=0 T_QUERY=1", false);
	expect(ALL "GSHMEM_MPI_GPU=auto", false);
#ifndef OPEN_MPI /* 4.1 has no such function, so the program's is not exported */
	expect(ALL "T_QUERY=1", true);
#endif
	t_job_run(&job, 2, "GSHMEM_MPI_GPU=yes", "", "pe", 20);
	t_job_failed(&job, "a bad value", "GSHMEM_MPI_GPU=yes: must be auto, 0 or 1", 1);
	return 0;
}
