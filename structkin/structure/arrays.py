"""A topology as integer arrays: suited to a million links, and the input of every decomposition.

There is no Python object per link. `decompose` converts a `Topology` to these arrays; callers that already have arrays
use `decompose_arrays`.

Each check of the arrays covers all joints or drivers at once.

Kinds and names are integer codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.checked import checked
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.arguments import index as whole_index
from structkin.model.topology import DRIVER_KINDS, JOINT_KINDS, Driver, Joint, Topology, in_words, pin_of
from structkin.types import Flags, Ints

# --- codes ---------------------------------------------------------------------------------------------------------

#: The letters of the joint kinds; a kind's code is its index here, a driver's its index in `DRIVER_KINDS`.
KINDS = "".join(JOINT_KINDS)
R, P, G, C, S, K, F = range(7)
ANGLE, SLIDE, DISTANCE = range(3)
#: The kinds of joints that may join more than two links.
OF_MANY = tuple(code for code, kind in enumerate(JOINT_KINDS.values()) if kind.of_many)
#: Those that may act at a point, and how points are numbered.
AT_POINTS = tuple(code for code, kind in enumerate(JOINT_KINDS.values()) if kind.on_pin)
AT_HINT = "name a point of each end: a revolute joint by its number, a point k by k + the number of joints, -1 for none"


def codes(given: Any, known: Sequence[str]) -> Ints:
    """Return codes (k,) from codes, words or a string of letters; an unknown word becomes -1."""
    if isinstance(given, str):
        given = list(given)
    array = _array("kinds", given).ravel()
    if array.dtype.kind in "US":
        code: Mapping[str, int] = {word: k for k, word in enumerate(known)}
        words, where = np.unique(array.astype(str), return_inverse=True)
        return np.array([code.get(word, -1) for word in words.tolist()], dtype=np.int64)[where]
    return integers("kinds", array, [])


def integers(key: str, given: Any, problems: list[Problem]) -> Ints:
    """Return a flat array of integers; a copy unless it is read-only."""
    array = _array(key, given)
    if array.size and array.dtype.kind not in "iu":
        found = Problem(key, f"expected integers, found {array.dtype}")
        if not problems and key in ("kinds", "driven_at"):
            raise InputError([found], "topology")
        problems.append(found)
        return np.zeros(0, dtype=np.int64)
    return array.astype(np.int64, copy=array.flags.writeable).ravel()


def _array(key: str, given: Any) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError:
        raise InputError([Problem(key, "has rows of different lengths")], "topology") from None


class Numbered(Sequence[str]):
    """The names "L0", "L1", ... without storing them, omitting number `skip`.

    >>> names = Numbered("L", 4, skip=1)
    >>> list(names), names[-1], len(names)
    (['L0', 'L2', 'L3'], 'L3', 3)
    """

    def __init__(self, prefix: str, count: int, skip: int | None = None) -> None:
        """Number `count` items from 0."""
        self._prefix = prefix
        self._skip = count if skip is None else skip
        self._length = count - (skip is not None)

    def __len__(self) -> int:
        """Return the number of names."""
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Return one name, or a slice."""
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._length))]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        return f"{self._prefix}{index + (index >= self._skip)}"

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return (self[k] for k in range(self._length))


# --- mistakes in the arrays ----------------------------------------------------------------------------------------

#: How many errors of one sort are listed one by one.
MOST_NAMED = 20


def mistakes(topology: TopologyArrays) -> Iterable[Problem]:
    """Yield the errors that the checks of `Topology` find, each check over all joints or drivers at once."""
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
            yield Problem(key, "names appear twice", "choose different names")
    if not 0 <= t.ground < n:
        yield Problem("ground", f"there is no link {t.ground}", f"links are numbered from 0 to {n - 1}")

    def joints(bad: Flags, said: Callable[[int], str], hint: str = "") -> Iterable[Problem]:
        yield from _named("joints", np.flatnonzero(bad), t.joint_names, said, hint)

    def drivers(bad: Flags, said: Callable[[int], str], hint: str = "") -> Iterable[Problem]:
        yield from _named("drivers", np.flatnonzero(bad), t.driver_names, said, hint)

    def any_of(bad: Flags) -> Flags:
        return np.bincount(joint_of[bad], minlength=t.n_joints) > 0

    kind, width = t.joint_kind, np.diff(t.joint_start)
    unknown = (kind < 0) | (kind >= len(KINDS))
    yield from joints(unknown, lambda k: "kind is unknown", f"known: {', '.join(KINDS)}")
    yield from joints(width < 2, lambda k: "joins fewer than two links")
    yield from joints(
        ~unknown & (width > 2) & ~np.isin(kind, OF_MANY),
        lambda k: f"a {JOINT_KINDS[KINDS[kind[k]]].name} joint joins two links, not {width[k]}",
    )
    order = np.lexsort((t.joint_ends, joint_of))
    same = (np.diff(t.joint_ends[order]) == 0) & (np.diff(joint_of[order]) == 0)
    twice = np.zeros(len(order), dtype=np.bool_)
    twice[order[1:][same]] = True
    yield from joints(any_of(twice), lambda k: "names a link twice")

    def missing(ends: Ints, pins_too: Flags) -> Flags:
        pin = np.clip(~ends, 0, max(0, t.n_joints - 1))
        on_pin = (ends < 0) & (~ends < t.n_joints) & pins_too
        if t.n_joints:
            on_pin &= kind[pin] == R
        return (ends >= n) | ((ends < 0) & ~on_pin)

    no_end = missing(t.joint_ends, np.ones(len(t.joint_ends), dtype=np.bool_))
    yield from joints(
        any_of(no_end), lambda k: f"one of the ends {t.ends_of(k)} is neither a link nor a revolute joint"
    )
    yield from joints(
        any_of(~t.joint_ends == joint_of), lambda k: "is attached to its own pin", "name the pin of another joint"
    )
    yield from joints(
        (t.joint_at >= 0).any(axis=1) & ~np.isin(kind, AT_POINTS),
        lambda k: "does not act at a point",
        "leave joint_at to contacts and slots",
    )
    yield from joints(_at_nothing(t, t.joint_at), lambda k: f"acts at no points: {t.joint_at[k].tolist()}", AT_HINT)
    if not t.n_drivers:
        return
    yield from drivers(
        (t.driver_at >= 0).any(axis=1) & (t.driver_kind != DISTANCE),
        lambda k: "does not act at a point",
        "leave driver_at to distances",
    )
    yield from drivers(_at_nothing(t, t.driver_at), lambda k: f"acts at no points: {t.driver_at[k].tolist()}", AT_HINT)
    what, ends, driven = t.driver_kind, t.driver_ends, t.driver_joint
    yield from drivers(
        (what < 0) | (what >= len(DRIVER_KINDS)), lambda k: "kind is unknown", f"known: {', '.join(DRIVER_KINDS)}"
    )
    yield from drivers(ends[:, 0] == ends[:, 1], lambda k: "a driver acts between two different links")
    allowed = np.broadcast_to((what != ANGLE)[:, None], ends.shape)
    no_end = missing(ends, allowed)
    yield from drivers(no_end[:, 0] | no_end[:, 1], lambda k: f"one of the ends {ends[k].tolist()} is not a link")
    yield from drivers((what == SLIDE) & (driven < 0), lambda k: "a slide driver needs its prismatic joint or slot")
    out = (driven < -1) | (driven >= t.n_joints)
    yield from drivers(out, lambda k: f"there is no joint {driven[k]}")
    has = np.flatnonzero((driven >= 0) & ~out)
    if not len(has):
        return
    of_kind, driven_kind = what[has], kind[driven[has]]
    other = np.zeros(len(what), dtype=np.bool_)
    other[has] = ((of_kind == ANGLE) & (driven_kind != R)) | ((of_kind == SLIDE) & ~np.isin(driven_kind, (P, S)))
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


def _at_nothing(t: TopologyArrays, at: Ints) -> Flags:
    """Return which of the points (k, 2) of joints or drivers are unknown, or one point twice."""
    of_joint = (at >= 0) & (at < t.n_joints)
    is_pin = np.zeros(at.shape, dtype=np.bool_)
    is_pin[of_joint] = t.joint_kind[at[of_joint]] == R
    known = (at == -1) | is_pin | ((at >= t.n_joints) & (at < t.n_joints + len(t.point_names)))
    wrong: Flags = ~known.all(axis=1) | ((at[:, 0] == at[:, 1]) & (at[:, 0] >= 0))
    return wrong


def _named(key: str, bad: Ints, names: Sequence[str], said: Callable[[int], str], hint: str) -> Iterable[Problem]:
    return _first(key, bad, lambda k: Problem(f"{key}.{names[k]}", said(k), hint))


def _first(key: str, bad: Ints, problem: Callable[[int], Problem]) -> Iterable[Problem]:
    """Yield the problems of the first ones, and how many more there are."""
    yield from map(problem, bad[:MOST_NAMED].tolist())
    if len(bad) > MOST_NAMED:
        yield Problem(key, f"the same error occurs {len(bad) - MOST_NAMED} more times")


# --- the arrays ----------------------------------------------------------------------------------------------------


@checked
@dataclass(frozen=True, eq=False)
class TopologyArrays:
    """Links, joints, ground and drivers as integers; the array counterpart of `Topology`.

    `joint_kind` (j,) holds indices into "RPGCSKF" (or is a string of these letters); the ends of joint k are
    `joint_ends[joint_start[k]:joint_start[k + 1]]`. Without `joint_start` every joint has two ends, and
    `joint_ends` may have the shape (j, 2). An end is the number of a link, or ~i (that is -1 - i) for the pin of the
    revolute joint i.

    `driver_kind` (d,) holds 0 angle, 1 slide, 2 distance; `driver_ends` (d, 2) are ends as above;
    `driver_joint` (d,) is the joint that a driver drives, -1 for none: a slide needs one. Raises `InputError`.

    `joint_at` (j, 2) and `driver_at` (d, 2) are the points at which contacts, slots and distances act, see `Joint`: the
    number of a revolute joint, j + k for the other point k of `point_names`, or -1 for none.

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
    joint_at: Any = field(default=None, repr=False)
    driver_at: Any = field(default=None, repr=False)
    point_names: Sequence[str] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Normalize the arrays and check them."""
        problems: list[Problem] = []
        kind = codes(self.joint_kind, KINDS)
        ends = integers("joint_ends", self.joint_ends, problems)
        if self.joint_start is None:
            start = np.arange(0, 2 * len(kind) + 1, 2)
        else:
            start = integers("joint_start", self.joint_start, problems)
        if len(start) != len(kind) + 1 or start[0] != 0 or start[-1] != len(ends) or (np.diff(start) < 0).any():
            text = f"does not match {len(kind)} joints and {len(ends)} ends"
            problems.append(Problem("joint_start", text, "start with 0, increase, and end with the number of ends"))
        driver = codes(self.driver_kind, DRIVER_KINDS)
        pairs = integers("driver_ends", self.driver_ends, problems)
        joint = np.full(len(driver), -1) if self.driver_joint is None else self.driver_joint
        joint = integers("driver_joint", joint, problems)
        if len(pairs) != 2 * len(driver) or len(joint) != len(driver):
            problems.append(Problem("driver_ends", f"{len(driver)} drivers need two ends and one joint each"))
        points = {}
        for key, given, count in (("joint_at", self.joint_at, len(kind)), ("driver_at", self.driver_at, len(driver))):
            points[key] = integers(key, np.full((count, 2), -1) if given is None else given, problems)
            if len(points[key]) != 2 * count:
                problems.append(Problem(key, f"has {len(points[key])} numbers", f"give {count} pairs of points"))
        if self.n_links < 1:
            problems.append(Problem("n_links", f"is {self.n_links}", "count the ground as well"))
        values = {
            "joint_kind": kind,
            "joint_start": start,
            "joint_ends": ends,
            "driver_kind": driver,
            "driver_ends": pairs,
            "driver_joint": joint,
        }
        if not problems:
            values |= {name: value.reshape(-1, 2) for name, value in {"driver_ends": pairs, **points}.items()}
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
            problems += mistakes(self)
        raise_problems(problems, self.title or "topology")

    def __repr__(self) -> str:
        """Show the counts."""
        text = in_words(self.n_links, self.n_joints, self.n_drivers)
        return f"<TopologyArrays{self.title and ' ' + repr(self.title)}: {text}>"

    @property
    def n_joints(self) -> int:
        """Number of joints; a multiple pin is one joint."""
        return len(self.joint_kind)

    @property
    def n_drivers(self) -> int:
        """Number of drivers."""
        return len(self.driver_kind)

    @property
    def mobility_count(self) -> int:
        """Chebyshev-Gruebler count: degrees of freedom without drivers."""
        equations = np.array([len(JOINT_KINDS[letter].equations) for letter in KINDS])
        return 3 * (self.n_links - 1) - int((equations[self.joint_kind] * (np.diff(self.joint_start) - 1)).sum())

    def ends_of(self, joint: int) -> list[int]:
        """Return the ends of a joint; `InputError` where there is no such joint."""
        joint = whole_index(joint, self.n_joints, "joint", self.title)
        ends: list[int] = self.joint_ends[self.joint_start[joint] : self.joint_start[joint + 1]].tolist()
        return ends

    def driven_at(self, joints: ArrayLike) -> TopologyArrays:
        """Return a copy with an additional driver at each of these joints (R: its angle, P: its travel), in this order.

        >>> slider = TopologyArrays(2, "P", [0, 1]).driven_at([0])
        >>> slider.driver_kind.tolist(), slider.driver_joint.tolist()
        ([1], [0])
        """
        chosen = integers("driven_at", joints, [])
        out = chosen[(chosen < 0) | (chosen >= self.n_joints)]
        if len(out):
            raise InputError([*_first("driven_at", out, lambda k: Problem("driven_at", f"there is no joint {k}"))])
        kind, count = self.joint_kind[chosen], np.diff(self.joint_start)[chosen]
        wrong = chosen[(kind > P) | (count != 2)]
        if len(wrong):
            hint = "cannot be driven: only revolute and prismatic joints of two links can"
            said = _first("driven_at", wrong, lambda k: Problem(f"joints.{self.joint_names[k]}", hint))
            raise InputError([*said], self.title)
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
            self.joint_at,
            np.concatenate([self.driver_at, np.full((len(chosen), 2), -1)]),
            self.point_names,
        )

    @classmethod
    def from_adjacency(cls, matrix: Any, kinds: Any = None, *, ground: int = 0, title: str = "") -> TopologyArrays:
        """Build from a symmetric matrix (n, n): a plain one of 0 and 1, or one of joint numbers, counted from 1.

        It is dense, or sparse in any SciPy format. In a plain matrix each 1 is a joint of its own; the joints are
        numbered row by row. If there are larger numbers, one number at several pairs is one multiple joint, and two
        links with several joints have several entries, which COO and CSR keep separate unless duplicates are summed.
        `kinds` (j,) are the joints' letters or codes, all revolute by default. One triangle of the matrix is enough.
        Drivers: see `driven_at`. Raises `InputError`; letters and names in the entries: `Topology.from_adjacency`.

        >>> TopologyArrays.from_adjacency([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]).driven_at([0])
        <TopologyArrays: 4 links, 4 joints, 1 driver>
        >>> import scipy.sparse as sp
        >>> matrix = sp.coo_array(([1, 2, 3, 4], ([0, 1, 2, 3], [1, 2, 3, 0])), shape=(4, 4))
        >>> TopologyArrays.from_adjacency(matrix).driven_at([0])
        <TopologyArrays: 4 links, 4 joints, 1 driver>
        """
        number, a, b, n = _numbered(matrix, title or "matrix")
        count = int(number.max(initial=-1)) + 1
        code = np.zeros(count, dtype=np.int64) if kinds is None else codes(kinds, KINDS)
        if len(code) < count:
            raise InputError([Problem("kinds", f"{len(code)} kinds for {count} joints")], title or "matrix")
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
        self = cls.__new__(cls)  # a Topology has already been checked
        for name, value in _fields_of(topology).items():
            object.__setattr__(self, name, value)
        return self

    def to_topology(self) -> Topology:
        """Return the ordinary topology, with a Python object per joint."""
        links = tuple(self.link_names)
        ids = tuple(self.joint_names)

        def name(end: int) -> str:
            return links[end] if end >= 0 else f"@{ids[~end]}"

        def points(at: list[int]) -> tuple[str, ...]:
            known = (*ids, *self.point_names)
            return () if at == [-1, -1] else tuple("" if k < 0 else known[k] for k in at)

        start, ends = self.joint_start.tolist(), [name(end) for end in self.joint_ends.tolist()]
        joints = tuple(
            Joint(id, KINDS[kind], tuple(ends[start[k] : start[k + 1]]), points(at))
            for k, (id, kind, at) in enumerate(zip(ids, self.joint_kind.tolist(), self.joint_at.tolist(), strict=True))
        )
        drivers = tuple(
            Driver(id, DRIVER_KINDS[kind], (name(a), name(b)), None if joint < 0 else ids[joint], points(at))
            for id, kind, (a, b), joint, at in zip(
                self.driver_names,
                self.driver_kind.tolist(),
                self.driver_ends.tolist(),
                self.driver_joint.tolist(),
                self.driver_at.tolist(),
                strict=True,
            )
        )
        return Topology(links, links[self.ground], joints, drivers, self.title)


def _numbered(matrix: Any, title: str) -> tuple[Ints, Ints, Ints, int]:
    """Return the number of each entry's joint, from 0, its row and its column, and the number of rows."""
    hint = "give 0 and 1, or joint numbers; Topology.from_adjacency reads letters, names and graphs"
    if not hasattr(matrix, "tocoo"):
        try:
            matrix = np.asarray(None if hasattr(matrix, "nodes") else matrix)
        except ValueError:  # rows of different lengths
            raise InputError([Problem("matrix", "is not square", "give every row as many entries")], title) from None
        if matrix.dtype.kind not in "biuf":
            raise InputError([Problem("matrix", "is not a matrix of numbers", hint)], title)
        if matrix.ndim == 2:
            from scipy.sparse import coo_array

            matrix = coo_array(matrix)
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError([Problem("matrix", f"is not square: {matrix.shape}")], title)
    entries = matrix.tocoo()
    held = entries.data != 0
    value, a, b = entries.data[held], *(np.asarray(one)[held].astype(np.int64) for one in (entries.row, entries.col))

    def places(bad: Flags, said: Callable[[int], str], hint: str = "") -> Iterable[Problem]:
        return _first("matrix", np.flatnonzero(bad), lambda k: Problem(f"row {a[k]}, column {b[k]}", said(k), hint))

    problems = [*places(a == b, lambda k: "joins a link to itself", "leave the diagonal empty")]
    problems += places((value < 1) | (value % 1 != 0), lambda k: f"{value[k]} is not a joint number", "count from 1")
    number = value.astype(np.int64) - 1
    n = int(matrix.shape[0])
    if not number.any():  # of 0 and 1: a joint for each pair of links
        again = np.ones(len(a), dtype=np.bool_)
        again[np.unique(a * n + b, return_index=True)[1]] = False
        problems += places(again, lambda k: "is given twice", "number the joints, or use Topology")
        number = np.unique(np.minimum(a, b) * n + np.maximum(a, b), return_inverse=True)[1]
    raise_problems(problems, title)
    return number, a, b, n


def _fields_of(topology: Topology) -> dict[str, Any]:
    """Return the fields of `TopologyArrays` for a topology, in its order and with its names."""
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
    point = {one.id: k for k, one in enumerate(topology.joints) if one.kind == "R"}
    named = [*(one.at for one in topology.joints), *(one.at for one in topology.drivers)]
    point_names = tuple(dict.fromkeys(name for at in named for name in at if name and name not in point))
    point |= {name: len(joint) + k for k, name in enumerate(point_names)} | {"": -1}
    letter = {name: k for k, name in enumerate(KINDS)}
    word = {name: k for k, name in enumerate(DRIVER_KINDS)}
    values = {
        "joint_kind": [letter[one.kind] for one in topology.joints],
        "joint_ends": ends,
        "joint_start": start,
        "driver_kind": [word[one.kind] for one in topology.drivers],
        "driver_ends": [[code(end) for end in one.links] for one in topology.drivers],
        "driver_joint": [-1 if one.joint is None else joint[one.joint] for one in topology.drivers],
        "joint_at": [[point[name] for name in one.at or ("", "")] for one in topology.joints],
        "driver_at": [[point[name] for name in one.at or ("", "")] for one in topology.drivers],
    }
    arrays = {name: np.array(value, dtype=np.int64) for name, value in values.items()}
    arrays |= {name: arrays[name].reshape(-1, 2) for name in ("driver_ends", "joint_at", "driver_at")}
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
        "point_names": point_names,
    }
