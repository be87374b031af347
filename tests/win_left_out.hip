/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* carry: no */
/* timeout: 240 */
/*
 * Programs that omit one synchronization of a window fail if operations arrive late, on the host and in
 * kernels; correct programs pass.
 */
#include "win_programs.h"
#include "job.h"

static int pe_main(const char *what)
{
	int program, by, leaves_out, nwrong;

	t_check(sscanf(what, "%d,%d,%d", &program, &by, &leaves_out) == 3, "%s", what);
	gshmem_init();
	nwrong = run_one(by, program, leaves_out);
	printf("PE %d: %d wrong\n", gshmem_my_pe(), nwrong);
	gshmem_finalize();
	return 0;
}

/* How many seeds it takes to see a wrong value; 0: all are right. A correct program gets few attempts. */
static int count_tries(int program, int by, bool leaves_out)
{
	static struct t_job job;
	char env[96], args[32];
	int seed;

	snprintf(args, sizeof args, "%d,%d,%d", program, by, leaves_out);
	for (seed = 1; seed <= (leaves_out ? 12 : 2); seed++) {
		snprintf(env, sizeof env, "GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_DELIVERY=random:%d", seed);
		t_job_run(&job, 3, env, "", args, 20);
		t_check(job.status == 0, "%s by %s: status %d:\n%s", program_names[program],
			t_scope_names[by], job.status, job.output);
		if (t_job_count(&job, ": 0 wrong") != 3)
			return seed;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const int scopes[] = {T_HOST, T_WG};
	int program, i, turn = 0;

	if (argc > 1)
		return pe_main(argv[1]);
	for (program = 0; program < NPROGRAMS; program++) {
		for (i = 0; i < 2; i++) {
			/* which takes two threads */
			if (t_left_out(turn++) || (program == PSCW && scopes[i] == T_HOST))
				continue;
			t_check(count_tries(program, scopes[i], true),
				"%s by %s: no seed shows what was left out", program_names[program],
				t_scope_names[scopes[i]]);
			t_check(!count_tries(program, scopes[i], false),
				"%s by %s: wrong, with nothing left out", program_names[program],
				t_scope_names[scopes[i]]);
		}
	}
	return 0;
}
