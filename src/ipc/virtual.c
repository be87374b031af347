/* SPDX-License-Identifier: BSD-3-Clause */
#include "ipc/virtual.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread.h"
#include "device/devmem.h"
#include "ipc/descriptors.h"

/* The socket that hands out descriptors; takes the place of a handle's bytes. */
struct address {
	uint64_t count; /* of offers of this process until this one: no two offers have the same bytes */
	int32_t pid;
	struct gshmemi_descriptors_name name;
};
_Static_assert(sizeof(struct address) <= sizeof(hipIpcMemHandle_t), "it fits");

struct pieces {
	char *base;
	uint64_t nbytes; /* of all pieces */
	size_t n, capacity;
	uint64_t *each; /* [n]: bytes of each piece */
};

struct gshmemi_offer {
	struct pieces pieces;
	pthread_t thread;
	int listener;
	int stop; /* an eventfd: written to end the thread */
};

/* A process that is connected. Another process of the user may connect and never ask. */
struct receiver {
	int fd;       /* -1: none */
	size_t first; /* the next piece to send */
	char *at;     /* where it starts */
};
#define NRECEIVERS 64 /* at a time; one more takes the place of one that came long before */

struct gshmemi_mapping {
	struct pieces pieces; /* those that are mapped */
	uint64_t nbytes;      /* of the reserved addresses */
};

/* ---- pieces ---- */

static bool append(struct pieces *pieces, uint64_t nbytes)
{
	const size_t more = pieces->capacity ? 2 * pieces->capacity : 8;
	uint64_t *grown;

	if (pieces->n == pieces->capacity) {
		grown = realloc(pieces->each, more * sizeof *grown);
		if (!grown)
			return false;
		pieces->each = grown;
		pieces->capacity = more;
	}
	pieces->each[pieces->n++] = nbytes;
	pieces->nbytes += nbytes;
	return true;
}

static bool is_version(int since)
{
	int version = 0;

	return gshmemi_devmem_is_known(hipRuntimeGetVersion(&version)) && version >= since;
}

/*
 * *handle_p: the handle of the piece that begins at start, for give_handle; false: there is none. It asks for
 * access first, because runtimes before GSHMEMI_ARCH_RETAIN_SINCE treat any memory as virtual; still older
 * ones do not set the handle.
 */
static bool take_handle(void *start, hipMemGenericAllocationHandle_t *handle_p)
{
	unsigned long long flags;
	hipMemLocation location;
	int device;

	memset(&location, 0, sizeof location);
	location.type = hipMemLocationTypeDevice;
	*handle_p = 0;
	if (!gshmemi_devmem_is_known(hipGetDevice(&device)))
		return false;
	location.id = device;
	return gshmemi_devmem_is_known(hipMemGetAccess(&flags, &location, start)) &&
		gshmemi_devmem_is_known(hipMemRetainAllocationHandle(handle_p, start)) && *handle_p;
}

static void give_handle(hipMemGenericAllocationHandle_t handle)
{
	if (is_version(GSHMEMI_ARCH_RETAIN_SINCE))
		gshmemi_hip_ignore(hipMemRelease(handle), "hipMemRelease");
}

/* Finds the piece that an address is in. */
static bool find_piece(const char *address, char **start_p, uint64_t *nbytes_p)
{
	hipMemGenericAllocationHandle_t handle;
	hipDeviceptr_t start;
	size_t nbytes;

	if (!gshmemi_devmem_is_known(
		    hipMemGetAddressRange(&start, &nbytes, (hipDeviceptr_t)(uintptr_t)address)) ||
		!take_handle((void *)start, &handle))
		return false;
	give_handle(handle);
	*start_p = (char *)start;
	*nbytes_p = nbytes;
	return true;
}

bool gshmemi_virtual_contains(void *address)
{
	uint64_t nbytes;
	char *start;

	return find_piece(address, &start, &nbytes);
}

/* Returns a descriptor of the piece at start, or -1. */
static int export(char *start, hipError_t *error_p)
{
	hipMemGenericAllocationHandle_t handle;
	int fd = -1;

	*error_p = hipErrorInvalidValue;
	if (!take_handle(start, &handle))
		return -1;
	*error_p = hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 0);
	give_handle(handle);
	return gshmemi_devmem_is_known(*error_p) ? gshmemi_file_keep(fd) : -1;
}

/* Finds all pieces that nbytes from base on lie in. Each must have a descriptor. */
static int find_pieces(struct pieces *pieces, const char *base, uint64_t nbytes, const char *call)
{
	const char *at = base;
	uint64_t piece_nbytes;
	hipError_t error;
	char *start;
	int fd;

	do {
		if (!find_piece(at, &start, &piece_nbytes) || (pieces->n && start != at)) {
			gshmemi_error("%s: %p: the memory is mapped for %llu of %llu bytes", call,
				(const void *)base, (unsigned long long)(at - base),
				(unsigned long long)nbytes);
			return -EINVAL;
		}
		fd = export(start, &error);
		if (fd < 0 && gshmemi_report_file_limit(call))
			return -EMFILE;
		if (fd < 0) {
			gshmemi_error("%s: %p: hipMemExportToShareableHandle: %s: other processes cannot map "
				      "this memory; create it with "
				      "requestedHandleType hipMemHandleTypePosixFileDescriptor, or use "
				      "memory of hipMalloc",
				call, (void *)start, hipGetErrorString(error));
			return -ENOTSUP;
		}
		close(fd);
		pieces->base = pieces->n ? pieces->base : start;
		if (!append(pieces, piece_nbytes)) {
			gshmemi_error("%s: out of memory for the list of pieces", call);
			return -ENOMEM;
		}
		at = start + piece_nbytes;
	} while ((uint64_t)(at - base) < nbytes);
	return 0;
}

/* ---- this PE's memory: descriptors for peers ---- */

/*
 * Sends descriptors of the next pieces, from number first on, which starts at *at_p. False: stop
 * serving this peer.
 */
static bool hand_batch(const struct gshmemi_offer *offer, int peer, size_t first, char **at_p)
{
	struct gshmemi_descriptors batch = {0};
	int fds[GSHMEMI_DESCRIPTORS];
	hipError_t error;
	bool is_sent;

	while (batch.n < GSHMEMI_DESCRIPTORS && first + batch.n < offer->pieces.n) {
		fds[batch.n] = export(*at_p, &error);
		if (fds[batch.n] < 0)
			break;
		batch.nbytes[batch.n] = offer->pieces.each[first + batch.n];
		*at_p += batch.nbytes[batch.n++];
	}
	is_sent = batch.n && gshmemi_descriptors_send(peer, &batch, fds);
	while (batch.n)
		close(fds[--batch.n]);
	return is_sent;
}

static void drop(struct receiver *receiver)
{
	if (receiver->fd >= 0)
		close(receiver->fd);
	receiver->fd = -1;
}

/* Called when the receiver has asked, or has closed its connection. */
static void serve_receiver(const struct gshmemi_offer *offer, struct receiver *receiver)
{
	const bool is_sent = gshmemi_descriptors_asked(receiver->fd) &&
		hand_batch(offer, receiver->fd, receiver->first, &receiver->at);

	receiver->first += GSHMEMI_DESCRIPTORS;
	if (!is_sent || receiver->first >= offer->pieces.n)
		drop(receiver);
}

static void welcome(const struct gshmemi_offer *offer, struct receiver *receivers, unsigned *next_p)
{
	const int fd = gshmemi_descriptors_accept(offer->listener);
	struct receiver *place;
	unsigned i;

	if (fd < 0)
		return;
	for (i = 0; i < NRECEIVERS && receivers[*next_p % NRECEIVERS].fd >= 0; i++)
		++*next_p;
	place = &receivers[(*next_p)++ % NRECEIVERS];
	drop(place);
	*place = (struct receiver){fd, 0, offer->pieces.base};
}

/* Waits for who connects and for who asks. False: the thread is told to stop. */
static bool attend(const struct gshmemi_offer *offer, struct receiver *receivers, unsigned *next_p)
{
	struct pollfd fds[2 + NRECEIVERS] = {{offer->stop, POLLIN, 0}, {offer->listener, POLLIN, 0}};
	struct receiver *served[NRECEIVERS];
	nfds_t n = 2, i;

	for (i = 0; i < NRECEIVERS; i++) {
		if (receivers[i].fd < 0)
			continue;
		served[n - 2] = &receivers[i];
		fds[n++] = (struct pollfd){receivers[i].fd, POLLIN, 0};
	}
	if (poll(fds, n, -1) < 0)
		return errno == EINTR;
	for (i = 2; i < n; i++)
		if (fds[i].revents)
			serve_receiver(offer, served[i - 2]);
	if (fds[1].revents)
		welcome(offer, receivers, next_p);
	return !fds[0].revents;
}

static void *run_thread(void *arg)
{
	struct receiver receivers[NRECEIVERS];
	unsigned next = 0, i;

	(void)gshmemi_devmem_enter();
	for (i = 0; i < NRECEIVERS; i++)
		receivers[i].fd = -1;
	while (attend(arg, receivers, &next))
		;
	for (i = 0; i < NRECEIVERS; i++)
		drop(&receivers[i]);
	return NULL;
}

static int listen_for(struct gshmemi_offer *offer, const char *call, struct gshmemi_descriptors_name *name_p)
{
	offer->listener = gshmemi_descriptors_listen(call, name_p);
	if (offer->listener < 0)
		return offer->listener;
	offer->stop = gshmemi_file_keep(eventfd(0, EFD_CLOEXEC));
	if (offer->stop >= 0)
		return 0;
	gshmemi_error("%s: eventfd: %s", call, strerror(errno));
	return -EMFILE;
}

static void destroy(struct gshmemi_offer *offer)
{
	if (offer->listener >= 0)
		close(offer->listener);
	if (offer->stop >= 0)
		close(offer->stop);
	free(offer->pieces.each);
	free(offer);
}

int gshmemi_virtual_offer(const char *base, uint64_t nbytes, const char *call, struct gshmemi_offer **offer_p,
	struct gshmemi_memory *memory_p)
{
	static uint64_t count;
	struct gshmemi_offer *offer = calloc(1, sizeof *offer);
	struct address address = {__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED), getpid(), {0, {0}}};
	uint64_t id = 0;
	int rc;

	if (!offer) {
		gshmemi_error("%s: out of memory while sharing virtual memory", call);
		return -ENOMEM;
	}
	offer->listener = offer->stop = -1;
	rc = find_pieces(&offer->pieces, base, nbytes, call);
	rc = rc ? rc : listen_for(offer, call, &address.name);
	rc = rc ? rc
		: gshmemi_thread_start(
			  &offer->thread, run_thread, offer, "the thread that shares virtual memory");
	if (rc) {
		destroy(offer);
		return rc;
	}
	memset(memory_p, 0, sizeof *memory_p);
	memcpy(&memory_p->handle, &address, sizeof address);
	if (gshmemi_devmem_is_known(hipPointerGetAttribute(
		    &id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, (hipDeviceptr_t)(uintptr_t)base)))
		memory_p->id = id;
	memory_p->offset = (uint64_t)(base - offer->pieces.base);
	memory_p->nbytes = offer->pieces.nbytes;
	memory_p->npieces = offer->pieces.n;
	*offer_p = offer;
	return 0;
}

void gshmemi_virtual_withdraw(struct gshmemi_offer *offer)
{
	const uint64_t one = 1;

	if (!offer)
		return;
	while (write(offer->stop, &one, sizeof one) < 0 && errno == EINTR)
		;
	pthread_join(offer->thread, NULL);
	destroy(offer);
}

/* ---- another PE's memory: mappings ---- */

static hipError_t map_piece(struct gshmemi_mapping *mapping, int fd, uint64_t nbytes)
{
	void *const os_handle = is_version(GSHMEMI_ARCH_FD_VALUE_SINCE) ? (void *)(uintptr_t)fd : &fd;
	hipMemGenericAllocationHandle_t handle;
	hipError_t error;

	if (nbytes > mapping->nbytes - mapping->pieces.nbytes)
		return hipErrorInvalidValue;
	error = hipMemImportFromShareableHandle(&handle, os_handle, hipMemHandleTypePosixFileDescriptor);
	if (error != hipSuccess)
		return error;
	error = hipMemMap(mapping->pieces.base + mapping->pieces.nbytes, nbytes, 0, handle, 0);
	gshmemi_hip_ignore(hipMemRelease(handle), "hipMemRelease"); /* the mapping stays */
	if (error == hipSuccess && !append(&mapping->pieces, nbytes)) {
		gshmemi_hip_ignore(
			hipMemUnmap(mapping->pieces.base + mapping->pieces.nbytes, nbytes), "hipMemUnmap");
		error = hipErrorOutOfMemory;
	}
	return error;
}

static hipError_t map_pieces(struct gshmemi_mapping *mapping, int owner, uint64_t npieces)
{
	hipError_t error = hipSuccess;
	struct gshmemi_descriptors batch;
	int fds[GSHMEMI_DESCRIPTORS];
	size_t n, i;

	while (error == hipSuccess && mapping->pieces.n < npieces) {
		n = gshmemi_descriptors_receive(owner, &batch, fds);
		if (!n)
			return hipErrorOperatingSystem;
		for (i = 0; i < n; i++) {
			if (error == hipSuccess)
				error = map_piece(mapping, fds[i], batch.nbytes[i]);
			close(fds[i]);
		}
	}
	return error;
}

/* Allows access to all pieces at once: some runtimes accept only whole reservations. */
static hipError_t allow(const struct gshmemi_mapping *mapping)
{
	hipMemAccessDesc desc;
	hipError_t error;
	int device;

	error = hipGetDevice(&device);
	if (error != hipSuccess)
		return error;
	memset(&desc, 0, sizeof desc);
	desc.location.type = hipMemLocationTypeDevice;
	desc.location.id = device;
	desc.flags = hipMemAccessFlagsProtReadWrite;
	return hipMemSetAccess(mapping->pieces.base, mapping->pieces.nbytes, &desc, 1);
}

void gshmemi_virtual_unmap(struct gshmemi_mapping *mapping)
{
	char *at = mapping->pieces.base;
	size_t i;

	for (i = 0; i < mapping->pieces.n; at += mapping->pieces.each[i++])
		gshmemi_hip_ignore(hipMemUnmap(at, mapping->pieces.each[i]), "hipMemUnmap");
	if (mapping->pieces.base)
		gshmemi_hip_ignore(
			hipMemAddressFree(mapping->pieces.base, mapping->nbytes), "hipMemAddressFree");
	free(mapping->pieces.each);
	free(mapping);
}

hipError_t gshmemi_virtual_map(
	const struct gshmemi_memory *memory, void **base_p, struct gshmemi_mapping **mapping_p)
{
	struct gshmemi_mapping *mapping = calloc(1, sizeof *mapping);
	const char *step = "hipMemAddressReserve";
	struct address address;
	hipError_t error;
	void *base = NULL;
	int owner;

	if (!mapping)
		return hipErrorOutOfMemory;
	memcpy(&address, &memory->handle, sizeof address);
	owner = gshmemi_descriptors_connect(&address.name);
	if (owner < 0) {
		gshmemi_warn("virtual memory of pid %d: its socket: %s (is it in another network namespace?)",
			address.pid, strerror(errno));
		free(mapping);
		return hipErrorOperatingSystem;
	}
	mapping->nbytes = memory->nbytes;
	error = hipMemAddressReserve(&base, memory->nbytes, 0, NULL, 0);
	mapping->pieces.base = base;
	if (error == hipSuccess) {
		step = "importing its descriptors";
		error = map_pieces(mapping, owner, memory->npieces);
	}
	close(owner);
	if (error == hipSuccess) {
		step = "hipMemSetAccess";
		error = allow(mapping);
	}
	if (error == hipSuccess) {
		*base_p = base;
		*mapping_p = mapping;
		return hipSuccess;
	}
	(void)hipGetLastError();
	gshmemi_warn("virtual memory of pid %d, %llu bytes in %llu pieces: %s: %s", address.pid,
		(unsigned long long)memory->nbytes, (unsigned long long)memory->npieces, step,
		hipGetErrorString(error));
	gshmemi_virtual_unmap(mapping);
	return error;
}
