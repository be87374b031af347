/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the benches share: arguments, pinning, and rows that compare a figure with the raw side: what the
 * machine takes for the same without the library, by memcpy for a put.
 *
 * A row alternates: a batch of ours, a batch of each raw variant, again and again. While one side runs, the
 * other sleeps, and so does a PE that takes no part in the row. PE i is pinned to core i modulo the number of
 * cores. The raw side depends on the platform:
 *
 *   cpu    separate processes without the library (raw/), one per PE, started here and pinned likewise
 *   GPUs   plain kernels and the copy engine, on the same addresses (device.h)
 */
#ifndef BENCH_H
#define BENCH_H

#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "helpers.h"

/* Keeps the compiler from merging two operations of a loop. */
#define BENCH_KEEP() __asm__ volatile("" ::: "memory")

extern char **environ;

static struct bench {
	const char *name;
	int pe, npes;
	MPI_Comm comm;                   /* of the npes PEs that measure: all, or those of bench_only */
	std::vector<std::string> scopes; /* -s; empty: all */
	size_t min_nbytes, max_nbytes;   /* -b */
	int nalternations;               /* -a */
	double batch_us;                 /* -t */
	int only_active;                 /* -d: 0 one and both directions, 1 one, 2 both */
	std::string place;               /* -p: core, or where else a PE's threads are */
	/* the PE has several busy threads, which share its core */
	bool takes_turns;
	uint64_t *ticks; /* device memory, 2: what bench_kernel_us reads */
	int wave_width;  /* lanes */
	int nsharing;    /* PEs whose GPU is this one's, itself included */
	/* how many more batches of this row may be repeated; equal on all PEs */
	int ntries;
	bool one_clock; /* of all PEs, hosts and kernels */
	FILE *to_raw, *from_raw;
	long raw_npreempted; /* how often the core was taken away from the raw process in a batch */
	double started_us;   /* when this PE began its last batch */
} bench;

/* The scopes of a call: the loops of a bench run over these. */
enum bench_scope { BENCH_THREAD, BENCH_WAVE, BENCH_WG, BENCH_HOST, BENCH_NSCOPES };
static const char *const bench_scope_names[] = {"thread", "wave", "wg", "host"};

/* ---- meeting ---- */

/*
 * Meet the PEs of bench.comm and give each the largest of their values. PEs sleep here and do not spin, so
 * that they do not disturb those that measure.
 */
static inline void bench_max_of(double *values, int n)
{
	MPI_Request request;
	int done = 0;

	MPI_Iallreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_MAX, bench.comm, &request);
	for (;;) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		/* waking takes some 40 us of a core that another thread needs */
		usleep(bench.takes_turns ? 1000 : 300);
	}
}

static inline double bench_max(double value)
{
	bench_max_of(&value, 1);
	return value;
}

/* ---- setup ---- */

static inline std::string bench_line_of(const char *command)
{
	char text[256] = "";
	FILE *pipe = popen(command, "r");

	if (pipe) {
		if (!fgets(text, sizeof text, pipe))
			text[0] = 0;
		pclose(pipe);
	}
	text[strcspn(text, "\n")] = 0;
	return text[0] ? text : "unknown";
}

/* Bind every thread of this process to the PE's core, or to none (-1). Later threads inherit it. */
static inline void bench_pin(int pe)
{
	const int ncores = (int)sysconf(_SC_NPROCESSORS_ONLN);
	DIR *tasks = opendir("/proc/self/task");
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int core = 0; core < ncores; core++)
		if (pe < 0 || core == pe % ncores)
			CPU_SET(core, &set);
	while (struct dirent *task = tasks ? readdir(tasks) : NULL)
		if (task->d_name[0] != '.')
			sched_setaffinity(atoi(task->d_name), sizeof set, &set);
	if (tasks)
		closedir(tasks);
}

static inline void bench_usage(const char *bad)
{
	fprintf(stderr,
		"%s: %s\n  -s SCOPE[,SCOPE]  thread, wave, wg, host\n  -b MIN:MAX        bytes\n"
		"  -d one|both       one direction only, or both at once only\n"
		"  -a COUNT          alternations with the raw side\n"
		"  -t US             length of a batch\n"
		"  -p PLACE          core: each PE on one core; server: its RPC server on the next core;\n"
		"                    free: not pinned\n",
		bench.name, bad);
	exit(2);
}

static inline void bench_arguments(int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (argv[i][0] != '-' || !*value)
			bench_usage(argv[i]);
		switch (argv[i][1]) {
		case 's':
			for (std::string rest = value; !rest.empty();) {
				bench.scopes.push_back(rest.substr(0, rest.find(',')));
				rest = rest.find(',') == std::string::npos ? ""
									   : rest.substr(rest.find(',') + 1);
			}
			break;
		case 'b':
			if (sscanf(value, "%zu:%zu", &bench.min_nbytes, &bench.max_nbytes) != 2 ||
				!bench.min_nbytes || bench.max_nbytes > (size_t)64 << 20)
				bench_usage(argv[i]);
			break;
		case 'd':
			bench.only_active = strcmp(value, "one") ? 2 : 1;
			break;
		case 'p':
			bench.place = value;
			break;
		case 'a':
			bench.nalternations = std::max(1, atoi(value));
			break;
		case 't':
			bench.batch_us = std::max(1.0, atof(value));
			break;
		default:
			bench_usage(argv[i]);
		}
	}
}

/* Name of a GPU and a comma; nothing on the cpu platform. */
static inline std::string bench_gpu_name(int device)
{
	hipDeviceProp_t properties;

	if (!strcmp(GSHMEMI_ARCH_NAME, "cpu"))
		return "";
	t_hip(hipGetDeviceProperties(&properties, device));
	return std::string(properties.name) + ", ";
}

/* PEs whose device is this one. */
static inline int bench_count_sharing(int device)
{
	char mine[64] = "";
	std::vector<char> all(sizeof mine * bench.npes);
	int n = 0;

	t_hip(hipDeviceGetPCIBusId(mine, sizeof mine, device));
	MPI_Allgather(mine, sizeof mine, MPI_CHAR, all.data(), sizeof mine, MPI_CHAR, MPI_COMM_WORLD);
	for (int pe = 0; pe < bench.npes; pe++)
		n += !strcmp(&all[pe * sizeof mine], mine);
	return n;
}

/* The compute units of its device that a PE has if those that share it share equally. */
static inline int bench_ncus()
{
	int device, ncus;

	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&ncus, hipDeviceAttributeMultiprocessorCount, device));
	return ncus / bench.nsharing;
}

/* How many threads make a call of this scope in the kernels of the benches. */
static inline int bench_nthreads(int scope)
{
	return scope == BENCH_WG ? 256 : scope == BENCH_WAVE ? bench.wave_width : 1;
}

/* Start gshmem, pin, and print the `#` line and the header. */
static inline void bench_init(int argc, char **argv, const char *name)
{
	bench.name = name;
	bench.min_nbytes = 8;
	bench.max_nbytes = (size_t)64 << 20;
	bench.nalternations = 9;
	bench.batch_us = 1000;
	bench.place = "core";
	bench_arguments(argc, argv);
	gshmem_init();
	bench.comm = MPI_COMM_WORLD;
	bench.pe = gshmem_my_pe();
	bench.npes = gshmem_n_pes();
	if (bench.place != "free")
		bench_pin(bench.pe);

	int device;
	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&bench.wave_width, hipDeviceAttributeWarpSize, device));
	bench.nsharing = bench_count_sharing(device);
	bench.one_clock = !strcmp(GSHMEMI_ARCH_NAME, "cpu");
	t_hip(hipMalloc((void **)&bench.ticks, 2 * sizeof *bench.ticks));
	if (bench.pe != 0)
		return;
	printf("# %s%s x %ld, platform %s, commit %s, %s", bench_gpu_name(device).c_str(),
		bench_line_of("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo").c_str(),
		sysconf(_SC_NPROCESSORS_ONLN), GSHMEMI_ARCH_NAME,
		bench_line_of("git describe --always --dirty 2>/dev/null").c_str(), name);
	for (int i = 1; i < argc; i++)
		printf(" %s", argv[i]);
	printf(", %d alternations of %.0f us, %s on core i mod %ld\n", bench.nalternations, bench.batch_us,
		bench.place == "free" ? "PEs not bound, raw process i" : "PE i and its raw process",
		sysconf(_SC_NPROCESSORS_ONLN));
	if (bench.nsharing > 1 && !bench.one_clock && !getenv("CUDA_MPS_PIPE_DIRECTORY"))
		printf("# %d PEs take turns on one GPU: where pes is not 1, or a kernel waits for another PE, "
		       "time slices are measured\n",
			bench.nsharing);
	printf("op\tscope\tbytes\tpes\treps\tmin_us\tmedian_us\tmax_us\tGB_s\traw_us\traw_GB_s\tratio\n");
	fflush(stdout);
}

/*
 * Skip the bench unless the job has this number of PEs: make bench N= runs every bench with the same number.
 */
static inline void bench_needs(int npes)
{
	if (bench.npes == npes)
		return;
	if (bench.pe == 0)
		fprintf(stderr, "%s: needs %d PEs\n", bench.name, npes);
	gshmem_finalize();
	exit(77);
}

/* All PEs call. From here on only PEs with measures set meet and are counted; PE 0 must be one of them. */
static inline void bench_only(bool measures)
{
	MPI_Comm_split(MPI_COMM_WORLD, measures, bench.pe, &bench.comm);
	MPI_Comm_size(bench.comm, &bench.npes);
}

static inline void bench_finalize()
{
	bench_max(0);
	gshmem_finalize();
}

static inline bool bench_wants(const char *scope)
{
	return bench.scopes.empty() ||
		std::find(bench.scopes.begin(), bench.scopes.end(), scope) != bench.scopes.end();
}

/* Whether -d asks for rows in which nactive PEs work. */
static inline bool bench_wants_active(int nactive)
{
	return !bench.only_active || (bench.only_active == 2) == (nactive > 1);
}

/* ---- memory, which the CPU may not be able to touch ---- */

static inline void bench_fill(void *ptr, int byte, size_t nbytes)
{
	t_hip(hipMemset(ptr, byte, nbytes));
	t_hip(hipDeviceSynchronize());
}

static inline void bench_read(void *to, const void *ptr, size_t nbytes)
{
	t_hip(hipMemcpy(to, ptr, nbytes, hipMemcpyDeviceToHost));
}

/* CUDA's copy from pageable memory may return before the bytes are in ptr, where other PEs look for them. */
static inline void bench_write(void *ptr, const void *from, size_t nbytes)
{
	t_hip(hipMemcpy(ptr, from, nbytes, hipMemcpyHostToDevice));
	t_hip(hipStreamSynchronize(NULL));
}

static inline long bench_long(const void *ptr)
{
	long value;

	bench_read(&value, ptr, sizeof value);
	return value;
}

/* ---- time ---- */

static inline double bench_now_us()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

/* Begin a batch on the host. */
static inline double bench_start()
{
	return bench.started_us = bench_now_us();
}

/* End a batch in a kernel; thread 0's time counts. */
__device__ static inline void bench_stop(uint64_t *ticks, uint64_t started)
{
	if (threadIdx.x == 0) {
		ticks[0] = gshmemi_arch_clock_ns() - started;
		ticks[1] = started;
	}
}

/* The time that the last kernel's bench_stop recorded. Call it after the kernel has ended. */
static inline double bench_kernel_us()
{
	uint64_t ticks[2];

	t_hip(hipGetLastError());
	t_hip(hipDeviceSynchronize());
	bench_read(ticks, bench.ticks, sizeof ticks);
	bench.started_us = (double)ticks[1] * 1e-3;
	return (double)ticks[0] * 1e-3;
}

/* ---- the raw side ---- */

static inline void bench_raw_stop()
{
	if (!bench.to_raw)
		return;
	fclose(bench.to_raw);
	fclose(bench.from_raw);
	bench.to_raw = NULL;
}

/* NAME in the folder that this program lies in. */
static inline std::string bench_path(const char *name)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

	t_check(length >= 0, "/proc/self/exe: %m");
	const std::string self(path, length);
	return self.substr(0, self.rfind('/') + 1) + name;
}

static inline std::string bench_raw_path(const char *name)
{
	return bench_path("raw/") + name;
}

/* FILE of raw.h: an unnamed file, so that nothing is left behind, whoever dies. */
static inline std::string bench_raw_file()
{
	int where[2] = {0, 0};

	if (bench.pe == 0) {
		where[0] = getpid();
		where[1] = memfd_create("bench", MFD_CLOEXEC);
		t_check(where[1] >= 0 && ftruncate(where[1], 4096 + bench.npes * ((off_t)160 << 20)) == 0,
			"memfd: %m");
	}
	MPI_Bcast(where, 2, MPI_INT, 0, MPI_COMM_WORLD);
	return "/proc/" + std::to_string(where[0]) + "/fd/" + std::to_string(where[1]);
}

/* Start raw/NAME. Needs a platform whose memory is the CPU's. */
static inline bool bench_raw_start(const char *name)
{
	int question[2], answer[2];

	if (strcmp(GSHMEMI_ARCH_NAME, "cpu"))
		return false;
	bench_raw_stop();
	std::string path = bench_raw_path(name), rank = std::to_string(bench.pe),
		    npes = std::to_string(bench.npes), file = bench_raw_file();
	t_check(!pipe2(question, O_CLOEXEC) && !pipe2(answer, O_CLOEXEC), "pipe: %m");

	char *args[] = {&path[0], &rank[0], &npes[0], &file[0], NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, question[0], 0);
	posix_spawn_file_actions_adddup2(&actions, answer[1], 1);
	int error = posix_spawn(&pid, path.c_str(), &actions, NULL, args, environ);
	t_check(!error, "%s: %s", path.c_str(), strerror(error));
	posix_spawn_file_actions_destroy(&actions);
	close(question[0]);
	close(answer[1]);
	bench.to_raw = fdopen(question[1], "w");
	bench.from_raw = fdopen(answer[0], "r");
	return true;
}

/* One batch of the raw side, on this PE; us. */
static inline double bench_raw_us(int variant, size_t nbytes, size_t reps, int nactive)
{
	long npreempted;
	double ns, started_ns;
	char line[128];

	fprintf(bench.to_raw, "%d %zu %zu %d\n", variant, nbytes, reps, nactive);
	fflush(bench.to_raw);
	t_check(fgets(line, sizeof line, bench.from_raw), "the raw process has ended");
	t_check(sscanf(line, "%lf %ld %lf", &ns, &npreempted, &started_ns) == 3,
		"unexpected answer of the raw process: %s", line);
	bench.raw_npreempted += npreempted;
	bench.started_us = started_ns * 1e-3;
	return ns * 1e-3;
}

/* ---- rows ---- */

/* runs a batch of this many repetitions on this PE; returns its us */
typedef std::function<double(size_t)> bench_run;

struct bench_row {
	const char *op, *scope;
	size_t nbytes;                 /* moved by one operation; 0: none, so no GB/s */
	int nactive;                   /* PEs 0 .. nactive-1 are at work */
	std::vector<int> raw_variants; /* of the raw process; the best counts */
	bool is_rate;                  /* the ratio compares GB/s, else us; always ours / raw */
	/* the part of a repetition that counts as an operation (half a round trip); 0: all of it */
	double per_op;
	std::vector<bench_run> on_device = {}; /* the raw variants of a GPU, from device.h */
};

static inline double bench_median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

static inline long bench_npreempted()
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (bench.takes_turns ? 0 : usage.ru_nivcsw) + bench.raw_npreempted;
}

/*
 * One batch on the active PEs; returns the us of the slowest. Where every PE has a core, a batch is discarded
 * and repeated if another process took a core away, or if PEs that should work at the same time did not start
 * together. (Only the cpu platform can tell that: its PEs share a clock.) A row has 30 such retries; without
 * a limit a busy machine would never finish.
 */
static inline double bench_batch(int nactive, const bench_run &run, size_t reps)
{
	for (;;) {
		const long before = bench_npreempted();
		/* us, interruptions, latest and (negative) earliest start */
		double values[] = {0, 0, -1e30, -1e30};

		if (bench.pe < nactive) {
			values[0] = run(reps);
			values[1] = (double)(bench_npreempted() - before);
			values[2] = bench.started_us;
			values[3] = -bench.started_us;
		}
		bench_max_of(values, 4);
		const bool together = !bench.one_clock || bench.takes_turns ||
			values[2] + values[3] <= std::max(1.0, 0.1 * values[0]);
		/* nearly always interrupted */
		const bool is_long = bench.takes_turns && values[0] > 10 * bench.batch_us;
		if ((values[1] == 0 && together) || is_long || bench.npes > sysconf(_SC_NPROCESSORS_ONLN) ||
			--bench.ntries < 0)
			return values[0];
	}
}

/* How many repetitions fill a batch; equal on all PEs. */
static inline size_t bench_reps(int nactive, const bench_run &run)
{
	size_t reps = 1;

	for (;;) {
		/* Take the better of two: an interrupted batch must not end the search. */
		double us = std::min(bench_batch(nactive, run, reps), bench_batch(nactive, run, reps));

		if (us >= bench.batch_us / 8 || reps >= (size_t)1 << 28)
			return std::max((size_t)1,
				(size_t)(reps * std::min(8.0, bench.batch_us / std::max(us, 1e-3))));
		reps *= us < bench.batch_us / 100 ? 16 : 4;
	}
}

/* The first columns of a row, up to GB_s; us has the time of each batch. */
static inline void bench_print_times(const struct bench_row &row, size_t reps, const std::vector<double> &us)
{
	printf("%s\t%s\t%zu\t%d\t%zu\t%.5g\t%.5g\t%.5g\t", row.op, row.scope, row.nbytes, row.nactive, reps,
		*std::min_element(us.begin(), us.end()), bench_median(us),
		*std::max_element(us.begin(), us.end()));
	printf(row.nbytes ? "%.4g\t" : "-\t", row.nbytes / bench_median(us) * 1e-3);
}

/* Print one row: our batches beside those of another, or of none (NULL); us of one operation. */
static inline void bench_print_row(const struct bench_row &row, size_t reps, const std::vector<double> &ours,
	const std::vector<double> *other)
{
	std::vector<double> ratios;

	bench_print_times(row, reps, ours);
	if (!other) {
		printf("-\t-\t-\n");
	} else {
		for (size_t i = 0; i < ours.size(); i++)
			ratios.push_back(row.is_rate ? (*other)[i] / ours[i] : ours[i] / (*other)[i]);
		printf("%.5g\t", bench_median(*other));
		printf(row.nbytes ? "%.4g\t" : "-\t", row.nbytes / bench_median(*other) * 1e-3);
		printf("%.3f\n", bench_median(ratios));
	}
	fflush(stdout);
}

/*
 * Measure ours and the others in alternation. Each name gets a row, beside the other of the same place;
 * without names there is one row, beside the best.
 */
static inline void bench_measure_each(const struct bench_row &row, const std::vector<const char *> &names,
	const bench_run &run, const std::vector<bench_run> &others)
{
	std::vector<std::vector<double>> raw(others.size());
	std::vector<size_t> raw_reps;
	std::vector<double> ours;
	const double scale = row.per_op > 0 ? row.per_op : 1;
	bench.ntries = 10;
	const size_t reps = bench_reps(row.nactive, run);

	for (const bench_run &other : others)
		raw_reps.push_back(bench_reps(row.nactive, other));
	bench.ntries = 30;
	for (int i = 0; i < bench.nalternations; i++) {
		ours.push_back(bench_batch(row.nactive, run, reps) / reps * scale);
		for (size_t v = 0; v < raw.size(); v++)
			raw[v].push_back(
				bench_batch(row.nactive, others[v], raw_reps[v]) / raw_reps[v] * scale);
	}
	if (bench.pe != 0)
		return;

	for (size_t v = 0; v < names.size(); v++) {
		struct bench_row named = row;

		named.op = names[v];
		bench_print_row(named, reps, ours, &raw[v]);
	}
	if (!names.empty())
		return;
	const auto best = std::min_element(raw.begin(), raw.end(),
		[](const auto &a, const auto &b) { return bench_median(a) < bench_median(b); });
	bench_print_row(row, reps, ours, best == raw.end() ? NULL : &*best);
}

/* What times form(reps), by the host of each PE. The PEs begin together. */
template <typename Form> static inline bench_run bench_timed(Form form)
{
	return [form](size_t reps) {
		gshmem_barrier_all();
		const double started = bench_start();
		form(reps);
		return bench_now_us() - started;
	};
}

/* Measure and print one row: ours against the best of others, alternating. */
static inline void bench_measure_against(
	const struct bench_row &row, const bench_run &run, const std::vector<bench_run> &others)
{
	bench_measure_each(row, {}, run, others);
}

/* The same against the raw variants of the platform. */
static inline void bench_measure(const struct bench_row &row, const bench_run &run)
{
	std::vector<bench_run> others;

	if (strcmp(GSHMEMI_ARCH_NAME, "cpu"))
		others = row.on_device;
	for (int variant : row.raw_variants)
		others.push_back([&row, variant](size_t reps) {
			return bench_raw_us(variant, row.nbytes, reps, row.nactive);
		});
	bench_measure_against(row, run, others);
}

/* The sizes of -b, by powers of two. */
static inline std::vector<size_t> bench_sizes()
{
	std::vector<size_t> sizes;

	for (size_t nbytes = bench.min_nbytes; nbytes <= bench.max_nbytes; nbytes *= 2)
		sizes.push_back(nbytes);
	return sizes;
}

#endif /* BENCH_H */
