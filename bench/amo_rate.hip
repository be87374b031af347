/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* Rate of an atomic add, alone and both PEs on one word. See amo.h. */
#include "amo.h"

int main(int argc, char **argv)
{
	return amo_main<AMO_ADD>(argc, argv, "amo_rate", "add_rate");
}
