/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no */
/* carry: no, its engines have a network of their own */
/* timeout: 300 */
/* tier: all */
/* links: inner */
/*
 * The engines of src/net are right under every schedule. A schedule decides which PE asks for its next
 * operation or makes a pass of progress, and what arrives in this pass: a message, a bulk, the end of a send.
 * These arrive in any order, or in each sender's order if a row says so.
 *
 *   safety  each operation is performed once, with the right bytes, and not before operations that a fence,
 *           its data or its lock orders before it; nothing is sent beyond credit; no quiet is early; at the
 *           end all buffers, items and credits are back
 *   fair    from each state, all programs can end
 *
 * A program is a string with a letter for each operation:
 *
 *   p put of 8 bytes    o put of 5      P put of 3 chunks   B put of one chunk
 *   s signal after the last of these    f fence             q quiet
 *   g get of 8 bytes    h get of 40     G get of 2 chunks   b get what the last put or bulk put
 *   a add               A fetch_add     x another atomic    X the same, fetching
 *   F flag              Q quiet of all flags                w wait for everything that is open
 *   l lock              u unlock        r check_silence, long after the last message
 *   0 1 use this context from here on   + go to the next PE from here on
 *
 * Arguments: -v prints a row for each configuration, -a adds the large ones; other
 * arguments select rows by name. The first row that is wrong is the last that runs.
 */
#define SIM_ARENA
#define SIM_PES         3
#define SIM_OPS         16
#define SIM_AREA        136U
#define SIM_CONTEXTS    2
#define SIM_EPOCHS      3
#define SIM_WORDS       3
#define SIM_READ_NBYTES 64
#include "net_watch.h"
#include "net_explore_search.h"

#define W(credit, most, ncredits, nbuffers, nitems, first_seq) \
	credit, most, ncredits, nbuffers, nitems, first_seq
static const struct config rows[] = {
	/* ---- windows, acknowledgements, wrap-around ---- */
	{"credit 1: put, put, quiet | put", 0, {"ofoq", "o"}, W(1, 1, 0, 2, 2, 0xffffffff), PROMPT},
	{"credit 1: the same, sends are done at any time", 1, {"ofoq", "o"}, W(1, 1, 0, 2, 2, 0xffffffff), 0},
	{"credit 1: the same, two things in a pass", 0, {"ofoq", "o"}, W(1, 1, 0, 2, 2, 0xffffffff),
		PROMPT | PAIRS},
	{"credit 1, small messages: atomics both ways", 0, {"xXq", "x"}, W(1, 1, 0, 2, 2, 0xffffffff),
		PROMPT | TINY},
	{"credit 2, 1 buffer: 4 atomics", 0, {"xxxXq", ""}, W(2, 2, 0, 1, 2, 0xfffffffe), TINY},
	{"credit 2, 2 buffers: 5 atomics", 0, {"xxxxxq", ""}, W(2, 2, 0, 2, 2, 0xfffffffe), PROMPT | TINY},
	{"credit 2, both full, 1 buffer", 0, {"xxq", "x"}, W(2, 2, 0, 1, 2, 0xfffffffe), PROMPT | TINY},
	{"credit 2, both full, 1 buffer, more of it", 1, {"xxq", "xx"}, W(2, 2, 0, 1, 2, 0xfffffffe),
		PROMPT | TINY},
	{"credit 2, both full, in order", 0, {"xxxq", "xx"}, W(2, 2, 0, 1, 2, 0xfffffffe),
		PROMPT | TINY | FIFO},
	{"3 PEs in a ring", 0, {"xq", "x", "x"}, W(1, 1, 0, 1, 1, 0xffffffff), PROMPT | FIFO},
	/* ---- answers ---- */
	{"gets of more than the answers' 1 buffer", 0, {"hhhw", ""}, W(2, 2, 0, 1, 3, 0), 0},
	{"gets both ways, 1 buffer", 0, {"hhhw", "hw"}, W(1, 1, 0, 1, 3, 0xffffffff), PROMPT},
	{"gets both ways, 1 buffer, in order", 0, {"hhw", "hh"}, W(1, 1, 0, 1, 2, 0xffffffff),
		PROMPT | FIFO | HALF},
	{"put and its get, fetch_add both", 0, {"obAw", "A"}, W(1, 1, 0, 1, 2, 0), PROMPT},
	/* ---- bulk ---- */
	{"bulk, signal, quiet", 0, {"Bsq", ""}, W(2, 2, 0, 2, 2, 0), 0},
	{"bulk of 3 chunks, signal", 0, {"Ps", ""}, W(2, 2, 0, 2, 2, 0), PROMPT},
	{"bulk of 3 chunks, signal, in order", 0, {"PsB", ""}, W(1, 1, 0, 2, 2, 0), PROMPT | FIFO},
	{"bulk, fence, put", 0, {"Bfoq", ""}, W(2, 2, 0, 2, 2, 0), 0},
	{"put, fence, bulk, fence, bulk", 0, {"ofBfB", ""}, W(2, 2, 0, 2, 2, 0), PROMPT},
	{"bulk, fence, get it back", 0, {"Bfbw", ""}, W(2, 2, 0, 1, 2, 0), PROMPT},
	{"bulk both ways", 0, {"B", "B"}, W(1, 1, 0, 1, 1, 0), PROMPT},
	{"bulk get both ways", 0, {"Gw", "Gw"}, W(1, 1, 0, 1, 1, 0), PROMPT},
	{"more bulk than items, 1 buffer", 0, {"BBsq", ""}, W(1, 1, 0, 1, 1, 0xffffffff), PROMPT},
	/* ---- contexts, merging ---- */
	{"puts merge, not over a fence", 0, {"ppfppq", ""}, W(1, 1, 0, 2, 1, 0), 0},
	{"contexts take turns", 0, {"p1pq0pfp1q", ""}, W(1, 1, 0, 2, 1, 0), PROMPT},
	/* ---- credits ---- */
	{"credits grow", 0, {"xxxxxxq", ""}, W(1, 4, 3, 3, 1, 0xfffffffd), PROMPT | TINY | FIFO},
	{"credits return, then bulk and signal", 0, {"xxxxxxxxq|rBsxx", ""}, W(1, 4, 3, 4, 3, 0), PROMPT},
	{"credits return while messages are late", 0, {"xxxxqrxx", ""}, W(1, 4, 3, 3, 1, 0xffffffff),
		PROMPT | TINY},
	{"a ping, at any time", 0, {"xrxrq", ""}, W(1, 1, 0, 2, 1, 0), PROMPT},
	/* ---- flags ---- */
	{"flags are acknowledged later", 0, {"FFaQ", "F"}, W(1, 1, 0, 2, 2, 0xffffffff),
		PROMPT | TINY | ACKS_LATER},
	{"flags behind bulk, acknowledged later", 0, {"BfFFQ", ""}, W(2, 2, 0, 2, 2, 0), PROMPT | ACKS_LATER},
	{"signals are acknowledged later, puts behind them wait", 0, {"aooq", "a"},
		W(1, 1, 0, 2, 2, 0xffffffff), PROMPT | ACKS_LATER},
	{"puts and a signal are acknowledged later", 0, {"oaoaq", ""}, W(2, 2, 0, 2, 2, 0),
		PROMPT | ACKS_LATER},
	/* ---- locks ---- */
	{"a lock, two PEs", 0, {"laqu", "laqu"}, W(1, 2, 1, 2, 2, 0), PROMPT | FIFO},
	{"a lock, any order", 0, {"lu", "lu"}, W(1, 1, 0, 1, 1, 0xffffffff), PROMPT},
	/* ---- small ones, each of which shows what a mutant of tests/mutants.sh breaks ---- */
	{"an answer that is put off, another context", 0, {"hwxh1xq", ""}, W(2, 2, 0, 1, 2, 0), 0},
	{"answers both ways, 1 buffer, in order", 0, {"hhw", "hhw"}, W(1, 1, 0, 1, 2, 0),
		PROMPT | FIFO | HALF},
	{"fences between atomics", 0, {"xfxfxq", ""}, W(2, 2, 0, 2, 1, 0), PROMPT | TINY},
	{"credits return to another PE", 0, {"xxxxxq|rxx", ""}, W(1, 4, 3, 4, 1, 0), PROMPT | TINY},
	{"bulk in two contexts, signal", 0, {"B1B0s", ""}, W(2, 2, 0, 2, 2, 0), PROMPT},
	{"bulk, quiet, bulk", 0, {"BqB", ""}, W(2, 2, 0, 2, 2, 0), 0},
	{"credit 1: 3 atomics", 0, {"xxxq", ""}, W(1, 1, 0, 2, 1, 0), TINY},
	{"two puts without quiet", 0, {"oo", ""}, W(1, 1, 0, 2, 1, 0), PROMPT},
	{"one context while another is in use", 0, {"p1p0q", ""}, W(1, 1, 0, 2, 1, 0), PROMPT},
};
#undef W

int main(int argc, char **argv)
{
	bool verbose = false, large = false, selects = false, is_chosen;
	int rc = 0, i;
	size_t n;

	for (i = 1; i < argc; i++) {
		verbose |= !strcmp(argv[i], "-v");
		large |= !strcmp(argv[i], "-a");
		selects |= argv[i][0] != '-';
	}
	for (n = 0; n < sizeof rows / sizeof rows[0] && !rc; n++) {
		is_chosen = !selects;
		for (i = 1; i < argc; i++)
			is_chosen |= argv[i][0] != '-' && strstr(rows[n].name, argv[i]);
		if (is_chosen && (!rows[n].is_large || large || selects))
			rc = explore(&rows[n], verbose);
	}
	return rc;
}
