# SPDX-License-Identifier: BSD-3-Clause
"""
Counts what each call costs and compares it with the limits in budgets.tsv: kernels/calls.hip, less the kernel
base(); kernels/user.hip and stream.hip; with rpc.py, kernels/rpc.hip; and kernels/wide.hip.

  instructions   on the direct path (graph.shortest_path), no end of the program, less those of base()
  loads          vector loads on that path before the store (or atomic), other than what the call is for
  chain          loads whose results are addresses of the next, up to the store
  branches, calls, scratch   on that path
  vgpr           registers above base(), on NVIDIA: registers in all
  width, in_flight, full_waits, per_byte, bytes   of the copy loop: bytes of an access, loads on their way at once,
                 waits for all of them inside, instructions per byte, bytes per turn
  before         instructions before the first store of the copy loop
  code           instructions of gshmemi_win_wide, all of them
"""

import sys

import amd
import nvidia
import rpc
from graph import load_chain, shortest_path

# The load, store or atomic that a call is for.
STORE = {"int_p", "int_p_region", "set"}
ATOMIC = {"fetch_add", "add", "compare_swap"}
LOAD = {"int_g"}
COPY = {"putmem", "putmem_wave", "putmem_wg", "getmem", "getmem_wave", "getmem_wg", "putmem_signal",
	"putmem_signal_wave",
	"putmem_signal_wg"}
ORDER = {"fence", "quiet", "fence_wg", "quiet_wg"}
WAIT = {"wait_until", "signal_wait_until"}


def is_global(i, kind):
	return i.kind == kind and i.space == "global"


def body(path):
	return [i for i in path if i.kind != "end"]


def copy_loop(function):
	"""Returns the innermost loop that stores the most bytes per turn, as (instructions,
	bytes); None: there is none.
	"""
	best = None
	for loop in function.innermost():
		turn = function.loop_body(loop)
		nbytes = sum(i.nbytes for i in turn if is_global(i, "store"))
		if nbytes and (best is None or nbytes > best[1]):
			best = (turn, nbytes)
	return best


def loads_in_flight(turn, unified):
	"""Returns the largest number of loads in flight in the second turn, and the
	waits of a turn that leave none.
	"""
	pending, most, full = [], 0, 0
	for turn_number in range(2):
		for i in turn:
			if i.kind == "wait" and "vmcnt" in i.wait:
				if turn_number and i.wait["vmcnt"] == 0:
					full += 1
				pending = pending[max(0, len(pending) - i.wait["vmcnt"]):]
			elif is_global(i, "load") or unified and is_global(i, "store"):
				pending.append(i)
			# NVIDIA has no visible waits; a load has completed when its register is read.
			used = [p for p in pending if p.kind == "load" and p.writes & i.reads and i is not p]
			if not i.wait and used and i.op in nvidia.NAMES.values():
				pending = [p for p in pending if p not in used]
			if turn_number:
				most = max(most, sum(p.kind == "load" for p in pending))
	return most, full


def measure_copy(function, found):
	loop = copy_loop(function)
	if loop is None:
		return
	turn, nbytes = loop
	found["bytes"] = nbytes
	found["per_byte"] = round(len(turn) / nbytes, 3)
	found["width"] = min(i.nbytes for i in turn if i.kind in ("load", "store") and i.space == "global")
	found["in_flight"], found["full_waits"] = loads_in_flight(turn,
		not function.arch.startswith(("gfx10", "gfx11")))
	store = next(i for i in turn if is_global(i, "store"))
	path = shortest_path(function, lambda i: i is store)
	if path:
		found["before"] = path.index(store)


def measure(functions):
	"""{call: {metric: number}} for the kernels of one compilation of calls.hip."""
	kernels = {f.name: f for f in functions if f.is_kernel}
	base = kernels["base"]
	base_n = len(body(base.instructions))
	results = {}
	for name, f in kernels.items():
		if name == "base":
			results[name] = {"instructions": base_n,
				"vgpr": f.resources.get("vgpr", f.resources.get("registers"))}
			continue
		found = {"static": len(body(f.instructions)) - base_n}
		kinds = ((STORE | ORDER, "store"), (ATOMIC, "atomic"), (LOAD | WAIT, "load"))
		kind = next((kind for names, kind in kinds if name in names), None)
		if kind:
			path = shortest_path(f, lambda i: is_global(i, kind) and (kind != "load" or i.bypass))
			if path is None:
				continue
			access = next(i for i in path if is_global(i, kind) and (kind != "load" or i.bypass))
			found["instructions"] = len(body(path)) - base_n
			before = path[:path.index(access)]
			found["loads"] = sum(is_global(i, "load") for i in before)
			found["chain"] = load_chain(path, access)
			found["branches"] = sum(i.kind == "branch" for i in path)
			found["calls"] = sum(i.kind == "call" for i in path)
			found["scratch"] = sum(i.space == "scratch" for i in path)
		if name in COPY:
			measure_copy(f, found)
		vgpr = f.resources.get("vgpr")
		found["vgpr"] = f.resources.get("registers") if vgpr is None else vgpr - base.resources["vgpr"]
		found["static_calls"] = sum(i.kind == "call" for i in f.instructions)
		results[name] = found
	return results


def direct_blocks(function):
	"""Returns the blocks on some path from the entry to an end without a call."""
	def spread(starts, onward):
		reached, work = set(), list(starts)
		while work:
			b = work.pop()
			if b not in reached and not any(i.kind == "call" for i in b.instructions):
				reached.add(b)
				work += onward(b)
		return reached

	ends = [b for b in function.blocks if b.instructions[-1].kind in ("end", "return")]
	return spread(function.blocks[:1], lambda b: b.next) & spread(ends, lambda b: b.previous)


def measure_user(default, direct):
	"""{kernel: {metric: number}}: the default build's kernels of user.hip beside the direct build's."""
	results = {}
	others = {f.name: f for f in direct if f.is_kernel}
	for f in default:
		if not f.is_kernel:
			continue
		o = others[f.name]
		found = {"scratch": sum(i.space == "scratch" for b in direct_blocks(f) for i in b.instructions)}
		if "vgpr" in f.resources:
			occupancy = [amd.waves_per_simd(k.arch, k.resources["vgpr"], k.resources["wave"])
				for k in (f, o)]
			found.update({"vgpr": f.resources["vgpr"],
				"more_vgpr": f.resources["vgpr"] - o.resources["vgpr"],
				      "waves": occupancy[0], "fewer_waves": occupancy[1] - occupancy[0]})
		else:
			found.update({"vgpr": f.resources["registers"], "stack": f.resources["stack"],
				      "more_vgpr": f.resources["registers"] - o.resources["registers"]})
		results[f.name] = found
	return results


def measure_wide(functions):
	"""{"wide": {metric: number}} for one compilation of wide.hip."""
	return {"wide": {"code": len(f.instructions)} for f in functions if "gshmemi_win_wide" in f.name}


def read(path):
	return nvidia.read(path) if path.endswith(".cubin") else amd.read(path, frames="/rpc." in path)


def read_limits(path):
	limits = []
	with open(path, encoding="utf-8") as f:
		for line in f:
			if line.strip() and not line.startswith("#"):
				limits.append(line.rstrip("\n").split("\t"))
	return limits


AT_LEAST = {"width", "in_flight", "asks", "paths"}


def check(limits, found, quiet=False):
	"""found: {(arch, build, call, metric): number}. Prints what exceeds its limit or was
	not measured; returns how many.
	"""
	import fnmatch

	failed = 0
	for build, calls, archs, metric, limit in limits:
		seen = 0
		for (arch, b, call, m), value in sorted(found.items()):
			if b != build or m != metric or call not in calls.split() or \
			   not any(fnmatch.fnmatch(arch, a) for a in archs.split()):
				continue
			seen += 1
			if (value < float(limit)) if metric in AT_LEAST else (value > float(limit)):
				if not quiet:
					print("FAIL %s: %s, %s build: %s: expected %s %s, got %s" % (arch, call, build,
						metric, "at least" if metric in AT_LEAST else "at most", limit, value))
				failed += 1
		if not seen and not quiet and any(fnmatch.fnmatch(k[0], a) for k in found for a in archs.split()):
			print("FAIL budgets.tsv: nothing was measured for: %s %s %s %s" % (build, calls, archs, metric))
			failed += 1
	return failed


def mutants(limits, path):
	"""path: lines with a name, the metric of rpc.py that must exceed its limit, and the
	file compiled with the mutant.
	"""
	failed, tried = 0, 0
	with open(path, encoding="utf-8") as f:
		lines = [line.split() for line in f]
	for name, metric, compiled in lines:
		arch, functions = read(compiled)
		found = {(arch, "default", call, m): value for call, metrics in rpc.measure(functions, arch).items()
			for m, value in metrics.items() if m == metric}
		tried += 1
		if not check([l for l in limits if l[3] == metric], found, quiet=True):
			print("FAIL %s: with %s no limit on %s is exceeded" % (compiled, name, metric))
			failed += 1
	print("%d costly mutants, %d not seen" % (tried, failed))
	return failed != 0


def main(arguments):
	"""
	LIMITS FOUND.tsv FILE...: files are BUILD/KERNELS.ARCH.co or .cubin. Writes what was found to
	FOUND.tsv. --mutants LIMITS FILE.
	"""
	if arguments[0] == "--mutants":
		return mutants(read_limits(arguments[1]), arguments[2])
	limits, out, files = read_limits(arguments[0]), arguments[1], arguments[2:]
	units = {}
	for path in files:
		build, name = path.split("/")[-2:]
		kernels = name.split(".")[0]
		arch, functions = read(path)
		units[(arch, build, kernels)] = functions
	found = {}
	for (arch, build, kernels), functions in units.items():
		results = {}
		if kernels == "calls":
			results = measure(functions)
		elif kernels == "rpc":
			results = rpc.measure(functions, arch)
		elif kernels == "wide":
			results = measure_wide(functions)
		elif kernels in ("user", "stream") and build == "default":
			results = measure_user(functions, units[(arch, "direct", kernels)])
		for call, metrics in results.items():
			for metric, value in metrics.items():
				found[(arch, build, call, metric)] = value
	with open(out, "w", encoding="utf-8") as f:
		for key, value in sorted(found.items()):
			f.write("%s\t%s\n" % ("\t".join(key), value))
	failed = check(limits, found)
	print("%d counts of %d compilations against %d limits, %d exceeded" %
		(len(found), len(units), len(limits), failed))
	return failed != 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
