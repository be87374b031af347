# SPDX-License-Identifier: BSD-3-Clause
"""
The rules of ordering.py for NVIDIA. Cubins have no names of inlined functions, so the flag is recognised by
its form: an 8-byte store at system scope, which the kernels of publish.hip use for nothing else. A call to
the CPU is checked on the path that rpc.py finds.

  flag      between any other store or atomic and a flag, on every path, there is a fence of system scope
  poll      a polling load is of system scope
  acquire   after a polling loop, and after a barrier that follows it, a fence comes before the next load that
            a cache may answer
  loop      a loop that sleeps, and reads but does not write, contains no fence (only for calls to the CPU)
  get       in a kernel whose name says get, every load in a loop that stores is of system scope
"""

import sys

import nvidia
import rpc
from graph import flow, polling_loads


def check_function(function, flags, generic=True):
	"""
	Returns messages. flags: whether to look for flags; only our own kernels have this form of flag.
	generic: whether a load by a generic address may be a poll.
	"""
	broken = {}

	def report(i, rule, text):
		broken[(i.address, rule)] = "%s: %s: %s: %s" % (function.name, rule, text, i)

	polls = {load for _, load in polling_loads(function) if load.space == "global" and
		(generic or load.op != "LD")}
	for load in polls:
		if not load.bypass:
			report(load, "poll", "a polling load that the caches may answer")
	if "get" in function.name and flags:
		for loop in function.innermost():
			body = function.loop_body(loop)
			if any(i.kind == "store" for i in body):
				for i in body:
					if i.kind == "load" and i.space == "global" and not i.bypass:
						report(i, "get", "a peer is read through caches that may be stale")
	if not flags:
		return list(broken.values())

	is_rpc = function.name.startswith("rpc_")
	request = rpc.released(function, "nvidia") if is_rpc else None
	if request:
		report(request, "flag", "published while a store is on its way")
	for loop in function.loops if is_rpc else []:
		body = function.loop_body(loop)
		if any(i.op == "NANOSLEEP" for i in body) and not any(i.kind in ("atomic", "store") for i in body):
			for i in body:
				if i.kind in ("writeback", "invalidate"):
					report(i, "loop", "a fence in a loop that polls")
				if i.kind == "load" and i.space == "global" and not i.bypass:
					report(i, "poll", "a polling load that the caches may answer")

	def transfer(i, state):
		state = set(state)
		if i.kind == "writeback" and i.bypass:
			state -= {"store", "acquire"}
		elif i.kind == "invalidate":
			state.discard("acquire")
		elif i.kind == "store" and i.space == "global" and i.bypass and i.nbytes == 8 and not is_rpc:
			if "store" in state:
				report(i, "flag", "published while a store is on its way")
		elif i.kind in ("store", "atomic") and i.space == "global":
			state.add("store")
		elif i.kind == "barrier" and "polled" in state:
			state.discard("polled")
			state.add("acquire")
		if i in polls:
			state |= {"acquire", "polled"}
		elif i.kind == "load" and i.space == "global" and not i.bypass and "acquire" in state:
			report(i, "acquire", "data is read behind a wait and nothing dropped the caches")
		return state

	flow(function, set(), transfer)
	return list(broken.values())


def check_file(path, flags, generic=True):
	arch, functions = nvidia.read(path)
	return [m for f in functions for m in check_function(f, flags and f.is_kernel, generic)], functions


def main(arguments):
	"""
	FILE...: cubins of kernels/publish.hip and the like. --mutants FILE: as for ordering.py. --objects
	FILE...: object files with uncompressed cubins; checks only polls. --polls FILE...: the same in cubins of LLVM,
	which reads the arguments of a collective from the stack again in each turn, by generic addresses.
	"""
	failed = 0
	if arguments[0] == "--mutants":
		with open(arguments[1], encoding="utf-8") as f:
			lines = [line.split() for line in f]
		for name, rule, path in lines:
			found = {m.split(": ")[1] for m in check_file(path, True)[0]}
			if rule not in found:
				print("FAIL %s: with %s taken out rule %s sees nothing wrong; seen by: %s" %
					(path, name, rule, sorted(found)))
				failed += 1
		print("%d mutants, %d not seen" % (len(lines), failed))
		return failed != 0
	kernels, polled, files = 0, 0, 0
	if arguments[0] == "--objects":
		checked = [(path, f) for path in arguments[1:] for f in nvidia.cubins(path)]
		results = [(path, [m for f in functions for m in check_function(f, False)], functions) for path,
			functions in checked]
	else:
		of_llvm = arguments[0] == "--polls"
		results = [(path, *check_file(path, not of_llvm, not of_llvm)) for path in arguments[of_llvm:]]
	for path, broken, functions in results:
		for message in broken:
			print("FAIL %s: %s" % (path, message))
		failed += len(broken)
		files += 1
		kernels += sum(f.is_kernel for f in functions)
		polled += sum(len(polling_loads(f)) for f in functions)
	print("%d cubins, %d kernels, %d polling loads, %d broken" % (files, kernels, polled, failed))
	return failed != 0 or not polled


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
