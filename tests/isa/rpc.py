# SPDX-License-Identifier: BSD-3-Clause
"""
Counts what a call to the CPU costs, in kernels/rpc.hip: on the shortest path that locks a slot, fills
it, posts it, sees the answer in the first poll and unlocks, without a bell. Metrics of the whole
kernel cover the other paths, too.

  instructions  from the entry to the end, no end of the program
  stores        to the slot, which is the host's memory: how many; of a line, by each lane
  bytes         that they carry
  loads         in the first poll
  reads         of words of the page, behind the answer, by each lane
  releases      between the lock and the request: write-backs, or on GPUs that have none waits for stores
  atomics       in all of the kernel
  on_host       of these, on AMD, what is neither the lock nor the count of posted calls, which are the client's own
  posting       on AMD, stores in all of the kernel that post: the request's and the bell's
  paths         that were found: 1
  loop          instructions of a turn of the polling loop, at its shortest
  asks          of rpc_quiet(), on AMD: calls of the function that completes what was posted
  loop_fences   fences, atomics and stores in the polling loop, in all of it
"""

import heapq

from ordering import calls_in

KERNELS = ("rpc_call", "rpc_post", "rpc_line")
OWN = {("gshmemi_rpc_lock", "gshmemi_arch_amo32"), ("gshmemi_rpc_enter_to", "gshmemi_arch_amo64")}


def path_by(function, wanted):
	"""Returns the shortest path from entry to end that makes no call and passes
	such instructions in this order.
	"""
	def passed(block, stage):
		for i in block.instructions:
			if stage < len(wanted) and wanted[stage](i):
				stage += 1
		return stage

	entry = function.blocks[0]
	start = (entry.index, passed(entry, 0))
	best, before, work = {start: len(entry.instructions)}, {start: None}, [(len(entry.instructions), *start)]
	while work:
		cost, index, stage = heapq.heappop(work)
		block = function.blocks[index]
		if stage == len(wanted) and block.instructions[-1].kind in ("end", "return"):
			at, path = (index, stage), []
			while at:
				path.insert(0, function.blocks[at[0]])
				at = before[at]
			return [i for b in path for i in b.instructions]
		for n in block.next:
			if any(i.kind == "call" for i in n.instructions):
				continue
			to, total = (n.index, passed(n, stage)), cost + len(n.instructions)
			if total < best.get(to, total + 1):
				best[to], before[to] = total, (index, stage)
				heapq.heappush(work, (total, *to))
	return None


def milestones(kernel, vendor):
	"""The instructions that the path passes; the last but one, or but two, is the request."""
	posts, line = kernel == "rpc_post", kernel == "rpc_line"
	if vendor == "amd":
		def stored(by):
			return lambda i: i.kind == "store" and calls_in(i, {(by, "gshmemi_arch_store")})

		fill = (lambda i: i.kind == "store" and i.frames and "gshmemi_rpc_words" in i.frames[0]) if line else \
			stored("gshmemi_rpc_words")
		request, close = stored("gshmemi_rpc_post"), stored("gshmemi_rpc_close")

		def poll(i):
			return i.kind == "load" and calls_in(i, {("gshmemi_rpc_await", "gshmemi_arch_load")})
	else:
		def fill(i):
			return i.kind == "store" and i.nbytes >= 8 and i.bypass != line

		def request(i):
			return i.kind == "store" and i.nbytes == 4 and i.bypass

		def poll(i):
			return i.kind == "load" and i.nbytes == 8 and i.bypass

		close = request
	def read(i):
		return i.kind == "load" and i.space == "global" and i.nbytes >= 8 and not i.bypass

	wait = [] if posts else [poll, read] if line else [poll]
	return [lambda i: i.kind == "atomic", fill, request] + wait + [close]


def find_post(function, vendor):
	"""Returns (path, where it locks, where it last fills, the request), or None for
	a kernel that makes no call.
	"""
	wanted = milestones(function.name, vendor)
	path = path_by(function, wanted) if function.name in KERNELS else None
	if path is None:
		return None
	lock = next(n for n, i in enumerate(path) if wanted[0](i))
	first = next(n for n, i in enumerate(path) if n > lock and wanted[1](i))
	request = next(n for n, i in enumerate(path) if n > first and wanted[2](i))
	last = max(n for n, i in enumerate(path[:request]) if i.kind in ("store", "atomic") and i.space == "global")
	return path, lock, last, request


def count_releases(path, vendor):
	"""Returns a path's write-backs of system scope or, if nothing needs to be written
	back, its waits after stores.
	"""
	if vendor == "nvidia" or any(i.kind == "writeback" for i in path):
		return sum(i.kind == "writeback" and (vendor == "amd" or i.bypass) for i in path)
	count, pending = 0, False
	for i in path:
		if i.kind == "store" and i.space == "global":
			pending = True
		elif i.wait.get("vscnt") == 0:
			count, pending = count + pending, False
	return count


def released(function, vendor):
	"""Returns the request if nothing releases the slot's contents before it; else None."""
	found = find_post(function, vendor)
	if not found or count_releases(found[0][found[2]:found[3]], vendor):
		return None
	return found[0][found[3]]


def waiting_loops(function):
	"""Returns loops that poll an answer: they sleep, and read both its halves past the caches."""
	for loop in function.loops:
		body = function.loop_body(loop)
		if any(i.op in ("s_sleep", "NANOSLEEP") for i in body) and \
		   sum(i.kind == "load" and i.nbytes == 8 and i.bypass for i in body) >= 2 and \
		   not any(i.kind == "atomic" for i in body):
			yield loop, body


def shortest_turn(function, loop):
	"""Returns the number of instructions of the shortest cycle through the loop's head and two polls."""
	head = min(loop)
	best, work = {}, [(0, head, 0)]
	while work:
		cost, index, polls = heapq.heappop(work)
		block = function.blocks[index]
		if any(i.kind == "call" for i in block.instructions):
			continue
		polls += sum(i.kind == "load" and i.nbytes == 8 and i.bypass for i in block.instructions)
		cost += len(block.instructions)
		for n in block.next:
			if n.index == head and polls >= 2:
				return cost
			to = (n.index, min(polls, 2))
			if n.index in loop and n.index != head and cost < best.get(to, cost + 1):
				best[to] = cost
				heapq.heappush(work, (cost, n.index, polls))
	return 0


def measure(functions, arch):
	"""{kernel: {metric: number}}"""
	vendor, results = "amd" if arch.startswith("gfx") else "nvidia", {}
	for f in functions:
		if not f.is_kernel:
			continue
		if f.name == "rpc_quiet" and vendor == "amd":
			asks = [i for i in f.instructions if i.callee and "gshmemi_rpc_complete_here" in i.callee]
			results[f.name] = {"asks": len(asks)}
		if f.name not in KERNELS:
			continue
		atomics = [i for i in f.instructions if i.kind == "atomic"]
		results[f.name] = {"paths": 0, "atomics": len(atomics)}
		if vendor == "amd":
			results[f.name]["on_host"] = sum(not calls_in(i, OWN) for i in atomics)
			results[f.name]["posting"] = sum(i.kind == "store" and calls_in(i,
				{("gshmemi_rpc_post", "gshmemi_arch_store")}) for i in f.instructions)
		found = find_post(f, vendor)
		if found is None:
			continue
		path, lock, last, request = found
		is_close = milestones(f.name, vendor)[-1]
		close = max(n for n, i in enumerate(path) if is_close(i))
		stores = [i for i in path[lock:close] if i.kind == "store" and i.space == "global"]
		found = {
			"instructions": sum(i.kind != "end" for i in path),
			"stores": len(stores),
			"bytes": sum(i.nbytes for i in stores),
			"loads": sum(i.kind == "load" and i.space == "global" and i.bypass
				for i in path[request:close]),
			"reads": sum(i.kind == "load" and i.space == "global" and i.nbytes >= 8 and not i.bypass
				for i in path[request:close]),
			"releases": count_releases(path[lock:request], vendor),
			"paths": 1,
		}
		for loop, body in waiting_loops(f):
			found["loop"] = shortest_turn(f, loop)
			found["loop_fences"] = sum(i.kind in ("writeback", "invalidate", "atomic", "store", "barrier")
				for i in body)
		results[f.name].update(found)
	return results
