/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of collectives with data. F(PREFIX, NAME, PARAMETERS, ARGS, BODY) makes what a header needs for
 * the call PREFIX_NAME. PARAMETERS are the call's, ARGS is a struct gshmemi_coll_args of them, BODY the
 * function that does it.
 */
#ifndef GSHMEM_COLL_LIST_H
#define GSHMEM_COLL_LIST_H

#include <gshmem/api/types.h>

/* clang-format 14 takes T *dest in these lists for a product. */
/* clang-format off */

#define GSHMEMI_COLL_ARGS(NELEMS, NBYTES, WHAT, ROOT, FOLD) \
	gshmemi_coll_with(team, dest, source, NELEMS, NBYTES, GSHMEMI_##WHAT, ROOT, FOLD)

/* Calls that move elements of T, NBYTES each. MEM follows the name of calls that move bytes. */
#define GSHMEMI_COLL_MOVE(F, PREFIX, NAME, MEM, T, NBYTES) \
	F(PREFIX, NAME##broadcast##MEM, \
		(gshmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root), \
		GSHMEMI_COLL_ARGS(nelems, NBYTES, BROADCAST, PE_root, 0), gshmemi_broadcast) \
	F(PREFIX, NAME##collect##MEM, (gshmem_team_t team, T *dest, const T *source, size_t nelems), \
		GSHMEMI_COLL_ARGS(nelems, NBYTES, COLLECT, 0, 0), gshmemi_collect) \
	F(PREFIX, NAME##fcollect##MEM, (gshmem_team_t team, T *dest, const T *source, size_t nelems), \
		GSHMEMI_COLL_ARGS(nelems, NBYTES, FCOLLECT, 0, 0), gshmemi_fcollect) \
	F(PREFIX, NAME##alltoall##MEM, (gshmem_team_t team, T *dest, const T *source, size_t nelems), \
		GSHMEMI_COLL_ARGS(nelems, NBYTES, ALLTOALL, 0, 0), gshmemi_alltoall) \
	F(PREFIX, NAME##alltoalls##MEM, \
		(gshmem_team_t team, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
			size_t nelems), \
		gshmemi_coll_with_strides(team, dest, source, nelems, NBYTES, dst, sst), gshmemi_alltoalls)
#define GSHMEMI_COLL_MOVE_V(F, NAME, MEM, T, NBYTES) \
	F(gshmemx, NAME##alltoallv##MEM, \
		(gshmem_team_t team, T *dest, const size_t *dest_nelems, const size_t *dest_displs, \
			const T *source, const size_t *source_nelems, const size_t *source_displs), \
		gshmemi_coll_with_arrays( \
			team, dest, source, NBYTES, dest_nelems, dest_displs, source_nelems, source_displs), \
		gshmemi_alltoallv)

/* One reduction of a type. */
#define GSHMEMI_COLL_REDUCE(F, PREFIX, NAME, T, OP, KIND) \
	F(PREFIX, NAME##_reduce, (gshmem_team_t team, T *dest, const T *source, size_t nreduce), \
		GSHMEMI_COLL_ARGS(nreduce, GSHMEMI_SIZEOF(T), REDUCE, 0, \
			GSHMEMI_FOLD(GSHMEMI_OP_##OP, GSHMEMI_KIND_##KIND)), \
		gshmemi_reduce) \
	F(gshmemx, NAME##_reduce_scatter, (gshmem_team_t team, T *dest, const T *source, size_t nreduce), \
		GSHMEMI_COLL_ARGS(nreduce, GSHMEMI_SIZEOF(T), REDUCE_SCATTER, 0, \
			GSHMEMI_FOLD(GSHMEMI_OP_##OP, GSHMEMI_KIND_##KIND)), \
		gshmemi_reduce)
#define GSHMEMI_COLL_SCAN(F, PREFIX, NAME, T, WHAT, KIND) \
	F(PREFIX, NAME, (gshmem_team_t team, T *dest, const T *source, size_t nelems), \
		GSHMEMI_COLL_ARGS(nelems, GSHMEMI_SIZEOF(T), WHAT, 0, \
			GSHMEMI_FOLD(GSHMEMI_OP_SUM, GSHMEMI_KIND_##KIND)), \
		gshmemi_reduce)

#define GSHMEMI_COLL_BITWISE(F, NAME, T, KIND) \
	GSHMEMI_COLL_REDUCE(F, gshmem, NAME##_and, T, AND, KIND) \
	GSHMEMI_COLL_REDUCE(F, gshmem, NAME##_or, T, OR, KIND) \
	GSHMEMI_COLL_REDUCE(F, gshmem, NAME##_xor, T, XOR, KIND)
#define GSHMEMI_COLL_ARITHMETIC(F, PREFIX, NAME, T, KIND) \
	GSHMEMI_COLL_REDUCE(F, PREFIX, NAME##_sum, T, SUM, KIND) \
	GSHMEMI_COLL_REDUCE(F, PREFIX, NAME##_prod, T, PROD, KIND) \
	GSHMEMI_COLL_SCAN(F, PREFIX, NAME##_sum_inscan, T, INSCAN, KIND) \
	GSHMEMI_COLL_SCAN(F, PREFIX, NAME##_sum_exscan, T, EXSCAN, KIND)
#define GSHMEMI_COLL_ORDERED(F, PREFIX, NAME, T, KIND) \
	GSHMEMI_COLL_REDUCE(F, PREFIX, NAME##_max, T, MAX, KIND) \
	GSHMEMI_COLL_REDUCE(F, PREFIX, NAME##_min, T, MIN, KIND) \
	GSHMEMI_COLL_ARITHMETIC(F, PREFIX, NAME, T, KIND)

/*
 * All collectives, made by the macro GSHMEMI_F, which the user of a list defines: a list within a list cannot
 * pass it on. Those that compute with long double are apart: on a GPU only the host can make them.
 */
#define GSHMEMI_COLL_MOVE_TYPE(NAME, T) \
	GSHMEMI_COLL_MOVE(GSHMEMI_F, gshmem, NAME##_, , T, GSHMEMI_SIZEOF(T)) \
	GSHMEMI_COLL_MOVE_V(GSHMEMI_F, NAME##_, , T, GSHMEMI_SIZEOF(T))
#define GSHMEMI_COLL_MOVE_SHORT_TYPE(NAME, T) \
	GSHMEMI_COLL_MOVE(GSHMEMI_F, gshmemx, NAME##_, , T, sizeof(T)) \
	GSHMEMI_COLL_MOVE_V(GSHMEMI_F, NAME##_, , T, sizeof(T))
#define GSHMEMI_COLL_BITWISE_TYPE(NAME, T, KIND)       GSHMEMI_COLL_BITWISE(GSHMEMI_F, NAME, T, KIND)
#define GSHMEMI_COLL_ORDERED_TYPE(NAME, T, KIND)       GSHMEMI_COLL_ORDERED(GSHMEMI_F, gshmem, NAME, T, KIND)
#define GSHMEMI_COLL_COMPLEX_TYPE(NAME, T, KIND) \
	GSHMEMI_COLL_ARITHMETIC(GSHMEMI_F, gshmem, NAME, T, KIND)
#define GSHMEMI_COLL_ORDERED_SHORT_TYPE(NAME, T, KIND) GSHMEMI_COLL_ORDERED(GSHMEMI_F, gshmemx, NAME, T, KIND)

#define GSHMEMI_COLL_CALLS \
	GSHMEM_RMA_TYPES(GSHMEMI_COLL_MOVE_TYPE) \
	GSHMEMI_COLL_MOVE(GSHMEMI_F, gshmem, , mem, void, 1) \
	GSHMEMI_COLL_MOVE_V(GSHMEMI_F, , mem, void, 1) \
	GSHMEM_BITWISE_REDUCE_TYPES(GSHMEMI_COLL_BITWISE_TYPE) \
	GSHMEM_ORDERED_REDUCE_TYPES(GSHMEMI_COLL_ORDERED_TYPE) \
	GSHMEM_COMPLEX_REDUCE_TYPES(GSHMEMI_COLL_COMPLEX_TYPE)
#define GSHMEMI_COLL_SHORT_CALLS /* 16-bit floating point */ \
	GSHMEMX_RMA_TYPES(GSHMEMI_COLL_MOVE_SHORT_TYPE) \
	GSHMEMX_REDUCE_TYPES(GSHMEMI_COLL_ORDERED_SHORT_TYPE)
#define GSHMEMI_COLL_LONG_DOUBLE_CALLS GSHMEM_LONG_DOUBLE_REDUCE_TYPES(GSHMEMI_COLL_ORDERED_TYPE)
/* clang-format on */

#endif /* GSHMEM_COLL_LIST_H */
