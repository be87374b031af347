/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dispatches: kernel arguments, the registers that a wave starts with, which wave runs next, barriers, the
 * poison of registers that a load has not filled, faults, and residency: which compute unit has room for a
 * block. All processes of a job share the compute units of a device, through a table per user in /dev/shm.
 * Sources: LLVM's AMDGPUUsage ("Initial Kernel Execution State", "Kernel Descriptor"), AMD's ISA documents of
 * CDNA2, CDNA3 and RDNA3, HSA's.
 */
#include "sim.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIMDS = 4, MAX_OWNERS = 128, PACKET_BYTES = 64 };
/* ROCm's stack per lane in kernels that call functions that the compiler does not know */
enum { DYNAMIC_STACK_BYTES = 16384 };
enum { QUANTUM = 400, PATIENCE = 16, STARVES = 4096 }; /* instructions; rounds; turns */

void wave_fault(struct wave *w, const struct inst *i, int how, const char *format, ...)
{
	const struct block *b = w->block;
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (b->dispatch->how == DISPATCH_DONE)
		message("kernel %s, block (%u,%u,%u), wave %u: %s, at 0x%llx: %s", b->dispatch->kernel->name,
			b->id[0], b->id[1], b->id[2], w->number, what, (unsigned long long)i->offset,
			i->text ? i->text : "");
	b->dispatch->how = how;
	w->yields = true;
}

/* ---- registers that a load has not filled ---- */

void wave_mark(struct wave *w, const struct operand *o, int n)
{
	if (o->pending == NO_PENDING)
		return;
	for (uint8_t *pending = w->pending + o->pending; pending < w->pending + o->pending + o->nregs;
		pending++)
		*pending = (uint8_t)(*pending + n);
	w->npending += (unsigned)n;
}

static bool any_pending(const uint8_t *pending, unsigned n)
{
	uint64_t eight;

	for (; n > 8; n--)
		if (*pending++)
			return true;
	memcpy(&eight, pending, sizeof(eight));
	return eight << (64 - 8 * n);
}

static void check_pending(struct wave *w, const struct inst *i)
{
	if (i->run == run_dual) {
		check_pending(w, &i->base[0]);
		check_pending(w, &i->base[1]);
		return;
	}
	for (unsigned left = i->awaited; left; left &= left - 1) {
		const struct operand *o = &i->op[__builtin_ctz(left)];
		const uint8_t *pending = w->pending + o->pending;

		if (!any_pending(pending, o->nregs))
			continue;
		for (unsigned r = 0; r < o->nregs; r++)
			if (pending[r])
				wave_die(w, i, "%s %s%u before the wait that covers its load",
					o < i->op + i->ndsts ? "writes" : "reads",
					o->kind == OPERAND_SGPR  ? "s"
						: o->reg < AGPRS ? "v"
								 : "a",
					(o->reg + r) % AGPRS);
	}
}

void wave_jump(struct wave *w, const struct inst *i, uint64_t address)
{
	const struct module *m = w->module;
	uint64_t at = address - m->base - m->text;

	if (at >= m->text_bytes || at % 4 || !m->insts[at / 4].run)
		wave_die(w, i, "jumps to 0x%llx, which is no code", (unsigned long long)address);
	w->pc = &m->insts[at / 4];
}

/* ---- what a compute unit holds ---- */

static const struct unit {
	uint32_t has[NRESOURCES];
	unsigned vgpr_granule, lds_granule;
} units[] = {
	/*
	 * CDNA: VGPRs and AGPRs are one file. RDNA3: a work-group processor, which HIP counts as one
	 * compute unit; wave32.
	 */
	[GFX90A] = {{8, 8, 8, 8, 512, 512, 512, 512, 64 << 10, 16}, 8, 512},
	[GFX942] = {{8, 8, 8, 8, 512, 512, 512, 512, 64 << 10, 16}, 8, 512},
	[GFX1100] = {{16, 16, 16, 16, 1536, 1536, 1536, 1536, 128 << 10, 16}, 24, 1024},
};

static unsigned count_waves(const struct kernel *k, unsigned nthreads)
{
	return (nthreads + k->wave_lanes - 1) / k->wave_lanes;
}

static void add_usage(uint32_t *to, const uint32_t *usage, bool take)
{
	for (unsigned r = 0; r < NRESOURCES; r++)
		to[r] += take ? -usage[r] : usage[r];
}

/*
 * Finds room for a block: each of its waves goes where most VGPRs are free, in granules of the hardware. LDS
 * has the given granule. False: it does not fit. A block of one wave needs no barrier.
 */
static bool fit_block(const struct kernel *k, unsigned nthreads, unsigned dynamic_lds, unsigned lds_granule,
	const uint32_t *used, uint32_t *need)
{
	const struct unit *u = &units[k->module->gpu];
	unsigned nwaves = count_waves(k, nthreads);
	uint32_t vgprs = (uint32_t)round_up(k->nvgprs, u->vgpr_granule);
	bool fits = true;

	memset(need, 0, NRESOURCES * sizeof(*need));
	need[USED_LDS] = (uint32_t)round_up(k->lds_bytes + dynamic_lds, lds_granule);
	need[USED_BARRIERS] = nwaves > 1;
	while (nwaves--) {
		unsigned best = USED_VGPRS;

		for (unsigned s = USED_VGPRS + 1; s < USED_VGPRS + SIMDS; s++)
			best = used[s] + need[s] < used[best] + need[best] ? s : best;
		need[best] += vgprs;
		need[best - USED_VGPRS + USED_WAVES]++;
	}
	for (unsigned r = 0; r < NRESOURCES; r++)
		fits = fits && used[r] + need[r] <= u->has[r];
	return fits;
}

unsigned dispatch_occupancy(const struct kernel *k, unsigned nthreads, unsigned dynamic_lds_bytes)
{
	uint32_t used[NRESOURCES] = {0}, need[NRESOURCES];
	unsigned n = 0;

	for (; nthreads && fit_block(k, nthreads, dynamic_lds_bytes, 1, used, need); n++)
		add_usage(used, need, false);
	return n;
}

/* ---- the table of compute units, shared by processes ---- */

static struct device {
	int fd; /* of the table, and its lock */
	struct owner {
		pid_t pid;
		uint64_t job; /* config()->job */
		uint32_t cus[MAX_CUS][NRESOURCES];
	} * owners; /* MAX_OWNERS processes */
	struct owner *self;
} devices[MAX_DEVICES];
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

static void open_table(struct device *v, int number)
{
	size_t nbytes = MAX_OWNERS * sizeof(*v->owners);
	char name[128];

	snprintf(name, sizeof(name), "/amdsim-%u-%s-%d-%d-%zu", (unsigned)getuid(), gpu_name(config()->gpu),
		config()->ncus, number, nbytes);
	v->fd = keep_file(shm_open(name, O_RDWR | O_CREAT, 0600));
	v->owners = v->fd < 0 || ftruncate(v->fd, (off_t)nbytes)
		? MAP_FAILED
		: mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, v->fd, 0);
	if (v->owners == MAP_FAILED)
		die("cannot share compute units by /dev/shm%s: %s", name, strerror(errno));
}

/* Frees what dead processes left, also an earlier process with this one's number. */
static struct device *lock_device(int number)
{
	struct device *v = &devices[number];
	pid_t pid = getpid();

	pthread_mutex_lock(&devices_lock);
	if (!v->owners)
		open_table(v, number);
	while (flock(v->fd, LOCK_EX) && errno == EINTR)
		;
	for (struct owner *o = v->owners; o < v->owners + MAX_OWNERS; o++) {
		if (o->pid && (o->pid == pid ? o != v->self : kill(o->pid, 0) && errno == ESRCH))
			memset(o, 0, sizeof(*o));
		if (!o->pid && !v->self)
			v->self = o;
	}
	if (!v->self)
		die("more than %d processes use a device", MAX_OWNERS);
	v->self->pid = pid;
	v->self->job = config()->job;
	return v;
}

static void unlock_device(struct device *v)
{
	flock(v->fd, LOCK_UN);
	pthread_mutex_unlock(&devices_lock);
}

/* ---- arguments ---- */

/*
 * HSA's packet (header, dimensions, sizes of block and grid, scratch, LDS, kernel, arguments), then the
 * arguments. Hidden ones are as in "Code Object V5 Metadata"; all blocks are full, without remainders.
 */
static void write_packet(struct dispatch *d, const void *args)
{
	const struct kernel *k = d->kernel;
	const uint16_t dims = d->threads[2] > 1 ? 3 : d->threads[1] > 1 ? 2 : 1;
	const uint64_t hidden[ARG_HIDDEN + 1] = {[ARG_BLOCK_COUNT_X] = d->grid[0],
		d->grid[1],
		d->grid[2],
		d->group[0],
		d->group[1],
		d->group[2],
		dims,
		d->dynamic_lds_bytes,
		APERTURE_LDS >> 32,
		APERTURE_PRIVATE >> 32,
		/* for ROCm's device library: not 0 if the grid may synchronize */
		[ARG_MULTIGRID_SYNC] = d->cooperative};
	const struct {
		uint16_t header, dims, group[3], reserved1;
		uint32_t grid[3], scratch_bytes, lds_bytes;
		uint64_t kernel, kernarg, reserved2[2];
	} packet = {2, dims, {(uint16_t)d->group[0], (uint16_t)d->group[1], (uint16_t)d->group[2]}, 0,
		{d->threads[0], d->threads[1], d->threads[2]}, k->scratch_bytes,
		k->lds_bytes + d->dynamic_lds_bytes, k->module->base + k->entry, d->kernarg, {0}};

	memcpy(memory_host(d->packet), &packet, PACKET_BYTES);
	memcpy(memory_host(d->kernarg), args, k->kernarg_bytes);
	for (const struct argument *a = k->args; a < k->args + k->nargs; a++)
		if (a->kind > ARG_POINTER && a->nbytes <= 8 && a->offset + a->nbytes <= k->kernarg_bytes)
			memcpy((char *)memory_host(d->kernarg) + a->offset, &hidden[a->kind], a->nbytes);
}

static void make_packet(struct dispatch *d, const void *args)
{
	d->packet = memory_alloc_code(d->device, PACKET_BYTES + d->kernel->kernarg_bytes);
	d->kernarg = d->packet + PACKET_BYTES;
	if (!d->packet)
		die("kernel %s: no memory for its arguments", d->kernel->name);
	for (unsigned dim = 0; dim < 3; dim++)
		d->threads[dim] = d->grid[dim] * d->group[dim];
	write_packet(d, args);
}

/* ---- a wave's start ---- */

/* Bits of KERNEL_CODE_PROPERTIES. */
enum { SGPR_PRIVATE_BUFFER = 1, SGPR_DISPATCH = 2, SGPR_PRIVATE_BYTES = 64, DYNAMIC_STACK = 2048 };

/*
 * SGPRs, in the descriptor's order. gfx90a's private segment buffer has APERTURE_PRIVATE as its base, so that
 * memory.c recognizes it; the offset of a wave in it is 0.
 */
static void start_sgprs(struct wave *w)
{
	const struct dispatch *d = w->block->dispatch;
	const struct kernel *k = d->kernel;
	/* the last one: flat scratch */
	const uint64_t pairs[] = {d->packet, d->queue, d->kernarg, d->number, 0};
	unsigned n = 0, nuser = k->rsrc2 >> 1 & 31, preload = k->preload & 127;

	if (k->properties & SGPR_PRIVATE_BUFFER) {
		wave_set64(w, 0, APERTURE_PRIVATE);
		wave_set64(w, 2, UINT32_MAX | UINT64_C(0x00e00000) << 32);
		n = 4;
	}
	for (unsigned bit = 0; bit < 5; bit++)
		if (k->properties & SGPR_DISPATCH << bit) {
			wave_set64(w, n, pairs[bit]);
			n += 2;
		}
	if (k->properties & SGPR_PRIVATE_BYTES)
		w->s[n++] = w->scratch_bytes;
	if (n + preload <= 16)
		memcpy(&w->s[n], (char *)memory_host(d->kernarg) + 4 * (size_t)(k->preload >> 7),
			4 * (size_t)preload);
	n = n + preload > nuser ? n + preload : nuser; /* gfx11's compiler asks for more than it uses */
	for (unsigned dim = 0; dim < 3; dim++)
		if (k->rsrc2 >> 7 >> dim & 1)
			w->s[n++] = w->block->id[dim];
	if (k->rsrc2 >> 10 & 1)
		w->s[n++] = w->block->nwaves;
	if (k->module->gpu == GFX90A && k->rsrc2 & 1)
		w->s[n] = 0;
}

/*
 * Registers start with a pattern; v0 has the thread's three indices, 10 bits each. VGPR counts include AGPRs.
 */
static void start_wave(struct wave *w, struct block *b, unsigned number)
{
	const struct kernel *k = b->dispatch->kernel;
	unsigned first = number * k->wave_lanes, left = b->size[0] * b->size[1] * b->size[2] - first;
	unsigned n = left < k->wave_lanes ? left : k->wave_lanes, accum_offset = ((k->rsrc3 & 63) + 1) * 4;
	unsigned nrows = k->nvgprs +
		(k->module->gpu != GFX1100 && k->nvgprs > accum_offset ? AGPRS - accum_offset : 0);

	w->block = b;
	w->module = k->module;
	w->number = number;
	w->nlanes = k->wave_lanes;
	w->scratch_bytes = b->dispatch->scratch_bytes
		? b->dispatch->scratch_bytes
		: k->scratch_bytes + (k->properties & DYNAMIC_STACK ? DYNAMIC_STACK_BYTES : 0);
	w->scratch_bytes = (unsigned)round_up(w->scratch_bytes, 16);
	w->scratch = zalloc((size_t)w->nlanes * w->scratch_bytes + 1);
	w->v = zalloc(nrows * sizeof(*w->v));
	memset(w->s, 0xee, sizeof(w->s));
	memset(w->v, 0xdd, nrows * sizeof(*w->v));
	start_sgprs(w);
	wave_set64(w, EXEC, UINT64_MAX >> (64 - n));
	for (unsigned l = 0; l < n; l++) {
		unsigned t = first + l, x = t % b->size[0], y = t / b->size[0] % b->size[1];

		w->v[0][l] = x | y << 10 | t / b->size[0] / b->size[1] << 20;
	}
	w->pc = &k->module->insts[(k->entry - k->module->text) / 4];
	caches_wave_begin(w);
}

/* ---- blocks ---- */

/* A dispatch, on the thread that runs it. */
struct run {
	struct dispatch *d;
	struct block *blocks; /* resident ones */
	uint64_t next, total; /* blocks */
	uint64_t nended;      /* blocks */
	uint64_t ngws;        /* waves that wait at the grid's barrier */
	uint64_t rng;         /* 0: waves run in turn */
	unsigned patience;    /* rounds until blocks that found no room are tried again */
	bool progress;
};

/* The last blocks of a grid may have fewer threads than its other blocks. */
static void number_block(struct block *b, uint64_t n)
{
	const struct dispatch *d = b->dispatch;

	for (unsigned dim = 0; dim < 3; n /= d->grid[dim++]) {
		uint32_t left = d->threads[dim] - (uint32_t)(n % d->grid[dim]) * d->group[dim];

		b->id[dim] = (uint32_t)(n % d->grid[dim]);
		b->size[dim] = left < d->group[dim] ? left : d->group[dim];
	}
	b->nwaves = count_waves(d->kernel, b->size[0] * b->size[1] * b->size[2]);
}

/* Places the next block on the compute unit with the fewest waves. NULL: none has room. */
static struct block *place_block(struct run *r, struct device *v)
{
	struct dispatch *d = r->d;
	struct block place = {.dispatch = d}, *b;
	unsigned fewest = UINT32_MAX;

	for (int cu = 0; cu < config()->ncus; cu++) {
		uint32_t used[NRESOURCES] = {0}, need[NRESOURCES];

		for (unsigned k = 0; k < MAX_OWNERS; k++)
			if (v->owners[k].pid && v->owners[k].job == config()->job)
				add_usage(used, v->owners[k].cus[cu], false);
		if (used[0] + used[1] + used[2] + used[3] < fewest &&
			fit_block(d->kernel, d->nthreads, d->dynamic_lds_bytes,
				units[d->kernel->module->gpu].lds_granule, used, need)) {
			fewest = used[0] + used[1] + used[2] + used[3];
			memcpy(place.usage, need, sizeof(need));
			place.cu = cu;
		}
	}
	if (fewest == UINT32_MAX)
		return NULL;
	add_usage(v->self->cus[place.cu], place.usage, false);
	b = zalloc(sizeof(*b));
	*b = place;
	number_block(b, r->next++);
	return b;
}

static void free_block(struct device *v, struct block *b)
{
	add_usage(v->self->cus[b->cu], b->usage, true);
	free(b);
}

static void start_block(struct run *r, struct block *b)
{
	b->lds_bytes = r->d->kernel->lds_bytes + r->d->dynamic_lds_bytes;
	b->lds = zalloc(b->lds_bytes + 1);
	memset(b->lds, 0xcd, b->lds_bytes);
	caches_block_begin(b);
	b->waves = zalloc(b->nwaves * sizeof(*b->waves));
	for (unsigned n = 0; n < b->nwaves; n++)
		start_wave(&b->waves[n], b, n);
}

/*
 * Starts the blocks that find room; of a cooperative grid all or none, so that two such grids never wait for
 * each other. The rest is tried again when a block of the grid has ended, or after a while, because blocks of
 * other processes end, too.
 */
static void start_blocks(struct run *r)
{
	struct block **first = &r->blocks, **end, *b;
	struct device *v;

	if (r->next == r->total || r->patience) {
		r->patience -= r->patience != 0;
		return;
	}
	while (*first)
		first = &(*first)->next;
	v = lock_device(r->d->device);
	for (end = first; r->next < r->total && (*end = place_block(r, v)) != NULL;)
		end = &(*end)->next;
	r->patience = r->next < r->total ? PATIENCE : 0;
	if (r->d->cooperative && r->next < r->total) {
		r->next = 0;
		while ((b = *first) != NULL) {
			*first = b->next;
			free_block(v, b);
		}
	}
	unlock_device(v);
	r->progress = *first;
	for (b = *first; b; b = b->next)
		start_block(r, b);
}

static void end_wave(struct wave *w)
{
	caches_wave_end(w);
	free(w->v);
	free(w->scratch);
	w->v = NULL;
	w->block->ndone++;
}

static void end_block(struct run *r, struct block *b)
{
	struct device *v;

	for (unsigned n = 0; n < b->nwaves; n++)
		if (b->waves[n].v)
			end_wave(&b->waves[n]);
	caches_block_end(b);
	free(b->waves);
	free(b->lds);
	v = lock_device(r->d->device);
	free_block(v, b);
	unlock_device(v);
	r->patience = 0;
	r->nended++;
}

/* ---- running ---- */

static void run_wave(struct wave *w, unsigned quantum)
{
	bool traced = config()->trace;

	w->moves = false;
	for (w->yields = false; quantum && !w->yields; quantum--) {
		const struct inst *i = w->pc;

		if (__builtin_expect(!i->run, 0))
			wave_die(w, i, "runs into what is no code of its kernel");
		if (__builtin_expect(traced, 0))
			message("%u.%u.%u.%u exec %016llx %06llx: %s", w->block->id[0], w->block->id[1],
				w->block->id[2], w->number, (unsigned long long)wave_exec(w),
				(unsigned long long)i->offset, i->text);
		if (w->npending && i->awaited)
			check_pending(w, i);
		w->pc = i + i->nbytes / 4;
		i->run(w, i);
	}
}

/* With config()->schedule a wave may miss thousands of turns. If nothing else runs, they pass faster. */
static bool is_starved(struct run *r, struct wave *w, bool others_run)
{
	unsigned passes = others_run ? 1 : 64;
	bool starved = r->rng && w->starves;

	if (starved)
		w->starves -= w->starves < passes ? w->starves : passes;
	else if (r->rng && random_next(&r->rng) % 256 == 0)
		w->starves = (unsigned)(random_next(&r->rng) % STARVES);
	return starved;
}

static void take_turn(struct run *r, struct wave *w, bool others_run)
{
	if (w->state == WAVE_DONE)
		return;
	if (w->state == WAVE_RUNS && !is_starved(r, w, others_run)) {
		run_wave(w, r->rng ? 1 + (unsigned)(random_next(&r->rng) % QUANTUM) : QUANTUM);
		r->progress = r->progress || !w->yields || w->moves || w->state != WAVE_RUNS;
		r->ngws += w->state == WAVE_AT_GWS;
	}
	if (w->state == WAVE_DONE)
		end_wave(w);
	else
		caches_chance(w);
}

static void release_waves(struct block *b, enum wave_state from)
{
	for (unsigned n = 0; n < b->nwaves; n++)
		if (b->waves[n].state == from)
			b->waves[n].state = WAVE_RUNS;
}

/*
 * Gives each wave a turn, and handles barriers. At ds_gws_barrier, ROCm's barrier of a grid, one wave of
 * each block arrives.
 */
static void run_round(struct run *r, bool others_run)
{
	for (struct block **p = &r->blocks, *b; (b = *p) != NULL && r->d->how == DISPATCH_DONE;) {
		for (unsigned n = 0; n < b->nwaves && r->d->how == DISPATCH_DONE; n++)
			take_turn(r, &b->waves[n], others_run);
		if (b->nbarrier && b->nbarrier + b->ndone == b->nwaves) {
			b->nbarrier = 0;
			release_waves(b, WAVE_AT_BARRIER);
		}
		if (b->ndone < b->nwaves) {
			p = &b->next;
			continue;
		}
		*p = b->next;
		end_block(r, b);
		r->progress = true;
	}
	if (r->ngws < r->total)
		return;
	for (struct block *b = r->blocks; b; b = b->next)
		release_waves(b, WAVE_AT_GWS);
	r->ngws = 0;
}

int dispatch_run(struct dispatch *d, const void *args)
{
	struct run r = {.d = d, .total = (uint64_t)d->grid[0] * d->grid[1] * d->grid[2]};
	struct block *b;
	unsigned idle = 0;

	if (args)
		make_packet(d, args);
	d->how = DISPATCH_DONE;
	if (config()->schedule)
		r.rng = (config()->schedule * 4099 + d->number) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	caches_dispatch_begin(d);
	for (bool moved = true; d->how == DISPATCH_DONE && r.nended < r.total; moved = r.progress) {
		r.progress = false;
		start_blocks(&r);
		run_round(&r, moved);
		idle = r.progress ? 0 : idle + 1;
		if (idle >= 64) /* waves wait for another one's store: yield, and later sleep */
			usleep(idle < 544 ? idle - 44 : 500);
		else if (idle)
			sched_yield();
	}
	while ((b = r.blocks) != NULL) {
		r.blocks = b->next;
		end_block(&r, b);
	}
	caches_dispatch_end(d);
	if (args)
		memory_free_code(d->packet);
	return d->how;
}
