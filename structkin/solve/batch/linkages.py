"""Linkages of bars, rigid links and guides as arrays, as data sets store them: checked, and each as a mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.budget import MOST_BYTES, too_large
from structkin.checked import checked
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.arguments import unmasked
from structkin.model.flaw import LARGEST
from structkin.model.frozen import read_only
from structkin.model.mechanism import Mechanism
from structkin.solve.batch.generate import random_arrays
from structkin.solve.batch.link_arrays import read_arrays, write_arrays
from structkin.solve.batch.order import GUIDE, Way, ordered
from structkin.types import Flags, Floats, Indices

#: The name of the driver of each linkage; the crank has one more point, by which the driver's angle is 0 in the sketch.
MOTOR, MARK = "motor", "X"
#: What is wrong whatever else a linkage has.
MOTOR_FAULTS = Way.MOTOR_PIN_FIXED, Way.MOTOR_PIVOT_FREE, Way.MOTOR_WITHOUT_BAR
#: Most numbers of linkages that a message lists.
LISTED = 5
#: Bytes of a joint in its arrays: for its place and the rest; it has one more for each other joint.
JOINT = 40


@checked
@dataclass(frozen=True, repr=False)
class Linkages:
    """The arrays of m linkages of as many joints each, which bars and pins connect: checked, and read-only.

    `adjacency` (m, joints, joints) is True where a bar joins two joints, `points` (m, joints, 2) [m] are their places
    in the sketch, `fixed` (m, joints) says which joints are fixed to the ground, and `motor` (m, 2) holds the pivot and
    the pin of the crank, a bar that the motor turns. `of` makes them from arrays, `random` at random, and `load` reads
    those of a data set.

    >>> import structkin as sk
    >>> linkages = sk.Linkages.random(100, joints=6, seed=1, turning=True)
    >>> batch = sk.solve_batch(linkages, angles=np.linspace(0, 2 * np.pi, 73))
    >>> batch.position.shape, bool(batch.ok.all())
    ((100, 6, 2, 73), True)
    >>> [group.kind for group in linkages.mechanism(7).structure().groups]
    ['driven R', 'RRR', 'RRR']
    """

    adjacency: NDArray[np.bool_]
    points: Floats
    fixed: NDArray[np.bool_]
    motor: Indices
    bodies: Indices | None = None
    slides: Floats | None = None

    @classmethod
    def of(
        cls, adjacency: Any, points: ArrayLike, fixed: Any, motor: ArrayLike, *, bodies: Any = None, slides: Any = None
    ) -> Linkages:
        """Return the linkages of arrays; `InputError` lists everything that is wrong with these.

        A motor (2,) is that of all linkages. What is wrong with the structure of one linkage is not an error here.

        >>> bars, places = [[0, 1, 0], [1, 0, 1], [0, 1, 0]], [(0, 0), (1, 0), (3, 1)]  # a slider-crank
        >>> ram = [(np.nan, -1), (np.nan, -1), (0.0, -1)]  # joint 2 slides along x on the ground
        >>> linkages = Linkages.of([bars], [places], [[1, 0, 0]], (0, 1), slides=[ram])
        >>> [group.kind for group in linkages.mechanism(0).structure().groups]
        ['driven R', 'RRP']
        """
        problems: list[Problem] = []
        bars = _array("adjacency", adjacency, "(m, joints, joints)", 3, problems)
        m, joints = bars.shape[:2] if bars is not None else (-1, -1)
        places = _array("points", points, "(m, joints, 2)", 3, problems)
        on_ground = _array("fixed", fixed, "(m, joints)", 2, problems)
        motors = np.broadcast_to(unmasked(motor), (m, 2)) if np.shape(motor) == (2,) and m >= 0 else motor
        pair = _array("motor", motors, "(m, 2)", 2, problems)
        links = None if bodies is None else _array("bodies", bodies, "(m, joints)", 2, problems)
        guides = None if slides is None else _array("slides", slides, "(m, joints, 2)", 3, problems)
        if bars is not None:
            wanted = {"adjacency": (m, joints, joints), "points": (m, joints, 2), "fixed": (m, joints), "motor": (m, 2),
                      "bodies": (m, joints), "slides": (m, joints, 2)}  # fmt: skip
            hints = {"motor": "one pivot and one crank pin for each linkage"}
            given = {"adjacency": bars, "points": places, "fixed": on_ground, "motor": pair,
                     "bodies": links, "slides": guides}  # fmt: skip
            for key, array in given.items():
                if array is not None and array.shape != wanted[key]:
                    message = f"has the shape {array.shape}, not {wanted[key]}"
                    problems.append(Problem(key, message, hints.get(key, "as adjacency is (m, joints, joints)")))
        if m == 0:
            problems.append(Problem("adjacency", "holds no linkage"))
        if not problems:
            assert bars is not None and places is not None and on_ground is not None and pair is not None
            problems = [*_faults(bars, places, on_ground, pair), *_faults_of_links(on_ground, links, guides)]
        raise_problems(problems, "linkages")
        return cls(
            # In C order, for which the loops are compiled.
            read_only(np.array(bars != 0, order="C")),
            read_only(np.array(places, np.float64, order="C")),
            read_only(np.array(on_ground != 0, order="C")),
            read_only(np.array(pair, np.int64, order="C")),
            None if links is None else read_only(np.array(links, np.int64, order="C")),
            None if guides is None else read_only(np.array(guides, np.float64, order="C")),
        )

    @classmethod
    def random(
        cls, count: int, joints: int, *, seed: int = 0, turning: bool = False, triads: float = 0.0,
        sliders: float = 0.0, apart: float = 0.0,
    ) -> Linkages:  # fmt: skip
        """Return linkages of a crank and groups that are attached at random; the same for the same seed.

        Groups are dyads, and with a chance of `triads` (0 to 1), where three joints are left, triads: three joints of
        one link, each on a bar of its own. With a chance of `sliders`, a dyad has a guide on the ground in place of its
        second bar. A fifth of the other joints after the third are fixed. With `turning` bars are chosen so long that
        every crank turns fully; where no triad is found that does, after some tries, there are dyads. The motor of each
        is (0, 1), and groups follow in an order in which they can be solved.

        Places are drawn evenly, so that few are nearly the same: of 100,000 with four, five and six joints, the nearest
        two differ by 0.2, 1.6 and 6 % of their size. None of the same topology are nearer than `apart`: the root mean
        square of the distances of their joints in the sketch, both moved to their centroid, turned until the fixed
        joints 0 and 2 lie along x, and scaled to a root mean square of 1; the directions of guides, either way along
        them, count likewise.

        Raises `InputError` for less than one linkage or four joints, for more than 16 GiB, a chance that is none, and
        where not so many linkages that are `apart` are found.

        >>> linkages = Linkages.random(10, joints=5, seed=3)
        >>> linkages.adjacency.sum(axis=(1, 2)).tolist()
        [6, 10, 10, 10, 10, 10, 10, 6, 10, 10]
        >>> triad = Linkages.random(1, joints=6, seed=3, triads=1.0).mechanism(0)
        >>> [group.kind for group in triad.structure().groups]
        ['driven R', 'class III order 3']
        """
        problems = [Problem("count", f"{count} is not a number of linkages", "give 1 or more")] if count < 1 else []
        if joints < 4:
            problems.append(Problem("joints", f"{joints} joints make no linkage with a dyad", "give 4 or more"))
        if (size := count * joints * (joints + JOINT)) > MOST_BYTES:
            what = f"{count:,} linkages of {joints:,} joints"
            problems.append(too_large("count", what, size, "make them in parts, each with a seed of its own"))
        if seed < 0:
            problems.append(Problem("seed", f"{seed} is negative", "give 0 or more"))
        if not 0 <= triads <= 1:
            problems.append(Problem("triads", f"{triads} is no chance", "give 0 to 1"))
        if not 0 <= sliders <= 1:
            problems.append(Problem("sliders", f"{sliders} is no chance", "give 0 to 1"))
        if not 0 <= apart < 1:
            problems.append(Problem("apart", f"{apart} is no distance in parts of the size", "such as 0.01"))
        raise_problems(problems, "random linkages")
        bars, places, fixed, slides = random_arrays(
            count, joints, seed, turning=turning, triads=triads, sliders=sliders, apart=apart
        )
        if len(bars) < count:
            found = f"only {len(bars)} linkages are so far apart from each other"
            raise InputError([Problem("apart", found, "give less, or more joints")], "random linkages")
        motor, guides = np.tile([0, 1], (count, 1)), read_only(slides) if sliders else None
        return cls(read_only(bars), read_only(places), read_only(fixed), read_only(motor), slides=guides)

    @classmethod
    def load(cls, folder: str | Path) -> Linkages:
        """Return the linkages of a folder of LInK's arrays: connectivity.npy, x0.npy and node_types.npy.

        Or of a data set, a folder *.zarr, that `Batch.save` made. Joints on no bar, which fill LInK's arrays of smaller
        linkages, are fixed. Raises `InputError` as `of`, and where a file cannot be read.
        """
        if Path(folder).suffix == ".zarr":
            from structkin.solve.batch import data_set

            return cls.of(**data_set.load(Path(folder)))
        return cls.of(*read_arrays(Path(folder)))

    def save(self, folder: str | Path) -> None:
        """Write LInK's arrays into a folder: see `load`. Joints are written in the order in which LInK solves them.

        Raises `InputError` where linkages cannot be solved by dyads, one after another.
        """
        dyads, counts, ways = self.ordered()
        others = (ways != Way.DYADS) | (dyads[:, :, 2] == GUIDE).any(axis=1)
        if others.any():
            raise InputError([*_listed("adjacency", "cannot be solved by dyads of bars alone", others)], "linkages")
        every, joints = np.arange(len(self))[:, None], self.points.shape[1]
        place = np.full((len(self), joints), 1)  # other fixed joints follow the crank
        np.put_along_axis(place, self.motor, [[-1, 0]], axis=1)
        k, s = np.nonzero(np.arange(joints) < counts[:, None])
        place[k, dyads[k, s, 0]] = 2 + s
        rows = np.argsort(place, axis=1, kind="stable")
        bars = self.adjacency[every[..., None], rows[:, :, None], rows[:, None, :]]
        write_arrays(Path(folder), bars, self.points[every, rows], self.fixed[every, rows])

    def __repr__(self) -> str:
        """Return the counts."""
        return f"<Linkages: {len(self)} of {self.points.shape[1]} joints>"

    def __len__(self) -> int:
        """Return the number of linkages."""
        return len(self.points)

    @property
    def joints(self) -> int:
        """The number of joints of each."""
        return int(self.points.shape[1])

    @property
    def go_beyond_bars(self) -> bool:
        """Whether one has a guide or a rigid link."""
        return bool(self.guides.any() or (self.bodies is not None and (self.bodies >= 0).any()))

    @property
    def guides(self) -> NDArray[np.bool_]:
        """Which joints (m, joints) are on a guide."""
        return np.zeros(self.fixed.shape, bool) if self.slides is None else np.isfinite(self.slides[..., 0])

    @property
    def guided(self) -> NDArray[np.bool_]:
        """Which joints (m, joints) are on a guide on the ground."""
        return self.guides if self.slides is None else self.guides & (self.slides[..., 1] < 0)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by their names, without those that are None."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) is not None}

    @property
    def places(self) -> NDArray[np.complex128]:
        """The places (m, joints) [m] of the joints in the sketch, x + iy."""
        return self.points[..., 0] + 1j * self.points[..., 1]

    def take(self, part: slice | ArrayLike) -> Linkages:
        """Return some of the linkages: a slice, as views, or those with these numbers.

        Raises `InputError` where these do not fit.
        """
        try:
            chosen = part if isinstance(part, slice) else np.arange(len(self))[np.ravel(part) if np.size(part) else []]
        except IndexError as error:
            hint = f"give numbers from 0 to {len(self) - 1}, or a slice"
            raise InputError([Problem("part", "does not fit these linkages", hint)], "take") from error
        return Linkages(**{name: read_only(array[chosen]) for name, array in self.arrays.items()})

    def ordered(self) -> tuple[Indices, Indices, NDArray[np.int8]]:
        """Return the dyads (m, joints, 3), joint and other ends of its bars, their counts and ways (m,); see `order`.

        Those of linkages with rigid links are not found here, nor are guides on such links; unless their motor is at
        fault, their way is `ALONE`, as that of all with guides that are no dyads.
        """
        if self.bodies is None and self.slides is None:
            return ordered(self.adjacency, self.fixed, self.guided, self.motor)
        bars, special = self.adjacency, np.zeros(len(self), bool)
        if self.bodies is not None:
            rigid = (self.bodies[:, :, None] == self.bodies[:, None, :]) & (self.bodies >= 0)[:, :, None]
            # Numba would compile `order` once more for an array that may be written.
            bars = read_only(bars | rigid & ~np.eye(bars.shape[1], dtype=bool))
            special |= (self.bodies >= 0).any(axis=1)
        guides, guided = self.guides, self.guided
        dyads, counts, ways = ordered(bars, self.fixed, guided, self.motor)
        special |= (guides & ~guided).any(axis=1) | (guides.any(axis=1) & ~np.isin(ways, (Way.DYADS, Way.TRIADS)))
        counts[special], ways[special & ~np.isin(ways, MOTOR_FAULTS)] = 0, Way.ALONE
        return dyads, counts, ways

    def mechanism(self, k: int) -> Mechanism:
        """Return linkage k as a mechanism: joints "J0", "J1", ..., a link for each bar, and the driver "motor".

        A rigid link is called "body_0" by its number, the block on the guide of joint 3 "block_3". The driver's angle
        is 0 in the sketch: the crank has one more point, "X", beside its pivot. Raises `InputError` where there is no
        such linkage, and where its arrays are not those of a mechanism.
        """
        if not -len(self) <= k < len(self):
            raise InputError([Problem("k", f"there is no linkage {k}", f"they are numbered from 0 to {len(self) - 1}")])
        pivot, pin = self.motor[k].tolist()
        points = {f"J{j}": tuple(place) for j, place in enumerate(self.points[k].tolist())}
        (x, y), reach = points[f"J{pivot}"], abs(complex(*self.points[k, pin]) - complex(*self.points[k, pivot]))
        body = np.full(len(points), -1) if self.bodies is None else self.bodies[k]
        links = {"ground": [f"J{j}" for j in np.flatnonzero(self.fixed[k]).tolist()]}
        links["crank"] = [f"J{pivot}", MARK, f"J{pin}"]
        names = {-1: "ground"}
        for number in np.unique(body[body >= 0]).tolist():
            own = np.flatnonzero(body == number).tolist()
            names[number] = "crank" if {pivot, pin} <= {*own} else f"body_{number}"
            links[names[number]] = [*dict.fromkeys((*links.get(names[number], ()), *(f"J{j}" for j in own)))]
        for a, b in np.argwhere(np.triu(self.adjacency[k], 1)).tolist():
            if {a, b} != {pivot, pin} and not self.fixed[k, [a, b]].all() and not body[a] == body[b] >= 0:
                links[f"bar_{a}_{b}"] = [f"J{a}", f"J{b}"]
        joints = {}
        slides = np.full(self.points[k].shape, np.nan) if self.slides is None else self.slides[k]
        for j in np.flatnonzero(np.isfinite(slides[:, 0])).tolist():
            direction, carrier = slides[j].tolist()
            links[f"block_{j}"] = [f"J{j}"]
            joints[f"guide_{j}"] = {
                "type": "prismatic", "links": [f"block_{j}", names[int(carrier)]], "at": f"J{j}",
                "axis": (math.cos(direction), math.sin(direction)),
            }  # fmt: skip
        return Mechanism(
            points={**points, MARK: (x + reach, y)},
            links=links,
            joints=joints,
            drivers={MOTOR: {"joint": f"J{pivot}", "links": ["ground", "crank"]}},
        )


def _array(key: str, given: Any, words: str, ndim: int, problems: list[Problem]) -> NDArray[Any] | None:
    """Return real numbers as an array; None, and a problem, if they are not."""
    try:
        array = unmasked(given)
    except ValueError:
        array = np.empty(0, object)
    if array.dtype.kind not in "biuf" or array.ndim != ndim:
        found = "complex numbers" if array.dtype.kind == "c" else f"{array.ndim} dimensions"
        problems.append(Problem(key, f"expected an array of real numbers {words}", f"found {found}"))
        return None
    return array


def _faults(bars: NDArray[Any], places: NDArray[Any], on_ground: NDArray[Any], pair: NDArray[Any]) -> Iterator[Problem]:
    """Yield what is wrong with arrays of the right shapes, each with the linkages in which it is."""
    joints = bars.shape[1]
    whole = pair == np.floor(pair)
    wrong = {
        "adjacency": [
            ("is not 0 or 1", ~((bars == 0) | (bars == 1))),
            ("is not symmetric", bars != bars.swapaxes(1, 2)),
            ("joins a joint to itself", np.diagonal(bars, axis1=1, axis2=2) != 0),
        ],
        "points": [("is not finite, or too large to compute with", ~(np.abs(places) <= np.float64(LARGEST)))],
        "fixed": [("is not 0 or 1", ~((on_ground == 0) | (on_ground == 1)))],
        "motor": [
            ("is no joint: a linkage has one motor, a pivot and a crank pin", ~(whole & (pair >= 0) & (pair < joints))),
            ("has its pivot as its crank pin", pair[:, :1] == pair[:, 1:]),
        ],
    }
    for key, found in wrong.items():
        for message, where in found:
            yield from _listed(key, message, where)


def _faults_of_links(
    on_ground: NDArray[Any], links: NDArray[Any] | None, guides: NDArray[Any] | None
) -> Iterator[Problem]:
    """Yield what is wrong with the numbers of rigid links and with guides."""
    body = np.full(on_ground.shape, -1) if links is None else links
    is_number = (body >= -1) & (body < 2**31) & (body == np.floor(body))
    yield from _listed("bodies", "is no number of a rigid link, nor -1", ~is_number)
    if guides is None:
        return
    direction, carrier = guides[..., 0], guides[..., 1]
    there = ~np.isnan(direction)
    known = (carrier == -1) | (carrier[:, :, None] == np.where(body >= 0, body, -1)[:, None, :]).any(axis=2)
    yield from _listed("slides", "is not finite", there & ~np.isfinite(direction))
    yield from _listed("slides", "has a carrier that is no rigid link of its linkage, nor -1", there & ~known)
    yield from _listed("slides", "is at a joint of its own carrier", there & (carrier >= 0) & (carrier == body))
    yield from _listed("slides", "is at a fixed joint", there & (on_ground != 0))


def _listed(key: str, message: str, where: Flags) -> Iterator[Problem]:
    if not where.any():
        return
    linkages = np.flatnonzero(where.reshape(len(where), -1).any(axis=1))
    some = ", ".join(map(str, linkages[:LISTED].tolist())) + (", ..." if len(linkages) > LISTED else "")
    yield Problem(key, message, f"in {len(linkages)} linkage{'s' if len(linkages) > 1 else ''}: {some}")
