# SPDX-License-Identifier: BSD-3-Clause
# run: -n 1,3
"""Arrays of all types and shapes, put and get of whole arrays and of parts, and peers'
arrays. A freed array raises.
"""

import numpy
from check import equal, fail, raises

import gshmem

raises("array before init", "before init", gshmem.array, 4)
gshmem.init()
pe, npes = gshmem.my_pe(), gshmem.n_pes()
after, before = (pe + 1) % npes, (pe + npes - 1) % npes
raises("a second init", "has been called", gshmem.init)

for kind in (
    "int8",
    "uint16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "bool",
):
    a, b = gshmem.array((3, 5), kind), gshmem.array((3, 5), kind)
    a[:] = numpy.arange(15).reshape(3, 5) + pe
    b[:] = 0
    gshmem.barrier_all()
    gshmem.put(b, a, after)
    gshmem.barrier_all()
    equal(f"put of {kind}", b, (numpy.arange(15).reshape(3, 5) + before).astype(kind))
    back = numpy.zeros((3, 5), kind)
    gshmem.get(back, a, after)
    equal(f"get of {kind}", back, (numpy.arange(15).reshape(3, 5) + after).astype(kind))
    gshmem.barrier_all()
    gshmem.free_array(b)
    gshmem.free(a)

# Parts, from memory of the program; Fortran order; a peer's memory.
a = gshmem.array((4, 6), "int64", morder="F")
if not a.flags.f_contiguous or a.shape != (4, 6):
    fail("morder='F' is not honoured")
a[:] = 0
gshmem.barrier_all()
gshmem.put(a[:, 2], numpy.full(4, 10 + pe), after)
gshmem.quiet()
gshmem.barrier_all()
equal("put to a part", a[:, 2], numpy.full(4, 10 + before))
equal("beside the part", a[:, 3], numpy.zeros(4))
raises(
    "put of rows that are no row in memory",
    "not contiguous",
    gshmem.put,
    a[1],
    numpy.zeros(6, "int64"),
    after,
)
peer = gshmem.get_peer_array(a, after)
equal("a peer's array", peer[:, 2], numpy.full(4, 10 + pe))
gshmem.barrier_all()
peer[0, 0] = 77
gshmem.barrier_all()
equal("a store to a peer's array", a[0, 0], 77)

# Arithmetic makes plain arrays; arithmetic in place stays in symmetric memory.
if type(a + 1) is not numpy.ndarray or type(numpy.sqrt(a)) is not numpy.ndarray:
    fail("results of arithmetic are not plain arrays")
inside = a
a += 1
if a is not inside or a[0, 0] != 78:
    fail("+= makes another array")
raises("put to the sum", "not in symmetric memory", gshmem.put, a + 1, a, after)
raises(
    "put to memory of the program",
    "not in symmetric memory",
    gshmem.put,
    numpy.zeros(3),
    numpy.zeros(3),
    after,
)
raises("put beyond the last PE", "not in 0 ..", gshmem.put, a, a, npes)
raises("put without a PE", "not in 0 ..", gshmem.put, a, a)
raises("put of another size", "bytes", gshmem.put, a, numpy.zeros(3, "int64"), after)
raises("put of no array", "expected an array", gshmem.put, a, "text", after)
raises("an empty array", "has no elements", gshmem.array, (3, 0))
raises("an array of objects", "objects", gshmem.array, 3, object)
raises("no such stream", "expected a stream", gshmem.put, a, a, after, stream="x")

# A buffer, through NumPy and through DLPack.
raw = gshmem.buffer(16)
numpy.asarray(raw)[:] = 5
equal("DLPack", numpy.from_dlpack(raw), numpy.full(16, 5))
equal("array_get_buffer", gshmem.array_get_buffer(a)[1], 4 * 6 * 8)
raises("free of a part", "a part of", gshmem.free, a[:, 2])

# Freed: an array itself, a view, a peer's, an argument; and, after finalize, an array that was never freed.
view, left = a[:, 1], gshmem.array(2)
gshmem.free_array(a)
gshmem.free(raw)
for what, freed in (("the array", a), ("a view", view), ("a peer's array", peer)):
    raises(f"{what}: item", "freed", lambda: freed[0])
    raises(f"{what}: store", "freed", freed.__class__.__setitem__, freed, 0, 1)
    raises(f"{what}: sum", "freed", lambda: freed + 1)
    raises(f"{what}: operand", "freed", lambda: 1 - freed)
    raises(f"{what}: method", "freed", lambda: freed.sum())
    raises(f"{what}: print", "freed", lambda: repr(freed))
    raises(f"{what}: argument of NumPy", "freed", numpy.concatenate, [freed, freed])
    raises(f"{what}: put", "freed", gshmem.put, freed, freed, after)
    raises(f"{what}: free", "freed", gshmem.free, freed)
raises("a freed buffer", "freed", lambda: raw.handle)
gshmem.finalize()
raises("an array after finalize", "finalized", lambda: left[0])
raises("put after finalize", "after finalize", gshmem.put, numpy.zeros(1), numpy.zeros(1), 0)

# Again, with a heap of another size.
gshmem.init(heap_nbytes=8 << 20)
raises("more than the heap", "no 16777216 bytes", gshmem.array, 16 << 20, "uint8")
gshmem.free_array(gshmem.array(3))
gshmem.finalize()
