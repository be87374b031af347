/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -a 3 */
/*
 * What an idle net thread costs: the CPU time of a PE that sleeps for 2 s, in us per second, of all its
 * threads (carry_idle) and of the busiest one (carry_idle_thread), on the PE where it is higher. Ours runs
 * with GSHMEM_NET=1 and raw with GSHMEM_NET=0, alternately, each between its own init and finalize.
 */
#include "bench.h"

#define SETTLE_S 1 /* after init, until the thread counts as idle for long */
#define IDLE_S   2

/* CPU time of a thread, ns. */
static double thread_ns(const char *tid)
{
	FILE *file = fopen((std::string("/proc/self/task/") + tid + "/schedstat").c_str(), "r");
	double ns = 0;

	t_check(file && fscanf(file, "%lf", &ns) == 1, "carry_idle: no /proc/self/task/%s/schedstat", tid);
	fclose(file);
	return ns;
}

static std::vector<std::pair<std::string, double>> threads_ns()
{
	std::vector<std::pair<std::string, double>> all;
	DIR *tasks = opendir("/proc/self/task");

	while (struct dirent *task = tasks ? readdir(tasks) : NULL)
		if (task->d_name[0] != '.')
			all.push_back({task->d_name, thread_ns(task->d_name)});
	if (tasks)
		closedir(tasks);
	return all;
}

/* us per second, of all threads and of the busiest one, on the PE where it is higher. */
static void idle(const char *net, std::vector<double> *all, std::vector<double> *busiest)
{
	double us[2] = {0, 0};

	setenv("GSHMEM_NET", net, 1);
	bench_pin(-1); /* init counts the cores */
	gshmem_init();
	bench_pin(bench.pe);
	sleep(SETTLE_S);
	const auto before = threads_ns();
	const double started = bench_now_us();
	sleep(IDLE_S);
	const double elapsed_us = bench_now_us() - started;
	for (const auto &thread : before) {
		const double share =
			(thread_ns(thread.first.c_str()) - thread.second) * 1e-3 / elapsed_us * 1e6;

		us[0] += share;
		us[1] = std::max(us[1], share);
	}
	bench_max_of(us, 2);
	gshmem_finalize();
	all->push_back(us[0]);
	busiest->push_back(us[1]);
}

static void print_row(const char *op, const std::vector<double> &with, const std::vector<double> &without)
{
	if (bench.pe != 0)
		return;
	bench_print_times({op, "host", 0, 2, {}, false, 0}, 1, with);
	printf("%.5g\t-\t%.3f\n", bench_median(without), bench_median(with) / bench_median(without));
}

int main(int argc, char **argv)
{
	std::vector<double> all[2], busiest[2];
	int provided;

	/* MPI outlives each init and finalize of the library */
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	bench_init(argc, argv, "carry_idle");
	bench_needs(2);
	gshmem_finalize();
	for (int i = 0; i < bench.nalternations; i++) {
		idle("1", &all[1], &busiest[1]);
		idle("0", &all[0], &busiest[0]);
	}
	print_row("carry_idle", all[1], all[0]);
	print_row("carry_idle_thread", busiest[1], busiest[0]);
	MPI_Finalize();
	return 0;
}
