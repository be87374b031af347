# SPDX-License-Identifier: BSD-3-Clause
"""Instructions and the graph of their basic blocks, common to both vendors, and what
is counted and proved on it.
"""


class Instruction:
	"""One machine instruction. amd.py and nvidia.py fill these in:

	kind      load store atomic branch call return end barrier wait writeback invalidate other
	space     of a memory access: global (flat included), scratch, shared, scalar (the constant path)
	nbytes    of a memory access, per lane
	bypass    a load that no cache of this GPU may answer; a store that goes through to system scope
	reads, writes  names of single registers; scc, vcc, exec and predicates included
	target    address, of branches and calls; None if it is computed
	clobbers  registers that a call may change; None if only the calling conventions tell
	frames    names of the inlined functions it comes from, innermost first (from debug information)
	"""

	def __init__(self, address, op, text):
		self.address, self.op, self.text = address, op, text
		self.kind, self.space, self.nbytes, self.bypass = "other", None, 0, False
		self.reads, self.writes, self.address_reads = frozenset(), frozenset(), frozenset()
		self.target, self.conditional, self.frames, self.wait = None, False, (), {}
		self.callee, self.clobbers, self.returns, self.line = None, None, False, ""

	def __repr__(self):
		return "%x: %s" % (self.address, self.text)


class Block:
	def __init__(self, index, instructions):
		self.index, self.instructions = index, instructions
		self.next, self.previous = [], []


class Function:
	"""A kernel or a device function: its blocks in address order; the first is the entry."""

	def __init__(self, name, instructions, is_kernel=True):
		self.name, self.is_kernel, self.resources, self.polls = name, is_kernel, {}, None
		self.blocks = make_blocks(instructions)
		self.instructions = [i for b in self.blocks for i in b.instructions]
		self.loops = find_loops(self.blocks)

	def is_constant(self, load):
		"""Returns whether what a scalar load reads is known not to change while the kernel runs."""
		return False

	def loop_blocks(self, loop):
		return [self.blocks[i] for i in sorted(loop)]

	def loop_body(self, loop):
		return [i for b in self.loop_blocks(loop) for i in b.instructions]

	def innermost(self):
		return [l for l in self.loops if not any(o < l for o in self.loops)]


def make_blocks(instructions):
	leaders = {instructions[0].address} if instructions else set()
	for here, following in zip(instructions, instructions[1:] + [None]):
		if here.kind == "branch" and here.target is not None:
			leaders.add(here.target)
		if here.kind in ("branch", "return", "end") and following:
			leaders.add(following.address)
	blocks, at = [], {}
	for i in instructions:
		if i.address in leaders:
			blocks.append(Block(len(blocks), []))
			at[i.address] = blocks[-1]
		blocks[-1].instructions.append(i)
	for block, following in zip(blocks, blocks[1:] + [None]):
		last = block.instructions[-1]
		to = []
		if last.kind == "branch":
			if last.target in at:
				to.append(at[last.target])
			if last.conditional and following:
				to.append(following)
		elif last.kind not in ("return", "end") or last.conditional:
			to += [following] if following else []
		block.next = list(dict.fromkeys(to))
	# Unreachable code is padding that aligns a loop.
	reached, work = set(), blocks[:1]
	while work:
		block = work.pop()
		if block not in reached:
			reached.add(block)
			work += block.next
	blocks = [b for b in blocks if b in reached]
	for index, block in enumerate(blocks):
		block.index = index
		for b in block.next:
			b.previous.append(block)
	return blocks


def find_loops(blocks):
	"""Natural loops as frozensets of block indices. Loops with the same head are one;
	outer loops contain inner ones.
	"""
	if not blocks:
		return []
	order, seen, work = [], set(), [(blocks[0], iter(blocks[0].next))]
	seen.add(blocks[0])
	while work: # depth first; order is the post-order
		block, following = work[-1]
		n = next((n for n in following if n not in seen), None)
		if n is None:
			order.append(block)
			work.pop()
		else:
			seen.add(n)
			work.append((n, iter(n.next)))
	number = {b: n for n, b in enumerate(order)}
	dominator = {blocks[0]: blocks[0]}
	changed = True
	while changed:
		changed = False
		for b in order[-2::-1]:
			new = None
			for p in b.previous:
				if p in dominator:
					if new is None:
						new = p
					while new is not p:
						while number[new] < number[p]:
							new = dominator[new]
						while number[p] < number[new]:
							p = dominator[p]
			if dominator.get(b) is not new:
				dominator[b] = new
				changed = True

	def dominates(head, block):
		while number[block] < number[head]:
			block = dominator[block]
		return block is head

	loops = {}
	for tail in blocks:
		for head in tail.next:
			if not dominates(head, tail):
				continue
			body, work = loops.setdefault(head.index, {head.index}), [tail]
			while work:
				b = work.pop()
				if b.index not in body:
					body.add(b.index)
					work += b.previous
	return [frozenset(l) for l in loops.values()]


def shortest_path(function, is_wanted=None):
	"""
	Returns the direct path: of all paths from the entry to an end that pass a wanted instruction and make
	no call, the one with the fewest instructions. The slow path is a call, so this is what the library
	executes for a mapped peer. Without is_wanted: any path without a call. None if there is none.
	"""
	def without_call(block):
		return not any(i.kind == "call" for i in block.instructions)

	def search(starts, is_goal):
		"""starts: {block: cost}; returns {block: (cost, previous block)} of what was reached."""
		best = {b: (cost, None) for b, cost in starts.items()}
		work = list(starts)
		while work:
			work.sort(key=lambda b: -best[b][0])
			b = work.pop()
			if is_goal(b):
				return b, best
			for n in b.next:
				cost = best[b][0] + len(n.instructions)
				if without_call(n) and (n not in best or cost < best[n][0]):
					best[n] = (cost, b)
					work.append(n)
		return None, best

	def walk(goal, best):
		path = []
		while goal:
			path.append(goal)
			goal = best[goal][1]
		return path[::-1]

	def is_end(block):
		return block.instructions[-1].kind in ("end", "return")

	entry = function.blocks[0]
	if not without_call(entry):
		return None
	found = None
	for middle in function.blocks if is_wanted else [entry]:
		if is_wanted and not any(is_wanted(i) for i in middle.instructions) or not without_call(middle):
			continue
		goal, best = search({entry: len(entry.instructions)}, lambda b: b is middle)
		if goal is None:
			continue
		head = walk(goal, best)
		goal, best = search({middle: 0}, is_end)
		if goal is None:
			continue
		path = [i for b in head + walk(goal, best)[1:] for i in b.instructions]
		if found is None or len(path) < len(found):
			found = path
	return found


def load_chain(path, wanted):
	"""Returns how many dependent loads (each one's result is the next one's address)
	precede the wanted instruction.
	"""
	depth = {}
	for i in path:
		d = max((depth.get(r, 0) for r in i.reads), default=0)
		if i is wanted:
			return d
		if i.kind == "load":
			d = max((depth.get(r, 0) for r in i.address_reads), default=0) + 1
		for r in i.writes:
			depth[r] = d
	return 0


def invariant(body):
	"""Returns a test for registers that hold the same value in every turn of a loop."""
	definitions = {}
	for i in body:
		for r in i.writes:
			definitions.setdefault(r, []).append(i)
	known = set()
	changed = True
	while changed:
		changed = False
		for r, defs in definitions.items():
			if r in known:
				continue
			if all(d.kind in ("other", "load") and (d.kind != "load" or d.space == "scalar") and
			       all(s not in definitions or s in known for s in d.reads) for d in defs):
				known.add(r)
				changed = True
	return lambda r: r not in definitions or r in known


def clobbered(register):
	"""Returns whether a call may change the register: the calling conventions preserve the others."""
	number = int(register[1:]) if register[1:].isdigit() else 0
	if register[0] == "v":
		return not (number >= 40 and number % 16 >= 8)
	if register[0] == "s":
		return number < 32
	if register[0] == "R":
		return number < 16
	return register != "exec"


def places(blocks):
	"""Returns {instruction: (its block, its number there)}."""
	return {i: (b, n) for b in blocks for n, i in enumerate(b.instructions)}


def definitions(place, use, register):
	"""
	Returns the instructions that may have written a register last where `use` reads it, among those in `place`
	(places(), of a function's blocks or a loop's); a call that may change it is one of them. Where a path from
	outside meets none, it adds none.
	"""
	found, seen, work = [], set(), [place[use]]
	while work:
		block, end = work.pop()
		last = next((i for i in reversed(block.instructions[:end]) if register in i.writes or i.kind == "call" and
			     (clobbered(register) if i.clobbers is None else register in i.clobbers)), None)
		if last:
			found.append(last)
			continue
		before = {b for b in block.previous if b.instructions[0] in place} - seen
		seen |= before
		work += [(b, len(b.instructions)) for b in before]
	return found


def backward_slice(function, loop, use):
	"""
	Returns what decides a branch within a loop: {instruction: the instructions whose results it
	uses}, back to loads and to what is outside the loop. If a mask is removed from exec, the mask is
	followed and not exec's history. What a call leaves in a register is not followed.
	"""
	place = places(function.loop_blocks(loop))
	edges, work = {}, [use]
	while work:
		i = work.pop()
		if i in edges:
			continue
		reads = set() if i.kind in ("load", "atomic") else i.reads
		if "exec" in i.writes and len(i.reads) > 1:
			reads = reads - {"exec"}
		edges[i] = {d for r in reads for d in definitions(place, i, r) if r in d.writes}
		work += edges[i]
	return edges


def counts(edges):
	"""Returns whether a slice adds to its own input: a counter, which ends a loop by itself."""
	for add in edges:
		if add.kind != "other" or not any(w in add.op for w in ("add", "sub", "IADD")):
			continue
		reached, work = set(), list(edges[add])
		while work:
			i = work.pop()
			if i not in reached:
				reached.add(i)
				work += edges[i]
		if add in reached:
			return True
	return False


def polling_loads(function):
	"""
	Returns (loop, load) for each load that a loop repeats at one address until its value ends the loop.
	The bound of a counting loop does not count, although it may be read again. A scalar load counts only
	if the loop sleeps and has no other load, and if what it reads may change: loops read constants again, too.
	"""
	if function.polls is not None:
		return function.polls
	found = []
	for loop in function.loops:
		body = function.loop_body(loop)
		loads = [i for i in body if i.kind == "load" and i.space in ("global", "scalar")]
		if not loads:
			continue
		holds = invariant(body)
		if not any(all(holds(r) for r in i.address_reads) for i in loads):
			continue
		here = set()
		for block in function.loop_blocks(loop):
			leaves = block.instructions[-1]
			if not leaves.conditional or all(n.index in loop for n in block.next):
				continue
			edges = backward_slice(function, loop, leaves)
			if not counts(edges):
				here |= {i for i in edges if i.kind == "load" and i.space in ("global", "scalar") and
					 all(holds(r) for r in i.address_reads)}
		vector = [l for l in here if l.space == "global"]
		if vector:
			found += [(loop, l) for l in vector]
		elif any(i.op in ("s_sleep", "NANOSLEEP") for i in body):
			found += [(loop, l) for l in here if not function.is_constant(l)]
	function.polls = sorted(found, key=lambda f: f[1].address)
	return function.polls


def skips_of_polls(function):
	"""
	Returns (branch, target), by address, of branches in a polling loop that skip code which only lanes
	whose poll succeeded (or failed) execute. No lane that executes it takes the branch, and a lane leaves
	the loop as one of these, so paths through the branch are not real.
	"""
	found = set()
	for loop, load in polling_loads(function):
		for block in function.loop_blocks(loop):
			last = block.instructions[-1]
			masks = [i for i in block.instructions if "exec" in i.writes]
			if any(n.index not in loop for n in block.next) or load not in backward_slice(function, loop, last):
				continue
			if last.op == "s_cbranch_execz":
				found.add((last.address, last.target))
			# the condition on masks excludes the end of an inner loop
			elif last.op == "s_cbranch_execnz" and masks and "saveexec" in masks[-1].op:
				found |= {(last.address, n.instructions[0].address) for n in block.next
					if n.instructions[0].address != last.target}
	return found


def flow(function, start, transfer, cut=frozenset(), step=None, edges=None):
	"""
	Forward data flow to a fixed point. States are frozensets; transfer(instruction, state) returns the
	state after an instruction. States are joined by union, separately for each knowledge about the path,
	which step(instruction, known) and edges(block, known) update; edges lists (next block, known). cut
	has (branch, target) by address of edges that are not taken. Returns nothing: call it for the effect
	of transfer in its last run over each block.
	"""
	states = {(0, frozenset()): frozenset(start)}
	work = list(states)
	while work:
		index, known = at = work.pop()
		state, block = states[at], function.blocks[index]
		for i in block.instructions:
			state = frozenset(transfer(i, state))
			known = step(i, known) if step else known
		for n, then in edges(block, known) if edges else [(n, known) for n in block.next]:
			if (block.instructions[-1].address, n.instructions[0].address) in cut:
				continue
			to = (n.index, then)
			old = states.get(to)
			new = state if old is None else old | state
			if new != old:
				states[to] = new
				work.append(to)
