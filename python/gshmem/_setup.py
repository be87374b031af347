# SPDX-License-Identifier: BSD-3-Clause
"""Init, finalize and queries."""

import ctypes
import enum
from typing import Any, NamedTuple, Optional

from . import _memory
from ._library import (
    C_INT,
    C_PTR,
    C_SIZE,
    GshmemInvalid,
    check,
    function,
    has,
    is_initialized,
    need_init,
)
from ._meeting import Meeting

_my_pe = function("gshmem_my_pe", C_INT)
_n_pes = function("gshmem_n_pes", C_INT)
_THREAD_MULTIPLE = 3
_HAS_UID = has("gshmemx_get_uniqueid")


class _InitAttributes(ctypes.Structure):
    """struct gshmemx_init_attributes. Its last fields came with unique ids."""

    _fields_ = [
        ("size", C_SIZE),
        ("mpi_comm", C_PTR),
        ("thread_level", C_INT),
        ("device", C_INT),
        ("heap_nbytes", C_SIZE),
    ] + ([("uniqueid", C_PTR), ("rank", C_INT), ("nranks", C_INT)] if _HAS_UID else [])


class InitStatus(enum.IntEnum):
    """What init_status returns."""

    STATUS_NOT_INITIALIZED = 0
    STATUS_IS_INITIALIZED = 2


class Version(NamedTuple):
    """What get_version returns."""

    openshmem_spec_version: str
    gshmem_version: str


def get_version() -> Version:
    """The version of OpenSHMEM that the library implements, and its own; __version__ is the package's."""
    major, minor = C_INT(0), C_INT(0)
    function("gshmem_info_get_version", None, C_PTR, C_PTR)(ctypes.byref(major), ctypes.byref(minor))
    number = function("gshmemx_version", C_INT)() if has("gshmemx_version") else 100  # 0.1.0 has no such call
    own = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return Version(f"{major.value}.{minor.value}", own)


if _HAS_UID:

    class UniqueID:
        """Names a job that starts without MPI. Send bytes(id) to the others, which call UniqueID(bytes)."""

        NBYTES = 128

        def __init__(self, data: Optional[bytes] = None) -> None:
            if data is not None and len(data) != self.NBYTES:
                raise GshmemInvalid(f"a unique id has {self.NBYTES} bytes, not {len(data)}")
            self.data = ctypes.create_string_buffer(data or b"", self.NBYTES)

        def __bytes__(self) -> bytes:
            return self.data.raw

        def __reduce__(self) -> Any:
            return UniqueID, (self.data.raw,)

    def get_unique_id(empty: bool = False) -> UniqueID:
        """Makes the id of a job. One process calls, and must take part in the job.

        empty  returns an id of zeros, as a place for another process's id
        """
        uid = UniqueID()
        if not empty:
            check("get_unique_id", function("gshmemx_get_uniqueid", C_INT, C_PTR)(uid.data))
        return uid


def init(
    device: Any = None,
    uid: Any = None,
    rank: Optional[int] = None,
    nranks: Optional[int] = None,
    mpi_comm: Any = None,
    initializer_method: str = "",
    heap_nbytes: int = 0,
    timeout: Optional[float] = 600.0,
) -> None:
    """Joins the job. All its processes call.

    device              number of a HIP device, or an object with device_id; None: as GSHMEM_DEVICE says
    uid, rank, nranks   for a job without MPI: a unique id, this process's number, the number of processes
    mpi_comm            a communicator of mpi4py, of the MPI of mpirun; None: all processes of mpirun
    initializer_method  "mpi" or "uid"; "": "uid" if a uid is given, else "mpi"
    heap_nbytes         bytes of the symmetric heap; 0: GSHMEM_HEAP_SIZE
    timeout             seconds after which array, free, register_external_array and finalize raise when a PE
                        has not made the same call; None: never. They report it after GSHMEM_WATCHDOG seconds

    Raises GshmemError on all PEs if one fails.
    """
    if _memory.memory is not None:
        raise GshmemInvalid("init: it has been called, and finalize has not")
    method = initializer_method or ("uid" if uid is not None else "mpi")
    if method not in ("mpi", "uid"):
        raise GshmemInvalid(f"init: initializer_method={method!r}: expected 'mpi' or 'uid'")
    attributes = _InitAttributes(
        size=ctypes.sizeof(_InitAttributes), thread_level=_THREAD_MULTIPLE, device=-1
    )
    attributes.heap_nbytes = heap_nbytes
    if device is not None:
        attributes.device = int(getattr(device, "device_id", device))
    if method == "uid":
        if not _HAS_UID:
            raise GshmemInvalid("init: this libgshmem starts jobs by MPI alone: it has no unique ids")
        if uid is None or rank is None or nranks is None or mpi_comm is not None:
            raise GshmemInvalid("init: 'uid' needs uid, rank and nranks, and no mpi_comm")
        set_args = function("gshmemx_set_attr_uniqueid_args", C_INT, C_INT, C_INT, C_PTR, C_PTR)
        check("init", set_args(rank, nranks, uid.data, ctypes.byref(attributes)))
    else:
        if uid is not None:
            raise GshmemInvalid("init: 'mpi' and a uid: give initializer_method='uid'")
        if mpi_comm is not None:
            attributes.mpi_comm = _address_of(mpi_comm)
    check("init", function("gshmemx_init_attr", C_INT, C_PTR)(ctypes.byref(attributes)))
    _memory.open_memory(Meeting(_my_pe(), _n_pes(), timeout))


def _address_of(comm: Any) -> int:
    from mpi4py import MPI

    return MPI._addressof(comm)


def finalize() -> None:
    """Leaves the job. All PEs call. Frees all remaining memory, whose arrays raise from then on."""
    m = _memory.need_memory("finalize")
    m.meeting.come("finalize")
    _memory.close_memory()
    _memory._free(m.meeting.words)
    function("gshmem_finalize", None)()


def init_status() -> InitStatus:
    """Returns whether this process is between init and finalize."""
    return InitStatus.STATUS_IS_INITIALIZED if is_initialized() else InitStatus.STATUS_NOT_INITIALIZED


def my_pe() -> int:
    """Returns this PE's number, 0 .. n_pes() - 1."""
    need_init("my_pe")
    return _my_pe()


def n_pes() -> int:
    """Returns how many PEs there are."""
    need_init("n_pes")
    return _n_pes()


def module_init(mod: Any) -> None:
    """Makes a module's kernels ready: mod is a hipModule_t, or an object that has one in handle."""
    need_init("module_init")
    check("module_init", function("gshmemx_module_init", C_INT, C_PTR)(int(getattr(mod, "handle", mod))))
