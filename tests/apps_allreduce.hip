/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,8 */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 */
/*
 * apps/allreduce: one and two shots, of float and half, with odd sizes, unaligned arrays, fewer tokens than
 * PEs and than work-groups, and none, in calls that follow each other in one kernel. The residual has the bits
 * that the CPU computes in the order of PEs.
 */
#include "../apps/allreduce/allreduce.h"

#include <hip/hip_fp16.h>
#include <math.h>
#include <vector>

#include "helpers.h"

#define NCALLS 3 /* of each of two kernels, the second of which has a token less */
#define EPS    0.01F
#define SHIFT  1 /* elements by which arrays are unaligned */

struct shape {
	int ntokens, hidden, ngroups, nthreads;
};
static const struct shape shapes[] = {
	{1, 1, 1, 64}, {5, 7, 3, 64}, {24, 96, 4, 128}, {3, 33, 4, 64}, {17, 65, 2, 96}};

__host__ __device__ static float part_of(int pe, int call, int i)
{
	return (float)((pe * 5 + call * 3 + i * 7) % 23 - 11) / 4;
}

template <typename T>
__global__ void repeat(
	struct allreduce a, T *partial, T *residual, T *weight, T *out, int ntokens, int first_call)
{
	const struct allreduce_range mine = allreduce_mine(ntokens);
	const int begin = mine.begin * a.hidden;

	for (int call = first_call; call < first_call + NCALLS; call++) {
		for (int i = (int)threadIdx.x; i < mine.n * a.hidden; i += (int)blockDim.x)
			partial[begin + i] = (T)part_of(gshmem_my_pe(), call, begin + i);
		__syncthreads();
		allreduce_norm_wg(a, partial, residual, weight, out, ntokens, EPS);
	}
}

template <typename T>
static void compute(const struct shape *s, std::vector<T> &residual, std::vector<float> &out)
{
	const int npes = gshmem_n_pes(), hidden = s->hidden;

	for (int call = 0; call < 2 * NCALLS; call++)
		for (int t = 0; t < s->ntokens - call / NCALLS; t++) {
			float squares = 0;

			for (int i = t * hidden; i < (t + 1) * hidden; i++) {
				float sum = 0;

				for (int pe = 0; pe < npes; pe++)
					sum += (float)(T)part_of(pe, call, i);
				residual[i] = (T)((float)residual[i] + sum);
				squares += (float)residual[i] * (float)residual[i];
			}
			for (int i = t * hidden; i < (t + 1) * hidden; i++)
				out[i] = (float)residual[i] / sqrtf(squares / (float)hidden + EPS) *
					(float)(1 + i % hidden % 3);
		}
}

template <typename T>
static void check(const struct shape *s, size_t one_shot_upto, float tolerance, const char *type)
{
	const size_t n = (size_t)s->ntokens * (size_t)s->hidden, nbytes = n * sizeof(T);
	T *memory = (T *)gshmem_calloc(3 * n + (size_t)s->hidden + SHIFT, sizeof(T));
	T *partial = memory + SHIFT, *residual = partial + n, *out = residual + n, *weight = out + n;
	std::vector<T> scales(s->hidden), expected(n), got(n), made(n);
	std::vector<float> results(n);
	struct allreduce a;
	int ntokens, first_call;
	void *args[] = {&a, &partial, &residual, &weight, &out, &ntokens, &first_call};

	for (int i = 0; i < s->hidden; i++)
		scales[i] = (T)(float)(1 + i % 3);
	for (size_t i = 0; i < n; i++)
		expected[i] = (T)0.0F;
	t_hip(hipMemcpy(weight, scales.data(), (size_t)s->hidden * sizeof(T), hipMemcpyHostToDevice));
	t_equal(allreduce_create(&a, s->ntokens, s->hidden, sizeof(T), s->ngroups, one_shot_upto), 0,
		"create");
	for (int k = 0; k < 2; k++) {
		ntokens = s->ntokens - k;
		first_call = k * NCALLS;
		t_equal(gshmemx_collective_launch(repeat<T>, dim3((unsigned)s->ngroups),
				dim3((unsigned)s->nthreads), args, 0, 0),
			0, "launch");
	}
	t_hip(hipDeviceSynchronize());
	compute(s, expected, results);
	t_hip(hipMemcpy(got.data(), residual, nbytes, hipMemcpyDeviceToHost));
	t_hip(hipMemcpy(made.data(), out, nbytes, hipMemcpyDeviceToHost));
	for (size_t i = 0; i < n; i++) {
		t_check((float)got[i] == (float)expected[i],
			"%s, %d tokens of %d, one shot up to %zu: residual %zu is %g, not %g", type,
			s->ntokens, s->hidden, one_shot_upto, i, (double)(float)got[i],
			(double)(float)expected[i]);
		t_check(fabsf((float)made[i] - results[i]) <= tolerance * (1 + fabsf(results[i])),
			"%s, %d tokens of %d, one shot up to %zu: result %zu is %g, not %g", type, s->ntokens,
			s->hidden, one_shot_upto, i, (double)(float)made[i], (double)results[i]);
	}
	allreduce_destroy(&a);
	gshmem_free(memory);
}

int main(void)
{
	gshmem_init();
	for (const struct shape &s : shapes) {
		const size_t nbytes =
			(size_t)s.ntokens * (size_t)s.hidden * sizeof(float) / (size_t)s.ngroups;

		/* always two, always one, and by size: work-groups of one call may differ */
		for (size_t upto : {(size_t)0, (size_t)1 << 20, nbytes / 2, nbytes}) {
			check<float>(&s, upto, 1e-5F, "float");
			check<__half>(&s, upto, 2e-3F, "half");
		}
	}
	gshmem_finalize();
	return 0;
}
