# SPDX-License-Identifier: BSD-3-Clause
# run: -n 2
"""Registered memory of the program: put and get work, with different sizes on the PEs; collectives refuse it.
"""

import numpy
from check import equal, fail, raises

import gshmem
from gshmem import ComparisonType, SignalOp, Teams

gshmem.init()
pe, npes = gshmem.my_pe(), gshmem.n_pes()
after, before = (pe + 1) % npes, (pe + npes - 1) % npes
mine = numpy.zeros(64 + 64 * pe, "float32")
opened = gshmem.register_external_array(mine)
signal = gshmem.array(1, "uint64")
signal[:] = 0
stream = gshmem.Stream()
gshmem.barrier_all()

for how, s in (("host", None), ("stream", stream)):
    value = 10.0 * (s is not None) + 1 + pe
    expected = value - pe + before
    gshmem.put(opened[8:16], numpy.full(8, value, "float32"), after, stream=s)
    if s is not None:
        stream.sync()
    gshmem.barrier_all()
    equal(f"put, {how}", mine[7:17], numpy.array([0] + [expected] * 8 + [0]))
    back = numpy.zeros(4, "float32")
    gshmem.get(back, opened[10:14], after, stream=s)
    if s is not None:
        stream.sync()
    equal(f"get, {how}", back, numpy.full(4, value))
    gshmem.put_signal(
        opened[32:40], numpy.full(8, -value, "float32"), signal, 1, SignalOp.SIGNAL_ADD, after, stream=s
    )
    gshmem.signal_wait(signal, 2 if s is not None else 1, ComparisonType.CMP_EQ)
    equal(f"put_signal, {how}", mine[32:40], numpy.full(8, -expected))
    gshmem.barrier_all()

raises("register twice", "symmetric already", gshmem.register_external_array, mine)
raises("reduce", "registered memory", gshmem.reduce, Teams.TEAM_WORLD, opened, opened, "sum")
raises("free", "registered, not allocated", gshmem.free, opened)
raises("unregister of a part", "not what register_external", gshmem.unregister_external_array, opened[1:])
raises("unregister of the heap", "not what register_external", gshmem.unregister_external_array, signal)
gshmem.unregister_external_array(opened)
raises("use after unregister", "freed", lambda: opened[0])
raises("put after unregister", "not in symmetric memory", gshmem.put, mine, mine, after)
if mine[8] != 11 + before:
    fail("the program's own array has changed")

# Left open until finalize.
gshmem.register_external_array(mine)
stream.close()
gshmem.finalize()
