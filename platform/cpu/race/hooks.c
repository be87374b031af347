/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What gcc and clang call with -fsanitize=thread: before each access of the program, and in place of atomics.
 * The program is not linked with their library.
 */
#include <string.h>

#include "runtime.h"
#include "race/race.h"
#include "race/wrap.h"

#define API __attribute__((visibility("default")))

/* Inlined, so that the frame is that of the function that the compiler calls. */
#define TOUCH(ADDRESS, NBYTES, KIND) \
	do { \
		struct race_place at_; \
		struct race_strand *s_; \
\
		if (race_find(ADDRESS, &at_) && (s_ = race_enter())) { \
			const struct race_access a_ = race_now(s_); \
\
			race_touch(s_, &at_, NBYTES, KIND, &a_, \
				race_source(__builtin_frame_address(0), __builtin_return_address(0))); \
			race_leave(s_); \
		} else if (race_is_local_end(ADDRESS) && (s_ = race_enter())) { \
			const struct race_access a_ = race_now(s_); \
\
			race_touch_private(s_, ADDRESS, NBYTES, KIND, &a_, \
				race_source(__builtin_frame_address(0), __builtin_return_address(0)), \
				false); \
			race_leave(s_); \
		} \
	} while (0)

#define ACCESS(NAME, NBYTES, KIND) \
	API void __tsan_##NAME(const void *address) \
	{ \
		TOUCH(address, NBYTES, KIND); \
	}
#define ACCESSES(PREFIX) \
	ACCESS(PREFIX##read1, 1, RACE_READ) \
	ACCESS(PREFIX##read2, 2, RACE_READ) \
	ACCESS(PREFIX##read4, 4, RACE_READ) \
	ACCESS(PREFIX##read8, 8, RACE_READ) \
	ACCESS(PREFIX##read16, 16, RACE_READ) \
	ACCESS(PREFIX##write1, 1, RACE_WRITE) \
	ACCESS(PREFIX##write2, 2, RACE_WRITE) \
	ACCESS(PREFIX##write4, 4, RACE_WRITE) \
	ACCESS(PREFIX##write8, 8, RACE_WRITE) \
	ACCESS(PREFIX##write16, 16, RACE_WRITE)
ACCESSES()
ACCESSES(unaligned_)
ACCESSES(volatile_)
ACCESSES(unaligned_volatile_)
#define BOTH(N) \
	ACCESS(read_write##N, N, RACE_WRITE) \
	ACCESS(unaligned_read_write##N, N, RACE_WRITE)
BOTH(1)
BOTH(2)
BOTH(4)
BOTH(8)
BOTH(16)

API void __tsan_read_range(const void *address, size_t nbytes)
{
	TOUCH(address, nbytes, RACE_READ);
}

API void __tsan_write_range(const void *address, size_t nbytes)
{
	TOUCH(address, nbytes, RACE_WRITE);
}

API void __tsan_vptr_update(const void *address, const void *value)
{
	(void)value;
	TOUCH(address, sizeof value, RACE_WRITE);
}

API void __tsan_vptr_read(const void *address)
{
	TOUCH(address, sizeof address, RACE_READ);
}

void hipcpu_race_touch(const void *address, size_t nbytes, bool is_write)
{
	TOUCH(address, nbytes, is_write ? RACE_WRITE : RACE_READ);
}

API void __tsan_init(void) {}

API void __tsan_func_entry(void *caller)
{
	(void)caller;
}

API void __tsan_func_exit(void) {}

API void __tsan_ignore_thread_begin(void) {}

API void __tsan_ignore_thread_end(void) {}

API void *__tsan_memcpy(void *dest, const void *source, size_t nbytes)
{
	TOUCH(source, nbytes, RACE_READ);
	TOUCH(dest, nbytes, RACE_WRITE);
	return memcpy(dest, source, nbytes);
}

API void *__tsan_memmove(void *dest, const void *source, size_t nbytes)
{
	TOUCH(source, nbytes, RACE_READ);
	TOUCH(dest, nbytes, RACE_WRITE);
	return memmove(dest, source, nbytes);
}

API void *__tsan_memset(void *dest, int byte, size_t nbytes)
{
	TOUCH(dest, nbytes, RACE_WRITE);
	return memset(dest, byte, nbytes);
}

/* Calls that compilers leave as they are. */
WRAP(void *, memcpy, (void *dest, const void *source, size_t nbytes)) __attribute__((alias("__tsan_memcpy")));
WRAP(void *, memmove, (void *dest, const void *source, size_t nbytes))
__attribute__((alias("__tsan_memmove")));
WRAP(void *, memset, (void *dest, int byte, size_t nbytes)) __attribute__((alias("__tsan_memset")));

/* ---- atomics ---- */

/*
 * An atomic on symmetric memory also tells and learns, as the program's own synchronisation. One on other
 * memory does so among the threads of the PE.
 */
struct atomic {
	struct race_strand *s; /* NULL: it is elsewhere */
	struct race_word *w;
	struct race_place at;
	const void *elsewhere; /* NULL, or a mark for it */
};

/* Fences and relaxed atomics on memory that is not symmetric order threads, too. */
#define NREAD 16
static __thread bool has_released HIPCPU_TLS;
static __thread const void *marks_read[NREAD] HIPCPU_TLS; /* before an acquire; a ring */
static __thread unsigned nmarks_read HIPCPU_TLS;

static struct atomic begin_atomic(const void *address, size_t nbytes, enum race_kind kind, int order,
	const void *frame, const void *caller)
{
	struct atomic a = {NULL, NULL, {0, 0, 0}, NULL};
	struct race_access access;

	if (!race_find(address, &a.at)) {
		a.elsewhere = race_thread_mark(address);
		if (kind == RACE_ATOMIC && a.elsewhere && (order != __ATOMIC_RELAXED || has_released))
			hipcpu_race_release(a.elsewhere);
		return a;
	}
	if (!(a.s = race_enter()))
		return a;
	access = race_now(a.s);
	race_touch(a.s, &a.at, nbytes, kind, &access, race_source(frame, caller));
	a.w = race_word_find(&a.at, true);
	race_word_lock(a.w);
	return a;
}

#define BEGIN(NBYTES, KIND) \
	struct atomic a = begin_atomic((const void *)address, NBYTES, KIND, order, \
		__builtin_frame_address(0), __builtin_return_address(0))

static void has_changed(struct atomic *a, uint64_t value)
{
	if (a->s)
		race_word_tell(a->w, a->s, value, 0, race_me, false);
}

/* Of a store. */
static void end_store(struct atomic *a)
{
	if (!a->s)
		return;
	race_word_unlock(a->w);
	race_leave(a->s);
}

/* value: what was read. */
static void end_atomic(struct atomic *a, uint64_t value, int order)
{
	if (a->elsewhere && order != __ATOMIC_RELAXED)
		hipcpu_race_acquire_mark(a->elsewhere);
	else if (a->elsewhere)
		marks_read[nmarks_read++ % NREAD] = a->elsewhere;
	if (!a->s)
		return;
	race_word_unlock(a->w);
	race_note(a->s, a->w, value, &a->at); /* without the lock, because it may take another word's */
	race_leave(a->s);
	if (order != __ATOMIC_RELAXED)
		hipcpu_race_acquire();
}

#define CHANGE(NBITS, NAME, EXPRESSION) \
	API uint##NBITS##_t __tsan_atomic##NBITS##_##NAME( \
		volatile uint##NBITS##_t *address, uint##NBITS##_t value, int order) \
	{ \
		uint##NBITS##_t old; \
		BEGIN(NBITS / 8, RACE_ATOMIC); \
		old = EXPRESSION; \
		has_changed(&a, __atomic_load_n(address, __ATOMIC_RELAXED)); \
		end_atomic(&a, old, order); \
		return old; \
	}
#define SWAP(NBITS, NAME) \
	API int __tsan_atomic##NBITS##_compare_exchange_##NAME(volatile uint##NBITS##_t *address, \
		uint##NBITS##_t *expected, uint##NBITS##_t value, int order, int failed) \
	{ \
		bool is_swapped; \
		BEGIN(NBITS / 8, RACE_ATOMIC); \
		(void)failed; \
		is_swapped = __atomic_compare_exchange_n( \
			address, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		if (is_swapped) \
			has_changed(&a, value); \
		end_atomic(&a, *expected, order); \
		return is_swapped; \
	}
#define ATOMICS(NBITS) \
	API uint##NBITS##_t __tsan_atomic##NBITS##_load(const volatile uint##NBITS##_t *address, int order) \
	{ \
		uint##NBITS##_t value; \
		BEGIN(NBITS / 8, RACE_LOOK); \
		value = __atomic_load_n(address, __ATOMIC_SEQ_CST); \
		end_atomic(&a, value, order); \
		return value; \
	} \
	API void __tsan_atomic##NBITS##_store( \
		volatile uint##NBITS##_t *address, uint##NBITS##_t value, int order) \
	{ \
		BEGIN(NBITS / 8, RACE_ATOMIC); \
		__atomic_store_n(address, value, __ATOMIC_SEQ_CST); \
		has_changed(&a, value); \
		end_store(&a); \
	} \
	CHANGE(NBITS, exchange, __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST)) \
	CHANGE(NBITS, fetch_add, __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST)) \
	CHANGE(NBITS, fetch_sub, __atomic_fetch_sub(address, value, __ATOMIC_SEQ_CST)) \
	CHANGE(NBITS, fetch_and, __atomic_fetch_and(address, value, __ATOMIC_SEQ_CST)) \
	CHANGE(NBITS, fetch_or, __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST)) \
	CHANGE(NBITS, fetch_xor, __atomic_fetch_xor(address, value, __ATOMIC_SEQ_CST)) \
	CHANGE(NBITS, fetch_nand, __atomic_fetch_nand(address, value, __ATOMIC_SEQ_CST)) \
	SWAP(NBITS, strong) \
	SWAP(NBITS, weak) \
	API uint##NBITS##_t __tsan_atomic##NBITS##_compare_exchange_val(volatile uint##NBITS##_t *address, \
		uint##NBITS##_t expected, uint##NBITS##_t value, int order, int failed) \
	{ \
		(void)__tsan_atomic##NBITS##_compare_exchange_strong( \
			address, &expected, value, order, failed); \
		return expected; \
	}
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

uint64_t hipcpu_atomic_load(const void *word, unsigned nbytes)
{
	return nbytes == 4 ? __tsan_atomic32_load(word, __ATOMIC_ACQUIRE)
			   : __tsan_atomic64_load(word, __ATOMIC_ACQUIRE);
}

void hipcpu_atomic_store(void *word, uint64_t value, unsigned nbytes)
{
	if (nbytes == 4)
		__tsan_atomic32_store(word, (uint32_t)value, __ATOMIC_RELEASE);
	else
		__tsan_atomic64_store(word, value, __ATOMIC_RELEASE);
}

API void __tsan_atomic_thread_fence(int order)
{
	unsigned i;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (order != __ATOMIC_ACQUIRE && order != __ATOMIC_CONSUME)
		has_released = true;
	if (order == __ATOMIC_RELEASE)
		return;
	hipcpu_race_acquire();
	for (i = 0; i < NREAD && i < nmarks_read; i++)
		hipcpu_race_acquire_mark(marks_read[i]);
	nmarks_read = 0;
}

API void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}
