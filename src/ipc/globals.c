/* SPDX-License-Identifier: BSD-3-Clause */
/* The variables of OpenSHMEM programs: see ipc/globals.h. */
#include "ipc/globals.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct gshmemi_globals gshmemi_globals; /* in use */
static struct gshmemi_globals shared;   /* the variables made shared, whether in use or not */
static uint64_t layout;
static uintptr_t next_delta; /* where to look for room for the next peer */

/* ---- the executable ---- */

/*
 * Returns the string at an address found in PT_DYNAMIC. glibc has relocated these addresses on most
 * processors; elsewhere they are not.
 */
static const char *dynamic_strings(const struct dl_phdr_info *info, uintptr_t address)
{
	return (const char *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

/*
 * Whether the executable itself needs libgshmem_shmem. A program that loads it later, such as Python, was not
 * compiled for it.
 */
static bool needs_shmem(const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *dynamic = NULL, *entry;
	const char *strings = NULL;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_STRTAB)
			strings = dynamic_strings(info, entry->d_un.d_ptr);
	for (entry = dynamic; strings && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED &&
			strncmp(strings + entry->d_un.d_val, "libgshmem_shmem.so", 18) == 0)
			return true;
	return false;
}

static bool holds(const struct dl_phdr_info *info, const void *address)
{
	uintptr_t offset = (uintptr_t)address - info->dlpi_addr;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
			offset - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

/* The writable segment, in whole pages, without what the dynamic linker has made read-only again. */
static void find_segment(const struct dl_phdr_info *info)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = 0, end = 0, relro_end;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_W) {
			start = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) & -page;
			end = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz +
				      page - 1) &
				-page;
		}
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
			relro_end =
				(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz) &
				-page;
			start = relro_end > start ? relro_end : start;
		}
	if (end > start) {
		shared.base = (char *)start;
		shared.nbytes = end - start;
	}
}

static void hash(const void *data, size_t nbytes)
{
	const unsigned char *bytes = data;
	size_t i;

	for (i = 0; i < nbytes; i++) /* FNV-1a */
		layout = (layout ^ bytes[i]) * 0x100000001b3U;
}

/* Hashes the program headers and the notes, which include the build id. */
static void hash_layout(const struct dl_phdr_info *info)
{
	int i;

	layout = 0xcbf29ce484222325U;
	hash(info->dlpi_phdr, info->dlpi_phnum * sizeof *info->dlpi_phdr);
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			hash((const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				info->dlpi_phdr[i].p_memsz);
	layout |= 1;
}

/* The first object is the program itself. */
static int inspect(struct dl_phdr_info *info, size_t nbytes, void *from)
{
	(void)nbytes;
	if (needs_shmem(info) || holds(info, from)) {
		find_segment(info);
		hash_layout(info);
	}
	return 1;
}

void gshmemi_globals_share(const void *from)
{
	int err;

	if (!GSHMEMI_ARCH_HAS_GLOBALS) /* a GPU cannot reach the program's variables */
		return;
	dl_iterate_phdr(inspect, (void *)(uintptr_t)from);
	err = shared.nbytes ? GSHMEMI_ARCH_SHARE(shared.base, shared.nbytes) : 0;
	if (err) {
		fprintf(stderr, "gshmem: the program's variables are not symmetric: %s%s\n", strerror(err),
			err == EFBIG            ? " (ulimit -f)"
				: err == ENOMEM ? " (ulimit -v)"
						: "");
		shared.nbytes = 0;
	}
}

void *gshmemi_globals_base(void)
{
	return shared.base;
}

uint64_t gshmemi_globals_layout(void)
{
	return shared.nbytes ? layout : 0;
}

void gshmemi_globals_use(bool is_used)
{
	gshmemi_globals = is_used ? shared : (struct gshmemi_globals){NULL, 0};
	next_delta = 0;
}

/* ---- places ---- */

/*
 * The program is at the beginning or in the middle of the user address space, and libraries and stacks are at
 * its end. The heap goes to a quarter of it. Peers' memory goes to larger addresses, some way off, so that
 * the program's own brk can grow.
 */
#define GRAIN      ((uintptr_t)2 << 20)
#define HEAP_GRAIN ((uintptr_t)1 << 30) /* programs ask shmem_align for large alignments */

static uintptr_t space_end(void)
{
	return (uintptr_t)__builtin_frame_address(0) & -GRAIN;
}

static uintptr_t round_up(uintptr_t nbytes, uintptr_t grain)
{
	return (nbytes + grain - 1) & -grain;
}

void gshmemi_globals_place_heap(uint64_t nbytes)
{
	const uintptr_t size = round_up(nbytes, HEAP_GRAIN);
	uintptr_t at = (space_end() / 4) & -HEAP_GRAIN;
	int tries;

	if (!shared.nbytes)
		return;
	for (tries = 0; tries < 64; tries++, at += size)
		if (GSHMEMI_ARCH_IS_FREE((const void *)at, size)) {
			GSHMEMI_ARCH_PLACE((void *)at);
			return;
		}
}

ptrdiff_t gshmemi_globals_find_delta(const char *heap, uint64_t heap_nbytes)
{
	const uintptr_t size = round_up(heap_nbytes > shared.nbytes ? heap_nbytes : shared.nbytes, GRAIN),
			end = space_end();
	const uintptr_t last =
		(uintptr_t)heap > (uintptr_t)shared.base ? (uintptr_t)heap : (uintptr_t)shared.base;
	uintptr_t delta;

	if (!next_delta)
		next_delta = (end / 128) & -GRAIN;
	for (delta = next_delta; last + delta + size < end; delta += size)
		if (GSHMEMI_ARCH_IS_FREE(heap + delta, heap_nbytes) &&
			GSHMEMI_ARCH_IS_FREE(shared.base + delta, shared.nbytes)) {
			next_delta = delta + size;
			return (ptrdiff_t)delta;
		}
	gshmemi_error("init: no room in the address space for another PE's heap of %llu bytes and variables "
		      "of %llu",
		(unsigned long long)heap_nbytes, (unsigned long long)shared.nbytes);
	return 0;
}

/* ---- messages ---- */

struct search {
	uintptr_t address;
	char *text;
	size_t nbytes;
	int nobjects;
};

static int match(struct dl_phdr_info *info, size_t nbytes, void *closure)
{
	struct search *search = closure;
	const uintptr_t offset = search->address - info->dlpi_addr;
	int i;

	(void)nbytes;
	search->nobjects++;
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_W) ||
			offset - info->dlpi_phdr[i].p_vaddr >= info->dlpi_phdr[i].p_memsz)
			continue;
		if (search->nobjects > 1)
			snprintf(search->text, search->nbytes,
				" (a variable of the shared library %s: only those of the executable can be "
				"symmetric)",
				info->dlpi_name);
		else if (GSHMEMI_ARCH_HAS_GLOBALS)
			snprintf(search->text, search->nbytes,
				" (a variable of the program: it would be symmetric if all PEs ran the same "
				"executable, linked with libgshmem_shmem)");
		else
			snprintf(search->text, search->nbytes,
				" (a variable of the program: with a GPU only memory of the symmetric heap, "
				"from shmem_malloc, is symmetric)");
		return 1;
	}
	return 0;
}

void gshmemi_globals_describe(const void *address, char *text, size_t nbytes)
{
	struct search search = {(uintptr_t)address, text, nbytes, 0};

	*text = 0;
	dl_iterate_phdr(match, &search);
}
