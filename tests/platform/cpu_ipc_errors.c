/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * A handle that is stale, foreign, malformed or of an unreachable device is refused with a reason,
 * and never maps wrong memory.
 */
/* env: GSHMEM_CPU_DEVICES=3 GSHMEM_CPU_LINKS=0-1:none,0-2:plain */
#include <hip/hip_runtime_api.h>
#include <string.h>
#include <unistd.h>

#include "../helpers.h"

/* Run the call with stderr in a file; it must fail and its message must contain word. */
static void refuse(hipIpcMemHandle_t handle, const char *word, const char *what)
{
	char text[1024] = "";
	FILE *file = tmpfile();
	int saved = dup(2);
	hipError_t err;
	void *p;

	t_check(file, "tmpfile");
	dup2(fileno(file), 2);
	err = hipIpcOpenMemHandle(&p, handle, hipIpcMemLazyEnablePeerAccess);
	dup2(saved, 2);
	close(saved);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	t_check(err != hipSuccess, "%s: was opened", what);
	t_check(strstr(text, word), "%s: no \"%s\" in: %s", what, word, text);
}

int main(void)
{
	hipIpcMemHandle_t handle, first;
	int can, native, five = 5, found = 0;
	void *p, *q;

	t_hip(hipMalloc(&p, 4096));
	t_hip(hipIpcGetMemHandle(&first, p));
	/* the process's own handle gives a second mapping */
	t_hip(hipIpcOpenMemHandle(&q, first, hipIpcMemLazyEnablePeerAccess));
	t_hip(hipMemcpy(q, &five, sizeof five, hipMemcpyHostToDevice));
	t_hip(hipMemcpy(&found, p, sizeof found, hipMemcpyDeviceToHost));
	t_equal(found, five, "own memory");
	t_hip(hipIpcCloseMemHandle(q));
	t_hip(hipFree(p));
	refuse(first, "freed", "after hipFree");
	t_hip(hipMalloc(&p, 4096)); /* gets the same descriptor */
	refuse(first, "Stale", "another file at the same descriptor");
	memset(&handle, 0x5a, sizeof(handle));
	refuse(handle, "", "garbage");
	memcpy(&handle, &first, sizeof(handle));
	memset((char *)&handle + 4, 0x7f, 3); /* a process that does not exist */
	refuse(handle, "pid 8355711", "no such process");

	t_hip(hipSetDevice(1));
	t_hip(hipIpcGetMemHandle(&handle, p));
	t_equal(hipIpcOpenMemHandle(&q, handle, 1), hipErrorPeerAccessUnsupported, "unreachable device");
	t_hip(hipDeviceCanAccessPeer(&can, 1, 0));
	t_equal(can, 0, "0 and 1");
	t_hip(hipDeviceCanAccessPeer(&can, 1, 2));
	t_equal(can, 1, "1 and 2");
	t_equal(hipDeviceEnablePeerAccess(0, 0), hipErrorPeerAccessUnsupported, "enable 0 from 1");
	t_hip(hipDeviceEnablePeerAccess(2, 0));
	t_equal(hipDeviceEnablePeerAccess(2, 0), hipErrorPeerAccessAlreadyEnabled, "enable twice");
	t_hip(hipDeviceGetP2PAttribute(&native, hipDevP2PAttrNativeAtomicSupported, 0, 2));
	t_equal(native, 0, "atomics of 0 on 2");
	t_hip(hipDeviceGetP2PAttribute(&native, hipDevP2PAttrNativeAtomicSupported, 1, 2));
	t_equal(native, 1, "atomics of 1 on 2");
	return 0;
}
