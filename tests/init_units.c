/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* races: no, it looks into the tables of the direct path */
/*
 * Init fails on a unit that does not fit the library and names it; it fills the state of units that
 * fit, and finalize empties it.
 */
#include <gshmem.h>
#include <gshmem/state/state.h>

#include "job.h"

void gshmemi_state_register(struct gshmemi_state_copy *copy);
void gshmemi_state_unregister(struct gshmemi_state_copy *copy);

static struct gshmemi_state state;

static int locate(void **address_p)
{
	*address_p = &state;
	return 0;
}

static struct gshmemi_state_copy copy = {
	.abi = GSHMEMI_ABI,
	.max_pes = GSHMEM_MAX_PES,
	.state_nbytes = sizeof state,
	.locate = locate,
	.platform = "cpu",
	.file = "wild_unit.hip",
};

static int pe_main(const char *name)
{
	int late = strcmp(name, "late") == 0;

	if (strcmp(name, "abi") == 0 || late)
		copy.abi++;
	if (strcmp(name, "max_pes") == 0)
		copy.max_pes *= 2;
	if (strcmp(name, "platform") == 0)
		copy.platform = "amd";
	if (strcmp(name, "size") == 0)
		copy.state_nbytes -= 8;
	if (strcmp(name, "direct_only") == 0)
		copy.direct_only = 1;
	if (late) {
		gshmem_init();
		if (gshmem_my_pe() == 1)
			gshmemi_state_register(&copy);
		gshmem_barrier_all();        /* would fill the copy */
	} else if (t_launched_rank() == 1) { /* the other PE learns of it */
		gshmemi_state_register(&copy);
	}
	gshmem_init();
	gshmem_finalize();
	printf("no error\n");
	return 0;
}

static void good_unit(void)
{
	gshmemi_state_register(&copy);
	gshmem_init();
	t_equal(state.npes, 1, "npes in the copy after init");
	t_check(state.heap && state.direct.delta[0] == 0, "the tables of the copy after init");
	gshmemi_state_unregister(&copy);
	gshmemi_state_register(&copy); /* as by dlclose and dlopen */
	memset(&state, 0, sizeof state);
	gshmem_my_pe();
	t_equal(state.npes, 1, "npes in a copy that came later");
	gshmem_finalize();
	t_equal(state.npes, 0, "npes in the copy after finalize");
	t_equal(state.direct.delta[0], GSHMEMI_SENTINEL, "the tables of the copy after finalize");
	gshmemi_state_unregister(&copy);
}

static void expect(const char *name, const char *env, const char *text)
{
	static struct t_job job;

	t_job_run(&job, 2, env, "", name, 20);
	t_job_failed(&job, name, "wild_unit.hip was compiled ", 1);
	t_job_failed(&job, name, text, 1);
	t_check(!strstr(job.output, "no error"), "%s: no error", name);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1]);
	expect("abi", "", "the library is ABI ");
	expect("max_pes", "", "with GSHMEM_MAX_PES 1024, the library with 512");
	expect("platform", "", "for platform amd, the library for cpu");
	expect("size", "", "with a device state of ");
	expect("direct_only", "GSHMEM_CHECK=1",
		"with GSHMEM_DIRECT_ONLY, which cannot work with GSHMEM_CHECK");
	expect("late", "", "the library is ABI ");
	good_unit();
	return 0;
}
