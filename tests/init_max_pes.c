/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/* A job of more PEs than gshmem can number is an error on all of them. By the source itself: nobody can start so many. */
#define gshmemi_job tested_job /* the library that this links to has one of its own */
#include "../src/ipc/job.c"

#include "helpers.h"
#include <stdarg.h>

static int npes, my_pe;
static char message[512];
static bool printed;

/* What job.c uses of the library: every PE says the same as this one. */
int gshmemi_bootstrap_rank(void)
{
	return my_pe;
}

int gshmemi_bootstrap_npes(void)
{
	return npes;
}

void gshmemi_bootstrap_allgather(const void *mine, void *all, size_t nbytes)
{
	int pe;

	for (pe = 0; pe < npes; pe++)
		memcpy((char *)all + (size_t)pe * nbytes, mine, nbytes);
}

void gshmemi_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
}

void gshmemi_log_release(bool print)
{
	printed = print;
}

const char *gshmemi_heap_kind_name(enum gshmemi_heap_kind kind)
{
	(void)kind;
	return "auto";
}

void gshmemi_end(int status)
{
	_exit(status);
}

int main(void)
{
	struct gshmemi_config config = {.heap_nbytes = 1 << 20};

	npes = GSHMEMI_NPES_LIMIT;
	t_equal(gshmemi_job_open(0, &config), 0, "as many PEs as there can be");
	gshmemi_job_close();
	npes++;
	for (my_pe = 0; my_pe < 2; my_pe++) {
		t_equal(gshmemi_job_open(0, &config), -E2BIG, "one PE more");
		t_check(strstr(message, "65537 PEs are more than gshmem can number, which are 65536"), "message: %s", message);
		t_equal(printed, my_pe == 0, "PE 0 alone prints");
	}
	return 0;
}
