/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,4,8 */
/* tier: all */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CHECK=1 */
/*
 * p and g of every type transfer values bit for bit (long double: equal values) and touch no neighbour, from
 * a kernel and from the host. Every PE writes to the next one and reads from it.
 */
#include <type_traits>
#include <hip/hip_runtime.h>
#include "oracle.h"

#define NVALUES 130

/* Value i of a seed: arbitrary bits, including NaNs; plain numbers for types with padding bits. */
template <class T> T_HD T value(unsigned seed, size_t i)
{
	unsigned char bytes[sizeof(T)];
	T v;

	for (size_t b = 0; b < sizeof(T); b++)
		bytes[b] = t_byte(seed, i * sizeof(T) + b);
	memcpy((void *)&v, bytes, sizeof v);
	return v;
}

#define OF_TYPE(PREFIX, NAME, TYPE) \
	struct of_##NAME { \
		typedef TYPE type; \
		static __host__ __device__ void p(type *dest, type v, int pe) \
		{ \
			PREFIX##_##NAME##_p(dest, v, pe); \
		} \
		static __host__ __device__ type g(const type *source, int pe) \
		{ \
			return PREFIX##_##NAME##_g(source, pe); \
		} \
		static const char *name() { return #NAME; } \
	};
#define OF_RMA(NAME, TYPE)   OF_TYPE(gshmem, NAME, TYPE)
#define OF_SHORT(NAME, TYPE) OF_TYPE(gshmemx, NAME, TYPE)
GSHMEM_RMA_TYPES(OF_RMA)
GSHMEMX_RMA_TYPES(OF_SHORT)

template <> inline __host__ __device__ long double value<long double>(unsigned seed, size_t i)
{
	return (seed * 1000.0L + (long double)i) / 3.0L * (i % 2 ? 1 : -1);
}

/* Use every second element, so that a load or store that is too wide shows. */
template <class T>
static __global__ void p_and_g(
	typename T::type *dest, const typename T::type *source, typename T::type *out, unsigned seed, int pe)
{
	size_t i = threadIdx.x;

	T::p(dest + 2 * i, value<typename T::type>(seed, i), pe);
	out[i] = T::g(source + 2 * i, pe);
	gshmem_quiet();
}

template <class T> static bool same(const T &a, const T &b)
{
	return memcmp((const void *)&a, (const void *)&b, sizeof a) == 0;
}
static bool same(const long double &a, const long double &b)
{
	return a == b;
}

template <class T> static void check_type(char *dest_, char *source_, char *out_)
{
	typedef typename T::type type;
	type *dest = (type *)dest_, *source = (type *)source_, *out = (type *)out_;
	static type before[2 * NVALUES], data[2 * NVALUES], got[2 * NVALUES], gotten[NVALUES];
	int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes,
	    previous = (me + npes - 1) % npes;

	for (size_t i = 0; i < 2 * NVALUES; i++) {
		before[i] = value<type>(100, i);
		data[i] = value<type>(50 + me, i);
	}
	for (int host = 0; host < 2; host++) {
		const char *where = host ? "host" : "kernel";

		if (!host && std::is_same<type, long double>::value && !T_HAS_LONG_DOUBLE)
			continue;
		t_to_device(dest, before, sizeof before);
		t_to_device(source, data, sizeof data);
		gshmem_barrier_all();
		if (host) {
			for (size_t i = 0; i < NVALUES; i++) {
				T::p(dest + 2 * i, value<type>(me, i), next);
				gotten[i] = T::g(source + 2 * i, next);
			}
		} else {
			if constexpr (T_HAS_LONG_DOUBLE || !std::is_same<type, long double>::value)
				t_launch(p_and_g<T>, 1, NVALUES, dest, source, out, me, next);
			t_from_device(gotten, out, sizeof gotten);
		}
		gshmem_barrier_all();
		t_from_device(got, dest, sizeof got);
		for (size_t i = 0; i < NVALUES; i++) {
			t_check(same(got[2 * i], value<type>(previous, i)),
				"PE %d: %s_p from PE %d, %s: value %zu is not "
				"what was sent",
				me, T::name(), previous, where, i);
			t_check(same(got[2 * i + 1], before[2 * i + 1]),
				"PE %d: %s_p from PE %d, %s: changed the "
				"neighbour of element %zu",
				me, T::name(), previous, where, i);
			t_check(same(gotten[i], value<type>(50 + next, 2 * i)),
				"PE %d: %s_g from PE %d, %s: value %zu is "
				"not what is there",
				me, T::name(), next, where, i);
		}
	}
}

int main()
{
	char *dest, *source, *out;

	gshmem_init();
	dest = (char *)t_shmalloc(2 * NVALUES * 16);
	source = (char *)t_shmalloc(2 * NVALUES * 16);
	out = (char *)t_hipmalloc(NVALUES * 16);
#define CHECK(NAME, TYPE) check_type<of_##NAME>(dest, source, out);
	GSHMEM_RMA_TYPES(CHECK)
	GSHMEMX_RMA_TYPES(CHECK)
	gshmem_finalize();
	return 0;
}
