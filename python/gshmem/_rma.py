# SPDX-License-Identifier: BSD-3-Clause
"""Put, get, signals and quiet: by the CPU, and on streams."""

import ctypes
import enum
from typing import Any, Optional, Tuple

from ._library import C_INT, C_PTR, C_SIZE, C_U64, GshmemInvalid, check, function, lib, need_init, on_cpu
from ._memory import find_symmetric, locate, need_memory, need_writable
from ._setup import n_pes


class SignalOp(enum.IntEnum):
    """What a signal does: it writes its value, or adds it."""

    SIGNAL_SET = 0
    SIGNAL_ADD = 1


class ComparisonType(enum.IntEnum):
    """How signal_wait compares."""

    CMP_EQ = 1
    CMP_NE = 2
    CMP_GT = 3
    CMP_GE = 4
    CMP_LT = 5
    CMP_LE = 6


if on_cpu:

    class Stream:
        """A stream of the cpu platform. On GPUs use those of CuPy, PyTorch or cuda.core."""

        def __init__(self) -> None:
            handle = C_PTR(0)
            if lib.hipStreamCreate(ctypes.byref(handle)):
                raise GshmemInvalid("Stream: the platform gives none")
            self.handle: int = handle.value or 0

        def sync(self) -> None:
            """Waits until all queued work is done."""
            if function("hipStreamSynchronize", C_INT, C_PTR)(self.handle):
                raise GshmemInvalid("Stream.sync: the stream was closed, or a kernel failed")

        def close(self) -> None:
            """Destroys the stream once all queued work is done."""
            if self.handle:
                function("hipStreamDestroy", C_INT, C_PTR)(self.handle)
                self.handle = 0

        def __cuda_stream__(self) -> Tuple[int, int]:
            return 0, self.handle


def stream_handle(stream: Any) -> int:
    """Returns the hipStream_t of a stream: a number, or one of CuPy, PyTorch, cuda.core or this package."""
    if isinstance(stream, int):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    raise GshmemInvalid(f"stream: expected a stream or its number, got {type(stream).__name__}")


_putmem = function("gshmem_putmem", None, C_PTR, C_PTR, C_SIZE, C_INT)
_getmem = function("gshmem_getmem", None, C_PTR, C_PTR, C_SIZE, C_INT)
_put_stream = function("gshmemx_putmem_on_stream", C_INT, C_PTR, C_PTR, C_SIZE, C_INT, C_PTR)
_get_stream = function("gshmemx_getmem_on_stream", C_INT, C_PTR, C_PTR, C_SIZE, C_INT, C_PTR)
_put_signal = function("gshmem_putmem_signal", None, C_PTR, C_PTR, C_SIZE, C_PTR, C_U64, C_INT, C_INT)
_put_signal_stream = function(
    "gshmemx_putmem_signal_on_stream", C_INT, C_PTR, C_PTR, C_SIZE, C_PTR, C_U64, C_INT, C_INT, C_PTR
)
_signal_set = function("gshmem_signal_set", None, C_PTR, C_U64, C_INT)
_signal_add = function("gshmem_signal_add", None, C_PTR, C_U64, C_INT)
_signal_stream = function("gshmemx_signal_op_on_stream", C_INT, C_PTR, C_U64, C_INT, C_INT, C_PTR)
_wait = function("gshmem_signal_wait_until", C_U64, C_PTR, C_INT, C_U64)
_wait_stream = function("gshmemx_signal_wait_until_on_stream", C_INT, C_PTR, C_INT, C_U64, C_PTR)
_quiet = function("gshmem_quiet", None)
_quiet_stream = function("gshmemx_quiet_on_stream", C_INT, C_PTR)
_win_put = function("gshmemx_win_putmem", C_INT, C_INT, C_PTR, C_PTR, C_SIZE, C_INT)
_win_get = function("gshmemx_win_getmem", C_INT, C_INT, C_PTR, C_PTR, C_SIZE, C_INT)
_win_put_stream = function("gshmemx_win_putmem_on_stream", C_INT, C_INT, C_PTR, C_PTR, C_SIZE, C_INT, C_PTR)
_win_get_stream = function("gshmemx_win_getmem_on_stream", C_INT, C_INT, C_PTR, C_PTR, C_SIZE, C_INT, C_PTR)
_win_flush = function("gshmemx_win_flush", C_INT, C_INT, C_INT)
_win_flush_all = function("gshmemx_win_flush_all", C_INT, C_INT)
_win_flush_local = function("gshmemx_win_flush_local", C_INT, C_INT, C_INT)


def _check_pe(name: str, pe: int) -> None:
    if not 0 <= pe < n_pes():
        raise GshmemInvalid(f"{name}: PE {pe} is not in 0 .. {n_pes() - 1}")


def _equal(name: str, dst_nbytes: int, src_nbytes: int) -> None:
    if dst_nbytes != src_nbytes:
        raise GshmemInvalid(f"{name}: dst has {dst_nbytes} bytes and src has {src_nbytes}")


def put(dst: Any, src: Any, remote_pe: int = -1, stream: Any = None) -> None:
    """Copies src, of this PE, to dst on remote_pe.

    dst     symmetric or registered, and not read-only; has as many bytes as src
    src     an array, a tensor or a Buffer in any memory that the library can read; contiguous, as is dst
    stream  None: the CPU copies, and src may be reused when this returns; quiet completes the copy.
            A stream: the copy is queued there, and has arrived before the stream's next work starts
    """
    address, dst_nbytes, found = find_symmetric("put", "dst", dst, writes=True)
    source, nbytes = locate(src)
    _check_pe("put", remote_pe)
    _equal("put", dst_nbytes, nbytes)
    if found.win:
        disp = address - found.address
        if stream is not None:
            check("put", _win_put_stream(found.win, disp, source, nbytes, remote_pe, stream_handle(stream)))
        else:
            check("put", _win_put(found.win, disp, source, nbytes, remote_pe))
            check("put", _win_flush_local(found.win, remote_pe))
    elif stream is not None:
        check("put", _put_stream(address, source, nbytes, remote_pe, stream_handle(stream)))
    else:
        _putmem(address, source, nbytes, remote_pe)


def get(dst: Any, src: Any, remote_pe: int = -1, stream: Any = None) -> None:
    """Copies src, on remote_pe, to dst of this PE.

    As `put`, with the roles of dst and src exchanged. Without a stream the data is in dst on return.
    """
    address, nbytes, found = find_symmetric("get", "src", src)
    dest, dst_nbytes = locate(dst)
    need_writable("get", "dst", dst)
    _check_pe("get", remote_pe)
    _equal("get", dst_nbytes, nbytes)
    if found.win:
        disp = address - found.address
        if stream is not None:
            check("get", _win_get_stream(found.win, dest, disp, nbytes, remote_pe, stream_handle(stream)))
        else:
            check("get", _win_get(found.win, dest, disp, nbytes, remote_pe))
            check("get", _win_flush(found.win, remote_pe))
    elif stream is not None:
        check("get", _get_stream(dest, address, nbytes, remote_pe, stream_handle(stream)))
    else:
        _getmem(dest, address, nbytes, remote_pe)


def _signal(name: str, signal_var: Any, writes: bool) -> int:
    address, nbytes, found = find_symmetric(name, "signal_var", signal_var, writes)
    kind = str(getattr(signal_var, "dtype", "uint64")).replace("torch.", "")  # a Buffer has no type
    if found.win or nbytes < 8 or address % 8 or kind not in ("int64", "uint64"):
        raise GshmemInvalid(
            f"{name}: signal_var must be an integer of 8 bytes of the symmetric heap, such as "
            "array(1, 'uint64')"
        )
    return address


def put_signal(
    dst: Any,
    src: Any,
    signal_var: Any,
    signal_val: int,
    signal_op: int,
    remote_pe: int = -1,
    stream: Any = None,
) -> None:
    """`put`, followed by an update of the signal on remote_pe. Whoever sees the signal also sees the data.

    signal_var  an integer of 8 bytes of the symmetric heap, such as array(1, "uint64")
    signal_op   SignalOp.SIGNAL_SET or SIGNAL_ADD: writes signal_val, or adds it
    """
    _, dst_nbytes, found = find_symmetric("put_signal", "dst", dst, writes=True)
    word = _signal("put_signal", signal_var, True)
    op = SignalOp(signal_op)
    if found.win:
        put(dst, src, remote_pe, stream)
        if stream is None:
            check("put_signal", _win_flush(found.win, remote_pe))
        _update(word, signal_val, op, remote_pe, stream)
        return
    address, _ = locate(dst)
    source, nbytes = locate(src)
    _check_pe("put_signal", remote_pe)
    _equal("put_signal", dst_nbytes, nbytes)
    if stream is not None:
        handle = stream_handle(stream)
        check(
            "put_signal", _put_signal_stream(address, source, nbytes, word, signal_val, op, remote_pe, handle)
        )
    else:
        _put_signal(address, source, nbytes, word, signal_val, op, remote_pe)


def _update(word: int, value: int, op: SignalOp, pe: int, stream: Any) -> None:
    if stream is not None:
        check("signal_op", _signal_stream(word, value, op, pe, stream_handle(stream)))
    elif op == SignalOp.SIGNAL_SET:
        _signal_set(word, value, pe)
    else:
        _signal_add(word, value, pe)


def signal_op(
    signal_var: Any, signal_val: int, signal_op: int, remote_pe: int = -1, stream: Any = None
) -> None:
    """Updates a signal on remote_pe, without data."""
    word = _signal("signal_op", signal_var, True)
    _check_pe("signal_op", remote_pe)
    _update(word, signal_val, SignalOp(signal_op), remote_pe, stream)


def signal_wait(signal_var: Any, signal_val: int, signal_op: int, stream: Any = None) -> Optional[int]:
    """Waits until this PE's signal compares with signal_val as signal_op, a ComparisonType, says.

    Without a stream it returns the signal's value. With a stream the stream waits, and the call returns None
    at once. The library reports a wait longer than GSHMEM_WATCHDOG seconds; the wait continues.
    """
    word = _signal("signal_wait", signal_var, False)
    how = ComparisonType(signal_op)
    if stream is not None:
        check("signal_wait", _wait_stream(word, how, signal_val, stream_handle(stream)))
        return None
    return _wait(word, how, signal_val)


def flush_windows() -> None:
    """Completes what this PE has put to registered memory."""
    for allocation in need_memory("quiet").allocations:
        if allocation.win:
            check("quiet", _win_flush_all(allocation.win))


def quiet(stream: Any = None) -> None:
    """Returns when all that this PE has put has arrived. With a stream, completes the stream's puts."""
    need_init("quiet")
    if stream is not None:
        check("quiet", _quiet_stream(stream_handle(stream)))
        return
    flush_windows()
    _quiet()
