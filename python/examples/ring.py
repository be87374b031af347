# SPDX-License-Identifier: BSD-3-Clause
"""Each PE puts numbers and a signal to the next PE, and waits for those of the previous PE.

    mpirun -n 2 python3 python/examples/ring.py
"""

import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
)  # the source tree's package
import gshmem

gshmem.init()
pe, npes = gshmem.my_pe(), gshmem.n_pes()
source = gshmem.array(8, "int64")
dest = gshmem.array(8, "int64")
signal = gshmem.array(1, "uint64")
source[:] = range(100 * pe, 100 * pe + 8)
signal[:] = 0
gshmem.barrier_all()

gshmem.put_signal(dest, source, signal, 1, gshmem.SignalOp.SIGNAL_SET, (pe + 1) % npes)
gshmem.signal_wait(signal, 1, gshmem.ComparisonType.CMP_EQ)
print(f"PE {pe} got {dest.tolist()}", flush=True)

for array in (source, dest, signal):
    gshmem.free_array(array)
gshmem.finalize()
