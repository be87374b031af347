/* SPDX-License-Identifier: BSD-3-Clause */
/* gshmem-info: prints a report as text or as JSON. */
#include "print.h"

#include <inttypes.h>
#include <stdio.h>

bool info_json;
static int level = 1;        /* how many groups are open, and 1 */
static bool is_first = true; /* no item of the open group is printed yet */

static void begin_item(const char *key)
{
	if (info_json) {
		printf("%s\n%*s", is_first ? "" : ",", 2 * level, "");
		if (key)
			printf("\"%s\": ", key);
	} else {
		printf("%*s", 2 * (level - 1), "");
		if (key)
			printf("%-*s ", 22, key);
	}
	is_first = false;
}

void open_group(const char *key, bool is_list)
{
	if (info_json) {
		begin_item(key);
		putchar(is_list ? '[' : '{');
	} else if (key) {
		printf("%*s%s\n", 2 * (level - 1), "", key);
	}
	level++;
	is_first = true;
}

void close_group(bool is_list)
{
	level--;
	if (info_json)
		printf("\n%*s%c", 2 * level, "", is_list ? ']' : '}');
	is_first = false;
}

static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned)*text);
		else
			putchar(*text);
	}
	putchar('"');
}

void put_text(const char *key, const char *text)
{
	begin_item(key);
	if (info_json)
		print_quoted(text);
	else
		printf("%s\n", text);
}

void put_number(const char *key, uint64_t value)
{
	begin_item(key);
	printf("%" PRIu64, value);
	if (!info_json)
		putchar('\n');
}

void put_figure(const char *key, double value)
{
	begin_item(key);
	printf(info_json ? "%.6g" : "%.6g\n", value);
}

void put_row(const char *key, const char *const *words, int nwords)
{
	int i;

	begin_item(key);
	if (info_json)
		putchar('[');
	for (i = 0; i < nwords; i++) {
		if (info_json && i)
			printf(", ");
		if (info_json)
			print_quoted(words[i]);
		else
			printf("%-12s", words[i]);
	}
	printf(info_json ? "]" : "\n");
}

void open_report(void)
{
	if (info_json)
		putchar('{');
}

void close_report(void)
{
	if (info_json)
		printf("\n}\n");
}
