# SPDX-License-Identifier: BSD-3-Clause
"""
Reads NVIDIA cubins as graph.Function objects, without a disassembler, for the few properties
that are counted and proved.

The facts below about the 16-byte instructions of sm_80 and sm_90 come from assembling one-instruction PTX
with ptxas; `nvidia.py --self-test` repeats that with the PTX below. lo and hi are the two 64-bit halves.
  lo  0..11   operation and form        12..15  guard: 7 always, otherwise a predicate, 8 set: negated
  lo 16..23   destination register      24..31  first source, an address    32..39  second source (value of a store)
  hi  0..7    third source              9..11   bytes of an access: u8 s8 u16 s16 32 64 128; of an atomic: its
                                                type, 2 and from 5 on of 8 bytes
  hi 13..16   of an access: 0 weak, 5 cta, 7 gpu, 10 strong at system scope
  hi 12..13   of MEMBAR: 0 cta, 2 gpu, 3 system
  a branch's distance, from the next instruction, in words of 4 bytes: lo 34..63 and hi 0..17; on sm_90
  these count 256 words each, and lo 16..23 are the rest
"""

import os
import struct
import subprocess
import sys
import tempfile

from graph import Function, Instruction

LDG, LD, STG, ST, LDL, STL, LDS = {0x981}, {0x980}, {0x986}, {0x985}, {0x983}, {0x387, 0x987}, {0x984}
STS = {0x388, 0x988}
ATOM = {0x9a8, 0x3a9, 0x98a, 0x38b, 0x9a9, 0x3a8, 0x38a}
RED = {0x98e, 0x38e}
LDC = {0xb82}
NOP, BRA, EXIT, RET, CALL, TRAP = {0x918}, {0x947, 0x547}, {0x94d}, {0x950}, {0x943, 0x944, 0x343, 0x344}, {0x95c}
CALL_REL = {0x944, 0x344}
MEMBAR, IVALL, BAR, NANOSLEEP = {0x992}, {0x98f}, {0xb1d, 0x31d}, {0x95d}
# The low bytes of those that write a uniform register, for the whole wave.
UNIFORM = {0x82, 0x83, 0x86, 0x87, 0x8c, 0x90, 0x91, 0x92, 0x96, 0x99, 0x9b, 0xa4, 0xa5, 0xb9, 0xbd, 0xbf,
	0xc2, 0xc3, 0xca}
COMPARE = {0x20c, 0x80c, 0xc0c, 0x20b, 0x80b, 0xc0b}
LOGIC = {0x81c, 0x21c}
# These have no data in registers, or none of interest: convergence barriers, votes on uniform predicates.
SILENT = {0x945, 0x941, 0x942, 0x948, 0x946, 0x9ab, 0x5ab}
NAMES = {}
for _name, _ops in (("LDG", LDG), ("LD", LD), ("STG", STG), ("ST", ST), ("LDL", LDL), ("STL", STL), ("LDS", LDS),
	("STS", STS),
		    ("ATOM", ATOM), ("RED", RED), ("LDC", LDC), ("NOP", NOP), ("BRA", BRA), ("EXIT", EXIT),
		    ("RET", RET),
		    ("CALL", CALL), ("TRAP", TRAP), ("MEMBAR", MEMBAR), ("CCTL.IVALL", IVALL), ("BAR", BAR),
		    ("NANOSLEEP", NANOSLEEP)):
	NAMES.update({op: _name for op in _ops})
NBYTES = (1, 1, 2, 2, 4, 8, 16, 16)
ATOM_NBYTES = (4, 4, 8, 4, 4, 8, 8, 16)
SCOPES = {0: "", 4: ".CONSTANT", 5: ".STRONG.CTA", 7: ".STRONG.GPU", 10: ".STRONG.SYS"}


def registers(first, nbytes):
	return frozenset("R%d" % r for r in range(first, first + max(1, nbytes // 4)) if r != 255)


def distance(lo, hi, is_sm90):
	words = (hi & 0x3ffff) << 30 | lo >> 34
	words -= (words & 1 << 47) << 1
	return 4 * ((words << 8 | lo >> 16 & 0xff) if is_sm90 else words)


def decode(address, lo, hi, is_sm90):
	op, guard = lo & 0xfff, lo >> 12 & 15
	name = NAMES.get(op, "%03x" % op)
	i = Instruction(address, name, name)
	i.opcode = op
	i.conditional = guard != 7
	guarded = {"P%d" % (guard & 7)} - {"P7"}
	dest, a, b, c = lo >> 16 & 255, lo >> 24 & 255, lo >> 32 & 255, hi & 255
	nbytes, scope = NBYTES[hi >> 9 & 7], hi >> 13 & 15
	i.reads = frozenset(guarded)
	if op in LDG | LD | LDL | LDS | LDC:
		i.kind, i.nbytes = "load", nbytes
		spaces = ((LDG | LD, "global"), (LDL, "scratch"), (LDS, "shared"), (LDC, "scalar"))
		i.space = next(space for ops, space in spaces if op in ops)
		i.writes, i.address_reads = registers(dest, nbytes), registers(a, 8 if op in LDG | LD else 4)
		i.reads |= i.address_reads
		i.bypass = op in LDG | LD and scope == 10
		i.text += SCOPES.get(scope, "?") if op in LDG | LD else ""
	elif op in STG | ST | STL | STS:
		i.kind, i.nbytes = "store", nbytes
		i.space = "global" if op in STG | ST else "scratch" if op in STL else "shared"
		i.address_reads = registers(a, 8 if op in STG | ST else 4)
		i.reads |= i.address_reads | registers(b, nbytes)
		i.bypass = op in STG | ST and scope == 10
		i.text += SCOPES.get(scope, "?") if op in STG | ST else ""
	elif op in ATOM | RED:
		nbytes = ATOM_NBYTES[hi >> 9 & 7]
		i.kind, i.space, i.nbytes, i.bypass = "atomic", "global", nbytes, scope == 10
		i.writes = registers(dest, nbytes) if op in ATOM else frozenset()
		i.address_reads = registers(a, 8)
		i.reads |= i.address_reads | registers(b, nbytes) | registers(c, nbytes)
	elif op in BRA:
		i.kind, i.target = "branch", address + 16 + distance(lo, hi, is_sm90)
		other = hi >> 23 & 7 # a second predicate
		i.reads |= {"P%d" % other} - {"P7"}
		# Bit 27: only if lanes are apart. Where they are together, what follows may be a NOP.
		i.conditional = bool(i.reads) or op == 0x547 or bool(hi >> 27 & 1)
		i.text += " %x" % i.target
	elif op in EXIT | TRAP:
		i.kind = "end"
	elif op in RET:
		i.kind = "return"
	elif op in CALL:
		i.kind = "call"
		i.target = address + 16 + distance(lo, hi, is_sm90) if op in CALL_REL else None
	elif op in BAR:
		i.kind = "barrier"
	elif op in MEMBAR:
		i.kind, i.bypass = "writeback", hi >> 12 & 3 == 3
		i.text += {0: ".CTA", 2: ".GPU", 3: ".SYS"}.get(hi >> 12 & 3, "?")
	elif op in IVALL:
		i.kind = "invalidate"
	elif op in COMPARE:
		i.reads |= registers(a, 4) | (registers(b, 4) if op & 0xf00 == 0x200 else frozenset())
		i.writes = frozenset({"P%d" % (hi >> 17 & 7), "P%d" % (hi >> 20 & 7)} - {"P7"})
	elif op in LOGIC:
		i.reads |= frozenset({"P%d" % (hi >> s & 7) for s in (4, 13, 23)} - {"P7"})
		i.writes = frozenset({"P%d" % (hi >> 17 & 7), "P%d" % (hi >> 20 & 7)} - {"P7"})
	elif op & 0xff in UNIFORM:
		i.writes = frozenset({"UR%d" % dest})
		i.reads |= registers(a, 4)
	elif op not in SILENT | NOP | NANOSLEEP:
		i.writes = registers(dest, 8 if op & 0xff in (0x25, 0xa5) else 4)
		i.reads |= registers(a, 4) | registers(c, 4) | (registers(b, 4) if op & 0xf00 in (0x200, 0x300)
			else frozenset())
		if op & 0xff == 0x12: # LOP3: a predicate, too, whether the result is not 0
			i.writes |= {"P%d" % (hi >> 17 & 7)} - {"P7"}
		if op & 0xff in (0x10, 0x36, 0x24, 0x25, 0x35):
			i.op = "IADD"
	if i.conditional and i.kind == "other":
		i.reads |= i.writes # without the guard the old value stays
	return i


def read(path):
	"""Returns all kernels and device functions of a cubin, and its architecture."""
	with open(path, "rb") as f:
		return read_bytes(f.read())


def read_sections(data):
	"""Returns a cubin's architecture, its sections with their names, its symbols' names, and its functions as
	(section, start, name).
	"""
	flags, = struct.unpack_from("<I", data, 48)
	at, = struct.unpack_from("<Q", data, 40)
	count, names = struct.unpack_from("<HH", data, 60)
	sections = [struct.unpack_from("<IIQQQQIIQQ", data, at + 64 * n) for n in range(count)]

	def string(table, offset):
		start = sections[table][4] + offset
		return data[start:data.index(b"\0", start)].decode()

	section_names = [string(names, s[0]) for s in sections]
	arch = "sm_%d" % (flags >> 8 & 0xff if flags >> 8 & 0xff else flags & 0xff)
	symbols, symbol_names = [], []
	for s in sections:
		if s[1] == 2:
			for offset in range(s[4], s[4] + s[5], 24):
				name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", data, offset)
				symbol_names.append(string(s[6], name))
				if info & 15 == 2:
					symbols.append((index, value, symbol_names[-1]))
	return arch, list(zip(sections, section_names)), symbol_names, symbols


def read_resources(data, sections, symbol_names):
	"""Returns {function: {registers, stack, shared, threads}}: bytes of stack; of a kernel also bytes of shared
	memory, and the threads of __launch_bounds__, if it has them.
	"""
	found = {}
	for s, section in sections:
		if section.startswith(".nv.shared."):
			found.setdefault(section[len(".nv.shared."):], {})["shared"] = s[5]
		if section != ".nv.info" and not section.startswith(".nv.info."):
			continue
		offset = s[4]
		while offset < s[4] + s[5]:
			form, attribute, nbytes = struct.unpack_from("<BBH", data, offset)
			if form == 4 and nbytes == 8 and attribute in (0x2f, 0x11):
				symbol, value = struct.unpack_from("<II", data, offset + 4)
				key = "registers" if attribute == 0x2f else "stack"
				found.setdefault(symbol_names[symbol], {})[key] = value
			if form == 4 and nbytes == 12 and attribute == 0x05:
				x, y, z = struct.unpack_from("<III", data, offset + 4)
				found.setdefault(section[len(".nv.info."):], {})["threads"] = x * y * z
			offset += 4 + (nbytes if form == 4 else 0)
	return found


def note_clobbers(functions):
	"""Notes what each call within a section may change. A kernel has copies of the functions that it
	calls, and ptxas gives all of them registers together, whatever the calling conventions say.
	"""
	by_start = {f.instructions[0].address: f for f in functions if f.instructions}
	calls = {f: [i for i in f.instructions if i.kind == "call" and i.target in by_start]
		for f in functions}
	written = {f: frozenset().union(*(i.writes for i in f.instructions)) for f in functions}
	changed = True
	while changed:
		changed = False
		for f in functions:
			more = written[f].union(*(written[by_start[i.target]] for i in calls[f]))
			changed = changed or more != written[f]
			written[f] = more
	for f in functions:
		for i in calls[f]:
			i.clobbers = written[by_start[i.target]]


def read_bytes(data):
	arch, named_sections, symbol_names, symbols = read_sections(data)
	is_sm90 = int(arch[3:]) >= 90
	resources = read_resources(data, named_sections, symbol_names)
	functions = []
	for index, (s, section) in enumerate(named_sections):
		if not section.startswith(".text."):
			continue
		starts = sorted((value, name) for n, value, name in symbols if n == index)
		of_section = []
		for (start, name), end in zip(starts, [v for v, _ in starts[1:]] + [s[5]]):
			words = [(a, *struct.unpack_from("<QQ", data, s[4] + a)) for a in range(start, end, 16)]
			instructions = [decode(a, lo, hi, is_sm90) for a, lo, hi in words]
			following, next_kept = {}, None
			for i in reversed(instructions):
				next_kept = next_kept if i.opcode in NOP else i.address
				following[i.address] = next_kept
			for i in instructions:
				i.target = following.get(i.target, i.target)
			instructions = [i for i in instructions if i.opcode not in NOP]
			# A branch to itself follows the end.
			while instructions and instructions[-1].target == instructions[-1].address:
				instructions.pop()
			f = Function(name, instructions, section == ".text." + name)
			f.resources, f.arch = resources.get(name, {}), arch
			of_section.append(f)
		note_clobbers(of_section)
		functions += of_section
	return arch, functions


def raw_cubins(path):
	"""Yields the bytes from the start of each cubin in an object file whose cubins are not compressed."""
	with open(path, "rb") as f:
		data = f.read()
	start = data.find(b"\x7fELF")
	while start >= 0:
		machine, = struct.unpack_from("<H", data, start + 18)
		if machine == 190:
			yield data[start:]
		start = data.find(b"\x7fELF", start + 1)


def cubins(path):
	"""Returns the functions of each cubin in an object file whose cubins are not compressed."""
	return [read_bytes(data)[1] for data in raw_cubins(path)]


def kernels(path):
	"""Returns (architecture, {kernel: its resources}) for each cubin in a file: quickly, without instructions."""
	found = []
	for data in raw_cubins(path):
		arch, sections, symbol_names, _ = read_sections(data)
		resources = read_resources(data, sections, symbol_names)
		names = [section[len(".text."):] for _, section in sections if section.startswith(".text.")]
		found.append((arch, {name: resources[name] for name in names if "registers" in resources.get(name, {})}))
	return found


# Each is one kernel, with the words that it must contain.
PROBES = {
	"ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1;": ["LDG", "STG"],
	"ld.u32 %r1, [%rd1]; st.u32 [%rd2], %r1;": ["LD", "ST"],
	"ld.relaxed.sys.global.u32 %r1, [%rd1]; st.relaxed.sys.global.u32 [%rd2], %r1;":
		["LDG.STRONG.SYS", "STG.STRONG.SYS"],
	"ld.relaxed.sys.u32 %r1, [%rd1]; st.relaxed.sys.u32 [%rd2], %r1;": ["LD.STRONG.SYS", "ST.STRONG.SYS"],
	"ld.relaxed.gpu.global.u32 %r1, [%rd1]; st.relaxed.gpu.global.u32 [%rd2], %r1;":
		["LDG.STRONG.GPU", "STG.STRONG.GPU"],
	"ld.acquire.sys.global.u32 %r1, [%rd1]; st.release.sys.global.u32 [%rd2], %r1;":
		["LDG.STRONG.SYS", "CCTL.IVALL", "MEMBAR.SYS", "STG.STRONG.SYS"],
	"ld.global.v2.u64 {%rd3, %rd4}, [%rd1]; st.global.v2.u64 [%rd2], {%rd3, %rd4};": ["LDG", "STG"],
	"fence.acq_rel.sys;": ["MEMBAR.SYS", "CCTL.IVALL"],
	"fence.sc.sys;": ["MEMBAR.SYS", "CCTL.IVALL"],
	"fence.acq_rel.gpu;": ["MEMBAR.GPU", "CCTL.IVALL"],
	"fence.acq_rel.cta;": ["MEMBAR.CTA"],
	"atom.relaxed.sys.global.cas.b32 %r1, [%rd1], 1, 2; st.global.u32 [%rd2], %r1;": ["ATOM", "STG"],
	"atom.relaxed.sys.global.exch.b32 %r1, [%rd1], 1; st.global.u32 [%rd2], %r1;": ["ATOM", "STG"],
	"atom.relaxed.sys.global.cas.b64 %rd3, [%rd1], %rd2, %rd1; st.global.u64 [%rd2], %rd3;": ["ATOM", "STG"],
	"atom.relaxed.sys.global.add.u64 %rd3, [%rd1], %rd2; st.global.u64 [%rd2], %rd3;": ["ATOM", "STG"],
	"bar.sync 0;": ["BAR"],
	"nanosleep.u32 64;": ["NANOSLEEP"],
	"L: ld.relaxed.sys.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;": ["LDG.STRONG.SYS", "BRA"],
	"ld.global.u32 %r1, [%rd1]; cvt.u64.u32 %rd5, %r1; mov.u64 %rd3, q; add.u64 %rd6, %rd3, %rd5;"
	" st.local.u32 [%rd6], %r1; ld.local.u32 %r3, [%rd3]; st.global.u32 [%rd2], %r3;": ["LDG", "STL", "LDL", "STG"],
}


def self_test(archs):
	"""Assembles the probes and looks for their words."""
	ptx = ".version 8.0\n.target sm_80\n.address_size 64\n"
	for n, body in enumerate(PROBES):
		local = ".local .b8 q[1024];" if " q;" in body else ""
		ptx += (".visible .entry probe%d(.param .u64 a, .param .u64 b) {"
			" .reg .b64 %%rd<9>; .reg .b32 %%r<9>; .reg .pred %%p<4>; %s"
			" ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b]; %s ret; }\n" % (n, local, body))
	failed = 0
	for arch in archs:
		with tempfile.TemporaryDirectory() as folder:
			with open(folder + "/probes.ptx", "w", encoding="ascii") as f:
				f.write(ptx)
			subprocess.run([os.environ.get("PTXAS", "ptxas"), "-arch=" + arch, "-o",
					folder + "/probes.cubin",
					folder + "/probes.ptx"], check=True)
			found_arch, functions = read(folder + "/probes.cubin")
		if found_arch != arch:
			print("FAIL nvidia.py: %s reads as %s" % (arch, found_arch))
			failed += 1
		by_name = {f.name: f for f in functions}
		for n, (body, words) in enumerate(PROBES.items()):
			f = by_name["probe%d" % n]
			found = [i.text.split()[0] for i in f.instructions if i.op in NAMES.values()
				and i.op not in ("LDC", "EXIT", "NOP")]
			if found != words:
				print("FAIL nvidia.py: %s: %s: found %s, expected %s" % (arch, body, found, words))
				failed += 1
			for i in f.instructions:
				if i.kind == "atomic" and i.nbytes != (8 if "64" in body else 4):
					print("FAIL nvidia.py: %s: %s: an atomic of %d bytes" %
						(arch, body, i.nbytes))
					failed += 1
				if "v2.u64" in body and i.space == "global" and i.nbytes != 16:
					print("FAIL nvidia.py: %s: %s: an access of %d bytes" % (arch, body, i.nbytes))
					failed += 1
			if f.instructions[-1].kind != "end":
				print("FAIL nvidia.py: %s: %s: does not end with EXIT" % (arch, body))
				failed += 1
			if body.startswith("L:") and len(f.loops) != 1:
				print("FAIL nvidia.py: %s: %s: %d loops" % (arch, body, len(f.loops)))
				failed += 1
	return failed != 0


if __name__ == "__main__":
	sys.exit(self_test(sys.argv[2:]) if sys.argv[1:2] == ["--self-test"] else 2)
