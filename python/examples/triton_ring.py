# SPDX-License-Identifier: BSD-3-Clause
"""A Triton kernel puts a block to the next PE, with a signal, and waits for that of the PE before.

    make lib                                          # PLATFORM=nvidia or amd, with the device API as bitcode
    mpirun -n 2 python3 python/examples/triton_ring.py [FOLDER]

FOLDER holds libgshmem.so.0 and libgshmem_device_<gpu>.bc; by default that of the file PYGSHMEM_LIBRARY, else
the build of this source tree, else /usr/local/lib. The example needs a GPU, PyTorch, and Triton 3.4 or newer.
Where something is missing, it says so and exits with 77. docs/triton.md explains each part.
"""

import ctypes
import glob
import os
import re
import sys


def skip(text):
    """Ends this PE, before it joins the job."""
    print(f"triton_ring: needs {text}", file=sys.stderr, flush=True)
    sys.exit(77)


# torch comes before libgshmem: the process must have one HIP runtime, and torch brings its own.
try:
    import torch
except ImportError as error:
    skip(f"PyTorch: {error}")
try:
    import triton
    import triton.language as tl
    from triton.language import core

    LOADED = triton.knobs.runtime.kernel_load_end_hook
except (ImportError, AttributeError) as error:
    skip(f"Triton 3.4 or newer: {error}")

NELEMS = 1024
I32, I64 = core.dtype("int32"), core.dtype("int64")

# ---- declarations: the name in the bitcode, and its exact types ----


@core.extern
def my_pe(_semantic=None):
    return core.extern_elementwise(
        "", "", [], {(): ("gshmem_my_pe", I32)}, is_pure=False, _semantic=_semantic
    )


@core.extern
def n_pes(_semantic=None):
    return core.extern_elementwise(
        "", "", [], {(): ("gshmem_n_pes", I32)}, is_pure=False, _semantic=_semantic
    )


@core.extern
def putmem_signal_wg(dest, source, nbytes, sig_addr, signal, sig_op, pe, _semantic=None):
    return core.extern_elementwise(
        "",
        "",
        [dest, source, nbytes, sig_addr, signal, sig_op, pe],
        {(I64, I64, I64, I64, I64, I32, I32): ("gshmemx_putmem_signal_wg", I32)},
        is_pure=False,
        _semantic=_semantic,
    )


@core.extern
def signal_wait_until_wg(sig_addr, cmp, value, _semantic=None):
    return core.extern_elementwise(
        "",
        "",
        [sig_addr, cmp, value],
        {(I64, I32, I64): ("gshmemx_signal_wait_until_wg", I64)},
        is_pure=False,
        _semantic=_semantic,
    )


# ---- the kernel ----


@triton.jit
def ring(dest, source, nbytes, signal, value):
    pe = (my_pe() + 1) % n_pes()
    count = tl.cast(nbytes, tl.int64)
    number = tl.cast(value, tl.int64)
    address = signal.to(tl.int64)
    putmem_signal_wg(dest.to(tl.int64), source.to(tl.int64), count, address, number, 0, pe)
    signal_wait_until_wg(address, 1, number)  # 1: GSHMEM_CMP_EQ


# ---- the host's part ----


def find_folder():
    """Returns the folder of the library."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    folders = sys.argv[1:2]
    if not folders and os.environ.get("PYGSHMEM_LIBRARY"):
        folders = [os.path.dirname(os.environ["PYGSHMEM_LIBRARY"])]
    if not folders:
        platform = "amd" if torch.version.hip else "nvidia"
        folders = [os.path.join(top, "build", platform, "lib"), "/usr/local/lib"]
    for folder in folders:
        if os.path.exists(os.path.join(folder, "libgshmem.so.0")):
            return folder
    return skip(f"libgshmem.so.0, which is not in {' or '.join(folders)}")


def find_bitcode(folder):
    """Returns the bitcode for this GPU; on NVIDIA that of an older GPU works, too."""
    path = os.path.join(folder, "libgshmem_device_%s.bc")
    if torch.version.hip:
        gpu = torch.cuda.get_device_properties(torch.cuda.current_device()).gcnArchName.split(":")[0]
        if os.path.exists(path % gpu):
            return path % gpu
    else:
        major, minor = torch.cuda.get_device_capability()
        gpu = f"sm_{major}{minor}"
        made = [re.search(r"_sm_(\d+)\.bc$", name) for name in glob.glob(path % "sm_*")]
        older = [int(m.group(1)) for m in made if m and int(m.group(1)) <= 10 * major + minor]
        if older:
            return path % f"sm_{max(older)}"
    return skip(f"the device API as bitcode, {path % gpu}: build gshmem with clang for it (docs/triton.md)")


if not torch.cuda.is_available():
    skip("a GPU: torch.cuda.is_available() is false")
# The launcher's number of this process on its node: PEs take the GPUs in turn.
torch.cuda.set_device(int(os.environ.get("MPI_LOCALRANKID", "0")) % torch.cuda.device_count())
FOLDER = find_folder()
EXTERN = {"gshmem": find_bitcode(FOLDER)}  # on AMD the key must be a part of the functions' names
gshmem = ctypes.CDLL(os.path.join(FOLDER, "libgshmem.so.0"), mode=ctypes.RTLD_GLOBAL)
gshmem.gshmem_calloc.restype = ctypes.c_void_p
gshmem.gshmem_calloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
gshmem.gshmemx_module_init.argtypes = [ctypes.c_void_p]


class Symmetric:
    """nelems elements of the symmetric heap, for torch.as_tensor."""

    def __init__(self, nelems, typestr, size):
        address = gshmem.gshmem_calloc(nelems, size)
        assert address, "the library has said why"
        self.__cuda_array_interface__ = {
            "shape": (nelems,),
            "typestr": typestr,
            "data": (address, False),
            "version": 3,
        }


def fill_state(module, function, name, metadata_group, hash):
    """After Triton has loaded a kernel: its module needs to know the peers."""
    if name == "ring":
        assert gshmem.gshmemx_module_init(module) == 0, "the library has said why"


LOADED.add(fill_state)
gshmem.gshmem_init()  # takes torch's device
me, npes = gshmem.gshmem_my_pe(), gshmem.gshmem_n_pes()
source = torch.as_tensor(Symmetric(NELEMS, "<f4", 4), device="cuda")
dest = torch.as_tensor(Symmetric(NELEMS, "<f4", 4), device="cuda")
signal = torch.as_tensor(Symmetric(1, "<i8", 8), device="cuda")
failed = 0
for turn in range(1, 4):
    source.fill_(100 * turn + me)
    torch.cuda.synchronize()
    gshmem.gshmem_barrier_all()  # nobody reads its dest of the turn before
    ring[(1,)](dest, source, NELEMS * dest.element_size(), signal, turn, extern_libs=EXTERN)
    torch.cuda.synchronize()
    expected = [float(100 * turn + (me + npes - 1) % npes)] * NELEMS
    if dest.tolist() != expected:
        print(f"PE {me}: turn {turn}: not all is {expected[0]}: {dest.tolist()}", file=sys.stderr, flush=True)
        failed = 1
gshmem.gshmem_barrier_all()
print(f"PE {me} of {npes}: triton {triton.__version__}: {'wrong' if failed else 'ok'}", flush=True)
gshmem.gshmem_finalize()
sys.exit(failed)
