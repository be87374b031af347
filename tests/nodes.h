/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests see of the nodes that tests/nodes.sh pretends. */
#ifndef T_NODES_H
#define T_NODES_H

#include "job.h"

static inline int t_nodes_number(const char *variable)
{
	const char *text = getenv(variable);

	t_check(text, "%s is not set: run by tests/nodes.sh", variable);
	return atoi(text);
}

/* PEs of a job that fills the nodes. */
static inline int t_nodes_npes(void)
{
	return t_nodes_number("NNODES") * t_nodes_number("PPN");
}

/* Run this program again, with the argument "here", on nodes that no other test uses. */
__attribute__((noreturn)) static inline void t_nodes_move(void)
{
	char self[PATH_MAX] = "", size[32];

	t_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc is not there");
	snprintf(size, sizeof size, "%dx%d", t_nodes_number("NNODES"), t_nodes_number("PPN"));
	execl("tests/nodes.sh", "nodes.sh", size, "--", self, "here", (char *)NULL);
	t_fail("tests/nodes.sh does not start");
}

#endif /* T_NODES_H */
