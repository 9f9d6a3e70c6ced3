"""The symbol of each kind of joint, selected by its class.

A kind of joint registers its symbol with `@symbol.register`; a subclass of a kind here inherits that kind's symbol.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.fastened import Fastened
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.pair import Pair
from structkin.joints.revolute import Revolute
from structkin.joints.sliding import Sliding
from structkin.joints.turn_coupling import TurnCoupling
from structkin.show.scene import Frame
from structkin.show.style import GROUND, tint
from structkin.show.symbols import BAR, PLATE, WHEEL, Sheet, broken
from structkin.types import Floats

#: Pitch circles and lines are dash-dotted, as in any drawing of gears.
PITCH = (7.0, 2.0, 1.5, 2.0)
#: Number of points by which a curved slot is drawn.
SLOT_PLACES = 180
#: Largest number of poses at which the path of the contact along a flat face is computed.
FACE_POSES = 400


@singledispatch
def symbol(joint: Pair, sheet: Sheet) -> None:
    """Draw the symbol of a joint on a sheet; a kind without a registered symbol draws nothing."""


@symbol.register
def _revolute(joint: Revolute, sheet: Sheet) -> None:
    sheet.pins.add(joint.id)


@symbol.register
def _guide(guide: Guide, sheet: Sheet) -> None:
    block = Frame(guide.slider, guide.point, along=(guide.carrier, guide.direction))
    sheet.ties[guide.slider].append(guide.point)
    sheet.shown |= {guide.slider, guide.carrier}
    sheet.below.add(guide.carrier)
    if guide.turn is None:
        sheet.pin_at(guide.slider, guide.point)
    else:
        sheet.block(block, f"block:{guide.id}", sheet.colour(guide.slider))
    span = _span(guide, guide.travel(sheet.poses) + guide.start, guide.start)
    if span is None:
        return
    along = guide.direction
    a, b = (guide.origin + along * (1j * guide.offset + x) for x in span)
    sheet.travels[guide.carrier].append((a, b))
    a, b = a - 0.9 * sheet.u * along, b + 0.9 * sheet.u * along
    if guide.turn is not None and guide.carrier == sheet.ground:
        sheet.ground_guide(a, b, f"guide:{guide.id}")
    else:
        sheet.slot(guide.carrier, a, b, f"slot:{guide.id}")


@symbol.register
def _circular_slot(arc: CircularSlot, sheet: Sheet) -> None:
    sheet.below.add(arc.carrier)
    sheet.pin_at(arc.slider, arc.point)
    arms = np.angle(sheet.seen(arc.slider, arc.point, arc.carrier) - arc.center)
    span = _span(arc, np.unwrap(arms), float(np.angle(arc.direction)))
    if span is not None:
        start = arc.center + arc.radius * np.exp(1j * span[0])
        sheet.curved_slot(arc.carrier, arc.center, complex(start), span[1] - span[0], f"slot:{arc.id}")


@symbol.register
def _curve_slot(slot: CurveSlot, sheet: Sheet) -> None:
    middle_line = slot.curve.places(SLOT_PLACES)
    sheet.below.add(slot.carrier)
    sheet.ties[slot.carrier] += middle_line.tolist()
    sheet.pin_at(slot.slider, slot.point)
    sheet.slot_along(slot.carrier, middle_line, f"slot:{slot.id}", closed=slot.curve.closed)


@symbol.register
def _cam(cam: Cam, sheet: Sheet) -> None:
    """Draw the profile, and the roller or the flat face in contact with it."""
    profile = cam.profile() @ np.array([1, 1j])
    sheet.disc(cam.cam, profile, f"cam:{cam.id}")
    colour = sheet.colour(cam.follower)
    if cam.normal is not None:
        along = -1j * cam.normal
        contact = ((sheet.seen(cam.cam, profile[:, None], cam.follower) - cam.touch) / along).real
        contact = contact[:, :: -(-contact.shape[1] // FACE_POSES) or 1]
        reach = 0.35 * np.ptp(contact, axis=0)
        middle = np.clip(0.0, contact.min(axis=0) + reach, contact.max(axis=0) - reach)
        if len(middle):
            ends = cam.touch + along * np.array([np.min(middle - reach), np.max(middle + reach)])
            sheet.line(Frame(cam.follower), ends, f"face:{cam.id}", stroke=colour, width=3.5, layer=BAR)
    elif cam.radius:
        frame, fill = Frame(cam.follower, cam.touch), tint(colour)
        sheet.area(
            frame, 0j, f"roller:{cam.id}", fill=fill, stroke=colour, width=1.6, layer=PLATE, radius=cam.radius
        )  # fmt: skip


@symbol.register
def _geneva(geneva: Geneva, sheet: Sheet) -> None:
    pivot = sheet.mechanism.links[geneva.wheel].local[geneva.pivot]
    sheet.disc(geneva.wheel, pivot + geneva.outline(), f"wheel:{geneva.id}")


@symbol.register
def _fastened(joint: Fastened, sheet: Sheet) -> None:
    for link in joint.links:
        sheet.ties[link].append(joint.place_on(link))
    upright = Frame(joint.links[0], joint.at, along=(sheet.ground, 1 + 0j))
    sheet.weld(upright, f"fastened:{joint.id}")


@symbol.register
def _coupling(mesh: TurnCoupling, sheet: Sheet) -> None:
    """Draw pitch circles with a spoke to show the rotation, and the belt or pitch line; toothed ones dash-dotted."""
    sheet.shown |= {*mesh.links}
    toothed = mesh.type in ("gear", "rack")
    wheels = [
        (link, center, radius)
        for link, center, radius in zip(mesh.links, mesh.centers, mesh.radii, strict=True)
        if center is not None and radius is not None
    ]
    largest = max((radius for _, _, radius in wheels), default=0.0)
    for link, center, radius in wheels:
        # a ring gear is hollow
        hollow = mesh.type != "belt" and (mesh.ratio or 0.0) > 0 and radius == largest
        colour, frame, id = sheet.colour(link), Frame(link, center), f"{mesh.id}:{link}"
        fill, dash = None if hollow else colour + "12", PITCH if toothed else ()
        sheet.area(
            frame, 0j, f"wheel:{id}", fill=fill, stroke=colour, width=1.4, layer=WHEEL, dash=dash, radius=radius
        )  # fmt: skip
        if link != sheet.ground:
            sheet.line(frame, [0.72 * radius, radius], f"spoke:{id}", stroke=colour, width=2.2, layer=WHEEL)
    if mesh.type == "belt" and mesh.ratio is not None:
        (one, a, r), (other, b, s) = wheels
        apart = sheet.distance((one, a), (other, b))
        if len(apart):
            second = -s if mesh.ratio < 0 else s
            cosine = (r - second) / float(apart[0])
            normals = cosine + np.array([1j, -1j]) * np.sqrt(max(1 - cosine**2, 0.0))
            strands = broken(*(np.array([r * normal, apart[0] + second * normal]) for normal in normals))
            frame = Frame(one, a, toward=(other, b))
            sheet.line(frame, strands, f"belt:{mesh.id}", stroke=GROUND, width=1.8, layer=BAR - 0.5)
    if mesh.line is not None:
        _pitch_line(mesh, *mesh.line, sheet, toothed)


def _pitch_line(mesh: TurnCoupling, a: complex, b: complex, sheet: Sheet, toothed: bool) -> None:
    """Draw the pitch line of a rack and the bar behind it, or the track on which a circle rolls."""
    link = mesh.links[1]
    colour, frame = sheet.colour(link), Frame(link)
    centers = sheet.seen(mesh.links[0], mesh.centers[0], link)
    along = (b - a) / abs(b - a)
    side = 1j * along if len(centers) and ((centers[0] - a) / along).imag < 0 else -1j * along
    if toothed:
        depth = 0.7 * sheet.u * side
        sheet.line(frame, [a, b], f"rack:{mesh.id}", stroke=colour, layer=WHEEL, width=1.4, dash=PITCH)
        sheet.line(frame, [a, a + depth, b + depth, b], f"rack:{mesh.id}", stroke=colour, layer=WHEEL, width=2.2)
    elif link == sheet.ground:
        sheet.hatching(frame, a, b, side, f"track:{mesh.id}")
    else:
        sheet.line(frame, [a, b], f"track:{mesh.id}", stroke=colour, width=2.0, layer=WHEEL)


def _span(joint: Sliding, values: Floats, start: float) -> tuple[float, float] | None:
    """Return the ends of the stroke, offset by `start`, or without a stroke the range of the values, if any."""
    if joint.stroke is not None:
        return start + joint.stroke[0], start + joint.stroke[1]
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else None
