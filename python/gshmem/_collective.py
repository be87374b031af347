# SPDX-License-Identifier: BSD-3-Clause
"""Collectives, by the CPU and on streams. All PEs of a team make the same calls in the same order."""

from typing import Any, Tuple

import numpy

from ._library import C_INT, C_PTR, C_SIZE, GshmemInvalid, check, function, has, need_init
from ._memory import find_symmetric
from ._rma import flush_windows, quiet, stream_handle
from ._teams import Teams, team_n_pes

_NAMES = {
    "bool": "uint8", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64",
    "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
    "float16": "half", "bfloat16": "bfloat16", "float32": "float", "float64": "double",
    "complex64": "complexf", "complex128": "complexd",
    str(numpy.dtype("longdouble")): "longdouble",
}  # fmt: skip
_OPS = ("sum", "prod", "min", "max", "and", "or", "xor")


def _pair(name: str, dst: Any, src: Any) -> Tuple[int, int, int, int]:
    """Returns address and bytes of dst and of src, which must be in the heap."""
    dest, dst_nbytes, dst_found = find_symmetric(name, "dst_array", dst, writes=True)
    source, src_nbytes, src_found = find_symmetric(name, "src_array", src)
    if dst_found.win or src_found.win:
        raise GshmemInvalid(f"{name}: registered memory: collectives take memory of array, tensor and buffer")
    return dest, dst_nbytes, source, src_nbytes


def _n_pes(name: str, team: int) -> int:
    n = team_n_pes(team)
    if n < 1:
        raise GshmemInvalid(f"{name}: TEAM_INVALID is no team")
    return n


def _sizes(name: str, dst_nbytes: int, expected: int, what: str) -> None:
    if dst_nbytes != expected:
        raise GshmemInvalid(f"{name}: dst_array has {dst_nbytes} bytes, expected {expected}: {what}")


def _run(name: str, c_name: str, stream: Any, *args: Any) -> None:
    """Calls a collective with team, dest, source, nelems and, for a broadcast, the root."""
    types = [C_PTR, C_PTR, C_PTR, C_SIZE] + [C_INT] * (len(args) - 4)
    if stream is None:
        check(name, function(c_name, C_INT, *types)(*args))
        return
    on_stream = "gshmemx_" + c_name.split("_", 1)[1] + "_on_stream"
    check(name, function(on_stream, C_INT, *types, C_PTR)(*args, stream_handle(stream)))


def broadcast(team: int, dst_array: Any, src_array: Any, root: int = 0, stream: Any = None) -> None:
    """Copies src_array of the team's PE root to dst_array on all its PEs. Both have the same size."""
    dest, dst_nbytes, source, src_nbytes = _pair("broadcast", dst_array, src_array)
    n = _n_pes("broadcast", team)
    if not 0 <= root < n:
        raise GshmemInvalid(f"broadcast: root {root} is not in 0 .. {n - 1}")
    _sizes("broadcast", dst_nbytes, src_nbytes, "those of src_array")
    _run("broadcast", "gshmem_broadcastmem", stream, team, dest, source, src_nbytes, root)


def fcollect(team: int, dst_array: Any, src_array: Any, stream: Any = None) -> None:
    """Concatenates src_array of all PEs of the team, in their order, in dst_array on all."""
    dest, dst_nbytes, source, src_nbytes = _pair("fcollect", dst_array, src_array)
    _sizes("fcollect", dst_nbytes, src_nbytes * _n_pes("fcollect", team), "those of src_array for each PE")
    _run("fcollect", "gshmem_fcollectmem", stream, team, dest, source, src_nbytes)


def alltoall(team: int, dst_array: Any, src_array: Any, stream: Any = None) -> None:
    """Copies part j of src_array to part i of dst_array on PE j, where i is the caller.
    An array has one part per PE.
    """
    dest, dst_nbytes, source, src_nbytes = _pair("alltoall", dst_array, src_array)
    n = _n_pes("alltoall", team)
    _sizes("alltoall", dst_nbytes, src_nbytes, "those of src_array")
    if src_nbytes % n:
        raise GshmemInvalid(f"alltoall: {src_nbytes} bytes are no {n} equal parts")
    _run("alltoall", "gshmem_alltoallmem", stream, team, dest, source, src_nbytes // n)


def _reduction(name: str, dst: Any, src: Any, op: str, suffix: str, stream: Any) -> Tuple[str, int]:
    """Returns the C function, and the bytes of an element."""
    if op not in _OPS:
        raise GshmemInvalid(f"{name}: op={op!r}: expected one of {', '.join(_OPS)}")
    kinds = [str(getattr(x, "dtype", "none")).replace("torch.", "") for x in (dst, src)]
    if kinds[0] != kinds[1]:
        raise GshmemInvalid(f"{name}: dst_array has elements of type {kinds[0]} and src_array of {kinds[1]}")
    c_type = _NAMES.get(kinds[0])
    prefix = "gshmemx_" if c_type in ("half", "bfloat16") or suffix == "reduce_scatter" else "gshmem_"
    c_name = f"{prefix}{c_type}_{op}_{suffix}"
    asked = c_name if stream is None else f"gshmemx_{c_type}_{op}_{suffix}_on_stream"
    if c_type is None or not has(asked):
        where = "" if stream is None else " on a stream"
        raise GshmemInvalid(f"{name}: there is no {op!r} of elements of type {kinds[0]}{where}")
    return c_name, src.itemsize if hasattr(src, "itemsize") else src.element_size()


def reduce(team: int, dst_array: Any, src_array: Any, op: str, stream: Any = None) -> None:
    """Combines src_array of all PEs of the team, element by element, in dst_array on all.

    op  "sum", "prod", "min", "max", and for integers "and", "or", "xor". Floating point is summed in
        the order of the PEs.
    """
    dest, dst_nbytes, source, src_nbytes = _pair("reduce", dst_array, src_array)
    _n_pes("reduce", team)
    c_name, element = _reduction("reduce", dst_array, src_array, op, "reduce", stream)
    _sizes("reduce", dst_nbytes, src_nbytes, "those of src_array")
    _run("reduce", c_name, stream, team, dest, source, src_nbytes // element)


def reducescatter(team: int, dst_array: Any, src_array: Any, op: str, stream: Any = None) -> None:
    """As `reduce`, but PE i gets only part i of the result.

    dst_array has the elements of one part, src_array those of one part per PE.
    """
    dest, dst_nbytes, source, src_nbytes = _pair("reducescatter", dst_array, src_array)
    n = _n_pes("reducescatter", team)
    c_name, element = _reduction("reducescatter", dst_array, src_array, op, "reduce_scatter", stream)
    if src_nbytes != dst_nbytes * n:
        raise GshmemInvalid(
            f"reducescatter: src_array has {src_nbytes} bytes, expected {n} times {dst_nbytes}"
        )
    _run("reducescatter", c_name, stream, team, dest, source, dst_nbytes // element)


def sync(team: int, stream: Any = None) -> None:
    """Returns when all PEs of the team have called."""
    need_init("sync")
    if stream is None:
        check("sync", function("gshmem_team_sync", C_INT, C_PTR)(team))
    else:
        check(
            "sync", function("gshmemx_team_sync_on_stream", C_INT, C_PTR, C_PTR)(team, stream_handle(stream))
        )


def barrier(team: int = Teams.TEAM_WORLD, stream: Any = None) -> None:
    """`quiet`, then waits until all PEs of the team have called."""
    quiet(stream)
    sync(team, stream)


def barrier_all(stream: Any = None) -> None:
    """`barrier` of all PEs."""
    need_init("barrier_all")
    if stream is None:
        flush_windows()
        function("gshmem_barrier_all", None)()
    else:
        check("barrier_all", function("gshmemx_barrier_all_on_stream", C_INT, C_PTR)(stream_handle(stream)))


def sync_all(stream: Any = None) -> None:
    """`sync` of all PEs."""
    sync(Teams.TEAM_WORLD, stream)
