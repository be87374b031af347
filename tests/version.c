/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/*
 * The library that runs says its version, before init, as a number and in its name. The numbers of the header
 * can be compared by the preprocessor, and later versions have greater ones.
 */
#include <gshmem.h>
#include <string.h>

#include "helpers.h"

#if GSHMEMX_VERSION < GSHMEMX_VERSION_OF(0, 2, 0)
#error "version: a later version has a smaller number"
#endif
#if GSHMEMX_VERSION_OF(0, 2, 99) >= GSHMEMX_VERSION_OF(0, 3, 0) || \
	GSHMEMX_VERSION_OF(0, 99, 99) >= GSHMEMX_VERSION_OF(1, 0, 0)
#error "version: a later version has a smaller number"
#endif

int main(void)
{
	char name[GSHMEM_MAX_NAME_LEN], text[64];

	t_equal(gshmemx_version(), GSHMEMX_VERSION, "version");
	snprintf(text, sizeof text, "%d.%d.%d", GSHMEMX_VERSION_MAJOR, GSHMEMX_VERSION_MINOR,
		GSHMEMX_VERSION_PATCH);
	t_check(strcmp(text, GSHMEMX_VERSION_STRING) == 0, "text: expected %s, got %s", text,
		GSHMEMX_VERSION_STRING);
	gshmem_info_get_name(name);
	t_check(strstr(name, text), "name: expected %s in it, got %s", text, name);
	return 0;
}
