/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CHECK=0 | GSHMEM_CHECK=1 */
/* timeout: 120 */
/*
 * GSHMEM_TRACE records what kernels do, those of GPUs included: each operation of a thread, wave or
 * work-group, each wait and each call is one event, with its PE and bytes. It lies between the host's launch
 * of the kernel and the end of its wait for it, however far the GPU's clock is from the host's.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GSHMEM_TRACE_KERNELS
#include <gshmem.h>

#include "helpers.h"

enum { NPES = 2, NLANES = 128, NELEMS = 1000, NROUNDS = 8 };

struct objects {
	long dest[NELEMS], source[NELEMS], parts[NLANES], words[NLANES], all[NPES], sum;
	uint64_t signal, ball;
};

__global__ static void work(struct objects *o, int pe, int nwaves, int begins)
{
	const int wave = (int)threadIdx.x / (NLANES / nwaves);

	gshmemx_long_put_wg(o->dest, o->source, NELEMS, pe);
	gshmemx_long_put_wave(o->parts + wave, o->source, 1, pe);
	gshmem_long_p(&o->words[threadIdx.x], 1, pe);
	o->source[threadIdx.x] = gshmem_long_g(&o->all[0], pe);
	gshmemx_long_put_signal_wg(o->dest, o->source, NELEMS, &o->signal, 1, GSHMEM_SIGNAL_SET, pe);
	for (uint64_t round = 1; threadIdx.x == 0 && round <= NROUNDS; round++) {
		if (begins)
			gshmem_uint64_atomic_add(&o->ball, 1, pe);
		gshmem_uint64_wait_until(&o->ball, GSHMEM_CMP_EQ, round);
		if (!begins)
			gshmem_uint64_atomic_add(&o->ball, 1, pe);
	}
	gshmemx_quiet_wave();
	gshmemx_barrier_all_wg();
	gshmemx_long_fcollect_wg(GSHMEM_TEAM_WORLD, o->all, o->source, 1);
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static char text[1 << 20];

static void read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n;

	t_check(file, "%s is not there", path);
	n = fread(text, 1, sizeof text - 1, file);
	text[n] = 0;
	fclose(file);
}

/* The number behind a key in a line; -1: there is none. */
static double number_in(const char *line, const char *key)
{
	const char *end = line + strcspn(line, "\n");
	const char *at = (const char *)memmem(line, (size_t)(end - line), key, strlen(key));

	return at ? atof(at + strlen(key)) : -1;
}

static bool has(const char *line, const char *part)
{
	return memmem(line, strcspn(line, "\n"), part, strlen(part)) != NULL;
}

/* The bound of the error of a PE's times. */
static double error_us_of(int pe)
{
	const char *line = text;
	double ns = 0;

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (has(line, "\"error_ns\":") && (int)number_in(line, "\"pid\":") == pe)
			ns += number_in(line, "\"error_ns\":");
	return ns / 1000;
}

/* Checks the events of a call in this PE's kernels, and returns how many there are. */
static int count_events(
	int pe, const char *name, const char *category, long nbytes, double begin_us, double end_us)
{
	char named[80], of[40];
	const double error_us = error_us_of(pe);
	const char *line = text;
	int n = 0;

	snprintf(named, sizeof named, "\"name\":\"%s\"", name);
	snprintf(of, sizeof of, "\"cat\":\"%s\"", category);
	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const double at_us = number_in(line, "\"ts\":"), length_us = number_in(line, "\"dur\":");

		if (!has(line, named) || !has(line, of) || !has(line, "\"thread\":") ||
			(int)number_in(line, "\"pid\":") != pe)
			continue;
		n++;
		t_check(!has(line, "\"open\""), "%s of PE %d has no end", name, pe);
		t_check(at_us >= begin_us - error_us && at_us + length_us <= end_us + error_us,
			"%s of PE %d: from %.3f on for %.3f us, not in %.3f to %.3f, error %.3f", name, pe,
			at_us, length_us, begin_us, end_us, error_us);
		t_check(length_us >= 0, "%s of PE %d takes %.3f us", name, pe, length_us);
		if (nbytes && strcmp(category, "collective") && strcmp(category, "flag"))
			t_equal((int)number_in(line, "\"args\":{\"pe\":"), 1 - pe, name);
		if (nbytes)
			t_equal((long)number_in(line, "\"bytes\":"), nbytes, name);
	}
	return n;
}

static void check_pe(int pe, int nwaves, double begin_us, double end_us)
{
#define COUNT(NAME, CATEGORY, NBYTES) count_events(pe, NAME, CATEGORY, NBYTES, begin_us, end_us)
	t_equal(COUNT("gshmemx_long_put_wg", "put", 8L * NELEMS), 1, "puts of a work-group");
	t_equal(COUNT("gshmemx_long_put_wave", "put", 8), nwaves, "puts of waves");
	t_equal(COUNT("gshmem_long_p", "put", 8), NLANES, "stores of lanes");
	t_equal(COUNT("gshmem_long_g", "get", 8), NLANES, "loads of lanes");
	t_equal(COUNT("gshmemx_long_put_signal_wg", "put", 8L * NELEMS), 1, "puts with a signal");
	t_equal(COUNT("gshmemx_long_put_signal_wg", "signal", 8), 1, "signals");
	t_equal(COUNT("gshmem_uint64_atomic_add", "amo", 8), NROUNDS, "atomics");
	t_equal(COUNT("gshmemx_quiet_wave", "call", 0), nwaves, "quiets of waves");
	t_equal(COUNT("gshmemx_barrier_all_wg", "call", 0), 1, "barriers");
	t_equal(COUNT("gshmemx_long_fcollect_wg", "call", 0), 1, "collectives");
	t_check(COUNT("gshmemx_long_fcollect_wg", "flag", 8) > 0, "a collective that tells nobody anything");
#undef COUNT
}

int main(void)
{
	int me, nwaves, width, nwaits = 0;
	double begin_us, end_us;
	struct objects *o;
	char path[T_PATH_BYTES + 2];

	t_temp_file(path);
	setenv("GSHMEM_TRACE", path, 1);
	gshmem_init();
	me = gshmem_my_pe();
	t_hip(hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, 0));
	nwaves = NLANES / width;
	o = (struct objects *)gshmem_calloc(1, sizeof *o);
	gshmemx_race_ok(o, sizeof *o); /* waves put what others write */
	begin_us = now_us();
	gshmem_barrier_all();
	hipLaunchKernelGGL(work, dim3(1), dim3(NLANES), 0, 0, o, 1 - me, nwaves, me == 0);
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	end_us = now_us();
	gshmem_free(o);
	gshmem_finalize();
	if (me == 0) {
		read_file(path);
		for (int pe = 0; pe < NPES; pe++) {
			check_pe(pe, nwaves, begin_us, end_us);
			nwaits += count_events(pe, "gshmem_uint64_wait_until", "wait", 0, begin_us, end_us);
		}
		t_check(nwaits > 0, "no wait is recorded");
		t_check(!strstr(text, "\"lost\""), "events are lost");
	}
	unlink(path);
	strcat(path, me ? ".1" : ".0");
	unlink(path);
	return 0;
}
