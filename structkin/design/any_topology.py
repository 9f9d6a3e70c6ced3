"""Linkages of one mechanism with other dimensions: many at once, of any topology.

The dimensions are those of a drawing: coordinates of pins, and angles of guides. Only the shapes of links are read from
it, not its pose, so one combination of the dimensions may change nothing. A gear on the ground that meshes with the
crank's is a second driver, at its own phase plus a ratio times the crank's angle; the phase is a dimension, too. The
formulas of all groups are written down as one graph of operations (`structkin.solve.functional`) and derived backward
(`structkin.kernels.symbols`), for the tracer and for the discriminants of the dyads. Lanes are last, as in
`structkin.design.loops`: dimensions (p, k), modes (d, k) of d dyads, crank angles (n, k) [rad].

Groups without a closed form, such as triads, have the formulas of a step of Newton's method. Their poses are followed
from the drawing, in which any places of pins are a pose, to the crank angles, all linkages at once. One more step from
there is a formula with the derivatives of the pose itself. Where a group is lost, or nearly singular, all is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.joints.guide import Guide
from structkin.joints.pair import Pair
from structkin.joints.turn_coupling import TurnCoupling
from structkin.kernels.store import plain
from structkin.kernels.symbols import Graph, Term, gradient
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.numerical_tolerances import LEAST_POSITIVE, ROUNDING
from structkin.solve.functional.formulas import Closed, Formulas, formulas_of
from structkin.solve.functional.function import is_followed
from structkin.solve.sensitivity.parameters import read_parameters
from structkin.types import Complexes, Flags, Floats

#: Lanes that are evaluated at a time: their numbers stay in cache.
BLOCK = 8192
#: The turn of the crank in a step of following [rad], and in the first, which gives the direction of the next; lanes
#: that are followed together.
STEP, FIRST, TOGETHER = 0.15, 0.01, 2048
#: With general groups: how far around the given mechanism half of all linkages are drawn, in parts of the distance to
#: the next pin; their number as a power of two; how many are followed, and for how many steps.
SCATTER, FOLLOWED_DRAWS = 0.6, 13
FOLLOWED_STAGES = ((240, 30), (80, 60), (40, 150), (20, 600))
#: The keys of a joint without numbers, and that of a number which is a dimension.
KEYS = {"type", "links", "at", "along", "pin", "slot", "on", "axis"}
#: Those of a gear or a belt.
WHEELS = {"type", "links", "teeth", "ratio", "internal", "crossed", "carrier"}


class AnyLinkage:
    """The linkages of one mechanism, driven by a crank at the ground, with one of its points as the tracer."""

    #: As of one dyad, see `structkin.design.loops`.
    limited, enough, rounds, draws = slice(0, None), 10.0, 2, 17
    stages: tuple[tuple[int, int], ...] = ((960, 30), (320, 60), (120, 150), (60, 1000), (30, 3000))

    def __init__(self, mechanism: Mechanism, point: str) -> None:
        """Write down the formulas of a mechanism that `refused` lets pass; `InputError` if no link has two pins."""
        self.name, self.point = mechanism.title or "mechanism", point
        self.sections = _sections(mechanism, point)
        self.points = tuple(self.sections["points"])
        self.guides = [id for id, entry in self.sections["joints"].items() if "axis" in entry]
        base = Mechanism(self.name, **_without_gears(self.sections, mechanism))
        if not self._pairs:
            problem = Problem("mechanism", "has no link with two pins", "give a linkage, such as a six-bar")
            raise InputError([problem], self.name)
        names = [*(f"points.{name}.{axis}" for name in self.points for axis in "xy")]
        names += [f"joints.{id}.axis" for id in self.guides]
        parameters = read_parameters(base, names)
        formulas = formulas_of(base, parameters)
        # Dimensions are the coordinates, then the guides' axes, then the gears' phases.
        (self._crank, *gears), self._ratios = base.drivers, _ratios(mechanism)
        ends = np.cumsum([2 * len(self.points), len(self.guides), len(gears)]).tolist()
        self.size, self._xy = ends[-1], ends[0]
        self._axes, self._phases = slice(ends[0], ends[1]), slice(ends[1], ends[2])
        self._graph = Graph()
        self._p = [self._graph.load(f"p{k}") for k in range(self.size)]
        self._angle: Term = self._graph.load("z")
        #: The first points of the crank, and of the links with guides: two have the direction of the link.
        links = [base.drivers[self._crank].links[1], *(base.joints.of(Guide)[id].carrier for id in self.guides)]
        self._arms = [
            [] if link == base.topology.ground else [self.points.index(name) for name in base.links[link].local][:2]
            for link in links
        ]
        #: The poses of the general groups after a step of Newton's method, in the drawing, and what tells of the step.
        self._pose: list[Term] = []
        self._drawing: list[Term] = []
        self._tests: list[Term] = []
        self._discriminants, self._places, modes = self._written(formulas, links[1:])
        self.dyads = len(modes)
        #: Random numbers that draw a linkage.
        self.numbers = self.size + self.dyads
        ground = base.links[base.topology.ground].points
        self.pivots = tuple(slice(2 * k, 2 * k + 2) for k, name in enumerate(self.points) if name in ground)
        start, *others = (drive.start for drive in base.drivers.values())
        if self._pose and gears:
            hint = "leave out the gears, or the links of the group"
            raise InputError(
                [Problem("joints", "gears are fitted only beside groups with closed forms", hint)], self.name
            )
        phases = [own - ratio * start for own, ratio in zip(others, self._ratios, strict=True)]
        own = np.array([*(parameter.value for parameter in parameters), *phases])[:, None]
        #: Its own dimensions, and how far around them linkages are drawn.
        self._own, self._reach = own, SCATTER * np.array([parameter.reach for parameter in parameters])[:, None]
        if self._pose:
            self.draws, self.stages, self.enough = FOLLOWED_DRAWS, FOLLOWED_STAGES, 3.0
        self.mirror = self._mirrored_modes(own, np.array(modes), np.array([[start]]))

    # --- formulas ---------------------------------------------------------------------------------------------

    def _written(self, formulas: Formulas, carriers: Sequence[str]) -> tuple[list[Term], list[Term], list[float]]:
        """Return the discriminants, the coordinates of the points and of links' directions, and the sketch's modes."""
        p: dict[str, Any] = {f"p{k}": symbol for k, symbol in enumerate(self._p)}
        x: list[Any] = [0.0] * formulas.rows
        numbers = formulas.numbers.at(p, np)
        for row, number in zip(formulas.held, numbers, strict=False):
            x[row] = number
        angles: dict[str, Term] = {self._crank: self._angle}
        others = [id for id, _, _ in formulas.drivers if id != self._crank]
        for id, phase, ratio in zip(others, self._p[self._phases], self._ratios, strict=True):
            angles[id] = phase + ratio * self._angle
        for id, row, sign in formulas.drivers:
            x[row : row + 2] = [np.cos(angles[id]), sign * np.sin(angles[id])]
        found: list[Term] = []
        modes: list[float] = []
        for step in formulas.steps:
            values = {name: x[item] if isinstance(item, int) else item for name, item in step.inputs.items()}
            if not isinstance(step, Closed):
                values |= {f"c{k}": numbers[step.constants + k] for k in range(step.count)}
                values |= {f"s{k}": self._graph.load(f"s{len(self._pose) + k}") for k in range(step.width)}
                *pose, change, determinant = step.step.at(values, np)
                x[step.first : step.first + step.width] = pose
                self._pose += pose
                self._drawing += step.drawn.at(p, np)
                self._tests += [change, determinant]
                continue
            if step.discriminant is not None:
                (one,) = step.discriminant.at(values, np)
                found.append(one if step.sign > 0 else -one)
                values["root"] = self._graph.load(f"m{len(modes)}") * np.sqrt(found[-1])
                modes.append(float(step.mode))
            pose = step.pose.at(values, np)
            x[step.first : step.first + len(pose)] = pose
        known = p | {f"x{row}": value for row, value in enumerate(x)}
        known |= {f"z{id}": angle for id, angle in angles.items()}
        outputs = formulas.outputs.at(known, np)
        at = {link: self._xy + 2 * k for k, link in enumerate(formulas.links)}
        turned = [x for link in carriers for x in (outputs[at[link] : at[link] + 2] if link in at else (1.0, 0.0))]
        return found, [*outputs[: self._xy], *turned], modes

    def _function(self, wanted: Sequence[Term]) -> Callable[..., Any]:
        names = [*(f"p{k}" for k in range(self.size)), "z", *(f"m{k}" for k in range(self.dyads))]
        names += [f"s{k}" for k in range(len(self._pose))]
        lines = [f"def found({', '.join(names)}):", *self._graph.lines_of_arrays(wanted)]
        lines.append(f"return {', '.join(map(self._graph.name, wanted))},")
        function: Callable[..., Any] = plain(
            "a linkage", "from numpy import cos, sin, sqrt\n" + "\n    ".join(lines)
        ).found
        return function

    @property
    def returns(self) -> bool:
        """Whether a whole turn of the crank brings all gears back."""
        return all(abs(ratio - round(ratio)) < ROUNDING for ratio in self._ratios)

    @property
    def _tracer(self) -> list[Term]:
        k = 2 * self.points.index(self.point)
        return self._places[k : k + 2]

    @cached_property
    def _traced(self) -> Callable[..., Any]:
        return self._function([*self._tracer, *self._discriminants])

    @cached_property
    def _rated(self) -> Callable[..., Any]:
        rates = [gradient(self._graph, term, [*self._p, self._angle]) for term in self._tracer]
        return self._function([*self._tracer, *self._discriminants, *rates[0], *rates[1]])

    @cached_property
    def _closed(self) -> Callable[..., Any]:
        rates = [rate for term in self._discriminants for rate in gradient(self._graph, term, self._p)]
        return self._function([*self._discriminants, *rates])

    @cached_property
    def _drawn(self) -> Callable[..., Any]:
        return self._function(self._places)

    @cached_property
    def _sketched(self) -> Callable[..., Any]:
        return self._function(self._drawing)

    @cached_property
    def _stepped(self) -> Callable[..., Any]:
        """A function of dimensions that returns one of angle, modes and poses: of a step of Newton's method."""
        names = ["z", *(f"m{k}" for k in range(self.dyads)), *(f"s{k}" for k in range(len(self._pose)))]
        wanted = [*self._pose, *self._tests]
        still, moving = self._graph.lines_around(wanted, names)
        moving = [f"def found({', '.join(names)}):", *moving, f"return {', '.join(map(self._graph.name, wanted))},"]
        lines = [
            f"def given({', '.join(map(self._graph.name, self._p))}):",
            *still,
            "\n        ".join(moving),
            "return found",
        ]
        function: Callable[..., Any] = plain(
            "steps of a linkage", "from numpy import cos, sin, sqrt\n" + "\n    ".join(lines)
        ).given
        return function

    def _values(self, function: Callable[..., Any], count: int, x: Floats, mode: Floats, theta: Floats) -> Floats:
        """Return the values (count, n, k) of a function, block by block of lanes."""
        n, k = theta.shape
        found = np.empty((count, n, k))
        width = max(1, BLOCK // n)
        with np.errstate(all="ignore"):
            poses = np.empty((len(self._pose), n, k))
            for start in range(0, k if self._pose else 0, TOGETHER):
                part = slice(start, start + TOGETHER)
                poses[..., part] = self._followed(x[:, part], mode[:, part], theta[:, part])
            for start in range(0, k, width):
                part = slice(start, start + width)
                given = *x[:, part], theta[:, part], *mode[:, part], *poses[..., part]
                for row, value in enumerate(function(*given)):
                    found[row, :, part] = value
        return found

    def _followed(self, x: Floats, mode: Floats, theta: Floats) -> Floats:
        """Return the poses (w, n, k) of the general groups; NaN where one is lost on the way from the drawing."""
        found, lanes = np.full((len(self._pose), *theta.shape), np.nan), np.arange(theta.shape[1])
        turn = self._counted(self._turned(x), theta)
        pose = np.array(self._sketched(*x, turn, *mode, *found[:, 0]))
        newton, w = self._stepped(*x), len(pose)
        sides = np.sign(newton(turn, *mode, *pose)[w + 1 :: 2])
        slope = (np.array(newton(turn + FIRST, *mode, *newton(turn + FIRST, *mode, *pose)[:w])[:w]) - pose) / FIRST
        for i in range(len(theta)):
            way = theta[i, lanes] - turn
            count = max(1, int(np.ceil(np.abs(way).max(initial=0.0) / STEP)))
            step = way / count
            for _ in range(count):
                turn = turn + step
                one = newton(turn, *mode, *(pose + slope * step))
                other = newton(turn, *mode, *one[:w])
                first, last = np.array(one[w::2]), np.array(other[w::2])
                good = is_followed(first, last, sides * other[w + 1 :: 2]).all(axis=0)
                ahead = np.array(other[:w])
                slope = np.where(np.abs(step) > FIRST * STEP, (ahead - pose) / step, slope)
                pose = ahead
                if not good.all():
                    x, mode, turn, step, lanes = x[:, good], mode[:, good], turn[good], step[good], lanes[good]
                    pose, slope, sides, newton = pose[:, good], slope[:, good], sides[:, good], self._stepped(*x)
            # The last step may have come from as far as `BETWEEN`: two more, and derivatives are those of the pose.
            found[:, i, lanes] = newton(turn, *mode, *newton(turn, *mode, *pose)[:w])[:w]
        return found

    @staticmethod
    def _counted(turn: Floats, theta: Floats) -> Floats:
        """Return angles (k,) with the whole turns that bring them among those wanted (n, k), best next to the first."""
        low, high = theta.min(axis=0), theta.max(axis=0)
        nearest = np.round((0.5 * (low + high) - turn) / (2 * np.pi))
        near = turn + 2 * np.pi * (nearest + np.array([[-1], [0], [1]]))
        away = np.abs(near - np.clip(near, low, high)) + 0.05 * np.abs(near - theta[0])
        return np.asarray(np.take_along_axis(near, away.argmin(axis=0)[None], axis=0)[0])

    def _turned(self, x: Floats) -> Floats:
        """Return the angles (k,) of the cranks in the drawings."""
        return np.asarray(np.angle(self._directions(x)[0]))

    def _directions(self, x: Floats) -> Complexes:
        """Return the directions (1 + g, k) of cranks and links with guides in the drawings; of one point alone, 1."""
        z = x[: self._xy : 2] + 1j * x[1 : self._xy : 2]
        arms = [z[arm[1]] - z[arm[0]] if len(arm) == 2 else np.ones(x.shape[1], complex) for arm in self._arms]
        return np.stack(arms)

    def _swung(self, x: Floats, mode: Floats, theta: Floats) -> Floats:
        """Return by how much (g, k) links with guides have turned from the drawing to the first crank angle."""
        found = self._values(self._drawn, len(self._places), x, mode, theta[:1])[self._xy :, 0]
        return np.asarray(np.angle((found[::2] + 1j * found[1::2]) / self._directions(x)[1:]))

    # --- many linkages ----------------------------------------------------------------------------------------

    def traced(self, x: Floats, mode: Floats, theta: Floats) -> tuple[Floats, Floats]:
        """Return the tracers (2, n, k), and the least discriminant of their dyads (n, k), negative if one is open."""
        found = self._values(self._traced, 2 + self.dyads, x, mode, theta)
        return found[:2], self._least(found)

    def jacobian(self, x: Floats, mode: Floats, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return what `traced` does, and its derivatives (2, p + 1, n, k) by the dimensions and, last, theta."""
        first, p = 2 + self.dyads, self.size + 1
        found = self._values(self._rated, first + 2 * p, x, mode, theta)
        return found[:2], self._least(found), found[first:].reshape(2, p, *theta.shape)

    def _least(self, found: Floats) -> Floats:
        """Return the least discriminants (n, k) of what was found, the tracers first; -1 where these have no place."""
        least = found[2 : 2 + self.dyads].min(axis=0, initial=1.0)
        return np.where(np.isnan(found[0]), -1.0, least)

    def extremes(self, x: Floats, mode: Floats, theta: Floats) -> Floats:
        """Return the crank angles (1, k) among those given at which a dyad is closest to a dead centre."""
        if not self.dyads:
            return theta[:1]
        return np.take_along_axis(theta, self.traced(x, mode, theta)[1].argmin(axis=0)[None], axis=0)

    def closing_rates(self, x: Floats, mode: Floats, theta: Floats) -> tuple[Floats, Floats]:
        """Return the least discriminants (n, k), and their derivatives (n, p, k)."""
        if not self.dyads:
            return np.ones_like(theta), np.zeros((len(theta), *x.shape))
        found = self._values(self._closed, self.dyads * (1 + self.size), x, mode, theta)
        closing, rates = found[: self.dyads], found[self.dyads :].reshape(self.dyads, self.size, *theta.shape)
        least = closing.argmin(axis=0)[None]
        rate = np.take_along_axis(rates, least[:, None], axis=0)[0]
        return np.take_along_axis(closing, least, axis=0)[0], np.moveaxis(rate, 0, 1)

    def redrawn(self, x: Floats, mode: Floats, theta: Floats) -> Floats:
        """Return the linkages drawn at their first crank angle; this matters only to general groups."""
        if not self._pose:
            return x
        y, places = x.copy(), self.placed(x, mode, theta[:1])[:, 0]
        y[: self._xy : 2], y[1 : self._xy : 2] = places.real, places.imag
        y[self._axes] += self._swung(x, mode, theta)
        return np.where(np.isnan(places).any(axis=0), x, y)

    def placed(self, x: Floats, mode: Floats, theta: Floats) -> Complexes:
        """Return where all points are (q, n, k)."""
        found = self._values(self._drawn, len(self._places), x, mode, theta)[: self._xy]
        return np.asarray(found[::2] + 1j * found[1::2])

    def drawn(self, unit: Floats) -> tuple[Floats, Floats]:
        """Return linkages (p, k) and modes (d, k) from numbers between 0 and 1: pins anywhere in a square."""
        x = unit[: self.size].copy()
        x[self._axes] *= np.pi
        x[self._phases] *= 2 * np.pi
        mode = np.where(unit[self.size : self.numbers] < 0.5, -1.0, 1.0)
        if not self._pose:
            return x, mode
        half = x.shape[1] // 2
        x[:, :half] = self._own + self._reach * (2 * unit[: self.size, :half] - 1)
        # These are followed from the drawing: from the first angle of the crank, and in its modes.
        x = self.moved(x, np.exp(1j * (2 * np.pi * unit[-2] - self._turned(x))), np.zeros(x.shape[1], complex))
        own, turn = x[: self._xy : 2] + 1j * x[1 : self._xy : 2], self._turned(x)[None]
        signs = [np.array(one)[:, None] + 0 * mode for one in product((-1.0, 1.0), repeat=self.dyads)]
        away = [np.abs(self.placed(x, one, turn)[:, 0] - own).max(axis=0) for one in signs]
        best = np.nan_to_num(away, nan=np.inf).argmin(axis=0)
        return x, np.take_along_axis(np.array(signs), best[None, None], axis=0)[0]

    def lengths(self, x: Floats) -> tuple[Floats, Floats]:
        """Return logarithms (q, k) and their derivatives (q, p, k): of distances of pins and tracer of a link."""
        one, other = np.array([[self.points.index(name) for name in pair] for pair in self._pairs + self._to_tracer]).T
        places = x[: self._xy].reshape(-1, 2, x.shape[1])
        apart, row = places[other] - places[one], np.arange(len(one))
        square = np.maximum((apart * apart).sum(axis=1), LEAST_POSITIVE)
        J = np.zeros((len(one), self.size, x.shape[1]))
        for axis in range(2):
            J[row, 2 * other + axis] = apart[:, axis] / square
            J[row, 2 * one + axis] = -apart[:, axis] / square
        return np.log(square) / 2, J

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        links, pins = self.sections["links"].values(), self._pins
        return list(dict.fromkeys(pair for link in links for pair in combinations([n for n in link if n in pins], 2)))

    @cached_property
    def _to_tracer(self) -> list[tuple[str, str]]:
        """The pairs of the pins of the tracer's link and the tracer; those of a tracer that is a pin are known."""
        links = [link for link in self.sections["links"].values() if self.point in link]
        return [] if self.point in self._pins else [(n, self.point) for link in links for n in link if n in self._pins]

    @cached_property
    def _pins(self) -> set[str]:
        links = self.sections["links"].values()
        return {name for name in self.points if sum(name in link for link in links) > 1}

    def moved(self, x: Floats, by: Complexes, shift: Complexes) -> Floats:
        """Return the linkages after z -> by z + shift."""
        y = x.copy()
        z = by * (x[: self._xy : 2] + 1j * x[1 : self._xy : 2]) + shift
        y[: self._xy : 2], y[1 : self._xy : 2] = z.real, z.imag
        y[self._axes] += np.angle(by)
        y[self._phases] += np.outer(1 - np.array(self._ratios), np.angle(by))
        return y

    def mirrored(self, x: Floats, which: Flags) -> Floats:
        """Return the linkages, some of them mirrored at the x axis; their crank angles change signs, too."""
        y, sign = x.copy(), np.where(which, -1.0, 1.0)
        y[1 : self._xy : 2] *= sign
        y[self._xy :] *= sign
        return y

    def _mirrored_modes(self, x: Floats, modes: Floats, theta: Floats) -> Floats:
        """Return the factors (d, 1) that a mirror makes of the modes, by trial."""
        wanted = self.placed(x, modes[:, None], theta).conj()
        other = self.mirrored(x, np.ones(1, bool))
        signs = [np.array(one).reshape(-1, 1) for one in product((-1.0, 1.0), repeat=self.dyads)]
        away = [np.abs(self.placed(other, one * modes[:, None], -theta) - wanted).max() for one in signs]
        return signs[int(np.argmin(np.nan_to_num(away, nan=np.inf)))]  # where a dyad is open there is no place

    # --- one linkage ------------------------------------------------------------------------------------------

    def built(self, x: Floats, mode: Floats, theta: Floats, turn: float, duration: float) -> Mechanism:
        """Return a linkage (p, 1) as a mechanism in the pose at its first angle (n, 1), driven at 1 rad/s."""
        places = self.placed(x, mode, theta[:1])[:, 0, 0]
        joints = {id: dict(entry) for id, entry in self.sections["joints"].items()}
        for id, angle in zip(self.guides, (x[self._axes] + self._swung(x, mode, theta))[:, 0].tolist(), strict=True):
            joints[id]["axis"] = [float(np.cos(angle)), float(np.sin(angle))]
        (id,), (drive,) = zip(*self.sections["drivers"].items(), strict=True)
        return Mechanism(
            self.name,
            points={name: [place.real, place.imag] for name, place in zip(self.points, places.tolist(), strict=True)},
            links=self.sections["links"], joints=joints, drivers={id: {**drive, "speed": float(np.sign(turn))}},
            duration=duration, units={"angle": "deg"},
        )  # fmt: skip

    def named_lengths(self, mechanism: Mechanism) -> dict[str, float]:
        """Return the distances between pins of a link [m]."""
        return {f"{a}-{b}": abs(mechanism.places[a] - mechanism.places[b]) for a, b in self._pairs}


def refused(mechanism: Mechanism, point: str) -> list[Problem]:
    """Return why a mechanism cannot be fitted: its drivers, joints and tracer."""
    problems = []
    drives, ground = [*mechanism.drivers.values()], mechanism.topology.ground
    if len(drives) != 1 or drives[0].kind != "angle" or ground not in drives[0].links:
        hint = "give it one driver, of a pin that joins a crank with the ground"
        problems.append(Problem("drivers", "are not one crank on the ground", hint))
    data: Mapping[str, Mapping[str, Any]] = mechanism.source_dict.get("joints", {})
    for id, entry in data.items():
        kind = entry.get("type")
        if kind in ("gear", "belt"):
            if not WHEELS.issuperset(entry) or len(drives) != 1 or not _meshes(mechanism, mechanism.joints[id]):
                hint = "only wheels on the ground that mesh with the driven one, given by teeth or ratio, are fitted"
                problems.append(Problem(f"joints.{id}", f"a {kind} in this place has dimensions of its own", hint))
            continue
        plain_keys = KEYS.issuperset(entry) and isinstance(entry.get("at", ""), str)
        if kind not in ("prismatic", "pin-in-slot") or not plain_keys:
            hint = "only pins, straight guides and straight slots without ends are fitted"
            problems.append(Problem(f"joints.{id}", f"a {kind} with these numbers has dimensions of its own", hint))
    moving = {name for link in mechanism.topology.moving_links for name in mechanism.links[link].points}
    fixed = mechanism.links[ground].points
    if point not in moving or point in fixed:
        known = [name for name in mechanism.places if name in moving and name not in fixed]
        problems.append(Problem("point", f"'{point}' is not a point that moves", suggest(point, known)))
    return problems


def _meshes(mechanism: Mechanism, joint: Pair) -> bool:
    """Return whether a gear or belt couples the driven crank with another wheel on the ground."""
    (drive,) = mechanism.drivers.values()
    ground = mechanism.topology.ground
    coupled = isinstance(joint, TurnCoupling) and joint.ratio is not None and joint.arm == ground
    return coupled and {*drive.links} & {*joint.links} == {*drive.links} - {ground}


def _ratios(mechanism: Mechanism) -> list[float]:
    """Return the turns of the gears by those of the crank."""
    (drive,) = mechanism.drivers.values()
    found = [joint for joint in mechanism.joints.values() if isinstance(joint, TurnCoupling) and joint.ratio]
    return [1 / joint.ratio if joint.links[0] in drive.links else joint.ratio for joint in found if joint.ratio]


def _without_gears(sections: Mapping[str, Any], mechanism: Mechanism) -> dict[str, Any]:
    """Return sections of the mechanism in which a driver takes the place of each gear."""
    ((id, driver),) = sections["drivers"].items()
    drivers, joints = {id: driver}, {}
    for name, entry in sections["joints"].items():
        if isinstance(mechanism.joints[name], TurnCoupling):
            (other,) = {*entry["links"]} - {*driver["links"]}
            drivers[f"{id}_{name}"] = {"links": [driver["links"][0], other], "speed": 1.0}
        else:
            joints[name] = entry
    return {**sections, "drivers": drivers, "joints": joints}


def _sections(mechanism: Mechanism, point: str) -> dict[str, Any]:
    """Return the sections of the mechanism alone: its pins and its tracer, in metres, without exact lengths."""
    data = mechanism.source_dict
    joints: dict[str, Any] = data.get("joints", {})
    named = {point, *(str(value) for entry in joints.values() for key in ("at", "pin") for value in [entry.get(key)])}
    named |= {name for entry in joints.values() for name in entry.get("along", ())}
    links = {id: [*link.points] for id, link in mechanism.links.items()}
    kept = [p for p in mechanism.places if p in named or sum(p in points for points in links.values()) > 1]
    ((id, drive),) = mechanism.drivers.items()
    ground = mechanism.topology.ground
    driver: dict[str, Any] = {"links": [ground, *(link for link in drive.links if link != ground)], "speed": 1.0}
    driver |= {} if drive.joint is None else {"joint": drive.joint}
    return {
        "points": {name: [mechanism.places[name].real, mechanism.places[name].imag] for name in kept},
        "links": {id: [name for name in points if name in kept] for id, points in links.items()},
        "joints": joints,
        "drivers": {id: driver},
    }
