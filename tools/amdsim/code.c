/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code objects: finds the one for a GPU in an offload bundle, loads an ELF file's segments into
 * device memory, relocates them, and reads symbols, kernel descriptors and the metadata note.
 * Sources: LLVM's AMDGPUUsage ("ELF Code Object", "Code Object Metadata", "Kernel Descriptor"),
 * clang's ClangOffloadBundler, MessagePack.
 */
#include "sim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	MACHINE_AMDGPU = 224,
	MACH_MASK = 0xff,
	NOTE_METADATA = 32,
	ABS64 = 3,
	RELATIVE64 = 13,
	WAVE32 = 1024
};

static const struct {
	const char *name;
	unsigned mach; /* EF_AMDGPU_MACH_* */
} gpus[] = {[GFX90A] = {"gfx90a", 0x3f}, [GFX942] = {"gfx942", 0x4c}, [GFX1100] = {"gfx1100", 0x41}};

const char *gpu_name(enum gpu gpu)
{
	return gpus[gpu].name;
}

int gpu_by_name(const char *name)
{
	size_t length = strcspn(name, ":");

	for (int k = GFX90A; k <= GFX1100; k++)
		if (!strncmp(name, gpus[k].name, length) && !gpus[k].name[length])
			return k;
	return -1;
}

/* ---- a module's memory ---- */

struct chunk {
	struct chunk *next;
	_Alignas(16) char bytes[];
};

void *module_alloc(struct module *m, size_t nbytes)
{
	struct chunk *c = zalloc(sizeof(*c) + nbytes);

	c->next = m->chunks;
	m->chunks = c;
	return c->bytes;
}

void module_unload(struct module *m)
{
	if (m->base)
		memory_free_code(m->base);
	for (struct chunk *c = m->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(m);
}

/* ---- metadata, in MessagePack ---- */

struct value {
	enum { INTEGER, STRING, ARRAY, MAP } kind;
	uint64_t n;       /* an integer, or how many bytes, elements or pairs */
	const char *text; /* a string's */
};

/* The next byte of a note, and the kernel and argument that values belong to. */
struct reader {
	const uint8_t *at;
	struct module *m;
	struct kernel *kernel;
	struct argument *argument;
};

/*
 * Reads the head of the next value; the elements of an array or a map follow it. Metadata have
 * only these kinds.
 */
static struct value read_head(struct reader *r)
{
	static const struct {
		/* the number: in bits of the first byte, or in the bytes after it */
		uint8_t first, kind, mask, nbytes;
	} heads[] = {{0xe0, INTEGER, 0xff, 0}, {0xdf, MAP, 0, 4}, {0xde, MAP, 0, 2}, {0xdd, ARRAY, 0, 4},
		{0xdc, ARRAY, 0, 2}, {0xdb, STRING, 0, 4}, {0xda, STRING, 0, 2}, {0xd9, STRING, 0, 1},
		{0xcf, INTEGER, 0, 8}, {0xce, INTEGER, 0, 4}, {0xcd, INTEGER, 0, 2}, {0xcc, INTEGER, 0, 1},
		{0xc2, INTEGER, 1, 0}, {0xa0, STRING, 31, 0}, {0x90, ARRAY, 15, 0}, {0x80, MAP, 15, 0},
		{0, INTEGER, 127, 0}};
	uint8_t b = *r->at++;
	unsigned k = 0;
	struct value v;

	while (b < heads[k].first)
		k++;
	v = (struct value){heads[k].kind, b & heads[k].mask, NULL};
	for (unsigned n = heads[k].nbytes; n; n--)
		v.n = v.n << 8 | *r->at++;
	v.text = (const char *)r->at;
	r->at += v.kind == STRING ? v.n : 0;
	return v;
}

static bool is_text(const struct value *v, const char *text)
{
	return v->kind == STRING && v->n == strlen(text) && !memcmp(v->text, text, v->n);
}

static enum argument_kind find_kind(const struct value *v)
{
	static const char *const names[] = {"by_value", "global_buffer", "hidden_block_count_x",
		"hidden_block_count_y", "hidden_block_count_z", "hidden_group_size_x", "hidden_group_size_y",
		"hidden_group_size_z", "hidden_grid_dims", "hidden_dynamic_lds_size", "hidden_shared_base",
		"hidden_private_base", "hidden_multigrid_sync_arg"};
	enum argument_kind kind = ARG_BY_VALUE;

	while (kind < ARG_HIDDEN && !is_text(v, names[kind]))
		kind++;
	return is_text(v, "dynamic_shared_pointer") ? ARG_POINTER : kind;
}

static void take_field(struct reader *r, const struct value *key, const struct value *v)
{
	struct kernel *k = r->kernel;
	struct argument *a = r->argument;

	if (a && is_text(key, ".offset"))
		a->offset = (unsigned)v->n;
	else if (a && is_text(key, ".size"))
		a->nbytes = (unsigned)v->n;
	else if (a && is_text(key, ".value_kind"))
		a->kind = find_kind(v);
	else if (k && !a && is_text(key, ".name"))
		k->name = memcpy(module_alloc(r->m, v->n + 1), v->text, v->n);
	else if (k && is_text(key, ".symbol"))
		k->symbol = memcpy(module_alloc(r->m, v->n + 1), v->text, v->n);
	else if (k && is_text(key, ".max_flat_workgroup_size"))
		k->max_block_threads = (unsigned)v->n;
}

static void read_value(struct reader *r, struct value key)
{
	struct value v = read_head(r);
	bool kernels = is_text(&key, "amdhsa.kernels"), arguments = is_text(&key, ".args");

	if (kernels)
		r->m->kernels = module_alloc(r->m, v.n * sizeof(*r->kernel));
	if (arguments)
		r->kernel->args = module_alloc(r->m, v.n * sizeof(*r->argument));
	for (uint64_t n = 0; n < v.n && (v.kind == ARRAY || v.kind == MAP); n++) {
		if (kernels)
			r->kernel = &r->m->kernels[r->m->nkernels++];
		if (arguments)
			r->argument = &r->kernel->args[r->kernel->nargs++];
		read_value(r, v.kind == MAP ? read_head(r) : (struct value){INTEGER, 0, NULL});
	}
	if (arguments)
		r->argument = NULL;
	take_field(r, &key, &v);
}

/* ---- ELF: trusted; its size is not known ---- */

static const void *at(const Elf64_Ehdr *e, uint64_t offset)
{
	return (const char *)e + offset;
}

static void read_notes(struct module *m, const char *next, const char *end)
{
	while (next < end) {
		const Elf64_Nhdr *note = (const void *)next;
		const char *bytes = (const char *)(note + 1) + ((note->n_namesz + 3) & ~3u);

		if (note->n_type == NOTE_METADATA)
			read_value(&(struct reader){.at = (const uint8_t *)bytes, .m = m},
				(struct value){.n = 0});
		next = bytes + ((note->n_descsz + 3) & ~3u);
	}
}

static int load_segments(struct module *m, const Elf64_Ehdr *e, int device)
{
	const Elf64_Phdr *first = at(e, e->e_phoff), *end = first + e->e_phnum;

	for (const Elf64_Phdr *p = first; p < end; p++) {
		if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz > m->nbytes)
			m->nbytes = p->p_vaddr + p->p_memsz;
		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			m->text = p->p_vaddr;
			m->text_bytes = p->p_memsz & ~UINT64_C(3);
		}
	}
	m->base = memory_alloc_code(device, m->nbytes);
	if (!m->base)
		return -ENOMEM;
	m->host = memset(memory_host(m->base), 0, m->nbytes);
	for (const Elf64_Phdr *p = first; p < end; p++) {
		if (p->p_type == PT_LOAD)
			memcpy(m->host + p->p_vaddr, at(e, p->p_offset), p->p_filesz);
		if (p->p_type == PT_NOTE)
			read_notes(m, at(e, p->p_offset), at(e, p->p_offset + p->p_filesz));
	}
	m->insts = module_alloc(m, (m->text_bytes / 4 + 1) * sizeof(*m->insts));
	return 0;
}

/* A linked code object has two kinds of relocations (AMDGPUUsage, "Relocation Records"). */
static int relocate(struct module *m, const Elf64_Ehdr *e, const Elf64_Shdr *s, const Elf64_Shdr *table)
{
	const Elf64_Rela *r = at(e, s->sh_offset), *end = r + s->sh_size / sizeof(*r);
	const Elf64_Sym *symbols = at(e, table->sh_offset);

	for (; r < end; r++) {
		const Elf64_Sym *symbol = &symbols[ELF64_R_SYM(r->r_info)];
		uint64_t value = (uint64_t)r->r_addend;

		if (ELF64_R_TYPE(r->r_info) == RELATIVE64)
			value += m->base;
		else if (ELF64_R_TYPE(r->r_info) != ABS64)
			return -EINVAL;
		else if (symbol->st_shndx != SHN_UNDEF) /* otherwise it is weak, and 0 */
			value += m->base + symbol->st_value;
		memcpy(m->host + r->r_offset, &value, sizeof(value));
	}
	return 0;
}

static int read_kernel(struct module *m, struct kernel *k)
{
	const Elf64_Sym *code = module_symbol(m, k->name), *s = module_symbol(m, k->symbol);

	if (!code || !s)
		return -EINVAL;
	memcpy(k->descriptor, m->host + s->st_value, sizeof(k->descriptor));
	k->module = m;
	k->object = m->base + s->st_value;
	k->wave_lanes = k->properties & WAVE32 ? 32 : 64;
	k->nvgprs = ((k->rsrc1 & 63) + 1) * 8; /* GRANULATED_WORKITEM_VGPR_COUNT */
	k->preload = m->gpu == GFX1100 ? 0 : k->preload;
	/*
	 * The first 256 bytes load the arguments that firmware that cannot preload has not loaded
	 * ("Preloaded Kernel Arguments").
	 */
	k->entry = s->st_value + (uint64_t)k->code_distance + (k->preload & 127 ? 256 : 0);
	k->end = code->st_value + code->st_size;
	return k->entry >= m->text && k->entry < k->end && k->end <= m->text + m->text_bytes ? 0 : -EINVAL;
}

/* .symtab, which also has local functions, comes after .dynsym. The section headers end the file. */
static int load_elf(const Elf64_Ehdr *image, int device, struct module **module_p)
{
	size_t nbytes = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	struct module *m = zalloc(sizeof(*m));
	const Elf64_Ehdr *e = memcpy(module_alloc(m, nbytes), image, nbytes);
	const Elf64_Shdr *sections = at(e, e->e_shoff), *s = sections;
	int rc;

	m->gpu = config()->gpu;
	rc = load_segments(m, e, device);
	for (; s < sections + e->e_shnum && !rc; s++)
		if (s->sh_type == SHT_DYNSYM || s->sh_type == SHT_SYMTAB) {
			m->symbols = at(e, s->sh_offset);
			m->nsymbols = s->sh_size / sizeof(*m->symbols);
			m->names = at(e, sections[s->sh_link].sh_offset);
		} else if (s->sh_type == SHT_RELA) {
			rc = relocate(m, e, s, &sections[s->sh_link]);
		}
	for (unsigned k = 0; k < m->nkernels && !rc; k++)
		rc = read_kernel(m, &m->kernels[k]);
	if (rc == -EINVAL)
		message("a code object has an unknown relocation, or a kernel without code");
	if (rc)
		module_unload(m);
	else
		*module_p = m;
	return rc;
}

/*
 * Magic and count; for each entry offset, size, length of its name, and name:
 * "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-".
 */
static const void *find_in_bundle(const char *bundle)
{
	const char *next = bundle + 24;
	uint64_t count, entry[3];

	memcpy(&count, next, sizeof(count));
	for (next += sizeof(count); count--; next += entry[2]) {
		char name[256], *dash;

		memcpy(entry, next, sizeof(entry));
		next += sizeof(entry);
		snprintf(name, sizeof(name), "%.*s", (int)entry[2], next);
		name[strcspn(name, ":")] = 0;
		dash = strrchr(name, '-');
		if (dash && gpu_by_name(dash + 1) == (int)config()->gpu)
			return bundle + entry[0];
	}
	return NULL;
}

int module_load(const void *image, int device, struct module **module_p)
{
	const Elf64_Ehdr *e = image;

	if (!strncmp(image, "CCOB", 4))
		message("a compressed code object is not read: compile with --no-offload-compress");
	if (!strncmp(image, "__CLANG_OFFLOAD_BUNDLE__", 24))
		e = find_in_bundle(image);
	else if (memcmp(image, ELFMAG, SELFMAG))
		return -EINVAL;
	if (!e || e->e_machine != MACHINE_AMDGPU || (e->e_flags & MACH_MASK) != gpus[config()->gpu].mach)
		return -ENOEXEC;
	return load_elf(e, device, module_p);
}

struct kernel *module_kernel(struct module *m, const char *name)
{
	for (unsigned k = 0; k < m->nkernels; k++)
		if (!strcmp(m->kernels[k].name, name))
			return &m->kernels[k];
	return NULL;
}

const Elf64_Sym *module_symbol(const struct module *m, const char *name)
{
	for (const Elf64_Sym *s = m->symbols; s < m->symbols + m->nsymbols; s++)
		if (s->st_shndx != SHN_UNDEF && !strcmp(m->names + s->st_name, name))
			return s;
	return NULL;
}
