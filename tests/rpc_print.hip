/* SPDX-License-Identifier: BSD-3-Clause */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_DIVERGE=random:7 GSHMEM_RPC_THREADS=3 | GSHMEM_RPC_POLL=nap */
/* timeout: 90 */
/*
 * gshmemx_printf prints the same bytes as C's snprintf for each conversion, from kernels and the host. Each
 * lane's text comes whole and once. Strings may be longer than pages, and are never read further than C
 * allows. Messages name wrong and missing arguments. The text is out before the call returns.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <gshmem.h>

#include "helpers.h"

/* ---- what comes out of stdout ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::string collected;
static size_t npackets;
static int pipe_fd;

static void *collect(void *unused)
{
	char buffer[65536];
	ssize_t n;

	while ((n = read(pipe_fd, buffer, sizeof buffer)) > 0) {
		pthread_mutex_lock(&lock);
		collected.append(buffer, (size_t)n);
		npackets++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

/* Each write of up to a page comes as a packet. */
static void catch_stdout(void)
{
	pthread_t thread;
	int fds[2];

	t_check(!pipe2(fds, O_DIRECT) && dup2(fds[1], STDOUT_FILENO) == STDOUT_FILENO, "pipe");
	close(fds[1]);
	pipe_fd = fds[0];
	t_check(!pthread_create(&thread, NULL, collect, NULL), "a thread");
	pthread_detach(thread);
}

/* Waits for this much output since the last time, and returns it. */
static std::string take(size_t nbytes)
{
	const time_t limit = time(NULL) + 30;
	std::string text;

	while (time(NULL) < limit) {
		pthread_mutex_lock(&lock);
		if (collected.size() >= nbytes) {
			text.swap(collected);
			pthread_mutex_unlock(&lock);
			return text;
		}
		pthread_mutex_unlock(&lock);
		usleep(100);
	}
	t_fail("expected %zu bytes of text, got %zu: \"%.200s\"", nbytes, collected.size(),
		collected.c_str());
}

static void expect(const std::string &text, const char *what)
{
	const std::string got = take(text.size());

	if (got != text)
		t_fail("%s: expected %zu bytes \"%.200s\", got %zu \"%.200s\"", what, text.size(),
			text.c_str(), got.size(), got.c_str());
}

/* ---- the conversions of C ---- */

/* Each is printed by a kernel, by the host, and by snprintf. */
#define CONVERSIONS(X) \
	X("plain") \
	X("") \
	X("%%") \
	X("100%% sure\n") \
	X("%d %i", 42, -42) \
	X("%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42) \
	X("%.3d|%8.3d|%-8.3d|", 7, 7, 7) \
	X("%.0d", 0) \
	X("%d %d", INT_MAX, INT_MIN) \
	X("%o %#o", 8u, 8u) \
	X("%u %u", 0u, UINT_MAX) \
	X("%x %X %#x %#X", 255u, 255u, 255u, 255u) \
	X("%u %x", -1, -1) \
	X("%+-8d|%- 8d|%#010x|%-#10x|", 3, 4, 5u, 6u) \
	X("%hhd %hhu %hhx", 300, 300, -1) \
	X("%hd %hu %ho", 70000, 70000, -2) \
	X("%ld %lu %lx", LONG_MIN, ULONG_MAX, 1L << 40) \
	X("%lld %llu %llX", LLONG_MIN, ULLONG_MAX, 1LL << 50) \
	X("%jd %ju", (intmax_t)-5, (uintmax_t)5) \
	X("%zu %zd %tx %td", (size_t)1 << 33, (ssize_t)-2, (ptrdiff_t)77, (ptrdiff_t)-77) \
	X("%hhi %c %d %d", (signed char)-3, 'c', (short)-9, true) \
	X("%*d|%-*d|%*d|%.*d|%*.*d", 6, 1, 6, 2, -6, 3, 4, 4, 7, -1, 5) \
	X("%c|%3c|%-3c|", 'a', 'b', 'c') \
	X("%c%c", 0, 'z') \
	X("%lc|%4lc|", (wint_t)L'w', (wint_t)L'x') \
	X("%s|%10s|%-10s|%.2s|%10.2s|", "text", "text", "text", "text", "text") \
	X("%s%s%s", "", "one", "") \
	X("%.*s|%.*s|%*s|", 3, "abcdef", -3, "abcdef", -8, "left") \
	X("%.0s|%.s|", "none", "none") \
	X("%.900s", "short") \
	X("%ls|%8ls|%.2ls|%-6.3ls|", L"wide", L"wide", L"wide", L"wide") \
	X("%ls", L"\u00e4\u20ac") \
	X("%lc", (wint_t)0x20ac) \
	X("%s", "\xe2\x82\xac") \
	X("%.4ls", L"\u20ac\u20ac") \
	X("%p|%20p|%-20p|", (void *)0x1234, (void *)0x1234, (void *)0x1234) \
	X("%p", (void *)NULL) \
	X("%f|%F|%.2f|%10.3f|%-10.3f|%+f|% f|%010.2f", 3.25, 3.25, 3.25, 3.25, 3.25, 3.25, 3.25, -3.25) \
	X("%.0f %#.0f", 2.5, 2.5) \
	X("%e|%E|%.3e|%12.4E|%.0e", 12345.678, 12345.678, 12345.678, 0.00012, 5.5) \
	X("%g|%G|%.10g|%#g|%g|%G", 1e10, 1e-10, 1.0 / 3, 1.0, 100000.0, 1e300) \
	X("%a|%A|%.2a|%20a|%-20a|", 1.0, 0.1, 1.999, -2.5, 3.0) \
	X("%f %e %g %a", (double)NAN, (double)INFINITY, -(double)INFINITY, 0.0) \
	X("%F %E %G %A", (double)NAN, (double)INFINITY, -(double)INFINITY, -0.0) \
	X("%lf %f", 1.5, 2.5f) \
	X("%f", 1e300) \
	X("%s is %d years, %.1f m, %c, %p, %%, %s", "she", 40, 1.7, 'x', (void *)16, "end") \
	X("%d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) \
	X("%300d|", 1) \
	X("%-5000s|", "padded") \
	X("%.1000f", 1.0 / 3)
#if GSHMEMI_ARCH_HAS_LONG_DOUBLE
#define LONG_DOUBLES(X) \
	X("%Lf|%.3Le|%Lg|%La|%10.2LF|", 3.25L, 1e4000L, 1.0L / 3, 1.0L, -2.5L) \
	X("%d %Lf %s %LG", 1, 2.0L, "three", 4e-4000L)
#else
#define LONG_DOUBLES(X)
#endif

struct result {
	int status;
	int count; /* of conversions in the list */
};

/* These deliberately include conversions that the compiler may warn about. */
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#pragma GCC diagnostic ignored "-Wformat-zero-length"
#pragma GCC diagnostic ignored "-Wformat-security"

__global__ static void print_conversion(int which, struct result *result)
{
	int k = 0;

#define X(...) \
	if (k++ == which) \
		result->status = gshmemx_printf(__VA_ARGS__);
	CONVERSIONS(X)
	LONG_DOUBLES(X)
#undef X
	result->count = k;
}

static int print_on_host(int which)
{
	int k = 0, status = -1;

#define X(...) \
	if (k++ == which) \
		status = gshmemx_printf(__VA_ARGS__);
	CONVERSIONS(X)
	LONG_DOUBLES(X)
#undef X
	return status;
}

static std::string print_by_libc(int which)
{
	static char text[8192];
	int k = 0, nbytes = 0;

#define X(...) \
	if (k++ == which) \
		nbytes = snprintf(text, sizeof text, __VA_ARGS__);
	CONVERSIONS(X)
	LONG_DOUBLES(X)
#undef X
	return std::string(text, (size_t)(nbytes < 0 ? 0 : nbytes));
}

static void test_conversions(struct result *result)
{
	std::string text;
	char what[64];
	int which;

	result->count = 1;
	for (which = 0; which < result->count; which++) {
		text = print_by_libc(which);
		result->status = -1;
		hipLaunchKernelGGL(print_conversion, dim3(1), dim3(1), 0, 0, which, result);
		t_hip(hipDeviceSynchronize());
		snprintf(what, sizeof what, "conversion %d of a kernel", which);
		expect(text, what);
		t_equal(result->status, (long)text.size(), what);
		snprintf(what, sizeof what, "conversion %d of the host", which);
		t_equal(print_on_host(which), (long)text.size(), what);
		expect(text, what);
	}
}

/* ---- wrong arguments ---- */

/* X(status, text, format, arguments ...) */
#define WRONG(X) \
	X(-EINVAL, "a (missing) b", "a %d b", ) \
	X(-EINVAL, "1 (missing) (missing)", "%d %s %f", , 1) \
	X(-EINVAL, "(missing)|(missing)|", "%*d|%.*f|", ) \
	X(-EINVAL, "(missing)|", "%*d|", , 5) \
	X(-EINVAL, "(not an integer) 2", "%d %d", , "one", 2) \
	X(-EINVAL, "(not an integer) (not an integer)", "%x %c", , 1.0, "c") \
	X(-EINVAL, "(not floating-point) x", "%f %s", , 1, "x") \
	X(-EINVAL, "(not a string) (not a string) (not a string)", "%s %s %s", , 7, 1.5, (void *)8) \
	X(-EINVAL, "(not a wide string) (not a string)", "%ls %s", , "narrow", L"wide") \
	X(-EINVAL, "(not a pointer) 0x10", "%p %p", , 16, (void *)16) \
	X(-EINVAL, "(not an integer)| 3", "%*d| %d", , "width", 2, 3) \
	X(-EINVAL, "a(%n is refused)b 5", "a%nb %d", , (int *)NULL, 5) \
	X(-EINVAL, "%y %v 1", "%y %v %d", , 1) \
	X(-EINVAL, "100%", "100%", ) \
	X(-EINVAL, "%-5.3l", "%-5.3l", , 1L) \
	X(-EINVAL, "%5%1", "%5%%d", , 1) \
	X(20, "-1 18446744073709551", "%d %.17s", , -1L, "18446744073709551615") \
	X(39, "18446744073709551615 -9223372036854775808", "%u %d", , ULLONG_MAX, LLONG_MIN) \
	X(6, "(null)", "%s", , (const char *)NULL) \
	X(17, "extra arguments 1", "extra arguments %d", , 1, 2, "three") \
	X(-EILSEQ, "(bad character)", "%lc", , (wint_t)0x80000000u)

__global__ static void print_wrong(int which, struct result *result)
{
	int k = 0;

#define X(STATUS, TEXT, FORMAT, ...) \
	if (k++ == which) \
		result->status = gshmemx_printf(FORMAT __VA_ARGS__);
	WRONG(X)
#undef X
	result->count = k;
}

static int print_wrong_on_host(int which)
{
	int k = 0, status = -1;

#define X(STATUS, TEXT, FORMAT, ...) \
	if (k++ == which) \
		status = gshmemx_printf(FORMAT __VA_ARGS__);
	WRONG(X)
#undef X
	return status;
}

static void test_wrong(struct result *result)
{
#define X(STATUS, TEXT, FORMAT, ...) {STATUS, TEXT},
	static const struct {
		int status;
		const char *text;
	} cases[] = { WRONG(X) };
#undef X
	int which;

	for (which = 0; which < (int)(sizeof cases / sizeof *cases); which++) {
		const int status =
			cases[which].status < 0 ? cases[which].status : (int)strlen(cases[which].text);

		hipLaunchKernelGGL(print_wrong, dim3(1), dim3(1), 0, 0, which, result);
		t_hip(hipDeviceSynchronize());
		expect(cases[which].text, "a wrong format of a kernel");
		t_equal(result->status, status, cases[which].text);
		t_equal(print_wrong_on_host(which), status, cases[which].text);
		expect(cases[which].text, "a wrong format of the host");
	}
	t_equal(result->count, which, "cases");
}

/* ---- long texts ---- */

__global__ static void print_string(const char *string, int limit, int *status)
{
	*status = gshmemx_printf("%d<%.*s>%s", limit, limit, string, "end");
}

static void test_long(struct result *result)
{
	static const int limits[][2] = {
		{0, 140}, {2000, 2060}, {4040, 4110}, {65530, 65540}, {200000, 200000}, {1 << 20, 1 << 20}};
	const int most = 1 << 20;
	std::string text;
	char *string, what[64];
	unsigned i;
	int limit;

	for (limit = 0; limit < most; limit++)
		text += (char)('!' + limit % 90);
	t_hip(hipMalloc((void **)&string, (size_t)most + 1));
	t_hip(hipMemcpy(string, text.c_str(), (size_t)most + 1, hipMemcpyHostToDevice));
	for (i = 0; i < sizeof limits / sizeof *limits; i++) {
		for (limit = limits[i][0]; limit <= limits[i][1]; limit++) {
			const std::string expected =
				std::to_string(limit) + "<" + text.substr(0, (size_t)limit) + ">end";

			hipLaunchKernelGGL(
				print_string, dim3(1), dim3(1), 0, 0, string, limit, &result->status);
			t_hip(hipDeviceSynchronize());
			snprintf(what, sizeof what, "a string of %d", limit);
			expect(expected, what);
			t_equal(result->status, (long)expected.size(), what);
		}
	}
	hipLaunchKernelGGL(print_string, dim3(1), dim3(1), 0, 0, string, -1, &result->status);
	t_hip(hipDeviceSynchronize());
	expect("-1<" + text + ">end", "a string of 1 MiB");
	t_hip(hipFree(string));
}

#ifdef __HIP_PLATFORM_CPU__
__global__ static void print_edge(const char *end, const wchar_t *wide_end, struct result *result)
{
	result->status = gshmemx_printf(
		"%.3s %.*s %.2ls %.0s|%d %p", end - 3, 5, end - 5, wide_end - 2, end, end, end, end);
}

/* Unreadable memory follows these strings; and an argument that is not printed as text is not read at all. */
static void test_edge(struct result *result)
{
	const size_t nbytes = (size_t)sysconf(_SC_PAGESIZE);
	char *memory =
		(char *)mmap(NULL, 2 * nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *wide =
		(char *)mmap(NULL, 2 * nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char expected[128];

	t_check(memory != MAP_FAILED && wide != MAP_FAILED, "mmap");
	memcpy(memory + nbytes - 5, "hello", 5);
	memcpy(wide + nbytes - 2 * sizeof(wchar_t), L"wi", 2 * sizeof(wchar_t));
	t_check(!mprotect(memory + nbytes, nbytes, PROT_NONE) && !mprotect(wide + nbytes, nbytes, PROT_NONE),
		"mprotect");
	hipLaunchKernelGGL(print_edge, dim3(1), dim3(1), 0, 0, memory + nbytes,
		(wchar_t *)(void *)(wide + nbytes), result);
	t_hip(hipDeviceSynchronize());
	snprintf(expected, sizeof expected, "llo hello wi |(not an integer) %p", (void *)(memory + nbytes));
	expect(expected, "strings at the end of memory");
	t_equal(result->status, -EINVAL, "strings at the end of memory");
}
#else
static void test_edge(struct result *result)
{
	(void)result;
}
#endif

/* ---- many lanes ---- */

#define NBLOCKS  4
#define NTHREADS 128
#define NTIMES   3

/* Two calls in diverged branches; a third of the lanes does not call. Lane i's text has 3 * i dots. */
__global__ static void print_lanes(const char *dots, int *status)
{
	const int block = (int)blockIdx.x, i = (int)threadIdx.x, at = block * NTHREADS + i;
	int k, n;

	if (i % 3 == 0)
		return;
	for (k = 0; k < NTIMES; k++) {
		if (i % 2)
			n = gshmemx_printf("block %d, thread %d, time %d: %.*s\n", block, i, k, 3 * i, dots);
		else
			n = gshmemx_printf("block %d, even thread %d, time %d: %s %g\n", block, i, k,
				"no dots", 0.5 * i);
		status[at] = k == 0 ? n : status[at] < 0 || n < 0 ? -1 : status[at] + n;
	}
}

static void test_lanes(void)
{
	std::string expected, got, line, dots(3 * (size_t)NTHREADS, '.');
	size_t before, nlines = 0, at, end;
	int block, i, k, *status, total = 0, said = 0;
	char text[1024], *device_dots;

	t_hip(hipHostMalloc((void **)&status, NBLOCKS * NTHREADS * sizeof *status, 0));
	t_hip(hipMalloc((void **)&device_dots, dots.size() + 1));
	t_hip(hipMemcpy(device_dots, dots.c_str(), dots.size() + 1, hipMemcpyHostToDevice));
	for (block = 0; block < NBLOCKS; block++) {
		for (i = 0; i < NTHREADS; i++) {
			for (k = 0; i % 3 && k < NTIMES; k++) {
				total += i % 2
					? snprintf(text, sizeof text, "block %d, thread %d, time %d: %.*s\n",
						  block, i, k, 3 * i, dots.c_str())
					: snprintf(text, sizeof text,
						  "block %d, even thread %d, time %d: no dots %g\n", block, i,
						  k, 0.5 * i);
				expected += text;
				nlines++;
			}
		}
	}
	pthread_mutex_lock(&lock);
	before = npackets;
	pthread_mutex_unlock(&lock);
	hipLaunchKernelGGL(print_lanes, dim3(NBLOCKS), dim3(NTHREADS), 0, 0, device_dots, status);
	t_hip(hipDeviceSynchronize());
	got = take(expected.size());
	t_equal((long)got.size(), (long)expected.size(), "bytes of all lanes");
	t_equal((long)(npackets - before), (long)nlines, "writes");
	for (at = 0; at < expected.size(); at = end + 1) {
		end = expected.find('\n', at);
		line = expected.substr(at, end + 1 - at);
		t_check(got.compare(0, line.size(), line) == 0 || got.find("\n" + line) != std::string::npos,
			"not printed: %s", line.c_str());
	}
	for (i = 0; i < NBLOCKS * NTHREADS; i++)
		said += i % NTHREADS % 3 ? status[i] : 0;
	t_equal(said, total, "bytes that the calls say they printed");
	t_hip(hipFree(device_dots));
	t_hip(hipHostFree(status));
}

/* ---- when it is out ---- */

__global__ static void print_and_wait(volatile int *flag)
{
	gshmemx_printf("block %d waits\n", (int)blockIdx.x);
	while (!*flag)
		;
}

/* The kernel goes on only when the host has seen its text. The host's earlier output comes first. */
static void test_early(volatile int *flag)
{
	const std::string first = "block 0 waits\n", second = "block 1 waits\n";
	std::string got;

	printf("the host's ");
	*flag = 0;
	hipLaunchKernelGGL(print_and_wait, dim3(2), dim3(1), 0, 0, flag);
	got = take(11 + first.size() + second.size());
	*flag = 1;
	t_hip(hipDeviceSynchronize());
	t_check(got == "the host's " + first + second || got == "the host's " + second + first,
		"text of kernels that wait: \"%s\"", got.c_str());
}

int main(void)
{
	struct result *result;

	t_check(setlocale(LC_ALL, "C.UTF-8"), "the locale C.UTF-8 is not there");
	catch_stdout();
	t_equal(gshmemx_printf("%s\n", "before init"), 12, "before init");
	expect("before init\n", "before init");
	gshmem_init();
	t_hip(hipHostMalloc((void **)&result, sizeof *result, 0));
	test_conversions(result);
	test_wrong(result);
	test_long(result);
	test_edge(result);
	test_lanes();
	test_early(&result->status);
	t_hip(hipHostFree(result));
	gshmem_finalize();
	return 0;
}
