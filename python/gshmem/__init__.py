# SPDX-License-Identifier: BSD-3-Clause
"""gshmem from Python, with the names of nvshmem.core. docs/python.md has a table of them.

    import gshmem

    gshmem.init()
    x = gshmem.array(4, "int64")
    x[:] = gshmem.my_pe()
    gshmem.barrier_all()
    ...
    gshmem.free_array(x)
    gshmem.finalize()
"""

from ._collective import (
    alltoall,
    barrier,
    barrier_all,
    broadcast,
    fcollect,
    reduce,
    reducescatter,
    sync,
    sync_all,
)
from ._library import VERSION as __version__
from ._library import GshmemError, GshmemInvalid, has, on_cpu
from ._memory import (
    Buffer,
    array,
    array_get_buffer,
    buffer,
    bytearray,
    bytetensor,
    free,
    free_array,
    free_tensor,
    get_peer_array,
    get_peer_buffer,
    get_peer_tensor,
    register_external_array,
    register_external_buffer,
    register_external_tensor,
    tensor,
    tensor_get_buffer,
    unregister_external_array,
    unregister_external_buffer,
    unregister_external_tensor,
)
from ._rma import ComparisonType, SignalOp, get, put, put_signal, quiet, signal_op, signal_wait
from ._setup import InitStatus, Version, finalize, get_version, init, init_status, module_init, my_pe, n_pes
from ._teams import (
    TeamConfig,
    Teams,
    team_create,
    team_create_by_members,
    team_destroy,
    team_my_pe,
    team_n_pes,
    team_split_2d,
    team_split_strided,
    team_translate_pe,
)

if on_cpu:
    from ._rma import Stream
if has("gshmemx_get_uniqueid"):
    from ._setup import UniqueID, get_unique_id

__all__ = [name for name in dir() if not name.startswith("_") and name not in ("has", "on_cpu")]
