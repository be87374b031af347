/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients in one kernel (M. R. Hestenes, E. Stiefel, "Methods of Conjugate Gradients for Solving
 * Linear Systems", J. Res. Natl. Bur. Stand. 49, 1952). The unknowns are a box of nx * ny * nz points, cut
 * along z: each PE has consecutive planes, and its work-groups share them. The operator A couples a point
 * with points of its own plane and of the two planes beside it. An iteration computes
 *
 *     p = r + beta p               each work-group in its planes. The PE's edges, its first and its last
 *                                  plane, go to the PEs that have the next planes
 *     q = A p                      in all other planes, while the edges travel; then in the edges
 *     alpha = rr / (p, q)          a sum over all PEs
 *     x += alpha p, r -= alpha q
 *     beta = (r, r) / rr           a sum over all PEs; (r, r) is the next rr
 *
 * A sum adds threads, then work-groups, then PEs, in a fixed order. So all PEs have the same bits and end in
 * the same iteration, and a run with the same numbers of PEs, work-groups and threads repeats these bits.
 *
 * What is ordered by what:
 *
 *   meetings  The work-groups of a PE meet by a count: each makes a fence, adds 1, and waits until all have
 *             added. They meet between p and q, because q takes p of other work-groups' planes.
 *   sums      Work-group 0 waits for the same count, adds the parts of its PE's work-groups, and puts this
 *             PE's share to all PEs, its own included. All work-groups wait for the shares of all PEs. So a
 *             work-group that has a sum knows that every work-group of every PE has come to it.
 *   edges     A put_signal raises the signal behind its data, for edges as for shares.
 *
 * What may be overwritten when:
 *
 *   p         Other work-groups of the PE read it before they come to (p, q). A work-group writes it again
 *             when it has (r, r).
 *   parts     They are double-buffered by the parity of the sum. A work-group that makes its part of sum
 *             n + 2 has sum n + 1, to which work-group 0 came after all its threads had read the parts of sum
 *             n. With one buffer the thread that sends to PE 1 may read a part of sum n + 1: the PE's
 *             work-groups go on as soon as they have got all shares, their own PE's by another thread.
 *   shares    They and their signals are double-buffered likewise. A PE that sends its share of sum n + 2 has
 *             sum n + 1. For that one each PE has sent its share after all its work-groups had waited for,
 *             and read, all shares of sum n. So no share of sum n is under way or in use. With one buffer the
 *             share of sum n + 1 could arrive before that of sum n: nothing orders them.
 *   edges     They and their signals need one buffer, because two sums lie between the edges of two
 *             iterations. A PE that sends its edge again has the last (p, q). The PE beside came to that sum
 *             after it had waited for, and read, the last edge.
 *
 * Signals are raised to the number of the last sum, which goes on from solve to solve, so nothing resets
 * them. For another operator see poisson.h.
 */
#ifndef APPS_CG_H
#define APPS_CG_H

#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx.h>

#define CG_MOST_THREADS 1024 /* of a work-group */

/* Consecutive planes. */
struct cg_range {
	int begin, n;
};

/* Below a PE's first plane, or above its last. */
struct cg_side {
	int pe;    /* that has the next plane */
	int plane; /* this PE's edge, or -1 if no PE has a next plane */
	int to;    /* the plane of that PE's p which the edge is copied to */
};

/* How far a work-group has come, in all solves. */
struct cg_steps {
	uint64_t narrived; /* the count at which all work-groups of the PE have come to the last meeting */
	uint64_t nsums;
};

struct cg {
	int nx, npes, ngroups;
	struct cg_range planes; /* of this PE */
	struct cg_side sides[2];
	size_t plane;         /* points of a plane */
	double *p;            /* symmetric: [planes.n + 2][ny][nx], with the edges of the PEs beside, or 0 */
	double *r, *q;        /* [planes.n][ny][nx] */
	double *parts;        /* [2][ngroups]: of odd and even sums */
	double *shares;       /* symmetric: [2][npes]: of odd and even sums */
	uint64_t *came;       /* symmetric: [2][npes]: the sum whose share is here */
	uint64_t *edges_came; /* symmetric: [2]: the last sum before the edge that is here, of each side */
	uint64_t *narrived;   /* the count of the PE's work-groups */
	struct cg_steps *steps; /* [ngroups] */
};

struct cg_result {
	int niterations;
	double rr, bb; /* |r|^2, as the iterations have made it, and |b|^2 */
};

/* Part i of n planes in nparts: the first n % nparts have one more. */
__host__ __device__ static inline struct cg_range cg_part(int n, int i, int nparts)
{
	const int each = n / nparts, rest = n % nparts;
	const struct cg_range part = {i * each + (i < rest ? i : rest), each + (i < rest)};

	return part;
}

/* Collective, on the host. */
static inline void cg_destroy(struct cg *c)
{
	gshmem_free(c->came);
	gshmem_free(c->p);
}

/*
 * Allocates for a box of nx * ny * nz points, and for kernels of ngroups work-groups on each PE. If there are
 * more PEs than planes, the last PEs have none, and take part in the sums alone. Collective, on the host.
 * Returns 0, or on all PEs -EINVAL or -ENOMEM.
 */
static inline int cg_create(struct cg *c, int nx, int ny, int nz, int ngroups)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();

	if (nx < 1 || ny < 1 || nz < 1 || ngroups < 1)
		return -EINVAL;
	const struct cg_range planes = cg_part(nz, me, npes);
	const size_t plane = (size_t)nx * (size_t)ny, most = (size_t)cg_part(nz, 0, npes).n * plane;
	const bool has_below = planes.n && planes.begin, has_above = planes.n && planes.begin + planes.n < nz;
	const struct cg_side none = {-1, -1, 0};
	const struct cg_side below = {me - 1, 0, has_below ? cg_part(nz, me - 1, npes).n + 1 : 0};
	const struct cg_side above = {me + 1, planes.n - 1, 0};

	c->nx = nx, c->npes = npes, c->ngroups = ngroups;
	c->planes = planes, c->plane = plane;
	c->sides[0] = has_below ? below : none;
	c->sides[1] = has_above ? above : none;
	c->p = (double *)gshmem_calloc(3 * most + 2 * plane, sizeof *c->p);
	c->r = c->p + most + 2 * plane;
	c->q = c->r + most;
	c->came = (uint64_t *)gshmem_calloc(4 * (size_t)npes + 3 + 4 * (size_t)ngroups, sizeof *c->came);
	c->shares = (double *)(c->came + 2 * npes);
	c->edges_came = (uint64_t *)(c->shares + 2 * npes);
	c->narrived = c->edges_came + 2;
	c->steps = (struct cg_steps *)(c->narrived + 1);
	c->parts = (double *)(c->steps + ngroups);
	if (c->p && c->came)
		return 0;
	cg_destroy(c);
	return -ENOMEM;
}

#if defined(__cplusplus) && GSHMEMI_KERNELS

/* The planes of the calling work-group; 0 is the first of its PE. */
__device__ static inline struct cg_range cg_mine(const struct cg &c)
{
	return cg_part(c.planes.n, (int)blockIdx.x, c.ngroups);
}

/*
 * The sum of the values of the first n threads, for all threads, in an order that depends on n alone. values
 * is shared memory, a double for each thread. No thread may still read there what an earlier call left.
 */
__device__ static inline double cg_sum_wg(double *values, double value, int n)
{
	const int t = (int)threadIdx.x;
	double sum = 0;

	values[t] = value;
	__syncthreads();
	for (int rest; n > 8; n = rest) {
		rest = (n + 7) / 8;
		for (int i = t + rest; t < rest && i < n; i += rest)
			values[t] += values[i];
		__syncthreads();
	}
	for (int i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* Wait until all work-groups of this PE have come to the meeting. What they wrote before is visible then. */
__device__ static inline void cg_meet_wg(const struct cg &c, const struct cg_steps *steps)
{
	gshmemx_signal_wait_until_wg(c.narrived, GSHMEM_CMP_GE, steps->narrived);
}

/* Come to a meeting, with what all threads of the work-group have written. */
__device__ static inline void cg_arrive_wg(const struct cg &c, struct cg_steps *steps)
{
	steps->narrived += (uint64_t)c.ngroups;
	gshmemx_fence_wg();
	if (threadIdx.x == 0)
		gshmem_signal_add(c.narrived, 1, gshmem_my_pe());
}

/* Come to a meeting with the work-group's part of a sum. */
__device__ static inline void cg_arrive_with(const struct cg &c, struct cg_steps *steps, double part)
{
	steps->nsums++;
	steps->narrived += (uint64_t)c.ngroups;
	if (threadIdx.x != 0)
		return;
	c.parts[(steps->nsums & 1) * (size_t)c.ngroups + blockIdx.x] = part;
	gshmem_fence();
	gshmem_signal_add(c.narrived, 1, gshmem_my_pe());
}

/* Work-group 0 sends this PE's share of a sum to all PEs. */
__device__ static inline void cg_send_share_wg(const struct cg &c, const struct cg_steps *steps)
{
	const size_t at = (steps->nsums & 1) * (size_t)c.npes + (size_t)gshmem_my_pe();
	const double *parts = c.parts + (steps->nsums & 1) * (size_t)c.ngroups;

	cg_meet_wg(c, steps);
	for (int pe = (int)threadIdx.x; pe < c.npes; pe += (int)blockDim.x) {
		double share = 0;

		for (int group = 0; group < c.ngroups; group++)
			share += parts[group];
		gshmem_double_put_signal(
			&c.shares[at], &share, 1, &c.came[at], steps->nsums, GSHMEM_SIGNAL_SET, pe);
	}
}

/* The sum of the values of all threads of all work-groups of all PEs, for all of them. */
__device__ static inline double cg_sum_all(const struct cg &c, struct cg_steps *steps, double value)
{
	/* A thread writes to one of them again when it has come through the barrier of the other. */
	__shared__ double values[CG_MOST_THREADS], shares[CG_MOST_THREADS];
	const int nthreads = (int)blockDim.x;
	double share = 0;

	cg_arrive_with(c, steps, cg_sum_wg(values, value, nthreads));
	if (blockIdx.x == 0)
		cg_send_share_wg(c, steps);
	for (int pe = (int)threadIdx.x; pe < c.npes; pe += nthreads) {
		const size_t at = (steps->nsums & 1) * (size_t)c.npes + (size_t)pe;

		gshmem_signal_wait_until(&c.came[at], GSHMEM_CMP_GE, steps->nsums);
		share += c.shares[at];
	}
	return cg_sum_wg(shares, share, c.npes < nthreads ? c.npes : nthreads);
}

/* Whether the calling work-group has the PE's edge of that side. */
__device__ static inline bool cg_has_side(const struct cg &c, int side)
{
	const struct cg_range mine = cg_mine(c);
	const int plane = c.sides[side].plane;

	return plane >= mine.begin && plane < mine.begin + mine.n;
}

/* Send the edges of p that the calling work-group has. */
__device__ static inline void cg_send_wg(const struct cg &c, const struct cg_steps *steps)
{
	for (int side = 0; side < 2; side++)
		if (cg_has_side(c, side))
			gshmemx_double_put_signal_wg(c.p + (size_t)c.sides[side].to * c.plane,
				c.p + (size_t)(c.sides[side].plane + 1) * c.plane, c.plane,
				&c.edges_came[1 - side], steps->nsums, GSHMEM_SIGNAL_SET, c.sides[side].pe);
}

/* q = A p in plane z of this PE. Returns the thread's part of (p, q). */
template <typename Operator>
__device__ static inline double cg_apply_plane_wg(const struct cg &c, const Operator &a, int z)
{
	const double *p = c.p + (size_t)(z + 1) * c.plane;
	double *q = c.q + (size_t)z * c.plane, sum = 0;

	for (size_t i = threadIdx.x; i < c.plane; i += blockDim.x) {
		q[i] = a(p + i, (int)(i % (size_t)c.nx), (int)(i / (size_t)c.nx), c.planes.begin + z);
		sum += p[i] * q[i];
	}
	return sum;
}

/* The same in all planes of the work-group, the PE's edges last. */
template <typename Operator>
__device__ static inline double cg_apply_wg(
	const struct cg &c, const Operator &a, const struct cg_steps *steps)
{
	const struct cg_range mine = cg_mine(c);
	double sum = 0;

	for (int last = 0; last < 2; last++) {
		for (int side = 0; side < 2; side++)
			if (last && cg_has_side(c, side))
				gshmemx_signal_wait_until_wg(
					&c.edges_came[side], GSHMEM_CMP_GE, steps->nsums);
		for (int z = mine.begin; z < mine.begin + mine.n; z++)
			if ((z == c.sides[0].plane || z == c.sides[1].plane) == last)
				sum += cg_apply_plane_wg(c, a, z);
	}
	return sum;
}

/*
 * Solves A x = b, from x = 0 until |r| <= tolerance |b|, or most_iterations have been made, or (p, A p) is
 * not positive. All threads of ngroups work-groups of all PEs call it, the same way. b and x are
 * [planes.n][ny][nx] of this PE, in any memory of its device, and do not overlap. a(p, x, y, z) returns A p
 * at the point x, y, z of the box, whose address is p. It can read p[-nx * ny] and p[nx * ny], which are 0
 * beyond the box.
 *
 * Returns the same on all PEs, when the work-group's planes of x are written. Other work-groups may not have
 * returned.
 */
template <typename Operator>
__device__ static inline struct cg_result cg_solve_grid(const struct cg &c, const Operator &a,
	const double *b, double *x, double tolerance, int most_iterations)
{
	const struct cg_range mine = cg_mine(c);
	const size_t first = (size_t)mine.begin * c.plane + threadIdx.x;
	const size_t end = (size_t)(mine.begin + mine.n) * c.plane;
	struct cg_steps steps = c.steps[blockIdx.x];
	struct cg_result result = {0, 0, 0};
	double *p = c.p + c.plane, beta = 0, sum = 0;

	for (size_t i = first; i < end; i += blockDim.x) {
		x[i] = p[i] = 0;
		c.r[i] = b[i];
		sum += b[i] * b[i];
	}
	result.rr = result.bb = cg_sum_all(c, &steps, sum);
	while (result.niterations < most_iterations && result.rr > tolerance * tolerance * result.bb) {
		for (size_t i = first; i < end; i += blockDim.x)
			p[i] = c.r[i] + beta * p[i];
		cg_arrive_wg(c, &steps);
		cg_send_wg(c, &steps);
		cg_meet_wg(c, &steps);
		const double pq = cg_sum_all(c, &steps, cg_apply_wg(c, a, &steps)), alpha = result.rr / pq;

		if (!(pq > 0))
			break;
		sum = 0;
		for (size_t i = first; i < end; i += blockDim.x) {
			x[i] += alpha * p[i];
			c.r[i] -= alpha * c.q[i];
			sum += c.r[i] * c.r[i];
		}
		sum = cg_sum_all(c, &steps, sum);
		beta = sum / result.rr;
		result.rr = sum;
		result.niterations++;
	}
	if (threadIdx.x == 0)
		c.steps[blockIdx.x] = steps;
	__syncthreads();
	return result;
}

#endif

#endif /* APPS_CG_H */
