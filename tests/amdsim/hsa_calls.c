/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator's HSA calls behave as HSA's specification says, where HIP does not show it: handlers, the
 * order of packets and copies, what a packet's header makes visible, blocks of different sizes, errors,
 * memory of another process. Each test runs in its own process. The argument is hsa_kernels.c, compiled.
 */
#include <fcntl.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OK(call)         CHECK((call) == HSA_STATUS_SUCCESS)
#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

enum {
	NONE = HSA_FENCE_SCOPE_NONE,
	SYSTEM = HSA_FENCE_SCOPE_SYSTEM,
	BARRIER = 1 << HSA_PACKET_HEADER_BARRIER
};

static hsa_agent_t cpu, gpu;
static hsa_amd_memory_pool_t host_pool, gpu_pool;
static hsa_queue_t *queue;
static char image[1 << 20];
static hsa_executable_t executable;

static void fail(int line, const char *what)
{
	fprintf(stderr, "hsa_calls.c:%d: %s\n", line, what);
	exit(1);
}

/* ---- setup ---- */

static hsa_status_t take_agent(hsa_agent_t agent, void *data)
{
	hsa_device_type_t type;

	(void)data;
	OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type == HSA_DEVICE_TYPE_CPU)
		cpu = agent;
	else if (!gpu.handle)
		gpu = agent;
	return HSA_STATUS_SUCCESS;
}

/* The first pool of an agent. */
static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *data)
{
	*(hsa_amd_memory_pool_t *)data = pool;
	return HSA_STATUS_INFO_BREAK;
}

static void note_error(hsa_status_t status, hsa_queue_t *of, void *data)
{
	(void)of;
	atomic_store((_Atomic int *)data, (int)status);
}

static _Atomic int queue_error;

static void set_up(uint32_t npackets)
{
	hsa_code_object_reader_t reader;

	OK(hsa_init());
	OK(hsa_iterate_agents(take_agent, NULL));
	CHECK(hsa_amd_agent_iterate_memory_pools(cpu, take_pool, &host_pool) == HSA_STATUS_INFO_BREAK);
	CHECK(hsa_amd_agent_iterate_memory_pools(gpu, take_pool, &gpu_pool) == HSA_STATUS_INFO_BREAK);
	OK(hsa_queue_create(gpu, npackets, HSA_QUEUE_TYPE_MULTI, note_error, &queue_error, 0, 0, &queue));
	OK(hsa_code_object_reader_create_from_memory(image, sizeof(image), &reader));
	OK(hsa_executable_create_alt(
		HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, "", &executable));
	OK(hsa_executable_load_agent_code_object(executable, gpu, reader, "", NULL));
	OK(hsa_executable_freeze(executable, ""));
}

static void *allocate(hsa_amd_memory_pool_t pool, size_t nbytes)
{
	void *memory;

	OK(hsa_amd_memory_pool_allocate(pool, nbytes, 0, &memory));
	return memory;
}

static hsa_signal_t new_signal(hsa_signal_value_t value)
{
	hsa_signal_t signal;

	OK(hsa_signal_create(value, 0, NULL, &signal));
	return signal;
}

/* ---- packets ---- */

/* The header is written last. */
static void submit(const void *packet, uint16_t header)
{
	uint64_t at = hsa_queue_add_write_index_screlease(queue, 1);
	char *to = (char *)queue->base_address + 64 * (at & (queue->size - 1));

	while (at - hsa_queue_load_read_index_scacquire(queue) >= queue->size)
		;
	memcpy(to + 2, (const char *)packet + 2, 62);
	__atomic_store_n((uint16_t *)(void *)to, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)at);
}

static uint16_t header(unsigned type, unsigned acquire, unsigned release)
{
	return (uint16_t)(type | acquire << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
		release << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

/* Both kernels take an address and a number. */
static void launch(const char *name, unsigned nthreads, unsigned group, void *to, unsigned value,
	uint16_t how, hsa_signal_t done)
{
	struct args {
		void *to;
		unsigned value;
	} *args = allocate(host_pool, sizeof(*args));
	hsa_kernel_dispatch_packet_t p = {.setup = 1,
		.workgroup_size_x = (uint16_t)group,
		.workgroup_size_y = 1,
		.workgroup_size_z = 1,
		.grid_size_x = nthreads,
		.grid_size_y = 1,
		.grid_size_z = 1,
		.kernarg_address = args,
		.completion_signal = done};
	hsa_executable_symbol_t symbol;

	*args = (struct args){to, value};
	OK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
	OK(hsa_executable_symbol_get_info(
		symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &p.kernel_object));
	submit(&p, how | HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE);
}

static void barrier(unsigned type, hsa_signal_t a, hsa_signal_t b, uint16_t how, hsa_signal_t done)
{
	hsa_barrier_and_packet_t p = {.dep_signal = {a, b}, .completion_signal = done};

	submit(&p, (uint16_t)(how | type << HSA_PACKET_HEADER_TYPE));
}

static const hsa_signal_t no_signal;

static bool ends(hsa_signal_t done, uint64_t ms)
{
	return hsa_signal_wait_scacquire(
		       done, HSA_SIGNAL_CONDITION_LT, 1, ms * 1000000, HSA_WAIT_STATE_BLOCKED) < 1;
}

/* ---- tests ---- */

static bool note_value(hsa_signal_value_t value, void *arg)
{
	atomic_store((_Atomic long *)arg, value);
	return false;
}

/* The handler runs although the value does not stay. */
static void test_handler(void)
{
	hsa_signal_t s = new_signal(1);
	_Atomic long seen;

	for (int n = 0; n < 1000; n++) {
		atomic_store(&seen, -1);
		OK(hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_LT, 1, note_value, &seen));
		hsa_signal_subtract_relaxed(s, 1);
		hsa_signal_silent_store_relaxed(s, 1);
		while (atomic_load(&seen))
			usleep(10);
	}
	CHECK(!ends(s, 1));
}

/* Without the barrier bit a kernel starts beside those before it, with it after them. */
static void test_overlap(void)
{
	unsigned *flags = allocate(host_pool, 4096);
	hsa_signal_t one = new_signal(1), two = new_signal(1);

	launch("await.kd", 1, 1, flags, 7, header(0, SYSTEM, SYSTEM), one);
	launch("store.kd", 1, 1, flags, 7, header(0, SYSTEM, SYSTEM), no_signal);
	CHECK(ends(one, 10000));
	hsa_signal_store_relaxed(one, 1);
	flags[1] = 0;
	launch("await.kd", 1, 1, flags + 1, 7, header(0, SYSTEM, SYSTEM), one);
	launch("store.kd", 1, 1, flags + 2, 9, BARRIER | header(0, SYSTEM, SYSTEM), two);
	CHECK(!ends(two, 100) && flags[2] != 9);
	__atomic_store_n(&flags[1], 7, __ATOMIC_RELEASE);
	CHECK(ends(one, 10000) && ends(two, 10000) && flags[2] == 9);
}

/* A barrier packet holds up what is behind it, with or without a barrier bit. The ring of 4 packets wraps. */
static void test_barriers(void)
{
	unsigned *to = allocate(host_pool, 4096);
	hsa_signal_t a = new_signal(1), b = new_signal(1), done = new_signal(1);

	for (unsigned n = 1; n <= 10; n++) {
		hsa_signal_t one = n % 2 ? a : b;

		hsa_signal_store_relaxed(a, 1);
		hsa_signal_store_relaxed(b, 1);
		hsa_signal_store_relaxed(done, 1);
		barrier(n % 4 < 2 ? HSA_PACKET_TYPE_BARRIER_AND : HSA_PACKET_TYPE_BARRIER_OR, a, b, BARRIER,
			no_signal);
		launch("store.kd", 1, 1, to, n, header(0, SYSTEM, SYSTEM), done);
		CHECK(!ends(done, 5) && *to != n);
		hsa_signal_store_relaxed(one, 0);
		if (n % 4 < 2)
			CHECK(!ends(done, 5) && *to != n);
		hsa_signal_store_relaxed(a, 0);
		hsa_signal_store_relaxed(b, 0);
		CHECK(ends(done, 10000) && *to == n);
	}
}

/* The last block of a grid has the rest of its threads. */
static void test_partial(void)
{
	unsigned *to = allocate(host_pool, 4096);
	hsa_signal_t done = new_signal(1);

	memset(to, 0, 4096);
	launch("store.kd", 200, 128, to, 1000, header(0, SYSTEM, SYSTEM), done);
	CHECK(ends(done, 10000));
	for (unsigned n = 0; n < 1024; n++)
		CHECK(to[n] == (n < 200 ? 1000 + n : 0));
}

/* With late memory a kernel's stores stay in L2 until a packet releases at system scope. */
static void test_scopes(void)
{
	const char *late = getenv("AMDSIM_LATE");
	unsigned *memory = allocate(gpu_pool, 4096), value = 0;
	hsa_signal_t done = new_signal(1);

	OK(hsa_memory_copy(memory, &value, sizeof(value)));
	launch("store.kd", 1, 1, memory, 5, header(0, SYSTEM, NONE), done);
	CHECK(ends(done, 10000));
	OK(hsa_memory_copy(&value, memory, sizeof(value)));
	CHECK(value == (late && atoi(late) ? 0 : 5));
	hsa_signal_store_relaxed(done, 1);
	barrier(HSA_PACKET_TYPE_BARRIER_AND, no_signal, no_signal, BARRIER | header(0, NONE, SYSTEM), done);
	CHECK(ends(done, 10000));
	OK(hsa_memory_copy(&value, memory, sizeof(value)));
	CHECK(value == 5);
}

static void test_copies(void)
{
	unsigned *memory = allocate(gpu_pool, 4096), from = 3, to = 0;
	hsa_signal_t first = new_signal(1), done = new_signal(2);
	void *locked_from, *locked_to;

	OK(hsa_amd_memory_lock_to_pool(&from, sizeof(from), NULL, 0, host_pool, 0, &locked_from));
	OK(hsa_amd_memory_lock_to_pool(&to, sizeof(to), NULL, 0, host_pool, 0, &locked_to));
	CHECK(locked_from != &from);
	OK(hsa_amd_memory_async_copy(memory, gpu, locked_from, cpu, 4, 1, &first, done));
	CHECK(!ends(done, 20));
	hsa_signal_store_relaxed(first, 0);
	CHECK(hsa_signal_wait_scacquire(
		      done, HSA_SIGNAL_CONDITION_LT, 2, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) == 1);
	OK(hsa_amd_memory_async_copy(locked_to, cpu, memory, gpu, 4, 0, NULL, done));
	CHECK(ends(done, 10000) && to == 3);
	OK(hsa_amd_memory_unlock(&from));
	OK(hsa_amd_memory_unlock(&to));
}

static void test_trap(void)
{
	unsigned *memory = allocate(gpu_pool, 4096);
	hsa_signal_t done = new_signal(1);

	launch("trap.kd", 1, 1, memory, 0, header(0, SYSTEM, SYSTEM), done);
	for (int n = 0; n < 1000 && !atomic_load(&queue_error); n++)
		usleep(10000);
	CHECK(atomic_load(&queue_error) == HSA_STATUS_ERROR_EXCEPTION);
	CHECK(!ends(done, 1));
}

/* Opened twice, memory of another process has two addresses. The owner waits until it has been used. */
static void test_handle(void)
{
	unsigned *memory, value = 0;
	hsa_amd_ipc_memory_t handle;
	void *one, *two;
	int to_user[2], to_owner[2];

	CHECK(!pipe(to_user) && !pipe(to_owner));
	if (!fork()) {
		set_up(64);
		memory = allocate(gpu_pool, 8192);
		value = 77;
		OK(hsa_memory_copy(memory, &value, sizeof(value)));
		CHECK(hsa_amd_ipc_memory_create(memory + 1, 4096, &handle) != HSA_STATUS_SUCCESS);
		OK(hsa_amd_ipc_memory_create(memory, 8192, &handle));
		CHECK(write(to_user[1], &handle, sizeof(handle)) == sizeof(handle));
		CHECK(read(to_owner[0], &value, 1) == 1);
		_exit(0);
	}
	CHECK(read(to_user[0], &handle, sizeof(handle)) == sizeof(handle));
	OK(hsa_init());
	OK(hsa_amd_ipc_memory_attach(&handle, 8192, 0, NULL, &one));
	OK(hsa_amd_ipc_memory_attach(&handle, 8192, 0, NULL, &two));
	CHECK(one != two);
	OK(hsa_memory_copy(&value, two, sizeof(value)));
	CHECK(value == 77);
	OK(hsa_amd_ipc_memory_detach(one));
	OK(hsa_amd_ipc_memory_detach(two));
	CHECK(write(to_owner[1], "", 1) == 1);
}

/* ---- main ---- */

/* npackets 0: the test sets itself up. */
static void run(void (*test)(void), uint32_t npackets)
{
	int status;

	if (!fork()) {
		if (npackets)
			set_up(npackets);
		test();
		_exit(0);
	}
	wait(&status);
	if (status)
		exit(1);
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;

	CHECK(read(fd, image, sizeof(image)) > 0);
	run(test_handler, 64);
	run(test_overlap, 64);
	run(test_barriers, 4);
	run(test_partial, 64);
	run(test_scopes, 64);
	run(test_copies, 64);
	run(test_trap, 64);
	run(test_handle, 0);
	return 0;
}
