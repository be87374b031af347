/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of other processes. A handle names the memfd behind an allocation: process, descriptor and the
 * identity of the file. It is opened through /proc/PID/fd/FD, or through pidfd_getfd if that is not allowed.
 * A file that is not the same any more is an error and never a wrong mapping.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime.h"

#define HANDLE_MAGIC UINT32_C(0x49504348)

struct handle {
	uint32_t magic;
	int32_t pid;
	int32_t fd;
	uint32_t reserved;
	uint64_t dev;
	uint64_t ino;
	uint64_t nbytes;
	char uuid[16]; /* of the device whose memory it is */
};

_Static_assert(sizeof(struct handle) <= HIP_IPC_HANDLE_SIZE, "the handle fits");

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *ptr)
{
	struct handle h = {.magic = HANDLE_MAGIC, .pid = getpid()};
	struct hipcpu_allocation *a;

	HIPCPU_ENTER(hipIpcGetMemHandle);
	if (!handle)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	pthread_mutex_lock(&hipcpu_memory_lock);
	a = hipcpu_memory_find(ptr);
	if (!a || (a->kind != HIPCPU_MEMORY_DEVICE && a->kind != HIPCPU_MEMORY_SHARED)) {
		pthread_mutex_unlock(&hipcpu_memory_lock);
		HIPCPU_LEAVE(hipErrorInvalidValue);
	}
	h.fd = a->fd;
	h.dev = a->dev;
	h.ino = a->ino;
	h.nbytes = a->nbytes;
	hipcpu_device_uuid(a->device, h.uuid);
	pthread_mutex_unlock(&hipcpu_memory_lock);
	memset(handle, 0, sizeof(*handle));
	memcpy(handle, &h, sizeof(h));
	HIPCPU_LEAVE(hipSuccess);
}

static void explain(const struct handle *h, int err)
{
	const char *why = "";

	if (access("/proc/self", F_OK))
		why = " (/proc is not mounted: mount -t proc proc /proc)";
	else if (err == EACCES || err == EPERM)
		why = " (another user, PR_SET_DUMPABLE 0, or ptrace_scope of the kernel)";
	else if (err == ENOENT || err == ESRCH)
		why = " (the process has ended, has freed the memory, or is in another PID namespace)";
	else if (err == ESTALE)
		why = " (the descriptor is another file now: the memory was freed, or the PID means another "
		      "process in this PID namespace)";
	hipcpu_message(
		"hipIpcOpenMemHandle: memory of pid %d, fd %d: %s%s", h->pid, h->fd, strerror(err), why);
}

/* Returns a descriptor of the file that h names, or -1 and errno. */
static int open_file(const struct handle *h)
{
	char path[64];
	struct stat st;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", h->pid, h->fd);
	fd = hipcpu_keep_file(open(path, O_RDWR | O_CLOEXEC));
	if (fd < 0 && errno != ENOENT) {
		int pidfd;

		err = errno;
		pidfd = hipcpu_keep_file((int)syscall(SYS_pidfd_open, h->pid, 0));
		if (pidfd >= 0) {
			fd = hipcpu_keep_file((int)syscall(SYS_pidfd_getfd, pidfd, h->fd, 0));
			close(pidfd);
		}
		if (fd < 0)
			errno = err;
	}
	if (fd < 0)
		return -1;
	err = fstat(fd, &st) ? errno : 0;
	if (!err && ((uint64_t)st.st_dev != h->dev || (uint64_t)st.st_ino != h->ino))
		err = ESTALE;
	if (err) {
		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

/* Maps what h names. Called with the lock of the table held. */
static hipError_t open_handle(const struct handle *h, int device, void **ptr)
{
	struct hipcpu_allocation a = {.nbytes = h->nbytes,
		.kind = HIPCPU_MEMORY_IPC,
		.device = device,
		.fd = -1,
		.dev = (dev_t)h->dev,
		.ino = (ino_t)h->ino,
		.nopens = 1};
	struct hipcpu_allocation *known;
	bool guarded;
	int fd = open_file(h);

	if (fd < 0) {
		explain(h, errno);
		return errno == ESTALE ? hipErrorInvalidValue : hipErrorMapFailed;
	}
	known = hipcpu_memory_find_file(HIPCPU_MEMORY_IPC, a.dev, a.ino);
	if (known) {
		close(fd);
		known->nopens++;
		*ptr = known->base;
		return hipSuccess;
	}
	a.mapped_bytes = hipcpu_round_to_pages(h->nbytes);
	a.base = hipcpu_memory_map(fd, a.mapped_bytes);
	if (!a.base) {
		explain(h, errno);
		close(fd);
		return hipErrorMapFailed;
	}
	guarded = hipcpu_access_guard(a.base, a.mapped_bytes, fd);
	close(fd);
	if (!guarded || !hipcpu_memory_insert(&a)) {
		hipcpu_access_forget(a.base);
		munmap(a.base, a.mapped_bytes);
		return hipErrorOutOfMemory;
	}
	*ptr = a.base;
	return hipSuccess;
}

hipError_t hipIpcOpenMemHandle(void **ptr, hipIpcMemHandle_t handle, unsigned flags)
{
	int device, current;
	struct handle h;
	hipError_t err;

	HIPCPU_ENTER(hipIpcOpenMemHandle);
	memcpy(&h, &handle, sizeof(h));
	current = hipcpu_current_device();
	if (!ptr || (flags & ~(unsigned)hipIpcMemLazyEnablePeerAccess) || h.magic != HANDLE_MAGIC ||
		!h.nbytes || h.nbytes > SIZE_MAX / 2)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	device = hipcpu_device_by_uuid(h.uuid);
	if (device < 0 || device >= HIPCPU_MAX_DEVICES) {
		hipcpu_message("hipIpcOpenMemHandle: memory of pid %d is on another machine", h.pid);
		HIPCPU_LEAVE(hipErrorInvalidValue);
	}
	if (hipcpu_config()->no_peer[current] >> device & 1)
		HIPCPU_LEAVE(hipErrorPeerAccessUnsupported);
	pthread_mutex_lock(&hipcpu_memory_lock);
	err = open_handle(&h, device, ptr);
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(err);
}

hipError_t hipIpcCloseMemHandle(void *ptr)
{
	struct hipcpu_allocation *a, gone;

	HIPCPU_ENTER(hipIpcCloseMemHandle);
	hipcpu_device_drain(hipcpu_current_device());
	pthread_mutex_lock(&hipcpu_memory_lock);
	a = hipcpu_memory_find(ptr);
	if (!a || a->kind != HIPCPU_MEMORY_IPC || a->base != (char *)ptr) {
		pthread_mutex_unlock(&hipcpu_memory_lock);
		HIPCPU_LEAVE(hipErrorInvalidValue);
	}
	gone = *a;
	if (!--a->nopens)
		hipcpu_memory_remove(a);
	pthread_mutex_unlock(&hipcpu_memory_lock);
	if (gone.nopens == 1) {
		hipcpu_access_forget(gone.base);
		munmap(gone.base, gone.mapped_bytes);
	}
	HIPCPU_LEAVE(hipSuccess);
}
