# SPDX-License-Identifier: BSD-3-Clause
"""
Writes the tables of docs/device-path.md from what budget.py found, or compares them with the document.

  table.py amd|nvidia COMPILER FOUND.tsv [DOCUMENT]
  table.py --traced amd|nvidia COMPILER FOUND.tsv [DOCUMENT]    that of docs/tracing.md
"""

import re
import sys

# What the device code of other libraries costs by the same count, and the least possible cost: instructions
# beyond the base kernel, on gfx942 and sm_90. None: not measured.
OTHERS = {
	"amd": ("rocSHMEM 2.0", {"int_p": 37, "int_g": 44, "fetch_add": 34, "add": 31, "quiet": 60, "fence": 60}),
	"nvidia": ("NVSHMEM 3", {"int_p": 10, "int_g": 12, "fetch_add": 14, "add": 10, "quiet": 6, "fence": 6}),
}
LEAST = {
	"amd": {"int_p": 11, "int_g": 12, "fetch_add": 14, "add": 11},
	"nvidia": {"int_p": 4, "int_g": 8, "fetch_add": 9, "add": 6},
}
CALLS = ("int_p", "int_g", "set", "add", "fetch_add", "compare_swap", "fence", "quiet")
COPIES = ("putmem", "putmem_wave", "putmem_wg", "getmem", "getmem_wave", "getmem_wg")
USERS = ("user_stream", "user_halo", "user_gemm")
RPCS = ("rpc_call", "rpc_post", "rpc_line")
OTHER_LOOPS = {
	"amd": ("rocSHMEM 2.0",
	{"putmem": "8 / 1 / 1.125", "putmem_wave": "8 / 1 / 1.25", "putmem_wg": "8 / 1 / 1.25"}),
	"nvidia": ("NVSHMEM 3", {"putmem_wave": "16 / 1 / 0.812", "putmem_wg": "16 / 1 / 0.812"}),
}


LAST = {"amd": "gfx942", "nvidia": "sm_90"}


def without_others(text, archs):
	"""Returns the tables of text without the columns of GPUs that are not in archs."""
	lines, kept = [], None
	for line in text.split("\n"):
		if not line.startswith("|"):
			kept = None
		else:
			cells = line[2:-2].split(" | ")
			if kept is None:
				kept = [i for i, c in enumerate(cells) if c in archs or not re.fullmatch(r"gfx\w+|sm_\d+", c)]
			line = "| %s |" % " | ".join(cells[i] for i in kept)
		lines.append(line)
	return "\n".join(lines)


def table(head, rows):
	lines = [head, ["---"] * len(head)] + rows
	return "".join("| %s |\n" % " | ".join(str(c) for c in line) for line in lines)


def render(vendor, compiler, found):
	archs = sorted({k[0] for k in found}, key=lambda a: (len(a), a))
	last = LAST[vendor]

	def get(*key):
		return found.get(key, "-")

	def both(arch, call, metric):
		direct, default = get(arch, "direct", call, metric), get(arch, "default", call, metric)
		return direct if direct == default else "%s / %s" % (direct, default)

	name, others = OTHERS[vendor]
	text = "Instructions beyond the base kernel, by %s: " % compiler
	text += "`GSHMEM_DIRECT_ONLY` / default where they differ.\n\n"
	text += table(["call"] + archs + ["%s, %s" % (name, last), "hand-written, %s" % last],
		      [["`%s`" % c] + [both(a, c, "instructions") for a in archs] +
		      [others.get(c, "-"), LEAST[vendor].get(c, "-")]
		       for c in CALLS])
	registers = "VGPRs beyond the base kernel" if vendor == "amd" else "registers in all"
	text += "\nOn the way to the store, %s: vector loads, length of the load chain, branches, scratch;\n" % last
	text += "%s.\n\n" % registers
	text += table(["call", "loads", "chain", "branches", "scratch", registers],
		      [["`%s`" % c] + [both(last, c, m) for m in ("loads", "chain", "branches", "scratch", "vgpr")]
		       for c in CALLS])
	name, others = OTHER_LOOPS[vendor]
	text += "\nCopy loops of the default build: bytes of an access / loads in flight / instructions per byte.\n\n"
	text += table(["call"] + archs + ["%s, %s" % (name, last)],
		      [["`%s`" % c] +
		      ["%s / %s / %s" % tuple(get(a, "default", c, m) for m in ("width", "in_flight", "per_byte"))
				       for a in archs] + [others.get(c, "-")] for c in COPIES])
	if vendor == "amd":
		text += "\nKernels of users, default build: VGPRs (more than with `GSHMEM_DIRECT_ONLY`), waves."
		text += "\n\n"
		text += table(["kernel"] + archs,
			[["`%s`" % u] + ["%s (%+d), %s" % tuple(get(a, "default", u, m) for m in (
			"vgpr", "more_vgpr", "waves")) for a in archs] for u in USERS])
	else:
		text += "\nKernels of users, default build: registers (more than with `GSHMEM_DIRECT_ONLY`).\n\n"
		text += table(["kernel"] + archs, [["`%s`" % u] + ["%s (%+d)" % tuple(get(a, "default", u, m) for m in (
			"vgpr", "more_vgpr")) for a in archs] for u in USERS])
	text += "\nCalls to the CPU, default build, with a free slot and an answer that is there already:\n"
	text += "instructions / stores to the slot, their bytes / loads of a poll, of the page after it / releases / atomics;\n"
	text += "instructions of a poll, fences in it.\n\n"
	cell = ("instructions", "stores", "bytes", "loads", "reads", "releases", "atomics", "loop", "loop_fences")
	text += table(["kernel"] + archs, [["`%s`" % c] + [
		"%s / %s, %s / %s, %s / %s / %s; %s, %s" % tuple(get(a, "default", c, m) for m in cell)
		for a in archs] for c in RPCS])
	return text


def render_traced(vendor, compiler, found):
	last = LAST[vendor]
	registers = "VGPRs" if vendor == "amd" else "registers"

	def pair(call, metric):
		return " / ".join(str(found.get((last, build, call, metric), "-")) for build in ("default", "traced"))

	text = "%s, by %s: without / with `GSHMEM_TRACE_KERNELS`.\n\n" % (last, compiler)
	text += table(["call", "instructions", registers],
		[["`%s`" % c, pair(c, "instructions"), pair(c, "vgpr")] for c in CALLS])
	return text


def main(arguments):
	is_traced = arguments[0] == "--traced"
	if is_traced:
		arguments = arguments[1:]
	vendor, compiler, path = arguments[:3]
	found = {}
	with open(path, encoding="utf-8") as f:
		for line in f:
			*key, value = line.rstrip("\n").split("\t")
			found[tuple(key)] = float(value) if "." in value else int(value)
	text = (render_traced if is_traced else render)(vendor, compiler, found)
	mark = vendor + ", traced" if is_traced else vendor
	if len(arguments) == 3:
		print(text, end="")
		return 0
	with open(arguments[3], encoding="utf-8") as f:
		document = f.read()
	begin, end = "<!-- %s: made by tests/isa/%s.sh --table -->\n" % (mark, vendor), "<!-- end -->"
	if begin not in document:
		print("FAIL %s: no line %s" % (arguments[3], begin.strip()))
		return 1
	held = document.split(begin)[1].split(end)[0].strip()
	if "by %s:" % compiler not in held:
		print("%s was made by another compiler; with %s it is:" % (arguments[3], compiler))
		print(text, end="")
		return 0
	archs = {k[0] for k in found}
	if LAST[vendor] not in archs or not (is_traced or all(" %s |" % a in held for a in archs)):
		print("%s: other GPUs than here: not compared" % arguments[3])
		return 0
	held = without_others(held, archs)
	now = text.strip()
	if now == held:
		return 0
	for was, line in zip(held.split("\n"), now.split("\n")):
		if was != line:
			print("FAIL %s: holds  %s\n     measured now: %s" % (arguments[3], was, line))
	print("%s: tests/isa/%s.sh --table makes the lines between %s and %s" %
		(arguments[3], vendor, begin.strip(), end))
	return 1


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
