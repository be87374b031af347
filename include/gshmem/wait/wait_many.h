/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits and tests on arrays: all, any or some of the objects, compared with one value or each with its own.
 * One body looks at every object of the set once; a wait repeats it.
 */
#ifndef GSHMEM_WAIT_MANY_H
#define GSHMEM_WAIT_MANY_H

#include <gshmem/wait/poll.h>

enum gshmemi_many { GSHMEMI_MANY_ALL, GSHMEMI_MANY_ANY, GSHMEMI_MANY_SOME };

/* The arguments of a call. nbytes, is_signed and is_vector are constants in each stamp. */
struct gshmemi_wait_set {
	const char *ivars;
	size_t nelems;
	size_t *indices;    /* for SOME */
	const int *status;  /* not 0: left out; NULL: none is */
	const char *values; /* one value; is_vector: one for each object */
	unsigned nbytes;    /* of an object */
	int is_signed;
	int is_vector;
	int cmp;
};

GSHMEMI_FN uint64_t gshmemi_many_value(const struct gshmemi_wait_set *set, size_t i)
{
	return gshmemi_value_load(set->values + (set->is_vector ? i * set->nbytes : 0), set->nbytes);
}

/* What a pass over the set found. */
struct gshmemi_many_found {
	size_t nset;    /* objects that are not left out */
	size_t nheld;   /* those of them that satisfy the condition */
	size_t index;   /* the last object that satisfies it */
	uint64_t value; /* of the last object of nset, for reports */
};

/*
 * One pass. ANY ends with the first object that it finds, so its passes start at different objects: repeated
 * calls then find each of them.
 */
GSHMEMI_FN struct gshmemi_many_found gshmemi_many_pass(
	const struct gshmemi_wait_set *set, int which, size_t first)
{
	struct gshmemi_many_found found = {0, 0, SIZE_MAX, 0};
	size_t n, i;

	for (n = 0; n < set->nelems; n++) {
		i = first + n < set->nelems ? first + n : first + n - set->nelems;
		if (set->status && set->status[i])
			continue;
		found.nset++;
		found.value = gshmemi_arch_load(set->ivars + i * set->nbytes, set->nbytes);
		if (!gshmemi_compare(
			    found.value, set->cmp, gshmemi_many_value(set, i), set->nbytes, set->is_signed))
			continue;
		if (which == GSHMEMI_MANY_SOME)
			set->indices[found.nheld] = i;
		found.nheld++;
		found.index = i;
		if (which == GSHMEMI_MANY_ANY)
			break;
	}
	return found;
}

/* Where a pass starts: for ANY at a random object. */
GSHMEMI_FN size_t gshmemi_many_first(const struct gshmemi_wait_set *set, int which)
{
	if (which != GSHMEMI_MANY_ANY || set->nelems < 2)
		return 0;
	return (size_t)((uint64_t)((uint32_t)gshmemi_arch_clock_ns() * 2654435769U) * (uint32_t)set->nelems >>
		32);
}

/* The API's answer. */
GSHMEMI_FN size_t gshmemi_many_result(const struct gshmemi_many_found *found, int which)
{
	if (which == GSHMEMI_MANY_ALL)
		return found->nheld == found->nset;
	return which == GSHMEMI_MANY_ANY ? found->index : found->nheld;
}

GSHMEMI_FN void gshmemi_many_check(const struct gshmemi_wait_set *set, const char *call)
{
	if (gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		gshmemi_slow_wait(set->ivars, set->nelems * set->nbytes, set->nbytes, set->cmp, call);
}

/*
 * An empty set satisfies ALL, and has nothing for ANY and SOME. ALL waits for one object after the other: an
 * early one may change again while a later one is waited for.
 */
GSHMEMI_FN size_t gshmemi_wait_many(const struct gshmemi_wait_set *set, int which, const char *call)
{
	const size_t first = gshmemi_many_first(set, which);
	struct gshmemi_many_found found = {0, 0, 0, 0};
	uint64_t started_ns = 0, open = 0;
	unsigned polls = 0;
	size_t i;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_wait_many(set, which, 1, call);
	gshmemi_many_check(set, call);
	for (i = 0; which == GSHMEMI_MANY_ALL && i < set->nelems; i++)
		if (!set->status || !set->status[i])
			(void)gshmemi_wait(set->ivars + i * set->nbytes, set->nbytes, set->is_signed,
				set->cmp, gshmemi_many_value(set, i), -1, call);
	while (which != GSHMEMI_MANY_ALL) {
		found = gshmemi_many_pass(set, which, first);
		if (found.nheld || !found.nset)
			break;
		if (GSHMEMI_TRACES && !polls)
			open = gshmemi_trace_wait(set->ivars, set->cmp, gshmemi_many_value(set, 0), -1, call);
		gshmemi_wait_pause(&polls, -1);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
			started_ns = gshmemi_wait_long(polls, started_ns, set->ivars, set->nbytes,
				found.value, set->cmp, gshmemi_many_value(set, 0), -1, call);
	}
	gshmemi_trace_end(open);
	gshmemi_arch_fence_acquire();
	return gshmemi_many_result(&found, which);
}

GSHMEMI_FN size_t gshmemi_test_many(const struct gshmemi_wait_set *set, int which, const char *call)
{
	/* the caller polls: let others run at once, as late in a wait */
	unsigned polls = GSHMEMI_WAIT_POLLS - 1;
	struct gshmemi_many_found found;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_wait_many(set, which, 0, call);
	gshmemi_many_check(set, call);
	found = gshmemi_many_pass(set, which, gshmemi_many_first(set, which));
	if (!found.nheld) {
		gshmemi_attend();
		gshmemi_wait_pause(&polls, -1);
	}
	gshmemi_arch_fence_acquire();
	return gshmemi_many_result(&found, which);
}

/* ---- the API ---- */

/* One call. RETURN is what to do with its result; the last parameters are those after nelems. */
#define GSHMEMI_MANY(RESULT, RETURN, CALL, DO, WHICH, TYPE, VALUES, IS_VECTOR, INDICES, ...) \
	GSHMEM_API RESULT gshmem_##CALL(TYPE *ivars, size_t nelems, __VA_ARGS__) \
	{ \
		const char *values = (const char *)(VALUES); \
		struct gshmemi_wait_set set = {(const char *)ivars, nelems, INDICES, status, values, \
			sizeof(TYPE), (TYPE)-1 < (TYPE)1, IS_VECTOR, cmp}; \
\
		RETURN gshmemi_##DO##_many(&set, GSHMEMI_MANY_##WHICH, "gshmem_" #CALL); \
	}
#define GSHMEMI_DEFINE_VALUES(NAME, TYPE, VECTOR, VALUE, VALUES, IS_VECTOR) \
	GSHMEMI_MANY(void, (void), NAME##_wait_until_all##VECTOR, wait, ALL, TYPE, VALUES, IS_VECTOR, NULL, \
		const int *status, int cmp, VALUE) \
	GSHMEMI_MANY(size_t, return, NAME##_wait_until_any##VECTOR, wait, ANY, TYPE, VALUES, IS_VECTOR, \
		NULL, const int *status, int cmp, VALUE) \
	GSHMEMI_MANY(size_t, return, NAME##_wait_until_some##VECTOR, wait, SOME, TYPE, VALUES, IS_VECTOR, \
		indices, size_t * indices, const int *status, int cmp, VALUE) \
	GSHMEMI_MANY(int, return (int), NAME##_test_all##VECTOR, test, ALL, TYPE, VALUES, IS_VECTOR, NULL, \
		const int *status, int cmp, VALUE) \
	GSHMEMI_MANY(size_t, return, NAME##_test_any##VECTOR, test, ANY, TYPE, VALUES, IS_VECTOR, NULL, \
		const int *status, int cmp, VALUE) \
	GSHMEMI_MANY(size_t, return, NAME##_test_some##VECTOR, test, SOME, TYPE, VALUES, IS_VECTOR, indices, \
		size_t * indices, const int *status, int cmp, VALUE)
#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_DEFINE_VALUES(NAME, TYPE, , TYPE cmp_value, &cmp_value, 0) \
	GSHMEMI_DEFINE_VALUES(NAME, TYPE, _vector, const TYPE *cmp_values, cmp_values, 1)
GSHMEM_WAIT_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
#undef GSHMEMI_DEFINE_VALUES
#undef GSHMEMI_MANY

#endif /* GSHMEM_WAIT_MANY_H */
