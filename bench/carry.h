/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the benches of carried operations share. Operations between all PEs are carried; PE 0 works on PE 1,
 * whose process performs the operations. Raw: MPI's one-sided calls in separate processes (raw/mpi_rma.c), on
 * CPU memory on every platform.
 *
 * A PE has several busy threads (kernel, RPC server, net thread), which share the cores. So only raw batches
 * are repeated when their core was taken away.
 */
#ifndef BENCH_CARRY_H
#define BENCH_CARRY_H

#include "rpc.h"

#include <cstddef>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "raw/mpi_rma.h"

#define CARRY_ALL    "all" /* GSHMEM_CARRY, unless it is set: all PEs */
#define CARRY_STRIDE 64    /* bytes between the words of several puts, as in raw/mpi_rma.c */

/* ---- the raw side ---- */

/* The socket to which this PE's raw process connects. It is abstract: its name vanishes with it. */
static inline int carry_listen(const std::string &name)
{
	struct sockaddr_un address = {};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sun_family = AF_UNIX;
	t_check(name.size() < sizeof address.sun_path - 1, "%s: too long for a socket", name.c_str());
	memcpy(address.sun_path + 1, name.data(), name.size());
	const size_t nbytes = offsetof(struct sockaddr_un, sun_path) + 1 + name.size();
	t_check(fd >= 0 && !bind(fd, (struct sockaddr *)&address, (socklen_t)nbytes) && !listen(fd, 1),
		"socket %s: %m", name.c_str());
	return fd;
}

/* This process's environment without the launcher's variables of its own job. */
static inline std::vector<char *> carry_environment()
{
	std::vector<char *> kept;

	for (char **e = environ; *e; e++)
		if (strncmp(*e, "PMI", 3) && strncmp(*e, "HYD", 3) && strncmp(*e, "MPI_LOCAL", 9))
			kept.push_back(*e);
	kept.push_back(NULL);
	return kept;
}

/* PE 0 starts the launcher. Its output must not get into the table. */
static inline void carry_launch(
	const char *launcher, const std::string &program, const std::string &file, const std::string &sockets)
{
	std::string command =
		std::string("exec ") + launcher + " -n 2 '" + program + "' " + file + ' ' + sockets;
	char shell[] = "/bin/sh", option[] = "-c";
	char *args[] = {shell, option, &command[0], NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, 2, 1);
	const int error = posix_spawn(&pid, shell, &actions, NULL, args, carry_environment().data());
	t_check(!error, "%s: %s", command.c_str(), strerror(error));
	posix_spawn_file_actions_destroy(&actions);
}

/* Start two processes of program, which uses raw/launched.h, under the launcher. */
static inline void carry_raw_start_by(const char *launcher, const std::string &program)
{
	const std::string file = bench_raw_file();
	/* PE 0's process */
	const std::string sockets = "gshmem-bench-" + file.substr(6, file.find('/', 6) - 6) + "-";
	struct pollfd waits = {carry_listen(sockets + std::to_string(bench.pe)), POLLIN, 0};

	bench_max(0); /* all listen */
	if (bench.pe == 0)
		carry_launch(launcher, program, file, sockets);
	t_check(poll(&waits, 1, 60000) == 1, "%s has not started within 60 s", program.c_str());
	const int fd = accept4(waits.fd, NULL, NULL, SOCK_CLOEXEC);
	t_check(fd >= 0, "accept: %m");
	close(waits.fd);
	bench.to_raw = fdopen(fd, "w");
	bench.from_raw = fdopen(fcntl(fd, F_DUPFD_CLOEXEC, 0), "r");
}

static inline void carry_raw_start()
{
	const char *mpirun = getenv("MPIRUN");

	carry_raw_start_by(mpirun ? mpirun : "mpirun", bench_raw_path("mpi_rma"));
}

/* A batch of MPI's. PE 1's time does not count. */
static inline bench_run carry_mpi(int op, int window, size_t nbytes)
{
	return [=](size_t reps) {
		const double us = bench_raw_us(op * RMA_NWINDOWS + window, nbytes, reps, 2);

		return bench.pe == 0 ? us : 0.0;
	};
}

static const std::vector<int> carry_windows = {
	RMA_ALLOCATE, RMA_ALLOCATE_INFO, RMA_CREATE, RMA_CREATE_INFO, RMA_SHARED_INFO};

/* A row for each kind of window, measured alternately; returns a batch of the fastest kind. */
static inline bench_run carry_best_mpi(const char *name, int op, size_t nbytes, double per_op,
	const std::vector<int> &windows = carry_windows)
{
	static const char *const window_names[] = {"alloc", "alloc_i", "create", "create_i", "shared_i"};
	const double scale = per_op > 0 ? per_op : 1;
	std::vector<double> us[RMA_NWINDOWS];
	size_t reps[RMA_NWINDOWS];
	int best = windows[0];

	bench.ntries = 10;
	for (int w : windows)
		reps[w] = bench_reps(2, carry_mpi(op, w, nbytes));
	for (int i = 0; i < 5; i++)
		for (int w : windows)
			us[w].push_back(bench_batch(2, carry_mpi(op, w, nbytes), reps[w]) / reps[w] * scale);
	for (int w : windows) {
		if (bench.pe == 0) {
			bench_print_times({name, window_names[w], nbytes, 2, {}, false, 0}, reps[w], us[w]);
			printf("-\t-\t-\n");
		}
		if (bench_median(us[w]) < bench_median(us[best]))
			best = w;
	}
	return carry_mpi(op, best, nbytes);
}

/* ---- our side ---- */

/* A batch that PE 0 makes alone. */
static inline bench_run carry_alone(const bench_run &run)
{
	return [=](size_t reps) { return bench.pe == 0 ? run(reps) : 0.0; };
}

/* A call to the CPU and back, nothing carried. */
static inline bench_run carry_rpc()
{
	return carry_alone([](size_t reps) { return rpc_calls_us(1, reps, 0); });
}

static inline void carry_row(const char *op, int scope, size_t nbytes, bool is_rate, double per_op,
	const bench_run &ours, const bench_run &limit)
{
	bench_measure_against({op, bench_scope_names[scope], nbytes, 2, {}, is_rate, per_op}, ours, {limit});
}

/* Symmetric memory of this PE, filled with bytes that tell whose they are. */
static inline char *carry_alloc(size_t nbytes, int byte)
{
	char *memory = (char *)gshmem_malloc(nbytes);

	t_check(memory, "%s: the heap is too small", bench.name);
	bench_fill(memory, byte, nbytes);
	return memory;
}

/* PE 1 checks that the first nbytes of each stride hold byte. All PEs call this. */
static inline void carry_check(const char *memory, size_t nblocks, size_t nbytes, size_t stride, int byte)
{
	std::vector<char> got(nblocks * stride);

	gshmem_barrier_all();
	bench_read(got.data(), memory, got.size());
	for (size_t i = 0; bench.pe == 1 && i < got.size(); i++)
		if (i % stride < nbytes)
			t_equal(got[i], byte, bench.name);
}

static inline void carry_init(int argc, char **argv, const char *name)
{
	setenv("GSHMEM_CARRY", CARRY_ALL, 0);
	bench_init(argc, argv, name);
	bench_needs(2);
	bench.takes_turns = true;
	if (bench.pe == 0)
		printf("# GSHMEM_CARRY=%s\n", getenv("GSHMEM_CARRY"));
	rpc_register();
	if (bench.place == "server")
		rpc_pin_server(bench.pe + 1);
	carry_raw_start();
}

#endif /* BENCH_CARRY_H */
