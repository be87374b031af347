/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random SEED writes a random kernel. The same source is compiled for the host, where loops run the lanes
 * of a wave, and for a GPU; random.sh compares the results. A kernel is a list of steps on variables of
 * all lanes: arithmetic, shifts, conversions, compares, divergence, shuffles, LDS and atomics. EACH
 * encloses what a lane does alone.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NVARIABLES = 4 };
static uint64_t state;

static unsigned choose(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % n;
}
static const char *integer(void)
{
	static const char *const names[] = {"u0[L]", "u1[L]", "u2[L]", "u3[L]", "lane", "q0[L]", "q1[L]",
		"7u", "0x80000000u", "(uint32_t)h0[L]"};

	return names[choose(sizeof(names) / sizeof(*names))];
}
static const char *number(void)
{
	static const char *const names[] = {
		"f0[L]", "f1[L]", "(float)(int32_t)u0[L]", "(float)u1[L]", "0.5f", "-3.0f", "(float)d0[L]"};

	return names[choose(sizeof(names) / sizeof(*names))];
}
/*
 * What a lane assigns. Conversions take values in range, and shifts are by less than the width. No operand of
 * a division has the top bit set: clang 19 divides ~lane as a number of 24 bits.
 */
static void assignment(void)
{
	static const char *const binary[] = {"+", "-", "*", "&", "|", "^"};
	static const char *const compare[] = {"<", "<=", "==", "!=", ">", ">="};
	const unsigned to = choose(NVARIABLES), pair = choose(2);

	switch (choose(13)) {
	case 0:
		printf("u%u[L] = %s %s %s;", to, integer(), binary[choose(6)], integer());
		break;
	case 1:
		printf("u%u[L] = (uint32_t)%s %s (%s & 31);", to, integer(), choose(2) ? "<<" : ">>",
			integer());
		break;
	case 2:
		printf("u%u[L] = (uint32_t)((int32_t)%s >> (%s & 31));", to, integer(), integer());
		break;
	case 3:
		printf("q%u[L] = (uint64_t)%s * %s + q%u[L];", pair, integer(), integer(), !pair);
		break;
	case 4:
		printf("q%u[L] = q%u[L] %s (%s & 63);", pair, choose(2), choose(2) ? "<<" : ">>", integer());
		break;
	case 5:
		printf("u%u[L] = (uint32_t)((%s >> 1) / (%s >> 1 | 1));", to, integer(), integer());
		break;
	case 6:
		printf("u%u[L] = %s %s %s ? %s : %s;", to, integer(), compare[choose(6)], integer(),
			integer(), integer());
		break;
	case 7:
		printf("f%u[L] = tame(%s %s %s);", pair, number(), binary[choose(3)], number());
		break;
	case 8:
		printf("f%u[L] = tame(fmaf(%s, %s, %s));", pair, number(), number(), number());
		break;
	case 9:
		printf("d%u[L] = tame(d%u[L] * 1.25 + %s);", pair, !pair, number());
		break;
	case 10:
		printf("u%u[L] ^= (uint32_t)(int32_t)(%s);", to, choose(2) ? "f0[L]" : "d1[L]");
		break;
	case 11:
		printf("h%u[L] = (uint16_t)(h%u[L] * 3 + %s);", pair, !pair, integer());
		break;
	default:
		printf("u%u[L] += %s %s %s;", to, number(), compare[choose(6)], number());
		break;
	}
}
static void lane_steps(unsigned depth)
{
	for (unsigned k = 0, n = 2 + choose(4); k < n; k++) {
		const unsigned kind = choose(6);

		if (depth && kind == 0) {
			printf("if (%s & %u) { ", integer(), 1 + choose(7));
			lane_steps(depth - 1);
			printf("} else { ");
			lane_steps(depth - 1);
			printf("}\n");
		} else if (depth && kind == 1) {
			printf("for (uint32_t n%u = %s & 3; n%u; n%u--) { ", depth, integer(), depth, depth);
			lane_steps(0);
			printf("}\n");
		} else {
			assignment();
			printf("\n");
		}
	}
}
int main(int argc, char **argv)
{
	const unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	puts("#include \"random.h\"\nKERNEL {\nBEGIN");
	for (unsigned k = 0; k < 8; k++) { /* NSTEPS of random.h */
		puts("EACH {");
		lane_steps(2);
		puts("}");
		switch (choose(4)) {
		case 0:
			printf("SHUFFLE(u%u, u%u, %s)\n", choose(4), choose(4),
				choose(2) ? "lane ^ 5" : "lane + 3");
			break;
		case 1:
			printf("BALLOT(q%u, %s & 1)\n", choose(2), integer());
			break;
		case 2:
			printf("THROUGH_LDS(u%u, u%u, lane * 7 + 3)\n", choose(4), choose(4));
			break;
		default:
			printf("ATOMIC_ADD(u%u, %s)\n", choose(4), integer());
			break;
		}
		printf("STORE(%u)\n", k);
	}
	puts("}");
	return 0;
}
