/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,4 */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:23 | GSHMEM_CPU_DELIVERY=random:3 */
/* delivery: no */
/*
 * Atomics stay on their side of a fence, even those that are performed at once; values of _nbi forms arrive.
 */
#include "order.h"

int main(void)
{
	static const int kinds[] = {AMO_FENCE_INC, PUT_FENCE_AMO, PUT_FENCE_AMO_NBI};

	return order_test(kinds, sizeof kinds / sizeof *kinds, 10);
}
