# SPDX-License-Identifier: BSD-3-Clause
"""
Whether kernels can be launched with the blocks that they are launched with. A GPU refuses a block whose
registers or shared memory one multiprocessor (CU) does not have, and then nothing runs.

  fits.py LOGS OBJECT...

Below the folder LOGS are lists of kernels and their blocks (*.launches), which tests/run.sh leaves beside the
logs of the cpu platform. The library's own launches are read from src/. OBJECT is a cubin, a code object for
AMD GPUs, or an object file with such; cubins are not compressed.

A list has a kernel's name as the launch spells it. If that is the name of a variable, the launch counts for
each kernel of the program that no list names.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

import amd
import nvidia

REGISTERS = 64 << 10
LDS_BYTES = 64 << 10
# More needs a call of hipFuncSetAttribute, which no kernel here has.
SHARED_BYTES = 48 << 10
ARCH_HEADERS = {"sm": "nvidia", "gfx": "amd"}
LAUNCH = re.compile(r"GSHMEMI_LAUNCH\(\s*(\w+),\s*(\w+),")
OWN_THREADS = re.compile(r"#define GSHMEMI_ARCH_OWN_THREADS +(\d+)")


def up(n, granule):
	return -(-n // granule) * granule


def library_launches():
	"""Returns {kernel: {"sm" or "gfx": threads}} for the kernels that the library launches."""
	own = {}
	for vendor, header in ARCH_HEADERS.items():
		with open("include/gshmem/arch/%s.h" % header, encoding="utf-8") as f:
			own[vendor] = int(OWN_THREADS.search(f.read()).group(1))
	found = {}
	for path in glob.glob("src/*/*.hip"):
		with open(path, encoding="utf-8") as f:
			for kernel, threads in LAUNCH.findall(f.read()):
				if threads == "GSHMEMI_ARCH_OWN_THREADS":
					found[kernel] = own
				else:
					found[kernel] = {vendor: int(threads) for vendor in own}
	return found


def program_of(path):
	"""Returns a program's or object's name below the root (tests/platform/wave); None: it is outside."""
	m = re.match(r"(?:.*/)?((?:tests|bench|examples|src)[/-][^.]*)[^/]*$", path)
	return m and m.group(1).replace("-", "/")


def source_of(program):
	return next((path for path in (program + ".hip", program + ".c") if os.path.exists(path)), None)


def recorded_launches(logs):
	"""Returns {program: {kernel as launched: (threads, bytes of shared memory)}}, with the largest of
	both. Leaves out what is older than the program's source.
	"""
	found = {}
	for path in glob.glob(logs + "/**/*.launches", recursive=True):
		written = os.path.getmtime(path)
		with open(path, encoding="utf-8") as f:
			for line in f:
				fields = line.rstrip("\n").split("\t")
				program = program_of(fields[0]) if len(fields) == 4 else None
				source = program and source_of(program)
				if not source or os.path.getmtime(source) > written:
					continue
				of = found.setdefault(program, {})
				threads, nbytes = of.get(fields[1], (0, 0))
				of[fields[1]] = max(threads, int(fields[2])), max(nbytes, int(fields[3]))
	return found


def spelled(launched):
	"""Returns the kernel's name in a launch, without namespace and template arguments."""
	m = re.match(r"(?:HIP_KERNEL_NAME)?[\s(]*(?:\w+::)*(\w+)", launched)
	return m.group(1) if m else ""


def demangle(names):
	"""Returns {symbol: the function's name without namespace, template arguments and parameters}."""
	names = sorted(names)
	text = subprocess.run(["c++filt"], input="\n".join(names) + "\n", check=True, stdout=subprocess.PIPE,
		universal_newlines=True).stdout
	return {name: re.search(r"(\w+)(?=[<(]|$)", line.replace("(anonymous namespace)::", "")).group(1)
		for name, line in zip(names, text.splitlines())}


def read(path, folder):
	"""Returns [(architecture, {kernel: resources})] of a file."""
	found = nvidia.kernels(path)
	if found:
		return found
	with open(path, "rb") as f:
		is_code = f.read(20)[18:] == b"\xe0\x00" # EM_AMDGPU
	objects = [path] if is_code else amd.code_objects(path, folder)
	return [(amd.architecture(p), amd.resources(p)) for p in objects]


def refusal(arch, has, threads, dynamic_bytes):
	"""Returns why a GPU refuses such a block of a kernel, or None."""
	is_nvidia = arch.startswith("sm")
	bound = has.get("threads")
	count = has["registers" if is_nvidia else "vgpr"]
	if bound and threads > bound:
		return "is compiled for at most %d threads" % bound
	shared, limit = has.get("shared", 0) + dynamic_bytes, SHARED_BYTES if is_nvidia else LDS_BYTES
	if shared > limit:
		return "has %d bytes of shared memory, and %d is the limit" % (shared, limit)
	if is_nvidia:
		all_of_them = 32 * up(-(-threads // 32), 4) * up(count, 8)
		if all_of_them > REGISTERS:
			return "has %d registers, %d in all, of %d" % (count, all_of_them, REGISTERS)
		return None
	nwaves = -(-threads // has["wave"])
	# Two SIMDs are a CU of gfx10 and gfx11, and two CUs a work-group processor.
	nsimds = 4 if has["wgp"] or not arch.startswith("gfx1") else 2
	fit = nsimds * amd.waves_per_simd(arch, count, has["wave"])
	return "has %d registers, and %d of its %d waves fit" % (count, fit, nwaves) if nwaves > fit else None


class Launches:
	"""The largest block that each kernel is launched with."""

	def __init__(self, logs):
		self.library = library_launches()
		self.programs = recorded_launches(logs)
		self.named = {}
		for launches in self.programs.values():
			for launched, block in launches.items():
				self.named.setdefault(spelled(launched), []).append(block)

	def of(self, arch, program, kernel, kernels):
		"""Returns (threads, bytes) for one of a program's kernels; None: no launch is known."""
		if kernel in self.library:
			return self.library[kernel][re.match(r"[a-z]+", arch).group()], 0
		mine = self.programs.get(program)
		if mine is None: # of a module, which several programs load
			is_module = program and program.startswith("tests/modules/")
			blocks = self.named.get(kernel, []) if is_module else []
		else:
			blocks = [block for name, block in mine.items() if spelled(name) == kernel] or \
				[block for name, block in mine.items() if spelled(name) not in kernels]
		return tuple(max(values) for values in zip(*blocks)) if blocks else None


def self_test():
	"""Blocks that just fit, and those with one register, thread or byte more."""
	cdna, rdna = {"wave": 64, "wgp": False, "threads": 1024}, {"wave": 32, "wgp": True, "threads": 1024}
	failed = 0
	for fits, arch, threads, nbytes, has in (
			(True, "sm_90", 512, 0, {"registers": 128}),
			(False, "sm_90", 512, 0, {"registers": 129}),
			(True, "sm_90", 256, 0, {"registers": 255}),
			(False, "sm_90", 257, 0, {"registers": 230}),
			(False, "sm_90", 257, 0, {"registers": 8, "threads": 256}),
			(True, "sm_90", 1, 47 << 10, {"registers": 8, "shared": 1 << 10}),
			(False, "sm_90", 1, (47 << 10) + 1, {"registers": 8, "shared": 1 << 10}),
			(True, "gfx942", 512, 0, {**cdna, "vgpr": 256}),
			(False, "gfx942", 512, 0, {**cdna, "vgpr": 257}),
			(True, "gfx942", 1024, 0, {**cdna, "vgpr": 128}),
			(False, "gfx942", 1025, 0, {**cdna, "vgpr": 8}),
			(True, "gfx942", 1, 32 << 10, {**cdna, "vgpr": 8, "shared": 32 << 10}),
			(False, "gfx942", 1, (32 << 10) + 1, {**cdna, "vgpr": 8, "shared": 32 << 10}),
			(True, "gfx1100", 1024, 0, {**rdna, "vgpr": 192}),
			(False, "gfx1100", 1024, 0, {**rdna, "vgpr": 193}),
			(False, "gfx1100", 513, 0, {**rdna, "vgpr": 192, "wgp": False})):
		why = refusal(arch, has, threads, nbytes)
		if (why is None) != fits:
			print("FAIL fits.py: %s: %d threads, %d bytes, %s: %s" % (arch, threads, nbytes,
				has, why))
			failed += 1
	return failed


def main(arguments):
	if self_test():
		return 1
	launches, kernels = Launches(arguments[0]), []
	with tempfile.TemporaryDirectory() as folder:
		for path in arguments[1:]:
			for arch, resources in read(path, folder):
				kernels += [(path, arch, symbol, has) for symbol, has in resources.items()]
	names = demangle({symbol for _, _, symbol, _ in kernels})
	of_program = {}
	for path, _, symbol, _ in kernels:
		of_program.setdefault(program_of(path), set()).add(names[symbol])
	failed, compared, seen = 0, 0, {}
	for path, arch, symbol, has in kernels:
		program, name = program_of(path), names[symbol]
		block = launches.of(arch, program, name, of_program[program])
		if name in launches.library:
			seen.setdefault(arch, set()).add(name)
		if block:
			compared += 1
			why = refusal(arch, has, *block)
			if why:
				print("FAIL %s, %s: %s, launched with %d threads, %s" % (program, arch, name,
					block[0], why))
				failed += 1
	for arch in {arch for _, arch, _, _ in kernels}:
		missing = set(launches.library) - seen.get(arch, set())
		if missing:
			print("FAIL %s: the library launches kernels that are in no object: %s" % (arch,
				" ".join(sorted(missing))))
			failed += 1
	print("%d kernels, %d with a known block, %d failures" % (len(kernels), compared, failed))
	if not launches.programs:
		print("no test has left a list of its launches: make check makes them")
	return failed != 0 or not compared


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
