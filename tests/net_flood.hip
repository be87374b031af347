/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its job says which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 200 */
/*
 * Of 50,000 operations of two PEs on each other none is lost or performed twice. -v prints how
 * many messages were buffered.
 */
#define NOPERATIONS 50000
#define NMESSAGES   200
#define LIMIT_S     60
#include "net_flood.h"

int main(int argc, char **argv)
{
	return flood(argc, argv);
}
