"""`structkin check FILE`: everything that is wrong or suspicious, with keys and hints."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import numpy as np
import typer

from structkin.branches.four_bar import impossible_loops
from structkin.cli.options import File
from structkin.cli.terminal import say
from structkin.dynamics.bodies import mass_table
from structkin.dynamics.load_table import beyond_tables
from structkin.errors import InputError, Problem, problems_of
from structkin.joints.cam import Cam
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.prismatic import Prismatic
from structkin.model import Mechanism
from structkin.model.expression import Expression
from structkin.model.file_schema import SCHEMA
from structkin.model.flaw import Flaw
from structkin.model.mechanism import GROUND
from structkin.model.stroke import shown
from structkin.numerical_tolerances import EQUAL_DATA, NUDGE, VISIBLE
from structkin.plan.compile import determines_all
from structkin.rows.periodic import TURN
from structkin.solve import Motion
from structkin.structure import KinematicStructure

#: Most steps of the simulation that checks its start.
FIRST = 100

#: A law in a file in degrees that swings through less than this [deg] in a second may be written in radians; the
#: instants of the second that are looked at.
SMALL_SWING, LOOKS = 6.3, 100

#: A point this many times smaller than the others may be in metres, if it then is at most this much off their size.
FAR, NEAR = 100, 20

#: Pins between these distances from the line of a guide, relative to the mechanism's size, may be drawn inaccurately.
ROUGH = 1e-5, 0.05


def check(
    file: File,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the line by which editors complete and check such a file too.")
    ] = False,
) -> None:
    """Check a mechanism: the file, its structure, and a run over its range."""
    if schema:
        say(
            "as the first line of the file, for taplo and the extension Even Better TOML:",
            f"#:schema {SCHEMA.as_uri()}",
        )
    mechanism = Mechanism.load(file)
    say(f"{mechanism.title or file}: {_counts(mechanism)}")
    structure = mechanism.structure()
    motion, remarks = _run(mechanism, structure)
    free = _free(mechanism)
    odd = [*free, *_odd_units(mechanism), *_odd_formulas(mechanism), *_odd_curves(mechanism), *_odd_guides(mechanism)]
    odd += _odd_points(mechanism) + _lone_points(mechanism, structure) + _twins(mechanism)
    odd += [] if free else _odd_masses(mechanism)
    odd += _beyond_tables(mechanism, motion)
    notes = [*odd, *mechanism.remarks, *([] if motion is None else _not_closed(motion))]
    notes += structure.diagnostics if determines_all(structure) else ()
    say(*(f"  note: {note}" for note in notes), *(f"  {remark}" for remark in remarks))
    if remarks:
        raise typer.Exit(1)
    say("no errors; " + ("`structkin simulate` can start" if free else "every sample of the range is ok"))


def _counts(mechanism: Mechanism) -> str:
    structure = mechanism.structure()
    counted = (
        (len(mechanism.topology.moving_links), "moving link"),
        (len(mechanism.topology.joints), "joint"),
        (len(mechanism.drivers), "driver"),
        (len(structure.groups), "group"),
    )
    parts = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counted]
    return ", ".join([*parts[:-1], structure.mobility_in_words, parts[-1]])


def _free(mechanism: Mechanism) -> list[Problem]:
    """Return the drivers without a law: only a simulation can move the mechanism."""
    hint = "`structkin simulate` lets masses and forces move it; for `structkin solve`, add speed, law or table"
    return [
        Problem(f"drivers.{id}", "has neither speed nor law", hint)
        for id, drive in mechanism.drivers.items()
        if drive.law is None
    ]


def _odd_units(mechanism: Mechanism) -> list[Problem]:
    """Return rates without a unit in a file whose units are not SI: they are easily mistaken for the file's units."""
    notes = []
    for key, rate, angular in _rates(mechanism):
        own, si = (mechanism.units.angle, "rad") if angular else (mechanism.units.length, "m")
        if isinstance(rate, int | float) and rate and own != si:
            meant = f'"{rate} rpm" or "{rate} {own}/s"' if angular else f'"{rate} {own}/s"'
            notes.append(Problem(key, f"{rate} is in {si}/s", f"write {meant} if you mean that"))
    return notes


def _rates(mechanism: Mechanism) -> Iterator[tuple[str, Any, bool]]:
    """Yield the rates of drivers and of the initial state, as written: key, value, and whether they are angular."""
    data = mechanism.source_dict
    for section in ("drivers", "initial"):
        for id, entry in data.get(section, {}).items():
            angular = id in mechanism.drivers and mechanism.drivers[id].kind == "angle"
            yield f"{section}.{id}.speed", entry.get("speed"), angular
    for id, entry in data.get("initial", {}).items():
        yield f"initial.{id}.omega", entry.get("omega"), True
        yield from ((f"initial.{id}.{key}", entry.get(key), False) for key in ("vx", "vy"))
        yield from ((f"initial.{id}.velocity", rate, False) for rate in entry.get("velocity", ()))


def _odd_formulas(mechanism: Mechanism) -> list[Problem]:
    """Return the formulas in a file in degrees that have degrees where radians are meant."""
    if mechanism.units.angle != "deg":
        return []
    hint = "arguments are radians in every file: write sin(2*pi*t) for one period a second, x*pi/180 for x degrees"
    notes = [
        Problem(key, f"{call} looks like an argument in degrees", hint)
        for section in ("drivers", "forces")
        for key, text in _texts(section, mechanism.source_dict.get(section, {}))
        for call in _degrees(text)
    ]
    for id, entry in mechanism.source_dict.get("drivers", {}).items():
        law = entry.get("law")
        if mechanism.drivers[id].kind == "angle" and isinstance(law, str) and _like_radians(Expression(law)):
            hint = f"values of a law are in the file's unit, deg: for radians write ({law})*180/pi"
            notes.append(Problem(f"drivers.{id}.law", f"{law} looks like an angle in radians", hint))
    return notes


def _odd_points(mechanism: Mechanism) -> list[Problem]:
    """Return the points that are far smaller than the others in the file's unit, and of their size in metres."""
    sizes = {
        name: math.hypot(*place)
        for name, place in mechanism.source_dict["points"].items()
        if all(isinstance(x, int | float) for x in place) and any(place)
    }
    usual = float(np.median(list(sizes.values()))) if len(sizes) > 2 else 0.0
    unit, scale = mechanism.units.length, mechanism.units.length_scale
    return [
        Problem(f"points.{name}", f"is {size:.3g} {unit} from the origin, the others about {usual:.3g} {unit}", hint)
        for name, size in sizes.items()
        if size < usual / FAR and usual / NEAR < size / scale < usual * NEAR
        for hint in [f"a bare number is in {unit}: {size:.3g} m is {size / scale:.3g} {unit}"]
    ]


def _lone_points(mechanism: Mechanism, structure: KinematicStructure) -> list[Problem]:
    """Return the links that hang on one joint or none, although they have or need further ones.

    Such a link has one point only, or, if links can still move, points that are on no other link and at no joint.
    """
    joints = Counter(link for joint in mechanism.topology.joints for link in joint.links)
    shared = Counter(point for link in mechanism.links.values() for point in link.local)
    data = mechanism.source_dict
    used = {text for section in ("joints", "drivers") for _, text in _texts("", data.get(section))}
    is_loose, notes = not determines_all(structure), []
    for name, link in mechanism.links.items():
        alone = [point for point in link.local if shared[point] == 1 and point not in used]
        if name == GROUND or joints[name] > 1:
            continue
        if len(link.local) == 1 and joints[name] == 1:
            message = f"has no point but {', '.join(link.local)}, and one joint"
            hint = "name its other points, where further links are joined to it, or give it a guide in [joints]"
            notes.append(Problem(f"links.{name}", message, hint))
        elif is_loose and alone:
            message = f"{' and '.join(alone)} {'is' if len(alone) == 1 else 'are'} on no other link"
            hint = "name each point that joins two links in both of them, also in ground"
            notes.append(Problem(f"links.{name}", message, hint))
    return notes


def _twins(mechanism: Mechanism) -> list[Problem]:
    """Return the links with the same two or more points as a link before them."""
    first: dict[frozenset[str], str] = {}
    hint = "delete one of them, unless both are built"
    return [
        Problem(f"links.{name}", f"has the same points as {first[points]}", hint)
        for name, link in mechanism.links.items()
        if len(points := frozenset(link.local)) > 1 and first.setdefault(points, name) != name
    ]


def _like_radians(law: Expression) -> bool:
    """Whether a law grows by a fraction of pi a second, or swings through a few degrees."""
    if law.slope is not None:
        return law.slope != 0 and (12 * law.slope / math.pi).is_integer()
    values = law(np.linspace(0.0, 1.0, LOOKS))[0]
    return bool(np.ptp(values) < SMALL_SWING)


def _degrees(text: str) -> list[str]:
    """Return the arguments in degrees of a text, none where it is no formula but a name."""
    try:
        return Expression(text).degrees if "(" in text else []
    except Flaw:
        return []


def _texts(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text in an entry with its key."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _texts(f"{key}.{name}", part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(key, part)


def _odd_curves(mechanism: Mechanism) -> list[Problem]:
    """Return what is odd about cams (jumps, undercutting, large pressure angles) and about slots with kinks."""
    curved: list[Cam | CurveSlot] = [*mechanism.joints.of(Cam).values(), *mechanism.joints.of(CurveSlot).values()]
    return [Problem(f"joints.{joint.id}", remark) for joint in curved for remark in joint.remarks]


def _odd_guides(mechanism: Mechanism) -> list[Problem]:
    """Return the pins slightly off the line of their prismatic joint, which keeps the distance that is drawn."""
    size, notes = mechanism.size, []
    for id, guide in mechanism.joints.of(Prismatic).items():
        for pin, away in _beside(mechanism, guide).items():
            if ROUGH[0] * size < away < ROUGH[1] * size:
                message = f"pin {pin} is {shown(mechanism.units, away, 'length')} off the line of the guide"
                notes.append(Problem(f"joints.{id}", message, "draw it on the line, unless this offset is meant"))
    return notes


def _beside(mechanism: Mechanism, guide: Prismatic) -> dict[str, float]:
    """Return the distances [m] from the line of a guide of the pins that slide along it.

    Those of the ground, and of a link that itself has the two points of the line, do not count.
    """
    assert guide.turn is not None
    slider, carrier = (mechanism.links[link].local for link in (guide.slider, guide.carrier))
    along = mechanism.source_dict["joints"][guide.id].get("along", ())
    is_on_carrier = bool(along) and all(point in carrier for point in along)
    found = {}
    if is_on_carrier or not along:
        found = {pin: ((at - guide.point) * guide.turn / guide.direction).imag + guide.offset
                 for pin, at in slider.items()}  # fmt: skip
    if guide.carrier != GROUND and not is_on_carrier:
        found |= {pin: ((at - guide.origin) / guide.direction).imag for pin, at in carrier.items()}
    shared = Counter(point for link in mechanism.links.values() for point in link.local)
    return {pin: abs(away) for pin, away in found.items() if shared[pin] > 1}


def _odd_masses(mechanism: Mechanism) -> list[Problem]:
    """Return the masses without a centre: the motion needs none, but forces and simulations do."""
    found = problems_of(mass_table, mechanism)
    return [Problem(one.key, f"{one.message}, which forces and simulate need", one.hint) for one in found]


def _beyond_tables(mechanism: Mechanism, motion: Motion | None) -> list[Problem]:
    """Return the loads without a value at some time of the run, or of a simulation of the duration of the file."""
    if motion is not None:
        return beyond_tables(mechanism, float(motion.t[0]), float(motion.t[-1]))
    return beyond_tables(mechanism, 0.0, mechanism.duration or 0.0)


def _not_closed(motion: Motion) -> list[Problem]:
    """Return a note if all drivers return to where they started, but the mechanism does not."""
    m, turned = motion.mechanism, dict[str, int]()
    for id, z in motion.drivers.items():
        gap = float(z[0, -1] - z[0, 0])
        turns = gap / TURN if m.drivers[id].kind == "angle" else 0.0
        if not abs(gap - TURN * round(turns)) < VISIBLE * (1.0 if turns else motion.size):
            return []
        if round(turns):
            turned[id] = abs(round(turns))
    if not turned or not motion.ok.all():
        return []
    ends = {
        link: [motion.position(place, link)[[0, -1]] for place in (0j, motion.size + 0j)] for link in m.topology.links
    }
    away = [link for link, places in ends.items() if np.abs(np.diff(places, axis=1)).max() > VISIBLE * motion.size]
    if not away:
        return []
    said = " and ".join(f"{count} turn{'' if count == 1 else 's'} of {id}" for id, count in turned.items())
    hint = "each cycle starts from another pose"
    if len(turned) == 1:
        ((id, count),) = turned.items()
        found = m.limits(id)
        whole = found.intervals[0].turns if found.turns_fully and found.intervals else 1
        if whole > 1:
            rates = motion.drivers[id][1]
            # only at constant speed does the time grow like the turns
            steady = np.ptp(rates) < VISIBLE * np.abs(rates).max()
            time = f", in {whole / count * (motion.t[-1] - motion.t[0]):.6g} s" if steady else ""
            hint = f"it closes after {whole} turns{time}"
    end = "ends" if len(away) == 1 else "end"
    return [Problem("", f"the motion does not close after {said}: {', '.join(away)} {end} elsewhere", hint)]


def _run(mechanism: Mechanism, structure: KinematicStructure) -> tuple[Motion | None, list[Problem]]:
    """Return a run over the default range, and the problems of the structure or of the run.

    A mechanism with free drivers has no run: the problems are those of the first instants of a simulation.
    """
    if not determines_all(structure):
        return None, list(structure.diagnostics)
    try:
        if _free(mechanism):
            start = mechanism.simulate([0.0, NUDGE * (mechanism.duration or 1.0)], max_steps=FIRST)
            ended = start.stopped and start.integration.steps < FIRST
            return None, [Problem("", start.stopped)] if ended else []
        motion = mechanism.solve()
    except InputError as error:
        return None, list(error.problems)
    lines = motion.report.splitlines()[1:]
    if not lines:
        return motion, []
    if impossible := impossible_loops(mechanism):
        lines += [*impossible, "change the lengths"]
    else:
        rest = "the other samples are right; " if motion.ok.any() else ""
        lines.append(f"{rest}change the range, or the {'lengths or strokes' if motion.strokes else 'lengths'}")
    return motion, [*_beyond_strokes(motion), *(Problem("", line) for line in lines)]


def _beyond_strokes(motion: Motion) -> list[Problem]:
    """Return the drivers that are asked for more than their stroke, with both ranges."""
    m, found = motion.mechanism, []
    for id, z in motion.drivers.items():
        drive = m.drivers[id]
        if drive.stroke is None:
            continue
        (low, high), least, largest = drive.stroke, float(np.min(z[0])), float(np.max(z[0]))
        if least < low - EQUAL_DATA * (high - low) or largest > high + EQUAL_DATA * (high - low):
            asked, allowed = (
                f"{shown(m.units, a, drive.quantity)} to {shown(m.units, b, drive.quantity)}"
                for a, b in ((least, largest), (low, high))
            )
            found.append(Problem(f"drivers.{id}", f"asked for {asked}; its stroke is {allowed}"))
    return found
