/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* Six atomics on int and long long by PE 0 alone, from a thread of a kernel and from the host. See amo.h. */
#include "amo.h"

template <typename T> static void rows_of_type(const char *const *names, T *words)
{
	amo_rows<AMO_FETCH_ADD, T>(names[AMO_FETCH_ADD], &words[0], {}, {});
	amo_rows<AMO_FETCH_INC, T>(names[AMO_FETCH_INC], &words[1], {}, {});
	amo_rows<AMO_ADD, T>(names[AMO_ADD], &words[2], {}, {});
	amo_rows<AMO_INC, T>(names[AMO_INC], &words[3], {}, {});
	amo_rows<AMO_COMPARE_SWAP, T>(names[AMO_COMPARE_SWAP], &words[4], {}, {});
	amo_rows<AMO_SWAP, T>(names[AMO_SWAP], &words[5], {}, {});
}

int main(int argc, char **argv)
{
	static const char *const of_int[] = {
		"int_fetch_add", "int_fetch_inc", "int_add", "int_inc", "int_compare_swap", "int_swap"};
	static const char *const of_longlong[] = {"longlong_fetch_add", "longlong_fetch_inc", "longlong_add",
		"longlong_inc", "longlong_compare_swap", "longlong_swap"};
	long *words = amo_start(argc, argv, "amo_ops");

	bench.only_active = 1;
	rows_of_type<int>(of_int, (int *)words);
	rows_of_type<long long>(of_longlong, (long long *)(words + 8));
	bench_finalize();
	return 0;
}
