/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx_printf and gshmemx_assert: puts messages of kernels together from the steps of their streams, and
 * formats them like those of the host. The format may not match its arguments, so each conversion is checked
 * and printed by itself.
 */
#include "rpc/rpc.h"

#include <gshmem/rpc/rpc_print.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* A growing string, with room for at least one more byte. */
struct text {
	char *bytes;
	size_t nbytes;
	size_t capacity;
};

static int reserve(struct text *t, size_t nbytes)
{
	size_t capacity = 2 * t->capacity;
	char *bytes;

	if (nbytes < t->capacity - t->nbytes)
		return 0;
	if (nbytes >= capacity - t->nbytes)
		capacity = t->nbytes + nbytes + 256;
	bytes = realloc(t->bytes, capacity);
	if (!bytes)
		return -ENOMEM;
	t->bytes = bytes;
	t->capacity = capacity;
	return 0;
}

static int append(struct text *t, const void *bytes, size_t nbytes)
{
	int rc = reserve(t, nbytes);

	if (rc || !nbytes)
		return rc;
	memcpy(t->bytes + t->nbytes, bytes, nbytes);
	t->nbytes += nbytes;
	return 0;
}

/* ---- formatting ---- */

/* What is being formatted, and how far it is. */
struct printing {
	struct text out;
	const struct gshmemi_print_arg *args;
	unsigned nargs;
	unsigned next; /* index of the next argument */
	int error;     /* the first error */
};

static void set_error(struct printing *p, int error)
{
	if (error && !p->error)
		p->error = error;
}

static void put_bytes(struct printing *p, const char *bytes, size_t nbytes)
{
	set_error(p, append(&p->out, bytes, nbytes));
}

static void put_marker(struct printing *p, const char *text, int error)
{
	put_bytes(p, text, strlen(text));
	set_error(p, error);
}

/* Like snprintf, for a conversion built from a spec, and its argument. */
static void put(struct printing *p, const char *format, ...)
{
	va_list args, again;
	int nbytes;

	va_start(args, format);
	va_copy(again, args);
	errno = 0;
	nbytes = vsnprintf(NULL, 0, format, args);
	if (nbytes < 0)
		put_marker(p, "(bad character)", errno ? -errno : -EILSEQ);
	else if (reserve(&p->out, (size_t)nbytes))
		set_error(p, -ENOMEM);
	else
		p->out.nbytes +=
			(size_t)vsnprintf(p->out.bytes + p->out.nbytes, (size_t)nbytes + 1, format, again);
	va_end(again);
	va_end(args);
}

/*
 * Returns the next argument if its kind is in kinds, bits 1 << GSHMEMI_PRINT_*; else prints a marker
 * and returns NULL.
 */
static const struct gshmemi_print_arg *take_argument(struct printing *p, unsigned kinds, const char *marker)
{
	const struct gshmemi_print_arg *arg = p->next < p->nargs ? &p->args[p->next] : NULL;

	p->next++;
	if (arg && kinds >> (arg->tag & 255) & 1)
		return arg;
	put_marker(p, arg ? marker : "(missing)", -EINVAL);
	return NULL;
}

#define INTEGERS (1U << GSHMEMI_PRINT_INT | 1U << GSHMEMI_PRINT_LONG)
#define FLOATING (1U << GSHMEMI_PRINT_DOUBLE | 1U << GSHMEMI_PRINT_LONG_DOUBLE)
#define POINTERS (1U << GSHMEMI_PRINT_POINTER | 1U << GSHMEMI_PRINT_STRING | 1U << GSHMEMI_PRINT_WIDE)

/* Replaces stars by arguments. Returns false after a marker. */
static bool take_stars(struct printing *p, struct gshmemi_print_spec *s)
{
	const struct gshmemi_print_arg *arg;
	int number;

	if (s->width == GSHMEMI_PRINT_STAR) {
		arg = take_argument(p, INTEGERS, "(not an integer)");
		if (!arg)
			return false;
		number = (int)arg->value;
		s->flags |= number < 0 ? gshmemi_print_flag('-') : 0;
		s->width = number >= 0 ? number : number == INT_MIN ? INT_MAX : -number;
	}
	if (s->precision == GSHMEMI_PRINT_STAR) {
		arg = take_argument(p, INTEGERS, "(not an integer)");
		if (!arg)
			return false;
		number = (int)arg->value;
		s->precision = number < 0 ? GSHMEMI_PRINT_NONE : number;
	}
	return true;
}

#define CONVERSION_NBYTES 48

/* Writes the spec as text, with another length, for put. */
static void write_conversion(
	const struct gshmemi_print_spec *s, const char *length, char conversion[CONVERSION_NBYTES])
{
	size_t n = 0;
	unsigned i;

	conversion[n++] = '%';
	for (i = 0; i < sizeof GSHMEMI_PRINT_FLAGS - 1; i++)
		if (s->flags >> i & 1)
			conversion[n++] = GSHMEMI_PRINT_FLAGS[i];
	if (s->width >= 0)
		n += (size_t)snprintf(conversion + n, CONVERSION_NBYTES - n, "%d", s->width);
	if (s->precision >= 0)
		n += (size_t)snprintf(conversion + n, CONVERSION_NBYTES - n, ".%d", s->precision);
	snprintf(conversion + n, CONVERSION_NBYTES - n, "%s%c", length, s->conversion);
}

/* Returns as many bits of an integer as its conversion prints. An int read as unsigned has 32. */
static uint64_t cut(const struct gshmemi_print_arg *arg, const struct gshmemi_print_spec *s)
{
	const bool is_signed = s->conversion == 'd' || s->conversion == 'i';
	const bool is_int = (arg->tag & 255) == GSHMEMI_PRINT_INT;

	if (s->length == 'H')
		return is_signed ? (uint64_t)(signed char)arg->value : (unsigned char)arg->value;
	if (s->length == 'h')
		return is_signed ? (uint64_t)(short)arg->value : (unsigned short)arg->value;
	if (s->length || !is_int)
		return arg->value;
	return is_signed ? (uint64_t)(int)arg->value : (unsigned)arg->value;
}

static void put_integer(struct printing *p, const struct gshmemi_print_spec *s)
{
	const struct gshmemi_print_arg *arg = take_argument(p, INTEGERS, "(not an integer)");
	char conversion[CONVERSION_NBYTES];

	if (!arg)
		return;
	write_conversion(s, "ll", conversion);
	put(p, conversion, (unsigned long long)cut(arg, s));
}

static void put_floating(struct printing *p, const struct gshmemi_print_spec *s)
{
	const struct gshmemi_print_arg *arg = take_argument(p, FLOATING, "(not floating-point)");
	char conversion[CONVERSION_NBYTES];
	long double extended;
	double number;

	if (!arg)
		return;
	if ((arg->tag & 255) == GSHMEMI_PRINT_DOUBLE) {
		write_conversion(s, "", conversion);
		memcpy(&number, &arg->value, sizeof number);
		put(p, conversion, number);
	} else {
		write_conversion(s, "L", conversion);
		memcpy(&extended, (const void *)(uintptr_t)arg->value, sizeof extended);
		put(p, conversion, extended);
	}
}

static void put_character(struct printing *p, const struct gshmemi_print_spec *s)
{
	const struct gshmemi_print_arg *arg = take_argument(p, INTEGERS, "(not an integer)");
	char conversion[CONVERSION_NBYTES];

	if (!arg)
		return;
	write_conversion(s, s->length == 'l' ? "l" : "", conversion);
	if (s->length == 'l')
		put(p, conversion, (wint_t)arg->value);
	else
		put(p, conversion, (int)arg->value);
}

/* Prints a string or a pointer. */
static void put_address(struct printing *p, const struct gshmemi_print_spec *s, unsigned kinds,
	const char *length, const char *marker)
{
	const struct gshmemi_print_arg *arg = take_argument(p, kinds, marker);
	char conversion[CONVERSION_NBYTES];

	if (!arg)
		return;
	write_conversion(s, length, conversion);
	put(p, conversion, (void *)(uintptr_t)arg->value);
}

static void put_conversion(struct printing *p, const char *format, struct gshmemi_print_spec *s)
{
	if (s->conversion == '%') {
		put_bytes(p, "%", 1);
	} else if (!s->conversion) {
		put_bytes(p, format + s->start, s->end - s->start);
		set_error(p, -EINVAL);
	} else if (!take_stars(p, s)) {
		p->next++; /* the marker takes the place of the conversion, so skip its own argument */
	} else if (strchr("diouxX", s->conversion)) {
		put_integer(p, s);
	} else if (s->conversion == 'c') {
		put_character(p, s);
	} else if (s->conversion == 's' && s->length == 'l') {
		put_address(p, s, 1U << GSHMEMI_PRINT_WIDE, "l", "(not a wide string)");
	} else if (s->conversion == 's') {
		put_address(p, s, 1U << GSHMEMI_PRINT_STRING, "", "(not a string)");
	} else if (s->conversion == 'p') {
		put_address(p, s, POINTERS, "", "(not a pointer)");
	} else if (s->conversion == 'n') {
		p->next++;
		put_marker(p, "(%n is refused)", -EINVAL);
	} else {
		put_floating(p, s);
	}
}

/*
 * Formats into *out, which the caller frees. Returns 0 or the first error; the text is there also after an
 * error, except -ENOMEM.
 */
static int format_text(
	struct text *out, const char *format, const struct gshmemi_print_arg *args, unsigned nargs)
{
	struct printing p = {*out, args, nargs, 0, 0};
	struct gshmemi_print_spec s;
	size_t at;

	for (at = 0; gshmemi_print_next(format, at, &s); at = s.end) {
		put_bytes(&p, format + at, s.start - at);
		put_conversion(&p, format, &s);
	}
	put_bytes(&p, format + at, strlen(format + at));
	*out = p.out;
	return p.error;
}

/* ---- writing ---- */

static int write_all(int fd, const char *bytes, size_t nbytes)
{
	struct pollfd ready = {fd, POLLOUT, 0};
	ssize_t n;

	while (nbytes) {
		n = write(fd, bytes, nbytes);
		if (n >= 0) {
			bytes += n;
			nbytes -= (size_t)n;
		} else if (errno == EAGAIN) {
			(void)poll(&ready, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* Writes to stdout at once, after what stdio has buffered. */
static int write_out(const struct text *t)
{
	int fd, rc = 0;

	if (!t->nbytes)
		return 0;
	flockfile(stdout);
	fd = fileno(stdout);
	if (fflush(stdout) ||
		(fd < 0 && (fwrite(t->bytes, 1, t->nbytes, stdout) != t->nbytes || fflush(stdout))))
		rc = errno ? -errno : -EIO;
	else if (fd >= 0)
		rc = write_all(fd, t->bytes, t->nbytes);
	funlockfile(stdout);
	return rc;
}

/* Writes and frees the text. Returns what printf returns; rc is the result of formatting it. */
static int print(struct text *t, int rc)
{
	const int written = write_out(t);
	const size_t nbytes = t->nbytes;

	free(t->bytes);
	if (written || rc)
		return written ? written : rc;
	return nbytes > INT_MAX ? -EOVERFLOW : (int)nbytes;
}

/* ---- calls from the host ---- */

int gshmemi_host_rpc_print(const char *format, const struct gshmemi_print_arg *args, unsigned nargs)
{
	struct text out = {NULL, 0, 0};
	int rc = format_text(&out, format, args, nargs);

	return print(&out, rc);
}

int gshmemx_printf(const char *format, ...)
{
	struct gshmemi_print_spec s;
	struct text out = {NULL, 0, 0};
	va_list args;
	size_t at;
	int nbytes;

	for (at = 0; gshmemi_print_next(format, at, &s); at = s.end)
		if (s.conversion == 'n')
			return -EINVAL;
	va_start(args, format);
	nbytes = vasprintf(&out.bytes, format, args);
	va_end(args);
	if (nbytes < 0)
		return -errno;
	out.nbytes = (size_t)nbytes;
	return print(&out, 0);
}

void gshmemi_host_rpc_assert(const char *text, const char *file, int line)
{
	gshmemi_rpc_end_job(134, "host: %.512s:%d: assertion \"%.1024s\" failed", file, line, text);
}

void gshmemi_assert_failed(const char *text, const char *file, int line)
{
	gshmemi_host_rpc_assert(text, file, line);
}

/* ---- messages of kernels ---- */

/*
 * Adds a step. Returns 0 when the message is complete, GSHMEMX_RPC_MORE before that, or an error after which
 * the message is gone.
 */
static int collect_text(const struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	struct text *message = call->state;

	if (!message)
		message = calloc(1, sizeof *message);
	call->state = message;
	if (message && !append(message, call->data, call->nbytes))
		return task->header.flags & GSHMEMI_RPC_LAST ? 0 : GSHMEMX_RPC_MORE;
	gshmemi_error("%s: out of memory", task->function->name);
	if (message)
		free(message->bytes);
	free(message);
	call->state = NULL;
	return -ENOMEM;
}

/* The parts of a complete message. */
struct parts {
	const char *format;
	/* the caller frees them; values of strings are addresses in this process */
	struct gshmemi_print_arg *args;
	unsigned nargs;
};

/* Returns the padded bytes at *at_p and moves *at_p behind them; NULL if they exceed the message. */
static char *find_bytes(const struct text *message, size_t nbytes, size_t *at_p)
{
	const size_t padded = nbytes / 8 * 8 + 8;
	char *bytes = message->bytes + *at_p;

	if (nbytes > message->nbytes || padded > message->nbytes - *at_p)
		return NULL;
	*at_p += padded;
	return bytes;
}

static int find_arg(const struct text *message, struct gshmemi_print_arg *arg, size_t *at_p)
{
	const char *bytes;

	if (message->nbytes - *at_p < sizeof *arg)
		return -EPROTO;
	memcpy(arg, message->bytes + *at_p, sizeof *arg);
	*at_p += sizeof *arg;
	if (arg->tag >> 8) {
		bytes = find_bytes(message, arg->tag >> 8, at_p);
		if (!bytes)
			return -EPROTO;
		arg->value = (uint64_t)(uintptr_t)bytes;
	} else if (arg->value &&
		((arg->tag & 255) == GSHMEMI_PRINT_STRING || (arg->tag & 255) == GSHMEMI_PRINT_WIDE)) {
		arg->value = (uint64_t)(uintptr_t)L""; /* an empty string has no bytes */
	}
	return (arg->tag & 255) == GSHMEMI_PRINT_LONG_DOUBLE && arg->tag >> 8 != sizeof(long double) ? -EPROTO
												     : 0;
}

static int find_parts(const struct text *message, struct parts *parts_p)
{
	struct parts parts;
	uint64_t head;
	size_t at = 8;
	unsigned i;
	int rc = 0;

	if (message->nbytes < 8)
		return -EPROTO;
	memcpy(&head, message->bytes, 8);
	parts.format = find_bytes(message, (uint32_t)head, &at);
	parts.nargs = (unsigned)(head >> 32);
	if (!parts.format || parts.nargs > message->nbytes / sizeof *parts.args)
		return -EPROTO;
	parts.args = calloc(parts.nargs + 1, sizeof *parts.args);
	if (!parts.args)
		return -ENOMEM;
	for (i = 0; i < parts.nargs && !rc; i++)
		rc = find_arg(message, &parts.args[i], &at);
	if (rc)
		free(parts.args);
	else
		*parts_p = parts;
	return rc;
}

/*
 * Formats a complete message and frees it. args, if wanted, receives its arguments; strings among
 * them are gone.
 */
static int format_message(
	gshmemx_rpc_call_t *call, struct text *out, struct gshmemi_print_arg *args, unsigned nargs)
{
	struct text *message = call->state;
	struct parts parts;
	int rc = find_parts(message, &parts);
	unsigned i;

	if (!rc) {
		rc = format_text(out, parts.format, parts.args, parts.nargs);
		for (i = 0; i < nargs && i < parts.nargs; i++)
			args[i] = parts.args[i];
		free(parts.args);
	}
	free(message->bytes);
	free(message);
	call->state = NULL;
	return rc;
}

int gshmemi_rpc_print(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	struct text out = {NULL, 0, 0};
	uint64_t nbytes;
	int rc;

	rc = collect_text(task, call);
	if (rc)
		return rc;
	rc = format_message(call, &out, NULL, 0);
	rc = print(&out, rc);
	if (rc < 0)
		return rc;
	nbytes = (uint64_t)rc;
	memcpy(call->data, &nbytes, sizeof nbytes);
	call->reply_nbytes = sizeof nbytes;
	return GSHMEMX_RPC_DONE;
}

int gshmemi_rpc_assert(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	struct gshmemi_print_arg args[5] = {{0, 0}};
	struct text out = {NULL, 0, 0};
	int rc;

	rc = collect_text(task, call);
	if (rc > 0)
		return rc;
	if (!rc)
		(void)format_message(call, &out, args, 5);
	gshmemi_rpc_end_job(134, "kernel, block %" PRIu64 ", " GSHMEMI_ARCH_THREAD_WORD " %" PRIu64 ": %.*s",
		args[3].value, args[4].value, (int)out.nbytes, out.bytes ? out.bytes : "");
}
