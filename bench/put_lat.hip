/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* Latency of putmem + quiet by a thread, wave, work-group and the host. See move.h. */
#include "move.h"

int main(int argc, char **argv)
{
	return move_main<MOVE_LAT>(argc, argv, "put_lat");
}
