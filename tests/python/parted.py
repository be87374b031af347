# SPDX-License-Identifier: BSD-3-Clause
"""PEs that do not make the same calls. argv[1] says how they differ; tests/python.sh
knows the expected messages.

The PE that waits must name the PE that it waits for, and no PE may hang: caught or not, the failure reaches
all PEs. argv[2] is the file for the job's output.
"""

import sys
import time

import gshmem

how = sys.argv[1]
# If a PE never comes, the other one need not wait long.
gshmem.init(timeout=3 if how in ("alone", "caught") else 100)
pe = gshmem.my_pe()

if how == "alone" and pe == 0:
    gshmem.array(4)
elif how == "alone":
    gshmem.barrier_all()
elif how == "caught":
    # PE 0 allocates alone and catches the error; PE 1 comes when PE 0 has given up.
    if pe == 0:
        try:
            gshmem.array(4)
        except gshmem.GshmemError:
            pass
        gshmem.barrier_all()
    else:
        gshmem.barrier_all()
    try:
        gshmem.array(4)
    except gshmem.GshmemError as error:
        print(f"PE {pe}: {error}", flush=True)
        gshmem.barrier_all()
        sys.exit(1)
elif how == "other":
    a = gshmem.array(4)
    if pe == 0:
        gshmem.array(4)
    else:
        gshmem.free(a)
elif how == "size":
    gshmem.array(4 + pe)
elif how == "finalize":
    if pe == 0:
        gshmem.array(4)
    gshmem.finalize()
elif how == "raises":
    if pe == 1:
        raise RuntimeError("of the program")
    gshmem.barrier_all()
elif how == "late":
    while pe == 1 and "has waited" not in open(sys.argv[2]).read():
        time.sleep(0.1)
    gshmem.free_array(gshmem.array(4))
    gshmem.finalize()
