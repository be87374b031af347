/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem-info: what gshmem finds on this machine. Alone it is a job of one PE; under mpirun -n N it also shows which
 * PE reaches which, and how.
 *
 * One report, two printers: report() names each fact once, the functions in front of it write text or JSON.
 */
#include "host/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/heap.h"
#include "ipc/job.h"

/* ---- printing ---- */

static bool json;
static int level;      /* nesting */
static bool is_first = true; /* of the list that is open */

static void begin_item(const char *key)
{
	if (json) {
		printf("%s\n%*s", is_first ? "" : ",", 2 * level, "");
		if (key)
			printf("\"%s\": ", key);
	} else {
		printf("%*s", 2 * (level - 1), "");
		if (key)
			printf("%-*s ", 22, key);
	}
	is_first = false;
}

/* key NULL: an element of a list. is_list tells [] from {}. */
static void open_group(const char *key, bool is_list)
{
	if (json) {
		begin_item(key);
		putchar(is_list ? '[' : '{');
	} else if (key) {
		printf("%*s%s\n", 2 * (level - 1), "", key);
	}
	level++;
	is_first = true;
}

static void close_group(bool is_list)
{
	level--;
	if (json)
		printf("\n%*s%c", 2 * level, "", is_list ? ']' : '}');
	is_first = false;
}

static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned)*text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void put_text(const char *key, const char *text)
{
	begin_item(key);
	if (json)
		print_quoted(text);
	else
		printf("%s\n", text);
}

static void put_number(const char *key, uint64_t value)
{
	begin_item(key);
	printf("%" PRIu64, value);
	if (!json)
		putchar('\n');
}

/* A row of a matrix: short words, blanks between them. */
static void put_row(const char *key, const char *const *words, int nwords)
{
	int i;

	begin_item(key);
	if (json)
		putchar('[');
	for (i = 0; i < nwords; i++) {
		if (json && i)
			printf(", ");
		if (json)
			print_quoted(words[i]);
		else
			printf("%-9s", words[i]);
	}
	printf(json ? "]" : "\n");
}

/* ---- devices ---- */

static void put_uuid(const hipUUID *uuid)
{
	char text[2 * sizeof uuid->bytes + 1];
	unsigned i;

	for (i = 0; i < sizeof uuid->bytes; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned char)uuid->bytes[i]);
	put_text("uuid", text);
}

static const char *access_between(int device, int peer)
{
	int can_map = 0, has_atomics = 0;

	if (device == peer)
		return "self";
	if (hipDeviceCanAccessPeer(&can_map, device, peer) != hipSuccess || !can_map)
		return "none";
	if (hipDeviceGetP2PAttribute(&has_atomics, hipDevP2PAttrNativeAtomicSupported, device, peer) != hipSuccess ||
	    !has_atomics)
		return "memory";
	return "atomics";
}

static void report_device(int device, int ndevices)
{
	const char *row[64];
	hipDeviceProp_t prop;
	char name[32];
	int peer;

	if (hipGetDeviceProperties(&prop, device) != hipSuccess)
		return;
	snprintf(name, sizeof name, "device %d", device);
	open_group(json ? NULL : name, false);
	put_text("name", prop.name);
	put_uuid(&prop.uuid);
	put_number("memory_bytes", prop.totalGlobalMem);
	put_number("wave", (uint64_t)prop.warpSize);
	put_number("compute_units", (uint64_t)prop.multiProcessorCount);
	for (peer = 0; peer < ndevices && peer < 64; peer++)
		row[peer] = access_between(device, peer);
	put_row("peer_access", row, peer);
	close_group(false);
}

static void report_devices(void)
{
	int ndevices = 0, device;

	if (hipGetDeviceCount(&ndevices) != hipSuccess)
		ndevices = 0;
	open_group("devices", true);
	for (device = 0; device < ndevices; device++)
		report_device(device, ndevices);
	close_group(true);
}

/* ---- heap ---- */

static void report_heap(void)
{
	struct gshmemx_heap_usage usage;

	gshmemx_heap_stats(&usage);
	open_group("heap", false);
	put_number("bytes", usage.total);
	put_text("kind", gshmemi_heap_kind_name(gshmemi_heap.kind));
	put_number("alignment", gshmemi_heap.align);
	close_group(false);
	open_group("internal_memory", false);
	put_number("device_bytes", sizeof(struct gshmemi_sync));
	put_number("pinned_bytes", sizeof(struct gshmemi_peers) + sizeof(struct gshmemi_fault) + sizeof(uint32_t) +
					   (gshmemi_heap.allocation_end ? usage.total / GSHMEMI_GRANULE * 8 : 0));
	put_number("constant_bytes_per_unit", sizeof(struct gshmemi_state));
	close_group(false);
}

/* ---- peers ---- */

/* How this PE reaches another: an index of reach_names. */
static char reach(int pe)
{
	if (pe == gshmemi_state.my_pe)
		return 0;
	if (gshmemi_state.peers->delta[pe] == GSHMEMI_SENTINEL)
		return gshmemi_job->peers[pe].is_local ? 3 : 4;
	return gshmemi_state.peers->amo_delta[pe] == GSHMEMI_SENTINEL ? 2 : 1;
}

static const char *const reach_names[] = {"self", "direct", "no-atomics", "no-access", "remote"};

/* Every PE's row; PE 0 prints. */
static char *gather_reach(int npes)
{
	char *mine = calloc((size_t)npes, 1), *all = calloc((size_t)npes, (size_t)npes);
	int pe;

	if (!mine || !all)
		gshmemi_end(1);
	for (pe = 0; pe < npes; pe++)
		mine[pe] = reach(pe);
	gshmemi_bootstrap_allgather(mine, all, (size_t)npes);
	free(mine);
	return all;
}

static void report_peers(const char *all, int npes)
{
	const char **row = calloc((size_t)npes, sizeof *row);
	const struct gshmemi_peer *peer;
	char name[96];
	int pe, to;

	if (!row)
		gshmemi_end(1);
	open_group("pes", true);
	for (pe = 0; pe < npes; pe++) {
		peer = &gshmemi_job->peers[pe];
		for (to = 0; to < npes; to++)
			row[to] = reach_names[(int)all[pe * npes + to]];
		snprintf(name, sizeof name, "PE %d", pe);
		open_group(json ? NULL : name, false);
		put_text("host", peer->host);
		put_number("pid", (uint64_t)peer->pid);
		put_row("reaches", row, npes);
		close_group(false);
	}
	close_group(true);
	free(row);
}

/* ---- environment ---- */

static void report_variable(const char *name, const char *fallback, const char *category, const char *help)
{
	const char *value = getenv(name);

	if (!json) { /* one line each; * marks those that are set */
		printf("%c %-22s %-8s %s\n", value ? '*' : ' ', name, value ? value : *fallback ? fallback : "-", help);
		return;
	}
	open_group(NULL, false);
	put_text("name", name);
	put_text("value", value ? value : fallback);
	put_text("set", value ? "yes" : "no");
	put_text("category", category);
	put_text("help", help);
	close_group(false);
}

static void report_environment(void)
{
	open_group("environment", true);
#define X(NAME, KIND, DEFAULT, CATEGORY, HELP) report_variable("GSHMEM_" #NAME, DEFAULT, CATEGORY, HELP);
#include "host/env_list.h"
#undef X
	close_group(true);
}

static void report(const char *all, int npes)
{
	if (json)
		putchar('{');
	level = 1;
	put_text("platform", GSHMEMI_ARCH_NAME);
	put_text("library", GSHMEM_VENDOR_STRING);
	put_text("openshmem", "1.6");
	put_number("max_pes", GSHMEM_MAX_PES);
	report_devices();
	report_heap();
	report_peers(all, npes);
	report_environment();
	if (json)
		printf("\n}\n");
}

int main(int argc, char **argv)
{
	char *all;

	json = argc == 2 && strcmp(argv[1], "--json") == 0;
	if (argc > 1 && !json) {
		fprintf(stderr, "usage: [mpirun -n N] gshmem-info [--json]\n");
		return 2;
	}
	gshmem_init();
	all = gather_reach(gshmem_n_pes());
	if (gshmem_my_pe() == 0)
		report(all, gshmem_n_pes());
	free(all);
	gshmem_finalize();
	return 0;
}
