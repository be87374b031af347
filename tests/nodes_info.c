/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem-info over nodes: the host of each PE, its device, which pairs are direct and which go over MPI, and why; and init exchanges handles
 * inside a node only: a PE opens those of its node, however many nodes there are.
 */
#include <libgen.h>

#include "nodes.h"

static char output[1 << 16], tool[PATH_MAX];

static void run(int npes, const char *env)
{
	char command[2 * PATH_MAX];
	FILE *pipe;
	size_t n;

	snprintf(command, sizeof command, "%s timeout 60 %.1000s -n %d %s 2>&1", env, getenv("MPIRUN"), npes, tool);
	pipe = popen(command, "r");
	t_check(pipe, "popen");
	n = fread(output, 1, sizeof output - 1, pipe);
	output[n] = 0;
	t_check(pclose(pipe) == 0, "%s fails:\n%s", command, output);
}

static void expect(const char *text)
{
	t_check(strstr(output, text), "expected in the report\n%s\nof\n%s", text, output);
}

/* A row of PE pe, of words that are wide as in the report; PEs fill the nodes in order. */
static void add_row(char *text, size_t nbytes, const char *key, int pe, int npes, const char *self, const char *here, const char *there)
{
	const int ppn = t_nodes_number("PPN");
	size_t length = strlen(text);

	length += (size_t)snprintf(text + length, nbytes - length, "    %-22s ", key);
	for (int to = 0; to < npes; to++)
		length += (size_t)snprintf(text + length, nbytes - length, "%-12s", to == pe ? self : to / ppn == pe / ppn ? here : there);
	snprintf(text + length, nbytes - length, "\n");
}

static void check_pe(int pe, int npes)
{
	const int ppn = t_nodes_number("PPN");
	char text[4096];

	snprintf(text, sizeof text, "  PE %d\n    host                   node%d\n    pid ", pe, pe / ppn);
	expect(text);
	text[0] = 0;
	add_row(text, sizeof text, "reaches", pe, npes, "self", "direct", "remote");
	add_row(text, sizeof text, "puts_go", pe, npes, "self", "direct", "mpi");
	add_row(text, sizeof text, "atomics_go", pe, npes, "self", "direct", "mpi");
	add_row(text, sizeof text, "because_of", pe, npes, "-", "-", "other-node");
	expect(text);
}

int main(void)
{
	const int npes = t_nodes_npes();
	char self[PATH_MAX] = "", text[64];

	t_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc is not there");
	snprintf(tool, sizeof tool, "%.4000s/../bin/gshmem-info", dirname(self));
	if (access(tool, X_OK))
		t_skip("%s is not built", tool);
	run(npes, "GSHMEM_CPU_WAVE=32");
	for (int pe = 0; pe < npes; pe++)
		check_pe(pe, npes);
	expect("\n    device                 HIP on a CPU, architecture 9.0\n");
	expect("\n    wave                   32\n    reaches ");
	snprintf(text, sizeof text, "\n  handles_opened         %d\n", 2 * (t_nodes_number("PPN") - 1));
	expect(text);
	return 0;
}
