# SPDX-License-Identifier: BSD-3-Clause
"""All PEs meet here before a collective call on memory.

The C calls wait for each other without a limit. So each PE first tells the others which call it makes, and
polls for theirs. If a PE makes another call, or none, all PEs that wait raise an exception.

Each PE has an array in symmetric memory with one word per PE. The other PE writes into it how many meetings
it has come to, and for which call.
"""

import os
import sys
import time
from typing import List, Optional

from ._library import C_INT, C_PTR, C_SIZE, C_U64, GshmemError, function

_CALLS = ["array", "free", "register_external", "unregister_external", "finalize"]
_GAVE_UP = (1 << 64) - 1
_CMP_GE = 4
_POLLS_BEFORE_NAP = 200
_NAP_S = 0.0005


class Meeting:
    """The words, and this PE's number of meetings. Made by init, collectively."""

    def __init__(self, my_pe: int, n_pes: int, timeout: Optional[float]) -> None:
        self.my_pe, self.n_pes, self.timeout = my_pe, n_pes, timeout
        self.round = 0
        self.broken: Optional[str] = None
        self.words = function("gshmem_calloc", C_PTR, C_SIZE, C_SIZE)(n_pes, 8)
        if not self.words:
            raise GshmemError("init: no memory in the symmetric heap (GSHMEM_HEAP_SIZE)")
        self._set = function("gshmem_uint64_atomic_set", None, C_PTR, C_U64, C_INT)
        self._quiet = function("gshmem_quiet", None)
        self._get = function("gshmem_uint64_g", C_U64, C_PTR, C_INT)
        self._have_come = function("gshmem_uint64_test_all", C_INT, C_PTR, C_SIZE, C_PTR, C_INT, C_U64)
        try:
            self.watchdog = float(os.environ.get("GSHMEM_WATCHDOG", "30"))
        except ValueError:
            self.watchdog = 30.0

    def _tell(self, value: int) -> None:
        for pe in range(self.n_pes):
            self._set(self.words + 8 * self.my_pe, value, pe)
        self._quiet()

    def _seen(self) -> List[int]:
        return [self._get(self.words + 8 * pe, self.my_pe) for pe in range(self.n_pes)]

    def come(self, call: str, detail: str = "") -> None:
        """Returns when all PEs have come to this call. Raises on all PEs that wait if one will not come."""
        if self.broken:
            raise GshmemError(f"{call}: the PEs have parted before: {self.broken}")
        self.round += 1
        mine = self.round * len(_CALLS) + _CALLS.index(call)
        self._tell(mine)
        begin = time.monotonic()
        reported = False
        polls = 0
        while not self._have_come(self.words, self.n_pes, None, _CMP_GE, self.round * len(_CALLS)):
            polls += 1
            if polls < _POLLS_BEFORE_NAP:
                continue
            time.sleep(_NAP_S)
            if polls % 64:
                continue
            self._look(call, detail, self._seen())
            waited = time.monotonic() - begin
            missing = [pe for pe, word in enumerate(self._seen()) if word // len(_CALLS) < self.round]
            if self.watchdog and waited > self.watchdog and missing and not reported:
                reported = True
                sys.stderr.write(
                    f"gshmem: pe {self.my_pe}: python: {call}{detail}: has waited {waited:.1f} s for PE "
                    f"{_list(missing)}, which must make this call too (GSHMEM_WATCHDOG)\n"
                )
                sys.stderr.flush()
            if self.timeout is not None and waited > self.timeout and missing:
                self._part(
                    f"{call}{detail}: PE {self.my_pe} has waited {waited:.1f} s for PE {_list(missing)}: all "
                    "PEs must make this call together (timeout= of init)"
                )
        self._look(call, detail, self._seen())

    def _look(self, call: str, detail: str, seen: List[int]) -> None:
        """Raises if a PE has given up, or is in another call of the same round."""
        for pe, word in enumerate(seen):
            if word == _GAVE_UP:
                self._part(
                    f"{call}{detail}: PE {pe} has given up a call that must be made by all PEs together"
                )
            if word // len(_CALLS) == self.round and word % len(_CALLS) != _CALLS.index(call):
                self._part(
                    f"{call}{detail}: PE {self.my_pe} is in this call, and PE {pe} in "
                    f"{_CALLS[word % len(_CALLS)]}: all PEs must make the same calls in the same order"
                )

    def _part(self, why: str) -> None:
        self.broken = why
        self._tell(_GAVE_UP)
        raise GshmemError(why)


def _list(pes: List[int]) -> str:
    text = ", ".join(str(pe) for pe in pes[:8])
    return text + (f" and {len(pes) - 8} more" if len(pes) > 8 else "")
