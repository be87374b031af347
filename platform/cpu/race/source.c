/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places in the program. A place is kept as return addresses; only a report asks addr2line (GNU binutils) for
 * functions and lines, and takes the first one that is neither gshmem's nor HIP's.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"
#include "race/race.h"
#include "race/shared.h"
#include "race/source.h"

#define NOBJECTS     64
#define OBJECT_SHIFT 48
#define NRECENT      256 /* a power of two */
#define NCALLERS     12

/* ---- objects: the program and its libraries ---- */

struct object {
	uintptr_t base, begin, end; /* base is subtracted; code lies between the others */
	char path[256];
};
static struct object objects[NOBJECTS];
static unsigned nobjects, library; /* library: the object that this file is in */

static int add_object(struct dl_phdr_info *info, size_t nbytes, void *unused)
{
	struct object *o = &objects[nobjects];
	const ElfW(Phdr) * ph;
	unsigned i;

	(void)nbytes, (void)unused;
	if (nobjects == NOBJECTS)
		return 1;
	o->base = info->dlpi_addr;
	o->begin = UINTPTR_MAX;
	o->end = 0;
	for (i = 0, ph = info->dlpi_phdr; i < info->dlpi_phnum; i++, ph++) {
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		o->begin = o->base + ph->p_vaddr < o->begin ? o->base + ph->p_vaddr : o->begin;
		o->end = o->base + ph->p_vaddr + ph->p_memsz > o->end ? o->base + ph->p_vaddr + ph->p_memsz
								      : o->end;
	}
	snprintf(o->path, sizeof o->path, "%s", info->dlpi_name);
	if (!nobjects)
		(void)!readlink("/proc/self/exe", o->path, sizeof o->path - 1);
	if ((uintptr_t)add_object >= o->begin && (uintptr_t)add_object < o->end)
		library = nobjects;
	nobjects++;
	return 0;
}

static unsigned object_of(uintptr_t address)
{
	unsigned i;

	for (i = 0; i < nobjects; i++)
		if (address >= objects[i].begin && address < objects[i].end)
			return i;
	return NOBJECTS;
}

/* ---- places ---- */

/* Return addresses from here on, at most NCALLERS. */
static unsigned walk(const uintptr_t *frame, uintptr_t caller, uintptr_t *callers)
{
	const uintptr_t *next;
	unsigned n = 0;

	while (n < NCALLERS) {
		callers[n++] = caller;
		next = (const uintptr_t *)frame[0];
		if (next <= frame || (uintptr_t)next - (uintptr_t)frame > 1U << 20 ||
			(uintptr_t)next % sizeof *next)
			break;
		frame = next;
		caller = frame[1];
	}
	return n;
}

/* Those that are the program's, and in front of them the library's that it has called. */
static void find_frames(const uintptr_t *callers, unsigned ncallers, uint64_t *frames)
{
	unsigned i, n = 0, object;
	uint64_t frame, last = 0; /* the library's function that the program has called */

	for (i = 0; i < ncallers && n < RACE_NFRAMES; i++) {
		object = object_of(callers[i]);
		if (object == NOBJECTS)
			break;
		frame = (uint64_t)object << OBJECT_SHIFT | (callers[i] - objects[object].base);
		if (object == library && !n) {
			last = frame;
			continue;
		}
		if (last)
			frames[n++] = last;
		last = 0;
		if (n < RACE_NFRAMES)
			frames[n++] = frame;
	}
}

static uint32_t intern(const uint64_t *frames)
{
	uint64_t hash = 0;
	struct race_source *source;
	uint32_t i, n, state;

	for (i = 0; i < RACE_NFRAMES; i++)
		hash = race_hash(hash ^ frames[i]);
	for (n = 0; n < 64; n++) {
		i = (uint32_t)((hash >> 32) + n) % (RACE_NSOURCES - 1) + 1;
		source = &race_shared->sources[i];
		state = 0;
		if (!source->state && atomic_compare_exchange_strong(&source->state, &state, 1)) {
			memcpy(source->frames, frames, sizeof source->frames);
			atomic_store_explicit(&source->state, 2, memory_order_release);
			return i;
		}
		while (atomic_load_explicit(&source->state, memory_order_acquire) == 1)
			hipcpu_relax();
		if (!memcmp(source->frames, frames, sizeof source->frames))
			return i;
	}
	return 0;
}

uint32_t race_source(const void *frame, const void *caller)
{
	static __thread struct recent {
		uint64_t hash;
		uint32_t source;
	} recent[NRECENT] HIPCPU_TLS;
	uintptr_t callers[NCALLERS];
	const unsigned n = walk(frame, (uintptr_t)caller, callers);
	uint64_t frames[RACE_NFRAMES] = {0}, hash = 1;
	struct recent *r;
	unsigned i;

	for (i = 0; i < n; i++)
		hash = race_hash(hash ^ callers[i]);
	r = &recent[(hash >> 40) % NRECENT];
	if (r->hash == hash)
		return r->source;
	find_frames(callers, n, frames);
	*r = (struct recent){hash, frames[0] ? intern(frames) : 0};
	return r->source;
}

/* ---- lines ---- */

static bool is_ours(const char *function, const char *place)
{
	return strstr(place, "/include/gshmem") || strstr(place, "/hip/hip") ||
		!strncmp(function, "gshmemi_", 8);
}

static bool is_call(const char *function)
{
	return !strncmp(function, "gshmem_", 7) || !strncmp(function, "gshmemx_", 8) ||
		!strncmp(function, "shmem_", 6);
}

/* Cuts arguments off a function's name, and directories off a place. */
static void tidy(char *function, char *place)
{
	char *slash = strrchr(place, '/');

	function[strcspn(function, "(\n")] = 0;
	place[strcspn(place, " \n")] = 0;
	if (slash)
		memmove(place, slash + 1, strlen(slash));
}

/* Reads the functions at an address, from the innermost one on; returns whether one is the program's. */
static bool read_lines(uint64_t frame, struct race_line *line)
{
	const struct object *o = &objects[frame >> OBJECT_SHIFT];
	char command[512], function[256], place[512];
	bool is_found = false;
	FILE *pipe;

	snprintf(command, sizeof command, "addr2line -ifCe '%s' %#llx 2>/dev/null", o->path,
		(unsigned long long)(frame & ((UINT64_C(1) << OBJECT_SHIFT) - 1)) - 1);
	pipe = popen(command, "r");
	while (pipe && !is_found && fgets(function, sizeof function, pipe) &&
		fgets(place, sizeof place, pipe)) {
		is_found = place[0] != '?' && frame >> OBJECT_SHIFT != library && !is_ours(function, place);
		tidy(function, place);
		if (is_found) {
			snprintf(line->place, sizeof line->place, "%.190s", place);
		} else if (is_call(function)) {
			snprintf(line->call, sizeof line->call, "%.126s", function);
		}
	}
	if (pipe)
		pclose(pipe);
	return is_found;
}

void race_line(uint32_t source, struct race_line *line)
{
	const uint64_t *frames = race_shared->sources[source].frames;
	unsigned i;

	*line = (struct race_line){.place = "an unknown place"};
	for (i = 0; source && i < RACE_NFRAMES && frames[i] && !read_lines(frames[i], line); i++)
		;
	if (!strcmp(line->place, "an unknown place") && source && frames[0])
		snprintf(line->place, sizeof line->place, "%s+%#llx", objects[frames[0] >> OBJECT_SHIFT].path,
			(unsigned long long)(frames[0] & ((UINT64_C(1) << OBJECT_SHIFT) - 1)));
}

/* What the call in a place updates atomically; from its name, once. */
static enum kind { UNKNOWN, NEITHER, INTEGER, FLOATING } kind_of(uint32_t source)
{
	static _Atomic uint8_t kinds[RACE_NSOURCES];
	struct race_line line;
	enum kind kind = kinds[source];

	if (kind != UNKNOWN)
		return kind;
	race_line(source, &line);
	kind = !strstr(line.call, "_atomic_")                                               ? NEITHER
		: strstr(line.call, "float_atomic_") || strstr(line.call, "double_atomic_") ? FLOATING
											    : INTEGER;
	kinds[source] = (uint8_t)kind;
	return kind;
}

bool race_kinds_differ(uint32_t a, uint32_t b)
{
	const enum kind first = kind_of(a), second = kind_of(b);

	return (first == INTEGER && second == FLOATING) || (first == FLOATING && second == INTEGER);
}

const char *race_program(uint64_t *base_p)
{
	*base_p = objects[0].base;
	return objects[0].path;
}

void race_objects_find(void)
{
	nobjects = 0;
	dl_iterate_phdr(add_object, NULL);
}
