/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operator of Poisson's equation in a box, by differences over the six neighbours of a point, times the
 * square of their distance. Beyond the box the solution is 0. Another operator has the same form.
 */
#ifndef APPS_CG_POISSON_H
#define APPS_CG_POISSON_H

#include <hip/hip_runtime.h>

struct poisson {
	int nx, ny;

	/* At a point, which u points to. The planes beside its own can be read. */
	__host__ __device__ double operator()(const double *u, int x, int y, int) const
	{
		const long plane = (long)nx * ny;
		double sum = 6 * u[0] - u[-plane] - u[plane];

		if (x > 0)
			sum -= u[-1];
		if (x + 1 < nx)
			sum -= u[1];
		if (y > 0)
			sum -= u[-nx];
		if (y + 1 < ny)
			sum -= u[nx];
		return sum;
	}
};

#endif /* APPS_CG_POISSON_H */
