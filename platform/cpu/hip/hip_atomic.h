/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fences and atomics, included by hip_runtime.h. Every scope is the system here. A load, an exchange
 * or a compare-and-swap that a loop polls lets other lanes run after 64 looks at an unchanged value:
 * without that a lane that waits for another one of its block would never see it move.
 */
#ifndef HIPCPU_ATOMIC_H
#define HIPCPU_ATOMIC_H

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT    2
#define __HIP_MEMORY_SCOPE_WORKGROUP    3
#define __HIP_MEMORY_SCOPE_AGENT        4
#define __HIP_MEMORY_SCOPE_SYSTEM       5

namespace hipcpu
{

/*
 * What the running thread polls. Lanes of a block that have stacks share it: they only pause a little more or
 * less often. Lanes that run one after the other, each to its end, do not: each may look at the same word.
 */
struct poll {
	const volatile void *address;
	uint32_t lane; /* of the lane loop */
	unsigned nlooks;
};
inline thread_local poll last_poll HIPCPU_TLS;

/* One more look at *address that may be one of many; moved: it was not in vain. */
HIPCPU_UNSANITIZED static inline void polled(const volatile void *address, bool moved)
{
	if (moved || last_poll.address != address || last_poll.lane != hipcpu_loop.lane) {
		last_poll.address = address;
		last_poll.lane = hipcpu_loop.lane;
		last_poll.nlooks = 0;
	} else if (++last_poll.nlooks >= 64) {
		unsigned polls = last_poll.nlooks;

		hipcpu_pause(&polls);
		last_poll.address = address;
		last_poll.lane = hipcpu_loop.lane;
		last_poll.nlooks = polls < 64 ? 64 : polls;
	}
}

/* The value as an integer that the compiler's atomics know. */
template <size_t N> struct word;
template <> struct word<1> {
	typedef uint8_t type;
};
template <> struct word<2> {
	typedef uint16_t type;
};
template <> struct word<4> {
	typedef uint32_t type;
};
template <> struct word<8> {
	typedef uint64_t type;
};
template <typename T> using word_of = typename word<sizeof(T)>::type;

template <typename T> static inline T load(const volatile T *ptr, int order)
{
	typedef std::remove_cv_t<T> V;
	word_of<V> bits = __atomic_load_n((const volatile word_of<V> *)ptr, order);
	V value;

	polled(ptr, false);
	memcpy(&value, &bits, sizeof(V));
	return value;
}

template <typename T> static inline void store(volatile T *ptr, T value, int order)
{
	word_of<T> bits;

	memcpy(&bits, &value, sizeof(T));
	__atomic_store_n((volatile word_of<T> *)ptr, bits, order);
}

template <typename T> static inline T exchange(volatile T *ptr, T value, int order)
{
	word_of<T> bits, old;

	memcpy(&bits, &value, sizeof(T));
	old = __atomic_exchange_n((volatile word_of<T> *)ptr, bits, order);
	polled(ptr, old != bits);
	memcpy(&value, &old, sizeof(T));
	return value;
}

template <typename T>
static inline bool compare_exchange(volatile T *ptr, T *expected, T desired, int success, int failure)
{
	word_of<T> want, bits;
	bool done;

	memcpy(&want, expected, sizeof(T));
	memcpy(&bits, &desired, sizeof(T));
	done = __atomic_compare_exchange_n((volatile word_of<T> *)ptr, &want, bits, false, success, failure);
	polled(ptr, done);
	memcpy(expected, &want, sizeof(T));
	return done;
}

/* *ptr = next(*ptr), atomically; the value before. */
template <typename T, typename F> static inline T update(volatile T *ptr, int order, F next)
{
	word_of<T> bits = __atomic_load_n((volatile word_of<T> *)ptr, __ATOMIC_RELAXED), new_bits;
	T old, value;

	do {
		memcpy(&old, &bits, sizeof(T));
		value = next(old);
		memcpy(&new_bits, &value, sizeof(T));
	} while (!__atomic_compare_exchange_n(
		(volatile word_of<T> *)ptr, &bits, new_bits, false, order, __ATOMIC_RELAXED));
	polled(ptr, bits != new_bits);
	return old;
}

template <typename T> static inline T fetch_add(volatile T *ptr, T value, int order)
{
	if constexpr (std::is_integral<T>::value) {
		T old = __atomic_fetch_add(ptr, value, order);

		polled(ptr, value != 0);
		return old;
	} else {
		return update(ptr, order, [=](T old) { return (T)(old + value); });
	}
}

template <typename T> static inline T fetch_min(volatile T *ptr, T value, int order)
{
	return update(ptr, order, [=](T old) { return value < old ? value : old; });
}

template <typename T> static inline T fetch_max(volatile T *ptr, T value, int order)
{
	return update(ptr, order, [=](T old) { return old < value ? value : old; });
}

template <typename T> static inline T fetch_and(volatile T *ptr, T value, int order)
{
	T old = __atomic_fetch_and(ptr, value, order);

	polled(ptr, (old & value) != old);
	return old;
}

template <typename T> static inline T fetch_or(volatile T *ptr, T value, int order)
{
	T old = __atomic_fetch_or(ptr, value, order);

	polled(ptr, (old | value) != old);
	return old;
}

template <typename T> static inline T fetch_xor(volatile T *ptr, T value, int order)
{
	T old = __atomic_fetch_xor(ptr, value, order);

	polled(ptr, value != 0);
	return old;
}

} /* namespace hipcpu */

/* ---- HIP's functions: relaxed; T is what the pointer points to, the other arguments are converted ---- */

#define HIPCPU_T typename hipcpu::same<T>::type
#define HIPCPU_RMW(name, call) \
	template <typename T> static inline T name(T *ptr, HIPCPU_T value) \
	{ \
		return call; \
	} \
	template <typename T> static inline T name##_system(T *ptr, HIPCPU_T value) \
	{ \
		return name(ptr, value); \
	} \
	template <typename T> static inline T name##_block(T *ptr, HIPCPU_T value) \
	{ \
		return name(ptr, value); \
	}

HIPCPU_RMW(atomicAdd, hipcpu::fetch_add(ptr, value, __ATOMIC_RELAXED))
HIPCPU_RMW(atomicSub, hipcpu::fetch_add(ptr, (T)-value, __ATOMIC_RELAXED))
HIPCPU_RMW(atomicExch, hipcpu::exchange(ptr, value, __ATOMIC_RELAXED))
HIPCPU_RMW(atomicMin, hipcpu::fetch_min(ptr, value, __ATOMIC_RELAXED))
HIPCPU_RMW(atomicMax, hipcpu::fetch_max(ptr, value, __ATOMIC_RELAXED))
HIPCPU_RMW(atomicAnd, hipcpu::fetch_and(ptr, value, __ATOMIC_RELAXED))
HIPCPU_RMW(atomicOr, hipcpu::fetch_or(ptr, value, __ATOMIC_RELAXED))
HIPCPU_RMW(atomicXor, hipcpu::fetch_xor(ptr, value, __ATOMIC_RELAXED))
HIPCPU_RMW(
	atomicInc, hipcpu::update(ptr, __ATOMIC_RELAXED, [=](T old) { return old >= value ? 0 : old + 1; }))
HIPCPU_RMW(atomicDec,
	hipcpu::update(ptr, __ATOMIC_RELAXED, [=](T old) { return !old || old > value ? value : old - 1; }))

template <typename T> static inline T atomicCAS(T *ptr, HIPCPU_T compare, HIPCPU_T value)
{
	hipcpu::compare_exchange(ptr, &compare, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return compare;
}

template <typename T> static inline T atomicCAS_system(T *ptr, HIPCPU_T compare, HIPCPU_T value)
{
	return atomicCAS(ptr, compare, value);
}

template <typename T> static inline T atomicCAS_block(T *ptr, HIPCPU_T compare, HIPCPU_T value)
{
	return atomicCAS(ptr, compare, value);
}

#undef HIPCPU_RMW

/* ---- clang's builtins: g++ lacks them, and clang's own do not pause ---- */

#define __hip_atomic_load                    hipcpu_atomic_load
#define __hip_atomic_store                   hipcpu_atomic_store
#define __hip_atomic_compare_exchange_strong hipcpu_atomic_compare_exchange_strong
#define __hip_atomic_exchange                hipcpu_atomic_exchange
#define __hip_atomic_fetch_add               hipcpu_atomic_fetch_add
#define __hip_atomic_fetch_min               hipcpu_atomic_fetch_min
#define __hip_atomic_fetch_max               hipcpu_atomic_fetch_max
#define __hip_atomic_fetch_and               hipcpu_atomic_fetch_and
#define __hip_atomic_fetch_or                hipcpu_atomic_fetch_or
#define __hip_atomic_fetch_xor               hipcpu_atomic_fetch_xor

template <typename T> static inline std::remove_cv_t<T> hipcpu_atomic_load(T *ptr, int order, int)
{
	return hipcpu::load<std::remove_cv_t<T>>(ptr, order);
}

template <typename T>
static inline void hipcpu_atomic_store(T *ptr, std::remove_cv_t<HIPCPU_T> value, int order, int)
{
	hipcpu::store<std::remove_cv_t<T>>(ptr, value, order);
}

template <typename T>
static inline bool hipcpu_atomic_compare_exchange_strong(T *ptr, std::remove_cv_t<T> *expected,
	std::remove_cv_t<HIPCPU_T> value, int success, int failure, int)
{
	return hipcpu::compare_exchange<std::remove_cv_t<T>>(ptr, expected, value, success, failure);
}

#define HIPCPU_RMW(name, call) \
	template <typename T> \
	static inline std::remove_cv_t<T> name(T *ptr, std::remove_cv_t<HIPCPU_T> value, int order, int) \
	{ \
		return hipcpu::call<std::remove_cv_t<T>>(ptr, value, order); \
	}
HIPCPU_RMW(hipcpu_atomic_exchange, exchange)
HIPCPU_RMW(hipcpu_atomic_fetch_add, fetch_add)
HIPCPU_RMW(hipcpu_atomic_fetch_min, fetch_min)
HIPCPU_RMW(hipcpu_atomic_fetch_max, fetch_max)
HIPCPU_RMW(hipcpu_atomic_fetch_and, fetch_and)
HIPCPU_RMW(hipcpu_atomic_fetch_or, fetch_or)
HIPCPU_RMW(hipcpu_atomic_fetch_xor, fetch_xor)
#undef HIPCPU_RMW
#define __hip_atomic_compare_exchange_weak hipcpu_atomic_compare_exchange_strong
#undef HIPCPU_T

/* ---- fences ---- */

static inline void __threadfence()
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __threadfence_system()
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The block is one thread. */
static inline void __threadfence_block()
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif /* HIPCPU_ATOMIC_H */
