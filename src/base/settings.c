/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the variables of env_list.h, and warnings about names that do not exist. */
#include "base/base.h"

#include <string.h>

extern char **environ;

static const char *const names[] = {
#define X(NAME, KIND, DEFAULT, CATEGORY, HELP) "GSHMEM_" #NAME,
#include "base/env_list.h"
#undef X
	/* gshmemcc's: a user who exports them runs programs, too. */
	"GSHMEM_CC",
	"GSHMEM_CXX",
	"GSHMEM_HIPCC",
	"GSHMEM_HIPLD",
};
#define NNAMES (sizeof names / sizeof *names)

/* The edit distance: how many characters must be inserted, deleted or changed to turn a into b. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[64], i, j, above_left, above;
	size_t length = strlen(b);

	if (length >= 64)
		return 64;
	for (j = 0; j <= length; j++)
		row[j] = j;
	for (i = 1; *a; a++, i++) {
		above_left = row[0];
		row[0] = i;
		for (j = 1; j <= length; j++) {
			above = row[j];
			row[j] = above_left + (*a != b[j - 1]);
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			above_left = above;
		}
	}
	return row[length];
}

/* Variables that earlier versions had, and what replaced them. */
static const char *const replaced[][2] = {
	{"GSHMEM_LEAKS", "GSHMEM_CHECK=1 lists the allocations that were not freed"},
	{"GSHMEM_NET_SEQ", "use GSHMEM_FIRST_SEQ"},
	{"GSHMEM_RPC_SEQ", "use GSHMEM_FIRST_SEQ"},
	{"GSHMEM_CPU_NO_PEER", "use GSHMEM_CPU_LINKS=0-1:none"},
	{"GSHMEM_CPU_NO_ATOMICS", "use GSHMEM_CPU_LINKS=0-1:plain"},
};

static void warn_unknown(const char *name)
{
	unsigned best = 64, i, d;
	const char *nearest = NULL;

	for (i = 0; i < sizeof replaced / sizeof *replaced; i++) {
		if (strcmp(name, replaced[i][0]) == 0) {
			gshmemi_warn(
				"there is no environment variable %s any more: %s", name, replaced[i][1]);
			return;
		}
	}
	for (i = 0; i < NNAMES; i++) {
		if (strcmp(name, names[i]) == 0)
			return;
		d = distance(name, names[i]);
		if (d < best) {
			best = d;
			nearest = names[i];
		}
	}
	if (best <= 4)
		gshmemi_warn("there is no environment variable %s; did you mean %s?", name, nearest);
	else
		gshmemi_warn("there is no environment variable %s; gshmem-info lists those that exist", name);
}

void gshmemi_env_warn_unknown(void)
{
	static bool done;
	char name[64];
	size_t length;
	char **entry;

	if (done)
		return;
	done = true;
	for (entry = environ; *entry; entry++) {
		length = strcspn(*entry, "=");
		if (strncmp(*entry, "GSHMEM_", 7) || length >= sizeof name)
			continue;
		memcpy(name, *entry, length);
		name[length] = 0;
		warn_unknown(name);
	}
}
