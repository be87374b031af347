/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* Bandwidth of getmem by a thread, wave, work-group and the host. See move.h. */
#include "move.h"

int main(int argc, char **argv)
{
	return move_main<MOVE_GET>(argc, argv, "get_bw");
}
