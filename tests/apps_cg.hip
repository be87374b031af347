/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,8 */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 */
/*
 * apps/cg: boxes with odd sides, with one plane for each PE, with planes that PEs share unevenly, with fewer
 * planes than PEs, and than work-groups. A kernel solves several times with one handle: to a tolerance, for
 * b = 0, and for two iterations. A second kernel gives the same bits, and so do all PEs. The solution is the
 * one that is known, and takes as many iterations as on one CPU.
 */
#include <math.h>
#include <string.h>
#include <algorithm>
#include <vector>

#include "../apps/cg/cg.h"
#include "../apps/cg/poisson.h"
#include "../apps/cg/alone.h"
#include "helpers.h"

#define TOLERANCE 1e-6
#define MOST      1000 /* iterations */
#define NSHORT    2

enum { WHOLE, ZERO, SHORT, NSOLVES };
static const struct shape {
	int nx, ny, nz, ngroups, nthreads;
} shapes[] = {{1, 1, 1, 1, 64}, {5, 7, 3, 3, 64}, {9, 5, 8, 4, 96}, {3, 1, 17, 2, 64}, {8, 6, 11, 3, 128}};

/* b and x are [NSOLVES][n]. */
__global__ static void solve(
	struct cg c, struct poisson a, const double *b, double *x, size_t n, struct cg_result *results)
{
	for (int i = 0; i < NSOLVES; i++) {
		const struct cg_result result = cg_solve_grid(c, a, b + (size_t)i * n, x + (size_t)i * n,
			i == SHORT ? 0 : TOLERANCE, i == SHORT ? NSHORT : MOST);

		if (blockIdx.x == 0 && threadIdx.x == 0)
			results[i] = result;
	}
}

/* What all PEs have found: x of the whole box, and the same results. */
struct found {
	std::vector<double> x[NSOLVES];
	struct cg_result results[NSOLVES];
};

static void gather(const struct box &box, const double *x, size_t n, const struct cg_result *results,
	struct found *found)
{
	const int npes = gshmem_n_pes();

	gshmem_barrier_all();
	for (int pe = npes - 1; pe >= 0; pe--) {
		const struct cg_range planes = cg_part(box.nz, pe, npes);
		struct cg_result *got = found->results, last[NSOLVES];

		memcpy(last, got, sizeof last);
		gshmem_getmem(got, results, sizeof last, pe);
		for (int i = 0; i < NSOLVES; i++) {
			found->x[i].resize(box.n);
			gshmem_double_get(&found->x[i][(size_t)planes.begin * box.plane], x + (size_t)i * n,
				(size_t)planes.n * box.plane, pe);
			t_check(pe == npes - 1 ||
					(got[i].niterations == last[i].niterations &&
						got[i].rr == last[i].rr && got[i].bb == last[i].bb),
				"solve %d: PE %d made %d iterations to %a, PE %d %d to %a", i, pe,
				got[i].niterations, got[i].rr, pe + 1, last[i].niterations, last[i].rr);
		}
	}
	gshmem_barrier_all();
}

static void check_same(const struct found &a, const struct found &b, size_t n)
{
	for (int i = 0; i < NSOLVES; i++) {
		t_equal(b.results[i].niterations, a.results[i].niterations,
			"iterations of the second kernel");
		t_check(!memcmp(a.x[i].data(), b.x[i].data(), n * sizeof(double)),
			"solve %d: the second kernel has other bits", i);
	}
}

/* The least eigenvalue of the operator: an error is at most the residual divided by it. */
static double least(const struct box &box)
{
	double sum = 0;

	for (int n : {box.nx, box.ny, box.nz})
		sum += 2 - 2 * cos(acos(-1.0) / (n + 1));
	return sum;
}

static void check(const struct box &box, const std::vector<double> &solution, const std::vector<double> &b,
	const struct found &found)
{
	const struct poisson a = {box.nx, box.ny};
	std::vector<double> alone(box.n);
	const struct cg_result whole = alone_solve(box, a, b.data(), alone.data(), TOLERANCE, MOST);
	const double residual = alone_residual(box, a, b.data(), found.x[WHOLE].data());
	const double bound = 1.01 * TOLERANCE * sqrt(whole.bb) / least(box);

	t_check(abs(found.results[WHOLE].niterations - whole.niterations) <= 2,
		"%d x %d x %d: %d iterations, %d on one CPU", box.nx, box.ny, box.nz,
		found.results[WHOLE].niterations, whole.niterations);
	t_check(residual <= 1.01 * TOLERANCE, "%d x %d x %d: |b - A x| is %g |b|", box.nx, box.ny, box.nz,
		residual);
	t_equal(found.results[ZERO].niterations, 0, "iterations for b = 0");
	t_check(found.results[SHORT].niterations == NSHORT || box.n == 1, "%d iterations, not %d",
		found.results[SHORT].niterations, NSHORT);
	alone_solve(box, a, b.data(), alone.data(), 0, NSHORT);
	for (size_t i = 0; i < box.n; i++) {
		t_check(fabs(found.x[WHOLE][i] - solution[i]) <= bound,
			"%d x %d x %d: x at %zu is %g, not %g", box.nx, box.ny, box.nz, i, found.x[WHOLE][i],
			solution[i]);
		t_check(found.x[ZERO][i] == 0, "b = 0: x at %zu is %g", i, found.x[ZERO][i]);
		/* Two iterations differ in the order of sums alone. */
		t_check(fabs(found.x[SHORT][i] - alone[i]) <= 1e-12 * sqrt(whole.bb),
			"two iterations: x at %zu is %g, not %g", i, found.x[SHORT][i], alone[i]);
	}
}

static void check_shape(const struct shape &s)
{
	const struct box box = box_of(s.nx, s.ny, s.nz);
	struct poisson a = {s.nx, s.ny};
	std::vector<double> solution(box.n), b(box.n);
	double *mine, *x;
	struct cg_result *results;
	struct found found[2];
	struct cg c;

	for (size_t i = 0; i < box.n; i++)
		solution[i] = (double)(i * 29 % 17) - 8; /* so that b is exact */
	alone_product(box, a, solution.data(), b.data());
	t_equal(cg_create(&c, s.nx, s.ny, s.nz, s.ngroups), 0, "create");
	size_t n = (size_t)cg_part(s.nz, 0, gshmem_n_pes()).n * box.plane;
	const size_t nbytes = NSOLVES * n * sizeof(double);
	void *args[] = {&c, &a, &mine, &x, &n, &results};

	x = (double *)gshmem_malloc(nbytes);
	results = (struct cg_result *)gshmem_malloc(NSOLVES * sizeof *results);
	t_hip(hipMalloc((void **)&mine, nbytes));
	t_hip(hipMemset(mine, 0, nbytes));
	for (int i : {WHOLE, SHORT})
		t_hip(hipMemcpy(mine + (size_t)i * n, b.data() + (size_t)c.planes.begin * box.plane,
			(size_t)c.planes.n * box.plane * sizeof(double), hipMemcpyHostToDevice));
	for (struct found &each : found) {
		t_memset(x, 0xff, nbytes);
		t_equal(gshmemx_collective_launch(
				solve, dim3((unsigned)s.ngroups), dim3((unsigned)s.nthreads), args, 0, 0),
			0, "launch");
		t_hip(hipDeviceSynchronize());
		gather(box, x, n, results, &each);
	}
	check_same(found[0], found[1], box.n);
	check(box, solution, b, found[0]);
	t_hip(hipFree(mine));
	gshmem_free(results);
	gshmem_free(x);
	cg_destroy(&c);
}

int main(void)
{
	struct cg c;

	gshmem_init();
	for (const struct shape &s : shapes)
		check_shape(s);
	t_equal(cg_create(&c, 4, 4, 0, 1), -EINVAL, "create without planes");
	gshmem_finalize();
	return 0;
}
