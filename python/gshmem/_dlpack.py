# SPDX-License-Identifier: BSD-3-Clause
"""A DLPack capsule of bytes, by ctypes.

The layout is that of dlpack.h before version 1.0, which all consumers take.
"""

import ctypes
from typing import Any, Dict, Tuple

from ._library import C_INT, C_PTR, lib, on_cpu

_CPU, _CUDA, _ROCM = 1, 2, 10
_UINT = 1


class _DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", C_PTR),
        ("device", _DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", _DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _DLManagedTensor(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManagedTensor))
_DLManagedTensor._fields_ = [("dl_tensor", _DLTensor), ("manager_ctx", C_PTR), ("deleter", _DELETER)]

# What consumers have not released yet, by the address of the structure: the structure, its shape,
# and the owner of the memory.
_open: Dict[int, Tuple[Any, ...]] = {}


@_DELETER
def _delete(managed: Any) -> None:
    _open.pop(ctypes.addressof(managed.contents), None)


_CAPSULE_DELETER = ctypes.CFUNCTYPE(None, C_PTR)
_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [C_PTR, ctypes.c_char_p, _CAPSULE_DELETER]
_api.PyCapsule_IsValid.restype = C_INT
_api.PyCapsule_IsValid.argtypes = [C_PTR, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = C_PTR
_api.PyCapsule_GetPointer.argtypes = [C_PTR, ctypes.c_char_p]


@_CAPSULE_DELETER
def _delete_capsule(capsule: int) -> None:
    # A consumer that takes the capsule renames it, and calls the structure's deleter itself.
    if _api.PyCapsule_IsValid(capsule, b"dltensor"):
        _open.pop(_api.PyCapsule_GetPointer(capsule, b"dltensor"), None)


def device() -> Tuple[int, int]:
    """Returns DLPack's number for the kind of device, and the device's number."""
    if on_cpu:
        return _CPU, 0
    current = C_INT(0)
    if hasattr(lib, "hipGetDevice"):
        lib.hipGetDevice(ctypes.byref(current))
        return _ROCM, current.value
    lib.cudaGetDevice(ctypes.byref(current))
    return _CUDA, current.value


def capsule(address: int, nbytes: int, owner: Any) -> Any:
    """Returns a capsule of nbytes bytes from address on, which keeps owner alive."""
    shape = (ctypes.c_int64 * 1)(nbytes)
    managed = _DLManagedTensor()
    managed.dl_tensor.data = address
    managed.dl_tensor.device = _DLDevice(*device())
    managed.dl_tensor.ndim = 1
    managed.dl_tensor.dtype = _DLDataType(_UINT, 8, 1)
    managed.dl_tensor.shape = shape
    managed.deleter = _delete
    _open[ctypes.addressof(managed)] = (managed, shape, owner)
    return _api.PyCapsule_New(ctypes.addressof(managed), b"dltensor", _delete_capsule)
