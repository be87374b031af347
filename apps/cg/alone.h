/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The solver of cg.h on CPUs, for comparison: on one CPU, or with what exchanges edges and makes sums between
 * several.
 */
#ifndef APPS_CG_ALONE_H
#define APPS_CG_ALONE_H

#include <math.h>
#include <algorithm>
#include <vector>

#include "cg.h"

struct box {
	int nx, ny, nz;
	size_t plane, n; /* points of a plane, and of the box */
};

static inline struct box box_of(int nx, int ny, int nz)
{
	const size_t plane = (size_t)nx * (size_t)ny;
	const struct box box = {nx, ny, nz, plane, plane * (size_t)nz};

	return box;
}

/* Memory of the solver. */
struct alone {
	struct box box;
	int first;             /* the plane of the whole box at which this one begins */
	std::vector<double> p; /* with a plane below and one above the box */
	std::vector<double> q, r;
};

static inline struct alone alone_of(const struct box &box, int first)
{
	return {box, first, std::vector<double>(box.n + 2 * box.plane), std::vector<double>(box.n),
		std::vector<double>(box.n)};
}

/* q = A p */
template <typename Operator> static inline void alone_apply(struct alone &w, const Operator &a)
{
	const double *p = w.p.data() + w.box.plane;
	double *q = w.q.data();

	for (int z = 0; z < w.box.nz; z++)
		for (int y = 0; y < w.box.ny; y++)
			for (int x = 0; x < w.box.nx; x++)
				*q++ = a(p++, x, y, w.first + z);
}

static inline double alone_dot(size_t n, const double *a, const double *b)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* exchange(p) fills the planes below and above p; sum_of(value) returns the sum of all CPUs' values. */
template <typename Operator, typename Exchange, typename Sum>
static inline struct cg_result alone_solve_with(struct alone &w, const Operator &a, const double *b,
	double *x, double tolerance, int most_iterations, Exchange exchange, Sum sum_of)
{
	const size_t n = w.box.n;
	double *p = w.p.data() + w.box.plane, *q = w.q.data(), *r = w.r.data(), beta = 0;
	struct cg_result result = {0, 0, sum_of(alone_dot(n, b, b))};

	result.rr = result.bb;
	for (size_t i = 0; i < n; i++) {
		x[i] = p[i] = 0;
		r[i] = b[i];
	}
	while (result.niterations < most_iterations && result.rr > tolerance * tolerance * result.bb) {
		for (size_t i = 0; i < n; i++)
			p[i] = r[i] + beta * p[i];
		exchange(w.p.data());
		alone_apply(w, a);
		const double alpha = result.rr / sum_of(alone_dot(n, p, q));

		for (size_t i = 0; i < n; i++) {
			x[i] += alpha * p[i];
			r[i] -= alpha * q[i];
		}
		const double rr = sum_of(alone_dot(n, r, r));

		beta = rr / result.rr;
		result.rr = rr;
		result.niterations++;
	}
	return result;
}

/* On one CPU. */
template <typename Operator>
static inline struct cg_result alone_solve(const struct box &box, const Operator &a, const double *b,
	double *x, double tolerance, int most_iterations)
{
	struct alone w = alone_of(box, 0);

	return alone_solve_with(
		w, a, b, x, tolerance, most_iterations, [](double *) {}, [](double sum) { return sum; });
}

/* b = A x */
template <typename Operator>
static inline void alone_product(const struct box &box, const Operator &a, const double *x, double *b)
{
	struct alone w = alone_of(box, 0);

	std::copy(x, x + box.n, w.p.begin() + (long)box.plane);
	alone_apply(w, a);
	std::copy(w.q.begin(), w.q.end(), b);
}

/* |b - A x| / |b| */
template <typename Operator>
static inline double alone_residual(
	const struct box &box, const Operator &a, const double *b, const double *x)
{
	std::vector<double> r(box.n);

	alone_product(box, a, x, r.data());
	for (size_t i = 0; i < box.n; i++)
		r[i] = b[i] - r[i];
	return sqrt(alone_dot(box.n, r.data(), r.data()) / alone_dot(box.n, b, b));
}

#endif /* APPS_CG_ALONE_H */
