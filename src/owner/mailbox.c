/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mailbox's memory, and the CPU's side of it. Processes of one device that have mapped each other share a
 * mailbox: a memfd that the lowest of these PEs creates and the others open. A poster holds a lock in it, but
 * nobody waits for that lock.
 */
#include "owner/mailbox.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "bootstrap/bootstrap.h"
#include "heap/heap.h"
#include "ipc/region.h"
#include "job/job.h"

/* The box, followed by what the posting processes share. */
struct memory {
	struct gshmemi_mailbox box;
	uint32_t is_posting; /* a lock */
	uint32_t nposted;    /* counts by twos, without GSHMEMI_ATTENTION_END; guarded by is_posting */
	uint8_t is_kept[GSHMEMI_MAIL_SLOTS]; /* holds an old value that its poster has not taken yet */
};

bool gshmemi_mailbox_is_wanted;

static struct memory *memory;              /* NULL: there is no mailbox */
static struct gshmemi_mailbox *device_box; /* its address for kernels */
static uint32_t *lock;                     /* the kernels' lock, in device memory */
static bool is_registered;                 /* memory is a memfd */
static int own_fd = -1; /* the memfd for others to open; stays open, because they may be late */

static size_t memory_nbytes(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct memory) + page - 1) & ~(page - 1);
}

/* ---- the memory ---- */

static int report_step(const char *step)
{
	const int rc = -errno;

	if (!gshmemi_report_file_limit("init"))
		gshmemi_error(
			"init: %s of the mailbox that PEs of one device share: %s", step, strerror(errno));
	return rc;
}

static int create_file(int *fd_p)
{
	const int fd = gshmemi_file_memory("gshmem-mailbox");
	int rc;

	if (fd < 0)
		return report_step("memfd_create");
	if (ftruncate(fd, (off_t)memory_nbytes())) {
		rc = report_step("ftruncate");
		close(fd);
		return rc;
	}
	*fd_p = fd;
	return 0;
}

static int open_file(const struct gshmemi_peer *peer, int peer_fd, int *fd_p)
{
	const int fd = gshmemi_job_open_file(peer->pe, peer_fd, O_RDWR);
	char why[128];

	if (fd < 0) {
		gshmemi_job_explain(peer->pe, why, sizeof why);
		gshmemi_error(
			"init: the mailbox of PE %d, whose device this PE shares: pid %d on %s: %s (%s)",
			peer->pe, (int)peer->pid, gshmemi_job->host, strerror(-fd), why);
		return fd;
	}
	*fd_p = fd;
	return 0;
}

/* Maps the file for this process and its kernels. */
static int map_file(int fd)
{
	void *map, *device;
	int rc;

	map = mmap(NULL, memory_nbytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return report_step("mmap");
	rc = gshmemi_hip(
		hipHostRegister(map, memory_nbytes(), hipHostRegisterMapped | hipHostRegisterPortable),
		"init: hipHostRegister of %zu bytes for the mailbox", memory_nbytes());
	if (rc)
		goto err_unmap;
	rc = gshmemi_hip(
		hipHostGetDevicePointer(&device, map, 0), "init: hipHostGetDevicePointer of the mailbox");
	if (rc)
		goto err_unregister;
	memory = map;
	device_box = device;
	is_registered = true;
	return 0;

err_unregister:
	gshmemi_hip_ignore(hipHostUnregister(map), "hipHostUnregister");
err_unmap:
	munmap(map, memory_nbytes());
	return rc;
}

static int allocate_memory(void)
{
	void *ptr;
	const int rc = gshmemi_host_allocate(memory_nbytes(), "mailbox", &ptr);

	if (rc)
		return rc;
	memory = ptr;
	device_box = ptr;
	is_registered = false;
	return 0;
}

/* ---- who shares it ---- */

/*
 * PEs are indices of peers here. maps[i * npeers + j]: PE i has mapped PE j. The row after the last PE's is
 * used only in this function.
 */
static char *collect_maps(void)
{
	const int n = gshmemi_job->npeers;
	char *maps = calloc((size_t)n + 1, (size_t)n), *mine;
	int i;

	if (!maps)
		gshmemi_end(1); /* the other PEs are already in the exchange and cannot be told */
	mine = maps + n * n;
	for (i = 0; i < n; i++)
		mine[i] = gshmemi_region_delta(GSHMEMI_REGION_SYNC, gshmemi_job->peers[i].pe) !=
			GSHMEMI_SENTINEL;
	gshmemi_bootstrap_allgather_node(mine, maps, (size_t)n);
	return maps;
}

/*
 * Whether PE i may share leader's mailbox: it and all PEs below it that do must have mapped each other,
 * because each performs operations on all of them.
 */
static bool may_join(const char *maps, const int *leaders, int i, int leader)
{
	const int n = gshmemi_job->npeers;
	int j;

	for (j = 0; j < i; j++)
		if (leaders[j] == leader && !(maps[i * n + j] && maps[j * n + i]))
			return false;
	return true;
}

/*
 * Returns the PE whose mailbox this PE uses: the lowest that it may join. The PEs of a device all come to
 * the same result.
 */
static int find_leader(void)
{
	const int n = gshmemi_job->npeers;
	char *maps = collect_maps();
	int *leaders = malloc((size_t)n * sizeof *leaders), i, leader;

	if (!leaders)
		gshmemi_end(1);
	for (i = 0; i < n; i++) {
		leaders[i] = -1;
		for (leader = 0; gshmemi_job->peers[i].is_sharer && leaders[i] < 0; leader++)
			if (leader == i || (leaders[leader] == leader && may_join(maps, leaders, i, leader)))
				leaders[i] = leader;
	}
	leader = leaders[gshmemi_job->rank];
	free(leaders);
	free(maps);
	return leader;
}

/* The PEs of the machine tell each other their memfds, and each maps its leader's. */
static int share(int leader)
{
	int64_t *fds = calloc((size_t)gshmemi_job->npeers, sizeof *fds), mine;
	const bool is_own = leader == gshmemi_job->rank;
	int fd = -1, rc = 0;

	if (!fds)
		gshmemi_end(1); /* the other PEs are already in the exchange and cannot be told */
	if (is_own && gshmemi_job->nsharers > 1)
		rc = create_file(&own_fd);
	mine = own_fd;
	gshmemi_bootstrap_allgather_node(&mine, fds, sizeof mine);
	if (!rc && gshmemi_job->nsharers == 1)
		rc = allocate_memory();
	else if (!rc && is_own)
		rc = map_file(own_fd);
	else if (!rc)
		rc = fds[leader] < 0 ? -EIO : open_file(&gshmemi_job->peers[leader], (int)fds[leader], &fd);
	free(fds);
	if (fd < 0)
		return rc;
	rc = map_file(fd);
	close(fd);
	return rc;
}

/*
 * The lock is in device memory of the leader, which the others have mapped, because kernels have no atomics
 * on host memory.
 */
static uint32_t *find_lock(int leader)
{
	const ptrdiff_t delta = gshmemi_region_delta(GSHMEMI_REGION_SYNC, gshmemi_job->peers[leader].pe);

	return (uint32_t *)(void *)((char *)gshmemi_heap.mail_lock + delta);
}

int gshmemi_mailbox_open(void)
{
	int leader, rc;

	if (GSHMEMI_ARCH_HOST_DIRECT || !gshmemi_mailbox_is_wanted)
		return 0;
	leader = find_leader();
	rc = share(leader);
	if (rc)
		return rc;
	lock = find_lock(leader);
	return 0;
}

void gshmemi_mailbox_close(void)
{
	if (memory && is_registered) {
		gshmemi_hip_ignore(hipHostUnregister(memory), "hipHostUnregister");
		munmap(memory, memory_nbytes());
	} else if (memory) {
		gshmemi_host_free(memory);
	}
	if (own_fd >= 0)
		close(own_fd);
	memory = NULL;
	own_fd = -1;
}

void gshmemi_mailbox_describe(struct gshmemi_state *state)
{
	if (!memory)
		return;
	state->why |= GSHMEMI_WHY_MAIL;
	state->attention = &device_box->attention;
	state->mailbox = device_box;
	state->mail_lock = lock;
}

void gshmemi_mailbox_poison(void)
{
	if (memory)
		__atomic_fetch_or(&memory->box.attention.posted, GSHMEMI_ATTENTION_END, __ATOMIC_RELEASE);
}

int gshmemi_mailbox_start(void)
{
	return memory ? gshmemi_attend_start() : 0;
}

void gshmemi_mailbox_stop(void)
{
	if (memory)
		gshmemi_attend_stop();
}

/* ---- posting ---- */

/* acquire: pairs with the release in gshmemi_mail_serve; it has performed and read everything up to done */
static uint32_t load_done(void)
{
	return __atomic_load_n(&memory->box.attention.done, __ATOMIC_ACQUIRE);
}

static bool has_room(uint32_t slot)
{
	return memory->nposted - load_done() < 2 * GSHMEMI_MAIL_SLOTS &&
		!__atomic_load_n(&memory->is_kept[slot], __ATOMIC_ACQUIRE);
}

static void fill_slot(uint32_t slot, const struct gshmemi_op_record *mail, const void *data)
{
	struct gshmemi_op_record *record = &memory->box.record[slot];
	const size_t nbytes = mail->place >> GSHMEMI_OP_NBYTES_SHIFT;

	record->head = mail->head;
	record->place = mail->place;
	if (gshmemi_op_what(mail->head) != GSHMEMI_PUT)
		record->u.amo = mail->u.amo;
	else if (nbytes <= 8 && !(nbytes & (nbytes - 1)))
		memcpy(&record->u.amo.value, data, nbytes);
	else
		memcpy(memory->box.data[slot], data, nbytes);
	__atomic_store_n(&memory->is_kept[slot], (mail->head & GSHMEMI_OP_FETCHES) != 0, __ATOMIC_RELAXED);
}

/* release: pairs with the acquire in gshmemi_mail_serve. */
bool gshmemi_mailbox_post(const struct gshmemi_op_record *mail, const void *data, uint64_t *ticket_p)
{
	const uint32_t slot_mask = GSHMEMI_MAIL_SLOTS - 1;
	bool is_posted;

	if (!memory || __atomic_exchange_n(&memory->is_posting, 1, __ATOMIC_ACQUIRE))
		return false;
	is_posted = has_room(memory->nposted / 2 & slot_mask);
	if (is_posted) {
		fill_slot(memory->nposted / 2 & slot_mask, mail, data);
		*ticket_p = memory->nposted;
		memory->nposted += 2;
		__atomic_fetch_add(&memory->box.attention.posted, 2, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&memory->is_posting, 0, __ATOMIC_RELEASE);
	if (is_posted)
		gshmemi_attend_wake();
	return is_posted;
}

bool gshmemi_mailbox_is_done(uint64_t ticket, uint64_t *old_p)
{
	const uint32_t slot = (uint32_t)ticket / 2 % GSHMEMI_MAIL_SLOTS;

	if ((int32_t)(load_done() - (uint32_t)ticket) <= 0)
		return false;
	if (old_p) {
		*old_p = memory->box.reply[slot];
		/* pairs with the acquire of has_room */
		__atomic_store_n(&memory->is_kept[slot], 0, __ATOMIC_RELEASE);
	}
	return true;
}

/* ---- for attend.c ---- */

bool gshmemi_mailbox_look(uint32_t *done_p, unsigned *nopen_p)
{
	const uint32_t posted = __atomic_load_n(&memory->box.attention.posted, __ATOMIC_ACQUIRE);

	*done_p = load_done();
	*nopen_p = ((posted & ~GSHMEMI_ATTENTION_END) - *done_p) / 2;
	return *nopen_p != 0;
}

bool gshmemi_mailbox_name_next(char *text, size_t nbytes)
{
	const struct gshmemi_op_record *record = &memory->box.record[load_done() / 2 % GSHMEMI_MAIL_SLOTS];
	static const char *const names[] = {
		[GSHMEMI_PUT] = "a put", [GSHMEMI_AMO] = "an atomic", [GSHMEMI_FLAG] = "a flag"};
	const uint64_t head = __atomic_load_n(&record->head, __ATOMIC_RELAXED);
	const uint64_t place = __atomic_load_n(&record->place, __ATOMIC_RELAXED);

	snprintf(text, nbytes, "%s at 0x%llx of region %u", names[gshmemi_op_what(head)],
		(unsigned long long)(place & GSHMEMI_OP_OFFSET), gshmemi_op_region(head));
	return (int)gshmemi_op_who(head) == gshmemi_job->my_pe;
}
