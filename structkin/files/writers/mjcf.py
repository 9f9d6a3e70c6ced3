"""MuJoCo's MJCF: the mechanism as bodies in the plane x, z, upright, in the pose in which it starts.

The x axis is kept, y becomes MuJoCo's z, and angles are about -y, so that they are counter-clockwise when seen along
MuJoCo's y. Joint coordinates are angles [rad] and travels [m] as structkin counts them. Loops are closed by equality
constraints, which hold exactly in the start pose.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from structkin.dynamics.bodies import mass_table
from structkin.errors import InputError, Problem
from structkin.files.writers.mjcf_drives import Drives
from structkin.files.writers.mjcf_start import Body, bodies_at_start, same_turns, stand_ins
from structkin.files.writers.mjcf_tree import Tree, make_tree
from structkin.files.writers.mjcf_words import numbers, place, site
from structkin.joints.belt import Belt
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.fastened import Fastened
from structkin.joints.gear import Gear
from structkin.joints.geneva import Geneva
from structkin.joints.law_cam import LawCam
from structkin.joints.pair import Pair
from structkin.joints.prismatic import Prismatic
from structkin.joints.profile_cam import ProfileCam
from structkin.joints.rack import Rack
from structkin.joints.revolute import Revolute
from structkin.joints.rolling import RollingOnCircle, RollingOnLine
from structkin.joints.slot import Slot
from structkin.model.forces import Contact, Friction
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import INSTANT
from structkin.show.files import whole_file
from structkin.show.style import group_colour
from structkin.solve import structure_of
from structkin.solve.solve_groups import solve_groups

if TYPE_CHECKING:
    from structkin.solve import Motion

Element = ElementTree.Element

#: The joints that the file can hold. Kinds from outside the package are not among them, even if derived from these.
_KNOWN = (
    Revolute, Prismatic, Slot, CircularSlot, Fastened, Gear, Belt, Rack, RollingOnLine, RollingOnCircle,
)  # fmt: skip
#: Joints and forces for which MuJoCo has no equivalent.
_FOREIGN: dict[type[Pair], str] = {
    LawCam: "MuJoCo has no cams",
    ProfileCam: "MuJoCo has no cams",
    Geneva: "MuJoCo has no Geneva wheels",
    CurveSlot: "MuJoCo has no slots along a curve",
}
_FORCES = {
    Friction: "MuJoCo has no friction of this law",
    Contact: "MuJoCo has no contacts of this law",
}

#: The time constant of constraints is two steps, the stiffest that is stable. (MuJoCo: solref, solimp.)
_STIFF, _SOLIMP = 2.0, "0.9999 0.99999 0.001 0.5 2"


def write_mjcf(mechanism: Mechanism, path: Path) -> tuple[str, ...]:
    """Write a mechanism for MuJoCo; return notes on how the file differs from the mechanism.

    Raises `InputError`, which lists every part that MuJoCo cannot represent.
    """
    root, notes = mjcf(mechanism)
    ElementTree.indent(root)
    with whole_file(path) as file:
        ElementTree.ElementTree(root).write(file, encoding="unicode", xml_declaration=False)
        file.write("\n")
    return notes


def mjcf(mechanism: Mechanism) -> tuple[Element, tuple[str, ...]]:
    """Return the document, and notes on it."""
    sim = _start(mechanism, _foreign(mechanism))
    m = sim.mechanism
    stand_in = stand_ins(m)
    tree = make_tree(m, same_turns(sim, bodies_at_start(sim, stand_in)), stand_in)
    step = _step(m, sim)
    drives = Drives(m, sim, tree, step)
    root = Element("mujoco", model=m.title or "mechanism")
    notes = (*_mass_notes(m, stand_in), *drives.notes, *_stroke_notes(m))
    for note in notes:
        root.append(ElementTree.Comment(f" {note.replace('--', '- -')} "))
    _settings(root, m, step)
    world = ElementTree.SubElement(root, "worldbody")
    size = m.size
    colours = {link: group_colour(group.index) for group in structure_of(m).groups for link in group.links}
    _fill(world, tree.bodies[tree.ground], size, "#555555")
    for name in tree.children(tree.ground):
        _body(world, tree, name, size, colours)
    tendons, equality = ElementTree.SubElement(root, "tendon"), ElementTree.SubElement(root, "equality")
    _loops(tree, equality)
    for id, form in tree.relations.items():
        drives.constant(f"{id} ratio", form)
    for slot in m.joints.of(CircularSlot).values():
        drives.distance(slot.id, (slot.carrier, slot.center), (slot.slider, slot.point))
    drives.write(world, tendons, equality, root)
    for empty in [child for child in root if child.tag in ("tendon", "equality") and not len(child)]:
        root.remove(empty)
    return root, notes


def _foreign(mechanism: Mechanism) -> list[Problem]:
    """Return the parts that the format cannot represent."""
    problems = [
        Problem(f"joints.{id}", _FOREIGN.get(type(joint), "MuJoCo has no joint of this kind"))
        for id, joint in mechanism.joints.items()
        if type(joint) not in _KNOWN
    ]
    problems += [
        Problem(f"forces.{id}", _FORCES[type(load)])
        for id, load in mechanism.forces.loads.items()
        if isinstance(load, Friction | Contact)
    ]
    return problems


def _start(mechanism: Mechanism, problems: list[Problem]) -> Motion:
    """Return a motion whose first sample is the start: by the laws of the drivers, or the start of a simulation.

    Raises `InputError` with all `problems`, and why there is no start if there is none.
    """
    found: Motion | None = None
    try:
        found = _first_pose(mechanism)
    except InputError as error:
        problems = [*problems, *error.problems]
    if found is None or problems:
        raise InputError(problems, f"{mechanism.title or 'mechanism'}, as MJCF")
    return found


def _first_pose(mechanism: Mechanism) -> Motion:
    driven = all(drive.law is not None for drive in mechanism.drivers.values())
    if driven and not structure_of(mechanism).under:
        motion = solve_groups(mechanism, t=[0.0])
        if not motion.ok.all():
            why = "; ".join(motion.report.splitlines()[1:])
            hint = "let the laws start at a pose that can be reached"
            raise InputError([Problem("drivers", f"the start has no regular pose: {why}", hint)])
        return motion
    return mechanism.simulate(INSTANT, samples=2, max_steps=1000)


def _mass_notes(mechanism: Mechanism, stand_in: tuple[float, float]) -> Iterator[str]:
    bodies = mass_table(mechanism)
    size = f"{stand_in[0]:.3g} kg"
    if not any(body.mass for body in bodies):
        yield f"no link has a mass: each has {size} here, since MuJoCo moves no massless body"
        return
    for what, names in (
        ("mass", [body.link for body in bodies if not body.mass]),
        ("inertia", [body.link for body in bodies if body.mass and not body.inertia]),
    ):
        if names:
            given = size if what == "mass" else f"{stand_in[1]:.3g} kg m^2"
            yield f"without {what}: {', '.join(names)}; MuJoCo needs it, so here it is {given}"


def _stroke_notes(mechanism: Mechanism) -> Iterator[str]:
    held = [joint.id for joint in mechanism.joints.values() if getattr(joint, "stroke", None) is not None]
    held += [drive.id for drive in mechanism.drivers.values() if drive.stroke is not None]
    if held:
        yield f"strokes do not act as stops, so they are left out: {', '.join(held)}"


def _step(mechanism: Mechanism, sim: Motion) -> float:
    """Return a time step [s] that is short enough for gravity at this size, and for the drivers."""
    gravity = abs(mechanism.forces.gravity)
    fall = math.sqrt(mechanism.size / gravity) if gravity else math.inf
    fastest = max((abs(float(sim.omega(link)[0])) for link in mechanism.links), default=0.0)
    turn = math.tau / fastest if fastest else math.inf
    return float(f"{min(1e-3, fall / 500, turn / 2000):.1g}")


def _settings(root: Element, mechanism: Mechanism, step: float) -> None:
    gravity = mechanism.forces.gravity
    ElementTree.SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
    option = ElementTree.SubElement(
        root, "option", timestep=repr(step), gravity=numbers([gravity.real, 0.0, gravity.imag]),
        integrator="RK4", iterations="200", tolerance="1e-12",
    )  # fmt: skip
    ElementTree.SubElement(option, "flag", contact="disable")
    default = ElementTree.SubElement(root, "default")
    ElementTree.SubElement(default, "equality", solref=numbers([_STIFF * step, 1.0]), solimp=_SOLIMP)
    ElementTree.SubElement(default, "geom", type="capsule", contype="0", conaffinity="0")


def _body(parent: Element, tree: Tree, name: str, size: float, colours: dict[str, str]) -> None:
    body, links = tree.bodies[name], tree.parents[name]
    above = tree.bodies[links[0].parent]
    turn = body.angle - above.angle
    element = ElementTree.SubElement(
        parent, "body", name=name, pos=place(above.within(body.origin)),
        quat=numbers([math.cos(turn / 2), 0.0, -math.sin(turn / 2), 0.0]),
    )  # fmt: skip
    ElementTree.SubElement(
        element, "inertial", pos=place(body.center), mass=numbers([body.mass]), diaginertia=numbers([body.inertia] * 3)
    )
    for link in links:
        if link.kind == "hinge":
            where = {"type": "hinge", "axis": "0 -1 0", "pos": place(body.within(link.at))}
        elif link.kind == "slide":
            where = {"type": "slide", "axis": place(link.way * body.direction.conjugate())}
        else:
            continue
        ElementTree.SubElement(element, "joint", {"name": link.joint, **where, "ref": numbers([link.value])})
    _fill(element, body, size, colours.get(name, "#999999"))
    for child in tree.children(name):
        _body(element, tree, child, size, colours)


def _fill(element: Element, body: Body, size: float, colour: str) -> None:
    """Draw a body: bars between its points, and a site at each point."""
    rgba = numbers([*(round(int(colour[k : k + 2], 16) / 255, 3) for k in (1, 3, 5)), 1.0])
    places = [z for _, z in body.points]
    thick = 0.012 * size
    if element.tag == "body":
        corners = [*places, places[0]] if len(places) > 2 else places
        for a, b in pairwise(corners):
            if a != b:
                ends = f"{place(a)} {place(b)}"
                ElementTree.SubElement(element, "geom", fromto=ends, size=numbers([thick]), rgba=rgba)
        if len(places) < 2:
            box = {"pos": place(places[0] if places else 0j), "size": numbers([2 * thick] * 3)}
            ElementTree.SubElement(element, "geom", {"type": "box", **box, "rgba": rgba})
    for name, z in body.points:
        ElementTree.SubElement(element, "site", name=site(body.name, name), pos=place(z), size=numbers([1.3 * thick]))


def _loops(tree: Tree, equality: Element) -> None:
    for closure in tree.closures:
        first, second = closure.bodies
        if first == tree.ground:
            first, second = second, first
        names = {"name": closure.name, "body1": first} | ({} if second == tree.ground else {"body2": second})
        if closure.rigid:
            ElementTree.SubElement(equality, "weld", names)
        else:
            anchor = {"anchor": place(tree.bodies[first].within(closure.at))}
            ElementTree.SubElement(equality, "connect", names | anchor)
