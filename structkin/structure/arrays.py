"""A topology as integer arrays: what a million links need, and what every decomposition starts from.

No Python object a link. `decompose` turns a `Topology` into these arrays and works on them; whoever has arrays already
gives them to `decompose_arrays`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.errors import InputError, Problem
from structkin.model.topology import DRIVER_KINDS, JOINT_EQUATIONS, JOINT_NAMES, Driver, Joint, Topology, pin_of

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: The letters of the joint kinds; a kind's code is its place here, as a driver's is in `DRIVER_KINDS`.
KINDS = "".join(JOINT_EQUATIONS)
R, P, G, C, S, K = range(6)
ANGLE, SLIDE, DISTANCE = range(3)

#: So many mistakes of one sort are named one by one.
MOST_NAMED = 20


class Numbered(Sequence[str]):
    """The names "L0", "L1", ... without storing them; number `skip` is left out.

    >>> names = Numbered("L", 4, skip=1)
    >>> list(names), names[-1], len(names)
    (['L0', 'L2', 'L3'], 'L3', 3)
    """

    def __init__(self, prefix: str, count: int, skip: int | None = None) -> None:
        """Number `count` things from 0."""
        self._prefix = prefix
        self._skip = count if skip is None else skip
        self._length = count - (skip is not None)

    def __len__(self) -> int:
        """Return how many names there are."""
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Return one name, or those of a slice."""
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._length))]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        return f"{self._prefix}{index + (index >= self._skip)}"

    def __iter__(self) -> Iterator[str]:
        """Go through all names."""
        return (self[k] for k in range(self._length))


@dataclass(frozen=True, eq=False)
class TopologyArrays:
    """Links, joints, ground and drivers as integers; the arrays' counterpart of `Topology`.

    `joint_kind` (j,) holds places in "RPGCSK" (text of that many letters will do); the ends of joint k are
    `joint_ends[joint_start[k]:joint_start[k + 1]]`. Without `joint_start` every joint has two ends, and
    `joint_ends` may have the shape (j, 2). An end is the number of a link, or ~i (that is -1 - i) for the pin of the
    revolute joint i.

    `driver_kind` (d,) holds 0 angle, 1 slide, 2 distance; `driver_ends` (d, 2) are ends as above;
    `driver_joint` (d,) is the joint that a driver drives, -1 for none: a slide needs one. Raises `InputError`.

    Names are optional: without them link 3 is called "3", joint 3 "J3" and driver 3 "D3".

    >>> four_bar = TopologyArrays(4, "RRRR", [[0, 1], [1, 2], [2, 3], [3, 0]]).driven_at([0])
    >>> four_bar
    <TopologyArrays: 4 links, 4 joints, 1 driver>
    >>> four_bar.driver_ends.tolist(), four_bar.to_topology().drivers[0]
    ([[0, 1]], Driver(id='D0', kind='angle', links=('0', '1'), joint='J0'))
    """

    n_links: int
    joint_kind: Any
    joint_ends: Any
    joint_start: Any = None
    ground: int = 0
    driver_kind: Any = ()
    driver_ends: Any = ()
    driver_joint: Any = None
    title: str = ""
    link_names: Sequence[str] = field(default=(), repr=False)
    joint_names: Sequence[str] = field(default=(), repr=False)
    driver_names: Sequence[str] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Bring the arrays to form and check them."""
        problems: list[Problem] = []
        kind = _codes(self.joint_kind, KINDS)
        ends = _integers("joint_ends", self.joint_ends, problems)
        if self.joint_start is None:
            start = np.arange(0, 2 * len(kind) + 1, 2)
        else:
            start = _integers("joint_start", self.joint_start, problems)
        if len(start) != len(kind) + 1 or start[0] != 0 or start[-1] != len(ends) or (np.diff(start) < 0).any():
            text = f"{len(kind)} joints and {len(ends)} ends do not fit together"
            problems.append(Problem("joint_start", text, "it begins with 0, grows, and closes with the number of ends"))
        driver = _codes(self.driver_kind, DRIVER_KINDS)
        pairs = _integers("driver_ends", self.driver_ends, problems)
        joint = np.full(len(driver), -1) if self.driver_joint is None else self.driver_joint
        joint = _integers("driver_joint", joint, problems)
        if len(pairs) != 2 * len(driver) or len(joint) != len(driver):
            problems.append(Problem("driver_ends", f"{len(driver)} drivers need two ends and one joint each"))
        values = {
            "joint_kind": kind,
            "joint_start": start,
            "joint_ends": ends,
            "driver_kind": driver,
            "driver_ends": pairs,
            "driver_joint": joint,
        }
        if not problems:
            values["driver_ends"] = pairs.reshape(-1, 2)
            for name, value in values.items():
                value.setflags(write=False)
                object.__setattr__(self, name, value)
            given = (
                ("link_names", "", self.n_links),
                ("joint_names", "J", len(kind)),
                ("driver_names", "D", len(driver)),
            )
            for name, prefix, count in given:
                if not len(getattr(self, name)):
                    object.__setattr__(self, name, Numbered(prefix, count))
            problems += _mistakes(self)
        if problems:
            raise InputError(problems, self.title or "topology")

    def __repr__(self) -> str:
        """Show the counts."""
        counts = ((self.n_links, "link"), (self.n_joints, "joint"), (self.n_drivers, "driver"))
        text = ", ".join(f"{count} {word}{'s' if count != 1 else ''}" for count, word in counts)
        return f"<TopologyArrays{self.title and ' ' + repr(self.title)}: {text}>"

    @property
    def n_joints(self) -> int:
        """Joints; a pin of many links is one."""
        return len(self.joint_kind)

    @property
    def n_drivers(self) -> int:
        """Drivers."""
        return len(self.driver_kind)

    @property
    def mobility_count(self) -> int:
        """Chebyshev-Gruebler count: degrees of freedom before any driver."""
        equations = np.array([JOINT_EQUATIONS[letter] for letter in KINDS])
        return 3 * (self.n_links - 1) - int((equations[self.joint_kind] * (np.diff(self.joint_start) - 1)).sum())

    def ends_of(self, joint: int) -> list[int]:
        """Return the ends of a joint."""
        ends: list[int] = self.joint_ends[self.joint_start[joint] : self.joint_start[joint + 1]].tolist()
        return ends

    def driven_at(self, joints: ArrayLike) -> TopologyArrays:
        """Return the same with a driver more at each of these joints (R: its angle, P: its travel), as first listed.

        >>> slider = TopologyArrays(2, "P", [0, 1]).driven_at([0])
        >>> slider.driver_kind.tolist(), slider.driver_joint.tolist()
        ([1], [0])
        """
        chosen = _integers("driven_at", joints, [])
        out = chosen[(chosen < 0) | (chosen >= self.n_joints)]
        if len(out):
            raise InputError([Problem("driven_at", f"there is no joint {k}") for k in out[:MOST_NAMED].tolist()])
        kind, count = self.joint_kind[chosen], np.diff(self.joint_start)[chosen]
        wrong = chosen[(kind > P) | (count != 2)]
        if len(wrong):
            hint = "only a revolute or prismatic joint of two links has one coordinate to drive"
            raise InputError(
                [Problem(f"joints.{self.joint_names[k]}", hint) for k in wrong[:MOST_NAMED].tolist()], self.title
            )
        first = self.joint_start[chosen]
        pairs = np.stack([self.joint_ends[first], self.joint_ends[first + 1]], axis=1)
        named = not isinstance(self.driver_names, Numbered)
        return TopologyArrays(
            self.n_links,
            self.joint_kind,
            self.joint_ends,
            self.joint_start,
            self.ground,
            np.concatenate([self.driver_kind, np.where(kind == P, SLIDE, ANGLE)]),
            np.concatenate([self.driver_ends, pairs]),
            np.concatenate([self.driver_joint, chosen]),
            self.title,
            self.link_names,
            self.joint_names,
            [*self.driver_names, *(f"drive_{self.joint_names[k]}" for k in chosen.tolist())] if named else (),
        )

    @classmethod
    def from_adjacency(cls, matrix: Any, kinds: Any = None, *, ground: int = 0, title: str = "") -> TopologyArrays:
        """Build from a symmetric sparse matrix (n, n) of joint numbers, counted from 1: any SciPy format.

        One number on several pairs is one multiple joint. Two links with several joints have several entries,
        which COO and CSR keep apart as long as nobody sums them. `kinds` (j,) are the joints' letters or codes, all
        revolute if left out. One triangle of the matrix is enough. Drivers: see `driven_at`.

        >>> import scipy.sparse as sp
        >>> matrix = sp.coo_array(([1, 2, 3, 4], ([0, 1, 2, 3], [1, 2, 3, 0])), shape=(4, 4))
        >>> TopologyArrays.from_adjacency(matrix).driven_at([0])
        <TopologyArrays: 4 links, 4 joints, 1 driver>
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
        code = np.zeros(count, dtype=np.int64) if kinds is None else _codes(kinds, KINDS)
        if len(code) < count:
            raise InputError([Problem("kinds", f"{len(code)} kinds for {count} joints")], title or "matrix")
        n = int(entries.shape[0])
        member = np.unique(np.concatenate([number * n + a, number * n + b]))
        joint = member // n
        start = np.searchsorted(joint, np.arange(len(code) + 1))
        return cls(n, code, member % n, start, ground, title=title)

    @classmethod
    def from_topology(cls, topology: Topology) -> TopologyArrays:
        """Return the arrays of a topology, in its order and with its names.

        >>> from structkin.model.topology import Joint, Topology
        >>> TopologyArrays.from_topology(Topology(("g", "a"), "g", (Joint("A", "R", ("g", "a")),))).ends_of(0)
        [0, 1]
        """
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
        self = cls.__new__(cls)  # a Topology has been checked already
        values = {
            "joint_kind": [letter[one.kind] for one in topology.joints],
            "joint_ends": ends,
            "joint_start": start,
            "driver_kind": [word[one.kind] for one in topology.drivers],
            "driver_ends": [[code(end) for end in one.links] for one in topology.drivers],
            "driver_joint": [-1 if one.joint is None else joint[one.joint] for one in topology.drivers],
        }
        for name, value in values.items():
            array = np.array(value, dtype=np.int64)
            array = array.reshape(-1, 2) if name == "driver_ends" else array
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        rest = {
            "n_links": len(topology.links),
            "ground": number[topology.ground],
            "title": topology.title,
            "link_names": topology.links,
            "joint_names": tuple(joint),
            "driver_names": tuple(one.id for one in topology.drivers),
        }
        for key, value in rest.items():
            object.__setattr__(self, key, value)
        return self

    def to_topology(self) -> Topology:
        """Return the ordinary topology: a Python object a joint."""
        links = tuple(self.link_names)
        ids = tuple(self.joint_names)

        def name(end: int) -> str:
            return links[end] if end >= 0 else f"@{ids[~end]}"

        start, ends = self.joint_start.tolist(), [name(end) for end in self.joint_ends.tolist()]
        joints = tuple(
            Joint(id, KINDS[kind], tuple(ends[start[k] : start[k + 1]]))
            for k, (id, kind) in enumerate(zip(ids, self.joint_kind.tolist(), strict=True))
        )
        drivers = tuple(
            Driver(id, DRIVER_KINDS[kind], (name(a), name(b)), None if joint < 0 else ids[joint])
            for id, kind, (a, b), joint in zip(
                self.driver_names,
                self.driver_kind.tolist(),
                self.driver_ends.tolist(),
                self.driver_joint.tolist(),
                strict=True,
            )
        )
        return Topology(links, links[self.ground], joints, drivers, self.title)


def _codes(given: Any, known: Sequence[str]) -> IntArray:
    """Return codes (k,) from codes, words or one text of letters; an unknown word becomes -1."""
    if isinstance(given, str):
        given = list(given)
    array = np.asarray(given)
    if array.dtype.kind in "US":
        code: Mapping[str, int] = {word: k for k, word in enumerate(known)}
        words, where = np.unique(array.astype(str), return_inverse=True)
        return np.array([code.get(word, -1) for word in words.tolist()], dtype=np.int64)[where]
    return _integers("kinds", array, [])


def _integers(key: str, given: Any, problems: list[Problem]) -> IntArray:
    """Return a flat array of integers; a copy unless it cannot be changed."""
    array = np.asarray(given)
    if array.size and array.dtype.kind not in "iu":
        found = Problem(key, f"expected integers, found {array.dtype}")
        if not problems and key in ("kinds", "driven_at"):
            raise InputError([found], "topology")
        problems.append(found)
        return np.zeros(0, dtype=np.int64)
    flat = array.astype(np.int64, copy=array.flags.writeable).ravel()
    return flat


def _mistakes(topology: TopologyArrays) -> Iterable[Problem]:
    """Yield what is wrong, as the checks of `Topology` do, each over all joints or drivers at once."""
    t = topology
    n, joint_of = t.n_links, np.repeat(np.arange(t.n_joints), np.diff(t.joint_start))
    for key, names, count in (
        ("link_names", t.link_names, n),
        ("joint_names", t.joint_names, t.n_joints),
        ("driver_names", t.driver_names, t.n_drivers),
    ):
        if len(names) != count:
            yield Problem(key, f"{len(names)} names for {count}")
        elif not isinstance(names, Numbered) and len(set(names)) < count:
            yield Problem(key, "names appear twice", "names are unique")
    if not 0 <= t.ground < n:
        yield Problem("ground", f"there is no link {t.ground}", f"links are numbered from 0 to {n - 1}")

    def joints(bad: BoolArray, said: Callable[[int], str], hint: str = "") -> Iterable[Problem]:
        yield from _named("joints", np.flatnonzero(bad), t.joint_names, said, hint)

    def drivers(bad: BoolArray, said: Callable[[int], str], hint: str = "") -> Iterable[Problem]:
        yield from _named("drivers", np.flatnonzero(bad), t.driver_names, said, hint)

    def any_of(bad: BoolArray) -> BoolArray:
        return np.bincount(joint_of[bad], minlength=t.n_joints) > 0

    kind, width = t.joint_kind, np.diff(t.joint_start)
    unknown = (kind < 0) | (kind >= len(KINDS))
    yield from joints(unknown, lambda k: "kind is unknown", f"known: {', '.join(KINDS)}")
    yield from joints(width < 2, lambda k: "joins fewer than two links")
    yield from joints(
        ~unknown & (width > 2) & (kind != R),
        lambda k: f"a {JOINT_NAMES[KINDS[kind[k]]]} joint joins two links, not {width[k]}",
    )
    order = np.lexsort((t.joint_ends, joint_of))
    same = (np.diff(t.joint_ends[order]) == 0) & (np.diff(joint_of[order]) == 0)
    twice = np.zeros(len(order), dtype=np.bool_)
    twice[order[1:][same]] = True
    yield from joints(any_of(twice), lambda k: "names a link twice")

    def missing(ends: IntArray, pins_too: BoolArray) -> BoolArray:
        pin = np.clip(~ends, 0, max(0, t.n_joints - 1))
        on_pin = (ends < 0) & (~ends < t.n_joints) & pins_too
        if t.n_joints:
            on_pin &= kind[pin] == R
        return (ends >= n) | ((ends < 0) & ~on_pin)

    no_end = missing(t.joint_ends, np.ones(len(t.joint_ends), dtype=np.bool_))
    yield from joints(any_of(no_end), lambda k: f"one of the ends {t.ends_of(k)} is neither link nor revolute joint")
    yield from joints(
        any_of(~t.joint_ends == joint_of), lambda k: "is attached to its own pin", "name the pin of another joint"
    )
    if not t.n_drivers:
        return
    what, ends, driven = t.driver_kind, t.driver_ends, t.driver_joint
    yield from drivers(
        (what < 0) | (what >= len(DRIVER_KINDS)), lambda k: "kind is unknown", f"known: {', '.join(DRIVER_KINDS)}"
    )
    yield from drivers(ends[:, 0] == ends[:, 1], lambda k: "a driver acts between two different links")
    allowed = np.broadcast_to((what == DISTANCE)[:, None], ends.shape)
    no_end = missing(ends, allowed)
    yield from drivers(no_end[:, 0] | no_end[:, 1], lambda k: f"one of the ends {ends[k].tolist()} is no link")
    yield from drivers((what == SLIDE) & (driven < 0), lambda k: "a slide driver needs its prismatic joint")
    out = (driven < -1) | (driven >= t.n_joints)
    yield from drivers(out, lambda k: f"there is no joint {driven[k]}")
    has = np.flatnonzero((driven >= 0) & ~out)
    if not len(has):
        return
    want = np.array([R, P, -1])[np.clip(what[has], 0, 2)]
    other = np.zeros(len(what), dtype=np.bool_)
    other[has] = (want >= 0) & (kind[driven[has]] != want)
    yield from drivers(other, lambda k: f"joint {t.joint_names[driven[k]]} is of another kind")
    # an end of the driver is an end of its joint: look the pair (joint, end) up among all of them
    low, span = -t.n_joints, n + t.n_joints + 1
    pairs = np.sort(joint_of * span + (t.joint_ends - low))
    apart = np.zeros(len(what), dtype=np.bool_)
    for side in (0, 1):
        wanted = driven[has] * span + (ends[has, side] - low)
        at = np.clip(np.searchsorted(pairs, wanted), 0, max(0, len(pairs) - 1))
        apart[has] |= pairs[at] != wanted if len(pairs) else True
    yield from drivers(apart, lambda k: f"joint {t.joint_names[driven[k]]} does not join its ends")


def _named(key: str, bad: IntArray, names: Sequence[str], said: Callable[[int], str], hint: str) -> Iterable[Problem]:
    for k in bad[:MOST_NAMED].tolist():
        yield Problem(f"{key}.{names[k]}", said(k), hint)
    if len(bad) > MOST_NAMED:
        yield Problem(key, f"the same at {len(bad) - MOST_NAMED} more")
