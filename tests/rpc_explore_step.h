/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of rpc_explore.hip: which agents may move in a state, and where a move leads.
 */
#ifndef RPC_EXPLORE_STEP_H
#define RPC_EXPLORE_STEP_H

/*
 * No choice: words that no other agent uses meanwhile; and pages by a leader or a
 * server, as early as possible.
 */
static int is_quick_access(unsigned a, unsigned lane, const struct op *op)
{
	const unsigned where = op->where;

	if (where == CONSTANT || where == EXECUTED || where == COUNTED)
		return 1;
	if (where >= IS_LINE)
		return !(cfg->flags & EVERY_WORD) && lane == 0;
	if (is_server(a) && cfg->nservers == 1 && where < RING)
		return where % NSLOT_WORDS == SERVER || (op->kind == LOAD && where % NSLOT_WORDS >= LOW);
	return 0;
}

/* Whether an op needs no choice, and what it returns. after: the place that this lane's step used. */
static int is_quick(const struct state *s, unsigned a, unsigned lane, int after, uint64_t *result_p)
{
	const struct agent *agent = &s->agents[a];
	const struct op *op = op_at(agent->stand[lane]), *other;
	unsigned i;

	*result_p = 0;
	switch (op->kind) {
	case START:
	case PAUSE:
	case CLEAN:
	case FAIL:
		return 1;
	case FENCE:
		return agent->buffer.nstores == 0;
	case LOAD:
	case STORE:
	case AMO:
		return is_quick_access(a, lane, op) ||
			(after >= IS_LINE && !(cfg->flags & EVERY_WORD) && op->where == (unsigned)after);
	case ENTER: /* with the lanes that are here, when the others wait elsewhere */
		for (i = 0; i < nlanes_of(a); i++) {
			other = op_at(agent->stand[i]);
			if (other->kind != ENTER && other->kind != SYNC && other->kind != BROADCAST)
				return 0;
			*result_p |= (uint64_t)(other->kind == ENTER) << i;
		}
		return 1;
	case SYNC:
	case BROADCAST:
		for (i = 0; i < nlanes_of(a); i++) {
			other = op_at(agent->stand[i]);
			if (op->cond >> i & 1 && (other->kind != op->kind || other->cond != op->cond))
				return 0;
		}
		*result_p = op_at(agent->stand[__builtin_ctzll(op->cond)])->value;
		return 1;
	default:
		return 0;
	}
}

/* Perform an op; lanes that meet go on together. */
static void carry_out(struct state *s, unsigned a, unsigned lane, uint64_t result)
{
	struct agent *agent = &s->agents[a];
	const struct op op = *op_at(agent->stand[lane]); /* a copy: resume moves it */
	uint64_t together = 1ULL << lane;
	unsigned i;

	switch (op.kind) {
	case LOAD:
		result = load(s, a, &op);
		break;
	case STORE:
		store(s, a, &op);
		break;
	case AMO:
		result = amo(s, &op);
		break;
	case ENTER:
		together = result;
		break;
	case SYNC:
	case BROADCAST:
		together = op.cond;
		break;
	case FAIL:
		if (!violation)
			violation = (const char *)op.address;
		break;
	default:
		break;
	}
	for (i = 0; i < nlanes_of(a); i++) {
		if (together >> i & 1) {
			explore_lane = i;
			agent->stand[i] = resume(agent->stand[i], result);
		}
	}
}

/* Perform all steps that leave no choice. Returns true if the agent polled in vain. */
static int run_on(struct state *s, unsigned a, unsigned stepped, int after)
{
	struct agent *agent = &s->agents[a];
	int found = 1, paused = 0;
	uint64_t result;
	unsigned lane;

	while (found && !violation) {
		found = 0;
		for (lane = 0; lane < nlanes_of(a); lane++) {
			while (is_quick(s, a, lane, lane == stepped ? after : -1, &result) && !violation) {
				paused |= op_at(agent->stand[lane])->kind == PAUSE;
				carry_out(s, a, lane, result);
				found = 1;
			}
		}
	}
	return paused;
}

/* Whether a lane's op, which is not quick, could be the next step. */
static int is_enabled(const struct state *s, unsigned a, unsigned lane)
{
	const struct agent *agent = &s->agents[a];
	const struct op *op = op_at(agent->stand[lane]);

	switch (op->kind) {
	case LOAD:
	case STEP:
	case CHOOSE:
		return 1;
	case STORE:
		return !(cfg->flags & BELL_ORDERED && op->where == RING && agent->buffer.nstores &&
			!is_server(a));
	case AMO:
		return find_store(&agent->buffer, op->where) < 0;
	case DRAINED:
		return s->agents[op->value].buffer.nstores == 0;
	default:
		return 0;
	}
}

static int is_done(const struct state *s, unsigned wave)
{
	unsigned lane;

	for (lane = 0; lane < cfg->nlanes; lane++)
		if (op_at(s->agents[wave].stand[lane])->kind != DONE)
			return 0;
	return 1;
}

static int can_go_on(const struct state *s, unsigned wave)
{
	unsigned lane;

	for (lane = 0; lane < cfg->nlanes; lane++)
		if (is_enabled(s, wave, lane))
			return 1;
	return 0;
}

/* One step of a lane, and all steps after it that leave no choice. */
static void step(struct state *s, unsigned a, unsigned lane)
{
	const struct op *op = op_at(s->agents[a].stand[lane]);
	const int after = op->kind == LOAD || op->kind == STORE ? (int)op->where : -1;
	int paused;

	carry_out(s, a, lane, 0);
	paused = run_on(s, a, lane, after);
	if (!is_server(a) && cfg->npreemptions != NO_BOUND && s->solo == NO_WAVE)
		s->current = paused || is_done(s, a) ? NO_WAVE : (uint8_t)a;
}

#endif /* RPC_EXPLORE_STEP_H */
