# SPDX-License-Identifier: BSD-3-Clause
"""Teams: sets of PEs with their own numbering. A team is the library's handle, an integer."""

import ctypes
from typing import Any, Iterator, Optional, Sequence, Tuple

from ._library import C_INT, C_LONG, C_PTR, GshmemError, GshmemInvalid, function, need_init


class _Teams:
    """The predefined teams, and those that were made with a name."""

    TEAM_INVALID = 0
    TEAM_WORLD = 1
    TEAM_SHARED = 2
    TEAM_NODE = 3
    TEAM_SAME_MYPE_NODE = 4

    def __iter__(self) -> Iterator[str]:
        predefined = ["TEAM_WORLD", "TEAM_SHARED", "TEAM_NODE", "TEAM_SAME_MYPE_NODE"]
        return iter(predefined + list(self.__dict__))


Teams = _Teams()

_split = function(
    "gshmem_team_split_strided", C_INT, C_PTR, C_INT, C_INT, C_INT, C_PTR, C_LONG, ctypes.POINTER(C_PTR)
)
_split_2d = function(
    "gshmem_team_split_2d",
    C_INT,
    C_PTR,
    C_INT,
    C_PTR,
    C_LONG,
    ctypes.POINTER(C_PTR),
    C_PTR,
    C_LONG,
    ctypes.POINTER(C_PTR),
)
_create = function(
    "gshmemx_team_create", C_INT, C_PTR, ctypes.POINTER(C_INT), C_INT, C_PTR, C_LONG, ctypes.POINTER(C_PTR)
)
_create_by_members = function(
    "gshmemx_team_create_by_members",
    C_INT,
    ctypes.POINTER(C_INT),
    C_INT,
    C_INT,
    C_PTR,
    C_LONG,
    ctypes.POINTER(C_PTR),
)
_destroy = function("gshmem_team_destroy", None, C_PTR)
_team_my_pe = function("gshmem_team_my_pe", C_INT, C_PTR)
_team_n_pes = function("gshmem_team_n_pes", C_INT, C_PTR)
_translate = function("gshmem_team_translate_pe", C_INT, C_PTR, C_INT, C_PTR)


class TeamConfig(ctypes.Structure):
    """What a program asks of a team: the number of contexts at a time. It counts only if config_mask is 1."""

    _fields_ = [("num_contexts", C_INT)]


def _named(team: int, name: Optional[str]) -> int:
    if name is not None and team:
        if hasattr(Teams, name):
            raise GshmemInvalid(f"there is a team {name} already")
        setattr(Teams, name, team)
    return team


def _config(config: Optional[TeamConfig]) -> Any:
    return ctypes.byref(config) if config is not None else None


def team_split_strided(
    parent_team: int,
    start: int,
    stride: int,
    size: int,
    config: Optional[TeamConfig] = None,
    config_mask: int = 0,
    new_team_name: Optional[str] = None,
) -> int:
    """Makes a team of the PEs start, start + stride, ... of parent_team, size of them.

    All PEs of parent_team call. Returns the team, or Teams.TEAM_INVALID on PEs that are not in it. With
    new_team_name the team is in Teams, too.
    Raises GshmemError on all PEs of parent_team if the arguments do not fit it, or differ between PEs.
    """
    need_init("team_split_strided")
    team = C_PTR(0)
    if _split(parent_team, start, stride, size, _config(config), config_mask, ctypes.byref(team)):
        raise GshmemError(
            f"team_split_strided: no team of {size} PEs from {start} on at a stride of {stride}"
        )
    return _named(team.value or 0, new_team_name)


def team_split_2d(
    parent_team: int,
    xrange: int,
    xaxis_config: Optional[TeamConfig] = None,
    xaxis_mask: int = 0,
    yaxis_config: Optional[TeamConfig] = None,
    yaxis_mask: int = 0,
    new_team_name: Optional[str] = None,
) -> Tuple[int, int]:
    """Makes the teams of this PE's row and column, with xrange PEs in a row. All PEs of parent_team call.

    With new_team_name they are also in Teams, as new_team_name_x and new_team_name_y.
    """
    need_init("team_split_2d")
    x, y = C_PTR(0), C_PTR(0)
    if _split_2d(
        parent_team,
        xrange,
        _config(xaxis_config),
        xaxis_mask,
        ctypes.byref(x),
        _config(yaxis_config),
        yaxis_mask,
        ctypes.byref(y),
    ):
        raise GshmemError(f"team_split_2d: no teams of rows of {xrange} PEs")
    name = new_team_name
    return _named(x.value or 0, name and name + "_x"), _named(y.value or 0, name and name + "_y")


def team_create(
    parent_team: int,
    pes: Sequence[int],
    config: Optional[TeamConfig] = None,
    config_mask: int = 0,
    new_team_name: Optional[str] = None,
) -> int:
    """Makes a team of any PEs of parent_team, in the order of pes, which is the same on all PEs.

    All PEs of parent_team call. Returns the team, or Teams.TEAM_INVALID on PEs that are not in it. With
    new_team_name the team is in Teams, too.
    Raises GshmemError on all PEs of parent_team if pes does not fit it, or differs between PEs.
    """
    need_init("team_create")
    team = C_PTR(0)
    listed = (C_INT * len(pes))(*pes)
    if _create(parent_team, listed, len(pes), _config(config), config_mask, ctypes.byref(team)):
        raise GshmemError(f"team_create: no team of PEs {list(pes)}")
    return _named(team.value or 0, new_team_name)


def team_create_by_members(
    pes: Sequence[int],
    tag: int = 0,
    config: Optional[TeamConfig] = None,
    config_mask: int = 0,
    new_team_name: Optional[str] = None,
) -> int:
    """Makes a team of any PEs of the world, in the order of pes. These PEs alone call, with the same list.

    Calls of the same PEs by several threads at a time need different tags. With new_team_name the team is in
    Teams, too. Raises GshmemError on all members if pes names a PE that does not exist, or one twice.
    """
    need_init("team_create_by_members")
    team = C_PTR(0)
    listed = (C_INT * len(pes))(*pes)
    if _create_by_members(listed, len(pes), tag, _config(config), config_mask, ctypes.byref(team)):
        raise GshmemError(f"team_create_by_members: no team of PEs {list(pes)}")
    return _named(team.value or 0, new_team_name)


def team_destroy(team: "int | str") -> None:
    """Destroys a team, given by its handle or its name in Teams. All its PEs call."""
    need_init("team_destroy")
    handle = getattr(Teams, team, None) if isinstance(team, str) else team
    if handle is None:
        raise GshmemInvalid(f"team_destroy: there is no team {team}")
    for name, value in list(Teams.__dict__.items()):
        if value == handle:
            delattr(Teams, name)
    _destroy(handle)


def team_my_pe(team: int) -> int:
    """Returns this PE's number in a team; -1 for TEAM_INVALID."""
    need_init("team_my_pe")
    return _team_my_pe(team)


def team_n_pes(team: int) -> int:
    """Returns how many PEs a team has; -1 for TEAM_INVALID."""
    need_init("team_n_pes")
    return _team_n_pes(team)


def team_translate_pe(src_team: int, src_pe: int, dest_team: int) -> int:
    """Returns the number in dest_team of PE src_pe of src_team; -1 if it is not in both."""
    need_init("team_translate_pe")
    return _translate(src_team, src_pe, dest_team)
