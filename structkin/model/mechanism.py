"""The mechanism: a topology with points, lengths, laws and masses; checked once, then immutable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from structkin.budget import DEFAULT
from structkin.checked import checked
from structkin.errors import InputError, Problem
from structkin.model.frozen import read_only
from structkin.model.parts import DriverCoordinate, Link
from structkin.model.topology import INPUT_KINDS, MOST_INPUTS, Driver, Topology, suggest
from structkin.model.units import Units
from structkin.types import Floats

if TYPE_CHECKING:
    from anywidget import AnyWidget
    from matplotlib.figure import Figure

    from structkin.branches.assemblies import Assemblies, Assembly
    from structkin.branches.circuits import Circuits
    from structkin.branches.four_bar import FourBar, SliderCrank
    from structkin.branches.limits import Limits
    from structkin.design import Limit, Measure, Optimum, Peak
    from structkin.design.tolerances import Tolerances
    from structkin.dynamics import ReducedEquations, Simulation
    from structkin.dynamics.formulations_compared import FormulationComparison
    from structkin.global_methods.compare import Comparison
    from structkin.global_methods.families import Coordinates
    from structkin.joints.pair import Joints
    from structkin.model.forces import Forces, InitialLink, InitialPoint, InitialState
    from structkin.model.parts import SketchPose
    from structkin.multibody.model import SpatialModel
    from structkin.report.report import Page
    from structkin.solve import Motion
    from structkin.solve.many.motions import Motions
    from structkin.solve.measured import MeasuredComparison
    from structkin.structure import KinematicStructure
    from structkin.structure.inputs.ranked_inputs import InputRanking
    from structkin.symbolic.explicit.equations_of_motion import Equations
    from structkin.symbolic.explicit.own import ExplicitLoop

GROUND = "ground"


@checked
class Mechanism:
    """Links, joints and drivers with their geometry, and all that follows from them; immutable, compared by identity.

    The keyword arguments are the sections of the mechanism file; numbers are in SI and radians unless `units` says
    otherwise. Raises an `InputError` that lists every error.

    >>> m = Mechanism(
    ...     "Four-bar",
    ...     points={"A": (0, 0), "B": (1, 1), "C": (4, 3), "D": (5, 0)},
    ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
    ...     drivers={"motor": {"joint": "A", "speed": 1.0}},
    ... )
    >>> [group.kind for group in m.structure().groups], m.solve(samples=5)
    (['driven R', 'RRR'], <Motion of 'Four-bar': 5 of 5 samples ok>)
    """

    __slots__ = (
        "__weakref__", "_added", "_folder", "_pose", "_source", "_source_dict", "drivers", "duration", "forces",
        "initial", "initial_data", "joints", "links", "places", "remarks", "title", "topology", "units",
    )  # fmt: skip

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
        self, title: str = "", *, units: Mapping[str, str] | None = None, points: Mapping[str, Any] | None = None,
        links: Mapping[str, Any] | None = None, lengths: Mapping[str, Any] | None = None,
        joints: Mapping[str, Any] | None = None, drivers: Mapping[str, Any] | None = None,
        forces: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
        duration: float | str | None = None,
    ) -> None:  # fmt: skip
        """Read the sections and check them."""
        sections = {
            "title": title, "units": units, "points": points, "links": links, "lengths": lengths, "joints": joints,
            "drivers": drivers, "forces": forces, "initial": initial, "duration": duration,
        }  # fmt: skip
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
        return cls._rebuild(data, source, None if folder is None else Path(folder), None)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Load a mechanism from a file: .toml or .json, or one of Linkage, PMKS, PMKS+, MotionGen or Pyslvs.

        For a file of another tool, `remarks` lists what was understood and what was not. The address by which PMKS+
        shares a mechanism may be given instead of a file; nothing is fetched. Raises an `InputError` that lists every
        error of the file, or says why it cannot be read.

        >>> m = Mechanism.load("https://pmks.org/?j=A,0,0,AB,R,t,0,0,t,%0AB,1,0,AB,R,f,0,0,f,&s=10")
        >>> m
        <Mechanism 'PMKS+': 2 links, 1 joint, 1 driver>
        >>> m.remarks
        ('a file of PMKS+: 1 moving link, 1 input', 'lengths are read as cm')
        >>> Mechanism.load("no_such_linkage.toml")
        Traceback (most recent call last):
        structkin.errors.InputError: no_such_linkage.toml: 1 error
          - there is no file 'no_such_linkage.toml'; correct the name, or write its folder before it
        """
        from structkin import files

        sections, _ = files.read(path)
        return cls._rebuild(sections, str(path), Path(path).parent, None)

    def _build(self, data: Mapping[str, Any], source: str, folder: Path | None) -> None:
        # pydantic is slow to import, and decomposing a Topology does not need it
        from structkin.model.assemble import attributes

        self._set(attributes(data, source, folder))
        if self._pose is not None:
            self._set(self._posed(self._pose))

    @classmethod
    def _rebuild(cls, data: Mapping[str, Any], source: str, folder: Path | None, pose: SketchPose | None) -> Self:
        self = cls.__new__(cls)
        self._build(data, source, folder)
        return self if pose is None else self.posed(pose)

    def _set(self, parts: Mapping[str, Any]) -> None:
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a mechanism is immutable."""
        raise AttributeError(f"a Mechanism is immutable: '{name}' cannot be set; make a new one from source_dict")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: a mechanism is immutable."""
        raise AttributeError(f"a Mechanism is immutable: '{name}' cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the data it was built from."""
        return type(self)._rebuild, (self._source_dict, self._source, self._folder, self._pose)

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
        """A fresh copy of the data the mechanism was built from, to modify and build again; of a CSV table its rows."""
        from structkin.model.assemble import plain

        return dict(plain(self._source_dict))

    def with_drivers(self, entries: Mapping[str, Any]) -> Self:
        """Return the mechanism with these entries of [drivers] added to its own.

        >>> arm = Mechanism(points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "arm": ["A", "B"]})
        >>> arm.with_drivers({"motor": {"joint": "A", "speed": 1}})
        <Mechanism '': 2 links, 1 joint, 1 driver>
        """
        data = self.source_dict
        data["drivers"] = {**data.get("drivers", {}), **entries}
        return self._rebuild(data, self._source, self._folder, self._pose)

    def with_initial(self, entries: Mapping[str, Any]) -> Self:
        """Return the mechanism with these entries of [initial] in place of its own.

        >>> arm = Mechanism(points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "arm": ["A", "B"]},
        ...                 drivers={"swing": {"joint": "A"}})
        >>> arm.with_initial({"swing": {"speed": "60 rpm"}}).initial["swing"].speed.__round__(6)
        6.283185
        """
        data = {**self.source_dict, "initial": dict(entries)}
        return self._rebuild(data, self._source, self._folder, self._pose)

    @property
    def points(self) -> Mapping[str, Floats]:
        """The position (2,) [m] of each point in the sketch; exact lengths are not applied."""
        return MappingProxyType(
            {name: read_only(np.array((place.real, place.imag))) for name, place in self.places.items()}
        )

    @property
    def size(self) -> float:
        """The largest extent of the sketch [m]: its width plus its height, or 1 if all points coincide."""
        places = np.array(list(self.places.values()))
        return float(np.ptp(places.real) + np.ptp(places.imag)) or 1.0

    @property
    def _part_sizes(self) -> Mapping[str, float]:
        """The size [m] of the part that each moving link belongs to, or of the whole where that is a single point."""
        from structkin.model.separate_parts import points_of_parts

        sizes = {}
        for link, points in points_of_parts(self).items():
            places = np.array([self.places[point] for point in points], complex)
            sizes[link] = float(np.ptp(places.real) + np.ptp(places.imag)) if len(places) else 0.0
        return {link: size or self.size for link, size in sizes.items()}

    def link_of(self, point: str) -> str:
        """Return the ground if it has the point, else the first link that has it; `InputError` if none does.

        >>> m = Mechanism(points={"A": [0, 0], "B": [1, 0]}, links={"bar": ["A", "B"], "ground": ["A"]})
        >>> m.link_of("A"), m.link_of("B")
        ('ground', 'bar')
        """
        links = [name for name, link in self.links.items() if point in link.local]
        if not links:
            hint = suggest(point, self.places)
            raise InputError([Problem("", f"no link has a point '{point}'", hint)], self.title or "mechanism")
        return GROUND if GROUND in links else links[0]

    def posed(self, pose: SketchPose) -> Self:
        """Return the same mechanism with this pose as its sketch: motions start from it, in its assembly modes.

        `source_dict` remains that of the original sketch, to which its axes and travels refer. Wheels are in mesh in
        the new pose, and their rotations are counted from it.
        """
        return self.with_parts(self._posed(pose))

    def _posed(self, pose: SketchPose) -> dict[str, Any]:
        from structkin.model.posed import posed_parts

        return {**posed_parts(self, pose), "_pose": pose}

    def with_parts(self, parts: Mapping[str, Any]) -> Self:
        """Return a copy with other attributes; `InputError` where a mechanism has none of that name."""
        own = {name: getattr(self, name) for name in Mechanism.__slots__ if name != "__weakref__"}
        if unknown := parts.keys() - own.keys():
            raise InputError(
                [Problem(name, "is not a part", suggest(name, own)) for name in sorted(unknown)], self.title
            )
        other = type(self).__new__(type(self))
        other._set({**own, **parts})
        return other

    # --- its structure --------------------------------------------------------------------------------------

    def structure(self) -> KinematicStructure:
        """Return the kinematic structure of a mechanism: that of its topology, or that of its special geometry.

        The first reads no length. The second is returned where the topology has too many equations but the mechanism
        moves: its `over` names the redundant joints.
        """
        from structkin.solve.special_geometry import structure_of

        return structure_of(self)

    def rank_inputs(
        self, *, kinds: Sequence[str] = INPUT_KINDS, drivers: Sequence[str | Driver] | None = None,
        limit: int = MOST_INPUTS, progress: Callable[[float], None] | None = None,
    ) -> InputRanking:  # fmt: skip
        """Rank the joints, or sets of joints, that could drive the mechanism, as `Topology.rank_inputs` does.

        The travel along a curved slot, which no driver can have, is left out.
        """
        from structkin.structure.inputs.ranking import rank_inputs

        return rank_inputs(self, kinds=kinds, drivers=drivers, limit=limit, progress=progress)

    def four_bars(self) -> tuple[FourBar, ...]:
        """Return every loop of the ground and three links with four pins; the driven link, if any, is the input.

        >>> import structkin as sk
        >>> from structkin.examples import path
        >>> [bars.words for bars in sk.load(path("crank_rocker")).four_bars()]
        ['crank-coupler-rocker: crank-rocker (GCRR); crank turns fully']
        """
        from structkin.branches.four_bar import four_bars

        return four_bars(self)

    def slider_cranks(self) -> tuple[SliderCrank, ...]:
        """Return every loop of ground, crank, rod and a slider with a guide on the ground.

        >>> import structkin as sk
        >>> from structkin.examples import path
        >>> [loop.words for loop in sk.load(path("slider_crank_offset")).slider_cranks()]
        ['crank-rod-piston: slider-crank with an offset of 24 mm; crank turns fully']
        """
        from structkin.branches.four_bar import slider_cranks

        return slider_cranks(self)

    # --- its motion -----------------------------------------------------------------------------------------

    def solve(
        self, samples: int | None = None, *, t: ArrayLike | None = None, drivers: Mapping[str, Any] | None = None,
        duration: float | None = None, method: str = "topological", coordinates: str | None = None,
        branch: str = "smooth", engine: str = "auto", strict: bool = False, budget: float | None = DEFAULT,
        progress: Callable[[float], None] | None = None,
    ) -> Motion:  # fmt: skip
        """Solve position, velocity and acceleration by any method.

        The samples are `samples` times (default 361, both ends included) over `duration` [s] or the mechanism's default
        range, or the times `t` (n,) [s]. `drivers={"motor": values}` prescribes coordinates (n,) [rad or m] directly,
        or `(values, rates, accelerations, jerks)`; rates that are not given are NaN. With `strict=True` a sample
        without a regular pose raises `PoseError`; otherwise it has a `Status`. `progress` is called with the completed
        part of the work. At a change point the motion is smooth; with `branch="mode"` each dyad keeps its assembly
        mode, and the motion changes to the other branch.

        Of the methods, "topological" solves one structural group after another, "topological-kl" forms the rates by the
        velocity coefficients, v = K z' and a = K z'' + z'^T L z'. The global methods solve all constraint equations at
        once by Newton's method in the `coordinates` "natural" (the default), "reference-point", "fully-cartesian" or
        "relative": "global" with full matrices, "global-sparse" with SuperLU, "global-triangular" with the same sparse
        system in the order of the groups. `Motion.statistics` then describes the run.

        `engine` is "python", which never compiles; or "compiled", which compiles the closed forms, general groups and
        the sweeps of "global-triangular" once for this installation, by Numba; or "auto", the faster of the two: up to
        some million samples times groups that is plain Python with NumPy.

        `budget` bounds the work in steps (`structkin.budget`): between samples the drivers' path is followed, and a
        path of thousands of turns, or into a singular pose, may need many more poses than there are samples. None sets
        no bound.

        Raises `InputError` where the arguments do not fit the mechanism or the budget is spent, `StructureError` where
        drivers are missing or too many.

        >>> import structkin as sk
        >>> crank = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
        ...     drivers={"motor": {"joint": "A", "speed": 2}})
        >>> motion = crank.solve(samples=5)
        >>> [round(float(x), 12) for x in motion.velocity("B")[0]]
        [0.0, 2.0]
        """
        from structkin.global_methods.methods import solve

        return solve(
            self, samples, t=t, drivers=drivers, duration=duration, method=method, coordinates=coordinates,
            branch=branch, engine=engine, strict=strict, budget=budget, progress=progress,
        )  # fmt: skip

    def solve_many(
        self, samples: int | None = None, *, parameters: Mapping[str, ArrayLike] | None = None,
        lengths: Mapping[str, ArrayLike] | None = None, points: Mapping[str, ArrayLike] | None = None,
        t: ArrayLike | None = None, drivers: Mapping[str, Any] | None = None, duration: float | None = None,
        engine: str = "auto", budget: float | None = DEFAULT, keep: Sequence[str] | None = None,
        measures: Mapping[str, Callable[[Motions], Any]] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Motions:  # fmt: skip
        """Solve variants of a mechanism that differ in some of its numbers, each over the same samples.

        `parameters={key: values}` (v,) in SI replaces numbers by their keys in the file: "lengths.A-B", "points.P.x",
        "links.crank.mass", "drivers.motor.speed", "forces.spring.stiffness", "joints.guide.stroke.0".
        `lengths={"A-B": values}` (v,) [m] replaces distances of two points of a link, as [lengths] in the file does;
        `points={"P": places}` (v, 2) [m] replaces sketched places. A single length is that of all variants. Numbers
        that are not named stay the same. The samples are those of `solve`; driver values may also be (v, n), one row
        per variant. `variant(k)` of the result is the mechanism with these numbers: solved on its own at the same
        samples, it gives the same numbers to the last digit.

        Each variant starts in the assembly modes of its own sketch. Those that start in other modes than the mechanism,
        and those that pass a change point, or come close to one, are solved individually, in some ten milliseconds
        each. They are found by following the motion of every variant from the sketch, as `solve` does.

        Mechanisms with gears, cams, curved slots with ends, or groups without a closed form, and parameters of joints,
        are solved variant by variant: some ten milliseconds per variant, where others take microseconds. Masses and
        loads change no motion, only the forces of `variant(k)`.

        `keep` names the points and links of which the result keeps position, velocity and acceleration, or angle and
        its rates; of others it has nothing. `measures={name: function}` are functions of the `Motions` of some of the
        variants that return a row for each, (v, ...): `measures` of the result has them for all. With either, memory
        is needed for what is kept, and for some variants at a time; without, for all.

        `budget` applies to each variant that is solved individually, as in `solve`. Results of more than 16 GiB are
        refused.

        A driver with a speed starts at its value in the sketch of each variant.

        An error in one variant does not affect the others: a length that is not positive, a triangle that cannot close,
        values that are not finite, dimensions with which nothing moves, a budget that is spent. Its status is
        `BAD_INPUT`, and `faults` of the result says why. Raises `InputError` where a name or a shape does not fit, or
        no variant has valid values.

        >>> import structkin as sk
        >>> m = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (1, 0), "C": (4, 3), "D": (5, 0)},
        ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        ...     drivers={"motor": {"joint": "A", "speed": 1.0}},
        ... )
        >>> motions = m.solve_many(samples=100, lengths={"B-C": [3.5, 4.0, 4.5], "A-B": [1.0, 0.9, 0.8]})
        >>> motions.position("C").shape, motions.ok.all(axis=1).tolist()
        ((3, 100, 2), [True, True, True])
        """
        from structkin.solve.many.solve_many import solve_many

        return solve_many(
            self, samples, parameters=parameters, lengths=lengths, points=points, t=t, drivers=drivers,
            duration=duration, engine=engine, budget=budget, keep=keep, measures=measures, progress=progress,
        )  # fmt: skip

    def optimise(
        self, parameters: Mapping[str, Any], objective: Measure | Peak | Sequence[Measure | Peak], *,
        limits: Sequence[Limit] = (), samples: int | None = None, t: ArrayLike | None = None,
        drivers: Mapping[str, Any] | None = None, evaluations: int = 200,
        progress: Callable[[float], None] | None = None,
    ) -> Optimum:  # fmt: skip
        """Return the variant of a mechanism whose motion measures best, found by exact derivatives from this one.

        `parameters={"lengths.A-B": (low, high)}` are the numbers of the file that may vary, by the names of
        `Motion.sensitivity`, masses and loads among them, and their bounds in SI and radians. The objective is one
        measure or several from `structkin.design`, such as `path("P", places)`, or of one's own; the sum of squares of
        all their numbers is minimised, of `effort("motor").peak()` that of the largest. `limits` are measures `between`
        numbers. The motion is solved at the samples of `solve`, whose times are those of this mechanism for all
        variants.

        The search goes downhill from this mechanism and ends where no small change improves it: there may be better
        variants elsewhere. Each step towards a variant that cannot be assembled at all samples is shortened. At most so
        many `evaluations` (motions) are made; `progress` is called with the part of them that is done, and what it
        raises ends the search. The result has the best variant, its values, and says why the search
        ended, which limits it misses if none meets all, and what samples miss of a stroke; its motion was solved as a
        whole.

        Raises `InputError` that lists unknown and repeated parameters, those that cannot vary alone, and bounds that
        are reversed, not numbers, or do not hold the present value; measures of what there is not, and wishes that
        contradict each other; and where this mechanism cannot be assembled at all samples.

        >>> import numpy as np, structkin as sk
        >>> from structkin.design import path
        >>> crank = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (2, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
        ...     drivers={"motor": {"joint": "A", "speed": 1.0}})
        >>> t = np.linspace(0, 1, 5)
        >>> wish = path("B", 3 * np.stack((np.cos(t), np.sin(t)), axis=1))
        >>> best = crank.optimise({"lengths.A-B": (1, 5)}, wish, t=t)
        >>> round(best.values["lengths.A-B"], 9), best.words
        (3.0, 'no small change improves it')
        """
        from structkin.design.measures import Measure, Peak
        from structkin.design.optimise import optimise

        objective = (objective,) if isinstance(objective, Measure | Peak) else tuple(objective)
        return optimise(self, parameters, objective, limits, samples, t, drivers, evaluations, progress)

    def tolerances(
        self, parameters: Mapping[str, Any], measures: Sequence[str] | Mapping[str, str], *,
        clearances: Mapping[str, float] | None = None, distribution: Literal["normal", "uniform"] = "normal",
        variants: int = 4096, plan: Literal["sobol", "random"] = "sobol", seed: int = 0, samples: int | None = None,
        t: ArrayLike | None = None, drivers: Mapping[str, Any] | None = None, duration: float | None = None,
        budget: float | None = DEFAULT, progress: Callable[[float], None] | None = None,
    ) -> Tolerances:  # fmt: skip
        """Return what tolerances make of a motion: linear, worst case and Monte Carlo side by side.

        `parameters={"lengths.A-B": 1e-4}` are the tolerances of numbers of the file, by the names of
        `Motion.sensitivity`, in SI and radians: one number for plus and minus, deviations (lower, upper), or
        {"sigma": s}, a standard deviation. Between limits the `distribution` is "normal", with the limits at three
        standard deviations, or "uniform". `clearances={"B": 2e-5}` are those of pins [m], the difference of the radii
        of hole and pin: the pin lies anywhere in a circle of that radius, or in the worst direction, the same over a
        motion in the frame of the pin's first link.

        `measures` are the names of `sk.study` for `x`, `y`, `speed` of a point, `angle`, `omega` of a link:
        REDUCER.QUANTITY.NAME such as "max.y.P", or QUANTITY.NAME for every sample; or a name for each. The samples are
        those of `solve`; one pose is `drivers={"motor": [0.5]}`. So many `variants` are drawn by a scrambled Sobol
        sequence ("sobol", a power of two is best) or "random", and solved by `solve_many`, in parts that fit into
        memory. Numbers of joints, and mechanisms that it solves one by one, take some ten milliseconds per variant.

        Variants without a good pose are counted in the result, and named in its `notes`. Raises `InputError` that lists
        every mistake: unknown and repeated parameters, those that others fix, tolerances that are not greater than
        zero, reversed or not numbers, clearances of what is no pin, unknown measures.

        >>> import structkin as sk
        >>> crank = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (0.1, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
        ...     drivers={"motor": {"joint": "A", "speed": 1.0}})
        >>> found = crank.tolerances({"lengths.A-B": 3e-4}, ["x.B"], drivers={"motor": [0.0]})
        >>> found["x.B"].rss.round(9).tolist(), found["x.B"].worst.round(9).tolist()
        ([[0.0997, 0.1003]], [[0.0997, 0.1003]])
        """
        from structkin.design.tolerances import tolerances

        return tolerances(
            self, parameters, measures, clearances or {}, distribution, variants, plan, seed, samples, t, drivers,
            duration, budget, progress,
        )  # fmt: skip

    @overload
    def compare(
        self, samples: int | None = None, *, simulate: None = None, methods: Sequence[str] | None = None,
        coordinates: Sequence[str] | None = None, duration: float | None = None, patience: float | None = 30.0,
        memory: bool = False, budget: float | None = DEFAULT, progress: Callable[[float], None] | None = None,
    ) -> Comparison: ...  # fmt: skip

    @overload
    def compare(
        self, samples: int | None = None, *, simulate: ArrayLike, free: Sequence[str] = (),
        methods: Sequence[str] | None = None,
        coordinates: Sequence[str] | None = None, stabilisations: Sequence[str] | None = None,
        alpha: float | None = None, beta: float | None = None, rtol: float | None = None,
        patience: float | None = 30.0, memory: bool = False, progress: Callable[[float], None] | None = None,
    ) -> FormulationComparison: ...  # fmt: skip

    def compare(
        self, samples: int | None = None, *, simulate: ArrayLike | None = None, free: Sequence[str] = (),
        methods: Sequence[str] | None = None,
        coordinates: Sequence[str] | None = None, stabilisations: Sequence[str] | None = None,
        alpha: float | None = None, beta: float | None = None, rtol: float | None = None,
        duration: float | None = None, patience: float | None = 30.0, memory: bool = False,
        budget: float | None = DEFAULT, progress: Callable[[float], None] | None = None,
    ) -> Comparison | FormulationComparison:  # fmt: skip
        """Solve by each method, or these `methods`, the global ones in each family of `coordinates`, and compare.

        The topological method is always included as the reference. Another method that takes longer than `patience` [s]
        for a solution is abandoned; None waits for all. Times are medians of five runs or more, in turns with the other
        methods, after one that fills the caches; processor time is hardly affected by other programs. `memory` also
        traces the peak memory of each method, which makes that run up to ten times slower. `budget` is that of each
        solution, as in `solve`. `progress` is called with the completed part of the work.

        With `simulate`, an end time [s] or output times (n,), the formulations of `simulate` are compared instead:
        `methods` are "reduced", "multipliers", "multipliers-sparse" and "multipliers-sweeps", those with multipliers in
        each family and with each of the `stabilisations` (default: "projection"; "baumgarte" and "augmented" need the
        gains `alpha` and `beta` [1/s]); `free` is that of `simulate`. The reduced equations are always included. All
        have the relative tolerance `rtol` (default: 1e-10), and the reference is the reduced equations at a hundredth
        of it.

        Raises what `solve` and `simulate` raise, and `InputError` where a name is unknown or an argument does not
        belong to what is compared.

        >>> import structkin as sk
        >>> m = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (1, 1), "C": (4, 3), "D": (5, 0)},
        ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        ...     drivers={"motor": {"joint": "A", "speed": 1.0}})
        >>> found = m.compare(73, methods=["global"], coordinates=["natural"])
        >>> [(run.method, run.n, run.most_iterations) for run in found.runs]
        [('topological', None, 0), ('global', 4, 3)]
        >>> found.agrees
        True
        """
        if simulate is not None:
            from structkin.dynamics.formulations_compared import compare_formulations

            return compare_formulations(
                self, simulate, samples, free=free, methods=methods, coordinates=coordinates,
                stabilisations=stabilisations, alpha=alpha, beta=beta, rtol=rtol, duration=duration,
                patience=patience, memory=memory, budget=budget, progress=progress,
            )  # fmt: skip
        from structkin.global_methods.compare import compare

        return compare(
            self, samples, methods=methods, coordinates=coordinates, duration=duration, patience=patience,
            memory=memory, budget=budget, progress=progress,
            of_simulations={
                "free": free or None, "stabilisations": stabilisations, "alpha": alpha, "beta": beta, "rtol": rtol,
            },
        )  # fmt: skip

    def compare_measured(
        self, path: str | Path, *, columns: Mapping[str, str | int] | None = None, budget: float | None = DEFAULT
    ) -> MeasuredComparison:
        """Compare measured data in a CSV file with the motion of the model.

        The columns of the file are found by their titles: "t" (or the name of the driver) and quantities such as "P.x",
        "rocker.angle" or "guide.travel", each with its unit in brackets if that is not the file's. Where titles are
        others, such as those of a video tracker, `columns` maps quantities to titles, or to numbers of columns from 1.
        The model is solved at the measured times or driver values; the result has residuals, their root mean squares,
        and the lag, or why no lag explains the data.

        Raises `InputError` for a file that cannot be read, a quantity that the mechanism does not have, and what
        `solve` raises.

        >>> import structkin as sk, tempfile, pathlib
        >>> m = sk.Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
        ...                  drivers={"motor": {"joint": "A", "speed": 1.0}})
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "tracker.csv"
        >>> _ = file.write_text("\\n".join(["time;px", "0;1.01", "0.5;0.89", "1;0.55"]))
        >>> found = m.compare_measured(file, columns={"t": "time", "B.x": "px"})
        >>> [(one.name, round(one.rms, 4)) for one in found.columns]
        [('B.x', 0.0108)]
        """
        from structkin.solve.measured import compare_measured

        return compare_measured(self, Path(path), columns, budget)

    def constraints(
        self, family: str = "natural", *, drivers: Sequence[str] | None = None,
        structure: KinematicStructure | None = None,
    ) -> Coordinates:  # fmt: skip
        """Return Phi(q, t), its Jacobian and its right-hand sides for a mechanism, in one family of coordinates.

        `drivers` are the prescribed ones, each with its own row (default: all of them); without any, Phi contains only
        the joints, as forward dynamics needs it. Raises `InputError` where the family or a driver is unknown.

        >>> import structkin as sk
        >>> m = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (1, 1), "C": (4, 3), "D": (5, 0)},
        ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        ...     drivers={"motor": {"joint": "A", "speed": 1.0}})
        >>> four_bar = m.constraints("natural")
        >>> four_bar.n, four_bar.names
        (4, ('B.x', 'B.y', 'C.x', 'C.y'))
        >>> [str(row) for row in four_bar.rows][:2]
        ['coupler (constant distance)', 'rocker (constant distance)']
        >>> [m.constraints(family).n for family in ("reference-point", "fully-cartesian", "relative")]
        [9, 12, 3]
        """
        from structkin.global_methods.families.make import constraints

        return constraints(self, family, drivers=drivers, structure=structure)

    def simulate(
        self, t: ArrayLike | None = None, *, samples: int | None = None, free: Sequence[str] = (),
        formulation: str = "reduced", coordinates: str | None = None, stabilisation: str | None = None,
        alpha: float | None = None, beta: float | None = None, gains: str | None = None, penalty: float | None = None,
        # `RTOL` of the table and a tenth of it, written out for those who read the signature.
        integrator: str = "DOP853", step: float | None = None, rtol: float = 1e-9, atol: float = 1e-10,
        loads: Iterable[Callable[..., Any]] = (), max_steps: int = 1_000_000, engine: str = "auto",
        progress: Callable[[float], None] | None = None,
    ) -> Simulation:  # fmt: skip
        """Return the motion of a mechanism under its masses and forces.

        Drivers without a law are free coordinates; they start at `[initial]`, or at rest in the sketch. Where drivers
        are missing, joints are chosen for them. Drivers named in `free` are free coordinates although they have laws,
        and start with the value and the speed of these. `t` holds the output times (n,) [s], increasing from the start;
        or it is the end time, for `samples` times from 0; default: the mechanism's duration.

        `formulation` is "reduced": one equation per free coordinate; or that of all links with a Lagrange multiplier
        for each constraint: "multipliers" with a dense matrix, "multipliers-sparse", or "multipliers-sweeps" through
        the groups; in the `coordinates` "natural" (the default), "reference-point", "fully-cartesian" or "relative".
        There the `stabilisation` keeps the joints closed: "projection" of position and velocity after each step (the
        default), "partitioning" (the default with BDF and LSODA), "baumgarte", "augmented" (augmented Lagrangian, with
        a `penalty`), or "none". The first two of these need gains, `alpha` and `beta` [1/s], or `gains="step"` (alpha =
        1/h, beta = sqrt(2)/h) or `gains="stability"` (from the integrator's stability region).

        `integrator` is one of SciPy's with adaptive steps ("DOP853", "RK45"; for stiff motions, as with hard contacts,
        "LSODA", "Radau", "BDF"), or "milne" (Adams, Bashforth and Moulton's with halving and doubling), with `rtol` and
        `atol` [rad, or parts of the mechanism's size]; or one with a fixed `step` [s] ("euler", "rk2", "rk4", "abm4",
        "gear4"), which is reduced slightly to meet the output times. `loads` are functions of (t, state), as for
        `Motion.forces`.

        `engine` evaluates the equations: "python", or "compiled", which compiles them once for this installation; or
        "auto", which goes on compiled where the work is worth it.

        A pose that cannot be reached or is singular, a state that diverges, and a step that becomes too small end the
        simulation: it returns the part up to there, and says why in `stopped`. Raises `InputError` for wrong arguments,
        for coordinates that move no mass, for a start out of reach, and where one of `loads` raises or returns
        something else than loads at the start; `StructureError` where there are too many drivers.

        >>> import structkin as sk
        >>> pendulum = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (1, 0)}, forces={"gravity": (0, -9.81)}, drivers={"swing": {"joint": "A"}},
        ...     links={"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 1}}})
        >>> r = pendulum.simulate(2.0, samples=5)
        >>> r, bool(abs(r.energy - r.energy[0]).max() < 1e-7)
        (<Simulation of 'a mechanism': 5 samples, t to 2 s>, True)
        """
        from structkin.dynamics.simulate import simulate

        return simulate(
            self, t, samples=samples, free=free, formulation=formulation, coordinates=coordinates,
            stabilisation=stabilisation, alpha=alpha, beta=beta, gains=gains, penalty=penalty, integrator=integrator,
            step=step, rtol=rtol, atol=atol, loads=loads, max_steps=max_steps, engine=engine, progress=progress,
        )  # fmt: skip

    def reduced(self, *, loads: Iterable[Callable[..., Any]] = (), engine: str = "auto") -> ReducedEquations:
        """Return the reduced equations of motion as matrices at any state: M(z) z'' = Q(z, z', t) - h(z, z').

        The coordinates z are all drivers, also those with a law; where drivers are missing, joints are chosen for them
        as in `simulate`. `loads` and `engine` are those of `simulate`: with "auto" the equations are compiled after
        some hundred states, if Numba has compiled them before on this machine. Raises what `simulate` raises for its
        arguments and its start.

        >>> import structkin as sk
        >>> pendulum = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (1, 0)}, forces={"gravity": (0, -9.81)}, drivers={"swing": {"joint": "A"}},
        ...     links={"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 2}}})
        >>> equations = pendulum.reduced()
        >>> M, h, Q = equations(z=[0.0], dz=[3.0])
        >>> equations.coordinates, M.tolist(), (h + 0.0).round(12).tolist(), Q.tolist()
        (('swing',), [[2.0]], [0.0], [-19.62])
        """
        from structkin.dynamics.matrices import ReducedEquations

        return ReducedEquations(self, loads, engine)

    # --- its range and its assemblies -----------------------------------------------------------------------

    def limits(
        self, driver: str | None = None, *, drivers: Mapping[str, float] | None = None,
        range: tuple[float, float] | None = None, budget: float | None = DEFAULT,
        progress: Callable[[float], None] | None = None,
    ) -> Limits:  # fmt: skip
        """Find how far a driver moves from the sketch and what ends its motion, to rounding (not by sampling).

        The other drivers are held at the values in `drivers` [rad or m], or as in the sketch. `driver` may be left out
        where there is only one. `range` bounds the search; without it an angle is followed over a full turn (with
        wheels over the turns after which they repeat, or four turns in each direction if they never do), and a length
        over several times the size of the mechanism. `budget` bounds the number of steps; None sets no bound.
        `progress` is called with the steps taken so far.

        Raises `InputError` where the arguments do not fit the mechanism or the budget is spent, `StructureError` where
        drivers are missing or too many.

        >>> import math
        >>> import structkin as sk
        >>> m = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (0, 2), "C": (3, 3), "D": (3, 0)},
        ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        ...     lengths={"B-C": 1.5, "C-D": 2.5}, drivers={"motor": {"joint": "A", "speed": 1}})
        >>> found = m.limits()
        >>> found.turns_fully, found.upper.kind, round(math.cos(found.upper.value), 12)
        (False, 'stretched', -0.25)
        """
        from structkin.branches.limits.search import limits

        return limits(self, driver, drivers=drivers, range=range, budget=budget, progress=progress)

    def circuits(
        self, driver: str | None = None, *, drivers: Mapping[str, float] | None = None,
        range: tuple[float, float] | None = None, most: int = 1000, budget: float | None = DEFAULT,
        progress: Callable[[float], None] | None = None,
    ) -> Circuits:  # fmt: skip
        """Find all circuits and branches over the range of one driver, for groups of any kind.

        The search is complete: the places at which the number of poses changes are all found, by the discriminants of
        closed forms (`by_closed_forms.py`) and of other groups. Only a general group with redundant joints, which has
        no discriminant, is examined at some dozens of places along each curve of the groups before it; and a follower
        on the outline of a cam is taken where it touches it in the sketch. The arguments are those of `limits`. Raises
        `InputError` where the assemblies of a group are not enumerated, where the budget is spent, or where there are
        more than `most` branches.

        >>> import structkin as sk
        >>> from structkin.examples import path
        >>> print(sk.load(path("stephenson_iii_triad")).circuits().report.splitlines()[0])
        2 circuits of 2 branches over motor
        """
        from structkin.branches.circuits.followed import circuits

        return circuits(
            self, driver, drivers=drivers, range=range, most=most, budget=budget, progress=progress
        )  # fmt: skip

    def assemblies(
        self, *, drivers: Mapping[str, float] | None = None, t: float | None = None, limit: int | None = 1000,
        modes: Mapping[int, Sequence[int]] | None = None, budget: float | None = DEFAULT,
    ) -> Assemblies:  # fmt: skip
        """Return all assemblies of a mechanism at given driver values [rad or m], found on request.

        Drivers that are not given have their values in the sketch or, with `t` [s], those of their laws at that time.
        Closed forms supply both modes of a dyad and all of a triad, homotopies those of every other group (no solution
        is missed: the paths start from as many solutions as such a group has). At most `limit` are found; None finds
        all. Groups named in `modes` keep these modes, as in `Assembly.modes`: with all groups before one fixed, the
        assemblies show the modes of this one. The modes of a group that is not enumerated are searched for; the pose
        that a motion from the sketch reaches is among them, and `complete` is False. `budget` bounds the steps from one
        assembly to the next; when it is spent, an `InputError` says how many were found. None sets no bound.

        Raises `InputError` for drivers, values or modes that do not fit, `StructureError` where drivers are missing or
        too many.

        >>> import structkin as sk
        >>> m = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (3, 0)},
        ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        ...     drivers={"motor": {"joint": "A", "speed": 1}})
        >>> [(a.modes, a.position("C").round(3).tolist(), a.certified) for a in m.assemblies()]
        [(((), (1,)), [3.0, 2.0], True), (((), (-1,)), [1.8, -1.6], True)]
        """
        from structkin.branches.assemblies.listing import assemblies

        return assemblies(self, drivers=drivers, t=t, limit=limit, modes=modes, budget=budget)

    def assembly(
        self, index: int | None = None, *, where: Callable[[Assembly], bool] | None = None,
        drivers: Mapping[str, float] | None = None, t: float | None = None, limit: int | None = 1000,
        budget: float | None = DEFAULT,
    ) -> Assembly:  # fmt: skip
        """Return one assembly: number `index`, or the first for which `where(assembly)` holds, else the sketch's.

        That is the one that `solve` reaches from the sketch, whatever the limit; where it does not reach these driver
        values, the nearest to the sketch. Raises `PoseError` where there is no such assembly; its text says which
        groups do not close.
        """
        from structkin.branches.assemblies.listing import assembly

        return assembly(self, index, where=where, drivers=drivers, t=t, limit=limit, budget=budget)

    # --- pictures, pages and files --------------------------------------------------------------------------

    def report(
        self, path: str | Path | None = None, *, motion: Motion | None = None, samples: int = 361,
        duration: float | None = None, without: Collection[str] = (),
        comparison: FormulationComparison | None = None, worksheet: int | str | None = None, source: str = "",
        author: str = "", date: str | None = None, budget: float | None = DEFAULT,
        progress: Callable[[str, float], None] | None = None,
    ) -> Page:  # fmt: skip
        """Return a page of HTML that shows a mechanism and its motion, and write it to a path that ends in .html.

        The page needs only a browser, and no network. The results come first: how far the drivers go, what they need,
        where points get, the largest forces. Then the mechanism moves, its groups are solved step by step, and plots,
        limits, forces and tables follow as far as the mechanism has them. It shows the `motion`, or else that of
        `solve` with this number of `samples` over `duration` [s]. Sections named in `without` are left out: "inputs",
        "steps", "rates", "coefficients", "centres", "limits", "transmission", "forces", "ranges". A `comparison` of
        simulations, `m.compare(simulate=...)`, is added as a table and a picture, and a `worksheet` at this sample, or
        in the pose of the largest joint force, "hardest". `author`, `date` (default: today, or the day of
        SOURCE_DATE_EPOCH) and `source`, the name of the mechanism's file, are printed below the title; `budget` bounds
        the steps of the motion and of the limits of each driver. A mechanism whose drivers do not determine it is shown
        at rest, with the reason; one that cannot be assembled with the gap that is left. Raises `InputError` for
        unsuitable arguments.

        >>> import structkin as sk
        >>> from structkin.examples import path
        >>> html = sk.load(path("crank_rocker")).report(samples=13)
        >>> html[:15], "http://" in html.split("</style>")[0]
        ('<!doctype html>', False)
        """
        from structkin.report.report import report

        return report(
            self, path, motion=motion, samples=samples, duration=duration, without=without, comparison=comparison,
            worksheet=worksheet, source=source, author=author, date=date, budget=budget, progress=progress,
        )  # fmt: skip

    def plot(self, *, groups: bool = True) -> Figure:
        """Return a kinematic diagram of the mechanism as sketched, its links coloured by group.

        With `groups=False` all links have one colour and no group is named, for exercises.
        """
        from structkin import show

        return show.draw_schematic(self, groups=groups)

    def _repr_html_(self) -> str:
        from structkin import show

        return show.html_table(show.mechanism_table(self))

    def widget(self) -> AnyWidget:
        """Return the mechanism for a notebook: its drawing, which can be played (needs anywidget).

        It moves as `solve` moves it; a mechanism whose drivers do not determine it stands still. Raises `InputError`
        where anywidget is missing.
        """
        from structkin import show

        return show.widget(self)

    def save(self, path: str | Path, *, motion: Motion | None = None) -> None:
        """Write the mechanism to a file; the suffix selects the format, see `structkin.files.FORMATS`.

        A mechanism file, .toml or .json, loads as the same mechanism: every number is the same to the last bit.
        Formats that show or hold a motion take `motion`. Raises an `InputError` that lists everything the format
        cannot hold; a file is written whole or not at all.

        >>> import tempfile
        >>> arm = Mechanism("Arm", points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "bar": ["A", "B"]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     arm.save(f"{folder}/arm.toml")
        ...     Mechanism.load(f"{folder}/arm.toml")
        <Mechanism 'Arm': 2 links, 1 joint, 0 drivers>
        """
        from structkin import files

        files.write(self, path, motion=motion)

    def to_spatial(self, *, drivers: str = "refuse") -> SpatialModel:
        """Return a planar mechanism as a model in space: in the plane z = 0, in its state at time 0.

        Revolute, prismatic and fastened joints, straight and circular slots, masses, gravity, springs, forces, moments
        and efforts are carried over. The start is that of `simulate`. A driver with a law is refused, or with
        `drivers="free"` becomes a free coordinate that starts with the value and the rate of its law. Strokes are
        limits that only a motion checks; they are left out. Raises `InputError` that lists all that has no counterpart
        in space.

        >>> import structkin as sk
        >>> from structkin.examples import path
        >>> sk.load(path("andrews_squeezer")).to_spatial(drivers="free")
        <SpatialModel "Andrews' squeezer": 7 bodies, 10 joints>
        """
        from structkin.dynamics.to_spatial import to_spatial

        return to_spatial(self, drivers=drivers)

    def equations(
        self, *, free: Collection[str] = (), loops: str = "auto", numbers: bool = False, shared: bool | None = None,
        independent: Sequence[str] = (), ratios: Mapping[str, tuple[str, float]] | None = None,
        solved: Sequence[ExplicitLoop] = (),
    ) -> Equations:  # fmt: skip
        """Return the equations of motion in minimal coordinates, as formulas to read and to run (needs SymPy).

        M q'' + h = f (+ W lambda), of the model in space (`to_spatial`): coordinates are those of its joints, 0 at time
        0, and `start` has their rates. Drivers without a law are independent; a law is a function of t in the
        equations, unless its driver is named in `free`. Distances of drivers are cylinders without mass. Loops are
        solved for their dependent coordinates where these have a closed form, the others have multipliers
        (`loops="auto"`); "explicit" refuses the others, "multipliers" solves none. The other options are those of
        `SpatialModel.equations`. Raises `InputError` where nothing has a mass or is free to move, and for all that has
        no counterpart in space.

        >>> import structkin as sk
        >>> pendulum = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (0, -1)}, forces={"gravity": (0, -9.81)}, drivers={"swing": {"joint": "A"}},
        ...     links={"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 1}}})
        >>> found = pendulum.equations()
        >>> found.M[0], found.f[0]
        (l_rod**2*m_rod, -g*l_rod*m_rod*sin(q_A))
        """
        from structkin.dynamics.to_spatial import equations

        return equations(
            self, free=free, loops=loops, numbers=numbers, shared=shared, independent=independent, ratios=ratios,
            solved=solved,
        )  # fmt: skip


load = Mechanism.load
