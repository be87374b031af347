# SPDX-License-Identifier: BSD-3-Clause
# run: -n 2,3
"""Signals, collectives and teams work, by the CPU and on streams."""

import numpy
from check import equal, fail, raises

import gshmem
from gshmem import ComparisonType, SignalOp, Teams

gshmem.init()
pe, npes = gshmem.my_pe(), gshmem.n_pes()
after, before = (pe + 1) % npes, (pe + npes - 1) % npes
stream = gshmem.Stream()


def each_way(work):
    """Runs work(how, stream) by the CPU, on a stream, and on a stream given by its number."""
    for how, s in (("host", None), ("stream", stream), ("number", stream.handle)):
        work(how, s)
        if s is not None:
            stream.sync()
        gshmem.barrier_all()


# Put, get, signals.
data, got, signal = gshmem.array(1000, "float64"), gshmem.array(1000, "float64"), gshmem.array(2, "uint64")
signal[:] = 0
ndone = 0


def signals(how, s):
    global ndone
    ndone += 1
    data[:] = 100 * ndone + pe
    gshmem.barrier_all()
    gshmem.put_signal(got, data, signal[0:1], ndone, SignalOp.SIGNAL_SET, after, stream=s)
    gshmem.signal_op(signal[1:2], 5, SignalOp.SIGNAL_ADD, after, stream=s)
    seen = gshmem.signal_wait(signal[0:1], ndone, ComparisonType.CMP_GE, stream=s)
    gshmem.signal_wait(signal[1:2], 5 * ndone, ComparisonType.CMP_EQ, stream=s)
    if s is not None:
        stream.sync()
    elif seen != ndone:
        fail(f"signal_wait returns {seen}, expected {ndone}")
    equal(f"put_signal, {how}", got, numpy.full(1000, 100.0 * ndone + before))
    gshmem.barrier_all()
    gshmem.get(got, data, before, stream=s)
    gshmem.quiet(stream=s)
    if s is not None:
        stream.sync()
    equal(f"get, {how}", got, numpy.full(1000, 100.0 * ndone + before))
    gshmem.put(got[:10], data[:10], after, stream=s)
    gshmem.barrier(Teams.TEAM_WORLD, stream=s)


each_way(signals)
raises(
    "a signal of 4 bytes", "8 bytes", gshmem.signal_op, gshmem.array(1, "int32"), 1, SignalOp.SIGNAL_SET, 0
)
for kind in "float32", "float64", "int32", "complex64":
    floats = gshmem.array(4, kind)
    for call in (gshmem.signal_op, gshmem.signal_wait):
        raises(f"a {kind} signal", "integer of 8 bytes", call, floats, 1, 0)
    raises(f"a {kind} signal", "integer of 8 bytes", gshmem.put_signal, got, data, floats, 1, 0, after)

# No call writes into a read-only array.
constant = b"constant bytes!!"
over_bytes = numpy.frombuffer(constant, "int64")
words = gshmem.array(2, "int64")
words[:] = -1
closed = words.view()
closed.flags.writeable = False
gshmem.barrier_all()
raises("get to bytes", "dst is a read-only array", gshmem.get, over_bytes, words, after)
raises("get to bytes", "dst is a read-only array", gshmem.get, over_bytes, words, after, stream=stream)
if over_bytes[0] != int.from_bytes(b"constant", "little"):
    fail(f"get has changed bytes: {constant!r}")
raises("put", "dst is a read-only array", gshmem.put, closed, words, after)
raises("put_signal", "dst is a read-only array", gshmem.put_signal, closed, words, signal[0:1], 1, 0, after)
raises("put_signal", "signal_var is a read-only", gshmem.put_signal, words, words, closed, 1, 0, after)
raises("signal_op", "signal_var is a read-only", gshmem.signal_op, closed, 1, 0, after)
raises("broadcast", "dst_array is a read-only", gshmem.broadcast, Teams.TEAM_WORLD, closed, words)
raises("reduce", "dst_array is a read-only", gshmem.reduce, Teams.TEAM_WORLD, closed, words, "sum")
raises("registering bytes", "a read-only array", gshmem.register_external_array, over_bytes)
gshmem.put(words, over_bytes, after)  # as a source it will do
gshmem.barrier_all()
equal("put of bytes", words, over_bytes)
gshmem.get(words, closed, after)

# Collectives.
small = {kind: gshmem.array(6, kind) for kind in ("int32", "float16", "float32", "complex64", "uint64")}
out = {kind: gshmem.array(6, kind) for kind in small}
wide, blocks = gshmem.array(6 * npes, "int32"), gshmem.array(6 * npes, "int32")


def collectives(how, s):
    done = stream.sync if s is not None else lambda: None
    for kind, source in small.items():
        source[:] = numpy.arange(6) + pe
        gshmem.reduce(Teams.TEAM_WORLD, out[kind], source, "sum", stream=s)
        done()
        expected = sum(numpy.arange(6) + i for i in range(npes))
        equal(f"sum of {kind}, {how}", out[kind], expected.astype(kind))
    gshmem.reduce(Teams.TEAM_WORLD, out["uint64"], small["uint64"], "or", stream=s)
    done()
    equal(f"or, {how}", out["uint64"], numpy.bitwise_or.reduce([numpy.arange(6) + i for i in range(npes)]))
    source = small["int32"]
    gshmem.broadcast(Teams.TEAM_WORLD, out["int32"], source, npes - 1, stream=s)
    done()
    equal(f"broadcast, {how}", out["int32"], numpy.arange(6) + npes - 1)
    gshmem.fcollect(Teams.TEAM_WORLD, wide, source, stream=s)
    done()
    equal(f"fcollect, {how}", wide, numpy.concatenate([numpy.arange(6) + i for i in range(npes)]))
    wide[:] = numpy.arange(6 * npes) + 100 * pe
    gshmem.alltoall(Teams.TEAM_WORLD, blocks, wide, stream=s)
    done()
    expected = [numpy.arange(6 * pe, 6 * pe + 6) + 100 * i for i in range(npes)]
    equal(f"alltoall, {how}", blocks, numpy.concatenate(expected))
    gshmem.reducescatter(Teams.TEAM_WORLD, out["int32"], wide, "max", stream=s)
    done()
    equal(f"reducescatter, {how}", out["int32"], numpy.arange(6 * pe, 6 * pe + 6) + 100 * (npes - 1))
    gshmem.sync_all(stream=s)


each_way(collectives)
raises("types that differ", "of type", gshmem.reduce, 1, out["int32"], small["float32"], "sum")
raises("or of floats", "no 'or'", gshmem.reduce, 1, out["float32"], small["float32"], "or")
raises("no such op", "expected one of", gshmem.reduce, 1, out["int32"], small["int32"], "mean")
raises("fcollect into too little", "expected", gshmem.fcollect, 1, out["int32"], small["int32"])
raises("a team that is none", "TEAM_INVALID", gshmem.broadcast, 0, out["int32"], small["int32"])
raises("root beyond the team", "root", gshmem.broadcast, 1, out["int32"], small["int32"], npes)
raises(
    "reduce of memory of the program",
    "src_array",
    gshmem.reduce,
    1,
    out["int32"],
    numpy.zeros(6, "int32"),
    "sum",
)

# Teams: all PEs but the last, in reverse order.
team = gshmem.team_split_strided(Teams.TEAM_WORLD, npes - 2, -1, npes - 1, new_team_name="REVERSED")
if (team == Teams.TEAM_INVALID) != (pe == npes - 1):
    fail(f"team_split_strided gives {team}")
if team:
    equal("team_n_pes", gshmem.team_n_pes(team), npes - 1)
    equal("team_my_pe", gshmem.team_my_pe(Teams.REVERSED), npes - 2 - pe)
    equal("team_translate_pe", gshmem.team_translate_pe(team, 0, Teams.TEAM_WORLD), npes - 2)
    gshmem.reduce(team, out["int32"], small["int32"], "sum")
    equal("sum of a team", out["int32"], sum(numpy.arange(6) + i for i in range(npes - 1)))
    raises(
        "the name of a team twice",
        "already",
        gshmem.team_split_strided,
        team,
        0,
        1,
        npes - 1,
        new_team_name="REVERSED",
    )
    gshmem.team_destroy("REVERSED")
    if hasattr(Teams, "REVERSED"):
        fail("a team that was destroyed is in Teams")
x, y = gshmem.team_split_2d(Teams.TEAM_WORLD, 2, new_team_name="GRID")
equal("row", gshmem.team_my_pe(Teams.GRID_x), pe % 2)
equal("column", gshmem.team_my_pe(y), pe // 2)
gshmem.team_destroy(x)
gshmem.team_destroy(y)
ends = [npes - 1, 0]
team = gshmem.team_create(Teams.TEAM_WORLD, ends)
equal("team_create", gshmem.team_my_pe(team) if team else -1, {0: 1, npes - 1: 0}.get(pe, -1))
gshmem.team_destroy(team)
if pe in ends:
    team = gshmem.team_create_by_members(ends, tag=5, new_team_name="ENDS")
    equal("team_create_by_members", gshmem.team_translate_pe(Teams.ENDS, 0, Teams.TEAM_WORLD), npes - 1)
    gshmem.team_destroy("ENDS")
raises("a PE twice", "no team of", gshmem.team_create, Teams.TEAM_WORLD, [0, 0])
raises("a list without this PE", "no team of", gshmem.team_create_by_members, [(pe + 1) % npes])
raises("a split that does not fit", "no team of", gshmem.team_split_strided, Teams.TEAM_WORLD, 0, 1, npes + 1)

stream.close()
if gshmem.init_status() != gshmem.InitStatus.STATUS_IS_INITIALIZED or gshmem.get_version()[0] != "1.6":
    fail("init_status or get_version")
gshmem.finalize()
if gshmem.init_status() != gshmem.InitStatus.STATUS_NOT_INITIALIZED:
    fail("init_status after finalize")
