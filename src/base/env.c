/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment: parses the variables of env_list.h. */
#include "base/base.h"

#include <gshmem/state/pe.h>
#include <gshmem/order/team.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gshmemi_env gshmemi_env;

static const char *const heap_kinds[] = {"auto", "coarse", "fine", "uncached"};

const char *gshmemi_heap_kind_name(enum gshmemi_heap_kind kind)
{
	return heap_kinds[kind];
}

/* Parses digits that fit 64 bits; *end_p is what follows them. */
static int parse_digits(const char *text, uint64_t *value_p, const char **end_p)
{
	uint64_t value = 0;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (__builtin_mul_overflow(value, 10U, &value) ||
			__builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return -ERANGE;
	}
	*value_p = value;
	*end_p = text;
	return 0;
}

int gshmemi_env_parse_size(const char *text, uint64_t *nbytes_p)
{
	static const char suffixes[] = "kmgt";
	const char *end, *suffix;
	uint64_t value;
	unsigned shift = 0;
	int rc;

	rc = parse_digits(text, &value, &end);
	if (rc)
		return rc;
	if (*end) {
		suffix = strchr(suffixes, *end | 0x20);
		if (!suffix || end[1])
			return -EINVAL;
		shift = 10 * (unsigned)(suffix - suffixes + 1);
	}
	if (value << shift >> shift != value)
		return -ERANGE;
	*nbytes_p = value << shift;
	return 0;
}

static int parse_size(const char *name, const char *text, uint64_t *value_p)
{
	int rc = gshmemi_env_parse_size(text, value_p);

	if (rc == -ERANGE)
		gshmemi_error("%s=%s: more than 64 bits can hold", name, text);
	else if (rc)
		gshmemi_error("%s=%s: not a size: write digits and at most one of k, m, g, t, as in 512m",
			name, text);
	return rc;
}

static int parse_kind(const char *name, const char *text, enum gshmemi_heap_kind *value_p)
{
	unsigned i;

	for (i = 0; i < sizeof heap_kinds / sizeof *heap_kinds; i++) {
		if (strcmp(text, heap_kinds[i]) == 0) {
			*value_p = (enum gshmemi_heap_kind)i;
			return 0;
		}
	}
	gshmemi_error("%s=%s: must be auto, coarse, fine or uncached", name, text);
	return -EINVAL;
}

/* The words are in the order of enum gshmemi_rpc_poll. */
static int parse_poll(const char *name, const char *text, enum gshmemi_rpc_poll *value_p)
{
	static const char *const polls[] = {"adaptive", "spin", "yield", "nap"};
	unsigned i;

	for (i = 0; i < sizeof polls / sizeof *polls; i++) {
		if (strcmp(text, polls[i]) == 0) {
			*value_p = (enum gshmemi_rpc_poll)i;
			return 0;
		}
	}
	gshmemi_error("%s=%s: must be adaptive, spin, yield or nap", name, text);
	return -EINVAL;
}

static int parse_seq(const char *name, const char *text, uint32_t *value_p)
{
	const char *end;
	uint64_t digits;

	if (parse_digits(text, &digits, &end) || *end || digits > UINT32_MAX) {
		gshmemi_error("%s=%s: must be a number from 0 to %u", name, text, UINT32_MAX);
		return -EINVAL;
	}
	*value_p = (uint32_t)digits;
	return 0;
}

/* The words are in the order of enum gshmemi_mpi_gpu. */
static int parse_mpi_gpu(const char *name, const char *text, enum gshmemi_mpi_gpu *value_p)
{
	static const char *const words[] = {"auto", "0", "1"};
	unsigned i;

	for (i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(text, words[i]) == 0) {
			*value_p = (enum gshmemi_mpi_gpu)i;
			return 0;
		}
	}
	gshmemi_error("%s=%s: must be auto, 0 or 1", name, text);
	return -EINVAL;
}

static int parse_flag(const char *name, const char *text, bool *value_p)
{
	if ((text[0] != '0' && text[0] != '1') || text[1]) {
		gshmemi_error("%s=%s: must be 0 or 1", name, text);
		return -EINVAL;
	}
	*value_p = text[0] == '1';
	return 0;
}

/* The ranges of numbers, where they differ from 0 to INT_MAX. */
static const struct range {
	const char *name;
	int least, most;
} ranges[] = {
	{"GSHMEM_DEVICE", -1, INT_MAX},
	{"GSHMEM_NET_CPU", -1, INT_MAX},
	{"GSHMEM_TEAMS", 8, (1 << GSHMEMI_TEAM_INDEX_BITS) - 1},
	{"GSHMEM_WINDOWS", 1, GSHMEMI_NREGIONS - GSHMEMI_NFIXED},
	{"GSHMEM_CONTEXTS", 2, GSHMEMI_CTX_LIBRARY},
	{"GSHMEM_RPC_SLOTS", 0, 1 << 20},
	{"GSHMEM_RPC_THREADS", 1, 64},
	{"GSHMEM_RPC_WORKERS", 1, 1024},
};

/* label: of gshmemi_setting_find; the name stands behind its last blank. */
static struct range find_range(const char *label)
{
	const char *blank = strrchr(label, ' '), *name = blank ? blank + 1 : label;
	unsigned i;

	for (i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (strcmp(name, ranges[i].name) == 0)
			return ranges[i];
	return (struct range){name, 0, INT_MAX};
}

static int parse_number(const char *name, const char *text, int *value_p)
{
	const struct range range = find_range(name);
	const bool is_negative = *text == '-';
	const char *end;
	uint64_t digits;
	int64_t value;

	if (parse_digits(text + is_negative, &digits, &end) || *end || digits > INT_MAX)
		goto err_range;
	value = is_negative ? -(int64_t)digits : (int64_t)digits;
	if (value < range.least || value > range.most)
		goto err_range;
	*value_p = (int)value;
	return 0;

err_range:
	gshmemi_error("%s=%s: must be a number from %d to %d", name, text, range.least, range.most);
	return -EINVAL;
}

double gshmemi_env_parse_double(const char *text, char **end_p)
{
	const locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	locale_t program;
	double value;

	if (!c)
		return strtod(text, end_p);
	program = uselocale(c); /* of this thread */
	value = strtod(text, end_p);
	uselocale(program);
	freelocale(c);
	return value;
}

static int parse_seconds(const char *name, const char *text, double *value_p)
{
	char *end;
	double value = gshmemi_env_parse_double(text, &end);

	if (end == text || *end || !(value >= 0 && value <= 1e9)) {
		gshmemi_error("%s=%s: must be a number of seconds, 0 for never", name, text);
		return -EINVAL;
	}
	*value_p = value;
	return 0;
}

/* "random" or "random:SEED"; the platform reads the seed. NULL: no delay. */
static int parse_delivery(const char *name, const char *text, const char **value_p)
{
	const char *end = text;
	uint64_t seed;

	if (*text && strncmp(text, "random", 6) == 0) {
		end = text + 6;
		if (*end == ':' && parse_digits(end + 1, &seed, &end))
			end = text;
	}
	if (*end) {
		gshmemi_error("%s=%s: must be random or random:SEED, where SEED is a number", name, text);
		return -EINVAL;
	}
	*value_p = *text ? text : NULL;
	return 0;
}

/*
 * Parses the next item of a list like "1,4-6"; false if there is none. Moves *text_p to the item after it, or
 * to the end.
 */
static bool parse_pes(const char **text_p, uint64_t *first_p, uint64_t *last_p)
{
	const char *at = *text_p;

	if (parse_digits(at, first_p, &at))
		return false;
	*last_p = *first_p;
	if (*at == '-' && parse_digits(at + 1, last_p, &at))
		return false;
	if (*at == ',' && !at[1])
		return false;
	*text_p = at + (*at == ',');
	return (!*at || *at == ',') && *first_p <= *last_p;
}

#define DIRECT "direct"

static int parse_carry(const char *name, const char *text, const char **value_p)
{
	uint64_t first, last;
	const char *at = text;

	if (strncmp(at, DIRECT, sizeof DIRECT - 1) == 0)
		at += sizeof DIRECT - 1 + (at[sizeof DIRECT - 1] == ':' && at[sizeof DIRECT]);
	else if (strcmp(at, "all") == 0 || strcmp(at, "1-in-3") == 0)
		at = "";
	while (*at)
		if (!parse_pes(&at, &first, &last)) {
			gshmemi_error("%s=%s: must be all, 1-in-3, a list of PEs like 1,4-6, direct, or "
				      "direct:1,4-6",
				name, text);
			return -EINVAL;
		}
	*value_p = *text ? text : NULL;
	return 0;
}

bool gshmemi_env_carries_direct(void)
{
	return gshmemi_env.CARRY && strncmp(gshmemi_env.CARRY, DIRECT, sizeof DIRECT - 1) == 0;
}

enum gshmemi_carrier gshmemi_env_carrier(int from, int to)
{
	const bool is_direct = gshmemi_env_carries_direct();
	const enum gshmemi_carrier way = is_direct ? GSHMEMI_CARRIER_DIRECT : GSHMEMI_CARRIER_NET;
	const char *at = gshmemi_env.CARRY;
	uint64_t first, last;

	if (!at || (from == to && !is_direct))
		return GSHMEMI_CARRIER_NONE;
	if (strcmp(at, "1-in-3") == 0) /* never in both directions */
		return (2 * (int64_t)from + to) % 3 == 1 ? way : GSHMEMI_CARRIER_NONE;
	if (is_direct)
		at += sizeof DIRECT - 1;
	if (!*at || strcmp(at, "all") == 0)
		return way;
	at += *at == ':';
	while (*at && parse_pes(&at, &first, &last))
		if ((uint64_t)to >= first && (uint64_t)to <= last)
			return way;
	return GSHMEMI_CARRIER_NONE;
}

/* "K" or "K:cyclic". */
static int parse_nodes(const char *name, const char *text, struct gshmemi_nodes *value_p)
{
	const char *end = text;
	uint64_t npes = 0;
	bool is_cyclic = false;

	if (*text && (parse_digits(text, &npes, &end) || !npes || npes > GSHMEMI_NPES_LIMIT))
		goto err_value;
	if (*text && strcmp(end, ":cyclic") == 0)
		is_cyclic = true;
	else if (*end)
		goto err_value;
	*value_p = (struct gshmemi_nodes){(int)npes, is_cyclic};
	return 0;

err_value:
	gshmemi_error("%s=%s: must be a number of PEs, or a number followed by :cyclic", name, text);
	return -EINVAL;
}

/* Takes any text: whoever uses it parses it. */
static int parse_text(const char *name, const char *text, const char **value_p)
{
	(void)name;
	*value_p = *text ? text : NULL;
	return 0;
}

/* ---- OpenSHMEM's variables ---- */

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

const char *gshmemi_env_find_foreign_size(const char **name_p)
{
	static const char *const foreign[] = {"NVSHMEM_SYMMETRIC_SIZE", "ROCSHMEM_HEAP_SIZE"};
	const char *text = getenv("GSHMEM_HEAP_SIZE");
	unsigned i;

	if (text && *text)
		return NULL;
	text = gshmemi_is_shmem ? gshmemi_env_find_shmem("SYMMETRIC_SIZE", name_p) : NULL;
	for (i = 0; !text && i < sizeof foreign / sizeof *foreign; i++) {
		text = getenv(foreign[i]);
		text = text && *text ? text : NULL;
		*name_p = foreign[i];
	}
	return text;
}

/* What the environment says in any library's words comes before the settings file. */
static int read_heap_size(void)
{
	static bool has_said;
	const char *name, *text = gshmemi_env_find_foreign_size(&name);

	if (text && !has_said)
		gshmemi_info("heap: the size is that of %s=%s", name, text);
	has_said = has_said || text;
	return text ? parse_symmetric_size(name, text, &gshmemi_env.HEAP_SIZE) : 0;
}

/* ---- all ---- */

int gshmemi_env_read(void)
{
	struct gshmemi_setting set;
	const char *name;
	int rc, first = gshmemi_settings_read(NULL);

#define X(NAME, KIND, DEFAULT, CATEGORY, HELP) \
	set = gshmemi_setting_find("GSHMEM_" #NAME); \
	rc = parse_##KIND(set.label, set.text ? set.text : DEFAULT, &gshmemi_env.NAME); \
	if (rc) { \
		parse_##KIND("GSHMEM_" #NAME, DEFAULT, &gshmemi_env.NAME); \
		first = first ? first : rc; \
	}
#include "base/env_list.h"
#undef X
	if (gshmemi_is_shmem && gshmemi_env_find_shmem("DEBUG", &name))
		gshmemi_env.DEBUG = true;
	rc = read_heap_size();
	if (GSHMEMI_WATCHES_RACES) /* the detector is a carrier in place of late delivery */
		gshmemi_env.CPU_DELIVERY = "races";
	return first ? first : rc;
}

/* TRACE counts only where kernels record on the slow path, which those of GPUs do not. */
bool gshmemi_env_sees_operations(void)
{
	return gshmemi_env.CPU_DELIVERY || gshmemi_env.STATS ||
		(gshmemi_env.TRACE && GSHMEMI_ARCH_HAS_DELIVERY);
}

bool gshmemi_env_sees_calls(void)
{
	return gshmemi_env.CHECK || gshmemi_env_sees_operations();
}
