/* SPDX-License-Identifier: BSD-3-Clause */
/* links: inner */
/* run: -n 1,2 */
/* env: GSHMEM_HEAP_SIZE=4m GSHMEM_DEVICE=0 GSHMEM_CPU_BLOCKS=8 */
/* timeout: 200 */
/*
 * The GPU performs every kind of operation that its CPU posts to the mailbox, correctly and in order: when no
 * kernel runs; when the work-groups that fill the GPU wait, or call test in a loop, so that no kernel of the
 * library can start; beside atomics of kernels on the same words; and, if no work-group of this process
 * looks, by waiting work-groups of another process on the same device.
 */
#include <sched.h>
#include <time.h>
#include "oracle.h"
#include "regions.h"

#include <gshmem/move/carry.h>

#include "owner/mail.h"

extern "C" {
uint64_t gshmemi_heap_offset(const void *address);
}

/* more than there are slots */
enum { NTHREADS = 64, NMAILS = 300, NPUTS = 150, NBYTES = 256, NADDS = 20, LIMIT_S = 60 };

/* In the heap of each PE. */
struct words {
	uint64_t go;       /* the words for which kernels wait */
	uint64_t narrived; /* work-groups of them */
	uint64_t sum;
	uint64_t ticket;
	uint64_t taken[2 * NMAILS + 64 * NTHREADS * NADDS]; /* tickets, each drawn once */
	uint64_t word;
	unsigned char bytes[GSHMEMI_MAIL_NBYTES + 16];
};

struct test {
	struct words *words;
	int me, npes;
	unsigned nfull; /* work-groups that fill the device */
	uint32_t *stop; /* host-pinned: ends the kernel that does not look */
};

static double seconds()
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- posting ---- */

/* A mail for a word of 8 bytes in a region. */
static struct gshmemi_op_record mail_of(
	int what, int op, unsigned flags, unsigned region, uint64_t offset, int pe)
{
	struct gshmemi_op_record mail = {};

	mail.head = gshmemi_op_head(what, op, 8, flags, region, (unsigned)pe);
	mail.place = offset;
	return mail;
}

static struct gshmemi_op_record amo_of(int op, unsigned flags, uint64_t *word, uint64_t value, int pe)
{
	struct gshmemi_op_record mail =
		mail_of(GSHMEMI_AMO, op, flags, GSHMEMI_REGION_HEAP, gshmemi_heap_offset(word), pe);

	mail.u.amo.value = value;
	return mail;
}

static struct gshmemi_op_record put_of(unsigned flags, const void *dest, unsigned nbytes, int pe)
{
	struct gshmemi_op_record mail =
		mail_of(GSHMEMI_PUT, 0, flags, GSHMEMI_REGION_HEAP, gshmemi_heap_offset(dest), pe);

	mail.place |= (uint64_t)nbytes << GSHMEMI_OP_NBYTES_SHIFT;
	return mail;
}

static uint64_t post(
	const struct test *t, const struct gshmemi_op_record *mail, const void *data, const char *what)
{
	const double end_s = seconds() + LIMIT_S;
	uint64_t ticket;

	while (!gshmemi_mailbox_post(mail, data, &ticket)) {
		t_check(seconds() < end_s, "PE %d: %s: the mailbox has no room for %d s", t->me, what,
			LIMIT_S);
		sched_yield();
	}
	return ticket;
}

static uint64_t await(const struct test *t, uint64_t ticket, bool fetches, const char *what)
{
	const double end_s = seconds() + LIMIT_S;
	uint64_t old = 0;

	while (!gshmemi_mailbox_is_done(ticket, fetches ? &old : NULL)) {
		t_check(seconds() < end_s, "PE %d: %s: not performed for %d s", t->me, what, LIMIT_S);
		sched_yield();
	}
	return old;
}

static uint64_t perform(
	const struct test *t, const struct gshmemi_op_record *mail, const void *data, const char *what)
{
	const bool fetches = gshmemi_op_what(mail->head) == GSHMEMI_AMO && mail->head & GSHMEMI_OP_FETCHES;

	return await(t, post(t, mail, data, what), fetches, what);
}

static uint64_t update(const struct test *t, int op, uint64_t *word, uint64_t value, uint64_t cond,
	unsigned nbytes, int pe, const char *what)
{
	struct gshmemi_op_record mail = amo_of(op, GSHMEMI_OP_FETCHES, word, value, pe);

	mail.head = gshmemi_op_head(
		GSHMEMI_AMO, op, nbytes, GSHMEMI_OP_FETCHES, GSHMEMI_REGION_HEAP, (unsigned)pe);
	mail.u.amo.cond = cond;
	return perform(t, &mail, NULL, what);
}

/* A signal after everything that has been posted. */
static void signal(const struct test *t, uint64_t *word, uint64_t value, int pe, const char *what)
{
	const struct gshmemi_op_record mail = amo_of(GSHMEMI_AMO_SET, GSHMEMI_OP_ORDERED, word, value, pe);

	(void)perform(t, &mail, NULL, what);
}

/* ---- each kind, with nobody but the library's own kernel ---- */

static void check_word(const struct test *t, uint64_t expected, const char *what)
{
	const uint64_t found = gshmem_uint64_g(&t->words->word, t->me);

	t_check(found == expected, "PE %d: %s: expected %#llx, got %#llx", t->me, what,
		(unsigned long long)expected, (unsigned long long)found);
}

static void check_amo(const struct test *t, int op, uint64_t value, uint64_t cond, unsigned nbytes,
	uint64_t expected, const char *what)
{
	const uint64_t first = 0x5500112233445566, mask = nbytes == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t old;

	gshmem_uint64_p(&t->words->word, first, t->me);
	gshmem_quiet();
	old = update(t, op, &t->words->word, value, cond, nbytes, t->me, what);
	if (op != GSHMEMI_AMO_SET)
		t_check(old == (first & mask), "PE %d: %s: expected old value %#llx, got %#llx", t->me, what,
			(unsigned long long)(first & mask), (unsigned long long)old);
	check_word(t, (expected & mask) | (first & ~mask), what);
}

static void check_amos(const struct test *t, unsigned nbytes)
{
	const uint64_t first = 0x5500112233445566, v = 0x0f1e2d3c4b5a6978;

	check_amo(t, GSHMEMI_AMO_ADD, v, 0, nbytes, first + v, "add");
	check_amo(t, GSHMEMI_AMO_AND, v, 0, nbytes, first & v, "and");
	check_amo(t, GSHMEMI_AMO_OR, v, 0, nbytes, first | v, "or");
	check_amo(t, GSHMEMI_AMO_XOR, v, 0, nbytes, first ^ v, "xor");
	check_amo(t, GSHMEMI_AMO_SWAP, v, 0, nbytes, v, "swap");
	check_amo(t, GSHMEMI_AMO_SET, v, 0, nbytes, v, "set");
	check_amo(t, GSHMEMI_AMO_FETCH, v, 0, nbytes, first, "fetch");
	check_amo(t, GSHMEMI_AMO_CAS, v, first, nbytes, v, "compare_swap");
	check_amo(t, GSHMEMI_AMO_CAS, v, first + 1, nbytes, first, "compare_swap of another value");
}

static void check_put(const struct test *t, unsigned nbytes, unsigned at)
{
	unsigned char source[GSHMEMI_MAIL_NBYTES + 16], expected[sizeof source], found[sizeof source];
	const struct gshmemi_op_record mail = put_of(0, t->words->bytes + at, nbytes, t->me);
	size_t i;

	t_fill(source, sizeof source, nbytes + at);
	memset(expected, 0, sizeof expected);
	memcpy(expected + at, source, nbytes);
	gshmem_putmem(t->words->bytes, memset(found, 0, sizeof found), sizeof found, t->me);
	gshmem_quiet();
	(void)perform(t, &mail, source, "put");
	gshmem_getmem(found, t->words->bytes, sizeof found, t->me);
	i = t_differ(found, expected, sizeof found);
	t_check(i == sizeof found, "PE %d: put of %u bytes at %u: byte %zu: expected %d, got %d", t->me,
		nbytes, at, i, expected[i], found[i]);
}

static void check_kinds(const struct test *t)
{
	static const unsigned sizes[] = {0, 1, 2, 3, 4, 7, 8, 9, 16, 100, GSHMEMI_MAIL_NBYTES};
	struct gshmemi_op_record flag =
		mail_of(GSHMEMI_FLAG, 0, 0, GSHMEMI_REGION_HEAP, gshmemi_heap_offset(&t->words->word), t->me);
	size_t i;

	check_amos(t, 4);
	check_amos(t, 8);
	for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		check_put(t, sizes[i], 0);
		check_put(t, sizes[i], sizes[i] & 7 ? 3 : 8); /* a value is aligned */
	}
	gshmem_uint64_p(&t->words->word, 7, t->me);
	gshmem_quiet();
	for (i = 0; i < 3; i++) {
		flag.u.amo.value = 8 - i;
		(void)perform(t, &flag, NULL, "flag");
	}
	check_word(t, 8, "a flag raised to 8, and not lowered");
}

/* The region of a window, served by another process's kernel. */
static void check_region(const struct test *t)
{
	uint64_t *memory = (uint64_t *)t_hipmalloc(64);
	struct gshmemi_op_record add;
	gshmemx_win_t win;

	t_memset(memory, 0, 64);
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 64, 1, &win), 0, "win_create");
	add = mail_of(GSHMEMI_AMO, GSHMEMI_AMO_ADD, 0, (unsigned)t_region_of(win), 16, (t->me + 1) % t->npes);
	add.u.amo.value = 5;
	(void)perform(t, &add, NULL, "add in a region");
	gshmem_barrier_all();
	t_equal(t_read_u64(memory + 2), 5, "sum in a region");
	t_equal(gshmemx_win_free(&win), 0, "win_free");
	t_hip(hipFree(memory));
}

/* ---- kernels that fill the device ---- */

/*
 * Each work-group reports that it runs, and stays until a wait or a test sees the word that follows the data.
 */
__global__ void wait_kernel(struct words *w, int tests, uint64_t *nwrong)
{
	const int me = gshmem_my_pe();
	unsigned i;

	if (threadIdx.x == 0)
		gshmem_uint64_atomic_inc(&w->narrived, me);
	if (tests)
		while (!gshmem_uint64_test(&w->go, GSHMEM_CMP_EQ, 1))
			;
	else
		gshmem_uint64_wait_until(&w->go, GSHMEM_CMP_EQ, 1);
	for (i = threadIdx.x; i < NBYTES; i += NTHREADS)
		if (w->bytes[i] != t_byte(NPUTS, i))
			gshmem_uint64_atomic_inc(nwrong, me);
}

/* It polls memory of its own PE. */
__global__ void spin_kernel(uint64_t *narrived, const uint32_t *stop)
{
	unsigned polls = 0;

	if (threadIdx.x == 0)
		gshmem_uint64_atomic_inc(narrived, gshmem_my_pe());
	while (!gshmemi_arch_load(stop, 4))
		gshmemi_arch_pause(&polls);
}

/* Adds to the sum, and draws tickets. */
__global__ void add_kernel(struct words *w)
{
	const int me = gshmem_my_pe();
	int i;

	for (i = 0; i < NADDS; i++) {
		gshmem_uint64_atomic_add(&w->sum, 3, me);
		gshmem_uint64_atomic_inc(&w->taken[gshmem_uint64_atomic_fetch_inc(&w->ticket, me)], me);
	}
}

static void clear(const struct test *t)
{
	t_memset(t->words, 0, sizeof *t->words);
	gshmem_barrier_all();
}

/* Fill the device, then post work that only the device may do. */
static void check_full(const struct test *t, int tests)
{
	const char *what = tests ? "a GPU full of kernels that test" : "a GPU full of kernels that wait";
	struct words *w = t->words;
	const struct gshmemi_op_record put = put_of(GSHMEMI_OP_ORDERED, w->bytes, NBYTES, t->me);
	const struct gshmemi_op_record add = amo_of(GSHMEMI_AMO_ADD, 0, &w->sum, 5, t->me);
	unsigned char source[NBYTES];
	uint64_t last = 0;
	int i;

	clear(t);
	hipLaunchKernelGGL(wait_kernel, dim3(t->nfull), dim3(NTHREADS), 0, 0, w, tests, &w->word);
	t_hip(hipGetLastError());
	gshmem_uint64_wait_until(&w->narrived, GSHMEM_CMP_GE, t->nfull / t->npes);
	for (i = 0; i < NMAILS; i++)
		last = post(t, &add, NULL, what);
	(void)await(t, last, false, what);
	t_equal(update(t, GSHMEMI_AMO_FETCH, &w->sum, 0, 0, 8, t->me, what), 5 * NMAILS, what);
	for (i = 1; i <= NPUTS; i++) {
		t_fill(source, sizeof source, (unsigned)i);
		(void)post(t, &put, source, what);
	}
	signal(t, &w->go, 1, t->me, what);
	t_hip(hipDeviceSynchronize());
	t_equal(gshmem_uint64_g(&w->word, t->me), 0, "bytes that came after the signal");
}

/* Kernels and mails add to the same sums and draw the same tickets. */
static void check_exact(const struct test *t)
{
	static const char what[] = "atomics of kernels beside mails";
	static uint64_t taken[sizeof t->words->taken / 8];
	const unsigned nblocks = t->nfull < 16 ? t->nfull : 16, nadds = nblocks * NTHREADS * NADDS;
	const struct gshmemi_op_record add = amo_of(GSHMEMI_AMO_ADD, 0, &t->words->sum, 5, t->me);
	unsigned i;

	clear(t);
	hipLaunchKernelGGL(add_kernel, dim3(nblocks), dim3(NTHREADS), 0, 0, t->words);
	t_hip(hipGetLastError());
	memset(taken, 0, sizeof taken);
	for (i = 0; i < NMAILS; i++) {
		(void)post(t, &add, NULL, what);
		taken[update(t, GSHMEMI_AMO_ADD, &t->words->ticket, 1, 0, 8, t->me, what)]++;
	}
	t_hip(hipDeviceSynchronize());
	t_equal(gshmem_uint64_g(&t->words->sum, t->me), 3 * nadds + 5 * NMAILS, what);
	for (i = 0; i < nadds + NMAILS; i++)
		t_equal(taken[i] + gshmem_uint64_g(&t->words->taken[i], t->me), 1,
			"times that a ticket was drawn");
}

/* PE 0's kernel waits. The others run a kernel that does not look, and have mail for their own memory. */
static void check_shared(const struct test *t)
{
	static const char what[] = "mail of a process whose kernels do not look";
	struct words *w = t->words;
	int pe;

	clear(t);
	*t->stop = 0;
	if (t->me == 0) {
		hipLaunchKernelGGL(wait_kernel, dim3(t->nfull), dim3(NTHREADS), 0, 0, w, 0, &w->word);
		t_hip(hipGetLastError());
		gshmem_uint64_wait_until(&w->narrived, GSHMEM_CMP_EQ, t->nfull);
	}
	gshmem_barrier_all();
	if (t->me) {
		hipLaunchKernelGGL(spin_kernel, dim3(t->nfull), dim3(NTHREADS), 0, 0, &w->narrived, t->stop);
		t_hip(hipGetLastError());
		if (T_IS_CPU) /* if each process has its own device; otherwise it is already full */
			gshmem_uint64_wait_until(&w->narrived, GSHMEM_CMP_EQ, t->nfull);
		t_equal(update(t, GSHMEMI_AMO_ADD, &w->sum, 6, 0, 8, t->me, what) +
				update(t, GSHMEMI_AMO_ADD, &w->sum, 6, 0, 8, t->me, what),
			6, what);
	}
	gshmem_barrier_all();
	*t->stop = 1;
	if (t->me == 0) {
		for (pe = 1; pe < t->npes; pe++)
			t_equal(update(t, GSHMEMI_AMO_FETCH, &w->sum, 0, 0, 8, pe, what), 12, what);
		signal(t, &w->go, 1, 0, what);
	}
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
}

int main()
{
	struct test t;
	int device, ncus, per_cu;
	void *pinned;

	if (GSHMEMI_ARCH_HOST_DIRECT)
		t_skip("the CPU performs by itself where it reaches the heap");
	gshmemi_mailbox_is_wanted = true;
	gshmem_init();
	t.me = gshmem_my_pe();
	t.npes = gshmem_n_pes();
	t.words = (struct words *)t_shmalloc(sizeof *t.words);
	t_hip(hipHostMalloc(&pinned, 64, 0));
	t.stop = (uint32_t *)pinned;
	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&ncus, hipDeviceAttributeMultiprocessorCount, device));
	t_hip(hipOccupancyMaxActiveBlocksPerMultiprocessor(
		&per_cu, reinterpret_cast<const void *>(wait_kernel), NTHREADS, 0));
	t.nfull = (unsigned)(ncus * per_cu);
	check_kinds(&t);
	check_region(&t);
	check_full(&t, 0);
	check_full(&t, 1);
	check_exact(&t);
	check_shared(&t);
	gshmem_free(t.words);
	gshmem_finalize();
	t_hip(hipHostFree(pinned));
	return 0;
}
