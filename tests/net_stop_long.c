/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its jobs say which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* tier: all */
/* timeout: 200 */
/* net_stop for 20 s, with the default deadline: a stopped PE can go on, and so can the job. */
#include "net_stop.h"

int main(int argc, char **argv)
{
	if (argc > 2)
		return stop_pe(atoi(argv[2]));
	stop_expect(20, 10);
	return 0;
}
