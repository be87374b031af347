# SPDX-License-Identifier: BSD-3-Clause
"""
Finds three faults of clang 19 that the library's kernels have hit, all where some
lanes of a wave are masked off.

  count   lanes leave a loop one by one and take the value of a scalar counter with them. The part of the loop
          for the lanes that go on is not skipped when there are none: it counts on, and a lane that leaves
          gets the new value. A uniform condition (gshmemi_arch_uniform) makes a scalar branch of it.
  spill   two branches end at one place. A vector register is saved between the end of the inner one and the
          instruction that unmasks the lanes of the outer one, so those lanes' values are not saved. The
          remedy is to remove the inner join: see gshmemi_arch_group_sync.
  copy    a loop that lanes leave one by one, or a branch, has changed a register. The copy that restores it
          is where all lanes have left, so no lane executes it, and the code goes on with the changed value.
          Functions that run short of scalar registers have this fault (LLVM's issue 166657); branches on
          uniform values need no scalar registers for masks: see gshmemi_coll_uniform.
"""

import re

from amd import registers

SAVES = re.compile(r"s_(and|andn2)_saveexec_b(32|64)")
UNMASKS = re.compile(r"s_or_b(64 exec, exec|32 exec_lo, exec_lo), (\S+)")
SPILLS = re.compile(r"v_accvgpr_write_b32|scratch_store_|buffer_store_dword.* offen|buffer_store_dword.* s\[0:3\]")
COPIES = re.compile(r"v_mov_b|v_accvgpr_(read|write|mov)|scratch_load|buffer_load_dword.* s\[0:3\]")
ADDS = re.compile(r"s_(?:or|xor|andn2)_b(?:32|64) ([^,]+), ([^,]+), (\S+)$")
WHOLE_WAVE = re.compile(r"s_or_saveexec_b(32|64) \S+, -1")


def masked_parts(block):
	"""Yields (part, rest): instructions that run under a mask of lanes, perhaps
	of none, and the block's rest.
	"""
	for first, i in enumerate(block.instructions):
		if not SAVES.match(i.op):
			continue
		mask = i.text.split()[1].rstrip(",")
		for last in range(first + 1, len(block.instructions)):
			m = UNMASKS.match(block.instructions[last].text)
			if m and m.group(2) == mask:
				yield block.instructions[first + 1:last], block.instructions[last + 1:]
				break


def with_lanes(part):
	"""Yields each instruction with the scalar registers that hold 0 there if no lane runs the part: results of
	comparisons, and what is left of a mask after "and exec".
	"""
	lanes = set()
	for i in part:
		yield i, lanes
		scalars = {r for r in i.writes if re.fullmatch(r"s\d+|vcc", r)}
		if i.op.startswith("v_cmp_") or i.op.startswith("s_and_b") and "exec" in i.text:
			lanes |= scalars
		else:
			lanes -= scalars


def keeps(i, lanes):
	"""Returns whether an instruction adds such lanes to its result or takes them from it: no change if it is 0."""
	m = ADDS.match(i.text)
	if not m:
		return False
	result, first, second = m.groups()
	other = first if second == result and not i.op.startswith("s_andn2") else second
	return result in (first, second) and bool(registers(other)) and registers(other) <= lanes


def counted(part):
	"""Returns scalar registers that the part reads from before it, and changes."""
	found, fresh = {}, set()
	for i, lanes in with_lanes(part):
		scalars = {r for r in i.writes if re.fullmatch(r"s\d+", r)} if i.op.startswith("s_") else set()
		for r in scalars:
			if r not in fresh and r in i.reads and "exec" not in i.text and not keeps(i, lanes):
				found[r] = i
		fresh |= {r for r in scalars if r not in i.reads}
	return found


def is_empty(block):
	"""Returns whether no lane is left, from whichever block control comes."""
	first = block.instructions[0].address
	ends = [b.instructions[-1] for b in block.previous]
	return bool(ends) and all(e.op == "s_cbranch_execz" and e.target == first or
		e.op == "s_cbranch_execnz" and e.target != first for e in ends)


def copied(block):
	"""Returns the first copy to a vector register that no lane executes."""
	for i in block.instructions if is_empty(block) else []:
		if {"exec", "exec_lo"} & i.writes or "exec" in i.text.split(",")[0]:
			break
		if COPIES.match(i.text):
			return i
	return None


def check(function):
	"""Returns messages about what is broken."""
	broken = []
	for block in function.blocks:
		for part, rest in masked_parts(block):
			for r, i in counted(part).items():
				for use in rest:
					if use.op.startswith("v_") and r in use.reads:
						broken.append("%s: count: %s also where no lane is left, and %s" % (function.name, i, use))
					if r in use.writes | use.reads:
						break
		copy = copied(block)
		if copy:
			broken.append("%s: copy: %s where no lane is left" % (function.name, copy))
		saved, whole = None, False
		for i in block.instructions:
			if WHOLE_WAVE.match(i.text):
				whole = True
			elif i.text.startswith(("s_mov_b64 exec,", "s_mov_b32 exec_lo,")):
				whole = False
			elif UNMASKS.match(i.text):
				if saved:
					broken.append("%s: spill: %s comes before %s" % (function.name, saved, i))
				break
			elif SPILLS.match(i.text) and not whole:
				saved = saved or i
			elif not i.op.startswith(("s_", "v_readlane", "v_writelane", "v_accvgpr")):
				break
	return broken
