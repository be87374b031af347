/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 300 */
/* delivery: no, its jobs are to fail */
/* carry: no, nothing carries without MPI */
/* isa: read */
/* sim: no, it is about processes, and its kernels are those of other tests */
/* races: no, it pretends several nodes */
/*
 * One process of tests/uniqueid.sh: uniqueid CASE RANK NRANKS IDFILE. Without arguments it runs that script
 * on itself. The process reports by its exit status and on stdout; the library's messages are on stderr.
 */
#include <gshmem.h>
#include <gshmemx_win.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "oracle.h"

#define NELEMS 300

static std::string test_case, id_file;
static int rank_, nranks;
static int ngethostnames;
static int kept; /* stderr, where the case closes it */

/*
 * The library calls it once when a rank says hello or makes an id, and once more in
 * init, when all ranks have come.
 */
extern "C" int gethostname(char *name, size_t nbytes) noexcept
{
	if (++ngethostnames == 2 &&
		((test_case == "dies_in_init" && rank_ == 1) ||
			(test_case == "maker_dies_in_init" && rank_ == 0)))
		raise(SIGKILL);
	snprintf(name, nbytes, "testhost");
	return 0;
}

/* ---- the id, by way of a file ---- */

static bool is_there(const std::string &path)
{
	return access(path.c_str(), R_OK) == 0;
}

static void wait_for(const std::string &path)
{
	for (int i = 0; i < 6000; i++, usleep(10000))
		if (is_there(path))
			return;
	t_fail("%s has not come", path.c_str());
}

static void touch(const std::string &path)
{
	close(open(path.c_str(), O_WRONLY | O_CREAT, 0600));
}

static void send_id(const gshmemx_uniqueid_t *id, const std::string &path)
{
	const std::string part = path + ".part";
	const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	t_check(fd >= 0 && write(fd, id, sizeof *id) == (ssize_t)sizeof *id, "%s cannot be written",
		part.c_str());
	close(fd);
	t_equal(rename(part.c_str(), path.c_str()), 0, "rename");
}

static void receive_id(gshmemx_uniqueid_t *id, const std::string &path)
{
	wait_for(path);
	const int fd = open(path.c_str(), O_RDONLY);

	t_check(fd >= 0 && read(fd, id, sizeof *id) == (ssize_t)sizeof *id, "%s cannot be read",
		path.c_str());
	close(fd);
}

/* ---- descriptors 0 to 2, which are the program's even if it starts without them ---- */

static void close_standard(void)
{
	kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
}

static void reopen_standard(void)
{
	int nopen = 0;

	for (int fd = 0; fd < 3; fd++)
		nopen += fcntl(fd, F_GETFD) >= 0;
	dup2(kept, STDOUT_FILENO);
	dup2(kept, STDERR_FILENO);
	t_equal(nopen, 0, "files of the library among descriptors 0 to 2");
}

static void limit_files(rlim_t nfiles)
{
	const struct rlimit limit = {nfiles, nfiles};

	t_equal(setrlimit(RLIMIT_NOFILE, &limit), 0, "setrlimit");
}

/* ---- a job that works ---- */

__global__ void send_around(long *dest, const long *source, long *sums)
{
	const int next = (gshmem_my_pe() + 1) % gshmem_n_pes();

	gshmemx_long_put_wg(dest, source, NELEMS, next);
	gshmemx_barrier_all_wg();
	gshmemx_long_sum_reduce_wg(GSHMEM_TEAM_WORLD, sums, dest, NELEMS);
}

static bool has_mpi(void)
{
	char line[PATH_MAX + 100];
	FILE *file = fopen("/proc/self/maps", "r");
	bool found = false;

	while (file && fgets(line, sizeof line, file))
		found = found || strstr(line, "libmpi");
	t_check(file, "/proc/self/maps cannot be read");
	fclose(file);
	return found;
}

static void work(void)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	long *source = (long *)gshmem_malloc(NELEMS * sizeof(long)),
	     *dest = (long *)gshmem_malloc(NELEMS * sizeof(long));
	long *sums = (long *)gshmem_malloc(NELEMS * sizeof(long)), got[NELEMS], values[NELEMS];
	gshmem_team_t even;
	int pair[2];

	t_equal(me, rank_, "my_pe");
	t_equal(npes, nranks, "n_pes");
	t_check(source && dest && sums, "gshmem_malloc");
	for (int i = 0; i < NELEMS; i++)
		values[i] = 1000 * me + i;
	t_to_device(source, values, sizeof values);
	gshmem_barrier_all();
	t_launch(send_around, 1, 64, dest, source, sums);
	t_hip(hipDeviceSynchronize());
	t_from_device(got, dest, sizeof got);
	for (int i = 0; i < NELEMS; i++)
		t_equal(got[i], 1000 * ((me + npes - 1) % npes) + i, "what the PE before has put");
	t_from_device(got, sums, sizeof got);
	for (int i = 0; i < NELEMS; i++)
		t_equal(got[i], 1000 * npes * (npes - 1) / 2 + npes * i, "a sum of all PEs");
	t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 2, (npes + 1) / 2, NULL, 0, &even), 0,
		"split_strided");
	if (even != GSHMEM_TEAM_INVALID)
		gshmem_team_destroy(even);
	pair[0] = me | 1; /* backwards */
	pair[1] = me & ~1;
	if (pair[0] < npes) {
		t_equal(gshmemx_team_create_by_members(pair, 2, 0, NULL, 0, &even), 0, "create_by_members");
		t_equal(gshmem_team_my_pe(even), !(me & 1), "number in a pair");
		gshmem_team_destroy(even);
	}
	gshmem_free(sums);
	gshmem_free(dest);
	gshmem_free(source);
}

/* Pinned memory, which other processes cannot map, so MPI would have to carry operations. */
static void make_window(void)
{
	const size_t nbytes = 100;
	gshmemx_win_t win;
	void *memory;

	t_hip(hipHostMalloc(&memory, nbytes, hipHostMallocDefault));
	t_check(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, nbytes, 1, &win) < 0, "a window needs MPI");
	gshmem_barrier_all();
	t_hip(hipHostFree(memory));
}

/* ---- init ---- */

static int init_as(int as_rank, int as_nranks, const gshmemx_uniqueid_t *id)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;

	attr.heap_nbytes = 1 << 20;
	t_equal(gshmemx_set_attr_uniqueid_args(as_rank, as_nranks, id, &attr), 0, "set_attr_uniqueid_args");
	const int rc = gshmemx_init_attr(&attr);
	printf("rank %d: init %d\n", rank_, rc);
	fflush(stdout);
	return rc;
}

/* A rank other than 0 may make the id. */
static void exchange_id(gshmemx_uniqueid_t *id, const std::string &path)
{
	const bool is_first = test_case.rfind("maker", 0) == 0 || nranks < 2;
	const int maker = is_first ? 0 : nranks - 2;

	if (rank_ == maker) {
		t_equal(gshmemx_get_uniqueid(id), 0, "get_uniqueid");
		send_id(id, path);
	} else {
		receive_id(id, path);
	}
}

/* Connects to the maker. An id has its address, family and port at these offsets. */
static int connect_maker(const gshmemx_uniqueid_t *id)
{
	const unsigned char *bytes = (const unsigned char *)id->bytes;
	struct sockaddr_in address = {};
	struct sockaddr_un local = {};
	uint16_t family, port;
	int at, fd;

	memcpy(&family, bytes + 28, sizeof family);
	memcpy(&port, bytes + 30, sizeof port);
	memcpy(&address.sin_addr, bytes + 8, sizeof address.sin_addr);
	address.sin_family = AF_INET;
	address.sin_port = htons(port);
	local.sun_family = AF_UNIX;
	at = sprintf(local.sun_path + 1, "gshmem-");
	for (int i = 0; i < 16; i++, at += 2)
		sprintf(local.sun_path + 1 + at, "%02x", bytes[8 + i]);
	fd = socket(family, SOCK_STREAM, 0);
	if (family == AF_UNIX)
		t_equal(connect(fd, (struct sockaddr *)&local,
				offsetof(struct sockaddr_un, sun_path) + 1 + at),
			0, "a stranger's connect to a local socket");
	else
		t_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0, "a stranger's connect");
	return fd;
}

/* Connections that do not know the secret. */
static void send_strangers(const gshmemx_uniqueid_t *id)
{
	char text[400];

	for (int i = 0; i < 80; i++) { /* more than the library accepts at a time */
		const int fd = connect_maker(id);

		if (test_case == "crowd")
			continue; /* all are silent, and stay */
		if (i == 40) {
			close(fd); /* like a rank that dies before it has said who it is */
			continue;
		}
		memset(text, i, sizeof text);
		if (i % 4 == 1)
			strcpy(text, "gshmem1"); /* starts as the library does, but with another secret */
		if (i % 4)                       /* otherwise it sends nothing */
			t_check(send(fd, text, sizeof text, MSG_NOSIGNAL) >= 0 || errno == EPIPE ||
					errno == ECONNRESET,
				"send");
		if (i % 2)
			close(fd); /* otherwise it stays connected */
	}
}

/* ---- cases ---- */

static void *die_when_connected(void *arg)
{
	const std::string path = *(const std::string *)arg, part = path + ".part";
	FILE *file;

	usleep(400000);
	file = fopen(part.c_str(), "w");
	t_check(file && fprintf(file, "%d", (int)getpid()) > 0, "%s cannot be written", part.c_str());
	fclose(file);
	t_equal(rename(part.c_str(), path.c_str()), 0, "rename");
	raise(SIGKILL);
	return NULL;
}

/* Wait until the process whose pid is in the file is gone, and its connections with it. */
static void wait_for_end(const std::string &path)
{
	int pid = 0;
	FILE *file;

	wait_for(path);
	file = fopen(path.c_str(), "r");
	t_check(file && fscanf(file, "%d", &pid) == 1, "%s cannot be read", path.c_str());
	fclose(file);
	while (kill(pid, 0) == 0)
		usleep(10000);
}

static int run_bad_input(const gshmemx_uniqueid_t *id)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	gshmemx_uniqueid_t damaged = *id;
	int comm = 0;

	t_equal(gshmemx_get_uniqueid(NULL), -EINVAL, "an id that is NULL");
	t_equal(gshmemx_set_attr_uniqueid_args(0, 1, NULL, &attr), -EINVAL, "an id that is NULL");
	t_equal(gshmemx_set_attr_uniqueid_args(0, 1, id, NULL), -EINVAL, "attributes that are NULL");
	t_equal(gshmemx_set_attr_uniqueid_args(1, 1, id, &attr), -EINVAL, "rank 1 of 1");
	t_equal(gshmemx_set_attr_uniqueid_args(-1, 1, id, &attr), -EINVAL, "rank -1");
	t_equal(gshmemx_set_attr_uniqueid_args(0, 0, id, &attr), -EINVAL, "no ranks");
	t_check(!attr.uniqueid, "set_attr_uniqueid_args has changed the attributes");
	t_equal(gshmemx_set_attr_uniqueid_args(0, 1, id, &attr), 0, "set_attr_uniqueid_args");
	attr.rank = 1;
	t_equal(gshmemx_init_attr(&attr), -EINVAL, "rank 1 of 1 in the attributes");
	attr.rank = 0;
	attr.mpi_comm = &comm;
	t_equal(gshmemx_init_attr(&attr), -EINVAL, "a communicator and an id");
	attr.mpi_comm = NULL;
	damaged.bytes[40] ^= 1;
	attr.uniqueid = &damaged;
	t_equal(gshmemx_init_attr(&attr), -EINVAL, "an id that is damaged");
	setenv("GSHMEM_UID_ADDRESS", "nowhere", 1);
	t_equal(gshmemx_get_uniqueid(&damaged), -EINVAL, "GSHMEM_UID_ADDRESS=nowhere");
	/* an address reserved for examples, which no machine has */
	setenv("GSHMEM_UID_ADDRESS", "192.0.2.1", 1);
	t_equal(gshmemx_get_uniqueid(&damaged), -EADDRNOTAVAIL, "GSHMEM_UID_ADDRESS=192.0.2.1");
	unsetenv("GSHMEM_UID_ADDRESS");
	attr.uniqueid = id; /* none of this has harmed the id */
	t_equal(gshmemx_init_attr(&attr), 0, "init of one rank");
	work();
	gshmem_finalize();
	return 0;
}

/* Init fails, and its return value becomes this process's status. */
static int run_failing(const gshmemx_uniqueid_t *id)
{
	const std::string dead = id_file + ".dead";
	pthread_t thread;

	if (test_case == "counts")
		return -init_as(rank_, nranks + (rank_ == 1), id);
	if (test_case == "alike")
		return -init_as(rank_ == 1 ? 3 : rank_, nranks, id);
	if (test_case == "late" && rank_ == 1)
		wait_for(id_file + ".over");
	if (test_case == "ends_waiting" && rank_ == 1)
		pthread_create(&thread, NULL, die_when_connected, (void *)&dead);
	if (test_case == "ends_waiting" && rank_ == 3)
		wait_for_end(dead);
	const int rc = init_as(rank_, nranks, id);
	if (test_case == "late" && rank_ == 0)
		touch(id_file + ".over");
	return -rc;
}

/* The job ends while all are in a kernel. */
__global__ void wait_for_ever(long *word)
{
	gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 1);
}

static int run_ending(const gshmemx_uniqueid_t *id)
{
	const bool is_victim = rank_ == (test_case.rfind("maker", 0) == 0 ? 0 : 1);
	long *word;

	t_equal(init_as(rank_, nranks, id), 0, "init");
	word = (long *)gshmem_calloc(1, sizeof *word);
	gshmem_barrier_all();
	if (is_victim && test_case == "global_exit")
		gshmem_global_exit(7);
	if (is_victim && test_case == "leaves")
		exit(0);
	if (is_victim)
		raise(SIGKILL);
	t_launch(wait_for_ever, 1, 1, word);
	(void)hipDeviceSynchronize();
	printf("rank %d came through\n", rank_);
	return 55;
}

static int run_working(gshmemx_uniqueid_t *id)
{
	if ((test_case == "strangers" || test_case == "crowd") && rank_ == 1)
		send_strangers(id);
	t_equal(init_as(rank_, nranks, id), 0, "init");
	work();
	if (test_case == "window")
		make_window();
	if (test_case == "closed")
		reopen_standard();
	t_check(!has_mpi(), "MPI is loaded");
	gshmem_finalize();
	if (test_case == "again") {
		t_equal(init_as(rank_, nranks, id), -ECONNREFUSED, "init by an id that has been used");
		exchange_id(id, id_file + ".2");
		t_equal(init_as(rank_, nranks, id), 0, "init again");
		work();
		gshmem_finalize();
	}
	printf("rank %d is done\n", rank_);
	return 0;
}

int main(int argc, char **argv)
{
	gshmemx_uniqueid_t id;
	char self[PATH_MAX] = "";

	if (argc == 1) {
		t_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc is not there");
		setenv("PROGRAM", self, 1);
		execl("tests/uniqueid.sh", "tests/uniqueid.sh", "4", (char *)NULL);
		t_fail("tests/uniqueid.sh: %s: run this in the root of the source", strerror(errno));
	}
	t_equal(argc, 5, "arguments");
	test_case = argv[1];
	rank_ = atoi(argv[2]);
	nranks = atoi(argv[3]);
	id_file = argv[4];
	if (test_case == "alone" || test_case == "needs_mpi") {
		gshmem_init(); /* needs_mpi: ends the process */
		work();
		t_check(!has_mpi(), "MPI is loaded");
		gshmem_finalize();
		return 0;
	}
	if (test_case == "closed")
		close_standard();
	if (test_case == "few_files" || (test_case == "crowd" && rank_ != 1))
		limit_files(test_case == "crowd" ? 40 : 64);
	exchange_id(&id, id_file);
	if (test_case == "bad_input")
		return run_bad_input(&id);
	if (test_case == "works" || test_case == "again" || test_case == "strangers" ||
		test_case == "window" || test_case == "closed" || test_case == "few_files" ||
		test_case == "crowd")
		return run_working(&id);
	if (test_case.find("dies") != std::string::npos || test_case == "global_exit" ||
		test_case == "leaves")
		return run_ending(&id);
	return run_failing(&id);
}
