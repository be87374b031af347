/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cross-lane operations and barriers, included by hip_runtime.h. Each takes its place in the source
 * as default arguments: lanes meet only in the same call.
 */
#ifndef HIPCPU_WAVE_H
#define HIPCPU_WAVE_H

#define HIPCPU_FROM int line_ = __builtin_LINE(), const char *file_ = __builtin_FILE()
#define HIPCPU_CALL(op, mask, value, from) \
	{ \
		op, line_, file_, (uint64_t)(mask), HIPCPU_SITE(), __builtin_frame_address(0), \
			(uint64_t)(value), (unsigned)(from), 0 \
	}

/* ---- barriers ---- */

HIPCPU_INLINE void __syncthreads(HIPCPU_FROM)
{
	hipcpu_block_sync(line_, file_);
}

HIPCPU_INLINE int __syncthreads_count(int predicate, HIPCPU_FROM)
{
	return (int)hipcpu_block_count(line_, file_, predicate != 0);
}

HIPCPU_INLINE int __syncthreads_and(int predicate, HIPCPU_FROM)
{
	return hipcpu_block_count(line_, file_, predicate == 0) == 0;
}

HIPCPU_INLINE int __syncthreads_or(int predicate, HIPCPU_FROM)
{
	return hipcpu_block_count(line_, file_, predicate != 0) != 0;
}

/* No mask, or 0: the lanes that stand here. */
HIPCPU_INLINE void __syncwarp(unsigned long long mask = 0, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_SYNC, mask, 0, 0);

	hipcpu_wave_call(&call);
}

/* ---- votes ---- */

HIPCPU_INLINE unsigned long long __ballot(int predicate, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_BALLOT, 0, predicate != 0, 0);

	return hipcpu_wave_call(&call);
}

HIPCPU_INLINE unsigned long long __ballot_sync(unsigned long long mask, int predicate, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_BALLOT, mask, predicate != 0, 0);

	return hipcpu_wave_call(&call);
}

HIPCPU_INLINE int __any(int predicate, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_BALLOT, 0, predicate != 0, 0);

	return hipcpu_wave_call(&call) != 0;
}

HIPCPU_INLINE int __any_sync(unsigned long long mask, int predicate, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_BALLOT, mask, predicate != 0, 0);

	return hipcpu_wave_call(&call) != 0;
}

HIPCPU_INLINE int __all(int predicate, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_BALLOT, 0, predicate == 0, 0);

	return hipcpu_wave_call(&call) == 0;
}

HIPCPU_INLINE int __all_sync(unsigned long long mask, int predicate, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_BALLOT, mask, predicate == 0, 0);

	return hipcpu_wave_call(&call) == 0;
}

HIPCPU_INLINE unsigned long long __activemask(HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_ACTIVE, 0, 0, 0);

	return hipcpu_wave_call(&call);
}

/* ---- shuffles, of values of up to 8 bytes ---- */

namespace hipcpu
{

template <typename T> HIPCPU_INLINE uint64_t to_bits(T value)
{
	static_assert(
		sizeof(T) <= 8 && std::is_trivially_copyable<T>::value, "a shuffle moves up to 8 bytes");
	uint64_t bits = 0;

	memcpy(&bits, &value, sizeof(T));
	return bits;
}

template <typename T> HIPCPU_INLINE T from_bits(uint64_t bits)
{
	T value;

	memcpy((void *)&value, &bits, sizeof(T));
	return value;
}

/* The lane that each form reads; in sections of width lanes. Beyond the section: one's own. */
HIPCPU_INLINE unsigned lane_at(int source, int width)
{
	return (hipcpu_lane_id() & ~(unsigned)(width - 1)) + ((unsigned)source & (unsigned)(width - 1));
}

HIPCPU_INLINE unsigned lane_up(unsigned delta, int width)
{
	unsigned lane = hipcpu_lane_id();

	return (lane & (unsigned)(width - 1)) >= delta ? lane - delta : lane;
}

HIPCPU_INLINE unsigned lane_down(unsigned delta, int width)
{
	unsigned lane = hipcpu_lane_id();

	return (lane & (unsigned)(width - 1)) + delta < (unsigned)width ? lane + delta : lane;
}

HIPCPU_INLINE unsigned lane_xor(int mask, int width)
{
	unsigned lane = hipcpu_lane_id(), other = lane ^ (unsigned)mask;

	return other < ((lane + (unsigned)width) & ~(unsigned)(width - 1)) ? other : lane;
}

} /* namespace hipcpu */

/* X(name, type of the second argument, the lane it means) */
#define HIPCPU_SHUFFLES(X) \
	X(__shfl, int, lane_at) \
	X(__shfl_up, unsigned, lane_up) \
	X(__shfl_down, unsigned, lane_down) \
	X(__shfl_xor, int, lane_xor)
#define HIPCPU_SHUFFLE(name, type, lane) \
	template <typename T> HIPCPU_INLINE T name(T value, type which, int width = warpSize, HIPCPU_FROM) \
	{ \
		struct hipcpu_call call = HIPCPU_CALL( \
			HIPCPU_OP_SHUFFLE, 0, hipcpu::to_bits(value), hipcpu::lane(which, width)); \
		return hipcpu::from_bits<T>(hipcpu_wave_call(&call)); \
	} \
	template <typename T> \
	HIPCPU_INLINE T name##_sync( \
		unsigned long long mask, T value, type which, int width = warpSize, HIPCPU_FROM) \
	{ \
		struct hipcpu_call call = HIPCPU_CALL( \
			HIPCPU_OP_SHUFFLE, mask, hipcpu::to_bits(value), hipcpu::lane(which, width)); \
		return hipcpu::from_bits<T>(hipcpu_wave_call(&call)); \
	}

HIPCPU_SHUFFLES(HIPCPU_SHUFFLE)

template <typename T>
HIPCPU_INLINE unsigned long long __match_any_sync(unsigned long long mask, T value, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_MATCH_ANY, mask, hipcpu::to_bits(value), 0);

	return hipcpu_wave_call(&call);
}

template <typename T> HIPCPU_INLINE unsigned long long __match_any(T value, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_MATCH_ANY, 0, hipcpu::to_bits(value), 0);

	return hipcpu_wave_call(&call);
}

template <typename T>
HIPCPU_INLINE unsigned long long __match_all_sync(unsigned long long mask, T value, int *pred, HIPCPU_FROM)
{
	struct hipcpu_call call = HIPCPU_CALL(HIPCPU_OP_MATCH_ALL, mask, hipcpu::to_bits(value), 0);
	unsigned long long all = hipcpu_wave_call(&call);

	*pred = all != 0;
	return all;
}

#undef HIPCPU_SHUFFLES
#undef HIPCPU_SHUFFLE

#endif /* HIPCPU_WAVE_H */
