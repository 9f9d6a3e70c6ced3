"""The start of a simulation: its coordinates, its first pose, and a check of its masses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from structkin.dynamics.bodies import mass_table
from structkin.dynamics.equations_of_motion import EquationsOfMotion
from structkin.dynamics.initial import no_pose
from structkin.dynamics.reduced.pose import BlownUpError, NoPoseError
from structkin.dynamics.reduced.reduced_equations import Reduced
from structkin.dynamics.user_loads import UserLoad
from structkin.errors import InputError, Problem, raise_problems
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.guide import Guide
from structkin.joints.sliding import Sliding
from structkin.joints.slot_distances import measured_from, steepest
from structkin.model.laws import at_time
from structkin.model.mechanism import Mechanism
from structkin.model.parts import SketchPose
from structkin.model.topology import Driver, suggest
from structkin.numerical_tolerances import NO_MASS, ROUNDED_DATA, SAME_POSE, VISIBLE
from structkin.plan.status import Status
from structkin.solve import Motion
from structkin.solve.solve_groups import solve_groups
from structkin.solve.special_geometry import compile_plan, structure_of
from structkin.types import Floats

#: Length of the parts of the path from the sketch to a start [rad or parts of the size], and their largest number.
PART, MANY = 0.2, 20_000
#: The keys of a driver that give it a law.
LAWS = ("speed", "law", "table", "csv", "columns")
#: Sets of free coordinates that are compared in a mechanism of up to so many links and joints; the time that each takes
#: grows faster than their number.
SETS, LARGE = 1000, 60
#: Distance from a flat pose at which a simulation that starts there finds its branch [rad or parts of the size].
BESIDE = 0.1


def with_coordinates(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with a free coordinate for every missing driver.

    Those that give the simplest structure are chosen, joints at the ground first; of a mechanism of more than 60 links
    and joints, the fewer sets are compared the larger it is.

    >>> import structkin as sk
    >>> arm = sk.Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "arm": ["A", "B"]})
    >>> list(with_coordinates(arm).drivers)
    ['A free']
    """
    if not structure_of(mechanism).under:
        return mechanism
    size = len(mechanism.topology.links) + len(mechanism.topology.joints)
    limit = max(1, min(SETS, int(SETS * (LARGE / size) ** 2)))
    ranking = mechanism.rank_inputs(drivers=list(mechanism.drivers), limit=limit)
    if not ranking.choices or not ranking[0].is_complete:
        compile_plan(mechanism)  # says what is wrong
        problem = Problem("drivers", "no joints can serve as free coordinates", "add drivers where links are to move")
        raise InputError([problem], mechanism.title)
    drivers: dict[str, dict[str, Any]] = {}
    taken = {*mechanism.places, *mechanism.joints.of(Guide), *mechanism.drivers, *mechanism.forces.loads}
    for driver in ranking[0].drivers:
        if driver.id in mechanism.drivers:
            continue
        entry = _entry(mechanism, driver)
        id = f"{driver.joint or ' to '.join(entry.get('between', ())) or ' '.join(driver.links)} free"
        while id in taken:
            id += " again"
        taken.add(id)
        drivers[id] = entry
    return mechanism.with_drivers(drivers)


def _entry(mechanism: Mechanism, driver: Driver) -> dict[str, Any]:
    if driver.kind == "distance":
        slots = {id: joint for id, joint in mechanism.joints.items() if isinstance(joint, CircularSlot | CurveSlot)}
        made = (steepest(mechanism, f"drive_{id}", slot) for id, slot in slots.items())
        ends = next(one.ends for one in made if one is not None and one.ends and one.id == driver.id)
        return {"between": [point for _, point in ends]}
    return driver.entry


def freed(mechanism: Mechanism, ids: Sequence[str], t: float) -> Mechanism:
    """Return the mechanism with these drivers free: they start with the value and the rate of their laws at a time.

    Raises `InputError` for a driver that there is not, or that has no law.

    >>> import structkin as sk
    >>> arm = sk.Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "arm": ["A", "B"]},
    ...                    drivers={"motor": {"joint": "A", "speed": 2}})
    >>> found = freed(arm, ["motor"], 1.0)
    >>> found.drivers["motor"].law, found.initial["motor"].value, found.initial["motor"].speed
    (None, 2.0, 2.0)
    """
    raise_problems(free_problems(mechanism, ids, t), mechanism.title or "mechanism")
    entries, states = {}, {}
    given = mechanism.source_dict
    for id in dict.fromkeys(ids):
        drive = mechanism.drivers[id]
        assert drive.law is not None
        unit = "rad" if drive.kind == "angle" else "m"
        value, rate, _ = at_time(drive.law, t)
        states[id] = {"value": f"{value!r} {unit}", "speed": f"{rate!r} {unit}/s"}
        entries[id] = {key: part for key, part in given["drivers"][id].items() if key not in LAWS}
    if not entries:
        return mechanism
    return mechanism.with_drivers(entries).with_initial({**given.get("initial", {}), **states})


def free_problems(mechanism: Mechanism, ids: Sequence[str], t: float | None) -> list[Problem]:
    """Return a problem for each name that is no driver with a law, or whose law has no value at the start (if known).

    >>> import structkin as sk
    >>> arm = sk.Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "arm": ["A", "B"]},
    ...                    drivers={"motor": {"joint": "A", "speed": 2}})
    >>> [str(one) for one in free_problems(arm, ["motor", "arm"], 0.0)]
    ['free.arm: is not a driver of this mechanism; known: motor']
    """
    problems = []
    for id in dict.fromkeys(ids):
        drive = mechanism.drivers.get(id)
        if drive is None:
            problems.append(Problem(f"free.{id}", "is not a driver of this mechanism", suggest(id, mechanism.drivers)))
        elif drive.law is None:
            problems.append(Problem(f"free.{id}", "has no law: it is free", "leave it out"))
        elif t is not None and not np.isfinite(at_time(drive.law, t)[:2]).all():
            problems.append(Problem(f"free.{id}", f"its law has no value at t = {t:.6g} s", "start at another time"))
    return problems


def initial_state(mechanism: Mechanism, equations: EquationsOfMotion) -> list[float]:
    """Return the values of the free coordinates, then their rates: as given, or the sketch at rest."""
    ids = [equations.order[k] for k in equations.free]
    states = [mechanism.initial.get(id) for id in ids]
    values = [
        mechanism.drivers[id].start if state is None or state.value is None else state.value
        for id, state in zip(ids, states, strict=True)
    ]
    return [*values, *(0.0 if state is None else state.speed for state in states)]


def start(mechanism: Mechanism, t: float, loads: Sequence[UserLoad], *, engine: str | None = "auto") -> Reduced:
    """Return the equations in their first pose; `InputError` where nothing is free or the start is out of reach.

    Without an `engine` they are not integrated but those with multipliers, and the drivers may leave nothing free.
    """
    bodies, plan = mass_table(mechanism), compile_plan(mechanism)
    equations = Reduced(mechanism, plan, bodies, loads, engine=engine or "python")
    if not len(equations.free) and engine:
        why = "every driver has a law" if mechanism.drivers else "there are none"
        hint = "use solve and forces, or let drivers move freely (free=, --free)"
        problem = Problem("drivers", f"{why}: nothing is free to move", hint)
        raise InputError([problem], mechanism.title or "simulate")
    values = dict(zip((equations.order[k] for k in equations.free), initial_state(mechanism, equations), strict=False))
    for k, law in equations.prescribed:
        values[equations.order[k]] = at_time(law, t)[0]
    begin(equations, values)
    return equations


def begin(equations: Reduced, values: Mapping[str, float]) -> None:
    """Let equations begin at values of all drivers; `InputError` where these are out of reach."""
    mechanism = equations.mechanism
    first = solve_groups(mechanism, drivers={id: [values[id]] for id in mechanism.drivers})
    if not first.regular[0]:
        raise no_pose(first)
    if first.lanes.around is not None:
        # At a flat pose the path to it decides the branch: begin next to it.
        units = zip(equations.order, equations.lengths, strict=True)
        first = solve_groups(mechanism, drivers={id: [values[id], values[id] + BESIDE * unit] for id, unit in units})
    first, turns = with_turns(first)
    equations.start(first.lanes.x[0][:, -1:], np.array([first.drivers[id][0, -1] for id in equations.order]), turns)


def with_turns(first: Motion) -> tuple[Motion, dict[str, float]]:
    """Return a start with the turns along a straight path of its drivers from the sketch, and these turns [rad].

    Where there is no such path, none that is followed in the usual steps, or it leads to another pose, a link that no
    driver turns is within half a turn of the sketch.
    """
    mechanism, plan = first.mechanism, first.plan
    ends = {id: float(z[0, -1]) for id, z in first.drivers.items()}
    distances = [abs(ends[id] - drive.start) / drive.unit(first.size) for id, drive in mechanism.drivers.items()]
    parts = math.ceil(max(distances, default=0.0) / PART)
    if 1 < parts < MANY:
        straight = {id: np.linspace(mechanism.drivers[id].start, z, 1 + parts) for id, z in ends.items()}
        path = None
        with suppress(InputError):  # it passes near singular poses, in more steps than usual
            path = solve_groups(mechanism, drivers=straight)
        if path is not None and path.regular.all():
            vectors = [slot for slot, width in enumerate(plan.widths) if width == 2]
            here, there = (
                np.stack([motion.lanes.x[0, plan.rows(slot), -1] for slot in vectors]) for motion in (first, path)
            )
            if np.allclose(here, there, rtol=0, atol=SAME_POSE * max(1.0, first.size)):
                first = path
    return first, {link: float(first.turn(link)[-1]) for link in mechanism.links}


def pose_of(motion: Motion, k: int) -> SketchPose:
    """Return the pose at a sample of a motion."""
    origins, directions = {}, {}
    for name, (origin, direction) in motion.poses.frames.items():
        origins[name], directions[name] = complex(np.ravel(origin)[k]), complex(np.ravel(direction)[k])
    frames = {name: (origins[name], directions[name]) for name in motion.mechanism.links}
    points = {name: complex(*motion.position(name)[k]) for name in motion.mechanism.places}
    return SketchPose(points, frames, {id: float(values[0][k]) for id, values in motion.drivers.items()})


def check_masses(mechanism: Mechanism, equations: Reduced, t: float, y: Floats) -> None:
    """Raise `InputError` where a free coordinate, or several together, move no mass."""
    try:
        matrix = equations.mass_matrix(t, y)
    except NoPoseError as error:
        raise InputError([Problem("initial", why(equations, error))], mechanism.title or "simulate") from None
    scale = np.sqrt(np.diag(matrix))
    ids = [equations.order[k] for k in equations.free]
    light = [id for id, size in zip(ids, scale, strict=True) if not size > 0]
    hint = "give a mass to the links that it moves"
    problems = [Problem(f"drivers.{id}", "the free coordinate moves no mass", hint) for id in light]
    if not problems:
        sizes, motions = np.linalg.eigh(matrix / np.outer(scale, scale))
        part = np.abs(motions[:, sizes < NO_MASS * sizes[-1]]).max(axis=1, initial=0.0)
        if names := ", ".join(id for id, share in zip(ids, part, strict=True) if share > VISIBLE):
            problems = [Problem("drivers", f"a combined motion of the free coordinates {names} moves no mass", hint)]
    raise_problems(problems, mechanism.title or "simulate")


def _lone_points(mechanism: Mechanism) -> Iterator[str]:
    """Yield which free distances of pins along curved slots no other one can replace where they are at rest."""
    slots = mechanism.joints.of(Sliding).values()
    for drive in mechanism.drivers.values():
        ends = {link for link, _ in drive.ends or ()}
        for slot in slots if drive.law is None and drive.kind == "distance" else ():
            if isinstance(slot, CircularSlot | CurveSlot) and ends == {slot.carrier, slot.slider}:
                points = measured_from(mechanism, slot)
                places = np.array([mechanism.links[slot.carrier].local[point] for point in points])
                arms = places - places[:1]
                far = max(arms.tolist(), key=abs, default=0j)
                if not points or np.abs((arms * far.conjugate()).imag).max() > ROUNDED_DATA * abs(far) ** 2:
                    continue
                only, more = f"{points[0]} is the only point of {slot.carrier} to measure the place of its pin from", ""
                if len(points) > 1:
                    said = f"the points {', '.join(points)} of {slot.carrier}, to measure the place of its pin from"
                    only, more = f"{said}, are in line", " beside that line"
                yield f"; {only}: give {slot.carrier} another one{more}, or simulate with formulation = 'multipliers'"


def why(equations: Reduced, error: NoPoseError) -> str:
    """Return when and why there is no pose, in words."""
    if isinstance(error, BlownUpError):
        return f"t = {error.t:.6g} s: {error.words}"
    groups = equations.plan.structure.groups
    where = f" at group {error.group + 1} ({' + '.join(groups[error.group].links)})" if error.group >= 0 else ""
    words = error.status.words
    if error.status == Status.SINGULAR:
        free = ", ".join(equations.order[k] for k in equations.free)
        driven = ", ".join(equations.order[k] for k, _ in equations.prescribed)
        words = f"the coordinates are singular{f', with {free} free' if free else ''}"
        words += f", or {driven} would lead out of reach" if driven else ""
        words += "".join(_lone_points(equations.mechanism))
    return f"t = {error.t:.6g} s: {words}{where}"
