/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,4 */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:22 | GSHMEM_CPU_DELIVERY=random:3 */
/* delivery: no */
/* Whoever sees the signal of a put_signal also sees its data. */
#include "order.h"

int main(void)
{
	static const int kinds[] = {PUT_SIGNAL_SET, PUT_SIGNAL_ADD, PUT_SIGNAL_NBI};

	return order_test(kinds, sizeof kinds / sizeof *kinds, 10);
}
