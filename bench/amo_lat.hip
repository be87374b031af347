/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* Latency of an atomic fetch_add, alone and both PEs on one word. See amo.h. */
#include "amo.h"

int main(int argc, char **argv)
{
	return amo_main<AMO_FETCH_ADD>(argc, argv, "amo_lat", "fetch_add_lat");
}
