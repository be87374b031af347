/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* timeout: 400 */
/* races: no, it compares builds */
/*
 * gshmem-info prints devices and which PEs reach each other, as text and JSON, alone and as a job.
 * Its --scale agrees with what a job itself reports, and docs/scaling.md agrees with --scale
 * within the limits that it names.
 */
#include "job.h"

static struct t_job info;

/* Brackets and quotes match, which is enough to notice a lost brace or quote. */
static void check_json(void)
{
	char open[64];
	int depth = 0, quoted = 0, last = 0;
	const char *at;

	for (at = info.output; *at; at++) {
		if (*at == '"' && last != '\\')
			quoted = !quoted;
		if (!quoted && (*at == '{' || *at == '['))
			open[depth++ & 63] = *at;
		if (!quoted && (*at == '}' || *at == ']'))
			t_check(depth-- > 0 && open[depth & 63] == (*at == '}' ? '{' : '['), "brackets: %s",
				at);
		if (!quoted && strchr("}]", *at))
			t_check(last != ',', "a comma before a bracket");
		if (!strchr(" \n", *at))
			last = *at;
	}
	t_equal(depth, 0, "open brackets");
}

/* ---- --scale ---- */

/* The part of the report about what init allocates. */
static void copy_init(char *part, size_t nbytes)
{
	const char *begin = strstr(info.output, "\ninternal_memory\n");
	const char *end = begin ? strstr(begin, "handles_opened") : NULL;

	t_check(end && (size_t)(end - begin) + 64 < nbytes, "what init takes is missing:\n%s", info.output);
	memcpy(part, begin, (size_t)(end - begin) + strcspn(end, "\n"));
	part[(size_t)(end - begin) + strcspn(end, "\n")] = 0;
}

static void compare_with_job(const char *job)
{
	static char expected[4096], found[4096];

	t_job_info(&info, job, "");
	copy_init(expected, sizeof expected);
	t_job_info(&info, "", "--scale 3");
	copy_init(found, sizeof found);
	t_check(strcmp(expected, found) == 0, "--scale 3, and a job of 3 PEs:\n%s\n%s", found, expected);
}

/* The number after the last of these words; each word is searched for after the previous one. */
static long number(const char *section, const char *key)
{
	const char *at = strstr(info.output, section);

	at = at ? strstr(at, key) : NULL;
	t_check(at, "no %s, %s in:\n%s", section, key, info.output);
	return atol(at + strlen(key));
}

static void check_page(void)
{
	static const int npes[] = {8, 64, 512, 4096, 32768, 65536};
	static char page[1 << 14];
	FILE *file = fopen("docs/scaling.md", "r");
	char arguments[32], row[256];
	unsigned i;

	t_check(file && fread(page, 1, sizeof page - 1, file), "docs/scaling.md cannot be read");
	fclose(file);
	for (i = 0; i < sizeof npes / sizeof *npes; i++) {
		snprintf(arguments, sizeof arguments, "--scale %d", npes[i]);
		t_job_info(&info, "", arguments);
		snprintf(row, sizeof row, "| %d | %ld | %ld | %ld | %ld | **%ld** | %ld | %ld | %ld |\n",
			npes[i], number("device_bytes\n", "    sum "), number("pinned_bytes\n", "    sum "),
			number("host_bytes\n", "    sum "), number("host_bytes_in_init\n", "    sum "),
			number("", "\n  sum "), number("", "\n  bytes_among_all "),
			number("", "\n  bytes_on_the_machine "), number("", "\n  handles_opened "));
		t_check(strstr(page, row), "docs/scaling.md has not the row\n%s", row);
	}
	t_check(number("", "\n  sum ") <= 64L << 20, "internal memory of a PE of the largest job");
	t_check(number("constant_bytes_of_a_unit\n", "    sum ") <= 16 << 10, "constant memory of a unit");
	t_equal(number("", "\n  handles_opened "), 2 * 7, "handles");
}

int main(void)
{
	const char *mpirun = getenv("MPIRUN");
	char job[PATH_MAX];

	t_job_info(&info, "GSHMEM_CHECK=1 GSHMEM_RPC_SLOTS=1024", "");
	t_job_said(&info, "platform               cpu\n");
	t_job_said(&info, "* GSHMEM_CHECK           1 ");
	t_job_said(&info, "  GSHMEM_HEAP_SIZE       1g ");
	t_job_said(&info, "    reaches                self");
	t_job_said(&info, "    atomics_go             self");
	t_job_said(&info,
		"\ncalls_from_kernels\n  slots                  1024\n"
		"  lanes                  64\n  pinned_bytes           ");
	t_check(atol(strstr(info.output, "lanes                  64\n") + 49) > 1024 * 4096,
		"memory of slots:\n%s", info.output);
	t_job_info(&info, "GSHMEM_MPI_LIBRARY=/nonexistent", "--measure"); /* needs no MPI */
	t_job_said(&info, "    reaches                self");
	snprintf(job, sizeof job, "%.1000s -n 3", mpirun ? mpirun : "mpirun");
	compare_with_job(job);
	check_page();
	t_job_info(&info, "", "--scale 8 --json");
	check_json();
	snprintf(job, sizeof job, "GSHMEM_CPU_DEVICES=3 GSHMEM_CPU_LINKS=0-1:none,0-2:plain %.1000s -n 3",
		mpirun ? mpirun : "mpirun");
	t_job_info(&info, job, "--json 2>/dev/null");
	check_json();
	t_job_said(&info, "\"reaches\": [\"self\", \"no-access\", \"no-atomics\"]");
	t_job_said(&info, "\"reaches\": [\"no-access\", \"self\", \"direct\"]");
	t_job_said(&info, "\"puts_go\": [\"self\", \"mpi\", \"direct\"]");
	t_job_said(&info, "\"atomics_go\": [\"self\", \"mpi\", \"mpi\"]");
	t_job_said(&info, "\"because_of\": [\"-\", \"no-access\", \"no-atomics\"]");
	t_job_said(&info, "\"peer_access\": [\"self\", \"none\", \"memory\"]");
	t_job_said(&info, "\"peer_access\": [\"none\", \"self\", \"atomics\"]");
	t_job_said(&info, "\"name\": \"GSHMEM_CPU_DEVICES\"");
	t_job_said(&info, "\"calls_from_kernels\": {\n");
	t_job_said(&info, "\"slots\": ");
	t_job_info(&info, job, "--measure --json 2>/dev/null");
	check_json();
	t_equal(t_job_count(&info, "\"fetch_add_8_us\""), 6, "pairs of PEs whose atomics are measured");
	/* 0 and 1 have no access to each other */
	t_equal(t_job_count(&info, "\"put_1mib_raw\""), 4,
		"pairs of PEs whose memory is copied without the library");
#define FAILS "hipIpcOpenMemHandle:1@0,"
	snprintf(job, sizeof job,
		"GSHMEM_CPU_FAIL=" FAILS FAILS FAILS FAILS "hipIpcOpenMemHandle:1@0 %.1000s -n 2",
		mpirun ? mpirun : "mpirun");
	t_job_info(&info, job, "--json 2>/dev/null");
	check_json();
	t_job_said(&info, "\"puts_go\": [\"self\", \"mpi\"]");
	t_job_said(&info, "\"because_of\": [\"-\", \"ipc-handle-did-not-open\"]");
	t_job_said(&info, "\"puts_go\": [\"direct\", \"self\"]");
	return 0;
}
