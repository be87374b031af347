/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A main thread that leaves by pthread_exit. A process whose threads have all left exits with status 0.
 * But MPI's own threads, such as UCX's, stay until MPI_Finalize, and where the library has started MPI it
 * finalizes it only when the process exits: without this file, such a process would never end.
 */
#ifndef GSHMEMI_BOOTSTRAP_LEAVING_H
#define GSHMEMI_BOOTSTRAP_LEAVING_H

/* Called around MPI_Init: the threads that appear between the two calls are MPI's. */
void gshmemi_leaving_note_threads(void);
void gshmemi_leaving_watch(void);

/*
 * The main thread will only leave with the process, because MPI uses a network: UCX's TCP reads /proc/net,
 * which is not there without a main thread, and then ends the process with a backtrace. A thread of the
 * program that joins the main thread then waits for ever.
 */
void gshmemi_leaving_keep_main(void);

#endif /* GSHMEMI_BOOTSTRAP_LEAVING_H */
