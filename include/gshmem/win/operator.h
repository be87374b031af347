/* SPDX-License-Identifier: BSD-3-Clause */
/* What the operators of accumulates do to an element, and which of them are an atomic. */
#ifndef GSHMEM_WIN_OPERATOR_H
#define GSHMEM_WIN_OPERATOR_H

#include <gshmem/coll/fold.h>
#include <gshmem/win/host.h>

/* For long functions: inline only in optimized code, where constant arguments remove most of them. */
#if GSHMEMI_OPTIMIZED
#define GSHMEMI_WIN_LONG GSHMEMI_FN
#else
#define GSHMEMI_WIN_LONG GSHMEMI_COLD
#endif

/* For functions of which the library needs one copy: nothing is constant there. */
#ifdef GSHMEMI_LIBRARY
#define GSHMEMI_WIN_SINGLE static __attribute__((noinline, unused))
#else
#define GSHMEMI_WIN_SINGLE GSHMEMI_FN
#endif

/* Whether pair x replaces pair acc. */
#define GSHMEMI_WIN_TAKES(TYPE) \
	{ \
		TYPE a, b; \
\
		__builtin_memcpy(&a, acc, sizeof a); \
		__builtin_memcpy(&b, x, sizeof b); \
		return (u.op == GSHMEMX_MAXLOC ? b.value > a.value : b.value < a.value) || \
			(b.value == a.value && b.index < a.index); \
	}
GSHMEMI_WIN_LONG int gshmemi_win_takes(struct gshmemi_win_update u, const void *acc, const void *x)
{
	if (u.nbytes == 16 && u.kind == GSHMEMI_KIND_DOUBLE_INT)
		GSHMEMI_WIN_TAKES(gshmemx_double_int_t)
	if (u.nbytes == 16)
		GSHMEMI_WIN_TAKES(gshmemx_long_int_t)
	if (u.kind == GSHMEMI_KIND_FLOAT_INT)
		GSHMEMI_WIN_TAKES(gshmemx_float_int_t)
	GSHMEMI_WIN_TAKES(gshmemx_int_int_t)
}
#undef GSHMEMI_WIN_TAKES

GSHMEMI_FN int gshmemi_win_is_pair(int kind)
{
	return kind >= GSHMEMI_KIND_FLOAT_INT;
}

/* acc becomes acc u.op x. The logical operators are for integers only. */
GSHMEMI_WIN_LONG void gshmemi_win_fold(struct gshmemi_win_update u, void *acc, const void *x)
{
	uint64_t a = 0, b = 0;

	switch (u.op) {
	case GSHMEMX_NO_OP:
		return;
	case GSHMEMX_REPLACE:
		__builtin_memcpy(acc, x, u.nbytes);
		return;
	case GSHMEMX_LAND:
	case GSHMEMX_LOR:
	case GSHMEMX_LXOR:
		__builtin_memcpy(&a, acc, u.nbytes & 15);
		__builtin_memcpy(&b, x, u.nbytes & 15);
		a = u.op == GSHMEMX_LAND ? a && b : u.op == GSHMEMX_LOR ? a || b : !a != !b;
		__builtin_memcpy(acc, &a, u.nbytes & 15);
		return;
	default:
		if (!gshmemi_win_is_pair(u.kind))
			gshmemi_fold(GSHMEMI_FOLD(u.op, u.kind), acc, x, u.nbytes);
		else if (gshmemi_win_takes(u, acc, x))
			__builtin_memcpy(acc, x, u.nbytes);
	}
}

/*
 * The same, once in the library, where the operator and the kind are arguments: each copy of the operators
 * takes 10 KB there, and only the fastest ways have their own.
 */
GSHMEMI_WIN_SINGLE void gshmemi_win_fold_apart(struct gshmemi_win_update u, void *acc, const void *x)
{
	gshmemi_win_fold(u, acc, x);
}

/*
 * The same for an element of 16 bytes. In kernels each branch is a copy of the operators for one kind: if the
 * branches were one, that would have the operators of the kinds that never have 16 bytes, too.
 */
GSHMEMI_FN void gshmemi_win_fold_wide(struct gshmemi_win_update u, void *acc, const void *x)
{
	u.nbytes = 16;
	if (u.kind == GSHMEMI_KIND_COMPLEX_F64)
		gshmemi_win_fold_apart(u, acc, x);
	else if (u.kind == GSHMEMI_KIND_LONG_DOUBLE)
		gshmemi_win_fold_apart(u, acc, x);
	else if (gshmemi_win_is_pair(u.kind))
		gshmemi_win_fold_apart(u, acc, x);
}

/* Whether the kind of type has the operator. */
GSHMEMI_WIN_SINGLE int gshmemi_win_has_op(int op, int kind)
{
	const int is_whole = kind <= GSHMEMI_KIND_S64,
		  is_complex = kind == GSHMEMI_KIND_COMPLEX_F32 || kind == GSHMEMI_KIND_COMPLEX_F64;

	if (gshmemi_win_is_pair(kind))
		return op >= GSHMEMX_REPLACE && op <= GSHMEMX_MAXLOC;
	switch (op) {
	case GSHMEMX_AND:
	case GSHMEMX_OR:
	case GSHMEMX_XOR:
	case GSHMEMX_LAND:
	case GSHMEMX_LOR:
	case GSHMEMX_LXOR:
		return is_whole;
	case GSHMEMX_MAX:
	case GSHMEMX_MIN:
		return !is_complex;
	default:
		return op == GSHMEMX_SUM || op == GSHMEMX_PROD || op == GSHMEMX_REPLACE ||
			op == GSHMEMX_NO_OP;
	}
}

/* The atomic that performs an operator on words of 4 and 8 bytes; -1 if there is none. */
GSHMEMI_FN int gshmemi_win_native(int op, int kind)
{
	const int is_whole = kind <= GSHMEMI_KIND_S64;

	switch (op) {
	case GSHMEMX_REPLACE:
		return GSHMEMI_AMO_SWAP;
	case GSHMEMX_NO_OP:
		return GSHMEMI_AMO_FETCH;
	case GSHMEMX_SUM:
		return is_whole ? GSHMEMI_AMO_ADD : -1;
	case GSHMEMX_AND:
		return GSHMEMI_AMO_AND;
	case GSHMEMX_OR:
		return GSHMEMI_AMO_OR;
	case GSHMEMX_XOR:
		return GSHMEMI_AMO_XOR;
	default:
		return -1;
	}
}

/* Whether an atomic on a word of 8 bytes updates two elements of 4. */
GSHMEMI_FN int gshmemi_win_is_bitwise(int op)
{
	return op == GSHMEMX_AND || op == GSHMEMX_OR || op == GSHMEMX_XOR;
}

/* Whether two elements of 16 bytes are the same: 10 bytes of x86's long double count, and 12 of pairs. */
GSHMEMI_FN int gshmemi_win_is_same(int kind, const void *a, const void *b)
{
	const uint64_t mask = kind == GSHMEMI_KIND_LONG_DOUBLE && __LDBL_MANT_DIG__ == 64 ? 0xffff
		: gshmemi_win_is_pair(kind)                                               ? UINT32_MAX
											  : ~0ULL;
	uint64_t x[2], y[2];

	__builtin_memcpy(x, a, sizeof x);
	__builtin_memcpy(y, b, sizeof y);
	return x[0] == y[0] && !((x[1] ^ y[1]) & mask);
}

#endif /* GSHMEM_WIN_OPERATOR_H */
