/* SPDX-License-Identifier: BSD-3-Clause */
// An OpenSHMEM program in C++, with C's and C++'s forms of calls, those of 1.3 with volatile arguments, and a
// call that it defines as a profiler does; the headers may be included in an extern "C" block.
extern "C" {
#include <pshmem.h>
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

static int nlocks;

extern "C" void shmem_set_lock(long *lock)
{
	nlocks++;
	pshmem_set_lock(lock);
}

// OpenSHMEM 1.3 has volatile locks, and waits for volatile objects.
template <typename T>
void check_volatile(int me, int next, void (*wait)(volatile T *, T), void (*wait_until)(volatile T *, int, T))
{
	T *object = static_cast<T *>(shmem_calloc(3, sizeof(T)));
	volatile T *ivar = object;

	for (int i = 0; i < 3; i++)
		shmem_p(object + i, T(1), next);
	wait(ivar, 0);
	wait_until(ivar + 1, SHMEM_CMP_EQ, 1);
	shmem_wait_until(ivar + 2, SHMEM_CMP_GT, 0);
	check(shmem_g(object, me) == 1, "wait");
	shmem_barrier_all();
	shmem_free(object);
}

static void check_locks()
{
	long *object = static_cast<long *>(shmem_calloc(2, sizeof(long)));
	volatile long *lock = object;

	shmem_set_lock(lock);
	check(nlocks == 1, "the program's own set_lock");
	check(shmem_test_lock(lock) == 1, "test_lock of a lock that is held");
	shmem_clear_lock(lock);
	shmem_barrier_all();
	shmem_p(object + 1, 1L, shmem_my_pe());
	shmem_wait(lock + 1, 0);
	pshmem_wait(object + 1, 0);
	shmem_free(object);
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
	check_volatile<short>(me, next, shmem_short_wait, shmem_short_wait_until);
	check_volatile<int>(me, next, shmem_int_wait, shmem_int_wait_until);
	check_volatile<long>(me, next, shmem_long_wait, shmem_long_wait_until);
	check_volatile<long long>(me, next, shmem_longlong_wait, shmem_longlong_wait_until);
	check_locks();
	shmem_finalize();
	return 0;
}
