/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every test uses. A test is one program: exit 0 pass, 1 fail, 77 skip. It is silent on success; a
 * failure prints one line with the expected and the actual value. This file has no gshmem names, because the
 * platform's own tests include it, too.
 */
#ifndef T_HELPERS_H
#define T_HELPERS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Fail the test with a message; printf arguments. */
#define t_fail(...) \
	do { \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
		fprintf(stderr, __VA_ARGS__); \
		fputc('\n', stderr); \
		exit(1); \
	} while (0)

/* Fail with a message unless cond holds. */
#define t_check(cond, ...) \
	do { \
		if (!(cond)) \
			t_fail(__VA_ARGS__); \
	} while (0)

/* Compare two integers; the message names both. */
#define t_equal(got, expected, what) \
	do { \
		long long t_g_ = (long long)(got), t_e_ = (long long)(expected); \
		if (t_g_ != t_e_) \
			t_fail("%s: expected %lld, got %lld", what, t_e_, t_g_); \
	} while (0)

/* Skip the test, and say why. */
#define t_skip(...) \
	do { \
		printf(__VA_ARGS__); \
		putchar('\n'); \
		exit(77); \
	} while (0)

enum { T_PATH_BYTES = 256 };

/* Make an empty file in $TMPDIR or /tmp. Its name goes to path, of T_PATH_BYTES; the caller removes it. */
static inline void t_temp_file(char *path)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	snprintf(path, T_PATH_BYTES, "%s/gshmem-test-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(path);
	t_check(fd >= 0, "%s cannot be made", path);
	close(fd);
}

/* The rank that the launcher gave to this process, known before MPI starts; -1: there is no launcher. */
static inline int t_launched_rank(void)
{
	const char *hydra = getenv("PMI_RANK"), *openmpi = getenv("OMPI_COMM_WORLD_RANK");

	return hydra ? atoi(hydra) : openmpi ? atoi(openmpi) : -1;
}

/*
 * Whether to leave out case i: if each test runs once (run.sh -1), a test that starts many jobs runs a third
 * of its cases; TURN selects the third.
 */
static inline int t_left_out(int i)
{
	const char *third = getenv("T_THIRD");

	return third && i % 3 != atoi(third);
}

/* How often a test repeats what it would do n times: a third of it where t_left_out leaves cases out. */
static inline int t_repeats(int n)
{
	return getenv("T_THIRD") ? n / 3 : n;
}

/*
 * Whether part of a wave may make a _wave call. On NVIDIA GPUs the call would wait for the other lanes, which
 * the leg waves sees on the cpu platform.
 */
static inline int t_wave_may_part(void)
{
#ifdef __HIP_PLATFORM_NVIDIA__
	return 0;
#else
	return !getenv("GSHMEM_CPU_WHOLE_WAVES");
#endif
}

/* A HIP call that must succeed. */
#define t_hip(call) \
	do { \
		hipError_t t_err_ = (call); \
		if (t_err_ != hipSuccess) \
			t_fail("%s: %s", #call, hipGetErrorString(t_err_)); \
	} while (0)

/* CUDA's hipMemset returns before the bytes are set, and the library's streams do not wait for it. */
#define t_memset(ptr, value, nbytes) \
	do { \
		t_hip(hipMemset(ptr, value, nbytes)); \
		t_hip(hipStreamSynchronize(NULL)); \
	} while (0)

#endif /* T_HELPERS_H */
