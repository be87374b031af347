/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* env: UCX_TLS=tcp,self | UCX_TLS=all */
/* platform: cpu */
/*
 * The main thread may leave by pthread_exit after finalize. The process ends, with status 0, when the
 * program's other threads have left too, and not before; also if MPI uses sockets, which needs
 * the main thread's entries in /proc. On GPUs their HIP's own threads keep the process, with or without the
 * library.
 */
#include <hip/hip_runtime.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "oracle.h"
#include "sockets.h"

static bool has_worked;

__global__ void put(long *word, int pe)
{
	gshmem_long_p(word, 5, pe);
}

static void *work(void *unused)
{
	(void)unused;
	usleep(300000);
	__atomic_store_n(&has_worked, true, __ATOMIC_RELEASE);
	return NULL;
}

static void check_work(void)
{
	if (!__atomic_load_n(&has_worked, __ATOMIC_ACQUIRE))
		_exit(1);
}

int main(void)
{
	pthread_t thread;
	long *word, got;

	if (!strcmp(getenv("UCX_TLS") ? getenv("UCX_TLS") : "", "tcp,self"))
		t_need_sockets();
	atexit(check_work);
	gshmem_init();
	word = (long *)gshmem_malloc(sizeof *word);
	t_launch(put, 1, 1, word, (gshmem_my_pe() + 1) % gshmem_n_pes());
	gshmem_barrier_all();
	t_from_device(&got, word, sizeof got);
	t_equal(got, 5, "a put");
	gshmem_free(word);
	gshmem_finalize();
	t_equal(pthread_create(&thread, NULL, work, NULL), 0, "pthread_create");
	pthread_exit(NULL);
}
