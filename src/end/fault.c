/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of fault records. The watcher prints a kernel's record, and a host call prints its own. */
#include "end/end.h"

#include <gshmem/state/fault.h>
#include <gshmem/state/window.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "heap/heap.h"
#include "ipc/globals.h"
#include "job/job.h"

/* Says where the call was made. */
static void describe_caller(const struct gshmemi_fault *f, char *text, size_t nbytes)
{
	if (f->on_host)
		snprintf(text, nbytes, "host");
	else
		snprintf(text, nbytes, "kernel, block %" PRIu64 ", " GSHMEMI_ARCH_THREAD_WORD " %" PRIu32,
			f->block, f->thread);
}

/* Describes an address as the user knows it: by its offset in the heap, if it is there. */
static void describe_address(uint64_t address, char *text, size_t nbytes)
{
	const char *at = (const char *)(uintptr_t)address;
	uint64_t in_sync = (uint64_t)((uintptr_t)at - (uintptr_t)gshmemi_state.sync);
	uint64_t in_stage = (uint64_t)((uintptr_t)at - (uintptr_t)gshmemi_heap.stages);
	uint64_t npieces = gshmemi_heap.npredefined + gshmemi_heap.nplaces - GSHMEMI_NPREDEFINED;

	if (gshmemi_heap_contains(at))
		snprintf(text, nbytes, "address 0x%" PRIx64 " (heap+0x%" PRIx64 ")", address,
			gshmemi_heap_offset(at));
	else if (in_sync < (gshmemi_state.nteams + 1) * sizeof *gshmemi_state.sync)
		snprintf(text, nbytes, "address 0x%" PRIx64 " (the barrier's memory)", address);
	else if (in_stage < npieces * GSHMEMI_STAGE_NBYTES)
		snprintf(text, nbytes, "address 0x%" PRIx64 " (the memory of collectives)", address);
	else
		snprintf(text, nbytes, "address 0x%" PRIx64, address);
}

/* Returns the value of a word of nbytes as a signed number. */
static int64_t signed_value(uint64_t value, uint64_t nbytes)
{
	unsigned shift = nbytes && nbytes < 8 ? 64 - 8 * (unsigned)nbytes : 0;

	return (int64_t)(value << shift) >> shift;
}

static void describe_wait(const struct gshmemi_fault *f, const char *address, char *text, size_t nbytes)
{
	char whom[128] = "";

	if (f->pe >= 0 && gshmemi_job && f->pe < gshmemi_job->npes)
		snprintf(whom, sizeof whom, "; PE %" PRId32 " on %s has not arrived", f->pe,
			gshmemi_job_host(f->pe));
	snprintf(text, nbytes, "has waited %.1f s for a value %s %" PRId64 " at %s, found %" PRId64 "%s (%s)",
		(double)f->waited_ns * 1e-9, gshmemi_cmp_name(f->cmp), signed_value(f->expected, f->nbytes),
		address, signed_value(f->found, f->nbytes), whom,
		f->kind == GSHMEMI_FAULT_WATCHDOG ? "GSHMEM_WATCHDOG" : "SIGUSR1");
}

static void describe_unreachable(const struct gshmemi_fault *f, char *text, size_t nbytes)
{
	const struct gshmemi_peer *peer = gshmemi_job_find(f->pe);

	if (peer && peer->is_local)
		snprintf(text, nbytes, "the memory of PE %" PRId32 " is not mapped here: %s", f->pe,
			peer->is_mapped ? "its region could not be opened" : "no access between the devices");
	else
		snprintf(text, nbytes, "PE %" PRId32 " is on another node: it cannot be reached", f->pe);
}

/* In the order of enum gshmemi_argument. is_address: shown in hexadecimal. */
static const struct {
	const char *name;
	bool is_address;
} arguments[] = {
	{"dest", true},
	{"source", true},
	{"nelems (in bytes)", false},
	{"pe", false},
	{"sig_addr", true},
	{"dest", true},
	{"signal", false},
	{"sig_op", false},
	{"dst", false},
	{"sst", false},
	{"bsize", false},
	{"number of elements or blocks", false},
	{"dest", true},
	{"source", true},
	{"nelems", false},
	{"root", false},
	{"team", true},
	{"", false},
	{"", false},
	{"", false},
	{"ivar", true},
	{"", false},
	{"cmp", false},
	{"cmp_value", false},
};

static void describe_unequal_threads(const struct gshmemi_fault *f, char *text, size_t nbytes)
{
	const uint64_t which = f->nbytes < sizeof arguments / sizeof *arguments ? f->nbytes : 0;
	const bool is_pe = which == GSHMEMI_ARGS_MOVE + 3;
	const uint64_t mine = is_pe ? (uint64_t)gshmemi_pe_in_world((int)f->found) : f->found;
	const uint64_t first = is_pe ? (uint64_t)gshmemi_pe_in_world((int)f->expected) : f->expected;

	if (arguments[which].is_address)
		snprintf(text, nbytes,
			"all threads of the group must pass the same %s: this one passes 0x%" PRIx64
			", the first one 0x%" PRIx64,
			arguments[which].name, mine, first);
	else
		snprintf(text, nbytes,
			"all threads of the group must pass the same %s: this one passes %" PRId64
			", the first one %" PRId64,
			arguments[which].name, (int64_t)mine, (int64_t)first);
}

static void describe_concurrent(const struct gshmemi_fault *f, char *text, size_t nbytes)
{
	char other[64];

	if (f->found == UINT64_MAX)
		snprintf(other, sizeof other, "the host");
	else
		snprintf(other, sizeof other, "work-group %" PRIu64 "%s", f->found - 1,
			!f->on_host && f->found - 1 == f->block ? ", this one," : "");
	snprintf(text, nbytes,
		"%s is in a collective call of the same team at the same time: one thread, wave or "
		"work-group of a PE must make it for all",
		other);
}

/* In the order of enum gshmemi_win_state. */
static const char *const epochs[] = {
	"no epoch is open",
	"fence has been called",
	"fence has begun an epoch",
	"start or post has begun an epoch",
	"PEs are locked",
	"PEs are locked, without check",
	"all PEs are locked",
	"all PEs are locked, without check",
};

static void describe_wrong_epoch(const struct gshmemi_fault *f, char *text, size_t nbytes)
{
	char whom[48] = "";

	if (f->pe >= 0)
		snprintf(whom, sizeof whom, ", for PE %" PRId32 " of the window", f->pe);
	snprintf(text, nbytes, "not allowed now%s: %s", whom,
		epochs[f->found < GSHMEMI_WIN_NSTATES ? f->found : 0]);
}

static void describe_fault(const struct gshmemi_fault *f, char *text, size_t nbytes)
{
	char address[80], what[160];

	describe_address(f->address, address, sizeof address);
	switch (f->kind) {
	case GSHMEMI_FAULT_NOT_INITIALIZED:
		snprintf(text, nbytes,
			"called before gshmem_init or after gshmem_finalize, or from a module loaded since "
			"(gshmemx_module_init)");
		break;
	case GSHMEMI_FAULT_BAD_PE:
		snprintf(text, nbytes, "pe %" PRId32 " is out of range, there are %" PRIu64 " PEs", f->pe,
			f->found);
		break;
	case GSHMEMI_FAULT_NULL:
		snprintf(text, nbytes, "an address is NULL");
		break;
	case GSHMEMI_FAULT_MISALIGNED:
		snprintf(text, nbytes, "%s is not aligned to %" PRIu64 " bytes", address, f->expected);
		break;
	case GSHMEMI_FAULT_OUTSIDE_HEAP:
		gshmemi_globals_describe((const void *)(uintptr_t)f->address, what, sizeof what);
		snprintf(text, nbytes, "%" PRIu64 " bytes at %s are not in the symmetric heap, %p to %p%s",
			f->nbytes, address, (void *)gshmemi_heap.base,
			(void *)(gshmemi_heap.base + gshmemi_heap.nbytes), what);
		break;
	case GSHMEMI_FAULT_NOT_ALLOCATED:
		snprintf(text, nbytes, "%s is in the symmetric heap, but not allocated", address);
		break;
	case GSHMEMI_FAULT_BEYOND_ALLOCATION:
		snprintf(text, nbytes,
			"%" PRIu64 " bytes at %s run beyond the allocation, which has %" PRIu64 " from there",
			f->nbytes, address, f->expected);
		break;
	case GSHMEMI_FAULT_UNREACHABLE:
		describe_unreachable(f, text, nbytes);
		break;
	case GSHMEMI_FAULT_NO_ATOMICS:
		if (gshmemi_state.peers[f->pe] < 0 || !gshmemi_job_find(f->pe)->is_mapped ||
			gshmemi_state.regions[GSHMEMI_REGION_HEAP]
					.amo_delta[gshmemi_state.peers[f->pe] >> 1] != GSHMEMI_SENTINEL)
			describe_unreachable(f, text, nbytes);
		else
			snprintf(text, nbytes,
				"no native atomics from the device of PE %d to that of PE %" PRId32
				": atomics and signals fail",
				gshmemi_job->my_pe, f->pe);
		break;
	case GSHMEMI_FAULT_BAD_ARGUMENT:
		snprintf(text, nbytes,
			"%" PRId64 " is not a valid operator or stride, type of lock or assertion",
			(int64_t)f->found);
		break;
	case GSHMEMI_FAULT_BAD_TEAM:
		snprintf(text, nbytes, "handle 0x%" PRIx64 " does not name a team, or names a destroyed one",
			f->found);
		break;
	case GSHMEMI_FAULT_BAD_CONTEXT:
		snprintf(text, nbytes,
			"handle 0x%" PRIx64 " does not name a context, or names a destroyed one", f->found);
		break;
	case GSHMEMI_FAULT_OVERLAP:
		snprintf(text, nbytes, "%" PRIu64 " bytes of dest at %s overlap source", f->nbytes, address);
		break;
	case GSHMEMI_FAULT_UNEQUAL:
		snprintf(text, nbytes,
			"the PEs of the team have called different collectives, or with different arguments");
		break;
	case GSHMEMI_FAULT_MISSING_THREADS:
		snprintf(text, nbytes,
			"made by %" PRIu64 " of the %" PRIu64 " " GSHMEMI_ARCH_COUNT_WORD
			": the whole work-group must",
			f->found, f->expected);
		break;
	case GSHMEMI_FAULT_UNEQUAL_THREADS:
		describe_unequal_threads(f, text, nbytes);
		break;
	case GSHMEMI_FAULT_UNEQUAL_WAVE:
		snprintf(text, nbytes, "all threads of the group must pass the same %s",
			arguments[f->found & 3].name);
		break;
	case GSHMEMI_FAULT_CONCURRENT:
		describe_concurrent(f, text, nbytes);
		break;
	case GSHMEMI_FAULT_NOT_LOCKED:
		snprintf(text, nbytes, "the lock at %s is not set", address);
		break;
	case GSHMEMI_FAULT_BAD_WINDOW:
		snprintf(text, nbytes, "handle 0x%" PRIx64 " does not name a window, or names a freed one",
			f->found);
		break;
	case GSHMEMI_FAULT_OUTSIDE_WINDOW:
		snprintf(text, nbytes,
			"%" PRIu64 " bytes from byte %" PRId64 " on are not in the window of PE %" PRId32
			", which has %" PRIu64,
			f->nbytes, (int64_t)f->address, f->pe, f->expected);
		break;
	case GSHMEMI_FAULT_WRONG_EPOCH:
		describe_wrong_epoch(f, text, nbytes);
		break;
	case GSHMEMI_FAULT_SEPARATE_WINDOW:
		snprintf(text, nbytes,
			"the window's memory is from hipMalloc, and on this GPU a running kernel may not see "
			"it change: wait on the host, or use memory from gshmemx_win_allocate");
		break;
	case GSHMEMI_FAULT_WAITING:
	case GSHMEMI_FAULT_WATCHDOG:
		describe_wait(f, address, text, nbytes);
		break;
	default:
		snprintf(text, nbytes, "fault %" PRIu32, f->kind);
		break;
	}
}

#if GSHMEMI_ARCH_LOADS_LAZILY

/* A kernel that waits may keep from starting the one that it waits for. */
static void warn_of_loading(void)
{
	static atomic_bool has_warned;

	if (GSHMEMI_ARCH_LOADS_LATE() && !atomic_exchange(&has_warned, true))
		gshmemi_warn(
			"kernels of units without gshmem.h are loaded when they are first launched, which "
			"waits for the kernels that run: if the wait is for such a kernel, set "
			"CUDA_MODULE_LOADING=EAGER");
}

#else

static void warn_of_loading(void) {}

#endif

static atomic_bool do_launches_overlap;

void gshmemi_launches_overlap(bool is_so)
{
	atomic_store(&do_launches_overlap, is_so);
}

/* The watcher cannot ask HIP whether the second one has begun. */
static void warn_of_launches(void)
{
	static atomic_bool has_warned;

	if (atomic_load(&do_launches_overlap) && !atomic_exchange(&has_warned, true))
		gshmemi_warn(
			"this PE's last collective launch came while one on another stream was under way: a "
			"device may start it only after that one's end, so neither may wait for the other "
			"(docs/launch.md, rule 4)");
}

void gshmemi_fault_print(const struct gshmemi_fault *fault)
{
	char caller[80], text[512];

	describe_caller(fault, caller, sizeof caller);
	describe_fault(fault, text, sizeof text);
	gshmemi_error("%s: %.64s: %s", caller, fault->call, text);
	if (fault->kind != GSHMEMI_FAULT_WATCHDOG)
		return;
	warn_of_loading();
	warn_of_launches();
}

void gshmemi_fault_host(const struct gshmemi_fault *fault)
{
	if (fault->kind == GSHMEMI_FAULT_POISONED) /* another thread is ending this process */
		for (;;)
			pause();
	gshmemi_fault_print(fault);
	if (fault->kind != GSHMEMI_FAULT_WATCHDOG)
		gshmemi_end(1);
}
