/* SPDX-License-Identifier: BSD-3-Clause */
/* run: */
/*
 * If the host touches device memory it gets a fault with a message, and nothing else does: with
 * memory protection keys, if the machine has them, and with mprotect, which misses what a thread
 * touches while a kernel runs.
 */
/* env: GSHMEM_CPU_HOST_ACCESS=0 */
#include <hip/hip_runtime.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../helpers.h"

enum { NTHREADS = 16, NBLOCKS = 40, MEMORY_NBYTES = 1 << 20 };

static const char *access_mode; /* GSHMEM_CPU_HOST_ACCESS of the children */
static bool no_keys;            /* for the children: all keys are taken */

static int *memory;
static int pipe_ends[2];

__global__ void add(int *p)
{
	__syncthreads();
	atomicAdd(&p[threadIdx.x], (int)blockIdx.x);
}

/* Copies, fills and kernels, by every way to a thread that runs blocks. */
static void allowed()
{
	static int back[NTHREADS];
	hipStream_t stream;
	int *other, sum = NBLOCKS * (NBLOCKS - 1) / 2;

	t_hip(hipMalloc(&other, sizeof(back)));
	t_hip(hipStreamCreate(&stream));
	t_hip(hipMemset(memory, 0, sizeof(back)));
	t_hip(hipMemsetD32((hipDeviceptr_t)other, 7, NTHREADS));
	hipLaunchKernelGGL(add, NBLOCKS, NTHREADS, 0, 0, memory);
	t_hip(hipMemcpyAsync(other, memory, sizeof(back), hipMemcpyDeviceToDevice, stream));
	t_hip(hipMemcpyAsync(back, other, sizeof(back), hipMemcpyDeviceToHost, stream));
	t_hip(hipStreamSynchronize(stream));
	for (int i = 0; i < NTHREADS; i++)
		t_equal(back[i], sum, "copy of what a kernel wrote");
	t_hip(hipMemcpy(memory, back, sizeof(back), hipMemcpyHostToDevice));
	t_hip(hipStreamDestroy(stream));
	t_hip(hipFree(other));
}

static void open_host_memory()
{
	int *host, *managed;

	t_hip(hipHostMalloc(&host, 4096));
	t_hip(hipMallocManaged(&managed, 4096));
	host[0] = managed[0] = 1;
	hipLaunchKernelGGL(add, 2, 1, 0, 0, host);
	hipLaunchKernelGGL(add, 2, 1, 0, 0, managed);
	t_hip(hipDeviceSynchronize());
	t_equal(host[0], 2, "host memory");
	t_equal(managed[0], 2, "managed memory");
}

static void read_it(void *)
{
	printf("%d\n", *(volatile int *)memory);
}

static void write_it()
{
	*(volatile int *)memory = 1;
}

static void *thread_main(void *)
{
	read_it(NULL);
	return NULL;
}

static void read_in_thread()
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_main, NULL);
	pthread_join(thread, NULL);
}

static void read_in_callback()
{
	t_hip(hipLaunchHostFunc(0, read_it, NULL));
	t_hip(hipDeviceSynchronize());
}

/* The child of a process that owns the memory. */
static void read_ipc()
{
	hipIpcMemHandle_t handle;
	void *p;

	t_equal(read(pipe_ends[0], &handle, sizeof(handle)), sizeof(handle), "the handle");
	t_hip(hipIpcOpenMemHandle(&p, handle, hipIpcMemLazyEnablePeerAccess));
	memory = (int *)p;
	hipLaunchKernelGGL(add, 2, 1, 0, 0, memory);
	t_hip(hipDeviceSynchronize());
	read_it(NULL);
}

static void after_allowed()
{
	allowed(); /* leaves nothing open behind */
	read_it(NULL);
}

/* The user's handler is called for other faults. */
static void on_segv(int)
{
	_exit(42);
}

static void foreign_fault()
{
	char *page = (char *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*(volatile char *)page = 1;
}

static void before_handler()
{
	signal(SIGSEGV, on_segv); /* before the first call of HIP */
}

/* ---- what threads of the same and of another process do meanwhile ---- */

/* Runs until the host stops it, or for ever, in which case the process ends first. */
__global__ void run_until(int *started, int *stop)
{
	atomicExch(started, 1);
	while (!atomicAdd(stop, 0))
		;
}

/* Returns what stop_kernel takes. */
static int *start_kernel()
{
	int *flags;
	hipStream_t stream;

	t_hip(hipHostMalloc((void **)&flags, 4096));
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	hipLaunchKernelGGL(run_until, 1, 1, 0, stream, &flags[0], &flags[1]);
	while (!__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE))
		usleep(100);
	return &flags[1];
}

static void stop_kernel(int *stop)
{
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	t_hip(hipDeviceSynchronize());
}

static void read_beside_kernel()
{
	start_kernel();
	read_it(NULL);
}

/* Allocate and free memory while another kernel has device memory open, and afterwards. */
static void change_beside_kernel()
{
	int *stop = start_kernel();
	int *other;

	t_hip(hipMalloc(&other, MEMORY_NBYTES));
	t_hip(hipMemset(other, 1, MEMORY_NBYTES));
	hipLaunchKernelGGL(add, NBLOCKS, NTHREADS, 0, 0, other);
	t_hip(hipStreamSynchronize(0));
	stop_kernel(stop);
	t_hip(hipFree(other));
	allowed();
}

static void read_new_after_kernel()
{
	int *stop = start_kernel();

	t_hip(hipMalloc(&memory, MEMORY_NBYTES));
	stop_kernel(stop);
	read_it(NULL);
}

/* The host may use an address range again once device memory there was freed. */
static void reuse_freed()
{
	int *place;

	t_hip(hipFree(memory));
	place = (int *)mmap(memory, MEMORY_NBYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	t_check(place == memory, "mmap where device memory was");
	*place = 5;
	t_hip(hipMalloc(&memory, MEMORY_NBYTES));
	allowed();
	t_equal(*place, 5, "memory of the host where device memory was");
}

/* The kernel runs in the parent; its child has none, and copies. */
static void read_in_forked()
{
	int *stop = start_kernel();
	int *copied, status;
	pid_t pid;

	copied = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = fork();

	if (!pid) {
		t_hip(hipMemset(memory, 0, MEMORY_NBYTES));
		*copied = 1;
		read_it(NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	t_equal(*copied, 1, "a fill by a forked process");
	stop_kernel(stop);
	allowed(); /* the parent's memory is unchanged */
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
}

/* Runs in a child: collects stderr and returns the wait status. Each child has its own runtime. */
static int run(void (*prepare)(), void (*body)(), char *text, size_t nbytes)
{
	const struct rlimit no_core = {0, 0};
	size_t used = 0;
	int out[2], status;
	ssize_t n;
	pid_t pid;

	t_check(!pipe(out), "pipe");
	pid = fork();
	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		dup2(out[1], 2);
		close(out[1]);
		alarm(300); /* a sanitizer on a loaded machine is slow */
		setenv("GSHMEM_CPU_HOST_ACCESS", access_mode, 1);
		setenv("GSHMEM_CPU_STUCK", "0", 1); /* a slow machine must not look like one that hangs */
		while (no_keys && pkey_alloc(0, 0) >= 0)
			;
		if (prepare)
			prepare();
		t_hip(hipMalloc(&memory, MEMORY_NBYTES));
		body();
		_exit(0);
	}
	close(out[1]);
	while ((n = read(out[0], text + used, nbytes - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = 0;
	close(out[0]);
	waitpid(pid, &status, 0);
	return status;
}

static void must_fault(const char *what, void (*body)())
{
	char text[4096];
	int status = run(NULL, body, text, sizeof(text));

	t_check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "%s (%s): status 0x%x; said: %s", what,
		access_mode, status, text);
	t_check(strstr(text, "hipcpu: device memory touched by the host at 0x"), "%s (%s): said: %s", what,
		access_mode, text);
}

static void must_pass(const char *what, void (*body)())
{
	char text[4096];
	int status = run(NULL, body, text, sizeof(text));

	t_check(!status && !*text, "%s (%s): status 0x%x; said: %s", what, access_mode, status, text);
}

/* This process owns memory; its child maps it. */
static void ipc()
{
	hipIpcMemHandle_t handle;
	pid_t pid;

	t_check(!pipe(pipe_ends), "pipe");
	pid = fork();
	if (!pid) {
		must_fault("memory of another process", read_ipc);
		exit(0);
	}
	setenv("GSHMEM_CPU_HOST_ACCESS", access_mode, 1);
	t_hip(hipMalloc(&memory, MEMORY_NBYTES));
	t_hip(hipIpcGetMemHandle(&handle, memory));
	t_equal(write(pipe_ends[1], &handle, sizeof(handle)), sizeof(handle), "the handle");
	int status;
	waitpid(pid, &status, 0);
	t_check(!status, "memory of another process");
}

static bool has_keys()
{
	int key = pkey_alloc(0, 0);

	if (key >= 0)
		pkey_free(key);
	return key >= 0;
}

/* Each way in a separate process, because ipc() uses the runtime. */
static void check_way(const char *mode, bool by_keys)
{
	char text[4096];
	int status;
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, &status, 0);
		t_check(!status, "GSHMEM_CPU_HOST_ACCESS=%s%s", mode, no_keys ? ", all keys taken" : "");
		return;
	}
	access_mode = mode;
	must_pass("copies and kernels", allowed);
	must_fault("a read", [] { read_it(NULL); });
	if (no_keys)
		exit(0); /* mprotect is used */
	must_pass("host and managed memory", open_host_memory);
	must_pass("memory beside a kernel", change_beside_kernel);
	must_pass("a place that was freed", reuse_freed);
	must_fault("a write", write_it);
	must_fault("a read by another thread", read_in_thread);
	must_fault("a read after kernels", after_allowed);
	must_fault("a read of memory made beside a kernel", read_new_after_kernel);
	must_fault("a read by a forked process", read_in_forked);
	must_fault("a read in a callback", read_in_callback);
	if (by_keys)
		must_fault("a read beside a kernel", read_beside_kernel);
	status = run(before_handler, foreign_fault, text, sizeof(text));
	t_check(WIFEXITED(status) && WEXITSTATUS(status) == 42, "another fault: status 0x%x; said: %s",
		status, text);
	ipc();
	exit(0);
}

int main()
{
	check_way("0", has_keys());
	check_way("mprotect", false);
	no_keys = true;
	check_way("0", false);
	return 0;
}
