/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem-info: what gshmem finds on this machine. Started alone it is a job of one PE. Under mpirun -n N it
 * also shows which PE reaches which, and how; with --measure also how fast, next to the speed of the same
 * memory without the library. With --scale N it starts no job, and shows what init would take on one PE of a
 * job of N PEs, 8 on each node.
 *
 * report() names each fact once, who reaches whom before the sizes; print.c writes it as text or JSON. PE 0
 * prints. Each PE in turn sends it what it knows, so that no PE has to hold all of it.
 */
#include "base/base.h"

#include <gshmem/move/carry.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scale.h"
#include "bootstrap/bootstrap.h"
#include "heap/heap.h"
#include "ipc/opening.h"
#include "job/job.h"
#include "measure.h"
#include "net/net.h"
#include "op/op.h"
#include "print.h"
#include "rpc/rpc.h"

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
	if (hipDeviceGetP2PAttribute(&has_atomics, hipDevP2PAttrNativeAtomicSupported, device, peer) !=
			hipSuccess ||
		!GSHMEMI_ARCH_HAS_ATOMICS(has_atomics))
		return "memory";
	return "atomics";
}

static void report_device(int device, int ndevices)
{
	const char *row[64];
	hipDeviceProp_t prop;
	char name[32];
	hipUUID uuid;
	int peer;

	if (hipGetDeviceProperties(&prop, device) != hipSuccess)
		return;
	snprintf(name, sizeof name, "device %d", device);
	open_group(info_json ? NULL : name, false);
	put_text("name", prop.name);
	if (hipDeviceGetUuid(&uuid, device) == hipSuccess)
		put_uuid(&uuid);
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
}

/* ---- what init takes ---- */

#define PES_PER_NODE 8 /* what --scale assumes */

static void report_traffic(const struct gshmemi_traffic *traffic, uint64_t nhandles)
{
	open_group("exchanged_in_init", false);
	put_number("among_all", traffic->nexchanges[0]);
	put_number("bytes_among_all", traffic->nbytes[0]);
	put_number("on_the_machine", traffic->nexchanges[1]);
	put_number("bytes_on_the_machine", traffic->nbytes[1]);
	put_number("handles_opened", nhandles);
	close_group(false);
}

static uint64_t report_kind(const struct gshmemi_scale *scale, enum gshmemi_scale_kind kind, const char *name)
{
	uint64_t sum = 0;
	unsigned i;

	open_group(name, false);
	for (i = 0; i < scale->nitems; i++) {
		if (scale->items[i].kind != kind)
			continue;
		put_number(scale->items[i].name, scale->items[i].nbytes);
		sum += scale->items[i].nbytes;
	}
	put_number("sum", sum);
	close_group(false);
	return sum;
}

/* A PE's own memory, except the symmetric heap and the allocator's records of it. */
static void report_memory(const struct gshmemi_scale *scale)
{
	static const char *const kinds[] = {"device_bytes", "pinned_bytes", "constant_bytes_of_a_unit",
		"host_bytes", "host_bytes_in_init"};
	uint64_t sum = 0;
	unsigned kind;

	open_group("internal_memory", false);
	for (kind = 0; kind < GSHMEMI_SCALE_NKINDS; kind++)
		sum += report_kind(scale, (enum gshmemi_scale_kind)kind, kinds[kind]);
	put_number("sum", sum);
	close_group(false);
}

/* What init has taken here. traffic: the counts at the end of init. */
static void report_init(const struct gshmemi_traffic *traffic)
{
	struct gshmemi_scale scale;

	if (gshmemi_scale_fill(gshmemi_job->npes, gshmemi_job->npeers, &scale))
		gshmemi_end(1);
	report_memory(&scale);
	report_traffic(traffic, gshmemi_openings_count().nopened);
}

static int report_scale(const char *text)
{
	struct gshmemi_scale scale;
	uint64_t npes;
	int rc;

	rc = gshmemi_env_read();
	if (!rc && (gshmemi_env_parse_size(text, &npes) || !npes || npes > GSHMEMI_NPES_LIMIT)) {
		gshmemi_error("--scale %s: must be a number of PEs from 1 to %d", text, GSHMEMI_NPES_LIMIT);
		rc = -EINVAL;
	}
	if (!rc)
		rc = gshmemi_scale_fill((int)npes, npes < PES_PER_NODE ? (int)npes : PES_PER_NODE, &scale);
	if (rc)
		return 1;
	open_report();
	put_number("pes", npes);
	put_number("pes_of_a_node", (uint64_t)scale.npeers);
	report_memory(&scale);
	report_traffic(&scale.traffic, scale.nhandles);
	close_report();
	return 0;
}

static void report_rpc(void)
{
	open_group("calls_from_kernels", false);
	put_number("slots", gshmemi_rpc_kernels.channel.nslots);
	put_number("lanes", gshmemi_rpc_nlanes(&gshmemi_rpc_kernels.channel));
	put_number("pinned_bytes",
		gshmemi_rpc_kernels.nbytes + gshmemi_rpc_threads.nbytes + gshmemi_rpc_arena_nbytes());
	close_group(false);
}

/* ---- peers ---- */

/* How this PE reaches another: an index of reach_names. */
static char reach(int pe)
{
	const struct gshmemi_peer *peer = gshmemi_job_find(pe);

	if (pe == gshmemi_state.my_pe)
		return 0;
	if (gshmemi_state.peers[pe] & GSHMEMI_PEER_CARRIED || !peer->is_mapped)
		return peer && peer->is_local ? 3 : 4;
	return gshmemi_state.regions[GSHMEMI_REGION_HEAP].amo_delta[gshmemi_state.peers[pe] >> 1] ==
			GSHMEMI_SENTINEL
		? 2
		: 1;
}

static const char *const reach_names[] = {"self", "direct", "no-atomics", "no-access", "remote"};

/* What carries operations to another PE: an index of way_names. */
static char find_way(int pe, bool is_amo)
{
	if (pe == gshmemi_state.my_pe)
		return 0;
	if (gshmemi_is_mapped(GSHMEMI_REGION_HEAP, pe, is_amo))
		return 1;
	return gshmemi_net_is_running() ? 2 : 3;
}

static const char *const way_names[] = {"self", "direct", "mpi", "nothing"};

/* Why it is not direct: an index of why_names. */
static char find_why(int pe)
{
	const struct gshmemi_peer *peer = gshmemi_job_find(pe);

	if (pe == gshmemi_state.my_pe || gshmemi_is_mapped(GSHMEMI_REGION_HEAP, pe, true))
		return 0;
	if (!peer || !peer->is_local)
		return 1;
	if (gshmemi_env_carrier(gshmemi_state.my_pe, pe) == GSHMEMI_CARRIER_NET)
		return 2;
	return peer->is_mapped ? 3 : peer->is_unopened ? 5 : 4;
}

static const char *const why_names[] = {
	"-", "other-node", "asked-for", "no-atomics", "no-access", "ipc-handle-did-not-open"};

/* What each PE tells of itself. */
struct row {
	char host[64];
	char device[64]; /* its name and architecture */
	int64_t pid;
	int64_t wave; /* lanes of a wave of the device */
	char to[];    /* [npes][NWAYS]: indices of names */
};

/* The rows printed for a PE; each has one word per PE. */
enum { REACHES, PUTS, ATOMICS, WHY, NWAYS };
static const struct {
	const char *key;
	const char *const *names;
} ways[NWAYS] = {
	[REACHES] = {"reaches", reach_names},
	[PUTS] = {"puts_go", way_names},
	[ATOMICS] = {"atomics_go", way_names},
	[WHY] = {"because_of", why_names},
};

/* GPUs of several kinds may be in one job. */
static void describe_device(struct row *row)
{
	hipDeviceProp_t prop;
	int device;

	if (hipGetDevice(&device) != hipSuccess || hipGetDeviceProperties(&prop, device) != hipSuccess)
		return;
	snprintf(row->device, sizeof row->device, "%.40s, architecture %d.%d", prop.name, prop.major,
		prop.minor);
	row->wave = prop.warpSize;
}

static void report_pe(int pe, const struct row *row, const char **words, int npes)
{
	char name[96];
	int to, way;

	snprintf(name, sizeof name, "PE %d", pe);
	open_group(info_json ? NULL : name, false);
	put_text("host", row->host);
	put_number("pid", (uint64_t)row->pid);
	put_text("device", row->device);
	put_number("wave", (uint64_t)row->wave);
	for (way = 0; way < NWAYS; way++) {
		for (to = 0; to < npes; to++)
			words[to] = ways[way].names[(int)row->to[to * NWAYS + way]];
		put_row(ways[way].key, words, npes);
	}
	close_group(false);
}

static void report_peers(int npes)
{
	const size_t nbytes = sizeof(struct row) + (size_t)npes * NWAYS;
	const char **words = calloc((size_t)npes, sizeof *words);
	struct row *row = calloc(1, nbytes);
	int pe, to;

	if (!words || !row)
		gshmemi_end(1);
	open_group("pes", true);
	for (pe = 0; pe < npes; pe++) {
		memcpy(row->host, gshmemi_job->host, sizeof row->host);
		row->pid = getpid();
		describe_device(row);
		for (to = 0; to < npes; to++) {
			row->to[to * NWAYS + REACHES] = reach(to);
			row->to[to * NWAYS + PUTS] = find_way(to, false);
			row->to[to * NWAYS + ATOMICS] = find_way(to, true);
			row->to[to * NWAYS + WHY] = find_why(to);
		}
		gshmemi_bootstrap_broadcast(row, nbytes, pe);
		report_pe(pe, row, words, npes);
	}
	close_group(true);
	free(words);
	free(row);
}

/* ---- environment ---- */

/* What is set, and by what: environment, FILE:LINE of the settings file, or default. */
struct source {
	const char *text;
	char from[PATH_MAX + 16];
};

static void find_source(const char *name, const char *fallback, struct source *source)
{
	const struct gshmemi_setting set = gshmemi_setting_find(name);
	const char *other = NULL;

	source->text = strcmp(name, "GSHMEM_HEAP_SIZE") ? NULL : gshmemi_env_find_foreign_size(&other);
	if (source->text)
		snprintf(source->from, sizeof source->from, "%s", other);
	else if (set.file)
		snprintf(source->from, sizeof source->from, "%s:%u", set.file, set.line);
	else
		snprintf(source->from, sizeof source->from, "%s", set.text ? "environment" : "default");
	source->text = source->text ? source->text : set.text ? set.text : fallback;
}

static void report_variable(const char *name, const char *fallback, const char *category, const char *help)
{
	struct source source;
	bool is_set;

	find_source(name, fallback, &source);
	is_set = strcmp(source.from, "default") != 0;
	if (!info_json) { /* one line; * marks a variable that is set */
		printf("%c %-22s %-8s %-12s  %s\n", is_set ? '*' : ' ', name,
			*source.text ? source.text : "-", source.from, help);
		return;
	}
	open_group(NULL, false);
	put_text("name", name);
	put_text("value", source.text);
	put_text("set", is_set ? "yes" : "no");
	put_text("from", source.from);
	put_text("category", category);
	put_text("help", help);
	close_group(false);
}

static void report_environment(void)
{
	const char *path = NULL;

	gshmemi_settings_read(&path);
	put_text("settings_file", path ? path : "none");
	open_group("environment", true);
#define X(NAME, KIND, DEFAULT, CATEGORY, HELP) report_variable("GSHMEM_" #NAME, DEFAULT, CATEGORY, HELP);
#include "base/env_list.h"
#undef X
	close_group(true);
}

/* figures: of measure_all, or NULL. */
static void report(const struct gshmemi_traffic *traffic, const double *figures, int npes)
{
	open_report();
	put_text("platform", GSHMEMI_ARCH_NAME);
	put_text("library", GSHMEM_VENDOR_STRING);
	put_text("version", GSHMEMX_VERSION_STRING);
	put_text("openshmem", "1.6");
	put_number("max_pes", GSHMEM_MAX_PES);
	report_devices();
	report_peers(npes);
	if (figures)
		report_figures(figures, npes);
	report_heap();
	report_init(traffic);
	report_rpc();
	report_environment();
	close_report();
}

static void print_usage(FILE *file)
{
	fputs("usage: [mpirun -n N] gshmem-info [--json] [--measure]\n"
	      "       gshmem-info [--json] --scale N\n"
	      "       gshmem-info --version | --help\n"
	      "Prints the devices, which PE reaches which and how, the heap, what\n"
	      "init takes, and all variables: their values and where these come\n"
	      "from, which is the environment, a line of the settings file, or\n"
	      "default.\n"
	      "  --json     prints JSON\n"
	      "  --measure  also measures calls from each PE to each other one\n"
	      "  --scale N  starts no job; prints what init would take on one PE\n"
	      "             of a job of N PEs, 8 on each node\n"
	      "  --version  prints the version of gshmem and of OpenSHMEM, and the\n"
	      "             platform\n",
		file);
}

static struct {
	bool measures;
	const char *scale; /* the N of --scale */
} options;

/* Returns the status to exit with at once; -1: the options ask for a report. */
static int parse_options(char **argv)
{
	for (; *argv; argv++) {
		if (strcmp(*argv, "--json") == 0) {
			info_json = true;
		} else if (strcmp(*argv, "--measure") == 0) {
			options.measures = true;
		} else if (strcmp(*argv, "--scale") == 0 && argv[1]) {
			options.scale = *++argv;
		} else if (strcmp(*argv, "--version") == 0) {
			puts(gshmemi_version_text);
			return 0;
		} else if (strcmp(*argv, "--help") == 0) {
			print_usage(stdout);
			return 0;
		} else {
			if (strcmp(*argv, "--scale") == 0)
				fputs("gshmem-info: --scale needs a number of PEs\n", stderr);
			else
				fprintf(stderr, "gshmem-info: there is no option %s\n", *argv);
			print_usage(stderr);
			return 2;
		}
	}
	return -1;
}

int main(int argc, char **argv)
{
	const int status = argc ? parse_options(argv + 1) : -1;
	struct gshmemi_traffic traffic;
	double *figures;

	if (status >= 0)
		return status;
	if (options.scale)
		return report_scale(options.scale);
	gshmem_init();
	traffic = *gshmemi_bootstrap_traffic();
	figures = options.measures ? measure_all() : NULL;
	if (gshmem_my_pe() != 0 && !freopen("/dev/null", "w", stdout)) /* only PE 0 prints */
		gshmemi_end(1);
	report(&traffic, figures, gshmem_n_pes());
	free(figures);
	gshmem_finalize();
	return 0;
}
