# SPDX-License-Identifier: BSD-3-Clause
"""
Checks what the bitcode defines, and what kernels become when they are linked with it.

  check.py DEFINITIONS LL... CODE-OBJECT CODE-OBJECT

DEFINITIONS are the bitcode's lines "define ... @gshmem_...(...)". Its functions must have plain types, and
those that an LL file declares must have the declared types, because a linker compares only names. The kernels
of the first code object (from calls.ll) must cost as much as those of the same names in the second one, which
is compiled from tests/isa/kernels/calls.hip.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "isa"))
import amd # noqa: E402
import budget # noqa: E402

PLAIN = {"i8", "i16", "i32", "i64", "float", "double"}
FUNCTION = re.compile(r"^(?:declare|define)\b(.*?)@(gshmemx?_\w+)\((.*)\)")
# These count the whole kernel with its slow path, which depends on what else is in the unit.
APART = {"static"}


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


def check_costs(linked, compiled):
	costs = [budget.measure(amd.read(path)[1]) for path in (linked, compiled)]
	failed = 0
	if len(costs[0]) < 20:
		print("bitcode: %s has only %d kernels that can be measured" % (linked, len(costs[0])))
		failed += 1
	for name, found in costs[0].items():
		expected = costs[1].get(name, {})
		for metric in sorted(set(found) | set(expected)):
			if metric not in APART and found.get(metric) != expected.get(metric):
				print("bitcode: kernel %s: %s is %s, but %s when compiled as HIP" %
					(name, metric, found.get(metric), expected.get(metric)))
				failed += 1
	return failed


def main(arguments):
	failed = check_types(read_types(arguments[0], "define"), arguments[1:-2])
	failed += check_costs(arguments[-2], arguments[-1])
	return failed != 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
