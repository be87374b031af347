/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenSHMEM's environment variables, which programs of OpenSHMEM read. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gshmemi_is_shmem;

const char *gshmemi_env_find_shmem(const char *name, const char **full_name_p)
{
	static const char *const prefixes[] = {"SHMEM", "SMA"};
	static char full_name[32];
	const char *text;
	unsigned i;

	*full_name_p = full_name;
	for (i = 0; i < 2; i++) {
		snprintf(full_name, sizeof full_name, "%s_%s", prefixes[i], name);
		text = getenv(full_name);
		if (text && *text)
			return text;
	}
	return NULL;
}

/*
 * A number, which may have a fraction, then at most one of k, m, g, t; anything after that letter is ignored.
 * Rounds up to whole MiB, and always leaves some to spare.
 */
static int parse_symmetric_size(const char *name, const char *text, uint64_t *nbytes_p)
{
	static const char suffixes[] = "kmgt";
	const char *suffix;
	char *end;
	double value;

	value = *text == '.' || (*text >= '0' && *text <= '9') ? gshmemi_env_parse_double(text, &end) : -1;
	suffix = value >= 0 && *end ? strchr(suffixes, *end | 0x20) : NULL;
	if (suffix)
		value *= (double)(1ULL << 10 * (suffix - suffixes + 1));
	if (!(value >= 0 && value < 0x1p62) || (*end && !suffix)) {
		gshmemi_error(
			"%s=%s: not a size: write a number and at most one of k, m, g, t, as in 512m or 1.5g",
			name, text);
		return -EINVAL;
	}
	*nbytes_p = ((uint64_t)(value / 0x1p20) + 1) << 20;
	return 0;
}

int gshmemi_env_read_shmem(void)
{
	const char *text, *name, *own = getenv("GSHMEM_HEAP_SIZE");

	if (!gshmemi_is_shmem)
		return 0;
	if (gshmemi_env_find_shmem("DEBUG", &name))
		gshmemi_env.DEBUG = true;
	text = gshmemi_env_find_shmem("SYMMETRIC_SIZE", &name);
	return text && !(own && *own) ? parse_symmetric_size(name, text, &gshmemi_env.HEAP_SIZE) : 0;
}
