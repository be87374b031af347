# SPDX-License-Identifier: BSD-3-Clause
"""Symmetric memory: allocations, arrays over them, and registered memory of the program."""

import bisect
import ctypes
import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from . import _dlpack
from ._library import C_INT, C_PTR, C_SIZE, GshmemError, GshmemInvalid, check, function, need_init, on_cpu
from ._meeting import Meeting

Shape = Union[int, Sequence[int]]

_malloc = function("gshmem_malloc", C_PTR, C_SIZE)
_free = function("gshmem_free", None, C_PTR)
_ptr = function("gshmem_ptr", C_PTR, C_PTR, C_INT)


class Allocation:
    """Memory that other PEs reach.

    win is not 0: memory of the program, in that window; 0: memory of the symmetric heap
    pe is not None: the bytes are that PE's, mapped here
    """

    def __init__(
        self, address: int, nbytes: int, win: int = 0, pe: Optional[int] = None, owner: Any = None
    ) -> None:
        self.address, self.nbytes, self.win, self.pe = address, nbytes, win, pe
        self.owner = owner  # keeps a window's memory alive: the program's array
        self.freed = False
        self.arrays: List[Any] = []  # weak references to the arrays over it
        self.peers: List["Allocation"] = []

    def retire(self) -> None:
        """After this, every use of an array over the memory raises."""
        self.freed = True
        for reference in self.arrays:
            array = reference()
            if array is not None:
                array.__class__ = FreedArray
        for peer in self.peers:
            peer.retire()


class Buffer:
    """Untyped symmetric memory. handle is the address, size the number of bytes.

    On GPUs other packages accept it by `__cuda_array_interface__` and by DLPack; on the CPU NumPy accepts
    it by `__array_interface__`.
    """

    def __init__(self, allocation: Allocation) -> None:
        self._allocation = allocation

    def _alive(self) -> Allocation:
        if self._allocation.freed:
            raise GshmemInvalid("this buffer was freed")
        return self._allocation

    @property
    def handle(self) -> int:
        """The address in this process."""
        return self._alive().address

    @property
    def size(self) -> int:
        """Bytes."""
        return self._alive().nbytes

    def _interface(self) -> Dict[str, Any]:
        return {
            "shape": (self.size,),
            "typestr": "|u1",
            "data": (self.handle, False),
            "version": 3,
            "strides": None,
        }

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        if on_cpu:
            raise AttributeError("memory of the cpu platform is not a GPU's")
        return self._interface()

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        if not on_cpu:
            raise AttributeError("a GPU's memory is not the CPU's: take __cuda_array_interface__ or DLPack")
        return self._interface()

    def __dlpack_device__(self) -> Tuple[int, int]:
        return _dlpack.device()

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        return _dlpack.capsule(self.handle, self.size, self)

    def __repr__(self) -> str:
        a = self._allocation
        return (
            "<gshmem.Buffer, freed>" if a.freed else f"<gshmem.Buffer of {a.nbytes} bytes at {a.address:#x}>"
        )


class SymmetricArray(numpy.ndarray):
    """A NumPy array in symmetric memory. Its views are symmetric, too; results of arithmetic are plain."""

    _allocation: Optional[Allocation] = None

    def __array_finalize__(self, obj: Any) -> None:
        allocation = getattr(obj, "_allocation", None)
        if allocation is None:
            return
        at = self.__array_interface__["data"][0]
        if allocation.address <= at < allocation.address + allocation.nbytes:
            _adopt(self, allocation)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        inputs = tuple(_plain(x) for x in inputs)
        if out is not None:
            kwargs["out"] = tuple(_plain(x) for x in out)
        result = getattr(ufunc, method)(*inputs, **kwargs)
        return out[0] if out is not None and len(out) == 1 else result


class FreedArray(numpy.ndarray):
    """What a SymmetricArray becomes when its memory is freed: each use raises."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("__class__", "__init_subclass__"):
            return object.__getattribute__(self, name)
        _raise_freed()


def _raise_freed(*_: Any, **__: Any) -> Any:
    raise GshmemInvalid("this array was freed, or the library finalized")


for _name in (
    "__getitem__ __setitem__ __iter__ __len__ __contains__ __array_ufunc__ __array_function__ __repr__ "
    "__str__ __format__ __bool__ __int__ __float__ __index__ __neg__ __abs__ __invert__"
).split():
    setattr(FreedArray, _name, _raise_freed)
for _name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split():
    for _prefix in ("__", "__r", "__i"):
        setattr(FreedArray, f"{_prefix}{_name}__", _raise_freed)
for _name in "lt le eq ne gt ge".split():
    setattr(FreedArray, f"__{_name}__", _raise_freed)


def _plain(x: Any) -> Any:
    return x.view(numpy.ndarray) if isinstance(x, SymmetricArray) else x


def _adopt(array: SymmetricArray, allocation: Allocation) -> None:
    array._allocation = allocation
    allocation.arrays.append(weakref.ref(array, allocation.arrays.remove))


class Memory:
    """This process's symmetric memory, between init and finalize."""

    def __init__(self, meeting: Meeting) -> None:
        self.meeting = meeting
        self.starts: List[int] = []
        self.allocations: List[Allocation] = []

    def add(self, allocation: Allocation) -> Allocation:
        i = bisect.bisect(self.starts, allocation.address)
        self.starts.insert(i, allocation.address)
        self.allocations.insert(i, allocation)
        return allocation

    def remove(self, allocation: Allocation) -> None:
        i = self.allocations.index(allocation)
        del self.starts[i], self.allocations[i]
        allocation.retire()

    def find(self, address: int, nbytes: int) -> Optional[Allocation]:
        """Returns the allocation in which these bytes lie."""
        i = bisect.bisect(self.starts, address) - 1
        if i < 0:
            return None
        found = self.allocations[i]
        return found if address + nbytes <= found.address + found.nbytes else None


memory: Optional[Memory] = None


def open_memory(meeting: Meeting) -> None:
    """Called by init."""
    global memory
    memory = Memory(meeting)


def close_memory() -> None:
    """Called by finalize, when the heap is released."""
    global memory
    if memory:
        for allocation in memory.allocations:
            allocation.retire()
    memory = None


def need_memory(name: str) -> Memory:
    """Returns the Memory. Raises before init and after finalize."""
    need_init(name)
    if memory is None:
        raise GshmemInvalid(f"{name}: the library was initialized, but not by gshmem.init")
    return memory


def locate(x: Any) -> Tuple[int, int]:
    """Returns address and bytes of an array, a tensor or a Buffer, which must be contiguous and not freed."""
    if isinstance(x, Buffer):
        return x.handle, x.size
    if isinstance(x, FreedArray):
        _raise_freed()
    if isinstance(x, numpy.ndarray):
        if not (x.flags.c_contiguous or x.flags.f_contiguous):
            raise GshmemInvalid("this array is not contiguous")
        return x.__array_interface__["data"][0], x.nbytes
    if hasattr(x, "data_ptr"):  # a tensor of torch
        if not x.is_contiguous():
            raise GshmemInvalid("this tensor is not contiguous")
        return x.data_ptr(), x.numel() * x.element_size()
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is not None:
        if interface.get("strides") is not None:
            raise GshmemInvalid("this array is not contiguous")
        nbytes = numpy.dtype(interface["typestr"]).itemsize
        for extent in interface["shape"]:
            nbytes *= extent
        return interface["data"][0], nbytes
    raise GshmemInvalid(f"expected an array, a tensor or a Buffer, got {type(x).__name__}")


def need_writable(name: str, what: str, x: Any) -> None:
    """Raises if x is a read-only array, such as one over bytes."""
    interface = getattr(x, "__cuda_array_interface__", None)
    if isinstance(x, numpy.ndarray):
        is_writable = x.flags.writeable
    else:
        is_writable = interface is None or not interface["data"][1]
    if not is_writable:
        raise GshmemInvalid(f"{name}: {what} is a read-only array")


def find_symmetric(name: str, what: str, x: Any, writes: bool = False) -> Tuple[int, int, Allocation]:
    """Returns address, bytes and allocation of memory that other PEs reach. writes: the call changes it."""
    address, nbytes = locate(x)
    if writes:
        need_writable(name, what, x)
    found = need_memory(name).find(address, nbytes)
    if found is None or found.pe is not None:
        raise GshmemInvalid(
            f"{name}: {what} is not in symmetric memory: it is not of array, tensor or buffer, nor "
            "registered, or was freed"
        )
    return address, nbytes, found


def _nbytes(shape: Shape, dtype: Any) -> Tuple[Tuple[int, ...], numpy.dtype, int]:
    extents = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    kind = numpy.dtype(dtype)
    nbytes = kind.itemsize
    for n in extents:
        if n < 0:
            raise GshmemInvalid(f"a shape of {extents}")
        nbytes *= n
    if kind.hasobject:
        raise GshmemInvalid("Python objects cannot be in symmetric memory")
    if not nbytes:
        raise GshmemInvalid(f"a shape of {extents} has no elements: symmetric memory has at least one")
    return extents, kind, nbytes


def _wrap(allocation: Allocation, shape: Tuple[int, ...], dtype: numpy.dtype, morder: str) -> Any:
    """Returns an array over an allocation: NumPy's on the CPU, CuPy's on a GPU."""
    if morder not in ("C", "F"):
        raise GshmemInvalid(f"morder={morder!r}: expected 'C' or 'F'")
    if on_cpu:
        memory_of: Any = (ctypes.c_char * allocation.nbytes).from_address(allocation.address)
        memory_of._allocation = allocation
        plain: Any = numpy.frombuffer(memory_of, dtype=dtype, count=allocation.nbytes // dtype.itemsize)
        array = plain.reshape(shape, order=morder).view(SymmetricArray)
        _adopt(array, allocation)
        return array
    import cupy

    return cupy.asarray(Buffer(allocation)).view(dtype).reshape(shape, order=morder)


def _allocate(name: str, nbytes: int) -> Allocation:
    m = need_memory(name)
    m.meeting.come("array", f" of {nbytes} bytes")
    address = _malloc(nbytes)
    if not address:
        raise GshmemError(f"{name}: no {nbytes} bytes of symmetric memory, on no PE; the library says why")
    return m.add(Allocation(address, nbytes))


def buffer(size: int) -> Buffer:
    """Allocates size bytes of symmetric memory, uninitialized. All PEs call, with the same size."""
    return Buffer(_allocate("buffer", _nbytes(int(size), "uint8")[2]))


def array(shape: Shape, dtype: Any = "float32", morder: str = "C") -> Any:
    """Allocates a symmetric array, uninitialized: NumPy's on the cpu platform, CuPy's on a GPU.

    shape, dtype  equal on all PEs
    morder        "C" or "F": the order of the elements in memory

    All PEs call. Raises GshmemError on all PEs when there is no memory, or when a PE makes another call, or
    none (`timeout=` of `init`).
    """
    extents, kind, nbytes = _nbytes(shape, dtype)
    return _wrap(_allocate("array", nbytes), extents, kind, morder)


def bytearray(shape: Shape, dtype: Any = "float32", morder: str = "C") -> Any:
    """As `array`, but with one uint8 element for each byte that shape and dtype take."""
    return array(_nbytes(shape, dtype)[2], "uint8", morder)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ModuleNotFoundError("tensor needs PyTorch; array gives a NumPy or CuPy array") from None
    return torch


def _as_tensor(allocation: Allocation, extents: Tuple[int, ...], dtype: Any) -> Any:
    torch = _torch()
    flat = torch.from_dlpack(Buffer(allocation))
    return flat.view(dtype).view(extents)


def tensor(shape: Shape, dtype: Any = None) -> Any:
    """As `array`, but returns a tensor of PyTorch. dtype is a torch.dtype, by default torch.float32."""
    torch = _torch()
    dtype = dtype or torch.float32
    extents, _, nelems = _nbytes(shape, "uint8")
    return _as_tensor(
        _allocate("tensor", nelems * torch.empty((), dtype=dtype).element_size()), extents, dtype
    )


def bytetensor(shape: Shape, dtype: Any = None) -> Any:
    """As `tensor`, but with one uint8 element for each byte that shape and dtype take."""
    torch = _torch()
    extents, _, nelems = _nbytes(shape, "uint8")
    return tensor(nelems * torch.empty((), dtype=dtype or torch.float32).element_size(), torch.uint8)


def free(buffer: Any) -> None:
    """Frees memory of `array`, `tensor` or `buffer`. All PEs call for the same allocation, in the same order.

    Every later use of the array or of a NumPy view of it raises GshmemInvalid. Tensors, CuPy arrays and
    results of numpy.asarray cannot notice that, and must not be used any more.
    """
    address, _, found = find_symmetric("free", "the argument", buffer)
    if found.win:
        raise GshmemInvalid("free: this memory is registered, not allocated: call unregister_external_array")
    if address != found.address:
        raise GshmemInvalid(
            "free: the argument is a part of an allocation: pass what array, tensor or buffer returned"
        )
    m = need_memory("free")
    m.meeting.come("free", f" of {found.nbytes} bytes")
    m.remove(found)
    _free(found.address)


def free_array(array: Any) -> None:
    """`free` under its name for arrays."""
    free(array)


def free_tensor(tensor: Any) -> None:
    """`free` under its name for tensors."""
    free(tensor)


def _peer(name: str, x: Any, pe: int) -> Allocation:
    address, nbytes, found = find_symmetric(name, "the argument", x)
    if found.win:
        base = function("gshmemx_win_ptr", C_PTR, C_INT, C_INT)(found.win, pe)
        there = base + address - found.address if base else None
    else:
        there = _ptr(address, pe)
    if not there:
        raise GshmemError(f"{name}: memory of PE {pe} is not mapped here: use put and get")
    peer = Allocation(there, nbytes, pe=pe)
    found.peers.append(peer)
    return peer


def get_peer_buffer(buffer: Buffer, pe: int) -> Buffer:
    """The same bytes on another PE, for loads and stores. Raises GshmemError where they are not mapped."""
    return Buffer(_peer("get_peer_buffer", buffer, pe))


def get_peer_array(array: Any, peer_pe: int) -> Any:
    """The same array on another PE, for loads and stores. Raises GshmemError where it is not mapped."""
    peer = _peer("get_peer_array", array, peer_pe)
    fortran = on_cpu and array.flags.f_contiguous and not array.flags.c_contiguous
    return _wrap(peer, tuple(array.shape), numpy.dtype(array.dtype), "F" if fortran else "C")


def get_peer_tensor(tensor: Any, peer_pe: int) -> Any:
    """The same tensor on another PE, for loads and stores. Raises GshmemError where it is not mapped."""
    return _as_tensor(_peer("get_peer_tensor", tensor, peer_pe), tuple(tensor.shape), tensor.dtype)


def _register(name: str, x: Any) -> Allocation:
    m = need_memory(name)
    address, nbytes = locate(x)
    need_writable(name, "the argument", x)
    if m.find(address, nbytes):
        raise GshmemInvalid(f"{name}: this memory is symmetric already")
    m.meeting.come("register_external")
    win = C_INT(0)
    create = function("gshmemx_win_create", C_INT, C_PTR, C_PTR, C_SIZE, C_SIZE, ctypes.POINTER(C_INT))
    check(name, create(1, address, nbytes, 1, ctypes.byref(win)))
    check(name, function("gshmemx_win_lock_all", C_INT, C_INT, C_INT)(win, 0))
    return m.add(Allocation(address, nbytes, win=win.value, owner=x))


def _unregister(name: str, x: Any) -> None:
    m = need_memory(name)
    address, _, found = find_symmetric(name, "the argument", x)
    if not found.win or address != found.address:
        raise GshmemInvalid(f"{name}: the argument is not what register_external returned")
    m.meeting.come("unregister_external")
    m.remove(found)
    win = C_INT(found.win)
    check(name, function("gshmemx_win_unlock_all", C_INT, C_INT)(win))
    check(name, function("gshmemx_win_free", C_INT, ctypes.POINTER(C_INT))(ctypes.byref(win)))


def register_external_buffer(buffer: Any) -> Buffer:
    """As `register_external_array`, for a Buffer, and returns a Buffer."""
    return Buffer(_register("register_external_buffer", buffer))


def register_external_array(array: Any) -> Any:
    """Opens an array of the program to the other PEs, through a window. All PEs call.

    Returns an array over the same memory, for put, get and get_peer_array. Sizes may differ between PEs.
    Collectives and signals accept only memory of the heap. `unregister_external_array` closes it.
    """
    found = _register("register_external_array", array)
    if not on_cpu:
        return array
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    return _wrap(found, tuple(array.shape), array.dtype, "F" if fortran else "C")


def register_external_tensor(tensor: Any) -> Any:
    """As `register_external_array`, for a tensor, and returns the tensor."""
    _register("register_external_tensor", tensor)
    return tensor


def unregister_external_buffer(buffer: Buffer) -> None:
    """Closes what `register_external_buffer` has opened. All PEs call."""
    _unregister("unregister_external_buffer", buffer)


def unregister_external_array(array: Any) -> None:
    """Closes what `register_external_array` has opened. Using its array raises from then on. All PEs call."""
    _unregister("unregister_external_array", array)


def unregister_external_tensor(tensor: Any) -> None:
    """Closes what `register_external_tensor` has opened. All PEs call."""
    _unregister("unregister_external_tensor", tensor)


def array_get_buffer(array: Any) -> Tuple[Buffer, int, str]:
    """Returns the Buffer in which an array begins, the array's bytes, and the name of its type."""
    _, nbytes, found = find_symmetric("array_get_buffer", "the argument", array)
    return Buffer(found), nbytes, str(array.dtype)


def tensor_get_buffer(tensor: Any) -> Tuple[Buffer, int, str]:
    """Returns the Buffer in which a tensor begins, the tensor's bytes, and the name of its type."""
    _, nbytes, found = find_symmetric("tensor_get_buffer", "the argument", tensor)
    return Buffer(found), nbytes, str(tensor.dtype)
