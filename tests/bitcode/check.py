# SPDX-License-Identifier: BSD-3-Clause
"""
Checks what the bitcode defines, and what kernels become when they are linked with it.

  check.py DEFINITIONS LL... CODE-OBJECT CODE-OBJECT

DEFINITIONS are the bitcode's lines "define ... @gshmem_...(...)". Its functions must have plain types, and
those that an LL file declares must have the declared types, because a linker compares only names. The kernels
of the first code object (from calls.ll) must cost as much as those of the same names in the second one, which
is compiled from tests/isa/kernels/calls.hip.

For NVIDIA GPUs (.cubin) LLVM makes the first and nvcc the second, so the costs differ. The first must keep the
limits of tests/isa/budgets.tsv, except that on registers, and exceed the second by no more than MORE.
"""

import os
import re
import sys

ISA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "isa")
sys.path.insert(0, ISA)
import budget # noqa: E402

PLAIN = {"i8", "i16", "i32", "i64", "float", "double"}
FUNCTION = re.compile(r"^(?:declare|define)\b(.*?)@(gshmemx?_\w+)\((.*)\)")
# These count the whole kernel with its slow path, which depends on what else is in the unit.
APART = {"static"}
# What a kernel by LLVM may have more of than one by nvcc. A fence has one instruction more. In a copy loop LLVM
# keeps a pointer for each access, where nvcc keeps offsets: that costs 0.3 instructions per byte in the loop and
# some 50 before it. Memory limits such a loop, not the instructions that an SM issues. With 56 registers instead
# of 48 an SM holds 36 warps instead of 40. A call of the slow path may be there twice.
MORE = {"instructions": 1, "per_byte": 0.3, "before": 64, "vgpr": 10, "static_calls": 1}


def read_types(path, word):
	"""{function: (type of its result, types of its parameters)}"""
	functions = {}
	with open(path, encoding="utf-8") as f:
		for line in f:
			m = FUNCTION.match(line)
			if m and line.startswith(word):
				result = m.group(1).split()[-1]
				parameters = [p.split()[0] for p in m.group(3).split(",") if p.strip()]
				functions[m.group(2)] = (result, parameters)
	return functions


def check_types(defined, paths):
	failed = 0
	for name, (result, parameters) in defined.items():
		for t in [result] + parameters:
			if t not in PLAIN:
				print("bitcode: %s has a type that is not plain: %s" % (name, t))
				failed += 1
	for path in paths:
		declared = read_types(path, "declare")
		if not declared:
			print("bitcode: %s declares nothing" % path)
			failed += 1
		for name, types in declared.items():
			if defined.get(name) != types:
				print("bitcode: %s declares %s as %s, but it is %s" %
					(path, name, types, defined.get(name)))
				failed += 1
	return failed


def is_other(metric, found, expected):
	return found != expected


def is_worse(metric, found, expected):
	if found is None or expected is None:
		return True
	if metric in budget.AT_LEAST:
		return found < expected
	return metric != "bytes" and found > expected + MORE.get(metric, 0)


def check_kernels(linked, compiled, differs, compiler):
	failed = 0
	for name, found in linked.items():
		expected = compiled.get(name, {})
		for metric in sorted((set(found) | set(expected)) - APART):
			if differs(metric, found.get(metric), expected.get(metric)):
				print("bitcode: kernel %s: %s is %s, but %s by %s" %
					(name, metric, found.get(metric), expected.get(metric), compiler))
				failed += 1
	return failed


def check_budgets(arch, linked):
	"""Compares the kernels with their limits in budgets.tsv, except those on registers."""
	limits = []
	for build, calls, archs, metric, limit in budget.read_limits(os.path.join(ISA, "budgets.tsv")):
		calls = " ".join(call for call in calls.split() if call in linked)
		if calls and build == "default" and metric != "vgpr":
			limits.append((build, calls, archs, metric, limit))
	found = {(arch, "default", name, metric): value for name, metrics in linked.items()
		for metric, value in metrics.items()}
	return budget.check(limits, found)


def check_costs(paths):
	read = [budget.read(path) for path in paths]
	linked, compiled = [budget.measure(functions) for _, functions in read]
	failed = 0
	if len(linked) < 20:
		print("bitcode: %s has only %d kernels that can be measured" % (paths[0], len(linked)))
		failed += 1
	if paths[0].endswith(".cubin"):
		return failed + check_kernels(linked, compiled, is_worse, "nvcc") + \
			check_budgets(read[0][0], linked)
	return failed + check_kernels(linked, compiled, is_other, "hipcc")


def main(arguments):
	failed = check_types(read_types(arguments[0], "define"), arguments[1:-2])
	failed += check_costs(arguments[-2:])
	return failed != 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
