/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cooperative groups: the block, tiles of it, the lanes that stand together, the grid.
 */
#ifndef HIPCPU_HIP_COOPERATIVE_GROUPS_H
#define HIPCPU_HIP_COOPERATIVE_GROUPS_H

#include "hip_runtime.h"

HIPCPU_QUIET_BEGIN

#ifdef __cplusplus

namespace cooperative_groups
{

class thread_block
{
      public:
	__attribute__((always_inline)) void sync(HIPCPU_FROM) const { __syncthreads(line_, file_); }
	static unsigned thread_rank() { return hipcpu_thread_rank(); }
	static unsigned size() { return hipcpu_thread_count(); }
	static unsigned num_threads() { return hipcpu_thread_count(); }
	static dim3 group_index() { return blockIdx; }
	static dim3 thread_index() { return threadIdx; }
	static dim3 group_dim() { return blockDim; }
};

static inline thread_block this_thread_block()
{
	return thread_block();
}

/* Lanes of one wave, with their mask: what tiles and coalesced groups share. */
class wave_group
{
      public:
	unsigned thread_rank() const
	{
		return (unsigned)__builtin_popcountll(mask_ & ((1ull << hipcpu_lane_id()) - 1));
	}
	unsigned size() const { return (unsigned)__builtin_popcountll(mask_); }
	unsigned num_threads() const { return size(); }
	__attribute__((always_inline)) void sync(HIPCPU_FROM) const { __syncwarp(mask_, line_, file_); }
	__attribute__((always_inline)) int any(int predicate, HIPCPU_FROM) const
	{
		return __any_sync(mask_, predicate, line_, file_);
	}
	__attribute__((always_inline)) int all(int predicate, HIPCPU_FROM) const
	{
		return __all_sync(mask_, predicate, line_, file_);
	}
	__attribute__((always_inline)) unsigned long long ballot(int predicate, HIPCPU_FROM) const
	{
		return pack(__ballot_sync(mask_, predicate, line_, file_));
	}
	template <typename T> __attribute__((always_inline)) T shfl(T value, unsigned rank, HIPCPU_FROM) const
	{
		return __shfl_sync(mask_, value, lane_of(rank % size()), warpSize, line_, file_);
	}
	template <typename T>
	__attribute__((always_inline)) T shfl_down(T value, unsigned delta, HIPCPU_FROM) const
	{
		unsigned rank = thread_rank(), from = rank + delta < size() ? rank + delta : rank;

		return __shfl_sync(mask_, value, lane_of(from), warpSize, line_, file_);
	}
	template <typename T>
	__attribute__((always_inline)) T shfl_up(T value, unsigned delta, HIPCPU_FROM) const
	{
		unsigned rank = thread_rank(), from = rank >= delta ? rank - delta : rank;

		return __shfl_sync(mask_, value, lane_of(from), warpSize, line_, file_);
	}
	template <typename T>
	__attribute__((always_inline)) T shfl_xor(T value, unsigned mask, HIPCPU_FROM) const
	{
		unsigned rank = thread_rank(), from = (rank ^ mask) < size() ? rank ^ mask : rank;

		return __shfl_sync(mask_, value, lane_of(from), warpSize, line_, file_);
	}

      protected:
	explicit wave_group(unsigned long long mask) : mask_(mask) {}

      private:
	/* The lane of the rank-th bit. */
	int lane_of(unsigned rank) const
	{
		unsigned long long left = mask_;

		while (rank--)
			left &= left - 1;
		return __builtin_ctzll(left);
	}
	/* Bits of lanes as bits of ranks. */
	unsigned long long pack(unsigned long long lanes) const
	{
		unsigned long long out = 0;
		unsigned rank = 0;

		for (unsigned long long left = mask_; left; left &= left - 1, rank++)
			out |= (lanes >> __builtin_ctzll(left) & 1) << rank;
		return out;
	}
	unsigned long long mask_;
};

/* N lanes in a row; a power of two, at most a wave. */
template <unsigned N> class thread_block_tile : public wave_group
{
      public:
	explicit thread_block_tile() : wave_group(tile_mask()) {}
	unsigned meta_group_rank() const { return hipcpu_thread_rank() / N; }
	unsigned meta_group_size() const { return (hipcpu_thread_count() + N - 1) / N; }

      private:
	static unsigned long long tile_mask()
	{
		static_assert(N && N <= 64 && !(N & (N - 1)), "the size of a tile");
		unsigned first = hipcpu_lane_id() & ~(N - 1);
		unsigned rank = hipcpu_thread_rank() & ~(N - 1), n = hipcpu_thread_count() - rank;

		if (n > N)
			n = N; /* the last tile of a block may be short */
		return (n == 64 ? ~0ull : (1ull << n) - 1) << first;
	}
};

template <unsigned N> static inline thread_block_tile<N> tiled_partition(const thread_block &)
{
	return thread_block_tile<N>();
}

class coalesced_group : public wave_group
{
      public:
	explicit coalesced_group(unsigned long long mask) : wave_group(mask) {}
};

HIPCPU_INLINE coalesced_group coalesced_threads(HIPCPU_FROM)
{
	return coalesced_group(__activemask(line_, file_));
}

/* Of a cooperative launch. */
class grid_group
{
      public:
	static unsigned long long size() { return num_blocks() * hipcpu_thread_count(); }
	static unsigned long long num_threads() { return size(); }
	static unsigned long long num_blocks()
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	static unsigned long long block_rank() { return hipcpu_block_id(); }
	static unsigned long long thread_rank()
	{
		return hipcpu_block_id() * hipcpu_thread_count() + hipcpu_thread_rank();
	}
	static bool is_valid() { return hipcpu_self != nullptr; }
	__attribute__((always_inline)) void sync(HIPCPU_FROM) const
	{
		__syncthreads(line_, file_);
		if (!hipcpu_thread_rank())
			hipcpu_grid_sync();
		__syncthreads(line_, file_);
	}
};

static inline grid_group this_grid()
{
	return grid_group();
}

template <typename G> HIPCPU_INLINE void sync(const G &group, HIPCPU_FROM)
{
	group.sync(line_, file_);
}

} /* namespace cooperative_groups */

#endif /* __cplusplus */

HIPCPU_QUIET_END

#endif /* HIPCPU_HIP_COOPERATIVE_GROUPS_H */
