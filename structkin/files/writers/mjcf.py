"""MuJoCo's MJCF: the mechanism as bodies in the plane x, z, upright, in the pose in which it starts.

The x axis is kept, y becomes MuJoCo's z, and angles are about -y, so that they are counter-clockwise when seen along
MuJoCo's y. Joint coordinates are angles [rad] and travels [m] as structkin counts them. Loops are closed by equality
constraints, which hold exactly in the start pose.

Drivers, springs, efforts and loads are tendons and actuators of MuJoCo. A coordinate that is not a single joint becomes
a tendon: a fixed tendon is a sum of joint coordinates, a spatial one a distance. Each driver has two actuators: `motor`
takes its value (at constant speed, it integrates the rate), and `motor rate` takes its rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from structkin.dynamics.bodies import mass_table
from structkin.dynamics.loads import turned_angle
from structkin.errors import InputError, Problem
from structkin.files.writers.mjcf_tree import (
    Body,
    Form,
    Tree,
    added,
    bodies_at_start,
    make_tree,
    same_turns,
    site,
    stand_ins,
)
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
from structkin.model.forces import AppliedForce, AppliedMoment, Contact, Friction, Spring, Torsion
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate, Law
from structkin.numerical_tolerances import INSTANT, NEGLIGIBLE
from structkin.show.files import whole_file
from structkin.show.style import group_colour
from structkin.solve import Motion, structure_of
from structkin.solve.solve_groups import solve_groups

if TYPE_CHECKING:
    from structkin.solve import Motion


def numbers(values: Iterable[float]) -> str:
    """Return numbers with all their digits.

    >>> numbers([0.1, -0.0, 2])
    '0.1 0 2'
    """
    return " ".join(repr(float(value)).removesuffix(".0") if value else "0" for value in values)


def place(z: complex) -> str:
    """Return a place of the plane; y points up.

    >>> place(1 + 2j)
    '1 0 2'
    """
    return numbers([z.real, 0.0, z.imag])


Element = ElementTree.Element

# --- what acts on it: drivers, springs, efforts and loads ----------------------------------------------------------

#: Response time of a driver's servo, in steps.
_SERVO = 5.0


@dataclass
class Drives:
    """Tendons, constraints of tendons, actuators and the start of a mechanism, collected and then written."""

    m: Mechanism
    sim: Motion
    tree: Tree
    step: float
    laws: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    tendons: list[Element] = field(default_factory=list)
    fixed: list[Element] = field(default_factory=list)
    actuators: list[Element] = field(default_factory=list)
    controls: list[float] = field(default_factory=list)
    activations: list[float] = field(default_factory=list)
    sites: dict[str, list[tuple[str, complex]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Collect drivers and forces."""
        for id, drive in self.m.drivers.items():
            target = self._driven(id, drive)
            if drive.law is not None:
                self._servo(id, drive, drive.law, target)
            elif id in self.m.forces.efforts:
                self._motor(id, self.m.forces.efforts[id], target)
        for load in self.m.forces.loads.values():
            if isinstance(load, Spring):
                self._spring(load)
            elif isinstance(load, AppliedForce):
                self._force(load)
            elif isinstance(load, Torsion | AppliedMoment):
                self._moment(load, self._between(load.links))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the file cannot express or leaves out, what it names otherwise, and that a run begins at its key."""
        of_drivers = f"MJCF has no laws of time: set the controls of {', '.join(self.laws)}, and of their rates"
        of_loads = f"MJCF has no laws of time: set the controls of {', '.join(self.loads)}, in N or N m"
        at_start = 'begin a run from the key "start": it holds pose, speeds and controls at time 0'
        # A run from elsewhere is at rest, with all controls at zero; its pose is the same.
        starts = self.controls or any(link.rate for links in self.tree.parents.values() for link in links)
        idle = f"left out, since their links do not turn against each other: {', '.join(self.idle)}"
        marked = f"names that others have got an apostrophe: {', '.join(self.tree.names.marked)}"
        told = (
            (of_drivers, self.laws), (of_loads, self.loads), (idle, self.idle), (marked, self.tree.names.marked),
            (at_start, starts),
        )  # fmt: skip
        return tuple(note for note, applies in told if applies)

    # --- coordinates ------------------------------------------------------------------------------------------

    def _between(self, links: tuple[str, str]) -> Form:
        """Return the angle of the second link against the first."""
        return added(self.tree.turn(links[1]), self.tree.turn(links[0], -1.0))

    def _at_start(self, form: Form) -> float:
        values = {link.joint: link.value for links in self.tree.parents.values() for link in links}
        return sum(factor * values[joint] for joint, factor in form.items())

    def _driven(self, id: str, drive: DriverCoordinate) -> dict[str, str]:
        if drive.ends is not None:
            (a, p), (b, q) = drive.ends
            self.tendons.append(self._spatial(id, self._site(a, p), self._site(b, q)))
            return {"tendon": id}
        if drive.kind == "slide":
            return {"joint": self.tree.travels[drive.joint or ""]}
        return self._coordinate(id, self._between(drive.links))

    def _coordinate(self, id: str, form: Form) -> dict[str, str]:
        """Return what an actuator acts on: a joint if the form is a single one, else a tendon."""
        if list(form.values()) == [1.0]:
            return {"joint": next(iter(form))}
        self.tendons.append(_fixed(id, form))
        return {"tendon": id}

    def _site(self, link: str, point: str | complex) -> str:
        """Return the site of a place of a link; one is made if no named point is there."""
        if isinstance(point, str):
            return site(link, point)
        made = self.sites.setdefault(link, [])
        made.append((self.tree.names.make("site", site(link, f"place {len(made) + 1}")), point))
        return made[-1][0]

    @staticmethod
    def _spatial(id: str, first: str, second: str) -> Element:
        tendon = ElementTree.Element("spatial", name=id)
        for name in (first, second):
            ElementTree.SubElement(tendon, "site", site=name)
        return tendon

    # --- constraints ------------------------------------------------------------------------------------------

    def constant(self, id: str, form: Form) -> None:
        """Hold a sum of coordinates at its start value."""
        self._hold(_fixed(id, form))

    def distance(self, id: str, first: tuple[str, complex], second: tuple[str, complex]) -> None:
        """Hold the distance between two places in the frames of links."""
        self._hold(self._spatial(id, self._site(*first), self._site(*second)))

    def _hold(self, tendon: Element) -> None:
        name = tendon.get("name", "")
        self.tendons.append(tendon)
        self.fixed.append(ElementTree.Element("tendon", name=name, tendon1=name))

    # --- actuators --------------------------------------------------------------------------------------------

    def _servo(self, id: str, drive: DriverCoordinate, law: Law, target: dict[str, str]) -> None:
        """Make a driver follow its law: critically damped for the inertia that it moves at the start."""
        inertia, lag = self._inertia(id), _SERVO * self.step
        stiffness, kv = inertia / lag**2, numbers([2 * inertia / lag])
        value, rate = (float(x) for x in self.sim.drivers[id][:2, 0])
        # A sum of coordinates lacks the angles between links that do not turn against each other.
        zero = self._at_start(self._between(drive.links)) - value if drive.kind == "angle" else 0.0
        bias = numbers([stiffness * zero if abs(zero) > NEGLIGIBLE else 0.0, -stiffness])
        servo = {"gainprm": numbers([stiffness]), "biastype": "affine", "biasprm": bias}
        if law.speed is not None:
            # `intvelocity` without its range: older versions of MuJoCo refuse it where none is given
            self._act("general", id, target, law.speed, dyntype="integrator", **servo)
            self.activations.append(value)
        else:
            self._act("general", id, target, value, **servo)
            self.laws.append(id)
        self._act("velocity", self.tree.names.make("actuator", f"{id} rate"), target, rate, kv=kv)

    def _inertia(self, id: str) -> float:
        """Return the inertia that a driver moves, twice the kinetic energy at unit rate, by K; without K, the whole."""
        total, masses = 0.0, {one.link: one for one in mass_table(self.m)}
        which = list(self.m.drivers).index(id)
        for name in masses:
            body = self.tree.bodies[name]
            first = self.m.links[name].points[0]
            turn = float(self.sim.K(name, kind="link")[0, which])
            x, y = (float(part) for part in self.sim.K(first, kind="point")[0, :, which])
            arm = body.direction * (body.center - self.m.links[name].local[first])
            total += body.mass * abs(complex(x, y) + 1j * arm * turn) ** 2 + body.inertia * turn**2
        if math.isfinite(total) and total > 0:
            return total
        mass, _ = stand_ins(self.m)
        size = 1.0 if self.m.drivers[id].kind != "angle" else self.m.size
        return max(sum(one.mass for one in masses.values()), mass) * size**2

    def _motor(self, id: str, law: Law, target: dict[str, str], gear: float = 1.0) -> None:
        self._act("motor", id, target, self._now(id, law), gear=numbers([gear]))

    def _now(self, id: str, law: Law) -> float:
        """Return a law at the start; a varying one is noted."""
        if law.speed != 0.0:
            self.loads.append(id)
        return float(law(self.sim.t[:1])[0][0])

    def _act(self, tag: str, id: str, target: dict[str, str], control: float, **how: str) -> None:
        self.actuators.append(ElementTree.Element(tag, {"name": id, **target, **how}))
        self.controls.append(control)

    # --- forces -----------------------------------------------------------------------------------------------

    def _spring(self, load: Spring) -> None:
        (a, p), (b, q) = load.ends
        tendon = self._spatial(load.id, self._site(a, p), self._site(b, q))
        tendon.attrib |= _elastic(load.stiffness, load.free_length, load.damping)
        self.tendons.append(tendon)
        if load.actuator is not None:
            self._motor(load.id, load.actuator, {"tendon": load.id}, -1.0)  # it pulls the points together

    def _moment(self, load: Torsion | AppliedMoment, form: Form) -> None:
        if not form:
            self.idle.append(load.id)
        elif isinstance(load, Torsion):
            self._torsion(load, form)
        else:
            self._motor(load.id, load.size, self._coordinate(load.id, form))

    def _torsion(self, load: Torsion, form: Form) -> None:
        free = load.free_angle + self._at_start(form) - float(turned_angle(self.sim, load)[0])
        tendon = _fixed(load.id, form)
        tendon.attrib |= _elastic(load.stiffness, free, load.damping)
        self.tendons.append(tendon)
        if load.actuator is not None:
            self._motor(load.id, load.actuator, {"tendon": load.id})

    def _force(self, load: AppliedForce) -> None:
        where = {"site": self._site(load.link, load.place)}
        if not load.local:
            where["refsite"] = self._site(self.tree.ground, 0j)
        for axis, law, gear in (("x", load.x, "1 0 0 0 0 0"), ("y", load.y, "0 0 1 0 0 0")):
            id = self.tree.names.make("actuator", f"{load.id} {axis}")
            self._act("motor", id, where, self._now(id, law), gear=gear)

    # --- the document -----------------------------------------------------------------------------------------

    def write(self, world: Element, tendons: Element, equality: Element, root: Element) -> None:
        """Add what was collected to the document, and the keyframe of the start."""
        for link, places in self.sites.items():
            own = (body for body in world.iter("body") if body.get("name") == self.tree.label(link))
            element = world if link == self.tree.ground else next(own)
            for name, z in places:
                element.insert(0, ElementTree.Element("site", name=name, pos=place(z)))
        tendons.extend(self.tendons)
        equality.extend(self.fixed)
        if self.actuators:
            ElementTree.SubElement(root, "actuator").extend(self.actuators)
        order = [joint.get("name") for joint in world.iter("joint")]
        links = {link.joint: link for held in self.tree.parents.values() for link in held}
        start = [links[name or ""] for name in order]
        key = ElementTree.SubElement(ElementTree.SubElement(root, "keyframe"), "key", name="start")
        key.attrib |= {"qpos": numbers(link.value for link in start), "qvel": numbers(link.rate for link in start)}
        if self.controls:
            key.set("ctrl", numbers(self.controls))
        if self.activations:
            key.set("act", numbers(self.activations))


def _fixed(id: str, form: Form) -> Element:
    tendon = ElementTree.Element("fixed", name=id)
    for joint, factor in form.items():
        ElementTree.SubElement(tendon, "joint", joint=joint, coef=numbers([factor]))
    return tendon


def _elastic(stiffness: float, free: float, damping: float) -> dict[str, str]:
    return {"stiffness": numbers([stiffness]), "springlength": numbers([free]), "damping": numbers([damping])}


# --- the mechanism -------------------------------------------------------------------------------------------------


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
    Friction: "MuJoCo has no dry friction that is limit tanh(rate / transition)",
    Contact: "MuJoCo has no contacts with the force stiffness depth^exponent (1 + loss rate / speed)",
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
    for id, form in tree.relations.items():
        drives.constant(tree.names.make("equality", f"{id} ratio"), form)
    for slot in m.joints.of(CircularSlot).values():
        drives.distance(slot.id, (slot.carrier, slot.center), (slot.slider, slot.point))
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
        Problem(f"forces.{id}", _FORCES[type(load)], "delete it from a copy of the mechanism")
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
        parent, "body", name=tree.label(name), pos=place(above.within(body.origin)),
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
        names = {"name": closure.name, "body1": tree.label(first)}
        if second != tree.ground:
            names["body2"] = tree.label(second)
        if closure.rigid:
            ElementTree.SubElement(equality, "weld", names)
        else:
            anchor = {"anchor": place(tree.bodies[first].within(closure.at))}
            ElementTree.SubElement(equality, "connect", names | anchor)
