/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The solver of cg.h without fusion: a kernel for each step, and puts, a sync and reductions on the stream
 * between them. The host reads |r|^2 after each iteration. A reduction orders nothing but its own data, and
 * the PEs sync once in an iteration, behind the puts. So p is double-buffered: a PE that puts the edges of
 * iteration n + 2 has come through the sync of n + 1, to which each PE came after it had read those of n.
 */
#ifndef APPS_CG_SPLIT_H
#define APPS_CG_SPLIT_H

#include <vector>

#include "cg.h"

/* Sums over PEs of the parts of work-groups. */
struct split {
	struct cg c;   /* with the p of even iterations */
	double *odd_p; /* symmetric, as c.p */
	double *rr[2]; /* symmetric: [ngroups]: of (r, r), in even and odd iterations */
	double *pq;    /* symmetric: [ngroups] */
};

/* Collective. Returns 0, or -EINVAL or -ENOMEM on all PEs. */
static inline int split_create(struct split *s, int nx, int ny, int nz, int ngroups)
{
	const int rc = cg_create(&s->c, nx, ny, nz, ngroups);
	const size_t nplanes = (size_t)cg_part(nz, 0, gshmem_n_pes()).n + 2;

	if (rc)
		return rc;
	s->odd_p = (double *)gshmem_calloc(nplanes * s->c.plane + 3 * (size_t)ngroups, sizeof(double));
	s->rr[0] = s->odd_p + nplanes * s->c.plane;
	s->rr[1] = s->rr[0] + ngroups;
	s->pq = s->rr[1] + ngroups;
	if (s->odd_p)
		return 0;
	cg_destroy(&s->c);
	return -ENOMEM;
}

static inline void split_destroy(struct split *s)
{
	gshmem_free(s->odd_p);
	cg_destroy(&s->c);
}

#if defined(__cplusplus) && GSHMEMI_KERNELS

/* p of iteration n. */
__host__ __device__ static inline double *split_p(const struct split &s, int n)
{
	return n & 1 ? s.odd_p : s.c.p;
}

__device__ static inline double split_total(const struct split &s, const double *sums)
{
	double total = 0;

	for (int group = 0; group < s.c.ngroups; group++)
		total += sums[group];
	return total;
}

/* The work-group's part of a sum, which a reduction takes. */
__device__ static inline void split_part_wg(const struct split &s, double value)
{
	__shared__ double values[CG_MOST_THREADS];

	value = cg_sum_wg(values, value, (int)blockDim.x);
	if (threadIdx.x == 0)
		s.c.parts[blockIdx.x] = value;
}

__global__ static void split_begin(struct split s, const double *b, double *x)
{
	const struct cg_range mine = cg_mine(s.c);
	const size_t end = (size_t)(mine.begin + mine.n) * s.c.plane;
	double sum = 0;

	for (size_t i = (size_t)mine.begin * s.c.plane + threadIdx.x; i < end; i += blockDim.x) {
		x[i] = s.odd_p[s.c.plane + i] = 0;
		s.c.r[i] = b[i];
		sum += b[i] * b[i];
	}
	split_part_wg(s, sum);
}

__global__ static void split_direct(struct split s, int n)
{
	const struct cg_range mine = cg_mine(s.c);
	const size_t end = (size_t)(mine.begin + mine.n) * s.c.plane;
	const double beta = n ? split_total(s, s.rr[n & 1]) / split_total(s, s.rr[(n + 1) & 1]) : 0;
	const double *last = split_p(s, n + 1) + s.c.plane;
	double *p = split_p(s, n) + s.c.plane;

	for (size_t i = (size_t)mine.begin * s.c.plane + threadIdx.x; i < end; i += blockDim.x)
		p[i] = s.c.r[i] + beta * last[i];
}

template <typename Operator> __global__ static void split_apply(struct split s, Operator a, int n)
{
	const struct cg_range mine = cg_mine(s.c);
	double sum = 0;

	s.c.p = split_p(s, n);

	for (int z = mine.begin; z < mine.begin + mine.n; z++)
		sum += cg_apply_plane_wg(s.c, a, z);
	split_part_wg(s, sum);
}

__global__ static void split_step(struct split s, double *x, int n)
{
	const struct cg_range mine = cg_mine(s.c);
	const size_t end = (size_t)(mine.begin + mine.n) * s.c.plane;
	const double alpha = split_total(s, s.rr[n & 1]) / split_total(s, s.pq),
		     *p = split_p(s, n) + s.c.plane;
	double sum = 0;

	for (size_t i = (size_t)mine.begin * s.c.plane + threadIdx.x; i < end; i += blockDim.x) {
		x[i] += alpha * p[i];
		s.c.r[i] -= alpha * s.c.q[i];
		sum += s.c.r[i] * s.c.r[i];
	}
	split_part_wg(s, sum);
}

static inline int split_reduce(const struct split &s, double *sums, hipStream_t stream)
{
	return gshmemx_double_sum_reduce_on_stream(
		GSHMEM_TEAM_WORLD, sums, s.c.parts, (size_t)s.c.ngroups, stream);
}

static inline int split_read(const struct split &s, const double *sums, hipStream_t stream, double *total_p)
{
	std::vector<double> parts((size_t)s.c.ngroups);

	if (hipMemcpyAsync(parts.data(), sums, parts.size() * sizeof(double), hipMemcpyDeviceToHost,
		    stream) != hipSuccess ||
		hipStreamSynchronize(stream) != hipSuccess)
		return -EIO;
	*total_p = 0;
	for (double part : parts)
		*total_p += part;
	return 0;
}

/* Sends the edges of p. */
static inline int split_send(const struct split &s, int n, hipStream_t stream)
{
	double *p = split_p(s, n);
	int rc = 0;

	for (const struct cg_side &side : s.c.sides)
		if (side.pe >= 0 && !rc)
			rc = gshmemx_double_put_on_stream(p + (size_t)side.to * s.c.plane,
				p + (size_t)(side.plane + 1) * s.c.plane, s.c.plane, side.pe, stream);
	return rc ? rc : gshmemx_sync_all_on_stream(stream);
}

/* As cg_solve_grid, on the host of every PE. Returns 0 or -errno. */
template <typename Operator>
static inline int split_solve(const struct split &s, const Operator &a, const double *b, double *x,
	double tolerance, int most_iterations, unsigned nthreads, hipStream_t stream,
	struct cg_result *result_p)
{
	const dim3 grid((unsigned)s.c.ngroups), block(nthreads);
	struct cg_result result = {0, 0, 0};
	int rc;

	hipLaunchKernelGGL(split_begin, grid, block, 0, stream, s, b, x);
	rc = gshmemx_sync_all_on_stream(stream); /* all PEs have read the edges of the last solve */
	rc = rc ? rc : split_reduce(s, s.rr[0], stream);
	rc = rc ? rc : split_read(s, s.rr[0], stream, &result.bb);
	result.rr = result.bb;
	for (int n = 0; !rc && n < most_iterations && result.rr > tolerance * tolerance * result.bb; n++) {
		hipLaunchKernelGGL(split_direct, grid, block, 0, stream, s, n);
		rc = split_send(s, n, stream);
		hipLaunchKernelGGL(HIP_KERNEL_NAME(split_apply<Operator>), grid, block, 0, stream, s, a, n);
		rc = rc ? rc : split_reduce(s, s.pq, stream);
		hipLaunchKernelGGL(split_step, grid, block, 0, stream, s, x, n);
		rc = rc ? rc : split_reduce(s, s.rr[(n + 1) & 1], stream);
		rc = rc ? rc : split_read(s, s.rr[(n + 1) & 1], stream, &result.rr);
		result.niterations = n + 1;
	}
	*result_p = result;
	return rc;
}

#endif

#endif /* APPS_CG_SPLIT_H */
