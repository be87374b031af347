# SPDX-License-Identifier: BSD-3-Clause
"""A job of argv[1] processes without mpirun: the first one makes the id and starts the others, which read it.

tests/python.sh leaves this out where the library has no unique ids.
"""

import subprocess
import sys

import gshmem

nranks = int(sys.argv[1])
if len(sys.argv) == 2:
    uid, rank, others = gshmem.get_unique_id(), 0, []
    for i in range(1, nranks):
        other = subprocess.Popen([sys.executable, __file__, str(nranks), str(i)], stdin=subprocess.PIPE)
        other.stdin.write(bytes(uid))
        other.stdin.close()
        others.append(other)
else:
    uid, rank, others = gshmem.UniqueID(sys.stdin.buffer.read()), int(sys.argv[2]), []

gshmem.init(uid=uid, rank=rank, nranks=nranks)
if (gshmem.my_pe(), gshmem.n_pes()) != (rank, nranks):
    sys.exit(f"rank {rank} of {nranks} is PE {gshmem.my_pe()} of {gshmem.n_pes()}")
dest, source = gshmem.array(nranks, "int32"), gshmem.array(1, "int32")
source[:] = 10 + rank
gshmem.fcollect(gshmem.Teams.TEAM_WORLD, dest, source)
if dest.tolist() != list(range(10, 10 + nranks)):
    sys.exit(f"PE {rank} got {dest.tolist()}")
gshmem.finalize()
sys.exit(any(other.wait() for other in others))
