# SPDX-License-Identifier: BSD-3-Clause
"""Reads AMD code objects (llvm-objdump's disassembly and the metadata notes) as graph.Function objects."""

import re
import shutil
import struct
import subprocess

from graph import Function, Instruction, clobbered, definitions, places


def tool(name):
	"""Returns the newest LLVM on this machine: an older one does not know newer GPUs."""
	for version in ("-22", "-21", "-20", "-19", "-18", "-17", "-16", "-15", ""):
		path = shutil.which(name + version) or shutil.which("/opt/rocm/llvm/bin/" + name)
		if path:
			return path
	raise SystemExit("isa: no %s found" % name)


def run(*command, text=None):
	return subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


WIDTH = {"ubyte": 1, "sbyte": 1, "byte": 1, "u8": 1, "i8": 1, "b8": 1, "short": 2, "ushort": 2, "sshort": 2, "b16": 2,
	 "u16": 2, "i16": 2, "dword": 4, "b32": 4, "dwordx2": 8, "b64": 8, "dwordx3": 12, "b96": 12, "dwordx4": 16,
	 "b128": 16, "dwordx8": 32, "b256": 32, "dwordx16": 64, "b512": 64}
REGISTER = re.compile(r"\b([svat]|ttmp)(\d+)\b|\b([svat]|ttmp)\[(\d+):(\d+)\]|"
		      r"\b(vcc|exec|flat_scratch)(_lo|_hi)?\b|\b(m0)\b")


def registers(text):
	found = set()
	for m in REGISTER.finditer(text):
		if m.group(1):
			found.add(m.group(1) + m.group(2))
		elif m.group(3):
			found |= {m.group(3) + str(n) for n in range(int(m.group(4)), int(m.group(5)) + 1)}
		else:
			found.add(m.group(6) or m.group(8))
	return found


def width(op):
	for part in op.split("_"):
		if part in WIDTH:
			return WIDTH[part]
	return 4


def decode(i, arch):
	"""Fills in what the text of an instruction says."""
	op, _, rest = i.text.partition(" ")
	op = re.sub(r"_(e32|e64|sdwa|dpp|e64_dpp)$", "", op)
	i.op = op
	parts = [p.strip() for p in re.sub(r"\s*<.*>$", "", rest).split(",")]
	flags = set(rest.replace(",", " ").split())
	if op.startswith("v_dual_") and "::" in i.text:
		for half in i.text.split("::"):
			half_op, _, half_rest = half.strip().partition(" ")
			half_parts = half_rest.split(",")
			i.writes |= registers(half_parts[0])
			i.reads |= registers(",".join(half_parts[1:]))
			if "cndmask" in half_op:
				i.reads |= {"vcc"}
			if "fmac" in half_op or "dot2acc" in half_op:
				i.reads |= registers(half_parts[0])
		return

	m = re.match(r"(global|flat|buffer|scratch|ds|s|tbuffer|s_buffer|s_scratch)_(load|store|atomic|read|write)", op)
	if m and not op.startswith(("s_buffer_store", "s_store")):
		where, what = m.groups()
		what = {"read": "load", "write": "store"}.get(what, what)
		i.kind = what
		i.nbytes = width(op)
		i.space = {"ds": "shared", "s": "scalar", "s_buffer": "scalar", "scratch": "scratch"}.get(where,
			"global")
		if where == "buffer" and "s[0:3]" in parts:
			i.space = "scratch" # the resource descriptor that the calling convention keeps there
		if where == "ds" and op.endswith(("_rtn_u32", "_rtn_b32", "_rtn_u64", "_rtn_b64")):
			i.kind = "atomic"
		returns = what == "load" or what == "atomic" and bool(flags & {"glc", "sc0", "th:TH_ATOMIC_RETURN"})
		i.returns = returns
		i.bypass = {"sc0", "sc1"} <= flags if arch.startswith(("gfx94", "gfx95")) else "glc" in flags
		if arch.startswith("gfx10") and what == "load":
			i.bypass = {"glc", "dlc"} <= flags
		if what == "load":
			i.writes = frozenset(registers(parts[0]))
			i.reads = i.address_reads = frozenset(registers(",".join(parts[1:])))
			if "lds" in flags:
				i.writes = frozenset()
		elif returns:
			i.writes = frozenset(registers(parts[0]))
			i.reads = frozenset(registers(",".join(parts[1:])))
			i.address_reads = frozenset(registers(parts[1]))
		else:
			i.reads = frozenset(registers(rest))
			i.address_reads = frozenset(registers(parts[0]))
		return
	if op in ("s_branch", "s_endpgm", "s_setpc_b64", "s_swappc_b64", "s_call_b64", "s_barrier", "s_waitcnt",
		  "s_waitcnt_vscnt") or op.startswith(("s_cbranch_", "buffer_wb", "buffer_inv", "buffer_gl", "s_wait_",
						       "global_wb", "global_inv", "s_barrier_")):
		if op == "s_branch":
			i.kind = "branch"
		elif op.startswith("s_cbranch"):
			i.kind, i.conditional = "branch", True
			i.reads = frozenset({"vcc"} if "_vcc" in op else {"exec"} if "_exec" in op else {"scc"})
		elif op.startswith("s_endpgm"):
			i.kind = "end"
		elif op == "s_setpc_b64":
			i.kind = "return"
		elif op in ("s_swappc_b64", "s_call_b64"):
			i.kind = "call"
		elif op.startswith("s_barrier"):
			i.kind = "barrier"
		elif op.startswith("buffer_wbinv") or "inv" in op:
			i.kind = "invalidate"
			i.flags = flags
		elif "wb" in op:
			i.kind = "writeback"
			i.flags = flags
		else:
			i.kind = "wait"
			for name, count in re.findall(r"(\w+cnt)\((\d+)\)", rest):
				i.wait[name] = int(count)
			if op == "s_waitcnt_vscnt":
				i.wait["vscnt"] = int(parts[1], 0)
			if op.startswith("s_wait_"):
				i.wait[op[len("s_wait_"):]] = int(parts[0], 0)
		return

	# Arithmetic: the first operand is the result; a second one is the carry, if there is one.
	wide = op.startswith(("v_add_co", "v_sub_co", "v_addc_co", "v_subb_co", "v_add_co_ci", "v_sub_co_ci",
		"v_mad_u64",
			      "v_mad_i64", "v_div_scale", "v_subrev_co"))
	writes, reads = set(), set()
	if op.startswith(("s_cmp_", "s_bitcmp", "s_cmpk_")):
		writes, reads = {"scc"}, registers(rest)
	elif op.startswith(("s_nop", "s_sleep", "s_clause", "s_delay_alu", "s_sendmsg", "s_code_end", "s_trap",
		"s_inst_prefetch",
			    "s_setreg", "s_sethalt", "s_dcache", "s_icache", "s_set_inst", "s_setprio", "s_ttrace")):
		pass
	else:
		count = 2 if wide else 1
		writes, reads = registers(",".join(parts[:count])), registers(",".join(parts[count:]))
		if op.startswith("s_") and not op.startswith(("s_mov", "s_getpc", "s_cselect", "s_mul", "s_memtime",
							      "s_memrealtime", "s_getreg", "s_pack")):
			writes.add("scc")
		if op.startswith(("s_addc", "s_subb", "s_cselect", "s_cmov")):
			reads.add("scc")
		if "saveexec" in op or op.startswith("v_cmpx"):
			writes.add("exec")
			reads.add("exec")
		if op.startswith("v_cmpx"):
			reads |= registers(rest)
		if "fmac" in op or "_mac_" in op or op.startswith(("v_writelane", "v_dot2acc", "v_dot4c")):
			reads |= registers(parts[0])
		if op.startswith("v_cndmask") and len(parts) == 3:
			reads.add("vcc")
	i.writes, i.reads = frozenset(writes), frozenset(reads)


# ---- what is known of the masks on a path ----

# Compilers turn control flow into masks of lanes: "s_mov_b64 s[2:3], -1" in one place, a branch on exec
# & ~s[2:3] in another. Knowledge is a frozenset of (register, 0 or -1), and of ("vcc", operation,
# register) for such a combination.
COMBINES = re.compile(r"(s_and|s_andn2|s_and_not1)_b(?:32|64) vcc(?:_lo)?, exec(?:_lo)?, s\[?(\d+)")
SETS = re.compile(r"s_mov_b(?:32|64) s\[?(\d+)(?::\d+\])?, (-1|0)$")


def step(i, known):
	"""Returns what is known after an instruction."""
	gone = i.writes
	if i.kind == "call":
		known = frozenset(k for k in known if k[0] != "vcc" and not clobbered(k[0]))
	if gone:
		known = frozenset(k for k in known if k[0] not in gone and not (k[0] == "vcc" and k[2] in gone))
	m = SETS.match(i.text)
	if m:
		return known | {("s" + m.group(1), int(m.group(2)))}
	m = COMBINES.match(i.text)
	if m:
		return known | {("vcc", "and" if m.group(1) == "s_and" else "andn2", "s" + m.group(2))}
	return known


def live_masks(function):
	"""Returns per block the masks that some later branch combines with exec;
	other knowledge is of no use.
	"""
	uses, sets = {}, {}
	for b in function.blocks:
		use, define = set(), set()
		for i in b.instructions:
			m = COMBINES.match(i.text)
			if m and "s" + m.group(2) not in define:
				use.add("s" + m.group(2))
			define |= i.writes
		uses[b], sets[b] = use, define
	live = dict(uses)
	changed = True
	while changed:
		changed = False
		for b in reversed(function.blocks):
			new = uses[b].union(*(live[n] for n in b.next)) - (sets[b] - uses[b])
			if new != live[b]:
				live[b], changed = new, True
	return live


def edges(block, known, live):
	"""Returns the blocks that can follow, and what is known in each."""
	last = block.instructions[-1]
	vcc = next((k for k in known if k[0] == "vcc"), None)
	mask = next((k[1] for k in known if vcc and k[0] == vcc[2]), None)
	found = []
	for n in block.next:
		then = known
		if vcc and last.op in ("s_cbranch_vccz", "s_cbranch_vccnz") and len(block.next) == 2:
			taken = n.instructions[0].address == last.target
			is_zero = taken == (last.op == "s_cbranch_vccz")
			if mask is not None and is_zero != ((mask == 0) == (vcc[1] == "and")):
				continue
			if mask is None and is_zero and vcc[1] == "and":
				then = known | {(vcc[2], 0)}
		found.append((n, frozenset(k for k in then if k[0] in live[n])))
	return found


def is_padding(i):
	return i.op in ("s_nop", "s_code_end") or i.text.startswith((".long", "v_illegal"))


def architecture(path):
	m = re.search(r"amdgcn-amd-amdhsa--(gfx\w+)|EF_AMDGPU_MACH_AMDGCN_(GFX\w+)",
		run(tool("llvm-readelf"), "--notes", "-h", path))
	return (m.group(1) or m.group(2)).lower()


def resources(path):
	"""{kernel: {vgpr, sgpr, scratch, spill, wave, threads: its largest work-group, shared: bytes of LDS, wgp:
	whether a work-group may have both CUs}} from the metadata.
	"""
	found, current = {}, None
	for line in run(tool("llvm-readelf"), "--notes", path).splitlines():
		m = re.match(r"  - \.|    \.(\w+):\s*(\S+)", line)
		if not m:
			continue
		if m.group(1) is None:
			current = {}
			line = line.replace("-", " ", 1)
			m = re.match(r"    \.(\w+):\s*(\S+)", line)
		if m and m.group(1):
			current[m.group(1)] = m.group(2)
			if m.group(1) == "name":
				found[m.group(2).strip("'")] = current
	return {name: {"vgpr": int(k["vgpr_count"]), "sgpr": int(k["sgpr_count"]), "wave": int(k["wavefront_size"]),
		       "agpr": int(k.get("agpr_count", 0)), "scratch": int(k["private_segment_fixed_size"]),
		       "threads": int(k["max_flat_workgroup_size"]), "shared": int(k["group_segment_fixed_size"]),
		       "wgp": k.get("workgroup_processor_mode") == "1",
		       "spill": int(k["vgpr_spill_count"]) + int(k["sgpr_spill_count"])}
		for name, k in found.items() if "vgpr_count" in k}


def waves_per_simd(arch, vgpr, wave):
	"""Occupancy that the registers allow: (registers of a SIMD, granule, most waves)."""
	if arch.startswith("gfx90a") or arch.startswith("gfx94") or arch.startswith("gfx95"):
		total, granule, most = 512, 8, 8
	elif arch.startswith("gfx103"):
		total, granule, most = (1024, 8, 16) if wave == 32 else (512, 4, 16)
	else: # gfx1100
		total, granule, most = (1536, 24, 16) if wave == 32 else (768, 12, 16)
	return min(most, total // max(granule, -(-vgpr // granule) * granule))


COPY = re.compile(r"s_mov_b(?:32|64) s\[?(\d+)(?::\d+\])?, s\[?(\d+)(?::\d+\])?$")


class AmdFunction(Function):
	def is_constant(self, load):
		"""Whether it reads the kernel's arguments: its address is one that the kernel was started with."""
		return self.is_kernel and all(self.is_given(load, r) for r in load.address_reads)

	def is_given(self, use, register):
		"""
		Returns whether, wherever an instruction reads the register, this holds what it held when the
		function was entered, or what another register held then: copies, and lanes of a vector register in
		which a compiler keeps scalars, are followed.
		"""
		place = places(self.blocks)
		work, seen = {(use, register)}, set()
		while work:
			use, register = at = work.pop()
			seen.add(at)
			for i in definitions(place, use, register):
				sources = set(self.copied(i, register))
				if not sources:
					return False
				work |= sources - seen
		return True

	def copied(self, i, register):
		"""Returns pairs (instruction, register it reads) of which one holds the value of the register that i
		writes; none if i computes or loads it.
		"""
		m = COPY.match(i.text)
		if m:
			return [(i, "s%d" % (int(m.group(2)) + int(register[1:]) - int(m.group(1))))]
		m = re.match(r"v_readlane_b32 s\d+, (v\d+), (\d+)$", i.text)
		return [(w, "s" + saved.group(1)) for w in self.instructions
			for saved in [re.match(r"v_writelane_b32 %s, s(\d+), %s$" % m.groups(), w.text)] if saved] if m else []


def read(path, frames=False):
	"""Returns a code object's architecture and functions; frames: with the inlined functions
	of loads, stores, fences and calls.
	"""
	arch = architecture(path)
	kernels = resources(path)
	functions, name, instructions, starts = [], None, [], {}
	listing = []
	for line in run(tool("llvm-objdump"), "-d", path).splitlines():
		m = re.match(r"([0-9a-f]+) <(.+)>:$", line)
		if m:
			name = m.group(2)
			starts[name] = int(m.group(1), 16)
			instructions = []
			listing.append((name, instructions))
			continue
		m = re.match(r"\t(.+?)\s*// ([0-9A-F]+):", line)
		if not m or name is None:
			continue
		text = m.group(1)
		i = Instruction(int(m.group(2), 16), "", text)
		target = re.search(r"<(.+?)(?:\+0x([0-9a-f]+))?>$", line)
		if target and text.startswith(("s_branch", "s_cbranch", "s_call")):
			i.target = (target.group(1), int(target.group(2) or "0", 16))
		decode(i, arch)
		instructions.append(i)
	for name, instructions in listing:
		for i in instructions:
			if isinstance(i.target, tuple):
				i.target = starts.get(i.target[0], 0) + i.target[1]
		while instructions and is_padding(instructions[-1]):
			instructions.pop()
		if not instructions:
			continue
		f = AmdFunction(name, instructions, name in kernels)
		f.resources = kernels.get(name, {})
		f.arch = arch
		functions.append(f)
	if frames:
		wanted = [i for f in functions for i in f.instructions
			if i.kind in ("store", "atomic", "load", "barrier", "writeback", "invalidate", "call") and
			  i.space in ("global", None)]
		attach_frames(path, wanted)
	for f in functions:
		resolve_calls(f, starts)
	return arch, functions


def code_objects(path, folder):
	"""Writes the code objects of an object file with kernels to a folder; returns their paths."""
	with open(path, "rb") as f:
		data = f.read()
	magic, found = b"__CLANG_OFFLOAD_BUNDLE__", []
	start = data.find(magic)
	while start >= 0:
		at = start + len(magic) + 8
		for _ in range(struct.unpack_from("<Q", data, at - 8)[0]):
			offset, size, length = struct.unpack_from("<QQQ", data, at)
			name = data[at + 24:at + 24 + length].decode()
			at += 24 + length
			if size and "amdgcn" in name:
				found.append("%s/%s.%s.co" % (folder, path.replace("/", "-"), name.split("--")[-1]))
				with open(found[-1], "wb") as f:
					f.write(data[start + offset:start + offset + size])
		start = data.find(magic, at)
	return found


def attach_frames(path, instructions):
	if not instructions:
		return
	out = run(tool("llvm-symbolizer"), "--obj=" + path, "--inlines", "--functions=linkage", "--no-demangle",
		  text="".join("0x%x\n" % i.address for i in instructions))
	for i, answer in zip(instructions, re.split(r"\n\n", out)):
		lines = answer.strip().split("\n")
		i.frames = tuple(lines[0::2])
		i.line = lines[1] if len(lines) > 1 else ""


def resolve_calls(function, starts):
	"""s_getpc_b64; s_add_u32 lo, lo, imm; s_addc_u32; ...; s_swappc_b64: finds the callee."""
	by_address = {a: n for n, a in starts.items()}
	pc, sums = {}, {}
	for n, i in enumerate(function.instructions):
		if i.op == "s_getpc_b64":
			low = min(i.writes, key=lambda r: int(r[1:]))
			pc[low] = i.address + 4
		elif i.op == "s_add_u32" and "," in i.text:
			dest, a, b = [p.strip() for p in i.text.split(" ", 1)[1].split(",")]
			if a in pc and re.match(r"(0x)?[0-9a-f]+$", b):
				sums[dest] = pc.pop(a) + int(b, 0) & 0xffffffff
		elif i.kind == "call" and i.op == "s_swappc_b64":
			m = re.search(r",\s*s\[(\d+):", i.text)
			address = sums.get("s" + m.group(1)) if m else None
			i.callee = by_address.get(address)
