/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* A handle maps the same memory in another process until that closes it, even after the owner is gone. */
#include <hip/hip_runtime_api.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../helpers.h"

#define NBYTES ((size_t)5 << 20)

static int to_child[2], to_parent[2];

static void expect(int fd, char what)
{
	char got;

	if (read(fd, &got, 1) != 1 || got != what)
		exit(1); /* the other side has said why */
}

static void tell(int fd, char what)
{
	if (write(fd, &what, 1) != 1)
		exit(1);
}

/* A second mapping of the same memory, which not every HIP supports. */
static void open_again(hipIpcMemHandle_t handle, int *data)
{
	const int five = 5;
	int *again, got;

	if (hipIpcOpenMemHandle((void **)&again, handle, hipIpcMemLazyEnablePeerAccess) != hipSuccess) {
		(void)hipGetLastError();
		return;
	}
	t_hip(hipMemcpy(again + 9, &five, sizeof(five), hipMemcpyHostToDevice));
	t_hip(hipMemcpy(&got, data + 9, sizeof(got), hipMemcpyDeviceToHost));
	t_equal(got, 5, "both mappings");
	t_hip(hipIpcCloseMemHandle(again));
}

static void child(void)
{
	hipIpcMemHandle_t handle;
	const int six = 6;
	int *data, got;

	if (read(to_child[0], &handle, sizeof(handle)) != sizeof(handle))
		exit(1);
	t_hip(hipIpcOpenMemHandle((void **)&data, handle, hipIpcMemLazyEnablePeerAccess));
	t_hip(hipMemcpy(&got, data + 7, sizeof(got), hipMemcpyDeviceToHost));
	t_equal(got, 70, "what the owner wrote");
	t_hip(hipMemset(data + 8, 1, 4));
	open_again(handle, data);
	t_hip(hipMemcpy(data + NBYTES / 4 - 1, &six, sizeof(six), hipMemcpyHostToDevice));
	tell(to_parent[1], 'w');
	expect(to_child[0], 'f');
#ifdef __HIP_PLATFORM_CPU__ /* other platforms promise nothing about freed memory */
	t_hip(hipMemcpy(&got, data + 7, sizeof(got), hipMemcpyDeviceToHost));
	t_equal(got, 71, "the mapping outlives the allocation");
#endif
	t_hip(hipIpcCloseMemHandle(data));
	t_check(hipIpcCloseMemHandle(data) != hipSuccess, "closed once too often");
	exit(0);
}

int main(void)
{
	hipIpcMemHandle_t handle;
	int *data, status;
	pid_t pid;

	t_check(!pipe(to_child) && !pipe(to_parent), "pipe");
	pid = fork(); /* before the first call of HIP */
	if (!pid)
		child();
	t_hip(hipMalloc((void **)&data, NBYTES));
	t_hip(hipMemset(data, 0, NBYTES));
	status = 70;
	t_hip(hipMemcpy(data + 7, &status, sizeof(status), hipMemcpyHostToDevice));
	t_hip(hipIpcGetMemHandle(&handle, data));
	t_check(write(to_child[1], &handle, sizeof(handle)) == sizeof(handle), "write");
	expect(to_parent[0], 'w');
	t_hip(hipMemcpy(&status, data + 8, sizeof(status), hipMemcpyDeviceToHost));
	t_equal(status, 0x01010101, "what the other process wrote");
	t_hip(hipMemcpy(&status, data + NBYTES / 4 - 1, sizeof(status), hipMemcpyDeviceToHost));
	t_equal(status, 6, "the last word");
	status = 71;
	t_hip(hipMemcpy(data + 7, &status, sizeof(status), hipMemcpyHostToDevice));
	t_hip(hipFree(data));
	tell(to_child[1], 'f');
	t_check(waitpid(pid, &status, 0) == pid, "waitpid");
	t_equal(status, 0, "status of the other process");
	t_check(hipIpcGetMemHandle(&handle, &status) != hipSuccess, "a handle of host memory");
	return 0;
}
