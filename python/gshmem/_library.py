# SPDX-License-Identifier: BSD-3-Clause
"""Finds libgshmem and calls it. The whole package reaches C through `call` and `function`."""

import ctypes
import os
import subprocess
from typing import Any

VERSION = "0.2.0"

C_INT, C_LONG, C_SIZE, C_U64, C_PTR = (
    ctypes.c_int,
    ctypes.c_long,
    ctypes.c_size_t,
    ctypes.c_uint64,
    ctypes.c_void_p,
)


class GshmemError(Exception):
    """The library refused a call or failed. Its message on stderr says why."""


class GshmemInvalid(GshmemError):
    """The call is wrong: a bad argument, memory that is not symmetric or was freed, no init."""


def _in_tree() -> "str | None":
    """Returns the build of the source tree around this package, for the platform that make chooses."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    tool = os.path.join(top, "tools", "platform")
    if not os.path.exists(tool):
        return None
    found = subprocess.run([tool], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    path = os.path.realpath(os.path.join(top, "build", found[0] if found else "cpu", "lib", "libgshmem.so.0"))
    return path if os.path.exists(path) else None


def _load() -> ctypes.CDLL:
    path = os.environ.get("PYGSHMEM_LIBRARY") or _in_tree() or "libgshmem.so.0"
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"gshmem: cannot load {path}: {error}. Build it by `make` in the source tree, or install it and "
            "name its folder in LD_LIBRARY_PATH, or its file in PYGSHMEM_LIBRARY"
        ) from None


lib = _load()

# Only on the cpu platform, whose library contains HIP, is the heap memory of the CPU.
on_cpu = hasattr(lib, "hipcpu_block_sync")


def has(name: str) -> bool:
    """Returns whether the library has a function of this name."""
    return hasattr(lib, name)


def function(name: str, result: Any, *types: Any) -> Any:
    """Returns the C function of this name, with its types."""
    f = getattr(lib, name, None)
    if f is None:
        raise GshmemInvalid(f"{name}: this libgshmem does not have it")
    f.restype = result
    f.argtypes = types
    return f


_initialized = function("gshmem_query_initialized", None, ctypes.POINTER(C_INT))


def is_initialized() -> bool:
    """Returns whether the process is between init and finalize."""
    flag = C_INT(0)
    _initialized(ctypes.byref(flag))
    return flag.value != 0


def need_init(name: str) -> None:
    """Raises unless the process is between init and finalize."""
    if not is_initialized():
        raise GshmemInvalid(f"{name}: before init, or after finalize")


def check(name: str, rc: int) -> None:
    """Raises when a C function has returned an error."""
    if rc:
        why = os.strerror(-rc) if rc < 0 else f"status {rc}"
        raise GshmemError(f"{name}: {why}")
