# SPDX-License-Identifier: BSD-3-Clause
"""
Checks what must hold on every path through a kernel or device function, so that data
is there when a flag says so.

  write-back   a cache write-back is waited for before the next barrier, flag or end, unless the wave has
               touched no memory and met no other wave before it, so that there is nothing to write back
  flag         where the library publishes (a signal, a barrier's flag, the group barrier before them, a
               call's request or answer, and isa_flag() of our own kernels) no earlier store is in flight,
               or in a cache from which a release must write it back
  poll         a load that a loop repeats until its value ends the loop passes the caches
  loop         the library's waiting loops contain no fence, which would slow down every poll
  acquire      between such a loop (or the group barrier after it) and the next load of data the caches are
               dropped
  get          a load from a peer passes the caches, or they were dropped since the caller's last operation
  assembly     no store hides in inline assembly, where the compiler counts none and so waits for none
  count, spill, copy  what masks.py looks for, in the same code

Debug information tells which store is a flag: the inlined functions that an instruction comes from.
"""

import functools
import glob
import os
import re
import sys

import amd
import masks
from graph import flow, polling_loads, skips_of_polls

# Pairs of a function and its callee: where a flag is stored, the barriers before that,
# and the barriers after a wait.
FLAG = {(f, s) for f in ("gshmemi_copy_signal", "gshmemi_sync_write")
	for s in ("gshmemi_arch_store", "gshmemi_arch_amo64")} | {
	("isa_flag", "gshmem_uint64_p"), ("isa_flag", "gshmemi_arch_store"),
	("gshmemi_lock_clear", "gshmemi_lock_amo"), ("gshmemi_win_unlock_one", "gshmemi_win_count"),
	("gshmemi_rpc_post", "gshmemi_arch_store"), ("gshmemi_rpc_give", "gshmemi_arch_store"),
	("gshmemi_mail_serve", "gshmemi_arch_store")}
PUBLISH = {("gshmemi_copy_signal", "gshmemi_group_end"), ("gshmemi_fence", "gshmemi_group_enter"),
	   ("gshmemi_quiet", "gshmemi_group_enter"), ("gshmemi_sync_team", "gshmemi_group_begin"),
	   ("gshmemi_coll_order", "gshmemi_group_sync")}
WAIT = {("gshmemi_wait_until", "gshmemi_group_end"), ("gshmemi_sync_team", "gshmemi_group_end"),
	("gshmemi_coll_meet", "gshmemi_group_sync")}
WAITS = {"gshmemi_wait", "gshmemi_turn_await", "gshmemi_rpc_await", "gshmemi_rpc_finish"}
# the library's own counters, of barriers and of GSHMEM_STATS, and events of a trace, whose readers add up
# their words: they publish no data; nor do fault records
OWN = {"gshmemi_disseminate", "gshmemi_count_add", "gshmemi_trace_begin_at", "gshmemi_trace_end_at"}
# a flag's own store on the slow path is not an earlier store
SLOW = {"gshmemi_slow_perform_at", "gshmemi_carry_at"}
# the functions that call it for an operation, and those that call them for a flag or a lock
CALLS_SLOW = {"gshmemi_slow_p", "gshmemi_slow_move", "gshmemi_slow_amo"}
RAISES = {"isa_flag", "gshmemi_slow_put_signal", "gshmemi_lock_amo", "gshmemi_win_count", "gshmemi_turn_look"}
PACKET = {"gshmemi_ll_await"} # a word that is the whole message: no data belongs to it
SENDS = {"gshmemi_ll_send"} # such a word
LOOKS = {"gshmemi_turn_look"} # a poll; otherwise it reads only the table of peers
TABLES = {"gshmemi_is_mapped", "gshmemi_distance"} # their loads read tables that init fills
MAIL = {"gshmemi_mail_perform", "gshmemi_mail_find"} # they read after the acquire of gshmemi_mail_serve
# These return into a wait, which acquires at its end; gshmemi_net_take_at acquires
# when a request's wait has ended.
SERVES = {"gshmemi_attend_at", "gshmemi_net_await_at"}
# Their loops read the caller's arguments: once, or for each try of a compare and swap.
ARGUMENTS = {"gshmemi_slow_pes_at", "gshmemi_win_swap"}
# What these store themselves is the PE's own epoch, which a flag to others does not announce.
EPOCH = {"gshmemi_win_do", "gshmemi_win_post", "gshmemi_win_start", "gshmemi_win_complete",
	"gshmemi_win_wait", "gshmemi_win_set_locked", "gshmemi_win_end_pscw"}
# These leave the store that closes a slot open: the request's contents were released before its post.
CLOSES = "gshmemi_net_"
FAULT = re.compile(r"gshmemi_fault_")
GET = {"gshmemi_get", "gshmemi_get_blocks"}
READ = {"gshmemi_arch_read_peer", "gshmemi_arch_read_global", "gshmemi_arch_load"} # their loads and stores


def unknown_names():
	"""Returns the library's functions that the rules name and that are not there."""
	text = ""
	for path in glob.glob("include/gshmem/**/*.h", recursive=True):
		with open(path, encoding="utf-8") as f:
			text += f.read()
	pairs = {name for pair in FLAG | PUBLISH | WAIT for name in pair}
	rules = WAITS | OWN | SLOW | CALLS_SLOW | RAISES | PACKET | SENDS | LOOKS | TABLES | MAIL | SERVES | \
		ARGUMENTS | EPOCH | GET | READ
	return sorted(name for name in pairs | rules if name.startswith("gshmemi_") and
		not re.search(r"\b%s\b" % name, text))


def plain(name):
	"""Returns the name in a mangled name."""
	m = re.match(r"_ZL?(\d+)", name)
	return name[m.end():m.end() + int(m.group(1))] if m else name


def comes_from(instruction, names):
	return any(plain(f) in names for f in instruction.frames)


def calls_in(instruction, pairs):
	"""Returns whether the instruction comes from such a call."""
	names = [plain(f) for f in instruction.frames]
	return any((outer, inner) in pairs for inner, outer in zip(names, names[1:]))


@functools.lru_cache(maxsize=None)
def reads_channel(place):
	"""Returns whether the source at FILE:LINE:COLUMN names a member of a channel, by c->."""
	path, line, column = (place.rsplit(":", 2) + ["", ""])[:3]
	if not re.search(r"gshmem/rpc/(rpc|rpc_slot|remote)\.h$", path) or not line.isdigit() or not os.path.exists(path):
		return False
	with open(path, encoding="utf-8") as f:
		text = f.read().split("\n")[int(line) - 1]
	return text[:int(column) - 1].endswith("c->")


def is_constant(instruction):
	"""A read of what was written before the kernel started: the launch's sizes, a channel's address, a table."""
	return reads_channel(instruction.line) or plain((instruction.frames or [""])[0]) in TABLES or any(
		"__HIP_GridDim" in f or "__HIP_BlockDim" in f or "__ockl_get_" in f or "__hip_builtin_" in f
		for f in instruction.frames) or (
		instruction.frames[:1] == ("operator()",) and "hip_runtime.h" in instruction.line)


def performs_data(instruction):
	"""Returns whether this calls the slow path for an operation that is not itself a flag."""
	return instruction.kind == "call" and comes_from(instruction, CALLS_SLOW) and \
		not comes_from(instruction, OWN | RAISES)


def reaches_others(instruction):
	"""Returns whether the instruction may exchange data with other threads."""
	return instruction.kind in ("barrier", "call") or \
		instruction.kind in ("load", "store", "atomic") and instruction.space == "global"


def of_fault(instruction):
	return any(FAULT.match(plain(f)) for f in instruction.frames)


def loads_of_waits(function):
	"""What the library's waits read themselves, whatever they use it for."""
	return [i for i in function.instructions if i.kind == "load" and i.space == "global" and i.frames and
		(plain(i.frames[0]) in WAITS or calls_in(i, {(w, "gshmemi_arch_load") for w in WAITS}) or
		 comes_from(i, WAITS) and calls_in(i, {("gshmemi_amo_peer", "gshmemi_arch_amo64")}))]


def waiting_loops(function):
	"""The loops of the library's waits: the innermost loops that sleep and contain such a load."""
	loads = set(loads_of_waits(function))
	sleep = [l for l in function.loops if any(i.op == "s_sleep" for i in function.loop_body(l))] if loads else []
	return [l for l in sleep if not any(o < l for o in sleep) and loads & set(function.loop_body(l))]


def amd_rules(arch):
	"""Returns (whether this completes the stores in flight, {kinds of pending
	acquire}, those that this clears).
	"""
	unified = arch.startswith("gfx9")

	def waited(i, returning):
		"""Returns whether a wait covers stores, or atomics that return."""
		return i.wait.get("vmcnt" if unified or returning else "vscnt") == 0

	if arch == "gfx90a":
		caches = {"buffer_invl2", "buffer_wbinvl1_vol"}
	elif unified:
		caches = {"buffer_inv"}
	else:
		caches = {"buffer_gl1_inv", "buffer_gl0_inv"}

	def dropped(i):
		if i.op == "buffer_inv" and not {"sc0", "sc1"} <= i.flags:
			return set()
		return {i.op} & caches

	return waited, caches, dropped


def is_flag_store(i, arch):
	"""A store that may be a flag for other GPUs, as far as the instruction alone tells."""
	if i.kind not in ("store", "atomic") or i.space != "global":
		return False
	return i.bypass if arch.startswith(("gfx94", "gfx95")) and i.kind == "store" else True


def check_amd(function, arch, leaves):
	"""
	Returns messages about what is broken. Adds to leaves the names of functions that return with stores in
	flight, as ("store", name), or in a cache, as ("cached", name).
	"""
	waited, caches, dropped = amd_rules(arch)
	has_bits = arch.startswith(("gfx94", "gfx95"))
	polls = {load for _, load in polling_loads(function) if not comes_from(load, ARGUMENTS)}
	# A compiler peels the first poll off the loop: the same line of the same inlined call.
	places = {(l.frames, l.line) for l in polls if l.frames}
	polls |= {i for i in function.instructions if i.kind == "load" and i.frames and (i.frames, i.line) in places}
	broken = {}

	def report(i, rule, text):
		broken[(i.address, rule)] = "%s: %s: %s: %s" % (function.name, rule, text, i)

	for load in polls | set(loads_of_waits(function)):
		if not load.bypass and not is_constant(load):
			report(load, "poll", "a polling load that the caches may answer")
	for loop in waiting_loops(function):
		for i in function.loop_body(loop):
			if i.kind in ("writeback", "invalidate") and comes_from(i, WAITS):
				report(i, "loop", "a fence in a loop that polls")

	example = {} # the instruction for which a token of the state stands
	acquires, stales = {("acquire", c) for c in caches}, {("stale", c) for c in caches}
	is_flag = {i for i in function.instructions if i.kind in ("store", "atomic") and i.space == "global" and
		   calls_in(i, FLAG) and not comes_from(i, SENDS)}
	# Flags do not wait for each other, and the library's own count of barriers publishes nothing.
	carries_data = {i for i in function.instructions if i.kind in ("store", "atomic") and i.space == "global" and
			i not in is_flag and not comes_from(i, OWN | SLOW) and not of_fault(i) and
			plain(i.frames[0] if i.frames else "") not in EPOCH}

	def add(state, token, i):
		example[token] = i
		state.add(token)

	def may_be_cached(i):
		return i.kind == "store" and arch.startswith("gfx9") and not (has_bits and i.bypass)

	def writes_back(i):
		return not has_bits or {"sc0", "sc1"} <= i.flags

	def transfer(i, state):
		if i.kind in ("other", "branch"):
			return state
		state = set(state)
		if i.kind == "wait":
			if waited(i, False):
				# What other waves had in flight at a barrier they
				# have waited for at the next one.
				if "others" in state:
					state.add("others waited")
				state -= {"store", "others"}
			if waited(i, True):
				state.discard("store that returns")
			if i.wait.get("vmcnt") == 0:
				state.discard("write-back")
			return state
		if i.kind == "invalidate":
			return state - {("acquire", c) for c in dropped(i)} - {("stale", c) for c in dropped(i)}

		if "write-back" in state and (i.kind in ("barrier", "end", "return", "call") or is_flag_store(i, arch)):
			report(i, "write-back", "reached while it is not waited for: %s" % example["write-back"])
		if i in is_flag or i.kind == "barrier" and calls_in(i, PUBLISH):
			for token in {"store", "store that returns"} & state:
				report(i, "flag", "published while a store is on its way, such as %s" % example[token])
			if "cached" in state:
				report(i, "flag", "published while a cache may hold what was stored, as by %s" %
					example["cached"])
			if {"others", "others waited"} & state and comes_from(i, {"isa_flag"}):
				report(i, "flag",
					"published while other waves' stores may be on their way, such as %s" %
					example["others"])
		# A poll of a fault record waits for the end and reads nothing afterwards.
		if i in polls and not of_fault(i) and not comes_from(i, PACKET | MAIL):
			state |= acquires | {"polled"}
		elif i.kind == "load" and i.space == "global" and not i.bypass and not is_constant(i):
			if acquires & state and not comes_from(i, OWN | LOOKS) and not of_fault(i):
				report(i, "acquire", "data is read behind a wait and nothing dropped the caches")
			if stales & state and comes_from(i, GET) and comes_from(i, READ):
				report(i, "get", "a peer is read through caches that may be stale")

		if i.kind == "writeback":
			if writes_back(i):
				state.discard("cached")
			if "touched" in state:
				add(state, "write-back", i)
		if reaches_others(i):
			state.add("touched")
		if i in carries_data:
			add(state, "store that returns" if i.returns else "store", i)
			if may_be_cached(i):
				add(state, "cached", i)
		if i.kind == "barrier":
			state.discard("others waited")
			if "store" in state:
				add(state, "others", example["store"])
			if "polled" in state and calls_in(i, WAIT):
				state.discard("polled")
				state |= acquires
		if reaches_others(i) and (i.kind == "call" or not comes_from(i, GET)):
			state |= stales
		if i.kind == "return":
			if acquires & state and plain(function.name) not in SERVES:
				report(i, "acquire", "returns from a wait and nothing dropped the caches")
			if not plain(function.name).startswith(CLOSES):
				leaves.update((token, function.name) for token in {"store", "cached"} & state)
		if i.kind == "call":
			for token in ("store", "cached") if arch.startswith("gfx9") else ("store",):
				if i.callee is None or (token, i.callee) in leaves or performs_data(i):
					add(state, token, i)
		return state

	live = amd.live_masks(function)
	start = {("stale", c) for c in caches} | (set() if function.is_kernel else {"touched"})
	flow(function, start, transfer, skips_of_polls(function), amd.step,
	     lambda block, known: amd.edges(block, known, live))
	return list(broken.values())


def check_functions(arch, functions):
	"""Returns messages about all that is broken in one code object."""
	leaves, broken, callees = set(), {}, {}
	for f in functions:
		callees[f] = {i.callee for i in f.instructions if i.kind == "call"}
	work = functions
	while work:
		before = set(leaves)
		for f in work:
			broken[f] = check_amd(f, arch, leaves)
		work = [f for f in functions if callees[f] & {name for _, name in leaves - before}]
	return [m for f in functions for m in broken[f] + masks.check(f)]


STORE = re.compile(r"\b(global|flat|buffer|scratch)_(store|atomic)|\bs_(buffer_)?(store|atomic)|\bds_(write|store|add)|"
		   r"\bst(\.\w+)*\.(u|s|b|f|v)\d|\b(red|atom)(\.\w+)*\.")


def check_assembly(text):
	"""Returns messages about stores in inline assembly, from a compiler's .s file."""
	broken, inside, function = [], False, "?"
	for line in text.splitlines():
		m = re.match(r"(\w+):", line)
		if m and not line.startswith(".L"):
			function = m.group(1)
		if "#ASMSTART" in line:
			inside = True
		elif "#ASMEND" in line:
			inside = False
		elif inside and STORE.search(line):
			broken.append("%s: assembly: a store that the compiler does not see: %s" %
				(function, line.strip()))
	return broken


def self_test(files):
	"""
	files: kernels/broken.hip, compiled. RULE must find broken_RULE_x, and no rule sound_x. Some rules
	apply to a code object, others to the assembly of the same source.
	"""
	failed, tried = 0, 0
	for name in unknown_names():
		print("FAIL ordering.py: the rules name %s, which include/ does not have" % name)
		failed += 1
	for path in files:
		rules = ("assembly",) if path.endswith(".s") else ("write-back", "flag", "poll", "acquire", "get", "count", "spill",
								     "copy")
		if path.endswith(".s"):
			with open(path, encoding="utf-8") as f:
				text = f.read()
			names, broken = re.findall(r"^(\w+):.*@\1$", text, re.M), check_assembly(text)
		else:
			arch, functions = amd.read(path, frames=True)
			names, broken = [f.name for f in functions], check_functions(arch, functions)
		for name in names:
			found = [m.split(": ")[1] for m in broken if m.startswith(name + ": ")]
			expected = next((r for r in rules if name.startswith("broken_%s_" % r.replace("-", "_"))), None)
			tried += expected is not None
			if expected and expected not in found:
				print("FAIL %s: %s: rule %s does not see it" % (path, name, expected))
				failed += 1
			if name.startswith("sound_") and found:
				print("FAIL %s: %s: found broken by %s" % (path, name, found))
				failed += 1
	print("%d broken kernels, %d mistakes" % (tried, failed))
	return failed != 0 or not tried


def mutants(path):
	"""path: lines with a name, the rule that must notice the mutant, and the file compiled with it."""
	failed = 0
	with open(path, encoding="utf-8") as f:
		lines = [line.split() for line in f]
	for name, rule, compiled in lines:
		found = set(m.split(": ")[1] for m in check_file(compiled)[0])
		if rule not in found:
			print("FAIL %s: with %s taken out rule %s sees nothing wrong; seen by: %s" %
				(compiled, name, rule, sorted(found)))
			failed += 1
	print("%d mutants, %d not seen" % (len(lines), failed))
	return failed != 0


def check_file(path):
	"""Returns messages and (kernels, write-backs, polling loads) for a code object or for assembly."""
	if path.endswith(".s"):
		with open(path, encoding="utf-8") as f:
			return check_assembly(f.read()), (0, 0, 0)
	arch, functions = amd.read(path, frames=True)
	return check_functions(arch, functions), (
		sum(f.is_kernel for f in functions),
		sum(i.kind == "writeback" for f in functions for i in f.instructions),
		sum(len(polling_loads(f)) for f in functions))


def main(files):
	"""
	Checks code objects (.co) and assembly (.s) or, with --objects FOLDER, the code objects in object
	files, which it writes to that folder. The exit status says whether anything is broken.
	"""
	if files[0] == "--self-test":
		return self_test(files[1:])
	if files[0] == "--mutants":
		return mutants(files[1])
	failed, totals = 0, (0, 0, 0)
	if files[0] == "--objects":
		files = [c for path in files[2:] for c in amd.code_objects(path, files[1])]
	for path in files:
		broken, counts = check_file(path)
		for message in broken:
			print("FAIL %s: %s" % (path, message))
		failed += len(broken)
		totals = tuple(a + b for a, b in zip(totals, counts))
	print("%d files, %d kernels, %d write-backs, %d polling loads, %d broken" % (len(files), *totals, failed))
	return failed != 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
