/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* timeout: 180 */
/*
 * gshmem-info: text and JSON, alone and as a job, names what there is and who reaches whom; --scale says of
 * a job what the job itself says, and docs/scaling.md what --scale says, within the limits that it names.
 */
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "helpers.h"

static char output[1 << 16];
static char tool[PATH_MAX];

static void run(const char *before, const char *after)
{
	char command[2 * PATH_MAX];
	FILE *pipe;
	size_t n;

	snprintf(command, sizeof command, "%s %s %s 2>&1", before, tool, after);
	pipe = popen(command, "r");
	t_check(pipe, "popen");
	n = fread(output, 1, sizeof output - 1, pipe);
	output[n] = 0;
	t_check(pclose(pipe) == 0, "%s fails:\n%s", command, output);
}

static void expect(const char *text)
{
	t_check(strstr(output, text), "expected \"%s\" in:\n%s", text, output);
}

static int count(const char *text)
{
	const char *at;
	int n = 0;

	for (at = strstr(output, text); at; at = strstr(at + 1, text))
		n++;
	return n;
}

/* Brackets and quotes match: enough to see that a comma or a brace was lost. */
static void check_json(void)
{
	char open[64];
	int depth = 0, quoted = 0, last = 0;
	const char *at;

	for (at = output; *at; at++) {
		if (*at == '"' && last != '\\')
			quoted = !quoted;
		if (!quoted && (*at == '{' || *at == '['))
			open[depth++ & 63] = *at;
		if (!quoted && (*at == '}' || *at == ']'))
			t_check(depth-- > 0 && open[depth & 63] == (*at == '}' ? '{' : '['), "brackets: %s", at);
		if (!quoted && strchr("}]", *at))
			t_check(last != ',', "a comma before a bracket");
		if (!strchr(" \n", *at))
			last = *at;
	}
	t_equal(depth, 0, "open brackets");
}

/* ---- --scale ---- */

/* The part of the report about what init takes. */
static void copy_init(char *part, size_t nbytes)
{
	const char *begin = strstr(output, "\ninternal_memory\n"), *end = begin ? strstr(begin, "handles_opened") : NULL;

	t_check(end && (size_t)(end - begin) + 64 < nbytes, "what init takes is missing:\n%s", output);
	memcpy(part, begin, (size_t)(end - begin) + strcspn(end, "\n"));
	part[(size_t)(end - begin) + strcspn(end, "\n")] = 0;
}

static void compare_with_job(const char *job)
{
	static char expected[4096], found[4096];

	run(job, "");
	copy_init(expected, sizeof expected);
	run("", "--scale 3");
	copy_init(found, sizeof found);
	t_check(strcmp(expected, found) == 0, "--scale 3, and a job of 3 PEs:\n%s\n%s", found, expected);
}

/* The number behind the last of these words, each of which is looked for behind the one before. */
static long number(const char *section, const char *key)
{
	const char *at = strstr(output, section);

	at = at ? strstr(at, key) : NULL;
	t_check(at, "no %s, %s in:\n%s", section, key, output);
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
		run("", arguments);
		snprintf(row, sizeof row, "| %d | %ld | %ld | %ld | %ld | **%ld** | %ld | %ld | %ld |\n", npes[i],
			 number("device_bytes\n", "    sum "), number("pinned_bytes\n", "    sum "),
			 number("host_bytes\n", "    sum "), number("host_bytes_in_init\n", "    sum "), number("", "\n  sum "),
			 number("", "\n  bytes_among_all "), number("", "\n  bytes_on_the_machine "), number("", "\n  handles_opened "));
		t_check(strstr(page, row), "docs/scaling.md has not the row\n%s", row);
	}
	t_check(number("", "\n  sum ") <= 64L << 20, "internal memory of a PE of the largest job");
	t_check(number("constant_bytes_of_a_unit\n", "    sum ") <= 16 << 10, "constant memory of a unit");
	t_equal(number("", "\n  handles_opened "), 2 * 7, "handles");
}

int main(void)
{
	const char *mpirun = getenv("MPIRUN");
	char self[PATH_MAX] = "", job[PATH_MAX];

	t_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc is not there");
	snprintf(tool, sizeof tool, "%.4000s/../bin/gshmem-info", dirname(self));
	if (access(tool, X_OK))
		t_skip("%s is not built", tool);
	run("GSHMEM_CHECK=1 GSHMEM_RPC_SLOTS=1024", "");
	expect("platform               cpu\n");
	expect("* GSHMEM_CHECK           1 ");
	expect("  GSHMEM_HEAP_SIZE       1g ");
	expect("    reaches                self");
	expect("    atomics_go             self");
	expect("\ncalls_from_kernels\n  slots                  1024\n  lanes                  64\n  pinned_bytes           ");
	t_check(atol(strstr(output, "lanes                  64\n") + 49) > 1024 * 4096, "memory of slots:\n%s", output);
	snprintf(job, sizeof job, "%.1000s -n 3", mpirun ? mpirun : "mpirun");
	compare_with_job(job);
	check_page();
	run("", "--scale 8 --json");
	check_json();
	snprintf(job, sizeof job, "GSHMEM_CPU_DEVICES=3 GSHMEM_CPU_NO_PEER=0-1 GSHMEM_CPU_NO_ATOMICS=0-2 %.1000s -n 3",
		 mpirun ? mpirun : "mpirun");
	run(job, "--json 2>/dev/null");
	check_json();
	expect("\"reaches\": [\"self\", \"no-access\", \"no-atomics\"]");
	expect("\"reaches\": [\"no-access\", \"self\", \"direct\"]");
	expect("\"puts_go\": [\"self\", \"mpi\", \"direct\"]");
	expect("\"atomics_go\": [\"self\", \"mpi\", \"mpi\"]");
	expect("\"because_of\": [\"-\", \"no-access\", \"no-atomics\"]");
	expect("\"peer_access\": [\"self\", \"none\", \"memory\"]");
	expect("\"peer_access\": [\"none\", \"self\", \"atomics\"]");
	expect("\"name\": \"GSHMEM_CPU_DEVICES\"");
	expect("\"calls_from_kernels\": {\n");
	expect("\"slots\": ");
	run(job, "--measure --json 2>/dev/null");
	check_json();
	t_equal(count("\"fetch_add_8_us\""), 6, "pairs of PEs whose atomics are measured");
	t_equal(count("\"put_1mib_raw\""), 4, "pairs of PEs whose memory is copied without the library"); /* 0 and 1 have no access */
#define FAILS "hipIpcOpenMemHandle:1@0,"
	snprintf(job, sizeof job, "GSHMEM_CPU_FAIL=" FAILS FAILS FAILS FAILS "hipIpcOpenMemHandle:1@0 %.1000s -n 2", mpirun ? mpirun : "mpirun");
	run(job, "--json 2>/dev/null");
	check_json();
	expect("\"puts_go\": [\"self\", \"mpi\"]");
	expect("\"because_of\": [\"-\", \"ipc-handle-did-not-open\"]");
	expect("\"puts_go\": [\"direct\", \"self\"]");
	return 0;
}
