/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its job says which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* tier: all */
/* timeout: 600 */
/* net_flood with a million operations, whose messages fill the largest window a hundred times. */
#define NOPERATIONS 1000000
#define NMESSAGES   3200
#define LIMIT_S     180
#include "net_flood.h"

int main(int argc, char **argv)
{
	return flood(argc, argv);
}
