/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the variables of env_list.h are set to: by the environment, or else by the settings file, which has
 * one a line (docs/env.md). The file is the one that GSHMEM_CONFIG names, or else .gshmem.conf in the home
 * folder, if there is one. Warns about names that do not exist.
 *
 * The cpu platform asks for its variables before init, and even before main. So the file is read when a
 * variable is asked for first, and only once, unless the program names another file later. What has been read
 * stays in memory, because texts are used until the process ends.
 */
#include "base/base.h"

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

extern char **environ;

/* ---- names ---- */

static const char *const names[] = {
#define X(NAME, KIND, DEFAULT, CATEGORY, HELP) "GSHMEM_" #NAME,
#include "base/env_list.h"
#undef X
	/* gshmemcc's: a user who exports them runs programs, too. */
	"GSHMEM_CC",
	"GSHMEM_CXX",
	"GSHMEM_HIPCC",
	"GSHMEM_HIPLD",
};
#define NNAMES     (sizeof names / sizeof *names)
#define NVARIABLES (NNAMES - 4) /* of the library */

/* The edit distance: how many characters must be inserted, deleted or changed to turn a into b. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[64], i, j, above_left, above;
	size_t length = strlen(b);

	if (length >= 64)
		return 64;
	for (j = 0; j <= length; j++)
		row[j] = j;
	for (i = 1; *a; a++, i++) {
		above_left = row[0];
		row[0] = i;
		for (j = 1; j <= length; j++) {
			above = row[j];
			row[j] = above_left + (*a != b[j - 1]);
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			above_left = above;
		}
	}
	return row[length];
}

/* Variables that earlier versions had, and what replaced them. */
static const char *const replaced[][2] = {
	{"GSHMEM_LEAKS", "GSHMEM_CHECK=1 lists the allocations that were not freed"},
	{"GSHMEM_NET_SEQ", "use GSHMEM_FIRST_SEQ"},
	{"GSHMEM_RPC_SEQ", "use GSHMEM_FIRST_SEQ"},
	{"GSHMEM_CPU_NO_PEER", "use GSHMEM_CPU_LINKS=0-1:none"},
	{"GSHMEM_CPU_NO_ATOMICS", "use GSHMEM_CPU_LINKS=0-1:plain"},
};

/* Returns the index of a name; NNAMES: there is no such variable, and text says what there is instead. */
static unsigned find_name(const char *name, char *text, size_t nbytes)
{
	unsigned best = 64, i, d;
	const char *nearest = NULL;

	for (i = 0; i < sizeof replaced / sizeof *replaced; i++) {
		if (strcmp(name, replaced[i][0]) == 0) {
			snprintf(text, nbytes, "there is no environment variable %s any more: %s", name,
				replaced[i][1]);
			return NNAMES;
		}
	}
	for (i = 0; i < NNAMES; i++) {
		if (strcmp(name, names[i]) == 0)
			return i;
		d = distance(name, names[i]);
		if (d < best) {
			best = d;
			nearest = names[i];
		}
	}
	if (best <= 4)
		snprintf(
			text, nbytes, "there is no environment variable %s; did you mean %s?", name, nearest);
	else
		snprintf(text, nbytes,
			"there is no environment variable %s; gshmem-info lists those that exist", name);
	return NNAMES;
}

void gshmemi_env_warn_unknown(void)
{
	static bool done;
	char name[64], text[256];
	size_t length;
	char **entry;

	if (done)
		return;
	done = true;
	for (entry = environ; *entry; entry++) {
		length = strcspn(*entry, "=");
		if (strncmp(*entry, "GSHMEM_", 7) || length >= sizeof name)
			continue;
		memcpy(name, *entry, length);
		name[length] = 0;
		if (find_name(name, text, sizeof text) == NNAMES)
			gshmemi_warn("%s", text);
	}
}

/* ---- the file ---- */

#define LINE_NBYTES 4096
#define BLANKS      " \t\r\n"

/* A file that has been read. */
struct settings {
	struct settings *next; /* the one read before */
	char path[PATH_MAX];
	bool is_there;
	int rc; /* 0; or a negative errno, and message */
	char message[PATH_MAX + 512];
	struct {
		char *text;  /* NULL: the file does not set it */
		char *label; /* PATH:LINE: NAME */
		unsigned line;
	} items[NVARIABLES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings *all; /* under the lock; the last one read first */

__attribute__((format(printf, 3, 4))) static int fail(struct settings *s, int rc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->message, sizeof s->message, format, args);
	va_end(args);
	s->rc = rc;
	return rc;
}

/* The path of a file that GSHMEM_CONFIG names, or of the one in the home folder; false: there is no home. */
static bool find_path(char *path, bool *is_named_p)
{
	const char *named = getenv("GSHMEM_CONFIG"), *home = getenv("HOME");
	int length;

	*is_named_p = named && *named;
	if (*is_named_p)
		length = snprintf(path, PATH_MAX, "%s", named);
	else if (home && *home == '/')
		length = snprintf(path, PATH_MAX, "%s/.gshmem.conf", home);
	else
		return false;
	return length < PATH_MAX || *is_named_p;
}

/* Ends the text before a comment, which begins at a # in front of which there is nothing or a blank. */
static void cut_comment(char *text)
{
	char *at;

	for (at = text; (at = strchr(at, '#')); at++) {
		if (at == text || strchr(BLANKS, at[-1])) {
			*at = 0;
			return;
		}
	}
}

/* Takes blanks off both ends. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, BLANKS);
	for (length = strlen(text); length && strchr(BLANKS, text[length - 1]);)
		text[--length] = 0;
	return text;
}

/* Keeps NAME = value of a line; the name may lack its GSHMEM_. */
static int keep(struct settings *s, unsigned line, const char *word, const char *value)
{
	const bool is_short = strncmp(word, "GSHMEM_", 7) != 0;
	char name[64], why[256];
	unsigned i;

	if (snprintf(name, sizeof name, "%s%s", is_short ? "GSHMEM_" : "", word) >= (int)sizeof name)
		return fail(s, -EINVAL, "%s:%u: there is no environment variable %s", s->path, line, word);
	i = find_name(name, why, sizeof why);
	if (i == NNAMES)
		return fail(s, -EINVAL, "%s:%u: %s", s->path, line, why);
	if (i >= NVARIABLES || strcmp(name, "GSHMEM_CONFIG") == 0)
		return fail(s, -EINVAL, "%s:%u: %s is read from the environment alone", s->path, line, name);
	if (s->items[i].text)
		return fail(
			s, -EINVAL, "%s:%u: line %u sets %s already", s->path, line, s->items[i].line, name);
	s->items[i].line = line;
	s->items[i].text = strdup(value);
	if (!s->items[i].text || asprintf(&s->items[i].label, "%s:%u: %s", s->path, line, name) < 0)
		return fail(s, -ENOMEM, "%s: out of memory", s->path);
	return 0;
}

static int read_line(struct settings *s, unsigned line, char *text)
{
	char *equals, *word, *value;

	cut_comment(text);
	text = trim(text);
	if (!*text)
		return 0;
	equals = strchr(text, '=');
	if (!equals || equals == text)
		return fail(s, -EINVAL,
			"%s:%u: expected NAME = value, as in GSHMEM_HEAP_SIZE = 64m, got %.80s", s->path,
			line, text);
	*equals = 0;
	word = trim(text);
	value = trim(equals + 1);
	if (!*word || word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")])
		return fail(s, -EINVAL,
			"%s:%u: %.80s is not the name of a variable, such as GSHMEM_HEAP_SIZE", s->path, line,
			word);
	if (!*value)
		return fail(s, -EINVAL, "%s:%u: %s has no value: write one, or remove the line", s->path,
			line, word);
	if (*value == '"' || *value == '\'')
		return fail(s, -EINVAL, "%s:%u: the value of %s begins with a quote: write it without quotes",
			s->path, line, word);
	return keep(s, line, word, value);
}

static int read_lines(struct settings *s, FILE *file)
{
	char text[LINE_NBYTES];
	unsigned line = 0;
	size_t length;
	int rc = 0;

	while (!rc && fgets(text, sizeof text, file)) {
		line++;
		length = strlen(text);
		if (length == sizeof text - 1 && text[length - 1] != '\n')
			rc = fail(s, -EINVAL, "%s:%u: the line has more than %d characters", s->path, line,
				LINE_NBYTES - 2);
		else if (!length || (text[length - 1] != '\n' && !feof(file)))
			rc = fail(s, -EINVAL, "%s:%u: the line is not text", s->path, line);
		else
			rc = read_line(s, line, text);
	}
	if (!rc && ferror(file))
		rc = fail(s, -EIO, "%s: cannot be read: %s", s->path, strerror(errno));
	return rc;
}

static void read_file(struct settings *s, bool is_named)
{
	struct stat st;
	FILE *file;

	if (!is_named && stat(s->path, &st)) /* also where this process may not look into the home folder */
		return;
	s->is_there = true;
	file = gshmemi_file_read(s->path);
	if (file) {
		errno = 0;
		read_lines(s, file);
		fclose(file);
	} else if (is_named) {
		fail(s, -errno, "GSHMEM_CONFIG=%s: %s", s->path, strerror(errno));
	} else {
		fail(s, -errno, "%s: %s: allow this process to read it, or set GSHMEM_CONFIG=/dev/null",
			s->path, strerror(errno));
	}
}

/* Returns the file that holds now, NULL: none. Under the lock. */
static struct settings *get(void)
{
	char path[PATH_MAX];
	struct settings *s;
	bool is_named;

	if (!find_path(path, &is_named))
		return NULL;
	for (s = all; s; s = s->next)
		if (strcmp(s->path, path) == 0)
			return s;
	s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	memcpy(s->path, path, sizeof path);
	read_file(s, is_named);
	s->next = all;
	all = s;
	return s;
}

int gshmemi_settings_read(const char **path_p)
{
	const struct settings *s;
	int rc;

	pthread_mutex_lock(&lock);
	s = get();
	pthread_mutex_unlock(&lock);
	rc = s ? s->rc : 0;
	if (rc)
		gshmemi_error("%s", s->message);
	if (path_p)
		*path_p = s && s->is_there ? s->path : NULL;
	return rc;
}

struct gshmemi_setting gshmemi_setting_find(const char *name)
{
	struct gshmemi_setting set = {getenv(name), name, NULL, 0};
	const struct settings *s;
	unsigned i;

	if (set.text && *set.text)
		return set;
	set.text = NULL;
	pthread_mutex_lock(&lock);
	s = get();
	pthread_mutex_unlock(&lock);
	if (!s || s->rc)
		return set;
	for (i = 0; i < NVARIABLES; i++) {
		if (strcmp(name, names[i]) || !s->items[i].text)
			continue;
		set.text = s->items[i].text;
		set.label = s->items[i].label;
		set.file = s->path;
		set.line = s->items[i].line;
	}
	return set;
}
