/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short messages of collectives travel in packets: one word with 4 bytes of data below a tag is data and flag
 * at once, so nothing has to be completed (the LL protocol of NCCL). Packets are double-buffered by epoch
 * parity: a PE that reaches epoch e + 2 has received packets of e + 1 from all others, so all have consumed
 * those of e. This needs collectives in which every PE hears from every other one. Nothing is ever reset.
 */
#ifndef GSHMEM_COLL_PACKET_H
#define GSHMEM_COLL_PACKET_H

#include <gshmem/coll/coll_phase.h>

/* The packets of one epoch. */
struct gshmemi_ll {
	/* of the packets of this parity: of others here, and at the same offset of this PE there */
	uint64_t *place;
	uint64_t epoch;
	uint64_t tag; /* above the data; never 0 */
};

/*
 * Tags have 32 bits. When they wrap, old packets that no later message has overwritten would pass for new
 * ones, so each PE clears its own packets, and a barrier comes before anybody sends the next ones.
 */
GSHMEMI_COLD void gshmemi_ll_clear(
	uint64_t *packet, uint64_t npackets, struct gshmemi_team_view team, const char *call)
{
	uint64_t i;

	for (i = 0; i < npackets; i++)
		gshmemi_arch_store(&packet[i], 0, 8);
	gshmemi_arch_fence_release();
	gshmemi_disseminate(&team, NULL, 0, call);
}

GSHMEMI_FN struct gshmemi_ll gshmemi_ll_open(const struct gshmemi_coll *c)
{
	struct gshmemi_ll ll;

	ll.epoch = c->ll_epoch + 1;
	if (__builtin_expect((uint32_t)ll.epoch == 0, 0)) {
		if (c->group.rank == 0)
			gshmemi_ll_clear(
				c->packet, 2 * (unsigned)c->team.npes * c->npackets, c->team, c->call);
		gshmemi_group_sync(&c->group);
		ll.epoch += 2; /* the parity goes on as if no epoch were skipped */
	}
	ll.tag = ll.epoch << 32;
	ll.place = c->packet + (ll.epoch & 1) * (unsigned)c->team.npes * c->npackets;
	return ll;
}

GSHMEMI_FN void gshmemi_ll_close(const struct gshmemi_coll *c, const struct gshmemi_ll *ll)
{
	if (c->group.rank == 0)
		gshmemi_arch_store(&c->team.sync->ll_epoch, ll->epoch, 8);
	gshmemi_group_sync(&c->group);
}

/* The same, and the collective ends with it. */
GSHMEMI_FN void gshmemi_ll_end(const struct gshmemi_coll *c, const struct gshmemi_ll *ll)
{
	if (c->group.rank == 0)
		gshmemi_arch_store(&c->team.sync->ll_epoch, ll->epoch, 8);
	gshmemi_coll_part(c);
}

/* Whether a message of nbytes to each PE goes by packets. */
GSHMEMI_FN int gshmemi_ll_fits(const struct gshmemi_coll *c, size_t nbytes, size_t limit)
{
	return nbytes <= limit && nbytes <= 4 * c->npackets;
}

/*
 * Waits for the packet with this tag at a place here. A place only grows, and stays until this PE has sent
 * the packets of the next epoch.
 */
GSHMEMI_FN uint64_t gshmemi_ll_await(const uint64_t *place, uint64_t tag, int world_pe, const char *call)
{
	uint64_t packet, started_ns = 0, open = 0;
	unsigned polls = 0;

	while (packet = gshmemi_arch_load(place, 8), packet < tag) {
		if (GSHMEMI_TRACES && !polls)
			open = gshmemi_trace_wait(place, GSHMEM_CMP_GE, tag, world_pe, call);
		gshmemi_wait_pause(&polls, world_pe);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
			started_ns = gshmemi_wait_long(
				polls, started_ns, place, 8, packet, GSHMEM_CMP_GE, tag, world_pe, call);
	}
	gshmemi_trace_end(open);
	return packet;
}

/* Send up to 16 bytes, at a multiple of 16 in the message, to another PE. */
GSHMEMI_FN void gshmemi_ll_send(const struct gshmemi_coll *c, const struct gshmemi_ll *ll, int pe, size_t at,
	const struct gshmemi_word *word, unsigned nbytes)
{
	uint64_t *place = ll->place + (unsigned)c->team.my_pe * c->npackets + at / 4;
	const int world_pe = gshmemi_coll_world_pe(c, pe);
	unsigned k;

	gshmemi_coll_hold(1);
	for (k = 0; k < 4; k++)
		if (4 * k < nbytes)
			gshmemi_sync_tell(&place[k], ll->tag | (uint32_t)(word->half[k / 2] >> 32 * (k & 1)),
				world_pe, c->call);
	gshmemi_coll_hold(0);
}

GSHMEMI_FN struct gshmemi_word gshmemi_ll_receive(
	const struct gshmemi_coll *c, const struct gshmemi_ll *ll, int pe, size_t at, unsigned nbytes)
{
	const uint64_t *place = ll->place + (unsigned)pe * c->npackets + at / 4;
	struct gshmemi_word word = {{0, 0}};
	uint64_t packet;
	unsigned k;

	for (k = 0; k < 4; k++) {
		if (4 * k >= nbytes)
			break;
		packet = gshmemi_ll_await(&place[k], ll->tag, gshmemi_coll_world_pe(c, pe), c->call);
		word.half[k / 2] |= (uint64_t)(uint32_t)packet << 32 * (k & 1);
	}
	return word;
}

/* Load up to 16 bytes of this PE's own memory, which is aligned to align. */
GSHMEMI_FN struct gshmemi_word gshmemi_word_load(const char *source, unsigned nbytes, unsigned align)
{
	const unsigned piece = align < 8 ? align : 8;
	struct gshmemi_word word = {{0, 0}};
	unsigned i;

	for (i = 0; i < 16; i += piece)
		if (i < nbytes)
			word.half[i / 8] |= gshmemi_local_read(source + i, piece).half[0] << 8 * (i & 7);
	return word;
}

GSHMEMI_FN void gshmemi_word_store(char *dest, struct gshmemi_word word, unsigned nbytes, unsigned align)
{
	const unsigned piece = align < 8 ? align : 8;
	struct gshmemi_word part = {{0, 0}};
	unsigned i;

	for (i = 0; i < 16; i += piece) {
		part.half[0] = word.half[i / 8] >> 8 * (i & 7);
		if (i < nbytes)
			gshmemi_local_write(dest + i, part, piece);
	}
}

/*
 * The most bytes of a message that goes by packets, if there is room for them. MOVE: where the alternative is
 * a put and a flag. REDUCE: where it is two rounds of flags. On a CPU a put needs no completion, and a waiter
 * fetches a line with packets again and again until all of them are there.
 */
#if GSHMEMI_ARCH_SHARED_MEMORY
#define GSHMEMI_LL_MOVE   0
#define GSHMEMI_LL_REDUCE 32
#else
#define GSHMEMI_LL_MOVE   256
#define GSHMEMI_LL_REDUCE 1024
#endif

/*
 * Each PE sends one message of nbytes to each PE, itself included: from source + pe * source_stride here to
 * dest + sender * dest_stride there.
 */
GSHMEMI_FN void gshmemi_ll_exchange(const struct gshmemi_coll *c, char *dest, size_t dest_stride,
	const char *source, size_t source_stride, size_t nbytes, unsigned align)
{
	const struct gshmemi_ll ll = gshmemi_ll_open(c);
	const int npes = c->team.npes;
	struct gshmemi_word word;
	unsigned n;
	size_t at;
	int i, pe;

	for (at = (size_t)c->group.rank * 16; at < nbytes; at += (size_t)c->group.size * 16) {
		n = nbytes - at < 16 ? (unsigned)(nbytes - at) : 16;
		for (i = 1; i < npes; i++) {
			pe = gshmemi_coll_ahead(c, i);
			word = gshmemi_word_load(source + (size_t)pe * source_stride + at, n, align);
			gshmemi_ll_send(c, &ll, pe, at, &word, n);
		}
		pe = c->team.my_pe;
		gshmemi_word_store(dest + (size_t)pe * dest_stride + at,
			gshmemi_word_load(source + (size_t)pe * source_stride + at, n, align), n, align);
		for (i = 1; i < npes; i++) {
			pe = gshmemi_coll_ahead(c, i);
			word = gshmemi_ll_receive(c, &ll, pe, at, n);
			gshmemi_word_store(dest + (size_t)pe * dest_stride + at, word, n, align);
		}
	}
	gshmemi_ll_end(c, &ll);
}

#endif /* GSHMEM_COLL_PACKET_H */
