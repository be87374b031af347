/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes that tests/nodes.sh pretends, as tests in its environment see them. */
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

#endif /* T_NODES_H */
