/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP's entry points for code: what a program registers when it starts, modules, variables, launches, and
 * attributes of kernels. A program's code is loaded on a device when it is first used there.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hip.h"

/* The code of one source file as registered: an image (ELF, or a bundle of them), and where it is loaded. */
struct fat {
	const void *image;
	struct module *modules[MAX_DEVICES];
};

/* A kernel or variable of the host program, identified by its address there. */
struct registered {
	struct registered *next;
	const void *host;
	struct fat *fat;
	const char *name;
	void *managed; /* where a __managed__ variable is; the device's variable of its name points there */
};

static struct registered *list;

/* ---- code of the program ---- */

static hipError_t load(const void *image, int device, struct module **module_p)
{
	int rc = module_load(image, device, module_p);

	device_used[device] = true;
	return !rc               ? hipSuccess
		: rc == -ENOMEM  ? hipErrorOutOfMemory
		: rc == -ENOEXEC ? hipErrorNoBinaryForGpu
				 : hipErrorInvalidImage;
}

static hipError_t load_fat(struct fat *fat, int device)
{
	hipError_t error =
		fat->modules[device] ? hipSuccess : load(fat->image, device, &fat->modules[device]);
	struct module *m = fat->modules[device];

	for (const struct registered *r = list; r && !error; r = r->next) {
		const Elf64_Sym *s = r->fat == fat && r->managed ? module_symbol(m, r->name) : NULL;

		if (s)
			memcpy(m->host + s->st_value, &r->managed, sizeof(r->managed));
	}
	return error;
}

/* Finds the name of host, and the module on a device that has it; an error if host is unknown. */
static hipError_t find(
	const void *host, int device, hipError_t unknown, const char **name_p, struct module **module_p)
{
	const struct registered *r = list;
	hipError_t error;

	while (r && r->host != host)
		r = r->next;
	error = r ? load_fat(r->fat, device) : unknown;
	*name_p = r ? r->name : NULL;
	*module_p = error ? NULL : r->fat->modules[device];
	return error;
}

static hipError_t find_kernel(const void *host, int device, struct kernel **kernel_p)
{
	const char *name;
	struct module *m;
	hipError_t error = find(host, device, hipErrorInvalidDeviceFunction, &name, &m);

	*kernel_p = error ? NULL : module_kernel(m, name);
	return *kernel_p || error ? error : hipErrorInvalidDeviceFunction;
}

static void add(void **fat, const void *host, const char *name, void *managed)
{
	struct registered *r = zalloc(sizeof(*r));

	api_enter();
	*r = (struct registered){list, host, (struct fat *)fat, name, managed};
	list = r;
	api_return(hipSuccess);
}

#pragma GCC visibility push(default)
/*
 * Called by code that clang generates; no header has them. clang passes more arguments than are needed here.
 */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* wrapper: magic and version, of 4 bytes, then the image's address. */
void **__hipRegisterFatBinary(const void *wrapper)
{
	struct fat *fat = zalloc(sizeof(*fat));

	memcpy(&fat->image, (const char *)wrapper + 8, sizeof(fat->image));
	return (void **)fat;
}

void __hipRegisterFunction(void **fat, const void *host, char *name)
{
	add(fat, host, name, NULL);
}

void __hipRegisterVar(void **fat, void *host, char *name)
{
	add(fat, host, name, NULL);
}

void __hipRegisterManagedVar(void **fat, void **host, const void *initial, char *name, size_t nbytes)
{
	if (hipMallocManaged(host, nbytes, hipMemAttachGlobal))
		die("no device, or no memory, for the managed variable %s", name);
	add(fat, *host, name, memcpy(*host, initial, nbytes));
}

/*
 * Loaded code stays, because kernels may run. A library that is loaded at the same address later registers in
 * front of stale entries.
 */
void __hipUnregisterFatBinary(void **fat)
{
	(void)fat;
}

/* Set by <<<>>>, for the stub that it calls. */
static _Thread_local struct configuration {
	dim3 grid, block;
	size_t lds;
	hipStream_t stream;
} configured;

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t stream)
{
	configured = (struct configuration){grid, block, lds, stream};
	return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds, hipStream_t *stream)
{
	*grid = configured.grid;
	*block = configured.block;
	*lds = configured.lds;
	*stream = configured.stream;
	return hipSuccess;
}

#pragma GCC visibility pop

/* ---- variables ---- */

static hipError_t find_global(void **address_p, size_t *nbytes_p, const struct module *m, const char *name)
{
	const Elf64_Sym *s = m && name ? module_symbol(m, name) : NULL;

	if (!s || (!address_p && !nbytes_p))
		return !m ? hipErrorInvalidHandle : name && !s ? hipErrorNotFound : hipErrorInvalidValue;
	if (address_p)
		*address_p = (void *)(uintptr_t)(m->base + s->st_value);
	if (nbytes_p)
		*nbytes_p = s->st_size;
	return hipSuccess;
}

static hipError_t find_variable(const void *host, void **address_p, size_t *nbytes_p)
{
	const char *name;
	struct module *m;
	hipError_t error = find(host, device_current, hipErrorInvalidSymbol, &name, &m);

	return error ? error : find_global(address_p, nbytes_p, m, name);
}

static hipError_t copy(
	const void *symbol, void *to, const void *from, size_t nbytes, size_t offset, hipMemcpyKind kind)
{
	size_t size;
	void *at;
	hipError_t error = find_variable(symbol, &at, &size);

	if (error || (!to && !from) || offset > size || nbytes > size - offset)
		return error ? error : hipErrorInvalidValue;
	at = (char *)at + offset;
	return memory_copy(to ? to : at, from ? from : at, nbytes, kind, NULL, false);
}

ENTRY(hipGetSymbolAddress, (void **at, const void *symbol), find_variable(symbol, at, NULL))
ENTRY(hipGetSymbolSize, (size_t * n, const void *symbol), find_variable(symbol, NULL, n))
ENTRY(hipMemcpyToSymbol, (const void *symbol, const void *src, size_t n, size_t at, hipMemcpyKind kind),
	copy(symbol, NULL, src, n, at, kind))
ENTRY(hipMemcpyFromSymbol, (void *dst, const void *symbol, size_t n, size_t at, hipMemcpyKind kind),
	copy(symbol, dst, NULL, n, at, kind))

/* ---- modules ---- */

/* Modules that the program has loaded. */
static struct loaded {
	struct module *module;
	struct loaded *next;
} * loaded;

static hipError_t load_module(hipModule_t *module_p, const void *image)
{
	struct loaded *l;
	hipError_t error;

	if (!module_p || !image || device_check(device_current))
		return hipErrorInvalidValue;
	error = load(image, device_current, (struct module **)module_p);
	if (error)
		return error;
	l = zalloc(sizeof(*l));
	*l = (struct loaded){(struct module *)*module_p, loaded};
	loaded = l;
	return hipSuccess;
}

static hipError_t load_file(hipModule_t *module_p, const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	off_t nbytes = lseek(fd, 0, SEEK_END);
	void *image = mmap(NULL, nbytes > 0 ? (size_t)nbytes : 1, PROT_READ, MAP_PRIVATE, fd, 0);
	hipError_t error = path ? hipErrorFileNotFound : hipErrorInvalidValue;

	if (image != MAP_FAILED) {
		error = load_module(module_p, image);
		munmap(image, (size_t)nbytes);
	}
	if (fd >= 0)
		close(fd);
	return error;
}

static hipError_t unload(struct module *m)
{
	hipError_t error = m ? hipSuccess : hipErrorInvalidHandle;
	struct loaded **at = &loaded, *l;

	while (*at && (*at)->module != m)
		at = &(*at)->next;
	l = *at;
	if (m && !l)
		return hipErrorNotFound;
	for (int device = 0; device < config()->ndevices && !error; device++)
		error = stream_drain(device);
	if (!error) {
		*at = l->next;
		free(l);
		module_unload(m);
	}
	return error;
}

static hipError_t find_function(hipFunction_t *function_p, struct module *m, const char *name)
{
	if (!function_p || !name || !m)
		return m ? hipErrorInvalidValue : hipErrorInvalidHandle;
	*function_p = (hipFunction_t)module_kernel(m, name);
	return *function_p ? hipSuccess : hipErrorNotFound;
}

ENTRY(hipModuleLoad, (hipModule_t * module, const char *path), load_file(module, path))
ENTRY(hipModuleLoadData, (hipModule_t * module, const void *image), load_module(module, image))
ENTRY(hipModuleUnload, (hipModule_t module), unload((struct module *)module))
ENTRY(hipModuleGetFunction, (hipFunction_t * function, hipModule_t module, const char *name),
	find_function(function, (struct module *)module, name))
ENTRY(hipModuleGetGlobal, (hipDeviceptr_t * at, size_t *n, hipModule_t module, const char *name),
	find_global(at, n, (struct module *)module, name))

/* ---- launches ---- */

struct launch {
	struct dispatch dispatch;
	_Alignas(16) char args[];
};

static void run_launch(void *arg)
{
	struct launch *l = arg;
	int how = dispatch_run(&l->dispatch, l->args);

	if (how != DISPATCH_DONE)
		stream_abort(l->dispatch.device, l->dispatch.kernel->name, how == DISPATCH_TRAPPED);
}

static hipError_t pack(const struct kernel *k, void **args, char *to)
{
	for (const struct argument *a = k->args; a < k->args + k->nargs; a++) {
		if (a->kind > ARG_POINTER)
			continue;
		if (!args)
			return hipErrorInvalidValue;
		memcpy(to + a->offset, *args++, a->nbytes);
	}
	return hipSuccess;
}

/* As in ROCm's ihipLaunchKernel_validate. bad_grid: the error for an empty grid or too large a block. */
static hipError_t check(const struct dispatch *d, size_t lds, hipError_t bad_grid)
{
	const struct kernel *k = d->kernel;
	uint64_t nthreads = (uint64_t)d->group[0] * d->group[1] * d->group[2];
	uint64_t nblocks = (uint64_t)d->grid[0] * d->grid[1] * d->grid[2], nresident;

	if (!nthreads)
		return hipErrorInvalidConfiguration;
	if (!nblocks || d->group[0] > BLOCK_THREADS || d->group[1] > BLOCK_THREADS ||
		nthreads > BLOCK_THREADS)
		return bad_grid;
	if ((uint64_t)d->grid[0] * d->group[0] > UINT32_MAX || d->grid[1] > 65536 || d->grid[2] > 65536)
		return hipErrorInvalidConfiguration;
	if (lds > LDS_BYTES - k->lds_bytes)
		return hipErrorInvalidValue;
	nresident = (uint64_t)config()->ncus * dispatch_occupancy(k, (unsigned)nthreads, (unsigned)lds);
	if (nthreads > k->max_block_threads || !nresident)
		return hipErrorLaunchFailure;
	if (d->cooperative && nblocks > nresident)
		return hipErrorCooperativeLaunchTooLarge;
	return kernel_decode(d->kernel) ? hipSuccess : hipErrorInvalidDeviceFunction;
}

static hipError_t launch(struct kernel *k, dim3 grid, dim3 block, void **args, size_t lds, hipStream_t stream,
	bool cooperative, hipError_t bad_grid)
{
	static uint64_t nlaunches;
	struct launch *l = zalloc(sizeof(*l) + k->kernarg_bytes);
	hipError_t error;

	l->dispatch = (struct dispatch){.kernel = k,
		.device = stream_device(stream),
		.dynamic_lds_bytes = (unsigned)lds,
		.grid = {grid.x, grid.y, grid.z},
		.group = {block.x, block.y, block.z},
		.nthreads = block.x * block.y * block.z,
		.cooperative = cooperative,
		.number = nlaunches++,
		.acquire = SCOPE_SYSTEM,
		.release = SCOPE_SYSTEM};
	error = check(&l->dispatch, lds, bad_grid);
	if (!error)
		error = pack(k, args, l->args);
	if (!error)
		error = stream_submit(stream, run_launch, l, sizeof(*l) + k->kernarg_bytes, true);
	free(l);
	return error;
}

static hipError_t launch_host(const void *host, dim3 grid, dim3 block, void **args, size_t lds,
	hipStream_t stream, bool cooperative)
{
	int device = stream_device(stream);
	struct kernel *k;
	hipError_t error = device < 0 ? hipErrorContextIsDestroyed : find_kernel(host, device, &k);

	return error ? error
		     : launch(k, grid, block, args, lds, stream, cooperative, hipErrorInvalidConfiguration);
}

ENTRY(hipLaunchKernel, (const void *host, dim3 grid, dim3 block, void **args, size_t lds, hipStream_t stream),
	launch_host(host, grid, block, args, lds, stream, false))
ENTRY(hipLaunchCooperativeKernel,
	(const void *host, dim3 grid, dim3 block, void **args, unsigned lds, hipStream_t stream),
	launch_host(host, grid, block, args, lds, stream, true))
ENTRY(hipModuleLaunchKernel,
	(hipFunction_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		unsigned lds, hipStream_t stream, void **args, void **extra),
	!function       ? hipErrorInvalidHandle
		: extra ? hipErrorNotSupported
			: launch((struct kernel *)function, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, args, lds,
				  stream, false, hipErrorInvalidValue))

/* ---- attributes of kernels ---- */

static hipError_t put_attributes(hipFuncAttributes *to, const void *host)
{
	struct kernel *k;
	hipError_t error = to ? find_kernel(host, device_current, &k) : hipErrorInvalidValue;

	if (!error)
		*to = (hipFuncAttributes){.localSizeBytes = k->scratch_bytes,
			.sharedSizeBytes = k->lds_bytes,
			.maxDynamicSharedSizeBytes = (int)(LDS_BYTES - k->lds_bytes),
			.maxThreadsPerBlock = (int)k->max_block_threads,
			.numRegs = (int)k->nvgprs};
	return error;
}

static hipError_t put_occupancy(int *nblocks, const void *host, int nthreads, size_t lds)
{
	struct kernel *k;

	if (find_kernel(host, device_current, &k))
		return hipErrorInvalidDeviceFunction;
	if (!nblocks || nthreads <= 0)
		return hipErrorInvalidValue;
	*nblocks = 0;
	if ((unsigned)nthreads <= k->max_block_threads && lds <= LDS_BYTES - k->lds_bytes)
		*nblocks = (int)dispatch_occupancy(k, (unsigned)nthreads, (unsigned)lds);
	return hipSuccess;
}

ENTRY(hipFuncGetAttributes, (hipFuncAttributes * to, const void *host), put_attributes(to, host))
ENTRY(hipOccupancyMaxActiveBlocksPerMultiprocessor, (int *n, const void *host, int nthreads, size_t lds),
	put_occupancy(n, host, nthreads, lds))
