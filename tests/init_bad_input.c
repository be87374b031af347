/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/*
 * Bad input to init gives every PE the same error, and one message says which PE
 * is wrong, how, and what to do.
 */
/* timeout: 120 */
#include <gshmem.h>
#include <mpi.h>
#include <sys/resource.h>

#include "job.h"

/* Let this process open only n more files. */
static void allow_files(int nmore)
{
	struct rlimit limit = {0, 0};
	int fd = dup(0);

	limit.rlim_cur = limit.rlim_max = (rlim_t)(fd + nmore);
	close(fd);
	t_equal(setrlimit(RLIMIT_NOFILE, &limit), 0, "setrlimit");
}

static void take_long(void)
{
	usleep(600000); /* by then the other PEs have long been ready to end */
}

/* What a PE does in a case. Prints "rc N" with init's return value, so that the driver can compare. */
static int pe_main(const char *name, const char *variable, const char *value)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	MPI_Comm null = MPI_COMM_NULL;
	int rc, before;

	if (strcmp(name, "odd") == 0 && t_launched_rank() == 1)
		setenv(variable, value, 1);
	if (strcmp(name, "thread") == 0)
		attr.thread_level = GSHMEM_THREAD_MULTIPLE;
	MPI_Init(NULL, NULL);
	if (strcmp(name, "null") == 0)
		attr.mpi_comm = &null;
	if (strcmp(name, "size") == 0)
		attr.size = 8;
	if (strcmp(name, "level") == 0)
		attr.thread_level = 7;
	if (strcmp(name, "void") == 0) {
		if (t_launched_rank() == 0)
			atexit(take_long);
		gshmem_init(); /* ends the process */
	}
	if (strcmp(name, "files") == 0)
		allow_files(atoi(variable));
	/* the first init opens files that the process keeps */
	gshmemx_init_attr(strcmp(name, "nothing") ? &attr : NULL);
	before = t_count_fds();
	rc = gshmemx_init_attr(strcmp(name, "nothing") ? &attr : NULL);
	if (t_count_fds() != before)
		printf("fds leak\n");
	printf("rc %d\n", rc);
	fflush(stdout);
	if (!rc) {
		gshmem_finalize();
		gshmem_finalize();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return rc ? 1 : 0;
}

/* Each of a case's two inits prints one message; all PEs get the error. */
static void expect(int npes, const char *env, const char *args, const char *rc, const char *text)
{
	static struct t_job job;
	static int ncases;
	char expected[32];

	if (t_left_out(ncases++))
		return;
	snprintf(expected, sizeof expected, "rc %s\n", rc);
	t_job_run(&job, npes, env, "", args, 20);
	t_job_failed(&job, env[0] ? env : args, text, 2);
	t_check(t_job_count(&job, expected) == npes, "%s %s: not \"rc %s\" on all PEs:\n%s", env, args, rc,
		job.output);
	t_check(!t_job_count(&job, "fds leak"), "%s %s: descriptors leak", env, args);
}

/* Percent of the machine's memory, in bytes. */
static unsigned long long available(unsigned percent)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "r");

	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib * 1024 / 100 * percent;
}

static void bad_values(void)
{
	static const char *const sizes[] = {"abc", "1.5g", "-1", "1gb", "0x1000", "1e9", "+5", "g"};
	char env[64], text[128];
	unsigned i;

	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		snprintf(env, sizeof env, "GSHMEM_HEAP_SIZE=%s", sizes[i]);
		snprintf(text, sizeof text, "gshmem: pe 0: %s: not a size: write digits", env);
		expect(2, env, "plain", "-22", text);
	}
	expect(2, "GSHMEM_FIRST_SEQ=4294967296", "plain", "-22",
		"GSHMEM_FIRST_SEQ=4294967296: must be a number from 0 to 4294967295");
	expect(2, "GSHMEM_HEAP_SIZE=99999999999999999999", "plain", "-34", "more than 64 bits can hold");
	expect(2, "GSHMEM_HEAP_SIZE=99999999t", "plain", "-34", "more than 64 bits can hold");
	expect(2, "GSHMEM_HEAP_SIZE=0", "plain", "-22", "heap: 0 bytes are too few");
	expect(2, "GSHMEM_HEAP_KIND=big", "plain", "-22",
		"pe 0: GSHMEM_HEAP_KIND=big: must be auto, coarse, fine or uncached");
	expect(2, "GSHMEM_PES_PER_NODE=2:round", "plain", "-22",
		"must be a number of PEs, or a number followed by :cyclic");
	expect(2, "", "odd GSHMEM_PES_PER_NODE 1", "-22",
		"pe 0: init: GSHMEM_PES_PER_NODE is not set on PE 0 but 1 on PE 1");
	expect(2, "GSHMEM_PES_PER_NODE=2", "odd GSHMEM_PES_PER_NODE 2:cyclic", "-22",
		"pe 0: init: GSHMEM_PES_PER_NODE is 2 on PE 0 but 2:cyclic on PE 1");
	expect(2, "GSHMEM_CHECK=yes", "plain", "-22", "pe 0: GSHMEM_CHECK=yes: must be 0 or 1");
	expect(2, "GSHMEM_WATCHDOG=soon", "plain", "-22",
		"pe 0: GSHMEM_WATCHDOG=soon: must be a number of seconds");
	expect(2, "GSHMEM_CPU_DELIVERY=late", "plain", "-22",
		"pe 0: GSHMEM_CPU_DELIVERY=late: must be random or");
	expect(2, "GSHMEM_CPU_DELIVERY=random:x", "plain", "-22", "must be random or random:SEED");
	expect(2, "GSHMEM_DEVICE=first", "plain", "-22", "pe 0: GSHMEM_DEVICE=first: must be a number");
	expect(2, "GSHMEM_DEVICE=-2", "plain", "-22",
		"pe 0: GSHMEM_DEVICE=-2: must be a number from -1 to 2147483647");
	expect(2, "GSHMEM_RPC_SLOTS=-5", "plain", "-22",
		"pe 0: GSHMEM_RPC_SLOTS=-5: must be a number from 0 to 1048576");
	expect(2, "GSHMEM_RPC_SLOTS=99999999999", "plain", "-22", "must be a number from 0 to 1048576");
	expect(2, "GSHMEM_RPC_THREADS=0", "plain", "-22",
		"pe 0: GSHMEM_RPC_THREADS=0: must be a number from 1 to 64");
	expect(2, "GSHMEM_CONTEXTS=1", "plain", "-22",
		"pe 0: GSHMEM_CONTEXTS=1: must be a number from 2 to 16383");
	expect(2, "GSHMEM_DEVICE=5", "plain", "-19",
		"pe 0: init: device 5 was asked for, but this machine has 1");
	expect(2, "GSHMEM_CPU_DEVICES=0", "plain", "-19", "pe 0: init: ");
}

static void unequal_values(void)
{
	expect(2, "", "odd GSHMEM_HEAP_SIZE 2g", "-22",
		"pe 0: init: the heap has 1073741824 bytes on PE 0 but 2147483648 on PE 1");
	expect(2, "", "odd GSHMEM_HEAP_SIZE x", "-22", "pe 1: GSHMEM_HEAP_SIZE=x: not a size");
	expect(3, "", "odd GSHMEM_HEAP_KIND fine", "-22",
		"pe 0: init: GSHMEM_HEAP_KIND is auto on PE 0 but fine on PE 1");
	expect(2, "", "odd GSHMEM_CHECK 1", "-22", "pe 0: init: GSHMEM_CHECK is 0 on PE 0 but 1 on PE 1");
	expect(2, "", "odd GSHMEM_CPU_DELIVERY random:7", "-22",
		"pe 0: init: GSHMEM_CPU_DELIVERY is not set on PE 0 but random:7 on PE 1: set it on all PEs");
	expect(2, "", "odd GSHMEM_WINDOWS 20", "-22",
		"pe 0: init: GSHMEM_WINDOWS is 1000 on PE 0 but 20 on PE 1");
	expect(2, "", "odd GSHMEM_STATS 1", "-22", "pe 0: init: GSHMEM_STATS is 0 on PE 0 but 1 on PE 1");
	expect(2, "", "odd GSHMEM_DEVICE 3", "-19",
		"pe 1: init: device 3 was asked for, but this machine has 1");
}

/* A build that treats the heap as a GPU's does not ask how much memory the node has. */
#ifdef GSHMEMI_HOST_COPIES
#define HEAP_ON_NODE 0
#else
#define HEAP_ON_NODE 1
#endif

static void too_much_memory(void)
{
	static struct t_job job;
	char env[128];

	if (HEAP_ON_NODE) {
		snprintf(env, sizeof env,
			"GSHMEM_HEAP_SIZE=%llu GSHMEM_CPU_MEMORY=100t GSHMEM_HEAP_PREALLOC=1", available(70));
		expect(2, env, "plain", "-12", "pe 0: heap: GSHMEM_HEAP_PREALLOC: 2 PEs on this node with ");
		*strstr(env, " GSHMEM_HEAP_PREALLOC") = 0; /* pages are allocated when they are touched */
		t_job_run(&job, 2, env, "", "plain", 20);
		t_check(job.status == 0 && !strstr(job.output, "gshmem"), "%s:\n%s", env, job.output);
		expect(2, "GSHMEM_HEAP_SIZE=50t GSHMEM_CPU_MEMORY=100t", "plain", "-12",
			"lower GSHMEM_HEAP_SIZE");
	}
	expect(2, "GSHMEM_HEAP_SIZE=1g GSHMEM_CPU_MEMORY=512m", "plain", "-12",
		"pe 0: heap: hipMalloc of 1073741824 bytes: out of memory: the device has ");
}

static void bad_attributes(void)
{
	static struct t_job job;

	expect(2, "", "thread", "-22",
		"pe 0: init: GSHMEM_THREAD_MULTIPLE was asked for, but MPI runs with MPI_THREAD_SINGLE");
	t_job_run(&job, 1, "", "", "null", 20);
	t_job_failed(&job, "null", "gshmem: init: the communicator is MPI_COMM_NULL", 2);
	t_job_run(&job, 1, "", "", "size", 20);
	t_job_failed(&job, "size", "start from GSHMEMX_INIT_ATTR_DEFAULT", 2);
	t_job_run(&job, 1, "", "", "nothing", 20);
	t_job_failed(&job, "nothing", "gshmem: gshmemx_init_attr: the attributes are NULL", 2);
	t_job_run(&job, 1, "", "", "level", 20);
	t_job_failed(&job, "level", "gshmem: init: 7 is not a thread level", 2);
	t_job_run(&job, 3, "GSHMEM_HEAP_SIZE=x", "", "void", 20);
	t_job_failed(&job, "void", "gshmem: pe 0: GSHMEM_HEAP_SIZE=x", 1);
	t_equal(job.status, 1, "status of a gshmem_init that fails");
}

/* What fails first depends on how many files are left. */
static void too_few_files(void)
{
	expect(2, "", "files 2", "-24", "open files: raise it (ulimit -n 1024)");
	expect(2, "", "files 4", "-24", "this process has reached its limit of");
}

/* Suffixes of sizes come in both cases. */
static void upper_case(void)
{
	static struct t_job job;

	t_job_run(&job, 2, "GSHMEM_HEAP_SIZE=64M GSHMEM_DEBUG=1", "", "plain", 20);
	t_check(job.status == 0 && strstr(job.output, ", 67108864 bytes, "), "GSHMEM_HEAP_SIZE=64M:\n%s",
		job.output);
}

/* An unknown name is not an error; PE 0 warns once. */
static void unknown_names(void)
{
	static struct t_job job;

	t_job_run(&job, 2,
		"GSHMEM_HEAPSIZE=1 GSHMEM_WATCH_DOG=1 GSHMEM_XYZZYPLUGH=1 GSHMEM_HIPCC=g++ GSHMEM_NET_SEQ=1 "
		"GSHMEM_LEAKS=1",
		"", "plain", 20);
	t_job_ended(&job, "a job with unknown variables");
	t_equal(t_job_count(&job,
			"pe 0: there is no environment variable GSHMEM_HEAPSIZE; did you mean "
			"GSHMEM_HEAP_SIZE?"),
		1, "GSHMEM_HEAPSIZE");
	t_equal(t_job_count(&job, "GSHMEM_WATCH_DOG; did you mean GSHMEM_WATCHDOG?"), 1, "GSHMEM_WATCH_DOG");
	t_equal(t_job_count(&job, "GSHMEM_XYZZYPLUGH; gshmem-info lists"), 1, "GSHMEM_XYZZYPLUGH");
	t_equal(t_job_count(&job, "GSHMEM_HIPCC"), 0, "a variable of gshmemcc");
	t_equal(t_job_count(&job, "GSHMEM_NET_SEQ any more: use GSHMEM_FIRST_SEQ"), 1, "GSHMEM_NET_SEQ");
	t_equal(t_job_count(&job, "GSHMEM_LEAKS any more: GSHMEM_CHECK=1 lists"), 1, "GSHMEM_LEAKS");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1], argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
	bad_values();
	unequal_values();
	too_much_memory();
	too_few_files();
	upper_case();
	bad_attributes();
	unknown_names();
	return 0;
}
