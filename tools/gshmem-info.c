/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem-info: what gshmem finds on this machine. Alone it is a job of one PE; under mpirun -n N it also
 * shows which PE reaches which, and how; with --measure also how fast, beside what the same memory gives
 * without the library. With --scale N there is no job: it shows what init would take on a PE of one of N
 * PEs, 8 of them on each node.
 *
 * One report, two printers: report() names each fact once, the functions in front of it write text or JSON.
 * PE 0 prints; what each PE knows comes to it one PE after the other, so that no PE holds what all know.
 */
#include "base/base.h"

#include <gshmem/move/carry.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mpi.h"
#include "base/scale.h"
#include "heap/heap.h"
#include "ipc/job.h"
#include "ipc/opening.h"
#include "net/net.h"
#include "rpc/rpc.h"

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

static void put_figure(const char *key, double value)
{
	begin_item(key);
	printf(json ? "%.6g" : "%.6g\n", value);
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
			printf("%-12s", words[i]);
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
	hipUUID uuid;
	int peer;

	if (hipGetDeviceProperties(&prop, device) != hipSuccess)
		return;
	snprintf(name, sizeof name, "device %d", device);
	open_group(json ? NULL : name, false);
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

#define PES_PER_NODE 8 /* that --scale assumes */

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

/* A PE's own memory, but for the symmetric heap and what keeps account of it. */
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

/* What init has taken here; traffic as init left it. */
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
	if (json)
		putchar('{');
	level = 1;
	put_number("pes", npes);
	put_number("pes_of_a_node", (uint64_t)scale.npeers);
	report_memory(&scale);
	report_traffic(&scale.traffic, scale.nhandles);
	if (json)
		printf("\n}\n");
	return 0;
}

static void report_rpc(void)
{
	open_group("calls_from_kernels", false);
	put_number("slots", gshmemi_rpc_kernels.channel.nslots);
	put_number("lanes", gshmemi_rpc_nlanes(&gshmemi_rpc_kernels.channel));
	put_number("pinned_bytes", gshmemi_rpc_kernels.nbytes + gshmemi_rpc_threads.nbytes + gshmemi_rpc_arena_nbytes());
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
	return gshmemi_state.regions[GSHMEMI_REGION_HEAP].amo_delta[gshmemi_state.peers[pe] >> 1] == GSHMEMI_SENTINEL ? 2 : 1;
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

static const char *const why_names[] = {"-", "other-node", "asked-for", "no-atomics", "no-access", "ipc-handle-did-not-open"};

/* What each PE tells of itself. */
struct row {
	char host[64];
	char device[64]; /* its name and architecture */
	int64_t pid;
	int64_t wave;    /* lanes of a wave of the device */
	char to[]; /* [npes][NWAYS]: indices */
};

/* The rows of a PE, with a word for each other one. */
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
	snprintf(row->device, sizeof row->device, "%.40s, architecture %d.%d", prop.name, prop.major, prop.minor);
	row->wave = prop.warpSize;
}

static void report_pe(int pe, const struct row *row, const char **words, int npes)
{
	char name[96];
	int to, way;

	snprintf(name, sizeof name, "PE %d", pe);
	open_group(json ? NULL : name, false);
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

/* ---- measuring: the host's calls from each PE to each other, one pair at a time ---- */

#define NBATCHES 9
#define BULK_NBYTES ((size_t)1 << 20)

/* What one pair is measured with: symmetric memory, and where the peer has it. */
struct pair {
	char *heap;   /* BULK_NBYTES */
	char *direct; /* the same on the peer: gshmem_ptr */
	char *local;  /* BULK_NBYTES */
	int pe;
};

/* Repeat an operation: the library's and the raw one, which do the same. */
struct metric {
	const char *name;
	const char *unit;
	void (*ours)(const struct pair *pair, long nreps);
	void (*raw)(const struct pair *pair, long nreps);
	long nreps;
	size_t nbytes; /* 0: a latency */
};

static void put_ours(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++) {
		gshmem_long_p((long *)(void *)pair->heap, i, pair->pe);
		gshmem_quiet();
	}
}

/* Each load's address depends on the value loaded before; the memory holds zeros. */
static void get_ours(const struct pair *pair, long nreps)
{
	long at = 0;

	for (long i = 0; i < nreps; i++)
		at = gshmem_long_g((long *)(void *)pair->heap + at, pair->pe);
}

static void add_ours(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		gshmem_long_atomic_fetch_add((long *)(void *)pair->heap, 0, pair->pe);
}

static void bulk_put_ours(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		gshmem_putmem(pair->heap, pair->local, BULK_NBYTES, pair->pe);
}

static void bulk_get_ours(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		gshmem_getmem(pair->local, pair->heap, BULK_NBYTES, pair->pe);
}

/* The raw side: loads and stores where the CPU reaches the memory, else the runtime's copies; a call takes longer then. */
#if GSHMEMI_ARCH_HOST_DIRECT
#define CALLS(n) (n)

static void put_raw(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++) {
		*(volatile long *)(void *)pair->direct = i;
		atomic_thread_fence(memory_order_seq_cst);
	}
}

static void get_raw(const struct pair *pair, long nreps)
{
	long at = 0;

	for (long i = 0; i < nreps; i++)
		at = ((volatile long *)(void *)pair->direct)[at];
}

static void add_raw(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		(void)__atomic_fetch_add((volatile long *)(void *)pair->direct, 0, __ATOMIC_RELAXED);
}

static void bulk_put_raw(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		memcpy(pair->direct, pair->local, BULK_NBYTES);
}

static void bulk_get_raw(const struct pair *pair, long nreps)
{
	for (long i = 0; i < nreps; i++)
		memcpy(pair->local, pair->direct, BULK_NBYTES);
}
#else
#define CALLS(n) ((n) / 100 + 1)

static void copy_raw(void *dest, const void *source, size_t nbytes, long nreps)
{
	static hipStream_t stream;

	if (!stream && hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) != hipSuccess)
		gshmemi_end(1);
	for (long i = 0; i < nreps; i++)
		if (hipMemcpyAsync(dest, source, nbytes, hipMemcpyDefault, stream) != hipSuccess ||
		    hipStreamSynchronize(stream) != hipSuccess)
			gshmemi_end(1);
}

static void put_raw(const struct pair *pair, long nreps)
{
	copy_raw(pair->direct, pair->local, sizeof(long), nreps);
}

static void get_raw(const struct pair *pair, long nreps)
{
	copy_raw(pair->local, pair->direct, sizeof(long), nreps);
}

#define add_raw NULL /* a CPU has none on this memory */

static void bulk_put_raw(const struct pair *pair, long nreps)
{
	copy_raw(pair->direct, pair->local, BULK_NBYTES, nreps);
}

static void bulk_get_raw(const struct pair *pair, long nreps)
{
	copy_raw(pair->local, pair->direct, BULK_NBYTES, nreps);
}
#endif

/* Puts of zeros come before the gets, which walk over them. */
static const struct metric metrics[] = {
	{"put_1mib", "GB_s", bulk_put_ours, bulk_put_raw, 20, BULK_NBYTES},
	{"get_1mib", "GB_s", bulk_get_ours, bulk_get_raw, 20, BULK_NBYTES},
	{"g_8", "us", get_ours, get_raw, CALLS(100000), 0},
	{"fetch_add_8", "us", add_ours, add_raw, CALLS(50000), 0},
	{"p_quiet_8", "us", put_ours, put_raw, CALLS(50000), 0},
};
#define NMETRICS (int)(sizeof metrics / sizeof *metrics)

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double time_batch(const struct metric *metric, bool is_raw, const struct pair *pair)
{
	const long nreps = pair->direct ? metric->nreps : metric->nreps / 20000 + 1; /* which take long over MPI */
	uint64_t start_ns = gshmemi_arch_clock_ns();

	(is_raw ? metric->raw : metric->ours)(pair, nreps);
	return (double)(gshmemi_arch_clock_ns() - start_ns) * 1e-3 / (double)nreps;
}

/* Medians of alternating batches: microseconds, or gigabytes a second. */
static void measure(const struct metric *metric, const struct pair *pair, double figures[2])
{
	double times[2][NBATCHES];
	const int nsides = metric->raw && pair->direct ? 2 : 1, nbatches = pair->direct ? NBATCHES : 3;
	int batch, raw;

	for (batch = 0; batch < nbatches; batch++)
		for (raw = 0; raw < nsides; raw++)
			times[raw][batch] = time_batch(metric, raw, pair);
	for (raw = 0; raw < nsides; raw++) {
		qsort(times[raw], (size_t)nbatches, sizeof **times, compare_times);
		figures[raw] = times[raw][nbatches / 2];
		if (metric->nbytes)
			figures[raw] = (double)metric->nbytes * 1e-3 / figures[raw];
	}
}

/* From one PE to all others; figures[pe][metric][raw], zeros where there is no way. */
static void measure_from_here(char *heap, double *figures)
{
	struct pair pair = {.heap = heap, .local = calloc(1, BULK_NBYTES)};
	int metric;

	if (!pair.local)
		gshmemi_end(1);
	for (pair.pe = 0; pair.pe < gshmem_n_pes(); pair.pe++) {
		pair.direct = gshmem_ptr(heap, pair.pe);
		if (pair.pe == gshmem_my_pe() || find_way(pair.pe, false) == 3)
			continue;
		for (metric = 0; metric < NMETRICS; metric++)
			if (metrics[metric].ours != add_ours || find_way(pair.pe, true) != 3)
				measure(&metrics[metric], &pair, figures + (pair.pe * NMETRICS + metric) * 2);
	}
	free(pair.local);
}

/* Asleep, so that it takes no core from the PE that measures. */
static void meet_asleep(void)
{
	MPI_Request request;
	int done = 0;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
		usleep(1000);
}

/* The PEs take turns. Returns this PE's figures. */
static double *measure_all(void)
{
	int npes = gshmem_n_pes(), pe;
	double *mine = calloc((size_t)npes * NMETRICS * 2, sizeof *mine);
	char *heap = gshmem_calloc(1, BULK_NBYTES);

	if (!mine || !heap)
		gshmemi_end(1);
	for (pe = 0; pe < npes; pe++) {
		if (pe == gshmem_my_pe())
			measure_from_here(heap, mine);
		meet_asleep();
	}
	gshmem_free(heap);
	return mine;
}

static void report_pair(int from, int to, const double *figures)
{
	char name[64];
	int i;

	if (!figures[0])
		return;
	snprintf(name, sizeof name, "PE %d to PE %d", from, to);
	open_group(json ? NULL : name, false);
	if (json) {
		put_number("from", (uint64_t)from);
		put_number("to", (uint64_t)to);
	}
	for (i = 0; i < NMETRICS; i++) {
		if (!figures[2 * i])
			continue;
		snprintf(name, sizeof name, "%s_%s", metrics[i].name, metrics[i].unit);
		put_figure(name, figures[2 * i]);
		if (!figures[2 * i + 1])
			continue;
		snprintf(name, sizeof name, "%s_raw", metrics[i].name);
		put_figure(name, figures[2 * i + 1]);
		snprintf(name, sizeof name, "%s_ratio", metrics[i].name);
		put_figure(name, figures[2 * i] / figures[2 * i + 1]);
	}
	close_group(false);
}

static void report_figures(const double *mine, int npes)
{
	const size_t nbytes = (size_t)npes * NMETRICS * 2 * sizeof *mine;
	double *figures = malloc(nbytes);
	int from, to;

	if (!figures)
		gshmemi_end(1);
	open_group("measured", true);
	for (from = 0; from < npes; from++) {
		memcpy(figures, mine, nbytes);
		gshmemi_bootstrap_broadcast(figures, nbytes, from);
		for (to = 0; to < npes; to++)
			report_pair(from, to, figures + (size_t)to * NMETRICS * 2);
	}
	close_group(true);
	free(figures);
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
#include "base/env_list.h"
#undef X
	close_group(true);
}

/* figures may be NULL. */
static void report(const struct gshmemi_traffic *traffic, const double *figures, int npes)
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
	report_init(traffic);
	report_rpc();
	report_peers(npes);
	if (figures)
		report_figures(figures, npes);
	report_environment();
	if (json)
		printf("\n}\n");
}

int main(int argc, char **argv)
{
	struct gshmemi_traffic traffic;
	const char *scale = NULL;
	bool measures = false;
	double *figures;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0) {
			json = true;
		} else if (strcmp(argv[i], "--measure") == 0) {
			measures = true;
		} else if (strcmp(argv[i], "--scale") == 0 && argv[i + 1]) {
			scale = argv[++i];
		} else {
			fprintf(stderr, "usage: [mpirun -n N] gshmem-info [--json] [--measure]\n"
					"       gshmem-info [--json] --scale N\n");
			return 2;
		}
	}
	if (scale)
		return report_scale(scale);
	gshmem_init();
	traffic = *gshmemi_bootstrap_traffic();
	figures = measures ? measure_all() : NULL;
	if (gshmem_my_pe() != 0 && !freopen("/dev/null", "w", stdout)) /* it goes through the report, too */
		gshmemi_end(1);
	report(&traffic, figures, gshmem_n_pes());
	free(figures);
	gshmem_finalize();
	return 0;
}
