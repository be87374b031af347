/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem-info over several nodes prints the host and device of each PE, and which pairs are direct,
 * which go over MPI, and why. Init exchanges handles only inside a node: a PE opens those of its node,
 * however many nodes there are.
 */
#include "nodes.h"

static struct t_job info;

/* A row of PE pe, with words as wide as in the report; PEs fill the nodes in order. */
static void add_row(char *text, size_t nbytes, const char *key, int pe, int npes, const char *self,
	const char *here, const char *there)
{
	const int ppn = t_nodes_number("PPN");
	size_t length = strlen(text);

	length += (size_t)snprintf(text + length, nbytes - length, "    %-22s ", key);
	for (int to = 0; to < npes; to++)
		length += (size_t)snprintf(text + length, nbytes - length, "%-12s",
			to == pe                       ? self
				: to / ppn == pe / ppn ? here
						       : there);
	snprintf(text + length, nbytes - length, "\n");
}

static void check_pe(int pe, int npes)
{
	const int ppn = t_nodes_number("PPN");
	char text[4096];

	snprintf(text, sizeof text, "  PE %d\n    host                   node%d\n    pid ", pe, pe / ppn);
	t_job_said(&info, text);
	text[0] = 0;
	add_row(text, sizeof text, "reaches", pe, npes, "self", "direct", "remote");
	add_row(text, sizeof text, "puts_go", pe, npes, "self", "direct", "mpi");
	add_row(text, sizeof text, "atomics_go", pe, npes, "self", "direct", "mpi");
	add_row(text, sizeof text, "because_of", pe, npes, "-", "-", "other-node");
	t_job_said(&info, text);
}

int main(void)
{
	const int npes = t_nodes_npes();
	char job[PATH_MAX], text[64];

	snprintf(job, sizeof job, "GSHMEM_CPU_WAVE=32 timeout 60 %.1000s -n %d", getenv("MPIRUN"), npes);
	t_job_info(&info, job, "");
	for (int pe = 0; pe < npes; pe++)
		check_pe(pe, npes);
	t_job_said(&info, "\n    device                 HIP on a CPU, architecture 9.0\n");
	t_job_said(&info, "\n    wave                   32\n    reaches ");
	snprintf(text, sizeof text, "\n  handles_opened         %d\n", 2 * (t_nodes_number("PPN") - 1));
	t_job_said(&info, text);
	return 0;
}
