/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -b 1:1048576 */
/* Message rate of putmem in windows of 64 by a thread, wave, work-group and the host. See move.h. */
#include "move.h"

int main(int argc, char **argv)
{
	return move_main<MOVE_MR>(argc, argv, "put_mr");
}
