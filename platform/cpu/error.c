/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors: their names, the last one of each thread, and GSHMEM_CPU_FAIL, which makes the k-th call of a
 * function fail, so that tests can take every failure path of a program.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"

#define MAX_FAILURES 32

struct failure {
	char name[48];    /* of the HIP function, or "*" */
	unsigned long at; /* the call that fails; from 1 */
	_Atomic unsigned long ncalls;
	hipError_t error;
};

static struct failure failures[MAX_FAILURES];
static unsigned nfailures;
static __thread hipError_t last_error;

static const struct {
	hipError_t error;
	const char *name;
	const char *text;
} errors[] = {
#define ROW(name, value, text) {name, #name, text},
	HIPCPU_ERRORS(ROW)
#undef ROW
};

#define NERRORS (sizeof(errors) / sizeof(errors[0]))

const char *hipGetErrorName(hipError_t error)
{
	for (size_t i = 0; i < NERRORS; i++)
		if (errors[i].error == error)
			return errors[i].name;
	return "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t error)
{
	for (size_t i = 0; i < NERRORS; i++)
		if (errors[i].error == error)
			return errors[i].text;
	return "unknown error";
}

hipError_t hipPeekAtLastError(void)
{
	return last_error;
}

hipError_t hipGetLastError(void)
{
	hipError_t err = last_error;

	last_error = hipSuccess;
	return err;
}

void hipcpu_message(const char *format, ...)
{
	char line[1024] = "hipcpu: ";
	size_t used = strlen(line);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	if (n > 0)
		used += (size_t)n < sizeof(line) - used - 1 ? (size_t)n : sizeof(line) - used - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return;
}

static bool error_by_name(const char *text, hipError_t *error_p)
{
	char *end;
	long value = strtol(text, &end, 10);

	for (size_t i = 0; i < NERRORS; i++) {
		bool same =
			*end || end == text ? !strcmp(errors[i].name, text) : (long)errors[i].error == value;

		if (same && errors[i].error != hipSuccess) {
			*error_p = errors[i].error;
			return true;
		}
	}
	return false;
}

/* The error that a real failure of the call would most likely give. */
static hipError_t usual_error(const char *name)
{
	if (strstr(name, "Malloc"))
		return hipErrorOutOfMemory;
	if (strstr(name, "Ipc"))
		return hipErrorMapFailed;
	if (strstr(name, "Launch"))
		return hipErrorLaunchFailure;
	return hipErrorUnknown;
}

/* Parses one "call:k[:error][@rank]", without blanks; modifies item. */
static bool parse_failure(char *item)
{
	struct failure *f = &failures[nfailures];
	char *at = strchr(item, '@'), *k, *error, *end;

	if (at) {
		*at++ = 0;
		if (!*at || at[strspn(at, "0123456789")])
			return false;
	}
	k = strchr(item, ':');
	if (!k || k == item || (size_t)(k - item) >= sizeof(f->name))
		return false;
	*k++ = 0;
	error = strchr(k, ':');
	if (error)
		*error++ = 0;
	f->at = strtoul(k, &end, 10);
	if (!*k || *end || !f->at || (strncmp(item, "hip", 3) && strcmp(item, "*")))
		return false;
	memcpy(f->name, item, strlen(item) + 1);
	f->error = usual_error(item);
	if (error && !error_by_name(error, &f->error))
		return false;
	if (!at || atoi(at) == hipcpu_env_rank())
		nfailures++;
	return true;
}

bool hipcpu_failures_parse(const char *text)
{
	char *copy = strdup(text), *save = NULL;
	bool ok = copy != NULL;

	for (char *item = ok ? strtok_r(copy, ",", &save) : NULL; item && ok;
		item = strtok_r(NULL, ",", &save))
		ok = nfailures < MAX_FAILURES && parse_failure(item);
	free(copy);
	return ok;
}

static hipError_t injected(const char *name)
{
	for (unsigned i = 0; i < nfailures; i++) {
		struct failure *f = &failures[i];

		if ((f->name[0] == '*' || !strcmp(f->name, name)) && ++f->ncalls == f->at)
			return f->error;
	}
	return hipSuccess;
}

hipError_t hipcpu_api_enter(const char *name)
{
	if (HIPCPU_UNLIKELY(hipcpu_config()->malformed))
		return hipErrorInvalidConfiguration;
	if (HIPCPU_UNLIKELY(nfailures))
		return injected(name);
	return hipSuccess;
}

hipError_t hipcpu_api_leave(hipError_t err)
{
	if (err != hipSuccess && err != hipErrorNotReady)
		last_error = err;
	return err;
}
