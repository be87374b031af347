/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,4 */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:24 | GSHMEM_CPU_DELIVERY=random:3 */
/* delivery: no */
/* What quiet completed has arrived. */
#include "order.h"

int main(void)
{
	static const int kinds[] = {PUT_QUIET_P, PUT_NBI_QUIET_P, PUT_PE_QUIET_P};

	return order_test(kinds, sizeof kinds / sizeof *kinds, 10);
}
