"""Between the arrays of a topology, a sparse matrix of joint numbers, and an ordinary `Topology`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.topology import DRIVER_KINDS, Driver, Joint, Topology, pin_of
from structkin.structure.array_codes import KINDS, IntArray, codes
from structkin.structure.array_mistakes import MOST_NAMED

if TYPE_CHECKING:
    from structkin.structure.arrays import TopologyArrays


def read_adjacency(matrix: Any, kinds: Any, title: str) -> tuple[int, IntArray, IntArray, IntArray]:
    """Return the number of links, `joint_kind`, `joint_ends` and `joint_start` of a sparse matrix (n, n) of joints.

    See `TopologyArrays.from_adjacency`.
    """
    entries = matrix.tocoo()
    if entries.shape[0] != entries.shape[1]:
        raise InputError([Problem("matrix", f"is not square: {entries.shape}")], title or "matrix")
    number = np.asarray(entries.data).astype(np.int64) - 1
    a, b = (np.asarray(index).astype(np.int64) for index in (entries.row, entries.col))
    loop = a[(a == b) & (number >= 0)]
    if len(loop):
        raise InputError([Problem("matrix", f"link {k} is joined to itself") for k in loop[:MOST_NAMED].tolist()])
    keep = number >= 0
    number, a, b = number[keep], a[keep], b[keep]
    count = int(number.max(initial=-1)) + 1
    code = np.zeros(count, dtype=np.int64) if kinds is None else codes(kinds, KINDS)
    if len(code) < count:
        raise InputError([Problem("kinds", f"{len(code)} kinds for {count} joints")], title or "matrix")
    n = int(entries.shape[0])
    member = np.unique(np.concatenate([number * n + a, number * n + b]))
    joint = member // n
    start = np.searchsorted(joint, np.arange(len(code) + 1))
    return n, code, member % n, start


def fields_of(topology: Topology) -> dict[str, Any]:
    """Return what the fields of `TopologyArrays` hold for a topology, in its order and with its names."""
    number = {name: k for k, name in enumerate(topology.links)}
    joint = {one.id: k for k, one in enumerate(topology.joints)}

    def code(end: str) -> int:
        pin = pin_of(end)
        return number[end] if pin is None else ~joint[pin]

    ends: list[int] = []
    start = [0]
    for one in topology.joints:
        try:
            ends += [number[end] for end in one.links]
        except KeyError:
            ends += [code(end) for end in one.links]
        start.append(len(ends))
    letter = {name: k for k, name in enumerate(KINDS)}
    word = {name: k for k, name in enumerate(DRIVER_KINDS)}
    values = {
        "joint_kind": [letter[one.kind] for one in topology.joints],
        "joint_ends": ends,
        "joint_start": start,
        "driver_kind": [word[one.kind] for one in topology.drivers],
        "driver_ends": [[code(end) for end in one.links] for one in topology.drivers],
        "driver_joint": [-1 if one.joint is None else joint[one.joint] for one in topology.drivers],
    }
    arrays = {name: np.array(value, dtype=np.int64) for name, value in values.items()}
    arrays["driver_ends"] = arrays["driver_ends"].reshape(-1, 2)
    for array in arrays.values():
        array.setflags(write=False)
    return {
        **arrays,
        "n_links": len(topology.links),
        "ground": number[topology.ground],
        "title": topology.title,
        "link_names": topology.links,
        "joint_names": tuple(joint),
        "driver_names": tuple(one.id for one in topology.drivers),
    }


def ordinary_topology(arrays: TopologyArrays) -> Topology:
    """Return the ordinary topology: a Python object a joint."""
    links = tuple(arrays.link_names)
    ids = tuple(arrays.joint_names)

    def name(end: int) -> str:
        return links[end] if end >= 0 else f"@{ids[~end]}"

    start, ends = arrays.joint_start.tolist(), [name(end) for end in arrays.joint_ends.tolist()]
    joints = tuple(
        Joint(id, KINDS[kind], tuple(ends[start[k] : start[k + 1]]))
        for k, (id, kind) in enumerate(zip(ids, arrays.joint_kind.tolist(), strict=True))
    )
    drivers = tuple(
        Driver(id, DRIVER_KINDS[kind], (name(a), name(b)), None if joint < 0 else ids[joint])
        for id, kind, (a, b), joint in zip(
            arrays.driver_names,
            arrays.driver_kind.tolist(),
            arrays.driver_ends.tolist(),
            arrays.driver_joint.tolist(),
            strict=True,
        )
    )
    return Topology(links, links[arrays.ground], joints, drivers, arrays.title)
