/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 300 */
/*
 * gshmem_init + gshmem_finalize with a heap of 1 GiB against MPI_Init + MPI_Finalize alone: jobs of two PEs,
 * launched alternately, 9 times. Start it without mpirun; it calls MPIRUN itself. Times are measured inside
 * the slower PE; `launch` is the whole mpirun, as the shell sees it.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NRUNS 9
enum { INIT, FINALIZE, BOTH, LAUNCH, NFIGURES };
static const char *const names[] = {"init", "finalize", "init_finalize", "launch"};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Bytes of shared memory that this process has touched. The heap's pages must not be among them. */
static long touched_kib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (status && fgets(line, sizeof line, status))
		sscanf(line, "RssShmem: %ld", &kib);
	if (status)
		fclose(status);
	return kib;
}

static int child(void)
{
	double started = now_ms(), initialized;
	long kib;

	gshmem_init();
	initialized = now_ms() - started;
	kib = touched_kib();
	started = now_ms();
	gshmem_finalize();
	printf("%.3f %.3f\n", initialized, now_ms() - started);
	if (kib > 100L * 1024)
		fprintf(stderr, "init_lat: init has touched %ld KiB of shared memory\n", kib);
	return kib > 100L * 1024;
}

/* Run a program under mpirun once; returns the slowest PE's figures. */
static void run(const char *command, double figures[NFIGURES])
{
	double started = now_ms(), init, finalize;
	FILE *out = popen(command, "r");
	int npes = 0;

	memset(figures, 0, NFIGURES * sizeof *figures);
	while (out && fscanf(out, "%lf %lf", &init, &finalize) == 2) {
		npes++;
		figures[INIT] = init > figures[INIT] ? init : figures[INIT];
		figures[FINALIZE] = finalize > figures[FINALIZE] ? finalize : figures[FINALIZE];
		figures[BOTH] = init + finalize > figures[BOTH] ? init + finalize : figures[BOTH];
	}
	if (!out || pclose(out) || npes != 2) {
		fprintf(stderr, "init_lat: failed: %s\n", command);
		exit(1);
	}
	figures[LAUNCH] = now_ms() - started;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double sorted_median(double v[NRUNS])
{
	qsort(v, NRUNS, sizeof *v, compare);
	return v[NRUNS / 2];
}

int main(int argc, char **argv)
{
	const char *mpirun = getenv("MPIRUN") ? getenv("MPIRUN") : "mpirun";
	char self[4096] = "", command[2][9000], commit[64] = "unknown", model[128] = "unknown";
	double ours[NRUNS][NFIGURES], raw[NRUNS][NFIGURES], a[NRUNS], b[NRUNS], ratio[NRUNS];
	FILE *pipe;

	if (argc > 1 && !strcmp(argv[1], "child"))
		return child();
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 1;
	setenv("GSHMEM_HEAP_SIZE", "1g", 1);
	snprintf(command[0], sizeof command[0], "%s -n 2 %s child", mpirun, self);
	*strrchr(self, '/') = 0;
	snprintf(command[1], sizeof command[1], "%s -n 2 %s/raw/init", mpirun, self);

	if ((pipe = popen(
		     "git describe --always --dirty 2>/dev/null; sed -n 's/^model name[^:]*: //p' /proc/cpuinfo",
		     "r"))) {
		if (fscanf(pipe, "%63[^\n] %127[^\n]", commit, model) < 1)
			commit[0] = 0;
		while (fgetc(pipe) != EOF)
			;
		pclose(pipe);
	}
	printf("# %s x %ld, platform " GSHMEMI_ARCH_NAME
	       ", commit %s, init_lat, %d runs by turns, 1 GiB heap, not pinned\n",
		model, sysconf(_SC_NPROCESSORS_ONLN), commit, NRUNS);
	printf("op\tscope\tbytes\tpes\treps\tmin_us\tmedian_us\tmax_us\tGB_s\traw_us\traw_GB_s\tratio\n");
	run(command[0], ours[0]); /* loads the files into the cache */
	run(command[1], raw[0]);
	for (int i = 0; i < NRUNS; i++) {
		run(command[0], ours[i]);
		run(command[1], raw[i]);
	}
	for (int f = 0; f < NFIGURES; f++) {
		for (int i = 0; i < NRUNS; i++) {
			a[i] = ours[i][f] * 1e3;
			b[i] = raw[i][f] * 1e3;
			ratio[i] = a[i] / b[i];
		}
		(void)sorted_median(a);
		printf("%s\thost\t0\t2\t1\t%.0f\t%.0f\t%.0f\t-\t%.0f\t-\t%.3f\n", names[f], a[0],
			a[NRUNS / 2], a[NRUNS - 1], sorted_median(b), sorted_median(ratio));
	}
	return 0;
}
