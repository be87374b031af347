/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Step 5 of docs/tutorial.md: no barrier. A row brings a signal with it, and a work-group waits for its
 * two neighbours alone. So a PE may have many work-groups: each has a strip of rows, and the rows
 * travel while it computes the others.
 */
#include <gshmem.h>
#include "plate.h"

#define NSTRIPS 4 /* per PE: its work-groups */
#define HEIGHT  (ROWS / NSTRIPS)

struct strip {
	row_t cell[2][HEIGHT + 2];
	uint64_t from_above[2], from_below[2]; /* for each buffer: the time step whose row has come */
};

__global__ static void spread(struct strip *strips)
{
	const int me = gshmem_my_pe(), k = blockIdx.x;
	struct strip *mine = &strips[k];
	/* The neighbours: strips of this PE, or the last of the PE above and the first of the PE below. */
	struct strip *above = &strips[k > 0 ? k - 1 : NSTRIPS - 1];
	struct strip *below = &strips[k + 1 < NSTRIPS ? k + 1 : 0];
	const int pe_above = k > 0 ? me : me - 1, pe_below = k + 1 < NSTRIPS ? me : me + 1;
	const bool has_above = pe_above >= 0, has_below = pe_below < gshmem_n_pes();

	for (int step = 0; step < NSTEPS; step++) {
		const int next = (step + 1) & 1;
		row_t *to = mine->cell[next], *from = mine->cell[step & 1];

		update_row(to, from, 1);
		update_row(to, from, HEIGHT);
		if (has_above)
			gshmemx_double_put_signal_wg(&above->cell[next][HEIGHT + 1][1], &to[1][1], COLUMNS,
				&above->from_below[next], step + 1, GSHMEM_SIGNAL_SET, pe_above);
		if (has_below)
			gshmemx_double_put_signal_wg(&below->cell[next][0][1], &to[HEIGHT][1], COLUMNS,
				&below->from_above[next], step + 1, GSHMEM_SIGNAL_SET, pe_below);
		for (int i = 2; i < HEIGHT; i++)
			update_row(to, from, i);
		if (has_above)
			gshmemx_signal_wait_until_wg(&mine->from_above[next], GSHMEM_CMP_GE, step + 1);
		if (has_below)
			gshmemx_signal_wait_until_wg(&mine->from_below[next], GSHMEM_CMP_GE, step + 1);
	}
}

int main()
{
	gshmem_init();
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes();
	struct strip *strips = (struct strip *)gshmem_calloc(NSTRIPS, sizeof *strips); /* signals are 0 */
	void *args[] = {&strips};
	int nwrong = 0;

	if (!strips)
		return 1; /* on all PEs; the library has said why */
	for (int k = 0; k < NSTRIPS; k++)
		fill(strips[k].cell[0], HEIGHT, pe * ROWS + k * HEIGHT, 0);

	/* Work-groups that wait for each other must all be resident: this launch sees to it. */
	if (gshmemx_collective_launch(spread, dim3(NSTRIPS), dim3(NTHREADS), args, 0, NULL))
		return 1;
	check(hipDeviceSynchronize());

	const std::vector<double> plate = solve(npes * ROWS, COLUMNS, NSTEPS);
	for (int k = 0; k < NSTRIPS; k++)
		nwrong += count_wrong(
			strips[k].cell[NSTEPS & 1], HEIGHT, pe * ROWS + k * HEIGHT, 0, plate, COLUMNS);
	printf("PE %d: after %d steps %d of %d cells are wrong\n", pe, NSTEPS, nwrong, ROWS * COLUMNS);
	gshmem_free(strips);
	gshmem_finalize();
	return nwrong != 0;
}
