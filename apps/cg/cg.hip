/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Poisson's equation in a box that is cut into planes for PEs, by conjugate gradients: in one kernel (cg.h),
 * as kernels and calls on a stream (split.h), and on one CPU (alone.h).
 *
 *     gshmemcc -o cg cg.hip && mpirun -n 4 ./cg
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <algorithm>
#include <vector>

#include "cg.h"
#include "poisson.h"
#include "split.h"
#include "alone.h"

#define NX        20
#define NY        18
#define NZ        22
#define NGROUPS   3
#define NTHREADS  64
#define TOLERANCE 1e-8
#define MOST      500 /* iterations */

/* The solution: charges of both signs. */
static double solution(int i)
{
	return (double)(i * 29 % 17 - 8) / 8;
}

__global__ static void fused(
	struct cg c, struct poisson a, const double *b, double *x, struct cg_result *result)
{
	const struct cg_result mine = cg_solve_grid(c, a, b, x, TOLERANCE, MOST);

	if (blockIdx.x == 0 && threadIdx.x == 0)
		*result = mine;
}

static int run_fused(struct poisson a, const double *b, double *x, struct cg_result *result_p)
{
	struct cg_result *result;
	struct cg c;
	void *args[] = {&c, &a, &b, &x, &result};
	int rc = cg_create(&c, NX, NY, NZ, NGROUPS);

	if (rc)
		return rc;
	rc = hipMalloc((void **)&result, sizeof *result) != hipSuccess;
	/* Work-groups that wait for each other, and for other PEs, must all be resident. */
	rc = rc || gshmemx_collective_launch(fused, dim3(NGROUPS), dim3(NTHREADS), args, 0, 0);
	rc = rc || hipMemcpy(result_p, result, sizeof *result, hipMemcpyDeviceToHost) != hipSuccess;
	rc = rc || hipFree(result) != hipSuccess;
	cg_destroy(&c);
	return rc;
}

static int run_split(struct poisson a, const double *b, double *x, struct cg_result *result_p)
{
	struct split s;
	int rc = split_create(&s, NX, NY, NZ, NGROUPS);

	if (rc)
		return rc;
	rc = split_solve(s, a, b, x, TOLERANCE, MOST, NTHREADS, 0, result_p);
	split_destroy(&s);
	return rc;
}

/* The planes of x of all PEs. */
static void gather(const double *x, const struct box &box, std::vector<double> &all)
{
	const int npes = gshmem_n_pes();

	gshmem_barrier_all();
	for (int pe = 0; pe < npes; pe++) {
		const struct cg_range planes = cg_part(box.nz, pe, npes);

		gshmem_double_get(
			&all[(size_t)planes.begin * box.plane], x, (size_t)planes.n * box.plane, pe);
	}
	gshmem_barrier_all();
}

/* Whether a way came to an end, after about as many iterations as one CPU, and with what it promises. */
static bool is_right(const char *way, const struct box &box, const struct poisson &a,
	const std::vector<double> &b, const double *x, struct cg_result got, struct cg_result alone)
{
	std::vector<double> all(box.n);
	double worst = 0;

	gather(x, box, all);
	for (size_t i = 0; i < box.n; i++)
		worst = std::max(worst, fabs(all[i] - solution((int)i)));
	const double residual = alone_residual(box, a, b.data(), all.data());

	if (gshmem_my_pe() == 0)
		printf("%s: %d iterations, on one CPU %d; |b - A x| is %.1e |b|; x at most %.1e off\n", way,
			got.niterations, alone.niterations, residual, worst);
	return abs(got.niterations - alone.niterations) <= 2 && residual <= 1.01 * TOLERANCE;
}

int main()
{
	gshmem_init();
	const struct box box = box_of(NX, NY, NZ);
	const struct poisson a = {NX, NY};
	const struct cg_range planes = cg_part(NZ, gshmem_my_pe(), gshmem_n_pes());
	const size_t first = (size_t)planes.begin * box.plane, nbytes = planes.n * box.plane * sizeof(double);
	std::vector<double> known(box.n), b(box.n), alone(box.n);
	double *x = (double *)gshmem_calloc(box.n, sizeof(double)), *mine;
	struct cg_result got, serial;

	for (size_t i = 0; i < box.n; i++)
		known[i] = solution((int)i);
	alone_product(box, a, known.data(), b.data());
	serial = alone_solve(box, a, b.data(), alone.data(), TOLERANCE, MOST);
	if (!x || hipMalloc((void **)&mine, box.n * sizeof(double)) != hipSuccess ||
		hipMemcpy(mine, &b[first], nbytes, hipMemcpyHostToDevice) != hipSuccess)
		return 1;
	bool ok = !run_fused(a, mine, x, &got) && is_right("fused", box, a, b, x, got, serial);

	ok = !run_split(a, mine, x, &got) && is_right("split", box, a, b, x, got, serial) && ok;
	ok = hipFree(mine) == hipSuccess && ok;
	gshmem_free(x);
	gshmem_finalize();
	return !ok;
}
