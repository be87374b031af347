/* SPDX-License-Identifier: BSD-3-Clause */
// An OpenSHMEM program in C++, with C's and C++'s forms of calls; shmem.h may be included in an extern "C" block.
extern "C" {
#include <shmem.h>
}
#include <cstdio>
#include <cstdlib>

static void check(bool is_right, const char *what)
{
	if (is_right)
		return;
	std::fprintf(stderr, "%s\n", what);
	shmem_global_exit(1);
}

template <typename T> void check_type(int next)
{
	T *object = static_cast<T *>(shmem_malloc(2 * sizeof(T))), value = 7;

	shmem_p(object, T(1), next);
	shmem_put(object + 1, &value, 1, next);
	shmem_barrier_all();
	check(shmem_g(object, next) == T(1) && shmem_g(object + 1, shmem_my_pe()) == value,
		"put and p of a type");
	shmem_barrier_all();
	shmem_free(object);
}

template <typename T> void check_atomics(int me, int next)
{
	T *object = static_cast<T *>(shmalloc(sizeof(T)));

	shmem_p(object, T(me), me);
	shmem_barrier_all();
	check(shmem_atomic_fetch_add(object, T(2), next) == T(next), "atomic_fetch_add");
	check(shmem_fadd(object, T(3), next) == T(next + 2), "fadd");
	check(shmem_atomic_swap(object, T(9), next) == T(next + 5), "atomic_swap");
	shmem_wait_until(object, SHMEM_CMP_EQ, T(9));
	shmem_barrier_all();
	shfree(object);
}

int main()
{
	shmem_init();
	const int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();

	check_type<char>(next);
	check_type<unsigned short>(next);
	check_type<long long>(next);
	check_type<double>(next);
	check_type<long double>(next);
	check_atomics<int>(me, next);
	check_atomics<unsigned long>(me, next);
	check_atomics<long>(me, next);
	shmem_finalize();
	return 0;
}
