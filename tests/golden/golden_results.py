"""What is measured of a mechanism: names of results with their arrays, through the public interface alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

import structkin as sk

#: Samples of a motion, and listed assemblies.
SAMPLES, MANY = 9, 64
FAMILIES = ("natural", "reference-point", "fully-cartesian", "relative")
#: Every method for a motion: method, family of coordinates, engine.
METHODS: tuple[tuple[str, str | None, str], ...] = (
    ("topological", None, "compiled"),
    ("topological-kl", None, "python"),
    ("topological-kl", None, "compiled"),
    *(("global", family, "auto") for family in FAMILIES),
    ("global-sparse", "natural", "auto"),
    ("global-triangular", "natural", "python"),
    ("global-triangular", "natural", "compiled"),
)
#: Every form of the equations of motion: formulation, family of coordinates, engine.
FORMULATIONS: tuple[tuple[str, str | None, str], ...] = (
    ("reduced", None, "python"),
    ("reduced", None, "compiled"),
    *(("multipliers", family, "auto") for family in FAMILIES),
    ("multipliers-sparse", "natural", "auto"),
    ("multipliers-sweeps", "natural", "auto"),
)
STATES, RTOL, END = 2, 1e-8, 0.2

Results = dict[str, Any]


def kinematic_results(m: sk.Mechanism, *, compiled: bool = True, circuits: bool = True) -> Results:
    """The motion by groups with K, L and jerk, the same by every other method, limits, assemblies and circuits.

    Compiling takes some seconds per mechanism; without `compiled` they are left out.
    """
    motion = m.solve(SAMPLES, engine="python", **_range(m))
    out = {f"motion/{name}": value for name, value in _motion(motion).items()}
    out["motion/condition"] = _condition(m)
    out |= {f"motion/{name}": value for name, value in _coefficients(motion).items()}
    for method, family, engine in METHODS:
        if engine == "compiled" and not compiled:
            continue
        other = m.solve(SAMPLES, method=method, coordinates=family, engine=engine, **_range(m))
        for name, value in _motion(other).items():
            out[f"method/{method}/{family or '-'}/{engine}/{name}"] = value
    return out | _limits(m) | _assemblies(m) | (_circuits(m) if circuits else {})


def dynamic_results(prescribed: sk.Mechanism, free: sk.Mechanism) -> Results:
    """Forces of a prescribed motion; right-hand sides at some states; a trajectory."""
    motion = prescribed.solve(SAMPLES, engine="python", **_range(prescribed))
    forces = motion.forces()
    out: Results = {"forces/status": motion.status, "forces/condition": _condition(prescribed)}
    out["forces/efforts"] = np.stack([forces.driver(id) for id in prescribed.drivers], axis=-1)
    pins = [(joint.id, joint.links[0]) for joint in prescribed.topology.joints if joint.kind == "R"]
    if pins:
        out["forces/reactions"] = np.stack([forces.reaction(*pin) for pin in pins], axis=1)
    for k in range(STATES):
        state = _state(free, k)
        for formulation, family, engine in FORMULATIONS:
            start = state.simulate([0, 1e-9], formulation=formulation, coordinates=family, engine=engine)
            second = np.array([start.drivers[id][2, 0] for id in free.drivers])
            out[f"rhs/{k}/{formulation}/{family or '-'}/{engine}"] = second
    for formulation in ("reduced", "multipliers"):
        run = free.simulate(END, samples=3, formulation=formulation, rtol=RTOL, atol=RTOL)
        out[f"run/{formulation}/points"] = _points(run.position, free.points)[-1]
    exact = free.simulate(END, samples=3, rtol=1e-12, atol=1e-13)
    return out | {"run/exact/points": _points(exact.position, free.points)[-1]}


def _range(m: sk.Mechanism) -> dict[str, Any]:
    """A mechanism whose drivers have no common period is solved over one second."""
    try:
        m.solve(2)
    except sk.InputError:
        return {"duration": 1.0}
    return {}


def _points(of: Any, points: Iterable[str]) -> Any:
    return np.stack([of(point) for point in points], axis=1)


def _motion(motion: sk.Motion) -> Results:
    m = motion.mechanism
    moving = [link for link in m.links if link != "ground"]
    return {
        "status": motion.status,
        "position": _points(motion.position, m.points),
        "velocity": _points(motion.velocity, m.points),
        "acceleration": _points(motion.acceleration, m.points),
        "angle": np.stack([motion.angle(link) for link in moving], axis=1),
        "omega": np.stack([motion.omega(link) for link in moving], axis=1),
        "alpha": np.stack([motion.alpha(link) for link in moving], axis=1),
    }


def _coefficients(motion: sk.Motion) -> Results:
    points = motion.mechanism.points
    return {"K": _points(motion.K, points), "L": _points(motion.L, points), "jerk": _points(motion.jerk, points)}


def _condition(m: sk.Mechanism) -> Any:
    """Condition number of all equations at each sample; infinite where a global method finds no regular pose."""
    motion = m.solve(SAMPLES, method="global", **_range(m))
    condition = motion.statistics.condition if motion.statistics else np.full(SAMPLES, np.inf)
    return np.where(motion.ok & np.isfinite(condition), condition, np.inf)


def _limits(m: sk.Mechanism) -> Results:
    """Where each driver's motion ends, and its change points."""
    out: Results = {}
    for id in m.drivers:
        try:
            found = m.limits(id)
        except sk.InputError:
            continue
        out[f"limits/{id}/ends"] = np.array([_value(end) for end in (found.lower, found.upper)])
        out[f"limits/{id}/change points"] = np.array([point.value for point in found.change_points])
        intervals = [[_value(end) for end in _ends(part)] for part in found.intervals]
        out[f"limits/{id}/intervals"] = np.array(intervals).reshape(-1, 2)
    return out


def _ends(interval: Any) -> tuple[Any, Any]:
    return interval.low, interval.high


def _value(limit: Any) -> float:
    """The driver's value at a limit, NaN where there is none."""
    return np.nan if limit is None else limit.value


def _circuits(m: sk.Mechanism) -> Results:
    """Every branch over each driver, and the branch points, in an order that depends only on their ends."""
    out: Results = {}
    for id in m.drivers:
        try:
            found = m.circuits(id)
        except sk.StructkinError:
            continue
        size = Counter(sheet.circuit for sheet in found.branches)
        sheets = [
            (size[sheet.circuit], sheet.turns, index == found.home, *map(_value, _ends(sheet.interval)))
            for index, sheet in enumerate(found.branches)
        ]
        rows = np.array(sheets, float)
        out[f"circuits/{id}/sheets"] = rows[np.lexsort(np.round(np.nan_to_num(rows, nan=1e9), 6).T[::-1])]
        out[f"circuits/{id}/meetings"] = np.sort([item.limit.value for item in found.branch_points])
    return out


def _assemblies(m: sk.Mechanism) -> Results:
    """Every assembly at the drivers' first values, in an order that depends only on the positions of the points.

    The members of a truncated list are arbitrary: they are not stored.
    """
    try:
        found = list(m.assemblies(limit=MANY))
    except sk.StructkinError:
        return {}
    if len(found) == MANY:
        return {"assemblies/points": np.empty((MANY, 0))}
    places = np.array([[a.position(point) for point in m.points] for a in found], float).reshape(
        len(found), 2 * len(m.points)
    )
    size = np.ptp(np.array(list(m.points.values())).view(float)) or 1.0
    return {"assemblies/points": places[np.lexsort(np.round(places / size, 6).T[::-1])]}


def _state(m: sk.Mechanism, k: int) -> sk.Mechanism:
    """The mechanism with other initial speeds: those of the file times a chosen factor."""
    speeds = {id: {"speed": start.speed * (1.0, -2.5)[k]} for id, start in m.initial.items()}
    return m.with_initial(speeds) if speeds else m
