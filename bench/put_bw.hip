/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* Bandwidth of putmem by a thread, wave, work-group and the host. See move.h. */
#include "move.h"

int main(int argc, char **argv)
{
	return move_main<0>(argc, argv, "put_bw");
}
