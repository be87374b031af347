/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx_printf and gshmemx_assert. A lane sends a message, the format and its arguments, as the steps of
 * a stream; src/rpc/print.c assembles and prints it. Both sides read the format with the parser below, so
 * that they agree on what each argument is for: the lane sends the bytes only of arguments that are
 * printed as strings.
 *
 * A message is words of 8 bytes:
 *
 *	number of arguments << 32 | bytes of the format; the format
 *	for each argument: struct gshmemi_print_arg; its bytes, if it has any
 *
 * Bytes are padded to words with zeros, at least one, which ends the text.
 */
#ifndef GSHMEM_RPC_PRINT_H
#define GSHMEM_RPC_PRINT_H

#include <gshmem/rpc/rpc.h>

/* ---- arguments ---- */

enum gshmemi_print_kind {
	GSHMEMI_PRINT_INT,    /* also what is promoted to it; value: sign- or zero-extended to 64 bits */
	GSHMEMI_PRINT_LONG,   /* any 64-bit integer */
	GSHMEMI_PRINT_DOUBLE, /* value: its bits */
	GSHMEMI_PRINT_POINTER,
	GSHMEMI_PRINT_STRING,     /* value: the address, 0 for NULL; bytes: the text */
	GSHMEMI_PRINT_WIDE,       /* the same for wchar_t */
	GSHMEMI_PRINT_LONG_DOUBLE /* value: its address; bytes: those of the object */
};

struct gshmemi_print_arg {
	uint64_t value;
	uint64_t tag; /* number of bytes << 8 | kind */
};

/* ---- the format ---- */

#define GSHMEMI_PRINT_NONE  (-1)    /* no width or precision */
#define GSHMEMI_PRINT_STAR  (-2)    /* an argument gives it */
#define GSHMEMI_PRINT_FLAGS "-+ #0" /* bit i of flags: character i of these */

/* A conversion of a format, such as %-8.3lf. */
struct gshmemi_print_spec {
	size_t start; /* of its %, in the format */
	size_t end;   /* of the character after it */
	unsigned flags;
	int width;
	int precision;
	char length;     /* h l j z t L; H: hh, q: ll; 0: none */
	char conversion; /* 0: not one of C's; it takes no arguments */
};

GSHMEMI_FN unsigned gshmemi_print_flag(char c)
{
	switch (c) {
	case '-':
		return 1;
	case '+':
		return 2;
	case ' ':
		return 4;
	case '#':
		return 8;
	case '0':
		return 16;
	default:
		return 0;
	}
}

/*
 * Reads a width or precision at *at_p, which moves past it; empty_value if there is none. Too large
 * ones are clamped.
 */
GSHMEMI_FN int gshmemi_print_number(const char *format, size_t *at_p, int empty_value)
{
	int number = empty_value;

	if (format[*at_p] == '*') {
		++*at_p;
		return GSHMEMI_PRINT_STAR;
	}
	for (; format[*at_p] >= '0' && format[*at_p] <= '9'; ++*at_p) {
		number = number < 0 ? 0 : number;
		number = number > (0x7fffffff - 9) / 10 ? 0x7fffffff : number * 10 + (format[*at_p] - '0');
	}
	return number;
}

GSHMEMI_FN char gshmemi_print_length(const char *format, size_t *at_p)
{
	const char c = format[*at_p];

	if (c != 'h' && c != 'l' && c != 'j' && c != 'z' && c != 't' && c != 'L')
		return 0;
	++*at_p;
	if ((c != 'h' && c != 'l') || format[*at_p] != c)
		return c;
	++*at_p;
	return c == 'h' ? 'H' : 'q';
}

GSHMEMI_FN int gshmemi_print_is_conversion(char c)
{
	switch (c) {
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
	case 'c':
	case 's':
	case 'p':
	case 'n':
	case '%':
	case 'f':
	case 'F':
	case 'e':
	case 'E':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		return 1;
	default:
		return 0;
	}
}

/* Finds the first conversion from format[at] on; the format ends with 0. Returns 0 if there is none. */
GSHMEMI_FN int gshmemi_print_next(const char *format, size_t at, struct gshmemi_print_spec *s)
{
	while (format[at] && format[at] != '%')
		at++;
	if (!format[at])
		return 0;
	s->start = at++;
	for (s->flags = 0; gshmemi_print_flag(format[at]); at++)
		s->flags |= gshmemi_print_flag(format[at]);
	s->width = gshmemi_print_number(format, &at, GSHMEMI_PRINT_NONE);
	s->precision = GSHMEMI_PRINT_NONE;
	if (format[at] == '.') {
		at++;
		s->precision = gshmemi_print_number(format, &at, 0);
	}
	s->length = gshmemi_print_length(format, &at);
	s->conversion = format[at];
	s->end = at + (format[at] != 0);
	if (!gshmemi_print_is_conversion(s->conversion) || (s->conversion == '%' && s->end - s->start != 2))
		s->conversion = 0;
	return 1;
}

#if GSHMEMI_KERNELS

/* ---- sending ---- */

/* A message that one lane is sending. */
struct gshmemi_print_writer {
	const struct gshmemi_rpc_channel *c;
	struct gshmemi_rpc_port port;
	uint64_t *page;
	size_t nwords; /* in the page */
	size_t page_nwords;
	size_t sent_nbytes;
	uint32_t id;
	int status;    /* GSHMEMI_RPC_MORE while the server takes the message */
	int64_t error; /* set when it does not */
	const char *call;
};

/*
 * Send what the page holds. flags: GSHMEMI_RPC_LAST or 0. Nothing of w is read between the answer
 * and the acquire.
 */
GSHMEMI_CALL void gshmemi_print_step(struct gshmemi_print_writer *w, uint32_t flags)
{
	const struct gshmemi_rpc_channel *c = w->c;
	struct gshmemi_rpc_port port = w->port;
	uint64_t *arg = c->header[port.slot].arg;
	struct gshmemi_rpc_result answer;

	gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_NBYTES], w->nwords * 8, 8);
	gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_TOTAL], 0, 8); /* the server ends at the last step instead */
	gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_OFFSET], w->sent_nbytes, 8);
	gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_CAPACITY], 8, 8);
	gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_BLOCK], 0, 8);
	gshmemi_rpc_send(c, &port, w->id, GSHMEMI_RPC_STREAM | flags, 1);
	answer = gshmemi_rpc_receive(c, &port, w->call);
	w->port = port;
	w->status = answer.status;
	w->error = answer.status == GSHMEMI_RPC_ERROR ? (int64_t)answer.value
		: answer.status < 0                   ? answer.status
						      : 0;
	w->sent_nbytes += w->nwords * 8;
	w->nwords = 0;
}

GSHMEMI_FN void gshmemi_print_word(struct gshmemi_print_writer *w, uint64_t word)
{
	w->page[w->nwords++] = word;
	if (w->nwords == w->page_nwords)
		gshmemi_print_step(w, 0);
}

GSHMEMI_CALL void gshmemi_print_bytes(struct gshmemi_print_writer *w, const char *bytes, uint64_t nbytes)
{
	uint64_t word, i;

	for (; nbytes >= 8 && w->status == GSHMEMI_RPC_MORE; nbytes -= 8, bytes += 8) {
		__builtin_memcpy(&word, bytes, 8);
		gshmemi_print_word(w, word);
	}
	for (word = 0, i = 0; i < nbytes && i < 8; i++)
		word |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
	if (w->status == GSHMEMI_RPC_MORE)
		gshmemi_print_word(w, word);
}

/* Counts the characters of a string before its end, at most limit; limit < 0: all of them. */
GSHMEMI_FN uint64_t gshmemi_print_extent(uint64_t address, unsigned char_nbytes, int limit)
{
	const char *bytes = (const char *)(uintptr_t)address;
	const wchar_t *wide = (const wchar_t *)(uintptr_t)address;
	uint64_t n = 0;

	if (!address)
		return 0;
	while ((limit < 0 || n < (uint64_t)limit) && (char_nbytes == 1 ? bytes[n] != 0 : wide[n] != 0))
		n++;
	return n * char_nbytes;
}

/*
 * Argument i is printed as text of at most limit characters, if it has this kind; else it is
 * an ordinary word.
 */
GSHMEMI_FN void gshmemi_print_use(
	struct gshmemi_print_arg *args, unsigned nargs, unsigned i, unsigned kind, int limit)
{
	if (i >= nargs || (args[i].tag != GSHMEMI_PRINT_STRING && args[i].tag != GSHMEMI_PRINT_WIDE))
		return;
	if (args[i].tag != kind)
		args[i].tag = GSHMEMI_PRINT_POINTER;
	else
		args[i].tag |= gshmemi_print_extent(
				       args[i].value, kind == GSHMEMI_PRINT_WIDE ? sizeof(wchar_t) : 1, limit)
			<< 8;
}

/*
 * Find the lengths of the strings. No more of a string is read than C allows. Nothing is read if the
 * address is printed, if the conversion is for something else, or if there is none: the argument then
 * becomes a pointer.
 */
GSHMEMI_FN void gshmemi_print_measure(const char *format, struct gshmemi_print_arg *args, unsigned nargs)
{
	struct gshmemi_print_spec s;
	unsigned next = 0, kind;
	size_t at = 0;

	while (next < nargs) {
		if (!gshmemi_print_next(format, at, &s)) {
			gshmemi_print_use(args, nargs, next++, GSHMEMI_PRINT_POINTER, 0);
			continue;
		}
		at = s.end;
		if (!s.conversion || s.conversion == '%')
			continue;
		if (s.width == GSHMEMI_PRINT_STAR)
			gshmemi_print_use(args, nargs, next++, GSHMEMI_PRINT_POINTER, 0);
		if (s.precision == GSHMEMI_PRINT_STAR) {
			s.precision = next < nargs ? (int)args[next].value : 0;
			gshmemi_print_use(args, nargs, next++, GSHMEMI_PRINT_POINTER, 0);
		}
		kind = s.conversion != 's' ? GSHMEMI_PRINT_POINTER
			: s.length == 'l'  ? GSHMEMI_PRINT_WIDE
					   : GSHMEMI_PRINT_STRING;
		gshmemi_print_use(args, nargs, next++, kind, s.precision);
	}
}

/* Returns the server's answer: a number of bytes, or a negative errno. */
GSHMEMI_FN int64_t gshmemi_print_message(const struct gshmemi_rpc_channel *c, uint32_t id, const char *format,
	const struct gshmemi_print_arg *args, unsigned nargs, uint32_t home, const char *call)
{
	const uint64_t format_nbytes = gshmemi_print_extent((uint64_t)(uintptr_t)format, 1, -1);
	struct gshmemi_print_writer w;
	int64_t answer;
	unsigned i;

	if (!gshmemi_rpc_enter(c, 1ULL << gshmemi_arch_lane(), home, &w.port))
		return -ECANCELED;
	w.c = c;
	w.page = gshmemi_rpc_page(c, w.port.slot);
	w.nwords = 0;
	w.page_nwords = gshmemi_rpc_page_nbytes(c) / 8;
	w.sent_nbytes = 0;
	w.id = id;
	w.status = GSHMEMI_RPC_MORE;
	w.error = 0;
	w.call = call;
	gshmemi_print_word(&w, (uint64_t)nargs << 32 | format_nbytes);
	gshmemi_print_bytes(&w, format, format_nbytes);
	for (i = 0; i < nargs && w.status == GSHMEMI_RPC_MORE; i++) {
		gshmemi_print_word(&w, args[i].value);
		if (w.status == GSHMEMI_RPC_MORE)
			gshmemi_print_word(&w, args[i].tag);
		if (args[i].tag >> 8)
			gshmemi_print_bytes(&w, (const char *)(uintptr_t)args[i].value, args[i].tag >> 8);
	}
	if (w.status == GSHMEMI_RPC_MORE)
		gshmemi_print_step(&w, GSHMEMI_RPC_LAST);
	answer = w.status == GSHMEMI_RPC_OK ? (int64_t)w.page[0] : w.error;
	if (w.status != -ECANCELED)
		gshmemi_rpc_leave(c, &w.port, 0);
	return answer;
}

/*
 * The same by each lane that is here, one after the other: if lanes of a wave held slots at the same time,
 * the wave could wait for itself.
 */
GSHMEMI_CALL int64_t gshmemi_print_here(uint32_t id, const char *format, struct gshmemi_print_arg *args,
	unsigned nargs, const char *call, uint64_t caller)
{
	const struct gshmemi_rpc_channel *c = gshmemi_rpc_mine(call, caller);
	const uint32_t home = gshmemi_rpc_home(c, caller);
	int64_t answer = 0;
#if GSHMEMI_ARCH_KEEPS_KEYS_APART
	gshmemi_print_measure(format, args, nargs);
	answer = gshmemi_print_message(c, id, format, args, nargs, home, call);
#else
	uint64_t rest;

	gshmemi_print_measure(format, args, nargs);
	for (rest = gshmemi_arch_wave_peers(id); rest; rest &= rest - 1)
		if (gshmemi_arch_lane() == gshmemi_arch_lowest_lane(rest))
			answer = gshmemi_print_message(c, id, format, args, nargs, home, call);
#endif
	return answer;
}

/* ---- the API ---- */

#ifdef __cplusplus
GSHMEMI_BEGIN_CXX

GSHMEMI_FN struct gshmemi_print_arg gshmemi_print_pack(uint64_t value, unsigned tag)
{
	struct gshmemi_print_arg arg = {value, tag};

	return arg;
}

/* Types shorter than int, and float, are promoted to these. */
#define GSHMEMI_PRINT_ARG_OF(TYPE, VALUE, KIND) \
	GSHMEMI_FN struct gshmemi_print_arg gshmemi_print_arg_of(TYPE v) \
	{ \
		return gshmemi_print_pack(VALUE, GSHMEMI_PRINT_##KIND); \
	}
GSHMEMI_PRINT_ARG_OF(int, (uint64_t)(int64_t)v, INT)
GSHMEMI_PRINT_ARG_OF(unsigned, v, INT)
GSHMEMI_PRINT_ARG_OF(long, (uint64_t)v, LONG)
GSHMEMI_PRINT_ARG_OF(unsigned long, v, LONG)
GSHMEMI_PRINT_ARG_OF(long long, (uint64_t)v, LONG)
GSHMEMI_PRINT_ARG_OF(unsigned long long, v, LONG)
GSHMEMI_PRINT_ARG_OF(const char *, (uint64_t)(uintptr_t)v, STRING)
GSHMEMI_PRINT_ARG_OF(const signed char *, (uint64_t)(uintptr_t)v, STRING)
GSHMEMI_PRINT_ARG_OF(const unsigned char *, (uint64_t)(uintptr_t)v, STRING)
GSHMEMI_PRINT_ARG_OF(const wchar_t *, (uint64_t)(uintptr_t)v, WIDE)
GSHMEMI_PRINT_ARG_OF(const volatile void *, (uint64_t)(uintptr_t)v, POINTER)
#undef GSHMEMI_PRINT_ARG_OF

GSHMEMI_FN struct gshmemi_print_arg gshmemi_print_arg_of(decltype(nullptr))
{
	return gshmemi_print_pack(0, GSHMEMI_PRINT_POINTER);
}

GSHMEMI_FN struct gshmemi_print_arg gshmemi_print_arg_of(double v)
{
	uint64_t bits;

	__builtin_memcpy(&bits, &v, 8);
	return gshmemi_print_pack(bits, GSHMEMI_PRINT_DOUBLE);
}

#if GSHMEMI_ARCH_HAS_LONG_DOUBLE
/* v lives as long as the call: it is a parameter of gshmemx_printf. */
GSHMEMI_FN struct gshmemi_print_arg gshmemi_print_arg_of(const long double &v)
{
	return gshmemi_print_pack((uint64_t)(uintptr_t)&v, sizeof v << 8 | GSHMEMI_PRINT_LONG_DOUBLE);
}
#endif

template <typename... A> GSHMEMI_FN int gshmemx_printf(const char *format, A... a)
{
	struct gshmemi_print_arg args[sizeof...(A) + 1] = {gshmemi_print_arg_of(a)..., {0, 0}};
	const unsigned nargs = sizeof...(A);

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_rpc_print(format, args, nargs);
	return (int)gshmemi_print_here(
		GSHMEMI_RPC_PRINT, format, args, nargs, "gshmemx_printf", gshmemi_arch_caller());
}

GSHMEMI_END_CXX
#endif

/* The server reads block and thread from arguments 3 and 4, and appends its own words to the text. */
GSHMEMI_CALL void gshmemi_assert_report(
	const char *text, const char *file, int line, uint64_t block, uint64_t thread, uint64_t caller)
{
	struct gshmemi_print_arg args[5] = {{(uint64_t)(uintptr_t)file, GSHMEMI_PRINT_STRING},
		{(uint64_t)line, GSHMEMI_PRINT_INT}, {(uint64_t)(uintptr_t)text, GSHMEMI_PRINT_STRING},
		{block, GSHMEMI_PRINT_LONG}, {thread, GSHMEMI_PRINT_LONG}};

	(void)gshmemi_print_here(GSHMEMI_RPC_ASSERT, "%.512s:%d: assertion \"%.1024s\" failed", args, 5,
		"gshmemx_assert", caller);
}

GSHMEM_API void gshmemi_assert_failed(const char *text, const char *file, int line)
{
	if (GSHMEMI_ON_HOST())
		gshmemi_host_rpc_assert(text, file, line);
	else
		gshmemi_assert_report(text, file, line, gshmemi_arch_block(), gshmemi_arch_thread_name(),
			gshmemi_arch_caller());
	gshmemi_arch_trap("gshmemx_assert");
}

#endif /* GSHMEMI_KERNELS */

#endif /* GSHMEM_RPC_PRINT_H */
