/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry of host calls: not outside init and finalize, and with the state of all units filled. */
#include "device/state.h"

static enum { BEFORE, OPEN, AFTER } phase;
static _Thread_local bool is_serving;

void gshmemi_enter_open(void)
{
	phase = OPEN;
}

void gshmemi_enter_close(void)
{
	phase = AFTER;
}

bool gshmemi_enter_is_open(void)
{
	return phase == OPEN;
}

bool gshmemi_enter_is_over(void)
{
	return phase == AFTER;
}

void gshmemi_set_serving(bool value)
{
	is_serving = value;
}

bool gshmemi_is_serving(void)
{
	return is_serving;
}

int gshmemi_enter_int(const char *call)
{
	if (phase == OPEN)
		return gshmemi_state_upload();
	gshmemi_error("%s called %s", call, phase == AFTER ? "after gshmem_finalize" : "before gshmem_init");
	return -EINVAL;
}

void gshmemi_enter(const char *call)
{
	if (gshmemi_enter_int(call))
		gshmemi_end(1);
}

int gshmemi_enter_collective_int(const char *call)
{
	int rc = gshmemi_enter_int(call);

	if (rc || !is_serving)
		return rc;
	gshmemi_error("%s called from a function that serves a call: it is collective, and would wait for "
		      "PEs that may wait for this one",
		call);
	return -EDEADLK;
}

void gshmemi_enter_collective(const char *call)
{
	GSHMEMI_ENTER(call);
	if (is_serving && gshmemi_enter_collective_int(call))
		gshmemi_end(1);
}
