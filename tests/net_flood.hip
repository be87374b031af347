/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its job says which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 200 */
/* 50,000 operations of two PEs on each other: none is lost, none is performed twice. With -v it says how many messages were kept. */
#define NOPERATIONS 50000
#define NMESSAGES   200
#define LIMIT_S     60
#include "net_flood.h"

int main(int argc, char **argv)
{
	return flood(argc, argv);
}
