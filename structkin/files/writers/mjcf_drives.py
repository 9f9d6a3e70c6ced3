"""What acts on an exported mechanism: drivers, springs, efforts and loads, as tendons and actuators of MuJoCo.

A coordinate that is not a single joint becomes a tendon: a fixed tendon is a sum of joint coordinates, a spatial one a
distance. Each driver has two actuators: `motor` takes its value (at constant speed, it integrates the rate), and
`motor rate` takes its rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from xml.etree import ElementTree

from structkin.dynamics.bodies import mass_table
from structkin.dynamics.loads import turned_angle
from structkin.files.writers.mjcf_start import stand_ins
from structkin.files.writers.mjcf_tree import Form, Tree, added
from structkin.files.writers.mjcf_words import numbers, place, site
from structkin.model.forces import AppliedForce, AppliedMoment, Spring, Torsion
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate, Law
from structkin.solve import Motion

Element = ElementTree.Element

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
                self._servo(id, drive.law, target)
            elif id in self.m.forces.efforts:
                self._motor(id, self.m.forces.efforts[id], target)
        for load in self.m.forces.loads.values():
            if isinstance(load, Spring):
                self._spring(load)
            elif isinstance(load, Torsion):
                self._torsion(load)
            elif isinstance(load, AppliedMoment):
                self._motor(load.id, load.size, self._coordinate(load.id, self._between(load.links)))
            elif isinstance(load, AppliedForce):
                self._force(load)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the file cannot express: how drivers and loads vary with time, and that a run begins at its key."""
        of_drivers = f"MJCF has no laws of time: set the controls of {', '.join(self.laws)}, and of their rates"
        of_loads = f"MJCF has no laws of time: set the controls of {', '.join(self.loads)}, in N or N m"
        at_start = 'begin a run from the key "start": it holds pose, speeds and controls at time 0'
        # A run from elsewhere is at rest, with all controls at zero; its pose is the same.
        starts = self.controls or any(link.rate for links in self.tree.parents.values() for link in links)
        told = ((of_drivers, self.laws), (of_loads, self.loads), (at_start, starts))
        return tuple(note for note, applies in told if applies)

    # --- coordinates ------------------------------------------------------------------------------------------

    def _between(self, links: tuple[str, str]) -> Form:
        """Return the angle of the second link against the first."""
        return added(self.tree.turn(links[1]), self.tree.turn(links[0], -1.0))

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
        made.append((f"{link}: place {len(made) + 1}", point))
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

    def _servo(self, id: str, law: Law, target: dict[str, str]) -> None:
        """Make a driver follow its law: critically damped for the inertia that it moves at the start."""
        inertia, lag = self._inertia(id), _SERVO * self.step
        kp, kv = numbers([inertia / lag**2]), numbers([2 * inertia / lag])
        value, rate = (float(x) for x in self.sim.drivers[id][:2, 0])
        if law.speed is not None:
            # `intvelocity` without its range: older versions of MuJoCo refuse it where none is given
            servo = {"dyntype": "integrator", "gainprm": kp, "biastype": "affine", "biasprm": f"0 -{kp}"}
            self._act("general", id, target, law.speed, **servo)
            self.activations.append(value)
        else:
            self._act("position", id, target, value, kp=kp)
            self.laws.append(id)
        self._act("velocity", f"{id} rate", target, rate, kv=kv)

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

    def _torsion(self, load: Torsion) -> None:
        form = self._between(load.links)
        values = {link.joint: link.value for links in self.tree.parents.values() for link in links}
        here = sum(factor * values[joint] for joint, factor in form.items())
        free = load.free_angle + here - float(turned_angle(self.sim, load)[0])
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
            id = f"{load.id} {axis}"
            self._act("motor", id, where, self._now(id, law), gear=gear)

    # --- the document -----------------------------------------------------------------------------------------

    def write(self, world: Element, tendons: Element, equality: Element, root: Element) -> None:
        """Add what was collected to the document, and the keyframe of the start."""
        for link, places in self.sites.items():
            own = (body for body in world.iter("body") if body.get("name") == link)
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
