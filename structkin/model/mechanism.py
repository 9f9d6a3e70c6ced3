"""The mechanism: a topology with points, lengths, laws and masses; checked once, then immutable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem
from structkin.model.arguments import mapping
from structkin.model.file import load_data
from structkin.model.frozen import read_only
from structkin.model.parts import DriverCoordinate, Link
from structkin.model.topology import INPUT_KINDS, MOST_INPUTS, Driver, Topology, suggest
from structkin.model.units import Units

if TYPE_CHECKING:
    from structkin.joints.pair import Joints
    from structkin.model.draft import Draft
    from structkin.model.forces import Forces, InitialLink, InitialPoint, InitialState
    from structkin.model.parts import SketchPose
    from structkin.structure import InputRanking

GROUND = "ground"


class Mechanism:
    """Links, joints, drivers and their geometry; immutable, and compared by identity.

    The keyword arguments are the sections of the mechanism file; numbers are in SI and radians unless `units` says
    otherwise. Raises `InputError` listing every error.

    >>> m = Mechanism(
    ...     "Crank-rocker",
    ...     points={"A": [0, 0], "B": [0.0152, 0], "C": [0.0423, 0.03029], "D": [0.04572, 0]},
    ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
    ...     lengths={"A-B": 0.015},
    ...     drivers={"motor": {"joint": "A", "speed": "60 rpm"}},
    ... )
    >>> m
    <Mechanism 'Crank-rocker': 4 links, 4 joints, 1 driver>
    >>> m.links["crank"].local["B"], m.topology.mobility_count
    ((0.015+0j), 1)
    """

    __slots__ = (
        "__weakref__",
        "_added",
        "_folder",
        "_pose",
        "_source",
        "_source_dict",
        "drivers",
        "duration",
        "forces",
        "initial",
        "initial_data",
        "joints",
        "links",
        "places",
        "remarks",
        "title",
        "topology",
        "units",
    )

    title: str
    units: Units
    topology: Topology
    #: Positions in the sketch [m] as x + iy; exact lengths are not applied.
    places: Mapping[str, complex]
    #: Every link including the ground, in the user's order; exact lengths are applied to `local`.
    links: Mapping[str, Link]
    #: Every joint with its geometry, including pins, in the order of the topology.
    joints: Joints
    #: Geometry and law of each driver, in the order of the file.
    drivers: Mapping[str, DriverCoordinate]
    forces: Forces
    #: Initial states of free coordinates, by driver id.
    initial: Mapping[str, InitialState]
    #: Initial states of points and links, by name; `simulate` finds the best fit.
    initial_data: Mapping[str, InitialPoint | InitialLink]
    #: Assumptions made in reading the description, such as lengths treated as equal.
    remarks: tuple[str, ...]
    #: Default duration [s] of `solve`, if the file gives one.
    duration: float | None
    _source_dict: dict[str, Any]
    _source: str
    _folder: Path | None
    #: The pose that replaced the sketch, if any.
    _pose: SketchPose | None
    #: Entries of [joints] that are not in the source: idle links ride with others.
    _added: Mapping[str, Any]

    def __init__(
        self,
        title: str = "",
        *,
        units: Mapping[str, str] | None = None,
        points: Mapping[str, Any] | None = None,
        links: Mapping[str, Any] | None = None,
        lengths: Mapping[str, Any] | None = None,
        joints: Mapping[str, Any] | None = None,
        drivers: Mapping[str, Any] | None = None,
        forces: Mapping[str, Any] | None = None,
        initial: Mapping[str, Any] | None = None,
        duration: float | str | None = None,
    ) -> None:
        """Read the sections and check them."""
        sections = {
            "title": title,
            "units": units,
            "points": points,
            "links": links,
            "lengths": lengths,
            "joints": joints,
            "drivers": drivers,
            "forces": forces,
            "initial": initial,
            "duration": duration,
        }
        self._build({name: value for name, value in sections.items() if value is not None}, "", None)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, source: str = "", folder: str | Path | None = None) -> Self:
        """Build a mechanism from the contents of a file.

        `source` is its name in error messages; CSV tables are read from `folder`. Raises `InputError`.

        >>> Mechanism.from_dict({"link": {}, "points": {}, "links": {"ground": []}})
        Traceback (most recent call last):
        structkin.errors.InputError: mechanism: 2 errors
          - link: unknown section or key; did you mean 'links'?
          - links: there is no moving link; such as crank = ["A", "B"]
        """
        self = cls.__new__(cls)
        self._build(data, source, None if folder is None else Path(folder))
        return self

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the mechanism of a .toml or .json file.

        Raises `InputError` that lists every error of the file, or says why it cannot be read.

        >>> Mechanism.load("no_such_linkage.toml")
        Traceback (most recent call last):
        structkin.errors.InputError: no_such_linkage.toml: 1 error
          - there is no file 'no_such_linkage.toml'
        """
        path = Path(path)
        return cls.from_dict(load_data(path), source=str(path), folder=path.parent)

    def _build(self, data: Mapping[str, Any], source: str, folder: Path | None) -> None:
        # pydantic is slow to import, and decomposing a Topology does not need it
        from structkin.model.assemble import assemble
        from structkin.model.idle import riders

        draft, topology = assemble(data, folder)
        added, notes = ({}, []) if topology is None else riders(draft, topology)
        if added:
            draft, topology = assemble(with_joints(data, added), folder)
            draft.remarks += notes
        if topology is None:
            raise InputError(draft.problems, source or draft.title or "mechanism", more=not draft.is_checked)
        self._fill(draft, topology)
        sections = {name: value for name, value in data.items() if name != "pose"}
        parts = {
            "_source_dict": _plain(sections),
            "_source": source,
            "_folder": folder,
            "_pose": draft.pose,
            "_added": added,
        }
        for name, value in parts.items():
            object.__setattr__(self, name, value)
        if draft.pose is not None:
            from structkin.model.posed import posed_parts

            for name, value in posed_parts(self, draft.pose).items():
                object.__setattr__(self, name, value)

    def _fill(self, draft: Draft, topology: Topology) -> None:
        values: dict[str, Any] = {
            "title": draft.title,
            "units": draft.units,
            "topology": topology,
            "places": MappingProxyType(draft.points),
            "links": MappingProxyType(draft.links),
            "joints": draft.pairs,
            "drivers": MappingProxyType(draft.coordinates),
            "forces": draft.forces,
            "initial": MappingProxyType(draft.initial),
            "initial_data": MappingProxyType(draft.initial_data),
            "duration": draft.duration,
            "remarks": tuple(draft.remarks),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a mechanism is immutable."""
        raise AttributeError(f"a Mechanism is immutable: '{name}' cannot be set; make a new one from source_dict")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: a mechanism is immutable."""
        raise AttributeError(f"a Mechanism is immutable: '{name}' cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the data it was built from."""
        return _rebuild, (type(self), self._source_dict, self._source, self._folder, self._pose)

    def __copy__(self) -> Self:
        """Return the mechanism itself, which cannot change."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the mechanism itself, which cannot change."""
        return self

    def __repr__(self) -> str:
        """Show the title and the counts."""
        return f"<Mechanism {self.title!r}: {self.topology.counts}>"

    @property
    def source_dict(self) -> dict[str, Any]:
        """A fresh copy of the data the mechanism was built from, to modify and build again."""
        return dict(_plain(self._source_dict))

    def with_drivers(self, entries: Mapping[str, Any]) -> Self:
        """Return the mechanism with these entries of [drivers] added to its own.

        >>> arm = Mechanism(points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "arm": ["A", "B"]})
        >>> arm.with_drivers({"motor": {"joint": "A", "speed": 1}})
        <Mechanism '': 2 links, 1 joint, 1 driver>
        """
        data = self.source_dict
        entries = mapping(entries, "drivers", "{'motor': {'joint': 'A', 'speed': 1}}", self.title)
        data["drivers"] = {**data.get("drivers", {}), **entries}
        return _rebuild(type(self), data, self._source, self._folder, self._pose)

    def with_initial(self, entries: Mapping[str, Any]) -> Self:
        """Return the mechanism with these entries of [initial] in place of its own.

        >>> arm = Mechanism(points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "arm": ["A", "B"]},
        ...                 drivers={"swing": {"joint": "A"}})
        >>> arm.with_initial({"swing": {"speed": "60 rpm"}}).initial["swing"].speed.__round__(6)
        6.283185
        """
        entries = mapping(entries, "initial", "{'motor': {'speed': 1}}", self.title)
        data = {**self.source_dict, "initial": dict(entries)}
        return _rebuild(type(self), data, self._source, self._folder, self._pose)

    @property
    def points(self) -> Mapping[str, NDArray[np.float64]]:
        """The position (2,) [m] of each point in the sketch; exact lengths are not applied."""
        return MappingProxyType(
            {name: read_only(np.array((place.real, place.imag))) for name, place in self.places.items()}
        )

    @property
    def size(self) -> float:
        """The largest extent of the sketch [m]: its width plus its height, or 1 if all points coincide."""
        places = np.array(list(self.places.values()))
        return float(np.ptp(places.real) + np.ptp(places.imag)) or 1.0

    def link_of(self, point: str) -> str:
        """Return the ground if it has the point, else the first link that has it; `InputError` if none does.

        >>> m = Mechanism(points={"A": [0, 0], "B": [1, 0]}, links={"bar": ["A", "B"], "ground": ["A"]})
        >>> m.link_of("A"), m.link_of("B")
        ('ground', 'bar')
        """
        links = [name for name, link in self.links.items() if isinstance(point, str) and point in link.local]
        if not links:
            hint = suggest(point, self.places)
            raise InputError([Problem("", f"no link has a point '{point}'", hint)], self.title or "mechanism")
        return GROUND if GROUND in links else links[0]

    def posed(self, pose: SketchPose) -> Self:
        """Return the same mechanism with this pose as its sketch: motions start from it, in its assembly modes.

        `source_dict` remains that of the original sketch, to which its axes and travels refer. Wheels are in mesh in
        the new pose, and their rotations are counted from it.
        """
        from structkin.model.posed import posed_parts

        return self.with_parts({**posed_parts(self, pose), "_pose": pose})

    def rank_inputs(
        self, *, kinds: Sequence[str] = INPUT_KINDS, drivers: Sequence[str | Driver] | None = None,
        limit: int = MOST_INPUTS, progress: Callable[[float], None] | None = None,
    ) -> InputRanking:  # fmt: skip
        """Rank the joints, or sets of joints, that could drive the mechanism, as `Topology.rank_inputs` does.

        The travel along a curved slot, which no driver can have, is left out.
        """
        from structkin.structure.inputs import rank_inputs

        return rank_inputs(self, kinds=kinds, drivers=drivers, limit=limit, progress=progress)

    def with_parts(self, parts: Mapping[str, Any]) -> Self:
        """Return a copy with other attributes."""
        other = type(self).__new__(type(self))
        for name in Mechanism.__slots__:
            if name != "__weakref__":
                object.__setattr__(other, name, parts.get(name, getattr(self, name)))
        return other


M = TypeVar("M", bound=Mechanism)


def _plain(data: Any) -> Any:
    """Return a deep copy in dicts, lists and plain numbers."""
    if isinstance(data, Mapping):
        return {name: _plain(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    return data.tolist() if isinstance(data, np.generic | np.ndarray) else data


def with_joints(data: Mapping[str, Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return data of a mechanism with more entries of [joints]."""
    return {**data, "joints": {**data.get("joints", {}), **entries}}


def _rebuild(
    cls: type[M], data: Mapping[str, Any], source: str, folder: Path | None, pose: SketchPose | None = None
) -> M:
    mechanism = cls.from_dict(data, source=source, folder=folder)
    return mechanism if pose is None else mechanism.posed(pose)


def driven_by(mechanism: M, drives: Sequence[DriverCoordinate]) -> M:
    """Return a mechanism with these drivers in place of its own; `posed` gives their values in the sketch.

    `source_dict` keeps the original drivers.
    """
    kept = {driver.id: driver for driver in mechanism.topology.drivers}
    drivers = tuple(kept.get(drive.id, Driver(drive.id, drive.kind, drive.links, drive.joint)) for drive in drives)
    topology = replace(mechanism.topology, drivers=drivers)
    drives_of = MappingProxyType({drive.id: drive for drive in drives})
    return mechanism.with_parts({"topology": topology, "drivers": drives_of})
