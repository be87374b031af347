/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * An iteration of conjugate gradients on a cube of points (apps/cg): in one kernel, against the same as
 * kernels and calls on a stream (cg_split_), and against MPI on the CPUs alone (cg_mpi_). raw_us and ratio
 * refer to the latter two; us are per iteration, and bytes is the edge that a PE sends.
 *
 * Solves begin anew after CYCLE iterations, because residuals would become 0.
 */
#include "bench.h"

#include "../apps/cg/cg.h"
#include "../apps/cg/poisson.h"
#include "../apps/cg/split.h"
#include "../apps/cg/alone.h"

#define CYCLE 20

struct problem {
	struct box box;
	struct poisson a;
	struct split split; /* which has all that cg.h needs, too */
	unsigned nthreads;
	double *b, *x;                      /* this PE's planes, on the device */
	std::vector<double> host_b, host_x; /* the same */
	struct alone part;                  /* for MPI */
};

__global__ static void __launch_bounds__(256)
	fused_kernel(struct cg c, struct poisson a, const double *b, double *x, int niterations)
{
	for (; niterations > 0; niterations -= CYCLE)
		cg_solve_grid(c, a, b, x, 0, niterations < CYCLE ? niterations : CYCLE);
}

static void fused(struct problem &p, int niterations)
{
	void *args[] = {&p.split.c, &p.a, &p.b, &p.x, &niterations};

	t_equal(gshmemx_collective_launch(
			fused_kernel, dim3((unsigned)p.split.c.ngroups), dim3(p.nthreads), args, 0, 0),
		0, "apps_cg: the launch");
	t_hip(hipDeviceSynchronize());
}

static void split_form(struct problem &p, int niterations)
{
	struct cg_result result;

	for (; niterations > 0; niterations -= CYCLE)
		t_equal(split_solve(p.split, p.a, p.b, p.x, 0, std::min(niterations, CYCLE), p.nthreads, 0,
				&result),
			0, "apps_cg: the split form");
}

/* Fills the planes below and above this PE's by those of the PEs beside. */
static void exchange(const struct cg &c, double *p)
{
	const int n = (int)c.plane, last = c.planes.n;
	const int below = c.sides[0].plane < 0 ? MPI_PROC_NULL : c.sides[0].pe;
	const int above = c.sides[1].plane < 0 ? MPI_PROC_NULL : c.sides[1].pe;

	MPI_Sendrecv(p + n, n, MPI_DOUBLE, below, 0, p + (last + 1) * n, n, MPI_DOUBLE, above, 0, bench.comm,
		MPI_STATUS_IGNORE);
	MPI_Sendrecv(p + last * n, n, MPI_DOUBLE, above, 0, p, n, MPI_DOUBLE, below, 0, bench.comm,
		MPI_STATUS_IGNORE);
}

static double sum_of(double value)
{
	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, bench.comm);
	return value;
}

static void mpi(struct problem &p, int niterations)
{
	for (; niterations > 0; niterations -= CYCLE)
		alone_solve_with(
			p.part, p.a, p.host_b.data(), p.host_x.data(), 0, std::min(niterations, CYCLE),
			[&](double *planes) { exchange(p.split.c, planes); }, sum_of);
}

static double b_value(size_t i)
{
	return (double)(i * 29 % 17) - 8;
}

static void allocate(struct problem &p, int edge)
{
	/* On the cpu platform a PE has one core. */
	const int ngroups = bench.one_clock ? 1 : std::min(edge / bench.npes, bench_ncus());

	p.box = box_of(edge, edge, edge);
	p.a = {edge, edge};
	p.nthreads = bench.one_clock ? 64 : 256;
	t_equal(split_create(&p.split, edge, edge, edge, std::max(1, ngroups)), 0, "apps_cg: create");
	const struct cg_range planes = p.split.c.planes;

	p.part = alone_of(box_of(edge, edge, planes.n), planes.begin);
	p.host_b.resize(p.part.box.n);
	p.host_x.resize(p.part.box.n);
	for (size_t i = 0; i < p.part.box.n; i++)
		p.host_b[i] = b_value((size_t)planes.begin * p.box.plane + i);
	t_hip(hipMalloc((void **)&p.b, p.part.box.n * sizeof(double)));
	t_hip(hipMalloc((void **)&p.x, p.part.box.n * sizeof(double)));
	bench_write(p.b, p.host_b.data(), p.part.box.n * sizeof(double));
}

static void give_back(struct problem &p)
{
	t_hip(hipFree(p.x));
	t_hip(hipFree(p.b));
	split_destroy(&p.split);
}

/* Ten iterations of each form give what one CPU gets, but for the order of sums. */
static void check(struct problem &p)
{
	std::vector<double> b(p.box.n), expected(p.box.n);
	const size_t first = (size_t)p.split.c.planes.begin * p.box.plane;

	for (size_t i = 0; i < p.box.n; i++)
		b[i] = b_value(i);
	alone_solve(p.box, p.a, b.data(), expected.data(), 0, 10);
	for (auto form : {mpi, fused, split_form}) {
		form(p, 10);
		if (form != mpi)
			bench_read(p.host_x.data(), p.x, p.part.box.n * sizeof(double));
		for (size_t i = 0; i < p.part.box.n; i++)
			t_check(fabs(p.host_x[i] - expected[first + i]) < 1e-9,
				"apps_cg: edge %d: the %s form: x at %zu is %g, not %g", p.box.nx,
				form == mpi             ? "MPI"
					: form == fused ? "fused"
							: "split",
				i, p.host_x[i], expected[first + i]);
	}
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "apps_cg");
	bench_needs(2);
	for (int edge = 8; edge <= (bench.one_clock ? 64 : 128); edge *= 2) {
		struct problem p;
		const std::string names[] = {
			"cg_split_" + std::to_string(edge), "cg_mpi_" + std::to_string(edge)};

		allocate(p, edge);
		auto timed = [&p](void (*form)(struct problem &, int)) {
			return bench_timed([&p, form](size_t reps) { form(p, (int)reps); });
		};
		bench_measure_each({"", "wg", p.box.plane * sizeof(double), bench.npes, {}, false, 0},
			{names[0].c_str(), names[1].c_str()}, timed(fused), {timed(split_form), timed(mpi)});
		check(p);
		give_back(p);
	}
	bench_finalize();
	return 0;
}
