# SPDX-License-Identifier: BSD-3-Clause
# run: -n 2
"""Symmetric tensors of PyTorch work. tests/python.sh leaves this out where there is no PyTorch."""

import torch
from check import equal, fail, raises

import gshmem

gshmem.init()
pe, npes = gshmem.my_pe(), gshmem.n_pes()
after, before = (pe + 1) % npes, (pe + npes - 1) % npes
a, b = gshmem.tensor((2, 3)), gshmem.tensor((2, 3), torch.float32)
if a.dtype != torch.float32 or tuple(a.shape) != (2, 3):
    fail(f"tensor gives {a.dtype} {a.shape}")
a[:] = torch.arange(6).reshape(2, 3) + pe
b[:] = 0
gshmem.barrier_all()
gshmem.put(b, a, after)
gshmem.barrier_all()
equal("put", b.numpy(), (torch.arange(6).reshape(2, 3) + before).numpy())
equal("a peer's tensor", gshmem.get_peer_tensor(a, after).numpy(), (a + after - pe).numpy())
gshmem.reduce(gshmem.Teams.TEAM_WORLD, b, a, "sum")
equal("sum", b.numpy(), sum(torch.arange(6).reshape(2, 3) + i for i in range(npes)).numpy())
raises("put of columns", "not contiguous", gshmem.put, b[:, 1], torch.zeros(2), after)

own = gshmem.register_external_tensor(torch.zeros(5, dtype=torch.int16))
gshmem.put(own, torch.full((5,), 7 + pe, dtype=torch.int16), after)
gshmem.barrier_all()
equal("put to a registered tensor", own.numpy(), [7 + before] * 5)
gshmem.unregister_external_tensor(own)

equal("bytes of bytetensor", gshmem.bytetensor(3, torch.float64).shape[0], 24)
equal("tensor_get_buffer", gshmem.tensor_get_buffer(a)[1], 24)
gshmem.barrier_all()
gshmem.free_tensor(a)
raises("put of a freed tensor", "not in symmetric memory", gshmem.put, a, b, after)
raises("free twice", "not in symmetric memory", gshmem.free_tensor, a)
gshmem.finalize()
