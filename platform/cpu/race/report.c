/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages about races: on stderr, and in the file of GSHMEM_RACES. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GSHMEMI_LIBRARY 1
#include <gshmem.h>

extern struct gshmemi_state gshmemi_state __asm__("gshmemi_library_state"); /* as src/base/base.h has it */
#include <gshmem/move/carry.h>

#include "runtime.h"
#include "race/race.h"
#include "race/shared.h"
#include "race/source.h"

/* ---- what races on purpose ---- */

struct stretch {
	struct race_place at; /* on all PEs */
	uint64_t nbytes;
};
static struct stretch *allowed;
static size_t nallowed, allowed_capacity;
static pthread_mutex_t allowed_lock = PTHREAD_MUTEX_INITIALIZER;

static bool overlap(const struct stretch *s, const struct race_place *at, uint64_t nbytes)
{
	return s->at.region == at->region && s->at.offset < at->offset + nbytes &&
		at->offset < s->at.offset + s->nbytes;
}

void gshmemi_detector_ok(const void *address, uint64_t nbytes)
{
	struct stretch s = {.nbytes = nbytes};

	if (!race_find(address, &s.at))
		return;
	pthread_mutex_lock(&allowed_lock);
	allowed = race_grow(allowed, nallowed, &allowed_capacity, sizeof *allowed);
	allowed[nallowed++] = s;
	pthread_mutex_unlock(&allowed_lock);
}

/* The memory has been allocated anew. */
static void forbid(const void *address, uint64_t nbytes)
{
	struct race_place at;
	size_t i, n = 0;

	if (!race_find(address, &at))
		return;
	pthread_mutex_lock(&allowed_lock);
	for (i = 0; i < nallowed; i++)
		if (!overlap(&allowed[i], &at, nbytes))
			allowed[n++] = allowed[i];
	nallowed = n;
	pthread_mutex_unlock(&allowed_lock);
}

static bool is_allowed(const struct race_pair *pair)
{
	bool is = false;
	size_t i;

	pthread_mutex_lock(&allowed_lock);
	for (i = 0; i < nallowed && pair->at.pe >= 0; i++)
		is |= overlap(&allowed[i], &pair->at, pair->nbytes);
	pthread_mutex_unlock(&allowed_lock);
	return is;
}

/* ---- what is at an address ---- */

struct allocation {
	const char *base;
	uint64_t nbytes;
	uint32_t source;
};
static struct allocation *allocations;
static size_t nallocations, allocations_capacity;
static pthread_mutex_t allocations_lock = PTHREAD_MUTEX_INITIALIZER;

static void forget_allocation(const char *base)
{
	size_t i;

	for (i = 0; i < nallocations; i++)
		if (allocations[i].base == base) {
			forbid(base, allocations[i].nbytes);
			allocations[i--] = allocations[--nallocations];
		}
}

void hipcpu_race_allocated(const void *address, uint64_t nbytes)
{
	const uint32_t source = race_shared && nbytes
		? race_source(__builtin_frame_address(0), __builtin_return_address(0))
		: 0;

	pthread_mutex_lock(&allocations_lock);
	forget_allocation(address);
	if (nbytes) {
		allocations =
			race_grow(allocations, nallocations, &allocations_capacity, sizeof *allocations);
		allocations[nallocations++] = (struct allocation){address, nbytes, source};
	}
	pthread_mutex_unlock(&allocations_lock);
}

/* Names the variable at an offset in the program's data: the last symbol of nm's list that is not behind it. */
static bool name_variable(uint64_t offset, char *text, size_t nbytes)
{
	uint64_t base;
	const char *const path = race_program(&base);
	const uint64_t wanted = (uintptr_t)gshmemi_globals.base + offset - base;
	char command[320], line[512], type, name[128];
	unsigned long long at;
	bool is_found = false;
	FILE *pipe;

	snprintf(command, sizeof command, "nm -nC --defined-only '%s' 2>/dev/null", path);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof line, pipe)) {
		if (sscanf(line, "%llx %c %127s", &at, &type, name) != 3 || !strchr("bBdD", type))
			continue;
		if (at > wanted)
			break;
		is_found = true;
		snprintf(text, nbytes, "%s + %llu", name, (unsigned long long)(wanted - at));
	}
	if (pipe)
		pclose(pipe);
	return is_found;
}

static void name_place(const struct race_place *at, char *text, size_t nbytes)
{
	const char *const heap = gshmemi_state.heap + at->offset;
	struct race_line line;
	size_t i;

	snprintf(text, nbytes, "offset %#llx of %s", (unsigned long long)at->offset,
		at->region == GSHMEMI_REGION_HEAP              ? "the heap"
			: at->region == GSHMEMI_REGION_GLOBALS ? "the variables"
							       : "a window");
	if (at->region == GSHMEMI_REGION_GLOBALS)
		(void)name_variable(at->offset, text, nbytes);
	if (at->region != GSHMEMI_REGION_HEAP)
		return;
	pthread_mutex_lock(&allocations_lock);
	for (i = 0; i < nallocations && (uint64_t)(heap - allocations[i].base) >= allocations[i].nbytes; i++)
		;
	if (i < nallocations) {
		race_line(allocations[i].source, &line);
		snprintf(text, nbytes, "byte %llu of the %llu allocated at %s",
			(unsigned long long)(heap - allocations[i].base),
			(unsigned long long)allocations[i].nbytes, line.place);
	}
	pthread_mutex_unlock(&allocations_lock);
}

/* ---- messages ---- */

/* Returns whether this is the first time that these two places have raced. */
static bool count(const struct race_pair *pair)
{
	const uint32_t low = pair->a_source < pair->b_source ? pair->a_source : pair->b_source,
		       high = pair->a_source < pair->b_source ? pair->b_source : pair->a_source;
	const uint64_t key = 1 + ((uint64_t)high << 32 | low);
	struct race_counted *c;
	uint64_t none;
	unsigned i;

	atomic_fetch_add(&race_shared->nraces, 1);
	for (i = 0; i < RACE_NPAIRS; i++) {
		c = &race_shared->pairs[((race_hash(key) >> 40) + i) % RACE_NPAIRS];
		none = 0;
		if (c->key == key ||
			(!c->key && !atomic_compare_exchange_strong(&c->key, &none, key) && none == key)) {
			atomic_fetch_add(&c->n, 1);
			return false;
		}
		if (c->key == key) {
			atomic_fetch_add(&c->n, 1);
			atomic_fetch_add(&race_shared->npairs, 1);
			return true;
		}
	}
	return false;
}

/* One of the two accesses of a race, in words. */
struct side {
	const char *verb, *call;
	struct race_who who;
	struct race_line line;
	char kernel[RACE_NAME];
};

static void find_side(struct side *side, const struct race_access *a, enum race_kind kind, uint32_t source)
{
	race_who(a, &side->who);
	race_line(source, &side->line);
	side->verb = !race_writes(kind) ? "read   " : kind >= RACE_ATOMIC ? "updated" : "written";
	side->call = side->line.call[0] ? side->line.call
		: !race_writes(kind)    ? "load"
		: kind == RACE_ATOMIC   ? "atomic"
					: "store";
	if (side->who.kernel)
		snprintf(side->kernel, sizeof side->kernel, "%.*s", (int)strcspn(side->who.kernel, "<("),
			side->who.kernel);
}

static void describe(const struct side *side, char *text, size_t nbytes)
{
	char where[160];

	if (side->who.thread == RACE_SERVING)
		snprintf(where, sizeof where, "PE %d, host, serving a call", side->who.pe);
	else if (side->who.is_forgotten)
		snprintf(where, sizeof where, "PE %d, an earlier kernel, thread %u", side->who.pe,
			side->who.lane);
	else if (!side->who.kernel && side->who.thread)
		snprintf(where, sizeof where, "PE %d, host, thread %u", side->who.pe, side->who.thread);
	else if (!side->who.kernel)
		snprintf(where, sizeof where, "PE %d, host", side->who.pe);
	else
		snprintf(where, sizeof where, "PE %d, kernel %s, block %llu, thread %u", side->who.pe,
			side->kernel, (unsigned long long)side->who.block, side->who.lane);
	snprintf(text, nbytes, "  %s by %s: %s  %s", side->verb, where, side->call, side->line.place);
}

/* A string of JSON. Names and places have no control characters. */
static void quote(FILE *file, const char *text)
{
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void write_side(FILE *file, const char *name, const struct side *side)
{
	fprintf(file, ",\"%s\":{\"access\":\"%.*s\",\"pe\":%d", name, (int)strcspn(side->verb, " "),
		side->verb, side->who.pe);
	if (side->who.kernel) {
		fputs(",\"kernel\":", file);
		quote(file, side->kernel);
		fprintf(file, ",\"block\":%llu,\"thread\":%u", (unsigned long long)side->who.block,
			side->who.lane);
	} else if (side->who.is_forgotten) {
		fprintf(file, ",\"kernel\":null,\"thread\":%u", side->who.lane);
	} else if (side->who.thread == RACE_SERVING) {
		fputs(",\"serves\":true", file);
	} else if (side->who.thread) {
		fprintf(file, ",\"thread\":%u", side->who.thread);
	}
	fputs(",\"call\":", file);
	quote(file, side->call);
	fputs(",\"place\":", file);
	quote(file, side->line.place);
	putc('}', file);
}

/* Appends the race to the file of GSHMEM_RACES, as one line by one write, because all PEs do so. */
static void write_line(
	const struct race_pair *pair, const char *what, const char *why, const struct side *sides)
{
	const char *path = hipcpu_setting("GSHMEM_RACES");
	char *text = NULL;
	size_t nbytes = 0;
	FILE *file;
	int fd;

	if (!path || !*path || !(file = open_memstream(&text, &nbytes)))
		return;
	fputs("{\"memory\":", file);
	quote(file, what);
	fprintf(file, ",\"bytes\":%u,\"pe\":%d", pair->nbytes, pair->at.pe < 0 ? race_me : pair->at.pe);
	write_side(file, "first", &sides[0]);
	write_side(file, "second", &sides[1]);
	fputs(",\"why\":", file);
	quote(file, why);
	fputs("}\n", file);
	fclose(file);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, text, nbytes) != (ssize_t)nbytes)
		hipcpu_message("GSHMEM_RACES=%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(text);
}

static const char *find_reason(struct race_strand *s, const struct race_pair *pair)
{
	struct race_access seen = pair->a;

	seen.is_pending = false;
	if (race_kinds_differ(pair->a_source, pair->b_source))
		return "atomics of different types are not atomic to each other, and nothing orders the two";
	if (!pair->a.is_pending)
		return "nothing orders the two: a barrier is missing, or a signal and a wait for it";
	if (race_knows(s, &seen, -1, 0))
		return "the first is not complete: gshmem_quiet is missing behind it, or gshmem_fence before the "
		       "word that tells of it";
	return "nothing tells that the first is complete: gshmem_quiet and a barrier are missing, or a "
	       "put_signal and a wait for it";
}

void race_report(struct race_strand *s, const struct race_pair *pair)
{
	char texts[2][512], what[512];
	struct side sides[2];
	const char *why;

	if (is_allowed(pair) || !count(pair))
		return;
	why = find_reason(s, pair);
	find_side(&sides[0], &pair->a, pair->a_kind, pair->a_source);
	find_side(&sides[1], &pair->b, pair->b_kind, pair->b_source);
	describe(&sides[0], texts[0], sizeof texts[0]);
	describe(&sides[1], texts[1], sizeof texts[1]);
	if (pair->at.pe < 0)
		snprintf(what, sizeof what, "%p, which is not symmetric", pair->private);
	else
		name_place(&pair->at, what, sizeof what);
	fprintf(stderr, "gshmem: race on %s, %u byte%s, on PE %d\n%s\n%s\n  %s\n", what, pair->nbytes,
		pair->nbytes > 1 ? "s" : "", pair->at.pe < 0 ? race_me : pair->at.pe, texts[0], texts[1],
		why);
	write_line(pair, what, why, sides);
}

/* ---- the end ---- */

static uint64_t nraces, npairs, nevicted; /* of the jobs of this process that have ended */
static void (*fail)(void);

void race_report_close(void)
{
	nraces += race_shared->nraces;
	npairs += race_shared->npairs;
	nevicted += race_shared->nevicted;
}

/* A program that ends well although it has raced fails: a message may be lost among others. */
static void end(int status, void *unused)
{
	(void)status, (void)unused;
	if (race_shared)
		race_report_close();
	if (!nraces)
		return;
	if (race_me == 0)
		fprintf(stderr,
			"gshmem: races: %llu accesses raced, at %llu pair%s of places; %llu earlier accesses were "
			"forgotten for lack of room\n",
			(unsigned long long)nraces, (unsigned long long)npairs, npairs == 1 ? "" : "s",
			(unsigned long long)nevicted);
	fail();
}

void race_report_open(void (*function)(void))
{
	static bool is_watching;

	fail = function;
	race_objects_find();
	if (!is_watching)
		on_exit(end, NULL);
	is_watching = true;
}
