/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Litmus tests of clang's own atomics, for litmus.sh: one kernel per pattern and scope. A kernel runs n
 * instances. Each of its roles is a thread: in different waves of a block (group), in different blocks
 * (agent), or also on different devices (system). A role first reads both locations, so that a cache may hold
 * stale lines of them. Then all roles meet. Then the role executes its part of the pattern, between two marks
 * that litmus.sh looks for in the assembly, and stores what it saw.
 */
#define DEVICE      __attribute__((device))
#define KERNEL      __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, 256)))
#define BEGIN(role) asm volatile("; litmus begin " role ::: "memory")
#define END(role)   asm volatile("; litmus end " role ::: "memory")

#define GROUP                       __HIP_MEMORY_SCOPE_WORKGROUP
#define AGENT                       __HIP_MEMORY_SCOPE_AGENT
#define SYSTEM                      __HIP_MEMORY_SCOPE_SYSTEM
#define LOAD(p, order, scope)       __hip_atomic_load(p, __ATOMIC_##order, scope)
#define STORE(p, order, scope)      __hip_atomic_store(p, 1, __ATOMIC_##order, scope)
#define ADD(p, value, order, scope) __hip_atomic_fetch_add(p, value, __ATOMIC_##order, scope)

/* Distances in ints: between instances, and between all x and all y. */
enum { STEP = 64, INSTANCES = 128, Y = STEP * INSTANCES + 4096 };

/* Waves of a block meet at a barrier that orders nothing; others by a counter that orders nothing. */
static DEVICE void meet(int *count, int nroles, bool group)
{
	if (group) {
		__builtin_amdgcn_s_barrier();
		return;
	}
	ADD(count, 1, RELAXED, SYSTEM);
	while (LOAD(count, RELAXED, SYSTEM) < nroles)
		__builtin_amdgcn_s_sleep(1);
}

#define TEST(name, scope, PATTERN) \
	extern "C" KERNEL void name(int *v, int *counts, int *out, int first, int stride, int nroles) \
	{ \
		int lane = (int)__builtin_amdgcn_workitem_id_x() % __builtin_amdgcn_wavefrontsize(); \
		int role = first + \
			stride * \
				(scope == GROUP ? (int)__builtin_amdgcn_workitem_id_x() / \
							(int)__builtin_amdgcn_wavefrontsize() \
						: (int)__builtin_amdgcn_workgroup_id_x()); \
		role = __builtin_amdgcn_readfirstlane(role); \
		_Pragma("clang loop unroll(disable)") for (int i = 0; i < INSTANCES; i++) \
		{ \
			int *x = v + i * STEP + lane, *y = v + Y + i * 7 % INSTANCES * STEP + lane; \
			int *o = out + (role * INSTANCES + i) * 4 + lane, a = -1, b = -1; \
			if (lane == 0) { \
				o[2] = *x; \
				o[3] = *y; \
			} \
			if (scope == GROUP || lane == 0) \
				meet(counts + i, nroles, scope == GROUP); \
			if (lane != 0) \
				continue; \
			PATTERN(scope) \
			o[0] = a; \
			o[1] = b; \
		} \
	}

/* Message passing, by a store or by a read-modify-write. Forbidden: role 1 sees y but not x. */
#define PASS(scope, send, receive) \
	if (role == 0) { \
		BEGIN("0"); \
		*x = 1; \
		send; \
		END("0"); \
	} else { \
		BEGIN("1"); \
		a = receive & 1; \
		b = *x; \
		END("1"); \
	}
#define MP(scope)     PASS(scope, STORE(y, RELEASE, scope), LOAD(y, ACQUIRE, scope))
#define MP_ADD(scope) PASS(scope, ADD(y, 1, RELEASE, scope), ADD(y, 2, ACQUIRE, scope))
/* Store buffering. Forbidden: neither sees the other's store. */
#define SB(scope) \
	int *mine = role ? y : x, *other = role ? x : y; \
	BEGIN("0"); \
	STORE(mine, SEQ_CST, scope); \
	a = LOAD(other, SEQ_CST, scope); \
	END("0");
/* Independent reads of independent writes. Forbidden: roles 2 and 3 see the stores in different orders. */
#define IRIW(scope) \
	int *one = role % 2 ? y : x, *other = role % 2 ? x : y; \
	if (role < 2) { \
		BEGIN("0"); \
		STORE(one, SEQ_CST, scope); \
		END("0"); \
	} else { \
		BEGIN("2"); \
		a = LOAD(one, SEQ_CST, scope); \
		b = LOAD(other, SEQ_CST, scope); \
		END("2"); \
	}
#define SCOPES(name, PATTERN) \
	TEST(name##_group, GROUP, PATTERN) \
	TEST(name##_agent, AGENT, PATTERN) TEST(name##_system, SYSTEM, PATTERN)
SCOPES(mp, MP)
SCOPES(mp_add, MP_ADD)
SCOPES(sb, SB)
SCOPES(iriw, IRIW)
