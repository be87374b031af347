/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,4 */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:21 | GSHMEM_CPU_DELIVERY=random:3 */
/* delivery: no */
/* Data before a fence has arrived when the flag after it has: with put, p, iput and put_nbi. */
#include "order.h"

int main(void)
{
	static const int kinds[] = {
		PUT_FENCE_P, P_FENCE_P, IPUT_FENCE_P, PUT_NBI_FENCE_SIGNAL_SET, PUT_FENCE_PUT_SIGNAL};

	return order_test(kinds, sizeof kinds / sizeof *kinds, 10);
}
