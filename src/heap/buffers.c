/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registered buffers. Kernels read the table while the host writes it: a place is empty while it has no
 * bytes, so its bytes are written last, and a place that was in use stays below n.
 */
#include "heap/buffers.h"

#include <pthread.h>

#include "device/devmem.h"
#include "heap/heap.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gshmemi_buffers *table;
static bool is_device[GSHMEMI_MAX_BUFFERS];

int gshmemi_buffers_open(void)
{
	void *ptr;
	const int rc = gshmemi_host_allocate(sizeof *table, "table of registered buffers", &ptr);

	if (!rc)
		table = ptr;
	return rc;
}

void gshmemi_buffers_close(void)
{
	gshmemi_host_free(table);
	table = NULL;
}

const struct gshmemi_buffers *gshmemi_buffers_table(void)
{
	return table;
}

static void set(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Returns the first place whose buffer has a byte of these, or GSHMEMI_MAX_BUFFERS. */
static unsigned find_place(uint64_t base, uint64_t nbytes)
{
	const struct gshmemi_buffer *buffer;
	unsigned i;

	for (i = 0; i < GSHMEMI_MAX_BUFFERS; i++) {
		buffer = &table->buffer[i];
		if (buffer->nbytes && base < buffer->base + buffer->nbytes && buffer->base < base + nbytes)
			return i;
	}
	return i;
}

bool gshmemi_buffers_are_device(const void *address)
{
	unsigned i;

	for (i = 0; i < __atomic_load_n(&table->n, __ATOMIC_ACQUIRE); i++)
		if ((uintptr_t)address - __atomic_load_n(&table->buffer[i].base, __ATOMIC_ACQUIRE) <
			__atomic_load_n(&table->buffer[i].nbytes, __ATOMIC_ACQUIRE))
			return is_device[i];
	return false;
}

/* Memory that HIP does not know is the host's. */
static bool is_of_device(const void *address)
{
	hipPointerAttribute_t attributes;

	return !gshmemi_devmem_is_pinned(address) &&
		gshmemi_devmem_is_known(hipPointerGetAttributes(&attributes, address));
}

static int add_buffer(uint64_t base, uint64_t nbytes, bool is_devices, const char *call)
{
	const unsigned other = find_place(base, nbytes);
	unsigned place = 0;

	if (other < GSHMEMI_MAX_BUFFERS) {
		gshmemi_error("%s: the %llu bytes at %p overlap the %llu bytes at %p, which are registered",
			call, (unsigned long long)nbytes, (void *)(uintptr_t)base,
			(unsigned long long)table->buffer[other].nbytes,
			(void *)(uintptr_t)table->buffer[other].base);
		return -EEXIST;
	}
	while (place < GSHMEMI_MAX_BUFFERS && table->buffer[place].nbytes)
		place++;
	if (place == GSHMEMI_MAX_BUFFERS) {
		gshmemi_error("%s: %d buffers are registered, and there is room for no more", call,
			GSHMEMI_MAX_BUFFERS);
		return -ENOMEM;
	}
	is_device[place] = is_devices;
	set(&table->buffer[place].base, base);
	set(&table->buffer[place].nbytes, nbytes);
	if (place >= table->n)
		set(&table->n, place + 1);
	return 0;
}

int gshmemx_buffer_register(void *addr, size_t nbytes)
{
	static const char call[] = "gshmemx_buffer_register";
	const uint64_t base = (uintptr_t)addr, heap = (uintptr_t)gshmemi_heap.base;
	int rc = gshmemi_enter_int(call);

	if (rc)
		return rc;
	if (!addr || !nbytes || base + nbytes < base) {
		gshmemi_error("%s: %zu bytes at %p are no memory", call, nbytes, addr);
		return -EINVAL;
	}
	if (base < heap + gshmemi_heap.nbytes && heap < base + nbytes) {
		gshmemi_error("%s: %zu bytes at %p are in the symmetric heap, which needs no registration",
			call, nbytes, addr);
		return -EINVAL;
	}
	pthread_mutex_lock(&lock);
	rc = add_buffer(base, nbytes, is_of_device(addr), call);
	pthread_mutex_unlock(&lock);
	return rc;
}

int gshmemx_buffer_unregister(void *addr)
{
	static const char call[] = "gshmemx_buffer_unregister";
	int rc = gshmemi_enter_int(call);
	unsigned place;

	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	place = find_place((uintptr_t)addr, 1);
	if (place == GSHMEMI_MAX_BUFFERS || table->buffer[place].base != (uintptr_t)addr) {
		gshmemi_error("%s: no registered buffer begins at %p", call, addr);
		rc = -EINVAL;
	} else {
		set(&table->buffer[place].nbytes, 0);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

void gshmemx_buffer_unregister_all(void)
{
	unsigned i;

	gshmemi_enter("gshmemx_buffer_unregister_all");
	pthread_mutex_lock(&lock);
	for (i = 0; i < GSHMEMI_MAX_BUFFERS; i++)
		set(&table->buffer[i].nbytes, 0);
	pthread_mutex_unlock(&lock);
}
