/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* platform: cpu */
/*
 * Numbers in environment variables have a point for the fraction, also if the program has set a locale with a
 * comma, which init leaves as it is.
 */
#include <locale.h>
#include <shmem.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include "../helpers.h"

static char folder[T_PATH_BYTES];

/* Makes the locale "comma" in the folder, and sets it; false if this system cannot. */
static bool set_locale(void)
{
	char line[2 * T_PATH_BYTES];
	bool is_set;

	snprintf(line, sizeof line,
		"cd %s && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\ngrouping -1\\n"
		"END LC_NUMERIC\\n' >source && localedef -c -i source ./comma >log 2>&1",
		folder);
	if (system(line) < 0)
		return false;
	setenv("LOCPATH", folder, 1);
	is_set = setlocale(LC_ALL, "comma") && strcmp(localeconv()->decimal_point, ",") == 0;
	snprintf(line, sizeof line, "rm -r %s", folder);
	return system(line) == 0 && is_set;
}

int main(void)
{
	char text[8];

	setenv("SHMEM_SYMMETRIC_SIZE", "8.5m", 1);
	setenv("GSHMEM_WATCHDOG", "29.5", 1);
	t_temp_file(folder);
	t_check(unlink(folder) == 0 && mkdir(folder, 0700) == 0, "%s cannot be made", folder);
	if (!set_locale())
		t_skip("localedef makes no locale with a decimal comma");

	shmem_init();
	t_check(shmem_malloc((size_t)8 << 20), "SHMEM_SYMMETRIC_SIZE is less than 8.5 MiB");
	t_check(!shmem_malloc((size_t)4 << 20), "SHMEM_SYMMETRIC_SIZE is more than 9 MiB");
	snprintf(text, sizeof text, "%.1f", 1.5);
	t_check(strcmp(text, "1,5") == 0, "after init the program's locale prints %s", text);
	shmem_finalize();
	return 0;
}
