/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of the process for those below end/, which says how it is done: it knows the job and its peers.
 * Without it, in a static program that never calls init, the process exits.
 */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static _Noreturn void leave(int status)
{
	fflush(NULL);
	_exit(status);
}

static void leave_saying(int status, const char *text)
{
	gshmemi_error("%s", text);
	leave(status);
}

static bool never(void)
{
	return false;
}

static void ignore(void) {}

static const struct gshmemi_ender alone = {leave, leave_saying, never, ignore};
static const struct gshmemi_ender *ender = &alone;

void gshmemi_end_register(const struct gshmemi_ender *how)
{
	ender = how;
}

void gshmemi_end(int status)
{
	ender->end(status);
	leave(status);
}

void gshmemi_end_saying(int status, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	ender->end_saying(status, text);
	leave(status);
}

bool gshmemi_is_ending(void)
{
	return ender->is_ending();
}

void gshmemi_end_spoil(void)
{
	ender->spoil();
}
