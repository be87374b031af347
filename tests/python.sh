#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
#
# The Python package works: each test of tests/python under mpirun, with the numbers of PEs that it names;
# jobs whose PEs make different calls, which must end with a message; python/examples; and the package as pip
# installs it. B names the build; MPIRUN, PYTHON the commands.

set -u
: "${MPIRUN:=mpirun}" "${B:=build/cpu}" "${GSHMEM_HEAP_SIZE:=64m}"
cd "$(dirname "$0")/.." || exit
for try in ${PYTHON-} python3 /usr/bin/python3; do
	"$try" -c 'import numpy' 2>/dev/null && python=$try && break
done
if [ -z "${python-}" ]; then
	echo "needs NumPy for python3"
	exit 77
fi
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
PYGSHMEM_LIBRARY=$(cd "$B" && pwd)/lib/libgshmem.so.0
PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
export PYGSHMEM_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE GSHMEM_HEAP_SIZE

fail() {
	cat "$work/log"
	echo "tests/python: $*"
	exit 1
}

# job NPES WORD...: run a job under mpirun, with its output in the log. A job that hangs has failed.
job() {
	n=$1
	shift
	timeout -k 5 100 $MPIRUN -n "$n" "$python" "$@" >"$work/log" 2>&1
}

# parts HOW TEXT...: the job of parted.py must fail, and its output must have each text.
parts() {
	how=$1
	shift
	job 2 tests/python/parted.py "$how"
	status=$?
	[ $status -ne 0 ] || fail "$how: the job does not fail"
	[ $status -lt 124 ] || fail "$how: the job hangs"
	for text; do
		grep -q "$text" "$work/log" || fail "$how: does not say: $text"
	done
}

for test in tests/python/*.py; do
	case $test in
	*/tensors.py) "$python" -c 'import torch' 2>/dev/null || continue ;;
	esac
	for count in $(sed -n 's/^# run: -n //p' "$test" | tr , ' '); do
		job "$count" "$test" || fail "$test -n $count: exit $?"
	done
done

if "$python" -c 'import gshmem; gshmem.get_unique_id' 2>/dev/null; then
	timeout -k 5 100 "$python" tests/python/unique_id.py 3 >"$work/log" 2>&1 || fail "unique_id.py: exit $?"
fi

# Any PE may be the first to end the job.
parts alone 'array of 16 bytes: PE 0 has waited .* for PE 1: all PEs must make this call together'
parts caught 'PE 0: array: the PEs have parted before: array of 16 bytes: PE 0 has waited' \
	'PE 1: array of 16 bytes: PE 0 has given up'
parts other 'PE . is in this call, and PE . in [af][r]'
parts finalize 'PE . is in this call, and PE . in [af][ri]'
parts size 'bytes of symmetric memory, on no PE'
parts raises 'RuntimeError: of the program' 'without gshmem_finalize'
GSHMEM_WATCHDOG=1 job 2 tests/python/parted.py late "$work/log" || fail "late: exit $?"
grep -q 'pe 0: python: array of 16 bytes: has waited .* for PE 1, which must make this call' "$work/log" ||
	fail "late: the watchdog says nothing"

job 2 python/examples/ring.py || fail "ring.py: exit $?"
# mpirun may join two PEs' output into one line.
{ grep -q 'PE 0 got \[100, 101, ' "$work/log" && grep -q 'PE 1 got \[0, 1, 2' "$work/log"; } ||
	fail "ring.py prints something else"

# Of a library for the cpu platform it says what it lacks, before it joins a job: PyTorch, or Triton, a GPU, bitcode.
"$python" python/examples/triton_ring.py >"$work/log" 2>&1
[ $? -eq 77 ] && grep -q '^triton_ring: needs ' "$work/log" || fail "triton_ring.py does not say what it needs"

# The library's version, the name of nvshmem.core, and a library that is not there.
"$python" -c 'import gshmem.core as nvshmem; nvshmem.put_signal, nvshmem.Teams' >"$work/log" 2>&1 ||
	fail "there is no gshmem.core"
"$python" -c 'import gshmem; exit(gshmem.__version__ != gshmem.get_version().gshmem_version)' ||
	fail "the version of the package is not that of the library"
if PYGSHMEM_LIBRARY=/none "$python" -c 'import gshmem' >"$work/log" 2>&1; then
	fail "a library that is not there is loaded"
fi
grep -q 'cannot load /none' "$work/log" || fail "a library that is not there is not named"

# Each name of the package has a docstring, and is in docs/python.md.
"$python" - >"$work/log" 2>&1 <<'END2' || fail "names without a word about them"
import inspect, sys
import gshmem
text = open("docs/python.md").read()
bad = [n for n in gshmem.__all__ if f"`{n}" not in text]
bad += [n for n in gshmem.__all__ if callable(getattr(gshmem, n)) and not inspect.getdoc(getattr(gshmem, n))]
print(*bad)
sys.exit(bool(bad))
END2

# As pip installs it, with no source tree beside it, if there are pip and setuptools.
if "$python" -c 'import pip, setuptools' 2>/dev/null; then
	cp -r python "$work/source"
	"$python" -m pip -q install --no-build-isolation --no-deps --no-index --target "$work/site" "$work/source" \
		>"$work/log" 2>&1 || fail "pip does not install the package"
	(cd "$work" && env PYTHONPATH="$work/site" "$python" -c 'import gshmem.core; print(gshmem)') \
		>"$work/log" 2>&1 || fail "the installed package does not run"
	grep -q "$work/site" "$work/log" || fail "the package that runs is not the installed one"
fi
