/* SPDX-License-Identifier: BSD-3-Clause */
/* The launchers that init knows by their variables. */
#include "bootstrap/way.h"

#include <stdlib.h>
#include <string.h>

/* What launchers tell each process that they start. */
static const struct launcher {
	const char *variable;
	long most;           /* the largest value of the variable that means a single process */
	const char *rank;    /* the variable that numbers the processes, so that only one prints */
	const char *speaker; /* its value in the process that prints */
	const char *name;
} launchers[] = {
	{"OMPI_COMM_WORLD_SIZE", 1, "OMPI_COMM_WORLD_RANK", "0", "Open MPI's"},
	{"PMI_SIZE", 1, "PMI_RANK", "0", "a PMI"},
	/* not SLURM_NTASKS, which is set in an allocation too */
	{"SLURM_STEP_NUM_TASKS", 1, "SLURM_PROCID", "0", "Slurm's"},
	{"PMIX_RANK", 0, "PMIX_RANK", "1", "a PMIx"},
};

/* Variables of launchers, which do not say how many processes there are. */
static const char *const traces[] = {"PMI_FD", "PMI_PORT", "PMI_RANK", "PMIX_RANK", "PMIX_NAMESPACE",
	"OMPI_COMM_WORLD_RANK", "PALS_RANKID", "FLUX_TASK_RANK"};

bool gshmemi_launcher_may_be_there(void)
{
	const struct launcher *launcher;
	bool is_counted = false;
	const char *value;
	unsigned i;

	for (i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		launcher = &launchers[i];
		value = getenv(launcher->variable);
		if (value && strtol(value, NULL, 10) > launcher->most)
			return true;
		is_counted |= value && launcher->most == 1;
	}
	for (i = 0; !is_counted && i < sizeof traces / sizeof *traces; i++)
		if (getenv(traces[i]))
			return true;
	return false;
}

int gshmemi_launcher_check(const char *mpi)
{
	const struct launcher *launcher;
	const char *value, *number;
	unsigned i;

	for (i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		launcher = &launchers[i];
		value = getenv(launcher->variable);
		if (!value || strtol(value, NULL, 10) <= launcher->most)
			continue;
		number = getenv(launcher->rank);
		if (!number || strcmp(number, launcher->speaker) == 0)
			gshmemi_error(
				"init: %s=%s says that %s launcher has started several processes, but "
				"for %s, the MPI of this process, it is alone: start the program with "
				"the launcher of its MPI (on Debian and Ubuntu MPICH's is mpirun.mpich, "
				"Open MPI's mpirun.openmpi), or unset %s for a job of one PE",
				launcher->variable, value, launcher->name, mpi, launcher->variable);
		return -EINVAL;
	}
	return 0;
}
