"""Writing the equations of a group without a closed form as rows for the general solver."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from structkin.errors import InputError, Problem, StructureError, raise_problems
from structkin.groups import General, Rows
from structkin.groups.kind import Values
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.law_cam import LawCam
from structkin.joints.row_writer import DrivenForm, PointGuide, RowWriter
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.numerical_tolerances import DETERMINED, RESIDUAL, SHORTEST_LINK
from structkin.plan.closing import half_square_of, turn_of_guide
from structkin.plan.higher_pairs import require_carrier
from structkin.plan.known_state import Contact, KnownState
from structkin.plan.plan import Operand, Register
from structkin.plan.turns import scalar, turn_of
from structkin.rows.affine import Affine, Frame
from structkin.rows.curves import Curve
from structkin.rows.equations import Form
from structkin.rows.relations import DrivenAngle
from structkin.rows.row import Row
from structkin.structure import Group


def solve_general(state: KnownState, group: Group, index: int) -> Mapping[str, Frame]:
    """Record one step that solves all links of the group together, and return their frames.

    A link that only keeps two pins apart is replaced by a distance between them, and a block that only keeps a pin on a
    guide by a line; their frames follow from those of the other links.
    """
    raise_problems(list(_pins_in_slots_alone(state, group)), state.mechanism.title)
    legs = _legs(state, group)
    writer = _written(state, group, index, legs)
    form = General(writer.form())
    if form.rows.count < 3 * form.rows.links:
        raise StructureError(
            [
                Problem(
                    f"group {index + 1}",
                    f"{form.rows.count} equations for the {3 * form.rows.links} unknowns of {', '.join(group.links)}",
                    "please report this mechanism",
                )
            ],
            state.mechanism.title,
        )
    angles = form.rows.angles
    frames = writer.sketch()
    own = state.builder.own(tuple(frames))
    if _is_drawn_singular(state.builder.own(form), tuple(map(state.builder.in_sketch, writer.inputs())), own):
        state.builder.singular[index] = Problem(
            ", ".join(f"links.{link}" for link in group.links),
            f"the {group.kind} group {' + '.join(group.links)} is drawn in a singular position: nothing "
            "determines which way it moves from there",
            "draw it in another pose; [lengths] keeps the dimensions exact",
        )
    else:
        _require_alike(state, group)
    sketch = [value for frame in frames for value in frame]
    solved = [link for link in group.links if link not in legs]
    starts = [state.builder.phase((state.base, solved[k]), own[k][1]) for k in angles]
    slots = state.builder.step(form, writer.inputs(), [*sketch, *starts], group=index, scalars=len(angles))
    for k, start, slot in zip(angles, starts, slots[2 * len(frames) :], strict=True):
        state.builder.turns[slots[2 * k + 1]] = Affine.slot(slot) - Affine(complex(start))
    found = {link: Frame(Affine.slot(slots[2 * k]), Affine.slot(slots[2 * k + 1])) for k, link in enumerate(solved)}
    found |= {link: leg.frame(state, found) for link, leg in legs.items()}
    return {link: found[link] for link in group.links}


def _pins_in_slots_alone(state: KnownState, group: Group) -> Iterator[Problem]:
    """Yield an error for each pin that moves with a group although no link of the group is on it."""
    for pin in group.pins:
        links = state.topology.joint(pin).links
        if set(group.links).isdisjoint(links):
            message = f"slots and cylinders place this pin together with {' and '.join(group.links)}"
            message += f"; the links on it, {' and '.join(links)}, are solved later"
            yield Problem(f"points.{pin}", message, f'let a slot of it act on one of these: on = "{links[0]}"')


def _require_alike(state: KnownState, group: Group) -> None:
    """Raise `InputError` where a link is so short beside another that rounding hides which way it points."""
    ends: defaultdict[str, list[complex]] = defaultdict(list)
    for contact in state.contacts(group.links):
        for link in dict.fromkeys((contact.link, contact.other or contact.link)):
            if link in state.mechanism.links and contact.joint in state.mechanism.links[link].local:
                ends[link].append(state.builder.own(state.local(link, contact.joint)))
    lengths = {link: max(abs(end - places[0]) for end in places) for link, places in ends.items()}
    longest = max(lengths, key=lambda link: lengths[link], default="")
    units = state.mechanism.units

    def shown(link: str) -> str:
        return f"{lengths[link] / units.length_scale:.6g} {units.length}"

    problems = [
        Problem(
            f"links.{link}",
            f"the link is {shown(link)} long, and {longest}, which moves with it, {shown(longest)}",
            f"the ratio must be at least {SHORTEST_LINK:g}; check the units and the places of both",
        )
        for link, length in lengths.items()
        if 0.0 < length < SHORTEST_LINK * lengths[longest]
    ]
    raise_problems(problems, state.mechanism.title or "mechanism")


def _is_drawn_singular(form: General, h: Values, frames: Sequence[tuple[complex, complex]]) -> bool:
    """Return whether a group without redundant rows is closed in the sketch, and singular there."""
    if form.rows.count > 3 * form.rows.links:
        return False
    origins, directions = np.array(frames).T
    O = np.stack((origins.real, origins.imag), axis=1)[..., None]
    theta = np.angle(directions)[:, None]
    if np.max(np.abs(form.gaps(h, O, theta))) > RESIDUAL * form.rows.size:
        return False
    return float(form.smallest_singular_value(h, form.unknowns(O, theta))[0]) < DETERMINED


def write_rows(state: KnownState, group: Group, index: int) -> tuple[General, tuple[Operand, ...]]:
    """Return the equations of a group's joints and drivers, and their inputs."""
    writer = _written(state, group, index, {})
    return General(writer.form()), writer.inputs()


def _written(state: KnownState, group: Group, index: int, legs: Mapping[str, _Strut | _Block]) -> GroupWriter:
    contacts = state.contacts(group.links)
    kept = [contact for contact in contacts if contact.link not in legs and contact.other not in legs]
    writer = GroupWriter(state, [link for link in group.links if link not in legs], kept, index)
    writer.write(group.drivers)
    for leg in legs.values():
        leg.write(writer)
    return writer


@dataclass(frozen=True)
class _End:
    """A pin of a leg, and the other link of the group at this pin, None if the pin is known."""

    joint: str
    on: str | None

    def place(self, state: KnownState, frames: Mapping[str, Frame]) -> Affine:
        """Return its position, from the frames of the group's links."""
        return state.pins[self.joint] if self.on is None else frames[self.on].point(state.local(self.on, self.joint))


@dataclass(frozen=True)
class _Strut:
    """A link that only keeps two pins apart."""

    link: str
    ends: tuple[_End, _End]

    def write(self, writer: GroupWriter) -> None:
        """Write its row."""
        writer.strut(self.link, self.ends)

    def frame(self, state: KnownState, found: Mapping[str, Frame]) -> Frame:
        """Return its frame from those of the others."""
        (a, near), (b, far) = ((state.local(self.link, end.joint), end.place(state, found)) for end in self.ends)
        direction = (far - near) * (1 / (b - a))
        return Frame(near - direction * a, direction)


@dataclass(frozen=True)
class _Block:
    """A link that only keeps a pin on a guide, with the link on the other side of the guide."""

    link: str
    joint: str
    partner: str
    end: _End

    def write(self, writer: GroupWriter) -> None:
        """Write its row."""
        writer.block(self)

    def turn(self, state: KnownState) -> complex:
        """Return its direction in the frame of its partner."""
        guide = state.guide(self.joint)
        turn = turn_of_guide(guide)
        return turn if self.link == guide.slider else 1 / turn

    def frame(self, state: KnownState, found: Mapping[str, Frame]) -> Frame:
        """Return its frame from those of the others."""
        partner = found[self.partner] if self.partner in found else state.frames[self.partner]
        direction = partner.direction * self.turn(state)
        return Frame(self.end.place(state, found) - direction * state.local(self.link, self.end.joint), direction)


def _legs(state: KnownState, group: Group) -> dict[str, _Strut | _Block]:
    """Return the links joined only by two pins, or a pin and a guide, to links that are not themselves legs."""
    contacts = state.contacts(group.links)
    joints = state.mechanism.joints
    if any(joints[contact.joint].parts for contact in contacts) or len(group.links) == 1:
        return {}
    ends: dict[str, list[_End]] = {link: [] for link in group.links}
    guides: dict[str, list[str]] = {link: [] for link in group.links}
    barred = {link for id in group.drivers for link in _links_of(state, group, id)}
    for contact in contacts:
        pair = (contact.link, contact.other)
        for link, on in (pair, pair[::-1]):
            if link is None:
                continue
            if contact.kind == "P":
                guides[link].append(contact.joint)
            else:
                ends[link].append(_End(contact.joint, on))
            if contact.kind not in "RP" or state.is_attached(contact.joint):
                barred.add(link)
    legs: dict[str, _Strut | _Block] = {}
    for link in group.links:
        pins, slides = ends[link], guides[link]
        # One link remains: redundant joints may fix both ends of each.
        if link in barred or any(end.on in legs for end in pins) or len(legs) + 1 == len(group.links):
            continue
        if not slides and len({end.joint for end in pins}) == len(pins) == 2:
            legs[link] = _Strut(link, (pins[0], pins[1]))
        elif len(slides) == len(pins) == 1:
            guide = state.guide(slides[0])
            partner = guide.carrier if link == guide.slider else guide.slider
            if partner not in legs:
                legs[link] = _Block(link, slides[0], partner, pins[0])
    return legs


def _links_of(state: KnownState, group: Group, driver: str) -> tuple[str, ...]:
    """Return the links on which a driver acts; at a shared pin any link of the group represents the named one."""
    drive = state.mechanism.drivers[driver]
    points = [point for _, point in drive.ends or ()]
    there = (link for link in group.links for point in points if point in state.mechanism.links[link].local)
    return (*drive.links, *(end[0] for end in drive.ends or ()), *there)


class GroupWriter(RowWriter):
    """Writes the rows of a group: slots 2 k and 2 k + 1 are the frame of its link k, followed by the inputs."""

    mechanism: Mechanism

    def __init__(self, state: KnownState, links: Sequence[str], contacts: Sequence[Contact], index: int) -> None:
        """Start without rows for these unknown links, joined by these contacts, of the group with this index."""
        self.mechanism, self.rows = state.mechanism, []
        self._state, self._index = state, index
        self._unknown = {link: k for k, link in enumerate(links)}
        self._vectors: list[Operand] = []
        self._unit: list[bool] = []
        self._numbers: list[Operand | str] = []
        self._contacts: dict[str, list[Contact]] = {}
        for contact in contacts:
            self._contacts.setdefault(contact.joint, []).append(contact)
        self.size = self._span()

    def form(self) -> Rows:
        """Return the rows written so far."""
        sizes, units = [1.0] * len(self._numbers), [self._state.builder.own(row.unit) for row in self.rows]
        for row, unit in zip(self.rows, units, strict=True):
            for number, _ in row.form.numbers if isinstance(row.form, Row) else ():
                sizes[number] = unit
        angles = [(self._unknown[x], k) for k, x in enumerate(self._numbers) if isinstance(x, str)]
        scalars = [k for k, x in enumerate(self._numbers) if not isinstance(x, str)]
        return Rows(
            len(self._unknown),
            len(self._vectors),
            tuple(row.form for row in self.rows),
            tuple(unit / self.size for unit in units),
            tuple(self._unit),
            tuple(scalars),
            tuple(sizes[k] for k in scalars),
            tuple(link for link, _ in angles),
            tuple(number for _, number in angles),
            self.size,
        )

    def inputs(self) -> tuple[Operand, ...]:
        """Return the vector inputs, then the scalar inputs."""
        return (*self._vectors, *(x for x in self._numbers if not isinstance(x, str)))

    def sketch(self) -> list[tuple[complex, complex]]:
        """Return origin and direction of each unknown link in the sketch."""
        return [self._state.sketch_frame(link) for link in self._unknown]

    def write(self, drivers: Sequence[str]) -> None:
        """Write the rows of all contacts and of these drivers."""
        for id in self._contacts:
            self._require(id)
            self.mechanism.joints[id].write(self)
        for id in drivers:
            write_driver(self, self.mechanism.drivers[id])

    def _require(self, joint: str) -> None:
        """Raise `InputError` for joints that cannot be solved in this direction."""
        wheels = self.mechanism.joints.of(Geneva)
        geneva = wheels.get(joint)
        if geneva is not None:
            first, *more = (id for id, other in wheels.items() if other.links == geneva.links)
            if more:
                message = f"turns '{geneva.wheel}' by '{geneva.crank}', as '{first}' does"
                raise InputError([Problem(f"joints.{more[0]}", message, "delete one of them")], self.mechanism.title)
            message = f"the Geneva wheel '{geneva.wheel}' has to be driven by its crank '{geneva.crank}'"
            hint = "drive the crank's shaft; the wheel cannot drive the crank"
            raise InputError([Problem(f"joints.{geneva.id}", message, hint)], self.mechanism.title)
        cam = self.mechanism.joints[joint]
        if isinstance(cam, LawCam):
            require_carrier(self._state, cam, tuple(self._unknown))

    def strut(self, link: str, ends: tuple[_End, _End]) -> None:
        """Write the row of a link that keeps two pins apart."""
        state = self._state
        span = abs(state.local(link, ends[1].joint) - state.local(link, ends[0].joint))
        E, F = (self.end(end.on or "", end.joint)[0] for end in ends)
        self.add(link, "constant distance", (link,), span * self.size, Row.half_square(F - E).plus(-0.5 * span**2))

    def block(self, block: _Block) -> None:
        """Write the row of a link that keeps a pin on a guide, in the frame of the link on the other side."""
        state, guide, turn = self._state, self._state.guide(block.joint), block.turn(self._state)
        local = state.local(block.link, block.end.joint)
        if block.link == guide.slider:
            start, along, offset = guide.origin + turn * (local - guide.point), guide.direction, guide.offset
        else:
            start, along, offset = guide.point + turn * (local - guide.origin), turn * guide.direction, -guide.offset
        tip = self.end(block.end.on or "", block.end.joint)[0]
        row = Row.cross(self.along(block.partner, along), tip - self.point(block.partner, start)).plus(-offset)
        self.add(block.link, "across the guide", (block.partner,), self.size, row)

    # --- the interface for joints ----------------------------------------------------------------------------

    def point(self, link: str, local: complex) -> Affine:
        """Return a point of a link."""
        if link not in self._unknown:
            return self._known(self._state.frames[link].point(local))
        k = self._unknown[link]
        return Affine.slot(2 * k) + Affine.slot(2 * k + 1) * local

    def along(self, link: str, local: complex = 1 + 0j) -> Affine:
        """Return a direction fixed in a link."""
        if link not in self._unknown:
            return self._known(self._state.frames[link].direction, unit=True) * local
        return Affine.slot(2 * self._unknown[link] + 1) * local

    def drawn(self, link: str, local: complex) -> complex:
        """Return the position of a point of a link in the sketch."""
        origin, direction = self._state.sketch_frame(link)
        return origin + direction * local

    def ties(self, pin: str) -> Iterator[tuple[str, Affine, tuple[str, ...]]]:
        """Return the links joined by a pin: to the known pin, or to another link of the group."""
        for contact in self._contacts[pin]:
            if contact.other is None:
                yield contact.link, self._known(self._state.pins[pin]), ()
            else:
                yield contact.link, self.point(contact.other, self._state.local(contact.other, pin)), (contact.other,)

    def fastened(self, joint: str) -> list[str]:
        """Return the links for which the link or the first one belongs to the group, and both are available."""
        first, *others = self.mechanism.joints[joint].links
        pairs = ((link, [end in self._unknown for end in (first, link)]) for link in others)
        frames = self._state.frames
        return [
            link
            for link, own in pairs
            if any(own) and all(mine or end in frames for end, mine in zip((first, link), own, strict=True))
        ]

    def tip(self, slot: PointGuide) -> tuple[Affine, str]:
        """Return the point guided by a guide or a circular slot, and its link."""
        state, slider = self._state, slot.slider
        if slider in self._unknown or slider in state.frames:
            return self.point(slider, slot.point), slider
        # The slot acts on a shared pin whose listed link is solved later: use any link at the pin, or the pin itself.
        local = self.mechanism.links[slider].local
        return self.end(slider, next(point for point, place in local.items() if place == slot.point))

    def end(self, link: str, point: str) -> tuple[Affine, str]:
        """Return a point of a link of the group, or a known point."""
        state = self._state
        if point in state.pins:
            return self._known(state.pins[point]), link
        if link not in self._unknown and link not in state.frames:
            link = next(name for name in self._unknown if point in self.mechanism.links[name].local)
        return self.point(link, state.local(link, point)), link

    def is_met(self, guide: str) -> bool:
        """Return False: no frame satisfies a guide by itself."""
        return False

    def turns(self, factors: Mapping[str, float]) -> Row:
        """Return the sum of factor * rotation from the sketch, over unknown angles and known rotations."""
        terms, start, known = dict[int, float](), 0.0, Affine()
        for link, factor in factors.items():
            if link in self._unknown and factor != 0.0:
                if link not in self._numbers:
                    self._numbers.append(link)
                terms[self._numbers.index(link)] = factor
                start -= factor * self._state.builder.phase((self._state.base, link), self._state.sketch_frame(link)[1])
            elif factor != 0.0:
                known = known + turn_of(self._state, link, self._index) * factor
        if known.terms:
            terms[self._scalar(scalar(self._state, known, self._index))] = 1.0
        return Row.sum_of(terms, start)

    def orient(self, of: str, links: tuple[str, str], turn: complex, driver: str | None = None) -> None:
        """Write that two directions are equal; a driver's rotation is applied to a constant one if there is one."""
        first, second = links
        form: Form
        if driver is None:
            form = Row.aligned(self.along(first, turn), self.along(second))
        elif not (u := self.along(first, turn)).terms:
            form = Row.aligned(self._turner(driver, 1) * u.const, self.along(second))
        elif not (v := self.along(second)).terms:
            form = Row.aligned(u, self._turner(driver, -1) * v.const)
        else:
            form = Curve.of(DrivenAngle(), u, self._turner(driver, 1), v)
        self.add(of, "orientation", links, 1.0, form)

    def driven(
        self, drive: DriverCoordinate, equation: str, links: tuple[str, ...], unit: float, row: Row, form: DrivenForm
    ) -> None:
        """Write a driven row."""
        state, index = self._state, self._index
        if form == "half square":
            operand = half_square_of(state, drive.id, index)
        else:
            operand = state.builder.driver(drive.id, index, angular=False, value=drive.start)
        self.add(drive.id, equation, links, unit, row + Row.sum_of({self._scalar(operand): -1.0}))

    def _turner(self, driver: str, sign: int) -> Affine:
        """Return the unit vector of a driver's angle."""
        start = self.mechanism.drivers[driver].start
        return self._input(
            self._state.builder.driver(driver, self._index, angular=True, value=start, sign=sign), unit=True
        )

    def _scalar(self, operand: Operand) -> int:
        self._numbers.append(operand)
        return len(self._numbers) - 1

    def _known(self, expression: Affine, *, unit: bool = False) -> Affine:
        operand = self._state.builder.vector(expression, self._index)
        return self._input(operand, unit=unit) if isinstance(operand, Register) else expression

    def _input(self, operand: Operand, *, unit: bool) -> Affine:
        if operand not in self._vectors:
            self._vectors.append(operand)
            self._unit.append(unit)
        return Affine.slot(2 * len(self._unknown) + self._vectors.index(operand))

    def _span(self) -> float:
        """Return the largest distance between two points of a link of the group, or of the sketch."""
        links = [self.mechanism.links[link] for link in self._unknown]
        own = self._state.builder.own
        places = [[own(place) for place in link.local.values()] for link in links]
        spans = [abs(a - b) for beside in places for a in beside for b in beside]
        drawn = list(self.mechanism.places.values())
        return max(spans, default=0.0) or max((abs(a - drawn[0]) for a in drawn), default=0.0) or 1.0


# --- the rows of drivers ----------------------------------------------------------------------------------------------


def write_driver(w: RowWriter, drive: DriverCoordinate) -> None:
    """Write the rows of a driver."""
    DRIVERS[drive.kind](w, drive)


def _angle(w: RowWriter, drive: DriverCoordinate) -> None:
    first, second = drive.links
    w.orient(drive.id, (first, second), 1 + 0j, drive.id)


def _slide(w: RowWriter, drive: DriverCoordinate) -> None:
    assert drive.joint is not None
    along, vector, links = w.line(drive.joint)
    row = Row.dot(along, vector).plus(-w.mechanism.joints.of(Guide)[drive.joint].start)
    w.driven(drive, "travel", links, w.size, row, "value")


def _distance(w: RowWriter, drive: DriverCoordinate) -> None:
    assert drive.ends is not None
    (E, first), (F, second) = (w.end(*end) for end in drive.ends)
    w.driven(drive, "distance", (first, second), w.size**2, Row.half_square(F - E), "half square")


#: The function that writes the rows of each kind of driver.
DRIVERS: Mapping[str, Callable[[RowWriter, DriverCoordinate], None]] = {
    "angle": _angle,
    "slide": _slide,
    "distance": _distance,
}
