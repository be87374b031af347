/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The GSHMEM_CPU_* variables, of the environment or of the settings file, read once. docs/cpu-platform.md
 * lists them. A malformed one is reported on stderr and makes every HIP call fail, so that a typo cannot turn
 * a failing test into one that passes.
 */
#include "base/base.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "runtime.h"
#include "hip/hipcpu.h"

static struct hipcpu_config config;

const char *hipcpu_setting(const char *name)
{
	return gshmemi_setting_find(name).text;
}

static void complain(const char *name, const char *value, const char *expected)
{
	hipcpu_message("%s=%s: expected %s", gshmemi_setting_find(name).label, value, expected);
	config.malformed = true;
}

bool hipcpu_parse_size(const char *text, size_t *nbytes_p)
{
	static const char units[] = "kmgt";
	unsigned long long value;
	unsigned shift = 0;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end) {
		const char *unit = strchr(units, tolower((unsigned char)*end));

		if (!unit || end[1])
			return false;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (errno || value > (SIZE_MAX >> shift))
		return false;
	*nbytes_p = (size_t)value << shift;
	return true;
}

static size_t read_size(const char *name, size_t fallback, size_t min, size_t max, const char *expected)
{
	const char *value = hipcpu_setting(name);
	size_t n;

	if (!value || !*value)
		return fallback;
	if (hipcpu_parse_size(value, &n) && n >= min && n <= max)
		return n;
	complain(name, value, expected);
	return fallback;
}

/*
 * Parses a pair of devices, as in "0-1", or "all". pairs receives bit b of [a] for each pair, both ways.
 * Returns how many characters it read, 0 for another text.
 */
static int parse_pairs(const char *text, uint64_t *pairs)
{
	unsigned a, b;
	int nread = 0, d;

	memset(pairs, 0, HIPCPU_MAX_DEVICES * sizeof(*pairs));
	if (!strncmp(text, "all", 3)) {
		for (d = 0; d < HIPCPU_MAX_DEVICES; d++)
			pairs[d] = ~(UINT64_C(1) << d);
		return 3;
	}
	if (!isdigit((unsigned char)*text) || sscanf(text, "%2u-%2u%n", &a, &b, &nread) != 2 ||
		a >= HIPCPU_MAX_DEVICES || b >= HIPCPU_MAX_DEVICES || a == b)
		return 0;
	pairs[a] |= UINT64_C(1) << b;
	pairs[b] |= UINT64_C(1) << a;
	return nread;
}

/* Parses items such as 0-1:none and all:plain, separated by commas. */
static bool parse_links(const char *text)
{
	uint64_t pairs[HIPCPU_MAX_DEVICES], *matrix;
	int nread, d;

	do {
		nread = parse_pairs(text, pairs);
		if (!nread)
			return false;
		text += nread;
		if (!strncmp(text, ":none", 5)) {
			matrix = config.no_peer;
			text += 5;
		} else if (!strncmp(text, ":plain", 6)) {
			matrix = config.no_atomics;
			text += 6;
		} else {
			return false;
		}
		for (d = 0; d < HIPCPU_MAX_DEVICES; d++)
			matrix[d] |= pairs[d];
	} while (*text++ == ',');
	return !text[-1];
}

static void read_links(void)
{
	const char *value = hipcpu_setting("GSHMEM_CPU_LINKS");

	if (value && *value && !parse_links(value))
		complain(
			"GSHMEM_CPU_LINKS", value, "pairs of devices, as in 0-1:none,2-3:plain or all:plain");
}

static void read_diverge(void)
{
	const char *value = hipcpu_setting("GSHMEM_CPU_DIVERGE");
	size_t seed = 1;

	if (!value || !*value)
		return;
	if (strncmp(value, "random", 6) ||
		(value[6] && (value[6] != ':' || !hipcpu_parse_size(value + 7, &seed)))) {
		complain("GSHMEM_CPU_DIVERGE", value, "random or random:seed");
		return;
	}
	config.diverge = true;
	config.diverge_seed = seed;
}

/* The lower of the machine's memory and the control group's limit. */
static size_t machine_memory(void)
{
	size_t nbytes = SIZE_MAX, limit;
	struct sysinfo info;
	char text[64];
	FILE *file;

	if (!sysinfo(&info)) /* MemTotal of /proc/meminfo, also where /proc is not mounted */
		nbytes = (size_t)info.totalram * info.mem_unit;
	file = hipcpu_read_file("/sys/fs/cgroup/memory.max");
	if (file) {
		if (fgets(text, sizeof(text), file)) {
			text[strcspn(text, "\n")] = 0;
			if (hipcpu_parse_size(text, &limit) && limit < nbytes)
				nbytes = limit;
		}
		fclose(file);
	}
	return nbytes;
}

static int env_int(const char *name)
{
	const char *value = getenv(name);

	return value && isdigit((unsigned char)*value) ? atoi(value) : -1;
}

/* Returns the first of these variables that holds a number of at least least, or -1. */
static int first_int(const char *const *names, int least)
{
	int value = -1;

	for (; *names && value < least; names++)
		value = env_int(*names);
	return value < least ? -1 : value;
}

/* Of hydra, then of Open MPI. */
int hipcpu_env_rank(void)
{
	static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", NULL};

	return first_int(names, 0);
}

/* How many processes of the job are on this machine. */
static unsigned count_processes(void)
{
	static const char *const names[] = {
		"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_SIZE", NULL};
	int nprocs = first_int(names, 1);

	return nprocs < 1 ? 1 : (unsigned)nprocs;
}

/*
 * Two running threads bounce a cache line in 0.1 us. Four threads on two cores need the context switch
 * anyway, and with 1024 polls are twelve times slower than with 16.
 */
static unsigned find_spin_polls(unsigned nthreads)
{
	return nthreads <= config.ncores ? 1024 : 16;
}

void hipcpu_share_cores(unsigned nthreads)
{
	if (!hipcpu_config()->spin_is_set) /* atomic, because a polling thread may read it meanwhile */
		__atomic_store_n(
			&config.spin_polls, find_spin_polls(nthreads * config.nprocs), __ATOMIC_RELAXED);
}

unsigned hipcpu_spin_polls(unsigned nthreads)
{
	const unsigned most = __atomic_load_n(&config.spin_polls, __ATOMIC_RELAXED);
	unsigned polls;

	if (config.spin_is_set)
		return most;
	polls = find_spin_polls(nthreads * config.nprocs);
	return polls < most ? polls : most;
}

static void read_scheduling(void)
{
	const unsigned nprocs = count_processes();
	const char *spin = hipcpu_setting("GSHMEM_CPU_SPIN");
	cpu_set_t set;

	config.ncores = 1;
	if (!sched_getaffinity(0, sizeof(set), &set))
		config.ncores = (unsigned)CPU_COUNT(&set);
	config.nprocs = nprocs;
	config.spin_is_set = spin && *spin;
	config.spin_polls = (unsigned)read_size(
		"GSHMEM_CPU_SPIN", find_spin_polls(nprocs), 1, 1u << 30, "polls, at least 1");
	config.near_polls = config.spin_polls;
	/*
	 * Each process has a host thread and a block thread that want a core; with fewer cores, a spinning
	 * thread is in the way.
	 */
	config.idle_spin = nprocs * 2 <= config.ncores ? 1000 : 0;
}

static void read_host_access(void)
{
	const char *value = hipcpu_setting("GSHMEM_CPU_HOST_ACCESS");

	if (!value || !*value || !strcmp(value, "1"))
		return;
	if (strcmp(value, "0") && strcmp(value, "mprotect"))
		complain("GSHMEM_CPU_HOST_ACCESS", value, "0, 1 or mprotect");
	else if (!hipcpu_access_init(*value == '0'))
		config.malformed = true;
}

static void parse(void)
{
	const char *fail = hipcpu_setting("GSHMEM_CPU_FAIL"),
		   *launches = hipcpu_setting("GSHMEM_CPU_LAUNCHES");

	config.malformed = gshmemi_settings_read(NULL) != 0;
	config.ndevices = (int)read_size("GSHMEM_CPU_DEVICES", 1, 0, HIPCPU_MAX_DEVICES, "0 to 64 devices");
	config.wave = (unsigned)read_size("GSHMEM_CPU_WAVE", 64, 32, 64, "32 or 64");
	if (config.wave != 32 && config.wave != 64)
		complain("GSHMEM_CPU_WAVE", hipcpu_setting("GSHMEM_CPU_WAVE"), "32 or 64");
	config.whole_waves = read_size("GSHMEM_CPU_WHOLE_WAVES", 0, 0, 1, "0 or 1");
	config.nblocks = (unsigned)read_size("GSHMEM_CPU_BLOCKS", 32, 1, 1024, "1 to 1024 blocks");
	config.ncus = (unsigned)read_size("GSHMEM_CPU_CUS", 8, 1, 1024, "1 to 1024 compute units");
	/*
	 * Occupancy is blocks per unit times units, and must equal the number of blocks that
	 * really are resident.
	 */
	while (config.nblocks % config.ncus)
		config.ncus--;
	config.stack_bytes = read_size("GSHMEM_CPU_STACK", 64 << 10, 16 << 10, 1 << 30, "16k to 1g bytes");
	config.stack_bytes = hipcpu_round_to_pages(config.stack_bytes);
	config.memory_bytes = read_size("GSHMEM_CPU_MEMORY", 0, 1, SIZE_MAX, "bytes, as in 512m");
	if (!config.memory_bytes)
		config.memory_bytes = machine_memory();
	config.launches = launches && *launches ? launches : NULL;
	config.stuck_s = (unsigned)read_size("GSHMEM_CPU_STUCK", 5, 0, 1 << 20, "seconds");
	read_links();
	read_diverge();
	read_scheduling();
	read_host_access();
	if (fail && *fail && !hipcpu_failures_parse(fail))
		complain("GSHMEM_CPU_FAIL", fail, "call:k[:error][@rank],...");
}

const struct hipcpu_config *hipcpu_config(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, parse);
	return &config;
}
