/* SPDX-License-Identifier: BSD-3-Clause */
/* run: */
/*
 * GSHMEM_CPU_FAIL fails exactly the calls that it names; a malformed variable makes all calls
 * fail, and a message names it.
 */
/* env: FORM=named GSHMEM_CPU_FAIL=hipMalloc:3,hipFree:1:hipErrorIllegalState,hipMemset:2:700,hipMalloc:1@7 | FORM=any GSHMEM_CPU_FAIL=*:2 | FORM=rank PMI_RANK=7 GSHMEM_CPU_FAIL=hipMalloc:1@7 | FORM=bad GSHMEM_CPU_FAIL=hipMalloc | FORM=bad GSHMEM_CPU_WAVE=48 | FORM=bad GSHMEM_CPU_LINKS=0-0:none | FORM=bad GSHMEM_CPU_LINKS=0-1 | FORM=bad GSHMEM_CPU_LINKS=0-1:none, | FORM=bad GSHMEM_CPU_MEMORY=1q */
#include <hip/hip_runtime_api.h>
#include <string.h>
#include <unistd.h>

#include "../helpers.h"

int main(void)
{
	const char *form = getenv("FORM");
	void *p = NULL, *q = NULL;
	int n;

	if (!form)
		t_skip("run by the runner only");
	if (!strcmp(form, "named")) {
		t_hip(hipMalloc(&p, 10));
		t_hip(hipMalloc(&q, 10));
		t_equal(hipMalloc(&q, 10), hipErrorOutOfMemory, "third");
		t_hip(hipMalloc(&q, 10));
		t_equal(hipFree(q), hipErrorIllegalState, "by name");
		t_hip(hipFree(q));
		t_hip(hipMemset(p, 0, 10));
		t_equal(hipMemset(p, 0, 10), hipErrorIllegalAddress, "by number");
		t_equal(hipGetLastError(), hipErrorIllegalAddress, "last error");
	} else if (!strcmp(form, "any")) {
		t_hip(hipGetDeviceCount(&n));
		t_equal(hipGetDevice(&n), hipErrorUnknown, "second call");
		t_hip(hipGetDevice(&n));
	} else if (!strcmp(form, "rank")) {
		t_equal(hipMalloc(&p, 10), hipErrorOutOfMemory, "of this rank");
	} else {
		char text[1024];
		FILE *file = tmpfile();

		t_check(file, "tmpfile");
		fflush(stderr);
		n = dup(2);
		dup2(fileno(file), 2);
		hipInit(0);
		dup2(n, 2);
		t_equal(hipGetDeviceCount(&n), hipErrorInvalidConfiguration, "malformed");
		rewind(file);
		text[fread(text, 1, sizeof(text) - 1, file)] = 0;
		t_check(strstr(text, "GSHMEM_CPU_") && strstr(text, "expected"), "message: %s", text);
	}
	return 0;
}
