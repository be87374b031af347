/* SPDX-License-Identifier: BSD-3-Clause */
/* Hand work to another thread of the process and back: 0 by semaphores, 1 by a condition variable. */
#include "raw.h"
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn; /* 1: the worker's, 0: ours */
static sem_t go, done;

/* Pass the turn and wait for it to come back. */
static void pass(int to)
{
	pthread_mutex_lock(&lock);
	for (turn = to, pthread_cond_signal(&changed); turn == to;)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void *work(void *by_condition)
{
	while (by_condition)
		pass(0);
	while (!sem_wait(&go) && !sem_post(&done))
		;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	(void)argc, raw_open(argv), sem_init(&go, 0, 0), sem_init(&done, 0, 0);
	pthread_create(&threads[0], NULL, work, NULL), pthread_create(&threads[1], NULL, work, &turn);
	while (raw_ask()) {
		for (unsigned long i = 0; i < reps; i++)
			variant ? pass(1) : (void)(sem_post(&go), sem_wait(&done));
		raw_answer();
	}
}
