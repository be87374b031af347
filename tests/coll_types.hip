/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3 */
/* tier: all */
/* env: GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=64 GSHMEM_CHECK=1 */
/* timeout: 120 */
/* platform: cpu */
/* isa: read */
/*
 * broadcast, collect, fcollect, alltoall, alltoalls and alltoallv are right for every type and for
 * bytes, by a thread, a wave, a work-group and the host; see coll_types.h. GPU compilers take many
 * minutes for all of these in one unit.
 */
#include "coll_types.h"

enum { BROADCAST, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS, ALLTOALLV, NMOVES };
static const char *const move_names[] = {
	"broadcast", "collect", "fcollect", "alltoall", "alltoalls", "alltoallv"};

/* NAME is empty or ends with _; MEM follows the name of a call that moves bytes; S is the scope's suffix. */
#define CALLS(SCOPE, PREFIX, XPREFIX, NAME, MEM, S) \
	case (SCOPE)*NMOVES + BROADCAST: \
		return PREFIX##_##NAME##broadcast##MEM##S(team, d, s, c->n, c->root); \
	case (SCOPE)*NMOVES + COLLECT: \
		return PREFIX##_##NAME##collect##MEM##S(team, d, s, c->counts[2][0]); \
	case (SCOPE)*NMOVES + FCOLLECT: \
		return PREFIX##_##NAME##fcollect##MEM##S(team, d, s, c->n); \
	case (SCOPE)*NMOVES + ALLTOALL: \
		return PREFIX##_##NAME##alltoall##MEM##S(team, d, s, c->n); \
	case (SCOPE)*NMOVES + ALLTOALLS: \
		return PREFIX##_##NAME##alltoalls##MEM##S(team, d, s, c->dst, c->sst, c->n); \
	case (SCOPE)*NMOVES + ALLTOALLV: \
		return XPREFIX##_##NAME##alltoallv##MEM##S( \
			team, d, c->counts[0], c->counts[1], s, c->counts[2], c->counts[3]);

static void model_move(int which, const struct call *c, char *dest)
{
	const size_t block = c->n * c->elem;
	size_t at = 0;

	for (int pe = 0; pe < npes; pe++) {
		const char *source = from[pe] + c->source_at;
		size_t displ = 2;

		switch (which) {
		case BROADCAST:
			if (pe == c->root)
				memcpy(dest, source, block);
			break;
		case COLLECT:
			memcpy(dest + at, source, sparse(c->n, pe, 0) * c->elem);
			at += sparse(c->n, pe, 0) * c->elem;
			break;
		case FCOLLECT:
			memcpy(dest + (size_t)pe * block, source, block);
			break;
		case ALLTOALL:
			memcpy(dest + (size_t)pe * block, source + (size_t)me * block, block);
			break;
		case ALLTOALLS:
			for (size_t i = 0; i < c->n; i++)
				memcpy(dest + ((size_t)pe * c->n + i) * (size_t)c->dst * c->elem,
					source + ((size_t)me * c->n + i) * (size_t)c->sst * c->elem, c->elem);
			break;
		default:
			for (int j = 0; j < me; j++)
				displ += sparse(c->n, pe, j) + 2;
			memcpy(dest + c->counts[1][pe] * c->elem, source + displ * c->elem,
				sparse(c->n, pe, me) * c->elem);
			break;
		}
	}
}

#define OF_TYPE(NAME, TYPE, ARG, ...) \
	struct of_##NAME { \
		typedef TYPE type; \
		static const int ncalls = NMOVES, in_kernels = 1; \
		static const char *name() { return #NAME; } \
		static const char *call_name(int which) { return move_names[which]; } \
		static int what(int which) \
		{ \
			return which == BROADCAST ? ROOT : which == ALLTOALLS ? STRIDED : EACH; \
		} \
		static void fill(char *bytes, size_t n, int pe) \
		{ \
			t_fill(bytes, n * sizeof(type), (unsigned)pe); \
		} \
		static void trim(int which, char *bytes, size_t nbytes) \
		{ \
			(void)which; \
			(void)bytes; \
			(void)nbytes; \
		} \
		static void model(int which, const struct call *c, char *dest) \
		{ \
			model_move(which, c, dest); \
		} \
		static __host__ __device__ __attribute__((noinline)) int call( \
			int scope, int which, const struct call *c, gshmem_team_t team) \
		{ \
			ARG *d = (ARG *)(void *)c->dest; \
			const ARG *s = (const ARG *)(const void *)c->source; \
\
			switch (scope * NMOVES + which) { \
				__VA_ARGS__ \
			} \
			return -1; \
		} \
	};
/* clang-format off */
#define OF_RMA(NAME, TYPE) \
	OF_TYPE(NAME, TYPE, TYPE, \
		CALLS(T_THREAD, gshmem, gshmemx, NAME##_, , ) CALLS(T_WAVE, gshmemx, gshmemx, NAME##_, , _wave) \
		CALLS(T_WG, gshmemx, gshmemx, NAME##_, , _wg))
#define OF_SHORT(NAME, TYPE) \
	OF_TYPE(NAME, TYPE, TYPE, \
		CALLS(T_THREAD, gshmemx, gshmemx, NAME##_, , ) CALLS(T_WAVE, gshmemx, gshmemx, NAME##_, , _wave) \
		CALLS(T_WG, gshmemx, gshmemx, NAME##_, , _wg))
/* clang-format on */

GSHMEM_RMA_TYPES(OF_RMA)
GSHMEMX_RMA_TYPES(OF_SHORT)
OF_TYPE(mem, char, void,
	CALLS(T_THREAD, gshmem, gshmemx, , mem, ) CALLS(T_WAVE, gshmemx, gshmemx, , mem, _wave)
		CALLS(T_WG, gshmemx, gshmemx, , mem, _wg))

int main()
{
	start();
#define CHECK(NAME, TYPE) check_family<of_##NAME>();
	GSHMEM_RMA_TYPES(CHECK)
	GSHMEMX_RMA_TYPES(CHECK)
	CHECK(mem, )
	stop();
	return 0;
}
