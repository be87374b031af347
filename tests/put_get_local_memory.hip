/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 200 */
/* run: -n 2 */
/* env: GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_WAVE=64 GSHMEM_CHECK=1 */
/*
 * Kernels can put from and get into their private memory: a work-group's shared memory, static and
 * dynamic, and a thread's variables, even if only the run decides which of these it is. By a thread, a
 * wave and a work-group; blocking and _nbi; put_signal, iput, iget, and p and g of values in such memory.
 * Lengths and alignments vary.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#define NTHREADS 96
#define NBYTES   600 /* of a buffer */
#define GAP      16

enum { STATIC_SHARED, DYNAMIC_SHARED, OWN, GLOBAL, NPLACES };
static const char *const place_names[] = {
	"static shared memory", "dynamic shared memory", "a variable of the thread", "global memory"};
enum { PUT, PUT_NBI, PUT_SIGNAL, IPUT, NPUTS, GET = NPUTS, GET_NBI, IGET, NOPS };
static const char *const op_names[] = {
	"putmem", "putmem_nbi", "put8_signal", "iput8", "getmem", "getmem_nbi", "iget8"};

template <int SCOPE>
static __device__ void call(int op, char *dest, const char *source, size_t nbytes, uint64_t *sig, int pe)
{
#define CALLS(X, S) \
	switch (op) { \
	case PUT: \
		X \
		##_putmem##S(dest, source, nbytes, pe); \
		break; \
	case PUT_NBI: \
		X \
		##_putmem_nbi##S(dest, source, nbytes, pe); \
		break; \
	case PUT_SIGNAL: \
		X \
		##_put8_signal##S(dest, source, nbytes, sig, nbytes, GSHMEM_SIGNAL_SET, pe); \
		break; \
	case IPUT: \
		X \
		##_iput8##S(dest, source, 1, 1, nbytes, pe); \
		break; \
	case GET: \
		X \
		##_getmem##S(dest, source, nbytes, pe); \
		break; \
	case GET_NBI: \
		X \
		##_getmem_nbi##S(dest, source, nbytes, pe); \
		break; \
	case IGET: \
		X \
		##_iget8##S(dest, source, 1, 1, nbytes, pe); \
		break; \
	}
	if (SCOPE == T_THREAD) {
		CALLS(gshmem, )
	} else if (SCOPE == T_WAVE) {
		CALLS(gshmemx, _wave)
	} else {
		CALLS(gshmemx, _wg)
	}
#undef CALLS
}

/*
 * Move nbytes between remote + at of the peer and a buffer of that kind, at an offset. *nwrong counts wrong
 * bytes of the buffer after a get, including those beyond its ends; the host checks puts. Only SCOPE thread
 * uses a variable of the thread, because all threads of a group must pass one address.
 */
template <int SCOPE>
static __global__ void __launch_bounds__(NTHREADS) move(int op, int place, char *remote, char *global,
	size_t offset, size_t nbytes, unsigned seed, uint64_t *sig, int pe, unsigned *nwrong)
{
	__shared__ char shared[NBYTES];
	HIP_DYNAMIC_SHARED(char, dynamic)
	char own[NBYTES];
	char *const places[NPLACES] = {shared, dynamic, own, global};
	char *buffer = places[place];
	const unsigned width = SCOPE == T_WG ? NTHREADS : SCOPE == T_WAVE ? (unsigned)warpSize : 1;
	const bool takes_part = t_rank() < width, puts = op < NPUTS;

	for (unsigned i = place == OWN ? 0 : t_rank(); i < NBYTES; i += place == OWN ? 1 : NTHREADS)
		buffer[i] = (char)t_byte(seed, i);
	__syncthreads();
	if (takes_part) {
		if (puts)
			call<SCOPE>(op, remote + GAP, buffer + GAP + offset, nbytes, sig, pe);
		else
			call<SCOPE>(op, buffer + GAP + offset, remote + GAP, nbytes, sig, pe);
		if (SCOPE == T_WG)
			gshmemx_quiet_wg();
		else if (SCOPE == T_WAVE)
			gshmemx_quiet_wave();
		else
			gshmem_quiet();
	}
	__syncthreads();
	if (t_rank() == 0 && !puts)
		for (unsigned i = 0; i < NBYTES; i++) {
			bool inside = i >= GAP + offset && i < GAP + offset + nbytes;
			unsigned char expected = inside ? t_byte(seed + 1, i - offset) : t_byte(seed, i);

			*nwrong += (unsigned char)buffer[i] != expected;
		}
}

/* p of values that lie in shared memory and in a register, g into both. */
static __global__ void values(long *words, int pe, unsigned *nwrong)
{
	__shared__ long shared[NTHREADS];
	const unsigned i = t_rank();
	long own[2] = {1000 + (long)i, 0};

	shared[i] = 2000 + (long)i;
	gshmem_long_p(words + i, own[0], pe);
	gshmem_long_p(words + NTHREADS + i, shared[i], pe);
	gshmem_quiet();
	shared[i] = gshmem_long_g(words + i, pe);
	gshmem_long_get(&own[1], words + NTHREADS + i, 1, pe);
	if (shared[i] != 1000 + (long)i || own[1] != 2000 + (long)i)
		atomicAdd(nwrong, 1);
	gshmem_long_atomic_fetch_add_nbi(&own[1], words + i, 5, pe);
	gshmem_long_atomic_fetch_add_nbi(&shared[i], words + NTHREADS + i, 5, pe);
	gshmem_quiet();
	if (own[1] != 1000 + (long)i || shared[i] != 2000 + (long)i)
		atomicAdd(nwrong, 1);
}

static char *remote, *global;
static uint64_t *sig;
static unsigned *device_nwrong;

template <int SCOPE> static void check(int op, int place, size_t offset, size_t nbytes, unsigned seed)
{
	static unsigned char bytes[NBYTES], got[NBYTES];
	const int me = gshmem_my_pe(), pe = 1 - me;
	unsigned nwrong = 0, zero = 0;

	t_fill(bytes, NBYTES, seed + 1);
	t_to_device(remote, bytes, NBYTES);
	t_to_device(device_nwrong, &zero, sizeof zero);
	gshmem_barrier_all();
	hipLaunchKernelGGL(move<SCOPE>, dim3(1), dim3(NTHREADS), NBYTES, 0, op, place, remote, global, offset,
		nbytes, seed, sig, pe, device_nwrong);
	t_hip(hipGetLastError());
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	t_from_device(&nwrong, device_nwrong, sizeof nwrong);
	if (op < NPUTS) {
		t_from_device(got, remote, NBYTES);
		for (size_t i = 0; i < NBYTES; i++) {
			bool inside = i >= GAP && i < GAP + nbytes;

			nwrong += got[i] != (inside ? t_byte(seed, i + offset) : bytes[i]);
		}
		if (op == PUT_SIGNAL)
			t_equal(t_read_u64(sig), nbytes, "the signal");
	}
	t_check(!nwrong, "PE %d: %s by %s, %s, %zu bytes at offset %zu: %u bytes are wrong", me, op_names[op],
		t_scope_names[SCOPE], place_names[place], nbytes, offset, nwrong);
	gshmem_barrier_all();
}

int main()
{
	static const size_t lengths[] = {1, 3, 8, 16, 17, 64, 100, 255, 512};
	unsigned seed = 1, nwrong = 0;

	gshmem_init();
	remote = (char *)t_shmalloc(NBYTES);
	global = (char *)t_hipmalloc(NBYTES);
	sig = (uint64_t *)t_shmalloc(sizeof *sig);
	device_nwrong = (unsigned *)t_hipmalloc(sizeof *device_nwrong);
	for (int op = 0; op < NOPS; op++)
		for (int place = 0; place < NPLACES; place++)
			for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
				size_t offset = n * 5 % 13;

				check<T_THREAD>(op, place, offset, lengths[n], seed++);
				if (place == OWN)
					continue;
				check<T_WAVE>(op, place, offset, lengths[n], seed++);
				check<T_WG>(op, place, offset, lengths[n], seed++);
			}
	long *words = (long *)gshmem_calloc(2 * NTHREADS, sizeof *words);
	t_to_device(device_nwrong, &nwrong, sizeof nwrong);
	t_launch(values, 1, NTHREADS, words, 1 - gshmem_my_pe(), device_nwrong);
	t_from_device(&nwrong, device_nwrong, sizeof nwrong);
	t_equal(nwrong, 0, "p, g and atomics with values in shared memory and variables");
	gshmem_finalize();
	return 0;
}
